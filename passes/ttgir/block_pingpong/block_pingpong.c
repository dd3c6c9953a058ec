/* Lets waves take turns: while one multiplies, another one of its SIMD unit loads.
 *
 *     scf.for {                          half of the waves waits for a barrier
 *       load A, B of the next tile       scf.for {
 *       read A, B of this one              load A, read a half ; barrier
 *       multiply                     ->    multiply that half, first ; barrier
 *       write A, B of the next             load B, read the other half ; barrier ...
 *     }                                  }
 *                                        the other half waits for one
 *
 * so that halves run one cluster apart. Loops that pipelining has made: operands come from shared memory that an
 * earlier iteration has written. Which order of clusters one gets depends on waves, stages and the product's size
 * (pingpong_clusters.c). Blocks of four waves have one of each kind and no halves: two blocks share a unit. Other
 * compilers' texts may have halves apart where that is wrong (in-step).
 * Answers to tritonamdgpu-block-pingpong. Test: tests/passes/block-pingpong.mlir */
#include "passes/ttgir/block_pingpong/pingpong.h"

#include "ir/compare.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/ttgir/pipeline/pipeline.h"

enum {
    WAVES = 8,    /* of a block with halves: two for each SIMD unit */
    LANES = 64,   /* of a wave on chips with mfma */
};

/* ---- what is in the loop ---- */

/* What an earlier iteration wrote: the loop carries it, or it is one for all. */
static bool is_carried(const tri_pingpong *p, MlirValue buffer)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(buffer, &block, &index))
        return mlirBlockEqual(block, p->body) && index > 0;
    for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (tri_op_is(mlirOpOperandGetOwner(use), "ttg.local_store") &&
            mlirBlockEqual(mlirOperationGetBlock(mlirOpOperandGetOwner(use)), p->body))
            return !mlirBlockEqual(mlirOperationGetBlock(tri_op_def(buffer)), p->body);
    return false;
}

static void collect(tri_pingpong *p)
{
    const struct {
        const char *name;
        tri_op_list *list;
    } kinds[] = {
        {"tt.load", &p->loads}, {"ttg.local_store", &p->writes}, {"ttg.async_copy_global_to_local", &p->copies},
        {"tt.dot", &p->dots},   {"tt.dot_scaled", &p->scaled},   {"ttg.async_commit_group", &p->commits},
        {"ttg.async_wait", &p->waits},
    };
    tri_op_list inside = {0};
    tri_op_collect(p->loop, p->arena, &inside);
    for (size_t i = 0; i < inside.len; i++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (tri_op_is(inside.at[i], kinds[k].name))
                tri_vec_push(p->arena, kinds[k].list, inside.at[i]);
        if (tri_op_is(inside.at[i], "ttg.local_load") && is_carried(p, tri_op_operand(inside.at[i], 0)))
            tri_vec_push(p->arena, &p->reads, inside.at[i]);
    }
}

/* Whether all of the list is of the loop itself. */
static bool is_outermost(const tri_pingpong *p, const tri_op_list *list)
{
    for (size_t i = 0; i < list->len; i++)
        if (!mlirBlockEqual(mlirOperationGetBlock(list->at[i]), p->body))
            return false;
    return true;
}

/* ---- halves ---- */

/* Half of the waves waits in front of the loop, until the others are at its first barrier; those wait behind it. */
static void set_apart(tri_pingpong *p)
{
    tri_pingpong_mark_before(p->loop, TRI_PINGPONG_BARRIER);
    tri_builder b = tri_builder_before(p->loop), after = tri_builder_after(p->loop);
    MlirType i32 = mlirIntegerTypeGet(b.context, 32);
    MlirValue thread =
        tri_builder_value(&b, &(tri_op){.name = "rocdl.workitem.id.x", .num_results = 1, .results = &i32});
    MlirValue zero = tri_builder_int(&b, i32, 0), half = tri_builder_int(&b, i32, WAVES / 2 * LANES);
    MlirValue which = tri_builder_binary(&b, "arith.divsi", i32, thread, half);
    MlirValue is_half[2];
    for (int i = 0; i < 2; i++)
        is_half[i] = tri_compare_make(&b, i ? TRI_CMP_NE : TRI_CMP_EQ, which, zero);
    tri_builder_create(&b, &(tri_op){.name = "amdg.cond_barrier", .num_operands = 1, .operands = &is_half[1]});
    tri_builder_create(&after, &(tri_op){.name = "amdg.cond_barrier", .num_operands = 1, .operands = &is_half[0]});
}

