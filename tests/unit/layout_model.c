/* Encodings as linear layouts against models that say directly, without any linear algebra, what a thread or
 * an offset holds: for every small shape and every way to fill in the numbers of an encoding. */
#include "layout/convert.h"
#include "layout_expect.h"

enum { MAX_HELD = 1 << 12 };

/* What one thread holds, in the order of its registers; an element may come several times. */
typedef struct {
    int n;
    int64_t at[MAX_HELD][TRI_MAX_RANK];
} held;

typedef void (*model)(const tri_encoding *e, const int64_t *shape, int warp, int lane, held *out);

static long checked;

static void hold(held *h, int rank, const int64_t *shape, const int64_t *coords)
{
    if (h->n == MAX_HELD)
        abort();
    for (int d = 0; d < rank; d++)
        h->at[h->n][d] = coords[d] % shape[d];
    h->n++;
}

/* Digits of `index` in a mixed base, order[0] the lowest. */
static void digits(int rank, const int32_t *base, const int32_t *order, int index, int64_t *out)
{
    for (int i = 0; i < rank; i++) {
        out[order[i]] = index % base[order[i]];
        index /= base[order[i]];
    }
}

static int product(int rank, const int32_t *v)
{
    int p = 1;
    for (int d = 0; d < rank; d++)
        p *= v[d];
    return p;
}

/* How often tiles of size `tile` are laid down along each dimension. */
static void repeats(int rank, const int64_t *shape, const int64_t *tile, int32_t *out)
{
    for (int d = 0; d < rank; d++)
        out[d] = (int32_t)(shape[d] > tile[d] ? shape[d] / tile[d] : 1);
}

/* Threads side by side, each with a box of elements; the whole is repeated over the tensor. */
static void blocked_model(const tri_encoding *e, const int64_t *shape, int warp, int lane, held *out)
{
    int rank = e->rank;
    int64_t w[TRI_MAX_RANK], l[TRI_MAX_RANK], r[TRI_MAX_RANK], t[TRI_MAX_RANK], tile[TRI_MAX_RANK], c[TRI_MAX_RANK];
    int32_t times[TRI_MAX_RANK];
    const int32_t *size = e->blocked.size_per_thread, *lanes = e->blocked.threads_per_warp;
    for (int d = 0; d < rank; d++)
        tile[d] = (int64_t)size[d] * lanes[d] * e->warps_per_cta[d];
    repeats(rank, shape, tile, times);
    digits(rank, e->warps_per_cta, e->order, warp, w);
    digits(rank, lanes, e->order, lane, l);
    for (int k = 0; k < product(rank, times); k++) {
        digits(rank, times, e->order, k, t);
        for (int i = 0; i < product(rank, size); i++) {
            digits(rank, size, e->order, i, r);
            for (int d = 0; d < rank; d++)
                c[d] = t[d] * tile[d] + (w[d] * lanes[d] + l[d]) * size[d] + r[d];
            hold(out, rank, shape, c);
        }
    }
}

/* What the parent holds of a tensor that is one element long along the dimension, without that. */
static void slice_model(const tri_encoding *e, const int64_t *shape, int warp, int lane, held *out)
{
    static held whole;
    int64_t over[TRI_MAX_RANK], c[TRI_MAX_RANK];
    for (int d = 0; d < e->rank + 1; d++)
        over[d] = d == e->slice.dim ? 1 : shape[d - (d > e->slice.dim)];
    whole.n = 0;
    blocked_model(e->parent, over, warp, lane, &whole);
    for (int i = 0; i < whole.n; i++) {
        for (int d = 0; d < e->rank; d++)
            c[d] = whole.at[i][d + (d >= e->slice.dim)];
        hold(out, e->rank, shape, c);
    }
}

