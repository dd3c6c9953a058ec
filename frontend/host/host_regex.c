/* Python's `re` in host code: what functions and patterns find and replace, and what a match tells. */
#include "frontend/host/host_eval.h"
#include "frontend/kernel/regex.h"

/* `v` has a slot for each name that the function's arguments have (tri_host_regex_run), null where none is given. */
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

/* The expression of a call with it and a text; null: it is none such. */
static const tri_regex *regex_and_text(tri_host *h, const tri_value *const *v)
{
    return v[0] && v[1] && v[1]->kind == TRI_VALUE_STR ? regex_of(h, v[0]) : NULL;
}

static const tri_value *match(tri_host *h, const tri_value *const *v, tri_span at, place where)
{
    const tri_regex *regex = regex_and_text(h, v);
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
    return match(h, v, at, at_start);
}

static const tri_value *run_fullmatch(PARAMS)
{
    UNUSED;
    return match(h, v, at, whole);
}

static const tri_value *run_search(PARAMS)
{
    UNUSED;
    return match(h, v, at, anywhere);
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
    if (!v[0] || !regex_of(h, v[0]))
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

/* All matches: what findall or finditer gives for each. */
static const tri_value *find_all(tri_host *h, const tri_value *const *v, tri_span at, bool are_objects)
{
    const tri_regex *regex = regex_and_text(h, v);
    tri_value_list all = {0};
    tri_regex_match m;
    tri_regex_result result = TRI_REGEX_YES;
    for (size_t from = 0; regex && result == TRI_REGEX_YES;) {
        result = find_from(h, at, regex, v[1]->string, from, anywhere, &m);
        if (result == TRI_REGEX_TOO_LONG)
            return NULL;
        if (result == TRI_REGEX_YES) {
            tri_value_push(h->arena, &all,
                           are_objects ? match_object(h, v[0], v[1]->string, &m) : found(h, &m, v[1]->string));
            from = m.group[0].end + (m.group[0].end == m.group[0].begin);
        }
    }
    return regex ? tri_value_sequence(h->arena, TRI_VALUE_LIST, all.len, all.at) : NULL;
}

static const tri_value *run_findall(PARAMS)
{
    UNUSED;
    return find_all(h, v, at, false);
}

static const tri_value *run_finditer(PARAMS)
{
    UNUSED;
    return find_all(h, v, at, true);
}

/* How often a `count` or `maxsplit` lets something be done; false: it is no number. */
static bool get_times(const tri_value *v, int64_t *out)
{
    *out = 0;
    bool ok = !v || tri_value_get_i64(v, out);
    *out = *out == 0 ? INT64_MAX : *out;
    return ok;
}

/* What groups took stands between the pieces. */
static const tri_value *run_split(PARAMS)
{
    UNUSED;
    const tri_regex *regex = regex_and_text(h, v);
    tri_value_list all = {0};
    tri_regex_match m;
    tri_regex_result result = TRI_REGEX_NO;
    size_t begin = 0, from = 0;
    int64_t times;
    if (!get_times(v[2], &times))
        return NULL;
    while (regex && times-- > 0 && from <= v[1]->string.len &&
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

/* The group that a template names behind its backslash: \1 or \g<name>; -1: it names none, `out_len` bytes long. */
static int group_of_template(const tri_regex *regex, tri_str text, const tri_regex_match *m, size_t *out_len)
{
    if (text.len && text.data[0] >= '1' && text.data[0] <= '9') {
        bool has_two = text.len > 1 && text.data[1] >= '0' && text.data[1] <= '9';
        *out_len = 1 + has_two;
        int number = has_two ? (text.data[0] - '0') * 10 + text.data[1] - '0' : text.data[0] - '0';
        return number < m->count ? number : -1;
    }
    size_t end = tri_str_find(text, '>');
    if (!tri_str_has_prefix(text, "g<") || end == text.len)
        return -1;
    tri_str name = tri_str_sub(text, 2, end);
    int64_t number;
    *out_len = end + 1;
    if (tri_str_to_i64(name, &number))
        return number >= 0 && number < m->count ? (int)number : -1;
    int group = tri_regex_group(regex, name);
    return group ? group : -1;
}

/* Writes what stands in the place of a match; false: the template is not understood. */
static bool add_template(tri_host *h, const tri_regex *regex, tri_str template, tri_str text, const tri_regex_match *m,
                         tri_span at, tri_buf *out)
{
    for (size_t i = 0, len = 0; i < template.len; i += len) {
        len = 1;
        if (template.data[i] != '\\') {
            tri_buf_add_char(out, template.data[i]);
            continue;
        }
        tri_str rest = tri_str_sub(template, ++i, template.len);
        if (rest.len && strchr("\\n", rest.data[0])) {
            tri_buf_add_char(out, rest.data[0] == 'n' ? '\n' : '\\');
            continue;
        }
        int group = group_of_template(regex, rest, m, &len);
        if (group < 0)
            return false;
        const tri_value *part = group_text(h, m, group, text);
        if (part->kind != TRI_VALUE_STR)
            continue;
        if (!tri_host_has_room(h, at, out->len + part->string.len))
            return false;
        tri_buf_add_str(out, part->string);
    }
    return true;
}

/* Writes what a template, or a function of the match, puts in the place of it. */
static bool add_replacement(tri_host *h, const tri_value *const *v, const tri_regex *regex, const tri_regex_match *m,
                            tri_span at, tri_buf *out)
{
    if (v[1]->kind == TRI_VALUE_STR)
        return add_template(h, regex, v[1]->string, v[2]->string, m, at, out);
    tri_host_args args = {0};
    tri_vec_push(h->arena, &args.at, (tri_host_arg){{0}, match_object(h, v[0], v[2]->string, m)});
    const tri_value *text = tri_host_call_value(h, v[1], &args, at);
    if (text && text->kind == TRI_VALUE_STR)
        tri_buf_add_str(out, text->string);
    return text && text->kind == TRI_VALUE_STR;
}

static const tri_value *run_sub(PARAMS)
{
    UNUSED;
    int64_t times;
    const tri_regex *regex = v[0] && v[1] && v[2] && v[2]->kind == TRI_VALUE_STR ? regex_of(h, v[0]) : NULL;
    if (!regex || !get_times(v[3], &times))
        return NULL;
    tri_str text = v[2]->string;
    tri_buf out = {0};
    tri_regex_match m;
    tri_regex_result result = TRI_REGEX_YES;
    bool ok = true;
    size_t from = 0;
    while (ok && times-- > 0 && from <= text.len &&
           (result = find_from(h, at, regex, text, from, anywhere, &m)) == TRI_REGEX_YES) {
        tri_buf_add_str(&out, tri_str_sub(text, from, m.group[0].begin));
        ok = add_replacement(h, v, regex, &m, at, &out) && tri_host_has_room(h, at, out.len);
        from = m.group[0].end;
        if (m.group[0].end > m.group[0].begin)
            continue;
        tri_buf_add_str(&out, tri_str_sub(text, from, from < text.len ? from + 1 : from));
        from++;
    }
    if (from < text.len)
        tri_buf_add_str(&out, tri_str_sub(text, from, text.len));
    const tri_value *made = NULL;
    if (ok && result != TRI_REGEX_TOO_LONG && tri_host_has_room(h, at, out.len))
        made = tri_value_str(h->arena, tri_str_copy(h->arena, tri_buf_str(&out)));
    tri_buf_fini(&out);
    return made;
}

static const tri_value *run_escape(PARAMS)
{
    UNUSED;
    tri_buf out = {0};
    if (!v[0] || v[0]->kind != TRI_VALUE_STR || !tri_host_has_room(h, at, 2 * v[0]->string.len))
        return NULL;
    for (size_t i = 0; i < v[0]->string.len; i++) {
        if (strchr("()[]{}?*+-|^$\\.&~# \t\n\r\v\f", v[0]->string.data[i]) && v[0]->string.data[i])
            tri_buf_add_char(&out, '\\');
        tri_buf_add_char(&out, v[0]->string.data[i]);
    }
    const tri_value *made = tri_value_str(h->arena, tri_str_copy(h->arena, tri_buf_str(&out)));
    tri_buf_fini(&out);
    return made;
}

/* ---- calls ---- */

enum { max_slots = 5 };

/* What the arguments of a function of `re` are called, in their order. */
static const char *const *names_of(tri_str path)
{
    static const char *const with_text[] = {"pattern", "string", "flags", NULL},
                             *const of_sub[] = {"pattern", "repl", "string", "count", "flags", NULL},
                             *const of_split[] = {"pattern", "string", "maxsplit", "flags", NULL},
                             *const alone[] = {"pattern", "flags", NULL};
    return tri_str_is(path, "re.compile") || tri_str_is(path, "re.escape") ? alone
           : tri_str_is(path, "re.sub")                                    ? of_sub
           : tri_str_is(path, "re.split")                                  ? of_split
                                                                           : with_text;
}

const tri_value *tri_host_regex_run(tri_host *h, tri_str path, const tri_host_args *args, tri_span at)
{
    const char *const *names = names_of(path);
    const tri_value *slots[max_slots + 1] = {NULL};
    size_t count = 0, flags;
    while (names[count])
        count++;
    for (size_t i = 0; i < args->at.len; i++) {
        size_t k = args->at.at[i].name.len ? 0 : i;
        while (args->at.at[i].name.len && k < count && !tri_str_is(args->at.at[i].name, names[k]))
            k++;
        if (k >= count || slots[k])
            return NULL;
        slots[k] = args->at.at[i].value;
    }
    flags = count - 1;
    if (slots[flags] && (!slots[0] || slots[0]->kind != TRI_VALUE_STR || slots[flags]->kind != TRI_VALUE_INT))
        return NULL;
    if (slots[flags]) /* as the same call of an expression that was compiled with them */
        slots[0] = pattern_object(h, slots[0], slots[flags]);
    return tri_host_regex_find(path)(h, flags, slots, args, at);
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

/* One group's part of `list`; null: there is no such group. */
static const tri_value *group_part(tri_host *h, const tri_value *match, const char *list, const tri_value *group)
{
    int64_t i = group_number(h, match, group != NULL, &group);
    return i < 0 ? NULL : field(match, list)->sequence.items.at[i];
}

/* What the groups took, those that took nothing as `absent`. */
static tri_value_list filled_texts(tri_host *h, const tri_value *match, const tri_value *absent)
{
    const tri_value_list *texts = &field(match, " texts")->sequence.items;
    tri_value_list all = {0};
    for (uint32_t i = 1; i < texts->len; i++)
        tri_value_push(h->arena, &all, texts->at[i]->kind == TRI_VALUE_NONE ? absent : texts->at[i]);
    return all;
}

static const tri_value *dict_of_groups(tri_host *h, const tri_value *match, const tri_value_list *texts)
{
    const tri_regex *regex = regex_of(h, field(match, "re"));
    tri_value *v = tri_value_dict_create(h->arena);
    for (uint32_t i = 0; i < texts->len; i++)
        if (tri_regex_name(regex, (int)i + 1).len)
            tri_value_dict_set(h->arena, v->dict, tri_value_str(h->arena, tri_regex_name(regex, (int)i + 1)),
                               texts->at[i]);
    return v;
}

static const tri_value *of_match(tri_host *h, const tri_value *match, tri_str name, size_t n, const tri_value *const *v)
{
    if (tri_str_has_prefix(name, "groups") || tri_str_is(name, "groupdict")) {
        tri_value_list texts = filled_texts(h, match, n ? v[0] : &tri_value_none);
        return n > 1                       ? NULL
               : tri_str_is(name, "groups") ? tri_value_sequence(h->arena, TRI_VALUE_TUPLE, texts.len, texts.at)
                                            : dict_of_groups(h, match, &texts);
    }
    const tri_value *group = n ? v[0] : NULL;
    if (tri_str_is(name, "span") || n > 1) {
        const tri_value **parts = TRI_NEW_ARRAY(h->arena, const tri_value *, n + 2);
        bool is_span = tri_str_is(name, "span"), ok = !is_span || n <= 1;
        size_t count = is_span ? 2 : n;
        for (size_t i = 0; i < count; i++) {
            parts[i] = group_part(h, match, !is_span ? " texts" : i ? " ends" : " begins", is_span ? group : v[i]);
            ok &= parts[i] && (is_span || tri_str_is(name, "group"));
        }
        return ok ? tri_value_sequence(h->arena, TRI_VALUE_TUPLE, (uint32_t)count, parts) : NULL;
    }
    return group_part(h, match,
                   tri_str_is(name, "start") ? " begins" : tri_str_is(name, "end") ? " ends" : " texts", group);
}

bool tri_host_regex_has_method(const tri_value *self, tri_str name)
{
    static const char *const of_pattern[] = {"match", "fullmatch", "search", "findall", "finditer",
                                                    "sub", "split", NULL},
                             *const of_match[] = {"group", "groups", "groupdict", "start", "end", "span", "__getitem__",
                                                  NULL};
    bool is_match = is_object(self, "re.Match"), is_known = false;
    for (const char *const *at = is_match ? of_match : of_pattern; *at; at++)
        is_known |= tri_str_is(name, *at);
    return is_known && (is_match || is_object(self, "re.Pattern"));
}

const tri_value *tri_host_regex_call(tri_host *h, const tri_value *self, tri_str name, const tri_host_args *args,
                                     tri_span at)
{
    tri_host_args all = {0};
    const tri_value **values = TRI_NEW_ARRAY(h->arena, const tri_value *, args->at.len + 1);
    tri_vec_push(h->arena, &all.at, (tri_host_arg){{0}, self});
    for (size_t i = 0; i < args->at.len; i++) {
        tri_vec_push(h->arena, &all.at, args->at.at[i]);
        values[i] = args->at.at[i].value;
    }
    if (is_object(self, "re.Match"))
        return of_match(h, self, name, args->at.len, values);
    return tri_host_regex_run(h, tri_str_format(h->arena, "re.%.*s", TRI_STR_ARG(name)), &all, at);
}
