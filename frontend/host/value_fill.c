/* Texts with places for values: `text.format(...)` and `text % values`. Each place is written by format(). */
#include "frontend/host/budget.h"
#include "frontend/host/value.h"

#include <ctype.h>

typedef struct {
    tri_value_ops *ops;
    tri_str text;
    size_t at;
    const tri_value_list *items; /* what the places take in turn */
    const tri_value_dict *named; /* what those of a name take; null: none has one */
    uint32_t next;
    tri_buf out;
} filler;

/* Null. */
static const tri_value *fail_fill(filler *f, const char *raises, const char *why)
{
    f->ops->error = tri_str_format(f->ops->arena, "%s in the format '%.*s'", why, TRI_STR_ARG(f->text));
    f->ops->raises = raises;
    return NULL;
}

static const tri_value *filled_text(filler *f, bool ok)
{
    const tri_value *v = ok ? tri_value_str(f->ops->arena, tri_str_copy(f->ops->arena, tri_buf_str(&f->out))) : NULL;
    tri_buf_fini(&f->out);
    return v;
}

static bool take_char(filler *f, char c)
{
    bool is_there = f->at < f->text.len && f->text.data[f->at] == c;
    f->at += is_there;
    return is_there;
}

/* Writes a value, or its repr() where `is_repr`. */
static bool put_value(filler *f, const tri_value *v, tri_str spec, bool is_repr)
{
    if (!tri_budget_has_room(f->ops->budget, tri_value_weigh(v, UINT64_C(1) << 30))) {
        f->ops->error = TRI_STR(TRI_BUDGET_NO_ROOM);
        f->ops->raises = NULL;
        return false;
    }
    if (is_repr)
        v = tri_value_str(f->ops->arena, tri_value_repr_str(f->ops->arena, v));
    const tri_value *text = tri_value_format(f->ops, v, spec);
    if (text)
        tri_buf_add_str(&f->out, text->string);
    return text;
}

static const tri_value *next_item(filler *f)
{
    return f->next < f->items->len ? f->items->at[f->next++]
                                   : fail_fill(f, "IndexError", "there are fewer values than places");
}

/* ---- text.format(...) ---- */

/* What "", "2" or "name", with "[key]" behind it, stands for. */
static const tri_value *named_item(filler *f, tri_str name)
{
    size_t bracket = tri_str_find(name, '[');
    tri_str first = tri_str_sub(name, 0, bracket), key = tri_str_sub(name, bracket, name.len);
    int64_t number;
    const tri_value *v;
    if (first.len == 0)
        v = next_item(f);
    else if (tri_str_to_i64(first, &number))
        v = number >= 0 && number < f->items->len ? f->items->at[number] : NULL;
    else
        v = tri_value_dict_find_str(f->named, first);
    if (!v)
        return f->ops->error.len ? NULL
                                 : fail_fill(f, isdigit((unsigned char)first.data[0]) ? "IndexError" : "KeyError",
                                             "there is no value for a place");
    if (!key.len)
        return v;
    if (key.len < 3 || key.data[key.len - 1] != ']' || tri_str_find(key, '.') < key.len)
        return fail_fill(f, NULL, "a place is not understood");
    key = tri_str_sub(key, 1, key.len - 1);
    return tri_value_subscript(f->ops, v,
                               tri_str_to_i64(key, &number) ? tri_value_int(f->ops->arena, number)
                                                            : tri_value_str(f->ops->arena, key));
}

/* The text up to one of `ends`, outside of braces; places in it are filled when `is_spec`. */
static bool read_until(filler *f, const char *ends, bool is_spec, tri_str *out)
{
    tri_buf made = {0};
    bool ok = true;
    while (ok && f->at < f->text.len && !strchr(ends, f->text.data[f->at])) {
        if (!is_spec || f->text.data[f->at] != '{') {
            tri_buf_add_char(&made, f->text.data[f->at++]);
            continue;
        }
        f->at++;
        size_t begin = f->at;
        while (f->at < f->text.len && f->text.data[f->at] != '}')
            f->at++;
        const tri_value *v = named_item(f, tri_str_sub(f->text, begin, f->at));
        ok = v && take_char(f, '}');
        if (ok)
            tri_value_print(v, &made);
    }
    *out = tri_str_copy(f->ops->arena, tri_buf_str(&made));
    tri_buf_fini(&made);
    return ok;
}

