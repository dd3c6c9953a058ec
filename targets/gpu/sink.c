/* Loads, what takes their words apart, and what casts them, where they are needed first: a product's operands arrive
 * slice by slice, not all of them in front of it, which no sub-group has registers for. Within a block of instructions,
 * and not across what may write memory or waits for others; parts of words go on to a later block. What loops put
 * together of words from in front of them is put together there. The device's compiler moves what it likes further up
 * again.
 * Test: tests/targets/amdgcn.bats, tests/targets/intel.bats */
#include "targets/gpu/sink.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/llvm.h"

#include "llvm-c/DebugInfo.h"

#include <string.h>

/* The instructions of one block; places are multiples of STEP, with room between for what moves. */
typedef struct {
    const tri_gpu_sinking *rules;
    tri_arena *arena;
    LLVMBuilderRef builder;
    LLVMBasicBlockRef block;
    tri_map place;       /* instruction -> its place */
    tri_map derived;     /* instructions that need what the block loads and nothing else of it */
    bool has_product;    /* the block, which then sinks them, too */
    TRI_VEC(int64_t) writes; /* places of what nothing that reads memory passes, from the first on */
} sinker;

enum { STEP_BITS = 32 };

static int64_t place_in_block(const sinker *s, LLVMValueRef v)
{
    return (int64_t)(intptr_t)tri_map_find_ptr(&s->place, v);
}

static void give_place(sinker *s, LLVMValueRef v, int64_t place)
{
    tri_map_set_ptr(&s->place, v, (void *)(intptr_t)place);
}

static bool has_name_part(LLVMValueRef call, const char *const *parts)
{
    size_t len;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name = callee ? LLVMGetValueName2(callee, &len) : "";
    for (; *parts; parts++)
        if (strstr(name, *parts))
            return true;
    return false;
}

static bool reads_only(const sinker *s, LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return (op == LLVMLoad && !LLVMGetVolatile(v) && LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic) ||
           (op == LLVMCall && has_name_part(v, s->rules->reads));
}

/* A load that may move. */
static bool moves(const sinker *s, LLVMValueRef v)
{
    enum { shared_space = 3 };
    if (!reads_only(s, v) || !s->rules->is_shared_only)
        return reads_only(s, v);
    return LLVMGetInstructionOpcode(v) == LLVMLoad &&
           LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(v, 0))) == shared_space;
}

LLVMAttributeRef tri_gpu_call_attribute(LLVMValueRef call, const char *name)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef found = LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind);
    return found || !LLVMIsAFunction(callee) ? found
                                             : LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind);
}

bool tri_gpu_touches_nothing(LLVMValueRef call)
{
    LLVMAttributeRef effects = tri_gpu_call_attribute(call, "memory");
    return effects && !LLVMGetEnumAttributeValue(effects);
}

/* A call of a function that converts. */
static bool is_casting(const sinker *s, LLVMValueRef v) { return s->rules->casts && has_name_part(v, s->rules->casts); }

/* May it write memory, or wait? Of calls those that are known not to are few. */
static bool may_touch(const sinker *s, LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMStore: case LLVMFence: case LLVMAtomicRMW: case LLVMAtomicCmpXchg: return true;
    case LLVMLoad: return !reads_only(s, v);
    case LLVMCall:
        return !reads_only(s, v) && !has_name_part(v, s->rules->pure) && !is_casting(s, v) &&
               !tri_gpu_touches_nothing(v);
    default: return false;
    }
}

/* What takes words apart and puts them together; it moves along with the loads. */
static bool is_word_part(const sinker *s, LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMCall: return is_casting(s, v);
    case LLVMExtractElement: case LLVMInsertElement: case LLVMShuffleVector: case LLVMBitCast: case LLVMTrunc:
    case LLVMZExt: case LLVMOr: case LLVMShl: case LLVMGetElementPtr: return true;
    default: return false;
    }
}

static bool is_arithmetic(const sinker *s, LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAnd: case LLVMXor: case LLVMLShr: case LLVMAShr: case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMFAdd:
    case LLVMFSub: case LLVMFMul: case LLVMFNeg: case LLVMICmp: case LLVMFCmp: case LLVMSelect: case LLVMSExt:
    case LLVMFPTrunc: case LLVMFPExt: case LLVMUIToFP: case LLVMSIToFP: return true;
    default: return is_word_part(s, v);
    }
}

