/* Accesses that have a form (ir/analysis/pointers.h) as copies of boxes of memory.
 *
 *     %v = tt.load %p, %m, %zero : tensor<128x!tt.ptr<f32>>      // base x, from 128*pid, in ..n
 *   becomes
 *     %b = memref.alloc() : memref<128xf32>
 *     %k = clamp(n - 128*pid, 0, 128)
 *     scf.if %k < 128 { linalg.fill ins(%zero) outs(%b) }
 *     memref.copy (memref.reinterpret_cast x to offset: [128*pid], sizes: [%k], strides: [1]), %b[0] [%k] [1]
 *     %v = bufferization.to_tensor %b restrict writable
 *
 * and a store into bufferization.materialize_in_destination of a slice. Rows taken modulo a size are copied in
 * runs, rows from a list one after the other. What a mask leaves out of a load without `other` is 0. Accesses
 * without a form, and those under masks that are no boxes, are left to triton-to-unstructured.
 * Answers to triton-to-structured (triton-shared). Test: tests/passes/triton-to-structured.mlir */
#include "passes/passes.h"

#include "ir/analysis/pointers.h"
#include "ir/compare.h"
#include "ir/linalg.h"
#include "ir/op.h"
#include "ir/type.h"
#include "ir/upstream.h"
#include "passes/linalg/memory.h"

#include "mlir-c/BuiltinAttributes.h"

typedef struct {
    tri_pointers *pointers;
    const tri_access *access;
    MlirOperation op;
    bool is_vendor;
    MlirValue base;            /* memref<?xT>; null: `address` */
    MlirValue address;         /* i64, in bytes: every box has a memref of its own, as Ascend's converter writes it */
    MlirValue buffer, value;   /* of a load; of a store */
    tri_build_size low[TRI_MAX_RANK], count[TRI_MAX_RANK]; /* window of each dimension */
    bool is_reduced[TRI_MAX_RANK];                         /* one element stands for all */
} transfer;

/* Where the dimensions outside of the one that is looked at are: `window` is what is copied of `memory`. */
typedef struct {
    tri_build_size offset;
    tri_build_box memory, window, block;
} place;

static tri_build_size emit_structured(transfer *t, tri_builder *b, const tri_sum *sum)
{
    int64_t number;
    if (tri_sum_is_const(sum, &number))
        return tri_build_number(number);
    return tri_build_of(tri_sum_emit(tri_pointers_sums(t->pointers), b, sum, tri_build_index_type(b->context)));
}

/* Do all conditions hold that do not depend on the element? Null: there are none. */
static MlirValue emit_conditions(transfer *t, tri_builder *b)
{
    MlirType i1 = mlirIntegerTypeGet(b->context, 1);
    MlirValue all = {NULL};
    const tri_access *a = t->access;
    for (int i = 0; i < a->condition_count + a->positive_count; i++) {
        MlirValue one;
        if (i < a->condition_count) {
            one = a->condition[i];
        } else {
            MlirValue zero = tri_build_index(b, tri_build_number(0));
            MlirValue value = tri_build_index(b, emit_structured(t, b, a->positive[i - a->condition_count]));
            one = tri_compare_make(b, TRI_CMP_SGT, value, zero);
        }
        all = all.ptr ? tri_builder_binary(b, "arith.andi", i1, all, one) : one;
    }
    return all;
}

static void emit_windows(transfer *t, tri_builder *b)
{
    const tri_access *a = t->access;
    tri_build_size zero = tri_build_number(0);
    for (int d = 0; d < a->form.rank; d++) {
        tri_build_size size = tri_build_number(a->form.dim[d].size), high = size;
        t->low[d] = zero;
        if (a->low[d])
            t->low[d] = tri_build_max(b, emit_structured(t, b, a->low[d]), zero);
        if (a->high[d])
            high = tri_build_min(b, emit_structured(t, b, a->high[d]), size);
        t->count[d] = a->low[d] || a->high[d] ? tri_build_max(b, tri_build_sub(b, high, t->low[d]), zero) : size;
    }
    MlirValue condition = emit_conditions(t, b);
    if (!condition.ptr)
        return;
    MlirType index = tri_build_index_type(b->context);
    MlirValue operands[3] = {condition, tri_build_index(b, t->count[0]), tri_build_index(b, zero)};
    t->count[0] = tri_build_of(tri_builder_value(
        b, &(tri_op){
               .name = "arith.select", .num_operands = 3, .operands = operands, .num_results = 1, .results = &index}));
}

