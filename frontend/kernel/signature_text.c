#include "frontend/kernel/signature_text.h"

#include "frontend/host/scope.h"
#include "frontend/kernel/types.h"

enum { code_signature = 3030 };

/* --- splitting --------------------------------------------------------------------------- */

static tri_span span_of(const tri_source *source, tri_str part)
{
    uint32_t begin = (uint32_t)(part.data - source->text.data);
    return (tri_span){source, begin, begin + (uint32_t)part.len};
}

/* Length up to the first of `stops` outside brackets and quotes, or all of it; SIZE_MAX when a
 * bracket or quote is not closed. */
static size_t find_outside(tri_str text, const char *stops)
{
    char expected[64];
    size_t depth = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!depth && strchr(stops, c))
            return i;
        if (c == '\'' || c == '"') {
            size_t end = i + 1;
            while (end < text.len && text.data[end] != c)
                end += text.data[end] == '\\' ? 2 : 1;
            if (end >= text.len)
                return SIZE_MAX;
            i = end;
        } else if (strchr("([{<", c)) {
            if (depth == sizeof expected)
                return SIZE_MAX;
            expected[depth++] = c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>';
        } else if (strchr(")]}>", c)) {
            if (!depth || expected[--depth] != c)
                return SIZE_MAX;
        }
    }
    return depth ? SIZE_MAX : text.len;
}

