#include "ir/llvm.h"

#include "ir/island.h"

#include "llvm-c/Analysis.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/IRReader.h"
#include "llvm-c/Linker.h"
#include "llvm-c/Target.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include "mlir-c/BuiltinAttributes.h"

#include <pthread.h>
#include <stdlib.h>

static const char kernels_name[] = "tritcc.kernels";

/* --- targets ----------------------------------------------------------------------------- */

#define BACK_ENDS \
    X("nvptx", NVPTX, NULL) \
    X("x86", X86, LLVMInitializeX86AsmParser) \
    X("aarch64", AArch64, LLVMInitializeAArch64AsmParser) \
    X("spirv", SPIRV, NULL) \
    X("amdgcn", AMDGPU, LLVMInitializeAMDGPUAsmParser)

void LLVMInitializeSPIRVTargetInfo(void);
void LLVMInitializeSPIRVTarget(void);
void LLVMInitializeSPIRVTargetMC(void);
void LLVMInitializeSPIRVAsmPrinter(void);

typedef struct {
    const char *name;
    void (*info)(void), (*target)(void), (*mc)(void), (*printer)(void);
    void (*parser)(void); /* of assembly, where code is made from that or has some inside; null: it does not */
    bool is_started;
} back_end;

static back_end back_ends[] = {
#define X(name, id, parser) \
    {name, LLVMInitialize##id##TargetInfo, LLVMInitialize##id##Target, LLVMInitialize##id##TargetMC, \
     LLVMInitialize##id##AsmPrinter, parser, false},
    BACK_ENDS
#undef X
};

/* LLVM's lists of targets are of the process. */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

void tri_llvm_start_target(const char *name)
{
    pthread_mutex_lock(&starting);
    for (size_t i = 0; i < sizeof back_ends / sizeof *back_ends; i++) {
        back_end *b = &back_ends[i];
        if (strcmp(b->name, name) != 0)
            continue;
        if (!b->is_started) {
            b->info();
            b->target();
            b->mc();
            b->printer();
            if (b->parser)
                b->parser();
            b->is_started = true;
        }
        pthread_mutex_unlock(&starting);
        return;
    }
    pthread_mutex_unlock(&starting);
    TRI_BUG("no LLVM back end '%s' is linked in", name);
}

static LLVMTargetRef find_target(tri_diag *diag, const char *triple)
{
    char *error = NULL;
    LLVMTargetRef target = NULL;
    if (!LLVMGetTargetFromTriple(triple, &target, &error))
        return target;
    tri_diag_error(diag, TRI_NO_SPAN, 6005, "no code generator for '%s': %s", triple, error);
    LLVMDisposeMessage(error);
    return NULL;
}

static LLVMCodeGenOptLevel level_of(int opt_level)
{
    static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
                                                 LLVMCodeGenLevelAggressive};
    return levels[opt_level < 0 || opt_level > 3 ? 2 : opt_level];
}

LLVMTargetMachineRef tri_llvm_create_machine(tri_diag *diag, const char *triple, const char *cpu,
                                             const char *features, int opt_level)
{
    LLVMTargetRef target = find_target(diag, triple);
    return target ? tri_island_take_machine(target, triple, cpu, features, level_of(opt_level)) : NULL;
}

void tri_llvm_dispose_machine(LLVMTargetMachineRef machine)
{
    if (machine)
        tri_island_give_machine(machine);
}

/* --- passes and code --------------------------------------------------------------------- */

static bool report_pipeline(tri_diag *diag, LLVMErrorRef error, const char *pipeline)
{
    if (!error)
        return true;
    char *text = LLVMGetErrorMessage(error);
    tri_diag_error(diag, TRI_NO_SPAN, 6005, "LLVM pipeline '%s': %s", pipeline, text);
    LLVMDisposeErrorMessage(text);
    return false;
}

bool tri_llvm_run_passes(tri_diag *diag, LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pipeline)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, pipeline, machine, options);
    LLVMDisposePassBuilderOptions(options);
    return report_pipeline(diag, error, pipeline);
}