static void emit_dim(transfer *t, tri_builder *b, int d, place at);

/* An atomic operation whose old values nobody wants, as Ascend's converter writes it: a linalg.generic on memory that
 * is marked with what it is. */
static const char *const rmw_names[] = {"", "and", "or", "xor", "add", "fadd", "max", "min", "umax", "umin", "exch"};
static const char *const rmw_ops[] = {NULL, "arith.andi", "arith.ori", "arith.xori", "arith.addi", "arith.addf",
                                      "arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui", NULL};

static bool is_marked_atomic(const tri_access *a, MlirOperation op)
{
    int64_t kind = tri_op_int(op, "atomic_rmw_op", 0);
    for (int d = 0; d < a->form.rank; d++)
        if (a->form.dim[d].kind != TRI_DIM_RANGE)
            return false;
    return kind > 0 && kind < 10 && mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(op, 0)));
}

static void emit_marked(transfer *t, tri_builder *b, MlirValue memory, MlirValue values)
{
    static const char *const semantics[] = {"", "relaxed", "acquire", "release", "acq_rel"};
    static const char *const scopes[] = {"", "gpu", "cta", "sys"};
    int64_t kind = tri_op_int(t->op, "atomic_rmw_op", 0);
    const char *sem = semantics[tri_op_int(t->op, "sem", 4)], *scope = scopes[tri_op_int(t->op, "scope", 1)];
    MlirValue ins[2] = {memory, values};
    tri_builder inner;
    MlirOperation generic = tri_build_generic(b, 2, ins, NULL, 1, &memory, &inner);
    MlirValue x = mlirBlockGetArgument(inner.block, 0), y = mlirBlockGetArgument(inner.block, 1);
    MlirValue made = tri_builder_binary(&inner, rmw_ops[kind], mlirValueGetType(x), x, y);
    tri_build_yield(&inner, "linalg.yield", 1, &made);
    const char *const marks[][2] = {
        {"GenericAtomicRMW", rmw_names[kind]}, {"MemSemantic", sem}, {"MemSyncScope", scope}};
    for (int i = 0; i < 3; i++)
        tri_builder_set_attr(generic, marks[i][0], tri_attr_str(b->context, marks[i][1], strlen(marks[i][1])));
}

static bool is_whole(const tri_build_box *memory, const tri_build_box *window)
{
    for (int d = 0; d < memory->rank; d++)
        if (window->offset[d].value.ptr || window->offset[d].number ||
            window->size[d].value.ptr != memory->size[d].value.ptr || window->size[d].number != memory->size[d].number)
            return false;
    return true;
}

/* The memory at an address from the box's first element to its last one. */
static MlirValue emit_base(transfer *t, tri_builder *b, const place *at)
{
    MlirType i64 = mlirIntegerTypeGet(b->context, 64);
    MlirType pointee = tri_type_ptr_pointee(mlirValueGetType(t->access->form.base));
    unsigned bytes = tri_type_bits(tri_build_element_in_memory(pointee)) / 8;
    tri_build_size offset = tri_build_mul(b, at->offset, tri_build_number(bytes)), extent = tri_build_number(1);
    for (int d = 0; d < at->memory.rank; d++) {
        tri_build_size last = tri_build_sub(b, at->memory.size[d], tri_build_number(1));
        extent = tri_build_add(b, extent, tri_build_mul(b, last, at->memory.stride[d]));
    }
    MlirValue walked = tri_builder_unary(b, "arith.index_cast", i64, tri_build_index(b, offset));
    MlirValue address = tri_builder_binary(b, "arith.addi", i64, t->address, walked);
    return tri_memory_at(b, address, extent, pointee);
}

