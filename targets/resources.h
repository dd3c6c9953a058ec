/* --resource-usage: what kernels take of the machine, as text. */
#ifndef TRI_TARGETS_RESOURCES_H
#define TRI_TARGETS_RESOURCES_H

#include "targets/target.h"

/* A few lines per kernel. `code` is the family's text ("ptx"). */
void tri_resources_print(const tri_unit *unit, tri_str code, tri_buf *out);

#endif
