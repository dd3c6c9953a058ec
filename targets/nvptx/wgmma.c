/* ttng.warp_group_dot: products of a warp group (4 warps) that the tensor cores read from shared memory by
 * themselves: wgmma.mma_async. B, and A when it is no register operand, are described to the machine by the
 * address of a tile and the strides between its 8x16-byte pieces (PTX ISA, "Shared memory matrix layout"); both
 * are read off the buffer's linear layout here. The swizzle is an XOR of address bits that vanishes at the
 * corner of every tile, since a tile starts at a multiple of 8 rows. */
#include "targets/gpu/access.h"
#include "targets/gpu/dot.h"
#include "targets/gpu/local.h"
#include "targets/nvptx/group.h"
#include "targets/nvptx/nvptx.h"

enum { group_rows = 64, max_accumulators = 128 };

typedef struct {
    int id;
    int k;             /* elements of K that one instruction multiplies: 32 bytes */
    bool packs_result; /* C and D words are <2 x half> */
} instruction;

static bool choose_wgmma(MlirType a, MlirType b, MlirType d, instruction *out)
{
    bool to_f32 = mlirTypeIsAF32(d);
    bool a_e4m3 = mlirTypeIsAFloat8E4M3FN(a), b_e4m3 = mlirTypeIsAFloat8E4M3FN(b);
    bool a_e5m2 = mlirTypeIsAFloat8E5M2(a), b_e5m2 = mlirTypeIsAFloat8E5M2(b);
    *out = (instruction){-1, 16, false};
    if (mlirTypeIsAF16(a) && mlirTypeIsAF16(b) && (to_f32 || mlirTypeIsAF16(d)))
        *out = (instruction){to_f32 ? TRI_NVPTX_wgmma_f16_f32 : TRI_NVPTX_wgmma_f16_f16, 16, !to_f32};
    else if (mlirTypeIsABF16(a) && mlirTypeIsABF16(b) && to_f32)
        out->id = TRI_NVPTX_wgmma_bf16_f32;
    else if (mlirTypeIsAF32(a) && mlirTypeIsAF32(b) && to_f32)
        *out = (instruction){TRI_NVPTX_wgmma_tf32_f32, 8, false};
    else if (tri_type_is_int_of(a, 8) && tri_type_is_int_of(b, 8) && tri_type_is_int_of(d, 32))
        *out = (instruction){TRI_NVPTX_wgmma_s8, 32, false};
    else if ((a_e4m3 || a_e5m2) && (b_e4m3 || b_e5m2) && to_f32) {
        static const int ids[2][2] = {{TRI_NVPTX_wgmma_e4m3_e4m3, TRI_NVPTX_wgmma_e4m3_e5m2},
                                                 {TRI_NVPTX_wgmma_e5m2_e4m3, TRI_NVPTX_wgmma_e5m2_e5m2}};
        *out = (instruction){ids[a_e5m2][b_e5m2], 32, false};
    }
    return out->id != -1;
}

/* ---- operands in shared memory ---- */

/* `address` is where element (0, 0) of this warp group's part lies, in units of 16 bytes; `strides` are the
 * descriptor's bits that do not change. */
typedef struct {
    tri_linear to_offset; /* coordinates -> element offset in the buffer */
    int bits;
    bool is_mn_major;
    uint64_t strides;
    LLVMValueRef address; /* i32 */
} operand;

static int64_t bytes_at(const operand *o, int64_t row, int64_t col)
{
    uint64_t place = tri_linear_apply_one(&o->to_offset, TRI_DIM_0, (uint64_t)row) ^
                     tri_linear_apply_one(&o->to_offset, (tri_dim)(TRI_DIM_0 + 1), (uint64_t)col);
    return tri_linear_coord(&o->to_offset, place, TRI_DIM_OFFSET) * o->bits / 8;
}

/* Element at (mn, k) of operand A (mn = row) or B (mn = column). */
static int64_t tile_bytes(const operand *o, bool is_b, int64_t mn, int64_t k)
{
    return is_b ? bytes_at(o, k, mn) : bytes_at(o, mn, k);
}

