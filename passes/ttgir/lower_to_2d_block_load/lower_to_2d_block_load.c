/* Operands of products on Intel's matrix units are loaded as blocks, by all lanes of a sub-group at once and straight
 * into the registers where a product wants them: neither addresses of elements nor shared memory.
 *
 *     %p = a + (m + range)[:, None] * stride + range[None, :]
 *     scf.for %i = 0 to %n iter_args(%q = %p) {            scf.for %i = 0 to %n {
 *       %x = tt.load %q, range < K - %i * 32, 0 : #blocked   %k = %i * 32
 *       %y = ttg.convert_layout %x : #dot_op                 %y = ttig.2d_block_load %a, %row, %M, %pitch[%k, %m]
 *       use(%y) ; yield %q + 32                                       {row_major} : #dot_op
 *     }                                                      use(%y) }
 *
 * Needs: ttgir behind accelerate-matmul, loads that nothing but such conversions read, and a machine that has the
 * messages (ir/block_io.def). The analysis of pointers must show a window of a matrix with rows of neighbours a
 * multiple of 16 bytes apart, elements outside read as zero. What only a launch knows (ir/block_io.h: rows of less than
 * 64 bytes, say) is asked in front of the outermost loop, of which there are two then: in the second one the same
 * operations load element by element (tritcc.surface = "elements"); where a loop changes it the lowering asks each
 * time. Stores of what a product gives go from its layout to memory as blocks, too (ttig.2d_block_store). A remark of
 * group "block-io" says for each load and store whether it is one, or why not. Answers to
 * tritonintelgpu-lower-to-2d-block-load. Test:
 * tests/passes/lower-to-2d-block-load.mlir */
#include "passes/passes.h"

#include "ir/block_io.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/ttgir/lower_to_2d_block_load/slices.h"
#include "passes/ttgir/lower_to_2d_block_load/surface.h"

#include <string.h>

/* A conversion that becomes a block load. */
typedef struct {
    MlirOperation convert;
    bool is_column_major;
} target;

typedef struct {
    tri_surface surface;
    TRI_VEC(target) targets;
    TRI_VEC(MlirOperation) made;
    bool is_checked; /* nothing is to be asked, or it was in front of the loop */
} block;

typedef TRI_VEC(block) block_list;

typedef struct {
    tri_pass_run *run;
    const tri_machine_facts *facts;
} lowering;

/* ---- what is worth it ---- */

/* Does a product read the value, through what leaves each element where it is? */
static bool feeds_product(MlirValue value, int depth)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); depth < 8 && !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        bool is_way = tri_op_is(user, "ttg.convert_layout") || tri_op_is(user, "tt.trans");
        if (tri_op_is(user, "tt.dot") || (is_way && feeds_product(tri_op_result(user, 0), depth + 1)))
            return true;
    }
    return false;
}

static const char *check_target(const lowering *l, MlirOperation convert, bool is_column_major)
{
    MlirValue result = tri_op_result(convert, 0);
    const tri_encoding *e = tri_dots_encoding(l->run->arena, result);
    tri_linear layout;
    tri_block_plan plan;
    bool is_operand = e && e->kind == TRI_ENC_DOT_OP && e->parent->kind == TRI_ENC_INTEL_DPAS;
    if (!is_operand && !(e && e->kind == TRI_ENC_LINEAR && feeds_product(result, 0)))
        return "it is not only loaded for products of the matrix unit";
    MlirType type = mlirValueGetType(result);
    bool fits = tri_dots_linear(l->run->arena, type, &layout) &&
                tri_block_plan_load(l->run->arena, l->facts, &layout, (int)tri_type_bits(tri_type_element(type)),
                                    is_column_major, is_operand && e->dot_op.op_idx == 1, &plan);
    return fits ? NULL : "no message fills the registers of its layout";
}

/* All users, through transpositions, as targets; null when each is one. */
static const char *collect_targets(const lowering *l, MlirValue value, bool is_column_major, block *out)
{
    const char *why = mlirOpOperandIsNull(mlirValueGetFirstUse(value)) ? "nothing reads it" : NULL;
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !why && !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (tri_op_is(user, "tt.trans")) {
            why = collect_targets(l, tri_op_result(user, 0), !is_column_major, out);
            continue;
        }
        why = tri_op_is(user, "ttg.convert_layout") ? check_target(l, user, is_column_major)
                                                    : "it is not only loaded for products of the matrix unit";
        target t = {user, is_column_major};
        tri_vec_push(l->run->arena, &out->targets, t);
    }
    return why;
}

static const char *match_load(const lowering *l, tri_pointers *pointers, MlirOperation load, block *out)
{
    *out = (block){0};
    const char *why = tri_surface_find(l->run->arena, pointers, load, &out->surface);
    bool is_never;
    if (why)
        return why;
    why = collect_targets(l, tri_op_result(load, 0), out->surface.dim[1] == 0, out);
    out->is_checked = !tri_surface_needs_check(&out->surface, &is_never);
    return why ? why : is_never ? "its rows are too short, or the matrix is too large" : NULL;
}

