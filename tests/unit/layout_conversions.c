/* Every conversion plan, executed by a model of a warp machine, moves each element where it belongs. */
#include "layout/plan.h"
#include "layout_random.h"

enum { MAX_REGS = 256, MAX_WARPS = 8, MAX_OFFSETS = 1 << 13 };

typedef struct {
    int regs, lanes, warps;
    uint64_t at[MAX_WARPS][32][MAX_REGS];
} machine_state;

static machine_state in, out, tmp;
static uint64_t memory[MAX_OFFSETS];

static uint64_t element(const tri_linear *l, int r, int lane, int warp)
{
    return tri_linear_apply_one(l, TRI_DIM_REGISTER, (uint64_t)r) ^
           tri_linear_apply_one(l, TRI_DIM_LANE, (uint64_t)lane) ^
           tri_linear_apply_one(l, TRI_DIM_WARP, (uint64_t)warp);
}

static void size_of(const tri_linear *l, machine_state *s)
{
    s->regs = (int)tri_linear_in_size(l, TRI_DIM_REGISTER);
    s->lanes = (int)tri_linear_in_size(l, TRI_DIM_LANE);
    s->warps = (int)tri_linear_in_size(l, TRI_DIM_WARP);
}

#define EACH(s, w, l, r) \
    for (int w = 0; w < (s).warps; w++) \
        for (int l = 0; l < (s).lanes; l++) \
            for (int r = 0; r < (s).regs; r++)

static void selects(machine_state *s, int n, const tri_plan_select *list)
{
    for (int i = 0; i < n; i++) {
        for (int w = 0; w < s->warps; w++) {
            for (int l = 0; l < s->lanes; l++) {
                if (!((__builtin_parity((unsigned)l & list[i].lane_mask) ^
                       __builtin_parity((unsigned)w & list[i].warp_mask)) &
                      1))
                    continue;
                uint64_t old[MAX_REGS];
                memcpy(old, s->at[w][l], sizeof old);
                for (int r = 0; r < s->regs; r++)
                    s->at[w][l][r] = old[(uint64_t)r ^ list[i].register_xor];
            }
        }
    }
}

static void run_shuffle(const tri_plan_shuffle *p)
{
    int shuffles = 0;
    tmp = in;
    selects(&tmp, p->num_send, p->send);
    EACH(out, w, l, k)
    {
        uint64_t values[3] = {(uint64_t)k, (uint64_t)l, (uint64_t)w};
        uint64_t lane = tri_linear_apply(&p->source, values);
        if (p->is_xor)
            CHECK(lane == ((uint64_t)l ^ tri_linear_apply_one(&p->source, TRI_DIM_REGISTER, (uint64_t)k)));
        uint64_t from = tri_linear_apply_one(&p->renumber, TRI_DIM_REGISTER, (uint64_t)k);
        if (w == 0 && l == 0 && !((uint64_t)k & p->copies))
            shuffles += !p->is_xor || lane != 0;
        out.at[w][l][k] = tmp.at[w][lane][from];
    }
    CHECK(shuffles == p->num_shuffles);
    selects(&out, p->num_receive, p->receive);
    EACH(out, w, l, k)
    if ((uint64_t)k & p->copies)
        out.at[w][l][k] = out.at[w][l][(uint64_t)k & ~p->copies];
}

static int64_t offset_of(const tri_linear *map, uint64_t r, int lane, int warp, int64_t *out_iteration)
{
    uint64_t packed = element(map, (int)r, lane, warp);
    if (out_iteration)
        *out_iteration = tri_linear_coord(map, packed, TRI_DIM_ITERATION);
    return tri_linear_coord(map, packed, TRI_DIM_OFFSET);
}

static tri_plan_machine machine = {32, 32, 128, true, true, true, 0};

/* Wavefronts of one plain access, counted: distinct words of each bank in each phase. */
static int count_conflicts(const tri_plan_access *p, int access)
{
    int bits = p->vec * p->element_bits, lanes = (int)tri_linear_in_size(&p->map, TRI_DIM_LANE), worst = 0;
    int words_per = bits > 32 ? bits / 32 : 1, phase = machine.banks / words_per;
    uint64_t r = tri_plan_access_register(p, access, 0);
    for (int first = 0; first < lanes; first += phase) {
        static int64_t seen[32][64];
        int used[32] = {0};
        for (int l = first; l < first + phase && l < lanes; l++) {
            for (int w = 0; w < words_per; w++) {
                int64_t word = offset_of(&p->map, r, l, 0, NULL) * p->element_bits / 32 + w;
                int bank = (int)(word & (machine.banks - 1)), known = 0;
                for (int i = 0; i < used[bank]; i++)
                    known |= seen[bank][i] == word;
                if (!known)
                    seen[bank][used[bank]++] = word;
            }
        }
        for (int b = 0; b < machine.banks; b++)
            worst = used[b] > worst ? used[b] : worst;
    }
    return worst - 1;
}

