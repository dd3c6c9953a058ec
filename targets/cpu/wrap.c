/* Indices that wrap around: `(p + arange) % n` and other blocks whose elements are neighbours by runs.
 *
 * A chunk of lanes that lies inside one run is its first lane plus 0, 1, 2, ..., so an access stays one of neighbours.
 * The lengths of runs come from ir/analysis/axis_info: from hints of the arguments, and from tl.max_contiguous, which
 * is believed. Where nothing is known, the nest is made twice, and one test at run time picks: `%` changes nothing in
 * the block at all, or it does and is computed for each lane.
 *
 * A block of pointers whose rows shall be evenly apart (dot_direct.c) may be of any one turn: where x / n is the same
 * for all of it, x / n is that number and x % n is x less n times that.
 *
 * A signed remainder of a negative number is not one run, whatever divides it. Where the number may be negative the
 * nest is made twice too, the second time for single elements. */
#include "targets/cpu/cpu.h"

enum { max_depth = 16 };

static bool is_div(MlirOperation op) { return tri_op_is(op, "arith.divsi") || tri_op_is(op, "arith.divui"); }

static bool is_rem(MlirOperation op) { return tri_op_is(op, "arith.remsi") || tri_op_is(op, "arith.remui"); }

/* ---- signs ---- */

static bool is_never_negative(MlirValue value, int depth);

static bool all_operands_are(MlirOperation op, intptr_t first, intptr_t end, int depth)
{
    for (intptr_t i = first; i < end; i++)
        if (!is_never_negative(tri_op_operand(op, i), depth + 1))
            return false;
    return true;
}

/* tl.assume(value >= 0), or > -1 or more. */
static bool is_assumed(MlirValue value)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation compare = mlirOpOperandGetOwner(use);
        int64_t c, predicate = tri_op_is(compare, "arith.cmpi") ? tri_op_int(compare, "predicate", 0) : -1;
        bool is_left = mlirOpOperandGetOperandNumber(use) == 0;
        if (predicate < 0 || !is_left || !tri_op_const_int(tri_op_operand(compare, 1), &c) ||
            !(predicate == 5 ? c >= 0 : predicate == 4 && c >= -1))
            continue;
        MlirOpOperand said = mlirValueGetFirstUse(tri_op_result(compare, 0));
        for (; !mlirOpOperandIsNull(said); said = mlirOpOperandGetNextUse(said))
            if (tri_op_is(mlirOpOperandGetOwner(said), "llvm.intr.assume"))
                return true;
    }
    return false;
}

static bool is_counter_from_zero(MlirValue value, int depth)
{
    MlirBlock block;
    intptr_t index;
    int64_t step;
    if (!tri_op_is_block_argument(value, &block, &index) || index != 0)
        return false;
    MlirOperation loop = mlirBlockGetParentOperation(block);
    return tri_op_is(loop, "scf.for") && tri_op_const_int(tri_op_operand(loop, 2), &step) && step > 0 &&
           is_never_negative(tri_op_operand(loop, 0), depth + 1);
}

/* Sums and products that overflow have no meaning as indices. */
static bool is_never_negative(MlirValue value, int depth)
{
    static const char *const always[] = {"tt.get_program_id", "tt.get_num_programs", "arith.extui"};
    static const char *const by_all[] = {"arith.addi",   "arith.muli",     "arith.divsi", "arith.divui",
                                         "arith.minsi",  "arith.shrsi",    "tt.splat",    "arith.extsi",
                                         "tt.broadcast", "tt.expand_dims", "arith.remui", "arith.minui"};
    int64_t c;
    MlirOperation op = tri_op_def(value);
    if (depth > max_depth)
        return false;
    if (mlirOperationIsNull(op))
        return is_counter_from_zero(value, depth) || is_assumed(value);
    if (tri_op_const_int(value, &c))
        return c >= 0;
    if (tri_op_is(op, "tt.make_range"))
        return tri_op_int(op, "start", 0) >= 0;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (tri_op_is(op, always[i]))
            return true;
    intptr_t n = mlirOperationGetNumOperands(op);
    for (size_t i = 0; i < sizeof by_all / sizeof *by_all; i++)
        if (tri_op_is(op, by_all[i]))
            return all_operands_are(op, 0, n, depth) || is_assumed(value);
    if (tri_op_is(op, "arith.remsi"))
        return all_operands_are(op, 0, 1, depth) || is_assumed(value);
    if (tri_op_is(op, "arith.select"))
        return all_operands_are(op, 1, 3, depth) || is_assumed(value);
    if (tri_op_is(op, "arith.maxsi") || tri_op_is(op, "arith.andi"))
        return all_operands_are(op, 0, 1, depth) || all_operands_are(op, 1, 2, depth) || is_assumed(value);
    return is_assumed(value);
}

