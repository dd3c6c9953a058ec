/* Orders of a loop's operations: clusters that load, and clusters that multiply, in turn. While one half of the waves
 * of a SIMD unit is in one of the one kind, the other half is in one of the other. */
#include "passes/ttgir/block_pingpong/pingpong.h"

#include "passes/ttgir/pipeline/pipeline.h"

static void bring_slice(tri_pingpong *p, size_t i)
{
    for (int k = 0; k < 2; k++) {
        tri_pingpong_append(p, tri_op_def(tri_op_operand(p->sliced_reads[k].at[i], 0)));
        tri_pingpong_append(p, p->sliced_reads[k].at[i]);
    }
}

static void meet(tri_pingpong *p)
{
    tri_pingpong_mark_here(p, TRI_PINGPONG_FENCE);
    tri_pingpong_mark_here(p, TRI_PINGPONG_MEET);
    tri_pingpong_mark_here(p, TRI_PINGPONG_FENCE);
}

/* What is not put in order is of the last cluster. */
static void end_iteration(tri_pingpong *p)
{
    MlirOperation yield = mlirBlockGetTerminator(p->body);
    tri_pingpong_mark_before(yield, TRI_PINGPONG_BARRIER);
    tri_pingpong_mark_before(yield, TRI_PINGPONG_FENCE);
}

static bool can_bring_all(tri_pingpong *p, MlirOperation from, const tri_op_list *list)
{
    for (size_t i = 0; i < list->len; i++)
        if (!tri_pingpong_can_bring(p, from, list->at[i]))
            return false;
    return true;
}

/* One of each: loads of the next iteration lie between the reads of this one. For four waves, of which a unit runs two
 * from different blocks. */
bool tri_pingpong_one_cluster(tri_pingpong *p)
{
    MlirOperation dot = p->dots.at[0], before = tri_op_previous(dot);
    if (!can_bring_all(p, p->reads.at[0], &p->loads) || !tri_pingpong_can_bring(p, p->reads.at[0], p->reads.at[1]))
        return false;
    p->last = before;
    tri_pingpong_mark_here(p, TRI_PINGPONG_MEMORY_FENCE);
    MlirOperation in_front = p->last;

    p->last = p->reads.at[0];
    tri_pingpong_mark_here(p, TRI_PINGPONG_FIRST);
    tri_pingpong_bring(p, p->loads.at[0]);
    tri_pingpong_mark_here(p, TRI_PINGPONG_FENCE);
    tri_pingpong_bring(p, p->reads.at[1]);
    tri_pingpong_mark_here(p, TRI_PINGPONG_SECOND);
    tri_pingpong_bring(p, p->loads.at[1]);

    p->last = in_front;
    tri_pingpong_bring_first(p, dot);
    return true;
}

/* For products too large for the registers of all operands at once:
 *
 *     load A, read 1/4     multiply 1/4
 *     load B, read 2/4     multiply 2/4
 *     read 3/4, 4/4        multiply 3/4
 *     write A and B        multiply 4/4 */
bool tri_pingpong_four_clusters(tri_pingpong *p)
{
    MlirOperation load = p->loads.at[1];
    if (!can_bring_all(p, load, &p->dots) || !can_bring_all(p, load, &p->writes) ||
        !tri_pingpong_slice(p, p->dots.at[0], 4))
        return false;
    p->last = load;
    bring_slice(p, 0);
    tri_pingpong_end_cluster(p);
    tri_pingpong_bring_first(p, p->sliced_dots.at[0]);
    tri_pingpong_end_cluster(p);

    tri_pingpong_append(p, load);
    bring_slice(p, 1);
    tri_pingpong_end_cluster(p);
    tri_pingpong_bring_first(p, p->sliced_dots.at[1]);
    tri_pingpong_end_cluster(p);

    bring_slice(p, 2);
    bring_slice(p, 3);
    tri_pingpong_end_cluster(p);
    tri_pingpong_bring_first(p, p->sliced_dots.at[2]);
    tri_pingpong_end_cluster(p);

    tri_pingpong_bring(p, p->writes.at[0]);
    tri_pingpong_bring(p, p->writes.at[1]);
    tri_pingpong_end_cluster(p);
    tri_pingpong_bring_first(p, p->sliced_dots.at[3]);
    end_iteration(p);
    return true;
}

