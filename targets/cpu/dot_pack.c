/* Operands of products are evaluated straight into the order that the kernel reads: masks, conversions, dequantisation
 * and transposition happen on the way.
 *
 * a stays row-major; b is row-major, or [k / group][n][group] for instructions that multiply groups. */
#include "targets/cpu/dot.h"

/* ---- packing ---- */

typedef struct {
    const tri_cpu_product *x;
    MlirValue value;
    MlirType type; /* of the packed block */
    tri_cpu_type from, to;
    LLVMValueRef buffer, low; /* low: of the low parts, where numbers are split; else null */
    tri_cpu_val v;
} pack_data;

static LLVMValueRef to_compute(tri_cpu_gen *g, LLVMValueRef v, tri_cpu_type from, tri_cpu_type to)
{
    if (from.kind == TRI_CPU_INT)
        return from.bits < to.bits ? LLVMBuildSExt(g->b, v, tri_cpu_like(tri_cpu_llvm_type(g, to), v), "") : v;
    return tri_cpu_convert(g, v, from, to, false);
}

static void pack_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    pack_data *p = sink->data;
    p->v = tri_cpu_eval(g, p->value, g->nest->index);
    tri_cpu_at(g, p->v.level);
    if (!p->low)
        p->v.v = to_compute(g, p->v.v, p->from, p->to);
}

enum { line = 64 }; /* bytes */

static void store_part(tri_cpu_gen *g, const pack_data *p, LLVMValueRef buffer, tri_cpu_val v)
{
    LLVMValueRef at = tri_cpu_buffer_store(g, p->type, buffer, g->nest->index, v);
    bool is_copy = !p->low && p->from.bits == p->to.bits; /* of a block that stays in the first caches */
    if (at && !is_copy && g->nest->vl * (int64_t)p->to.bits / 8 == line)
        tri_cpu_prefetch_line(g, at);
}

static void pack_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    pack_data *p = sink->data;
    if (p->v.level < g->nest->loop_count)
        p->v.level = g->nest->loop_count;
    tri_cpu_val low = p->v;
    if (p->low) {
        tri_cpu_at(g, p->v.level);
        tri_cpu_split(p->x, p->v.v, &p->v.v, &low.v);
        p->v.v = tri_cpu_split_half(g, p->v.v);
        low.v = tri_cpu_split_half(g, low.v);
        store_part(g, p, p->low, low);
    }
    store_part(g, p, p->buffer, p->v);
}

/* Are chunks as long as a line of the cache? Where values come from memory as they are: all that is computed is so in
 * chunks of one length. */
static bool fills_lines(tri_cpu_gen *g, MlirValue value, int dim, int lanes)
{
    MlirOperation load = tri_op_def(value);
    return !mlirOperationIsNull(load) && tri_op_is(load, "tt.load") && !tri_cpu_find(g, value) && dim >= 0 &&
           tri_type_dim(mlirValueGetType(value), dim) % lanes == 0;
}

static void pack_parts(tri_cpu_product *x, MlirValue value, LLVMValueRef buffer, LLVMValueRef low, tri_cpu_type to,
                       MlirType type, int64_t along)
{
    tri_cpu_gen *g = x->g;
    pack_data data = {.x = x, .value = value, .type = type, .to = to, .buffer = buffer, .low = low};
    data.from = tri_cpu_type_of(g, mlirValueGetType(value));
    tri_cpu_sink sink = {.op = x->op, .data = &data, .eval = pack_eval, .write = pack_write};
    sink.values = &value;
    sink.value_count = 1;
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = -1, .count = 1, .sinks = &sink, .along = along};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    MlirValue none = {NULL};
    domain.vec_dim = tri_cpu_vector_dim(g, domain.rank, domain.shape, none, value);
    int lanes = line / (int)(to.bits / 8);
    if ((low || data.from.bits == to.bits) && fills_lines(g, value, domain.vec_dim, lanes))
        domain.lanes = lanes;
    tri_cpu_nest_run(g, &domain);
}

void tri_cpu_pack_into(tri_cpu_product *x, MlirValue value, LLVMValueRef buffer, tri_cpu_type to, MlirType type)
{
    pack_parts(x, value, buffer, NULL, to, type, 0);
}

