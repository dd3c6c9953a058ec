/* Host processors: loop nests in LLVM IR, assembly, and objects with a launcher. */
#include "targets/cpu/cpu.h"

#include "ir/context.h"
#include "ir/llvm.h"
#include "ir/options.h"
#include "ir/readonly.h"
#include "targets/cpu/host.h"
#include "targets/cpu/machine.h"
#include "targets/facts.h"

#include "llvm-c/Target.h"

static void ttir_pipeline(const tri_unit *unit, tri_buf *out)
{
    /* folding and merging values takes variables away from a debugger */
    tri_buf_add_z(out, tri_options_steps(unit->options)
                           ? "inline{default-pipeline=},rewrite-tensor-pointer,symbol-dce"
                           : "inline,rewrite-tensor-pointer,canonicalize,cse,symbol-dce");
}

/* ---- llir ---- */

static void init(tri_cpu_gen *g, tri_unit *unit, const tri_machine_facts *arch)
{
    *g = (tri_cpu_gen){.unit = unit, .suffix = "", .arena = unit->arena, .diag = unit->diag, .llvm = unit->llvm};
    LLVMContextRef c = unit->llvm;
    g->i1 = LLVMInt1TypeInContext(c);
    g->i8 = LLVMInt8TypeInContext(c);
    g->i16 = LLVMInt16TypeInContext(c);
    g->i32 = LLVMInt32TypeInContext(c);
    g->i64 = LLVMInt64TypeInContext(c);
    g->f32 = LLVMFloatTypeInContext(c);
    g->f64 = LLVMDoubleTypeInContext(c);
    g->ptr = LLVMPointerTypeInContext(c, 0);
    g->void_type = LLVMVoidTypeInContext(c);
    tri_map_init(&g->binds, g->arena);
    tri_map_init(&g->plans, g->arena);
    tri_map_init(&g->blocks, g->arena);
    tri_map_init(&g->funcs, g->arena);
    tri_map_init(&g->bodies, g->arena);
    tri_map_init(&g->queues, g->arena);
    tri_map_init(&g->sliced, g->arena);
    g->steps = tri_options_steps(unit->options);
    g->host = tri_host_of(unit, arch);
    g->has_f16c = g->host.is_aarch64 || tri_host_has(&g->host, "f16c");
    g->has_fma = g->host.is_aarch64 || tri_host_has(&g->host, "fma");
}

/* void tri_run_<symbol>(const void *const *args, uint64_t begin, uint64_t end, const uint32_t *grid, int *err):
 * programs begin..end of the grid in x-fastest order, or y-fastest where those share packed operands; args[i] points to
 * argument i. Before its code are the bytes that a program may store past the caches, its estimated cost in cycles, and
 * whether programs leave panels to each other (runtime/launch/cpu.c). */
