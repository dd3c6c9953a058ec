/* Reductions, scans, histograms, functions of elements. */
#include "passes/linalg/arith.h"

#include "ir/compare.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/linalg/memory.h"

#include "mlir-c/BuiltinAttributes.h"

#include <math.h>

enum { max_values = 16 };

/* The body of a tt operation at `b`, its arguments being `values`; what it returns to `out`. False when it has
 * several blocks. */
static bool inline_body(tri_builder *b, MlirOperation op, intptr_t n, const MlirValue *values, MlirValue *out)
{
    MlirRegion region = mlirOperationGetRegion(op, 0);
    MlirBlock body = mlirRegionGetFirstBlock(region);
    enum { most = 1024 };
    MlirValue from[most], to[most];
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(body)))
        return false;
    for (intptr_t i = 0; i < n; i++) {
        from[i] = mlirBlockGetArgument(body, i);
        to[i] = values[i];
    }
    MlirOperation last = mlirBlockGetTerminator(body);
    for (MlirOperation o = mlirBlockGetFirstOperation(body); !mlirOperationEqual(o, last);
         o = mlirOperationGetNextInBlock(o)) {
        MlirOperation copy = tri_op_clone(b, o, n, from, to);
        for (intptr_t r = 0; r < mlirOperationGetNumResults(o); r++, n++) {
            if (n == most)
                return false;
            from[n] = tri_op_result(o, r);
            to[n] = tri_op_result(copy, r);
        }
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(last); i++) {
        out[i] = tri_op_operand(last, i);
        for (intptr_t k = 0; k < n; k++)
            if (mlirValueEqual(out[i], from[k]))
                out[i] = to[k];
    }
    return true;
}

/* --- reductions --- */

/* The element that changes nothing, of a reduction whose body is one operation. */
static MlirValue identity_of(tri_builder *b, MlirOperation op, MlirType element)
{
    MlirBlock body = tri_op_body(op, 0);
    MlirOperation only = mlirBlockGetFirstOperation(body), last = mlirBlockGetTerminator(body);
    bool is_one = !mlirOperationEqual(only, last) && mlirOperationEqual(mlirOperationGetNextInBlock(only), last) &&
                  mlirOperationGetNumOperands(only) == 2;
    if (!is_one)
        return (MlirValue){NULL};
    unsigned bits = tri_type_bits(element);
    int64_t top = bits >= 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
    if (tri_op_is(only, "arith.addf"))
        return tri_builder_float(b, element, -0.0);
    if (tri_op_is(only, "arith.mulf"))
        return tri_builder_float(b, element, 1);
    if (tri_op_is(only, "arith.maxnumf") || tri_op_is(only, "arith.maximumf") || tri_op_is(only, "arith.minnumf") ||
        tri_op_is(only, "arith.minimumf")) {
        bool is_max = tri_op_is(only, "arith.maxnumf") || tri_op_is(only, "arith.maximumf");
        bool keeps_nan = tri_op_is(only, "arith.maximumf") || tri_op_is(only, "arith.minimumf");
        return keeps_nan ? tri_builder_float(b, element, is_max ? -INFINITY : INFINITY) : (MlirValue){NULL};
    }
    if (tri_op_is(only, "arith.addi") || tri_op_is(only, "arith.ori") || tri_op_is(only, "arith.xori") ||
        tri_op_is(only, "arith.maxui"))
        return tri_builder_int(b, element, 0);
    if (tri_op_is(only, "arith.muli"))
        return tri_builder_int(b, element, 1);
    if (tri_op_is(only, "arith.andi") || tri_op_is(only, "arith.minui"))
        return tri_builder_int(b, element, -1);
    if (tri_op_is(only, "arith.maxsi"))
        return tri_builder_int(b, element, -top - 1);
    return tri_op_is(only, "arith.minsi") ? tri_builder_int(b, element, top) : (MlirValue){NULL};
}

typedef struct {
    MlirOperation op;
    int axis, count;
    int64_t size;             /* along the axis */
    MlirType slice[max_values]; /* a source without the axis */
    MlirValue sources[max_values];
} reduction;

static bool read_reduction(MlirOperation op, reduction *r)
{
    *r = (reduction){.op = op, .axis = (int)tri_op_int(op, "axis", 0), .count = (int)mlirOperationGetNumOperands(op)};
    if (r->count > max_values)
        return false;
    for (int i = 0; i < r->count; i++) {
        int64_t shape[TRI_MAX_RANK];
        int n = 0;
        r->sources[i] = tri_op_operand(op, i);
        MlirType type = mlirValueGetType(r->sources[i]);
        for (int d = 0; d < tri_type_rank(type); d++)
            if (d != r->axis)
                shape[n++] = tri_type_dim(type, d);
        r->size = tri_type_dim(type, r->axis);
        r->slice[i] = tri_type_tensor(n, shape, tri_type_element(type), (MlirAttribute){NULL});
    }
    return true;
}

