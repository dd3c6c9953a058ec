/* A product whose operand of 8 or 32 bits does not run along K in memory, with that operand from registers.
 *
 *     %d = tt.dot %a, %b, %c : tensor<128x32xf32> * tensor<32x256xf32> -> tensor<128x256xf32>     // B runs along N
 *   becomes the transposed product, d^T = b^T a^T,
 *     %bs = ttg.local_alloc %b ; %as = ttg.local_alloc %a        // as they are in memory
 *     %br = ttg.local_load %bs ; %bt = (a view of %br) : tensor<256x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma}>>
 *     %at = ttg.memdesc_trans %as
 *     %dt = ttng.warp_group_dot %bt, %at, %ct : ... -> tensor<256x128xf32, #mma>
 *     %d  = (a view of %dt) : tensor<128x256xf32, #linear>       // the same registers
 * An A that runs along M comes from registers as it is, without a transposed product. Shared memory is read along K
 * only for such types, but a register operand is read by plain loads.
 *
 * Rows of a product may stand in any order, so the views permute their index bits such that a thread has neighbours in
 * memory and a warp's loads meet no bank twice: of 32-bit elements two neighbours (the rows r and r + 8 of a fragment);
 * of 8-bit ones four, two rows of two fragments each, whose words are then transposed as 4x4 bytes of four k's.
 *
 * Products that add to one another's sums, and a loop that adds up such products, carry the sums as the product has
 * them. Where K fills two instructions and more
 * the product is two, each over half of K: the registers of the second are loaded while the first one runs. */
#include "ir/analysis/infer.h"
#include "ir/analysis/reshape.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"
#include "passes/ttgir/accelerate_matmul/wgmma.h"
#include "passes/ttgir/remove_layout_conversions/layouts.h"

#include "mlir-c/BuiltinAttributes.h"

enum { GROUP = 4, GROUP_ROWS = 64, FRAGMENT_ROWS = 16, MAX_PARTS = 6, INSTRUCTION_BYTES = 32 };

/* The bits of the rows' index in memory, most significant first, cut into parts, and which of them the parts of the
 * product's row index are. */
typedef struct {
    int count;
    int64_t size[MAX_PARTS];
    int from[MAX_PARTS];
} permutation;

typedef struct {
    tri_arena *arena;
    MlirOperation dot;
    int index;            /* of the operand that comes from registers */
    unsigned bits;
    int64_t rows, columns, depth; /* of the product as it is made */
    tri_encoding mma;
    MlirAttribute layout; /* of sums and results: mma */
    permutation order;
} turned;

/* ---- matchers ---- */

static unsigned bits_of_operand(MlirValue value) { return tri_type_bits(tri_type_element(mlirValueGetType(value))); }

/* The product that alone takes this one's result, as what it adds to; null: none. */
static MlirOperation adding_to(MlirOperation dot)
{
    MlirValue result = tri_op_result(dot, 0);
    if (!tri_dots_has_one_use(result))
        return (MlirOperation){NULL};
    MlirOperation user = mlirOpOperandGetOwner(mlirValueGetFirstUse(result));
    bool is_sum = tri_op_is(user, "tt.dot") && mlirValueEqual(tri_op_operand(user, 2), result) &&
                  mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(dot));
    return is_sum ? user : (MlirOperation){NULL};
}

