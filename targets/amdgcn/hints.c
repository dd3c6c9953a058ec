/* Marks of scheduling that Triton's passes for AMD's GPUs leave in ttgir: they become LLVM's, which change no result.
 */
#include "targets/amdgcn/amdgcn.h"

#include "ir/op.h"

/* An intrinsic without a result, of constants of so many bits. */
static bool call_mark(tri_gpu *g, MlirOperation op, const char *name, unsigned bits, const char *const *fields)
{
    enum { max_fields = 3 };
    LLVMTypeRef type = LLVMIntTypeInContext(g->llvm, bits);
    LLVMValueRef args[max_fields];
    int count = 0;
    for (; count < max_fields && fields[count]; count++)
        args[count] = LLVMConstInt(type, (uint64_t)tri_op_int(op, fields[count], 0), false);
    if (!g->simulate) /* which runs lanes in an order of its own */
        tri_gpu_intrinsic(g, name, NULL, 0, args, count);
    return true;
}

static bool run_sched_barrier(tri_gpu *g, MlirOperation op)
{
    return call_mark(g, op, "llvm.amdgcn.sched.barrier", 32, (const char *const[]){"mask", NULL, NULL});
}

static bool run_sched_group_barrier(tri_gpu *g, MlirOperation op)
{
    return call_mark(g, op, "llvm.amdgcn.sched.group.barrier", 32, (const char *const[]){"mask", "size", "groupId"});
}

static bool run_iglp_opt(tri_gpu *g, MlirOperation op)
{
    return call_mark(g, op, "llvm.amdgcn.iglp.opt", 32, (const char *const[]){"variant", NULL, NULL});
}

static bool run_set_priority(tri_gpu *g, MlirOperation op)
{
    return call_mark(g, op, "llvm.amdgcn.s.setprio", 16, (const char *const[]){"priority", NULL, NULL});
}

static bool run_wave_barrier(tri_gpu *g, MlirOperation op)
{
    (void)op;
    tri_gpu_barrier(g, TRI_SYNC_CTA);
    return true;
}

static bool run_thread_number(tri_gpu *g, MlirOperation op)
{
    tri_gpu_value number = tri_gpu_new(g, 1);
    number.at[0] = tri_op_is(op, "rocdl.workitem.id.x") ? tri_gpu_thread(g) : tri_gpu_i32(g, 0); /* blocks are rows */
    tri_gpu_set_result(g, op, 0, number);
    return true;
}

/* Barriers that hold half of the waves back in front of a loop, and the others behind it, so that one half multiplies
 * while the other loads. The halves run in step here: barriers are placed for that. */
static bool run_cond_barrier(tri_gpu *g, MlirOperation op) { return (void)g, (void)op, true; }

const tri_gpu_op tri_amdgcn_ops_hints[] = {
    {"rocdl.sched.barrier", run_sched_barrier, NULL},
    {"rocdl.sched.group.barrier", run_sched_group_barrier, NULL},
    {"rocdl.iglp.opt", run_iglp_opt, NULL},
    {"rocdl.s.setprio", run_set_priority, NULL},
    {"rocdl.s.barrier", run_wave_barrier, NULL},
    {"rocdl.workitem.id.x", run_thread_number, NULL},
    {"rocdl.workitem.id.y", run_thread_number, NULL},
    {"rocdl.workitem.id.z", run_thread_number, NULL},
    {"amdg.cond_barrier", run_cond_barrier, NULL},
    {"amdg.instruction_sched_hint", run_cond_barrier, NULL},
    {0},
};
