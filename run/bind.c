#include "run/bind.h"

#include "ir/kernel.h"
#include "run/backend.h"
#include "runtime/launch/launch.h"
#include "targets/object/object.h"

static tri_argument *named(tri_argument_list *arguments, tri_str name)
{
    for (size_t n = 0; n < arguments->len; n++)
        if (!arguments->at[n].is_buffer && arguments->at[n].name.len && tri_str_equal(arguments->at[n].name, name))
            return &arguments->at[n];
    return NULL;
}

tri_argument *tri_run_binder_next(tri_run_binder *b, tri_str param)
{
    tri_argument *a = named(b->arguments, param);
    while (!a && b->next < b->arguments->len) {
        tri_argument *candidate = &b->arguments->at[b->next++];
        if (!candidate->is_buffer && !candidate->name.len)
            a = candidate;
    }
    return a;
}

/* --- what does not fit -------------------------------------------------------------------- */

static bool is_descriptor_type(tri_str type) { return tri_str_has_prefix(type, "tensordesc<"); }

static bool report_value(tri_run_kernel *k, const tri_kernel_param *param, const tri_argument *a)
{
    bool is_pointer = tri_str_has_prefix(param->type, "*"), is_descriptor = is_descriptor_type(param->type);
    tri_str what = tri_str_format(k->unit.arena, "parameter '%.*s' of type %.*s", TRI_STR_ARG(param->name),
                                  TRI_STR_ARG(param->type));
    if (!a)
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1002, "no argument for %s", what.data);
    else if (is_pointer || is_descriptor || tri_run_kernel_is_memory(a))
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1002, "%s takes %s", what.data,
                       is_descriptor                 ? "a descriptor: desc:BLOCK:ARRAY"
                       : is_pointer && a->block_rank ? "an array, not a descriptor"
                       : is_pointer                  ? "an array"
                                                     : "a number, not an array");
    else
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1002, "%s cannot be '%.*s'", what.data, TRI_STR_ARG(a->literal));
    return false;
}

/* Code that was compiled before it was given these arrays reads them as its signature says. Integers of one size are
 * one type in IR. */
static bool check_element(tri_run_kernel *k, const tri_kernel_param *param, const tri_argument *a)
{
    tri_dtype wanted, given = a->array.dtype;
    tri_str type = tri_str_sub(param->type, 1, tri_str_find(param->type, ':'));
    if (!tri_str_has_prefix(param->type, "*") || a->kind != TRI_ARGUMENT_ARRAY || !tri_dtype_find(type, &wanted) ||
        wanted == given)
        return true;
    if (!tri_dtype_is_float(wanted) && !tri_dtype_is_float(given) && tri_dtype_size(wanted) == tri_dtype_size(given))
        return true;
    tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1002,
                   "parameter '%.*s' of type %.*s takes an array of %s, and this one is of %s",
                   TRI_STR_ARG(param->name), TRI_STR_ARG(param->type), tri_dtype_name(wanted), tri_dtype_name(given));
    return false;
}

/* "tensordesc<fp32[16, 32]>" */
static bool has_block(tri_str type, const tri_argument *a)
{
    int64_t side;
    int rank = 0;
    size_t open = tri_str_find(type, '[');
    tri_dtype dtype;
    tri_str rest = tri_str_sub(type, open + 1, tri_str_find(type, ']'));
    if (!tri_dtype_find(tri_str_sub(type, strlen("tensordesc<"), open), &dtype) || dtype != a->array.dtype)
        return false;
    for (; rest.len; rank++) {
        size_t comma = tri_str_find(rest, ',');
        if (rank == a->block_rank || !tri_str_to_i64(tri_str_trim(tri_str_sub(rest, 0, comma)), &side) ||
            side != a->block[rank])
            return false;
        rest = tri_str_sub(rest, comma + (comma < rest.len), rest.len);
    }
    return rank == a->block_rank;
}

static bool check_block(tri_run_kernel *k, const tri_kernel_param *param, const tri_argument *a)
{
    if (!is_descriptor_type(param->type) || has_block(param->type, a))
        return true;
    tri_str given = tri_argument_signature(k->unit.arena, a);
    tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1002, "parameter '%.*s' is of type %.*s, and this argument of type %.*s",
                   TRI_STR_ARG(param->name), TRI_STR_ARG(param->type), TRI_STR_ARG(given));
    return false;
}

