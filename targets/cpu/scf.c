/* Structured and unstructured control flow, calls, functions.
 *
 * Scalars that cross a region's edge are phis or slots; tensors are buffers, written at the edge. */
#include "targets/cpu/dot.h"
#include "targets/cpu/slices.h"
#include "targets/loops.h"

#include "mlir-c/BuiltinAttributes.h"

enum { max_values = TRI_CPU_MAX_VALUES };

static bool is_tensor(MlirValue v) { return tri_type_is_tensor(mlirValueGetType(v)); }

static LLVMTypeRef scalar_type(tri_cpu_gen *g, MlirType type)
{
    return tri_cpu_llvm_type(g, tri_cpu_type_of(g, type));
}

/* Reports what is beyond the fixed tables of this file. */
static bool fits(tri_cpu_gen *g, MlirOperation op, intptr_t count)
{
    if (count > max_values)
        tri_cpu_fail(g, op, "'%.*s' with more than %d values is not supported on this target",
                     TRI_STR_ARG(tri_op_name(op)), max_values);
    return count <= max_values;
}

static void copy_buffer(tri_cpu_gen *g, MlirType type, LLVMValueRef to, LLVMValueRef from)
{
    tri_cpu_type t = tri_cpu_type_of(g, type);
    int64_t bytes = tri_type_num_elements(type) * (t.bits < 8 ? 1 : t.bits / 8);
    tri_cpu_at(g, 0);
    LLVMBuildMemCpy(g->b, to, 16, from, 16, tri_cpu_i64(g, bytes));
}

/* Writes a tensor value into a buffer: by a copy when it is in memory already. */
static void write_buffer(tri_cpu_gen *g, MlirValue value, LLVMValueRef buffer)
{
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    if (bind && bind->kind == TRI_CPU_BUFFER) {
        if (bind->v != buffer)
            copy_buffer(g, mlirValueGetType(value), buffer, bind->v);
    } else {
        tri_cpu_materialise(g, value, buffer);
    }
}

/* values[i] -> slots[i], all at once: a value that reads a slot (or memory that another value's
 * write changes) goes through a temporary. `args` are what the slots are bound to, or null. */
static void write_all(tri_cpu_gen *g, int n, const MlirValue *values, const MlirValue *args, LLVMValueRef *slots)
{
    LLVMValueRef temps[max_values] = {NULL};
    size_t mark = g->live.len;
    for (int k = 0; k < n; k++) {
        if (!slots[k] || !is_tensor(values[k]) || (args && values[k].ptr == args[k].ptr))
            continue;
        bool is_direct = true;
        for (int j = 0; j < n && args && is_direct; j++) {
            bool other;
            if (slots[j] && is_tensor(values[j]) && tri_cpu_reads(g, values[j], args[k], &other))
                is_direct = j == k && !other;
        }
        if (!is_direct) {
            temps[k] = tri_cpu_alloc(g, mlirValueGetType(values[k]));
            write_buffer(g, values[k], temps[k]);
        }
    }
    for (int k = 0; k < n; k++)
        if (slots[k] && is_tensor(values[k]) && !temps[k] && !(args && values[k].ptr == args[k].ptr))
            write_buffer(g, values[k], slots[k]);
    for (int k = 0; k < n; k++)
        if (temps[k])
            copy_buffer(g, mlirValueGetType(values[k]), slots[k], temps[k]);
    tri_cpu_release(g, mark);
}

/* ---- scf.for ---- */

static LLVMTypeRef delta_type(tri_cpu_gen *g, MlirValue arg)
{
    tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(arg));
    return t.kind == TRI_CPU_PTR ? g->i64 : tri_cpu_llvm_type(g, t);
}

static void bind_carried(tri_cpu_gen *g, MlirValue value, MlirValue init, LLVMValueRef delta)
{
    tri_cpu_bind_kind_of(g, value, TRI_CPU_CARRIED);
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    bind->init = init;
    bind->v = delta;
}

