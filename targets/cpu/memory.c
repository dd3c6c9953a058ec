/* Buffers, loads and stores. */
#include "targets/cpu/dot.h"

/* ---- positions ---- */

void tri_cpu_move(tri_cpu_gen *g, int level, LLVMBasicBlockRef block)
{
    if (g->nest)
        g->nest->cur[level] = block;
    else
        g->at = block;
    LLVMPositionBuilderAtEnd(g->b, block);
}

LLVMBasicBlockRef tri_cpu_new_block(tri_cpu_gen *g, const char *name)
{
    g->block_count++;
    return LLVMAppendBasicBlockInContext(g->llvm, g->fn, name);
}

/* ---- raw accesses ---- */

static LLVMTypeRef memory_type(tri_cpu_gen *g, MlirType type)
{
    return tri_cpu_memory_type(g, tri_cpu_type_of(g, type));
}

static unsigned element_bytes(tri_cpu_gen *g, MlirType type)
{
    tri_cpu_type t = tri_cpu_type_of(g, type);
    return t.bits < 8 ? 1 : t.bits / 8;
}

/* i1 is a byte in memory. */
static LLVMValueRef from_memory(tri_cpu_gen *g, MlirType type, LLVMValueRef v)
{
    tri_cpu_type t = tri_cpu_type_of(g, type);
    if (t.kind != TRI_CPU_INT || t.bits >= 8)
        return v;
    return LLVMBuildTrunc(g->b, v, tri_cpu_like(tri_cpu_llvm_type(g, t), v), "");
}

static LLVMValueRef to_memory(tri_cpu_gen *g, MlirType type, LLVMValueRef v)
{
    tri_cpu_type t = tri_cpu_type_of(g, type);
    if (t.kind != TRI_CPU_INT || t.bits >= 8)
        return v;
    return LLVMBuildZExt(g->b, v, tri_cpu_like(g->i8, v), "");
}

static void set_arg_align(tri_cpu_gen *g, LLVMValueRef call, unsigned arg, unsigned bytes)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, arg + 1, LLVMCreateEnumAttribute(g->llvm, kind, bytes));
}

static LLVMValueRef plain_load(tri_cpu_gen *g, LLVMTypeRef type, LLVMValueRef address, unsigned align)
{
    LLVMValueRef v = LLVMBuildLoad2(g->b, type, address, "");
    LLVMSetAlignment(v, align);
    return v;
}

static LLVMValueRef gather(tri_cpu_gen *g, LLVMTypeRef element, LLVMValueRef addresses, LLVMValueRef mask,
                           LLVMValueRef other, unsigned align)
{
    LLVMTypeRef type = tri_cpu_like(element, addresses);
    LLVMTypeRef overloads[2] = {type, LLVMTypeOf(addresses)};
    if (!mask)
        mask = LLVMConstAllOnes(tri_cpu_like(g->i1, addresses));
    LLVMValueRef args[3] = {addresses, mask, other ? other : LLVMGetPoison(type)};
    LLVMValueRef v = tri_cpu_intrinsic(g, "llvm.masked.gather", overloads, 2, args, 3);
    set_arg_align(g, v, 0, align);
    return v;
}

tri_cpu_val tri_cpu_read(tri_cpu_gen *g, MlirType type, LLVMValueRef address, tri_cpu_val shape)
{
    LLVMTypeRef element = memory_type(g, type);
    tri_cpu_at(g, shape.level);
    if (shape.is_vec)
        shape.v = gather(g, element, address, NULL, NULL, element_bytes(g, type));
    else
        shape.v = plain_load(g, element, address, element_bytes(g, type));
    shape.v = from_memory(g, type, shape.v);
    return shape;
}

