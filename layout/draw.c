#include "layout/draw.h"

#include "base/diag.h"
#include "layout/convert.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_ROWS = 128, MAX_COLUMNS = 128, MAX_PLANES = 64 };
/* of pictures, in pixels */
enum { CELL_WIDTH = 44, CELL_HEIGHT = 20, BUFFER_CELL_HEIGHT = 30, MARGIN = 40, TITLE_LINE = 18, LETTER = 7 };

/* Who holds an element: the first index that maps to it, in input order, and how many do. */
typedef struct {
    uint64_t index;
    uint32_t holders;
} cell;

typedef struct {
    const tri_linear *l;
    bool is_shared;
    int element_bits, banks;
    const tri_encoding *encoding;
    cell *cells;            /* [packed output] */
    int row_dim, column_dim; /* positions among the outputs; row -1 for one dimension */
    int64_t rows, columns, planes;
    int64_t shown_rows, shown_columns, shown_planes;
} drawing;

static void start(drawing *d, const tri_linear *l, const tri_draw_options *options)
{
    *d = (drawing){.l = l, .is_shared = tri_linear_find_in(l, TRI_DIM_OFFSET) >= 0,
                   .element_bits = options->element_bits ? options->element_bits : 32,
                   .banks = options->banks ? options->banks : 32, .encoding = options->encoding};
    int total_in = tri_linear_total_in_bits(l), total_out = tri_linear_total_out_bits(l);
    TRI_ASSERT(l->out.count > 0 && total_in < 32 && total_out < 32);
    d->cells = tri_mem_alloc(sizeof(cell) << total_out);
    memset(d->cells, 0, sizeof(cell) << total_out);
    for (uint64_t i = 0; i < (uint64_t)1 << total_in; i++) {
        cell *c = &d->cells[tri_linear_apply_packed(l, i)];
        if (c->holders++ == 0)
            c->index = i;
    }
    d->column_dim = l->out.count - 1;
    d->row_dim = l->out.count - 2;
    d->columns = (int64_t)1 << l->out.bits[d->column_dim];
    d->rows = d->row_dim < 0 ? 1 : (int64_t)1 << l->out.bits[d->row_dim];
    if (d->row_dim < 0 && d->columns > 32) { /* a line of elements is folded */
        d->rows = d->columns / 32;
        d->columns = 32;
    }
    d->planes = ((int64_t)1 << total_out) / (d->rows * d->columns);
    d->shown_rows = d->rows < MAX_ROWS ? d->rows : MAX_ROWS;
    d->shown_columns = d->columns < MAX_COLUMNS ? d->columns : MAX_COLUMNS;
    d->shown_planes = d->planes < MAX_PLANES ? d->planes : MAX_PLANES;
}

/* Says what is left out, if anything is. */
static void add_cut(const drawing *d, tri_buf *out)
{
    if (d->shown_rows < d->rows || d->shown_columns < d->columns)
        tri_buf_format(out, "(the first %lld rows and %lld columns)", (long long)d->shown_rows,
                       (long long)d->shown_columns);
    if (d->shown_planes < d->planes)
        tri_buf_format(out, "(the first %lld of %lld planes)", (long long)d->shown_planes, (long long)d->planes);
}

/* Packed output of a cell of a plane; planes run through the leading dimensions, last one fastest. */
static uint64_t place_of(const drawing *d, int64_t plane, int64_t row, int64_t column)
{
    const tri_dims *out = &d->l->out;
    if (d->row_dim < 0)
        return (uint64_t)(row * d->columns + column);
    uint64_t packed = 0;
    for (int i = d->row_dim - 1; i >= 0; i--) {
        int64_t size = (int64_t)1 << out->bits[i];
        packed |= (uint64_t)(plane % size) << tri_linear_out_shift(d->l, out->dim[i]);
        plane /= size;
    }
    packed |= (uint64_t)row << tri_linear_out_shift(d->l, out->dim[d->row_dim]);
    return packed | (uint64_t)column << tri_linear_out_shift(d->l, out->dim[d->column_dim]);
}

