#include "ir/analysis/scratch.h"

#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/op.h"
#include "ir/type.h"
#include "layout/convert.h"

tri_plan_machine tri_scratch_machine(MlirOperation module)
{
    const tri_machine_facts *facts = tri_machines_of(module);
    tri_plan_machine m = {.banks = facts->banks,
                          .max_vector_bits = facts->vector_bits,
                          .can_shuffle = facts->has_shuffles,
                          .has_ldmatrix = facts->has_ldmatrix,
                          .has_stmatrix = facts->has_stmatrix};
    m.lanes = (int)tri_op_int(module, "ttg.threads-per-warp", facts->lanes);
    m.spare_bytes =
        tri_op_int(module, "tritcc.scratch-per-thread", 0) * m.lanes * tri_op_int(module, "ttg.num-warps", 4);
    return m;
}

int tri_scratch_element_bits(MlirType type)
{
    int bits = (int)tri_type_bits(tri_type_element(type));
    return bits < 8 ? 8 : bits;
}

bool tri_scratch_linear(tri_arena *arena, MlirType tensor, tri_linear *out_layout)
{
    MlirAttribute attr = tri_type_encoding(tensor);
    const tri_encoding *e = mlirAttributeIsNull(attr) ? NULL : tri_encoding_get(arena, attr);
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_type_rank(tensor);
    for (int d = 0; d < rank; d++)
        shape[d] = tri_type_dim(tensor, d);
    return e && tri_convert_to_linear(e, rank, shape, out_layout, NULL);
}

static int64_t align16(int64_t bytes) { return (bytes + 15) / 16 * 16; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t convert_bytes(tri_arena *arena, MlirOperation op, const tri_plan_machine *machine)
{
    MlirType from = mlirValueGetType(tri_op_operand(op, 0)), to = mlirValueGetType(tri_op_result(op, 0));
    tri_linear src, dst;
    if (!tri_scratch_linear(arena, from, &src) || !tri_scratch_linear(arena, to, &dst))
        return 0;
    return tri_plan_convert_scratch_bytes(&src, &dst, tri_scratch_element_bits(from), machine);
}

/* One exchange of all operands of a reduction at once. */
static int64_t round_bytes(MlirOperation op, const tri_linear *from, const tri_linear *to,
                           const tri_plan_machine *machine)
{
    int64_t bytes = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        int bits = tri_scratch_element_bits(mlirValueGetType(tri_op_operand(op, i)));
        bytes += align16(tri_plan_convert_scratch_bytes(from, to, bits, machine));
    }
    return bytes;
}

static int64_t reduce_bytes(tri_arena *arena, MlirOperation op, const tri_plan_machine *machine)
{
    tri_linear layout, result;
    tri_dim axis = TRI_DIM_0 + (tri_dim)tri_op_int(op, "axis", 0);
    tri_plan_reduce plan;
    int64_t bytes = 0;
    if (!tri_scratch_linear(arena, mlirValueGetType(tri_op_operand(op, 0)), &layout) ||
        !tri_plan_reduce_make(&layout, axis, machine, &plan))
        return 0;
    while (!plan.is_complete) {
        bytes = max64(bytes, round_bytes(op, &plan.reduced, &plan.next, machine));
        layout = plan.next;
        if (!tri_plan_reduce_make(&layout, axis, machine, &plan))
            return bytes;
    }
    MlirType type = mlirValueGetType(tri_op_result(op, 0));
    if (!tri_type_is_tensor(type) || !tri_scratch_linear(arena, type, &result))
        return bytes;
    tri_linear last = tri_plan_reduce_result(&plan.reduced, axis);
    return max64(bytes, round_bytes(op, &last, &result, machine));
}

int64_t tri_scratch_scan_run(const tri_linear *layout, tri_dim axis)
{
    int64_t run = tri_linear_out_size(layout, axis);
    int warp_bits = tri_linear_in_bits(layout, TRI_DIM_WARP);
    for (int b = 0; b < warp_bits; b++) {
        int64_t at = tri_linear_basis_at(layout, TRI_DIM_WARP, b, axis);
        if (at && at < run)
            run = at;
    }
    return run;
}

