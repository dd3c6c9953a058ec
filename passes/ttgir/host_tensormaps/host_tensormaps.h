/* What the parts of host-tensormaps share: maps that launchers can make, and numbers of a kernel as words that they
 * compute. */
#ifndef TRI_PASSES_TTGIR_HOST_TENSORMAPS_HOST_TENSORMAPS_H
#define TRI_PASSES_TTGIR_HOST_TENSORMAPS_HOST_TENSORMAPS_H

#include "ir/analysis/sum.h"
#include "ir/op.h"
#include "passes/analysis/tensormaps.h"
#include "passes/passes.h"

/* Operands of ttng.tensormap_create. */
enum {
    TRI_HOST_MAP_PLACE,
    TRI_HOST_MAP_ADDRESS,
    TRI_HOST_MAP_BOX,
    TRI_HOST_MAP_SIZE,
    TRI_HOST_MAP_STRIDE,
    TRI_HOST_MAP_STEP,
    TRI_HOST_MAP_GROUPS
};

/* A number of the program that moves the base, made in the map's partition or outside of all, and by how many elements
 * each. */
typedef struct {
    MlirValue at;
    const tri_sum *stride;
} tri_host_map_move;

/* A map that launchers can make. */
typedef struct {
    MlirOperation create, acquire, descriptor;
    intptr_t argument;     /* of the kernel, that the base is */
    const tri_sum *offset; /* of the base, in elements, as far as launchers know it */
    int rank, count;       /* dimensions of the map, and of those in front of them that move its base */
    tri_host_map_move moves[TRI_TENSORMAP_MAX_RANK];
    tri_str text; /* as ir/kernel.h says */
} tri_host_map;

/* host_map.c: fills the map of a ttng.tensormap_create; false: launchers cannot make it. `sums` is a fresh one. */
bool tri_host_map_find(tri_arena *arena, tri_sums *sums, MlirOperation create, tri_host_map *out);
/* The partition that an op stands in; null: none. */
MlirBlock tri_host_map_partition(MlirOperation op);
/* The descriptor's type with dimensions of one element in front; null: there is none. */
MlirType tri_host_map_type(const tri_host_map *map);
/* How many users a value has, and the one of this name in *out, null for none. */
int tri_host_map_users(MlirValue value, const char *name, MlirOperation *out);

/* host_words.c: what a partition takes from outside of it, through as many partitions as there are; other values are
 * themselves. */
MlirValue tri_host_words_outside(MlirValue value);
/* Which of the kernel's arguments a value is; -1: none. */
intptr_t tri_host_words_argument(MlirValue value);
/* Appends an integer in postfix order (ir/kernel.h), each word with a blank behind it. False, and the text is to be
 * thrown away, when launchers cannot know it. */
bool tri_host_words_add(tri_buf *out, MlirValue value);
bool tri_host_words_add_sum(tri_buf *out, const tri_sum *sum);

#endif
