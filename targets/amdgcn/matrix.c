/* tt.dot on matrix cores. The layouts say which registers make up each instruction's operands; A and B must agree on
 * the order of K only, so every kWidth works alike. With transposed results the instruction is given B first. */
#include "targets/amdgcn/matrix.h"

#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/type.h"
#include "targets/gpu/dot.h"
#include "targets/gpu/simulate.h"

typedef tri_amdgcn_dot dot;

/* Row (column, where the result is transposed) of the i-th sum of lane 0. */
static int sum_offset(const dot *d, int i)
{
    if (d->row->sum == TRI_AMD_F64)
        return 4 * i;
    if (d->row->kind == TRI_MMA_MFMA)
        return i % 4 + 8 * (i / 4);
    return d->version == 1 ? 2 * i : i;
}

/* ---- LLVM's types ---- */

static LLVMTypeRef vector_type(LLVMTypeRef element, int count)
{
    return count == 1 ? element : LLVMVectorType(element, (unsigned)count);
}

static LLVMTypeRef sum_element(const dot *d)
{
    if (d->row->sum == TRI_AMD_F64)
        return LLVMDoubleTypeInContext(d->t.g->llvm);
    return d->row->sum == TRI_AMD_I32 ? d->t.g->i32 : d->t.g->f32;
}

static tri_amd_type matrix_type(const dot *d, int operand) { return operand ? d->row->b : d->row->a; }

static LLVMTypeRef operand_type(const dot *d, int operand)
{
    tri_gpu *g = d->t.g;
    int bits = d->width * tri_amd_type_bits(matrix_type(d, operand));
    switch (matrix_type(d, operand)) {
    case TRI_AMD_F16:
        return vector_type(LLVMHalfTypeInContext(g->llvm), d->width);
    case TRI_AMD_BF16: /* those that gfx950 has anew take numbers, the others bits */
        return vector_type(d->row->kind == TRI_MMA_MFMA && d->width == 8 ? LLVMBFloatTypeInContext(g->llvm) : g->i16,
                           d->width);
    case TRI_AMD_F32:
    case TRI_AMD_XF32:
        return vector_type(g->f32, d->width);
    case TRI_AMD_F64:
        return LLVMDoubleTypeInContext(g->llvm);
    default:
        return d->row->kind == TRI_MMA_MFMA && bits == 64 ? g->i64 : vector_type(g->i32, bits / 32);
    }
}

/* ---- operands ---- */

LLVMValueRef tri_amdgcn_gather(dot *d, int operand, int64_t batch, int64_t line, const int64_t *k, int count)
{
    tri_gpu *g = d->t.g;
    LLVMValueRef elements[TRI_AMDGCN_MAX_WIDTH];
    int reg = tri_gpu_tiles_gather(&d->t, operand, batch, line, k, count, elements);
    if (reg < 0)
        return NULL;
    const void *key = (const void *)(uintptr_t)(reg + 1);
    LLVMValueRef packed = tri_map_find_ptr(&d->t.words[operand], key);
    if (packed)
        return packed;
    if (!mlirOperationIsNull(d->late[operand])) {
        tri_gpu_value in = tri_gpu_new(g, count);
        memcpy(in.at, elements, (size_t)count * sizeof *elements);
        if (!tri_gpu_convert_floats(g, d->late[operand], in, elements))
            return NULL;
    }
    packed = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(elements[0]), (unsigned)count));
    for (int e = 0; e < count; e++)
        packed = LLVMBuildInsertElement(g->b, packed, elements[e], tri_gpu_i32(g, e), "");
    packed = LLVMBuildBitCast(g->b, packed, operand_type(d, operand), "");
    tri_map_set_ptr(&d->t.words[operand], key, packed);
    return packed;
}

/* ---- instructions ---- */

/* The scales' word of an operand; without one all of them are 1. */
static LLVMValueRef scale_word(const dot *d, int operand)
{
    return d->scale[operand].word ? d->scale[operand].word : tri_gpu_i32(d->t.g, 0x7f7f7f7f);
}

/* The forms of gfx950 that take any type of 8 bits and fewer: what the operands are, and their scales. Constants of
 * zero for both make it the form without scales. */
static int f8f6f4_arguments(const dot *d, LLVMValueRef *args, int n)
{
    tri_gpu *g = d->t.g;
    for (int i = 0; i < 2; i++) {
        tri_amd_type type = matrix_type(d, d->is_transposed ? 1 - i : i);
        args[n++] = tri_gpu_i32(g, type == TRI_AMD_FP4 ? 4 : type == TRI_AMD_BF8);
    }
    for (int i = 0; i < 2; i++) {
        int operand = d->is_transposed ? 1 - i : i;
        args[n++] = tri_gpu_i32(g, d->scale[operand].byte);
        args[n++] = d->scale[0].word || d->scale[1].word ? scale_word(d, operand) : tri_gpu_i32(g, 0);
    }
    return n;
}