/* Without shuffles one value of every thread at a time. */
static int64_t scan_lane_bytes(MlirOperation op, const tri_linear *layout)
{
    int64_t threads =
                INT64_C(1) << (tri_linear_in_bits(layout, TRI_DIM_LANE) + tri_linear_in_bits(layout, TRI_DIM_WARP)),
            bytes = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        bytes = max64(bytes, threads * tri_scratch_element_bits(mlirValueGetType(tri_op_operand(op, i))) / 8);
    return bytes;
}

static int64_t scan_bytes(tri_arena *arena, MlirOperation op, const tri_plan_machine *machine)
{
    MlirType type = mlirValueGetType(tri_op_operand(op, 0));
    tri_dim axis = TRI_DIM_0 + (tri_dim)tri_op_int(op, "axis", 0);
    tri_linear layout;
    if (!tri_scratch_linear(arena, type, &layout))
        return 0;
    int64_t run = tri_scratch_scan_run(&layout, axis), bytes = 0;
    int64_t lane_bytes = machine->can_shuffle ? 0 : scan_lane_bytes(op, &layout);
    if (run == tri_linear_out_size(&layout, axis))
        return lane_bytes;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        int bits = tri_scratch_element_bits(mlirValueGetType(tri_op_operand(op, i)));
        bytes += align16(tri_type_num_elements(type) / run * bits / 8);
    }
    return max64(bytes, lane_bytes);
}

static int64_t tensor_bytes(MlirType type)
{
    return tri_type_num_elements(type) * tri_scratch_element_bits(type) / 8;
}

bool tri_scratch_gather(tri_arena *arena, MlirOperation op, const tri_plan_machine *machine, tri_gather *out_plan)
{
    tri_linear source, index;
    return machine->can_shuffle && tri_scratch_linear(arena, mlirValueGetType(tri_op_operand(op, 0)), &source) &&
           tri_scratch_linear(arena, mlirValueGetType(tri_op_operand(op, 1)), &index) &&
           tri_gather_plan(&source, &index, TRI_DIM_0 + (tri_dim)tri_op_int(op, "axis", 0), out_plan) &&
           tri_gather_is_worth(out_plan, &source, &index);
}

static int64_t gather_bytes(tri_arena *arena, MlirOperation op, const tri_plan_machine *machine)
{
    tri_gather plan;
    return tri_scratch_gather(arena, op, machine, &plan) ? 0 : tensor_bytes(mlirValueGetType(tri_op_operand(op, 0)));
}

static int64_t histogram_bytes(MlirOperation op)
{
    MlirType type = mlirValueGetType(tri_op_result(op, 0));
    return max64(tri_type_num_elements(type), 32) * tri_scratch_element_bits(type) / 8;
}

static int64_t atomic_bytes(tri_arena *arena, MlirOperation op)
{
    MlirValue result = tri_op_result(op, 0);
    MlirType type = mlirValueGetType(result);
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(result)))
        return 0;
    if (!tri_type_is_tensor(type))
        return tri_scratch_element_bits(type) / 8;
    tri_linear layout;
    if (!tri_scratch_linear(arena, type, &layout))
        return 0;
    tri_plan_replicas r = tri_plan_find_replicas(&layout);
    return r.lane | r.warp ? tensor_bytes(type) : 0;
}

/* Captures of partitions: a word for each value that a thread holds of them. */
static int64_t capture_bytes(MlirOperation op)
{
    int64_t bytes = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        tri_memdesc desc;
        MlirType type = mlirValueGetType(tri_op_operand(op, i));
        bytes += tri_type_get_memdesc(type, &desc) ? 8 * (1 + desc.rank) : 8;
    }
    return bytes;
}

int64_t tri_scratch_bytes(tri_arena *arena, MlirOperation op, const tri_plan_machine *machine)
{
    if (tri_op_is(op, "ttg.convert_layout"))
        return convert_bytes(arena, op, machine);
    if (tri_op_is(op, "tt.reduce"))
        return reduce_bytes(arena, op, machine);
    if (tri_op_is(op, "tt.scan"))
        return scan_bytes(arena, op, machine);
    if (tri_op_is(op, "tt.gather"))
        return gather_bytes(arena, op, machine);
    if (tri_op_is(op, "tt.histogram"))
        return histogram_bytes(op);
    if (tri_op_is(op, "tt.atomic_rmw") || tri_op_is(op, "tt.atomic_cas"))
        return atomic_bytes(arena, op);
    if (tri_op_is(op, "ttg.warp_specialize"))
        return capture_bytes(op);
    return 0;
}
