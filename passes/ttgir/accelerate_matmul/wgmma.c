/* tt.dot as ttng.warp_group_dot.
 *
 *     %d = tt.dot %a, %b, %c : ... -> tensor<128x64xf32, #blocked>
 *   becomes
 *     %as = ttg.local_alloc %a : ... -> !ttg.memdesc<128x32xf16, #nvmma_shared> ; %bs likewise
 *     %dm = ttng.warp_group_dot %as, %bs, %cm : ... -> tensor<128x64xf32, #mma3> ; %d = ttg.convert_layout %dm
 *
 * B is read from shared memory, A too unless it was computed in registers. A buffer has the order of its value's
 * layout; only 16-bit types can be read along the other dimension than K; others are turned when they are stored, or
 * come from registers (turned.c). */
#include "passes/ttgir/accelerate_matmul/wgmma.h"

#include "base/map.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"

#include "mlir-c/BuiltinAttributes.h"

enum { GROUP = 4, GROUP_ROWS = 64 };

/* ---- matchers ---- */

static bool is_any_dot(MlirOperation op) { return tri_op_is(op, "tt.dot") || tri_op_is(op, "ttng.warp_group_dot"); }

static bool takes_types(MlirOperation dot)
{
    MlirType a = tri_type_element(mlirValueGetType(tri_op_operand(dot, 0)));
    MlirType d = tri_type_element(mlirValueGetType(tri_op_result(dot, 0)));
    enum { EXACT_FP8 = 32 }; /* fp8 products lose bits of a sum of more than so many */
    if (mlirTypeIsAFloat8E4M3FN(a) || mlirTypeIsAFloat8E5M2(a))
        return mlirTypeIsAF32(d) && tri_op_int(dot, "maxNumImpreciseAcc", 0) >= EXACT_FP8;
    return !mlirTypeIsAF64(a) && !(tri_type_is_float(a) && tri_type_bits(a) == 8);
}

bool tri_wgmma_was_computed(MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    while (!mlirOperationIsNull(def) && (tri_op_is(def, "ttg.convert_layout") || tri_op_is(def, "tt.trans") ||
                                         tri_op_is(def, "ttg.memdesc_trans") || tri_op_is(def, "ttg.memdesc_reshape")))
        def = tri_op_def(tri_op_operand(def, 0));
    return !mlirOperationIsNull(def) && !tri_op_is(def, "tt.load") && !tri_op_is(def, "tt.descriptor_load");
}

int tri_wgmma_fastest(tri_arena *arena, MlirValue value)
{
    int32_t order[TRI_MAX_RANK];
    int64_t shape[TRI_MAX_RANK];
    tri_dots_shape(mlirValueGetType(value), shape);
    tri_convert_order_for_memory(tri_dots_encoding(arena, value), 2, shape, order);
    return order[0];
}

/* Words of 32 bits that do not run along K would be turned one by one when they are stored: slower than mma.sync. */
static bool must_turn_words(tri_arena *arena, MlirOperation dot)
{
    for (int i = 0; i < 2; i++) {
        MlirValue value = tri_dots_strip_converts(tri_op_operand(dot, i));
        if (tri_type_bits(tri_type_element(mlirValueGetType(value))) != 32 || (i == 0 && tri_wgmma_was_computed(value)))
            continue;
        if (tri_wgmma_fastest(arena, value) != 1 - i)
            return true;
    }
    return false;
}

const char *tri_wgmma_why_not(tri_arena *arena, MlirOperation dot, int warps, bool may_turn)
{
    MlirValue result = tri_op_result(dot, 0);
    int64_t shape[TRI_MAX_RANK], per_cta[TRI_MAX_RANK];
    int rank = tri_dots_shape(mlirValueGetType(result), shape);
    if (rank != 2)
        return "it multiplies matrices of a batch; a loop over them has one for each";
    if (warps % GROUP)
        return "a group has four warps; num_warps=4 or 8 has one";
    if (!takes_types(dot))
        return "none takes these element types, or sums them up as exactly as max_num_imprecise_acc wants; float16 "
               "and bfloat16 with sums in float32 have one, and float8 with a larger max_num_imprecise_acc";
    if ((!may_turn || tri_turned_operand(arena, dot, warps) < 0) && must_turn_words(arena, dot))
        return "an operand of 32-bit elements does not run along K in memory, and cannot come from registers; store "
               "it so that K has stride 1";
    tri_convert_shape_per_cta(tri_dots_encoding(arena, result), rank, shape, per_cta);
    return per_cta[0] % GROUP_ROWS || per_cta[1] % 8
               ? "M is no multiple of 64, or N none of 8; blocks of such sizes have one"
               : NULL;
}

