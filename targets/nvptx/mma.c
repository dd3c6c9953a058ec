/* tt.dot on tensor cores: mma.sync. The layouts say which registers make up each instruction's operands;
 * A and B must agree on the order of K only, so every kWidth works alike. */
#include "ir/encoding.h"
#include "ir/type.h"
#include "targets/gpu/access.h"
#include "targets/gpu/dot.h"
#include "targets/gpu/tiles.h"
#include "targets/nvptx/nvptx.h"

/* One instruction: its primitive, and how many elements a register word of A and B holds. */
typedef struct {
    int id;
    int per_word;      /* elements in a word of A and B */
    int k_words;       /* words along K that one thread gives per row */
    bool packs_halves; /* A and B words are <2 x half> */
    bool packs_result; /* C and D words are <2 x half> */
} instruction;

static bool is_f16(MlirType t) { return mlirTypeIsAF16(t); }

/* `saturates`: sums of integers do not wrap around. */
static bool choose_mma(MlirType a, MlirType b, MlirType c, bool saturates, instruction *out)
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
        static const int ids[2][2] = {{TRI_NVPTX_mma_m16n8k32_e4m3_e4m3, TRI_NVPTX_mma_m16n8k32_e4m3_e5m2},
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
        *out = (instruction){saturates ? TRI_NVPTX_mma_m16n8k32_s8_satfinite : TRI_NVPTX_mma_m16n8k32_s8, 4, 2, false,
                             false};
    return out->id != -1;
}

/* The dot being lowered. */
typedef struct {
    tri_gpu_tiles t;
    instruction in;
} dot;

/* Elements of K from k[first] on, of one row of A (or column of B), as one register word. Null when
 * the thread does not hold them. */
static LLVMValueRef word(dot *d, int operand, int64_t batch, int64_t line, int first)
{
    tri_gpu *g = d->t.g;
    LLVMValueRef elements[4];
    int reg = tri_gpu_tiles_gather(&d->t, operand, batch, line, d->t.k + first, d->in.per_word, elements);
    if (reg < 0)
        return NULL;
    const void *key = (const void *)(uintptr_t)(reg + 1);
    LLVMValueRef packed = tri_map_find_ptr(&d->t.words[operand], key);
    if (packed)
        return packed;
    tri_gpu_packing p = tri_gpu_plan_packing(g, LLVMTypeOf(elements[0]), d->in.per_word);
    if (d->in.id == TRI_NVPTX_mma_m8n8k4_f64)
        packed = elements[0];
    else
        tri_gpu_pack(g, &p, elements, &packed);
    if (d->in.packs_halves)
        packed = LLVMBuildBitCast(g->b, packed, LLVMVectorType(LLVMHalfTypeInContext(g->llvm), 2), "");
    tri_map_set_ptr(&d->t.words[operand], key, packed);
    return packed;
}

/* Registers of the sums that one instruction makes. */
static int tile_registers(const dot *d) { return d->in.id == TRI_NVPTX_mma_m8n8k4_f64 ? 2 : 4; }

static LLVMValueRef pair(tri_gpu *g, LLVMValueRef low, LLVMValueRef high)
{
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(low), 2));
    v = LLVMBuildInsertElement(g->b, v, low, tri_gpu_i32(g, 0), "");
    return LLVMBuildInsertElement(g->b, v, high, tri_gpu_i32(g, 1), "");
}

static bool multiply(dot *d, tri_gpu_tile *t, int first_k)
{
    tri_gpu *g = d->t.g;
    LLVMValueRef args[12];
    int n = 0, rows = tile_registers(d) / 2, num_acc = d->in.packs_result ? 2 : tile_registers(d);
    for (int w = 0; w < d->in.k_words; w++)
        for (int half = 0; half < rows; half++)
            args[n++] = word(d, 0, t->batch, t->row + 8 * half, first_k + w * d->in.per_word);
    for (int w = 0; w < d->in.k_words; w++)
        args[n++] = word(d, 1, t->batch, t->col, first_k + w * d->in.per_word);
    for (int i = 0; i < n; i++)
        if (!args[i])
            return tri_gpu_unsupported(g, d->t.op, "the operands are not laid out for its instruction");
    for (int i = 0; i < num_acc; i++)
        args[n++] = t->sums[i];
    LLVMValueRef result = tri_machine_call(g, d->in.id, args, n);
    for (int i = 0; i < num_acc; i++)
        t->sums[i] = LLVMBuildExtractValue(g->b, result, (unsigned)i, "");
    return true;
}

/* Cuts the result into tiles of 8 or 16 rows and 8 columns. False when it is not made of them. */
static bool cut_tiles(dot *d)
{
    tri_gpu_place places[4];
    for (int i = 0; i < 4; i++)
        places[i] = (tri_gpu_place){8 * (i >> 1), i & 1};
    return tri_gpu_tiles_cut(&d->t, 8 * tile_registers(d) / 2, 8, tile_registers(d), places);
}

static void load_accumulator(dot *d, tri_gpu_tile *t)
{
    tri_gpu *g = d->t.g;
    LLVMValueRef *c = d->t.value[2].at;
    for (int i = 0; i < tile_registers(d); i++)
        t->sums[i] = c[t->reg[i]];
    if (d->in.packs_result) {
        LLVMValueRef low = pair(g, t->sums[0], t->sums[1]), high = pair(g, t->sums[2], t->sums[3]);
        t->sums[0] = low;
        t->sums[1] = high;
    }
}

static void store_accumulator(dot *d, const tri_gpu_tile *t, tri_gpu_value *out)
{
    tri_gpu *g = d->t.g;
    for (int i = 0; i < tile_registers(d); i++)
        out->at[t->reg[i]] =
            d->in.packs_result ? LLVMBuildExtractElement(g->b, t->sums[i / 2], tri_gpu_i32(g, i & 1), "") : t->sums[i];
}

static bool run_mma(tri_gpu *g, MlirOperation op)
{
    dot d;
    MlirType type[3];
    if (!tri_gpu_tiles_start(&d.t, g, op))
        return false;
    for (int i = 0; i < 3; i++)
        type[i] = tri_type_element(mlirValueGetType(mlirOperationGetOperand(op, i)));
    if (!choose_mma(type[0], type[1], type[2], g->release != 0, &d.in) || !tri_machine_has(g, d.in.id))
        return tri_gpu_unsupported(g, op, "no matrix instruction of this architecture takes these element types");
    int step = d.in.per_word * d.in.k_words;
    if (d.t.num_k % step || !d.t.num_k || !cut_tiles(&d))
        return tri_gpu_unsupported(g, op, "its shape is no multiple of the matrix instruction's");
    tri_gpu_remark_dot(g, op, d.t.count * d.t.num_k / step, tri_machine_name(g->machine, d.in.id), "per warp");
    for (int i = 0; i < d.t.count; i++)
        load_accumulator(&d, &d.t.tiles[i]);
    for (int k = 0; k < d.t.num_k; k += step) /* neighbours in program order are independent of each other */
        for (int i = 0; i < d.t.count; i++)
            if (!multiply(&d, &d.t.tiles[i], k))
                return false;
    tri_gpu_value out = tri_gpu_new(g, d.t.value[2].count);
    for (int i = 0; i < d.t.count; i++)
        store_accumulator(&d, &d.t.tiles[i], &out);
    tri_gpu_tiles_finish(&d.t, out);
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