static uint64_t input_of(const drawing *d, uint64_t index, tri_dim in)
{
    int shift = 0;
    for (int i = 0; i < d->l->in.count; i++) {
        if (d->l->in.dim[i] == in)
            return index >> shift & (((uint64_t)1 << d->l->in.bits[i]) - 1);
        shift += d->l->in.bits[i];
    }
    return 0;
}

/* The 32-bit word of shared memory that an element begins in. */
static uint64_t word_of(const drawing *d, uint64_t offset)
{
    if (d->encoding)
        offset = (uint64_t)tri_convert_pad_offset(d->encoding, (int64_t)offset);
    return offset * (uint64_t)d->element_bits / 32;
}

static uint64_t bank_of(const drawing *d, uint64_t offset) { return word_of(d, offset) % (uint64_t)d->banks; }

static bool has_blocks(const drawing *d) { return tri_linear_in_bits(d->l, TRI_DIM_BLOCK) > 0; }

static void add_plane_title(const drawing *d, int64_t plane, const char *before, const char *after, tri_buf *out)
{
    if (d->planes == 1)
        return;
    uint64_t packed = place_of(d, plane, 0, 0);
    tri_buf_add_z(out, before);
    for (int i = 0; i < d->row_dim; i++)
        tri_buf_format(out, "%s%s = %lld", i ? ", " : "", tri_linear_dim_name(d->l->out.dim[i]),
                       (long long)tri_linear_coord(d->l, packed, d->l->out.dim[i]));
    tri_buf_add_z(out, after);
}

/* ---- text ---- */

static void add_coords(const tri_linear *l, uint64_t packed, tri_buf *out)
{
    for (int i = 0; i < l->out.count; i++)
        tri_buf_format(out, "%s%lld", i ? "," : "(", (long long)tri_linear_coord(l, packed, l->out.dim[i]));
    tri_buf_add_char(out, ')');
}

void tri_draw_bases(const tri_linear *l, tri_buf *out)
{
    for (int i = 0; i < l->in.count; i++) {
        tri_buf_format(out, "  %-9s", tri_linear_dim_name(l->in.dim[i]));
        for (int j = 0; j < l->in.bits[i]; j++) {
            tri_buf_add_char(out, ' ');
            add_coords(l, l->basis[i][j], out);
        }
        tri_buf_add_char(out, '\n');
    }
}

static void add_holder(const drawing *d, const cell *c, tri_buf *out)
{
    char text[64];
    if (d->is_shared) {
        uint64_t offset = input_of(d, c->index, TRI_DIM_OFFSET);
        snprintf(text, sizeof text, "%llu@%llu", (unsigned long long)offset, (unsigned long long)bank_of(d, offset));
    } else {
        char block[24] = "";
        if (has_blocks(d))
            snprintf(block, sizeof block, "%llu/", (unsigned long long)input_of(d, c->index, TRI_DIM_BLOCK));
        snprintf(text, sizeof text, "%s%llu.%llu:%llu%s", block,
                 (unsigned long long)input_of(d, c->index, TRI_DIM_WARP),
                 (unsigned long long)input_of(d, c->index, TRI_DIM_LANE),
                 (unsigned long long)input_of(d, c->index, TRI_DIM_REGISTER), c->holders > 1 ? "*" : "");
    }
    tri_buf_format(out, "%11s", text);
}

