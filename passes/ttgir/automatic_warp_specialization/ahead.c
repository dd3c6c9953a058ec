/* In a consumers' loop whose products take their first operand from registers that the loop loads: the first of these
 * loads runs under the last product of the iteration before.
 *
 *     scf.for %i = 0 to n {                       if 0 < n { wait full(0) ; r = load(0) }
 *       wait full(i) ; r = load(i)                scf.for %i = 0 to n, r {
 *       d = dot(r) ; q = load'(i)                   d = dot(r) ; q = load'(i)
 *       d = dot(q) ; arrive empty(i)                d = dot(q)
 *     }                                             if i + 1 < n { wait full(i + 1) ; r = load(i + 1) }
 *                                                   wait for d ; arrive empty(i)
 *                                                 }
 *
 * The operand is carried as the product takes it, so that bytes are transposed under the product, too: the branch keeps
 * the assembler from doing that behind the wait. In front of the loop there is the same branch for the first iteration.
 * Pipeline (wgmma.c) puts the waits for the products. */
#include "passes/ttgir/automatic_warp_specialization/split.h"

#include "ir/compare.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"
#include "passes/ttgir/pipeline/lower.h"

#include "mlir-c/BuiltinTypes.h"

enum { BOUNDS = 3 };

typedef struct {
    tri_split_plan *plan;
    MlirOperation first, load, wait, last; /* the first product, its load, the wait for its buffer; the last product */
    MlirValue ring, full;
} ahead;

/* ---- matchers ---- */

/* The loop's load that a product's first operand is a view of; null when it is something else. */
static MlirOperation load_of(const ahead *a, MlirOperation dot)
{
    MlirOperation def = tri_dots_load_of_registers(dot);
    bool is_of_body = !mlirOperationIsNull(def) && mlirBlockEqual(mlirOperationGetBlock(def), a->plan->body);
    return is_of_body ? def : (MlirOperation){NULL};
}

/* The ring that a slot, or a part of one, belongs to; out_part: the op that cuts the part out, or null. */
static MlirValue ring_of(MlirValue buffer, MlirOperation *out_part)
{
    MlirOperation def = tri_op_def(buffer);
    *out_part = (MlirOperation){NULL};
    if (!mlirOperationIsNull(def) && tri_op_is(def, "ttg.memdesc_subslice")) {
        *out_part = def;
        def = tri_op_def(tri_op_operand(def, 0));
    }
    return !mlirOperationIsNull(def) && tri_op_is(def, "ttg.memdesc_index") ? tri_op_operand(def, 0)
                                                                           : (MlirValue){NULL};
}

static bool find_products(ahead *a)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(a->plan->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (!tri_op_is(op, "ttng.warp_group_dot"))
            continue;
        MlirOperation load = load_of(a, op);
        if (mlirOperationIsNull(load))
            return false;
        if (mlirOperationIsNull(a->load)) {
            a->first = op;
            a->load = load;
        }
        a->last = op;
    }
    return !mlirOperationIsNull(a->load);
}

static bool find_ring(ahead *a)
{
    MlirOperation part;
    const tri_split_plan *p = a->plan;
    a->ring = ring_of(tri_op_operand(a->load, 0), &part);
    for (size_t i = 0; i < p->loads.len && !mlirValueIsNull(a->ring); i++)
        if (mlirValueEqual(p->loads.at[i].ring, a->ring))
            a->full = p->groups.at[p->loads.at[i].group].full;
    if (mlirValueIsNull(a->full))
        return false;
    for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationEqual(op, a->load);
         op = mlirOperationGetNextInBlock(op))
        if (tri_op_is(op, "ttng.wait_barrier") && mlirValueEqual(ring_of(tri_op_operand(op, 0), &part), a->full))
            a->wait = op;
    return !mlirOperationIsNull(a->wait);
}

/* ---- rewriters ---- */

/* The views that make the first product's operand of what is loaded, on `loaded`. */
static MlirValue view_as_operand(const ahead *a, tri_builder *b, MlirValue value, MlirValue loaded)
{
    MlirOperation def = tri_op_def(value);
    if (mlirOperationEqual(def, a->load))
        return loaded;
    MlirValue from = tri_op_operand(def, 0), to = view_as_operand(a, b, from, loaded);
    return tri_op_result(tri_op_clone(b, def, 1, &from, &to), 0);
}

