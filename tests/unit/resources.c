/* Occupancy, against figures worked out by hand from "Technical Specifications per Compute Capability" of the CUDA C++
 * Programming Guide and the rules of NVIDIA's occupancy calculator: registers go to warps in units of 256 and each
 * quarter of a multiprocessor has 16384, shared memory in units of 128 bytes with 1024 more per block. */
#include "ir/kernel.h"
#include "targets/nvptx/nvptx.h"
#include "targets/target.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    int arch, warps, registers, shared; /* what a block takes */
    int blocks, percent;
    const char *limit;
} row;

static const row rows[] = {
    /* warps: 64, 48, 48, 64 */
    {80, 4, 16, 0, 16, 100, "warps"},
    {86, 4, 16, 0, 12, 100, "warps"},
    {89, 8, 16, 0, 6, 100, "warps"},
    {90, 8, 16, 0, 8, 100, "warps"},
    {86, 32, 16, 0, 1, 66, "warps"},
    {100, 4, 16, 0, 16, 100, "warps"},
    {120, 4, 16, 0, 12, 100, "warps"},
    /* blocks: 32, 16, 24, 32 */
    {80, 1, 16, 0, 32, 50, "blocks"},
    {86, 1, 16, 0, 16, 33, "blocks"},
    {89, 1, 16, 0, 24, 50, "blocks"},
    {90, 1, 16, 0, 32, 50, "blocks"},
    {120, 1, 16, 0, 24, 50, "blocks"},
    /* registers: 33 x 32 = 1056, so 1280 per warp: 12 in each quarter, 48 in all */
    {80, 4, 32, 0, 16, 100, "warps"},
    {80, 4, 33, 0, 12, 75, "registers"},
    {80, 1, 255, 0, 8, 12, "registers"},
    {86, 4, 64, 0, 8, 66, "registers"},
    {89, 4, 40, 0, 12, 100, "warps"},
    {89, 4, 41, 0, 10, 83, "registers"},
    {90, 8, 168, 0, 1, 12, "registers"},
    {90, 4, 168, 0, 3, 18, "registers"},
    {90, 32, 64, 0, 1, 50, "registers"},
    {90, 32, 65, 0, 0, 0, "registers"},
    /* registers unknown: an upper bound */
    {90, 4, -1, 0, 16, 100, "warps"},
    /* shared memory: 164, 100, 100, 228 KiB */
    {80, 4, 16, 166912, 1, 6, "shared memory"},
    {80, 4, 16, 82944, 2, 12, "shared memory"},
    {80, 4, 16, 82945, 1, 6, "shared memory"},
    {86, 4, 16, 101376, 1, 8, "shared memory"},
    {86, 4, 16, 24576, 4, 33, "shared memory"},
    {89, 4, 16, 50176, 2, 16, "shared memory"},
    {89, 4, 16, 50177, 1, 8, "shared memory"},
    {90, 4, 16, 232448, 1, 6, "shared memory"},
    {90, 8, 16, 115712, 2, 25, "shared memory"},
    {90, 8, 16, 49152, 4, 50, "shared memory"},
};

static int failures;

static tri_resources ask(int arch_number, const tri_kernel *kernel, const char *code)
{
    char target[16];
    snprintf(target, sizeof target, "cuda:%d", arch_number);
    tri_arena *arena = tri_arena_create();
    tri_unit unit = {.arena = arena, .arch = tri_machines_for(tri_str_from(target))};
    tri_resources r = tri_nvptx_resources(&unit, kernel, tri_str_from(code));
    tri_arena_destroy(arena);
    return r;
}

static void check_rows(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *w = &rows[i];
        tri_kernel kernel = {.num_warps = w->warps, .registers = w->registers, .shared_bytes = w->shared};
        tri_resources r = ask(w->arch, &kernel, "");
        if (r.blocks == w->blocks && r.percent == w->percent && !strcmp(r.limit, w->limit))
            continue;
        failures++;
        fprintf(stderr, "sm_%d, %d warps, %d registers, %d bytes: %d blocks, %d %% by %s, not %d, %d %% by %s\n",
                w->arch, w->warps, w->registers, w->shared, r.blocks, r.percent, r.limit, w->blocks, w->percent,
                w->limit);
    }
}

/* Barriers are counted in the kernel's own code and in functions that it calls; from sm_90 on blocks share them. */
static void check_barriers(void)
{
    static const char code[] =
        ".visible .entry other(\n\tbar.sync \t7;\n}\n.visible .entry k(\n\tbar.sync \t0;\n\tbar.sync \t0, 64;\n"
        "\tbarrier.sync.aligned \t3, 128;\n\tbar.arrive \t12, 64;\n\tcall.uni \n\thelper, \n\t(\n\t);\n}\n"
        ".func helper(\n)\n{\n\tbar.sync \t15;\n}\n.func (.param .b32 r) help(\n)\n{\n\tbar.sync \t9;\n}\n";
    tri_kernel kernel = {.num_warps = 1, .registers = 16, .symbol = TRI_STR("k")};
    static const struct {
        int arch, blocks;
        const char *limit;
    } wants[] = {{80, 32, "blocks"}, {90, 16, "barriers"}, {120, 6, "barriers"}};
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        tri_resources r = ask(wants[i].arch, &kernel, code);
        if (r.barriers == 4 && r.blocks == wants[i].blocks && !strcmp(r.limit, wants[i].limit))
            continue;
        failures++;
        fprintf(stderr, "sm_%d: %d barriers, %d blocks by %s, not 4, %d by %s\n", wants[i].arch, r.barriers, r.blocks,
                r.limit, wants[i].blocks, wants[i].limit);
    }
}

int main(void)
{
    check_rows();
    check_barriers();
    return failures ? 1 : 0;
}
