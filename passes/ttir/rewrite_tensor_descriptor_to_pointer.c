/* Spells accesses through tensor descriptors with pointers, for machines without a descriptor unit.
 *
 *     %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : <f16>, <16x64xf16>
 *     %v = tt.descriptor_load %d[%i, %j]
 *   becomes
 *     %q = addptr(addptr(splat %p, (%i + range 16) * %s), (%j + range 64) * %one)
 *     %k = (0 <= row < %m) & (0 <= column < %n)
 *     %v = tt.load %q, %k, 0
 *
 * Needs: inlined ttir. A descriptor becomes 2 * rank + 3 values: pointer, shape and strides (i64),
 * whether padding is NaN, whether f32 is rounded to tf32; a kernel parameter becomes as many
 * parameters. Descriptors may pass through scf.for, scf.if and select; through other control flow
 * they are refused. Answers to triton-rewrite-tensor-descriptor-to-pointer.
 * Test: tests/passes/rewrite-tensor-descriptor-to-pointer.mlir */
#include "passes/ttir/descriptor.h"

#include "base/map.h"
#include "ir/upstream.h"
#include "passes/analysis/loops.h"

#include "mlir-c/BuiltinAttributes.h"

typedef struct {
    tri_pass_run *run;
    tri_map parts; /* MlirValue.ptr -> tri_descriptor */
    bool has_failed;
} rewriter;

static tri_descriptor *parts_of(const rewriter *w, MlirValue value) { return tri_map_find_ptr(&w->parts, value.ptr); }

static void set_parts(rewriter *w, MlirValue value, const tri_descriptor *d)
{
    tri_descriptor *copy = TRI_NEW(w->run->arena, tri_descriptor);
    *copy = *d;
    tri_map_set_ptr(&w->parts, value.ptr, copy);
}

static bool is_desc(MlirValue value) { return tri_type_is_desc(mlirValueGetType(value)); }

static void fail(rewriter *w, MlirOperation op)
{
    tri_str name = tri_op_name(op);
    tri_op_error(w->run->unit->diag, op, 0, "a tensor descriptor cannot pass through '%.*s' on this target",
                 TRI_STR_ARG(name));
    w->has_failed = true;
}

/* ---- where descriptors come from ---- */

static void expand_make(rewriter *w, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    MlirType i64 = mlirIntegerTypeGet(b.context, 64), i1 = mlirIntegerTypeGet(b.context, 1);
    tri_descriptor d = {.block = tri_type_desc_block(mlirValueGetType(tri_op_result(op, 0)))};
    d.rank = tri_type_rank(d.block);
    d.pointer = tri_op_operand(op, 0);
    for (int i = 0; i < d.rank; i++) {
        MlirValue shape = tri_op_operand(op, 1 + i);
        bool is_wide = mlirTypeEqual(mlirValueGetType(shape), i64);
        d.shape[i] = is_wide ? shape : tri_builder_unary(&b, "arith.extsi", i64, shape);
        d.stride[i] = tri_op_operand(op, 1 + d.rank + i);
    }
    enum { padding_nan = 2 };
    d.is_nan = tri_builder_int(&b, i1, tri_op_int(op, "padding", 1) == padding_nan);
    d.is_rounded = tri_builder_int(&b, i1, 0);
    set_parts(w, tri_op_result(op, 0), &d);
}

/* The values of a descriptor as one list, and back. */
static intptr_t flatten(const tri_descriptor *d, MlirValue *out)
{
    intptr_t n = 0;
    out[n++] = d->pointer;
    for (int i = 0; i < d->rank; i++)
        out[n++] = d->shape[i];
    for (int i = 0; i < d->rank; i++)
        out[n++] = d->stride[i];
    out[n++] = d->is_nan;
    out[n++] = d->is_rounded;
    return n;
}

static void unflatten(tri_descriptor *d, const MlirValue *values)
{
    d->pointer = *values++;
    for (int i = 0; i < d->rank; i++)
        d->shape[i] = *values++;
    for (int i = 0; i < d->rank; i++)
        d->stride[i] = *values++;
    d->is_nan = *values++;
    d->is_rounded = *values;
}

