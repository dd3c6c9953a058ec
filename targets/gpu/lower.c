/* Values, types and the dispatch of operations to their lowerings. */
#include "ir/analysis/axis_info.h"
#include "ir/location.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "targets/gpu/fp8.h"
#include "targets/gpu/gpu.h"

#include "mlir-c/BuiltinTypes.h"

/* ---- types ---- */

LLVMTypeRef tri_gpu_type(tri_gpu *g, MlirType type)
{
    if (tri_type_is_ptr(type)) {
        unsigned space = tri_type_ptr_space(type);
        return LLVMPointerTypeInContext(g->llvm, space);
    }
    if (tri_type_is_desc(type))
        return LLVMPointerTypeInContext(g->llvm, 0); /* to its tensor map */
    if (mlirTypeIsABF16(type))
        return g->machine->bf16_is_bits ? g->i16 : LLVMBFloatTypeInContext(g->llvm);
    if (mlirTypeIsAF16(type))
        return LLVMHalfTypeInContext(g->llvm);
    if (mlirTypeIsAF32(type))
        return g->f32;
    if (mlirTypeIsAF64(type))
        return LLVMDoubleTypeInContext(g->llvm);
    if (mlirTypeIsAIndex(type))
        return g->i64;
    return LLVMIntTypeInContext(g->llvm, tri_type_bits(type)); /* integers, and narrow floats as bits */
}

int tri_gpu_count(tri_gpu *g, MlirType type)
{
    tri_memdesc desc;
    if (tri_type_is_tensor(type)) {
        tri_gpu_layout *layout = tri_gpu_layout_of(g, g->func, type);
        return layout ? layout->registers : 0;
    }
    if (tri_type_get_memdesc(type, &desc))
        return 1 + desc.rank;
    return tri_type_is_async_token(type) ? 0 : 1;
}

LLVMTypeRef tri_gpu_part_type(tri_gpu *g, MlirType type, int i)
{
    tri_memdesc desc;
    if (tri_type_get_memdesc(type, &desc))
        return i == 0 ? LLVMPointerTypeInContext(g->llvm, 3) : g->i32;
    return tri_gpu_type(g, tri_type_element(type));
}

/* ---- values ---- */

tri_gpu_value tri_gpu_new(tri_gpu *g, int count)
{
    g->made += count;
    return (tri_gpu_value){count, TRI_NEW_ARRAY(g->arena, LLVMValueRef, count ? count : 1)};
}

tri_gpu_value tri_gpu_single(tri_gpu *g, LLVMValueRef value)
{
    tri_gpu_value v = tri_gpu_new(g, 1);
    v.at[0] = value;
    return v;
}

tri_gpu_value tri_gpu_get(tri_gpu *g, MlirValue value)
{
    tri_gpu_value *found = tri_map_find_ptr(&g->values, value.ptr);
    if (!found)
        TRI_BUG("a value is used before it was lowered");
    return *found;
}

void tri_gpu_set(tri_gpu *g, MlirValue value, tri_gpu_value values)
{
    tri_gpu_value *stored = tri_map_find_ptr(&g->values, value.ptr);
    if (!stored) {
        stored = TRI_NEW(g->arena, tri_gpu_value);
        tri_map_set_ptr(&g->values, value.ptr, stored);
    }
    *stored = values;
}

/* ---- reports ---- */

bool tri_gpu_unsupported(tri_gpu *g, MlirOperation op, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str why = tri_str_vformat(g->arena, format, args);
    va_end(args);
    tri_op_error(g->unit->diag, op, 6002, "'%.*s' cannot be lowered for '%s': %.*s", TRI_STR_ARG(tri_op_name(op)),
                 g->unit->arch->name, TRI_STR_ARG(why));
    return false;
}

/* Layouts chosen elsewhere may come with operations that our own passes never make. */
static bool no_lowering(tri_gpu *g, MlirOperation op)
{
    bool is_foreign = tri_str_has_prefix(tri_op_name(op), "ttg.") || tri_str_has_prefix(tri_op_name(op), "ttng.");
    return tri_gpu_unsupported(g, op, "there is no lowering for this operation%s",
                               is_foreign ? "; compile the kernel from its ttir, of which other ones are made" : "");
}

/* ---- dispatch ---- */