/* {name!r:spec}: the first brace is taken. */
static bool fill_place(filler *f)
{
    tri_str name, conversion = {0}, spec = {0};
    if (!read_until(f, "!:}", false, &name))
        return false;
    const tri_value *v = named_item(f, name);
    if (!v || (take_char(f, '!') && !read_until(f, ":}", false, &conversion)) ||
        (take_char(f, ':') && !read_until(f, "}", true, &spec)))
        return false;
    bool is_repr = tri_str_is(conversion, "r");
    if (!take_char(f, '}') || (conversion.len && !is_repr && !tri_str_is(conversion, "s")))
        return fail_fill(f, "ValueError", "a place is not understood");
    return put_value(f, v, spec, is_repr);
}

const tri_value *tri_value_format_text(tri_value_ops *ops, tri_str text, const tri_value_list *items,
                                       const tri_value_dict *named)
{
    filler f = {.ops = ops, .text = text, .items = items, .named = named};
    bool ok = true;
    while (ok && f.at < text.len) {
        char c = text.data[f.at++];
        bool is_brace = c == '{' || c == '}';
        if (!is_brace || take_char(&f, c))
            tri_buf_add_char(&f.out, c);
        else
            ok = c == '{' ? fill_place(&f) : fail_fill(&f, "ValueError", "a brace stands alone") != NULL;
    }
    return filled_text(&f, ok);
}

/* ---- text % values ---- */

static const tri_value *percent_item(filler *f)
{
    if (!take_char(f, '('))
        return next_item(f);
    size_t begin = f->at;
    while (f->at < f->text.len && f->text.data[f->at] != ')')
        f->at++;
    tri_str name = tri_str_sub(f->text, begin, f->at);
    const tri_value *v = f->named ? tri_value_dict_find_str(f->named, name) : NULL;
    return take_char(f, ')') && v ? v : fail_fill(f, "KeyError", "there is no value for a place");
}

/* A width or precision: digits, or '*' for the next value; -1 when there is none. False after a failure. */
static bool read_size(filler *f, int64_t *out)
{
    *out = -1;
    if (take_char(f, '*')) {
        const tri_value *v = next_item(f);
        return v && (tri_value_get_i64(v, out) || fail_fill(f, "TypeError", "'*' needs an integer"));
    }
    while (f->at < f->text.len && isdigit((unsigned char)f->text.data[f->at]) && *out < 100000000)
        *out = (*out < 0 ? 0 : *out * 10) + (f->text.data[f->at++] - '0');
    return true;
}

/* What `type` makes of the value: the integer of a float, one character of a number; null after a failure. */
static const tri_value *converted(filler *f, const tri_value *v, char type)
{
    double real;
    tri_int integer;
    if (strchr("di", type) && v->kind == TRI_VALUE_FLOAT && tri_value_get_float(v, &real) && real < 1e37 &&
        real > -1e37)
        return tri_value_int(f->ops->arena, (tri_int)real);
    if (strchr("dixXo", type) && !tri_value_get_int(v, &integer))
        return fail_fill(f, "TypeError", "a place needs an integer");
    if (strchr("eEfFgG", type) && !tri_value_is_number(v))
        return fail_fill(f, "TypeError", "a place needs a number");
    return v;
}

typedef struct {
    bool is_left, has_sign, has_blank, has_zeros, is_alternate;
    int64_t width, precision; /* -1: not given */
    char type;
} percent_spec;

