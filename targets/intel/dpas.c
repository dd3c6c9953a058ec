/* tt.dot on the matrix unit. The layouts say which registers make up each instruction's operands. */
#include "targets/intel/intel.h"

#include "ir/dpas.h"
#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/type.h"
#include "targets/gpu/dot.h"
#include "targets/gpu/fp8.h"
#include "targets/gpu/simulate.h"
#include "targets/gpu/tiles.h"

/* The dot being lowered. */
typedef struct {
    tri_gpu_tiles t;
    const tri_dpas *row;
    int lanes, width; /* width: elements of a row of A that a lane gives; 0: half of the lanes give the next row */
    int rows;         /* of A in an instruction */
    MlirType sum;     /* of the result: halves are added up in f32 */
    tri_intel_part *part[2]; /* operands that are still to be loaded; null: they have been */
} dot;

/* The register of an element, loaded; -1: the thread does not hold it. */
static int find_loaded(dot *d, int operand, int64_t batch, int64_t row, int64_t col)
{
    int r = tri_gpu_tiles_find(&d->t, operand, batch, row, col);
    if (r >= 0 && d->part[operand])
        tri_intel_part_load(d->part[operand], r, &d->t.value[operand]);
    return r;
}

/* Elements side by side as `words` integers; SPIR-V has no vectors of more than 16. */
static LLVMValueRef pack_words(dot *d, int operand, int first, LLVMValueRef *elements, int count, int words)
{
    const void *key = (const void *)(uintptr_t)(first + 1);
    tri_gpu *g = d->t.g;
    LLVMValueRef packed = tri_map_find_ptr(&d->t.words[operand], key);
    if (packed)
        return packed;
    LLVMTypeRef word = LLVMIntTypeInContext(g->llvm, (unsigned)(count / words * d->row->bits));
    packed = count > 1 ? tri_gpu_join(g, elements, count, count / words) : elements[0];
    packed = LLVMBuildBitCast(g->b, packed, words > 1 ? LLVMVectorType(word, (unsigned)words) : word, "");
    tri_map_set_ptr(&d->t.words[operand], key, packed);
    return packed;
}

/* Words of A: for each row the elements that thread 0 holds from K `k` on. */
static LLVMValueRef gather_a(dot *d, const tri_gpu_tile *t, int64_t k)
{
    LLVMValueRef elements[TRI_DPAS_ROWS * 4];
    int n = 0, step = d->width ? 1 : 2, first = -1;
    for (int m = 0; m < d->rows; m += step)
        for (int e = 0; e < (d->width ? d->width : 1); e++) {
            int r = find_loaded(d, 0, t->batch, (t->row + m) % d->t.rows, k + e);
            if (r < 0)
                return NULL;
            first = n ? first : r;
            elements[n++] = d->t.value[0].at[r];
        }
    return pack_words(d, 0, first, elements, n, d->rows / step);
}

/* Words of B: thread 0 holds all of its column. */
static LLVMValueRef gather_b(dot *d, const tri_gpu_tile *t, int64_t k)
{
    LLVMValueRef elements[TRI_DPAS_STEPS * 4];
    int64_t at[TRI_DPAS_STEPS * 4];
    for (int p = 0; p < d->row->depth; p++) {
        at[p] = k + p;
        find_loaded(d, 1, t->batch, at[p], t->col % d->t.cols);
    }
    int first = tri_gpu_tiles_gather(&d->t, 1, t->batch, t->col, at, d->row->depth, elements);
    return first < 0 ? NULL : pack_words(d, 1, first, elements, d->row->depth, TRI_DPAS_STEPS);
}

/* ---- instructions ---- */

/* A type as a mangled name has it: "Dv8_s", or a letter alone. */
static tri_str mangled_type(const dot *d, int count, char letter)
{
    return count > 1 ? tri_str_format(d->t.g->arena, "Dv%d_%c", count, letter)
                     : tri_str_format(d->t.g->arena, "%c", letter);
}

