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
#include "passes/analysis/chains.h"
#include "passes/analysis/dots.h"
#include "passes/ttgir/accelerate_matmul/missed.h"

typedef struct {
    tri_pass_run *run;
    const tri_machine_facts *facts;
    int warps, lanes;
    tri_chains chains;
} products;

/* A product and what it becomes. */
typedef struct {
    MlirOperation dot;
    MlirType result; /* of the tt.dot as it was */
    int rank;
    int64_t shape[TRI_MAX_RANK]; /* of the result, of one block */
    const tri_dpas *row;
    bool via_f16;
} product;

static bool is_fp8(MlirType t) { return tri_type_is_float(t) && tri_type_bits(t) == 8; }

static bool can_sum(const tri_dpas *row, MlirType element)
{
    return row->sum == TRI_DPAS_I32 ? tri_type_is_int_of(element, 32)
                                    : mlirTypeIsAF32(element) || mlirTypeIsAF16(element);
}

static bool miss(const products *p, MlirOperation dot, int64_t least_depth)
{
    MlirType f32 = mlirF32TypeGet(mlirTypeGetContext(mlirValueGetType(tri_op_result(dot, 0))));
    tri_missed_product(p->run, dot, least_depth, tri_dpas_find(p->facts, f32, true) ? "'tf32' has one" : NULL);
    return false;
}

/* The instruction for a product with a blocked result; without one says why. */
static bool match_product(const products *p, MlirOperation dot, product *out)
{
    const tri_encoding *blocked = tri_dots_encoding(p->run->arena, tri_op_result(dot, 0));
    *out = (product){.dot = dot, .result = mlirValueGetType(tri_op_result(dot, 0))};
    if (!blocked || blocked->kind != TRI_ENC_BLOCKED)
        return false;
    int64_t shape[TRI_MAX_RANK];
    out->rank = tri_dots_shape(out->result, shape);
    tri_convert_shape_per_cta(blocked, out->rank, shape, out->shape);
    MlirType type = mlirValueGetType(tri_op_operand(dot, 0)), a = tri_type_element(type);
    MlirType b = tri_type_element(mlirValueGetType(tri_op_operand(dot, 1)));
    bool is_tf32 = tri_op_int(dot, "inputPrecision", TRI_PRECISION_IEEE) == TRI_PRECISION_TF32;
    out->via_f16 = is_fp8(a) && is_fp8(b);
    if (!out->via_f16 && !mlirTypeEqual(a, b))
        return miss(p, dot, 0);
    out->row = tri_dpas_find(p->facts, out->via_f16 ? mlirF16TypeGet(mlirTypeGetContext(a)) : a, is_tf32);
    if (!out->row || !can_sum(out->row, tri_type_element(out->result)))
        return miss(p, dot, 0);
    if (tri_type_dim(type, out->rank - 1) % out->row->depth)
        return miss(p, dot, out->row->depth);
    return true;
}

/* Rows of a chain's products stay in their sub-groups, whose sums then are the next one's first operand as they lie;
 * else the side with more tiles left per sub-group grows. */
static void choose_warps(const products *p, const product *d, int32_t *out)
{
    int rows = d->rank - 2, columns = d->rank - 1;
    int64_t tiles_m = d->shape[rows] / TRI_DPAS_ROWS, tiles_n = d->shape[columns] / p->lanes;
    tiles_m = tiles_m ? tiles_m : 1;
    tiles_n = tiles_n ? tiles_n : 1;
    for (int i = 0; i < d->rank; i++)
        out[i] = 1;
    if (d->rank == 3) {
        out[0] = p->warps;
        return;
    }
    if (tri_chains_has_head(&p->chains, d->dot) || tri_chains_has_tail(&p->chains, d->dot)) {
        out[0] = (int32_t)(tiles_m < p->warps ? tiles_m : p->warps);
        out[1] = p->warps / out[0];
        return;
    }
    while (out[0] * out[1] < p->warps) {
        bool wants_rows = tiles_m / out[0] * TRI_DPAS_ROWS >= tiles_n / out[1] * p->lanes;
        out[(wants_rows || out[1] >= tiles_n) && out[0] < tiles_m ? 0 : 1] *= 2;
    }
}

static tri_encoding choose_layout(const products *p, const product *d)
{
    tri_encoding e = {.kind = TRI_ENC_INTEL_DPAS, .rank = d->rank};
    e.dpas.repeat_count = TRI_DPAS_ROWS;
    e.dpas.systolic_depth = TRI_DPAS_STEPS;
    e.dpas.execution_size = e.dpas.threads_per_warp = p->lanes;
    e.dpas.ops_per_channel = 32 / d->row->bits;
    for (int i = 0; i < d->rank; i++)
        e.dpas.rep_cluster[i] = 1;
    choose_warps(p, d, e.warps_per_cta);
    return e;
}

static MlirValue make_operand(tri_builder *b, const product *d, const tri_encoding *parent, int index)
{
    tri_encoding e = {.kind = TRI_ENC_DOT_OP, .rank = d->rank, .parent = parent};
    e.dot_op.op_idx = index;
    e.dot_op.k_width = tri_dpas_k_width(parent->dpas.ops_per_channel, index);
    MlirValue value = tri_dots_convert(b, tri_dots_strip_converts(tri_op_operand(d->dot, index)),
                                       tri_encoding_make(b->context, &e));
    return d->via_f16 ? tri_dots_cast(b, value, mlirF16TypeGet(b->context)) : value;
}

static void rewrite_product(const products *p, const product *d)
{
    tri_encoding layout = choose_layout(p, d);
    tri_builder b = tri_builder_before(d->dot);
    MlirAttribute encoding = tri_encoding_make(b.context, &layout);
    MlirType sum =
        d->row->sum == TRI_DPAS_F32 ? mlirF32TypeGet(b.context) : mlirIntegerTypeGet(b.context, 32);
    MlirType type = tri_type_with_element(tri_type_with_encoding(d->result, encoding), sum);
    MlirValue operands[] = {make_operand(&b, d, &layout, 0), make_operand(&b, d, &layout, 1),
                            tri_dots_cast(&b, tri_dots_convert(&b, tri_op_operand(d->dot, 2), encoding), sum)};
    MlirValue made = tri_dots_make(&b, "tt.dot", d->dot, operands, type);
    made = tri_dots_convert(&b, tri_dots_cast(&b, made, tri_type_element(d->result)), tri_type_encoding(d->result));
    tri_op_replace(d->dot, 1, &made);
}

void tri_intel_accelerate(tri_pass_run *run, const tri_machine_facts *facts, int warps, int lanes)
{
    products p = {.run = run, .facts = facts, .warps = warps, .lanes = lanes};
    tri_op_list dots = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.dot", run->arena, &dots);
    p.chains = tri_chains_find(run->arena, &dots);
    for (size_t i = 0; i < dots.len; i++) {
        product d;
        if (lanes != facts->mma_lanes)
            tri_diag_missed(run->unit->diag, tri_op_span(run->unit->diag, dots.at[i]), "dot",
                            "no matrix instruction: sub-groups have %d lanes, and those of this machine's are %d; "
                            "compile for its own size",
                            lanes, facts->mma_lanes);
        else if (match_product(&p, dots.at[i], &d))
            rewrite_product(&p, &d);
    }
}
