/* tt.dot: operands are packed (dot_pack.c), the accumulator block is initialised with c, and a register-tiled kernel
 * (dot_kernel.c, dot_tiles.c) adds the products. Sums that only grow in a loop are not touched by each product:
 * dot_queue.c. */
#include "targets/cpu/dot.h"

#include <math.h>

/* ---- where the result goes ---- */

MlirOperation tri_cpu_only_user(MlirValue value, intptr_t *out_operand)
{
    MlirOperation none = {NULL};
    MlirOpOperand use = mlirValueGetFirstUse(value);
    if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
        return none;
    *out_operand = mlirOpOperandGetOperandNumber(use);
    return mlirOpOperandGetOwner(use);
}

/* The buffer of a loop's accumulator when d may be computed in place there: d only goes to the
 * loop's yield, and the accumulator is read only on the way to c, at c's own index. */
static LLVMValueRef place_in_loop(tri_cpu_gen *g, MlirOperation op)
{
    intptr_t slot, unused;
    MlirOperation yield = tri_cpu_only_user(tri_op_result(op, 0), &slot);
    if (mlirOperationIsNull(yield) || !tri_op_is(yield, "scf.yield") ||
        mlirOperationGetBlock(yield).ptr != mlirOperationGetBlock(op).ptr)
        return NULL;
    MlirOperation loop = mlirBlockGetParentOperation(mlirOperationGetBlock(op));
    if (!tri_op_is(loop, "scf.for"))
        return NULL;
    MlirValue arg = mlirBlockGetArgument(tri_op_body(loop, 0), slot + 1), c = tri_op_operand(op, 2);
    tri_cpu_bind *bind = tri_cpu_find(g, arg);
    bool other = false;
    if (!bind || bind->kind != TRI_CPU_BUFFER || mlirOperationIsNull(tri_cpu_only_user(arg, &unused)) ||
        !tri_cpu_reads(g, c, arg, &other) || other)
        return NULL;
    return bind->v;
}

bool tri_cpu_is_zero(MlirValue value)
{
    double f;
    int64_t i;
    return (tri_op_const_float(value, &f) && f == 0 && !signbit(f)) || (tri_op_const_int(value, &i) && i == 0);
}

LLVMTypeRef tri_cpu_product_packed(const tri_cpu_product *x)
{
    return x->isa ? LLVMIntTypeInContext(x->g->llvm, x->isa->packed.bits) : x->element;
}

int64_t tri_cpu_product_bytes(const tri_cpu_product *x, int64_t elements)
{
    return elements * (x->isa ? x->isa->packed.bits : x->compute.bits) / 8 * (x->is_split ? 2 : 1);
}

void tri_cpu_multiply(tri_cpu_gen *g, MlirOperation op, tri_cpu_type compute, int64_t batch, int64_t m, int64_t n,
                      int64_t k, LLVMValueRef a, LLVMValueRef b, LLVMValueRef d)
{
    tri_cpu_product x = {.g = g, .op = op, .batch = batch, .m = m, .n = n, .k = k, .compute = compute, .a = a, .b = b,
                         .d = d};
    x.element = tri_cpu_llvm_type(g, compute);
    x.strip = n;
    x.span = 1;
    tri_cpu_product_emit(&x);
}

void tri_cpu_product_prepare(tri_cpu_product *x, MlirOperation op)
{
    tri_cpu_gen *g = x->g;
    MlirType a = mlirValueGetType(tri_op_operand(op, 0)), b = mlirValueGetType(tri_op_operand(op, 1));
    x->op = op;
    x->rank = tri_type_rank(a);
    x->batch = x->rank == 3 ? tri_type_dim(a, 0) : 1;
    x->m = tri_type_dim(a, x->rank - 2);
    x->k = tri_type_dim(a, x->rank - 1);
    x->n = tri_type_dim(b, x->rank - 1);
    tri_cpu_type t = tri_cpu_type_of(g, a);
    MlirContext context = mlirOperationGetContext(op);
    if (t.kind == TRI_CPU_INT) {
        x->compute = (tri_cpu_type){TRI_CPU_INT, 32};
        x->mlir_element = mlirIntegerTypeGet(context, 32);
    } else if (t.kind == TRI_CPU_F64) {
        x->compute = t;
        x->mlir_element = mlirF64TypeGet(context);
    } else {
        x->compute = (tri_cpu_type){TRI_CPU_F32, 32};
        x->mlir_element = mlirF32TypeGet(context);
    }
    x->element = tri_cpu_llvm_type(g, x->compute);
    x->mlir_sum = x->mlir_element;
    bool same = mlirTypeEqual(tri_type_element(mlirValueGetType(tri_op_operand(op, 0))),
                              tri_type_element(mlirValueGetType(tri_op_operand(op, 1))));
    x->isa = same ? tri_cpu_dot_choose(g, t, x->m, x->n, x->k) : NULL;
    if (same && t.kind == TRI_CPU_F32) {
        x->isa = tri_cpu_split_choose(g, op, x->m, x->n, x->k);
        x->is_split = x->isa != NULL;
    }
    if (x->isa)
        x->mlir_element = x->isa->operand == TRI_CPU_BF16 ? mlirBF16TypeGet(context)
                                                          : mlirIntegerTypeGet(context, x->isa->packed.bits);
    x->strip = tri_cpu_product_strip(x);
    x->span = 1;
}

