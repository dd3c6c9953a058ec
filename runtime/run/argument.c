#include "runtime/run/argument.h"

#include <stdlib.h>

static bool is_name(tri_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return s.len > 0;
}

/* Takes "name=" off the front, but not from "a==b". */
static tri_str take_name(tri_str *text)
{
    size_t equals = tri_str_find(*text, '=');
    tri_str name = tri_str_sub(*text, 0, equals);
    bool is_double = equals + 1 < text->len && text->data[equals + 1] == '=';
    if (equals == text->len || is_double || !is_name(name))
        return TRI_STR("");
    *text = tri_str_sub(*text, equals + 1, text->len);
    return name;
}

/* The part before the next ':' (all of it when there is none); moves behind it. */
static tri_str take_part(tri_str *text)
{
    size_t colon = tri_str_find(*text, ':');
    tri_str part = tri_str_sub(*text, 0, colon);
    *text = tri_str_sub(*text, colon < text->len ? colon + 1 : colon, text->len);
    return part;
}

static bool fail(tri_diag *diag, tri_str text, const char *why)
{
    tri_diag_error(diag, TRI_NO_SPAN, 9003, "bad argument '%.*s': %s", TRI_STR_ARG(text), why);
    return false;
}

static bool parse_generated(tri_diag *diag, tri_arena *arena, tri_str text, tri_argument *argument)
{
    tri_str rest = text, name = take_part(&rest), type = take_part(&rest), shape = take_part(&rest);
    tri_dtype dtype;
    int rank;
    int64_t dims[TRI_ARRAY_MAX_RANK];
    if (!tri_dtype_find(type, &dtype)) {
        const char *near = type.len ? tri_array_nearest_word(type) : NULL;
        return fail(diag, text,
                    near
                        ? tri_str_format(arena, "unknown type '%.*s'; did you mean '%s'?", TRI_STR_ARG(type), near).data
                        : "expected GENERATOR:TYPE:SHAPE[:OPTIONS], as in randn:f32:64x64:seed=1");
    }
    if (!tri_array_parse_shape(shape, &rank, dims) || rank == 0)
        return fail(diag, text, "expected a shape such as 64x64 after the type");
    argument->kind = TRI_ARGUMENT_ARRAY;
    argument->array = tri_array_create(arena, dtype, rank, dims);
    return tri_array_fill(diag, &argument->array, name, rest);
}

static bool parse_file(tri_diag *diag, tri_arena *arena, tri_str path, tri_dtype as, tri_argument *argument)
{
    argument->kind = TRI_ARGUMENT_ARRAY;
    return tri_array_read_npy(diag, arena, tri_str_sub(path, 1, path.len), as, &argument->array);
}

static bool parse_table(tri_diag *diag, tri_arena *arena, tri_str text, tri_str names, tri_argument *argument)
{
    argument->kind = TRI_ARGUMENT_TABLE;
    while (names.len) {
        size_t comma = tri_str_find(names, ',');
        tri_str name = tri_str_sub(names, 0, comma);
        if (!is_name(name))
            return fail(diag, text, "expected names of buffers after addr:");
        tri_vec_push(arena, &argument->targets, tri_str_copy(arena, name));
        names = tri_str_sub(names, comma < names.len ? comma + 1 : comma, names.len);
    }
    if (!argument->targets.len)
        return fail(diag, text, "expected names of buffers after addr:");
    int64_t shape[] = {(int64_t)argument->targets.len};
    argument->array = tri_array_create(arena, TRI_DTYPE_I64, 1, shape);
    return true;
}

static bool parse_float(tri_str text, double *out_value)
{
    char z[128], *end;
    if (!text.len || text.len >= sizeof z)
        return false;
    memcpy(z, text.data, text.len);
    z[text.len] = 0;
    *out_value = strtod(z, &end);
    return end != z && *end == 0;
}

static bool is_number(tri_str text)
{
    int64_t integer;
    double number;
    return tri_str_to_i64(text, &integer) || parse_float(text, &number) || tri_str_is(text, "True") ||
           tri_str_is(text, "False");
}

