/* DPAS: a sub-group multiplies 8 x k by k x lanes out of registers.
 *
 * fp8 operands become f16, and f16 results add up in f32. Products need sub-groups of the size that the device's matrix
 * unit wants (tri_machine_facts.mma_lanes), which convert-triton-to-tritongpu gives a module with products. Answers to
 * tritonintelgpu-accelerate-matmul. */
#include "passes/ttgir/accelerate_matmul/intel.h"

#include "ir/dpas.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "ir/analysis/chains.h"
#include "passes/analysis/dots.h"
#include "passes/ttgir/accelerate_matmul/missed.h"

typedef struct {
    tri_pass_run *run;
    const tri_machine_facts *facts;
    int warps, lanes;
    bool is_upstream; /* text of Intel's Triton, which says what its machine can do */
    tri_chains chains;
} products;

/* A product and what it becomes. */
typedef struct {
    MlirOperation dot;
    MlirType result; /* of the tt.dot as it was */
    int rank;
    int64_t shape[TRI_MAX_RANK]; /* of the result, of one block */
    int bits, ops;               /* of an element as the instruction takes it; of them in 32 bits */
    MlirType sum;                /* that the instruction adds up */
    bool via_f16;
} product;

static bool is_fp8(MlirType t) { return tri_type_is_float(t) && tri_type_bits(t) == 8; }

static bool miss(const products *p, MlirOperation dot, int64_t least_depth)
{
    MlirType f32 = mlirF32TypeGet(mlirTypeGetContext(mlirValueGetType(tri_op_result(dot, 0))));
    tri_missed_product(p->run, dot, least_depth, tri_dpas_find(p->facts, f32, true) ? "'tf32' has one" : NULL);
    return false;
}

/* Sums of halves are sums of f32 that the lowering rounds, where the element is the same; others are cast. False: no
 * instruction adds up such. */
static bool choose_sum(product *d, MlirType element)
{
    MlirContext context = mlirTypeGetContext(element);
    MlirType result = tri_type_element(d->result);
    if (tri_type_is_int(element)) {
        d->sum = result;
        return tri_type_is_int_of(result, 32);
    }
    bool is_own = mlirTypeIsAF32(result) || (mlirTypeEqual(result, element) && d->bits == 16) ||
                  (d->bits == 8 && mlirTypeIsABF16(result));
    d->sum = is_own ? result : mlirF32TypeGet(context);
    return is_own || mlirTypeIsAF16(result) || mlirTypeIsABF16(result);
}

static bool choose_instruction(const products *p, product *d)
{
    MlirType a = tri_type_element(mlirValueGetType(tri_op_operand(d->dot, 0)));
    MlirType b = tri_type_element(mlirValueGetType(tri_op_operand(d->dot, 1)));
    MlirContext context = mlirTypeGetContext(a);
    bool is_tf32 = tri_op_int(d->dot, "inputPrecision", TRI_PRECISION_IEEE) == TRI_PRECISION_TF32;
    d->via_f16 = is_fp8(a) && is_fp8(b) && !p->facts->has_fp8_mma;
    if (!(is_fp8(a) && is_fp8(b)) && !mlirTypeEqual(a, b))
        return miss(p, d->dot, 0);
    MlirType element = d->via_f16 ? mlirF16TypeGet(context) : a;
    const tri_dpas *row = tri_dpas_find(p->facts, element, is_tf32);
    if (!row && !is_fp8(element))
        return miss(p, d->dot, 0);
    d->bits = (int)tri_type_bits(element);
    d->ops = 32 / d->bits;
    return choose_sum(d, element) || miss(p, d->dot, 0);
}