/* Accumulators of mma.m16n8: PTX ISA, "Matrix Fragments". Warps count along N first. */
static void mma_model(const tri_encoding *e, const int64_t *shape, int warp, int lane, held *out)
{
    int64_t tile[2] = {16 * e->warps_per_cta[0], 8 * e->warps_per_cta[1]};
    int64_t m = 16 * (warp / e->warps_per_cta[1]), n = 8 * (warp % e->warps_per_cta[1]);
    int32_t times[2];
    repeats(2, shape, tile, times);
    for (int i = 0; i < times[0]; i++)
        for (int j = 0; j < times[1]; j++)
            for (int r = 0; r < 4; r++)
                hold(out, 2, shape,
                     (int64_t[]){i * tile[0] + m + lane / 4 + r / 2 * 8, j * tile[1] + n + lane % 4 * 2 + r % 2});
}

/* Accumulators of wgmma.m64nNk16: PTX ISA, "Register Fragments and Shared Memory Matrix Layouts". A warp has 16
 * rows; warps count along M first. */
static void wgmma_model(const tri_encoding *e, const int64_t *shape, int warp, int lane, held *out)
{
    int width = e->instr_shape[1];
    int64_t tile[2] = {16 * e->warps_per_cta[0], (int64_t)width * e->warps_per_cta[1]};
    int64_t m = 16 * (warp % e->warps_per_cta[0]), n = width * (warp / e->warps_per_cta[0]);
    int32_t times[2];
    repeats(2, shape, tile, times);
    for (int i = 0; i < times[0]; i++)
        for (int j = 0; j < times[1]; j++)
            for (int r = 0; r < width / 2; r++)
                hold(out, 2, shape, (int64_t[]){i * tile[0] + m + lane / 4 + r / 2 % 2 * 8,
                                                j * tile[1] + n + r / 4 * 8 + lane % 4 * 2 + r % 2});
}

/* Operands of mma.m16n8: a lane's consecutive elements along K are k_width, twice in an instruction; A has rows
 * of both halves of M, and is the same for all warps along N; B, the other way round. */
static void mma_operand_model(const tri_encoding *e, const int64_t *shape, int warp, int lane, held *out)
{
    const int32_t *warps = e->parent->warps_per_cta;
    int width = e->dot_op.k_width, is_b = e->dot_op.op_idx, along = is_b ? 8 : 16;
    int position = is_b ? warp % warps[1] : warp / warps[1], halves = is_b ? 1 : 2;
    int64_t tile = (int64_t)along * warps[is_b], depth = 8 * width;
    int64_t size = shape[is_b], k_size = shape[!is_b];
    for (int64_t i = 0; i < (size > tile ? size / tile : 1); i++)
        for (int64_t k = 0; k < (k_size > depth ? k_size / depth : 1); k++)
            for (int r = 0; r < 2 * halves * width; r++) {
                int64_t other = i * tile + position * along + lane / 4 + r / width % halves * 8;
                int64_t inner = k * depth + lane % 4 * width + r % width + r / (width * halves) * 4 * width;
                hold(out, 2, shape, is_b ? (int64_t[]){inner, other} : (int64_t[]){other, inner});
            }
}

/* Results of mfma: AMD's CDNA3 ISA, "Matrix Arithmetic Instructions". A lane has one column, and rows in fours; all
 * of N comes before the next tile along M. */
static void mfma_model(const tri_encoding *e, const int64_t *shape, int warp, int lane, held *out)
{
    int size = e->instr_shape[0], m = warp / e->warps_per_cta[1], n = warp % e->warps_per_cta[1];
    int64_t tile[2] = {(int64_t)size * e->warps_per_cta[0], (int64_t)size * e->warps_per_cta[1]};
    int32_t times[2];
    repeats(2, shape, tile, times);
    for (int i = 0; i < times[0]; i++)
        for (int j = 0; j < times[1]; j++)
            for (int r = 0; r < size * size / 64; r++) {
                int down = r / 4 * (256 / size) + lane / size * 4 + r % 4, across = lane % size;
                bool turned = e->amd.is_transposed;
                hold(out, 2, shape, (int64_t[]){i * tile[0] + m * size + (turned ? across : down),
                                                j * tile[1] + n * size + (turned ? down : across)});
            }
}