/* [(name)][flags][width][.precision]type behind the '%'; the value goes to `out_value`. */
static bool read_percent(filler *f, percent_spec *out, const tri_value **out_value)
{
    const tri_value *named = f->at < f->text.len && f->text.data[f->at] == '(' ? percent_item(f) : NULL;
    if (!named && f->ops->error.len)
        return false;
    for (bool more = true; more;) {
        more = false;
        out->is_left |= take_char(f, '-') && (more = true);
        out->has_sign |= take_char(f, '+') && (more = true);
        out->has_blank |= take_char(f, ' ') && (more = true);
        out->has_zeros |= take_char(f, '0') && (more = true);
        out->is_alternate |= take_char(f, '#') && (more = true);
    }
    out->precision = -1;
    if (!read_size(f, &out->width))
        return false;
    if (take_char(f, '.') && !read_size(f, &out->precision))
        return false;
    if (out->precision < 0 && f->text.data[f->at - 1] == '.')
        out->precision = 0;
    *out_value = named ? named : percent_item(f);
    out->type = *out_value && f->at < f->text.len ? f->text.data[f->at++] : 0;
    if (!*out_value || (out->type && strchr("sdirxXoeEfFgG", out->type)))
        return *out_value != NULL;
    return fail_fill(f, "ValueError", "a place is not understood") != NULL;
}

/* The same as format() has it. */
static tri_str spec_text(filler *f, const percent_spec *spec)
{
    bool is_text = strchr("sr", spec->type), is_left = spec->is_left || spec->width < -1;
    tri_buf text = {0};
    tri_buf_add_z(&text, is_left ? "<" : is_text ? ">" : "");
    if (!is_text) {
        tri_buf_add_z(&text, spec->has_sign ? "+" : spec->has_blank ? " " : "");
        tri_buf_add_z(&text, spec->is_alternate ? "#" : "");
        tri_buf_add_z(&text, spec->has_zeros && !is_left ? "0" : "");
    }
    if (spec->width != -1)
        tri_buf_format(&text, "%lld", (long long)(spec->width < 0 ? -spec->width : spec->width));
    if (spec->precision >= 0)
        tri_buf_format(&text, ".%lld", (long long)spec->precision);
    tri_buf_add_char(&text, is_text ? 's' : spec->type == 'i' ? 'd' : spec->type);
    tri_str copy = tri_str_copy(f->ops->arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return copy;
}

/* Behind the '%'. */
static bool fill_percent(filler *f)
{
    percent_spec spec = {0};
    const tri_value *v;
    if (take_char(f, '%')) {
        tri_buf_add_char(&f->out, '%');
        return true;
    }
    if (!read_percent(f, &spec, &v))
        return false;
    v = converted(f, tri_value_unwrap(v), spec.type);
    if (v && spec.type == 's') {
        tri_buf text = {0};
        tri_value_print(v, &text);
        v = tri_value_str(f->ops->arena, tri_str_copy(f->ops->arena, tri_buf_str(&text)));
        tri_buf_fini(&text);
    }
    return v && put_value(f, v, spec_text(f, &spec), spec.type == 'r');
}

const tri_value *tri_value_percent(tri_value_ops *ops, tri_str text, const tri_value *v)
{
    tri_value_list one = {.at = &v, .len = 1, .cap = 1};
    v = tri_value_unwrap(v);
    filler f = {.ops = ops, .text = text, .items = &one, .named = v->kind == TRI_VALUE_DICT ? v->dict : NULL};
    if (v->kind == TRI_VALUE_TUPLE)
        f.items = &v->sequence.items;
    bool ok = true;
    while (ok && f.at < text.len) {
        char c = text.data[f.at++];
        if (c == '%')
            ok = fill_percent(&f);
        else
            tri_buf_add_char(&f.out, c);
    }
    if (ok && f.next < f.items->len && !f.named)
        ok = fail_fill(&f, "TypeError", "there are more values than places") != NULL;
    return filled_text(&f, ok);
}
