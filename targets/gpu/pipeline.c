/* The passes that every GPU family runs, as text. passes/passes.h explains the form. */
#include "targets/gpu/gpu.h"

#include "targets/target.h"

void tri_gpu_ttir_pipeline(const tri_unit *unit, tri_buf *out)
{
    (void)unit;
    tri_buf_add_z(out, "inline,rewrite-tensor-descriptor-to-pointer,canonicalize,combine,reorder-broadcast,cse,"
                       "symbol-dce,loop-unroll");
}

/* Layouts are chosen, memory accesses first, then matrix products. */
static void add_layout_passes(tri_buf *out)
{
    tri_buf_add_z(out, ",coalesce,remove-layout-conversions,"
                       "optimize-dot-operands,loop-aware-cse");
}

/* Loops are simplified; what is invariant leaves them. */
static void add_loop_passes(tri_buf *out)
{
    tri_buf_add_z(out, ",canonicalize,triton-licm,canonicalize,combine-tensor-select-and-if");
}

/* What the passes before left behind is cleaned up; then no op may be added any more. */
static void add_final_passes(const tri_unit *unit, tri_buf *out)
{
    tri_buf_add_z(out, ",canonicalize,loop-aware-cse,optimize-dot-operands,remove-layout-conversions,"
                       "reduce-data-duplication,reorder-instructions,loop-aware-cse,symbol-dce,sccp,cse,canonicalize");
    tri_buf_format(out, ",allocate-shared-memory{max-bytes=%u},membar", unit->arch->max_shared);
}

void tri_gpu_ttgir_pipeline(const tri_unit *unit, tri_buf *out)
{
    tri_gpu_conversion_pass(unit, out);
    add_layout_passes(out);
    add_loop_passes(out);
    add_final_passes(unit, out);
}
