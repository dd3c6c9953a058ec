/* The lattice of axis_info and its transfer functions, one operation at a time. */
#ifndef TRI_IR_ANALYSIS_AXIS_RULES_H
#define TRI_IR_ANALYSIS_AXIS_RULES_H

#include "ir/analysis/axis_info.h"

/* All ones, of the rank of `type`. */
tri_axis tri_axis_rules_unknown(MlirType type);
/* The facts that hold on both of two paths. */
tri_axis tri_axis_rules_join(const tri_axis *a, const tri_axis *b);
/* Overrides by the attributes tt.contiguity, tt.divisibility and tt.constancy of a dictionary;
 * `suffix` is added to their names ("_arg1", or ""). */
void tri_axis_rules_hint(tri_axis *axis, MlirAttribute dictionary, const char *suffix);
void tri_axis_rules_hint_op(tri_axis *axis, MlirOperation op, const char *suffix);
/* Result 0 of `op` from its operands' facts. Ops without a rule give `unknown`. */
tri_axis tri_axis_rules_apply(MlirOperation op, const tri_axis *const *operands);

#endif
