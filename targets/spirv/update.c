/* Atomic updates that OpenCL devices need not have: sums of floats, and 16-bit values. The word around the value is
 * compared and exchanged until nobody came between. */
#include "targets/gpu/fp8.h"
#include "targets/gpu/gpu.h"
#include "targets/spirv/spirv.h"

#include "llvm-c/Core.h"

static LLVMValueRef sum(tri_gpu *g, LLVMValueRef x, LLVMValueRef y)
{
    if (LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMIntegerTypeKind)
        return LLVMBuildFAdd(g->b, x, y, "");
    /* bf16 */
    LLVMValueRef wide_y = tri_gpu_from_bf16(g, y);
    return tri_gpu_to_bf16(g, LLVMBuildFAdd(g->b, tri_gpu_from_bf16(g, x), wide_y, ""), false);
}

static LLVMValueRef pick_better(tri_gpu *g, LLVMIntPredicate better, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, better, x, y, ""), x, y, "");
}

static LLVMValueRef combine_old(tri_gpu *g, int kind, LLVMValueRef old, LLVMValueRef value)
{
    switch (kind) {
    case TRI_RMW_AND: return LLVMBuildAnd(g->b, old, value, "");
    case TRI_RMW_OR: return LLVMBuildOr(g->b, old, value, "");
    case TRI_RMW_XOR: return LLVMBuildXor(g->b, old, value, "");
    case TRI_RMW_ADD: return LLVMBuildAdd(g->b, old, value, "");
    case TRI_RMW_FADD: return sum(g, old, value);
    case TRI_RMW_MAX: return pick_better(g, LLVMIntSGT, old, value);
    case TRI_RMW_MIN: return pick_better(g, LLVMIntSLT, old, value);
    case TRI_RMW_UMAX: return pick_better(g, LLVMIntUGT, old, value);
    case TRI_RMW_UMIN: return pick_better(g, LLVMIntULT, old, value);
    default: return value;
    }
}

/* The word of 32 or 64 bits that holds the value, `shift` bits from its bottom (null: it is the value). */
typedef struct {
    LLVMTypeRef word;
    LLVMValueRef pointer, shift;
} place;

static place find_place(tri_gpu *g, LLVMValueRef pointer, unsigned bits)
{
    if (bits >= 32)
        return (place){LLVMIntTypeInContext(g->llvm, bits), pointer, NULL};
    LLVMValueRef address = LLVMBuildPtrToInt(g->b, pointer, g->i64, "");
    LLVMValueRef byte = LLVMBuildAnd(g->b, LLVMBuildTrunc(g->b, address, g->i32, ""), tri_gpu_i32(g, 2), "");
    LLVMValueRef back = LLVMBuildSExt(g->b, LLVMBuildNeg(g->b, byte, ""), g->i64, "");
    return (place){g->i32, tri_gpu_offset(g, pointer, back), LLVMBuildShl(g->b, byte, tri_gpu_i32(g, 3), "")};
}

static LLVMValueRef extract(tri_gpu *g, const place *p, LLVMValueRef word, LLVMTypeRef type)
{
    if (!p->shift)
        return tri_gpu_from_int(g, word, type);
    return tri_gpu_from_int(g, LLVMBuildTrunc(g->b, LLVMBuildLShr(g->b, word, p->shift, ""), g->i16, ""), type);
}

static LLVMValueRef insert(tri_gpu *g, const place *p, LLVMValueRef word, LLVMValueRef value)
{
    value = tri_gpu_to_int(g, value);
    if (!p->shift)
        return value;
    LLVMValueRef mask = LLVMBuildShl(g->b, tri_gpu_i32(g, 0xffff), p->shift, "");
    LLVMValueRef rest = LLVMBuildAnd(g->b, word, LLVMBuildNot(g->b, mask, ""), "");
    return LLVMBuildOr(g->b, rest, LLVMBuildShl(g->b, LLVMBuildZExt(g->b, value, g->i32, ""), p->shift, ""), "");
}

