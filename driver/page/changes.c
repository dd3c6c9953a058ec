/* Lines that are once in either text hold it together (Cohen's patience); what lies between two of them gets the
 * shortest edit script (Myers, 1986) where that is short, and else goes and comes as a whole. */
#include "driver/page/changes.h"

#include "base/map.h"

enum { most_edits = 256, around = 3 };

/* A text as numbers of lines, equal for equal lines; `is_common`: of those that the other has, too, in this order. */
typedef struct {
    tri_str *lines;
    uint32_t *ids;
    bool *is_common;
    size_t len;
} side;

/* What is known of a distinct line: how often, and where last, it is in either text's part that differs. */
typedef struct {
    uint32_t id, count[2], at[2];
} line_info;

typedef struct {
    tri_arena *arena;
    tri_map known; /* of line_info */
    side sides[2];
    int32_t *trace; /* furthest points of Myers' diagonals, a row of 2 * most_edits + 3 for each number of edits */
} comparison;

static void split_lines(comparison *c, side *s, tri_str text)
{
    size_t count = 0, begin = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.data[i] == '\n';
    s->lines = TRI_NEW_ARRAY(c->arena, tri_str, count + 1);
    s->ids = TRI_NEW_ARRAY(c->arena, uint32_t, count + 1);
    s->is_common = TRI_NEW_ARRAY(c->arena, bool, count + 1);
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len ? text.data[i] != '\n' : begin == text.len)
            continue;
        tri_str line = tri_str_sub(text, begin, i);
        line_info *info = tri_map_find(&c->known, line);
        if (!info) {
            info = TRI_NEW(c->arena, line_info);
            info->id = (uint32_t)c->known.len;
            tri_map_set(&c->known, line, info);
        }
        s->lines[s->len] = line;
        s->ids[s->len++] = info->id;
        begin = i + 1;
    }
}

static void set_common(comparison *c, size_t i, size_t k)
{
    c->sides[0].is_common[i] = c->sides[1].is_common[k] = true;
}

/* --- Myers ------------------------------------------------------------------------------------ */

static int32_t *furthest(const comparison *c, int edits, int diagonal)
{
    return &c->trace[edits * (2 * most_edits + 3) + diagonal + most_edits + 1];
}

static bool is_down(const comparison *c, int edits, int k)
{
    return k == -edits || (k != edits && *furthest(c, edits - 1, k - 1) < *furthest(c, edits - 1, k + 1));
}

/* Marks what an edit script of `edits` that ends at (x, y) leaves alone; both count from the part's begin. */
static void mark_back(comparison *c, size_t a, size_t b, int x, int y, int edits)
{
    for (;; edits--) {
        int k = x - y;
        bool down = edits && is_down(c, edits, k);
        int before = edits ? *furthest(c, edits - 1, down ? k + 1 : k - 1) : 0;
        int begin = edits ? before + !down : 0; /* of the lines that follow this edit */
        for (; x > begin; x--)
            set_common(c, a + (size_t)x - 1, b + (size_t)(x - k) - 1);
        if (!edits)
            return;
        x = before;
        y = before - (down ? k + 1 : k - 1);
    }
}

static void compare_part(comparison *c, size_t a, size_t a_end, size_t b, size_t b_end)
{
    const uint32_t *old = c->sides[0].ids + a, *new = c->sides[1].ids + b;
    int n = (int)(a_end - a), m = (int)(b_end - b);
    for (int edits = 0; n && m && edits <= most_edits; edits++) {
        for (int k = -edits; k <= edits; k += 2) {
            bool down = edits && is_down(c, edits, k);
            int x = !edits ? 0 : down ? *furthest(c, edits - 1, k + 1) : *furthest(c, edits - 1, k - 1) + 1;
            while (x < n && x - k < m && old[x] == new[x - k])
                x++;
            *furthest(c, edits, k) = x;
            if (x >= n && x - k >= m) {
                mark_back(c, a, b, n, m, edits);
                return;
            }
        }
    }
}

/* --- patience --------------------------------------------------------------------------------- */

/* Two lines that are once in either text; `before`: 1 + the index of the last but one of the longest row to here. */
typedef struct {
    size_t a, b, before;
} anchor;

static size_t find_anchors(comparison *c, const size_t from[2], const size_t to[2], anchor *out)
{
    line_info **infos = TRI_NEW_ARRAY(c->arena, line_info *, c->known.len + 1);
    for (size_t i = 0; i < c->known.len; i++)
        infos[((line_info *)c->known.entries[i].value)->id] = c->known.entries[i].value;
    for (int s = 0; s < 2; s++)
        for (size_t i = from[s]; i < to[s]; i++) {
            line_info *info = infos[c->sides[s].ids[i]];
            info->count[s]++;
            info->at[s] = (uint32_t)i;
        }
    size_t len = 0;
    for (size_t i = from[0]; i < to[0]; i++) {
        const line_info *info = infos[c->sides[0].ids[i]];
        if (info->count[0] == 1 && info->count[1] == 1)
            out[len++] = (anchor){i, info->at[1], 0};
    }
    return len;
}

