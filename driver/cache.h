/* --cache-dir: what compilations came to, by the contents of all that went into them.
 *
 * A compilation is known by a key: the compiler's build, the options that count, the input's text, and what it finds of
 * tools. Which further files it reads, or looks for in vain, is only known behind it; DIR/xx/KEY.m lists them, and the
 * key with their contents is that of DIR/yy/KEY.r, which holds the outputs. Files are written beside their place and
 * renamed, and carry a sum of their contents, so that processes and machines may share the folder, write at the same
 * time, and remove files at any time. */
#ifndef TRI_DRIVER_CACHE_H
#define TRI_DRIVER_CACHE_H

#include "base/sha256.h"
#include "driver/output.h"
#include "driver/session.h"

/* A file that was asked for. */
typedef struct {
    tri_str path;
    char digest[TRI_SHA256_TEXT + 1]; /* empty: it is not there */
} tri_cache_probe;

typedef struct {
    tri_session *session; /* null: there is no cache */
    tri_arena *arena;
    char key[TRI_SHA256_TEXT + 1];
    TRI_VEC(tri_cache_probe) probes;
    tri_file_source files;       /* asks `below` and the disk, and notes what it finds */
    const tri_file_source *below;
    size_t written;              /* what had been said before */
} tri_cache;

/* Begins to watch which files are read, when the session has a cache. `text` is the input. */
void tri_cache_init(tri_cache *cache, tri_session *session, tri_arena *arena, tri_str path, tri_str text,
                    const tri_output_list *outputs);
void tri_cache_fini(tri_cache *cache);

/* Fills in the outputs' data and the unit's dependencies; false when they are not there. */
bool tri_cache_fetch(const tri_cache *cache, tri_output_list *outputs, tri_unit *unit);
/* Keeps outputs that were made in silence: messages are to be seen again. A folder that cannot be
 * written to is none. */
void tri_cache_store(const tri_cache *cache, const tri_output_list *outputs, const tri_unit *unit);

#endif