enum { max_parts = 2 * TRI_MAX_RANK + 3 };

static void expand_select(rewriter *w, MlirOperation op)
{
    const tri_descriptor *x = parts_of(w, tri_op_operand(op, 1)), *y = parts_of(w, tri_op_operand(op, 2));
    MlirValue a[max_parts], b[max_parts];
    intptr_t n = flatten(x, a);
    flatten(y, b);
    tri_builder at = tri_builder_before(op);
    for (intptr_t i = 0; i < n; i++) {
        MlirValue operands[] = {tri_op_operand(op, 0), a[i], b[i]};
        MlirType type = mlirValueGetType(a[i]);
        a[i] = tri_builder_value(&at, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = operands,
                                                .num_results = 1, .results = &type});
    }
    tri_descriptor d = *x;
    unflatten(&d, a);
    set_parts(w, tri_op_result(op, 0), &d);
}

/* ---- control flow ---- */

static void visit_block(rewriter *w, MlirBlock block);

/* Appends the parts of every descriptor among the yielded values. */
static void expand_yield(rewriter *w, MlirOperation yield, intptr_t count)
{
    TRI_VEC(MlirValue) extra = {0};
    for (intptr_t i = 0; i < count; i++) {
        MlirValue value = tri_op_operand(yield, i), list[max_parts];
        if (!is_desc(value))
            continue;
        intptr_t n = flatten(parts_of(w, value), list);
        for (intptr_t k = 0; k < n; k++)
            tri_vec_push(w->run->arena, &extra, list[k]);
    }
    tri_loops_append_yield(w->run->arena, yield, (intptr_t)extra.len, extra.at);
}

static void expand_for(rewriter *w, MlirOperation op)
{
    tri_arena *arena = w->run->arena;
    TRI_VEC(MlirValue) inits = {0};
    intptr_t old = mlirOperationGetNumResults(op);
    for (intptr_t i = 0; i < old; i++) {
        MlirValue list[max_parts];
        if (!is_desc(tri_op_operand(op, 3 + i)))
            continue;
        intptr_t n = flatten(parts_of(w, tri_op_operand(op, 3 + i)), list);
        for (intptr_t k = 0; k < n; k++)
            tri_vec_push(arena, &inits, list[k]);
    }
    if (!inits.len) {
        visit_block(w, tri_op_body(op, 0));
        return;
    }
    MlirOperation made = tri_loops_add_iter_args(arena, op, (intptr_t)inits.len, inits.at);
    MlirBlock body = tri_op_body(made, 0);
    intptr_t next = old;
    for (intptr_t i = 0; i < old; i++) {
        if (!is_desc(tri_op_operand(made, 3 + i)))
            continue;
        tri_descriptor d = *parts_of(w, tri_op_operand(made, 3 + i));
        MlirValue inner[max_parts], outer[max_parts];
        intptr_t n = flatten(&d, inner);
        for (intptr_t k = 0; k < n; k++, next++) {
            inner[k] = mlirBlockGetArgument(body, 1 + next);
            outer[k] = tri_op_result(made, next);
        }
        unflatten(&d, inner);
        set_parts(w, mlirBlockGetArgument(body, 1 + i), &d);
        unflatten(&d, outer);
        set_parts(w, tri_op_result(made, i), &d);
    }
    visit_block(w, body);
    MlirOperation yield = mlirBlockGetTerminator(body);
    if (w->has_failed)
        return;
    expand_yield(w, yield, old);
    /* the old value only carries itself now, and goes with canonicalisation */
    for (intptr_t i = 0; i < old; i++)
        if (is_desc(tri_op_operand(yield, i)))
            mlirOperationSetOperand(yield, i, mlirBlockGetArgument(body, 1 + i));
}

