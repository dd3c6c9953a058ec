/* tt.dot on the matrix unit. The layouts say which registers make up each instruction's operands; A and B must agree on
 * the order of K only: the words of B are put together in the order in which the lanes hold A. */
#include "targets/intel/intel.h"

#include "ir/dpas.h"
#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/type.h"
#include "targets/gpu/access.h"
#include "targets/gpu/dot.h"
#include "targets/gpu/simulate.h"

/* The dot being lowered. */
typedef struct {
    tri_gpu *g;
    MlirOperation op;
    const tri_dpas *row;
    int rank, lanes, width, ops; /* width: of A, elements of a row that a lane gives; ops: of B, those of a word */
    tri_gpu_layout *layout[3];
    tri_gpu_value value[3];
    int64_t rows, cols, depth; /* of the tensors; fewer than the instruction's are taken as if they repeated */
    tri_map registers[3];      /* packed coordinates of thread 0 -> register */
    tri_map words[2];          /* first register of an operand -> packed LLVM value */
} dot;

/* A tile of the result at a place: the registers of one instruction's sums. */
typedef struct {
    int64_t batch, row, col;
    int reg[TRI_DPAS_ROWS];
    LLVMValueRef sums;
} tile;

static int find_held(dot *d, int operand, int64_t batch, int64_t row, int64_t col)
{
    uint64_t coords[TRI_MAX_RANK] = {0};
    if (d->rank == 3)
        coords[0] = (uint64_t)batch;
    coords[d->rank - 2] = (uint64_t)row;
    coords[d->rank - 1] = (uint64_t)col;
    return tri_gpu_find_register(&d->registers[operand], &d->layout[operand]->linear, d->rank, coords);
}

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
    tri_gpu *g = d->g;
    LLVMValueRef packed = tri_map_find_ptr(&d->words[operand], key);
    if (packed)
        return packed;
    int each = count / words;
    LLVMTypeRef word = LLVMIntTypeInContext(g->llvm, (unsigned)(each * d->row->bits));
    packed = LLVMGetPoison(LLVMVectorType(word, (unsigned)words));
    for (int w = 0; w < words; w++) {
        LLVMValueRef part = elements[w * each];
        if (each > 1) {
            part = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(part), (unsigned)each));
            for (int e = 0; e < each; e++)
                part = LLVMBuildInsertElement(g->b, part, elements[w * each + e], tri_gpu_i32(g, e), "");
        }
        packed = LLVMBuildInsertElement(g->b, packed, LLVMBuildBitCast(g->b, part, word, ""), tri_gpu_i32(g, w), "");
    }
    tri_map_set_ptr(&d->words[operand], key, packed);
    return packed;
}

/* Words of A: for each row the elements that thread 0 holds from K `k` on. */
static LLVMValueRef gather_a(dot *d, const tile *t, int64_t k)
{
    LLVMValueRef elements[TRI_DPAS_ROWS * 4];
    int n = 0, step = d->width ? 1 : 2, first = -1;
    for (int m = 0; m < TRI_DPAS_ROWS; m += step)
        for (int e = 0; e < (d->width ? d->width : 1); e++) {
            int r = find_held(d, 0, t->batch, (t->row + m) % d->rows, k + k_at(d, e));
            if (r < 0)
                return NULL;
            first = n ? first : r;
            elements[n++] = d->value[0].at[r];
        }
    return pack_words(d, 0, first, elements, n, TRI_DPAS_ROWS / step);
}

/* Words of B: thread 0 holds all of its column. */
static LLVMValueRef gather_b(dot *d, const tile *t, int64_t k)
{
    LLVMValueRef elements[TRI_DPAS_STEPS * 4];
    int first = -1;
    for (int p = 0; p < d->row->depth; p++) {
        int r = find_held(d, 1, t->batch, k + k_at(d, p), t->col % d->cols);
        if (r < 0)
            return NULL;
        first = p ? first : r;
        elements[p] = d->value[1].at[r];
    }
    return pack_words(d, 1, first, elements, d->row->depth, TRI_DPAS_STEPS);
}

