#include "driver/explain.h"

#include "driver/manual.h"

/* share/tritcc/explain.txt, whose head says how it is written. */
extern const char tri_explain_text[];

enum { first_code = 1000, last_code = 9999 };

static tri_str next_line(const char **at)
{
    size_t length = strcspn(*at, "\n");
    tri_str line = {*at, length};
    *at += length + ((*at)[length] == '\n');
    return line;
}

/* The lines of a code's piece that begin with `mark`, without it; true when there are any. */
static bool add_piece(int code, char mark, const char *indent, tri_buf *out)
{
    bool is_inside = false, has_any = false;
    for (const char *at = tri_explain_text; *at;) {
        tri_str line = next_line(&at);
        int64_t number;
        if (line.len == 4 && tri_str_to_i64(line, &number))
            is_inside = number == code;
        else if (is_inside && line.len && line.data[0] == mark) {
            tri_buf_format(out, "%s%.*s\n", indent, (int)line.len - 1, line.data + 1);
            has_any = true;
        }
    }
    return has_any;
}

static bool print_code(int code, tri_buf *out)
{
    if (!tri_diag_explain(code, out))
        return false;
    tri_buf piece = {0};
    if (add_piece(code, '-', "    ", &piece))
        tri_buf_format(out, "\nWrong:\n\n%s", piece.data);
    piece.len = 0;
    if (add_piece(code, '+', "    ", &piece))
        tri_buf_format(out, "\nRight:\n\n%s", piece.data);
    tri_buf_fini(&piece);
    return true;
}

bool tri_explain_print(tri_diag *diag, tri_str code, tri_buf *out)
{
    int64_t number;
    tri_str digits = tri_str_has_prefix(code, "TRI-") ? tri_str_sub(code, 4, code.len) : code;
    if (tri_str_to_i64(digits, &number) && number >= first_code && number <= last_code && print_code((int)number, out))
        return true;
    tri_diag_error(diag, TRI_NO_SPAN, 1002, "there is no code '%.*s'", TRI_STR_ARG(code));
    return false;
}

/* ---- the manual ---- */

static void add_display(int code, char mark, const char *lead, tri_buf *out)
{
    tri_buf piece = {0};
    if (add_piece(code, mark, "", &piece)) {
        tri_buf_format(out, "%s\n.Bd -literal -offset indent\n", lead);
        tri_manual_add(out, tri_buf_str(&piece));
        tri_buf_add_z(out, ".Ed\n");
    }
    tri_buf_fini(&piece);
}

void tri_explain_manual(tri_buf *out)
{
    for (int code = first_code; code <= last_code; code++) {
        tri_buf text = {0};
        if (tri_diag_explain(code, &text)) {
            tri_str all = tri_buf_str(&text), title = tri_str_sub(all, 0, tri_str_find(all, '\n'));
            size_t skip = strlen("[TRI-0000] ");
            tri_buf_format(out, ".Ss TRI-%d: ", code);
            tri_manual_add(out, tri_str_sub(title, skip, title.len));
            tri_buf_add_char(out, '\n');
            tri_manual_add_prose(out, tri_str_sub(all, title.len + 2, all.len));
            add_display(code, '-', ".Pp\nWrong:", out);
            add_display(code, '+', ".Pp\nRight:", out);
        }
        tri_buf_fini(&text);
    }
}
