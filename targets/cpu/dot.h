/* Private to dot*.c: products of blocks. */
#ifndef TRI_TARGETS_CPU_DOT_H
#define TRI_TARGETS_CPU_DOT_H

#include "targets/cpu/cpu.h"

/* One product: d += a * b. The operands are packed in the type that is multiplied, or a is where it lies. */
typedef struct tri_cpu_product {
    tri_cpu_gen *g;
    MlirOperation op;
    int rank;
    int64_t batch, m, n, k;
    tri_cpu_type compute; /* of sums; also of operands without `isa` */
    LLVMTypeRef element;
    MlirType mlir_element, mlir_sum; /* of packed operands; of sums */
    const tri_cpu_dot_isa *isa; /* null: single products */
    bool is_split;              /* float32 by bfloat16: blocks of high parts, behind them of low ones (dot_split.c) */
    bool is_plain;              /* its operands were packed for tiles, and then anew (dot_plain.c) */
    LLVMValueRef a, b, d;       /* row-major, of `element`; a and b of isa->packed */
    int64_t strip;              /* columns of b that are packed as a block of their own: of a tile; or all: n */
    int64_t span;               /* right operands whose strips of the same columns lie one behind the other */
    LLVMValueRef a_stride;      /* elements from row to row of a; null: k */
    LLVMValueRef is_fresh;      /* i1: d counts as zero, whatever it holds; null: it does not */
    LLVMValueRef out, out_stride; /* where the sums go, with so many elements from row to row; null: to d */
    LLVMValueRef is_narrow;       /* i1: out is of the type `narrow`; null: it is not */
    tri_cpu_type narrow;
    /* Instead of a and b: `trips` (i64, at least one) rows of {a, its stride, b}, whose products are all added. */
    LLVMValueRef table, trips;
    int64_t most_trips; /* that wait at most */
    /* Of numbers in two parts: where packing says that some are large (i64, not 0); that of all operands so far. */
    LLVMValueRef large, facts;
    LLVMValueRef rows;  /* a tile's rows of all of them, gathered (dot_rows.c); null: they are read from each */
} tri_cpu_product;

/* Shapes and types of a product; chooses the instruction. */
void tri_cpu_product_prepare(tri_cpu_product *x, MlirOperation op);
LLVMTypeRef tri_cpu_product_packed(const tri_cpu_product *x); /* of an element of the packed operands */
int64_t tri_cpu_product_bytes(const tri_cpu_product *x, int64_t elements); /* of so many of an operand, packed */
/* The only op that reads the value, and as which operand; null: none, or several. */
MlirOperation tri_cpu_only_user(MlirValue value, intptr_t *out_operand);
bool tri_cpu_is_zero(MlirValue value); /* a constant, and not -0.0 */
LLVMTypeRef tri_cpu_product_row(tri_cpu_gen *g);              /* of the table */

/* dot_pack.c */
/* Writes `value` to a buffer of `type`, converted to `to`. */
void tri_cpu_pack_into(tri_cpu_product *x, MlirValue value, LLVMValueRef buffer, tri_cpu_type to, MlirType type);
/* x->a and its stride: where the left operand lies, if it may be read there; else packed, to `buffer` (null: new) */
void tri_cpu_place_left(tri_cpu_product *x, MlirValue value, LLVMValueRef buffer);
/* Packed, to `buffer` (null: a new one, or where it is already). */
LLVMValueRef tri_cpu_pack_left(tri_cpu_product *x, MlirValue value, LLVMValueRef buffer);
/* Can it be read where it lies? Whether it is as the test wants is not known before. */
bool tri_cpu_find_left(tri_cpu_product *x, MlirValue value, tri_cpu_direct *out);
/* x->b: the right operand in the order of the kernel; in `buffer` (null: a new one, or where it is already) */
void tri_cpu_place_right(tri_cpu_product *x, MlirValue value, LLVMValueRef buffer);

/* dot_turn.c: right operands whose columns are runs in memory, to x->b */
bool tri_cpu_turn_suits(const tri_cpu_product *x, MlirType element);
void tri_cpu_turn_pack(tri_cpu_product *x, const tri_cpu_direct *columns);

/* A counted loop outside of nests, from 0 to `end`, which is at least one step. */
typedef struct {
    LLVMBasicBlockRef header, exit;
    LLVMValueRef i, end;
    int64_t step;
} tri_cpu_counted;
tri_cpu_counted tri_cpu_counted_begin(tri_cpu_gen *g, int64_t end, int64_t step);
tri_cpu_counted tri_cpu_counted_to(tri_cpu_gen *g, LLVMValueRef end); /* by one */
void tri_cpu_counted_end(tri_cpu_gen *g, tri_cpu_counted *c);