static MlirValue slice_at(tri_builder *b, const reduction *r, int i, MlirValue tensor, tri_build_size at)
{
    tri_build_box box = tri_build_whole(mlirValueGetType(tensor));
    int64_t shape[TRI_MAX_RANK];
    for (int d = 0; d < tri_type_rank(r->slice[i]); d++)
        shape[d] = tri_type_dim(r->slice[i], d);
    box.offset[r->axis] = at;
    box.size[r->axis] = tri_build_number(1);
    return tri_build_extract_slice(b, tensor, &box, tri_type_rank(r->slice[i]), shape);
}

static MlirValue rest_of(tri_builder *b, const reduction *r, MlirValue tensor)
{
    tri_build_box box = tri_build_whole(mlirValueGetType(tensor));
    box.offset[r->axis] = tri_build_number(1);
    box.size[r->axis] = tri_build_number(r->size - 1);
    return tri_build_extract_slice(b, tensor, &box, -1, NULL);
}

/* Sums may be made in any order: so they are, in vectors. */
static void relax(MlirBlock body)
{
    MlirContext context = mlirOperationGetContext(mlirBlockGetParentOperation(body));
    for (MlirOperation o = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(o);
         o = mlirOperationGetNextInBlock(o))
        if (tri_op_is(o, "arith.addf") || tri_op_is(o, "arith.mulf"))
            mlirOperationSetAttributeByName(
                o, mlirStringRefCreateFromCString("fastmath"),
                mlirAttributeParseGet(context, mlirStringRefCreateFromCString("#arith.fastmath<reassoc>")));
}

/* Of a value and its index: "max_with_index" or "min_with_index", and whether the first of equals is taken. Null: it is
 * another reduction. */
static const char *mode_with_index(MlirOperation op, bool *out_is_left)
{
    MlirBlock body = tri_op_body(op, 0);
    const char *mode = NULL;
    *out_is_left = false;
    if (mlirOperationGetNumOperands(op) != 2 || mlirOperationGetNumOperands(mlirBlockGetTerminator(body)) != 2)
        return NULL;
    for (MlirOperation o = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(o);
         o = mlirOperationGetNextInBlock(o)) {
        enum { float_greater = 2, float_less = 4, unordered_greater = 9, unordered_less = 11, less = 2, greater = 4,
            unsigned_less = 6, unsigned_greater = 8 };
        bool is_float = tri_op_is(o, "arith.cmpf");
        if (!is_float && !tri_op_is(o, "arith.cmpi"))
            continue;
        int64_t p = tri_op_int(o, "predicate", 0);
        bool of_values = mlirValueEqual(tri_op_operand(o, 0), mlirBlockGetArgument(body, 0)),
             of_places = mlirValueEqual(tri_op_operand(o, 0), mlirBlockGetArgument(body, 1));
        bool is_greater = is_float ? p == float_greater || p == unordered_greater
                                   : p == greater || p == unsigned_greater;
        bool is_less = is_float ? p == float_less || p == unordered_less : p == less || p == unsigned_less;
        if (of_values && (is_greater || is_less))
            mode = is_greater ? "max_with_index" : "min_with_index";
        *out_is_left |= of_places && !is_float && (p == less || p == unsigned_less);
    }
    return mode;
}

void tri_arith_mark_reduction(MlirOperation op)
{
    MlirContext context = mlirOperationGetContext(op);
    bool is_left;
    const char *mode = mode_with_index(op, &is_left), *left = NULL;
    if (!mode)
        return;
    left = is_left ? "true" : "false";
    tri_builder_set_attr(op, "reduce_mode", tri_attr_str(context, mode, strlen(mode)));
    tri_builder_set_attr(op, "tie_break_left", tri_attr_str(context, left, strlen(left)));
}

