/* Tensor descriptors. */
#include "frontend/builtins/builtins.h"
#include "frontend/kernel/target.h"

enum { md_base, md_shape, md_strides, md_block, md_padding };

static bool scalar_list(tri_eval *e, const tri_ev *args, int i, tri_dtype d, int *out_count, tri_ev **out)
{
    if (args[i].kind != TRI_EV_TUPLE) {
        tri_arg_error(e, i, 3012, "this must be a list of integers, but it is %s", tri_eval_describe(e, args[i]));
        return false;
    }
    int n = args[i].tuple->count;
    *out = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    *out_count = n;
    for (int k = 0; k < n; k++) {
        tri_num num;
        tri_ev v = args[i].tuple->at[k];
        if (tri_ev_get_num(v, &num) && num.kind != TRI_NUM_FLOAT) {
            (*out)[k] = tri_semantic_constant(e, &num, d);
        } else if (tri_ev_is_tensor(v) && !tri_ev_is_block(v) && tri_types_is_int(v.type)) {
            (*out)[k] = tri_semantic_cast_to(e, v, d);
        } else {
            tri_arg_error(e, i, 3012, "entry %d must be an integer scalar, but it is %s", k, tri_eval_describe(e, v));
            return false;
        }
    }
    return true;
}

tri_ev tri_builtin_make_tensor_descriptor(tri_eval *e, const tri_ev *args)
{
    static const char *const paddings[] = {"", "zero", "nan", NULL};
    tri_ev_desc *d = TRI_NEW(e->arena, tri_ev_desc);
    int n_shape, n_strides, padding;
    int64_t block[TRI_MAX_TENSOR_RANK], last;
    tri_ev base = args[md_base];
    if (!tri_ev_is_tensor(base) || tri_ev_is_block(base) || !tri_types_is_ptr(base.type))
        return tri_arg_error(e, md_base, 3014, "the base of a descriptor must be a scalar pointer, but this is %s",
                             tri_eval_describe(e, base));
    if (!scalar_list(e, args, md_shape, TRI_DTYPE_INT32, &n_shape, &d->shape) ||
        !scalar_list(e, args, md_strides, TRI_DTYPE_INT64, &n_strides, &d->strides) ||
        !tri_arg_shape(e, args, md_block, &d->rank, block) ||
        !tri_arg_word(e, args, md_padding, "padding option", paddings, 1, &padding))
        return (tri_ev){0};
    if (d->rank < 1 || d->rank > 5)
        return tri_arg_error(e, md_block, 3009, "a descriptor has 1 to 5 dimensions, not %d", d->rank);
    if (n_shape != d->rank || n_strides != d->rank)
        return tri_eval_error(e, 3009,
                              "shape, strides and block_shape must have one length, but they have %d, %d and %d",
                              n_shape, n_strides, d->rank);
    e->at = e->arg_spans[md_block];
    if (!tri_semantic_check_shape(e, d->rank, block))
        return (tri_ev){0};
    const tri_type *elem = base.type->element;
    if (!tri_ev_get_int(args[md_strides].tuple->at[d->rank - 1], &last) || last != 1)
        return tri_arg_error(e, md_strides, 3007,
                             "the last stride of a descriptor must be the constant 1, but it is %s",
                             tri_eval_describe(e, args[md_strides].tuple->at[d->rank - 1]));
    int64_t bytes = block[d->rank - 1] * (tri_types_dtype_bits(elem->dtype) / 8);
    if (bytes < 16)
        return tri_arg_error(e, md_block, 3010,
                             "the last dimension of a descriptor's block must have at least 16 bytes, but "
                             "%lld elements of '%s' have %lld",
                             (long long)block[d->rank - 1], tri_types_dtype_name(elem->dtype), (long long)bytes);
    if (padding == 2 && tri_types_is_int(elem))
        return tri_arg_error(e, md_padding, 3012, "padding option 'nan' is not for elements of type '%s'",
                             tri_types_dtype_name(elem->dtype));
    d->block = tri_types_block(e->arena, elem, d->rank, block);
    MlirValue values[1 + 2 * 5];
    int n = 0;
    values[n++] = base.value;
    for (int i = 0; i < d->rank; i++)
        values[n++] = d->shape[i].value;
    for (int i = 0; i < d->rank; i++)
        values[n++] = d->strides[i].value;
    MlirType type = tri_ev_desc_type(e, d->block);
    tri_attr attr = {"padding", tri_attr_i32(e->mlir, padding == 2 ? 2 : 1)};
    MlirValue v = tri_builder_value(&e->b, &(tri_op){.name = "tt.make_tensor_descriptor",
                                                     .num_operands = n,
                                                     .operands = values,
                                                     .num_results = 1,
                                                     .results = &type,
                                                     .num_attrs = 1,
                                                     .attrs = &attr});
    return (tri_ev){.kind = TRI_EV_DESC, .value = v, .desc = d};
}

