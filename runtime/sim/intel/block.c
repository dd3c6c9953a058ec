/* Loads of blocks of two dimensions. Operands, the same in all lanes: where the matrix begins, bytes of a row, rows,
 * bytes from one row to the next, then column and row of the block. What the hardware asks of them is an error, and so
 * is memory behind it that no buffer has. */
#include "ir/block_io.h"
#include "ir/dpas.h"
#include "runtime/sim/intel/family.h"
#include "runtime/sim/primitives.h"

#include <string.h>

enum { BASE, WIDTH, HEIGHT, PITCH, X, Y, OPERANDS };

static const tri_block_message *message_of(uint32_t primitive)
{
    return &tri_block_messages[(int)primitive - TRI_SIM_COUNT - tri_dpas_count];
}

static bool refuse(tri_sim *sim, const char *what, int64_t value)
{
    tri_sim_report(sim, "block of two dimensions", -1, "%s: %lld", what, (long long)value);
    return false;
}

static bool is_size(int64_t value, int64_t least) { return value >= least && value < TRI_BLOCK_END + 64; }

static bool check_matrix(tri_sim *sim, const tri_block_message *m, const uint64_t *args)
{
    int64_t width = (int32_t)args[WIDTH], height = (int32_t)args[HEIGHT], pitch = (int32_t)args[PITCH];
    if (args[BASE] % 64)
        return refuse(sim, "the matrix begins past a multiple of 64 bytes", (int64_t)(args[BASE] % 64));
    if (!is_size(width, TRI_BLOCK_LEAST) || width % TRI_BLOCK_GRAIN || width * 8 % m->bits)
        return refuse(sim, "bytes of a row are not 64 to 2^24, or no multiple of 4", width);
    if (!is_size(pitch, TRI_BLOCK_LEAST) || pitch % TRI_BLOCK_PITCH)
        return refuse(sim, "bytes between rows are not 64 to 2^24, or no multiple of 16", pitch);
    if (!is_size(height, 1))
        return refuse(sim, "rows are not 1 to 2^24", height);
    if (pitch + 48 < width) /* what is left over of the base may be in front of the rows */
        return refuse(sim, "rows are longer than they are apart, in bytes", width);
    if ((int32_t)args[X] * m->bits % 32)
        return refuse(sim, "the block begins at a column that is no multiple of 4 bytes", (int32_t)args[X]);
    return true;
}

static bool is_uniform(tri_sim *sim, const tri_sim_thread *warp)
{
    for (int l = 1; l < sim->lanes; l++)
        if (memcmp(warp[l].operands, warp[0].operands, OPERANDS * sizeof *warp->operands) != 0)
            return refuse(sim, "its operands are not those of lane 0 in lane", l);
    return true;
}

static uint64_t load_element(tri_sim *sim, const tri_block_message *m, const uint64_t *args, int64_t row, int64_t col)
{
    size_t bytes = (size_t)m->bits / 8;
    unsigned char *at = (unsigned char *)(uintptr_t)args[BASE] + row * (int32_t)args[PITCH] + col * (int64_t)bytes;
    uint64_t value = 0;
    if (row < 0 || row >= (int32_t)args[HEIGHT] || col < 0 || (col + 1) * (int64_t)bytes > (int32_t)args[WIDTH])
        return 0;
    if (!tri_sim_check_global(sim, at, bytes, "block load"))
        return 0;
    tri_sim_note_global(sim, at, bytes, 1, NULL, TRI_SIM_LOAD);
    memcpy(&value, at, bytes);
    return value;
}

static void compute_load(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask)
{
    const tri_block_message *m = message_of(primitive);
    const uint64_t *args = warp[0].operands;
    int parts = m->word_bits / m->bits;
    (void)mask;
    bool ok = check_matrix(sim, m, args) && is_uniform(sim, warp);
    for (int l = 0; l < sim->lanes; l++)
        for (int w = 0; w < m->words; w++) {
            warp[l].results[w] = 0;
            for (int e = 0; ok && e < parts; e++) {
                int row, col;
                tri_block_place(m, m->bits, l, w, e, &row, &col);
                warp[l].results[w] |= load_element(sim, m, args, (int32_t)args[Y] + row, (int32_t)args[X] + col)
                                      << e * m->bits;
            }
        }
}

void tri_sim_intel_load_block(tri_sim *sim, uint32_t id, const uint64_t *args, uint64_t *results)
{
    tri_sim_exchange(sim, id, tri_sim_all_lanes(sim), args, OPERANDS, results, message_of(id)->words, compute_load);
}
