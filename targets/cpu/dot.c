/* tt.dot: operands are packed into the arena in the type that the products are computed in
 * (float for all floats up to 32 bits, double, or 32-bit integers), the accumulator block is
 * initialised with c, and a register-tiled kernel adds the products:
 *
 *     for m by mr, n by nr:  acc[mr][nr] = d;  for k: acc += a[m..][k] * b[k][n..];  d = acc
 *
 * Where the processor multiplies groups of neighbours (dot_isa.c), operands stay small, k goes by groups, and b is
 * packed as [k / group][n][group].
 */
#include "targets/cpu/cpu.h"

#include "ir/options.h"

typedef struct {
    tri_cpu_gen *g;
    MlirOperation op;
    int rank;
    int64_t batch, m, n, k;
    tri_cpu_type compute;
    LLVMTypeRef element;
    MlirType mlir_element;
    const tri_cpu_dot_isa *isa; /* null: single products */
    LLVMValueRef a, b, d; /* row-major, of `element`; a and b of isa->packed */
    LLVMValueRef a_stride; /* elements from row to row of a; null: k */
} product;

/* ---- packing ---- */

typedef struct {
    MlirValue value;
    MlirType type; /* of the packed block */
    tri_cpu_type from, to;
    LLVMValueRef buffer;
    bool is_offset; /* bytes are kept as unsigned ones, 128 more than they are */
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
    p->v.v = to_compute(g, p->v.v, p->from, p->to);
    if (p->is_offset)
        p->v.v = LLVMBuildXor(g->b, p->v.v, tri_cpu_const_like(LLVMTypeOf(p->v.v), 128), "");
}

static void pack_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    pack_data *p = sink->data;
    if (p->v.level < g->nest->loop_count)
        p->v.level = g->nest->loop_count;
    tri_cpu_buffer_store(g, p->type, p->buffer, g->nest->index, p->v);
}

static void pack_into(product *x, MlirValue value, LLVMValueRef buffer, tri_cpu_type to, MlirType type, bool is_offset)
{
    tri_cpu_gen *g = x->g;
    pack_data data = {.value = value, .type = type, .to = to, .buffer = buffer, .is_offset = is_offset};
    data.from = tri_cpu_type_of(g, mlirValueGetType(value));
    tri_cpu_sink sink = {.op = x->op, .data = &data, .eval = pack_eval, .write = pack_write};
    sink.values = &value;
    sink.value_count = 1;
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = -1, .count = 1, .sinks = &sink};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    MlirValue none = {NULL};
    domain.vec_dim = tri_cpu_vector_dim(g, domain.rank, domain.shape, none, value);
    tri_cpu_nest_run(g, &domain);
}

static LLVMValueRef pack(product *x, MlirValue value)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirType type = tri_type_with_element(mlirValueGetType(value), x->mlir_element);
    bool is_offset = x->isa && x->isa->is_offset; /* then this is a */
    if (bind && bind->kind == TRI_CPU_BUFFER && mlirTypeEqual(type, mlirValueGetType(value)) && !is_offset)
        return bind->v;
    LLVMValueRef buffer = tri_cpu_alloc(g, type);
    pack_into(x, value, buffer, x->compute, type, is_offset);
    return buffer;
}

/* The left operand: where it lies, if it may be read there; else packed. */
static void place_left(product *x, MlirValue value)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_direct direct;
    bool fits =
        mlirTypeEqual(tri_type_element(mlirValueGetType(value)), x->mlir_element) && !(x->isa && x->isa->is_offset);
    if (!fits || !tri_cpu_dot_direct(g, value, &direct)) {
        x->a = pack(x, value);
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
    LLVMValueRef buffer = pack(x, value);
    tri_cpu_at(g, 0);
    LLVMBuildStore(g->b, buffer, address);
    LLVMBuildStore(g->b, tri_cpu_i64(g, x->k), stride);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, next);
    x->a = LLVMBuildLoad2(g->b, g->ptr, address, "");
    x->a_stride = LLVMBuildLoad2(g->b, g->i64, stride, "");
}

