/* scf: structured control flow as blocks and phis. */
#include "ir/encoding.h"
#include "ir/type.h"
#include "targets/gpu/access.h"
#include "targets/gpu/bases.h"
#include "targets/gpu/gpu.h"
#include "targets/loops.h"

/* ---- lists of values that cross blocks ---- */

typedef struct {
    int count;
    tri_gpu_value *at;
} value_list;

static value_list new_list(tri_gpu *g, int count)
{
    return (value_list){count, TRI_NEW_ARRAY(g->arena, tri_gpu_value, count ? count : 1)};
}

/* Operands [from, end) of an op. */
static value_list operands_from(tri_gpu *g, MlirOperation op, int from)
{
    int n = (int)mlirOperationGetNumOperands(op) - from;
    value_list list = new_list(g, n);
    for (int i = 0; i < n; i++)
        list.at[i] = tri_gpu_operand(g, op, from + i);
    return list;
}

/* Phis of the same shape as `like`, without incoming edges. */
static value_list make_phis(tri_gpu *g, value_list like)
{
    value_list phis = new_list(g, like.count);
    for (int i = 0; i < like.count; i++) {
        phis.at[i] = tri_gpu_new(g, like.at[i].count);
        for (int r = 0; r < like.at[i].count; r++)
            phis.at[i].at[r] = LLVMBuildPhi(g->b, LLVMTypeOf(like.at[i].at[r]), "");
    }
    return phis;
}

static void add_edge(value_list phis, value_list values, LLVMBasicBlockRef from)
{
    for (int i = 0; i < phis.count; i++)
        for (int r = 0; r < phis.at[i].count; r++)
            LLVMAddIncoming(phis.at[i].at[r], &values.at[i].at[r], &from, 1);
}

/* ---- what loops carry ---- */

/* How a value goes around a loop: where the machine says so, elements of 8 or 16 bits in words, and pointers into an
 * array of less than 2 GiB as offsets from its base, sums of the matrix unit in vectors. */
typedef struct {
    int count; /* of the elements, when they become words; else 0 */
    tri_gpu_packing words;
    LLVMValueRef base;          /* of pointers that become offsets; else null */
    int joined;                 /* elements of a vector; 0: they go alone */
    const tri_gpu_value *slice; /* of a buffer's descriptor, of which the base alone goes around; else null */
} carried_form;

/* Sums of the matrix unit, whose instructions want them side by side. */
static int plan_joined(tri_gpu *g, MlirType type)
{
    int n = g->machine->joined_sums;
    MlirAttribute encoding = n && tri_type_is_tensor(type) ? tri_type_encoding(type) : (MlirAttribute){NULL};
    const tri_encoding *e = mlirAttributeIsNull(encoding) ? NULL : tri_encoding_get(g->arena, encoding);
    bool is_number = tri_type_is_tensor(type) && !tri_type_is_ptr(tri_type_element(type)) &&
                     tri_type_bits(tri_type_element(type)) == 32;
    return is_number && e && e->kind == TRI_ENC_INTEL_DPAS && tri_gpu_count(g, type) % n == 0 ? n : 0;
}

/* An operand of the matrix unit: it takes words, of whatever they are made. */
static bool is_operand(tri_gpu *g, MlirType type)
{
    MlirAttribute encoding = tri_type_is_tensor(type) ? tri_type_encoding(type) : (MlirAttribute){NULL};
    return !mlirAttributeIsNull(encoding) && tri_encoding_get(g->arena, encoding)->kind == TRI_ENC_DOT_OP;
}

/* A value of `count` elements. */
static bool plan_words(tri_gpu *g, MlirType type, LLVMTypeRef element, int count, tri_gpu_packing *out)
{
    LLVMTypeKind kind = LLVMGetTypeKind(element);
    bool is_number = kind == LLVMIntegerTypeKind || kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
    unsigned bits = is_number ? tri_gpu_bits(g, element) : 0;
    if (count < 2 || (bits != 8 && bits != 16) || (unsigned)count * bits % 32 ||
        (bits > (unsigned)g->machine->packed_bits && !is_operand(g, type)))
        return false;
    *out = tri_gpu_plan_packing(g, element, count);
    return true;
}

