/* Integers and addresses as affine functions of the nest's counters; masks as bounds. */
#include "targets/cpu/cpu.h"

static tri_cpu_form no_form(void) { return (tri_cpu_form){0}; }

static LLVMTypeRef int_type(tri_cpu_gen *g, unsigned bits) { return LLVMIntTypeInContext(g->llvm, bits); }

/* An opaque value of an outer level, as its own base. */
static tri_cpu_form leaf(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple)
{
    tri_cpu_val v = tri_cpu_eval(g, value, tuple);
    if (v.is_vec || !v.v)
        return no_form();
    tri_cpu_form f = {.ok = true, .level = v.level};
    if (tri_cpu_type_of(g, mlirValueGetType(value)).kind == TRI_CPU_PTR) {
        f.ptr = v.v;
        f.ptr_level = v.level;
        f.level = 0;
        f.base = tri_cpu_i64(g, 0);
        f.bits = 64;
    } else {
        f.base = v.v;
        f.bits = LLVMGetIntTypeWidth(LLVMTypeOf(v.v));
    }
    return f;
}

static tri_cpu_form range_form(tri_cpu_gen *g, const tri_cpu_index *index, int64_t start)
{
    tri_cpu_form f = {.ok = true, .bits = 32};
    f.base = LLVMConstInt(g->i32, (uint64_t)(index->c + start), true);
    for (int l = 0; l < g->nest->loop_count; l++)
        if (index->coef[l])
            f.coef[l] = LLVMConstInt(g->i32, (uint64_t)index->coef[l], true);
    return f;
}

static bool is_uniform(const tri_cpu_form *f)
{
    for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
        if (f->coef[l])
            return false;
    return true;
}

static int max_level(int a, int b) { return a > b ? a : b; }

static tri_cpu_form add_forms(tri_cpu_gen *g, tri_cpu_form x, tri_cpu_form y, bool subtract)
{
    if (!x.ok || !y.ok || x.bits != y.bits)
        return no_form();
    tri_cpu_form f = x;
    f.level = max_level(x.level, y.level);
    tri_cpu_at(g, f.level);
    LLVMBuilderRef b = g->b;
    f.base = subtract ? LLVMBuildSub(b, x.base, y.base, "") : LLVMBuildAdd(b, x.base, y.base, "");
    for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++) {
        if (!y.coef[l])
            continue;
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(y.coef[l]));
        LLVMValueRef have = x.coef[l] ? x.coef[l] : zero;
        f.coef[l] = subtract ? LLVMBuildSub(b, have, y.coef[l], "") : LLVMBuildAdd(b, have, y.coef[l], "");
        if (LLVMIsAConstantInt(f.coef[l]) && LLVMIsNull(f.coef[l]))
            f.coef[l] = NULL;
    }
    return f;
}

static tri_cpu_form scale_form(tri_cpu_gen *g, tri_cpu_form x, tri_cpu_form y)
{
    if (!x.ok || !y.ok || x.bits != y.bits)
        return no_form();
    if (!is_uniform(&y)) {
        tri_cpu_form t = x;
        x = y;
        y = t;
    }
    if (!is_uniform(&y))
        return no_form();
    tri_cpu_form f = x;
    f.level = max_level(x.level, y.level);
    tri_cpu_at(g, f.level);
    f.base = LLVMBuildMul(g->b, x.base, y.base, "");
    for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
        if (x.coef[l])
            f.coef[l] = LLVMBuildMul(g->b, x.coef[l], y.base, "");
    return f;
}

/* To 64 bits. A 32-bit offset that wraps inside a block has no meaning as an address or as a
 * bound, so base and coefficients are widened one by one. */