/* Results of wmma 16x16: AMD's RDNA3 ISA interleaves the rows of the two halves of a wave, RDNA4's gives each eight.
 * The warps of the test are two by two, N first. */
static void wmma_model(const tri_encoding *e, const int64_t *shape, int warp, int lane, held *out)
{
    int64_t tile[2] = {32, 32};
    int32_t times[2];
    repeats(2, shape, tile, times);
    for (int i = 0; i < times[0]; i++)
        for (int j = 0; j < times[1]; j++)
            for (int r = 0; r < 8; r++) {
                int down = e->version_major == 1 ? 2 * r + lane / 16 : r + lane / 16 * 8, across = lane % 16;
                bool turned = e->amd.is_transposed;
                hold(out, 2, shape, (int64_t[]){i * 32 + warp / 2 * 16 + (turned ? across : down),
                                                j * 32 + warp % 2 * 16 + (turned ? down : across)});
            }
}

/* What an instruction of dpas takes or gives (SPV_INTEL_subgroup_matrix_multiply_accumulate): element `r` of a lane, of
 * operand 0 (A), 1 (B) or 2 (the result). */
static void dpas_element(const tri_encoding *e, int operand, int r, int lane, int *out_row, int *out_column)
{
    int lanes = e->dpas.threads_per_warp, width = e->dpas.execution_size, ops = e->dpas.ops_per_channel;
    if (operand == 2) {
        *out_row = r * (lanes / width) + lane / width;
        *out_column = lane % width;
    } else if (operand == 1) {
        *out_row = (r / ops * (lanes / width) + lane / width) * ops + r % ops;
        *out_column = lane % width;
    } else {
        int across = e->dpas.systolic_depth * ops, words = ops == 4 ? across / 2 : across;
        int columns = words < lanes ? words : lanes, pack = across / columns;
        *out_row = r / pack * (lanes / columns) + lane / columns;
        *out_column = lane % columns * pack + r % pack;
    }
}

static void dpas_any(const tri_encoding *e, int operand, const int64_t *shape, int warp, int lane, held *out)
{
    int depth = e->dpas.systolic_depth * e->dpas.ops_per_channel, lanes = e->dpas.threads_per_warp;
    int size[2] = {operand == 1 ? depth : e->dpas.repeat_count, operand == 0 ? depth : e->dpas.execution_size};
    int cluster[2] = {operand == 1 ? 1 : e->dpas.rep_cluster[0], operand == 0 ? 1 : e->dpas.rep_cluster[1]};
    int warps[2] = {operand == 1 ? 1 : e->warps_per_cta[0], operand == 0 ? 1 : e->warps_per_cta[1]};
    int place[2] = {operand == 1 ? 0 : warp / e->warps_per_cta[1], operand == 0 ? 0 : warp % e->warps_per_cta[1]};
    int64_t tile[2] = {(int64_t)size[0] * cluster[0] * warps[0], (int64_t)size[1] * cluster[1] * warps[1]};
    int32_t times[2];
    repeats(2, shape, tile, times);
    int fast = operand == 1 ? 0 : 1;
    for (int k = 0; k < times[0] * times[1]; k++)
        for (int c = 0; c < cluster[0] * cluster[1]; c++)
            for (int r = 0; r < size[0] * size[1] / lanes; r++) {
                int64_t t[2], at[2];
                int row, column, in_cluster[2] = {c / cluster[1], c % cluster[1]};
                t[fast] = k % times[fast];
                t[!fast] = k / times[fast];
                dpas_element(e, operand, r, lane, &row, &column);
                for (int d = 0; d < 2; d++)
                    at[d] = t[d] * tile[d] + (place[d] * cluster[d] + in_cluster[d]) * size[d] + (d ? column : row);
                hold(out, 2, shape, at);
            }
}

