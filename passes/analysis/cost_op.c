/* What one operation takes of a multiprocessor, for the cost model. */
#include "passes/analysis/cost_parts.h"

#include "ir/encoding.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "layout/plan.h"
#include "passes/analysis/buffers.h"
#include "passes/analysis/dots.h"

#include <math.h>

enum {
    ACCESS_BITS = 128,    /* widest access of a thread */
    SHARED_BYTES = 128,   /* that shared memory moves in a cycle */
    GROUP_ROWS = 64,      /* of the result, that an instruction of a warp group makes */
    SPECIAL_LANES = 16,   /* of the unit for exponentials */
};

/* Cycles until the next operation can go on. */
enum {
    STEP = 4,
    EXCHANGE = 30,    /* through lanes or shared memory */
    MEETING = 30,     /* of all warps */
    LONG_WAY = 110,   /* values of other warps, through shared memory and a meeting */
    MAP_MADE = 350,
    MAP_SEEN = 250,
    STORED = 1100,    /* a bulk store has read its buffer */
};

/* Instructions for each element of a thread, and of them on the special unit; in alphabetical order. */
static const struct {
    const char *name;
    double issue, special;
} elements[] = {
    {"arith.divf", 8, 1},     {"arith.remf", 20, 1},   {"arith.maximumf", 2, 0}, {"arith.maxnumf", 2, 0},
    {"arith.minimumf", 2, 0}, {"arith.minnumf", 2, 0}, {"math.cos", 20, 1},
    {"math.erf", 22, 1},      {"math.exp", 3, 1},      {"math.exp2", 1, 1},      {"math.log", 4, 1},
    {"math.log2", 3, 1},      {"math.rsqrt", 2, 1},    {"math.sin", 20, 1},      {"math.sqrt", 8, 1},
    {"math.tanh", 8, 2},      {"tt.approx_divf", 2, 1}, {"tt.fp_to_fp", 1.5, 0}, {"tt.precise_divf", 14, 1},
    {"tt.precise_sqrt", 14, 1},
};

/* Elements of a thread. */
static double elements_of(tri_arena *arena, MlirType type)
{
    tri_linear layout;
    if (!tri_type_is_tensor(type))
        return 1;
    return tri_dots_linear(arena, type, &layout) ? (double)tri_linear_in_size(&layout, TRI_DIM_REGISTER) : 1;
}

static double count_bytes(MlirType type)
{
    tri_memdesc desc;
    if (!tri_type_get_memdesc(type, &desc)) {
        double bits = tri_type_bits(tri_type_element(type));
        return (double)tri_type_num_elements(type) * (bits < 8 ? 1 : bits / 8);
    }
    double count = 1;
    for (int d = 0; d < desc.rank; d++)
        count *= (double)desc.shape[d];
    return count * tri_type_bits(desc.element) / 8;
}

static void add_instructions(tri_cost_op *c, double each, int warps)
{
    c->work[TRI_COST_ISSUE] += each * warps / TRI_COST_SCHEDULERS;
}

/* Between registers and shared memory. */
static void add_shared(tri_cost_op *c, double bytes)
{
    c->work[TRI_COST_SHARED] += bytes / SHARED_BYTES;
    c->work[TRI_COST_ISSUE] += bytes / 512 / TRI_COST_SCHEDULERS;
    c->work[TRI_COST_CHAIN] += EXCHANGE;
}

/* ---- elementwise ---- */

/* Whether the product of an element becomes part of a sum, so that one instruction makes both. */
static bool is_fused(MlirOperation op)
{
    MlirOperation user = tri_op_is(op, "arith.mulf") ? tri_dots_only_user(tri_op_result(op, 0)) : (MlirOperation){NULL};
    return !mlirOperationIsNull(user) && (tri_op_is(user, "arith.addf") || tri_op_is(user, "arith.subf"));
}

static void find_instructions(MlirOperation op, double *issue, double *special)
{
    *issue = 1;
    *special = 0;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (tri_op_is(op, elements[i].name)) {
            *issue = elements[i].issue;
            *special = elements[i].special;
        }
}