static void add_elements(const drawing *d, tri_buf *out)
{
    tri_buf_format(out, "elements (%s%s)\n", has_blocks(d) && !d->is_shared ? "block/" : "",
                   d->is_shared ? "offset@bank" : "warp.lane:register, the first of several when *");
    for (int64_t plane = 0; plane < d->shown_planes; plane++) {
        add_plane_title(d, plane, "", ":\n", out);
        tri_buf_add_z(out, "        ");
        for (int64_t c = 0; c < d->shown_columns; c++)
            tri_buf_format(out, "%11lld", (long long)c);
        tri_buf_add_char(out, '\n');
        for (int64_t r = 0; r < d->shown_rows; r++) {
            tri_buf_format(out, "%8lld", (long long)(d->row_dim < 0 ? r * d->columns : r));
            for (int64_t c = 0; c < d->shown_columns; c++)
                add_holder(d, &d->cells[place_of(d, plane, r, c)], out);
            tri_buf_add_char(out, '\n');
        }
    }
    size_t length = out->len;
    add_cut(d, out);
    if (out->len > length)
        tri_buf_add_char(out, '\n');
}

static void add_threads(const drawing *d, tri_buf *out)
{
    const tri_linear *l = d->l;
    uint64_t regs = (uint64_t)tri_linear_in_size(l, TRI_DIM_REGISTER), shown = regs < 256 ? regs : 256;
    tri_buf_add_z(out, "threads (elements by register)\n");
    for (uint64_t b = 0; b < (uint64_t)tri_linear_in_size(l, TRI_DIM_BLOCK); b++) {
        for (uint64_t w = 0; w < (uint64_t)tri_linear_in_size(l, TRI_DIM_WARP); w++) {
            for (uint64_t t = 0; t < (uint64_t)tri_linear_in_size(l, TRI_DIM_LANE); t++) {
                if (tri_linear_in_bits(l, TRI_DIM_BLOCK))
                    tri_buf_format(out, "  block %llu", (unsigned long long)b);
                tri_buf_format(out, "  warp %llu lane %2llu:", (unsigned long long)w, (unsigned long long)t);
                uint64_t thread = tri_linear_apply_one(l, TRI_DIM_BLOCK, b) ^ tri_linear_apply_one(l, TRI_DIM_WARP, w) ^
                                  tri_linear_apply_one(l, TRI_DIM_LANE, t);
                for (uint64_t r = 0; r < shown; r++) {
                    tri_buf_add_char(out, ' ');
                    add_coords(l, thread ^ tri_linear_apply_one(l, TRI_DIM_REGISTER, r), out);
                }
                tri_buf_add_z(out, shown < regs ? " ...\n" : "\n");
            }
        }
    }
}

static void add_offsets(const drawing *d, tri_buf *out)
{
    int64_t size = tri_linear_in_size(d->l, TRI_DIM_OFFSET), per_row = (int64_t)d->banks * 32 / d->element_bits;
    tri_buf_format(out, "offsets (elements; a line is one row of %d banks)\n", d->banks);
    int64_t shown = size < 16384 ? size : 16384;
    for (int64_t o = 0; o < shown; o++) {
        if (o % per_row == 0)
            tri_buf_format(out, "%s%8lld:", o ? "\n" : "", (long long)o);
        tri_buf_add_char(out, ' ');
        add_coords(d->l, tri_linear_apply_one(d->l, TRI_DIM_OFFSET, (uint64_t)o), out);
    }
    tri_buf_add_z(out, shown < size ? " ...\n" : "\n");
}

void tri_draw_text(const tri_linear *l, const tri_draw_options *options, tri_buf *out)
{
    drawing d;
    start(&d, l, options);
    if (options->title)
        tri_buf_format(out, "%s\n", options->title);
    tri_buf_add_z(out, "bases\n");
    tri_draw_bases(l, out);
    add_elements(&d, out);
    if (d.is_shared)
        add_offsets(&d, out);
    else
        add_threads(&d, out);
    free(d.cells);
}

/* ---- pictures ---- */

static void add_escaped(tri_str text, tri_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '<')
            tri_buf_add_z(out, "&lt;");
        else if (text.data[i] == '>')
            tri_buf_add_z(out, "&gt;");
        else if (text.data[i] == '&')
            tri_buf_add_z(out, "&amp;");
        else
            tri_buf_add_char(out, text.data[i]);
    }
}

static int cell_height(const drawing *d) { return d->is_shared ? BUFFER_CELL_HEIGHT : CELL_HEIGHT; }

