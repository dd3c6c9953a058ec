#include "targets/gpu/machine.h"

#include "ir/llvm.h"
#include "targets/gpu/simulate.h"

#include <stdlib.h>

static const tri_machine_primitive primitives[] = {
#define X(name, signature, meaning) {#name, signature},
#include "targets/gpu/primitives.def"
#undef X
};

static const tri_machine_primitive *primitive_of(const tri_machine *machine, int id)
{
    TRI_ASSERT(id < TRI_MACHINE_COUNT + machine->num_own);
    return id < TRI_MACHINE_COUNT ? &primitives[id] : &machine->own[id - TRI_MACHINE_COUNT];
}

const char *tri_machine_name(const tri_machine *machine, int id) { return primitive_of(machine, id)->name; }

bool tri_machine_has(const tri_gpu *g, int id)
{
    if (g->simulate && (id == TRI_MACHINE_vprintf || id == TRI_MACHINE_assert_fail))
        return true; /* the simulator's process has a terminal, whatever machine it stands for */
    const tri_machine_row *row = &g->machine->rows[id];
    return row->how != TRI_MACHINE_ABSENT &&
           (row->needs == TRI_MACHINE_ALWAYS || *(const bool *)((const char *)g->unit->arch + row->needs));
}

/* ---- signatures ---- */

static bool eat(const char **at, const char *word)
{
    size_t len = strlen(word);
    if (strncmp(*at, word, len))
        return false;
    *at += len;
    return true;
}

static LLVMTypeRef parse_type(tri_gpu *g, const char **at)
{
    if (eat(at, "{")) {
        LLVMTypeRef parts[8];
        unsigned n = 0;
        do
            parts[n++] = parse_type(g, at);
        while (eat(at, ","));
        TRI_ASSERT(eat(at, "}"));
        return LLVMStructTypeInContext(g->llvm, parts, n, false);
    }
    if (eat(at, "void"))
        return LLVMVoidTypeInContext(g->llvm);
    if (eat(at, "v2f16"))
        return LLVMVectorType(LLVMHalfTypeInContext(g->llvm), 2);
    if (eat(at, "f16"))
        return LLVMHalfTypeInContext(g->llvm);
    if (eat(at, "f32"))
        return g->f32;
    if (eat(at, "f64"))
        return LLVMDoubleTypeInContext(g->llvm);
    if (eat(at, "p"))
        return LLVMPointerTypeInContext(g->llvm, (unsigned)(*(*at)++ - '0'));
    TRI_ASSERT(eat(at, "i"));
    char *end;
    unsigned bits = (unsigned)strtoul(*at, &end, 10);
    *at = end;
    return LLVMIntTypeInContext(g->llvm, bits);
}

enum { max_args = 40 };

typedef struct {
    LLVMTypeRef result, args[max_args];
    int num_args;
} signature;

static signature parse_signature(tri_gpu *g, const char *text)
{
    signature s = {0};
    const char *at = text;
    s.result = parse_type(g, &at);
    TRI_ASSERT(eat(&at, "("));
    while (!eat(&at, ")")) {
        TRI_ASSERT(s.num_args < max_args);
        s.args[s.num_args++] = parse_type(g, &at);
        eat(&at, ",");
    }
    return s;
}

/* ---- emission ---- */

static void add_flag(tri_gpu *g, LLVMValueRef call, const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(g->llvm, kind, value));
}

static void set_flags(tri_gpu *g, LLVMValueRef call, int flags)
{
    if (flags & TRI_MACHINE_CONVERGENT)
        add_flag(g, call, "convergent", 0);
    if (flags & TRI_MACHINE_PURE) {
        add_flag(g, call, "memory", 0);
        add_flag(g, call, "nounwind", 0);
        add_flag(g, call, "willreturn", 0);
    }
    if (flags & TRI_MACHINE_NORETURN)
        add_flag(g, call, "noreturn", 0);
}

/* What the text of a row's operands says, of the primitive's arguments. */
static int list_operands(tri_gpu *g, const char *text, LLVMValueRef *args, int n, LLVMValueRef *out)
{
    if (!*text) {
        memcpy(out, args, sizeof *out * (size_t)n);
        return n;
    }
    int count = 0;
    while (*text) {
        if (eat(&text, "$*")) {
            memcpy(out + count, args, sizeof *out * (size_t)n);
            count += n;
            eat(&text, ",");
            continue;
        }
        bool is_argument = eat(&text, "$");
        char *end;
        LLVMTypeRef type = eat(&text, "i64:") ? g->i64 : eat(&text, "i1:") ? g->i1 : g->i32;
        long value = strtol(text, &end, 10);
        TRI_ASSERT(end != text && count < max_args && (!is_argument || value < n));
        out[count++] = is_argument ? args[value] : LLVMConstInt(type, (uint64_t)value, true);
        text = *end == ',' ? end + 1 : end;
    }
    return count;
}

