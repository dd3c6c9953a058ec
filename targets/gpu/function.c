/* Functions: kernels and device functions, their blocks, calls and returns; the module as a whole. */
#include "ir/analysis/axis_info.h"
#include "ir/llvm.h"
#include "ir/type.h"
#include "targets/gpu/gpu.h"
#include "targets/gpu/module.h"
#include "targets/gpu/partitions.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

/* ---- signatures ---- */

/* LLVM parameters of one function: the source's, one per LLVM value; then for device functions the
 * shared memory base, for kernels the launcher's tensor maps and whether they are there, and for every function of a
 * module that needs it the global scratch. */
typedef TRI_VEC(LLVMTypeRef) type_list;

static MlirType function_type(MlirOperation func)
{
    return mlirTypeAttrGetValue(tri_op_attr(func, "function_type"));
}

/* Booleans are bytes at the border of the kernel. */
static LLVMTypeRef border_type(tri_gpu *g, LLVMTypeRef type, bool is_kernel)
{
    return is_kernel && type == g->i1 ? g->i8 : type;
}

static LLVMTypeRef results_type(tri_gpu *g, MlirType type)
{
    type_list parts = {0};
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); i++) {
        MlirType result = mlirFunctionTypeGetResult(type, i);
        for (int p = 0, n = tri_gpu_count(g, result); p < n; p++)
            tri_vec_push(g->arena, &parts, tri_gpu_part_type(g, result, p));
    }
    if (parts.len == 0)
        return LLVMVoidTypeInContext(g->llvm);
    return LLVMStructTypeInContext(g->llvm, parts.at, (unsigned)parts.len, false);
}

static void set_pointer_hints(tri_gpu *g, MlirOperation func, LLVMValueRef function, intptr_t arg, unsigned param)
{
    MlirAttribute all = tri_op_attr(func, "arg_attrs");
    if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all))
        return;
    MlirAttribute attrs = mlirArrayAttrGetElement(all, arg);
    MlirAttribute hint = mlirDictionaryAttrGetElementByName(attrs, mlirStringRefCreateFromCString("tt.divisibility"));
    if (mlirAttributeIsNull(hint) || !mlirAttributeIsAInteger(hint))
        return;
    int64_t align = mlirIntegerAttrGetValueInt(hint);
    if (align <= 1 || (align & (align - 1)))
        return;
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddAttributeAtIndex(function, param + 1, LLVMCreateEnumAttribute(g->llvm, kind, (uint64_t)align));
}

/* Tensor maps that the launcher makes for the kernel. */
static int count_maps(MlirOperation func)
{
    int count = 0;
    for (tri_str rest = tri_op_string(func, "tritcc.maps"); rest.len; count++) {
        size_t end = tri_str_find(rest, '|');
        rest = tri_str_sub(rest, end + (end < rest.len), rest.len);
    }
    return count;
}

/* Declares a function with its final LLVM type. */
static LLVMValueRef declare(tri_gpu *g, MlirOperation func)
{
    bool is_kernel = tri_op_is_kernel(func);
    MlirType type = function_type(func);
    type_list params = {0};
    tri_gpu_choose_function(g, func);
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); i++) {
        MlirType input = mlirFunctionTypeGetInput(type, i);
        for (int p = 0, n = tri_gpu_count(g, input); p < n; p++)
            tri_vec_push(g->arena, &params, border_type(g, tri_gpu_part_type(g, input, p), is_kernel));
    }
    if (!is_kernel)
        tri_vec_push(g->arena, &params, LLVMPointerTypeInContext(g->llvm, 3));
    unsigned maps = (unsigned)params.len;
    if (is_kernel && count_maps(func)) {
        tri_vec_push(g->arena, &params, LLVMPointerTypeInContext(g->llvm, 0));
        tri_vec_push(g->arena, &params, g->i32);
    }
    if (g->needs_scratch)
        tri_vec_push(g->arena, &params, LLVMPointerTypeInContext(g->llvm, 1));
    LLVMTypeRef result = is_kernel ? LLVMVoidTypeInContext(g->llvm) : results_type(g, type);
    LLVMTypeRef llvm_type = LLVMFunctionType(result, params.at, (unsigned)params.len, false);
    tri_str symbol = tri_op_symbol(func);
    LLVMValueRef function = LLVMAddFunction(g->module, tri_str_copy(g->arena, symbol).data, llvm_type);
    if (!g->simulate)
        LLVMSetFunctionCallConv(function, is_kernel ? g->machine->kernel_convention : g->machine->function_convention);
    if (is_kernel) {
        if (!g->simulate)
            g->machine->kernel_attributes(g, function);
        for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); i++)
            if (tri_type_is_ptr(mlirFunctionTypeGetInput(type, i)))
                set_pointer_hints(g, func, function, i, (unsigned)i);
        if (count_maps(func) && !g->simulate)
            g->machine->maps_attributes(g, function, maps, count_maps(func));
    } else {
        LLVMSetLinkage(function, LLVMInternalLinkage);
        const char *inlining = g->machine->inlines_all ? "alwaysinline" : "noinline";
        tri_llvm_add_attribute(function, inlining);
    }
    /* Triton has no recursion; AMD's drivers reserve memory for the stack of what may be recursive. */
    static const char *const attributes[] = {"nounwind", "norecurse"};
    for (int i = 0; i < 2; i++)
        tri_llvm_add_attribute(function, attributes[i]);
    tri_map_set(&g->functions, symbol, function);
    return function;
}

