/* Vectors over GF(2), one machine word each: span, rank, solving. */
#ifndef TRI_LAYOUT_GF2_H
#define TRI_LAYOUT_GF2_H

#include <stdbool.h>
#include <stdint.h>

/* An echelon form grown one vector at a time. `from` says which inputs (bit i = i-th vector
 * added) were XORed into each row. */
typedef struct {
    int rank, added;
    uint64_t row[64];
    uint64_t from[64];
    int pivot[64]; /* lowest set bit of row */
} tri_gf2;

void tri_gf2_init(tri_gf2 *m);
/* Adds vector; true when it was not in the span yet. At most 64 vectors. */
bool tri_gf2_add(tri_gf2 *m, uint64_t vector);
/* Rest of `vector` after reduction: 0 when it is in the span; *out_from (may be null) gets the inputs used. */
uint64_t tri_gf2_reduce(const tri_gf2 *m, uint64_t vector, uint64_t *out_from);
/* Dimension of the span. */
int tri_gf2_rank(int n, const uint64_t *vectors);
/* A basis of span(a) ∩ span(b) in `out` (room for min(na, nb)); returns its length. Vectors that are
 * in both lists come first, in a's order. */
int tri_gf2_intersect(int na, const uint64_t *a, int nb, const uint64_t *b, uint64_t *out);
/* Unit vectors that complete the span to all of `bits` dimensions, ascending; returns how many. */
int tri_gf2_complement(int n, const uint64_t *vectors, int bits, uint64_t *out);

#endif
