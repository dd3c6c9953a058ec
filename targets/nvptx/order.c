/* The order of a block's instructions, by the registers that live at once. The lowering makes each operation for all
 * registers of a thread before the next operation: of a block's 16-bit numbers all are widened before the first is
 * used, and ptxas, which keeps close to the order it is given, holds them. Where hardly more registers live when each
 * instruction stands in front of its first user, that is made the order; where more do (a product on FMA, whose
 * lowering walks k outside), all stays as it is. So it does where as many live, and few enough for half of all warps:
 * of the other order ptxas may keep fewer loads in flight (2 of 25 instead of 7 of bicubic interpolation's, a third of
 * its time), and its registers gain nothing. Accesses of memory and all else that has effects keep their order, and
 * results are the same bits. Not touched are blocks
 *   - that are too small to matter, or live in few registers either way;
 *   - that cannot fit in any order of ours: ptxas then looks for registers itself, better from operations side by side
 *     (cross entropy of 32 warps spills otherwise);
 *   - of functions whose warps have unlike numbers of registers: that split is planned for the lowering's order.
 * Where far more lives from block to block than a thread may have, as sums of a large tile around a loop do, or in any
 * order within one, as rows of tens of thousands of elements that are read at once do, ptxas gives up and leaves all
 * but 32 registers in local memory. Told that one block on a multiprocessor is enough, it takes what registers there
 * are, and a third to two thirds of that memory. Within one, this order spills a tenth less (a norm of rows of 65,536
 * by 4 warps is 20 % faster, H200).
 * Test: tests/targets/registers.bats */
#include "ir/llvm.h"
#include "ir/occupancy.h"
#include "targets/gpu/sink.h"
#include "targets/nvptx/live.h"
#include "targets/nvptx/nvptx.h"

#include "llvm-c/Core.h"

#include <stdlib.h>

enum {
    least_size = 24,                 /* instructions of a block that is looked at */
    least_pressure = 64,             /* of its results in units of 16 bits: 32 registers leave no warp out */
    tie_pressure = 128,              /* 64 registers: half of all warps are there */
    thread_registers = 255,          /* the most that one has */
    hopeless_percent = 130,          /* of those live between blocks: with 127 ptxas does not give up */
    hopeless_within = 300            /* the same of those of one block: with 200 it does not */
};

typedef struct {
    LLVMValueRef *at; /* the instructions behind the phis */
    bool *is_free;    /* may move */
    int *weight;      /* of the result, in 16 bits of registers */
    bool *is_kept;    /* the result lives beyond the block */
    int *first;       /* operands of i: operand[first[i]] to operand[first[i + 1]]; from `count` on of other blocks */
    int *operand;
    int count, total;
} block_code;

typedef TRI_VEC(LLVMValueRef) value_list;

/* A call that touches no memory, for which other threads do not wait either. */
static bool is_pure_call(LLVMValueRef call)
{
    return tri_gpu_touches_nothing(call) && !tri_gpu_call_attribute(call, "convergent");
}

static bool is_free(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMFNeg:
    case LLVMGetElementPtr:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMFreeze:
        return true;
    case LLVMCall:
        return is_pure_call(instruction);
    default:
        return LLVMIsABinaryOperator(instruction) || LLVMIsACastInst(instruction);
    }
}

/* ---- one block ---- */

typedef struct {
    tri_arena *arena;
    tri_map known;
    tri_nvptx_int_list operands;
} block_reader;

static int number_of(block_reader *r, LLVMValueRef value, int next)
{
    int *index = tri_map_find_ptr(&r->known, value);
    if (!index) {
        index = tri_arena_alloc_words(r->arena, sizeof *index);
        *index = next;
        tri_map_set_ptr(&r->known, value, index);
    }
    return *index;
}

static void number_operands(block_reader *r, value_list *all, block_code *out)
{
    for (int i = 0; i < out->count; i++)
        number_of(r, all->at[i], i);
    for (int i = 0; i < out->count; i++) {
        LLVMValueRef v = all->at[i];
        out->is_free[i] = is_free(v);
        out->first[i] = (int)r->operands.len;
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++) {
            LLVMValueRef x = LLVMGetOperand(v, k);
            if (!LLVMIsAInstruction(x))
                continue;
            int index = number_of(r, x, (int)all->len);
            if (index == (int)all->len)
                tri_vec_push(r->arena, all, x);
            tri_vec_push(r->arena, &r->operands, index);
        }
    }
    out->first[out->count] = (int)r->operands.len;
    out->operand = r->operands.at;
}