bool tri_llvm_run_function_passes(tri_diag *diag, LLVMValueRef function, LLVMTargetMachineRef machine,
                                  const char *pipeline)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPassesOnFunction(function, pipeline, machine, options);
    LLVMDisposePassBuilderOptions(options);
    return report_pipeline(diag, error, pipeline);
}

void tri_llvm_outline(LLVMValueRef function, size_t count, const LLVMBasicBlockRef *starts,
                      const LLVMBasicBlockRef *ends)
{
    if (count)
        tri_island_outline(function, count, starts, ends);
}

bool tri_llvm_emit(tri_diag *diag, LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMCodeGenFileType type,
                   tri_buf *out)
{
    static const char *const none[] = {NULL};
    return tri_llvm_emit_without(diag, module, machine, type, none, out);
}

bool tri_llvm_emit_without(tri_diag *diag, LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMCodeGenFileType type,
                           const char *const *passes, tri_buf *out)
{
    size_t errors = tri_diag_error_count(diag);
    LLVMMemoryBufferRef buffer = tri_island_emit_without(module, machine, type, passes);
    if (!buffer) {
        tri_diag_error(diag, TRI_NO_SPAN, 6005, "the code generator makes no such file");
        return false;
    }
    tri_buf_add(out, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
    return tri_diag_error_count(diag) == errors;
}

/* --- text -------------------------------------------------------------------------------- */

static bool take_number(tri_str *s, uint32_t *out_number)
{
    size_t colon = tri_str_find(*s, ':');
    int64_t value;
    if (colon == s->len || !tri_str_to_i64(tri_str_sub(*s, 0, colon), &value) || value < 0)
        return false;
    *out_number = (uint32_t)value;
    *s = tri_str_sub(*s, colon + 1, s->len);
    return true;
}

/* LLVM's message is "name:line:column: error: text\nsource line\ncaret". */
static void report_parse_error(tri_diag *diag, const tri_source *source, const char *message)
{
    tri_str text = tri_str_from(message);
    text = tri_str_sub(text, 0, tri_str_find(text, '\n'));
    uint32_t line = 0, column = 0;
    tri_span span = {source, 0, 0};
    if (text.len > source->name.len && tri_str_equal(tri_str_sub(text, 0, source->name.len), source->name)) {
        text = tri_str_sub(text, source->name.len + 1, text.len);
        if (take_number(&text, &line) && take_number(&text, &column)) {
            span.begin = tri_source_offset(source, line, column);
            span.end = span.begin + 1;
        }
    }
    text = tri_str_trim(text);
    if (tri_str_has_prefix(text, "error: "))
        text = tri_str_sub(text, strlen("error: "), text.len);
    tri_diag_error(diag, span, 5021, "%.*s", TRI_STR_ARG(text));
}

LLVMModuleRef tri_llvm_parse(tri_diag *diag, LLVMContextRef context, const tri_source *source)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(source->text.data, source->text.len, source->name.data);
    LLVMModuleRef module = NULL;
    char *error = NULL;
    if (LLVMParseIRInContext2(context, buffer, &module, &error)) {
        report_parse_error(diag, source, error);
        LLVMDisposeMessage(error);
        module = NULL;
    }
    LLVMDisposeMemoryBuffer(buffer);
    return module;
}

void tri_llvm_print(LLVMModuleRef module, tri_buf *out)
{
    char *text = LLVMPrintModuleToString(module);
    tri_buf_add_z(out, text);
    LLVMDisposeMessage(text);
}

bool tri_llvm_verify(tri_diag *diag, LLVMModuleRef module)
{
    char *error = NULL;
    bool is_broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &error);
    if (is_broken)
        tri_diag_error(diag, TRI_NO_SPAN, 5021, "invalid LLVM IR: %s", error);
    LLVMDisposeMessage(error);
    return !is_broken;
}

/* --- linking ----------------------------------------------------------------------------- */

static void make_internal(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) != LLVMAppendingLinkage)
            LLVMSetLinkage(g, LLVMInternalLinkage);
}

