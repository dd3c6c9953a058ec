/* repr(), str() and format() of values. */
#include "frontend/host/host_eval.h"
#include "frontend/kernel/types.h"
#include "frontend/host/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *tri_value_type_name(const tri_value *v)
{
    static const char *const names[] = {
        "NoneType", "ellipsis",        "bool",  "int",       "float", "str",      "bytes",   "tuple",  "list", "set",
        "dict",     "range",           "slice", "constexpr", "dtype", "function", "builtin", "module", "type", "object",
        "method",   "external object",
    };
    return names[v->kind];
}

static void add_int(tri_buf *out, tri_int value, unsigned base, bool is_upper)
{
    char digits[130];
    unsigned n = 0;
    unsigned __int128 u = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
    do {
        unsigned d = (unsigned)(u % base);
        digits[n++] = (char)(d < 10 ? '0' + d : (is_upper ? 'A' : 'a') + d - 10);
        u /= base;
    } while (u);
    if (value < 0)
        tri_buf_add_char(out, '-');
    while (n)
        tri_buf_add_char(out, digits[--n]);
}

/* The shortest digits that read back to the same double, in Python's notation. */
static void add_float(tri_buf *out, double d)
{
    if (isnan(d) || isinf(d)) {
        tri_buf_add_z(out, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
        return;
    }
    char text[40];
    int precision = 0;
    do
        snprintf(text, sizeof text, "%.*e", precision, d);
    while (strtod(text, NULL) != d && ++precision < 17);
    int exponent = atoi(strchr(text, 'e') + 1);
    if (exponent < -4 || exponent >= 16) {
        char *e = strchr(text, 'e');
        tri_buf_add(out, text, (size_t)(e - text));
        tri_buf_format(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
        return;
    }
    int decimals = precision - exponent;
    tri_buf_format(out, "%.*f", decimals > 0 ? decimals : 1, d);
}

static void add_quoted(tri_buf *out, tri_str s, bool is_bytes)
{
    bool has_single = tri_str_find(s, '\'') < s.len, has_double = tri_str_find(s, '"') < s.len;
    char quote = has_single && !has_double ? '"' : '\'';
    if (is_bytes)
        tri_buf_add_char(out, 'b');
    tri_buf_add_char(out, quote);
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c == '\\' || c == (unsigned char)quote)
            tri_buf_format(out, "\\%c", c);
        else if (c == '\n')
            tri_buf_add_z(out, "\\n");
        else if (c == '\t')
            tri_buf_add_z(out, "\\t");
        else if (c == '\r')
            tri_buf_add_z(out, "\\r");
        else if (c < 0x20 || c == 0x7f || (is_bytes && c >= 0x80))
            tri_buf_format(out, "\\x%02x", c);
        else
            tri_buf_add_char(out, (char)c);
    }
    tri_buf_add_char(out, quote);
}

/* Lists can hold themselves. */
enum { MAX_DEPTH = 100 };

static void add_value(tri_buf *out, const tri_value *v, unsigned depth);

static void add_items(tri_buf *out, const tri_value_list *items, unsigned depth)
{
    for (uint32_t i = 0; i < items->len; i++) {
        if (i)
            tri_buf_add_z(out, ", ");
        add_value(out, items->at[i], depth);
    }
}

static void add_tuple(tri_buf *out, const tri_value *v, unsigned depth)
{
    const tri_value_list *items = &v->sequence.items;
    const tri_class *cls = v->sequence.cls;
    if (!cls) {
        tri_buf_add_char(out, '(');
        add_items(out, items, depth);
        tri_buf_add_z(out, items->len == 1 ? ",)" : ")");
        return;
    }
    tri_buf_format(out, "%.*s(", TRI_STR_ARG(cls->name));
    for (uint32_t i = 0; i < items->len; i++) {
        tri_buf_format(out, "%s%.*s=", i ? ", " : "", TRI_STR_ARG(cls->fields.at[i]));
        add_value(out, items->at[i], depth);
    }
    tri_buf_add_char(out, ')');
}

static void add_dict(tri_buf *out, const tri_value_dict *dict, unsigned depth)
{
    tri_buf_add_char(out, '{');
    for (uint32_t i = 0; i < dict->keys.len; i++) {
        if (i)
            tri_buf_add_z(out, ", ");
        add_value(out, dict->keys.at[i], depth);
        tri_buf_add_z(out, ": ");
        add_value(out, dict->values.at[i], depth);
    }
    tri_buf_add_char(out, '}');
}