/* ---- packing in groups along k ---- */

enum { max_group = 8 };

typedef struct {
    product *x;
    MlirValue value;
    MlirType type; /* [batch,] k / group, n * group */
    LLVMValueRef buffer;
    tri_cpu_type from;
    tri_cpu_val v[max_group];
} group_data;

static void group_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    group_data *p = sink->data;
    int group = p->x->isa->group, row = p->x->rank - 2;
    for (int i = 0; i < group; i++) {
        tri_cpu_tuple t = *g->nest->index;
        for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
            t.at[row].coef[l] *= group;
        t.at[row].c = t.at[row].c * group + i;
        p->v[i] = tri_cpu_eval(g, p->value, tri_cpu_intern(g, &t));
        tri_cpu_at(g, p->v[i].level);
        p->v[i].v = to_compute(g, p->v[i].v, p->from, p->x->isa->packed);
    }
}

/* Lanes of the group's members one after the other, in neighbouring places. */
static void group_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    group_data *p = sink->data;
    int group = p->x->isa->group, lanes = g->nest->vec_loop >= 0 ? g->nest->vl : 1, level = g->nest->loop_count;
    LLVMTypeRef element = tri_cpu_memory_type(g, p->x->isa->packed);
    LLVMValueRef order[TRI_CPU_LANES * max_group], all = LLVMGetPoison(tri_cpu_vector(element, lanes * group));
    tri_cpu_at(g, level);
    for (int i = 0; i < group; i++) {
        LLVMValueRef v = p->v[i].is_vec ? p->v[i].v : tri_cpu_splat(g, p->v[i].v, lanes);
        for (int k = 0; k < lanes * group; k++)
            order[k] = LLVMConstInt(g->i32, (uint64_t)(k < lanes ? k : 0), false);
        v = LLVMBuildShuffleVector(g->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                   LLVMConstVector(order, (unsigned)(lanes * group)), "");
        for (int k = 0; k < lanes * group; k++)
            order[k] = LLVMConstInt(g->i32, (uint64_t)(k % group == i ? lanes * group + k / group : k), false);
        all = LLVMBuildShuffleVector(g->b, all, v, LLVMConstVector(order, (unsigned)(lanes * group)), "");
    }
    tri_cpu_index at = {0};
    int64_t stride = 1;
    for (int d = p->x->rank - 1; d >= 0; d--) {
        const tri_cpu_index *i = &g->nest->index->at[d];
        int64_t step = d == p->x->rank - 1 ? group : stride;
        at.c += i->c * step;
        for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
            at.coef[l] += i->coef[l] * step;
        stride *= tri_type_dim(p->type, d);
    }
    int vec = g->nest->vec_loop;
    g->nest->vec_loop = -1; /* the chunk's start */
    tri_cpu_val offset = tri_cpu_index_value(g, &at);
    g->nest->vec_loop = vec;
    tri_cpu_at(g, level);
    LLVMValueRef slot = LLVMBuildInBoundsGEP2(g->b, element, p->buffer, &offset.v, 1, "");
    LLVMSetAlignment(LLVMBuildStore(g->b, all, slot), p->x->isa->packed.bits / 8);
}

static LLVMValueRef pack_groups(product *x, MlirValue value)
{
    tri_cpu_gen *g = x->g;
    MlirType from = mlirValueGetType(value);
    int64_t shape[TRI_MAX_RANK] = {x->batch, x->k / x->isa->group, x->n * x->isa->group};
    group_data data = {.x = x, .value = value, .from = tri_cpu_type_of(g, from)};
    data.type = tri_type_tensor(x->rank, x->rank == 3 ? shape : shape + 1, x->mlir_element, (MlirAttribute){0});
    data.buffer = tri_cpu_alloc(g, data.type);
    tri_cpu_sink sink = {.op = x->op, .data = &data, .eval = group_eval, .write = group_write, .indices = value};
    tri_cpu_domain domain = {.rank = x->rank, .axis = -1, .count = 1, .sinks = &sink, .vec_dim = x->rank - 1};
    for (int d = 0; d < x->rank; d++)
        domain.shape[d] = tri_type_dim(data.type, d);
    domain.shape[x->rank - 1] = x->n;
    tri_cpu_nest_run(g, &domain);
    return data.buffer;
}

