#include "frontend/host/value.h"

#include "frontend/host/module.h"
#include "frontend/kernel/types.h"

#include <math.h>

const tri_value tri_value_none = {.kind = TRI_VALUE_NONE};
const tri_value tri_value_ellipsis = {.kind = TRI_VALUE_ELLIPSIS};
const tri_value tri_value_true = {.kind = TRI_VALUE_BOOL, .boolean = true};
const tri_value tri_value_false = {.kind = TRI_VALUE_BOOL, .boolean = false};

static tri_value *create(tri_arena *arena, tri_value_kind kind)
{
    tri_value *v = TRI_NEW(arena, tri_value);
    v->kind = kind;
    return v;
}

const tri_value *tri_value_int(tri_arena *arena, tri_int value)
{
    tri_value *v = create(arena, TRI_VALUE_INT);
    v->integer = value;
    return v;
}

const tri_value *tri_value_float(tri_arena *arena, double value)
{
    tri_value *v = create(arena, TRI_VALUE_FLOAT);
    v->real = value;
    return v;
}

static const tri_value *create_string(tri_arena *arena, tri_value_kind kind, tri_str borrowed)
{
    tri_value *v = create(arena, kind);
    v->string = borrowed;
    return v;
}

const tri_value *tri_value_str(tri_arena *arena, tri_str borrowed)
{
    return create_string(arena, TRI_VALUE_STR, borrowed);
}

const tri_value *tri_value_bytes(tri_arena *arena, tri_str borrowed)
{
    return create_string(arena, TRI_VALUE_BYTES, borrowed);
}

const tri_value *tri_value_builtin(tri_arena *arena, tri_str borrowed_path)
{
    return create_string(arena, TRI_VALUE_BUILTIN, borrowed_path);
}

const tri_value *tri_value_external(tri_arena *arena, tri_str borrowed_path)
{
    return create_string(arena, TRI_VALUE_EXTERNAL, borrowed_path);
}

/* No dotted path has a blank, and what is taken from an argument (its dtype) has a dot behind the name. */
static const char argument_prefix[] = "argument ";

const tri_value *tri_value_argument(tri_arena *arena, tri_str name)
{
    return tri_value_external(arena, tri_str_format(arena, "%s%.*s", argument_prefix, TRI_STR_ARG(name)));
}

bool tri_value_is_argument(const tri_value *v)
{
    return v->kind == TRI_VALUE_EXTERNAL && tri_str_has_prefix(v->string, argument_prefix) &&
           tri_str_find(v->string, '.') == v->string.len;
}

const tri_value *tri_value_sequence(tri_arena *arena, tri_value_kind kind, uint32_t len, const tri_value *const *items)
{
    tri_value *v = create(arena, kind);
    v->sequence.items.at = TRI_NEW_ARRAY(arena, const tri_value *, len ? len : 1);
    if (len)
        memcpy(v->sequence.items.at, items, len * sizeof *items);
    v->sequence.items.len = v->sequence.items.cap = len;
    return v;
}

tri_value *tri_value_dict_create(tri_arena *arena)
{
    tri_value *v = create(arena, TRI_VALUE_DICT);
    v->dict = TRI_NEW(arena, tri_value_dict);
    return v;
}

const tri_value *tri_value_dtype(tri_arena *arena, const struct tri_type *type)
{
    tri_value *v = create(arena, TRI_VALUE_DTYPE);
    v->type = type;
    return v;
}

const tri_value *tri_value_constexpr(tri_arena *arena, const tri_value *inner)
{
    tri_value *v = create(arena, TRI_VALUE_CONSTEXPR);
    v->inner = tri_value_unwrap(inner);
    return v;
}

void tri_value_push(tri_arena *arena, tri_value_list *list, const tri_value *item)
{
    if (list->len == list->cap) {
        uint32_t grown = list->cap ? list->cap * 2 : 8;
        list->at = tri_arena_grow(arena, list->at, list->cap * sizeof *list->at, grown * sizeof *list->at);
        list->cap = grown;
    }
    list->at[list->len++] = item;
}

static const tri_value *big_literal(tri_arena *arena, tri_str text)
{
    unsigned base = 10;
    size_t i = 0;
    if (text.len > 1 && text.data[0] == '0') {
        char c = (char)(text.data[1] | 0x20);
        base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
        i = base == 10 ? 0 : 2;
    }
    tri_int value = 0;
    for (; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        unsigned digit = c <= '9' ? c - 48u : (c | 0x20u) - 87u;
        if (__builtin_mul_overflow(value, (tri_int)base, &value) ||
            __builtin_add_overflow(value, (tri_int)digit, &value))
            return NULL;
    }
    return tri_value_int(arena, value);
}

const tri_value *tri_value_from_literal(tri_arena *arena, const tri_ast_node *node)
{
    switch (node->kind) {
    case TRI_AST_NONE: return &tri_value_none;
    case TRI_AST_TRUE: return &tri_value_true;
    case TRI_AST_FALSE: return &tri_value_false;
    case TRI_AST_ELLIPSIS: return &tri_value_ellipsis;
    case TRI_AST_INT:
        return node->integer.big ? big_literal(arena, *node->integer.big)
                                 : tri_value_int(arena, node->integer.value);
    case TRI_AST_FLOAT: return tri_value_float(arena, node->real.value);
    case TRI_AST_STRING: return tri_value_str(arena, node->string);
    case TRI_AST_BYTES: return tri_value_bytes(arena, node->string);
    default: return NULL;
    }
}

