/* Small instruction helpers. */
#include "targets/gpu/gpu.h"


LLVMValueRef tri_gpu_i32(tri_gpu *g, int64_t value) { return LLVMConstInt(g->i32, (uint64_t)value, true); }

unsigned tri_gpu_bits(tri_gpu *g, LLVMTypeRef type)
{
    (void)g;
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type);
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind: return 16;
    case LLVMFloatTypeKind: return 32;
    case LLVMDoubleTypeKind: return 64;
    case LLVMPointerTypeKind: return LLVMGetPointerAddressSpace(type) == 3 ? 32 : 64;
    default: TRI_BUG("not a scalar type");
    }
}

LLVMValueRef tri_gpu_to_int(tri_gpu *g, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMIntegerTypeKind)
        return value;
    LLVMTypeRef to = LLVMIntTypeInContext(g->llvm, tri_gpu_bits(g, type));
    return kind == LLVMPointerTypeKind ? LLVMBuildPtrToInt(g->b, value, to, "") : LLVMBuildBitCast(g->b, value, to, "");
}

LLVMValueRef tri_gpu_from_int(tri_gpu *g, LLVMValueRef value, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMIntegerTypeKind)
        return value;
    return kind == LLVMPointerTypeKind ? LLVMBuildIntToPtr(g->b, value, type, "")
                                       : LLVMBuildBitCast(g->b, value, type, "");
}

LLVMValueRef tri_gpu_xor_const(tri_gpu *g, LLVMValueRef x, uint64_t known_bits, uint64_t constant)
{
    if (!constant)
        return x;
    LLVMValueRef c = LLVMConstInt(LLVMTypeOf(x), constant, false);
    if (known_bits & constant)
        return LLVMBuildXor(g->b, x, c, "");
    LLVMValueRef value = LLVMBuildOr(g->b, x, c, "");
    if (LLVMIsAInstruction(value))
        LLVMSetIsDisjoint(value, true);
    return value;
}

LLVMValueRef tri_gpu_offset(tri_gpu *g, LLVMValueRef pointer, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(g->b, g->i8, pointer, &bytes, 1, "");
}

LLVMValueRef tri_gpu_offset_const(tri_gpu *g, LLVMValueRef pointer, int64_t bytes)
{
    return bytes ? tri_gpu_offset(g, pointer, tri_gpu_i32(g, bytes)) : pointer;
}

LLVMValueRef tri_gpu_and(tri_gpu *g, LLVMValueRef a, LLVMValueRef b)
{
    if (!a || !b)
        return a ? a : b;
    return LLVMBuildAnd(g->b, a, b, "");
}

LLVMBasicBlockRef tri_gpu_block(tri_gpu *g, const char *name)
{
    return LLVMAppendBasicBlockInContext(g->llvm, g->function, name);
}

void tri_gpu_at_end(tri_gpu *g, LLVMBasicBlockRef block) { LLVMPositionBuilderAtEnd(g->b, block); }

LLVMBasicBlockRef tri_gpu_enter_front(tri_gpu *g)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
    if (g->front) {
        LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(g->b); /* the call below would take the terminator's */
        LLVMPositionBuilderBefore(g->b, LLVMGetBasicBlockTerminator(g->front));
        LLVMSetCurrentDebugLocation2(g->b, location);
    }
    return here;
}

tri_gpu_if tri_gpu_begin_if(tri_gpu *g, LLVMValueRef cond)
{
    tri_gpu_if state = {.before = LLVMGetInsertBlock(g->b)};
    LLVMBasicBlockRef then = tri_gpu_block(g, "then");
    state.join = tri_gpu_block(g, "join");
    LLVMBuildCondBr(g->b, cond, then, state.join);
    tri_gpu_at_end(g, then);
    return state;
}

void tri_gpu_end_if(tri_gpu *g, tri_gpu_if state)
{
    LLVMBuildBr(g->b, state.join);
    LLVMMoveBasicBlockAfter(state.join, LLVMGetInsertBlock(g->b));
    tri_gpu_at_end(g, state.join);
}