static bool get_desc(tri_eval *e, const tri_ev *args, const tri_ev_desc **out)
{
    if (args[0].kind != TRI_EV_DESC) {
        tri_arg_error(e, 0, 3012, "this must be a tensor descriptor, but it is %s", tri_eval_describe(e, args[0]));
        return false;
    }
    *out = args[0].desc;
    return true;
}

/* An index into a descriptor: 32 bits. */
static bool index_value(tri_eval *e, int arg, tri_ev v, MlirValue *out)
{
    tri_num num;
    if (tri_ev_get_num(v, &num) && num.kind != TRI_NUM_FLOAT && num.i >= INT32_MIN && num.i <= INT32_MAX) {
        *out = tri_semantic_constant(e, &num, TRI_DTYPE_INT32).value;
        return true;
    }
    bool scalar = tri_ev_is_tensor(v) && !tri_ev_is_block(v) && tri_types_is_int(v.type);
    if (scalar && tri_types_dtype_bits(v.type->dtype) <= 32) {
        *out = tri_semantic_cast_to(e, v, TRI_DTYPE_INT32).value;
        return true;
    }
    tri_arg_error(e, arg, 3012, "an offset into a descriptor must be a scalar of 32 bits, but this is %s%s",
                  tri_eval_describe(e, v), scalar ? "; add .to(tl.int32)" : "");
    return false;
}

static bool get_offsets(tri_eval *e, const tri_ev *args, int arg, const tri_ev_desc *d, MlirValue *out)
{
    tri_ev single = args[arg];
    int n = single.kind == TRI_EV_TUPLE ? single.tuple->count : 1;
    const tri_ev *at = single.kind == TRI_EV_TUPLE ? single.tuple->at : &single;
    if (n != d->rank) {
        tri_arg_error(e, arg, 3009, "%d offsets for a descriptor with %d dimensions", n, d->rank);
        return false;
    }
    for (int i = 0; i < n; i++)
        if (!index_value(e, arg, at[i], &out[i]))
            return false;
    return true;
}

static const char *const load_cache[] = {"", ".ca", ".cg", ".cs", ".cv", NULL};
static const int load_cache_value[] = {1, 2, 3, 5, 7};
static const char *const evictions[] = {"", "evict_first", "evict_last", NULL};
static const int eviction_value[] = {1, 2, 3};

tri_ev tri_builtin_descriptor_load(tri_eval *e, const tri_ev *args)
{
    const tri_ev_desc *d;
    MlirValue values[6];
    int cache, evict;
    if (!get_desc(e, args, &d) || !get_offsets(e, args, 1, d, values + 1) ||
        !tri_arg_word(e, args, 2, "cache modifier of a load", load_cache, 0, &cache) ||
        !tri_arg_word(e, args, 3, "eviction policy", evictions, 0, &evict))
        return (tri_ev){0};
    values[0] = args[0].value;
    MlirType type = tri_emit_type(e, d->block);
    tri_attr attrs[] = {{"cache", tri_attr_i32(e->mlir, load_cache_value[cache])},
                        {"evict", tri_attr_i32(e->mlir, eviction_value[evict])}};
    MlirValue v = tri_builder_value(&e->b, &(tri_op){.name = "tt.descriptor_load",
                                                     .num_operands = 1 + d->rank,
                                                     .operands = values,
                                                     .num_results = 1,
                                                     .results = &type,
                                                     .num_attrs = 2,
                                                     .attrs = attrs});
    return tri_ev_tensor(v, d->block);
}

static bool check_value(tri_eval *e, int arg, tri_ev v, const tri_ev_desc *d)
{
    const tri_type *b = d->block;
    if (tri_ev_is_block(v) && v.type->rank == b->rank &&
        !memcmp(v.type->shape, b->shape, sizeof *b->shape * (size_t)b->rank))
        return true;
    tri_arg_error(e, arg, 3009, "the value must have the descriptor's block shape %s, but it is %s",
                  tri_eval_shape_name(e, b->rank, b->shape), tri_eval_describe(e, v));
    return false;
}