/* Registers known to hold equal values: same[r] is the first one of r's run. Null when there is no run. */
static const int *equal_registers(tri_gpu *g, MlirOperation op, MlirValue result, int count)
{
    MlirType type = mlirValueGetType(result);
    const tri_axis *axis = count > 1 ? tri_axis_info_get(g->axis, result) : NULL;
    tri_gpu_layout *layout = axis ? tri_gpu_layout_of(g, op, type) : NULL;
    uint64_t mask = 0; /* bits of an element's place that do not matter */
    for (int d = 0; layout && d < tri_type_rank(type) && d < axis->rank; d++) {
        tri_dim dim = (tri_dim)(TRI_DIM_0 + d);
        int64_t size = tri_linear_out_size(&layout->linear, dim);
        int64_t run = axis->constancy[d] < size ? axis->constancy[d] : size;
        if (run > 1 && tri_linear_find_out(&layout->linear, dim) >= 0)
            mask |= ((UINT64_C(1) << tri_linear_log2(run & -run)) - 1) << tri_linear_out_shift(&layout->linear, dim);
    }
    if (!mask)
        return NULL;
    int *same = TRI_NEW_ARRAY(g->arena, int, count);
    tri_map first;
    tri_map_init(&first, g->arena);
    for (int r = 0; r < count; r++) {
        uint64_t place = tri_linear_apply_one(&layout->linear, TRI_DIM_REGISTER, (uint64_t)r) & ~mask;
        const void *key = (const void *)(uintptr_t)(place + 1);
        int *found = tri_map_find_ptr(&first, key);
        same[r] = found ? *found : r;
        if (!found)
            tri_map_set_ptr(&first, key, &same[r]);
    }
    return same;
}

/* Operations that take narrow floats as they are: they move bits, or convert by themselves. */
static bool takes_bits(MlirOperation op)
{
    static const char *const rows[] = {"arith.select", "arith.bitcast", "tt.bitcast",  "arith.extf",
                                       "arith.truncf", "arith.sitofp",  "arith.uitofp"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tri_op_is(op, rows[i]))
            return true;
    return false;
}

/* Arithmetic on floats that are bits in registers: it is done in f32. */
static bool is_narrow_arithmetic(tri_gpu *g, MlirOperation op)
{
    bool is_narrow = tri_gpu_is_narrow(g, tri_type_element(mlirValueGetType(mlirOperationGetResult(op, 0))));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        is_narrow |= tri_gpu_is_narrow(g, tri_type_element(mlirValueGetType(mlirOperationGetOperand(op, i))));
    return is_narrow && !takes_bits(op);
}

static LLVMValueRef run_in_f32(tri_gpu *g, MlirOperation op, tri_gpu_scalar scalar, LLVMValueRef *args)
{
    MlirType result = tri_type_element(mlirValueGetType(mlirOperationGetResult(op, 0)));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirType type = tri_type_element(mlirValueGetType(mlirOperationGetOperand(op, i)));
        if (tri_gpu_is_narrow(g, type))
            args[i] = tri_gpu_from_narrow(g, type, args[i]);
    }
    LLVMValueRef value = scalar(g, op, args);
    return value && tri_gpu_is_narrow(g, result) ? tri_gpu_to_narrow(g, result, value, false) : value;
}

/* A division of integers for each element, by what only the run of the kernel tells. */
static void remark_division(tri_gpu *g, MlirOperation op, int times)
{
    tri_diag *diag = g->unit->diag;
    MlirValue by = tri_op_operand(op, 1);
    MlirOperation splat = tri_op_def(by);
    int64_t known;
    if (!tri_type_is_tensor(mlirValueGetType(by)) || tri_op_const_int(by, &known))
        return;
    bool is_one = tri_op_is(splat, "tt.splat");
    tri_str name = is_one ? tri_location_name(mlirValueGetLocation(tri_op_operand(splat, 0))) : (tri_str){0};
    tri_diag_missed(diag, tri_op_span(diag, op), "division",
                    "%d division%s of integers per thread, each of some 20 instructions, by %s%.*s%s; %s", times,
                    times == 1 ? "" : "s",
                    name.len ? "'"
                    : is_one ? "one number"
                             : "numbers of a block",
                    TRI_STR_ARG(name), name.len ? "'" : "",
                    is_one ? "a tl.constexpr in its place makes multiplications of them, a dimension of the grid or"
                             " of the block for the quotient makes none"
                           : "a dimension of the grid or of the block for the quotient makes none");
}

bool tri_gpu_run_scalar(tri_gpu *g, MlirOperation op, tri_gpu_scalar scalar)
{
    enum { max_operands = 8 };
    MlirValue result = mlirOperationGetResult(op, 0);
    intptr_t n = mlirOperationGetNumOperands(op);
    TRI_ASSERT(n <= max_operands);
    tri_gpu_value operands[max_operands];
    for (intptr_t i = 0; i < n; i++)
        operands[i] = tri_gpu_operand(g, op, i);
    int count = tri_gpu_count(g, mlirValueGetType(result));
    tri_gpu_value out = tri_gpu_new(g, count);
    const int *same = tri_op_is_pure(op) ? equal_registers(g, op, result, count) : NULL;
    bool is_narrow = is_narrow_arithmetic(g, op);
    int made = 0;
    for (int r = 0; r < count; r++) {
        if (same && same[r] != r) {
            out.at[r] = out.at[same[r]];
            continue;
        }
        made++;
        LLVMValueRef args[max_operands];
        for (intptr_t i = 0; i < n; i++)
            args[i] = operands[i].at[operands[i].count == 1 ? 0 : r];
        out.at[r] = is_narrow ? run_in_f32(g, op, scalar, args) : scalar(g, op, args);
        if (!out.at[r])
            return false;
    }
    tri_gpu_set(g, result, out);
    if (tri_op_in(op, TRI_OPS_DIVISION))
        remark_division(g, op, made);
    return count > 0;
}

