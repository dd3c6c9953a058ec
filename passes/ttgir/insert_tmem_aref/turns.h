/* insert-tmem-aref: operations that hand a buffer on where its owner changes. */
#ifndef TRI_PASSES_INSERT_TMEM_AREF_TURNS_H
#define TRI_PASSES_INSERT_TMEM_AREF_TURNS_H

#include "passes/ttgir/insert_tmem_aref/path.h"

/* The groups that have a buffer: at most two, beside all warps outside of the loop, in the order of the path. */
typedef struct {
    tmem_owner owners[2];
    int count;
    bool too_many;
    bool all_too; /* all warps have it behind a group */
} tmem_owners;

tmem_owners tri_turns_owners(tmem_owner maker, const tmem_path *path);

/* Replaces a ttng.tmem_alloc by a ring of `buffers`, which it makes in front of the shared loop where the alloc stands
 * in it, and has its owners take and give a buffer in turn along the path. */
void tri_turns_take(MlirOperation alloc, const tmem_path *path, const tmem_owners *owners, int buffers);

#endif
