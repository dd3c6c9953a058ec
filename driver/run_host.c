/* Kernels on this host's processor, compiled in memory. */
#include "driver/run_backend.h"

#include "base/progress.h"
#include "ir/llvm.h"
#include "runtime/launch/launch.h"

#include "llvm-c/Core.h"

static bool open_host(tri_run_kernel *k, tri_argument_list *arguments)
{
    (void)arguments;
    const tri_jit_symbol symbols[] = {{"tri_cpu_rt_print", (const void *)(uintptr_t)tri_cpu_rt_print},
                                      {"tri_cpu_rt_print_text", (const void *)(uintptr_t)tri_cpu_rt_print_text},
                                      {"tri_cpu_rt_assert", (const void *)(uintptr_t)tri_cpu_rt_assert},
                                      {"tri_cpu_rt_poll", (const void *)(uintptr_t)tri_cpu_rt_poll}};
    tri_str function = tri_str_format(k->unit.arena, "tri_run_%.*s", TRI_STR_ARG(k->unit.kernels.at[0].symbol));
    LLVMModuleRef module = k->unit.llvm_module;
    LLVMValueRef entry = LLVMGetNamedFunction(module, function.data);
    if (entry)
        LLVMSetVisibility(entry, LLVMDefaultVisibility);
    k->unit.llvm_module = NULL;
    k->jit = tri_jit_create(k->unit.diag, module, function.data, symbols, 4, k->unit.options->opt_level);
    return k->jit != NULL;
}

/* Programs in pieces that grow until one takes a while, so that the progress can be shown. */
static bool launch_host(tri_run_kernel *k, double *out_seconds)
{
    (void)out_seconds;
    uint32_t grid[3] = {k->grid.x, k->grid.y, k->grid.z};
    uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2], piece = k->progress ? 1 : total;
    int error = 0;
    for (uint64_t begin = 0; begin < total && !error;) {
        uint64_t end = total - begin > piece ? begin + piece : total;
        uint64_t args[5] = {(uint64_t)(uintptr_t)k->pointers, begin, end, (uint64_t)(uintptr_t)grid,
                            (uint64_t)(uintptr_t)&error};
        tri_jit_entry(k->jit)(args);
        begin = end;
        if (k->progress && tri_progress_step(k->progress, begin, total) < 0.05)
            piece *= 2;
    }
    if (error)
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 0, "the kernel failed: %s", tri_strerror(error));
    return !error;
}

const tri_run_backend tri_run_host = {
    .takes = TRI_KIND_LLIR, .open = open_host, .launch = launch_host,
};
