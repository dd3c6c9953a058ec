/* Objects: the runtime's bitcode, the launchers and tables of each kernel, and the code. */
#include "targets/object/writer.h"

#include "ir/context.h"
#include "ir/llvm.h"
#include "ir/options.h"
#include "targets/cpu/host.h"
#include "targets/cpu/machine.h"

#include "llvm-c/BitReader.h"
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

/* runtime/launch, as bitcode; made by runtime/runtime.mk */
extern const char tri_launch_bitcode[], tri_launch_bitcode_end[];

/* ---- the runtime ---- */

/* What other objects and programs may see; the rest of the runtime is of each link. */
static bool is_public(const char *name)
{
    static const char *const names[] = {"tri_strerror", "tri_select", "tri_rt_chosen_kind", "tri_threads",
                                        "tri_rt_asked_threads", "tritcc_kernel_find", "tritcc_kernel_next"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Names with a dot: kernels are called as they like. */
static const char *own_name(tri_writer *w, const char *name) { return tri_str_format(w->arena, "tri.%s", name).data; }

static void share(tri_writer *w, LLVMValueRef value)
{
    if (LLVMGetLinkage(value) == LLVMInternalLinkage || LLVMGetLinkage(value) == LLVMPrivateLinkage) {
        const char *name = own_name(w, LLVMGetValueName(value));
        LLVMSetValueName2(value, name, strlen(name));
    }
    if (LLVMIsDeclaration(value) || LLVMGetLinkage(value) != LLVMExternalLinkage)
        return;
    LLVMSetLinkage(value, LLVMLinkOnceODRLinkage);
    if (!is_public(LLVMGetValueName(value)))
        LLVMSetVisibility(value, LLVMHiddenVisibility);
}

/* What no launch goes through: texts, lookups, loading, measuring, threads that begin and end, what is printed. */
static bool is_seldom_run(tri_str name)
{
    static const char *const names[] = {
        "tri_strerror", "put",  "tritcc_kernel_", "tri_threads", "tri_select",  "tri_rt_load",      "tri_rt_unload",
        "tri_rt_tune",  "load", "unload",         "time_",       "selected_",   "tri_rt_selected",  "arch_of_",
        "open_driver",  "hold", "let_go",         "arch_number", "tri_rt_cuda", "tri_rt_rank",      "best_image",
        "choose_image", "end",  "start",          "serve",       "wake",        "sleep_",           "forget_",
        "print_",       "find_level",             "query",       "ask_for_",    "find_tile_level",  "tri_cpu_rt_print",
        "tri_cpu_rt_assert", "tri_cpu_rt_bounds", "tri_cpu_rt_undefined",       "drop_unused",      "get_function"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_str_has_prefix(name, names[i]))
            return true;
    return false;
}

/* It was optimised when it was made into bitcode; generating its code without haste is a third of an object's time. */
static void hurry(tri_writer *w, LLVMValueRef function)
{
    static const char *const names[] = {"optnone", "noinline"};
    if (LLVMIsDeclaration(function) || !is_seldom_run(tri_str_from(LLVMGetValueName(function))))
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(w->llvm, kind, 0));
    }
}

static bool load_runtime(tri_writer *w, const char *triple, LLVMTargetMachineRef machine)
{
    size_t size = (size_t)(tri_launch_bitcode_end - tri_launch_bitcode);
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(tri_launch_bitcode, size, "launch");
    bool failed = LLVMParseBitcodeInContext2(w->llvm, buffer, &w->module);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed) {
        tri_diag_error(w->diag, TRI_NO_SPAN, 8001, "the launcher's bitcode cannot be read");
        return false;
    }
    LLVMSetModuleIdentifier(w->module, "tritcc", 6);
    LLVMSetSourceFileName(w->module, "tritcc", 6);
    LLVMSetTarget(w->module, triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(w->module, layout);
    LLVMDisposeTargetData(layout);
    static const char *const host_only[] = {"target-cpu", "target-features", "tune-cpu"};
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f)) {
        for (size_t i = 0; i < sizeof host_only / sizeof *host_only; i++)
            LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, host_only[i],
                                             (unsigned)strlen(host_only[i]));
        hurry(w, f);
        share(w, f);
    }
    for (LLVMValueRef v = LLVMGetFirstGlobal(w->module); v; v = LLVMGetNextGlobal(v))
        share(w, v);
    return true;
}

/* ---- data ---- */

