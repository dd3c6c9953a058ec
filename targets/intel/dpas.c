/* tt.dot on the matrix unit. The layouts say which registers make up each instruction's operands; A and B must agree on
 * the order of K only: the words of B are put together in the order in which the lanes hold A. */
#include "targets/intel/intel.h"

#include "ir/dpas.h"
#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/type.h"
#include "targets/gpu/dot.h"
#include "targets/gpu/simulate.h"
#include "targets/gpu/tiles.h"

/* The dot being lowered. */
typedef struct {
    tri_gpu_tiles t;
    const tri_dpas *row;
    int lanes, width; /* width: elements of a row of A that a lane gives; 0: half of the lanes give the next row */
} dot;

/* K of the element at place `p` of an instruction: lane p / width gives it, as element p % width. The layout has two
 * neighbours of 8 bits in a lane, and what a sub-group of 8 cannot hold side by side in a second run. */
static int64_t k_at(const dot *d, int p)
{
    if (!d->width)
        return p;
    int side = d->row->bits == 8 ? 2 : 1, lane = p / d->width, e = p % d->width;
    return lane * side + e % side + (int64_t)(e / side) * d->lanes * side;
}

/* Elements side by side as `words` integers; SPIR-V has no vectors of more than 16. */
static LLVMValueRef pack_words(dot *d, int operand, int first, LLVMValueRef *elements, int count, int words)
{
    const void *key = (const void *)(uintptr_t)(first + 1);
    tri_gpu *g = d->t.g;
    LLVMValueRef packed = tri_map_find_ptr(&d->t.words[operand], key);
    if (packed)
        return packed;
    packed = tri_gpu_join(g, elements, count, count / words);
    LLVMTypeRef word = LLVMIntTypeInContext(g->llvm, (unsigned)(count / words * d->row->bits));
    packed = LLVMBuildBitCast(g->b, packed, LLVMVectorType(word, (unsigned)words), "");
    tri_map_set_ptr(&d->t.words[operand], key, packed);
    return packed;
}

/* Words of A: for each row the elements that thread 0 holds from K `k` on. */
static LLVMValueRef gather_a(dot *d, const tri_gpu_tile *t, int64_t k)
{
    LLVMValueRef elements[TRI_DPAS_ROWS * 4];
    int n = 0, step = d->width ? 1 : 2, first = -1;
    for (int m = 0; m < TRI_DPAS_ROWS; m += step)
        for (int e = 0; e < (d->width ? d->width : 1); e++) {
            int r = tri_gpu_tiles_find(&d->t, 0, t->batch, (t->row + m) % d->t.rows, k + k_at(d, e));
            if (r < 0)
                return NULL;
            first = n ? first : r;
            elements[n++] = d->t.value[0].at[r];
        }
    return pack_words(d, 0, first, elements, n, TRI_DPAS_ROWS / step);
}

/* Words of B: thread 0 holds all of its column. */
static LLVMValueRef gather_b(dot *d, const tri_gpu_tile *t, int64_t k)
{
    LLVMValueRef elements[TRI_DPAS_STEPS * 4];
    int64_t at[TRI_DPAS_STEPS * 4];
    for (int p = 0; p < d->row->depth; p++)
        at[p] = k + k_at(d, p);
    int first = tri_gpu_tiles_gather(&d->t, 1, t->batch, t->col, at, d->row->depth, elements);
    return first < 0 ? NULL : pack_words(d, 1, first, elements, d->row->depth, TRI_DPAS_STEPS);
}

/* ---- instructions ---- */

/* The OpenCL function's name: A comes in words of 16 bits from sub-groups of 16, of 32 bits from those of 8. */
static const char *mangled(const dot *d)
{
    bool is_narrow = d->lanes == 16, is_i32 = d->row->sum == TRI_DPAS_I32;
    tri_str name = tri_str_format(d->t.g->arena, "intel_sub_group_%s", d->row->function);
    const char *types = is_narrow ? is_i32 ? "Dv8_sDv8_iS0_" : "Dv8_sDv8_iDv8_f"
                        : is_i32  ? "Dv8_iS_S_"
                                  : "Dv8_iS_Dv8_f";
    return tri_str_format(d->t.g->arena, "_Z%zu%.*s%s", name.len, TRI_STR_ARG(name), types).data;
}

static LLVMValueRef emit_dpas(const dot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sums)
{
    LLVMValueRef args[] = {a, b, sums}, words[] = {sums, a, b};
    return d->row->type == TRI_DPAS_TF32
               ? tri_intel_call(d->t.g, d->row->function, LLVMTypeOf(sums), words, 3)
               : tri_intel_call(d->t.g, mangled(d), LLVMTypeOf(sums), args, 3);
}

