/* ttg.warp_specialize: groups of warps that run different code, all in one function.
 *
 *     entry:    warp < default ? default : workers
 *     default:  ...                          workers:
 *               barrier of all                 barrier of all
 *               default region                 switch (warp) partition0, partition1, ...
 *               barrier of all                 barrier of all
 *               ...                            return
 *
 * The default group runs the kernel; the others wait until it comes to the operation, run their partition and wait for
 * the next one. So these operations stand where every program comes once: in the first block of a kernel. What a
 * partition takes from outside is used as it is when it is known at the start of the kernel, else it goes through
 * shared memory, which tri_scratch_bytes has planned. Where the operation says how many registers a thread of each
 * partition has (actualRegisters), warps give up or take some; four warps at a time do, together. Needs
 * allocate-warp-groups. */
#include "targets/gpu/partitions.h"

#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

enum {
    default_barrier = 1,
    first_barrier = 2 /* 0 is that of all warps */,
    num_barriers = 16,
    max_partitions = num_barriers - first_barrier,
    warps_together = 4,
    word = 8 /* bytes of a value in shared memory */
};

typedef struct {
    MlirOperation op, holder;
    int count;
    int32_t warps[max_partitions], start[max_partitions], registers[max_partitions + 1];
    bool has_registers;
} partitions;

static bool read_partitions(tri_gpu *g, MlirOperation op, partitions *p)
{
    MlirAttribute warps = tri_op_attr(op, "partitionNumWarps");
    *p = (partitions){.op = op, .holder = mlirBlockGetFirstOperation(tri_op_body(op, 1))};
    if (mlirDenseArrayGetNumElements(warps) > max_partitions)
        return tri_gpu_unsupported(g, op, "it has more than %d partitions", max_partitions);
    p->count = tri_op_i32s(op, "partitionNumWarps", p->warps, max_partitions);
    if (tri_op_i32s(op, "warpGroupStartIds", p->start, max_partitions) != p->count)
        return tri_gpu_unsupported(g, op, "its partitions have no warps yet; allocate-warp-groups gives them some");
    p->has_registers = tri_op_i32s(op, "actualRegisters", p->registers, max_partitions + 1) == p->count + 1 &&
                       tri_machine_has(g, TRI_MACHINE_registers_take);
    for (int i = 0; i < p->count; i++)
        if (p->start[i] < g->default_warps || p->start[i] + p->warps[i] > g->num_warps)
            return tri_gpu_unsupported(
                g, op, "partition %d is not among the kernel's warps, of which %d are not the default's", i,
                g->num_warps - g->default_warps);
    return true;
}

/* ---- the kernel ---- */

bool tri_partitions_enter(tri_gpu *g)
{
    tri_op_list ops = {0};
    tri_op_collect_named(g->func, "ttg.warp_specialize", g->arena, &ops);
    g->workers = NULL;
    if (!ops.len)
        return true;
    if (!g->is_kernel)
        return tri_gpu_unsupported(g, ops.at[0], "it stands in a function; inline lets kernels have it");
    if (!tri_machine_has(g, TRI_MACHINE_group_barrier))
        return tri_gpu_unsupported(g, ops.at[0], "the machine has no barriers for some of a block's warps");
    g->whole = g->group;
    g->is_default_warp = LLVMBuildICmp(g->b, LLVMIntULT, tri_gpu_uniform_warp(g), tri_gpu_i32(g, g->default_warps), "");
    g->group = tri_gpu_new_group(g, 0, g->default_warps, default_barrier, tri_gpu_block(g, "default"));
    g->group->shared = g->whole->shared;
    g->workers = g->first_workers = tri_gpu_block(g, "workers");
    return true;
}

void tri_partitions_leave(tri_gpu *g, LLVMBasicBlockRef body)
{
    tri_gpu_at_end(g, g->entry);
    if (!g->workers) {
        LLVMBuildBr(g->b, body);
        return;
    }
    LLVMBuildCondBr(g->b, g->is_default_warp, g->group->entry, g->first_workers);
    tri_gpu_at_end(g, g->group->entry);
    LLVMBuildBr(g->b, body);
    tri_gpu_at_end(g, g->workers);
    LLVMBuildRetVoid(g->b);
}

/* Where default warps and workers meet. */
static void barrier_of_all(tri_gpu *g)
{
    tri_gpu_group *group = g->group;
    g->group = g->whole;
    tri_gpu_barrier(g, TRI_SYNC_CTA);
    g->group = group;
}

