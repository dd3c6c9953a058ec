#include "frontend/kernel/eval.h"

#include "ir/type.h"

/* ---- compile-time values ---- */

static tri_ev from_ce(const tri_value *v) { return (tri_ev){.kind = TRI_EV_CE, .ce = v}; }

tri_ev tri_ev_none(tri_eval *e)
{
    (void)e;
    return from_ce(&tri_value_none);
}

tri_ev tri_ev_bool(tri_eval *e, bool value)
{
    (void)e;
    return from_ce(tri_value_bool(value));
}

tri_ev tri_ev_int(tri_eval *e, int64_t value) { return from_ce(tri_value_int(e->arena, value)); }
tri_ev tri_ev_str(tri_eval *e, tri_str value) { return from_ce(tri_value_str(e->arena, value)); }
tri_ev tri_ev_dtype(tri_eval *e, const tri_type *type) { return from_ce(tri_value_dtype(e->arena, type)); }

enum { max_leaves = 65536, max_nesting = 200 };

bool tri_ev_measure(tri_eval *e, int count, const tri_ev *at, tri_ev_size *out_size)
{
    tri_ev_size size = {0, 1};
    for (int i = 0; i < count && size.leaves <= max_leaves; i++) {
        bool is_tuple = at[i].kind == TRI_EV_TUPLE, is_object = at[i].kind == TRI_EV_OBJECT;
        tri_ev_size inner = is_tuple ? at[i].tuple->size : is_object ? at[i].object->size : (tri_ev_size){1, 0};
        size.leaves += inner.leaves;
        if (inner.depth >= size.depth)
            size.depth = inner.depth + 1;
    }
    *out_size = size;
    if (size.leaves > max_leaves)
        tri_eval_error(e, 4010, "a tuple of more than %d elements, inner ones counted", max_leaves);
    else if (size.depth > max_nesting)
        tri_eval_error(e, 4010, "tuples or objects inside one another more than %d deep", max_nesting);
    else
        return true;
    return false;
}

static tri_ev make_tuple(tri_eval *e, int count, const tri_ev *at, const tri_class *cls)
{
    tri_ev_tuple *t = TRI_NEW(e->arena, tri_ev_tuple);
    if (!tri_ev_measure(e, count, at, &t->size))
        return (tri_ev){0};
    t->count = count;
    t->at = tri_arena_copy(e->arena, at, sizeof *at * (size_t)count);
    t->cls = cls;
    return (tri_ev){.kind = TRI_EV_TUPLE, .tuple = t};
}

tri_ev tri_ev_make_tuple(tri_eval *e, int count, const tri_ev *at) { return make_tuple(e, count, at, NULL); }

tri_ev tri_ev_make_named(tri_eval *e, int count, const tri_ev *at, const tri_class *cls)
{
    return make_tuple(e, count, at, cls);
}

tri_ev tri_ev_from_value(tri_eval *e, const tri_value *v)
{
    v = tri_value_unwrap(v);
    if (v->kind != TRI_VALUE_TUPLE && v->kind != TRI_VALUE_LIST)
        return from_ce(v);
    uint32_t n = v->sequence.items.len;
    tri_ev *at = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    for (uint32_t i = 0; i < n; i++)
        at[i] = tri_ev_from_value(e, v->sequence.items.at[i]);
    return make_tuple(e, (int)n, at, v->sequence.cls);
}

const tri_value *tri_ev_to_value(tri_eval *e, tri_ev v)
{
    if (v.kind == TRI_EV_CE)
        return v.ce;
    if (v.kind == TRI_EV_SLICE) {
        tri_value *s = TRI_NEW(e->arena, tri_value);
        s->kind = TRI_VALUE_SLICE;
        s->slice.start = tri_ev_to_value(e, v.slice->start);
        s->slice.stop = tri_ev_to_value(e, v.slice->stop);
        s->slice.step = tri_ev_to_value(e, v.slice->step);
        return s->slice.start && s->slice.stop && s->slice.step ? s : NULL;
    }
    if (v.kind != TRI_EV_TUPLE)
        return NULL;
    const tri_value **items = TRI_NEW_ARRAY(e->arena, const tri_value *, v.tuple->count + 1);
    for (int i = 0; i < v.tuple->count; i++)
        if (!(items[i] = tri_ev_to_value(e, v.tuple->at[i])))
            return NULL;
    const tri_value *s = tri_value_sequence(e->arena, TRI_VALUE_TUPLE, (uint32_t)v.tuple->count, items);
    if (!v.tuple->cls)
        return s;
    tri_value *named = tri_arena_copy(e->arena, s, sizeof *s);
    named->sequence.cls = v.tuple->cls;
    return named;
}

