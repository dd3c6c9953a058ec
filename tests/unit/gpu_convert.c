/* Layout conversions and shared buffers on the simulator: every pair of a set of layouts, several element
 * sizes, through registers, shuffles, swizzled shared memory, matrix instructions and buffers. */
#include "tests/unit/gpu_run.h"

enum { rows = 64, columns = 64, count = rows * columns };

static unsigned char in[count * 8], out[count * 8];
static char text[16384];

static const char *const layouts[] = {
    "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>",
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>",
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>",
    "#ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>",
    "#ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>",
    "#ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, "
    "0]], "
    "warp = [[16, 0], [32, 0]], block = []}>",
};
enum { num_layouts = sizeof layouts / sizeof *layouts };

static const char *const buffers[] = {
    "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>",
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>",
    "#ttg.padded_shared<[128:+8] {order = [1, 0], shape = [64, 64]}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
};
enum { num_buffers = sizeof buffers / sizeof *buffers };

/* Pointers %%NAME of the whole tensor in layout #NAME. */
static int add_pointers(char *at, size_t room, const char *name, const char *base, const char *type)
{
    return snprintf(
        at, room,
        "  %%%1$s_rm = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = "
        "#%1$s}>>\n"
        "  %%%1$s_rn = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = "
        "#%1$s}>>\n"
        "  %%%1$s_em = tt.expand_dims %%%1$s_rm {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = "
        "#%1$s}>> -> tensor<64x1xi32, #%1$s>\n"
        "  %%%1$s_en = tt.expand_dims %%%1$s_rn {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = "
        "#%1$s}>> -> tensor<1x64xi32, #%1$s>\n"
        "  %%%1$s_w = arith.constant dense<64> : tensor<64x1xi32, #%1$s>\n"
        "  %%%1$s_sm = arith.muli %%%1$s_em, %%%1$s_w : tensor<64x1xi32, #%1$s>\n"
        "  %%%1$s_bm = tt.broadcast %%%1$s_sm : tensor<64x1xi32, #%1$s> -> tensor<64x64xi32, #%1$s>\n"
        "  %%%1$s_bn = tt.broadcast %%%1$s_en : tensor<1x64xi32, #%1$s> -> tensor<64x64xi32, #%1$s>\n"
        "  %%%1$s_o = arith.addi %%%1$s_bm, %%%1$s_bn : tensor<64x64xi32, #%1$s>\n"
        "  %%%1$s_s = tt.splat %%%2$s : !tt.ptr<%3$s> -> tensor<64x64x!tt.ptr<%3$s>, #%1$s>\n"
        "  %%%1$s = tt.addptr %%%1$s_s, %%%1$s_o : tensor<64x64x!tt.ptr<%3$s>, #%1$s>, tensor<64x64xi32, #%1$s>\n",
        name, base, type);
}

static void finish(const char *body, const char *type, const char *a, const char *b, const char *shared)
{
    int len = snprintf(
        text, sizeof text,
        "#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>\n"
        "#a = %s\n#b = %s\n%s%s%s#smem = #ttg.shared_memory\n"
        "module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32, ttg.target = \"cuda:90\", "
        "\"ttg.threads-per-warp\" = 32 : i32} {\n"
        "tt.func public @kernel(%%in: !tt.ptr<%s> {tt.divisibility = 16 : i32}, %%out: !tt.ptr<%s> {tt.divisibility = "
        "16 : i32}) {\n",
        a, b, shared ? "#shared = " : "", shared ? shared : "", shared ? "\n" : "", type, type);
    len += add_pointers(text + len, sizeof text - (size_t)len, "a", "in", type);
    len += add_pointers(text + len, sizeof text - (size_t)len, "b", "out", type);
    snprintf(text + len, sizeof text - (size_t)len,
             "  %%x = tt.load %%a : tensor<64x64x!tt.ptr<%s>, #a>\n%s"
             "  tt.store %%b, %%y : tensor<64x64x!tt.ptr<%s>, #b>\n  tt.return\n}\n}\n",
             type, body, type);
}

