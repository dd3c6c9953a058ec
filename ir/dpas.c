#include "ir/dpas.h"

#include "ir/type.h"

const tri_dpas tri_dpas_rows[] = {
#define X(name, type, bits, depth, sum, function) {#name, function, TRI_DPAS_##type, TRI_DPAS_##sum, bits, depth},
#include "ir/dpas.def"
#undef X
};

const int tri_dpas_count = sizeof tri_dpas_rows / sizeof *tri_dpas_rows;

const tri_dpas *tri_dpas_find(const tri_machine_facts *facts, MlirType element, bool is_tf32)
{
    if (facts->mma != TRI_MMA_DPAS)
        return NULL;
    for (int i = 0; i < tri_dpas_count; i++) {
        const tri_dpas *row = &tri_dpas_rows[i];
        bool is_it = row->type == TRI_DPAS_F16    ? mlirTypeIsAF16(element)
                     : row->type == TRI_DPAS_BF16 ? mlirTypeIsABF16(element)
                     : row->type == TRI_DPAS_I8   ? tri_type_is_int_of(element, 8)
                                                  : is_tf32 && facts->has_tf32 && mlirTypeIsAF32(element);
        if (is_it)
            return row;
    }
    return NULL;
}

int tri_dpas_width(const tri_dpas *row, int lanes) { return row->depth / lanes; }

int tri_dpas_k_width(int ops_per_channel, int operand)
{
    return operand == 0 && ops_per_channel > 1 ? ops_per_channel / 2 : ops_per_channel;
}
