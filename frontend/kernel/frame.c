#include "frontend/kernel/frame.h"

#include "frontend/kernel/notes.h"

static uint32_t hash_name(tri_str name) { return (uint32_t)tri_str_hash(name); }

enum { few = 24 }; /* names that are searched one by one */

static void insert_slot(tri_locals *l, int index)
{
    uint32_t mask = (uint32_t)l->slot_count - 1, slot = l->at[index].hash & mask;
    while (l->slots[slot])
        slot = (slot + 1) & mask;
    l->slots[slot] = index + 1;
}

static void index_names(tri_eval *e, tri_locals *l)
{
    l->slot_count = 64;
    while (l->slot_count < l->len * 4)
        l->slot_count *= 2;
    l->slots = TRI_NEW_ARRAY(e->arena, int, l->slot_count);
    for (int i = 0; i < l->len; i++)
        insert_slot(l, i);
}

tri_local *tri_frame_find_in(tri_eval *e, tri_locals *l, tri_str name, uint32_t hash)
{
    if (l->len > few) {
        if (!l->slots)
            index_names(e, l);
        uint32_t mask = (uint32_t)l->slot_count - 1;
        for (uint32_t slot = hash & mask; l->slots[slot]; slot = (slot + 1) & mask) {
            if (l->slots[slot] > l->len)
                continue; /* of a list that began as this one */
            tri_local *at = &l->at[l->slots[slot] - 1];
            if (at->hash == hash && tri_str_equal(at->name, name))
                return at;
        }
        return NULL;
    }
    for (int i = l->len - 1; i >= 0; i--)
        if (l->at[i].hash == hash && tri_str_equal(l->at[i].name, name))
            return &l->at[i];
    return NULL;
}

tri_local *tri_frame_find(tri_eval *e, tri_str name)
{
    tri_local *l = tri_frame_find_in(e, &e->frame->locals, name, hash_name(name));
    return l && !l->is_gone ? l : NULL;
}

tri_local *tri_frame_find_gone(tri_eval *e, tri_str name)
{
    tri_local *l = tri_frame_find_in(e, &e->frame->locals, name, hash_name(name));
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

static tri_local *append(tri_eval *e, tri_locals *l, tri_local local)
{
    if (l->len == l->cap)
        grow(e->arena, l);
    l->at[l->len] = local;
    if (l->slots && l->len * 2 < l->slot_count)
        insert_slot(l, l->len);
    else
        l->slots = NULL; /* too full: made again when asked */
    return &l->at[l->len++];
}

void tri_frame_set(tri_eval *e, tri_str name, tri_ev value, tri_span at)
{
    tri_notes_add_binding(e, at, value);
    tri_local local = {.name = name, .hash = hash_name(name), .value = value, .at = at};
    tri_local *l = tri_frame_find_in(e, &e->frame->locals, name, local.hash);
    if (l)
        *l = local;
    else
        append(e, &e->frame->locals, local);
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
    for (int i = before->len; i < now.len; i++)
        append(e, &e->frame->locals, now.at[i])->is_gone = true;
}
