/* Files: whole reads, atomic outputs, temporaries that never stay behind. */
#ifndef TRI_BASE_FILE_H
#define TRI_BASE_FILE_H

#include "base/str.h"

/* Reads a whole file ("-" is stdin) into the arena; text is NUL-terminated.
 * On failure false, and *out_error is an errno value: EFBIG beyond 512 MB. */
bool tri_file_read(tri_arena *arena, tri_str path, tri_str *out_text, int *out_error);
/* The same for arrays, whose files may be of any size; what is no regular file still ends there. */
bool tri_file_read_data(tri_arena *arena, tri_str path, tri_str *out_text, int *out_error);

/* Writes through a temporary beside `path` and a rename, so that readers see the old or the new
 * file, never a part; "-" writes to stdout. Device files and pipes are written directly. A symbolic
 * link stays: the file that it leads to is written.
 * On failure false, nothing remains, and *out_error is an errno value. */
bool tri_file_write(tri_str path, tri_str data, int *out_error);

/* A fresh private folder, or the name kernel<suffix> in one, where the user wants temporaries: removed by
 * tri_file_remove_temporaries and on abort. */
bool tri_file_make_temporary_folder(tri_arena *arena, tri_str *out_path, int *out_error);
bool tri_file_make_temporary(tri_arena *arena, const char *suffix, tri_str *out_path, int *out_error);
/* A name in such a folder, whose file, once there is one, is removed with it. */
bool tri_file_name_temporary(tri_arena *arena, tri_str folder, const char *name, tri_str *out_path, int *out_error);
void tri_file_remove_temporary_folder(tri_str folder);
/* Leaves the folder and its files: they are the user's from now on. */
void tri_file_keep_temporary_folder(tri_str folder);
/* Safe in a signal handler. */
void tri_file_remove_temporaries(void);
/* Where temporaries of this thread go from now on; null or empty: where the system has them. The text is borrowed. */
void tri_file_set_temporary_folder(const char *folder);

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
