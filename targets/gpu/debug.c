/* Source locations as LLVM debug information: -lineinfo (line directives only) and -g. */
#include "base/file.h"
#include "ir/location.h"
#include "ir/options.h"
#include "targets/gpu/gpu.h"


struct tri_gpu_debug {
    LLVMDIBuilderRef builder;
    LLVMMetadataRef unit, type; /* compile unit, and the type of every subprogram */
    LLVMMetadataRef subprogram; /* of the function being lowered */
    tri_str file;               /* of that subprogram */
    tri_map files;              /* name -> DIFile */
    tri_map inlined;            /* "file:function" -> DISubprogram of an inlined function */
    tri_map places;             /* MLIR's location -> DILocation, within that subprogram */
};

/* llvm-c's enum stops at line tables; the next kind is "directives only", which does not mark the
 * PTX as a debug build. */
enum { emission_full = 1, emission_directives = 3 };

/* ptxas knows no escapes in the names of files: what would need one is replaced. */
static tri_str clean_name(tri_gpu *g, tri_str name)
{
    tri_str copy = tri_str_copy(g->arena, name);
    char *at = (char *)copy.data;
    for (size_t i = 0; i < copy.len; i++)
        if ((unsigned char)at[i] < ' ' || at[i] == 127 || at[i] == '"' || at[i] == '\\')
            at[i] = '_';
    return copy;
}

static LLVMMetadataRef file_of(tri_gpu *g, tri_str name)
{
    tri_gpu_debug *d = g->debug;
    LLVMMetadataRef file = tri_map_find(&d->files, name);
    if (!file) {
        tri_str mapped = clean_name(g, tri_diag_map_path(g->unit->diag, name));
        tri_str folder = tri_path_folder(mapped), base = tri_path_base(mapped);
        file = LLVMDIBuilderCreateFile(d->builder, base.data, base.len, folder.data, folder.len);
        tri_map_set(&d->files, name, file);
    }
    return file;
}

tri_gpu_debug *tri_gpu_debug_create(tri_gpu *g)
{
    tri_gpu_debug *d = TRI_NEW(g->arena, tri_gpu_debug);
    bool is_full = g->unit->options->debug == TRI_DEBUG_FULL;
    d->builder = LLVMCreateDIBuilder(g->module);
    tri_map_init(&d->files, g->arena);
    tri_map_init(&d->inlined, g->arena);
    g->debug = d;
    tri_position at = {.file = TRI_STR("unknown")};
    MlirOperation first = mlirBlockGetFirstOperation(mlirModuleGetBody(g->unit->module));
    if (!mlirOperationIsNull(first))
        tri_location_position(mlirOperationGetLocation(first), &at);
    static const char producer[] = "tritcc";
    d->unit = LLVMDIBuilderCreateCompileUnit(
        d->builder, LLVMDWARFSourceLanguageC, file_of(g, at.file), producer, sizeof producer - 1,
        g->unit->options->opt_level > 0, "", 0, 0, "", 0,
        (LLVMDWARFEmissionKind)(is_full ? emission_full : emission_directives), 0, false, false, "", 0, "", 0);
    d->type = LLVMDIBuilderCreateSubroutineType(d->builder, file_of(g, at.file), NULL, 0, LLVMDIFlagZero);
    static const char key[] = "Debug Info Version";
    LLVMValueRef version = LLVMConstInt(g->i32, LLVMDebugMetadataVersion(), false);
    LLVMAddModuleFlag(g->module, LLVMModuleFlagBehaviorWarning, key, sizeof key - 1, LLVMValueAsMetadata(version));
    return d;
}

static LLVMMetadataRef make_subprogram(tri_gpu *g, tri_str name, tri_str file, unsigned line)
{
    tri_gpu_debug *d = g->debug;
    return LLVMDIBuilderCreateFunction(d->builder, file_of(g, file), name.data, name.len, name.data, name.len,
                                       file_of(g, file), line, d->type, false, true, line, LLVMDIFlagZero,
                                       g->unit->options->opt_level > 0);
}

void tri_gpu_debug_function(tri_gpu *g, MlirOperation func, LLVMValueRef function)
{
    tri_position at = {.file = TRI_STR("unknown")};
    tri_location_position(mlirOperationGetLocation(func), &at);
    g->debug->file = at.file;
    g->debug->subprogram = make_subprogram(g, tri_op_symbol(func), at.file, at.line);
    tri_map_init(&g->debug->places, g->arena);
    LLVMSetSubprogram(function, g->debug->subprogram);
    tri_gpu_debug_at(g, mlirOperationGetLocation(func));
}

/* Inlined functions are known by their places only: one scope for each name of a file. */
static LLVMMetadataRef inlined_scope(tri_gpu *g, tri_str file, unsigned line)
{
    tri_str name = tri_location_function(g->unit->diag, file, line, &line);
    tri_str key = tri_str_format(g->arena, "%.*s:%.*s", TRI_STR_ARG(file), TRI_STR_ARG(name));
    LLVMMetadataRef scope = tri_map_find(&g->debug->inlined, key);
    if (!scope) {
        scope = make_subprogram(g, name, file, line);
        tri_map_set(&g->debug->inlined, key, scope);
    }
    return scope;
}

static LLVMMetadataRef location_of(tri_gpu *g, MlirLocation location);

static LLVMMetadataRef make_location(tri_gpu *g, MlirLocation location)
{
    tri_gpu_debug *d = g->debug;
    tri_position at;
    if (!tri_location_position(location, &at))
        return LLVMDIBuilderCreateDebugLocation(g->llvm, 0, 0, d->subprogram, NULL);
    MlirLocation caller = tri_location_caller(location);
    if (!mlirLocationIsNull(caller))
        return LLVMDIBuilderCreateDebugLocation(g->llvm, at.line, at.column, inlined_scope(g, at.file, at.line),
                                                location_of(g, caller));
    LLVMMetadataRef scope = d->subprogram;
    if (!tri_str_equal(at.file, d->file))
        scope = LLVMDIBuilderCreateLexicalBlockFile(d->builder, scope, file_of(g, at.file), 0);
    return LLVMDIBuilderCreateDebugLocation(g->llvm, at.line, at.column, scope, NULL);
}

/* Locations are unique, and many operations have the same: each is made once in a function. */
static LLVMMetadataRef location_of(tri_gpu *g, MlirLocation location)
{
    LLVMMetadataRef made = tri_map_find_ptr(&g->debug->places, location.ptr);
    if (!made) {
        made = make_location(g, location);
        tri_map_set_ptr(&g->debug->places, location.ptr, made);
    }
    return made;
}

void tri_gpu_debug_at(tri_gpu *g, MlirLocation location)
{
    LLVMSetCurrentDebugLocation2(g->b, location_of(g, location));
}

void tri_gpu_debug_finish(tri_gpu *g)
{
    LLVMSetCurrentDebugLocation2(g->b, NULL);
    LLVMDIBuilderFinalize(g->debug->builder);
    LLVMDisposeDIBuilder(g->debug->builder);
}
