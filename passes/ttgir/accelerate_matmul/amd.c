/* MFMA and WMMA: a wave multiplies m x k by k x n out of registers.
 *
 * Results are laid out transposed, so that a lane holds neighbouring columns: they are stored together, and are already
 * what a second product of a chain (attention) takes as its first operand. Types without an instruction become f16 (fp8
 * of another chip); f16 results add up in f32. A tt.dot_scaled that the chip's own instructions do keeps its operands
 * as they are, and each lane holds the scales of its rows. Answers to tritonamdgpu-accelerate-matmul. */
#include "passes/ttgir/accelerate_matmul/amd.h"

#include "base/map.h"
#include "ir/amd_matrix.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "ir/analysis/chains.h"
#include "passes/analysis/dots.h"
#include "passes/ttgir/accelerate_matmul/missed.h"

typedef struct {
    tri_pass_run *run;
    const tri_machine_facts *facts;
    int warps;
    int64_t size, pack; /* rows of instructions that are wanted, 0: the pass chooses; instructions of one access */
    bool narrows_first; /* sums of f32 become f16 before they leave the product's layout */
    tri_chains chains;
} products;

/* A product and what it becomes. */
typedef struct {
    MlirOperation dot;
    MlirValue value[3];
    MlirType result; /* of the tt.dot as it was */
    int rank;
    int64_t shape[TRI_MAX_RANK]; /* of the result, of one block */
    const tri_amd_matrix *row;
    bool via_f16;
} product;

/* ---- matchers ---- */

static bool is_fp8(MlirType t) { return tri_type_is_float(t) && tri_type_bits(t) == 8; }

/* A sum that the instruction makes, or that its own becomes exactly. */
static bool can_sum(tri_amd_type sum, MlirType element)
{
    switch (sum) {
    case TRI_AMD_F64:
        return mlirTypeIsAF64(element);
    case TRI_AMD_I32:
        return tri_type_is_int_of(element, 32);
    default:
        return mlirTypeIsAF32(element) || mlirTypeIsAF16(element);
    }
}

/* 32 x 32 wants half the operands of 16 x 16 for the same work; but all waves should have some. */
static const tri_amd_matrix *find_instruction(const products *p, const product *d, tri_amd_type a, tri_amd_type b,
                                              int64_t depth)
{
    int64_t m = d->shape[d->rank - 2], n = d->shape[d->rank - 1], batches = d->rank == 3 ? d->shape[0] : 1;
    bool is_large = m >= 32 && n >= 32 && (m / 32) * (n / 32) * batches >= p->warps;
    if (p->size)
        is_large = p->size == 32 && m >= 32 && n >= 32;
    const tri_amd_matrix *row = is_large ? tri_amd_matrix_find(p->facts, a, b, 32, depth) : NULL;
    return row ? row : tri_amd_matrix_find(p->facts, a, b, 16, depth);
}

enum { deepest = 1024 }; /* K of any instruction is less */

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
    for (intptr_t i = 0; i < 3; i++)
        out->value[i] = tri_op_operand(dot, i);
    MlirType a = mlirValueGetType(out->value[0]), b = tri_type_element(mlirValueGetType(out->value[1]));
    int64_t depth = tri_type_dim(a, out->rank - 1);
    bool is_tf32 = tri_op_int(dot, "inputPrecision", TRI_PRECISION_IEEE) == TRI_PRECISION_TF32;
    a = tri_type_element(a);
    tri_amd_type type_a = tri_amd_type_of(p->facts, a, is_tf32), type_b = tri_amd_type_of(p->facts, b, is_tf32);
    out->row = find_instruction(p, out, type_a, type_b, depth);
    if (!out->row && is_fp8(a) && is_fp8(b)) {
        out->row = find_instruction(p, out, TRI_AMD_F16, TRI_AMD_F16, depth);
        out->via_f16 = out->row != NULL;
    }
    if (out->row && can_sum(out->row->sum, tri_type_element(out->result)))
        return true;
    int64_t least = 0;
    for (int64_t k = 1; !out->row && !least && k <= deepest; k *= 2)
        least = find_instruction(p, out, type_a, type_b, k) ? k : 0;
    bool has_tf32 = tri_amd_type_of(p->facts, mlirF32TypeGet(mlirTypeGetContext(a)), true) == TRI_AMD_XF32;
    tri_missed_product(p->run, dot, least, has_tf32 ? "'tf32' has one" : NULL);
    return false;
}