static tri_cpu_form widen_form(tri_cpu_gen *g, tri_cpu_form f, bool is_signed)
{
    if (!f.ok || f.bits == 64)
        return f;
    tri_cpu_at(g, f.level);
    if (!is_signed && !is_uniform(&f) && !LLVMIsConstant(f.base))
        return no_form();
    f.base = is_signed ? LLVMBuildSExt(g->b, f.base, g->i64, "") : LLVMBuildZExt(g->b, f.base, g->i64, "");
    for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
        if (f.coef[l])
            f.coef[l] = LLVMBuildSExt(g->b, f.coef[l], g->i64, "");
    f.bits = 64;
    return f;
}

static tri_cpu_form shift_form(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    int64_t by;
    tri_cpu_form x = tri_cpu_form_of(g, tri_op_operand(op, 0), tuple);
    if (!x.ok || !tri_op_const_int(tri_op_operand(op, 1), &by) || by < 0 || by >= (int64_t)x.bits)
        return no_form();
    tri_cpu_form factor = {.ok = true, .bits = x.bits};
    factor.base = LLVMConstInt(int_type(g, x.bits), UINT64_C(1) << by, false);
    return scale_form(g, x, factor);
}

static tri_cpu_form carried_form(tri_cpu_gen *g, const tri_cpu_bind *bind, const tri_cpu_tuple *tuple)
{
    tri_cpu_form f = tri_cpu_form_of(g, bind->init, tuple);
    if (!f.ok)
        return f;
    tri_cpu_at(g, f.level);
    f.base = LLVMBuildAdd(g->b, f.base, bind->v, "");
    return f;
}

static tri_cpu_form pointer_form(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    tri_cpu_form p = tri_cpu_form_of(g, tri_op_operand(op, 0), tuple);
    tri_cpu_form o = widen_form(g, tri_cpu_form_of(g, tri_op_operand(op, 1), tuple), true);
    if (!p.ok || !o.ok)
        return no_form();
    return add_forms(g, p, o, false);
}

static tri_cpu_form op_form(tri_cpu_gen *g, MlirValue value, MlirOperation op, const tri_cpu_tuple *tuple)
{
    if (tri_op_is(op, "tt.make_range"))
        return range_form(g, &tuple->at[0], tri_op_int(op, "start", 0));
    if (tri_op_is(op, "arith.addi") || tri_op_is(op, "arith.subi")) {
        tri_cpu_form x = tri_cpu_form_of(g, tri_op_operand(op, 0), tuple);
        if (!x.ok)
            return no_form();
        return add_forms(g, x, tri_cpu_form_of(g, tri_op_operand(op, 1), tuple), tri_op_is(op, "arith.subi"));
    }
    if (tri_op_is(op, "arith.muli")) {
        tri_cpu_form x = tri_cpu_form_of(g, tri_op_operand(op, 0), tuple);
        return x.ok ? scale_form(g, x, tri_cpu_form_of(g, tri_op_operand(op, 1), tuple)) : x;
    }
    if (tri_op_is(op, "arith.shli"))
        return shift_form(g, op, tuple);
    tri_cpu_type type = tri_cpu_type_of(g, mlirValueGetType(value));
    if ((tri_op_is(op, "arith.extsi") || tri_op_is(op, "arith.extui")) && type.bits == 64)
        return widen_form(g, tri_cpu_form_of(g, tri_op_operand(op, 0), tuple), tri_op_is(op, "arith.extsi"));
    if (tri_op_is(op, "tt.addptr"))
        return pointer_form(g, op, tuple);
    tri_cpu_form run = tri_cpu_run_form(g, value, op, tuple);
    return run.ok ? run : leaf(g, value, tuple);
}

/* Made of numbers of the program and of ranges alone: no memory is read. */
static bool is_arithmetic(MlirValue value, int depth)
{
    enum { max_depth = 16 };
    MlirOperation op = tri_op_def(value);
    if (!tri_type_is_tensor(mlirValueGetType(value)))
        return true;
    if (mlirOperationIsNull(op) || depth > max_depth)
        return false;
    if (tri_op_is(op, "tt.splat") || tri_op_is(op, "tt.make_range") || tri_op_is(op, "arith.constant"))
        return true;
    if (!tri_cpu_is_view(op) && !tri_cpu_arith_knows(op))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (!is_arithmetic(tri_op_operand(op, i), depth + 1))
            return false;
    return true;
}

