/* Code that the source brings along: library functions and inline assembly. */
#include "ir/type.h"
#include "targets/gpu/access.h"
#include "targets/gpu/extern.h"
#include "ir/llvm.h"
#include "targets/gpu/simulate.h"

/* ---- tt.extern_elementwise ---- */

static LLVMValueRef declare(tri_gpu *g, MlirOperation op, tri_str symbol, LLVMTypeRef type, bool is_pure)
{
    const char *name = tri_str_copy(g->arena, symbol).data;
    LLVMValueRef callee = LLVMGetNamedFunction(g->module, name);
    if (callee)
        return callee;
    tri_library_note(g->unit, &g->externs, symbol, op);
    callee = LLVMAddFunction(g->module, name, type);
    if (!g->simulate)
        LLVMSetFunctionCallConv(callee, g->machine->function_convention);
    static const char *const pure[] = {"nounwind", "willreturn", "memory"};
    for (int i = 0; is_pure && i < 3; i++)
        tri_llvm_add_attribute(callee, pure[i]);
    return callee;
}

static LLVMValueRef call(tri_gpu *g, MlirOperation op, tri_str symbol, LLVMValueRef *args, int n, LLVMTypeRef result,
                         bool is_pure)
{
    enum { max_args = 8 };
    LLVMTypeRef types[max_args];
    TRI_ASSERT(n <= max_args);
    for (int i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, (unsigned)n, false);
    LLVMValueRef callee = declare(g, op, symbol, type, is_pure);
    if (LLVMGlobalGetValueType(callee) != type) {
        tri_gpu_unsupported(g, op, "'%.*s' is called with different types", TRI_STR_ARG(symbol));
        return NULL;
    }
    LLVMValueRef made = LLVMBuildCall2(g->b, type, callee, args, (unsigned)n, "");
    LLVMSetInstructionCallConv(made, LLVMGetFunctionCallConv(callee));
    return made;
}

LLVMValueRef tri_gpu_call_library(tri_gpu *g, MlirOperation op, tri_str name, LLVMValueRef *args, int num_args,
                                  LLVMTypeRef result)
{
    if (!g->machine->library_prefix) {
        tri_gpu_unsupported(g, op, "the device has no library with a function '%.*s'", TRI_STR_ARG(name));
        return NULL;
    }
    tri_str symbol = tri_str_format(g->arena, "%s%.*s", g->machine->library_prefix, TRI_STR_ARG(name));
    return call(g, op, symbol, args, num_args, result, true);
}

/* Functions of C take pointers to any memory. */
static LLVMValueRef to_generic(tri_gpu *g, LLVMValueRef value)
{
    bool is_global = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
    return is_global ? LLVMBuildAddrSpaceCast(g->b, value, LLVMPointerTypeInContext(g->llvm, 0), "") : value;
}

/* The upper half of a product of 64 bits where the family has a function for it: the library's own needs integers of
 * 128 bits. Null for any other function. */
static LLVMValueRef upper_half(tri_gpu *g, tri_str symbol, LLVMValueRef *a)
{
    bool is_signed = tri_str_is(symbol, "__nv_mul64hi");
    tri_machine_id id = is_signed ? TRI_MACHINE_mulhi_s64 : TRI_MACHINE_mulhi_u64;
    bool is_known = is_signed || tri_str_is(symbol, "__nv_umul64hi");
    return is_known && tri_machine_has(g, id) ? tri_machine_call(g, id, a, 2) : NULL;
}

