/* What tiles alone allow: the products of bfloat16 tiles that a float product in three parts has, and the loads of its
 * kernel, of operands that lie in the first cache. Nothing is packed, nothing stored. Built by run.sh where the
 * compiler knows AMX; torch_rows.py calls it beside PyTorch's float product. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { tile_bytes = 1024, side = 16, depth = 32, products = 12, most_threads = 64 };

/* Of a step: four tiles of each operand, high and low, as the compiler's kernel takes them; 32 x 32 x 32 elements. */
static _Alignas(64) uint16_t operands[8][tile_bytes / 2];

/* Numbers of both signs around one half: with zeros, processors are faster. */
static void fill(void)
{
    uint32_t state = 1;
    for (int i = 0; i < 8 * tile_bytes / 2; i++) {
        state = state * 1664525 + 1013904223;
        operands[i / (tile_bytes / 2)][i % (tile_bytes / 2)] = (uint16_t)((state >> 16 & 0x80ff) | 0x3f00);
    }
}

static const struct {
    uint8_t palette, start, unused[14];
    uint16_t bytes[16];
    uint8_t rows[16];
} config = {1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {side, side, side, side, side, side, side, side}};

#define LOAD(tile, operand) _tile_loadd(tile, operands[operand], 64)
#define MULTIPLY()             \
    do {                       \
        _tile_dpbf16ps(0, 4, 6); \
        _tile_dpbf16ps(1, 4, 7); \
        _tile_dpbf16ps(2, 5, 6); \
        _tile_dpbf16ps(3, 5, 7); \
    } while (0)

static void run_steps(int64_t steps)
{
    _tile_loadconfig(&config);
    for (int64_t i = 0; i < steps; i++) {
        LOAD(4, 0);
        LOAD(5, 1);
        LOAD(6, 2);
        LOAD(7, 3);
        MULTIPLY();
        LOAD(4, 4);
        LOAD(5, 5);
        MULTIPLY();
        LOAD(6, 6);
        LOAD(7, 7);
        MULTIPLY();
    }
    _tile_release();
}

static void run_products(int64_t steps)
{
    _tile_loadconfig(&config);
    LOAD(4, 0);
    LOAD(5, 1);
    LOAD(6, 2);
    LOAD(7, 3);
    for (int64_t i = 0; i < steps; i++) {
        MULTIPLY();
        MULTIPLY();
        MULTIPLY();
    }
    _tile_release();
}

typedef struct {
    int64_t steps;
    int loads;
} work;

static void *run(void *data)
{
    const work *w = data;
    if (w->loads)
        run_steps(w->steps);
    else
        run_products(w->steps);
    return NULL;
}

/* The tiles of a float product of n x n x n in three parts, on so many threads; with its kernel's loads, or without.
 * 0; 1 where the system refuses tiles. */
int tiles(int n, int threads, int loads)
{
    enum { request = 0x1023, data_of_tiles = 18 };
    pthread_t others[most_threads];
    if (threads < 1 || threads > most_threads || syscall(SYS_arch_prctl, request, data_of_tiles))
        return 1;
    if (!operands[0][0])
        fill();
    work w = {(int64_t)n * n * n / (4 * side * side * depth) / threads, loads};
    for (int i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, run, &w))
            return 1;
    run(&w);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    return 0;
}
