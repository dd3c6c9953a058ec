/* Host processors: loop nests in LLVM IR, assembly, and objects with a launcher. */
#include "targets/cpu/cpu.h"

#include "ir/context.h"
#include "ir/llvm.h"
#include "ir/readonly.h"
#include "targets/facts.h"
#include "targets/cpu/machine.h"
#include "targets/object.h"

#include "llvm-c/Target.h"

enum { number_x86 = 0, number_aarch64 = 1, number_native = 2 };

static const tri_arch archs[] = {
    {"native", number_native, NULL, NULL, NULL, 0, 0, "this host"},
    {"x86-64", number_x86, "x86-64", "", NULL, 0, 0, "any 64-bit x86 (SSE2)"},
    {"x86-64-v2", number_x86, "x86-64-v2", "", NULL, 0, 0, "x86 with SSE4.2 (2009 and later)"},
    {"x86-64-v3", number_x86, "x86-64-v3", "", NULL, 0, 0, "x86 with AVX2 and FMA (2013 and later)"},
    {"x86-64-v4", number_x86, "x86-64-v4", "", NULL, 0, 0, "x86 with AVX-512 (2017 and later)"},
    {"aarch64", number_aarch64, "generic", "+v8a,+neon", NULL, 0, 0, "64-bit Arm with NEON"},
    {0},
};

static bool is_aarch64(const tri_arch *arch)
{
#if defined(__aarch64__)
    return arch->number != number_x86;
#else
    return arch->number == number_aarch64;
#endif
}

/* What the code generator is told about the processor. */
typedef struct {
    const char *triple;
    char *cpu, *features; /* of LLVM's, when native; else null */
    bool has_f16c, has_fma;
} host;

static host host_of(const tri_arch *arch)
{
    host h = {.triple = is_aarch64(arch) ? "aarch64-unknown-linux-gnu" : "x86_64-unknown-linux-gnu"};
    if (arch->number == number_native) {
        h.cpu = LLVMGetHostCPUName();
        h.features = LLVMGetHostCPUFeatures();
        h.has_f16c = is_aarch64(arch) || strstr(h.features, "+f16c");
        h.has_fma = is_aarch64(arch) || strstr(h.features, "+fma");
    } else {
        bool is_v3 = tri_str_has_suffix(tri_str_from(arch->name), "v3") ||
                     tri_str_has_suffix(tri_str_from(arch->name), "v4");
        h.has_f16c = h.has_fma = is_v3 || is_aarch64(arch);
    }
    return h;
}

static void host_fini(host *h)
{
    if (h->cpu)
        LLVMDisposeMessage(h->cpu);
    if (h->features)
        LLVMDisposeMessage(h->features);
}

LLVMTargetMachineRef tri_cpu_create_machine(tri_unit *unit)
{
    host h = host_of(unit->arch);
    tri_llvm_start_target(is_aarch64(unit->arch) ? "aarch64" : "x86");
    LLVMTargetMachineRef machine =
        tri_llvm_create_machine(unit->diag, h.triple, h.cpu ? h.cpu : unit->arch->cpu,
                                h.features ? h.features : unit->arch->features, unit->options->opt_level);
    host_fini(&h);
    return machine;
}

const char *tri_cpu_triple(const tri_arch *arch)
{
    host h = host_of(arch ? arch : &archs[0]);
    host_fini(&h);
    return h.triple;
}

/* Generic code for this host's family: launchers of GPU objects. */
LLVMTargetMachineRef tri_cpu_create_host_machine(tri_diag *diag)
{
    bool is_arm = is_aarch64(&archs[0]);
    tri_llvm_start_target(is_arm ? "aarch64" : "x86");
    return tri_llvm_create_machine(diag, tri_cpu_triple(NULL), is_arm ? "generic" : "x86-64", "", 2);
}

void tri_cpu_start_assembler(const tri_arch *arch)
{
    if (is_aarch64(arch))
        LLVMInitializeAArch64AsmParser();
    else
        LLVMInitializeX86AsmParser();
}

