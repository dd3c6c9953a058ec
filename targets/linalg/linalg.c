/* Structured code for other compilers, in MLIR's own dialects; and its way to code for this host, by which kernels
 * run through that form. */
#include "targets/linalg/structured.h"

#include "ir/context.h"
#include "ir/kernel.h"
#include "ir/linalg.h"
#include "ir/llvm.h"
#include "ir/op.h"
#include "ir/options.h"
#include "ir/upstream.h"
#include "targets/cpu/machine.h"
#include "targets/facts.h"
#include "targets/library.h"
#include "targets/linalg/messages.h"

#include "llvm-c/Core.h"

#include <string.h>

void tri_linalg_ttir_pipeline(const tri_unit *unit, tri_buf *out)
{
    (void)unit;
    tri_buf_add_z(
        out,
        "lift-cf-to-scf,inline{all=1},rewrite-tensor-pointer,rewrite-tensor-descriptor-to-pointer,decompose-dot-scaled,"
        "canonicalize,combine,cse,symbol-dce");
}

static void linalg_pipeline(const tri_unit *unit, tri_buf *out)
{
    (void)unit;
    tri_buf_add_z(out, "triton-to-linalg,canonicalize,cse");
}

/* Buffers first, then loops, then LLVM. Copies are loops too: MLIR's own call for them takes ten times as long. What
 * is computed in bf16 is computed in f32: the machines' own instructions take small numbers for 0. */
static const char to_buffers[] = "func.func(convert-elementwise-to-linalg,linalg-fuse-elementwise-ops),canonicalize,"
                                 "cse,empty-tensor-to-alloc-tensor,"
                                 "one-shot-bufferize{allow-return-allocs-from-loops=true},canonicalize,cse,func.func("
                                 "buffer-hoisting,buffer-loop-hoisting,"
                                 "promote-buffers-to-stack{max-alloc-size-in-bytes=262144})";
static const char to_loops[] = "func.func(convert-linalg-to-loops,math-extend-to-supported-types,"
                               "arith-emulate-unsupported-floats{source-types=bf16 target-type=f32})";
static const char to_llvm[] =
    "expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "arith-expand{include-bf16=true},memref-expand,convert-math-to-llvm{approximate-log1p=false},convert-math-to-libm,"
    "convert-to-llvm,"
    "reconcile-unrealized-casts";

/* Where arguments of tri_run_<symbol> become those of the program. */
typedef struct {
    tri_unit *unit;
    LLVMBuilderRef b;
    LLVMValueRef fn, program;
    LLVMTypeRef i32, i64, ptr;
    LLVMValueRef *args;
    unsigned count;
    bool ends; /* where an assertion fails: it takes the error slot, too */
} wrapper;

static LLVMValueRef number(const wrapper *w, uint64_t value) { return LLVMConstInt(w->i64, value, false); }

static LLVMValueRef load_at(wrapper *w, LLVMTypeRef type, LLVMValueRef base, uint64_t bytes)
{
    LLVMValueRef at = number(w, bytes);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(w->unit->llvm);
    return LLVMBuildLoad2(w->b, type, LLVMBuildGEP2(w->b, i8, base, &at, 1, ""), "");
}

/* memref<?xT>: what was allocated, where it is aligned, offset, size, stride. */
static void add_memref(wrapper *w, LLVMValueRef pointer)
{
    LLVMValueRef parts[5] = {pointer, pointer, number(w, 0), number(w, INT64_MAX), number(w, 1)};
    for (int i = 0; i < 5; i++)
        w->args[w->count++] = parts[i];
}

/* A tri_tensordesc (include/tritcc/launch.h) as the parameters that rewrite-tensor-descriptor-to-pointer makes of it.
 */
