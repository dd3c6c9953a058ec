/* Left operands that stay. Programs in groups of rows, as tutorials have them, walk over the columns with the same few
 * blocks of rows. Where those are split or converted, which is most of the work of such a product, they are packed once
 * and found again, by what they are made of (dot_cache.c). What can be read in place is: packing it takes longer than
 * its rows' being apart.
 *
 * A panel has the blocks of one loop, by the number of the product. Which panel a loop takes is chosen at its first
 * product, by the key of that (runtime/launch/room.c): the one that has it, else another thread's, else the one that
 * was not used for longest. Whether a block is the wanted one is asked of its own key; one that another thread has not
 * packed yet is packed to the place of those that do not stay. */
#include "targets/cpu/dot.h"

/* TRI_RT_PANELS of runtime/launch/launch.h; memory that is not used is never touched. */
enum { panel_count = 24, panel_bytes = 2 << 20, most_blocks = 64, least_blocks = 4, unset = -1 };

/* tri_rt_home of runtime/launch/launch.h */
static LLVMTypeRef home_type(tri_cpu_gen *g)
{
    LLVMTypeRef members[2] = {g->ptr, g->i64};
    return LLVMStructTypeInContext(g->llvm, members, 2, false);
}

static LLVMValueRef load_home(tri_cpu_gen *g, const tri_cpu_queue *q, unsigned member, LLVMTypeRef type)
{
    return LLVMBuildLoad2(g->b, type, LLVMBuildStructGEP2(g->b, home_type(g), q->home, member, ""), "");
}

void tri_cpu_panel_begin(tri_cpu_gen *g, tri_cpu_queue *q)
{
    int64_t blocks = panel_bytes / tri_cpu_product_bytes(&q->x, q->x.m * q->x.k);
    blocks = blocks < most_blocks ? blocks : most_blocks;
    q->panel_blocks = blocks < least_blocks ? 0 : blocks;
    q->number = tri_cpu_temp(g, g->i64, "number");
    q->panel = tri_cpu_temp(g, g->i64, "panel");
    q->home = tri_cpu_temp(g, home_type(g), "home");
    LLVMBuildStore(g->b, tri_cpu_i64(g, 0), q->number);
    LLVMBuildStore(g->b, tri_cpu_i64(g, unset), q->panel);
}

static int64_t directory_bytes(int words) { return 8 * (1 + panel_count * (1 + (int64_t)words)); }

/* Unless it has been. */
static void choose(tri_cpu_gen *g, tri_cpu_queue *q, MlirValue value, const tri_cpu_cache *cache)
{
    LLVMValueRef words[TRI_CPU_MAX_KEYS + 1];
    LLVMBasicBlockRef asks = tri_cpu_new_block(g, "choose"), next = tri_cpu_new_block(g, "chosen");
    tri_cpu_at(g, 0);
    LLVMValueRef panel = LLVMBuildLoad2(g->b, g->i64, q->panel, "");
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, panel, tri_cpu_i64(g, unset), ""), asks, next);
    tri_cpu_move(g, 0, asks);
    int count = tri_cpu_cache_words(g, value, words);
    LLVMTypeRef array = LLVMArrayType2(g->i64, (uint64_t)count);
    LLVMTypeRef params[7] = {g->ptr, g->ptr, g->ptr, g->i64, g->ptr, g->i64, g->ptr};
    LLVMValueRef key = tri_cpu_temp(g, array, "key");
    LLVMValueRef at = tri_cpu_i64(g, tri_cpu_cache_zeroed(g, directory_bytes(count)));
    for (int i = 0; i < count; i++) {
        LLVMValueRef index = tri_cpu_i64(g, i);
        LLVMBuildStore(g->b, words[i], LLVMBuildInBoundsGEP2(g->b, g->i64, key, &index, 1, ""));
    }
    LLVMValueRef directory = LLVMBuildInBoundsGEP2(g->b, g->i8, g->cache, &at, 1, "");
    int64_t apart;
    at = tri_cpu_i64(g, tri_cpu_cache_facts(cache, &apart));
    LLVMValueRef args[7] = {LLVMGetLastParam(g->fn), directory, key, tri_cpu_i64(g, count), NULL,
                            tri_cpu_i64(g, apart * q->panel_blocks), q->home};
    args[4] = LLVMBuildInBoundsGEP2(g->b, g->i8, g->cache, &at, 1, "");
    LLVMBuildStore(g->b, tri_cpu_call_runtime(g, "tri_cpu_rt_panel", g->i64, params, args, 7), q->panel);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, next);
}