/* Place of (lane, access, element) by the row addresses that a matrix instruction is given. */
static int64_t matrix_place(const tri_plan_access *p, const tri_linear *rows, int lane, int warp, int access, int e)
{
    int per_word = 32 / p->element_bits, m = e / per_word, part = e % per_word, row, column;
    if (p->form == TRI_ACCESS_MATRIX) {
        row = lane / 4;
        column = lane % 4 * per_word + part;
    } else {
        row = lane % 4 * 2 + part;
        column = lane / 4;
    }
    uint64_t first = tri_plan_access_register(p, access, 0);
    uint64_t packed = tri_linear_apply_one(rows, TRI_DIM_LANE, (uint64_t)(m * 8 + row)) ^
                      tri_linear_apply_one(rows, TRI_DIM_WARP, (uint64_t)warp) ^
                      tri_linear_apply_one(&p->map, TRI_DIM_REGISTER, first);
    int64_t start = tri_linear_coord(rows, packed, TRI_DIM_OFFSET);
    CHECK(start * p->element_bits % 128 == 0);
    return start + column;
}

static void run_access(const tri_plan_access *p, machine_state *s, bool is_load, int round)
{
    tri_linear rows;
    if (p->form != TRI_ACCESS_PLAIN)
        rows = tri_plan_matrix_row(p);
    CHECK(p->vec * p->count == s->regs);
    CHECK(p->vec * p->element_bits <= 128);
    for (int w = 0; w < s->warps; w++) {
        for (int l = 0; l < s->lanes; l++) {
            for (int a = 0; a < p->count; a++) {
                int64_t iteration, first = offset_of(&p->map, tri_plan_access_register(p, a, 0), l, w, &iteration);
                if (iteration != round || (tri_plan_access_register(p, a, 0) & p->copies))
                    continue;
                for (int e = 0; e < p->vec; e++) {
                    uint64_t r = tri_plan_access_register(p, a, e);
                    int64_t at = p->form == TRI_ACCESS_PLAIN ? first + e : matrix_place(p, &rows, l, w, a, e);
                    CHECK(at == offset_of(&p->map, r, l, w, NULL));
                    if (p->form == TRI_ACCESS_PLAIN)
                        CHECK(first % p->vec == 0);
                    if (is_load)
                        s->at[w][l][r] = memory[at];
                    else
                        memory[at] = s->at[w][l][r];
                }
            }
        }
    }
}

static void run_shared(const tri_plan_convert *p)
{
    CHECK(p->scratch_elements <= MAX_OFFSETS);
    for (int round = 0; round < p->rounds; round++) {
        for (int i = 0; i < MAX_OFFSETS; i++)
            memory[i] = ~(uint64_t)0;
        run_access(&p->store, &in, false, round);
        run_access(&p->load, &out, true, round);
    }
    EACH(out, w, l, r)
    if ((uint64_t)r & p->load.copies)
        out.at[w][l][r] = out.at[w][l][(uint64_t)r & ~p->load.copies];
    if (p->store.form == TRI_ACCESS_PLAIN)
        CHECK(count_conflicts(&p->store, 0) == p->store_conflicts);
    if (p->load.form == TRI_ACCESS_PLAIN)
        CHECK(count_conflicts(&p->load, 0) == p->load_conflicts);
}

static int kinds[5], shared_plans;

