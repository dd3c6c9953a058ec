#include "ir/analysis/wave_copy.h"

#include "ir/analysis/scratch.h"
#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/op.h"
#include "ir/type.h"
#include "layout/convert.h"

enum { copy_pointer, copy_buffer, copy_mask, copy_other }; /* operand groups */

/* Registers of a buffer that is no part of another one, as offsets in it. */
static bool find_map(const tri_linear *registers, const tri_memdesc *d, const tri_encoding *e, tri_linear *out)
{
    static const tri_dim ins[] = {TRI_DIM_REGISTER, TRI_DIM_LANE, TRI_DIM_WARP}, outs[] = {TRI_DIM_OFFSET};
    tri_linear buffer, map;
    int skip = d->alloc_rank - d->rank;
    for (int i = 0; i < d->rank; i++)
        if (d->shape[i] != d->alloc_shape[skip + i])
            return false;
    bool is_plain = e->kind == TRI_ENC_SWIZZLED_SHARED || e->kind == TRI_ENC_PADDED_SHARED;
    if (!is_plain || e->rank != d->rank || !tri_convert_to_linear(e, d->rank, d->shape, &buffer, NULL) ||
        !tri_linear_invert_and_compose(registers, &buffer, &map))
        return false;
    for (int i = 0; i < 3; i++)
        if (tri_linear_free_mask(registers, ins[i]))
            return false;
    *out = tri_linear_sublayout(&map, 3, ins, 1, outs);
    return true;
}

/* Lanes side by side, `vec` elements each; what registers and warps add leaves that alone. */
static bool is_in_rows(const tri_linear *map, int vec)
{
    int lanes = tri_linear_in_bits(map, TRI_DIM_LANE), first = tri_linear_log2(vec);
    int64_t row = (int64_t)vec << lanes;
    for (int i = 0; i < lanes; i++)
        if (tri_linear_basis_at(map, TRI_DIM_LANE, i, TRI_DIM_OFFSET) != (int64_t)vec << i)
            return false;
    for (int i = 0; i < tri_linear_in_bits(map, TRI_DIM_REGISTER); i++) {
        int64_t offset = tri_linear_basis_at(map, TRI_DIM_REGISTER, i, TRI_DIM_OFFSET);
        if (i < first ? offset != (int64_t)1 << i : offset % row != 0)
            return false;
    }
    for (int i = 0; i < tri_linear_in_bits(map, TRI_DIM_WARP); i++)
        if (tri_linear_basis_at(map, TRI_DIM_WARP, i, TRI_DIM_OFFSET) % row)
            return false;
    return true;
}

static bool is_padded_between(const tri_encoding *e, int64_t row, int vec)
{
    for (int i = 0; e->kind == TRI_ENC_PADDED_SHARED && i < e->padded.count; i++)
        if (e->padded.interval[i] % row || e->padded.padding[i] % vec)
            return false;
    return true;
}

/* Whether the first `vec` registers are neighbours in memory that the mask treats alike: along one dimension. */
static bool is_run_of_lane(const tri_axis_info *axis, MlirOperation op, const tri_linear *registers, int rank, int vec)
{
    int dim = 0;
    for (int d = 0; d < rank && vec > 1; d++)
        if (tri_linear_basis_at(registers, TRI_DIM_REGISTER, 0, (tri_dim)(TRI_DIM_0 + d)))
            dim = d;
    for (int i = 0; i < tri_linear_log2(vec); i++)
        for (int d = 0; d < rank; d++)
            if (tri_linear_basis_at(registers, TRI_DIM_REGISTER, i, (tri_dim)(TRI_DIM_0 + d)) != (d == dim) << i)
                return false;
    MlirValue mask = tri_op_segment_value(op, copy_mask);
    int64_t known = tri_axis_info_alignment(axis, tri_op_segment_value(op, copy_pointer), dim);
    int64_t hint = tri_op_int(op, "contiguity", 1);
    return (known > hint ? known : hint) >= vec && tri_axis_info_mask_alignment(axis, mask, dim) >= vec;
}

bool tri_wave_copy_find(tri_arena *arena, const tri_axis_info *axis, MlirOperation module, MlirOperation op,
                        tri_wave_copy *out)
{
    tri_memdesc d;
    tri_linear registers;
    MlirType pointers = mlirValueGetType(tri_op_segment_value(op, copy_pointer));
    MlirValue other = tri_op_segment_value(op, copy_other);
    if ((!mlirValueIsNull(other) && !tri_op_const_zero(other)) ||
        !tri_type_get_memdesc(mlirValueGetType(tri_op_segment_value(op, copy_buffer)), &d))
        return false;
    const tri_encoding *e = tri_encoding_get(arena, d.encoding);
    if (!e || !tri_scratch_linear(arena, pointers, &registers) || !find_map(&registers, &d, e, &out->map))
        return false;
    int lanes = tri_linear_in_bits(&out->map, TRI_DIM_LANE), bits = tri_scratch_element_bits(d.element);
    int64_t vec = lanes ? tri_linear_basis_at(&out->map, TRI_DIM_LANE, 0, TRI_DIM_OFFSET) : 0;
    if (vec < 1 || vec & (vec - 1) || vec > tri_linear_in_size(&out->map, TRI_DIM_REGISTER))
        return false;
    out->vec = (int)vec;
    out->bytes = (int)(vec * bits / 8);
    out->count = (int)(tri_linear_in_size(&out->map, TRI_DIM_REGISTER) / vec);
    bool has_width = (out->bytes == 4 || out->bytes == 16) && (tri_machines_of(module)->direct_to_shared & out->bytes);
    return has_width && 1 << lanes == tri_scratch_machine(module).lanes && is_in_rows(&out->map, out->vec) &&
           is_padded_between(e, vec << lanes, out->vec) && is_run_of_lane(axis, op, &registers, d.rank, out->vec);
}
