/* Numbers of one program, for the cost model. */
#include "passes/analysis/cost_parts.h"

#include "ir/type.h"

enum { MAX_DEPTH = 400, FEW_TRIPS = 8, PRIME = 1000003, MAX_TRIPS = 1000 };

static char unknown; /* what the map holds for values of which nothing is known */

void tri_cost_values_start(tri_cost_values *v, tri_arena *arena, const tri_cost_launch *launch, int64_t program)
{
    *v = (tri_cost_values){.arena = arena, .launch = launch};
    int64_t x = launch->grid[0] > 0 ? launch->grid[0] : 1, y = launch->grid[1] > 0 ? launch->grid[1] : 1;
    v->program[0] = program % x;
    v->program[1] = program / x % y;
    v->program[2] = program / x / y;
    tri_map_init(&v->known, arena);
}

/* ---- arithmetic ---- */

static bool divide_integers(tri_str op, int64_t a, int64_t b, int64_t *out)
{
    if (!b || (a == INT64_MIN && b == -1))
        return false;
    bool is_unsigned = op.data[op.len - 2] == 'u';
    int64_t quotient = is_unsigned ? (int64_t)((uint64_t)a / (uint64_t)b) : a / b;
    int64_t rest = is_unsigned ? (int64_t)((uint64_t)a % (uint64_t)b) : a % b;
    if (tri_str_has_prefix(op, "arith.rem"))
        *out = rest;
    else if (tri_str_has_prefix(op, "arith.ceildiv"))
        *out = quotient + (rest && (rest < 0) == (b < 0));
    else if (tri_str_has_prefix(op, "arith.floordiv"))
        *out = quotient - (rest && (rest < 0) != (b < 0));
    else
        *out = quotient;
    return true;
}

static bool shift_integer(tri_str op, int64_t a, int64_t b, int64_t *out)
{
    if (b < 0 || b > 62)
        return false;
    *out = tri_str_is(op, "arith.shli") ? (int64_t)((uint64_t)a << b) : a >> b;
    return true;
}

static bool is_smaller(int64_t a, int64_t b, bool is_unsigned)
{
    return is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
}

/* The predicates of arith.cmpi: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge. */
static bool compare_integers(int64_t predicate, int64_t a, int64_t b)
{
    bool is_unsigned = predicate >= 6;
    switch (is_unsigned ? predicate - 4 : predicate) {
    case 0:
        return a == b;
    case 1:
        return a != b;
    case 2:
        return is_smaller(a, b, is_unsigned);
    case 3:
        return !is_smaller(b, a, is_unsigned);
    case 4:
        return is_smaller(b, a, is_unsigned);
    default:
        return !is_smaller(a, b, is_unsigned);
    }
}

static bool combine_integers(MlirOperation op, int64_t a, int64_t b, int64_t *out)
{
    tri_str name = tri_op_name(op);
    if (tri_str_is(name, "arith.addi"))
        *out = (int64_t)((uint64_t)a + (uint64_t)b);
    else if (tri_str_is(name, "arith.subi"))
        *out = (int64_t)((uint64_t)a - (uint64_t)b);
    else if (tri_str_is(name, "arith.muli"))
        *out = (int64_t)((uint64_t)a * (uint64_t)b);
    else if (tri_str_is(name, "arith.minsi") || tri_str_is(name, "arith.minui"))
        *out = is_smaller(a, b, name.data[9] == 'u') ? a : b;
    else if (tri_str_is(name, "arith.maxsi") || tri_str_is(name, "arith.maxui"))
        *out = is_smaller(a, b, name.data[9] == 'u') ? b : a;
    else if (tri_str_is(name, "arith.andi"))
        *out = a & b;
    else if (tri_str_is(name, "arith.ori"))
        *out = a | b;
    else if (tri_str_is(name, "arith.xori"))
        *out = a ^ b;
    else if (tri_str_is(name, "arith.cmpi"))
        *out = compare_integers(tri_op_int(op, "predicate", 0), a, b);
    else if (tri_str_has_prefix(name, "arith.sh"))
        return shift_integer(name, a, b, out);
    else
        return name.len > 8 && tri_str_has_prefix(name, "arith.") && divide_integers(name, a, b, out);
    return true;
}

/* ---- operations ---- */

static bool get_operand(tri_cost_values *v, MlirOperation op, intptr_t i, int64_t *out)
{
    return i < mlirOperationGetNumOperands(op) && tri_cost_values_get(v, tri_op_operand(op, i), out);
}

static bool is_same_number(MlirOperation op)
{
    static const char *const names[] = {
        "tt.splat",     "tt.broadcast",     "tt.expand_dims", "ttg.convert_layout",        "tt.reshape",
        "tt.trans",     "arith.extsi",      "arith.extui",    "arith.trunci",              "arith.index_cast",
        "tt.bitcast",   "arith.index_castui", "tt.make_tensor_descriptor", "ttng.reinterpret_tensor_descriptor",
        "tt.ptr_to_int", "tt.int_to_ptr",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_op_is(op, names[i]))
            return true;
    return false;
}