/* ---- runs ---- */

/* The dimension of `tuple` along which a chunk's lanes lie, each chunk at a multiple of their number; -1: none. */
static int chunk_dim(tri_cpu_gen *g, const tri_cpu_tuple *tuple)
{
    int v = g->nest->vec_loop, vl = g->nest->vl, found = -1;
    for (int d = 0; v >= 0 && d < tuple->rank; d++) {
        const tri_cpu_index *at = &tuple->at[d];
        if (!at->coef[v])
            continue;
        if (found >= 0 || at->coef[v] != 1 || at->c % vl)
            return -1;
        for (int l = 0; l < g->nest->loop_count; l++)
            if (l != v && at->coef[l] % vl)
                return -1;
        found = d;
    }
    return vl > 1 ? found : -1;
}

typedef enum { RUN_NONE, RUN_EQUAL, RUN_NEIGHBOURS } run_kind;

/* What a chunk of the value is. */
static run_kind run_of(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple)
{
    int d = chunk_dim(g, tuple);
    if (d < 0 || !g->axes)
        return RUN_NONE;
    const tri_axis *axis = tri_axis_info_get(g->axes, value);
    if (d >= axis->rank)
        return RUN_NONE;
    int64_t vl = g->nest->vl;
    return axis->contiguity[d] >= vl && axis->contiguity[d] % vl == 0 ? RUN_NEIGHBOURS
           : axis->constancy[d] >= vl && axis->constancy[d] % vl == 0 ? RUN_EQUAL
                                                                      : RUN_NONE;
}

/* The fact about `value` that holds here, or null. */
static const tri_cpu_fact *find_fact(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple)
{
    for (size_t i = 0; i < g->nest->facts.len; i++)
        if (g->nest->facts.at[i].mask.ptr == value.ptr && g->nest->facts.at[i].tuple == tuple)
            return &g->nest->facts.at[i];
    return NULL;
}

static bool is_believed(MlirOperation op)
{
    return tri_op_is(op, "arith.remui") || !mlirAttributeIsNull(tri_op_attr(op, "tt.contiguity"));
}

/* ---- forms ---- */

static int max_level(int a, int b) { return a > b ? a : b; }

/* The form's value at the plain counters, which for a chunk is that of its first lane; moves *io_level inwards. */
static LLVMValueRef total(tri_cpu_gen *g, const tri_cpu_form *f, int *io_level)
{
    for (int l = 0; l < g->nest->loop_count; l++)
        if (f->coef[l])
            *io_level = max_level(*io_level, l + 1);
    tri_cpu_at(g, *io_level);
    LLVMValueRef sum = f->base;
    for (int l = 0; l < g->nest->loop_count; l++) {
        if (!f->coef[l])
            continue;
        LLVMValueRef iv = LLVMBuildTrunc(g->b, g->nest->loops[l].iv, LLVMTypeOf(sum), "");
        sum = LLVMBuildAdd(g->b, sum, LLVMBuildMul(g->b, iv, f->coef[l], ""), "");
    }
    return sum;
}

/* t % n; the division is left out where t is below n, as nearly always. */
static LLVMValueRef remainder_of(tri_cpu_gen *g, MlirOperation op, LLVMValueRef t, LLVMValueRef n, int level)
{
    bool is_signed = tri_op_is(op, "arith.remsi");
    LLVMTypeRef type = LLVMTypeOf(t);
    tri_cpu_at(g, level);
    if (LLVMIsConstant(n) || level == 0)
        return is_signed ? LLVMBuildSRem(g->b, t, n, "") : LLVMBuildURem(g->b, t, n, "");
    LLVMValueRef args[2] = {n, LLVMConstNull(type)};
    LLVMValueRef limit = is_signed ? tri_cpu_intrinsic(g, "llvm.smax", &type, 1, args, 2) : n;
    LLVMBasicBlockRef wrap = tri_cpu_new_block(g, "wrap"), next = tri_cpu_new_block(g, "wrapped");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b);
    tri_cpu_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, t, limit, ""), next, wrap);
    LLVMPositionBuilderAtEnd(g->b, wrap);
    LLVMValueRef rest = is_signed ? LLVMBuildSRem(g->b, t, n, "") : LLVMBuildURem(g->b, t, n, "");
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, level, next);
    LLVMValueRef phi = LLVMBuildPhi(g->b, type, "");
    LLVMAddIncoming(phi, &t, &from, 1);
    LLVMAddIncoming(phi, &rest, &wrap, 1);
    return phi;
}

