/* Choices among elements of blocks that only the trips make that need them.
 *
 *     %m = arith.cmpi slt, %columns, %n                %whole = start <= %i and %i < end
 *     %s = arith.select %m, %x, %y               ->    %s = scf.if %whole { %x } else {
 *                                                        %m = arith.cmpi slt, %columns, %n
 *                                                        arith.select %m, %x, %y
 *                                                      }
 *
 * A loop with products is large: a second body for a few trips costs an assembler as much time as the first, and each
 * has its beginning and end outside (attention of 128 x 128 by two groups of warps, D = 128: 64 products of warp groups
 * instead of 32, 2.9 of the time without warps for loads instead of 1.6). Where two groups take turns a branch for 64
 * elements a thread runs under the other's products (H200: 0.998 to 1.001 of the speed); for 32, or by one group, a
 * second body is up to 5 % faster. */
#include "passes/ttir/remove_masks/remove_masks.h"

#include "ir/compare.h"
#include "ir/type.h"

enum { MAX_DEPTH = 8 }; /* ops of the mask that go along */

/* The value as computed at `b`: what the body makes of the index moves into the branch that needs it. */
static MlirValue clone_at(tri_masks *s, tri_builder *b, MlirValue value, int depth)
{
    enum { MAX_OPERANDS = 3 };
    MlirOperation op = tri_op_def(value);
    MlirBlock body = tri_op_body(s->loop, 0);
    if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), body) || depth > MAX_DEPTH ||
        !tri_op_is_pure(op) || mlirOperationGetNumRegions(op) || mlirOperationGetNumOperands(op) > MAX_OPERANDS)
        return value;
    MlirValue from[MAX_OPERANDS], to[MAX_OPERANDS];
    intptr_t count = mlirOperationGetNumOperands(op);
    for (intptr_t i = 0; i < count; i++) {
        from[i] = tri_op_operand(op, i);
        to[i] = clone_at(s, b, from[i], depth + 1);
    }
    return tri_op_result(tri_op_clone(b, op, count, from, to), 0);
}

/* Whether a trip is one without masks. */
static MlirValue has_no_mask(tri_masks *s, tri_builder *b, MlirValue start, MlirValue end)
{
    MlirValue from = mlirValueIsNull(start) ? start : tri_compare_make(b, TRI_CMP_SGE, s->index, start);
    MlirValue to = mlirValueIsNull(end) ? end : tri_compare_make(b, TRI_CMP_SLT, s->index, end);
    if (mlirValueIsNull(from) || mlirValueIsNull(to))
        return mlirValueIsNull(from) ? to : from;
    return tri_builder_binary(b, "arith.andi", s->i1, from, to);
}

/* What a branch hands over: the elements, by what they are still to be scaled (null: by nothing), and the largest of
 * each row (null: nobody looks for it, or other than once). */
typedef struct {
    MlirValue elements, factor, largest;
} handed;

static void end_branch(tri_builder *b, handed h)
{
    MlirValue values[3] = {h.elements};
    intptr_t count = 1;
    if (!mlirValueIsNull(h.factor))
        values[count++] = h.factor;
    if (!mlirValueIsNull(h.largest))
        values[count++] = h.largest;
    tri_builder_create(b, &(tri_op){.name = "scf.yield", .num_operands = count, .operands = values});
}

/* The search for the largest of each row, on these elements; null: there is none. */
static MlirValue search(tri_builder *b, MlirOperation op, MlirValue elements)
{
    MlirValue none = {NULL};
    if (mlirOperationIsNull(op))
        return none;
    MlirValue from = tri_op_operand(op, 0);
    return tri_op_result(tri_op_clone(b, op, 1, &from, &elements), 0);
}

/* The choice where it is one, on what the branch masks and scales itself. */
static MlirValue choose_inside(tri_masks *s, tri_builder *b, MlirOperation choice, const tri_masks_scale *scale)
{
    MlirValue from[] = {tri_op_operand(choice, 0), tri_op_operand(choice, 1)};
    MlirValue to[] = {clone_at(s, b, from[0], 0), from[1]};
    if (scale && !scale->is_behind)
        to[1] = tri_op_result(tri_op_clone(b, scale->scale, 0, NULL, NULL), 0);
    MlirValue chosen = tri_op_result(choice, 0), made = tri_op_result(tri_op_clone(b, choice, 2, from, to), 0);
    return scale && scale->is_behind ? tri_op_result(tri_op_clone(b, scale->scale, 1, &chosen, &made), 0) : made;
}

