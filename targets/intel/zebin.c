/* SPIR-V -> zebin by Intel's offline compiler, and the figures that its section .ze_info tells: YAML, of which the
 * lines of a kernel are read. A build can succeed and leave a zebin without code. */
#include "base/file.h"
#include "ir/kernel.h"
#include "ir/options.h"
#include "targets/external.h"
#include "targets/facts.h"
#include "targets/intel/intel.h"
#include "targets/spirv/text.h"
#include "targets/target.h"

#include <elf.h>
#include <string.h>

enum { code_tool = 7001 };

/* Twice the registers for half as many threads: what the driver's compilers of these GPUs take, too. */
static const char option_large[] = "-ze-opt-large-register-file";

static bool find_tool(tri_unit *unit, tri_str *out_tool)
{
    return tri_external_find(unit, "ocloc", unit->options->ocloc, out_tool);
}

/* ---- what a zebin says ---- */

/* The section's bytes; empty when there is none, or the file is no ELF. */
static tri_str find_section(tri_str zebin, const char *name)
{
    Elf64_Ehdr header;
    Elf64_Shdr section, names;
    if (zebin.len < sizeof header || memcmp(zebin.data, ELFMAG, SELFMAG))
        return TRI_STR("");
    memcpy(&header, zebin.data, sizeof header);
    uint64_t end = header.e_shoff + (uint64_t)header.e_shnum * sizeof section;
    if (header.e_shentsize != sizeof section || header.e_shstrndx >= header.e_shnum || header.e_shoff > zebin.len ||
        end > zebin.len)
        return TRI_STR("");
    memcpy(&names, zebin.data + header.e_shoff + header.e_shstrndx * sizeof section, sizeof names);
    for (uint32_t i = 0; i < header.e_shnum; i++) {
        memcpy(&section, zebin.data + header.e_shoff + i * sizeof section, sizeof section);
        uint64_t at = names.sh_offset + section.sh_name;
        bool is_inside = section.sh_offset <= zebin.len && section.sh_size <= zebin.len - section.sh_offset;
        if (is_inside && at < zebin.len && tri_str_has_prefix(tri_str_sub(zebin, at, zebin.len), name))
            return tri_str_sub(zebin, section.sh_offset, section.sh_offset + section.sh_size);
    }
    return TRI_STR("");
}

/* Lines read "  - name: k" for a kernel, later "grf_count: 128", "spill_size: 64" (when there are some), "simd_size:
 * 32". */
static bool read_info(tri_unit *unit, tri_str info)
{
    tri_kernel *kernel = NULL;
    bool is_scratch = false; /* among per_thread_memory_buffers: what is spilled, and private arrays */
    while (info.len) {
        size_t end = tri_str_find(info, '\n');
        tri_str line = tri_str_trim(tri_str_sub(info, 0, end));
        info = tri_str_sub(info, end < info.len ? end + 1 : end, info.len);
        size_t colon = tri_str_find(line, ':');
        tri_str word = tri_str_sub(line, 0, colon),
                value = tri_str_trim(tri_str_sub(line, colon < line.len ? colon + 1 : colon, line.len));
        int64_t number;
        if (tri_str_has_prefix(word, "- "))
            is_scratch = tri_str_is(word, "- type") && tri_str_is(value, "scratch");
        if (tri_str_is(word, "- name")) {
            kernel = tri_facts_known_kernel(unit, value);
            if (kernel && kernel->spill_bytes < 0) /* it is named twice, figures first */
                kernel->spill_bytes = 0;
        }
        if (!kernel || !tri_str_to_i64(value, &number))
            continue;
        if (tri_str_is(word, "grf_count"))
            kernel->registers = (int32_t)number;
        if (tri_str_is(word, "spill_size") || (is_scratch && tri_str_is(word, "size")))
            kernel->spill_bytes = number > kernel->spill_bytes ? (int32_t)number : kernel->spill_bytes;
        if (tri_str_is(word, "simd_size") && unit->lanes && number != tri_facts_lanes(unit)) {
            tri_diag_error(unit->diag, TRI_NO_SPAN, code_tool,
                           "'ocloc' made '%.*s' for sub-groups of %lld work-items, not %d", TRI_STR_ARG(kernel->symbol),
                           (long long)number, tri_facts_lanes(unit));
            return false;
        }
    }
    return true;
}

/* ---- the tool ---- */

typedef struct {
    tri_str tool, code, zebin;
    const char *option; /* of Intel's compiler; null: none */
} job;

static void make_command(tri_unit *unit, tri_str tool, tri_str input, tri_str output, const char *with,
                         const char **out_argv)
{
    const char *const words[] = {tool.data, "compile",           "--format", "zebin",         "-spirv_input",
                                 "-file",   input.data,          "-device",  unit->arch->cpu, "-output",
                                 output.data, "-output_no_suffix", with ? "-options" : NULL, with, NULL};
    memcpy(out_argv, words, sizeof words);
}

