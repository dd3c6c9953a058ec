/* -fsanitize=undefined: shadows of values that may be undefined (see shadow.h), in two steps: which values may be,
 * to a fixed point over all control flow; then their shadows, from the top to the bottom of each function. What the
 * regions of reductions, scans and map_elementwise do, and what goes through calls, is taken as defined.
 * Tests: tests/targets/undefined.bats. */
#include "targets/cpu/sanitize/shadow.h"

#include "ir/compare.h"
#include "targets/cpu/cpu.h"

#include "mlir-c/BuiltinAttributes.h"

/* ---- shorthands ---- */

static const MlirValue none = {NULL};

static bool is_null(MlirValue v) { return mlirValueIsNull(v); }

MlirType tri_cpu_shadow_type(tri_cpu_shadow *x, MlirValue of)
{
    return tri_type_with_element(mlirValueGetType(of), x->i32);
}

MlirValue tri_cpu_shadow_max(tri_builder *b, MlirValue s, MlirValue t)
{
    if (is_null(s) || is_null(t) || s.ptr == t.ptr)
        return is_null(s) ? t : s;
    return tri_builder_binary(b, "arith.maxui", mlirValueGetType(s), s, t);
}

MlirValue tri_cpu_shadow_select(tri_builder *b, MlirValue cond, MlirValue s, MlirValue t)
{
    MlirValue operands[3] = {cond, s, t};
    MlirType type = mlirValueGetType(s);
    return tri_builder_value(b, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = operands,
                                          .num_results = 1, .results = &type});
}

static MlirValue shadow_of(tri_cpu_shadow *x, MlirValue v)
{
    MlirValue *s = tri_map_find_ptr(&x->shadows, v.ptr);
    return s ? *s : none;
}

static void set_shadow(tri_cpu_shadow *x, MlirValue v, MlirValue shadow)
{
    if (is_null(shadow))
        return;
    MlirValue *copy = TRI_NEW(x->arena, MlirValue);
    *copy = shadow;
    tri_map_set_ptr(&x->shadows, v.ptr, copy);
}

static MlirValue zero(tri_cpu_shadow *x, tri_builder *b, MlirValue of)
{
    return tri_builder_int(b, tri_cpu_shadow_type(x, of), 0);
}

static MlirValue shadow_or_zero(tri_cpu_shadow *x, tri_builder *b, MlirValue v)
{
    MlirValue s = shadow_of(x, v);
    return is_null(s) ? zero(x, b, v) : s;
}

/* ---- which values may be undefined ---- */

static bool may_be(tri_cpu_shadow *x, MlirValue v) { return tri_map_find_ptr(&x->maybe, v.ptr) != NULL; }

static void mark(tri_cpu_shadow *x, MlirValue v)
{
    if (may_be(x, v))
        return;
    tri_map_set_ptr(&x->maybe, v.ptr, x);
    x->has_changed = true;
}

static void mark_if(tri_cpu_shadow *x, MlirValue from, MlirValue to)
{
    if (may_be(x, from))
        mark(x, to);
}

static MlirOperation terminator(MlirOperation op, int region)
{
    return mlirBlockGetTerminator(tri_op_body(op, region));
}

static bool has_region(MlirOperation op, int region)
{
    return !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region)));
}

static void mark_loop(tri_cpu_shadow *x, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirValue arg = mlirBlockGetArgument(tri_op_body(op, 0), i + 1);
        mark_if(x, tri_op_operand(op, i + 3), arg);
        mark_if(x, tri_op_operand(terminator(op, 0), i), arg);
        mark_if(x, arg, tri_op_result(op, i));
    }
}

static void mark_while(tri_cpu_shadow *x, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue arg = mlirBlockGetArgument(tri_op_body(op, 0), i);
        mark_if(x, tri_op_operand(op, i), arg);
        mark_if(x, tri_op_operand(terminator(op, 1), i), arg);
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirValue out = tri_op_operand(terminator(op, 0), i + 1);
        mark_if(x, out, tri_op_result(op, i));
        mark_if(x, out, mlirBlockGetArgument(tri_op_body(op, 1), i));
    }
}

static void mark_if_op(tri_cpu_shadow *x, MlirOperation op)
{
    for (int r = 0; r < 2; r++)
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && has_region(op, r); i++)
            mark_if(x, tri_op_operand(terminator(op, r), i), tri_op_result(op, i));
}

