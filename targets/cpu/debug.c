/* tt.print and tt.assert: calls of the runtime (runtime/launch/cpu.c), element by element. */
#include "targets/cpu/cpu.h"

#include "ir/llvm.h"

enum { max_operands = 16 };

static LLVMValueRef call_runtime(tri_cpu_gen *g, const char *name, LLVMTypeRef result, LLVMTypeRef *params,
                                 LLVMValueRef *args, int n)
{
    LLVMTypeRef type = LLVMFunctionType(result, params, (unsigned)n, false);
    LLVMValueRef fn = LLVMGetNamedFunction(g->module, name);
    if (!fn)
        fn = LLVMAddFunction(g->module, name, type);
    return LLVMBuildCall2(g->b, type, fn, args, (unsigned)n, "");
}

/* ---- print ---- */

typedef struct {
    MlirOperation op;
    LLVMValueRef prefix;
    int operand;
    bool is_hex, is_signed;
    LLVMValueRef index; /* array of the element's coordinates */
    int rank;
    tri_cpu_val v;
} print_data;

static void print_value(tri_cpu_gen *g, print_data *p, LLVMValueRef v, int level)
{
    tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(p->op, p->operand)));
    tri_cpu_at(g, level);
    LLVMTypeRef params[9] = {g->ptr, g->i32, g->i32, g->i32, g->ptr, g->i32, g->i64, g->f64, g->i32};
    LLVMValueRef bits = tri_cpu_i64(g, 0), number = LLVMConstReal(g->f64, 0);
    int kind; /* 0 signed, 1 unsigned, 2 hexadecimal, 3 float, 4 address */
    if (tri_cpu_is_float(t)) {
        kind = 3;
        number = tri_cpu_convert(g, v, t, (tri_cpu_type){TRI_CPU_F64, 64}, false);
    } else if (t.kind == TRI_CPU_PTR) {
        kind = 4;
        bits = LLVMBuildPtrToInt(g->b, v, g->i64, "");
    } else {
        kind = p->is_hex ? 2 : p->is_signed ? 0 : 1;
        bits = LLVMBuildIntCast2(g->b, v, g->i64, kind == 0 && t.bits > 1, "");
    }
    if (p->is_hex && kind == 3) {
        kind = 2;
        LLVMTypeRef raw = LLVMIntTypeInContext(g->llvm, t.bits);
        bits = LLVMBuildIntCast2(g->b, LLVMBuildBitCast(g->b, v, raw, ""), g->i64, false, "");
    }
    LLVMValueRef args[9] = {p->prefix,
                            g->pid[0],
                            g->pid[1],
                            g->pid[2],
                            p->index ? p->index : LLVMConstNull(g->ptr),
                            LLVMConstInt(g->i32, (uint64_t)p->rank, false),
                            bits,
                            number,
                            LLVMConstInt(g->i32, (uint64_t)kind | (uint64_t)t.bits << 8, false)};
    call_runtime(g, "tri_cpu_rt_print", g->void_type, params, args, 9);
}

static void print_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    print_data *p = sink->data;
    p->v = tri_cpu_eval(g, tri_op_operand(p->op, p->operand), g->nest->index);
}

static void print_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    print_data *p = sink->data;
    for (int d = 0; d < p->rank; d++) {
        tri_cpu_val i = tri_cpu_index_value(g, &g->nest->index->at[d]);
        tri_cpu_at(g, g->nest->loop_count);
        LLVMValueRef at = tri_cpu_i64(g, d);
        LLVMBuildStore(g->b, i.v, LLVMBuildGEP2(g->b, g->i64, p->index, &at, 1, ""));
    }
    print_value(g, p, p->v.v, g->nest->loop_count);
}

static void run_scalar(tri_cpu_gen *g, MlirType type, tri_cpu_sink *sink)
{
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = -1, .count = 1, .sinks = sink, .vec_dim = -1};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    tri_cpu_nest_run(g, &domain);
}