/* ---- which order ---- */

/* Bits that multiply with each other in an iteration, M x N x K x width of an element. */
static int64_t work_of(MlirOperation dot)
{
    MlirType a = mlirValueGetType(tri_op_operand(dot, 0)), d = mlirValueGetType(tri_op_result(dot, 0));
    return tri_type_dim(d, 0) * tri_type_dim(d, 1) * tri_type_dim(a, 1) * (int64_t)tri_type_bits(tri_type_element(a));
}

static bool order_scaled(tri_pingpong *p)
{
    MlirOperation dot = p->scaled.at[0];
    MlirType a = mlirValueGetType(tri_op_operand(dot, 0)), d = mlirValueGetType(tri_op_result(dot, 0));
    return p->warps == WAVES && p->stages == 2 && tri_type_dim(d, 0) == 256 && tri_type_dim(d, 1) == 256 &&
           tri_type_bits(tri_type_element(a)) == 8 && tri_pingpong_may_be_apart(p) && tri_pingpong_copies_apart(p);
}

static bool order_copies(tri_pingpong *p)
{
    MlirOperation dot = p->dots.at[0];
    MlirType a = mlirValueGetType(tri_op_operand(dot, 0)), d = mlirValueGetType(tri_op_result(dot, 0));
    unsigned bits = tri_type_bits(tri_type_element(a));
    return p->warps == WAVES && p->stages == 3 && tri_type_dim(d, 0) > 64 && tri_type_dim(d, 1) > 64 &&
           (bits == 16 || bits == 8) && p->copies.len == 2 && p->reads.len == 2 && is_outermost(p, &p->copies) &&
           is_outermost(p, &p->reads) && is_outermost(p, &p->waits) && tri_pingpong_may_be_apart(p) &&
           tri_pingpong_copies_ahead(p);
}

/* Clusters of a loop that loads through registers; 0: none would gain. Sizes in between and smaller ones do not, nor
 * does the largest one of instructions of 16 x 16 that take 8 elements of K at once, whose registers spill. */
static int clusters_of(tri_pingpong *p, MlirOperation dot)
{
    enum { least = 1 << 18, small = 1 << 24, medium = 1 << 25, large = 1 << 26 };
    int64_t size = work_of(dot);
    const tri_encoding *operand = tri_dots_encoding(p->arena, tri_op_operand(dot, 0));
    const tri_encoding *product = tri_dots_encoding(p->arena, tri_op_result(dot, 0));
    if (p->warps == WAVES / 2)
        return size >= least && size <= small;
    if (p->warps != WAVES || p->stages != 2)
        return 0;
    bool spills = product->instr_shape[0] == 16 && product->instr_shape[1] == 16 && operand->dot_op.k_width == 8;
    return size == medium ? 2 : size >= large && !spills ? 4 : 0;
}

static bool order_loads(tri_pingpong *p, bool *out_is_apart)
{
    MlirOperation dot = p->dots.at[0];
    int clusters = clusters_of(p, dot);
    if (!tri_pingpong_keep_operands(p, dot) || p->loads.len != 2 || p->reads.len != 2 ||
        tri_pingpong_has_varying_mask(p) || !is_outermost(p, &p->loads) || !is_outermost(p, &p->reads) ||
        !is_outermost(p, &p->writes) || !tri_pingpong_may_move_loads(p))
        return false;
    *out_is_apart = clusters > 1;
    if (clusters <= 1)
        return clusters == 1 && tri_pingpong_one_cluster(p);
    return p->writes.len == 2 && tri_pingpong_may_be_apart(p) &&
           (clusters == 2 ? tri_pingpong_two_clusters(p) : tri_pingpong_four_clusters(p));
}

/* A product of two dimensions on the matrix cores that this is for. */
static bool is_mfma_product(tri_pingpong *p, MlirOperation dot)
{
    MlirValue a = tri_op_operand(dot, 0);
    const tri_encoding *operand = tri_dots_encoding(p->arena, a);
    const tri_encoding *product = tri_dots_encoding(p->arena, tri_op_result(dot, 0));
    return operand && operand->kind == TRI_ENC_DOT_OP && product && product->kind == TRI_ENC_AMD_MFMA &&
           tri_type_rank(mlirValueGetType(a)) == 2;
}

