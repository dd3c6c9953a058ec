/* ldmatrix and stmatrix (PTX ISA): 8x8 matrices of 16-bit elements. Lane 8m + r brings the
 * address of row r of matrix m; register m of a lane holds two elements. */
#include "runtime/sim/nvptx/primitives.h"

typedef struct {
    int matrices;
    bool is_transposed;
} matrix_shape;

static matrix_shape shape_of(uint32_t primitive)
{
    switch (primitive) {
    case TRI_SIM_NVPTX_ldmatrix_x1:
    case TRI_SIM_NVPTX_stmatrix_x1: return (matrix_shape){1, false};
    case TRI_SIM_NVPTX_ldmatrix_x2:
    case TRI_SIM_NVPTX_stmatrix_x2: return (matrix_shape){2, false};
    case TRI_SIM_NVPTX_ldmatrix_x4:
    case TRI_SIM_NVPTX_stmatrix_x4: return (matrix_shape){4, false};
    case TRI_SIM_NVPTX_ldmatrix_trans_x1:
    case TRI_SIM_NVPTX_stmatrix_trans_x1: return (matrix_shape){1, true};
    case TRI_SIM_NVPTX_ldmatrix_trans_x2:
    case TRI_SIM_NVPTX_stmatrix_trans_x2: return (matrix_shape){2, true};
    default: return (matrix_shape){4, true};
    }
}

/* Row and column, in the stored matrix, of the element that `lane` holds in half `half`. */
static void element_of(bool is_transposed, int lane, int half, int *out_row, int *out_column)
{
    int major = lane / 4, minor = lane % 4 * 2 + half;
    *out_row = is_transposed ? minor : major;
    *out_column = is_transposed ? major : minor;
}

static void compute_ldmatrix(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask)
{
    matrix_shape shape = shape_of(primitive);
    tri_sim_thread *last = sim->current;
    (void)mask;
    for (int m = 0; m < shape.matrices; m++) {
        uint16_t rows[8][8];
        for (int r = 0; r < 8; r++) {
            sim->current = &warp[8 * m + r]; /* the row is read on behalf of the lane that names it */
            tri_sim_shared_read(sim, (void *)(uintptr_t)warp[8 * m + r].operands[0], 16, rows[r]);
        }
        sim->current = last;
        for (int lane = 0; lane < warp_size; lane++) {
            uint32_t word = 0;
            for (int half = 0; half < 2; half++) {
                int row, column;
                element_of(shape.is_transposed, lane, half, &row, &column);
                word |= (uint32_t)rows[row][column] << (16 * half);
            }
            warp[lane].results[m] = word;
        }
    }
}

static void compute_stmatrix(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask)
{
    matrix_shape shape = shape_of(primitive);
    tri_sim_thread *last = sim->current;
    (void)mask;
    for (int m = 0; m < shape.matrices; m++) {
        uint16_t rows[8][8];
        for (int lane = 0; lane < warp_size; lane++)
            for (int half = 0; half < 2; half++) {
                int row, column;
                element_of(shape.is_transposed, lane, half, &row, &column);
                rows[row][column] = (uint16_t)(warp[lane].operands[1 + m] >> (16 * half));
            }
        for (int r = 0; r < 8; r++) {
            sim->current = &warp[8 * m + r];
            tri_sim_shared_write(sim, (void *)(uintptr_t)warp[8 * m + r].operands[0], 16, rows[r]);
        }
    }
    sim->current = last;
}

#define LDMATRIX(name, count) \
    TRI_SIM_FUNCTION(name) \
    { \
        tri_sim_exchange(sim, id, UINT32_MAX, args, 1, results, count, compute_ldmatrix); \
    }
LDMATRIX(ldmatrix_x1, 1)
LDMATRIX(ldmatrix_x2, 2)
LDMATRIX(ldmatrix_x4, 4)
LDMATRIX(ldmatrix_trans_x1, 1)
LDMATRIX(ldmatrix_trans_x2, 2)
LDMATRIX(ldmatrix_trans_x4, 4)

#define STMATRIX(name, count) \
    TRI_SIM_FUNCTION(name) \
    { \
        tri_sim_exchange(sim, id, UINT32_MAX, args, 1 + count, results, 0, compute_stmatrix); \
    }
STMATRIX(stmatrix_x1, 1)
STMATRIX(stmatrix_x2, 2)
STMATRIX(stmatrix_x4, 4)
STMATRIX(stmatrix_trans_x1, 1)
STMATRIX(stmatrix_trans_x2, 2)
STMATRIX(stmatrix_trans_x4, 4)
