/* PTX -> cubin by NVIDIA's assembler, and the resource numbers that it prints. */
#include "base/file.h"
#include "ir/kernel.h"
#include "ir/options.h"
#include "targets/external.h"
#include "targets/facts.h"
#include "targets/nvptx/nvptx.h"
#include "targets/target.h"

#include <string.h>

static void make_command(tri_unit *unit, tri_str tool, tri_str input, tri_str output, const char **out_argv)
{
    const tri_options *o = unit->options;
    int n = 0;
    out_argv[n++] = tool.data;
    out_argv[n++] = tri_str_format(unit->arena, "-arch=%s", unit->arch->name).data;
    bool is_debug = o->debug == TRI_DEBUG_FULL; /* which it does not optimise */
    out_argv[n++] = o->opt_level > 0 && !is_debug ? "-O3" : "-O0";
    out_argv[n++] = "-v";
    if (o->debug == TRI_DEBUG_LINES)
        out_argv[n++] = "-lineinfo";
    if (is_debug)
        out_argv[n++] = "-g";
    if (o->no_fp_fusion)
        out_argv[n++] = "-fmad=false";
    out_argv[n++] = input.data;
    out_argv[n++] = "-o";
    out_argv[n++] = output.data;
    out_argv[n] = NULL;
}

/* ---- -v output ---- */

/* The number that stands before `words`, or -1. */
static int64_t number_before(tri_str line, const char *words)
{
    for (size_t i = 0; i + strlen(words) <= line.len; i++) {
        if (strncmp(line.data + i, words, strlen(words)))
            continue;
        size_t begin = i;
        while (begin > 0 && line.data[begin - 1] >= '0' && line.data[begin - 1] <= '9')
            begin--;
        int64_t value;
        if (tri_str_to_i64(tri_str_sub(line, begin, i), &value))
            return value;
    }
    return -1;
}

/* Lines "ptxas info : (C7511) Potential Performance Loss: ...": products of warp groups that it runs one after the
 * other, and registers that it does not move, for the form of the code. */
static void remark_loss(tri_unit *unit, tri_str line)
{
    static const char code[] = "(C75";
    const char *at = memmem(line.data, line.len, code, sizeof code - 1);
    if (!at)
        return;
    unit->is_given_up = true;
    tri_str said = tri_str_trim((tri_str){at, (size_t)(line.data + line.len - at)});
    tri_diag_missed(unit->diag, TRI_NO_SPAN, "ptxas",
                    "ptxas: %.*s; -fno-warp-specialize, other blocks or another -num-warps may help",
                    TRI_STR_ARG(said));
}

/* Lines read "Function properties for NAME", then spills, then "Used N registers, ...". */
static void read_resources(tri_unit *unit, tri_str text)
{
    static const char header[] = "Function properties for ";
    tri_kernel *kernel = NULL;
    while (text.len) {
        size_t end = tri_str_find(text, '\n');
        tri_str line = tri_str_sub(text, 0, end);
        text = tri_str_sub(text, end < text.len ? end + 1 : end, text.len);
        remark_loss(unit, line);
        const char *name = memmem(line.data, line.len, header, sizeof header - 1);
        if (name) {
            tri_str symbol = {name + sizeof header - 1, (size_t)(line.data + line.len - name) - (sizeof header - 1)};
            kernel = tri_facts_known_kernel(unit, tri_str_trim(symbol));
            continue;
        }
        if (!kernel)
            continue;
        int64_t spills = number_before(line, " bytes spill stores"), registers = number_before(line, " registers");
        if (spills >= 0)
            kernel->spill_bytes = (int32_t)spills;
        if (registers >= 0)
            kernel->registers = (int32_t)registers;
    }
}

static bool find_tool(tri_unit *unit, tri_str *out_tool)
{
    return tri_external_find(unit, "ptxas", unit->options->ptxas, out_tool);
}

/* Lines `.file 1 "name"` get a time and a size: without, ptxas looks the file up and writes those that it finds into
 * the cubin, which would differ by where and when it is made. */