/* The instruction for a product; without one says why. */
static bool match_product(const products *p, MlirOperation dot, product *out)
{
    const tri_encoding *e = tri_dots_encoding(p->run->arena, tri_op_result(dot, 0));
    *out = (product){.dot = dot, .result = mlirValueGetType(tri_op_result(dot, 0))};
    if (!e || e->kind == TRI_ENC_INTEL_DPAS)
        return false;
    int64_t shape[TRI_MAX_RANK];
    out->rank = tri_dots_shape(out->result, shape);
    tri_convert_shape_per_cta(e, out->rank, shape, out->shape);
    if (!choose_instruction(p, out))
        return false;
    int64_t depth = (int64_t)TRI_DPAS_STEPS * out->ops;
    if (!p->is_upstream && tri_type_dim(mlirValueGetType(tri_op_operand(dot, 0)), out->rank - 1) % depth)
        return miss(p, dot, depth);
    return true;
}

/* ---- layout ---- */

static int64_t power_below(int64_t n)
{
    int64_t power = 1;
    while (power * 2 <= n)
        power *= 2;
    return power;
}

static int64_t fewer(int64_t a, int64_t b) { return a < b ? a : b; }

/* Rows of a chain's products stay in their sub-groups, whose sums then are the next one's first operand as they lie (or
 * columns, of its second); `first` has as many warps as there are tiles. */
static void choose_chained_warps(const products *p, const product *d, int first, int32_t *out)
{
    int second = first == d->rank - 1 ? d->rank - 2 : d->rank - 1;
    int64_t tile[] = {TRI_DPAS_ROWS, p->facts->mma_lanes};
    int64_t along = power_below((d->shape[first] + tile[first == d->rank - 1] - 1) / tile[first == d->rank - 1]);
    int64_t across = power_below((d->shape[second] + tile[second == d->rank - 1] - 1) / tile[second == d->rank - 1]);
    out[first] = (int32_t)fewer(along, p->warps);
    out[second] = (int32_t)fewer(across, p->warps / out[first]);
    int64_t rest = p->warps / (out[first] * (int64_t)out[second]);
    if (d->rank == 3) {
        out[0] = (int32_t)fewer(power_below(d->shape[0]), rest);
        rest /= out[0];
    }
    out[second] = (int32_t)(out[second] * rest);
}

/* The side with more tiles left for each sub-group grows. */
static void choose_warps(const products *p, const product *d, int32_t *out)
{
    int rows = d->rank - 2, columns = d->rank - 1, warps = p->warps;
    bool along[] = {tri_chains_is_along(&p->chains, d->dot, 0), tri_chains_is_along(&p->chains, d->dot, 1)};
    for (int i = 0; i < d->rank; i++)
        out[i] = 1;
    if (along[0] != along[1]) {
        choose_chained_warps(p, d, along[0] ? rows : columns, out);
        return;
    }
    if (d->rank == 3) {
        out[0] = (int32_t)fewer(power_below(d->shape[0]), warps);
        warps /= out[0];
    }
    int64_t tiles_m = d->shape[rows] / TRI_DPAS_ROWS, tiles_n = d->shape[columns] / p->facts->mma_lanes;
    int64_t wide = p->facts->mma_lanes / TRI_DPAS_ROWS; /* columns of a tile for a row of it */
    while (out[rows] * out[columns] < warps) {
        bool wants_rows = tiles_m / wide / out[rows] >= tiles_n / out[columns] && out[rows] < tiles_m;
        out[wants_rows ? rows : columns] *= 2;
    }
}

/* Instructions side by side that one message of two dimensions feeds: 32 rows of A, 64 bytes of a row of B. */
static void choose_cluster(const product *d, tri_encoding *e)
{
    enum { MESSAGE_ROWS = 32, MESSAGE_BYTES = 64 };
    int rows = d->rank - 2, columns = d->rank - 1;
    for (int i = 0; i < d->rank; i++)
        e->dpas.rep_cluster[i] = 1;
    if (e->dpas.execution_size != 16)
        return;
    int64_t tiles_m = d->shape[rows] / ((int64_t)e->dpas.repeat_count * e->warps_per_cta[rows]);
    int64_t tiles_n = d->shape[columns] / ((int64_t)e->dpas.execution_size * e->warps_per_cta[columns]);
    int64_t most_m = MESSAGE_ROWS / e->dpas.repeat_count;
    int64_t most_n = MESSAGE_BYTES / (d->bits / 8 * e->dpas.execution_size);
    e->dpas.rep_cluster[rows] = (int32_t)fewer(most_m, tiles_m ? tiles_m : 1);
    e->dpas.rep_cluster[columns] = (int32_t)fewer(most_n ? most_n : 1, tiles_n ? tiles_n : 1);
}

