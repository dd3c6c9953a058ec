/* Blocks that products load through pointers, and store, become blocks of tensor descriptors, which travel by bulk
 * copies.
 *
 *     %p = a + (m + range)[:, None] * stride + range[None, :]      %d = tt.make_tensor_descriptor a, [M, K], [stride,
 * 1] scf.for %i = 0 to %n step 1 iter_args(%q = %p) {             scf.for %i = 0 to %n step 1 { %x = tt.load %q,
 * range[None, :] < K - %i * 64, 0             %x = tt.descriptor_load %d[m, %i * 64] use(%x) ; yield %q + 64 use(%x) }
 * }
 *
 * Needs: ttir, before layouts. Loads that feed products of warp groups in loops, with an option also what a
 * loop of two such products reads each time, and stores of what such kernels compute. The analysis of pointers
 * (ir/analysis/pointers.h) must show a window of a tensor with a base, strides and bounds that do not change in the
 * loops, all multiples of 16 bytes as far as types and -sig say; elements that the mask leaves out read as zero.
 * Memory that is loaded must not be written before by this kernel, nor what is stored be read behind, and atomics,
 * which order programs, stay away: bulk copies are not ordered with other accesses. Rows taken modulo the matrix'
 * size: passes/analysis/wrapped.c. A remark of group "tma" says for each of these accesses whether it is one, or why
 * not. Upstream has no such pass. Test: tests/passes/auto-tma.mlir */
#include "passes/ttir/auto_tma/auto_tma.h"

#include "ir/type.h"

enum { GROUP = 4, GROUP_ROWS = 64, FEW_COLUMNS = 8 };

/* ---- what is worth it ---- */

static bool is_loop(MlirOperation op) { return tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while"); }

static MlirOperation loop_around(MlirOperation op)
{
    do
        op = mlirOperationGetParentOperation(op);
    while (!mlirOperationIsNull(op) && !is_loop(op));
    return op;
}

static int inner_of(const tri_access *access)
{
    for (int d = access->form.reason ? 0 : access->form.rank; d-- > 0;)
        if (tri_sum_is(access->form.dim[d].stride, 1))
            return d;
    return -1;
}

/* Whether an operand is loaded, and runs along K in memory. */
static bool is_along_k(tri_auto_tma *t, MlirOperation dot, intptr_t operand)
{
    MlirOperation def = tri_op_def(tri_op_operand(dot, operand));
    int depth = operand == 0;
    for (; !mlirOperationIsNull(def) && tri_op_is(def, "tt.trans"); def = tri_op_def(tri_op_operand(def, 0)))
        depth = 1 - depth;
    if (mlirOperationIsNull(def) || tri_op_is(def, "tt.descriptor_load"))
        return !mlirOperationIsNull(def) && depth == 1;
    tri_access access;
    if (!tri_op_is(def, "tt.load"))
        return false;
    tri_pointers_access(t->pointers, def, &access);
    return inner_of(&access) == depth;
}

/* A product that warp groups can do with operand `operand` as it lies in memory. Bytes and words that do not run along
 * K come from registers there, for one operand (accelerate_matmul/turned.c). Where single warps multiply, they wait for
 * bulk copies longer than for their own (H200, tf32 8192, row-major B: 146 against 194 TFLOP/s). */
static bool is_worth_product(tri_auto_tma *t, MlirOperation dot, intptr_t operand, bool runs_along_k)
{
    MlirType type = mlirValueGetType(tri_op_result(dot, 0)),
             element = tri_type_element(mlirValueGetType(tri_op_operand(dot, operand)));
    unsigned bits = tri_type_bits(element);
    if (operand > 1 || tri_type_rank(type) != 2)
        return false;
    int64_t rows = tri_type_dim(type, 0), columns = tri_type_dim(type, 1);
    bool fits = rows % GROUP_ROWS == 0 && columns % FEW_COLUMNS == 0;
    if (bits == 16 || (bits == 8 && runs_along_k && fits))
        return fits;
    bool can_swap = tri_passes_option_int(t->run, "swap", 1) != 0 && (bits == 8 || bits == 32);
    bool other_along_k = is_along_k(t, dot, 1 - operand);
    if (!can_swap || (bits == 32 && tri_op_int(dot, "inputPrecision", 0) != 0))
        return false;
    if (runs_along_k && other_along_k)
        return fits;
    bool is_first = runs_along_k ? operand == 1 : operand == 0; /* the one from registers */
    return (runs_along_k || other_along_k) && (is_first ? rows : columns) % GROUP_ROWS == 0 &&
           (is_first ? columns : rows) % FEW_COLUMNS == 0;
}

/* Whether the loaded block, turned or not, is an operand of such products and of no others. `inner`: the dimension
 * along which its neighbours in memory lie. */
static bool feeds_products(tri_auto_tma *t, MlirValue value, int inner)
{
    bool feeds = false;
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        intptr_t operand = mlirOpOperandGetOperandNumber(use);
        if (tri_op_is(user, "tt.trans") && tri_type_rank(mlirValueGetType(value)) == 2)
            feeds |= feeds_products(t, tri_op_result(user, 0), 1 - inner);
        else if (tri_op_is(user, "tt.dot") && !is_worth_product(t, user, operand, inner == 1 - operand))
            return false;
        else
            feeds |= tri_op_is(user, "tt.dot");
    }
    return feeds;
}

