#include "driver/expect.h"

#include "base/vec.h"

#include <regex.h>
#include <stdlib.h>

typedef struct {
    tri_severity severity;
    uint32_t line; /* 0: no place */
    tri_str text;
    tri_span at; /* of the comment */
    bool is_pattern; /* {{ }} in `text` hold regular expressions */
    bool is_met;
} expectation;

typedef struct {
    tri_severity severity;
    uint32_t line;
    tri_str text;
    tri_span at;
    bool is_expected;
} event;

typedef TRI_VEC(expectation) expectation_list;
typedef TRI_VEC(event) event_list;

static const struct {
    const char *word;
    tri_severity severity;
} words[] = {{"error", TRI_ERROR}, {"warning", TRI_WARNING}, {"note", TRI_NOTE}, {"remark", TRI_REMARK}};

static const char *word_of(tri_severity severity)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].severity == severity)
            return words[i].word;
    return "report";
}

static bool skip(const char **at, const char *word)
{
    if (strncmp(*at, word, strlen(word)))
        return false;
    *at += strlen(word);
    return true;
}

static const char mark[] = "expected-";

static bool has_comment(const tri_source *source, uint32_t line)
{
    const char *at = source->text.data + tri_source_offset(source, line, 1), *found = strstr(at, mark);
    return found && found < at + strcspn(at, "\n");
}

/* "@+1", "@above" ...; the line itself when nothing is there. */
static uint32_t parse_line(const tri_source *source, const char **at, uint32_t line)
{
    while (**at == ' ')
        ++*at;
    if (skip(at, "@unknown"))
        return 0;
    bool is_above = skip(at, "@above");
    if (is_above || skip(at, "@below")) {
        do
            line += is_above ? -1u : 1;
        while (line && has_comment(source, line));
        return line;
    }
    if (!skip(at, "@"))
        return line;
    char *end;
    long delta = strtol(*at, &end, 10);
    *at = end;
    return (uint32_t)((long)line + delta);
}

/* The last "}}" before the end of the line and before another comment; null when there is none. */
static const char *end_of_text(const char *at)
{
    size_t length = strcspn(at, "\n");
    const char *next = strstr(at, mark), *last = NULL;
    if (next && next < at + length)
        length = (size_t)(next - at);
    for (size_t i = 0; i + 2 <= length; i++)
        if (at[i] == '}' && at[i + 1] == '}')
            last = at + i;
    return last;
}

/* One comment at `at`, which points behind "expected-"; false when it is none. */
static bool parse(const tri_source *source, const char *at, expectation *out)
{
    uint32_t line, column, begin = (uint32_t)(at - source->text.data);
    size_t i = 0;
    while (i < sizeof words / sizeof *words && !skip(&at, words[i].word))
        i++;
    if (i == sizeof words / sizeof *words)
        return false;
    tri_source_position(source, begin, &line, &column);
    *out = (expectation){.severity = words[i].severity, .is_pattern = skip(&at, "-re")};
    out->line = parse_line(source, &at, line);
    while (*at == ' ')
        at++;
    const char *end = skip(&at, "{{") ? end_of_text(at) : NULL;
    if (!end)
        return false;
    out->text = (tri_str){at, (size_t)(end - at)};
    out->at = (tri_span){source, begin, (uint32_t)(end - source->text.data)};
    return true;
}

static void parse_all(tri_arena *arena, const tri_source *source, expectation_list *out)
{
    for (const char *at = source->text.data; (at = strstr(at, mark)); at++) {
        expectation e;
        if (parse(source, at + sizeof mark - 1, &e))
            tri_vec_push(arena, out, e);
    }
}

static void take_events(tri_arena *arena, tri_diag *diag, event_list *out)
{
    for (size_t i = 0; i < tri_diag_held_count(diag); i++) {
        event e = {0};
        uint32_t column;
        e.severity = tri_diag_held_at(diag, i, &e.at, &e.text);
        e.text = tri_str_copy(arena, e.text);
        if (e.at.source)
            tri_source_position(e.at.source, e.at.begin, &e.line, &column);
        tri_vec_push(arena, out, e);
    }
    tri_diag_drop(diag);
}

static bool contains(tri_str text, tri_str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (!memcmp(text.data + i, part.data, part.len))
            return true;
    return false;
}

/* The whole of an expected-...-re as one expression. */
static void add_pattern(tri_str text, tri_buf *out)
{
    bool is_inside = false;
    for (size_t i = 0; i < text.len; i++) {
        tri_str rest = tri_str_sub(text, i, text.len);
        if (tri_str_has_prefix(rest, is_inside ? "}}" : "{{")) {
            tri_buf_add_char(out, is_inside ? ')' : '(');
            is_inside = !is_inside;
            i++;
            continue;
        }
        if (!is_inside && strchr("\\^$.[]|()*+?{}", text.data[i]))
            tri_buf_add_char(out, '\\');
        tri_buf_add_char(out, text.data[i]);
    }
}

static bool has_text(tri_diag *diag, const expectation *x, tri_str text)
{
    if (!x->is_pattern)
        return contains(text, x->text);
    tri_buf pattern = {0};
    regex_t compiled;
    add_pattern(x->text, &pattern);
    bool is_good = !regcomp(&compiled, pattern.len ? pattern.data : "", REG_EXTENDED | REG_NOSUB), found = false;
    tri_buf_fini(&pattern);
    if (!is_good) {
        tri_diag_error(diag, x->at, 1010, "malformed regular expression");
        return false;
    }
    tri_buf whole = {0};
    tri_buf_add_str(&whole, text);
    found = !regexec(&compiled, whole.len ? whole.data : "", 0, NULL, 0);
    tri_buf_fini(&whole);
    regfree(&compiled);
    return found;
}

static void match(tri_diag *diag, expectation_list *expectations, event_list *events)
{
    for (size_t i = 0; i < events->len; i++) {
        event *e = &events->at[i];
        for (size_t j = 0; j < expectations->len && !e->is_expected; j++) {
            expectation *x = &expectations->at[j];
            if (!x->is_met && x->severity == e->severity && x->line == e->line && has_text(diag, x, e->text))
                x->is_met = e->is_expected = true;
        }
    }
}

bool tri_expect_check(tri_diag *diag, const tri_source *source, bool only_expected)
{
    tri_arena *arena = tri_arena_create();
    expectation_list expectations = {0};
    event_list events = {0};
    bool ok = true;
    parse_all(arena, source, &expectations);
    take_events(arena, diag, &events);
    match(diag, &expectations, &events);
    for (size_t i = 0; i < expectations.len; i++) {
        const expectation *x = &expectations.at[i];
        if (x->is_met)
            continue;
        ok = false;
        tri_diag_error(diag, x->at, 1010, "expected %s was not reported", word_of(x->severity));
    }
    for (size_t i = 0; i < events.len && !only_expected; i++) {
        const event *e = &events.at[i];
        /* Notes and remarks need no comment. */
        if (e->is_expected || e->severity < TRI_WARNING)
            continue;
        ok = false;
        tri_diag_error(diag, e->at, 1010, "unexpected %s: %.*s", word_of(e->severity), TRI_STR_ARG(e->text));
    }
    tri_arena_destroy(arena);
    return ok;
}
