/* ttig.2d_block_load: messages that a sub-group of 16 lanes sends as one. ir/block_io.c says which, and which register
 * each word is; here their operands are made.
 *
 * The hardware counts from addresses that are multiples of 64 bytes: what is left over goes into the column and the
 * length of rows. What it asks of a matrix besides is asked here, unless a pass has (tritcc.surface); where it does not
 * hold each lane loads its elements. */
#include "targets/intel/intel.h"

#include "ir/block_io.h"
#include "ir/dpas.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "targets/gpu/fp8.h"
#include "targets/gpu/simulate.h"

enum { ALIGNMENT = 64 };

/* The operation being lowered: its matrix in memory, and its layout. */
typedef struct {
    tri_gpu *g;
    MlirOperation op;
    tri_gpu_layout *layout;
    tri_block_plan plan;
    LLVMTypeRef element;
    int bits, row_dim, col_dim;
    LLVMValueRef base, width, height, pitch, x, y;
    LLVMValueRef warp_x, surface_y; /* of this warp's part */
    LLVMValueRef surface, surface_width, surface_x; /* counted from a multiple of 64 bytes; x in elements */
} block;

static LLVMValueRef operand_of(block *k, int operand) { return tri_gpu_operand(k->g, k->op, operand).at[0]; }

static bool find_store(block *k)
{
    tri_gpu *g = k->g;
    MlirType type = mlirValueGetType(tri_op_operand(k->op, 6));
    k->layout = tri_gpu_layout_of(g, k->op, type);
    if (!k->layout)
        return false;
    k->element = tri_gpu_type(g, tri_type_element(type));
    k->bits = (int)tri_type_bits(tri_type_element(type));
    k->col_dim = 1;
    return tri_block_plan_store(g->arena, &k->layout->linear, k->bits, &k->plan) ||
           tri_gpu_unsupported(g, k->op, "no message takes the registers of its layout");
}

static bool find_messages(block *k)
{
    tri_gpu *g = k->g;
    MlirType type = mlirValueGetType(tri_op_result(k->op, 0));
    const tri_encoding *e = tri_encoding_get(g->arena, tri_type_encoding(type));
    bool is_column_major = tri_op_int(k->op, "memory_layout", 0) == 1;
    k->layout = tri_gpu_layout_of(g, k->op, type);
    if (!k->layout)
        return false;
    k->element = tri_gpu_type(g, tri_type_element(type));
    k->bits = (int)tri_type_bits(tri_type_element(type));
    k->row_dim = is_column_major;
    k->col_dim = !is_column_major;
    bool is_packed = e->kind == TRI_ENC_DOT_OP && e->dot_op.op_idx == 1;
    return tri_block_plan_load(g->arena, g->unit->arch, &k->layout->linear, k->bits, is_column_major, is_packed,
                               &k->plan) ||
           tri_gpu_unsupported(g, k->op, "no message of this architecture fills the registers of its layout");
}

/* Where warp 0's part of the tensor begins for this warp, the same in all lanes. */
static LLVMValueRef warp_offset(block *k, int dim)
{
    const tri_linear *l = &k->layout->linear;
    tri_dim out = (tri_dim)(TRI_DIM_0 + dim);
    int bits = tri_linear_in_bits(l, TRI_DIM_WARP);
    uint64_t basis[TRI_MAX_BASES];
    for (int i = 0; i < bits; i++)
        basis[i] = (uint64_t)tri_linear_basis_at(l, TRI_DIM_WARP, i, out);
    return tri_gpu_apply_value(k->g, tri_gpu_uniform_warp(k->g), basis, bits);
}

static void read_operands(block *k)
{
    k->base = operand_of(k, 0);
    k->width = operand_of(k, 1);
    k->height = operand_of(k, 2);
    k->pitch = operand_of(k, 3);
    k->x = operand_of(k, 4);
    k->y = operand_of(k, 5);
    k->warp_x = LLVMBuildAdd(k->g->b, k->x, warp_offset(k, k->col_dim), "");
    k->surface_y = LLVMBuildAdd(k->g->b, k->y, warp_offset(k, k->row_dim), "");
}