static LLVMValueRef call_intrinsic(tri_gpu *g, const tri_machine_row *row, LLVMValueRef *given, int num_given)
{
    LLVMValueRef args[max_args];
    int n = list_operands(g, row->operands, given, num_given, args);
    unsigned id = LLVMLookupIntrinsicID(row->text, strlen(row->text));
    if (!id)
        TRI_BUG("LLVM has no intrinsic '%s'", row->text);
    LLVMTypeRef overload[1];
    size_t num_overloads = 0;
    if (LLVMIntrinsicIsOverloaded(id)) {
        overload[0] = LLVMTypeOf(args[0]);
        num_overloads = 1;
    }
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(g->module, id, overload, num_overloads);
    LLVMValueRef call = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(callee), callee, args, (unsigned)n, "");
    if (row->flags & TRI_MACHINE_CONVERGENT)
        add_flag(g, call, "convergent", 0);
    return call;
}

/* A function of the run-time library of the device, declared at first use. */
static LLVMValueRef call_function(tri_gpu *g, const tri_machine_row *row, LLVMTypeRef result, LLVMValueRef *given,
                                  int num_given)
{
    const char *operands = row->operands;
    bool is_wide = eat(&operands, "i64:");
    LLVMValueRef args[max_args];
    int n = list_operands(g, operands, given, num_given, args);
    LLVMValueRef callee = LLVMGetNamedFunction(g->module, row->text);
    if (!callee) {
        LLVMTypeRef types[max_args];
        for (int i = 0; i < n; i++)
            types[i] = LLVMTypeOf(args[i]);
        LLVMTypeRef type = LLVMFunctionType(is_wide ? g->i64 : result, types, (unsigned)n, false);
        callee = LLVMAddFunction(g->module, row->text, type);
        LLVMSetFunctionCallConv(callee, g->machine->function_convention);
        if (row->flags & TRI_MACHINE_CONVERGENT) { /* passes drop it from a call whose function lacks it */
            tri_llvm_add_attribute(callee, "convergent");
        }
    }
    LLVMValueRef call = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(callee), callee, args, (unsigned)n, "");
    LLVMSetInstructionCallConv(call, g->machine->function_convention);
    set_flags(g, call, row->flags);
    return is_wide ? LLVMBuildTrunc(g->b, call, result, "") : call;
}

LLVMValueRef tri_machine_call_named(tri_gpu *g, const char *name, LLVMTypeRef result, LLVMValueRef *args, int n,
                                    int flags)
{
    const tri_machine_row row = TRI_MACHINE_ROW_CALL(name, "", flags, TRI_MACHINE_ALWAYS);
    return call_function(g, &row, result, args, n);
}

LLVMValueRef tri_machine_call_asm(tri_gpu *g, const char *text, const char *constraints, LLVMTypeRef result,
                                  LLVMValueRef *args, int n, int flags)
{
    LLVMTypeRef *types = TRI_NEW_ARRAY(g->arena, LLVMTypeRef, n + 1);
    for (int i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, (unsigned)n, false);
    LLVMValueRef callee = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints),
                                           !(flags & TRI_MACHINE_PURE), 0, LLVMInlineAsmDialectATT, 0);
    LLVMValueRef call = LLVMBuildCall2(g->b, type, callee, args, (unsigned)n, "");
    set_flags(g, call, flags);
    return call;
}

LLVMValueRef tri_machine_call(tri_gpu *g, int id, LLVMValueRef *args, int num_args)
{
    const tri_machine_primitive *primitive = primitive_of(g->machine, id);
    if (!tri_machine_has(g, id))
        TRI_BUG("primitive '%s' does not exist on this architecture", primitive->name);
    const tri_machine_row *row = &g->machine->rows[id];
    signature s = parse_signature(g, primitive->signature);
    TRI_ASSERT(s.num_args == num_args);
    for (int i = 0; i < num_args; i++)
        TRI_ASSERT(LLVMTypeOf(args[i]) == s.args[i]);
    if (g->simulate)
        return tri_simulate_call(g, id, s.result, args, num_args);
    LLVMValueRef call = NULL;
    switch (row->how) {
    case TRI_MACHINE_INTRINSIC: call = call_intrinsic(g, row, args, num_args); break;
    case TRI_MACHINE_CALL: call = call_function(g, row, s.result, args, num_args); break;
    case TRI_MACHINE_FUNCTION: call = row->function(g, args); break;
    case TRI_MACHINE_TEXT:
    case TRI_MACHINE_ABSENT: TRI_BUG("primitive '%s' is not a call", primitive->name);
    }
    return LLVMGetTypeKind(s.result) == LLVMVoidTypeKind ? NULL : call;
}