/* The box that is left when every dimension is placed. */
static void emit_copy(transfer *t, tri_builder *b, place *at)
{
    MlirValue base = t->base.ptr ? t->base : emit_base(t, b, at);
    at->memory.offset[0] = t->base.ptr ? at->offset : tri_build_number(0);
    MlirValue memory = tri_build_reinterpret(b, base, &at->memory);
    if (!is_whole(&at->memory, &at->window))
        memory = tri_build_subview(b, memory, &at->window);
    if (tri_op_is(t->op, "tt.atomic_rmw"))
        emit_marked(t, b, memory, tri_build_subview(b, tri_build_to_buffer(b, t->value), &at->block));
    else if (t->buffer.ptr)
        tri_build_copy(b, memory, tri_build_subview(b, t->buffer, &at->block));
    else
        tri_build_materialize(b, tri_build_extract_slice(b, t->value, &at->block, -1, NULL), memory);
}

/* Dimension d of the box: `count` elements from `low` of the block on, whose first has the index `index`. */
static void set_dim(transfer *t, tri_builder *b, int d, place *at, tri_build_size low, tri_build_size count,
                    tri_build_size index)
{
    const tri_block_dim *x = &t->access->form.dim[d];
    tri_build_size stride = x->kind == TRI_DIM_NONE ? tri_build_number(1) : emit_structured(t, b, x->stride);
    if (x->kind != TRI_DIM_NONE)
        at->offset = tri_build_add(b, at->offset, tri_build_mul(b, index, stride));
    at->memory.size[d] = at->window.size[d] = at->block.size[d] = count;
    at->memory.stride[d] = stride;
    at->block.offset[d] = low;
    at->block.stride[d] = at->window.stride[d] = tri_build_number(1);
}

/* The whole range as one box of memory, of which the window is a part: consumers see what a block is. */
static void set_range(transfer *t, tri_builder *b, int d, place *at)
{
    const tri_block_dim *x = &t->access->form.dim[d];
    set_dim(t, b, d, at, t->low[d], t->count[d], emit_structured(t, b, x->start));
    at->memory.size[d] = tri_build_number(x->size);
    at->window.offset[d] = t->low[d];
}

/* One element of the dimension after the other: indices from a list, or one address for all. */
static void emit_each(transfer *t, tri_builder *b, int d, place at)
{
    const tri_block_dim *x = &t->access->form.dim[d];
    tri_builder inner;
    MlirOperation loop =
        tri_build_for(b, t->low[d], tri_build_add(b, t->low[d], t->count[d]), tri_build_number(1), 0, NULL, &inner);
    MlirValue i = mlirBlockGetArgument(tri_op_body(loop, 0), 0);
    tri_build_size index = tri_build_number(0);
    if (x->kind == TRI_DIM_INDEXED) {
        MlirType list = mlirValueGetType(x->index);
        MlirValue at_list[TRI_MAX_RANK];
        for (int k = 0; k < tri_type_rank(list); k++)
            at_list[k] = tri_type_dim(list, k) > 1 ? i : tri_build_index(&inner, tri_build_number(0));
        index =
            tri_build_of(tri_build_to_index(&inner, tri_build_extract(&inner, x->index, tri_type_rank(list), at_list)));
    }
    set_dim(t, &inner, d, &at, tri_build_of(i), tri_build_number(1), index);
    emit_dim(t, &inner, d + 1, at);
    tri_build_yield(&inner, "scf.yield", 0, NULL);
}

/* How many indices from `start` on have neighbours as remainders, of which `rem` is the first. Below zero these go up
 * to 0 and from there to 1 - wrap. */