/* A chunk whose first lane is `first`. */
static tri_cpu_form chunk_form(tri_cpu_gen *g, LLVMValueRef first, int level, bool is_equal)
{
    int v = g->nest->vec_loop;
    LLVMTypeRef type = LLVMTypeOf(first);
    tri_cpu_form f = {.ok = true, .base = first, .level = level, .bits = LLVMGetIntTypeWidth(type)};
    if (is_equal)
        return f;
    f.level = max_level(level, v + 1);
    tri_cpu_at(g, f.level);
    f.base = LLVMBuildSub(g->b, first, LLVMBuildTrunc(g->b, g->nest->loops[v].iv, type, ""), "");
    f.coef[v] = LLVMConstInt(type, 1, false);
    return f;
}

static bool is_flat(const tri_cpu_form *f)
{
    for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
        if (f->coef[l])
            return false;
    return true;
}

/* x - n * quotient */
static tri_cpu_form within_period(tri_cpu_gen *g, tri_cpu_form x, LLVMValueRef n, LLVMValueRef quotient)
{
    if (!quotient)
        return x;
    tri_cpu_at(g, x.level);
    LLVMValueRef q = LLVMBuildTrunc(g->b, quotient, LLVMTypeOf(n), "");
    x.base = LLVMBuildSub(g->b, x.base, LLVMBuildMul(g->b, q, n, ""), "");
    return x;
}

/* A quotient that is known to be one number. */
static tri_cpu_form div_form(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple)
{
    const tri_cpu_fact *fact = find_fact(g, value, tuple);
    tri_cpu_form f = {0};
    if (!fact || !fact->is_true)
        return f;
    f.bits = tri_cpu_type_of(g, mlirValueGetType(value)).bits;
    tri_cpu_at(g, 0);
    f.base = LLVMBuildTrunc(g->b, fact->quotient, LLVMIntTypeInContext(g->llvm, f.bits), "");
    f.ok = true;
    return f;
}

static tri_cpu_form rem_form(tri_cpu_gen *g, MlirValue value, MlirOperation op, const tri_cpu_tuple *tuple)
{
    const tri_cpu_form none = {0};
    tri_cpu_form x = tri_cpu_form_of(g, tri_op_operand(op, 0), tuple);
    tri_cpu_form n = x.ok ? tri_cpu_form_of(g, tri_op_operand(op, 1), tuple) : none;
    int v = g->nest->vec_loop;
    if (!x.ok || !n.ok || !is_flat(&n) || x.bits != n.bits)
        return none;
    bool is_chunk = v >= 0 && x.coef[v];
    const tri_cpu_fact *fact = find_fact(g, value, tuple);
    if (fact && fact->is_true)
        return within_period(g, x, n.base, fact->quotient);
    if (is_chunk && (run_of(g, value, tuple) != RUN_NEIGHBOURS || !LLVMIsAConstantInt(x.coef[v]) ||
                     LLVMConstIntGetSExtValue(x.coef[v]) != 1 ||
                     !(fact || is_believed(op) || is_never_negative(tri_op_operand(op, 0), 0))))
        return none;
    tri_cpu_val first = {.level = max_level(x.level, n.level)};
    if (!tri_cpu_first_known(g, value, tuple, &first)) { /* by rows of other addresses of the nest */
        LLVMValueRef t = total(g, &x, &first.level);
        first.v = remainder_of(g, op, t, n.base, first.level);
        tri_cpu_first_keep(g, value, tuple, first);
    }
    return chunk_form(g, first.v, first.level, !is_chunk);
}