bool tri_ev_is_none(tri_ev v) { return v.kind == TRI_EV_CE && v.ce->kind == TRI_VALUE_NONE; }

bool tri_ev_get_num(tri_ev v, tri_num *out)
{
    if (v.kind != TRI_EV_CE || !tri_value_is_number(v.ce))
        return false;
    *out = (tri_num){.kind = TRI_NUM_FLOAT};
    if (v.ce->kind == TRI_VALUE_FLOAT) {
        out->f = v.ce->real;
        return true;
    }
    out->kind = v.ce->kind == TRI_VALUE_BOOL ? TRI_NUM_BOOL : TRI_NUM_INT;
    tri_value_get_int(v.ce, &out->i);
    out->f = (double)out->i;
    return true;
}

bool tri_ev_get_int(tri_ev v, int64_t *out)
{
    return v.kind == TRI_EV_CE && (v.ce->kind == TRI_VALUE_BOOL || v.ce->kind == TRI_VALUE_INT) &&
           tri_value_get_i64(v.ce, out);
}

bool tri_ev_get_bool(tri_ev v, bool *out)
{
    if (v.kind != TRI_EV_CE || v.ce->kind != TRI_VALUE_BOOL)
        return false;
    *out = v.ce->boolean;
    return true;
}

bool tri_ev_get_str(tri_ev v, tri_str *out)
{
    if (v.kind != TRI_EV_CE || v.ce->kind != TRI_VALUE_STR)
        return false;
    *out = v.ce->string;
    return true;
}

const tri_type *tri_ev_get_dtype(tri_ev v)
{
    return v.kind == TRI_EV_CE && v.ce->kind == TRI_VALUE_DTYPE ? v.ce->type : NULL;
}

tri_ev tri_ev_shape(tri_eval *e, int rank, const int64_t *shape)
{
    tri_ev at[TRI_MAX_TENSOR_RANK];
    for (int i = 0; i < rank; i++)
        at[i] = tri_ev_int(e, shape[i]);
    return make_tuple(e, rank, at, NULL);
}

bool tri_ev_get_shape(tri_eval *e, tri_ev v, int *out_rank, int64_t *out_shape)
{
    if (tri_ev_is_error(v))
        return false;
    tri_ev single = v;
    int n = v.kind == TRI_EV_TUPLE ? v.tuple->count : 1;
    const tri_ev *at = v.kind == TRI_EV_TUPLE ? v.tuple->at : &single;
    if (n > TRI_MAX_TENSOR_RANK) {
        tri_eval_error(e, 3010, "a shape of rank %d: at most %d is supported", n, TRI_MAX_TENSOR_RANK);
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (tri_ev_is_error(at[i]))
            return false;
        if (!tri_ev_get_int(at[i], &out_shape[i])) {
            tri_eval_error(e, 3010, "dimension %d of a shape must be a compile-time integer, but this is %s", i,
                           tri_eval_describe(e, at[i]));
            if (tri_ev_is_tensor(at[i]))
                tri_eval_note(
                    e, "a plain assignment turns a number into a tensor; keep it with 'name: tl.constexpr = ...'");
            return false;
        }
    }
    *out_rank = n;
    return true;
}

bool tri_ev_holds_error(tri_ev v)
{
    bool error = v.kind == TRI_EV_ERROR;
    for (int i = 0; v.kind == TRI_EV_TUPLE && i < v.tuple->count; i++)
        error = error || tri_ev_holds_error(v.tuple->at[i]);
    return error;
}

/* ---- IR values inside a value ---- */

static void parts(tri_ev v, int *out_count, const tri_ev **out_at)
{
    if (v.kind == TRI_EV_TUPLE) {
        *out_count = v.tuple->count;
        *out_at = v.tuple->at;
    } else if (v.kind == TRI_EV_OBJECT) {
        *out_count = v.object->count;
        *out_at = v.object->fields;
    } else {
        *out_count = 0;
        *out_at = NULL;
    }
}

void tri_ev_flatten(tri_eval *e, tri_ev v, tri_value_refs *out)
{
    int n;
    const tri_ev *at;
    parts(v, &n, &at);
    for (int i = 0; i < n; i++)
        tri_ev_flatten(e, at[i], out);
    if (v.kind == TRI_EV_TENSOR)
        tri_vec_push(e->arena, out, v.value);
    if (v.kind == TRI_EV_DESC) {
        tri_vec_push(e->arena, out, v.value);
        for (int i = 0; i < v.desc->rank; i++)
            tri_ev_flatten(e, v.desc->shape[i], out);
        for (int i = 0; i < v.desc->rank; i++)
            tri_ev_flatten(e, v.desc->strides[i], out);
    }
    if (v.kind == TRI_EV_BLOCK_PTR) {
        tri_ev_flatten(e, v.block_ptr->base, out);
        for (int i = 0; i < v.block_ptr->rank; i++)
            tri_ev_flatten(e, v.block_ptr->shape[i], out);
        for (int i = 0; i < v.block_ptr->rank; i++)
            tri_ev_flatten(e, v.block_ptr->strides[i], out);
        for (int i = 0; i < v.block_ptr->rank; i++)
            tri_ev_flatten(e, v.block_ptr->offsets[i], out);
    }
}

