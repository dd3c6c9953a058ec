/* Shared memory, exchange between the lanes of a warp. */
#include "targets/gpu/access.h"

LLVMValueRef tri_gpu_shared_at(tri_gpu *g, int64_t offset) { return tri_gpu_offset_const(g, g->group->shared, offset); }

void tri_gpu_shared_store(tri_gpu *g, LLVMValueRef pointer, LLVMValueRef *values, int count, LLVMValueRef pred)
{
    tri_gpu_packing p = tri_gpu_plan_packing(g, LLVMTypeOf(values[0]), count);
    LLVMValueRef words[16];
    TRI_ASSERT(p.words <= 16);
    tri_gpu_pack(g, &p, values, words);
    tri_gpu_store_words(g, &p, &(tri_machine_access){.pointer = pointer, .pred = pred}, words);
}

void tri_gpu_shared_load(tri_gpu *g, LLVMValueRef pointer, LLVMTypeRef type, int count, LLVMValueRef *out_values)
{
    tri_gpu_packing p = tri_gpu_plan_packing(g, type, count);
    LLVMValueRef words[16];
    TRI_ASSERT(p.words <= 16);
    tri_gpu_load_words(g, &p, &(tri_machine_access){.pointer = pointer}, NULL, words);
    tri_gpu_unpack(g, &p, words, out_values);
}

/* ---- shuffles ---- */

static LLVMValueRef shuffle_word(tri_gpu *g, tri_machine_id id, LLVMValueRef word, LLVMValueRef operand)
{
    LLVMValueRef args[] = {word, operand};
    return tri_machine_call(g, id, args, 2);
}

/* Shuffles move 32 bits: smaller values are widened, larger ones sent in two halves. */
static LLVMValueRef shuffle(tri_gpu *g, tri_machine_id id, LLVMValueRef value, LLVMValueRef operand)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    bool is_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    LLVMValueRef bits = is_pointer ? LLVMBuildPtrToInt(g->b, value, g->i64, "") : tri_gpu_to_int(g, value);
    LLVMTypeRef as_int = LLVMTypeOf(bits);
    unsigned width = tri_gpu_bits(g, as_int);
    LLVMValueRef moved;
    if (width <= 32) {
        LLVMValueRef word = width < 32 ? LLVMBuildZExt(g->b, bits, g->i32, "") : bits;
        moved = shuffle_word(g, id, word, operand);
        if (width < 32)
            moved = LLVMBuildTrunc(g->b, moved, as_int, "");
    } else {
        LLVMTypeRef pair_type = LLVMVectorType(g->i32, 2);
        LLVMValueRef pair = LLVMBuildBitCast(g->b, bits, pair_type, ""), out = LLVMGetPoison(pair_type);
        for (int i = 0; i < 2; i++) {
            LLVMValueRef word = LLVMBuildExtractElement(g->b, pair, tri_gpu_i32(g, i), "");
            out = LLVMBuildInsertElement(g->b, out, shuffle_word(g, id, word, operand), tri_gpu_i32(g, i), "");
        }
        moved = LLVMBuildBitCast(g->b, out, as_int, "");
    }
    return is_pointer ? LLVMBuildIntToPtr(g->b, moved, type, "") : tri_gpu_from_int(g, moved, type);
}

LLVMValueRef tri_gpu_shuffle_xor(tri_gpu *g, LLVMValueRef value, uint32_t mask)
{
    return shuffle(g, TRI_MACHINE_shuffle_xor, value, tri_gpu_i32(g, mask));
}

LLVMValueRef tri_gpu_shuffle_index(tri_gpu *g, LLVMValueRef value, LLVMValueRef lane)
{
    return shuffle(g, TRI_MACHINE_shuffle_index, value, lane);
}
