/* What is known about the integers and pointers of a function: per tensor dimension, how long runs
 * of consecutive values and of equal values are, and which power of two divides them. Vector
 * widths of memory accesses follow from it. Scalars are seen as tensors of rank 1 and size 1. */
#ifndef TRI_IR_ANALYSIS_AXIS_INFO_H
#define TRI_IR_ANALYSIS_AXIS_INFO_H

#include "base/arena.h"
#include "layout/encoding.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/* The divisibility of zero: neutral for gcd. Products saturate here. */
#define TRI_AXIS_MAX ((int64_t)1 << 62)

typedef struct {
    int rank;
    int64_t contiguity[TRI_MAX_RANK];   /* consecutive values per run; elements for pointers */
    int64_t divisibility[TRI_MAX_RANK]; /* divides the first value of each such run; bytes for pointers */
    int64_t constancy[TRI_MAX_RANK];    /* equal values per run */
    bool has_constant;                  /* every value is `constant` */
    int64_t constant;
} tri_axis;

typedef struct tri_axis_info tri_axis_info;

/* Analyses every function in `root` (a module or a function). The result lives in `arena` and is
 * a snapshot: it knows nothing of operations made later. Attributes tt.contiguity,
 * tt.divisibility and tt.constancy of operations and arguments are believed. */
tri_axis_info *tri_axis_info_create(tri_arena *arena, MlirOperation root);

/* Never null: values that nothing is known about have all ones. */
const tri_axis *tri_axis_info_get(const tri_axis_info *info, MlirValue value);

/* Elements, from the first of a run on, that one access along `dim` may cover: bounded by the run
 * and, for pointers, by the alignment. */
int64_t tri_axis_info_alignment(const tri_axis_info *info, MlirValue value, int dim);
/* Length of runs of equal mask bits along `dim`; a null mask has no bound (TRI_AXIS_MAX). */
int64_t tri_axis_info_mask_alignment(const tri_axis_info *info, MlirValue mask, int dim);

#endif
