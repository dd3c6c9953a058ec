/* LLVM IR as its SPIR-V back end can say it. That back end stops the process, or makes something else of it without a
 * word: minimum and maximum become OpenCL's fmin and fmax, which drop NaNs; bits are reversed only by an extension;
 * integers of odd widths are widened without a mask. */
#include "ir/guard.h"
#include "ir/llvm.h"
#include "targets/spirv/spirv.h"

#include "llvm-c/Core.h"

#include <string.h>

enum { code_no_code = 6005 };

typedef struct {
    LLVMBuilderRef b;
    LLVMContextRef context;
} state;

static LLVMTypeRef integer_like(state *s, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        return LLVMVectorType(integer_like(s, LLVMGetElementType(type)), LLVMGetVectorSize(type));
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind: return LLVMInt16TypeInContext(s->context);
    case LLVMDoubleTypeKind: return LLVMInt64TypeInContext(s->context);
    default: return LLVMInt32TypeInContext(s->context);
    }
}

static LLVMTypeRef scalar_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static unsigned scalar_bits(LLVMTypeRef type) { return LLVMGetIntTypeWidth(scalar_of(type)); }

static LLVMValueRef constant_like(LLVMTypeRef type, uint64_t value)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return LLVMConstInt(type, value, false);
    LLVMValueRef lanes[16], one = LLVMConstInt(LLVMGetElementType(type), value, false);
    unsigned count = LLVMGetVectorSize(type);
    TRI_ASSERT(count <= 16);
    for (unsigned lane = 0; lane < count; lane++)
        lanes[lane] = one;
    return LLVMConstVector(lanes, count);
}

/* The smaller or the larger one; -0 is less than +0: of equal numbers only zeros differ, by their sign bit. */
static LLVMValueRef choose_legalize(state *s, LLVMValueRef x, LLVMValueRef y, bool is_max)
{
    LLVMTypeRef type = LLVMTypeOf(x), bits = integer_like(s, type);
    LLVMValueRef a = LLVMBuildBitCast(s->b, x, bits, ""), c = LLVMBuildBitCast(s->b, y, bits, "");
    LLVMValueRef both = is_max ? LLVMBuildAnd(s->b, a, c, "") : LLVMBuildOr(s->b, a, c, "");
    LLVMValueRef is_first = LLVMBuildFCmp(s->b, is_max ? LLVMRealOGT : LLVMRealOLT, x, y, "");
    LLVMValueRef other = LLVMBuildSelect(s->b, is_first, x, y, "");
    LLVMValueRef equal = LLVMBuildFCmp(s->b, LLVMRealOEQ, x, y, "");
    return LLVMBuildSelect(s->b, equal, LLVMBuildBitCast(s->b, both, type, ""), other, "");
}

/* llvm.minimum and maximum: a NaN where there is one. */
static LLVMValueRef propagating(state *s, LLVMValueRef call, bool is_max)
{
    LLVMValueRef x = LLVMGetOperand(call, 0), y = LLVMGetOperand(call, 1);
    LLVMValueRef is_nan = LLVMBuildFCmp(s->b, LLVMRealUNO, x, y, "");
    LLVMValueRef chosen = choose_legalize(s, x, y, is_max);
    return LLVMBuildSelect(s->b, is_nan, LLVMBuildFAdd(s->b, x, y, ""), chosen, "");
}

/* llvm.minnum, minimumnum and the like: a number where there is one. */
static LLVMValueRef numeric(state *s, LLVMValueRef call, bool is_max)
{
    LLVMValueRef x = LLVMGetOperand(call, 0), y = LLVMGetOperand(call, 1);
    LLVMValueRef x_is_nan = LLVMBuildFCmp(s->b, LLVMRealUNO, x, x, ""),
                 y_is_nan = LLVMBuildFCmp(s->b, LLVMRealUNO, y, y, "");
    LLVMValueRef z = LLVMBuildSelect(s->b, y_is_nan, x, choose_legalize(s, x, y, is_max), "");
    return LLVMBuildSelect(s->b, x_is_nan, y, z, "");
}

/* llvm.umax and the like of booleans. */
static LLVMValueRef either(state *s, LLVMValueRef call)
{
    bool is_boolean = scalar_bits(LLVMTypeOf(call)) == 1;
    return is_boolean ? LLVMBuildOr(s->b, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), "") : call;
}

static LLVMValueRef both(state *s, LLVMValueRef call)
{
    bool is_boolean = scalar_bits(LLVMTypeOf(call)) == 1;
    return is_boolean ? LLVMBuildAnd(s->b, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), "") : call;
}