/* dot_kernel.c */
/* The loop over the products of x->table, if there is one, with the operands of the one at hand. */
typedef struct {
    tri_cpu_product x;
    LLVMValueRef base[2];
    LLVMValueRef next, next_stride; /* where rows are gathered: those of the tile below, where they lie */
    tri_cpu_counted loop;
} tri_cpu_each;
tri_cpu_each tri_cpu_each_begin(const tri_cpu_product *x, LLVMValueRef *base);
void tri_cpu_each_end(tri_cpu_gen *g, tri_cpu_each *e);
/* The sums of a tile before its products: emit(data, true) makes zeros of them, emit(data, false) loads them. */
void tri_cpu_sums_begin(const tri_cpu_product *x, void (*emit)(void *data, bool is_zero), void *data);
void tri_cpu_product_emit(tri_cpu_product *x);
/* Blocks of many columns go row by row: rows of a stay in the first cache, and sums go to memory in longer runs. Others
 * go column by column: b's strip stays. By measurement: with tiles up to a quarter is gained at 256 columns, 4 % lost
 * at 64. */
bool tri_cpu_product_is_wide(const tri_cpu_product *x);
int64_t tri_cpu_product_strip(const tri_cpu_product *x); /* as many columns as a tile of the result has */

/* dot_twin.c: products as functions of their own. */
/* Is it one with tiles, of a program that runs with AMX and without? */
bool tri_cpu_twin_suits(const tri_cpu_product *x);
/* Address of the function for products like x: (table, their number, d, is_fresh, out, out_stride), then is_narrow
 * where that is not null, then facts where they are in two parts. Without most_trips: for one, with out as d. */
enum { TRI_CPU_PRODUCT_MORE = 6, TRI_CPU_PRODUCT_PARAMS = TRI_CPU_PRODUCT_MORE + 2 };
LLVMValueRef tri_cpu_twin_function(const tri_cpu_product *x);
void tri_cpu_twin_run(tri_cpu_gen *g, LLVMValueRef function, LLVMValueRef *args, int count);
void tri_cpu_twin_call(const tri_cpu_product *x); /* of the one product */

/* dot_plain.c: the same product where its operands are for tiles, and there is no AMX */
void tri_cpu_plain_emit(tri_cpu_product *x);

/* dot_rows.c */
bool tri_cpu_rows_suit(const tri_cpu_product *x, int rows, int lanes); /* of a tile; are its rows gathered? */
LLVMValueRef tri_cpu_rows_new(const tri_cpu_product *x);               /* memory for them */
void tri_cpu_rows_gather(const tri_cpu_product *x, LLVMValueRef *base, LLVMValueRef rows, LLVMValueRef m);
void tri_cpu_rows_take(tri_cpu_each *each, LLVMValueRef m); /* the product at hand reads x->rows from then on */
/* In the step k of the tile's loop at column n: part of the rows of the tile below. */
void tri_cpu_rows_fetch(const tri_cpu_each *each, LLVMValueRef n, LLVMValueRef k);

/* dot_tiles.c: with AMX; base: a, b and d */
int64_t tri_cpu_tiles_strip(const tri_cpu_product *x);
/* Products at once of which a pair of tiles' rows stay in the first cache, where that pays; else `most`. */
int64_t tri_cpu_tiles_trips(const tri_cpu_product *x, int64_t most);
void tri_cpu_tiles_multiply(tri_cpu_product *x, LLVMValueRef *base);

/* dot_split.c: float32 as two bfloat16 */
/* The instruction, for tiles; null: the product asks for all bits, or is too small. */
const tri_cpu_dot_isa *tri_cpu_split_choose(tri_cpu_gen *g, MlirOperation dot, int64_t m, int64_t n, int64_t k);
void tri_cpu_split_begin(tri_cpu_product *x);                         /* before an operand is packed: none is large */
void tri_cpu_split_keep(const tri_cpu_product *x, LLVMValueRef fact); /* behind that: *fact = what x->large says */
/* The same for a block that other threads read, which is ready then; of other products, too. */
void tri_cpu_split_ready(const tri_cpu_product *x, LLVMValueRef fact);
/* Adds *fact to x->facts; null: what x->large says. */
void tri_cpu_split_take(tri_cpu_product *x, LLVMValueRef fact);
/* i32s like v, of whose upper halves the parts are; adds to x->large. */
void tri_cpu_split(const tri_cpu_product *x, LLVMValueRef v, LLVMValueRef *out_high, LLVMValueRef *out_low);
LLVMValueRef tri_cpu_split_half(tri_cpu_gen *g, LLVMValueRef part); /* i16s: the upper halves */
LLVMValueRef tri_cpu_split_pair(tri_cpu_gen *g, LLVMValueRef first, LLVMValueRef second); /* i32s: of both, by turns */
/* d += s where s is no NaN; d counts as x->d does. d has rows of x->n elements; s has `columns`, a multiple of 16. */
void tri_cpu_split_add(const tri_cpu_product *x, LLVMValueRef d, LLVMValueRef s, int64_t rows, int64_t columns);

