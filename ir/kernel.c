#include "ir/kernel.h"

#include "base/diag.h"
#include "ir/builder.h"

#include "mlir-c/BuiltinAttributes.h"

/* Attributes that are written in order and left out at their default, so that texts stay short. */
typedef struct {
    MlirContext context;
    MlirNamedAttribute at[24];
    intptr_t len;
} dictionary;

static void put(dictionary *d, const char *name, MlirAttribute value)
{
    TRI_ASSERT(d->len < 24);
    d->at[d->len++] = mlirNamedAttributeGet(mlirIdentifierGet(d->context, mlirStringRefCreateFromCString(name)), value);
}

static void put_str(dictionary *d, const char *name, tri_str value)
{
    if (value.len)
        put(d, name, tri_attr_str(d->context, value.data, value.len));
}

static void put_int(dictionary *d, const char *name, int64_t value, int64_t if_absent)
{
    if (value != if_absent)
        put(d, name, tri_attr_i64(d->context, value));
}

static void put_flag(dictionary *d, const char *name, bool value)
{
    if (value)
        put(d, name, tri_attr_unit(d->context));
}

static MlirAttribute finish(const dictionary *d)
{
    return mlirDictionaryAttrGet(d->context, d->len, d->at);
}

static MlirAttribute param_to_attr(MlirContext context, const tri_kernel_param *param)
{
    dictionary d = {.context = context};
    put_str(&d, "name", param->name);
    put_str(&d, "type", param->type);
    put_str(&d, "value", param->value);
    put_int(&d, "divisibility", param->divisibility, 0);
    put_flag(&d, "small", param->is_small);
    put_flag(&d, "constexpr", param->is_constexpr);
    put_str(&d, "passed", param->passed_type);
    put_flag(&d, "read_only", param->is_read_only);
    return finish(&d);
}

MlirAttribute tri_kernel_to_attr(MlirContext context, const tri_kernel *kernel)
{
    dictionary d = {.context = context};
    put_str(&d, "name", kernel->name);
    put_str(&d, "symbol", kernel->symbol);
    tri_arena *arena = tri_arena_create();
    MlirAttribute *params = TRI_NEW_ARRAY(arena, MlirAttribute, kernel->params.len);
    for (size_t i = 0; i < kernel->params.len; i++)
        params[i] = param_to_attr(context, &kernel->params.at[i]);
    put(&d, "params", mlirArrayAttrGet(context, (intptr_t)kernel->params.len, params));
    tri_arena_destroy(arena);
    put_int(&d, "num_warps", kernel->num_warps, 0);
    put_int(&d, "num_stages", kernel->num_stages, 0);
    put_int(&d, "num_ctas", kernel->num_ctas, 0);
    put_int(&d, "maxnreg", kernel->maxnreg, 0);
    put_int(&d, "waves_per_eu", kernel->waves_per_eu, 0);
    put_int(&d, "matrix_instr_nonkdim", kernel->matrix_size, 0);
    put_int(&d, "kpack", kernel->k_pack, 0);
    put_str(&d, "grid", kernel->grid);
    put_str(&d, "heuristics", kernel->heuristics);
    put_str(&d, "maps", kernel->maps);
    put_flag(&d, "maps_for_scratch", kernel->maps_for_scratch);
    put_flag(&d, "persistent", kernel->is_persistent);
    put_str(&d, "key", kernel->key);
    put_int(&d, "config", kernel->config, 0);
    put_flag(&d, "launch_pdl", kernel->launch_pdl);
    put_flag(&d, "launch_cooperative", kernel->launch_cooperative);
    put_int(&d, "shared", kernel->shared_bytes, 0);
    put_int(&d, "scratch", kernel->scratch_bytes, 0);
    put_int(&d, "scratch_alignment", kernel->scratch_alignment, 0);
    put_int(&d, "locks", kernel->lock_count, 0);
    put_int(&d, "lock_start", kernel->lock_start, 0);
    put_flag(&d, "vector", kernel->is_vector);
    put_int(&d, "registers", kernel->registers, -1);
    put_int(&d, "spills", kernel->spill_bytes, -1);
    put_int(&d, "expected_ns", kernel->expected_ns, 0);
    return finish(&d);
}