/* ---- instructions ---- */

/* The OpenCL function's name: A comes in words of 16 bits from sub-groups of 16, of 32 bits from those of 8. */
static const char *mangled(const dot *d)
{
    bool is_narrow = d->lanes == 16, is_i32 = d->row->sum == TRI_DPAS_I32;
    tri_str name = tri_str_format(d->g->arena, "intel_sub_group_%s", d->row->function);
    const char *types = is_narrow ? is_i32 ? "Dv8_sDv8_iS0_" : "Dv8_sDv8_iDv8_f"
                        : is_i32  ? "Dv8_iS_S_"
                                  : "Dv8_iS_Dv8_f";
    return tri_str_format(d->g->arena, "_Z%zu%.*s%s", name.len, TRI_STR_ARG(name), types).data;
}

static void make_convergent(tri_gpu *g, LLVMValueRef function)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("convergent", strlen("convergent"));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(g->llvm, kind, 0));
}

static LLVMValueRef emit_dpas(const dot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sums)
{
    tri_gpu *g = d->g;
    const char *name = mangled(d);
    if (!d->width) /* tf32: the function takes eight shorts all the same */
        a = LLVMBuildBitCast(g->b, a, LLVMVectorType(g->i16, TRI_DPAS_ROWS), "");
    LLVMValueRef args[] = {a, b, sums}, callee = LLVMGetNamedFunction(g->module, name);
    if (!callee) {
        LLVMTypeRef types[] = {LLVMTypeOf(a), LLVMTypeOf(b), LLVMTypeOf(sums)};
        callee = LLVMAddFunction(g->module, name, LLVMFunctionType(types[2], types, 3, false));
        LLVMSetFunctionCallConv(callee, g->machine->function_convention);
        make_convergent(g, callee);
    }
    LLVMValueRef call = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(callee), callee, args, 3, "");
    LLVMSetInstructionCallConv(call, g->machine->function_convention);
    return call;
}

