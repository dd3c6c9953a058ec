/* Stores results of warp groups' products in a loop so that each warp stores rows that it has: its lanes exchange
 * elements among them, and groups of warps that are apart in the loop do not wait for one another.
 *
 *     scf.for ... {                                                 scf.for ... {
 *       %c = ttg.convert_layout %x : #mma -> #blocked                 %c = ttg.convert_layout %x : #mma -> #rows
 *       tt.store %p, %c, %m : #blocked                          ->    tt.store %q, %c, %n : #rows
 *     }                                                             }
 *
 * #blocked hands rows out to warps one after the other; a thread of #rows has that many rows one below the other that a
 * warp has the 16 of the instruction. Each row is stored as before. Addresses and masks are computed in that layout.
 * One number of each row, as sums of attention's exponentials, is stored where the products' rows are, without any
 * exchange.
 *
 * Needs: ttgir behind accelerate-matmul and remove-layout-conversions, which bring the two layouts together. Upstream
 * has no such pass. Test: tests/passes/own-rows.mlir */
#include "passes/ttgir/remove_layout_conversions/remat.h"

#include "ir/analysis/scratch.h"
#include "ir/encoding.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "layout/plan.h"
#include "passes/analysis/dots.h"
#include "passes/ttgir/coalesce/coalesce.h"

enum { HOPPER = 3, ROWS = 16 /* of an instruction, that a warp has */, MAX_DEPTH = 8 };

typedef struct {
    tri_pass_run *run;
    tri_layouts layouts;
    tri_plan_machine machine;
} own_rows;

/* ---- matchers ---- */

static bool plan_exchange(const own_rows *o, MlirType from, MlirType to, tri_plan_convert *out)
{
    tri_linear src, dst;
    return tri_scratch_linear(o->run->arena, from, &src) && tri_scratch_linear(o->run->arena, to, &dst) &&
           tri_plan_convert_make(&src, &dst, tri_scratch_element_bits(from), &o->machine, 0, out) &&
           out->kind == TRI_CVT_SHARED;
}

/* The conversion that makes what a store in a loop stores; null: it stores something else. */
static MlirOperation exchange_of(const own_rows *o, MlirOperation store)
{
    MlirOperation convert = tri_op_def(tri_op_operand(store, 1)), none = {NULL};
    if (mlirOperationIsNull(convert) || !tri_op_is(convert, "ttg.convert_layout") ||
        !tri_op_is(mlirOperationGetParentOperation(store), "scf.for"))
        return none;
    const tri_encoding *from = tri_dots_encoding(o->run->arena, tri_op_operand(convert, 0)),
                       *to = tri_dots_encoding(o->run->arena, tri_op_result(convert, 0));
    bool is_of_product = from && from->kind == TRI_ENC_NVIDIA_MMA && from->version_major == HOPPER;
    return is_of_product && to && to->kind == TRI_ENC_BLOCKED && to->rank == 2 ? convert : none;
}

/* The layout in which a warp has the rows of its instruction; null: there is none, or nothing is gained. */
static MlirAttribute choose_rows(const own_rows *o, MlirOperation convert)
{
    MlirType from = mlirValueGetType(tri_op_operand(convert, 0)), old = mlirValueGetType(tri_op_result(convert, 0));
    const tri_encoding *e = tri_encoding_get(o->run->arena, tri_type_encoding(old));
    MlirAttribute none = {NULL};
    int row = e->order[1], column = e->order[0];
    int32_t size[2], lanes = e->blocked.threads_per_warp[row];
    if (row != 0 || ROWS % lanes)
        return none;
    size[row] = ROWS / lanes;
    size[column] = e->blocked.size_per_thread[column];
    const int64_t shape[] = {tri_type_dim(old, 0), tri_type_dim(old, 1)};
    tri_encoding rows = tri_blocked_make(2, shape, size, e->order, o->layouts.launch);
    MlirAttribute encoding = tri_encoding_make(o->run->unit->mlir, &rows);
    tri_plan_convert before, now;
    bool is_better = plan_exchange(o, from, old, &before) &&
                     plan_exchange(o, from, tri_type_with_encoding(old, encoding), &now) &&
                     before.sync == TRI_SYNC_CTA && now.sync == TRI_SYNC_WARP &&
                     now.store_conflicts + now.load_conflicts <= before.store_conflicts + before.load_conflicts &&
                     now.scratch_elements <= before.scratch_elements;
    return is_better ? encoding : none;
}