/* What an exception was made of; null: it is none. */
static const tri_value_list *exception_args(const tri_value *v)
{
    bool is_one = v->kind == TRI_VALUE_OBJECT && (v->object.cls ? tri_host_exception_is_derived(v->object.cls)
                                                                : tri_host_exception_is_class(v->object.path));
    if (!is_one)
        return NULL;
    const tri_value *args = tri_value_dict_find_str(v->object.fields, TRI_STR("args"));
    return args ? &args->sequence.items : NULL; /* of one that this evaluator raised, they are not known */
}

static void add_object(tri_buf *out, const tri_value *v, unsigned depth)
{
    const tri_value_list *args = exception_args(v);
    if (args) {
        tri_buf_add_str(out, v->object.cls ? v->object.cls->name : v->object.path);
        tri_buf_add_char(out, '(');
        add_items(out, args, depth);
        tri_buf_add_char(out, ')');
        return;
    }
    tri_str name = v->object.cls ? v->object.cls->name : v->object.path;
    tri_buf_format(out, "%.*s(", TRI_STR_ARG(name));
    const tri_value_dict *fields = v->object.fields;
    for (uint32_t i = 0; i < fields->keys.len; i++) {
        tri_buf_format(out, "%s%.*s=", i ? ", " : "", TRI_STR_ARG(fields->keys.at[i]->string));
        add_value(out, fields->values.at[i], depth);
    }
    tri_buf_add_char(out, ')');
}

static void add_range(tri_buf *out, const tri_value *v)
{
    tri_buf_add_z(out, "range(");
    add_int(out, v->range.start, 10, false);
    tri_buf_add_z(out, ", ");
    add_int(out, v->range.stop, 10, false);
    if (v->range.step != 1) {
        tri_buf_add_z(out, ", ");
        add_int(out, v->range.step, 10, false);
    }
    tri_buf_add_char(out, ')');
}

static void add_value(tri_buf *out, const tri_value *v, unsigned depth)
{
    if (depth++ > MAX_DEPTH) {
        tri_buf_add_z(out, "...");
        return;
    }
    switch (v->kind) {
    case TRI_VALUE_NONE: tri_buf_add_z(out, "None"); return;
    case TRI_VALUE_ELLIPSIS: tri_buf_add_z(out, "Ellipsis"); return;
    case TRI_VALUE_BOOL: tri_buf_add_z(out, v->boolean ? "True" : "False"); return;
    case TRI_VALUE_INT: add_int(out, v->integer, 10, false); return;
    case TRI_VALUE_FLOAT: add_float(out, v->real); return;
    case TRI_VALUE_STR: add_quoted(out, v->string, false); return;
    case TRI_VALUE_BYTES: add_quoted(out, v->string, true); return;
    case TRI_VALUE_TUPLE: add_tuple(out, v, depth); return;
    case TRI_VALUE_LIST:
        tri_buf_add_char(out, '[');
        add_items(out, &v->sequence.items, depth);
        tri_buf_add_char(out, ']');
        return;
    case TRI_VALUE_SET:
        tri_buf_add_z(out, v->sequence.items.len ? "{" : "set(");
        add_items(out, &v->sequence.items, depth);
        tri_buf_add_char(out, v->sequence.items.len ? '}' : ')');
        return;
    case TRI_VALUE_DICT: add_dict(out, v->dict, depth); return;
    case TRI_VALUE_RANGE: add_range(out, v); return;
    case TRI_VALUE_SLICE:
        tri_buf_add_z(out, "slice(");
        add_value(out, v->slice.start, depth);
        tri_buf_add_z(out, ", ");
        add_value(out, v->slice.stop, depth);
        tri_buf_add_z(out, ", ");
        add_value(out, v->slice.step, depth);
        tri_buf_add_char(out, ')');
        return;
    case TRI_VALUE_CONSTEXPR:
        tri_buf_add_z(out, "constexpr[");
        add_value(out, v->inner, depth);
        tri_buf_add_char(out, ']');
        return;
    case TRI_VALUE_DTYPE: tri_types_print(v->type, out); return;
    case TRI_VALUE_FUNCTION: tri_buf_add_str(out, v->function->name); return;
    case TRI_VALUE_BUILTIN: case TRI_VALUE_EXTERNAL: tri_buf_add_str(out, v->string); return;
    case TRI_VALUE_MODULE: tri_buf_add_str(out, tri_module_name(v->module)); return;
    case TRI_VALUE_CLASS: tri_buf_add_str(out, v->cls->name); return;
    case TRI_VALUE_OBJECT: add_object(out, v, depth); return;
    case TRI_VALUE_METHOD:
        tri_buf_add_str(out, v->method.function ? v->method.function->name : v->method.name);
        return;
    }
}