bool tri_wgmma_feeds_product(tri_arena *arena, MlirOperation dot)
{
    tri_op_list todo = {0};
    tri_map seen;
    tri_map_init(&seen, arena);
    tri_vec_push(arena, &todo, dot);
    for (size_t i = 0; i < todo.len; i++) {
        if (i && is_any_dot(todo.at[i]))
            return true;
        for (intptr_t r = 0; r < mlirOperationGetNumResults(todo.at[i]); r++) {
            MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(todo.at[i], r));
            for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
                MlirOperation user = mlirOpOperandGetOwner(use);
                if (!tri_map_find_ptr(&seen, user.ptr))
                    tri_vec_push(arena, &todo, user);
                tri_map_set_ptr(&seen, user.ptr, user.ptr);
            }
        }
    }
    return false;
}

static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

/* The widest instruction whose tiles the warps can share out evenly. */
static int32_t choose_columns(MlirType element, const int64_t *shape, int warps)
{
    static const int bytes[] = {224, 208, 192, 176, 160, 144, 128, 112, 96, 80, 64, 48, 32, 24, 16, 8, 0};
    int64_t warps_m = max64(shape[0] / 16, 1), warps_n = max64(warps / warps_m, 1), most = max64(shape[1] / warps_n, 8);
    bool is_int = tri_type_is_int(element);
    for (int i = 0; is_int && bytes[i]; i++)
        if (bytes[i] <= most && shape[1] % bytes[i] == 0)
            return bytes[i];
    for (int n = 256; n > 8; n -= 8)
        if (n <= most && shape[1] % n == 0)
            return n;
    return 8;
}

static tri_encoding choose_layout(tri_arena *arena, MlirOperation dot, int warps)
{
    MlirType a = tri_type_element(mlirValueGetType(tri_op_operand(dot, 0)));
    const tri_encoding *blocked = tri_dots_encoding(arena, tri_op_result(dot, 0));
    int64_t shape[TRI_MAX_RANK], per_cta[TRI_MAX_RANK];
    tri_dots_shape(mlirValueGetType(tri_op_result(dot, 0)), shape);
    tri_convert_shape_per_cta(blocked, 2, shape, per_cta);
    tri_encoding mma = {
        .kind = TRI_ENC_NVIDIA_MMA, .rank = 2, .version_major = 3, .instr_rank = 3, .cga = blocked->cga};
    mma.instr_shape[0] = 16;
    mma.instr_shape[1] = choose_columns(a, per_cta, warps);
    mma.instr_shape[2] = (int32_t)(256 / tri_type_bits(a));
    mma.warps_per_cta[0] = GROUP;
    mma.warps_per_cta[1] = 1;
    if (tri_wgmma_feeds_product(arena, dot)) /* rows stay in their warps for what comes between */
        mma.warps_per_cta[0] = warps;
    while (mma.warps_per_cta[0] * mma.warps_per_cta[1] < warps)
        mma.warps_per_cta[per_cta[0] > 16 * mma.warps_per_cta[0] ? 0 : 1] *= 2;
    return mma;
}

/* ---- rewriters ---- */

MlirValue tri_wgmma_buffer(tri_arena *arena, MlirValue value, int fastest)
{
    MlirType type = mlirValueGetType(value);
    const tri_encoding *from = tri_dots_encoding(arena, value);
    unsigned bits = tri_type_bits(tri_type_element(type));
    int64_t shape[TRI_MAX_RANK], per_cta[TRI_MAX_RANK];
    tri_dots_shape(type, shape);
    tri_convert_shape_per_cta(from, 2, shape, per_cta);
    int64_t row = per_cta[fastest] * bits / 8;
    tri_encoding e = {.kind = TRI_ENC_NVMMA_SHARED, .rank = 2, .cga = from->cga};
    e.nvmma.swizzle_bytes = row % 128 == 0 ? 128 : row % 64 == 0 ? 64 : row % 32 == 0 ? 32 : 0;
    e.nvmma.element_bits = (int32_t)bits;
    e.nvmma.is_transposed = fastest == 0;
    MlirBlock block;
    intptr_t argument;
    bool is_argument = tri_op_is_block_argument(value, &block, &argument);
    tri_builder b =
        is_argument ? tri_builder_before(mlirBlockGetFirstOperation(block)) : tri_builder_after(tri_op_def(value));
    tri_memdesc desc = {.rank = 2, .alloc_rank = 2, .element = tri_type_element(type),
                        .encoding = tri_encoding_make(b.context, &e), .space = tri_encoding_shared_space(b.context)};
    memcpy(desc.shape, shape, sizeof desc.shape);
    memcpy(desc.alloc_shape, shape, sizeof desc.shape);
    return tri_builder_unary(&b, "ttg.local_alloc", tri_type_memdesc(&desc), value);
}

static MlirValue make_buffer(tri_arena *arena, MlirValue operand, int index)
{
    enum { SHORTEST = 32 }; /* bytes of a row; K is never shorter */
    MlirValue value = tri_dots_strip_converts(operand);
    unsigned bits = tri_type_bits(tri_type_element(mlirValueGetType(value)));
    int64_t shape[TRI_MAX_RANK], per_cta[TRI_MAX_RANK];
    tri_dots_shape(mlirValueGetType(value), shape);
    tri_convert_shape_per_cta(tri_dots_encoding(arena, value), 2, shape, per_cta);
    int fastest = tri_wgmma_fastest(arena, value);
    if (bits != 16 || per_cta[fastest] * bits / 8 < SHORTEST)
        fastest = index == 0 ? 1 : 0; /* K */
    return tri_wgmma_buffer(arena, value, fastest);
}

