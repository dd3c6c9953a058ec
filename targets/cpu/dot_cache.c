/* Packed operands that stay from one program to the next of a thread's part of a launch. A program that needs the block
 * that another one has packed (a column of the product, a head's keys) finds it by the key: the values of all scalars
 * that the operand's expression reads and that are not the launch's.
 *
 * What a block was read from may not have been written since. Programs of a launch are in no order, so no other one may
 * write there while it runs; stores of the programs of the thread are compared with the addresses that were read, and
 * what writes at addresses that are not known, or waits for others, makes every block forgotten. Blocks do not outlive
 * the launch.
 *
 * The memory is the launcher's (runtime/launch/room.c): {generation, whether it is new to this kernel}, pairs of
 * {lowest address read, one past the highest}, then of each cache its keys, each behind the generation that it is of
 * and with a word that is the packer's, and its blocks.
 *
 * A block may be looked for in another thread's memory (dot_panel.c), which has the same offsets. That thread writes 0
 * to the packer's word, then the key, then the block, then another word: who reads the key, then a word that is not 0,
 * may read the block. */
#include "targets/cpu/dot.h"

#include "ir/op_classes.h"
#include "ir/options.h"

enum { max_keys = TRI_CPU_MAX_KEYS, max_loads = 8, max_depth = 16, header_bytes = 128, max_areas = 4 };
enum { budget = 4 << 20, max_blocks = 256 }; /* bytes of all products' blocks; what is not used is never touched */

struct tri_cpu_cache {
    int64_t blocks, bytes, keys_at, blocks_at, key_count;
    int area; /* of addresses that its first load reads; those of the others follow */
    LLVMBasicBlockRef join;
    LLVMValueRef fact; /* of the block that was found */
};

static int64_t entry_bytes(const tri_cpu_cache *c) { return 8 * (c->key_count + 2); }

typedef struct {
    MlirValue pointers[max_loads];
    LLVMValueRef keys[max_keys];
    int pointer_count, key_count;
    tri_map seen;
} expression;

/* ---- what an operand reads ---- */

/* Of the launch, so that it is the same in all programs. */
static bool is_of_launch(MlirValue value, int depth)
{
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op)) {
        MlirBlock block;
        intptr_t index;
        return tri_op_is_block_argument(value, &block, &index) &&
               tri_op_is(mlirBlockGetParentOperation(block), "tt.func");
    }
    if (tri_op_is(op, "arith.constant") || tri_op_is(op, "tt.get_num_programs"))
        return true;
    if (!tri_op_in(op, TRI_OPS_ELEMENTWISE) || mlirOperationGetNumRegions(op) > 0 || depth > max_depth)
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (!is_of_launch(tri_op_operand(op, i), depth + 1))
            return false;
    return true;
}

static bool add_key(expression *e, LLVMValueRef v)
{
    for (int i = 0; i < e->key_count; i++)
        if (e->keys[i] == v)
            return true;
    if (e->key_count == max_keys)
        return false;
    e->keys[e->key_count++] = v;
    return true;
}

/* False: it reads what is not known by scalars. */
static bool reads_known(tri_cpu_gen *g, MlirValue value, expression *e)
{
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    if (tri_map_find_ptr(&e->seen, value.ptr))
        return true;
    tri_map_set_ptr(&e->seen, value.ptr, e);
    if (!tri_type_is_tensor(mlirValueGetType(value)))
        return is_of_launch(value, 0) || (!tri_type_is_desc(mlirValueGetType(value)) && bind &&
                                         bind->kind == TRI_CPU_SCALAR && add_key(e, bind->v));
    if (bind && bind->kind == TRI_CPU_CARRIED)
        return add_key(e, bind->v) && reads_known(g, bind->init, e);
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op) || !(tri_cpu_can_be_lazy(op) || tri_op_is(op, "arith.constant")))
        return false;
    if (tri_op_is(op, "tt.load")) {
        if (e->pointer_count == max_loads)
            return false;
        e->pointers[e->pointer_count++] = tri_op_operand(op, 0);
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (!reads_known(g, tri_op_operand(op, i), e))
            return false;
    return true;
}

