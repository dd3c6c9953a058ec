#include "layout/plan.h"

#include "base/diag.h"
#include "layout/gf2.h"
#include "layout/shuffle.h"
#include "layout/swizzle.h"

tri_plan_replicas tri_plan_find_replicas(const tri_linear *layout)
{
    return (tri_plan_replicas){
        .reg = tri_linear_free_mask(layout, TRI_DIM_REGISTER),
        .lane = tri_linear_free_mask(layout, TRI_DIM_LANE),
        .warp = tri_linear_free_mask(layout, TRI_DIM_WARP),
        .block = tri_linear_free_mask(layout, TRI_DIM_BLOCK),
    };
}

static uint64_t zero_registers(const tri_linear *l)
{
    uint64_t mask = 0;
    for (int i = 0; i < tri_linear_in_bits(l, TRI_DIM_REGISTER); i++)
        if (tri_linear_basis(l, TRI_DIM_REGISTER, i) == 0)
            mask |= (uint64_t)1 << i;
    return mask;
}

/* ---- plain accesses ---- */

/* The register bit whose basis is exactly `offset` (and nothing else), or -1. */
static int find_register(const tri_linear *map, uint64_t offset)
{
    uint64_t packed = offset << tri_linear_out_shift(map, TRI_DIM_OFFSET);
    for (int i = 0; i < tri_linear_in_bits(map, TRI_DIM_REGISTER); i++)
        if (tri_linear_basis(map, TRI_DIM_REGISTER, i) == packed)
            return i;
    return -1;
}

/* Whether every basis but those of the chosen register and lane bits is a multiple of 1 << bits. */
static bool others_are_aligned(const tri_linear *map, int bits, uint64_t registers, uint64_t lanes)
{
    for (int i = 0; i < map->in.count; i++) {
        uint64_t chosen = map->in.dim[i] == TRI_DIM_REGISTER ? registers : map->in.dim[i] == TRI_DIM_LANE ? lanes : 0;
        for (int j = 0; j < map->in.bits[i]; j++) {
            int64_t offset = tri_linear_coord(map, map->basis[i][j], TRI_DIM_OFFSET);
            if (!(chosen >> j & 1) && (offset & (((int64_t)1 << bits) - 1)))
                return false;
        }
    }
    return true;
}

/* Fills bit[] with the chosen register bits, then the others ascending. */
static void order_registers(tri_plan_access *p, int num_chosen, const int *chosen)
{
    uint64_t used = 0;
    p->num_bits = 0;
    for (int i = 0; i < num_chosen; i++) {
        p->bit[p->num_bits++] = (uint8_t)chosen[i];
        used |= (uint64_t)1 << chosen[i];
    }
    for (int i = 0; i < tri_linear_in_bits(&p->map, TRI_DIM_REGISTER); i++)
        if (!(used >> i & 1))
            p->bit[p->num_bits++] = (uint8_t)i;
    p->vec = 1 << num_chosen;
    p->count = 1 << (p->num_bits - num_chosen);
    p->copies = zero_registers(&p->map);
}

tri_plan_access tri_plan_access_plain(const tri_linear *map, int element_bits, int max_bits, int max_vec)
{
    tri_plan_access p = {.form = TRI_ACCESS_PLAIN, .element_bits = element_bits, .map = *map};
    int chosen[TRI_MAX_BASES] = {0}, n = 0;
    uint64_t registers = 0;
    while ((element_bits << (n + 1)) <= max_bits && (max_vec == 0 || 1 << (n + 1) <= max_vec)) {
        int r = find_register(map, (uint64_t)1 << n);
        if (r < 0)
            break;
        chosen[n++] = r;
        registers |= (uint64_t)1 << r;
    }
    while (n > 0 && !others_are_aligned(map, n, registers, 0))
        registers &= ~((uint64_t)1 << chosen[--n]);
    order_registers(&p, n, chosen);
    return p;
}

/* ---- matrix accesses ---- */

/* Lane bits `first`, first + 1, ... are offset bits `at`, at + 1, ... */
static bool lanes_are_offsets(const tri_linear *map, int first, int count, int at)
{
    for (int i = 0; i < count; i++)
        if (tri_linear_basis(map, TRI_DIM_LANE, first + i) !=
            (uint64_t)1 << (at + i) << tri_linear_out_shift(map, TRI_DIM_OFFSET))
            return false;
    return true;
}

/* One more register bit for the list: the lowest that is neither chosen nor a copy, and whose
 * elements are in memory at the same time. */
