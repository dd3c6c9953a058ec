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
/* Bits of one. */
int tri_amd_type_bits(tri_amd_type type);
/* What a product of that element type is to the machine; TRI_AMD_NO_TYPE: its instructions have no such operands.
 * `is_tf32`: f32 may be multiplied with fewer bits. */
tri_amd_type tri_amd_type_of(const tri_machine_facts *facts, MlirType element, bool is_tf32);
/* The deepest instruction of m x n with K of at most `depth`; null: none. */
const tri_amd_matrix *tri_amd_matrix_find(const tri_machine_facts *facts, tri_amd_type a, tri_amd_type b, int m,
                                          int64_t depth);

#endif
