/* Products of warp groups: operands in shared memory are found as the PTX ISA describes ("Asynchronous warpgroup
 * level matrix instructions": descriptors, shared memory layouts), independently of how the lowering made them.
 * Each warp computes its own 16 rows. A product is done when it is started, but what it reads counts as being read
 * until the wait for its group, so that a write in between is reported, and the code gets markers for its sums: the
 * next product on them and the wait for its group know what they stand for, anyone else takes them for numbers that
 * are none. */
#include "runtime/sim/nvptx/decode.h"
#include "runtime/sim/nvptx/state.h"

enum { rows_of_warp = 16, max_k = 32, max_n = 256 };

typedef struct {
    uint32_t primitive;
    int bits; /* of an element of A and B */
    decode a, b;
    enum { ACC_F32, ACC_F16, ACC_I32 } acc;
} instruction;

static const instruction instructions[] = {
    {TRI_SIM_NVPTX_wgmma_f16_f32, 16, decode_f16, decode_f16, ACC_F32},
    {TRI_SIM_NVPTX_wgmma_f16_f16, 16, decode_f16, decode_f16, ACC_F16},
    {TRI_SIM_NVPTX_wgmma_bf16_f32, 16, decode_bf16, decode_bf16, ACC_F32},
    {TRI_SIM_NVPTX_wgmma_tf32_f32, 32, decode_tf32, decode_tf32, ACC_F32},
    {TRI_SIM_NVPTX_wgmma_s8, 8, decode_s8, decode_s8, ACC_I32},
    {TRI_SIM_NVPTX_wgmma_e4m3_e4m3, 8, decode_e4m3, decode_e4m3, ACC_F32},
    {TRI_SIM_NVPTX_wgmma_e4m3_e5m2, 8, decode_e4m3, decode_e5m2, ACC_F32},
    {TRI_SIM_NVPTX_wgmma_e5m2_e4m3, 8, decode_e5m2, decode_e4m3, ACC_F32},
    {TRI_SIM_NVPTX_wgmma_e5m2_e5m2, 8, decode_e5m2, decode_e5m2, ACC_F32},
};

static const instruction *find(uint32_t primitive)
{
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        if (instructions[i].primitive == primitive)
            return &instructions[i];
    TRI_BUG("primitive %u is no product of a warp group", primitive);
}

/* --- operands ---------------------------------------------------------------------------- */

typedef struct {
    uint64_t start, leading, stride; /* bytes */
    uint64_t width;                  /* of the swizzle, bytes */
    bool is_mn_major;
    uint64_t low, high;              /* offsets that were read */
} matrix;

static bool open_matrix(tri_sim *sim, uint64_t descriptor, bool is_mn_major, matrix *out)
{
    static const uint64_t widths[] = {0, 128, 64, 32};
    *out = (matrix){(descriptor & 0x3fff) << 4, (descriptor >> 16 & 0x3fff) << 4, (descriptor >> 32 & 0x3fff) << 4,
                    widths[descriptor >> 62], is_mn_major, UINT64_MAX, 0};
    if (out->width)
        return true;
    tri_sim_report(sim, "wrong matrix descriptor", -1, "no swizzle");
    return false;
}

/* The bits of element (mn, k). Addresses in descriptors are the low 18 bits of the host's. */
static uint64_t element(tri_sim *sim, matrix *m, int bits, uint64_t mn, uint64_t k)
{
    uint64_t size = (uint64_t)bits / 8, per_row = m->width / size, address = m->start, value = 0;
    if (m->is_mn_major)
        address += mn / per_row * m->leading + k / 8 * m->stride + k % 8 * m->width + mn % per_row * size;
    else
        address += mn / 8 * m->stride + mn % 8 * m->width + k * size;
    address ^= (address >> 7 & (m->width / 16 - 1)) << 4;
    uint64_t offset = (address - (uint64_t)(uintptr_t)sim->shared) & 0x3ffff;
    if (offset + size > sim->shared_bytes) {
        tri_sim_report(sim, "shared access out of bounds", -1, "matrix element (%d, %d) at offset %ld of %zu", (int)mn,
                       (int)k, (long)offset, sim->shared_bytes);
        return 0;
    }
    tri_sim_check_fence(sim, offset, "a product");
    tri_sim_shared_read(sim, sim->shared + offset, size, &value);
    m->low = offset < m->low ? offset : m->low;
    m->high = offset + size > m->high ? offset + size : m->high;
    return value;
}