/* The fields that hold for every tile. False after a report. */
static bool describe(tri_gpu *g, MlirOperation op, const tri_gpu_buffer_type *type, bool is_b, operand *out)
{
    const tri_encoding *e = type->encoding;
    int width = e->kind == TRI_ENC_NVMMA_SHARED ? e->nvmma.swizzle_bytes : 0;
    if (width != 32 && width != 64 && width != 128)
        return tri_gpu_unsupported(g, op, "operands of a warp group's product are read from swizzled buffers only");
    int64_t mn_size = type->alloc_shape[is_b], k_size = type->alloc_shape[!is_b];
    int64_t per_row = width * 8 / out->bits; /* elements of a swizzled row */
    out->is_mn_major = k_size > 1 && tile_bytes(out, is_b, 0, 1) != out->bits / 8;
    if (out->is_mn_major && out->bits != 16)
        return tri_gpu_unsupported(g, op, "operands of %d bits must have K as the fastest dimension of their buffer",
                                   out->bits);
    int64_t between_groups = out->is_mn_major ? tile_bytes(out, is_b, 0, 8)
                             : mn_size > 8    ? tile_bytes(out, is_b, 8, 0)
                                              : 8 * width;
    int64_t between_panels = out->is_mn_major && mn_size > per_row ? tile_bytes(out, is_b, per_row, 0) : 16;
    uint64_t mode = width == 128 ? 1 : width == 64 ? 2 : 3;
    out->strides = (uint64_t)(between_panels >> 4) << 16 | (uint64_t)(between_groups >> 4) << 32 | mode << 62;
    return true;
}

/* What the bits of the warp number from 4 on add to the address; the same for all lanes. Null: nothing. */
static LLVMValueRef group_bytes(tri_gpu *g, const operand *o, const tri_linear *result, bool is_b)
{
    LLVMValueRef sum = NULL;
    for (int bit = 2; bit < tri_linear_in_bits(result, TRI_DIM_WARP); bit++) {
        int64_t at = tri_linear_basis_at(result, TRI_DIM_WARP, bit, is_b ? (tri_dim)(TRI_DIM_0 + 1) : TRI_DIM_0);
        int64_t bytes = tile_bytes(o, is_b, at, 0);
        if (!bytes)
            continue;
        LLVMValueRef set = LLVMBuildAnd(g->b, LLVMBuildLShr(g->b, tri_gpu_uniform_warp(g), tri_gpu_i32(g, bit), ""),
                                        tri_gpu_i32(g, 1), "");
        LLVMValueRef part = LLVMBuildMul(g->b, set, tri_gpu_i32(g, bytes), "");
        sum = sum ? LLVMBuildAdd(g->b, sum, part, "") : part;
    }
    return sum;
}

static bool get_operand(tri_gpu *g, MlirOperation op, int index, const tri_linear *result, operand *out)
{
    MlirValue value = mlirOperationGetOperand(op, index);
    tri_gpu_buffer_type type;
    if (!tri_local_get_type(g, op, mlirValueGetType(value), &type))
        return false;
    if (type.desc.rank != 2)
        return tri_gpu_unsupported(g, op, "products of a warp group have two dimensions");
    out->bits = type.bits;
    out->to_offset = tri_linear_pseudo_invert(&type.layout);
    if (!describe(g, op, &type, index == 1, out))
        return false;
    tri_gpu_value descriptor = tri_gpu_get(g, value);
    int64_t corner[2];
    for (int d = 0; d < 2; d++) {
        if (!LLVMIsAConstantInt(descriptor.at[1 + d]))
            return tri_gpu_unsupported(g, op, "the slice's place is not a constant");
        corner[d] = (int64_t)LLVMConstIntGetZExtValue(descriptor.at[1 + d]);
    }
    LLVMValueRef address = LLVMBuildPtrToInt(g->b, descriptor.at[0], g->i32, ""); /* its lower 18 bits count */
    LLVMValueRef group = group_bytes(g, out, result, index == 1);
    if (group)
        address = LLVMBuildAdd(g->b, address, group, "");
    int64_t bytes = bytes_at(out, corner[0], corner[1]);
    if (bytes)
        address = LLVMBuildAdd(g->b, address, tri_gpu_i32(g, bytes), "");
    out->address = LLVMBuildAnd(g->b, LLVMBuildLShr(g->b, address, tri_gpu_i32(g, 4), ""), tri_gpu_i32(g, 0x3fff), "");
    return true;
}

