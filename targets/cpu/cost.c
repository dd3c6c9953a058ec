/* How long one program takes, from its operations: for the launcher, which starts no threads for less work than they
 * cost. Only kernels without loops, branches and products have a figure. */
#include "targets/cpu/cpu.h"

#include "ir/op_classes.h"

/* Cycles of 16 elements: as measured for float on a machine with vectors of 32 bytes, with data in its second cache. */
enum { access_cost = 4, far_access_cost = 32, simple_cost = 1, division_cost = 8, function_cost = 64, fold_cost = 2 };

static int64_t cost_of(tri_cpu_gen *g, MlirOperation op)
{
    static const char *const functions[] = {"math.", "tt.extern_elementwise"};
    tri_str name = tri_op_name(op);
    if (tri_op_is(op, "tt.load") || tri_op_is(op, "tt.store")) {
        MlirValue address = tri_op_operand(op, 0);
        int64_t coefs[TRI_MAX_RANK];
        tri_cpu_static_coefs(g, address, coefs);
        int rank = tri_type_is_tensor(mlirValueGetType(address)) ? tri_type_rank(mlirValueGetType(address)) : 0;
        for (int d = 0; d < rank; d++)
            if (coefs[d] == 1)
                return access_cost;
        return far_access_cost;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (tri_str_has_prefix(name, functions[i]))
            return function_cost;
    if (tri_op_in(op, TRI_OPS_DIVISION) || tri_op_is(op, "arith.divf") || tri_op_is(op, "arith.remf"))
        return division_cost;
    if (tri_op_is(op, "tt.reduce"))
        return fold_cost;
    return simple_cost;
}

static bool is_known(MlirOperation op)
{
    static const char *const names[] = {"tt.load", "tt.store", "tt.reduce", "tt.get_program_id", "tt.get_num_programs",
                                        "tt.return", "llvm.intr.assume"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_op_is(op, names[i]))
            return true;
    return tri_cpu_can_be_lazy(op) || tri_cpu_arith_knows(op) || tri_op_is(op, "arith.constant");
}

int64_t tri_cpu_cost(tri_cpu_gen *g, MlirOperation func)
{
    MlirBlock body = tri_op_body(func, 0);
    int64_t sum = 0;
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(body)))
        return 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (!is_known(op))
            return 0;
        int64_t elements = 1;
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
            MlirType type = mlirValueGetType(tri_op_operand(op, i));
            if (tri_type_is_tensor(type) && tri_type_num_elements(type) > elements)
                elements = tri_type_num_elements(type);
        }
        /* addresses and masks become bounds of loops, mostly */
        bool is_free = mlirOperationGetNumOperands(op) == 0 || tri_cpu_is_view(op) || tri_op_is(op, "tt.splat") ||
                       tri_op_is(op, "tt.addptr") || tri_op_is(op, "arith.cmpi");
        sum += is_free ? 0 : elements * cost_of(g, op);
    }
    return sum / 16 + 1;
}
