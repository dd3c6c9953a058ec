/* tt.dot: operands are packed into the arena in the type that the products are computed in
 * (float for all floats up to 32 bits, double, or 32-bit integers), the accumulator block is
 * initialised with c, and a register-tiled kernel adds the products:
 *
 *     for m by mr, n by nr:  acc[mr][nr] = d;  for k: acc += a[m..][k] * b[k][n..];  d = acc
 */
#include "targets/cpu/cpu.h"

typedef struct {
    tri_cpu_gen *g;
    MlirOperation op;
    int rank;
    int64_t batch, m, n, k;
    tri_cpu_type compute;
    LLVMTypeRef element;
    MlirType mlir_element;
    LLVMValueRef a, b, d; /* row-major, of `element` */
} product;

/* ---- packing ---- */

typedef struct {
    MlirValue value;
    MlirType type; /* of the packed block */
    tri_cpu_type from, to;
    LLVMValueRef buffer;
    tri_cpu_val v;
} pack_data;

static LLVMValueRef to_compute(tri_cpu_gen *g, LLVMValueRef v, tri_cpu_type from, tri_cpu_type to)
{
    if (from.kind == TRI_CPU_INT)
        return from.bits < to.bits ? LLVMBuildSExt(g->b, v, tri_cpu_like(tri_cpu_llvm_type(g, to), v), "") : v;
    return tri_cpu_convert(g, v, from, to, false);
}

static void pack_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    pack_data *p = sink->data;
    p->v = tri_cpu_eval(g, p->value, g->nest->index);
    tri_cpu_at(g, p->v.level);
    p->v.v = to_compute(g, p->v.v, p->from, p->to);
}

static void pack_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    pack_data *p = sink->data;
    if (p->v.level < g->nest->loop_count)
        p->v.level = g->nest->loop_count;
    tri_cpu_buffer_store(g, p->type, p->buffer, g->nest->index, p->v);
}

static void pack_into(product *x, MlirValue value, LLVMValueRef buffer, tri_cpu_type to, MlirType type)
{
    tri_cpu_gen *g = x->g;
    pack_data data = {.value = value, .type = type, .to = to, .buffer = buffer};
    data.from = tri_cpu_type_of(g, mlirValueGetType(value));
    tri_cpu_sink sink = {.op = x->op, .data = &data, .eval = pack_eval, .write = pack_write};
    sink.values = &value;
    sink.value_count = 1;
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = -1, .count = 1, .sinks = &sink};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    MlirValue none = {NULL};
    domain.vec_dim = tri_cpu_vector_dim(g, domain.rank, domain.shape, none, value);
    tri_cpu_nest_run(g, &domain);
}

static LLVMValueRef pack(product *x, MlirValue value)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirType type = tri_type_with_element(mlirValueGetType(value), x->mlir_element);
    if (bind && bind->kind == TRI_CPU_BUFFER && mlirTypeEqual(type, mlirValueGetType(value)))
        return bind->v;
    LLVMValueRef buffer = tri_cpu_alloc(g, type);
    pack_into(x, value, buffer, x->compute, type);
    return buffer;
}

/* ---- plain counted loops ---- */

typedef struct {
    LLVMBasicBlockRef header, exit;
    LLVMValueRef i;
    int64_t step, end;
} counted;

static counted begin(tri_cpu_gen *g, int64_t end, int64_t step)
{
    counted c = {tri_cpu_new_block(g, "tile"), tri_cpu_new_block(g, "tiled"), NULL, step, end};
    tri_cpu_at(g, 0);
    LLVMBasicBlockRef before = g->at;
    LLVMBuildBr(g->b, c.header);
    tri_cpu_move(g, 0, c.header);
    c.i = LLVMBuildPhi(g->b, g->i64, "");
    LLVMValueRef zero = tri_cpu_i64(g, 0);
    LLVMAddIncoming(c.i, &zero, &before, 1);
    return c;
}

