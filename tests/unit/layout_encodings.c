/* Encodings give the bases that upstream documents for them. */
#include "layout/convert.h"
#include "layout/encoding_words.h"
#include "layout/tiles.h"
#include "layout_expect.h"

typedef struct {
    int n;
    int32_t v[4];
} ints;
#define L(...) ((ints){sizeof((int32_t[]){__VA_ARGS__}) / 4, {__VA_ARGS__}})

static tri_bases cga(ints per_cga, ints split, ints order)
{
    tri_bases b = {0};
    for (int i = 0; i < order.n; i++) {
        int d = order.v[i];
        for (int s = 1; s < per_cga.v[d]; s *= 2, b.count++)
            b.at[b.count][d] = s < split.v[d] ? s : 0;
    }
    return b;
}

static tri_encoding blocked(ints spt, ints tpw, ints wpc, ints order)
{
    tri_encoding e = {.kind = TRI_ENC_BLOCKED, .rank = spt.n};
    memcpy(e.blocked.size_per_thread, spt.v, sizeof spt.v);
    memcpy(e.blocked.threads_per_warp, tpw.v, sizeof tpw.v);
    memcpy(e.warps_per_cta, wpc.v, sizeof wpc.v);
    memcpy(e.order, order.v, sizeof order.v);
    return e;
}

static tri_encoding mma(int version, ints instr, ints wpc)
{
    tri_encoding e = {.kind = TRI_ENC_NVIDIA_MMA, .rank = wpc.n, .version_major = version, .instr_rank = instr.n};
    memcpy(e.instr_shape, instr.v, sizeof e.instr_shape);
    memcpy(e.warps_per_cta, wpc.v, sizeof wpc.v);
    return e;
}

static tri_encoding dot(const tri_encoding *parent, int idx, int k_width)
{
    tri_encoding e = {.kind = TRI_ENC_DOT_OP, .rank = parent->rank, .parent = parent};
    e.dot_op.op_idx = idx;
    e.dot_op.k_width = k_width;
    return e;
}

static tri_encoding slice(const tri_encoding *parent, int dim)
{
    tri_encoding e = {.kind = TRI_ENC_SLICE, .rank = parent->rank - 1, .parent = parent};
    e.slice.dim = dim;
    return e;
}

static tri_encoding swizzled(int vec, int per_phase, int max_phase, ints order)
{
    tri_encoding e = {.kind = TRI_ENC_SWIZZLED_SHARED, .rank = order.n};
    e.swizzled.vec = vec;
    e.swizzled.per_phase = per_phase;
    e.swizzled.max_phase = max_phase;
    memcpy(e.order, order.v, sizeof order.v);
    return e;
}

static tri_encoding nvmma(int bytes, bool transposed, int bits, int rank)
{
    tri_encoding e = {.kind = TRI_ENC_NVMMA_SHARED, .rank = rank};
    e.nvmma.swizzle_bytes = bytes;
    e.nvmma.is_transposed = transposed;
    e.nvmma.element_bits = bits;
    return e;
}

static tri_linear linear_of(const tri_encoding *e, ints shape)
{
    int64_t dims[4];
    tri_linear l;
    const char *why = "";
    for (int d = 0; d < shape.n; d++)
        dims[d] = shape.v[d];
    if (!tri_convert_to_linear(e, shape.n, dims, &l, &why)) {
        fprintf(stderr, "no layout: %s\n", why);
        exit(1);
    }
    CHECK(tri_linear_is_surjective(&l));
    return l;
}

static void expect(int line, const tri_encoding *e, ints shape, const char *reg, const char *lane, const char *warp,
                   const char *block)
{
    tri_linear l = linear_of(e, shape);
    expect_bases_at(line, &l, TRI_DIM_REGISTER, reg);
    expect_bases_at(line, &l, TRI_DIM_LANE, lane);
    expect_bases_at(line, &l, TRI_DIM_WARP, warp);
    expect_bases_at(line, &l, TRI_DIM_BLOCK, block);
    /* A linear encoding with these bases means the same on this shape. */
    tri_encoding back = tri_convert_from_linear(&l);
    tri_linear again = linear_of(&back, shape);
    CHECK(tri_linear_equal(&l, &again));
}
#define EXPECT(e, shape, ...) expect(__LINE__, &(e), shape, __VA_ARGS__)

