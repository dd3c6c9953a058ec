#include "targets/gpu/tiles.h"

#include "ir/type.h"
#include "targets/gpu/access.h"
#include "targets/gpu/dot.h"

/* The K coordinates that thread 0 holds of row 0 of A. */
static void collect_k(tri_gpu_tiles *t)
{
    t->k = TRI_NEW_ARRAY(t->g->arena, int64_t, t->depth);
    for (int64_t k = 0; k < t->depth; k++)
        if (tri_gpu_tiles_find(t, 0, 0, 0, k) >= 0)
            t->k[t->num_k++] = k;
}

bool tri_gpu_tiles_start(tri_gpu_tiles *t, tri_gpu *g, MlirOperation op)
{
    MlirType type[3];
    *t = (tri_gpu_tiles){.g = g, .op = op};
    for (int i = 0; i < 3; i++) {
        type[i] = mlirValueGetType(mlirOperationGetOperand(op, i));
        t->layout[i] = tri_gpu_layout_of(g, op, type[i]);
        if (!t->layout[i])
            return false;
        t->value[i] = tri_gpu_operand(g, op, i);
        t->registers[i] = tri_gpu_index_registers(g, t->layout[i]);
        if (i < 2)
            tri_map_init(&t->words[i], g->arena);
    }
    t->rank = tri_type_rank(type[2]);
    t->rows = tri_type_dim(type[2], t->rank - 2);
    t->cols = tri_type_dim(type[2], t->rank - 1);
    t->depth = tri_type_dim(type[0], t->rank - 1);
    collect_k(t);
    return true;
}

int tri_gpu_tiles_find(const tri_gpu_tiles *t, int operand, int64_t batch, int64_t row, int64_t col)
{
    uint64_t coords[TRI_MAX_RANK] = {0};
    if (t->rank == 3)
        coords[0] = (uint64_t)batch;
    coords[t->rank - 2] = (uint64_t)row;
    coords[t->rank - 1] = (uint64_t)col;
    return tri_gpu_find_register(&t->registers[operand], &t->layout[operand]->linear, t->rank, coords);
}

bool tri_gpu_tiles_cut(tri_gpu_tiles *t, int m, int n, int held, const tri_gpu_place *places)
{
    const tri_linear *l = &t->layout[2]->linear;
    t->held = held;
    t->tiles = TRI_NEW_ARRAY(t->g->arena, tri_gpu_tile, t->value[2].count);
    for (int r = 0; r < t->value[2].count; r++) {
        uint64_t packed = tri_linear_apply_one(l, TRI_DIM_REGISTER, (uint64_t)r);
        tri_gpu_tile tile = {.batch = t->rank == 3 ? tri_linear_coord(l, packed, TRI_DIM_0) : 0};
        tile.row = tri_linear_coord(l, packed, (tri_dim)(TRI_DIM_0 + t->rank - 2));
        tile.col = tri_linear_coord(l, packed, (tri_dim)(TRI_DIM_0 + t->rank - 1));
        if (tile.row % m || tile.col % n)
            continue;
        for (int i = 0; i < held; i++)
            tile.reg[i] = tri_gpu_tiles_find(t, 2, tile.batch, (tile.row + places[i].row) % t->rows,
                                             (tile.col + places[i].col) % t->cols);
        if (tile.reg[0] != r) /* a copy of a tile that is there already */
            continue;
        for (int i = 0; i < held; i++)
            if (tile.reg[i] < 0)
                return false;
        t->tiles[t->count++] = tile;
    }
    return t->count > 0;
}

int tri_gpu_tiles_gather(const tri_gpu_tiles *t, int operand, int64_t batch, int64_t line, const int64_t *k, int count,
                         LLVMValueRef *out)
{
    int first = -1;
    for (int e = 0; e < count; e++) {
        int r = operand == 0 ? tri_gpu_tiles_find(t, 0, batch, line % t->rows, k[e])
                             : tri_gpu_tiles_find(t, 1, batch, k[e], line % t->cols);
        if (r < 0)
            return -1;
        first = e ? first : r;
        out[e] = t->value[operand].at[r];
    }
    return first;
}

void tri_gpu_tiles_load(tri_gpu_tiles *t)
{
    for (int i = 0; i < t->count; i++) {
        LLVMValueRef sums[TRI_GPU_TILE_MAX];
        for (int s = 0; s < t->held; s++)
            sums[s] = t->value[2].at[t->tiles[i].reg[s]];
        t->tiles[i].sums[0] = tri_gpu_join(t->g, sums, t->held, 1);
    }
}

void tri_gpu_tiles_store(const tri_gpu_tiles *t, tri_gpu_value out)
{
    for (int i = 0; i < t->count; i++) {
        LLVMValueRef sums[TRI_GPU_TILE_MAX];
        tri_gpu_split(t->g, t->tiles[i].sums[0], sums);
        for (int s = 0; s < t->held; s++)
            out.at[t->tiles[i].reg[s]] = sums[s];
    }
    tri_gpu_tiles_finish(t, out);
}

void tri_gpu_tiles_finish(const tri_gpu_tiles *t, tri_gpu_value out)
{
    for (int r = 0; r < out.count; r++)
        out.at[r] = out.at[(uint64_t)r & ~t->layout[2]->replicas.reg];
    tri_gpu_set_result(t->g, t->op, 0, out);
}