/* For a packed operand: twice as many rows where there are two parts. */
static LLVMValueRef new_block(tri_cpu_product *x, MlirType type)
{
    int64_t shape[TRI_MAX_RANK];
    MlirAttribute none = {NULL};
    for (int d = 0; d < x->rank; d++)
        shape[d] = tri_type_dim(type, d) * (d == 0 && x->is_split ? 2 : 1);
    return tri_cpu_alloc(x->g, tri_type_tensor(x->rank, shape, tri_type_element(type), none));
}

/* Low parts lie behind all high ones. */
static LLVMValueRef low_part(tri_cpu_product *x, LLVMValueRef buffer, int64_t elements)
{
    LLVMValueRef at = tri_cpu_i64(x->g, elements);
    tri_cpu_at(x->g, 0);
    return LLVMBuildInBoundsGEP2(x->g->b, tri_cpu_product_packed(x), buffer, &at, 1, "");
}

static tri_cpu_type packed_type(const tri_cpu_product *x) { return x->isa ? x->isa->packed : x->compute; }

LLVMValueRef tri_cpu_pack_left(tri_cpu_product *x, MlirValue value, LLVMValueRef buffer)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirType type = tri_type_with_element(mlirValueGetType(value), x->mlir_element);
    if (!buffer && bind && bind->kind == TRI_CPU_BUFFER && mlirTypeEqual(type, mlirValueGetType(value)))
        return bind->v;
    buffer = buffer ? buffer : new_block(x, type);
    LLVMValueRef low = x->is_split ? low_part(x, buffer, x->batch * x->m * x->k) : NULL;
    tri_cpu_split_begin(x);
    pack_parts(x, value, buffer, low, packed_type(x), type, x->k); /* and the block to the right of it */
    return buffer;
}

bool tri_cpu_find_left(tri_cpu_product *x, MlirValue value, tri_cpu_direct *out)
{
    bool fits = mlirTypeEqual(tri_type_element(mlirValueGetType(value)), x->mlir_element);
    return fits && tri_cpu_dot_direct(x->g, value, 1, out);
}

void tri_cpu_place_left(tri_cpu_product *x, MlirValue value, LLVMValueRef buffer)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_direct direct;
    if (!tri_cpu_find_left(x, value, &direct)) {
        x->a = tri_cpu_pack_left(x, value, buffer);
        return;
    }
    x->a = direct.address;
    x->a_stride = direct.stride;
    if (!direct.test)
        return;
    LLVMValueRef address = tri_cpu_temp(g, g->ptr, "left"), stride = tri_cpu_temp(g, g->i64, "stride");
    LLVMBasicBlockRef copy = tri_cpu_new_block(g, "copy"), next = tri_cpu_new_block(g, "placed");
    tri_cpu_at(g, 0);
    LLVMBuildStore(g->b, direct.address, address);
    LLVMBuildStore(g->b, direct.stride, stride);
    LLVMBuildCondBr(g->b, direct.test, next, copy);
    tri_cpu_move(g, 0, copy);
    buffer = tri_cpu_pack_left(x, value, buffer);
    tri_cpu_at(g, 0);
    LLVMBuildStore(g->b, buffer, address);
    LLVMBuildStore(g->b, tri_cpu_i64(g, x->k), stride);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, next);
    x->a = LLVMBuildLoad2(g->b, g->ptr, address, "");
    x->a_stride = LLVMBuildLoad2(g->b, g->i64, stride, "");
}

/* ---- packing in strips of columns, and groups along k ---- */

enum { max_group = 8 };

typedef struct {
    tri_cpu_product *x;
    MlirValue value;
    LLVMValueRef buffer;
    tri_cpu_type from, to;
    int group;
    tri_cpu_val v[max_group];
} strip_data;

static void strip_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    strip_data *p = sink->data;
    int row = p->x->rank - 2;
    for (int i = 0; i < p->group; i++) {
        tri_cpu_tuple t = *g->nest->index;
        for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
            t.at[row].coef[l] *= p->group;
        t.at[row].c = t.at[row].c * p->group + i;
        p->v[i] = tri_cpu_eval(g, p->value, tri_cpu_intern(g, &t));
        tri_cpu_at(g, p->v[i].level);
        if (!p->x->is_split)
            p->v[i].v = to_compute(g, p->v[i].v, p->from, p->to);
        if (p->x->isa && p->x->isa->is_offset)
            p->v[i].v = LLVMBuildXor(g->b, p->v[i].v, tri_cpu_const_like(LLVMTypeOf(p->v[i].v), 128), "");
    }
}