/* Loops of more than two products, as those of backward attention, lose 10 % where all warps wait for bulk copies
 * instead of their own (H200: 322 against 356 TFLOP/s). A warp of its own starts them where all loads of such loops go
 * through maps, those of sums of rows, too (434 then, against 410 with pointers). */
static int products_in(MlirOperation loop)
{
    int products = 0;
    if (!tri_op_is(loop, "scf.for"))
        return 0;
    for (MlirOperation i = mlirBlockGetFirstOperation(tri_op_body(loop, 0)); !mlirOperationIsNull(i);
         i = mlirOperationGetNextInBlock(i))
        products += tri_op_is(i, "tt.dot");
    return products;
}

static bool has_many_products(MlirOperation loop)
{
    enum { MOST = 2 };
    return products_in(loop) > MOST;
}

static int64_t sums_of(tri_auto_tma *t, MlirOperation loop)
{
    enum { lanes = 32 };
    int64_t sums = 0, warps = tri_passes_option_int(t->run, "num-warps", GROUP);
    for (MlirOperation i = mlirBlockGetFirstOperation(tri_op_body(loop, 0)); !mlirOperationIsNull(i);
         i = mlirOperationGetNextInBlock(i))
        if (tri_op_is(i, "tt.dot"))
            sums += tri_type_num_elements(mlirValueGetType(tri_op_result(i, 0))) / (warps * lanes);
    return sums;
}

/* Whether the loop goes on where another one with many products ends, with nothing between them but arithmetic: then
 * their loads share buffers, which the warp fills ahead for this one. */
static bool goes_on(MlirOperation loop)
{
    for (MlirOperation op = tri_op_previous(loop); !mlirOperationIsNull(op); op = tri_op_previous(op)) {
        if (has_many_products(op))
            return true;
        if (mlirOperationGetNumRegions(op) || !tri_op_is_pure(op))
            return false;
    }
    return false;
}

/* Whether a warp for loads gains in a kernel with loops of many products, as backward attention has (H200). It does
 * where threads of one loop hold so many sums that fewer than three blocks of four warps share a multiprocessor
 * anyway: where three do, it makes them two (blocks of 32 x 64: 10 % slower, 64 x 64: 6 % faster). Where masked
 * loops stand in front of others and share their buffers, blocks with few sums gain (64 x 128 by 8 warps: 7 %, 64 x 64
 * by 4: 5 %; 128 x 128, with more sums, loses 11). Loops that begin with empty buffers, four in all, lose where loads
 * would be two iterations ahead without it. */
static bool gains_by_warp(tri_auto_tma *t)
{
    enum { few = 96, many = 128, few_loops = 2, two_stages = 2 };
    int64_t most = 0;
    int loops = 0, starts = 0;
    for (size_t i = 0; i < t->ops.len; i++) {
        if (!has_many_products(t->ops.at[i]))
            continue;
        int64_t sums = sums_of(t, t->ops.at[i]);
        most = sums > most ? sums : most;
        loops++;
        starts += !goes_on(t->ops.at[i]);
    }
    bool has_groups = tri_passes_option_int(t->run, "num-warps", GROUP) > GROUP;
    bool is_short = tri_passes_option_int(t->run, "num-stages", two_stages + 1) <= two_stages;
    if (loops <= few_loops)
        return has_groups || most > few;
    return (has_groups && is_short) || (starts <= few_loops && most <= many);
}