static LLVMValueRef extern_call(tri_gpu *g, MlirOperation op, LLVMValueRef *a)
{
    tri_str symbol = tri_op_string(op, "symbol");
    LLVMValueRef upper = upper_half(g, symbol, a);
    if (upper)
        return upper;
    if (!g->machine->library_prefix && tri_str_has_prefix(symbol, "__nv_")) {
        tri_gpu_unsupported(g, op, "the device has no library with a function '%.*s'", TRI_STR_ARG(symbol));
        return NULL;
    }
    if (!symbol.len) {
        tri_gpu_unsupported(g, op, "it names no function");
        return NULL;
    }
    int n = (int)mlirOperationGetNumOperands(op);
    for (int i = 0; i < n; i++)
        a[i] = to_generic(g, a[i]);
    LLVMTypeRef result = tri_gpu_part_type(g, mlirValueGetType(mlirOperationGetResult(op, 0)), 0);
    bool is_pointer = LLVMGetTypeKind(result) == LLVMPointerTypeKind;
    LLVMTypeRef type = is_pointer ? LLVMPointerTypeInContext(g->llvm, 0) : result;
    LLVMValueRef made = call(g, op, symbol, a, n, type, tri_op_flag(op, "pure"));
    return made && is_pointer ? LLVMBuildAddrSpaceCast(g->b, made, result, "") : made;
}

/* ---- tt.elementwise_inline_asm ---- */

/* Registers of `pack` elements: narrow ones share 32 bits. */
static tri_gpu_packing asm_packing(tri_gpu *g, LLVMTypeRef type, int pack)
{
    tri_gpu_packing p = tri_gpu_plan_packing(g, type, 1);
    int per_word = p.element_bits < 32 ? 32 / p.element_bits : 1;
    p.per_word = per_word < pack ? per_word : pack;
    p.words = pack / p.per_word;
    p.word = LLVMIntTypeInContext(g->llvm, (unsigned)(p.element_bits * p.per_word));
    return p;
}

/* Floats of 32 and 64 bits go as floats, so that "f" and "d" constraints fit; the rest as integers. */
static bool goes_as_float(const tri_gpu_packing *p)
{
    LLVMTypeKind kind = LLVMGetTypeKind(p->element);
    return p->per_word == 1 && (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind);
}

enum { max_registers = 64 };

typedef struct {
    LLVMTypeRef types[max_registers];
    LLVMValueRef values[max_registers];
    unsigned count;
} registers;

/* `pack` elements from `first` on; the last one again behind the end. */
static LLVMValueRef *group_of(tri_gpu *g, tri_gpu_value value, int first, int pack)
{
    LLVMValueRef *out = TRI_NEW_ARRAY(g->arena, LLVMValueRef, pack);
    for (int i = 0; i < pack; i++)
        out[i] = value.at[first + i < value.count ? first + i : value.count - 1];
    return out;
}

static bool add_operands(tri_gpu *g, MlirOperation op, int first, int pack, registers *out)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        tri_gpu_value value = tri_gpu_operand(g, op, i);
        LLVMValueRef *group = group_of(g, value, first, pack);
        tri_gpu_packing p = asm_packing(g, LLVMTypeOf(value.at[0]), pack);
        if (out->count + (unsigned)p.words > max_registers)
            return tri_gpu_unsupported(g, op, "more than %d registers; a smaller pack helps", max_registers);
        LLVMValueRef *words = out->values + out->count;
        if (goes_as_float(&p))
            for (int w = 0; w < p.words; w++)
                words[w] = group[w];
        else
            tri_gpu_pack(g, &p, group, words);
        for (int w = 0; w < p.words; w++)
            out->types[out->count++] = LLVMTypeOf(words[w]);
    }
    return true;
}

static bool result_types(tri_gpu *g, MlirOperation op, int pack, registers *out)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        LLVMTypeRef type = tri_gpu_part_type(g, mlirValueGetType(mlirOperationGetResult(op, i)), 0);
        tri_gpu_packing p = asm_packing(g, type, pack);
        if (out->count + (unsigned)p.words > max_registers)
            return tri_gpu_unsupported(g, op, "more than %d registers; a smaller pack helps", max_registers);
        for (int w = 0; w < p.words; w++)
            out->types[out->count++] = goes_as_float(&p) ? type : p.word;
    }
    return true;
}

