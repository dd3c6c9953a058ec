/* tt.dot on tensor cores: mma.sync. The layouts say which registers make up each instruction's operands;
 * A and B must agree on the order of K only, so every kWidth works alike. */
#include "ir/encoding.h"
#include "ir/type.h"
#include "targets/gpu/access.h"
#include "targets/gpu/dot.h"
#include "targets/nvptx/nvptx.h"

/* One instruction: its primitive, and how many elements a register word of A and B holds. */
typedef struct {
    int id;
    int per_word;        /* elements in a word of A and B */
    int k_words;         /* words along K that one thread gives per row */
    bool packs_halves;   /* A and B words are <2 x half> */
    bool packs_result;   /* C and D words are <2 x half> */
} instruction;

static bool is_f16(MlirType t) { return mlirTypeIsAF16(t); }

static bool choose_mma(MlirType a, MlirType b, MlirType c, instruction *out)
{
    bool to_f32 = mlirTypeIsAF32(c);
    if (is_f16(a) && is_f16(b) && (to_f32 || is_f16(c))) {
        *out = (instruction){to_f32 ? TRI_NVPTX_mma_m16n8k16_f16_f32 : TRI_NVPTX_mma_m16n8k16_f16_f16, 2, 2, true,
                             !to_f32};
        return true;
    }
    bool a_e4m3 = mlirTypeIsAFloat8E4M3FN(a), b_e4m3 = mlirTypeIsAFloat8E4M3FN(b);
    bool a_e5m2 = mlirTypeIsAFloat8E5M2(a), b_e5m2 = mlirTypeIsAFloat8E5M2(b);
    if ((a_e4m3 || a_e5m2) && (b_e4m3 || b_e5m2) && to_f32) {
        static const int ids[2][2] = {
            {TRI_NVPTX_mma_m16n8k32_e4m3_e4m3, TRI_NVPTX_mma_m16n8k32_e4m3_e5m2},
            {TRI_NVPTX_mma_m16n8k32_e5m2_e4m3, TRI_NVPTX_mma_m16n8k32_e5m2_e5m2}};
        *out = (instruction){ids[a_e5m2][b_e5m2], 4, 2, false, false};
        return true;
    }
    *out = (instruction){-1, 1, 2, false, false};
    if (mlirTypeIsABF16(a) && mlirTypeIsABF16(b) && to_f32)
        *out = (instruction){TRI_NVPTX_mma_m16n8k16_bf16_f32, 2, 2, false, false};
    else if (mlirTypeIsAF32(a) && mlirTypeIsAF32(b) && to_f32)
        *out = (instruction){TRI_NVPTX_mma_m16n8k8_tf32_f32, 1, 2, false, false};
    else if (mlirTypeIsAF64(a) && mlirTypeIsAF64(b) && mlirTypeIsAF64(c))
        *out = (instruction){TRI_NVPTX_mma_m8n8k4_f64, 1, 1, false, false};
    else if (tri_type_is_int_of(a, 8) && tri_type_is_int_of(b, 8) && tri_type_is_int_of(c, 32))
        *out = (instruction){TRI_NVPTX_mma_m16n8k32_s8, 4, 2, false, false};
    return out->id != -1;
}

/* The dot being lowered. */
typedef struct {
    tri_gpu *g;
    MlirOperation op;
    instruction in;
    int rank;
    tri_gpu_layout *layout[3];
    tri_gpu_value value[3];
    int64_t rows, cols;     /* of the result; fewer than the instruction's are taken as if they repeated */
    tri_map registers[3];   /* packed coordinates of thread 0 -> register */
    tri_map words[2];       /* first register of a word -> packed LLVM value */
    int64_t *k;             /* K coordinates that thread 0 holds, ascending */
    int num_k;
} dot;

static int find_mma(dot *d, int operand, int64_t batch, int64_t row, int64_t col)
{
    uint64_t coords[TRI_MAX_RANK] = {0};
    if (d->rank == 3)
        coords[0] = (uint64_t)batch;
    coords[d->rank - 2] = (uint64_t)row;
    coords[d->rank - 1] = (uint64_t)col;
    return tri_gpu_find_register(&d->registers[operand], &d->layout[operand]->linear, d->rank, coords);
}

/* Elements of K from k[first] on, of one row of A (or column of B), as one register word. Null when
 * the thread does not hold them. */
