#include "frontend/kernel/type_query.h"

/* `t.is_...()` */
static bool ask(const tri_type *t, tri_str name, bool *out)
{
    bool scalar = t->kind == TRI_TYPE_SCALAR;
    tri_dtype d = t->dtype, known;
    if (!tri_str_has_prefix(name, "is_"))
        return false;
    tri_str q = tri_str_sub(name, 3, name.len);
    if (tri_str_is(q, "int"))
        *out = scalar && tri_types_dtype_is_int(d);
    else if (tri_str_is(q, "floating"))
        *out = scalar && tri_types_dtype_is_float(d);
    else if (tri_str_is(q, "standard_floating"))
        *out = scalar && tri_types_dtype_is_standard_float(d);
    else if (tri_str_is(q, "int_signed"))
        *out = scalar && tri_types_dtype_is_signed(d);
    else if (tri_str_is(q, "int_unsigned"))
        *out = scalar && tri_types_dtype_is_int(d) && !tri_types_dtype_is_signed(d);
    else if (tri_str_is(q, "bool"))
        *out = scalar && d == TRI_DTYPE_INT1;
    else if (tri_str_is(q, "ptr"))
        *out = t->kind == TRI_TYPE_PTR;
    else if (tri_str_is(q, "const"))
        *out = t->kind == TRI_TYPE_PTR && t->is_const;
    else if (tri_str_is(q, "block"))
        *out = t->kind == TRI_TYPE_BLOCK;
    else if (tri_str_is(q, "fp8"))
        *out = scalar && tri_types_dtype_is_fp8(d);
    else if (tri_str_is(q, "void"))
        *out = scalar && d == TRI_DTYPE_VOID;
    else if (tri_types_parse_dtype(q, &known))
        *out = scalar && d == known;
    else
        return false;
    return true;
}

static unsigned bits_of(const tri_type *t)
{
    const tri_type *s = tri_types_element(t);
    return s->kind == TRI_TYPE_PTR ? 64 : tri_types_dtype_bits(s->dtype);
}

static const tri_value *shape_of(tri_arena *arena, const tri_type *t)
{
    const tri_value *items[TRI_MAX_TENSOR_RANK];
    int n = t->kind == TRI_TYPE_BLOCK ? t->rank : 0;
    for (int i = 0; i < n; i++)
        items[i] = tri_value_int(arena, t->shape[i]);
    return tri_value_sequence(arena, TRI_VALUE_TUPLE, (uint32_t)n, items);
}

const tri_value *tri_type_query_attribute(tri_arena *arena, const tri_type *t, tri_str name)
{
    const tri_type *s = tri_types_element(t);
    bool scalar = s->kind == TRI_TYPE_SCALAR;
    if (tri_str_is(name, "element_ty") && t->kind != TRI_TYPE_SCALAR)
        return tri_value_dtype(arena, t->element);
    if (tri_str_is(name, "scalar"))
        return tri_value_dtype(arena, s);
    if (tri_str_is(name, "name"))
        return tri_value_str(arena, tri_types_name(arena, t));
    if (tri_str_is(name, "primitive_bitwidth"))
        return tri_value_int(arena, bits_of(t));
    if (tri_str_is(name, "itemsize"))
        return tri_value_int(arena, (bits_of(t) + 7) / 8);
    if (tri_str_is(name, "shape"))
        return shape_of(arena, t);
    if (tri_str_is(name, "numel"))
        return tri_value_int(arena, tri_types_numel(t));
    if (tri_str_is(name, "nbytes"))
        return tri_value_int(arena, tri_types_numel(t) * (int64_t)(bits_of(t) / 8));
    if (scalar && tri_types_dtype_is_int(s->dtype)) {
        if (tri_str_is(name, "int_bitwidth"))
            return tri_value_int(arena, bits_of(t));
        if (tri_str_is(name, "int_signedness"))
            return tri_value_int(arena, !tri_types_dtype_is_signed(s->dtype));
    }
    if (scalar && tri_types_dtype_is_float(s->dtype)) {
        if (tri_str_is(name, "fp_mantissa_width"))
            return tri_value_int(arena, tri_types_dtype_mantissa(s->dtype));
        if (tri_str_is(name, "exponent_bias"))
            return tri_value_int(arena, tri_types_dtype_bias(s->dtype));
    }
    return NULL;
}

bool tri_type_query_is_method(const tri_type *t, tri_str name)
{
    bool truth;
    return ask(t, name, &truth) || tri_str_is(name, "get_int_max_value") || tri_str_is(name, "get_int_min_value") ||
           tri_str_is(name, "with_element_ty") || tri_str_is(name, "get_block_shapes");
}

const tri_value *tri_type_query_call(tri_arena *arena, const tri_type *t, tri_str name, size_t count,
                                     const tri_value *const *args)
{
    bool truth;
    if (count == 0 && ask(t, name, &truth))
        return tri_value_bool(truth);
    if (count == 0 && tri_str_is(name, "get_block_shapes") && t->kind == TRI_TYPE_BLOCK)
        return shape_of(arena, t);
    if (count == 1 && tri_str_is(name, "with_element_ty") && tri_value_unwrap(args[0])->kind == TRI_VALUE_DTYPE)
        return tri_value_dtype(arena, tri_types_with_element(arena, t, tri_value_unwrap(args[0])->type));
    bool is_max = tri_str_is(name, "get_int_max_value");
    if (count == 0 && (is_max || tri_str_is(name, "get_int_min_value")) && tri_types_is_int(t)) {
        unsigned bits = bits_of(t);
        bool is_signed = tri_types_dtype_is_signed(t->dtype);
        tri_int max = ((tri_int)1 << (is_signed ? bits - 1 : bits)) - 1;
        return tri_value_int(arena, is_max ? max : is_signed ? -max - 1 : 0);
    }
    return NULL;
}

const tri_type *tri_type_query_int(int64_t bits, bool is_signed)
{
    for (int d = TRI_DTYPE_INT1; d <= TRI_DTYPE_UINT64; d++)
        if (tri_types_dtype_bits((tri_dtype)d) == bits &&
            (d == TRI_DTYPE_INT1 || tri_types_dtype_is_signed((tri_dtype)d) == is_signed))
            return tri_types_scalar((tri_dtype)d);
    return NULL;
}
