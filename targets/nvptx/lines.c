/* The places of inlined functions in PTX text.
 *
 *     .loc 1 8 12        // k.tri:8:12 @[ k.tri:13:9 @[ k.tri:21:9 ] ]
 *   becomes
 *     .loc 1 21 9
 *     .loc 1 13 9, function_name $L__inlined0, inlined_at 1 21 9
 *     .loc 1 8 12, function_name $L__inlined1, inlined_at 1 13 9
 *
 * with the functions' names in a section .debug_str behind the code ("Debugging Directives: .loc", PTX ISA 7.2).
 * LLVM prints the chain as a comment only. */
#include "ir/location.h"
#include "targets/nvptx/nvptx.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t file; /* number of its .file line */
    unsigned line, column;
} place;

typedef struct {
    tri_unit *unit;
    TRI_VEC(tri_str) files;   /* by number: name as in .file */
    TRI_VEC(tri_str) names;   /* of functions, by label */
    tri_map written;          /* line -> tri_str *, what stands in its place: a loop's lines come again and again */
    tri_buf out;
} rewriter;

/* ---- files ---- */

static void collect_files(rewriter *r, tri_str text)
{
    while (text.len) {
        tri_str line = tri_str_trim(tri_str_take_line(&text));
        if (!tri_str_has_prefix(line, ".file"))
            continue;
        size_t number = strtoul(line.data + 5, NULL, 10), open = tri_str_find(line, '"'),
               close = tri_str_find_last(line, '"');
        while (r->files.len <= number)
            tri_vec_push(r->unit->arena, &r->files, (tri_str){0});
        if (open < close)
            r->files.at[number] = tri_str_sub(line, open + 1, close);
    }
}

/* Comments name a file without its folder, or as .file does. */
static int64_t find_file(const rewriter *r, tri_str name)
{
    for (size_t i = 0; i < r->files.len; i++) {
        tri_str file = r->files.at[i];
        bool is_end = file.len > name.len && file.data[file.len - name.len - 1] == '/' &&
                      tri_str_equal(tri_str_sub(file, file.len - name.len, file.len), name);
        if (file.len && (is_end || tri_str_equal(file, name)))
            return (int64_t)i;
    }
    return -1;
}

/* ---- names ---- */

static size_t label_of(rewriter *r, const place *p)
{
    tri_str file = r->files.at[p->file];
    if (tri_str_has_prefix(file, "./"))
        file = tri_str_sub(file, 2, file.len);
    unsigned line_of_def;
    tri_str name = tri_location_function(r->unit->diag, file, p->line, &line_of_def);
    for (size_t i = 0; i < r->names.len; i++)
        if (tri_str_equal(r->names.at[i], name))
            return i;
    tri_vec_push(r->unit->arena, &r->names, name);
    return r->names.len - 1;
}

static void add_names(rewriter *r)
{
    if (!r->names.len)
        return;
    tri_buf_add_z(&r->out, "\t.section\t.debug_str\n\t{\n");
    for (size_t i = 0; i < r->names.len; i++) {
        tri_buf_format(&r->out, "$L__inlined%zu:\n\t.b8 ", i);
        for (size_t c = 0; c < r->names.at[i].len; c++)
            tri_buf_format(&r->out, "%u,", (unsigned char)r->names.at[i].data[c]);
        tri_buf_add_z(&r->out, "0\n");
    }
    tri_buf_add_z(&r->out, "\t}\n");
}

/* ---- lines ---- */

/* "name:8:12", where the name may hold colons. */
static bool take_place(const rewriter *r, tri_str text, place *out)
{
    size_t second = tri_str_find_last(text, ':');
    if (second >= text.len)
        return false;
    tri_str head = tri_str_sub(text, 0, second);
    size_t first = tri_str_find_last(head, ':');
    int64_t line, column;
    if (first >= head.len || !tri_str_to_i64(tri_str_sub(head, first + 1, head.len), &line) ||
        !tri_str_to_i64(tri_str_sub(text, second + 1, text.len), &column))
        return false;
    *out = (place){find_file(r, tri_str_sub(head, 0, first)), (unsigned)line, (unsigned)column};
    return out->file >= 0;
}

/* Places of a comment, innermost first. 0: there is no chain. */
static int take_chain(const rewriter *r, tri_str comment, place *out, int max)
{
    int n = 0;
    while (n < max) {
        const char *at = memmem(comment.data, comment.len, " @[ ", 4);
        size_t end = at ? (size_t)(at - comment.data) : comment.len;
        tri_str here = tri_str_trim(tri_str_sub(comment, 0, end));
        while (!at && here.len && (here.data[here.len - 1] == ']' || here.data[here.len - 1] == ' '))
            here.len--;
        if (!take_place(r, here, &out[n++]))
            return 0;
        if (!at)
            return n > 1 ? n : 0;
        comment = tri_str_sub(comment, end + 4, comment.len);
    }
    return 0;
}

static void write_loc(rewriter *r, tri_str line)
{
    enum { max_depth = 32 };
    place chain[max_depth];
    const char *comment = memmem(line.data, line.len, "// ", 3);
    tri_str text = comment ? tri_str_sub(line, 0, (size_t)(comment - line.data)) : line;
    int n = comment ? take_chain(r, tri_str_sub(line, text.len + 3, line.len), chain, max_depth) : 0;
    for (int i = n; i-- > 0;) {
        tri_buf_format(&r->out, "\t.loc\t%lld %u %u", (long long)chain[i].file, chain[i].line, chain[i].column);
        if (i + 1 < n)
            tri_buf_format(&r->out, ", function_name $L__inlined%zu, inlined_at %lld %u %u", label_of(r, &chain[i]),
                           (long long)chain[i + 1].file, chain[i + 1].line, chain[i + 1].column);
        tri_buf_add_char(&r->out, '\n');
    }
    if (n)
        return;
    while (text.len && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == '\t'))
        text.len--;
    tri_buf_add_str(&r->out, text);
    tri_buf_add_char(&r->out, '\n');
}

static void add_loc(rewriter *r, tri_str line)
{
    const tri_str *known = tri_map_find(&r->written, line);
    if (known) {
        tri_buf_add_str(&r->out, *known);
        return;
    }
    size_t begin = r->out.len;
    write_loc(r, line);
    tri_str *made = TRI_NEW(r->unit->arena, tri_str);
    *made = tri_str_copy(r->unit->arena, tri_str_sub(tri_buf_str(&r->out), begin, r->out.len));
    tri_map_set(&r->written, line, made);
}

void tri_nvptx_add_inlining(tri_unit *unit, tri_buf *text)
{
    rewriter r = {.unit = unit};
    tri_str rest = tri_buf_str(text);
    tri_map_init(&r.written, unit->arena);
    collect_files(&r, rest);
    while (rest.len) {
        tri_str line = tri_str_take_line(&rest);
        if (tri_str_has_prefix(line, "\t.loc\t")) {
            add_loc(&r, line);
            continue;
        }
        tri_buf_add_str(&r.out, line);
        tri_buf_add_char(&r.out, '\n');
    }
    add_names(&r);
    tri_buf_fini(text);
    *text = r.out;
}
