/* Reduction and scan plans, executed by a model of a warp machine. */
#include "layout/plan.h"
#include "layout_random.h"

enum { MAX_REGS = 256, MAX_WARPS = 8 };
typedef struct {
    int regs, lanes, warps;
    int64_t at[MAX_WARPS][32][MAX_REGS];
} state;

static const tri_plan_machine machine = {32, 32, 128, true, true, true, 0};

#define EACH(s, w, l, r) \
    for (int w = 0; w < (s).warps; w++) \
        for (int l = 0; l < (s).lanes; l++) \
            for (int r = 0; r < (s).regs; r++)

static uint64_t element(const tri_linear *l, int r, int lane, int warp)
{
    return tri_linear_apply_one(l, TRI_DIM_REGISTER, (uint64_t)r) ^
           tri_linear_apply_one(l, TRI_DIM_LANE, (uint64_t)lane) ^
           tri_linear_apply_one(l, TRI_DIM_WARP, (uint64_t)warp);
}

static void size_of(const tri_linear *l, state *s)
{
    s->regs = (int)tri_linear_in_size(l, TRI_DIM_REGISTER);
    s->lanes = (int)tri_linear_in_size(l, TRI_DIM_LANE);
    s->warps = (int)tri_linear_in_size(l, TRI_DIM_WARP);
}

/* What convert_layout does. */
static void move(const tri_linear *from, const state *a, const tri_linear *to, state *b)
{
    static int64_t by_element[1 << 14];
    EACH(*a, w, l, r) by_element[element(from, r, l, w)] = a->at[w][l][r];
    size_of(to, b);
    EACH(*b, w, l, r) b->at[w][l][r] = by_element[element(to, r, l, w)];
}

static state in, part;

/* Combines registers, then lanes; the result is in `part` under plan->reduced. */
static void run_round(const tri_plan_reduce *p, const tri_linear *layout)
{
    static bool full[MAX_REGS];
    size_of(&p->reduced, &part);
    for (int w = 0; w < in.warps; w++) {
        for (int l = 0; l < in.lanes; l++) {
            memset(full, 0, sizeof full);
            for (int r = 0; r < in.regs; r++) {
                if ((uint64_t)r & p->copies)
                    continue;
                uint64_t t = tri_plan_reduce_target(p, layout, (uint64_t)r);
                part.at[w][l][t] = (full[t] ? part.at[w][l][t] : 0) + in.at[w][l][r];
                full[t] = true;
            }
        }
    }
    for (int s = 0; s < p->num_shuffles; s++) {
        state before = part;
        EACH(part, w, l, r) part.at[w][l][r] += before.at[w][(unsigned)l ^ p->shuffle_xor[s]][r];
    }
}

static void test_reduce(void)
{
    for (int t = 0; t < 1500 && failures < 10; t++) {
        int rank = 1 + any(3), rounds = 0;
        int64_t shape[3], total = 1;
        for (int d = 0; d < rank; d++)
            total *= shape[d] = (int64_t)1 << any(rank == 1 ? 11 : 5);
        tri_linear layout = random_layout(rank, shape, 5, any(4));
        tri_dim axis = (tri_dim)(TRI_DIM_0 + any(rank));
        static int64_t want[1 << 14];
        memset(want, 0, sizeof want);
        tri_linear full = layout;
        int shift = tri_linear_out_shift(&full, axis);
        uint64_t mask = ((uint64_t)tri_linear_out_size(&full, axis) - 1) << shift;
        for (uint64_t e = 0; e < (uint64_t)total; e++)
            want[e & ~mask] += (int64_t)(e * e + 7);
        size_of(&layout, &in);
        if (in.regs > MAX_REGS)
            continue;
        EACH(in, w, l, r)
        {
            uint64_t e = element(&layout, r, l, w);
            in.at[w][l][r] = (int64_t)(e * e + 7);
        }
        tri_plan_reduce p;
        CHECK(tri_plan_reduce_make(&layout, axis, &machine, &p));
        run_round(&p, &layout);
        while (!p.is_complete && rounds++ < 4) {
            layout = p.next;
            move(&p.reduced, &part, &layout, &in);
            CHECK(tri_plan_reduce_make(&layout, axis, &machine, &p));
            run_round(&p, &layout);
        }
        CHECK(p.is_complete && rounds <= 2);
        tri_linear result = tri_plan_reduce_result(&p.reduced, axis);
        CHECK(result.out.count == rank - 1);
        CHECK(tri_linear_in_size(&result, TRI_DIM_REGISTER) == part.regs);
        EACH(part, w, l, r)
        {
            uint64_t packed = element(&p.reduced, r, l, w), e = 0;
            for (int d = 0; d < rank; d++)
                if ((tri_dim)(TRI_DIM_0 + d) != axis)
                    e |= (uint64_t)tri_linear_coord(&p.reduced, packed, (tri_dim)(TRI_DIM_0 + d))
                         << tri_linear_out_shift(&full, (tri_dim)(TRI_DIM_0 + d));
            CHECK(part.at[w][l][r] == want[e]);
        }
    }
}