/* ---- layouts ---- */

/* Rows of a chain's first product stay in their waves; else the side with more tiles left per wave grows. */
static void choose_warps(const products *p, const product *d, int32_t *out)
{
    int rows = d->rank - 2, columns = d->rank - 1;
    int64_t tiles_m = d->shape[rows] / d->row->m, tiles_n = d->shape[columns] / d->row->n;
    tiles_m = tiles_m ? tiles_m : 1;
    tiles_n = tiles_n ? tiles_n : 1;
    for (int i = 0; i < d->rank; i++)
        out[i] = 1;
    if (d->rank == 3) {
        out[0] = p->warps;
        return;
    }
    if (tri_chains_has_head(&p->chains, d->dot) || tri_chains_has_tail(&p->chains, d->dot)) {
        bool is_tail = tri_chains_has_tail(&p->chains, d->dot);
        out[0] = is_tail && tiles_m < p->warps ? (int32_t)tiles_m : p->warps;
        out[1] = p->warps / out[0];
        return;
    }
    while (out[0] * out[1] < p->warps) {
        bool wants_rows = tiles_m / 2 / out[0] >= tiles_n / out[1];
        out[(wants_rows || out[1] >= tiles_n) && out[0] < tiles_m ? 0 : 1] *= 2;
    }
}

/* Waves along columns first, in instruction tiles. */
static void set_wmma_warps(tri_encoding *e, const int32_t *warps)
{
    for (int d = e->rank - 1; d >= 0; d--)
        for (int32_t step = 1; step < warps[d]; step *= 2)
            e->amd.wmma_warp.at[e->amd.wmma_warp.count++][d] = step;
}

static tri_encoding choose_layout(const products *p, const product *d)
{
    const tri_encoding *blocked = tri_dots_encoding(p->run->arena, tri_op_result(d->dot, 0));
    int32_t warps[TRI_MAX_RANK];
    choose_warps(p, d, warps);
    tri_encoding e = {.kind = d->row->kind == TRI_MMA_MFMA ? TRI_ENC_AMD_MFMA : TRI_ENC_AMD_WMMA,
                      .rank = d->rank,
                      .version_major = p->facts->mma_version,
                      .instr_rank = 3,
                      .cga = blocked->cga};
    e.instr_shape[0] = d->row->m;
    e.instr_shape[1] = d->row->n;
    e.instr_shape[2] = d->row->k;
    e.amd.is_transposed = true;
    e.amd.element_bits = d->row->sum == TRI_AMD_F64 ? 64 : 32;
    for (int i = 0; i < TRI_MAX_RANK; i++)
        e.amd.tiles_per_warp[i] = 1;
    if (e.kind == TRI_ENC_AMD_MFMA)
        memcpy(e.warps_per_cta, warps, (size_t)d->rank * sizeof *warps);
    else
        set_wmma_warps(&e, warps);
    return e;
}

/* Elements along K that lie side by side in a lane: what one instruction takes, at most 16 bytes; in the second product
 * of a chain four, which is how the first one's sums lie. */
static int choose_k_width(const products *p, const product *d)
{
    int width = tri_amd_matrix_width(d->row, p->facts->mma_version), bits = tri_amd_type_bits(d->row->a);
    if (d->row->kind == TRI_MMA_MFMA && bits == 16 && tri_chains_has_tail(&p->chains, d->dot))
        return 4;
    if (d->row->kind == TRI_MMA_MFMA)
        width *= (int)p->pack;
    return d->row->kind == TRI_MMA_MFMA && width * bits > 128 ? 128 / bits : width;
}

/* ---- rewriters ---- */

static MlirValue make_operand(tri_builder *b, const product *d, const tri_encoding *parent, int index, int k_width)
{
    tri_encoding e = {.kind = TRI_ENC_DOT_OP, .rank = d->rank, .parent = parent};
    e.dot_op.op_idx = index;
    e.dot_op.k_width = k_width;
    MlirValue value = tri_dots_convert(b, tri_dots_strip_converts(d->value[index]), tri_encoding_make(b->context, &e));
    return d->via_f16 ? tri_dots_cast(b, value, mlirF16TypeGet(b->context)) : value;
}

