/* Objects with code for several levels of x86-64: what the launcher calls picks one of them.
 *
 *     tri_run_k(...)      calls tri_run_k_x86_64_v4(...) where the machine has that level, ...
 *     tri_selected_k()    its place in the list of -arch, -1 when the machine has none of them
 */
#include "targets/cpu/cpu.h"

static LLVMValueRef level_of_machine(tri_cpu_gen *g)
{
    LLVMTypeRef type = LLVMFunctionType(g->i32, NULL, 0, false);
    LLVMValueRef fn = LLVMGetNamedFunction(g->module, "tri_cpu_rt_level");
    if (!fn)
        fn = LLVMAddFunction(g->module, "tri_cpu_rt_level", type);
    return LLVMBuildCall2(g->b, type, fn, NULL, 0, "");
}

/* Calls `yes` for the highest level that the machine has, from the highest down; `no` when it has none. */
static void pick(tri_cpu_gen *g, const tri_machine_facts **archs, size_t count, void *data,
                 void (*yes)(tri_cpu_gen *g, size_t i, void *data), void (*no)(tri_cpu_gen *g))
{
    LLVMPositionBuilderAtEnd(g->b, tri_cpu_new_block(g, "entry"));
    LLVMValueRef level = level_of_machine(g);
    for (int wanted = 4; wanted > 0; wanted--) {
        for (size_t i = 0; i < count; i++) {
            if (archs[i]->level != wanted)
                continue;
            LLVMBasicBlockRef take = tri_cpu_new_block(g, "take"), next = tri_cpu_new_block(g, "next");
            LLVMValueRef has =
                LLVMBuildICmp(g->b, LLVMIntSGE, level, LLVMConstInt(g->i32, (uint64_t)wanted, false), "");
            LLVMBuildCondBr(g->b, has, take, next);
            LLVMPositionBuilderAtEnd(g->b, take);
            yes(g, i, data);
            LLVMPositionBuilderAtEnd(g->b, next);
        }
    }
    no(g);
}

static void select_one(tri_cpu_gen *g, size_t i, void *data)
{
    (void)data;
    LLVMBuildRet(g->b, LLVMConstInt(g->i32, i, false));
}

static void select_none(tri_cpu_gen *g) { LLVMBuildRet(g->b, LLVMConstAllOnes(g->i32)); }

static void run_one(tri_cpu_gen *g, size_t i, void *data)
{
    enum { params = 5 };
    LLVMValueRef *functions = data, args[params];
    LLVMGetParams(g->fn, args);
    LLVMSetTailCall(LLVMBuildCall2(g->b, LLVMGlobalGetValueType(g->fn), functions[i], args, params, ""), true);
    LLVMBuildRetVoid(g->b);
}

static void run_none(tri_cpu_gen *g)
{
    enum { error_arch = 4 /* TRI_ERROR_ARCH */ };
    LLVMBuildStore(g->b, LLVMConstInt(g->i32, error_arch, false), LLVMGetParam(g->fn, 4));
    LLVMBuildRetVoid(g->b);
}

void tri_cpu_dispatch(tri_cpu_gen *g, tri_str symbol, const tri_machine_facts **archs, LLVMValueRef *functions,
                      size_t count)
{
    tri_str name = tri_str_format(g->arena, "tri_selected_%.*s", TRI_STR_ARG(symbol));
    g->fn = LLVMAddFunction(g->module, name.data, LLVMFunctionType(g->i32, NULL, 0, false));
    LLVMSetVisibility(g->fn, LLVMHiddenVisibility);
    pick(g, archs, count, NULL, select_one, select_none);
    name = tri_str_format(g->arena, "tri_run_%.*s", TRI_STR_ARG(symbol));
    g->fn = LLVMAddFunction(g->module, name.data, LLVMGlobalGetValueType(functions[0]));
    LLVMSetVisibility(g->fn, LLVMHiddenVisibility);
    LLVMSetPrefixData(g->fn, LLVMGetPrefixData(functions[0]));
    pick(g, archs, count, functions, run_one, run_none);
}