static void expect_buffer(int line, const tri_encoding *e, ints shape, const char *offset)
{
    tri_linear l = linear_of(e, shape);
    expect_bases_at(line, &l, TRI_DIM_OFFSET, offset);
}
#define EXPECT_BUFFER(e, shape, offset) expect_buffer(__LINE__, &(e), shape, offset)

static void test_blocked(void)
{
    tri_encoding e = blocked(L(1, 4), L(8, 4), L(4, 1), L(1, 0));
    const char *lanes = "[0,4][0,8][1,0][2,0][4,0]";
    EXPECT(e, L(32, 64), "[0,1][0,2][0,16][0,32]", lanes, "[8,0][16,0]", "");
    EXPECT(e, L(16, 16), "[0,1][0,2]", lanes, "[8,0][0,0]", "");
    EXPECT(e, L(64, 16), "[0,1][0,2][32,0]", lanes, "[8,0][16,0]", "");
    tri_encoding s0 = slice(&e, 0), s1 = slice(&e, 1);
    EXPECT(s0, L(64), "[1][2][16][32]", "[4][8][0][0][0]", "[0][0]", "");
    EXPECT(s1, L(32), "", "[0][0][1][2][4]", "[8][16]", "");
    e.cga = cga(L(2, 2), L(2, 2), L(1, 0));
    EXPECT(e, L(128, 64), "[0,1][0,2][0,16][32,0]", lanes, "[8,0][16,0]", "[0,32][64,0]");
    e.cga = cga(L(2, 2), L(2, 1), L(1, 0));
    EXPECT(e, L(128, 16), "[0,1][0,2][32,0]", lanes, "[8,0][16,0]", "[0,0][64,0]");
    e = blocked(L(8, 1), L(8, 4), L(1, 4), L(0, 1));
    e.cga = cga(L(1, 2), L(1, 2), L(1, 0));
    EXPECT(e, L(64, 128), "[1,0][2,0][4,0][0,16][0,32]", "[8,0][16,0][32,0][0,1][0,2]", "[0,4][0,8]", "[0,64]");
    e = blocked(L(4), L(4), L(4), L(0));
    EXPECT(e, L(8), "[1][2]", "[4][0]", "[0][0]", "");
    e = blocked(L(2, 2), L(4, 8), L(2, 2), L(1, 0));
    e.cga = cga(L(2, 2), L(2, 2), L(1, 0));
    EXPECT(e, L(1024, 128), "[0,1][1,0][0,32][16,0][32,0][64,0][128,0][256,0]", "[0,2][0,4][0,8][2,0][4,0]",
           "[0,16][8,0]", "[0,64][512,0]");
    tri_encoding p = blocked(L(2, 4), L(4, 2), L(2, 2), L(1, 0));
    p.cga = cga(L(2, 2), L(2, 2), L(1, 0));
    tri_encoding s = slice(&p, 0);
    EXPECT(s, L(128), "[1][2][16][32]", "[4][0][0]", "[8][0]", "[64][0]");
}

static void test_fma(void)
{
    tri_encoding p = blocked(L(2, 4), L(8, 4), L(2, 4), L(1, 0)), a = dot(&p, 0, 0), b = dot(&p, 1, 0);
    EXPECT(a, L(32, 16), "[0,1][0,2][0,4][0,8][1,0]", "[0,0][0,0][2,0][4,0][8,0]", "[0,0][0,0][16,0]", "");
    EXPECT(b, L(16, 64), "[0,1][0,2][1,0][2,0][4,0][8,0]", "[0,4][0,8][0,0][0,0][0,0]", "[0,16][0,32][0,0]", "");
}