static void fix_files(tri_str text, tri_buf *out)
{
    while (text.len) {
        size_t end = tri_str_find(text, '\n');
        tri_str line = tri_str_sub(text, 0, end), word = tri_str_trim(line);
        tri_buf_add_str(out, line);
        if (tri_str_has_prefix(word, ".file") && word.data[word.len - 1] == '"')
            tri_buf_add_z(out, ", 1, 0");
        tri_buf_add_char(out, '\n');
        text = tri_str_sub(text, end < text.len ? end + 1 : end, text.len);
    }
}

typedef struct {
    tri_str tool, code, cubin;
} job;

/* In a folder of its own, since ptxas writes the names of its files into the cubin. */
static bool run_tool_in(tri_unit *unit, tri_str folder, void *data)
{
    job *j = data;
    tri_str input, output;
    tri_buf text = {0};
    int error = 0;
    fix_files(j->code, &text);
    bool ok = tri_external_write(unit, folder, "kernel.ptx", tri_buf_str(&text), &input) &&
              tri_external_name(unit, folder, "kernel.cubin", &output);
    tri_buf_fini(&text);
    if (!ok)
        return false;
    const char *argv[16];
    make_command(unit, j->tool, input, output, argv);
    tri_process_result r = tri_external_run(unit, argv);
    if (!tri_external_has_ended(unit, "ptxas", argv, &r))
        return false;
    if (r.status && tri_nvptx_tell_complaints(unit, j->code, input, r.output))
        return tri_external_note_command(unit, argv);
    if (r.status)
        return tri_external_fail(unit, argv, "'ptxas' ended with status %d: %.*s", r.status,
                                 TRI_STR_ARG(tri_str_trim(r.output)));
    if (!tri_file_read(unit->arena, output, &j->cubin, &error) || !j->cubin.len)
        return tri_external_fail(unit, argv, "'ptxas' left no output: %s",
                                 error ? strerror(error) : "the file is empty");
    read_resources(unit, r.output);
    return true;
}

bool tri_nvptx_run_ptxas(tri_unit *unit, tri_str tool, tri_str code, tri_str *out_cubin)
{
    job j = {.tool = tool, .code = code};
    bool ok = tri_external_in_folder(unit, run_tool_in, &j);
    *out_cubin = j.cubin;
    return ok;
}

static bool make_cubin(tri_unit *unit, tri_str tool, tri_str code, tri_str *out_cubin)
{
    return tri_nvptx_run_ptxas(unit, tool, code, out_cubin) && tri_nvptx_fit_registers(unit, tool, code, out_cubin);
}

bool tri_nvptx_measure(tri_unit *unit, tri_str code)
{
    tri_str tool, cubin;
    return tri_facts_parse(unit, code) && (!find_tool(unit, &tool) || make_cubin(unit, tool, code, &cubin));
}

tri_str tri_nvptx_assemble_command(tri_unit *unit, tri_str input, tri_str output)
{
    tri_str tool;
    const char *argv[16];
    make_command(unit, find_tool(unit, &tool) ? tool : TRI_STR("ptxas"), input, output, argv);
    return tri_process_quote(unit->arena, argv);
}

bool tri_nvptx_assemble(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_BYTES);
    tri_str tool, cubin, code = tri_buf_str(&unit->bytes);
    if (!tri_facts_parse(unit, code))
        return false;
    if (!find_tool(unit, &tool)) {
        tri_external_report_missing(
            unit, "-ptxas", unit->options->ptxas,
            tri_str_format(unit->arena,
                           "cannot find 'ptxas', which makes a cubin from PTX; install the CUDA Toolkit (package "
                           "cuda-nvcc), give its folder with --cuda-path=DIR, stop at -emit=ptx, or let objects hold "
                           "PTX alone with -arch=compute_%s",
                           unit->arch->name + sizeof "sm_" - 1)
                .data);
        return false;
    }
    if (!make_cubin(unit, tool, code, &cubin))
        return false;
    tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
    tri_buf_add(&unit->bytes, cubin.data, cubin.len);
    return true;
}
