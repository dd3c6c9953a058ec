/* Bugs seeded in code that the compiler makes: kernels are compiled from source as tritrun does, one call of a
 * primitive in the result is left out or gets another operand, and the simulator must report it, or at least give other
 * numbers where nothing but the numbers is wrong. Each report names a line of the source; those about two accesses name
 * both threads. */
#include "run/backend.h"
#include "run/kernel.h"
#include "ir/op.h"
#include "passes/passes.h"
#include "runtime/sim/nvptx/primitives.h"

#include "llvm-c/Core.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int failures;

static const char sums[] =
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x, o, M: tl.constexpr, N: tl.constexpr):\n"
    "    i = tl.arange(0, M)[:, None]\n    j = tl.arange(0, N)[None, :]\n    v = tl.load(x + i * N + j)\n    s = "
    "tl.sum(v, 0)\n"
    "    t = tl.sum(v * s[None, :], 0)\n    c = tl.cumsum(v, 0)\n    tl.store(o + j * M + i, c - t[None, :])\n";

static const char copy[] =
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x, o, n, B: tl.constexpr):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n    tl.store(o + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)\n";

static const char matmul[] =
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
    "def k(x, y, o, M, N, K, TWICE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
    "    m = tl.arange(0, BM)\n    n = tl.arange(0, BN)\n    l = tl.arange(0, BK)\n    acc = tl.zeros((BM, BN), "
    "dtype=tl.float32)\n"
    "    for k in range(0, K, BK):\n"
    "        a = tl.load(x + m[:, None] * K + (k + l)[None, :], mask=(m[:, None] < M) & ((k + l)[None, :] < K), "
    "other=0.0)\n"
    "        b = tl.load(y + (k + l)[:, None] * N + n[None, :], mask=((k + l)[:, None] < K) & (n[None, :] < N), "
    "other=0.0)\n"
    "        if TWICE:\n            b = b + b\n        acc = tl.dot(a, b, acc)\n"
    "    tl.store(o + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))\n";

static const char attention[] =
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x, y, o, L, D: tl.constexpr, B: "
    "tl.constexpr):\n"
    "    i = tl.arange(0, B)\n    d = tl.arange(0, D)\n    q = tl.load(x + i[:, None] * D + d[None, :])\n"
    "    acc = tl.zeros((B, D), dtype=tl.float32)\n    total = tl.zeros((B,), dtype=tl.float32)\n    for s in range(0, "
    "L, B):\n"
    "        v = tl.load(y + (s + i)[:, None] * D + d[None, :])\n        p = tl.exp2(tl.dot(q, tl.trans(v)))\n"
    "        total += tl.sum(p, 1)\n        acc = tl.dot(p.to(tl.float16), v, acc)\n"
    "    tl.store(o + i[:, None] * D + d[None, :], acc / total[:, None])\n";

typedef struct {
    const char *name, *text, *arch;
    int warps, stages;
    int64_t counts[3]; /* elements of x, y (0: there is none) and o */
    tri_dtype in;
    const char *literals[8]; /* what follows the arrays */
} kernel;

static const kernel kernels[] = {
    {"sums", sums, "sim:sm_80", 4, 1, {1024, 0, 1024}, TRI_DTYPE_F32, {"32", "32"}},
    {"copy", copy, "sim:sm_80", 4, 1, {250, 0, 250}, TRI_DTYPE_F32, {"250", "256"}},
    {"matmul",
     matmul,
     "sim:sm_80",
     4,
     3,
     {60 * 80, 80 * 48, 60 * 48},
     TRI_DTYPE_F16,
     {"60", "48", "80", "False", "64", "64", "16"}},
    {"warp group matmul",
     matmul,
     "sim:sm_90a",
     4,
     3,
     {60 * 320, 320 * 48, 60 * 48},
     TRI_DTYPE_F16,
     {"60", "48", "320", "False", "64", "64", "64"}},
    {"stored matmul",
     matmul,
     "sim:sm_90a",
     4,
     1,
     {60 * 128, 128 * 48, 60 * 48},
     TRI_DTYPE_F16,
     {"60", "48", "128", "True", "64", "64", "64"}},
    {"rows matmul",
     matmul,
     "sim:gfx950",
     4,
     2,
     {60 * 320, 320 * 48, 60 * 48},
     TRI_DTYPE_F16,
     {"60", "48", "320", "False", "64", "64", "64"}},
    {"attention", attention, "sim:sm_90a", 4, 2, {64 * 64, 128 * 64, 64 * 64}, TRI_DTYPE_F16, {"128", "64", "64"}},
};

