/* Barriers of Intel's dialect, whole and in two halves: a warp says that it has come, and waits later until all have.
 * The halves keep the warps of a block in step and order no memory, so that the simulator has nothing to do for them.
 * By functions of Intel's compilers; SPIR-V's own instructions are an extension that LLVM's back end only writes by a
 * switch of the whole process. */
#include "targets/gpu/gpu.h"
#include "targets/intel/intel.h"

static void call_half(tri_gpu *g, const char *name)
{
    if (!g->simulate)
        tri_intel_call(g, name, LLVMVoidTypeInContext(g->llvm), NULL, 0);
}

/* The arrival itself is nothing to the machine, which has one such barrier. */
static bool run_arrive(tri_gpu *g, MlirOperation op)
{
    call_half(g, TRI_INTEL_BARRIER_HALF "signal");
    tri_gpu_set_result(g, op, 0, tri_gpu_single(g, LLVMConstNull(LLVMPointerTypeInContext(g->llvm, 3))));
    return true;
}

static bool run_wait(tri_gpu *g, MlirOperation op)
{
    (void)op;
    call_half(g, TRI_INTEL_BARRIER_HALF "wait");
    return true;
}

/* A whole one, whichever memory it shall order. */
static bool run_whole(tri_gpu *g, MlirOperation op)
{
    (void)op;
    tri_gpu_barrier_global(g);
    return true;
}

const tri_gpu_op tri_intel_ops_barrier[] = {
    {"triton_gen.barrier", run_whole, NULL},
    {"triton_gen.split_barrier_arrive", run_arrive, NULL},
    {"triton_gen.split_barrier_wait", run_wait, NULL},
    {0},
};
