/* Counters of a loop that stay a constant apart: one of them is kept, and the others are sums.
 *
 *     %i = phi [%a, ...], [%i + %s, ...]             %i = phi [%a, ...], [%i + %s, ...]
 *     %j = phi [%a | 256, ...], [%j + %s, ...]       %j = %i + 256
 *
 * So are a thread's columns that a loop carries: one for each of its elements. It is done before LLVM's passes, which
 * turn the starts into forms that say less of each other. */
#include "targets/amdgcn/amdgcn.h"

#include "base/vec.h"
#include "ir/llvm.h"

#include "llvm-c/Core.h"

enum { deepest = 6 };

typedef struct {
    LLVMValueRef phi, next;
} counter;

typedef TRI_VEC(counter) counters;

/* Of two numbers; an `or` of numbers without a common bit is one. */
static bool is_number_sum(LLVMValueRef value)
{
    return tri_llvm_is(value, LLVMAdd) || (tri_llvm_is(value, LLVMOr) && LLVMGetIsDisjoint(value));
}

/* x of x + constant, which is added to `offset`; `exact`: of sums that are the same in a wider type. */
static LLVMValueRef strip_constants(LLVMValueRef value, bool exact, uint64_t *offset)
{
    while (is_number_sum(value) && LLVMIsAConstantInt(LLVMGetOperand(value, 1))) {
        long long constant = LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1));
        if (exact && (constant < 0 || tri_llvm_is(value, LLVMAdd)))
            break;
        *offset += (uint64_t)constant;
        value = LLVMGetOperand(value, 0);
    }
    return value;
}

/* *out = a - b, modulo what their type holds; false: that is not known. */
static bool get_distance(LLVMValueRef a, LLVMValueRef b, int depth, uint64_t *out)
{
    uint64_t of_a = 0, of_b = 0;
    a = strip_constants(a, false, &of_a), b = strip_constants(b, false, &of_b);
    *out = of_a - of_b;
    if (a == b)
        return true;
    if (LLVMIsAConstantInt(a) && LLVMIsAConstantInt(b)) {
        *out += (uint64_t)LLVMConstIntGetSExtValue(a) - (uint64_t)LLVMConstIntGetSExtValue(b);
        return true;
    }
    if (depth >= deepest)
        return false;
    uint64_t more = 0;
    bool is_extended = (tri_llvm_is(a, LLVMZExt) && tri_llvm_is(b, LLVMZExt)) ||
                       (tri_llvm_is(a, LLVMSExt) && tri_llvm_is(b, LLVMSExt));
    if (is_extended) {
        uint64_t x = 0, y = 0;
        LLVMValueRef narrow = strip_constants(LLVMGetOperand(a, 0), true, &x);
        bool same = narrow == strip_constants(LLVMGetOperand(b, 0), true, &y);
        *out += x - y;
        return same;
    }
    for (unsigned i = 0; is_number_sum(a) && is_number_sum(b) && i < 4; i++) {
        unsigned left = i & 1, right = i >> 1;
        if (LLVMGetOperand(a, left) != LLVMGetOperand(b, right) ||
            !get_distance(LLVMGetOperand(a, !left), LLVMGetOperand(b, !right), depth + 1, &more))
            continue;
        *out += more;
        return true;
    }
    return false;
}

/* Is this a phi of two, whose second or first value is itself and a step? */
static bool is_counter(LLVMValueRef phi, LLVMValueRef *out_next)
{
    if (LLVMCountIncoming(phi) != 2 || LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(phi)) > 64)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        if (tri_llvm_is(next, LLVMAdd) && LLVMGetOperand(next, 0) == phi && LLVMGetOperand(next, 1) != phi) {
            *out_next = next;
            return true;
        }
    }
    return false;
}

/* Does the phi have its next value first? */
static bool is_first(const counter *c) { return LLVMGetIncomingValue(c->phi, 0) == c->next; }

static LLVMValueRef start_of(const counter *c) { return LLVMGetIncomingValue(c->phi, is_first(c)); }

static bool is_constant_apart(const counter *a, const counter *b, uint64_t *out)
{
    return LLVMTypeOf(a->phi) == LLVMTypeOf(b->phi) && LLVMGetOperand(a->next, 1) == LLVMGetOperand(b->next, 1) &&
           LLVMGetInstructionParent(a->next) == LLVMGetInstructionParent(b->next) && is_first(a) == is_first(b) &&
           get_distance(start_of(a), start_of(b), 0, out);
}

static void replace_counter(LLVMBuilderRef b, const counter *kept, LLVMValueRef phi, uint64_t distance)
{
    LLVMPositionBuilderBefore(b, tri_llvm_behind_phis(LLVMGetInstructionParent(phi)));
    LLVMTypeRef type = LLVMTypeOf(phi), i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef by = LLVMConstTruncOrBitCast(LLVMConstInt(i64, distance, false), type);
    LLVMReplaceAllUsesWith(phi, LLVMBuildAdd(b, kept->phi, by, ""));
    LLVMInstructionEraseFromParent(phi);
}

static void merge_in_block(LLVMBuilderRef b, tri_arena *arena, LLVMBasicBlockRef block)
{
    counters kept = {0};
    LLVMValueRef next_phi;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i); i = next_phi) {
        counter c = {.phi = i};
        uint64_t distance;
        next_phi = LLVMGetNextInstruction(i);
        if (!is_counter(i, &c.next))
            continue;
        size_t k = 0;
        while (k < kept.len && !is_constant_apart(&c, &kept.at[k], &distance))
            k++;
        if (k == kept.len) {
            tri_vec_push(arena, &kept, c);
            continue;
        }
        replace_counter(b, &kept.at[k], i, distance);
    }
}

void tri_amdgcn_merge_counters(tri_arena *arena, LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            merge_in_block(b, arena, block);
    LLVMDisposeBuilder(b);
}