static void take_results(tri_gpu *g, MlirOperation op, const LLVMValueRef *made, int first, int pack,
                         tri_gpu_value *out)
{
    unsigned next = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        LLVMTypeRef type = tri_gpu_part_type(g, mlirValueGetType(mlirOperationGetResult(op, i)), 0);
        tri_gpu_packing p = asm_packing(g, type, pack);
        LLVMValueRef words[max_registers];
        for (int w = 0; w < p.words; w++, next++)
            words[w] = made[next];
        LLVMValueRef elements[max_registers * 4];
        if (goes_as_float(&p))
            memcpy(elements, words, sizeof *words * (size_t)p.words);
        else
            tri_gpu_unpack(g, &p, words, elements);
        for (int e = 0; e < pack && first + e < out[i].count; e++)
            out[i].at[first + e] = elements[e];
    }
}

bool tri_gpu_inline_asm(tri_gpu *g, const tri_machine_assembly *a)
{
    LLVMTypeRef in[max_registers], out[max_registers];
    TRI_ASSERT(a->num_args <= max_registers && a->num_results <= max_registers);
    for (int i = 0; i < a->num_args; i++)
        in[i] = LLVMTypeOf(a->args[i]);
    for (int i = 0; i < a->num_results; i++)
        out[i] = LLVMTypeOf(a->results[i]);
    LLVMTypeRef result =
        a->num_results == 1 ? out[0] : LLVMStructTypeInContext(g->llvm, out, (unsigned)a->num_results, false);
    LLVMTypeRef type = LLVMFunctionType(result, in, (unsigned)a->num_args, false);
    const char *mistake = tri_llvm_check_assembly(g->arena, type, a->text, a->constraints);
    if (mistake)
        return tri_gpu_unsupported(g, a->op, "inline assembly with the constraints \"%.*s\": %s",
                                   TRI_STR_ARG(a->constraints), mistake);
    LLVMValueRef callee = LLVMGetInlineAsm(type, a->text.data, a->text.len, a->constraints.data, a->constraints.len,
                                           !tri_op_flag(a->op, "pure"), 0, LLVMInlineAsmDialectATT, 0);
    LLVMValueRef call = LLVMBuildCall2(g->b, type, callee, a->args, (unsigned)a->num_args, "");
    for (int i = 0; i < a->num_results; i++)
        a->results[i] = a->num_results == 1 ? call : LLVMBuildExtractValue(g->b, call, (unsigned)i, "");
    return true;
}

tri_str tri_gpu_foreign_constraint(tri_str constraints, const char *letters)
{
    while (constraints.len) {
        size_t comma = tri_str_find(constraints, ',');
        tri_str one = tri_str_trim(tri_str_sub(constraints, 0, comma)), name = one;
        constraints = tri_str_sub(constraints, comma + (comma < constraints.len), constraints.len);
        while (name.len && strchr("=&+*%", name.data[0]))
            name = tri_str_sub(name, 1, name.len);
        bool is_letter = name.len == 1 && strchr(letters, name.data[0]);
        bool is_known = is_letter || (name.len && strchr("{~0123456789", name.data[0]));
        if (!is_known && one.len)
            return one;
    }
    return TRI_STR("");
}

/* Runs the text once: results->types are known, its values are filled. */
static bool call_asm(tri_gpu *g, MlirOperation op, registers *in, registers *results)
{
    tri_str text = tri_op_string(op, "asm_string"), constraints = tri_op_string(op, "constraints");
    for (unsigned i = 0; i < results->count; i++)
        results->values[i] = LLVMConstNull(results->types[i]);
    tri_machine_assembly assembly = {
        op, text, constraints, in->values, results->values, (int)in->count, (int)results->count};
    return g->machine->assemble(g, &assembly);
}