static void rewrite_product(products *p, const product *d)
{
    tri_encoding layout = choose_layout(p, d);
    tri_builder b = tri_builder_before(d->dot);
    MlirAttribute encoding = tri_encoding_make(b.context, &layout);
    int k_width = choose_k_width(p, d);
    MlirType sum = tri_type_element(d->result);
    if (d->row->sum == TRI_AMD_F32)
        sum = mlirF32TypeGet(b.context);
    MlirType type = tri_type_with_element(tri_type_with_encoding(d->result, encoding), sum);
    MlirValue operands[3];
    operands[2] = tri_dots_cast(&b, tri_dots_convert(&b, d->value[2], encoding), sum); /* in upstream's order */
    for (int i = 0; i < 2; i++)
        operands[i] = make_operand(&b, d, &layout, i, k_width);
    MlirValue made = tri_dots_make(&b, "tt.dot", d->dot, operands, type);
    MlirAttribute back = tri_type_encoding(d->result);
    MlirType element = tri_type_element(d->result);
    made = p->narrows_first ? tri_dots_convert(&b, tri_dots_cast(&b, made, element), back)
                            : tri_dots_cast(&b, tri_dots_convert(&b, made, back), element);
    tri_op_replace(d->dot, 1, &made);
}

/* ---- products with scales ---- */

static bool match_scaled(const products *p, MlirOperation dot, product *out)
{
    const tri_encoding *blocked = tri_dots_encoding(p->run->arena, tri_op_result(dot, 0));
    tri_amd_type types[2];
    *out = (product){.dot = dot, .result = mlirValueGetType(tri_op_result(dot, 0))};
    if (!blocked || blocked->kind != TRI_ENC_BLOCKED || !tri_amd_scaled_fits(p->facts, dot) ||
        !tri_amd_scaled_types(p->facts, dot, types))
        return false;
    int64_t shape[TRI_MAX_RANK];
    out->rank = tri_dots_shape(out->result, shape);
    tri_convert_shape_per_cta(blocked, out->rank, shape, out->shape);
    out->row = find_instruction(p, out, types[0], types[1], tri_amd_scaled_depth(dot));
    if (!out->row || !tri_amd_matrix_has_scales(out->row))
        out->row = tri_amd_scaled_find(p->facts, dot, 32);
    return out->row != NULL;
}

static void add_scale_base(tri_bases *bases, int64_t row, int64_t column)
{
    bases->at[bases->count][0] = (int32_t)row;
    bases->at[bases->count++][1] = (int32_t)column;
}

/* Scales of one operand, rows (columns, of B) x groups of K: lanes hold those of the instruction's rows, the rest of
 * them its next groups; then come waves, and what is left in registers. `warp_dim` is the dimension that they go along.
 */
static MlirAttribute scale_layout(MlirContext context, const product *d, const tri_encoding *layout, MlirType scale,
                                  int warp_dim)
{
    tri_encoding e = {.kind = TRI_ENC_LINEAR, .rank = 2};
    int64_t rows = tri_type_dim(scale, 0), columns = tri_type_dim(scale, 1), m = d->row->m, at = m;
    for (int64_t row = 1; row < m; row *= 2)
        add_scale_base(&e.linear.lane, row, 0);
    for (int64_t column = 1; column < 64 / m; column *= 2)
        add_scale_base(&e.linear.lane, 0, column);
    for (int64_t column = 64 / m; column < columns; column *= 2)
        add_scale_base(&e.linear.reg, 0, column);
    for (int dim = 1; dim >= 0; dim--)
        for (int32_t warp = 1; warp < layout->warps_per_cta[dim]; warp *= 2) {
            add_scale_base(&e.linear.warp, dim == warp_dim && at < rows ? at : 0, 0);
            at *= dim == warp_dim ? 2 : 1;
        }
    for (; at < rows; at *= 2)
        add_scale_base(&e.linear.reg, at, 0);
    return tri_encoding_make(context, &e);
}