/* The OpenCL function's name: A comes in words of 16 bits from sub-groups of 16, of 32 bits from those of 8. What stood
 * in it before is named by its number. */
static const char *mangled(const dot *d)
{
    tri_arena *arena = d->t.g->arena;
    tri_str name = tri_str_format(arena, "intel_sub_group_%s", d->row->function);
    tri_str a = mangled_type(d, d->rows, d->lanes == 16 ? 's' : 'i'), b = mangled_type(d, TRI_DPAS_STEPS, 'i');
    tri_str c = mangled_type(d, d->rows, d->row->sum == TRI_DPAS_I32 ? 'i' : 'f');
    tri_str second = tri_str_equal(b, a) ? TRI_STR("S_") : b;
    tri_str third = !tri_str_has_prefix(c, "D") ? c
                    : tri_str_equal(c, a)       ? TRI_STR("S_")
                    : tri_str_equal(c, b)       ? tri_str_has_prefix(a, "D") ? TRI_STR("S0_") : TRI_STR("S_")
                                                : c;
    return tri_str_format(arena, "_Z%zu%.*s%.*s%.*s%.*s", name.len, TRI_STR_ARG(name), TRI_STR_ARG(a),
                          TRI_STR_ARG(second), TRI_STR_ARG(third))
        .data;
}

static LLVMValueRef emit_dpas(const dot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sums)
{
    LLVMValueRef args[] = {a, b, sums}, words[] = {sums, a, b};
    if (d->row->type != TRI_DPAS_TF32)
        return tri_intel_call(d->t.g, mangled(d), LLVMTypeOf(sums), args, 3);
    tri_str name = tri_str_format(d->t.g->arena, "%s_%d", d->row->function, d->rows);
    return tri_intel_call(d->t.g, name.data, LLVMTypeOf(sums), words, 3);
}

/* Word i of what may be one alone; those that an instruction of fewer rows has not are zero. */
static LLVMValueRef word_of(tri_gpu *g, LLVMValueRef words, int i)
{
    LLVMTypeRef type = LLVMTypeOf(words);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return i ? LLVMConstNull(type) : words;
    return i < (int)LLVMGetVectorSize(type) ? LLVMBuildExtractElement(g->b, words, tri_gpu_i32(g, i), "")
                                            : LLVMConstNull(LLVMGetElementType(type));
}

/* ... as one primitive of the simulator: words of A, of B, then the sums. */
static LLVMValueRef simulate_dpas(const dot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sums)
{
    tri_gpu *g = d->t.g;
    LLVMValueRef args[3 * TRI_DPAS_ROWS], results[TRI_DPAS_ROWS];
    LLVMTypeRef type = LLVMTypeOf(sums);
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    int n = 0, words = d->width ? TRI_DPAS_ROWS : TRI_DPAS_ROWS / 2;
    for (int i = 0; i < words; i++)
        args[n++] = word_of(g, a, i);
    for (int i = 0; i < TRI_DPAS_STEPS; i++)
        args[n++] = word_of(g, b, i);
    for (int i = 0; i < TRI_DPAS_ROWS; i++) {
        args[n++] = word_of(g, sums, i);
        results[i] = LLVMConstNull(is_vector ? LLVMGetElementType(type) : type);
    }
    tri_simulate_many(g, TRI_MACHINE_COUNT + (int)(d->row - tri_dpas_rows), args, n, results, TRI_DPAS_ROWS);
    if (!is_vector)
        return results[0];
    for (int i = 0; i < d->rows; i++)
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
    for (int i = 0; i < d->rows; i++)
        places[i] = (tri_gpu_place){i, 0};
    return tri_gpu_tiles_cut(&d->t, d->rows, d->lanes, d->rows, places);
}

/* ---- sums of halves ---- */

static bool sums_halves(const dot *d) { return tri_type_bits(d->sum) == 16; }

