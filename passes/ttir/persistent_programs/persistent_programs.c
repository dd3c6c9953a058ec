/* Lets as many programs run as the machine has room for; each does what several programs of the grid would have done.
 *
 *     tt.func @k(%a, ...) {                         tt.func @k(%a, ..., %gx, %gy, %gz) attributes {tritcc.persistent} {
 *       %d = tt.make_tensor_descriptor %a, ...        %d = tt.make_tensor_descriptor %a, ...
 *       %x = tt.get_program_id x                      scf.for %t = program x to %gx * %gy * %gz step programs x {
 *       %n = tt.get_num_programs x           ->         %x = %t % %gx
 *       scf.for ... { a product of blocks of %d }       scf.for ... { a product of blocks of %d }
 *       store                                           store
 *       tt.return                                     } {tt.warp_specialize}
 *     }                                               tt.return
 *                                                   }
 *
 * The launcher gives the grid of its caller as the last three arguments, and launches a smaller one, of one dimension.
 * What does not depend on the program stands in front of the loop. The loop asks for a warp of its own for loads, which
 * runs ahead into the next tile while this one is stored: without one, a loop over tiles is slower than a grid of
 * them (a product of 8192 on an H200 712 TFLOP/s against 786, and 802 with one).
 *
 * Needs: ttir behind auto-tma and reorder-programs, and a kernel whose programs have no order
 * (passes/analysis/programs.h) and compute tiles of products: each loop with products has one, whose operands come
 * through descriptors that are the same for all programs or can be made so (heads.c), and tiles that are stored have
 * room beside those that are loaded (stores.c). Or it has two, the second of which takes what is made of the first, as
 * attention: then tiles are stored through pointers, and long and short ones come by turns (order.c). Others stay; a
 * remark says why. tl.num_programs is the caller's still. Results are the same bits, of attention but for the order in
 * which rows are summed up. Upstream has no such pass: there sources have that loop.
 * Test: tests/passes/persistent-programs.mlir */
#include "passes/ttir/persistent_programs/persistent_programs.h"

#include "base/map.h"
#include "ir/builder.h"
#include "ir/type.h"
#include "passes/analysis/programs.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

enum { AXES = TRI_PROGRAM_AXES, MOST_STAGES = 3 /* more gain nothing for what is stored meanwhile */ };

typedef struct {
    tri_pass_run *run;
    MlirOperation func;
    MlirBlock body;
    tri_op_list ops;         /* of the body itself, but its return */
    tri_map fixed;           /* those that are the same for all programs, and go in front of the loop */
    tri_sums sums;
    TRI_VEC(tri_moved_base) moved; /* descriptors that programs can share */
    bool has_pairs;          /* loops of two products, as attention has */
    tri_tile_order order;
} kernel_info;

/* ---- matchers ---- */

static bool is_program_number(MlirOperation op)
{
    return tri_op_is(op, "tt.get_program_id") || tri_op_is(op, "tt.get_num_programs");
}

/* The same for all programs, and no block: those would live in registers through all tiles. */
static bool is_fixed(kernel_info *k, MlirOperation op)
{
    bool is_constant = tri_op_is(op, "arith.constant");
    if (tri_op_is(op, "tt.get_program_id") || mlirOperationGetNumRegions(op) || tri_op_has_effects(op) ||
        (!tri_op_is_pure(op) && !is_constant) || tri_op_is(op, "tt.get_num_programs"))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (!is_constant && tri_type_is_tensor(mlirValueGetType(tri_op_result(op, i))))
            return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirOperation def = tri_op_def(tri_op_operand(op, i));
        if (!mlirOperationIsNull(def) && !tri_map_find_ptr(&k->fixed, def.ptr))
            return false;
    }
    return true;
}

/* Whether an operand is loaded through a descriptor, turned or not, that is the same for all programs. */
static bool is_from_descriptor(kernel_info *k, MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    while (!mlirOperationIsNull(def) &&
           (tri_op_is(def, "tt.trans") || tri_op_is(def, "tt.reshape") || tri_op_is(def, "tt.fp_to_fp")))
        def = tri_op_def(tri_op_operand(def, 0));
    if (mlirOperationIsNull(def) || !tri_op_is(def, "tt.descriptor_load"))
        return false;
    MlirOperation made = tri_op_def(tri_op_operand(def, 0));
    for (size_t i = 0; i < k->moved.len; i++)
        if (mlirOperationEqual(k->moved.at[i].made, made))
            return true;
    return mlirOperationIsNull(made) || tri_map_find_ptr(&k->fixed, made.ptr);
}

/* Whether a value of the loop's body depends on the op, in that body. */
static bool depends_on(MlirValue value, MlirOperation op, int depth)
{
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(def) || !depth || !mlirBlockEqual(mlirOperationGetBlock(def), mlirOperationGetBlock(op)))
        return false;
    if (mlirOperationEqual(def, op))
        return true;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        if (depends_on(tri_op_operand(def, i), op, depth - 1))
            return true;
    return false;
}