static void dpas_model(const tri_encoding *e, const int64_t *shape, int warp, int lane, held *out)
{
    dpas_any(e, 2, shape, warp, lane, out);
}

static void dpas_operand_model(const tri_encoding *e, const int64_t *shape, int warp, int lane, held *out)
{
    dpas_any(e->parent, e->dot_op.op_idx, shape, warp, lane, out);
}

/* Four elements of a row in a thread, 8 by 4 threads, 4 warps down. */
static void linear_model(const tri_encoding *e, const int64_t *shape, int warp, int lane, held *out)
{
    (void)e;
    for (int i = 0; i < (shape[0] > 32 ? shape[0] / 32 : 1); i++)
        for (int j = 0; j < (shape[1] > 16 ? shape[1] / 16 : 1); j++)
            for (int r = 0; r < 4; r++)
                hold(out, 2, shape, (int64_t[]){i * 32 + warp * 8 + lane / 4, j * 16 + lane % 4 * 4 + r});
}

static bool same(int rank, const int64_t *a, const int64_t *b) { return !memcmp(a, b, (size_t)rank * sizeof *a); }

/* Leaves only the first of equal elements. */
static void drop_repeated(held *h, int rank)
{
    int n = 0;
    for (int i = 0; i < h->n; i++) {
        bool is_new = true;
        for (int k = 0; k < n && is_new; k++)
            is_new = !same(rank, h->at[k], h->at[i]);
        if (is_new)
            memmove(h->at[n++], h->at[i], sizeof h->at[i]);
    }
    h->n = n;
}

static void fail(const char *what, const int64_t *shape, int rank, int warp, int lane)
{
    if (failures++ < 10) {
        fprintf(stderr, "%s, shape", what);
        for (int d = 0; d < rank; d++)
            fprintf(stderr, " %lld", (long long)shape[d]);
        fprintf(stderr, ": warp %d lane %d holds something else\n", warp, lane);
    }
}

static void compare(const char *what, const tri_encoding *e, const int64_t *shape, int warps, int lanes, model m)
{
    static held want, got;
    tri_linear l;
    const char *why = "";
    if (!tri_convert_to_linear(e, e->rank, shape, &l, &why)) {
        fprintf(stderr, "%s: no layout: %s\n", what, why);
        failures++;
        return;
    }
    CHECK(tri_linear_in_size(&l, TRI_DIM_WARP) == warps && tri_linear_in_size(&l, TRI_DIM_LANE) == lanes);
    for (int warp = 0; warp < warps; warp++) {
        for (int lane = 0; lane < lanes; lane++) {
            want.n = got.n = 0;
            m(e, shape, warp, lane, &want);
            for (int64_t r = 0; r < tri_linear_in_size(&l, TRI_DIM_REGISTER); r++) {
                uint64_t packed = tri_linear_apply_one(&l, TRI_DIM_REGISTER, (uint64_t)r) ^
                                  tri_linear_apply_one(&l, TRI_DIM_LANE, (uint64_t)lane) ^
                                  tri_linear_apply_one(&l, TRI_DIM_WARP, (uint64_t)warp);
                int64_t c[TRI_MAX_RANK];
                for (int d = 0; d < e->rank; d++)
                    c[d] = tri_linear_coord(&l, packed, (tri_dim)(TRI_DIM_0 + d));
                hold(&got, e->rank, shape, c);
            }
            drop_repeated(&want, e->rank);
            drop_repeated(&got, e->rank);
            bool ok = want.n == got.n;
            for (int i = 0; ok && i < want.n; i++)
                ok = same(e->rank, want.at[i], got.at[i]);
            if (!ok)
                fail(what, shape, e->rank, warp, lane);
        }
    }
    checked++;
}