/* From what the block loads, or takes out of vectors, and from other blocks, which hold theirs all the while. */
static bool is_derived(const sinker *s, LLVMValueRef v)
{
    bool has_load = LLVMGetInstructionOpcode(v) == LLVMExtractElement;
    for (int i = 0; is_arithmetic(s, v) && i < LLVMGetNumOperands(v); i++) {
        LLVMValueRef from = LLVMIsAInstruction(LLVMGetOperand(v, (unsigned)i));
        bool is_here = from && LLVMGetInstructionParent(from) == s->block;
        if (is_here && !tri_map_find_ptr(&s->derived, from))
            return false;
        has_load |= is_here;
    }
    return has_load;
}

static void find_derived(sinker *s)
{
    tri_map_init(&s->derived, s->arena);
    s->has_product = false;
    for (LLVMValueRef v = LLVMGetFirstInstruction(s->block); v; v = LLVMGetNextInstruction(v)) {
        s->has_product |= LLVMGetInstructionOpcode(v) == LLVMCall && has_name_part(v, s->rules->products);
        if (reads_only(s, v) || is_derived(s, v))
            tri_map_set_ptr(&s->derived, v, v);
    }
}

static bool sinks(const sinker *s, LLVMValueRef v)
{
    return moves(s, v) || is_word_part(s, v) || (s->has_product && tri_map_find_ptr(&s->derived, v));
}

/* Anew where there was no room left between two. */
static void number_block(sinker *s)
{
    int64_t at = 1;
    s->writes.len = 0;
    for (LLVMValueRef v = LLVMGetFirstInstruction(s->block); v; v = LLVMGetNextInstruction(v), at++) {
        give_place(s, v, at << STEP_BITS);
        if (may_touch(s, v))
            tri_vec_push(s->arena, &s->writes, at << STEP_BITS);
    }
}

/* The first of its users, all of which stand in the block behind it; null otherwise. */
static LLVMValueRef user_in_front(const sinker *s, LLVMValueRef v)
{
    LLVMValueRef first = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMGetInstructionParent(user) != s->block || LLVMGetInstructionOpcode(user) == LLVMPHI)
            return NULL;
        if (!first || place_in_block(s, user) < place_in_block(s, first))
            first = user;
    }
    return first;
}

static bool is_written_between(const sinker *s, int64_t from, int64_t to)
{
    for (size_t i = 0; i < s->writes.len; i++)
        if (s->writes.at[i] > from && s->writes.at[i] < to)
            return true;
    return false;
}

static void move_before(const sinker *s, LLVMValueRef v, LLVMValueRef before)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(v);
    LLVMPositionBuilderBefore(s->builder, before);
    LLVMInstructionRemoveFromParent(v);
    LLVMInsertIntoBuilder(s->builder, v);
    LLVMInstructionSetDebugLoc(v, location); /* the builder gave it its own */
}

/* In front of its first user. */
static void sink_one(sinker *s, LLVMValueRef v)
{
    LLVMValueRef user = user_in_front(s, v), before;
    if (!user || LLVMGetNextInstruction(v) == user)
        return;
    before = LLVMGetPreviousInstruction(user);
    if (place_in_block(s, user) - place_in_block(s, before) < 2)
        number_block(s);
    int64_t low = place_in_block(s, before), high = place_in_block(s, user);
    if (reads_only(s, v) && is_written_between(s, place_in_block(s, v), high))
        return;
    move_before(s, v, user);
    give_place(s, v, high - (high - low) / 8 - 1);
}

/* What nothing needs would hold a load where it stands: its words are taken apart before a product asks for them
 * whole. */
static void drop_unused(const sinker *s)
{
    for (LLVMValueRef v = LLVMGetLastInstruction(s->block), next; v; v = next) {
        next = LLVMGetPreviousInstruction(v);
        if (is_word_part(s, v) && !LLVMGetFirstUse(v))
            LLVMInstructionEraseFromParent(v);
    }
}

/* ---- out of loops ---- */

/* Does what runs after the block come to the other one? */
static bool comes_to(sinker *s, LLVMBasicBlockRef block, LLVMBasicBlockRef other)
{
    TRI_VEC(LLVMBasicBlockRef) todo = {0};
    tri_map seen;
    tri_map_init(&seen, s->arena);
    tri_vec_push(s->arena, &todo, block);
    for (size_t i = 0; i < todo.len; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(todo.at[i]);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, k);
            if (next == other)
                return true;
            if (!tri_map_find_ptr(&seen, next))
                tri_vec_push(s->arena, &todo, next);
            tri_map_set_ptr(&seen, next, next);
        }
    }
    return false;
}

