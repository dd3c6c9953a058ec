/* Python's `re` in host code: match, fullmatch, search, findall, split, sub and compile, and what a match tells. */
#include "frontend/host/host_eval.h"
#include "frontend/kernel/regex.h"

#define PARAMS tri_host *h, size_t n, const tri_value *const *v, const tri_host_args *args, tri_span at
#define UNUSED (void)h, (void)n, (void)v, (void)args, (void)at

typedef enum { at_start, whole, anywhere } place;

static bool is_object(const tri_value *v, const char *path)
{
    return v->kind == TRI_VALUE_OBJECT && tri_str_is(v->object.path, path);
}

static const tri_value *field(const tri_value *object, const char *name)
{
    return tri_value_dict_find_str(object->object.fields, tri_str_from(name));
}

/* The text of a pattern, or of what re.compile made of it. */
static const tri_regex *regex_of(tri_host *h, const tri_value *v)
{
    int64_t flags = 0;
    if (is_object(v, "re.Pattern")) {
        tri_value_get_i64(field(v, "flags"), &flags);
        v = field(v, "pattern");
    }
    return v->kind == TRI_VALUE_STR ? tri_regex_compile(h->arena, v->string, (int)flags) : NULL;
}

static tri_regex_result find_from(tri_host *h, tri_span at, const tri_regex *regex, tri_str text, size_t from,
                                  place where, tri_regex_match *out)
{
    tri_regex_result result = TRI_REGEX_NO;
    for (size_t i = from; i <= text.len && result == TRI_REGEX_NO; i++) {
        result = tri_regex_match_at(regex, text, i, where == whole, out);
        if (!tri_host_step(h, at, (uint64_t)out->steps / 16 + 1))
            result = TRI_REGEX_TOO_LONG;
        if (where != anywhere)
            break;
    }
    return result;
}

static const tri_value *group_text(tri_host *h, const tri_regex_match *m, int i, tri_str text)
{
    return m->group[i].is_set ? tri_value_str(h->arena, tri_str_sub(text, m->group[i].begin, m->group[i].end))
                              : &tri_value_none;
}

static const tri_value *match_object(tri_host *h, const tri_value *pattern, tri_str text, const tri_regex_match *m)
{
    tri_value *o = tri_value_object_create(h->arena, "re.Match");
    tri_value_list texts = {0}, begins = {0}, ends = {0};
    for (int i = 0; i < m->count; i++) {
        bool is_set = m->group[i].is_set;
        tri_value_push(h->arena, &texts, group_text(h, m, i, text));
        tri_value_push(h->arena, &begins, tri_value_int(h->arena, is_set ? (tri_int)m->group[i].begin : -1));
        tri_value_push(h->arena, &ends, tri_value_int(h->arena, is_set ? (tri_int)m->group[i].end : -1));
    }
    tri_value_set_field(h->arena, o, "re", pattern);
    tri_value_set_field(h->arena, o, "string", tri_value_str(h->arena, text));
    tri_value_set_field(h->arena, o, " texts", tri_value_sequence(h->arena, TRI_VALUE_TUPLE, texts.len, texts.at));
    tri_value_set_field(h->arena, o, " begins", tri_value_sequence(h->arena, TRI_VALUE_TUPLE, begins.len, begins.at));
    tri_value_set_field(h->arena, o, " ends", tri_value_sequence(h->arena, TRI_VALUE_TUPLE, ends.len, ends.at));
    return o;
}

/* The expression of a call with it and a text alone; null: it is none such. */
static const tri_regex *regex_and_text(tri_host *h, size_t n, const tri_value *const *v, const tri_host_args *args)
{
    return n == 2 && args->at.len == 2 && v[1]->kind == TRI_VALUE_STR ? regex_of(h, v[0]) : NULL;
}

static const tri_value *match(tri_host *h, size_t n, const tri_value *const *v, const tri_host_args *args, tri_span at,
                              place where)
{
    const tri_regex *regex = regex_and_text(h, n, v, args);
    tri_regex_match m;
    if (!regex)
        return NULL;
    tri_regex_result result = find_from(h, at, regex, v[1]->string, 0, where, &m);
    if (result == TRI_REGEX_TOO_LONG)
        return NULL;
    return result == TRI_REGEX_YES ? match_object(h, v[0], v[1]->string, &m) : &tri_value_none;
}

static const tri_value *run_match(PARAMS)
{
    UNUSED;
    return match(h, n, v, args, at, at_start);
}

static const tri_value *run_fullmatch(PARAMS)
{
    UNUSED;
    return match(h, n, v, args, at, whole);
}