tri_cpu_form tri_cpu_run_form(tri_cpu_gen *g, MlirValue value, MlirOperation op, const tri_cpu_tuple *tuple)
{
    const tri_cpu_form none = {0};
    tri_cpu_form quotient = is_div(op) ? div_form(g, value, tuple) : none;
    if (quotient.ok)
        return quotient;
    if (is_rem(op)) {
        tri_cpu_form f = rem_form(g, value, op, tuple);
        if (f.ok)
            return f;
        if (!is_believed(op) && !is_never_negative(tri_op_operand(op, 0), 0))
            return none;
    }
    run_kind kind = run_of(g, value, tuple);
    if (kind == RUN_NONE || tri_cpu_type_of(g, mlirValueGetType(value)).kind != TRI_CPU_INT)
        return none;
    tri_cpu_val first = tri_cpu_eval_first(g, value, tuple);
    return chunk_form(g, first.v, first.level, kind == RUN_EQUAL);
}

bool tri_cpu_eval_run(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple, tri_cpu_val *out)
{
    MlirOperation op = tri_op_def(value);
    int v = g->nest->vec_loop;
    if (v < 0 || mlirOperationIsNull(op) || !(is_div(op) || is_rem(op)))
        return false;
    bool is_unsigned = tri_op_is(op, "arith.divui") || tri_op_is(op, "arith.remui");
    run_kind kind = run_of(g, value, tuple);
    if (kind == RUN_NONE || !(is_unsigned || is_never_negative(tri_op_operand(op, 0), 0)))
        return false;
    *out = tri_cpu_eval_first(g, value, tuple);
    if (kind == RUN_EQUAL)
        return true;
    LLVMValueRef lanes[TRI_CPU_MAX_LANES], splat;
    for (int i = 0; i < g->nest->vl; i++)
        lanes[i] = LLVMConstInt(LLVMTypeOf(out->v), (uint64_t)i, false);
    tri_cpu_at(g, out->level);
    splat = tri_cpu_splat(g, out->v, g->nest->vl);
    out->v = LLVMBuildAdd(g->b, splat, LLVMConstVector(lanes, (unsigned)g->nest->vl), "");
    out->is_vec = true;
    return true;
}

/* ---- the test before a nest ---- */

enum { max_visits = 256 };

typedef struct {
    tri_cpu_gen *g;
    struct {
        const void *value;
        const tri_cpu_tuple *tuple;
    } seen[max_visits];
    int count;
    LLVMValueRef test;
    bool has_plain; /* "nothing wraps" is part of it */
    bool is_plain;  /* and nothing less will do; or everything is of one turn of n */
} visitor;

/* The least and the largest value over the whole nest, as i64. */
static void extremes(tri_cpu_gen *g, const tri_cpu_form *f, LLVMValueRef *out_lo, LLVMValueRef *out_hi)
{
    tri_cpu_at(g, 0);
    LLVMValueRef lo = LLVMBuildSExt(g->b, f->base, g->i64, ""), hi = lo;
    for (int l = 0; l < g->nest->loop_count; l++) {
        if (!f->coef[l])
            continue;
        LLVMValueRef by = LLVMBuildSExt(g->b, f->coef[l], g->i64, "");
        LLVMValueRef span = LLVMBuildMul(g->b, by, tri_cpu_i64(g, g->nest->loops[l].extent - 1), "");
        LLVMValueRef args[2] = {span, tri_cpu_i64(g, 0)};
        lo = LLVMBuildAdd(g->b, lo, tri_cpu_intrinsic(g, "llvm.smin", &g->i64, 1, args, 2), "");
        hi = LLVMBuildAdd(g->b, hi, tri_cpu_intrinsic(g, "llvm.smax", &g->i64, 1, args, 2), "");
    }
    *out_lo = lo;
    *out_hi = hi;
}

/* Adds to the test that x / n is the same for all of the nest; gives it. The divisor of the one division is no zero. */
static LLVMValueRef find_quotient(visitor *w, LLVMValueRef lo, LLVMValueRef hi, LLVMValueRef n, LLVMValueRef *io_ok)
{
    tri_cpu_gen *g = w->g;
    LLVMValueRef args[2] = {n, tri_cpu_i64(g, 1)};
    LLVMValueRef by = tri_cpu_intrinsic(g, "llvm.smax", &g->i64, 1, args, 2), q = LLVMBuildUDiv(g->b, lo, by, "");
    LLVMValueRef end = LLVMBuildMul(g->b, LLVMBuildAdd(g->b, q, tri_cpu_i64(g, 1), ""), by, "");
    *io_ok = LLVMBuildAnd(g->b, *io_ok, LLVMBuildICmp(g->b, LLVMIntSGT, n, tri_cpu_i64(g, 0), ""), "");
    *io_ok = LLVMBuildAnd(g->b, *io_ok, LLVMBuildICmp(g->b, LLVMIntSLT, hi, end, ""), "");
    w->has_plain = true;
    return q;
}

