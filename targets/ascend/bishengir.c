/* linalg -> machine code by bishengir-compile, the vendor's compiler (AscendNPU-IR and CANN). It leaves OUTPUT.o, or in
 * older releases OUTPUT_reloc.o, beside the name that it is given; and libOUTPUT.so for the host, whose functions
 * KERNEL_infer_... give what a launcher must bring along (as Triton for Ascend asks them). */
#include "base/file.h"
#include "ir/context.h"
#include "ir/kernel.h"
#include "ir/linalg_text.h"
#include "ir/op.h"
#include "ir/options.h"
#include "targets/ascend/ascend.h"
#include "targets/external.h"
#include "targets/facts.h"

#include <dlfcn.h>
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

/* What a function KERNEL<suffix> of the library gives; `if_none` without one. */
static int64_t ask_library(tri_unit *unit, void *library, tri_str kernel, const char *suffix, int64_t if_none)
{
    tri_str name = tri_str_format(unit->arena, "%.*s%s", TRI_STR_ARG(kernel), suffix);
    void *symbol = library ? dlsym(library, name.data) : NULL;
    int64_t (*function)(void);
    memcpy(&function, &symbol, sizeof function);
    return symbol ? function() : if_none;
}

/* A missing library says that the kernels want nothing. Those are unknown only to modules that others wrote. */
static void note_kernels(tri_unit *unit, tri_str path)
{
    tri_op_list funcs = {0};
    void *library = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    tri_op_collect_named(mlirModuleGetOperation(unit->module), "func.func", unit->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        if (mlirAttributeIsNull(tri_op_attr(funcs.at[i], "tritcc.kernel")))
            continue;
        tri_kernel *k = tri_facts_find_kernel(unit, tri_op_symbol(funcs.at[i]), funcs.at[i]);
        int64_t bytes = ask_library(unit, library, k->symbol, "_infer_workspace_shape_function", 0);
        int64_t locks = ask_library(unit, library, k->symbol, "_infer_sync_block_lock_num_function", 0);
        k->scratch_bytes = bytes > 0 ? bytes : 0;
        k->scratch_alignment = bytes > 0 ? 512 : 0;
        k->lock_count = locks > 0 && locks <= INT32_MAX ? (int32_t)locks : 0;
        k->lock_start = ask_library(unit, library, k->symbol, "_infer_sync_block_lock_init_function", 0);
        k->is_vector = tri_str_is(tri_op_string(funcs.at[i], "mix_mode"), "aiv");
    }
    if (library)
        dlclose(library);
}

static bool run_tool_in(tri_unit *unit, tri_str folder, void *data)
{
    job *j = data;
    tri_str input, output, object, older, library;
    int error = 0;
    if (!tri_external_write(unit, folder, "kernel.mlir", j->text, &input) ||
        !tri_external_name(unit, folder, "kernel", &output) ||
        !tri_external_name(unit, folder, "kernel.o", &object) ||
        !tri_external_name(unit, folder, "kernel_reloc.o", &older) ||
        !tri_external_name(unit, folder, "libkernel.so", &library))
        return false;
    const char *const *argv = make_command(unit, j->tool, input, output);
    tri_process_result r = tri_external_run(unit, argv);
    if (!tri_external_has_ended(unit, tool_name, argv, &r))
        return false;
    if (!r.status && (tri_file_read(unit->arena, object, &j->code, &error) ||
                      tri_file_read(unit->arena, older, &j->code, &error))) {
        note_kernels(unit, library);
        return true;
    }
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