static const tri_value *run_search(PARAMS)
{
    UNUSED;
    return match(h, n, v, args, at, anywhere);
}

static const tri_value *pattern_object(tri_host *h, const tri_value *text, const tri_value *flags)
{
    tri_value *o = tri_value_object_create(h->arena, "re.Pattern");
    tri_value_set_field(h->arena, o, "pattern", text);
    tri_value_set_field(h->arena, o, "flags", flags);
    return o;
}

static const tri_value *run_compile(PARAMS)
{
    UNUSED;
    if (n != 1 || args->at.len != 1 || !regex_of(h, v[0]))
        return NULL;
    return is_object(v[0], "re.Pattern") ? v[0] : pattern_object(h, v[0], tri_value_int(h->arena, 0));
}

/* What findall gives for one match: the whole without groups, the one group, or all of them. */
static const tri_value *found(tri_host *h, const tri_regex_match *m, tri_str text)
{
    tri_value_list groups = {0};
    for (int i = m->count > 1; i < m->count; i++) {
        const tri_value *group = group_text(h, m, i, text);
        tri_value_push(h->arena, &groups, group->kind == TRI_VALUE_STR ? group : tri_value_str(h->arena, TRI_STR("")));
    }
    return groups.len == 1 ? groups.at[0] : tri_value_sequence(h->arena, TRI_VALUE_TUPLE, groups.len, groups.at);
}

static const tri_value *run_findall(PARAMS)
{
    UNUSED;
    const tri_regex *regex = regex_and_text(h, n, v, args);
    tri_value_list all = {0};
    tri_regex_match m;
    tri_regex_result result = TRI_REGEX_YES;
    for (size_t from = 0; regex && result == TRI_REGEX_YES;) {
        result = find_from(h, at, regex, v[1]->string, from, anywhere, &m);
        if (result == TRI_REGEX_TOO_LONG)
            return NULL;
        if (result == TRI_REGEX_YES) {
            tri_value_push(h->arena, &all, found(h, &m, v[1]->string));
            from = m.group[0].end + (m.group[0].end == m.group[0].begin);
        }
    }
    return regex ? tri_value_sequence(h->arena, TRI_VALUE_LIST, all.len, all.at) : NULL;
}

/* re.split without a limit; what groups took stands between the pieces. */
static const tri_value *run_split(PARAMS)
{
    UNUSED;
    const tri_regex *regex = regex_and_text(h, n, v, args);
    tri_value_list all = {0};
    tri_regex_match m;
    tri_regex_result result = TRI_REGEX_NO;
    size_t begin = 0, from = 0;
    while (regex && from <= v[1]->string.len &&
           (result = find_from(h, at, regex, v[1]->string, from, anywhere, &m)) == TRI_REGEX_YES) {
        tri_value_push(h->arena, &all, tri_value_str(h->arena, tri_str_sub(v[1]->string, begin, m.group[0].begin)));
        for (int i = 1; i < m.count; i++)
            tri_value_push(h->arena, &all, group_text(h, &m, i, v[1]->string));
        begin = m.group[0].end;
        from = begin + (m.group[0].end == m.group[0].begin);
    }
    if (!regex || result == TRI_REGEX_TOO_LONG)
        return NULL;
    tri_value_push(h->arena, &all, tri_value_str(h->arena, tri_str_sub(v[1]->string, begin, v[1]->string.len)));
    return tri_value_sequence(h->arena, TRI_VALUE_LIST, all.len, all.at);
}

/* re.sub with a plain text in the place of each match. */
static const tri_value *run_sub(PARAMS)
{
    UNUSED;
    if (n != 3 || args->at.len != 3 || v[1]->kind != TRI_VALUE_STR || v[2]->kind != TRI_VALUE_STR ||
        tri_str_find(v[1]->string, '\\') < v[1]->string.len)
        return NULL;
    const tri_regex *regex = regex_of(h, v[0]);
    tri_str text = v[2]->string;
    tri_buf out = {0};
    tri_regex_match m;
    tri_regex_result result = TRI_REGEX_YES;
    size_t from = 0;
    while (regex && from <= text.len && (result = find_from(h, at, regex, text, from, anywhere, &m)) == TRI_REGEX_YES) {
        tri_buf_add_str(&out, tri_str_sub(text, from, m.group[0].begin));
        tri_buf_add_str(&out, v[1]->string);
        from = m.group[0].end;
        if (m.group[0].end > m.group[0].begin)
            continue;
        tri_buf_add_str(&out, tri_str_sub(text, from, from < text.len ? from + 1 : from));
        from++;
    }
    if (from < text.len)
        tri_buf_add_str(&out, tri_str_sub(text, from, text.len));
    const tri_value *made = tri_value_str(h->arena, tri_str_copy(h->arena, tri_buf_str(&out)));
    tri_buf_fini(&out);
    return regex && result != TRI_REGEX_TOO_LONG ? made : NULL;
}