/* No carry leaves the address field, as a buffer ends below 256 KiB. A loop mostly keeps A's buffer and goes through
 * some of B's. ptxas computes A's descriptors again in each iteration, for less when it sees that their upper half is
 * constant, and steps B's by one sum of 64 bits. With both as B, causal attention is 4% slower on an H200 and its
 * backward pass 1%; with both as A, 2% and none. */
static LLVMValueRef descriptor_at(tri_gpu *g, const operand *o, bool is_b, int64_t mn, int64_t k)
{
    uint64_t constant = o->strides + (uint64_t)(tile_bytes(o, is_b, mn, k) >> 4), low_half = 0xffffffff;
    if (is_b)
        return LLVMBuildAdd(g->b, LLVMBuildZExt(g->b, o->address, g->i64, ""), LLVMConstInt(g->i64, constant, false),
                            "");
    LLVMValueRef low = LLVMBuildAdd(g->b, o->address, LLVMConstInt(g->i32, constant & low_half, false), "");
    return LLVMBuildOr(g->b, LLVMBuildZExt(g->b, low, g->i64, ""), LLVMConstInt(g->i64, constant & ~low_half, false),
                       "");
}

/* ---- the product ---- */

typedef struct {
    tri_gpu *g;
    MlirOperation op;
    instruction in;
    int n;                 /* columns of one instruction */
    int64_t depth;
    tri_gpu_layout *result, *a_layout; /* a_layout: null when A is in shared memory */
    tri_map registers, a_registers;
    tri_gpu_value a_values, c;
    operand a, b;
    LLVMValueRef scale;    /* i1: whether C is added */
} product;

/* Rows and columns of a tile that thread 0 of a warp holds, in register order (PTX ISA, "Register fragments"). */
static int accumulator_row(int i) { return 8 * (i >> 1 & 1); }
static int accumulator_column(int i) { return 8 * (i >> 2) + (i & 1); }

static int find_wgmma(const tri_map *map, const tri_gpu_layout *layout, int64_t row, int64_t col)
{
    uint64_t coords[TRI_MAX_RANK] = {(uint64_t)row, (uint64_t)col};
    return tri_gpu_find_register(map, &layout->linear, 2, coords);
}

/* Warps 0 to 3 must stand below each other, 16 rows each. */
static bool is_grouped(const tri_linear *l)
{
    for (int bit = 0; bit < 2; bit++)
        if (tri_linear_basis_at(l, TRI_DIM_WARP, bit, TRI_DIM_0) != 16 << bit ||
            tri_linear_basis_at(l, TRI_DIM_WARP, bit, (tri_dim)(TRI_DIM_0 + 1)) != 0)
            return false;
    return true;
}

/* The four register words of A at a tile. False when the layout has other places. */
static bool a_words(product *p, int64_t row, int64_t k, LLVMValueRef *out)
{
    tri_gpu *g = p->g;
    int per_word = p->in.k / 8;
    for (int r = 0; r < 4; r++) {
        LLVMValueRef elements[4];
        for (int j = 0; j < per_word; j++) {
            int reg = find_wgmma(&p->a_registers, p->a_layout, row + 8 * (r & 1), k + j + 4 * per_word * (r >> 1));
            if (reg < 0)
                return false;
            elements[j] = p->a_values.at[reg];
        }
        tri_gpu_packing packing = tri_gpu_plan_packing(g, LLVMTypeOf(elements[0]), per_word);
        tri_gpu_pack(g, &packing, elements, &out[r]);
        out[r] = tri_gpu_to_int(g, out[r]);
    }
    return true;
}

/* Accumulators of the tile at (row, col): their registers, and as words. */
static bool get_tile(const product *p, int64_t row, int64_t col, int *regs)
{
    for (int i = 0; i < p->n / 2; i++) {
        regs[i] = find_wgmma(&p->registers, p->result, row + accumulator_row(i), col + accumulator_column(i));
        if (regs[i] < 0)
            return false;
    }
    return true;
}

