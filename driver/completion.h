/* A table of options as the completion script of a shell. */
#ifndef TRI_DRIVER_COMPLETION_H
#define TRI_DRIVER_COMPLETION_H

#include "driver/option_table.h"

/* False for a shell other than bash and zsh. */
bool tri_completion_print(const tri_option_table *table, tri_str shell, tri_buf *out);

#endif
