/* Methods of strings, lists, dictionaries and sets in host code. */
#include "frontend/host/host_eval.h"

#include "frontend/kernel/type_query.h"

typedef tri_host_method method;

#define PARAMS tri_host *h, const tri_value *self, size_t n, const tri_value *const *v, tri_span at
#define UNUSED (void)h, (void)self, (void)n, (void)v, (void)at

static tri_value_list *items_of(const tri_value *self)
{
    return &((tri_value *)(uintptr_t)self)->sequence.items;
}

/* Looks at so many items, of which some are done in the time of a step. */
static bool may_search(tri_host *h, uint64_t items, tri_span at) { return tri_host_step(h, at, items / 16); }

/* ---- lists and sets ---- */

static const tri_value *list_append(PARAMS)
{
    UNUSED;
    if (n != 1)
        return NULL;
    tri_value_push(h->arena, items_of(self), v[0]);
    return &tri_value_none;
}

static const tri_value *list_extend(PARAMS)
{
    tri_value_list more = {0};
    if (n != 1 || !tri_host_items(h, v[0], at, &more))
        return NULL;
    for (uint32_t i = 0; i < more.len; i++)
        tri_value_push(h->arena, items_of(self), more.at[i]);
    return &tri_value_none;
}

static const tri_value *list_insert(PARAMS)
{
    UNUSED;
    int64_t at_index;
    tri_value_list *items = items_of(self);
    if (n != 2 || !tri_value_get_i64(v[0], &at_index))
        return NULL;
    int64_t len = items->len;
    if (!may_search(h, items->len / 8, at))
        return NULL;
    at_index = at_index < 0 ? (at_index < -len ? 0 : at_index + len) : at_index > len ? len : at_index;
    tri_value_push(h->arena, items, v[1]);
    memmove(items->at + at_index + 1, items->at + at_index, (size_t)(len - at_index) * sizeof *items->at);
    items->at[at_index] = v[1];
    return &tri_value_none;
}

static const tri_value *list_pop(PARAMS)
{
    UNUSED;
    tri_value_list *items = items_of(self);
    int64_t index = -1;
    if (n > 1 || (n == 1 && !tri_value_get_i64(v[0], &index)))
        return NULL;
    index = index < 0 ? index + items->len : index;
    if (index < 0 || index >= items->len)
        return tri_host_fail(h, at, "pop from outside of the list");
    if (!may_search(h, (items->len - (uint64_t)index) / 8, at))
        return NULL;
    const tri_value *item = items->at[index];
    memmove(items->at + index, items->at + index + 1, (items->len - (size_t)index - 1) * sizeof *items->at);
    items->len--;
    return item;
}

static const tri_value *list_clear(PARAMS)
{
    UNUSED;
    items_of(self)->len = 0;
    return &tri_value_none;
}

static const tri_value *list_copy(PARAMS)
{
    UNUSED;
    return tri_value_sequence(h->arena, self->kind, self->sequence.items.len, self->sequence.items.at);
}

static const tri_value *list_index(PARAMS)
{
    UNUSED;
    if (!may_search(h, self->sequence.items.len, at))
        return NULL;
    for (uint32_t i = 0; n == 1 && i < self->sequence.items.len; i++)
        if (tri_value_equal(self->sequence.items.at[i], v[0]))
            return tri_value_int(h->arena, i);
    return n == 1 ? tri_host_fail(h, at, "the value is not in the list") : NULL;
}

static const tri_value *list_count(PARAMS)
{
    UNUSED;
    tri_int count = 0;
    if (!may_search(h, self->sequence.items.len, at))
        return NULL;
    for (uint32_t i = 0; n == 1 && i < self->sequence.items.len; i++)
        count += tri_value_equal(self->sequence.items.at[i], v[0]);
    return n == 1 ? tri_value_int(h->arena, count) : NULL;
}