LLVMValueRef tri_writer_constant(tri_writer *w, LLVMValueRef init, const char *name)
{
    LLVMValueRef global = LLVMAddGlobal(w->module, LLVMTypeOf(init), own_name(w, name));
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

LLVMValueRef tri_writer_text(tri_writer *w, tri_str text)
{
    LLVMValueRef global =
        tri_writer_constant(w, LLVMConstStringInContext2(w->llvm, text.data, text.len, false), "text");
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    return global;
}

LLVMValueRef tri_writer_array(tri_writer *w, LLVMTypeRef type, LLVMValueRef *values, size_t count, const char *name)
{
    return count ? tri_writer_constant(w, LLVMConstArray2(type, values, count), name) : NULL;
}

LLVMValueRef tri_writer_state(tri_writer *w, LLVMTypeRef type, size_t count, const char *name)
{
    LLVMTypeRef array = LLVMArrayType2(type, count);
    LLVMValueRef global = LLVMAddGlobal(w->module, array, own_name(w, name));
    LLVMSetInitializer(global, LLVMConstNull(array));
    LLVMSetLinkage(global, LLVMInternalLinkage);
    return global;
}

/* ---- the whole object ---- */

static void init(tri_writer *w, const tri_bundle *bundle)
{
    LLVMContextRef c = bundle->parts.at[0].unit->llvm;
    *w = (tri_writer){.bundle = bundle, .arena = bundle->arena, .diag = bundle->diag, .llvm = c};
    w->i8 = LLVMInt8TypeInContext(c);
    w->i16 = LLVMInt16TypeInContext(c);
    w->i32 = LLVMInt32TypeInContext(c);
    w->i64 = LLVMInt64TypeInContext(c);
    w->f32 = LLVMFloatTypeInContext(c);
    w->f64 = LLVMDoubleTypeInContext(c);
    w->ptr = LLVMPointerTypeInContext(c, 0);
    w->b = LLVMCreateBuilderInContext(c);
}

static void fini(tri_writer *w)
{
    LLVMDisposeBuilder(w->b);
    if (w->module)
        LLVMDisposeModule(w->module);
}

/* These must be in the object even if nothing here calls them. */
static void keep_public(tri_writer *w)
{
    static const char *const names[] = {"tri_strerror", "tri_select", "tri_threads", "tritcc_kernel_find",
                                        "tritcc_kernel_next"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        LLVMSetLinkage(LLVMGetNamedFunction(w->module, names[i]), LLVMWeakODRLinkage);
}

/* Runtime functions that the assembly calls have no use that LLVM sees. */
static void keep_called(tri_writer *w, tri_str assembly)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f)) {
        tri_str name = tri_str_from(LLVMGetValueName(f));
        if (tri_str_has_prefix(name, "tri_cpu_rt_") && memmem(assembly.data, assembly.len, name.data, name.len))
            LLVMSetLinkage(f, LLVMWeakODRLinkage);
    }
}

/* -fopenmp makes the link fail without OpenMP, -fno-openmp forgets about it; either way this object keeps
 * its own back end, as others may be compiled otherwise. */
static void choose_openmp(tri_writer *w)
{
    static const char *const names[] = {"GOMP_parallel", "omp_get_max_threads", "omp_in_parallel"};
    int openmp = w->bundle->options->openmp;
    if (!openmp)
        return;
    LLVMSetLinkage(LLVMGetNamedGlobal(w->module, "tri_rt_cpu_backend"), LLVMInternalLinkage);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef fn = LLVMGetNamedFunction(w->module, names[i]);
        TRI_ASSERT(fn);
        if (openmp > 0)
            LLVMSetLinkage(fn, LLVMExternalLinkage);
        else
            LLVMReplaceAllUsesWith(fn, LLVMConstNull(w->ptr));
    }
}

/* What --inspect reads, in a section that is not loaded. */
static void describe(tri_writer *w, const tri_object_kernels *kernels)
{
    tri_buf text = {0}, assembly = {0};
    for (size_t i = 0; i < kernels->len; i++)
        tri_writer_describe(w, &kernels->at[i], &text);
    tri_buf_add_z(&assembly, "\t.section .tritcc,\"\",@progbits\n\t.ascii \"");
    for (size_t i = 0; i < text.len; i++)
        tri_buf_format(&assembly, "\\%03o", (unsigned)(unsigned char)text.data[i]);
    tri_buf_add_z(&assembly, "\"\n\t.text\n");
    LLVMAppendModuleInlineAsm(w->module, assembly.data, assembly.len);
    tri_buf_fini(&text);
    tri_buf_fini(&assembly);
}

/* ---- releases side by side ---- */

/* The functions of the runtime carry the ABI that they are of ("tri_rt3_launch"), for a link takes one of each name.
 * What they keep for the process has one name for all releases, and one meaning. */
