/* Right operands that lie transposed, as weights do: their columns are runs in memory. The kernel wants groups of
 * neighbours along k, each of four bytes, of sixteen columns side by side: squares of 16 x 16 words, turned in
 * registers. */
#include "targets/cpu/dot.h"

enum { side = 16, word_bytes = 4, line_bytes = side * word_bytes };

static int64_t packed_size(const tri_cpu_product *x) { return x->isa->packed.bits / 8; }

bool tri_cpu_turn_suits(const tri_cpu_product *x)
{
    return x->isa && !x->is_split && x->rank == 2 && tri_host_has(&x->g->host, "avx512f") &&
           x->isa->group * packed_size(x) == word_bytes && x->k * packed_size(x) % line_bytes == 0 &&
           x->n % side == 0 && x->strip % side == 0;
}

/* Of a word of both rows and its partner, `by` rows and columns away, the two that do not lie in their place are
 * exchanged. */
static LLVMValueRef exchange(tri_cpu_gen *g, LLVMValueRef upper, LLVMValueRef lower, int by, bool is_lower)
{
    LLVMValueRef order[side];
    for (int i = 0; i < side; i++) {
        int from = i & by ? (is_lower ? side + i : side + (i ^ by)) : (is_lower ? i | by : i);
        order[i] = LLVMConstInt(g->i32, (uint64_t)from, false);
    }
    return LLVMBuildShuffleVector(g->b, upper, lower, LLVMConstVector(order, side), "");
}

static void turn(tri_cpu_gen *g, LLVMValueRef *rows)
{
    for (int by = 1; by < side; by *= 2) {
        for (int i = 0; i < side; i++) {
            if (i & by)
                continue;
            LLVMValueRef upper = rows[i], lower = rows[i | by];
            rows[i] = exchange(g, upper, lower, by, false);
            rows[i | by] = exchange(g, upper, lower, by, true);
        }
    }
}

/* base + row * stride + bytes */
static LLVMValueRef word_address(tri_cpu_gen *g, LLVMValueRef base, LLVMValueRef row, LLVMValueRef stride,
                                 LLVMValueRef bytes)
{
    LLVMValueRef at = LLVMBuildAdd(g->b, LLVMBuildMul(g->b, row, stride, ""), bytes, "");
    return LLVMBuildInBoundsGEP2(g->b, g->i8, base, &at, 1, "");
}

/* Of sixteen columns from n on, a line of each, as many words behind the first as `line` says. */
static void pack_square(tri_cpu_product *x, const tri_cpu_direct *columns, LLVMValueRef n, LLVMValueRef line)
{
    tri_cpu_gen *g = x->g;
    int64_t size = packed_size(x), of_strip = x->strip * x->k * x->span * size, of_row = x->strip * word_bytes;
    LLVMTypeRef vector = tri_cpu_vector(g->i32, side);
    LLVMValueRef rows[side], strip = tri_cpu_i64(g, x->strip), word = tri_cpu_i64(g, word_bytes);
    LLVMValueRef stride = LLVMBuildMul(g->b, columns->stride, tri_cpu_i64(g, size), "");
    LLVMValueRef bytes = LLVMBuildNSWMul(g->b, line, word, "");
    for (int i = 0; i < side; i++) {
        LLVMValueRef column = LLVMBuildNSWAdd(g->b, n, tri_cpu_i64(g, i), "");
        LLVMValueRef at = word_address(g, columns->address, column, stride, bytes);
        LLVMSetAlignment(rows[i] = LLVMBuildLoad2(g->b, vector, at, ""), (unsigned)size);
        if (x->isa->is_offset)
            rows[i] = LLVMBuildXor(g->b, rows[i], tri_cpu_const_like(vector, 0x80808080), "");
    }
    turn(g, rows);
    LLVMValueRef inside = LLVMBuildNSWMul(g->b, LLVMBuildURem(g->b, n, strip, ""), word, "");
    LLVMValueRef to = word_address(g, x->b, LLVMBuildUDiv(g->b, n, strip, ""), tri_cpu_i64(g, of_strip), inside);
    for (int i = 0; i < side; i++) {
        LLVMValueRef group = LLVMBuildNSWAdd(g->b, line, tri_cpu_i64(g, i), "");
        LLVMValueRef at = word_address(g, to, group, tri_cpu_i64(g, of_row), tri_cpu_i64(g, 0));
        LLVMSetAlignment(LLVMBuildStore(g->b, rows[i], at), (unsigned)size);
    }
}

void tri_cpu_turn_pack(tri_cpu_product *x, const tri_cpu_direct *columns)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_counted n = tri_cpu_counted_begin(g, x->n, side);
    tri_cpu_counted line = tri_cpu_counted_begin(g, x->k * packed_size(x) / word_bytes, side);
    pack_square(x, columns, n.i, line.i);
    tri_cpu_counted_end(g, &line);
    tri_cpu_counted_end(g, &n);
}
