/* Says which tensors of a program do not fit the memories that an NPU has for them.
 *
 *     %a = memref.alloc() : memref<256x256xf32> loc("a"("k.tri":7:9))
 *     remark: the tensors of 'k' take at least 262144 bytes of the unified buffer at once
 *     k.tri:7:9: error: 'k' needs at least 262144 bytes of the unified buffer, which has 196608; the largest is 'a'
 *     k.tri:7:9: note: 262144 bytes for 'a', 256x256 elements of 32 bits
 *
 * What is counted, and why it is the least: passes/linalg/budget.h. The error stands where most is needed. Programs
 * with products are shared by two vector cores, each of which holds half. Test: tests/passes/check-buffers.mlir */
#include "passes/passes.h"

#include "base/limit.h"
#include "ir/location.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/linalg/budget.h"

typedef struct {
    tri_pass_run *run;
    MlirOperation func;
    const tri_budget *budget;
    tri_budget_place place;
    int copies, cores;
} check;

static const char *const place_names[] = {"the unified buffer", "L1 (operands of products)", "L0C (sums of products)"};

static MlirLocation location_of_tensor(MlirValue v)
{
    MlirOperation def = tri_op_def(v);
    return mlirOperationIsNull(def) ? mlirValueGetLocation(v) : mlirOperationGetLocation(def);
}

/* Where a variable that a loop carries was first set, if that has its name; where the value is made. */
static MlirLocation first_location(MlirValue v)
{
    MlirBlock block;
    intptr_t i = 0;
    MlirLocation at = location_of_tensor(v);
    MlirOperation loop = tri_op_def(v);
    if (!mlirOperationIsNull(loop))
        i = mlirOpResultGetResultNumber(v);
    else if (tri_op_is_block_argument(v, &block, &i))
        i--, loop = mlirBlockGetParentOperation(block);
    if (mlirOperationIsNull(loop) || !tri_op_is(loop, "scf.for"))
        return at;
    MlirLocation first = first_location(tri_op_operand(loop, i + 3));
    tri_str name = tri_location_name(mlirOperationIsNull(tri_op_def(v)) ? mlirValueGetLocation(v) : at);
    return name.len && tri_str_equal(name, tri_location_name(first)) ? first : at;
}

/* The variable that a value is, or is part of: the name of the nearest value that is made of it. */
static tri_str name_of_tensor(MlirValue v, int depth, bool *out_is_part)
{
    tri_str name = tri_location_name(location_of_tensor(v));
    if (name.len || !depth)
        return name;
    *out_is_part = true;
    for (MlirOpOperand use = mlirValueGetFirstUse(v); !name.len && !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        name = tri_location_name(mlirOperationGetLocation(op));
        for (intptr_t i = 0; !name.len && i < mlirOperationGetNumResults(op); i++)
            name = name_of_tensor(tri_op_result(op, i), depth - 1, out_is_part);
    }
    return name;
}

/* The array that a block is copied from, if it is one of the kernel's. */
static tri_str name_of_source(MlirValue block, int depth)
{
    tri_str name = {0};
    for (MlirOpOperand use = mlirValueGetFirstUse(block); !name.len && !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        if (depth && tri_op_is(op, "memref.subview"))
            name = name_of_source(tri_op_result(op, 0), depth - 1);
        if (!tri_op_is(op, "memref.copy") || mlirOpOperandGetOperandNumber(use) != 1)
            continue;
        MlirValue from = tri_op_operand(op, 0);
        while (!mlirOperationIsNull(tri_op_def(from)) && mlirOperationGetNumOperands(tri_op_def(from)))
            from = tri_op_operand(tri_op_def(from), 0);
        name = tri_location_name(mlirValueGetLocation(from));
    }
    return name;
}

