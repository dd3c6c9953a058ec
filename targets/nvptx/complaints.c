/* What ptxas says of lines of PTX, told where the lines come from. LLVM prints inline assembly as
 *
 *     // begin inline asm
 *     add.s32 %r3, %r1, %r2;
 *     // end inline asm
 *
 * which is the text of one of the source's, with registers for "$0" and "${1:r}". */
#include "base/limit.h"
#include "ir/kernel.h"
#include "ir/location.h"
#include "ir/options.h"
#include "targets/facts.h"
#include "targets/nvptx/nvptx.h"

#include <ctype.h>
#include <string.h>

enum { code_assembly = 6002, code_resource = 6003, code_tool = 7001 };

/* One line of ptxas: "ptxas FILE, line 12; error   : WORDS". */
typedef struct {
    size_t line; /* from 1 */
    tri_str words;
} complaint;

typedef struct {
    size_t first, end; /* lines of the text between the two comments, from 0 */
} block;

typedef struct {
    tri_unit *unit;
    TRI_VEC(tri_str) lines; /* of the PTX */
    TRI_VEC(complaint) complaints;
} teller;

static bool read_complaint(tri_str line, tri_str input, complaint *out)
{
    const char *name = memmem(line.data, line.len, input.data, input.len);
    static const char before[] = ", line ";
    if (!name)
        return false;
    tri_str rest = tri_str_sub(line, (size_t)(name - line.data) + input.len, line.len);
    size_t semicolon = tri_str_find(rest, ';'), colon = tri_str_find(rest, ':');
    int64_t number;
    if (!tri_str_has_prefix(rest, before) || semicolon >= colon || colon >= rest.len ||
        !tri_str_to_i64(tri_str_sub(rest, sizeof before - 1, semicolon), &number) || number < 1)
        return false;
    tri_str grade = tri_str_trim(tri_str_sub(rest, semicolon + 1, colon));
    *out = (complaint){(size_t)number, tri_str_trim(tri_str_sub(rest, colon + 1, rest.len))};
    return tri_str_has_prefix(grade, "error") || tri_str_has_prefix(grade, "fatal");
}

/* ---- blocks of inline assembly in PTX ---- */

static tri_str ptx_line(const teller *t, size_t i) { return tri_str_trim(t->lines.at[i]); }

static bool find_assembly_block(const teller *t, size_t line, block *out)
{
    for (size_t i = line; i-- > 0;) {
        if (tri_str_is(ptx_line(t, i), "// end inline asm"))
            return false;
        if (!tri_str_is(ptx_line(t, i), "// begin inline asm"))
            continue;
        size_t end = i + 1;
        while (end < t->lines.len && !tri_str_is(ptx_line(t, end), "// end inline asm"))
            end++;
        *out = (block){i + 1, end};
        return line < end;
    }
    return false;
}

/* The line without a comment at its end. */
static tri_str statement_of(tri_str line)
{
    const char *comment = memmem(line.data, line.len, "//", 2);
    return tri_str_trim(comment ? tri_str_sub(line, 0, (size_t)(comment - line.data)) : line);
}

/* The block that a complaint about a line is about. A statement without its semicolon is only missed at the next one,
 * which may stand behind the block. */
static bool find_guilty(const teller *t, size_t *line, block *out)
{
    size_t before = *line;
    while (before > 0 && !statement_of(ptx_line(t, before - 1)).len)
        before--;
    if (before > 0 && find_assembly_block(t, before - 1, out) && *line >= out->end) {
        tri_str statement = statement_of(ptx_line(t, before - 1));
        if (!strchr(";}:", statement.data[statement.len - 1])) {
            *line = before - 1;
            return true;
        }
    }
    return find_assembly_block(t, *line, out);
}

/* ---- the source's text of a block ---- */

static size_t skip_blanks(tri_str s, size_t i)
{
    while (i < s.len && isspace((unsigned char)s.data[i]))
        i++;
    return i;
}