const tri_value *tri_host_regex_run(tri_host *h, tri_str path, tri_host_builtin *run, size_t n,
                                    const tri_value *const *v, const tri_host_args *args, tri_span at)
{
    size_t place = tri_str_is(path, "re.compile")                                   ? 1
                   : tri_str_is(path, "re.sub") || tri_str_is(path, "re.split") ? SIZE_MAX
                                                                                : 2; /* where flags may stand unnamed */
    const tri_value *flags = n == place + 1 && args->at.len == n ? v[place] : NULL;
    const tri_host_arg *last = args->at.len ? &args->at.at[args->at.len - 1] : NULL;
    if (last && args->at.len == n + 1 && tri_str_is(last->name, "flags"))
        flags = last->value;
    int64_t value;
    if (!flags || !n || v[0]->kind != TRI_VALUE_STR || !tri_value_get_i64(flags, &value))
        return run(h, n, v, args, at);
    /* as the same call of an expression that was compiled with them */
    tri_host_args fewer = {0};
    size_t count = args->at.len - 1;
    const tri_value **values = TRI_NEW_ARRAY(h->arena, const tri_value *, count + 1);
    for (size_t i = 0; i < count; i++)
        values[i] = i ? v[i] : pattern_object(h, v[0], flags);
    for (size_t i = 0; i < count; i++)
        tri_vec_push(h->arena, &fewer.at, (tri_host_arg){{0}, values[i]});
    return run(h, count, values, &fewer, at);
}

tri_host_builtin *tri_host_regex_find(tri_str path)
{
    static const struct {
        const char *path;
        tri_host_builtin *run;
    } rows[] = {
#define REGEX(path, function) {path, function},
#include "frontend/host/host_builtins.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tri_str_is(path, rows[i].path))
            return rows[i].run;
    return NULL;
}

/* ---- methods ---- */

/* Number of the group that an argument names, 0 without one; -1 when there is none. */
static int64_t group_number(tri_host *h, const tri_value *match, size_t n, const tri_value *const *v)
{
    int64_t i = 0, count = field(match, " texts")->sequence.items.len;
    if (n == 0)
        return 0;
    if (v[0]->kind == TRI_VALUE_STR) {
        i = tri_regex_group(regex_of(h, field(match, "re")), v[0]->string);
        return i ? i : -1;
    }
    return n == 1 && tri_value_get_i64(v[0], &i) && i >= 0 && i < count ? i : -1;
}

static const tri_value *of_match(tri_host *h, const tri_value *match, tri_str name, size_t n, const tri_value *const *v)
{
    const tri_value_list *texts = &field(match, " texts")->sequence.items;
    if (tri_str_is(name, "groups"))
        return n == 0 ? tri_value_sequence(h->arena, TRI_VALUE_TUPLE, texts->len - 1, texts->at + 1) : NULL;
    int64_t i = group_number(h, match, n, v);
    if (i < 0)
        return NULL;
    const char *list = tri_str_is(name, "group") ? " texts" : tri_str_is(name, "start") ? " begins" : " ends";
    return field(match, list)->sequence.items.at[i];
}

bool tri_host_regex_has_method(const tri_value *self, tri_str name)
{
    if (is_object(self, "re.Match"))
        return tri_str_is(name, "group") || tri_str_is(name, "groups") || tri_str_is(name, "start") ||
               tri_str_is(name, "end");
    static const char *const names[] = {"match", "fullmatch", "search", "findall", "sub", "split"};
    bool is_known = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_known |= tri_str_is(name, names[i]);
    return is_known && is_object(self, "re.Pattern");
}

const tri_value *tri_host_regex_call(tri_host *h, const tri_value *self, tri_str name, size_t n,
                                     const tri_value *const *v, tri_span at)
{
    if (is_object(self, "re.Match"))
        return of_match(h, self, name, n, v);
    tri_host_builtin *run = tri_host_regex_find(tri_str_format(h->arena, "re.%.*s", TRI_STR_ARG(name)));
    const tri_value **values = TRI_NEW_ARRAY(h->arena, const tri_value *, n + 1);
    tri_host_args args = {0};
    values[0] = self;
    for (size_t i = 0; i < n; i++)
        values[i + 1] = v[i];
    for (size_t i = 0; i <= n; i++)
        tri_vec_push(h->arena, &args.at, (tri_host_arg){{0}, values[i]});
    return run(h, n + 1, values, &args, at);
}