static LLVMValueRef uniform_step(tri_cpu_gen *g, MlirValue step, LLVMTypeRef type)
{
    MlirOperation op = tri_op_def(step);
    tri_cpu_at(g, 0);
    LLVMValueRef v = tri_op_is(op, "tt.splat") ? tri_cpu_scalar(g, tri_op_operand(op, 0)) : tri_cpu_constant(g, op);
    return LLVMBuildIntCast2(g->b, v, type, true, "");
}

static void list_values(tri_cpu_gen *g, MlirOperation op, tri_cpu_loop_values *v)
{
    MlirBlock body = tri_op_body(op, 0);
    MlirOperation yield = mlirBlockGetTerminator(body);
    v->op = op;
    v->n = (int)mlirBlockGetNumArguments(body) - 1;
    for (int i = 0; i < v->n; i++) {
        v->inits[i] = tri_op_operand(op, i + 3);
        v->args[i] = mlirBlockGetArgument(body, i + 1);
        v->steps[i] = tri_cpu_increment(g, op, i);
        v->next[i] = tri_op_operand(yield, i);
        v->is_block[i] = is_tensor(v->args[i]) && mlirValueIsNull(v->steps[i]);
    }
}

static void prepare_blocks(tri_cpu_gen *g, tri_cpu_loop_values *v)
{
    for (int i = 0; i < v->n; i++) {
        if (!v->is_block[i])
            continue;
        v->slots[i] = tri_cpu_queue_sums(g, v->args[i]); /* which are there already */
        if (v->slots[i])
            continue;
        v->slots[i] = tri_cpu_alloc(g, mlirValueGetType(v->args[i]));
        if (!tri_cpu_queue_begin(g, v->op, i, v->slots[i]))
            write_buffer(g, v->inits[i], v->slots[i]);
    }
}

void tri_cpu_loop_first(tri_cpu_gen *g, const tri_cpu_loop_values *v, LLVMValueRef *out)
{
    for (int i = 0; i < v->n; i++)
        if (!v->is_block[i])
            out[i] = is_tensor(v->args[i]) ? LLVMConstNull(delta_type(g, v->args[i]))
                                           : tri_cpu_scalar(g, v->inits[i]);
}

void tri_cpu_loop_phis(tri_cpu_gen *g, const tri_cpu_loop_values *v, const LLVMValueRef *first,
                       LLVMBasicBlockRef before, LLVMValueRef *out)
{
    for (int i = 0; i < v->n; i++) {
        if (v->is_block[i])
            continue;
        LLVMValueRef from = first[i];
        out[i] = LLVMBuildPhi(g->b, LLVMTypeOf(from), "");
        LLVMAddIncoming(out[i], &from, &before, 1);
    }
}

void tri_cpu_loop_bind(tri_cpu_gen *g, const tri_cpu_loop_values *v, const LLVMValueRef *phis)
{
    for (int i = 0; i < v->n; i++) {
        if (v->is_block[i])
            continue;
        if (is_tensor(v->args[i]))
            bind_carried(g, v->args[i], v->inits[i], phis[i]);
        else
            tri_cpu_bind_scalar(g, v->args[i], phis[i]);
    }
}

void tri_cpu_loop_next(tri_cpu_gen *g, const tri_cpu_loop_values *v, const LLVMValueRef *phis, LLVMValueRef *out)
{
    for (int i = 0; i < v->n; i++) {
        if (v->is_block[i])
            continue;
        out[i] = is_tensor(v->args[i])
                     ? LLVMBuildAdd(g->b, phis[i], uniform_step(g, v->steps[i], LLVMTypeOf(phis[i])), "")
                     : tri_cpu_scalar(g, v->next[i]);
    }
}

void tri_cpu_loop_back(const tri_cpu_loop_values *v, LLVMValueRef *phis, LLVMValueRef *values, LLVMBasicBlockRef latch)
{
    for (int i = 0; i < v->n; i++)
        if (!v->is_block[i])
            LLVMAddIncoming(phis[i], &values[i], &latch, 1);
}