static bool read_all(tri_cpu_gen *g, MlirValue value, expression *e)
{
    *e = (expression){0};
    tri_map_init(&e->seen, g->arena);
    return reads_known(g, value, e) && e->pointer_count > 0;
}

/* Adds the axes of the grid that the value depends on, as bits. */
static void add_axes(MlirValue value, tri_map *seen, unsigned *io_axes)
{
    MlirOperation op = tri_op_def(value);
    MlirBlock block;
    intptr_t index;
    if (tri_map_find_ptr(seen, value.ptr))
        return;
    tri_map_set_ptr(seen, value.ptr, seen);
    if (mlirOperationIsNull(op)) {
        MlirOperation loop = {NULL};
        if (tri_op_is_block_argument(value, &block, &index))
            loop = mlirBlockGetParentOperation(block);
        if (mlirOperationIsNull(loop) || !tri_op_is(loop, "scf.for"))
            return;
        add_axes(tri_op_operand(loop, index ? index + 2 : 0), seen, io_axes);
        if (index)
            add_axes(tri_op_operand(mlirBlockGetTerminator(block), index - 1), seen, io_axes);
        return;
    }
    if (tri_op_is(op, "tt.get_program_id"))
        *io_axes |= 1u << tri_op_int(op, "axis", 0);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        add_axes(tri_op_operand(op, i), seen, io_axes);
}

bool tri_cpu_cache_likes_columns(const tri_cpu_gen *g) { return (g->cache_axes & 3) == 1; }

/* ---- memory ---- */

/* Whether the kernel's functions may have one is known before they are made: they get its memory. */
bool tri_cpu_cache_suits(tri_cpu_gen *g, MlirOperation func)
{
    tri_op_list dots = {0};
    if (!tri_op_is_kernel(func) || g->steps || g->unit->options->sanitize)
        return false;
    tri_op_collect_named(func, "tt.dot", g->arena, &dots);
    return dots.len > 0;
}

void tri_cpu_cache_start(tri_cpu_gen *g, MlirOperation func, LLVMValueRef memory)
{
    tri_op_list dots = {0};
    tri_op_collect_named(func, "tt.dot", g->arena, &dots);
    g->cache = memory;
    g->cache_bytes = header_bytes;
    g->cache_share = budget / (int64_t)(dots.len ? dots.len : 1);
    g->cache_keys.len = 0;
    g->cache_axes = 0;
    g->cache_areas = 0;
    g->has_panels = false;
}

int64_t tri_cpu_cache_room(const tri_cpu_gen *g, int64_t bytes, int64_t least)
{
    int64_t blocks = g->cache_share / ((bytes + 63) & ~(int64_t)63) / least;
    blocks = blocks * least < max_blocks ? blocks : max_blocks / least;
    return blocks > 1 ? blocks * least : least;
}

int64_t tri_cpu_cache_zeroed(tri_cpu_gen *g, int64_t bytes)
{
    tri_cpu_block_memory words = {.address = tri_cpu_i64(g, g->cache_bytes), .bytes = (bytes + 63) & ~(int64_t)63};
    tri_vec_push(g->arena, &g->cache_keys, words);
    g->cache_bytes += words.bytes;
    return g->cache_bytes - words.bytes;
}

tri_cpu_cache *tri_cpu_cache_of(tri_cpu_gen *g, MlirValue value, int64_t bytes, int64_t blocks)
{
    expression e;
    if (!g->cache || !read_all(g, value, &e))
        return NULL;
    tri_cpu_cache *c = TRI_NEW(g->arena, tri_cpu_cache);
    *c = (tri_cpu_cache){.blocks = blocks, .bytes = (bytes + 63) & ~(int64_t)63, .key_count = e.key_count};
    c->keys_at = tri_cpu_cache_zeroed(g, c->blocks * entry_bytes(c));
    c->blocks_at = g->cache_bytes;
    c->area = g->cache_areas;
    g->cache_areas += e.pointer_count;
    g->cache_bytes += c->blocks * c->bytes;
    return c;
}

