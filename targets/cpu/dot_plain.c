/* Products of operands that are packed for tiles, without AMX (dot_twin.c): operands of some products, or of as many
 * steps of a long one, are put into the order of the kernel that the processor has instead, then that adds them to the
 * sums, which go to their place at the end. This runs where the system does not let a process use AMX: it is short to
 * compile, and at most a fifth slower than operands packed for it would be. */
#include "targets/cpu/dot.h"

enum { side = 16, most_bytes = 256 << 10, most_products = 8 };

typedef struct {
    const tri_cpu_product *from, *to;
    LLVMValueRef a, a_stride, b; /* of the product at hand, for tiles */
    LLVMValueRef k;              /* its first step of these */
    LLVMValueRef to_a, to_b;
} plain_operands;

static LLVMValueRef lane_address(tri_cpu_gen *g, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef at)
{
    return LLVMBuildInBoundsGEP2(g->b, type, base, &at, 1, "");
}

static LLVMValueRef load_lanes(tri_cpu_gen *g, LLVMTypeRef element, int lanes, LLVMValueRef base, LLVMValueRef at,
                               unsigned align)
{
    LLVMValueRef v = LLVMBuildLoad2(g->b, tri_cpu_vector(element, lanes), lane_address(g, element, base, at), "");
    LLVMSetAlignment(v, align);
    return v;
}

static void store_lanes(tri_cpu_gen *g, LLVMValueRef v, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef at,
                        unsigned align)
{
    LLVMSetAlignment(LLVMBuildStore(g->b, v, lane_address(g, element, base, at)), align);
}

/* ---- elements ---- */

static LLVMValueRef shift_word(tri_cpu_gen *g, LLVMValueRef v, int by)
{
    return by ? LLVMBuildShl(g->b, v, tri_cpu_const_like(LLVMTypeOf(v), by), "") : v;
}

static LLVMValueRef mask_word(tri_cpu_gen *g, LLVMValueRef v, int64_t mask)
{
    return LLVMBuildAnd(g->b, v, tri_cpu_const_like(LLVMTypeOf(v), mask), "");
}

/* The sum of both parts; where the low one is NaN, as an infinity's is, the high one. All are bits of floats. */
static LLVMValueRef join_parts(tri_cpu_gen *g, LLVMValueRef high, LLVMValueRef low)
{
    LLVMTypeRef floats = tri_cpu_like(g->f32, high);
    high = LLVMBuildBitCast(g->b, high, floats, "");
    low = LLVMBuildBitCast(g->b, low, floats, "");
    LLVMValueRef is_nan = LLVMBuildFCmp(g->b, LLVMRealUNO, low, low, "");
    LLVMValueRef sum = LLVMBuildSelect(g->b, is_nan, high, LLVMBuildFAdd(g->b, high, low, ""), "");
    return LLVMBuildBitCast(g->b, sum, tri_cpu_like(g->i32, sum), "");
}

/* Two bytes of a word as halves of one. */
static LLVMValueRef widen_bytes(tri_cpu_gen *g, LLVMValueRef word, int first)
{
    LLVMValueRef by = tri_cpu_const_like(LLVMTypeOf(word), 24);
    LLVMValueRef low = LLVMBuildAShr(g->b, shift_word(g, word, 24 - 8 * first), by, "");
    LLVMValueRef high = LLVMBuildAShr(g->b, shift_word(g, word, 16 - 8 * first), by, "");
    return LLVMBuildOr(g->b, mask_word(g, low, 0xffff), shift_word(g, high, 16), "");
}

/* How many words of the kernel a word of tiles is: of one row, or of two. */
static int words_made(const plain_operands *o)
{
    int group = o->to->isa ? o->to->isa->group : 1;
    return o->from->isa->group / group;
}

static LLVMValueRef make_word(const plain_operands *o, LLVMValueRef word, int part)
{
    tri_cpu_gen *g = o->from->g;
    if (!o->to->isa)
        return part ? mask_word(g, word, (int32_t)0xffff0000) : shift_word(g, word, 16);
    if (words_made(o) > 1)
        return widen_bytes(g, word, 2 * part);
    LLVMValueRef by = tri_cpu_const_like(LLVMTypeOf(word), (int32_t)0x80808080);
    return o->to->isa->is_offset ? LLVMBuildXor(g->b, word, by, "") : word;
}

/* ---- the right operand: words of neighbouring columns ---- */

