/* Tensor descriptors: base, extents and strides as scalars. An element outside of the tensor is not
 * stored, and loads as the padding. */
#include "targets/cpu/cpu.h"

typedef struct {
    int rank;
    LLVMValueRef base, shape[TRI_MAX_RANK], stride[TRI_MAX_RANK]; /* i64 */
    LLVMValueRef pads_nan; /* i32, not 0: what lies outside loads as NaN */
} descriptor;

/* tri_tensordesc: {base, shape[5], strides[5], pads_nan} */
LLVMTypeRef tri_cpu_desc_type(tri_cpu_gen *g)
{
    enum { max_rank = 5 };
    LLVMTypeRef list = LLVMArrayType2(g->i64, max_rank);
    LLVMTypeRef fields[4] = {g->ptr, list, list, g->i32};
    return LLVMStructTypeInContext(g->llvm, fields, 4, false);
}

/* As a value that can go through control flow. */
static LLVMValueRef pack(tri_cpu_gen *g, const descriptor *d)
{
    LLVMTypeRef type = tri_cpu_desc_type(g), fields[4];
    LLVMGetStructElementTypes(type, fields);
    LLVMValueRef shape = LLVMGetPoison(fields[1]), stride = LLVMGetPoison(fields[2]);
    for (unsigned i = 0; i < (unsigned)d->rank; i++) {
        shape = LLVMBuildInsertValue(g->b, shape, d->shape[i], i, "");
        stride = LLVMBuildInsertValue(g->b, stride, d->stride[i], i, "");
    }
    LLVMValueRef v = LLVMBuildInsertValue(g->b, LLVMGetPoison(type), d->base, 0, "");
    v = LLVMBuildInsertValue(g->b, v, shape, 1, "");
    v = LLVMBuildInsertValue(g->b, v, stride, 2, "");
    return LLVMBuildInsertValue(g->b, v, d->pads_nan, 3, "");
}

/* Elements of a row are neighbours in every descriptor, which is what the language asks for. */
static descriptor *unpack(tri_cpu_gen *g, LLVMValueRef v, int rank)
{
    descriptor *d = TRI_NEW(g->arena, descriptor);
    tri_cpu_at(g, 0);
    d->rank = rank;
    d->base = LLVMBuildExtractValue(g->b, v, 0, "");
    LLVMValueRef shape = LLVMBuildExtractValue(g->b, v, 1, ""), stride = LLVMBuildExtractValue(g->b, v, 2, "");
    for (unsigned i = 0; i < (unsigned)rank; i++) {
        d->shape[i] = LLVMBuildExtractValue(g->b, shape, i, "");
        d->stride[i] = LLVMBuildExtractValue(g->b, stride, i, "");
    }
    d->stride[rank - 1] = tri_cpu_i64(g, 1);
    d->pads_nan = LLVMBuildExtractValue(g->b, v, 3, "");
    return d;
}

void tri_cpu_desc_make_op(tri_cpu_gen *g, MlirOperation op)
{
    descriptor *d = TRI_NEW(g->arena, descriptor);
    MlirValue result = tri_op_result(op, 0);
    d->rank = ((int)mlirOperationGetNumOperands(op) - 1) / 2;
    d->base = tri_cpu_scalar(g, tri_op_operand(op, 0));
    d->pads_nan = LLVMConstInt(g->i32, tri_op_int(op, "padding", 1) == 2, false);
    tri_cpu_at(g, 0);
    for (int i = 0; i < d->rank; i++) {
        LLVMValueRef extent = tri_cpu_scalar(g, tri_op_operand(op, 1 + i));
        d->shape[i] = LLVMBuildIntCast2(g->b, extent, g->i64, true, "");
        LLVMValueRef stride = tri_cpu_scalar(g, tri_op_operand(op, 1 + d->rank + i));
        d->stride[i] = LLVMBuildIntCast2(g->b, stride, g->i64, true, "");
    }
    tri_cpu_bind_scalar(g, result, pack(g, d));
    tri_cpu_find(g, result)->desc = d;
}

typedef struct {
    MlirOperation op;
    const descriptor *d;
    MlirType block; /* type of the block that is loaded or stored */
    LLVMValueRef offset[TRI_MAX_RANK];
    LLVMValueRef rows; /* gather and scatter: buffer of row numbers; else null */
    MlirType rows_type;
    MlirValue value;   /* stored; null for loads */
    LLVMValueRef out;  /* loaded */
    bool is_reduce;
    tri_cpu_val v;
} access;

/* Position of the nest's element along dimension `dim` of the descriptor, lane 0 of the chunk; null
 * level: outside. */