static bool run_inline_asm(tri_gpu *g, MlirOperation op)
{
    enum { max_results = 8 };
    int pack = (int)tri_op_int(op, "packed_element", 1), num_results = (int)mlirOperationGetNumResults(op);
    if (!g->machine->assemble)
        return tri_gpu_unsupported(g, op, "the device takes no assembly");
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    int count = tri_gpu_count(g, type);
    if (num_results > max_results)
        return tri_gpu_unsupported(g, op, "more than %d results", max_results);
    tri_str text = tri_str_copy(g->unit->arena, tri_op_string(op, "asm_string"));
    tri_vec_push(g->unit->arena, &g->unit->assemblies, (tri_assembly){text, mlirOperationGetLocation(op)});
    tri_gpu_value out[max_results];
    for (int i = 0; i < num_results; i++)
        out[i] = tri_gpu_new(g, count);
    for (int first = 0; first < count; first += pack) {
        registers in = {0}, results = {0};
        if (!add_operands(g, op, first, pack, &in) || !result_types(g, op, pack, &results) ||
            !call_asm(g, op, &in, &results))
            return false;
        take_results(g, op, results.values, first, pack, out);
    }
    for (int i = 0; i < num_results; i++)
        tri_gpu_set_result(g, op, i, out[i]);
    return true;
}

/* ---- small operations of the machine ---- */

static bool run_grid_wait(tri_gpu *g, MlirOperation op)
{
    (void)op; /* without the feature the launch itself waits */
    if (tri_machine_has(g, TRI_MACHINE_grid_wait))
        tri_machine_call(g, TRI_MACHINE_grid_wait, NULL, 0);
    return true;
}

static bool run_grid_launch(tri_gpu *g, MlirOperation op)
{
    (void)op;
    if (tri_machine_has(g, TRI_MACHINE_grid_launch))
        tri_machine_call(g, TRI_MACHINE_grid_launch, NULL, 0);
    return true;
}

static bool run_assume(tri_gpu *g, MlirOperation op)
{
    LLVMValueRef cond = tri_gpu_operand(g, op, 0).at[0];
    if (!LLVMIsAConstantInt(cond))
        tri_gpu_intrinsic(g, "llvm.assume", NULL, 0, &cond, 1);
    return true;
}

static bool run_warp_id(tri_gpu *g, MlirOperation op)
{
    tri_gpu_set_result(g, op, 0, tri_gpu_single(g, tri_gpu_warp(g)));
    return true;
}

/* This program's part of the scratch memory that the launcher allocates. */
static bool run_scratch(tri_gpu *g, MlirOperation op)
{
    int64_t offset = tri_op_int(op, "ttg.global_scratch_memory_offset", -1);
    MlirOperation module = mlirModuleGetOperation(g->unit->module);
    int64_t size = tri_op_int(module, "ttg.global_scratch_memory_size", 0);
    if (offset < 0 || !g->scratch)
        return tri_gpu_unsupported(g, op, "no global scratch memory was allocated for it");
    LLVMValueRef program = tri_gpu_i32(g, 0);
    for (int d = 2; d >= 0; d--) {
        LLVMValueRef count = tri_machine_call(g, (tri_machine_id)(TRI_MACHINE_num_programs_x + d), NULL, 0);
        LLVMValueRef id = tri_machine_call(g, (tri_machine_id)(TRI_MACHINE_program_id_x + d), NULL, 0);
        program = LLVMBuildAdd(g->b, LLVMBuildMul(g->b, program, count, ""), id, "");
    }
    LLVMValueRef bytes = LLVMBuildMul(g->b, LLVMBuildZExt(g->b, program, g->i64, ""),
                                      LLVMConstInt(g->i64, (uint64_t)size, false), "");
    bytes = LLVMBuildAdd(g->b, bytes, LLVMConstInt(g->i64, (uint64_t)offset, false), "");
    tri_gpu_set_result(g, op, 0, tri_gpu_single(g, tri_gpu_offset(g, g->scratch, bytes)));
    return true;
}

const tri_gpu_op tri_gpu_ops_extern[] = {
    {"tt.extern_elementwise", NULL, extern_call},
    {"tt.elementwise_inline_asm", run_inline_asm, NULL},
    {"tt.grid_dependency_wait", run_grid_wait, NULL},
    {"tt.grid_dependency_launch_dependents", run_grid_launch, NULL},
    {"llvm.intr.assume", run_assume, NULL},
    {"ttg.warp_id", run_warp_id, NULL},
    {"ttg.global_scratch_alloc", run_scratch, NULL},
    {0},
};