static void remember(tri_sim *sim, tri_sim_thread *warp, const matrix *m)
{
    if (m->high <= m->low)
        return;
    tri_sim_reading read = {warp->site, -1, (uint32_t)m->low, (uint32_t)m->high};
    tri_vec_push(sim->arena, &tri_sim_nvptx_thread_of(warp)->readings, read);
    tri_sim_nvptx_program_of(sim)->num_readings++;
}

/* --- the product ------------------------------------------------------------------------- */

/* args: columns, flags (1: A in registers; 2, 4: A, B have K as the slower dimension), whether to accumulate,
 * B's descriptor, A's descriptor or four words, accumulators */
enum { arg_n, arg_flags, arg_scale, arg_b, arg_a, arg_acc = 8 };

static const uint64_t *args_of(const tri_sim_thread *t) { return (const uint64_t *)(uintptr_t)t->operands[0]; }
static uint64_t *results_of(const tri_sim_thread *t) { return (uint64_t *)(uintptr_t)t->operands[1]; }

static bool lanes_agree(tri_sim *sim, const tri_sim_thread *warp)
{
    const uint64_t *first = args_of(warp);
    for (int lane = 1; lane < warp_size; lane++) {
        const uint64_t *own = args_of(&warp[lane]);
        bool same = own[arg_b] == first[arg_b] && (own[arg_scale] & 1) == (first[arg_scale] & 1) &&
                    ((first[arg_flags] & 1) || own[arg_a] == first[arg_a]);
        if (same)
            continue;
        tri_sim_report(sim, "wrong matrix descriptor", -1, "lane %d brings another one than lane 0", lane);
        return false;
    }
    return true;
}

static bool gather_a(tri_sim *sim, const instruction *in, tri_sim_thread *warp, int k_size,
                     double a[rows_of_warp][max_k])
{
    const uint64_t *first = args_of(warp);
    int pack = 32 / in->bits;
    if (first[arg_flags] & 1) {
        for (int lane = 0; lane < warp_size; lane++)
            for (int r = 0; r < 4; r++)
                for (int j = 0; j < pack; j++)
                    a[lane / 4 + 8 * (r & 1)][pack * (lane % 4) + j + 4 * pack * (r >> 1)] =
                        in->a(args_of(&warp[lane])[arg_a + r], j);
        return true;
    }
    matrix m;
    if (!open_matrix(sim, first[arg_a], first[arg_flags] & 2, &m))
        return false;
    uint64_t row = (uint64_t)(warp->index / warp_size % 4) * rows_of_warp;
    for (int i = 0; i < rows_of_warp; i++)
        for (int k = 0; k < k_size; k++)
            a[i][k] = in->a(element(sim, &m, in->bits, row + (uint64_t)i, (uint64_t)k), 0);
    remember(sim, warp, &m);
    return true;
}

static double read_acc(const instruction *in, const uint64_t *acc, int i)
{
    switch (in->acc) {
    case ACC_F32: return tri_float_f32_from_bits(acc[i]);
    case ACC_I32: return (int32_t)acc[i];
    case ACC_F16: return tri_float_f16_from_bits((uint16_t)(acc[i / 2] >> (16 * (i % 2))));
    }
    return 0;
}