static void align_surface(block *k)
{
    tri_gpu *g = k->g;
    LLVMValueRef address = LLVMBuildPtrToInt(g->b, k->base, g->i64, "");
    LLVMValueRef mask = LLVMConstInt(g->i64, (unsigned long long)-ALIGNMENT, true);
    LLVMValueRef rest = LLVMBuildTrunc(g->b, address, g->i32, "");
    rest = LLVMBuildAnd(g->b, rest, tri_gpu_i32(g, ALIGNMENT - 1), "");
    k->surface = LLVMBuildAnd(g->b, address, mask, "");
    k->surface_width = LLVMBuildAdd(g->b, k->width, rest, "");
    rest = LLVMBuildLShr(g->b, rest, tri_gpu_i32(g, tri_linear_log2(k->bits / 8)), "");
    k->surface_x = LLVMBuildAdd(g->b, k->warp_x, rest, "");
}

/* ---- messages ---- */

static LLVMTypeRef word_type(block *k)
{
    return LLVMIntTypeInContext(k->g->llvm, (unsigned)k->plan.message->word_bits);
}

/* Words that share a register of 32 bits where several messages' words wait in phis: compilers give each element of a
 * vector there a register of its own, which halves would leave half empty. */
static int words_together(const block *k)
{
    int together = 32 / k->plan.message->word_bits;
    return k->plan.message->words >= 2 * together ? together : 1;
}

static LLVMTypeRef words_type(block *k)
{
    return LLVMVectorType(word_type(k), (unsigned)k->plan.message->words);
}

static LLVMTypeRef waiting_type(block *k)
{
    int together = words_together(k);
    LLVMTypeRef element = LLVMIntTypeInContext(k->g->llvm, (unsigned)(together * k->plan.message->word_bits));
    return LLVMVectorType(element, (unsigned)(k->plan.message->words / together));
}

static LLVMValueRef call_message(block *k, LLVMValueRef x, LLVMValueRef y)
{
    tri_gpu *g = k->g;
    const tri_block_message *m = k->plan.message;
    LLVMValueRef one = tri_gpu_i32(g, 1), at = LLVMGetPoison(LLVMVectorType(g->i32, 2));
    at = LLVMBuildInsertElement(g->b, at, x, tri_gpu_i32(g, 0), "");
    at = LLVMBuildInsertElement(g->b, at, y, tri_gpu_i32(g, 1), "");
    LLVMValueRef args[] = {k->surface, LLVMBuildSub(g->b, k->surface_width, one, ""),
                           LLVMBuildSub(g->b, k->height, one, ""), LLVMBuildSub(g->b, k->pitch, one, ""), at};
    tri_str name = tri_str_format(g->arena, "__builtin_IB_subgroup_block_read_flat_%s", m->function);
    return tri_intel_call(g, name.data, words_type(k), args, 5);
}

/* ... as one primitive of the simulator, whose words are results. */
static LLVMValueRef simulate_message(block *k, LLVMValueRef x, LLVMValueRef y)
{
    tri_gpu *g = k->g;
    const tri_block_message *m = k->plan.message;
    LLVMValueRef args[] = {k->surface, k->surface_width, k->height, k->pitch, x, y}, results[TRI_BLOCK_WORDS];
    for (int i = 0; i < m->words; i++)
        results[i] = LLVMConstNull(word_type(k));
    tri_simulate_many(g, TRI_INTEL_BLOCKS + (int)(m - tri_block_messages), args, 6, results, m->words);
    LLVMValueRef all = LLVMGetPoison(words_type(k));
    for (int i = 0; i < m->words; i++)
        all = LLVMBuildInsertElement(g->b, all, results[i], tri_gpu_i32(g, i), "");
    return all;
}