/* The place of a word in strips of so many columns and rows of words. */
static LLVMValueRef strip_place(const tri_cpu_product *x, int64_t rows, LLVMValueRef row, LLVMValueRef column)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef strip = tri_cpu_i64(g, x->strip), whole = tri_cpu_i64(g, x->strip * rows * x->span);
    LLVMValueRef at = LLVMBuildNSWMul(g->b, LLVMBuildUDiv(g->b, column, strip, ""), whole, "");
    at = LLVMBuildNSWAdd(g->b, at, LLVMBuildNSWMul(g->b, row, strip, ""), "");
    return LLVMBuildNSWAdd(g->b, at, LLVMBuildURem(g->b, column, strip, ""), "");
}

static void move_right(const plain_operands *o)
{
    const tri_cpu_product *x = o->from;
    tri_cpu_gen *g = x->g;
    int64_t group = x->isa->group, rows = x->k / group, words = words_made(o), to_rows = o->to->k / group;
    int lanes = o->to->strip < side ? (int)o->to->strip : side;
    LLVMValueRef low = tri_cpu_i64(g, x->batch * x->n * rows * x->span);
    tri_cpu_counted row = tri_cpu_counted_begin(g, to_rows, 1), n = tri_cpu_counted_begin(g, x->n, lanes);
    LLVMValueRef from_row = LLVMBuildNSWAdd(g->b, LLVMBuildUDiv(g->b, o->k, tri_cpu_i64(g, group), ""), row.i, "");
    LLVMValueRef from = strip_place(x, rows, from_row, n.i);
    LLVMValueRef first = LLVMBuildNSWMul(g->b, row.i, tri_cpu_i64(g, words), "");
    LLVMValueRef word = load_lanes(g, g->i32, lanes, o->b, from, 2), rest = NULL;
    if (x->is_split)
        rest = load_lanes(g, g->i32, lanes, o->b, LLVMBuildNSWAdd(g->b, from, low, ""), 2);
    for (int i = 0; i < words; i++) {
        LLVMValueRef v = make_word(o, word, i), to = LLVMBuildNSWAdd(g->b, first, tri_cpu_i64(g, i), "");
        v = rest ? join_parts(g, v, make_word(o, rest, i)) : v;
        store_lanes(g, v, g->i32, o->to_b, strip_place(o->to, to_rows * words, to, n.i), 4);
    }
    tri_cpu_counted_end(g, &n);
    tri_cpu_counted_end(g, &row);
}

/* ---- the left operand: rows ---- */

static bool moves_left(const plain_operands *o) { return !o->to->isa || words_made(o) > 1; }

static LLVMValueRef widen_left(const plain_operands *o, LLVMValueRef at)
{
    tri_cpu_gen *g = o->from->g;
    int bits = o->from->isa->packed.bits;
    LLVMTypeRef element = LLVMIntTypeInContext(g->llvm, (unsigned)bits);
    LLVMValueRef v = load_lanes(g, element, side, o->a, at, (unsigned)bits / 8);
    if (o->to->isa)
        return LLVMBuildSExt(g->b, v, tri_cpu_like(g->i16, v), "");
    return shift_word(g, LLVMBuildZExt(g->b, v, tri_cpu_like(g->i32, v), ""), 16);
}

static void move_left(const plain_operands *o)
{
    const tri_cpu_product *x = o->from;
    tri_cpu_gen *g = x->g;
    LLVMTypeRef element = tri_cpu_product_packed(o->to);
    LLVMValueRef low = tri_cpu_i64(g, x->batch * x->m * x->k);
    tri_cpu_counted row = tri_cpu_counted_begin(g, x->m, 1), k = tri_cpu_counted_begin(g, o->to->k, side);
    LLVMValueRef from = LLVMBuildAdd(g->b, LLVMBuildMul(g->b, row.i, o->a_stride, ""), o->k, "");
    LLVMValueRef to = LLVMBuildNSWMul(g->b, row.i, tri_cpu_i64(g, o->to->k), "");
    from = LLVMBuildAdd(g->b, from, k.i, "");
    to = LLVMBuildNSWAdd(g->b, to, k.i, "");
    LLVMValueRef v = widen_left(o, from);
    if (x->is_split)
        v = join_parts(g, v, widen_left(o, LLVMBuildAdd(g->b, from, low, "")));
    store_lanes(g, v, element, o->to_a, to, 2);
    tri_cpu_counted_end(g, &k);
    tri_cpu_counted_end(g, &row);
}

/* ---- all products ---- */

