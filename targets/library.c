#include "targets/library.h"

#include "base/file.h"
#include "base/map.h"
#include "ir/llvm.h"
#include "ir/location.h"
#include "ir/op.h"
#include "ir/options.h"

#include "llvm-c/BitReader.h"
#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"
#include "llvm-c/Linker.h"

#include <string.h>

enum { code_library = 7003 };

static tri_str name_of(LLVMValueRef value)
{
    tri_str name;
    name.data = LLVMGetValueName2(value, &name.len);
    return name;
}

void tri_library_note(tri_unit *unit, tri_library_calls *calls, tri_str symbol, MlirOperation op)
{
    tri_library_call call = {tri_str_copy(unit->arena, symbol), tri_op_string(op, "libname"),
                             tri_op_string(op, "libpath"), mlirOperationGetLocation(op), false};
    for (size_t i = 0; i < calls->len; i++)
        if (tri_str_equal(calls->at[i].symbol, call.symbol))
            return;
    tri_vec_push(unit->arena, calls, call);
}

bool tri_library_error(const tri_library_job *job, tri_str symbol, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(job->unit->arena, format, args);
    va_end(args);
    for (size_t i = 0; i < job->calls->len; i++) {
        const tri_library_call *call = &job->calls->at[i];
        if (symbol.len && !tri_str_equal(call->symbol, symbol))
            continue;
        tri_location_error(job->unit->diag, call->at, code_library, text);
        return false;
    }
    tri_diag_error(job->unit->diag, TRI_NO_SPAN, code_library, "%.*s", TRI_STR_ARG(text));
    return false;
}

bool tri_library_is_wanted(LLVMValueRef f)
{
    return LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f) && LLVMGetFirstUse(f);
}

/* ---- reading ---- */

static bool is_bitcode(tri_str bytes)
{
    static const char raw[] = {'B', 'C', '\xc0', '\xde'}, wrapped[] = {'\xde', '\xc0', '\x17', '\x0b'};
    return bytes.len > 4 && (!memcmp(bytes.data, raw, 4) || !memcmp(bytes.data, wrapped, 4));
}

/* The call whose library this is, when it is the source that says so. */
static tri_str symbol_of_path(const tri_library_job *job, tri_str path)
{
    for (size_t i = 0; i < job->calls->len; i++)
        if (tri_str_equal(job->calls->at[i].libpath, path))
            return job->calls->at[i].symbol;
    return TRI_STR("-"); /* no symbol: reported without a place */
}

LLVMModuleRef tri_library_open(const tri_library_job *job, tri_str path)
{
    tri_unit *unit = job->unit;
    tri_str bytes, symbol = symbol_of_path(job, path);
    LLVMContextRef context = LLVMGetModuleContext(job->module);
    int error;
    if (!tri_options_read_file(unit->options, unit->arena, path, &bytes, &error)) {
        tri_library_error(job, symbol, "cannot read '%.*s': %s", TRI_STR_ARG(path), strerror(error));
        return NULL;
    }
    tri_unit_add_dependency(unit, path);
    if (!is_bitcode(bytes)) {
        if (tri_str_has_suffix(path, ".ll"))
            return tri_llvm_parse(unit->diag, context, tri_diag_add_source(unit->diag, path, bytes));
        tri_library_error(job, symbol, "'%.*s' is not LLVM bitcode", TRI_STR_ARG(path));
        return NULL;
    }
    /* the arena keeps the bytes, from which bodies are read when they are linked */
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(bytes.data, bytes.len, path.data, false);
    LLVMModuleRef module = NULL;
    if (!LLVMGetBitcodeModuleInContext2(context, buffer, &module))
        return module;
    LLVMDisposeMemoryBuffer(buffer);
    tri_library_error(job, symbol, "'%.*s' is not LLVM bitcode that LLVM %d reads", TRI_STR_ARG(path),
                      LLVM_VERSION_MAJOR);
    return NULL;
}

