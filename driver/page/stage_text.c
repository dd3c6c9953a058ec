#include "driver/page/stage_text.h"

#include "base/map.h"
#include "base/vec.h"

/* A row of a table. */
typedef struct {
    tri_str line;
    bool is_needed;
} row;

typedef TRI_VEC(row *) row_list;

typedef struct {
    tri_arena *arena;
    tri_map rows;   /* by name: "#loc3", "!7" */
    row_list order; /* as they stand */
    row_list needed;
} tables;

/* The name that begins at `at`; empty where none does. */
static tri_str name_at(tri_str line, size_t at)
{
    size_t end = at;
    if (line.data[at] == '!')
        end = at + 1;
    else if (line.len - at >= 4 && !memcmp(line.data + at, "#loc", 4))
        end = at + 4;
    size_t digits = end;
    while (end > at && digits < line.len && line.data[digits] >= '0' && line.data[digits] <= '9')
        digits++;
    bool is_name = end > at && (digits > end || line.data[at] == '#');
    return tri_str_sub(line, at, is_name ? digits : at);
}

static bool is_row(tri_str line) { return line.len && (line.data[0] == '!' || name_at(line, 0).len > 0); }

static void need_names(tables *t, tri_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.data[i] != '!' && line.data[i] != '#')
            continue;
        tri_str name = name_at(line, i);
        row *r = name.len ? tri_map_find(&t->rows, name) : NULL;
        if (r && !r->is_needed) {
            r->is_needed = true;
            tri_vec_push(t->arena, &t->needed, r);
        }
    }
}

static bool take_line(tri_str text, size_t *at, tri_str *line)
{
    if (*at >= text.len)
        return false;
    size_t end = *at + tri_str_find(tri_str_sub(text, *at, text.len), '\n');
    *line = tri_str_sub(text, *at, end);
    *at = end + 1;
    return true;
}

static void read_tables(tables *t, tri_str text)
{
    tri_str line;
    for (size_t at = 0; take_line(text, &at, &line);) {
        tri_str name = is_row(line) ? name_at(line, 0) : (tri_str){0};
        if (!name.len)
            continue;
        row *r = TRI_NEW(t->arena, row);
        r->line = line;
        tri_map_set(&t->rows, name, r);
        tri_vec_push(t->arena, &t->order, r);
    }
}

static void add_line(tri_buf *out, tri_str line)
{
    tri_buf_add_str(out, line);
    tri_buf_add_char(out, '\n');
}

size_t tri_page_add_stage_text(tri_str text, size_t most_lines, size_t most_bytes, tri_buf *out)
{
    tables t = {.arena = tri_arena_create()};
    tri_map_init(&t.rows, t.arena);
    read_tables(&t, text);
    size_t lines = 0, bytes = 0, left_out = 0;
    tri_str line;
    for (size_t at = 0; take_line(text, &at, &line);) {
        if (is_row(line))
            continue;
        if (left_out || lines >= most_lines || bytes + line.len > most_bytes) {
            left_out++;
            continue;
        }
        lines++;
        bytes += line.len + 1;
        add_line(out, line);
        need_names(&t, line);
    }
    for (size_t i = 0; i < t.needed.len; i++)
        need_names(&t, t.needed.at[i]->line);
    for (size_t i = 0; i < t.order.len; i++)
        if (t.order.at[i]->is_needed)
            add_line(out, t.order.at[i]->line);
    tri_arena_destroy(t.arena);
    return left_out;
}