/* One product, or two of which the second one takes what is made of the first one, as in attention. */
static const char *check_product_loop(kernel_info *k, MlirOperation loop)
{
    enum { PAIR = 2, STEPS = 16 };
    tri_op_list dots = {0};
    tri_op_collect_named(loop, "tt.dot", k->run->arena, &dots);
    if (dots.len > PAIR || tri_programs_count_dots(loop) != (int64_t)dots.len)
        return "a loop has more than two products, or one in another loop or a branch";
    k->has_pairs = k->has_pairs || dots.len == PAIR;
    for (size_t d = 0; d < dots.len; d++)
        for (intptr_t i = 0; i < 2; i++) {
            MlirValue operand = tri_op_operand(dots.at[d], i);
            if (d && !i ? !depends_on(operand, dots.at[0], STEPS) : !is_from_descriptor(k, operand))
                return "operands of products do not come through tensor maps that all programs can share";
        }
    return NULL;
}

static void note_descriptor(kernel_info *k, MlirOperation op)
{
    tri_moved_base moved;
    if (tri_op_is(op, "tt.make_tensor_descriptor") && tri_heads_find(&k->sums, &k->fixed, op, &moved))
        tri_vec_push(k->run->arena, &k->moved, moved);
}

static const char *why_not_loop(kernel_info *k)
{
    int loops = 0;
    tri_op_list dots = {0};
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(k->body)))
        return "it has branches between blocks";
    if (!tri_programs_are_free(k->func, k->run->arena))
        return "it has atomics, calls or other effects that order programs";
    for (MlirOperation op = mlirBlockGetFirstOperation(k->body); !tri_op_is(op, "tt.return");
         op = mlirOperationGetNextInBlock(op)) {
        tri_vec_push(k->run->arena, &k->ops, op);
        if (is_fixed(k, op))
            tri_map_set_ptr(&k->fixed, op.ptr, op.ptr);
        else
            note_descriptor(k, op);
        dots.len = 0;
        tri_op_collect_named(op, "tt.dot", k->run->arena, &dots);
        if (!dots.len)
            continue;
        const char *why = tri_op_is(op, "scf.for") ? check_product_loop(k, op) : "a product stands in a branch";
        if (why)
            return why;
        loops++;
    }
    return loops ? NULL : "it has no loops of products";
}

/* ---- rewriter ---- */

/* Three more parameters of 32 bits. */
static void add_parameters(kernel_info *k)
{
    MlirContext context = k->run->unit->mlir;
    MlirType type = mlirTypeAttrGetValue(tri_op_attr(k->func, "function_type"));
    intptr_t n = mlirFunctionTypeGetNumInputs(type);
    MlirType *inputs = TRI_NEW_ARRAY(k->run->arena, MlirType, n + AXES);
    MlirAttribute attrs = tri_op_attr(k->func, "arg_attrs");
    MlirAttribute *all = TRI_NEW_ARRAY(k->run->arena, MlirAttribute, n + AXES);
    for (intptr_t i = 0; i < n + AXES; i++) {
        inputs[i] = i < n ? mlirFunctionTypeGetInput(type, i) : k->order.i32;
        all[i] = i < n && !mlirAttributeIsNull(attrs) ? mlirArrayAttrGetElement(attrs, i)
                                                      : mlirDictionaryAttrGet(context, 0, NULL);
    }
    tri_builder_set_attr(k->func, "function_type",
                         tri_attr_type(mlirFunctionTypeGet(context, n + AXES, inputs, 0, NULL)));
    tri_builder_set_attr(k->func, "arg_attrs", mlirArrayAttrGet(context, n + AXES, all));
    tri_builder_set_attr(k->func, "tritcc.persistent", tri_attr_unit(context));
    for (int axis = 0; axis < AXES; axis++)
        k->order.extent[axis] = mlirBlockAddArgument(k->body, k->order.i32, mlirOperationGetLocation(k->func));
}

static void loop_over_grid(kernel_info *k, bool is_split)
{
    MlirValue numbers[AXES];
    tri_op_list all = {0};
    add_parameters(k);
    tri_op_collect(k->func, k->run->arena, &all);
    MlirOperation loop = tri_order_make_loop(&k->order, k->body, mlirOperationGetLocation(k->func), is_split);
    MlirOperation end = mlirBlockGetTerminator(tri_op_body(loop, 0));
    for (size_t i = 0; i < k->ops.len; i++)
        if (!tri_map_find_ptr(&k->fixed, k->ops.at[i].ptr))
            mlirOperationMoveBefore(k->ops.at[i], end);
    tri_order_numbers(&k->order, loop, numbers);
    for (size_t i = 0; i < all.len; i++) {
        MlirOperation op = all.at[i];
        int64_t axis = is_program_number(op) ? tri_op_int(op, "axis", 0) : AXES;
        if (axis < AXES)
            tri_op_replace(op, 1, tri_op_is(op, "tt.get_program_id") ? &numbers[axis] : &k->order.extent[axis]);
    }
}