/* Of the product by itself, whatever takes its result. */
static int operand_to_turn(tri_arena *arena, MlirOperation dot, int warps)
{
    int64_t shape[TRI_MAX_RANK], per_cta[TRI_MAX_RANK];
    MlirValue result = tri_op_result(dot, 0), values[2];
    int rank = tri_dots_shape(mlirValueGetType(result), shape), found = -1;
    for (int i = 0; i < 2; i++)
        values[i] = tri_dots_strip_converts(tri_op_operand(dot, i));
    unsigned bits = bits_of_operand(values[0]);
    if (rank != 2 || warps % GROUP || (bits != 32 && bits != 8) || bits_of_operand(values[1]) != bits)
        return -1;
    for (int i = 0; i < 2; i++) {
        if (tri_wgmma_fastest(arena, values[i]) == 1 - i)
            continue;
        if (found >= 0 || (i == 0 && tri_wgmma_was_computed(values[i])))
            return -1;
        found = i;
    }
    if (found < 0 || tri_wgmma_was_computed(values[1 - found]))
        return -1;
    tri_convert_shape_per_cta(tri_dots_encoding(arena, result), rank, shape, per_cta);
    bool is_whole = per_cta[0] == shape[0] && per_cta[1] == shape[1];
    int64_t depth = tri_type_dim(mlirValueGetType(values[0]), 1);
    return is_whole && shape[found] % GROUP_ROWS == 0 && shape[1 - found] >= 8 &&
                   depth * bits / 8 >= INSTRUCTION_BYTES && shape[found] * bits / 8 >= 128
               ? found
               : -1;
}

int tri_turned_operand(tri_arena *arena, MlirOperation dot, int warps)
{
    int found = operand_to_turn(arena, dot, warps);
    for (MlirOperation next = dot; found >= 0 && !mlirOperationIsNull(next);) {
        dot = next;
        next = adding_to(dot);
        if (!mlirOperationIsNull(next) && operand_to_turn(arena, next, warps) != found)
            return -1;
    }
    /* a chain of products keeps the rows of all of them in their warps */
    return found >= 0 && !tri_wgmma_feeds_product(arena, dot) ? found : -1;
}

/* The product at `at`, and those before it that only add to its sums, in the program's order; `dots` loses them. */
static tri_op_list take_sum(tri_arena *arena, tri_op_list *dots, size_t at, int index, int warps)
{
    tri_op_list back = {0}, out = {0};
    for (size_t i = at + 1; i-- > 0;) {
        MlirOperation dot = dots->at[i];
        bool is_more = i == at || (!mlirOperationIsNull(dot) && operand_to_turn(arena, dot, warps) == index &&
                                   mlirOperationEqual(adding_to(dot), tri_vec_last(&back)));
        if (!is_more)
            continue;
        tri_vec_push(arena, &back, dot);
        dots->at[i] = (MlirOperation){NULL};
    }
    for (size_t i = back.len; i-- > 0;)
        tri_vec_push(arena, &out, back.at[i]);
    return out;
}

/* ---- layouts ---- */

static tri_encoding choose_turned_layout(const turned *t, int warps)
{
    enum { WIDEST = 256 };
    /* bytes want two fragments of rows a warp, which share the words that are loaded */
    int64_t rows_per_warp = t->bits == 8 ? 2 * FRAGMENT_ROWS : FRAGMENT_ROWS;
    tri_encoding mma = {.kind = TRI_ENC_NVIDIA_MMA, .rank = 2, .version_major = 3, .instr_rank = 3,
                        .cga = tri_dots_encoding(t->arena, tri_op_result(t->dot, 0))->cga};
    int down = GROUP, across = 1;
    while (down * across < warps) {
        bool is_down = t->rows > rows_per_warp * down || t->columns < 16 * across;
        *(is_down ? &down : &across) *= 2;
    }
    int64_t columns = t->columns / across;
    mma.warps_per_cta[0] = down;
    mma.warps_per_cta[1] = across;
    mma.instr_shape[0] = FRAGMENT_ROWS;
    mma.instr_shape[1] = (int32_t)(columns < WIDEST ? columns : WIDEST);
    mma.instr_shape[2] = (int32_t)(INSTRUCTION_BYTES * 8 / t->bits);
    return mma;
}

/* Lanes g = 0..7 hold rows g and g + 8 of each fragment, their t = 0..3 different k. */
static permutation choose_order(const turned *t)
{
    if (t->bits == 32) /* memory: hi n4 n3 n2 n1 n0; the product: hi n3 | n0 | n2 n4 n1 */
        return (permutation){6, {t->rows / 32, 2, 2, 2, 2, 2}, {0, 2, 5, 3, 1, 4}};
    int64_t warps = t->rows / 32 < t->mma.warps_per_cta[0] ? t->rows / 32 : t->mma.warps_per_cta[0];
    /* memory: hi, warps, n4 n3 n2, n1, n0; the product: hi, n1, warps | n0 | n4 n3 n2 */
    return (permutation){5, {t->rows / 32 / warps, warps, 8, 2, 2}, {0, 3, 1, 4, 2}};
}

