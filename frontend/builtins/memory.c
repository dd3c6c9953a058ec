/* load and store, block pointers among them. */
#include "frontend/builtins/builtins.h"

static const char *const load_cache[] = {"", ".ca", ".cg", ".cs", ".cv", NULL};
static const int load_cache_value[] = {1, 2, 3, 5, 7};
static const char *const store_cache[] = {"", ".wb", ".cg", ".cs", ".wt", NULL};
static const int store_cache_value[] = {1, 4, 3, 5, 6};
static const char *const evictions[] = {"", "evict_first", "evict_last", "evict_normal", NULL};
static const int eviction_value[] = {1, 2, 3, 1};

static tri_attr segments(tri_eval *e, int n, int a, int b, int c)
{
    int32_t values[] = {a, b, c};
    return (tri_attr){"operandSegmentSizes", tri_attr_i32s(e->mlir, n, values)};
}

/* A pointer to int1 is a pointer to bytes. */
static tri_ev byte_pointer(tri_eval *e, tri_ev ptr)
{
    const tri_type *p = tri_types_element(ptr.type);
    if (p->element->dtype != TRI_DTYPE_INT1)
        return ptr;
    return tri_semantic_cast(e, ptr,
                             tri_types_pointer(e->arena, tri_types_scalar(TRI_DTYPE_INT8), p->space, p->is_const),
                             TRI_ROUND_DEFAULT);
}

static bool need_pointer(tri_eval *e, const tri_ev *args, const char *what)
{
    if (tri_ev_is_tensor(args[0]) && tri_types_is_ptr(args[0].type))
        return true;
    tri_arg_error(e, 0, 3014, "tl.%s needs a pointer, but this is %s", what, tri_eval_describe(e, args[0]));
    if (tri_ev_is_tensor(args[0]))
        tri_eval_note(e, "add the offset to a pointer argument: tl.%s(ptr + offset)", what);
    return false;
}

static bool scalar_only(tri_eval *e, int i, tri_ev v, const char *what)
{
    if (!tri_ev_is_block(v))
        return true;
    tri_arg_error(e, i, 3009, "the %s is a block of type '%s', but the pointer is a scalar", what,
                  tri_eval_type_name(e, v.type));
    return false;
}

static bool need_bool_mask(tri_eval *e, int i, tri_ev mask)
{
    const tri_type *t = tri_types_element(mask.type);
    if (t->kind == TRI_TYPE_SCALAR && t->dtype == TRI_DTYPE_INT1)
        return true;
    tri_arg_error(e, i, 3012, "a mask must be of type int1, but this is '%s'; compare it: mask != 0",
                  tri_eval_type_name(e, mask.type));
    return false;
}

typedef struct {
    int cache, eviction;
    bool is_volatile;
} modifiers;

static tri_ev emit_load(tri_eval *e, tri_ev ptr, const tri_ev *mask, const tri_ev *other, modifiers m)
{
    tri_ev operands[3] = {ptr};
    int n = 1;
    bool is_bool = tri_types_element(ptr.type)->element->dtype == TRI_DTYPE_INT1;
    operands[0] = ptr = byte_pointer(e, ptr);
    const tri_type *elem = tri_types_element(ptr.type)->element;
    if (mask)
        operands[n++] = *mask;
    if (other)
        operands[n++] = tri_semantic_cast(e, *other, elem, TRI_ROUND_DEFAULT);
    tri_attr attrs[] = {
        segments(e, 3, 1, mask ? 1 : 0, other ? 1 : 0),
        {"cache", tri_attr_i32(e->mlir, m.cache)},
        {"evict", tri_attr_i32(e->mlir, m.eviction)},
        {"isVolatile", tri_attr_bool(e->mlir, m.is_volatile)},
    };
    tri_ev r = tri_emit_op(e, "tt.load", tri_types_with_element(e->arena, ptr.type, elem), n, operands, 4, attrs);
    return is_bool ? tri_semantic_cast_to(e, r, TRI_DTYPE_INT1) : r;
}

enum { ld_ptr, ld_mask, ld_other, ld_boundary, ld_padding, ld_cache, ld_evict, ld_volatile };