/* ---- blocks of a function ---- */

typedef TRI_VEC(MlirBlock) block_list;

static void visit_block(tri_gpu *g, MlirBlock block, tri_map *seen, block_list *post_order)
{
    if (tri_map_find_ptr(seen, block.ptr))
        return;
    tri_map_set_ptr(seen, block.ptr, seen);
    MlirOperation end = mlirBlockGetTerminator(block);
    if (!mlirOperationIsNull(end))
        for (intptr_t i = mlirOperationGetNumSuccessors(end); i-- > 0;)
            visit_block(g, mlirOperationGetSuccessor(end, i), seen, post_order);
    tri_vec_push(g->arena, post_order, block);
}

/* An LLVM block per MLIR block, with phis for its arguments (made while every type is known). */
static void open_blocks(tri_gpu *g, const block_list *blocks)
{
    for (size_t i = blocks->len; i-- > 0;) {
        MlirBlock block = blocks->at[i];
        LLVMBasicBlockRef llvm = tri_gpu_block(g, "bb");
        tri_map_set_ptr(&g->blocks, block.ptr, llvm);
        if (i + 1 == blocks->len)
            continue; /* the entry: its arguments are the function's */
        tri_gpu_at_end(g, llvm);
        for (intptr_t a = 0; a < mlirBlockGetNumArguments(block); a++) {
            MlirValue arg = mlirBlockGetArgument(block, a);
            MlirType type = mlirValueGetType(arg);
            tri_gpu_value phis = tri_gpu_new(g, tri_gpu_count(g, type));
            for (int p = 0; p < phis.count; p++)
                phis.at[p] = LLVMBuildPhi(g->b, tri_gpu_part_type(g, type, p), "");
            tri_gpu_set(g, arg, phis);
        }
    }
}

static void bind_parameters(tri_gpu *g, MlirBlock entry)
{
    unsigned next = 0;
    for (intptr_t a = 0; a < mlirBlockGetNumArguments(entry); a++) {
        MlirValue arg = mlirBlockGetArgument(entry, a);
        MlirType type = mlirValueGetType(arg);
        tri_gpu_value parts = tri_gpu_new(g, tri_gpu_count(g, type));
        for (int p = 0; p < parts.count; p++) {
            parts.at[p] = LLVMGetParam(g->function, next++);
            if (g->is_kernel && tri_gpu_part_type(g, type, p) == g->i1)
                parts.at[p] = LLVMBuildICmp(g->b, LLVMIntNE, parts.at[p], LLVMConstInt(g->i8, 0, false), "");
        }
        tri_gpu_set(g, arg, parts);
    }
    g->group->shared = g->is_kernel ? g->shared_global : LLVMGetParam(g->function, next++);
    bool has_maps = g->is_kernel && count_maps(g->func);
    g->maps = has_maps ? LLVMGetParam(g->function, next++) : NULL;
    g->maps_given = has_maps ? LLVMBuildICmp(g->b, LLVMIntNE, LLVMGetParam(g->function, next++), tri_gpu_i32(g, 0), "")
                             : NULL;
    g->scratch = g->needs_scratch ? LLVMGetParam(g->function, next++) : NULL;
}