static void consider(visitor *w, MlirValue value, MlirOperation op, const tri_cpu_tuple *tuple)
{
    tri_cpu_gen *g = w->g;
    bool is_run = !w->is_plain && run_of(g, value, tuple) == RUN_NEIGHBOURS;
    if (is_run && (is_believed(op) || is_never_negative(tri_op_operand(op, 0), 0)))
        return;
    tri_cpu_form x = tri_cpu_form_of(g, tri_op_operand(op, 0), tuple);
    tri_cpu_form n = tri_cpu_form_of(g, tri_op_operand(op, 1), tuple);
    if (!x.ok || !n.ok || x.ptr || x.level > 0 || n.level > 0 || !is_flat(&n) ||
        !(x.coef[g->nest->vec_loop] || w->is_plain))
        return;
    LLVMValueRef lo, hi;
    extremes(g, &x, &lo, &hi);
    LLVMValueRef ok = LLVMBuildICmp(g->b, LLVMIntSGE, lo, tri_cpu_i64(g, 0), ""), q = NULL;
    LLVMValueRef end = LLVMBuildSExt(g->b, n.base, g->i64, "");
    if (w->is_plain) {
        q = find_quotient(w, lo, hi, end, &ok);
    } else if (!is_run) {
        ok = LLVMBuildAnd(g->b, ok, LLVMBuildICmp(g->b, LLVMIntSLT, hi, end, ""), "");
        w->has_plain = true;
    }
    w->test = w->test ? LLVMBuildAnd(g->b, w->test, ok, "") : ok;
    tri_cpu_fact fact = {value, tuple, !is_run, 0, false, q};
    tri_vec_push(g->arena, &g->nest->facts, fact);
}

static void walk(visitor *w, MlirValue value, const tri_cpu_tuple *tuple)
{
    tri_cpu_gen *g = w->g;
    if (mlirValueIsNull(value) || !tri_type_is_tensor(mlirValueGetType(value)) || w->count == max_visits)
        return;
    for (int i = 0; i < w->count; i++)
        if (w->seen[i].value == value.ptr && w->seen[i].tuple == tuple)
            return;
    w->seen[w->count].value = value.ptr;
    w->seen[w->count++].tuple = tuple;
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirOperation op = tri_op_def(value);
    if (bind && bind->kind == TRI_CPU_CARRIED) {
        walk(w, bind->init, tuple);
        return;
    }
    if (mlirOperationIsNull(op) || (bind && bind->kind != TRI_CPU_LAZY && !tri_cpu_looks_behind(g, value)))
        return;
    if (tri_cpu_is_view(op)) {
        const tri_cpu_tuple *inner = tri_cpu_view_index(g, op, tuple);
        if (inner)
            walk(w, tri_op_operand(op, 0), inner);
        return;
    }
    if (!tri_op_is(op, "tt.load") && !tri_cpu_arith_knows(op))
        return;
    if (is_rem(op) || (is_div(op) && w->is_plain))
        consider(w, value, op, tuple);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        walk(w, tri_op_operand(op, i), tuple);
}

LLVMValueRef tri_cpu_wrap_test(tri_cpu_gen *g, bool *out_is_sign)
{
    visitor w = {.g = g};
    const tri_cpu_domain *d = g->nest->domain;
    if (g->nest->vec_loop < 0 || !g->axes)
        return NULL;
    tri_cpu_probe_begin(g, 1);
    for (int i = 0; i < d->count; i++) {
        walk(&w, d->sinks[i].mask, g->nest->index);
        walk(&w, d->sinks[i].indices, g->nest->index);
        for (int k = 0; k < d->sinks[i].value_count; k++)
            walk(&w, d->sinks[i].values[k], g->nest->index);
    }
    tri_cpu_probe_end(g, 1);
    *out_is_sign = !w.has_plain;
    return w.test;
}

LLVMValueRef tri_cpu_plain_test(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple)
{
    visitor w = {.g = g, .is_plain = true};
    if (g->axes)
        walk(&w, value, tuple);
    return w.test;
}
