/* Source lines of host code (-g, -lineinfo): every instruction carries the place of the op that it
 * was made for, in the function that was compiled, inlined helpers included. */
#include "targets/cpu/cpu.h"

#include "base/file.h"
#include "ir/location.h"
#include "ir/options.h"

#include "llvm-c/DebugInfo.h"

struct tri_cpu_lines {
    LLVMDIBuilderRef builder;
    LLVMMetadataRef type, subprogram;
    tri_str file;  /* of the subprogram */
    tri_map files; /* name -> DIFile */
    tri_map scopes; /* name -> scope of another file inside the subprogram */
};

static LLVMMetadataRef file_of(tri_cpu_gen *g, tri_str name)
{
    LLVMMetadataRef file = tri_map_find(&g->lines->files, name);
    if (!file) {
        tri_str mapped = tri_diag_map_path(g->diag, name);
        tri_str folder = tri_path_folder(mapped), base = tri_path_base(mapped);
        file = LLVMDIBuilderCreateFile(g->lines->builder, base.data, base.len, folder.data, folder.len);
        tri_map_set(&g->lines->files, name, file);
    }
    return file;
}

void tri_cpu_lines_begin(tri_cpu_gen *g)
{
    static const char producer[] = "tritcc", key[] = "Debug Info Version";
    if (g->unit->options->debug == TRI_DEBUG_NONE)
        return;
    bool is_full = g->unit->options->debug == TRI_DEBUG_FULL;
    tri_cpu_lines *d = g->lines = TRI_NEW(g->arena, tri_cpu_lines);
    d->builder = LLVMCreateDIBuilder(g->module);
    tri_map_init(&d->files, g->arena);
    tri_position at = {.file = TRI_STR("unknown")};
    MlirOperation first = mlirBlockGetFirstOperation(mlirModuleGetBody(g->unit->module));
    if (!mlirOperationIsNull(first))
        tri_location_position(mlirOperationGetLocation(first), &at);
    LLVMDIBuilderCreateCompileUnit(d->builder, LLVMDWARFSourceLanguageC, file_of(g, at.file), producer,
                                   sizeof producer - 1, g->unit->options->opt_level > 0, "", 0, 0, "", 0,
                                   is_full ? LLVMDWARFEmissionFull : LLVMDWARFEmissionLineTablesOnly, 0, false, false,
                                   "", 0, "", 0);
    d->type = LLVMDIBuilderCreateSubroutineType(d->builder, file_of(g, at.file), NULL, 0, LLVMDIFlagZero);
    LLVMValueRef version = LLVMConstInt(g->i32, LLVMDebugMetadataVersion(), false);
    if (!LLVMGetModuleFlag(g->module, key, sizeof key - 1))
        LLVMAddModuleFlag(g->module, LLVMModuleFlagBehaviorWarning, key, sizeof key - 1, LLVMValueAsMetadata(version));
}

void tri_cpu_lines_function(tri_cpu_gen *g, MlirOperation func)
{
    tri_cpu_lines *d = g->lines;
    tri_position at = {.file = TRI_STR("unknown")};
    if (!d)
        return;
    tri_location_position(mlirOperationGetLocation(func), &at);
    tri_map_init(&d->scopes, g->arena);
    d->file = at.file;
    tri_str name = tri_str_from(LLVMGetValueName(g->fn));
    if (!tri_str_has_prefix(name, "tri_run_"))
        name = tri_op_symbol(func);
    d->subprogram = LLVMDIBuilderCreateFunction(d->builder, file_of(g, at.file), name.data, name.len, name.data,
                                                name.len, file_of(g, at.file), at.line, d->type, true, true, at.line,
                                                LLVMDIFlagZero, g->unit->options->opt_level > 0);
    LLVMSetSubprogram(g->fn, d->subprogram);
    tri_cpu_lines_at(g, func);
}

/* ---- values (-g) ---- */

