/* What became of a text, as lines that came and went. */
#ifndef TRI_DRIVER_PAGE_CHANGES_H
#define TRI_DRIVER_PAGE_CHANGES_H

#include "base/str.h"

/* Appends the lines in which `new` differs from `old` with three around them, each behind a '+', '-' or ' ', and of a
 * run of others a line "@COUNT". Behind `most` lines comes "?COUNT": so many more came or went. */
void tri_page_add_changes(tri_str old, tri_str new, size_t most, tri_buf *out);

#endif
