/* Accesses element by element, and pointers as numbers of elements from their arrays on.
 *
 *     %q = tt.addptr %p, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>     // the array is x
 *     %v = tt.load %q, %m, %o
 *   becomes
 *     %q = arith.addi %p, (arith.extsi %i) : tensor<64xi64>
 *     %v = scf.for %e = 0 to 64 iter_args(%t = tensor.empty) {
 *       scf.if %m[%e] { memref.load x[%q[%e]] } else { %o[%e] }, tensor.insert
 *     }
 *
 * Scalar accesses, atomic operations and polling likewise. Afterwards no value is a pointer but arguments. A
 * pointer that may lead into one of several arrays is an error; one that is made from an integer is an address.
 * Answers to triton-to-unstructured (triton-shared). Test: tests/passes/triton-to-unstructured.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/analysis/pointers.h"
#include "ir/compare.h"
#include "ir/linalg.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/linalg/addresses.h"
#include "passes/linalg/calls.h"
#include "passes/linalg/memory.h"
#include "passes/linalg/refuse.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

typedef struct {
    tri_pass_run *run;
    tri_map offsets; /* pointer's MlirValue.ptr -> MlirValue* of its offset */
    tri_map types;   /* pointer's MlirValue.ptr -> its MlirType*, which changes */
    tri_addresses addresses; /* pointers whose offsets are addresses */
    tri_map roots;   /* pointer's MlirValue.ptr -> MlirValue* of its array's argument */
    tri_op_list dead;
    bool failed;
    bool is_vendor; /* as Ascend's converter writes it: an element is a box of one */
    bool has_threads; /* ... for a machine whose threads load and store what is no box */
} state;

static bool is_pointer(MlirType type) { return tri_type_is_ptr(tri_type_element(type)); }

static void put(state *s, tri_map *map, MlirValue pointer, MlirValue value)
{
    MlirValue *slot = TRI_NEW(s->run->arena, MlirValue);
    *slot = value;
    tri_map_set_ptr(map, pointer.ptr, slot);
}

static MlirValue get(const tri_map *map, MlirValue pointer)
{
    MlirValue *slot = tri_map_find_ptr(map, pointer.ptr);
    return slot ? *slot : (MlirValue){NULL};
}

static void fail_unstructured(state *s, MlirOperation op, MlirValue pointer, MlirValue culprit, const char *reason)
{
    tri_refuse_pointer(s->run, op, pointer, culprit, reason);
    s->failed = true;
}

static MlirType offset_type(MlirType pointer)
{
    return tri_type_with_element(pointer, mlirIntegerTypeGet(mlirTypeGetContext(pointer), 64));
}

/* --- pointers as offsets --- */

static MlirValue same_op(tri_builder *b, MlirOperation op, MlirType result, intptr_t n, const MlirValue *operands)
{
    MlirOperation made = tri_op_clone(b, op, 0, NULL, NULL);
    for (intptr_t i = 0; i < n; i++)
        mlirOperationSetOperand(made, i, operands[i]);
    tri_op_set_type(tri_op_result(made, 0), result);
    return tri_op_result(made, 0);
}

static bool is_absolute(const state *s, MlirValue pointer) { return tri_addresses_has(&s->addresses, pointer); }

/* Operand i of an operation as the offset, or the address, that goes on from there; null: it is no pointer. */
static MlirValue operand_as_offset(state *s, MlirOperation op, intptr_t i)
{
    MlirValue operand = tri_op_operand(op, i), target = tri_addresses_target(op, i);
    bool is_array = target.ptr && is_absolute(s, target) && !is_absolute(s, operand);
    return get(is_array ? &s->addresses.arrays : &s->offsets, operand);
}

/* Of what the pointers point to that an operation makes. */
static unsigned element_bytes(MlirOperation op)
{
    MlirType pointer = tri_type_element(mlirValueGetType(tri_op_result(op, 0)));
    return tri_type_bits(tri_build_element_in_memory(tri_type_ptr_pointee(pointer))) / 8;
}

