/* Descriptors of one program's part of a tensor, as of one head's rows in attention, become descriptors of all of it,
 * which all programs share:
 *
 *     %p = tt.addptr %k, %head * %size                     %d = tt.make_tensor_descriptor %k, [endless, %n, 128],
 *     %d = tt.make_tensor_descriptor %p, [%n, 128],            [%size, 128, 1] : <1x64x128xf16>
 *         [128, 1] : <64x128xf16>                   ->
 *     tt.descriptor_load %d[%i, 0]                         tt.descriptor_load %d[%head, %i, 0]
 *
 * What moves the base is a sum of numbers of the program, none of which is negative, times numbers that are the same
 * for all programs; the latter are strides of dimensions that have no end. */
#include "passes/ttir/persistent_programs/persistent_programs.h"

#include "ir/builder.h"
#include "ir/type.h"
#include "passes/analysis/tensormaps.h"

#include "mlir-c/BuiltinTypes.h"

enum { ENDLESS = INT32_MAX };

static bool is_fixed_value(const tri_map *fixed, MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    return mlirOperationIsNull(def) || tri_map_find_ptr(fixed, def.ptr);
}

/* ---- what moves the base ---- */

/* Sorts a term into what is the same for all programs and what moves with them. */
static bool sort_part(tri_sums *sums, const tri_map *fixed, tri_moved_base *m, const tri_term *term)
{
    const tri_leaf *at = NULL;
    const tri_sum *known = tri_sum_const(sums, term->factor);
    for (int l = 0; l < term->count; l++) {
        const tri_leaf *leaf = term->leaf[l];
        bool is_value = leaf->kind == TRI_LEAF_VALUE || leaf->kind == TRI_LEAF_UNSIGNED;
        if (is_value && is_fixed_value(fixed, leaf->value)) {
            known = tri_sum_mul(sums, known, tri_sum_leaf(sums, leaf->kind, leaf->value));
            continue;
        }
        if (at || leaf->kind != TRI_LEAF_VALUE || !tri_type_is_int_of(mlirValueGetType(leaf->value), 32) ||
            !tri_sum_is_natural_over_sizes(tri_sum_leaf(sums, leaf->kind, leaf->value)))
            return false;
        at = leaf;
    }
    if (!at) {
        m->offset = tri_sum_add(sums, m->offset, known);
        return known != NULL;
    }
    for (int i = 0; i < m->count; i++)
        if (mlirValueEqual(m->at[i], at->value)) {
            m->stride[i] = tri_sum_add(sums, m->stride[i], known);
            return known != NULL;
        }
    if (m->count == TRI_MOVED_MOST)
        return false;
    m->at[m->count] = at->value;
    m->stride[m->count++] = known;
    return known != NULL;
}

static bool find_moves(tri_sums *sums, const tri_map *fixed, MlirValue base, tri_moved_base *m)
{
    m->offset = tri_sum_const(sums, 0);
    for (MlirOperation def = tri_op_def(base); !is_fixed_value(fixed, base); def = tri_op_def(base)) {
        if (!tri_op_is(def, "tt.addptr"))
            return false;
        const tri_sum *offset = tri_sum_of(sums, tri_op_operand(def, 1));
        for (int i = 0; offset && i < offset->count; i++)
            if (!sort_part(sums, fixed, m, &offset->term[i]))
                return false;
        if (!offset)
            return false;
        base = tri_op_operand(def, 0);
    }
    m->base = base;
    return m->offset != NULL;
}

/* Loads and stores are all that use the descriptor. */
static bool is_loaded_and_stored(MlirOperation made)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(made, 0)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!tri_op_is(user, "tt.descriptor_load") && !tri_op_is(user, "tt.descriptor_store"))
            return false;
    }
    return true;
}

/* As maps have them: multiples of 16 bytes. */
static bool has_whole_sectors(const tri_moved_base *m)
{
    enum { SECTOR = 16 };
    MlirType block = tri_type_desc_block(mlirValueGetType(tri_op_result(m->made, 0)));
    int64_t bytes = tri_type_bits(tri_type_element(block)) / 8;
    bool is_whole = tri_sum_is(m->offset, 0) || tri_sum_divisor(m->offset) * bytes % SECTOR == 0;
    for (int i = 0; i < m->count; i++)
        is_whole = is_whole && tri_sum_divisor(m->stride[i]) * bytes % SECTOR == 0;
    return is_whole;
}