/* Lanes of both, by turns. */
static LLVMValueRef zip(tri_cpu_gen *g, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef order[TRI_CPU_LANES * max_group];
    int lanes = tri_cpu_lanes_of(x);
    for (int i = 0; i < 2 * lanes; i++)
        order[i] = LLVMConstInt(g->i32, (uint64_t)(i / 2 + (i % 2 ? lanes : 0)), false);
    return LLVMBuildShuffleVector(g->b, x, y, LLVMConstVector(order, (unsigned)(2 * lanes)), "");
}

/* Lanes of the group's members one after the other: pairs by turns, then pairs of pairs. */
static LLVMValueRef interleave(tri_cpu_gen *g, const strip_data *p, const tri_cpu_val *from, LLVMTypeRef element)
{
    int group = p->group, lanes = g->nest->vec_loop >= 0 ? g->nest->vl : 1;
    LLVMValueRef v[max_group];
    if (group == 1)
        return from[0].is_vec ? from[0].v : lanes > 1 ? tri_cpu_splat(g, from[0].v, lanes) : from[0].v;
    for (int i = 0; i < group; i++)
        v[i] = from[i].is_vec ? from[i].v : tri_cpu_splat(g, from[i].v, lanes);
    for (int bits = p->to.bits; group > 1; group /= 2, bits *= 2) {
        LLVMTypeRef type = tri_cpu_vector(LLVMIntTypeInContext(g->llvm, (unsigned)bits), lanes);
        for (int i = 0; i < group / 2; i++) {
            LLVMValueRef x = LLVMBuildBitCast(g->b, v[2 * i], type, "");
            v[i] = zip(g, x, LLVMBuildBitCast(g->b, v[2 * i + 1], type, ""));
        }
    }
    return LLVMBuildBitCast(g->b, v[0], tri_cpu_vector(element, lanes * p->group), "");
}

/* A counter of the nest at the first lane of the chunk. */
static LLVMValueRef chunk_start(tri_cpu_gen *g, int dim)
{
    int vec = g->nest->vec_loop;
    g->nest->vec_loop = -1;
    tri_cpu_val v = tri_cpu_index_value(g, &g->nest->index->at[dim]);
    g->nest->vec_loop = vec;
    tri_cpu_at(g, g->nest->loop_count);
    return v.v;
}

static LLVMValueRef scaled(tri_cpu_gen *g, LLVMValueRef x, int64_t by)
{
    return by == 1 ? x : LLVMBuildNSWMul(g->b, x, tri_cpu_i64(g, by), "");
}

static void store_words(tri_cpu_gen *g, const strip_data *p, LLVMValueRef words, LLVMValueRef at)
{
    LLVMTypeRef element = tri_cpu_memory_type(g, p->to);
    LLVMValueRef slot = LLVMBuildInBoundsGEP2(g->b, element, p->buffer, &at, 1, "");
    LLVMSetAlignment(LLVMBuildStore(g->b, words, slot), p->to.bits / 8);
    if (g->nest->vl * p->group * (int64_t)p->to.bits / 8 == line)
        tri_cpu_prefetch_line(g, slot);
}

/* Pairs of halves are words, without a turn of lanes. */
static void store_split(tri_cpu_gen *g, strip_data *p, LLVMValueRef at)
{
    const tri_cpu_product *x = p->x;
    int lanes = g->nest->vec_loop >= 0 ? g->nest->vl : 1;
    LLVMValueRef high[2], low[2];
    TRI_ASSERT(p->group == 2);
    for (int i = 0; i < 2; i++) {
        LLVMValueRef v = p->v[i].is_vec || lanes == 1 ? p->v[i].v : tri_cpu_splat(g, p->v[i].v, lanes);
        tri_cpu_split(x, v, &high[i], &low[i]);
    }
    store_words(g, p, tri_cpu_split_pair(g, high[0], high[1]), at);
    at = LLVMBuildNSWAdd(g->b, at, tri_cpu_i64(g, x->batch * x->k * x->n * x->span), "");
    store_words(g, p, tri_cpu_split_pair(g, low[0], low[1]), at);
}

