/* Mask analysis as a step: the mask of an access is spelled as what ir/analysis/pointers.h knows of it, bounds of the
 * block's dimensions, conditions that do not depend on the element, and what is neither.
 *
 *     %m = arith.cmpi slt, (arith.addi (splat 128 * %pid), (make_range 0..128)), (splat %n)
 *     %v = tt.load %p, (arith.andi %m, (splat %c))
 *   becomes
 *     %k = arith.cmpi slt, (make_range 0..128), (splat %n - 128 * %pid)
 *     %v = tt.load %p, (arith.andi %k, (splat %c))
 *
 * Bounds are i64 and count from the block's first element, so that a mask is a box [low, high) of it. A mask of which
 * nothing is known stays as it is; one that holds everywhere becomes a constant. Needs: ttir. Answers to
 * MaskAnalysis (triton-shared), which is no pass there. Test: tests/passes/mask-analysis.mlir */
#include "passes/passes.h"

#include "ir/compare.h"
#include "ir/op.h"
#include "ir/type.h"
#include "ir/upstream.h"
#include "passes/linalg/lists.h"
#include "passes/linalg/memory.h"

typedef struct {
    tri_builder *b;
    tri_pointers *pointers;
    MlirType block; /* of i1 */
    MlirValue all;  /* null: nothing yet */
} mask;

static void require(mask *m, MlirValue part)
{
    m->all = m->all.ptr ? tri_builder_binary(m->b, "arith.andi", m->block, m->all, part) : part;
}

static void require_bound(mask *m, int d, int predicate, const tri_sum *bound)
{
    if (!bound)
        return;
    int64_t size = tri_type_dim(m->block, d);
    MlirValue limit = tri_lists_splat(m->b, size, tri_lists_emit(m->b, m->pointers, bound));
    MlirValue list = tri_compare_make(m->b, predicate, tri_lists_range(m->b, size), limit);
    require(m, tri_lists_spread(m->b, list, d, m->block));
}

/* Null where the mask holds everywhere. */
static MlirValue emit_mask(mask *m, const tri_access *a)
{
    for (int d = 0; d < a->form.rank; d++) {
        require_bound(m, d, TRI_CMP_SGE, a->low[d]);
        require_bound(m, d, TRI_CMP_SLT, a->high[d]);
    }
    for (int i = 0; i < a->condition_count; i++)
        require(m, tri_lists_splat_to(m->b, m->block, a->condition[i]));
    for (int i = 0; i < a->positive_count; i++) {
        MlirValue number = tri_lists_emit(m->b, m->pointers, a->positive[i]);
        MlirValue zero = tri_builder_int(m->b, mlirValueGetType(number), 0);
        require(m, tri_lists_splat_to(m->b, m->block, tri_compare_make(m->b, TRI_CMP_SGT, number, zero)));
    }
    for (int i = 0; i < a->discrete_count; i++)
        require(m, a->discrete[i]);
    return m->all;
}

static void spell_mask(tri_pointers *pointers, MlirOperation op, const tri_access *access)
{
    intptr_t at = tri_pointers_mask_operand(op);
    bool is_known = access->discrete_count != 1 || access->condition_count || access->positive_count;
    for (int d = 0; d < access->form.rank; d++)
        is_known |= access->low[d] || access->high[d];
    if (!at || !is_known)
        return;
    tri_builder b = tri_builder_before(op);
    b.loc = mlirValueGetLocation(tri_op_operand(op, at));
    mask m = {.b = &b, .pointers = pointers, .block = mlirValueGetType(tri_op_operand(op, at))};
    MlirValue made = emit_mask(&m, access);
    mlirOperationSetOperand(op, at, made.ptr ? made : tri_builder_int(&b, m.block, 1));
}

static bool run_mask_analysis(tri_pass_run *run)
{
    tri_lists_each_access(run->arena, run->module, spell_mask);
    return tri_upstream_run(run->module, "remove-dead-values", run->unit->diag);
}

const tri_pass tri_pass_mask_analysis = {
    .name = "mask-analysis",
    .help = "spell masks of accesses as bounds of dimensions, conditions, and the rest",
    .run = run_mask_analysis,
};