void tri_value_repr(const tri_value *v, tri_buf *out)
{
    add_value(out, v, 0);
}

void tri_value_print(const tri_value *v, tri_buf *out)
{
    v = tri_value_unwrap(v);
    const tri_value_list *args = exception_args(v);
    if (v->kind == TRI_VALUE_STR)
        tri_buf_add_str(out, v->string);
    else if (args && args->len == 1 && !tri_str_is(v->object.path, "KeyError"))
        tri_value_print(args->at[0], out);
    else if (args && args->len <= 1)
        add_items(out, args, 0);
    else if (args)
        add_value(out, tri_value_dict_find_str(v->object.fields, TRI_STR("args")), 0);
    else
        tri_value_repr(v, out);
}

tri_str tri_value_repr_str(tri_arena *arena, const tri_value *v)
{
    tri_buf out = {0};
    tri_value_repr(v, &out);
    tri_str s = tri_str_copy(arena, tri_buf_str(&out));
    tri_buf_fini(&out);
    return s;
}

/* ---- format() ---- */

typedef struct {
    tri_str fill; /* one character */
    char align, sign, type, group;
    bool is_alternate;
    int width, precision; /* precision -1: not given */
} format_spec;

static size_t character_len(tri_str s)
{
    unsigned char c = s.len ? (unsigned char)s.data[0] : 0;
    size_t n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    return n < s.len ? n : s.len;
}

static bool is_align(char c)
{
    return c == '<' || c == '>' || c == '=' || c == '^';
}

static size_t read_number(tri_str s, size_t i, int *out_value)
{
    int value = 0;
    for (; i < s.len && s.data[i] >= '0' && s.data[i] <= '9' && value < 10000; i++)
        value = value * 10 + (s.data[i] - '0');
    *out_value = value;
    return i;
}

static bool parse_spec(tri_str s, format_spec *out_spec)
{
    *out_spec = (format_spec){.fill = TRI_STR(" "), .precision = -1};
    size_t i = 0, first = character_len(s);
    if (s.len > first && is_align(s.data[first])) {
        out_spec->fill = tri_str_sub(s, 0, first);
        out_spec->align = s.data[first];
        i = first + 1;
    } else if (s.len && is_align(s.data[0])) {
        out_spec->align = s.data[i++];
    }
    if (i < s.len && (s.data[i] == '+' || s.data[i] == '-' || s.data[i] == ' '))
        out_spec->sign = s.data[i++];
    if (i < s.len && s.data[i] == '#')
        out_spec->is_alternate = true, i++;
    if (i < s.len && s.data[i] == '0') {
        if (!out_spec->align)
            out_spec->fill = TRI_STR("0"), out_spec->align = '=';
        i++;
    }
    i = read_number(s, i, &out_spec->width);
    if (i < s.len && (s.data[i] == ',' || s.data[i] == '_'))
        out_spec->group = s.data[i++];
    if (i < s.len && s.data[i] == '.') {
        size_t from = ++i;
        i = read_number(s, i, &out_spec->precision);
        if (i == from)
            return false;
    }
    if (i < s.len)
        out_spec->type = s.data[i++];
    return i == s.len && out_spec->width < 10000 && out_spec->precision < 1000;
}

static void add_grouped(tri_buf *out, tri_str digits, char group, unsigned size)
{
    size_t whole = 0;
    while (whole < digits.len && digits.data[whole] != '.' && digits.data[whole] != 'e')
        whole++;
    for (size_t i = 0; i < digits.len; i++) {
        if (group && i && i < whole && (whole - i) % size == 0)
            tri_buf_add_char(out, group);
        tri_buf_add_char(out, digits.data[i]);
    }
}