static void add_elementwise(tri_cost_op *c, tri_arena *arena, MlirOperation op, int warps)
{
    MlirType type = mlirValueGetType(tri_op_result(op, 0));
    double count = elements_of(arena, type), issue, special;
    bool is_number = tri_type_is_float(tri_type_element(type));
    find_instructions(op, &issue, &special);
    if (!is_number && tri_op_in(op, TRI_OPS_DIVISION))
        issue = 20;
    else if (!is_number && !tri_op_is(op, "arith.cmpf") && !tri_op_is(op, "arith.cmpi"))
        issue = 0.25; /* most of a block's addresses are one, and constants that instructions hold */
    if (is_fused(op) || !tri_type_is_tensor(type))
        issue = 0.25;
    add_instructions(c, count * issue, warps);
    c->work[TRI_COST_SPECIAL] += count * special * warps * TRI_COST_LANES / SPECIAL_LANES;
    c->work[TRI_COST_CHAIN] += STEP;
}

/* ---- exchanges ---- */

/* Lanes' bits along an axis of a layout. */
static int lane_bits(const tri_linear *layout, int64_t axis)
{
    int count = 0;
    for (int i = 0; i < tri_linear_in_bits(layout, TRI_DIM_LANE); i++)
        count += tri_linear_basis_at(layout, TRI_DIM_LANE, i, TRI_DIM_0 + (tri_dim)axis) != 0;
    return count;
}

static void add_reduce(tri_cost_op *c, tri_arena *arena, MlirOperation op, int warps)
{
    tri_linear layout;
    double before = 0, after = 0;
    int steps = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        before += elements_of(arena, mlirValueGetType(tri_op_operand(op, i)));
        after += elements_of(arena, mlirValueGetType(tri_op_result(op, i)));
    }
    if (tri_dots_linear(arena, mlirValueGetType(tri_op_operand(op, 0)), &layout))
        steps = lane_bits(&layout, tri_op_int(op, "axis", 0));
    double each, special;
    bool is_scan = tri_op_is(op, "tt.scan");
    find_instructions(mlirBlockGetFirstOperation(tri_op_body(op, 0)), &each, &special);
    add_instructions(c, (is_scan ? 2 * before : before - after) * each + (1 + each) * after * steps, warps);
    c->work[TRI_COST_CHAIN] += steps * EXCHANGE;
    if (!mlirAttributeIsNull(tri_op_attr(op, "allocation.offset")))
        c->work[TRI_COST_CHAIN] += LONG_WAY;
}

static void add_convert(tri_cost_op *c, tri_arena *arena, MlirOperation op, int warps)
{
    MlirType from = mlirValueGetType(tri_op_operand(op, 0)), to = mlirValueGetType(tri_op_result(op, 0));
    tri_linear a, b;
    if (!tri_dots_linear(arena, from, &a) || !tri_dots_linear(arena, to, &b))
        return;
    tri_cvt_kind kind = tri_plan_convert_kind(&a, &b);
    if (kind == TRI_CVT_SHUFFLE) {
        add_instructions(c, 2 * elements_of(arena, to), warps);
        c->work[TRI_COST_CHAIN] += EXCHANGE;
    } else if (kind >= TRI_CVT_SHARED) {
        add_shared(c, 2 * count_bytes(to));
        c->work[TRI_COST_CHAIN] += MEETING;
    }
}

/* ---- products ---- */

static double rate_of(const tri_machine_facts *facts, unsigned bits)
{
    return bits ? (double)facts->tensor_rate * 16 / (bits < 8 ? 8 : bits) : facts->tensor_rate;
}

static void add_product(tri_cost_op *c, const tri_machine_facts *facts, MlirOperation op)
{
    int64_t a[TRI_MAX_RANK], b[TRI_MAX_RANK];
    MlirType left = mlirValueGetType(tri_op_operand(op, 0)), right = mlirValueGetType(tri_op_operand(op, 1));
    tri_memdesc desc;
    int rank = tri_dots_shape(left, a);
    tri_dots_shape(right, b);
    bool is_group = tri_op_is(op, "ttng.warp_group_dot"), is_left_shared = tri_type_get_memdesc(left, &desc);
    unsigned bits = tri_type_bits(is_left_shared ? desc.element : tri_type_element(left));
    double m = (double)a[rank - 2], k = (double)a[rank - 1], n = (double)b[rank - 1];
    double batch = rank > 2 ? (double)a[0] : 1;
    double cycles = 2 * batch * m * n * k / rate_of(facts, bits);
    c->kind = TRI_COST_OP_PRODUCT;
    c->pendings = is_group && tri_op_flag(op, "isAsync");
    c->work[TRI_COST_TENSOR] = is_group ? cycles : cycles / 0.6;
    if (!is_group) { /* of single warps, 16 x 8 elements an instruction */
        c->work[TRI_COST_ISSUE] += batch * m * n * k * bits / (16.0 * 8 * 256) / TRI_COST_SCHEDULERS;
        return;
    }
    double rows = ceil(m / GROUP_ROWS);
    c->work[TRI_COST_SHARED] += rows * (n * k + (is_left_shared ? GROUP_ROWS * k : 0)) * bits / 8 / SHARED_BYTES;
}