static MlirValue offset_of_op(state *s, tri_builder *b, MlirOperation op)
{
    MlirType type = offset_type(mlirValueGetType(tri_op_result(op, 0)));
    if (tri_op_is(op, "tt.int_to_ptr"))
        return tri_op_operand(op, 0);
    if (tri_op_is(op, "tt.addptr")) {
        MlirValue by = tri_op_operand(op, 1), from = operand_as_offset(s, op, 0);
        unsigned bits = tri_type_bits(tri_type_element(mlirValueGetType(by)));
        by = bits < 64 ? tri_builder_unary(b, "arith.extsi", type, by) : by;
        if (is_absolute(s, tri_op_result(op, 0)))
            by = tri_builder_binary(b, "arith.muli", type, by, tri_builder_int(b, type, element_bytes(op)));
        return tri_builder_binary(b, "arith.addi", type, from, by);
    }
    if (tri_op_is(op, "tt.bitcast"))
        return operand_as_offset(s, op, 0);
    MlirValue operands[4];
    intptr_t n = mlirOperationGetNumOperands(op);
    for (intptr_t i = 0; i < n && i < 4; i++) {
        MlirValue offset = operand_as_offset(s, op, i);
        operands[i] = offset.ptr ? offset : tri_op_operand(op, i);
    }
    return same_op(b, op, type, n, operands);
}

static bool is_region_op(MlirOperation op)
{
    return tri_op_is(op, "scf.for") || tri_op_is(op, "scf.if") || tri_op_is(op, "scf.while");
}

static void turn_value(state *s, MlirValue value)
{
    if (!is_pointer(mlirValueGetType(value)))
        return;
    tri_op_set_type(value, offset_type(mlirValueGetType(value)));
    put(s, &s->offsets, value, value);
}

static void turn_region_op(state *s, MlirOperation op)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
        MlirBlock body = tri_op_body(op, (int)r);
        for (intptr_t i = 0; !mlirBlockIsNull(body) && i < mlirBlockGetNumArguments(body); i++)
            turn_value(s, mlirBlockGetArgument(body, i));
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        turn_value(s, tri_op_result(op, i));
}

static void turn_operands(state *s, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue offset = operand_as_offset(s, op, i);
        if (offset.ptr)
            mlirOperationSetOperand(op, i, offset);
    }
}

/* An argument: the start of its array. Its own uses by casts to arrays stay. */
static void turn_argument(state *s, tri_builder *b, MlirValue argument)
{
    MlirType i64 = mlirIntegerTypeGet(b->context, 64);
    if (is_absolute(s, argument))
        turn_value(s, argument);
    else if (is_pointer(mlirValueGetType(argument)))
        put(s, &s->offsets, argument, tri_builder_int(b, i64, 0));
    if (get(&s->addresses.arrays, argument).ptr)
        put(s, &s->addresses.arrays, argument, tri_memory_address(b, argument));
}

/* --- element by element --- */

typedef MlirValue (*element_fn)(state *s, tri_builder *b, MlirOperation op, MlirValue memory, MlirValue at,
                                MlirValue *operands);

static MlirValue value_at(tri_builder *b, MlirValue value, int rank, const MlirValue *at)
{
    if (!value.ptr || !tri_type_is_tensor(mlirValueGetType(value)))
        return value;
    return tri_build_extract(b, value, rank, at);
}

typedef struct {
    MlirOperation op;
    MlirType pointee; /* where `memory` is null: offsets are addresses */
    MlirValue memory, offset, mask, other;
    MlirValue operands[2]; /* values of the op, by element */
    int num_operands;
    MlirType result;       /* null: none */
    element_fn element;
} element_job;

static MlirValue load_element(state *s, tri_builder *b, MlirOperation op, MlirValue memory, MlirValue at,
                              MlirValue *operands);
