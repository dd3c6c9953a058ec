/* Lets the sub-groups of a reduction along the rows of a matrix unit's result exchange a square once, where each row
 * would be summed up across the lanes by itself.
 *
 *     %s = "tt.reduce"(%d) <{axis = 1}> : tensor<16x16xf32, #dpas>      // lane n has column n: 16 exchanged sums
 *   becomes
 *     %v = tt.reshape %d allow_reorder efficient_layout : -> tensor<16x8x1x2x1x1x1xf32, #registers>
 *     %a = "tt.reduce"(%v) <{axis = 2}> ; %b = "tt.reduce"(%a) <{axis = 4}>             // inside each lane
 *     %c = ttg.convert_layout %b -> tensor<16x8x2x1x1xf32, #turned>                     // lane m has row m
 *     %w = tt.reshape %c allow_reorder efficient_layout : -> tensor<16x16x1x1xf32, #rows>
 *     %e = "tt.reduce"(%w) <{axis = 0}>                                                 // inside each lane
 *     %f = "tt.reduce"(%e) <{axis = 1}>                                                 // between sub-groups
 *     %g = tt.reshape %f allow_reorder efficient_layout : -> tensor<16xf32, #flat>
 *     %s = ttg.convert_layout %g
 *
 * The dimensions of the first view, the one that changes first in front: lane, row of a tile, tiles of a cluster along
 * N, and along M, sub-groups along N, what the tensor repeats along N, sub-groups along M. Each element stays in its
 * register there, so that the view must mean the same rows.
 *
 * Needs one operand of two dimensions in the result's layout of the matrix unit, as many rows of a sub-group as make
 * whole squares, and a tensor as tall as the layout and at least as wide. Floating-point sums are added up in another
 * order. Answers to tritonintelgpu-optimize-reduction-locality. Test:
 * tests/passes/optimize-reduction-locality.mlir */
#include "passes/passes.h"

#include "ir/analysis/infer.h"
#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"

enum { LANES, TILE_ROWS, TILES_N, TILES_M, WARPS_N, REPEATS, WARPS_M, RANK };

/* A tensor's shape and blocked layout, in the order 0, 1, ... */
typedef struct {
    int rank;
    int64_t shape[RANK];
    int32_t size[RANK], lanes[RANK], warps[RANK];
} view;

typedef struct {
    MlirOperation reduce;
    MlirType element;
    int32_t lanes, tile_rows, tiles_m, tiles_n, warps_m, warps_n, repeats;
    int32_t squares; /* of a sub-group: rows / lanes */
} match;

static MlirAttribute layout_of(MlirContext context, const view *v)
{
    tri_encoding e = {.kind = TRI_ENC_BLOCKED, .rank = v->rank};
    for (int d = 0; d < v->rank; d++) {
        e.blocked.size_per_thread[d] = v->size[d];
        e.blocked.threads_per_warp[d] = v->lanes[d];
        e.warps_per_cta[d] = v->warps[d];
        e.order[d] = d;
    }
    return tri_encoding_make(context, &e);
}

static MlirType type_of_view(const match *m, const view *v)
{
    return tri_type_tensor(v->rank, v->shape, m->element, layout_of(mlirTypeGetContext(m->element), v));
}

/* What the operand is, every element in its register. */
static view in_registers(const match *m)
{
    return (view){
        .rank = RANK,
        .shape = {m->lanes, m->tile_rows, m->tiles_n, m->tiles_m, m->warps_n, m->repeats, m->warps_m},
        .size = {1, m->tile_rows, m->tiles_n, m->tiles_m, 1, m->repeats, 1},
        .lanes = {m->lanes, 1, 1, 1, 1, 1, 1},
        .warps = {1, 1, 1, 1, m->warps_n, 1, m->warps_m},
    };
}

/* What is left of the lanes' own sums, a row in each lane: columns, rows of a tile, tiles, sub-groups. */
static view turned(const match *m)
{
    return (view){
        .rank = 5,
        .shape = {m->lanes, m->tile_rows, m->tiles_m, m->warps_n, m->warps_m},
        .size = {m->lanes, m->squares, 1, 1, 1},
        .lanes = {1, m->lanes / m->tiles_m, m->tiles_m, 1, 1},
        .warps = {1, 1, 1, m->warps_n, m->warps_m},
    };
}

/* The same with a sub-group's rows as one dimension. */
static view in_rows(const match *m)
{
    return (view){
        .rank = 4,
        .shape = {m->lanes, m->tile_rows * m->tiles_m, m->warps_n, m->warps_m},
        .size = {m->lanes, m->squares, 1, 1},
        .lanes = {1, m->lanes, 1, 1},
        .warps = {1, 1, m->warps_n, m->warps_m},
    };
}

/* The parent of the result's layout. */
static view flat(const match *m)
{
    return (view){.rank = 2, .size = {1, m->squares}, .lanes = {1, m->lanes}, .warps = {m->warps_n, m->warps_m}};
}