static void flatten_types(tri_eval *e, int n, const tri_ev *like, tri_type_refs *out)
{
    for (int i = 0; i < n; i++)
        tri_ev_flatten_types(e, like[i], out);
}

MlirType tri_ev_desc_type(tri_eval *e, const tri_type *block)
{
    const tri_type *elem = tri_types_element(block);
    MlirType element = tri_emit_type(e, elem);
    if (tri_types_is_int(elem)) /* a descriptor's element keeps its sign */
        element = tri_types_dtype_is_signed(elem->dtype)
                      ? mlirIntegerTypeSignedGet(e->mlir, tri_types_dtype_bits(elem->dtype))
                      : mlirIntegerTypeUnsignedGet(e->mlir, tri_types_dtype_bits(elem->dtype));
    return tri_type_desc(tri_type_tensor(block->rank, block->shape, element, (MlirAttribute){0}));
}

void tri_ev_flatten_types(tri_eval *e, tri_ev like, tri_type_refs *out)
{
    int n;
    const tri_ev *at;
    parts(like, &n, &at);
    flatten_types(e, n, at, out);
    if (like.kind == TRI_EV_TENSOR)
        tri_vec_push(e->arena, out, tri_emit_type(e, like.type));
    if (like.kind == TRI_EV_DESC) {
        tri_vec_push(e->arena, out, tri_ev_desc_type(e, like.desc->block));
        flatten_types(e, like.desc->rank, like.desc->shape, out);
        flatten_types(e, like.desc->rank, like.desc->strides, out);
    }
    if (like.kind == TRI_EV_BLOCK_PTR) {
        tri_ev_flatten_types(e, like.block_ptr->base, out);
        flatten_types(e, like.block_ptr->rank, like.block_ptr->shape, out);
        flatten_types(e, like.block_ptr->rank, like.block_ptr->strides, out);
        flatten_types(e, like.block_ptr->rank, like.block_ptr->offsets, out);
    }
}

static tri_ev *unflatten_list(tri_eval *e, int n, const tri_ev *like, const MlirValue **cursor)
{
    tri_ev *at = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    for (int i = 0; i < n; i++)
        at[i] = tri_ev_unflatten(e, like[i], cursor);
    return at;
}

tri_ev tri_ev_unflatten(tri_eval *e, tri_ev like, const MlirValue **cursor)
{
    switch (like.kind) {
    case TRI_EV_TENSOR:
        return tri_ev_tensor(*(*cursor)++, like.type);
    case TRI_EV_TUPLE: {
        tri_ev *at = unflatten_list(e, like.tuple->count, like.tuple->at, cursor);
        return make_tuple(e, like.tuple->count, at, like.tuple->cls);
    }
    case TRI_EV_OBJECT: {
        tri_ev_object *o = tri_arena_copy(e->arena, like.object, sizeof *o);
        o->fields = unflatten_list(e, o->count, like.object->fields, cursor);
        like.object = o;
        return like;
    }
    case TRI_EV_DESC: {
        tri_ev_desc *d = tri_arena_copy(e->arena, like.desc, sizeof *d);
        like.value = *(*cursor)++;
        d->shape = unflatten_list(e, d->rank, like.desc->shape, cursor);
        d->strides = unflatten_list(e, d->rank, like.desc->strides, cursor);
        like.desc = d;
        return like;
    }
    case TRI_EV_BLOCK_PTR: {
        tri_ev_block_ptr *p = tri_arena_copy(e->arena, like.block_ptr, sizeof *p);
        p->base = tri_ev_unflatten(e, like.block_ptr->base, cursor);
        p->shape = unflatten_list(e, p->rank, like.block_ptr->shape, cursor);
        p->strides = unflatten_list(e, p->rank, like.block_ptr->strides, cursor);
        p->offsets = unflatten_list(e, p->rank, like.block_ptr->offsets, cursor);
        like.block_ptr = p;
        return like;
    }
    default:
        return like;
    }
}