static void mark_branch(tri_cpu_shadow *x, MlirOperation op)
{
    intptr_t at = tri_op_is(op, "cf.cond_br");
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); s++) {
        MlirBlock to = mlirOperationGetSuccessor(op, s);
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(to); i++)
            mark_if(x, tri_op_operand(op, at++), mlirBlockGetArgument(to, i));
    }
}

static bool is_view(MlirOperation op)
{
    static const char *const names[] = {"tt.splat", "tt.unsplat", "tt.join", "tt.split", "tt.cat"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_op_is(op, names[i]))
            return true;
    return tri_cpu_is_view(op);
}

static bool is_reduction(MlirOperation op) { return tri_op_is(op, "tt.reduce") || tri_op_is(op, "tt.scan"); }

/* Ops whose results are undefined where their operands are. */
static bool hands_on(MlirOperation op)
{
    return is_view(op) || is_reduction(op) || tri_op_is(op, "tt.dot") || tri_op_is(op, "tt.gather") ||
           (mlirOperationGetNumResults(op) == 1 && tri_cpu_arith_knows(op));
}

static void mark_op(tri_cpu_shadow *x, MlirOperation op)
{
    if (tri_op_is(op, "scf.for"))
        mark_loop(x, op);
    else if (tri_op_is(op, "scf.while"))
        mark_while(x, op);
    else if (tri_op_is(op, "scf.if"))
        mark_if_op(x, op);
    else if (tri_str_has_prefix(tri_op_name(op), "cf."))
        mark_branch(x, op);
    else if (tri_op_is(op, "tt.load") && !is_null(tri_op_segment_value(op, 2)))
        mark_if(x, tri_op_segment_value(op, 2), tri_op_result(op, 0));
    bool is_bad = tri_cpu_shadow_sites_has(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && hands_on(op); i++)
        is_bad |= may_be(x, tri_op_operand(op, i));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && is_bad; i++)
        mark(x, tri_op_result(op, i));
}

static void search(tri_cpu_shadow *x, MlirOperation func)
{
    tri_op_list ops = {0};
    tri_op_collect(func, x->arena, &ops);
    do {
        x->has_changed = false;
        for (size_t i = 0; i < ops.len; i++)
            mark_op(x, ops.at[i]);
    } while (x->has_changed);
}

/* ---- reports ---- */

static void report_shadow(tri_cpu_shadow *x, tri_builder *b, MlirValue shadow)
{
    if (is_null(shadow))
        return;
    MlirType type = tri_cpu_shadow_type(x, shadow);
    MlirAttribute empty = tri_attr_str(b->context, "", 0);
    tri_attr attrs[4] = {{"libname", empty},
                         {"libpath", empty},
                         {"symbol", tri_attr_str(b->context, TRI_CPU_REPORT, strlen(TRI_CPU_REPORT))},
                         {"pure", tri_attr_bool(b->context, false)}};
    tri_builder_create(b, &(tri_op){.name = "tt.extern_elementwise", .num_operands = 1, .operands = &shadow,
                                    .num_results = 1, .results = &type, .num_attrs = 4, .attrs = attrs});
}

/* What an access reads or writes is looked at in the lanes that are on, its mask in all. */
static void check_access(tri_cpu_shadow *x, tri_builder *b, MlirOperation op, MlirValue mask, MlirValue value)
{
    MlirValue pointer = tri_op_operand(op, 0);
    MlirValue s = shadow_of(x, pointer);
    if (!tri_type_is_ptr(tri_type_element(mlirValueGetType(pointer))))
        return;
    s = tri_cpu_shadow_max(b, s, tri_cpu_shadow_sites_access(x, b, op, pointer));
    if (!is_null(value))
        s = tri_cpu_shadow_max(b, s, shadow_of(x, value));
    if (!is_null(mask)) {
        s = tri_cpu_shadow_select(b, mask, s, zero(x, b, mask));
        s = tri_cpu_shadow_max(b, s, shadow_of(x, mask));
    }
    report_shadow(x, b, s);
}