static bool is_block_in_loop(sinker *s, LLVMBasicBlockRef block) { return comes_to(s, block, block); }

/* The one other block that has all of its operands; null: there is none. */
static LLVMBasicBlockRef block_of_operands(LLVMValueRef v)
{
    LLVMBasicBlockRef block = NULL;
    for (int i = 0; i < LLVMGetNumOperands(v); i++) {
        LLVMValueRef from = LLVMIsAInstruction(LLVMGetOperand(v, (unsigned)i));
        LLVMBasicBlockRef at = from ? LLVMGetInstructionParent(from) : NULL;
        if (from && (at == LLVMGetInstructionParent(v) || (block && at != block)))
            return NULL;
        block = from ? at : block;
    }
    return block;
}

static bool joins_words(LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMInsertElement || op == LLVMShuffleVector || op == LLVMBitCast;
}

/* What is put together of words from in front of the loop leaves it: elements that several loops put together, each for
 * itself, would be in registers beside all that they become. Equal ones become one later. */
static void hoist_joins(sinker *s)
{
    tri_map loops; /* block -> itself; the sinker where it is in a loop */
    tri_map_init(&loops, s->arena);
    for (LLVMValueRef v = LLVMGetFirstInstruction(s->block), next; v; v = next) {
        next = LLVMGetNextInstruction(v);
        LLVMBasicBlockRef to = joins_words(v) ? block_of_operands(v) : NULL;
        if (!to)
            continue;
        if (!tri_map_find_ptr(&loops, to))
            tri_map_set_ptr(&loops, to, is_block_in_loop(s, to) ? (void *)s : (void *)to);
        if (tri_map_find_ptr(&loops, to) == (void *)to)
            move_before(s, v, LLVMGetBasicBlockTerminator(to));
    }
}

/* ---- to where they are needed ---- */

/* The one other block where all of its users stand; null: there is none. */
static LLVMBasicBlockRef block_of_users(const sinker *s, LLVMValueRef v)
{
    LLVMBasicBlockRef block = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMBasicBlockRef at = LLVMGetInstructionParent(user);
        if (at == s->block || (block && at != block) || LLVMGetInstructionOpcode(user) == LLVMPHI)
            return NULL;
        block = at;
    }
    return block;
}

/* What takes words apart goes to the block of the same loop that needs the parts, which are wider than the words. */
static void pass_on_parts(sinker *s)
{
    tri_map same; /* block -> itself, in the same loop; the sinker otherwise */
    tri_map_init(&same, s->arena);
    for (LLVMValueRef v = LLVMGetLastInstruction(s->block), next; v; v = next) {
        next = LLVMGetPreviousInstruction(v);
        LLVMOpcode op = LLVMGetInstructionOpcode(v);
        LLVMBasicBlockRef to = op == LLVMExtractElement || op == LLVMBitCast ? block_of_users(s, v) : NULL;
        if (!to)
            continue;
        if (!tri_map_find_ptr(&same, to))
            tri_map_set_ptr(&same, to, comes_to(s, to, s->block) || !is_block_in_loop(s, to) ? (void *)to : (void *)s);
        if (tri_map_find_ptr(&same, to) == (void *)to)
            move_before(s, v, tri_llvm_behind_phis(to));
    }
}

static void sink_block(sinker *s)
{
    if (!s->rules->is_shared_only) {
        drop_unused(s);
        pass_on_parts(s);
    }
    tri_map_init(&s->place, s->arena);
    number_block(s);
    find_derived(s);
    for (LLVMValueRef v = LLVMGetLastInstruction(s->block), next; v; v = next) {
        next = LLVMGetPreviousInstruction(v);
        if (sinks(s, v))
            sink_one(s, v);
    }
}

void tri_gpu_sink_loads(tri_arena *arena, LLVMModuleRef module, const tri_gpu_sinking *rules)
{
    sinker s = {rules, arena, .builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (s.block = LLVMGetFirstBasicBlock(f); s.block; s.block = LLVMGetNextBasicBlock(s.block))
            if (!rules->is_shared_only && is_block_in_loop(&s, s.block))
                hoist_joins(&s);
        for (s.block = LLVMGetFirstBasicBlock(f); s.block; s.block = LLVMGetNextBasicBlock(s.block))
            sink_block(&s);
    }
    LLVMDisposeBuilder(s.builder);
}
