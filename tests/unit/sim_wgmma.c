/* Products of warp groups on the simulator: right results, and a report for each seeded bug. The kernel is a C
 * function that calls primitives as compiled code does: D[64,8] = A[64,16] * B[16,8] of f16, both K-major with a
 * swizzle of 32 bytes. */
#include "runtime/sim/nvptx/primitives.h"

#include "runtime/float.h"

#include <stdio.h>
#include <stdlib.h>

static int failures;

#define CHECK(cond) ((cond) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond)))

enum { rows = 64, columns = 8, depth = 16, threads = 128, row_bytes = 32, a_at = 0, b_at = 4096 };

typedef enum { BUG_NONE, BUG_FENCE, BUG_BARRIER, BUG_WAIT, BUG_SWIZZLE, BUG_STRIDE, BUG_LANE, BUG_BOUNDS, BUG_START,
    BUG_COMMIT, BUG_NO_WAIT } bug;

static tri_sim *sim;
static bug seeded;
static float result[rows][columns];

static float value_of(int seed) { return (float)(seed * 37 % 23 - 11) / 8; }
static float a_value(int m, int k) { return value_of(m * 5 + k); }
static float b_value(int k, int n) { return value_of(n * 7 + k * 3 + 1); }

static void call(uint32_t site, uint32_t primitive, uint64_t *args, uint64_t *results)
{
    uint64_t none[8] = {0};
    tri_sim_primitive(site, primitive, args, results ? results : none);
}

static uint64_t base(void) { return (uint64_t)(uintptr_t)tri_sim_shared(sim); }

/* Where element k of row mn lies: rows of 32 bytes, halves of each row exchanged in every other four rows. */
static uint64_t place(int at, int mn, int k)
{
    uint64_t offset = (uint64_t)(at + mn * row_bytes + k * 2);
    return seeded == BUG_SWIZZLE ? offset : offset ^ ((offset >> 7 & 1) << 4);
}

static void store(int at, int mn, int k, float value)
{
    uint64_t args[5] = {base() + place(at, mn, k), 16, 1, 1, tri_float_f16_bits(value)};
    call(1, TRI_SIM_store_shared, args, NULL);
}

static uint64_t descriptor(int at)
{
    uint64_t stride = seeded == BUG_STRIDE ? 128 : 8 * row_bytes;
    return ((base() + (uint64_t)at) >> 4 & 0x3fff) | (uint64_t)1 << 16 | (stride >> 4) << 32 | (uint64_t)3 << 62;
}

static void multiply(int thread, uint64_t *acc)
{
    uint64_t args[12] = {columns, 0, 1, descriptor(b_at), descriptor(a_at)};
    if (seeded == BUG_LANE && thread == 5)
        args[3] += 2;
    if (seeded == BUG_BOUNDS)
        args[4] += 0x3000 >> 4;
    call(2, TRI_SIM_NVPTX_wgmma_f16_f32, args, acc);
}

static void kernel(void *unused)
{
    uint64_t none[8] = {0}, id[1], acc[8] = {0};
    (void)unused;
    call(0, TRI_SIM_thread_id, none, id);
    int thread = (int)id[0], warp = thread / 32, lane = thread % 32;
    for (int k = 0; k < depth; k++) {
        if (thread < rows)
            store(a_at, thread, k, a_value(thread, k));
        else if (thread < rows + columns)
            store(b_at, thread - rows, k, b_value(k, thread - rows));
    }
    if (seeded != BUG_FENCE)
        call(3, TRI_SIM_fence_async, none, NULL);
    if (seeded != BUG_BARRIER)
        call(4, TRI_SIM_barrier, none, NULL);
    if (seeded != BUG_START)
        call(5, TRI_SIM_NVPTX_wgmma_fence, none, NULL);
    multiply(thread, acc);
    if (seeded != BUG_COMMIT)
        call(6, TRI_SIM_NVPTX_wgmma_commit, none, NULL);
    uint64_t pending[8] = {seeded == BUG_WAIT, 4, acc[0], acc[1], acc[2], acc[3]};
    if (seeded != BUG_NO_WAIT)
        call(7, TRI_SIM_NVPTX_wgmma_wait, pending, acc);
    call(4, TRI_SIM_barrier, none, NULL);
    if (thread == 0)
        store(a_at, 0, 0, 1);
    for (int i = 0; i < 4; i++)
        result[16 * warp + lane / 4 + 8 * (i >> 1)][2 * (lane % 4) + (i & 1)] = tri_float_f32_from_bits(acc[i]);
}

/* Runs it and says whether it ran clean; `out_right`: whether the numbers are right. */
static bool run(bug b, bool *out_right)
{
    static const tri_sim_site sites[] = {{TRI_NO_SPAN, "thread_id"},     {TRI_NO_SPAN, "store_shared"},
                                         {TRI_NO_SPAN, "wgmma_f16_f32"}, {TRI_NO_SPAN, "fence_async"},
                                         {TRI_NO_SPAN, "barrier"},       {TRI_NO_SPAN, "wgmma_fence"},
                                         {TRI_NO_SPAN, "commit"},        {TRI_NO_SPAN, "wait"}};
    tri_diag *diag = tri_diag_create();
    tri_diag_hold(diag); /* the reports are counted, not shown */
    seeded = b;
    sim = tri_sim_create(diag, &tri_sim_nvptx, sites, sizeof sites / sizeof *sites, threads / 32, 32, 8192);
    bool is_clean = tri_sim_run(sim, kernel, NULL, (tri_sim_grid){2, 1, 1});
    CHECK(is_clean == (tri_diag_error_count(diag) == 0));
    tri_sim_destroy(sim);
    tri_diag_drop(diag);
    tri_diag_destroy(diag);
    *out_right = true;
    for (int m = 0; m < rows; m++)
        for (int n = 0; n < columns; n++) {
            double want = 0;
            for (int k = 0; k < depth; k++)
                want += (double)a_value(m, k) * b_value(k, n);
            *out_right = *out_right && fabs(result[m][n] - want) < 1e-4;
        }
    return is_clean;
}

int main(void)
{
    bool right;
    CHECK(run(BUG_NONE, &right) && right);
    CHECK(!run(BUG_FENCE, &right));
    CHECK(!run(BUG_BARRIER, &right));
    CHECK(!run(BUG_WAIT, &right));
    CHECK(!run(BUG_LANE, &right));
    CHECK(!run(BUG_BOUNDS, &right));
    CHECK(!run(BUG_START, &right));
    CHECK(!run(BUG_COMMIT, &right) && !right); /* sums that no wait has handed over are no numbers */
    CHECK(!run(BUG_NO_WAIT, &right) && !right);
    run(BUG_SWIZZLE, &right);
    CHECK(!right);
    run(BUG_STRIDE, &right);
    CHECK(!right);
    return failures != 0;
}
