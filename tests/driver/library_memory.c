/* library_memory FIRST LAST STEP [OPTIONS FILE]: allocation N of one thread, and then every one from N, finds no memory
 * while another thread compiles, for N from FIRST to LAST. The first must be told of it and its context be dead; the
 * other must not notice. It compiles a small kernel, or a file with options. "library_memory count ..." tells how many
 * allocations a compilation makes. */
#include <tritcc/tritcc.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
static _Thread_local long left = -1; /* before one fails; -1: none does */
static _Thread_local int is_for_good;

static _Thread_local long made;

static int fails(void)
{
    made++;
    if (left < 0 || (left > 0 && --left > 0))
        return 0;
    left = is_for_good ? 0 : -1;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return fails() ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
void *memalign(size_t a, size_t n) { return fails() ? NULL : __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { return fails() ? NULL : __libc_memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) { return fails() || !(*p = __libc_memalign(a, n)) ? ENOMEM : 0; }

static const char small[] =
    "import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(x, y, n, B: tl.constexpr):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n    v = tl.load(x + i, mask=i < n)\n"
    "    tl.store(y + i, v + tl.sum(v, 0), mask=i < n)\n";
static const char *kernel = small, *options = "-arch=sm_80 -sig '*fp32:16, *fp32, i32, 256' -emit=ptx";
static int stop;
static char *wanted;

static int compile(tritcc_context *c, char **out_ptx)
{
    const void *data;
    size_t size;
    int status = tritcc_set_options(c, options);
    status = status ? status : tritcc_set_input(c, "k.tri", kernel, strlen(kernel));
    status = status ? status : tritcc_compile(c);
    status = status ? status : tritcc_get_output(c, "ptx", &data, &size);
    if (!status && out_ptx)
        *out_ptx = strdup(data);
    return status;
}

static void *other(void *data)
{
    (void)data;
    tritcc_context *c;
    long done = 0;
    if (tritcc_create(&c))
        abort();
    do { /* once at least, however late it starts */
        char *ptx = NULL;
        if (compile(c, &ptx) || strcmp(ptx, wanted))
            abort();
        free(ptx);
        done++;
        usleep(10000);
    } while (!__atomic_load_n(&stop, __ATOMIC_RELAXED));
    tritcc_destroy(c);
    return (void *)done;
}

static int attempt(long n, int for_good)
{
    tritcc_context *c;
    is_for_good = for_good;
    left = n;
    int status = tritcc_create(&c);
    if (!status) {
        status = compile(c, NULL);
        left = -1;
        if (status != TRITCC_OK && status != TRITCC_ERROR_OUT_OF_MEMORY && status != TRITCC_ERROR_DEAD)
            return printf("allocation %ld%s: %s\n", n, for_good ? " and all behind" : "", tritcc_strerror(status)), 1;
        if (status && tritcc_compile(c) != TRITCC_ERROR_DEAD)
            return printf("allocation %ld: the context is not dead\n", n), 1;
        tritcc_destroy(c);
    }
    left = -1;
    return 0;
}

static void take_file(const char *words, const char *path)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    if (!f || !fread(text, 1, sizeof text - 1, f))
        exit(2);
    fclose(f);
    kernel = text;
    options = words;
}

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 6)
        return 2;
    if (argc == 6)
        take_file(argv[4], argv[5]);
    pthread_t thread;
    void *done;
    tritcc_context *c;
    long last = atol(argv[2]), step = atol(argv[3]);
    int bad = 0;
    made = 0;
    if (tritcc_create(&c) || compile(c, &wanted))
        return 1;
    if (!strcmp(argv[1], "count"))
        return printf("%ld\n", made) < 0;
    tritcc_destroy(c);
    pthread_create(&thread, NULL, other, NULL);
    for (long n = atol(argv[1]); n <= last && !bad; n += step)
        bad = attempt(n, 0) || attempt(n, 1);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, &done);
    return bad || !done;
}