/* ---- all the ways to fill in an encoding ---- */

/* Number `index` of the ways to write 2^bits as a product of `rank` powers of two; false when there are fewer. */
static bool split(int rank, int bits, int index, int32_t *out)
{
    for (int d = 0; d < rank; d++)
        out[d] = 1;
    for (int code = 0, found = 0; code < 1 << (3 * rank); code++) {
        int sum = 0;
        for (int d = 0; d < rank; d++)
            sum += code >> (3 * d) & 7;
        if (sum != bits || found++ != index)
            continue;
        for (int d = 0; d < rank; d++)
            out[d] = 1 << (code >> (3 * d) & 7);
        return true;
    }
    return false;
}

static bool permutation(int rank, int index, int32_t *out)
{
    static const int32_t all[6][3] = {{2, 1, 0}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {0, 1, 2}};
    int found = 0;
    for (int i = 0; i < 6; i++) {
        int n = 0;
        for (int k = 0; k < 3; k++)
            if (all[i][k] < rank)
                out[n++] = all[i][k];
        bool is_canonical = true; /* the dimensions that are not there come last, in order */
        for (int k = rank; k < 3; k++)
            is_canonical = is_canonical && all[i][k] == k;
        if (is_canonical && found++ == index)
            return true;
    }
    return false;
}

/* Number `index` of the shapes of `rank` dimensions of 1 to 2^most. */
static bool shape_at(int rank, int most, int index, int64_t *out)
{
    for (int d = 0; d < rank; d++) {
        out[d] = (int64_t)1 << index % (most + 1);
        index /= most + 1;
    }
    return index == 0;
}

static void each_blocked(int rank, int lane_bits, int most_register_bits, int most_warp_bits, int most_shape,
                         void (*visit)(const tri_encoding *e, int most_shape, int warps, int lanes))
{
    tri_encoding e = {.kind = TRI_ENC_BLOCKED, .rank = rank};
    for (int r = 0; r <= most_register_bits; r++)
        for (int i = 0; split(rank, r, i, e.blocked.size_per_thread); i++)
            for (int j = 0; split(rank, lane_bits, j, e.blocked.threads_per_warp); j++)
                for (int w = 0; w <= most_warp_bits; w++)
                    for (int k = 0; split(rank, w, k, e.warps_per_cta); k++)
                        for (int o = 0; permutation(rank, o, e.order); o++)
                            visit(&e, most_shape, 1 << w, 1 << lane_bits);
}

static void visit_blocked(const tri_encoding *e, int most_shape, int warps, int lanes)
{
    int64_t shape[TRI_MAX_RANK];
    for (int s = 0; shape_at(e->rank, most_shape, s, shape); s++)
        compare("blocked", e, shape, warps, lanes, blocked_model);
}

static void visit_slices(const tri_encoding *parent, int most_shape, int warps, int lanes)
{
    int64_t shape[TRI_MAX_RANK];
    tri_encoding e = {.kind = TRI_ENC_SLICE, .rank = parent->rank - 1, .parent = parent};
    for (e.slice.dim = 0; e.slice.dim < parent->rank; e.slice.dim++)
        for (int s = 0; shape_at(e.rank, most_shape, s, shape); s++)
            compare("slice", &e, shape, warps, lanes, slice_model);
}

static void test_blocked(void)
{
    each_blocked(1, 5, 3, 3, 8, visit_blocked);
    each_blocked(2, 3, 2, 2, 4, visit_blocked);
    each_blocked(2, 5, 1, 1, 5, visit_blocked);
    each_blocked(3, 2, 1, 1, 3, visit_blocked);
    each_blocked(2, 3, 2, 2, 6, visit_slices);
    each_blocked(3, 2, 1, 1, 3, visit_slices);
}

