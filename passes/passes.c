#include "passes/passes.h"

#include <ctype.h>
#include <stdio.h>
#include <time.h>

#include "ir/context.h"
#include "ir/machines.h"
#include "ir/options.h"

#define X(name) extern const tri_pass tri_pass_##name;
#include "passes/passes.def"
#undef X

static const tri_pass *const registry[] = {
#define X(name) &tri_pass_##name,
#include "passes/passes.def"
#undef X
};

size_t tri_passes_count(void)
{
    return sizeof registry / sizeof *registry;
}

const tri_pass *tri_passes_at(size_t i)
{
    return registry[i];
}

/* Takes the next name of a comma-separated list. */
static bool next_name(tri_str *list, tri_str *out_name)
{
    if (!list->len)
        return false;
    size_t comma = tri_str_find(*list, ',');
    *out_name = tri_str_sub(*list, 0, comma);
    *list = tri_str_sub(*list, comma < list->len ? comma + 1 : comma, list->len);
    return true;
}

static bool list_has(const char *list, tri_str word)
{
    tri_str rest = tri_str_from(list), name;
    while (next_name(&rest, &name))
        if (tri_str_equal(name, word))
            return true;
    return false;
}

const tri_pass *tri_passes_find(tri_str name_or_alias)
{
    for (size_t i = 0; i < tri_passes_count(); i++)
        if (tri_str_is(name_or_alias, registry[i]->name))
            return registry[i];
    for (size_t i = 0; i < tri_passes_count(); i++)
        if (registry[i]->alias && list_has(registry[i]->alias, name_or_alias))
            return registry[i];
    return NULL;
}

void tri_passes_collect_names(tri_arena *arena, tri_pass_names *out)
{
    for (size_t i = 0; i < tri_passes_count(); i++) {
        tri_str rest = tri_str_from(registry[i]->alias), name;
        tri_vec_push(arena, out, registry[i]->name);
        while (next_name(&rest, &name))
            tri_vec_push(arena, out, tri_str_copy(arena, name).data);
    }
}

/* One entry of a pipeline; both strings point into its text. */
typedef struct {
    const tri_pass *pass;
    tri_str options;
} step;

typedef TRI_VEC(step) step_list;

typedef struct {
    tri_diag *diag;
    tri_arena *arena;
    tri_str text;
    size_t at;
    size_t depth; /* operations whose parentheses are open */
} parser;

/* The text becomes a source only when there is something to say about it. */
static tri_span span_of(parser *p, size_t begin, size_t end)
{
    const tri_source *source = tri_diag_find_source(p->diag, TRI_STR("<passes>"));
    if (!source || !tri_str_equal(source->text, p->text))
        source = tri_diag_add_source(p->diag, TRI_STR("<passes>"), p->text);
    return (tri_span){source, (uint32_t)begin, (uint32_t)end};
}

