/* Shared by the layout tests: checks that count, and expectations written as base lists. */
#ifndef LAYOUT_EXPECT_H
#define LAYOUT_EXPECT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/linear.h"

static int failures;

#define CHECK(cond) \
    ((cond) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #cond)))

/* "[0,1][0,2]": the bases of one input, a coordinate per output dimension. */
static inline void bases_text(const tri_linear *l, tri_dim in, char *out, size_t size)
{
    size_t n = 0;
    out[0] = 0;
    for (int j = 0; j < tri_linear_in_bits(l, in); j++) {
        for (int d = 0; d < l->out.count; d++)
            n += (size_t)snprintf(out + n, size - n, "%s%lld", d ? "," : "[",
                                  (long long)tri_linear_basis_at(l, in, j, l->out.dim[d]));
        n += (size_t)snprintf(out + n, size - n, "]");
    }
}

static inline void expect_bases_at(int line, const tri_linear *l, tri_dim in, const char *want)
{
    char got[2048];
    bases_text(l, in, got, sizeof got);
    if (strcmp(got, want) != 0) {
        failures++;
        fprintf(stderr, "line %d: %s: got %s, want %s\n", line, tri_linear_dim_name(in), got, want);
    }
}
#define EXPECT_BASES(l, in, want) expect_bases_at(__LINE__, l, in, want)

static inline unsigned random_bits(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline int finish(void)
{
    if (failures)
        fprintf(stderr, "%d failures\n", failures);
    return failures != 0;
}

#endif
