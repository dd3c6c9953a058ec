/* Programs of others. */
#include "targets/external.h"
#include "base/file.h"
#include "ir/options.h"

#include <stdarg.h>
#include <string.h>

enum { code_tool = 7001 };

bool tri_external_find(tri_unit *unit, const char *name, tri_str given, tri_str *out_tool)
{
    const char *path = tri_str_copy(unit->arena, unit->options->tool_path).data;
    return tri_process_find(unit->arena, given.len ? given : tri_str_from(name), path, out_tool);
}

void tri_external_report_missing(tri_unit *unit, const char *option, tri_str given, const char *missing)
{
    if (given.len)
        tri_diag_error(unit->diag, TRI_NO_SPAN, code_tool, "'%s=%.*s' is no program", option, TRI_STR_ARG(given));
    else
        tri_diag_error(unit->diag, TRI_NO_SPAN, code_tool, "%s", missing);
}

bool tri_external_in_folder(tri_unit *unit, bool (*work)(tri_unit *unit, tri_str folder, void *data), void *data)
{
    tri_str folder;
    int error = 0;
    if (!tri_file_make_temporary_folder(unit->arena, &folder, &error)) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, code_tool, "cannot make a temporary folder: %s", strerror(error));
        return false;
    }
    bool ok = work(unit, folder, data);
    if (unit->options->shows_commands)
        tri_file_keep_temporary_folder(folder);
    else
        tri_file_remove_temporary_folder(folder);
    return ok;
}

tri_process_result tri_external_run(tri_unit *unit, const char *const *argv)
{
    if (unit->options->shows_commands)
        tri_diag_write(unit->diag, tri_str_format(unit->arena, "%.*s\n",
                                                  TRI_STR_ARG(tri_process_quote(unit->arena, argv))));
    return tri_process_run_for(unit->arena, argv, unit->options->tool_seconds, false);
}

static bool fail_file(tri_unit *unit, int error)
{
    tri_diag_error(unit->diag, TRI_NO_SPAN, code_tool, "cannot write a temporary file: %s", strerror(error));
    return false;
}

bool tri_external_name(tri_unit *unit, tri_str folder, const char *name, tri_str *out_path)
{
    int error = 0;
    return tri_file_name_temporary(unit->arena, folder, name, out_path, &error) || fail_file(unit, error);
}

bool tri_external_write(tri_unit *unit, tri_str folder, const char *name, tri_str text, tri_str *out_path)
{
    int error = 0;
    return tri_external_name(unit, folder, name, out_path) &&
           (tri_file_write(*out_path, text, &error) || fail_file(unit, error));
}

bool tri_external_note_command(tri_unit *unit, const char *const *argv)
{
    tri_diag_note(unit->diag, TRI_NO_SPAN, "the command was: %.*s", TRI_STR_ARG(tri_process_quote(unit->arena, argv)));
    return false;
}

bool tri_external_fail(tri_unit *unit, const char *const *argv, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(unit->arena, format, args);
    va_end(args);
    tri_diag_error(unit->diag, TRI_NO_SPAN, code_tool, "%.*s", TRI_STR_ARG(text));
    return tri_external_note_command(unit, argv);
}

bool tri_external_has_ended(tri_unit *unit, const char *name, const char *const *argv, const tri_process_result *r)
{
    if (!r->started)
        return tri_external_fail(unit, argv, "cannot start '%s': %s", name, strerror(r->error));
    if (r->is_late)
        return tri_external_fail(unit, argv, "'%s' was ended after %d second%s, the time that -tool-timeout gives it",
                                 name, unit->options->tool_seconds, unit->options->tool_seconds == 1 ? "" : "s");
    if (r->signal)
        return tri_external_fail(unit, argv, "'%s' was killed by signal %d (%s)", name, r->signal,
                                 strsignal(r->signal));
    return true;
}