static void fill_whole(tri_builder *b, MlirOperation choice, const tri_masks_scale *scale, MlirOperation op)
{
    handed h = {.elements = tri_op_operand(choice, 1)};
    if (scale) {
        h.elements = scale->raw;
        h.factor = tri_masks_factor(b, scale);
    }
    h.largest = search(b, op, h.elements);
    if (scale && !mlirValueIsNull(h.largest))
        h.largest = tri_masks_scaled(b, h.largest, h.factor);
    end_branch(b, h);
}

static void fill_masked(tri_masks *s, tri_builder *b, MlirOperation choice, const tri_masks_scale *scale,
                        MlirOperation op)
{
    handed h = {.elements = choose_inside(s, b, choice, scale)};
    if (scale)
        h.factor = tri_builder_float(b, tri_type_element(mlirValueGetType(h.elements)), 1);
    h.largest = search(b, op, h.elements);
    end_branch(b, h);
}

/* The search goes into both branches: a wait for another product, which an assembler moves up to where they meet, is
 * behind it then (H200, attention of 128 x 128: its 70 instructions run under that product). */
static void guard_choice(tri_masks *s, MlirOperation choice, MlirValue start, MlirValue end)
{
    tri_masks_scale found;
    const tri_masks_scale *scale = tri_masks_find_scale(s, choice, &found) ? &found : NULL;
    MlirOperation at = scale && scale->is_behind ? scale->scale : choice;
    MlirValue chosen = tri_op_result(at, 0);
    tri_builder b = tri_builder_before(at);
    MlirValue whole = has_no_mask(s, &b, start, end);
    MlirOperation op = tri_masks_search_of(chosen);
    MlirType types[3] = {mlirValueGetType(chosen)};
    intptr_t count = 1;
    if (scale)
        types[count++] = tri_type_element(types[0]);
    if (!mlirOperationIsNull(op))
        types[count++] = mlirValueGetType(tri_op_result(op, 0));
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    for (int i = 0; i < 2; i++)
        mlirRegionAppendOwnedBlock(regions[i], mlirBlockCreate(0, NULL, NULL));
    MlirOperation made = tri_builder_create(&b, &(tri_op){.name = "scf.if",
                                                          .num_operands = 1,
                                                          .operands = &whole,
                                                          .num_results = count,
                                                          .results = types,
                                                          .num_regions = 2,
                                                          .regions = regions});
    MlirValue by = tri_op_result(made, 0), largest = tri_op_result(made, count - 1);
    b = tri_builder_at_end(tri_op_body(made, 0), b.loc);
    fill_whole(&b, choice, scale, op);
    b = tri_builder_at_end(tri_op_body(made, 1), b.loc);
    fill_masked(s, &b, choice, scale, op);
    if (!mlirOperationIsNull(op))
        tri_op_replace(op, 1, &largest);
    if (scale)
        tri_masks_scale_late(s, chosen, by, tri_op_result(made, 1));
    tri_op_replace(at, 1, &by);
    if (!mlirOperationEqual(at, choice))
        mlirOperationDestroy(choice);
}

MlirValue tri_masks_choice_of(MlirOperation op)
{
    bool is_choice = tri_op_is(op, "arith.select") && tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, 0)));
    return is_choice ? tri_op_operand(op, 0) : (MlirValue){NULL};
}

bool tri_masks_is_guarded(const tri_masks *s, MlirOperation op)
{
    MlirValue mask = tri_masks_choice_of(op);
    return !mlirValueIsNull(mask) && tri_loops_is_inside(s->loop, mask) && tri_masks_is_whole(s, mask);
}

bool tri_masks_wants_guards(const tri_masks *s, const tri_op_list *inside)
{
    int64_t threads = tri_passes_option_int(s->run, "num-warps", 4) *
                      tri_passes_option_int(s->run, "threads-per-warp", 32);
    int64_t least = tri_passes_option_int(s->run, "guard", 0);
    bool wants = least > 0;
    for (size_t i = 0; i < inside->len; i++)
        if (tri_masks_is_guarded(s, inside->at[i]))
            wants = wants &&
                    tri_type_num_elements(mlirValueGetType(tri_op_result(inside->at[i], 0))) >= least * threads;
    return wants;
}

void tri_masks_guard(tri_masks *s, const tri_op_list *inside, MlirValue start, MlirValue end)
{
    for (size_t i = 0; i < inside->len; i++)
        if (tri_masks_is_guarded(s, inside->at[i]))
            guard_choice(s, inside->at[i], start, end);
}

int64_t tri_masks_carried(MlirOperation loop, int64_t threads)
{
    int64_t registers = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++) {
        MlirType type = mlirValueGetType(tri_op_result(loop, i));
        if (!tri_type_is_tensor(type))
            continue;
        MlirType element = tri_type_element(type);
        int64_t bits = tri_type_is_ptr(element) ? 64 : tri_type_bits(element);
        registers += (tri_type_num_elements(type) * bits / threads + 31) / 32;
    }
    return registers;
}