LLVMValueRef tri_cpu_load_if(tri_cpu_gen *g, int level, LLVMValueRef cond, LLVMTypeRef type, LLVMValueRef address,
                             LLVMValueRef other, bool is_volatile)
{
    tri_cpu_at(g, level);
    unsigned align = LLVMGetTypeKind(type) == LLVMPointerTypeKind ? 8
                     : type == g->f32                             ? 4
                     : type == g->f64                             ? 8
                                                                  : LLVMGetIntTypeWidth(type) / 8;
    if (!cond) {
        LLVMValueRef v = plain_load(g, type, address, align);
        LLVMSetVolatile(v, is_volatile);
        return v;
    }
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b);
    LLVMBasicBlockRef then = tri_cpu_new_block(g, "load"), next = tri_cpu_new_block(g, "loaded");
    LLVMBuildCondBr(g->b, cond, then, next);
    LLVMPositionBuilderAtEnd(g->b, then);
    LLVMValueRef v = plain_load(g, type, address, align);
    LLVMSetVolatile(v, is_volatile);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, level, next);
    LLVMValueRef phi = LLVMBuildPhi(g->b, type, "");
    LLVMAddIncoming(phi, &v, &then, 1);
    LLVMAddIncoming(phi, &other, &from, 1);
    return phi;
}

/* ---- strided accesses ---- */

typedef tri_cpu_place place;
typedef tri_cpu_mask mask_state;

static LLVMValueRef lane_address(tri_cpu_gen *g, LLVMTypeRef element, LLVMValueRef address, LLVMValueRef stride, int k)
{
    LLVMValueRef offset = LLVMBuildMul(g->b, stride, tri_cpu_i64(g, k), "");
    return LLVMBuildGEP2(g->b, element, address, &offset, 1, "");
}

/* One scalar access per lane: cheaper than a gather when the distance is the same everywhere. */
static LLVMValueRef strided_load(tri_cpu_gen *g, LLVMTypeRef element, LLVMValueRef address, LLVMValueRef stride,
                                 unsigned align)
{
    LLVMValueRef out = LLVMGetPoison(tri_cpu_vector(element, g->nest->vl));
    for (int k = 0; k < g->nest->vl; k++) {
        LLVMValueRef v = plain_load(g, element, lane_address(g, element, address, stride, k), align);
        out = LLVMBuildInsertElement(g->b, out, v, tri_cpu_i64(g, k), "");
    }
    return out;
}

static void strided_store(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef address, LLVMValueRef stride, unsigned align)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(v));
    for (int k = 0; k < g->nest->vl; k++) {
        LLVMValueRef x = LLVMBuildExtractElement(g->b, v, tri_cpu_i64(g, k), "");
        LLVMSetAlignment(LLVMBuildStore(g->b, x, lane_address(g, element, address, stride, k)), align);
    }
}

void tri_cpu_place_spread(tri_cpu_gen *g, LLVMTypeRef element, place *p)
{
    if (!p->is_vec && !p->in_order)
        p->address = tri_cpu_splat(g, p->address, g->nest->vl);
    p->is_vec = true;
    if (!p->stride && !p->in_order)
        return;
    LLVMValueRef lanes[TRI_CPU_MAX_LANES];
    for (int k = 0; k < g->nest->vl; k++)
        lanes[k] = tri_cpu_i64(g, k);
    LLVMValueRef steps = LLVMConstVector(lanes, (unsigned)g->nest->vl);
    if (p->stride)
        steps = LLVMBuildMul(g->b, steps, tri_cpu_splat(g, p->stride, g->nest->vl), "");
    p->address = LLVMBuildGEP2(g->b, element, p->address, &steps, 1, "");
    p->stride = NULL;
    p->in_order = false;
}

/* ---- buffers ---- */

/* The row-major position of an index as one affine component. */
static tri_cpu_index linear_index(MlirType type, const tri_cpu_tuple *tuple)
{
    tri_cpu_index out = {0};
    int64_t stride = 1;
    for (int d = tuple->rank - 1; d >= 0; d--) {
        out.c += tuple->at[d].c * stride;
        for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
            out.coef[l] += tuple->at[d].coef[l] * stride;
        stride *= tri_type_dim(type, d);
    }
    return out;
}

/* Where an index lies in a buffer; lanes at a constant distance. */
static place buffer_place(tri_cpu_gen *g, MlirType type, LLVMValueRef buffer, const tri_cpu_tuple *tuple)
{
    tri_cpu_index linear = linear_index(type, tuple);
    int v = g->nest->vec_loop;
    int64_t lane_step = v < 0 ? 0 : linear.coef[v];
    g->nest->vec_loop = -1; /* the plain counter: lane 0 */
    tri_cpu_val index = tri_cpu_index_value(g, &linear);
    g->nest->vec_loop = v;
    tri_cpu_at(g, index.level);
    place p = {.level = index.level, .in_order = lane_step == 1, .is_vec = lane_step != 0 && lane_step != 1};
    p.address = LLVMBuildInBoundsGEP2(g->b, memory_type(g, type), buffer, &index.v, 1, "");
    p.stride = p.is_vec ? tri_cpu_i64(g, lane_step) : NULL;
    return p;
}

