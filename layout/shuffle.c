#include "layout/shuffle.h"

#include "base/diag.h"
#include "layout/gf2.h"

bool tri_shuffle_map(const tri_linear *src, const tri_linear *dst, tri_linear *out_map)
{
    static const tri_dim threads[3] = {TRI_DIM_BLOCK, TRI_DIM_WARP, TRI_DIM_LANE};
    if (!tri_linear_invert_and_compose(dst, src, out_map))
        return false;
    /* A zero basis of src may be added to any source index: add it so that the index of the reading
     * thread itself comes out. */
    for (int k = 0; k < 3; k++) {
        int in = tri_linear_find_in(out_map, threads[k]), shift = tri_linear_out_shift(out_map, threads[k]);
        int bits = tri_linear_in_bits(src, threads[k]);
        for (int i = 0; in >= 0 && i < bits && i < out_map->in.bits[in]; i++) {
            uint64_t self = (uint64_t)1 << (shift + i);
            if (tri_linear_basis(src, threads[k], i) == 0 && !(out_map->basis[in][i] & self))
                out_map->basis[in][i] ^= self;
        }
    }
    return true;
}

/* The map in blocks: columns of each input, register and lane parts. */
typedef struct {
    int regs, lanes, warps;
    uint64_t reg_reg[TRI_MAX_BASES], reg_lane[TRI_MAX_BASES];
    uint64_t lane_reg[TRI_MAX_BASES], lane_lane[TRI_MAX_BASES];
    uint64_t warp_reg[TRI_MAX_BASES], warp_lane[TRI_MAX_BASES];
    uint64_t arrive[TRI_MAX_BASES]; /* A: lane bit -> destination register bits */
    uint64_t reach[TRI_MAX_BASES];  /* N: lane bit -> source lane, after A */
} blocks;

static void split(const tri_linear *map, tri_dim in, int *out_count, uint64_t *out_reg, uint64_t *out_lane)
{
    *out_count = tri_linear_in_bits(map, in);
    for (int i = 0; i < *out_count; i++) {
        out_reg[i] = (uint64_t)tri_linear_basis_at(map, in, i, TRI_DIM_REGISTER);
        out_lane[i] = (uint64_t)tri_linear_basis_at(map, in, i, TRI_DIM_LANE);
    }
}

static uint64_t sum(const uint64_t *columns, uint64_t index)
{
    uint64_t s = 0;
    for (; index; index &= index - 1)
        s ^= columns[__builtin_ctzll(index)];
    return s;
}

/* Chooses A so that in each round two lanes that read from one lane want the same register. */
static bool choose_arrival(blocks *b, uint64_t copies, int *out_mixed)
{
    tri_gf2 all, chosen;
    tri_gf2_init(&all);
    tri_gf2_init(&chosen);
    for (int j = 0; j < b->lanes; j++)
        tri_gf2_add(&all, b->lane_lane[j]);
    *out_mixed = 0;
    for (int j = 0; j < b->lanes; j++) {
        uint64_t from;
        b->arrive[j] = 0;
        b->reach[j] = b->lane_lane[j];
        if (tri_gf2_reduce(&chosen, b->reach[j], &from) != 0) {
            tri_gf2_add(&chosen, b->reach[j]);
            continue;
        }
        from |= (uint64_t)1 << j;
        uint64_t wants = 0;
        for (uint64_t rest = from; rest; rest &= rest - 1) {
            int i = __builtin_ctzll(rest);
            wants ^= b->lane_reg[i] ^ sum(b->reg_reg, b->arrive[i]);
        }
        tri_gf2_add(&chosen, b->reach[j]); /* keeps the numbering of `from` */
        if (wants == 0)
            continue;
        int best = -1;
        for (int k = 0; k < b->regs; k++) {
            if ((copies >> k & 1) || tri_gf2_reduce(&all, b->reg_lane[k], NULL) == 0)
                continue;
            if (best < 0 || (b->lane_lane[j] ^ b->reg_lane[k]) == (uint64_t)1 << j)
                best = k;
        }
        if (best < 0)
            return false;
        b->arrive[j] = (uint64_t)1 << best;
        b->reach[j] ^= b->reg_lane[best];
        tri_gf2_add(&all, b->reg_lane[best]);
        (*out_mixed)++;
        /* Rebuild: reach[j] is now independent of the lanes before it. */
        tri_gf2_init(&chosen);
        for (int i = 0; i <= j; i++)
            tri_gf2_add(&chosen, b->reach[i]);
    }
    return true;
}

/* Lane and warp columns with values in the source's registers -> selects, one for each dimension of their span. */
static int factor(const blocks *b, const uint64_t *lane_columns, const uint64_t *warp_columns, tri_plan_select *out)
{
    tri_gf2 span;
    int count = 0, which[64];
    tri_gf2_init(&span);
    for (int i = 0; i < b->lanes + b->warps; i++) {
        uint64_t column = i < b->lanes ? lane_columns[i] : warp_columns[i - b->lanes];
        if (tri_gf2_add(&span, column)) {
            which[count] = i;
            out[count++] = (tri_plan_select){.register_xor = column};
        }
    }
    for (int i = 0; i < b->lanes + b->warps; i++) {
        uint64_t from, column = i < b->lanes ? lane_columns[i] : warp_columns[i - b->lanes];
        tri_gf2_reduce(&span, column, &from);
        for (int s = 0; s < count; s++) {
            if (!(from >> which[s] & 1))
                continue;
            if (i < b->lanes)
                out[s].lane_mask |= UINT32_C(1) << i;
            else
                out[s].warp_mask |= UINT32_C(1) << (i - b->lanes);
        }
    }
    return count;
}

