/* What the kernels run on the simulator are made of: tests/matrix/coverage.sh compares it with the tables of the tree.
 */
#ifndef TRI_TESTS_MATRIX_COVERAGE_H
#define TRI_TESTS_MATRIX_COVERAGE_H

#include "passes/passes.h"

#include <stdio.h>

/* Observers that note the operations that the front end made, and those that are lowered. */
extern const tri_pass_hooks m_coverage_hooks;

/* Notes the machine primitives of a kernel compiled for the simulator. */
void m_coverage_add_sites(const tri_unit *unit);

/* Writes what has been noted since the start of this process, a "# covers NAME" line each:
 * "tt.load", "tt.load evict=2" for an attribute that selects among forms, "extern __nv_expf", "primitive barrier". */
void m_coverage_print(FILE *out);

#endif
