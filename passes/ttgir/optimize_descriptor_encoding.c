/* Gives every tensor descriptor the layout of the buffers that its blocks travel through.
 *
 *     %d = tt.make_tensor_descriptor ... : <f16>, <128x64xf16>           ... : <f16>, <128x64xf16, #shared>
 *     %v = tt.descriptor_load %d[...] : !tt.tensordesc<128x64xf16>       ... : !tt.tensordesc<128x64xf16, #shared>
 *     %b = ttg.local_alloc %v : ... -> !ttg.memdesc<..., #shared>
 *
 * Needs: ttgir. Descriptors that may be the same value, through loops, conditionals, branches and selects, get one
 * layout: that of the first buffer in program order that one of their blocks is stored to right after it is loaded,
 * when its rows are the descriptor's, else the widest swizzle that divides a row. Descriptors that have a layout keep
 * it. On AMD's GPUs buffers are padded: as the operand of a product that the block becomes wants it, else behind each
 * row.
 * Answers to triton-nvidia-optimize-descriptor-encoding and tritonamdgpu-optimize-descriptor-encoding.
 * Test: tests/passes/optimize-descriptor-encoding.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/op.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/padding.h"
#include "passes/analysis/tensormaps.h"

#include "mlir-c/BuiltinAttributes.h"

/* A descriptor value and the class of values it belongs to, as a tree of indices. */
typedef struct {
    MlirValue value;
    size_t parent;
    MlirAttribute wanted; /* of the class, at its root; null: nothing asks */
} node;

typedef struct {
    tri_arena *arena;
    tri_map index; /* MlirValue.ptr -> number + 1 */
    TRI_VEC(node) nodes;
    bool is_padded; /* AMD's buffers */
} classes;

static bool is_plain_desc(MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    return tri_type_is_desc(type) && mlirAttributeIsNull(tri_type_encoding(tri_type_desc_block(type)));
}

static size_t find_encodings(classes *c, MlirValue value)
{
    uintptr_t number = (uintptr_t)tri_map_find_ptr(&c->index, value.ptr);
    if (!number) {
        node alone = {value, c->nodes.len, {NULL}};
        tri_vec_push(c->arena, &c->nodes, alone);
        number = c->nodes.len;
        tri_map_set_ptr(&c->index, value.ptr, (void *)number);
    }
    size_t i = number - 1;
    while (c->nodes.at[i].parent != i)
        i = c->nodes.at[i].parent = c->nodes.at[c->nodes.at[i].parent].parent;
    return i;
}

static void unite(classes *c, MlirValue x, MlirValue y)
{
    if (!is_plain_desc(x) || !is_plain_desc(y))
        return;
    size_t a = find_encodings(c, x), b = find_encodings(c, y);
    if (a < b)
        c->nodes.at[b].parent = a;
    else
        c->nodes.at[a].parent = b;
}

/* The values that a region's terminator hands over become results (and, of loops, arguments). */
static void unite_loop(classes *c, MlirOperation op)
{
    bool is_for = tri_op_is(op, "scf.for");
    intptr_t count = mlirOperationGetNumOperands(op) - (is_for ? 3 : 0), n;
    for (int r = 0; r < mlirOperationGetNumRegions(op); r++) {
        MlirBlock body = tri_op_body(op, r);
        MlirOperation end = mlirBlockGetTerminator(body);
        n = mlirBlockGetNumArguments(body) - is_for;
        for (intptr_t i = 0; i < n && (is_for || r == 0); i++)
            if (i < count)
                unite(c, tri_op_operand(op, i + (is_for ? 3 : 0)), mlirBlockGetArgument(body, i + is_for));
        bool is_condition = tri_op_is(end, "scf.condition");
        MlirBlock to = is_for || is_condition ? tri_op_body(op, is_for ? 0 : 1) : tri_op_body(op, 0);
        for (intptr_t i = is_condition; i < mlirOperationGetNumOperands(end); i++) {
            MlirValue value = tri_op_operand(end, i);
            intptr_t k = i - is_condition;
            unite(c, value, mlirBlockGetArgument(to, k + is_for));
            if (is_for || is_condition)
                unite(c, value, tri_op_result(op, k));
        }
    }
}