static void test_nvidia(void)
{
    const char *lanes = "[0,2][0,4][1,0][2,0][4,0]";
    tri_encoding one = mma(2, L(16, 8), L(1, 1)), four = mma(2, L(16, 8), L(2, 2));
    EXPECT(one, L(32, 32), "[0,1][8,0][0,8][0,16][16,0]", lanes, "", "");
    EXPECT(four, L(64, 64), "[0,1][8,0][0,16][0,32][32,0]", lanes, "[0,8][16,0]", "");
    tri_encoding batched = mma(2, L(1, 16, 8), L(16, 1, 1));
    batched.cga = cga(L(4, 2, 2), L(4, 2, 1), L(2, 1, 0));
    EXPECT(batched, L(64, 128, 128), "[0,0,1][0,8,0][0,0,8][0,0,16][0,0,32][0,0,64][0,16,0][0,32,0]",
           "[0,0,2][0,0,4][0,1,0][0,2,0][0,4,0]", "[1,0,0][2,0,0][4,0,0][8,0,0]", "[0,0,0][0,64,0][16,0,0][32,0,0]");
    tri_encoding wide = mma(3, L(16, 32, 16), L(4, 2)), tall = mma(3, L(16, 128, 16), L(4, 1));
    EXPECT(wide, L(128, 64), "[0,1][8,0][0,8][0,16][64,0]", lanes, "[16,0][32,0][0,32]", "");
    EXPECT(tall, L(128, 128), "[0,1][8,0][0,8][0,16][0,32][0,64][64,0]", lanes, "[16,0][32,0]", "");
    tri_encoding s = slice(&four, 1);
    EXPECT(s, L(128), "[8][32][64]", "[0][0][1][2][4]", "[0][16]", "");
}

static void test_nvidia_dot(void)
{
    const char *lanes = "[0,2][0,4][1,0][2,0][4,0]";
    tri_encoding four = mma(2, L(16, 8), L(2, 2)), column = mma(2, L(16, 8), L(4, 1));
    tri_encoding a = dot(&four, 0, 2), b = dot(&four, 1, 2), a8 = dot(&column, 0, 8), b8 = dot(&four, 1, 8);
    EXPECT(a, L(64, 32), "[0,1][8,0][0,8][0,16][32,0]", lanes, "[0,0][16,0]", "");
    EXPECT(b, L(32, 64), "[1,0][8,0][16,0][0,16][0,32]", "[2,0][4,0][0,1][0,2][0,4]", "[0,8][0,0]", "");
    EXPECT(a8, L(128, 128), "[0,1][0,2][0,4][8,0][0,32][0,64][64,0]", "[0,8][0,16][1,0][2,0][4,0]", "[16,0][32,0]", "");
    EXPECT(b8, L(128, 32), "[1,0][2,0][4,0][32,0][64,0][0,16]", "[8,0][16,0][0,1][0,2][0,4]", "[0,8][0,0]", "");
    tri_encoding m3 = mma(2, L(1, 16, 8), L(2, 4, 2)), b3 = dot(&m3, 1, 8);
    EXPECT(b3, L(8, 128, 64), "[0,1,0][0,2,0][0,4,0][0,32,0][0,64,0][0,0,16][0,0,32][2,0,0][4,0,0]",
           "[0,8,0][0,16,0][0,0,1][0,0,2][0,0,4]", "[0,0,8][0,0,0][0,0,0][1,0,0]", "");
    tri_encoding h = mma(3, L(16, 16, 8), L(4, 2)), ha = dot(&h, 0, 4), h1 = mma(3, L(16, 128, 16), L(4, 1)),
                 ha2 = dot(&h1, 0, 2);
    EXPECT(ha, L(128, 64), "[0,1][0,2][8,0][0,16][0,32][64,0]", "[0,4][0,8][1,0][2,0][4,0]", "[16,0][32,0][0,0]", "");
    EXPECT(ha2, L(128, 64), "[0,1][8,0][0,8][0,16][0,32][64,0]", lanes, "[16,0][32,0]", "");
    tri_encoding hb = dot(&h, 1, 2);
    int64_t shape[2] = {64, 64};
    tri_linear l;
    const char *why = NULL;
    CHECK(!tri_convert_to_linear(&hb, 2, shape, &l, &why) && why);
}

