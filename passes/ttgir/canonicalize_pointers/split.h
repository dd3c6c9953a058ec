/* Pointers in two parts, the address of a scalar and offsets: what the parts of canonicalize-pointers share. */
#ifndef TRI_PASSES_CANONICALIZE_POINTERS_SPLIT_H
#define TRI_PASSES_CANONICALIZE_POINTERS_SPLIT_H

#include "base/map.h"
#include "ir/op.h"
#include "passes/passes.h"

typedef enum {
    SPLIT_UNKNOWN, /* until something that reaches the value is seen */
    SPLIT_SMALL,   /* into memory below 2 GiB (tt.pointer_range = 32): the base stays, offsets of 32 bits grow */
    SPLIT_LARGE,   /* offsets of 64 bits; what all elements add moves the base */
    SPLIT_NONE     /* stays a pointer */
} split_kind;

/* What is known of a pointer, or a tensor of pointers, and how it is made. */
typedef struct {
    split_kind kind;
    bool is_narrow; /* offsets fit 32 bits, although kept in 64 */
    bool is_start;  /* offsets are zero, made by tt.splat */
    MlirValue root; /* pointers of one root have the same base */
    MlirValue base, offset;   /* once made */
    MlirAttribute hints[3];   /* tt.divisibility and so on of the pointer that base and offset make, or null */
} split_pointer;

enum { MOST_DECOMPOSED = 512 }; /* parts of the offset of one address; more is taken as it is */

typedef struct {
    tri_pass_run *run;
    MlirOperation func;
    bool has_large;   /* pointers without tt.pointer_range too */
    tri_map pointers; /* of values: split_pointer */
    tri_map blocks;   /* of blocks that branches lead to: block_arguments */
    tri_op_list dead; /* operations that others stand for, erased at the end */
    TRI_VEC(MlirValue) dead_arguments;
    int decomposed;
} splitting;

/* The arguments that a block had before it got those for bases and offsets. */
typedef struct {
    intptr_t n;
    MlirValue *arguments;
} block_arguments;

/* Null for what stays a pointer. */
split_pointer *tri_split_find(const splitting *s, MlirValue value);
/* split_states.c: which values are split. */
void tri_split_decide(splitting *s);

/* split_offsets.c: integers, alone or in tensors. */
bool tri_split_is_zero(MlirValue offset);
MlirValue tri_split_cast(tri_builder *b, MlirValue offset, unsigned bits); /* signed */
MlirValue tri_split_add(tri_builder *b, MlirValue x, MlirValue y);         /* of the wider type */
/* The scalar that all elements of an offset are, made where it is a constant; null where they may differ. */
MlirValue tri_split_scalar(tri_builder *b, MlirValue offset);
/* What all elements of a tensor add (a scalar), and the rest (a tensor). */
void tri_split_offset(splitting *s, tri_builder *b, MlirValue offset, MlirValue *out_same, MlirValue *out_rest);
/* offset + more, of a pointer whose base stays. */
MlirValue tri_split_sum(splitting *s, tri_builder *b, MlirValue offset, MlirValue more);

/* split_rewrite.c */
MlirValue tri_split_join(splitting *s, tri_builder *b, MlirValue pointer); /* the pointer again */
void tri_split_block(splitting *s, MlirBlock block);
/* split_regions.c */
void tri_split_regions_of(splitting *s, MlirOperation op); /* scf.for, scf.while, scf.if */
bool tri_split_has_regions(MlirOperation op);
void tri_split_arguments_of_blocks(splitting *s);
void tri_split_branch(splitting *s, MlirOperation branch);

#endif
