/* From ttir, of any compiler, to linalg on tensors: what calls, block pointers and descriptors stand for (which our own
 * ttir has no more), triton-to-structured, triton-to-unstructured, triton-arith-to-linalg and
 * structured-to-memref, with canonicalize and cse between them.
 *
 *     %v = tt.load %p : tensor<128x!tt.ptr<f32>>        memref.copy of memref.reinterpret_cast, bufferization.to_tensor
 *     %w = arith.addf %v, %v                             arith.addf on tensors
 *     tt.store %q, %w                                    bufferization.materialize_in_destination
 *
 * Answers to triton-to-linalg (triton-shared, triton-ascend). Test: tests/passes/triton-to-linalg.mlir */
#include "passes/passes.h"

static bool run_all(tri_pass_run *run)
{
    tri_str passes = tri_str_format(run->arena,
                                    "lift-cf-to-scf,inline{all=1},rewrite-tensor-pointer,"
                                    "rewrite-tensor-descriptor-to-pointer,"
                                    "decompose-dot-scaled,canonicalize,cse,symbol-dce,"
                                    "triton-to-structured{vendor=%1$d},canonicalize,cse,"
                                    "triton-to-unstructured{vendor=%1$d},canonicalize,cse,"
                                    "triton-arith-to-linalg{vendor=%1$d},canonicalize,cse,"
                                    "structured-to-memref{vendor=%1$d}",
                                    (int)tri_passes_option_int(run, "vendor", 0));
    return tri_passes_run(run->unit, passes.data, NULL);
}

const tri_pass tri_pass_triton_to_linalg = {
    .name = "triton-to-linalg",
    .help = "ttir to linalg on tensors: all passes that it takes",
    .alias = "triton-to-linalg-experimental",
    .options = (const char *const[]){"vendor=N: with the arguments and attributes of Ascend's compiler; "
                                     "2: with threads (0)", NULL},
    .run = run_all,
};