/* Each thread of a group of four warps gets `count` registers, at least as many as it has (takes) or at most. */
static void set_registers(tri_gpu *g, const partitions *p, int32_t count)
{
    int32_t first = (int32_t)tri_op_int(mlirModuleGetOperation(g->unit->module), "ttg.maxnreg", 0);
    if (!p->has_registers || count == first)
        return;
    LLVMValueRef args[] = {tri_gpu_i32(g, count)};
    tri_machine_call(g, count > first ? TRI_MACHINE_registers_take : TRI_MACHINE_registers_give, args, 1);
}

/* ---- captures ---- */

/* Known wherever the kernel has begun: no instruction, or one of its entry. */
static bool is_known(tri_gpu *g, LLVMValueRef value)
{
    return !LLVMIsAInstruction(value) || LLVMGetInstructionParent(value) == g->entry;
}

/* Calls `move` for each part of each capture that goes through shared memory. */
static void move_captures(tri_gpu *g, const partitions *p, tri_gpu_value *captures,
                          LLVMValueRef (*move)(tri_gpu *g, LLVMValueRef place, LLVMValueRef value))
{
    int64_t offset = tri_gpu_scratch_offset(p->op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(p->op); i++)
        for (int k = 0; k < captures[i].count; k++, offset += word)
            if (!is_known(g, captures[i].at[k]))
                captures[i].at[k] = move(g, tri_gpu_shared_at(g, offset), captures[i].at[k]);
}

static LLVMValueRef store_capture(tri_gpu *g, LLVMValueRef place, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef bits = LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMBuildPtrToInt(g->b, value, g->i64, "")
                                                                     : tri_gpu_to_int(g, value);
    bits = LLVMBuildZExt(g->b, bits, g->i64, "");
    tri_gpu_shared_store(g, place, &bits, 1, NULL);
    return value;
}

static LLVMValueRef load_capture(tri_gpu *g, LLVMValueRef place, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef bits;
    tri_gpu_shared_load(g, place, g->i64, 1, &bits);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(g->b, bits, type, "");
    LLVMTypeRef as_int = LLVMIntTypeInContext(g->llvm, tri_gpu_bits(g, type));
    return tri_gpu_from_int(g, LLVMBuildTrunc(g->b, bits, as_int, ""), type);
}

/* The captures, as values of the default group. */
static bool collect_captures(tri_gpu *g, const partitions *p, tri_gpu_value *out, bool *out_has_unknown)
{
    *out_has_unknown = false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(p->op); i++) {
        MlirType type = mlirValueGetType(tri_op_operand(p->op, i));
        if (tri_type_is_tensor(type))
            return tri_gpu_unsupported(g, p->op,
                                       "a partition takes a tensor; tensors go to other warps through shared memory");
        tri_gpu_value value = tri_gpu_operand(g, p->op, i);
        out[i] = tri_gpu_new(g, value.count);
        memcpy(out[i].at, value.at, sizeof *value.at * (size_t)value.count);
        for (int k = 0; k < value.count; k++)
            *out_has_unknown |= !is_known(g, value.at[k]);
    }
    return true;
}

/* One thread hands them over, once nobody needs what was in their place. */
static void hand_over(tri_gpu *g, const partitions *p, tri_gpu_value *captures)
{
    tri_gpu_barrier(g, TRI_SYNC_CTA);
    LLVMValueRef is_first = LLVMBuildICmp(g->b, LLVMIntEQ, tri_gpu_thread(g), tri_gpu_i32(g, 0), "");
    tri_gpu_if first = tri_gpu_begin_if(g, is_first);
    move_captures(g, p, captures, store_capture);
    tri_gpu_end_if(g, first);
}

/* ---- partitions ---- */

static bool lower_partition(tri_gpu *g, const partitions *p, int i, LLVMBasicBlockRef entry, LLVMBasicBlockRef join,
                            const tri_gpu_value *captures)
{
    MlirBlock block = tri_op_body(p->holder, i);
    g->group = tri_gpu_new_group(g, p->start[i], p->warps[i], first_barrier + i, entry);
    g->group->shared = g->whole->shared;
    tri_gpu_value *taken = TRI_NEW_ARRAY(g->arena, tri_gpu_value, mlirOperationGetNumOperands(p->op) + 1);
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(p->op); k++) {
        taken[k] = tri_gpu_new(g, captures[k].count);
        memcpy(taken[k].at, captures[k].at, sizeof *taken[k].at * (size_t)taken[k].count);
    }
    LLVMBasicBlockRef body = tri_gpu_block(g, "partition");
    tri_gpu_at_end(g, body);
    move_captures(g, p, taken, load_capture);
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(block); k++)
        tri_gpu_set(g, mlirBlockGetArgument(block, k), taken[k]);
    if (!tri_gpu_run_body(g, mlirOperationGetRegion(p->holder, i), NULL, 0))
        return false;
    LLVMBuildBr(g->b, join);
    tri_gpu_at_end(g, entry);
    LLVMBuildBr(g->b, body);
    return true;
}

