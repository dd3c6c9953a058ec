/* Tells where the elements of every access lie, as a remark where it is made:
 *
 *     tt.load %p, %m : tensor<128x!tt.ptr<f32>>
 *     remark: load: x [128 from 128*pid.x by 1 in ..n]
 *
 * a base, and per dimension of the block its size, where its indices begin, the stride and the bounds that
 * the mask sets; or why the access has no such form. Changes nothing, works with and without layouts. For people who
 * wonder why an access is a gather, and for the tests of ir/analysis/pointers.h. Test:
 * tests/passes/print-pointers.mlir, tests/ir/pointers.tri */
#include "passes/passes.h"

#include "ir/analysis/pointers.h"
#include "ir/op.h"

static void tell(tri_pass_run *run, tri_pointers *pointers, MlirOperation op)
{
    tri_diag *diag = run->unit->diag;
    tri_access access;
    tri_buf text = {0};
    tri_pointers_access(pointers, op, &access);
    tri_pointers_print(pointers, &access, &text);
    tri_diag_remark(diag, tri_op_span(diag, op), "pointers", "%s: %s", tri_op_name(op).data + sizeof "tt." - 1,
                    text.data);
    tri_buf_fini(&text);
}

static bool run_print_pointers(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    tri_diag_set_remarks(run->unit->diag, TRI_STR("pointers"));
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        tri_op_list ops = {0};
        tri_pointers *pointers = tri_pointers_create(run->arena);
        tri_op_collect(funcs.at[i], run->arena, &ops);
        for (size_t k = 0; k < ops.len; k++)
            if (tri_pointers_is_access(ops.at[k]))
                tell(run, pointers, ops.at[k]);
    }
    return true;
}

const tri_pass tri_pass_print_pointers = {
    .name = "print-pointers",
    .help = "tell where the elements of memory accesses lie: base, strides, bounds",
    .run = run_print_pointers,
};