static LLVMValueRef word(dot *d, int operand, int64_t batch, int64_t line, int first)
{
    tri_gpu *g = d->g;
    LLVMValueRef elements[4];
    int reg = -1;
    for (int e = 0; e < d->in.per_word; e++) {
        int64_t k = d->k[first + e];
        int r = operand == 0 ? find_mma(d, 0, batch, line % d->rows, k) : find_mma(d, 1, batch, k, line % d->cols);
        if (r < 0)
            return NULL;
        if (e == 0)
            reg = r;
        elements[e] = d->value[operand].at[r];
    }
    const void *key = (const void *)(uintptr_t)(reg + 1);
    LLVMValueRef packed = tri_map_find_ptr(&d->words[operand], key);
    if (packed)
        return packed;
    tri_gpu_packing p = tri_gpu_plan_packing(g, LLVMTypeOf(elements[0]), d->in.per_word);
    if (d->in.id == TRI_NVPTX_mma_m8n8k4_f64)
        packed = elements[0];
    else
        tri_gpu_pack(g, &p, elements, &packed);
    if (d->in.packs_halves)
        packed = LLVMBuildBitCast(g->b, packed, LLVMVectorType(LLVMHalfTypeInContext(g->llvm), 2), "");
    tri_map_set_ptr(&d->words[operand], key, packed);
    return packed;
}

/* Registers of the accumulator that one instruction covers: a tile of M x N at a place. */
typedef struct {
    int64_t batch, row, col;
    int reg[4];
    LLVMValueRef acc[4]; /* words */
} tile;

static int tile_registers(const dot *d) { return d->in.id == TRI_NVPTX_mma_m8n8k4_f64 ? 2 : 4; }

static LLVMValueRef pair(tri_gpu *g, LLVMValueRef low, LLVMValueRef high)
{
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(low), 2));
    v = LLVMBuildInsertElement(g->b, v, low, tri_gpu_i32(g, 0), "");
    return LLVMBuildInsertElement(g->b, v, high, tri_gpu_i32(g, 1), "");
}

static bool multiply(dot *d, tile *t, int first_k)
{
    tri_gpu *g = d->g;
    LLVMValueRef args[12];
    int n = 0, rows = tile_registers(d) / 2, num_acc = d->in.packs_result ? 2 : tile_registers(d);
    for (int w = 0; w < d->in.k_words; w++)
        for (int half = 0; half < rows; half++)
            args[n++] = word(d, 0, t->batch, t->row + 8 * half, first_k + w * d->in.per_word);
    for (int w = 0; w < d->in.k_words; w++)
        args[n++] = word(d, 1, t->batch, t->col, first_k + w * d->in.per_word);
    for (int i = 0; i < n; i++)
        if (!args[i])
            return tri_gpu_unsupported(g, d->op, "the operands are not laid out for its instruction");
    for (int i = 0; i < num_acc; i++)
        args[n++] = t->acc[i];
    LLVMValueRef result = tri_machine_call(g, d->in.id, args, n);
    for (int i = 0; i < num_acc; i++)
        t->acc[i] = LLVMBuildExtractValue(g->b, result, (unsigned)i, "");
    return true;
}

/* Tiles of the accumulator, in register order. False when it is not made of them. */
static bool collect_tiles(dot *d, tile **out_tiles, int *out_count)
{
    const tri_linear *l = &d->layout[2]->linear;
    int rows = tile_registers(d) / 2, count = 0;
    tile *tiles = TRI_NEW_ARRAY(d->g->arena, tile, d->value[2].count);
    for (int r = 0; r < d->value[2].count; r++) {
        uint64_t packed = tri_linear_apply_one(l, TRI_DIM_REGISTER, (uint64_t)r);
        tile t = {.batch = d->rank == 3 ? tri_linear_coord(l, packed, TRI_DIM_0) : 0};
        t.row = tri_linear_coord(l, packed, (tri_dim)(TRI_DIM_0 + d->rank - 2));
        t.col = tri_linear_coord(l, packed, (tri_dim)(TRI_DIM_0 + d->rank - 1));
        if (t.col % 8 || t.row % (8 * rows))
            continue;
        for (int i = 0; i < tile_registers(d); i++)
            t.reg[i] = find_mma(d, 2, t.batch, (t.row + 8 * (i >> 1)) % d->rows, (t.col + (i & 1)) % d->cols);
        if (t.reg[0] != r) /* a copy of a tile that is there already */
            continue;
        for (int i = 0; i < tile_registers(d); i++)
            if (t.reg[i] < 0)
                return false;
        tiles[count++] = t;
    }
    *out_tiles = tiles;
    *out_count = count;
    return count > 0;
}

