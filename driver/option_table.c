#include "driver/option_table.h"

enum { code_usage = 1002 };

/* Any TRI_VEC(tri_str), whatever type the compiler sees behind it. */
typedef struct __attribute__((may_alias)) {
    tri_str *at;
    size_t len, cap;
} any_words;

static bool takes_value(const tri_option_row *r) { return r->form != TRI_OPTION_FLAG && r->form != TRI_OPTION_LONG; }

bool tri_option_may_lack_value(const tri_option_row *r)
{
    return r->form == TRI_OPTION_OPTIONAL || r->form == TRI_OPTION_LONGOPT;
}

bool tri_option_is_long(const tri_option_row *r)
{
    return r->form == TRI_OPTION_LONG || r->form == TRI_OPTION_LONGOPT || r->form == TRI_OPTION_LONGARG;
}

/* Must the value have a character? Functions and numbers judge theirs. */
static bool is_never_empty(const tri_option_row *r)
{
    return r->act == TRI_OPTION_TEXT || r->act == TRI_OPTION_LIST;
}

/* The row for an option word without its dashes. `out_value` is what is joined to it; out_has says
 * whether anything is. */
static const tri_option_row *match(const tri_option_table *table, tri_str word, tri_str *out_value, bool *out_has)
{
    const tri_option_row *best = NULL;
    size_t best_len = 0;
    for (size_t i = 0; i < table->count; i++) {
        const tri_option_row *r = &table->rows[i];
        size_t len = r->name ? strlen(r->name) : 0;
        if (!len || !tri_str_has_prefix(word, r->name) || len < best_len)
            continue;
        tri_str rest = tri_str_sub(word, len, word.len);
        bool whole = rest.len == 0;
        bool equals = !whole && takes_value(r) && rest.data[0] == '=' &&
                      (r->form == TRI_OPTION_WORD || (len > 1 && r->form != TRI_OPTION_PREFIX));
        bool joined = !whole && (r->form == TRI_OPTION_JOINED || r->form == TRI_OPTION_PREFIX);
        if (!whole && !equals && !joined)
            continue;
        best = r;
        best_len = len;
        *out_has = !whole;
        *out_value = equals ? tri_str_sub(rest, 1, rest.len) : rest;
    }
    return best;
}

const tri_option_row *tri_option_take(const tri_option_table *table, tri_diag *diag, const tri_str *words, size_t count,
                                      size_t *i, tri_str *out_value, bool *out_unknown)
{
    tri_str word = words[*i];
    bool has_value = false;
    *out_value = TRI_STR("");
    const tri_option_row *r =
        match(table, tri_str_sub(word, tri_str_has_prefix(word, "--") ? 2 : 1, word.len), out_value, &has_value);
    *out_unknown = !r;
    if (!r || !takes_value(r) || tri_option_may_lack_value(r) || r->form == TRI_OPTION_PREFIX)
        return r;
    bool is_missing = !has_value && *i + 1 == count;
    if (!has_value && !is_missing)
        *out_value = words[++*i];
    if (is_missing || (is_never_empty(r) && !out_value->len)) {
        tri_diag_error(diag, TRI_NO_SPAN, code_usage, "'%.*s' needs a value: %s", TRI_STR_ARG(word), r->metavar);
        return NULL;
    }
    return r;
}

static bool take_number(tri_diag *diag, const tri_option_row *r, tri_str value, int *out)
{
    int64_t n;
    if (!tri_str_to_i64(value, &n) || n < r->lowest || n > r->highest) {
        tri_diag_error(diag, TRI_NO_SPAN, code_usage, "'-%s=%.*s' is not a number from %lld to %lld", r->name,
                       TRI_STR_ARG(value), (long long)r->lowest, (long long)r->highest);
        return false;
    }
    *out = (int)n;
    return true;
}

