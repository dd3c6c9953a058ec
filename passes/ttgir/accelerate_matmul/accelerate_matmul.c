/* Gives matrix products the layout of the tensor cores.
 *
 *     %d = tt.dot %a, %b, %c : tensor<64x32xf16, #dot_op<#blocked>> * ... -> tensor<64x64xf32, #blocked>
 *   becomes
 *     %cm = ttg.convert_layout %c : ... -> tensor<64x64xf32, #mma>
 *     %am = ttg.convert_layout %a : ... -> tensor<64x32xf16, #dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
 *     %dm = tt.dot %am, %bm, %cm : ... -> tensor<64x64xf32, #mma>
 *     %d  = ttg.convert_layout %dm : ... -> tensor<64x64xf32, #blocked>
 *
 * Needs: layouts, ttg.target. Later products are rewritten first, so that of two
 * chained ones the earlier takes over the later's warps. Where there are warp-group products (version 3, capability
 * 90) and the product fits them, it becomes ttng.warp_group_dot (wgmma.c, turned.c). Products that the tensor cores
 * cannot do exactly as asked (f32 with ieee precision, odd types) stay multiply-adds; those get operands of the
 * accumulator's type. AMD's are in amd.c, Intel's in intel.c. Answers to tritongpu-accelerate-matmul (mma versions 2
 * and 3). Test: tests/passes/accelerate-matmul.mlir */
#include "passes/passes.h"

#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/op_classes.h"
#include "ir/options.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/uses.h"
#include "passes/ttgir/remove_layout_conversions/layouts.h"
#include "passes/ttgir/accelerate_matmul/missed.h"
#include "passes/ttgir/accelerate_matmul/amd.h"
#include "passes/ttgir/accelerate_matmul/intel.h"
#include "passes/ttgir/accelerate_matmul/wgmma.h"

typedef struct {
    tri_pass_run *run;
    tri_uses uses;
    const tri_machine_facts *facts;
    int warps;
} matmuls;

/* ---- matchers ---- */

static bool is_fp8(MlirType t) { return tri_type_is_float(t) && tri_type_bits(t) == 8; }

static bool has_tensor_cores(const matmuls *m) { return m->facts->mma == TRI_MMA_SYNC && m->facts->mma_version >= 2; }

/* Types that an mma of version 2 multiplies and adds up as asked. */
static bool is_supported(const matmuls *m, MlirOperation dot)
{
    MlirType a = tri_type_element(mlirValueGetType(tri_op_operand(dot, 0)));
    MlirType b = tri_type_element(mlirValueGetType(tri_op_operand(dot, 1)));
    MlirType d = tri_type_element(mlirValueGetType(tri_op_result(dot, 0)));
    if (is_fp8(a) && is_fp8(b))
        return mlirTypeIsAF32(d) || mlirTypeIsAF16(d);
    if (!mlirTypeEqual(a, b))
        return false;
    if (mlirTypeIsAF16(a))
        return mlirTypeIsAF32(d) || mlirTypeIsAF16(d);
    if (mlirTypeIsABF16(a))
        return mlirTypeIsAF32(d);
    if (mlirTypeIsAF32(a))
        return mlirTypeIsAF32(d) && tri_op_int(dot, "inputPrecision", TRI_PRECISION_IEEE) == TRI_PRECISION_TF32;
    if (mlirTypeIsAF64(a))
        return mlirTypeIsAF64(d) && m->facts->has_f64_mma;
    return tri_type_is_int_of(a, 8) && tri_type_is_int_of(d, 32);
}

/* Whether the instruction multiplies fp8 as it is; others get it as f16. */
static bool has_fp8(const matmuls *m) { return m->facts->has_fp8_mma; }

/* The least K that fills an instruction: 32 bytes of it, or four numbers of f64. */
static int64_t least_depth(const matmuls *m, MlirOperation dot)
{
    MlirType element = tri_type_element(mlirValueGetType(tri_op_operand(dot, 0)));
    unsigned bits = is_fp8(element) && !has_fp8(m) ? 16 : tri_type_bits(element);
    return bits == 64 ? 4 : 256 / bits;
}

