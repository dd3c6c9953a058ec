/* The left operand of a product read where it lies: a load whose rows are runs in memory, of the type that is
 * multiplied. The result of products is stored so, too (dot_queue.c), and right operands whose columns are runs are
 * packed so (dot_turn.c).
 *
 * Whether every element of the block is loaded, and no row wraps around, is tested once for the block; where not, the
 * block is packed as usual. */
#include "targets/cpu/cpu.h"

#include "ir/options.h"

/* A nest that exists only to ask: its first loop is dimension `first`, which counts as the vector dimension. */
static const tri_cpu_tuple *probe_begin(tri_cpu_gen *g, tri_cpu_nest *nest, MlirType type, int first)
{
    static const tri_cpu_domain none = {0};
    tri_cpu_tuple t = {.rank = 2};
    *nest = (tri_cpu_nest){.domain = &none, .loop_count = 2, .vec_loop = 0, .axis_loop = -1, .vl = TRI_CPU_LANES};
    for (int l = 0; l < 2; l++) {
        int dim = l == 0 ? first : 1 - first;
        nest->loops[l] = (tri_cpu_loop){.dim = dim, .extent = tri_type_dim(type, dim)};
        t.at[dim].coef[l] = 1;
    }
    nest->cur[0] = g->at;
    g->nest = nest;
    tri_cpu_probe_begin(g, 1);
    return nest->index = tri_cpu_intern(g, &t);
}

static void probe_end(tri_cpu_gen *g)
{
    tri_cpu_probe_end(g, 1);
    g->at = g->nest->cur[0];
    g->nest = NULL;
    LLVMPositionBuilderAtEnd(g->b, g->at);
}

static LLVMValueRef both(tri_cpu_gen *g, LLVMValueRef x, LLVMValueRef y)
{
    tri_cpu_at(g, 0);
    return !x ? y : !y ? x : LLVMBuildAnd(g->b, x, y, "");
}

/* Does the mask hold in the whole block, by its bounds along `dim`? Null: that is not known. */
static LLVMValueRef holds_along(tri_cpu_gen *g, MlirValue mask, MlirType type, int dim)
{
    tri_cpu_nest nest;
    LLVMValueRef lo, hi, ok = NULL;
    const tri_cpu_tuple *tuple = probe_begin(g, &nest, type, dim);
    if (tri_cpu_mask_bounds(g, mask, tuple, &lo, &hi)) {
        tri_cpu_at(g, 0);
        LLVMValueRef starts = LLVMBuildICmp(g->b, LLVMIntSLE, lo, tri_cpu_i64(g, 0), "");
        LLVMValueRef ends = LLVMBuildICmp(g->b, LLVMIntSGE, hi, tri_cpu_i64(g, tri_type_dim(type, dim)), "");
        ok = LLVMBuildAnd(g->b, starts, ends, "");
    }
    probe_end(g);
    return ok;
}

/* Adds to *io_test that the mask holds everywhere; false: it cannot be asked. */
static bool add_mask(tri_cpu_gen *g, MlirValue mask, MlirType type, LLVMValueRef *io_test)
{
    tri_cpu_bind *bind = tri_cpu_find(g, mask);
    MlirOperation op = tri_op_def(mask);
    if (!mlirOperationIsNull(op) && !bind && tri_op_is(op, "arith.andi"))
        return add_mask(g, tri_op_operand(op, 0), type, io_test) && add_mask(g, tri_op_operand(op, 1), type, io_test);
    LLVMValueRef ok = holds_along(g, mask, type, 1);
    ok = ok ? ok : holds_along(g, mask, type, 0);
    *io_test = both(g, *io_test, ok);
    return ok != NULL;
}

static bool find_block(tri_cpu_gen *g, MlirValue pointer, MlirValue mask, MlirType type, int dim, tri_cpu_direct *out)
{
    *out = (tri_cpu_direct){0};
    tri_cpu_nest nest;
    const tri_cpu_tuple *tuple = probe_begin(g, &nest, type, dim);
    g->looks_behind = true;
    out->test = tri_cpu_plain_test(g, pointer, tuple);
    tri_cpu_form f = tri_cpu_form_of(g, pointer, tuple);
    g->looks_behind = false;
    bool ok = f.ok && f.ptr && f.level == 0 && f.ptr_level == 0 && f.coef[0] && LLVMIsAConstantInt(f.coef[0]) &&
              LLVMConstIntGetSExtValue(f.coef[0]) == 1;
    if (ok) {
        tri_cpu_at(g, 0);
        LLVMTypeRef element = tri_cpu_memory_type(g, tri_cpu_type_of(g, type));
        out->address = LLVMBuildGEP2(g->b, element, f.ptr, &f.base, 1, "");
        out->stride = f.coef[1] ? f.coef[1] : tri_cpu_i64(g, 0);
    }
    probe_end(g);
    return ok && (mlirValueIsNull(mask) || add_mask(g, mask, type, &out->test));
}

bool tri_cpu_direct_block(tri_cpu_gen *g, MlirValue pointer, MlirValue mask, MlirType type, tri_cpu_direct *out)
{
    return find_block(g, pointer, mask, type, 1, out);
}

bool tri_cpu_dot_direct(tri_cpu_gen *g, MlirValue value, int dim, tri_cpu_direct *out)
{
    MlirOperation load = tri_op_def(value);
    MlirType type = mlirValueGetType(value);
    if (mlirOperationIsNull(load) || !tri_op_is(load, "tt.load") || tri_cpu_find(g, value) ||
        tri_type_rank(type) != 2 || tri_op_flag(load, "isVolatile") || g->unit->options->sanitize)
        return false;
    return find_block(g, tri_op_operand(load, 0), tri_op_segment_value(load, 1), type, dim, out);
}
