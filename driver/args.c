#include "driver/args.h"

#include "base/file.h"

#include <ctype.h>

enum { max_depth = 16 };

/* Reads one word from `text`; false at the end. Sets *out_open to a quote that is never closed. */
static bool next_word(tri_str *text, tri_buf *out, const char **out_open)
{
    while (text->len && isspace((unsigned char)*text->data))
        *text = tri_str_sub(*text, 1, text->len);
    if (!text->len)
        return false;
    char quote = 0;
    while (text->len && (quote || !isspace((unsigned char)*text->data))) {
        char c = *text->data;
        *text = tri_str_sub(*text, 1, text->len);
        if (c == '\\' && quote != '\'' && text->len) {
            tri_buf_add_char(out, *text->data);
            *text = tri_str_sub(*text, 1, text->len);
        } else if (quote ? c == quote : c == '\'' || c == '"') {
            quote = quote ? 0 : c;
            *out_open = quote ? text->data - 1 : NULL;
        } else {
            tri_buf_add_char(out, c);
        }
    }
    return true;
}

static bool add_word(tri_arena *arena, tri_diag *diag, tri_str word, int depth, tri_args *out);

static bool add_file(tri_arena *arena, tri_diag *diag, tri_str path, int depth, tri_args *out)
{
    tri_str text;
    int error = 0;
    if (depth == max_depth) {
        tri_diag_error(diag, TRI_NO_SPAN, 1006, "response files are nested too deeply at '@%.*s'", TRI_STR_ARG(path));
        return false;
    }
    if (!tri_file_read(arena, path, &text, &error)) {
        tri_diag_error(diag, TRI_NO_SPAN, 1006, "cannot read response file '%.*s': %s", TRI_STR_ARG(path),
                       strerror(error));
        return false;
    }
    tri_args words = {0};
    size_t open = tri_args_split(arena, text, &words);
    if (open < text.len)
        tri_args_report_open(diag, path, text, open);
    bool ok = open == text.len;
    for (size_t i = 0; ok && i < words.len; i++)
        ok = add_word(arena, diag, words.at[i], depth + 1, out);
    return ok;
}

static bool add_word(tri_arena *arena, tri_diag *diag, tri_str word, int depth, tri_args *out)
{
    if (word.len > 1 && word.data[0] == '@')
        return add_file(arena, diag, tri_str_sub(word, 1, word.len), depth, out);
    tri_vec_push(arena, out, word);
    return true;
}

size_t tri_args_split(tri_arena *arena, tri_str text, tri_args *out)
{
    tri_str rest = text;
    const char *open = NULL;
    tri_buf word = {0};
    while (word.len = 0, next_word(&rest, &word, &open))
        tri_vec_push(arena, out, tri_str_copy(arena, tri_buf_str(&word)));
    tri_buf_fini(&word);
    return open ? (size_t)(open - text.data) : text.len;
}

void tri_args_report_open(tri_diag *diag, tri_str name, tri_str text, size_t open)
{
    const tri_source *source = tri_diag_add_source(diag, name, text);
    tri_diag_error(diag, (tri_span){source, (uint32_t)open, (uint32_t)open + 1}, 1002, "this quote is never closed");
}

bool tri_args_expand(tri_arena *arena, tri_diag *diag, int argc, char **argv, tri_args *out)
{
    for (int i = 1; i < argc; i++)
        if (!add_word(arena, diag, tri_str_from(argv[i]), 0, out))
            return false;
    return true;
}