/* Operands of store and reduce: descriptor, value, offsets. */
static bool get_store(tri_eval *e, const tri_ev *args, bool cast, MlirValue *values, const tri_ev_desc **out)
{
    tri_ev v;
    if (!get_desc(e, args, out) || !tri_arg_tensor(e, args, 2, &v) || !check_value(e, 2, v, *out) ||
        !get_offsets(e, args, 1, *out, values + 2))
        return false;
    if (cast)
        v = tri_semantic_cast(e, v, tri_types_element((*out)->block), TRI_ROUND_DEFAULT);
    if (tri_ev_is_error(v))
        return false;
    if (!tri_types_equal(v.type, (*out)->block)) {
        tri_arg_error(e, 2, 3012, "the value is '%s', but the descriptor's block is '%s'; cast it with .to()",
                      tri_eval_type_name(e, v.type), tri_eval_type_name(e, (*out)->block));
        return false;
    }
    values[0] = args[0].value;
    values[1] = v.value;
    return true;
}

tri_ev tri_builtin_descriptor_store(tri_eval *e, const tri_ev *args)
{
    const tri_ev_desc *d;
    MlirValue values[7];
    if (!get_store(e, args, true, values, &d))
        return (tri_ev){0};
    tri_builder_create(&e->b,
                       &(tri_op){.name = "tt.descriptor_store", .num_operands = 2 + d->rank, .operands = values});
    return tri_ev_none(e);
}

static bool reduce_allowed(tri_eval *e, int kind, tri_dtype d)
{
    bool word = d == TRI_DTYPE_UINT32 || d == TRI_DTYPE_INT32 || d == TRI_DTYPE_UINT64;
    bool half = d == TRI_DTYPE_FP16 || d == TRI_DTYPE_BF16;
    const tri_machine_facts *facts = tri_target_facts(e);
    if (kind == 1)
        return word || half || d == TRI_DTYPE_FP32;
    if (kind == 2 || kind == 3)
        return word || d == TRI_DTYPE_INT64 || (half && facts->has_half_reduction);
    return word || d == TRI_DTYPE_INT64;
}

/* data: DescriptorReduceKind */
tri_ev tri_builtin_descriptor_reduce(tri_eval *e, const tri_ev *args)
{
    const tri_ev_desc *d;
    MlirValue values[7];
    int kind = tri_builtins_current(e)->data;
    if (!get_store(e, args, false, values, &d))
        return (tri_ev){0};
    tri_dtype elem = tri_types_element(d->block)->dtype;
    if (!reduce_allowed(e, kind, elem))
        return tri_arg_error(e, 0, 3012, "this atomic does not support elements of type '%s'",
                             tri_types_dtype_name(elem));
    tri_attr attr = {"kind", tri_attr_i32(e->mlir, kind)};
    tri_builder_create(&e->b, &(tri_op){.name = "tt.descriptor_reduce", .num_operands = 2 + d->rank, .operands = values,
                                        .num_attrs = 1, .attrs = &attr});
    return tri_ev_none(e);
}

static bool check_rows(tri_eval *e, const tri_ev_desc *d, int arg, tri_ev rows)
{
    tri_dtype elem = tri_types_element(d->block)->dtype;
    int64_t least = 32 / tri_types_dtype_bits(elem) * 8;
    if (d->rank != 2 || d->block->shape[0] != 1)
        return tri_arg_error(e, 0, 3009, "this needs a descriptor of one row, but its block is %s",
                             tri_eval_shape_name(e, d->rank, d->block->shape)), false;
    if (tri_types_dtype_bits(elem) > 32)
        return tri_arg_error(e, 0, 3012, "elements of '%s' are wider than 32 bits", tri_types_dtype_name(elem)), false;
    if (d->block->shape[1] < least)
        return tri_arg_error(e, 0, 3010, "a block of '%s' must have at least %lld columns here, but it has %lld",
                             tri_types_dtype_name(elem), (long long)least, (long long)d->block->shape[1]), false;
    if (rows.type->rank != 1 || !tri_types_is_int(rows.type) || tri_types_dtype_bits(rows.type->dtype) > 32 ||
        tri_types_dtype_bits(rows.type->dtype) < 16)
        return tri_arg_error(e, arg, 3012, "the row offsets must be a rank-1 block of int16 or int32, but this is '%s'",
                             tri_eval_type_name(e, rows.type)), false;
    if (rows.type->shape[0] < 8)
        return tri_arg_error(e, arg, 3010, "at least 8 rows are needed, but there are %lld",
                             (long long)rows.type->shape[0]),
               false;
    return true;
}

