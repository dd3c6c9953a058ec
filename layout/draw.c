#include "layout/draw.h"

#include "base/diag.h"
#include "layout/convert.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_ROWS = 128, MAX_COLUMNS = 128, CELL_WIDTH = 44, CELL_HEIGHT = 20, MARGIN = 40 };

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
    int64_t shown_rows, shown_columns;
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

static uint64_t bank_of(const drawing *d, uint64_t offset)
{
    if (d->encoding)
        offset = (uint64_t)tri_convert_pad_offset(d->encoding, (int64_t)offset);
    return offset * (uint64_t)d->element_bits / 32 % (uint64_t)d->banks;
}

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
        snprintf(text, sizeof text, "%llu.%llu:%llu%s", (unsigned long long)input_of(d, c->index, TRI_DIM_WARP),
                 (unsigned long long)input_of(d, c->index, TRI_DIM_LANE),
                 (unsigned long long)input_of(d, c->index, TRI_DIM_REGISTER), c->holders > 1 ? "*" : "");
    }
    tri_buf_format(out, "%11s", text);
}

static void add_elements(const drawing *d, tri_buf *out)
{
    tri_buf_format(out, "elements (%s)\n", d->is_shared ? "offset@bank" : "warp.lane:register, the first of several when *");
    for (int64_t plane = 0; plane < d->planes; plane++) {
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
    if (d->shown_rows < d->rows || d->shown_columns < d->columns)
        tri_buf_format(out, "(the first %lld rows and %lld columns)\n", (long long)d->shown_rows, (long long)d->shown_columns);
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

static void add_escaped(const char *text, tri_buf *out)
{
    for (; *text; text++) {
        if (*text == '<')
            tri_buf_add_z(out, "&lt;");
        else if (*text == '>')
            tri_buf_add_z(out, "&gt;");
        else if (*text == '&')
            tri_buf_add_z(out, "&amp;");
        else
            tri_buf_add_char(out, *text);
    }
}

/* Hues are spread so that neighbours differ; banks run once around the circle. */
static int hue_of(const drawing *d, uint64_t key)
{
    return d->is_shared ? (int)(key * 360 / (uint64_t)d->banks) : (int)(key * 137 % 360);
}

static void add_cell(const drawing *d, const cell *c, uint64_t packed, int64_t x, int64_t y, tri_buf *out)
{
    uint64_t offset = input_of(d, c->index, TRI_DIM_OFFSET), warp = input_of(d, c->index, TRI_DIM_WARP);
    uint64_t lane = input_of(d, c->index, TRI_DIM_LANE), reg = input_of(d, c->index, TRI_DIM_REGISTER);
    int light = d->is_shared ? 78 : lane % 2 ? 74 : 82;
    tri_buf_format(out, "<g><rect x=\"%lld\" y=\"%lld\" width=\"%d\" height=\"%d\" fill=\"hsl(%d,70%%,%d%%)\"/>", (long long)x,
                   (long long)y, CELL_WIDTH, CELL_HEIGHT, hue_of(d, d->is_shared ? bank_of(d, offset) : warp), light);
    tri_buf_format(out, "<text x=\"%lld\" y=\"%lld\">", (long long)(x + CELL_WIDTH / 2), (long long)(y + CELL_HEIGHT - 6));
    if (d->is_shared)
        tri_buf_format(out, "%llu", (unsigned long long)offset);
    else
        tri_buf_format(out, "%llu:%llu%s", (unsigned long long)lane, (unsigned long long)reg, c->holders > 1 ? "*" : "");
    tri_buf_add_z(out, "</text><title>");
    add_coords(d->l, packed, out);
    if (d->is_shared)
        tri_buf_format(out, " offset %llu bank %llu", (unsigned long long)offset, (unsigned long long)bank_of(d, offset));
    else
        tri_buf_format(out, " warp %llu lane %llu register %llu, held %u times", (unsigned long long)warp,
                       (unsigned long long)lane, (unsigned long long)reg, c->holders);
    tri_buf_add_z(out, "</title></g>\n");
}

static void add_axes(const drawing *d, int64_t top, tri_buf *out)
{
    for (int64_t c = 0; c < d->shown_columns; c++)
        tri_buf_format(out, "<text x=\"%lld\" y=\"%lld\">%lld</text>", (long long)(MARGIN + c * CELL_WIDTH + CELL_WIDTH / 2),
                       (long long)(top - 6), (long long)c);
    for (int64_t r = 0; r < d->shown_rows; r++)
        tri_buf_format(out, "<text x=\"%d\" y=\"%lld\">%lld</text>", MARGIN / 2, (long long)(top + (r + 1) * CELL_HEIGHT - 6),
                       (long long)(d->row_dim < 0 ? r * d->columns : r));
    tri_buf_add_char(out, '\n');
}

static void add_legend(const drawing *d, int64_t top, tri_buf *out)
{
    int64_t n = d->is_shared ? d->banks : tri_linear_in_size(d->l, TRI_DIM_WARP);
    for (int64_t i = 0; i < n; i++) {
        int64_t x = MARGIN + i % 16 * CELL_WIDTH * 2, y = top + i / 16 * (CELL_HEIGHT + 4);
        tri_buf_format(out, "<rect x=\"%lld\" y=\"%lld\" width=\"%d\" height=\"%d\" fill=\"hsl(%d,70%%,78%%)\"/>", (long long)x,
                       (long long)y, CELL_WIDTH * 2 - 6, CELL_HEIGHT, hue_of(d, (uint64_t)i));
        tri_buf_format(out, "<text x=\"%lld\" y=\"%lld\">%s %lld</text>\n", (long long)(x + CELL_WIDTH - 3),
                       (long long)(y + CELL_HEIGHT - 6), d->is_shared ? "bank" : "warp", (long long)i);
    }
}

void tri_draw_svg(const tri_linear *l, const tri_draw_options *options, tri_buf *out)
{
    drawing d;
    start(&d, l, options);
    int64_t plane_height = d.shown_rows * CELL_HEIGHT + 2 * MARGIN, legend_rows = d.is_shared ? (d.banks + 15) / 16 : (tri_linear_in_size(l, TRI_DIM_WARP) + 15) / 16;
    int64_t first = 2 * MARGIN + legend_rows * (CELL_HEIGHT + 4);
    int64_t width = 2 * MARGIN + (d.shown_columns > 32 ? d.shown_columns : 32) * CELL_WIDTH;
    tri_buf_format(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%lld\" height=\"%lld\">\n", (long long)width,
                   (long long)(first + d.planes * plane_height));
    tri_buf_add_z(out, "<style>text{font:11px sans-serif;text-anchor:middle}rect{stroke:#555;stroke-width:.5}"
                       ".left{text-anchor:start;font-size:14px}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    tri_buf_format(out, "<text class=\"left\" x=\"%d\" y=\"24\">", MARGIN);
    add_escaped(options->title ? options->title : "", out);
    tri_buf_format(out, "%s</text>\n", d.is_shared ? "  (cell: offset)" : "  (cell: lane:register, * held several times)");
    add_legend(&d, MARGIN, out);
    for (int64_t plane = 0; plane < d.planes; plane++) {
        int64_t top = first + plane * plane_height;
        if (d.planes > 1) {
            tri_buf_format(out, "<text class=\"left\" x=\"%d\" y=\"%lld\">", MARGIN, (long long)(top - 22));
            add_plane_title(&d, plane, "", "", out);
            tri_buf_add_z(out, "</text>\n");
        }
        add_axes(&d, top, out);
        for (int64_t r = 0; r < d.shown_rows; r++) {
            for (int64_t c = 0; c < d.shown_columns; c++) {
                uint64_t packed = place_of(&d, plane, r, c);
                add_cell(&d, &d.cells[packed], packed, MARGIN + c * CELL_WIDTH, top + r * CELL_HEIGHT, out);
            }
        }
    }
    tri_buf_add_z(out, "</svg>\n");
    free(d.cells);
}
