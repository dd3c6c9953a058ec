#include "targets/linalg/messages.h"

#include "ir/linalg.h"
#include "ir/llvm.h"
#include "ir/location.h"
#include "ir/op.h"
#include "layout/encoding.h"

#include "llvm-c/Core.h"

enum { program = 3, most_parameters = 9 }; /* the program's number; of functions of the runtime */

bool tri_messages_note(tri_unit *unit, MlirOperation func, tri_messages *messages)
{
    tri_str symbol = tri_op_symbol(func);
    bool is_print = tri_str_has_prefix(symbol, "triton_print_");
    bool is_assert = tri_str_has_prefix(symbol, "triton_assert_");
    if (!is_print && !is_assert)
        return false;
    tri_message message = {.symbol = tri_str_copy(unit->arena, symbol),
                           .text = tri_str_copy(unit->arena, tri_op_string(func, is_print ? "prefix" : "msg")),
                           .is_print = is_print,
                           .is_hex = tri_op_flag(func, "hex"),
                           .is_signed = tri_op_flag(func, "tritcc.is_signed"),
                           .at = mlirOperationGetLocation(func)};
    tri_vec_push(unit->arena, messages, message);
    return true;
}

bool tri_messages_have_asserts(const tri_messages *messages)
{
    bool has = false;
    for (size_t i = 0; i < messages->len; i++)
        has |= !messages->at[i].is_print;
    return has;
}

typedef struct {
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMContextRef c;
    LLVMTypeRef i32, i64, f64, ptr;
} state;

static state state_of(LLVMModuleRef module)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    return (state){.module = module, .c = c, .i32 = LLVMInt32TypeInContext(c), .i64 = LLVMInt64TypeInContext(c),
                   .f64 = LLVMDoubleTypeInContext(c), .ptr = LLVMPointerTypeInContext(c, 0)};
}

static LLVMValueRef runtime(state *s, const char *name, unsigned n, LLVMTypeRef *params)
{
    LLVMValueRef fn = LLVMGetNamedFunction(s->module, name);
    return fn ? fn : LLVMAddFunction(s->module, name, LLVMFunctionType(LLVMVoidTypeInContext(s->c), params, n, false));
}

static bool is_float(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind || kind == LLVMFloatTypeKind ||
           kind == LLVMDoubleTypeKind;
}

static unsigned width_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type);
    case LLVMFloatTypeKind: return 32;
    case LLVMDoubleTypeKind: return 64;
    default: return 16;
    }
}

/* Where the element is in its block: the parameters between the program's number and the element. */
static LLVMValueRef index_of(state *s, LLVMValueRef fn, unsigned rank)
{
    if (!rank)
        return LLVMConstNull(s->ptr);
    LLVMValueRef index = LLVMBuildAlloca(s->b, LLVMArrayType2(s->i64, TRI_MAX_RANK), "");
    for (unsigned d = 0; d < rank; d++) {
        LLVMValueRef at = LLVMConstInt(s->i64, d, false);
        LLVMBuildStore(s->b, LLVMGetParam(fn, program + d), LLVMBuildGEP2(s->b, s->i64, index, &at, 1, ""));
    }
    return index;
}

/* The arguments of tri_cpu_rt_print behind the index (runtime/launch/cpu.c). */
static void value_of(state *s, const tri_message *m, LLVMValueRef value, LLVMValueRef *out)
{
    enum { as_signed, as_unsigned, as_hex, as_float };
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned width = width_of(type), kind = is_float(type) ? as_float : m->is_signed ? as_signed : as_unsigned;
    if (m->is_hex)
        kind = as_hex;
    if (m->is_hex && is_float(type))
        value = LLVMBuildBitCast(s->b, value, LLVMIntTypeInContext(s->c, width), "");
    out[0] = kind == as_float ? LLVMConstInt(s->i64, 0, false)
                              : LLVMBuildIntCast2(s->b, value, s->i64, kind == as_signed && width > 1, "");
    out[1] = kind == as_float ? LLVMBuildFPCast(s->b, value, s->f64, "") : LLVMConstReal(s->f64, 0);
    out[2] = LLVMConstInt(s->i32, kind | width << 8, false);
}

static void define_print(state *s, LLVMValueRef fn, const tri_message *m)
{
    LLVMTypeRef params[most_parameters] = {s->ptr, s->i32, s->i32, s->i32, s->ptr, s->i32, s->i64, s->f64, s->i32};
    LLVMValueRef args[most_parameters] = {tri_llvm_text(s->module, m->text, "tri_text")};
    unsigned count = LLVMCountParams(fn), used = 1 + program;
    for (unsigned i = 0; i < program; i++)
        args[1 + i] = LLVMGetParam(fn, i);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    s->b = LLVMCreateBuilderInContext(s->c);
    LLVMPositionBuilderAtEnd(s->b, LLVMAppendBasicBlockInContext(s->c, fn, "entry"));
    if (count > program) {
        unsigned rank = count - program - 1;
        args[used++] = index_of(s, fn, rank);
        args[used++] = LLVMConstInt(s->i32, rank, false);
        value_of(s, m, LLVMGetParam(fn, count - 1), args + used);
        used = most_parameters;
    }
    LLVMValueRef callee = runtime(s, count > program ? "tri_cpu_rt_print" : "tri_cpu_rt_print_text", used, params);
    LLVMBuildCall2(s->b, LLVMGlobalGetValueType(callee), callee, args, used, "");
    LLVMBuildRetVoid(s->b);
    LLVMDisposeBuilder(s->b);
}

void tri_messages_define(LLVMModuleRef module, const tri_messages *messages)
{
    state s = state_of(module);
    for (size_t i = 0; i < messages->len; i++) {
        LLVMValueRef fn = LLVMGetNamedFunction(module, messages->at[i].symbol.data);
        if (fn && messages->at[i].is_print)
            define_print(&s, fn, &messages->at[i]);
    }
}

void tri_messages_check(tri_unit *unit, LLVMModuleRef module, const tri_messages *messages, LLVMValueRef fn)
{
    state s = state_of(module);
    LLVMTypeRef params[] = {s.ptr, s.ptr, s.ptr, s.i32, s.i32, s.i32, s.i32};
    for (size_t i = 0; i < messages->len; i++) {
        const tri_message *m = &messages->at[i];
        LLVMValueRef checked = LLVMGetNamedFunction(module, m->symbol.data);
        if (!checked || m->is_print)
            continue;
        uint32_t line = 0, column = 0;
        tri_span at = tri_location_span(unit->diag, m->at);
        if (at.source)
            tri_source_position(at.source, at.begin, &line, &column);
        tri_str file = at.source ? tri_diag_map_path(unit->diag, at.source->name) : TRI_STR("");
        LLVMValueRef text = tri_llvm_text(module, m->text, "tri_text"), name = tri_llvm_text(module, file, "tri_text");
        tri_linalg_end_unless(fn, checked, runtime(&s, "tri_cpu_rt_assert", 7, params), text, name, line);
    }
}
