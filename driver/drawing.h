/* -emit=layout and -emit=svg: layouts of the values of a ttgir module. */
#ifndef TRI_DRIVER_DRAWING_H
#define TRI_DRIVER_DRAWING_H

#include "ir/unit.h"

/* The values that --value or --at choose, as tables or (the first of them) as a picture; without either,
 * every layout of the module once, by its bases. False after a report. */
bool tri_drawing_write(tri_unit *unit, bool as_svg, tri_buf *out);

#endif