static void strip_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    strip_data *p = sink->data;
    const tri_cpu_product *x = p->x;
    int64_t strip = x->strip;
    LLVMValueRef column = chunk_start(g, x->rank - 1);
    LLVMValueRef at = scaled(g, chunk_start(g, x->rank - 2), strip * p->group);
    if (strip < x->n) {
        LLVMValueRef width = tri_cpu_i64(g, strip), number = LLVMBuildUDiv(g->b, column, width, "");
        at = LLVMBuildNSWAdd(g->b, at, scaled(g, number, strip * x->k * x->span), "");
        column = LLVMBuildURem(g->b, column, width, "");
    }
    at = LLVMBuildNSWAdd(g->b, at, scaled(g, column, p->group), "");
    if (x->rank == 3)
        at = LLVMBuildNSWAdd(g->b, at, scaled(g, chunk_start(g, 0), x->k * x->n), "");
    if (x->is_split)
        store_split(g, p, at);
    else
        store_words(g, p, interleave(g, p, p->v, tri_cpu_memory_type(g, p->to)), at);
}

/* Columns that are runs in memory: of a load, or rows of one that is transposed. */
static bool find_columns(tri_cpu_product *x, MlirValue value, tri_cpu_direct *out)
{
    MlirOperation op = tri_op_def(value);
    if (!tri_cpu_turn_suits(x, tri_type_element(mlirValueGetType(value))) || mlirOperationIsNull(op) ||
        tri_cpu_find(x->g, value))
        return false;
    bool is_turned = tri_op_is(op, "tt.trans");
    return tri_cpu_dot_direct(x->g, is_turned ? tri_op_operand(op, 0) : value, is_turned, out);
}

static void pack_strips(tri_cpu_product *x, MlirValue value, LLVMValueRef buffer)
{
    strip_data data = {.x = x, .value = value, .to = packed_type(x), .group = x->isa ? x->isa->group : 1};
    data.from = tri_cpu_type_of(x->g, mlirValueGetType(value));
    data.buffer = buffer;
    tri_cpu_sink sink = {.op = x->op, .data = &data, .eval = strip_eval, .write = strip_write, .indices = value};
    if (data.group == 1) { /* else the elements at a chunk's index are others than those that masks are known for */
        sink.values = &data.value;
        sink.value_count = 1;
    }
    tri_cpu_domain domain = {.rank = x->rank, .axis = -1, .count = 1, .sinks = &sink, .vec_dim = x->rank - 1};
    for (int d = 0; d < x->rank; d++)
        domain.shape[d] = tri_type_dim(mlirValueGetType(value), d);
    domain.shape[x->rank - 2] /= data.group;
    domain.ahead = domain.shape[x->rank - 2]; /* the block that comes next, below this one */
    domain.lanes = (int)(x->strip < TRI_CPU_LANES ? x->strip : 0);
    tri_cpu_nest_run(x->g, &domain);
}

void tri_cpu_place_right(tri_cpu_product *x, MlirValue value, LLVMValueRef buffer)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirType type = tri_type_with_element(mlirValueGetType(value), x->mlir_element);
    if (!buffer && !x->isa && bind && bind->kind == TRI_CPU_BUFFER && mlirTypeEqual(type, mlirValueGetType(value))) {
        x->b = bind->v;
        x->strip = x->n;
        return;
    }
    x->b = buffer ? buffer : new_block(x, type);
    tri_cpu_split_begin(x);
    tri_cpu_direct columns;
    if (!find_columns(x, value, &columns)) {
        pack_strips(x, value, x->b);
        return;
    }
    LLVMBasicBlockRef turned = tri_cpu_new_block(g, "turned"), across = tri_cpu_new_block(g, "across"),
                      next = tri_cpu_new_block(g, "packed");
    tri_cpu_at(g, 0);
    LLVMBuildCondBr(g->b, columns.test ? columns.test : LLVMConstInt(g->i1, 1, false), turned, across);
    tri_cpu_move(g, 0, turned);
    tri_cpu_turn_pack(x, &columns);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, across);
    pack_strips(x, value, x->b);
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, next);
}