/* What was compiled before it was given arguments: constants are checked, and every argument must have a parameter. */
static bool check_made(tri_run_kernel *k, const tri_argument_list *arguments)
{
    const tri_kernel *kernel = &k->unit.kernels.at[0];
    for (size_t i = 0; i < kernel->params.len; i++) {
        const tri_kernel_param *param = &kernel->params.at[i];
        if (!param->is_constexpr || !k->passed[i] || tri_str_equal(k->passed[i]->literal, param->value))
            continue;
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1002, "the %s was compiled with %.*s=%.*s",
                       k->backend->takes == TRI_KIND_OBJ ? "object" : "kernel", TRI_STR_ARG(param->name),
                       TRI_STR_ARG(param->value));
        return false;
    }
    for (size_t n = 0; n < arguments->len; n++) {
        bool is_used = arguments->at[n].is_buffer;
        for (size_t i = 0; i < kernel->params.len; i++)
            is_used = is_used || k->passed[i] == &arguments->at[n];
        if (is_used)
            continue;
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1002, "kernel '%.*s' has no parameter for argument %zu%s%.*s",
                       TRI_STR_ARG(kernel->name), n + 1, arguments->at[n].name.len ? ", " : "",
                       TRI_STR_ARG(arguments->at[n].name));
        return false;
    }
    return true;
}

/* --- what the code is called with ---------------------------------------------------------- */

void tri_run_word_point(const tri_run_word *word, const void *data) { memcpy(word->address, &data, sizeof data); }

static void push_word(tri_run_kernel *k, tri_argument *a, tri_str name, tri_str type, uint64_t value)
{
    size_t n = k->num_values++;
    k->values[n] = value;
    k->pointers[n] = &k->values[n];
    k->words[n] = (tri_run_word){a, name, type, NULL};
}

static tri_tensordesc *describe_array(tri_run_kernel *k, const tri_argument *a)
{
    tri_tensordesc *d = TRI_NEW(k->unit.arena, tri_tensordesc);
    int64_t stride = 1;
    d->base = a->array.data;
    d->pads_nan = a->pads_nan;
    for (int i = a->block_rank - 1; i >= 0; i--) {
        d->shape[i] = a->array.shape[i];
        d->strides[i] = stride;
        stride *= a->array.shape[i];
    }
    return d;
}

/* "d" and "d.shape.0" are words of d. */
static bool is_word_of(const tri_object_word *word, tri_str param)
{
    return word->name.len >= param.len && tri_str_equal(tri_str_sub(word->name, 0, param.len), param) &&
           (word->name.len == param.len || word->name.data[param.len] == '.');
}

/* Of a descriptor's word "d.shape.0". */
static uint64_t value_of_part(const tri_tensordesc *d, tri_str part)
{
    int64_t i = 0;
    size_t dot = tri_str_find(part, '.');
    if (dot < part.len)
        tri_str_to_i64(tri_str_sub(part, dot + 1, part.len), &i);
    if (tri_str_has_prefix(part, "base"))
        return (uint64_t)(uintptr_t)d->base;
    if (tri_str_has_prefix(part, "shape"))
        return (uint64_t)d->shape[i];
    if (tri_str_has_prefix(part, "stride"))
        return (uint64_t)d->strides[i];
    return tri_str_has_prefix(part, "padding") && d->pads_nan;
}

/* What a GPU's code takes of a descriptor, and the host's behind its address. */
static void add_parts(tri_run_kernel *k, const tri_kernel_param *param, tri_argument *a, const tri_tensordesc *d,
                      const tri_object_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tri_str part = tri_str_sub(words[i].name, param->name.len + 1, words[i].name.len);
        push_word(k, a, param->name, words[i].type, value_of_part(d, part));
        if (tri_str_is(part, "base"))
            k->words[k->num_values - 1].address = &k->values[k->num_values - 1];
    }
}

/* Launchers and the host's code take the descriptor's address; code takes shape and strides behind it, a GPU's what is
 * in it as well: `words`, from *at on. */
