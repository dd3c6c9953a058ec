/* Sizes as in Triton's AMD back end (composePaddedLayoutWMMA): lanes that read together find their banks apart. */
#include "passes/analysis/padding.h"

#include "ir/encoding.h"
#include "ir/type.h"

enum { most_interval_bits = 256 * 32, banks_bits = 64 * 32, access_bits = 128 };

static MlirAttribute padded_layout(MlirType tensor, const int32_t *order, int64_t interval, int64_t padding)
{
    tri_encoding e = {.kind = TRI_ENC_PADDED_SHARED, .rank = tri_type_rank(tensor)};
    e.padded.count = 1;
    e.padded.interval[0] = (int32_t)interval;
    e.padded.padding[0] = (int32_t)padding;
    for (int d = 0; d < e.rank; d++) {
        e.order[d] = order[d];
        e.padded.shape[d] = (int32_t)tri_type_dim(tensor, d);
    }
    return tri_encoding_make(mlirTypeGetContext(tensor), &e);
}

/* Bits that a lane gets of a read which turns rows into columns. */
static int64_t transposing_bits(int64_t bits) { return bits == 16 ? 128 : bits == 8 || bits == 4 ? 64 : 0; }

MlirAttribute tri_padding_of_operand(int op_idx, int64_t width, MlirType tensor, const int32_t *order)
{
    MlirType element = tri_type_element(tensor);
    if (!tri_type_is_int(element) && !tri_type_is_float(element))
        return (MlirAttribute){NULL};
    int64_t bits = tri_type_bits(element), inner = tri_type_dim(tensor, order[0]), padding = access_bits / bits;
    bool is_turned = order[0] != 1 - op_idx;
    if (is_turned && transposing_bits(bits))
        padding = 2 * transposing_bits(bits) / bits;
    else if (!is_turned && bits >= 32 && width < padding)
        padding = width;
    if (padding == 0 || padding >= inner)
        return (MlirAttribute){NULL};
    int64_t interval = inner > banks_bits / bits ? inner : banks_bits / bits;
    if (interval > most_interval_bits / bits)
        interval = most_interval_bits / bits;
    return padded_layout(tensor, order, interval, padding);
}

MlirAttribute tri_padding_of_rows(MlirType block)
{
    int rank = tri_type_rank(block);
    int32_t order[TRI_MAX_RANK];
    for (int i = 0; i < rank; i++)
        order[i] = rank - 1 - i;
    int64_t bits = tri_type_bits(tri_type_element(block)), inner = tri_type_dim(block, rank - 1);
    if (inner <= most_interval_bits / bits)
        return padded_layout(block, order, inner, access_bits / bits);
    tri_encoding e = {.kind = TRI_ENC_SWIZZLED_SHARED, .rank = rank};
    memcpy(e.order, order, sizeof order);
    e.swizzled.vec = e.swizzled.per_phase = e.swizzled.max_phase = 1;
    return tri_encoding_make(mlirTypeGetContext(block), &e);
}