bool tri_arith_reduce(tri_builder *b, MlirOperation op)
{
    reduction r;
    MlirValue start[max_values], values[2 * max_values] = {{NULL}}, out[max_values], sources[max_values];
    if (!read_reduction(op, &r))
        return false;
    MlirValue identity = r.count == 1 ? identity_of(b, op, tri_type_element(r.slice[0])) : (MlirValue){NULL};
    for (int i = 0; i < r.count; i++) {
        start[i] = identity.ptr ? tri_build_filled(b, r.slice[i], identity)
                                : slice_at(b, &r, i, r.sources[i], tri_build_number(0));
        sources[i] = identity.ptr || r.size == 1 ? r.sources[i] : rest_of(b, &r, r.sources[i]);
    }
    if (identity.ptr || r.size > 1) {
        tri_builder inner;
        tri_attr dims = {"dimensions", tri_build_i64s(b->context, 1, (int64_t[]){r.axis})};
        MlirOperation made = tri_build_linalg(b, "linalg.reduce", r.count, sources, r.count, start, dims, &inner);
        for (int i = 0; i < r.count; i++) {
            values[i] = mlirBlockGetArgument(inner.block, r.count + i); /* what came before */
            values[r.count + i] = mlirBlockGetArgument(inner.block, i);
        }
        if (!inline_body(&inner, op, 2 * r.count, values, out))
            return false;
        tri_build_yield(&inner, "linalg.yield", r.count, out);
        if (identity.ptr)
            relax(inner.block);
        static const char *const kept[] = {"reduce_mode", "tie_break_left"};
        for (int i = 0; i < 2; i++)
            if (!mlirAttributeIsNull(tri_op_attr(op, kept[i])))
                tri_builder_set_attr(made, kept[i], tri_op_attr(op, kept[i]));
        for (int i = 0; i < r.count; i++)
            start[i] = tri_op_result(made, i);
    }
    for (int i = 0; i < r.count; i++)
        if (!tri_type_rank(r.slice[i]))
            start[i] = tri_build_extract(b, start[i], 0, NULL);
    tri_op_replace(op, r.count, start);
    return true;
}

/* --- scans: a loop along the axis, in which a slice follows from the one before --- */

static MlirValue put_slice(tri_builder *b, const reduction *r, MlirValue slice, MlirValue into, tri_build_size at)
{
    tri_build_box box = tri_build_whole(mlirValueGetType(into));
    box.offset[r->axis] = at;
    box.size[r->axis] = tri_build_number(1);
    return tri_build_insert_slice(b, slice, into, &box);
}

static bool combine_slices(tri_builder *b, const reduction *r, const MlirValue *before, const MlirValue *now,
                           MlirValue *out)
{
    MlirValue ins[2 * max_values], empties[max_values], values[2 * max_values], results[max_values];
    tri_builder inner;
    for (int i = 0; i < r->count; i++) {
        ins[i] = before[i];
        ins[r->count + i] = now[i];
        empties[i] = tri_build_empty(b, r->slice[i]);
    }
    MlirOperation generic = tri_build_generic(b, 2 * r->count, ins, NULL, r->count, empties, &inner);
    for (int i = 0; i < 2 * r->count; i++)
        values[i] = mlirBlockGetArgument(inner.block, i);
    if (!inline_body(&inner, r->op, 2 * r->count, values, results))
        return false;
    tri_build_yield(&inner, "linalg.yield", r->count, results);
    for (int i = 0; i < r->count; i++)
        out[i] = tri_op_result(generic, i);
    return true;
}

bool tri_arith_scan(tri_builder *b, MlirOperation op)
{
    reduction r;
    MlirValue carried[2 * max_values], now[max_values], next[2 * max_values];
    if (!read_reduction(op, &r))
        return false;
    bool is_reverse = tri_op_flag(op, "reverse");
    tri_build_size first = tri_build_number(is_reverse ? r.size - 1 : 0);
    for (int i = 0; i < r.count; i++) {
        carried[i] = slice_at(b, &r, i, r.sources[i], first);
        carried[r.count + i] = put_slice(b, &r, carried[i], tri_build_empty(b, mlirValueGetType(r.sources[i])), first);
    }
    tri_builder inner;
    MlirOperation loop = tri_build_for(b, tri_build_number(1), tri_build_number(r.size), tri_build_number(1),
                                       2 * r.count, carried, &inner);
    MlirBlock body = tri_op_body(loop, 0);
    tri_build_size at = tri_build_of(mlirBlockGetArgument(body, 0));
    if (is_reverse)
        at = tri_build_sub(&inner, tri_build_number(r.size - 1), at);
    for (int i = 0; i < 2 * r.count; i++)
        carried[i] = mlirBlockGetArgument(body, 1 + i);
    for (int i = 0; i < r.count; i++)
        now[i] = slice_at(&inner, &r, i, r.sources[i], at);
    if (!combine_slices(&inner, &r, carried, now, next))
        return false;
    for (int i = 0; i < r.count; i++)
        next[r.count + i] = put_slice(&inner, &r, next[i], carried[r.count + i], at);
    tri_build_yield(&inner, "scf.yield", 2 * r.count, next);
    for (int i = 0; i < r.count; i++)
        next[i] = tri_op_result(loop, r.count + i);
    tri_op_replace(op, r.count, next);
    return true;
}

/* --- one count after the other; what no bin is for counts nowhere --- */