/* The layout of numbers of products' rows that a value is made of; null: it is made of others, too. */
static MlirAttribute rows_below(const own_rows *o, MlirValue value, int depth)
{
    MlirOperation op = tri_op_def(value);
    MlirAttribute none = {NULL}, found = none;
    if (mlirOperationIsNull(op) || depth > MAX_DEPTH)
        return none;
    if (tri_op_is(op, "ttg.convert_layout")) {
        const tri_encoding *from = tri_dots_encoding(o->run->arena, tri_op_operand(op, 0));
        bool is_of_rows = from && from->kind == TRI_ENC_SLICE && from->parent->kind == TRI_ENC_NVIDIA_MMA &&
                          from->parent->version_major == HOPPER;
        return is_of_rows ? tri_layouts_of(tri_op_operand(op, 0)) : none;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && tri_op_in(op, TRI_OPS_ELEMENTWISE); i++) {
        MlirAttribute below = rows_below(o, tri_op_operand(op, i), depth + 1);
        if (mlirAttributeIsNull(below) || (!mlirAttributeIsNull(found) && !mlirAttributeEqual(below, found)))
            return none;
        found = below;
    }
    return found;
}

/* The layout of one number of each row, where a store in a loop has those. */
static MlirAttribute find_rows(const own_rows *o, MlirOperation store)
{
    MlirValue value = tri_op_operand(store, 1);
    MlirType type = mlirValueGetType(value);
    bool is_row = tri_type_is_tensor(type) && tri_type_rank(type) == 1 &&
                  tri_op_is(mlirOperationGetParentOperation(store), "scf.for");
    return is_row ? rows_below(o, value, 0) : (MlirAttribute){NULL};
}

/* Whether a store's operands, but for `but`, can be computed in the layout, too. */
static bool can_follow(tri_remat *r, MlirOperation store, intptr_t but, MlirAttribute encoding)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(store); i++) {
        tri_slice slice = {0};
        if (i != but && !tri_remat_grow(r, &slice, store, tri_op_operand(store, i), encoding, NULL, NULL))
            return false;
    }
    return true;
}

/* ---- rewriter ---- */

/* The store in another layout, in which its operands, but for `but`, are computed. */
static void store_rows(tri_remat *r, MlirOperation store, intptr_t but, MlirAttribute encoding)
{
    tri_coalesce_relayout(store, encoding);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(store); i++) {
        tri_slice slice = {0};
        MlirOperation moved = tri_op_def(tri_op_operand(store, i));
        if (i != but && tri_op_is(moved, "ttg.convert_layout") &&
            tri_remat_grow(r, &slice, moved, tri_op_operand(moved, 0), encoding, NULL, NULL))
            tri_rematerialization_rewrite(r, &slice, moved);
    }
}

static bool visit_store(own_rows *o, tri_remat *r, MlirOperation store)
{
    enum { VALUE = 1, NONE = -1 };
    MlirOperation convert = exchange_of(o, store);
    MlirAttribute encoding = mlirOperationIsNull(convert) ? find_rows(o, store) : choose_rows(o, convert);
    intptr_t but = mlirOperationIsNull(convert) ? NONE : VALUE;
    if (mlirAttributeIsNull(encoding) || !can_follow(r, store, but, encoding))
        return false;
    tri_builder b = tri_builder_before(store);
    if (but == VALUE)
        mlirOperationSetOperand(store, VALUE, tri_dots_convert(&b, tri_op_operand(convert, 0), encoding));
    store_rows(r, store, but, encoding);
    return true;
}

static void visit_function(own_rows *o, MlirOperation func)
{
    tri_remat r = {.layouts = &o->layouts, .arena = o->run->arena, .func = func};
    tri_op_list stores = {0};
    bool is_changed = false;
    tri_map_init(&r.copies, o->run->arena);
    tri_op_collect_named(func, "tt.store", o->run->arena, &stores);
    for (size_t i = 0; i < stores.len; i++)
        is_changed |= visit_store(o, &r, stores.at[i]);
    if (is_changed)
        tri_op_erase_dead(func);
}

static bool run_own_rows(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    own_rows o = {.run = run, .layouts = tri_layouts_make(run), .machine = tri_scratch_machine(module)};
    tri_op_list funcs = {0};
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        visit_function(&o, funcs.at[i]);
    return true;
}

const tri_pass tri_pass_own_rows = {
    .name = "own-rows",
    .help = "let each warp store the rows of products that it has, where a loop stores them",
    .run = run_own_rows,
};
