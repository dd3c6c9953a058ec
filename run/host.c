/* Kernels on this host's processor, compiled in memory. */
#include "run/backend.h"
#include "run/fence.h"

#include "base/progress.h"
#include "ir/kernel.h"
#include "ir/llvm.h"
#include "runtime/launch/launch.h"
#include "targets/cpu/host.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

#include <dlfcn.h>

/* Only there when this program is linked with AddressSanitizer. */
extern void __asan_init(void) __attribute__((weak));

static bool check_sanitizers(tri_run_kernel *k)
{
    bool ok = !(k->unit.options->sanitize & TRI_SANITIZE_ADDRESS) || __asan_init;
    if (!ok)
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1002,
                       "-fsanitize=address needs its runtime, which this program is not "
                       "linked with; -fsanitize=bounds checks the accesses to arguments");
    return ok;
}

/* The features that the code asks for and this host lacks are said before it stops at an unknown instruction. */
static bool check_features(tri_run_kernel *k, const tri_host *host)
{
    char *ours = LLVMGetHostCPUFeatures();
    tri_host here = {.known = ours};
    bool ok = true;
    for (const char *at = strchr(host->known, '+'); ok && at; at = strchr(at, '+')) {
        at++;
        tri_str name = tri_str_copy(k->unit.arena, (tri_str){at, strcspn(at, ",")});
        ok = !tri_host_has(host, name.data) || tri_host_has(&here, name.data);
        if (!ok)
            tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1002, "this host does not run code for '%.*s': it has no '%s'",
                           TRI_STR_ARG(k->unit.options->arch), name.data);
    }
    LLVMDisposeMessage(ours);
    return ok;
}

/* The first part of a triple names the processor. */
static bool check_processor(tri_run_kernel *k)
{
    char *host = LLVMGetDefaultTargetTriple();
    tri_str ours = tri_str_from(host), theirs = tri_str_from(LLVMGetTarget(k->unit.llvm_module));
    bool ok =
        tri_str_equal(tri_str_sub(ours, 0, tri_str_find(ours, '-')), tri_str_sub(theirs, 0, tri_str_find(theirs, '-')));
    LLVMDisposeMessage(host);
    if (!ok)
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1002, "this host does not run code for '%.*s'",
                       TRI_STR_ARG(k->unit.options->arch));
    return ok;
}

/* The bytes behind every value that is passed. */
static uint64_t *make_lengths(tri_run_kernel *k)
{
    uint64_t *lengths = TRI_NEW_ARRAY(k->unit.arena, uint64_t, k->num_values + 1);
    for (size_t n = 0; n < k->num_values; n++) {
        const tri_argument *a = k->words[n].argument;
        lengths[n] = tri_run_kernel_is_memory(a) && !a->block_rank
                         ? (uint64_t)a->array.count * tri_dtype_size(a->array.dtype)
                         : UINT64_MAX;
    }
    return lengths;
}

/* Vector functions are found in this process, when the C library has those of glibc 2.35. */
static bool choose_host(tri_run_kernel *k, tri_run_opt *opt, const tri_argument_list *arguments)
{
    (void)k;
    (void)arguments;
    void *library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_GLOBAL);
    opt->compile.no_vector_library = !library || !dlsym(library, "_ZGVbN4v_tanf");
    return true;
}

static bool open_host(tri_run_kernel *k, tri_argument_list *arguments)
{
    (void)arguments;
    tri_host host = tri_host_of(&k->unit, k->unit.arch);
    if (!check_sanitizers(k) || !check_processor(k) || !check_features(k, &host))
        return false;
    k->lengths = make_lengths(k);
    const tri_jit_symbol symbols[] = {{"tri_cpu_rt_print", (const void *)(uintptr_t)tri_cpu_rt_print},
                                      {"tri_cpu_rt_print_text", (const void *)(uintptr_t)tri_cpu_rt_print_text},
                                      {"tri_cpu_rt_assert", (const void *)(uintptr_t)tri_cpu_rt_assert},
                                      {"tri_cpu_rt_poll", (const void *)(uintptr_t)tri_cpu_rt_poll},
#if defined(__x86_64__)
                                      {"tri_cpu_rt_begin", (const void *)(uintptr_t)tri_cpu_rt_begin},
#endif
                                      {"tri_cpu_rt_room", (const void *)(uintptr_t)tri_cpu_rt_room},
                                      {"tri_cpu_rt_panel", (const void *)(uintptr_t)tri_cpu_rt_panel},
                                      {"tri_cpu_rt_bounds", (const void *)(uintptr_t)tri_cpu_rt_bounds},
                                      {"tri_cpu_rt_undefined", (const void *)(uintptr_t)tri_cpu_rt_undefined}};
    tri_str function = tri_str_format(k->unit.arena, "tri_run_%.*s", TRI_STR_ARG(k->unit.kernels.at[0].symbol));
    LLVMModuleRef module = k->unit.llvm_module;
    LLVMValueRef entry = LLVMGetNamedFunction(module, function.data);
    if (entry)
        LLVMSetVisibility(entry, LLVMDefaultVisibility);
    k->unit.llvm_module = NULL;
    k->jit = tri_jit_create(k->unit.diag, module, function.data, symbols, sizeof symbols / sizeof *symbols,
                            (tri_jit_machine){host.cpu, host.features, k->unit.options->opt_level});
    if (k->jit && tri_str_is(k->unit.options->arch, "linalg")) /* the structured form has no checks of its own */
        k->device = tri_run_fence_arrays(k);
    tri_run_fence_watch(k->device);
    return k->jit != NULL;
}

static bool fetch_host(tri_run_kernel *k)
{
    tri_run_fence_fetch(k->device);
    return true;
}

static void close_host(tri_run_kernel *k) { tri_run_fence_destroy(k->device); }

/* Programs in pieces that grow until one takes a while, so that the progress can be shown. */
static bool launch_host(tri_run_kernel *k, double *out_seconds)
{
    (void)out_seconds;
    uint32_t grid[3] = {k->grid.x, k->grid.y, k->grid.z};
    uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2], piece = k->progress ? 1 : total;
    tri_rt_state state = {.lengths = k->lengths};
    for (uint64_t begin = 0; begin < total && !state.err;) {
        uint64_t end = total - begin > piece ? begin + piece : total;
        uint64_t args[5] = {(uint64_t)(uintptr_t)k->pointers, begin, end, (uint64_t)(uintptr_t)grid,
                            (uint64_t)(uintptr_t)&state};
        tri_jit_entry(k->jit)(args);
        begin = end;
        if (k->progress && tri_progress_step(k->progress, begin, total) < 0.05)
            piece *= 2;
    }
    tri_rt_leave_room(&state, 0); /* where the code is, other code may come */
    if (state.err)
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 9002, "the kernel failed: %s", tri_strerror(state.err));
    return !state.err;
}

const tri_run_backend tri_run_host = {
    .takes = TRI_KIND_LLIR,
    .choose = choose_host,
    .open = open_host,
    .launch = launch_host,
    .fetch = fetch_host,
    .close = close_host,
};