static bool is_versioned(tri_str name)
{
    return (tri_str_has_prefix(name, "tri_rt_") || tri_str_has_prefix(name, "tri_cpu_rt_")) && !is_public(name.data);
}

static tri_str versioned_name(tri_arena *arena, tri_str name)
{
    size_t end = tri_str_has_prefix(name, "tri_rt_") ? strlen("tri_rt") : strlen("tri_cpu_rt");
    return tri_str_format(arena, "%.*s%d%.*s", (int)end, name.data, TRI_RT_ABI, (int)(name.len - end), name.data + end);
}

static void version_value(tri_writer *w, LLVMValueRef value)
{
    tri_str name = tri_str_from(LLVMGetValueName(value));
    if (!is_versioned(name))
        return;
    tri_str versioned = versioned_name(w->arena, name);
    LLVMSetValueName2(value, versioned.data, versioned.len);
}

static void version_values(tri_writer *w)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f))
        version_value(w, f);
    for (LLVMValueRef v = LLVMGetFirstGlobal(w->module); v; v = LLVMGetNextGlobal(v))
        version_value(w, v);
}

/* The names that assembly calls: all start so. */
static tri_str version_assembly(tri_writer *w, tri_str code)
{
    static const char prefix[] = "tri_cpu_rt_";
    tri_buf out = {0};
    for (tri_str rest = code; rest.len;) {
        const char *at = memmem(rest.data, rest.len, prefix, sizeof prefix - 1);
        size_t before = at ? (size_t)(at - rest.data) : rest.len;
        tri_buf_add_str(&out, tri_str_sub(rest, 0, before));
        if (at)
            tri_buf_add_str(&out, versioned_name(w->arena, tri_str_from(prefix)));
        rest = tri_str_sub(rest, before + (at ? sizeof prefix - 1 : 0), rest.len);
    }
    tri_str copy = tri_str_copy(w->arena, tri_buf_str(&out));
    tri_buf_fini(&out);
    return copy;
}

static bool make_kernels(tri_writer *w)
{
    tri_object_kernels kernels = tri_object_list_kernels(w->bundle);
    describe(w, &kernels);
    for (size_t i = 0; i < kernels.len; i++)
        if (!tri_writer_functions(w, &kernels.at[i]))
            return false;
    tri_writer_register(w, &kernels);
    return true;
}

static bool finish(tri_writer *w, LLVMTargetMachineRef machine, tri_buf *out)
{
    keep_public(w);
    choose_openmp(w);
    if (!make_kernels(w))
        return false;
    version_values(w);
    return tri_llvm_verify(w->diag, w->module) &&
           tri_llvm_run_passes(w->diag, w->module, machine, "globaldce,function(sroa,early-cse,simplifycfg)") &&
           tri_llvm_emit(w->diag, w->module, machine, LLVMObjectFile, out);
}

/* The part whose code is the host's own; null: objects for devices only are for this host. */
static const tri_part *host_part(const tri_bundle *bundle)
{
    for (size_t i = 0; i < bundle->parts.len; i++)
        if (bundle->parts.at[i].unit->target->object_form == TRI_OBJECT_CODE)
            return &bundle->parts.at[i];
    return NULL;
}

static void add_host_code(tri_writer *w)
{
    size_t number = 0;
    for (size_t i = 0; i < w->bundle->parts.len; i++) {
        const tri_part *part = &w->bundle->parts.at[i];
        if (part->unit->target->object_form != TRI_OBJECT_CODE)
            continue;
        tri_str code = tri_writer_separate(w, part->code, number++);
        keep_called(w, code);
        code = version_assembly(w, code);
        LLVMAppendModuleInlineAsm(w->module, code.data, code.len);
    }
}

bool tri_object_write(const tri_bundle *bundle, tri_buf *out)
{
    tri_writer w;
    const tri_part *host = host_part(bundle);
    const tri_machine_facts *arch = host ? host->unit->arch : NULL;
    init(&w, bundle);
    tri_cpu_start_assembler(arch ? arch : tri_machines_first("cpu"));
    LLVMTargetMachineRef machine =
        host ? tri_cpu_create_launch_machine(host->unit) : tri_cpu_create_host_machine(w.diag);
    bool ok = machine && load_runtime(&w, tri_cpu_triple(arch), machine);
    if (ok && host)
        add_host_code(&w);
    ok = ok && finish(&w, machine, out);
    if (machine)
        LLVMDisposeTargetMachine(machine);
    fini(&w);
    return ok;
}