/* A block pointer as a block of pointers, with the mask of the checked dimensions if there are any. */
static bool materialize_block_ptr(tri_eval *e, tri_ev ptr, tri_ev boundary, int boundary_arg, tri_ev *out_ptr,
                               tri_ev *out_mask, bool *out_has_mask);

static tri_ev load_block_pointer(tri_eval *e, const tri_ev *args, modifiers m)
{
    static const char *const paddings[] = {"", "zero", "nan", NULL};
    int padding;
    if (!tri_ev_is_none(args[ld_mask]) || !tri_ev_is_none(args[ld_other]))
        return tri_arg_error(e, tri_ev_is_none(args[ld_mask]) ? ld_other : ld_mask, 4001,
                             "a load through a block pointer takes no mask and no other; use boundary_check and "
                             "padding_option");
    if (!tri_arg_word(e, args, ld_padding, "padding option", paddings, 0, &padding))
        return (tri_ev){0};
    tri_ev ptr, mask;
    bool has_mask;
    if (!materialize_block_ptr(e, args[ld_ptr], args[ld_boundary], ld_boundary, &ptr, &mask, &has_mask))
        return (tri_ev){0};
    tri_dtype elem = args[ld_ptr].block_ptr->base.type->dtype;
    if (padding == 2 && tri_types_dtype_is_int(elem))
        return tri_arg_error(e, ld_padding, 3012, "padding option 'nan' is not for elements of type '%s'",
                             tri_types_dtype_name(elem));
    if (!has_mask || !padding)
        return emit_load(e, ptr, has_mask ? &mask : NULL, NULL, m);
    tri_num fill = {.kind = TRI_NUM_FLOAT, .f = padding == 2 ? __builtin_nan("") : 0.0};
    tri_ev other = tri_semantic_constant(e, &fill, elem);
    other = tri_semantic_splat(e, other, ptr.type->rank, ptr.type->shape);
    return emit_load(e, ptr, &mask, &other, m);
}

tri_ev tri_builtin_load(tri_eval *e, const tri_ev *args)
{
    modifiers m;
    int cache, evict;
    if (!tri_arg_word(e, args, ld_cache, "cache modifier of a load", load_cache, 0, &cache) ||
        !tri_arg_word(e, args, ld_evict, "eviction policy", evictions, 0, &evict) ||
        !tri_arg_bool(e, args, ld_volatile, false, &m.is_volatile))
        return (tri_ev){0};
    m.cache = load_cache_value[cache];
    m.eviction = eviction_value[evict];
    if (args[ld_ptr].kind == TRI_EV_BLOCK_PTR)
        return load_block_pointer(e, args, m);
    if (!need_pointer(e, args, "load"))
        return (tri_ev){0};
    bool checks = !(tri_ev_is_none(args[ld_boundary]) ||
                    (args[ld_boundary].kind == TRI_EV_TUPLE && !args[ld_boundary].tuple->count));
    tri_str padding = TRI_STR("");
    tri_ev_get_str(args[ld_padding], &padding);
    if (checks || padding.len)
        return tri_arg_error(e, checks ? ld_boundary : ld_padding, 4001,
                             "boundary_check and padding_option are for block pointers; use mask and other");
    tri_ev ptr = args[ld_ptr], mask = {0}, other = {0};
    bool has_mask = !tri_ev_is_none(args[ld_mask]), has_other = !tri_ev_is_none(args[ld_other]);
    if (has_other && !has_mask)
        return tri_arg_error(e, ld_other, 3004, "'other' of tl.load needs a mask");
    if ((has_mask && !tri_arg_tensor(e, args, ld_mask, &mask)) ||
        (has_other && !tri_arg_tensor(e, args, ld_other, &other)))
        return (tri_ev){0};
    if (has_mask && !need_bool_mask(e, ld_mask, mask))
        return (tri_ev){0};
    if (!tri_ev_is_block(ptr)) {
        if ((has_mask && !scalar_only(e, ld_mask, mask, "mask")) ||
            (has_other && !scalar_only(e, ld_other, other, "'other'")))
            return (tri_ev){0};
    } else {
        e->at = e->arg_spans[ld_mask];
        if (has_mask && !tri_semantic_broadcast(e, &ptr, &mask))
            return (tri_ev){0};
        e->at = e->arg_spans[ld_other];
        if (has_other && !tri_semantic_broadcast(e, &ptr, &other))
            return (tri_ev){0};
    }
    return emit_load(e, ptr, has_mask ? &mask : NULL, has_other ? &other : NULL, m);
}