/* ---- does it suit ---- */

static tri_str first_part(const char *triple)
{
    tri_str s = tri_str_from(triple);
    return tri_str_sub(s, 0, tri_str_find(s, '-'));
}

/* The machine that an intrinsic is of, or "" for those that all have. */
static tri_str machine_of(tri_str intrinsic)
{
    static const char *const machines[] = {"nvvm", "x86",   "aarch64", "arm",  "amdgcn",   "r600",
                                           "spv",  "riscv", "ppc",     "wasm", "loongarch"};
    tri_str rest = tri_str_sub(intrinsic, strlen("llvm."), intrinsic.len);
    tri_str first = tri_str_sub(rest, 0, tri_str_find(rest, '.'));
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (tri_str_is(first, machines[i]))
            return first;
    return TRI_STR("");
}

static bool is_own(const tri_library_job *job, tri_str intrinsic, tri_str arch)
{
    static const char *const own[][2] = {
        {"nvptx64", "nvvm"}, {"x86_64", "x86"}, {"aarch64", "aarch64"}, {"spirv64", "spv"}};
    tri_str machine = machine_of(intrinsic);
    if (!machine.len)
        return true;
    if (job->has_intrinsic)
        return job->has_intrinsic(intrinsic);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (tri_str_is(arch, own[i][0]))
            return tri_str_is(machine, own[i][1]);
    return false;
}

static bool check_instruction(const tri_library_job *job, tri_str function, tri_str made_for, LLVMValueRef instruction)
{
    tri_str arch = first_part(job->triple);
    if (!LLVMIsACallInst(instruction))
        return true;
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    if (LLVMIsAInlineAsm(callee))
        return (made_for.len && tri_str_equal(arch, made_for)) ||
               tri_library_error(job, function, "'%.*s' has assembly for '%.*s', which '%.*s' cannot run",
                                 TRI_STR_ARG(function), TRI_STR_ARG(made_for), TRI_STR_ARG(arch));
    tri_str name = LLVMIsAFunction(callee) ? name_of(callee) : TRI_STR("");
    return !tri_str_has_prefix(name, "llvm.") || is_own(job, name, arch) ||
           tri_library_error(job, function, "'%.*s' uses '%.*s', which '%.*s' does not have", TRI_STR_ARG(function),
                             TRI_STR_ARG(name), TRI_STR_ARG(arch));
}

static bool check_body(const tri_library_job *job, LLVMValueRef f, tri_str made_for)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (!check_instruction(job, name_of(f), made_for, i))
                return false;
    return true;
}

/* Every function that is called must be there with the type that it is called with. */
static bool check_types(const tri_library_job *job, LLVMModuleRef source)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f; f = LLVMGetNextFunction(f)) {
        LLVMValueRef body = tri_library_is_wanted(f) ? LLVMGetNamedFunction(source, LLVMGetValueName(f)) : NULL;
        if (!body || LLVMIsDeclaration(body) || LLVMGlobalGetValueType(body) == LLVMGlobalGetValueType(f))
            continue;
        char *want = LLVMPrintTypeToString(LLVMGlobalGetValueType(f)),
             *has = LLVMPrintTypeToString(LLVMGlobalGetValueType(body));
        tri_library_error(job, name_of(f), "'%s' is called as '%s', but its library defines it as '%s'",
                          LLVMGetValueName(f), want, has);
        LLVMDisposeMessage(want);
        LLVMDisposeMessage(has);
        return false;
    }
    return true;
}

/* ---- linking ---- */

static unsigned attribute_kind(const char *name) { return LLVMGetEnumAttributeKindForName(name, strlen(name)); }

