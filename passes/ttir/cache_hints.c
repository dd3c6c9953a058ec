/* Blocks that a program reads more than once stay in the first level of the cache; what it writes does not go there.
 *
 *     for ...: sum += load(x + i)                      load(x + i) {tritcc.l1 = 1}
 *     for ...: var += (load(x + i) - mean)**2    ->    load(x + i) {tritcc.l1 = 1}
 *     for ...: store(y + i, norm(load(x + i)))         load(x + i) ; store {tritcc.l1 = 2}
 *
 * The hints (ir/hints.h) are of the first level alone: what the next kernel finds in the second is as
 * before. One H200, layer norms of 8,192 and 8,000 halves by 4 warps: 1.6 to 3 % and 2 to 8 % with both. Of loads and
 * stores for which the source says something it alone counts.
 *
 * Needs: ttir in front of remove-masks, which doubles loops. Upstream has no such pass.
 * Test: tests/passes/cache-hints.mlir */
#include "passes/passes.h"

#include "ir/analysis/pointers.h"
#include "ir/builder.h"
#include "ir/hints.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/loads.h"

enum { PLAIN = 1 /* of tt's modifiers */ };

static bool is_plain(MlirOperation op, intptr_t block)
{
    return tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, block))) && !tri_op_flag(op, "isVolatile") &&
           tri_op_int(op, "cache", PLAIN) == PLAIN && tri_op_int(op, "evict", PLAIN) == PLAIN;
}

static void set_hint(tri_pass_run *run, MlirOperation op, int hint)
{
    tri_builder_set_attr(op, TRI_HINT_L1, tri_attr_i32(run->unit->mlir, hint));
}

/* Whether one of the loads behind number `i` reads the same block. */
static bool is_read_again(const tri_op_list *loads, size_t i)
{
    for (size_t k = i + 1; k < loads->len; k++)
        if (tri_loads_is_same_block(loads->at[i], loads->at[k]))
            return true;
    return false;
}

/* Whether the store goes to memory from which no load of a block takes. */
static bool is_elsewhere(tri_pointers *pointers, MlirOperation store, const tri_op_list *loads)
{
    const char *why;
    MlirValue culprit, to = tri_pointers_root(pointers, tri_op_operand(store, 0), &why, &culprit);
    for (size_t i = 0; i < loads->len; i++)
        if (mlirValueIsNull(to) ||
            mlirValueEqual(to, tri_pointers_root(pointers, tri_op_operand(loads->at[i], 0), &why, &culprit)))
            return false;
    return true;
}

static void visit_func(tri_pass_run *run, MlirOperation func)
{
    tri_op_list all = {0}, loads = {0}, stores = {0};
    bool is_any = false;
    tri_op_collect_named(func, "tt.load", run->arena, &all);
    for (size_t i = 0; i < all.len; i++)
        if (is_plain(all.at[i], 0))
            tri_vec_push(run->arena, &loads, all.at[i]);
    for (size_t i = 0; i < loads.len; i++)
        if (is_read_again(&loads, i)) {
            set_hint(run, loads.at[i], TRI_HINT_KEEP);
            is_any = true;
        }
    if (!is_any)
        return;
    tri_pointers *pointers = tri_pointers_create(run->arena);
    tri_op_collect_named(func, "tt.store", run->arena, &stores);
    for (size_t i = 0; i < stores.len; i++)
        if (is_plain(stores.at[i], 1) && is_elsewhere(pointers, stores.at[i], &all))
            set_hint(run, stores.at[i], TRI_HINT_PASS);
}

static bool run_cache_hints(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        visit_func(run, funcs.at[i]);
    return true;
}

const tri_pass tri_pass_cache_hints = {
    .name = "cache-hints",
    .help = "keep blocks that are read again in the first level of the cache",
    .run = run_cache_hints,
};