static void unite_if(classes *c, MlirOperation op)
{
    for (int r = 0; r < mlirOperationGetNumRegions(op); r++) {
        if (mlirBlockIsNull(tri_op_body(op, r)))
            continue;
        MlirOperation end = mlirBlockGetTerminator(tri_op_body(op, r));
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
            unite(c, tri_op_operand(end, i), tri_op_result(op, i));
    }
}

static void unite_branch(classes *c, MlirOperation op)
{
    intptr_t first = tri_op_is(op, "cf.cond_br"), at = first;
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); s++) {
        MlirBlock to = mlirOperationGetSuccessor(op, s);
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(to); i++)
            unite(c, tri_op_operand(op, at++), mlirBlockGetArgument(to, i));
    }
}

static void visit_encodings(classes *c, MlirOperation op)
{
    if (tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while"))
        unite_loop(c, op);
    else if (tri_op_is(op, "scf.if"))
        unite_if(c, op);
    else if (tri_op_is(op, "cf.br") || tri_op_is(op, "cf.cond_br"))
        unite_branch(c, op);
    else if (tri_op_is(op, "arith.select")) {
        unite(c, tri_op_operand(op, 1), tri_op_result(op, 0));
        unite(c, tri_op_operand(op, 2), tri_op_result(op, 0));
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (is_plain_desc(tri_op_result(op, i)))
            find_encodings(c, tri_op_result(op, i));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) /* arguments, too */
        if (is_plain_desc(tri_op_operand(op, i)))
            find_encodings(c, tri_op_operand(op, i));
}

/* ---- what the users of a block want ---- */

static bool fits(tri_arena *arena, int rank, MlirAttribute encoding)
{
    const tri_encoding *e = tri_encoding_get(arena, encoding);
    return e && e->kind == TRI_ENC_NVMMA_SHARED && e->rank == rank && !e->nvmma.is_transposed &&
           !e->nvmma.is_fp4_padded;
}

/* All users convert the block to operands that want the same padding. */
static void note_padding(classes *c, MlirOperation load)
{
    MlirValue desc = tri_op_operand(load, 0), block = tri_op_result(load, 0);
    const tri_encoding *e = tri_dots_encoding(c->arena, block);
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    MlirAttribute wanted = {NULL};
    int rank = tri_dots_shape(mlirValueGetType(block), shape);
    if (!is_plain_desc(desc) || !e || rank != 2)
        return;
    tri_convert_order_for_memory(e, rank, shape, order);
    MlirOpOperand use = mlirValueGetFirstUse(block);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        const tri_encoding *dot = tri_dots_operand_below(c->arena, mlirOpOperandGetOwner(use));
        if (!dot)
            return;
        MlirAttribute padding =
            tri_padding_of_operand(dot->dot_op.op_idx, dot->dot_op.k_width, mlirValueGetType(block), order);
        if (mlirAttributeIsNull(padding) || (!mlirAttributeIsNull(wanted) && !mlirAttributeEqual(wanted, padding)))
            return;
        wanted = padding;
    }
    c->nodes.at[find_encodings(c, desc)].wanted = wanted;
}

static void note_wish(classes *c, MlirOperation load)
{
    MlirValue desc = tri_op_operand(load, 0), block = tri_op_result(load, 0);
    MlirType type = mlirValueGetType(desc);
    int rank = tri_type_rank(mlirValueGetType(block));
    if (!is_plain_desc(desc) || tri_tensormaps_dropped(tri_type_desc_block(type), mlirValueGetType(block)) < 0)
        return;
    node *root = &c->nodes.at[find_encodings(c, desc)];
    MlirOpOperand use = mlirValueGetFirstUse(block);
    for (; !mlirOpOperandIsNull(use) && mlirAttributeIsNull(root->wanted); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        tri_memdesc buffer;
        if (tri_op_is(user, "ttg.local_alloc") &&
            tri_type_get_memdesc(mlirValueGetType(tri_op_result(user, 0)), &buffer) &&
            fits(c->arena, rank, buffer.encoding))
            root->wanted = tri_tensormaps_with_rank(buffer.encoding, tri_type_rank(tri_type_desc_block(type)));
    }
}