static void study_kernel(tri_pass_run *run, MlirOperation func, kernel_info *k, const char **out_why)
{
    *k = (kernel_info){.run = run, .func = func, .body = tri_op_body(func, 0)};
    k->order = (tri_tile_order){.growing = -1, .i32 = mlirIntegerTypeGet(run->unit->mlir, 32)};
    tri_map_init(&k->fixed, run->arena);
    tri_sum_init(&k->sums, run->arena);
    *out_why = why_not_loop(k);
}

/* Makes room for tiles that are stored, or needs none; false, and nothing is changed: there is none. */
static bool find_room(kernel_info *k)
{
    int64_t stages = tri_passes_option_int(k->run, "num-stages", MOST_STAGES),
            shared = tri_passes_option_int(k->run, "shared", INT32_MAX);
    if (!k->has_pairs)
        return tri_persistent_programs_fit(k->run->arena, k->func, stages > MOST_STAGES ? MOST_STAGES : stages, shared);
    if (!tri_persistent_programs_fit_loads(k->run->arena, k->func, shared))
        return false;
    tri_persistent_programs_store_by_pointers(k->run, k->func);
    return true;
}

/* Whether a kernel gains by it on an H200, whatever its grid. Attention does by 8 warps, which have a multiprocessor to
 * themselves. Products of 16 bits do where their loads leave no room for a second block (2 to 7 %; one that had a
 * second block loses 13 to 28 %), those of 8 bits in any case (0 to 10 %), wider ones do not. */
static bool gains(kernel_info *k)
{
    enum { ALONE = 8, STAGES = 3, BYTE = 8, HALF = 16 };
    tri_op_list dots = {0};
    unsigned widest = 0;
    if (k->has_pairs)
        return tri_passes_option_int(k->run, "num-warps", ALONE) == ALONE;
    tri_op_collect_named(k->func, "tt.dot", k->run->arena, &dots);
    for (size_t i = 0; i < dots.len; i++) {
        unsigned bits = tri_type_bits(tri_type_element(mlirValueGetType(tri_op_operand(dots.at[i], 0))));
        widest = bits > widest ? bits : widest;
    }
    return widest <= BYTE ||
           (widest <= HALF && tri_persistent_programs_are_alone(k->run->arena, k->func,
                                                                tri_passes_option_int(k->run, "num-stages", STAGES),
                                                                tri_passes_option_int(k->run, "shared", INT32_MAX)));
}

static void make_persistent(tri_pass_run *run, MlirOperation func)
{
    tri_span span = tri_op_span(run->unit->diag, func);
    const char *why;
    kernel_info k;
    study_kernel(run, func, &k, &why);
    if (tri_passes_option_int(run, "gains", 0) && (why || !gains(&k)))
        return;
    if (!why && !find_room(&k))
        why = "tiles that are stored have no room beside two stages of loads";
    if (why) {
        tri_diag_missed(run->unit->diag, span, "programs", "the grid stays as it is: %s", why);
        return;
    }
    for (size_t i = 0; i < k.moved.len; i++)
        tri_heads_share(&k.sums, &k.moved.at[i]);
    int growing = k.has_pairs ? tri_programs_growing_axis(func, run->arena) : -1;
    study_kernel(run, func, &k, &why); /* with other descriptors, and stores that were cut */
    k.order.growing = growing;
    k.order.carries = k.has_pairs;
    tri_diag_remark(run->unit->diag, span, "programs", "as many programs as fit on the device go through the grid%s",
                    growing < 0 ? "" : ", a long tile and a short one by turns");
    loop_over_grid(&k, tri_passes_option_int(run, "split", 1) != 0);
}

static bool run_persistent_programs(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        if (tri_op_is_kernel(funcs.at[i]) && !tri_op_flag(funcs.at[i], "tritcc.persistent"))
            make_persistent(run, funcs.at[i]);
    return true;
}

static const char *const options[] = {"gains=N: 1 leaves kernels that may lose by it, and says nothing (0)",
                                      "num-warps=N: that the kernel will have, where gains=1 asks (8)",
                                      "split=N: 0 does not ask for a warp for loads (1)",
                                      "num-stages=N: of the loops (3)",
                                      "shared=N: bytes of shared memory that tiles may take (no limit)", NULL};

const tri_pass tri_pass_persistent_programs = {
    .name = "persistent-programs",
    .help = "let as many programs as fit on the device go through the tiles of a grid",
    .options = options,
    .run = run_persistent_programs,
};