/* A map's memory stands for the tensor that it describes. */
static bool get_map(tri_cost_values *v, MlirOperation op, int64_t *out)
{
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (tri_op_is(user, "ttng.tensormap_create"))
            return get_operand(v, user, 1, out);
    }
    return false;
}

static bool get_pointer(tri_cost_values *v, MlirOperation op, int64_t *out)
{
    int64_t base, offset;
    MlirType pointer = tri_type_element(mlirValueGetType(tri_op_result(op, 0)));
    if (!get_operand(v, op, 0, &base) || !get_operand(v, op, 1, &offset))
        return false;
    int64_t bits = tri_type_bits(tri_type_ptr_pointee(pointer));
    *out = (int64_t)((uint64_t)base + (uint64_t)offset * (uint64_t)((bits + 7) / 8));
    return true;
}

/* What each iteration of a loop changes as much as the first. */
static bool get_loop_result(tri_cost_values *v, MlirOperation op, intptr_t index, int64_t *out)
{
    int64_t first, second;
    double trips = tri_cost_values_trips(v, op);
    if (!get_operand(v, op, 3 + index, &first))
        return false;
    *out = first;
    if (trips <= 0)
        return true;
    if (!get_operand(v, mlirBlockGetTerminator(tri_op_body(op, 0)), index, &second))
        return false;
    *out = (int64_t)((uint64_t)first + ((uint64_t)second - (uint64_t)first) * (uint64_t)trips);
    return true;
}

static bool get_region_result(tri_cost_values *v, MlirOperation op, intptr_t index, int64_t *out)
{
    int64_t which;
    if (tri_op_is(op, "scf.for"))
        return get_loop_result(v, op, index, out);
    if (!tri_op_is(op, "scf.if") || !get_operand(v, op, 0, &which))
        return false;
    MlirOperation yield = mlirBlockGetTerminator(tri_op_body(op, which ? 0 : 1));
    return get_operand(v, yield, index, out);
}

/* Numbers in memory are as arguments are; addresses there are different ones at different places. */
static bool get_loaded(tri_cost_values *v, MlirOperation op, int64_t *out)
{
    MlirType type = mlirValueGetType(tri_op_result(op, 0));
    int64_t place;
    if (!mlirTypeIsAInteger(type) || !get_operand(v, op, 0, &place))
        return false;
    *out = mlirIntegerTypeGetWidth(type) == 64 ? (int64_t)((uint64_t)place * PRIME) : v->launch->otherwise;
    return true;
}

static bool compute_value(tri_cost_values *v, MlirOperation op, MlirValue value, int64_t *out)
{
    int64_t a, b;
    if (tri_op_const_int(value, out))
        return true;
    if (tri_op_is(op, "tt.get_program_id") || tri_op_is(op, "tt.get_num_programs")) {
        int axis = (int)tri_op_int(op, "axis", 0) & 3;
        *out = axis > 2 ? 0 : tri_op_is(op, "tt.get_program_id") ? v->program[axis] : v->launch->grid[axis];
        return true;
    }
    if (tri_op_is(op, "tt.make_range")) {
        *out = tri_op_int(op, "start", 0);
        return true;
    }
    if (tri_op_is(op, "ttng.tensormaps_given")) {
        *out = 1;
        return true;
    }
    if (tri_op_is(op, "tt.load"))
        return get_loaded(v, op, out);
    if (tri_op_is(op, "tt.addptr"))
        return get_pointer(v, op, out);
    if (tri_op_is(op, "ttg.global_scratch_alloc"))
        return get_map(v, op, out);
    if (is_same_number(op))
        return get_operand(v, op, 0, out);
    if (mlirOperationGetNumRegions(op))
        return get_region_result(v, op, mlirOpResultGetResultNumber(value), out);
    if (tri_op_is(op, "arith.select"))
        return get_operand(v, op, 0, &a) && get_operand(v, op, a ? 1 : 2, out);
    return mlirOperationGetNumOperands(op) == 2 && get_operand(v, op, 0, &a) && get_operand(v, op, 1, &b) &&
           combine_integers(op, a, b, out);
}

static bool is_outermost(MlirOperation loop)
{
    for (MlirOperation p = mlirOperationGetParentOperation(loop); !mlirOperationIsNull(p);
         p = mlirOperationGetParentOperation(p))
        if (tri_op_is(p, "scf.for"))
            return false;
    return true;
}

/* The index in an iteration that is not the first. */
static bool get_later(tri_cost_values *v, MlirOperation loop, int64_t *out)
{
    int64_t from, step;
    if (!get_operand(v, loop, 0, &from) || !get_operand(v, loop, 2, &step))
        return false;
    *out = from + step * (int64_t)(v->progress * tri_cost_values_trips(v, loop));
    return true;
}

