/* Loads, and what takes their words apart, where they are needed first: a product's operands arrive slice by slice, not
 * all of them in front of it, which no sub-group has registers for. Within a block of instructions, and not across what
 * may write memory or waits for others. The device's compiler moves what it likes further up again. */
#include "base/map.h"
#include "targets/intel/intel.h"

#include <string.h>

/* The instructions of one block; places are multiples of STEP, with room between for what moves. */
typedef struct {
    tri_arena *arena;
    LLVMBuilderRef builder;
    LLVMBasicBlockRef block;
    tri_map place;       /* instruction -> its place */
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

static bool reads_only(LLVMValueRef v)
{
    static const char *const blocks[] = {"subgroup_block_read", NULL};
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return (op == LLVMLoad && !LLVMGetVolatile(v) && LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic) ||
           (op == LLVMCall && has_name_part(v, blocks));
}

/* May it write memory, or wait? Of calls those that are known not to are few. */
static bool may_touch(LLVMValueRef v)
{
    static const char *const pure[] = {"matrix_mad", "dpas", "shuffle", "get_", "llvm.fma", "llvm.exp", "llvm.log",
                                       "llvm.max", "llvm.min", "llvm.smax", "llvm.smin", "llvm.umax", "llvm.umin",
                                       NULL};
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMStore: case LLVMFence: case LLVMAtomicRMW: case LLVMAtomicCmpXchg: return true;
    case LLVMLoad: return !reads_only(v);
    case LLVMCall: return !reads_only(v) && !has_name_part(v, pure);
    default: return false;
    }
}

/* What takes words apart and puts them together; it moves along with the loads. */
static bool is_word_part(LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMExtractElement: case LLVMInsertElement: case LLVMShuffleVector: case LLVMBitCast: case LLVMTrunc:
    case LLVMZExt: case LLVMOr: case LLVMShl: case LLVMGetElementPtr: return true;
    default: return false;
    }
}

static void number_block(sinker *s)
{
    int64_t at = 1;
    tri_map_init(&s->place, s->arena);
    s->writes.len = 0;
    for (LLVMValueRef v = LLVMGetFirstInstruction(s->block); v; v = LLVMGetNextInstruction(v), at++) {
        give_place(s, v, at << STEP_BITS);
        if (may_touch(v))
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

/* In front of its first user, where there is room for one more place. */
static void sink_one(sinker *s, LLVMValueRef v)
{
    LLVMValueRef user = user_in_front(s, v), before;
    if (!user || LLVMGetNextInstruction(v) == user)
        return;
    before = LLVMGetPreviousInstruction(user);
    int64_t low = place_in_block(s, before), high = place_in_block(s, user);
    if (high - low < 2 || (reads_only(v) && is_written_between(s, place_in_block(s, v), high)))
        return;
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(v);
    LLVMPositionBuilderBefore(s->builder, user);
    LLVMInstructionRemoveFromParent(v);
    LLVMInsertIntoBuilder(s->builder, v);
    LLVMInstructionSetDebugLoc(v, location); /* the builder gave it its own */
    give_place(s, v, high - (high - low) / 8 - 1);
}

static void sink_block(sinker *s)
{
    number_block(s);
    for (LLVMValueRef v = LLVMGetLastInstruction(s->block), next; v; v = next) {
        next = LLVMGetPreviousInstruction(v);
        if (reads_only(v) || is_word_part(v))
            sink_one(s, v);
    }
}

void tri_intel_sink_loads(tri_arena *arena, LLVMModuleRef module)
{
    sinker s = {.arena = arena, .builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (s.block = LLVMGetFirstBasicBlock(f); s.block; s.block = LLVMGetNextBasicBlock(s.block))
            sink_block(&s);
    LLVMDisposeBuilder(s.builder);
}
