/* The least and the largest value that a block of integers or addresses can have, computed when the kernel runs,
 * outside of nests. Sums and products that overflow have no meaning as indices. */
#include "targets/cpu/cpu.h"

enum { max_depth = 64 };

typedef struct {
    LLVMValueRef lo, hi; /* i64; null: unknown */
} interval;

static interval interval_of(tri_cpu_gen *g, MlirValue value, int depth);

static LLVMValueRef fold_bounds(tri_cpu_gen *g, const char *name, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[2] = {x, y};
    return tri_cpu_intrinsic(g, name, &g->i64, 1, args, 2);
}

static interval interval_product(tri_cpu_gen *g, interval x, interval y)
{
    LLVMValueRef p[4] = {LLVMBuildMul(g->b, x.lo, y.lo, ""), LLVMBuildMul(g->b, x.lo, y.hi, ""),
                         LLVMBuildMul(g->b, x.hi, y.lo, ""), LLVMBuildMul(g->b, x.hi, y.hi, "")};
    interval out = {p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        out.lo = fold_bounds(g, "llvm.smin", out.lo, p[i]);
        out.hi = fold_bounds(g, "llvm.smax", out.hi, p[i]);
    }
    return out;
}

/* x % y, y > 0: below y, and below zero only where x is. */
static interval interval_remainder(tri_cpu_gen *g, interval x, interval y)
{
    LLVMValueRef zero = tri_cpu_i64(g, 0), last = LLVMBuildSub(g->b, y.hi, tri_cpu_i64(g, 1), "");
    LLVMValueRef is_negative = LLVMBuildICmp(g->b, LLVMIntSLT, x.lo, zero, "");
    LLVMValueRef lo = LLVMBuildSelect(g->b, is_negative, LLVMBuildNeg(g->b, last, ""), zero, "");
    return (interval){lo, LLVMBuildSelect(g->b, is_negative, last, fold_bounds(g, "llvm.smin", last, x.hi), "")};
}

/* x / y; y of any sign where it is no constant: at most as far from zero as x. */
static interval interval_quotient(tri_cpu_gen *g, MlirValue by, interval x)
{
    int64_t c;
    if (tri_op_const_int(by, &c) && c > 0)
        return (interval){LLVMBuildSDiv(g->b, x.lo, tri_cpu_i64(g, c), ""),
                          LLVMBuildSDiv(g->b, x.hi, tri_cpu_i64(g, c), "")};
    return (interval){fold_bounds(g, "llvm.smin", x.lo, LLVMBuildNeg(g->b, x.hi, "")),
                      fold_bounds(g, "llvm.smax", x.hi, LLVMBuildNeg(g->b, x.lo, ""))};
}

/* Shifted by a constant, or with a constant's bits alone. */
static interval interval_bits(tri_cpu_gen *g, MlirOperation op, interval x)
{
    enum { most = 62 };
    interval unknown = {NULL, NULL};
    int64_t c;
    if (!tri_op_const_int(tri_op_operand(op, 1), &c) || c < 0)
        return unknown;
    LLVMValueRef k = tri_cpu_i64(g, c);
    if (tri_op_is(op, "arith.andi"))
        return (interval){tri_cpu_i64(g, 0), k};
    if (c > most)
        return unknown;
    if (tri_op_is(op, "arith.shrsi"))
        return (interval){LLVMBuildAShr(g->b, x.lo, k, ""), LLVMBuildAShr(g->b, x.hi, k, "")};
    return (interval){LLVMBuildShl(g->b, x.lo, k, ""), LLVMBuildShl(g->b, x.hi, k, "")};
}

static interval interval_both(tri_cpu_gen *g, MlirOperation op, interval x, interval y)
{
    static const interval unknown;
    LLVMBuilderRef b = g->b;
    if (tri_op_is(op, "arith.addi"))
        return (interval){LLVMBuildAdd(b, x.lo, y.lo, ""), LLVMBuildAdd(b, x.hi, y.hi, "")};
    if (tri_op_is(op, "arith.subi"))
        return (interval){LLVMBuildSub(b, x.lo, y.hi, ""), LLVMBuildSub(b, x.hi, y.lo, "")};
    if (tri_op_is(op, "arith.muli"))
        return interval_product(g, x, y);
    if (tri_op_is(op, "arith.remsi") || tri_op_is(op, "arith.remui"))
        return interval_remainder(g, x, y);
    if (tri_op_is(op, "arith.divsi"))
        return interval_quotient(g, tri_op_operand(op, 1), x);
    if (tri_op_is(op, "arith.shrsi") || tri_op_is(op, "arith.shli") || tri_op_is(op, "arith.andi"))
        return interval_bits(g, op, x);
    if (tri_op_is(op, "arith.minsi"))
        return (interval){fold_bounds(g, "llvm.smin", x.lo, y.lo), fold_bounds(g, "llvm.smin", x.hi, y.hi)};
    if (tri_op_is(op, "arith.maxsi"))
        return (interval){fold_bounds(g, "llvm.smax", x.lo, y.lo), fold_bounds(g, "llvm.smax", x.hi, y.hi)};
    if (tri_op_is(op, "arith.select"))
        return (interval){fold_bounds(g, "llvm.smin", x.lo, y.lo), fold_bounds(g, "llvm.smax", x.hi, y.hi)};
    return unknown;
}

