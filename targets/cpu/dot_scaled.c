/* tt.dot_scaled: both operands are decoded and scaled into float blocks, then multiplied as in dot.c. */
#include "targets/cpu/cpu.h"

enum { kind_e4m3 = 0, kind_e5m2 = 1, kind_e2m1 = 4, kind_bf16 = 5, kind_fp16 = 6 };

typedef struct {
    MlirOperation op;
    MlirValue value, scale; /* scale: null value when there is none */
    int64_t kind;
    bool is_right;          /* [K, N] with scales [N, K / factor] */
    int64_t factor, pack;   /* elements per scale and per stored byte */
    bool packs_k;           /* those of a byte are neighbours along K, else along M or N */
    MlirType out_type;
    LLVMValueRef out;
    tri_cpu_val parts[2];   /* decoded and scaled */
} operand;

/* ---- formats ---- */

static LLVMValueRef k(LLVMValueRef like, int64_t value) { return tri_cpu_const_like(LLVMTypeOf(like), value); }

/* 0 .5 1 1.5 2 3 4 6 and their negatives, from the low nibble of an i32 */
static LLVMValueRef decode_e2m1(tri_cpu_gen *g, LLVMValueRef x)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef ft = tri_cpu_like(g->f32, x);
    LLVMValueRef e = LLVMBuildAnd(b, LLVMBuildLShr(b, x, k(x, 1), ""), k(x, 3), "");
    LLVMValueRef m = LLVMBuildAnd(b, x, k(x, 1), "");
    LLVMValueRef fraction = LLVMBuildShl(b, m, k(x, 22), "");
    LLVMValueRef normal =
        LLVMBuildOr(b, LLVMBuildShl(b, LLVMBuildAdd(b, e, k(x, 126), ""), k(x, 23), ""), fraction, "");
    LLVMValueRef tiny = LLVMBuildMul(b, m, k(x, 0x3f000000), "");
    LLVMValueRef is_tiny = LLVMBuildICmp(b, LLVMIntEQ, e, k(x, 0), "");
    LLVMValueRef sign = LLVMBuildShl(b, LLVMBuildAnd(b, x, k(x, 8), ""), k(x, 28), "");
    LLVMValueRef bits = LLVMBuildOr(b, LLVMBuildSelect(b, is_tiny, tiny, normal, ""), sign, "");
    return LLVMBuildBitCast(b, bits, ft, "");
}

static LLVMValueRef decode(tri_cpu_gen *g, const operand *o, LLVMValueRef v, int part)
{
    static const tri_cpu_type types[] = {[kind_e4m3] = {TRI_CPU_E4M3FN, 8},
                                         [kind_e5m2] = {TRI_CPU_E5M2, 8},
                                         [kind_bf16] = {TRI_CPU_BF16, 16},
                                         [kind_fp16] = {TRI_CPU_F16, 16}};
    if (o->kind != kind_e2m1)
        return tri_cpu_widen(g, v, types[o->kind]);
    LLVMValueRef x = LLVMBuildZExt(g->b, v, tri_cpu_like(g->i32, v), "");
    return decode_e2m1(g, part ? LLVMBuildLShr(g->b, x, k(x, 4), "") : x);
}

/* 2^(s - 127); 255 is NaN. */
static LLVMValueRef decode_scale(tri_cpu_gen *g, const operand *o, LLVMValueRef v)
{
    LLVMBuilderRef b = g->b;
    tri_cpu_type type = tri_cpu_type_of(g, mlirValueGetType(o->scale));
    if (type.kind != TRI_CPU_INT)
        return tri_cpu_widen(g, v, type);
    LLVMValueRef x = LLVMBuildZExt(b, v, tri_cpu_like(g->i32, v), "");
    LLVMValueRef bits = LLVMBuildShl(b, x, k(x, 23), "");
    bits = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, x, k(x, 0), ""), k(x, 0x400000), bits, "");
    bits = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, x, k(x, 255), ""), k(x, 0x7fc00000), bits, "");
    return LLVMBuildBitCast(b, bits, tri_cpu_like(g->f32, x), "");
}

/* ---- unpacking ---- */

/* The nest walks (m, block of K, inside) or (block of K, inside, n). */
static tri_cpu_index along_k(const tri_cpu_gen *g, const operand *o, int64_t per_block, int64_t step)
{
    int block = o->is_right ? 0 : 1;
    tri_cpu_index out = {0};
    for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
        out.coef[l] = g->nest->index->at[block].coef[l] * per_block + g->nest->index->at[block + 1].coef[l] * step;
    return out;
}

/* Rows of the left operand, columns of the right one: the nest's own, or one of those in its byte. */
static tri_cpu_index outside_k(const tri_cpu_gen *g, const operand *o, int64_t step, int64_t first)
{
    tri_cpu_index out = g->nest->index->at[o->is_right ? 2 : 0];
    for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
        out.coef[l] *= step;
    out.c = out.c * step + first;
    return out;
}

static const tri_cpu_tuple *pair(tri_cpu_gen *g, const operand *o, tri_cpu_index at_k, tri_cpu_index other)
{
    tri_cpu_tuple t = {.rank = 2};
    t.at[o->is_right ? 0 : 1] = at_k;
    t.at[o->is_right ? 1 : 0] = other;
    return tri_cpu_intern(g, &t);
}

