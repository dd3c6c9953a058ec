/* The simulator: right results of barriers, exchanges, copies and matrix instructions, and a report
 * for each seeded bug. Kernels are C functions that call primitives as compiled code does. */
#include "runtime/sim/nvptx/primitives.h"

#include "runtime/float.h"

#include <stdio.h>
#include <stdlib.h>

static int failures;

#define CHECK(cond) ((cond) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond)))

enum { threads = 64 };

static tri_sim *sim;
static uint32_t global[1024];

static uint64_t call(uint32_t site, uint32_t primitive, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
    uint64_t args[32] = {a, b, c, d, e}, results[8] = {0};
    tri_sim_primitive(site, primitive, args, results);
    return results[0];
}

/* PTX with one output $0 and one input $1. */
static uint64_t assembly(const char *text, uint32_t value)
{
    static struct {
        const char *text;
        char all[128];
    } known[4]; /* the simulator knows texts by their place */
    int i = 0;
    while (known[i].text && known[i].text != text)
        i++;
    known[i].text = text;
    snprintf(known[i].all, sizeof known[i].all, "=r,r\n%s", text);
    return call(5, TRI_SIM_NVPTX_inline_asm, (uint64_t)(uintptr_t)known[i].all, value, 0, 0, 0);
}

static uint64_t shared_at(int offset)
{
    return (uint64_t)(uintptr_t)tri_sim_shared(sim) + (uint64_t)offset;
}

static int thread_id(void) { return (int)call(0, TRI_SIM_thread_id, 0, 0, 0, 0, 0); }
static void barrier(void) { call(1, TRI_SIM_barrier, 0, 0, 0, 0, 0); }
static void store_shared(int at, uint32_t value) { call(2, TRI_SIM_store_shared, shared_at(at), 32, 1, 1, value); }
static uint32_t load_shared(int at) { return (uint32_t)call(3, TRI_SIM_load_shared, shared_at(at), 32, 1, 1, 0); }
static void store_global(int i, uint32_t value)
{
    call(4, TRI_SIM_store_global, (uint64_t)(uintptr_t)&global[i], 32, 1, 1, value);
}

/* Runs a kernel of two warps and says whether it ran clean. */
static bool run(void (*kernel)(void *))
{
    static const tri_sim_site sites[] = {{TRI_NO_SPAN, "thread_id"},    {TRI_NO_SPAN, "barrier"},
                                         {TRI_NO_SPAN, "store_shared"}, {TRI_NO_SPAN, "load_shared"},
                                         {TRI_NO_SPAN, "store_global"}, {TRI_NO_SPAN, "exchange"}};
    tri_diag *diag = tri_diag_create();
    tri_diag_hold(diag); /* the reports are counted, not shown */
    sim = tri_sim_create(diag, &tri_sim_nvptx, sites, sizeof sites / sizeof *sites, threads / 32, 32, 4096);
    memset(global, 0, sizeof global);
    tri_sim_add_buffer(sim, global, sizeof global, "global");
    bool is_clean = tri_sim_run(sim, kernel, NULL, (tri_sim_grid){2, 1, 1});
    CHECK(is_clean == (tri_diag_error_count(diag) == 0));
    tri_sim_destroy(sim);
    tri_diag_drop(diag);
    tri_diag_destroy(diag);
    return is_clean;
}

/* --- kernels that are right -------------------------------------------------------------- */

static void reverse(void *unused)
{
    (void)unused;
    int t = thread_id();
    store_shared(4 * t, (uint32_t)t * 3);
    barrier();
    store_global(t, load_shared(4 * (threads - 1 - t)));
}

static void sum_by_shuffles(void *unused)
{
    (void)unused;
    int t = thread_id();
    uint32_t value = (uint32_t)t;
    for (uint32_t m = 1; m < 32; m *= 2)
        value += (uint32_t)call(5, TRI_SIM_shuffle_xor, value, m, 0, 0, 0);
    uint32_t up = (uint32_t)assembly("shfl.sync.up.b32 $0, $1, 1, 0, 0xffffffff;", (uint32_t)t);
    uint32_t total = (uint32_t)call(5, TRI_SIM_redux_add, (uint32_t)t, 0, 0, 0, 0);
    store_global(t, value == total ? value : 0);
    store_global(threads + t, up);
}