static const tri_value *set_add(PARAMS)
{
    if (!may_search(h, self->sequence.items.len, at))
        return NULL;
    for (uint32_t i = 0; n == 1 && i < self->sequence.items.len; i++)
        if (tri_value_equal(self->sequence.items.at[i], v[0]))
            return &tri_value_none;
    return list_append(h, self, n, v, at);
}

/* ---- dictionaries ---- */

static const tri_value *dict_get(PARAMS)
{
    if (!may_search(h, self->dict->keys.len, at))
        return NULL;
    const tri_value *found = n >= 1 ? tri_value_dict_find(self->dict, v[0]) : NULL;
    return found ? found : n == 2 ? v[1] : n == 1 ? &tri_value_none : NULL;
}

static const tri_value *dict_keys(PARAMS)
{
    UNUSED;
    return tri_value_sequence(h->arena, TRI_VALUE_LIST, self->dict->keys.len, self->dict->keys.at);
}

static const tri_value *dict_values(PARAMS)
{
    UNUSED;
    return tri_value_sequence(h->arena, TRI_VALUE_LIST, self->dict->values.len, self->dict->values.at);
}

static const tri_value *dict_items(PARAMS)
{
    UNUSED;
    tri_value_list pairs = {0};
    if (!tri_host_has_room(h, at, (uint64_t)self->dict->keys.len * 160))
        return NULL;
    for (uint32_t i = 0; i < self->dict->keys.len; i++) {
        const tri_value *pair[] = {self->dict->keys.at[i], self->dict->values.at[i]};
        tri_value_push(h->arena, &pairs, tri_value_sequence(h->arena, TRI_VALUE_TUPLE, 2, pair));
    }
    return tri_value_sequence(h->arena, TRI_VALUE_LIST, pairs.len, pairs.at);
}

static const tri_value *dict_update(PARAMS)
{
    UNUSED;
    if (n != 1 || v[0]->kind != TRI_VALUE_DICT)
        return NULL;
    for (uint32_t i = 0; i < v[0]->dict->keys.len; i++)
        if (!tri_host_set_item(h, self->dict, v[0]->dict->keys.at[i], v[0]->dict->values.at[i], at))
            return NULL;
    return &tri_value_none;
}

static const tri_value *dict_setdefault(PARAMS)
{
    UNUSED;
    if (n < 1 || n > 2)
        return NULL;
    const tri_value *found = tri_value_dict_find(self->dict, v[0]);
    if (found)
        return found;
    found = n == 2 ? v[1] : &tri_value_none;
    return tri_host_set_item(h, self->dict, v[0], found, at) ? found : NULL;
}

static const tri_value *dict_copy(PARAMS)
{
    UNUSED;
    tri_value *copy = tri_value_dict_create(h->arena);
    for (uint32_t i = 0; i < self->dict->keys.len; i++)
        if (!tri_host_set_item(h, copy->dict, self->dict->keys.at[i], self->dict->values.at[i], at))
            return NULL;
    return copy;
}

static const tri_value *dict_pop(PARAMS)
{
    UNUSED;
    tri_value_dict *dict = self->dict;
    if (!may_search(h, dict->keys.len, at))
        return NULL;
    for (uint32_t i = 0; n >= 1 && i < dict->keys.len; i++) {
        if (!tri_value_equal(dict->keys.at[i], v[0]))
            continue;
        const tri_value *value = dict->values.at[i];
        memmove(dict->keys.at + i, dict->keys.at + i + 1, (dict->keys.len - i - 1) * sizeof *dict->keys.at);
        memmove(dict->values.at + i, dict->values.at + i + 1, (dict->values.len - i - 1) * sizeof *dict->values.at);
        dict->keys.len--;
        dict->values.len--;
        return value;
    }
    return n == 2 ? v[1] : NULL;
}

/* ---- integers ---- */