static MlirValue store_element(state *s, tri_builder *b, MlirOperation op, MlirValue memory, MlirValue at,
                               MlirValue *operands);

static MlirValue box_of_one(tri_builder *b, MlirValue memory, MlirValue place)
{
    tri_build_box box = {.rank = 1};
    box.offset[0] = tri_build_of(place);
    box.size[0] = box.stride[0] = tri_build_number(1);
    return tri_build_reinterpret(b, memory, &box);
}

/* The access of one element under its mask; null without result. */
static MlirValue emit_element(state *s, tri_builder *b, const element_job *job, int rank, const MlirValue *at)
{
    MlirType element = job->result.ptr ? tri_type_element(job->result) : (MlirType){NULL};
    MlirValue mask = value_at(b, job->mask, rank, at), other = value_at(b, job->other, rank, at),
              operands[2] = {{NULL}, {NULL}};
    tri_builder inner = *b, outer;
    MlirOperation guard = {NULL};
    if (mask.ptr)
        guard = tri_build_if(b, mask, element.ptr ? 1 : 0, &element, &inner, element.ptr ? &outer : NULL);
    for (int i = 0; i < job->num_operands; i++)
        operands[i] = value_at(&inner, job->operands[i], rank, at);
    MlirValue offset = value_at(&inner, job->offset, rank, at), memory = job->memory;
    MlirValue place = tri_build_index(&inner, tri_build_number(0));
    if (memory.ptr)
        place = tri_build_to_index(&inner, offset);
    else
        memory = tri_memory_at(&inner, offset, s->is_vendor ? tri_build_number(1) : tri_build_number(0), job->pointee);
    if (s->is_vendor && (job->element == load_element || job->element == store_element)) {
        memory = box_of_one(&inner, memory, place);
        place = tri_build_index(&inner, tri_build_number(0));
    }
    MlirValue result = job->element(s, &inner, job->op, memory, place, operands);
    if (!mask.ptr) {
        *b = inner;
        return result;
    }
    tri_build_yield(&inner, "scf.yield", element.ptr ? 1 : 0, &result);
    if (!element.ptr)
        return result;
    if (!other.ptr)
        other = tri_build_zero(&outer, element);
    tri_build_yield(&outer, "scf.yield", 1, &other);
    return tri_op_result(guard, 0);
}

/* Loops over the elements of a block, around emit_element; what they give is a tensor. */
static MlirValue emit_loops(state *s, tri_builder *b, const element_job *job, MlirType shape, int d, MlirValue *at,
                            MlirValue tensor)
{
    int rank = tri_type_rank(shape);
    if (d == rank) {
        MlirValue one = emit_element(s, b, job, rank, at);
        return tensor.ptr ? tri_build_insert(b, one, tensor, rank, at) : tensor;
    }
    tri_builder inner;
    MlirOperation loop = tri_build_for(b, tri_build_number(0), tri_build_number(tri_type_dim(shape, d)),
                                       tri_build_number(1), tensor.ptr ? 1 : 0, &tensor, &inner);
    MlirBlock body = tri_op_body(loop, 0);
    at[d] = mlirBlockGetArgument(body, 0);
    MlirValue next = emit_loops(s, &inner, job, shape, d + 1, at, tensor.ptr ? mlirBlockGetArgument(body, 1) : tensor);
    tri_build_yield(&inner, "scf.yield", tensor.ptr ? 1 : 0, &next);
    if (s->is_vendor)
        tri_builder_set_attr(loop, "ExtractedLoadOrStore", mlirUnitAttrGet(b->context));
    return tensor.ptr ? tri_op_result(loop, 0) : tensor;
}

static MlirValue load_element(state *s, tri_builder *b, MlirOperation op, MlirValue memory, MlirValue at,
                              MlirValue *operands)
{
    (void)s, (void)operands;
    return tri_memory_from_memory(b, tri_build_load(b, memory, 1, &at),
                                  tri_type_element(mlirValueGetType(tri_op_result(op, 0))));
}