static void copy_and_wait(void *unused)
{
    (void)unused;
    int t = thread_id();
    call(2, TRI_SIM_copy_async_4, shared_at(4 * t), (uint64_t)(uintptr_t)&global[512 + t], 4, 0, 0);
    call(2, TRI_SIM_copy_commit, 0, 0, 0, 0, 0);
    call(2, TRI_SIM_copy_wait, 0, 0, 0, 0, 0);
    barrier();
    store_global(t, load_shared(4 * (t ^ 1)) + 1);
}

/* Lane i writes behind the place that its warp names; of two such copies the wait ends the first. */
static void copy_rows_and_wait(void *unused)
{
    (void)unused;
    int t = thread_id();
    uint64_t from = (uint64_t)(uintptr_t)&global[512 + t];
    for (int i = 0; i < 2; i++)
        call(2, TRI_SIM_copy_row, shared_at(128 * (t / 32) + 4 * threads * i), from, 4, t % 32 == 3 ? 0 : 4, 0);
    call(2, TRI_SIM_copy_wait, 1, 0, 0, 0, 0);
    barrier();
    store_global(t, load_shared(4 * (t ^ 1)) + 1);
    call(2, TRI_SIM_copy_wait, 0, 0, 0, 0, 0);
    store_global(threads + t, load_shared(4 * (t + threads)));
}

static void multiply(void *unused)
{
    (void)unused;
    int t = thread_id(), lane = t % 32, g = lane / 4, q = lane % 4;
    uint64_t args[10], results[8];
    /* A[i][k] = i, B[k][j] = j for k = 0 and 0 below, C[i][j] = 100: D = 100 + i * j */
    for (int r = 0; r < 4; r++)
        args[r] = tri_float_f16_bits(g + 8 * (r % 2)) * 0x10001u;
    args[4] = q == 0 ? tri_float_f16_bits(g) : 0;
    args[5] = 0;
    for (int i = 0; i < 4; i++)
        args[6 + i] = tri_float_f32_bits(100);
    tri_sim_primitive(5, TRI_SIM_NVPTX_mma_m16n8k16_f16_f32, args, results);
    bool ok = true;
    for (int i = 0; i < 4; i++)
        ok = ok && tri_float_f32_from_bits(results[i]) == 100 + (g + 8 * (i / 2)) * (2 * q + i % 2);
    store_global(t, ok);
}

static void transpose_rows(void *unused)
{
    (void)unused;
    int t = thread_id(), lane = t % 32, base = t / 32 * 128;
    call(2, TRI_SIM_store_shared, shared_at(base + 4 * lane), 32, 1, 1, (uint64_t)((2 * lane + 1) << 16 | 2 * lane));
    call(5, TRI_SIM_warp_barrier, 0, 0, 0, 0, 0);
    uint64_t row = shared_at(base + 16 * (lane % 8));
    uint32_t word = (uint32_t)call(5, TRI_SIM_NVPTX_ldmatrix_trans_x1, row, 0, 0, 0, 0);
    /* element (r, c) is 8 r + c; this lane holds column lane / 4 of rows 2 (lane % 4) and the next */
    uint32_t want = (uint32_t)(8 * (lane % 4 * 2) + lane / 4);
    store_global(t, word == (want | (want + 8) << 16));
}

/* Two warps, each with a barrier of its own that the other never comes to. */
static void meet_in_groups(void *unused)
{
    (void)unused;
    int t = thread_id(), warp = t / 32;
    uint64_t number = 1 + (uint64_t)warp;
    for (int i = 0; i <= 2 * warp; i++) {
        store_shared(4 * t, (uint32_t)(t + i));
        call(1, TRI_SIM_group_barrier, number, 32, 0, 0, 0);
        uint32_t other = load_shared(4 * (t ^ 31));
        if (i == 2 * warp) /* all programs store the same */
            store_global(t, other);
        call(1, TRI_SIM_group_barrier, number, 32, 0, 0, 0);
    }
    bool any = call(1, TRI_SIM_group_barrier_or, number, 32, t == 40, 0, 0);
    store_global(threads + t, any);
}

/* --- seeded bugs ------------------------------------------------------------------------- */

static void dropped_barrier(void *unused)
{
    (void)unused;
    int t = thread_id();
    store_shared(4 * t, 1);
    store_global(t, load_shared(4 * (threads - 1 - t)));
}

static void write_after_read(void *unused)
{
    (void)unused;
    int t = thread_id();
    store_shared(4 * t, 1);
    barrier();
    uint32_t value = load_shared(4 * (threads - 1 - t));
    store_shared(4 * t, value);
}