static void add_descriptor(wrapper *w, LLVMValueRef slot, int rank)
{
    enum { at_shape = 8, at_strides = 48, at_padding = 88 };
    LLVMTypeRef i1 = LLVMInt1TypeInContext(w->unit->llvm);
    add_memref(w, load_at(w, w->ptr, slot, 0));
    for (int i = 0; i < 2 * rank; i++)
        w->args[w->count++] =
            load_at(w, w->i64, slot, (uint64_t)(i < rank ? at_shape + 8 * i : at_strides + 8 * (i - rank)));
    LLVMValueRef padding = load_at(w, w->i32, slot, at_padding);
    w->args[w->count++] = LLVMBuildICmp(w->b, LLVMIntNE, padding, LLVMConstNull(w->i32), "");
    w->args[w->count++] = LLVMConstNull(i1);
}

static int descriptor_rank(tri_str type)
{
    int rank = 1;
    size_t open = tri_str_find(type, '[');
    for (size_t i = open; i < type.len && type.data[i] != ']'; i++)
        rank += type.data[i] == ',';
    return rank;
}

static LLVMValueRef address_of_slot(wrapper *w, unsigned slot)
{
    LLVMValueRef at = number(w, slot), where = LLVMBuildGEP2(w->b, w->ptr, LLVMGetParam(w->fn, 0), &at, 1, "");
    return LLVMBuildLoad2(w->b, w->ptr, where, "");
}

/* Returns the slot of the next parameter: behind a descriptor's are those of its extents and strides once more. */
static unsigned add_parameter(wrapper *w, const tri_kernel_param *param, unsigned slot)
{
    LLVMValueRef address = address_of_slot(w, slot++);
    if (tri_str_has_prefix(param->type, "tensordesc")) {
        int rank = descriptor_rank(param->type);
        add_descriptor(w, LLVMBuildLoad2(w->b, w->ptr, address, ""), rank);
        for (int i = 0; i < 2 * rank; i++)
            w->args[w->count++] = LLVMBuildLoad2(w->b, i < rank ? w->i32 : w->i64, address_of_slot(w, slot++), "");
    } else if (tri_str_has_prefix(param->type, "*")) {
        add_memref(w, LLVMBuildLoad2(w->b, w->ptr, address, ""));
    } else {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(w->program, w->count));
        bool is_bit = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
        LLVMTypeRef stored = is_bit ? LLVMInt8TypeInContext(w->unit->llvm) : type;
        LLVMValueRef value = LLVMBuildLoad2(w->b, stored, address, "");
        w->args[w->count++] = is_bit ? LLVMBuildICmp(w->b, LLVMIntNE, value, LLVMConstNull(stored), "") : value;
    }
    return slot;
}

/* Text for Ascend has two arrays in front, locks and workspace, of which the host needs neither. */
static bool has_workspace(tri_unit *unit, tri_str symbol)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(unit->module), "llvm.func", unit->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        if (tri_str_equal(tri_op_symbol(funcs.at[i]), symbol))
            return !mlirAttributeIsNull(tri_op_attr(funcs.at[i], "WorkspaceArgIdx"));
    return false;
}

static void add_arguments(wrapper *w, const tri_kernel *kernel)
{
    unsigned slot = 0;
    for (int i = 0; i < 2 && has_workspace(w->unit, kernel->symbol); i++)
        add_memref(w, LLVMConstNull(w->ptr));
    for (size_t i = 0; i < kernel->params.len; i++)
        if (!kernel->params.at[i].is_constexpr)
            slot = add_parameter(w, &kernel->params.at[i], slot);
}

