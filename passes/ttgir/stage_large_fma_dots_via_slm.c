/* Splits products of multiply-adds along K, with operands in shared memory, where they would not fit registers.
 *
 *     %a1 = ttg.convert_layout %a : #blocked -> #dot_op         %m = ttg.local_alloc %a   (and so for b)
 *     %d = tt.dot %a1, %b1, %c                            ->    %a0 = ttg.local_load (ttg.memdesc_subslice %m[0, 0])
 *                                                               %d0 = tt.dot %a0, %b0, %c
 *                                                               %a1 = ttg.local_load (ttg.memdesc_subslice %m[0, 16])
 *                                                               %d  = tt.dot %a1, %b1, %d0
 *
 * A lane of a multiply-add holds all of K of its rows and columns: with more than PRESSURE bytes of that it gets them
 * in parts, of which a lane's rows of A take about PART bytes. Conversions between floating point types behind the
 * conversion of layouts, and in front of it, are done again for each part: memory holds the narrow type. What is in
 * shared memory already stays there. Needs: accelerate-matmul. Answers to
 * tritonintelgpu-stage-large-fma-dots-via-slm. Test: tests/passes/stage-large-fma-dots-via-slm.mlir */
#include "passes/passes.h"

#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"

enum { PRESSURE = 4096, PART = 1024, LEAST_DEPTH = 16, MOST_SHARED = 56 * 1024, MOST_CASTS = 4 };

/* An operand on its way to the product. */
typedef struct {
    MlirValue source; /* what shared memory shall hold, or the buffer that has it */
    MlirType type;    /* of what is read from there, whole */
    MlirOperation casts[MOST_CASTS]; /* that follow, the last one first */
    int num_casts;
    bool is_buffer;
} way;

typedef struct {
    tri_pass_run *run;
    MlirOperation dot;
    way ways[2];
    int rank;
    int64_t depth, part;
} product;

/* ---- sizes ---- */

static int64_t repetitions(const tri_encoding *e, MlirType type, int dim)
{
    int64_t tile = (int64_t)e->blocked.size_per_thread[dim] * e->blocked.threads_per_warp[dim] * e->warps_per_cta[dim];
    int64_t times = tri_type_dim(type, dim) / tile;
    return times ? times : 1;
}

/* Along one of the last two dimensions: how many rows or columns of the result a lane has. */
static int64_t lines_each(const tri_encoding *e, MlirType type, int dim)
{
    return repetitions(e, type, dim) * e->blocked.size_per_thread[dim];
}

static int64_t element_bytes(MlirType type)
{
    int64_t bits = tri_type_bits(tri_type_element(type));
    return bits < 8 ? 1 : bits / 8;
}

/* Bytes that a lane holds at once: its rows of A, its columns of B, its part of the result. */
static int64_t bytes_held(const product *p, const tri_encoding *e, MlirType result)
{
    int64_t rows = lines_each(e, result, p->rank - 2), columns = lines_each(e, result, p->rank - 1);
    int64_t element = element_bytes(mlirValueGetType(tri_op_operand(p->dot, 0)));
    return (rows + columns) * p->depth * element + rows * columns * element_bytes(result);
}

/* The K of a part: a power of two, a divisor of all of it; 0: it cannot be split. */
static int64_t choose_part(const product *p, const tri_encoding *e, MlirType result)
{
    int64_t row = lines_each(e, result, p->rank - 2) * element_bytes(mlirValueGetType(tri_op_operand(p->dot, 0)));
    int64_t part = LEAST_DEPTH;
    while (part * 2 * row <= PART)
        part *= 2;
    while (part > LEAST_DEPTH && (part >= p->depth || p->depth % part))
        part /= 2;
    return part < p->depth && p->depth % part == 0 ? part : 0;
}

/* ---- operands ---- */

static bool is_cast(MlirOperation op) { return tri_op_is(op, "tt.fp_to_fp") || tri_op_is(op, "arith.extf"); }

/* Goes back over casts; false: there are too many. */
static bool skip_casts(way *w, MlirValue *value)
{
    MlirOperation def = tri_op_def(*value);
    for (; !mlirOperationIsNull(def) && is_cast(def); def = tri_op_def(*value)) {
        if (w->num_casts == MOST_CASTS)
            return false;
        w->casts[w->num_casts++] = def;
        *value = tri_op_operand(def, 0);
    }
    return true;
}