static bool is_deep_enough(const matmuls *m, MlirOperation dot)
{
    MlirType a = mlirValueGetType(tri_op_operand(dot, 0));
    return tri_type_dim(a, tri_type_rank(a) - 1) >= least_depth(m, dot);
}

static bool is_candidate(matmuls *m, MlirOperation dot)
{
    const tri_encoding *e = tri_dots_encoding(m->run->arena, tri_op_result(dot, 0));
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_dots_shape(mlirValueGetType(tri_op_result(dot, 0)), shape);
    return e && e->kind == TRI_ENC_BLOCKED && (rank == 2 || rank == 3) && is_supported(m, dot) &&
           is_deep_enough(m, dot);
}

/* Why a product with blocked layouts is no candidate, and what to change, as a remark. */
static void remark_missed(const matmuls *m, MlirOperation dot)
{
    const tri_encoding *e = tri_dots_encoding(m->run->arena, tri_op_result(dot, 0));
    if (e && e->kind == TRI_ENC_BLOCKED)
        tri_missed_product(m->run, dot, is_supported(m, dot) ? least_depth(m, dot) : 0,
                                 "'tf32' and 'tf32x3' have one");
}

/* ---- warps ---- */

/* Everything in `dot`'s block that data connects to it, not through transposes. */
static void collect_connected(matmuls *m, MlirOperation dot, tri_op_list *out)
{
    tri_map seen;
    tri_arena *arena = m->run->arena;
    MlirBlock block = mlirOperationGetBlock(dot);
    tri_map_init(&seen, arena);
    tri_map_set_ptr(&seen, dot.ptr, dot.ptr);
    tri_vec_push(arena, out, dot);
    for (size_t i = 0; i < out->len; i++) {
        MlirOperation op = out->at[i];
        tri_op_list near = {0};
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++) {
            MlirOperation def = tri_op_def(tri_op_operand(op, k));
            if (!mlirOperationIsNull(def))
                tri_vec_push(arena, &near, def);
        }
        for (intptr_t k = 0; k < mlirOperationGetNumResults(op); k++) {
            MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, k));
            for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
                tri_vec_push(arena, &near, mlirOpOperandGetOwner(use));
        }
        for (size_t k = 0; k < near.len; k++) {
            MlirOperation next = near.at[k];
            if (!mlirBlockEqual(mlirOperationGetBlock(next), block) || tri_op_is(next, "tt.trans") ||
                tri_map_find_ptr(&seen, next.ptr))
                continue;
            tri_map_set_ptr(&seen, next.ptr, next.ptr);
            tri_vec_push(arena, out, next);
        }
    }
}

/* Spreads the warps so that both operands' tiles stay about as long. */
static void balance(int warps, int64_t rows, int64_t columns, int32_t *out_warps)
{
    int64_t reps_m = (rows + 15) / 16, reps_n = (columns + 7) / 8;
    while (out_warps[0] * out_warps[1] < warps) {
        if (reps_m >= reps_n) {
            out_warps[0] *= 2;
            reps_m = reps_m != 1 ? reps_m / 2 : 1;
        } else {
            out_warps[1] *= 2;
            reps_n /= 2;
        }
    }
}

static void choose_warps(matmuls *m, MlirOperation dot, int rank, const int64_t *shape, int32_t *out_warps)
{
    for (int d = 0; d < rank; d++)
        out_warps[d] = 1;
    if (rank == 3) {
        out_warps[0] = m->warps;
        return;
    }
    tri_op_list near = {0};
    collect_connected(m, dot, &near);
    bool is_chained = false;
    intptr_t last = -1;
    for (size_t i = 1; i < near.len; i++) {
        if (!tri_op_is(near.at[i], "tt.dot"))
            continue;
        const tri_encoding *e = tri_dots_encoding(m->run->arena, tri_op_result(near.at[i], 0));
        if (!e || e->rank != rank)
            continue;
        is_chained = true;
        /* the last one in the program decides, whatever order the search found them in */
        if (e->kind == TRI_ENC_NVIDIA_MMA && tri_uses_index(&m->uses, near.at[i]) > last) {
            last = tri_uses_index(&m->uses, near.at[i]);
            memcpy(out_warps, e->warps_per_cta, (size_t)rank * sizeof *out_warps);
        }
    }
    if (last >= 0)
        return;
    if (is_chained)
        out_warps[shape[0] >= shape[1] ? 0 : 1] = m->warps;
    else
        balance(m->warps, shape[0], shape[1], out_warps);
}