void tri_cpu_loop_results(tri_cpu_gen *g, const tri_cpu_loop_values *v, const LLVMValueRef *phis)
{
    for (int i = 0; i < v->n; i++) {
        MlirValue result = tri_op_result(v->op, i);
        if (v->is_block[i])
            tri_cpu_bind_buffer(g, result, v->slots[i]);
        else if (is_tensor(result))
            bind_carried(g, result, v->inits[i], phis[i]);
        else
            tri_cpu_bind_scalar(g, result, phis[i]);
    }
}

/* The loop's body, whose new blocks go to their places. */
static void emit_body(tri_cpu_gen *g, tri_cpu_loop_values *v)
{
    MlirBlock body = tri_op_body(v->op, 0);
    for (int i = 0; i < v->n; i++)
        if (v->is_block[i])
            tri_cpu_bind_buffer(g, v->args[i], v->slots[i]);
    tri_cpu_variables_arguments(g, body);
    size_t mark = g->live.len;
    tri_cpu_block(g, body);
    write_all(g, v->n, v->next, v->args, v->slots);
    tri_cpu_release(g, mark);
}

static void for_op(tri_cpu_gen *g, MlirOperation op)
{
    MlirBlock body = tri_op_body(op, 0);
    LLVMValueRef first[max_values], phis[max_values], values[max_values];
    if (!fits(g, op, mlirBlockGetNumArguments(body) - 1))
        return;
    tri_cpu_loop_values *v = TRI_NEW(g->arena, tri_cpu_loop_values);
    list_values(g, op, v);
    if (tri_cpu_slices_op(g, v))
        return;
    prepare_blocks(g, v);
    LLVMValueRef lb = tri_cpu_scalar(g, tri_op_operand(op, 0)), ub = tri_cpu_scalar(g, tri_op_operand(op, 1));
    LLVMValueRef step = tri_cpu_scalar(g, tri_op_operand(op, 2));
    tri_cpu_loop_first(g, v, first);
    tri_cpu_at(g, 0);
    LLVMBasicBlockRef before = g->at, header = tri_cpu_new_block(g, "for"), inside = tri_cpu_new_block(g, "for_body");
    LLVMBasicBlockRef exit = tri_cpu_new_block(g, "for_end");
    LLVMBuildBr(g->b, header);
    tri_cpu_move(g, 0, header);
    LLVMValueRef iv = LLVMBuildPhi(g->b, LLVMTypeOf(lb), "i");
    LLVMAddIncoming(iv, &lb, &before, 1);
    tri_cpu_loop_phis(g, v, first, before, phis);
    LLVMIntPredicate less = tri_op_flag(op, "unsignedCmp") ? LLVMIntULT : LLVMIntSLT;
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, less, iv, ub, ""), inside, exit);
    tri_cpu_bind_scalar(g, mlirBlockGetArgument(body, 0), iv);
    tri_cpu_loop_bind(g, v, phis);
    tri_cpu_move(g, 0, inside);
    emit_body(g, v);
    tri_cpu_loop_next(g, v, phis, values);
    tri_cpu_at(g, 0);
    LLVMValueRef iv_next = LLVMBuildAdd(g->b, iv, step, "");
    LLVMBasicBlockRef latch = g->at;
    tri_loops_annotate(op, LLVMBuildBr(g->b, header));
    LLVMAddIncoming(iv, &iv_next, &latch, 1);
    tri_cpu_loop_back(v, phis, values, latch);
    tri_cpu_move(g, 0, exit);
    tri_cpu_queue_end(g, op);
    tri_cpu_loop_results(g, v, phis);
}

/* ---- scf.if, scf.while ---- */

/* Slots for values that leave a region: an arena buffer for a tensor, a stack slot for a scalar. */
static LLVMValueRef make_slot(tri_cpu_gen *g, MlirType type)
{
    return tri_type_is_tensor(type) ? tri_cpu_alloc(g, type) : tri_cpu_temp(g, scalar_type(g, type), "slot");
}