static void ttir_pipeline(const tri_unit *unit, tri_buf *out)
{
    (void)unit;
    tri_buf_add_z(out, "inline,rewrite-tensor-pointer,canonicalize,cse,symbol-dce");
}

/* ---- llir ---- */

static void init(tri_cpu_gen *g, tri_unit *unit)
{
    *g = (tri_cpu_gen){.unit = unit, .arena = unit->arena, .diag = unit->diag, .llvm = unit->llvm};
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
    host h = host_of(unit->arch);
    g->has_f16c = h.has_f16c;
    g->has_fma = h.has_fma;
    host_fini(&h);
}

static void add_attribute(tri_cpu_gen *g, LLVMValueRef fn, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(g->llvm, kind, 0));
}

/* void tri_run_<symbol>(const void *const *args, uint64_t begin, uint64_t end, const uint32_t *grid, int *err):
 * programs begin..end of the grid in x-fastest order; args[i] points to argument i. */
static void make_range(tri_cpu_gen *g, MlirOperation func)
{
    LLVMTypeRef params[5] = {g->ptr, g->i64, g->i64, g->ptr, g->ptr};
    LLVMValueRef program = tri_cpu_declare(g, func);
    tri_str name = tri_str_format(g->arena, "tri_run_%.*s", TRI_STR_ARG(tri_op_symbol(func)));
    LLVMValueRef fn = LLVMAddFunction(g->module, name.data, LLVMFunctionType(g->void_type, params, 5, false));
    LLVMSetVisibility(fn, LLVMHiddenVisibility);
    add_attribute(g, fn, "nounwind");
    add_attribute(g, program, "alwaysinline");
    g->fn = fn;
    LLVMBasicBlockRef entry = tri_cpu_new_block(g, "entry"), head = tri_cpu_new_block(g, "head");
    LLVMBasicBlockRef body = tri_cpu_new_block(g, "body"), exit = tri_cpu_new_block(g, "exit");
    LLVMPositionBuilderAtEnd(g->b, entry);
    tri_cpu_lines_function(g, func);
    unsigned count = LLVMCountParams(program);
    LLVMValueRef *args = TRI_NEW_ARRAY(g->arena, LLVMValueRef, count), grid[3];
    LLVMTypeRef *types = TRI_NEW_ARRAY(g->arena, LLVMTypeRef, count);
    LLVMGetParamTypes(LLVMGlobalGetValueType(program), types);
    for (unsigned i = 0; i + 7 < count; i++) {
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
    LLVMValueRef gx = LLVMBuildZExt(g->b, grid[0], g->i64, ""), gy = LLVMBuildZExt(g->b, grid[1], g->i64, "");
    LLVMBuildBr(g->b, head);
    LLVMPositionBuilderAtEnd(g->b, head);
    LLVMValueRef i = LLVMBuildPhi(g->b, g->i64, "program");
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntULT, i, LLVMGetParam(fn, 2), ""), body, exit);
    LLVMPositionBuilderAtEnd(g->b, body);
    LLVMValueRef row = LLVMBuildUDiv(g->b, i, gx, "");
    LLVMValueRef pid[3] = {LLVMBuildURem(g->b, i, gx, ""), LLVMBuildURem(g->b, row, gy, ""),
                           LLVMBuildUDiv(g->b, row, gy, "")};
    for (unsigned d = 0; d < 3; d++)
        args[count - 7 + d] = LLVMBuildTrunc(g->b, pid[d], g->i32, "");
    LLVMBuildCall2(g->b, LLVMGlobalGetValueType(program), program, args, count, "");
    LLVMValueRef next = LLVMBuildAdd(g->b, i, tri_cpu_i64(g, 1), ""), begin = LLVMGetParam(fn, 1);
    LLVMAddIncoming(i, &begin, &entry, 1);
    LLVMAddIncoming(i, &next, &body, 1);
    LLVMBuildBr(g->b, head);
    LLVMPositionBuilderAtEnd(g->b, exit);
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
        add_attribute(g, fn, "nounwind");
        if (!tri_cpu_func(g, funcs.at[i]))
            return false;
        if (tri_op_is_kernel(funcs.at[i]))
            make_range(g, funcs.at[i]);
    }
    return true;
}