/* The source's side: which register each lane sends in each round. */
static void plan_sending(const blocks *b, const tri_linear *map, tri_plan_shuffle *p)
{
    tri_gf2 reach;
    tri_gf2_init(&reach);
    for (int j = 0; j < b->lanes; j++)
        tri_gf2_add(&reach, b->reach[j]);
    int src_lanes = tri_linear_out_bits(map, TRI_DIM_LANE);
    for (int i = 0; i < src_lanes; i++)
        tri_gf2_add(&reach, (uint64_t)1 << i);
    uint64_t mask = ((uint64_t)1 << b->lanes) - 1, wanted[TRI_MAX_BASES], lane_columns[TRI_MAX_BASES] = {0};
    uint64_t warp_columns[TRI_MAX_BASES] = {0}, from;
    for (int j = 0; j < b->lanes; j++)
        wanted[j] = b->lane_reg[j] ^ sum(b->reg_reg, b->arrive[j]);
    for (int i = 0; i < src_lanes; i++) {
        tri_gf2_reduce(&reach, (uint64_t)1 << i, &from);
        lane_columns[i] = sum(wanted, from & mask);
    }
    for (int i = 0; i < b->warps; i++)
        warp_columns[i] = b->warp_reg[i] ^ sum(lane_columns, b->warp_lane[i]);
    p->num_send = factor(b, lane_columns, warp_columns, p->send);
    p->renumber = tri_linear_empty();
    tri_linear_add_out(&p->renumber, TRI_DIM_REGISTER, tri_linear_out_bits(map, TRI_DIM_REGISTER));
    tri_linear_add_in(&p->renumber, TRI_DIM_REGISTER);
    for (int k = 0; k < b->regs; k++)
        tri_linear_add_basis(&p->renumber, TRI_DIM_REGISTER, b->reg_reg[k] ^ sum(lane_columns, b->reg_lane[k]));
}

static void plan_lanes(const blocks *b, const tri_linear *map, tri_plan_shuffle *p)
{
    p->source = tri_linear_empty();
    tri_linear_add_out(&p->source, TRI_DIM_LANE, tri_linear_out_bits(map, TRI_DIM_LANE));
    tri_linear_add_in(&p->source, TRI_DIM_REGISTER);
    tri_linear_add_in(&p->source, TRI_DIM_LANE);
    tri_linear_add_in(&p->source, TRI_DIM_WARP);
    p->is_xor = true;
    for (int k = 0; k < b->regs; k++)
        tri_linear_add_basis(&p->source, TRI_DIM_REGISTER, b->reg_lane[k]);
    for (int j = 0; j < b->lanes; j++) {
        tri_linear_add_basis(&p->source, TRI_DIM_LANE, b->reach[j]);
        p->is_xor &= b->reach[j] == (uint64_t)1 << j;
    }
    for (int i = 0; i < b->warps; i++) {
        tri_linear_add_basis(&p->source, TRI_DIM_WARP, b->warp_lane[i]);
        p->is_xor &= b->warp_lane[i] == 0;
    }
    for (uint64_t k = 0; k < (uint64_t)1 << b->regs; k++)
        if (!(k & p->copies) && (!p->is_xor || tri_linear_apply_one(&p->source, TRI_DIM_REGISTER, k)))
            p->num_shuffles++;
}

bool tri_shuffle_make(const tri_linear *src, const tri_linear *dst, const tri_linear *map, tri_plan_shuffle *out_plan)
{
    blocks b;
    int mixed;
    memset(out_plan, 0, sizeof *out_plan);
    (void)src;
    split(map, TRI_DIM_REGISTER, &b.regs, b.reg_reg, b.reg_lane);
    split(map, TRI_DIM_LANE, &b.lanes, b.lane_reg, b.lane_lane);
    split(map, TRI_DIM_WARP, &b.warps, b.warp_reg, b.warp_lane);
    for (int i = 0; i < b.regs; i++)
        if (tri_linear_basis(dst, TRI_DIM_REGISTER, i) == 0)
            out_plan->copies |= (uint64_t)1 << i;
    if (b.lanes + b.warps > 16 || !choose_arrival(&b, out_plan->copies, &mixed))
        return false;
    for (int j = 0; j < b.lanes; j++)
        if (b.arrive[j])
            out_plan->receive[out_plan->num_receive++] =
                (tri_plan_select){.lane_mask = UINT32_C(1) << j, .register_xor = b.arrive[j]};
    plan_sending(&b, map, out_plan);
    plan_lanes(&b, map, out_plan);
    /* Two exchanged bits need as many selects and shuffles as a trip through memory needs instructions. */
    return mixed < 2 || out_plan->num_shuffles == 0;
}
