/* Comparisons of neighbouring indices with one number: of x, x + 1, x + 2 ... with y, as a label is looked for among
 * columns.
 *
 * LLVM's strength reduction keeps y - x - i of each of them in a register of its own over a whole loop, dozens for one
 * label. Here y - x is computed once, where it does not see through, and compared with the constants i. */
#include "targets/amdgcn/amdgcn.h"

#include "base/vec.h"

#include "llvm-c/Core.h"

enum { least = 3 /* comparisons that gain by it */ };

typedef struct {
    LLVMValueRef base, other, first; /* first: the comparison in front of which all is computed */
    int count;
    LLVMValueRef distance;
} group;

typedef TRI_VEC(group) groups;

/* x of x + constant. */
static LLVMValueRef base_of_sum(LLVMValueRef value, LLVMValueRef *out_offset)
{
    *out_offset = LLVMConstInt(LLVMTypeOf(value), 0, false);
    if (!LLVMIsAInstruction(value))
        return value;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode != LLVMAdd && (opcode != LLVMOr || !LLVMGetIsDisjoint(value)))
        return value;
    LLVMValueRef right = LLVMGetOperand(value, 1);
    if (!LLVMIsAConstantInt(right))
        return value;
    *out_offset = right;
    return LLVMGetOperand(value, 0);
}

/* Of 32-bit numbers, for being equal or not. */
static bool is_comparison(LLVMValueRef i)
{
    if (LLVMGetInstructionOpcode(i) != LLVMICmp || LLVMGetICmpPredicate(i) > LLVMIntNE)
        return false;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32 &&
           !LLVMIsAConstant(LLVMGetOperand(i, 0)) && !LLVMIsAConstant(LLVMGetOperand(i, 1));
}

static group *group_of(groups *all, LLVMValueRef comparison, LLVMValueRef *out_offset)
{
    LLVMValueRef base = base_of_sum(LLVMGetOperand(comparison, 0), out_offset), other = LLVMGetOperand(comparison, 1);
    for (size_t i = all->len; i--;)
        if (all->at[i].base == base && all->at[i].other == other)
            return &all->at[i];
    return NULL;
}

static void compare_distance(LLVMBuilderRef b, group *g, LLVMValueRef comparison, LLVMValueRef offset)
{
    if (!g->distance) {
        LLVMPositionBuilderBefore(b, g->first);
        g->distance = LLVMBuildFreeze(b, LLVMBuildSub(b, g->other, g->base, ""), "");
    }
    LLVMSetOperand(comparison, 0, g->distance);
    LLVMSetOperand(comparison, 1, offset);
    LLVMSetICmpSameSign(comparison, false);
}

static void compare_in_block(LLVMBuilderRef b, tri_arena *arena, LLVMBasicBlockRef block)
{
    groups all = {0};
    LLVMValueRef offset;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        if (!is_comparison(i))
            continue;
        group *g = group_of(&all, i, &offset);
        if (g)
            g->count++;
        else
            tri_vec_push(arena, &all, ((group){.base = base_of_sum(LLVMGetOperand(i, 0), &offset),
                                               .other = LLVMGetOperand(i, 1), .first = i, .count = 1}));
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); all.len && i; i = LLVMGetNextInstruction(i)) {
        group *g = is_comparison(i) ? group_of(&all, i, &offset) : NULL;
        if (g && g->count >= least)
            compare_distance(b, g, i, offset);
    }
}

void tri_amdgcn_compare_distances(tri_arena *arena, LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            compare_in_block(b, arena, block);
    LLVMDisposeBuilder(b);
}