static int next_register(const tri_linear *map, int n, const int *chosen)
{
    uint64_t used = zero_registers(map);
    for (int i = 0; i < n; i++)
        used |= (uint64_t)1 << chosen[i];
    for (int i = 0; i < tri_linear_in_bits(map, TRI_DIM_REGISTER); i++)
        if (!(used >> i & 1) && !tri_linear_basis_at(map, TRI_DIM_REGISTER, i, TRI_DIM_ITERATION))
            return i;
    return -1;
}

bool tri_plan_access_matrix(const tri_linear *map, int element_bits, bool trans, tri_plan_access *out_plan)
{
    if (element_bits > 32 || element_bits < 8 || (trans && element_bits != 16) ||
        tri_linear_in_bits(map, TRI_DIM_LANE) != 5)
        return false;
    int row = tri_linear_log2(128 / element_bits), pair = tri_linear_log2(32 / element_bits);
    int chosen[TRI_MAX_BASES] = {0}, n = 0;
    uint64_t registers = 0, lanes = trans ? 0x1c : 0x3;
    if (trans) {
        /* Lane bits 2-4 run along a row in memory; a register pair and lane bits 0, 1 are rows. */
        chosen[n++] = next_register(map, 0, chosen);
        if (chosen[0] < 0 || !lanes_are_offsets(map, 2, 3, 0))
            return false;
    } else {
        for (; n < pair; n++) {
            chosen[n] = find_register(map, (uint64_t)1 << n);
            if (chosen[n] < 0)
                return false;
            registers |= (uint64_t)1 << chosen[n];
        }
        if (!lanes_are_offsets(map, 0, 2, pair))
            return false;
    }
    if (!others_are_aligned(map, row, registers, lanes))
        return false;
    for (int matrix = 0; matrix < 2; matrix++) { /* .x2, .x4 */
        int r = next_register(map, n, chosen);
        if (r < 0)
            break;
        chosen[n++] = r;
    }
    *out_plan = (tri_plan_access){.form = trans ? TRI_ACCESS_MATRIX_TRANS : TRI_ACCESS_MATRIX,
                                  .element_bits = element_bits, .map = *map};
    order_registers(out_plan, n, chosen);
    return true;
}

tri_linear tri_plan_matrix_row(const tri_plan_access *p)
{
    const tri_linear *map = &p->map;
    tri_linear rows = *map;
    int pair = p->form == TRI_ACCESS_MATRIX_TRANS ? 1 : tri_linear_log2(32 / p->element_bits);
    int lane = tri_linear_find_in(map, TRI_DIM_LANE), matrices = tri_linear_log2(p->vec) - pair;
    for (int i = 0; i < 5; i++) {
        uint64_t basis = 0;
        if (i < 3 && p->form == TRI_ACCESS_MATRIX)
            basis = map->basis[lane][i + 2];
        else if (i < 3)
            basis = i == 0 ? tri_linear_basis(map, TRI_DIM_REGISTER, p->bit[0]) : map->basis[lane][i - 1];
        else if (i - 3 < matrices)
            basis = tri_linear_basis(map, TRI_DIM_REGISTER, p->bit[pair + i - 3]);
        rows.basis[lane][i] = basis;
    }
    return rows;
}

bool tri_plan_access_shared(const tri_linear *registers, const tri_linear *buffer, int element_bits, bool is_load,
                            const tri_plan_machine *machine, tri_plan_access *out_plan)
{
    tri_linear map;
    if (!tri_linear_invert_and_compose(registers, buffer, &map))
        return false;
    if (is_load ? machine->has_ldmatrix : machine->has_stmatrix) {
        if (tri_plan_access_matrix(&map, element_bits, false, out_plan) ||
            tri_plan_access_matrix(&map, element_bits, true, out_plan))
            return true;
    }
    *out_plan = tri_plan_access_plain(&map, element_bits, machine->max_vector_bits, 0);
    return true;
}

/* log2 of the wavefronts that `lane_bits` lanes need for accesses of `bits` each. The places of one phase
 * form a space: it costs as many wavefronts as rows of memory share a bank. */
static int wavefront_bits(int n, const uint64_t *offsets, int element_bits, int bits, int banks)
{
    uint64_t words[64], in_row[64];
    int count = 0;
    for (int w = 1; w < bits / 32; w *= 2)
        words[count++] = (uint64_t)w;
    for (int i = 0; i < n; i++)
        words[count++] = offsets[i] * (uint64_t)element_bits / 32;
    for (int i = 0; i < count; i++)
        in_row[i] = words[i] & (uint64_t)(banks - 1);
    return tri_gf2_rank(count, words) - tri_gf2_rank(count, in_row);
}