bool tri_option_apply(const tri_option_table *table, const tri_option_row *row, tri_str value, tri_arena *arena,
                      tri_diag *diag, void *fields, void *parser)
{
    void *field = (char *)fields + row->field;
    switch (row->act) {
    case TRI_OPTION_SET:
    case TRI_OPTION_CLEAR:
        *(bool *)field = row->act == TRI_OPTION_SET;
        return true;
    case TRI_OPTION_CHOOSE:
        *(unsigned *)field = (unsigned)row->lowest;
        return true;
    case TRI_OPTION_TEXT:
        *(tri_str *)field = value;
        return true;
    case TRI_OPTION_LIST: {
        any_words *list = field;
        tri_vec_push(arena, list, value);
        return true;
    }
    case TRI_OPTION_NUMBER:
        return take_number(diag, row, value, field);
    case TRI_OPTION_CALL:
        return table->run(row->call, parser, value);
    }
    return false;
}

/* Says `near`, an option of the table or one of its other words, as it is written. */
static void spell_near(const tri_option_table *table, const char *near, tri_buf *out)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->rows[i].name && !strcmp(table->rows[i].name, near)) {
            tri_option_spell(&table->rows[i], out);
            return;
        }
    }
    tri_buf_format(out, "-%s", near);
}

bool tri_option_report_unknown(const tri_option_table *table, tri_diag *diag, tri_str word)
{
    tri_arena *arena = tri_arena_create();
    tri_option_names names = {0};
    tri_buf text = {0};
    size_t dashes = tri_str_has_prefix(word, "--") ? 2 : 1;
    bool has_output = false;
    for (size_t i = 0; i < table->count; i++) {
        const tri_option_row *r = &table->rows[i];
        has_output = has_output || (r->name && !strcmp(r->name, "o"));
        if (r->name && r->help && strlen(r->name) > 1)
            tri_vec_push(arena, &names, r->name);
    }
    if (table->collect_more)
        table->collect_more(arena, &names);
    tri_str name = tri_str_sub(word, dashes, word.len);
    const char *near = tri_str_nearest(name, names.at, names.len);
    tri_buf_format(&text, "unknown option '%.*s'; ", TRI_STR_ARG(word));
    if (has_output && name.len > 1 && name.data[0] == 'o' && dashes == 1 && !near) {
        tri_buf_format(&text, "the output's name is given as '-o %.*s'",
                       TRI_STR_ARG(tri_str_sub(name, 1, name.len)));
    } else if ((near = tri_str_nearest(tri_str_sub(name, 0, tri_str_find(name, '=')), names.at, names.len))) {
        tri_buf_add_z(&text, "did you mean '");
        spell_near(table, near, &text);
        tri_buf_add_z(&text, "'?");
    } else {
        tri_buf_add_z(&text, "--help lists the known ones");
    }
    tri_diag_error(diag, TRI_NO_SPAN, code_usage, "%s", text.data);
    tri_buf_fini(&text);
    tri_arena_destroy(arena);
    return false;
}

const tri_option_row *tri_option_group(const tri_option_table *table, const tri_option_row *row)
{
    while (row > table->rows && row->name)
        row--;
    return row;
}

void tri_option_spell(const tri_option_row *row, tri_buf *out)
{
    tri_buf_format(out, "%s%s", tri_option_is_long(row) ? "--" : "-", row->name);
    switch (row->form) {
    case TRI_OPTION_FLAG:
    case TRI_OPTION_LONG:
        break;
    case TRI_OPTION_WORD:
        tri_buf_format(out, " %s", row->metavar);
        break;
    case TRI_OPTION_JOINED:
        tri_buf_format(out, "%s%s", strlen(row->name) == 1 && strchr("DI", *row->name) ? "" : " ", row->metavar);
        break;
    case TRI_OPTION_PREFIX:
        tri_buf_add_z(out, row->metavar);
        break;
    case TRI_OPTION_EQUALS:
    case TRI_OPTION_LONGARG:
        tri_buf_format(out, "=%s", row->metavar);
        break;
    case TRI_OPTION_OPTIONAL:
    case TRI_OPTION_LONGOPT:
        tri_buf_format(out, "[=%s]", row->metavar);
        break;
    }
}