/* Extents are at least one step, so the test comes last. */
static void finish(tri_cpu_gen *g, counted *c)
{
    tri_cpu_at(g, 0);
    LLVMValueRef next = LLVMBuildNSWAdd(g->b, c->i, tri_cpu_i64(g, c->step), "");
    LLVMBasicBlockRef latch = g->at;
    LLVMAddIncoming(c->i, &next, &latch, 1);
    LLVMValueRef more = LLVMBuildICmp(g->b, LLVMIntSLT, next, tri_cpu_i64(g, c->end), "");
    LLVMBuildCondBr(g->b, more, c->header, c->exit);
    tri_cpu_move(g, 0, c->exit);
}

/* ---- the kernel ---- */

static LLVMValueRef element_at(product *x, LLVMValueRef base, LLVMValueRef row, int64_t width, LLVMValueRef column)
{
    LLVMBuilderRef b = x->g->b;
    LLVMValueRef at = LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, row, tri_cpu_i64(x->g, width), ""), column, "");
    return LLVMBuildInBoundsGEP2(b, x->element, base, &at, 1, "");
}

static LLVMValueRef multiply_add(product *x, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    if (x->compute.kind == TRI_CPU_INT)
        return LLVMBuildAdd(x->g->b, LLVMBuildMul(x->g->b, a, b, ""), c, "");
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef args[3] = {a, b, c};
    bool fuses = x->g->has_fma && !x->g->unit->options->no_fp_fusion;
    return fuses ? tri_cpu_intrinsic(x->g, "llvm.fma", &type, 1, args, 3)
                 : LLVMBuildFAdd(x->g->b, LLVMBuildFMul(x->g->b, a, b, ""), c, "");
}

enum { max_rows = 8 };

static void tile(product *x, LLVMValueRef *base, LLVMValueRef m, LLVMValueRef n, int rows, int lanes)
{
    tri_cpu_gen *g = x->g;
    LLVMTypeRef vector = tri_cpu_vector(x->element, lanes > 1 ? lanes : 0);
    LLVMValueRef acc[max_rows], row[max_rows];
    for (int u = 0; u < rows; u++) {
        row[u] = LLVMBuildNSWAdd(g->b, m, tri_cpu_i64(g, u), "");
        acc[u] = tri_cpu_temp(g, vector, "acc");
        LLVMValueRef d = LLVMBuildLoad2(g->b, vector, element_at(x, base[2], row[u], x->n, n), "");
        LLVMSetAlignment(d, x->compute.bits / 8);
        LLVMBuildStore(g->b, d, acc[u]);
    }
    counted k = begin(g, x->k, 1);
    LLVMValueRef right = LLVMBuildLoad2(g->b, vector, element_at(x, base[1], k.i, x->n, n), "");
    LLVMSetAlignment(right, x->compute.bits / 8);
    for (int u = 0; u < rows; u++) {
        LLVMValueRef left = LLVMBuildLoad2(g->b, x->element, element_at(x, base[0], row[u], x->k, k.i), "");
        LLVMValueRef sum = LLVMBuildLoad2(g->b, vector, acc[u], "");
        left = tri_cpu_splat(g, left, lanes > 1 ? lanes : 0);
        LLVMBuildStore(g->b, multiply_add(x, left, right, sum), acc[u]);
    }
    finish(g, &k);
    for (int u = 0; u < rows; u++) {
        LLVMValueRef sum = LLVMBuildLoad2(g->b, vector, acc[u], "");
        LLVMValueRef s = LLVMBuildStore(g->b, sum, element_at(x, base[2], row[u], x->n, n));
        LLVMSetAlignment(s, x->compute.bits / 8);
    }
}

static void multiply(product *x)
{
    tri_cpu_gen *g = x->g;
    int rows = x->m < 4 ? (int)x->m : 4;
    int lanes = x->n < TRI_CPU_LANES ? (int)x->n : TRI_CPU_LANES;
    counted batch = begin(g, x->batch, 1);
    int64_t sizes[3] = {x->m * x->k, x->k * x->n, x->m * x->n};
    LLVMValueRef base[3] = {x->a, x->b, x->d};
    for (int i = 0; i < 3; i++) {
        LLVMValueRef offset = LLVMBuildNSWMul(g->b, batch.i, tri_cpu_i64(g, sizes[i]), "");
        base[i] = LLVMBuildInBoundsGEP2(g->b, x->element, base[i], &offset, 1, "");
    }
    counted n = begin(g, x->n, lanes);
    counted m = begin(g, x->m, rows);
    tile(x, base, m.i, n.i, rows, lanes);
    finish(g, &m);
    finish(g, &n);
    finish(g, &batch);
}