/* Warps of all blocks, or banks. */
static uint64_t key_count(const drawing *d)
{
    return d->is_shared ? (uint64_t)d->banks
                        : (uint64_t)(tri_linear_in_size(d->l, TRI_DIM_WARP) * tri_linear_in_size(d->l, TRI_DIM_BLOCK));
}

static uint64_t key_of(const drawing *d, const cell *c)
{
    if (d->is_shared)
        return bank_of(d, input_of(d, c->index, TRI_DIM_OFFSET));
    return input_of(d, c->index, TRI_DIM_BLOCK) * (uint64_t)tri_linear_in_size(d->l, TRI_DIM_WARP) +
           input_of(d, c->index, TRI_DIM_WARP);
}

/* Hues are spread so that neighbours differ; banks run once around the circle. */
static int hue_of(const drawing *d, uint64_t key)
{
    return d->is_shared ? (int)(key * 360 / (uint64_t)d->banks) : (int)(key * 137 % 360);
}

static void add_details(const drawing *d, const cell *c, uint64_t packed, tri_buf *out)
{
    uint64_t offset = input_of(d, c->index, TRI_DIM_OFFSET);
    add_coords(d->l, packed, out);
    if (d->is_shared) {
        tri_buf_format(out, " offset %llu bank %llu", (unsigned long long)offset,
                       (unsigned long long)bank_of(d, offset));
        return;
    }
    if (has_blocks(d))
        tri_buf_format(out, " block %llu", (unsigned long long)input_of(d, c->index, TRI_DIM_BLOCK));
    tri_buf_format(out, " warp %llu lane %llu register %llu, held %u times",
                   (unsigned long long)input_of(d, c->index, TRI_DIM_WARP),
                   (unsigned long long)input_of(d, c->index, TRI_DIM_LANE),
                   (unsigned long long)input_of(d, c->index, TRI_DIM_REGISTER), c->holders);
}

static void add_cell(const drawing *d, const cell *c, uint64_t packed, int64_t x, int64_t y, tri_buf *out)
{
    uint64_t offset = input_of(d, c->index, TRI_DIM_OFFSET), lane = input_of(d, c->index, TRI_DIM_LANE);
    int light = d->is_shared ? 78 : lane % 2 ? 74 : 82;
    int64_t middle = x + CELL_WIDTH / 2;
    tri_buf_format(out, "<g><rect x=\"%lld\" y=\"%lld\" width=\"%d\" height=\"%d\" fill=\"hsl(%d,70%%,%d%%)\"/>",
                   (long long)x, (long long)y, CELL_WIDTH, cell_height(d), hue_of(d, key_of(d, c)), light);
    tri_buf_format(out, "<text x=\"%lld\" y=\"%lld\">", (long long)middle, (long long)(y + CELL_HEIGHT - 6));
    if (d->is_shared)
        tri_buf_format(out, "%llu<tspan class=\"small\" x=\"%lld\" dy=\"11\">bank %llu</tspan>",
                       (unsigned long long)offset, (long long)middle, (unsigned long long)bank_of(d, offset));
    else
        tri_buf_format(out, "%llu:%llu%s", (unsigned long long)lane,
                       (unsigned long long)input_of(d, c->index, TRI_DIM_REGISTER), c->holders > 1 ? "*" : "");
    tri_buf_add_z(out, "</text><title>");
    add_details(d, c, packed, out);
    tri_buf_add_z(out, "</title></g>\n");
}

/* 2: cells of different warps, 1: of different threads. Of shared memory, 2: not in the same row of banks,
 * where accesses do not conflict; 1: not in the same word. */
