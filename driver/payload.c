#include "driver/payload.h"

#include "frontend/syntax/ast.h"
#include "ir/context.h"
#include "ir/linalg_text.h"
#include "ir/llvm.h"
#include "ir/op.h"
#include "ir/options.h"

#include "llvm-c/Core.h"
#include "mlir-c/BuiltinAttributes.h"

/* Another spelling changes nothing but ends of lines, so that messages stand where they would. */
static MlirModule parse_mlir(tri_unit *unit, const tri_source *source)
{
    if (!tri_linalg_text_is_19(source->text))
        return tri_context_parse(unit->mlir, source);
    tri_buf text = {0};
    tri_linalg_text_to_22(source->text, &text);
    tri_source respelled = *source;
    respelled.text = tri_str_copy(unit->arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return tri_context_parse(unit->mlir, &respelled);
}

static bool print_mlir(tri_unit *unit, const tri_context_style *style, tri_kind kind, tri_buf *out)
{
    if (kind != TRI_KIND_LINALG || !unit->target->prints_mlir19)
        return tri_context_print_styled(unit->module, style, out);
    tri_buf text = {0};
    bool ok = tri_context_print_styled(unit->module, style, &text);
    if (ok)
        tri_linalg_text_to_19(tri_buf_str(&text), out);
    tri_buf_fini(&text);
    return ok;
}

static bool read_mlir(tri_unit *unit, const tri_source *source)
{
    MlirModule module = parse_mlir(unit, source);
    if (!module.ptr)
        return false;
    tri_unit_replace(unit, TRI_PAYLOAD_MLIR);
    unit->module = module;
    unit->source = source;
    if (!tri_context_verify(module))
        return false;
    tri_op_list functions = {0};
    tri_op_collect_named(mlirModuleGetOperation(module), "tt.func", unit->arena, &functions);
    tri_op_collect_named(mlirModuleGetOperation(module), "func.func", unit->arena, &functions);
    for (size_t i = 0; i < functions.len; i++) {
        MlirOperation function = functions.at[i];
        MlirAttribute attr = tri_op_attr(function, "tritcc.kernel");
        tri_kernel kernel = {0};
        if (!attr.ptr)
            continue;
        if (!tri_kernel_from_attr(unit->arena, attr, &kernel)) {
            tri_op_error(unit->diag, function, 5011, "'tritcc.kernel' is not a description of a kernel");
            return false;
        }
        tri_vec_push(unit->arena, &unit->kernels, kernel);
    }
    return true;
}

static bool read_llvm(tri_unit *unit, const tri_source *source)
{
    LLVMModuleRef module = tri_llvm_parse(unit->diag, unit->llvm, source);
    if (!module)
        return false;
    tri_unit_replace(unit, TRI_PAYLOAD_LLVM);
    unit->llvm_module = module;
    unit->source = source;
    return tri_llvm_get_kernels(unit);
}

/* --- kernel facts in text --- */

static void append_facts(tri_unit *unit, tri_str line, bool *out_ok)
{
    MlirAttribute attr = mlirAttributeParseGet(unit->mlir, mlirStringRefCreate(line.data, line.len));
    tri_kernel kernel = {0};
    if (attr.ptr && tri_kernel_from_attr(unit->arena, attr, &kernel)) {
        tri_vec_push(unit->arena, &unit->kernels, kernel);
        return;
    }
    tri_diag_error(unit->diag, TRI_NO_SPAN, 5011, "the kernel facts in the input are malformed");
    *out_ok = false;
}

/* Comments "tritcc.kernel {...}", whatever the comment sign of the assembly is. */
static bool read_facts(tri_unit *unit, tri_str text)
{
    static const char mark[] = "tritcc.kernel {";
    bool ok = true;
    while (ok && text.len) {
        size_t end = tri_str_find(text, '\n');
        tri_str line = tri_str_sub(text, 0, end);
        size_t sign = 0;
        while (sign < line.len && strchr("/#; ", line.data[sign]))
            sign++;
        tri_str rest = tri_str_sub(line, sign, line.len);
        if (sign && tri_str_has_prefix(rest, mark))
            append_facts(unit, tri_str_sub(rest, sizeof mark - 2, rest.len), &ok);
        text = tri_str_sub(text, end < text.len ? end + 1 : end, text.len);
    }
    return ok;
}

bool tri_payload_read(tri_unit *unit, tri_kind kind, const tri_source *source)
{
    switch (tri_phase_kind(kind)->form) {
    case TRI_PAYLOAD_SOURCE:
        tri_unit_replace(unit, TRI_PAYLOAD_SOURCE);
        unit->source = source;
        return true;
    case TRI_PAYLOAD_MLIR:
        return read_mlir(unit, source);
    case TRI_PAYLOAD_LLVM:
        return read_llvm(unit, source);
    case TRI_PAYLOAD_BYTES:
        tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
        tri_buf_add_str(&unit->bytes, source->text);
        unit->source = source;
        return read_facts(unit, source->text);
    case TRI_PAYLOAD_AST:
        tri_unit_replace(unit, TRI_PAYLOAD_AST);
        unit->ast = tri_ast_read(unit->arena, unit->diag, source);
        unit->source = unit->ast ? unit->ast->source : source;
        return unit->ast != NULL;
    case TRI_PAYLOAD_NONE:
        break;
    }
    TRI_BUG("kind %d cannot be read", (int)kind);
}

bool tri_payload_print(tri_unit *unit, tri_kind kind, tri_buf *out)
{
    tri_context_style style = {.release = unit->options->release};
    switch (tri_phase_kind(kind)->form) {
    case TRI_PAYLOAD_AST:
        tri_ast_print(unit->ast, out);
        return true;
    case TRI_PAYLOAD_MLIR:
        /* Without debug information no later stage asks where an operation came from, but asserts do. */
        style.has_locations = unit->options->debug != TRI_DEBUG_NONE || unit->options->debug_asserts;
        return print_mlir(unit, &style, kind, out);
    case TRI_PAYLOAD_LLVM:
        tri_llvm_print(unit->llvm_module, out);
        return true;
    case TRI_PAYLOAD_BYTES:
        tri_buf_add_str(out, tri_buf_str(&unit->bytes));
        return true;
    case TRI_PAYLOAD_SOURCE:
    case TRI_PAYLOAD_NONE:
        break;
    }
    TRI_BUG("kind %d cannot be printed", (int)kind);
}

/* --- what a payload was made for --- */

/* Modules of Intel's passes name no machine, but say what it can do. */
static tri_str arch_with_ttg_target(MlirModule module)
{
    MlirOperation op = mlirModuleGetOperation(module);
    tri_str target = tri_op_string(op, "ttg.target");
    for (size_t i = 0; i < tri_targets_count(); i++)
        for (const tri_machine_facts *arch = tri_machines_first(tri_targets_at(i)->family); arch;
             arch = tri_machines_next(arch))
            if (arch->ttg_target && tri_str_is(target, arch->ttg_target))
                return tri_str_from(arch->name);
    bool is_intel = (!target.len || tri_str_is(target, "xpu")) && tri_op_int(op, "ttig.min_sg_size", 0);
    const tri_machine_facts *intel = is_intel ? tri_machines_of(op) : NULL;
    return intel && !intel->refusal ? tri_str_from(intel->name) : TRI_STR("");
}

bool tri_payload_check_target(const tri_unit *unit)
{
    if (unit->payload != TRI_PAYLOAD_MLIR || arch_with_ttg_target(unit->module).len)
        return true;
    MlirOperation op = mlirModuleGetOperation(unit->module);
    tri_str target = tri_op_string(op, "ttg.target");
    if (!target.len || !tri_machines_check(unit->diag, op))
        return !target.len;
    const tri_machine_facts *near = tri_machines_for(target);
    if (near->refusal)
        tri_op_error(unit->diag, op, 5012, "ttg.target = \"%.*s\" is refused: %s", TRI_STR_ARG(target),
                     near->refusal);
    else
        tri_op_error(unit->diag, op, 5012,
                     "no code is made for ttg.target = \"%.*s\"; -arch=%s takes it for another machine",
                     TRI_STR_ARG(target), near->name);
    return false;
}

/* The first processor that a function of the module names, or empty. */
static tri_str processor_of(LLVMModuleRef module)
{
    static const char name[] = "target-cpu";
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMAttributeRef attr = LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name,
                                                              sizeof name - 1);
        unsigned length = 0;
        const char *value = attr ? LLVMGetStringAttributeValue(attr, &length) : NULL;
        if (length)
            return (tri_str){value, length};
    }
    return TRI_STR("");
}