typedef enum {
    NOTHING,
    DROP,  /* the call is left out */
    SET,   /* operand `arg` is `value` */
    ADD,   /* `value` is added to it */
    FLIP,  /* its bits of `value` are flipped */
    SOME,  /* only threads below 40 do it */
    WIDEN, /* every comparison < in the ttgir becomes <= */
} change;

typedef struct {
    const char *kernel, *what;
    uint32_t primitive;
    change change;
    int arg;
    uint64_t value;
    const char *report; /* a part of what is reported for one of the sites at least; null: other numbers are enough */
    bool may_be_idle;   /* at some of the sites, where nothing depends on it */
} bug;

static const bug bugs[] = {
    {"sums", "dropped barrier", TRI_SIM_barrier, DROP, 0, 0, "shared memory race", false},
    {"sums", "divergent barrier", TRI_SIM_barrier, SOME, 0, 0, "barrier divergence", false},
    {"sums", "wrong lane", TRI_SIM_shuffle_xor, SET, 1, 0, NULL, false},
    {"sums", "lanes left out", TRI_SIM_shuffle_xor, SOME, 0, 0, "not all threads come here", false},
    {"sums", "wrong swizzle of a store", TRI_SIM_store_shared, FLIP, 0, 64, NULL, false},
    {"sums", "wrong swizzle of a load", TRI_SIM_load_shared, FLIP, 0, 64, NULL, true},
    {"sums", "dropped store", TRI_SIM_store_shared, DROP, 0, 0, "uninitialised shared memory", false},
    {"copy", "mask off by one", 0, WIDEN, 0, 0, "global access out of bounds", false},
    {"copy", "dropped mask", TRI_SIM_store_global, SET, 3, 1, "global access out of bounds", true},
    {"copy", "misaligned load", TRI_SIM_load_global, ADD, 0, 2, "misaligned global access", false},
    {"matmul", "dropped barrier", TRI_SIM_barrier, DROP, 0, 0, "shared memory", false},
    {"matmul", "dropped wait", TRI_SIM_copy_wait, DROP, 0, 0, "shared memory with a copy in flight", true},
    {"matmul", "wait that leaves one more", TRI_SIM_copy_wait, ADD, 0, 1, "shared memory with a copy in flight", true},
    {"matmul", "dropped commit", TRI_SIM_copy_commit, DROP, 0, 0, "shared memory with a copy in flight", true},
    {"matmul", "wrong swizzle of a copy", TRI_SIM_copy_async_16, FLIP, 0, 32, NULL, false},
    {"matmul", "wrong swizzle of a matrix", TRI_SIM_NVPTX_ldmatrix_x4, FLIP, 0, 32, NULL, false},
    {"matmul", "dropped mask of a copy", TRI_SIM_copy_async_16, SET, 2, 16, "global access out of bounds", true},
    {"warp group matmul", "dropped wait for copies", TRI_SIM_copy_wait, DROP, 0, 0,
     "shared memory with a copy in flight", true},
    {"warp group matmul", "dropped barrier", TRI_SIM_barrier, DROP, 0, 0, "shared memory", true},
    {"warp group matmul", "dropped wgmma_fence", TRI_SIM_NVPTX_wgmma_fence, DROP, 0, 0, "missing fence", false},
    {"warp group matmul", "dropped wgmma_commit", TRI_SIM_NVPTX_wgmma_commit, DROP, 0, 0, "product", false},
    {"warp group matmul", "dropped wgmma_wait", TRI_SIM_NVPTX_wgmma_wait, DROP, 0, 0, "product", false},
    {"warp group matmul", "wgmma_wait that leaves one more", TRI_SIM_NVPTX_wgmma_wait, ADD, 0, 1, "product", false},
    {"warp group matmul", "wrong tile", TRI_SIM_NVPTX_wgmma_f16_f32, ADD, 3, 2, NULL, false},
    {"warp group matmul", "wrong swizzle", TRI_SIM_NVPTX_wgmma_f16_f32, FLIP, 4, (uint64_t)1 << 62, NULL, false},
    {"stored matmul", "dropped fence_async", TRI_SIM_fence_async, DROP, 0, 0, "missing fence", false},
    {"stored matmul", "dropped barrier", TRI_SIM_barrier, DROP, 0, 0, "shared memory race", true},
    {"rows matmul", "dropped barrier", TRI_SIM_barrier, DROP, 0, 0, "shared memory", true},
    {"rows matmul", "dropped wait", TRI_SIM_copy_wait, DROP, 0, 0, "shared memory with a copy in flight", true},
    {"rows matmul", "wait that leaves one more", TRI_SIM_copy_wait, ADD, 0, 1, "shared memory with a copy in flight",
     true},
    {"rows matmul", "wrong place of a row", TRI_SIM_copy_row, FLIP, 0, 1024, NULL, true},
    {"rows matmul", "another place for some lanes", TRI_SIM_copy_row, SOME, 0, 0, "not all threads come here", false},
    {"rows matmul", "dropped mask of a copy", TRI_SIM_copy_row, SET, 3, 16, "global access out of bounds", true},
    {"attention", "dropped wgmma_wait", TRI_SIM_NVPTX_wgmma_wait, DROP, 0, 0, NULL, false},
    {"attention", "dropped wgmma_fence", TRI_SIM_NVPTX_wgmma_fence, DROP, 0, 0, "missing fence", false},
    {"attention", "dropped wgmma_commit", TRI_SIM_NVPTX_wgmma_commit, DROP, 0, 0, NULL, false},
};