static int edge_between(const drawing *d, const cell *a, const cell *b)
{
    if (d->is_shared) {
        uint64_t x = word_of(d, input_of(d, a->index, TRI_DIM_OFFSET)),
                 y = word_of(d, input_of(d, b->index, TRI_DIM_OFFSET));
        return x / (uint64_t)d->banks != y / (uint64_t)d->banks ? 2 : x != y;
    }
    return key_of(d, a) != key_of(d, b) ? 2
                                        : input_of(d, a->index, TRI_DIM_LANE) != input_of(d, b->index, TRI_DIM_LANE);
}

/* The lines between cells that belong together and others, thin (1) or thick (2). */
static void add_edges(const drawing *d, int64_t plane, int64_t top, int strength, tri_buf *out)
{
    tri_buf_format(out, "<path class=\"edge%d\" d=\"", strength);
    for (int64_t r = 0; r < d->shown_rows; r++) {
        for (int64_t c = 0; c < d->shown_columns; c++) {
            const cell *here = &d->cells[place_of(d, plane, r, c)];
            long long x = MARGIN + c * CELL_WIDTH, y = top + r * cell_height(d);
            if (c && edge_between(d, here, &d->cells[place_of(d, plane, r, c - 1)]) == strength)
                tri_buf_format(out, "M%lld %lldv%d", x, y, cell_height(d));
            if (r && edge_between(d, here, &d->cells[place_of(d, plane, r - 1, c)]) == strength)
                tri_buf_format(out, "M%lld %lldh%d", x, y, CELL_WIDTH);
        }
    }
    tri_buf_add_z(out, "\"/>\n");
}

static void add_axes(const drawing *d, int64_t top, tri_buf *out)
{
    for (int64_t c = 0; c < d->shown_columns; c++)
        tri_buf_format(out, "<text x=\"%lld\" y=\"%lld\">%lld</text>",
                       (long long)(MARGIN + c * CELL_WIDTH + CELL_WIDTH / 2), (long long)(top - 6), (long long)c);
    for (int64_t r = 0; r < d->shown_rows; r++)
        tri_buf_format(out, "<text x=\"%d\" y=\"%lld\">%lld</text>", MARGIN / 2,
                       (long long)(top + r * cell_height(d) + cell_height(d) / 2 + 4),
                       (long long)(d->row_dim < 0 ? r * d->columns : r));
    tri_buf_add_char(out, '\n');
}

static void add_legend(const drawing *d, int64_t top, tri_buf *out)
{
    uint64_t warps = (uint64_t)tri_linear_in_size(d->l, TRI_DIM_WARP);
    for (uint64_t i = 0; i < key_count(d); i++) {
        int64_t x = MARGIN + (int64_t)(i % 16) * CELL_WIDTH * 2, y = top + (int64_t)(i / 16) * (CELL_HEIGHT + 4);
        tri_buf_format(out, "<rect x=\"%lld\" y=\"%lld\" width=\"%d\" height=\"%d\" fill=\"hsl(%d,70%%,78%%)\"/>",
                       (long long)x, (long long)y, CELL_WIDTH * 2 - 6, CELL_HEIGHT, hue_of(d, i));
        tri_buf_format(out, "<text x=\"%lld\" y=\"%lld\">", (long long)(x + CELL_WIDTH - 3),
                       (long long)(y + CELL_HEIGHT - 6));
        if (has_blocks(d) && !d->is_shared)
            tri_buf_format(out, "block %llu ", (unsigned long long)(i / warps));
        tri_buf_format(out, "%s %llu</text>\n", d->is_shared ? "bank" : "warp",
                       (unsigned long long)(d->is_shared ? i : i % warps));
    }
}

/* A text, broken into lines that fit; returns the y below them. */
static int64_t add_lines(tri_str text, int64_t y, int64_t width, tri_buf *out)
{
    size_t most = (size_t)((width - 2 * MARGIN) / LETTER);
    for (tri_str rest = tri_str_trim(text); rest.len; y += TITLE_LINE) {
        size_t end = rest.len;
        if (end > most)
            for (end = most; end > 1 && rest.data[end] != ' '; end--)
                continue;
        tri_buf_format(out, "<text class=\"left\" x=\"%d\" y=\"%lld\">", MARGIN, (long long)y);
        add_escaped(tri_str_sub(rest, 0, end), out);
        tri_buf_add_z(out, "</text>\n");
        rest = tri_str_trim(tri_str_sub(rest, end, rest.len));
    }
    return y;
}