static LLVMValueRef position(tri_cpu_gen *g, access *a, int dim, bool skip_vector, int *io_level)
{
    int skipped = a->d->rank - tri_type_rank(a->block), own = dim - skipped;
    LLVMValueRef at = a->offset[dim];
    if (own < 0)
        return at;
    tri_cpu_index index = g->nest->index->at[own];
    int v = g->nest->vec_loop;
    if (skip_vector && v >= 0)
        index.coef[v] = 0;
    g->nest->vec_loop = -1; /* the chunk's start */
    tri_cpu_val i = tri_cpu_index_value(g, &index);
    g->nest->vec_loop = v;
    if (i.level > *io_level)
        *io_level = i.level;
    tri_cpu_at(g, *io_level);
    if (a->rows && dim == 0) {
        LLVMTypeRef element = tri_cpu_llvm_type(g, tri_cpu_type_of(g, a->rows_type));
        LLVMValueRef slot = LLVMBuildInBoundsGEP2(g->b, element, a->rows, &i.v, 1, "");
        return LLVMBuildIntCast2(g->b, LLVMBuildLoad2(g->b, element, slot, ""), g->i64, true, "");
    }
    return LLVMBuildAdd(g->b, at, i.v, "");
}

static LLVMValueRef in_range(tri_cpu_gen *g, LLVMValueRef at, LLVMValueRef extent)
{
    return LLVMBuildICmp(g->b, LLVMIntULT, at, extent, ""); /* extents are not negative */
}

/* The vector dimension is the last one; the others decide for the whole row. */
static void access_bounds(tri_cpu_gen *g, tri_cpu_sink *sink, LLVMValueRef *out_lo, LLVMValueRef *out_hi)
{
    access *a = sink->data;
    int last = a->d->rank - 1, level = g->nest->vec_loop;
    tri_cpu_at(g, level);
    LLVMValueRef row = LLVMConstInt(g->i1, 1, false);
    for (int dim = 0; dim < last; dim++) {
        LLVMValueRef at = position(g, a, dim, true, &level);
        row = LLVMBuildAnd(g->b, row, in_range(g, at, a->d->shape[dim]), "");
    }
    LLVMValueRef zero = tri_cpu_i64(g, 0), all = tri_cpu_i64(g, g->nest->loops[g->nest->vec_loop].extent);
    LLVMValueRef lo[2] = {LLVMBuildNeg(g->b, a->offset[last], ""), zero};
    LLVMValueRef hi[2] = {LLVMBuildSub(g->b, a->d->shape[last], a->offset[last], ""), all};
    LLVMValueRef low = tri_cpu_intrinsic(g, "llvm.smax", &g->i64, 1, lo, 2);
    LLVMValueRef high[2] = {tri_cpu_intrinsic(g, "llvm.smin", &g->i64, 1, hi, 2), zero};
    LLVMValueRef top = tri_cpu_intrinsic(g, "llvm.smax", &g->i64, 1, high, 2);
    top = LLVMBuildSelect(g->b, row, top, zero, "");
    LLVMValueRef ends[2] = {low, top};
    *out_lo = tri_cpu_intrinsic(g, "llvm.smin", &g->i64, 1, ends, 2);
    *out_hi = top;
}

/* Address of lane 0 and whether each lane is inside (null: all are). */
static LLVMValueRef address_of(tri_cpu_gen *g, access *a, LLVMValueRef *out_inside)
{
    int level = g->nest->loop_count, last = a->d->rank - 1;
    int vl = g->nest->vec_loop >= 0 ? g->nest->vl : 0;
    tri_cpu_at(g, level);
    LLVMValueRef offset = tri_cpu_i64(g, 0), inside = LLVMConstInt(g->i1, 1, false), at = NULL;
    for (int dim = 0; dim <= last; dim++) {
        at = position(g, a, dim, false, &level);
        if (dim < last)
            inside = LLVMBuildAnd(g->b, inside, in_range(g, at, a->d->shape[dim]), "");
        offset = LLVMBuildAdd(g->b, offset, LLVMBuildMul(g->b, at, a->d->stride[dim], ""), "");
    }
    LLVMTypeRef element = tri_cpu_memory_type(g, tri_cpu_type_of(g, a->block));
    *out_inside = NULL;
    if (!g->nest->is_inside) {
        LLVMValueRef lanes = at, extent = a->d->shape[last];
        if (vl) {
            tri_cpu_index one_step = {.c = 0};
            one_step.coef[g->nest->vec_loop] = 1;
            LLVMValueRef start = LLVMBuildSub(g->b, at, g->nest->loops[g->nest->vec_loop].iv, "");
            LLVMValueRef steps = tri_cpu_index_value(g, &one_step).v;
            tri_cpu_at(g, level);
            lanes = LLVMBuildAdd(g->b, tri_cpu_splat(g, start, vl), steps, "");
            extent = tri_cpu_splat(g, extent, vl);
        }
        LLVMValueRef others = tri_cpu_splat(g, inside, vl);
        *out_inside = LLVMBuildAnd(g->b, in_range(g, lanes, extent), others, "");
    }
    return LLVMBuildGEP2(g->b, element, a->d->base, &offset, 1, "");
}

