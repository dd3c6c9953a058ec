/* The LZ4 block format, written greedily: sequences of a token (lengths of literals and of a match, 15: more bytes
 * follow), the literals, and the match's distance. See the format's description at github.com/lz4/lz4
 * (doc/lz4_Block_format.md): a match has at least 4 bytes, the last 5 bytes are literals, and no match starts in the
 * last 12. */
#include "targets/nvptx/nvptx.h"

enum { min_match = 4, last_literals = 5, match_margin = 12, max_distance = 65535, hash_bits = 14 };

static uint32_t word_at(const char *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static uint32_t hash(uint32_t word) { return word * UINT32_C(2654435761) >> (32 - hash_bits); }

static void add_length(tri_buf *out, size_t rest)
{
    for (; rest >= 255; rest -= 255)
        tri_buf_add_char(out, (char)255);
    tri_buf_add_char(out, (char)rest);
}

/* `match` is 0 at the end. */
static void add_sequence(tri_buf *out, const char *literals, size_t count, size_t match, size_t distance)
{
    size_t more = match ? match - min_match : 0;
    tri_buf_add_char(out, (char)((count < 15 ? count : 15) << 4 | (more < 15 ? more : 15)));
    if (count >= 15)
        add_length(out, count - 15);
    tri_buf_add(out, literals, count);
    if (!match)
        return;
    tri_buf_add_char(out, (char)(distance & 255));
    tri_buf_add_char(out, (char)(distance >> 8));
    if (more >= 15)
        add_length(out, more - 15);
}

void tri_nvptx_compress(tri_str data, tri_buf *out)
{
    tri_arena *arena = tri_arena_create();
    uint32_t *seen = TRI_NEW_ARRAY(arena, uint32_t, 1 << hash_bits); /* position + 1 of a word with this hash */
    const char *d = data.data;
    size_t start = 0;
    for (size_t i = 0; i + match_margin < data.len; i++) {
        uint32_t *slot = &seen[hash(word_at(d + i))];
        size_t from = *slot;
        *slot = (uint32_t)i + 1;
        if (!from || i + 1 - from > max_distance || word_at(d + from - 1) != word_at(d + i))
            continue;
        size_t length = min_match;
        while (i + length + last_literals < data.len && d[from - 1 + length] == d[i + length])
            length++;
        add_sequence(out, d + start, i - start, length, i + 1 - from);
        start = i + length;
        i = start - 1;
    }
    add_sequence(out, d + start, data.len - start, 0, 0);
    tri_arena_destroy(arena);
}