/* ---- dictionaries ---- */

static uint32_t find_key(const tri_value_dict *dict, const tri_value *key)
{
    uint32_t i = 0;
    while (i < dict->keys.len && !tri_value_equal(dict->keys.at[i], key))
        i++;
    return i;
}

const tri_value *tri_value_dict_find(const tri_value_dict *dict, const tri_value *key)
{
    uint32_t i = find_key(dict, key);
    return i < dict->keys.len ? dict->values.at[i] : NULL;
}

const tri_value *tri_value_dict_find_str(const tri_value_dict *dict, tri_str key)
{
    tri_value v = {.kind = TRI_VALUE_STR, .string = key};
    return tri_value_dict_find(dict, &v);
}

void tri_value_dict_set(tri_arena *arena, tri_value_dict *dict, const tri_value *key, const tri_value *value)
{
    uint32_t i = find_key(dict, key);
    if (i < dict->keys.len) {
        dict->values.at[i] = value;
        return;
    }
    tri_value_push(arena, &dict->keys, key);
    tri_value_push(arena, &dict->values, value);
}

tri_value *tri_value_object_create(tri_arena *arena, const char *path)
{
    tri_value *o = TRI_NEW(arena, tri_value);
    o->kind = TRI_VALUE_OBJECT;
    o->object.path = tri_str_from(path);
    o->object.fields = tri_value_dict_create(arena)->dict;
    return o;
}

void tri_value_set_field(tri_arena *arena, tri_value *object, const char *name, const tri_value *value)
{
    tri_value_dict_set(arena, object->object.fields, tri_value_str(arena, tri_str_from(name)), value);
}

/* ---- access ---- */

const tri_value *tri_value_unwrap(const tri_value *v)
{
    while (v->kind == TRI_VALUE_CONSTEXPR)
        v = v->inner;
    return v;
}

bool tri_value_get_int(const tri_value *v, tri_int *out_value)
{
    v = tri_value_unwrap(v);
    if (v->kind == TRI_VALUE_BOOL)
        *out_value = v->boolean;
    else if (v->kind == TRI_VALUE_INT)
        *out_value = v->integer;
    else
        return false;
    return true;
}

bool tri_value_get_i64(const tri_value *v, int64_t *out_value)
{
    tri_int wide;
    if (!tri_value_get_int(v, &wide) || wide != (int64_t)wide)
        return false;
    *out_value = (int64_t)wide;
    return true;
}

bool tri_value_get_float(const tri_value *v, double *out_value)
{
    tri_int i;
    v = tri_value_unwrap(v);
    if (v->kind == TRI_VALUE_FLOAT)
        *out_value = v->real;
    else if (tri_value_get_int(v, &i))
        *out_value = (double)i;
    else
        return false;
    return true;
}

bool tri_value_truth(const tri_value *v)
{
    v = tri_value_unwrap(v);
    switch (v->kind) {
    case TRI_VALUE_NONE: return false;
    case TRI_VALUE_BOOL: return v->boolean;
    case TRI_VALUE_INT: return v->integer != 0;
    case TRI_VALUE_FLOAT: return v->real != 0; /* nan is true, as in Python */
    case TRI_VALUE_STR: case TRI_VALUE_BYTES: return v->string.len > 0;
    case TRI_VALUE_TUPLE: case TRI_VALUE_LIST: case TRI_VALUE_SET: return v->sequence.items.len > 0;
    case TRI_VALUE_DICT: return v->dict->keys.len > 0;
    case TRI_VALUE_RANGE: return v->range.step > 0 ? v->range.start < v->range.stop : v->range.start > v->range.stop;
    default: return true;
    }
}

/* ---- equality ---- */

static bool is_same_int_and_float(tri_int i, double d)
{
    if (!(d > -1e38 && d < 1e38) || d != floor(d))
        return false;
    return (tri_int)d == i;
}

static bool equal_numbers(const tri_value *a, const tri_value *b)
{
    tri_int x, y;
    bool is_a_int = tri_value_get_int(a, &x), is_b_int = tri_value_get_int(b, &y);
    if (is_a_int && is_b_int)
        return x == y;
    if (is_a_int)
        return is_same_int_and_float(x, b->real);
    return is_b_int ? is_same_int_and_float(y, a->real) : a->real == b->real;
}

/* Lists can hold themselves: deeper than this only the same object is equal. */
enum { MAX_DEPTH = 100 };

static bool equal(const tri_value *a, const tri_value *b, unsigned depth);

static bool equal_items(const tri_value_list *a, const tri_value_list *b, unsigned depth)
{
    if (a->len != b->len)
        return false;
    for (uint32_t i = 0; i < a->len; i++)
        if (a->at[i] != b->at[i] && !equal(a->at[i], b->at[i], depth))
            return false;
    return true;
}