static LLVMValueRef maximum(state *s, LLVMValueRef call) { return propagating(s, call, true); }
static LLVMValueRef minimum(state *s, LLVMValueRef call) { return propagating(s, call, false); }
static LLVMValueRef maxnum(state *s, LLVMValueRef call) { return numeric(s, call, true); }
static LLVMValueRef minnum(state *s, LLVMValueRef call) { return numeric(s, call, false); }

/* Neighbours change places, then pairs, and so on: the masks are 0x55.., 0x33.., 0x0f.. */
static LLVMValueRef bitreverse(state *s, LLVMValueRef call)
{
    LLVMValueRef x = LLVMGetOperand(call, 0);
    LLVMTypeRef type = LLVMTypeOf(x);
    for (unsigned step = 1; step < scalar_bits(type); step *= 2) {
        uint64_t mask = ~UINT64_C(0) / ((UINT64_C(1) << step) + 1);
        LLVMValueRef masks = constant_like(type, mask), steps = constant_like(type, step);
        LLVMValueRef low = LLVMBuildAnd(s->b, x, masks, "");
        LLVMValueRef high = LLVMBuildAnd(s->b, LLVMBuildLShr(s->b, x, steps, ""), masks, "");
        x = LLVMBuildOr(s->b, LLVMBuildShl(s->b, low, steps, ""), high, "");
    }
    return x;
}

/* Numbers are not flushed here, and quiet NaNs are as good as canonical ones. */
static LLVMValueRef canonicalize(state *s, LLVMValueRef call)
{
    (void)s;
    return LLVMGetOperand(call, 0);
}

static LLVMValueRef exp10_call(state *s, LLVMValueRef call)
{
    LLVMValueRef x = LLVMGetOperand(call, 0);
    LLVMTypeRef type = LLVMTypeOf(x), function = LLVMFunctionType(type, &type, 1, false);
    const char *name = LLVMGetTypeKind(type) == LLVMDoubleTypeKind ? "_Z5exp10d" : "_Z5exp10f";
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
    LLVMValueRef callee = LLVMGetNamedFunction(module, name);
    if (!callee) {
        callee = LLVMAddFunction(module, name, function);
        LLVMSetFunctionCallConv(callee, tri_spirv_machine.function_convention);
    }
    LLVMValueRef made = LLVMBuildCall2(s->b, function, callee, &x, 1, "");
    LLVMSetInstructionCallConv(made, tri_spirv_machine.function_convention);
    return made;
}

/* OpenCL has fma(half) only where the device declares it: rounded twice, which is off by 2^-12 units in the last place.
 */
static LLVMValueRef fma_half(state *s, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMTypeOf(call), f32 = LLVMFloatTypeInContext(s->context);
    LLVMValueRef callee = LLVMGetCalledValue(call), wide[3];
    if (LLVMGetTypeKind(type) != LLVMHalfTypeKind)
        return call;
    for (unsigned i = 0; i < 3; i++)
        wide[i] = LLVMBuildFPExt(s->b, LLVMGetOperand(call, i), f32, "");
    LLVMModuleRef module = LLVMGetGlobalParent(callee);
    LLVMValueRef fma = LLVMGetIntrinsicDeclaration(module, LLVMGetIntrinsicID(callee), &f32, 1);
    return LLVMBuildFPTrunc(s->b, LLVMBuildCall2(s->b, LLVMGlobalGetValueType(fma), fma, wide, 3, ""), type, "");
}

/* Nor has it fabs(half) elsewhere. */
static LLVMValueRef fabs_half(state *s, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMTypeOf(call), bits = integer_like(s, type);
    if (LLVMGetTypeKind(scalar_of(type)) != LLVMHalfTypeKind)
        return call;
    LLVMValueRef x = LLVMBuildBitCast(s->b, LLVMGetOperand(call, 0), bits, "");
    return LLVMBuildBitCast(s->b, LLVMBuildAnd(s->b, x, constant_like(bits, 0x7fff), ""), type, "");
}

/* llvm.llrint: OpenCL's rint, then a conversion, which is exact. */
static LLVMValueRef integer_of_rint(state *s, LLVMValueRef call)
{
    LLVMValueRef x = LLVMGetOperand(call, 0);
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetCalledValue(call));
    unsigned id = LLVMLookupIntrinsicID("llvm.rint", strlen("llvm.rint"));
    LLVMValueRef rint = LLVMGetIntrinsicDeclaration(module, id, &type, 1);
    LLVMValueRef rounded = LLVMBuildCall2(s->b, LLVMGlobalGetValueType(rint), rint, &x, 1, "");
    return LLVMBuildFPToSI(s->b, rounded, LLVMTypeOf(call), "");
}