static bool run_tool_in(tri_unit *unit, tri_str folder, void *data)
{
    job *j = data;
    tri_str input, output;
    int error = 0;
    if (!tri_external_write(unit, folder, "kernel.spv", j->code, &input) ||
        !tri_external_name(unit, folder, "kernel.zebin", &output))
        return false;
    const char *argv[16];
    make_command(unit, j->tool, input, output, j->option, argv);
    tri_process_result r = tri_external_run(unit, argv);
    if (!tri_external_has_ended(unit, "ocloc", argv, &r))
        return false;
    if (r.status || !tri_file_read(unit->arena, output, &j->zebin, &error))
        return tri_intel_tell_complaints(unit, argv, j->code, r.output);
    if (!find_section(j->zebin, ".text").len) /* of what is no valid module, too, of which it says nothing */
        return tri_intel_is_valid(unit, j->code) ? tri_external_fail(unit, argv, "'ocloc' left a file without code")
                                                 : tri_external_note_command(unit, argv);
    return read_info(unit, find_section(j->zebin, ".ze_info"));
}

/* ... with this option. The figures of the kernels are those of the last that was made. */
static bool run_tool_with(tri_unit *unit, job *j, const char *with)
{
    for (size_t i = 0; i < unit->kernels.len; i++)
        unit->kernels.at[i].spill_bytes = -1;
    j->option = with;
    return tri_external_in_folder(unit, run_tool_in, j);
}

/* Bytes that all kernels spill. */
static int64_t count_spills(const tri_unit *unit)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < unit->kernels.len; i++)
        bytes += unit->kernels.at[i].spill_bytes > 0 ? unit->kernels.at[i].spill_bytes : 0;
    return bytes;
}

/* A block's sub-groups share a core; with twice the registers it holds half as many. */
static bool fits_large(const tri_unit *unit)
{
    int warps = 0;
    for (size_t i = 0; i < unit->kernels.len; i++)
        warps = unit->kernels.at[i].num_warps > warps ? unit->kernels.at[i].num_warps : warps;
    warps = warps ? warps : tri_facts_warps(unit);
    return (uint32_t)(warps * tri_facts_lanes(unit)) <= unit->arch->max_threads / 2;
}

/* What spills is compiled once more with twice the registers, and stays so where that helps. */
static bool run_tool(tri_unit *unit, tri_str tool, tri_str code, tri_str *out_zebin)
{
    job small = {.tool = tool, .code = code}, large = small;
    bool ok = run_tool_with(unit, &small, NULL);
    *out_zebin = small.zebin;
    int64_t spills = ok ? count_spills(unit) : 0;
    if (!spills || !fits_large(unit))
        return ok;
    if (!run_tool_with(unit, &large, option_large))
        return false;
    if (count_spills(unit) >= spills)
        return read_info(unit, find_section(small.zebin, ".ze_info"));
    *out_zebin = large.zebin;
    return true;
}

/* Where it is not one that is known, its driver compiles the SPIR-V. */
static bool has_device(const tri_unit *unit) { return !unit->arch->is_any_device; }

bool tri_intel_measure(tri_unit *unit, tri_str code)
{
    tri_str tool, zebin;
    return !has_device(unit) || !find_tool(unit, &tool) || run_tool(unit, tool, code, &zebin);
}

tri_str tri_intel_assemble_command(tri_unit *unit, tri_str input, tri_str output)
{
    tri_str tool;
    const char *argv[16];
    make_command(unit, find_tool(unit, &tool) ? tool : TRI_STR("ocloc"), input, output, NULL, argv);
    return tri_process_quote(unit->arena, argv);
}

bool tri_intel_assemble(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_BYTES);
    tri_str tool, zebin;
    if (!has_device(unit)) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 6001, "'%s' is no one GPU that a zebin can be for; stop at -emit=spirv",
                       unit->arch->name);
        return false;
    }
    if (!find_tool(unit, &tool)) {
        tri_external_report_missing(unit, "-ocloc", unit->options->ocloc,
                                    "cannot find 'ocloc', which makes a zebin from SPIR-V; install it (Debian: "
                                    "intel-opencl-icd), name it with -ocloc=FILE, or stop at -emit=spirv "
                                    "(in objects: -arch=spirv-pvc, say)");
        return false;
    }
    tri_str code = tri_buf_str(&unit->bytes); /* ocloc compiles what stands in front of an instruction of no words */
    if (!tri_text_is_whole(unit->diag, unit->source, code) || !run_tool(unit, tool, code, &zebin))
        return false;
    tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
    tri_buf_add(&unit->bytes, zebin.data, zebin.len);
    return true;
}