static void assign(classes *c)
{
    for (size_t i = 0; i < c->nodes.len; i++) {
        MlirValue value = c->nodes.at[i].value;
        MlirType block = tri_type_desc_block(mlirValueGetType(value));
        MlirAttribute encoding = c->nodes.at[find_encodings(c, value)].wanted;
        if (mlirAttributeIsNull(encoding))
            encoding = c->is_padded ? tri_padding_of_rows(block) : tri_tensormaps_encoding(block);
        tri_op_set_type(value, tri_type_desc(tri_type_with_encoding(block, encoding)));
    }
}

/* A function's type repeats those of its arguments. */
static void update_function(MlirOperation func)
{
    MlirBlock entry = tri_op_body(func, 0);
    MlirType type = mlirTypeAttrGetValue(tri_op_attr(func, "function_type")), inputs[256], results[256];
    intptr_t n = mlirFunctionTypeGetNumInputs(type), m = mlirFunctionTypeGetNumResults(type);
    if (mlirBlockIsNull(entry) || n > 256 || m > 256)
        return;
    for (intptr_t i = 0; i < n; i++)
        inputs[i] = mlirValueGetType(mlirBlockGetArgument(entry, i));
    for (intptr_t i = 0; i < m; i++)
        results[i] = mlirFunctionTypeGetResult(type, i);
    MlirContext context = mlirOperationGetContext(func);
    tri_builder_set_attr(func, "function_type", tri_attr_type(mlirFunctionTypeGet(context, n, inputs, m, results)));
}

static void remark(tri_pass_run *run, MlirOperation op)
{
    if (tri_op_is(op, "tt.make_tensor_descriptor"))
        tri_diag_remark(run->unit->diag, tri_op_span(run->unit->diag, op), "tma",
                        "the descriptor becomes a tensor map; its blocks travel by bulk copies");
}

static bool run_optimize_descriptor_encoding(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    const tri_machine_facts *facts = tri_machines_of(module);
    bool is_amd = facts->mma == TRI_MMA_MFMA || facts->mma == TRI_MMA_WMMA;
    tri_op_list funcs = {0};
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t f = 0; f < funcs.len; f++) {
        classes c = {.arena = run->arena, .is_padded = is_amd};
        tri_op_list ops = {0};
        tri_map_init(&c.index, run->arena);
        tri_op_collect(funcs.at[f], run->arena, &ops);
        MlirBlock entry = tri_op_body(funcs.at[f], 0);
        for (intptr_t i = 0; !mlirBlockIsNull(entry) && i < mlirBlockGetNumArguments(entry); i++)
            if (is_plain_desc(mlirBlockGetArgument(entry, i)))
                find_encodings(&c, mlirBlockGetArgument(entry, i));
        for (size_t i = 0; i < ops.len; i++) {
            visit_encodings(&c, ops.at[i]);
            remark(run, ops.at[i]);
        }
        for (size_t i = 0; i < ops.len; i++)
            if (is_amd && tri_op_is(ops.at[i], "tt.descriptor_load"))
                note_padding(&c, ops.at[i]);
            else if (tri_op_is(ops.at[i], "tt.descriptor_load") || tri_op_is(ops.at[i], "tt.descriptor_gather"))
                note_wish(&c, ops.at[i]);
        assign(&c);
        update_function(funcs.at[f]);
    }
    return true;
}

const tri_pass tri_pass_optimize_descriptor_encoding = {
    .name = "optimize-descriptor-encoding",
    .help = "give tensor descriptors the layout of the buffers their blocks travel through",
    .alias = "triton-nvidia-optimize-descriptor-encoding,tritonamdgpu-optimize-descriptor-encoding",
    .run = run_optimize_descriptor_encoding,
};
