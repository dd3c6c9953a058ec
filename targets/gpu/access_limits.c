#include "targets/gpu/access.h"

#include "ir/analysis/axis_info.h"
#include "ir/location.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"

enum { deepest = 16 };
static const char apart[] = "neighbouring elements are not known to be neighbours in memory";

/* ---- neighbours that lie apart ---- */

/* What in an address keeps neighbours apart; the first of each that is found. */
typedef struct {
    MlirOperation load, division;
    tri_str size; /* name of what remainders are taken by; empty: none */
    tri_str stride; /* name of a factor that may be 1; empty: none */
    int64_t step;   /* a factor beyond 1 that is known; 0: none */
} scatter;

static tri_str splat_name(MlirValue v)
{
    MlirOperation op = tri_op_def(v);
    return op.ptr && tri_op_is(op, "tt.splat") ? tri_location_name(mlirValueGetLocation(tri_op_operand(op, 0)))
                                               : (tri_str){0};
}

static void find_factor(MlirValue factor, scatter *out)
{
    int64_t step;
    out->stride = out->stride.len ? out->stride : splat_name(factor);
    if (!out->step && tri_op_const_int(factor, &step) && step > 1)
        out->step = step;
}

/* What a loop carries is at first what comes in. */
static MlirValue before_loops(MlirValue v)
{
    MlirBlock block;
    intptr_t index;
    while (tri_op_is_block_argument(v, &block, &index) && index > 0 &&
           tri_op_is(mlirBlockGetParentOperation(block), "scf.for"))
        v = tri_op_operand(mlirBlockGetParentOperation(block), index + 2);
    return v;
}

static void find_scatter(MlirValue v, int depth, scatter *out)
{
    MlirOperation op = tri_op_def(before_loops(v));
    if (!op.ptr || depth > deepest || !tri_type_is_tensor(mlirValueGetType(v)))
        return;
    if (tri_op_in(op, TRI_OPS_ACCESS)) {
        out->load = out->load.ptr ? out->load : op;
        return;
    }
    if (tri_op_in(op, TRI_OPS_DIVISION))
        out->division = out->division.ptr ? out->division : op;
    if ((tri_op_is(op, "arith.remsi") || tri_op_is(op, "arith.remui")) && !out->size.len)
        out->size = splat_name(tri_op_operand(op, 1));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        if (tri_op_is(op, "arith.muli"))
            find_factor(tri_op_operand(op, i), out);
        find_scatter(tri_op_operand(op, i), depth + 1, out);
    }
}

/* Why the elements at hand lie apart, and what to change in the source. */
static const char *scatter_text(tri_gpu *g)
{
    scatter found = {0};
    if (mlirOperationGetNumOperands(g->op))
        find_scatter(tri_op_operand(g->op, 0), 0, &found);
    if (found.load.ptr)
        return tri_str_format(g->arena, "%s: a %s, as the indices are loaded; where rows are long, one index a row "
                              "and an arange along it keeps neighbours together",
                              apart, tri_op_is(g->op, "tt.store") ? "scatter" : "gather").data;
    if (found.size.len)
        return tri_str_format(g->arena, "%s: the remainder by '%.*s' may begin anew between them; if '%.*s' is a "
                              "multiple of 16, say so (:16 behind its type in -sig, tl.multiple_of)",
                              apart, TRI_STR_ARG(found.size), TRI_STR_ARG(found.size)).data;
    if (found.division.ptr)
        return tri_str_format(g->arena, "%s: the address takes an integer division for each element; a dimension of "
                              "the grid or of the block for the quotient computes it once", apart).data;
    if (found.stride.len)
        return tri_str_format(g->arena,
                              "%s: they are '%.*s' elements apart; if that is 1, say so (%.*s=i32:1 in -sig), else "
                              "let arange run along the other dimension",
                              apart, TRI_STR_ARG(found.stride), TRI_STR_ARG(found.stride))
            .data;
    if (found.step)
        return tri_str_format(g->arena,
                              "neighbouring elements are %lld apart in memory; let arange run along the dimension "
                              "whose elements are neighbours, or load what lies between them, too",
                              (long long)found.step)
            .data;
    return apart;
}

/* ---- hints that are not there ---- */

enum { most_names = 3, most_visits = 256 };

/* Parameters of the kernel in an address or mask that may be no multiples of 16. */
typedef struct {
    tri_gpu *g;
    tri_str names[most_names];
    int count, visits;
} suspects;

static void find_suspects(suspects *s, MlirValue v, int depth);

