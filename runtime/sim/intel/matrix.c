/* DPAS: which element each lane holds, as cl_intel_subgroup_matrix_multiply_accumulate has it. With l the lane, s their
 * number and w = k / s the elements of a row of A that a lane gives:
 *
 *     A       element e of word m: row m, K w l + e; of tf32 row 2 m + l / 8, K l % 8
 *     B       element e of word j: K j (32 / bits) + e, column l
 *     sum m   row m, column l */
#include "ir/dpas.h"
#include "runtime/float.h"
#include "runtime/sim/intel/family.h"
#include "runtime/sim/primitives.h"

enum { max_lanes = 16, max_depth = 32 };

static const tri_dpas *row_of(uint32_t primitive) { return &tri_dpas_rows[primitive - TRI_SIM_COUNT]; }

/* Words of A that a lane brings. */
static int words_of_a(const tri_dpas *row) { return row->type == TRI_DPAS_TF32 ? TRI_DPAS_ROWS / 2 : TRI_DPAS_ROWS; }

static double decode_element(const tri_dpas *row, uint64_t word, int e)
{
    word >>= e * row->bits;
    switch (row->type) {
    case TRI_DPAS_F16:
        return tri_float_f16_from_bits((uint16_t)word);
    case TRI_DPAS_BF16:
        return tri_float_bf16_from_bits((uint16_t)word);
    case TRI_DPAS_TF32:
        return tri_float_f32_from_bits((uint32_t)word & 0xffffe000u);
    default:
        return (int8_t)word;
    }
}

/* Sums in double, rounds once: within the freedom that the hardware has. */
static void compute_dpas(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask)
{
    const tri_dpas *row = row_of(primitive);
    double a[TRI_DPAS_ROWS][max_depth], b[max_depth][max_lanes];
    int words = words_of_a(row), width = tri_dpas_width(row, sim->lanes), ops = 32 / row->bits;
    (void)mask;
    for (int l = 0; l < sim->lanes; l++) {
        const uint64_t *operands = warp[l].operands;
        for (int m = 0; m < words; m++)
            for (int e = 0; e < (width ? width : 1); e++)
                a[width ? m : 2 * m + l / row->depth][width ? l * width + e : l % row->depth] =
                    decode_element(row, operands[m], e);
        for (int j = 0; j < TRI_DPAS_STEPS; j++)
            for (int e = 0; e < ops; e++)
                b[j * ops + e][l] = decode_element(row, operands[words + j], e);
    }
    for (int l = 0; l < sim->lanes; l++)
        for (int m = 0; m < TRI_DPAS_ROWS; m++) {
            uint64_t word = warp[l].operands[words + TRI_DPAS_STEPS + m];
            double sum = row->sum == TRI_DPAS_I32 ? (int32_t)word : tri_float_f32_from_bits((uint32_t)word);
            for (int k = 0; k < row->depth; k++)
                sum += a[m][k] * b[k][l];
            warp[l].results[m] =
                row->sum == TRI_DPAS_I32 ? (uint32_t)(int64_t)sum : tri_float_f32_bits((float)sum);
        }
}

static void run_dpas(tri_sim *sim, uint32_t id, const uint64_t *args, uint64_t *results)
{
    int count = words_of_a(row_of(id)) + TRI_DPAS_STEPS + TRI_DPAS_ROWS;
    tri_sim_exchange(sim, id, tri_sim_all_lanes(sim), args, count, results, TRI_DPAS_ROWS, compute_dpas);
}

static const tri_sim_primitive_row rows[] = {
#define X(name, ...) {#name, run_dpas},
#include "ir/dpas.def"
#undef X
#define X(name, ...) {#name, tri_sim_intel_load_block},
#include "ir/block_io.def"
};

const tri_sim_family tri_sim_intel = {.rows = rows, .count = sizeof rows / sizeof *rows};
