/* What the families of structured code share. */
#ifndef TRI_TARGETS_LINALG_STRUCTURED_H
#define TRI_TARGETS_LINALG_STRUCTURED_H

#include "targets/target.h"

/* Descriptors and block pointers are spelled with pointers, whose structure the passes find again. */
void tri_linalg_ttir_pipeline(const tri_unit *unit, tri_buf *out);

#endif
