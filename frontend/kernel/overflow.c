/* The offset of every tt.addptr is followed backwards through what computes it, into callees and out to
 * callers; the additions, products and shifts of 32 bits on the way are checked against intervals. */
#include "frontend/kernel/overflow.h"

#include "frontend/kernel/function.h"
#include "ir/location.h"
#include "ir/op.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

enum {
    max_depth = 64,      /* of expressions looked into for their range */
    max_calls = 8,       /* inside one another */
    max_visits = 20000,  /* of operations, in all: the rest is not looked at */
    small_index = 4096,  /* a factor that no stride of a real tensor makes dangerous */
};

/* What is known of an integer; a bound that nothing declares is not has_. */
typedef struct {
    bool has_lo, has_hi;
    int64_t lo, hi;
} range;

/* One function as it is called: its parameters are the call's operands. */
typedef struct context {
    MlirOperation call; /* null: the kernel itself */
    MlirOperation func;
    struct context *caller;
    int depth;
    tri_map ranges; /* value -> range */
    tri_map facts;  /* value -> range, by tl.assume */
    tri_map seen;   /* values followed */
    tri_map inner;  /* call -> context */
} context;

typedef struct {
    tri_eval *e;
    tri_map funcs;  /* symbol -> tt.func */
    tri_map told;   /* operation -> itself */
    int visits;
    bool wants_known, wants_unknown;
} checker;

static range unknown(void) { return (range){0}; }
static range exactly(int64_t v) { return (range){true, true, v, v}; }
static range between(int64_t lo, int64_t hi) { return (range){true, true, lo, hi}; }
static bool is_known(range r) { return r.has_lo && r.has_hi; }
static bool is_natural(range r) { return r.has_lo && r.lo >= 0; }

static int64_t clamp128(__int128 v)
{
    return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

static range add(range x, range y)
{
    return (range){x.has_lo && y.has_lo, x.has_hi && y.has_hi, clamp128((__int128)x.lo + y.lo),
                   clamp128((__int128)x.hi + y.hi)};
}

static range negate(range x)
{
    return (range){x.has_hi, x.has_lo, clamp128(-(__int128)x.hi), clamp128(-(__int128)x.lo)};
}

static range multiply(range x, range y)
{
    if (is_known(x) && is_known(y)) {
        __int128 p[4] = {(__int128)x.lo * y.lo, (__int128)x.lo * y.hi, (__int128)x.hi * y.lo, (__int128)x.hi * y.hi};
        __int128 lo = p[0], hi = p[0];
        for (int i = 1; i < 4; i++) {
            lo = p[i] < lo ? p[i] : lo;
            hi = p[i] > hi ? p[i] : hi;
        }
        return between(clamp128(lo), clamp128(hi));
    }
    if (is_natural(x) && is_natural(y))
        return (range){true, false, clamp128((__int128)x.lo * y.lo), 0};
    return unknown();
}

static range unite(range x, range y)
{
    return (range){x.has_lo && y.has_lo, x.has_hi && y.has_hi, x.lo < y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi};
}

static range intersect(range x, range y)
{
    range r = x;
    if (y.has_lo && (!x.has_lo || y.lo > x.lo))
        r.has_lo = true, r.lo = y.lo;
    if (y.has_hi && (!x.has_hi || y.hi < x.hi))
        r.has_hi = true, r.hi = y.hi;
    return r;
}

/* ---- ranges ---- */

static unsigned width_of(MlirValue v)
{
    MlirType type = mlirValueGetType(v);
    if (mlirTypeIsAShaped(type))
        type = mlirShapedTypeGetElementType(type);
    return mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type) : 0;
}

static range range_of(checker *k, context *c, MlirValue v, int depth);

static MlirOperation terminator_of(MlirOperation op, int region)
{
    return mlirBlockGetTerminator(tri_op_body(op, region));
}