static void make_range(tri_cpu_gen *g, MlirOperation func, const char *suffix, bool may_have_tiles)
{
    LLVMTypeRef params[5] = {g->ptr, g->i64, g->i64, g->ptr, g->ptr};
    LLVMValueRef program = tri_cpu_declare(g, func);
    tri_str name = tri_str_format(g->arena, "tri_run_%.*s%s", TRI_STR_ARG(tri_op_symbol(func)), suffix);
    LLVMValueRef fn = LLVMAddFunction(g->module, name.data, LLVMFunctionType(g->void_type, params, 5, false));
    LLVMSetVisibility(fn, LLVMHiddenVisibility);
    LLVMValueRef facts[4] = {tri_cpu_i64(g, g->stream_bytes), tri_cpu_i64(g, tri_cpu_cost(g, func)),
                             tri_cpu_i64(g, g->has_panels), tri_cpu_i64(g, 0)};
    LLVMSetPrefixData(fn, LLVMConstStructInContext(g->llvm, facts, 4, false));
    tri_llvm_add_attribute(fn, "nounwind");
    if (!g->steps) /* around products nothing is gained by it, and registers of one long function are hard to find */
        tri_llvm_add_attribute(program, g->cache || g->plain ? "noinline" : "alwaysinline");
    if (g->unit->options->sanitize & TRI_SANITIZE_ADDRESS)
        tri_llvm_add_attribute(fn, "sanitize_address");
    g->fn = fn;
    LLVMBasicBlockRef entry = tri_cpu_new_block(g, "entry"), head = tri_cpu_new_block(g, "head");
    LLVMBasicBlockRef body = tri_cpu_new_block(g, "body"), exit = tri_cpu_new_block(g, "exit");
    LLVMPositionBuilderAtEnd(g->b, entry);
    tri_cpu_lines_function(g, func);
    unsigned count = LLVMCountParams(program);
    LLVMValueRef *args = TRI_NEW_ARRAY(g->arena, LLVMValueRef, count), grid[3];
    LLVMTypeRef *types = TRI_NEW_ARRAY(g->arena, LLVMTypeRef, count);
    LLVMGetParamTypes(LLVMGlobalGetValueType(program), types);
    unsigned own = count - 7 - (g->cache != NULL) - (g->plain != NULL);
    for (unsigned i = 0; i < own; i++) {
        LLVMValueRef at = tri_cpu_i64(g, i);
        LLVMValueRef slot = LLVMBuildGEP2(g->b, g->ptr, LLVMGetParam(fn, 0), &at, 1, "");
        LLVMValueRef address = LLVMBuildLoad2(g->b, g->ptr, slot, "");
        bool is_bit = types[i] == g->i1;
        args[i] = LLVMBuildLoad2(g->b, is_bit ? g->i8 : types[i], address, "");
        if (is_bit)
            args[i] = LLVMBuildICmp(g->b, LLVMIntNE, args[i], LLVMConstNull(g->i8), "");
    }
    for (unsigned i = 0; i < 3; i++) {
        LLVMValueRef at = tri_cpu_i64(g, i);
        grid[i] = LLVMBuildLoad2(g->b, g->i32, LLVMBuildGEP2(g->b, g->i32, LLVMGetParam(fn, 3), &at, 1, ""), "");
        args[count - 4 + i] = grid[i];
    }
    args[count - 1] = LLVMGetParam(fn, 4);
    if (g->cache)
        args[own] = tri_cpu_cache_allocate(g, LLVMGetParam(fn, 4));
    LLVMValueRef gx = LLVMBuildZExt(g->b, grid[0], g->i64, ""), gy = LLVMBuildZExt(g->b, grid[1], g->i64, "");
    bool has_tiles = may_have_tiles && tri_cpu_tiles_configure(g);
    if (has_tiles)
        tri_cpu_twin_mark(g, fn);
    if (g->plain)
        args[count - 8] = LLVMConstInt(g->i1, has_tiles, false);
    LLVMBasicBlockRef start = LLVMGetInsertBlock(g->b);
    LLVMBuildBr(g->b, head);
    LLVMPositionBuilderAtEnd(g->b, head);
    LLVMValueRef i = LLVMBuildPhi(g->b, g->i64, "program");
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntULT, i, LLVMGetParam(fn, 2), ""), body, exit);
    LLVMPositionBuilderAtEnd(g->b, body);
    int inner = g->cache && tri_cpu_cache_likes_columns(g); /* the axis that goes fastest */
    LLVMValueRef size = inner ? gy : gx, row = LLVMBuildUDiv(g->b, i, size, ""), pid[3];
    pid[inner] = LLVMBuildURem(g->b, i, size, "");
    pid[!inner] = LLVMBuildURem(g->b, row, inner ? gx : gy, "");
    pid[2] = LLVMBuildUDiv(g->b, row, inner ? gx : gy, "");
    for (unsigned d = 0; d < 3; d++)
        args[count - 7 + d] = LLVMBuildTrunc(g->b, pid[d], g->i32, "");
    LLVMBuildCall2(g->b, LLVMGlobalGetValueType(program), program, args, count, "");
    LLVMValueRef next = LLVMBuildAdd(g->b, i, tri_cpu_i64(g, 1), ""), begin = LLVMGetParam(fn, 1);
    LLVMAddIncoming(i, &begin, &start, 1);
    LLVMAddIncoming(i, &next, &body, 1);
    LLVMBuildBr(g->b, head);
    LLVMPositionBuilderAtEnd(g->b, exit);
    if (has_tiles) /* else the state goes through every switch of threads */
        tri_cpu_intrinsic(g, "llvm.x86.tilerelease", NULL, 0, NULL, 0);
    tri_cpu_stream_end(g);
    LLVMBuildRetVoid(g->b);
    tri_cpu_lines_stop(g);
}

static bool lower_functions(tri_cpu_gen *g, MlirModule module)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(module), "tt.func", g->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        tri_cpu_declare(g, funcs.at[i]);
        tri_map_set(&g->bodies, tri_op_symbol(funcs.at[i]), funcs.at[i].ptr);
    }
    for (size_t i = 0; i < funcs.len; i++) {
        LLVMValueRef fn = tri_cpu_declare(g, funcs.at[i]);
        tri_llvm_add_attribute(fn, "nounwind");
        if (g->unit->options->sanitize & TRI_SANITIZE_ADDRESS)
            tri_llvm_add_attribute(fn, "sanitize_address");
        if ((g->unit->options->sanitize & TRI_SANITIZE_BOUNDS) && tri_op_is_kernel(funcs.at[i]))
            tri_cpu_bounds_mark(g, fn, tri_op_symbol(funcs.at[i]));
        if (!tri_cpu_func(g, funcs.at[i]))
            return false;
        if (tri_op_is_kernel(funcs.at[i]))
            make_range(g, funcs.at[i], g->suffix, true);
        if (tri_op_is_kernel(funcs.at[i]) && g->plain)
            make_range(g, funcs.at[i], "", false);
    }
    return true;
}

