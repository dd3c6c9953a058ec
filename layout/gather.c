#include "layout/gather.h"

#include <string.h>

/* Part of a packed (register, lane, warp, block) that belongs to one of them. */
static uint64_t part(const tri_linear *holder, uint64_t packed, tri_dim in)
{
    return tri_linear_find_out(holder, in) < 0 ? 0 : (uint64_t)tri_linear_coord(holder, packed, in);
}

/* Holder of the source's element whose coordinates are those of one basis of the index, but 0 along the axis. */
static uint64_t holder_of(const tri_linear *holder, const tri_linear *index, tri_dim in, int bit, tri_dim axis)
{
    uint64_t packed = 0;
    for (int i = 0; i < index->out.count; i++) {
        tri_dim dim = index->out.dim[i];
        if (dim != axis)
            packed ^= tri_linear_apply_one(holder, dim, (uint64_t)tri_linear_basis_at(index, in, bit, dim));
    }
    return packed;
}

/* Warps (blocks) that hold copies must hold the very same ones: then each is its own source. */
static bool has_plain_copies(const tri_linear *l, tri_dim in)
{
    uint64_t copies = tri_linear_free_mask(l, in);
    for (int bit = 0; bit < tri_linear_in_bits(l, in); bit++)
        if (copies >> bit & 1 && tri_linear_basis(l, in, bit))
            return false;
    return true;
}

bool tri_gather_plan(const tri_linear *source, const tri_linear *index, tri_dim axis, tri_gather *out_plan)
{
    static const tri_dim ins[] = {TRI_DIM_REGISTER, TRI_DIM_LANE, TRI_DIM_WARP, TRI_DIM_BLOCK};
    tri_linear holder = tri_linear_pseudo_invert(source);
    uint64_t warps = ~tri_linear_free_mask(source, TRI_DIM_WARP), blocks = ~tri_linear_free_mask(source, TRI_DIM_BLOCK);
    tri_gather *p = out_plan;
    if (!has_plain_copies(source, TRI_DIM_WARP) || !has_plain_copies(source, TRI_DIM_BLOCK))
        return false;
    memset(p, 0, sizeof *p);
    tri_linear_add_out(&p->lane, TRI_DIM_LANE, tri_linear_in_bits(source, TRI_DIM_LANE));
    tri_linear_add_out(&p->source, TRI_DIM_REGISTER, tri_linear_in_bits(source, TRI_DIM_REGISTER));
    for (int i = 0; i < 4; i++) {
        tri_linear_add_in(&p->lane, ins[i]);
        for (int bit = 0; bit < tri_linear_in_bits(index, ins[i]); bit++) {
            uint64_t at = holder_of(&holder, index, ins[i], bit, axis), own = UINT64_C(1) << bit;
            if (part(&holder, at, TRI_DIM_WARP) != (ins[i] == TRI_DIM_WARP ? own & warps : 0) ||
                part(&holder, at, TRI_DIM_BLOCK) != (ins[i] == TRI_DIM_BLOCK ? own & blocks : 0))
                return false;
            if (ins[i] == TRI_DIM_REGISTER)
                tri_linear_add_basis(&p->source, TRI_DIM_REGISTER, part(&holder, at, TRI_DIM_REGISTER));
            else if (part(&holder, at, TRI_DIM_REGISTER))
                return false;
            tri_linear_add_basis(&p->lane, ins[i], part(&holder, at, TRI_DIM_LANE));
        }
    }
    p->axis_bits = tri_linear_out_bits(source, axis);
    p->num_searched = 1;
    for (int bit = 0; bit < p->axis_bits; bit++) {
        uint64_t at = tri_linear_apply_one(&holder, axis, UINT64_C(1) << bit);
        if (part(&holder, at, TRI_DIM_WARP) || part(&holder, at, TRI_DIM_BLOCK))
            return false;
        p->lane_of[bit] = part(&holder, at, TRI_DIM_LANE);
        p->register_of[bit] = part(&holder, at, TRI_DIM_REGISTER);
        p->num_searched *= p->register_of[bit] ? 2 : 1;
    }
    return true;
}

bool tri_gather_is_worth(const tri_gather *plan, const tri_linear *source, const tri_linear *index)
{
    int64_t wanted = tri_linear_in_size(index, TRI_DIM_REGISTER), held = tri_linear_in_size(source, TRI_DIM_REGISTER);
    /* a table takes a store for each element, a barrier, and a load with bank conflicts for each one wanted */
    return plan->num_searched * wanted <= held + 4 * wanted;
}