static void enter_function(tri_gpu *g, MlirOperation func)
{
    tri_gpu_choose_function(g, func);
    g->function = tri_map_find(&g->functions, tri_op_symbol(func));
    g->is_kernel = tri_op_is_kernel(func);
    tri_op_list readers = {0};
    if (g->machine->shared_reader)
        tri_op_collect_named(func, g->machine->shared_reader, g->arena, &readers);
    g->has_shared_readers = readers.len > 0;
    tri_op_list copies = {0};
    if (tri_machine_has(g, TRI_MACHINE_copy_row))
        tri_op_collect_named(func, "ttg.async_copy_global_to_local", g->arena, &copies);
    g->has_row_copies = copies.len > 0;
    tri_op_list products = {0};
    if (g->machine->convert_bf16)
        tri_op_collect_named(func, "tt.dot", g->arena, &products);
    g->products = products.len;
    g->entry = tri_gpu_block(g, "entry");
    g->group = tri_gpu_new_group(g, 0, g->num_warps, TRI_GPU_ALL_WARPS, g->entry);
    if (g->debug)
        tri_gpu_debug_function(g, func, g->function);
    tri_gpu_at_end(g, g->entry);
}

static bool lower_function(tri_gpu *g, MlirOperation func)
{
    enter_function(g, func);
    if (!tri_gpu_check_size(g, func))
        return false;
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
    tri_map seen;
    tri_map_init(&seen, g->arena);
    tri_map_init(&g->blocks, g->arena);
    block_list blocks = {0};
    visit_block(g, entry, &seen, &blocks);
    bind_parameters(g, entry);
    if (!tri_partitions_enter(g))
        return false;
    open_blocks(g, &blocks);
    for (size_t i = blocks.len; i-- > 0;) {
        tri_gpu_at_end(g, tri_map_find_ptr(&g->blocks, blocks.at[i].ptr));
        if (!tri_gpu_lower_block(g, blocks.at[i]))
            return false;
    }
    tri_gpu_end_renewals(g);
    tri_partitions_leave(g, tri_map_find_ptr(&g->blocks, entry.ptr));
    return true;
}

/* ---- regions of several blocks ---- */

/* Adds the values that a block returns to the results, which are made at the first return. */
static void leave_region(tri_gpu *g, MlirOperation end, LLVMBasicBlockRef join, int num_results, LLVMValueRef *results)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
    for (int i = 0; i < num_results; i++) {
        LLVMValueRef value = tri_gpu_operand(g, end, i).at[0];
        if (!results[i]) {
            tri_gpu_at_end(g, join);
            results[i] = LLVMBuildPhi(g->b, LLVMTypeOf(value), "");
            tri_gpu_at_end(g, here);
        }
        LLVMAddIncoming(results[i], &value, &here, 1);
    }
    LLVMBuildBr(g->b, join);
}

bool tri_gpu_run_blocks(tri_gpu *g, MlirOperation op, int num_args, LLVMValueRef *args, int num_results,
                        LLVMValueRef *out_results)
{
    MlirBlock entry = tri_op_body(op, 0);
    tri_map seen, outer = g->blocks;
    tri_map_init(&seen, g->arena);
    tri_map_init(&g->blocks, g->arena);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b), join = tri_gpu_block(g, "returned");
    block_list blocks = {0};
    visit_block(g, entry, &seen, &blocks);
    open_blocks(g, &blocks);
    for (int i = 0; i < num_args; i++)
        tri_gpu_set(g, mlirBlockGetArgument(entry, i), tri_gpu_single(g, args[i]));
    tri_gpu_at_end(g, before);
    LLVMBuildBr(g->b, tri_map_find_ptr(&g->blocks, entry.ptr));
    memset(out_results, 0, sizeof *out_results * (size_t)num_results);
    bool ok = true;
    for (size_t i = blocks.len; i-- > 0 && ok;) {
        MlirOperation end = mlirBlockGetTerminator(blocks.at[i]);
        bool is_return = mlirOperationGetNumSuccessors(end) == 0;
        tri_gpu_at_end(g, tri_map_find_ptr(&g->blocks, blocks.at[i].ptr));
        for (MlirOperation at = mlirBlockGetFirstOperation(blocks.at[i]); !mlirOperationIsNull(at) && ok;
             at = mlirOperationGetNextInBlock(at))
            if (!is_return || !mlirOperationEqual(at, end))
                ok = tri_gpu_lower_op(g, at);
        if (ok && is_return)
            leave_region(g, end, join, num_results, out_results);
    }
    LLVMMoveBasicBlockAfter(join, LLVMGetLastBasicBlock(g->function));
    tri_gpu_at_end(g, join);
    g->blocks = outer;
    return ok;
}