tri_cpu_cache *tri_cpu_cache_new(tri_cpu_gen *g, MlirValue value, int64_t bytes, int64_t blocks)
{
    bool fits = ((bytes + 63) & ~(int64_t)63) * blocks <= g->cache_share;
    tri_cpu_cache *c = fits ? tri_cpu_cache_of(g, value, bytes, blocks) : NULL;
    tri_map seen;
    if (!c)
        return NULL;
    tri_map_init(&seen, g->arena);
    add_axes(value, &seen, &g->cache_axes);
    return c;
}

static LLVMValueRef word_at(tri_cpu_gen *g, LLVMValueRef base, int64_t at)
{
    LLVMValueRef index = tri_cpu_i64(g, at);
    return LLVMBuildInBoundsGEP2(g->b, g->i8, base, &index, 1, "");
}

static LLVMValueRef load_word(tri_cpu_gen *g, LLVMValueRef base, int64_t at)
{
    return LLVMBuildLoad2(g->b, g->i64, word_at(g, base, at), "");
}

static void store_word(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef base, int64_t at)
{
    LLVMBuildStore(g->b, v, word_at(g, base, at));
}

/* As runtime/launch/room.c has them; then the areas. */
enum { generation = 0, is_new = 8, areas_at = 64, area_bytes = 16 };

static int64_t lowest(int area) { return areas_at + area * area_bytes; }

static int64_t highest(int area) { return lowest(area) + 8; }

/* Keys of another kernel are none of this one's. */
static void clear_keys(tri_cpu_gen *g, LLVMValueRef memory)
{
    for (size_t i = 0; i < g->cache_keys.len; i++) {
        LLVMValueRef at = g->cache_keys.at[i].address;
        LLVMBuildMemSet(g->b, LLVMBuildInBoundsGEP2(g->b, g->i8, memory, &at, 1, ""), LLVMConstNull(g->i8),
                        tri_cpu_i64(g, g->cache_keys.at[i].bytes), 64);
    }
    store_word(g, tri_cpu_i64(g, 0), memory, is_new);
}

LLVMValueRef tri_cpu_cache_allocate(tri_cpu_gen *g, LLVMValueRef state)
{
    enum { error_memory = 7 /* TRI_ERROR_MEMORY */ };
    LLVMTypeRef params[3] = {g->ptr, g->ptr, g->i64};
    LLVMValueRef args[3] = {state, g->fn, tri_cpu_i64(g, g->cache_bytes)};
    LLVMValueRef memory = tri_cpu_call_runtime(g, "tri_cpu_rt_room", g->ptr, params, args, 3);
    LLVMBasicBlockRef ask = tri_cpu_new_block(g, "room"), failed = tri_cpu_new_block(g, "no_room"),
                      clear = tri_cpu_new_block(g, "clear"), next = tri_cpu_new_block(g, "cleared");
    LLVMBuildCondBr(g->b, LLVMBuildIsNull(g->b, memory, ""), failed, ask);
    LLVMPositionBuilderAtEnd(g->b, failed);
    LLVMBuildStore(g->b, LLVMConstInt(g->i32, error_memory, false), state);
    LLVMBuildRetVoid(g->b);
    LLVMPositionBuilderAtEnd(g->b, ask);
    LLVMValueRef asked = load_word(g, memory, is_new);
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntNE, asked, tri_cpu_i64(g, 0), ""), clear, next);
    LLVMPositionBuilderAtEnd(g->b, clear);
    clear_keys(g, memory);
    LLVMBuildBr(g->b, next);
    LLVMPositionBuilderAtEnd(g->b, next);
    return memory;
}

/* ---- finding ---- */

static LLVMValueRef as_word(tri_cpu_gen *g, LLVMValueRef v)
{
    switch (LLVMGetTypeKind(LLVMTypeOf(v))) {
    case LLVMPointerTypeKind:
        return LLVMBuildPtrToInt(g->b, v, g->i64, "");
    case LLVMFloatTypeKind:
        return LLVMBuildZExt(g->b, LLVMBuildBitCast(g->b, v, g->i32, ""), g->i64, "");
    case LLVMDoubleTypeKind:
        return LLVMBuildBitCast(g->b, v, g->i64, "");
    default:
        return LLVMBuildIntCast2(g->b, v, g->i64, false, "");
    }
}

static LLVMValueRef fold_words(tri_cpu_gen *g, const char *name, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[2] = {x, y};
    return tri_cpu_intrinsic(g, name, &g->i64, 1, args, 2);
}