/* The rounding mode is to nearest, as __builtin_flt_rounds counts; there is no other, see check_rounding. */
static LLVMValueRef rounding(state *s, LLVMValueRef call)
{
    (void)call;
    return LLVMConstInt(LLVMInt32TypeInContext(s->context), 1, false);
}

static LLVMValueRef set_rounding(state *s, LLVMValueRef call)
{
    (void)s, (void)call;
    return NULL;
}

static const struct {
    const char *name;
    LLVMValueRef (*make)(state *s, LLVMValueRef call); /* null result: the call goes; the call itself: it stays */
} rows[] = {
    {"llvm.minimum", minimum},       {"llvm.maximum", maximum},       {"llvm.minnum", minnum},
    {"llvm.maxnum", maxnum},         {"llvm.minimumnum", minnum},     {"llvm.maximumnum", maxnum},
    {"llvm.umax", either},           {"llvm.umin", both},             {"llvm.smax", both},
    {"llvm.smin", either},
    {"llvm.bitreverse", bitreverse}, {"llvm.canonicalize", canonicalize}, {"llvm.exp10", exp10_call},
    {"llvm.fma", fma_half},          {"llvm.fmuladd", fma_half},
    {"llvm.fabs", fabs_half},
    {"llvm.llrint", integer_of_rint}, {"llvm.lrint", integer_of_rint},
    {"llvm.get.rounding", rounding}, {"llvm.set.rounding", set_rounding},
};

/* printf wants a pointer to characters, and one to all of them looks the same here. */
static void point_to_text(state *s, LLVMValueRef call)
{
    LLVMValueRef text = LLVMGetOperand(call, 0);
    if (!LLVMIsAGlobalVariable(text))
        return;
    LLVMTypeRef type = LLVMTypeOf(text), types[] = {type, type};
    unsigned id = LLVMLookupIntrinsicID("llvm.spv.gep", strlen("llvm.spv.gep"));
    LLVMModuleRef module = LLVMGetGlobalParent(text);
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(module, id, types, 2);
    LLVMValueRef zero = LLVMConstNull(LLVMInt32TypeInContext(s->context));
    LLVMValueRef args[] = {LLVMConstInt(LLVMInt1TypeInContext(s->context), 1, false), text, zero, zero};
    LLVMPositionBuilderBefore(s->b, call);
    LLVMSetOperand(call, 0, LLVMBuildCall2(s->b, LLVMGlobalGetValueType(callee), callee, args, 4, ""));
}

static void replace_call(state *s, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    unsigned id = LLVMGetIntrinsicID(callee);
    if (!strcmp(LLVMGetValueName(callee), "printf"))
        point_to_text(s, call);
    for (size_t i = 0; id && i < sizeof rows / sizeof *rows; i++) {
        if (id != LLVMLookupIntrinsicID(rows[i].name, strlen(rows[i].name)))
            continue;
        LLVMPositionBuilderBefore(s->b, call);
        LLVMValueRef value = rows[i].make(s, call);
        if (value == call)
            return;
        if (value)
            LLVMReplaceAllUsesWith(call, value);
        LLVMInstructionEraseFromParent(call);
        return;
    }
}

/* ---- booleans, which SPIR-V does not count as integers ---- */

static LLVMValueRef boolean_arithmetic(state *s, LLVMValueRef i)
{
    LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd:
    case LLVMSub: return LLVMBuildXor(s->b, x, y, "");
    case LLVMMul: return LLVMBuildAnd(s->b, x, y, "");
    case LLVMUDiv:
    case LLVMSDiv: /* by 1, else undefined; and so are shifts by 1 */
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: return x;
    case LLVMURem:
    case LLVMSRem: return LLVMConstNull(LLVMTypeOf(x));
    default: return NULL;
    }
}

static LLVMValueRef boolean_compare(state *s, LLVMValueRef i)
{
    LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
    switch (LLVMGetICmpPredicate(i)) { /* true is 1 without a sign and -1 with one */
    case LLVMIntUGT:
    case LLVMIntSLT: return LLVMBuildAnd(s->b, x, LLVMBuildNot(s->b, y, ""), "");
    case LLVMIntULT:
    case LLVMIntSGT: return LLVMBuildAnd(s->b, LLVMBuildNot(s->b, x, ""), y, "");
    case LLVMIntUGE:
    case LLVMIntSLE: return LLVMBuildOr(s->b, x, LLVMBuildNot(s->b, y, ""), "");
    case LLVMIntULE:
    case LLVMIntSGE: return LLVMBuildOr(s->b, LLVMBuildNot(s->b, x, ""), y, "");
    default: return NULL;
    }
}