bool tri_cpu_looks_behind(tri_cpu_gen *g, MlirValue value)
{
    return g->looks_behind && is_arithmetic(value, 0);
}

tri_cpu_form tri_cpu_form_of(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple)
{
    tri_cpu_type type = tri_cpu_type_of(g, mlirValueGetType(value));
    if ((type.kind != TRI_CPU_INT && type.kind != TRI_CPU_PTR) || (type.kind == TRI_CPU_INT && type.bits < 16))
        return no_form();
    if (!tri_type_is_tensor(mlirValueGetType(value)))
        return leaf(g, value, tuple);
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    if (bind && bind->kind == TRI_CPU_CARRIED)
        return carried_form(g, bind, tuple);
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op) || (bind && bind->kind == TRI_CPU_BUFFER && !tri_cpu_looks_behind(g, value)))
        return leaf(g, value, tuple);
    if (tri_op_is(op, "tt.splat"))
        return tri_cpu_form_of(g, tri_op_operand(op, 0), tuple);
    const tri_cpu_tuple *inner = tri_cpu_view_index(g, op, tuple);
    if (inner)
        return tri_cpu_form_of(g, tri_op_operand(op, 0), inner);
    return op_form(g, value, op, tuple);
}

/* ---- masks ---- */

typedef struct {
    LLVMValueRef lo, hi; /* i64 */
    int level;
} bounds;

static LLVMValueRef pick(tri_cpu_gen *g, const char *name, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[2] = {x, y};
    return tri_cpu_intrinsic(g, name, &g->i64, 1, args, 2);
}

/* x < y (or <=, >, >=) with x - y = d + c * counter, |c| = 1. */
static bool compare_bounds(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple, bounds *io)
{
    int64_t p = tri_op_int(op, "predicate", 0);
    bool or_equal = p == 3 || p == 5, is_less = p == 2 || p == 3;
    if (p < 2 || p > 5)
        return false;
    tri_cpu_form x = widen_form(g, tri_cpu_form_of(g, tri_op_operand(op, 0), tuple), true);
    tri_cpu_form y = widen_form(g, tri_cpu_form_of(g, tri_op_operand(op, 1), tuple), true);
    if (!x.ok || !y.ok || x.ptr || y.ptr)
        return false;
    /* now "low < high" (or <=): high - low as one form */
    tri_cpu_form f = add_forms(g, is_less ? y : x, is_less ? x : y, true);
    int v = g->nest->vec_loop;
    if (!f.ok || !f.coef[v] || !LLVMIsAConstantInt(f.coef[v]))
        return false;
    int64_t c = LLVMConstIntGetSExtValue(f.coef[v]);
    if (c != 1 && c != -1)
        return false;
    int level = f.level;
    for (int l = 0; l < g->nest->loop_count; l++)
        if (l != v && f.coef[l])
            level = max_level(level, l + 1);
    if (level > v)
        return false;
    tri_cpu_at(g, level);
    LLVMValueRef d = f.base;
    for (int l = 0; l < g->nest->loop_count; l++)
        if (l != v && f.coef[l])
            d = LLVMBuildAdd(g->b, d, LLVMBuildMul(g->b, f.coef[l], g->nest->loops[l].iv, ""), "");
    /* d + c*i > 0 (>= 0): i < d (i <= d) for c = -1, i > -d (i >= -d) for c = 1 */
    io->level = max_level(io->level, level);
    tri_cpu_at(g, io->level);
    if (c == -1) {
        LLVMValueRef hi = or_equal ? LLVMBuildAdd(g->b, d, tri_cpu_i64(g, 1), "") : d;
        io->hi = pick(g, "llvm.smin", io->hi, hi);
    } else {
        LLVMValueRef lo = LLVMBuildNeg(g->b, d, "");
        lo = or_equal ? lo : LLVMBuildAdd(g->b, lo, tri_cpu_i64(g, 1), "");
        io->lo = pick(g, "llvm.smax", io->lo, lo);
    }
    return true;
}