static bool contains(const tri_value_list *list, const tri_value *v, unsigned depth)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (equal(list->at[i], v, depth))
            return true;
    return false;
}

static bool equal_sets(const tri_value_list *a, const tri_value_list *b, unsigned depth)
{
    if (a->len != b->len)
        return false;
    for (uint32_t i = 0; i < a->len; i++)
        if (!contains(b, a->at[i], depth))
            return false;
    return true;
}

static bool equal_dicts(const tri_value_dict *a, const tri_value_dict *b, unsigned depth)
{
    if (a->keys.len != b->keys.len)
        return false;
    for (uint32_t i = 0; i < a->keys.len; i++) {
        const tri_value *other = tri_value_dict_find(b, a->keys.at[i]);
        if (!other || !equal(a->values.at[i], other, depth))
            return false;
    }
    return true;
}

static bool equal_objects(const tri_value *a, const tri_value *b, unsigned depth)
{
    if (a->object.fields == b->object.fields)
        return true;
    return a->object.path.len && tri_str_equal(a->object.path, b->object.path) &&
           equal_dicts(a->object.fields, b->object.fields, depth);
}

static bool equal(const tri_value *a, const tri_value *b, unsigned depth)
{
    if (depth++ > MAX_DEPTH)
        return a == b;
    a = tri_value_unwrap(a);
    b = tri_value_unwrap(b);
    if (tri_value_is_number(a) && tri_value_is_number(b))
        return equal_numbers(a, b);
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case TRI_VALUE_NONE: case TRI_VALUE_ELLIPSIS: return true;
    case TRI_VALUE_STR: case TRI_VALUE_BYTES: case TRI_VALUE_BUILTIN: case TRI_VALUE_EXTERNAL:
        return tri_str_equal(a->string, b->string);
    case TRI_VALUE_TUPLE: case TRI_VALUE_LIST: return equal_items(&a->sequence.items, &b->sequence.items, depth);
    case TRI_VALUE_SET: return equal_sets(&a->sequence.items, &b->sequence.items, depth);
    case TRI_VALUE_DICT: return equal_dicts(a->dict, b->dict, depth);
    case TRI_VALUE_RANGE:
        return a->range.start == b->range.start && a->range.stop == b->range.stop && a->range.step == b->range.step;
    case TRI_VALUE_SLICE:
        return equal(a->slice.start, b->slice.start, depth) && equal(a->slice.stop, b->slice.stop, depth) &&
               equal(a->slice.step, b->slice.step, depth);
    case TRI_VALUE_DTYPE: return tri_types_equal(a->type, b->type);
    case TRI_VALUE_FUNCTION: return a->function == b->function;
    case TRI_VALUE_MODULE: return a->module == b->module;
    case TRI_VALUE_CLASS: return a->cls == b->cls;
    case TRI_VALUE_OBJECT: return equal_objects(a, b, depth);
    case TRI_VALUE_METHOD:
        return a->method.function == b->method.function && tri_str_equal(a->method.name, b->method.name) &&
               equal(a->method.self, b->method.self, depth);
    default: return false;
    }
}

bool tri_value_equal(const tri_value *a, const tri_value *b)
{
    return equal(a, b, 0);
}

bool tri_value_is(const tri_value *a, const tri_value *b)
{
    a = tri_value_unwrap(a);
    b = tri_value_unwrap(b);
    if (a == b)
        return true;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case TRI_VALUE_TUPLE: case TRI_VALUE_LIST: case TRI_VALUE_SET: case TRI_VALUE_FLOAT: case TRI_VALUE_RANGE:
    case TRI_VALUE_SLICE: case TRI_VALUE_METHOD: return false;
    case TRI_VALUE_DICT: return a->dict == b->dict;
    case TRI_VALUE_OBJECT: return a->object.fields == b->object.fields;
    default: return tri_value_equal(a, b); /* small ints, interned strings, singletons */
    }
}

/* ---- size ---- */

static uint64_t weigh(const tri_value *v, uint64_t most, unsigned depth);

static uint64_t weigh_items(const tri_value_list *items, uint64_t most, unsigned depth)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < items->len && sum < most; i++)
        sum += weigh(items->at[i], most - sum, depth);
    return sum;
}

static uint64_t weigh(const tri_value *v, uint64_t most, unsigned depth)
{
    enum { one = 8 };
    if (depth++ > MAX_DEPTH)
        return one;
    v = tri_value_unwrap(v);
    switch (v->kind) {
    case TRI_VALUE_STR: case TRI_VALUE_BYTES: return one + v->string.len;
    case TRI_VALUE_TUPLE: case TRI_VALUE_LIST: case TRI_VALUE_SET:
        return one + weigh_items(&v->sequence.items, most, depth);
    case TRI_VALUE_DICT:
        return one + weigh_items(&v->dict->keys, most, depth) + weigh_items(&v->dict->values, most, depth);
    case TRI_VALUE_OBJECT: return one + weigh_items(&v->object.fields->values, most, depth);
    default: return one;
    }
}

uint64_t tri_value_weigh(const tri_value *v, uint64_t most) { return weigh(v, most, 0); }
