/* From ttir, of any compiler, to linalg on tensors: what calls, block pointers and descriptors stand for (which our own
 * ttir has no more), pointer-analysis, mask-analysis, triton-to-structured, triton-to-unstructured,
 * triton-arith-to-linalg and structured-to-memref, with canonicalize and cse between them. What is left of ttir then
 * is an error.
 *
 *     %v = tt.load %p : tensor<128x!tt.ptr<f32>>        memref.copy of memref.reinterpret_cast, bufferization.to_tensor
 *     %w = arith.addf %v, %v                             arith.addf on tensors
 *     tt.store %q, %w                                    bufferization.materialize_in_destination
 *
 * Answers to triton-to-linalg (triton-shared, triton-ascend). Test: tests/passes/triton-to-linalg.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "passes/linalg/refuse.h"

static bool check_none_left(tri_pass_run *run)
{
    tri_op_list ops = {0};
    tri_op_collect(mlirModuleGetOperation(run->unit->module), run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        tri_str name = tri_op_name(ops.at[i]);
        if (!tri_str_has_prefix(name, "tt."))
            continue;
        tri_refuse_value(run, ops.at[i], NULL, "'%.*s' has no structured form", TRI_STR_ARG(name));
        return false;
    }
    return true;
}

static bool run_all(tri_pass_run *run)
{
    tri_str passes = tri_str_format(run->arena,
                                    "lift-cf-to-scf,inline{all=1},rewrite-tensor-pointer,"
                                    "rewrite-tensor-descriptor-to-pointer,"
                                    "decompose-dot-scaled,canonicalize,cse,symbol-dce,"
                                    "pointer-analysis,canonicalize,cse,mask-analysis,canonicalize,cse,"
                                    "triton-to-structured{vendor=%1$d enable-make-gather-scatter=%2$d},"
                                    "canonicalize,cse,"
                                    "triton-to-unstructured{vendor=%1$d},canonicalize,cse,"
                                    "triton-arith-to-linalg{vendor=%1$d},canonicalize,cse,"
                                    "structured-to-memref{vendor=%1$d}",
                                    (int)tri_passes_option_int(run, "vendor", 0),
                                    (int)tri_passes_option_int(run, "enable-make-gather-scatter", 1));
    return tri_passes_run(run->unit, passes.data, NULL) && check_none_left(run);
}

const tri_pass tri_pass_triton_to_linalg = {
    .name = "triton-to-linalg",
    .help = "ttir to linalg on tensors: all passes that it takes",
    .alias = "triton-to-linalg-experimental",
    .options = (const char *const[]){"vendor=N: with the arguments and attributes of Ascend's compiler; "
                                     "2: with threads (0)",
                                     "enable-make-gather-scatter=N: as in triton-to-structured (1)", NULL},
    .run = run_all,
};