bool tri_arith_histogram(tri_builder *b, MlirOperation op)
{
    MlirType type = mlirValueGetType(tri_op_result(op, 0)), element = tri_type_element(type);
    MlirValue source = tri_op_operand(op, 0), bins = tri_build_filled(b, type, tri_builder_int(b, element, 0));
    MlirValue mask = mlirOperationGetNumOperands(op) > 1 ? tri_op_operand(op, 1) : (MlirValue){NULL};
    tri_builder inner, then_, else_;
    MlirOperation loop =
        tri_build_for(b, tri_build_number(0), tri_build_number(tri_type_dim(mlirValueGetType(source), 0)),
                      tri_build_number(1), 1, &bins, &inner);
    MlirValue i = mlirBlockGetArgument(tri_op_body(loop, 0), 0), now = mlirBlockGetArgument(tri_op_body(loop, 0), 1);
    MlirValue bin = tri_builder_unary(&inner, "arith.index_castui", tri_build_index_type(b->context),
                                      tri_build_extract(&inner, source, 1, &i));
    MlirValue counts = tri_compare_make(&inner, TRI_CMP_ULT, bin,
                                        tri_build_index(&inner, tri_build_number(tri_type_dim(type, 0))));
    if (mask.ptr)
        counts = tri_builder_binary(&inner, "arith.andi", mlirValueGetType(counts), counts,
                                    tri_build_extract(&inner, mask, 1, &i));
    MlirOperation guard = tri_build_if(&inner, counts, 1, &type, &then_, &else_);
    MlirValue old = tri_build_extract(&then_, now, 1, &bin);
    MlirValue sum = tri_builder_binary(&then_, "arith.addi", element, old, tri_builder_int(&then_, element, 1));
    MlirValue more = tri_build_insert(&then_, sum, now, 1, &bin);
    tri_build_yield(&then_, "scf.yield", 1, &more);
    tri_build_yield(&else_, "scf.yield", 1, &now);
    more = tri_op_result(guard, 0);
    tri_build_yield(&inner, "scf.yield", 1, &more);
    more = tri_op_result(loop, 0);
    tri_op_replace(op, 1, &more);
    return true;
}

/* Every pack-th element of the last dimension of `whole`, from element k on. */
static tri_build_box every(MlirType whole, int pack, int k)
{
    tri_build_box box = tri_build_whole(whole);
    int last = box.rank - 1;
    box.offset[last] = tri_build_number(k);
    box.size[last] = tri_build_number(tri_type_dim(whole, last) / pack);
    box.stride[last] = tri_build_number(pack);
    return box;
}

/* The region runs once for `pack` neighbours in row-major order: all first ones are a tensor, and all second ones. */
bool tri_arith_map(tri_builder *b, MlirOperation op)
{
    int n = (int)mlirOperationGetNumOperands(op), results = (int)mlirOperationGetNumResults(op);
    int pack = (int)tri_op_int(op, "pack", 1);
    MlirValue ins[max_values], outs[max_values], values[max_values] = {{NULL}}, made[max_values];
    MlirType first = mlirValueGetType(tri_op_operand(op, 0));
    if (n * pack > max_values || results * pack > max_values ||
        (pack > 1 && (!tri_type_is_tensor(first) || tri_type_dim(first, tri_type_rank(first) - 1) % pack)))
        return false;
    for (int i = 0; i < n * pack; i++) {
        MlirValue whole = tri_op_operand(op, i / pack);
        tri_build_box box = every(mlirValueGetType(whole), pack, i % pack);
        ins[i] = pack == 1 ? whole : tri_build_extract_slice(b, whole, &box, -1, NULL);
    }
    for (int i = 0; i < results * pack; i++) {
        MlirType type = mlirValueGetType(tri_op_result(op, i / pack));
        outs[i] = tri_build_empty(b, tri_type_with_element(mlirValueGetType(ins[0]), tri_type_element(type)));
    }
    tri_builder inner;
    MlirOperation generic = tri_build_generic(b, n * pack, ins, NULL, results * pack, outs, &inner);
    for (int i = 0; i < n * pack; i++)
        values[i] = mlirBlockGetArgument(inner.block, i);
    if (!inline_body(&inner, op, n * pack, values, made))
        return false;
    tri_build_yield(&inner, "linalg.yield", results * pack, made);
    for (int i = 0; i < results * pack; i++)
        made[i] = tri_op_result(generic, i);
    for (int i = 0; i < results && pack > 1; i++) {
        MlirValue whole = tri_build_empty(b, mlirValueGetType(tri_op_result(op, i)));
        for (int k = 0; k < pack; k++) {
            tri_build_box box = every(mlirValueGetType(whole), pack, k);
            whole = tri_build_insert_slice(b, made[i * pack + k], whole, &box);
        }
        made[i] = whole;
    }
    tri_op_replace(op, results, made);
    return true;
}
