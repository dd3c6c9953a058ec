/* libtritcc in a warm context: milliseconds of processor time to PTX of the kernels given as FILE OPTIONS pairs, what
 * 1,000 different kernels leave in memory, and how compilations grow with threads. Printed by bench/compile/warm.sh. */
#include "include/tritcc/tritcc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { runs = 60, kernels = 1000, most_threads = 64 };

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

static void *work(void *data)
{
    tritcc_context *c;
    check(NULL, tritcc_create(&c));
    for (int i = 0; i < 100; i++)
        check(c, compile_nth(c, i));
    tritcc_destroy(c);
    return data;
}

static void share(int count)
{
    pthread_t threads[most_threads];
    double start = now(CLOCK_MONOTONIC);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%d threads: %.0f kernels a second\n", count, 100e3 * count / (now(CLOCK_MONOTONIC) - start));
}

int main(int argc, char **argv)
{
    tritcc_context *c;
    int count = argc > 1 ? atoi(argv[1]) : 1;
    check(NULL, tritcc_create(&c));
    for (int i = 2; i + 1 < argc; i += 2)
        measure(c, argv[i], argv[i + 1]);
    tritcc_destroy(c);
    grow();
    for (int n = 1; n <= count && n <= most_threads; n *= 2)
        share(n);
    return 0;
}
