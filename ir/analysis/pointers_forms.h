/* Arithmetic on the numbers of blocks, for ir/analysis/pointers.c and its family. */
#ifndef TRI_IR_ANALYSIS_POINTERS_FORMS_H
#define TRI_IR_ANALYSIS_POINTERS_FORMS_H

#include "ir/analysis/pointers.h"

struct tri_pointers {
    tri_arena *arena;
    tri_sums sums;
    tri_map *known; /* MlirValue.ptr -> tri_block_form; replaced while something is assumed */
    TRI_VEC(struct { MlirValue value; const tri_block_form *form; }) assumed;
    TRI_VEC(MlirValue) masks; /* carried masks that are looked at now */
};

tri_block_form tri_pointers_forms_fail(const char *reason, MlirValue culprit);
/* All elements are `offset`; the shape is `type`'s. */
tri_block_form tri_pointers_forms_uniform(tri_pointers *p, MlirType type, const tri_sum *offset);
/* A list of integers of which only one dimension counts; or why not. */
tri_block_form tri_pointers_forms_indexed(tri_pointers *p, MlirValue value, const char *reason);
bool tri_pointers_forms_is_uniform(const tri_block_form *form);
/* The only dimension that counts; -1 when there are none or several. */
int tri_pointers_forms_only_dim(const tri_block_form *form);
bool tri_pointers_forms_has_same_dims(const tri_block_form *a, const tri_block_form *b, bool with_starts);

tri_block_form tri_pointers_forms_add(tri_pointers *p, tri_block_form a, tri_block_form b, MlirValue at);
tri_block_form tri_pointers_forms_scale(tri_pointers *p, tri_block_form a, const tri_sum *by, MlirValue at);
tri_block_form tri_pointers_forms_remainder(tri_pointers *p, tri_block_form a, tri_block_form b, MlirOperation op);
tri_block_form tri_pointers_forms_quotient(tri_pointers *p, tri_block_form a, tri_block_form b, MlirValue at);

/* Views: `op` is one that gives its only operand another shape. */
bool tri_pointers_forms_is_view(MlirOperation op);
tri_block_form tri_pointers_forms_view(tri_pointers *p, tri_block_form a, MlirOperation op);

/* What loops and conditionals make of a block (pointers_flow.c). */
tri_block_form tri_pointers_flow_argument(tri_pointers *p, MlirValue value);
tri_block_form tri_pointers_flow_result(tri_pointers *p, MlirValue value, MlirOperation op);
tri_block_form tri_pointers_flow_select(tri_pointers *p, MlirValue condition, const tri_block_form *a,
                                        const tri_block_form *b, MlirValue at);

#endif