static void widen_sums(dot *d)
{
    tri_gpu *g = d->t.g;
    tri_gpu_value wide = tri_gpu_new(g, d->t.value[2].count);
    for (int i = 0; i < wide.count; i++) {
        LLVMValueRef x = d->t.value[2].at[i];
        wide.at[i] = tri_gpu_is_narrow(g, d->sum) ? tri_gpu_from_narrow(g, d->sum, x)
                                                  : LLVMBuildFPExt(g->b, x, g->f32, "");
    }
    d->t.value[2] = wide;
}

static void round_sums(const dot *d, tri_gpu_value out)
{
    tri_gpu *g = d->t.g;
    LLVMTypeRef half = tri_gpu_type(g, d->sum);
    for (int i = 0; i < out.count; i++)
        if (out.at[i])
            out.at[i] = tri_gpu_is_narrow(g, d->sum) ? tri_gpu_to_narrow(g, d->sum, out.at[i], false)
                                                     : LLVMBuildFPTrunc(g->b, out.at[i], half, "");
}

/* ---- the operation ---- */

static bool choose_row(dot *d, const tri_encoding *e)
{
    tri_gpu *g = d->t.g;
    MlirType a = tri_type_element(mlirValueGetType(mlirOperationGetOperand(d->t.op, 0)));
    int rows = d->rows = e->dpas.repeat_count;
    d->lanes = g->warp_size;
    d->sum = tri_type_element(mlirValueGetType(mlirOperationGetResult(d->t.op, 0)));
    d->row = tri_dpas_find(g->unit->arch, a, tri_op_int(d->t.op, "inputPrecision", 0) == 0);
    bool is_ours = d->row && d->lanes == g->unit->arch->mma_lanes && e->dpas.execution_size == d->lanes &&
                   e->dpas.threads_per_warp == d->lanes && (rows == 1 || rows == 2 || rows == 4 || rows == 8) &&
                   e->dpas.ops_per_channel == 32 / d->row->bits && (d->row->type != TRI_DPAS_TF32 || rows > 1);
    if (!is_ours)
        return tri_gpu_unsupported(g, d->t.op, "no matrix instruction of this architecture is laid out so");
    d->width = tri_dpas_width(d->row, d->lanes);
    return true;
}

static void finish_sums(dot *d)
{
    tri_gpu_value out = tri_gpu_new(d->t.g, d->t.value[2].count);
    for (int i = 0; i < d->t.count; i++) {
        LLVMValueRef sums[TRI_DPAS_ROWS] = {d->t.tiles[i].sums[0]};
        if (d->rows > 1)
            tri_gpu_split(d->t.g, d->t.tiles[i].sums[0], sums);
        for (int m = 0; m < d->rows; m++)
            out.at[d->t.tiles[i].reg[m]] = sums[m];
    }
    if (sums_halves(d))
        round_sums(d, out);
    tri_gpu_tiles_finish(&d->t, out);
}

static bool run_dpas(tri_gpu *g, MlirOperation op, const tri_encoding *e)
{
    dot d = {0};
    if (!tri_gpu_tiles_start(&d.t, g, op) || !choose_row(&d, e))
        return false;
    if (d.t.depth % d.row->depth || !cut_tiles(&d))
        return tri_gpu_unsupported(g, op, "its shape is no multiple of the matrix instruction's");
    tri_gpu_remark_dot(g, op, d.t.count * (d.t.depth / d.row->depth), d.row->name, "per sub-group");
    if (sums_halves(&d))
        widen_sums(&d);
    for (int i = 0; i < 2; i++)
        d.part[i] = tri_intel_part_open(g, tri_op_operand(op, i));
    tri_gpu_tiles_load(&d.t);
    for (int i = 0; d.rows == 1 && i < d.t.count; i++)
        d.t.tiles[i].sums[0] = d.t.value[2].at[d.t.tiles[i].reg[0]];
    for (int64_t k = 0; k < d.t.depth;
         k += d.row->depth) /* neighbours in program order are independent of each other */
        for (int i = 0; i < d.t.count; i++)
            if (!multiply_tile(&d, &d.t.tiles[i], k))
                return false;
    finish_sums(&d);
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
