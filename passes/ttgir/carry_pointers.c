/* Makes the offsets that a loop carries the addresses that it reads.
 *
 *     scf.for ... iter_args(%o = %first) {              scf.for ... iter_args(%a = addptr %x, %first) {
 *       %p = tt.addptr %x, %o      // 64 bits     ->
 *       tt.load %p                                         tt.load %a
 *       yield addi %o, %step                               yield addptr %a, %step
 *     }                                                 }
 *
 * An assembler then adds once for each address, at any depth of unrolling, where offsets are multiplied and added for
 * every access: a softmax backward of FlagGems is a fifth faster on an H200. Only offsets of 64 bits, whose sum is the
 * address (those of 32 bits may wrap), that serve nothing but addresses of the loop's own bases; not where each base
 * would cost many registers. What the loop no longer needs of the offset goes with dead code. Needs: ttgir, behind
 * pipelining. Test: tests/passes/carry-pointers.mlir */
#include "passes/passes.h"

#include "ir/analysis/axis_info.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"

enum {
    MAX_BASES = 4,
    MOST_REGISTERS = 32 /* that the addresses of a thread may take beyond what the offsets took */
};

typedef struct {
    MlirValue offset, step; /* the loop's argument, and what each trip adds */
    int num_bases;
    MlirValue bases[MAX_BASES];
    tri_op_list addresses; /* each tt.addptr of a base and the offset */
} carried;

static bool is_outside(MlirOperation loop, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(value, &block, &index))
        block = mlirOperationGetBlock(tri_op_def(value));
    MlirBlock body = tri_op_body(loop, 0);
    for (;; block = mlirOperationGetBlock(mlirBlockGetParentOperation(block))) {
        if (mlirBlockEqual(block, body))
            return false;
        MlirOperation parent = mlirBlockGetParentOperation(block);
        if (mlirOperationIsNull(parent) || mlirBlockIsNull(mlirOperationGetBlock(parent)))
            return true;
    }
}

static int base_of(carried *c, MlirValue base)
{
    for (int i = 0; i < c->num_bases; i++)
        if (mlirValueEqual(c->bases[i], base))
            return i;
    if (c->num_bases == MAX_BASES)
        return -1;
    c->bases[c->num_bases] = base;
    return c->num_bases++;
}

/* Whether every use of the offset but its own sum is an address of a base from outside. */
static bool collect_addresses(tri_pass_run *run, MlirOperation loop, MlirOperation sum, carried *c)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(c->offset); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        if (mlirOperationEqual(op, sum))
            continue;
        if (!tri_op_is(op, "tt.addptr") || mlirOpOperandGetOperandNumber(use) != 1 ||
            !is_outside(loop, tri_op_operand(op, 0)) || base_of(c, tri_op_operand(op, 0)) < 0)
            return false;
        tri_vec_push(run->arena, &c->addresses, op);
    }
    return c->num_bases > 0;
}

/* Two for each address that a thread keeps: one access moves as many elements as are known to lie side by side. */
static int64_t registers_of(tri_pass_run *run, const tri_axis_info *info, const carried *c)
{
    MlirValue address = tri_op_result(c->addresses.at[0], 0);
    tri_linear layout;
    if (!tri_type_is_tensor(mlirValueGetType(address)))
        return 2;
    if (!tri_dots_linear(run->arena, mlirValueGetType(address), &layout))
        return MOST_REGISTERS + 1;
    int64_t elements = (int64_t)1 << tri_linear_in_bits(&layout, TRI_DIM_REGISTER), side_by_side = 1;
    for (int d = 0; d < tri_type_rank(mlirValueGetType(address)); d++) {
        int64_t n = tri_axis_info_alignment(info, address, d);
        side_by_side = n > side_by_side ? n : side_by_side;
    }
    return 2 * (elements > side_by_side ? elements / side_by_side : 1);
}

static bool read_carried(tri_pass_run *run, const tri_axis_info *info, MlirOperation loop, intptr_t index, carried *c)
{
    c->offset = mlirBlockGetArgument(tri_op_body(loop, 0), index + 1);
    MlirType element = tri_type_element(mlirValueGetType(c->offset));
    if (!mlirTypeIsAInteger(element) || mlirIntegerTypeGetWidth(element) != 64)
        return false;
    MlirOperation sum = tri_op_def(tri_op_operand(tri_loops_yield(loop, 0), index));
    if (mlirOperationIsNull(sum) || !tri_op_is(sum, "arith.addi"))
        return false;
    int at = mlirValueEqual(tri_op_operand(sum, 0), c->offset) ? 0 : 1;
    c->step = tri_op_operand(sum, !at);
    return mlirValueEqual(tri_op_operand(sum, at), c->offset) && is_outside(loop, c->step) &&
           collect_addresses(run, loop, sum, c) &&
           (c->num_bases - 1) * registers_of(run, info, c) <= MOST_REGISTERS;
}

static MlirValue address_at(tri_builder *b, MlirOperation like, MlirValue base, MlirValue offset)
{
    return tri_builder_binary(b, "tt.addptr", mlirValueGetType(tri_op_result(like, 0)), base, offset);
}

/* One more value of the loop for each base. */
static MlirOperation carry(tri_pass_run *run, MlirOperation loop, intptr_t index, carried *c)
{
    MlirValue starts[MAX_BASES], nexts[MAX_BASES], first = tri_op_operand(loop, 3 + index);
    MlirOperation like = c->addresses.at[0];
    tri_builder before = tri_builder_before(loop);
    for (int i = 0; i < c->num_bases; i++)
        starts[i] = address_at(&before, like, c->bases[i], first);
    MlirOperation made = tri_loops_add_iter_args(run->arena, loop, c->num_bases, starts);
    MlirBlock body = tri_op_body(made, 0);
    intptr_t from = mlirBlockGetNumArguments(body) - c->num_bases;
    for (size_t i = 0; i < c->addresses.len; i++) {
        MlirValue now = mlirBlockGetArgument(body, from + base_of(c, tri_op_operand(c->addresses.at[i], 0)));
        tri_op_replace(c->addresses.at[i], 1, &now);
    }
    MlirOperation yield = tri_loops_yield(made, 0);
    tri_builder end = tri_builder_before(yield);
    for (int i = 0; i < c->num_bases; i++) {
        MlirValue now = mlirBlockGetArgument(body, from + i);
        nexts[i] = tri_builder_binary(&end, "tt.addptr", mlirValueGetType(now), now, c->step);
    }
    tri_loops_append_yield(run->arena, yield, c->num_bases, nexts);
    return made;
}

static bool run_carry_pointers(tri_pass_run *run)
{
    tri_op_list loops = {0};
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_collect_named(module, "scf.for", run->arena, &loops);
    const tri_axis_info *info = loops.len ? tri_axis_info_create(run->arena, module) : NULL;
    for (size_t i = 0; i < loops.len; i++) {
        MlirOperation loop = loops.at[i];
        for (intptr_t index = 0, count = mlirOperationGetNumResults(loop); index < count; index++) {
            carried c = {0};
            if (read_carried(run, info, loop, index, &c))
                loop = carry(run, loop, index, &c);
        }
    }
    return true;
}

const tri_pass tri_pass_carry_pointers = {
    .name = "carry-pointers",
    .help = "carry the addresses that a loop reads instead of their offsets",
    .run = run_carry_pointers,
};
