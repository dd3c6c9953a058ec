/* mma.sync: fragments as in the PTX ISA ("Matrix Fragments for mma"). With g = lane / 4 and
 * t = lane % 4, register r of A holds row g + 8 (r % 2), register r of B column g; the place along K
 * depends on how many elements a register packs. */
#include "runtime/sim/nvptx/decode.h"
#include "runtime/sim/nvptx/primitives.h"

typedef enum { ACC_F32, ACC_F16, ACC_F64, ACC_I32, ACC_I32_SATURATED } accumulator;

typedef struct {
    uint32_t primitive;
    int m, k, pack; /* pack: elements of A and B in a register */
    decode a, b;
    accumulator acc;
} instruction;

static const instruction instructions[] = {
    {TRI_SIM_NVPTX_mma_m16n8k16_f16_f32, 16, 16, 2, decode_f16, decode_f16, ACC_F32},
    {TRI_SIM_NVPTX_mma_m16n8k16_f16_f16, 16, 16, 2, decode_f16, decode_f16, ACC_F16},
    {TRI_SIM_NVPTX_mma_m16n8k16_bf16_f32, 16, 16, 2, decode_bf16, decode_bf16, ACC_F32},
    {TRI_SIM_NVPTX_mma_m16n8k8_tf32_f32, 16, 8, 1, decode_tf32, decode_tf32, ACC_F32},
    {TRI_SIM_NVPTX_mma_m8n8k4_f64, 8, 4, 1, decode_f64, decode_f64, ACC_F64},
    {TRI_SIM_NVPTX_mma_m16n8k32_s8, 16, 32, 4, decode_s8, decode_s8, ACC_I32},
    {TRI_SIM_NVPTX_mma_m16n8k32_s8_satfinite, 16, 32, 4, decode_s8, decode_s8, ACC_I32_SATURATED},
    {TRI_SIM_NVPTX_mma_m16n8k32_e4m3_e4m3, 16, 32, 4, decode_e4m3, decode_e4m3, ACC_F32},
    {TRI_SIM_NVPTX_mma_m16n8k32_e4m3_e5m2, 16, 32, 4, decode_e4m3, decode_e5m2, ACC_F32},
    {TRI_SIM_NVPTX_mma_m16n8k32_e5m2_e4m3, 16, 32, 4, decode_e5m2, decode_e4m3, ACC_F32},
    {TRI_SIM_NVPTX_mma_m16n8k32_e5m2_e5m2, 16, 32, 4, decode_e5m2, decode_e5m2, ACC_F32},
};

static const instruction *find(uint32_t primitive)
{
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        if (instructions[i].primitive == primitive)
            return &instructions[i];
    TRI_BUG("primitive %u is no matrix instruction", primitive);
}

static int a_registers(const instruction *in) { return in->m / 8 * in->k / 4 / in->pack; }
static int b_registers(const instruction *in) { return in->k / 4 / in->pack; }
static int c_registers(const instruction *in) { return in->acc == ACC_F16 ? 2 : in->m / 8 * 2; }

/* Along K, a register of thread t covers pack elements from pack * t; the next group starts 4 * pack on. */
static void gather_operands(const instruction *in, const tri_sim_thread *warp, double a[16][32], double b[32][8])
{
    int rows = in->m / 8;
    for (int lane = 0; lane < warp_size; lane++) {
        int g = lane / 4, t = lane % 4;
        for (int r = 0; r < a_registers(in); r++)
            for (int p = 0; p < in->pack; p++)
                a[g + 8 * (r % rows)][4 * in->pack * (r / rows) + in->pack * t + p] = in->a(warp[lane].operands[r], p);
        for (int r = 0; r < b_registers(in); r++)
            for (int p = 0; p < in->pack; p++)
                b[4 * in->pack * r + in->pack * t + p][g] = in->b(warp[lane].operands[a_registers(in) + r], p);
    }
}

static double read_c(const instruction *in, const uint64_t *c, int i)
{
    switch (in->acc) {
    case ACC_F32: return tri_float_f32_from_bits(c[i]);
    case ACC_F64: return tri_float_f64_from_bits(c[i]);
    case ACC_I32:
    case ACC_I32_SATURATED: return (int32_t)c[i];
    case ACC_F16: return tri_float_f16_from_bits((uint16_t)(c[i / 2] >> (16 * (i % 2))));
    }
    return 0;
}

static void write_d(const instruction *in, uint64_t *d, int i, double value)
{
    switch (in->acc) {
    case ACC_F32: d[i] = tri_float_f32_bits((float)value); break;
    case ACC_F64: d[i] = tri_float_f64_bits(value); break;
    case ACC_I32: d[i] = (uint32_t)(int64_t)value; break; /* wraps */
    case ACC_I32_SATURATED:
        d[i] = (uint32_t)(int32_t)(value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value);
        break;
    case ACC_F16: d[i / 2] |= (uint64_t)tri_float_f16_bits(value) << (16 * (i % 2)); break;
    }
}

/* Sums in double, rounds once: within the freedom that the ISA leaves to the hardware. */
static void compute_mma(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask)
{
    const instruction *in = find(primitive);
    double a[16][32], b[32][8];
    (void)sim;
    (void)mask;
    gather_operands(in, warp, a, b);
    int first_c = a_registers(in) + b_registers(in), count = in->m / 8 * 2;
    double sums[16][8];
    for (int lane = 0; lane < warp_size; lane++)
        for (int i = 0; i < count; i++)
            sums[lane / 4 + 8 * (i / 2)][lane % 4 * 2 + i % 2] = read_c(in, warp[lane].operands + first_c, i);
    for (int row = 0; row < in->m; row++)
        for (int k = 0; k < in->k; k++)
            for (int column = 0; column < 8; column++)
                sums[row][column] += a[row][k] * b[k][column];
    for (int lane = 0; lane < warp_size; lane++)
        for (int i = 0; i < count; i++)
            write_d(in, warp[lane].results, i, sums[lane / 4 + 8 * (i / 2)][lane % 4 * 2 + i % 2]);
}

static void mma(tri_sim *sim, uint32_t id, const uint64_t *args, uint64_t *results)
{
    const instruction *in = find(id);
    int operands = a_registers(in) + b_registers(in) + c_registers(in);
    tri_sim_exchange(sim, id, UINT32_MAX, args, operands, results, c_registers(in), compute_mma);
}

#define MMA(name) \
    TRI_SIM_FUNCTION(name) \
    { \
        mma(sim, id, args, results); \
    }
MMA(mma_m16n8k16_f16_f32)
MMA(mma_m16n8k16_f16_f16)
MMA(mma_m16n8k16_bf16_f32)
MMA(mma_m16n8k8_tf32_f32)
MMA(mma_m8n8k4_f64)
MMA(mma_m16n8k32_s8)
MMA(mma_m16n8k32_s8_satfinite)
MMA(mma_m16n8k32_e4m3_e4m3)
MMA(mma_m16n8k32_e4m3_e5m2)
MMA(mma_m16n8k32_e5m2_e4m3)
MMA(mma_m16n8k32_e5m2_e5m2)