static void expand_if(rewriter *w, MlirOperation op)
{
    tri_arena *arena = w->run->arena;
    TRI_VEC(MlirType) types = {0};
    for (int r = 0; r < 2; r++)
        if (!mlirBlockIsNull(tri_op_body(op, r)))
            visit_block(w, tri_op_body(op, r));
    intptr_t old = mlirOperationGetNumResults(op);
    for (intptr_t i = 0; i < old && !w->has_failed; i++) {
        MlirValue value = tri_op_operand(tri_loops_yield(op, 0), i), list[max_parts];
        if (!is_desc(value))
            continue;
        intptr_t n = flatten(parts_of(w, value), list);
        for (intptr_t k = 0; k < n; k++)
            tri_vec_push(arena, &types, mlirValueGetType(list[k]));
    }
    if (!types.len)
        return;
    MlirOperation made = tri_loops_add_if_results(arena, op, (intptr_t)types.len, types.at);
    intptr_t next = old;
    for (intptr_t i = 0; i < old; i++) {
        MlirValue value = tri_op_operand(tri_loops_yield(made, 0), i), list[max_parts];
        if (!is_desc(value))
            continue;
        tri_descriptor d = *parts_of(w, value);
        intptr_t n = flatten(&d, list);
        for (intptr_t k = 0; k < n; k++)
            list[k] = tri_op_result(made, next++);
        unflatten(&d, list);
        set_parts(w, tri_op_result(made, i), &d);
    }
    for (int r = 0; r < 2; r++)
        expand_yield(w, tri_loops_yield(made, r), old);
}

static bool carries_descriptor(MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (is_desc(tri_op_operand(op, i)))
            return true;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (is_desc(tri_op_result(op, i)))
            return true;
    return false;
}

static void visit_op(rewriter *w, MlirOperation op)
{
    if (tri_op_is(op, "tt.make_tensor_descriptor")) {
        expand_make(w, op);
    } else if (tri_op_is(op, "scf.for")) {
        expand_for(w, op);
    } else if (tri_op_is(op, "scf.if")) {
        expand_if(w, op);
    } else if (tri_op_is(op, "scf.yield")) {
        return; /* its parent does it */
    } else if (tri_op_is(op, "arith.select") && is_desc(tri_op_result(op, 0))) {
        expand_select(w, op);
    } else if (tri_str_has_prefix(tri_op_name(op), "tt.descriptor_")) {
        if (!tri_descriptor_rewrite(w->run, op, parts_of(w, tri_op_operand(op, 0))))
            w->has_failed = true;
    } else if (carries_descriptor(op)) {
        fail(w, op);
    } else {
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
            for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(b);
                 b = mlirBlockGetNextInRegion(b))
                visit_block(w, b);
    }
}

static void visit_block(rewriter *w, MlirBlock block)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !mlirOperationIsNull(op) && !w->has_failed;
         op = next) {
        next = mlirOperationGetNextInBlock(op);
        visit_op(w, op);
    }
}

/* ---- parameters ---- */

/* Types of the parts of a descriptor parameter, in their order. */
static intptr_t part_types(MlirContext context, MlirType desc, MlirType *out)
{
    MlirType block = tri_type_desc_block(desc), i64 = mlirIntegerTypeGet(context, 64);
    MlirType i1 = mlirIntegerTypeGet(context, 1);
    intptr_t n = 0;
    out[n++] = tri_type_ptr(tri_descriptor_element(block), 1);
    for (int i = 0; i < 2 * tri_type_rank(block); i++)
        out[n++] = i64;
    out[n++] = i1;
    out[n++] = i1;
    return n;
}

/* Puts the parts behind the parameter, which still stands; false when it has none. */
static bool add_parts(rewriter *w, MlirOperation func)
{
    MlirBlock body = tri_op_body(func, 0);
    MlirLocation loc = mlirOperationGetLocation(func);
    bool has_any = false;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
        MlirValue argument = mlirBlockGetArgument(body, i), values[max_parts];
        MlirType types[max_parts];
        if (!is_desc(argument))
            continue;
        tri_descriptor d = {.block = tri_type_desc_block(mlirValueGetType(argument))};
        d.rank = tri_type_rank(d.block);
        intptr_t n = part_types(w->run->unit->mlir, mlirValueGetType(argument), types);
        for (intptr_t k = 0; k < n; k++)
            values[k] = mlirBlockInsertArgument(body, i + 1 + k, types[k], loc);
        unflatten(&d, values);
        set_parts(w, argument, &d);
        i += n;
        has_any = true;
    }
    return has_any;
}