static MlirValue store_element(state *s, tri_builder *b, MlirOperation op, MlirValue memory, MlirValue at,
                               MlirValue *operands)
{
    (void)op;
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory));
    MlirValue value = tri_memory_to_memory(b, operands[0], element);
    if (!s->is_vendor) {
        tri_build_store(b, value, memory, 1, &at);
        return (MlirValue){NULL};
    }
    MlirValue one = tri_build_empty(b, tri_type_tensor(1, (int64_t[]){1}, element, (MlirAttribute){NULL}));
    tri_build_materialize(b, tri_build_insert(b, value, one, 1, &at), memory);
    return (MlirValue){NULL};
}

/* memref.generic_atomic_rmw; `inner` computes the new element from its argument. */
static MlirValue generic_atomic(tri_builder *b, MlirValue memory, MlirValue at, tri_builder *inner)
{
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory));
    MlirValue operands[] = {memory, at};
    MlirBlock block = mlirBlockCreate(1, &element, &b->loc);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, block);
    *inner = tri_builder_at_end(block, b->loc);
    return tri_builder_value(b, &(tri_op){.name = "memref.generic_atomic_rmw", .num_operands = 2, .operands = operands,
                                          .num_results = 1, .results = &element, .num_regions = 1, .regions = &region});
}

/* Compared are bits, of floats too. */
static MlirValue cas_element(state *s, tri_builder *b, MlirOperation op, MlirValue memory, MlirValue at,
                             MlirValue *operands)
{
    (void)s, (void)op;
    tri_builder inner;
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory)), own = mlirValueGetType(operands[0]),
             word = mlirIntegerTypeGet(b->context, tri_type_bits(element));
    MlirValue wanted = tri_memory_to_memory(b, operands[0], word), next = tri_memory_to_memory(b, operands[1], element);
    MlirValue old = generic_atomic(b, memory, at, &inner);
    MlirValue now = mlirBlockGetArgument(inner.block, 0);
    MlirValue is_wanted =
        tri_compare_make(&inner, TRI_CMP_EQ, tri_memory_to_memory(&inner, now, word), wanted);
    MlirValue select[3] = {is_wanted, next, now};
    MlirValue chosen = tri_builder_value(
        &inner,
        &(tri_op){
            .name = "arith.select", .num_operands = 3, .operands = select, .num_results = 1, .results = &element});
    tri_build_yield(&inner, "memref.atomic_yield", 1, &chosen);
    return tri_memory_from_memory(b, old, own);
}

/* What tt's and, or, xor, add, fadd, max, min, umax, umin, exch, by number, are in arith: an AtomicRMWKind and an
 * operation. */
typedef struct {
    int kind;
    const char *op;
} rmw_row;

enum { rmw_assign = 3 }; /* arith's AtomicRMWKind of an exchange */

static const rmw_row *find_rmw(int64_t kind, bool is_float)
{
    enum { addf, addi, andi, assign, maximumf, maxnumf, maxs, maxu, minimumf, minnumf, mins, minu, mulf, muli, ori,
        xori };
    static const rmw_row ints[] = {
        {-1, NULL},           {andi, "arith.andi"}, {ori, "arith.ori"},     {xori, "arith.xori"},
        {addi, "arith.addi"}, {addf, "arith.addf"}, {maxs, "arith.maxsi"},  {mins, "arith.minsi"},
        {maxu, "arith.maxui"}, {minu, "arith.minui"}, {rmw_assign, NULL}};
    static const rmw_row floats[] = {{-1, NULL}, {-1, NULL}, {-1, NULL}, {-1, NULL},
                                     {addf, "arith.addf"}, {addf, "arith.addf"}, {maxnumf, "arith.maxnumf"},
                                     {minnumf, "arith.minnumf"}, {maxnumf, "arith.maxnumf"},
                                     {minnumf, "arith.minnumf"}, {rmw_assign, NULL}};
    const rmw_row *row = kind < 1 || kind > 10 ? NULL : is_float ? &floats[kind] : &ints[kind];
    return row && row->kind >= 0 ? row : NULL;
}