/* The value that a function returns: the first of its returns that has one (early returns are rare). */
static MlirValue returned(MlirOperation func, intptr_t i)
{
    MlirOperation end = mlirBlockGetTerminator(tri_op_body(func, 0));
    return end.ptr && tri_op_is(end, "tt.return") && i < mlirOperationGetNumOperands(end) ? tri_op_operand(end, i)
                                                                                          : (MlirValue){0};
}

static MlirOperation callee_of(checker *k, MlirOperation call)
{
    MlirAttribute callee = tri_op_attr(call, "callee");
    if (mlirAttributeIsNull(callee))
        return (MlirOperation){0};
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
    return (MlirOperation){tri_map_find(&k->funcs, (tri_str){name.data, name.length})};
}

static context *enter(checker *k, context *caller, MlirOperation call, MlirOperation func);

static range range_of_argument(checker *k, context *c, MlirBlock block, intptr_t index, int depth)
{
    MlirOperation owner = mlirBlockGetParentOperation(block);
    if (tri_op_is(owner, "tt.func"))
        return c->call.ptr ? range_of(k, c->caller, tri_op_operand(c->call, index), depth + 1) : unknown();
    if (tri_op_is(owner, "scf.for") && index == 0) {
        range lo = range_of(k, c, tri_op_operand(owner, 0), depth + 1),
              hi = range_of(k, c, tri_op_operand(owner, 1), depth + 1);
        return (range){lo.has_lo, hi.has_hi, lo.lo, hi.has_hi && hi.hi > INT64_MIN ? hi.hi - 1 : 0};
    }
    return unknown();
}

static range range_of_shift(tri_str name, range x, range y, unsigned width)
{
    if (!is_known(y) || y.lo != y.hi || y.lo < 0 || y.lo >= width || width > 32)
        return unknown();
    if (tri_str_is(name, "arith.shli"))
        return multiply(x, exactly(INT64_C(1) << y.lo));
    if (tri_str_is(name, "arith.shrui") && !is_natural(x))
        return y.lo ? between(0, (INT64_C(1) << (width - (unsigned)y.lo)) - 1) : unknown();
    return (range){x.has_lo, x.has_hi, x.lo >> y.lo, x.hi >> y.lo};
}

static range range_of_division(tri_str name, range x, range y)
{
    if (!is_known(y) || y.lo != y.hi || y.lo <= 0)
        return is_natural(x) && is_natural(y) ? (range){true, x.has_hi, 0, x.hi} : unknown();
    if (tri_str_is(name, "arith.divsi") || (tri_str_is(name, "arith.divui") && is_natural(x)))
        return (range){x.has_lo, x.has_hi, x.lo / y.lo, x.hi / y.lo};
    if (tri_str_is(name, "arith.remui") || is_natural(x))
        return between(0, y.lo - 1);
    return tri_str_is(name, "arith.remsi") ? between(1 - y.lo, y.lo - 1) : unknown();
}

static range range_of_binary(checker *k, context *c, MlirOperation op, tri_str name, int depth)
{
    range x = range_of(k, c, tri_op_operand(op, 0), depth + 1), y = range_of(k, c, tri_op_operand(op, 1), depth + 1);
    unsigned width = width_of(tri_op_result(op, 0));
    range r = unknown();
    if (tri_str_is(name, "arith.addi"))
        r = add(x, y);
    else if (tri_str_is(name, "arith.subi"))
        r = add(x, negate(y));
    else if (tri_str_is(name, "arith.muli"))
        r = multiply(x, y);
    else if (tri_str_has_prefix(name, "arith.sh"))
        r = range_of_shift(name, x, y, width);
    else if (tri_str_has_prefix(name, "arith.div") || tri_str_has_prefix(name, "arith.rem"))
        r = range_of_division(name, x, y);
    else if (tri_str_is(name, "arith.andi"))
        r = is_natural(y) && y.has_hi ? between(0, y.hi) : is_natural(x) && x.has_hi ? between(0, x.hi) : unknown();
    else if (tri_str_is(name, "arith.minsi"))
        r = (range){x.has_lo && y.has_lo, x.has_hi || y.has_hi, x.lo < y.lo ? x.lo : y.lo,
                    !x.has_hi ? y.hi : !y.has_hi || x.hi < y.hi ? x.hi : y.hi};
    else if (tri_str_is(name, "arith.maxsi"))
        r = (range){x.has_lo || y.has_lo, x.has_hi && y.has_hi,
                    !x.has_lo                  ? y.lo
                    : !y.has_lo || x.lo > y.lo ? x.lo
                                               : y.lo,
                    x.hi > y.hi ? x.hi : y.hi};
    /* What wrapped may be anything. */
    if (width < 64 && ((r.has_hi && r.hi > INT32_MAX) || (r.has_lo && r.lo < INT32_MIN)))
        return unknown();
    return r;
}

