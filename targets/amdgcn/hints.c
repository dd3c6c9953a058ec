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

/* Waves meet; what of their accesses is over then, say fences beside it. */
static void meet(tri_gpu *g)
{
    if (g->simulate)
        tri_gpu_barrier(g, TRI_SYNC_CTA);
    else
        tri_gpu_intrinsic(g, "llvm.amdgcn.s.barrier", NULL, 0, NULL, 0);
}

static bool run_wave_barrier(tri_gpu *g, MlirOperation op)
{
    (void)op;
    meet(g);
    return true;
}

/* llvm.fence, as Triton's passes write it beside such a barrier. The simulator's barriers order all memory. */
static bool run_fence(tri_gpu *g, MlirOperation op)
{
    enum { acquire = 4, release = 5 };
    int64_t ordering = tri_op_int(op, "ordering", 0);
    if (ordering != acquire && ordering != release)
        return tri_gpu_unsupported(g, op, "an ordering other than acquire and release");
    if (!tri_str_is(tri_op_string(op, "syncscope"), "workgroup"))
        return tri_gpu_unsupported(g, op, "a scope other than \"workgroup\"");
    bool is_local = !mlirAttributeIsNull(tri_op_attr(op, "llvm.mmra"));
    if (!g->simulate)
        tri_amdgcn_fence(g, "workgroup", ordering == acquire ? LLVMAtomicOrderingAcquire : LLVMAtomicOrderingRelease,
                         is_local);
    return true;
}

static bool run_thread_number(tri_gpu *g, MlirOperation op)
{
    tri_gpu_value number = tri_gpu_new(g, 1);
    number.at[0] = tri_op_is(op, "rocdl.workitem.id.x") ? tri_gpu_thread(g) : tri_gpu_i32(g, 0); /* blocks are rows */
    tri_gpu_set_result(g, op, 0, number);
    return true;
}

/* A barrier that some of the waves come to: it holds them back until the others are at their next one, so that one half
 * multiplies while the other loads. The condition is the same in all lanes of a wave, and a branch by it leaves the
 * barrier out, where one by lanes might not. */
static bool run_cond_barrier(tri_gpu *g, MlirOperation op)
{
    LLVMValueRef comes = tri_gpu_operand(g, op, 0).at[0];
    if (!g->simulate) {
        LLVMValueRef word = LLVMBuildZExt(g->b, comes, g->i32, "");
        word = tri_gpu_intrinsic(g, "llvm.amdgcn.readfirstlane", &g->i32, 1, &word, 1);
        comes = LLVMBuildICmp(g->b, LLVMIntNE, word, tri_gpu_i32(g, 0), "");
    }
    tri_gpu_if branch = tri_gpu_begin_if(g, comes);
    meet(g);
    tri_gpu_end_if(g, branch);
    return true;
}

/* Where only shared memory is to be ordered, other accesses stay under way. */
static bool run_local_barrier(tri_gpu *g, MlirOperation op)
{
    enum { local = 1 };
    if (tri_op_int(op, "addrSpace", 0) == local)
        tri_gpu_barrier(g, TRI_SYNC_CTA);
    else
        tri_gpu_barrier_global(g);
    return true;
}

static bool run_nothing(tri_gpu *g, MlirOperation op) { return (void)g, (void)op, true; }

const tri_gpu_op tri_amdgcn_ops_hints[] = {
    {"rocdl.sched.barrier", run_sched_barrier, NULL},
    {"rocdl.sched.group.barrier", run_sched_group_barrier, NULL},
    {"rocdl.iglp.opt", run_iglp_opt, NULL},
    {"rocdl.s.setprio", run_set_priority, NULL},
    {"rocdl.s.barrier", run_wave_barrier, NULL},
    {"rocdl.workitem.id.x", run_thread_number, NULL},
    {"rocdl.workitem.id.y", run_thread_number, NULL},
    {"rocdl.workitem.id.z", run_thread_number, NULL},
    {"ttg.barrier", run_local_barrier, NULL},
    {"amdg.cond_barrier", run_cond_barrier, NULL},
    {"amdg.instruction_sched_hint", run_nothing, NULL},
    {"llvm.fence", run_fence, NULL},
    {0},
};
