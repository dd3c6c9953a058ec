/* Loops that write shared memory at their start, of registers that the iteration before has loaded, as our pipeliner
 * makes them, become ones that write it at their end, in front of which the first tile is written:
 *
 *     scf.for iter_args(%x = %x0) {              ttg.local_store %x0, %m
 *       %m = ttg.local_alloc %x                  scf.for {
 *       %y = tt.load                      ->       %y = tt.load
 *       %a = ttg.local_load %m                     %a = ttg.local_load %m
 *       tt.dot %a ... ; scf.yield %y               tt.dot %a ... ; ttg.local_store %y, %m
 *     }                                          } */
#include "passes/ttgir/block_pingpong/pingpong.h"

#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"

typedef struct {
    MlirOperation read, alloc;
    tri_op_list chain; /* of one operand and result each, from what the buffer holds back to the argument */
    intptr_t carried;  /* number of the value among those that the loop carries */
} tile;

static bool is_of_body(const tri_pingpong *p, MlirOperation op, const char *name)
{
    return !mlirOperationIsNull(op) && tri_op_is(op, name) && mlirBlockEqual(mlirOperationGetBlock(op), p->body);
}

static bool find_tile(tri_pingpong *p, MlirOperation dot, int operand, tile *out)
{
    *out = (tile){.read = tri_op_def(tri_op_operand(dot, operand))};
    if (!is_of_body(p, out->read, "ttg.local_load") || mlirOperationGetNumOperands(out->read) != 1)
        return false;
    out->alloc = tri_op_def(tri_op_operand(out->read, 0));
    if (!is_of_body(p, out->alloc, "ttg.local_alloc") || mlirOperationGetNumOperands(out->alloc) != 1 ||
        !tri_dots_has_one_use(tri_op_result(out->alloc, 0)))
        return false;
    MlirValue value = tri_op_operand(out->alloc, 0);
    MlirOperation def = tri_op_def(value);
    while (is_of_body(p, def, "amdg.in_thread_transpose") && tri_dots_has_one_use(value)) {
        tri_vec_push(p->arena, &out->chain, def);
        value = tri_op_operand(def, 0);
        def = tri_op_def(value);
    }
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(value, &block, &index) || !mlirBlockEqual(block, p->body) || index == 0 ||
        !tri_dots_has_one_use(value))
        return false;
    out->carried = index - 1;
    return mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(p->loop, out->carried)));
}

/* The value as the buffer holds it, stored there. */
static void store_tile(tri_builder *b, const tile *t, MlirValue value, MlirValue buffer)
{
    for (size_t i = t->chain.len; i-- > 0;) {
        MlirValue from = tri_op_operand(t->chain.at[i], 0);
        value = tri_op_result(tri_op_clone(b, t->chain.at[i], 1, &from, &value), 0);
    }
    MlirValue operands[2] = {value, buffer};
    tri_builder_create(b, &(tri_op){.name = "ttg.local_store", .num_operands = 2, .operands = operands});
}

/* Only the argument is left of what the loop carried, which carries itself. */
static void rotate_tile(tri_pingpong *p, tile *t)
{
    enum { bounds = 3 };
    MlirOperation yield = mlirBlockGetTerminator(p->body);
    tri_builder before = tri_builder_before(p->loop), end = tri_builder_before(yield);
    tri_memdesc desc;
    tri_type_get_memdesc(mlirValueGetType(tri_op_result(t->alloc, 0)), &desc);
    desc.is_mutable = true;
    MlirType type = tri_type_memdesc(&desc);
    before.loc = end.loc = mlirOperationGetLocation(t->alloc);
    MlirValue buffer =
        tri_builder_value(&before, &(tri_op){.name = "ttg.local_alloc", .num_results = 1, .results = &type});
    store_tile(&before, t, tri_op_operand(p->loop, bounds + t->carried), buffer);
    store_tile(&end, t, tri_op_operand(yield, t->carried), buffer);
    mlirOperationSetOperand(t->read, 0, buffer);
    mlirOperationDestroy(t->alloc);
    for (size_t i = 0; i < t->chain.len; i++)
        mlirOperationDestroy(t->chain.at[i]);
    mlirOperationSetOperand(yield, t->carried, mlirBlockGetArgument(p->body, 1 + t->carried));
}

bool tri_pingpong_rotate(tri_pingpong *p, MlirOperation dot)
{
    tile tiles[2];
    if (!find_tile(p, dot, 0, &tiles[0]) || !find_tile(p, dot, 1, &tiles[1]) ||
        tiles[0].carried == tiles[1].carried)
        return false;
    bool *drop = TRI_NEW_ARRAY(p->arena, bool, mlirOperationGetNumResults(p->loop) + 1);
    for (int i = 0; i < 2; i++) {
        rotate_tile(p, &tiles[i]);
        drop[tiles[i].carried] = true;
    }
    p->loop = tri_loops_drop(p->arena, p->loop, drop);
    p->body = tri_op_body(p->loop, 0);
    return true;
}
