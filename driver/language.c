#include "driver/language.h"

#include "driver/manual.h"

extern const char tri_language_text[];

static tri_str line_at(const char *at) { return (tri_str){at, strcspn(at, "\n")}; }

/* Reads the entry at `*at` and goes behind it; false at the end. */
static bool next_entry(const char **at, tri_str *section, tri_language_entry *out)
{
    for (; tri_str_has_prefix(line_at(*at), "== "); *at += line_at(*at).len + 1)
        *section = tri_str_sub(line_at(*at), 3, line_at(*at).len);
    tri_str line = line_at(*at);
    if (!line.len)
        return false;
    size_t colon = tri_str_find(line, ':');
    *out = (tri_language_entry){.name = tri_str_sub(line, 0, colon), .section = *section};
    out->text = tri_str_trim(tri_str_sub(line, colon + 1, line.len));
    for (*at += line.len + 1; **at == ' '; *at += line.len + 1) {
        line = line_at(*at);
        tri_str text = tri_str_trim(line);
        if (tri_str_has_prefix(text, "except "))
            out->except = tri_str_sub(text, strlen("except "), text.len);
        else
            out->example = text;
    }
    return true;
}

bool tri_language_find(tri_str name, tri_language_entry *out)
{
    const char *at = tri_language_text;
    tri_str section = {0};
    while (next_entry(&at, &section, out))
        if (tri_str_equal(out->name, name))
            return true;
    return false;
}

void tri_language_manual(tri_buf *out)
{
    const char *at = tri_language_text;
    tri_str section = {0}, before = {0};
    tri_language_entry e;
    while (next_entry(&at, &section, &e)) {
        bool is_operator = tri_str_is(section, "OPERATORS");
        if (!tri_str_equal(section, before))
            tri_buf_format(out, "%s.Sh %s%.*s\n.Bl -tag -width Ds\n", before.len ? ".El\n" : "",
                           is_operator ? "" : "FUNCTIONS: ", TRI_STR_ARG(section));
        before = section;
        tri_buf_format(out, is_operator ? ".It Ic \\&%.*s\n" : ".It Fn %.*s\n", TRI_STR_ARG(e.name));
        tri_manual_add_prose(out, e.text);
        if (e.except.len) {
            tri_buf_add_z(out, "\nNot on ");
            tri_manual_add(out, e.except);
            tri_buf_add_char(out, '.');
        }
        tri_buf_add_z(out, "\n.Bd -literal -compact\n");
        tri_manual_add(out, e.example);
        tri_buf_add_z(out, "\n.Ed\n");
    }
    tri_buf_add_z(out, ".El\n");
}