static bool is_local(LLVMValueRef global)
{
    LLVMLinkage linkage = LLVMGetLinkage(global);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

/* `source` keeps nothing of its own: the linker then takes just the bodies that are referred to. */
static void make_linkonce(LLVMModuleRef source)
{
    static const char *const machine_facts[] = {"target-cpu", "target-features", "tune-cpu"};
    for (LLVMValueRef f = LLVMGetFirstFunction(source); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        if (!is_local(f))
            LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
        for (size_t i = 0; i < sizeof machine_facts / sizeof *machine_facts; i++)
            LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, machine_facts[i],
                                             (unsigned)strlen(machine_facts[i]));
        if (!LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, attribute_kind("noinline")))
            LLVMAddAttributeAtIndex(
                f, LLVMAttributeFunctionIndex,
                LLVMCreateEnumAttribute(LLVMGetModuleContext(source), attribute_kind("alwaysinline"), 0));
    }
    for (LLVMValueRef v = LLVMGetFirstGlobal(source), next; v; v = next) {
        next = LLVMGetNextGlobal(v);
        if (LLVMGetLinkage(v) == LLVMAppendingLinkage)
            LLVMDeleteGlobal(v); /* llvm.used and the like would hold on to the rest */
        else if (!LLVMIsDeclaration(v) && !is_local(v))
            LLVMSetLinkage(v, LLVMLinkOnceODRLinkage);
    }
}

/* Calls made before the body was known get what it says of its parameters. */
static void adapt_calls(const tri_library_job *job, LLVMValueRef f)
{
    static const char *const kinds[] = {"zeroext", "signext"};
    LLVMSetFunctionCallConv(f, job->convention);
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != f)
            continue;
        LLVMSetInstructionCallConv(call, job->convention);
        for (unsigned i = 0; i <= LLVMCountParams(f); i++)
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
                LLVMAttributeRef attr = LLVMGetEnumAttributeAtIndex(f, i, attribute_kind(kinds[k]));
                if (attr)
                    LLVMAddCallSiteAttribute(call, i, attr);
            }
    }
}

/* What a library's functions call in turn, with the place of the call that they came with. */
static void note_indirect_calls(const tri_library_job *job, const tri_map *known)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f && job->calls->len; f = LLVMGetNextFunction(f)) {
        if (!tri_library_is_wanted(f) || tri_map_find_ptr(known, f))
            continue;
        tri_library_call call = {
            .symbol = tri_str_copy(job->unit->arena, name_of(f)), .at = job->calls->at[0].at, .is_indirect = true};
        tri_vec_push(job->unit->arena, job->calls, call);
    }
}

/* Memory of a block is handed out before libraries are linked, and the simulator keeps its own. */
static bool check_globals(const tri_library_job *job, const tri_map *before)
{
    for (LLVMValueRef v = LLVMGetFirstGlobal(job->module); v; v = LLVMGetNextGlobal(v))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == 3 && !tri_map_find_ptr(before, v))
            return tri_library_error(job, TRI_STR(""),
                                     "the library's variable '%s' is in shared memory, which is only for tensors",
                                     LLVMGetValueName(v));
    return true;
}

bool tri_library_link_from(const tri_library_job *job, LLVMModuleRef source, bool is_trusted)
{
    LLVMModuleRef module = job->module;
    tri_str made_for = tri_str_copy(job->unit->arena, first_part(LLVMGetTarget(source)));
    if (!check_types(job, source)) {
        LLVMDisposeModule(source);
        return false;
    }
    LLVMStripModuleDebugInfo(source);
    LLVMSetTarget(source, LLVMGetTarget(module));
    LLVMSetDataLayout(source, LLVMGetDataLayoutStr(module));
    tri_llvm_agree_on_flags(module, source);
    make_linkonce(source);
    tri_map before, known;
    tri_map_init(&before, job->unit->arena);
    tri_map_init(&known, job->unit->arena);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        tri_map_set_ptr(LLVMIsDeclaration(f) ? &known : &before, f, f);
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
        tri_map_set_ptr(&before, v, v);
    if (LLVMLinkModules2(module, source))
        return false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || tri_map_find_ptr(&before, f))
            continue;
        LLVMSetLinkage(f, LLVMInternalLinkage);
        adapt_calls(job, f);
        if (!is_trusted && !check_body(job, f, made_for))
            return false;
    }
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
        if (!LLVMIsDeclaration(v) && !tri_map_find_ptr(&before, v))
            LLVMSetLinkage(v, LLVMInternalLinkage);
    note_indirect_calls(job, &known);
    return is_trusted || check_globals(job, &before);
}

