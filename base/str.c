#include "base/str.h"

#include "base/fatal.h"

#include <stdio.h>
#include <stdlib.h>

bool tri_str_equal(tri_str a, tri_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool tri_str_is(tri_str a, const char *z)
{
    return tri_str_equal(a, tri_str_from(z));
}

bool tri_str_has_prefix(tri_str s, const char *prefix)
{
    size_t n = strlen(prefix);
    return s.len >= n && memcmp(s.data, prefix, n) == 0;
}

bool tri_str_has_suffix(tri_str s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.len >= n && memcmp(s.data + s.len - n, suffix, n) == 0;
}

int tri_str_compare(tri_str a, tri_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.data, b.data, n) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

size_t tri_str_find(tri_str s, char c)
{
    const char *at = s.len ? memchr(s.data, c, s.len) : NULL;
    return at ? (size_t)(at - s.data) : s.len;
}

size_t tri_str_find_last(tri_str s, char c)
{
    for (size_t i = s.len; i-- > 0;)
        if (s.data[i] == c)
            return i;
    return s.len;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

tri_str tri_str_take_line(tri_str *text)
{
    size_t end = tri_str_find(*text, '\n');
    tri_str line = tri_str_sub(*text, 0, end);
    *text = tri_str_sub(*text, end < text->len ? end + 1 : end, text->len);
    return line;
}

tri_str tri_str_trim(tri_str s)
{
    while (s.len && is_space(s.data[0]))
        s.data++, s.len--;
    while (s.len && is_space(s.data[s.len - 1]))
        s.len--;
    return s;
}

uint64_t tri_str_hash(tri_str s)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < s.len; i++)
        hash = (hash ^ (unsigned char)s.data[i]) * 0x100000001b3u;
    return hash;
}

tri_str tri_str_copy(tri_arena *arena, tri_str s)
{
    return (tri_str){tri_arena_copy(arena, s.data, s.len), s.len};
}

tri_str tri_str_vformat(tri_arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len < 0)
        TRI_BUG("bad format '%s'", format);
    char *data = tri_arena_alloc(arena, (size_t)len + 1);
    vsnprintf(data, (size_t)len + 1, format, args);
    return (tri_str){data, (size_t)len};
}

tri_str tri_str_format(tri_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str s = tri_str_vformat(arena, format, args);
    va_end(args);
    return s;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

static int take_base(tri_str *s)
{
    if (s->len < 3 || s->data[0] != '0')
        return 10;
    int base = s->data[1] == 'x' ? 16 : s->data[1] == 'o' ? 8 : s->data[1] == 'b' ? 2 : 10;
    if (base != 10)
        *s = tri_str_sub(*s, 2, s->len);
    return base;
}

size_t tri_str_end_of_item(tri_str list)
{
    int depth = 0;
    char quote = 0;
    for (size_t i = 0; i < list.len; i++) {
        char c = list.data[i];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (c == '(' || c == '[' || c == '<')
            depth++;
        else if (c == ')' || c == ']' || c == '>')
            depth--;
        else if (c == ',' && depth == 0)
            return i;
    }
    return list.len;
}

tri_str tri_str_take_item(tri_str *list)
{
    size_t end = tri_str_end_of_item(*list);
    tri_str item = tri_str_trim(tri_str_sub(*list, 0, end));
    *list = tri_str_trim(tri_str_sub(*list, end + (end < list->len), list->len));
    return item;
}

bool tri_str_to_i64(tri_str s, int64_t *out_value)
{
    bool is_negative = s.len && s.data[0] == '-';
    if (is_negative)
        s = tri_str_sub(s, 1, s.len);
    int base = take_base(&s);
    if (!s.len)
        return false;
    uint64_t value = 0;
    uint64_t limit = is_negative ? (uint64_t)1 << 63 : (uint64_t)INT64_MAX;
    for (size_t i = 0; i < s.len; i++) {
        int digit = digit_value(s.data[i]);
        if (digit >= base || value > (limit - (uint64_t)digit) / (uint64_t)base)
            return false;
        value = value * (uint64_t)base + (uint64_t)digit;
    }
    *out_value = (int64_t)(is_negative ? 0 - value : value);
    return true;
}

/* Edit distance with transpositions (Damerau, optimal string alignment); words over 64 bytes are never near. */
static size_t distance(tri_str a, tri_str b)
{
    enum { max = 64 };
    if (a.len > max || b.len > max)
        return SIZE_MAX;
    size_t rows[3][max + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b.len; j++)
        last[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t best = last[j - 1] + (a.data[i - 1] != b.data[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
        size_t *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[b.len];
}

static size_t common_start(tri_str word, const char *other)
{
    size_t n = 0;
    while (n < word.len && other[n] == word.data[n])
        n++;
    return n;
}

/* Of several that are as near, the one that begins the most alike: names say the family first. */
const char *tri_str_nearest(tri_str word, const char *const *words, size_t count)
{
    const char *best = NULL;
    size_t best_distance = word.len / 3 + 1; /* farther is no help */
    for (size_t i = 0; i < count; i++) {
        tri_str other = tri_str_from(words[i]);
        size_t longer = other.len > word.len ? other.len - word.len : word.len - other.len;
        size_t d = longer > word.len / 3 + (word.len > 3) ? word.len : distance(word, other); /* 'p' is not 'exp' */
        if (d > best_distance || d >= word.len)
            continue;
        if (d < best_distance || !best || common_start(word, words[i]) > common_start(word, best)) {
            best_distance = d;
            best = words[i];
        }
    }
    return best;
}

void tri_buf_fini(tri_buf *buf)
{
    free(buf->data);
    *buf = (tri_buf){0};
}

static void reserve(tri_buf *buf, size_t more)
{
    if (more > SIZE_MAX / 4 || buf->len > SIZE_MAX / 4)
        tri_fatal_out_of_memory();
    size_t need = buf->len + more + 1;
    if (need <= buf->cap)
        return;
    size_t cap = buf->cap ? buf->cap * 2 : 256;
    if (cap < need)
        cap = need;
    buf->data = tri_mem_realloc(buf->data, cap);
    buf->cap = cap;
}

void tri_buf_add(tri_buf *buf, const void *data, size_t size)
{
    reserve(buf, size);
    if (size)
        memcpy(buf->data + buf->len, data, size);
    buf->len += size;
    buf->data[buf->len] = 0;
}

void tri_buf_add_str(tri_buf *buf, tri_str s)
{
    tri_buf_add(buf, s.data, s.len);
}

void tri_buf_add_z(tri_buf *buf, const char *z)
{
    tri_buf_add(buf, z, strlen(z));
}

void tri_buf_add_char(tri_buf *buf, char c)
{
    tri_buf_add(buf, &c, 1);
}

void tri_buf_format(tri_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0)
        TRI_BUG("bad format '%s'", format);
    reserve(buf, (size_t)len);
    vsnprintf(buf->data + buf->len, (size_t)len + 1, format, again);
    va_end(again);
    buf->len += (size_t)len;
}

void tri_buf_add_json(tri_buf *buf, tri_str s)
{
    tri_buf_add_char(buf, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c == '"' || c == '\\')
            tri_buf_format(buf, "\\%c", c);
        else if (c == '\n')
            tri_buf_add_z(buf, "\\n");
        else if (c < 0x20 || c == 0x7f)
            tri_buf_format(buf, "\\u%04x", c);
        else
            tri_buf_add_char(buf, (char)c);
    }
    tri_buf_add_char(buf, '"');
}