static tri_cpu_val eval_scale(tri_cpu_gen *g, const operand *o, int part)
{
    tri_cpu_tuple t = {.rank = 2};
    t.at[0] = o->packs_k ? outside_k(g, o, 1, 0) : outside_k(g, o, o->pack, part);
    t.at[1] = g->nest->index->at[o->is_right ? 0 : 1];
    return tri_cpu_eval(g, o->scale, tri_cpu_intern(g, &t));
}

static void unpack_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    operand *o = sink->data;
    int64_t per_block = o->packs_k ? o->factor / o->pack : o->factor;
    tri_cpu_val v = tri_cpu_eval(g, o->value, pair(g, o, along_k(g, o, per_block, 1), outside_k(g, o, 1, 0)));
    for (int part = 0; part < o->pack; part++) {
        tri_cpu_val s = {NULL, 0, false};
        if (!mlirValueIsNull(o->scale))
            s = eval_scale(g, o, part);
        bool is_vec = v.is_vec || s.is_vec;
        int level = s.level > v.level ? s.level : v.level;
        tri_cpu_at(g, level);
        LLVMValueRef x = decode(g, o, is_vec ? tri_cpu_as_vector(g, v) : v.v, part);
        if (s.v)
            x = LLVMBuildFMul(g->b, x, decode_scale(g, o, is_vec ? tri_cpu_as_vector(g, s) : s.v), "");
        o->parts[part] = (tri_cpu_val){x, level, is_vec};
    }
}

static void unpack_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    operand *o = sink->data;
    for (int part = 0; part < o->pack; part++) {
        tri_cpu_index at = along_k(g, o, o->factor, o->packs_k ? o->pack : 1), other = outside_k(g, o, 1, 0);
        if (o->packs_k)
            at.c = part;
        else
            other = outside_k(g, o, o->pack, part);
        o->parts[part].level = g->nest->loop_count;
        tri_cpu_buffer_store(g, o->out_type, o->out, pair(g, o, at, other), o->parts[part]);
    }
}

static bool unpack(tri_cpu_gen *g, operand *o)
{
    MlirType type = mlirValueGetType(o->value);
    bool is_known = o->kind == kind_e4m3 || o->kind == kind_e5m2 || o->kind == kind_e2m1 || o->kind == kind_bf16 ||
                    o->kind == kind_fp16;
    if (!is_known || tri_type_rank(type) != 2) {
        tri_cpu_fail(g, o->op, "'tt.dot_scaled' of this operand format is not supported on this target");
        return false;
    }
    int64_t rows = tri_type_dim(type, 0), columns = tri_type_dim(type, 1);
    o->pack = o->kind == kind_e2m1 ? 2 : 1;
    o->packs_k = tri_op_int(o->op, o->is_right ? "rhs_k_pack" : "lhs_k_pack", 1) != 0;
    int64_t depth = (o->is_right ? rows : columns) * (o->packs_k ? o->pack : 1);
    int64_t width = (o->is_right ? columns : rows) * (o->packs_k ? 1 : o->pack);
    o->factor = mlirValueIsNull(o->scale) ? depth : depth / tri_type_dim(mlirValueGetType(o->scale), 1);
    int64_t shape[2] = {o->is_right ? depth : width, o->is_right ? width : depth};
    o->out_type = tri_type_tensor(2, shape, mlirF32TypeGet(mlirOperationGetContext(o->op)), (MlirAttribute){NULL});
    o->out = tri_cpu_alloc(g, o->out_type);
    tri_cpu_sink sink = {.op = o->op, .data = o, .eval = unpack_eval, .write = unpack_write};
    tri_cpu_domain domain = {.rank = 3, .axis = -1, .count = 1, .sinks = &sink};
    int64_t blocks = depth / o->factor, inside = o->packs_k ? o->factor / o->pack : o->factor;
    int64_t left[3] = {rows, blocks, inside}, right[3] = {blocks, inside, columns};
    memcpy(domain.shape, o->is_right ? right : left, sizeof left);
    domain.vec_dim = domain.shape[2] > 1 ? 2 : -1;
    tri_cpu_nest_run(g, &domain);
    return true;
}

void tri_cpu_dot_scaled_op(tri_cpu_gen *g, MlirOperation op)
{
    MlirValue result = tri_op_result(op, 0);
    MlirType type = mlirValueGetType(result);
    if (tri_cpu_type_of(g, type).kind != TRI_CPU_F32) {
        tri_cpu_fail(g, op, "'tt.dot_scaled' with a result other than fp32 is not supported on this target");
        return;
    }
    operand a = {.op = op, .value = tri_op_segment_value(op, 0), .scale = tri_op_segment_value(op, 3)};
    operand b = {
        .op = op, .value = tri_op_segment_value(op, 1), .scale = tri_op_segment_value(op, 4), .is_right = true};
    a.kind = tri_op_int(op, "a_elem_type", 0);
    b.kind = tri_op_int(op, "b_elem_type", 0);
    if (!unpack(g, &a) || !unpack(g, &b))
        return;
    LLVMValueRef d = tri_cpu_alloc(g, type);
    tri_cpu_materialise(g, tri_op_segment_value(op, 2), d);
    tri_cpu_multiply(g, op, (tri_cpu_type){TRI_CPU_F32, 32}, 1, tri_type_dim(type, 0), tri_type_dim(type, 1),
                     tri_type_dim(a.out_type, 1), a.out, b.out, d);
    tri_cpu_bind_buffer(g, result, d);
}