static LLVMValueRef set_align(tri_cpu_gen *g, LLVMValueRef call, unsigned arg, unsigned bits)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, arg + 1, LLVMCreateEnumAttribute(g->llvm, kind, bits < 8 ? 1 : bits / 8));
    return call;
}

static LLVMValueRef padding(tri_cpu_gen *g, const access *a, tri_cpu_type t)
{
    LLVMTypeRef type = tri_cpu_memory_type(g, t);
    LLVMValueRef zero = LLVMConstNull(type), nan;
    if (!tri_cpu_is_float(t))
        return zero;
    if (!tri_cpu_is_small(t))
        nan = LLVMConstReal(type, __builtin_nan(""));
    else
        nan = LLVMConstInt(type, t.kind == TRI_CPU_F16 ? 0x7e00 : t.kind == TRI_CPU_BF16 ? 0x7fc0 : 0x7f, false);
    return LLVMBuildSelect(g->b, LLVMBuildIsNotNull(g->b, a->d->pads_nan, ""), nan, zero, "");
}

static void load_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    access *a = sink->data;
    tri_cpu_type t = tri_cpu_type_of(g, a->block);
    LLVMTypeRef element = tri_cpu_memory_type(g, t);
    LLVMValueRef inside, address = address_of(g, a, &inside), pad = padding(g, a, t);
    int vl = g->nest->vec_loop >= 0 ? g->nest->vl : 0, level = g->nest->loop_count;
    a->v = (tri_cpu_val){NULL, level, vl > 0};
    if (!vl) {
        a->v.v = tri_cpu_load_if(g, level, inside, element, address, pad, false);
    } else if (!inside) {
        a->v.v = LLVMBuildLoad2(g->b, LLVMVectorType(element, (unsigned)vl), address, "");
        LLVMSetAlignment(a->v.v, t.bits < 8 ? 1 : t.bits / 8);
    } else {
        LLVMTypeRef overloads[2] = {LLVMVectorType(element, (unsigned)vl), g->ptr};
        LLVMValueRef args[3] = {address, inside, tri_cpu_splat(g, pad, vl)};
        a->v.v = set_align(g, tri_cpu_intrinsic(g, "llvm.masked.load", overloads, 2, args, 3), 0, t.bits);
    }
}

static void load_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    access *a = sink->data;
    tri_cpu_at(g, a->v.level);
    if (tri_cpu_type_of(g, a->block).bits == 1)
        a->v.v = LLVMBuildTrunc(g->b, a->v.v, tri_cpu_like(g->i1, a->v.v), "");
    tri_cpu_buffer_store(g, a->block, a->out, g->nest->index, a->v);
}

static void store_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    access *a = sink->data;
    a->v = tri_cpu_eval(g, a->value, g->nest->index);
}

/* descriptor_reduce's kinds as those of atomic_rmw; -1: none */
static int64_t reduce_kind(MlirOperation op, tri_cpu_type t)
{
    static const int64_t kinds[] = {-1, 4, 7, 6, -1, -1, 1, 2, 3};
    int64_t kind = kinds[tri_op_int(op, "kind", 0)];
    MlirType element = tri_type_element(tri_type_desc_block(mlirValueGetType(tri_op_operand(op, 0))));
    if (mlirTypeIsAInteger(element) && mlirIntegerTypeIsUnsigned(element) && (kind == 6 || kind == 7))
        return kind + 2;
    return kind == 4 && tri_cpu_is_float(t) ? 5 : kind;
}

static void store_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    access *a = sink->data;
    tri_cpu_type t = tri_cpu_type_of(g, a->block);
    LLVMValueRef inside, address = address_of(g, a, &inside);
    int vl = g->nest->vec_loop >= 0 ? g->nest->vl : 0, level = g->nest->loop_count;
    LLVMValueRef v = vl ? tri_cpu_as_vector(g, a->v) : a->v.v;
    if (t.bits == 1)
        v = LLVMBuildZExt(g->b, v, tri_cpu_like(g->i8, v), "");
    if (vl && inside) {
        LLVMTypeRef overloads[2] = {LLVMTypeOf(v), g->ptr};
        LLVMValueRef args[3] = {v, address, inside};
        set_align(g, tri_cpu_intrinsic(g, "llvm.masked.store", overloads, 2, args, 3), 1, t.bits);
        return;
    }
    LLVMBasicBlockRef next = NULL;
    if (inside) {
        LLVMBasicBlockRef then = tri_cpu_new_block(g, "store");
        next = tri_cpu_new_block(g, "stored");
        LLVMBuildCondBr(g->b, inside, then, next);
        tri_cpu_move(g, level, then);
    }
    if (a->is_reduce)
        tri_cpu_atomic_update(g, level, reduce_kind(a->op, t), LLVMAtomicOrderingMonotonic, t, address, v);
    else
        LLVMSetAlignment(LLVMBuildStore(g->b, v, address), t.bits < 8 ? 1 : t.bits / 8);
    if (next) {
        LLVMBuildBr(g->b, next);
        tri_cpu_move(g, level, next);
    }
}

