/* Memory of one unit of compilation: allocate, never free singly. */
#ifndef TRI_BASE_ARENA_H
#define TRI_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct tri_arena tri_arena;

/* Creates an empty arena; the caller destroys it. Never null: running out of
 * memory is reported by tri_fatal_out_of_memory(), which does not return. */
tri_arena *tri_arena_create(void);

/* Ends the arena and everything allocated in it. Null is allowed. */
void tri_arena_destroy(tri_arena *arena);

/* Gives everything allocated in `other` to the arena, and ends `other`. */
void tri_arena_adopt(tri_arena *arena, tri_arena *other);

/* Returns `size` zeroed bytes aligned to 16, owned by the arena. Never null. */
void *tri_arena_alloc(tri_arena *arena, size_t size);
/* The same aligned to 8, for many small things; tri_arena_grow() must not get them. */
void *tri_arena_alloc_words(tri_arena *arena, size_t size);

/* Returns an arena copy of `size` bytes, with a final NUL that is not counted. */
void *tri_arena_copy(tri_arena *arena, const void *data, size_t size);

/* Grows `data` from `old_size` to `new_size` bytes (in place when it was the
 * last allocation); new bytes are zero. `data` null allocates. */
void *tri_arena_grow(tri_arena *arena, void *data, size_t old_size, size_t new_size);


#define TRI_NEW(arena, type) ((type *)tri_arena_alloc((arena), sizeof(type)))
#define TRI_NEW_ARRAY(arena, type, n) ((type *)tri_arena_alloc((arena), sizeof(type) * (size_t)(n)))

/* How many bytes it has handed out. */
size_t tri_arena_used(const tri_arena *arena);

/* Memory outside any arena, for the base modules themselves: like malloc and
 * realloc, but never null. Ended with free(). */
void *tri_mem_alloc(size_t size);
void *tri_mem_realloc(void *data, size_t size);


#endif