static tri_encoding choose_layout(const products *p, const product *d)
{
    tri_encoding e = {.kind = TRI_ENC_INTEL_DPAS, .rank = d->rank};
    int columns = TRI_DPAS_STEPS * (d->ops == 1 ? 1 : 2); /* words of a row of A */
    int32_t fewest = (p->lanes + columns - 1) / columns;  /* rows that fill all lanes */
    e.dpas.repeat_count = (int32_t)fewer(TRI_DPAS_ROWS, d->shape[d->rank - 2]);
    e.dpas.repeat_count = e.dpas.repeat_count < fewest ? fewest : e.dpas.repeat_count;
    e.dpas.systolic_depth = TRI_DPAS_STEPS;
    e.dpas.execution_size = p->facts->mma_lanes;
    e.dpas.threads_per_warp = p->lanes;
    e.dpas.ops_per_channel = d->ops;
    choose_warps(p, d, e.warps_per_cta);
    choose_cluster(d, &e);
    return e;
}

static MlirValue make_operand(tri_builder *b, const product *d, const tri_encoding *parent, int index)
{
    tri_encoding e = {.kind = TRI_ENC_DOT_OP, .rank = d->rank, .parent = parent};
    e.dot_op.op_idx = index;
    e.dot_op.k_width = tri_dpas_k_width(parent->dpas.ops_per_channel, index);
    return tri_dots_convert(b, tri_dots_strip_converts(tri_op_operand(d->dot, index)),
                            tri_encoding_make(b->context, &e));
}

static void rewrite_product(const products *p, const product *d)
{
    tri_encoding layout = choose_layout(p, d);
    tri_builder b = tri_builder_before(d->dot);
    MlirAttribute encoding = tri_encoding_make(b.context, &layout);
    MlirType type = tri_type_with_element(tri_type_with_encoding(d->result, encoding), d->sum);
    MlirValue operands[3] = {make_operand(&b, d, &layout, 0), make_operand(&b, d, &layout, 1)};
    for (int i = 0; d->via_f16 && i < 2; i++)
        operands[i] = tri_dots_cast(&b, operands[i], mlirF16TypeGet(b.context));
    operands[2] = tri_dots_cast(&b, tri_dots_convert(&b, tri_op_operand(d->dot, 2), encoding), d->sum);
    MlirValue made = tri_dots_make(&b, "tt.dot", d->dot, operands, type);
    made = tri_dots_convert(&b, tri_dots_cast(&b, made, tri_type_element(d->result)), tri_type_encoding(d->result));
    tri_op_replace(d->dot, 1, &made);
}

/* Other sizes of sub-groups than the unit's own are for text that another compiler lowers. */
static bool has_lanes(const products *p)
{
    return p->lanes == p->facts->mma_lanes || (p->is_upstream && p->facts->mma_lanes == 16 && p->lanes == 32);
}

void tri_intel_accelerate(tri_pass_run *run, const tri_machine_facts *facts, int warps, int lanes)
{
    products p = {.run = run, .facts = facts, .warps = warps, .lanes = lanes};
    p.is_upstream = tri_op_int(mlirModuleGetOperation(run->module), "ttig.min_sg_size", 0) != 0;
    tri_op_list dots = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.dot", run->arena, &dots);
    p.chains = tri_chains_find(run->arena, &dots);
    for (size_t i = 0; i < dots.len; i++) {
        product d;
        if (!has_lanes(&p))
            tri_diag_missed(run->unit->diag, tri_op_span(run->unit->diag, dots.at[i]), "dot",
                            "no matrix instruction: sub-groups have %d lanes, and those of this machine's are %d; "
                            "compile for its own size",
                            lanes, facts->mma_lanes);
        else if (match_product(&p, dots.at[i], &d))
            rewrite_product(&p, &d);
    }
}
