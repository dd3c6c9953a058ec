/* tt.dot on matrix cores. The layouts say which registers make up each instruction's operands; A and B must agree on
 * the order of K only, so every kWidth works alike. With transposed results the instruction is given B first. */
#include "targets/amdgcn/amdgcn.h"

#include "ir/amd_matrix.h"
#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/type.h"
#include "targets/gpu/dot.h"
#include "targets/gpu/simulate.h"
#include "targets/gpu/tiles.h"

enum { max_width = 32, max_sums = 16 };

/* The dot being lowered. */
typedef struct {
    tri_gpu_tiles t;
    const tri_amd_matrix *row;
    bool is_transposed;
    int version, width, sums;
} dot;

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

static LLVMTypeRef operand_type(const dot *d)
{
    tri_gpu *g = d->t.g;
    int bits = d->width * tri_amd_type_bits(d->row->a);
    switch (d->row->a) {
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

/* Elements of K from k[first] on, of one row of A (column of B), as the instruction takes them. Null when the thread
 * does not hold them. */
static LLVMValueRef gather_words(dot *d, int operand, int64_t batch, int64_t line, int first)
{
    tri_gpu *g = d->t.g;
    LLVMValueRef elements[max_width];
    int reg = tri_gpu_tiles_gather(&d->t, operand, batch, line, d->t.k + first, d->width, elements);
    if (reg < 0)
        return NULL;
    const void *key = (const void *)(uintptr_t)(reg + 1);
    LLVMValueRef packed = tri_map_find_ptr(&d->t.words[operand], key);
    if (packed)
        return packed;
    packed = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(elements[0]), (unsigned)d->width));
    for (int e = 0; e < d->width; e++)
        packed = LLVMBuildInsertElement(g->b, packed, elements[e], tri_gpu_i32(g, e), "");
    packed = LLVMBuildBitCast(g->b, packed, operand_type(d), "");
    tri_map_set_ptr(&d->t.words[operand], key, packed);
    return packed;
}

/* ---- instructions ---- */

/* The form of gfx950 that takes any type of 8 bits and fewer; scales of zero are none. */
static int f8f6f4_arguments(const dot *d, LLVMValueRef *args, int n)
{
    LLVMValueRef zero = tri_gpu_i32(d->t.g, 0);
    tri_amd_type first = d->is_transposed ? d->row->b : d->row->a, second = d->is_transposed ? d->row->a : d->row->b;
    args[n++] = tri_gpu_i32(d->t.g, first == TRI_AMD_BF8);
    args[n++] = tri_gpu_i32(d->t.g, second == TRI_AMD_BF8);
    for (int i = 0; i < 4; i++)
        args[n++] = zero;
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
    LLVMTypeRef overloads[] = {LLVMTypeOf(sums), LLVMTypeOf(a)};
    int n = 0, num_overloads = d->row->kind == TRI_MMA_WMMA ? 2 : 0;
    bool is_any_8 = strstr(d->row->intrinsic, "f8f6f4") != NULL;
    const tri_amd_matrix *named = d->is_transposed ? exchanged(d->row) : d->row;
    if (d->row->kind == TRI_MMA_WMMA && d->row->a == TRI_AMD_I8) { /* signed, and sums wrap */
        LLVMValueRef all[] = {yes, first, yes, second, sums, LLVMConstNull(g->i1)};
        return tri_gpu_intrinsic(g, named->intrinsic, overloads, num_overloads, all, 6);
    }
    args[n++] = first;
    args[n++] = second;
    args[n++] = sums;
    if (is_any_8) {
        n = f8f6f4_arguments(d, args, n);
        overloads[0] = overloads[1];
        num_overloads = 2;
    } else if (d->row->kind == TRI_MMA_MFMA) {
        for (int i = 0; i < 3; i++)
            args[n++] = tri_gpu_i32(g, 0);
    }
    return tri_gpu_intrinsic(g, named->intrinsic, overloads, num_overloads, args, n);
}

/* ... as one primitive of the simulator: the version, words of 64 bits of the first operand, of the second, then the
 * sums. */
static LLVMValueRef simulate_matrix(const dot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sums)
{
    tri_gpu *g = d->t.g;
    LLVMValueRef operands[] = {d->is_transposed ? b : a, d->is_transposed ? a : b}, args[1 + 2 * max_width + max_sums],
                 results[max_sums];
    int n = 1, bits = d->width * tri_amd_type_bits(d->row->a);
    args[0] = tri_gpu_i32(g, d->version);
    for (int i = 0; i < 2; i++) {
        LLVMValueRef whole = LLVMBuildBitCast(g->b, operands[i], LLVMIntTypeInContext(g->llvm, (unsigned)bits), "");
        for (int at = 0; at < bits; at += 64) {
            LLVMValueRef part =
                at ? LLVMBuildLShr(g->b, whole, LLVMConstInt(LLVMTypeOf(whole), (uint64_t)at, false), "") : whole;
            args[n++] = bits > 64 ? LLVMBuildTrunc(g->b, part, g->i64, "") : part;
        }
    }
    for (int i = 0; i < d->sums; i++) {
        args[n++] = LLVMBuildExtractElement(g->b, sums, tri_gpu_i32(g, i), "");
        results[i] = LLVMConstNull(sum_element(d));
    }
    const tri_amd_matrix *named = d->is_transposed ? exchanged(d->row) : d->row;
    tri_simulate_many(g, TRI_MACHINE_COUNT + (int)(named - tri_amd_matrices), args, n, results, d->sums);
    for (int i = 0; i < d->sums; i++)
        sums = LLVMBuildInsertElement(g->b, sums, results[i], tri_gpu_i32(g, i), "");
    return sums;
}

static bool multiply_tile(dot *d, tri_gpu_tile *t, int first_k)
{
    LLVMValueRef a = gather_words(d, 0, t->batch, t->row, first_k), b = gather_words(d, 1, t->batch, t->col, first_k);
    if (!a || !b)
        return tri_gpu_unsupported(d->t.g, d->t.op, "the operands are not laid out for its instruction");
    t->sums[0] = (d->t.g->simulate ? simulate_matrix : emit_matrix)(d, a, b, t->sums[0]);
    return true;
}

static bool cut_tiles(dot *d)
{
    tri_gpu_place places[max_sums];
    for (int i = 0; i < d->sums; i++) {
        int offset = sum_offset(d, i);
        places[i] = d->is_transposed ? (tri_gpu_place){0, offset} : (tri_gpu_place){offset, 0};
    }
    return tri_gpu_tiles_cut(&d->t, d->row->m, d->row->n, d->sums, places);
}

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
    d->version = facts->mma_version;
    d->width = tri_amd_matrix_width(d->row, d->version);
    d->sums = tri_amd_matrix_sums(d->row);
    return true;
}

static bool run_matrix(tri_gpu *g, MlirOperation op, const tri_encoding *e)
{
    dot d = {.is_transposed = e->amd.is_transposed};
    if (!tri_gpu_tiles_start(&d.t, g, op) || !choose_row(&d, e))
        return false;
    if (!d.t.num_k || d.t.num_k % d.width || !cut_tiles(&d))
        return tri_gpu_unsupported(g, op, "its shape is no multiple of the matrix instruction's");
    tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "dot", "%d instructions %s per warp",
                    d.t.count * d.t.num_k / d.width, d.row->name);
    tri_gpu_tiles_load(&d.t, sum_element(&d));
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
    {0},
};