/* Adds what a block hands over to the phis in `join`, which the first one makes. */
static void leave_body(tri_gpu *g, MlirOperation end, LLVMBasicBlockRef join, tri_gpu_value *results, int num_results)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
    for (int i = 0; i < num_results; i++) {
        tri_gpu_value values = tri_gpu_operand(g, end, i);
        bool is_first = !results[i].at;
        if (is_first)
            results[i] = tri_gpu_new(g, values.count);
        tri_gpu_at_end(g, join);
        for (int p = 0; p < values.count; p++) {
            if (is_first)
                results[i].at[p] = LLVMBuildPhi(g->b, LLVMTypeOf(values.at[p]), "");
            LLVMAddIncoming(results[i].at[p], &values.at[p], &here, 1);
        }
        tri_gpu_at_end(g, here);
    }
    LLVMBuildBr(g->b, join);
}

static bool lower_until(tri_gpu *g, MlirBlock block, MlirOperation end)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, end);
         op = mlirOperationGetNextInBlock(op))
        if (!tri_gpu_lower_op(g, op))
            return false;
    return true;
}

/* The blocks of a region, whose arguments are known by now; g->blocks is this region's. */
static bool run_region_blocks(tri_gpu *g, MlirBlock entry, tri_gpu_value *out_results, int num_results)
{
    tri_map seen;
    tri_map_init(&seen, g->arena);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b), join = tri_gpu_block(g, "region.end");
    block_list blocks = {0};
    visit_block(g, entry, &seen, &blocks);
    open_blocks(g, &blocks);
    tri_gpu_at_end(g, before);
    LLVMBuildBr(g->b, tri_map_find_ptr(&g->blocks, entry.ptr));
    for (int i = 0; i < num_results; i++)
        out_results[i] = (tri_gpu_value){0, NULL};
    for (size_t i = blocks.len; i-- > 0;) {
        MlirOperation end = mlirBlockGetTerminator(blocks.at[i]);
        tri_gpu_at_end(g, tri_map_find_ptr(&g->blocks, blocks.at[i].ptr));
        if (!lower_until(g, blocks.at[i], end))
            return false;
        if (!mlirOperationGetNumSuccessors(end))
            leave_body(g, end, join, out_results, num_results);
        else if (!tri_gpu_lower_op(g, end))
            return false;
    }
    LLVMMoveBasicBlockAfter(join, LLVMGetLastBasicBlock(g->function));
    tri_gpu_at_end(g, join);
    return true;
}

bool tri_gpu_run_body(tri_gpu *g, MlirRegion region, tri_gpu_value *out_results, int num_results)
{
    MlirBlock entry = mlirRegionGetFirstBlock(region);
    if (mlirBlockIsNull(mlirBlockGetNextInRegion(entry))) {
        MlirOperation end = mlirBlockGetTerminator(entry);
        if (!lower_until(g, entry, end))
            return false;
        for (int i = 0; i < num_results; i++)
            out_results[i] = tri_gpu_operand(g, end, i);
        return true;
    }
    tri_map outer = g->blocks;
    tri_map_init(&g->blocks, g->arena);
    bool ok = run_region_blocks(g, entry, out_results, num_results);
    g->blocks = outer;
    return ok;
}

/* ---- cf, calls, returns ---- */

static LLVMBasicBlockRef enter_successor(tri_gpu *g, MlirOperation op, intptr_t successor, intptr_t first_operand)
{
    MlirBlock block = mlirOperationGetSuccessor(op, successor);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
    for (intptr_t a = 0; a < mlirBlockGetNumArguments(block); a++) {
        tri_gpu_value phis = tri_gpu_get(g, mlirBlockGetArgument(block, a));
        tri_gpu_value values = tri_gpu_operand(g, op, first_operand + a);
        for (int p = 0; p < phis.count; p++)
            LLVMAddIncoming(phis.at[p], &values.at[p], &here, 1);
    }
    return tri_map_find_ptr(&g->blocks, block.ptr);
}

static bool run_br(tri_gpu *g, MlirOperation op)
{
    LLVMBuildBr(g->b, enter_successor(g, op, 0, 0));
    return true;
}