static void store_slots(tri_cpu_gen *g, int n, const MlirValue *values, const MlirValue *args, LLVMValueRef *slots)
{
    LLVMValueRef scalars[max_values];
    for (int i = 0; i < n; i++)
        scalars[i] = is_tensor(values[i]) ? NULL : tri_cpu_scalar(g, values[i]);
    write_all(g, n, values, args, slots);
    tri_cpu_at(g, 0);
    for (int i = 0; i < n; i++)
        if (scalars[i])
            LLVMBuildStore(g->b, scalars[i], slots[i]);
}

static void bind_slot(tri_cpu_gen *g, MlirValue value, LLVMValueRef slot)
{
    if (is_tensor(value)) {
        tri_cpu_bind_buffer(g, value, slot);
        return;
    }
    tri_cpu_at(g, 0);
    tri_cpu_bind_scalar(g, value, LLVMBuildLoad2(g->b, scalar_type(g, mlirValueGetType(value)), slot, ""));
}

static int terminator_values(MlirBlock block, int skip, MlirValue *out)
{
    MlirOperation end = mlirBlockGetTerminator(block);
    int n = (int)mlirOperationGetNumOperands(end) - skip;
    for (int i = 0; i < n && i < max_values; i++)
        out[i] = tri_op_operand(end, i + skip);
    return n;
}

static void if_op(tri_cpu_gen *g, MlirOperation op)
{
    int n = (int)mlirOperationGetNumResults(op);
    if (!fits(g, op, n))
        return;
    LLVMValueRef slots[max_values], cond = tri_cpu_scalar(g, tri_op_operand(op, 0));
    for (int i = 0; i < n; i++)
        slots[i] = make_slot(g, mlirValueGetType(tri_op_result(op, i)));
    LLVMBasicBlockRef arms[2] = {tri_cpu_new_block(g, "then"), tri_cpu_new_block(g, "else")};
    LLVMBasicBlockRef join = tri_cpu_new_block(g, "endif");
    tri_cpu_at(g, 0);
    LLVMBuildCondBr(g->b, cond, arms[0], arms[1]);
    for (int a = 0; a < 2; a++) {
        tri_cpu_move(g, 0, arms[a]);
        if (!mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, a)))) {
            MlirValue values[max_values] = {{NULL}};
            MlirBlock block = tri_op_body(op, a);
            size_t mark = g->live.len;
            tri_cpu_block(g, block);
            store_slots(g, terminator_values(block, 0, values), values, NULL, slots);
            tri_cpu_release(g, mark);
        }
        tri_cpu_at(g, 0);
        LLVMBuildBr(g->b, join);
    }
    tri_cpu_move(g, 0, join);
    for (int i = 0; i < n; i++)
        bind_slot(g, tri_op_result(op, i), slots[i]);
}

static void while_op(tri_cpu_gen *g, MlirOperation op)
{
    MlirBlock test = tri_op_body(op, 0), body = tri_op_body(op, 1);
    int n = (int)mlirOperationGetNumOperands(op), m = (int)mlirOperationGetNumResults(op);
    if (!fits(g, op, n) || !fits(g, op, m))
        return;
    LLVMValueRef in[max_values], out[max_values];
    MlirValue inits[max_values] = {{NULL}}, values[max_values] = {{NULL}};
    for (int i = 0; i < n; i++) {
        inits[i] = tri_op_operand(op, i);
        in[i] = make_slot(g, mlirValueGetType(inits[i]));
    }
    for (int i = 0; i < m; i++)
        out[i] = make_slot(g, mlirValueGetType(tri_op_result(op, i)));
    store_slots(g, n, inits, NULL, in);
    LLVMBasicBlockRef head = tri_cpu_new_block(g, "while"), inside = tri_cpu_new_block(g, "while_body");
    LLVMBasicBlockRef exit = tri_cpu_new_block(g, "while_end");
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, head);
    tri_cpu_move(g, 0, head);
    for (int i = 0; i < n; i++)
        bind_slot(g, mlirBlockGetArgument(test, i), in[i]);
    tri_cpu_block(g, test);
    LLVMValueRef cond = tri_cpu_scalar(g, tri_op_operand(mlirBlockGetTerminator(test), 0));
    store_slots(g, terminator_values(test, 1, values), values, NULL, out);
    tri_cpu_at(g, 0);
    LLVMBuildCondBr(g->b, cond, inside, exit);
    tri_cpu_move(g, 0, inside);
    for (int i = 0; i < m; i++)
        bind_slot(g, mlirBlockGetArgument(body, i), out[i]);
    tri_cpu_variables_arguments(g, body);
    size_t mark = g->live.len;
    tri_cpu_block(g, body);
    store_slots(g, terminator_values(body, 0, values), values, NULL, in);
    tri_cpu_release(g, mark);
    tri_cpu_at(g, 0);
    tri_loops_annotate(op, LLVMBuildBr(g->b, head));
    tri_cpu_move(g, 0, exit);
    for (int i = 0; i < m; i++)
        bind_slot(g, tri_op_result(op, i), out[i]);
}