/* Sums that are complete and wanted in fewer bits: rows of vectors. */
static void narrow_sums(const tri_cpu_product *x)
{
    tri_cpu_gen *g = x->g;
    LLVMBasicBlockRef narrow = tri_cpu_new_block(g, "narrow"), done = tri_cpu_new_block(g, "ended");
    LLVMBuildCondBr(g->b, x->is_narrow, narrow, done);
    tri_cpu_move(g, 0, narrow);
    tri_cpu_counted m = tri_cpu_counted_begin(g, x->m, 1), n = tri_cpu_counted_begin(g, x->n, side);
    LLVMValueRef from = LLVMBuildNSWAdd(g->b, LLVMBuildNSWMul(g->b, m.i, tri_cpu_i64(g, x->n), ""), n.i, "");
    LLVMValueRef to = LLVMBuildAdd(g->b, LLVMBuildMul(g->b, m.i, x->out_stride, ""), n.i, "");
    LLVMValueRef v = load_lanes(g, x->element, side, x->d, from, x->compute.bits / 8);
    store_lanes(g, tri_cpu_narrow(g, v, x->narrow, false), tri_cpu_memory_type(g, x->narrow), x->out, to,
                x->narrow.bits / 8);
    tri_cpu_counted_end(g, &n);
    tri_cpu_counted_end(g, &m);
    LLVMBuildBr(g->b, done);
    tri_cpu_move(g, 0, done);
}

static bool is_room_for(const tri_cpu_product *y, int64_t k)
{
    return tri_cpu_product_bytes(y, (y->m > y->n ? y->m : y->n) * k) <= most_bytes;
}

/* How many steps of x are a product of y. */
static int64_t choose_steps(const tri_cpu_product *x, const tri_cpu_product *y)
{
    int64_t k = x->k;
    while (!is_room_for(y, k) && k % (2 * side * x->isa->group) == 0)
        k /= 2;
    return k;
}

/* The kernel's product: of several, as the table has them. */
static tri_cpu_product plain_product(const tri_cpu_product *x)
{
    tri_cpu_product y = *x;
    const tri_cpu_type bytes = {TRI_CPU_INT, 8};
    y.is_split = false;
    y.is_plain = true;
    y.batch = 1;
    y.isa = x->isa->operand == TRI_CPU_INT ? tri_cpu_dot_choose(x->g, bytes, x->m, x->n, x->k) : NULL;
    y.is_narrow = NULL;
    y.strip = tri_cpu_product_strip(&y);
    y.k = choose_steps(x, &y);
    int64_t most = (x->table ? x->most_trips : 1) * (x->k / y.k);
    most = most < most_products ? most : most_products;
    for (y.most_trips = 1; y.most_trips < most && is_room_for(&y, y.k * (y.most_trips + 1));)
        y.most_trips++;
    y.span = y.most_trips;
    return y;
}

/* Where even the fewest steps of many rows or columns take more, that is of what a program may have. */
static LLVMValueRef plain_room(tri_cpu_gen *g, int64_t bytes, const char *name)
{
    if (bytes > most_bytes)
        tri_cpu_count_bytes(g, bytes);
    LLVMValueRef v = tri_cpu_temp(g, LLVMArrayType2(g->i8, (uint64_t)bytes), name);
    LLVMSetAlignment(v, 4 * side);
    return v;
}

/* The operands of one product into their place among `y`'s, and its row of the table. */
static void place_product(plain_operands *o, LLVMValueRef a_room, LLVMValueRef b_room, LLVMValueRef number)
{
    const tri_cpu_product *x = o->from, *y = o->to;
    tri_cpu_gen *g = x->g;
    LLVMTypeRef row = tri_cpu_product_row(g);
    LLVMValueRef a_at = tri_cpu_i64(g, tri_cpu_product_bytes(y, y->m * y->k)),
                 b_at = tri_cpu_i64(g, tri_cpu_product_bytes(y, y->k * y->strip));
    o->to_a = moves_left(o) ? lane_address(g, g->i8, a_room, LLVMBuildNSWMul(g->b, number, a_at, ""))
                            : lane_address(g, tri_cpu_product_packed(x), o->a, o->k);
    o->to_b = lane_address(g, g->i8, b_room, LLVMBuildNSWMul(g->b, number, b_at, ""));
    LLVMValueRef at = lane_address(g, row, y->table, number);
    LLVMBuildStore(g->b, o->to_a, LLVMBuildStructGEP2(g->b, row, at, 0, ""));
    LLVMBuildStore(g->b, moves_left(o) ? tri_cpu_i64(g, y->k) : o->a_stride, LLVMBuildStructGEP2(g->b, row, at, 1, ""));
    LLVMBuildStore(g->b, o->to_b, LLVMBuildStructGEP2(g->b, row, at, 2, ""));
    if (moves_left(o))
        move_left(o);
    move_right(o);
}

