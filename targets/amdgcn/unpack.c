/* Pairs of floats that cost more moves than they save instructions are taken apart.
 *
 * LLVM's vectorizer takes every shuffle of 32-bit elements for free. An instruction for two floats reads each operand
 * from a pair of registers, whose halves it may swap or repeat: what comes from elsewhere is moved there first, and the
 * pairs keep registers from being used. Pairs that hang together are judged together: an instruction less for each
 * arithmetic operation, against what their operands from outside take; and f16 is read and written by single
 * operations without being converted. */
#include "targets/amdgcn/amdgcn.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/llvm.h"

#include "llvm-c/Core.h"

#include <string.h>

enum { pair = 2, none = -1 };

typedef struct {
    LLVMValueRef value;
    LLVMValueRef half[pair]; /* once it is taken apart */
    size_t web;              /* place of the first of those that it hangs together with */
    int gain;                /* instructions, of the whole web where it is the first */
} member;

typedef TRI_VEC(member) members;

typedef struct {
    members all;
    tri_map index; /* of instructions: place in `all`, + 1 */
    LLVMBuilderRef b;
    LLVMTypeRef f32, i32;
} state;

static LLVMTypeKind pair_kind(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    bool is_pair = LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) == pair;
    return is_pair ? LLVMGetTypeKind(LLVMGetElementType(type)) : LLVMVoidTypeKind;
}

static bool is_fma(LLVMValueRef value)
{
    static const char prefix[] = "llvm.fma.v2f32";
    if (!LLVMIsACallInst(value))
        return false;
    size_t len;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(value), &len);
    return len == sizeof prefix - 1 && !memcmp(name, prefix, len);
}

static bool is_member(LLVMValueRef i)
{
    if (pair_kind(i) != LLVMFloatTypeKind)
        return false;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFNeg:
    case LLVMPHI:
        return true;
    case LLVMFPExt:
        return pair_kind(LLVMGetOperand(i, 0)) == LLVMHalfTypeKind;
    default:
        return is_fma(i);
    }
}

static member *member_of(state *s, LLVMValueRef value)
{
    size_t place = (size_t)(uintptr_t)tri_map_find_ptr(&s->index, value);
    return place ? &s->all.at[place - 1] : NULL;
}

static unsigned count_operands(LLVMValueRef i)
{
    return LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : (unsigned)LLVMGetNumOperands(i);
}

/* ---- what a pair takes ---- */

/* The vector and the lane of it that a number stands in, whatever its bits are taken for. */
static LLVMValueRef source_of(LLVMValueRef value, int *out_lane)
{
    while (tri_llvm_is(value, LLVMBitCast))
        value = LLVMGetOperand(value, 0);
    *out_lane = none;
    if (!tri_llvm_is(value, LLVMExtractElement) || !LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
        return value;
    *out_lane = (int)LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1));
    return LLVMGetOperand(value, 0);
}

/* Does nothing else put the number into a pair, and is it no scalar of all lanes? */
static bool is_free_to_lie(LLVMValueRef value)
{
    int uses = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        uses += LLVMIsAInsertElementInst(LLVMGetUser(use)) != NULL;
    bool is_computed = LLVMIsAInstruction(value) && !LLVMIsAPHINode(value) && !LLVMIsALoadInst(value) &&
                       !LLVMIsACallInst(value);
    return uses <= 1 && is_computed;
}

/* Moves that a pair of these two lanes takes. */
static int moves_of_lanes(LLVMValueRef first, int first_lane, LLVMValueRef second, int second_lane)
{
    return first == second && first_lane / pair == second_lane / pair ? 0 : pair;
}

static int moves_of_shuffle(LLVMValueRef shuffle)
{
    int lanes[pair], count = (int)LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(shuffle, 0)));
    LLVMValueRef from[pair];
    for (unsigned i = 0; i < pair; i++) {
        lanes[i] = LLVMGetMaskValue(shuffle, i);
        from[i] = LLVMGetOperand(shuffle, lanes[i] >= count);
        lanes[i] -= lanes[i] >= count ? count : 0;
    }
    return lanes[0] < 0 || lanes[1] < 0 ? 0 : moves_of_lanes(from[0], lanes[0], from[1], lanes[1]);
}

/* The two numbers that make up a pair; false: it is made otherwise. */
static bool get_inserted(LLVMValueRef value, LLVMValueRef out[pair])
{
    out[0] = out[1] = NULL;
    for (; LLVMIsAInsertElementInst(value); value = LLVMGetOperand(value, 0)) {
        LLVMValueRef lane = LLVMGetOperand(value, 2);
        if (!LLVMIsAConstantInt(lane) || LLVMConstIntGetZExtValue(lane) >= pair)
            return false;
        LLVMValueRef *at = &out[LLVMConstIntGetZExtValue(lane)];
        *at = *at ? *at : LLVMGetOperand(value, 1);
    }
    return out[0] && out[1];
}

