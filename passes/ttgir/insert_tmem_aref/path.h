/* insert-tmem-aref: the way of a buffer in tensor memory, from one operation that has its token to the next. */
#ifndef TRI_PASSES_INSERT_TMEM_AREF_PATH_H
#define TRI_PASSES_INSERT_TMEM_AREF_PATH_H

#include "ir/analysis/ranges.h"
#include "passes/analysis/partitions.h"

/* A group of warps of a shared loop. */
typedef struct {
    uint64_t partition;  /* its bit; 0: no group, but all warps, outside of the loop */
    MlirAttribute tag;   /* of the loop, or null */
} tmem_owner;

typedef struct tmem_path {
    struct tmem_step *at;
    size_t len, cap;
} tmem_path;

/* An access; a loop or a conditional that is given the token; or the yield at the end of one of their blocks. */
typedef struct tmem_step {
    MlirOperation op;
    intptr_t operand; /* the token; -1: there is none */
    intptr_t result;  /* of a loop or a conditional: the token; else -1 */
    tmem_owner owner;
    tmem_path inner[2]; /* a loop has one block, a conditional two */
} tmem_step;

static inline bool tmem_owner_equal(tmem_owner a, tmem_owner b)
{
    return a.partition == b.partition && (!a.partition || mlirAttributeEqual(a.tag, b.tag));
}

/* The tag of the shared loop in which an operation of this block stands; null: it stands in none. */
MlirAttribute tri_path_tag_of(MlirBlock block);
/* The outermost loop with tt.warp_specialize that an operation stands in, or null. */
MlirOperation tri_path_shared_loop(MlirOperation op);
/* Reads the way of a ttng.tmem_alloc; false after a report. */
bool tri_path_read(tri_arena *arena, tri_diag *diag, MlirOperation alloc, tmem_path *out_path);
/* Who makes a buffer of a tensor, which is its first access. */
bool tri_path_owner_of(tri_diag *diag, MlirOperation op, tmem_owner *out_owner);

/* Can groups that fill and read a buffer in turn have two of them? */
bool tri_two_fit(tri_ranges *ranges, MlirOperation alloc, const tmem_path *path);

#endif