static MlirValue keep_in_registers(tri_builder *b, MlirValue operand, const tri_encoding *mma)
{
    tri_encoding e = {.kind = TRI_ENC_DOT_OP, .rank = 2, .parent = mma};
    unsigned bits = tri_type_bits(tri_type_element(mlirValueGetType(operand)));
    e.dot_op.k_width = (int32_t)(32 / bits);
    return tri_dots_convert(b, tri_dots_strip_converts(operand), tri_encoding_make(b->context, &e));
}

/* ---- operands that a loop keeps ---- */

static int64_t words_of(MlirType type)
{
    return tri_type_num_elements(type) * tri_type_bits(tri_type_element(type)) / 32;
}

/* What the sums of all products of the block take of each thread's registers. */
static int64_t registers_of_sums(MlirBlock block, int threads)
{
    int64_t words = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        words += is_any_dot(op) ? words_of(mlirValueGetType(tri_op_result(op, 0))) : 0;
    return words / threads;
}

/* Whether A, the same in all iterations of a loop, is better in registers: a narrow product reads as many bytes of A
 * and B as shared memory gives in its time (64 rows and 64 columns of 32 bytes, 4 KiB in 32 cycles), half of which
 * are A's (H200: backward attention 7 %). Narrower ones by four warps leave room for a third block, which such
 * registers would take. */
static bool is_kept_by_loop(MlirOperation dot, const tri_encoding *mma, int warps)
{
    enum { NARROW = 64, MOST_WORDS = 16, MOST_SUMS = 128, LANES = 32 };
    MlirOperation loop = mlirOperationGetParentOperation(dot);
    MlirValue a = tri_dots_strip_converts(tri_op_operand(dot, 0));
    bool is_narrow = mma->instr_shape[1] == NARROW || (mma->instr_shape[1] < NARROW && warps > GROUP);
    return tri_op_is(loop, "scf.for") && is_narrow && mma->warps_per_cta[1] == 1 &&
           !mlirOperationIsNull(tri_op_def(a)) && !tri_loops_is_inside(loop, a) &&
           words_of(mlirValueGetType(a)) <= MOST_WORDS * LANES * warps &&
           registers_of_sums(tri_op_body(loop, 0), LANES * warps) <= MOST_SUMS;
}

/* The operand's registers, loaded once in front of all loops that keep it. */
static MlirValue load_kept(tri_arena *arena, MlirValue operand, const tri_encoding *mma)
{
    MlirValue buffer = make_buffer(arena, operand, 0), value = tri_op_operand(tri_op_def(buffer), 0);
    tri_builder b = tri_builder_after(tri_op_def(buffer));
    tri_encoding e = {.kind = TRI_ENC_DOT_OP, .rank = 2, .parent = mma};
    e.dot_op.k_width = (int32_t)(32 / tri_type_bits(tri_type_element(mlirValueGetType(value))));
    MlirType type = tri_type_with_encoding(mlirValueGetType(value), tri_encoding_make(b.context, &e));
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation alloc = mlirOpOperandGetOwner(use);
        if (!tri_op_is(alloc, "ttg.local_alloc") || mlirValueEqual(tri_op_result(alloc, 0), buffer))
            continue;
        MlirOperation load = tri_dots_only_user(tri_op_result(alloc, 0));
        if (mlirOperationIsNull(load) || !tri_op_is(load, "ttg.local_load") ||
            !mlirTypeEqual(mlirValueGetType(tri_op_result(load, 0)), type))
            continue;
        mlirOperationDestroy(tri_op_def(buffer));
        return tri_op_result(load, 0);
    }
    return tri_builder_unary(&b, "ttg.local_load", type, buffer);
}

void tri_wgmma_rewrite(tri_arena *arena, MlirOperation dot, int warps)
{
    tri_encoding mma = choose_layout(arena, dot, warps);
    MlirValue a = tri_op_operand(dot, 0);
    MlirType old = mlirValueGetType(tri_op_result(dot, 0));
    tri_builder b = tri_builder_before(dot);
    MlirAttribute encoding = tri_encoding_make(b.context, &mma);
    MlirType type = tri_type_with_encoding(old, encoding);
    MlirValue operands[] = {
        tri_wgmma_was_computed(a)              ? keep_in_registers(&b, a, &mma)
        : is_kept_by_loop(dot, &mma, warps) ? load_kept(arena, a, &mma)
                                            : make_buffer(arena, a, 0),
        make_buffer(arena, tri_op_operand(dot, 1), 1),
        tri_dots_convert(&b, tri_op_operand(dot, 2), encoding),
    };
    MlirValue made = tri_dots_make(&b, "ttng.warp_group_dot", dot, operands, type);
    MlirValue back = tri_dots_convert(&b, made, tri_type_encoding(old));
    tri_op_replace(dot, 1, &back);
}
