/* libtritcc in a warm context: milliseconds of processor time to PTX of the kernels given as FILE OPTIONS pairs, what
 * 1,000 different kernels leave in memory, and how compilations grow with threads. Printed by bench/compile/warm.sh. */
#include "include/tritcc/tritcc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { runs = 60, kernels = 1000, per_thread = 300, most_threads = 64 };

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void check(tritcc_context *c, int status)
{
    const char *log = "";
    if (!status)
        return;
    tritcc_get_log(c, &log, NULL);
    fprintf(stderr, "%s\n%s", tritcc_strerror(status), log);
    exit(1);
}

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void measure(tritcc_context *c, const char *file, const char *options)
{
    double ms[runs];
    check(c, tritcc_set_options(c, options));
    check(c, tritcc_set_input_file(c, file));
    for (int i = 0; i < runs; i++) {
        double start = now(CLOCK_THREAD_CPUTIME_ID);
        check(c, tritcc_compile(c));
        ms[i] = now(CLOCK_THREAD_CPUTIME_ID) - start;
    }
    double first = ms[0];
    qsort(ms, runs, sizeof *ms, compare);
    printf("%-60s first %7.2f  median %7.2f  least %7.2f ms\n", file, first, ms[runs / 2], ms[0]);
}

static long peak_kb(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : usage.ru_maxrss;
}

/* Different in their names, types, shapes and constants. */
static int compile_nth(tritcc_context *c, int n)
{
    char text[1000], options[200];
    snprintf(text, sizeof text,
             "import triton\nimport triton.language as tl\n\n@triton.jit\ndef k%d(x, y, n, B: tl.constexpr):\n"
             "    i = tl.program_id(0) * B + tl.arange(0, B)\n    v = tl.load(x + i, mask=i < n, other=%d)\n"
             "    v = tl.exp(v * %d.5) + tl.sum(v, 0)\n    tl.store(y + i, v, mask=i < n)\n", n, n, n);
    snprintf(options, sizeof options, "-arch=sm_%d -sig '*fp32:16, *fp32, i32, %d' -emit=ptx", n % 2 ? 80 : 90,
             64 << n % 5);
    int status = tritcc_set_options(c, options);
    status = status ? status : tritcc_set_input(c, "k.tri", text, strlen(text));
    return status ? status : tritcc_compile(c);
}

static void grow(void)
{
    tritcc_context *c;
    check(NULL, tritcc_create(&c));
    for (int i = 0; i < 20; i++)
        check(c, compile_nth(c, i));
    long before = peak_kb();
    for (int i = 0; i < kernels; i++)
        check(c, compile_nth(c, i));
    printf("%d kernels: the peak grows by %ld kB from %ld kB\n", kernels, peak_kb() - before, before);
    tritcc_destroy(c);
}

/* Each thread makes its context and warms it up before the clock starts. */
static pthread_barrier_t is_warm;

static void *work(void *data)
{
    tritcc_context *c;
    check(NULL, tritcc_create(&c));
    for (int i = 0; i < 10; i++)
        check(c, compile_nth(c, i));
    pthread_barrier_wait(&is_warm);
    for (int i = 0; i < per_thread; i++)
        check(c, compile_nth(c, i));
    tritcc_destroy(c);
    return data;
}

static long waits(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : usage.ru_nvcsw;
}

/* Kernels a second of `count` threads. Beside it, what a loaded machine shows as well as one of our own: processor time
 * a kernel, which grows when memory or caches are short, and how often a thread slept, as it does at a lock. */
static double share(int count, double of_one)
{
    pthread_t threads[most_threads];
    pthread_barrier_init(&is_warm, NULL, (unsigned)count + 1);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    pthread_barrier_wait(&is_warm);
    double start = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
    long slept = waits();
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    int all = per_thread * count;
    double rate = all * 1e3 / (now(CLOCK_MONOTONIC) - start);
    printf("%2d threads: %6.0f kernels a second, %4.2f times one; %.2f ms of a processor and %.2f waits a kernel\n",
           count, rate, of_one > 0 ? rate / of_one : 1, (now(CLOCK_PROCESS_CPUTIME_ID) - used) / all,
           (double)(waits() - slept) / all);
    pthread_barrier_destroy(&is_warm);
    return rate;
}

int main(int argc, char **argv)
{
    tritcc_context *c;
    int count = argc > 1 ? atoi(argv[1]) : 1;
    double of_one = 0;
    grow(); /* before anything else has made the peak high */
    check(NULL, tritcc_create(&c));
    for (int i = 2; i + 1 < argc; i += 2)
        measure(c, argv[i], argv[i + 1]);
    tritcc_destroy(c);
    for (int n = 1; n <= count && n <= most_threads; n *= 2) {
        double rate = share(n, of_one);
        of_one = n == 1 ? rate : of_one;
    }
    return 0;
}
