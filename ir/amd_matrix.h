/* Matrix instructions of AMD's GPUs: what passes choose from, the lowering emits and the simulator does. */
#ifndef TRI_IR_AMD_MATRIX_H
#define TRI_IR_AMD_MATRIX_H

#include "ir/machines.h"

typedef enum {
    TRI_AMD_F16,
    TRI_AMD_BF16,
    TRI_AMD_F32,
    TRI_AMD_XF32,
    TRI_AMD_F64,
    TRI_AMD_I8,
    TRI_AMD_I32,
    TRI_AMD_FP8,
    TRI_AMD_BF8,
    TRI_AMD_FP4,
    TRI_AMD_NO_TYPE
} tri_amd_type;

typedef struct {
    const char *name, *intrinsic;
    tri_mma_kind kind;
    int first, last; /* mma_version of the machines that have it */
    int m, n, k;
    tri_amd_type a, b, sum;
} tri_amd_matrix;

extern const tri_amd_matrix tri_amd_matrices[];
extern const int tri_amd_matrix_count;

/* Elements of A or B, and of the sum, that one lane gives to one instruction. Version 1 of WMMA wants A and B twice. */
int tri_amd_matrix_width(const tri_amd_matrix *row, int version);
int tri_amd_matrix_sums(const tri_amd_matrix *row);
/* Whether it multiplies groups of 32 elements of K by a power of two each, its scale. */
bool tri_amd_matrix_has_scales(const tri_amd_matrix *row);
/* Bits of one. */
int tri_amd_type_bits(tri_amd_type type);
/* What a product of that element type is to the machine; TRI_AMD_NO_TYPE: its instructions have no such operands.
 * `is_tf32`: f32 may be multiplied with fewer bits. */
tri_amd_type tri_amd_type_of(const tri_machine_facts *facts, MlirType element, bool is_tf32);
/* The deepest instruction of m x n with K of at most `depth`; null: none. */
const tri_amd_matrix *tri_amd_matrix_find(const tri_machine_facts *facts, tri_amd_type a, tri_amd_type b, int m,
                                          int64_t depth);

/* What the operands of a tt.dot_scaled are to instructions with scales; false: they do not take them. */
bool tri_amd_scaled_types(const tri_machine_facts *facts, MlirOperation dot, tri_amd_type out_types[2]);
/* The instruction of m x n (m = n) for them; null: none. */
const tri_amd_matrix *tri_amd_scaled_find(const tri_machine_facts *facts, MlirOperation dot, int m);
/* Whether any instruction does that tt.dot_scaled, whose result is one block's. */
bool tri_amd_scaled_fits(const tri_machine_facts *facts, MlirOperation dot);
/* Elements of K. */
int64_t tri_amd_scaled_depth(MlirOperation dot);

#endif