/* The elements of a word; fp8 are i8. What they were part of is noted, for products that want it whole. */
static void unpack_word(block *k, LLVMValueRef words, int w, const int *reg, tri_gpu_value *out)
{
    tri_gpu *g = k->g;
    int parts = k->plan.parts;
    LLVMTypeRef as_int = LLVMIntTypeInContext(g->llvm, (unsigned)k->bits);
    LLVMValueRef word = LLVMBuildExtractElement(g->b, words, tri_gpu_i32(g, w), ""), part = word;
    if (parts > 1)
        word = LLVMBuildBitCast(g->b, word, LLVMVectorType(as_int, (unsigned)parts), "");
    for (int e = 0; e < parts; e++) {
        if (reg[e] < 0)
            continue;
        if (parts > 1)
            part = LLVMBuildExtractElement(g->b, word, tri_gpu_i32(g, e), "");
        out->at[reg[e]] = tri_gpu_from_int(g, part, k->element);
        tri_gpu_note_word(g, out->at[reg[e]], (tri_gpu_word){words, w, e, parts});
    }
}

static bool has_taker(const int *reg)
{
    for (int e = 0; e < TRI_BLOCK_PARTS; e++)
        if (reg[e] >= 0)
            return true;
    return false;
}

static LLVMValueRef load_message(block *k, int i)
{
    tri_gpu *g = k->g;
    const tri_block_part *p = &k->plan.at[i];
    int unit = k->plan.message->how == TRI_BLOCK_TRANSPOSE ? 32 / k->bits : 1; /* elements of a column */
    LLVMValueRef col = LLVMBuildAdd(g->b, k->surface_x, tri_gpu_i32(g, p->col), "");
    if (unit > 1)
        col = LLVMBuildAShr(g->b, col, tri_gpu_i32(g, tri_linear_log2(unit)), "");
    LLVMValueRef row = LLVMBuildAdd(g->b, k->surface_y, tri_gpu_i32(g, p->row), "");
    return (g->simulate ? simulate_message : call_message)(k, col, row);
}

/* ---- element by element ---- */

/* a * value + b, of numbers that are known. */
static LLVMValueRef scale(tri_gpu *g, LLVMValueRef value, int64_t a, int64_t b)
{
    return LLVMBuildAdd(g->b, LLVMBuildMul(g->b, value, tri_gpu_i32(g, a), ""), tri_gpu_i32(g, b), "");
}

/* A place in the matrix: what is the same in all lanes, and what each adds. */
typedef struct {
    LLVMValueRef row, col, lane_row, lane_col;
} place;

/* A word's first element, from the message's: as tri_block_place has them, which is linear in the bits of both. What
 * lanes add is the same for all messages. */
static place place_word(block *k, LLVMValueRef word)
{
    tri_gpu *g = k->g;
    uint64_t rows[2][8] = {0}, cols[2][8] = {0};
    int bits[] = {tri_linear_log2(TRI_BLOCK_LANES), tri_linear_log2(k->plan.message->words)};
    for (int i = 0; i < 2; i++)
        for (int bit = 0; bit < bits[i]; bit++) {
            int row, col;
            tri_block_place(k->plan.message, k->bits, i ? 0 : 1 << bit, i ? 1 << bit : 0, 0, &row, &col);
            rows[i][bit] = (uint64_t)row;
            cols[i][bit] = (uint64_t)col;
        }
    LLVMValueRef lane = tri_gpu_lane(g);
    return (place){tri_gpu_apply_value(g, word, rows[1], bits[1]), tri_gpu_apply_value(g, word, cols[1], bits[1]),
                   tri_gpu_apply_value(g, lane, rows[0], bits[0]), tri_gpu_apply_value(g, lane, cols[0], bits[0])};
}

/* In 64 bits. */
static LLVMValueRef multiply_wide(tri_gpu *g, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef wide = LLVMBuildSExt(g->b, x, g->i64, "");
    return LLVMBuildMul(g->b, wide, LLVMBuildSExt(g->b, y, g->i64, ""), "");
}