/* for (i = begin; i < end; i++) program(args..., grid, number of program i) */
static void add_loop(wrapper *w)
{
    LLVMContextRef c = w->unit->llvm;
    LLVMValueRef grid[3], pid[3];
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(w->b), head = LLVMAppendBasicBlockInContext(c, w->fn, "head");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(c, w->fn, "body"),
                      exit = LLVMAppendBasicBlockInContext(c, w->fn, "exit");
    for (unsigned i = 0; i < 3; i++)
        w->args[w->count++] = grid[i] = load_at(w, w->i32, LLVMGetParam(w->fn, 3), 4 * i);
    LLVMValueRef gx = LLVMBuildZExt(w->b, grid[0], w->i64, ""), gy = LLVMBuildZExt(w->b, grid[1], w->i64, ""),
                 begin = LLVMGetParam(w->fn, 1);
    LLVMBuildBr(w->b, head);
    LLVMPositionBuilderAtEnd(w->b, head);
    LLVMValueRef i = LLVMBuildPhi(w->b, w->i64, "program");
    LLVMBuildCondBr(w->b, LLVMBuildICmp(w->b, LLVMIntULT, i, LLVMGetParam(w->fn, 2), ""), body, exit);
    LLVMPositionBuilderAtEnd(w->b, body);
    LLVMValueRef row = LLVMBuildUDiv(w->b, i, gx, "");
    pid[0] = LLVMBuildURem(w->b, i, gx, "");
    pid[1] = LLVMBuildURem(w->b, row, gy, "");
    pid[2] = LLVMBuildUDiv(w->b, row, gy, "");
    for (int d = 0; d < 3; d++)
        w->args[w->count++] = LLVMBuildTrunc(w->b, pid[d], w->i32, "");
    if (w->ends)
        w->args[w->count++] = LLVMGetParam(w->fn, 4);
    LLVMBuildCall2(w->b, LLVMGlobalGetValueType(w->program), w->program, w->args, w->count, "");
    LLVMValueRef next = LLVMBuildAdd(w->b, i, number(w, 1), "");
    LLVMAddIncoming(i, &begin, &entry, 1);
    LLVMAddIncoming(i, &next, &body, 1);
    LLVMBuildBr(w->b, head);
    LLVMPositionBuilderAtEnd(w->b, exit);
    LLVMBuildRetVoid(w->b);
}

/* The entry that launchers call (runtime/launch/launch.h, tri_rt_range). */
static bool add_entry(tri_unit *unit, LLVMModuleRef module, const tri_kernel *kernel, const tri_messages *messages)
{
    LLVMContextRef c = unit->llvm;
    enum { cost = 1 << 20 }; /* of a program, in cycles: not estimated here */
    wrapper w = {.unit = unit,
                 .i32 = LLVMInt32TypeInContext(c),
                 .i64 = LLVMInt64TypeInContext(c),
                 .ptr = LLVMPointerTypeInContext(c, 0)};
    w.program = LLVMGetNamedFunction(module, tri_str_copy(unit->arena, kernel->symbol).data);
    tri_str name = tri_str_format(unit->arena, "tri_run_%.*s", TRI_STR_ARG(kernel->symbol));
    if (!w.program || LLVMGetNamedFunction(module, name.data)) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 5011, "the input has no function of kernel '%.*s'",
                       TRI_STR_ARG(kernel->symbol));
        return false;
    }
    tri_str inner = tri_str_format(unit->arena, "tri_program_%.*s", TRI_STR_ARG(kernel->symbol));
    LLVMSetValueName2(w.program, inner.data, inner.len);
    LLVMSetLinkage(w.program, LLVMInternalLinkage);
    w.ends = tri_messages_have_asserts(messages);
    if (w.ends) {
        w.program = tri_linalg_add_pointer(w.program);
        tri_messages_check(unit, module, messages, w.program);
    }
    LLVMTypeRef params[5] = {w.ptr, w.i64, w.i64, w.ptr, w.ptr};
    w.fn = LLVMAddFunction(module, name.data, LLVMFunctionType(LLVMVoidTypeInContext(c), params, 5, false));
    LLVMSetVisibility(w.fn, LLVMHiddenVisibility);
    LLVMSetPrefixData(w.fn, number(&w, cost));
    w.args = TRI_NEW_ARRAY(unit->arena, LLVMValueRef, LLVMCountParams(w.program) + 64);
    w.b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(w.b, LLVMAppendBasicBlockInContext(c, w.fn, "entry"));
    add_arguments(&w, kernel);
    bool ok = w.count + 6 + w.ends == LLVMCountParams(w.program);
    if (ok)
        add_loop(&w);
    else
        tri_diag_error(unit->diag, TRI_NO_SPAN, 5011, "'%.*s' does not take what the description of its kernel says",
                       TRI_STR_ARG(kernel->symbol));
    LLVMDisposeBuilder(w.b);
    return ok;
}

