/* Layouts for people: base lists, tables and pictures. */
#ifndef TRI_LAYOUT_DRAW_H
#define TRI_LAYOUT_DRAW_H

#include "base/str.h"
#include "layout/linear.h"

typedef struct {
    const char *title;  /* first line; may be null */
    int element_bits;   /* of shared memory: decides the banks; 0 = registers */
    int banks;          /* of shared memory, 32 bits each */
    const tri_encoding *encoding; /* whose padding moves the banks; null: none */
} tri_draw_options;

/* One line for each input dimension: its bases as coordinates. */
void tri_draw_bases(const tri_linear *l, tri_buf *out);
/* Bases, then which thread and register (which offset and bank) holds each element, then which elements each
 * thread (offset) holds. Large tensors are cut to their first rows and columns, which the text says. */
void tri_draw_text(const tri_linear *l, const tri_draw_options *options, tri_buf *out);
/* A picture of the elements as cells: coloured by warp, labelled "lane:register"; for shared memory coloured
 * by bank, labelled with the offset. A whole SVG document of `count` pictures, one below the other. */
void tri_draw_svg(size_t count, const tri_linear *layouts, const tri_draw_options *options, tri_buf *out);

#endif