/* ---- where the result goes ---- */

static MlirOperation only_user(MlirValue value, intptr_t *out_operand)
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
    MlirOperation yield = only_user(tri_op_result(op, 0), &slot);
    if (mlirOperationIsNull(yield) || !tri_op_is(yield, "scf.yield") ||
        mlirOperationGetBlock(yield).ptr != mlirOperationGetBlock(op).ptr)
        return NULL;
    MlirOperation loop = mlirBlockGetParentOperation(mlirOperationGetBlock(op));
    if (!tri_op_is(loop, "scf.for"))
        return NULL;
    MlirValue arg = mlirBlockGetArgument(tri_op_body(loop, 0), slot + 1), c = tri_op_operand(op, 2);
    tri_cpu_bind *bind = tri_cpu_find(g, arg);
    bool other = false;
    if (!bind || bind->kind != TRI_CPU_BUFFER || mlirOperationIsNull(only_user(arg, &unused)) ||
        !tri_cpu_reads(g, c, arg, &other) || other)
        return NULL;
    return bind->v;
}

void tri_cpu_multiply(tri_cpu_gen *g, MlirOperation op, tri_cpu_type compute, int64_t batch, int64_t m, int64_t n,
                      int64_t k, LLVMValueRef a, LLVMValueRef b, LLVMValueRef d)
{
    product x = {.g = g, .op = op, .batch = batch, .m = m, .n = n, .k = k, .compute = compute, .a = a, .b = b, .d = d};
    x.element = tri_cpu_llvm_type(g, compute);
    multiply(&x);
}

static void prepare(product *x, MlirOperation op)
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
}

/* d as a lazy conversion has no op to hang on, so it is converted into a buffer of its own type. */
static void narrow_result(product *x)
{
    tri_cpu_gen *g = x->g;
    MlirValue result = tri_op_result(x->op, 0);
    MlirType type = mlirValueGetType(result);
    LLVMValueRef out = tri_cpu_alloc(g, type);
    int64_t count = tri_type_num_elements(type);
    int lanes = count < TRI_CPU_LANES ? (int)count : TRI_CPU_LANES;
    tri_cpu_type to = tri_cpu_type_of(g, type);
    counted c = begin(g, count, lanes);
    LLVMTypeRef vector = tri_cpu_vector(x->element, lanes);
    LLVMValueRef from = LLVMBuildInBoundsGEP2(g->b, x->element, x->d, &c.i, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(g->b, vector, from, "");
    LLVMSetAlignment(v, x->compute.bits / 8);
    v = tri_cpu_convert(g, v, x->compute, to, false);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(g->b, tri_cpu_memory_type(g, to), out, &c.i, 1, "");
    LLVMSetAlignment(LLVMBuildStore(g->b, v, at), to.bits / 8);
    finish(g, &c);
    tri_cpu_bind_buffer(g, result, out);
}

void tri_cpu_dot_op(tri_cpu_gen *g, MlirOperation op)
{
    product x = {.g = g};
    prepare(&x, op);
    MlirValue result = tri_op_result(op, 0), c = tri_op_operand(op, 2);
    MlirType type = tri_type_with_element(mlirValueGetType(result), x.mlir_element);
    bool is_native = mlirTypeEqual(type, mlirValueGetType(result));
    LLVMValueRef place = is_native ? place_in_loop(g, op) : NULL;
    x.d = place ? place : tri_cpu_alloc(g, type);
    size_t mark = g->live.len;
    x.a = pack(&x, tri_op_operand(op, 0));
    x.b = pack(&x, tri_op_operand(op, 1));
    tri_cpu_bind *bind = tri_cpu_find(g, c);
    if (!(bind && bind->kind == TRI_CPU_BUFFER && bind->v == x.d))
        pack_into(&x, c, x.d, x.compute, type);
    multiply(&x);
    tri_cpu_release(g, mark);
    if (is_native)
        tri_cpu_bind_buffer(g, result, x.d);
    else
        narrow_result(&x);
}