/* Whether a pointer is only moved, read and written through: then it may be another one modulo 2^32. */
static bool is_only_address(MlirValue pointer, int depth)
{
    static const char *const moves[] = {"tt.addptr", "tt.broadcast", "tt.expand_dims", "tt.splat",
                                        "ttg.convert_layout"};
    static const char *const ends[] = {"tt.load", "scf.yield", "tt.atomic_rmw", "tt.atomic_cas"};
    MlirOpOperand use = mlirValueGetFirstUse(pointer);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        bool is_move = false, is_end = tri_op_is(user, "tt.store") && mlirOpOperandGetOperandNumber(use) == 0;
        for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
            is_move |= tri_op_is(user, moves[i]);
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            is_end |= tri_op_is(user, ends[i]);
        if (!is_end && (!is_move || depth == 0 || !is_only_address(tri_op_result(user, 0), depth - 1)))
            return false;
    }
    return true;
}

/* A descriptor whose place in its buffer is known. */
static const tri_gpu_value *plan_slice(MlirType type, const tri_gpu_value *value)
{
    tri_memdesc desc;
    bool is_known = tri_type_get_memdesc(type, &desc) && value->count > 1;
    for (int i = 1; i < value->count; i++)
        is_known = is_known && LLVMIsAConstantInt(value->at[i]);
    return is_known ? value : NULL;
}

static carried_form *plan_carried(tri_gpu *g, MlirOperation loop, value_list init)
{
    enum { far = 16 };
    carried_form *forms = TRI_NEW_ARRAY(g->arena, carried_form, init.count + 1);
    for (int i = 0; i < init.count; i++) {
        MlirValue argument = mlirBlockGetArgument(tri_op_body(loop, 0), 1 + i);
        MlirType type = mlirValueGetType(argument);
        forms[i].joined = plan_joined(g, type);
        forms[i].slice = plan_slice(type, &init.at[i]);
        if (!g->machine->packed_bits)
            continue;
        if (init.at[i].count && plan_words(g, type, LLVMTypeOf(init.at[i].at[0]), init.at[i].count, &forms[i].words))
            forms[i].count = init.at[i].count;
        else if (g->machine->carries_offsets &&
                 tri_type_is_ptr(tri_type_is_tensor(type) ? tri_type_element(type) : type) &&
                 is_only_address(argument, far) && is_only_address(mlirOperationGetResult(loop, i), far))
            forms[i].base = tri_gpu_access_base(g, argument);
    }
    return forms;
}

static value_list pack_carried(tri_gpu *g, const carried_form *forms, value_list list)
{
    value_list out = new_list(g, list.count);
    for (int i = 0; i < list.count; i++) {
        out.at[i] = list.at[i];
        if (forms[i].slice) {
            out.at[i] = tri_gpu_single(g, list.at[i].at[0]);
        } else if (forms[i].count) {
            out.at[i] = tri_gpu_new(g, forms[i].words.words);
            tri_gpu_pack(g, &forms[i].words, list.at[i].at, out.at[i].at);
        } else if (forms[i].base) {
            out.at[i] = tri_gpu_new(g, list.at[i].count);
            for (int r = 0; r < list.at[i].count; r++)
                out.at[i].at[r] = tri_gpu_access_offset(g, forms[i].base, list.at[i].at[r]);
        } else if (forms[i].joined) {
            out.at[i] = tri_gpu_new(g, list.at[i].count / forms[i].joined);
            for (int v = 0; v < out.at[i].count; v++)
                out.at[i].at[v] = tri_gpu_join(g, list.at[i].at + v * forms[i].joined, forms[i].joined, 1);
        }
    }
    return out;
}