static tri_encoding mfma(int m, ints warps, bool transposed)
{
    tri_encoding e = {
        .kind = TRI_ENC_AMD_MFMA, .rank = warps.n, .version_major = 3, .instr_shape = {m, m, 8}, .instr_rank = 3};
    memcpy(e.warps_per_cta, warps.v, sizeof warps.v);
    e.amd.is_transposed = transposed;
    for (int d = 0; d < warps.n; d++)
        e.amd.tiles_per_warp[d] = 1;
    return e;
}

static void test_amd(void)
{
    tri_encoding m32 = mfma(32, L(2, 4), false), m32t = mfma(32, L(2, 4), true), m16 = mfma(16, L(2, 4), false);
    EXPECT(m32, L(64, 128), "[1,0][2,0][8,0][16,0]", "[0,1][0,2][0,4][0,8][0,16][4,0]", "[0,32][0,64][32,0]", "");
    EXPECT(m32t, L(64, 128), "[0,1][0,2][0,8][0,16]", "[1,0][2,0][4,0][8,0][16,0][0,4]", "[0,32][0,64][32,0]", "");
    EXPECT(m16, L(32, 128), "[1,0][2,0][0,64]", "[0,1][0,2][0,4][0,8][4,0][8,0]", "[0,16][0,32][16,0]", "");
    tri_encoding a = dot(&m32, 0, 8), b = dot(&m16, 1, 8);
    EXPECT(a, L(128, 128), "[0,1][0,2][0,4][0,16][0,32][0,64][64,0]", "[1,0][2,0][4,0][8,0][16,0][0,8]",
           "[0,0][0,0][32,0]", "");
    EXPECT(b, L(128, 128), "[1,0][2,0][4,0][32,0][64,0][0,64]", "[0,1][0,2][0,4][0,8][8,0][16,0]", "[0,16][0,32][0,0]",
           "");
    tri_encoding wide = mfma(16, L(2, 2), false);
    wide.amd.element_bits = 64; /* Triton 3.6 prints the same bases */
    EXPECT(wide, L(32, 32), "[4,0][8,0]", "[0,1][0,2][0,4][0,8][1,0][2,0]", "[0,16][16,0]", "");
    tri_encoding w = {
        .kind = TRI_ENC_AMD_WMMA, .rank = 2, .version_major = 1, .instr_shape = {16, 16, 16}, .instr_rank = 3};
    w.amd.wmma_warp = (tri_bases){.count = 2, .at = {{0, 1}, {1, 0}}};
    EXPECT(w, L(64, 64), "[2,0][4,0][8,0][0,32][32,0]", "[0,1][0,2][0,4][0,8][1,0]", "[0,16][16,0]", "");
    tri_encoding wa = dot(&w, 0, 16);
    EXPECT(wa, L(32, 32), "[0,1][0,2][0,4][0,8][0,16]", "[1,0][2,0][4,0][8,0][0,0]", "[0,0][16,0]", "");
    w.version_major = 2;
    EXPECT(w, L(32, 32), "[1,0][2,0][4,0]", "[0,1][0,2][0,4][0,8][8,0]", "[0,16][16,0]", "");
    tri_encoding wb = dot(&w, 1, 8);
    EXPECT(wb, L(32, 32), "[1,0][2,0][4,0][16,0]", "[0,1][0,2][0,4][0,8][8,0]", "[0,16][0,0]", "");
}

