/* Loads a large operand that a loop does not change where the loop needs it, not in front of it.
 *
 *     %q = tt.descriptor_load %d[%i, %j]            ttig.descriptor_prefetch %d[%i, %j]
 *     scf.for ... {                           ->    scf.for ... {
 *       %s = tt.dot %q, %k, ...                       %q = tt.descriptor_load %d[%i, %j]
 *                                                     %s = tt.dot %q, %k, ...
 *
 * so that it does not take registers through the loop: the cache has it. Only of operands of LARGE bytes and LONG
 * rows or more that messages of two dimensions load, through descriptors or pointers, of products on the matrix unit,
 * where the loop reads more than CROWDED bytes from outside, and nothing writes memory in between. Uses behind the loop
 * load once more. Needs: materialize-block-pointer. Answers to tritonintelgpu-reduce-variable-liveness. Test:
 * tests/passes/reduce-variable-liveness.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loads.h"
#include "passes/analysis/loops.h"
#include "passes/ttgir/pipeline/pipeline.h"

enum { LONG = 128, LARGE = LONG * LONG * 2, CROWDED = 32768 };

typedef struct {
    tri_arena *arena;
    MlirOperation loop;
    MlirBlock body;
} crowd;

static int64_t number_bytes(MlirType type)
{
    MlirType element = tri_type_element(type);
    bool is_number = tri_type_is_float(element) || tri_type_is_int(element);
    return is_number ? tri_type_num_elements(type) * tri_type_bits(element) / 8 : 0;
}

/* Bytes of what the loop reads from outside. */
static int64_t bytes_read(const crowd *c)
{
    tri_op_list inside = {0};
    tri_map seen;
    int64_t bytes = 0;
    tri_map_init(&seen, c->arena);
    tri_op_collect(c->loop, c->arena, &inside);
    for (size_t i = 0; i < inside.len; i++)
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(inside.at[i]); k++) {
            MlirValue value = tri_op_operand(inside.at[i], k);
            if (tri_loops_is_inside(c->loop, value) || tri_map_find_ptr(&seen, value.ptr))
                continue;
            tri_map_set_ptr(&seen, value.ptr, (void *)value.ptr);
            bytes += number_bytes(mlirValueGetType(value));
        }
    return bytes;
}

/* Nothing from the load to the end of the loop writes, and whoever reads it stands in the loop's own body or behind. */
static bool may_move(const crowd *c, MlirOperation load)
{
    MlirBlock home = mlirOperationGetBlock(load);
    if (!mlirBlockEqual(home, mlirOperationGetBlock(c->loop)) || !tri_op_dominates(load, c->loop))
        return false;
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(load, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use), at = tri_op_ancestor_in(home, user);
        bool is_inside = mlirBlockEqual(mlirOperationGetBlock(user), c->body);
        bool is_behind = !mlirOperationIsNull(at) && tri_op_dominates(c->loop, at) && !mlirOperationEqual(at, c->loop);
        if (!is_inside && !is_behind)
            return false;
    }
    for (MlirOperation op = load; !mlirOperationEqual(op, c->loop); op = mlirOperationGetNextInBlock(op))
        if (tri_loads_any_may_write(c->arena, op))
            return false;
    return !tri_loads_any_may_write(c->arena, c->loop);
}

/* The load of a product's operand that should move; null: there is none. */
static MlirOperation find_load(const crowd *c, MlirValue operand)
{
    const MlirOperation none = {NULL};
    MlirOperation load = tri_op_def(tri_dots_strip_converts(operand));
    if (mlirOperationIsNull(load) || !(tri_op_is(load, "tt.descriptor_load") || tri_op_is(load, "tt.load")) ||
        mlirAttributeIsNull(tri_op_attr(load, "ttig.block_io")))
        return none;
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    int rank = tri_dots_shape(type, shape);
    const tri_encoding *e = tri_dots_encoding(c->arena, tri_op_result(load, 0));
    bool is_same = mlirTypeEqual(tri_type_element(type), tri_type_element(mlirValueGetType(operand)));
    if (rank != 2 || !e || !is_same || number_bytes(type) < LARGE)
        return none;
    tri_convert_order_for_memory(e, rank, shape, order);
    return shape[order[1]] >= LONG && may_move(c, load) ? load : none;
}

static MlirValue copy_load(tri_builder *b, MlirOperation load)
{
    return tri_op_result(tri_op_clone(b, load, 0, NULL, NULL), 0);
}

/* The first user in the loop's body, and the copy behind the loop of what is used there. */
static void move_load(const crowd *c, MlirOperation load)
{
    MlirValue old = tri_op_result(load, 0);
    MlirOperation first = {NULL}, other = {NULL};
    MlirOpOperand use = mlirValueGetFirstUse(old);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!mlirBlockEqual(mlirOperationGetBlock(user), c->body))
            other = user;
        else if (mlirOperationIsNull(first) || tri_op_dominates(user, first))
            first = user;
    }
    tri_pipeline_add_prefetch(c->arena, load);
    tri_builder b = tri_builder_before(first), behind = tri_builder_after(c->loop);
    MlirValue inner = copy_load(&b, load), outer = mlirOperationIsNull(other) ? inner : copy_load(&behind, load);
    tri_op_list users = {0};
    for (use = mlirValueGetFirstUse(old); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        tri_vec_push(c->arena, &users, mlirOpOperandGetOwner(use));
    for (size_t i = 0; i < users.len; i++) {
        MlirValue to = mlirBlockEqual(mlirOperationGetBlock(users.at[i]), c->body) ? inner : outer;
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(users.at[i]); k++)
            if (mlirValueEqual(tri_op_operand(users.at[i], k), old))
                mlirOperationSetOperand(users.at[i], k, to);
    }
    mlirOperationDestroy(load);
}

static void visit_loop(tri_arena *arena, MlirOperation loop)
{
    crowd c = {arena, loop, tri_op_body(loop, 0)};
    tri_op_list dots = {0};
    for (MlirOperation op = mlirBlockGetFirstOperation(c.body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (!tri_op_is(op, "tt.dot"))
            continue;
        const tri_encoding *e = tri_dots_encoding(arena, tri_op_result(op, 0));
        if (!e || e->kind != TRI_ENC_INTEL_DPAS)
            return;
        tri_vec_push(arena, &dots, op);
    }
    for (size_t i = 0; i < dots.len; i++)
        for (int k = 0; k < 2; k++) {
            MlirOperation load = find_load(&c, tri_op_operand(dots.at[i], k));
            if (!mlirOperationIsNull(load) && bytes_read(&c) > CROWDED)
                move_load(&c, load);
        }
}

static bool run_reduce_variable_liveness(tri_pass_run *run)
{
    tri_op_list loops = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = 0; i < loops.len; i++)
        visit_loop(run->arena, loops.at[i]);
    return true;
}

const tri_pass tri_pass_reduce_variable_liveness = {
    .name = "reduce-variable-liveness",
    .help = "load large operands in the loop that reads them, not in front of it",
    .alias = "tritonintelgpu-reduce-variable-liveness",
    .run = run_reduce_variable_liveness,
};