static MlirAttribute get(MlirAttribute dict, const char *name)
{
    return mlirDictionaryAttrGetElementByName(dict, mlirStringRefCreateFromCString(name));
}

static tri_str get_str(tri_arena *arena, MlirAttribute dict, const char *name)
{
    MlirAttribute attr = get(dict, name);
    if (mlirAttributeIsNull(attr) || !mlirAttributeIsAString(attr))
        return TRI_STR("");
    MlirStringRef s = mlirStringAttrGetValue(attr);
    return tri_str_copy(arena, (tri_str){s.data, s.length});
}

static int64_t get_int(MlirAttribute dict, const char *name, int64_t if_absent)
{
    MlirAttribute attr = get(dict, name);
    return mlirAttributeIsNull(attr) || !mlirAttributeIsAInteger(attr) ? if_absent : mlirIntegerAttrGetValueInt(attr);
}

static bool get_flag(MlirAttribute dict, const char *name)
{
    return !mlirAttributeIsNull(get(dict, name));
}

static bool param_from_attr(tri_arena *arena, MlirAttribute attr, tri_kernel_param *out_param)
{
    if (!mlirAttributeIsADictionary(attr))
        return false;
    *out_param = (tri_kernel_param){
        .name = get_str(arena, attr, "name"),
        .type = get_str(arena, attr, "type"),
        .value = get_str(arena, attr, "value"),
        .divisibility = (int32_t)get_int(attr, "divisibility", 0),
        .is_small = get_flag(attr, "small"),
        .is_constexpr = get_flag(attr, "constexpr"),
        .is_read_only = get_flag(attr, "read_only"),
        .passed_type = get_str(arena, attr, "passed"),
    };
    return out_param->name.len > 0;
}

bool tri_kernel_from_attr(tri_arena *arena, MlirAttribute attr, tri_kernel *out_kernel)
{
    if (mlirAttributeIsNull(attr) || !mlirAttributeIsADictionary(attr))
        return false;
    MlirAttribute params = get(attr, "params");
    if (mlirAttributeIsNull(params) || !mlirAttributeIsAArray(params))
        return false;
    *out_kernel = (tri_kernel){
        .name = get_str(arena, attr, "name"),
        .symbol = get_str(arena, attr, "symbol"),
        .num_warps = (int32_t)get_int(attr, "num_warps", 0),
        .num_stages = (int32_t)get_int(attr, "num_stages", 0),
        .num_ctas = (int32_t)get_int(attr, "num_ctas", 0),
        .maxnreg = (int32_t)get_int(attr, "maxnreg", 0),
        .waves_per_eu = (int32_t)get_int(attr, "waves_per_eu", 0),
        .matrix_size = (int32_t)get_int(attr, "matrix_instr_nonkdim", 0),
        .k_pack = (int32_t)get_int(attr, "kpack", 0),
        .grid = get_str(arena, attr, "grid"),
        .heuristics = get_str(arena, attr, "heuristics"),
        .maps = get_str(arena, attr, "maps"),
        .maps_for_scratch = get_flag(attr, "maps_for_scratch"),
        .is_persistent = get_flag(attr, "persistent"),
        .key = get_str(arena, attr, "key"),
        .config = (int32_t)get_int(attr, "config", 0),
        .launch_pdl = get_flag(attr, "launch_pdl"),
        .launch_cooperative = get_flag(attr, "launch_cooperative"),
        .shared_bytes = get_int(attr, "shared", 0),
        .scratch_bytes = get_int(attr, "scratch", 0),
        .scratch_alignment = get_int(attr, "scratch_alignment", 0),
        .lock_count = (int32_t)get_int(attr, "locks", 0),
        .lock_start = get_int(attr, "lock_start", 0),
        .is_vector = get_flag(attr, "vector"),
        .registers = (int32_t)get_int(attr, "registers", -1),
        .spill_bytes = (int32_t)get_int(attr, "spills", -1),
        .expected_ns = get_int(attr, "expected_ns", 0),
    };
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(params); i++) {
        tri_kernel_param param;
        if (!param_from_attr(arena, mlirArrayAttrGetElement(params, i), &param))
            return false;
        tri_vec_push(arena, &out_kernel->params, param);
    }
    return out_kernel->name.len > 0;
}