/* For those of half that size:
 *
 *     load and read A and B    multiply 1/2
 *     write A and B            multiply 2/2
 *
 * The first meeting does not wait for what is read: the products do, one after the other. */
bool tri_pingpong_two_clusters(tri_pingpong *p)
{
    MlirOperation load = p->loads.at[1];
    if (!can_bring_all(p, load, &p->dots) || !can_bring_all(p, load, &p->writes) ||
        !tri_pingpong_slice(p, p->dots.at[0], 2))
        return false;
    p->last = load;
    bring_slice(p, 0);
    tri_pingpong_mark_here(p, TRI_PINGPONG_FENCE);
    tri_pingpong_append(p, p->loads.at[0]);
    tri_pingpong_mark_here(p, TRI_PINGPONG_FENCE);
    bring_slice(p, 1);
    tri_pingpong_mark_here(p, TRI_PINGPONG_FENCE);
    tri_pingpong_append(p, load);
    tri_pingpong_mark_here(p, TRI_PINGPONG_MEET);
    tri_pingpong_mark_here(p, TRI_PINGPONG_FENCE);
    tri_pingpong_bring_first(p, p->sliced_dots.at[0]);
    tri_pingpong_end_cluster(p);

    tri_pingpong_bring(p, p->writes.at[0]);
    tri_pingpong_bring(p, p->writes.at[1]);
    tri_pingpong_end_cluster(p);
    tri_pingpong_bring_first(p, p->sliced_dots.at[1]);
    end_iteration(p);
    return true;
}

/* Whether a read of this iteration waits in it. */
static bool waits_for_reads(const tri_pingpong *p)
{
    for (size_t i = 0; i < p->reads.len; i++)
        for (size_t k = 0; k < p->waits.len; k++)
            if (mlirOperationGetNumOperands(p->reads.at[i]) > 1 &&
                mlirOperationEqual(tri_op_def(tri_op_operand(p->reads.at[i], 1)), p->waits.at[k]))
                return true;
    return false;
}

/* One wait for what all waits of the loop wait for, in the place of the last one. */
static MlirOperation join_waits(tri_pingpong *p)
{
    tri_op_list *waits = &p->waits;
    if (waits->len == 1)
        return waits->at[0];
    TRI_VEC(MlirValue) tokens = {0};
    for (size_t i = 0; i < waits->len; i++)
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(waits->at[i]); k++)
            tri_vec_push(p->arena, &tokens, tri_op_operand(waits->at[i], k));
    tri_builder b = tri_builder_before(waits->at[waits->len - 1]);
    MlirType type = mlirValueGetType(tri_op_result(waits->at[0], 0));
    tri_attr num = {"num", tri_attr_i32(b.context, 0)};
    MlirValue joined = tri_builder_value(&b, &(tri_op){.name = "ttg.async_wait",
                                                       .num_operands = (intptr_t)tokens.len,
                                                       .operands = tokens.at,
                                                       .num_results = 1,
                                                       .results = &type,
                                                       .num_attrs = 1,
                                                       .attrs = &num});
    for (size_t i = 0; i < waits->len; i++)
        tri_op_replace(waits->at[i], 1, &joined);
    return tri_op_def(joined);
}

/* Three stages: the reads and the first copy of the next tile, the wait, then the second copy under the product. */
bool tri_pingpong_copies_ahead(tri_pingpong *p)
{
    static const tri_pingpong_mark mix[] = {TRI_PINGPONG_ONE_PRODUCT, TRI_PINGPONG_THREE_SCALARS,
                                            TRI_PINGPONG_ONE_PRODUCT, TRI_PINGPONG_THREE_SCALARS,
                                            TRI_PINGPONG_ONE_PRODUCT};
    MlirOperation copy = p->copies.at[1];
    if (p->commits.len != 2 || !p->waits.len || waits_for_reads(p) || !can_bring_all(p, copy, &p->reads) ||
        !can_bring_all(p, copy, &p->dots) || !can_bring_all(p, copy, &p->waits))
        return false;
    MlirOperation wait = join_waits(p);
    p->last = copy;
    tri_pingpong_bring(p, p->reads.at[0]);
    tri_pingpong_bring(p, p->reads.at[1]);
    tri_pingpong_mark_here(p, TRI_PINGPONG_FENCE);
    tri_pingpong_append(p, p->copies.at[0]);
    tri_pingpong_append(p, p->commits.at[0]);
    tri_pingpong_mark_here(p, TRI_PINGPONG_FENCE);
    tri_pingpong_bring(p, wait);
    tri_pingpong_mark_here(p, TRI_PINGPONG_FENCE);
    for (size_t i = 0; i < sizeof mix / sizeof *mix; i++)
        tri_pingpong_mark_here(p, mix[i]);
    tri_pingpong_append(p, copy);
    tri_pingpong_append(p, p->commits.at[1]);
    tri_pingpong_bring(p, p->dots.at[0]);
    meet(p);
    return true;
}