/* ---- plain counted loops ---- */

tri_cpu_counted tri_cpu_counted_begin(tri_cpu_gen *g, int64_t end, int64_t step)
{
    tri_cpu_counted c = {tri_cpu_new_block(g, "tile"), tri_cpu_new_block(g, "tiled"), NULL, step, end};
    tri_cpu_at(g, 0);
    LLVMBasicBlockRef before = g->at;
    LLVMBuildBr(g->b, c.header);
    tri_cpu_move(g, 0, c.header);
    c.i = LLVMBuildPhi(g->b, g->i64, "");
    LLVMValueRef zero = tri_cpu_i64(g, 0);
    LLVMAddIncoming(c.i, &zero, &before, 1);
    return c;
}

void tri_cpu_counted_end(tri_cpu_gen *g, tri_cpu_counted *c)
{
    tri_cpu_at(g, 0);
    LLVMValueRef next = LLVMBuildNSWAdd(g->b, c->i, tri_cpu_i64(g, c->step), "");
    LLVMBasicBlockRef latch = g->at;
    LLVMAddIncoming(c->i, &next, &latch, 1);
    LLVMValueRef more = LLVMBuildICmp(g->b, LLVMIntSLT, next, tri_cpu_i64(g, c->end), "");
    LLVMBuildCondBr(g->b, more, c->header, c->exit);
    tri_cpu_move(g, 0, c->exit);
}

/* ---- the kernel ---- */

static LLVMValueRef element_at(product *x, LLVMValueRef base, LLVMValueRef row, int64_t width, LLVMValueRef column)
{
    LLVMBuilderRef b = x->g->b;
    LLVMValueRef at = LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, row, tri_cpu_i64(x->g, width), ""), column, "");
    return LLVMBuildInBoundsGEP2(b, x->element, base, &at, 1, "");
}

static LLVMValueRef multiply_add(product *x, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    if (x->compute.kind == TRI_CPU_INT)
        return LLVMBuildAdd(x->g->b, LLVMBuildMul(x->g->b, a, b, ""), c, "");
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef args[3] = {a, b, c};
    bool fuses = x->g->has_fma && !x->g->unit->options->no_fp_fusion;
    return fuses ? tri_cpu_intrinsic(x->g, "llvm.fma", &type, 1, args, 3)
                 : LLVMBuildFAdd(x->g->b, LLVMBuildFMul(x->g->b, a, b, ""), c, "");
}

enum { max_rows = 8, max_parts = 8 };

/* Where the accumulators of a tile are: rows of `parts` vectors; `height` rows in each vector. */
typedef struct {
    int rows, parts, width, height;
    LLVMTypeRef vector;
    LLVMValueRef row[max_rows], column[max_parts], acc[max_rows][max_parts];
    LLVMValueRef excess[max_parts]; /* what a row has too much because bytes of a are 128 more than they are */
} tile_shape;

static LLVMTypeRef packed_type(product *x)
{
    return x->isa ? LLVMIntTypeInContext(x->g->llvm, x->isa->packed.bits) : x->element;
}

static LLVMValueRef packed_load(product *x, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef at)
{
    LLVMTypeRef element = packed_type(x);
    LLVMValueRef v = LLVMBuildLoad2(x->g->b, type, LLVMBuildInBoundsGEP2(x->g->b, element, base, &at, 1, ""), "");
    LLVMSetAlignment(v, x->isa ? x->isa->packed.bits / 8 : x->compute.bits / 8);
    return v;
}

