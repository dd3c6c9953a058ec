/* Source lines of host code (-g, -lineinfo): every instruction carries the place of the op that it
 * was made for, in the function that was compiled, inlined helpers included. */
#include "targets/cpu/lines.h"

#include "base/file.h"
#include "ir/kernel.h"
#include "ir/location.h"
#include "ir/options.h"
#include "targets/facts.h"

LLVMMetadataRef tri_cpu_lines_file(tri_cpu_gen *g, tri_str name)
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
    LLVMDIBuilderCreateCompileUnit(d->builder, LLVMDWARFSourceLanguageC, tri_cpu_lines_file(g, at.file), producer,
                                   sizeof producer - 1, g->unit->options->opt_level > 0, "", 0, 0, "", 0,
                                   is_full ? LLVMDWARFEmissionFull : LLVMDWARFEmissionLineTablesOnly, 0, false, false,
                                   "", 0, "", 0);
    d->type = LLVMDIBuilderCreateSubroutineType(d->builder, tri_cpu_lines_file(g, at.file), NULL, 0, LLVMDIFlagZero);
    LLVMValueRef version = LLVMConstInt(g->i32, LLVMDebugMetadataVersion(), false);
    if (!LLVMGetModuleFlag(g->module, key, sizeof key - 1))
        LLVMAddModuleFlag(g->module, LLVMModuleFlagBehaviorWarning, key, sizeof key - 1, LLVMValueAsMetadata(version));
}

/* As people call the function: in the source, else by its symbol. */
static tri_str shown_name(tri_cpu_gen *g, MlirOperation func, tri_str symbol, const tri_position *at)
{
    unsigned line;
    if (tri_str_has_prefix(symbol, "tri_run_"))
        return symbol;
    if (tri_op_is_kernel(func))
        return tri_facts_find_kernel(g->unit, tri_op_symbol(func), func)->name;
    bool is_known = tri_diag_find_source(g->diag, at->file) != NULL;
    return is_known ? tri_location_function(g->diag, at->file, at->line, &line) : tri_op_symbol(func);
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
    tri_str symbol = tri_str_from(LLVMGetValueName(g->fn)), name = shown_name(g, func, symbol, &at);
    LLVMMetadataRef file = tri_cpu_lines_file(g, at.file);
    d->subprogram =
        LLVMDIBuilderCreateFunction(d->builder, file, name.data, name.len, "", 0, file, at.line,
                                    d->type, true, true, at.line, LLVMDIFlagZero, g->unit->options->opt_level > 0);
    LLVMSetSubprogram(g->fn, d->subprogram);
    d->scope = d->subprogram;
    d->line = NULL;
    tri_cpu_lines_at(g, func);
}

/* Functions of the language itself have no source that could be shown: their operations are the caller's. */
static MlirLocation shown_place(MlirOperation op)
{
    MlirLocation loc = mlirOperationGetLocation(op), caller;
    tri_position at;
    while (tri_location_position(loc, &at) && tri_str_has_prefix(at.file, "<")) {
        caller = tri_location_caller(loc);
        if (mlirLocationIsNull(caller))
            break;
        loc = caller;
    }
    return loc;
}

void tri_cpu_lines_at(tri_cpu_gen *g, MlirOperation op)
{
    tri_cpu_lines *d = g->lines;
    tri_position at = {.line = 0};
    if (!d)
        return;
    LLVMMetadataRef scope = d->scope;
    if (tri_location_position(shown_place(op), &at) && !tri_str_equal(at.file, d->file)) {
        scope = tri_map_find(&d->scopes, at.file);
        if (!scope) {
            scope = LLVMDIBuilderCreateLexicalBlockFile(d->builder, d->subprogram, tri_cpu_lines_file(g, at.file), 0);
            tri_map_set(&d->scopes, at.file, scope);
        }
    }
    LLVMSetCurrentDebugLocation2(g->b,
                                 LLVMDIBuilderCreateDebugLocation(g->llvm, at.line, at.column, scope, NULL));
}

/* A breakpoint is put at the first instruction of a line, which must not be one of a loop that the line becomes. */
void tri_cpu_lines_statement(tri_cpu_gen *g, MlirOperation op, uint32_t *io_line)
{
    tri_position at = {.line = 0};
    if (!g->steps || g->nest || g->map || !tri_location_position(shown_place(op), &at) || at.line == *io_line)
        return;
    *io_line = at.line;
    tri_cpu_at(g, 0);
    tri_cpu_lines_at(g, op);
    if (!g->lines->line)
        g->lines->line = tri_cpu_temp(g, g->i32, "line");
    LLVMSetVolatile(LLVMBuildStore(g->b, LLVMConstInt(g->i32, at.line, false), g->lines->line), true);
}

/* Reverse postorder, what a loop does before what follows it: each statement's code in one piece. */
static void put_in_order(tri_cpu_gen *g)
{
    typedef struct {
        LLVMBasicBlockRef block;
        unsigned left; /* successors to look at */
    } visit;
    TRI_VEC(visit) stack = {0};
    TRI_VEC(LLVMBasicBlockRef) done = {0};
    tri_map seen;
    tri_map_init(&seen, g->arena);
    LLVMBasicBlockRef next = LLVMGetEntryBasicBlock(g->fn);
    while (next || stack.len) {
        if (next) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(next);
            visit v = {next, end ? LLVMGetNumSuccessors(end) : 0};
            tri_map_set_ptr(&seen, next, next);
            tri_vec_push(g->arena, &stack, v);
            next = NULL;
        }
        visit *top = &tri_vec_last(&stack);
        while (top->left && !next) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(top->block), --top->left);
            next = tri_map_find_ptr(&seen, to) ? NULL : to;
        }
        if (!next) {
            tri_vec_push(g->arena, &done, top->block);
            stack.len--;
        }
    }
    for (size_t i = done.len; i-- > 1;)
        LLVMMoveBasicBlockAfter(done.at[i - 1], done.at[i]);
}

void tri_cpu_lines_function_end(tri_cpu_gen *g)
{
    tri_cpu_lines_stop(g);
    if (g->steps && !g->failed)
        put_in_order(g);
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