static bool is_view(tri_str name)
{
    static const char *const views[] = {"tt.splat",   "tt.broadcast", "tt.expand_dims",
                                        "tt.reshape", "tt.trans",     "tt.unsplat"};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (tri_str_is(name, views[i]))
            return true;
    return false;
}

static range range_of_widened(checker *k, context *c, MlirOperation op, bool is_signed, int depth)
{
    MlirValue x = tri_op_operand(op, 0);
    range r = range_of(k, c, x, depth + 1);
    unsigned width = width_of(x);
    if (is_known(r) && (is_signed || r.lo >= 0))
        return r;
    if (!width || width > 16)
        return r.has_lo && (is_signed || r.lo >= 0) ? (range){true, false, r.lo, 0} : unknown();
    return is_signed ? between(-(INT64_C(1) << (width - 1)), (INT64_C(1) << (width - 1)) - 1)
                     : between(0, (INT64_C(1) << width) - 1);
}

static range compute_range(checker *k, context *c, MlirValue v, int depth)
{
    MlirBlock block;
    intptr_t index;
    int64_t constant;
    if (tri_op_is_block_argument(v, &block, &index))
        return range_of_argument(k, c, block, index, depth);
    if (tri_op_const_int(v, &constant))
        return exactly(constant);
    MlirOperation op = mlirOpResultGetOwner(v);
    tri_str name = tri_op_name(op);
    if (is_view(name))
        return range_of(k, c, tri_op_operand(op, 0), depth + 1);
    if (tri_str_is(name, "tt.make_range"))
        return between(tri_op_int(op, "start", 0), tri_op_int(op, "end", 1) - 1);
    if (tri_str_is(name, "tt.get_program_id") || tri_str_is(name, "tt.get_num_programs"))
        return (range){.has_lo = true};
    if (tri_str_is(name, "arith.extsi") || tri_str_is(name, "arith.extui"))
        return range_of_widened(k, c, op, tri_str_is(name, "arith.extsi"), depth);
    if (tri_str_is(name, "arith.select"))
        return unite(range_of(k, c, tri_op_operand(op, 1), depth + 1),
                     range_of(k, c, tri_op_operand(op, 2), depth + 1));
    if (tri_str_is(name, "tt.call")) {
        MlirOperation func = callee_of(k, op);
        context *inner = func.ptr ? enter(k, c, op, func) : NULL;
        MlirValue r = func.ptr ? returned(func, mlirOpResultGetResultNumber(v)) : (MlirValue){0};
        return inner && r.ptr ? range_of(k, inner, r, depth + 1) : unknown();
    }
    if (tri_str_has_prefix(name, "arith.") && mlirOperationGetNumOperands(op) == 2 &&
        !tri_str_has_prefix(name, "arith.cmp"))
        return range_of_binary(k, c, op, name, depth);
    return unknown();
}

