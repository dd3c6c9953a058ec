#include "ir/amd_matrix.h"

#include "ir/type.h"

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
        [TRI_AMD_I8] = 8,   [TRI_AMD_I32] = 32,  [TRI_AMD_FP8] = 8,  [TRI_AMD_BF8] = 8,   [TRI_AMD_NO_TYPE] = 0};
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