/* --- the change ----------------------------------------------------------------------------- */

static const bug *seeded; /* null: none */
static int seeded_site, num_sites;

static LLVMValueRef at_operand(LLVMBuilderRef b, LLVMValueRef pointer, int i)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(pointer)));
    LLVMValueRef index = LLVMConstInt(word, (uint64_t)i, false);
    return LLVMBuildGEP2(b, word, pointer, &index, 1, "");
}

static void change_operand(LLVMBuilderRef b, LLVMValueRef call, const bug *what)
{
    LLVMValueRef place = at_operand(b, LLVMGetOperand(call, 2), what->arg);
    LLVMTypeRef word = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(place)));
    LLVMValueRef value = LLVMConstInt(word, what->value, false), old = LLVMBuildLoad2(b, word, place, "");
    LLVMBuildStore(b,
                   what->change == SET   ? value
                   : what->change == ADD ? LLVMBuildAdd(b, old, value, "")
                                         : LLVMBuildXor(b, old, value, ""),
                   place);
}

/* The others make a group of no copies instead, which does nothing. */
static void leave_to_some(LLVMBuilderRef b, LLVMValueRef call)
{
    LLVMTypeRef i32 = LLVMTypeOf(LLVMGetOperand(call, 1));
    LLVMValueRef args[] = {LLVMGetOperand(call, 0), LLVMConstInt(i32, TRI_SIM_thread_id, false),
                           LLVMGetOperand(call, 2), LLVMGetOperand(call, 3)};
    LLVMBuildCall2(b, LLVMGetCalledFunctionType(call), LLVMGetCalledValue(call), args, 4, "");
    LLVMValueRef thread = LLVMBuildLoad2(b, i32, args[3], "");
    LLVMValueRef is_one = LLVMBuildICmp(b, LLVMIntULT, thread, LLVMConstInt(i32, 40, false), "");
    LLVMSetOperand(
        call, 1,
        LLVMBuildSelect(b, is_one, LLVMGetOperand(call, 1), LLVMConstInt(i32, TRI_SIM_copy_commit, false), ""));
}

static void change_call(LLVMValueRef call)
{
    if (seeded->change == DROP) {
        LLVMInstructionEraseFromParent(call);
        return;
    }
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
    LLVMPositionBuilderBefore(b, call);
    if (seeded->change == SOME)
        leave_to_some(b, call);
    else
        change_operand(b, call, seeded);
    LLVMDisposeBuilder(b);
}

