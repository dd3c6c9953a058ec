/* The text of a stage as the page shows it: no longer than a browser bears. */
#ifndef TRI_DRIVER_PAGE_STAGE_TEXT_H
#define TRI_DRIVER_PAGE_STAGE_TEXT_H

#include "base/str.h"

/* Appends `text` up to `most_lines` lines or `most_bytes` bytes, and of its tables of places ("#loc3 = ...",
 * "!7 = ...") what these lines need, wherever they stand. Returns how many lines are left out, tables not counted. */
size_t tri_page_add_stage_text(tri_str text, size_t most_lines, size_t most_bytes, tri_buf *out);

#endif