/* Sends each warp to its partition, those without one to `join`; four warps at a time change their registers. */
static void dispatch(tri_gpu *g, const partitions *p, const LLVMBasicBlockRef *entries, LLVMBasicBlockRef join)
{
    LLVMValueRef warp = g->whole->uniform_warp;
    unsigned workers = (unsigned)(g->num_warps - g->default_warps);
    int step = p->has_registers ? warps_together : (int)workers;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b);
    LLVMValueRef number = LLVMBuildUDiv(g->b, warp, tri_gpu_i32(g, step), "");
    LLVMValueRef groups = p->has_registers ? LLVMBuildSwitch(g->b, number, join, workers / (unsigned)step) : NULL;
    for (int first = g->default_warps; first < g->num_warps; first += step) {
        int32_t registers = 0;
        LLVMBasicBlockRef block = p->has_registers ? tri_gpu_block(g, "group") : from;
        if (groups)
            LLVMAddCase(groups, tri_gpu_i32(g, first / step), block);
        tri_gpu_at_end(g, block);
        for (int i = 0; i < p->count; i++)
            if (p->start[i] < first + step && first < p->start[i] + p->warps[i] && p->registers[i + 1] > registers)
                registers = p->registers[i + 1];
        if (registers)
            set_registers(g, p, registers);
        LLVMValueRef own = LLVMBuildSwitch(g->b, warp, join, (unsigned)step);
        for (int i = 0; i < p->count; i++)
            for (int w = p->start[i]; w < p->start[i] + p->warps[i]; w++)
                if (w >= first && w < first + step)
                    LLVMAddCase(own, tri_gpu_i32(g, w), entries[i]);
    }
}

/* The code of the warps that are not the default's, from where they stand. */
static bool lower_workers(tri_gpu *g, const partitions *p, const tri_gpu_value *captures)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b), front = g->front, entries[max_partitions];
    tri_gpu_group *group = g->group;
    g->front = NULL;
    tri_gpu_at_end(g, g->workers);
    barrier_of_all(g);
    LLVMBasicBlockRef join = tri_gpu_block(g, "workers.join");
    for (int i = 0; i < p->count; i++)
        entries[i] = tri_gpu_block(g, "partition.entry");
    dispatch(g, p, entries, join);
    bool ok = true;
    for (int i = 0; i < p->count && ok; i++)
        ok = lower_partition(g, p, i, entries[i], join, captures);
    LLVMMoveBasicBlockAfter(join, LLVMGetLastBasicBlock(g->function));
    tri_gpu_at_end(g, join);
    barrier_of_all(g);
    g->workers = join;
    g->group = group;
    g->front = front;
    tri_gpu_at_end(g, here);
    return ok;
}

static bool is_in_first_block(tri_gpu *g, MlirOperation op)
{
    return mlirBlockEqual(mlirOperationGetBlock(op), tri_op_body(g->func, 0));
}

static bool run_warp_specialize(tri_gpu *g, MlirOperation op)
{
    partitions p;
    bool has_unknown;
    if (!is_in_first_block(g, op))
        return tri_gpu_unsupported(g, op, "it stands in a loop or a branch");
    if (!read_partitions(g, op, &p))
        return false;
    tri_gpu_value *captures = TRI_NEW_ARRAY(g->arena, tri_gpu_value, mlirOperationGetNumOperands(op) + 1);
    tri_gpu_value *results = TRI_NEW_ARRAY(g->arena, tri_gpu_value, mlirOperationGetNumResults(op) + 1);
    if (!collect_captures(g, &p, captures, &has_unknown))
        return false;
    if (has_unknown)
        hand_over(g, &p, captures);
    barrier_of_all(g);
    if (!lower_workers(g, &p, captures))
        return false;
    set_registers(g, &p, p.registers[0]);
    if (!tri_gpu_run_body(g, mlirOperationGetRegion(op, 0), results, (int)mlirOperationGetNumResults(op)))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        tri_gpu_set_result(g, op, i, results[i]);
    barrier_of_all(g);
    return true;
}

const tri_gpu_op tri_gpu_ops_partitions[] = {
    {"ttg.warp_specialize", run_warp_specialize, NULL},
    {0},
};