static size_t offset_of(const parser *p, tri_str part)
{
    return (size_t)(part.data - p->text.data);
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

static void report_unknown_pass(parser *p, tri_str name)
{
    tri_pass_names names = {0};
    tri_passes_collect_names(p->arena, &names);
    const char *near = tri_str_nearest(name, names.at, names.len);
    size_t at = offset_of(p, name);
    tri_span span = span_of(p, at, at + name.len);
    if (near)
        tri_diag_error(p->diag, span, 1008, "unknown pass '%.*s'; did you mean '%s'?", TRI_STR_ARG(name), near);
    else
        tri_diag_error(p->diag, span, 1008, "unknown pass '%.*s'; --list-passes names them all", TRI_STR_ARG(name));
}

/* Takes the next blank-separated "name" or "name=value" of an options text. */
static bool next_option(tri_str *rest, tri_str *out_name, tri_str *out_value)
{
    *rest = tri_str_trim(*rest);
    if (!rest->len)
        return false;
    size_t end = 0;
    while (end < rest->len && !isspace((unsigned char)rest->data[end]))
        end++;
    tri_str word = tri_str_sub(*rest, 0, end);
    *rest = tri_str_sub(*rest, end, rest->len);
    size_t eq = tri_str_find(word, '=');
    *out_name = tri_str_sub(word, 0, eq);
    *out_value = eq < word.len ? tri_str_sub(word, eq + 1, word.len) : TRI_STR("");
    return true;
}

/* The name part of a row. */
static tri_str option_name(const char *row)
{
    tri_str all = tri_str_from(row);
    tri_str head = tri_str_sub(all, 0, tri_str_find(all, ':'));
    return tri_str_sub(head, 0, tri_str_find(head, '='));
}

static bool parse_number(tri_str text, int64_t *out_value)
{
    *out_value = tri_str_is(text, "true");
    return *out_value || tri_str_is(text, "false") || tri_str_to_i64(text, out_value);
}

/* The value of an "=N" option is a number or a truth value, that of "=a|b" one of the words. */
static bool check_value(parser *p, const char *row, tri_str name, tri_str value)
{
    int64_t number;
    if (row[name.len] != '=')
        return true;
    tri_str form = tri_str_sub(tri_str_from(row), name.len + 1, tri_str_find(tri_str_from(row), ':'));
    bool is_number = tri_str_is(form, "N");
    if (is_number && parse_number(value, &number))
        return true;
    for (tri_str rest = form; !is_number && rest.len;) {
        size_t bar = tri_str_find(rest, '|');
        if (tri_str_equal(tri_str_sub(rest, 0, bar), value))
            return true;
        rest = tri_str_sub(rest, bar < rest.len ? bar + 1 : bar, rest.len);
    }
    size_t at = offset_of(p, name);
    tri_span span = span_of(p, at, at + name.len);
    if (is_number)
        tri_diag_error(p->diag, span, 1008, "pass option '%.*s' needs a number, not '%.*s'", TRI_STR_ARG(name),
                       TRI_STR_ARG(value));
    else
        tri_diag_error(p->diag, span, 1008, "pass option '%.*s' is one of %.*s, not '%.*s'", TRI_STR_ARG(name),
                       TRI_STR_ARG(form), TRI_STR_ARG(value));
    return false;
}

static bool check_option(parser *p, const tri_pass *pass, tri_str name, tri_str value)
{
    size_t count = 0;
    for (; pass->options && pass->options[count]; count++)
        if (tri_str_equal(option_name(pass->options[count]), name))
            return check_value(p, pass->options[count], name, value);
    const char **names = TRI_NEW_ARRAY(p->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = tri_str_copy(p->arena, option_name(pass->options[i])).data;
    const char *near = tri_str_nearest(name, names, count);
    size_t at = offset_of(p, name);
    tri_span span = span_of(p, at, at + name.len);
    if (near)
        tri_diag_error(p->diag, span, 1008, "pass '%s' has no option '%.*s'; did you mean '%s'?", pass->name,
                       TRI_STR_ARG(name), near);
    else
        tri_diag_error(p->diag, span, 1008, "pass '%s' has no option '%.*s'", pass->name, TRI_STR_ARG(name));
    return false;
}

/* The text up to `close`, which is consumed too. */
static bool take_until(parser *p, char close, tri_str *out_text)
{
    size_t begin = p->at;
    while (p->at < p->text.len && p->text.data[p->at] != close)
        p->at++;
    if (p->at == p->text.len) {
        tri_diag_error(p->diag, span_of(p, begin - 1, begin), 1008, "pass options lack their closing '%c'", close);
        return false;
    }
    *out_text = tri_str_sub(p->text, begin, p->at++);
    return true;
}

/* "{x=1}", "='x=1 y=2'", "=\"x=1\"" or "=x=1" behind a pass name. */
static bool parse_options(parser *p, tri_str *out_options)
{
    *out_options = TRI_STR("");
    char c = p->at < p->text.len ? p->text.data[p->at] : 0;
    if (c == '{') {
        p->at++;
        return take_until(p, '}', out_options);
    }
    if (c != '=')
        return true;
    p->at++;
    c = p->at < p->text.len ? p->text.data[p->at] : 0;
    if (c == '\'' || c == '"') {
        p->at++;
        return take_until(p, c, out_options);
    }
    size_t begin = p->at;
    while (p->at < p->text.len && p->text.data[p->at] != ',' && !isspace((unsigned char)p->text.data[p->at]))
        p->at++;
    *out_options = tri_str_sub(p->text, begin, p->at);
    return true;
}

static bool is_separator(char c)
{
    return c == ',' || isspace((unsigned char)c);
}

/* "builtin.module(" and its like, of which `name` is read, or a parenthesis that closes one. */
static bool take_anchor(parser *p, tri_str name)
{
    char c = p->at < p->text.len ? p->text.data[p->at] : 0;
    bool opens = c == '(' && name.len, closes = c == ')' && !name.len && p->depth;
    p->depth += opens;
    p->depth -= closes;
    p->at += opens || closes;
    return opens || closes;
}

static bool parse_step(parser *p, step_list *out_steps)
{
    while (p->at < p->text.len && p->text.data[p->at] == '-')
        p->at++;
    size_t begin = p->at;
    while (p->at < p->text.len && is_name_char(p->text.data[p->at]))
        p->at++;
    tri_str name = tri_str_sub(p->text, begin, p->at);
    if (take_anchor(p, name))
        return true;
    if (!name.len) {
        tri_diag_error(p->diag, span_of(p, begin, begin < p->text.len ? begin + 1 : begin), 1008,
                       "expected the name of a pass");
        return false;
    }
    step s = {tri_passes_find(name), TRI_STR("")};
    if (!s.pass) {
        report_unknown_pass(p, name);
        return false;
    }
    if (!parse_options(p, &s.options))
        return false;
    tri_str rest = s.options, option, value;
    while (next_option(&rest, &option, &value))
        if (!check_option(p, s.pass, option, value))
            return false;
    if (p->at < p->text.len && !is_separator(p->text.data[p->at]) && p->text.data[p->at] != ')') {
        tri_diag_error(p->diag, span_of(p, p->at, p->at + 1), 1008, "expected ',' after pass '%s'", s.pass->name);
        return false;
    }
    tri_vec_push(p->arena, out_steps, s);
    return true;
}

static bool report_open(parser *p)
{
    tri_diag_error(p->diag, span_of(p, p->text.len, p->text.len), 1008, "expected ')' at the end of the passes");
    return false;
}

static bool parse(tri_diag *diag, tri_arena *arena, const char *pipeline, step_list *out_steps)
{
    parser p = {diag, arena, tri_str_from(pipeline), 0, 0};
    for (;;) {
        while (p.at < p.text.len && is_separator(p.text.data[p.at]))
            p.at++;
        if (p.at == p.text.len)
            return !p.depth || report_open(&p);
        if (!parse_step(&p, out_steps))
            return false;
    }
}

bool tri_passes_check(tri_diag *diag, const char *pipeline)
{
    tri_arena *arena = tri_arena_create();
    step_list steps = {0};
    bool ok = parse(diag, arena, pipeline, &steps);
    tri_arena_destroy(arena);
    return ok;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Whether the module is valid. What the verifier says of a broken one is said of the compiler, not of the user's
 * kernel: `who` names what made it. */
static bool verify(tri_unit *unit, const char *who)
{
    tri_span at = TRI_NO_SPAN;
    tri_buf said = {0};
    tri_diag_hold(unit->diag);
    bool ok = tri_context_verify(unit->module);
    for (size_t i = 0; !ok && !said.len && i < tri_diag_held_count(unit->diag); i++) {
        tri_str text;
        if (tri_diag_held_at(unit->diag, i, &at, &text) == TRI_ERROR)
            tri_buf_add_str(&said, text);
    }
    if (ok)
        tri_diag_release(unit->diag);
    else
        tri_diag_drop(unit->diag);
    if (!ok) {
        tri_diag_error(unit->diag, at, 8001, "internal error: invalid IR after %s: %.*s", who, (int)said.len,
                       said.data);
        tri_diag_note(unit->diag, TRI_NO_SPAN, "this is a fault of tritcc, not of the kernel; please report it");
    }
    tri_buf_fini(&said);
    return ok;
}

static bool verify_step(tri_unit *unit, const tri_pass *pass)
{
    char who[128];
    snprintf(who, sizeof who, "pass '%s'", pass->name);
    return verify(unit, who);
}

static bool run_step(tri_unit *unit, const step *s, const tri_pass_hooks *hooks)
{
    if (hooks && hooks->before)
        hooks->before(hooks->data, s->pass, unit->module);
    double start = hooks && hooks->after ? now() : 0;
    tri_arena *arena = tri_arena_create();
    tri_pass_run run = {unit->module, unit, arena, s->options};
    size_t errors = tri_diag_error_count(unit->diag);
    bool ok = s->pass->run(&run);
    tri_arena_destroy(arena);
    double seconds = hooks && hooks->after ? now() - start : 0;
    if (!ok && tri_diag_error_count(unit->diag) == errors)
        TRI_BUG("pass '%s' failed without a report", s->pass->name);
    if (ok && unit->options->verify_each)
        ok = verify_step(unit, s->pass);
    if (ok && hooks && hooks->after)
        hooks->after(hooks->data, s->pass, unit->module, seconds);
    return ok;
}

bool tri_passes_run(tri_unit *unit, const char *pipeline, const tri_pass_hooks *hooks)
{
    tri_arena *arena = tri_arena_create();
    step_list steps = {0};
    bool ok = tri_machines_check(unit->diag, mlirModuleGetOperation(unit->module)) &&
              parse(unit->diag, arena, pipeline, &steps);
    for (size_t i = 0; ok && i < steps.len; i++)
        ok = run_step(unit, &steps.at[i], hooks);
    tri_arena_destroy(arena);
    if (ok && !unit->options->verify_each)
        ok = verify(unit, "the passes (-verify-each says after which)");
    return ok;
}

tri_str tri_passes_option_str(const tri_pass_run *run, const char *name, const char *if_absent)
{
    tri_str rest = run->options, option, value;
    while (next_option(&rest, &option, &value))
        if (tri_str_is(option, name))
            return value;
    return tri_str_from(if_absent);
}

int64_t tri_passes_option_int(const tri_pass_run *run, const char *name, int64_t if_absent)
{
    tri_str text = tri_passes_option_str(run, name, NULL);
    int64_t value;
    return text.data && parse_number(text, &value) ? value : if_absent;
}