/* From the matrix's first element on. */
static LLVMValueRef count_bytes(block *k, LLVMValueRef row, LLVMValueRef col)
{
    LLVMValueRef bytes = multiply_wide(k->g, row, k->pitch);
    return LLVMBuildAdd(k->g->b, bytes, multiply_wide(k->g, col, tri_gpu_i32(k->g, k->bits / 8)), "");
}

/* An element of the matrix; outside of it, zero. The matrix is not empty. */
static LLVMValueRef load_element(block *k, place at)
{
    tri_gpu *g = k->g;
    LLVMValueRef columns = LLVMBuildLShr(g->b, k->width, tri_gpu_i32(g, tri_linear_log2(k->bits / 8)), "");
    LLVMValueRef row = LLVMBuildAdd(g->b, at.row, at.lane_row, ""), col = LLVMBuildAdd(g->b, at.col, at.lane_col, "");
    LLVMValueRef in = LLVMBuildICmp(g->b, LLVMIntULT, row, k->height, "");
    in = tri_gpu_and(g, in, LLVMBuildICmp(g->b, LLVMIntULT, col, columns, ""));
    LLVMValueRef bytes = count_bytes(k, at.row, at.col);
    bytes = LLVMBuildAdd(g->b, bytes, count_bytes(k, at.lane_row, at.lane_col), "");
    bytes = LLVMBuildSelect(g->b, in, bytes, LLVMConstNull(g->i64), "");
    LLVMValueRef word, null = LLVMConstNull(LLVMIntTypeInContext(g->llvm, (unsigned)k->bits));
    tri_machine_access access = {.pointer = tri_gpu_offset(g, k->base, bytes), .word = LLVMTypeOf(null), .words = 1};
    if (g->simulate) {
        access.pred = in;
        tri_simulate_load(g, &access, &null, &word);
        return word;
    }
    word = LLVMBuildLoad2(g->b, access.word, access.pointer, ""); /* the first one stands for what is outside */
    return LLVMBuildSelect(g->b, in, word, null, "");
}

static LLVMValueRef load_word(block *k, int i, LLVMValueRef w)
{
    tri_gpu *g = k->g;
    LLVMValueRef word = LLVMConstNull(word_type(k));
    place at = place_word(k, w);
    at.row = LLVMBuildAdd(g->b, LLVMBuildAdd(g->b, k->surface_y, at.row, ""), tri_gpu_i32(g, k->plan.at[i].row), "");
    at.col = LLVMBuildAdd(g->b, LLVMBuildAdd(g->b, k->warp_x, at.col, ""), tri_gpu_i32(g, k->plan.at[i].col), "");
    for (int e = 0; e < k->plan.parts; e++) {
        int down, right;
        tri_block_place(k->plan.message, k->bits, 0, 0, e, &down, &right);
        LLVMValueRef part = load_element(k, (place){scale(g, at.row, 1, down), scale(g, at.col, 1, right), at.lane_row,
                                                    at.lane_col});
        if (k->plan.parts > 1)
            part = LLVMBuildZExt(g->b, part, word_type(k), "");
        LLVMValueRef shift = LLVMConstInt(word_type(k), (unsigned long long)e * (unsigned)k->bits, false);
        word = LLVMBuildOr(g->b, word, LLVMBuildShl(g->b, part, shift, ""), "");
    }
    return word;
}

/* Element `at` of what waits. */
static LLVMValueRef load_element_of_words(block *k, int i, LLVMValueRef at)
{
    tri_gpu *g = k->g;
    int together = words_together(k);
    LLVMTypeRef type = LLVMGetElementType(waiting_type(k));
    LLVMValueRef all = LLVMConstNull(type);
    for (int w = 0; w < together; w++) {
        LLVMValueRef word = LLVMBuildZExt(g->b, load_word(k, i, scale(g, at, together, w)), type, "");
        LLVMValueRef shift = LLVMConstInt(type, (unsigned long long)w * (unsigned)k->plan.message->word_bits, false);
        all = LLVMBuildOr(g->b, all, LLVMBuildShl(g->b, word, shift, ""), "");
    }
    return all;
}