static LLVMModuleRef translate(tri_unit *unit)
{
    tri_linalg_prepare(unit->mlir);
    if (!tri_upstream_run(unit->module, to_buffers, unit->diag))
        return NULL;
    tri_linalg_copies(unit->module);
    if (!tri_upstream_run(unit->module, to_loops, unit->diag))
        return NULL;
    tri_linalg_float_exchanges(unit->module);
    tri_linalg_library_calls(unit->module);
    tri_linalg_extremes(unit->module);
    tri_linalg_keep_roundings(unit->module);
    if (!tri_upstream_run(unit->module, to_llvm, unit->diag))
        return NULL;
    return tri_linalg_translate(unit->module, unit->llvm);
}

static const char memory_prefix[] = "tritcc_memory_";

/* {address, address, 0, {most}, {1}}: the memref<?xT> at an address. */
static void define_memory(LLVMModuleRef module, LLVMValueRef fn)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, fn, "entry"));
    LLVMValueRef at = LLVMBuildIntToPtr(b, LLVMGetParam(fn, 0), LLVMPointerTypeInContext(c, 0), "");
    LLVMValueRef most = LLVMConstInt(i64, INT64_MAX, false), one = LLVMConstInt(i64, 1, false);
    LLVMValueRef parts[] = {at, at, LLVMConstNull(i64), LLVMConstArray2(i64, &most, 1), LLVMConstArray2(i64, &one, 1)};
    LLVMValueRef made = LLVMGetPoison(LLVMGetReturnType(LLVMGlobalGetValueType(fn)));
    for (unsigned i = 0; i < 5; i++)
        made = LLVMBuildInsertValue(b, made, parts[i], i, "");
    LLVMBuildRet(b, made);
    LLVMDisposeBuilder(b);
}

static void define_memories(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f) && tri_str_has_prefix(tri_str_from(LLVMGetValueName(f)), memory_prefix))
            define_memory(module, f);
}

/* Functions without body are those of libraries, messages, and those that give memory at an address. */
static void note_calls(tri_unit *unit, tri_op_list *funcs, tri_library_calls *calls, tri_messages *messages)
{
    for (size_t i = 0; i < funcs->len; i++)
        if (mlirBlockIsNull(tri_op_body(funcs->at[i], 0)) &&
            !tri_str_has_prefix(tri_op_symbol(funcs->at[i]), memory_prefix) &&
            !tri_messages_note(unit, funcs->at[i], messages)) {
            tri_library_call call = {tri_str_copy(unit->arena, tri_op_symbol(funcs->at[i])),
                                     tri_op_string(funcs->at[i], "tritcc.libname"),
                                     tri_op_string(funcs->at[i], "tritcc.libpath"),
                                     mlirOperationGetLocation(funcs->at[i]), false};
            tri_vec_push(unit->arena, calls, call);
        }
}

static bool link_libraries(tri_unit *unit, LLVMModuleRef module, tri_library_calls *calls)
{
    tri_library_job job = {unit, module, calls, .triple = tri_cpu_triple(unit->arch)};
    return !calls->len || (tri_library_link(&job) && tri_library_link_device(&job) && tri_library_check(&job));
}

/* LLVM moves a bf16 through f32 where the processor has instructions for that, which take small numbers for 0: here
 * it has none, and such values are moved as the words they are. */