/* Text made for another target may have descriptors as what rewrite-tensor-descriptor-to-pointer makes of them, which
 * launchers for the host do not pass. */
static bool check_descriptors(tri_unit *unit, MlirOperation func, const tri_kernel *kernel)
{
    MlirBlock entry = tri_op_body(func, 0);
    size_t promised = 0, taken = 0;
    for (size_t i = 0; i < kernel->params.len; i++)
        promised += tri_str_has_prefix(kernel->params.at[i].type, "tensordesc<");
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++)
        taken += tri_type_is_desc(mlirValueGetType(mlirBlockGetArgument(entry, i)));
    if (taken < promised)
        tri_op_error(unit->diag, func, 6002,
                     "kernel '%.*s' takes its descriptors in parts, as GPUs do; for the host its ttir is made with "
                     "-arch=native",
                     TRI_STR_ARG(kernel->name));
    return taken >= promised;
}

static bool record_kernels(tri_unit *unit, MlirModule module)
{
    bool ok = true;
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(module), "tt.func", unit->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        if (!tri_op_is_kernel(funcs.at[i]))
            continue;
        tri_kernel *kernel = tri_facts_find_kernel(unit, tri_op_symbol(funcs.at[i]), funcs.at[i]);
        tri_readonly_mark(unit->arena, funcs.at[i], kernel);
        ok = check_descriptors(unit, funcs.at[i], kernel) && ok;
    }
    return ok;
}

/* What differs between the processors of a list is said by each function. */
static void mark_functions(tri_cpu_gen *g)
{
    static const char cpu[] = "target-cpu";
    const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    const tri_host *host = g->plain ? g->plain : &g->host;
    for (LLVMValueRef f = LLVMGetFirstFunction(g->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || LLVMGetStringAttributeAtIndex(f, at, cpu, sizeof cpu - 1))
            continue;
        tri_llvm_set_attribute(f, cpu, host->cpu);
        if (*host->features)
            tri_llvm_set_attribute(f, "target-features", host->features);
    }
}

/* One processor of `count`, whose machine all of them share; `plain` (or null): the one that shares its code, too. */
static bool lower_for(tri_cpu_gen *g, tri_unit *unit, LLVMModuleRef module, const tri_machine_facts *arch, size_t count,
                      bool is_alone, const tri_cpu_sites *sites, const tri_host *plain)
{
    init(g, unit, arch);
    g->plain = plain;
    g->sites = sites;
    g->module = module;
    g->b = LLVMCreateBuilderInContext(g->llvm);
    if (!is_alone)
        g->suffix = tri_host_suffix(g->arena, arch).data;
    g->axes = tri_axis_info_create(g->arena, mlirModuleGetOperation(unit->module));
    tri_cpu_lines_begin(g);
    bool ok = lower_functions(g, unit->module) && !g->failed;
    tri_cpu_lines_end(g);
    if (count > 1)
        mark_functions(g);
    LLVMDisposeBuilder(g->b);
    return ok;
}

static void add_dispatch(tri_unit *unit, LLVMModuleRef module, const tri_machine_facts **archs, size_t count)
{
    tri_cpu_gen g;
    init(&g, unit, archs[0]);
    g.module = module;
    g.b = LLVMCreateBuilderInContext(g.llvm);
    for (size_t i = 0; i < unit->kernels.len; i++) {
        LLVMValueRef functions[TRI_HOST_MAX_LIST];
        tri_str symbol = unit->kernels.at[i].symbol;
        for (size_t k = 0; k < count; k++) {
            tri_str name =
                tri_str_format(g.arena, "tri_run_%.*s%s", TRI_STR_ARG(symbol), tri_host_suffix(g.arena, archs[k]).data);
            functions[k] = LLVMGetNamedFunction(module, name.data);
        }
        tri_cpu_dispatch(&g, symbol, archs, functions, count);
    }
    LLVMDisposeBuilder(g.b);
}

static LLVMModuleRef new_module(tri_unit *unit)
{
    LLVMTargetMachineRef machine = tri_cpu_create_machine(unit);
    if (!machine)
        return NULL;
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("tritcc", unit->llvm);
    LLVMSetTarget(module, tri_cpu_triple(unit->arch));
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    tri_llvm_dispose_machine(machine);
    return module;
}