static bool mask_walk(tri_cpu_gen *g, MlirValue mask, const tri_cpu_tuple *tuple, bounds *io)
{
    tri_cpu_bind *bind = tri_cpu_find(g, mask);
    MlirOperation op = tri_op_def(mask);
    bool is_open = !mlirOperationIsNull(op) && !(bind && bind->kind != TRI_CPU_LAZY) &&
                   tri_type_is_tensor(mlirValueGetType(mask));
    if (is_open && tri_op_is(op, "arith.andi"))
        return mask_walk(g, tri_op_operand(op, 0), tuple, io) && mask_walk(g, tri_op_operand(op, 1), tuple, io);
    if (is_open && tri_op_is(op, "tt.splat"))
        return mask_walk(g, tri_op_operand(op, 0), tuple, io);
    if (is_open) {
        const tri_cpu_tuple *inner = tri_cpu_view_index(g, op, tuple);
        if (inner)
            return mask_walk(g, tri_op_operand(op, 0), inner, io);
        if (tri_op_is(op, "arith.cmpi") && compare_bounds(g, op, tuple, io))
            return true;
    }
    /* known outside the vector loop: all lanes or none */
    tri_cpu_val v = tri_cpu_eval(g, mask, tuple);
    if (v.is_vec || v.level > g->nest->vec_loop)
        return false;
    io->level = max_level(io->level, v.level);
    tri_cpu_at(g, io->level);
    io->hi = LLVMBuildSelect(g->b, v.v, io->hi, tri_cpu_i64(g, 0), "");
    return true;
}

bool tri_cpu_mask_bounds(tri_cpu_gen *g, MlirValue mask, const tri_cpu_tuple *tuple, LLVMValueRef *out_lo,
                         LLVMValueRef *out_hi)
{
    if (g->nest->vec_loop < 0)
        return false;
    const tri_cpu_slice *slice = g->nest->domain ? g->nest->domain->slice : NULL;
    LLVMValueRef end = tri_cpu_i64(g, g->nest->loops[g->nest->vec_loop].extent);
    if (slice) {
        tri_cpu_at(g, g->nest->vec_loop);
        end = LLVMBuildNSWAdd(g->b, slice->start, tri_cpu_i64(g, g->nest->vl), "");
    }
    bounds io = {tri_cpu_i64(g, 0), end, 0};
    if (!mask_walk(g, mask, tuple, &io))
        return false;
    /* 0 <= lo <= hi <= extent; of a slice: hi <= its end */
    tri_cpu_at(g, g->nest->vec_loop);
    io.hi = slice ? io.hi : pick(g, "llvm.smax", io.hi, tri_cpu_i64(g, 0));
    bool is_zero = LLVMIsConstant(io.lo) && LLVMIsNull(io.lo);
    *out_lo = is_zero || slice ? io.lo : pick(g, "llvm.smin", io.lo, io.hi);
    *out_hi = io.hi;
    return true;
}

/* ---- a static look, before there is a nest ---- */

enum { max_depth = 24 };

static void coefs_of(tri_cpu_gen *g, MlirValue value, int64_t *out, int depth);

/* Of an op that is no affine one: runs as long as a chunk are as good. */
static void run_coefs(tri_cpu_gen *g, MlirValue value, int64_t *out)
{
    MlirType type = mlirValueGetType(value);
    const tri_axis *axis = tri_axis_info_get(g->axes, value);
    for (int d = 0; d < tri_type_rank(type) && d < axis->rank; d++) {
        int64_t chunk = tri_type_dim(type, d) < TRI_CPU_LANES ? tri_type_dim(type, d) : TRI_CPU_LANES;
        out[d] = axis->contiguity[d] >= chunk ? 1 : axis->constancy[d] >= chunk ? 0 : out[d];
    }
}