/* ---- operands ---- */

static bool is_view_like(MlirOperation op)
{
    return mlirOperationGetNumRegions(op) == 0 && tri_op_is_pure(op);
}

/* Whether a join puts its two operands side by side in each thread's fastest dimension. */
static bool interleaves(tri_arena *arena, MlirOperation op)
{
    if (!tri_op_is(op, "tt.join"))
        return false;
    const tri_encoding *e = tri_dots_encoding(arena, tri_op_result(op, 0));
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    int rank = tri_dots_shape(mlirValueGetType(tri_op_result(op, 0)), shape);
    if (!e || rank < 2)
        return false;
    tri_convert_order_for_memory(e, rank, shape, order);
    return order[0] == rank - 1 && order[1] == rank - 2;
}

/* Width of the narrowest data that a dot operand is made of: neighbouring K elements of that data come
 * together in one load, and so must stay in one thread. Two numbers that come out of one loaded one and are joined
 * are half as wide each. */
static unsigned original_bits(matmuls *m, MlirValue operand)
{
    tri_arena *arena = m->run->arena;
    unsigned full = tri_type_bits(tri_type_element(mlirValueGetType(operand))), bits = full;
    bool is_packed = false;
    tri_op_list todo = {0};
    tri_map seen;
    tri_map_init(&seen, arena);
    MlirOperation def = tri_op_def(operand);
    if (!mlirOperationIsNull(def))
        tri_vec_push(arena, &todo, def);
    for (size_t i = 0; i < todo.len; i++) {
        MlirOperation op = todo.at[i];
        if (tri_map_find_ptr(&seen, op.ptr))
            continue;
        tri_map_set_ptr(&seen, op.ptr, op.ptr);
        if (tri_op_is(op, "ttg.fp4_to_fp"))
            return 4;
        if (tri_op_is(op, "tt.load") || tri_op_is(op, "tt.descriptor_load")) {
            unsigned loaded = tri_type_bits(tri_type_element(mlirValueGetType(tri_op_result(op, 0))));
            bits = loaded < bits ? loaded : bits;
            continue;
        }
        if (!is_view_like(op))
            continue;
        is_packed = is_packed || interleaves(arena, op);
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++) {
            MlirOperation next = tri_op_def(tri_op_operand(op, k));
            if (!mlirOperationIsNull(next) && tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, k))))
                tri_vec_push(arena, &todo, next);
        }
    }
    return is_packed && full == 2 * bits ? bits / 2 : bits;
}

/* ---- rewriters ---- */

static MlirValue to_dot_operand(tri_builder *b, MlirValue value, const tri_encoding *mma, int index, int k_width)
{
    tri_encoding e = {.kind = TRI_ENC_DOT_OP, .rank = mma->rank, .parent = mma};
    e.dot_op.op_idx = index;
    e.dot_op.k_width = k_width;
    return tri_dots_convert(b, tri_dots_strip_converts(value), tri_encoding_make(b->context, &e));
}