static void move_bf16_as_words(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    if (!strncmp(tri_cpu_triple(NULL), "aarch64", 7))
        return;
    char *given = LLVMGetTargetMachineFeatureString(machine), *cpu = LLVMGetTargetMachineCPU(machine);
    tri_buf features = {0};
    tri_buf_format(&features, "%s%s-avx512bf16,-avxneconvert,-avx10.2", given,
                   *given && given[strlen(given) - 1] != ',' ? "," : "");
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) {
            LLVMAddTargetDependentFunctionAttr(f, "target-cpu", cpu);
            LLVMAddTargetDependentFunctionAttr(f, "target-features", features.data);
        }
    tri_buf_fini(&features);
    LLVMDisposeMessage(given);
    LLVMDisposeMessage(cpu);
}

static bool lower(tri_unit *unit)
{
    tri_op_list funcs = {0};
    tri_library_calls calls = {0};
    tri_messages messages = {0};
    tri_op_collect_named(mlirModuleGetOperation(unit->module), "func.func", unit->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        if (!mlirAttributeIsNull(tri_op_attr(funcs.at[i], "tritcc.kernel")))
            tri_facts_find_kernel(unit, tri_op_symbol(funcs.at[i]), funcs.at[i]);
    note_calls(unit, &funcs, &calls, &messages);
    if (!unit->llvm)
        unit->llvm = tri_context_create_llvm(unit->diag);
    size_t errors = tri_diag_error_count(unit->diag);
    LLVMModuleRef module = translate(unit);
    if (!module) {
        if (tri_diag_error_count(unit->diag) == errors)
            tri_diag_error(unit->diag, TRI_NO_SPAN, 6002, "MLIR's passes do not bring this module to LLVM IR");
        return false;
    }
    LLVMTargetMachineRef machine = tri_cpu_create_machine(unit);
    bool ok = machine != NULL;
    if (ok) {
        LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
        LLVMSetTarget(module, tri_cpu_triple(unit->arch));
        LLVMSetModuleDataLayout(module, layout);
        LLVMDisposeTargetData(layout);
    }
    for (size_t i = 0; ok && i < unit->kernels.len; i++)
        ok = add_entry(unit, module, &unit->kernels.at[i], &messages);
    tri_messages_define(module, &messages);
    define_memories(module);
    ok = ok && link_libraries(unit, module, &calls);
    if (ok)
        move_bf16_as_words(module, machine);
    tri_llvm_dispose_machine(machine);
    if (!ok || (unit->options->verify_each && !tri_llvm_verify(unit->diag, module))) {
        LLVMDisposeModule(module);
        return false;
    }
    tri_unit_replace(unit, TRI_PAYLOAD_LLVM);
    unit->llvm_module = module;
    tri_llvm_set_kernels(unit);
    return true;
}

static bool optimize(tri_unit *unit)
{
    LLVMTargetMachineRef machine = tri_cpu_create_machine(unit);
    bool ok = machine && tri_llvm_run_passes(unit->diag, unit->llvm_module, machine,
                                             unit->options->opt_level > 0 ? "default<O3>" : "default<O0>");
    tri_llvm_dispose_machine(machine);
    return ok;
}

static bool emit_linalg(tri_unit *unit) { return tri_facts_emit_text(unit, tri_cpu_create_machine(unit), NULL); }

const tri_target tri_target_linalg = {
    .family = "linalg",
    .help = "structured code in MLIR's own dialects, for other compilers; and through it for this host",
    .default_warps = 1,
    .default_stages = 1,
    .ttir_pipeline = tri_linalg_ttir_pipeline,
    .linalg_pipeline = linalg_pipeline,
    .lower = lower,
    .optimize = optimize,
    .code_kind = "asm",
    .code_help = "assembly from LLVM IR",
    .emit = emit_linalg,
    .object_form = TRI_OBJECT_CODE,
};