/* The array is declared with other elements of the same size. */
static MlirValue rmw_bits(tri_builder *b, MlirValue memory, MlirValue at, const rmw_row *row, MlirValue operand)
{
    tri_builder inner;
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory)), own = mlirValueGetType(operand);
    MlirValue old = generic_atomic(b, memory, at, &inner);
    MlirValue now = tri_memory_from_memory(&inner, mlirBlockGetArgument(inner.block, 0), own);
    MlirValue next = tri_memory_to_memory(&inner, tri_builder_binary(&inner, row->op, own, now, operand), element);
    tri_build_yield(&inner, "memref.atomic_yield", 1, &next);
    return tri_memory_from_memory(b, old, own);
}

static MlirValue rmw_element(state *s, tri_builder *b, MlirOperation op, MlirValue memory, MlirValue at,
                             MlirValue *operands)
{
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory)), own = mlirValueGetType(operands[0]);
    const rmw_row *row = find_rmw(tri_op_int(op, "atomic_rmw_op", 0), tri_type_is_float(own));
    if (!row) {
        fail_unstructured(s, op, (MlirValue){NULL}, (MlirValue){NULL}, "this atomic operation is for integers");
        return operands[0];
    }
    bool is_unknown = s->is_vendor && !strcmp(row->op ? row->op : "", "arith.xori"); /* to MLIR 19 */
    if (is_unknown || (row->kind != rmw_assign && !tri_type_is_int_of(own, 1) && !mlirTypeEqual(element, own)))
        return rmw_bits(b, memory, at, row, operands[0]);
    MlirValue all[] = {tri_memory_to_memory(b, operands[0], element), memory, at};
    tri_attr attr = {"kind", tri_attr_i64(b->context, row->kind)};
    MlirValue old = tri_builder_value(b, &(tri_op){.name = "memref.atomic_rmw",
                                                   .num_operands = 3,
                                                   .operands = all,
                                                   .num_results = 1,
                                                   .results = &element,
                                                   .num_attrs = 1,
                                                   .attrs = &attr});
    return tri_memory_from_memory(b, old, own);
}

/* Spins until the element has the expected value; there is no clock, so what waits for a time looks once. */
static MlirValue poll_element(state *s, tri_builder *b, MlirOperation op, MlirValue memory, MlirValue at,
                              MlirValue *operands)
{
    tri_builder before, inner;
    (void)s;
    if (mlirOperationGetNumOperands(op) > 2) /* at most so long: one look */
        return tri_compare_make(b, TRI_CMP_EQ, tri_build_load(b, memory, 1, &at), operands[0]);
    tri_memory_while(b, at, &before, &inner);
    MlirValue old = tri_build_load(&before, memory, 1, &at);
    MlirValue is_other = tri_compare_make(&before, TRI_CMP_NE, old, operands[0]);
    MlirValue more[2] = {is_other, mlirBlockGetArgument(before.block, 0)};
    tri_build_yield(&before, "scf.condition", 2, more);
    MlirValue same = mlirBlockGetArgument(inner.block, 0);
    tri_build_yield(&inner, "scf.yield", 1, &same);
    return tri_builder_int(b, mlirIntegerTypeGet(b->context, 1), 1);
}

/* --- operations --- */

typedef struct {
    const char *name;
    element_fn element;
    int num_values, mask; /* operands behind the pointer; number of the mask's, -1: none, -2: in segments */
} job_row;