static value_list unpack_carried(tri_gpu *g, const carried_form *forms, value_list packed)
{
    value_list out = new_list(g, packed.count);
    for (int i = 0; i < packed.count; i++) {
        out.at[i] = packed.at[i];
        if (forms[i].slice) {
            out.at[i] = tri_gpu_new(g, forms[i].slice->count);
            memcpy(out.at[i].at, forms[i].slice->at, sizeof *out.at[i].at * (size_t)out.at[i].count);
            out.at[i].at[0] = packed.at[i].at[0];
        } else if (forms[i].count) {
            out.at[i] = tri_gpu_new(g, forms[i].count);
            tri_gpu_unpack(g, &forms[i].words, packed.at[i].at, out.at[i].at);
        } else if (forms[i].base) {
            out.at[i] = tri_gpu_new(g, packed.at[i].count);
            for (int r = 0; r < packed.at[i].count; r++)
                out.at[i].at[r] = tri_gpu_offset(g, forms[i].base, LLVMBuildZExt(g->b, packed.at[i].at[r], g->i64, ""));
        } else if (forms[i].joined) {
            out.at[i] = tri_gpu_new(g, packed.at[i].count * forms[i].joined);
            for (int v = 0; v < packed.at[i].count; v++)
                tri_gpu_split(g, packed.at[i].at[v], out.at[i].at + v * forms[i].joined);
        }
    }
    return out;
}

/* The next trip's slices are at the same places of their buffers. */
static bool keeps_slices(tri_gpu *g, MlirOperation op, const carried_form *forms, value_list next)
{
    for (int i = 0; i < next.count; i++)
        for (int r = 1; forms[i].slice && r < next.at[i].count; r++)
            if (next.at[i].at[r] != forms[i].slice->at[r])
                return tri_gpu_unsupported(g, op, "a slice of a buffer is at another place in the next trip");
    return true;
}

static void bind_results(tri_gpu *g, MlirOperation op, value_list values)
{
    for (int i = 0; i < (int)mlirOperationGetNumResults(op); i++)
        tri_gpu_set_result(g, op, i, values.at[i]);
}

static void bind_arguments(tri_gpu *g, MlirBlock block, int first, value_list values)
{
    for (int i = 0; i < values.count; i++)
        tri_gpu_set(g, mlirBlockGetArgument(block, first + i), values.at[i]);
}

/* Everything of a region's block but its terminator, which is returned. */
static bool lower_body(tri_gpu *g, MlirBlock block, MlirOperation *out_end)
{
    *out_end = mlirBlockGetTerminator(block);
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, *out_end);
         op = mlirOperationGetNextInBlock(op))
        if (!tri_gpu_lower_op(g, op))
            return false;
    return true;
}

/* Notes the block in front of a loop, unless there is a loop around it. Returns what to set afterwards. */
static LLVMBasicBlockRef enter_loop(tri_gpu *g, LLVMBasicBlockRef before)
{
    LLVMBasicBlockRef outer = g->front;
    if (!outer)
        g->front = before;
    return outer;
}

/* ---- scf.for: a guard, then a loop that tests at its end ---- */