static bool parse_scalar(tri_diag *diag, tri_str text, tri_dtype dtype, tri_str number, tri_arena *arena,
                         tri_argument *argument)
{
    tri_str rest = number, first = take_part(&rest);
    if (tri_array_is_generator(first))
        return fail(diag, text,
                    tri_str_format(arena, "the type stands behind the generator: %.*s:%s:...", TRI_STR_ARG(first),
                                   tri_dtype_name(dtype))
                        .data);
    if (!is_number(number))
        return fail(diag, text, tri_str_format(arena, "'%.*s' is no number", TRI_STR_ARG(number)).data);
    argument->kind = TRI_ARGUMENT_SCALAR;
    argument->dtype = dtype;
    argument->literal = tri_str_copy(arena, number);
    return true;
}

static bool parse_value(tri_diag *diag, tri_arena *arena, tri_str text, tri_str rest, tri_argument *out_argument);

/* What follows a comma is of the same member where it is an option of a generator, "high=7". */
static size_t end_of_member(tri_str list)
{
    size_t end = tri_str_end_of_item(list);
    while (end < list.len) {
        tri_str next = tri_str_trim(tri_str_sub(list, end + 1, list.len));
        next = tri_str_sub(next, 0, tri_str_end_of_item(next));
        if (!take_name(&next).len)
            break;
        end += 1 + tri_str_end_of_item(tri_str_sub(list, end + 1, list.len));
    }
    return end;
}

/* "(2, randn:f32:8)"; what has no comma is in brackets only. */
static bool parse_members(tri_diag *diag, tri_arena *arena, tri_str text, tri_argument *argument)
{
    TRI_VEC(tri_argument) members = {0};
    tri_str rest = tri_str_trim(tri_str_sub(argument->literal, 1, argument->literal.len - 1));
    if (tri_str_end_of_item(rest) == rest.len)
        return true;
    while (rest.len) {
        size_t end = end_of_member(rest);
        tri_argument member = {0};
        if (!parse_value(diag, arena, text, tri_str_trim(tri_str_sub(rest, 0, end)), &member))
            return false;
        tri_vec_push(arena, &members, member);
        rest = tri_str_trim(tri_str_sub(rest, end + (end < rest.len), rest.len));
    }
    argument->members = members.at;
    argument->member_count = members.len;
    return true;
}

static bool parse_literal(tri_diag *diag, tri_str text, tri_str literal, tri_arena *arena, tri_argument *argument)
{
    tri_str rest = literal, first = take_part(&rest);
    if (first.len < literal.len && is_name(first)) {
        const char *near = tri_array_nearest_word(first);
        return fail(diag, text,
                    near ? tri_str_format(arena, "'%.*s' is neither a type nor a generator; did you mean '%s'?",
                                          TRI_STR_ARG(first), near)
                               .data
                         : "expected TYPE:NUMBER, TYPE:@FILE or GENERATOR:TYPE:SHAPE");
    }
    argument->kind = TRI_ARGUMENT_LITERAL;
    argument->dtype = TRI_DTYPE_COUNT;
    argument->literal = tri_str_copy(arena, literal);
    bool is_tuple = tri_str_has_prefix(literal, "(") && tri_str_has_suffix(literal, ")");
    return !is_tuple || parse_members(diag, arena, text, argument);
}

/* "16x32,padding=nan" */
static bool parse_block(tri_diag *diag, tri_str text, tri_str block, tri_argument *argument)
{
    size_t comma = tri_str_find(block, ',');
    tri_str shape = tri_str_sub(block, 0, comma), option = tri_str_sub(block, comma + (comma < block.len), block.len);
    int rank = 0;
    int64_t dims[TRI_ARRAY_MAX_RANK];
    if (!tri_array_parse_shape(shape, &rank, dims) || rank == 0 || rank > TRI_ARGUMENT_BLOCK_RANK)
        return fail(diag, text, "expected desc:BLOCK:ARRAY, as in desc:16x32:randn:f32:64x64, of 1 to 5 dimensions");
    argument->pads_nan = tri_str_is(option, "padding=nan");
    if (comma < block.len && !argument->pads_nan && !tri_str_is(option, "padding=zero"))
        return fail(diag, text, "behind the block can only be padding=nan or padding=zero");
    argument->block_rank = rank;
    memcpy(argument->block, dims, (size_t)rank * sizeof *dims);
    return true;
}

