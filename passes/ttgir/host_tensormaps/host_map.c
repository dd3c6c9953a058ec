/* Which maps launchers can make: where the base lies, and what of it moves with the program. */
#include "passes/ttgir/host_tensormaps/host_tensormaps.h"

#include "ir/type.h"

enum { ENDLESS = INT32_MAX };

/* ---- where a map is used ---- */

MlirBlock tri_host_map_partition(MlirOperation op)
{
    for (; !tri_op_is(op, "tt.func"); op = mlirOperationGetParentOperation(op))
        if (tri_op_is(mlirOperationGetParentOperation(op), "ttg.warp_specialize.partitions"))
            return mlirOperationGetBlock(op);
    return (MlirBlock){NULL};
}

int tri_host_map_users(MlirValue value, const char *name, MlirOperation *out)
{
    int count = 0;
    *out = (MlirOperation){NULL};
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use), count++)
        if (tri_op_is(mlirOpOperandGetOwner(use), name))
            *out = mlirOpOperandGetOwner(use);
    return count;
}

/* The place is this map's alone: it is written, acquired and read as a descriptor once, in one block. */
static bool find_uses_of_place(tri_host_map *c)
{
    enum { users = 3 };
    MlirValue place = tri_op_operand(c->create, TRI_HOST_MAP_PLACE);
    MlirOperation def = tri_op_def(place);
    if (mlirOperationIsNull(def) || !tri_op_is(def, "ttg.global_scratch_alloc"))
        return false;
    tri_host_map_users(place, "ttng.tensormap_fenceproxy_acquire", &c->acquire);
    int count = tri_host_map_users(place, "ttng.reinterpret_tensor_descriptor", &c->descriptor);
    if (mlirOperationIsNull(c->acquire) || mlirOperationIsNull(c->descriptor) || count != users)
        return false;
    MlirBlock block = mlirOperationGetBlock(c->create);
    return mlirBlockEqual(block, mlirOperationGetBlock(c->acquire)) &&
           mlirBlockEqual(block, mlirOperationGetBlock(c->descriptor)) && tri_op_dominates(c->create, c->acquire) &&
           tri_op_dominates(c->acquire, c->descriptor);
}

static bool is_bulk_copy(MlirOperation op)
{
    return tri_op_is(op, "ttng.async_tma_copy_global_to_local") ||
           tri_op_is(op, "ttng.async_tma_copy_local_to_global") || tri_op_is(op, "ttng.async_tma_reduce");
}

/* Whether copies, to which dimensions can be added, are all that use the descriptor. */
static bool is_copied_only(const tri_host_map *c)
{
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(c->descriptor, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        if (!is_bulk_copy(mlirOpOperandGetOwner(use)))
            return false;
    return true;
}

/* ---- the base ---- */

static bool is_known_to_launcher(const tri_leaf *leaf)
{
    tri_buf words = {0};
    bool is_value = leaf->kind == TRI_LEAF_VALUE || leaf->kind == TRI_LEAF_UNSIGNED;
    bool ok = is_value && tri_host_words_add(&words, leaf->value);
    tri_buf_fini(&words);
    return ok;
}

/* A 32-bit number of the program that is no less than 0, defined where the map is, taken along there or outside of all
 * partitions. */
static bool can_be_coordinate(tri_sums *sums, const tri_host_map *c, const tri_leaf *leaf)
{
    if (leaf->kind != TRI_LEAF_VALUE || !tri_type_is_int_of(mlirValueGetType(leaf->value), 32))
        return false;
    MlirValue value = tri_host_words_outside(leaf->value);
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(def) || !tri_op_dominates(def, c->create))
        return false;
    MlirBlock of = tri_host_map_partition(def);
    bool is_at_hand = mlirBlockIsNull(of) || mlirBlockEqual(of, tri_host_map_partition(c->create));
    return is_at_hand && tri_sum_is_natural_over_sizes(tri_sum_leaf(sums, leaf->kind, value));
}

/* Sorts a term into what launchers know and what moves the base. */
static bool sort_term(tri_sums *sums, tri_host_map *c, const tri_term *term)
{
    const tri_leaf *at = NULL;
    const tri_sum *known = tri_sum_const(sums, term->factor);
    for (int l = 0; l < term->count; l++) {
        const tri_leaf *leaf = term->leaf[l];
        if (is_known_to_launcher(leaf)) {
            known = tri_sum_mul(sums, known, tri_sum_leaf(sums, leaf->kind, leaf->value));
            continue;
        }
        if (at || !can_be_coordinate(sums, c, leaf))
            return false;
        at = leaf;
    }
    if (!at) {
        c->offset = tri_sum_add(sums, c->offset, known);
        return known != NULL;
    }
    for (int i = 0; i < c->count; i++)
        if (mlirValueEqual(c->moves[i].at, at->value)) {
            c->moves[i].stride = tri_sum_add(sums, c->moves[i].stride, known);
            return known != NULL;
        }
    if (c->rank + c->count == TRI_TENSORMAP_MAX_RANK)
        return false;
    c->moves[c->count++] = (tri_host_map_move){at->value, known};
    return known != NULL;
}

/* Strides of maps have no sign: one that is negative would keep the launcher from making any of the kernel's maps. */
static bool has_negative_stride(const tri_host_map *c)
{
    for (int i = 0; i < c->count; i++)
        for (int t = 0; t < c->moves[i].stride->count; t++)
            if (c->moves[i].stride->term[t].factor < 0)
                return true;
    return false;
}