/* A message's words, one after the other: a loop keeps what is hardly ever run small, and its addresses out of
 * registers. It has no turn where the matrix is empty, and no compiler knows how many. */
static LLVMValueRef load_words(block *k, int i)
{
    tri_gpu *g = k->g;
    int turns = k->plan.message->words / words_together(k);
    LLVMTypeRef type = waiting_type(k);
    LLVMValueRef zero = tri_gpu_i32(g, 0), none = LLVMConstNull(type);
    LLVMValueRef has_rows = LLVMBuildICmp(g->b, LLVMIntSGT, k->height, zero, "");
    LLVMValueRef has_columns = LLVMBuildICmp(g->b, LLVMIntSGT, k->width, zero, "");
    LLVMValueRef count = LLVMBuildSelect(g->b, LLVMBuildAnd(g->b, has_rows, has_columns, ""),
                                         tri_gpu_i32(g, turns), zero, "");
    tri_gpu_lane(g);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b), head = tri_gpu_block(g, "words"),
                      body = tri_gpu_block(g, "word"), end = tri_gpu_block(g, "loaded");
    LLVMBuildBr(g->b, head);
    tri_gpu_at_end(g, head);
    LLVMValueRef at = LLVMBuildPhi(g->b, g->i32, ""), all = LLVMBuildPhi(g->b, type, "");
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntSLT, at, count, ""), body, end);
    tri_gpu_at_end(g, body);
    LLVMValueRef next = LLVMBuildInsertElement(g->b, all, load_element_of_words(k, i, at), at, "");
    LLVMValueRef turn = scale(g, at, 1, 1);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(g->b);
    LLVMBuildBr(g->b, head);
    LLVMAddIncoming(at, (LLVMValueRef[]){zero, turn}, (LLVMBasicBlockRef[]){before, last}, 2);
    LLVMAddIncoming(all, (LLVMValueRef[]){none, next}, (LLVMBasicBlockRef[]){before, last}, 2);
    tri_gpu_at_end(g, end);
    return LLVMBuildBitCast(g->b, all, words_type(k), "");
}

/* ---- the operation ---- */

/* i1: value, of which bits are known to be 0, is in [least, 2^24). */
static LLVMValueRef is_in_limits(block *k, LLVMValueRef value, int least)
{
    tri_gpu *g = k->g;
    LLVMValueRef above = LLVMBuildSub(g->b, value, tri_gpu_i32(g, least), "");
    return LLVMBuildICmp(g->b, LLVMIntULT, above, tri_gpu_i32(g, TRI_BLOCK_END - least), "");
}

/* i1: the hardware takes the matrix. */
static LLVMValueRef is_taken(block *k)
{
    tri_gpu *g = k->g;
    LLVMValueRef rest = LLVMBuildAnd(g->b, k->width, tri_gpu_i32(g, TRI_BLOCK_GRAIN - 1), "");
    LLVMValueRef ok = LLVMBuildICmp(g->b, LLVMIntEQ, rest, tri_gpu_i32(g, 0), "");
    ok = tri_gpu_and(g, ok, is_in_limits(k, k->width, TRI_BLOCK_LEAST));
    ok = tri_gpu_and(g, ok, is_in_limits(k, k->pitch, TRI_BLOCK_LEAST));
    return tri_gpu_and(g, ok, is_in_limits(k, k->height, 1));
}

static void fill_replicas(block *k, tri_gpu_value *out)
{
    for (int r = 0; r < out->count; r++)
        out->at[r] = out->at[(uint64_t)r & ~k->layout->replicas.reg];
}

