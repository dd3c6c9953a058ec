/* Hash maps in an arena, from strings or from pointers to pointers. Insertion
 * order is kept, so walking a map gives the same order on every run. */
#ifndef TRI_BASE_MAP_H
#define TRI_BASE_MAP_H

#include "base/str.h"

typedef struct {
    tri_str key; /* string maps: borrowed from the arena copy; pointer maps: unused */
    const void *ptr;
    void *value;
} tri_map_entry;

typedef struct {
    tri_arena *arena;
    tri_map_entry *entries; /* in insertion order; erased ones have value null */
    size_t len;
    size_t cap;
    uint32_t *slots; /* 1 + entry index, 0 = free */
    size_t slot_count;
} tri_map;

void tri_map_init(tri_map *map, tri_arena *arena);

/* String keys. The key's bytes are copied on first insertion; a null value means absent. */
void tri_map_set(tri_map *map, tri_str key, void *value);
void *tri_map_find(const tri_map *map, tri_str key);

/* Pointer keys (for example `MlirValue.ptr`). */
void tri_map_set_ptr(tri_map *map, const void *key, void *value);
void *tri_map_find_ptr(const tri_map *map, const void *key);

#endif