int tri_plan_access_conflicts(const tri_plan_access *p, const tri_plan_machine *machine)
{
    uint64_t offsets[TRI_MAX_BASES];
    int n = 0, bits = p->vec * p->element_bits;
    tri_linear rows;
    const tri_linear *map = &p->map;
    int lanes = tri_linear_in_bits(map, TRI_DIM_LANE);
    if (p->form != TRI_ACCESS_PLAIN) {
        rows = tri_plan_matrix_row(p);
        map = &rows;
        bits = 128;
        lanes = 3;
    } else { /* a wide access takes several phases, each a part of the warp */
        int row_bits = machine->banks * 32 / (bits > 32 ? bits : 32), phase = 0;
        while (2 << phase <= row_bits && phase < lanes)
            phase++;
        lanes = phase;
    }
    for (int i = 0; i < lanes; i++)
        offsets[n++] = (uint64_t)tri_linear_coord(map, tri_linear_basis(map, TRI_DIM_LANE, i), TRI_DIM_OFFSET);
    return (1 << wavefront_bits(n, offsets, p->element_bits, bits, machine->banks)) - 1;
}

/* ---- convert_layout ---- */

/* dst -> src with every thread its own source where it can be, and what that needs. */
static tri_cvt_kind classify(const tri_linear *src, const tri_linear *dst, tri_linear *out_map,
                             tri_plan_shuffle *out_shuffle)
{
    if (!tri_shuffle_map(src, dst, out_map))
        TRI_BUG("layouts of different tensors");
    if (!tri_linear_is_trivial_over(out_map, TRI_DIM_BLOCK))
        return TRI_CVT_CLUSTER;
    if (!tri_linear_is_trivial_over(out_map, TRI_DIM_WARP))
        return TRI_CVT_SHARED;
    if (tri_linear_is_trivial_over(out_map, TRI_DIM_LANE) &&
        tri_linear_is_zero_between(out_map, TRI_DIM_LANE, TRI_DIM_REGISTER) &&
        tri_linear_is_zero_between(out_map, TRI_DIM_WARP, TRI_DIM_REGISTER) &&
        tri_linear_is_zero_between(out_map, TRI_DIM_BLOCK, TRI_DIM_REGISTER)) {
        int from = tri_linear_in_bits(src, TRI_DIM_REGISTER), to = tri_linear_in_bits(dst, TRI_DIM_REGISTER);
        bool is_same = from == to;
        for (int i = 0; i < to && is_same; i++)
            is_same = tri_linear_basis(out_map, TRI_DIM_REGISTER, i) == (uint64_t)1 << i;
        return is_same ? TRI_CVT_NONE : TRI_CVT_REGISTERS;
    }
    if (tri_linear_is_zero_between(out_map, TRI_DIM_BLOCK, TRI_DIM_LANE) &&
        tri_linear_is_zero_between(out_map, TRI_DIM_BLOCK, TRI_DIM_REGISTER) &&
        tri_shuffle_make(src, dst, out_map, out_shuffle))
        return TRI_CVT_SHUFFLE;
    return TRI_CVT_SHARED;
}

tri_cvt_kind tri_plan_convert_kind(const tri_linear *src, const tri_linear *dst)
{
    tri_linear map;
    tri_plan_shuffle shuffle;
    return classify(src, dst, &map, &shuffle);
}

bool tri_plan_convert_make(const tri_linear *src, const tri_linear *dst, int element_bits,
                           const tri_plan_machine *machine, int64_t max_scratch_bytes, tri_plan_convert *out_plan)
{
    memset(out_plan, 0, sizeof *out_plan);
    out_plan->element_bits = element_bits < 8 ? 8 : element_bits;
    out_plan->kind = classify(src, dst, &out_plan->map, &out_plan->shuffle);
    if (out_plan->kind == TRI_CVT_SHUFFLE && !machine->can_shuffle && out_plan->shuffle.num_shuffles > 0)
        out_plan->kind = TRI_CVT_SHARED;
    if (out_plan->kind < TRI_CVT_SHARED)
        return true;
    return tri_swizzle_choose(src, dst, machine, max_scratch_bytes, out_plan);
}

int64_t tri_plan_convert_scratch_bytes(const tri_linear *src, const tri_linear *dst, int element_bits,
                                       const tri_plan_machine *machine)
{
    tri_plan_convert plan;
    if (!tri_plan_convert_make(src, dst, element_bits, machine, 0, &plan))
        TRI_BUG("a conversion without a plan");
    return plan.kind < TRI_CVT_SHARED ? 0 : plan.scratch_elements * plan.element_bits / 8;
}