static range range_of(checker *k, context *c, MlirValue v, int depth)
{
    range *known = tri_map_find_ptr(&c->ranges, v.ptr);
    if (known)
        return *known;
    if (depth > max_depth || ++k->visits > max_visits || !width_of(v))
        return unknown();
    range *slot = TRI_NEW(k->e->arena, range); /* unknown while it is computed: loops end */
    tri_map_set_ptr(&c->ranges, v.ptr, slot);
    range r = compute_range(k, c, v, depth);
    range *fact = tri_map_find_ptr(&c->facts, v.ptr);
    *slot = fact ? intersect(r, *fact) : r;
    return *slot;
}

/* ---- tl.assume ---- */

static void add_fact(checker *k, context *c, MlirValue v, range r)
{
    range *fact = tri_map_find_ptr(&c->facts, v.ptr);
    if (!fact) {
        fact = TRI_NEW(k->e->arena, range);
        tri_map_set_ptr(&c->facts, v.ptr, fact);
    }
    *fact = intersect(*fact, r);
}

static void assume(checker *k, context *c, MlirValue condition)
{
    MlirOperation op = tri_op_def(condition);
    if (!op.ptr)
        return;
    if (tri_op_is(op, "arith.andi")) {
        assume(k, c, tri_op_operand(op, 0));
        assume(k, c, tri_op_operand(op, 1));
        return;
    }
    if (!tri_op_is(op, "arith.cmpi"))
        return;
    enum { eq, ne, slt, sle, sgt, sge, ult, ule };
    MlirValue x = tri_op_operand(op, 0), y = tri_op_operand(op, 1);
    int64_t how = tri_op_int(op, "predicate", ne), bound;
    if (tri_op_const_int(x, &bound)) {
        static const int swapped[] = {eq, ne, sgt, sge, slt, sle};
        x = y;
        how = how < ult ? swapped[how] : ne;
    } else if (!tri_op_const_int(y, &bound)) {
        return;
    }
    switch (how) {
    case eq: add_fact(k, c, x, exactly(bound)); return;
    case slt: add_fact(k, c, x, (range){.has_hi = true, .hi = bound - 1}); return;
    case sle: add_fact(k, c, x, (range){.has_hi = true, .hi = bound}); return;
    case sgt: add_fact(k, c, x, (range){.has_lo = true, .lo = bound + 1}); return;
    case sge: add_fact(k, c, x, (range){.has_lo = true, .lo = bound}); return;
    case ult: add_fact(k, c, x, between(0, bound - 1)); return;
    case ule: add_fact(k, c, x, between(0, bound)); return;
    default: return;
    }
}

static context *enter(checker *k, context *caller, MlirOperation call, MlirOperation func)
{
    context *c = caller ? tri_map_find_ptr(&caller->inner, call.ptr) : NULL;
    if (c || (caller && caller->depth >= max_calls))
        return c;
    c = TRI_NEW(k->e->arena, context);
    *c = (context){.call = call, .func = func, .caller = caller, .depth = caller ? caller->depth + 1 : 0};
    tri_map_init(&c->ranges, k->e->arena);
    tri_map_init(&c->facts, k->e->arena);
    tri_map_init(&c->seen, k->e->arena);
    tri_map_init(&c->inner, k->e->arena);
    if (caller)
        tri_map_set_ptr(&caller->inner, call.ptr, c);
    tri_op_list assumes = {0};
    tri_op_collect_named(func, "llvm.intr.assume", k->e->arena, &assumes);
    for (size_t i = 0; i < assumes.len; i++)
        assume(k, c, tri_op_operand(assumes.at[i], 0));
    return c;
}

/* ---- reports ---- */

static tri_span span_of(checker *k, MlirOperation op)
{
    tri_span *span = tri_map_find_ptr(&k->e->spans, op.ptr);
    return span ? *span : TRI_NO_SPAN;
}