static void check(const tri_linear *src, const tri_linear *dst, int bits, int64_t limit)
{
    tri_plan_convert plan;
    size_of(src, &in);
    size_of(dst, &out);
    EACH(in, w, l, r) in.at[w][l][r] = element(src, r, l, w);
    EACH(out, w, l, r) out.at[w][l][r] = ~(uint64_t)1;
    if (!tri_plan_convert_make(src, dst, bits, &machine, limit, &plan)) {
        CHECK(limit != 0);
        return;
    }
    CHECK(!machine.can_shuffle || plan.kind == tri_plan_convert_kind(src, dst));
    kinds[plan.kind]++;
    switch (plan.kind) {
    case TRI_CVT_NONE:
    case TRI_CVT_REGISTERS:
        EACH(out, w, l, r)
        out.at[w][l][r] = in.at[w][l][tri_linear_coord(
            &plan.map, tri_linear_apply_one(&plan.map, TRI_DIM_REGISTER, (uint64_t)r), TRI_DIM_REGISTER)];
        break;
    case TRI_CVT_SHUFFLE:
        run_shuffle(&plan.shuffle);
        break;
    default:
        CHECK(limit == 0 || plan.scratch_elements * plan.element_bits / 8 <= limit);
        run_shared(&plan);
        shared_plans++;
        /* Two subspaces that are not larger than a row have a common complement: there always is a buffer
         * without conflicts, if it may be large enough. (run_shared has counted them.) */
        CHECK(limit != 0 || (plan.store_conflicts == 0 && plan.load_conflicts == 0));
    }
    int wrong = 0;
    EACH(out, w, l, r) wrong += out.at[w][l][r] != element(dst, r, l, w);
    if (wrong) {
        char text[512];
        failures++;
        fprintf(stderr, "kind %d: %d wrong elements\n", plan.kind, wrong);
        for (int k = 0; k < 2; k++) {
            for (int d = 0; d < 3; d++) {
                bases_text(k ? dst : src, (tri_dim)d, text, sizeof text);
                fprintf(stderr, "  %s %s: %s\n", k ? "dst" : "src", tri_linear_dim_name((tri_dim)d), text);
            }
        }
    }
}

static void test_random(void)
{
    static const int widths[] = {8, 16, 32, 64};
    for (int i = 0; i < 6000 && failures < 10; i++) {
        int rank = 1 + any(3), lane_bits = any(4) ? 5 : any(6), warp_bits = any(4);
        int64_t shape[3];
        for (int d = 0; d < rank; d++)
            shape[d] = (int64_t)1 << any(rank == 1 ? 11 : rank == 2 ? 7 : 5);
        tri_linear src = random_layout(rank, shape, lane_bits, warp_bits),
                   dst = random_layout(rank, shape, lane_bits, warp_bits);
        if (tri_linear_in_size(&src, TRI_DIM_REGISTER) > MAX_REGS ||
            tri_linear_in_size(&dst, TRI_DIM_REGISTER) > MAX_REGS)
            continue;
        check(&src, &dst, widths[any(4)], any(5) ? 0 : 64 << any(6));
        if (any(8) == 0)
            check(&src, &src, 32, 0);
    }
    for (int k = 0; k < 4; k++)
        CHECK(kinds[k] > 10);
}

static tri_linear blocked_2d(int32_t r0, int32_t r1, int32_t l0, int32_t l1, int32_t w0, int32_t w1, int fast,
                             int64_t m, int64_t n)
{
    tri_encoding e = {.kind = TRI_ENC_BLOCKED, .rank = 2, .warps_per_cta = {w0, w1}, .order = {fast, 1 - fast}};
    int64_t shape[2] = {m, n};
    tri_linear l;
    e.blocked.size_per_thread[0] = r0;
    e.blocked.size_per_thread[1] = r1;
    e.blocked.threads_per_warp[0] = l0;
    e.blocked.threads_per_warp[1] = l1;
    CHECK(tri_convert_to_linear(&e, 2, shape, &l, NULL));
    return l;
}

static tri_linear mma_2d(int version, int n, int32_t w0, int32_t w1, int op, int k_width, int64_t rows, int64_t columns)
{
    tri_encoding p = {.kind = TRI_ENC_NVIDIA_MMA, .rank = 2, .version_major = version, .instr_shape = {16, n, 16},
                      .instr_rank = version == 3 ? 3 : 2, .warps_per_cta = {w0, w1}};
    tri_encoding d = {.kind = TRI_ENC_DOT_OP, .rank = 2, .parent = &p};
    int64_t shape[2] = {rows, columns};
    tri_linear l;
    d.dot_op.op_idx = op;
    d.dot_op.k_width = k_width;
    CHECK(tri_convert_to_linear(op < 0 ? &p : &d, 2, shape, &l, NULL));
    return l;
}

static void expect_shared(int line, const tri_linear *src, const tri_linear *dst, int bits, tri_plan_machine m,
                          tri_access_form store, tri_access_form load, int rounds)
{
    tri_plan_convert p;
    bool ok = tri_plan_convert_make(src, dst, bits, &m, 0, &p) && p.kind == TRI_CVT_SHARED && p.store.form == store &&
              p.load.form == load && p.rounds == rounds && p.store_conflicts == 0 && p.load_conflicts == 0;
    if (!ok) {
        failures++;
        fprintf(stderr, "line %d: kind %d, forms %d %d, rounds %d, conflicts %d %d\n", line, p.kind, p.store.form,
                p.load.form, p.rounds, p.store_conflicts, p.load_conflicts);
    }
}