static bool is_candidate(MlirOperation load)
{
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    return tri_type_is_tensor(type) && tri_type_rank(type) == 2;
}

/* ---- rewriting ---- */

static void set_surface(MlirOperation op, const char *word)
{
    MlirContext context = mlirOperationGetContext(op);
    tri_builder_set_attr(op, "tritcc.surface", tri_attr_str(context, word, strlen(word)));
}

static void rewrite_load(const lowering *l, block *k)
{
    tri_builder b = tri_builder_before(k->surface.op);
    MlirValue operands[TRI_SURFACE_OPERANDS];
    tri_surface_emit(&k->surface, &b, operands);
    for (size_t i = 0; i < k->targets.len; i++) {
        MlirType type = mlirValueGetType(tri_op_result(k->targets.at[i].convert, 0));
        tri_attr attr = {"memory_layout", tri_attr_i32(b.context, k->targets.at[i].is_column_major)};
        MlirOperation made = tri_builder_create(&b, &(tri_op){.name = "ttig.2d_block_load",
                                                              .num_operands = TRI_SURFACE_OPERANDS,
                                                              .operands = operands,
                                                              .num_results = 1,
                                                              .results = &type,
                                                              .num_attrs = 1,
                                                              .attrs = &attr});
        if (k->is_checked)
            set_surface(made, "checked");
        MlirValue value = tri_op_result(made, 0);
        tri_op_replace(k->targets.at[i].convert, 1, &value);
        tri_vec_push(l->run->arena, &k->made, made);
    }
}

/* ---- stores ---- */

/* What a store converts from the layout of a product's sums; null: it does not. */
static MlirValue find_sums(const lowering *l, MlirOperation store)
{
    MlirOperation convert = tri_op_def(tri_op_operand(store, 1));
    MlirValue none = {NULL};
    tri_linear layout;
    tri_block_plan plan;
    if (!tri_op_is(convert, "ttg.convert_layout") || tri_type_rank(mlirValueGetType(tri_op_result(convert, 0))) != 2)
        return none;
    MlirValue sums = tri_op_operand(convert, 0);
    MlirType type = mlirValueGetType(sums);
    const tri_encoding *e = tri_dots_encoding(l->run->arena, sums);
    return e && e->kind == TRI_ENC_INTEL_DPAS && tri_dots_linear(l->run->arena, type, &layout) &&
                   tri_block_plan_store(l->run->arena, &layout, (int)tri_type_bits(tri_type_element(type)), &plan)
               ? sums
               : none;
}

/* From where the sums are to memory, without the way through shared memory. */
static void rewrite_store(const tri_surface *s, MlirValue sums)
{
    tri_builder b = tri_builder_before(s->op);
    MlirValue operands[TRI_SURFACE_OPERANDS + 1];
    tri_surface_emit(s, &b, operands);
    operands[TRI_SURFACE_OPERANDS] = sums;
    tri_builder_create(&b, &(tri_op){.name = "ttig.2d_block_store",
                                     .num_operands = TRI_SURFACE_OPERANDS + 1,
                                     .operands = operands});
    tri_op_replace(s->op, 0, NULL);
}

static void visit_stores(const lowering *l, MlirOperation func)
{
    tri_diag *diag = l->run->unit->diag;
    tri_pointers *pointers = tri_pointers_create(l->run->arena);
    tri_op_list stores = {0};
    tri_op_collect_named(func, "tt.store", l->run->arena, &stores);
    for (size_t i = 0; i < stores.len; i++) {
        tri_surface surface;
        MlirValue sums = find_sums(l, stores.at[i]);
        if (mlirValueIsNull(sums))
            continue;
        const char *why = tri_surface_find(l->run->arena, pointers, stores.at[i], &surface);
        tri_span at = tri_op_span(diag, stores.at[i]);
        if (!why && surface.dim[1] == 0)
            why = "its columns lie side by side in memory";
        if (why) {
            tri_diag_missed(diag, at, "block-io", "the store goes by elements: %s", why);
            continue;
        }
        tri_diag_remark(diag, at, "block-io", "the store is made of blocks");
        rewrite_store(&surface, sums);
    }
}

/* ---- loops in two versions ---- */

static bool is_asked_outside(const block *k, MlirOperation loop)
{
    return !k->is_checked && mlirOperationEqual(k->surface.outer, loop) &&
           !mlirOperationEqual(k->surface.op, loop) && tri_surface_is_outside(&k->surface);
}