/* ---- cf ---- */

static LLVMBasicBlockRef block_of(tri_cpu_gen *g, MlirBlock block) { return tri_map_find_ptr(&g->blocks, block.ptr); }

static void jump(tri_cpu_gen *g, MlirBlock to, int n, const MlirValue *values)
{
    LLVMValueRef slots[max_values];
    MlirValue args[max_values];
    for (int i = 0; i < n; i++) {
        args[i] = mlirBlockGetArgument(to, i);
        slots[i] = tri_map_find_ptr(&g->blocks, args[i].ptr);
    }
    store_slots(g, n, values, args, slots);
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, block_of(g, to));
}

static void branch_op(tri_cpu_gen *g, MlirOperation op)
{
    MlirValue values[max_values] = {{NULL}};
    int n = (int)mlirOperationGetNumOperands(op);
    if (!fits(g, op, n))
        return;
    for (int i = 0; i < n; i++)
        values[i] = tri_op_operand(op, i);
    jump(g, mlirOperationGetSuccessor(op, 0), n, values);
}

static void cond_branch_op(tri_cpu_gen *g, MlirOperation op)
{
    LLVMValueRef cond = tri_cpu_scalar(g, tri_op_operand(op, 0));
    LLVMBasicBlockRef arms[2] = {tri_cpu_new_block(g, "then"), tri_cpu_new_block(g, "else")};
    tri_cpu_at(g, 0);
    LLVMBuildCondBr(g->b, cond, arms[0], arms[1]);
    int start = 1;
    for (int a = 0; a < 2; a++) {
        MlirValue values[max_values] = {{NULL}};
        MlirBlock to = mlirOperationGetSuccessor(op, a);
        int n = (int)mlirBlockGetNumArguments(to);
        if (!fits(g, op, n))
            return;
        for (int i = 0; i < n; i++)
            values[i] = tri_op_operand(op, start + i);
        start += n;
        tri_cpu_move(g, 0, arms[a]);
        jump(g, to, n, values);
    }
}

/* ---- functions ---- */

enum { hidden_params = 7 }; /* program id and grid, three each, and the error slot */

static void return_op(tri_cpu_gen *g, MlirOperation op)
{
    intptr_t n = mlirOperationGetNumOperands(op);
    unsigned first_result = LLVMCountParams(g->fn) - (unsigned)n - hidden_params - (g->plain != NULL);
    MlirValue values[max_values] = {{NULL}};
    LLVMValueRef slots[max_values];
    if (!fits(g, op, n))
        return;
    for (intptr_t i = 0; i < n; i++) {
        values[i] = tri_op_operand(op, i);
        slots[i] = LLVMGetParam(g->fn, first_result + (unsigned)i);
    }
    store_slots(g, (int)n, values, NULL, slots);
    tri_cpu_at(g, 0);
    LLVMBuildRetVoid(g->b);
}

/* Parameters: scalars by value, tensors and results by address, memory for packed operands (of a kernel that has
 * products), whether products are by AMX (where that is not known), then the hidden ones; a kernel's descriptors by
 * address, as the launch gives them. */