/* `after` is what follows "desc:". */
static bool parse_descriptor(tri_diag *diag, tri_arena *arena, tri_str text, tri_str after, tri_argument *argument)
{
    tri_str block = take_part(&after);
    if (!parse_value(diag, arena, text, after, argument))
        return false;
    if (argument->kind != TRI_ARGUMENT_ARRAY || argument->block_rank)
        return fail(diag, text, "a descriptor is of a file or a generated array: desc:BLOCK:ARRAY");
    if (!parse_block(diag, text, block, argument))
        return false;
    if (argument->block_rank == argument->array.rank)
        return true;
    tri_str why = tri_str_format(arena, "the block has %d dimension%s and the array %d", argument->block_rank,
                                 argument->block_rank == 1 ? "" : "s", argument->array.rank);
    return fail(diag, text, why.data);
}

static bool parse_value(tri_diag *diag, tri_arena *arena, tri_str text, tri_str rest, tri_argument *out_argument)
{
    tri_str after = rest, first = take_part(&after);
    tri_dtype dtype;
    bool has_type = first.len < rest.len && tri_dtype_find(first, &dtype);
    if (!rest.len || (has_type && !after.len))
        return fail(diag, text, "expected a value");
    if (tri_str_is(rest, "@") || (has_type && tri_str_is(after, "@")))
        return fail(diag, text, "expected the name of a file behind the @");
    if (tri_str_has_prefix(rest, "@"))
        return parse_file(diag, arena, rest, TRI_DTYPE_COUNT, out_argument);
    if (tri_array_is_generator(first))
        return parse_generated(diag, arena, rest, out_argument);
    if (tri_str_is(first, "addr") && first.len < rest.len)
        return parse_table(diag, arena, text, after, out_argument);
    if (tri_str_is(first, "desc") && first.len < rest.len)
        return parse_descriptor(diag, arena, text, after, out_argument);
    if (has_type && tri_str_has_prefix(after, "@"))
        return parse_file(diag, arena, after, dtype, out_argument);
    if (out_argument->is_buffer)
        return fail(diag, text, "a buffer is a file or a generated array");
    return has_type ? parse_scalar(diag, text, dtype, after, arena, out_argument)
                    : parse_literal(diag, text, rest, arena, out_argument);
}

bool tri_argument_parse(tri_diag *diag, tri_arena *arena, tri_str text, tri_argument *out_argument)
{
    *out_argument = (tri_argument){0};
    tri_str rest = text;
    if (tri_str_has_prefix(rest, "buf:")) {
        out_argument->is_buffer = true;
        rest = tri_str_sub(rest, 4, rest.len);
    }
    out_argument->name = tri_str_copy(arena, take_name(&rest));
    if (out_argument->is_buffer && !out_argument->name.len)
        return fail(diag, text, "a buffer needs a name: buf:NAME=...");
    if (!parse_value(diag, arena, text, rest, out_argument))
        return false;
    if (out_argument->is_buffer && out_argument->block_rank)
        return fail(diag, text, "a buffer is a file or a generated array");
    return true;
}

static const tri_argument *find(const tri_argument_list *list, tri_str name)
{
    for (size_t i = 0; i < list->len; i++)
        if (tri_str_equal(list->at[i].name, name))
            return &list->at[i];
    return NULL;
}

bool tri_argument_link(tri_diag *diag, tri_arena *arena, tri_argument_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        const tri_argument tuple = list->at[i];
        list->at[i].first_member = list->len;
        for (size_t m = 0; m < tuple.member_count; m++) {
            tri_vec_push(arena, list, tuple.members[m]);
            tri_vec_last(list).is_buffer = true;
        }
    }
    for (size_t i = 0; i < list->len; i++) {
        tri_argument *table = &list->at[i];
        for (size_t k = 0; k < table->targets.len; k++) {
            const tri_argument *target = find(list, table->targets.at[k]);
            if (!target || (target->kind != TRI_ARGUMENT_ARRAY && target->kind != TRI_ARGUMENT_TABLE)) {
                tri_diag_error(diag, TRI_NO_SPAN, 9003,
                               "no buffer '%.*s' for the table of addresses%s%.*s: add buf:%.*s=...",
                               TRI_STR_ARG(table->targets.at[k]), table->name.len ? " " : "", TRI_STR_ARG(table->name),
                               TRI_STR_ARG(table->targets.at[k]));
                return false;
            }
            ((int64_t *)table->array.data)[k] = (int64_t)(uintptr_t)target->array.data;
        }
    }
    return true;
}