/* Leaves the longest row of anchors that come in the same order in both; returns how many. */
static size_t keep_ordered(comparison *c, anchor *anchors, size_t len)
{
    size_t *ends = TRI_NEW_ARRAY(c->arena, size_t, len + 1), longest = 0; /* by length: 1 + the anchor that ends it */
    for (size_t i = 0; i < len; i++) {
        size_t low = 0, high = longest;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (anchors[ends[middle + 1] - 1].b < anchors[i].b)
                low = middle + 1;
            else
                high = middle;
        }
        anchors[i].before = low ? ends[low] : 0;
        ends[low + 1] = i + 1;
        longest = low + 1 > longest ? low + 1 : longest;
    }
    size_t *row = TRI_NEW_ARRAY(c->arena, size_t, longest + 1), at = longest ? ends[longest] : 0;
    for (size_t i = longest; i-- > 0; at = anchors[at - 1].before)
        row[i] = at - 1;
    for (size_t i = 0; i < longest; i++)
        anchors[i] = anchors[row[i]];
    return longest;
}

static void compare_texts(comparison *c)
{
    side *old = &c->sides[0], *new = &c->sides[1];
    size_t from[2] = {0, 0}, to[2] = {old->len, new->len};
    for (; from[0] < to[0] && from[1] < to[1] && old->ids[from[0]] == new->ids[from[1]]; from[0]++, from[1]++)
        set_common(c, from[0], from[1]);
    for (; from[0] < to[0] && from[1] < to[1] && old->ids[to[0] - 1] == new->ids[to[1] - 1]; to[0]--, to[1]--)
        set_common(c, to[0] - 1, to[1] - 1);
    anchor *anchors = TRI_NEW_ARRAY(c->arena, anchor, to[0] - from[0] + 1);
    size_t len = keep_ordered(c, anchors, find_anchors(c, from, to, anchors));
    for (size_t i = 0; i <= len; i++) {
        size_t a = i < len ? anchors[i].a : to[0], b = i < len ? anchors[i].b : to[1];
        compare_part(c, from[0], a, from[1], b);
        if (i < len)
            set_common(c, a, b);
        from[0] = a + 1;
        from[1] = b + 1;
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

/* The lines on their way out. A common one waits until it is known whether it stands near a change. */
typedef struct {
    tri_buf *out;
    size_t most, written, left_out, waiting, since; /* since the last change, of those that are common */
    tri_str last[around];
} writer;

static void write_line(writer *w, char sign, tri_str line)
{
    tri_buf_add_char(w->out, sign);
    tri_buf_add_str(w->out, line);
    tri_buf_add_char(w->out, '\n');
    w->written++;
}

static void add_common(writer *w, tri_str line)
{
    if (w->since < around && w->written && w->written < w->most) {
        write_line(w, ' ', line);
    } else {
        w->last[w->waiting % around] = line;
        w->waiting++;
    }
    w->since++;
}

static void add_change(writer *w, char sign, tri_str line)
{
    w->since = 0;
    if (w->written >= w->most) {
        w->left_out++;
        return;
    }
    if (w->waiting > around)
        tri_buf_format(w->out, "@%zu\n", w->waiting - around);
    for (size_t i = w->waiting > around ? w->waiting - around : 0; i < w->waiting; i++)
        write_line(w, ' ', w->last[i % around]);
    w->waiting = 0;
    write_line(w, sign, line);
}

void tri_page_add_changes(tri_str old, tri_str new, size_t most, tri_buf *out)
{
    comparison c = {.arena = tri_arena_create()};
    tri_map_init(&c.known, c.arena);
    c.trace = TRI_NEW_ARRAY(c.arena, int32_t, (most_edits + 1) * (2 * most_edits + 3));
    split_lines(&c, &c.sides[0], old);
    split_lines(&c, &c.sides[1], new);
    compare_texts(&c);
    const side *a = &c.sides[0], *b = &c.sides[1];
    writer w = {.out = out, .most = most};
    for (size_t i = 0, k = 0; i < a->len || k < b->len;) {
        if (i < a->len && !a->is_common[i])
            add_change(&w, '-', a->lines[i++]);
        else if (k < b->len && !b->is_common[k])
            add_change(&w, '+', b->lines[k++]);
        else
            add_common(&w, a->lines[i++]), k++;
    }
    if (w.left_out)
        tri_buf_format(out, "?%zu\n", w.left_out);
    tri_arena_destroy(c.arena);
}
