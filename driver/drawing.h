/* -emit=layout and -emit=svg: layouts of the values of a ttgir module. */
#ifndef TRI_DRIVER_DRAWING_H
#define TRI_DRIVER_DRAWING_H

#include "ir/unit.h"

/* The values that --value or --at choose, as tables or (the first of them) as a picture; without either,
 * every layout of the module once, by its bases. False after a report. */
bool tri_drawing_write(tri_unit *unit, bool as_svg, tri_buf *out);

/* Every value that has a layout, with its name, its type and the number of its picture, which the first value of that
 * shape and layout has with it (empty where it cannot be drawn). */
void tri_drawing_each(tri_unit *unit, void (*take)(void *data, tri_str name, tri_str type, size_t picture, tri_str svg),
                      void *data);

#endif