static void warn(checker *k, const context *c, MlirOperation op, const char *name, const char *text)
{
    tri_span at = span_of(k, op);
    if (tri_map_find_ptr(&k->told, op.ptr) || !at.source || tri_str_has_prefix(at.source->name, "<"))
        return;
    tri_map_set_ptr(&k->told, op.ptr, op.ptr);
    tri_diag_warning(k->e->diag, at, name, "%s", text);
    for (; c->call.ptr; c = c->caller)
        tri_diag_note(k->e->diag, tri_op_span(k->e->diag, c->call), "in this call");
    tri_diag_note(k->e->diag, TRI_NO_SPAN, "compute it in 64 bits: cast an operand with .to(tl.int64) first");
}

static tri_str spell(checker *k, range r)
{
    return r.lo == r.hi ? tri_str_format(k->e->arena, "%lld", (long long)r.lo)
                        : tri_str_format(k->e->arena, "%lld ... %lld", (long long)r.lo, (long long)r.hi);
}

static void check_operation(checker *k, context *c, MlirOperation op, tri_str name, bool is_unsigned)
{
    range x = range_of(k, c, tri_op_operand(op, 0), 0), y = range_of(k, c, tri_op_operand(op, 1), 0), r;
    bool is_product = tri_str_is(name, "arith.muli");
    int64_t most = is_unsigned ? UINT32_MAX : INT32_MAX;
    if (is_known(x) && is_known(y)) {
        r = is_product                       ? multiply(x, y)
            : tri_str_is(name, "arith.addi") ? add(x, y)
            : tri_str_is(name, "arith.subi") ? add(x, negate(y))
                                             : range_of_shift(name, x, y, 32);
        if (k->wants_known && is_known(r) && (r.hi > most || r.lo < INT32_MIN))
            warn(k, c, op, "int-overflow",
                 tri_str_format(k->e->arena, "an offset of 32 bits can reach %lld here: its operands are %.*s and %.*s",
                                (long long)(r.hi > most ? r.hi : r.lo), TRI_STR_ARG(spell(k, x)),
                                TRI_STR_ARG(spell(k, y)))
                     .data);
        return;
    }
    bool is_small = (is_known(x) && x.lo >= -small_index && x.hi <= small_index) ||
                    (is_known(y) && y.lo >= -small_index && y.hi <= small_index);
    bool is_constant = (is_known(x) && x.lo == x.hi) || (is_known(y) && y.lo == y.hi);
    if (is_product && k->wants_unknown && !is_small && !is_constant)
        warn(k, c, op, "offset-overflow",
             "an offset is the product of two 32-bit values of any size: it wraps beyond 2147483647");
}

/* ---- following offsets ---- */

typedef struct {
    context *c;
    MlirValue value;
    bool is_unsigned;
} step;

typedef struct {
    step *at;
    size_t len, cap;
} step_list;

static void follow(checker *k, step_list *work, context *c, MlirValue v, bool is_unsigned)
{
    if (!v.ptr || !c || !width_of(v) || tri_map_find_ptr(&c->seen, v.ptr))
        return;
    tri_map_set_ptr(&c->seen, v.ptr, c);
    tri_vec_push(k->e->arena, work, ((step){c, v, is_unsigned}));
}

static void follow_argument(checker *k, step_list *work, step s, MlirBlock block, intptr_t index)
{
    MlirOperation owner = mlirBlockGetParentOperation(block);
    if (tri_op_is(owner, "tt.func") && s.c->call.ptr)
        follow(k, work, s.c->caller, tri_op_operand(s.c->call, index), s.is_unsigned);
    else if (tri_op_is(owner, "scf.for") && index > 0) {
        follow(k, work, s.c, tri_op_operand(owner, index + 2), s.is_unsigned);
        follow(k, work, s.c, tri_op_operand(terminator_of(owner, 0), index - 1), s.is_unsigned);
    }
}