LLVMValueRef tri_gpu_intrinsic(tri_gpu *g, const char *name, LLVMTypeRef *overloads, int num_overloads,
                               LLVMValueRef *args, int num_args)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    TRI_ASSERT(id != 0);
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(g->module, id, overloads, (size_t)num_overloads);
    return LLVMBuildCall2(g->b, LLVMGlobalGetValueType(callee), callee, args, (unsigned)num_args, "");
}

LLVMValueRef tri_gpu_intrinsic_same(tri_gpu *g, const char *name, LLVMValueRef *args, int num_args)
{
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    return tri_gpu_intrinsic(g, name, &type, 1, args, num_args);
}

/* On the simulator every operation rounds: its results are the same on every host. */
LLVMValueRef tri_gpu_contract(tri_gpu *g, LLVMValueRef value)
{
    if (g->may_fuse && LLVMIsAInstruction(value) && LLVMCanValueUseFastMathFlags(value))
        LLVMSetFastMathFlags(value, LLVMFastMathAllowContract);
    return value;
}

/* ---- vectors and what they are made of ---- */

void tri_gpu_note_word(tri_gpu *g, LLVMValueRef element, tri_gpu_word word)
{
    tri_gpu_word *note = TRI_NEW(g->arena, tri_gpu_word);
    *note = word;
    tri_map_set_ptr(&g->words, element, note);
}

/* The vector that all elements were taken out of, or neighbours in it; null: there is none. */
static LLVMValueRef find_whole(tri_gpu *g, LLVMValueRef *elements, int count, int parts)
{
    enum { max_words = 32 };
    const tri_gpu_word *first = tri_map_find_ptr(&g->words, elements[0]);
    LLVMValueRef mask[max_words];
    int words = count / parts;
    for (int i = 0; i < count; i++) {
        const tri_gpu_word *w = tri_map_find_ptr(&g->words, elements[i]);
        if (!w || w->vector != first->vector || w->parts != parts || w->word != first->word + i / parts ||
            w->part != i % parts)
            return NULL;
    }
    LLVMValueRef all = first->vector;
    for (int i = 0; i < words; i++)
        mask[i] = tri_gpu_i32(g, first->word + i);
    if ((int)LLVMGetVectorSize(LLVMTypeOf(all)) != words)
        all = LLVMBuildShuffleVector(g->b, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(mask, (unsigned)words),
                                     "");
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(elements[0]), (unsigned)words);
    return parts == 1 ? LLVMBuildBitCast(g->b, all, type, "") : all;
}

static LLVMValueRef join_word(tri_gpu *g, LLVMValueRef *elements, int parts)
{
    LLVMTypeRef type = LLVMTypeOf(elements[0]);
    if (parts == 1)
        return elements[0];
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(type, (unsigned)parts));
    for (int e = 0; e < parts; e++)
        all = LLVMBuildInsertElement(g->b, all, elements[e], tri_gpu_i32(g, e), "");
    return LLVMBuildBitCast(g->b, all, LLVMIntTypeInContext(g->llvm, (unsigned)parts * tri_gpu_bits(g, type)), "");
}

LLVMValueRef tri_gpu_join(tri_gpu *g, LLVMValueRef *elements, int count, int parts)
{
    LLVMValueRef all = find_whole(g, elements, count, parts);
    if (all)
        return all;
    for (int w = 0; w < count / parts; w++) {
        LLVMValueRef word = join_word(g, elements + w * parts, parts);
        all = all ? all : LLVMGetPoison(LLVMVectorType(LLVMTypeOf(word), (unsigned)(count / parts)));
        all = LLVMBuildInsertElement(g->b, all, word, tri_gpu_i32(g, w), "");
    }
    return all;
}

void tri_gpu_split(tri_gpu *g, LLVMValueRef vector, LLVMValueRef *out)
{
    for (int i = 0; i < (int)LLVMGetVectorSize(LLVMTypeOf(vector)); i++) {
        out[i] = LLVMBuildExtractElement(g->b, vector, tri_gpu_i32(g, i), "");
        tri_gpu_note_word(g, out[i], (tri_gpu_word){vector, i, 0, 1});
    }
}
