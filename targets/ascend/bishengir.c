/* linalg -> machine code by bishengir-compile, the vendor's compiler (AscendNPU-IR and CANN). It leaves OUTPUT.o, or in
 * older releases OUTPUT_reloc.o, beside the name that it is given. */
#include "base/file.h"
#include "base/process.h"
#include "ir/context.h"
#include "ir/linalg_text.h"
#include "ir/options.h"
#include "targets/ascend/ascend.h"

#include <string.h>

enum { code_tool = 7001 };

static const char tool_name[] = "bishengir-compile";

static bool find_tool(tri_unit *unit, tri_str *out_tool)
{
    tri_str name = unit->options->bishengir.len ? unit->options->bishengir : tri_str_from(tool_name);
    const char *path = tri_str_copy(unit->arena, unit->options->tool_path).data;
    if (tri_process_find(unit->arena, name, path, out_tool))
        return true;
    if (unit->options->bishengir.len)
        tri_diag_error(unit->diag, TRI_NO_SPAN, code_tool, "'-bishengir=%.*s' is no program",
                       TRI_STR_ARG(unit->options->bishengir));
    else
        tri_diag_error(unit->diag, TRI_NO_SPAN, code_tool,
                       "cannot find '%s', which makes machine code for Ascend; it is a part of CANN: name it with "
                       "-bishengir=FILE, or stop at -emit=linalg",
                       tool_name);
    return false;
}

static bool is_given(const tri_unit *unit, const char *option)
{
    for (size_t i = 0; i < unit->options->bishengir_options.len; i++)
        if (tri_str_has_prefix(unit->options->bishengir_options.at[i], option))
            return true;
    return false;
}

/* The command; options of -Xbishengir= stand in the place of ours of the same name. */
static const char *const *make_command(tri_unit *unit, tri_str tool, tri_str input, tri_str output)
{
    tri_str target = tri_str_format(unit->arena, "--target=%s", unit->arch->cpu);
    const char *const ours[] = {target.data, "--enable-hfusion-compile=true", "--enable-hivm-compile=true",
                                "--enable-triton-kernel-compile=true",
                                unit->arch->has_multi_buffer ? "--enable-auto-multi-buffer=true"
                                                             : "--enable-auto-multi-buffer=false"};
    size_t count = sizeof ours / sizeof *ours, n = 0, given = unit->options->bishengir_options.len;
    const char **argv = TRI_NEW_ARRAY(unit->arena, const char *, count + given + 5);
    argv[n++] = tool.data;
    argv[n++] = input.data;
    for (size_t i = 0; i < count; i++) {
        tri_str option = tri_str_from(ours[i]);
        if (!is_given(unit, tri_str_copy(unit->arena, tri_str_sub(option, 0, tri_str_find(option, '=') + 1)).data))
            argv[n++] = ours[i];
    }
    for (size_t i = 0; i < given; i++)
        argv[n++] = tri_str_copy(unit->arena, unit->options->bishengir_options.at[i]).data;
    argv[n++] = "-o";
    argv[n++] = output.data;
    argv[n] = NULL;
    return argv;
}

static bool fail(tri_unit *unit, tri_str command, tri_str text)
{
    tri_diag_error(unit->diag, TRI_NO_SPAN, code_tool, "%.*s", TRI_STR_ARG(text));
    tri_diag_note(unit->diag, TRI_NO_SPAN, "the command was: %.*s", TRI_STR_ARG(command));
    return false;
}

static bool run_in(tri_unit *unit, tri_str folder, tri_str tool, tri_str text, tri_str *out_code)
{
    tri_str input, output, object, older;
    int error = 0;
    if (!tri_file_name_temporary(unit->arena, folder, "kernel.mlir", &input, &error) ||
        !tri_file_write(input, text, &error) ||
        !tri_file_name_temporary(unit->arena, folder, "kernel", &output, &error) ||
        !tri_file_name_temporary(unit->arena, folder, "kernel.o", &object, &error) ||
        !tri_file_name_temporary(unit->arena, folder, "kernel_reloc.o", &older, &error)) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, code_tool, "cannot write a temporary file: %s", strerror(error));
        return false;
    }
    const char *const *argv = make_command(unit, tool, input, output);
    tri_str command = tri_process_quote(unit->arena, argv);
    tri_process_result r = tri_process_run(unit->arena, argv);
    if (!r.started)
        return fail(unit, command, tri_str_format(unit->arena, "cannot start '%s': %s", tool_name, strerror(r.error)));
    if (r.signal)
        return fail(unit, command, tri_str_format(unit->arena, "'%s' was killed by signal %d (%s)", tool_name,
                                                  r.signal, strsignal(r.signal)));
    bool has_code = !r.status && (tri_file_read(unit->arena, object, out_code, &error) ||
                                  tri_file_read(unit->arena, older, out_code, &error));
    if (!has_code)
        return fail(unit, command, tri_str_format(unit->arena, "'%s' made no code for '%s': %.*s", tool_name,
                                                  unit->arch->name, TRI_STR_ARG(tri_str_trim(r.output))));
    return true;
}

bool tri_ascend_compile(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_MLIR);
    tri_str tool, folder, code;
    tri_buf printed = {0}, text = {0};
    int error = 0;
    if (!find_tool(unit, &tool))
        return false;
    if (!tri_file_make_temporary_folder(unit->arena, &folder, &error)) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, code_tool, "cannot make a temporary folder: %s", strerror(error));
        return false;
    }
    tri_context_print(unit->module, unit->options->debug != TRI_DEBUG_NONE, &printed);
    tri_linalg_text_to_19(tri_buf_str(&printed), &text);
    bool ok = run_in(unit, folder, tool, tri_buf_str(&text), &code);
    tri_file_remove_temporary_folder(folder);
    tri_buf_fini(&printed);
    tri_buf_fini(&text);
    if (!ok)
        return false;
    tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
    tri_buf_add(&unit->bytes, code.data, code.len);
    return true;
}
