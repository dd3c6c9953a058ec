/* The value of -fsanitize=. */
#ifndef TRI_DRIVER_SANITIZE_H
#define TRI_DRIVER_SANITIZE_H

#include "base/diag.h"

/* Adds the bits of tri_sanitize that `list`, names with commas between them, asks for to `io_bits`. False after a
 * report: a name is not known, or there is none. */
bool tri_sanitize_parse(tri_diag *diag, tri_str list, unsigned *io_bits);

#endif
