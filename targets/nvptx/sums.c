/* Sums of a loop's number and each of a thread's indices, which differ by constants: the parts that change are summed
 * once, and the constants are added last.
 *
 *     in front: y1 = y + 16 ; y2 = y + 32 ; ...     ->    s = x + y
 *     x + y ; x + y1 ; x + y2 ; ...                       s ; s + 16 ; s + 32 ; ...
 *
 * y1, y2 and all others need no registers around the loop then, unless they are used elsewhere; LLVM's reassociate
 * moves nothing that has two uses, and where x is a multiple of a power of two, as a loop over blocks is, the sums are
 * ors of disjoint bits. Addresses in the same way: of p + (x1 + y), p + (x2 + y), ... the sum p + y is the same for all
 * times around the loop, and each x is added to it by one instruction instead of two. Two or more of one block of LLVM
 * IR, of what stands in other blocks.
 * Test: tests/targets/registers.bats */
#include "base/map.h"
#include "base/vec.h"
#include "ir/llvm.h"
#include "targets/nvptx/nvptx.h"

#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"

enum { index_bits = 64 /* others are widened behind their sum */ };

typedef struct {
    LLVMValueRef sum, x, y, constant; /* sum = x + (y + constant); of an address: constant + x + y */
    bool is_disjoint;                 /* both are ors */
    LLVMTypeRef x_type, y_type;       /* of an address: what they count */
} part_sum;

typedef TRI_VEC(LLVMValueRef) value_list;
typedef TRI_VEC(value_list *) list_list;

/* An addition, by a plus or by an or of disjoint bits. */
static bool is_sum(LLVMValueRef v)
{
    LLVMOpcode opcode = LLVMIsABinaryOperator(v) ? LLVMGetInstructionOpcode(v) : 0;
    return opcode == LLVMAdd || (opcode == LLVMOr && LLVMGetIsDisjoint(v));
}

static bool is_from(LLVMValueRef v, LLVMBasicBlockRef block)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == block;
}

static bool find_parts(LLVMValueRef sum, part_sum *out)
{
    if (!is_sum(sum) || LLVMGetTypeKind(LLVMTypeOf(sum)) != LLVMIntegerTypeKind)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef x = LLVMGetOperand(sum, 1 - i), inner = LLVMGetOperand(sum, i);
        if (LLVMIsAConstant(x) || !is_sum(inner) || is_from(inner, LLVMGetInstructionParent(sum)))
            continue;
        *out = (part_sum){sum, x, LLVMGetOperand(inner, 0), LLVMGetOperand(inner, 1),
                          LLVMGetInstructionOpcode(sum) == LLVMOr && LLVMGetInstructionOpcode(inner) == LLVMOr,
                          NULL, NULL};
        if (LLVMIsAConstantInt(out->constant) && !LLVMIsAConstant(out->y))
            return true;
    }
    return false;
}

/* x + y of the block as it stands there, or NULL. */
static LLVMValueRef find_whole(LLVMValueRef x, LLVMValueRef y, LLVMBasicBlockRef block)
{
    for (LLVMUseRef use = LLVMGetFirstUse(y); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (is_from(user, block) && is_sum(user) && LLVMGetFirstUse(user) &&
            (LLVMGetOperand(user, 0) == x || LLVMGetOperand(user, 1) == x))
            return user;
    }
    return NULL;
}

static void build_before(LLVMBuilderRef b, LLVMValueRef at, LLVMValueRef place)
{
    LLVMPositionBuilderBefore(b, at);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(place));
}

static LLVMValueRef add_parts(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, bool is_disjoint)
{
    if (!is_disjoint)
        return LLVMBuildAdd(b, x, y, "");
    LLVMValueRef sum = LLVMBuildOr(b, x, y, "");
    if (LLVMIsAInstruction(sum))
        LLVMSetIsDisjoint(sum, true);
    return sum;
}

/* The first place of the block where x is known. */
static LLVMValueRef behind(LLVMValueRef x, LLVMBasicBlockRef block)
{
    return is_from(x, block) && !LLVMIsAPHINode(x) ? LLVMGetNextInstruction(x) : tri_llvm_behind_phis(block);
}

/* Sums of a list, from `first` on, that have the x of that one: all have the same y. What is replaced stays, unused. */
static void share_from(LLVMBuilderRef b, const value_list *sums, size_t first, part_sum one, value_list *group)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(one.sum);
    part_sum other;
    bool is_disjoint = true;
    group->len = 0;
    for (size_t i = first; i < sums->len; i++)
        if (LLVMGetFirstUse(sums->at[i]) && find_parts(sums->at[i], &other) && other.x == one.x) {
            group->at[group->len++] = other.sum;
            is_disjoint &= other.is_disjoint;
        }
    LLVMValueRef old = find_whole(one.x, one.y, block);
    if (group->len + (old != NULL) < 2)
        return;
    build_before(b, behind(one.x, block), one.sum);
    LLVMValueRef whole = add_parts(b, one.x, one.y, is_disjoint);
    if (old)
        LLVMReplaceAllUsesWith(old, whole);
    for (size_t i = 0; i < group->len && find_parts(group->at[i], &other); i++) {
        build_before(b, other.sum, other.sum);
        LLVMReplaceAllUsesWith(other.sum, add_parts(b, whole, other.constant, is_disjoint));
    }
}

/* An address that is another one and an index. */
static bool is_step(LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v) && LLVMGetNumOperands(v) == 2 &&
           LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