static bool is_primitive(LLVMValueRef i, uint32_t primitive)
{
    if (!LLVMIsACallInst(i) || LLVMGetNumArgOperands(i) != 4 || !LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
        return false;
    size_t length;
    return !strcmp(LLVMGetValueName2(LLVMGetCalledValue(i), &length), "tri_sim_primitive") &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) == primitive;
}

static void change_module(LLVMModuleRef module)
{
    num_sites = 0;
    LLVMValueRef found = NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
                /* both kinds of barrier are one */
                if (is_primitive(i, seeded->primitive) ||
                    (seeded->primitive == TRI_SIM_barrier && is_primitive(i, TRI_SIM_barrier_global)))
                    if (num_sites++ == seeded_site)
                        found = i;
    if (found)
        change_call(found);
}

static bool open_changed(tri_run_kernel *k, tri_argument_list *arguments)
{
    if (seeded && seeded->change != WIDEN)
        change_module(k->unit.llvm_module);
    return tri_run_sim.open(k, arguments);
}

static void widen(void *data, const tri_pass *pass, MlirModule module)
{
    (void)data;
    enum { less = 2, less_or_equal = 3 };
    if (!seeded || seeded->change != WIDEN || strcmp(pass->name, "membar"))
        return;
    tri_arena *arena = tri_arena_create();
    tri_op_list ops = {0};
    tri_op_collect_named(mlirModuleGetOperation(module), "arith.cmpi", arena, &ops);
    num_sites = 1;
    for (size_t i = 0; i < ops.len; i++)
        if (tri_op_int(ops.at[i], "predicate", -1) == less) {
            MlirType type = mlirAttributeGetType(tri_op_attr(ops.at[i], "predicate"));
            mlirOperationSetInherentAttributeByName(ops.at[i], mlirStringRefCreateFromCString("predicate"),
                                                    mlirIntegerAttrGet(type, less_or_equal));
        }
    tri_arena_destroy(arena);
}

/* --- a run ------------------------------------------------------------------------------------ */

static const tri_pass_hooks hooks = {.before = widen};

static bool parse(tri_arena *arena, tri_diag *diag, const kernel *k, tri_run_opt *out)
{
    char *argv[] = {"tritrun", (char *)tri_str_format(arena, "-arch=%s", k->arch).data,
                    (char *)tri_str_format(arena, "-num-warps=%d", k->warps).data,
                    (char *)tri_str_format(arena, "-num-stages=%d", k->stages).data, "k.tri"};
    FILE *f = fopen("k.tri", "w");
    bool ok = f && fputs(k->text, f) >= 0 && !fclose(f) &&
              tri_run_opt_parse(arena, diag, sizeof argv / sizeof *argv, argv, out);
    if (ok)
        out->compile.no_auto_tma = true; /* bugs of bulk copies have a test of their own */
    return ok;
}

/* Runs the kernel and gives its numbers and what was said. False when something was. */
static bool run(const kernel *k, tri_arena *keep, tri_array *out_result, tri_buf *out_log)
{
    tri_arena *arena = tri_arena_create();
    tri_diag *diag = tri_diag_create();
    tri_diag_set_log(diag, out_log);
    tri_diag_set_color(diag, TRI_COLOR_NEVER);
    tri_run_opt opt;
    tri_run_kernel running;
    tri_argument_list arguments = {0};
    bool ok = parse(arena, diag, k, &opt);
    running = (tri_run_kernel){0};
    for (int i = 0; i < 3; i++) {
        if (!k->counts[i])
            continue;
        tri_dtype type = i == 2 ? TRI_DTYPE_F32 : k->in;
        tri_array array = tri_array_create(i == 2 ? keep : arena, type, 1, &k->counts[i]);
        for (int64_t n = 0; n < array.count; n++)
            tri_array_set(&array, n, i == 2 ? -1 : (double)(n * (37 + i) % 101 - 50) / 64);
        tri_argument argument = {.kind = TRI_ARGUMENT_ARRAY,
                                 .array = array,
                                 .name = tri_str_from(i == 0   ? "x"
                                                      : i == 1 ? "y"
                                                               : "o")};
        tri_vec_push(arena, &arguments, argument);
        *out_result = array;
    }
    for (int i = 0; k->literals[i]; i++) {
        tri_argument argument = {.kind = TRI_ARGUMENT_LITERAL, .literal = tri_str_from(k->literals[i])};
        tri_vec_push(arena, &arguments, argument);
    }
    tri_run_backend changed = tri_run_sim;
    changed.open = open_changed;
    opt.backend = &changed;
    opt.hooks = &hooks;
    ok = ok && tri_run_kernel_create(arena, diag, &opt, &arguments, &running);
    ok = ok && tri_run_kernel_launch(&running, NULL);
    tri_run_kernel_fini(&running);
    tri_diag_destroy(diag);
    tri_arena_destroy(arena);
    return ok;
}

