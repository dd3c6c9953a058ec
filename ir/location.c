#include "ir/location.h"

#include "base/file.h"

#include "mlir-c/BuiltinAttributes.h"

#include <ctype.h>

static tri_str str_of(MlirStringRef s)
{
    return (tri_str){s.data, s.length};
}

/* Strips names and fusions down to a file position, a call site or something unknown. */
static MlirLocation strip(MlirLocation loc)
{
    for (;;) {
        if (mlirLocationIsAName(loc)) {
            loc = mlirLocationNameGetChildLoc(loc);
        } else if (mlirLocationIsAFused(loc) && mlirLocationFusedGetNumLocations(loc) == 1) {
            mlirLocationFusedGetLocations(loc, &loc);
        } else if (mlirLocationIsAFused(loc) && mlirLocationFusedGetNumLocations(loc) > 1) {
            unsigned count = mlirLocationFusedGetNumLocations(loc);
            if (count > 64)
                return loc;
            MlirLocation parts[64];
            mlirLocationFusedGetLocations(loc, parts);
            loc = parts[0];
        } else {
            return loc;
        }
    }
}

bool tri_location_position(MlirLocation loc, tri_position *out_position)
{
    loc = strip(loc);
    while (mlirLocationIsACallSite(loc))
        loc = strip(mlirLocationCallSiteGetCallee(loc));
    if (!mlirLocationIsAFileLineColRange(loc))
        return false;
    out_position->file = str_of(mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(loc)));
    out_position->line = (uint32_t)mlirLocationFileLineColRangeGetStartLine(loc);
    out_position->column = (uint32_t)mlirLocationFileLineColRangeGetStartColumn(loc);
    return true;
}

/* callsite(callsite(a at b) at c): the callee chain is walked by the reader, so the caller of the
 * innermost place comes first, then the callers of the outer call sites. */
MlirLocation tri_location_caller(MlirLocation loc)
{
    loc = strip(loc);
    if (!mlirLocationIsACallSite(loc))
        return (MlirLocation){0};
    MlirLocation caller = mlirLocationCallSiteGetCaller(loc);
    MlirLocation inner = tri_location_caller(mlirLocationCallSiteGetCallee(loc));
    return inner.ptr ? mlirLocationCallSiteGet(inner, caller) : caller;
}

tri_str tri_location_name(MlirLocation loc)
{
    if (!mlirLocationIsAName(loc))
        return TRI_STR("");
    return str_of(mlirIdentifierStr(mlirLocationNameGetName(loc)));
}

tri_span tri_location_span(tri_diag *diag, MlirLocation loc)
{
    tri_position position;
    if (!tri_location_position(loc, &position))
        return TRI_NO_SPAN;
    const tri_source *source = tri_diag_find_source(diag, position.file);
    if (!source)
        return TRI_NO_SPAN;
    uint32_t begin = tri_source_offset(source, position.line, position.column);
    return (tri_span){source, begin, begin + 1};
}

/* "file:line:col: " when the text of the file is not known, so that the place is not lost. */
static tri_str prefix_of(tri_arena *arena, MlirLocation loc, tri_span span)
{
    tri_position position;
    if (span.source || !tri_location_position(loc, &position))
        return TRI_STR("");
    return tri_str_format(arena, "%.*s:%u:%u: ", TRI_STR_ARG(position.file), position.line, position.column);
}

void tri_location_error(tri_diag *diag, MlirLocation loc, int code, tri_str text)
{
    tri_arena *arena = tri_arena_create();
    tri_span span = tri_location_span(diag, loc);
    tri_str prefix = prefix_of(arena, loc, span);
    tri_diag_error(diag, span, code, "%.*s%.*s", TRI_STR_ARG(prefix), TRI_STR_ARG(text));
    for (MlirLocation at = tri_location_caller(loc); at.ptr; at = tri_location_caller(at)) {
        span = tri_location_span(diag, at);
        prefix = prefix_of(arena, at, span);
        tri_diag_note(diag, span, "%.*scalled from here", TRI_STR_ARG(prefix));
    }
    tri_arena_destroy(arena);
}

/* The name behind "def", or nothing. */
static tri_str name_of_def(tri_str line)
{
    line = tri_str_trim(line);
    if (!tri_str_has_prefix(line, "def "))
        return (tri_str){0};
    line = tri_str_trim(tri_str_sub(line, 4, line.len));
    size_t end = 0;
    while (end < line.len && (isalnum((unsigned char)line.data[end]) || line.data[end] == '_'))
        end++;
    return tri_str_sub(line, 0, end);
}

tri_str tri_location_function(const tri_diag *diag, tri_str file, unsigned line, unsigned *out_line)
{
    *out_line = line;
    const tri_source *source = tri_diag_find_source(diag, file);
    tri_str name = tri_path_stem(file), rest = source ? source->text : (tri_str){0};
    for (unsigned at = 1; at <= line && rest.len; at++) {
        size_t end = tri_str_find(rest, '\n');
        tri_str found = name_of_def(tri_str_sub(rest, 0, end));
        if (found.len) {
            name = found;
            *out_line = at;
        }
        rest = tri_str_sub(rest, end < rest.len ? end + 1 : end, rest.len);
    }
    return name;
}