/* What changes within the block: a number of another block may have been widened in this one. */
static bool is_changed(LLVMValueRef v, LLVMBasicBlockRef block)
{
    return is_from(v, block) && !(LLVMIsACastInst(v) && !is_from(LLVMGetOperand(v, 0), block));
}

static bool has_one_use(LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);
    return use && !LLVMGetNextUse(use);
}

/* Not so of a sum that masks need, too. */
static bool is_for_addresses(LLVMValueRef sum)
{
    LLVMUseRef use = LLVMGetFirstUse(sum);
    while (use && is_step(LLVMGetUser(use)))
        use = LLVMGetNextUse(use);
    return !use;
}

/* An address of (p + x) + y or p + (x + y), of which x alone is of the block. */
static bool split_address(LLVMValueRef address, part_sum *out)
{
    if (!is_step(address))
        return false;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(address);
    LLVMValueRef from = LLVMGetOperand(address, 0), index = LLVMGetOperand(address, 1);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
    if (is_from(from, block) && is_step(from) && has_one_use(from)) {
        *out = (part_sum){address, LLVMGetOperand(from, 1), index, LLVMGetOperand(from, 0),
                          .x_type = LLVMGetGEPSourceElementType(from), .y_type = type};
    } else if (is_from(index, block) && is_sum(index) && is_for_addresses(index) &&
               LLVMGetIntTypeWidth(LLVMTypeOf(index)) == index_bits) {
        bool is_first = is_changed(LLVMGetOperand(index, 0), block);
        *out = (part_sum){address, LLVMGetOperand(index, !is_first), LLVMGetOperand(index, is_first), from,
                          .x_type = type, .y_type = type};
    } else {
        return false;
    }
    return !is_from(out->constant, block) && is_changed(out->x, block) && !is_changed(out->y, block) &&
           !LLVMIsAConstant(out->y);
}

static LLVMValueRef step_by(LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef from, LLVMValueRef index)
{
    return LLVMBuildGEP2(b, type, from, &index, 1, "");
}

/* Addresses of a list, from `first` on, that have the base of that one: all have the same y. */
static void share_base(LLVMBuilderRef b, const value_list *addresses, size_t first, part_sum one)
{
    LLVMValueRef base = NULL;
    part_sum other;
    for (size_t i = first + 1; i < addresses->len; i++) {
        if (!LLVMGetFirstUse(addresses->at[i]) || !split_address(addresses->at[i], &other) ||
            other.constant != one.constant || other.y_type != one.y_type)
            continue;
        if (!base) {
            build_before(b, behind(one.y, LLVMGetInstructionParent(one.sum)), one.sum);
            base = step_by(b, one.y_type, one.constant, one.y);
            build_before(b, one.sum, one.sum);
            LLVMReplaceAllUsesWith(one.sum, step_by(b, one.x_type, base, one.x));
        }
        build_before(b, other.sum, other.sum);
        LLVMReplaceAllUsesWith(other.sum, step_by(b, other.x_type, base, other.x));
    }
}

/* Sorts the values of a block that `is_part` knows by their y. */
static void sort_by_y(tri_arena *arena, LLVMBasicBlockRef block, bool (*is_part)(LLVMValueRef, part_sum *),
                      list_list *out)
{
    tri_map by_y;
    part_sum found;
    tri_map_init(&by_y, arena);
    out->len = 0;
    for (LLVMValueRef v = LLVMGetFirstInstruction(block); v; v = LLVMGetNextInstruction(v)) {
        if (!is_part(v, &found))
            continue;
        value_list *list = tri_map_find_ptr(&by_y, found.y);
        if (!list) {
            list = TRI_NEW_ARRAY(arena, value_list, 1);
            tri_map_set_ptr(&by_y, found.y, list);
            tri_vec_push(arena, out, list);
        }
        tri_vec_push(arena, list, v);
    }
}

static void erase_unused(LLVMBasicBlockRef block)
{
    for (LLVMValueRef v = LLVMGetLastInstruction(block), before; v; v = before) {
        before = LLVMGetPreviousInstruction(v);
        if (!LLVMGetFirstUse(v) && (is_sum(v) || LLVMIsAGetElementPtrInst(v)))
            LLVMInstructionEraseFromParent(v);
    }
}

static void share_in_block(tri_arena *arena, LLVMBuilderRef b, LLVMBasicBlockRef block)
{
    list_list lists = {0};
    part_sum found;
    sort_by_y(arena, block, find_parts, &lists);
    for (size_t l = 0; l < lists.len; l++) {
        value_list group = {.at = TRI_NEW_ARRAY(arena, LLVMValueRef, lists.at[l]->len)};
        for (size_t i = 0; i < lists.at[l]->len; i++)
            if (LLVMGetFirstUse(lists.at[l]->at[i]) && find_parts(lists.at[l]->at[i], &found))
                share_from(b, lists.at[l], i, found, &group);
    }
    size_t sums = lists.len;
    sort_by_y(arena, block, split_address, &lists);
    for (size_t l = 0; l < lists.len; l++)
        for (size_t i = 0; i < lists.at[l]->len; i++)
            if (LLVMGetFirstUse(lists.at[l]->at[i]) && split_address(lists.at[l]->at[i], &found))
                share_base(b, lists.at[l], i, found);
    if (sums + lists.len)
        erase_unused(block);
}

void tri_nvptx_share_sums(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    tri_arena *arena = tri_arena_create();
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            share_in_block(arena, builder, block);
    tri_arena_destroy(arena);
    LLVMDisposeBuilder(builder);
}