static bool same_types(int n, const tri_ev *a, const tri_ev *b)
{
    for (int i = 0; i < n; i++)
        if (!tri_ev_same_type(a[i], b[i]))
            return false;
    return true;
}

bool tri_ev_same_type(tri_ev a, tri_ev b)
{
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case TRI_EV_CE:
        return a.ce == b.ce || (a.ce->kind == b.ce->kind && tri_value_equal(a.ce, b.ce));
    case TRI_EV_TENSOR:
        return tri_types_equal(a.type, b.type);
    case TRI_EV_TUPLE:
        return a.tuple->count == b.tuple->count && a.tuple->cls == b.tuple->cls &&
               same_types(a.tuple->count, a.tuple->at, b.tuple->at);
    case TRI_EV_OBJECT:
        return a.object->cls == b.object->cls && same_types(a.object->count, a.object->fields, b.object->fields);
    case TRI_EV_DESC:
        return tri_types_equal(a.desc->block, b.desc->block) && a.desc->rank == b.desc->rank &&
               same_types(a.desc->rank, a.desc->strides, b.desc->strides);
    case TRI_EV_BLOCK_PTR:
        return tri_ev_same_type(a.block_ptr->base, b.block_ptr->base) && a.block_ptr->rank == b.block_ptr->rank &&
               !memcmp(a.block_ptr->block_shape, b.block_ptr->block_shape,
                       sizeof(int64_t) * (size_t)a.block_ptr->rank);
    default:
        return true;
    }
}

bool tri_ev_same_value(tri_eval *e, tri_ev a, tri_ev b)
{
    if (a.kind == TRI_EV_TENSOR && b.kind == TRI_EV_TENSOR)
        return mlirValueEqual(a.value, b.value);
    tri_value_refs va = {0}, vb = {0};
    tri_ev_flatten(e, a, &va);
    tri_ev_flatten(e, b, &vb);
    if (va.len != vb.len)
        return false;
    for (size_t i = 0; i < va.len; i++)
        if (!mlirValueEqual(va.at[i], vb.at[i]))
            return false;
    return true;
}

/* ---- names of specialisations ---- */

/* Symbols hold letters, digits, dots and underscores; other bytes of a constant's repr are spelled out. */
static void mangle_text(tri_str text, tri_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
        if (plain)
            tri_buf_add_char(out, c);
        else if (c == '\'')
            tri_buf_add_z(out, "_sq_");
        else if (c == '[' || c == ']' || c == ' ' || c == '(' || c == ')' || c == ',')
            tri_buf_add_char(out, '_');
        else
            tri_buf_format(out, "_%02x_", (unsigned char)c);
    }
}

void tri_ev_mangle(tri_eval *e, tri_ev v, tri_buf *out)
{
    int n;
    const tri_ev *at;
    switch (v.kind) {
    case TRI_EV_TENSOR:
        tri_types_print_mangled(v.type, out);
        return;
    case TRI_EV_CE: {
        tri_buf_add_char(out, 'c');
        if (v.ce->kind == TRI_VALUE_FUNCTION) /* two functions may share a name */
            tri_buf_format(out, "fn%u_", v.ce->function->node->span.begin);
        mangle_text(tri_value_repr_str(e->arena, v.ce), out);
        return;
    }
    case TRI_EV_DESC:
        tri_buf_add_z(out, "TD");
        tri_types_print_mangled(v.desc->block, out);
        for (int i = 0; i < v.desc->rank; i++)
            tri_ev_mangle(e, v.desc->strides[i], out);
        return;
    case TRI_EV_BLOCK_PTR:
        tri_buf_add_z(out, "BP");
        tri_types_print_mangled(v.block_ptr->base.type, out);
        for (int i = 0; i < v.block_ptr->rank; i++)
            tri_buf_format(out, "_%lld", (long long)v.block_ptr->block_shape[i]);
        return;
    case TRI_EV_TUPLE:
    case TRI_EV_OBJECT:
        parts(v, &n, &at);
        tri_buf_add_char(out, 'T');
        if (v.kind == TRI_EV_OBJECT)
            mangle_text(v.object->cls->qualified_name, out);
        else if (v.tuple->cls)
            mangle_text(v.tuple->cls->qualified_name, out);
        for (int i = 0; i < n; i++) {
            if (i)
                tri_buf_add_char(out, '_');
            tri_ev_mangle(e, at[i], out);
        }
        tri_buf_add_char(out, 'T');
        return;
    case TRI_EV_METHOD:
        tri_buf_add_char(out, 'M');
        tri_ev_mangle(e, v.method->self, out);
        mangle_text(v.method->name, out);
        return;
    default:
        tri_buf_add_char(out, 'E');
    }
}
