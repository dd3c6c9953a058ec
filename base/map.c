#include "base/map.h"

void tri_map_init(tri_map *map, tri_arena *arena)
{
    *map = (tri_map){.arena = arena};
}

static uint64_t hash_ptr(const void *ptr)
{
    uint64_t x = (uint64_t)(uintptr_t)ptr;
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu; /* finaliser of MurmurHash3 */
    x ^= x >> 33;
    return x;
}

static uint64_t hash_entry(const tri_map_entry *e)
{
    return e->key.data ? tri_str_hash(e->key) : hash_ptr(e->ptr);
}

static void insert_slot(tri_map *map, uint32_t index)
{
    size_t mask = map->slot_count - 1;
    size_t i = hash_entry(&map->entries[index]) & mask;
    while (map->slots[i])
        i = (i + 1) & mask;
    map->slots[i] = index + 1;
}

static void grow(tri_map *map)
{
    size_t cap = map->cap ? map->cap * 2 : 16;
    map->entries = tri_arena_grow(map->arena, map->entries, map->cap * sizeof *map->entries,
                                  cap * sizeof *map->entries);
    map->cap = cap;
    map->slot_count = cap * 2;
    map->slots = TRI_NEW_ARRAY(map->arena, uint32_t, map->slot_count);
    for (size_t i = 0; i < map->len; i++)
        insert_slot(map, (uint32_t)i);
}

static tri_map_entry *find_str(const tri_map *map, tri_str key)
{
    if (!map->slot_count)
        return NULL;
    size_t mask = map->slot_count - 1;
    for (size_t i = tri_str_hash(key) & mask; map->slots[i]; i = (i + 1) & mask) {
        tri_map_entry *e = &map->entries[map->slots[i] - 1];
        if (e->key.data && tri_str_equal(e->key, key))
            return e;
    }
    return NULL;
}

static tri_map_entry *find_ptr(const tri_map *map, const void *key)
{
    if (!map->slot_count)
        return NULL;
    size_t mask = map->slot_count - 1;
    for (size_t i = hash_ptr(key) & mask; map->slots[i]; i = (i + 1) & mask) {
        tri_map_entry *e = &map->entries[map->slots[i] - 1];
        if (!e->key.data && e->ptr == key)
            return e;
    }
    return NULL;
}

static void add(tri_map *map, tri_map_entry entry)
{
    if (map->len == map->cap)
        grow(map);
    map->entries[map->len] = entry;
    insert_slot(map, (uint32_t)map->len++);
}

void tri_map_set(tri_map *map, tri_str key, void *value)
{
    tri_map_entry *e = find_str(map, key);
    if (e)
        e->value = value;
    else
        add(map, (tri_map_entry){.key = tri_str_copy(map->arena, key), .value = value});
}

void *tri_map_find(const tri_map *map, tri_str key)
{
    tri_map_entry *e = find_str(map, key);
    return e ? e->value : NULL;
}

void tri_map_set_ptr(tri_map *map, const void *key, void *value)
{
    tri_map_entry *e = find_ptr(map, key);
    if (e)
        e->value = value;
    else
        add(map, (tri_map_entry){.ptr = key, .value = value});
}

void *tri_map_find_ptr(const tri_map *map, const void *key)
{
    tri_map_entry *e = find_ptr(map, key);
    return e ? e->value : NULL;
}