static void follow_result(checker *k, step_list *work, step s, MlirOperation op, tri_str name)
{
    intptr_t index = mlirOpResultGetResultNumber(s.value);
    if (tri_str_is(name, "tt.call")) {
        MlirOperation func = callee_of(k, op);
        if (func.ptr)
            follow(k, work, enter(k, s.c, op, func), returned(func, index), s.is_unsigned);
    } else if (tri_str_is(name, "scf.for")) {
        follow(k, work, s.c, tri_op_operand(op, index + 3), s.is_unsigned);
        follow(k, work, s.c, tri_op_operand(terminator_of(op, 0), index), s.is_unsigned);
    } else if (tri_str_is(name, "scf.if")) {
        for (int region = 0; region < 2; region++)
            follow(k, work, s.c, tri_op_operand(terminator_of(op, region), index), s.is_unsigned);
    } else if (is_view(name) || tri_str_is(name, "arith.extsi") || tri_str_is(name, "arith.extui")) {
        follow(k, work, s.c, tri_op_operand(op, 0), s.is_unsigned || tri_str_is(name, "arith.extui"));
    } else if (tri_str_is(name, "arith.select")) {
        follow(k, work, s.c, tri_op_operand(op, 1), s.is_unsigned);
        follow(k, work, s.c, tri_op_operand(op, 2), s.is_unsigned);
    } else if (tri_str_has_prefix(name, "arith.") && mlirOperationGetNumOperands(op) == 2) {
        bool may_wrap = tri_str_is(name, "arith.addi") || tri_str_is(name, "arith.subi") ||
                        tri_str_is(name, "arith.muli") || tri_str_is(name, "arith.shli");
        if (may_wrap && width_of(s.value) == 32)
            check_operation(k, s.c, op, name, s.is_unsigned);
        follow(k, work, s.c, tri_op_operand(op, 0), s.is_unsigned);
        follow(k, work, s.c, tri_op_operand(op, 1), s.is_unsigned);
    }
}

static void check_function(checker *k, context *c)
{
    tri_op_list ops = {0};
    tri_op_collect(c->func, k->e->arena, &ops);
    for (size_t i = 0; i < ops.len && ++k->visits < max_visits; i++) {
        MlirOperation op = ops.at[i];
        if (tri_op_is(op, "tt.call")) {
            MlirOperation func = callee_of(k, op);
            context *inner = func.ptr ? enter(k, c, op, func) : NULL;
            if (inner)
                check_function(k, inner);
            continue;
        }
        if (!tri_op_is(op, "tt.addptr"))
            continue;
        step_list work = {0};
        follow(k, &work, c, tri_op_operand(op, 1), false);
        while (work.len && ++k->visits < max_visits) {
            step s = work.at[--work.len];
            MlirBlock block;
            intptr_t index;
            if (tri_op_is_block_argument(s.value, &block, &index))
                follow_argument(k, &work, s, block, index);
            else
                follow_result(k, &work, s, mlirOpResultGetOwner(s.value), tri_op_name(mlirOpResultGetOwner(s.value)));
        }
    }
}

void tri_overflow_check(tri_eval *e, MlirOperation kernel)
{
    checker k = {.e = e, .wants_known = tri_diag_is_warning_on(e->diag, "int-overflow"),
                 .wants_unknown = tri_diag_is_warning_on(e->diag, "offset-overflow")};
    if (!k.wants_known && !k.wants_unknown)
        return;
    tri_map_init(&k.funcs, e->arena);
    tri_map_init(&k.told, e->arena);
    for (MlirOperation op = mlirBlockGetFirstOperation(e->module_body); op.ptr; op = mlirOperationGetNextInBlock(op))
        if (tri_op_is(op, "tt.func"))
            tri_map_set(&k.funcs, tri_op_symbol(op), op.ptr);
    context *c = enter(&k, NULL, (MlirOperation){0}, kernel);
    if (c)
        check_function(&k, c);
}