tri_cpu_val tri_cpu_buffer_load(tri_cpu_gen *g, MlirValue value, LLVMValueRef buffer, const tri_cpu_tuple *tuple)
{
    MlirType type = mlirValueGetType(value);
    LLVMTypeRef element = memory_type(g, type);
    unsigned align = element_bytes(g, type);
    place p = buffer_place(g, type, buffer, tuple);
    tri_cpu_val out = {NULL, p.level, p.in_order || p.is_vec};
    if (p.in_order)
        out.v = plain_load(g, tri_cpu_vector(element, g->nest->vl), p.address, align);
    else if (p.is_vec)
        out.v = strided_load(g, element, p.address, p.stride, align);
    else
        out.v = plain_load(g, element, p.address, align);
    out.v = from_memory(g, type, out.v);
    return out;
}

LLVMValueRef tri_cpu_buffer_store(tri_cpu_gen *g, MlirType type, LLVMValueRef buffer, const tri_cpu_tuple *tuple,
                                  tri_cpu_val v)
{
    place p = buffer_place(g, type, buffer, tuple);
    tri_cpu_at(g, v.level > p.level ? v.level : p.level);
    unsigned align = element_bytes(g, type);
    if (p.in_order || p.is_vec) {
        LLVMValueRef x = to_memory(g, type, tri_cpu_as_vector(g, v));
        if (p.in_order)
            LLVMSetAlignment(LLVMBuildStore(g->b, x, p.address), align);
        else
            strided_store(g, x, p.address, p.stride, align);
        return p.in_order ? p.address : NULL;
    }
    LLVMValueRef x = v.v;
    if (v.is_vec) /* all lanes write one place: the last one stays */
        x = LLVMBuildExtractElement(g->b, x, tri_cpu_i64(g, g->nest->vl - 1), "");
    LLVMSetAlignment(LLVMBuildStore(g->b, to_memory(g, type, x), p.address), align);
    return NULL;
}

/* ---- global memory ---- */

void tri_cpu_prefetch(tri_cpu_gen *g, LLVMValueRef address, tri_cpu_fetch how)
{
    enum { second = 2, everywhere = 3, data = 1 };
    unsigned locality = how == TRI_CPU_FETCH_FAR ? second : everywhere;
    LLVMValueRef args[4] = {address, LLVMConstInt(g->i32, how == TRI_CPU_FETCH_TO_WRITE, false),
                            LLVMConstInt(g->i32, locality, false), LLVMConstInt(g->i32, data, false)};
    tri_cpu_intrinsic(g, "llvm.prefetch", &g->ptr, 1, args, 4);
}

void tri_cpu_prefetch_line(tri_cpu_gen *g, LLVMValueRef written)
{
    enum { bytes = 512 };
    LLVMValueRef by = tri_cpu_i64(g, bytes);
    tri_cpu_prefetch(g, LLVMBuildGEP2(g->b, g->i8, written, &by, 1, ""), TRI_CPU_FETCH_TO_WRITE);
}

/* Vectors that follow each other from row to row of a matrix, which processors do not see coming; or short rows, whose
 * ends they do not know. */
static void fetch_ahead(tri_cpu_gen *g, const tri_cpu_form *f, LLVMTypeRef element, const place *p)
{
    enum { line = 512 }; /* bits */
    const tri_cpu_domain *d = g->nest->domain;
    if (!p->in_order || (!d->along && (!d->ahead || !f->coef[0])))
        return;
    LLVMValueRef by = d->along ? tri_cpu_i64(g, d->along)
                               : LLVMBuildMul(g->b, f->coef[0], tri_cpu_i64(g, d->ahead), "");
    LLVMValueRef first = LLVMBuildGEP2(g->b, element, p->address, &by, 1, "");
    unsigned bits = LLVMGetTypeKind(element) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(element) : 0;
    int step = bits && bits < line / TRI_CPU_LANES ? line / (int)bits : TRI_CPU_LANES;
    for (int lane = 0; lane < g->nest->vl; lane += step) {
        LLVMValueRef at = tri_cpu_i64(g, lane);
        tri_cpu_prefetch(g, LLVMBuildGEP2(g->b, element, first, &at, 1, ""), TRI_CPU_FETCH_FAR);
    }
}