static tri_ev emit_store(tri_eval *e, tri_ev ptr, tri_ev value, const tri_ev *mask, modifiers m)
{
    tri_ev operands[3];
    operands[0] = byte_pointer(e, ptr);
    operands[1] = tri_semantic_cast(e, value, tri_types_element(operands[0].type)->element, TRI_ROUND_DEFAULT);
    if (mask)
        operands[2] = *mask;
    tri_attr attrs[] = {
        {"cache", tri_attr_i32(e->mlir, m.cache)},
        {"evict", tri_attr_i32(e->mlir, m.eviction)},
    };
    tri_emit_effect(e, "tt.store", mask ? 3 : 2, operands, 2, attrs);
    return tri_ev_none(e);
}

enum { st_ptr, st_value, st_mask, st_boundary, st_cache, st_evict };

static tri_ev store_block_pointer(tri_eval *e, const tri_ev *args, modifiers m)
{
    tri_ev ptr, mask, value;
    bool has_mask;
    if (!tri_ev_is_none(args[st_mask]))
        return tri_arg_error(e, st_mask, 4001, "a store through a block pointer takes no mask; use boundary_check");
    if (!tri_arg_tensor(e, args, st_value, &value) ||
        !materialize_block_ptr(e, args[st_ptr], args[st_boundary], st_boundary, &ptr, &mask, &has_mask))
        return (tri_ev){0};
    e->at = e->arg_spans[st_value];
    value = tri_semantic_broadcast_to(e, value, ptr.type->rank, ptr.type->shape);
    return emit_store(e, ptr, value, has_mask ? &mask : NULL, m);
}

tri_ev tri_builtin_store(tri_eval *e, const tri_ev *args)
{
    modifiers m = {0};
    int cache, evict;
    if (!tri_arg_word(e, args, st_cache, "cache modifier of a store", store_cache, 0, &cache) ||
        !tri_arg_word(e, args, st_evict, "eviction policy", evictions, 0, &evict))
        return (tri_ev){0};
    m.cache = store_cache_value[cache];
    m.eviction = eviction_value[evict];
    if (args[st_ptr].kind == TRI_EV_BLOCK_PTR)
        return store_block_pointer(e, args, m);
    if (!need_pointer(e, args, "store"))
        return (tri_ev){0};
    if (!(tri_ev_is_none(args[st_boundary]) ||
          (args[st_boundary].kind == TRI_EV_TUPLE && !args[st_boundary].tuple->count)))
        return tri_arg_error(e, st_boundary, 4001, "boundary_check is for block pointers; use a mask");
    tri_ev ptr = args[st_ptr], parts[3] = {ptr};
    const tri_type *before = ptr.type;
    if (tri_types_element(ptr.type)->is_const)
        return tri_arg_error(e, st_ptr, 3014,
                             "this pointer of type '%s' is to constant data and can not be stored through",
                             tri_eval_type_name(e, ptr.type));
    bool has_mask = !tri_ev_is_none(args[st_mask]);
    if (!tri_arg_tensor(e, args, st_value, &parts[1]) || (has_mask && !tri_arg_tensor(e, args, st_mask, &parts[2])))
        return (tri_ev){0};
    if (has_mask && !need_bool_mask(e, st_mask, parts[2]))
        return (tri_ev){0};
    if (!tri_ev_is_block(ptr)) {
        if (!scalar_only(e, st_value, parts[1], "value") || (has_mask && !scalar_only(e, st_mask, parts[2], "mask")))
            return (tri_ev){0};
    } else {
        if (!tri_semantic_broadcast_all(e, has_mask ? 3 : 2, parts))
            return (tri_ev){0};
        if (!tri_types_equal(before, parts[0].type))
            return tri_arg_error(e, st_ptr, 3009,
                                 "the pointer has shape %s, but the value and mask need %s: a store does "
                                 "not broadcast its pointer",
                                 tri_eval_shape_name(e, before->rank, before->shape),
                                 tri_eval_shape_name(e, parts[0].type->rank, parts[0].type->shape));
    }
    return emit_store(e, parts[0], parts[1], has_mask ? &parts[2] : NULL, m);
}