static void check_load(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    MlirValue mask = tri_op_segment_value(op, 1), other = tri_op_segment_value(op, 2);
    check_access(x, b, op, mask, none);
    if (!is_null(other) && !is_null(shadow_of(x, other))) {
        MlirValue rest = shadow_of(x, other);
        set_shadow(x, tri_op_result(op, 0), tri_cpu_shadow_select(b, mask, zero(x, b, other), rest));
    }
}

/* Scalars that steer: conditions, bounds of loops, positions of descriptors. */
static void check_scalars(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    MlirValue s = none;
    intptr_t count = tri_op_is(op, "scf.for") ? 3
                     : tri_str_has_prefix(tri_op_name(op), "scf.") || tri_op_is(op, "cf.cond_br")
                         ? 1
                         : mlirOperationGetNumOperands(op);
    for (intptr_t i = 0; i < count; i++)
        if (!tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, i))))
            s = tri_cpu_shadow_max(b, s, shadow_of(x, tri_op_operand(op, i)));
    if (tri_op_is(op, "llvm.intr.assume"))
        s = tri_cpu_shadow_max(b, s, tri_cpu_shadow_sites_assume(x, b, op));
    report_shadow(x, b, s);
}

/* ---- values ---- */

/* `a` where it decides a conjunction (disjunction): where `b` is not a defined false (true). */
static MlirValue where_it_counts(tri_cpu_shadow *x, tri_builder *b, MlirValue sa, MlirValue v, bool is_and)
{
    enum { is_ne = 1 };
    MlirValue other = shadow_of(x, v), counts = v;
    if (is_null(sa))
        return sa;
    MlirType bit = mlirValueGetType(v);
    if (!is_and)
        counts = tri_builder_binary(b, "arith.xori", bit, counts, tri_builder_int(b, bit, 1));
    if (!is_null(other))
        counts = tri_builder_binary(b, "arith.ori", bit, counts,
                                    tri_compare_make(b, is_ne, other, zero(x, b, other)));
    return tri_cpu_shadow_select(b, counts, sa, zero(x, b, sa));
}

static MlirValue elementwise(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    MlirValue s = none, result = tri_op_result(op, 0), first = tri_op_operand(op, 0);
    bool is_and = tri_op_is(op, "arith.andi");
    if (tri_op_is(op, "arith.select")) {
        MlirValue cond = shadow_of(x, first), u = tri_op_operand(op, 1), v = tri_op_operand(op, 2);
        if (!is_null(shadow_of(x, u)) || !is_null(shadow_of(x, v))) {
            MlirValue of_v = shadow_or_zero(x, b, v), of_u = shadow_or_zero(x, b, u);
            s = tri_cpu_shadow_select(b, first, of_u, of_v);
        }
        bool is_spread =
            !is_null(cond) && tri_type_is_tensor(mlirValueGetType(u)) && !tri_type_is_tensor(mlirValueGetType(first));
        if (is_spread)
            cond = tri_builder_unary(b, "tt.splat", tri_cpu_shadow_type(x, u), cond);
        return tri_cpu_shadow_max(b, s, cond);
    }
    if ((is_and || tri_op_is(op, "arith.ori")) && tri_type_is_int_of(tri_type_element(mlirValueGetType(result)), 1)) {
        MlirValue second = tri_op_operand(op, 1);
        MlirValue of_second = where_it_counts(x, b, shadow_of(x, second), first, is_and);
        return tri_cpu_shadow_max(b, where_it_counts(x, b, shadow_of(x, first), second, is_and), of_second);
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        s = tri_cpu_shadow_max(b, s, shadow_of(x, tri_op_operand(op, i)));
    return tri_cpu_shadow_max(b, s, tri_cpu_shadow_sites_own(x, b, op));
}

/* The same view of the shadows. */
static void view(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    enum { max_operands = 4 };
    intptr_t n = mlirOperationGetNumOperands(op);
    MlirValue from[max_operands], to[max_operands];
    TRI_ASSERT(n <= max_operands);
    for (intptr_t i = 0; i < n; i++) {
        from[i] = tri_op_operand(op, i);
        to[i] = shadow_or_zero(x, b, from[i]);
    }
    MlirOperation copy = tri_op_clone(b, op, n, from, to);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirValue result = tri_op_result(copy, i);
        tri_op_set_type(result, tri_cpu_shadow_type(x, result));
        set_shadow(x, tri_op_result(op, i), result);
    }
}