/* False for a block that stays as it is. */
static bool read_block(const tri_nvptx_flow *f, const tri_nvptx_flow_block *from, block_code *out)
{
    value_list all = {0};
    block_reader r = {.arena = f->arena};
    for (LLVMValueRef i = LLVMGetFirstInstruction(from->block); i; i = LLVMGetNextInstruction(i))
        if (!LLVMIsAPHINode(i))
            tri_vec_push(f->arena, &all, i);
    if (all.len < least_size)
        return false;
    tri_map_init(&r.known, f->arena);
    *out = (block_code){.count = (int)all.len};
    out->is_free = TRI_NEW_ARRAY(f->arena, bool, out->count);
    out->first = TRI_NEW_ARRAY(f->arena, int, out->count + 1);
    number_operands(&r, &all, out);
    out->at = all.at;
    out->total = (int)all.len;
    out->weight = TRI_NEW_ARRAY(f->arena, int, out->total);
    out->is_kept = TRI_NEW_ARRAY(f->arena, bool, out->total);
    for (int i = 0; i < out->total; i++) {
        out->weight[i] = tri_nvptx_weight(LLVMTypeOf(all.at[i]));
        out->is_kept[i] = tri_map_find_ptr(&from->live_out, all.at[i]) != NULL;
    }
    return true;
}

/* The most 16-bit units of results that live at once. */
static int64_t live_at_most(tri_arena *arena, const block_code *b, const int *order)
{
    bool *is_live = TRI_NEW_ARRAY(arena, bool, b->total);
    int64_t live = 0, most = 0;
    for (int i = 0; i < b->total; i++)
        if (b->is_kept[i]) {
            is_live[i] = true;
            live += b->weight[i];
        }
    for (int i = b->count; i-- > 0;) { /* backwards: a value lives from its definition to its last use */
        int at = order[i];
        most = live > most ? live : most;
        if (is_live[at])
            live -= b->weight[at];
        for (int k = b->first[at]; k < b->first[at + 1]; k++) {
            int x = b->operand[k];
            if (!is_live[x]) {
                is_live[x] = true;
                live += b->weight[x];
            }
        }
    }
    return most;
}

/* Appends `root` behind all that it needs and that has no place yet. */
static void append_needed(tri_arena *arena, const block_code *b, int root, bool *is_placed, tri_nvptx_int_list *stack,
                          int *order, int *count)
{
    tri_vec_push(arena, stack, root);
    while (stack->len) {
        int top = tri_vec_last(stack);
        bool is_ready = true;
        for (int k = b->first[top + 1]; !is_placed[top] && k-- > b->first[top];)
            if (b->operand[k] < b->count && !is_placed[b->operand[k]]) {
                tri_vec_push(arena, stack, b->operand[k]);
                is_ready = false;
            }
        if (!is_ready)
            continue;
        stack->len--;
        if (!is_placed[top])
            order[(*count)++] = top;
        is_placed[top] = true;
    }
}

/* Each instruction in front of its first user, the last one last. */
static int *late_order(tri_arena *arena, const block_code *b)
{
    bool *is_placed = TRI_NEW_ARRAY(arena, bool, b->count);
    int *order = TRI_NEW_ARRAY(arena, int, b->count), count = 0;
    tri_nvptx_int_list stack = {0};
    for (int i = 0; i + 1 < b->count; i++)
        if (!b->is_free[i])
            append_needed(arena, b, i, is_placed, &stack, order, &count);
    for (int i = 0; i < b->count; i++)
        append_needed(arena, b, i, is_placed, &stack, order, &count);
    return order;
}