/* A tensor of rows and something else (`other` long): its shape in parts, in memory's order or the product's. */
static int shape_in_parts(const permutation *p, bool is_product, bool rows_first, int64_t other, int64_t *out)
{
    for (int i = 0; i < p->count; i++)
        out[i + !rows_first] = p->size[is_product ? p->from[i] : i];
    out[rows_first ? p->count : 0] = other;
    return p->count + 1;
}

/* The order of a tt.trans from one form in parts to the other. The product's has the rows first. */
static void order_of_parts(const permutation *p, bool to_product, bool rows_first, int32_t *out)
{
    int shift = !rows_first, other = rows_first ? p->count : 0;
    if (to_product) {
        for (int i = 0; i < p->count; i++)
            out[i] = p->from[i] + shift;
        out[p->count] = other;
        return;
    }
    for (int i = 0; i < p->count; i++)
        out[p->from[i] + shift] = i;
    out[other] = p->count;
}

/* Whether rows are the first dimension of the operand, of the sums, in memory. */
static bool has_rows_first(const turned *t) { return t->index == 0; }

static void shape_in_memory(bool rows_first, int64_t rows, int64_t other, int64_t *out)
{
    out[0] = rows_first ? rows : other;
    out[1] = rows_first ? other : rows;
}

/* The layout, in memory's order of rows, of what has `layout` in the product's. */
static MlirAttribute layout_in_memory(const turned *t, MlirAttribute layout, int64_t other)
{
    int64_t parts[MAX_PARTS + 1], whole[2] = {t->rows, other};
    int32_t order[MAX_PARTS + 1];
    bool first = has_rows_first(t);
    tri_encoding e;
    MlirContext context = mlirAttributeGetContext(layout);
    int rank = shape_in_parts(&t->order, true, true, other, parts);
    if (!tri_reshape_infer(tri_encoding_get(t->arena, layout), 2, whole, rank, parts, &e))
        TRI_BUG("no layout for a part of a product");
    order_of_parts(&t->order, false, first, order);
    MlirAttribute apart = tri_infer_trans(t->arena, tri_encoding_make(context, &e), rank, parts, order);
    shape_in_parts(&t->order, false, first, other, parts);
    shape_in_memory(first, t->rows, other, whole);
    if (!tri_reshape_infer(tri_encoding_get(t->arena, apart), rank, parts, 2, whole, &e))
        TRI_BUG("no layout for a part of a product");
    return tri_encoding_make(context, &e);
}

/* ---- rewriters ---- */

/* The value with its rows in the other order; no data moves. */
static MlirValue change_order(const turned *t, tri_builder *b, MlirValue value, int64_t other, bool to_product)
{
    int64_t parts[MAX_PARTS + 1], whole[2] = {t->rows, other};
    int32_t order[MAX_PARTS + 1];
    bool first = has_rows_first(t);
    int rank = shape_in_parts(&t->order, !to_product, to_product ? first : true, other, parts);
    MlirValue apart = tri_layouts_view(t->arena, b, "tt.reshape", value, rank, parts, NULL);
    order_of_parts(&t->order, to_product, first, order);
    tri_attr attr = {"order", tri_attr_i32s(b->context, rank, order)};
    shape_in_parts(&t->order, to_product, to_product ? true : first, other, parts);
    MlirValue moved = tri_layouts_view(t->arena, b, "tt.trans", apart, rank, parts, &attr);
    if (!to_product)
        shape_in_memory(first, t->rows, other, whole);
    return tri_layouts_view(t->arena, b, "tt.reshape", moved, 2, whole, NULL);
}