static bool is_asked(tri_auto_tma *t, MlirOperation op)
{
    int64_t which = tri_passes_option_int(t->run, "many-products", 0);
    return which > 1 || tri_op_flag(loop_around(op), "tt.warp_specialize") || (which && gains_by_warp(t));
}

static bool is_in_many(MlirOperation op) { return has_many_products(loop_around(op)); }

/* A branch with a product in it, as a loop becomes that runs at most once. */
static bool is_branch_of_product(tri_auto_tma *t, MlirOperation op)
{
    tri_op_list dots = {0};
    if (tri_op_is(op, "scf.if"))
        tri_op_collect_named(op, "tt.dot", t->run->arena, &dots);
    return dots.len > 0;
}

/* What comes of products, through arithmetic, loops and branches. */
static bool is_of_product(tri_auto_tma *t, MlirValue value, int depth)
{
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op) || depth > 12)
        return false;
    if (tri_op_is(op, "tt.dot") || tri_op_is(op, "scf.for") || is_branch_of_product(t, op))
        return true;
    if (mlirOperationGetNumRegions(op) || !tri_op_is_pure(op))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, i))) &&
            is_of_product(t, tri_op_operand(op, i), depth + 1))
            return true;
    return false;
}

/* ---- order ---- */

/* The parameter that an access goes through; null when it is not known. */
static MlirValue root_of(tri_auto_tma *t, MlirOperation op)
{
    const char *why;
    MlirValue culprit, from = tri_op_operand(op, 0);
    MlirOperation def = tri_op_def(from);
    if (tri_type_is_desc(mlirValueGetType(from)))
        return !mlirOperationIsNull(def) && tri_op_is(def, "tt.make_tensor_descriptor")
                   ? tri_pointers_root(t->pointers, tri_op_operand(def, 0), &why, &culprit)
                   : (MlirValue){NULL};
    return tri_pointers_root(t->pointers, from, &why, &culprit);
}

static bool shares_loop(MlirOperation a, MlirOperation b)
{
    for (MlirOperation x = loop_around(a); !mlirOperationIsNull(x); x = loop_around(x))
        for (MlirOperation y = loop_around(b); !mlirOperationIsNull(y); y = loop_around(y))
            if (mlirOperationEqual(x, y))
                return true;
    return false;
}

static bool is_harmless(MlirOperation op)
{
    return mlirOperationGetNumRegions(op) || !tri_op_has_effects(op) || tri_op_is(op, "scf.yield") ||
           tri_op_is(op, "tt.return") || tri_op_is(op, "tt.print") || tri_op_is(op, "tt.assert") ||
           tri_op_is(op, "scf.condition");
}

/* Whether `other` must stay in order with the access: `comes_first` says where it stands. */
static const char *why_ordered(tri_auto_tma *t, const tri_auto_tma_plan *p, MlirOperation other, bool comes_first)
{
    bool is_store = tri_op_is(p->op, "tt.store"), is_around = shares_loop(other, p->op);
    bool reads = tri_op_is(other, "tt.load") || tri_op_is(other, "tt.descriptor_load") ||
                 tri_op_is(other, "tt.descriptor_gather");
    bool writes = tri_op_is(other, "tt.store") || tri_op_is(other, "tt.descriptor_store");
    if (is_harmless(other) || (reads && !is_store) || (!is_around && comes_first == is_store && !(writes && is_store)))
        return NULL;
    if (!reads && !writes)
        return "the kernel has atomics or other effects that order memory";
    MlirValue root = root_of(t, other);
    if (!mlirValueIsNull(root) && !mlirValueEqual(root, p->access.form.base))
        return NULL;
    return is_store ? "the kernel accesses the same parameter elsewhere"
                    : "the kernel may have written the memory before";
}

static const char *check_order(tri_auto_tma *t, const tri_auto_tma_plan *p)
{
    bool comes_first = true;
    for (size_t i = 0; i < t->ops.len; i++) {
        if (mlirOperationEqual(t->ops.at[i], p->op)) {
            comes_first = false;
            continue;
        }
        const char *why = why_ordered(t, p, t->ops.at[i], comes_first);
        if (why)
            return why;
    }
    return NULL;
}

/* ---- the function ---- */

typedef TRI_VEC(tri_auto_tma_plan) plan_list;