/* One group of each row from `u` on. */
static LLVMValueRef load_left(product *x, LLVMValueRef base, const tile_shape *t, int u, LLVMValueRef k)
{
    tri_cpu_gen *g = x->g;
    unsigned bits = x->isa ? x->isa->packed.bits * (unsigned)x->isa->group : 0;
    LLVMTypeRef one = x->isa ? LLVMIntTypeInContext(g->llvm, bits) : x->element;
    LLVMValueRef all = t->height > 1 ? LLVMGetPoison(tri_cpu_vector(one, t->height)) : NULL;
    for (int h = 0; h < t->height; h++) {
        LLVMValueRef at = LLVMBuildNSWMul(g->b, t->row[u + h], x->a_stride ? x->a_stride : tri_cpu_i64(g, x->k), "");
        LLVMValueRef v = packed_load(x, one, base, LLVMBuildNSWAdd(g->b, at, k, ""));
        all = all ? LLVMBuildInsertElement(g->b, all, v, tri_cpu_i64(g, h), "") : v;
    }
    return all;
}

/* The step of the innermost loop: products of one k, or of one group of them. */
static void step(product *x, LLVMValueRef *base, const tile_shape *t, LLVMValueRef k)
{
    tri_cpu_gen *g = x->g;
    int group = x->isa ? x->isa->group : 1;
    LLVMTypeRef wide = tri_cpu_vector(packed_type(x), t->width * group > 1 ? t->width * group : 0);
    LLVMValueRef right[max_parts], line = LLVMBuildNSWMul(g->b, k, tri_cpu_i64(g, x->n), "");
    for (int p = 0; p < t->parts; p++) {
        LLVMValueRef at = LLVMBuildNSWMul(g->b, t->column[p], tri_cpu_i64(g, group), "");
        right[p] = packed_load(x, wide, base[1], LLVMBuildNSWAdd(g->b, line, at, ""));
    }
    for (int p = 0; p < t->parts && t->excess[0]; p++) {
        LLVMValueRef sum = LLVMBuildLoad2(g->b, t->vector, t->excess[p], "");
        LLVMValueRef all_128 = LLVMConstInt(g->i32, UINT32_C(0x80808080), false);
        LLVMBuildStore(g->b, tri_cpu_dot_emit(g, x->isa, all_128, right[p], sum), t->excess[p]);
    }
    for (int u = 0; u < t->rows; u += t->height) {
        LLVMValueRef left = load_left(x, base[0], t, u, k);
        for (int p = 0; p < t->parts; p++) {
            LLVMValueRef sum = LLVMBuildLoad2(g->b, t->vector, t->acc[u][p], "");
            if (x->isa)
                sum = tri_cpu_dot_emit(g, x->isa, left, right[p], sum);
            else
                sum = multiply_add(x, tri_cpu_splat(g, left, t->width > 1 ? t->width : 0), right[p], sum);
            LLVMBuildStore(g->b, sum, t->acc[u][p]);
        }
    }
}

/* Lanes `from` on of `v`; with `w` (or null) behind them. */
static LLVMValueRef lanes_of(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef w, int from, int count)
{
    LLVMValueRef order[TRI_CPU_LANES];
    for (int i = 0; i < count; i++)
        order[i] = LLVMConstInt(g->i32, (uint64_t)(from + i), false);
    return LLVMBuildShuffleVector(g->b, v, w ? w : LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(order, (unsigned)count), "");
}

/* Between the result block and the accumulators of its rows from `u` on. */
static void load_sums(product *x, LLVMValueRef d, const tile_shape *t, int u, int p)
{
    tri_cpu_gen *g = x->g;
    LLVMTypeRef line = tri_cpu_vector(x->element, t->width > 1 ? t->width : 0);
    LLVMValueRef rows[2];
    for (int h = 0; h < t->height; h++) {
        rows[h] = LLVMBuildLoad2(g->b, line, element_at(x, d, t->row[u + h], x->n, t->column[p]), "");
        LLVMSetAlignment(rows[h], x->compute.bits / 8);
    }
    LLVMValueRef sum = t->height > 1 ? lanes_of(g, rows[0], rows[1], 0, 2 * t->width) : rows[0];
    LLVMBuildStore(g->b, sum, t->acc[u][p]);
}