static MlirValue to_product(const turned *t, tri_builder *b, MlirValue sums)
{
    MlirType type = mlirValueGetType(sums);
    MlirAttribute value = {NULL};
    MlirOperation def = tri_op_def(tri_dots_strip_converts(sums));
    if (!mlirOperationIsNull(def) && tri_op_is(def, "arith.constant"))
        value = tri_op_attr(def, "value");
    if (!mlirAttributeIsNull(value) && mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value)) {
        MlirType made = tri_type_tensor(2, (int64_t[]){t->rows, t->columns}, tri_type_element(type), t->layout);
        tri_attr attr = {"value", mlirDenseElementsAttrSplatGet(made, mlirDenseElementsAttrGetSplatValue(value))};
        return tri_builder_value(b, &(tri_op){.name = "arith.constant", .num_results = 1, .results = &made,
                                              .num_attrs = 1, .attrs = &attr});
    }
    MlirValue here = tri_dots_convert(b, sums, layout_in_memory(t, t->layout, t->columns));
    return tri_dots_convert(b, change_order(t, b, here, t->columns, true), t->layout);
}

static MlirValue from_product(const turned *t, tri_builder *b, MlirValue sums, MlirType type)
{
    return tri_dots_convert(b, change_order(t, b, sums, t->columns, false), tri_type_encoding(type));
}

static MlirValue part_of_buffer(tri_builder *b, MlirValue buffer, int dim, int64_t first, int64_t size)
{
    tri_memdesc desc;
    tri_type_get_memdesc(mlirValueGetType(buffer), &desc);
    return desc.shape[dim] == size ? buffer : tri_dots_buffer_part(b, buffer, dim, first, size);
}

/* Some of K of the operand that comes from registers. */
static MlirValue load_operand(const turned *t, tri_builder *b, MlirValue buffer, int64_t first, int64_t size)
{
    tri_encoding e = {.kind = TRI_ENC_DOT_OP, .rank = 2, .parent = &t->mma};
    tri_memdesc desc;
    int64_t shape[2];
    e.dot_op.k_width = (int32_t)(32 / t->bits);
    MlirAttribute operand = tri_encoding_make(b->context, &e);
    MlirValue part = part_of_buffer(b, buffer, has_rows_first(t) ? 1 : 0, first, size);
    tri_type_get_memdesc(mlirValueGetType(part), &desc);
    shape_in_memory(has_rows_first(t), t->rows, size, shape);
    MlirType type = tri_type_tensor(2, shape, desc.element, layout_in_memory(t, operand, size));
    MlirValue loaded = tri_builder_unary(b, "ttg.local_load", type, part);
    return tri_dots_convert(b, change_order(t, b, loaded, size, true), operand);
}

static MlirValue transposed_buffer(const turned *t, tri_builder *b, MlirValue buffer)
{
    if (t->index == 0)
        return buffer;
    MlirType type = tri_dots_transposed_buffer(t->arena, mlirValueGetType(buffer));
    tri_attr attr = {"order", tri_attr_i32s(b->context, 2, (int32_t[]){1, 0})};
    return tri_builder_value(b, &(tri_op){.name = "ttg.memdesc_trans", .num_operands = 1, .operands = &buffer,
                                          .num_results = 1, .results = &type, .num_attrs = 1, .attrs = &attr});
}

static MlirValue multiply_parts(const turned *t, tri_builder *b, MlirValue sums)
{
    MlirValue buffers[2];
    for (int i = 0; i < 2; i++) {
        MlirValue value = tri_dots_strip_converts(tri_op_operand(t->dot, i));
        buffers[i] = tri_wgmma_buffer(t->arena, value, tri_wgmma_fastest(t->arena, value));
    }
    int64_t parts = t->depth * t->bits / 8 >= 2 * INSTRUCTION_BYTES ? 2 : 1, size = t->depth / parts;
    MlirValue other = transposed_buffer(t, b, buffers[1 - t->index]);
    for (int64_t i = 0; i < parts; i++) {
        MlirValue operands[] = {load_operand(t, b, buffers[t->index], i * size, size),
                                part_of_buffer(b, other, 0, i * size, size), sums};
        sums = tri_dots_make(b, "ttng.warp_group_dot", t->dot, operands, mlirValueGetType(sums));
    }
    return sums;
}

