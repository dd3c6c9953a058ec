/* Blocks of two dimensions that sub-groups of Intel's GPUs load and store at once: which messages move a tensor of a
 * layout. */
#ifndef TRI_IR_BLOCK_IO_H
#define TRI_IR_BLOCK_IO_H

#include "base/arena.h"
#include "ir/machines.h"
#include "layout/linear.h"

typedef enum { TRI_BLOCK_ROWS, TRI_BLOCK_TRANSFORM, TRI_BLOCK_TRANSPOSE } tri_block_how;

enum { TRI_BLOCK_LANES = 16, TRI_BLOCK_WORDS = 16, TRI_BLOCK_PARTS = 4 };

/* What the hardware asks of the matrix in memory: bytes. */
enum {
    TRI_BLOCK_LEAST = 64,       /* of a row, and from one to the next */
    TRI_BLOCK_PITCH = 16,       /* what the latter is a multiple of */
    TRI_BLOCK_GRAIN = 4,        /* what a row's length, and where a block begins in it, are multiples of */
    TRI_BLOCK_END = 1 << 24,    /* neither bytes nor rows are more */
};

typedef struct {
    const char *name;
    tri_block_how how;
    int bits, rows, columns, blocks, words, word_bits;
    int since;            /* year of the compilers that know `function` */
    const char *function;
} tri_block_message;

extern const tri_block_message tri_block_messages[];
extern const int tri_block_message_count;

/* Whether such messages are there: the machine's, or those that a module asks passes to reckon with. */
bool tri_block_is_available(MlirOperation module);

/* What is in memory at the word of a lane: a row and a column from the message's first, in elements of `bits`. */
void tri_block_place(const tri_block_message *m, int bits, int lane, int word, int part, int *out_row, int *out_col);

/* One message: where it begins for warp 0, along memory's rows and columns, and the registers that its words make up
 * (part 0 is the low one); -1: nobody wants it. */
typedef struct {
    int64_t row, col;
    int reg[TRI_BLOCK_WORDS][TRI_BLOCK_PARTS];
} tri_block_part;

typedef struct {
    const tri_block_message *message;
    int parts;     /* of a word */
    int count;
    tri_block_part *at;
} tri_block_plan;

/* The loads of a tensor of rank 2 in this layout. `is_column_major`: its dimension 0 runs along memory's rows.
 * `is_packed`: a product wants neighbours along K, which is dimension 0, in one word. False: no message fits. */
bool tri_block_plan_load(tri_arena *arena, const tri_machine_facts *facts, const tri_linear *layout, int bits,
                         bool is_column_major, bool is_packed, tri_block_plan *out);

/* The same of a store, whose messages have 8 rows of 16 columns; machines without them store row by row. */
bool tri_block_plan_store(tri_arena *arena, const tri_linear *layout, int bits, tri_block_plan *out);

#endif
