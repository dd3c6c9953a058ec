#include "run/fence.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    const tri_array *array;
    tri_str name;
    size_t size;
    unsigned char *map, *data, *end; /* the first page and what follows `end` cannot be touched */
    size_t map_size;
} fence;

struct tri_run_fences {
    TRI_VEC(fence) at;
};

static const tri_run_fences *watched;

/* Data ends at a page; what kernels are told of addresses is that 16 divides them. */
static bool build(fence *f)
{
    enum { alignment = 16 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (f->size + alignment - 1) & ~(size_t)(alignment - 1);
    size_t inner = (room + page - 1) / page * page;
    f->map_size = inner + 2 * page;
    f->map = mmap(NULL, f->map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f->map == MAP_FAILED)
        return false;
    f->end = f->map + page + inner;
    f->data = f->end - room;
    if (inner && mprotect(f->map + page, inner, PROT_READ | PROT_WRITE)) {
        munmap(f->map, f->map_size);
        return false;
    }
    memcpy(f->data, f->array->data, f->size);
    return true;
}

static const fence *find(const tri_run_fences *fences, const tri_array *array)
{
    for (size_t i = 0; i < fences->at.len; i++)
        if (fences->at.at[i].array == array)
            return &fences->at.at[i];
    return NULL;
}

tri_run_fences *tri_run_fence_arrays(tri_run_kernel *k)
{
    tri_run_fences *fences = TRI_NEW(k->unit.arena, tri_run_fences);
    for (size_t n = 0; n < k->num_values; n++) {
        const tri_run_word *word = &k->words[n];
        if (!word->address || word->argument->kind != TRI_ARGUMENT_ARRAY)
            continue;
        const tri_array *array = &word->argument->array;
        fence made = {.array = array, .name = word->name, .size = (size_t)array->count * tri_dtype_size(array->dtype)};
        const fence *f = find(fences, array);
        if (!f && !build(&made)) {
            tri_run_fence_destroy(fences);
            return NULL;
        }
        if (!f)
            tri_vec_push(k->unit.arena, &fences->at, made);
        tri_run_word_point(word, f ? f->data : made.data);
    }
    return fences;
}

static struct sigaction old_segv, old_bus;

static void on_fault(int number, siginfo_t *info, void *context)
{
    char text[400];
    const unsigned char *at = info->si_addr;
    (void)context;
    for (size_t i = 0; i < watched->at.len; i++) {
        const fence *f = &watched->at.at[i];
        if (at < f->map || at >= f->map + f->map_size)
            continue;
        int size = snprintf(text, sizeof text,
                            "tritrun: error: the kernel goes beyond the %s of '%.*s', which has %zu bytes [TRI-9004]\n",
                            at < f->data ? "beginning" : "end", TRI_STR_ARG(f->name), f->size);
        if (write(STDERR_FILENO, text, (size_t)size) >= 0)
            _exit(1);
    }
    sigaction(number, number == SIGBUS ? &old_bus : &old_segv, NULL); /* another fault: it comes again */
}

void tri_run_fence_watch(const tri_run_fences *fences)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    if (!fences)
        return;
    watched = fences;
    sigaction(SIGSEGV, &action, &old_segv);
    sigaction(SIGBUS, &action, &old_bus);
}

void tri_run_fence_fetch(const tri_run_fences *fences)
{
    for (size_t i = 0; fences && i < fences->at.len; i++)
        memcpy(fences->at.at[i].array->data, fences->at.at[i].data, fences->at.at[i].size);
}

void tri_run_fence_destroy(tri_run_fences *fences)
{
    if (!fences)
        return;
    if (watched == fences) {
        sigaction(SIGSEGV, &old_segv, NULL);
        sigaction(SIGBUS, &old_bus, NULL);
        watched = NULL;
    }
    for (size_t i = 0; i < fences->at.len; i++)
        munmap(fences->at.at[i].map, fences->at.at[i].map_size);
    fences->at.len = 0;
}