static void accelerate(matmuls *m, MlirOperation dot)
{
    MlirValue result = tri_op_result(dot, 0);
    MlirType old = mlirValueGetType(result);
    const tri_encoding *blocked = tri_dots_encoding(m->run->arena, result);
    int64_t shape[TRI_MAX_RANK], per_cta[TRI_MAX_RANK];
    int rank = tri_dots_shape(old, shape);
    tri_convert_shape_per_cta(blocked, rank, shape, per_cta);
    tri_encoding mma = {
        .kind = TRI_ENC_NVIDIA_MMA, .rank = rank, .version_major = 2, .instr_rank = rank, .cga = blocked->cga};
    for (int d = 0; d < rank; d++)
        mma.instr_shape[d] = 1;
    mma.instr_shape[rank - 2] = mlirTypeIsAF64(tri_type_element(old)) ? 8 : 16;
    mma.instr_shape[rank - 1] = 8;
    choose_warps(m, dot, rank, per_cta, mma.warps_per_cta);
    unsigned bits_a = original_bits(m, tri_op_operand(dot, 0)), bits_b = original_bits(m, tri_op_operand(dot, 1));
    unsigned bits = bits_a < bits_b ? bits_a : bits_b;
    int k_width = bits < 32 ? (int)(32 / bits) : 1;
    tri_builder b = tri_builder_before(dot);
    MlirAttribute encoding = tri_encoding_make(b.context, &mma);
    mlirOperationSetOperand(dot, 0, to_dot_operand(&b, tri_op_operand(dot, 0), &mma, 0, k_width));
    mlirOperationSetOperand(dot, 1, to_dot_operand(&b, tri_op_operand(dot, 1), &mma, 1, k_width));
    mlirOperationSetOperand(dot, 2, tri_dots_convert(&b, tri_op_operand(dot, 2), encoding));
    tri_op_set_type(result, tri_type_with_encoding(old, encoding));
    tri_builder after = tri_builder_after(dot);
    MlirValue back = tri_builder_unary(&after, "ttg.convert_layout", old, result);
    mlirValueReplaceAllUsesOfWith(result, back);
    mlirOperationSetOperand(tri_op_def(back), 0, result);
}

static void cast_operand(MlirOperation dot, intptr_t i, MlirType element)
{
    MlirValue value = tri_op_operand(dot, i);
    MlirType from = mlirValueGetType(value), to = tri_type_with_element(from, element);
    tri_builder b = tri_builder_before(dot);
    const char *name = is_fp8(tri_type_element(from)) ? "tt.fp_to_fp"
                       : tri_type_is_int(element)     ? "arith.extsi"
                                                      : "arith.extf";
    mlirOperationSetOperand(dot, i, tri_builder_unary(&b, name, to, value));
}

/* Operands of a type that the chosen instruction does not take become wider. */
static void widen_operands(matmuls *m, MlirOperation dot)
{
    MlirContext context = m->run->unit->mlir;
    MlirType a = tri_type_element(mlirValueGetType(tri_op_operand(dot, 0)));
    MlirType d = tri_type_element(mlirValueGetType(tri_op_result(dot, 0)));
    const tri_encoding *e = tri_dots_encoding(m->run->arena, tri_op_result(dot, 0));
    for (intptr_t i = 0; i < 2; i++) {
        MlirType element = tri_type_element(mlirValueGetType(tri_op_operand(dot, i)));
        if (e && e->kind == TRI_ENC_NVIDIA_MMA) {
            if (is_fp8(a) && !has_fp8(m))
                cast_operand(dot, i, mlirF16TypeGet(context));
        } else if (!mlirTypeEqual(element, d) && tri_type_bits(element) < tri_type_bits(d)) {
            cast_operand(dot, i, d);
        }
    }
}

/* mma.sync has both kinds of sums of 32-bit integers; those that wrap around are the same on every machine, those that
 * saturate are what a release of Triton, whose text is asked for, has. */
static void remark_sums(const matmuls *m, MlirOperation dot)
{
    tri_diag *diag = m->run->unit->diag;
    bool is_integer = mlirTypeIsAInteger(tri_type_element(mlirValueGetType(tri_op_result(dot, 0))));
    if (is_integer && !m->run->unit->options->release)
        tri_diag_remark(diag, tri_op_span(diag, dot), "dot",
                        "sums of 8-bit integers wrap around at 32 bits; Triton's saturate on this architecture");
}