/* ... as one primitive of the simulator: words of A, of B, then the sums. */
static LLVMValueRef simulate_dpas(const dot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sums)
{
    tri_gpu *g = d->g;
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

static bool multiply_tile(dot *d, tile *t, int64_t k)
{
    LLVMValueRef a = gather_a(d, t, k), b = gather_b(d, t, k);
    if (!a || !b)
        return tri_gpu_unsupported(d->g, d->op, "the operands are not laid out for its instruction");
    t->sums = (d->g->simulate ? simulate_dpas : emit_dpas)(d, a, b, t->sums);
    return true;
}

/* ---- tiles ---- */

/* Tiles of the result, in register order. False when it is not made of them. */
static bool collect_tiles(dot *d, tile **out_tiles, int *out_count)
{
    const tri_linear *l = &d->layout[2]->linear;
    int count = 0;
    tile *tiles = TRI_NEW_ARRAY(d->g->arena, tile, d->value[2].count);
    for (int r = 0; r < d->value[2].count; r++) {
        uint64_t packed = tri_linear_apply_one(l, TRI_DIM_REGISTER, (uint64_t)r);
        tile t = {.batch = d->rank == 3 ? tri_linear_coord(l, packed, TRI_DIM_0) : 0};
        t.row = tri_linear_coord(l, packed, (tri_dim)(TRI_DIM_0 + d->rank - 2));
        t.col = tri_linear_coord(l, packed, (tri_dim)(TRI_DIM_0 + d->rank - 1));
        if (t.row % TRI_DPAS_ROWS || t.col % d->lanes)
            continue;
        for (int i = 0; i < TRI_DPAS_ROWS; i++) {
            t.reg[i] = find_held(d, 2, t.batch, (t.row + i) % d->rows, t.col);
            if (t.reg[i] < 0)
                return false;
        }
        if (t.reg[0] == r) /* else a copy of a tile that is there already */
            tiles[count++] = t;
    }
    *out_tiles = tiles;
    *out_count = count;
    return count > 0;
}

/* ---- the operation ---- */

static bool start_dot(dot *d, const tri_encoding *e)
{
    tri_gpu *g = d->g;
    for (int i = 0; i < 3; i++) {
        d->layout[i] = tri_gpu_layout_of(g, d->op, mlirValueGetType(mlirOperationGetOperand(d->op, i)));
        if (!d->layout[i])
            return false;
        d->value[i] = tri_gpu_operand(g, d->op, i);
        d->registers[i] = tri_gpu_index_registers(g, d->layout[i]);
        if (i < 2)
            tri_map_init(&d->words[i], g->arena);
    }
    MlirType a = mlirValueGetType(mlirOperationGetOperand(d->op, 0)),
             result = mlirValueGetType(mlirOperationGetOperand(d->op, 2));
    d->rank = tri_type_rank(result);
    d->rows = tri_type_dim(result, d->rank - 2);
    d->cols = tri_type_dim(result, d->rank - 1);
    d->depth = tri_type_dim(a, d->rank - 1);
    d->lanes = g->warp_size;
    d->row = tri_dpas_find(g->unit->arch, tri_type_element(a), tri_op_int(d->op, "inputPrecision", 0) == 0);
    bool is_ours = d->row && d->lanes == g->unit->arch->mma_lanes && e->dpas.execution_size == d->lanes &&
                   e->dpas.threads_per_warp == d->lanes && e->dpas.repeat_count == TRI_DPAS_ROWS &&
                   e->dpas.ops_per_channel == 32 / d->row->bits;
    if (!is_ours)
        return tri_gpu_unsupported(g, d->op, "no matrix instruction of this architecture is laid out so");
    d->width = tri_dpas_width(d->row, d->lanes);
    d->ops = 32 / d->row->bits;
    return true;
}

static bool run_dpas(tri_gpu *g, MlirOperation op, const tri_encoding *e)
{
    dot d = {.g = g, .op = op};
    tile *tiles;
    int count;
    if (!start_dot(&d, e))
        return false;
    if (d.depth % d.row->depth || !collect_tiles(&d, &tiles, &count))
        return tri_gpu_unsupported(g, op, "its shape is no multiple of the matrix instruction's");
    tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "dot", "%lld instructions %s per sub-group",
                    (long long)(count * (d.depth / d.row->depth)), d.row->name);
    for (int i = 0; i < count; i++) {
        LLVMTypeRef element = d.row->sum == TRI_DPAS_I32 ? g->i32 : g->f32;
        tiles[i].sums = LLVMGetPoison(LLVMVectorType(element, TRI_DPAS_ROWS));
        for (int s = 0; s < TRI_DPAS_ROWS; s++)
            tiles[i].sums = LLVMBuildInsertElement(g->b, tiles[i].sums, d.value[2].at[tiles[i].reg[s]],
                                                   tri_gpu_i32(g, s), "");
    }
    for (int64_t k = 0; k < d.depth; k += d.row->depth) /* neighbours in program order are independent of each other */
        for (int i = 0; i < count; i++)
            if (!multiply_tile(&d, &tiles[i], k))
                return false;
    tri_gpu_value out = tri_gpu_new(g, d.value[2].count);
    for (int i = 0; i < count; i++)
        for (int s = 0; s < TRI_DPAS_ROWS; s++)
            out.at[tiles[i].reg[s]] = LLVMBuildExtractElement(g->b, tiles[i].sums, tri_gpu_i32(g, s), "");
    for (int r = 0; r < out.count; r++)
        out.at[r] = out.at[(uint64_t)r & ~d.layout[2]->replicas.reg];
    tri_gpu_set_result(g, op, 0, out);
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
