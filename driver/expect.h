/* -verify-diagnostics: what a test file says that it will be told. */
#ifndef TRI_DRIVER_EXPECT_H
#define TRI_DRIVER_EXPECT_H

#include "base/diag.h"

/* Compares what was reported since the last tri_diag_hold with the comments of the source
 *     expected-error@+1 {{part of the text}}
 * and drops it. -warning, -note and -remark are the other severities; after it, or a blank, stand @+N, @-N,
 * @below and @above (the next line, and the one before, that has no such comment) or @unknown for no place;
 * otherwise this line is meant. The text ends at the last }} of the line, or before the next comment on it. In
 * expected-error-re {{ }} within the text hold extended regular expressions, of which a comment with a bad one is
 * an error. Reports each that is missing and, unless `only_expected`, each error or warning without a comment;
 * false when there was one. */
bool tri_expect_check(tri_diag *diag, const tri_source *source, bool only_expected);

#endif
