#include "frontend/frame.h"

static uint32_t hash_name(tri_str name) { return (uint32_t)tri_str_hash(name); }

static tri_local *find(tri_frame *frame, tri_str name, uint32_t hash)
{
    for (int i = frame->locals.len - 1; i >= 0; i--) {
        tri_local *l = &frame->locals.at[i];
        if (l->hash == hash && tri_str_equal(l->name, name))
            return l;
    }
    return NULL;
}

tri_local *tri_frame_find(tri_frame *frame, tri_str name)
{
    tri_local *l = find(frame, name, hash_name(name));
    return l && !l->is_gone ? l : NULL;
}

tri_local *tri_frame_find_gone(tri_frame *frame, tri_str name)
{
    tri_local *l = find(frame, name, hash_name(name));
    return l && l->is_gone ? l : NULL;
}

static void grow(tri_arena *arena, tri_locals *locals)
{
    int cap = locals->cap ? locals->cap * 2 : 32;
    tri_local *at = TRI_NEW_ARRAY(arena, tri_local, cap);
    if (locals->len)
        memcpy(at, locals->at, sizeof *at * (size_t)locals->len);
    locals->at = at;
    locals->cap = cap;
}

void tri_frame_set(tri_eval *e, tri_str name, tri_ev value, tri_span at)
{
    tri_frame *frame = e->frame;
    uint32_t hash = hash_name(name);
    tri_local *l = find(frame, name, hash);
    if (!l) {
        if (frame->locals.len == frame->locals.cap)
            grow(e->arena, &frame->locals);
        l = &frame->locals.at[frame->locals.len++];
    }
    *l = (tri_local){.name = name, .hash = hash, .value = value, .at = at};
}

tri_locals tri_frame_copy_locals(tri_eval *e, const tri_locals *locals)
{
    tri_locals copy = {.len = locals->len, .cap = locals->len};
    copy.at = tri_arena_copy(e->arena, locals->at, sizeof *copy.at * (size_t)locals->len);
    return copy;
}

/* Names keep their index for the life of a frame (blocks only append), so the added ones are the tail. */
void tri_frame_restore(tri_eval *e, const tri_locals *before)
{
    tri_locals now = e->frame->locals;
    e->frame->locals = tri_frame_copy_locals(e, before);
    tri_locals *locals = &e->frame->locals;
    for (int i = before->len; i < now.len; i++) {
        if (locals->len == locals->cap)
            grow(e->arena, locals);
        locals->at[locals->len] = now.at[i];
        locals->at[locals->len++].is_gone = true;
    }
}