tri_ev tri_builtin_descriptor_gather(tri_eval *e, const tri_ev *args)
{
    const tri_ev_desc *d;
    tri_ev rows;
    MlirValue values[3];
    if (!get_desc(e, args, &d) || !tri_arg_block(e, args, 1, &rows) || !check_rows(e, d, 1, rows) ||
        !index_value(e, 2, args[2], &values[2]))
        return (tri_ev){0};
    values[0] = args[0].value;
    values[1] = rows.value;
    int64_t shape[2] = {rows.type->shape[0], d->block->shape[1]};
    const tri_type *result = tri_types_block(e->arena, d->block->element, 2, shape);
    MlirType type = tri_emit_type(e, result);
    MlirValue v = tri_builder_value(
        &e->b,
        &(tri_op){
            .name = "tt.descriptor_gather", .num_operands = 3, .operands = values, .num_results = 1, .results = &type});
    return tri_ev_tensor(v, result);
}

tri_ev tri_builtin_descriptor_scatter(tri_eval *e, const tri_ev *args)
{
    const tri_ev_desc *d;
    tri_ev rows, value;
    MlirValue values[4];
    if (!get_desc(e, args, &d) || !tri_arg_block(e, args, 1, &value) || !tri_arg_block(e, args, 2, &rows) ||
        !check_rows(e, d, 2, rows) || !index_value(e, 3, args[3], &values[2]))
        return (tri_ev){0};
    int64_t shape[2] = {rows.type->shape[0], d->block->shape[1]};
    const tri_type *want = tri_types_block(e->arena, d->block->element, 2, shape);
    if (!tri_types_equal(value.type, want))
        return tri_arg_error(e, 1, 3009, "the value must be '%s', but it is '%s'", tri_eval_type_name(e, want),
                             tri_eval_type_name(e, value.type));
    values[0] = args[0].value;
    values[1] = rows.value;
    values[3] = value.value;
    tri_builder_create(&e->b, &(tri_op){.name = "tt.descriptor_scatter", .num_operands = 4, .operands = values});
    return tri_ev_none(e);
}

/* The spelling before descriptors were values: desc, offsets, block shape, element type. */
tri_ev tri_builtin_old_descriptor_load(tri_eval *e, const tri_ev *args)
{
    const tri_ev_desc *d;
    int rank;
    int64_t shape[TRI_MAX_TENSOR_RANK];
    const tri_type *elem = tri_arg_dtype(e, args, 3);
    if (!elem || !get_desc(e, args, &d) || !tri_arg_shape(e, args, 2, &rank, shape))
        return (tri_ev){0};
    if (rank != d->rank || memcmp(shape, d->block->shape, sizeof *shape * (size_t)rank))
        return tri_arg_error(e, 2, 3009, "the descriptor loads blocks of %s, not of %s",
                             tri_eval_shape_name(e, d->rank, d->block->shape), tri_eval_shape_name(e, rank, shape));
    if (!tri_types_equal(elem, tri_types_element(d->block)))
        return tri_arg_error(e, 3, 3012, "the descriptor loads elements of type '%s', not '%s'",
                             tri_eval_type_name(e, tri_types_element(d->block)), tri_eval_type_name(e, elem));
    tri_eval_warning(e, "deprecated", "tl._experimental_descriptor_load is an old form; use desc.load(offsets)");
    tri_ev now[4] = {args[0], args[1], tri_ev_none(e), tri_ev_none(e)};
    return tri_builtin_descriptor_load(e, now);
}

/* desc, value, offsets */
tri_ev tri_builtin_old_descriptor_store(tri_eval *e, const tri_ev *args)
{
    tri_ev now[3] = {args[0], args[2], args[1]};
    const tri_span *outer = e->arg_spans;
    const tri_span spans[3] = {outer[0], outer[2], outer[1]};
    e->arg_spans = spans;
    tri_ev r = tri_builtin_descriptor_store(e, now);
    e->arg_spans = outer;
    if (!tri_ev_is_error(r))
        tri_eval_warning(e, "deprecated",
                         "tl._experimental_descriptor_store is an old form; use desc.store(offsets, value)");
    return r;
}
