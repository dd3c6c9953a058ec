/* Loops whose waves take turns: what block-pingpong is made of. */
#ifndef TRI_PASSES_BLOCK_PINGPONG_PINGPONG_H
#define TRI_PASSES_BLOCK_PINGPONG_PINGPONG_H

#include "ir/op.h"
#include "passes/passes.h"

/* A loop, and what lies in it at any depth, in order. */
typedef struct {
    tri_arena *arena;
    MlirOperation loop;
    MlirBlock body;
    int64_t warps, stages;
    tri_op_list loads;  /* of global memory into registers */
    tri_op_list reads;  /* of shared memory that an earlier iteration has written */
    tri_op_list writes; /* to shared memory */
    tri_op_list copies, commits, waits;
    tri_op_list dots, scaled;
    tri_op_list sliced_reads[2], sliced_dots; /* pieces along K of the operands, and of the product */
    MlirOperation last; /* what is put in order goes behind it */
} tri_pingpong;

/* Marks that clusters begin and end with. */
typedef enum {
    TRI_PINGPONG_FENCE,          /* the assembler moves nothing across */
    TRI_PINGPONG_MEMORY_FENCE,   /* ... no access to memory */
    TRI_PINGPONG_FIRST,          /* this wave goes first where both halves could */
    TRI_PINGPONG_SECOND,         /* this wave goes when the other half cannot */
    TRI_PINGPONG_BARRIER,        /* waves meet, shared memory is ordered */
    TRI_PINGPONG_MEET,           /* waves meet */
    TRI_PINGPONG_RELEASE,        /* this wave's accesses to shared memory are over */
    TRI_PINGPONG_ACQUIRE,        /* those behind it have not begun */
    TRI_PINGPONG_ONE_PRODUCT,    /* an instruction of the matrix unit comes here */
    TRI_PINGPONG_THREE_SCALARS,  /* three of the scalar unit */
} tri_pingpong_mark;

/* ---- pingpong_place.c ---- */

/* Moves the operation behind `last`, which it becomes. */
void tri_pingpong_append(tri_pingpong *p, MlirOperation op);
/* The same, what it needs of the block first. An operation that stands in front of `last`, too, whose result is used
 * there already, stays. */
void tri_pingpong_bring(tri_pingpong *p, MlirOperation op);
void tri_pingpong_mark_here(tri_pingpong *p, tri_pingpong_mark mark);
void tri_pingpong_mark_before(MlirOperation op, tri_pingpong_mark mark);
/* Barrier, and nothing moves across. */
void tri_pingpong_end_cluster(tri_pingpong *p);
/* A product whose wave goes first. */
void tri_pingpong_bring_first(tri_pingpong *p, MlirOperation dot);
/* Whether what `op` needs of the block from `from` on can be moved there: it has no effects, or is of the lists. */
bool tri_pingpong_can_bring(tri_pingpong *p, MlirOperation from, MlirOperation op);

/* ---- pingpong_operands.c ---- */

/* Keeps of the loads, reads and writes those that the product's operands come from. False where others run in each
 * iteration. */
bool tri_pingpong_keep_operands(tri_pingpong *p, MlirOperation dot);
/* Whether a load's mask has elements that change from one iteration to the next. */
bool tri_pingpong_has_varying_mask(tri_pingpong *p);
/* Whether loads and reads may change places: nothing between them and the product writes global memory. */
bool tri_pingpong_may_move_loads(tri_pingpong *p);
/* Whether the halves of a block may be one barrier apart: nothing in the loop but the buffers of products and copies is
 * handed from one thread to others. */
bool tri_pingpong_may_be_apart(tri_pingpong *p);

/* ---- pingpong_slices.c ---- */

/* Makes `count` products of one, each of a part of K, with reads of their own. False, and nothing is changed, where the
 * parts would not fill an instruction, or the operands do not come from shared memory as they are. */
bool tri_pingpong_slice(tri_pingpong *p, MlirOperation dot, int count);

/* ---- pingpong_rotate.c ---- */

/* Makes a loop that writes the product's operands to shared memory at its start one that does so at its end. False,
 * and nothing is changed, where it is no such loop. */
bool tri_pingpong_rotate(tri_pingpong *p, MlirOperation dot);

/* ---- pingpong_step.c ---- */

/* Takes the conditional barriers away around loops in which threads hand over more than the buffers of products: where
 * halves of the block ran apart, one would read while the other writes. */
void tri_pingpong_keep_in_step(tri_pass_run *run);

/* ---- pingpong_clusters.c: orders. False, and nothing is changed, where one does not fit. ---- */

bool tri_pingpong_one_cluster(tri_pingpong *p);
bool tri_pingpong_two_clusters(tri_pingpong *p);
bool tri_pingpong_four_clusters(tri_pingpong *p);
bool tri_pingpong_copies_ahead(tri_pingpong *p);   /* three stages */
bool tri_pingpong_copies_apart(tri_pingpong *p);   /* of a scaled product */
bool tri_pingpong_two_products(tri_pingpong *p);   /* four stages, as in attention */

#endif