static place affine_place(tri_cpu_gen *g, tri_cpu_form *f, LLVMTypeRef element)
{
    place p = {.level = f->level > f->ptr_level ? f->level : f->ptr_level};
    int v = g->nest->vec_loop;
    tri_cpu_at(g, p.level);
    LLVMValueRef address = LLVMBuildGEP2(g->b, element, f->ptr, &f->base, 1, "");
    for (int l = 0; l < g->nest->loop_count; l++) {
        if (!f->coef[l])
            continue;
        if (l + 1 > p.level)
            p.level = l + 1;
        tri_cpu_at(g, p.level);
        bool is_one = LLVMIsAConstantInt(f->coef[l]) && LLVMConstIntGetSExtValue(f->coef[l]) == 1;
        LLVMValueRef index = g->nest->loops[l].iv;
        if (!is_one)
            index = LLVMBuildMul(g->b, index, f->coef[l], "");
        if (l == v && !is_one) {
            p.is_vec = true;
            p.stride = f->coef[l];
        }
        p.in_order |= l == v && is_one;
        address = LLVMBuildGEP2(g->b, element, address, &index, 1, "");
    }
    p.address = address;
    fetch_ahead(g, f, element, &p);
    return p;
}

place tri_cpu_place_of(tri_cpu_gen *g, MlirValue pointer, const tri_cpu_tuple *tuple)
{
    MlirType pointee = tri_type_ptr_pointee(tri_type_element(mlirValueGetType(pointer)));
    tri_cpu_form f = tri_cpu_form_of(g, pointer, tuple);
    if (f.ok && f.ptr)
        return affine_place(g, &f, memory_type(g, pointee));
    tri_cpu_val v = tri_cpu_eval(g, pointer, tuple);
    return (place){v.v, NULL, v.level, false, v.is_vec};
}

mask_state tri_cpu_mask_at(tri_cpu_gen *g, MlirValue mask, const tri_cpu_tuple *tuple, int level)
{
    mask_state m = {0};
    if (mlirValueIsNull(mask))
        return m;
    for (size_t i = 0; i < g->nest->facts.len; i++) {
        const tri_cpu_fact *f = &g->nest->facts.at[i];
        if (f->mask.ptr == mask.ptr && f->tuple == tuple && f->level <= level) {
            m.is_false = !f->is_true;
            m.level = f->level;
            return m;
        }
    }
    tri_cpu_val v = tri_cpu_eval(g, mask, tuple);
    if (LLVMIsAConstantInt(v.v) && (LLVMIsNull(v.v) || v.level <= level)) {
        m.is_false = LLVMIsNull(v.v);
        m.level = v.level;
        return m;
    }
    return (mask_state){v.v, v.level, v.is_vec, false};
}

/* Scalar condition and address; `when` may be a vector mask over a scalar address. */
static LLVMValueRef any_lane(tri_cpu_gen *g, LLVMValueRef mask)
{
    LLVMTypeRef type = LLVMTypeOf(mask);
    return tri_cpu_intrinsic(g, "llvm.vector.reduce.or", &type, 1, &mask, 1);
}

static LLVMValueRef masked_load(tri_cpu_gen *g, LLVMTypeRef vector, LLVMValueRef address, LLVMValueRef mask,
                                LLVMValueRef rest, unsigned align)
{
    LLVMTypeRef overloads[2] = {vector, g->ptr};
    LLVMValueRef args[3] = {address, mask, rest};
    LLVMValueRef v = tri_cpu_intrinsic(g, "llvm.masked.load", overloads, 2, args, 3);
    set_arg_align(g, v, 0, align);
    return v;
}