/* ---- block pointers: a value of the front end alone ---- */

static bool int64_list(tri_eval *e, const tri_ev *args, int i, const char *what, int *out_count, tri_ev **out)
{
    tri_ev single = args[i];
    int n = args[i].kind == TRI_EV_TUPLE ? args[i].tuple->count : 1;
    const tri_ev *at = args[i].kind == TRI_EV_TUPLE ? args[i].tuple->at : &single;
    *out = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    *out_count = n;
    for (int k = 0; k < n; k++) {
        tri_num num;
        if (tri_ev_get_num(at[k], &num) && num.kind != TRI_NUM_FLOAT) {
            (*out)[k] = tri_semantic_constant(e, &num, TRI_DTYPE_INT64);
        } else if (tri_ev_is_tensor(at[k]) && !tri_ev_is_block(at[k]) && tri_types_is_int(at[k].type)) {
            (*out)[k] = tri_semantic_cast_to(e, at[k], TRI_DTYPE_INT64);
        } else {
            tri_arg_error(e, i, 3012, "entry %d of %s must be an integer scalar, but this is %s", k, what,
                          tri_eval_describe(e, at[k]));
            return false;
        }
    }
    return true;
}

enum { bp_base, bp_shape, bp_strides, bp_offsets, bp_block, bp_order };

tri_ev tri_builtin_make_block_ptr(tri_eval *e, const tri_ev *args)
{
    tri_ev_block_ptr *p = TRI_NEW(e->arena, tri_ev_block_ptr);
    tri_span call = e->at;
    int n_shape, n_strides, n_offsets, n_order;
    int64_t block[TRI_MAX_TENSOR_RANK], order[TRI_MAX_TENSOR_RANK];
    p->base = args[bp_base];
    if (!tri_ev_is_tensor(p->base) || tri_ev_is_block(p->base) || !tri_types_is_ptr(p->base.type))
        return tri_arg_error(e, bp_base, 3014, "the base of a block pointer must be a scalar pointer, but this is %s",
                             tri_eval_describe(e, p->base));
    if (!int64_list(e, args, bp_shape, "'shape'", &n_shape, &p->shape) ||
        !int64_list(e, args, bp_strides, "'strides'", &n_strides, &p->strides) ||
        !int64_list(e, args, bp_offsets, "'offsets'", &n_offsets, &p->offsets) ||
        !tri_arg_shape(e, args, bp_block, &p->rank, block) || !tri_arg_shape(e, args, bp_order, &n_order, order))
        return (tri_ev){0};
    if (n_shape != p->rank || n_strides != p->rank || n_offsets != p->rank || n_order != p->rank || p->rank < 1)
        return tri_eval_error(e, 3009,
                              "shape, strides, offsets, block_shape and order must have one length, but they have "
                              "%d, %d, %d, %d and %d",
                              n_shape, n_strides, n_offsets, p->rank, n_order);
    e->at = e->arg_spans[bp_block];
    if (!tri_semantic_check_shape(e, p->rank, block))
        return (tri_ev){0};
    uint32_t seen = 0;
    for (int i = 0; i < p->rank; i++)
        if (order[i] < 0 || order[i] >= p->rank || (seen & (1u << order[i])))
            return tri_arg_error(e, bp_order, 3022, "'order' must be a permutation of the %d axes", p->rank);
        else
            seen |= 1u << order[i];
    e->at = call;
    tri_eval_warning(e, "deprecated",
                     "block pointers are an old form; use tl.make_tensor_descriptor, or a block of pointers "
                     "with a mask");
    p->block_shape = tri_arena_copy(e->arena, block, sizeof *block * (size_t)p->rank);
    p->order = tri_arena_copy(e->arena, order, sizeof *order * (size_t)p->rank);
    return (tri_ev){.kind = TRI_EV_BLOCK_PTR, .block_ptr = p};
}