/* ---- reduce ---- */

/* Bits of `in` that move along the axis. */
static uint64_t axis_mask(const tri_linear *l, tri_dim in, tri_dim axis)
{
    uint64_t mask = 0;
    for (int i = 0; i < tri_linear_in_bits(l, in); i++)
        if (tri_linear_basis_at(l, in, i, axis))
            mask |= (uint64_t)1 << i;
    return mask;
}

/* Whether each basis that moves along the axis moves by one bit and along nothing else. */
static bool axis_is_separate(const tri_linear *l, tri_dim axis)
{
    int shift = tri_linear_out_shift(l, axis), bits = tri_linear_out_bits(l, axis);
    uint64_t mask = (((uint64_t)1 << bits) - 1) << shift;
    for (int i = 0; i < l->in.count; i++)
        for (int j = 0; j < l->in.bits[i]; j++)
            if ((l->basis[i][j] & mask) && (l->basis[i][j] & (l->basis[i][j] - 1)))
                return false;
    return true;
}

/* The layout after registers (and lanes, unless they are kept) are combined. What the rest still spreads
 * over the axis becomes its whole extent. */
static tri_linear combined(const tri_linear *layout, tri_dim axis, uint64_t dropped, bool keeps_lanes)
{
    int left = __builtin_popcountll(axis_mask(layout, TRI_DIM_WARP, axis)) +
               __builtin_popcountll(axis_mask(layout, TRI_DIM_BLOCK, axis));
    if (keeps_lanes)
        left += __builtin_popcountll(axis_mask(layout, TRI_DIM_LANE, axis));
    uint64_t seen = 0;
    for (int i = 0; i < layout->in.count; i++)
        for (int j = 0; j < layout->in.bits[i]; j++)
            if (layout->in.dim[i] == TRI_DIM_WARP || layout->in.dim[i] == TRI_DIM_BLOCK ||
                (layout->in.dim[i] == TRI_DIM_LANE && keeps_lanes))
                seen |= (uint64_t)tri_linear_coord(layout, layout->basis[i][j], axis);
    TRI_ASSERT(__builtin_popcountll(seen) == left);
    tri_linear r = tri_linear_empty();
    for (int d = 0; d < layout->out.count; d++)
        tri_linear_add_out(&r, layout->out.dim[d], layout->out.dim[d] == axis ? left : layout->out.bits[d]);
    for (int i = 0; i < layout->in.count; i++) {
        tri_dim in = layout->in.dim[i];
        tri_linear_add_in(&r, in);
        for (int j = 0; j < layout->in.bits[i]; j++) {
            int32_t at[TRI_LINEAR_MAX_DIMS];
            if (in == TRI_DIM_REGISTER && (dropped >> j & 1))
                continue;
            for (int d = 0; d < layout->out.count; d++) {
                int64_t c = tri_linear_coord(layout, layout->basis[i][j], layout->out.dim[d]);
                if (layout->out.dim[d] == axis)
                    c = (in == TRI_DIM_LANE && !keeps_lanes) || !c
                            ? 0
                            : (int64_t)1 << __builtin_popcountll(seen & ((uint64_t)c - 1));
                at[d] = (int32_t)c;
            }
            tri_linear_add_coords(&r, in, at);
        }
    }
    return r;
}

/* Exchanges bases so that lanes hold what warps (then blocks) spread over the axis. */
static tri_linear gather_in_lanes(const tri_linear *reduced, tri_dim axis)
{
    tri_linear next = *reduced;
    int lane_at = tri_linear_find_in(&next, TRI_DIM_LANE), lanes = tri_linear_in_bits(&next, TRI_DIM_LANE);
    int zero_lanes = 0, wanted = 0;
    static const tri_dim from[2] = {TRI_DIM_WARP, TRI_DIM_BLOCK};
    for (int i = 0; i < lanes; i++)
        zero_lanes += next.basis[lane_at][i] == 0;
    for (int k = 0; k < 2; k++)
        wanted += __builtin_popcountll(axis_mask(&next, from[k], axis));
    bool only_zero = zero_lanes >= wanted, with_blocks = only_zero || wanted <= lanes;
    int lane = 0;
    for (int k = 0; k < (with_blocks ? 2 : 1); k++) {
        int at = tri_linear_find_in(&next, from[k]);
        uint64_t mask = axis_mask(&next, from[k], axis);
        for (; mask; mask &= mask - 1) {
            int bit = __builtin_ctzll(mask);
            while (lane < lanes && only_zero && next.basis[lane_at][lane] != 0)
                lane++;
            if (lane == lanes)
                return next;
            uint64_t swap = next.basis[lane_at][lane];
            next.basis[lane_at][lane++] = next.basis[at][bit];
            next.basis[at][bit] = swap;
        }
    }
    return next;
}

