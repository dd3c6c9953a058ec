/* cubin -> SASS as text, by the toolkit's disassembler: nvdisasm, which knows source lines, or cuobjdump, which does
 * not. Under each line mark of nvdisasm stands what the source has there. */
#include "base/file.h"
#include "ir/options.h"
#include "targets/external.h"
#include "targets/nvptx/nvptx.h"

#include <stdio.h>

static bool find_disassembler(tri_unit *unit, tri_str *out_tool)
{
    tri_str own = unit->options->nvdisasm;
    if (tri_external_find(unit, "nvdisasm", own, out_tool) ||
        (!own.len && tri_external_find(unit, "cuobjdump", own, out_tool)))
        return true;
    tri_external_report_missing(unit, "-nvdisasm", own,
                                "cannot find 'nvdisasm' or 'cuobjdump', which print machine code; install the CUDA "
                                "Toolkit (package cuda-nvdisasm), or give its folder with --cuda-path=DIR or the "
                                "program with -nvdisasm=FILE");
    return false;
}

typedef struct {
    tri_str tool, text;
} job;

/* What nvdisasm says on stderr (of features that a file lacks) does not stand among the code. */
static bool run_disassembler(tri_unit *unit, tri_str folder, void *data)
{
    job *j = data;
    tri_str cubin;
    if (!tri_external_write(unit, folder, "kernel.cubin", tri_buf_str(&unit->bytes), &cubin))
        return false;
    tri_str name = tri_path_base(j->tool);
    bool has_lines = !tri_str_is(name, "cuobjdump");
    const char *argv[5] = {j->tool.data, has_lines ? "-c" : "-sass", has_lines ? "-g" : cubin.data,
                           has_lines ? cubin.data : NULL};
    tri_process_result r = tri_process_run_for(unit->arena, argv, unit->options->tool_seconds, true);
    j->text = r.output;
    if (r.started && !r.signal && !r.status && r.output.len)
        return true;
    if (r.started && !r.is_late)
        r = tri_process_run_for(unit->arena, argv, unit->options->tool_seconds, false); /* for what it says */
    return tri_external_has_ended(unit, tri_str_copy(unit->arena, name).data, argv, &r) &&
           tri_external_fail(unit, argv, "'%.*s' ended with status %d: %.*s", TRI_STR_ARG(name), r.status,
                             TRI_STR_ARG(tri_str_trim(r.output)));
}

/* The text of a line `//## File "NAME", line N[ inlined at ...]`; empty: it is none, or the source is not at hand. */
static tri_str source_line(tri_unit *unit, tri_str line)
{
    static const char mark[] = "//## File \"";
    tri_str rest = tri_str_trim(line);
    if (!tri_str_has_prefix(rest, mark))
        return TRI_STR("");
    rest = tri_str_sub(rest, sizeof mark - 1, rest.len);
    size_t quote = tri_str_find(rest, '"');
    tri_str number = tri_str_sub(rest, quote, rest.len);
    tri_str name = tri_str_sub(rest, 0, quote);
    const tri_source *source = tri_diag_find_source(unit->diag, name);
    if (!source && tri_str_has_prefix(name, "./")) /* of a file without a folder */
        source = tri_diag_find_source(unit->diag, tri_str_sub(name, 2, name.len));
    unsigned n;
    if (!source || sscanf(tri_str_copy(unit->arena, number).data, "\", line %u", &n) != 1 || !n ||
        n > source->line_count)
        return TRI_STR("");
    tri_str text = tri_str_sub(source->text, source->line_starts[n - 1], source->text.len);
    return tri_str_trim(tri_str_sub(text, 0, tri_str_find(text, '\n')));
}

bool tri_nvptx_list(tri_unit *unit, tri_buf *out)
{
    job j = {0};
    if (!find_disassembler(unit, &j.tool) || !tri_external_in_folder(unit, run_disassembler, &j))
        return false;
    tri_str rest = j.text;
    while (rest.len) {
        size_t end = tri_str_find(rest, '\n');
        tri_str line = tri_str_sub(rest, 0, end), source = source_line(unit, line);
        tri_buf_format(out, "%.*s\n", TRI_STR_ARG(line));
        if (source.len)
            tri_buf_format(out, "\t//   %.*s\n", TRI_STR_ARG(source));
        rest = tri_str_sub(rest, end < rest.len ? end + 1 : end, rest.len);
    }
    return true;
}