/* The loop whose sums these are: they come as its argument `out_index` and go as its yield, unseen by others. */
static MlirOperation loop_of_sums(MlirValue sums, MlirValue result, intptr_t *out_index)
{
    MlirOperation none = {NULL};
    MlirBlock block;
    if (!tri_op_is_block_argument(sums, &block, out_index) || *out_index < 1 || !tri_dots_has_one_use(sums) ||
        !tri_dots_has_one_use(result))
        return none;
    MlirOperation loop = mlirBlockGetParentOperation(block), yield = mlirBlockGetTerminator(block);
    --*out_index;
    return tri_op_is(loop, "scf.for") && mlirValueEqual(tri_op_operand(yield, *out_index), result) ? loop : none;
}

/* All products of a sum: each goes on with what the one before it has. */
static MlirValue multiply_all(turned *t, const tri_op_list *sum, MlirValue sums)
{
    for (size_t i = 0; i < sum->len; i++) {
        tri_builder b = tri_builder_before(sum->at[i]);
        t->dot = sum->at[i];
        t->depth = tri_type_dim(mlirValueGetType(tri_op_operand(t->dot, 0)), 1);
        sums = multiply_parts(t, &b, sums);
    }
    return sums;
}

static void replace_all(const tri_op_list *sum, MlirValue made)
{
    tri_op_replace(tri_vec_last(sum), 1, &made);
    for (size_t i = sum->len - 1; i-- > 0;)
        mlirOperationDestroy(sum->at[i]);
}

/* The loop carries its sums as the product has them. */
static void turn_carried(turned *t, const tri_op_list *sum, MlirOperation loop, intptr_t index)
{
    enum { BOUNDS = 3 };
    MlirValue sums = tri_op_operand(sum->at[0], 2);
    MlirType old = mlirValueGetType(sums);
    tri_builder before = tri_builder_before(loop), after = tri_builder_after(loop);
    MlirValue first = to_product(t, &before, tri_op_operand(loop, BOUNDS + index)), last = tri_op_result(loop, index);
    MlirType type = mlirValueGetType(first);
    mlirOperationSetOperand(loop, BOUNDS + index, first);
    tri_op_set_type(sums, type);
    tri_op_set_type(last, type);
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(last))) {
        MlirValue apart = change_order(t, &after, last, t->columns, false);
        MlirOperation view = tri_op_def(apart);
        while (!mlirValueEqual(tri_op_operand(view, 0), last))
            view = tri_op_def(tri_op_operand(view, 0));
        mlirValueReplaceAllUsesOfWith(last, tri_dots_convert(&after, apart, tri_type_encoding(old)));
        mlirOperationSetOperand(view, 0, last);
    }
    replace_all(sum, multiply_all(t, sum, sums));
}

void tri_turned_rewrite(tri_arena *arena, tri_op_list *dots, size_t at, int index, int warps)
{
    tri_op_list sum = take_sum(arena, dots, at, index, warps);
    MlirOperation first = sum.at[0], last = tri_vec_last(&sum);
    MlirType old = mlirValueGetType(tri_op_result(last, 0));
    turned t = {.arena = arena, .dot = first, .index = index, .bits = bits_of_operand(tri_op_operand(first, 0)),
                .rows = tri_type_dim(old, index), .columns = tri_type_dim(old, 1 - index)};
    t.mma = choose_turned_layout(&t, warps);
    t.layout = tri_encoding_make(mlirOperationGetContext(first), &t.mma);
    t.order = choose_order(&t);
    intptr_t carried;
    MlirOperation loop = loop_of_sums(tri_op_operand(first, 2), tri_op_result(last, 0), &carried);
    if (!mlirOperationIsNull(loop)) {
        turn_carried(&t, &sum, loop, carried);
        return;
    }
    tri_builder before = tri_builder_before(first), after = tri_builder_before(last);
    MlirValue made = multiply_all(&t, &sum, to_product(&t, &before, tri_op_operand(first, 2)));
    replace_all(&sum, from_product(&t, &after, made, old));
}