/* "'a'", "a block of 'a_ptr'", "a part of 'sum'"; or nothing */
static tri_str words_of_tensor(const check *c, MlirValue v)
{
    enum { steps = 8 }; /* of operations behind a value */
    bool is_part = false;
    tri_str name = tri_location_name(location_of_tensor(v)), source = name_of_source(v, 2);
    bool is_source = !name.len && source.len;
    if (is_source)
        name = source;
    else
        name = name_of_tensor(v, steps, &is_part);
    return name.len ? tri_str_format(c->run->arena, "%s'%.*s'",
                                     is_source ? "a block of " : is_part ? "a part of " : "", TRI_STR_ARG(name))
                    : name;
}

static void describe_tensor(const check *c, const tri_budget_block *block, int64_t bytes)
{
    tri_diag *diag = c->run->unit->diag;
    MlirType type = mlirValueGetType(block->value);
    tri_str name = words_of_tensor(c, block->value);
    tri_buf text = {0};
    if (name.len)
        tri_buf_format(&text, "%.*s, ", TRI_STR_ARG(name));
    for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
        tri_buf_format(&text, d ? "x%lld" : "%lld", (long long)mlirShapedTypeGetDimSize(type, d));
    tri_buf_format(&text, "%s elements of %u bits", mlirShapedTypeGetRank(type) ? "" : "1",
                   tri_type_bits(mlirShapedTypeGetElementType(type)));
    if (block->is_copied && c->copies > 1)
        tri_buf_format(&text, "%s", ", twice, for it is copied in a loop");
    tri_diag_note(diag, tri_location_span(diag, first_location(block->value)), "%lld bytes for %s", (long long)bytes,
                  text.data);
    tri_buf_fini(&text);
}

typedef TRI_VEC(const tri_budget_block *) block_list;

/* What lies there at a point, the largest first; `out_total` is the sum. */
static block_list list_tensors(const check *c, int64_t point, int64_t *out_total)
{
    block_list list = {0};
    *out_total = 0;
    for (size_t i = 0; i < c->budget->blocks.len; i++) {
        const tri_budget_block *block = &c->budget->blocks.at[i];
        int64_t bytes = tri_budget_bytes(block, c->place, c->copies, point);
        if (!bytes)
            continue;
        *out_total += bytes;
        tri_vec_push(c->run->arena, &list, block);
        size_t at = list.len - 1;
        for (; at && tri_budget_bytes(list.at[at - 1], c->place, c->copies, point) < bytes; at--)
            list.at[at] = list.at[at - 1];
        list.at[at] = block;
    }
    return list;
}

/* "; the largest are 'a', 'b'" */
static void name_largest(const check *c, const block_list *list, tri_buf *out)
{
    enum { max_named = 4 };
    tri_str named[max_named];
    size_t count = 0;
    for (size_t i = 0; i < list->len && count < max_named; i++) {
        bool is_new = true;
        tri_str name = words_of_tensor(c, list->at[i]->value);
        for (size_t j = 0; j < count; j++)
            is_new &= !tri_str_equal(named[j], name);
        if (name.len && is_new)
            named[count++] = name;
    }
    for (size_t i = 0; i < count; i++)
        tri_buf_format(out, "%s%.*s", i ? ", " : count > 1 ? "; the largest are " : "; the largest is ",
                       TRI_STR_ARG(named[i]));
}

static void describe_largest(const check *c, const block_list *list, int64_t point, int64_t total)
{
    enum { max_shown = 6, least_part = 32 };
    int64_t shown = 0;
    size_t n = 0;
    for (; n < list->len && n < max_shown; n++) {
        int64_t bytes = tri_budget_bytes(list->at[n], c->place, c->copies, point);
        if (bytes * least_part < total)
            break;
        describe_tensor(c, list->at[n], bytes);
        shown += bytes;
    }
    if (n < list->len)
        tri_diag_note(c->run->unit->diag, TRI_NO_SPAN, "%lld bytes for %zu more", (long long)(total - shown),
                      list->len - n);
}