/* Does the library define something that the module calls and lacks? */
static bool is_useful(LLVMModuleRef module, LLVMModuleRef source)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMValueRef body = tri_library_is_wanted(f) ? LLVMGetNamedFunction(source, LLVMGetValueName(f)) : NULL;
        if (body && !LLVMIsDeclaration(body))
            return true;
    }
    return false;
}

typedef TRI_VEC(tri_str) path_list;

/* The libraries of the command line, then those that only the source names. */
static void collect_paths(const tri_library_job *job, path_list *paths)
{
    const tri_options *o = job->unit->options;
    for (size_t i = 0; i < o->extern_libs.len; i++)
        tri_vec_push(job->unit->arena, paths, o->extern_libs.at[i].path);
    for (size_t c = 0; c < job->calls->len; c++) {
        const tri_library_call *call = &job->calls->at[c];
        bool is_known = !call->libpath.len;
        for (size_t i = 0; i < o->extern_libs.len; i++)
            is_known = is_known || tri_str_equal(o->extern_libs.at[i].name, call->libname);
        for (size_t i = 0; i < paths->len; i++)
            is_known = is_known || tri_str_equal(paths->at[i], call->libpath);
        if (!is_known)
            tri_vec_push(job->unit->arena, paths, call->libpath);
    }
}

static bool has_wanted(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (tri_library_is_wanted(f))
            return true;
    return false;
}

bool tri_library_link(const tri_library_job *job)
{
    path_list paths = {0};
    collect_paths(job, &paths);
    /* libraries may call one another */
    for (bool is_changed = true; is_changed && has_wanted(job->module);) {
        is_changed = false;
        for (size_t i = 0; i < paths.len; i++) {
            LLVMModuleRef source = tri_library_open(job, paths.at[i]);
            if (!source)
                return false;
            if (!is_useful(job->module, source)) {
                LLVMDisposeModule(source);
                continue;
            }
            if (!tri_library_link_from(job, source, false))
                return false;
            is_changed = true;
        }
    }
    return true;
}

/* Hosts have a C library; on a GPU there is what its driver brings. */
static bool is_of_machine(const tri_library_job *job, tri_str symbol)
{
    static const char *const device[] = {"vprintf", "__assertfail", "malloc", "free", "__nvvm_reflect"};
    tri_str arch = first_part(job->triple);
    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        if (tri_str_is(symbol, device[i]))
            return tri_str_is(arch, "nvptx64");
    return !tri_str_is(arch, "nvptx64") && !tri_str_is(arch, "amdgcn") && !tri_str_has_prefix(arch, "spirv");
}

bool tri_library_check(const tri_library_job *job)
{
    for (size_t i = 0; i < job->calls->len; i++) {
        const tri_library_call *call = &job->calls->at[i];
        LLVMValueRef f = LLVMGetNamedFunction(job->module, call->symbol.data);
        if (!f || !tri_library_is_wanted(f) || (call->is_indirect && is_of_machine(job, call->symbol)))
            continue;
        tri_str lib = call->libname.len ? call->libname : TRI_STR("NAME");
        return tri_library_error(
            job, call->symbol, "no library defines '%.*s'%s; give the bitcode that does with -extern-lib=%.*s=FILE.bc",
            TRI_STR_ARG(call->symbol), call->is_indirect ? ", which a library calls" : "", TRI_STR_ARG(lib));
    }
    return true;
}