/* Tells the function's type and attributes: first the parts stand behind their descriptors, then
 * the descriptors go. */
static void set_signature(rewriter *w, MlirOperation func, bool is_first)
{
    tri_arena *arena = w->run->arena;
    MlirContext context = w->run->unit->mlir;
    MlirBlock body = tri_op_body(func, 0);
    MlirAttribute attrs = tri_op_attr(func, "arg_attrs"), empty = mlirDictionaryAttrGet(context, 0, NULL);
    MlirType type = mlirTypeAttrGetValue(tri_op_attr(func, "function_type"));
    bool has_attrs = !mlirAttributeIsNull(attrs);
    TRI_VEC(MlirType) inputs = {0};
    TRI_VEC(MlirAttribute) kept = {0};
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); i++) {
        MlirType input = mlirFunctionTypeGetInput(type, i), types[max_parts];
        bool is_desc_type = tri_type_is_desc(input);
        if (is_desc_type && !is_first) {
            mlirBlockEraseArgument(body, (unsigned)inputs.len);
            continue;
        }
        tri_vec_push(arena, &inputs, input);
        tri_vec_push(arena, &kept, has_attrs ? mlirArrayAttrGetElement(attrs, i) : empty);
        intptr_t n = is_desc_type ? part_types(context, input, types) : 0;
        for (intptr_t k = 0; k < n; k++) {
            tri_vec_push(arena, &inputs, types[k]);
            tri_vec_push(arena, &kept, empty);
        }
    }
    intptr_t num_results = mlirFunctionTypeGetNumResults(type);
    MlirType *results = TRI_NEW_ARRAY(arena, MlirType, num_results + 1);
    for (intptr_t i = 0; i < num_results; i++)
        results[i] = mlirFunctionTypeGetResult(type, i);
    MlirType made = mlirFunctionTypeGet(context, (intptr_t)inputs.len, inputs.at, num_results, results);
    tri_builder_set_attr(func, "function_type", tri_attr_type(made));
    if (has_attrs)
        tri_builder_set_attr(func, "arg_attrs", mlirArrayAttrGet(context, (intptr_t)kept.len, kept.at));
}

static bool run(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list funcs = {0}, expanded = {0};
    rewriter w = {.run = run};
    tri_map_init(&w.parts, run->arena);
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len && !w.has_failed; i++) {
        MlirBlock body = tri_op_body(funcs.at[i], 0);
        if (mlirBlockIsNull(body))
            continue;
        if (add_parts(&w, funcs.at[i]))
            tri_vec_push(run->arena, &expanded, funcs.at[i]);
        for (MlirBlock b = body; !mlirBlockIsNull(b) && !w.has_failed; b = mlirBlockGetNextInRegion(b))
            visit_block(&w, b);
    }
    if (w.has_failed)
        return false;
    if (!w.parts.len)
        return true;
    for (size_t i = 0; i < expanded.len; i++)
        set_signature(&w, expanded.at[i], true);
    /* descriptors that loops still carry go before their parameters can */
    if (!tri_upstream_run(run->module, "canonicalize", run->unit->diag))
        return false;
    for (size_t i = 0; i < expanded.len; i++)
        set_signature(&w, expanded.at[i], false);
    return true;
}

const tri_pass tri_pass_rewrite_tensor_descriptor_to_pointer = {
    .name = "rewrite-tensor-descriptor-to-pointer",
    .help = "spell accesses through tensor descriptors with pointers",
    .alias = "triton-rewrite-tensor-descriptor-to-pointer",
    .run = run,
};
