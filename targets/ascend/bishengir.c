/* linalg -> machine code by bishengir-compile, the vendor's compiler (AscendNPU-IR and CANN). It leaves OUTPUT.o, or in
 * older releases OUTPUT_reloc.o, beside the name that it is given. */
#include "base/file.h"
#include "ir/context.h"
#include "ir/linalg_text.h"
#include "ir/options.h"
#include "targets/ascend/ascend.h"
#include "targets/external.h"

#include <string.h>

static const char tool_name[] = "bishengir-compile";

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

typedef struct {
    tri_str tool, text, code;
} job;

static bool run_tool_in(tri_unit *unit, tri_str folder, void *data)
{
    job *j = data;
    tri_str input, output, object, older;
    int error = 0;
    if (!tri_external_write(unit, folder, "kernel.mlir", j->text, &input) ||
        !tri_external_name(unit, folder, "kernel", &output) ||
        !tri_external_name(unit, folder, "kernel.o", &object) ||
        !tri_external_name(unit, folder, "kernel_reloc.o", &older))
        return false;
    const char *const *argv = make_command(unit, j->tool, input, output);
    tri_process_result r = tri_process_run(unit->arena, argv);
    if (!tri_external_has_ended(unit, tool_name, argv, &r))
        return false;
    if (!r.status && (tri_file_read(unit->arena, object, &j->code, &error) ||
                      tri_file_read(unit->arena, older, &j->code, &error)))
        return true;
    return tri_external_fail(unit, argv, "'%s' made no code for '%s': %.*s", tool_name, unit->arch->name,
                             TRI_STR_ARG(tri_str_trim(r.output)));
}

bool tri_ascend_compile(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_MLIR);
    job j = {0};
    tri_buf printed = {0}, text = {0};
    if (!tri_external_find(unit, tool_name, unit->options->bishengir, &j.tool)) {
        tri_external_report_missing(unit, "-bishengir", unit->options->bishengir,
                                    "cannot find 'bishengir-compile', which makes machine code for Ascend; it is a "
                                    "part of CANN: name it with -bishengir=FILE, or stop at -emit=linalg");
        return false;
    }
    tri_context_print(unit->module, unit->options->debug != TRI_DEBUG_NONE, &printed);
    tri_linalg_text_to_19(tri_buf_str(&printed), &text);
    j.text = tri_buf_str(&text);
    bool ok = tri_external_in_folder(unit, run_tool_in, &j);
    tri_buf_fini(&printed);
    tri_buf_fini(&text);
    if (!ok)
        return false;
    tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
    tri_buf_add(&unit->bytes, j.code.data, j.code.len);
    return true;
}