static void test_dpas(void)
{
    tri_encoding e = {.kind = TRI_ENC_INTEL_DPAS, .rank = 2};
    e.warps_per_cta[0] = e.warps_per_cta[1] = 2;
    e.dpas.repeat_count = e.dpas.systolic_depth = 8;
    e.dpas.execution_size = 16;
    e.dpas.ops_per_channel = 2;
    e.dpas.threads_per_warp = 32;
    e.dpas.rep_cluster[0] = e.dpas.rep_cluster[1] = 1;
    tri_encoding a = dot(&e, 0, 1), b = dot(&e, 1, 2);
    EXPECT(e, L(16, 32), "[2,0][4,0]", "[0,1][0,2][0,4][0,8][1,0]", "[0,16][8,0]", "");
    EXPECT(a, L(16, 16), "[2,0][4,0]", "[0,1][0,2][0,4][0,8][1,0]", "[0,0][8,0]", "");
    EXPECT(b, L(16, 32), "[1,0][4,0][8,0]", "[0,1][0,2][0,4][0,8][2,0]", "[0,16][0,0]", "");
    e.dpas.threads_per_warp = 16;
    e.dpas.rep_cluster[0] = 4;
    EXPECT(e, L(64, 32), "[1,0][2,0][4,0][8,0][16,0]", "[0,1][0,2][0,4][0,8]", "[0,16][32,0]", "");
    int32_t tile[2];
    tri_tiles_dpas_shape(&e, 0, tile);
    CHECK(tile[0] == 32 && tile[1] == 16);
    tri_tiles_dpas_shape(&e, 1, tile);
    CHECK(tile[0] == 16 && tile[1] == 16);
    tri_tiles_dpas_shape(&e, 2, tile);
    CHECK(tile[0] == 32 && tile[1] == 16);
    e.dpas.execution_size = e.dpas.threads_per_warp = 8;
    e.dpas.rep_cluster[0] = 1;
    a = dot(&e, 0, 1);
    EXPECT(a, L(16, 16), "[0,1][1,0][2,0][4,0]", "[0,2][0,4][0,8]", "[0,0][8,0]", "");
    e.dpas.ops_per_channel = 4;
    a = dot(&e, 0, 2);
    EXPECT(a, L(16, 32), "[0,1][0,2][1,0][2,0][4,0]", "[0,4][0,8][0,16]", "[0,0][8,0]", "");
}

static tri_encoding block(ints instr, int blocks, int k_width, ints order)
{
    tri_encoding e = {.kind = TRI_ENC_INTEL_BLOCK, .rank = 2, .instr_rank = 2};
    e.warps_per_cta[0] = 8;
    e.warps_per_cta[1] = 4;
    memcpy(e.instr_shape, instr.v, sizeof e.instr_shape);
    memcpy(e.order, order.v, sizeof order.v);
    e.block.num_blocks = blocks;
    e.block.k_width = k_width;
    e.block.threads_per_warp = 16;
    return e;
}

/* Blocks of two dimensions: several rows in a register, one, a row's neighbours in two; two side by side. */
static void test_blocks(void)
{
    tri_encoding e = block(L(32, 8), 2, 4, L(1, 0));
    EXPECT(e, L(256, 32), "[2,0][4,0][8,0][16,0][0,8][0,16]", "[0,1][0,2][0,4][1,0]",
           "[0,0][0,0][32,0][64,0][128,0]", "");
    e = block(L(32, 16), 1, 4, L(0, 1));
    EXPECT(e, L(32, 128), "[1,0][2,0][4,0][8,0][16,0][0,64]", "[0,1][0,2][0,4][0,8]",
           "[0,16][0,32][0,0][0,0][0,0]", "");
    e = block(L(32, 32), 1, 2, L(1, 0));
    EXPECT(e, L(256, 32), "[0,1][1,0][2,0][4,0][8,0][16,0]", "[0,2][0,4][0,8][0,16]",
           "[0,0][0,0][32,0][64,0][128,0]", "");
    e = block(L(16, 16), 2, 2, L(0, 1));
    EXPECT(e, L(32, 256), "[1,0][2,0][4,0][8,0][0,16][16,0][0,128]", "[0,1][0,2][0,4][0,8]",
           "[0,32][0,64][0,0][0,0][0,0]", "");
}