static void test_mma(void)
{
    static const int32_t warps[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}};
    for (size_t w = 0; w < sizeof warps / sizeof *warps; w++) {
        tri_encoding e = {.kind = TRI_ENC_NVIDIA_MMA,
                          .rank = 2,
                          .version_major = 2,
                          .instr_shape = {16, 8},
                          .instr_rank = 2,
                          .warps_per_cta = {warps[w][0], warps[w][1]}};
        tri_encoding d = {.kind = TRI_ENC_DOT_OP, .rank = 2, .parent = &e};
        int64_t shape[2];
        int n = warps[w][0] * warps[w][1];
        for (int s = 0; shape_at(2, 7, s, shape); s++) {
            if (shape[0] * shape[1] / n > 1 << 13)
                continue;
            compare("mma v2", &e, shape, n, 32, mma_model);
            for (d.dot_op.op_idx = 0; d.dot_op.op_idx < 2; d.dot_op.op_idx++)
                for (d.dot_op.k_width = 1; d.dot_op.k_width <= 4; d.dot_op.k_width *= 2)
                    if (shape[0] <= 64 && shape[1] <= 64)
                        compare(d.dot_op.op_idx ? "operand b of mma v2" : "operand a of mma v2", &d, shape, n, 32,
                                mma_operand_model);
        }
        for (int width = 8; width <= 128 && warps[w][0] == 4; width *= 2) {
            tri_encoding g = {.kind = TRI_ENC_NVIDIA_MMA, .rank = 2, .version_major = 3, .instr_shape = {16, width, 16},
                              .instr_rank = 3, .warps_per_cta = {warps[w][0], warps[w][1]}};
            for (int s = 0; shape_at(2, 7, s, shape); s++)
                if (shape[0] >= 64 && shape[1] >= width)
                    compare("mma v3", &g, shape, n, 32, wgmma_model);
        }
    }
}

static void test_amd(void)
{
    static const int32_t warps[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}};
    int64_t shape[2];
    for (int code = 0; code < 6 * 4; code++) {
        const int32_t *w = warps[code / 4];
        int size = code & 1 ? 32 : 16;
        tri_encoding e = {.kind = TRI_ENC_AMD_MFMA,
                          .rank = 2,
                          .version_major = 3,
                          .instr_shape = {size, size, 8},
                          .instr_rank = 3,
                          .warps_per_cta = {w[0], w[1]}};
        e.amd.is_transposed = code >> 1 & 1;
        e.amd.tiles_per_warp[0] = e.amd.tiles_per_warp[1] = 1;
        for (int s = 0; shape_at(2, 7, s, shape); s++)
            if (shape[0] * shape[1] <= 1 << 12)
                compare("mfma", &e, shape, w[0] * w[1], 64, mfma_model);
    }
    for (int code = 0; code < 4; code++) {
        tri_encoding e = {.kind = TRI_ENC_AMD_WMMA,
                          .rank = 2,
                          .version_major = 1 + (code & 1),
                          .instr_shape = {16, 16, 16},
                          .instr_rank = 3};
        e.amd.is_transposed = code >> 1 & 1;
        e.amd.wmma_warp = (tri_bases){.count = 2, .at = {{0, 1}, {1, 0}}};
        for (int s = 0; shape_at(2, 7, s, shape); s++)
            if (shape[0] >= 32 && shape[1] >= 32)
                compare("wmma", &e, shape, 4, 32, wmma_model);
    }
}