/* i1: the addresses are those of elements side by side. */
static LLVMValueRef are_neighbours(tri_cpu_gen *g, LLVMValueRef addresses, unsigned bytes)
{
    LLVMValueRef steps[TRI_CPU_MAX_LANES], first = LLVMBuildExtractElement(g->b, addresses, tri_cpu_i64(g, 0), "");
    int lanes = tri_cpu_lanes_of(addresses);
    for (int i = 0; i < lanes; i++)
        steps[i] = tri_cpu_i64(g, i * (int64_t)bytes);
    LLVMValueRef by = LLVMConstVector(steps, (unsigned)lanes);
    LLVMValueRef run = LLVMBuildGEP2(g->b, g->i8, first, &by, 1, "");
    LLVMValueRef same = LLVMBuildICmp(g->b, LLVMIntEQ, addresses, run, "");
    LLVMTypeRef type = LLVMTypeOf(same);
    return tri_cpu_intrinsic(g, "llvm.vector.reduce.and", &type, 1, &same, 1);
}

/* No processor gathers elements of less than 32 bits: their lanes are read one by one, unless they turn out to be
 * neighbours, as those of a chunk in which an index does not wrap around. */
static LLVMValueRef gather_small(tri_cpu_gen *g, int level, LLVMTypeRef element, LLVMValueRef addresses,
                                 LLVMValueRef mask, LLVMValueRef rest, unsigned align)
{
    LLVMTypeRef vector = tri_cpu_like(element, addresses);
    LLVMValueRef is_run = are_neighbours(g, addresses, align);
    LLVMBasicBlockRef run = tri_cpu_new_block(g, "run"), single = tri_cpu_new_block(g, "single"),
                      next = tri_cpu_new_block(g, "gathered");
    LLVMBuildCondBr(g->b, is_run, run, single);
    LLVMPositionBuilderAtEnd(g->b, run);
    LLVMValueRef first = LLVMBuildExtractElement(g->b, addresses, tri_cpu_i64(g, 0), ""), v[2];
    v[0] = mask ? masked_load(g, vector, first, mask, rest, align) : plain_load(g, vector, first, align);
    LLVMBuildBr(g->b, next);
    LLVMPositionBuilderAtEnd(g->b, single);
    v[1] = gather(g, element, addresses, mask, rest, align);
    LLVMBasicBlockRef from[2] = {run, LLVMGetInsertBlock(g->b)};
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, level, next);
    LLVMValueRef phi = LLVMBuildPhi(g->b, vector, "");
    LLVMAddIncoming(phi, v, from, 2);
    return phi;
}

static tri_cpu_val masked_vector_load(tri_cpu_gen *g, MlirType type, place p, mask_state m, tri_cpu_val other)
{
    enum { least_lanes = 8 };
    LLVMTypeRef element = memory_type(g, type);
    LLVMTypeRef vector = tri_cpu_vector(element, g->nest->vl);
    unsigned align = element_bytes(g, type);
    tri_cpu_val out = {NULL, p.level, true};
    if (m.level > out.level)
        out.level = m.level;
    if (m.v && other.level > out.level)
        out.level = other.level;
    tri_cpu_at(g, out.level);
    LLVMValueRef mask = m.v && !m.is_vec ? tri_cpu_splat(g, m.v, g->nest->vl) : m.v;
    LLVMValueRef rest = m.v ? to_memory(g, type, tri_cpu_as_vector(g, other)) : NULL;
    if (p.stride && !mask) {
        out.v = strided_load(g, element, p.address, p.stride, align);
    } else if (p.is_vec && !p.stride && align < 4 && tri_cpu_lanes_of(p.address) >= least_lanes) {
        out.v = gather_small(g, out.level, element, p.address, mask, rest, align);
    } else if (p.is_vec) {
        tri_cpu_place_spread(g, element, &p);
        out.v = gather(g, element, p.address, mask, rest, align);
    } else if (!mask) {
        out.v = plain_load(g, vector, p.address, align);
    } else {
        out.v = masked_load(g, vector, p.address, mask, rest, align);
    }
    out.v = from_memory(g, type, out.v);
    return out;
}

