/* Texts that stand for files: what an editor shows, or what -fix has made, before it is on the disk. */
#ifndef TRI_DRIVER_OVERLAY_H
#define TRI_DRIVER_OVERLAY_H

#include "base/vec.h"
#include "ir/file_source.h"

typedef struct {
    tri_str path, text;
} tri_overlay_file;

typedef struct {
    tri_arena *arena;
    const tri_file_source *below; /* asked for what is not here; null: the disk */
    tri_file_source source;       /* what options take */
    TRI_VEC(tri_overlay_file) files;
} tri_overlay;

/* `overlay` must not move afterwards: `source` points to it. */
void tri_overlay_init(tri_overlay *overlay, tri_arena *arena, const tri_file_source *below);
/* Sets the text of a file, which is borrowed. */
void tri_overlay_set(tri_overlay *overlay, tri_str path, tri_str text);

#endif