static bool is_worth(tri_auto_tma *t, MlirOperation op, bool has_loads)
{
    tri_access access;
    if (tri_op_is(op, "tt.store"))
        return has_loads && tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, 1))) &&
               tri_type_rank(mlirValueGetType(tri_op_operand(op, 1))) > 1 && is_of_product(t, tri_op_operand(op, 1), 0);
    MlirType type = mlirValueGetType(tri_op_result(op, 0));
    if (mlirOperationIsNull(loop_around(op)) || !tri_type_is_tensor(type))
        return false;
    if (tri_type_rank(type) == 1 && is_in_many(op))
        return true;
    if (tri_type_rank(type) != 2)
        return false;
    tri_pointers_access(t->pointers, op, &access);
    int inner = inner_of(&access); /* when nobody knows, 16 bits can be of use, and a remark says why they are not */
    return feeds_products(t, tri_op_result(op, 0), inner < 0 ? 0 : inner) ||
           (inner < 0 && feeds_products(t, tri_op_result(op, 0), 1));
}

/* Whether a value's uses are first operands of products of loops that have two, whose other loads go through maps. */
static bool is_kept_by_pairs(MlirValue value, const plan_list *plans)
{
    enum { PAIR = 2 };
    bool is_used = false;
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation dot = mlirOpOperandGetOwner(use), loop = loop_around(dot);
        if (!tri_op_is(dot, "tt.dot") || mlirOpOperandGetOperandNumber(use) != 0 || mlirOperationIsNull(loop) ||
            products_in(loop) != PAIR)
            return false;
        int loads = 0;
        for (size_t i = 0; i < plans->len; i++)
            loads += mlirOperationEqual(loop_around(plans->at[i].op), loop);
        is_used = loads == PAIR;
        if (!is_used)
            return false;
    }
    return is_used;
}

/* What a kernel loads once, as attention's queries: where it is a block of a map, programs can go through the grid
 * (persistent-programs). */
static bool is_worth_once(tri_auto_tma *t, MlirOperation op, const plan_list *plans)
{
    MlirValue value = tri_op_result(op, 0);
    MlirType type = mlirValueGetType(value);
    tri_access access;
    if (!mlirOperationIsNull(loop_around(op)) || !tri_type_is_tensor(type) || tri_type_rank(type) != 2 ||
        !is_kept_by_pairs(value, plans))
        return false;
    tri_pointers_access(t->pointers, op, &access);
    return feeds_products(t, value, inner_of(&access));
}

static void say_why_not(tri_auto_tma *t, MlirOperation op, const char *why)
{
    tri_diag *diag = t->run->unit->diag;
    tri_diag_missed(diag, tri_op_span(diag, op), "tma", "the %s goes through pointers: %s",
                    tri_op_is(op, "tt.load") ? "load" : "store", why);
}

/* Whether what is loaded comes to a product, through arithmetic and changes of shape. */
static bool comes_to_product(MlirValue value, int depth)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); depth && !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        bool is_step =
            !mlirOperationGetNumRegions(user) && mlirOperationGetNumResults(user) == 1 && tri_op_is_pure(user);
        if ((tri_op_is(user, "tt.dot") && mlirOpOperandGetOperandNumber(use) < 2) ||
            (is_step && !tri_op_is(user, "tt.dot") && comes_to_product(tri_op_result(user, 0), depth - 1)))
            return true;
    }
    return false;
}

static bool is_operand(MlirValue value)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (tri_op_is(user, "tt.dot") || (tri_op_is(user, "tt.trans") && is_operand(tri_op_result(user, 0))))
            return true;
    }
    return false;
}

/* Says of a load in a loop that comes to a product why it is left alone; of others there is nothing to say. */
static void say_why_unworthy(tri_auto_tma *t, MlirOperation op)
{
    enum { steps = 12 };
    MlirValue value = tri_op_result(op, 0);
    MlirType type = mlirValueGetType(value);
    if (mlirOperationIsNull(loop_around(op)) || !tri_type_is_tensor(type) || tri_type_rank(type) != 2 ||
        !comes_to_product(value, steps))
        return;
    say_why_not(t, op, is_operand(value) ? "warp groups do not take this product's operands from memory as they lie"
                                         : "what it loads is changed on its way to a product");
}