/* The wait and the load of the iteration that has this slot and parity; the operand it gives. */
static MlirValue load_slot(const ahead *a, tri_builder *b, MlirValue slot, MlirValue phase)
{
    MlirOperation part;
    tri_attr sizes = {"operandSegmentSizes", tri_attr_i32s(b->context, 4, (const int32_t[]){1, 1, 0, 0})};
    tri_builder_create(b, &(tri_op){.name = "ttng.wait_barrier", .num_operands = 2,
                                    .operands = (MlirValue[]){tri_pipeline_slot(b, a->full, slot), phase},
                                    .num_attrs = 1, .attrs = &sizes});
    MlirValue old = tri_op_operand(a->load, 0), buffer = tri_pipeline_slot(b, a->ring, slot);
    ring_of(old, &part);
    if (!mlirOperationIsNull(part)) {
        MlirType type = mlirValueGetType(old);
        tri_attr offsets = {"offsets", tri_op_attr(part, "offsets")};
        buffer = tri_builder_value(b, &(tri_op){.name = "ttg.memdesc_subslice", .num_operands = 1, .operands = &buffer,
                                                .num_results = 1, .results = &type, .num_attrs = 1,
                                                .attrs = &offsets});
    }
    MlirValue loaded = tri_builder_unary(b, "ttg.local_load", mlirValueGetType(tri_op_result(a->load, 0)), buffer);
    return view_as_operand(a, b, tri_op_operand(a->first, 0), loaded);
}

static void yield_operand(MlirBlock block, MlirValue value)
{
    tri_builder b = tri_builder_at_end(block, mlirValueGetLocation(value));
    tri_builder_create(&b, &(tri_op){.name = "scf.yield", .num_operands = 1, .operands = &value});
}

/* What the next iteration begins with, `before` where there is none. */
static MlirValue load_next(const ahead *a, tri_builder *b, MlirValue slot, MlirValue phase, MlirValue exists,
                           MlirValue before)
{
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    for (int i = 0; i < 2; i++)
        mlirRegionAppendOwnedBlock(regions[i], mlirBlockCreate(0, NULL, NULL));
    MlirType type = mlirValueGetType(before);
    MlirOperation branch = tri_builder_create(b, &(tri_op){.name = "scf.if", .num_operands = 1, .operands = &exists,
                                                           .num_results = 1, .results = &type, .num_regions = 2,
                                                           .regions = regions});
    tri_builder inside = tri_builder_at_end(tri_op_body(branch, 0), b->loc);
    yield_operand(tri_op_body(branch, 0), load_slot(a, &inside, slot, phase));
    yield_operand(tri_op_body(branch, 1), before);
    return tri_op_result(branch, 0);
}

/* What the loop begins with, zeros where it has no iteration: its slot may never be filled, or for another loop. */
static MlirValue load_first(const ahead *a, tri_builder *b)
{
    MlirOperation loop = a->plan->loop;
    intptr_t last = mlirOperationGetNumOperands(loop) - 1;
    MlirValue slot = tri_op_operand(loop, last - 1), phase = tri_op_operand(loop, last);
    MlirValue exists = tri_compare_make(b, TRI_CMP_SLT, tri_op_operand(loop, 0), tri_op_operand(loop, 1));
    MlirType type = mlirValueGetType(tri_op_operand(a->first, 0));
    bool is_float = mlirTypeIsAFloat(tri_type_element(type));
    MlirValue none = is_float ? tri_builder_float(b, type, 0) : tri_builder_int(b, type, 0);
    return load_next(a, b, slot, phase, exists, none);
}

bool tri_ahead_loop(tri_split_plan *p)
{
    ahead a = {.plan = p};
    if (tri_op_flag(p->loop, "unsignedCmp") || !find_products(&a) || !find_ring(&a))
        return false;
    tri_builder before = tri_builder_before(p->loop);
    MlirValue first = load_first(&a, &before);
    p->loop = tri_loops_add_iter_args(p->arena, p->loop, 1, &first);
    p->body = tri_op_body(p->loop, 0);
    MlirOperation yield = mlirBlockGetTerminator(p->body);
    intptr_t count = mlirOperationGetNumOperands(yield), args = mlirBlockGetNumArguments(p->body);
    MlirValue step = tri_op_operand(p->loop, BOUNDS - 1), index = mlirBlockGetArgument(p->body, 0);
    tri_builder b = tri_builder_after(a.last);
    MlirValue next = tri_builder_binary(&b, "arith.addi", mlirValueGetType(index), index, step);
    MlirValue carried = mlirBlockGetArgument(p->body, args - 1);
    MlirValue exists = tri_compare_make(&b, TRI_CMP_SLT, next, tri_op_operand(p->loop, 1));
    MlirValue loaded =
        load_next(&a, &b, tri_op_operand(yield, count - 2), tri_op_operand(yield, count - 1), exists, carried);
    tri_loops_append_yield(p->arena, yield, 1, &loaded);
    mlirOperationSetOperand(a.first, 0, carried); /* its own load and views are dead */
    mlirOperationDestroy(a.wait);
    return true;
}