/* Whether the loop has another order now. */
static bool order_loop(tri_pingpong *p, bool *out_is_apart)
{
    *out_is_apart = true;
    size_t products = p->dots.len + p->scaled.len, ahead = p->copies.len ? p->copies.len : p->loads.len;
    if (p->dots.len == 2 && products == 2)
        return p->stages == 4 && (p->warps <= WAVES / 2 || tri_pingpong_may_be_apart(p)) &&
               tri_pingpong_two_products(p);
    if (products != 1 || ahead < 2 || p->reads.len < 2 || !is_outermost(p, &p->dots) || !is_outermost(p, &p->scaled))
        return false;
    if (p->scaled.len)
        return p->copies.len && order_scaled(p);
    return is_mfma_product(p, p->dots.at[0]) && (p->copies.len ? order_copies(p) : order_loads(p, out_is_apart));
}

/* ---- the pass ---- */

static int64_t waves_of(MlirOperation op)
{
    static const char name[] = "ttg.num-warps";
    while (mlirAttributeIsNull(tri_op_attr(op, name)) && !tri_op_is(op, "builtin.module"))
        op = mlirOperationGetParentOperation(op);
    return tri_op_int(op, name, WAVES / 2);
}

/* Whether a loop whose reads follow what it writes would get an order if they did not. */
static bool should_rotate(tri_pingpong *p)
{
    return p->dots.len == 1 && !p->scaled.len && !p->copies.len && p->loads.len == 2 && !p->writes.len &&
           is_outermost(p, &p->dots) && is_outermost(p, &p->loads) && is_mfma_product(p, p->dots.at[0]) &&
           clusters_of(p, p->dots.at[0]) && !tri_pingpong_has_varying_mask(p) && tri_pingpong_may_move_loads(p);
}

static bool take_turns(tri_pass_run *run, MlirOperation loop, int64_t stages, bool rotates)
{
    tri_pingpong p = {.arena = run->arena, .loop = loop, .body = tri_op_body(loop, 0), .warps = waves_of(loop),
                      .stages = stages};
    bool is_apart;
    collect(&p);
    if (rotates && should_rotate(&p) && tri_pingpong_rotate(&p, p.dots.at[0])) {
        tri_pingpong rotated = {.arena = p.arena, .loop = p.loop, .body = p.body, .warps = p.warps, .stages = stages};
        p = rotated;
        collect(&p);
    }
    if (!order_loop(&p, &is_apart))
        return false;
    if (is_apart)
        set_apart(&p);
    return true;
}

static void load_dialects(MlirModule module)
{
    static const char *const names[] = {"rocdl", "amdg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        mlirContextGetOrLoadDialect(mlirModuleGetContext(module), mlirStringRefCreateFromCString(names[i]));
}

static bool run_block_pingpong(tri_pass_run *run)
{
    if (tri_passes_option_int(run, "in-step", 0)) {
        tri_pingpong_keep_in_step(run);
        return true;
    }
    load_dialects(run->module);
    int64_t stages = tri_passes_option_int(run, "num-stages", 2);
    bool rotates = tri_passes_option_int(run, "rotate", 0);
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; stages > 1 && i < funcs.len; i++) {
        tri_op_list loops = {0};
        bool is_changed = false;
        tri_op_collect_named(funcs.at[i], "scf.for", run->arena, &loops);
        for (size_t k = 0; k < loops.len; k++)
            is_changed |= take_turns(run, loops.at[k], stages, rotates);
        if (is_changed) /* copies and waits have other places */
            tri_pipeline_waits_run(run->arena, funcs.at[i], false);
    }
    return true;
}

const tri_pass tri_pass_block_pingpong = {
    .name = "block-pingpong",
    .help = "let halves of AMD's blocks multiply and load in turn",
    .alias = "tritonamdgpu-block-pingpong",
    .options = (const char *const[]){"num-stages=N: stages that loops were pipelined with (2)",
                                     "rotate=N: also loops that write shared memory at their start (0)",
                                     "in-step=N: only take the conditional barriers of such loops away that threads "
                                     "hand something over in (0)",
                                     NULL},
    .run = run_block_pingpong,
};