static bool find_way(tri_arena *arena, MlirValue operand, way *w)
{
    MlirValue value = operand;
    if (!skip_casts(w, &value))
        return false;
    MlirOperation def = tri_op_def(value);
    const tri_encoding *e = tri_dots_encoding(arena, value);
    if (mlirOperationIsNull(def) || !e || e->kind != TRI_ENC_DOT_OP)
        return false;
    w->type = mlirValueGetType(value);
    w->source = tri_op_operand(def, 0);
    w->is_buffer = tri_op_is(def, "ttg.local_load");
    if (w->is_buffer)
        return true;
    if (!tri_op_is(def, "ttg.convert_layout") || !skip_casts(w, &w->source))
        return false;
    w->type = tri_type_with_element(w->type, tri_type_element(mlirValueGetType(w->source)));
    return true;
}

static int64_t bytes_shared(const way *w) { return tri_type_num_elements(w->type) * element_bytes(w->type); }

static bool match_product(product *p)
{
    MlirType result = mlirValueGetType(tri_op_result(p->dot, 0)), a = mlirValueGetType(tri_op_operand(p->dot, 0));
    const tri_encoding *e = tri_dots_encoding(p->run->arena, tri_op_result(p->dot, 0));
    if (!e || e->kind != TRI_ENC_BLOCKED)
        return false;
    p->rank = tri_type_rank(result);
    p->depth = tri_type_dim(a, p->rank - 1);
    if (bytes_held(p, e, result) <= PRESSURE || (p->part = choose_part(p, e, result)) == 0)
        return false;
    for (int i = 0; i < 2; i++)
        if (!find_way(p->run->arena, tri_op_operand(p->dot, i), &p->ways[i]))
            return false;
    return bytes_shared(&p->ways[0]) + bytes_shared(&p->ways[1]) <= MOST_SHARED;
}

/* ---- rewriting ---- */

static MlirValue make_buffer(const product *p, tri_builder *b, const way *w)
{
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    if (w->is_buffer)
        return w->source;
    int rank = tri_dots_shape(mlirValueGetType(w->source), shape);
    tri_convert_order_for_memory(tri_dots_encoding(p->run->arena, w->source), rank, shape, order);
    MlirType type = tri_dots_buffer_type(p->run->arena, w->type, shape, order, false);
    return tri_builder_unary(b, "ttg.local_alloc", type, w->source);
}

/* The operand's part that begins at this K, as the product takes it. */
static MlirValue load_part(const product *p, tri_builder *b, int operand, MlirValue buffer, int64_t first)
{
    const way *w = &p->ways[operand];
    int dim = operand ? p->rank - 2 : p->rank - 1;
    int64_t shape[TRI_MAX_RANK];
    tri_dots_shape(w->type, shape);
    shape[dim] = p->part;
    MlirType type = tri_type_tensor(p->rank, shape, tri_type_element(w->type), tri_type_encoding(w->type));
    MlirValue part = tri_dots_buffer_part(b, buffer, dim, first, p->part);
    MlirValue value = tri_builder_unary(b, "ttg.local_load", type, part);
    for (int i = w->num_casts; i-- > 0;) {
        MlirValue from = tri_op_operand(w->casts[i], 0);
        type = tri_type_with_element(type, tri_type_element(mlirValueGetType(tri_op_result(w->casts[i], 0))));
        value = tri_op_result(tri_op_clone(b, w->casts[i], 1, &from, &value), 0);
        tri_op_set_type(value, type);
    }
    return value;
}

static void split_product(const product *p)
{
    tri_builder b = tri_builder_before(p->dot);
    MlirValue buffers[] = {make_buffer(p, &b, &p->ways[0]), make_buffer(p, &b, &p->ways[1])};
    MlirValue sum = tri_op_operand(p->dot, 2);
    for (int64_t first = 0; first < p->depth; first += p->part) {
        MlirValue operands[] = {load_part(p, &b, 0, buffers[0], first), load_part(p, &b, 1, buffers[1], first), sum};
        sum = tri_dots_make(&b, "tt.dot", p->dot, operands, mlirValueGetType(sum));
    }
    tri_op_replace(p->dot, 1, &sum);
}

static bool run_stage_large_fma_dots_via_slm(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list dots = {0};
    bool has_changed = false;
    tri_op_collect_named(module, "tt.dot", run->arena, &dots);
    for (size_t i = 0; i < dots.len; i++) {
        product p = {.run = run, .dot = dots.at[i]};
        if (!match_product(&p))
            continue;
        split_product(&p);
        has_changed = true;
    }
    if (has_changed)
        tri_op_erase_dead(module);
    return true;
}

const tri_pass tri_pass_stage_large_fma_dots_via_slm = {
    .name = "stage-large-fma-dots-via-slm",
    .help = "split multiply-add products that registers cannot hold, with operands in shared memory",
    .alias = "tritonintelgpu-stage-large-fma-dots-via-slm",
    .run = run_stage_large_fma_dots_via_slm,
};
