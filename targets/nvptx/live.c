#include "targets/nvptx/live.h"

int tri_nvptx_weight(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVoidTypeKind:
        return 0;
    case LLVMIntegerTypeKind: {
        int bits = (int)LLVMGetIntTypeWidth(type);
        return bits == 1 ? 0 : (bits + 15) / 16;
    }
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        return 1;
    case LLVMDoubleTypeKind:
        return 4;
    case LLVMPointerTypeKind:
        return LLVMGetPointerAddressSpace(type) == 3 ? 2 : 4;
    case LLVMVectorTypeKind:
        return (int)LLVMGetVectorSize(type) * tri_nvptx_weight(LLVMGetElementType(type));
    case LLVMStructTypeKind: {
        int sum = 0;
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            sum += tri_nvptx_weight(LLVMStructGetTypeAtIndex(type, i));
        return sum;
    }
    default:
        return 2;
    }
}

static tri_nvptx_flow_block *find_block(const tri_nvptx_flow *f, LLVMBasicBlockRef block)
{
    return tri_map_find_ptr(&f->index, block);
}

static void read_flow(tri_nvptx_flow *f, LLVMValueRef function)
{
    f->count = (int)LLVMCountBasicBlocks(function);
    f->blocks = TRI_NEW_ARRAY(f->arena, tri_nvptx_flow_block, f->count);
    tri_map_init(&f->index, f->arena);
    int n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b), n++) {
        f->blocks[n].block = b;
        tri_map_init(&f->blocks[n].live_out, f->arena);
        tri_map_set_ptr(&f->index, b, &f->blocks[n]);
    }
    for (n = 0; n < f->count; n++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(f->blocks[n].block);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
            tri_vec_push(f->arena, &find_block(f, LLVMGetSuccessor(end, i))->from, n);
    }
}

/* `value` of block `home` (null: an argument) is needed at the end of block n: it lives from there up to home. */
static void live_at_end(tri_nvptx_flow *f, LLVMValueRef value, LLVMBasicBlockRef home, int n)
{
    f->todo.len = 0;
    tri_vec_push(f->arena, &f->todo, n);
    while (f->todo.len) {
        tri_nvptx_flow_block *b = &f->blocks[f->todo.at[--f->todo.len]];
        if (tri_map_find_ptr(&b->live_out, value))
            continue;
        tri_map_set_ptr(&b->live_out, value, value);
        if (b->block != home)
            for (size_t i = 0; i < b->from.len; i++)
                tri_vec_push(f->arena, &f->todo, b->from.at[i]);
    }
}

static void spread_uses(tri_nvptx_flow *f, LLVMValueRef value, LLVMBasicBlockRef home)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
        if (LLVMIsAPHINode(user)) {
            for (unsigned i = 0; i < LLVMCountIncoming(user); i++)
                if (LLVMGetIncomingValue(user, i) == value)
                    live_at_end(f, value, home, (int)(find_block(f, LLVMGetIncomingBlock(user, i)) - f->blocks));
        } else if (block != home) {
            tri_nvptx_flow_block *b = find_block(f, block);
            for (size_t i = 0; i < b->from.len; i++)
                live_at_end(f, value, home, b->from.at[i]);
        }
    }
}

void tri_nvptx_find_live(tri_nvptx_flow *f, LLVMValueRef function)
{
    read_flow(f, function);
    for (int n = 0; n < f->count; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->blocks[n].block); i; i = LLVMGetNextInstruction(i))
            spread_uses(f, i, f->blocks[n].block);
}

int64_t tri_nvptx_live_out(const tri_nvptx_flow_block *block)
{
    int64_t sum = 0;
    for (size_t i = 0; i < block->live_out.len; i++)
        sum += tri_nvptx_weight(LLVMTypeOf(block->live_out.entries[i].value));
    return sum;
}