/* Both ways lead to one block: a phi takes one value from a block, so the condition chooses among the arguments. */
static void join_successors(tri_gpu *g, MlirOperation op, LLVMValueRef cond)
{
    MlirBlock block = mlirOperationGetSuccessor(op, 0);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
    intptr_t n = mlirBlockGetNumArguments(block);
    for (intptr_t a = 0; a < n; a++) {
        tri_gpu_value phis = tri_gpu_get(g, mlirBlockGetArgument(block, a));
        tri_gpu_value yes = tri_gpu_operand(g, op, 1 + a), no = tri_gpu_operand(g, op, 1 + n + a);
        for (int p = 0; p < phis.count; p++) {
            LLVMValueRef chosen = LLVMBuildSelect(g->b, cond, yes.at[p], no.at[p], "");
            LLVMAddIncoming(phis.at[p], &chosen, &here, 1);
        }
    }
    LLVMBuildBr(g->b, tri_map_find_ptr(&g->blocks, block.ptr));
}

static bool run_cond_br(tri_gpu *g, MlirOperation op)
{
    LLVMValueRef cond = tri_gpu_operand(g, op, 0).at[0];
    intptr_t then_args = mlirBlockGetNumArguments(mlirOperationGetSuccessor(op, 0));
    if (mlirBlockEqual(mlirOperationGetSuccessor(op, 0), mlirOperationGetSuccessor(op, 1))) {
        join_successors(g, op, cond);
        return true;
    }
    LLVMBasicBlockRef then = enter_successor(g, op, 0, 1);
    LLVMBasicBlockRef otherwise = enter_successor(g, op, 1, 1 + then_args);
    LLVMBuildCondBr(g->b, cond, then, otherwise);
    return true;
}

static bool run_return(tri_gpu *g, MlirOperation op)
{
    if (g->is_kernel || mlirOperationGetNumOperands(op) == 0) {
        LLVMBuildRetVoid(g->b);
        return true;
    }
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(g->function));
    LLVMValueRef all = LLVMGetPoison(type);
    unsigned next = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        tri_gpu_value parts = tri_gpu_operand(g, op, i);
        for (int p = 0; p < parts.count; p++)
            all = LLVMBuildInsertValue(g->b, all, parts.at[p], next++, "");
    }
    LLVMBuildRet(g->b, all);
    return true;
}

static bool run_call(tri_gpu *g, MlirOperation op)
{
    MlirAttribute symbol = tri_op_attr(op, "callee");
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(symbol);
    LLVMValueRef callee = tri_map_find(&g->functions, (tri_str){name.data, name.length});
    if (callee && g->group->barrier != TRI_GPU_ALL_WARPS)
        return tri_gpu_unsupported(g, op, "a function is for all warps of a block, and here some run other code");
    if (!callee)
        return tri_gpu_unsupported(g, op, "function '%.*s' has no body", (int)name.length, name.data);
    TRI_VEC(LLVMValueRef) args = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        tri_gpu_value parts = tri_gpu_operand(g, op, i);
        for (int p = 0; p < parts.count; p++)
            tri_vec_push(g->arena, &args, parts.at[p]);
    }
    int64_t offset = tri_gpu_scratch_offset(op);
    tri_vec_push(g->arena, &args, offset > 0 ? tri_gpu_shared_at(g, offset) : g->group->shared);
    if (g->needs_scratch)
        tri_vec_push(g->arena, &args,
                     tri_gpu_offset_const(g, g->scratch, tri_op_int(op, "ttg.global_scratch_memory_offset", 0)));
    LLVMTypeRef type = LLVMGlobalGetValueType(callee);
    LLVMValueRef call = LLVMBuildCall2(g->b, type, callee, args.at, (unsigned)args.len, "");
    if (!g->simulate)
        LLVMSetInstructionCallConv(call, g->machine->function_convention);
    unsigned next = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        tri_gpu_value parts = tri_gpu_new(g, tri_gpu_count(g, mlirValueGetType(mlirOperationGetResult(op, i))));
        for (int p = 0; p < parts.count; p++)
            parts.at[p] = LLVMBuildExtractValue(g->b, call, next++, "");
        tri_gpu_set_result(g, op, i, parts);
    }
    return true;
}

bool tri_gpu_lower_functions(tri_gpu *g, MlirModule module)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(module), "tt.func", g->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        if (!mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(funcs.at[i], 0))))
            declare(g, funcs.at[i]);
    if (tri_diag_error_count(g->unit->diag))
        return false;
    for (size_t i = 0; i < funcs.len; i++)
        if (tri_map_find(&g->functions, tri_op_symbol(funcs.at[i])) && !lower_function(g, funcs.at[i]))
            return false;
    return true;
}

const tri_gpu_op tri_gpu_ops_function[] = {
    {"cf.br", run_br, NULL},
    {"cf.cond_br", run_cond_br, NULL},
    {"tt.return", run_return, NULL},
    {"tt.call", run_call, NULL},
    {0},
};