/* The operation at a point: where the last of the tensors that lie there is made. */
static MlirLocation location_at(const check *c, int64_t point)
{
    MlirLocation at = mlirOperationGetLocation(c->func);
    for (size_t i = 0; i < c->budget->blocks.len; i++) {
        tri_position unused;
        const tri_budget_block *b = &c->budget->blocks.at[i];
        if (tri_budget_bytes(b, c->place, c->copies, point) &&
            tri_location_position(location_of_tensor(b->value), &unused))
            at = location_of_tensor(b->value);
    }
    return at;
}

static void advise_tensors(const check *c, int64_t limit)
{
    int64_t unused;
    tri_diag *diag = c->run->unit->diag;
    int64_t once = tri_budget_most(c->budget, c->run->arena, c->place, 1, &unused);
    if (c->cores > 1)
        tri_diag_note(diag, TRI_NO_SPAN, "two vector cores share a program with products: each holds half of this");
    if (once <= limit * c->cores)
        tri_diag_note(diag, TRI_NO_SPAN,
                      "smaller blocks help; or -Xbishengir=--enable-auto-multi-buffer=false, "
                      "with which it is %lld bytes",
                      (long long)once);
    else
        tri_diag_note(diag, TRI_NO_SPAN, "smaller blocks help, or one of these tensors in pieces, by a loop");
}

static void report_tensors(const check *c, int64_t need, int64_t limit, int64_t point)
{
    int64_t total;
    tri_buf text = {0};
    block_list list = list_tensors(c, point, &total);
    tri_diag *diag = c->run->unit->diag;
    tri_buf_format(&text, "'%.*s' needs at least %lld bytes of %s, which has %lld", TRI_STR_ARG(tri_op_symbol(c->func)),
                   (long long)need, place_names[c->place], (long long)limit);
    name_largest(c, &list, &text);
    tri_diag_set_limit(diag, place_names[c->place], need, limit * c->cores);
    tri_location_error(diag, location_at(c, point), 6003, tri_buf_str(&text));
    tri_buf_fini(&text);
    describe_largest(c, &list, point, total);
    advise_tensors(c, limit);
}

static bool check_place(check *c, tri_budget_place place, int64_t limit)
{
    int64_t point;
    tri_pass_run *run = c->run;
    tri_diag *diag = run->unit->diag;
    c->place = place;
    c->cores = place == TRI_BUDGET_VECTOR && c->budget->has_product ? 2 : 1;
    int64_t need = tri_budget_most(c->budget, run->arena, place, c->copies, &point);
    tri_str name = tri_op_symbol(c->func);
    if (need > 0)
        tri_diag_remark(diag, tri_op_span(diag, c->func), "buffers",
                        "the tensors of '%.*s' take at least %lld bytes of %s at once", TRI_STR_ARG(name),
                        (long long)need, place_names[place]);
    if (!limit || need <= limit * c->cores)
        return true;
    report_tensors(c, need, limit, point);
    return false;
}

static bool run_check_buffers(tri_pass_run *run)
{
    static const char *const limits[] = {"max-bytes", "operand-bytes", "sum-bytes"};
    tri_op_list funcs = {0};
    bool ok = true;
    tri_op_collect_named(mlirModuleGetOperation(run->module), "func.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        tri_budget budget;
        check c = {run, funcs.at[i], &budget, TRI_BUDGET_VECTOR, (int)tri_passes_option_int(run, "copies", 1), 1};
        tri_budget_init(&budget, run->arena, funcs.at[i]);
        for (int p = 0; p < TRI_BUDGET_PLACES; p++)
            ok = check_place(&c, (tri_budget_place)p, tri_passes_option_int(run, limits[p], 0)) && ok;
    }
    return ok;
}

const tri_pass tri_pass_check_buffers = {
    .name = "check-buffers",
    .help = "do the tensors of a program fit the memories of an NPU?",
    .options = (const char *const[]){"max-bytes=N: of the unified buffer (no limit)",
                                     "operand-bytes=N: of what products read (no limit)",
                                     "sum-bytes=N: of what products make (no limit)",
                                     "copies=N: how often a tensor lies there that a loop copies (1)", NULL},
    .run = run_check_buffers,
};