/* The last ones write their sums to where those are wanted, but if these are to be narrow. */
static void choose_out(const tri_cpu_product *x, tri_cpu_product *y, LLVMValueRef first, LLVMValueRef all)
{
    tri_cpu_gen *g = x->g;
    if (!x->out)
        return;
    LLVMValueRef end = LLVMBuildNSWAdd(g->b, first, y->trips, "");
    LLVMValueRef stays = LLVMBuildICmp(g->b, LLVMIntSLT, end, all, "");
    stays = x->is_narrow ? LLVMBuildOr(g->b, stays, x->is_narrow, "") : stays;
    y->out = LLVMBuildSelect(g->b, stays, x->d, x->out, "");
    y->out_stride = LLVMBuildSelect(g->b, stays, tri_cpu_i64(g, x->n), x->out_stride, "");
}

/* Of `all`, those from the one that `first` is the number of, in one run of the kernel. */
static void multiply_some(const tri_cpu_product *x, tri_cpu_product *y, LLVMValueRef a_room, LLVMValueRef b_room,
                          LLVMValueRef first, LLVMValueRef all)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef counts[2] = {LLVMBuildNSWSub(g->b, all, first, ""), tri_cpu_i64(g, y->most_trips)};
    y->trips = tri_cpu_intrinsic(g, "llvm.smin", &g->i64, 1, counts, 2);
    LLVMValueRef table = x->table;
    tri_cpu_counted each = tri_cpu_counted_to(g, y->trips);
    plain_operands o = {.from = x, .to = y, .a = x->a, .a_stride = x->a_stride, .b = x->b};
    LLVMValueRef parts = tri_cpu_i64(g, x->k / y->k), number = LLVMBuildNSWAdd(g->b, first, each.i, "");
    o.k = LLVMBuildNSWMul(g->b, LLVMBuildURem(g->b, number, parts, ""), tri_cpu_i64(g, y->k), "");
    if (table) {
        LLVMTypeRef row = tri_cpu_product_row(g);
        LLVMValueRef at = lane_address(g, row, table, LLVMBuildUDiv(g->b, number, parts, ""));
        o.a = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildStructGEP2(g->b, row, at, 0, ""), "");
        o.a_stride = LLVMBuildLoad2(g->b, g->i64, LLVMBuildStructGEP2(g->b, row, at, 1, ""), "");
        o.b = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildStructGEP2(g->b, row, at, 2, ""), "");
    }
    place_product(&o, a_room, b_room, each.i);
    tri_cpu_counted_end(g, &each);
    if (x->is_fresh) {
        LLVMValueRef is_first = LLVMBuildICmp(g->b, LLVMIntEQ, first, tri_cpu_i64(g, 0), "");
        y->is_fresh = LLVMBuildAnd(g->b, x->is_fresh, is_first, "");
    }
    choose_out(x, y, first, all);
    tri_cpu_product_emit(y);
}

void tri_cpu_plain_emit(tri_cpu_product *x)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_product y = plain_product(x);
    LLVMValueRef a_room = plain_room(g, y.most_trips * tri_cpu_product_bytes(&y, y.m * y.k), "left"),
                 b_room = plain_room(g, y.most_trips * tri_cpu_product_bytes(&y, y.k * y.n), "right");
    y.table = tri_cpu_temp(g, LLVMArrayType2(tri_cpu_product_row(g), (uint64_t)y.most_trips), "products");
    tri_cpu_counted batch = tri_cpu_counted_begin(g, x->batch, 1);
    tri_cpu_product one = *x;
    if (!x->table) {
        LLVMValueRef sizes[3] = {tri_cpu_i64(g, x->m * x->k), tri_cpu_i64(g, x->k * x->n), tri_cpu_i64(g, x->m * x->n)};
        one.a = lane_address(g, tri_cpu_product_packed(x), x->a, LLVMBuildNSWMul(g->b, batch.i, sizes[0], ""));
        one.b = lane_address(g, tri_cpu_product_packed(x), x->b, LLVMBuildNSWMul(g->b, batch.i, sizes[1], ""));
        y.d = lane_address(g, x->element, x->d, LLVMBuildNSWMul(g->b, batch.i, sizes[2], ""));
    }
    LLVMValueRef all = LLVMBuildNSWMul(g->b, x->trips ? x->trips : tri_cpu_i64(g, 1), tri_cpu_i64(g, x->k / y.k), "");
    tri_cpu_counted first = tri_cpu_counted_to(g, all);
    first.step = y.most_trips;
    multiply_some(&one, &y, a_room, b_room, first.i, all);
    tri_cpu_counted_end(g, &first);
    tri_cpu_counted_end(g, &batch);
    if (x->is_narrow)
        narrow_sums(x);
}