/* The words of one message, both ways with a branch: nothing has asked in front. */
static LLVMValueRef load_either(block *k, int i, LLVMValueRef is_taken)
{
    tri_gpu *g = k->g;
    LLVMBasicBlockRef sides[2] = {tri_gpu_block(g, "block"), tri_gpu_block(g, "elements")};
    LLVMBasicBlockRef join = tri_gpu_block(g, "joined");
    LLVMValueRef values[2];
    tri_gpu_lane(g);
    LLVMBuildCondBr(g->b, is_taken, sides[0], sides[1]);
    for (int way = 0; way < 2; way++) {
        tri_gpu_at_end(g, sides[way]);
        values[way] = LLVMBuildBitCast(g->b, (way ? load_words : load_message)(k, i), waiting_type(k), "");
        sides[way] = LLVMGetInsertBlock(g->b);
        LLVMBuildBr(g->b, join);
    }
    tri_gpu_at_end(g, join);
    LLVMValueRef words = LLVMBuildPhi(g->b, LLVMTypeOf(values[0]), "");
    LLVMAddIncoming(words, values, sides, 2);
    return LLVMBuildBitCast(g->b, words, words_type(k), "");
}

/* Words [first, first + 8) of more than eight, which are one instruction's operand. What is cut out where it is used
 * keeps the whole alive beside it, in front of each loop that uses it. */
static LLVMValueRef cut_operand(block *k, LLVMValueRef words, int first)
{
    tri_gpu *g = k->g;
    LLVMValueRef mask[TRI_DPAS_ROWS];
    for (int i = 0; i < TRI_DPAS_ROWS; i++)
        mask[i] = tri_gpu_i32(g, first + i);
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(words));
    return LLVMBuildShuffleVector(g->b, words, none, LLVMConstVector(mask, TRI_DPAS_ROWS), "");
}

/* Puts the elements of message i where they belong. */
static void load_part_of(block *k, int i, tri_gpu_value *out)
{
    tri_str surface = tri_op_string(k->op, "tritcc.surface");
    LLVMValueRef words = !surface.len                      ? load_either(k, i, is_taken(k))
                         : tri_str_is(surface, "elements") ? load_words(k, i)
                                                           : load_message(k, i);
    LLVMValueRef run = words;
    int each = k->plan.message->words > TRI_DPAS_ROWS ? TRI_DPAS_ROWS : k->plan.message->words;
    for (int w = 0; w < k->plan.message->words; w++) {
        if (w % each == 0 && each < k->plan.message->words)
            run = cut_operand(k, words, w);
        if (has_taker(k->plan.at[i].reg[w]))
            unpack_word(k, run, w % each, k->plan.at[i].reg[w], out);
    }
}

/* Element by element each message takes a loop of its own, and none of them moves to where the product wants it: the
 * product asks for it then. Nothing in between may write memory. */
static bool waits_for_product(MlirOperation op)
{
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, 0));
    if (!tri_str_is(tri_op_string(op, "tritcc.surface"), "elements") || mlirOpOperandIsNull(use) ||
        !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
        return false;
    MlirOperation dot = mlirOpOperandGetOwner(use), next = mlirOperationGetNextInBlock(op);
    if (!tri_op_is(dot, "tt.dot") || !mlirBlockEqual(mlirOperationGetBlock(dot), mlirOperationGetBlock(op)))
        return false;
    for (; !mlirOperationEqual(next, dot); next = mlirOperationGetNextInBlock(next))
        if (tri_op_has_effects(next) && !tri_op_is(next, "ttig.2d_block_load"))
            return false;
    return true;
}

struct tri_intel_part {
    block block;
    bool *is_loaded; /* of each message */
};