static bool find_base(tri_sums *sums, tri_host_map *c)
{
    MlirValue base = tri_host_words_outside(tri_op_operand(c->create, TRI_HOST_MAP_ADDRESS));
    c->offset = tri_sum_const(sums, 0);
    for (MlirOperation def = tri_op_def(base); !mlirOperationIsNull(def) && tri_op_is(def, "tt.addptr");
         def = tri_op_def(base)) {
        const tri_sum *offset = tri_sum_of(sums, tri_op_operand(def, 1));
        for (int i = 0; i < offset->count; i++)
            if (!sort_term(sums, c, &offset->term[i]))
                return false;
        base = tri_host_words_outside(tri_op_operand(def, 0));
    }
    c->argument = tri_host_words_argument(base);
    return c->argument >= 0 && c->offset;
}

/* ---- a map's text ---- */

static bool add_operands(const tri_host_map *c, int group, tri_buf *out)
{
    intptr_t start, count = tri_op_segment(c->create, group, &start);
    for (intptr_t i = 0; i < count; i++) {
        tri_buf_add_z(out, i ? ", " : "");
        if (!tri_host_words_add(out, tri_op_operand(c->create, start + i)))
            return false;
    }
    return true;
}

static bool has_unit_steps(const tri_host_map *c)
{
    intptr_t start, count = tri_op_segment(c->create, TRI_HOST_MAP_STEP, &start);
    int64_t step;
    bool is_unit = true;
    for (intptr_t i = 0; i < count; i++)
        is_unit = is_unit && tri_op_const_int(tri_op_operand(c->create, start + i), &step) && step == 1;
    return is_unit;
}

static int64_t bytes_of_element(const tri_host_map *c)
{
    return tri_type_bits(tri_type_element(tri_type_desc_block(mlirValueGetType(tri_op_result(c->descriptor, 0))))) / 8;
}

static bool add_strides(const tri_host_map *c, tri_buf *out)
{
    bool ok = add_operands(c, TRI_HOST_MAP_STRIDE, out);
    for (int i = 0; i < c->count && ok; i++) {
        tri_buf_add_z(out, c->rank + i > 1 ? ", " : "");
        ok = tri_host_words_add_sum(out, c->moves[i].stride);
        tri_buf_format(out, "%lld * ", (long long)bytes_of_element(c));
    }
    return ok;
}

/* CUtensorMapDataType of the machine's number: three of them change places. */
static int driver_element(int element)
{
    enum { F32_FTZ = 8, F64 = 9, BF16 = 10 };
    enum { DRIVER_F64 = 8, DRIVER_BF16 = 9, DRIVER_F32_FTZ = 10 };
    return element == F32_FTZ ? DRIVER_F32_FTZ : element == F64 ? DRIVER_F64 : element == BF16 ? DRIVER_BF16 : element;
}

static bool add_words(const tri_host_map *c, tri_buf *out)
{
    tri_buf_format(out, "$%d %d %d %d %d; ", (int)c->argument,
                   driver_element((int)tri_op_int(c->create, "elem_type", 0)),
                   (int)bytes_of_element(c), (int)tri_op_int(c->create, "swizzle_mode", 0),
                   (int)tri_op_int(c->create, "fill_mode", 0));
    if (!tri_host_words_add_sum(out, c->offset))
        return false;
    tri_buf_add_z(out, "; ");
    if (!add_operands(c, TRI_HOST_MAP_BOX, out))
        return false;
    for (int i = 0; i < c->count; i++)
        tri_buf_add_z(out, ", 1 ");
    tri_buf_add_z(out, "; ");
    if (!add_operands(c, TRI_HOST_MAP_SIZE, out))
        return false;
    for (int i = 0; i < c->count; i++)
        tri_buf_format(out, ", %d ", ENDLESS);
    tri_buf_add_z(out, "; ");
    return add_strides(c, out);
}

static bool make_text(tri_arena *arena, tri_host_map *c)
{
    tri_buf text = {0};
    bool ok = tri_op_int(c->create, "interleave_layout", 0) == 0 && has_unit_steps(c) && add_words(c, &text);
    if (ok)
        c->text = tri_str_trim(tri_str_copy(arena, tri_buf_str(&text)));
    tri_buf_fini(&text);
    return ok;
}

/* ---- all of it ---- */

MlirType tri_host_map_type(const tri_host_map *map)
{
    MlirType block = tri_type_desc_block(mlirValueGetType(tri_op_result(map->descriptor, 0)));
    int rank = tri_type_rank(block);
    int64_t shape[TRI_MAX_RANK];
    for (int d = 0; d < rank + map->count; d++)
        shape[d] = d < map->count ? 1 : tri_type_dim(block, d - map->count);
    MlirAttribute encoding = tri_tensormaps_with_rank(tri_type_encoding(block), rank + map->count);
    if (mlirAttributeIsNull(encoding))
        return (MlirType){NULL};
    return tri_type_desc(tri_type_tensor(rank + map->count, shape, tri_type_element(block), encoding));
}

bool tri_host_map_find(tri_arena *arena, tri_sums *sums, MlirOperation create, tri_host_map *c)
{
    intptr_t start;
    *c = (tri_host_map){.create = create, .rank = (int)tri_op_segment(create, TRI_HOST_MAP_BOX, &start)};
    if (!find_uses_of_place(c) || !find_base(sums, c) || has_negative_stride(c))
        return false;
    bool can_widen = !c->count || (is_copied_only(c) && !mlirTypeIsNull(tri_host_map_type(c)));
    return can_widen && make_text(arena, c);
}