static tri_cpu_val scalar_place_load(tri_cpu_gen *g, MlirType type, place p, mask_state m, tri_cpu_val other)
{
    LLVMTypeRef element = memory_type(g, type);
    tri_cpu_val out = {NULL, p.level, false};
    if (m.level > out.level)
        out.level = m.level;
    bool spread = m.is_vec || other.is_vec;
    if (m.v && other.level > out.level)
        out.level = other.level;
    tri_cpu_at(g, out.level);
    LLVMValueRef cond = m.is_vec ? any_lane(g, m.v) : m.v;
    LLVMValueRef rest = LLVMConstNull(element);
    if (m.v && !spread)
        rest = to_memory(g, type, other.v);
    out.v = tri_cpu_load_if(g, out.level, cond, element, p.address, rest, false);
    out.v = from_memory(g, type, out.v);
    if (m.v && spread) {
        LLVMValueRef mask = m.is_vec ? m.v : tri_cpu_splat(g, m.v, g->nest->vl);
        LLVMValueRef others = tri_cpu_as_vector(g, other);
        out.v = LLVMBuildSelect(g->b, mask, tri_cpu_as_vector(g, out), others, "");
        out.is_vec = true;
    }
    return out;
}

tri_cpu_val tri_cpu_load_eval(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    MlirType type = mlirValueGetType(tri_op_result(op, 0));
    MlirValue mask = tri_op_segment_value(op, 1), rest = tri_op_segment_value(op, 2);
    place p = tri_cpu_place_of(g, tri_op_operand(op, 0), tuple);
    mask_state m = tri_cpu_mask_at(g, mask, tuple, p.level);
    tri_cpu_val other = {LLVMConstNull(tri_cpu_llvm_type(g, tri_cpu_type_of(g, type))), 0, false};
    if ((m.v || m.is_false) && !mlirValueIsNull(rest))
        other = tri_cpu_eval(g, rest, tuple);
    if (m.is_false) {
        /* is so in this part of the nest only */
        other.level = other.level > m.level ? other.level : m.level;
        return other;
    }
    tri_cpu_lines_at(g, op);
    if (p.in_order || p.is_vec)
        return masked_vector_load(g, type, p, m, other);
    return scalar_place_load(g, type, p, m, other);
}

/* ---- stores ---- */

typedef struct {
    MlirValue pointer, value, mask;
    place p;
    mask_state m;
    tri_cpu_val v;
} store_data;

static void store_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    store_data *s = sink->data;
    const tri_cpu_tuple *t = g->nest->index;
    s->v = tri_cpu_eval(g, s->value, t);
    s->p = tri_cpu_place_of(g, s->pointer, t);
    s->m = tri_cpu_mask_at(g, s->mask, t, g->nest->loop_count);
}

static void store_lanes(tri_cpu_gen *g, MlirOperation op, MlirType type, store_data *s)
{
    LLVMValueRef x = to_memory(g, type, tri_cpu_as_vector(g, s->v));
    LLVMValueRef mask = s->m.v && !s->m.is_vec ? tri_cpu_splat(g, s->m.v, g->nest->vl) : s->m.v;
    unsigned align = element_bytes(g, type);
    if (s->p.in_order && !mask) {
        if (!tri_cpu_stream_store(g, op, x, s->p.address, align))
            LLVMSetAlignment(LLVMBuildStore(g->b, x, s->p.address), align);
        return;
    }
    if (s->p.stride && !mask) {
        strided_store(g, x, s->p.address, s->p.stride, align);
        return;
    }
    if (!s->p.in_order)
        tri_cpu_place_spread(g, LLVMGetElementType(LLVMTypeOf(x)), &s->p);
    LLVMTypeRef overloads[2] = {LLVMTypeOf(x), LLVMTypeOf(s->p.address)};
    if (!mask)
        mask = LLVMConstAllOnes(tri_cpu_like(g->i1, x));
    LLVMValueRef args[3] = {x, s->p.address, mask};
    const char *name = s->p.in_order ? "llvm.masked.store" : "llvm.masked.scatter";
    set_arg_align(g, tri_cpu_intrinsic(g, name, overloads, 2, args, 3), 1, align);
}

/* One address for all lanes: the last lane that is on stays, as if lanes were stored in order. */
static void store_one(tri_cpu_gen *g, MlirOperation op, MlirType type, store_data *s)
{
    int level = g->nest->loop_count;
    if (s->m.is_vec || s->v.is_vec) {
        LLVMValueRef address = tri_cpu_splat(g, s->p.address, g->nest->vl);
        s->p.address = address;
        s->p.is_vec = true;
        store_lanes(g, op, type, s);
        return;
    }
    LLVMBasicBlockRef next = NULL;
    if (s->m.v) {
        LLVMBasicBlockRef then = tri_cpu_new_block(g, "store");
        next = tri_cpu_new_block(g, "stored");
        LLVMBuildCondBr(g->b, s->m.v, then, next);
        LLVMPositionBuilderAtEnd(g->b, then);
    }
    LLVMSetAlignment(LLVMBuildStore(g->b, to_memory(g, type, s->v.v), s->p.address), element_bytes(g, type));
    if (next) {
        LLVMBuildBr(g->b, next);
        tri_cpu_move(g, level, next);
    }
}