static bool get_argument(tri_cost_values *v, MlirBlock block, intptr_t index, int64_t *out)
{
    MlirOperation parent = mlirBlockGetParentOperation(block);
    if (tri_op_is(parent, "tt.func")) {
        bool is_known = (size_t)index < v->launch->count;
        *out = is_known ? v->launch->argument[index] : 0;
        return is_known;
    }
    if (tri_op_is(parent, "scf.for") && !index && v->progress > 0 && is_outermost(parent))
        return get_later(v, parent, out);
    if (tri_op_is(parent, "scf.for"))
        return get_operand(v, parent, index ? 2 + index : 0, out);
    if (tri_op_is(parent, "scf.while")) {
        bool is_before = mlirBlockEqual(block, tri_op_body(parent, 0));
        MlirOperation condition = mlirBlockGetTerminator(tri_op_body(parent, 0));
        return is_before ? get_operand(v, parent, index, out) : get_operand(v, condition, 1 + index, out);
    }
    if (tri_op_is(parent, "ttg.warp_specialize.partitions"))
        return get_operand(v, mlirOperationGetNumOperands(parent) ? parent : mlirOperationGetParentOperation(parent),
                           index, out);
    return false;
}

bool tri_cost_values_get(tri_cost_values *v, MlirValue value, int64_t *out)
{
    void *found = tri_map_find_ptr(&v->known, value.ptr);
    if (found == &unknown || v->depth > MAX_DEPTH)
        return false;
    if (found) {
        *out = *(int64_t *)found;
        return true;
    }
    MlirBlock block;
    intptr_t index;
    v->depth++;
    bool is_known = tri_op_is_block_argument(value, &block, &index) ? get_argument(v, block, index, out)
                                                                    : compute_value(v, tri_op_def(value), value, out);
    v->depth--;
    int64_t *kept = NULL;
    if (is_known) {
        kept = TRI_NEW(v->arena, int64_t);
        *kept = *out;
    }
    tri_map_set_ptr(&v->known, value.ptr, kept ? (void *)kept : &unknown);
    return is_known;
}

/* Gives the arguments of a block other values than those of the first iteration. */
static void bind_values(tri_cost_values *v, MlirBlock block, const int64_t *const *values)
{
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
        tri_map_set_ptr(&v->known, mlirBlockGetArgument(block, i).ptr, values[i] ? (void *)values[i] : &unknown);
}

static void get_all(tri_cost_values *v, MlirOperation op, intptr_t first, const int64_t **values)
{
    for (intptr_t i = first; i < mlirOperationGetNumOperands(op); i++) {
        int64_t *value = TRI_NEW(v->arena, int64_t);
        values[i - first] = tri_cost_values_get(v, tri_op_operand(op, i), value) ? value : NULL;
    }
}

/* An scf.while, by going through it. */
static double count_while(tri_cost_values *v, MlirOperation loop)
{
    MlirBlock before = tri_op_body(loop, 0), after = tri_op_body(loop, 1);
    MlirOperation condition = mlirBlockGetTerminator(before), yield = mlirBlockGetTerminator(after);
    intptr_t carried = mlirBlockGetNumArguments(before), passed = mlirBlockGetNumArguments(after);
    const int64_t **values = TRI_NEW_ARRAY(v->arena, const int64_t *, carried + passed + 1);
    get_all(v, loop, 0, values);
    for (int trips = 0; trips < MAX_TRIPS; trips++) {
        tri_cost_values now = *v;
        int64_t goes_on;
        tri_map_init(&now.known, v->arena);
        bind_values(&now, before, values);
        if (!get_operand(&now, condition, 0, &goes_on))
            return FEW_TRIPS;
        if (!goes_on)
            return trips;
        get_all(&now, condition, 1, values);
        bind_values(&now, after, values);
        get_all(&now, yield, 0, values);
    }
    return MAX_TRIPS;
}

double tri_cost_values_trips(tri_cost_values *v, MlirOperation loop)
{
    int64_t from, to, step;
    if (tri_op_is(loop, "scf.while"))
        return count_while(v, loop);
    if (!get_operand(v, loop, 0, &from) || !get_operand(v, loop, 1, &to) || !get_operand(v, loop, 2, &step) ||
        step <= 0)
        return FEW_TRIPS;
    return from < to ? (double)((to - from + step - 1) / step) : 0;
}

bool tri_cost_values_place(tri_cost_values *v, MlirOperation access, int64_t *out)
{
    int64_t sum = 0;
    intptr_t count = mlirOperationGetNumOperands(access);
    for (intptr_t i = 0; i < count; i++) {
        MlirType type = mlirValueGetType(tri_op_operand(access, i));
        bool is_base = tri_type_is_ptr(tri_type_element(type)) || tri_type_is_desc(type);
        bool is_index = mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32;
        int64_t value;
        if (!is_base && !is_index)
            continue;
        if (!tri_cost_values_get(v, tri_op_operand(access, i), &value))
            return false;
        sum = (int64_t)((uint64_t)sum * PRIME + (uint64_t)value);
    }
    *out = sum;
    return true;
}
