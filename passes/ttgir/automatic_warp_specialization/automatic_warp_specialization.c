/* Gives the loads of a loop to a warp of its own, and the rest to the warps that were there.
 *
 *     %r = scf.for ... {                                 ttg.warp_specialize(...)
 *       %a = tt.descriptor_load %d[%i, %j]               default {
 *       use(%a)                                            %r = scf.for ... {
 *     } {tt.warp_specialize}                                 wait full[s] ; use(ring[s]) ; arrive empty[s]
 *                                                          }
 *                                                        }
 *                                                        partition0(...) num_warps(1) {
 *                                                          scf.for ... {
 *                                                            wait empty[s] ; expect full[s], bytes
 *                                                            copy %d[%i, %j] -> ring[s], full[s]
 *                                                          }
 *                                                        }
 *
 * Loads that are needed first by the same operation share a pair of mbarriers. The only product of a loop runs on while
 * the next one starts, and its slot is given back after that; of two, the first one of the next iteration starts before
 * the second (rotate.c). Loops of more have one pair of mbarriers where overlap=1 asks for it; their products are the
 * pipeline's to overlap, and a slot is given back when the next iteration has waited for its first one. Others are
 * waited for at once, which other groups of warps overlap with. Each group of four
 * consumer warps multiplies rows of its own, as the layouts say, and only mbarriers tie them. Scalars that the producer
 * needs are computed there again, descriptors written again. Loops that ask for it (tl.range(...,
 * warp_specialize=True)), or all with the option. A remark says why a loop stays as it is. Loops behind one another, as
 * causal attention has on both sides of the diagonal, go on with the same buffers (the larger of theirs, where their
 * blocks differ): the producer runs ahead into the second one while the first one ends. The same where loops stand in
 * another loop of the kernel (nest.c), as in persistent kernels: they are split where that is asked for, by either
 * loop. Loads of that loop itself, as of attention's queries, are started ahead, too.
 *
 * Needs: ttgir in front of assign-latencies, which leaves the split loops alone. Answers to
 * tritongpu-automatic-warp-specialization and, on Hopper, nvgpu-warp-specialization.
 * Test: tests/passes/automatic-warp-specialization.mlir */
#include "passes/ttgir/automatic_warp_specialization/split.h"

static void say_why_not(tri_pass_run *run, MlirOperation loop, const char *why)
{
    tri_diag *diag = run->unit->diag;
    tri_diag_missed(diag, tri_op_span(diag, loop), "warp-specialize", "not specialised: %s", why);
}

static void say_split(tri_pass_run *run, const tri_split_plan *plan, bool is_joined)
{
    tri_diag *diag = run->unit->diag;
    int64_t bytes = 0;
    for (size_t i = 0; i < plan->loads.len; i++)
        bytes += plan->loads.at[i].bytes;
    tri_diag_remark(diag, tri_op_span(diag, plan->loop), "warp-specialize",
                    "a warp of its own starts %d loads of %lld bytes an iteration, %d stages ahead%s",
                    (int)plan->loads.len, (long long)bytes, plan->stages,
                    is_joined ? ", in the buffers of the loop in front" : "");
}

static int64_t count_products(MlirOperation loop)
{
    int64_t count = 0;
    MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(loop, 0));
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        count += tri_op_is(op, "ttng.warp_group_dot");
    return count;
}

typedef struct {
    tri_pass_run *run;
    tri_op_list loops;
    int64_t least; /* of products that a loop must have to be split without asking */
    MlirOperation stays;
    bool moves_registers;
} visit;

/* The loop in which this one stands; null: none. */
static MlirOperation outer_loop(MlirOperation loop)
{
    MlirOperation parent = mlirOperationGetParentOperation(loop);
    return tri_op_is(parent, "scf.for") ? parent : (MlirOperation){NULL};
}

/* By the loop itself, or by the one around it for all that it holds. */
static bool asks_for_split(MlirOperation loop)
{
    MlirOperation outer = outer_loop(loop);
    return tri_op_flag(loop, "tt.warp_specialize") ||
           (count_products(loop) && !mlirOperationIsNull(outer) && tri_op_flag(outer, "tt.warp_specialize"));
}