static void store_sums(product *x, LLVMValueRef d, const tile_shape *t, int u, int p)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef sum = LLVMBuildLoad2(g->b, t->vector, t->acc[u][p], "");
    if (t->excess[p])
        sum = LLVMBuildSub(g->b, sum, LLVMBuildLoad2(g->b, t->vector, t->excess[p], ""), "");
    for (int h = 0; h < t->height; h++) {
        LLVMValueRef row = t->height > 1 ? lanes_of(g, sum, NULL, h * t->width, t->width) : sum;
        LLVMValueRef s = LLVMBuildStore(g->b, row, element_at(x, d, t->row[u + h], x->n, t->column[p]));
        LLVMSetAlignment(s, x->compute.bits / 8);
    }
}

static void tile(product *x, LLVMValueRef *base, LLVMValueRef m, LLVMValueRef n, int rows, int lanes)
{
    tri_cpu_gen *g = x->g;
    tile_shape t = {.rows = rows, .width = x->isa ? x->isa->width : lanes < TRI_CPU_LANES ? lanes : TRI_CPU_LANES};
    t.height = x->isa ? x->isa->rows : 1;
    t.parts = lanes / t.width;
    TRI_ASSERT(t.parts <= max_parts && t.height <= 2);
    t.vector = tri_cpu_vector(x->element, t.width * t.height > 1 ? t.width * t.height : 0);
    for (int p = 0; p < t.parts; p++)
        t.column[p] = LLVMBuildNSWAdd(g->b, n, tri_cpu_i64(g, p * t.width), "");
    for (int u = 0; u < rows; u++)
        t.row[u] = LLVMBuildNSWAdd(g->b, m, tri_cpu_i64(g, u), "");
    for (int u = 0; u < rows; u += t.height) {
        for (int p = 0; p < t.parts; p++) {
            t.acc[u][p] = tri_cpu_temp(g, t.vector, "acc");
            load_sums(x, base[2], &t, u, p);
        }
    }
    for (int p = 0; p < t.parts && x->isa && x->isa->is_offset; p++) {
        t.excess[p] = tri_cpu_temp(g, t.vector, "excess");
        LLVMBuildStore(g->b, LLVMConstNull(t.vector), t.excess[p]);
    }
    tri_cpu_counted k = tri_cpu_counted_begin(g, x->k, x->isa ? x->isa->group : 1);
    step(x, base, &t, k.i);
    tri_cpu_counted_end(g, &k);
    for (int u = 0; u < rows; u += t.height)
        for (int p = 0; p < t.parts; p++)
            store_sums(x, base[2], &t, u, p);
}

/* Accumulators fill half of the registers or more: 8 of 16 with SSE2 and AVX2, 16 of 32 with AVX-512 and NEON. */
static void choose_tile(const product *x, int *out_rows, int *out_lanes)
{
    const tri_host *host = &x->g->host;
    bool is_512 = tri_host_has(host, "avx512f"),
         is_small = x->compute.bits == 64 || !(host->is_aarch64 || tri_host_has(host, "avx"));
    bool is_wide = is_512 && x->compute.bits == 32 && x->m >= 8 && x->n >= 32;
    int64_t rows = is_wide ? 8 : 4, lanes = is_wide ? 32 : is_small && !is_512 ? 8 : TRI_CPU_LANES;
    *out_rows = (int)(x->m < rows ? x->m : rows);
    *out_lanes = (int)(x->n < lanes ? x->n : lanes);
}