static bool format_int(tri_int value, const format_spec *spec, tri_buf *out_body)
{
    tri_buf digits = {0};
    unsigned base = 10;
    const char *prefix = "";
    switch (spec->type) {
    case 0: case 'd': case 'n': break;
    case 'b': base = 2, prefix = "0b"; break;
    case 'o': base = 8, prefix = "0o"; break;
    case 'x': base = 16, prefix = "0x"; break;
    case 'X': base = 16, prefix = "0X"; break;
    default: return false;
    }
    add_int(&digits, value, base, spec->type == 'X');
    tri_str text = tri_buf_str(&digits);
    if (value < 0)
        text = tri_str_sub(text, 1, text.len);
    if (spec->is_alternate)
        tri_buf_add_z(out_body, prefix);
    add_grouped(out_body, text, spec->group, base == 10 ? 3 : 4);
    tri_buf_fini(&digits);
    return true;
}

static bool format_float(double value, const format_spec *spec, tri_buf *out_body)
{
    tri_buf digits = {0};
    double d = fabs(value);
    int precision = spec->precision < 0 ? 6 : spec->precision;
    switch (spec->type) {
    case 0:
        if (spec->precision < 0) {
            add_float(&digits, d);
            break;
        }
        tri_buf_format(&digits, "%.*g", precision ? precision : 1, d);
        break;
    case 'e': tri_buf_format(&digits, "%.*e", precision, d); break;
    case 'E': tri_buf_format(&digits, "%.*E", precision, d); break;
    case 'f': case 'F': tri_buf_format(&digits, "%.*f", precision, d); break;
    case 'g': tri_buf_format(&digits, "%.*g", precision ? precision : 1, d); break;
    case 'G': tri_buf_format(&digits, "%.*G", precision ? precision : 1, d); break;
    case '%': tri_buf_format(&digits, "%.*f%%", precision, d * 100); break;
    default: return false;
    }
    add_grouped(out_body, tri_buf_str(&digits), spec->group, 3);
    tri_buf_fini(&digits);
    return true;
}

static void pad(tri_arena *arena, const format_spec *spec, const char *sign, tri_str body, char align,
                tri_str *out_text)
{
    size_t shown = strlen(sign);
    for (size_t i = 0; i < body.len; i++)
        shown += ((unsigned char)body.data[i] & 0xc0) != 0x80;
    size_t total = (size_t)spec->width > shown ? (size_t)spec->width - shown : 0;
    size_t left = align == '>' || align == '=' ? total : align == '^' ? total / 2 : 0;
    tri_buf out = {0};
    if (align == '=')
        tri_buf_add_z(&out, sign);
    for (size_t i = 0; i < left; i++)
        tri_buf_add_str(&out, spec->fill);
    if (align != '=')
        tri_buf_add_z(&out, sign);
    tri_buf_add_str(&out, body);
    for (size_t i = left; i < total; i++)
        tri_buf_add_str(&out, spec->fill);
    *out_text = tri_str_copy(arena, tri_buf_str(&out));
    tri_buf_fini(&out);
}

const tri_value *tri_value_format(tri_value_ops *ops, const tri_value *v, tri_str text)
{
    format_spec spec;
    v = tri_value_unwrap(v);
    tri_buf body = {0};
    const char *sign = "";
    tri_int integer = 0;
    double real = 0;
    bool is_ok = parse_spec(text, &spec);
    bool is_int = tri_value_get_int(v, &integer) && (v->kind == TRI_VALUE_INT || spec.type) &&
                  !strchr("eEfFgG%", spec.type ? spec.type : 'd');
    bool is_real = !is_int && tri_value_get_float(v, &real) && (v->kind != TRI_VALUE_BOOL || spec.type);
    if (is_ok && is_int) {
        is_ok = spec.precision < 0 && format_int(integer, &spec, &body);
        sign = integer < 0 ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
    } else if (is_ok && is_real) {
        is_ok = format_float(real, &spec, &body);
        sign = signbit(real) ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
    } else if (is_ok) {
        is_ok = (spec.type == 0 || spec.type == 's') && !spec.sign && spec.align != '=';
        tri_value_print(v, &body);
        if (spec.precision >= 0 && (size_t)spec.precision < body.len)
            body.len = (size_t)spec.precision;
    }
    const tri_value *result = NULL;
    if (is_ok) {
        tri_str padded;
        char align = spec.align ? spec.align : is_int || is_real ? '>' : '<';
        pad(ops->arena, &spec, sign, tri_buf_str(&body), align, &padded);
        result = tri_value_str(ops->arena, padded);
    } else {
        ops->error = tri_str_format(ops->arena, "invalid format '%.*s' for a value of type '%s'", TRI_STR_ARG(text),
                                    tri_value_type_name(v));
        ops->raises = "ValueError";
    }
    tri_buf_fini(&body);
    return result;
}