static const job_row jobs[] = {
    {"tt.load", load_element, 0, -2},        {"tt.store", store_element, 1, 2},
    {"tt.atomic_rmw", rmw_element, 1, 2},    {"tt.atomic_cas", cas_element, 2, -1},
    {"tt.atomic_load", load_element, 0, 1},  {"tt.atomic_store", store_element, 1, 2},
    {"tt.atomic_poll", poll_element, 1, -1},
};

static const job_row *find_job(MlirOperation op)
{
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        if (tri_op_is(op, jobs[i].name))
            return &jobs[i];
    return NULL;
}

/* func.call @triton_indirect_load_N(array, offsets[, mask[, other]]), ..._store_N(array, offsets, values[, mask]): the
 * vendor's compiler makes a function of threads of them. */
static MlirValue emit_indirect(state *s, tri_builder *b, const element_job *job)
{
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(job->memory)), types[4], result = {NULL};
    MlirValue values[4] = {job->memory, job->offset};
    int n = 2;
    if (job->num_operands)
        values[n++] = tri_memory_to_memory(b, job->operands[0], element);
    if (job->mask.ptr)
        values[n++] = job->mask;
    if (job->mask.ptr && job->other.ptr)
        values[n++] = tri_memory_to_memory(b, job->other, element);
    for (int i = 0; i < n; i++)
        types[i] = mlirValueGetType(values[i]);
    if (job->result.ptr)
        result = tri_type_with_element(job->result, element);
    tri_str symbol = tri_calls_unique(s->run->arena, job->op,
                                      job->result.ptr ? "triton_indirect_load" : "triton_indirect_store");
    MlirType function = mlirFunctionTypeGet(b->context, n, types, job->result.ptr ? 1 : 0, &result);
    tri_calls_declare(b, job->op, symbol, function, 0, NULL);
    MlirValue made = tri_calls_call(b, symbol, result, n, values);
    return job->result.ptr ? tri_memory_from_memory(b, made, tri_type_element(job->result)) : made;
}

static bool is_indirect(const state *s, const element_job *job, MlirType pointer)
{
    return s->has_threads && tri_type_is_tensor(pointer) && job->memory.ptr &&
           (tri_op_is(job->op, "tt.load") || tri_op_is(job->op, "tt.store"));
}

static void rewrite_access(state *s, MlirOperation op, const job_row *row)
{
    tri_builder b = tri_builder_before(op);
    MlirValue pointer = tri_op_operand(op, 0), root = get(&s->roots, pointer);
    MlirType type = *(MlirType *)tri_map_find_ptr(&s->types, pointer.ptr), shape;
    element_job job = {
        .op = op, .offset = get(&s->offsets, pointer), .num_operands = row->num_values, .element = row->element};
    if (mlirOperationGetNumResults(op))
        job.result = mlirValueGetType(tri_op_result(op, 0));
    for (int i = 0; i < row->num_values; i++)
        job.operands[i] = tri_op_operand(op, 1 + i);
    if (row->mask == -2) {
        job.mask = tri_op_segment_value(op, 1);
        job.other = tri_op_segment_value(op, 2);
    } else if (row->mask >= 0 && mlirOperationGetNumOperands(op) > row->mask) {
        job.mask = tri_op_operand(op, row->mask);
    }
    MlirType pointee = tri_type_ptr_pointee(tri_type_element(type)),
             declared = root.ptr ? tri_type_ptr_pointee(mlirValueGetType(root)) : pointee;
    unsigned size = tri_type_bits(tri_build_element_in_memory(pointee));
    job.pointee = pointee;
    if (root.ptr && size != tri_type_bits(tri_build_element_in_memory(declared))) {
        fail_unstructured(s, op, pointer, root, "it reads an array as elements of another size");
        return;
    }
    if (root.ptr)
        job.memory = tri_memory_base(&b, root);
    shape = tri_type_is_tensor(type) ? tri_type_with_element(type, pointee) : type;
    MlirValue at[TRI_MAX_RANK], result;
    if (is_indirect(s, &job, type))
        result = emit_indirect(s, &b, &job);
    else if (!tri_type_is_tensor(type))
        result = emit_element(s, &b, &job, 0, at);
    else
        result =
            emit_loops(s, &b, &job, shape, 0, at, job.result.ptr ? tri_build_empty(&b, job.result) : (MlirValue){NULL});
    if (job.result.ptr)
        mlirValueReplaceAllUsesOfWith(tri_op_result(op, 0), result);
    tri_vec_push(s->run->arena, &s->dead, op);
}