/* Arrays that one operand reads have areas of their own: what lies between them may be written. */
static void note_addresses(tri_cpu_gen *g, const expression *e, int area)
{
    for (int i = 0; i < e->pointer_count; i++) {
        int64_t low = lowest((area + i) % max_areas), high = highest((area + i) % max_areas);
        LLVMValueRef lo, hi, least = load_word(g, g->cache, low), most = load_word(g, g->cache, high);
        bool is_known = tri_cpu_addresses(g, e->pointers[i], &lo, &hi);
        least = is_known ? fold_words(g, "llvm.umin", least, lo) : tri_cpu_i64(g, 0);
        most = is_known ? fold_words(g, "llvm.umax", most, hi) : tri_cpu_i64(g, -1);
        store_word(g, least, g->cache, low);
        store_word(g, most, g->cache, high);
    }
}

int tri_cpu_cache_words(tri_cpu_gen *g, MlirValue value, LLVMValueRef *out)
{
    expression e;
    if (!g->cache || !read_all(g, value, &e))
        return 0;
    tri_cpu_at(g, 0);
    out[0] = load_word(g, g->cache, generation);
    for (int i = 0; i < e.key_count; i++)
        out[i + 1] = as_word(g, e.keys[i]);
    return e.key_count + 1;
}

void tri_cpu_atomic_set(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef address, LLVMAtomicOrdering order)
{
    LLVMValueRef store = LLVMBuildStore(g->b, v, address);
    LLVMSetOrdering(store, order);
    LLVMSetAlignment(store, 8);
}

/* i1: are the words those of an entry? */
static LLVMValueRef has_key(tri_cpu_gen *g, const tri_cpu_cache *c, LLVMValueRef keys, LLVMValueRef *words,
                            bool is_shared)
{
    LLVMValueRef same = LLVMConstInt(g->i1, 1, false), zero = tri_cpu_i64(g, 0);
    for (int i = 0; i <= c->key_count; i++) {
        LLVMValueRef word = load_word(g, keys, i * 8);
        if (is_shared)
            LLVMSetOrdering(word, LLVMAtomicOrderingMonotonic);
        same = LLVMBuildAnd(g->b, same, LLVMBuildICmp(g->b, LLVMIntEQ, word, words[i], ""), "");
    }
    if (!is_shared)
        return same;
    LLVMBuildFence(g->b, LLVMAtomicOrderingAcquire, false, "");
    LLVMValueRef fact = load_word(g, c->fact, 0);
    LLVMSetOrdering(fact, LLVMAtomicOrderingAcquire);
    return LLVMBuildAnd(g->b, same, LLVMBuildICmp(g->b, LLVMIntNE, fact, zero, ""), "");
}

static void write_key(tri_cpu_gen *g, const tri_cpu_cache *c, LLVMValueRef keys, LLVMValueRef *words, bool is_shared)
{
    if (is_shared) {
        tri_cpu_atomic_set(g, tri_cpu_i64(g, 0), c->fact, LLVMAtomicOrderingMonotonic);
        LLVMBuildFence(g->b, LLVMAtomicOrderingRelease, false, "");
    }
    for (int i = 0; i <= c->key_count; i++) {
        LLVMValueRef store = LLVMBuildStore(g->b, words[i], word_at(g, keys, i * 8));
        if (is_shared)
            LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic);
    }
}

