/* -emit=html: one page that shows what became of a source, stage by stage, for each architecture. */
#ifndef TRI_DRIVER_PAGE_H
#define TRI_DRIVER_PAGE_H

#include "targets/object/object.h"

/* Compiles each part's source again, with lines, and keeps every stage, pass and message. False after a report. */
bool tri_page_write(const tri_bundle *bundle, tri_buf *out);

#endif