void tri_cpu_print_op(tri_cpu_gen *g, MlirOperation op)
{
    int32_t is_signed[max_operands] = {0};
    tri_op_i32s(op, "isSigned", is_signed, max_operands);
    print_data p = {.op = op, .prefix = tri_llvm_text(g->module, tri_op_string(op, "prefix"), "tri_text"), .is_hex = tri_op_flag(op, "hex")};
    int n = (int)mlirOperationGetNumOperands(op);
    if (n == 0) {
        LLVMTypeRef params[4] = {g->ptr, g->i32, g->i32, g->i32};
        LLVMValueRef args[4] = {p.prefix, g->pid[0], g->pid[1], g->pid[2]};
        tri_cpu_at(g, 0);
        call_runtime(g, "tri_cpu_rt_print_text", g->void_type, params, args, 4);
    }
    for (p.operand = 0; p.operand < n; p.operand++) {
        MlirValue v = tri_op_operand(op, p.operand);
        p.is_signed = p.operand < max_operands && is_signed[p.operand];
        if (!tri_type_is_tensor(mlirValueGetType(v))) {
            p.rank = 0;
            print_value(g, &p, tri_cpu_scalar(g, v), 0);
            continue;
        }
        p.rank = tri_type_rank(mlirValueGetType(v));
        p.index = tri_cpu_temp(g, LLVMArrayType2(g->i64, TRI_MAX_RANK), "index");
        tri_cpu_sink sink = {.op = op, .data = &p, .eval = print_eval, .write = print_write};
        run_scalar(g, mlirValueGetType(v), &sink);
        p.index = NULL;
    }
}

/* ---- assert ---- */

typedef struct {
    MlirOperation op;
    tri_cpu_val v;
} assert_data;

/* A failed assertion is reported, remembered in the launch's error slot, and ends the program. */
static void check(tri_cpu_gen *g, MlirOperation op, LLVMValueRef cond, int level)
{
    tri_cpu_at(g, level);
    LLVMBasicBlockRef bad = tri_cpu_new_block(g, "failed"), good = tri_cpu_new_block(g, "holds");
    LLVMBuildCondBr(g->b, cond, good, bad);
    LLVMPositionBuilderAtEnd(g->b, bad);
    tri_span at = tri_op_span(g->diag, op);
    uint32_t line = 0, column = 0;
    if (at.source)
        tri_source_position(at.source, at.begin, &line, &column);
    tri_str file = at.source ? tri_diag_map_path(g->diag, at.source->name) : TRI_STR("");
    LLVMTypeRef params[7] = {g->ptr, g->ptr, g->ptr, g->i32, g->i32, g->i32, g->i32};
    LLVMValueRef args[7] = {g->err,
                            tri_llvm_text(g->module, tri_op_string(op, "message"), "tri_text"),
                            tri_llvm_text(g->module, file, "tri_text"),
                            LLVMConstInt(g->i32, line, false),
                            g->pid[0],
                            g->pid[1],
                            g->pid[2]};
    call_runtime(g, "tri_cpu_rt_assert", g->void_type, params, args, 7);
    LLVMBuildRetVoid(g->b);
    tri_cpu_move(g, level, good);
}

static void assert_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    assert_data *a = sink->data;
    a->v = tri_cpu_eval(g, tri_op_operand(a->op, 0), g->nest->index);
}

static void assert_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    assert_data *a = sink->data;
    check(g, a->op, a->v.v, g->nest->loop_count);
}

void tri_cpu_assert_op(tri_cpu_gen *g, MlirOperation op)
{
    MlirValue cond = tri_op_operand(op, 0);
    if (!tri_type_is_tensor(mlirValueGetType(cond))) {
        check(g, op, tri_cpu_scalar(g, cond), 0);
        return;
    }
    assert_data a = {.op = op};
    tri_cpu_sink sink = {.op = op, .data = &a, .eval = assert_eval, .write = assert_write};
    run_scalar(g, mlirValueGetType(cond), &sink);
}
