/* torch.finfo and torch.iinfo: the limits of element types, which constants are often made of. */
#include "frontend/host/host_eval.h"

#include "frontend/kernel/types.h"

#include <float.h>

static void set(tri_host *h, tri_value_dict *fields, const char *name, const tri_value *value)
{
    tri_value_dict_set(h->arena, fields, tri_value_str(h->arena, tri_str_from(name)), value);
}

static void set_float(tri_host *h, tri_value_dict *fields, const char *name, double value)
{
    set(h, fields, name, tri_value_float(h->arena, value));
}

static bool float_limits(tri_host *h, tri_dtype d, tri_value_dict *fields)
{
    double max, eps, tiny;
    switch (d) {
    case TRI_DTYPE_FP16:
        max = 65504.0, eps = 0x1p-10, tiny = 0x1p-14;
        break;
    case TRI_DTYPE_BF16:
        max = 0x1.fep127, eps = 0x1p-7, tiny = 0x1p-126;
        break;
    case TRI_DTYPE_FP32:
        max = FLT_MAX, eps = FLT_EPSILON, tiny = FLT_MIN;
        break;
    case TRI_DTYPE_FP64:
        max = DBL_MAX, eps = DBL_EPSILON, tiny = DBL_MIN;
        break;
    default:
        return false;
    }
    set_float(h, fields, "max", max);
    set_float(h, fields, "min", -max);
    set_float(h, fields, "eps", eps);
    set_float(h, fields, "tiny", tiny);
    set_float(h, fields, "smallest_normal", tiny);
    return true;
}

static bool int_limits(tri_host *h, tri_dtype d, tri_value_dict *fields)
{
    if (!tri_types_dtype_is_int(d))
        return false;
    unsigned bits = tri_types_dtype_bits(d);
    bool is_signed = tri_types_dtype_is_signed(d);
    tri_int max = ((tri_int)1 << (is_signed ? bits - 1 : bits)) - 1;
    set(h, fields, "max", tri_value_int(h->arena, max));
    set(h, fields, "min", tri_value_int(h->arena, is_signed ? -max - 1 : 0));
    return true;
}

const tri_value *tri_host_torch_limits(tri_host *h, tri_str path, const tri_value *type)
{
    bool is_float = tri_str_is(path, "torch.finfo");
    tri_dtype d;
    if (!is_float && !tri_str_is(path, "torch.iinfo"))
        return NULL;
    type = tri_value_unwrap(type);
    if (type->kind == TRI_VALUE_DTYPE && type->type->kind == TRI_TYPE_SCALAR)
        d = type->type->dtype;
    else if (type->kind != TRI_VALUE_EXTERNAL || !tri_str_has_prefix(type->string, "torch.") ||
             !tri_types_parse_dtype(tri_str_sub(type->string, 6, type->string.len), &d))
        return NULL;
    tri_value *o = TRI_NEW(h->arena, tri_value);
    o->kind = TRI_VALUE_OBJECT;
    o->object.path = tri_str_copy(h->arena, path);
    o->object.fields = tri_value_dict_create(h->arena)->dict;
    set(h, o->object.fields, "bits", tri_value_int(h->arena, tri_types_dtype_bits(d)));
    return (is_float ? float_limits : int_limits)(h, d, o->object.fields) ? o : NULL;
}
