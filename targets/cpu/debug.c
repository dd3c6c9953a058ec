/* tt.print and tt.assert: calls of the runtime (runtime/launch/cpu.c), element by element; the reports of
 * -fsanitize=undefined, by chunks. */
#include "targets/cpu/cpu.h"

#include "ir/llvm.h"
#include "ir/location.h"

enum { max_operands = 16 };

LLVMValueRef tri_cpu_call_runtime(tri_cpu_gen *g, const char *name, LLVMTypeRef result, LLVMTypeRef *params,
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
    tri_cpu_call_runtime(g, "tri_cpu_rt_print", g->void_type, params, args, 9);
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
    print_data p = {.op = op,
                    .prefix = tri_llvm_text(g->module, tri_op_string(op, "prefix"), "tri_text"),
                    .is_hex = tri_op_flag(op, "hex")};
    int n = (int)mlirOperationGetNumOperands(op);
    if (n == 0) {
        LLVMTypeRef params[4] = {g->ptr, g->i32, g->i32, g->i32};
        LLVMValueRef args[4] = {p.prefix, g->pid[0], g->pid[1], g->pid[2]};
        tri_cpu_at(g, 0);
        tri_cpu_call_runtime(g, "tri_cpu_rt_print_text", g->void_type, params, args, 4);
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
    tri_cpu_call_runtime(g, "tri_cpu_rt_assert", g->void_type, params, args, 7);
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

/* ---- reports ---- */

typedef struct {
    MlirOperation op;
    tri_cpu_val v;
} report_data;

bool tri_cpu_is_report(MlirOperation op)
{
    return tri_op_is(op, "tt.extern_elementwise") && tri_str_is(tri_op_string(op, "symbol"), TRI_CPU_REPORT);
}

/* tri_rt_site of runtime/launch/launch.h: {file, kind, name, line, column, size} */
static LLVMValueRef site_table(tri_cpu_gen *g, LLVMTypeRef *out_type)
{
    static const char name[] = "tri_undefined_sites";
    LLVMTypeRef fields[6] = {g->ptr, g->ptr, g->ptr, g->i32, g->i32, g->i64};
    *out_type = LLVMStructTypeInContext(g->llvm, fields, 6, false);
    LLVMValueRef table = LLVMGetNamedGlobal(g->module, name);
    if (table)
        return table;
    LLVMValueRef *rows = TRI_NEW_ARRAY(g->arena, LLVMValueRef, g->sites->len);
    for (size_t i = 0; i < g->sites->len; i++) {
        tri_position at = {.line = 0};
        tri_location_position(g->sites->at[i].at, &at);
        LLVMValueRef values[6] = {tri_llvm_text(g->module, tri_diag_map_path(g->diag, at.file), "tri_text"),
                                  tri_llvm_text(g->module, tri_str_from(g->sites->at[i].what), "tri_text"),
                                  LLVMConstNull(g->ptr),
                                  LLVMConstInt(g->i32, at.line, false),
                                  LLVMConstInt(g->i32, at.column, false),
                                  tri_cpu_i64(g, 0)};
        rows[i] = LLVMConstStructInContext(g->llvm, values, 6, false);
    }
    LLVMValueRef init = LLVMConstArray2(*out_type, rows, g->sites->len);
    table = LLVMAddGlobal(g->module, LLVMTypeOf(init), name);
    LLVMSetInitializer(table, init);
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    return table;
}

/* `v`: site numbers, 0 for none; of several lanes, the first site in the text is named. */
static void report_debug(tri_cpu_gen *g, LLVMValueRef v, int level)
{
    LLVMTypeRef type = LLVMTypeOf(v), row;
    tri_cpu_at(g, level);
    if (tri_cpu_lanes_of(v))
        v = tri_cpu_intrinsic(g, "llvm.vector.reduce.umax", &type, 1, &v, 1);
    LLVMBasicBlockRef bad = tri_cpu_new_block(g, "undefined"), good = tri_cpu_new_block(g, "defined");
    LLVMBuildCondBr(g->b, LLVMBuildIsNull(g->b, v, ""), good, bad);
    LLVMPositionBuilderAtEnd(g->b, bad);
    LLVMValueRef table = site_table(g, &row);
    LLVMValueRef at = LLVMBuildSub(g->b, LLVMConstInt(g->i32, TRI_CPU_FIRST_SITE, false), v, "");
    LLVMTypeRef params[5] = {g->ptr, g->ptr, g->i32, g->i32, g->i32};
    LLVMValueRef args[5] = {g->err, LLVMBuildGEP2(g->b, row, table, &at, 1, ""), g->pid[0], g->pid[1], g->pid[2]};
    tri_cpu_call_runtime(g, "tri_cpu_rt_undefined", g->void_type, params, args, 5);
    LLVMBuildBr(g->b, good);
    tri_cpu_move(g, level, good);
}

static void report_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    report_data *r = sink->data;
    r->v = tri_cpu_eval(g, tri_op_operand(r->op, 0), g->nest->index);
}

static void report_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    report_data *r = sink->data;
    report_debug(g, r->v.v, g->nest->loop_count);
}

void tri_cpu_report_op(tri_cpu_gen *g, MlirOperation op)
{
    MlirValue shadow = tri_op_operand(op, 0);
    MlirType type = mlirValueGetType(shadow);
    if (!tri_type_is_tensor(type)) {
        report_debug(g, tri_cpu_scalar(g, shadow), 0);
        return;
    }
    report_data r = {.op = op};
    tri_cpu_sink sink = {.op = op, .data = &r, .eval = report_eval, .write = report_write};
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = -1, .count = 1, .sinks = &sink};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    domain.vec_dim = tri_cpu_vector_dim(g, domain.rank, domain.shape, shadow, shadow);
    tri_cpu_nest_run(g, &domain);
}