static void put_in_order(LLVMBuilderRef builder, const block_code *b, const int *order)
{
    LLVMPositionBuilderBefore(builder, b->at[b->count - 1]);
    for (int i = 0; i + 1 < b->count; i++) {
        LLVMValueRef v = b->at[order[i]];
        LLVMMetadataRef location = LLVMInstructionGetDebugLoc(v);
        LLVMInstructionRemoveFromParent(v);
        LLVMInsertIntoBuilder(builder, v);
        LLVMInstructionSetDebugLoc(v, location); /* the builder gave it its own */
    }
}

/* Whether no order helps: the late one does, and not enough. Of products, whose addresses it leaves for longer, more
 * lives in it, and ptxas finds its own. */
static bool is_hopeless_within(const tri_nvptx_flow *f, const block_code *b, int64_t before)
{
    int64_t far_more = (int64_t)f->most * hopeless_within / 100;
    int64_t late = before > far_more ? live_at_most(f->arena, b, late_order(f->arena, b)) : 0;
    return late < before && late > far_more;
}

/* Whether far more lives in the block than a thread may have, in either order; the late one then spills less. */
static bool order_block(const tri_nvptx_flow *f, LLVMBuilderRef builder, const tri_nvptx_flow_block *block)
{
    block_code b;
    if (!read_block(f, block, &b))
        return false;
    int *now = TRI_NEW_ARRAY(f->arena, int, b.count);
    for (int i = 0; i < b.count; i++)
        now[i] = i;
    int64_t before = live_at_most(f->arena, &b, now);
    bool is_hopeless = is_hopeless_within(f, &b, before);
    if (before <= least_pressure || (before > f->most && !is_hopeless))
        return false;
    int *late = late_order(f->arena, &b);
    int64_t hardly_more = before > tie_pressure ? before + before / 64 : before - 1;
    if (is_hopeless || live_at_most(f->arena, &b, late) <= hardly_more)
        put_in_order(builder, &b, late);
    return is_hopeless;
}

static bool has_unlike_warps(LLVMValueRef function)
{
    static const char name[] = "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32";
    LLVMValueRef taking = LLVMGetNamedFunction(LLVMGetGlobalParent(function), name);
    for (LLVMUseRef use = taking ? LLVMGetFirstUse(taking) : NULL; use; use = LLVMGetNextUse(use))
        if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(LLVMGetUser(use))) == function)
            return true;
    return false;
}

/* What a thread may have, in units of 16 bits. */
static int most_pressure(LLVMValueRef function)
{
    static const char name[] = "nvvm.reqntid";
    LLVMAttributeRef found =
        LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, sizeof name - 1);
    unsigned len = 0;
    long threads = found ? strtol(LLVMGetStringAttributeValue(found, &len), NULL, 10) : 0;
    long share = threads > 0 ? TRI_OCCUPANCY_REGISTERS / threads : thread_registers;
    return (int)(2 * (share < thread_registers ? share : thread_registers));
}

static bool has_large_block(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        int count = 0;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && count < least_size; i = LLVMGetNextInstruction(i))
            count++;
        if (count == least_size)
            return true;
    }
    return false;
}

/* Tells ptxas of a function that cannot do without local memory to use all registers. */
static void take_all_registers(LLVMValueRef function, const tri_nvptx_flow *f, bool is_hopeless)
{
    static const char limit[] = "nvvm.maxnreg";
    for (int n = 0; n < f->count; n++)
        is_hopeless = is_hopeless || 100 * tri_nvptx_live_out(&f->blocks[n]) > (int64_t)hopeless_percent * f->most;
    if (!is_hopeless || LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, limit, sizeof limit - 1))
        return;
    tri_llvm_set_attribute(function, "nvvm.minctasm", "1");
}

void tri_nvptx_order(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!has_large_block(f) || has_unlike_warps(f))
            continue;
        tri_arena *arena = tri_arena_create();
        tri_nvptx_flow all = {.arena = arena, .most = most_pressure(f)};
        tri_nvptx_find_live(&all, f);
        bool is_hopeless = false;
        for (int i = 0; i < all.count; i++)
            is_hopeless |= order_block(&all, builder, &all.blocks[i]);
        take_all_registers(f, &all, is_hopeless);
        tri_arena_destroy(arena);
    }
    LLVMDisposeBuilder(builder);
}