/* The architecture whose processor the module's functions name, or the default of its triple's family. */
static tri_str arch_of_llvm(LLVMModuleRef module)
{
    tri_str cpu = processor_of(module), triple = tri_str_from(LLVMGetTarget(module));
    for (size_t i = 0; i < tri_targets_count(); i++) {
        const tri_target *target = tri_targets_at(i);
        for (const tri_machine_facts *arch = tri_machines_first(target->family); arch; arch = tri_machines_next(arch))
            if (cpu.len && arch->cpu && tri_str_is(cpu, arch->cpu))
                return tri_str_from(arch->name);
        if (target->triple && tri_str_has_prefix(triple, target->triple))
            return tri_str_from(tri_machines_first(target->family)->name);
    }
    return TRI_STR("");
}

static tri_str arch_of_code(tri_kind kind, tri_str code)
{
    for (size_t i = 0; i < tri_targets_count(); i++) {
        const tri_target *target = tri_targets_at(i);
        if (kind == tri_phase_kind_named(target->code_kind) && target->arch_of_code)
            return target->arch_of_code(code);
        if (kind == tri_phase_kind_named(target->code_kind) || kind == tri_phase_kind_named(target->text_kind) ||
            (target->listing_kind && kind == tri_phase_kind_named(target->binary_kind)))
            return tri_str_from(tri_machines_first(target->family)->name);
    }
    return TRI_STR("");
}

tri_str tri_payload_arch(const tri_unit *unit, tri_kind kind)
{
    switch (unit->payload) {
    case TRI_PAYLOAD_MLIR:
        return arch_with_ttg_target(unit->module);
    case TRI_PAYLOAD_LLVM:
        return arch_of_llvm(unit->llvm_module);
    case TRI_PAYLOAD_BYTES:
        return arch_of_code(kind, tri_buf_str(&unit->bytes));
    default:
        return TRI_STR("");
    }
}