static int moves_of_inserted(LLVMValueRef inserted[pair])
{
    int lanes[pair], moves = 0;
    LLVMValueRef from[pair];
    if (inserted[0] == inserted[1])
        return 0;
    for (int i = 0; i < pair; i++)
        from[i] = source_of(inserted[i], &lanes[i]);
    if (lanes[0] != none && lanes[1] != none)
        return moves_of_lanes(from[0], lanes[0], from[1], lanes[1]);
    for (int i = 0; i < pair; i++)
        moves += lanes[i] != none || !is_free_to_lie(inserted[i]);
    return moves;
}

/* Moves into the pair that an operand is. */
static int moves_of(LLVMValueRef value)
{
    LLVMValueRef inserted[pair];
    while (tri_llvm_is(value, LLVMBitCast) && pair_kind(LLVMGetOperand(value, 0)) != LLVMVoidTypeKind)
        value = LLVMGetOperand(value, 0);
    if (LLVMIsAShuffleVectorInst(value))
        return moves_of_shuffle(value);
    return get_inserted(value, inserted) ? moves_of_inserted(inserted) : 0;
}

static bool is_added(LLVMValueRef product)
{
    LLVMUseRef use = LLVMGetFirstUse(product);
    return use && !LLVMGetNextUse(use) &&
           (tri_llvm_is(LLVMGetUser(use), LLVMFAdd) || tri_llvm_is(LLVMGetUser(use), LLVMFSub));
}

/* Instructions that the pair saves: of a conversion less than none. */
static int gain_of(state *s, LLVMValueRef value)
{
    int gain = LLVMIsAPHINode(value) || tri_llvm_is(value, LLVMFNeg) ? 0 : 1;
    if (tri_llvm_is(value, LLVMFPExt))
        return -pair;
    if (tri_llvm_is(value, LLVMFMul) && is_added(value)) /* by one instruction */
        gain = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        gain -= tri_llvm_is(LLVMGetUser(use), LLVMFPTrunc);
    for (unsigned i = 0; i < count_operands(value) && !LLVMIsAPHINode(value); i++)
        gain -= member_of(s, LLVMGetOperand(value, i)) ? 0 : moves_of(LLVMGetOperand(value, i));
    return gain;
}

/* ---- webs ---- */

static void collect_members(state *s, tri_arena *arena, LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            if (!is_member(i))
                continue;
            size_t place = s->all.len;
            tri_vec_push(arena, &s->all, ((member){.value = i, .web = place}));
            tri_map_set_ptr(&s->index, i, (void *)(uintptr_t)s->all.len);
        }
}

static size_t first_of(state *s, size_t place)
{
    while (s->all.at[place].web != place)
        place = s->all.at[place].web;
    return place;
}

static void judge(state *s)
{
    for (size_t i = 0; i < s->all.len; i++)
        for (unsigned k = 0; k < count_operands(s->all.at[i].value); k++) {
            member *operand = member_of(s, LLVMGetOperand(s->all.at[i].value, k));
            if (operand)
                s->all.at[first_of(s, (size_t)(operand - s->all.at))].web = first_of(s, i);
        }
    for (size_t i = 0; i < s->all.len; i++)
        s->all.at[first_of(s, i)].gain += gain_of(s, s->all.at[i].value);
}

/* ---- taken apart ---- */

static bool is_taken_apart(state *s, const member *m)
{
    return m && s->all.at[first_of(s, (size_t)(m - s->all.at))].gain <= 0;
}

static void take_apart(state *s, member *m);

/* Built in front of `before`. */
static LLVMValueRef half_of(state *s, LLVMValueRef value, unsigned lane, LLVMValueRef before)
{
    LLVMValueRef inserted[pair];
    member *m = member_of(s, value);
    if (is_taken_apart(s, m)) {
        if (!m->half[0])
            take_apart(s, m);
        return m->half[lane];
    }
    if (get_inserted(value, inserted))
        return inserted[lane];
    LLVMPositionBuilderBefore(s->b, before);
    return LLVMBuildExtractElement(s->b, value, LLVMConstInt(s->i32, lane, false), "");
}

