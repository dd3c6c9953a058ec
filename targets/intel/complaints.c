/* What ocloc's log says, told where the source has it. The compilers behind it write, once for each time that they try,
 *
 *     error: Double type is not supported on this platform.
 *     in kernel: 'k'
 *     error: backend compiler failed build.
 *
 * and know no lines: the place is that of the kernel, as it was lowered, or as OpLine of the SPIR-V has it. */
#include "ir/kernel.h"
#include "targets/external.h"
#include "targets/facts.h"
#include "targets/intel/intel.h"
#include "targets/spirv/text.h"

#include <string.h>

enum { code_tool = 7001, header_words = 5, op_string = 7, op_line = 8, op_entry_point = 15, op_function = 54 };

typedef struct {
    tri_str words, kernel; /* kernel: empty where the log names none */
} complaint;

/* What stands behind `word` at the start of the line, without quotes. */
static bool take_word(tri_str line, const char *word, tri_str *out)
{
    if (!tri_str_has_prefix(line, word))
        return false;
    *out = tri_str_trim(tri_str_sub(line, strlen(word), line.len));
    if (out->len > 1 && out->data[0] == '\'' && out->data[out->len - 1] == '\'')
        *out = tri_str_sub(*out, 1, out->len - 1);
    return true;
}

/* ---- places ---- */

/* A SPIR-V module's words; a module that is none has 0. */
typedef struct {
    const char *data;
    size_t count;
} module;

static uint32_t word_at(const module *m, size_t at)
{
    uint32_t word = 0;
    if (at < m->count)
        memcpy(&word, m->data + at * sizeof word, sizeof word);
    return word;
}

/* Where the next instruction of this opcode is, whose word `operand` is `id` (operand 0: any); m->count: there is none
 * in front of `end`. */
static size_t find_instruction(const module *m, size_t at, size_t end, uint32_t opcode, uint32_t operand, uint32_t id)
{
    for (uint32_t length; at < end && (length = word_at(m, at) >> 16) > 0; at += length)
        if ((word_at(m, at) & 0xffff) == opcode && (!operand || word_at(m, at + operand) == id))
            return at;
    return m->count;
}

static tri_str string_at(const module *m, size_t at)
{
    size_t from = at < m->count ? at * sizeof(uint32_t) : m->count * sizeof(uint32_t);
    tri_str rest = {m->data + from, m->count * sizeof(uint32_t) - from};
    return tri_str_sub(rest, 0, tri_str_find(rest, '\0'));
}

/* "FILE:LINE: " of the first line in the kernel's function; the place itself where the file is known. Empty: the module
 * has no lines. */
static tri_str read_place(tri_unit *unit, tri_str code, tri_str kernel, tri_span *out_at)
{
    module m = {code.data, code.len / sizeof(uint32_t)};
    size_t entry = find_instruction(&m, header_words, m.count, op_entry_point, 0, 0);
    while (entry < m.count && kernel.len && !tri_str_equal(string_at(&m, entry + 3), kernel))
        entry = find_instruction(&m, entry + (word_at(&m, entry) >> 16), m.count, op_entry_point, 0, 0);
    size_t function = find_instruction(&m, entry, m.count, op_function, 2, word_at(&m, entry + 2));
    size_t line = find_instruction(&m, function, m.count, op_line, 0, 0);
    size_t file = find_instruction(&m, header_words, function, op_string, 1, word_at(&m, line + 1));
    if (entry >= m.count || line >= m.count || file >= m.count)
        return TRI_STR("");
    tri_str name = tri_str_copy(unit->arena, string_at(&m, file + 2));
    const tri_source *source = tri_diag_find_source(unit->diag, name);
    if (source) {
        uint32_t begin = tri_source_offset(source, word_at(&m, line + 2), word_at(&m, line + 3));
        *out_at = (tri_span){source, begin, begin + 1};
        return TRI_STR("");
    }
    return tri_str_format(unit->arena, "%.*s:%u: ", TRI_STR_ARG(name), word_at(&m, line + 2));
}

/* ---- reports ---- */