/* tt.reduce or tt.scan of a shadow: its highest number. */
static MlirValue combine(tri_cpu_shadow *x, tri_builder *b, const char *name, MlirValue s, MlirType result, int axis,
                         bool is_reverse)
{
    bool is_scan = !strcmp(name, "tt.scan");
    MlirType types[2] = {x->i32, x->i32};
    MlirLocation locs[2] = {b->loc, b->loc};
    MlirBlock block = mlirBlockCreate(2, types, locs);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, block);
    tri_builder in = tri_builder_at_end(block, b->loc);
    MlirValue top =
        tri_builder_binary(&in, "arith.maxui", x->i32, mlirBlockGetArgument(block, 0), mlirBlockGetArgument(block, 1));
    tri_builder_create(
        &in, &(tri_op){.name = is_scan ? "tt.scan.return" : "tt.reduce.return", .num_operands = 1, .operands = &top});
    tri_attr attrs[2] = {{"axis", tri_attr_i32(b->context, axis)},
                         {"reverse", is_scan ? tri_attr_bool(b->context, is_reverse) : mlirAttributeGetNull()}};
    return tri_builder_value(b, &(tri_op){.name = name,
                                          .num_operands = 1,
                                          .operands = &s,
                                          .num_results = 1,
                                          .results = &result,
                                          .num_attrs = 2,
                                          .attrs = attrs,
                                          .num_regions = 1,
                                          .regions = &region});
}

static void reduction(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    MlirValue s = none;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        s = tri_cpu_shadow_max(b, s, shadow_of(x, tri_op_operand(op, i)));
    bool is_scan = tri_op_is(op, "tt.scan");
    s = combine(x, b, is_scan ? "tt.scan" : "tt.reduce", s, tri_cpu_shadow_type(x, tri_op_result(op, 0)),
                (int)tri_op_int(op, "axis", 0), tri_op_flag(op, "reverse"));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        set_shadow(x, tri_op_result(op, i), s);
}

/* Rows of a, columns of b, and c, each as a block of the result's shape. */
static MlirValue product(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    MlirValue result = tri_op_result(op, 0), s = shadow_of(x, tri_op_operand(op, 2));
    MlirType type = tri_cpu_shadow_type(x, result);
    int rank = tri_type_rank(type);
    for (int i = 0; i < 2; i++) {
        MlirValue part = shadow_of(x, tri_op_operand(op, i));
        int64_t shape[TRI_MAX_RANK];
        int axis = i ? rank - 2 : rank - 1, n = 0;
        if (is_null(part))
            continue;
        for (int d = 0; d < rank; d++)
            if (d != axis)
                shape[n++] = tri_type_dim(mlirValueGetType(part), d);
        part = combine(x, b, "tt.reduce", part, tri_type_tensor(n, shape, x->i32, mlirAttributeGetNull()), axis, false);
        for (int d = 0; d < rank; d++)
            shape[d] = d == axis ? 1 : tri_type_dim(type, d);
        MlirType wide = tri_type_tensor(rank, shape, x->i32, mlirAttributeGetNull());
        tri_attr attr = {"axis", tri_attr_i32(b->context, axis)};
        part = tri_builder_value(b, &(tri_op){.name = "tt.expand_dims",
                                              .num_operands = 1,
                                              .operands = &part,
                                              .num_results = 1,
                                              .results = &wide,
                                              .num_attrs = 1,
                                              .attrs = &attr});
        s = tri_cpu_shadow_max(b, s, tri_builder_unary(b, "tt.broadcast", type, part));
    }
    return s;
}

static MlirValue gathered(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    MlirValue source = tri_op_operand(op, 0), s = tri_cpu_shadow_sites_own(x, b, op);
    s = tri_cpu_shadow_max(b, s, shadow_of(x, tri_op_operand(op, 1)));
    MlirValue from = shadow_of(x, source);
    if (is_null(from))
        return s;
    MlirOperation copy = tri_op_clone(b, op, 1, &source, &from);
    tri_op_set_type(tri_op_result(copy, 0), tri_cpu_shadow_type(x, tri_op_result(op, 0)));
    return tri_cpu_shadow_max(b, s, tri_op_result(copy, 0));
}

/* ---- control flow ---- */

typedef TRI_VEC(MlirValue) value_list;
typedef TRI_VEC(MlirType) type_list;

