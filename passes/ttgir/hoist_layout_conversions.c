/* Takes conversions to a product's operand out of a loop that does not change what they convert, while registers last.
 *
 *     scf.for ... {                                         %a = ttg.convert_layout %x : #blocked -> #dot_op
 *       %a = ttg.convert_layout %x : #blocked -> #dot_op    scf.for ... {
 *       tt.dot %a, ...                                  ->    tt.dot %a, ...
 *     }                                                     }
 *
 * Where it would stay in registers for too long it is told not to move (tt.no_licm): when what the loop reads from
 * outside, what was taken out of it and this take 4/5 of a thread's registers or more. grf-mode: how many registers of
 * 32 bytes there are; default and auto count as the fewest. Only what stands in the loop's own body moves, out of one
 * loop. Answers to tritonintelgpu-hoist-layout-conversions. Test: tests/passes/hoist-layout-conversions.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"
#include "passes/ttgir/remove_layout_conversions/layouts.h"

enum { REGISTER_BYTES = 32 };

static int64_t thread_bytes(const tri_layouts *l, MlirType type)
{
    MlirType element = tri_type_element(type);
    if (!tri_type_is_int(element) && !tri_type_is_float(element))
        return 0;
    int64_t count = tri_type_is_tensor(type) ? tri_layouts_elements_per_thread(l, type) : 1;
    return count * tri_type_bits(element) / 8;
}

/* Bytes a thread has of all that a loop's body reads from outside. */
static int64_t bytes_read(const tri_layouts *l, MlirOperation loop)
{
    tri_op_list inside = {0};
    tri_map seen;
    int64_t sum = 0;
    tri_map_init(&seen, l->arena);
    tri_op_collect(loop, l->arena, &inside);
    for (size_t i = 0; i < inside.len; i++) {
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(inside.at[i]); k++) {
            MlirValue value = tri_op_operand(inside.at[i], k);
            if (tri_loops_is_inside(loop, value) || tri_map_find_ptr(&seen, value.ptr))
                continue;
            tri_map_set_ptr(&seen, value.ptr, (void *)value.ptr);
            sum += thread_bytes(l, mlirValueGetType(value));
        }
    }
    return sum;
}

/* The loop that a conversion is to leave; null: it is not to. */
static MlirOperation loop_to_leave(MlirOperation convert)
{
    MlirOperation parent = mlirOperationGetParentOperation(convert), none = {NULL};
    MlirAttribute to = tri_type_encoding(mlirValueGetType(tri_op_result(convert, 0)));
    bool leaves = tri_encoding_kind_of(to) == TRI_ENC_DOT_OP && tri_op_is(parent, "scf.for") &&
                  !tri_loops_is_inside(parent, tri_op_operand(convert, 0));
    return leaves ? parent : none;
}

static int64_t budget_of(const tri_pass_run *run)
{
    tri_str mode = tri_passes_option_str(run, "grf-mode", "default");
    int registers = tri_str_is(mode, "256") ? 256 : tri_str_is(mode, "512") ? 512 : 128;
    return (int64_t)registers * REGISTER_BYTES;
}

static bool run_hoist_layout_conversions(tri_pass_run *run)
{
    tri_layouts l = tri_layouts_make(run);
    tri_op_list converts = {0};
    tri_map taken, read; /* loop -> bytes; of what it read before anything left it, and one */
    int64_t budget = budget_of(run);
    tri_map_init(&taken, run->arena);
    tri_map_init(&read, run->arena);
    tri_op_collect_named(mlirModuleGetOperation(run->module), "ttg.convert_layout", run->arena, &converts);
    for (size_t i = 0; i < converts.len; i++) {
        MlirOperation convert = converts.at[i], loop = loop_to_leave(convert);
        if (mlirOperationIsNull(loop))
            continue;
        int64_t before = (intptr_t)tri_map_find_ptr(&read, loop.ptr);
        int64_t out = (intptr_t)tri_map_find_ptr(&taken, loop.ptr);
        if (!before)
            before = 1 + bytes_read(&l, loop);
        tri_map_set_ptr(&read, loop.ptr, (void *)(intptr_t)before);
        int64_t own = thread_bytes(&l, mlirValueGetType(tri_op_result(convert, 0)));
        if (before - 1 + out + own >= budget * 4 / 5) {
            tri_builder_set_attr(convert, "tt.no_licm", tri_attr_unit(mlirOperationGetContext(convert)));
            continue;
        }
        tri_map_set_ptr(&taken, loop.ptr, (void *)(intptr_t)(out + own));
        mlirOperationMoveBefore(convert, loop);
    }
    return true;
}

static const char *const options[] = {"grf-mode=default|auto|128|256|512: registers of a thread (default)", NULL};

const tri_pass tri_pass_hoist_layout_conversions = {
    .name = "hoist-layout-conversions",
    .help = "take conversions to operands out of loops while registers last",
    .alias = "tritonintelgpu-hoist-layout-conversions",
    .options = options,
    .run = run_hoist_layout_conversions,
};