static const tri_value *int_bit_length(PARAMS)
{
    UNUSED;
    tri_int i = 0, bits = 0;
    tri_value_get_int(self, &i);
    for (unsigned __int128 u = i < 0 ? -(unsigned __int128)i : (unsigned __int128)i; u; u >>= 1)
        bits++;
    return tri_value_int(h->arena, bits);
}

static method *find_method(const tri_value *self, tri_str name)
{
    static const struct {
        tri_value_kind kind;
        const char *name;
        method *run;
    } rows[] = {
        {TRI_VALUE_LIST, "append", list_append}, {TRI_VALUE_LIST, "extend", list_extend},
        {TRI_VALUE_LIST, "insert", list_insert}, {TRI_VALUE_LIST, "pop", list_pop},
        {TRI_VALUE_LIST, "clear", list_clear}, {TRI_VALUE_LIST, "copy", list_copy},
        {TRI_VALUE_LIST, "index", list_index}, {TRI_VALUE_LIST, "count", list_count},
        {TRI_VALUE_TUPLE, "index", list_index}, {TRI_VALUE_TUPLE, "count", list_count}, {TRI_VALUE_SET, "add", set_add},
        {TRI_VALUE_SET, "copy", list_copy}, {TRI_VALUE_DICT, "get", dict_get}, {TRI_VALUE_DICT, "keys", dict_keys},
        {TRI_VALUE_DICT, "values", dict_values}, {TRI_VALUE_DICT, "items", dict_items},
        {TRI_VALUE_DICT, "update", dict_update}, {TRI_VALUE_DICT, "setdefault", dict_setdefault},
        {TRI_VALUE_DICT, "copy", dict_copy}, {TRI_VALUE_DICT, "pop", dict_pop},
        {TRI_VALUE_INT, "bit_length", int_bit_length},
        {TRI_VALUE_BOOL, "bit_length", int_bit_length},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == self->kind && tri_str_is(name, rows[i].name))
            return rows[i].run;
    return self->kind == TRI_VALUE_STR ? tri_host_string_find(name) : NULL;
}

bool tri_host_method_exists(const tri_value *self, tri_str name)
{
    return find_method(self, name) || tri_host_string_takes_names(self, name) || tri_host_regex_has_method(self, name);
}

/* What a method raises for arguments that it does not take. Patterns that this evaluator does not know are none of
 * Python's failures. */
static void raise_of_method(tri_host *h, const tri_value *self, tri_str name)
{
    bool is_group = tri_str_is(name, "group") || tri_str_is(name, "__getitem__");
    if (tri_host_regex_has_method(self, name) && !is_group)
        h->is_exception = false;
    else
        tri_host_raise(h, tri_str_has_suffix(name, "index") || tri_str_is(name, "remove") ? "ValueError"
                          : is_group                                                      ? "IndexError"
                                                                                          : NULL);
}

const tri_value *tri_host_method_call(tri_host *h, const tri_value *self, tri_str name, const tri_host_args *args,
                                      tri_span at)
{
    method *run = find_method(self, name);
    const tri_value **values = TRI_NEW_ARRAY(h->arena, const tri_value *, args->at.len + 1);
    size_t count = 0;
    for (size_t i = 0; i < args->at.len; i++) {
        if (args->at.at[i].name.len)
            run = NULL; /* none of these takes keywords */
        values[count++] = args->at.at[i].value;
    }
    const tri_value *result = run ? run(h, self, count, values, at) : NULL;
    if (tri_host_string_takes_names(self, name))
        result = tri_host_string_call(h, self, name, args, at);
    if (tri_host_regex_has_method(self, name))
        result = tri_host_regex_call(h, self, name, args, at);
    if (self->kind == TRI_VALUE_DTYPE)
        result = tri_type_query_call(h->arena, self->type, name, count, values);
    if (result || h->failure->why.len)
        return result;
    raise_of_method(h, self, name);
    return tri_host_fail(h, at, "these arguments of '%.*s' of a '%s' are not understood", TRI_STR_ARG(name),
                         tri_value_type_name(self));
}