static void dropped_wait(void *unused)
{
    (void)unused;
    int t = thread_id();
    call(2, TRI_SIM_copy_async_4, shared_at(4 * t), (uint64_t)(uintptr_t)&global[512 + t], 4, 0, 0);
    call(2, TRI_SIM_copy_commit, 0, 0, 0, 0, 0);
    barrier();
    store_global(t, load_shared(4 * t));
}

static void wait_leaves_one(void *unused)
{
    (void)unused;
    int t = thread_id();
    for (int i = 0; i < 2; i++) {
        call(2, TRI_SIM_copy_async_4, shared_at(4 * (t + i * threads)), (uint64_t)(uintptr_t)&global[512 + t], 4, 0, 0);
        call(2, TRI_SIM_copy_commit, 0, 0, 0, 0, 0);
    }
    call(2, TRI_SIM_copy_wait, 1, 0, 0, 0, 0);
    store_global(t, load_shared(4 * t));
    store_global(t, load_shared(4 * (t + threads)));
}

static void wait_leaves_a_row(void *unused)
{
    (void)unused;
    int t = thread_id();
    call(2, TRI_SIM_copy_row, shared_at(128 * (t / 32)), (uint64_t)(uintptr_t)&global[512 + t], 4, 4, 0);
    call(2, TRI_SIM_copy_wait, 1, 0, 0, 0, 0);
    store_global(t, load_shared(4 * t));
}

static void row_of_lanes(void *unused)
{
    (void)unused;
    int t = thread_id();
    call(2, TRI_SIM_copy_row, shared_at(4 * t), (uint64_t)(uintptr_t)&global[512 + t], 4, 4, 0);
    call(2, TRI_SIM_copy_wait, 0, 0, 0, 0, 0);
}

static void divergent_barrier(void *unused)
{
    (void)unused;
    if (thread_id() < 40)
        barrier();
}

/* The barrier says two warps, one comes. */
static void missing_warp(void *unused)
{
    (void)unused;
    if (thread_id() < 32)
        call(1, TRI_SIM_group_barrier, 1, 64, 0, 0, 0);
}

/* The first to come says one warp, which then goes on alone. */
static void surplus_warp(void *unused)
{
    (void)unused;
    int t = thread_id();
    store_shared(4 * t, 1);
    call(1, TRI_SIM_group_barrier, 1, 32, 0, 0, 0);
    store_global(t, load_shared(4 * (threads - 1 - t)));
}

static void unequal_groups(void *unused)
{
    (void)unused;
    int t = thread_id();
    call(1, TRI_SIM_group_barrier, 1, t < 16 ? 64 : 32, 0, 0, 0);
}

static void half_a_warp(void *unused)
{
    (void)unused;
    call(1, TRI_SIM_group_barrier, 1, 48, 0, 0, 0);
}

static void barrier_of_others(void *unused)
{
    (void)unused;
    int t = thread_id();
    if (t < 32)
        store_shared(4 * t, 1);
    call(1, TRI_SIM_group_barrier, 1 + (uint64_t)(t / 32), 32, 0, 0, 0);
    if (t >= 32)
        store_global(t, load_shared(4 * (t - 32)));
}

static void missing_lane(void *unused)
{
    (void)unused;
    if (thread_id() % 32 != 7)
        call(5, TRI_SIM_shuffle_xor, 1, 1, 0, 0, 0);
}

static void inactive_source(void *unused)
{
    (void)unused;
    if (thread_id() % 32 < 16)
        assembly("shfl.sync.idx.b32 $0, $1, 20, 31, 0xffff;", 1);
}

static void uninitialised(void *unused)
{
    (void)unused;
    store_global(thread_id(), load_shared(128));
}

static void out_of_bounds(void *unused)
{
    (void)unused;
    store_global(1024 - threads + 1 + thread_id(), 1);
}

static void misaligned(void *unused)
{
    (void)unused;
    int t = thread_id();
    call(4, TRI_SIM_load_global, (uint64_t)(uintptr_t)&global[0] + 2 + 4 * (uint64_t)t, 32, 1, 1, 0);
}

static void trapped(void *unused)
{
    (void)unused;
    if (thread_id() == 3)
        assembly("trap;", 0);
    barrier();
}

/* Rows of eight words whose columns are moved by the row; the reader moves them by another rule. */
static void wrong_swizzle(void *unused)
{
    (void)unused;
    int i = thread_id(), row = i / 8, column = i % 8;
    store_shared((row * 8 + (column ^ row)) * 4, (uint32_t)i);
    barrier();
    store_global(i, load_shared((row * 8 + (column ^ (row & 3))) * 4));
}