static void test_buffers(void)
{
    tri_encoding e = swizzled(2, 2, 4, L(1, 0));
    EXPECT_BUFFER(e, L(32, 32), "[0,1][0,2][0,4][0,8][0,16][1,0][2,2][4,4][8,0][16,0]");
    e = swizzled(1, 1, 4, L(0, 1));
    EXPECT_BUFFER(e, L(4, 8), "[1,0][2,0][1,1][2,2][0,4]");
    e = nvmma(128, false, 32, 2);
    EXPECT_BUFFER(e, L(8, 64), "[0,1][0,2][0,4][0,8][0,16][1,4][2,8][4,16][0,32]");
    e = nvmma(128, true, 32, 2);
    EXPECT_BUFFER(e, L(128, 128), "[1,0][2,0][4,0][8,0][16,0][4,1][8,2][16,4][0,8][0,16][0,32][0,64][32,0][64,0]");
    e = nvmma(32, false, 16, 2);
    EXPECT_BUFFER(e, L(128, 16), "[0,1][0,2][0,4][0,8][1,0][2,0][4,8][8,0][16,0][32,0][64,0]");
    e = nvmma(128, false, 16, 2);
    EXPECT_BUFFER(e, L(64, 128), "[0,1][0,2][0,4][0,8][0,16][0,32][1,8][2,16][4,32][8,0][16,0][32,0][0,64]");
    e = nvmma(64, false, 16, 2);
    EXPECT_BUFFER(e, L(64, 32), "[0,1][0,2][0,4][0,8][0,16][1,0][2,8][4,16][8,0][16,0][32,0]");
    e = nvmma(128, true, 16, 2);
    EXPECT_BUFFER(e, L(64, 64), "[1,0][2,0][4,0][8,0][16,0][32,0][8,1][16,2][32,4][0,8][0,16][0,32]");
    tri_encoding padded = {.kind = TRI_ENC_PADDED_SHARED, .rank = 2, .order = {1, 0}};
    padded.padded.count = 1;
    padded.padded.interval[0] = 128;
    padded.padded.padding[0] = 8;
    int64_t shape[2] = {16, 128};
    CHECK(tri_convert_buffer_elements(&padded, 2, shape) == 16 * 136 - 8);
    CHECK(tri_convert_pad_offset(&padded, 129) == 137);
    EXPECT_BUFFER(padded, L(2, 4), "[0,1][0,2][1,0]");
}

static void expect_swizzle(int line, int idx, int k_width, ints shape, ints order, int bits, int vec, int per_phase,
                           int max_phase)
{
    tri_encoding p = mma(2, bits == 64 ? L(8, 8) : L(16, 8), L(4, 1)), d = dot(&p, idx, k_width);
    int64_t dims[2] = {shape.v[0], shape.v[1]};
    tri_encoding e = tri_convert_swizzle_for_dot(&d, 2, dims, order.v, bits, false);
    if (e.swizzled.vec != vec || e.swizzled.per_phase != per_phase || e.swizzled.max_phase != max_phase) {
        failures++;
        fprintf(stderr, "line %d: got %d, %d, %d\n", line, e.swizzled.vec, e.swizzled.per_phase, e.swizzled.max_phase);
    }
}

static void expect_nvmma(int line, ints shape, ints order, int bits, int bytes, bool transposed)
{
    int64_t dims[2] = {shape.v[0], shape.v[1]};
    tri_encoding e = tri_convert_nvmma_for(2, dims, order.v, bits, false, NULL);
    if (e.nvmma.swizzle_bytes != bytes || e.nvmma.is_transposed != transposed) {
        failures++;
        fprintf(stderr, "line %d: got %d, %d\n", line, e.nvmma.swizzle_bytes, e.nvmma.is_transposed);
    }
}

static void test_choices(void)
{
    expect_swizzle(__LINE__, 0, 2, L(128, 32), L(1, 0), 16, 8, 2, 4);
    expect_swizzle(__LINE__, 0, 2, L(128, 64), L(1, 0), 16, 8, 1, 8);
    expect_swizzle(__LINE__, 0, 2, L(64, 16), L(1, 0), 16, 8, 4, 2);
    expect_swizzle(__LINE__, 1, 2, L(32, 128), L(1, 0), 16, 8, 1, 8);
    expect_swizzle(__LINE__, 0, 1, L(64, 32), L(1, 0), 32, 4, 1, 8);
    expect_swizzle(__LINE__, 0, 4, L(128, 64), L(1, 0), 8, 16, 2, 4);
    expect_swizzle(__LINE__, 1, 4, L(64, 128), L(1, 0), 8, 8, 1, 16);
    expect_swizzle(__LINE__, 1, 1, L(4, 16), L(1, 0), 64, 4, 1, 4);
    expect_nvmma(__LINE__, L(128, 64), L(1, 0), 16, 128, false);
    expect_nvmma(__LINE__, L(128, 32), L(1, 0), 16, 64, false);
    expect_nvmma(__LINE__, L(64, 16), L(1, 0), 16, 32, false);
    expect_nvmma(__LINE__, L(64, 128), L(0, 1), 16, 128, true);
    expect_nvmma(__LINE__, L(4, 64), L(1, 0), 16, 0, false);
    expect_nvmma(__LINE__, L(64, 8), L(1, 0), 16, 0, false);
    expect_nvmma(__LINE__, L(128, 64), L(1, 0), 8, 64, false);
}