static void write_acc(const instruction *in, uint64_t *acc, int i, double value)
{
    switch (in->acc) {
    case ACC_F32: acc[i] = tri_float_f32_bits((float)value); break;
    case ACC_I32: acc[i] = (uint32_t)(int64_t)value; break; /* wraps */
    case ACC_F16:
        acc[i / 2] = (i % 2 ? acc[i / 2] & 0xffff : 0) | (uint64_t)tri_float_f16_bits(value) << (16 * (i % 2));
        break;
    }
}

/* The column of B for each result, read once. */
static void compute(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask)
{
    const instruction *in = find(primitive);
    const uint64_t *first = args_of(warp);
    int n = (int)first[arg_n], k_size = 256 / in->bits;
    double a[rows_of_warp][max_k], column[max_k];
    matrix m;
    (void)mask;
    if (!lanes_agree(sim, warp) || !open_matrix(sim, first[arg_b], first[arg_flags] & 4, &m) ||
        !gather_a(sim, in, warp, k_size, a))
        return;
    for (int col = 0; col < n; col++) {
        for (int k = 0; k < k_size; k++)
            column[k] = in->b(element(sim, &m, in->bits, (uint64_t)col, (uint64_t)k), 0);
        for (int row = 0; row < rows_of_warp; row++) {
            int lane = row % 8 * 4 + col % 8 / 2, i = col / 8 * 4 + row / 8 * 2 + col % 2;
            double sum = first[arg_scale] & 1 ? read_acc(in, args_of(&warp[lane]) + arg_acc, i) : 0;
            for (int k = 0; k < k_size; k++)
                sum += a[row][k] * column[k];
            write_acc(in, results_of(&warp[lane]), i, sum);
        }
    }
    remember(sim, warp, &m);
}

/* --- sums under way ---------------------------------------------------------------------- */

/* Word i of the sums of a product, until they are there; as f32 no number. From the top: 10 bits of the marker, 7 of
 * the generation, 8 of the record, 7 of i. */
enum { marker = 0x1ff, max_flights = 256 };

static uint64_t marker_of(uint32_t record, uint32_t generation, int i)
{
    return (uint64_t)marker << 22 | (uint64_t)(generation & 127) << 15 | record << 7 | (uint32_t)i;
}

/* The product that a word is a marker of. */
static tri_sim_flight *flight_of(tri_sim_thread *t, uint64_t word, int *out_index)
{
    uint32_t record = word >> 7 & 255;
    *out_index = (int)(word & 127);
    if (word >> 22 != marker || record >= tri_sim_nvptx_thread_of(t)->flights.len)
        return NULL;
    tri_sim_flight *f = &tri_sim_nvptx_thread_of(t)->flights.at[record];
    return f->is_used && (f->generation & 127) == (word >> 15 & 127) && *out_index < f->count ? f : NULL;
}

/* A free record, or one whose sums nobody has asked for since they were ready. */
static uint32_t new_flight(tri_sim *sim, tri_sim_thread *t)
{
    uint32_t found = max_flights;
    for (uint32_t i = 0; i < tri_sim_nvptx_thread_of(t)->flights.len; i++) {
        tri_sim_flight *f = &tri_sim_nvptx_thread_of(t)->flights.at[i];
        f->is_used = f->is_used && !f->is_handed_over;
        if (!f->is_used && found == max_flights)
            found = i;
    }
    for (uint32_t i = 0;
         found == max_flights && tri_sim_nvptx_thread_of(t)->flights.len == max_flights && i < max_flights; i++)
        if (tri_sim_nvptx_thread_of(t)->flights.at[i].is_finished)
            found = i;
    if (found < max_flights)
        return found;
    TRI_ASSERT(tri_sim_nvptx_thread_of(t)->flights.len < max_flights); /* no machine has registers for so many */
    tri_sim_flight empty = {.sums = TRI_NEW_ARRAY(sim->arena, uint64_t, max_n / 2)};
    tri_vec_push(sim->arena, &tri_sim_nvptx_thread_of(t)->flights, empty);
    return (uint32_t)tri_sim_nvptx_thread_of(t)->flights.len - 1;
}

