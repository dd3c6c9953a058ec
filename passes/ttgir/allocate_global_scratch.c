/* Gives every allocation of global scratch memory a place in the part that each program has of it.
 *
 *     %p = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32} : !tt.ptr<i8>
 *     tt.call @helper() ...
 *   becomes
 *     module attributes {ttg.global_scratch_memory_alignment = 128 : i32, ttg.global_scratch_memory_size = 384 : i32}
 *     %p = ttg.global_scratch_alloc {..., ttg.global_scratch_memory_offset = 0 : i32} : !tt.ptr<i8>
 *     tt.call @helper() {ttg.global_scratch_memory_offset = 256 : i32} ...
 *
 * Needs: no allocation is added afterwards. Holds afterwards: allocations, and calls of functions that allocate, have
 * an offset; functions that allocate and the module have a size and an alignment. Allocations never share bytes, for
 * what they hold may be used until the kernel ends. Modules without allocations stay as they are. Answers to
 * tritongpu-global-scratch-memory-allocation. Test: tests/passes/allocate-global-scratch.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/builder.h"
#include "ir/op.h"

#include "mlir-c/BuiltinAttributes.h"

static const char offset_name[] = "ttg.global_scratch_memory_offset", size_name[] = "ttg.global_scratch_memory_size",
                  alignment_name[] = "ttg.global_scratch_memory_alignment";

typedef struct {
    tri_pass_run *run;
    tri_op_list funcs;
    tri_map seen; /* functions that were placed or are being placed */
    int64_t most, alignment;
} placer;

static int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

static void set(const placer *p, MlirOperation op, const char *name, int64_t value)
{
    tri_builder_set_attr(op, name, tri_attr_i32(p->run->unit->mlir, (int32_t)value));
}

static MlirOperation callee_of(const placer *p, MlirOperation call)
{
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(tri_op_attr(call, "callee"));
    for (size_t i = 0; i < p->funcs.len; i++)
        if (tri_str_equal(tri_op_symbol(p->funcs.at[i]), (tri_str){name.data, name.length}))
            return p->funcs.at[i];
    return (MlirOperation){NULL};
}

/* Callees come first, so that their need is known at the call. */
static void place(placer *p, MlirOperation func)
{
    if (tri_map_find_ptr(&p->seen, func.ptr))
        return;
    tri_map_set_ptr(&p->seen, func.ptr, func.ptr);
    tri_op_list ops = {0};
    tri_op_collect(func, p->run->arena, &ops);
    int64_t end = 0, most_alignment = 1;
    for (size_t i = 0; i < ops.len; i++) {
        int64_t bytes = 0, alignment = 1;
        if (tri_op_is(ops.at[i], "ttg.global_scratch_alloc")) {
            bytes = tri_op_int(ops.at[i], "nbytes", 0);
            alignment = tri_op_int(ops.at[i], "alignment", 1);
        } else if (tri_op_is(ops.at[i], "tt.call")) {
            MlirOperation callee = callee_of(p, ops.at[i]);
            if (mlirOperationIsNull(callee))
                continue;
            place(p, callee);
            bytes = tri_op_int(callee, size_name, 0);
            alignment = tri_op_int(callee, alignment_name, 1);
        }
        if (bytes <= 0)
            continue;
        alignment = alignment > 0 ? alignment : 1;
        end = round_up(end, alignment);
        set(p, ops.at[i], offset_name, end);
        end += bytes;
        most_alignment = alignment > most_alignment ? alignment : most_alignment;
    }
    if (!end)
        return;
    end = round_up(end, most_alignment);
    set(p, func, size_name, end);
    set(p, func, alignment_name, most_alignment);
    p->alignment = most_alignment > p->alignment ? most_alignment : p->alignment;
    p->most = end > p->most ? end : p->most;
}

static bool run_allocate_global_scratch(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list allocations = {0};
    placer p = {.run = run, .alignment = 1};
    tri_op_collect_named(module, "ttg.global_scratch_alloc", run->arena, &allocations);
    if (!allocations.len)
        return true;
    tri_map_init(&p.seen, run->arena);
    tri_op_collect_named(module, "tt.func", run->arena, &p.funcs);
    for (size_t i = 0; i < p.funcs.len; i++)
        place(&p, p.funcs.at[i]);
    set(&p, module, size_name, round_up(p.most, p.alignment));
    set(&p, module, alignment_name, p.alignment);
    return true;
}

const tri_pass tri_pass_allocate_global_scratch = {
    .name = "allocate-global-scratch",
    .help = "give allocations of global scratch memory their offsets",
    .alias = "tritongpu-global-scratch-memory-allocation",
    .run = run_allocate_global_scratch,
};