/* A sum over the warp that asks the wrong partner once. */
static void wrong_lane(void *unused)
{
    (void)unused;
    uint64_t args[2], results[1];
    uint32_t sum = (uint32_t)thread_id();
    for (uint32_t delta = 16; delta; delta /= 2) {
        args[0] = sum;
        args[1] = delta == 4 ? 8 : delta;
        tri_sim_primitive(5, TRI_SIM_shuffle_xor, args, results);
        sum += (uint32_t)results[0];
    }
    store_global(thread_id(), sum);
}

/* One element more than the buffer has: a mask that says <= for <. */
static void off_by_one(void *unused)
{
    (void)unused;
    uint64_t args[5] = {(uint64_t)(uintptr_t)(global + thread_id() + sizeof global / sizeof *global - 63), 32, 1, 1, 7},
             results[1];
    tri_sim_primitive(4, TRI_SIM_store_global, args, results);
}

static void test_right_kernels(void)
{
    bool ok = run(reverse);
    for (int t = 0; t < threads; t++)
        ok = ok && global[t] == (uint32_t)(threads - 1 - t) * 3;
    CHECK(ok);
    ok = run(sum_by_shuffles);
    for (int t = 0; t < threads; t++)
        ok = ok && global[t] == (t < 32 ? 496u : 1520u) && global[threads + t] == (uint32_t)(t % 32 ? t - 1 : t);
    CHECK(ok);
    CHECK(run(copy_rows_and_wait));
    ok = run(copy_and_wait);
    for (int t = 0; t < threads; t++)
        ok = ok && global[t] == 1;
    CHECK(ok);
    ok = run(multiply);
    for (int t = 0; t < threads; t++)
        ok = ok && global[t] == 1;
    CHECK(ok);
    ok = run(meet_in_groups);
    for (int t = 0; t < threads; t++)
        ok = ok && global[t] == (uint32_t)(t ^ 31) + (t < 32 ? 0 : 2) && global[threads + t] == (t >= 32);
    CHECK(ok);
    ok = run(transpose_rows);
    for (int t = 0; t < threads; t++)
        ok = ok && global[t] == 1;
    CHECK(ok);
}

static void test_seeded_bugs(void)
{
    CHECK(!run(dropped_barrier));
    CHECK(!run(write_after_read));
    CHECK(!run(dropped_wait));
    CHECK(!run(wait_leaves_one));
    CHECK(!run(wait_leaves_a_row));
    CHECK(!run(row_of_lanes));
    CHECK(!run(divergent_barrier));
    CHECK(!run(missing_warp));
    CHECK(!run(surplus_warp));
    CHECK(!run(unequal_groups));
    CHECK(!run(half_a_warp));
    CHECK(!run(barrier_of_others));
    CHECK(!run(missing_lane));
    CHECK(!run(inactive_source));
    CHECK(!run(uninitialised));
    CHECK(!run(out_of_bounds));
    CHECK(!run(misaligned));
    CHECK(!run(trapped));
    CHECK(!run(off_by_one));
    /* Nothing is wrong with what these do, only with what comes out. */
    bool is_right = run(wrong_swizzle);
    for (int i = 0; i < threads; i++)
        is_right = is_right && global[i] == (uint32_t)i;
    CHECK(!is_right);
    is_right = run(wrong_lane);
    for (int i = 0; i < threads; i++)
        is_right = is_right && global[i] == (uint32_t)(i / 32 * 32 * 32 + 31 * 16);
    CHECK(!is_right);
}

static void test_small_floats(void)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        float value = tri_float_f16_from_bits((uint16_t)bits);
        CHECK(isnan(value) || tri_float_f16_bits(value) == bits);
    }
    for (int is_e5m2 = 0; is_e5m2 < 2; is_e5m2++)
        for (uint32_t bits = 0; bits < 0x100; bits++) {
            float value = tri_float_fp8_from_bits((uint8_t)bits, is_e5m2);
            CHECK(!isfinite(value) || tri_float_fp8_bits(value, is_e5m2) == bits);
        }
    CHECK(tri_float_fp8_bits(1e9f, 0) == 0x7e && tri_float_fp8_bits(-1e9f, 1) == 0xfb);
    CHECK(tri_float_fp8_bits(17.0f, 0) == tri_float_fp8_bits(16.0f, 0)); /* a tie goes to even */
}

int main(void)
{
    test_right_kernels();
    test_seeded_bugs();
    test_small_floats();
    return failures != 0;
}
