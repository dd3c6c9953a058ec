#include "ir/context.h"

#include "base/trap.h"
#include "ir/guard.h"
#include "ir/island.h"
#include "ir/location.h"

#include "llvm-c/Core.h"
#include "mlir-c/Diagnostics.h"


static MlirStringRef ref(tri_str s)
{
    return mlirStringRefCreate(s.data, s.len);
}

static void append(MlirStringRef piece, void *buf)
{
    tri_buf_add(buf, piece.data, piece.length);
}

/* --- MLIR diagnostics -> base/diag ------------------------------------------------------- */

static tri_str text_of(tri_arena *arena, MlirDiagnostic diagnostic)
{
    tri_buf buf = {0};
    mlirDiagnosticPrint(diagnostic, append, &buf);
    tri_str text = tri_str_copy(arena, tri_buf_str(&buf));
    tri_buf_fini(&buf);
    return text;
}

static void report_notes(tri_diag *diag, tri_arena *arena, MlirDiagnostic diagnostic)
{
    for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); i++) {
        MlirDiagnostic note = mlirDiagnosticGetNote(diagnostic, i);
        tri_str text = text_of(arena, note);
        /* MLIR prints the whole offending op here; generated code is not what the user wrote. */
        if (tri_str_has_prefix(text, "see current operation"))
            continue;
        tri_diag_note(diag, tri_location_span(diag, mlirDiagnosticGetLocation(note)), "%.*s", TRI_STR_ARG(text));
    }
}

static MlirLogicalResult on_diagnostic(MlirDiagnostic diagnostic, void *data)
{
    tri_diag *diag = data;
    tri_arena *arena = tri_arena_create();
    MlirLocation loc = mlirDiagnosticGetLocation(diagnostic);
    tri_str text = text_of(arena, diagnostic);
    switch (mlirDiagnosticGetSeverity(diagnostic)) {
    case MlirDiagnosticError:
        tri_location_error(diag, loc, 5013, text);
        break;
    case MlirDiagnosticWarning:
        tri_diag_warning(diag, tri_location_span(diag, loc), "ir", "%.*s", TRI_STR_ARG(text));
        break;
    case MlirDiagnosticRemark:
        tri_diag_remark(diag, tri_location_span(diag, loc), "ir", "%.*s", TRI_STR_ARG(text));
        break;
    case MlirDiagnosticNote:
        tri_diag_note(diag, tri_location_span(diag, loc), "%.*s", TRI_STR_ARG(text));
        break;
    }
    report_notes(diag, arena, diagnostic);
    tri_arena_destroy(arena);
    return mlirLogicalResultSuccess();
}

MlirContext tri_context_create_mlir(tri_diag *diag)
{
    MlirDialectRegistry registry = mlirDialectRegistryCreate();
    tri_island_register(registry);
    MlirContext context = mlirContextCreateWithRegistry(registry, false);
    mlirDialectRegistryDestroy(registry);
    mlirContextAttachDiagnosticHandler(context, on_diagnostic, diag, NULL);
    /* Operations are made by name, which needs their dialect loaded. */
    static const char *const loaded[] = {"tt",   "ttg",   "ttng", "nvws", "ttig", "amdg",
                                         "arith", "math", "scf",  "cf",   "ub"};
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++)
        mlirContextGetOrLoadDialect(context, mlirStringRefCreateFromCString(loaded[i]));
    return context;
}

void tri_context_destroy_mlir(MlirContext context)
{
    if (!mlirContextIsNull(context))
        mlirContextDestroy(context);
}

/* --- LLVM diagnostics -> base/diag ------------------------------------------------------- */

static void on_llvm_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    tri_diag *diag = data;
    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    if (severity != LLVMDSError && severity != LLVMDSWarning)
        return; /* optimisation remarks of LLVM's own passes */
    char *text = LLVMGetDiagInfoDescription(info);
    if (severity == LLVMDSError)
        tri_diag_error(diag, tri_guard_span(tri_str_from(text)), 6005, "%s", text);
    else
        tri_diag_warning(diag, TRI_NO_SPAN, "backend", "%s", text);
    LLVMDisposeMessage(text);
}

/* LLVM asks behind each function. */
static void on_yield(LLVMContextRef context, void *data)
{
    (void)context, (void)data;
    tri_trap_check();
}

LLVMContextRef tri_context_create_llvm(tri_diag *diag)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(context, on_llvm_diagnostic, diag);
    LLVMContextSetYieldCallback(context, on_yield, NULL);
    return context;
}

/* --- text -------------------------------------------------------------------------------- */

MlirModule tri_context_parse(MlirContext context, const tri_source *source)
{
    return tri_island_parse(context, ref(source->text), ref(source->name));
}

void tri_context_print(MlirModule module, bool with_locations, tri_buf *out)
{
    tri_context_print_styled(module, &(tri_context_style){.has_locations = with_locations}, out);
}

bool tri_context_print_styled(MlirModule module, const tri_context_style *style, tri_buf *out)
{
    MlirModule printed = style->release ? tri_island_respell(module, style->release) : module;
    if (mlirModuleIsNull(printed))
        return false;
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    if (style->has_locations || style->is_brief)
        mlirOpPrintingFlagsEnableDebugInfo(flags, true, style->is_brief);
    if (style->is_generic)
        mlirOpPrintingFlagsPrintGenericOpForm(flags);
    if (style->has_no_aliases)
        mlirOpPrintingFlagsUseLocalScope(flags);
    if (style->elide_larger)
        mlirOpPrintingFlagsElideLargeElementsAttrs(flags, style->elide_larger);
    mlirOpPrintingFlagsPrintNameLocAsPrefix(flags);
    mlirOperationPrintWithFlags(mlirModuleGetOperation(printed), flags, append, out);
    mlirOpPrintingFlagsDestroy(flags);
    if (style->release)
        tri_island_respell_end(printed);
    if (!out->len || out->data[out->len - 1] != '\n')
        tri_buf_add_char(out, '\n');
    return true;
}

bool tri_context_verify(MlirModule module)
{
    return mlirOperationVerify(mlirModuleGetOperation(module));
}

/* --- locations --------------------------------------------------------------------------- */

MlirLocation tri_context_location(MlirContext context, tri_diag *diag, tri_span span)
{
    if (!span.source)
        return mlirLocationUnknownGet(context);
    uint32_t line, column;
    tri_source_position(span.source, span.begin, &line, &column);
    return mlirLocationFileLineColGet(context, ref(tri_diag_map_path(diag, span.source->name)), line, column);
}

MlirLocation tri_context_named_location(MlirLocation loc, tri_str name)
{
    return mlirLocationNameGet(mlirLocationGetContext(loc), ref(name), loc);
}