/* ---- accesses ---- */

/* Short rows cost memory more than their bytes. */
static double short_rows(MlirType type, int dim)
{
    enum { LINE = 128 };
    double bytes = (double)tri_type_dim(type, dim) * tri_type_bits(tri_type_element(type)) / 8;
    return bytes < LINE ? 1 + 0.12 * (LINE / bytes - 1) : 1;
}

/* As many as lie beside one another in a thread's registers, and the dimension along which they do; -1: none. */
static double find_vector(tri_arena *arena, MlirType type, int *out_dim)
{
    MlirAttribute attr = tri_type_is_tensor(type) ? tri_type_encoding(type) : (MlirAttribute){NULL};
    const tri_encoding *e = mlirAttributeIsNull(attr) ? NULL : tri_encoding_get(arena, attr);
    tri_linear layout;
    *out_dim = -1;
    if (!e || !tri_dots_linear(arena, type, &layout))
        return 1;
    unsigned bits = tri_type_bits(tri_type_element(type));
    int64_t vector = 1, most = bits ? ACCESS_BITS / bits : 1;
    int dim = tri_type_rank(type) - 1;
    for (int d = 0; d < tri_type_rank(type); d++) /* neighbouring lanes go along it */
        if (tri_linear_in_bits(&layout, TRI_DIM_LANE) &&
            tri_linear_basis_at(&layout, TRI_DIM_LANE, 0, TRI_DIM_0 + (tri_dim)d))
            dim = d;
    for (int i = 0; i < tri_linear_in_bits(&layout, TRI_DIM_REGISTER); i++)
        if (tri_linear_basis_at(&layout, TRI_DIM_REGISTER, i, TRI_DIM_0 + (tri_dim)dim) == vector)
            vector *= 2;
    *out_dim = dim;
    return (double)(vector < most ? vector : most);
}

double tri_cost_vector(tri_arena *arena, MlirType type)
{
    int dim;
    return find_vector(arena, type, &dim);
}

static void add_access(tri_cost_op *c, tri_arena *arena, MlirType type, int warps, tri_cost_op_kind kind)
{
    int dim;
    double count = elements_of(arena, type), vector = find_vector(arena, type, &dim);
    double bits = tri_type_bits(tri_type_element(type)), instructions = count / vector;
    c->kind = kind;
    c->bytes = count_bytes(type) * (dim >= 0 && tri_type_rank(type) > 1 ? short_rows(type, dim) : 1);
    add_instructions(c, 2 * instructions, warps);
    /* the unit takes a warp's access of two bytes a thread each cycle */
    double halves = kind == TRI_COST_OP_COPY ? 2 : 1; /* copies do not come back to registers */
    c->work[TRI_COST_SHARED] += instructions * warps * fmax(2, vector * bits / 16) / halves;
}

static MlirType accessed_block(MlirOperation op, intptr_t operand)
{
    MlirType type = mlirValueGetType(tri_op_operand(op, operand));
    MlirType element = tri_type_element(type);
    return tri_type_is_ptr(element) ? tri_type_with_element(type, tri_type_ptr_pointee(element)) : type;
}

/* The slots of the ring that a buffer belongs to; 1: of none. */
static int slots_of(MlirValue buffer)
{
    tri_memdesc desc;
    MlirOperation def = tri_op_def(buffer);
    while (!mlirOperationIsNull(def) && tri_buffers_is_view(def) && !tri_op_is(def, "ttg.memdesc_index"))
        def = tri_op_def(tri_op_operand(def, 0));
    if (mlirOperationIsNull(def) || !tri_op_is(def, "ttg.memdesc_index") ||
        !tri_type_get_memdesc(mlirValueGetType(tri_op_operand(def, 0)), &desc))
        return 1;
    return (int)desc.shape[0];
}

/* The buffer of a bulk copy: its operand of the largest memdesc. */
static MlirValue bulk_buffer(MlirOperation op)
{
    MlirValue found = {NULL};
    double most = 0;
    tri_memdesc desc;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue value = tri_op_operand(op, i);
        if (!tri_type_get_memdesc(mlirValueGetType(value), &desc) || count_bytes(mlirValueGetType(value)) <= most)
            continue;
        found = value;
        most = count_bytes(mlirValueGetType(value));
    }
    return found;
}

