/* Runs a pack of cases on the GPU of this machine and compares the results. Needs a C compiler and NVIDIA's
 * driver, nothing else:
 *
 *     cc -O2 -I ROOT -o runner ROOT/tests/matrix/gpu/runner.c ROOT/tests/matrix/number.c -ldl -lm
 *     ./runner PACK [PROCESSES [TEXT]]        TEXT: only the cases whose name has it
 *
 * A case that breaks its context (a bad access, a trap, no end within 20 s) ends its process; another one
 * goes on behind it. Status 1 when a case failed. */
#include "tests/matrix/gpu/pack.h"
#include "tests/matrix/number.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { max_args = 32, seconds = 20, not_ready = 600, max_shared_attribute = 8 };

/* The part of the driver's interface that is used. */
typedef int CUresult;
typedef uint64_t CUdeviceptr;
static struct {
    CUresult (*cuInit)(unsigned);
    CUresult (*cuDeviceGet)(int *, int);
    CUresult (*cuDevicePrimaryCtxRetain)(void **, int);
    CUresult (*cuCtxSetCurrent)(void *);
    CUresult (*cuModuleLoadData)(void **, const void *);
    CUresult (*cuModuleUnload)(void *);
    CUresult (*cuModuleGetFunction)(void **, void *, const char *);
    CUresult (*cuFuncSetAttribute)(void *, int, int);
    CUresult (*cuMemAlloc_v2)(CUdeviceptr *, size_t);
    CUresult (*cuMemFree_v2)(CUdeviceptr);
    CUresult (*cuMemcpyHtoD_v2)(CUdeviceptr, const void *, size_t);
    CUresult (*cuMemcpyDtoH_v2)(void *, CUdeviceptr, size_t);
    CUresult (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                               void **, void **);
    CUresult (*cuStreamQuery)(void *);
    CUresult (*cuGetErrorString)(CUresult, const char **);
} cu;

