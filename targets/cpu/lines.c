/* Source lines of host code (-g, -lineinfo): every instruction carries the place of the op that it
 * was made for, in the function that was compiled, inlined helpers included. */
#include "targets/cpu/cpu.h"

#include "base/file.h"
#include "ir/location.h"

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