/* The K coordinates that thread 0 holds of row 0 of A. */
static void collect_k(dot *d, int64_t depth)
{
    d->k = TRI_NEW_ARRAY(d->g->arena, int64_t, depth);
    for (int64_t k = 0; k < depth; k++)
        if (find_mma(d, 0, 0, 0, k) >= 0)
            d->k[d->num_k++] = k;
}

static void load_accumulator(dot *d, tile *t)
{
    tri_gpu *g = d->g;
    LLVMValueRef *c = d->value[2].at;
    for (int i = 0; i < tile_registers(d); i++)
        t->acc[i] = c[t->reg[i]];
    if (d->in.packs_result) {
        LLVMValueRef low = pair(g, t->acc[0], t->acc[1]), high = pair(g, t->acc[2], t->acc[3]);
        t->acc[0] = low;
        t->acc[1] = high;
    }
}

static void store_accumulator(dot *d, const tile *t, tri_gpu_value *out)
{
    tri_gpu *g = d->g;
    for (int i = 0; i < tile_registers(d); i++)
        out->at[t->reg[i]] =
            d->in.packs_result ? LLVMBuildExtractElement(g->b, t->acc[i / 2], tri_gpu_i32(g, i & 1), "") : t->acc[i];
}

static bool run_mma(tri_gpu *g, MlirOperation op)
{
    dot d = {.g = g, .op = op};
    MlirType type[3];
    for (int i = 0; i < 3; i++) {
        type[i] = mlirValueGetType(mlirOperationGetOperand(op, i));
        d.layout[i] = tri_gpu_layout_of(g, op, type[i]);
        if (!d.layout[i])
            return false;
        d.value[i] = tri_gpu_operand(g, op, i);
        d.registers[i] = tri_gpu_index_registers(g, d.layout[i]);
        if (i < 2)
            tri_map_init(&d.words[i], g->arena);
    }
    d.rank = tri_type_rank(type[2]);
    d.rows = tri_type_dim(type[2], d.rank - 2);
    d.cols = tri_type_dim(type[2], d.rank - 1);
    if (!choose_mma(tri_type_element(type[0]), tri_type_element(type[1]), tri_type_element(type[2]), &d.in) ||
        !tri_machine_has(g, d.in.id))
        return tri_gpu_unsupported(g, op, "no matrix instruction of this architecture takes these element types");
    tile *tiles;
    int count, step = d.in.per_word * d.in.k_words;
    collect_k(&d, tri_type_dim(type[0], d.rank - 1));
    if (d.num_k % step || !d.num_k || !collect_tiles(&d, &tiles, &count))
        return tri_gpu_unsupported(g, op, "its shape is no multiple of the matrix instruction's");
    tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "dot", "%d instructions %s per warp",
                    count * d.num_k / step, tri_machine_name(g->machine, d.in.id));
    tri_gpu_value out = tri_gpu_new(g, d.value[2].count);
    for (int i = 0; i < count; i++)
        load_accumulator(&d, &tiles[i]);
    for (int k = 0; k < d.num_k; k += step) /* neighbours in program order are independent of each other */
        for (int i = 0; i < count; i++)
            if (!multiply(&d, &tiles[i], k))
                return false;
    for (int i = 0; i < count; i++)
        store_accumulator(&d, &tiles[i], &out);
    for (int r = 0; r < out.count; r++)
        out.at[r] = out.at[(uint64_t)r & ~d.layout[2]->replicas.reg];
    tri_gpu_set_result(g, op, 0, out);
    return true;
}

/* Products that no matrix instruction does are multiplied out like on every machine. */
static bool run_dot(tri_gpu *g, MlirOperation op)
{
    MlirAttribute encoding = tri_type_encoding(mlirValueGetType(mlirOperationGetResult(op, 0)));
    const tri_encoding *e = mlirAttributeIsNull(encoding) ? NULL : tri_encoding_get(g->arena, encoding);
    if (!e || e->kind != TRI_ENC_NVIDIA_MMA)
        return tri_gpu_dot_fma(g, op);
    if (e->version_major == 2)
        return run_mma(g, op);
    return tri_gpu_unsupported(
        g, op, "its layout is not of version 2 of the matrix instructions; version 3 is for ttng.warp_group_dot");
}

const tri_gpu_op tri_nvptx_ops_mma[] = {
    {"tt.dot", run_dot, NULL},
    {0},
};
