/* Which types values can have. */
#ifndef TRI_TARGETS_VALUES_H
#define TRI_TARGETS_VALUES_H

#include "ir/unit.h"

/* Can every value of the unit's module be held in registers, or be a place in memory? Text that others wrote may hold
 * types that no lowering is asked to know: passes and LLVM would stop at them. Reports at the first with one. */
bool tri_values_check(tri_unit *unit);

#endif