/* The op again, with more operands and results behind its own; its regions move. */
static MlirOperation make_again(tri_cpu_shadow *x, MlirOperation op, const value_list *more, const type_list *types,
                                MlirAttribute segments)
{
    value_list operands = {0};
    type_list results = {0};
    TRI_VEC(tri_attr) attrs = {0};
    TRI_VEC(MlirRegion) regions = {0};
    TRI_VEC(MlirBlock) successors = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && mlirAttributeIsNull(segments); i++)
        tri_vec_push(x->arena, &operands, tri_op_operand(op, i));
    for (size_t i = 0; i < more->len; i++)
        tri_vec_push(x->arena, &operands, more->at[i]);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        tri_vec_push(x->arena, &results, mlirValueGetType(tri_op_result(op, i)));
    for (size_t i = 0; i < types->len; i++)
        tri_vec_push(x->arena, &results, types->at[i]);
    for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
        MlirNamedAttribute a = mlirOperationGetAttribute(op, i);
        MlirStringRef name = mlirIdentifierStr(a.name);
        const char *text = tri_str_copy(x->arena, (tri_str){name.data, name.length}).data;
        bool is_segments = !strcmp(text, "operandSegmentSizes") && !mlirAttributeIsNull(segments);
        tri_vec_push(x->arena, &attrs, (tri_attr){text, is_segments ? segments : a.attribute});
    }
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
        MlirRegion region = mlirRegionCreate();
        mlirRegionTakeBody(region, mlirOperationGetRegion(op, r));
        tri_vec_push(x->arena, &regions, region);
    }
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); s++)
        tri_vec_push(x->arena, &successors, mlirOperationGetSuccessor(op, s));
    tri_builder b = tri_builder_before(op);
    MlirOperation made = tri_builder_create(
        &b, &(tri_op){.name = tri_str_copy(x->arena, tri_op_name(op)).data, .num_operands = (intptr_t)operands.len,
                      .operands = operands.at, .num_results = (intptr_t)results.len, .results = results.at,
                      .num_attrs = (intptr_t)attrs.len, .attrs = attrs.at, .num_regions = (intptr_t)regions.len,
                      .regions = regions.at, .num_successors = (intptr_t)successors.len, .successors = successors.at});
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirValue old = tri_op_result(op, i), now = tri_op_result(made, i);
        mark_if(x, old, now);
        mlirValueReplaceAllUsesOfWith(old, now);
    }
    mlirOperationDestroy(op);
    return made;
}

/* Shadows of the values of `at`, from `first` on, that stand for a value of `of` that may be undefined. */
static void add_shadows(tri_cpu_shadow *x, tri_builder *b, MlirOperation from, intptr_t first, const value_list *of,
                        value_list *out)
{
    for (size_t i = 0; i < of->len; i++)
        if (may_be(x, of->at[i]))
            tri_vec_push(x->arena, out, shadow_or_zero(x, b, tri_op_operand(from, first + (intptr_t)i)));
}

static void add_arguments(tri_cpu_shadow *x, MlirBlock block, const value_list *of)
{
    for (size_t i = 0; i < of->len; i++)
        if (may_be(x, of->at[i]))
            set_shadow(x, of->at[i],
                       mlirBlockAddArgument(block, tri_cpu_shadow_type(x, of->at[i]), mlirValueGetLocation(of->at[i])));
}

static value_list arguments_of(tri_cpu_shadow *x, MlirBlock block, intptr_t first)
{
    value_list all = {0};
    for (intptr_t i = first; i < mlirBlockGetNumArguments(block); i++)
        tri_vec_push(x->arena, &all, mlirBlockGetArgument(block, i));
    return all;
}

static value_list results_of(tri_cpu_shadow *x, MlirOperation op)
{
    value_list all = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        tri_vec_push(x->arena, &all, tri_op_result(op, i));
    return all;
}

static type_list shadow_types(tri_cpu_shadow *x, const value_list *of)
{
    type_list all = {0};
    for (size_t i = 0; i < of->len; i++)
        if (may_be(x, of->at[i]))
            tri_vec_push(x->arena, &all, tri_cpu_shadow_type(x, of->at[i]));
    return all;
}