/* The row with the types of A and B exchanged, whose name the instruction of a transposed product has. */
static const tri_amd_matrix *exchanged(const tri_amd_matrix *row)
{
    for (int i = 0; i < tri_amd_matrix_count; i++) {
        const tri_amd_matrix *other = &tri_amd_matrices[i];
        if (other->kind == row->kind && other->m == row->m && other->k == row->k && other->a == row->b &&
            other->b == row->a && other->first == row->first)
            return other;
    }
    return row;
}

static LLVMValueRef emit_matrix(const dot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sums)
{
    tri_gpu *g = d->t.g;
    LLVMValueRef first = d->is_transposed ? b : a, second = d->is_transposed ? a : b,
                 yes = LLVMConstInt(g->i1, 1, false);
    LLVMValueRef args[12];
    LLVMTypeRef overloads[] = {LLVMTypeOf(sums), LLVMTypeOf(first)};
    int n = 0, num_overloads = d->row->kind == TRI_MMA_WMMA ? 2 : 0;
    const tri_amd_matrix *named = d->is_transposed ? exchanged(d->row) : d->row;
    if (d->row->kind == TRI_MMA_WMMA && d->row->a == TRI_AMD_I8) { /* signed, and sums wrap */
        LLVMValueRef all[] = {yes, first, yes, second, sums, LLVMConstNull(g->i1)};
        return tri_gpu_intrinsic(g, named->intrinsic, overloads, num_overloads, all, 6);
    }
    args[n++] = first;
    args[n++] = second;
    args[n++] = sums;
    if (tri_amd_matrix_has_scales(d->row)) {
        n = f8f6f4_arguments(d, args, n);
        overloads[0] = LLVMTypeOf(first);
        overloads[1] = LLVMTypeOf(second);
        num_overloads = 2;
    } else if (d->row->kind == TRI_MMA_MFMA) {
        for (int i = 0; i < 3; i++)
            args[n++] = tri_gpu_i32(g, 0);
    }
    return tri_gpu_intrinsic(g, named->intrinsic, overloads, num_overloads, args, n);
}

/* Words of 64 bits of one operand. */
static int push_words(const dot *d, int operand, LLVMValueRef value, LLVMValueRef *args, int n)
{
    tri_gpu *g = d->t.g;
    int bits = d->width * tri_amd_type_bits(matrix_type(d, operand));
    LLVMValueRef whole = LLVMBuildBitCast(g->b, value, LLVMIntTypeInContext(g->llvm, (unsigned)bits), "");
    for (int at = 0; at < bits; at += 64) {
        LLVMValueRef part =
            at ? LLVMBuildLShr(g->b, whole, LLVMConstInt(LLVMTypeOf(whole), (uint64_t)at, false), "") : whole;
        args[n++] = bits > 64 ? LLVMBuildTrunc(g->b, part, g->i64, "") : part;
    }
    return n;
}

/* ... as one primitive of the simulator: the version, words of the first operand, of the second, the sums; then the
 * scales' word of each and which byte of it. */
static LLVMValueRef simulate_matrix(const dot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sums)
{
    tri_gpu *g = d->t.g;
    int order[] = {d->is_transposed, !d->is_transposed};
    LLVMValueRef operands[] = {a, b}, args[1 + 2 * TRI_AMDGCN_MAX_WIDTH + TRI_AMDGCN_MAX_SUMS + 4],
                 results[TRI_AMDGCN_MAX_SUMS];
    int n = 1;
    args[0] = tri_gpu_i32(g, d->version);
    for (int i = 0; i < 2; i++)
        n = push_words(d, order[i], operands[order[i]], args, n);
    for (int i = 0; i < d->sums; i++) {
        args[n++] = LLVMBuildExtractElement(g->b, sums, tri_gpu_i32(g, i), "");
        results[i] = LLVMConstNull(sum_element(d));
    }
    for (int i = 0; i < 2 && tri_amd_matrix_has_scales(d->row); i++) {
        args[n++] = scale_word(d, order[i]);
        args[n++] = tri_gpu_i32(g, d->scale[order[i]].byte);
    }
    const tri_amd_matrix *named = d->is_transposed ? exchanged(d->row) : d->row;
    tri_simulate_many(g, TRI_MACHINE_COUNT + (int)(named - tri_amd_matrices), args, n, results, d->sums);
    for (int i = 0; i < d->sums; i++)
        sums = LLVMBuildInsertElement(g->b, sums, results[i], tri_gpu_i32(g, i), "");
    return sums;
}

LLVMValueRef tri_amdgcn_multiply(const dot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sums)
{
    return (d->t.g->simulate ? simulate_matrix : emit_matrix)(d, a, b, sums);
}