LLVMValueRef tri_cpu_cache_find(tri_cpu_gen *g, tri_cpu_cache *c, MlirValue value, LLVMValueRef number,
                                LLVMValueRef at, const tri_cpu_home *home)
{
    expression e;
    if (!read_all(g, value, &e) || e.key_count != c->key_count)
        TRI_BUG("an operand changed what it reads");
    tri_cpu_at(g, 0);
    LLVMValueRef words[max_keys + 1], memory = home ? home->memory : g->cache;
    tri_cpu_cache_words(g, value, words);
    words[0] = home ? home->generation : words[0];
    LLVMValueRef key_at = LLVMBuildNSWMul(g->b, number, tri_cpu_i64(g, entry_bytes(c)), "");
    LLVMValueRef keys = LLVMBuildInBoundsGEP2(g->b, g->i8, word_at(g, memory, c->keys_at), &key_at, 1, "");
    c->fact = word_at(g, keys, (e.key_count + 1) * 8);
    at = at ? at : LLVMBuildNSWMul(g->b, number, tri_cpu_i64(g, c->bytes), "");
    LLVMValueRef block = LLVMBuildInBoundsGEP2(g->b, g->i8, word_at(g, memory, c->blocks_at), &at, 1, "");
    LLVMBasicBlockRef fill = tri_cpu_new_block(g, "fill");
    c->join = tri_cpu_new_block(g, "filled");
    if (home) /* what another thread has read counts as read by this one */
        note_addresses(g, &e, c->area);
    LLVMBasicBlockRef missed = home ? tri_cpu_new_block(g, "missed") : fill;
    LLVMBuildCondBr(g->b, has_key(g, c, keys, words, home), c->join, missed);
    if (home) {
        tri_cpu_move(g, 0, missed);
        LLVMValueRef is_own = LLVMBuildICmp(g->b, LLVMIntEQ, memory, g->cache, "");
        LLVMBuildCondBr(g->b, is_own, fill, home->elsewhere);
    }
    tri_cpu_move(g, 0, fill);
    write_key(g, c, keys, words, home);
    if (!home)
        note_addresses(g, &e, c->area);
    return block;
}

void tri_cpu_cache_leave(tri_cpu_gen *g, tri_cpu_cache *c, LLVMBasicBlockRef next)
{
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, c->join);
}

LLVMValueRef tri_cpu_cache_fact(const tri_cpu_cache *c) { return c->fact; }

int64_t tri_cpu_cache_facts(const tri_cpu_cache *c, int64_t *out_apart)
{
    *out_apart = entry_bytes(c);
    return c->keys_at + (c->key_count + 1) * 8;
}

void tri_cpu_cache_found(tri_cpu_gen *g, tri_cpu_cache *c) { tri_cpu_cache_leave(g, c, c->join); }

/* ---- forgetting ---- */

/* i64: 1 where lo..hi lies in what an area was read from, which counts as nothing from then on; else 0. */
static LLVMValueRef empty_areas(tri_cpu_gen *g, LLVMValueRef lo, LLVMValueRef hi)
{
    LLVMValueRef any = LLVMConstInt(g->i1, 0, false);
    for (int i = 0; i < max_areas; i++) {
        LLVMValueRef least = load_word(g, g->cache, lowest(i)), most = load_word(g, g->cache, highest(i));
        LLVMValueRef is_behind = LLVMBuildICmp(g->b, LLVMIntULT, least, hi, "");
        LLVMValueRef meets = LLVMBuildAnd(g->b, LLVMBuildICmp(g->b, LLVMIntULT, lo, most, ""), is_behind, "");
        store_word(g, LLVMBuildSelect(g->b, meets, tri_cpu_i64(g, -1), least, ""), g->cache, lowest(i));
        store_word(g, LLVMBuildSelect(g->b, meets, tri_cpu_i64(g, 0), most, ""), g->cache, highest(i));
        any = LLVMBuildOr(g->b, any, meets, "");
    }
    return LLVMBuildZExt(g->b, any, g->i64, "");
}

void tri_cpu_cache_forget(tri_cpu_gen *g, MlirOperation op)
{
    if (!g->cache || !tri_op_in(op, TRI_OPS_WRITE | TRI_OPS_CALL | TRI_OPS_BARRIER))
        return;
    tri_cpu_at(g, 0);
    LLVMValueRef lo, hi, by = tri_cpu_i64(g, 1);
    bool is_silent = mlirOperationGetNumResults(op) == 0 ||
                     (mlirOperationGetNumResults(op) == 1 &&
                      mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(op, 0))));
    bool is_known = (tri_op_is(op, "tt.store") || tri_op_is(op, "tt.atomic_rmw")) && is_silent &&
                    tri_cpu_addresses(g, tri_op_operand(op, 0), &lo, &hi);
    if (is_known)
        by = empty_areas(g, lo, hi);
    store_word(g, LLVMBuildAdd(g->b, load_word(g, g->cache, generation), by, ""), g->cache, generation);
}