/* The results behind an op's own are the shadows of those that may be undefined. */
static void bind_results(tri_cpu_shadow *x, MlirOperation op, intptr_t own)
{
    intptr_t at = own;
    for (intptr_t i = 0; i < own; i++)
        if (may_be(x, tri_op_result(op, i)))
            set_shadow(x, tri_op_result(op, i), tri_op_result(op, at++));
}

static void visit_region(tri_cpu_shadow *x, MlirRegion region);

/* A region's terminator hands on the shadows too. */
static void extend_terminator(tri_cpu_shadow *x, MlirOperation op, int region, intptr_t first, const value_list *of)
{
    MlirOperation end = terminator(op, region);
    tri_builder b = tri_builder_before(end);
    value_list more = {0};
    type_list no_types = {0};
    add_shadows(x, &b, end, first, of, &more);
    if (more.len)
        make_again(x, end, &more, &no_types, mlirAttributeGetNull());
}

static void visit_for(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    intptr_t own = mlirOperationGetNumResults(op);
    value_list args = arguments_of(x, tri_op_body(op, 0), 1), more = {0};
    type_list types = shadow_types(x, &args);
    check_scalars(x, b, op);
    add_shadows(x, b, op, 3, &args, &more);
    add_arguments(x, tri_op_body(op, 0), &args);
    if (more.len)
        op = make_again(x, op, &more, &types, mlirAttributeGetNull());
    visit_region(x, mlirOperationGetRegion(op, 0));
    extend_terminator(x, op, 0, 0, &args);
    bind_results(x, op, own);
}

static void visit_if(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    intptr_t own = mlirOperationGetNumResults(op);
    value_list results = results_of(x, op), no_values = {0};
    type_list types = shadow_types(x, &results);
    check_scalars(x, b, op);
    if (types.len)
        op = make_again(x, op, &no_values, &types, mlirAttributeGetNull());
    for (intptr_t i = 0; i < own; i++)
        results.at[i] = tri_op_result(op, i);
    for (int r = 0; r < 2; r++) {
        visit_region(x, mlirOperationGetRegion(op, r));
        if (types.len)
            extend_terminator(x, op, r, 0, &results);
    }
    bind_results(x, op, own);
}

static void visit_while(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    intptr_t own = mlirOperationGetNumResults(op);
    value_list before = arguments_of(x, tri_op_body(op, 0), 0), after = arguments_of(x, tri_op_body(op, 1), 0),
               more = {0};
    type_list types = shadow_types(x, &after);
    add_shadows(x, b, op, 0, &before, &more);
    add_arguments(x, tri_op_body(op, 0), &before);
    add_arguments(x, tri_op_body(op, 1), &after);
    if (more.len || types.len)
        op = make_again(x, op, &more, &types, mlirAttributeGetNull());
    visit_region(x, mlirOperationGetRegion(op, 0));
    extend_terminator(x, op, 0, 1, &after);
    visit_region(x, mlirOperationGetRegion(op, 1));
    extend_terminator(x, op, 1, 0, &before);
    bind_results(x, op, own);
}

/* Block arguments have their shadows behind them already. */
static void visit_branch(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    bool is_conditional = tri_op_is(op, "cf.cond_br");
    intptr_t at = is_conditional;
    int32_t sizes[3] = {1, 0, 0};
    value_list all = {0};
    type_list no_types = {0};
    if (is_conditional) {
        check_scalars(x, b, op);
        tri_vec_push(x->arena, &all, tri_op_operand(op, 0));
    }
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); s++) {
        MlirBlock to = mlirOperationGetSuccessor(op, s);
        intptr_t own = 0, begin = (intptr_t)all.len;
        int32_t old[3];
        if (is_conditional && tri_op_i32s(op, "operandSegmentSizes", old, 3) == 3)
            own = old[1 + s];
        else
            own = mlirOperationGetNumOperands(op);
        for (intptr_t i = 0; i < own; i++)
            tri_vec_push(x->arena, &all, tri_op_operand(op, at + i));
        for (intptr_t i = 0; i < own; i++)
            if (may_be(x, mlirBlockGetArgument(to, i)))
                tri_vec_push(x->arena, &all, shadow_or_zero(x, b, tri_op_operand(op, at + i)));
        at += own;
        sizes[1 + s] = (int32_t)((intptr_t)all.len - begin);
    }
    if ((intptr_t)all.len == mlirOperationGetNumOperands(op))
        return;
    if (is_conditional) {
        make_again(x, op, &all, &no_types, tri_attr_i32s(b->context, 3, sizes));
        return;
    }
    value_list more = {.at = all.at + mlirOperationGetNumOperands(op),
                       .len = all.len - (size_t)mlirOperationGetNumOperands(op)};
    make_again(x, op, &more, &no_types, mlirAttributeGetNull());
}