static void suspect_argument(suspects *s, MlirValue v, MlirBlock block, intptr_t index, int depth)
{
    enum { wanted = 16 };
    MlirOperation parent = mlirBlockGetParentOperation(block);
    tri_str name = tri_location_name(mlirValueGetLocation(v));
    if (tri_op_is(parent, "scf.for") && index > 0) {
        find_suspects(s, tri_op_operand(parent, index + 2), depth + 1);
        find_suspects(s, tri_op_operand(mlirBlockGetTerminator(block), index - 1), depth + 1);
        return;
    }
    if (!tri_op_is(parent, "tt.func") || !name.len || s->count == most_names ||
        tri_axis_info_get(s->g->axis, v)->divisibility[0] % wanted == 0)
        return;
    for (int i = 0; i < s->count; i++)
        if (tri_str_equal(s->names[i], name))
            return;
    s->names[s->count++] = name;
}

static void find_suspects(suspects *s, MlirValue v, int depth)
{
    MlirBlock block;
    intptr_t index;
    if (depth > 2 * deepest || ++s->visits > most_visits)
        return;
    if (tri_op_is_block_argument(v, &block, &index)) {
        suspect_argument(s, v, block, index, depth);
        return;
    }
    MlirOperation op = tri_op_def(v);
    bool is_known = !tri_type_is_tensor(mlirValueGetType(v)) && tri_axis_info_get(s->g->axis, v)->divisibility[0] >= 16;
    if (is_known || tri_op_in(op, TRI_OPS_ACCESS) || mlirOperationGetNumRegions(op))
        return;
    /* what something is divided by seldom tells of the quotient's or the remainder's factors */
    intptr_t n = tri_op_in(op, TRI_OPS_DIVISION) ? 1 : mlirOperationGetNumOperands(op);
    for (intptr_t i = 0; i < n; i++)
        find_suspects(s, tri_op_operand(op, i), depth + 1);
}

/* "WHAT: 'x' and 's' are not known to be multiples of 16; ..." */
static const char *hint_text(tri_gpu *g, const suspects *s, const char *what)
{
    tri_buf out = {0};
    tri_buf_format(&out, "%s", what);
    for (int i = 0; i < s->count; i++)
        tri_buf_format(&out, "%s'%.*s'", !i ? ": " : i + 1 < s->count ? ", " : " and ", TRI_STR_ARG(s->names[i]));
    if (s->count == 1)
        tri_buf_add_z(&out, " is not known to be a multiple of 16; if it is, say so (:16 behind its type in -sig, "
                            "tl.multiple_of)");
    else if (s->count)
        tri_buf_add_z(&out, " are not known to be multiples of 16; if they are, say so (:16 behind their types in "
                            "-sig, tl.multiple_of)");
    else
        tri_buf_add_z(&out, "; pointers and sizes that are multiples of 16 may say so (:16, tl.multiple_of)");
    tri_str text = tri_str_copy(g->arena, tri_buf_str(&out));
    tri_buf_fini(&out);
    return text.data;
}

static const char *alignment_text(tri_gpu *g, int bytes)
{
    suspects s = {.g = g};
    find_suspects(&s, tri_op_operand(g->op, 0), 0);
    return hint_text(
        g, &s, tri_str_format(g->arena, "the address is known to be a multiple of %d bytes only", bytes).data);
}

static const char *mask_text(tri_gpu *g, int vec)
{
    suspects s = {.g = g};
    for (intptr_t i = 1; i < mlirOperationGetNumOperands(g->op); i++) {
        MlirType type = mlirValueGetType(tri_op_operand(g->op, i));
        if (tri_type_is_tensor(type) && tri_type_bits(tri_type_element(type)) == 1)
            find_suspects(&s, tri_op_operand(g->op, i), 0);
    }
    const char *what = "the mask may differ between neighbours";
    if (vec > 1)
        what = tri_str_format(g->arena, "the mask is known to be equal for %d neighbours only", vec).data;
    return hint_text(g, &s, what);
}

const char *tri_gpu_limit_text(tri_gpu *g, const tri_gpu_groups *groups, int bytes)
{
    switch (groups->limit) {
    case TRI_LIMIT_NONE:
        break;
    case TRI_LIMIT_ADDRESS:
        if (groups->vec == 1)
            return scatter_text(g);
        return tri_str_format(g->arena, "only runs of %d elements are known to be neighbours in memory", groups->vec)
            .data;
    case TRI_LIMIT_ALIGNMENT:
        return alignment_text(g, bytes);
    case TRI_LIMIT_MASK:
        return mask_text(g, groups->vec);
    case TRI_LIMIT_LAYOUT:
        return tri_str_format(g->arena, "a thread holds %d neighbouring elements", groups->vec).data;
    }
    return "nothing limits it";
}