static tri_build_size emit_run_length(tri_builder *b, MlirValue start, MlirValue rem, MlirValue wrap)
{
    MlirType index = tri_build_index_type(b->context);
    MlirValue zero = tri_build_index(b, tri_build_number(0)), one = tri_build_index(b, tri_build_number(1));
    MlirValue is_below = tri_compare_make(b, TRI_CMP_SLT, start, zero);
    MlirValue operands[3] = {is_below, one, wrap};
    MlirValue end = tri_builder_value(
        b, &(tri_op){
               .name = "arith.select", .num_operands = 3, .operands = operands, .num_results = 1, .results = &index});
    return tri_build_sub(b, tri_build_of(end), tri_build_of(rem));
}

/* Runs up to the next multiple of the size that indices are taken modulo of. */
static void emit_runs(transfer *t, tri_builder *b, int d, place at)
{
    const tri_block_dim *x = &t->access->form.dim[d];
    MlirType index = tri_build_index_type(b->context);
    tri_build_size end = tri_build_add(b, t->low[d], t->count[d]);
    MlirValue first = tri_build_index(b, t->low[d]), last = tri_build_index(b, end);
    tri_builder before, inner;
    tri_memory_while(b, first, &before, &inner);
    MlirValue now = mlirBlockGetArgument(before.block, 0);
    MlirValue more[2] = {tri_compare_make(&before, TRI_CMP_SLT, now, last), now};
    tri_build_yield(&before, "scf.condition", 2, more);
    now = mlirBlockGetArgument(inner.block, 0);
    MlirValue wrap = tri_build_index(&inner, emit_structured(t, &inner, x->wrap));
    tri_build_size start = tri_build_add(&inner, emit_structured(t, &inner, x->start), tri_build_of(now));
    MlirValue from = tri_build_index(&inner, start);
    MlirValue place_of = tri_builder_binary(&inner, "arith.remsi", index, from, wrap);
    tri_build_size rest = emit_run_length(&inner, from, place_of, wrap);
    tri_build_size run = tri_build_min(&inner, rest, tri_build_sub(&inner, tri_build_of(last), tri_build_of(now)));
    set_dim(t, &inner, d, &at, tri_build_of(now), run, tri_build_of(place_of));
    emit_dim(t, &inner, d + 1, at);
    MlirValue next = tri_build_index(&inner, tri_build_add(&inner, tri_build_of(now), run));
    tri_build_yield(&inner, "scf.yield", 1, &next);
}

static void emit_dim(transfer *t, tri_builder *b, int d, place at)
{
    if (d == t->access->form.rank) {
        emit_copy(t, b, &at);
        return;
    }
    const tri_block_dim *x = &t->access->form.dim[d];
    if (x->kind == TRI_DIM_WRAP) {
        emit_runs(t, b, d, at);
    } else if (x->kind == TRI_DIM_RANGE) {
        set_range(t, b, d, &at);
        emit_dim(t, b, d + 1, at);
    } else if (t->is_reduced[d]) {
        set_dim(t, b, d, &at, t->low[d], tri_build_number(1), tri_build_number(0));
        emit_dim(t, b, d + 1, at);
    } else {
        emit_each(t, b, d, at);
    }
}

static place start_of(transfer *t, tri_builder *b)
{
    int rank = t->access->form.rank;
    place at = {.offset = emit_structured(t, b, t->access->form.offset)};
    at.memory.rank = at.window.rank = at.block.rank = rank;
    return at;
}

