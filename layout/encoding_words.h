/* A layout's fields as a row of words: what the attribute stores. Equal layouts give equal rows,
 * and only meaningful fields are in them. The parent is stored beside the row. */
#ifndef TRI_LAYOUT_ENCODING_WORDS_H
#define TRI_LAYOUT_ENCODING_WORDS_H

#include <stddef.h>

#include "layout/encoding.h"

/* Writes at most `cap` words and returns how many there are. */
size_t tri_encoding_words_write(const tri_encoding *encoding, int32_t *words, size_t cap);
/* Fills `out` (parent: null) from a row that write made. */
void tri_encoding_words_read(const int32_t *words, size_t count, tri_encoding *out);
/* Alike in every field and parent. */
bool tri_encoding_equal(const tri_encoding *a, const tri_encoding *b);
tri_encoding_kind tri_encoding_words_kind(const int32_t *words, size_t count);
/* Rank as written; slice counts its parent's dimensions less one. */
int tri_encoding_words_rank(const int32_t *words, size_t count);

/* Thread counts that a layout without parent demands; false for layouts of memory. */
typedef struct {
    int lanes, warps, ctas;
} tri_launch_shape;
bool tri_encoding_words_launch(const int32_t *words, size_t count, tri_launch_shape *out);

enum { TRI_ENCODING_MAX_WORDS = 16 + 6 * (1 + TRI_MAX_BASES * TRI_MAX_RANK) };

#endif
