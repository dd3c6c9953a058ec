/* Host code in an object: the assemblies of its units stand one behind the other, before what LLVM makes of the
 * launchers, which has its .LCPI0_0 too. So what is local to each gets a name of its own. Local are labels that no
 * .globl or .weak names; strings are left alone. */
#include "targets/object/writer.h"

#include "base/map.h"

#include <ctype.h>

static bool is_word_char(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

bool tri_assembly_is_word(tri_str token) { return token.len && is_word_char(token.data[0]); }

tri_str tri_assembly_token(tri_str text, size_t i)
{
    size_t end = i + 1;
    if (text.data[i] == '"') {
        while (end < text.len && text.data[end] != '"' && text.data[end] != '\n')
            end += text.data[end] == '\\' ? 2 : 1;
        end = end < text.len ? end + 1 : text.len;
    } else if (is_word_char(text.data[i])) {
        while (end < text.len && is_word_char(text.data[end]))
            end++;
    }
    return tri_str_sub(text, i, end);
}

/* What follows the directive on its line. */
static tri_str operand_of(tri_str line, const char *directive)
{
    tri_str trimmed = tri_str_trim(line);
    size_t length = strlen(directive);
    if (!tri_str_has_prefix(trimmed, directive) || trimmed.len == length || !strchr(" \t", trimmed.data[length]))
        return TRI_STR("");
    tri_str rest = tri_str_trim(tri_str_sub(trimmed, length, trimmed.len));
    return tri_assembly_token(rest, 0);
}

/* The local labels are in the map. */
static void find_labels(tri_str text, tri_map *labels)
{
    for (int is_second = 0; is_second < 2; is_second++) {
        for (tri_str rest = text; rest.len;) {
            size_t end = tri_str_find(rest, '\n');
            tri_str line = tri_str_sub(rest, 0, end), name = line.len ? tri_assembly_token(line, 0) : line;
            rest = tri_str_sub(rest, end + (end < rest.len), rest.len);
            if (!is_second && name.len < line.len && line.data[name.len] == ':' && is_word_char(name.data[0]))
                tri_map_set(labels, name, labels);
            tri_str global = operand_of(line, ".globl");
            global = global.len ? global : operand_of(line, ".weak");
            if (is_second && global.len)
                tri_map_set(labels, global, NULL);
        }
    }
}

tri_str tri_writer_separate(tri_writer *w, tri_str assembly, size_t number)
{
    tri_map labels;
    tri_buf out = {0};
    tri_map_init(&labels, w->arena);
    find_labels(assembly, &labels);
    for (size_t i = 0; i < assembly.len;) {
        tri_str token = tri_assembly_token(assembly, i);
        tri_buf_add_str(&out, token);
        if (is_word_char(token.data[0]) && tri_map_find(&labels, token))
            tri_buf_format(&out, ".%zu", number);
        i += token.len;
    }
    tri_str copy = tri_str_copy(w->arena, tri_buf_str(&out));
    tri_buf_fini(&out);
    return copy;
}