/* The address as a number: where the array begins, and its elements from there. */
static void rewrite_to_int(state *s, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    MlirValue pointer = tri_op_operand(op, 0), root = get(&s->roots, pointer);
    MlirType type = mlirValueGetType(tri_op_result(op, 0));
    MlirType from = *(MlirType *)tri_map_find_ptr(&s->types, pointer.ptr);
    if (is_absolute(s, pointer)) {
        mlirValueReplaceAllUsesOfWith(tri_op_result(op, 0), get(&s->offsets, pointer));
        tri_vec_push(s->run->arena, &s->dead, op);
        return;
    }
    MlirValue start = tri_memory_address(&b, root);
    start = tri_type_is_tensor(type) ? tri_builder_unary(&b, "tt.splat", type, start) : start;
    unsigned bytes = tri_type_bits(tri_build_element_in_memory(tri_type_ptr_pointee(tri_type_element(from)))) / 8;
    MlirValue walked =
        tri_builder_binary(&b, "arith.muli", type, get(&s->offsets, pointer), tri_builder_int(&b, type, bytes));
    MlirValue sum = tri_builder_binary(&b, "arith.addi", type, start, walked);
    mlirValueReplaceAllUsesOfWith(tri_op_result(op, 0), sum);
    tri_vec_push(s->run->arena, &s->dead, op);
}

static void visit_unstructured(state *s, MlirOperation op)
{
    const job_row *row = find_job(op);
    bool is_cast = tri_op_is(op, "builtin.unrealized_conversion_cast");
    if (is_region_op(op)) {
        turn_region_op(s, op);
    } else if (row) {
        rewrite_access(s, op, row);
    } else if (tri_op_is(op, "tt.ptr_to_int")) {
        rewrite_to_int(s, op);
    } else if (mlirOperationGetNumResults(op) >= 1 && is_pointer(mlirValueGetType(tri_op_result(op, 0))) && !is_cast) {
        tri_builder b = tri_builder_before(op);
        put(s, &s->offsets, tri_op_result(op, 0), offset_of_op(s, &b, op));
        tri_vec_push(s->run->arena, &s->dead, op);
    }
}

/* The array of every pointer that is accessed, while their types say that they are pointers. */
static void find_roots(state *s, tri_op_list *ops)
{
    tri_pointers *pointers = tri_pointers_create(s->run->arena);
    for (size_t i = 0; i < ops->len; i++) {
        MlirOperation op = ops->at[i];
        if (tri_op_is(op, "tt.make_tensor_ptr"))
            fail_unstructured(s, op, (MlirValue){NULL}, tri_op_result(op, 0),
                              "it is a block pointer; run rewrite-tensor-pointer before");
        bool leaves = tri_op_is(op, "tt.return") || tri_op_is(op, "tt.call");
        for (intptr_t k = 0; leaves && k < mlirOperationGetNumOperands(op); k++)
            if (is_pointer(mlirValueGetType(tri_op_operand(op, k))))
                fail_unstructured(s, op, (MlirValue){NULL}, tri_op_operand(op, k),
                                  "it goes from one function to another");
        if (!find_job(op) && !tri_op_is(op, "tt.ptr_to_int"))
            continue;
        const char *reason;
        MlirValue culprit, root = tri_pointers_root(pointers, tri_op_operand(op, 0), &reason, &culprit);
        MlirBlock block;
        intptr_t index;
        bool is_argument =
            root.ptr && tri_op_is_block_argument(root, &block, &index) && tri_type_is_ptr(mlirValueGetType(root));
        if (is_absolute(s, tri_op_operand(op, 0)))
            ;
        else if (!is_argument)
            fail_unstructured(s, op, tri_op_operand(op, 0), culprit,
                              reason ? reason : "it does not come from an argument");
        else
            put(s, &s->roots, tri_op_operand(op, 0), root);
        MlirType *type = TRI_NEW(s->run->arena, MlirType);
        *type = mlirValueGetType(tri_op_operand(op, 0));
        tri_map_set_ptr(&s->types, tri_op_operand(op, 0).ptr, type);
    }
}