/* Whether register, lane and warp of an element mean the same row of the operand and of its view. */
static bool keeps_rows(tri_arena *arena, const match *m, MlirType from, MlirType to)
{
    static const tri_dim ins[] = {TRI_DIM_REGISTER, TRI_DIM_LANE, TRI_DIM_WARP};
    tri_linear a, b;
    if (!tri_dots_linear(arena, from, &a) || !tri_dots_linear(arena, to, &b))
        return false;
    for (size_t i = 0; i < sizeof ins / sizeof *ins; i++) {
        int bits = tri_linear_in_bits(&a, ins[i]);
        if (tri_linear_in_bits(&b, ins[i]) != bits)
            return false;
        for (int bit = 0; bit < bits; bit++) {
            uint32_t at[RANK];
            for (int d = 0; d < RANK; d++)
                at[d] = (uint32_t)tri_linear_basis_at(&b, ins[i], bit, TRI_DIM_0 + (tri_dim)d);
            uint32_t row = at[TILE_ROWS] +
                           (uint32_t)m->tile_rows * (at[TILES_M] + (uint32_t)m->tiles_m * at[WARPS_M]);
            if ((uint32_t)tri_linear_basis_at(&a, ins[i], bit, TRI_DIM_0) != row)
                return false;
        }
    }
    return true;
}

static bool match_reduce(tri_arena *arena, MlirOperation reduce, match *m)
{
    MlirValue operand = tri_op_operand(reduce, 0);
    MlirType type = mlirValueGetType(operand);
    const tri_encoding *e = tri_dots_encoding(arena, operand);
    if (mlirOperationGetNumOperands(reduce) != 1 || !e || e->kind != TRI_ENC_INTEL_DPAS || tri_type_rank(type) != 2 ||
        tri_op_int(reduce, "axis", 0) != 1)
        return false;
    *m = (match){
        .reduce = reduce,
        .element = tri_type_element(type),
        .lanes = e->dpas.execution_size,
        .tile_rows = e->dpas.repeat_count,
        .tiles_m = e->dpas.rep_cluster[0],
        .tiles_n = e->dpas.rep_cluster[1],
        .warps_m = e->warps_per_cta[0],
        .warps_n = e->warps_per_cta[1],
    };
    int32_t rows = m->tile_rows * m->tiles_m, columns = m->lanes * m->tiles_n * m->warps_n;
    m->squares = rows / m->lanes;
    m->repeats = (int32_t)(tri_type_dim(type, 1) / columns);
    if (m->lanes != e->dpas.threads_per_warp || rows % m->lanes || m->repeats < 1 || m->tiles_m > m->lanes ||
        rows * m->warps_m != tri_type_dim(type, 0))
        return false;
    view v = in_registers(m);
    return keeps_rows(arena, m, type, type_of_view(m, &v));
}

/* A view of registers as they are. */
static MlirValue viewed(tri_builder *b, MlirValue x, MlirType type)
{
    tri_attr marks[] = {{"allow_reorder", tri_attr_unit(b->context)}, {"efficient_layout", tri_attr_unit(b->context)}};
    return tri_builder_value(b, &(tri_op){.name = "tt.reshape", .num_operands = 1, .operands = &x, .num_results = 1,
                                          .results = &type, .num_attrs = 2, .attrs = marks});
}

/* The same reduction of another tensor, along another axis. */
static MlirValue reduced(tri_arena *arena, tri_builder *b, const match *m, MlirValue x, int axis)
{
    MlirValue from = tri_op_operand(m->reduce, 0);
    MlirType type = mlirValueGetType(x);
    int rank = tri_type_rank(type), n = 0;
    int64_t shape[TRI_MAX_RANK];
    for (int d = 0; d < rank; d++)
        if (d != axis)
            shape[n++] = tri_type_dim(type, d);
    MlirOperation made = tri_op_clone(b, m->reduce, 1, &from, &x);
    tri_builder_set_attr(made, "axis", tri_attr_i32(b->context, axis));
    MlirAttribute slice = tri_infer_slice(arena, tri_type_encoding(type), axis);
    tri_op_set_type(tri_op_result(made, 0), tri_type_tensor(n, shape, m->element, slice));
    return tri_op_result(made, 0);
}

static void turn_squares(tri_arena *arena, const match *m)
{
    tri_builder b = tri_builder_before(m->reduce);
    MlirType result = mlirValueGetType(tri_op_result(m->reduce, 0));
    view registers = in_registers(m), turn = turned(m), rows = in_rows(m), parent = flat(m);
    MlirValue x = viewed(&b, tri_op_operand(m->reduce, 0), type_of_view(m, &registers));
    x = reduced(arena, &b, m, x, TILES_N);
    x = reduced(arena, &b, m, x, REPEATS - 1);
    x = tri_builder_unary(&b, "ttg.convert_layout", type_of_view(m, &turn), x);
    x = reduced(arena, &b, m, viewed(&b, x, type_of_view(m, &rows)), 0);
    x = reduced(arena, &b, m, x, 1);
    MlirAttribute slice = tri_infer_slice(arena, layout_of(b.context, &parent), 0);
    x = viewed(&b, x, tri_type_with_encoding(result, slice));
    x = tri_builder_unary(&b, "ttg.convert_layout", result, x);
    tri_op_replace(m->reduce, 1, &x);
}

static bool run_optimize_reduction_locality(tri_pass_run *run)
{
    tri_op_list reduces = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.reduce", run->arena, &reduces);
    for (size_t i = 0; i < reduces.len; i++) {
        match m;
        if (match_reduce(run->arena, reduces.at[i], &m))
            turn_squares(run->arena, &m);
    }
    return true;
}

const tri_pass tri_pass_optimize_reduction_locality = {
    .name = "optimize-reduction-locality",
    .help = "turn the squares of a matrix unit's result once, instead of reducing each row across lanes",
    .alias = "tritonintelgpu-optimize-reduction-locality",
    .run = run_optimize_reduction_locality,
};