/* --- types and values -------------------------------------------------------------------- */

/* Triton's launch rule: True and False are i1, integers i32 or the next wider, floats fp32; an
 * integer that is a multiple of 16 says so. Everything else can only be a constexpr. */
static tri_str literal_signature(tri_arena *arena, tri_str literal)
{
    int64_t integer;
    double number;
    if (tri_str_is(literal, "True") || tri_str_is(literal, "False"))
        return TRI_STR("i1");
    if (tri_str_to_i64(literal, &integer)) {
        const char *type = integer >= INT32_MIN && integer <= INT32_MAX ? "i32" : "i64";
        return tri_str_format(arena, integer % 16 == 0 ? "%s:16" : "%s", type);
    }
    if (parse_float(literal, &number))
        return TRI_STR("fp32");
    return literal;
}

static tri_str descriptor_signature(tri_arena *arena, const tri_argument *a)
{
    tri_buf text = {0};
    tri_buf_format(&text, "tensordesc<%s[", tri_dtype_signature(a->array.dtype));
    for (int i = 0; i < a->block_rank; i++)
        tri_buf_format(&text, "%s%lld", i ? ", " : "", (long long)a->block[i]);
    tri_buf_add_z(&text, "]>");
    tri_str copy = tri_str_copy(arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return copy;
}

static tri_str tuple_signature(tri_arena *arena, const tri_argument *a)
{
    tri_buf text = {0};
    for (size_t i = 0; i < a->member_count; i++)
        tri_buf_format(&text, "%s%.*s", i ? ", " : "(", TRI_STR_ARG(tri_argument_signature(arena, &a->members[i])));
    tri_buf_add_z(&text, a->member_count == 1 ? ",)" : ")");
    tri_str copy = tri_str_copy(arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return copy;
}

tri_str tri_argument_signature(tri_arena *arena, const tri_argument *argument)
{
    if (argument->member_count)
        return tuple_signature(arena, argument);
    if (argument->block_rank)
        return descriptor_signature(arena, argument);
    switch (argument->kind) {
    case TRI_ARGUMENT_LITERAL: return literal_signature(arena, argument->literal);
    case TRI_ARGUMENT_SCALAR: return tri_str_from(tri_dtype_signature(argument->dtype));
    default: return tri_str_format(arena, "*%s:16", tri_dtype_signature(argument->array.dtype));
    }
}

bool tri_argument_value(const tri_argument *argument, tri_str type, uint64_t *out_bits)
{
    *out_bits = 0;
    if (argument->kind == TRI_ARGUMENT_ARRAY || argument->kind == TRI_ARGUMENT_TABLE) {
        *out_bits = (uint64_t)(uintptr_t)argument->array.data;
        return type.len && type.data[0] == '*' && !argument->block_rank;
    }
    tri_dtype dtype;
    int64_t integer;
    double number;
    if (!tri_dtype_find(tri_str_sub(type, 0, tri_str_find(type, ':')), &dtype))
        return false;
    tri_array one = {.dtype = dtype, .count = 1, .data = out_bits};
    if (tri_str_is(argument->literal, "True") || tri_str_is(argument->literal, "False")) {
        tri_array_set(&one, 0, argument->literal.data[0] == 'T');
        return true;
    }
    if (!tri_dtype_is_float(dtype)) {
        if (!tri_str_to_i64(argument->literal, &integer))
            return false;
        memcpy(out_bits, &integer, tri_dtype_size(dtype));
        return tri_dtype_size(dtype) == 8 || tri_array_get(&one, 0) == (double)integer;
    }
    if (!parse_float(argument->literal, &number))
        return false;
    tri_array_set(&one, 0, number);
    return true;
}
