/* The binary as older readers want it: LLVM writes zeros of scalar types as OpConstantNull, which
 * is legal, but makes SPIRV-LLVM-Translator 15 stop; a plain OpConstant says the same. */
#include "targets/spirv/spirv.h"

enum {
    header_words = 5,
    op_type_bool = 20,
    op_type_int = 21,
    op_type_float = 22,
    op_constant_false = 42,
    op_constant = 43,
    op_constant_null = 46
};

static void add_word(tri_buf *out, uint32_t word) { tri_buf_add(out, &word, sizeof word); }

/* Bits of each scalar type by id: 1 for booleans, 0 for everything else. */
static uint32_t *scalar_bits(tri_arena *arena, const uint32_t *words, size_t count)
{
    uint32_t bound = words[3];
    uint32_t *bits = TRI_NEW_ARRAY(arena, uint32_t, bound);
    for (size_t at = header_words; at < count && words[at] >> 16; at += words[at] >> 16) {
        uint32_t opcode = words[at] & 0xffff;
        if (opcode == op_type_bool)
            bits[words[at + 1]] = 1;
        else if (opcode == op_type_int || opcode == op_type_float)
            bits[words[at + 1]] = words[at + 2];
    }
    return bits;
}

bool tri_spirv_has_barrier(tri_str binary)
{
    enum { op_control_barrier = 224 };
    uint32_t word;
    for (size_t at = header_words * sizeof word; at + sizeof word <= binary.len; at += (word >> 16) * sizeof word) {
        memcpy(&word, binary.data + at, sizeof word);
        if ((word & 0xffff) == op_control_barrier)
            return true;
        if (!(word >> 16))
            break;
    }
    return false;
}

void tri_spirv_expand_nulls(tri_arena *arena, tri_str binary, tri_buf *out)
{
    size_t count = binary.len / sizeof(uint32_t);
    uint32_t *words = tri_arena_copy(arena, binary.data, binary.len);
    const uint32_t *bits = scalar_bits(arena, words, count);
    tri_buf_add(out, words, header_words * sizeof *words);
    for (size_t at = header_words; at < count;) {
        size_t length = words[at] >> 16;
        TRI_ASSERT(length && at + length <= count);
        uint32_t width = (words[at] & 0xffff) == op_constant_null ? bits[words[at + 1]] : 0;
        if (width == 0) {
            tri_buf_add(out, words + at, length * sizeof *words);
        } else {
            uint32_t literals = width == 1 ? 0 : width > 32 ? 2 : 1;
            add_word(out, (3 + literals) << 16 | (width == 1 ? op_constant_false : op_constant));
            add_word(out, words[at + 1]);
            add_word(out, words[at + 2]);
            for (uint32_t i = 0; i < literals; i++)
                add_word(out, 0);
        }
        at += length;
    }
}
