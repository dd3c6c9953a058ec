/* The walk over a block's ops: scalars at once, lazy tensors not at all, roots by their nests. */
#include "targets/cpu/cpu.h"

static void program_id(tri_cpu_gen *g, MlirOperation op)
{
    tri_cpu_bind_scalar(g, tri_op_result(op, 0), g->pid[tri_op_int(op, "axis", 0)]);
}

static void num_programs(tri_cpu_gen *g, MlirOperation op)
{
    tri_cpu_bind_scalar(g, tri_op_result(op, 0), g->grid[tri_op_int(op, "axis", 0)]);
}

static void nothing(tri_cpu_gen *g, MlirOperation op)
{
    (void)g;
    (void)op;
}

static const struct {
    const char *name;
    void (*emit)(tri_cpu_gen *g, MlirOperation op);
} roots[] = {
    {"tt.store", tri_cpu_store_op},
    {"tt.reduce", tri_cpu_reduce_op},
    {"tt.scan", tri_cpu_scan_op},
    {"tt.dot", tri_cpu_dot_op},
    {"tt.atomic_rmw", tri_cpu_atomic_op},
    {"tt.atomic_cas", tri_cpu_atomic_op},
    {"tt.atomic_poll", tri_cpu_poll_op},
    {"tt.map_elementwise", tri_cpu_map_op},
    {"tt.map_elementwise.return", tri_cpu_map_return_op},
    {"tt.dot_scaled", tri_cpu_dot_scaled_op},
    {"tt.make_tensor_descriptor", tri_cpu_desc_make_op},
    {"tt.descriptor_load", tri_cpu_desc_access_op},
    {"tt.descriptor_store", tri_cpu_desc_access_op},
    {"tt.descriptor_reduce", tri_cpu_desc_access_op},
    {"tt.descriptor_gather", tri_cpu_desc_access_op},
    {"tt.descriptor_scatter", tri_cpu_desc_access_op},
    {"tt.gather", tri_cpu_gather_op},
    {"tt.unsplat", tri_cpu_unsplat_op},
    {"tt.histogram", tri_cpu_histogram_op},
    {"tt.print", tri_cpu_print_op},
    {"tt.assert", tri_cpu_assert_op},
    {"tt.get_program_id", program_id},
    {"tt.get_num_programs", num_programs},
    /* nothing to wait for: a program is one thread */
    {"ttg.barrier", nothing},
    {"gpu.barrier", nothing},
    {"llvm.intr.assume", nothing},
    {"tt.grid_dependency_wait", nothing},
    {"tt.grid_dependency_launch_dependents", nothing},
    {"scf.yield", nothing},
};

/* Nothing is made of it where it stands. */
static bool is_silent(tri_cpu_gen *g, MlirOperation op)
{
    if (!tri_cpu_can_be_lazy(op))
        return tri_op_is(op, "arith.constant") || (tri_cpu_arith_knows(op) && mlirOperationGetNumRegions(op) == 0);
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
        if (!tri_cpu_is_lazy(g, tri_op_result(op, r)))
            return false;
    return true;
}

/* Does the nest of a reduction come by all elements of the value, each once? */
static bool comes_by(tri_cpu_gen *g, MlirOperation reduce, MlirValue value)
{
    bool is_elsewhere;
    MlirValue reduced = tri_cpu_reduced(reduce, 0);
    MlirType type = mlirValueGetType(reduced), own = mlirValueGetType(value);
    if (reduced.ptr == value.ptr)
        return true;
    if (tri_type_rank(type) != tri_type_rank(own))
        return false;
    for (int d = 0; d < tri_type_rank(type); d++)
        if (tri_type_dim(type, d) != tri_type_dim(own, d))
            return false;
    return tri_cpu_reads(g, reduced, value, &is_elsewhere) && !is_elsewhere;
}

/* Is the next op that runs a nest a reduction of this value, or of what is made of it? It then writes the value to
 * memory as it goes, and so it does with those that are kept between them. */
