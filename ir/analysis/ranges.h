/* Between what two numbers an integer, or every element of a block of them, lies. Sound: what is not known has the
 * bounds of its type, arithmetic that may wrap has them, too. Facts of llvm.intr.assume and tt.assume count in their
 * block and in those inside of it. */
#ifndef TRI_IR_ANALYSIS_RANGES_H
#define TRI_IR_ANALYSIS_RANGES_H

#include "base/arena.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t low, high; /* of the number with its sign, both may occur */
} tri_range;

typedef struct tri_ranges tri_ranges;

/* Serves the functions of a module as they are; a snapshot. */
tri_ranges *tri_ranges_create(tri_arena *arena, MlirOperation root);
/* Of an integer of at most 64 bits or a block of them. */
tri_range tri_ranges_of(tri_ranges *ranges, MlirValue value);

/* What arith.cmpi gives for all values: 1, 0, or negative: it is not known. */
int tri_ranges_compare(tri_ranges *ranges, MlirOperation compare);
/* Is an scf.for known to have a trip? */
bool tri_ranges_runs(tri_ranges *ranges, MlirOperation loop);
/* Trips of an scf.for, at most. */
int64_t tri_ranges_trips(tri_ranges *ranges, MlirOperation loop);

#endif