/* ---- the walk ---- */

static void visit_value(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    if (is_view(op))
        view(x, b, op);
    else if (is_reduction(op))
        reduction(x, b, op);
    else if (tri_op_is(op, "tt.dot"))
        set_shadow(x, tri_op_result(op, 0), product(x, b, op));
    else if (tri_op_is(op, "tt.gather"))
        set_shadow(x, tri_op_result(op, 0), gathered(x, b, op));
    else
        set_shadow(x, tri_op_result(op, 0), elementwise(x, b, op));
}

static void visit_effect(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    intptr_t n = mlirOperationGetNumOperands(op);
    if (tri_op_is(op, "tt.load")) {
        check_load(x, b, op);
    } else if (tri_op_is(op, "tt.store")) {
        check_access(x, b, op, tri_op_segment_value(op, 2), tri_op_operand(op, 1));
    } else if (tri_op_is(op, "tt.atomic_rmw")) {
        check_access(x, b, op, n > 2 ? tri_op_operand(op, 2) : none, tri_op_operand(op, 1));
    } else if (tri_op_is(op, "tt.atomic_cas")) {
        MlirValue want = shadow_of(x, tri_op_operand(op, 1));
        check_access(x, b, op, none, tri_op_operand(op, 2));
        report_shadow(x, b, want);
    } else if (tri_op_is(op, "tt.assert")) {
        report_shadow(x, b, shadow_of(x, tri_op_operand(op, 0)));
    } else if (!tri_op_is(op, "tt.call") && !tri_op_is(op, "tt.return") && !tri_op_is(op, "tt.print")) {
        check_scalars(x, b, op);
    }
}

static void visit_shadow(tri_cpu_shadow *x, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    bool may = false;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        may |= may_be(x, tri_op_result(op, i));
    if (tri_op_is(op, "scf.for"))
        visit_for(x, &b, op);
    else if (tri_op_is(op, "scf.if"))
        visit_if(x, &b, op);
    else if (tri_op_is(op, "scf.while"))
        visit_while(x, &b, op);
    else if (tri_op_is(op, "scf.condition"))
        check_scalars(x, &b, op);
    else if (tri_op_is(op, "cf.br") || tri_op_is(op, "cf.cond_br"))
        visit_branch(x, &b, op);
    else if (tri_op_is(op, "scf.yield"))
        return;
    else if (hands_on(op) && !tri_op_is(op, "tt.load")) {
        if (may)
            visit_value(x, &b, op);
    } else
        visit_effect(x, &b, op);
}

static void visit_region(tri_cpu_shadow *x, MlirRegion region)
{
    for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block)) {
        tri_op_list ops = {0};
        for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
             op = mlirOperationGetNextInBlock(op))
            tri_vec_push(x->arena, &ops, op);
        for (size_t i = 0; i < ops.len; i++)
            visit_shadow(x, ops.at[i]);
    }
}

void tri_cpu_shadow_run(tri_unit *unit, tri_cpu_sites *out_sites)
{
    tri_cpu_shadow x = {.unit = unit, .arena = unit->arena, .sites = out_sites};
    x.i1 = mlirIntegerTypeGet(unit->mlir, 1);
    x.i32 = mlirIntegerTypeGet(unit->mlir, 32);
    x.i64 = mlirIntegerTypeGet(unit->mlir, 64);
    tri_map_init(&x.maybe, x.arena);
    tri_map_init(&x.shadows, x.arena);
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(unit->module), "tt.func", x.arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        MlirRegion body = mlirOperationGetRegion(funcs.at[i], 0);
        search(&x, funcs.at[i]);
        for (MlirBlock b = mlirRegionGetFirstBlock(body); !mlirBlockIsNull(b); b = mlirBlockGetNextInRegion(b)) {
            value_list args = arguments_of(&x, b, 0);
            add_arguments(&x, b, &args);
        }
        visit_region(&x, body);
    }
}