tri_ev tri_builtin_advance(tri_eval *e, const tri_ev *args)
{
    int n;
    tri_ev *deltas;
    if (args[0].kind != TRI_EV_BLOCK_PTR)
        return tri_arg_error(e, 0, 3014, "tl.advance needs a block pointer, but this is %s",
                             tri_eval_describe(e, args[0]));
    tri_ev_block_ptr *p = tri_arena_copy(e->arena, args[0].block_ptr, sizeof *p);
    if (!int64_list(e, args, 1, "'offsets'", &n, &deltas))
        return (tri_ev){0};
    if (n != p->rank)
        return tri_arg_error(e, 1, 3009, "%d offsets for a block pointer of rank %d", n, p->rank);
    tri_ev *offsets = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    for (int i = 0; i < n; i++)
        offsets[i] = tri_arith_binary(e, TRI_AST_ADD_OP, p->offsets[i], deltas[i]);
    p->offsets = offsets;
    return (tri_ev){.kind = TRI_EV_BLOCK_PTR, .block_ptr = p};
}

static bool checked_dims(tri_eval *e, tri_ev boundary, int arg, int rank, bool *checked)
{
    tri_ev single = boundary;
    int n = tri_ev_is_none(boundary) ? 0 : boundary.kind == TRI_EV_TUPLE ? boundary.tuple->count : 1;
    const tri_ev *at = boundary.kind == TRI_EV_TUPLE ? boundary.tuple->at : &single;
    for (int i = 0; i < n; i++) {
        int64_t d;
        if (!tri_ev_get_int(at[i], &d) || d < 0 || d >= rank || checked[d]) {
            tri_arg_error(e, arg, 3022, "boundary_check holds distinct compile-time axes in [0, %d), but this is %s",
                          rank, tri_eval_describe(e, at[i]));
            return false;
        }
        checked[d] = true;
    }
    return true;
}

static bool materialize_block_ptr(tri_eval *e, tri_ev ptr, tri_ev boundary, int boundary_arg, tri_ev *out_ptr,
                               tri_ev *out_mask, bool *out_has_mask)
{
    const tri_ev_block_ptr *p = ptr.block_ptr;
    bool checked[TRI_MAX_TENSOR_RANK] = {0};
    if (!checked_dims(e, boundary, boundary_arg, p->rank, checked))
        return false;
    tri_ev ptrs = tri_semantic_splat(e, p->base, p->rank, p->block_shape), mask = {0};
    bool has_mask = false;
    for (int d = 0; d < p->rank; d++) {
        const tri_type *row = tri_types_block(e->arena, tri_types_scalar(TRI_DTYPE_INT32), 1, &p->block_shape[d]);
        tri_attr attrs[] = {{"start", tri_attr_i32(e->mlir, 0)},
                            {"end", tri_attr_i32(e->mlir, (int32_t)p->block_shape[d])}};
        tri_ev range = tri_emit_op(e, "tt.make_range", row, 0, NULL, 2, attrs);
        range = tri_semantic_cast_to(e, range, TRI_DTYPE_INT64);
        tri_ev coord = tri_arith_binary(e, TRI_AST_ADD_OP, p->offsets[d], range);
        for (int k = 0; k < p->rank; k++)
            if (k != d)
                coord = tri_shape_expand_dims(e, coord, k);
        coord = tri_semantic_broadcast_to(e, coord, p->rank, p->block_shape);
        ptrs = tri_arith_binary(e, TRI_AST_ADD_OP, ptrs, tri_arith_binary(e, TRI_AST_MUL_OP, coord, p->strides[d]));
        if (!checked[d])
            continue;
        tri_ev ge = tri_arith_compare(e, TRI_AST_GE_OP, coord, tri_emit_int(e, TRI_DTYPE_INT64, 0));
        tri_ev lt = tri_arith_compare(e, TRI_AST_LT_OP, coord, p->shape[d]);
        tri_ev in = tri_arith_binary(e, TRI_AST_BIT_AND_OP, ge, lt);
        mask = has_mask ? tri_arith_binary(e, TRI_AST_BIT_AND_OP, mask, in) : in;
        has_mask = true;
    }
    *out_ptr = ptrs;
    *out_mask = mask;
    *out_has_mask = has_mask;
    return !tri_ev_is_error(ptrs);
}