static bool run_for(tri_gpu *g, MlirOperation op)
{
    LLVMValueRef lower = tri_gpu_operand(g, op, 0).at[0], upper = tri_gpu_operand(g, op, 1).at[0];
    LLVMValueRef step = tri_gpu_operand(g, op, 2).at[0];
    LLVMIntPredicate less = tri_op_flag(op, "unsignedCmp") ? LLVMIntULT : LLVMIntSLT;
    value_list init = operands_from(g, op, 3);
    const carried_form *forms = plan_carried(g, op, init);
    value_list init_words = pack_carried(g, forms, init);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b);
    LLVMBasicBlockRef body = tri_gpu_block(g, "for"), exit = tri_gpu_block(g, "for.end");
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, less, lower, upper, ""), body, exit);
    LLVMBasicBlockRef outer_front = enter_loop(g, before);

    tri_gpu_at_end(g, body);
    LLVMValueRef iv = LLVMBuildPhi(g->b, LLVMTypeOf(lower), "");
    LLVMAddIncoming(iv, &lower, &before, 1);
    value_list words = make_phis(g, init_words), phis = unpack_carried(g, forms, words);
    add_edge(words, init_words, before);
    MlirBlock block = tri_op_body(op, 0);
    tri_gpu_set(g, mlirBlockGetArgument(block, 0), tri_gpu_single(g, iv));
    bind_arguments(g, block, 1, phis);
    MlirOperation end;
    if (!lower_body(g, block, &end))
        return false;
    value_list next = operands_from(g, end, 0), next_words = pack_carried(g, forms, next);
    if (!keeps_slices(g, end, forms, next))
        return false;
    /* the loop runs while iv + step < upper, and the source forbids the sum to wrap before that */
    LLVMValueRef next_iv = less == LLVMIntSLT ? LLVMBuildNSWAdd(g->b, iv, step, "") : LLVMBuildAdd(g->b, iv, step, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(g->b);
    tri_loops_annotate(op, LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, less, next_iv, upper, ""), body, exit));
    LLVMAddIncoming(iv, &next_iv, &latch, 1);
    add_edge(words, next_words, latch);

    g->front = outer_front;
    LLVMMoveBasicBlockAfter(exit, latch);
    tri_gpu_at_end(g, exit);
    value_list results = make_phis(g, init_words);
    add_edge(results, init_words, before);
    add_edge(results, next_words, latch);
    bind_results(g, op, unpack_carried(g, forms, results));
    for (int i = 0; i < phis.count; i++)
        tri_bases_share(g, &init.at[i], &phis.at[i], &next.at[i]);
    tri_gpu_renew_threads(g, op);
    return true;
}

/* ---- scf.if ---- */

static carried_form *plan_results(tri_gpu *g, MlirOperation op)
{
    int count = (int)mlirOperationGetNumResults(op);
    carried_form *forms = TRI_NEW_ARRAY(g->arena, carried_form, count + 1);
    for (int i = 0; i < count; i++) {
        MlirType type = mlirValueGetType(tri_op_result(op, i));
        int elements = tri_gpu_count(g, type);
        forms[i].joined = plan_joined(g, type);
        if (g->machine->packed_bits && is_operand(g, type) &&
            plan_words(g, type, tri_gpu_part_type(g, type, 0), elements, &forms[i].words))
            forms[i].count = elements;
    }
    return forms;
}

static bool lower_branch(tri_gpu *g, MlirOperation op, int region, const carried_form *forms, LLVMBasicBlockRef block,
                         LLVMBasicBlockRef join, value_list *out_values, LLVMBasicBlockRef *out_end)
{
    tri_gpu_at_end(g, block);
    MlirOperation end;
    if (!lower_body(g, tri_op_body(op, region), &end))
        return false;
    *out_values = pack_carried(g, forms, operands_from(g, end, 0));
    *out_end = LLVMGetInsertBlock(g->b);
    LLVMBuildBr(g->b, join);
    return true;
}

static bool run_if(tri_gpu *g, MlirOperation op)
{
    LLVMValueRef cond = tri_gpu_operand(g, op, 0).at[0];
    bool has_else = !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1)));
    LLVMBasicBlockRef then = tri_gpu_block(g, "if"), join = tri_gpu_block(g, "if.end");
    LLVMBasicBlockRef otherwise = has_else ? tri_gpu_block(g, "else") : join;
    LLVMBuildCondBr(g->b, cond, then, otherwise);
    const carried_form *forms = plan_results(g, op);
    value_list then_values, else_values;
    LLVMBasicBlockRef then_end, else_end;
    if (!lower_branch(g, op, 0, forms, then, join, &then_values, &then_end))
        return false;
    if (has_else) {
        LLVMMoveBasicBlockAfter(otherwise, then_end);
        if (!lower_branch(g, op, 1, forms, otherwise, join, &else_values, &else_end))
            return false;
    }
    LLVMMoveBasicBlockAfter(join, LLVMGetInsertBlock(g->b));
    tri_gpu_at_end(g, join);
    if (mlirOperationGetNumResults(op) == 0)
        return true;
    value_list results = make_phis(g, then_values);
    add_edge(results, then_values, then_end);
    add_edge(results, else_values, else_end);
    bind_results(g, op, unpack_carried(g, forms, results));
    return true;
}

