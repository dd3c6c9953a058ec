/* MFMA and WMMA: which element each lane holds, as the ISA guides of AMD Instinct (MFMA register layouts) and of RDNA 3
 * and 4 (WMMA) have it. With l the lane and j the element of A or B that it gives, of w:
 *
 *     MFMA          row l % m, K w * (l / m) + j; 32 elements of 8 bits come in two runs of 16. Scales: lane l has
 *                   that of its row for the 32 elements of K from 32 (l / m) on
 *     WMMA 1        row l % 16, K j: lanes 16 to 31 bring the same again
 *     WMMA 2        row l % 16, K 8 * (l / 16) + j
 *
 * and with r the sum: column l % n, row 4 (l / n) + r % 4 + 8 (r / 4); of f64 l / 16 + 4 r; WMMA 1 2 r + l / 16; WMMA 2
 * r + 8 (l / 16). */
#include "ir/amd_matrix.h"
#include "runtime/float.h"
#include "runtime/sim/amdgcn/family.h"
#include "runtime/sim/primitives.h"

enum { max_m = 32, max_k = 128 };

/* A lane brings the version of the machine, words of 64 bits of A and of B, and its sums; with scales also for each a
 * word with four of them, and which it is. */
typedef struct {
    const tri_amd_matrix *row;
    int version, width, words[2], sums; /* words: of A and B */
    bool has_scales;
} instruction;

static instruction instruction_of(uint32_t primitive, uint64_t version)
{
    const tri_amd_matrix *row = &tri_amd_matrices[primitive - TRI_SIM_COUNT];
    instruction in = {.row = row, .version = (int)version};
    in.width = tri_amd_matrix_width(row, in.version);
    in.words[0] = (in.width * tri_amd_type_bits(row->a) + 63) / 64;
    in.words[1] = (in.width * tri_amd_type_bits(row->b) + 63) / 64;
    in.sums = tri_amd_matrix_sums(row);
    in.has_scales = tri_amd_matrix_has_scales(row);
    return in;
}

/* Types of 8 bits without negative zero: their exponent's bias is one more, and the only NaN is 0x80. */
static double decode_fnuz(uint8_t bits, int mantissa)
{
    int exponent = bits >> mantissa & ((1 << (7 - mantissa)) - 1), bias = mantissa == 3 ? 8 : 16;
    int low = bits & ((1 << mantissa) - 1);
    if (bits == 0x80)
        return NAN;
    double magnitude =
        exponent ? ldexp(low | 1 << mantissa, exponent - bias - mantissa) : ldexp(low, 1 - bias - mantissa);
    return bits & 0x80 ? -magnitude : magnitude;
}

/* e2m1: sign, two bits of exponent, one of mantissa. */
static double decode_fp4(uint8_t bits)
{
    static const double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return bits & 8 ? -magnitudes[bits & 7] : magnitudes[bits & 7];
}

static double decode_element(const instruction *in, tri_amd_type type, const uint64_t *words, int j)
{
    int bits = tri_amd_type_bits(type);
    uint64_t value = words[j * bits / 64] >> (j * bits % 64);
    bool is_fnuz = in->row->kind == TRI_MMA_MFMA && in->version == 3;
    switch (type) {
    case TRI_AMD_F16:
        return tri_float_f16_from_bits((uint16_t)value);
    case TRI_AMD_BF16:
        return tri_float_bf16_from_bits((uint16_t)value);
    case TRI_AMD_F32:
        return tri_float_f32_from_bits((uint32_t)value);
    case TRI_AMD_XF32:
        return tri_float_f32_from_bits((uint32_t)value & 0xffffe000u);
    case TRI_AMD_F64:
        return tri_float_f64_from_bits(value);
    case TRI_AMD_I8:
        return (int8_t)value;
    case TRI_AMD_FP8:
        return is_fnuz ? decode_fnuz((uint8_t)value, 3) : tri_float_fp8_from_bits((uint8_t)value, 0);
    case TRI_AMD_BF8:
        return is_fnuz ? decode_fnuz((uint8_t)value, 2) : tri_float_fp8_from_bits((uint8_t)value, 1);
    case TRI_AMD_FP4:
        return decode_fp4((uint8_t)value);
    case TRI_AMD_I32:
    case TRI_AMD_NO_TYPE:
        break;
    }
    TRI_BUG("no operand of a matrix instruction");
}

