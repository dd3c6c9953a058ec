/* From "add.rn.f32" to the row whose form it has. */
#include "runtime/sim/nvptx/ptx/program.h"

static ptx_type find_type(tri_str word)
{
    for (int t = 0; t < PTX_NO_TYPE; t++)
        if (tri_str_is(word, tri_ptx_types[t].name))
            return (ptx_type)t;
    return PTX_NO_TYPE;
}

static const char *const flag_names[] = {
#define X(name) #name,
    TRI_PTX_FLAGS(X)
#undef X
};

/* Cache and eviction hints of any name are one flag. */
static ptx_flag find_flag(tri_str word)
{
    if (tri_str_has_prefix(word, "L1::") || tri_str_has_prefix(word, "L2::"))
        return PTX_hint_flag;
    for (int f = 0; f < PTX_FLAG_COUNT; f++)
        if (tri_str_is(word, flag_names[f]))
            return (ptx_flag)f;
    return PTX_FLAG_COUNT;
}

/* The next piece of `*text` up to `separator`; false at the end. */
static bool next_piece(tri_str *text, char separator, tri_str *out_piece)
{
    if (!text->len)
        return false;
    size_t end = tri_str_find(*text, separator);
    *out_piece = tri_str_sub(*text, 0, end);
    *text = tri_str_sub(*text, end < text->len ? end + 1 : end, text->len);
    return true;
}

enum { max_groups = 16, max_types = 3 };

typedef struct {
    tri_str words;
    bool is_optional, is_type, is_used;
} group;

static int read_form(const char *form, group *out)
{
    tri_str rest = tri_str_from(form), piece;
    int count = 0;
    while (next_piece(&rest, ' ', &piece)) {
        group *g = &out[count++];
        bool is_optional = tri_str_has_suffix(piece, "?");
        *g = (group){is_optional ? tri_str_sub(piece, 0, piece.len - 1) : piece, is_optional, false, false};
        g->is_type = find_type(tri_str_sub(g->words, 0, tri_str_find(g->words, '/'))) != PTX_NO_TYPE;
    }
    return count;
}

static bool has_word(tri_str words, tri_str word)
{
    tri_str one;
    while (next_piece(&words, '/', &one))
        if (tri_str_equal(one, word))
            return true;
    return false;
}

/* The type groups are taken in order, others wherever they fit. */
static bool take(group *groups, int count, tri_str word, bool is_type)
{
    if (find_flag(word) == PTX_hint_flag)
        word = TRI_STR("hint");
    for (int k = 0; k < count; k++) {
        if (groups[k].is_used || groups[k].is_type != is_type)
            continue;
        if (has_word(groups[k].words, word))
            return groups[k].is_used = true;
        if (is_type)
            return false;
    }
    return false;
}

static bool matches(const ptx_row *row, tri_str modifiers, ptx_instruction *i)
{
    group groups[max_groups];
    int count = read_form(row->form, groups), types = 0;
    tri_str word;
    memset(i->flags, 0, sizeof i->flags);
    for (int t = 0; t < max_types; t++)
        i->types[t] = PTX_NO_TYPE;
    while (next_piece(&modifiers, '.', &word)) {
        ptx_type type = find_type(word);
        if (!take(groups, count, word, type != PTX_NO_TYPE))
            return false;
        if (type != PTX_NO_TYPE) {
            i->types[types++] = type;
        } else {
            ptx_flag flag = find_flag(word);
            i->flags[flag / 64] |= (uint64_t)1 << (flag % 64);
        }
    }
    for (int k = 0; k < count; k++)
        if (!groups[k].is_optional && !groups[k].is_used)
            return false;
    return true;
}

static bool takes_operands(const ptx_row *row, int count)
{
    tri_str rest = tri_str_from(row->operands), piece;
    int most = 0, least = 0;
    while (next_piece(&rest, ' ', &piece)) {
        most++;
        least += !tri_str_has_suffix(piece, "?") || tri_str_has_suffix(piece, "|p?");
    }
    return count >= least && count <= most;
}

bool tri_ptx_is_known(tri_str name)
{
    tri_str mnemonic = tri_str_sub(name, 0, tri_str_find(name, '.'));
    for (const ptx_row *row = tri_ptx_rows; row->name; row++)
        if (tri_str_is(mnemonic, row->name))
            return true;
    return false;
}

bool tri_ptx_find(tri_arena *arena, tri_str name, int arch, ptx_instruction *i, tri_str *out_error)
{
    size_t dot = tri_str_find(name, '.');
    tri_str mnemonic = tri_str_sub(name, 0, dot),
            modifiers = tri_str_sub(name, dot < name.len ? dot + 1 : dot, name.len);
    bool has_form = false;
    int needs = 0;
    for (const ptx_row *row = tri_ptx_rows; row->name; row++) {
        if (!tri_str_is(mnemonic, row->name))
            continue;
        if (!matches(row, modifiers, i))
            continue;
        has_form = true;
        if (!takes_operands(row, i->num_operands))
            continue;
        needs = ptx_has(i, PTX_cluster_flag) && row->arch < 90 ? 90 : row->arch;
        i->row = row;
        if (arch >= needs)
            return true;
    }
    if (needs)
        *out_error = tri_str_format(arena, "'%.*s' needs sm_%d", TRI_STR_ARG(name), needs);
    else if (has_form)
        *out_error = tri_str_format(arena, "'%.*s' does not take %d operands", TRI_STR_ARG(name), i->num_operands);
    else
        *out_error = tri_str_format(arena, "'%.*s' is no form of '%.*s' that is simulated", TRI_STR_ARG(name),
                                    TRI_STR_ARG(mnemonic));
    return false;
}