tri_intel_part *tri_intel_part_open(tri_gpu *g, MlirValue operand)
{
    MlirOperation load = tri_op_def(operand);
    if (mlirOperationIsNull(load) || !tri_op_is(load, "ttig.2d_block_load") || !waits_for_product(load))
        return NULL;
    tri_intel_part *part = TRI_NEW(g->arena, tri_intel_part);
    *part = (tri_intel_part){.block = {.g = g, .op = load}};
    find_messages(&part->block);
    read_operands(&part->block);
    align_surface(&part->block);
    part->is_loaded = TRI_NEW_ARRAY(g->arena, bool, part->block.plan.count);
    return part;
}

void tri_intel_part_load(tri_intel_part *part, int reg, tri_gpu_value *out)
{
    const tri_block_plan *plan = &part->block.plan;
    int source = (int)((uint64_t)reg & ~part->block.layout->replicas.reg);
    for (int i = 0; i < plan->count && !out->at[source]; i++)
        for (int w = 0; w < plan->message->words && !part->is_loaded[i]; w++)
            for (int e = 0; e < TRI_BLOCK_PARTS && !part->is_loaded[i]; e++)
                if (plan->at[i].reg[w][e] == source) {
                    part->is_loaded[i] = true;
                    load_part_of(&part->block, i, out);
                }
    out->at[reg] = out->at[source];
}

static bool run_load(tri_gpu *g, MlirOperation op)
{
    block k = {.g = g, .op = op};
    if (tri_op_flag(op, "pad_nan"))
        return tri_gpu_unsupported(g, op, "'pad_nan' is not");
    if (!find_messages(&k))
        return false;
    tri_gpu_value out = tri_gpu_new(g, k.layout->registers);
    if (!waits_for_product(op)) {
        read_operands(&k);
        align_surface(&k);
        for (int i = 0; i < k.plan.count; i++)
            load_part_of(&k, i, &out);
        fill_replicas(&k, &out);
    }
    tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "block-io", "%d messages %s per sub-group",
                    k.plan.count, k.plan.message->name);
    tri_gpu_set_result(g, op, 0, out);
    return true;
}

/* ---- stores ---- */

/* Where the matrix has an element. */
static LLVMValueRef element_at(block *k, LLVMValueRef row, LLVMValueRef col)
{
    return tri_gpu_offset(k->g, k->base, count_bytes(k, row, col));
}

static void store_element(block *k, LLVMValueRef pointer, LLVMValueRef value, LLVMValueRef pred)
{
    tri_gpu *g = k->g;
    LLVMValueRef word = tri_gpu_to_int(g, value);
    tri_machine_access access = {.pointer = pointer, .word = LLVMTypeOf(word), .words = 1, .pred = pred};
    if (g->simulate) {
        tri_simulate_store(g, &access, &word);
        return;
    }
    tri_gpu_if inside;
    if (pred)
        inside = tri_gpu_begin_if(g, pred);
    LLVMBuildStore(g->b, word, pointer);
    if (pred)
        tri_gpu_end_if(g, inside);
}

static LLVMValueRef join_block(block *k, int i, const tri_gpu_value *value)
{
    LLVMValueRef elements[TRI_BLOCK_WORDS];
    int words = k->plan.message->words;
    for (int w = 0; w < words; w++)
        elements[w] = value->at[k->plan.at[i].reg[w][0]];
    return tri_gpu_join(k->g, elements, words, 1);
}

/* Row by row: all of them, or those that are inside. */
static void store_rows(block *k, int i, LLVMValueRef elements, bool is_whole)
{
    tri_gpu *g = k->g;
    LLVMValueRef columns = LLVMBuildAShr(g->b, k->width, tri_gpu_i32(g, tri_linear_log2(k->bits / 8)), "");
    LLVMValueRef col = LLVMBuildAdd(g->b, k->warp_x, tri_gpu_i32(g, k->plan.at[i].col), "");
    col = LLVMBuildAdd(g->b, col, tri_gpu_lane(g), "");
    LLVMValueRef is_column = LLVMBuildICmp(g->b, LLVMIntULT, col, columns, "");
    LLVMValueRef pitch = LLVMBuildSExt(g->b, k->pitch, g->i64, "");
    LLVMValueRef at = element_at(k, scale(g, k->surface_y, 1, k->plan.at[i].row), col);
    for (int w = 0; w < k->plan.message->words; w++) {
        LLVMValueRef row = scale(g, k->surface_y, 1, k->plan.at[i].row + w);
        LLVMValueRef is_row = LLVMBuildICmp(g->b, LLVMIntULT, row, k->height, "");
        LLVMValueRef value = LLVMBuildExtractElement(g->b, elements, tri_gpu_i32(g, w), "");
        store_element(k, at, value, is_whole ? NULL : LLVMBuildAnd(g->b, is_row, is_column, ""));
        at = tri_gpu_offset(g, at, pitch);
    }
}

