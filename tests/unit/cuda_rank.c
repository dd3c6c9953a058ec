/* Which code a CUDA device takes, and which of several: the object's launcher and tritrun ask the same function. */
#include "runtime/launch/launch.h"

#include <stdio.h>

typedef struct {
    const char *arch;
    int is_ptx;
} image;

enum { max_images = 6, nothing = -1 };

/* The one that is taken of up to six images, or `nothing`. */
static const struct {
    int capability;
    image images[max_images];
    int want;
} rows[] = {
    {80, {{"sm_80", 0}}, 0},
    {86, {{"sm_80", 0}}, 0},          /* the same major version, from its minor version on */
    {80, {{"sm_86", 0}}, nothing},
    {90, {{"sm_80", 0}}, nothing},    /* another one */
    {90, {{"sm_80", 1}}, 0},          /* PTX goes on */
    {80, {{"sm_90", 1}}, nothing},
    {90, {{"sm_90a", 0}}, 0},         /* all features: there and nowhere else */
    {100, {{"sm_90a", 0}}, nothing},
    {100, {{"sm_90a", 1}}, nothing},
    {80, {{"sm_90a", 1}}, nothing},
    {90, {{"sm_90", 0}, {"sm_90a", 0}, {"sm_80", 1}}, 1},
    {90, {{"sm_90a", 1}, {"sm_90a", 0}}, 1}, /* machine code in front of PTX */
    {90, {{"sm_80", 1}, {"sm_90", 1}}, 1},
    {89, {{"sm_80", 0}, {"sm_86", 0}, {"sm_89", 0}, {"sm_90", 0}}, 2},
    {87, {{"sm_80", 0}, {"sm_86", 0}, {"sm_89", 0}, {"sm_86", 1}}, 1},
    {120, {{"sm_80", 0}, {"sm_90", 0}, {"sm_90a", 0}, {"sm_90", 1}, {"sm_100a", 1}}, 3},
    {120, {{"sm_120a", 1}, {"sm_90", 1}}, 0},
    {75, {{"sm_80", 1}, {"sm_80", 0}}, nothing},
};

int main(void)
{
    int failures = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        int best = nothing, best_rank = -1;
        for (int i = 0; i < max_images && rows[r].images[i].arch; i++) {
            int rank = tri_rt_cuda_rank(rows[r].images[i].arch, rows[r].images[i].is_ptx, rows[r].capability);
            if (rank > best_rank) {
                best = i;
                best_rank = rank;
            }
        }
        if (best == rows[r].want)
            continue;
        failures++;
        fprintf(stderr, "row %zu, capability %d: image %d, not %d\n", r, rows[r].capability, best, rows[r].want);
    }
    return failures ? 1 : 0;
}