/* For machines whose lanes cannot exchange values: the lowest bits of the axis, 4 at most, move from
 * threads to registers; what is left of the axis stays where it is, for the next round. */
static tri_linear gather_in_registers(const tri_linear *reduced, tri_dim axis)
{
    static const tri_dim from[] = {TRI_DIM_LANE, TRI_DIM_WARP, TRI_DIM_BLOCK};
    tri_linear next = *reduced;
    int moved = 0;
    for (int64_t weight = 1; weight < tri_linear_out_size(reduced, axis) && moved < 4; weight *= 2) {
        for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
            int at = tri_linear_find_in(&next, from[k]);
            for (int bit = 0; bit < tri_linear_in_bits(&next, from[k]); bit++) {
                if (tri_linear_basis_at(&next, from[k], bit, axis) != weight)
                    continue;
                uint64_t basis = next.basis[at][bit];
                next.basis[at][bit] = 0;
                tri_linear_add_basis(&next, TRI_DIM_REGISTER, basis);
                moved++;
            }
        }
    }
    return next;
}

bool tri_plan_reduce_make(const tri_linear *layout, tri_dim axis, const tri_plan_machine *machine,
                          tri_plan_reduce *out_plan)
{
    if (!axis_is_separate(layout, axis))
        return false;
    memset(out_plan, 0, sizeof *out_plan);
    out_plan->copies = zero_registers(layout);
    out_plan->register_mask = axis_mask(layout, TRI_DIM_REGISTER, axis);
    uint64_t lanes = axis_mask(layout, TRI_DIM_LANE, axis);
    for (int bit = 7; bit >= 0; bit--)
        if (machine->can_shuffle && (lanes >> bit & 1))
            out_plan->shuffle_xor[out_plan->num_shuffles++] = UINT32_C(1) << bit;
    out_plan->reduced = combined(layout, axis, out_plan->register_mask | out_plan->copies, !machine->can_shuffle);
    out_plan->is_complete = tri_linear_out_bits(&out_plan->reduced, axis) == 0;
    if (!out_plan->is_complete)
        out_plan->next = machine->can_shuffle ? gather_in_lanes(&out_plan->reduced, axis)
                                              : gather_in_registers(&out_plan->reduced, axis);
    return true;
}

uint64_t tri_plan_reduce_target(const tri_plan_reduce *p, const tri_linear *layout, uint64_t r)
{
    uint64_t target = 0;
    for (int i = 0, at = 0; i < tri_linear_in_bits(layout, TRI_DIM_REGISTER); i++)
        if (!((p->register_mask | p->copies) >> i & 1))
            target |= (r >> i & 1) << at++;
    return target;
}

tri_linear tri_plan_reduce_result(const tri_linear *reduced, tri_dim axis)
{
    TRI_ASSERT(tri_linear_out_bits(reduced, axis) == 0);
    tri_linear r = tri_linear_drop_out(reduced, axis);
    for (int d = 0; d < r.out.count; d++)
        if (r.out.dim[d] > axis)
            r.out.dim[d]--;
    return tri_linear_remove_zero_bases(&r, TRI_DIM_REGISTER);
}

/* ---- scan ---- */

bool tri_plan_scan_make(const tri_linear *layout, tri_dim axis, tri_plan_scan *out_plan)
{
    static const tri_dim ins[3] = {TRI_DIM_REGISTER, TRI_DIM_LANE, TRI_DIM_WARP};
    memset(out_plan, 0, sizeof *out_plan);
    if (!axis_is_separate(layout, axis) || axis_mask(layout, TRI_DIM_BLOCK, axis))
        return false;
    out_plan->copies = zero_registers(layout);
    int *counts[3] = {&out_plan->num_register_bits, &out_plan->num_lane_bits, &out_plan->num_warp_bits};
    for (int64_t weight = 1; weight < tri_linear_out_size(layout, axis); weight *= 2) {
        bool found = false;
        for (int k = 0; k < 3 && !found; k++) {
            for (int i = 0; i < tri_linear_in_bits(layout, ins[k]) && !found; i++) {
                found = tri_linear_basis_at(layout, ins[k], i, axis) == weight;
                if (found) {
                    out_plan->step[out_plan->num_steps].in = ins[k];
                    out_plan->step[out_plan->num_steps++].bit = i;
                    (*counts[k])++;
                }
            }
        }
        if (!found)
            return false;
    }
    return true;
}