static LLVMTypeRef function_type(tri_cpu_gen *g, MlirType type, bool is_kernel, bool has_cache)
{
    intptr_t count = mlirFunctionTypeGetNumInputs(type) + mlirFunctionTypeGetNumResults(type) + hidden_params + 2;
    LLVMTypeRef *params = TRI_NEW_ARRAY(g->arena, LLVMTypeRef, count);
    int n = 0;
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); i++) {
        MlirType t = mlirFunctionTypeGetInput(type, i);
        params[n++] = tri_type_is_tensor(t) || (is_kernel && tri_type_is_desc(t)) ? g->ptr : scalar_type(g, t);
    }
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); i++)
        params[n++] = g->ptr;
    if (has_cache)
        params[n++] = g->ptr;
    if (g->plain)
        params[n++] = g->i1;
    for (int i = 0; i < 6; i++)
        params[n++] = g->i32;
    params[n++] = g->ptr;
    return LLVMFunctionType(g->void_type, params, (unsigned)n, false);
}

static MlirType type_of_func(MlirOperation func)
{
    return mlirTypeAttrGetValue(tri_op_attr(func, "function_type"));
}

LLVMValueRef tri_cpu_declare(tri_cpu_gen *g, MlirOperation func)
{
    tri_str symbol = tri_op_symbol(func);
    LLVMValueRef fn = tri_map_find(&g->funcs, symbol);
    if (fn)
        return fn;
    tri_str name = tri_str_format(g->arena, "%.*s%s%s", TRI_STR_ARG(symbol), tri_op_is_kernel(func) ? "_program" : "",
                                  g->plain ? "" : g->suffix);
    LLVMTypeRef type =
        function_type(g, type_of_func(func), tri_op_is_kernel(func), tri_cpu_cache_suits(g, func));
    fn = LLVMAddFunction(g->module, name.data, type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    tri_map_set(&g->funcs, symbol, fn);
    return fn;
}

static void call_op(tri_cpu_gen *g, MlirOperation op)
{
    tri_str callee = mlirAttributeIsNull(tri_op_attr(op, "callee"))
                         ? TRI_STR("")
                         : (tri_str){mlirFlatSymbolRefAttrGetValue(tri_op_attr(op, "callee")).data,
                                     mlirFlatSymbolRefAttrGetValue(tri_op_attr(op, "callee")).length};
    LLVMValueRef fn = tri_map_find(&g->funcs, callee);
    if (!fn) {
        tri_cpu_fail(g, op, "the function '%.*s' is not in this module", TRI_STR_ARG(callee));
        return;
    }
    LLVMValueRef args[2 * max_values + hidden_params + 1];
    int n = 0, results = (int)mlirOperationGetNumResults(op);
    if (!fits(g, op, mlirOperationGetNumOperands(op)) || !fits(g, op, results))
        return;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue v = tri_op_operand(op, i);
        if (is_tensor(v)) {
            LLVMValueRef slot = tri_cpu_alloc(g, mlirValueGetType(v));
            write_buffer(g, v, slot);
            args[n++] = slot;
        } else {
            args[n++] = tri_cpu_scalar(g, v);
        }
    }
    int first_result = n;
    for (int i = 0; i < results; i++)
        args[n++] = make_slot(g, mlirValueGetType(tri_op_result(op, i)));
    if (g->tiles)
        args[n++] = g->tiles;
    for (int i = 0; i < 3; i++)
        args[n++] = g->pid[i];
    for (int i = 0; i < 3; i++)
        args[n++] = g->grid[i];
    args[n++] = g->err;
    tri_cpu_at(g, 0);
    LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, args, (unsigned)n, "");
    for (int i = 0; i < results; i++)
        bind_slot(g, tri_op_result(op, i), args[first_result + i]);
}

static const struct {
    const char *name;
    void (*emit)(tri_cpu_gen *g, MlirOperation op);
} rows[] = {
    {"scf.for", for_op},         {"scf.if", if_op},        {"scf.while", while_op}, {"cf.br", branch_op},
    {"cf.cond_br", cond_branch_op}, {"tt.return", return_op}, {"tt.call", call_op},
};