static void expect_auto(int line, ints shape, ints spt, ints order, int warps, ints tpw, ints wpc)
{
    int64_t dims[4] = {0};
    for (int d = 0; d < shape.n; d++)
        dims[d] = shape.v[d];
    tri_encoding e = tri_convert_blocked_auto(shape.n, dims, spt.v, order.v, warps, 32);
    for (int d = 0; d < shape.n; d++) {
        if (e.blocked.threads_per_warp[d] != tpw.v[d] || e.warps_per_cta[d] != wpc.v[d]) {
            failures++;
            fprintf(stderr, "line %d: dim %d: got %d, %d\n", line, d, e.blocked.threads_per_warp[d],
                    e.warps_per_cta[d]);
        }
    }
}

static void test_auto(void)
{
    expect_auto(__LINE__, L(128, 64), L(1, 1), L(1, 0), 4, L(1, 32), L(2, 2));
    expect_auto(__LINE__, L(1024), L(1), L(0), 4, L(32), L(4));
    expect_auto(__LINE__, L(16, 1), L(1, 1), L(1, 0), 4, L(32, 1), L(4, 1));
    expect_auto(__LINE__, L(64, 64, 2), L(1, 1, 1), L(2, 1, 0), 4, L(1, 16, 2), L(1, 4, 1));
    expect_auto(__LINE__, L(2, 128), L(1, 1), L(1, 0), 8, L(1, 32), L(2, 4));
    expect_auto(__LINE__, L(128, 64), L(1, 8), L(1, 0), 4, L(4, 8), L(4, 1));
    expect_auto(__LINE__, L(128, 32), L(1, 8), L(1, 0), 4, L(8, 4), L(4, 1));
    expect_auto(__LINE__, L(128, 256), L(1, 8), L(1, 0), 8, L(1, 32), L(8, 1));
    expect_auto(__LINE__, L(64, 64), L(4, 1), L(0, 1), 4, L(16, 2), L(1, 4));
}

static void test_queries(void)
{
    tri_encoding b = blocked(L(1, 4), L(8, 4), L(4, 1), L(1, 0)), m = mma(2, L(16, 8), L(2, 2));
    int64_t shape[2] = {64, 64};
    int32_t v[TRI_MAX_RANK];
    tri_convert_contig_per_thread(&b, 2, shape, v);
    CHECK(v[0] == 1 && v[1] == 4);
    tri_convert_contig_per_thread(&m, 2, shape, v);
    CHECK(v[0] == 1 && v[1] == 2);
    tri_convert_order(&m, 2, shape, v);
    CHECK(v[0] == 1 && v[1] == 0);
    tri_convert_threads_per_warp(&m, 2, shape, v);
    CHECK(v[0] == 8 && v[1] == 4);
    CHECK(tri_convert_elements_per_thread(&m, 2, shape) == 32);
    CHECK(tri_convert_num_warps(&m) == 4 && tri_convert_num_threads_per_warp(&b) == 32);
    tri_encoding same = m;
    CHECK(tri_encoding_equal(&m, &same) && !tri_encoding_equal(&m, &b));
    same.warps_per_cta[0] = 4;
    CHECK(!tri_encoding_equal(&m, &same));
    int64_t odd[2] = {48, 64};
    tri_linear l;
    CHECK(!tri_convert_to_linear(&b, 2, odd, &l, NULL));
}

int main(void)
{
    test_blocked();
    test_fma();
    test_nvidia();
    test_nvidia_dot();
    test_amd();
    test_dpas();
    test_blocks();
    test_buffers();
    test_choices();
    test_auto();
    test_queries();
    return finish();
}