/* The lowest bit as a comparison: where one of other bits follows, the back end makes an `and` of both widths. */
static void replace_lowest_bit(state *s, LLVMValueRef i)
{
    LLVMValueRef x = LLVMGetOperand(i, 0);
    LLVMTypeRef type = LLVMTypeOf(x);
    if (scalar_bits(LLVMTypeOf(i)) != 1)
        return;
    LLVMPositionBuilderBefore(s->b, i);
    LLVMValueRef bit = LLVMBuildAnd(s->b, x, constant_like(type, 1), "");
    LLVMReplaceAllUsesWith(i, LLVMBuildICmp(s->b, LLVMIntNE, bit, LLVMConstNull(type), ""));
    LLVMInstructionEraseFromParent(i);
}

/* Low bits of a wider number in one between the two: of the two steps the back end, too, makes such an `and`. */
static void replace_low_bits(state *s, LLVMValueRef i)
{
    LLVMValueRef narrow = LLVMGetOperand(i, 0);
    if (!LLVMIsATruncInst(narrow))
        return;
    LLVMValueRef x = LLVMGetOperand(narrow, 0);
    LLVMTypeRef type = LLVMTypeOf(i);
    unsigned bits = scalar_bits(LLVMTypeOf(narrow));
    if (bits == 1 || scalar_bits(type) >= scalar_bits(LLVMTypeOf(x)))
        return;
    LLVMPositionBuilderBefore(s->b, i);
    LLVMValueRef middle = LLVMBuildTrunc(s->b, x, type, "");
    LLVMReplaceAllUsesWith(i, LLVMBuildAnd(s->b, middle, constant_like(type, (UINT64_C(1) << bits) - 1), ""));
    LLVMInstructionEraseFromParent(i);
}

static void replace_boolean(state *s, LLVMValueRef i)
{
    bool is_binary = LLVMIsABinaryOperator(i) != NULL, is_compare = LLVMIsAICmpInst(i) != NULL;
    if (!is_binary && !is_compare)
        return;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
    type = scalar_of(type);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 1)
        return;
    LLVMPositionBuilderBefore(s->b, i);
    LLVMValueRef value = is_binary ? boolean_arithmetic(s, i) : boolean_compare(s, i);
    if (!value)
        return;
    LLVMReplaceAllUsesWith(i, value);
    LLVMInstructionEraseFromParent(i);
}

/* ---- what cannot be said ---- */

static const char *fault_of_type(tri_arena *arena, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        unsigned lanes = LLVMGetVectorSize(type);
        if (lanes > 16 || (lanes != 3 && (lanes & (lanes - 1))))
            return tri_str_format(arena, "vectors of %u elements", lanes).data;
        type = LLVMGetElementType(type);
    }
    if (LLVMGetTypeKind(type) == LLVMBFloatTypeKind)
        return "bfloat values";
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return NULL;
    unsigned bits = LLVMGetIntTypeWidth(type);
    bool exists = bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
    return exists ? NULL : tri_str_format(arena, "integers of %u bits", bits).data;
}

static bool is_directed_rounding(LLVMValueRef instruction)
{
    if (!LLVMIsACallInst(instruction))
        return false;
    unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(instruction));
    if (!id || id != LLVMLookupIntrinsicID("llvm.set.rounding", strlen("llvm.set.rounding")))
        return false;
    LLVMValueRef mode = LLVMGetOperand(instruction, 0);
    return LLVMIsAConstantInt(mode) && LLVMConstIntGetZExtValue(mode) != 1;
}

/* OpenCL has no bfloat type, no odd integers, and one rounding mode. */
static bool check_instruction(tri_unit *unit, LLVMValueRef function, LLVMValueRef instruction)
{
    const char *fault = fault_of_type(unit->arena, LLVMTypeOf(instruction));
    if (is_directed_rounding(instruction))
        fault = "directed rounding";
    if (!fault)
        return true;
    tri_str place = tri_str_format(unit->arena, "in function %s:", LLVMGetValueName(function));
    tri_diag_error(unit->diag, tri_guard_span(place), code_no_code, "'%s' needs %s, which OpenCL devices do not have",
                   LLVMGetValueName(function), fault);
    return false;
}

bool tri_spirv_legalize(tri_unit *unit)
{
    state s = {.context = LLVMGetModuleContext(unit->llvm_module)};
    bool ok = true;
    s.b = LLVMCreateBuilderInContext(s.context);
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->llvm_module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                ok = ok && check_instruction(unit, f, i);
                if (LLVMIsACallInst(i))
                    replace_call(&s, i);
                else if (LLVMIsATruncInst(i))
                    replace_lowest_bit(&s, i);
                else if (LLVMIsAZExtInst(i))
                    replace_low_bits(&s, i);
                else
                    replace_boolean(&s, i);
            }
    LLVMDisposeBuilder(s.b);
    return ok;
}
