/* -verify-diagnostics: what a test file says that it will be told. */
#ifndef TRI_DRIVER_EXPECT_H
#define TRI_DRIVER_EXPECT_H

#include "base/diag.h"

/* Compares what was reported since the last tri_diag_hold with the comments of the source
 *     expected-error@+1 {{part of the text}}
 * (-warning, -note, -remark; @+N, @-N, @above, @below count lines, @unknown is no place, nothing is
 * this line), and drops it. Reports each that is missing and each error or warning that was not
 * expected; false when there was one. */
bool tri_expect_check(tri_diag *diag, const tri_source *source);

#endif