static LLVMValueRef exchange(tri_gpu *g, const tri_machine_update *u, const place *p, LLVMValueRef old,
                             LLVMValueRef changed)
{
    static const LLVMAtomicOrdering done[] = {LLVMAtomicOrderingMonotonic, LLVMAtomicOrderingMonotonic,
                                              LLVMAtomicOrderingAcquire, LLVMAtomicOrderingRelease,
                                              LLVMAtomicOrderingAcquireRelease};
    static const LLVMAtomicOrdering failed[] = {LLVMAtomicOrderingMonotonic, LLVMAtomicOrderingMonotonic,
                                                LLVMAtomicOrderingAcquire, LLVMAtomicOrderingMonotonic,
                                                LLVMAtomicOrderingAcquire};
    const char *scope = g->machine->scopes[u->scope];
    return LLVMBuildAtomicCmpXchgSyncScope(g->b, p->pointer, old, changed, done[u->sem], failed[u->sem],
                                           LLVMGetSyncScopeID(g->llvm, scope, strlen(scope)));
}

/* The old value. A comparison that fails ends the loop. */
static LLVMValueRef update_word(tri_gpu *g, const tri_machine_update *u)
{
    LLVMTypeRef type = LLVMTypeOf(u->value[0]);
    place p = find_place(g, u->pointer, tri_gpu_bits(g, type));
    LLVMValueRef first = LLVMBuildLoad2(g->b, p.word, p.pointer, ""); /* out of date at worst */
    LLVMSetVolatile(first, true);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b), loop = tri_gpu_block(g, "update"),
                      done = tri_gpu_block(g, "updated");
    LLVMBuildBr(g->b, loop);
    tri_gpu_at_end(g, loop);
    LLVMValueRef word = LLVMBuildPhi(g->b, p.word, ""), old = extract(g, &p, word, type);
    LLVMValueRef changed = insert(g, &p, word, u->is_cas ? u->value[0] : combine_old(g, u->kind, old, u->value[0]));
    if (u->is_cas) { /* else the word is exchanged with itself */
        LLVMValueRef wanted = tri_gpu_to_int(g, u->compare[0]);
        LLVMValueRef same = LLVMBuildICmp(g->b, LLVMIntEQ, tri_gpu_to_int(g, old), wanted, "");
        changed = LLVMBuildSelect(g->b, same, changed, word, "");
    }
    LLVMValueRef pair = exchange(g, u, &p, word, changed), seen = LLVMBuildExtractValue(g->b, pair, 0, "");
    LLVMValueRef is_done = LLVMBuildExtractValue(g->b, pair, 1, "");
    LLVMBuildCondBr(g->b, is_done, done, loop);
    LLVMValueRef words[] = {first, seen};
    LLVMBasicBlockRef from[] = {before, loop};
    LLVMAddIncoming(word, words, from, 2);
    tri_gpu_at_end(g, done);
    return extract(g, &p, word, type);
}

bool tri_spirv_update(tri_gpu *g, const tri_machine_update *u, LLVMValueRef *out_old)
{
    LLVMTypeRef type = LLVMTypeOf(u->value[0]);
    TRI_ASSERT(u->vec == 1);
    if (u->kind != TRI_RMW_FADD && tri_gpu_bits(g, type) >= 32)
        return false;
    if (!u->pred) {
        out_old[0] = update_word(g, u);
        return true;
    }
    tri_gpu_if state = tri_gpu_begin_if(g, u->pred);
    LLVMValueRef old = update_word(g, u);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b);
    tri_gpu_end_if(g, state);
    out_old[0] = LLVMBuildPhi(g->b, type, "");
    LLVMValueRef none = LLVMGetPoison(type);
    LLVMAddIncoming(out_old[0], &old, &from, 1);
    LLVMAddIncoming(out_old[0], &none, &state.before, 1);
    return true;
}