/* Behind the "$1" or "${1:r}" at `i`; `i`: it is none. */
static size_t skip_reference(tri_str s, size_t i)
{
    if (i + 1 < s.len && s.data[i] == '$' && s.data[i + 1] == '{')
        return i + tri_str_find(tri_str_sub(s, i, s.len), '}') + 1;
    size_t end = i + 1;
    while (s.data[i] == '$' && end < s.len && isdigit((unsigned char)s.data[end]))
        end++;
    return end > i + 1 ? end : i;
}

static size_t skip_operand(tri_str s, size_t i)
{
    while (i < s.len && (isalnum((unsigned char)s.data[i]) || memchr("%$_-", s.data[i], 4)))
        i++;
    return i;
}

/* Is the code the text, with any operands? Blanks do not count. */
static bool is_made_of(tri_str code, tri_str text)
{
    size_t c = skip_blanks(code, 0), i = skip_blanks(text, 0);
    while (i < text.len && c < code.len) {
        size_t behind = skip_reference(text, i);
        if (behind > i) {
            size_t end = skip_operand(code, c);
            if (end == c)
                return false;
            c = end, i = behind;
        } else {
            i += text.data[i] == '$' && i + 1 < text.len; /* "$$" is a dollar sign */
            if (text.data[i++] != code.data[c++])
                return false;
        }
        c = skip_blanks(code, c), i = skip_blanks(text, i);
    }
    return i >= text.len && c == code.len;
}

static tri_str code_of_block(const teller *t, block b)
{
    const tri_str *lines = t->lines.at;
    if (b.first >= b.end)
        return TRI_STR("");
    const char *end = lines[b.end - 1].data + lines[b.end - 1].len;
    return (tri_str){lines[b.first].data, (size_t)(end - lines[b.first].data)};
}

static const tri_assembly *find_source_text(const teller *t, block b, size_t from)
{
    tri_str code = code_of_block(t, b);
    for (size_t i = from; i < t->unit->assemblies.len; i++)
        if (is_made_of(code, t->unit->assemblies.at[i].text))
            return &t->unit->assemblies.at[i];
    return NULL;
}

/* Braces that stay open are only missed at the end of the kernel. */
static const tri_assembly *find_open_braces(const tri_unit *unit)
{
    for (size_t i = 0; i < unit->assemblies.len; i++) {
        int depth = 0;
        tri_str text = unit->assemblies.at[i].text;
        for (size_t k = 0; k < text.len; k++) {
            bool is_reference = text.data[k] == '$' && skip_reference(text, k) > k;
            k = is_reference ? skip_reference(text, k) - 1 : k;
            depth += is_reference ? 0 : (text.data[k] == '{') - (text.data[k] == '}');
        }
        if (depth)
            return &unit->assemblies.at[i];
    }
    return NULL;
}

/* ---- reports ---- */

/* The source is the PTX itself. */
static tri_span span_of_line(const teller *t, size_t line)
{
    const tri_source *source = t->unit->source;
    tri_str text = ptx_line(t, line);
    uint32_t begin = tri_source_offset(source, (uint32_t)line + 1, (uint32_t)(text.data - t->lines.at[line].data) + 1);
    return (tri_span){source, begin, begin + (uint32_t)text.len};
}

static void tell_assembly(const teller *t, const tri_assembly *a, size_t number, tri_str code, tri_str words)
{
    const char *place = "";
    if (code.len && tri_str_find(a->text, '\n') < a->text.len)
        place = tri_str_format(t->unit->arena, " at its line %zu, '%.*s'", number, TRI_STR_ARG(code)).data;
    tri_str text =
        tri_str_format(t->unit->arena, "ptxas refuses the inline assembly%s: %.*s", place, TRI_STR_ARG(words));
    tri_location_error(t->unit->diag, a->at, code_assembly, text);
}

/* Has the same been said? A text is there once for each register of a block. */
static bool was_told(const teller *t, const complaint *c, const tri_assembly *a)
{
    for (const complaint *other = t->complaints.at; other < c; other++) {
        block b;
        size_t line = other->line - 1;
        if (tri_str_equal(other->words, c->words) && find_guilty(t, &line, &b) && find_source_text(t, b, 0) == a)
            return true;
    }
    return false;
}