static void test_scan(void)
{
    for (int t = 0; t < 800 && failures < 10; t++) {
        int rank = 1 + any(2);
        int64_t shape[2] = {(int64_t)1 << any(rank == 1 ? 10 : 6), (int64_t)1 << any(6)};
        tri_linear layout = random_layout(rank, shape, 5, any(4));
        tri_dim axis = (tri_dim)(TRI_DIM_0 + any(rank));
        tri_plan_scan p;
        size_of(&layout, &in);
        if (in.regs > MAX_REGS)
            continue;
        CHECK(tri_plan_scan_make(&layout, axis, &p));
        CHECK(p.num_steps == tri_linear_out_bits(&layout, axis));
        EACH(in, w, l, r)
        {
            uint64_t e = element(&layout, r, l, w);
            in.at[w][l][r] = (int64_t)(e * 5 + 3);
        }
        uint64_t lower[3] = {0};
        static const tri_dim ins[3] = {TRI_DIM_REGISTER, TRI_DIM_LANE, TRI_DIM_WARP};
        for (int s = 0; s < p.num_steps; s++) {
            state before = in;
            int k = p.step[s].in == ins[0] ? 0 : p.step[s].in == ins[1] ? 1 : 2;
            EACH(in, w, l, r)
            {
                uint64_t self[3] = {(uint64_t)r, (uint64_t)l, (uint64_t)w}, bit = (uint64_t)1 << p.step[s].bit;
                if (!(self[k] & bit))
                    continue;
                uint64_t from[3] = {self[0] | lower[0], self[1] | lower[1], self[2] | lower[2]};
                from[k] &= ~bit;
                in.at[w][l][r] += before.at[from[2]][from[1]][from[0]];
            }
            lower[k] |= (uint64_t)1 << p.step[s].bit;
        }
        int shift = tri_linear_out_shift(&layout, axis);
        uint64_t mask = ((uint64_t)tri_linear_out_size(&layout, axis) - 1) << shift;
        EACH(in, w, l, r)
        {
            uint64_t e = element(&layout, r, l, w);
            int64_t want = 0;
            for (uint64_t i = 0; i <= (e & mask) >> shift; i++)
                want += (int64_t)(((e & ~mask) | i << shift) * 5 + 3);
            CHECK(in.at[w][l][r] == want);
        }
    }
}

static void test_replicas(void)
{
    tri_encoding e = {.kind = TRI_ENC_BLOCKED, .rank = 1, .warps_per_cta = {4}};
    e.blocked.size_per_thread[0] = 4;
    e.blocked.threads_per_warp[0] = 32;
    int64_t shape = 64;
    tri_linear l;
    CHECK(tri_convert_to_linear(&e, 1, &shape, &l, NULL));
    tri_plan_replicas r = tri_plan_find_replicas(&l);
    CHECK(r.reg == 0 && r.lane == 0x10 && r.warp == 3 && r.block == 0);
}

int main(void)
{
    test_reduce();
    test_scan();
    test_replicas();
    return finish();
}
