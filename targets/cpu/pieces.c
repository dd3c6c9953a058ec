/* Long functions in pieces. A kernel of many statements becomes thousands of loops in a row, and LLVM's passes take
 * time in the square of them; between two statements nothing but memory and a few numbers is alive. */
#include "targets/cpu/cpu.h"

#include "ir/llvm.h"
#include "ir/options.h"

/* (A loop holds up to a thousand operations.) */
enum { least_blocks = 600, blocks_of_piece = 200, least_ops = 12000, ops_of_piece = 4000 };

static bool is_whole(const tri_cpu_gen *g, const tri_cpu_piece *piece)
{
    return g->block_count - piece->first >= blocks_of_piece || g->op_count - piece->first_op >= ops_of_piece;
}

/* A debugger steps through whole functions, and bounds are checked where pointers are seen to come from arguments. */
static bool may_split(const tri_cpu_gen *g)
{
    return !g->nest && !g->map && !g->steps && !(g->unit->options->sanitize & TRI_SANITIZE_BOUNDS) &&
           g->unit->options->opt_level > 0;
}

void tri_cpu_pieces_step(tri_cpu_gen *g, tri_cpu_piece *io_piece)
{
    if (!may_split(g) || LLVMGetBasicBlockTerminator(g->at) || !is_whole(g, io_piece))
        return;
    LLVMBasicBlockRef next = tri_cpu_new_block(g, "piece");
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, next);
    if (io_piece->start) {
        tri_vec_push(g->arena, &g->piece_starts, io_piece->start);
        tri_vec_push(g->arena, &g->piece_ends, next);
    }
    tri_cpu_move(g, 0, next);
    *io_piece = (tri_cpu_piece){next, g->block_count, g->op_count};
    g->slots.len = 0;
}

void tri_cpu_pieces_end(tri_cpu_gen *g)
{
    if (!g->failed && (g->block_count >= least_blocks || g->op_count >= least_ops))
        tri_llvm_outline(g->fn, g->piece_starts.len, g->piece_starts.at, g->piece_ends.at);
    g->piece_starts.len = g->piece_ends.len = g->slots.len = 0;
    g->block_count = g->op_count = 0;
}
