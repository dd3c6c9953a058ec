#include "driver/messages/overlay.h"

static int find_text(void *data, const char *path, tri_str *out_text)
{
    const tri_overlay *overlay = data;
    for (size_t i = 0; i < overlay->files.len; i++) {
        if (tri_str_is(overlay->files.at[i].path, path)) {
            *out_text = overlay->files.at[i].text;
            return 1;
        }
    }
    return overlay->below ? overlay->below->find(overlay->below->data, path, out_text) : 0;
}

void tri_overlay_init(tri_overlay *overlay, tri_arena *arena, const tri_file_source *below)
{
    *overlay = (tri_overlay){.arena = arena, .below = below, .source = {find_text, overlay}};
}

void tri_overlay_set(tri_overlay *overlay, tri_str path, tri_str text)
{
    for (size_t i = 0; i < overlay->files.len; i++) {
        if (tri_str_equal(overlay->files.at[i].path, path)) {
            overlay->files.at[i].text = text;
            return;
        }
    }
    tri_vec_push(overlay->arena, &overlay->files, (tri_overlay_file){tri_str_copy(overlay->arena, path), text});
}