static void record_kernels(tri_unit *unit, MlirModule module)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(module), "tt.func", unit->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        if (!tri_op_is_kernel(funcs.at[i]))
            continue;
        tri_kernel *kernel = tri_facts_find_kernel(unit, tri_op_symbol(funcs.at[i]), funcs.at[i]);
        tri_readonly_mark(unit->arena, funcs.at[i], kernel);
    }
}

static bool lower(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_MLIR);
    if (!unit->llvm)
        unit->llvm = tri_context_create_llvm(unit->diag);
    LLVMTargetMachineRef machine = tri_cpu_create_machine(unit);
    if (!machine)
        return false;
    tri_cpu_gen g;
    init(&g, unit);
    g.module = LLVMModuleCreateWithNameInContext("tritcc", g.llvm);
    host h = host_of(unit->arch);
    LLVMSetTarget(g.module, h.triple);
    host_fini(&h);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(g.module, layout);
    LLVMDisposeTargetData(layout);
    LLVMDisposeTargetMachine(machine);
    g.b = LLVMCreateBuilderInContext(g.llvm);
    tri_cpu_lines_begin(&g);
    bool ok = lower_functions(&g, unit->module) && !g.failed;
    tri_cpu_lines_end(&g);
    LLVMDisposeBuilder(g.b);
    if (!ok || !tri_llvm_verify(unit->diag, g.module)) {
        LLVMDisposeModule(g.module);
        return false;
    }
    record_kernels(unit, unit->module);
    tri_unit_replace(unit, TRI_PAYLOAD_LLVM);
    unit->llvm_module = g.module;
    tri_llvm_set_kernels(unit);
    return true;
}

/* The vectors are written by us: LLVM's own vectorisers and unrolling of block loops are left out. */
static const char pipeline[] =
    "always-inline,globaldce,function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-simplifycfg,licm,loop-rotate,licm),gvn,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop(indvars,loop-deletion),bdce,dse,adce,instcombine<no-verify-fixpoint>,simplifycfg),globaldce";

/* runtime/vmath, as bitcode without a processor; made by runtime/runtime.mk */
extern const char tri_vmath_bitcode[], tri_vmath_bitcode_end[];

static bool link_vmath(tri_unit *unit)
{
    bool is_needed = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->llvm_module); f && !is_needed; f = LLVMGetNextFunction(f)) {
        tri_str name = tri_str_from(LLVMGetValueName(f));
        is_needed = LLVMIsDeclaration(f) &&
                    (tri_str_has_prefix(name, "tri_vm_") || tri_str_has_prefix(name, "tri_nv_"));
    }
    tri_str bitcode = {tri_vmath_bitcode, (size_t)(tri_vmath_bitcode_end - tri_vmath_bitcode)};
    return !is_needed || tri_llvm_link_bitcode(unit->diag, unit->llvm_module, bitcode, true);
}

static bool optimize(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_LLVM);
    if (!link_vmath(unit))
        return false;
    LLVMTargetMachineRef machine = tri_cpu_create_machine(unit);
    if (!machine)
        return false;
    const char *passes = unit->options->opt_level > 0 ? pipeline : "always-inline,globaldce";
    bool ok = tri_llvm_run_passes(unit->diag, unit->llvm_module, machine, passes);
    LLVMDisposeTargetMachine(machine);
    return ok;
}

static bool emit(tri_unit *unit)
{
    return tri_facts_emit_text(unit, tri_cpu_create_machine(unit));
}

static bool object(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_BYTES);
    return tri_facts_parse(unit, tri_buf_str(&unit->bytes)) && tri_object_from_asm(unit);
}

const tri_target tri_target_cpu = {
    .family = "cpu",
    .help = "host processors: assembly and objects",
    .archs = archs,
    .default_arch = &archs[0],
    .warp_size = 1,
    .default_warps = 1,
    .default_stages = 1,
    .ttir_pipeline = ttir_pipeline,
    .lower = lower,
    .optimize = optimize,
    .code_kind = "asm",
    .emit = emit,
    .object = object,
};
