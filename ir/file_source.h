/* Texts that stand for files. */
#ifndef TRI_IR_FILE_SOURCE_H
#define TRI_IR_FILE_SOURCE_H

#include "base/str.h"

/* Files that are had before the disk is asked: 1 and the text, in the arena or borrowed; 0: ask the disk; -1: not
 * there. */
typedef struct {
    int (*find)(void *data, const char *path, tri_str *out_text);
    void *data;
} tri_file_source;

#endif