static void store_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    store_data *s = sink->data;
    if (s->m.is_false)
        return;
    MlirType type = mlirValueGetType(s->value);
    tri_cpu_lines_at(g, sink->op);
    tri_cpu_at(g, g->nest->loop_count);
    if (s->p.in_order || s->p.is_vec)
        store_lanes(g, sink->op, type, s);
    else
        store_one(g, sink->op, type, s);
}

static void scalar_store(tri_cpu_gen *g, MlirOperation op)
{
    MlirValue mask = tri_op_segment_value(op, 2);
    LLVMValueRef value = tri_cpu_scalar(g, tri_op_operand(op, 1));
    LLVMValueRef address = tri_cpu_scalar(g, tri_op_operand(op, 0));
    MlirType type = mlirValueGetType(tri_op_operand(op, 1));
    tri_cpu_at(g, 0);
    LLVMBasicBlockRef next = NULL;
    if (!mlirValueIsNull(mask)) {
        LLVMBasicBlockRef then = tri_cpu_new_block(g, "store");
        next = tri_cpu_new_block(g, "stored");
        LLVMBuildCondBr(g->b, tri_cpu_scalar(g, mask), then, next);
        LLVMPositionBuilderAtEnd(g->b, then);
    }
    LLVMSetAlignment(LLVMBuildStore(g->b, to_memory(g, type, value), address), element_bytes(g, type));
    if (next) {
        LLVMBuildBr(g->b, next);
        tri_cpu_move(g, 0, next);
    }
}

static void store_nest(tri_cpu_gen *g, MlirOperation op)
{
    MlirValue pointer = tri_op_operand(op, 0), value = tri_op_operand(op, 1);
    MlirType type = mlirValueGetType(value);
    store_data data = {.pointer = pointer, .value = value, .mask = tri_op_segment_value(op, 2)};
    tri_cpu_sink sink = {
        .op = op, .data = &data, .eval = store_eval, .write = store_write, .mask = data.mask, .only_where_mask = true};
    sink.values = &value;
    sink.value_count = 1;
    sink.indices = pointer;
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = -1, .count = 1, .sinks = &sink};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    domain.vec_dim = tri_cpu_vector_dim(g, domain.rank, domain.shape, pointer, value);
    tri_cpu_turn_run(g, &domain, value);
}

void tri_cpu_store_op(tri_cpu_gen *g, MlirOperation op)
{
    if (!tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, 1)))) {
        scalar_store(g, op);
        return;
    }
    LLVMBasicBlockRef is_done = tri_cpu_queue_store(g, op);
    tri_cpu_store_apart(g, op, true, store_nest);
    if (is_done) {
        tri_cpu_at(g, 0);
        LLVMBuildBr(g->b, is_done);
        tri_cpu_move(g, 0, is_done);
    }
}

void tri_cpu_scalar_load(tri_cpu_gen *g, MlirOperation op)
{
    MlirValue mask = tri_op_segment_value(op, 1), rest = tri_op_segment_value(op, 2), result = tri_op_result(op, 0);
    MlirType type = mlirValueGetType(result);
    LLVMTypeRef element = memory_type(g, type);
    LLVMValueRef address = tri_cpu_scalar(g, tri_op_operand(op, 0));
    LLVMValueRef cond = mlirValueIsNull(mask) ? NULL : tri_cpu_scalar(g, mask);
    tri_cpu_at(g, 0);
    LLVMValueRef other = LLVMConstNull(element);
    if (cond && !mlirValueIsNull(rest))
        other = to_memory(g, type, tri_cpu_scalar(g, rest));
    LLVMValueRef v = tri_cpu_load_if(g, 0, cond, element, address, other, tri_op_flag(op, "isVolatile"));
    tri_cpu_bind_scalar(g, result, from_memory(g, type, v));
}
