#include "driver/depfile.h"

enum { line_width = 76 };

void tri_depfile_quote(tri_str name, tri_buf *out)
{
    for (size_t i = 0; i < name.len; i++) {
        if (strchr(" \t#", name.data[i]))
            tri_buf_add_char(out, '\\');
        else if (name.data[i] == '$')
            tri_buf_add_char(out, '$');
        tri_buf_add_char(out, name.data[i]);
    }
}

/* Adds a word to the rule, going to a new line when this one is full. */
static void add_word(tri_buf *out, size_t *column, tri_str word, bool is_quoted)
{
    tri_buf text = {0};
    if (is_quoted)
        tri_buf_add_str(&text, word);
    else
        tri_depfile_quote(word, &text);
    if (*column && *column + 1 + text.len > line_width) {
        tri_buf_add_z(out, " \\\n ");
        *column = 1;
    }
    if (*column)
        tri_buf_add_char(out, ' ');
    tri_buf_add_str(out, tri_buf_str(&text));
    *column += 1 + text.len;
    tri_buf_fini(&text);
}

bool tri_depfile_write(tri_unit *unit, const tri_opt *opt, tri_str input, const tri_output_list *outputs)
{
    tri_buf rule = {0};
    size_t column = 0;
    for (size_t i = 0; i < opt->dep_targets.len; i++)
        add_word(&rule, &column, opt->dep_targets.at[i], true);
    for (size_t i = 0; i < outputs->len && !opt->dep_targets.len; i++)
        if (!outputs->at[i].is_temp && !tri_str_is(outputs->at[i].path, "-"))
            add_word(&rule, &column, outputs->at[i].path, false);
    if (!column)
        add_word(&rule, &column, tri_output_beside(unit->arena, opt, input, outputs, ".o"), false);
    tri_buf_add_char(&rule, ':');
    for (size_t i = 0; i < unit->dependencies.len; i++)
        add_word(&rule, &column, unit->dependencies.at[i], false);
    tri_buf_add_char(&rule, '\n');
    for (size_t i = 1; i < unit->dependencies.len && opt->dep_phony; i++) {
        column = 0;
        add_word(&rule, &column, unit->dependencies.at[i], false);
        tri_buf_add_z(&rule, ":\n");
    }
    tri_str path = opt->depfile_path;
    if (!path.len)
        path = tri_output_beside(unit->arena, opt, input, outputs, ".d");
    bool ok = tri_output_write(unit->diag, path, tri_buf_str(&rule));
    tri_buf_fini(&rule);
    return ok;
}