bool tri_llvm_link_bitcode(tri_diag *diag, LLVMModuleRef module, tri_str bitcode, bool only_needed)
{
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode.data, bitcode.len, "bitcode");
    LLVMModuleRef source = NULL;
    bool failed = LLVMParseBitcodeInContext2(LLVMGetModuleContext(module), buffer, &source);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed) {
        tri_diag_error(diag, TRI_NO_SPAN, 5021, "cannot read bitcode to link");
        return false;
    }
    LLVMSetDataLayout(source, LLVMGetDataLayoutStr(module));
    LLVMSetTarget(source, LLVMGetTarget(module));
    if (!only_needed)
        return !LLVMLinkModules2(module, source);
    make_internal(source);
    /* Declarations of `module` refer to the bitcode's functions by name: those must stay visible until linked. */
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t len;
        const char *name = LLVMGetValueName2(f, &len);
        LLVMValueRef wanted = LLVMIsDeclaration(f) ? LLVMGetNamedFunction(source, name) : NULL;
        if (wanted && !LLVMIsDeclaration(wanted))
            LLVMSetLinkage(wanted, LLVMLinkOnceODRLinkage);
    }
    if (LLVMLinkModules2(module, source))
        return false;
    return tri_llvm_run_passes(diag, module, NULL, "globaldce");
}

void tri_llvm_agree_on_flags(LLVMModuleRef module, LLVMModuleRef library)
{
    tri_island_agree_on_flags(module, library);
}

/* --- kernel facts ------------------------------------------------------------------------ */

static void append(MlirStringRef piece, void *buf)
{
    tri_buf_add(buf, piece.data, piece.length);
}

void tri_llvm_set_kernels(tri_unit *unit)
{
    LLVMContextRef context = LLVMGetModuleContext(unit->llvm_module);
    for (size_t i = 0; i < unit->kernels.len; i++) {
        tri_buf text = {0};
        mlirAttributePrint(tri_kernel_to_attr(unit->mlir, &unit->kernels.at[i]), append, &text);
        LLVMMetadataRef string = LLVMMDStringInContext2(context, text.data, text.len);
        LLVMMetadataRef node = LLVMMDNodeInContext2(context, &string, 1);
        LLVMAddNamedMetadataOperand(unit->llvm_module, kernels_name, LLVMMetadataAsValue(context, node));
        tri_buf_fini(&text);
    }
}

static bool read_kernel(tri_unit *unit, LLVMValueRef node)
{
    LLVMValueRef operand = NULL;
    if (LLVMGetMDNodeNumOperands(node) != 1)
        return false;
    LLVMGetMDNodeOperands(node, &operand);
    unsigned len = 0;
    const char *text = operand ? LLVMGetMDString(operand, &len) : NULL;
    if (!text)
        return false;
    MlirAttribute attr = mlirAttributeParseGet(unit->mlir, mlirStringRefCreate(text, len));
    tri_kernel kernel;
    if (!tri_kernel_from_attr(unit->arena, attr, &kernel))
        return false;
    tri_vec_push(unit->arena, &unit->kernels, kernel);
    return true;
}

bool tri_llvm_get_kernels(tri_unit *unit)
{
    unsigned count = LLVMGetNamedMetadataNumOperands(unit->llvm_module, kernels_name);
    LLVMValueRef *nodes = TRI_NEW_ARRAY(unit->arena, LLVMValueRef, count);
    LLVMGetNamedMetadataOperands(unit->llvm_module, kernels_name, nodes);
    unit->kernels.len = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!read_kernel(unit, nodes[i])) {
            tri_diag_error(unit->diag, TRI_NO_SPAN, 5021, "malformed metadata '!%s' in the input", kernels_name);
            return false;
        }
    }
    return true;
}

LLVMValueRef tri_llvm_text(LLVMModuleRef module, tri_str text, const char *name)
{
    LLVMValueRef init = LLVMConstStringInContext2(LLVMGetModuleContext(module), text.data, text.len, false);
    LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(init), name);
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    return global;
}

/* --- inline assembly --------------------------------------------------------------------- */

/* Operands are what the constraints list, but clobbers; a "+" counts twice, as LLVM wants it written. */
static unsigned count_operands(tri_str constraints)
{
    unsigned count = 0;
    int depth = 0;
    bool starts = true;
    for (size_t i = 0; i < constraints.len; i++) {
        char c = constraints.data[i];
        count += starts && c != '~' && c != ',';
        starts = c == ',' && depth == 0;
        depth += (c == '{') - (c == '}');
    }
    return count;
}