/* What upstream documents for well-known pairs. */
static void test_known(void)
{
    tri_plan_machine sm80 = {32, 32, 128, true, true, false, 0}, sm90 = {32, 32, 128, true, true, true, 0};
    tri_linear rows = blocked_2d(1, 8, 4, 8, 4, 1, 1, 64, 64), a = mma_2d(2, 8, 4, 1, 0, 2, 64, 64),
               b = mma_2d(2, 8, 4, 1, 1, 2, 64, 64);
    expect_shared(__LINE__, &rows, &a, 16, sm80, TRI_ACCESS_PLAIN, TRI_ACCESS_MATRIX, 1);
    expect_shared(__LINE__, &rows, &b, 16, sm80, TRI_ACCESS_PLAIN, TRI_ACCESS_MATRIX_TRANS, 4);
    tri_linear h = mma_2d(3, 128, 4, 1, -1, 0, 128, 128), wide = blocked_2d(1, 8, 2, 16, 4, 1, 1, 128, 128);
    expect_shared(__LINE__, &h, &wide, 16, sm80, TRI_ACCESS_PLAIN, TRI_ACCESS_MATRIX, 4);
    tri_linear t1 = blocked_2d(1, 4, 4, 8, 4, 1, 1, 32, 32), t2 = blocked_2d(4, 1, 8, 4, 1, 4, 0, 32, 32);
    expect_shared(__LINE__, &t1, &t2, 32, sm90, TRI_ACCESS_PLAIN, TRI_ACCESS_PLAIN, 1);
    /* An accumulator becomes the next operand without leaving its thread. */
    tri_linear acc = mma_2d(2, 8, 4, 1, -1, 0, 64, 64), next = mma_2d(2, 8, 4, 1, 0, 2, 64, 64);
    tri_cvt_kind kind = tri_plan_convert_kind(&acc, &next);
    CHECK(kind == TRI_CVT_NONE || kind == TRI_CVT_REGISTERS);
    check(&rows, &a, 16, 0);
    check(&rows, &b, 16, 0);
    check(&h, &wide, 16, 0);
    check(&t1, &t2, 32, 0);
    check(&acc, &next, 16, 0);
}

/* All row-major/column-major pairs of power-of-two tiles: a conflict-free buffer exists and is found. */
static void test_free_of_conflicts(void)
{
    static const tri_plan_machine m = {32, 32, 128, true, false, false, 0};
    for (int bits = 8; bits <= 64; bits *= 2) {
        for (int r = 1; r * bits <= 128; r *= 2) {
            for (int l = 1; l <= 32; l *= 2) {
                tri_linear src = blocked_2d(1, r, l, 32 / l, 4, 1, 1, 64, 64),
                           dst = blocked_2d(r, 1, 32 / l, l, 1, 4, 0, 64, 64);
                tri_plan_convert p;
                CHECK(tri_plan_convert_make(&src, &dst, bits, &m, 0, &p));
                if (p.kind == TRI_CVT_SHARED && p.store_conflicts + p.load_conflicts) {
                    failures++;
                    fprintf(stderr, "bits %d, %d per thread, %d lanes: conflicts %d %d\n", bits, r, l,
                            p.store_conflicts, p.load_conflicts);
                }
            }
        }
    }
}

/* The same of machines without matrix accesses, with few banks, or with room for fewer rounds, on small
 * shapes, where most pairs of layouts occur. */
static void test_machines(void)
{
    static const tri_plan_machine machines[] = {{32, 32, 128, true, false, false, 0},
                                                {8, 4, 64, false, false, false, 0},
                                                {16, 8, 32, true, false, false, 1024},
                                                {32, 16, 128, true, false, false, 0}};
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        machine = machines[m];
        int most = tri_linear_log2(machine.lanes);
        for (int i = 0; i < 3000 && failures < 10; i++) {
            int rank = 1 + any(2);
            int64_t shape[2];
            for (int d = 0; d < rank; d++)
                shape[d] = (int64_t)1 << any(rank == 1 ? 8 : 5);
            int lane_bits = any(3) ? most : any(most + 1), warp_bits = any(3);
            tri_linear src = random_layout(rank, shape, lane_bits, warp_bits),
                       dst = random_layout(rank, shape, lane_bits, warp_bits);
            if (tri_linear_in_size(&src, TRI_DIM_REGISTER) <= MAX_REGS &&
                tri_linear_in_size(&dst, TRI_DIM_REGISTER) <= MAX_REGS)
                check(&src, &dst, 8 << any(4), any(5) ? 0 : 64 << any(4));
        }
    }
}

int main(void)
{
    test_known();
    test_random();
    test_free_of_conflicts();
    test_machines();
    printf("none %d, registers %d, shuffle %d, shared %d\n", kinds[0], kinds[1], kinds[2], kinds[3]);
    return finish();
}