static void test_dpas(void)
{
    static const char *const names[] = {"operand a of dpas", "operand b of dpas"};
    int64_t shape[2];
    for (int code = 0; code < 3 * 2 * 2 * 2 * 3; code++) {
        static const int32_t warps[][2] = {{1, 1}, {2, 2}, {1, 4}};
        const int32_t *w = warps[code / 24];
        tri_encoding e = {.kind = TRI_ENC_INTEL_DPAS, .rank = 2, .warps_per_cta = {w[0], w[1]}};
        e.dpas.repeat_count = e.dpas.systolic_depth = 8;
        e.dpas.execution_size = 16;
        e.dpas.ops_per_channel = 1 << code % 3;
        e.dpas.threads_per_warp = code / 3 & 1 ? 32 : 16;
        e.dpas.rep_cluster[0] = code / 6 & 1 ? 4 : 1;
        e.dpas.rep_cluster[1] = code / 12 & 1 ? 2 : 1;
        tri_encoding d = {.kind = TRI_ENC_DOT_OP, .rank = 2, .parent = &e};
        d.dot_op.k_width = 1;
        for (int s = 0; shape_at(2, 7, s, shape); s++) {
            if (shape[0] * shape[1] <= 1 << 11)
                compare("dpas", &e, shape, w[0] * w[1], e.dpas.threads_per_warp, dpas_model);
            for (d.dot_op.op_idx = 0; d.dot_op.op_idx < 2; d.dot_op.op_idx++)
                if (shape[0] * shape[1] <= 1 << 10)
                    compare(names[d.dot_op.op_idx], &d, shape, w[0] * w[1], e.dpas.threads_per_warp,
                            dpas_operand_model);
        }
    }
}

static void test_linear(void)
{
    tri_encoding e = {.kind = TRI_ENC_LINEAR, .rank = 2};
    e.linear.reg = (tri_bases){2, {{0, 1}, {0, 2}}};
    e.linear.lane = (tri_bases){5, {{0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 0}}};
    e.linear.warp = (tri_bases){2, {{8, 0}, {16, 0}}};
    int64_t shape[2];
    for (int s = 0; shape_at(2, 7, s, shape); s++)
        compare("linear", &e, shape, 4, 32, linear_model);
}

/* ---- buffers ---- */

typedef int64_t (*buffer_model)(const tri_encoding *e, const int64_t *shape, int64_t row, int64_t column);

static int64_t swizzled_model(const tri_encoding *e, const int64_t *shape, int64_t row, int64_t column)
{
    int64_t fast = shape[e->order[0]], phase = row / e->swizzled.per_phase % e->swizzled.max_phase;
    return row * fast + (column ^ phase * e->swizzled.vec % fast);
}

/* Panels of swizzle_bytes; in one, the sixteenths of bytes of a row change places by the row. */
static int64_t nvmma_model(const tri_encoding *e, const int64_t *shape, int64_t row, int64_t column)
{
    int64_t size = e->nvmma.element_bits / 8, width = e->nvmma.swizzle_bytes,
            rows = shape[e->nvmma.is_transposed ? 1 : 0];
    int64_t byte = column * size, panel = byte / width, within = byte % width;
    int64_t phase = row / (128 / width) % (width / 16);
    return (panel * rows * width + row * width + (within / 16 ^ phase) * 16 + within % 16) / size;
}

/* Rows one after the other, the columns of each XORed with the number of the row. */
static int64_t shared_linear_model(const tri_encoding *e, const int64_t *shape, int64_t row, int64_t column)
{
    (void)e;
    return row * shape[1] + (column ^ row % shape[1]);
}

/* `fast` is the dimension that lies contiguously. */
static void compare_buffer(const char *what, const tri_encoding *e, const int64_t *shape, int fast, buffer_model m)
{
    tri_linear l;
    const char *why = "";
    if (!tri_convert_to_linear(e, 2, shape, &l, &why)) {
        fprintf(stderr, "%s: no layout: %s\n", what, why);
        failures++;
        return;
    }
    CHECK(tri_linear_in_size(&l, TRI_DIM_OFFSET) == shape[0] * shape[1]);
    for (int64_t o = 0; o < shape[0] * shape[1]; o++) {
        uint64_t packed = tri_linear_apply_one(&l, TRI_DIM_OFFSET, (uint64_t)o);
        int64_t c[2] = {tri_linear_coord(&l, packed, TRI_DIM_0),
                        tri_linear_coord(&l, packed, (tri_dim)(TRI_DIM_0 + 1))};
        if (m(e, shape, c[!fast], c[fast]) != o && failures++ < 10)
            fprintf(stderr, "%s, shape %lld %lld: offset %lld holds something else\n", what, (long long)shape[0],
                    (long long)shape[1], (long long)o);
    }
    checked++;
}