static void multiply(product *x)
{
    tri_cpu_gen *g = x->g;
    int rows, lanes;
    choose_tile(x, &rows, &lanes);
    tri_cpu_counted batch = tri_cpu_counted_begin(g, x->batch, 1);
    int64_t sizes[3] = {x->m * x->k, x->k * x->n, x->m * x->n};
    LLVMValueRef base[3] = {x->a, x->b, x->d};
    for (int i = 0; i < 3; i++) {
        LLVMValueRef offset = LLVMBuildNSWMul(g->b, batch.i, tri_cpu_i64(g, sizes[i]), "");
        base[i] = LLVMBuildInBoundsGEP2(g->b, i < 2 ? packed_type(x) : x->element, base[i], &offset, 1, "");
    }
    if (x->isa && x->isa->is_tile) {
        tri_cpu_tiles t = {.isa = x->isa, .m = x->m, .n = x->n, .k = x->k, .a = base[0], .b = base[1], .d = base[2]};
        LLVMValueRef stride = x->a_stride ? x->a_stride : tri_cpu_i64(g, x->k);
        t.a_stride = LLVMBuildMul(g->b, stride, tri_cpu_i64(g, x->isa->packed.bits / 8), "");
        tri_cpu_tiles_multiply(g, &t);
        tri_cpu_counted_end(g, &batch);
        return;
    }
    tri_cpu_counted n = tri_cpu_counted_begin(g, x->n, lanes);
    tri_cpu_counted m = tri_cpu_counted_begin(g, x->m, rows);
    tile(x, base, m.i, n.i, rows, lanes);
    tri_cpu_counted_end(g, &m);
    tri_cpu_counted_end(g, &n);
    tri_cpu_counted_end(g, &batch);
}

/* ---- where the result goes ---- */

static MlirOperation only_user(MlirValue value, intptr_t *out_operand)
{
    MlirOperation none = {NULL};
    MlirOpOperand use = mlirValueGetFirstUse(value);
    if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
        return none;
    *out_operand = mlirOpOperandGetOperandNumber(use);
    return mlirOpOperandGetOwner(use);
}

/* The buffer of a loop's accumulator when d may be computed in place there: d only goes to the
 * loop's yield, and the accumulator is read only on the way to c, at c's own index. */
static LLVMValueRef place_in_loop(tri_cpu_gen *g, MlirOperation op)
{
    intptr_t slot, unused;
    MlirOperation yield = only_user(tri_op_result(op, 0), &slot);
    if (mlirOperationIsNull(yield) || !tri_op_is(yield, "scf.yield") ||
        mlirOperationGetBlock(yield).ptr != mlirOperationGetBlock(op).ptr)
        return NULL;
    MlirOperation loop = mlirBlockGetParentOperation(mlirOperationGetBlock(op));
    if (!tri_op_is(loop, "scf.for"))
        return NULL;
    MlirValue arg = mlirBlockGetArgument(tri_op_body(loop, 0), slot + 1), c = tri_op_operand(op, 2);
    tri_cpu_bind *bind = tri_cpu_find(g, arg);
    bool other = false;
    if (!bind || bind->kind != TRI_CPU_BUFFER || mlirOperationIsNull(only_user(arg, &unused)) ||
        !tri_cpu_reads(g, c, arg, &other) || other)
        return NULL;
    return bind->v;
}

void tri_cpu_multiply(tri_cpu_gen *g, MlirOperation op, tri_cpu_type compute, int64_t batch, int64_t m, int64_t n,
                      int64_t k, LLVMValueRef a, LLVMValueRef b, LLVMValueRef d)
{
    product x = {.g = g, .op = op, .batch = batch, .m = m, .n = n, .k = k, .compute = compute, .a = a, .b = b, .d = d};
    x.element = tri_cpu_llvm_type(g, compute);
    multiply(&x);
}