static void visit_access(tri_auto_tma *t, MlirOperation op, plan_list *plans)
{
    tri_auto_tma_plan plan;
    const char *why = tri_auto_tma_find(t, op, &plan);
    why = why ? why : check_order(t, &plan);
    if (why)
        say_why_not(t, op, why);
    else
        tri_vec_push(t->run->arena, plans, plan);
}

static bool has_plan(const plan_list *plans, MlirOperation op)
{
    for (size_t i = 0; i < plans->len; i++)
        if (mlirOperationEqual(plans->at[i].op, op))
            return true;
    return false;
}

/* Whether a warp of its own can start all loads of loops with many products. */
static bool are_many_whole(tri_auto_tma *t, const plan_list *plans)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (tri_op_is(t->ops.at[i], "tt.load") && is_in_many(t->ops.at[i]) &&
            (!has_plan(plans, t->ops.at[i]) || !is_asked(t, t->ops.at[i])))
            return false;
    return true;
}

static void drop_many(tri_auto_tma *t, plan_list *plans)
{
    size_t kept = 0;
    for (size_t i = 0; i < plans->len; i++)
        if (!is_in_many(plans->at[i].op))
            plans->at[kept++] = plans->at[i];
        else if (tri_type_rank(mlirValueGetType(tri_op_result(plans->at[i].op, 0))) > 1)
            say_why_not(t, plans->at[i].op,
                        "its loop has more than two products and no warp of its own for all its loads "
                        "(-fwarp-specialize)");
    plans->len = kept;
}

static bool has_descriptor_loads(const tri_auto_tma *t)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (tri_op_is(t->ops.at[i], "tt.descriptor_load"))
            return true;
    return false;
}

static void visit_kernel(tri_pass_run *run, MlirOperation func)
{
    tri_auto_tma t = {.run = run, .pointers = tri_pointers_create(run->arena)};
    tri_diag *diag = run->unit->diag;
    plan_list plans = {0};
    t.sums = tri_pointers_sums(t.pointers);
    tri_op_collect(func, run->arena, &t.ops);
    for (size_t i = 0; i < t.ops.len; i++)
        if (tri_op_is(t.ops.at[i], "tt.load") && is_worth(&t, t.ops.at[i], false))
            visit_access(&t, t.ops.at[i], &plans);
        else if (tri_op_is(t.ops.at[i], "tt.load"))
            say_why_unworthy(&t, t.ops.at[i]);
    if (!are_many_whole(&t, &plans))
        drop_many(&t, &plans);
    bool has_loads = plans.len || has_descriptor_loads(&t);
    bool takes_once = tri_passes_option_int(run, "once", 0) != 0;
    for (size_t i = 0, in_loops = plans.len; i < t.ops.len && in_loops && takes_once; i++)
        if (tri_op_is(t.ops.at[i], "tt.load") && is_worth_once(&t, t.ops.at[i], &plans))
            visit_access(&t, t.ops.at[i], &plans);
    for (size_t i = 0; i < t.ops.len; i++)
        if (tri_op_is(t.ops.at[i], "tt.store") && is_worth(&t, t.ops.at[i], has_loads))
            visit_access(&t, t.ops.at[i], &plans);
    for (size_t i = 0; i < plans.len; i++) {
        tri_diag_remark(diag, tri_op_span(diag, plans.at[i].op), "tma", "the %s goes through a tensor map",
                        tri_op_is(plans.at[i].op, "tt.load") ? "load" : "store");
        tri_auto_tma_rewrite(&plans.at[i]);
    }
}

static bool run_auto_tma(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    if (tri_passes_option_int(run, "num-warps", GROUP) % GROUP)
        return true;
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        if (tri_op_is_kernel(funcs.at[i]))
            visit_kernel(run, funcs.at[i]);
    return true;
}

static const char *const options[] = {
    "num-warps=N: that the kernel will have; products of warp groups need multiples of 4 (4)",
    "num-stages=N: of the loops that stay without a warp for loads (3)",
    "many-products=N: of loops with more than two products that ask for no warp of their own, 1 takes those of kernels "
    "that gain by it, 2 all (0)",
    "once=N: 1 takes what loops of two products read each time, too (0)",
    "swap=N: 0 when accelerate-matmul takes no operand out of registers for its place in memory (1)", NULL};

const tri_pass tri_pass_auto_tma = {
    .name = "auto-tma",
    .help = "let blocks that products load and store through pointers travel by bulk copies",
    .options = options,
    .run = run_auto_tma,
};