/* i1: all blocks of this warp are inside, as far as the last one reaches. */
static LLVMValueRef is_whole(block *k)
{
    tri_gpu *g = k->g;
    int64_t rows = 0, cols = 0;
    for (int i = 0; i < k->plan.count; i++) {
        const tri_block_part *p = &k->plan.at[i];
        rows = p->row + k->plan.message->rows > rows ? p->row + k->plan.message->rows : rows;
        cols = p->col + k->plan.message->columns > cols ? p->col + k->plan.message->columns : cols;
    }
    LLVMValueRef columns = LLVMBuildAShr(g->b, k->width, tri_gpu_i32(g, tri_linear_log2(k->bits / 8)), "");
    LLVMValueRef zero = tri_gpu_i32(g, 0);
    LLVMValueRef ok = LLVMBuildICmp(g->b, LLVMIntSGE, k->surface_y, zero, "");
    ok = tri_gpu_and(g, ok, LLVMBuildICmp(g->b, LLVMIntSGE, k->warp_x, zero, ""));
    ok = tri_gpu_and(g, ok, LLVMBuildICmp(g->b, LLVMIntSLE, scale(g, k->surface_y, 1, rows), k->height, ""));
    return tri_gpu_and(g, ok, LLVMBuildICmp(g->b, LLVMIntSLE, scale(g, k->warp_x, 1, cols), columns, ""));
}

static bool run_store(tri_gpu *g, MlirOperation op)
{
    block k = {.g = g, .op = op};
    if (!find_store(&k))
        return false;
    read_operands(&k);
    tri_gpu_value value = tri_gpu_operand(g, op, 6);
    LLVMValueRef owner = tri_gpu_owner(g, &k.layout->replicas);
    LLVMValueRef *elements = TRI_NEW_ARRAY(g->arena, LLVMValueRef, k.plan.count);
    tri_gpu_if owned;
    tri_gpu_lane(g);
    for (int i = 0; i < k.plan.count; i++)
        elements[i] = join_block(&k, i, &value);
    if (owner)
        owned = tri_gpu_begin_if(g, owner);
    LLVMBasicBlockRef sides[2] = {tri_gpu_block(g, "whole"), tri_gpu_block(g, "rows")};
    LLVMBasicBlockRef join = tri_gpu_block(g, "joined");
    LLVMBuildCondBr(g->b, is_whole(&k), sides[0], sides[1]);
    for (int way = 0; way < 2; way++) {
        tri_gpu_at_end(g, sides[way]);
        for (int i = 0; i < k.plan.count; i++)
            store_rows(&k, i, elements[i], way == 0);
        LLVMBuildBr(g->b, join);
    }
    tri_gpu_at_end(g, join);
    if (owner)
        tri_gpu_end_if(g, owned);
    tri_diag_remark(g->unit->diag, tri_op_span(g->unit->diag, op), "block-io", "%d blocks of %d x %d per sub-group",
                    k.plan.count, k.plan.message->rows, k.plan.message->columns);
    return true;
}

const tri_gpu_op tri_intel_ops_block[] = {
    {"ttig.2d_block_load", run_load, NULL},
    {"ttig.2d_block_store", run_store, NULL},
    {0},
};