/* The title, and how to read a cell; returns the y below them. */
static int64_t add_title(const drawing *d, const char *title, int64_t width, tri_buf *out)
{
    tri_buf text = {0};
    tri_buf_add_z(&text,
                  d->is_shared
                      ? "cell: offset, bank; thick line: end of a row of banks "
                      : "cell: lane:register, * held several times; black line: end of a thread, thick: of a warp ");
    add_cut(d, &text);
    int64_t y = add_lines(tri_str_from(title), 24, width, out);
    y = add_lines(tri_buf_str(&text), y, width, out);
    tri_buf_fini(&text);
    return y;
}

static void add_plane(const drawing *d, int64_t plane, int64_t top, tri_buf *out)
{
    if (d->planes > 1) {
        tri_buf_format(out, "<text class=\"left\" x=\"%d\" y=\"%lld\">", MARGIN, (long long)(top - 22));
        add_plane_title(d, plane, "", "", out);
        tri_buf_add_z(out, "</text>\n");
    }
    add_axes(d, top, out);
    for (int64_t r = 0; r < d->shown_rows; r++) {
        for (int64_t c = 0; c < d->shown_columns; c++) {
            uint64_t packed = place_of(d, plane, r, c);
            add_cell(d, &d->cells[packed], packed, MARGIN + c * CELL_WIDTH, top + r * cell_height(d), out);
        }
    }
    add_edges(d, plane, top, 1, out);
    add_edges(d, plane, top, 2, out);
}

typedef struct {
    int64_t width, height;
} extent;

/* One picture with its upper end at `top`. */
static extent add_picture(const tri_linear *l, const tri_draw_options *options, int64_t top, tri_buf *out)
{
    drawing d;
    start(&d, l, options);
    int64_t width = 2 * MARGIN + (d.shown_columns > 32 ? d.shown_columns : 32) * CELL_WIDTH;
    if (top)
        tri_buf_format(out, "<g transform=\"translate(0,%lld)\">\n", (long long)top);
    int64_t y = add_title(&d, options->title, width, out);
    add_legend(&d, y, out);
    y += (int64_t)(key_count(&d) + 15) / 16 * (CELL_HEIGHT + 4);
    for (int64_t plane = 0; plane < d.shown_planes; plane++) {
        add_plane(&d, plane, y + MARGIN, out);
        y += d.shown_rows * cell_height(&d) + MARGIN;
    }
    if (top)
        tri_buf_add_z(out, "</g>\n");
    free(d.cells);
    return (extent){width, y + MARGIN / 2};
}

void tri_draw_svg(size_t count, const tri_linear *layouts, const tri_draw_options *options, tri_buf *out)
{
    tri_buf body = {0};
    extent whole = {0};
    for (size_t i = 0; i < count; i++) {
        extent one = add_picture(&layouts[i], &options[i], whole.height, &body);
        whole.width = one.width > whole.width ? one.width : whole.width;
        whole.height += one.height;
    }
    tri_buf_format(
        out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%lld\" height=\"%lld\" viewBox=\"0 0 %lld %lld\">\n",
        (long long)whole.width, (long long)whole.height, (long long)whole.width, (long long)whole.height);
    tri_buf_add_z(out, "<style>text{font:11px sans-serif;text-anchor:middle}rect{stroke:#999;stroke-width:.5}"
                       ".small{font-size:8px}.left{text-anchor:start;font-size:14px}path{fill:none;stroke:#222}"
                       ".edge1{stroke-width:1}.edge2{stroke-width:2.5}</style>\n"
                       "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    tri_buf_add_str(out, tri_buf_str(&body));
    tri_buf_add_z(out, "</svg>\n");
    tri_buf_fini(&body);
}