static void expect_copy(size_t bytes, bool transposed)
{
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)gpu_random();
    memset(out, 0, sizeof out);
    gpu_case c = {text, "sm_90a", 4, .has_layouts = true, .grid = 1};
    gpu_arg args[] = {{in, count * bytes, 0}, {out, count * bytes, 0}};
    bool ok = gpu_run(&c, args, 2), same = true;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            size_t from = transposed ? j * columns + i : i * columns + j;
            same = same && !memcmp(in + from * bytes, out + (i * columns + j) * bytes, bytes);
        }
    CHECK(ok);
    if (ok && !same) {
        fprintf(stderr, "wrong data:\n%s\n", text);
        CHECK(same);
    }
}

static void convert(int from, int to, const char *type, size_t bytes)
{
    static char body[512];
    snprintf(body, sizeof body, "  %%y = ttg.convert_layout %%x : tensor<64x64x%s, #a> -> tensor<64x64x%s, #b>\n", type,
             type);
    finish(body, type, layouts[from], layouts[to], NULL);
    expect_copy(bytes, false);
}

static void through_buffer(int from, int to, int buffer, const char *type, size_t bytes)
{
    static char body[1024];
    snprintf(body, sizeof body,
             "  %%m = ttg.local_alloc %%x : (tensor<64x64x%s, #a>) -> !ttg.memdesc<64x64x%s, #shared, #smem>\n"
             "  %%y = ttg.local_load %%m : !ttg.memdesc<64x64x%s, #shared, #smem> -> tensor<64x64x%s, #b>\n",
             type, type, type, type);
    finish(body, type, layouts[from], layouts[to], buffers[buffer]);
    expect_copy(bytes, false);
}

/* A transposed view of a buffer, read back. */
static void transposed_buffer(int from, int to)
{
    static char body[1024];
    snprintf(
        body, sizeof body,
        "  %%m = ttg.local_alloc %%x : (tensor<64x64xf16, #a>) -> !ttg.memdesc<64x64xf16, #shared, #smem>\n"
        "  %%t = ttg.memdesc_trans %%m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> "
        "!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>, #smem>\n"
        "  %%y = ttg.local_load %%t : !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = "
        "8, "
        "order = [0, 1]}>, #smem> -> tensor<64x64xf16, #b>\n");
    finish(body, "f16", layouts[from], layouts[to], buffers[1]);
    expect_copy(2, true);
}

/* Two buffers in one allocation, filled by an asynchronous copy, the second one read. */
static void async_copy(int from, int to)
{
    static char body[2048];
    snprintf(
        body, sizeof body,
        "  %%c1 = arith.constant 1 : i32\n"
        "  %%m = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>\n"
        "  %%v = ttg.memdesc_index %%m[%%c1] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> "
        "!ttg.memdesc<64x64xf16, #shared, #smem, mutable>\n"
        "  %%t = ttg.async_copy_global_to_local %%a, %%v : tensor<64x64x!tt.ptr<f16>, #a> -> "
        "<64x64xf16, #shared, #smem, mutable>\n"
        "  %%g = ttg.async_commit_group tokens %%t\n  %%w = ttg.async_wait %%g {num = 0 : i32}\n  ttg.barrier local\n"
        "  %%y = ttg.local_load %%v token %%w : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, "
        "#b>\n");
    finish(body, "f16", layouts[from], layouts[to], buffers[1]);
    expect_copy(2, false);
}

int main(void)
{
    for (int from = 0; from < num_layouts; from++)
        for (int to = 0; to < num_layouts; to++) {
            convert(from, to, "f16", 2);
            if ((from + to) % 2)
                convert(from, to, "f32", 4);
            if ((from + to) % 3 == 0) {
                convert(from, to, "i8", 1);
                convert(from, to, "i64", 8);
            }
        }
    for (int buffer = 0; buffer < num_buffers; buffer++)
        for (int from = 0; from < num_layouts; from += 3)
            for (int to = 0; to < num_layouts; to++)
                through_buffer(from, to, buffer, "f16", 2);
    through_buffer(1, 4, 0, "f32", 4);
    for (int to = 0; to < num_layouts; to++) {
        transposed_buffer(1, to);
        async_copy(1, to);
    }
    return failures != 0;
}
