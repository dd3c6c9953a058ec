#include "targets/gpu/exchange.h"

#include "targets/gpu/access.h"

enum { max_elements = 64 };

/* ---- addresses ---- */

static uint64_t offset_bits(const tri_linear *map, tri_dim in)
{
    uint64_t used = 0;
    for (int bit = 0; bit < tri_linear_in_bits(map, in); bit++)
        used |= (uint64_t)tri_linear_basis_at(map, in, bit, TRI_DIM_OFFSET);
    return used;
}

static uint64_t register_offset(const tri_linear *map, uint64_t reg)
{
    return (uint64_t)tri_linear_coord(map, tri_linear_apply_one(map, TRI_DIM_REGISTER, reg), TRI_DIM_OFFSET);
}

static int round_of(const tri_linear *map, uint64_t reg)
{
    if (tri_linear_find_out(map, TRI_DIM_ITERATION) < 0)
        return 0;
    return (int)tri_linear_coord(map, tri_linear_apply_one(map, TRI_DIM_REGISTER, reg), TRI_DIM_ITERATION);
}

LLVMValueRef tri_gpu_exchange_bytes(tri_gpu *g, const tri_gpu_buffer *buffer, LLVMValueRef offset)
{
    const tri_encoding *e = buffer->padding;
    LLVMValueRef sum = offset;
    for (int i = 0; e && i < e->padded.count; i++) {
        LLVMValueRef runs =
            LLVMBuildLShr(g->b, offset, tri_gpu_i32(g, tri_linear_log2(e->padded.interval[i])), "");
        sum = LLVMBuildAdd(g->b, sum, LLVMBuildMul(g->b, runs, tri_gpu_i32(g, e->padded.padding[i]), ""), "");
    }
    int bytes = buffer->element_bits / 8;
    return bytes == 1 ? sum : LLVMBuildShl(g->b, sum, tri_gpu_i32(g, tri_linear_log2(bytes)), "");
}

/* The thread's part of the offset with `bits` flipped, in bytes. It does not change in loops, so it is made
 * in front of them. */
static LLVMValueRef thread_bytes(tri_gpu *g, const tri_linear *map, tri_gpu_buffer *buffer, uint64_t bits)
{
    LLVMBasicBlockRef here = tri_gpu_enter_front(g);
    if (!buffer->thread_offset)
        buffer->thread_offset = tri_gpu_apply_thread(g, map, tri_linear_out_shift(map, TRI_DIM_OFFSET),
                                                     tri_linear_out_bits(map, TRI_DIM_OFFSET));
    LLVMValueRef offset = buffer->thread_offset;
    if (bits)
        offset = LLVMBuildXor(g->b, offset, tri_gpu_i32(g, (int64_t)bits), "");
    offset = tri_gpu_exchange_bytes(g, buffer, offset);
    tri_gpu_at_end(g, here);
    return offset;
}

/* Only the bits that register and thread share are flipped by computation; the others go into the
 * instruction, as they can only be added. Padding makes the map no longer linear, so there all are flipped. */
LLVMValueRef tri_gpu_exchange_place(tri_gpu *g, const tri_linear *map, tri_gpu_buffer *buffer, uint64_t reg)
{
    uint64_t thread_bits = offset_bits(map, TRI_DIM_LANE) | offset_bits(map, TRI_DIM_WARP);
    uint64_t constant = register_offset(map, reg) ^ buffer->corner;
    uint64_t flipped = buffer->padding ? constant : constant & thread_bits;
    int at = 0;
    while (at < buffer->num_known && buffer->known[at].bits != flipped)
        at++;
    LLVMValueRef base = at < buffer->num_known ? buffer->known[at].pointer : buffer->base;
    if (at == buffer->num_known) {
        if (thread_bits || buffer->padding)
            base = tri_gpu_offset(g, base, thread_bytes(g, map, buffer, flipped));
        if (at < (int)(sizeof buffer->known / sizeof *buffer->known)) {
            buffer->known[at].bits = flipped;
            buffer->known[buffer->num_known++].pointer = base;
        }
    }
    return tri_gpu_offset_const(g, base, (int64_t)(constant ^ flipped) * (buffer->element_bits / 8));
}

/* ---- whole plans ---- */

void tri_gpu_access_store(tri_gpu *g, const tri_plan_access *plan, tri_gpu_buffer *buffer, int round, uint64_t copies,
                          tri_gpu_value values)
{
    bool is_plain = plan->form == TRI_ACCESS_PLAIN;
    tri_linear row = is_plain ? plan->map : tri_plan_matrix_row(plan);
    TRI_ASSERT(plan->vec <= max_elements);
    for (int a = 0; a < plan->count; a++) {
        uint64_t first = tri_plan_access_register(plan, a, 0);
        if (round_of(&plan->map, first) != round || (first & copies))
            continue;
        LLVMValueRef elements[max_elements];
        for (int e = 0; e < plan->vec; e++)
            elements[e] = values.at[tri_plan_access_register(plan, a, e)];
        LLVMValueRef pointer = tri_gpu_exchange_place(g, &row, buffer, first);
        if (is_plain)
            tri_gpu_shared_store(g, pointer, elements, plan->vec, NULL);
        else
            g->machine->store_rows(g, plan, pointer, elements);
    }
}

void tri_gpu_access_load(tri_gpu *g, const tri_plan_access *plan, tri_gpu_buffer *buffer, int round, uint64_t copies,
                         LLVMTypeRef type, tri_gpu_value *out)
{
    bool is_plain = plan->form == TRI_ACCESS_PLAIN;
    tri_linear row = is_plain ? plan->map : tri_plan_matrix_row(plan);
    TRI_ASSERT(plan->vec <= max_elements);
    for (int a = 0; a < plan->count; a++) {
        uint64_t first = tri_plan_access_register(plan, a, 0);
        if (round_of(&plan->map, first) != round || (first & copies))
            continue;
        LLVMValueRef elements[max_elements], pointer = tri_gpu_exchange_place(g, &row, buffer, first);
        if (is_plain)
            tri_gpu_shared_load(g, pointer, type, plan->vec, elements);
        else
            g->machine->load_rows(g, plan, pointer, type, elements);
        for (int e = 0; e < plan->vec; e++)
            out->at[tri_plan_access_register(plan, a, e)] = elements[e];
    }
}