static int pack_accumulators(const product *p, const int *regs, LLVMValueRef *out)
{
    tri_gpu *g = p->g;
    int count = p->n / 2;
    if (!p->in.packs_result) {
        for (int i = 0; i < count; i++)
            out[i] = p->c.at[regs[i]];
        return count;
    }
    LLVMTypeRef pair = LLVMVectorType(LLVMHalfTypeInContext(g->llvm), 2);
    for (int i = 0; i < count; i += 2) {
        LLVMValueRef v = LLVMBuildInsertElement(g->b, LLVMGetPoison(pair), p->c.at[regs[i]], tri_gpu_i32(g, 0), "");
        v = LLVMBuildInsertElement(g->b, v, p->c.at[regs[i + 1]], tri_gpu_i32(g, 1), "");
        out[i / 2] = LLVMBuildBitCast(g->b, v, g->i32, "");
    }
    return count / 2;
}

static void unpack_accumulators(const product *p, const int *regs, LLVMValueRef *words, tri_gpu_value *out)
{
    tri_gpu *g = p->g;
    LLVMTypeRef pair = LLVMVectorType(LLVMHalfTypeInContext(g->llvm), 2);
    for (int i = 0; i < p->n / 2; i++)
        out->at[regs[i]] = !p->in.packs_result
                               ? words[i]
                               : LLVMBuildExtractElement(g->b, LLVMBuildBitCast(g->b, words[i / 2], pair, ""),
                                                         tri_gpu_i32(g, i & 1), "");
}

/* A and B of one step of K. */
static bool get_step(product *p, int64_t row, int64_t col, int64_t k, tri_nvptx_product *call)
{
    tri_gpu *g = p->g;
    LLVMValueRef *a = call->a[call->steps];
    if (!p->a_layout)
        a[0] = descriptor_at(g, &p->a, false, row, k);
    else if (!a_words(p, row, k, a))
        return tri_gpu_unsupported(g, p->op, "A is not laid out for its instruction");
    call->b[call->steps++] = descriptor_at(g, &p->b, true, col, k);
    return true;
}

/* One tile of 64 x n over the whole of K. */
static bool multiply_tile(product *p, int64_t row, int64_t col, const int *regs, tri_gpu_value *out)
{
    tri_gpu *g = p->g;
    tri_nvptx_product call = {.n = p->n,
                              .scale = p->scale,
                              .has_a_words = p->a_layout != NULL,
                              .trans_a = p->a.is_mn_major,
                              .trans_b = p->b.is_mn_major};
    call.num_acc = pack_accumulators(p, regs, call.acc);
    if (p->in.packs_result) /* written just now */
        tri_nvptx_tie(g, TRI_NVPTX_wgmma_fence, 0, call.num_acc, call.acc);
    for (int64_t k = 0; k < p->depth; k += p->in.k) {
        if (!get_step(p, row, col, k, &call))
            return false;
        if (call.steps < TRI_NVPTX_MAX_STEPS && k + p->in.k < p->depth)
            continue;
        tri_nvptx_multiply(g, p->in.id, &call);
        call.steps = 0;
        call.scale = LLVMConstInt(g->i1, 1, false);
    }
    if (p->in.packs_result) { /* unpacking reads them */
        tri_machine_call(g, TRI_NVPTX_wgmma_commit, NULL, 0);
        tri_nvptx_tie(g, TRI_NVPTX_wgmma_wait, 0, call.num_acc, call.acc);
    }
    unpack_accumulators(p, regs, call.acc, out);
    return true;
}

/* Corners of tiles among the registers of thread 0, each once. */
static bool multiply_all(product *p, tri_gpu_value *out, int *out_count)
{
    int regs[max_accumulators];
    const tri_linear *l = &p->result->linear;
    *out_count = 0;
    for (int r = 0; r < p->c.count; r++) {
        uint64_t packed = tri_linear_apply_one(l, TRI_DIM_REGISTER, (uint64_t)r);
        int64_t row = tri_linear_coord(l, packed, TRI_DIM_0),
                col = tri_linear_coord(l, packed, (tri_dim)(TRI_DIM_0 + 1));
        if (row % group_rows || col % p->n || find_wgmma(&p->registers, p->result, row, col) != r)
            continue;
        if (!get_tile(p, row, col, regs))
            return tri_gpu_unsupported(p->g, p->op, "the result is not laid out for its instruction");
        if (!multiply_tile(p, row, col, regs, out))
            return false;
        ++*out_count;
    }
    return *out_count > 0 || tri_gpu_unsupported(p->g, p->op, "its shape is no multiple of the matrix instruction's");
}