static void tell_complaint_at(tri_unit *unit, tri_str code, const complaint *c)
{
    const tri_kernel *kernel = c->kernel.len              ? tri_facts_known_kernel(unit, c->kernel)
                               : unit->kernels.len == 1 ? &unit->kernels.at[0]
                                                        : NULL;
    tri_span at = kernel ? kernel->at : TRI_NO_SPAN;
    tri_str place = at.source ? TRI_STR("") : read_place(unit, code, c->kernel, &at), name = c->kernel;
    if (name.len)
        name = tri_str_format(unit->arena, ", kernel '%.*s'", TRI_STR_ARG(name));
    tri_diag_error(unit->diag, at, code_tool, "%.*s'ocloc' made no code for '%s'%.*s: %.*s", TRI_STR_ARG(place),
                   unit->arch->name, TRI_STR_ARG(name), TRI_STR_ARG(c->words));
}

static bool is_new(const complaint *first, size_t count, const complaint *c)
{
    for (size_t i = 0; i < count; i++)
        if (tri_str_equal(first[i].words, c->words) && tri_str_equal(first[i].kernel, c->kernel))
            return false;
    return true;
}

/* Each line of the log once, in its order; the command is told behind it. */
static tri_str distinct_lines(tri_unit *unit, tri_str log)
{
    TRI_VEC(tri_str) seen = {0};
    tri_str all = TRI_STR("");
    while (log.len) {
        tri_str line = tri_str_trim(tri_str_take_line(&log));
        bool is_known = !line.len || tri_str_has_prefix(line, "Command was:");
        for (size_t i = 0; i < seen.len && !is_known; i++)
            is_known = tri_str_equal(seen.at[i], line);
        if (is_known)
            continue;
        tri_vec_push(unit->arena, &seen, line);
        all = tri_str_format(unit->arena, "%.*s\n  %.*s", TRI_STR_ARG(all), TRI_STR_ARG(line));
    }
    return all;
}

/* Of a log without errors. */
static tri_str first_words(tri_str log)
{
    while (log.len) {
        tri_str line = tri_str_trim(tri_str_take_line(&log));
        if (line.len && !tri_str_has_prefix(line, "Command was:"))
            return line;
    }
    return TRI_STR("it says nothing");
}

/* What was compiled here may have capabilities that SPIRV-Tools does not know yet. */
bool tri_intel_is_valid(tri_unit *unit, tri_str code)
{
    bool is_input = unit->source && tri_str_equal(unit->source->text, code);
    return !is_input || tri_text_is_valid(unit->diag, unit->source, code);
}

bool tri_intel_tell_complaints(tri_unit *unit, const char *const *argv, tri_str code, tri_str log)
{
    TRI_VEC(complaint) complaints = {0};
    tri_str words, kernel;
    for (tri_str rest = log; rest.len;) {
        tri_str line = tri_str_trim(tri_str_take_line(&rest));
        if (take_word(line, "error:", &words) && !tri_str_has_prefix(words, "backend compiler failed"))
            tri_vec_push(unit->arena, &complaints, ((complaint){.words = words}));
        else if (complaints.len && (take_word(line, "in kernel:", &kernel) || take_word(line, "in function:", &kernel)))
            tri_vec_last(&complaints).kernel = kernel;
    }
    if (!complaints.len && !tri_intel_is_valid(unit, code)) /* has been told */
        return tri_external_note_command(unit, argv);
    if (!complaints.len)
        tri_vec_push(unit->arena, &complaints, ((complaint){.words = first_words(log)}));
    for (size_t i = 0; i < complaints.len; i++)
        if (is_new(complaints.at, i, &complaints.at[i]))
            tell_complaint_at(unit, code, &complaints.at[i]);
    if (complaints.at[0].words.len < tri_str_trim(log).len)
        tri_diag_note(unit->diag, TRI_NO_SPAN, "its log:%.*s", TRI_STR_ARG(distinct_lines(unit, log)));
    if (tri_str_has_prefix(complaints.at[0].words, "Error: Cannot get HW Info"))
        tri_diag_note(unit->diag, TRI_NO_SPAN,
                      "this 'ocloc' does not know the device; -arch=spirv-%s puts SPIR-V into objects, for its driver",
                      unit->arch->cpu);
    return tri_external_note_command(unit, argv);
}