typedef struct tri_cpu_queue {
    MlirOperation root; /* the outermost loop */
    tri_cpu_product x;  /* of each of the dots */
    LLVMValueRef count, first, table, a_blocks, b_blocks, kernel, sums; /* first: the number of the first that waits */
    LLVMValueRef is_fresh; /* where it says that nothing has been written to `sums`, which count as zero */
    LLVMValueRef facts;    /* of products in two parts: of those that wait, as x.facts has them (i64) */
    int64_t blocks;        /* of right operands: those are numbered */
    MlirOperation store;   /* that takes the result, if that is all: else null */
    bool is_narrow;        /* ... as x.narrow */
    /* Of left operands that stay (dot_panel.c): the number of the product in the loop; the panel, below 0 before it is
     * chosen, and which thread's it is; how many products one has blocks for. */
    LLVMValueRef number, panel, home;
    int64_t panel_blocks;
} tri_cpu_queue;

/* dot_panel.c: left operands that programs find as another one left them. */
void tri_cpu_panel_begin(tri_cpu_gen *g, tri_cpu_queue *q); /* before the loop */
/* As tri_cpu_place_left; in `buffer`, if it neither stays nor is read where it lies. */
void tri_cpu_panel_place(tri_cpu_queue *q, tri_cpu_product *x, MlirValue value, LLVMValueRef buffer);

/* dot_queue.c: products whose sums are only added to are put off, and done together. */
/* Takes part if `arg`, which `loop` carries in `sums`, is such a sum. True: it starts at zero, and `sums` need not be
 * written. */
bool tri_cpu_queue_begin(tri_cpu_gen *g, MlirOperation loop, intptr_t arg, LLVMValueRef sums);
/* Where the sums of a loop's argument are, if a queue of a loop around it has them; else null. */
LLVMValueRef tri_cpu_queue_sums(tri_cpu_gen *g, MlirValue arg);
bool tri_cpu_queue_add(tri_cpu_gen *g, MlirOperation dot); /* false: it is in no queue */
/* Does `count` products, whose sums go to rows of `stride` elements at `out`; those are as the store has them, or as
 * the sums are. */
void tri_cpu_queue_run(tri_cpu_gen *g, const tri_cpu_queue *q, LLVMValueRef count, LLVMValueRef out,
                       LLVMValueRef stride, bool is_stored);

/* dot_result.c: sums that are complete. */
void tri_cpu_queue_end(tri_cpu_gen *g, MlirOperation loop); /* what still waits is done, or put off until a store */
/* Before a store: if products wait for it, they are done, and where their sums could be written to where it stores
 * them, the program goes on at the block that is returned. Null: there are none. */
LLVMBasicBlockRef tri_cpu_queue_store(tri_cpu_gen *g, MlirOperation store);

/* dot_cache.c: packed right operands that programs find as another one left them. */
typedef struct tri_cpu_cache tri_cpu_cache; /* of one product */
/* How many blocks of `bytes` one may have: a multiple of `least`. */
int64_t tri_cpu_cache_room(const tri_cpu_gen *g, int64_t bytes, int64_t least);
/* Null: there is no room, or the value is not known by what it reads. */
tri_cpu_cache *tri_cpu_cache_new(tri_cpu_gen *g, MlirValue value, int64_t bytes, int64_t blocks);
/* Which thread's memory has a block, and the generation that it must be of; where the program goes on if it is not that
 * thread's own, and the block is not there. */
typedef struct {
    LLVMValueRef memory, generation;
    LLVMBasicBlockRef elsewhere;
} tri_cpu_home;
/* Address of a block, `at` bytes behind the first one (null: they lie in order); begins what happens when it does not
 * have the value yet. home: null: this thread's, which no other one reads. With it the packer's word says that the
 * block is ready: it is written last, released, and is not 0. */
LLVMValueRef tri_cpu_cache_find(tri_cpu_gen *g, tri_cpu_cache *cache, MlirValue value, LLVMValueRef number,
                                LLVMValueRef at, const tri_cpu_home *home);
/* An i64, at a multiple of 8. */
void tri_cpu_atomic_set(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef address, LLVMAtomicOrdering order);
void tri_cpu_cache_found(tri_cpu_gen *g, tri_cpu_cache *cache); /* ends it */
LLVMValueRef tri_cpu_cache_fact(const tri_cpu_cache *cache);    /* a word of the block found, for who packs it */
/* Where those of all blocks are, in bytes behind the memory's begin and apart. */
int64_t tri_cpu_cache_facts(const tri_cpu_cache *cache, int64_t *out_apart);
/* Ends it, too: what happens goes on at `next`, and the code that follows is for a block that was there. */
void tri_cpu_cache_leave(tri_cpu_gen *g, tri_cpu_cache *cache, LLVMBasicBlockRef next);
/* One outside of the budget, of memory that is not touched before it is used. */
tri_cpu_cache *tri_cpu_cache_of(tri_cpu_gen *g, MlirValue value, int64_t bytes, int64_t blocks);
/* Offset of so many bytes in the memory, which are zero where it is new to the kernel. */
int64_t tri_cpu_cache_zeroed(tri_cpu_gen *g, int64_t bytes);
/* What the value is known by: their number, at most TRI_CPU_MAX_KEYS and one; 0: it is not known. */
int tri_cpu_cache_words(tri_cpu_gen *g, MlirValue value, LLVMValueRef *out);

#endif