static interval interval_scalar(tri_cpu_gen *g, MlirValue value)
{
    LLVMValueRef v = tri_cpu_scalar(g, value);
    v = tri_cpu_type_of(g, mlirValueGetType(value)).kind == TRI_CPU_PTR
            ? LLVMBuildPtrToInt(g->b, v, g->i64, "")
            : LLVMBuildIntCast2(g->b, v, g->i64, true, "");
    return (interval){v, v};
}

static interval interval_address(tri_cpu_gen *g, MlirType type, interval base, interval by)
{
    tri_cpu_type t = tri_cpu_type_of(g, tri_type_ptr_pointee(tri_type_element(type)));
    LLVMValueRef size = tri_cpu_i64(g, t.bits < 8 ? 1 : t.bits / 8);
    return (interval){LLVMBuildAdd(g->b, base.lo, LLVMBuildMul(g->b, by.lo, size, ""), ""),
                      LLVMBuildAdd(g->b, base.hi, LLVMBuildMul(g->b, by.hi, size, ""), "")};
}

static interval interval_carried(tri_cpu_gen *g, MlirValue value, const tri_cpu_bind *bind, int depth)
{
    interval x = interval_of(g, bind->init, depth + 1);
    if (!x.lo)
        return x;
    LLVMValueRef v = LLVMBuildIntCast2(g->b, bind->v, g->i64, true, "");
    interval by = {v, v};
    if (tri_cpu_type_of(g, mlirValueGetType(value)).kind == TRI_CPU_PTR)
        return interval_address(g, mlirValueGetType(value), x, by);
    return (interval){LLVMBuildAdd(g->b, x.lo, v, ""), LLVMBuildAdd(g->b, x.hi, v, "")};
}

static interval interval_range(tri_cpu_gen *g, MlirOperation op)
{
    int64_t start = tri_op_int(op, "start", 0), end = tri_op_int(op, "end", 0);
    return (interval){tri_cpu_i64(g, start), tri_cpu_i64(g, end - 1)};
}

static interval interval_of(tri_cpu_gen *g, MlirValue value, int depth)
{
    static const interval unknown;
    MlirOperation op = tri_op_def(value);
    tri_cpu_kind kind = tri_cpu_type_of(g, mlirValueGetType(value)).kind;
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    int64_t c;
    if ((kind != TRI_CPU_INT && kind != TRI_CPU_PTR) || depth > max_depth)
        return unknown;
    if (!tri_type_is_tensor(mlirValueGetType(value)))
        return bind && bind->kind == TRI_CPU_SCALAR ? interval_scalar(g, value) : unknown;
    if (bind && bind->kind == TRI_CPU_CARRIED)
        return interval_carried(g, value, bind, depth);
    if (mlirOperationIsNull(op))
        return unknown;
    if (tri_op_const_int(value, &c))
        return (interval){tri_cpu_i64(g, c), tri_cpu_i64(g, c)};
    if (tri_op_is(op, "tt.make_range"))
        return interval_range(g, op);
    if (tri_op_is(op, "tt.splat") || tri_cpu_is_view(op) || tri_op_is(op, "arith.extsi"))
        return interval_of(g, tri_op_operand(op, 0), depth + 1);
    bool is_select = tri_op_is(op, "arith.select");
    if (mlirOperationGetNumOperands(op) != 2 + is_select)
        return unknown;
    interval x = interval_of(g, tri_op_operand(op, is_select), depth + 1);
    interval y = x.lo ? interval_of(g, tri_op_operand(op, 1 + is_select), depth + 1) : x;
    if (!x.lo || !y.lo)
        return unknown;
    return tri_op_is(op, "tt.addptr") ? interval_address(g, mlirValueGetType(value), x, y) : interval_both(g, op, x, y);
}

bool tri_cpu_addresses(tri_cpu_gen *g, MlirValue pointer, LLVMValueRef *out_lo, LLVMValueRef *out_hi)
{
    TRI_ASSERT(!g->nest);
    tri_cpu_at(g, 0);
    MlirType type = mlirValueGetType(pointer);
    if (!tri_type_is_ptr(tri_type_is_tensor(type) ? tri_type_element(type) : type))
        return false;
    interval x = interval_of(g, pointer, 0);
    if (!x.lo)
        return false;
    tri_cpu_type t = tri_cpu_type_of(g, tri_type_ptr_pointee(tri_type_is_tensor(type) ? tri_type_element(type) : type));
    *out_lo = x.lo;
    *out_hi = LLVMBuildAdd(g->b, x.hi, tri_cpu_i64(g, t.bits < 8 ? 1 : t.bits / 8), "");
    return true;
}