static LLVMMetadataRef scalar_type(tri_cpu_gen *g, MlirType type)
{
    enum { encode_bool = 2, encode_float = 4, encode_signed = 5, encode_unsigned = 7 };
    tri_cpu_type t = tri_cpu_type_of(g, type);
    /* floats that C has no type for are shown as their bits */
    bool is_plain = t.kind == TRI_CPU_F32 || t.kind == TRI_CPU_F64;
    unsigned encoding = t.bits == 1           ? encode_bool
                        : is_plain            ? encode_float
                        : tri_cpu_is_small(t) ? encode_unsigned
                                              : encode_signed;
    tri_str name = t.kind == TRI_CPU_F16    ? TRI_STR("fp16")
                   : t.kind == TRI_CPU_BF16 ? TRI_STR("bf16")
                                            : tri_str_format(g->arena, "%s%u",
                                                             is_plain              ? "fp"
                                                             : tri_cpu_is_small(t) ? "fp"
                                                                                   : "int",
                                                             t.bits);
    return LLVMDIBuilderCreateBasicType(g->lines->builder, name.data, name.len, t.bits < 8 ? 8 : t.bits, encoding,
                                        LLVMDIFlagZero);
}

static LLVMMetadataRef type_of(tri_cpu_gen *g, MlirType type)
{
    if (!tri_type_is_ptr(type))
        return scalar_type(g, type);
    MlirType pointee = tri_type_ptr_pointee(type);
    LLVMMetadataRef inner = tri_type_is_ptr(pointee) ? NULL : scalar_type(g, pointee);
    return LLVMDIBuilderCreatePointerType(g->lines->builder, inner, 64, 64, 0, "", 0);
}

static void describe(tri_cpu_gen *g, tri_str name, unsigned number, unsigned line, LLVMMetadataRef type, LLVMValueRef v)
{
    tri_cpu_lines *d = g->lines;
    LLVMMetadataRef variable = LLVMDIBuilderCreateParameterVariable(
        d->builder, d->subprogram, name.data, name.len, number, file_of(g, d->file), line, type, true, LLVMDIFlagZero);
    LLVMMetadataRef at = LLVMDIBuilderCreateDebugLocation(g->llvm, line, 0, d->subprogram, NULL);
    LLVMMetadataRef plain = LLVMDIBuilderCreateExpression(d->builder, NULL, 0);
    LLVMDIBuilderInsertDbgValueRecordAtEnd(d->builder, v, variable, plain, at, g->at);
}

void tri_cpu_lines_params(tri_cpu_gen *g, MlirOperation func)
{
    static const char *const ids[] = {"program_id_0", "program_id_1", "program_id_2"};
    tri_position at = {.line = 0};
    if (!g->lines || g->unit->options->debug != TRI_DEBUG_FULL)
        return;
    tri_location_position(mlirOperationGetLocation(func), &at);
    MlirBlock body = tri_op_body(func, 0);
    unsigned number = 0;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
        MlirValue arg = mlirBlockGetArgument(body, i);
        MlirType type = mlirValueGetType(arg);
        tri_str name = tri_location_name(mlirValueGetLocation(arg));
        if (name.len && !tri_type_is_tensor(type) && !tri_type_is_desc(type))
            describe(g, name, ++number, at.line, type_of(g, type), LLVMGetParam(g->fn, (unsigned)i));
    }
    for (int i = 0; i < 3; i++)
        describe(g, tri_str_from(ids[i]), ++number, at.line,
                 scalar_type(g, mlirIntegerTypeGet(mlirOperationGetContext(func), 32)), g->pid[i]);
}

void tri_cpu_lines_at(tri_cpu_gen *g, MlirOperation op)
{
    tri_cpu_lines *d = g->lines;
    tri_position at = {.line = 0};
    if (!d)
        return;
    LLVMMetadataRef scope = d->subprogram;
    if (tri_location_position(mlirOperationGetLocation(op), &at) && !tri_str_equal(at.file, d->file)) {
        scope = tri_map_find(&d->scopes, at.file);
        if (!scope) {
            scope = LLVMDIBuilderCreateLexicalBlockFile(d->builder, d->subprogram, file_of(g, at.file), 0);
            tri_map_set(&d->scopes, at.file, scope);
        }
    }
    LLVMSetCurrentDebugLocation2(g->b,
                                 LLVMDIBuilderCreateDebugLocation(g->llvm, at.line, at.column, scope, NULL));
}

void tri_cpu_lines_stop(tri_cpu_gen *g)
{
    if (g->lines)
        LLVMSetCurrentDebugLocation2(g->b, NULL);
}

void tri_cpu_lines_end(tri_cpu_gen *g)
{
    if (!g->lines)
        return;
    LLVMDIBuilderFinalize(g->lines->builder);
    LLVMDisposeDIBuilder(g->lines->builder);
}