static void rewrite_for_groups(const matmuls *m, tri_op_list *dots, size_t at, bool may_turn)
{
    tri_arena *arena = m->run->arena;
    MlirOperation dot = dots->at[at];
    tri_diag *diag = m->run->unit->diag;
    int from_registers = may_turn ? tri_turned_operand(arena, dot, m->warps) : -1;
    if (from_registers < 0) {
        tri_wgmma_rewrite(arena, dot, m->warps);
        dots->at[at] = (MlirOperation){NULL};
        return;
    }
    tri_diag_remark(diag, tri_op_span(diag, dot), "dot", "%s, for %s",
                    from_registers ? "B comes from registers, as the first operand of the transposed product"
                                   : "A comes from registers",
                    from_registers ? "it runs along N in memory" : "it runs along M in memory");
    tri_turned_rewrite(arena, dots, at, from_registers, m->warps);
}

/* The module's, or that of the option. */
static const tri_machine_facts *machine_of(tri_pass_run *run, MlirOperation module)
{
    tri_str chip = tri_passes_option_str(run, "gfx-arch", "");
    const tri_machine_facts *facts = chip.len ? tri_machines_for_gfx(chip) : NULL;
    return facts ? facts : tri_machines_of(module);
}

static bool run_accelerate_matmul(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    matmuls m = {.run = run, .facts = machine_of(run, module), .warps = tri_blocked_launch(module).warps};
    tri_op_list dots = {0};
    if (m.facts->mma == TRI_MMA_MFMA || m.facts->mma == TRI_MMA_WMMA) {
        tri_amd_accelerate(run, m.facts, m.warps);
        tri_op_erase_dead(module);
        return true;
    }
    if (m.facts->mma == TRI_MMA_DPAS) {
        tri_intel_accelerate(run, m.facts, m.warps, tri_blocked_launch(module).lanes);
        tri_op_erase_dead(module);
        return true;
    }
    tri_op_collect_named(module, "tt.dot", run->arena, &dots);
    tri_uses_init(&m.uses, run->arena, module);
    int64_t newest = tri_passes_option_int(run, "max-version", 3);
    bool has_groups = newest >= 3 && m.facts->has_warp_groups;
    if (has_groups)
        tri_rounded_maps_mark(run->arena, module);
    for (size_t i = dots.len; i-- > 0;) {
        if (!has_tensor_cores(&m) || mlirOperationIsNull(dots.at[i]))
            continue;
        if (!is_candidate(&m, dots.at[i])) {
            remark_missed(&m, dots.at[i]);
            continue;
        }
        bool may_turn = tri_passes_option_int(run, "swap", 1) != 0;
        const char *why_not = has_groups ? tri_wgmma_why_not(run->arena, dots.at[i], m.warps, may_turn) : NULL;
        if (has_groups && !why_not) {
            rewrite_for_groups(&m, &dots, i, may_turn);
            continue;
        }
        if (why_not)
            tri_diag_missed(run->unit->diag, tri_op_span(run->unit->diag, dots.at[i]), "dot",
                            "no product of warp groups: %s", why_not);
        remark_sums(&m, dots.at[i]);
        accelerate(&m, dots.at[i]);
    }
    for (size_t i = 0; i < dots.len; i++)
        if (m.facts->mma == TRI_MMA_SYNC && !mlirOperationIsNull(dots.at[i]))
            widen_operands(&m, dots.at[i]);
    tri_op_erase_dead(module);
    return true;
}

static const char *const options[] = {"max-version=N: newest kind of matrix instruction to use, 2 or 3 (3)",
                                      "swap=N: 0 takes no operand out of registers for its place in memory (1)",
                                      "gfx-arch: an AMD GPU instead of the module's, such as gfx942",
                                      "matrix-instruction-size=N: rows of AMD's instructions, 16 or 32 (it chooses)",
                                      "kPack=N: AMD's instructions that one access feeds, 1 or 2 (1)",
                                      "narrow-first=N: AMD's sums become narrow before they are moved (0)", NULL};

const tri_pass tri_pass_accelerate_matmul = {
    .name = "accelerate-matmul",
    .help = "lay out matrix products for the tensor cores",
    .alias = "tritongpu-accelerate-matmul,tritonamdgpu-accelerate-matmul,tritonintelgpu-accelerate-matmul",
    .options = options,
    .run = run_accelerate_matmul,
};
