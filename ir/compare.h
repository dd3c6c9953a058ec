/* Comparisons of integers, as passes build them. */
#ifndef TRI_IR_COMPARE_H
#define TRI_IR_COMPARE_H

#include "ir/builder.h"

/* The numbers that arith.cmpi gives its predicates. */
enum {
    TRI_CMP_EQ,
    TRI_CMP_NE,
    TRI_CMP_SLT,
    TRI_CMP_SLE,
    TRI_CMP_SGT,
    TRI_CMP_SGE,
    TRI_CMP_ULT,
    TRI_CMP_ULE,
    TRI_CMP_UGT,
    TRI_CMP_UGE
};

/* arith.cmpi of two values of one type: an i1, or a tensor of them with the shape and encoding of x. */
MlirValue tri_compare_make(tri_builder *b, int64_t predicate, MlirValue x, MlirValue y);
/* i1: whether an scf.for makes an iteration. */
MlirValue tri_compare_has_trips(tri_builder *b, MlirOperation loop);

#endif
