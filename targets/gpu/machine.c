#include "targets/gpu/machine.h"

#include "targets/gpu/simulate.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name, *signature;
} primitives[] = {
#define X(name, signature, meaning) {#name, signature},
#include "targets/gpu/primitives.def"
#undef X
};

const char *tri_machine_name(tri_machine_id id) { return primitives[id].name; }

bool tri_machine_has(const tri_gpu *g, tri_machine_id id)
{
    const tri_machine_row *row = &g->machine->rows[id];
    return row->how != TRI_MACHINE_ABSENT && g->arch >= row->min_arch;
}

static const tri_machine_row *row_of(tri_gpu *g, tri_machine_id id)
{
    if (!tri_machine_has(g, id))
        TRI_BUG("primitive '%s' does not exist on this architecture", primitives[id].name);
    return &g->machine->rows[id];
}

/* ---- signatures ---- */

bool tri_machine_eat(const char **at, const char *word)
{
    size_t len = strlen(word);
    if (strncmp(*at, word, len))
        return false;
    *at += len;
    return true;
}

static LLVMTypeRef parse_type(tri_gpu *g, const char **at)
{
    if (tri_machine_eat(at, "{")) {
        LLVMTypeRef parts[8];
        unsigned n = 0;
        do
            parts[n++] = parse_type(g, at);
        while (tri_machine_eat(at, ","));
        TRI_ASSERT(tri_machine_eat(at, "}"));
        return LLVMStructTypeInContext(g->llvm, parts, n, false);
    }
    if (tri_machine_eat(at, "void"))
        return LLVMVoidTypeInContext(g->llvm);
    if (tri_machine_eat(at, "v2f16"))
        return LLVMVectorType(LLVMHalfTypeInContext(g->llvm), 2);
    if (tri_machine_eat(at, "f16"))
        return LLVMHalfTypeInContext(g->llvm);
    if (tri_machine_eat(at, "f32"))
        return g->f32;
    if (tri_machine_eat(at, "f64"))
        return LLVMDoubleTypeInContext(g->llvm);
    if (tri_machine_eat(at, "p"))
        return LLVMPointerTypeInContext(g->llvm, (unsigned)(*(*at)++ - '0'));
    TRI_ASSERT(tri_machine_eat(at, "i"));
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
    TRI_ASSERT(tri_machine_eat(&at, "("));
    while (!tri_machine_eat(&at, ")")) {
        TRI_ASSERT(s.num_args < max_args);
        s.args[s.num_args++] = parse_type(g, &at);
        tri_machine_eat(&at, ",");
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

/* Constants behind the arguments, from "0,32"; i32, or what stands in front of one: "i64:0,i1:0". */
static int add_constants(tri_gpu *g, const char *text, LLVMValueRef *args, int n)
{
    while (*text) {
        char *end;
        LLVMTypeRef type = tri_machine_eat(&text, "i64:") ? g->i64 : tri_machine_eat(&text, "i1:") ? g->i1 : g->i32;
        long value = strtol(text, &end, 10);
        TRI_ASSERT(end != text && n < max_args);
        args[n++] = LLVMConstInt(type, (uint64_t)value, true);
        text = *end == ',' ? end + 1 : end;
    }
    return n;
}

static LLVMValueRef call_intrinsic(tri_gpu *g, const tri_machine_row *row, LLVMValueRef *args, int n)
{
    n = add_constants(g, row->operands, args, n);
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
    return LLVMBuildCall2(g->b, LLVMGlobalGetValueType(callee), callee, args, (unsigned)n, "");
}

/* A function of the run-time library of the device, declared at first use. */
static LLVMValueRef call_function(tri_gpu *g, const tri_machine_row *row, const signature *s, LLVMValueRef *args, int n)
{
    const char *constants = row->operands;
    bool is_wide = tri_machine_eat(&constants, "i64:");
    n = add_constants(g, constants, args, n);
    LLVMValueRef callee = LLVMGetNamedFunction(g->module, row->text);
    if (!callee) {
        LLVMTypeRef types[max_args];
        for (int i = 0; i < n; i++)
            types[i] = LLVMTypeOf(args[i]);
        LLVMTypeRef type = LLVMFunctionType(is_wide ? g->i64 : s->result, types, (unsigned)n, false);
        callee = LLVMAddFunction(g->module, row->text, type);
        LLVMSetFunctionCallConv(callee, g->machine->function_convention);
    }
    LLVMValueRef call = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(callee), callee, args, (unsigned)n, "");
    LLVMSetInstructionCallConv(call, g->machine->function_convention);
    set_flags(g, call, row->flags);
    return is_wide ? LLVMBuildTrunc(g->b, call, s->result, "") : call;
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

LLVMValueRef tri_machine_call(tri_gpu *g, tri_machine_id id, LLVMValueRef *args, int num_args)
{
    const tri_machine_row *row = row_of(g, id);
    signature s = parse_signature(g, primitives[id].signature);
    TRI_ASSERT(s.num_args == num_args);
    LLVMValueRef all[max_args];
    for (int i = 0; i < num_args; i++) {
        TRI_ASSERT(LLVMTypeOf(args[i]) == s.args[i]);
        all[i] = args[i];
    }
    if (g->simulate)
        return tri_simulate_call(g, id, s.result, args, num_args);
    LLVMValueRef call = NULL;
    switch (row->how) {
    case TRI_MACHINE_INTRINSIC:
        call = call_intrinsic(g, row, all, num_args);
        if (row->flags & TRI_MACHINE_CONVERGENT)
            add_flag(g, call, "convergent", 0);
        break;
    case TRI_MACHINE_CALL: call = call_function(g, row, &s, all, num_args); break;
    case TRI_MACHINE_ASM: call = tri_machine_call_asm(g, row->text, row->operands, s.result, all, num_args, row->flags); break;
    case TRI_MACHINE_TEMPLATE:
    case TRI_MACHINE_ABSENT: TRI_BUG("primitive '%s' is not a call", primitives[id].name);
    }
    return LLVMGetTypeKind(s.result) == LLVMVoidTypeKind ? NULL : call;
}

/* ---- templates ---- */

/* Text, constraints and arguments of one templated access while they are put together. */
typedef struct {
    tri_buf text, constraints;
    LLVMValueRef args[max_args];
    int num_args, num_results;
    int pred, addr, values;  /* operand numbers; pred -1: none */
} assembly;

const char *tri_machine_letter(tri_gpu *g, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMFloatTypeKind: return "f";
    case LLVMDoubleTypeKind: return "d";
    case LLVMPointerTypeKind: return LLVMGetPointerAddressSpace(type) == 1 ? "l" : "r";
    default: break;
    }
    unsigned bits = tri_gpu_bits(g, type);
    return bits == 1 ? "b" : bits <= 16 ? "h" : bits == 32 ? "r" : "l";
}

static int add_operand(tri_gpu *g, assembly *a, LLVMValueRef value, const char *constraint)
{
    if (a->constraints.len)
        tri_buf_add_char(&a->constraints, ',');
    tri_buf_add_z(&a->constraints, constraint ? constraint : tri_machine_letter(g, LLVMTypeOf(value)));
    a->args[a->num_args++] = value;
    return a->num_results + a->num_args - 1;
}

static void add_list(tri_buf *text, int first, int count, bool braces)
{
    if (braces)
        tri_buf_add_char(text, '{');
    for (int i = 0; i < count; i++)
        tri_buf_format(text, "%s$%d", i ? ", " : "", first + i);
    if (braces)
        tri_buf_add_char(text, '}');
}

/* Replaces {name} in a template. */
static void expand(assembly *a, const char *template, const tri_machine_access *access, unsigned bits,
                   const char *operation, int first_reg, int num_values)
{
    for (const char *at = template; *at;) {
        if (tri_machine_eat(&at, "{pred}")) {
            if (a->pred >= 0)
                tri_buf_format(&a->text, "@$%d ", a->pred);
        } else if (tri_machine_eat(&at, "{mod}")) {
            tri_buf_add_z(&a->text, access->modifiers);
        } else if (tri_machine_eat(&at, "{vec}")) {
            if (access->words > 1)
                tri_buf_format(&a->text, ".v%d", access->words);
        } else if (tri_machine_eat(&at, "{bits}")) {
            tri_buf_format(&a->text, "%u", bits);
        } else if (tri_machine_eat(&at, "{op}")) {
            tri_buf_add_z(&a->text, operation);
        } else if (tri_machine_eat(&at, "{addr}")) {
            tri_buf_format(&a->text, "$%d", a->addr);
        } else if (tri_machine_eat(&at, "{regs}")) {
            add_list(&a->text, first_reg, access->words, access->words > 1);
        } else if (tri_machine_eat(&at, "{values}")) {
            add_list(&a->text, a->values, num_values, access->words > 1);
        } else {
            tri_buf_add_char(&a->text, *at++);
        }
    }
}

static void fini(assembly *a)
{
    tri_buf_fini(&a->text);
    tri_buf_fini(&a->constraints);
}

/* 8-bit words travel in 16-bit registers. */
static LLVMTypeRef carrier(tri_gpu *g, LLVMTypeRef word) { return tri_gpu_bits(g, word) < 16 ? g->i16 : word; }

static void add_results(tri_gpu *g, assembly *a, LLVMTypeRef type, int count, bool early)
{
    char constraint[16];
    snprintf(constraint, sizeof constraint, "=%s%s", early ? "&" : "", tri_machine_letter(g, type));
    for (int i = 0; i < count; i++) {
        if (a->constraints.len)
            tri_buf_add_char(&a->constraints, ',');
        tri_buf_add_z(&a->constraints, constraint);
    }
    a->num_results = count;
}

static LLVMTypeRef result_type(tri_gpu *g, LLVMTypeRef type, int count)
{
    if (count == 1)
        return type;
    LLVMTypeRef parts[8];
    for (int i = 0; i < count; i++)
        parts[i] = type;
    return LLVMStructTypeInContext(g->llvm, parts, (unsigned)count, false);
}

void tri_machine_load(tri_gpu *g, tri_machine_id id, const tri_machine_access *access, LLVMValueRef *other,
                      LLVMValueRef *out_words)
{
    if (g->simulate) {
        tri_simulate_load(g, id, access, other, out_words);
        return;
    }
    const tri_machine_row *row = row_of(g, id);
    LLVMTypeRef type = carrier(g, access->word);
    assembly a = {.pred = -1};
    add_results(g, &a, type, access->words, false);
    a.addr = add_operand(g, &a, access->pointer, NULL);
    if (access->pred)
        a.pred = add_operand(g, &a, access->pred, NULL);
    for (int i = 0; other && access->pred && i < access->words; i++) {
        char tie[16];
        snprintf(tie, sizeof tie, "%d", i);
        LLVMValueRef value = other[i];
        if (type != access->word)
            value = LLVMBuildZExt(g->b, value, type, "");
        add_operand(g, &a, value, tie);
    }
    expand(&a, row->text, access, tri_gpu_bits(g, access->word), "", 0, 0);
    LLVMValueRef call = tri_machine_call_asm(g, a.text.data, a.constraints.data, result_type(g, type, access->words), a.args,
                                 a.num_args, row->flags);
    for (int i = 0; i < access->words; i++) {
        LLVMValueRef word = access->words == 1 ? call : LLVMBuildExtractValue(g->b, call, (unsigned)i, "");
        out_words[i] = type == access->word ? word : LLVMBuildTrunc(g->b, word, access->word, "");
    }
    fini(&a);
}

void tri_machine_store(tri_gpu *g, tri_machine_id id, const tri_machine_access *access, LLVMValueRef *words)
{
    if (g->simulate) {
        tri_simulate_store(g, id, access, words);
        return;
    }
    const tri_machine_row *row = row_of(g, id);
    LLVMTypeRef type = carrier(g, access->word);
    assembly a = {.pred = -1};
    a.addr = add_operand(g, &a, access->pointer, NULL);
    int first = a.num_args;
    for (int i = 0; i < access->words; i++) {
        LLVMValueRef word = words[i];
        if (type != access->word)
            word = LLVMBuildZExt(g->b, word, type, "");
        add_operand(g, &a, word, NULL);
    }
    if (access->pred)
        a.pred = add_operand(g, &a, access->pred, NULL);
    expand(&a, row->text, access, tri_gpu_bits(g, access->word), "", first, 0);
    tri_machine_call_asm(g, a.text.data, a.constraints.data, LLVMVoidTypeInContext(g->llvm), a.args, a.num_args, row->flags);
    fini(&a);
}

void tri_machine_atomic(tri_gpu *g, tri_machine_id id, const tri_machine_access *access, const char *operation,
                        LLVMValueRef *values, int num_values, LLVMValueRef *out_words)
{
    const tri_machine_row *row = row_of(g, id);
    if (g->simulate) {
        tri_simulate_atomic(g, id, access, operation, values, num_values, out_words);
        return;
    }
    bool has_result = id != TRI_MACHINE_atomic_rmw_none;
    assembly a = {.pred = -1};
    if (has_result)
        add_results(g, &a, access->word, access->words, false);
    a.addr = add_operand(g, &a, access->pointer, NULL);
    a.values = a.num_results + a.num_args;
    for (int i = 0; i < num_values * access->words; i++)
        add_operand(g, &a, values[i], NULL);
    if (access->pred)
        a.pred = add_operand(g, &a, access->pred, NULL);
    expand(&a, row->text, access, tri_gpu_bits(g, access->word), operation, 0, num_values * access->words);
    LLVMTypeRef result = has_result ? result_type(g, access->word, access->words) : LLVMVoidTypeInContext(g->llvm);
    LLVMValueRef call = tri_machine_call_asm(g, a.text.data, a.constraints.data, result, a.args, a.num_args, row->flags);
    for (int i = 0; has_result && i < access->words; i++)
        out_words[i] = access->words == 1 ? call : LLVMBuildExtractValue(g->b, call, (unsigned)i, "");
    fini(&a);
}