static bool prepare(product *p)
{
    tri_gpu *g = p->g;
    MlirOperation op = p->op;
    MlirValue a = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
    MlirType d = mlirValueGetType(result), a_type = mlirValueGetType(a);
    tri_memdesc a_desc, b_desc;
    bool a_is_buffer = tri_type_get_memdesc(a_type, &a_desc);
    MlirAttribute encoding = tri_type_encoding(d);
    const tri_encoding *e = mlirAttributeIsNull(encoding) ? NULL : tri_encoding_get(g->arena, encoding);
    if (!e || e->kind != TRI_ENC_NVIDIA_MMA || e->version_major != 3 || tri_type_rank(d) != 2 ||
        !tri_type_get_memdesc(mlirValueGetType(mlirOperationGetOperand(op, 1)), &b_desc))
        return tri_gpu_unsupported(g, op, "its result has no layout of version 3 of the matrix instructions");
    MlirType element = a_is_buffer ? a_desc.element : tri_type_element(a_type);
    if (!g->unit->arch->has_warp_groups)
        return tri_gpu_unsupported(g, op, "this architecture has no products of warp groups; sm_90a has them");
    if (!choose_wgmma(element, b_desc.element, tri_type_element(d), &p->in) || !tri_machine_has(g, p->in.id))
        return tri_gpu_unsupported(g, op, "no matrix instruction of this architecture takes these element types");
    p->n = e->instr_shape[1];
    p->depth = b_desc.shape[0];
    p->result = tri_gpu_layout_of(g, op, d);
    if (!p->result)
        return false;
    p->c = tri_gpu_operand(g, op, 2);
    p->registers = tri_gpu_index_registers(g, p->result);
    if (!is_grouped(&p->result->linear) || g->group->num_warps % 4 || p->n > 256 || p->n % 8 || p->depth % p->in.k)
        return tri_gpu_unsupported(g, op, "its result is not laid out for groups of four warps");
    if (!a_is_buffer) {
        p->a_layout = tri_gpu_layout_of(g, op, a_type);
        if (!p->a_layout)
            return false;
        p->a_registers = tri_gpu_index_registers(g, p->a_layout);
        p->a_values = tri_gpu_operand(g, op, 0);
    } else if (!get_operand(g, op, 0, &p->result->linear, &p->a)) {
        return false;
    }
    return get_operand(g, op, 1, &p->result->linear, &p->b);
}

/* Registers that the machine reads by itself must be settled before the first product: as the words that it
 * reads, for what is packed between two products makes the second one wait for the first. */
static void settle_registers(product *p)
{
    tri_gpu *g = p->g;
    int count = p->a_values.count;
    tri_gpu_packing all = tri_gpu_plan_packing(g, LLVMTypeOf(p->a_values.at[0]), count);
    LLVMValueRef *words = TRI_NEW_ARRAY(g->arena, LLVMValueRef, all.words);
    tri_gpu_pack(g, &all, p->a_values.at, words);
    tri_nvptx_tie(g, TRI_NVPTX_wgmma_fence, 0, all.words, words);
    p->a_values = tri_gpu_new(g, count);
    tri_gpu_unpack(g, &all, words, p->a_values.at);
}

/* Sums that start at zero are written and not read: registers that are cleared in between would make the second
 * tile wait for the first. */
static void start_at_zero(product *p)
{
    for (int r = 0; r < p->c.count; r++)
        if (!LLVMIsNull(p->c.at[r]))
            return;
    p->scale = LLVMConstInt(p->g->i1, 0, false);
    if (p->g->simulate)
        return;
    tri_gpu_value none = tri_gpu_new(p->g, p->c.count);
    for (int r = 0; r < none.count; r++)
        none.at[r] = LLVMGetUndef(LLVMTypeOf(p->c.at[r]));
    p->c = none;
}