/* The sums that a product goes on with, in place of markers: products on the same sums are in order. */
static void take_sums(tri_sim_thread *t, uint64_t *acc, int count)
{
    tri_sim_flight *taken = NULL;
    for (int i = 0, index; i < count; i++) {
        tri_sim_flight *f = flight_of(t, acc[i], &index);
        if (f) {
            acc[i] = f->sums[index];
            taken = f;
        }
    }
    if (taken)
        taken->is_used = false;
}

/* The machine's accumulators are registers of its own until the wait: markers stand for them. */
static void give_markers(tri_sim *sim, tri_sim_thread *t, const uint64_t *sums, int count, uint64_t *results)
{
    uint32_t record = new_flight(sim, t);
    tri_sim_flight *f = &tri_sim_nvptx_thread_of(t)->flights.at[record];
    *f = (tri_sim_flight){t->site, f->generation + 1, -1, count, true, false, false, f->sums};
    memcpy(f->sums, sums, sizeof *sums * (size_t)count);
    for (int i = 0; i < count; i++)
        results[i] = marker_of(record, f->generation, i);
}

/* args: groups that may be pending, how many registers are tied to the wait, these registers. */
static void hand_over(tri_sim_thread *t, const uint64_t *args, uint64_t *results)
{
    for (size_t i = 0; i < tri_sim_nvptx_thread_of(t)->flights.len; i++) {
        tri_sim_flight *f = &tri_sim_nvptx_thread_of(t)->flights.at[i];
        if (f->is_used && f->group >= 0 && f->group < tri_sim_nvptx_thread_of(t)->flight_groups - (int)args[0])
            f->is_finished = true;
    }
    for (uint64_t i = 0; i < args[1]; i++) {
        int index;
        tri_sim_flight *f = flight_of(t, args[2 + i], &index);
        bool is_ready = f && f->is_finished;
        results[i] = is_ready ? f->sums[index] : args[2 + i];
        if (is_ready)
            f->is_handed_over = true;
    }
}

void tri_sim_nvptx_check_flights(tri_sim *sim)
{
    tri_sim_thread *t = sim->current;
    for (size_t i = 0; i < tri_sim_nvptx_thread_of(t)->flights.len; i++) {
        const tri_sim_flight *f = &tri_sim_nvptx_thread_of(t)->flights.at[i];
        if (!f->is_used || f->is_finished)
            continue;
        t->site = f->site;
        tri_sim_report(sim, "product under way at the end", -1,
                       f->group < 0 ? "it belongs to no group" : "nothing waited for its group");
    }
}

static void product(tri_sim *sim, uint32_t id, const uint64_t *args, uint64_t *results)
{
    tri_sim_thread *t = sim->current;
    int count = (int)args[arg_n] / (find(id)->acc == ACC_F16 ? 4 : 2);
    uint64_t own[arg_acc + max_n / 2], sums[max_n / 2] = {0};
    TRI_ASSERT(count <= max_n / 2);
    if (!tri_sim_nvptx_thread_of(t)->is_fenced)
        tri_sim_report(sim, "missing fence", -1,
                       "a product with no wgmma_fence since the last group: registers may not be there yet");
    memcpy(own, args, sizeof *own * (size_t)(arg_acc + count));
    if (own[arg_scale] & 1)
        take_sums(t, own + arg_acc, count);
    uint64_t places[2] = {(uint64_t)(uintptr_t)own, (uint64_t)(uintptr_t)sums};
    tri_sim_exchange(sim, id, UINT32_MAX, places, 2, NULL, 0, compute);
    give_markers(sim, t, sums, count, results);
}

#define PRODUCT(name) \
    TRI_SIM_FUNCTION(name) \
    { \
        product(sim, id, args, results); \
    }
