/* Allocates shared memory and tells, as remarks, where every buffer lies:
 *
 *     remark: kernel                          at the function, then
 *     remark: size = 8192
 *     remark: offset = 0, size = 4096         at a ttg.local_alloc
 *     remark: scratch offset = 4096, size = 4096    at an op that needs scratch
 *
 * Changes what allocate-shared-memory changes. Answers to test-print-allocation.
 * Test: tests/passes/print-allocation.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "passes/analysis/buffers.h"

extern const tri_pass tri_pass_allocate_shared_memory;

static const char group[] = "allocation";

static void print_function(tri_pass_run *run, MlirOperation func)
{
    tri_diag *diag = run->unit->diag;
    tri_buffers buffers;
    tri_str name = tri_op_symbol(func);
    int64_t total = 0;
    tri_buffers_init(&buffers, run->arena, func, mlirModuleGetOperation(run->module));
    for (size_t i = 0; i < buffers.list.len; i++)
        if (buffers.list.at[i].offset + buffers.list.at[i].size > total)
            total = buffers.list.at[i].offset + buffers.list.at[i].size;
    tri_diag_remark(diag, tri_op_span(diag, func), group, "%.*s", TRI_STR_ARG(name));
    tri_diag_remark(diag, tri_op_span(diag, func), group, "size = %lld", (long long)total);
    for (size_t i = 0; i < buffers.list.len; i++) {
        const tri_buffer *b = &buffers.list.at[i];
        const char *kind = !b->is_scratch ? "" : tri_op_is(b->op, "tt.call") ? "virtual " : "scratch ";
        tri_diag_remark(diag, tri_op_span(diag, b->op), group, "%soffset = %lld, size = %lld", kind,
                        (long long)b->offset, (long long)b->size);
    }
}

static bool run_print_allocation(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    if (!tri_pass_allocate_shared_memory.run(run))
        return false;
    tri_diag_set_remarks(run->unit->diag, tri_str_from(group));
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        if (!mlirBlockIsNull(tri_op_body(funcs.at[i], 0)))
            print_function(run, funcs.at[i]);
    return true;
}

const tri_pass tri_pass_print_allocation = {
    .name = "print-allocation",
    .help = "allocate shared memory and tell where everything lies",
    .alias = "test-print-allocation",
    .options = (const char *const[]){"partition-size=N: as for allocate-shared-memory", NULL},
    .run = run_print_allocation,
};