static LLVMValueRef index_operand(tri_cpu_gen *g, MlirValue v)
{
    LLVMValueRef x = tri_cpu_scalar(g, v);
    tri_cpu_at(g, 0);
    return LLVMBuildIntCast2(g->b, x, g->i64, true, "");
}

/* Operands are (descriptor, indices..., [value]) or, for rows, (descriptor, rows, y, [value]). */
static bool read_operands(tri_cpu_gen *g, MlirOperation op, access *a)
{
    MlirValue desc = tri_op_operand(op, 0);
    tri_cpu_bind *bind = tri_cpu_find(g, desc);
    a->op = op;
    a->d = bind ? bind->desc : NULL;
    if (!a->d)
        a->d = unpack(g, tri_cpu_scalar(g, desc), tri_type_rank(tri_type_desc_block(mlirValueGetType(desc))));
    bool has_rows = tri_op_is(op, "tt.descriptor_gather") || tri_op_is(op, "tt.descriptor_scatter");
    bool is_load = mlirOperationGetNumResults(op) == 1;
    a->is_reduce = tri_op_is(op, "tt.descriptor_reduce");
    /* descriptor_store and _reduce: the value follows the descriptor */
    intptr_t first = is_load || has_rows ? 1 : 2;
    if (!is_load)
        a->value = tri_op_operand(op, has_rows ? 3 : 1);
    a->block = mlirValueGetType(is_load ? tri_op_result(op, 0) : a->value);
    if (has_rows) {
        MlirValue rows = tri_op_operand(op, 1);
        a->rows_type = mlirValueGetType(rows);
        a->rows = tri_cpu_alloc(g, a->rows_type);
        tri_cpu_materialise(g, rows, a->rows);
        a->offset[0] = tri_cpu_i64(g, 0);
        a->offset[1] = index_operand(g, tri_op_operand(op, 2));
        return true;
    }
    for (int i = 0; i < a->d->rank; i++)
        a->offset[i] = index_operand(g, tri_op_operand(op, first + i));
    if (a->is_reduce && reduce_kind(op, tri_cpu_type_of(g, a->block)) < 0) {
        tri_cpu_fail(g, op, "this kind of 'tt.descriptor_reduce' is not supported on this target");
        return false;
    }
    return true;
}

void tri_cpu_desc_access_op(tri_cpu_gen *g, MlirOperation op)
{
    access a = {.value = {NULL}};
    if (!read_operands(g, op, &a))
        return;
    bool is_load = mlirValueIsNull(a.value);
    if (is_load) {
        a.out = tri_cpu_alloc(g, a.block);
    } else {
        /* what the value reads is read before the first element is stored */
        tri_cpu_bind *bind = tri_cpu_find(g, a.value);
        if (!bind || bind->kind != TRI_CPU_BUFFER) {
            LLVMValueRef buffer = tri_cpu_alloc(g, a.block);
            tri_cpu_materialise(g, a.value, buffer);
            tri_cpu_bind_buffer(g, a.value, buffer);
        }
    }
    tri_cpu_sink sink = {.op = op, .data = &a, .only_where_mask = !is_load};
    sink.eval = is_load ? load_eval : store_eval;
    sink.write = is_load ? load_write : store_write;
    tri_cpu_domain domain = {.rank = tri_type_rank(a.block), .axis = -1, .count = 1, .sinks = &sink, .vec_dim = -1};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(a.block, d);
    LLVMValueRef stride = a.d->stride[a.d->rank - 1];
    bool is_contiguous = LLVMIsAConstantInt(stride) && LLVMConstIntGetSExtValue(stride) == 1;
    if (is_contiguous && !a.is_reduce && domain.shape[domain.rank - 1] > 1) {
        domain.vec_dim = domain.rank - 1;
        sink.bounds = access_bounds;
    }
    tri_cpu_nest_run(g, &domain);
    if (is_load)
        tri_cpu_bind_buffer(g, tri_op_result(op, 0), a.out);
}