void tri_cpu_panel_place(tri_cpu_queue *q, tri_cpu_product *x, MlirValue value, LLVMValueRef buffer)
{
    tri_cpu_gen *g = x->g;
    int64_t bytes = tri_cpu_product_bytes(x, x->m * x->k);
    tri_cpu_direct direct;
    tri_cpu_cache *cache = q->panel_blocks && !tri_cpu_find_left(x, value, &direct)
                               ? tri_cpu_cache_of(g, value, bytes, panel_count * q->panel_blocks)
                               : NULL;
    if (!cache) {
        tri_cpu_place_left(x, value, buffer);
        tri_cpu_split_take(x, NULL);
        return;
    }
    choose(g, q, value, cache);
    g->has_panels = true;
    LLVMBasicBlockRef stays = tri_cpu_new_block(g, "stays"), pack = tri_cpu_new_block(g, "pack"),
                      placed = tri_cpu_new_block(g, "placed");
    LLVMValueRef number = LLVMBuildLoad2(g->b, g->i64, q->number, ""), next = tri_cpu_i64(g, 1);
    x->a = tri_cpu_temp(g, g->ptr, "left");
    LLVMValueRef fact = tri_cpu_temp(g, g->ptr, "fact");
    LLVMBuildStore(g->b, buffer, x->a);
    LLVMBuildStore(g->b, tri_cpu_temp(g, g->i64, "own"), fact);
    LLVMBuildStore(g->b, LLVMBuildNSWAdd(g->b, number, next, ""), q->number);
    LLVMValueRef fits = LLVMBuildICmp(g->b, LLVMIntSLT, number, tri_cpu_i64(g, q->panel_blocks), "");
    LLVMBuildCondBr(g->b, fits, stays, pack);
    tri_cpu_move(g, 0, stays);
    LLVMValueRef panel = LLVMBuildLoad2(g->b, g->i64, q->panel, "");
    LLVMValueRef first = LLVMBuildNSWMul(g->b, panel, tri_cpu_i64(g, q->panel_blocks), "");
    tri_cpu_home home = {load_home(g, q, 0, g->ptr), load_home(g, q, 1, g->i64), pack};
    number = LLVMBuildNSWAdd(g->b, first, number, "");
    LLVMValueRef block = tri_cpu_cache_find(g, cache, value, number, NULL, &home);
    LLVMBuildStore(g->b, block, x->a);
    LLVMBuildStore(g->b, tri_cpu_cache_fact(cache), fact);
    tri_cpu_cache_leave(g, cache, pack);
    tri_cpu_at(g, 0);
    LLVMBuildStore(g->b, block, x->a);
    LLVMBuildStore(g->b, tri_cpu_cache_fact(cache), fact);
    LLVMBuildBr(g->b, placed);
    tri_cpu_move(g, 0, pack);
    tri_cpu_pack_left(x, value, LLVMBuildLoad2(g->b, g->ptr, x->a, ""));
    tri_cpu_at(g, 0);
    tri_cpu_split_ready(x, LLVMBuildLoad2(g->b, g->ptr, fact, ""));
    LLVMBuildBr(g->b, placed);
    tri_cpu_move(g, 0, placed);
    x->a = LLVMBuildLoad2(g->b, g->ptr, x->a, "");
    tri_cpu_split_take(x, LLVMBuildLoad2(g->b, g->ptr, fact, ""));
}
