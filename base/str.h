/* Borrowed strings, and growable byte buffers. */
#ifndef TRI_BASE_STR_H
#define TRI_BASE_STR_H

#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

/* A borrowed run of bytes; not NUL-terminated unless its maker says so. */
typedef struct {
    const char *data;
    size_t len;
} tri_str;

#define TRI_STR(literal) ((tri_str){"" literal, sizeof(literal) - 1})
#define TRI_STR_ARG(s) (int)(s).len, (s).data /* for "%.*s" */

static inline tri_str tri_str_from(const char *z) { return (tri_str){z, z ? strlen(z) : 0}; }
static inline tri_str tri_str_sub(tri_str s, size_t from, size_t to) { return (tri_str){s.data + from, to - from}; }
static inline bool tri_str_is_empty(tri_str s) { return s.len == 0; }

bool tri_str_equal(tri_str a, tri_str b);
bool tri_str_is(tri_str a, const char *z);
bool tri_str_has_prefix(tri_str s, const char *prefix);
bool tri_str_has_suffix(tri_str s, const char *suffix);
int tri_str_compare(tri_str a, tri_str b);
/* Index of the first/last `c`, or `s.len` when there is none. */
size_t tri_str_find(tri_str s, char c);
size_t tri_str_find_last(tri_str s, char c);
tri_str tri_str_trim(tri_str s);
/* Takes the first line off a text; without its end. */
tri_str tri_str_take_line(tri_str *text);
uint64_t tri_str_hash(tri_str s);

/* Arena copy; `data` is NUL-terminated. */
tri_str tri_str_copy(tri_arena *arena, tri_str s);
/* printf into the arena; `data` is NUL-terminated. */
tri_str tri_str_format(tri_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
tri_str tri_str_vformat(tri_arena *arena, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Parses a decimal, 0x, 0o or 0b integer that fills the whole string. */
bool tri_str_to_i64(tri_str s, int64_t *out_value);

/* Where the first item of a list ends: at a comma outside of brackets and quotes, or at the text's own end. */
size_t tri_str_end_of_item(tri_str list);
/* Takes that item and its comma off the list, without the blanks around them. */
tri_str tri_str_take_item(tri_str *list);

/* The nearest of `count` words by edit distance, for "did you mean"; null when none is near. */
const char *tri_str_nearest(tri_str word, const char *const *words, size_t count);

/* A growable byte buffer on the heap. Zero-initialised is empty; end with fini. */
typedef struct {
    char *data; /* NUL-terminated once anything was added */
    size_t len;
    size_t cap;
} tri_buf;

void tri_buf_fini(tri_buf *buf);
void tri_buf_add(tri_buf *buf, const void *data, size_t size);
void tri_buf_add_str(tri_buf *buf, tri_str s);
void tri_buf_add_z(tri_buf *buf, const char *z);
void tri_buf_add_char(tri_buf *buf, char c);
void tri_buf_format(tri_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends `s` as a JSON string with its quotes. */
void tri_buf_add_json(tri_buf *buf, tri_str s);
static inline tri_str tri_buf_str(const tri_buf *buf) { return (tri_str){buf->data ? buf->data : "", buf->len}; }

#endif