static bool has_loops_with_products(MlirOperation loop, tri_arena *arena)
{
    tri_op_list loops = {0};
    tri_op_collect_named(loop, "scf.for", arena, &loops);
    for (size_t i = 0; i < loops.len; i++)
        if (!mlirOperationEqual(loops.at[i], loop) && count_products(loops.at[i]))
            return true;
    return false;
}

/* Loops in another one are split where that is asked for, or where all are. */
static bool wants_split(const visit *v, MlirOperation loop)
{
    int64_t products = count_products(loop);
    if (!products && has_loops_with_products(loop, v->run->arena))
        return false;
    bool is_nested = !mlirOperationIsNull(outer_loop(loop));
    return asks_for_split(loop) || (v->least && products >= v->least && (!is_nested || v->least == 1));
}

/* The kernel's threads begin with the registers that specialised loops leave them: a loop with products that stays as
 * it is does not fit there (backward attention with 4 warps spills 848 bytes), nor does one that is split without
 * moving registers beside one that moves them. */
static void look_at_loops(visit *v)
{
    tri_split_plan plan;
    bool may_move = true;
    for (size_t i = 0; i < v->loops.len; i++) {
        MlirOperation loop = v->loops.at[i];
        if (!count_products(loop))
            continue;
        bool is_left = !mlirOperationIsNull(outer_loop(loop)) && !wants_split(v, loop);
        if (is_left || tri_candidate_find(v->run, loop, &plan)) {
            v->stays = mlirOperationIsNull(v->stays) ? loop : v->stays;
            continue;
        }
        may_move = may_move && plan.registers != TRI_SPLIT_REGISTERS_STAY;
        v->moves_registers |= wants_split(v, loop) && plan.registers == TRI_SPLIT_REGISTERS_MOVE;
    }
    v->moves_registers = v->moves_registers && may_move;
}

/* Fills the plan; false after saying why the loop stays as it is. */
static bool plan_loop(const visit *v, MlirOperation loop, tri_split_plan *plan)
{
    const char *why = tri_candidate_find(v->run, loop, plan);
    if (!why && !asks_for_split(loop) && !mlirOperationIsNull(v->stays))
        why = "another loop with products of the kernel cannot be";
    if (why)
        say_why_not(v->run, loop, why);
    plan->moves_registers = v->moves_registers;
    return !why;
}

/* Splits the loop, and those behind it that can go on with its buffers; how many loops are done. */
static size_t visit_chain(const visit *v, size_t first)
{
    tri_split_plan *plans = TRI_NEW_ARRAY(v->run->arena, tri_split_plan, v->loops.len - first);
    size_t count = 1;
    if (!plan_loop(v, v->loops.at[first], plans))
        return 1;
    while (first + count < v->loops.len && wants_split(v, v->loops.at[first + count]) &&
           !tri_candidate_find(v->run, v->loops.at[first + count], &plans[count]) &&
           tri_join_plans(plans, &plans[count]))
        count++;
    for (size_t i = 0; i < count; i++) {
        plans[i].stages = plans->stages;
        say_split(v->run, &plans[i], i > 0);
    }
    tri_split_loops(plans, count);
    v->run->unit->is_specialised = true;
    return count;
}

static void visit_loops(tri_pass_run *run, MlirOperation func, int64_t least)
{
    visit v = {.run = run, .least = least};
    tri_op_collect_named(func, "scf.for", run->arena, &v.loops);
    look_at_loops(&v);
    for (size_t i = 0; i < v.loops.len;)
        i += wants_split(&v, v.loops.at[i]) ? visit_chain(&v, i) : 1;
}

static bool run_automatic_warp_specialization(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    int64_t least = tri_passes_option_int(run, "least-products", 0);
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        visit_loops(run, funcs.at[i], least);
    return true;
}

static const char *const options[] = {
    "num-stages: stages of loops that do not say themselves (3)",
    "turns=N: 0 lets both groups of consumers start products when they like (1)",
    "overlap=N: 1 lets products of loops with more than two run on, and gives their loads one pair of mbarriers (0)",
    "least-products: of loops that do not ask for it, those with so many products, too; 0: none (0)",
    NULL,
};

const tri_pass tri_pass_automatic_warp_specialization = {
    .name = "automatic-warp-specialization",
    .help = "give a loop's loads to a warp of its own",
    .alias = "tritongpu-automatic-warp-specialization,nvgpu-warp-specialization",
    .options = options,
    .run = run_automatic_warp_specialization,
};