static bool run_dot(tri_gpu *g, MlirOperation op)
{
    product p = {.g = g, .op = op, .scale = LLVMConstInt(g->i1, 1, false)};
    int tiles;
    if (!prepare(&p))
        return false;
    if (mlirOperationGetNumOperands(op) > 3)
        p.scale = tri_gpu_operand(g, op, 3).at[0];
    start_at_zero(&p);
    tri_gpu_value out = tri_gpu_new(g, p.c.count);
    if (p.a_layout)
        settle_registers(&p);
    else if (!p.in.packs_result)
        tri_nvptx_tie(g, TRI_NVPTX_wgmma_fence, 0, 0, NULL);
    if (!multiply_all(&p, &out, &tiles))
        return false;
    tri_gpu_remark_dot(g, op, tiles * (p.depth / p.in.k), tri_machine_name(g->machine, p.in.id),
                       tri_str_format(g->arena, "of %d columns per warp group", p.n).data);
    tri_machine_call(g, TRI_NVPTX_wgmma_commit, NULL, 0);
    for (int r = 0; r < out.count; r++)
        out.at[r] = out.at[(uint64_t)r & ~p.result->replicas.reg];
    if (!tri_op_int(op, "isAsync", 0))
        tri_nvptx_tie(g, TRI_NVPTX_wgmma_wait, 0, out.count, out.at);
    tri_gpu_set_result(g, op, 0, out);
    return true;
}

/* What a value's registers are at a wait: bytes in words, which have registers of their own. */
static bool is_of_bytes(tri_gpu *g, const tri_gpu_value *value)
{
    LLVMTypeRef type = value->count % 4 == 0 && value->count ? LLVMTypeOf(value->at[0]) : g->i32;
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && tri_gpu_bits(g, type) == 8;
}

static bool is_buffer(MlirValue value)
{
    tri_memdesc desc;
    return tri_type_get_memdesc(mlirValueGetType(value), &desc);
}

/* Everything that goes through the wait is tied to it, so that nothing reads it earlier. */
static bool run_wait(tri_gpu *g, MlirOperation op)
{
    intptr_t count = mlirOperationGetNumOperands(op);
    TRI_VEC(LLVMValueRef) all = {0};
    for (intptr_t i = 0; i < count; i++) {
        tri_gpu_value in = tri_gpu_operand(g, op, i), words = in;
        if (is_buffer(mlirOperationGetOperand(op, i)))
            continue;
        if (is_of_bytes(g, &in)) {
            tri_gpu_packing packing = tri_gpu_plan_packing(g, LLVMTypeOf(in.at[0]), in.count);
            words = tri_gpu_new(g, packing.words);
            tri_gpu_pack(g, &packing, in.at, words.at);
        }
        for (int r = 0; r < words.count; r++)
            tri_vec_push(g->arena, &all, words.at[r]);
    }
    tri_nvptx_tie(g, TRI_NVPTX_wgmma_wait, (int)tri_op_int(op, "pendings", 0), (int)all.len, all.at);
    size_t next = 0;
    for (intptr_t i = 0; i < count; i++) {
        tri_gpu_value in = tri_gpu_operand(g, op, i), out = in;
        if (!is_buffer(mlirOperationGetOperand(op, i))) {
            out = tri_gpu_new(g, in.count);
            if (is_of_bytes(g, &in)) {
                tri_gpu_packing packing = tri_gpu_plan_packing(g, LLVMTypeOf(in.at[0]), in.count);
                tri_gpu_unpack(g, &packing, all.at + next, out.at);
                next += (size_t)packing.words;
            } else {
                for (int r = 0; r < in.count; r++)
                    out.at[r] = all.at[next++];
            }
        }
        tri_gpu_set_result(g, op, i, out);
    }
    return true;
}

static bool run_fence(tri_gpu *g, MlirOperation op)
{
    if (!tri_machine_has(g, TRI_MACHINE_fence_async))
        return tri_gpu_unsupported(g, op, "this architecture has no asynchronous proxy");
    tri_machine_call(g, TRI_MACHINE_fence_async, NULL, 0);
    return true;
}

const tri_gpu_op tri_nvptx_ops_wgmma[] = {
    {"ttng.warp_group_dot", run_dot, NULL},
    {"ttng.warp_group_dot_wait", run_wait, NULL},
    {"ttng.fence_async_shared", run_fence, NULL},
    {0},
};