static bool link_libraries(tri_cpu_gen *g)
{
    tri_library_job job = {g->unit, g->module, &g->externs, .triple = g->host.triple};
    return !g->externs.len || (tri_library_link(&job) && tri_library_link_device(&job) && tri_library_check(&job));
}

static bool lower(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_MLIR);
    const tri_machine_facts *archs[TRI_HOST_MAX_LIST];
    size_t count = tri_host_list(unit, archs, TRI_HOST_MAX_LIST);
    if (!unit->llvm)
        unit->llvm = tri_context_create_llvm(unit->diag);
    LLVMModuleRef module = new_module(unit);
    if (!module)
        return false;
    tri_cpu_sites sites = {0};
    if (unit->options->sanitize & TRI_SANITIZE_UNDEFINED)
        tri_cpu_shadow_run(unit, &sites);
    bool ok = true, has_tiles = count == 2 && tri_host_has_tiles(archs[1]);
    size_t made = has_tiles && !tri_cpu_tiles_suit(unit) ? 1 : count;
    bool is_shared = has_tiles && made > 1 && !tri_options_steps(unit->options) && !unit->options->sanitize;
    tri_host plain = tri_host_of(unit, archs[0]);
    for (size_t i = is_shared; i < made && ok; i++) {
        tri_cpu_gen g;
        bool is_alone = made == 1 || (has_tiles && i == 0);
        ok = lower_for(&g, unit, module, archs[i], count, is_alone, &sites, is_shared ? &plain : NULL) &&
             link_libraries(&g);
    }
    if (ok) {
        ok = record_kernels(unit, unit->module);
        if (made > 1 && !has_tiles)
            add_dispatch(unit, module, archs, count);
    }
    if (!ok || (unit->options->verify_each && !tri_llvm_verify(unit->diag, module))) {
        LLVMDisposeModule(module);
        return false;
    }
    tri_unit_replace(unit, TRI_PAYLOAD_LLVM);
    unit->llvm_module = module;
    tri_llvm_set_kernels(unit);
    return true;
}

/* The vectors are written by us: LLVM's own vectorisers and unrolling of block loops are left out. */
static const char pipeline[] =
    "always-inline,globaldce,function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-simplifycfg,licm,loop-rotate,licm),gvn,bdce,dse,adce,"
    "instcombine<no-verify-fixpoint>,simplifycfg),globaldce";

static bool optimize(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_LLVM);
    if (!tri_cpu_link_vmath(unit))
        return false;
    LLVMTargetMachineRef machine = tri_cpu_create_machine(unit);
    if (!machine)
        return false;
    const char *passes = unit->options->opt_level > 0 ? pipeline : "always-inline,globaldce";
    bool ok = true;
    if (unit->options->sanitize & TRI_SANITIZE_BOUNDS) {
        ok = tri_llvm_run_passes(unit->diag, unit->llvm_module, machine, "function(sroa)");
        tri_cpu_bounds_run(unit);
    }
    ok = ok && tri_llvm_run_passes(unit->diag, unit->llvm_module, machine, passes);
    ok = ok && (unit->options->opt_level == 0 || tri_cpu_reduce_loops(unit, machine));
    if (ok && (unit->options->sanitize & TRI_SANITIZE_ADDRESS))
        ok = tri_llvm_run_passes(unit->diag, unit->llvm_module, machine, "asan");
    tri_llvm_dispose_machine(machine);
    return ok;
}

/* Registers are given out in the square of a function's length. Long functions are in pieces (pieces.c), unless their
 * bounds are checked. */
static bool is_long(LLVMModuleRef module)
{
    enum { most_instructions = 20000 };
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        int64_t count = 0;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                count++;
        if (count > most_instructions)
            return true;
    }
    return false;
}

static bool emit_cpu(tri_unit *unit)
{
    bool hurries = (unit->options->sanitize & TRI_SANITIZE_BOUNDS) && is_long(unit->llvm_module);
    return tri_facts_emit_text(unit, hurries ? tri_cpu_create_linear_machine(unit) : tri_cpu_create_machine(unit),
                               tri_cpu_left_out(unit->llvm_module));
}

const tri_target tri_target_cpu = {
    .family = "cpu",
    .help = "host processors: assembly and objects",
    .accepts_list = tri_host_accepts_list,
    .check_options = tri_host_check_options,
    .default_warps = 1,
    .default_stages = 1,
    .keeps_variables = true,
    .ttir_pipeline = ttir_pipeline,
    .lower = lower,
    .optimize = optimize,
    .code_kind = "asm",
    .code_help = "assembly from LLVM IR",
    .emit = emit_cpu,
    .lowers_descriptors = true,
    .object_form = TRI_OBJECT_CODE,
};