static void prepare(product *x, MlirOperation op)
{
    tri_cpu_gen *g = x->g;
    MlirType a = mlirValueGetType(tri_op_operand(op, 0)), b = mlirValueGetType(tri_op_operand(op, 1));
    x->op = op;
    x->rank = tri_type_rank(a);
    x->batch = x->rank == 3 ? tri_type_dim(a, 0) : 1;
    x->m = tri_type_dim(a, x->rank - 2);
    x->k = tri_type_dim(a, x->rank - 1);
    x->n = tri_type_dim(b, x->rank - 1);
    tri_cpu_type t = tri_cpu_type_of(g, a);
    MlirContext context = mlirOperationGetContext(op);
    if (t.kind == TRI_CPU_INT) {
        x->compute = (tri_cpu_type){TRI_CPU_INT, 32};
        x->mlir_element = mlirIntegerTypeGet(context, 32);
    } else if (t.kind == TRI_CPU_F64) {
        x->compute = t;
        x->mlir_element = mlirF64TypeGet(context);
    } else {
        x->compute = (tri_cpu_type){TRI_CPU_F32, 32};
        x->mlir_element = mlirF32TypeGet(context);
    }
    x->element = tri_cpu_llvm_type(g, x->compute);
}

/* d as a lazy conversion has no op to hang on, so it is converted into a buffer of its own type. */
static void narrow_result(product *x)
{
    tri_cpu_gen *g = x->g;
    MlirValue result = tri_op_result(x->op, 0);
    MlirType type = mlirValueGetType(result);
    LLVMValueRef out = tri_cpu_alloc(g, type);
    int64_t count = tri_type_num_elements(type);
    int lanes = count < TRI_CPU_LANES ? (int)count : TRI_CPU_LANES;
    tri_cpu_type to = tri_cpu_type_of(g, type);
    tri_cpu_counted c = tri_cpu_counted_begin(g, count, lanes);
    LLVMTypeRef vector = tri_cpu_vector(x->element, lanes);
    LLVMValueRef from = LLVMBuildInBoundsGEP2(g->b, x->element, x->d, &c.i, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(g->b, vector, from, "");
    LLVMSetAlignment(v, x->compute.bits / 8);
    v = tri_cpu_convert(g, v, x->compute, to, false);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(g->b, tri_cpu_memory_type(g, to), out, &c.i, 1, "");
    LLVMSetAlignment(LLVMBuildStore(g->b, v, at), to.bits / 8);
    tri_cpu_counted_end(g, &c);
    tri_cpu_bind_buffer(g, result, out);
}

static void pack_operands(product *x, MlirOperation op)
{
    MlirValue a = tri_op_operand(op, 0), b = tri_op_operand(op, 1);
    tri_cpu_type compute = x->compute;
    MlirContext context = mlirOperationGetContext(op);
    bool same = mlirTypeEqual(tri_type_element(mlirValueGetType(a)), tri_type_element(mlirValueGetType(b)));
    x->isa = same ? tri_cpu_dot_choose(x->g, tri_cpu_type_of(x->g, mlirValueGetType(a)), x->m, x->n, x->k) : NULL;
    if (x->isa) {
        x->compute = x->isa->packed;
        x->mlir_element = x->isa->operand == TRI_CPU_BF16 ? mlirBF16TypeGet(context)
                                                          : mlirIntegerTypeGet(context, x->isa->packed.bits);
    }
    place_left(x, a);
    x->b = x->isa ? pack_groups(x, b) : pack(x, b);
    x->compute = compute;
}

void tri_cpu_dot_op(tri_cpu_gen *g, MlirOperation op)
{
    product x = {.g = g};
    prepare(&x, op);
    MlirValue result = tri_op_result(op, 0), c = tri_op_operand(op, 2);
    MlirType type = tri_type_with_element(mlirValueGetType(result), x.mlir_element);
    bool is_native = mlirTypeEqual(type, mlirValueGetType(result));
    LLVMValueRef place = is_native ? place_in_loop(g, op) : NULL;
    x.d = place ? place : tri_cpu_alloc(g, type);
    size_t mark = g->live.len;
    pack_operands(&x, op);
    tri_cpu_bind *bind = tri_cpu_find(g, c);
    if (!(bind && bind->kind == TRI_CPU_BUFFER && bind->v == x.d))
        pack_into(&x, c, x.d, x.compute, type, false);
    multiply(&x);
    tri_cpu_release(g, mark);
    if (is_native)
        tri_cpu_bind_buffer(g, result, x.d);
    else
        narrow_result(&x);
}