/* Some element is left out: what stands for those is put there first. */
static void emit_padding(transfer *t, tri_builder *b, MlirValue other)
{
    MlirType i1 = mlirIntegerTypeGet(b->context, 1),
             element = mlirShapedTypeGetElementType(mlirValueGetType(t->buffer));
    MlirValue any = {NULL};
    for (int d = 0; d < t->access->form.rank; d++) {
        int64_t size = t->access->form.dim[d].size;
        if (!t->count[d].value.ptr && t->count[d].number == size)
            continue;
        MlirValue all = tri_build_index(b, tri_build_number(size));
        MlirValue less = tri_compare_make(b, TRI_CMP_SLT, tri_build_index(b, t->count[d]), all);
        any = any.ptr ? tri_builder_binary(b, "arith.ori", i1, any, less) : less;
    }
    if (!any.ptr || (t->is_vendor && !other.ptr)) /* the vendor leaves it as it is */
        return;
    tri_builder inner;
    MlirValue scalar = other.ptr ? tri_memory_splat_scalar(b, other) : tri_build_zero(b, element);
    if (scalar.ptr)
        scalar = tri_memory_to_memory(b, scalar, element);
    MlirOperation guard = tri_build_if(b, any, 0, NULL, &inner, NULL);
    if (t->is_vendor)
        tri_builder_set_attr(guard, "hivm.unlikely_condition", mlirUnitAttrGet(b->context));
    if (scalar.ptr)
        tri_build_fill_memory(&inner, scalar, t->buffer);
    else
        tri_build_materialize(&inner, tri_memory_to_memory(&inner, other, element), t->buffer);
    tri_build_yield(&inner, "scf.yield", 0, NULL);
}

static void rewrite_load(transfer *t, tri_builder *b)
{
    const tri_block_form *form = &t->access->form;
    MlirValue other = tri_op_segment_value(t->op, 2);
    MlirType result = mlirValueGetType(tri_op_result(t->op, 0));
    int64_t shape[TRI_MAX_RANK];
    bool can_reduce = !other.ptr || tri_memory_is_splat(other), is_reduced = false;
    emit_windows(t, b);
    for (int d = 0; d < form->rank; d++) {
        bool is_whole = !t->count[d].value.ptr && t->count[d].number == form->dim[d].size;
        t->is_reduced[d] = can_reduce && form->dim[d].kind == TRI_DIM_NONE && is_whole;
        shape[d] = t->is_reduced[d] ? 1 : form->dim[d].size;
        is_reduced |= t->is_reduced[d] && form->dim[d].size > 1;
    }
    MlirType element = tri_build_element_in_memory(tri_type_element(result));
    t->buffer = tri_build_alloc(b, form->rank, shape, element);
    emit_padding(t, b, other);
    emit_dim(t, b, 0, start_of(t, b));
    MlirValue loaded = tri_memory_from_memory(b, tri_build_to_tensor(b, t->buffer), tri_type_element(result));
    if (is_reduced)
        loaded = tri_builder_unary(b, "tt.broadcast", result, loaded);
    tri_op_replace(t->op, 1, &loaded);
}

static void rewrite_store(transfer *t, tri_builder *b)
{
    emit_windows(t, b);
    MlirType pointee = tri_type_ptr_pointee(mlirValueGetType(t->access->form.base));
    MlirType element = tri_build_element_in_memory(pointee);
    t->value = tri_memory_to_memory(b, tri_op_operand(t->op, 1), element);
    emit_dim(t, b, 0, start_of(t, b));
    mlirOperationDestroy(t->op);
}

/* Is it worth a box: is there a dimension in which more than one element is copied at a time? */
static bool has_box(const tri_block_form *form)
{
    bool has = false, is_single = true;
    for (int d = 0; d < form->rank; d++) {
        bool is_run = form->dim[d].kind == TRI_DIM_RANGE || form->dim[d].kind == TRI_DIM_WRAP ||
                      form->dim[d].kind == TRI_DIM_NONE;
        has |= is_run && form->dim[d].size > 1;
        is_single &= form->dim[d].size == 1;
    }
    return has || is_single;
}

static bool has_list(const tri_block_form *form)
{
    for (int d = 0; d < form->rank; d++)
        if (form->dim[d].kind == TRI_DIM_INDEXED)
            return true;
    return false;
}