static int place_in_k(const instruction *in, tri_amd_type type, int lane, int j)
{
    int part = lane / in->row->m;
    if (in->row->kind == TRI_MMA_WMMA)
        return in->version == 1 ? j : 8 * part + j;
    if (in->width == 32 && tri_amd_type_bits(type) == 8)
        return 16 * part + j % 16 + 16 * (64 / in->row->m) * (j / 16);
    return in->width * part + j;
}

static int row_of_sum(const instruction *in, int lane, int r)
{
    int part = lane / in->row->n;
    if (in->row->kind == TRI_MMA_WMMA)
        return in->version == 1 ? 2 * r + part : r + 8 * part;
    return in->row->sum == TRI_AMD_F64 ? part + 4 * r : 4 * part + r % 4 + 8 * (r / 4);
}

static double read_sum(const instruction *in, uint64_t word)
{
    switch (in->row->sum) {
    case TRI_AMD_F64:
        return tri_float_f64_from_bits(word);
    case TRI_AMD_I32:
        return (int32_t)word;
    default:
        return tri_float_f32_from_bits((uint32_t)word);
    }
}

static uint64_t write_sum(const instruction *in, double value)
{
    switch (in->row->sum) {
    case TRI_AMD_F64:
        return tri_float_f64_bits(value);
    case TRI_AMD_I32:
        return (uint32_t)(int64_t)value; /* wraps */
    default:
        return tri_float_f32_bits((float)value);
    }
}

/* Powers of two with 8 bits of exponent; 255 is no number. */
static double scale_of(uint64_t word, uint64_t byte)
{
    uint8_t exponent = (uint8_t)(word >> 8 * byte);
    return exponent == 255 ? NAN : ldexp(1, exponent - 127);
}

/* Multiplies what the lanes brought by what they brought for its group of K. */
static void apply_scales(const instruction *in, const tri_sim_thread *warp, int operand, double (*out)[max_k])
{
    enum { group = 32, lanes = 64 };
    const int first = 1 + in->words[0] + in->words[1] + in->sums;
    for (int lane = 0; in->has_scales && lane < lanes; lane++) {
        const uint64_t *own = warp[lane].operands + first;
        double scale = scale_of(own[2 * operand], own[2 * operand + 1]);
        for (int k = 0; k < group; k++)
            out[lane % in->row->m][group * (lane / in->row->m) + k] *= scale;
    }
}

static void decode_operand(const instruction *in, const tri_sim *sim, const tri_sim_thread *warp, int operand,
                         double (*out)[max_k])
{
    tri_amd_type type = operand ? in->row->b : in->row->a;
    for (int lane = 0; lane < sim->lanes; lane++)
        for (int j = 0; j < in->width; j++)
            out[lane % in->row->m][place_in_k(in, type, lane, j)] =
                decode_element(in, type, warp[lane].operands + 1 + (operand ? in->words[0] : 0), j);
    apply_scales(in, warp, operand, out);
}

/* Sums in double, rounds once: within the freedom that the hardware has. */
static void compute_matrix(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask)
{
    instruction in = instruction_of(primitive, warp[0].operands[0]);
    double a[max_m][max_k], b[max_m][max_k];
    (void)mask;
    decode_operand(&in, sim, warp, 0, a);
    decode_operand(&in, sim, warp, 1, b);
    for (int lane = 0; lane < sim->lanes; lane++)
        for (int r = 0; r < in.sums; r++) {
            const double *x = a[row_of_sum(&in, lane, r)], *y = b[lane % in.row->n];
            double sum = read_sum(&in, warp[lane].operands[1 + in.words[0] + in.words[1] + r]);
            for (int k = 0; k < in.row->k; k++)
                sum += x[k] * y[k];
            warp[lane].results[r] = write_sum(&in, sum);
        }
}

static void run_matrix(tri_sim *sim, uint32_t id, const uint64_t *args, uint64_t *results)
{
    instruction in = instruction_of(id, args[0]);
    int n = 1 + in.words[0] + in.words[1] + in.sums + (in.has_scales ? 4 : 0);
    tri_sim_exchange(sim, id, tri_sim_all_lanes(sim), args, n, results, in.sums, compute_matrix);
}

static const tri_sim_primitive_row rows[] = {
#define OWN(name, ...) {#name, run_matrix},
#include "targets/amdgcn/primitives.def"
};

const tri_sim_family tri_sim_amdgcn = {.rows = rows, .count = sizeof rows / sizeof *rows};
