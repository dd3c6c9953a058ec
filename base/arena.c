#include "base/arena.h"

#include "base/fatal.h"
#include "base/trap.h"

#include <stdlib.h>
#include <string.h>

enum { block_size = 64 * 1024, alignment = 16 };

typedef struct block {
    struct block *next;
    size_t size;
    size_t used;
    _Alignas(16) unsigned char data[];
} block;

struct tri_arena {
    block *top;
    size_t used;
};

void *tri_mem_alloc(size_t size)
{
    void *data = malloc(size ? size : 1);
    if (!data)
        tri_fatal_out_of_memory();
    return data;
}

void *tri_mem_realloc(void *data, size_t size)
{
    void *grown = realloc(data, size ? size : 1);
    if (!grown)
        tri_fatal_out_of_memory();
    return grown;
}

static block *push_block(tri_arena *arena, size_t need)
{
    size_t size = need > block_size ? need : block_size;
    tri_trap_count((ptrdiff_t)(sizeof(block) + size));
    block *b = tri_mem_alloc(sizeof(block) + size);
    b->next = arena->top;
    b->size = size;
    b->used = 0;
    arena->top = b;
    return b;
}

tri_arena *tri_arena_create(void)
{
    tri_arena *arena = tri_mem_alloc(sizeof *arena);
    *arena = (tri_arena){0};
    return arena;
}

void tri_arena_destroy(tri_arena *arena)
{
    if (!arena)
        return;
    for (block *b = arena->top, *next; b; b = next) {
        next = b->next;
        tri_trap_count(-(ptrdiff_t)(sizeof(block) + b->size));
        free(b);
    }
    free(arena);
}

void tri_arena_adopt(tri_arena *arena, tri_arena *other)
{
    block **last = &arena->top;
    while (*last)
        last = &(*last)->next;
    *last = other->top;
    arena->used += other->used;
    free(other);
}

static void *allocate(tri_arena *arena, size_t size, size_t align)
{
    if (size > SIZE_MAX / 2)
        tri_fatal_out_of_memory();
    size = (size + align - 1) & ~(align - 1);
    block *b = arena->top;
    size_t gap = b ? -b->used & (align - 1) : 0;
    if (!b || b->size - b->used < size + gap) {
        b = push_block(arena, size);
        gap = 0;
    }
    void *data = b->data + b->used + gap;
    b->used += size + gap;
    arena->used += size + gap;
    return memset(data, 0, size);
}

void *tri_arena_alloc(tri_arena *arena, size_t size) { return allocate(arena, size, alignment); }
void *tri_arena_alloc_words(tri_arena *arena, size_t size) { return allocate(arena, size, sizeof(uint64_t)); }

size_t tri_arena_used(const tri_arena *arena) { return arena->used; }

void *tri_arena_copy(tri_arena *arena, const void *data, size_t size)
{
    char *copy = tri_arena_alloc(arena, size + 1);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

void *tri_arena_grow(tri_arena *arena, void *data, size_t old_size, size_t new_size)
{
    size_t old_room = (old_size + alignment - 1) & ~(size_t)(alignment - 1);
    size_t new_room = (new_size + alignment - 1) & ~(size_t)(alignment - 1);
    block *b = arena->top;
    bool is_last = data && b && (unsigned char *)data + old_room == b->data + b->used;
    if (is_last && new_room >= old_room && b->size - b->used >= new_room - old_room) {
        memset((unsigned char *)data + old_size, 0, new_room - old_size);
        b->used += new_room - old_room;
        arena->used += new_room - old_room;
        return data;
    }
    void *grown = tri_arena_alloc(arena, new_size);
    if (old_size)
        memcpy(grown, data, old_size < new_size ? old_size : new_size);
    return grown;
}