/* "$3", "${3:x}"; "$$" is a dollar sign and "$( a $| b $)" are dialects. */
static const char *check_operands(tri_arena *arena, tri_str text, unsigned count)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.data[i] != '$')
            continue;
        size_t at = i + 1 + (text.data[i + 1] == '{');
        bool is_number = at < text.len && text.data[at] >= '0' && text.data[at] <= '9';
        if (!is_number && !strchr("$(|){", text.data[i + 1]))
            return tri_str_format(arena, "'$%c' names no operand; '$$' is a dollar sign", text.data[i + 1]).data;
        uint64_t number = 0;
        for (; at < text.len && text.data[at] >= '0' && text.data[at] <= '9' && number < 100000; at++)
            number = number * 10 + (uint64_t)(text.data[at] - '0');
        if (is_number && number >= count)
            return tri_str_format(arena, "'$%u' is no operand: the constraints have %u", (unsigned)number, count).data;
        i++; /* the sign and what follows it */
    }
    bool ends_open = text.len && text.data[text.len - 1] == '$' && (text.len < 2 || text.data[text.len - 2] != '$');
    return ends_open ? "a '$' at the end names no operand" : NULL;
}

const char *tri_llvm_check_assembly(tri_arena *arena, LLVMTypeRef type, tri_str text, tri_str constraints)
{
    if (tri_str_find(constraints, '*') < constraints.len)
        return "'*' is for operands in memory, and these are in registers";
    char *message = tri_island_check_assembly(type, constraints.data, constraints.len);
    if (!message)
        return check_operands(arena, text, count_operands(constraints));
    const char *copy = tri_str_copy(arena, tri_str_from(message)).data;
    LLVMDisposeMessage(message);
    return copy;
}

/* --- machine code ------------------------------------------------------------------------ */

enum { code_tool = 7001 };

/* By what is there of the machine already where code was made for it. Both results are the caller's. */
static char *assemble(tri_diag *diag, const char *triple, const char *cpu, tri_str text, size_t *out_size,
                      char **out_error)
{
    enum { usual_level = 2 };
    LLVMTargetMachineRef machine = tri_llvm_create_machine(diag, triple, cpu, "", usual_level);
    TRI_ASSERT(machine);
    char *object = tri_island_assemble(machine, text.data, text.len, out_size, out_error);
    tri_llvm_dispose_machine(machine);
    return object;
}

bool tri_llvm_assemble(tri_diag *diag, const char *triple, const char *cpu, tri_str text, tri_buf *out)
{
    size_t size;
    char *error, *object = assemble(diag, triple, cpu, text, &size, &error);
    if (object)
        tri_buf_add(out, object, size);
    else
        tri_diag_error(diag, TRI_NO_SPAN, code_tool, "the assembly for '%s' is wrong: %s", cpu, error);
    free(object);
    free(error);
    return object != NULL;
}

const char *tri_llvm_try_assembly(tri_diag *diag, tri_arena *arena, const char *triple, const char *cpu, tri_str text)
{
    size_t size;
    char *error, *object = assemble(diag, triple, cpu, text, &size, &error);
    const char *copy = object ? NULL : tri_str_copy(arena, tri_str_from(error)).data;
    free(object);
    free(error);
    return copy;
}

bool tri_llvm_link_object(tri_diag *diag, const char *const *arguments, int count)
{
    char *error = tri_island_link(arguments, count);
    if (error)
        tri_diag_error(diag, TRI_NO_SPAN, code_tool, "the object cannot be linked: %s", error);
    bool ok = !error;
    free(error);
    return ok;
}

void tri_llvm_set_attribute(LLVMValueRef function, const char *name, const char *value)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAttributeRef made =
        LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, made);
}

void tri_llvm_add_attribute(LLVMValueRef function, const char *name)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, kind, 0));
}

bool tri_llvm_is(LLVMValueRef value, LLVMOpcode opcode)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == opcode;
}

LLVMValueRef tri_llvm_behind_phis(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    return at;
}