/* The scales of an operand; of one that has none, where the other one's has some, ones of all its groups. */
static MlirValue make_scale(tri_builder *b, const product *d, const tri_encoding *layout, int operand)
{
    enum { group = 32, one = 127 };
    MlirValue scale = tri_op_segment_value(d->dot, 3 + operand);
    bool has_scale = !mlirValueIsNull(scale);
    int64_t groups = tri_amd_scaled_depth(d->dot) / group, shape[] = {d->shape[operand], groups};
    MlirType type = has_scale ? mlirValueGetType(scale)
                              : tri_type_tensor(2, shape, mlirIntegerTypeGet(b->context, 8), (MlirAttribute){0});
    MlirAttribute lanes = scale_layout(b->context, d, layout, type, operand);
    return has_scale ? tri_dots_convert(b, tri_dots_strip_converts(scale), lanes)
                     : tri_builder_int(b, tri_type_with_encoding(type, lanes), one);
}

static MlirValue make_scaled_operand(tri_builder *b, const product *d, const tri_encoding *layout, int index)
{
    tri_encoding e = {.kind = TRI_ENC_DOT_OP, .rank = 2, .parent = layout};
    e.dot_op.op_idx = index;
    e.dot_op.k_width = 16; /* bytes that lie side by side, of any type */
    return tri_dots_convert(b, tri_dots_strip_converts(tri_op_operand(d->dot, index)),
                            tri_encoding_make(b->context, &e));
}

static void rewrite_scaled(products *p, const product *d)
{
    tri_encoding layout = choose_layout(p, d);
    tri_builder b = tri_builder_before(d->dot);
    MlirAttribute encoding = tri_encoding_make(b.context, &layout);
    MlirValue result = tri_op_result(d->dot, 0), operands[5];
    bool has_scale[2], has_any;
    for (int i = 0; i < 2; i++)
        has_scale[i] = !mlirValueIsNull(tri_op_segment_value(d->dot, 3 + i));
    has_any = has_scale[0] || has_scale[1];
    for (int i = 0; i < 2; i++)
        if (has_any && !has_scale[i]) /* constants in front, as upstream has them */
            operands[3 + i] = make_scale(&b, d, &layout, i);
    operands[2] = tri_dots_convert(&b, tri_op_operand(d->dot, 2), encoding);
    for (int i = 0; i < 2; i++)
        operands[i] = make_scaled_operand(&b, d, &layout, i);
    for (int i = 0; i < 2; i++)
        if (has_scale[i])
            operands[3 + i] = make_scale(&b, d, &layout, i);
    int32_t sizes[] = {1, 1, 1, has_any, has_any};
    mlirOperationSetOperands(d->dot, has_any ? 5 : 3, operands);
    tri_builder_set_attr(d->dot, "operandSegmentSizes", tri_attr_i32s(b.context, 5, sizes));
    tri_op_set_type(result, tri_type_with_encoding(d->result, encoding));
    tri_builder after = tri_builder_after(d->dot);
    MlirValue back = tri_builder_unary(&after, "ttg.convert_layout", d->result, result);
    mlirValueReplaceAllUsesOfWith(result, back);
    mlirOperationSetOperand(tri_op_def(back), 0, result);
}

static void accelerate_scaled(products *p)
{
    tri_op_list dots = {0};
    tri_op_collect_named(mlirModuleGetOperation(p->run->module), "tt.dot_scaled", p->run->arena, &dots);
    for (size_t i = 0; i < dots.len; i++) {
        product d;
        if (match_scaled(p, dots.at[i], &d))
            rewrite_scaled(p, &d);
    }
}

void tri_amd_accelerate(tri_pass_run *run, const tri_machine_facts *facts, int warps)
{
    products p = {.run = run,
                  .facts = facts,
                  .warps = warps,
                  .size = tri_passes_option_int(run, "matrix-instruction-size", 0),
                  .pack = tri_passes_option_int(run, "kPack", 1),
                  .narrows_first = tri_passes_option_int(run, "narrow-first", 0)};
    tri_op_list dots = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.dot", run->arena, &dots);
    p.chains = tri_chains_find(run->arena, &dots);
    TRI_VEC(product) found = {0};
    for (size_t i = 0; i < dots.len; i++) {
        product d;
        if (match_product(&p, dots.at[i], &d))
            tri_vec_push(run->arena, &found, d);
    }
    for (size_t i = 0; i < found.len; i++) {
        for (intptr_t k = 0; k < 3; k++) /* one that was replaced may be another's operand */
            found.at[i].value[k] = tri_op_operand(found.at[i].dot, k);
        rewrite_product(&p, &found.at[i]);
    }
    accelerate_scaled(&p);
}
