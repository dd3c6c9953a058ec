/* Takes the last iteration out of loops that ask for it.
 *
 *     %r = scf.for %i = %lb to %ub step %s             %m = scf.for %i = %lb to (%ub - %s) step %s
 *          iter_args(%a = %x) { body(%i, %a) }              iter_args(%a = %x) { body(%i, %a) }
 *          {tt.peel_last}                              %r = scf.if %lb < %ub { body(%last, %m) } else { %m }
 *                                                      %last = %lb + (%ub - %lb - 1) / %s * %s
 *
 * Needs: ttir or ttgir; bounds that compare as signed numbers. Code that concerns the last iteration only can then be
 * folded into the copy. The attribute goes; that of upstream's tests (__test_peel_epilogue) is understood, too. Answers
 * to triton-test-loop-peeling. Test: tests/passes/loop-peeling.mlir */
#include "passes/passes.h"

#include "ir/compare.h"
#include "ir/op.h"

#include "mlir-c/BuiltinTypes.h"

typedef struct {
    tri_arena *arena;
    MlirOperation loop;
    intptr_t count; /* of values it carries */
} peeler;

static MlirValue binary(tri_builder *b, const char *name, MlirValue x, MlirValue y)
{
    return tri_builder_binary(b, name, mlirValueGetType(x), x, y);
}

/* A copy of the loop's body at the builder, in a branch; ends in a yield. */
static void copy_body(peeler *p, tri_builder *b, MlirValue last)
{
    MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(p->loop, 0));
    tri_op_list ops = {0};
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        tri_vec_push(p->arena, &ops, op);
    TRI_VEC(MlirValue) from = {0}, to = {0};
    tri_vec_push(p->arena, &from, mlirBlockGetArgument(body, 0));
    tri_vec_push(p->arena, &to, last);
    for (intptr_t i = 0; i < p->count; i++) {
        tri_vec_push(p->arena, &from, mlirBlockGetArgument(body, 1 + i));
        tri_vec_push(p->arena, &to, tri_op_result(p->loop, i));
    }
    for (size_t i = 0; i < ops.len; i++) {
        MlirOperation made = tri_op_clone(b, ops.at[i], (intptr_t)from.len, from.at, to.at);
        for (intptr_t r = 0; r < mlirOperationGetNumResults(made); r++) {
            tri_vec_push(p->arena, &from, tri_op_result(ops.at[i], r));
            tri_vec_push(p->arena, &to, tri_op_result(made, r));
        }
    }
}

static MlirOperation make_if(peeler *p, tri_builder *b, MlirValue condition, MlirBlock *out_blocks)
{
    MlirType *types = TRI_NEW_ARRAY(p->arena, MlirType, p->count + 1);
    MlirRegion regions[2];
    for (intptr_t i = 0; i < p->count; i++)
        types[i] = mlirValueGetType(tri_op_result(p->loop, i));
    for (int r = 0; r < 2; r++) {
        regions[r] = mlirRegionCreate();
        out_blocks[r] = mlirBlockCreate(0, NULL, NULL);
        mlirRegionAppendOwnedBlock(regions[r], out_blocks[r]);
    }
    return tri_builder_create(b, &(tri_op){.name = "scf.if",
                                           .num_operands = 1,
                                           .operands = &condition,
                                           .num_results = p->count,
                                           .results = types,
                                           .num_regions = 2,
                                           .regions = regions});
}

static void peel(peeler *p)
{
    MlirValue lb = tri_op_operand(p->loop, 0), ub = tri_op_operand(p->loop, 1), step = tri_op_operand(p->loop, 2);
    MlirType type = mlirValueGetType(lb);
    tri_builder before = tri_builder_before(p->loop), b = tri_builder_after(p->loop);
    mlirOperationSetOperand(p->loop, 1, binary(&before, "arith.subi", ub, step));
    MlirValue *users = TRI_NEW_ARRAY(p->arena, MlirValue, p->count + 1);
    MlirValue range = binary(&b, "arith.subi", ub, lb), one = tri_builder_int(&b, type, 1);
    MlirValue trips = binary(&b, "arith.divsi", binary(&b, "arith.subi", range, one), step);
    MlirValue last = binary(&b, "arith.addi", binary(&b, "arith.muli", trips, step), lb);
    MlirValue runs = tri_compare_make(&b, TRI_CMP_SLT, lb, ub);
    MlirBlock blocks[2];
    MlirOperation branch = make_if(p, &b, runs, blocks);
    for (intptr_t i = 0; i < p->count; i++) /* first, so that the copies below still name the loop */
        mlirValueReplaceAllUsesOfWith(tri_op_result(p->loop, i), tri_op_result(branch, i));
    tri_builder in = tri_builder_at_end(blocks[0], b.loc);
    copy_body(p, &in, last);
    in = tri_builder_at_end(blocks[1], b.loc);
    for (intptr_t i = 0; i < p->count; i++)
        users[i] = tri_op_result(p->loop, i);
    tri_builder_create(&in, &(tri_op){.name = "scf.yield", .num_operands = p->count, .operands = users});
}

static bool run_loop_peeling(tri_pass_run *run)
{
    static const char *const names[] = {"tt.peel_last", "__test_peel_epilogue"};
    tri_op_list loops = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = loops.len; i-- > 0;) {
        bool is_asked = false;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            is_asked |= !mlirAttributeIsNull(tri_op_attr(loops.at[i], names[k]));
            mlirOperationRemoveAttributeByName(loops.at[i], mlirStringRefCreateFromCString(names[k]));
        }
        peeler p = {run->arena, loops.at[i], mlirOperationGetNumResults(loops.at[i])};
        if (is_asked && !tri_op_flag(loops.at[i], "unsignedCmp"))
            peel(&p);
    }
    return true;
}

const tri_pass tri_pass_loop_peeling = {
    .name = "loop-peeling",
    .help = "take the last iteration out of loops that carry tt.peel_last",
    .alias = "triton-test-loop-peeling",
    .run = run_loop_peeling,
};