static bool waits_for_reduction(tri_cpu_gen *g, MlirOperation op)
{
    enum { max_distance = 64 };
    MlirValue kept[TRI_CPU_MAX_PENDING];
    int count = 0;
    if (mlirOperationGetNumResults(op) != 1 || g->steps)
        return false;
    MlirOperation o = op;
    for (int i = 0; i < max_distance && !mlirOperationIsNull(o); i++, o = mlirOperationGetNextInBlock(o)) {
        if (tri_op_is(o, "tt.reduce")) {
            bool is_known = mlirOperationGetNumOperands(o) == 1;
            while (is_known && count > 0)
                is_known = comes_by(g, o, kept[--count]);
            return is_known;
        }
        if (is_silent(g, o) || (tri_op_is(o, "tt.load") && !tri_cpu_can_be_lazy(o) && !tri_op_flag(o, "isVolatile")))
            continue;
        if (!tri_cpu_can_be_lazy(o) || mlirOperationGetNumResults(o) != 1 || count == TRI_CPU_MAX_PENDING)
            return false;
        kept[count++] = tri_op_result(o, 0);
    }
    return false;
}

/* A tensor that may be lazy: nothing now, unless the plan keeps it. */
static void tensor_op(tri_cpu_gen *g, MlirOperation op)
{
    if (!tri_cpu_is_lazy(g, tri_op_result(op, 0)) && waits_for_reduction(g, op)) {
        tri_vec_push(g->arena, &g->pending, tri_op_result(op, 0));
        return;
    }
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) {
        MlirValue v = tri_op_result(op, r);
        if (tri_cpu_is_lazy(g, v) || (mlirOpOperandIsNull(mlirValueGetFirstUse(v)) && !g->steps))
            continue;
        LLVMValueRef buffer = tri_cpu_alloc(g, mlirValueGetType(v));
        tri_cpu_materialise(g, v, buffer);
        tri_cpu_bind_buffer(g, v, buffer);
    }
}

static void scalar_op(tri_cpu_gen *g, MlirOperation op)
{
    enum { max_args = 16 };
    intptr_t n = mlirOperationGetNumOperands(op);
    tri_cpu_at(g, 0);
    LLVMValueRef v = NULL;
    if (tri_op_is(op, "arith.constant")) {
        v = tri_cpu_constant(g, op);
    } else if (n <= max_args && mlirOperationGetNumResults(op) == 1 && tri_cpu_arith_knows(op)) {
        LLVMValueRef args[max_args];
        for (intptr_t i = 0; i < n; i++)
            args[i] = tri_cpu_scalar(g, tri_op_operand(op, i));
        v = tri_cpu_arith_emit(g, op, args, (int)n);
    }
    if (v)
        tri_cpu_bind_scalar(g, tri_op_result(op, 0), v);
    else
        tri_cpu_fail(g, op, "'%.*s' is not supported on this target", TRI_STR_ARG(tri_op_name(op)));
}

static void emit_op(tri_cpu_gen *g, MlirOperation op)
{
    g->op = op;
    tri_cpu_lines_at(g, op);
    if (tri_cpu_is_report(op)) {
        tri_cpu_report_op(g, op);
        return;
    }
    tri_cpu_cache_forget(g, op);
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        if (tri_op_is(op, roots[i].name)) {
            roots[i].emit(g, op);
            return;
        }
    }
    if (tri_cpu_control_op(g, op))
        return;
    if (tri_cpu_can_be_lazy(op)) {
        tensor_op(g, op);
        return;
    }
    if (!tri_op_is(op, "tt.load")) {
        scalar_op(g, op);
        return;
    }
    if (!tri_type_is_tensor(mlirValueGetType(tri_op_result(op, 0)))) {
        tri_cpu_scalar_load(g, op);
        return;
    }
    MlirValue v = tri_op_result(op, 0); /* volatile */
    LLVMValueRef buffer = tri_cpu_alloc(g, mlirValueGetType(v));
    tri_cpu_materialise(g, v, buffer);
    tri_cpu_bind_buffer(g, v, buffer);
}

void tri_cpu_block(tri_cpu_gen *g, MlirBlock block)
{
    uint32_t line = 0;
    tri_cpu_piece piece = {.first = g->block_count, .first_op = g->op_count};
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op) && !g->failed;
         op = mlirOperationGetNextInBlock(op)) {
        MlirOperation outer = g->op;
        tri_cpu_lines_statement(g, op, &line);
        emit_op(g, op);
        for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
            tri_cpu_variables_set(g, tri_op_result(op, r));
        g->op = outer;
        g->op_count++;
        tri_cpu_pieces_step(g, &piece);
    }
}
