/* Pointers that are made from integers: they stay addresses, counted in bytes, where those into an array are numbers of
 * its elements. What one of them may be instead (by a conditional, a loop, tl.where) is an address too. */
#ifndef TRI_PASSES_LINALG_ADDRESSES_H
#define TRI_PASSES_LINALG_ADDRESSES_H

#include "base/map.h"
#include "ir/analysis/pointers.h"
#include "ir/op.h"

typedef struct {
    tri_arena *arena;
    tri_map values; /* set of pointers, by MlirValue.ptr, that are addresses */
    tri_map arrays; /* the function's array, by MlirValue.ptr, that such a pointer may be instead -> that pointer,
                     * and later the array's address, MlirValue* */
} tri_addresses;

/* Of a function, whose operations are `ops`; `with_blocks`: blocks of pointers that are arguments count, too. */
void tri_addresses_find(tri_addresses *addresses, tri_arena *arena, MlirBlock body, const tri_op_list *ops,
                        bool with_blocks);

static inline bool tri_addresses_has(const tri_addresses *addresses, MlirValue pointer)
{
    return tri_map_find_ptr(&addresses->values, pointer.ptr) != NULL;
}

/* Where the operand i of an operation goes to: the value that it is afterwards, when control flow hands it on; the
 * result of others. Null: nowhere. */
MlirValue tri_addresses_target(MlirOperation op, intptr_t i);

#endif
