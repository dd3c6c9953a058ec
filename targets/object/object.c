/* Objects: the launchers and tables of each kernel, the code, and the runtime. */
#include "targets/object/writer.h"

#include "ir/context.h"
#include "ir/llvm.h"
#include "targets/cpu/host.h"
#include "targets/cpu/machine.h"

#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

/* Names with a dot: kernels are called as they like. */
static const char *own_name(tri_writer *w, const char *name) { return tri_str_format(w->arena, "tri.%s", name).data; }

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

/* The part whose code is the host's own; null: objects for devices only are for this host. */
static const tri_part *host_part(const tri_bundle *bundle)
{
    for (size_t i = 0; i < bundle->parts.len; i++)
        if (bundle->parts.at[i].unit->target->object_form == TRI_OBJECT_CODE)
            return &bundle->parts.at[i];
    return NULL;
}

/* Appends the code of the host's units to the module's assembly, and returns all of it. */
static tri_str add_host_code(tri_writer *w)
{
    size_t number = 0;
    tri_buf all = {0};
    for (size_t i = 0; i < w->bundle->parts.len; i++) {
        const tri_part *part = &w->bundle->parts.at[i];
        if (part->unit->target->object_form == TRI_OBJECT_CODE)
            tri_buf_add_str(&all, tri_writer_version(w, tri_writer_separate(w, part->code, number++)));
    }
    tri_str code = tri_str_copy(w->arena, tri_buf_str(&all));
    tri_buf_fini(&all);
    LLVMAppendModuleInlineAsm(w->module, code.data, code.len);
    return code;
}

static bool write_with(tri_writer *w, const char *triple, LLVMTargetMachineRef machine, tri_buf *out)
{
    w->module = LLVMModuleCreateWithNameInContext("tritcc", w->llvm);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetTarget(w->module, triple);
    LLVMSetModuleDataLayout(w->module, layout);
    LLVMDisposeTargetData(layout);
    tri_str code = add_host_code(w);
    if (!make_kernels(w))
        return false;
    tri_writer_add_runtime(w, triple, code);
    return tri_llvm_verify(w->diag, w->module) && tri_llvm_emit(w->diag, w->module, machine, LLVMObjectFile, out);
}

bool tri_object_write(const tri_bundle *bundle, tri_buf *out)
{
    tri_writer w;
    const tri_part *host = host_part(bundle);
    const tri_machine_facts *arch = host ? host->unit->arch : NULL;
    init(&w, bundle);
    LLVMTargetMachineRef machine =
        host ? tri_cpu_create_launch_machine(host->unit) : tri_cpu_create_host_machine(w.diag);
    bool ok = machine && write_with(&w, tri_cpu_triple(arch), machine, out);
    tri_llvm_dispose_machine(machine);
    fini(&w);
    return ok;
}