static void tell_complaint(const teller *t, const complaint *c, bool is_source)
{
    size_t line = c->line - 1 < t->lines.len ? c->line - 1 : t->lines.len; /* there, at the end of the file */
    size_t shown = line < t->lines.len ? line : line - 1;
    block b;
    bool has_block = !is_source && find_guilty(t, &line, &b);
    const tri_assembly *a = has_block ? find_source_text(t, b, 0) : is_source ? NULL : find_open_braces(t->unit);
    if (is_source)
        tri_diag_error(t->unit->diag, span_of_line(t, shown), code_tool, "ptxas: %.*s", TRI_STR_ARG(c->words));
    else if (!a)
        tri_diag_error(t->unit->diag, TRI_NO_SPAN, code_tool, "ptxas at line %zu of the PTX, '%.*s': %.*s", shown + 1,
                       TRI_STR_ARG(ptx_line(t, shown)), TRI_STR_ARG(c->words));
    else if (!has_block)
        tell_assembly(t, a, 0, TRI_STR(""), c->words);
    else if (!was_told(t, c, a))
        tell_assembly(t, a, line - b.first + 1, ptx_line(t, line), c->words);
    const tri_assembly *all = t->unit->assemblies.at;
    for (const tri_assembly *other = a; has_block && other; other = find_source_text(t, b, (size_t)(other - all) + 1))
        if (!mlirLocationEqual(other->at, a->at) && !was_told(t, c, a))
            tri_diag_note(t->unit->diag, tri_location_span(t->unit->diag, other->at), "the same text is here");
}

/* Takes the number behind the first `before` off the text. */
static bool take_number(tri_str *text, const char *before, int64_t *out)
{
    size_t len = strlen(before), end = 0;
    const char *at = memmem(text->data, text->len, before, len);
    if (!at)
        return false;
    tri_str rest = tri_str_sub(*text, (size_t)(at - text->data) + len, text->len);
    while (end < rest.len && isdigit((unsigned char)rest.data[end]))
        end++;
    *text = tri_str_sub(rest, end, rest.len);
    return tri_str_to_i64(tri_str_sub(rest, 0, end), out);
}

/* "Insufficient registers (32) to compile instruction at line 137 in function NAME. Try ... register target of 154":
 * an instruction on matrices has its accumulator in registers. */
static bool tell_registers(tri_unit *unit, tri_str output)
{
    int64_t limit, needed;
    static const char before[] = " in function ";
    if (!take_number(&output, "Insufficient registers (", &limit))
        return false;
    const char *at = memmem(output.data, output.len, before, sizeof before - 1);
    tri_str name = at ? tri_str_sub(output, (size_t)(at - output.data) + sizeof before - 1, output.len) : TRI_STR("");
    name = tri_str_sub(name, 0, tri_str_find(name, '.'));
    if (!take_number(&output, "register target of ", &needed))
        return false;
    tri_diag_set_limit(unit->diag, "registers", needed, limit);
    const tri_kernel *kernel = tri_facts_known_kernel(unit, name);
    bool is_bound = unit->options->maxnreg > 0 || (kernel && kernel->maxnreg > 0);
    tri_diag_error(unit->diag, kernel ? kernel->at : TRI_NO_SPAN, code_resource,
                   "%lld registers per thread are too few: an instruction of '%.*s' needs %lld; use %s",
                   (long long)limit, TRI_STR_ARG(name), (long long)needed,
                   is_bound ? "a larger -maxnreg" : "fewer warps or smaller blocks");
    return true;
}

bool tri_nvptx_tell_complaints(tri_unit *unit, tri_str code, tri_str input, tri_str output)
{
    teller t = {.unit = unit};
    if (tell_registers(unit, output))
        return true;
    bool is_source = unit->source && tri_str_equal(unit->source->text, code);
    for (tri_str text = code; text.len;)
        tri_vec_push(unit->arena, &t.lines, tri_str_take_line(&text));
    for (complaint c; output.len;)
        if (read_complaint(tri_str_take_line(&output), input, &c) && t.lines.len)
            tri_vec_push(unit->arena, &t.complaints, c);
    for (size_t i = 0; i < t.complaints.len; i++)
        tell_complaint(&t, &t.complaints.at[i], is_source);
    return t.complaints.len > 0;
}