/* ---- scf.while ---- */

static bool run_while(tri_gpu *g, MlirOperation op)
{
    value_list init = operands_from(g, op, 0);
    LLVMBasicBlockRef enter = LLVMGetInsertBlock(g->b);
    LLVMBasicBlockRef before = tri_gpu_block(g, "while"), after = tri_gpu_block(g, "do");
    LLVMBasicBlockRef exit = tri_gpu_block(g, "while.end");
    LLVMBuildBr(g->b, before);
    LLVMBasicBlockRef outer_front = enter_loop(g, enter);
    tri_gpu_at_end(g, before);
    value_list phis = make_phis(g, init);
    add_edge(phis, init, enter);
    MlirBlock test = tri_op_body(op, 0), body = tri_op_body(op, 1);
    bind_arguments(g, test, 0, phis);
    MlirOperation end;
    if (!lower_body(g, test, &end)) /* scf.condition: the condition, then what is passed on */
        return false;
    value_list passed = operands_from(g, end, 1);
    LLVMBuildCondBr(g->b, tri_gpu_operand(g, end, 0).at[0], after, exit);

    LLVMMoveBasicBlockAfter(after, LLVMGetInsertBlock(g->b));
    tri_gpu_at_end(g, after);
    bind_arguments(g, body, 0, passed);
    if (!lower_body(g, body, &end))
        return false;
    value_list next = operands_from(g, end, 0);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(g->b);
    tri_loops_annotate(op, LLVMBuildBr(g->b, before));
    add_edge(phis, next, latch);
    g->front = outer_front;
    LLVMMoveBasicBlockAfter(exit, latch);
    tri_gpu_at_end(g, exit);
    bind_results(g, op, passed);
    return true;
}

/* tt.map_elementwise: the region runs once per `pack` registers. */
static bool run_map(tri_gpu *g, MlirOperation op)
{
    enum { max_values = 64 };
    int pack = (int)tri_op_int(op, "pack", 1);
    int ins = (int)mlirOperationGetNumOperands(op), outs = (int)mlirOperationGetNumResults(op);
    value_list in = operands_from(g, op, 0), out = new_list(g, outs);
    int count = in.at[0].count;
    if (ins * pack > max_values || outs * pack > max_values)
        return tri_gpu_unsupported(g, op, "more than %d values at a time; a smaller pack helps", max_values);
    for (int i = 0; i < outs; i++)
        out.at[i] = tri_gpu_new(g, count);
    for (int r = 0; r < count; r += pack) {
        LLVMValueRef args[max_values], results[max_values];
        for (int i = 0; i < ins; i++)
            for (int p = 0; p < pack; p++)
                args[i * pack + p] = in.at[i].at[r + p < count ? r + p : count - 1]; /* the last one fills up */
        if (!tri_gpu_run_region(g, op, ins * pack, args, outs * pack, results))
            return false;
        for (int i = 0; i < outs; i++)
            for (int p = 0; p < pack && r + p < count; p++)
                out.at[i].at[r + p] = results[i * pack + p];
    }
    bind_results(g, op, out);
    return true;
}

const tri_gpu_op tri_gpu_ops_control[] = {
    {"scf.for", run_for, NULL},
    {"scf.if", run_if, NULL},
    {"scf.while", run_while, NULL},
    {"tt.map_elementwise", run_map, NULL},
    {0},
};
