#include "ir/amd_matrix.h"

#include "ir/op.h"
#include "ir/type.h"

#include <string.h>

const tri_amd_matrix tri_amd_matrices[] = {
#define X(name, kind, first, last, m, n, k, a, b, sum, intrinsic)                                                      \
    {#name, intrinsic, TRI_MMA_##kind, first, last, m, n, k, TRI_AMD_##a, TRI_AMD_##b, TRI_AMD_##sum},
#include "ir/amd_matrix.def"
#undef X
};

const int tri_amd_matrix_count = sizeof tri_amd_matrices / sizeof *tri_amd_matrices;

int tri_amd_matrix_width(const tri_amd_matrix *row, int version)
{
    if (row->kind == TRI_MMA_WMMA)
        return version == 1 ? row->k : row->k / 2;
    return row->m * row->k / 64;
}

int tri_amd_matrix_sums(const tri_amd_matrix *row) { return row->m * row->n / (row->kind == TRI_MMA_WMMA ? 32 : 64); }

int tri_amd_type_bits(tri_amd_type type)
{
    static const int bits[] = {
        [TRI_AMD_F16] = 16, [TRI_AMD_BF16] = 16, [TRI_AMD_F32] = 32, [TRI_AMD_XF32] = 32, [TRI_AMD_F64] = 64,
        [TRI_AMD_I8] = 8,   [TRI_AMD_I32] = 32,  [TRI_AMD_FP8] = 8,  [TRI_AMD_BF8] = 8,   [TRI_AMD_FP4] = 4,
        [TRI_AMD_NO_TYPE] = 0};
    return bits[type];
}

/* gfx942 takes the forms without negative zero, the others those of the Open Compute Project. */
static tri_amd_type type_of_fp8(const tri_machine_facts *facts, MlirType element)
{
    bool is_fnuz = facts->mma == TRI_MMA_MFMA && facts->mma_version == 3;
    if (is_fnuz ? mlirTypeIsAFloat8E4M3FNUZ(element) : mlirTypeIsAFloat8E4M3FN(element))
        return TRI_AMD_FP8;
    return (is_fnuz ? mlirTypeIsAFloat8E5M2FNUZ(element) : mlirTypeIsAFloat8E5M2(element)) ? TRI_AMD_BF8
                                                                                           : TRI_AMD_NO_TYPE;
}

tri_amd_type tri_amd_type_of(const tri_machine_facts *facts, MlirType element, bool is_tf32)
{
    if (mlirTypeIsAF16(element))
        return TRI_AMD_F16;
    if (mlirTypeIsABF16(element))
        return TRI_AMD_BF16;
    if (mlirTypeIsAF32(element))
        return is_tf32 && facts->has_tf32 ? TRI_AMD_XF32 : TRI_AMD_F32;
    if (mlirTypeIsAF64(element))
        return TRI_AMD_F64;
    return tri_type_is_int_of(element, 8) ? TRI_AMD_I8 : type_of_fp8(facts, element);
}

const tri_amd_matrix *tri_amd_matrix_find(const tri_machine_facts *facts, tri_amd_type a, tri_amd_type b, int m,
                                          int64_t depth)
{
    for (int i = 0; i < tri_amd_matrix_count; i++) {
        const tri_amd_matrix *row = &tri_amd_matrices[i];
        if (row->kind == facts->mma && facts->mma_version >= row->first && facts->mma_version <= row->last &&
            row->m == m && row->a == a && row->b == b && depth % row->k == 0)
            return row;
    }
    return NULL;
}

/* ---- with scales ---- */

bool tri_amd_matrix_has_scales(const tri_amd_matrix *row) { return strstr(row->intrinsic, "f8f6f4") != NULL; }

/* Operands of tt.dot_scaled, by segment, and its element types. */
enum { segment_c = 2, segment_scales = 3, e4m3 = 0, e5m2 = 1, e2m1 = 4, group = 32 };

int64_t tri_amd_scaled_depth(MlirOperation dot)
{
    MlirType a = mlirValueGetType(tri_op_segment_value(dot, 0));
    return tri_type_dim(a, tri_type_rank(a) - 1) * (tri_op_int(dot, "a_elem_type", 0) == e2m1 ? 2 : 1);
}

/* Powers of two, one for 32 elements of K of each row (of A; column of B). */
static bool has_fitting_scale(MlirOperation dot, int index)
{
    MlirValue scale = tri_op_segment_value(dot, segment_scales + index);
    if (mlirValueIsNull(scale))
        return true;
    MlirType type = mlirValueGetType(scale), c = mlirValueGetType(tri_op_segment_value(dot, segment_c));
    return tri_type_is_int(tri_type_element(type)) && tri_type_rank(type) == 2 &&
           tri_type_dim(type, 0) == tri_type_dim(c, index) &&
           tri_type_dim(type, 1) * group == tri_amd_scaled_depth(dot);
}

bool tri_amd_scaled_types(const tri_machine_facts *facts, MlirOperation dot, tri_amd_type out_types[2])
{
    static const char *const formats[] = {"a_elem_type", "b_elem_type"}, *const packs[] = {"lhs_k_pack", "rhs_k_pack"};
    MlirType sum = mlirValueGetType(tri_op_segment_value(dot, segment_c));
    if (!facts->has_scaled_mma || tri_type_rank(sum) != 2 || !mlirTypeIsAF32(tri_type_element(sum)))
        return false;
    for (int i = 0; i < 2; i++) {
        int64_t format = tri_op_int(dot, formats[i], 0);
        out_types[i] = format == e4m3 ? TRI_AMD_FP8 : format == e5m2 ? TRI_AMD_BF8 : TRI_AMD_FP4;
        if ((format != e4m3 && format != e5m2 && format != e2m1) || !tri_op_int(dot, packs[i], 1) ||
            !has_fitting_scale(dot, i))
            return false;
    }
    return true;
}

const tri_amd_matrix *tri_amd_scaled_find(const tri_machine_facts *facts, MlirOperation dot, int m)
{
    tri_amd_type types[2];
    if (!tri_amd_scaled_types(facts, dot, types))
        return NULL;
    const tri_amd_matrix *row = tri_amd_matrix_find(facts, types[0], types[1], m, tri_amd_scaled_depth(dot));
    return row && tri_amd_matrix_has_scales(row) ? row : NULL;
}

bool tri_amd_scaled_fits(const tri_machine_facts *facts, MlirOperation dot)
{
    MlirType c = mlirValueGetType(tri_op_segment_value(dot, segment_c));
    int64_t rows = tri_type_dim(c, 0), columns = tri_type_dim(c, tri_type_rank(c) - 1);
    for (int m = 16; m <= 32; m *= 2)
        if (rows >= m && columns >= m && tri_amd_scaled_find(facts, dot, m))
            return true;
    return false;
}
