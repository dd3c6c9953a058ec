/* The parts of this family. */
#ifndef TRI_TARGETS_ASCEND_H
#define TRI_TARGETS_ASCEND_H

#include "targets/target.h"

/* linalg -> npubin by the vendor's compiler. False after a report. */
bool tri_ascend_compile(tri_unit *unit);

#endif