/* The function's type, from its arguments' as they are now. */
static void set_signature(state *s, MlirOperation func, MlirBlock body)
{
    MlirType old = mlirTypeAttrGetValue(tri_op_attr(func, "function_type"));
    intptr_t n = mlirBlockGetNumArguments(body), results = mlirFunctionTypeGetNumResults(old);
    MlirType *types = TRI_NEW_ARRAY(s->run->arena, MlirType, n + results + 1);
    for (intptr_t i = 0; i < n; i++)
        types[i] = mlirValueGetType(mlirBlockGetArgument(body, i));
    for (intptr_t i = 0; i < results; i++)
        types[n + i] = mlirFunctionTypeGetResult(old, i);
    MlirType made = mlirFunctionTypeGet(mlirOperationGetContext(func), n, types, results, types + n);
    tri_builder_set_attr(func, "function_type", mlirTypeAttrGet(made));
}

static bool rewrite_function(tri_pass_run *run, MlirOperation func)
{
    int64_t vendor = tri_passes_option_int(run, "vendor", 0);
    state s = {.run = run, .is_vendor = vendor != 0, .has_threads = vendor > 1};
    tri_op_list ops = {0};
    MlirBlock body = tri_op_body(func, 0);
    if (mlirBlockIsNull(body))
        return true;
    tri_map_init(&s.offsets, run->arena);
    tri_map_init(&s.roots, run->arena);
    tri_map_init(&s.types, run->arena);
    tri_op_collect(func, run->arena, &ops);
    tri_addresses_find(&s.addresses, run->arena, body, &ops, !s.is_vendor);
    find_roots(&s, &ops);
    if (s.failed)
        return false;
    tri_builder start = tri_builder_at_start(body, mlirOperationGetLocation(func));
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
        turn_argument(&s, &start, mlirBlockGetArgument(body, i));
    set_signature(&s, func, body);
    for (size_t i = 0; i < ops.len; i++)
        visit_unstructured(&s, ops.at[i]);
    for (size_t i = 0; i < ops.len && !s.failed; i++)
        if (is_region_op(ops.at[i]) || tri_op_is(ops.at[i], "scf.yield") || tri_op_is(ops.at[i], "scf.condition"))
            turn_operands(&s, ops.at[i]);
    for (size_t i = s.dead.len; i-- > 0 && !s.failed;)
        mlirOperationDestroy(s.dead.at[i]);
    return !s.failed;
}

static bool run_triton_to_unstructured(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    tri_linalg_load(mlirModuleGetContext(run->module));
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t f = 0; f < funcs.len; f++) {
        if (!rewrite_function(run, funcs.at[f]))
            return false;
    }
    tri_op_erase_dead(mlirModuleGetOperation(run->module));
    return true;
}

const tri_pass tri_pass_triton_to_unstructured = {
    .name = "triton-to-unstructured",
    .help = "access memory element by element where there is no form",
    .alias = "triton-to-unstructure,unstructured-to-memref,discrete-mask-access-conversion",
    .options = (const char *const[]){"vendor=N: elements as Ascend's converter writes them; 2: by threads (0)", NULL},
    .run = run_triton_to_unstructured,
};