enum { operations_of_held = 1024 };

/* `held`: those of the operation, 0: of all. */
static bool too_many_values(tri_gpu *g, MlirOperation op, int64_t held)
{
    if (held)
        tri_op_error(g->unit->diag, op, 4010, "%lld values of a thread at once: the kernel becomes too much code",
                     (long long)held);
    else
        tri_op_error(g->unit->diag, op, 4010, "more than %lld values of a thread: the kernel becomes too much code",
                     (long long)g->max_made);
    tri_diag_note(g->unit->diag, TRI_NO_SPAN,
                  "smaller blocks or more warps give a thread less to do; -fmax-ops=N allows more");
    return false;
}

typedef struct {
    tri_gpu *g;
    int64_t least;
    MlirOperation at; /* with which they are too many; null: none */
    int64_t held;     /* values that this operation alone puts into registers, where that is why; else 0 */
} estimate;

/* What wants a register for each of its values at once. More of them than any machine has take LLVM's own code
 * generators time by the square of their number: 1,024 half a minute, 4,096 a quarter of an hour. */
static int64_t held_values(tri_gpu *g, MlirOperation op)
{
    bool is_held = tri_op_is(op, "tt.load") || tri_op_is(op, "tt.scan");
    return g->machine->product_cost && is_held ? tri_gpu_count(g, mlirValueGetType(mlirOperationGetResult(op, 0))) : 0;
}

static MlirWalkResult count_values(MlirOperation op, void *data)
{
    estimate *e = data;
    /* of these each register of a result is a value of its own, and each of an operand is combined with another */
    bool is_new = tri_op_in(op, TRI_OPS_ELEMENTWISE), is_combined = tri_op_is(op, "tt.reduce");
    for (intptr_t i = 0; is_new && i < mlirOperationGetNumResults(op); i++)
        e->least += tri_gpu_count(e->g, mlirValueGetType(mlirOperationGetResult(op, i)));
    for (intptr_t i = 0; is_combined && i < mlirOperationGetNumOperands(op); i++)
        e->least += tri_gpu_count(e->g, mlirValueGetType(mlirOperationGetOperand(op, i)));
    int64_t held = held_values(e->g, op);
    bool is_held = held > e->g->max_made / operations_of_held;
    if (e->least <= e->g->max_made && !is_held)
        return MlirWalkResultAdvance;
    e->at = op;
    e->held = is_held ? held : 0;
    return MlirWalkResultInterrupt;
}

bool tri_gpu_check_size(tri_gpu *g, MlirOperation func)
{
    estimate e = {.g = g, .least = g->made};
    mlirOperationWalk(func, count_values, &e, MlirWalkPreOrder);
    return !e.at.ptr || too_many_values(g, e.at, e.held);
}

bool tri_gpu_lower_op(tri_gpu *g, MlirOperation op)
{
    const tri_gpu_op *row = tri_map_find(&g->ops, tri_op_name(op));
    if (!row)
        return no_lowering(g, op);
    g->op = op;
    if (g->debug)
        tri_gpu_debug_at(g, mlirOperationGetLocation(op));
    if (g->made > g->max_made)
        return too_many_values(g, op, 0);
    return row->run ? row->run(g, op) : tri_gpu_run_scalar(g, op, row->scalar);
}

bool tri_gpu_lower_block(tri_gpu *g, MlirBlock block)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (!tri_gpu_lower_op(g, op))
            return false;
    return true;
}

bool tri_gpu_run_region(tri_gpu *g, MlirOperation op, int num_args, LLVMValueRef *args, int num_results,
                        LLVMValueRef *out_results)
{
    MlirBlock block = tri_op_body(op, 0);
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
        return tri_gpu_run_blocks(g, op, num_args, args, num_results, out_results);
    for (int i = 0; i < num_args; i++)
        tri_gpu_set(g, mlirBlockGetArgument(block, i), tri_gpu_single(g, args[i]));
    MlirOperation end = mlirBlockGetTerminator(block);
    for (MlirOperation at = mlirBlockGetFirstOperation(block); !mlirOperationEqual(at, end);
         at = mlirOperationGetNextInBlock(at))
        if (!tri_gpu_lower_op(g, at))
            return false;
    for (int i = 0; i < num_results; i++)
        out_results[i] = tri_gpu_operand(g, end, i).at[0];
    return true;
}
