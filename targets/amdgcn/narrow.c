/* Loops' numbers of 64 bits of which only the lower 32 are used: they become numbers of 32 bits.
 *
 *     %i = phi i64 [%a, ...], [%j, ...]              %i = phi i32 [%a', ...], [%j, ...]
 *     %o = trunc i64 %i to i32                       ... %i ...
 *     %j = add i64 %i, 32                            %j = add i32 %i, 32
 *
 * So are offsets into arrays below 2 GiB that a kernel computes in 64 bits: LLVM narrows an expression, but no phi.
 * What is assumed at first of all numbers, that only their lower bits count, is taken back where a use says otherwise,
 * until nothing changes. */
#include "targets/amdgcn/amdgcn.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/llvm.h"

#include "llvm-c/Core.h"

typedef struct {
    LLVMValueRef wide, narrow; /* narrow: null until it is made */
    bool is_low, is_of_loop;   /* is_of_loop: a phi, or what leads to one or comes of one */
} number;

typedef TRI_VEC(number) numbers;

typedef struct {
    numbers all;
    tri_map index; /* of instructions: place in `all`, + 1 */
    LLVMBuilderRef b;
    LLVMTypeRef i32;
} state;

static bool has_width(LLVMValueRef value, unsigned width)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == width;
}

/* Do the lower 32 bits depend on those of the operands alone? */
static bool keeps_low(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
    case LLVMSelect:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return true;
    case LLVMShl: {
        LLVMValueRef by = LLVMGetOperand(i, 1);
        return LLVMIsAConstantInt(by) && LLVMConstIntGetZExtValue(by) < 32;
    }
    case LLVMSExt:
    case LLVMZExt:
        return LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(i, 0))) <= 32;
    default:
        return false;
    }
}

static number *find_wide(state *s, LLVMValueRef value)
{
    size_t place = (size_t)(uintptr_t)tri_map_find_ptr(&s->index, value);
    return place ? &s->all.at[place - 1] : NULL;
}

static void collect_numbers(state *s, tri_arena *arena, LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            if (!has_width(i, 64) || !keeps_low(i))
                continue;
            tri_vec_push(arena, &s->all, ((number){.wide = i, .is_low = true, .is_of_loop = LLVMIsAPHINode(i)}));
            tri_map_set_ptr(&s->index, i, (void *)(uintptr_t)s->all.len);
        }
}

static bool has_low_uses(state *s, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const number *n = find_wide(s, user);
        bool is_cut = LLVMIsATruncInst(user) && LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMIntegerTypeKind &&
                      LLVMGetIntTypeWidth(LLVMTypeOf(user)) <= 32;
        if (!is_cut && !(n && n->is_low))
            return false;
    }
    return true;
}

/* Takes back what uses contradict. */
static void restrict_low(state *s)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = s->all.len; i--;)
            if (s->all.at[i].is_low && !has_low_uses(s, s->all.at[i].wide)) {
                s->all.at[i].is_low = false;
                changed = true;
            }
    }
}

/* Marks all that hangs together with phis. */
static void extend_loops(state *s)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < s->all.len; i++) {
            number *n = &s->all.at[i];
            for (int k = 0; n->is_low && k < LLVMGetNumOperands(n->wide); k++) {
                number *operand = find_wide(s, LLVMGetOperand(n->wide, (unsigned)k));
                if (!operand || !operand->is_low || operand->is_of_loop == n->is_of_loop)
                    continue;
                operand->is_of_loop = n->is_of_loop = changed = true;
            }
        }
    }
}

static LLVMValueRef narrow_of(state *s, LLVMValueRef value, LLVMValueRef before);

static LLVMValueRef build_narrow(state *s, LLVMValueRef wide)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(wide);
    LLVMValueRef first = LLVMGetOperand(wide, 0), left, right;
    if (opcode == LLVMPHI) {
        LLVMPositionBuilderBefore(s->b, wide);
        return LLVMBuildPhi(s->b, s->i32, "");
    }
    if (opcode == LLVMSExt || opcode == LLVMZExt) {
        LLVMPositionBuilderBefore(s->b, wide);
        return LLVMBuildIntCast2(s->b, first, s->i32, opcode == LLVMSExt, "");
    }
    bool is_select = opcode == LLVMSelect;
    left = narrow_of(s, LLVMGetOperand(wide, is_select), wide);
    right = narrow_of(s, LLVMGetOperand(wide, 1 + (unsigned)is_select), wide);
    LLVMPositionBuilderBefore(s->b, wide);
    if (is_select)
        return LLVMBuildSelect(s->b, first, left, right, "");
    LLVMValueRef made = LLVMBuildBinOp(s->b, opcode, left, right, "");
    if (opcode == LLVMOr && tri_llvm_is(made, LLVMOr))
        LLVMSetIsDisjoint(made, LLVMGetIsDisjoint(wide));
    return made;
}

/* The lower 32 bits, of what is no number of a loop computed in front of `before`. */
static LLVMValueRef narrow_of(state *s, LLVMValueRef value, LLVMValueRef before)
{
    number *n = find_wide(s, value);
    if (!n || !n->is_low || !n->is_of_loop) {
        LLVMPositionBuilderBefore(s->b, before);
        return LLVMBuildTrunc(s->b, value, s->i32, "");
    }
    if (!n->narrow)
        n->narrow = build_narrow(s, value);
    return n->narrow;
}

static void fill_phi(state *s, const number *n)
{
    for (unsigned i = 0; i < LLVMCountIncoming(n->wide); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(n->wide, i);
        LLVMValueRef value = narrow_of(s, LLVMGetIncomingValue(n->wide, i), LLVMGetBasicBlockTerminator(from));
        LLVMAddIncoming(n->narrow, &value, &from, 1);
    }
}

static void replace_cuts(state *s, const number *n)
{
    LLVMValueRef user;
    for (LLVMUseRef use = LLVMGetFirstUse(n->wide); use; use = LLVMGetNextUse(use)) {
        if (!LLVMIsATruncInst(user = LLVMGetUser(use)))
            continue;
        LLVMPositionBuilderBefore(s->b, user);
        LLVMReplaceAllUsesWith(user, LLVMBuildTrunc(s->b, n->narrow, LLVMTypeOf(user), ""));
    }
}

static bool narrow_function(state *s, tri_arena *arena, LLVMValueRef function)
{
    bool changed = false;
    s->all.len = 0;
    tri_map_init(&s->index, arena);
    collect_numbers(s, arena, function);
    restrict_low(s);
    extend_loops(s);
    for (size_t i = 0; i < s->all.len; i++) {
        number *n = &s->all.at[i];
        if (!n->is_low || !n->is_of_loop)
            continue;
        n->narrow = narrow_of(s, n->wide, NULL);
        replace_cuts(s, n);
        changed = true;
    }
    for (size_t i = 0; i < s->all.len; i++)
        if (s->all.at[i].narrow && LLVMIsAPHINode(s->all.at[i].wide))
            fill_phi(s, &s->all.at[i]);
    return changed;
}

bool tri_amdgcn_narrow_numbers(tri_arena *arena, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    state s = {.b = LLVMCreateBuilderInContext(context), .i32 = LLVMInt32TypeInContext(context)};
    bool changed = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        changed |= narrow_function(&s, arena, f);
    LLVMDisposeBuilder(s.b);
    return changed;
}