static int load_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return 0;
#define FIND(name) \
    if (!(*(void **)&cu.name = dlsym(library, #name))) \
        return 0;
    FIND(cuInit)
    FIND(cuDeviceGet)
    FIND(cuDevicePrimaryCtxRetain)
    FIND(cuCtxSetCurrent)
    FIND(cuModuleLoadData)
    FIND(cuModuleUnload)
    FIND(cuModuleGetFunction)
    FIND(cuFuncSetAttribute)
    FIND(cuMemAlloc_v2)
    FIND(cuMemFree_v2)
    FIND(cuMemcpyHtoD_v2)
    FIND(cuMemcpyDtoH_v2)
    FIND(cuLaunchKernel)
    FIND(cuStreamQuery)
    FIND(cuGetErrorString)
#undef FIND
    return 1;
}

/* --- the pack ---------------------------------------------------------------------------- */

typedef struct {
    const char *at, *end;
} reader;

static const void *take(reader *r, uint64_t *out_size)
{
    uint64_t size;
    if ((size_t)(r->end - r->at) < sizeof size)
        return NULL;
    memcpy(&size, r->at, sizeof size);
    const char *data = r->at + sizeof size;
    if (size > (uint64_t)(r->end - data))
        return NULL;
    r->at = data + size;
    if (out_size)
        *out_size = size;
    return data;
}

typedef struct {
    pack_argument head;
    const char *name;
    const void *start, *want;
} argument;

typedef struct {
    pack_case head;
    const char *name;
    const void *code;
    argument args[max_args];
} gpu_case;

static int read_case(reader *r, gpu_case *c)
{
    const void *head = take(r, NULL);
    if (!head)
        return 0;
    memcpy(&c->head, head, sizeof c->head);
    if (c->head.magic != PACK_MAGIC || c->head.num_args > max_args)
        return 0;
    c->name = take(r, NULL);
    c->code = take(r, NULL);
    for (uint32_t i = 0; i < c->head.num_args; i++) {
        argument *a = &c->args[i];
        head = take(r, NULL);
        if (!head)
            return 0;
        memcpy(&a->head, head, sizeof a->head);
        a->name = take(r, NULL);
        a->start = a->head.kind == PACK_SCALAR ? NULL : take(r, NULL);
        a->want = a->head.kind == PACK_RESULT ? take(r, NULL) : NULL;
    }
    return 1;
}

/* --- one case ---------------------------------------------------------------------------- */

typedef struct {
    long at, passed, failed;
} progress;

static int fail(const char *what, CUresult error, FILE *out)
{
    const char *text = "";
    cu.cuGetErrorString(error, &text);
    fprintf(out, "# %s: %d %s\n", what, error, text);
    return 0;
}

/* The context is of no use any more after this. */
static void broken(const gpu_case *c, progress *p, const char *what, CUresult error)
{
    printf("not ok %s\n", c->name);
    fail(what, error, stdout);
    fflush(stdout);
    p->failed++;
    _exit(3);
}

static void wait_for_end(const gpu_case *c, progress *p)
{
    time_t start = time(NULL);
    CUresult error;
    while ((error = cu.cuStreamQuery(NULL)) == not_ready)
        if (time(NULL) - start > seconds)
            broken(c, p, "still running", error);
    if (error)
        broken(c, p, "run", error);
}

static int launch(const gpu_case *c, progress *p, CUdeviceptr *at, FILE *out)
{
    void *module, *function, *params[max_args + 2];
    uint64_t values[max_args + 2] = {0};
    CUresult error = cu.cuModuleLoadData(&module, c->code);
    if (error)
        return fail("load", error, out);
    error = cu.cuModuleGetFunction(&function, module, "k");
    if (!error && c->head.shared > 48 * 1024)
        error = cu.cuFuncSetAttribute(function, max_shared_attribute, (int)c->head.shared);
    if (error)
        return fail("function", error, out);
    CUdeviceptr scratch = 0; /* behind the arguments, for all programs; 128 bytes is what maps want */
    size_t programs = (size_t)c->head.grid[0] * c->head.grid[1] * c->head.grid[2];
    if (c->head.scratch && (error = cu.cuMemAlloc_v2(&scratch, ((size_t)c->head.scratch + 127) / 128 * 128 * programs)))
        return fail("scratch memory", error, out);
    for (uint32_t i = 0; i < c->head.num_args + 2; i++) {
        bool is_scalar = i < c->head.num_args && c->args[i].head.kind == PACK_SCALAR;
        values[i] = i == c->head.num_args  ? scratch
                    : i > c->head.num_args ? 0
                    : is_scalar            ? c->args[i].head.bits
                                           : at[i];
        params[i] = &values[i];
    }
    error = cu.cuLaunchKernel(function, c->head.grid[0], c->head.grid[1], c->head.grid[2], c->head.threads, 1, 1,
                              c->head.shared, NULL, params, NULL);
    if (error)
        return fail("launch", error, out);
    wait_for_end(c, p);
    if (scratch)
        cu.cuMemFree_v2(scratch);
    cu.cuModuleUnload(module);
    return 1;
}

static int check(const gpu_case *c, const CUdeviceptr *at, FILE *out)
{
    int64_t wrong = 0;
    for (uint32_t i = 0; i < c->head.num_args; i++) {
        const pack_argument *a = &c->args[i].head;
        if (a->kind != PACK_RESULT)
            continue;
        size_t size = (size_t)a->count * (size_t)m_dtype_size((m_dtype)a->dtype);
        m_array got = {(m_dtype)a->dtype, a->count, malloc(size)},
                want = {(m_dtype)a->dtype, a->count, (void *)c->args[i].want};
        CUresult error = cu.cuMemcpyDtoH_v2(got.data, at[i], size);
        m_tolerance t = {a->ulps, a->rtol, a->atol, a->is_strict != 0};
        wrong += error ? !fail("copy", error, out) : m_compare(&got, &want, t, c->args[i].name, out);
        free(got.data);
    }
    return !wrong;
}

static void run_case(const gpu_case *c, progress *p)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    CUdeviceptr at[max_args] = {0};
    CUresult error = 0;
    for (uint32_t i = 0; i < c->head.num_args && !error; i++) {
        const pack_argument *a = &c->args[i].head;
        size_t size = (size_t)a->count * (size_t)m_dtype_size((m_dtype)a->dtype);
        if (a->kind == PACK_SCALAR)
            continue;
        error = cu.cuMemAlloc_v2(&at[i], size ? size : 1);
        if (!error)
            error = cu.cuMemcpyHtoD_v2(at[i], c->args[i].start, size);
    }
    int ok = error ? fail("memory", error, out) : launch(c, p, at, out) && check(c, at, out);
    for (uint32_t i = 0; i < c->head.num_args; i++)
        if (at[i])
            cu.cuMemFree_v2(at[i]);
    fclose(out);
    if (!ok)
        printf("not ok %s\n%s", c->name, text);
    fflush(stdout);
    free(text);
    ok ? p->passed++ : p->failed++;
}

/* --- processes --------------------------------------------------------------------------- */

static void work(reader r, int part, int parts, const char *filter, progress *p)
{
    int device;
    void *context;
    if (!load_driver() || cu.cuInit(0) || cu.cuDeviceGet(&device, 0) || cu.cuDevicePrimaryCtxRetain(&context, device) ||
        cu.cuCtxSetCurrent(context)) {
        fprintf(stderr, "runner: no driver or no device\n");
        _exit(2);
    }
    gpu_case c;
    for (long i = 0; read_case(&r, &c); i++) {
        if (i % parts != part || i < p->at || (filter && !strstr(c.name, filter)))
            continue;
        p->at = i + 1;
        run_case(&c, p);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    struct stat info;
    int parts = argc > 2 ? atoi(argv[2]) : 1, file = argc > 1 ? open(argv[1], O_RDONLY) : -1, live = 0, status;
    if (file < 0 || fstat(file, &info) || parts < 1 || parts > 64) {
        fprintf(stderr, "usage: runner PACK [PROCESSES [TEXT]]\n");
        return 2;
    }
    const char *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    progress *p = mmap(NULL, sizeof *p * 64, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED || p == MAP_FAILED)
        return 2;
    reader r = {data, data + info.st_size};
    pid_t children[64];
    for (int i = 0; i < parts; i++, live++)
        if (!(children[i] = fork()))
            work(r, i, parts, argc > 3 ? argv[3] : NULL, &p[i]);
    while (live) {
        pid_t child = wait(&status);
        int i = 0;
        while (i < parts && children[i] != child)
            i++;
        if (i == parts)
            continue;
        if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2)) {
            p[i].failed += WEXITSTATUS(status);
            live--;
            continue;
        }
        if (WIFSIGNALED(status))
            printf("not ok case %ld: signal %d\n", p[i].at - 1, WTERMSIG(status)), p[i].failed++;
        if (!(children[i] = fork()))
            work(r, i, parts, argc > 3 ? argv[3] : NULL, &p[i]);
    }
    long passed = 0, failed = 0;
    for (int i = 0; i < parts; i++)
        passed += p[i].passed, failed += p[i].failed;
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}