bool tri_heads_find(tri_sums *sums, const tri_map *fixed, MlirOperation made, tri_moved_base *out)
{
    int rank = tri_type_rank(tri_type_desc_block(mlirValueGetType(tri_op_result(made, 0))));
    *out = (tri_moved_base){.made = made, .rank = rank};
    for (int i = 1; i <= 2 * rank; i++)
        if (!is_fixed_value(fixed, tri_op_operand(made, i)))
            return false;
    return is_loaded_and_stored(made) && find_moves(sums, fixed, tri_op_operand(made, 0), out) && out->count &&
           out->count + rank <= TRI_TENSORMAP_MAX_RANK && has_whole_sectors(out);
}

/* ---- rewriting ---- */

static MlirType widened_block(const tri_moved_base *m, MlirType block)
{
    int64_t shape[TRI_MAX_RANK];
    MlirAttribute none = {NULL};
    for (int d = 0; d < m->rank + m->count; d++)
        shape[d] = d < m->count ? 1 : tri_type_dim(block, d - m->count);
    return mlirRankedTensorTypeGet(m->rank + m->count, shape, tri_type_element(block), none);
}

/* The base without what moves it. */
static MlirValue fixed_base(tri_sums *sums, tri_builder *b, const tri_moved_base *m)
{
    if (tri_sum_is(m->offset, 0))
        return m->base;
    MlirValue offset = tri_sum_emit(sums, b, m->offset, mlirIntegerTypeGet(b->context, 64));
    return tri_builder_binary(b, "tt.addptr", mlirValueGetType(m->base), m->base, offset);
}

static MlirValue make_shared(tri_sums *sums, tri_builder *b, const tri_moved_base *m)
{
    MlirType i32 = mlirIntegerTypeGet(b->context, 32), i64 = mlirIntegerTypeGet(b->context, 64);
    MlirValue operands[1 + 2 * TRI_TENSORMAP_MAX_RANK];
    int n = 0, all = m->count + m->rank;
    operands[n++] = fixed_base(sums, b, m);
    for (int d = 0; d < all; d++)
        operands[n++] = d < m->count ? tri_builder_int(b, i32, ENDLESS) : tri_op_operand(m->made, 1 + d - m->count);
    for (int d = 0; d < all; d++)
        operands[n++] = d < m->count ? tri_sum_emit(sums, b, m->stride[d], i64)
                                     : tri_op_operand(m->made, 1 + m->rank + d - m->count);
    MlirType desc = mlirValueGetType(tri_op_result(m->made, 0)),
             type = tri_type_desc(widened_block(m, tri_type_desc_block(desc)));
    tri_attr attrs[] = {{"padding", tri_op_attr(m->made, "padding")},
                        {TRI_TENSORMAP_TF32, tri_op_attr(m->made, TRI_TENSORMAP_TF32)}};
    return tri_builder_value(b, &(tri_op){.name = "tt.make_tensor_descriptor", .num_operands = n, .operands = operands,
                                          .num_results = 1, .results = &type, .num_attrs = 2, .attrs = attrs});
}

/* The access through the shared descriptor, with the numbers of the program in front of its coordinates. */
static void move_access(const tri_moved_base *m, MlirOperation access, MlirValue shared)
{
    tri_builder b = tri_builder_before(access);
    bool is_load = tri_op_is(access, "tt.descriptor_load");
    int first = is_load ? 1 : 2, n = 0;
    MlirValue operands[2 + TRI_TENSORMAP_MAX_RANK];
    MlirType type = is_load ? mlirValueGetType(tri_op_result(access, 0)) : (MlirType){NULL};
    operands[n++] = shared;
    if (!is_load)
        operands[n++] = tri_op_operand(access, 1);
    for (int i = 0; i < m->count; i++)
        operands[n++] = m->at[i];
    for (int d = 0; d < m->rank; d++)
        operands[n++] = tri_op_operand(access, first + d);
    tri_attr attrs[] = {{"cache", tri_op_attr(access, "cache")}, {"evict", tri_op_attr(access, "evict")}};
    const char *name = is_load ? "tt.descriptor_load" : "tt.descriptor_store";
    MlirOperation made = tri_builder_create(&b, &(tri_op){.name = name, .num_operands = n, .operands = operands,
                                                          .num_results = is_load, .results = &type,
                                                          .num_attrs = is_load ? 2 : 0, .attrs = attrs});
    MlirValue loaded = is_load ? tri_op_result(made, 0) : (MlirValue){NULL};
    tri_op_replace(access, is_load, &loaded);
}

void tri_heads_share(tri_sums *sums, const tri_moved_base *m)
{
    tri_builder b = tri_builder_before(m->made);
    MlirValue own = tri_op_result(m->made, 0), shared = {NULL};
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(own)))
        shared = make_shared(sums, &b, m);
    for (MlirOpOperand use = mlirValueGetFirstUse(own); !mlirOpOperandIsNull(use); use = mlirValueGetFirstUse(own))
        move_access(m, mlirOpOperandGetOwner(use), shared);
    mlirOperationDestroy(m->made);
}