static void test_buffers(void)
{
    int64_t shape[2];
    for (int s = 0; shape_at(2, 6, s, shape); s++) {
        for (int fast = 0; fast < 2; fast++) {
            tri_encoding e = {.kind = TRI_ENC_SWIZZLED_SHARED, .rank = 2, .order = {fast, !fast}};
            for (e.swizzled.vec = 1; e.swizzled.vec <= 8; e.swizzled.vec *= 2)
                for (e.swizzled.per_phase = 1; e.swizzled.per_phase <= 4; e.swizzled.per_phase *= 2)
                    for (e.swizzled.max_phase = 1; e.swizzled.max_phase <= 8; e.swizzled.max_phase *= 2)
                        if (e.swizzled.vec <= shape[fast])
                            compare_buffer("swizzled_shared", &e, shape, fast, swizzled_model);
            tri_encoding n = {.kind = TRI_ENC_NVMMA_SHARED, .rank = 2};
            n.nvmma.is_transposed = fast == 0;
            for (n.nvmma.element_bits = 8; n.nvmma.element_bits <= 32; n.nvmma.element_bits *= 2)
                for (n.nvmma.swizzle_bytes = 32; n.nvmma.swizzle_bytes <= 128; n.nvmma.swizzle_bytes *= 2)
                    if (shape[!fast] >= 8 && shape[fast] * n.nvmma.element_bits / 8 >= n.nvmma.swizzle_bytes)
                        compare_buffer("nvmma_shared", &n, shape, fast, nvmma_model);
        }
    }
}

static void test_shared_linear(void)
{
    int64_t shape[2];
    for (int s = 0; shape_at(2, 6, s, shape); s++) {
        tri_encoding e = {.kind = TRI_ENC_SHARED_LINEAR, .rank = 2};
        tri_bases *offset = &e.shared_linear.offset;
        for (int32_t column = 1; column < shape[1]; column *= 2)
            offset->at[offset->count++][1] = column;
        for (int32_t row = 1; row < shape[0]; row *= 2, offset->count++) {
            offset->at[offset->count][0] = row;
            offset->at[offset->count][1] = row % (int32_t)shape[1];
        }
        e.shared_linear.alignment = 16;
        compare_buffer("shared_linear", &e, shape, 1, shared_linear_model);
    }
}

/* Padding, counted element by element. */
static void test_padding(void)
{
    for (int code = 0; code < 4 * 4 * 4 * 4; code++) {
        tri_encoding e = {.kind = TRI_ENC_PADDED_SHARED, .rank = 1, .order = {0}};
        e.padded.count = 2;
        for (int i = 0; i < 2; i++) {
            e.padded.interval[i] = 4 << (code >> (4 * i) & 3);
            e.padded.padding[i] = 1 << (code >> (4 * i + 2) & 3);
        }
        if (e.padded.interval[0] == e.padded.interval[1])
            continue;
        int64_t place = 0;
        for (int64_t o = 0; o < 256; o++, place++) {
            for (int i = 0; i < 2; i++)
                place += o && o % e.padded.interval[i] == 0 ? e.padded.padding[i] : 0;
            CHECK(tri_convert_pad_offset(&e, o) == place);
        }
        int64_t shape[1] = {256};
        CHECK(tri_convert_buffer_elements(&e, 1, shape) == place);
        checked++;
    }
}

int main(void)
{
    test_blocked();
    test_mma();
    test_amd();
    test_dpas();
    test_linear();
    test_buffers();
    test_shared_linear();
    test_padding();
    printf("%ld encodings\n", checked);
    return finish();
}