static const char *why_not(tri_pass_run *run, const tri_access *a, MlirOperation op)
{
    MlirBlock block;
    intptr_t index;
    if (a->form.reason)
        return a->form.reason;
    if (a->discrete_count)
        return "its mask is not a box";
    if (!has_box(&a->form))
        return "every element has an index from a list";
    if (has_list(&a->form) && !tri_passes_option_int(run, "enable-make-gather-scatter", 1))
        return "a list picks its rows";
    MlirType pointee = tri_type_ptr_pointee(tri_type_element(mlirValueGetType(tri_op_operand(op, 0))));
    bool is_argument = tri_op_is_block_argument(a->form.base, &block, &index) &&
                       tri_op_is(mlirBlockGetParentOperation(block), "tt.func");
    is_argument |= tri_memory_is_address(a->form.base);
    if (!is_argument || !mlirTypeEqual(tri_type_ptr_pointee(mlirValueGetType(a->form.base)), pointee))
        return "its base is not an array of these elements";
    return NULL;
}

/* From the last on: indices of one access may be what another loads. */
static void rewrite_function(tri_pass_run *run, MlirOperation func)
{
    tri_op_list ops = {0}, rewritten = {0};
    TRI_VEC(tri_access) accesses = {0};
    tri_pointers *pointers = tri_pointers_create(run->arena);
    tri_diag *diag = run->unit->diag;
    bool is_vendor = tri_passes_option_int(run, "vendor", 0) != 0;
    tri_op_collect(func, run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        bool is_atomic = is_vendor && tri_op_is(ops.at[i], "tt.atomic_rmw");
        bool is_known = is_atomic || tri_op_is(ops.at[i], "tt.load") || tri_op_is(ops.at[i], "tt.store");
        if (!is_known || !tri_type_is_tensor(mlirValueGetType(tri_op_operand(ops.at[i], 0))))
            continue;
        tri_access access;
        tri_pointers_access(pointers, ops.at[i], &access);
        const char *reason = why_not(run, &access, ops.at[i]);
        if (is_atomic && !reason && !is_marked_atomic(&access, ops.at[i]))
            continue;
        if (reason) {
            tri_diag_missed(diag, tri_op_span(diag, ops.at[i]), "pointers", "not a box of memory: %s", reason);
            continue;
        }
        tri_vec_push(run->arena, &accesses, access);
        tri_vec_push(run->arena, &rewritten, ops.at[i]);
    }
    for (size_t i = rewritten.len; i-- > 0;) {
        tri_builder b = tri_builder_before(rewritten.at[i]);
        transfer t = {.pointers = pointers, .access = &accesses.at[i], .op = rewritten.at[i],
                      .is_vendor = is_vendor};
        if (is_vendor && tri_memory_is_address(accesses.at[i].form.base))
            t.address = tri_op_operand(tri_op_def(accesses.at[i].form.base), 0);
        else
            t.base = tri_memory_base(&b, accesses.at[i].form.base);
        (tri_op_is(t.op, "tt.load") ? rewrite_load : rewrite_store)(&t, &b);
    }
}

static bool run_triton_to_structured(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    tri_str only = tri_passes_option_str(run, "run-prepass-only", "0");
    if (!only.len || tri_passes_option_int(run, "run-prepass-only", 0))
        return tri_passes_run(run->unit, "pointer-analysis,mask-analysis", NULL);
    tri_linalg_load(mlirModuleGetContext(run->module));
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t f = 0; f < funcs.len; f++) {
        if (!tri_passes_option_int(run, "vendor", 0))
            tri_memory_split_casts(run->arena, funcs.at[f]);
        rewrite_function(run, funcs.at[f]);
    }
    /* Pointers that loops carry and nobody needs any more. */
    return tri_upstream_run(run->module, "remove-dead-values", run->unit->diag);
}

const tri_pass tri_pass_triton_to_structured = {
    .name = "triton-to-structured",
    .help = "copy boxes of memory where pointers and masks have a form",
    .options = (const char *const[]){"vendor=N: atomic operations as Ascend's converter writes them (0)",
                                     "enable-make-gather-scatter=N: rows that a list picks are copied one after the "
                                     "other; 0: they are left to triton-to-unstructured (1)",
                                     "run-prepass-only: only pointer-analysis and mask-analysis", NULL},
    .run = run_triton_to_structured,
};
