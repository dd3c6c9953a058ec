/* Typed growable arrays in an arena:
 *     TRI_VEC(int) v = {0};
 *     tri_vec_push(arena, &v, 7);
 *     for (size_t i = 0; i < v.len; i++) use(v.at[i]);
 * Zero-initialised is empty. Storage belongs to the arena. */
#ifndef TRI_BASE_VEC_H
#define TRI_BASE_VEC_H

#include "base/arena.h"

#define TRI_VEC(type) \
    struct { \
        type *at; \
        size_t len; \
        size_t cap; \
    }

#define tri_vec_reserve(arena, v, n) \
    ((n) <= (v)->cap ? (void)0 \
                     : (void)((v)->at = tri_vec_grow_((arena), (v)->at, sizeof *(v)->at, &(v)->cap, (n))))

#define tri_vec_push(arena, v, ...) \
    (tri_vec_reserve((arena), (v), (v)->len + 1), (void)((v)->at[(v)->len++] = (__VA_ARGS__)))

#define tri_vec_last(v) ((v)->at[(v)->len - 1])

static inline void *tri_vec_grow_(tri_arena *arena, void *data, size_t elem, size_t *cap, size_t need)
{
    size_t grown = *cap ? *cap * 2 : 8;
    if (grown < need)
        grown = need;
    data = tri_arena_grow(arena, data, *cap * elem, grown * elem);
    *cap = grown;
    return data;
}

#endif