/* What was asked holds on the first side. */
static void answer(tri_arena *arena, MlirOperation side, const char *word)
{
    tri_op_list ops = {0};
    tri_op_collect_named(side, "ttig.2d_block_load", arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        if (tri_str_is(tri_op_string(ops.at[i], "tritcc.surface"), "asked"))
            set_surface(ops.at[i], word);
}

/* A branch in whose place the loop stood; each side has a copy. */
static void branch_on(tri_arena *arena, MlirValue condition, MlirOperation loop)
{
    static const char *const words[] = {"checked", "elements"};
    intptr_t n = mlirOperationGetNumResults(loop);
    MlirType *types = TRI_NEW_ARRAY(arena, MlirType, n + 1);
    MlirValue *results = TRI_NEW_ARRAY(arena, MlirValue, n + 1);
    MlirRegion regions[2];
    tri_builder b = tri_builder_before(loop);
    for (intptr_t i = 0; i < n; i++)
        types[i] = mlirValueGetType(tri_op_result(loop, i));
    for (int i = 0; i < 2; i++) {
        MlirBlock block = mlirBlockCreate(0, NULL, NULL);
        tri_builder at = tri_builder_at_end(block, b.loc);
        MlirOperation copy = tri_op_clone(&at, loop, 0, NULL, NULL);
        answer(arena, copy, words[i]);
        tri_slices_cut(arena, copy, i ? TRI_SLICES_ALWAYS : TRI_SLICES_OF_TWO_WAYS);
        for (intptr_t r = 0; r < n; r++)
            results[r] = tri_op_result(copy, r);
        tri_builder_create(&at, &(tri_op){.name = "scf.yield", .num_operands = n, .operands = results});
        regions[i] = mlirRegionCreate();
        mlirRegionAppendOwnedBlock(regions[i], block);
    }
    MlirOperation branch = tri_builder_create(&b, &(tri_op){.name = "scf.if",
                                                            .num_operands = 1,
                                                            .operands = &condition,
                                                            .num_results = n,
                                                            .results = types,
                                                            .num_regions = 2,
                                                            .regions = regions});
    for (intptr_t r = 0; r < n; r++)
        results[r] = tri_op_result(branch, r);
    tri_op_replace(loop, n, results);
}

/* Asks in front of the loop around the first of these blocks that has something to ask, for all in that loop. Null:
 * there is nothing to ask of it there. */
static MlirValue ask_once(block_list *blocks, size_t first)
{
    MlirOperation loop = blocks->at[first].surface.outer;
    MlirValue condition = {NULL};
    for (size_t i = first; i < blocks->len; i++) {
        block *k = &blocks->at[i];
        if (!is_asked_outside(k, loop))
            continue;
        tri_builder b = tri_builder_before(loop);
        MlirValue one = tri_surface_check(&k->surface, &b);
        condition = mlirValueIsNull(condition)
                        ? one
                        : tri_builder_binary(&b, "arith.andi", mlirValueGetType(one), condition, one);
        for (size_t m = 0; m < k->made.len; m++)
            set_surface(k->made.at[m], "asked");
        k->is_checked = true;
    }
    return condition;
}

/* ---- the function ---- */

static void visit_function(const lowering *l, MlirOperation func)
{
    tri_diag *diag = l->run->unit->diag;
    tri_pointers *pointers = tri_pointers_create(l->run->arena);
    tri_op_list loads = {0};
    block_list blocks = {0};
    tri_op_collect_named(func, "tt.load", l->run->arena, &loads);
    for (size_t i = 0; i < loads.len; i++) {
        block k;
        if (!is_candidate(loads.at[i]))
            continue;
        const char *why = match_load(l, pointers, loads.at[i], &k);
        tri_span at = tri_op_span(diag, loads.at[i]);
        if (!why)
            tri_vec_push(l->run->arena, &blocks, k);
        if (!why)
            tri_diag_remark(diag, at, "block-io", "the load is made of blocks");
        else if (feeds_product(tri_op_result(loads.at[i], 0), 0))
            tri_diag_missed(diag, at, "block-io", "the load goes by elements: %s", why);
    }
    for (size_t i = 0; i < blocks.len; i++)
        rewrite_load(l, &blocks.at[i]);
    MlirValue *conditions = TRI_NEW_ARRAY(l->run->arena, MlirValue, blocks.len + 1);
    for (size_t i = 0; i < blocks.len; i++)
        conditions[i] = ask_once(&blocks, i);
    for (size_t i = 0; i < blocks.len; i++)
        if (!mlirValueIsNull(conditions[i]))
            branch_on(l->run->arena, conditions[i], blocks.at[i].surface.outer);
    tri_slices_cut(l->run->arena, func, TRI_SLICES_WHERE_FULL);
}

static bool run_lower_to_2d_block_load(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    lowering l = {run, tri_machines_of(module)};
    tri_op_list funcs = {0};
    if (!l.facts->has_block_loads)
        return true;
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        visit_function(&l, funcs.at[i]);
        visit_stores(&l, funcs.at[i]);
    }
    tri_op_erase_dead(module);
    return true;
}

const tri_pass tri_pass_lower_to_2d_block_load = {
    .name = "lower-to-2d-block-load",
    .help = "load operands of Intel's matrix units as blocks",
    .alias = "tritonintelgpu-lower-to-2d-block-load",
    .run = run_lower_to_2d_block_load,
};