static bool multiply_tile(dot *d, tri_gpu_tile *t, int first_k)
{
    const int64_t *k = d->t.k + first_k;
    LLVMValueRef a = tri_amdgcn_gather(d, 0, t->batch, t->row, k, d->width),
                 b = tri_amdgcn_gather(d, 1, t->batch, t->col, k, d->width);
    if (!a || !b)
        return tri_gpu_unsupported(d->t.g, d->t.op, "the operands are not laid out for its instruction");
    t->sums[0] = tri_amdgcn_multiply(d, a, b, t->sums[0]);
    return true;
}

bool tri_amdgcn_cut(dot *d)
{
    tri_gpu_place places[TRI_AMDGCN_MAX_SUMS];
    for (int i = 0; i < d->sums; i++) {
        int offset = sum_offset(d, i);
        places[i] = d->is_transposed ? (tri_gpu_place){0, offset} : (tri_gpu_place){offset, 0};
    }
    return tri_gpu_tiles_cut(&d->t, d->row->m, d->row->n, d->sums, places);
}

void tri_amdgcn_take_row(dot *d, const tri_amd_matrix *row)
{
    d->row = row;
    d->version = d->t.g->unit->arch->mma_version;
    d->width = tri_amd_matrix_width(row, d->version);
    d->sums = tri_amd_matrix_sums(row);
}

void tri_amdgcn_load_sums(dot *d) { tri_gpu_tiles_load(&d->t); }

/* ---- the operation ---- */

static bool choose_row(dot *d, const tri_encoding *e)
{
    const tri_machine_facts *facts = d->t.g->unit->arch;
    bool is_tf32 = tri_op_int(d->t.op, "inputPrecision", 0) == 0;
    tri_amd_type types[2];
    for (int i = 0; i < 2; i++)
        types[i] =
            tri_amd_type_of(facts, tri_type_element(mlirValueGetType(mlirOperationGetOperand(d->t.op, i))), is_tf32);
    MlirType sum = tri_type_element(mlirValueGetType(mlirOperationGetOperand(d->t.op, 2)));
    d->row = tri_amd_matrix_find(facts, types[0], types[1], e->instr_shape[0], e->instr_shape[2]);
    if (!d->row || LLVMGetTypeKind(tri_gpu_type(d->t.g, sum)) != LLVMGetTypeKind(sum_element(d)) ||
        e->version_major != facts->mma_version)
        return tri_gpu_unsupported(d->t.g, d->t.op,
                                   "no matrix instruction of this architecture takes these element types");
    tri_amdgcn_take_row(d, d->row);
    return true;
}

static bool run_matrix(tri_gpu *g, MlirOperation op, const tri_encoding *e)
{
    dot d = {.is_transposed = e->amd.is_transposed};
    if (!tri_gpu_tiles_start(&d.t, g, op) || !choose_row(&d, e))
        return false;
    for (int i = 0; i < 2; i++) {
        MlirOperation def = tri_op_def(mlirOperationGetOperand(op, i));
        if (!mlirOperationIsNull(def) && tri_gpu_converts_late(g, def))
            d.late[i] = def;
    }
    if (!d.t.num_k || d.t.num_k % d.width || !tri_amdgcn_cut(&d))
        return tri_gpu_unsupported(g, op, "its shape is no multiple of the matrix instruction's");
    tri_gpu_remark_dot(g, op, d.t.count * d.t.num_k / d.width, d.row->name, "per warp");
    tri_amdgcn_load_sums(&d);
    for (int k = 0; k < d.t.num_k; k += d.width) /* neighbours in program order are independent of each other */
        for (int i = 0; i < d.t.count; i++)
            if (!multiply_tile(&d, &d.t.tiles[i], k))
                return false;
    tri_gpu_tiles_store(&d.t, tri_gpu_new(g, d.t.value[2].count));
    return true;
}

/* Products that no matrix instruction does are multiplied out like on every machine. */
static bool run_product(tri_gpu *g, MlirOperation op)
{
    MlirAttribute encoding = tri_type_encoding(mlirValueGetType(mlirOperationGetResult(op, 0)));
    const tri_encoding *e = mlirAttributeIsNull(encoding) ? NULL : tri_encoding_get(g->arena, encoding);
    if (e && (e->kind == TRI_ENC_AMD_MFMA || e->kind == TRI_ENC_AMD_WMMA))
        return run_matrix(g, op, e);
    return e && e->kind == TRI_ENC_NVIDIA_MMA
               ? tri_gpu_unsupported(g, op, "its layout is one of matrix instructions that the device does not have")
               : tri_gpu_dot_fma(g, op);
}

const tri_gpu_op tri_amdgcn_ops_matrix[] = {
    {"tt.dot", run_product, NULL},
    {"tt.dot_scaled", tri_amdgcn_run_scaled, NULL},
    {"amdg.in_thread_transpose", tri_gpu_run_convert, NULL}, /* other numbers of the same registers */
    {0},
};