static void add_descriptor(tri_run_kernel *k, const tri_kernel_param *param, tri_argument *a,
                           const tri_object_words *words, size_t *at)
{
    tri_tensordesc *d = describe_array(k, a);
    size_t begin = *at, extents = 2 * (size_t)a->block_rank;
    while (*at < words->len && is_word_of(&words->at[*at], param->name))
        ++*at;
    if (!k->backend->is_gpu) {
        push_word(k, a, param->name, param->type, (uint64_t)(uintptr_t)d);
        k->words[k->num_values - 1].address = &d->base;
        begin = *at - begin > extents ? *at - extents : *at;
    }
    add_parts(k, param, a, d, words->at + begin, *at - begin);
}

static bool bind_one(tri_run_kernel *k, const tri_kernel_param *param, tri_argument_list *all, tri_argument *a,
                     const tri_object_words *words, size_t *at);

/* "(*fp32:16, constexpr, (i32, i32))": code takes the members that are no constants, as NAME.0, NAME.2.0 ... */
static bool bind_tuple(tri_run_kernel *k, const tri_kernel_param *param, tri_argument_list *all, tri_argument *a,
                       const tri_object_words *words, size_t *at)
{
    size_t n = 0;
    for (tri_str rest = tri_str_sub(param->type, 1, param->type.len - 1); rest.len; n++) {
        tri_str type = tri_str_take_item(&rest);
        if (!a || n >= a->member_count)
            return report_value(k, param, a);
        tri_argument *given = &all->at[a->first_member + n];
        tri_kernel_param member = {.type = type};
        if (!tri_str_has_prefix(type, "("))
            member.type = tri_str_sub(type, 0, tri_str_find(type, ':'));
        member.name = given->name = tri_str_format(k->unit.arena, "%.*s.%zu", TRI_STR_ARG(param->name), n);
        if (!tri_str_is(type, "constexpr") && !bind_one(k, &member, all, given, words, at))
            return false;
    }
    return n == (a ? a->member_count : 0) || report_value(k, param, a);
}

static bool bind_one(tri_run_kernel *k, const tri_kernel_param *param, tri_argument_list *all, tri_argument *a,
                     const tri_object_words *words, size_t *at)
{
    uint64_t value = 0;
    if (tri_str_has_prefix(param->type, "("))
        return bind_tuple(k, param, all, a, words, at);
    bool is_descriptor = a && a->block_rank && is_descriptor_type(param->type);
    if (!a || (!is_descriptor && !tri_argument_value(a, param->type, &value)))
        return report_value(k, param, a);
    if (is_descriptor && !check_block(k, param, a))
        return false;
    if (is_descriptor) {
        add_descriptor(k, param, a, words, at);
        return true;
    }
    if (!check_element(k, param, a))
        return false;
    push_word(k, a, param->name, param->type, value);
    if (tri_run_kernel_is_memory(a))
        k->words[k->num_values - 1].address = &k->values[k->num_values - 1];
    ++*at;
    return true;
}

bool tri_run_bind(tri_run_kernel *k, tri_argument_list *arguments, bool is_made)
{
    enum { grid_maps_and_scratch = 6 };
    const tri_kernel *kernel = &k->unit.kernels.at[0];
    tri_arena *arena = k->unit.arena;
    tri_object_words words = {0};
    size_t at = 0, room;
    tri_run_binder b = {arguments, 0};
    if (k->backend->takes != TRI_KIND_OBJ)
        words = tri_object_list_words(&k->unit, kernel);
    room = words.len + kernel->params.len + arguments->len + grid_maps_and_scratch;
    k->passed = TRI_NEW_ARRAY(arena, tri_argument *, kernel->params.len + 1);
    k->values = TRI_NEW_ARRAY(arena, uint64_t, room);
    k->pointers = TRI_NEW_ARRAY(arena, void *, room);
    k->words = TRI_NEW_ARRAY(arena, tri_run_word, room);
    for (size_t i = 0; i < kernel->params.len; i++) {
        const tri_kernel_param *param = &kernel->params.at[i];
        k->passed[i] = tri_run_binder_next(&b, param->name);
        if (!param->is_constexpr && !bind_one(k, param, arguments, k->passed[i], &words, &at))
            return false;
    }
    return !is_made || check_made(k, arguments);
}
