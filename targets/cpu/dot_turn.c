/* Right operands that lie transposed, as weights do: their columns are runs in memory. The kernel wants groups of
 * neighbours along k, each of four bytes, of sixteen columns side by side: squares of 16 x 16 words, turned in
 * registers. Of floats each is a word; in two parts (dot_split.c), two rows of words that are turned become a line of
 * high halves and one of low ones. */
#include "targets/cpu/dot.h"

enum { side = 16, word_bytes = 4, line_bytes = side * word_bytes };

/* Bytes of an element in memory, and those that are a word. */
static int64_t turned_size(const tri_cpu_product *x)
{
    return x->isa && !x->is_split ? x->isa->packed.bits / 8 : word_bytes;
}

static int64_t turned_group(const tri_cpu_product *x) { return x->isa && !x->is_split ? x->isa->group : 1; }

bool tri_cpu_turn_suits(const tri_cpu_product *x, MlirType element)
{
    bool is_float = tri_cpu_type_of(x->g, element).kind == TRI_CPU_F32;
    bool fits = x->is_split ? is_float : mlirTypeEqual(element, x->mlir_element) && (x->isa || is_float);
    return fits && x->rank == 2 && tri_host_has(&x->g->host, "avx512f") &&
           turned_group(x) * turned_size(x) == word_bytes && x->k * turned_size(x) % line_bytes == 0 &&
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

static void store_line(const tri_cpu_product *x, LLVMValueRef v, LLVMValueRef to, LLVMValueRef group)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef stride = tri_cpu_i64(g, x->strip * word_bytes);
    LLVMValueRef at = word_address(g, to, group, stride, tri_cpu_i64(g, 0));
    LLVMSetAlignment(LLVMBuildStore(g->b, v, at), word_bytes / 2);
}

static void store_rows_of(const tri_cpu_product *x, LLVMValueRef *rows, LLVMValueRef to, LLVMValueRef line)
{
    for (int i = 0; i < side; i++)
        store_line(x, rows[i], to, LLVMBuildNSWAdd(x->g->b, line, tri_cpu_i64(x->g, i), ""));
}

/* Low halves lie behind all high ones. */
static void store_halves(const tri_cpu_product *x, LLVMValueRef *rows, LLVMValueRef to, LLVMValueRef line)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef behind = tri_cpu_i64(g, x->batch * x->k * x->n * x->span * 2);
    LLVMValueRef low_to = LLVMBuildInBoundsGEP2(g->b, g->i8, to, &behind, 1, "");
    LLVMValueRef first = LLVMBuildUDiv(g->b, line, tri_cpu_i64(g, 2), ""), high[2], low[2];
    for (int i = 0; i < side; i += 2) {
        for (int j = 0; j < 2; j++) {
            LLVMValueRef v = LLVMBuildBitCast(g->b, rows[i + j], tri_cpu_vector(g->f32, side), "");
            tri_cpu_split(x, v, &high[j], &low[j]);
        }
        LLVMValueRef group = LLVMBuildNSWAdd(g->b, first, tri_cpu_i64(g, i / 2), "");
        store_line(x, tri_cpu_split_pair(g, high[0], high[1]), to, group);
        store_line(x, tri_cpu_split_pair(g, low[0], low[1]), low_to, group);
    }
}

/* Of sixteen columns from n on, a line of each, as many words behind the first as `line` says. */
static void pack_square(tri_cpu_product *x, const tri_cpu_direct *columns, LLVMValueRef n, LLVMValueRef line)
{
    tri_cpu_gen *g = x->g;
    int64_t size = turned_size(x), of_element = x->is_split ? 2 : size,
            of_strip = x->strip * x->k * x->span * of_element;
    LLVMTypeRef vector = tri_cpu_vector(g->i32, side);
    LLVMValueRef rows[side], strip = tri_cpu_i64(g, x->strip), word = tri_cpu_i64(g, word_bytes);
    LLVMValueRef stride = LLVMBuildMul(g->b, columns->stride, tri_cpu_i64(g, size), "");
    LLVMValueRef bytes = LLVMBuildNSWMul(g->b, line, word, "");
    for (int i = 0; i < side; i++) {
        LLVMValueRef column = LLVMBuildNSWAdd(g->b, n, tri_cpu_i64(g, i), "");
        LLVMValueRef at = word_address(g, columns->address, column, stride, bytes);
        LLVMSetAlignment(rows[i] = LLVMBuildLoad2(g->b, vector, at, ""), (unsigned)size);
        if (x->isa && x->isa->is_offset)
            rows[i] = LLVMBuildXor(g->b, rows[i], tri_cpu_const_like(vector, 0x80808080), "");
    }
    turn(g, rows);
    LLVMValueRef inside = LLVMBuildNSWMul(g->b, LLVMBuildURem(g->b, n, strip, ""), word, "");
    LLVMValueRef to = word_address(g, x->b, LLVMBuildUDiv(g->b, n, strip, ""), tri_cpu_i64(g, of_strip), inside);
    if (x->is_split)
        store_halves(x, rows, to, line);
    else
        store_rows_of(x, rows, to, line);
}

void tri_cpu_turn_pack(tri_cpu_product *x, const tri_cpu_direct *columns)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_counted n = tri_cpu_counted_begin(g, x->n, side);
    tri_cpu_counted line = tri_cpu_counted_begin(g, x->k * turned_size(x) / word_bytes, side);
    pack_square(x, columns, n.i, line.i);
    tri_cpu_counted_end(g, &line);
    tri_cpu_counted_end(g, &n);
}