/* Copies, then all else; the product itself meets once more in its middle, behind the reads, as its mark says. */
bool tri_pingpong_copies_apart(tri_pingpong *p)
{
    if (!p->copies.len || !p->waits.len || !can_bring_all(p, p->waits.at[0], &p->commits) ||
        !can_bring_all(p, p->waits.at[0], &p->loads))
        return false;
    p->last = p->waits.at[0];
    for (size_t i = 0; i < p->commits.len; i++)
        tri_pingpong_bring(p, p->commits.at[i]);
    for (size_t i = 0; i < p->loads.len; i++)
        tri_pingpong_bring(p, p->loads.at[i]);
    meet(p);
    tri_builder_set_attr(p->scaled.at[0], "pingpong_2step", tri_attr_unit(mlirOperationGetContext(p->loop)));
    return true;
}

/* ---- two products in a row ---- */

static MlirOperation next_memory_cluster(MlirOperation op)
{
    while (!mlirOperationIsNull(op) && !tri_op_is(op, "ttg.async_wait") && !tri_op_is(op, "ttg.local_store"))
        op = mlirOperationGetNextInBlock(op);
    return op;
}

/* Waves in a cluster of memory go first: they have few instructions of the vector unit, for addresses, and would wait
 * for the many of the other half. What scalars do, branches among it, is of such clusters, too: it runs beside vectors
 * of other waves only. */
static void open_memory_cluster(tri_pingpong *p, MlirOperation start)
{
    tri_pingpong_mark_before(start, TRI_PINGPONG_FENCE);
    if (tri_op_is(start, "ttg.async_wait")) { /* which a barrier follows */
        p->last = start;
        tri_pingpong_mark_here(p, TRI_PINGPONG_FIRST);
        tri_pingpong_mark_here(p, TRI_PINGPONG_FENCE);
        return;
    }
    tri_pingpong_mark_before(start, TRI_PINGPONG_BARRIER);
    tri_pingpong_mark_before(start, TRI_PINGPONG_FIRST);
}

/* The pipeliner has put the clusters in order; here they get their ends. The one around the loop's end meets at its
 * start, so that the loop's own instructions stay in the cluster of memory. */
bool tri_pingpong_two_products(tri_pingpong *p)
{
    MlirOperation start[2] = {{NULL}, {NULL}};
    for (int i = 0; i < 2; i++) {
        if (!mlirBlockEqual(mlirOperationGetBlock(p->dots.at[i]), p->body))
            return false;
        start[i] = next_memory_cluster(p->dots.at[i]);
    }
    if (mlirOperationIsNull(start[0]) || mlirOperationIsNull(start[1]) || mlirOperationEqual(start[0], start[1]))
        return false;
    MlirOperation yield = mlirBlockGetTerminator(p->body);
    tri_pingpong_mark_before(p->dots.at[0], TRI_PINGPONG_MEET);
    tri_pingpong_mark_before(p->dots.at[0], TRI_PINGPONG_FENCE);
    open_memory_cluster(p, start[0]);

    static const tri_pingpong_mark between[] = {TRI_PINGPONG_FENCE, TRI_PINGPONG_SECOND,  TRI_PINGPONG_RELEASE,
                                                TRI_PINGPONG_MEET,  TRI_PINGPONG_ACQUIRE, TRI_PINGPONG_FENCE};
    for (size_t i = 0; i < sizeof between / sizeof *between; i++)
        tri_pingpong_mark_before(p->dots.at[1], between[i]);
    open_memory_cluster(p, start[1]);
    for (size_t i = 0; i < 3; i++)
        tri_pingpong_mark_before(yield, between[i]);
    return true;
}