static bool is_name(tri_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
        if (!is_letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return s.len > 0;
}

/* The class of a named tuple that the file has under a name; null: it has none. */
static const tri_class *named_tuple(tri_scope *scope, tri_str name)
{
    tri_global g = {0};
    tri_failure ignored = {0};
    if (!is_name(name) || tri_scope_find(scope, name, UINT32_MAX, &g, &ignored) != TRI_LOOKUP_FOUND ||
        g.value->kind != TRI_VALUE_CLASS)
        return NULL;
    return g.value->cls->is_named_tuple ? g.value->cls : NULL;
}

/* Is the text "NAME(...)" as a whole, and names no type of the file? */
static bool is_call(tri_scope *scope, tri_str text)
{
    size_t open = tri_str_find(text, '(');
    tri_str name = tri_str_trim(tri_str_sub(text, 0, open));
    return open < text.len && text.data[text.len - 1] == ')' && is_name(name) &&
           find_outside(text, ",") == text.len && !named_tuple(scope, name);
}

/* "INSTANCE = KERNEL(...)": what stands behind the sign, or the text as it is. */
static tri_str take_instance(tri_scope *scope, const tri_source *source, tri_str text, tri_signature_text *out)
{
    size_t open = tri_str_find(text, '('), equals = tri_str_find(text, '=');
    tri_str name = tri_str_trim(tri_str_sub(text, 0, equals));
    if (equals >= open || open == text.len || !is_name(name) ||
        !is_call(scope, tri_str_trim(tri_str_sub(text, equals + 1, text.len))))
        return text;
    out->instance = name;
    out->instance_at = span_of(source, name);
    return tri_str_trim(tri_str_sub(text, equals + 1, text.len));
}

/* Takes "NAME(" ... ")" off the whole text. A tuple as the only item has no name before it. */
static tri_str take_kernel(tri_scope *scope, const tri_source *source, tri_str text, tri_signature_text *out)
{
    size_t open = tri_str_find(text, '(');
    tri_str name = tri_str_trim(tri_str_sub(text, 0, open));
    if (!is_call(scope, text))
        return text;
    out->kernel = name;
    out->kernel_at = span_of(source, name);
    return tri_str_sub(text, open + 1, text.len - 1);
}

static void add_item(tri_arena *arena, const tri_source *source, tri_str text, tri_signature_text *out)
{
    tri_signature_item item = {0};
    text = tri_str_trim(text);
    size_t equals = find_outside(text, "=");
    tri_str name = equals < text.len ? tri_str_trim(tri_str_sub(text, 0, equals)) : TRI_STR("");
    bool is_comparison = equals + 1 < text.len && text.data[equals + 1] == '=';
    if (is_name(name) && !is_comparison) {
        item.name = name;
        item.name_at = span_of(source, name);
        text = tri_str_trim(tri_str_sub(text, equals + 1, text.len));
    }
    item.text = text;
    item.at = span_of(source, text);
    tri_vec_push(arena, &out->items, item);
}

bool tri_signature_text_parse(tri_module *main, tri_str text, tri_signature_text *out)
{
    tri_arena *arena = tri_module_arena(main->all);
    tri_diag *diag = tri_module_unit(main->all)->diag;
    *out = (tri_signature_text){.source = tri_diag_add_source(diag, TRI_STR("-sig"), text)};
    tri_str rest = tri_str_trim(out->source->text);
    if (find_outside(rest, "") == SIZE_MAX) {
        tri_diag_error(diag, span_of(out->source, rest), code_signature, "unclosed bracket or quote in -sig");
        return false;
    }
    rest = take_kernel(main->scope, out->source, take_instance(main->scope, out->source, rest, out), out);
    while (tri_str_trim(rest).len) {
        size_t end = find_outside(rest, ",");
        if (end == SIZE_MAX) {
            tri_diag_error(diag, span_of(out->source, rest), code_signature, "brackets do not match in -sig");
            return false;
        }
        if (!tri_str_trim(tri_str_sub(rest, 0, end)).len) {
            tri_diag_error(diag, span_of(out->source, tri_str_sub(rest, 0, end + 1)), code_signature,
                           "expected a type or a value before ','");
            return false;
        }
        add_item(arena, out->source, tri_str_sub(rest, 0, end), out);
        rest = tri_str_sub(rest, end < rest.len ? end + 1 : end, rest.len);
    }
    return true;
}

/* --- one argument ------------------------------------------------------------------------ */

typedef struct {
    tri_scope *scope;
    tri_arena *arena;
    tri_diag *diag;
    tri_str what;
    tri_span at;
} reader;

static bool fail_signature(const reader *r, const char *format, tri_str text)
{
    tri_str message = tri_str_format(r->arena, format, TRI_STR_ARG(text));
    tri_diag_error(r->diag, r->at, code_signature, "%.*s", TRI_STR_ARG(message));
    return false;
}

/* "tensordesc<fp16[64, 64]>", perhaps with a layout behind the shape, which is Gluon's. */
static bool read_desc(const reader *r, tri_str text, tri_arg *out)
{
    tri_str inner = tri_str_sub(text, strlen("tensordesc<"), text.len - 1);
    size_t open = tri_str_find(inner, '['), close = tri_str_find(inner, ']');
    tri_dtype dtype;
    if (open >= close || close == inner.len ||
        !tri_types_parse_dtype(tri_str_trim(tri_str_sub(inner, 0, open)), &dtype))
        return fail_signature(r, "'%.*s' is not tensordesc<TYPE[SHAPE]>", text);
    if (tri_str_trim(tri_str_sub(inner, close + 1, inner.len)).len)
        return fail_signature(r, "a layout in '%.*s' belongs to Gluon; give only the type and the shape", text);
    int64_t shape[TRI_MAX_TENSOR_RANK];
    int rank = 0;
    tri_str rest = tri_str_sub(inner, open + 1, close);
    while (tri_str_trim(rest).len) {
        size_t comma = tri_str_find(rest, ',');
        if (rank == 5 || !tri_str_to_i64(tri_str_trim(tri_str_sub(rest, 0, comma)), &shape[rank]) || shape[rank] <= 0 ||
            (shape[rank] & (shape[rank] - 1)))
            return fail_signature(r, "bad shape in '%.*s': 1 to 5 powers of two are wanted", text);
        rank++;
        rest = tri_str_sub(rest, comma < rest.len ? comma + 1 : comma, rest.len);
    }
    if (!rank)
        return fail_signature(r, "bad shape in '%.*s': 1 to 5 powers of two are wanted", text);
    *out = (tri_arg){.kind = TRI_ARG_DESC, .type = tri_types_block(r->arena, tri_types_scalar(dtype), rank, shape)};
    return true;
}

static bool read_any(const reader *r, tri_str text, bool is_constexpr, tri_arg *out);

static bool read_tuple(const reader *r, tri_str text, tri_arg *out)
{
    TRI_VEC(tri_arg) items = {0};
    tri_str rest = tri_str_sub(text, 1, text.len - 1);
    while (tri_str_trim(rest).len) {
        size_t end = find_outside(rest, ",");
        tri_arg item;
        if (end == SIZE_MAX) /* "(a)(b)": the first bracket ends before the last */
            return fail_signature(r, "brackets do not match in '%.*s'", text);
        if (!read_any(r, tri_str_trim(tri_str_sub(rest, 0, end)), false, &item))
            return false;
        tri_vec_push(r->arena, &items, item);
        rest = tri_str_sub(rest, end < rest.len ? end + 1 : end, rest.len);
    }
    *out = (tri_arg){.kind = TRI_ARG_TUPLE, .item_count = (int)items.len, .items = items.at};
    return true;
}

/* The class of "NAME(...)" where the file has a named tuple of that name; null else. */
static const tri_class *named_tuple_of(const reader *r, tri_str text)
{
    size_t open = tri_str_find(text, '(');
    if (open == text.len || text.data[text.len - 1] != ')')
        return NULL;
    return named_tuple(r->scope, tri_str_trim(tri_str_sub(text, 0, open)));
}

/* "NAME(*fp32, i32)" or "NAME(x=*fp32, n=i32)"; a field that is not named has its default. */
static bool read_named(const reader *r, const tri_class *cls, tri_str text, tri_arg *out)
{
    int count = (int)cls->fields.len, next = 0;
    tri_arg *items = TRI_NEW_ARRAY(r->arena, tri_arg, (size_t)count + 1);
    bool *given = TRI_NEW_ARRAY(r->arena, bool, (size_t)count + 1);
    tri_str rest = tri_str_sub(text, tri_str_find(text, '(') + 1, text.len - 1);
    while (tri_str_trim(rest).len) {
        size_t end = find_outside(rest, ",");
        if (end == SIZE_MAX)
            return fail_signature(r, "brackets do not match in '%.*s'", text);
        tri_str item = tri_str_trim(tri_str_sub(rest, 0, end));
        rest = tri_str_sub(rest, end < rest.len ? end + 1 : end, rest.len);
        size_t equals = find_outside(item, "=");
        tri_str name = equals < item.len ? tri_str_trim(tri_str_sub(item, 0, equals)) : TRI_STR("");
        int f = is_name(name) ? 0 : next++;
        while (is_name(name) && f < count && !tri_str_equal(cls->fields.at[f], name))
            f++;
        if (f >= count || given[f])
            return fail_signature(r, "'%.*s' fits no field of the named tuple, or one that has a type already", item);
        given[f] = true;
        if (!read_any(r, is_name(name) ? tri_str_trim(tri_str_sub(item, equals + 1, item.len)) : item, false,
                      &items[f]))
            return false;
    }
    for (int i = 0; i < count; i++) {
        if (!given[i] && !cls->defaults.at[i])
            return fail_signature(r, "the field '%.*s' of the named tuple has no type", cls->fields.at[i]);
        if (!given[i])
            items[i] = (tri_arg){.kind = TRI_ARG_CONSTANT, .value = cls->defaults.at[i]};
    }
    *out = (tri_arg){.kind = TRI_ARG_TUPLE, .item_count = count, .items = items, .cls = cls};
    return true;
}

/* What stands behind a colon. False after a report. */
static bool read_hint(const reader *r, tri_str hint, tri_arg *out)
{
    const tri_type *type = out->type;
    if (tri_str_is(hint, "16")) {
        out->divisibility = 16;
    } else if (tri_str_is(hint, "S") && type->kind == TRI_TYPE_PTR) {
        out->is_small = true;
    } else if (tri_str_is(hint, "1") && type->kind == TRI_TYPE_SCALAR && tri_types_is_int(type)) {
        *out = (tri_arg){.kind = TRI_ARG_CONSTANT, .value = tri_value_int(r->arena, 1), .type = type};
    } else {
        return fail_signature(r,
                              "unknown hint ':%.*s': ':16' says divisible by 16, ':1' that an integer is 1, ':S' that "
                              "a pointer's array takes less than 2 GiB",
                              hint);
    }
    return true;
}

/* TYPE and hints, "*fp32:16:S" or "i32:1". False without a report when the text is no type at all. */
static bool read_type(const reader *r, tri_str text, tri_arg *out, bool *out_failed)
{
    size_t colon = tri_str_find(text, ':');
    const tri_type *type = tri_types_parse(r->arena, tri_str_trim(tri_str_sub(text, 0, colon)));
    *out_failed = false;
    if (!type)
        return false;
    *out = (tri_arg){.kind = TRI_ARG_VALUE, .type = type};
    while (colon < text.len) {
        text = tri_str_sub(text, colon + 1, text.len);
        colon = tri_str_find(text, ':');
        *out_failed = !read_hint(r, tri_str_trim(tri_str_sub(text, 0, colon)), out);
        if (*out_failed)
            return false;
    }
    if (out->kind == TRI_ARG_CONSTANT)
        out->type = NULL;
    return true;
}

static bool read_any(const reader *r, tri_str text, bool is_constexpr, tri_arg *out)
{
    bool failed = false;
    if (!is_constexpr) {
        if (tri_str_has_prefix(text, "tensordesc<") && text.data[text.len - 1] == '>')
            return read_desc(r, text, out);
        if (text.len > 1 && text.data[0] == '(' && text.data[text.len - 1] == ')')
            return read_tuple(r, text, out);
        const tri_class *cls = named_tuple_of(r, text);
        if (cls)
            return read_named(r, cls, text, out);
        if (read_type(r, text, out, &failed))
            return true;
        if (failed)
            return false;
        if (text.len && text.data[0] == '*')
            return fail_signature(r, "'%.*s' is not a pointer type; '*fp32', '*kfp16' (const), '*i32' are", text);
    }
    tri_str what = tri_str_format(r->arena, "-sig %.*s", TRI_STR_ARG(r->what));
    const tri_value *value = tri_host_eval_text(r->scope, what, text);
    *out = (tri_arg){.kind = TRI_ARG_CONSTANT, .value = value};
    return value != NULL;
}

void tri_signature_text_name_fields(tri_scope *scope, const tri_ast_node *param, tri_arg *arg)
{
    const tri_ast_node *annotation = param->param.annotation;
    tri_str name = !annotation                            ? TRI_STR("")
                   : annotation->kind == TRI_AST_NAME     ? tri_ast_text(annotation)
                   : annotation->kind == TRI_AST_STRING   ? tri_str_trim(annotation->string)
                                                          : TRI_STR("");
    const tri_class *cls = arg->kind == TRI_ARG_TUPLE && !arg->cls ? named_tuple(scope, name) : NULL;
    if (cls && arg->item_count == (int)cls->fields.len)
        arg->cls = cls;
}

bool tri_signature_text_argument(tri_modules *all, tri_scope *scope, tri_str what, tri_str text, tri_span at,
                                 bool is_constexpr, tri_arg *out_arg)
{
    reader r = {
        .scope = scope, .arena = tri_module_arena(all), .diag = tri_module_unit(all)->diag, .what = what, .at = at};
    if (!read_any(&r, text, is_constexpr, out_arg))
        return false;
    out_arg->at = at;
    return true;
}