static void add_bulk(tri_cost_op *c, MlirOperation op)
{
    MlirValue buffer = bulk_buffer(op);
    bool is_load = tri_op_is(op, "ttng.async_tma_copy_global_to_local") || tri_op_is(op, "ttng.async_tma_gather");
    c->bytes = mlirValueIsNull(buffer) ? 0 : count_bytes(mlirValueGetType(buffer));
    c->kind = is_load ? TRI_COST_OP_COPY : TRI_COST_OP_STORE;
    c->is_bulk = true;
    c->slots = mlirValueIsNull(buffer) ? 1 : slots_of(buffer);
    c->work[TRI_COST_SHARED] += c->bytes / SHARED_BYTES;
    c->work[TRI_COST_CHAIN] += 2 * STEP;
}

static bool add_memory(tri_cost_op *c, tri_arena *arena, MlirOperation op, int warps)
{
    if (tri_op_is(op, "tt.load"))
        add_access(c, arena, accessed_block(op, 0), warps, TRI_COST_OP_LOAD);
    else if (tri_op_is(op, "tt.store") || tri_op_is(op, "tt.atomic_rmw") || tri_op_is(op, "tt.atomic_cas"))
        add_access(c, arena, accessed_block(op, 0), warps, TRI_COST_OP_STORE);
    else if (tri_op_is(op, "ttg.async_copy_global_to_local")) {
        add_access(c, arena, accessed_block(op, 0), warps, TRI_COST_OP_COPY);
        c->slots = slots_of(tri_op_operand(op, 1));
    } else if (tri_str_has_prefix(tri_op_name(op), "ttng.async_tma_") && !tri_op_is(op, "ttng.async_tma_store_wait"))
        add_bulk(c, op);
    else if (tri_op_is(op, "ttg.local_load") || tri_op_is(op, "ttg.local_store"))
        add_shared(c, count_bytes(mlirValueGetType(bulk_buffer(op))));
    else if (tri_op_is(op, "ttg.local_alloc") && mlirOperationGetNumOperands(op))
        add_shared(c, count_bytes(mlirValueGetType(tri_op_result(op, 0))));
    else
        return false;
    return true;
}

/* ---- all ---- */

static void add_wait(tri_cost_op *c, MlirOperation op)
{
    static const struct {
        const char *name;
        int cycles;
    } waits[] = {
        {"ttg.barrier", MEETING},        {"ttng.wait_barrier", 40},
        {"ttng.arrive_barrier", 20},     {"ttng.fence_async_shared", EXCHANGE},
        {"ttng.tensormap_create", MAP_MADE}, {"ttng.tensormap_fenceproxy_acquire", MAP_SEEN},
        {"ttng.async_tma_store_wait", STORED}, {"ttg.async_wait", 10},
    };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (tri_op_is(op, waits[i].name))
            c->work[TRI_COST_CHAIN] += waits[i].cycles;
}

tri_cost_op tri_cost_op_of(tri_arena *arena, const tri_machine_facts *facts, MlirOperation op, int warps)
{
    tri_cost_op c = {.kind = TRI_COST_OP_PLAIN};
    if (tri_op_in(op, TRI_OPS_LOOP))
        c.kind = TRI_COST_OP_LOOP;
    else if (tri_op_is(op, "scf.if"))
        c.kind = TRI_COST_OP_BRANCH;
    else if (tri_op_is(op, "ttg.warp_specialize"))
        c.kind = TRI_COST_OP_SPLIT;
    else if (tri_op_in(op, TRI_OPS_PRODUCT))
        add_product(&c, facts, op);
    else if (tri_op_is(op, "ttng.warp_group_dot_wait")) {
        c.kind = TRI_COST_OP_PRODUCT_WAIT;
        c.pendings = (int)tri_op_int(op, "pendings", 0);
    } else if (add_memory(&c, arena, op, warps))
        return c;
    else if (tri_op_is(op, "tt.reduce") || tri_op_is(op, "tt.scan"))
        add_reduce(&c, arena, op, warps);
    else if (tri_op_is(op, "ttg.convert_layout"))
        add_convert(&c, arena, op, warps);
    else if (tri_op_in(op, TRI_OPS_ELEMENTWISE) && mlirOperationGetNumResults(op))
        add_elementwise(&c, arena, op, warps);
    else
        add_wait(&c, op);
    return c;
}