/* d as a lazy conversion has no op to hang on, so it is converted into a buffer of its own type. */
static void narrow_result(tri_cpu_product *x)
{
    tri_cpu_gen *g = x->g;
    MlirValue result = tri_op_result(x->op, 0);
    MlirType type = mlirValueGetType(result);
    LLVMValueRef out = tri_cpu_alloc(g, type);
    int64_t count = tri_type_num_elements(type);
    int lanes = count < TRI_CPU_LANES ? (int)count : TRI_CPU_LANES;
    tri_cpu_type to = tri_cpu_type_of(g, type);
    tri_cpu_counted c = tri_cpu_counted_begin(g, count, lanes);
    LLVMTypeRef vector = tri_cpu_vector(x->element, lanes);
    LLVMValueRef from = LLVMBuildInBoundsGEP2(g->b, x->element, x->d, &c.i, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(g->b, vector, from, "");
    LLVMSetAlignment(v, x->compute.bits / 8);
    v = tri_cpu_convert(g, v, x->compute, to, false);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(g->b, tri_cpu_memory_type(g, to), out, &c.i, 1, "");
    LLVMSetAlignment(LLVMBuildStore(g->b, v, at), to.bits / 8);
    tri_cpu_counted_end(g, &c);
    tri_cpu_bind_buffer(g, result, out);
}

/* That of the loop's iteration; the first one outside of loops. */
static LLVMValueRef block_number(tri_cpu_gen *g, MlirOperation op, int64_t blocks)
{
    MlirOperation loop = mlirBlockGetParentOperation(mlirOperationGetBlock(op));
    int64_t step = 1;
    tri_cpu_at(g, 0);
    if (!tri_op_is(loop, "scf.for"))
        return tri_cpu_i64(g, 0);
    if (!tri_op_const_int(tri_op_operand(loop, 2), &step) || step <= 0)
        step = 1;
    LLVMValueRef i = tri_cpu_scalar(g, mlirBlockGetArgument(tri_op_body(loop, 0), 0));
    i = LLVMBuildUDiv(g->b, LLVMBuildIntCast2(g->b, i, g->i64, false, ""), tri_cpu_i64(g, step), "");
    return LLVMBuildURem(g->b, i, tri_cpu_i64(g, blocks), "");
}

/* The right operand, as another program or an earlier time left it, where that can be known. */
static void find_right(tri_cpu_product *x, MlirValue b)
{
    tri_cpu_gen *g = x->g;
    int64_t bytes = tri_cpu_product_bytes(x, x->batch * x->k * x->n);
    tri_cpu_bind *bind = tri_cpu_find(g, b);
    bool is_there = !x->isa && bind && bind->kind == TRI_CPU_BUFFER &&
                    mlirTypeEqual(tri_type_element(mlirValueGetType(b)), x->mlir_element);
    int64_t blocks = tri_cpu_cache_room(g, bytes, 1);
    tri_cpu_cache *cache = is_there ? NULL : tri_cpu_cache_new(g, b, bytes, blocks);
    if (!cache) {
        tri_cpu_place_right(x, b, NULL);
        tri_cpu_split_take(x, NULL);
        return;
    }
    LLVMValueRef block = tri_cpu_cache_find(g, cache, b, block_number(g, x->op, blocks), NULL, NULL);
    tri_cpu_place_right(x, b, block);
    tri_cpu_split_keep(x, tri_cpu_cache_fact(cache));
    tri_cpu_cache_found(g, cache);
    tri_cpu_split_take(x, tri_cpu_cache_fact(cache));
}

void tri_cpu_dot_op(tri_cpu_gen *g, MlirOperation op)
{
    if (tri_cpu_queue_add(g, op))
        return;
    tri_cpu_product x = {.g = g};
    tri_cpu_product_prepare(&x, op);
    MlirValue result = tri_op_result(op, 0), c = tri_op_operand(op, 2);
    MlirType type = tri_type_with_element(mlirValueGetType(result), x.mlir_sum);
    bool is_native = mlirTypeEqual(type, mlirValueGetType(result));
    LLVMValueRef place = is_native ? place_in_loop(g, op) : NULL;
    x.d = place ? place : tri_cpu_alloc(g, type);
    size_t mark = g->live.len;
    tri_cpu_place_left(&x, tri_op_operand(op, 0), NULL);
    tri_cpu_split_take(&x, NULL);
    find_right(&x, tri_op_operand(op, 1));
    tri_cpu_bind *bind = tri_cpu_find(g, c);
    if (tri_cpu_is_zero(c))
        x.is_fresh = LLVMConstInt(g->i1, 1, false);
    else if (!(bind && bind->kind == TRI_CPU_BUFFER && bind->v == x.d))
        tri_cpu_pack_into(&x, c, x.d, x.compute, type);
    tri_cpu_product_emit(&x);
    tri_cpu_release(g, mark);
    if (is_native)
        tri_cpu_bind_buffer(g, result, x.d);
    else
        narrow_result(&x);
}
