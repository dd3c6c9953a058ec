/* Two groups of four warps that issue their products in turn: while one group's products run, the other one works on
 * the results of its own, instead of both doing the same at the same time.
 *
 *     wait turn[g], parity ; products, asynchronous ; arrive turn[1 - g]
 *
 * turn[g] completes a phase when the four warps of the other group have arrived. Group 0 goes first: it waits for the
 * parity in front of a fresh mbarrier, and from then on for the phase that the other group's turn before has completed.
 * Which turn it is follows from the place in the ring of the loads, as there is one turn for each of them. The scheme
 * is FlashAttention-3's, with mbarriers in the place of named ones. */
#include "passes/ttgir/automatic_warp_specialization/split.h"

#include "ir/type.h"
#include "passes/analysis/buffers.h"
#include "passes/ttgir/pipeline/lower.h"

enum { WARPS_LOG2 = 2, WARPS = 1 << WARPS_LOG2, GROUPS = 2 };

static MlirType i32_of(tri_builder *b) { return mlirIntegerTypeGet(b->context, 32); }

static MlirValue binary(tri_builder *b, const char *name, MlirValue x, MlirValue y)
{
    return tri_builder_binary(b, name, i32_of(b), x, y);
}

static MlirValue number(tri_builder *b, int64_t value) { return tri_builder_int(b, i32_of(b), value); }

/* The number of this group of warps. */
static MlirValue group_of(tri_builder *b)
{
    MlirType i32 = i32_of(b);
    MlirValue warp = tri_builder_value(b, &(tri_op){.name = "ttg.warp_id", .num_results = 1, .results = &i32});
    return binary(b, "arith.shrui", warp, number(b, WARPS_LOG2));
}

tri_split_turns tri_turns_make(MlirOperation loop, int stages, bool is_restarted)
{
    tri_lowering l = {.loop = loop};
    return (tri_split_turns){.mbarriers = tri_pipeline_barriers(&l, GROUPS, WARPS),
                             .stages = stages,
                             .is_restarted = is_restarted};
}

void tri_turns_end(const tri_split_turns *turns, tri_builder *b)
{
    tri_pipeline_end_barriers(NULL, b, turns->mbarriers);
}

void tri_turns_wait(const tri_split_turns *turns, tri_builder *b, MlirValue slot, MlirValue phase)
{
    MlirValue group = group_of(b), one = number(b, 1);
    /* of the number of loads so far, phase * stages + slot, or that of all the slots' */
    MlirValue parity = turns->is_restarted     ? tri_builder_unary(b, "math.ctpop", i32_of(b), phase)
                       : turns->stages % 2 ? binary(b, "arith.xori", slot, phase)
                                           : slot;
    parity = binary(b, "arith.andi", parity, one);
    parity = binary(b, "arith.xori", parity, binary(b, "arith.xori", group, one));
    const int32_t sizes[] = {1, 1, 0, 0};
    tri_attr attrs[] = {{"operandSegmentSizes", tri_attr_i32s(b->context, 4, sizes)},
                        {TRI_BUFFERS_TURN, tri_attr_unit(b->context)}};
    MlirValue operands[] = {tri_pipeline_slot(b, turns->mbarriers, group), parity};
    tri_builder_create(
        b, &(tri_op){
               .name = "ttng.wait_barrier", .num_operands = 2, .operands = operands, .num_attrs = 2, .attrs = attrs});
}

void tri_turns_hand_over(const tri_split_turns *turns, tri_builder *b)
{
    MlirValue one = number(b, 1), other = binary(b, "arith.xori", group_of(b), one);
    MlirValue mbarrier = tri_pipeline_slot(b, turns->mbarriers, other);
    tri_attr attrs[] = {{"count", tri_attr_i32(b->context, 1)},
                        {TRI_BUFFERS_PER_WARP, tri_attr_unit(b->context)},
                        {TRI_BUFFERS_TURN, tri_attr_unit(b->context)}};
    tri_builder_create(
        b,
        &(tri_op){
            .name = "ttng.arrive_barrier", .num_operands = 1, .operands = &mbarrier, .num_attrs = 3, .attrs = attrs});
}