bool tri_cpu_control_op(tri_cpu_gen *g, MlirOperation op)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (tri_op_is(op, rows[i].name)) {
            rows[i].emit(g, op);
            return true;
        }
    }
    return tri_op_is(op, "scf.yield") || tri_op_is(op, "scf.condition");
}

void tri_cpu_cfg(tri_cpu_gen *g, MlirRegion region)
{
    bool is_first = true;
    for (MlirBlock b = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(b); b = mlirBlockGetNextInRegion(b)) {
        tri_map_set_ptr(&g->blocks, b.ptr, is_first ? g->at : tri_cpu_new_block(g, "bb"));
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(b) && !is_first; i++) {
            MlirValue arg = mlirBlockGetArgument(b, i);
            tri_map_set_ptr(&g->blocks, arg.ptr, make_slot(g, mlirValueGetType(arg)));
        }
        is_first = false;
    }
    MlirBlock entry = mlirRegionGetFirstBlock(region);
    for (MlirBlock b = entry; !mlirBlockIsNull(b); b = mlirBlockGetNextInRegion(b)) {
        tri_cpu_move(g, 0, block_of(g, b));
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(b) && b.ptr != entry.ptr; i++) {
            MlirValue arg = mlirBlockGetArgument(b, i);
            bind_slot(g, arg, tri_map_find_ptr(&g->blocks, arg.ptr));
        }
        if (b.ptr != entry.ptr)
            tri_cpu_variables_arguments(g, b);
        tri_cpu_block(g, b);
    }
}

bool tri_cpu_func(tri_cpu_gen *g, MlirOperation func)
{
    MlirBlock body = tri_op_body(func, 0);
    g->func = func;
    g->fn = tri_cpu_declare(g, func);
    g->arena_bytes = 0;
    g->live.len = g->idle.len = 0;
    g->variable_bytes = 0;
    g->tuples = NULL;
    g->queue_list.len = 0;
    g->entry = tri_cpu_new_block(g, "entry");
    g->at = tri_cpu_new_block(g, "start");
    LLVMBasicBlockRef start = g->at;
    unsigned count = LLVMCountParams(g->fn);
    for (unsigned i = 0; i < 3; i++) {
        g->pid[i] = LLVMGetParam(g->fn, count - hidden_params + i);
        g->grid[i] = LLVMGetParam(g->fn, count - hidden_params + 3 + i);
    }
    g->err = LLVMGetParam(g->fn, count - 1);
    count -= hidden_params;
    g->tiles = g->plain ? LLVMGetParam(g->fn, --count) : NULL;
    tri_cpu_cache_start(g, func, tri_cpu_cache_suits(g, func) ? LLVMGetParam(g->fn, count - 1) : NULL);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
        MlirValue arg = mlirBlockGetArgument(body, i);
        LLVMValueRef v = LLVMGetParam(g->fn, (unsigned)i);
        if (is_tensor(arg)) {
            tri_cpu_bind_buffer(g, arg, v);
            continue;
        }
        LLVMPositionBuilderAtEnd(g->b, g->at);
        if (tri_op_is_kernel(func) && tri_type_is_desc(mlirValueGetType(arg)))
            tri_cpu_bind_scalar(g, arg, LLVMBuildLoad2(g->b, tri_cpu_desc_type(g), v, ""));
        else
            tri_cpu_bind_scalar(g, arg, v);
    }
    tri_cpu_stream_plan(g, func);
    tri_cpu_stream_begin(g);
    tri_cpu_plan_func(g, func);
    tri_cpu_lines_function(g, func);
    tri_cpu_variables_begin(g, func);
    tri_cpu_cfg(g, mlirOperationGetRegion(func, 0));
    LLVMPositionBuilderAtEnd(g->b, g->entry);
    LLVMBuildBr(g->b, start);
    tri_cpu_lines_function_end(g);
    tri_cpu_pieces_end(g);
    return !g->failed;
}
