/* Files: whole reads, atomic outputs, temporaries that never stay behind. */
#ifndef TRI_BASE_FILE_H
#define TRI_BASE_FILE_H

#include "base/str.h"

/* Reads a whole file ("-" is stdin) into the arena; text is NUL-terminated.
 * On failure false, and *out_error is an errno value. */
bool tri_file_read(tri_arena *arena, tri_str path, tri_str *out_text, int *out_error);

/* Writes through a temporary beside `path` and a rename, so that readers see the old or the new
 * file, never a part; "-" writes to stdout. Device files and pipes are written directly.
 * On failure false, nothing remains, and *out_error is an errno value. */
bool tri_file_write(tri_str path, tri_str data, int *out_error);

/* A fresh temporary file or folder in the user's temporary folder, removed by
 * tri_file_remove_temporaries, on INT/TERM/HUP and on abort. */
bool tri_file_make_temporary(tri_arena *arena, const char *suffix, tri_str *out_path, int *out_error);
void tri_file_remove_temporaries(void);
/* Installs the signal handlers that remove temporaries; called once by main. */
void tri_file_guard_signals(void);

bool tri_file_exists(tri_str path);
bool tri_file_is_directory(tri_str path);
/* Makes a folder unless it is there; its parent must exist. False with errno set. */
bool tri_file_make_folder(tri_str path);

/* Path parts. `stem` drops folder and last suffix; the suffix includes its dot ("" when none). */
tri_str tri_path_folder(tri_str path);
tri_str tri_path_base(tri_str path);
tri_str tri_path_stem(tri_str path);
tri_str tri_path_suffix(tri_str path);
tri_str tri_path_join(tri_arena *arena, tri_str folder, tri_str name);

#endif
