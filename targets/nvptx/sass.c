/* cubin -> SASS as text, by the toolkit's disassembler: nvdisasm, which knows source lines, or cuobjdump, which does
 * not. Under each line mark of nvdisasm stands what the source has there. */
#include "base/file.h"
#include "base/process.h"
#include "ir/options.h"
#include "targets/nvptx/nvptx.h"

#include <stdio.h>

static bool find_disassembler(tri_unit *unit, tri_str *out_tool)
{
    tri_str own = unit->options->nvdisasm;
    const char *path = tri_str_copy(unit->arena, unit->options->tool_path).data;
    if (tri_process_find(unit->arena, own.len ? own : TRI_STR("nvdisasm"), path, out_tool))
        return true;
    if (own.len)
        tri_diag_error(unit->diag, TRI_NO_SPAN, 7001, "'-nvdisasm=%.*s' is no program", TRI_STR_ARG(own));
    else if (tri_process_find(unit->arena, TRI_STR("cuobjdump"), path, out_tool))
        return true;
    else
        tri_diag_error(unit->diag, TRI_NO_SPAN, 7001,
                       "cannot find 'nvdisasm' or 'cuobjdump', which print machine code; install the CUDA Toolkit "
                       "(package cuda-nvdisasm), or give its folder with --cuda-path=DIR or the program with "
                       "-nvdisasm=FILE");
    return false;
}

/* What nvdisasm says on stderr (of features that a file lacks) does not stand among the code. */
static tri_str run_disassembler(tri_unit *unit, tri_str tool, tri_str cubin)
{
    bool has_lines = !tri_str_is(tri_path_base(tool), "cuobjdump");
    const char *argv[5] = {tool.data, has_lines ? "-c" : "-sass", has_lines ? "-g" : cubin.data,
                           has_lines ? cubin.data : NULL};
    tri_process_result r = tri_process_run_quiet(unit->arena, argv);
    if (r.started && !r.signal && !r.status && r.output.len)
        return r.output;
    if (r.started)
        r = tri_process_run(unit->arena, argv); /* for what it says */
    tri_str name = tri_path_base(tool);
    if (!r.started)
        tri_diag_error(unit->diag, TRI_NO_SPAN, 7001, "cannot start '%.*s': %s", TRI_STR_ARG(name), strerror(r.error));
    else if (r.signal)
        tri_diag_error(unit->diag, TRI_NO_SPAN, 7001, "'%.*s' was killed by signal %d (%s)", TRI_STR_ARG(name),
                       r.signal, strsignal(r.signal));
    else
        tri_diag_error(unit->diag, TRI_NO_SPAN, 7001, "'%.*s' ended with status %d: %.*s", TRI_STR_ARG(name), r.status,
                       TRI_STR_ARG(tri_str_trim(r.output)));
    tri_diag_note(unit->diag, TRI_NO_SPAN, "the command was: %.*s", TRI_STR_ARG(tri_process_quote(unit->arena, argv)));
    return TRI_STR("");
}

static tri_str disassemble_in(tri_unit *unit, tri_str folder, tri_str tool)
{
    tri_str path;
    int error = 0;
    if (tri_file_name_temporary(unit->arena, folder, "kernel.cubin", &path, &error) &&
        tri_file_write(path, tri_buf_str(&unit->bytes), &error))
        return run_disassembler(unit, tool, path);
    tri_diag_error(unit->diag, TRI_NO_SPAN, 7001, "cannot write a temporary file: %s", strerror(error));
    return TRI_STR("");
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
    const tri_source *source = tri_diag_find_source(unit->diag, tri_str_sub(rest, 0, quote));
    unsigned n;
    if (!source || sscanf(tri_str_copy(unit->arena, number).data, "\", line %u", &n) != 1 || !n ||
        n > source->line_count)
        return TRI_STR("");
    tri_str text = tri_str_sub(source->text, source->line_starts[n - 1], source->text.len);
    return tri_str_trim(tri_str_sub(text, 0, tri_str_find(text, '\n')));
}

bool tri_nvptx_list(tri_unit *unit, tri_buf *out)
{
    tri_str folder, tool;
    int error = 0;
    if (!find_disassembler(unit, &tool))
        return false;
    if (!tri_file_make_temporary_folder(unit->arena, &folder, &error)) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 7001, "cannot make a temporary folder: %s", strerror(error));
        return false;
    }
    tri_str text = disassemble_in(unit, folder, tool), rest = text;
    tri_file_remove_temporary_folder(folder);
    while (rest.len) {
        size_t end = tri_str_find(rest, '\n');
        tri_str line = tri_str_sub(rest, 0, end), source = source_line(unit, line);
        tri_buf_format(out, "%.*s\n", TRI_STR_ARG(line));
        if (source.len)
            tri_buf_format(out, "\t//   %.*s\n", TRI_STR_ARG(source));
        rest = tri_str_sub(rest, end < rest.len ? end + 1 : end, rest.len);
    }
    return text.len > 0;
}