static void fail(const bug *b, const char *what, const tri_buf *log)
{
    failures++;
    fprintf(stderr, "%s: %s, site %d of %d: %s\n%.2000s\n", b->kernel, b->what, seeded_site, num_sites, what,
            log && log->len ? log->data : "");
}

/* Every report stands at a line of the source, and one about two accesses names two threads and two lines. */
static void check_form(const bug *b, const tri_buf *log)
{
    bool is_located = true, names_both = true;
    for (const char *at = log->data; (at = strstr(at, ": error: ")); at++) {
        const char *line = at, *end = strchr(at, '\n');
        while (line > log->data && line[-1] != '\n')
            line--;
        is_located = is_located && !strncmp(line, "k.tri:", 6);
        bool is_pair = !strncmp(at + 9, "shared memory race", 18) || !strncmp(at + 9, "shared memory with a copy", 25);
        const char *other = strstr(at, "thread "), *note = strstr(at, "note: the other access is here");
        names_both = names_both && (!is_pair || (other && other < end && strstr(other + 1, "thread ") < end && note));
    }
    if (!is_located)
        fail(b, "a report names no line of the source", log);
    if (!names_both)
        fail(b, "a report names one thread only", log);
}

static bool seed(const bug *b, const kernel *k, const tri_array *right, bool *out_reported)
{
    tri_arena *arena = tri_arena_create();
    tri_buf log = {0};
    tri_array result;
    bool ok = run(k, arena, &result, &log), is_found = num_sites > seeded_site;
    bool is_same = is_found && !memcmp(result.data, right->data, (size_t)right->count * sizeof(float));
    if (is_found && !ok)
        check_form(b, &log);
    if (is_found && ok && is_same && !b->may_be_idle)
        fail(b, "nobody has noticed", &log);
    *out_reported = *out_reported || (!ok && b->report && log.len && strstr(log.data, b->report)) ||
                    (!b->report && (!ok || !is_same));
    tri_buf_fini(&log);
    tri_arena_destroy(arena);
    return is_found;
}

int main(void)
{
    char folder[] = "/tmp/bugs.XXXXXX";
    if (!mkdtemp(folder) || chdir(folder))
        return 2;
    tri_arena *arena = tri_arena_create();
    for (size_t n = 0; n < sizeof kernels / sizeof *kernels; n++) {
        const kernel *k = &kernels[n];
        tri_array right;
        tri_buf log = {0};
        seeded = NULL;
        if (!run(k, arena, &right, &log)) {
            failures++;
            fprintf(stderr, "%s does not run clean\n%s\n", k->name, log.len ? log.data : "");
        }
        tri_buf_fini(&log);
        for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++) {
            if (strcmp(bugs[i].kernel, k->name))
                continue;
            bool is_reported = false;
            seeded = &bugs[i];
            num_sites = 0;
            for (seeded_site = 0; seed(seeded, k, &right, &is_reported); seeded_site++)
                ;
            if (!is_reported)
                fail(seeded, seeded_site ? "not reported at any site" : "there is no such site", NULL);
        }
    }
    tri_arena_destroy(arena);
    unlink("k.tri");
    if (chdir("/") || rmdir(folder))
        perror(folder);
    return failures != 0;
}