PRODUCT(wgmma_f16_f32)
PRODUCT(wgmma_f16_f16)
PRODUCT(wgmma_bf16_f32)
PRODUCT(wgmma_tf32_f32)
PRODUCT(wgmma_s8)
PRODUCT(wgmma_e4m3_e4m3)
PRODUCT(wgmma_e4m3_e5m2)
PRODUCT(wgmma_e5m2_e4m3)
PRODUCT(wgmma_e5m2_e5m2)

/* --- groups ------------------------------------------------------------------------------ */

TRI_SIM_FUNCTION(wgmma_fence)
{
    (void)id, (void)args, (void)results;
    tri_sim_nvptx_thread_of(sim->current)->is_fenced = true;
}

static tri_sim_thread *warp_of(tri_sim *sim) { return &sim->threads[sim->current->index / warp_size * warp_size]; }

/* The first lane keeps the warp's list of what is read; each has its own sums. */
TRI_SIM_FUNCTION(wgmma_commit)
{
    (void)id, (void)args, (void)results;
    tri_sim_thread *warp = warp_of(sim), *t = sim->current;
    for (size_t i = 0; i < tri_sim_nvptx_thread_of(t)->flights.len; i++)
        if (tri_sim_nvptx_thread_of(t)->flights.at[i].is_used && tri_sim_nvptx_thread_of(t)->flights.at[i].group < 0)
            tri_sim_nvptx_thread_of(t)->flights.at[i].group = tri_sim_nvptx_thread_of(t)->flight_groups;
    tri_sim_nvptx_thread_of(t)->flight_groups++;
    tri_sim_nvptx_thread_of(t)->is_fenced = false;
    if (sim->current != warp)
        return;
    for (size_t i = 0; i < tri_sim_nvptx_thread_of(warp)->readings.len; i++)
        if (tri_sim_nvptx_thread_of(warp)->readings.at[i].group < 0)
            tri_sim_nvptx_thread_of(warp)->readings.at[i].group = tri_sim_nvptx_thread_of(warp)->reading_groups;
    tri_sim_nvptx_thread_of(warp)->reading_groups++;
}

TRI_SIM_FUNCTION(wgmma_wait)
{
    (void)id;
    tri_sim_thread *warp = warp_of(sim);
    size_t kept = 0;
    hand_over(sim->current, args, results);
    tri_sim_nvptx_thread_of(sim->current)->is_fenced = false;
    if (sim->current != warp)
        return;
    for (size_t i = 0; i < tri_sim_nvptx_thread_of(warp)->readings.len; i++)
        if (tri_sim_nvptx_thread_of(warp)->readings.at[i].group < 0 ||
            tri_sim_nvptx_thread_of(warp)->readings.at[i].group >=
                tri_sim_nvptx_thread_of(warp)->reading_groups - (int)args[0])
            tri_sim_nvptx_thread_of(warp)->readings.at[kept++] = tri_sim_nvptx_thread_of(warp)->readings.at[i];
    tri_sim_nvptx_program_of(sim)->num_readings -= tri_sim_nvptx_thread_of(warp)->readings.len - kept;
    tri_sim_nvptx_thread_of(warp)->readings.len = kept;
}

void tri_sim_nvptx_check_readings(tri_sim *sim, size_t begin, size_t end)
{
    for (int w = 0; tri_sim_nvptx_program_of(sim)->num_readings && w < sim->num_threads; w += warp_size) {
        const tri_sim_thread *warp = &sim->threads[w];
        for (size_t i = 0; i < tri_sim_nvptx_thread_of(warp)->readings.len; i++)
            if (tri_sim_nvptx_thread_of(warp)->readings.at[i].begin < end &&
                begin < tri_sim_nvptx_thread_of(warp)->readings.at[i].end)
                tri_sim_report(
                    sim, "shared memory with a product under way", tri_sim_nvptx_thread_of(warp)->readings.at[i].site,
                    "write at offset %zu before the product of warp %d was waited for", begin, w / warp_size);
    }
}