static void view_coefs(tri_cpu_gen *g, MlirOperation op, int64_t *out, int depth)
{
    MlirValue source = tri_op_operand(op, 0);
    MlirType from = mlirValueGetType(source), to = mlirValueGetType(tri_op_result(op, 0));
    int64_t in[TRI_MAX_RANK];
    coefs_of(g, source, in, depth + 1);
    int rank = tri_type_rank(to);
    if (tri_op_is(op, "tt.expand_dims")) {
        int axis = (int)tri_op_int(op, "axis", 0);
        for (int d = 0; d < rank; d++)
            out[d] = d == axis ? 0 : in[d < axis ? d : d - 1];
    } else if (tri_op_is(op, "tt.broadcast")) {
        for (int d = 0; d < rank; d++)
            out[d] = tri_type_dim(from, d) == 1 ? 0 : in[d];
    } else if (tri_op_is(op, "tt.trans")) {
        int32_t order[TRI_MAX_RANK];
        int n = tri_op_i32s(op, "order", order, TRI_MAX_RANK);
        for (int d = 0; d < n; d++)
            out[d] = in[order[d]];
    } else {
        for (int d = 0; d < rank; d++)
            out[d] = d == rank - 1 && tri_type_rank(from) == 1 ? in[0] : INT64_MIN;
    }
}

static void coefs_of(tri_cpu_gen *g, MlirValue value, int64_t *out, int depth)
{
    MlirType type = mlirValueGetType(value);
    int rank = tri_type_is_tensor(type) ? tri_type_rank(type) : 0;
    for (int d = 0; d < TRI_MAX_RANK; d++)
        out[d] = d < rank ? INT64_MIN : 0;
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    if (bind && bind->kind == TRI_CPU_CARRIED) {
        coefs_of(g, bind->init, out, depth + 1);
        return;
    }
    MlirOperation op = tri_op_def(value);
    if (!rank || depth > max_depth || mlirOperationIsNull(op))
        return;
    int64_t x[TRI_MAX_RANK], y[TRI_MAX_RANK], c;
    if (tri_op_is(op, "tt.splat") || tri_op_is(op, "arith.constant")) {
        memset(out, 0, sizeof *out * (size_t)rank);
    } else if (tri_op_is(op, "tt.make_range")) {
        out[0] = 1;
    } else if (tri_cpu_is_view(op)) {
        view_coefs(g, op, out, depth);
    } else if (tri_op_is(op, "arith.addi") || tri_op_is(op, "tt.addptr")) {
        coefs_of(g, tri_op_operand(op, 0), x, depth + 1);
        coefs_of(g, tri_op_operand(op, 1), y, depth + 1);
        for (int d = 0; d < rank; d++)
            out[d] = x[d] == INT64_MIN || y[d] == INT64_MIN ? INT64_MIN : x[d] + y[d];
    } else if (tri_op_is(op, "arith.extsi") || tri_op_is(op, "arith.extui")) {
        coefs_of(g, tri_op_operand(op, 0), out, depth + 1);
    } else if (tri_op_is(op, "arith.muli")) {
        bool is_const = tri_op_const_int(tri_op_operand(op, 1), &c);
        coefs_of(g, tri_op_operand(op, 0), x, depth + 1);
        coefs_of(g, tri_op_operand(op, 1), y, depth + 1);
        for (int d = 0; d < rank; d++) {
            bool both_flat = x[d] == 0 && y[d] == 0;
            out[d] = both_flat ? 0 : is_const && x[d] != INT64_MIN ? x[d] * c : INT64_MIN;
        }
    } else if (tri_op_is(op, "arith.remsi") || tri_op_is(op, "arith.remui")) {
        coefs_of(g, tri_op_operand(op, 0), out, depth + 1); /* where nothing wraps */
    } else {
        run_coefs(g, value, out);
    }
}

void tri_cpu_static_coefs(tri_cpu_gen *g, MlirValue value, int64_t *out) { coefs_of(g, value, out, 0); }
