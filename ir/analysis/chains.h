/* Products of which one's result becomes, directly or not, another's operand, as in attention. */
#ifndef TRI_IR_ANALYSIS_CHAINS_H
#define TRI_IR_ANALYSIS_CHAINS_H

#include "base/map.h"
#include "ir/op.h"

/* By MlirOperation.ptr. */
typedef struct {
    tri_map heads, tails; /* of the first operand: those whose result it is; those others */
    tri_map along[2];     /* either, for each operand, and products that one of them goes into */
} tri_chains;

/* Of these products, inside of their blocks. */
tri_chains tri_chains_find(tri_arena *arena, const tri_op_list *dots);

static inline bool tri_chains_has_head(const tri_chains *chains, MlirOperation dot)
{
    return tri_map_find_ptr(&chains->heads, dot.ptr) != NULL;
}
static inline bool tri_chains_has_tail(const tri_chains *chains, MlirOperation dot)
{
    return tri_map_find_ptr(&chains->tails, dot.ptr) != NULL;
}
/* Is it one of a chain through this operand? */
static inline bool tri_chains_is_along(const tri_chains *chains, MlirOperation dot, int operand)
{
    return tri_map_find_ptr(&chains->along[operand], dot.ptr) != NULL;
}

#endif
