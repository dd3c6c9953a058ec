#include "ir/encoding.h"

#include "layout/encoding_words.h"
#include "ir/island.h"

tri_encoding_kind tri_encoding_kind_of(MlirAttribute attr)
{
    size_t count;
    const int32_t *words = tri_island_layout_words(attr, &count);
    return tri_encoding_words_kind(words, count);
}

const tri_encoding *tri_encoding_get(tri_arena *arena, MlirAttribute attr)
{
    size_t count;
    const int32_t *words = tri_island_layout_words(attr, &count);
    if (!count)
        return NULL;
    tri_encoding *encoding = TRI_NEW(arena, tri_encoding);
    tri_encoding_words_read(words, count, encoding);
    MlirAttribute parent = tri_island_layout_parent(attr);
    if (parent.ptr)
        encoding->parent = tri_encoding_get(arena, parent);
    return encoding;
}

MlirAttribute tri_encoding_make(MlirContext context, const tri_encoding *encoding)
{
    int32_t words[TRI_ENCODING_MAX_WORDS];
    MlirAttribute parent = {NULL};
    if (encoding->parent)
        parent = tri_encoding_make(context, encoding->parent);
    size_t count = tri_encoding_words_write(encoding, words, TRI_ENCODING_MAX_WORDS);
    return tri_island_layout_make(context, encoding->kind, count, words, parent);
}

MlirAttribute tri_encoding_shared_space(MlirContext context) { return tri_island_shared_space(context); }