/* ... as one primitive of the simulator: words of A, of B, then the sums. */
static LLVMValueRef simulate_dpas(const dot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sums)
{
    tri_gpu *g = d->t.g;
    LLVMValueRef args[3 * TRI_DPAS_ROWS], results[TRI_DPAS_ROWS];
    int n = 0, words = d->width ? TRI_DPAS_ROWS : TRI_DPAS_ROWS / 2;
    for (int i = 0; i < words; i++)
        args[n++] = LLVMBuildExtractElement(g->b, a, tri_gpu_i32(g, i), "");
    for (int i = 0; i < TRI_DPAS_STEPS; i++)
        args[n++] = LLVMBuildExtractElement(g->b, b, tri_gpu_i32(g, i), "");
    for (int i = 0; i < TRI_DPAS_ROWS; i++) {
        args[n++] = LLVMBuildExtractElement(g->b, sums, tri_gpu_i32(g, i), "");
        results[i] = LLVMConstNull(LLVMGetElementType(LLVMTypeOf(sums)));
    }
    tri_simulate_many(g, TRI_MACHINE_COUNT + (int)(d->row - tri_dpas_rows), args, n, results, TRI_DPAS_ROWS);
    for (int i = 0; i < TRI_DPAS_ROWS; i++)
        sums = LLVMBuildInsertElement(g->b, sums, results[i], tri_gpu_i32(g, i), "");
    return sums;
}

static bool multiply_tile(dot *d, tri_gpu_tile *t, int64_t k)
{
    LLVMValueRef a = gather_a(d, t, k), b = gather_b(d, t, k);
    if (!a || !b)
        return tri_gpu_unsupported(d->t.g, d->t.op, "the operands are not laid out for its instruction");
    t->sums[0] = (d->t.g->simulate ? simulate_dpas : emit_dpas)(d, a, b, t->sums[0]);
    return true;
}

static bool cut_tiles(dot *d)
{
    tri_gpu_place places[TRI_DPAS_ROWS];
    for (int i = 0; i < TRI_DPAS_ROWS; i++)
        places[i] = (tri_gpu_place){i, 0};
    return tri_gpu_tiles_cut(&d->t, TRI_DPAS_ROWS, d->lanes, TRI_DPAS_ROWS, places);
}

/* ---- the operation ---- */

static bool choose_row(dot *d, const tri_encoding *e)
{
    tri_gpu *g = d->t.g;
    MlirType a = tri_type_element(mlirValueGetType(mlirOperationGetOperand(d->t.op, 0)));
    d->lanes = g->warp_size;
    d->row = tri_dpas_find(g->unit->arch, a, tri_op_int(d->t.op, "inputPrecision", 0) == 0);
    bool is_ours = d->row && d->lanes == g->unit->arch->mma_lanes && e->dpas.execution_size == d->lanes &&
                   e->dpas.threads_per_warp == d->lanes && e->dpas.repeat_count == TRI_DPAS_ROWS &&
                   e->dpas.ops_per_channel == 32 / d->row->bits;
    if (!is_ours)
        return tri_gpu_unsupported(g, d->t.op, "no matrix instruction of this architecture is laid out so");
    d->width = tri_dpas_width(d->row, d->lanes);
    return true;
}

static bool run_dpas(tri_gpu *g, MlirOperation op, const tri_encoding *e)
{
    dot d = {0};
    if (!tri_gpu_tiles_start(&d.t, g, op) || !choose_row(&d, e))
        return false;
    if (d.t.depth % d.row->depth || !cut_tiles(&d))
        return tri_gpu_unsupported(g, op, "its shape is no multiple of the matrix instruction's");
    tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "dot", "%lld instructions %s per sub-group",
                    (long long)(d.t.count * (d.t.depth / d.row->depth)), d.row->name);
    tri_gpu_tiles_load(&d.t);
    for (int64_t k = 0; k < d.t.depth;
         k += d.row->depth) /* neighbours in program order are independent of each other */
        for (int i = 0; i < d.t.count; i++)
            if (!multiply_tile(&d, &d.t.tiles[i], k))
                return false;
    tri_gpu_tiles_store(&d.t, tri_gpu_new(g, d.t.value[2].count));
    return true;
}

/* Products that the matrix unit does not do are multiplied out like on every machine. */
static bool run_product(tri_gpu *g, MlirOperation op)
{
    MlirAttribute encoding = tri_type_encoding(mlirValueGetType(mlirOperationGetResult(op, 0)));
    const tri_encoding *e = mlirAttributeIsNull(encoding) ? NULL : tri_encoding_get(g->arena, encoding);
    return e && e->kind == TRI_ENC_INTEL_DPAS ? run_dpas(g, op, e) : tri_gpu_dot_fma(g, op);
}

const tri_gpu_op tri_intel_ops_dpas[] = {
    {"tt.dot", run_product, NULL},
    {0},
};