static LLVMValueRef build_half(state *s, LLVMValueRef value, LLVMValueRef *operands)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode == LLVMFPExt)
        return LLVMBuildFPExt(s->b, operands[0], s->f32, "");
    if (opcode == LLVMFNeg)
        return LLVMBuildFNeg(s->b, operands[0], "");
    if (opcode != LLVMCall)
        return LLVMBuildBinOp(s->b, opcode, operands[0], operands[1], "");
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(value)));
    LLVMValueRef fma = LLVMGetIntrinsicDeclaration(module, LLVMGetIntrinsicID(LLVMGetCalledValue(value)), &s->f32, 1);
    return LLVMBuildCall2(s->b, LLVMGlobalGetValueType(fma), fma, operands, count_operands(value), "");
}

static void take_apart(state *s, member *m)
{
    enum { most_operands = 3 };
    LLVMValueRef operands[most_operands];
    for (unsigned lane = 0; lane < pair; lane++) {
        if (LLVMIsAPHINode(m->value)) {
            LLVMPositionBuilderBefore(s->b, m->value);
            m->half[lane] = LLVMBuildPhi(s->b, s->f32, "");
            continue;
        }
        for (unsigned k = 0; k < count_operands(m->value); k++)
            operands[k] = half_of(s, LLVMGetOperand(m->value, k), lane, m->value);
        LLVMPositionBuilderBefore(s->b, m->value);
        m->half[lane] = build_half(s, m->value, operands);
        if (LLVMCanValueUseFastMathFlags(m->value) && LLVMIsAInstruction(m->half[lane]))
            LLVMSetFastMathFlags(m->half[lane], LLVMGetFastMathFlags(m->value));
    }
}

static void fill_phi(state *s, const member *m)
{
    for (unsigned i = 0; LLVMIsAPHINode(m->value) && i < LLVMCountIncoming(m->value); i++)
        for (unsigned lane = 0; lane < pair; lane++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(m->value, i);
            LLVMValueRef value = LLVMGetIncomingValue(m->value, i);
            value = half_of(s, value, lane, LLVMGetBasicBlockTerminator(from));
            LLVMAddIncoming(m->half[lane], &value, &from, 1);
        }
}

/* The halves where one is extracted, and a pair made of them for others. */
static void replace_uses(state *s, const member *m)
{
    bool is_whole = false;
    for (LLVMUseRef use = LLVMGetFirstUse(m->value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMValueRef lane = tri_llvm_is(user, LLVMExtractElement) ? LLVMGetOperand(user, 1) : NULL;
        if (lane && LLVMIsAConstantInt(lane) && LLVMConstIntGetZExtValue(lane) < pair)
            LLVMReplaceAllUsesWith(user, m->half[LLVMConstIntGetZExtValue(lane)]);
        else
            is_whole |= !is_taken_apart(s, member_of(s, user));
    }
    LLVMValueRef whole = LLVMGetPoison(LLVMTypeOf(m->value));
    LLVMBasicBlockRef block = LLVMGetInstructionParent(m->value);
    LLVMPositionBuilderBefore(s->b, LLVMIsAPHINode(m->value) ? tri_llvm_behind_phis(block) : m->value);
    for (unsigned lane = 0; is_whole && lane < pair; lane++)
        whole = LLVMBuildInsertElement(s->b, whole, m->half[lane], LLVMConstInt(s->i32, lane, false), "");
    LLVMReplaceAllUsesWith(m->value, whole);
}

static void unpack_function(state *s, tri_arena *arena, LLVMValueRef function)
{
    s->all.len = 0;
    tri_map_init(&s->index, arena);
    collect_members(s, arena, function);
    judge(s);
    for (size_t i = 0; i < s->all.len; i++)
        if (is_taken_apart(s, &s->all.at[i]) && !s->all.at[i].half[0])
            take_apart(s, &s->all.at[i]);
    for (size_t i = 0; i < s->all.len; i++)
        if (is_taken_apart(s, &s->all.at[i]))
            fill_phi(s, &s->all.at[i]);
    for (size_t i = 0; i < s->all.len; i++)
        if (is_taken_apart(s, &s->all.at[i]))
            replace_uses(s, &s->all.at[i]);
    for (size_t i = 0; i < s->all.len; i++)
        if (is_taken_apart(s, &s->all.at[i]))
            LLVMInstructionEraseFromParent(s->all.at[i].value);
}

void tri_amdgcn_unpack_floats(tri_arena *arena, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    state s = {.b = LLVMCreateBuilderInContext(context), .f32 = LLVMFloatTypeInContext(context),
               .i32 = LLVMInt32TypeInContext(context)};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        unpack_function(&s, arena, f);
    LLVMDisposeBuilder(s.b);
}
