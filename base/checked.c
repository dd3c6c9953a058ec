/* The allocators of C for programs linked with --wrap=malloc and so on: libraries that never look whether they got
 * memory (MLIR's interface tables, copies of messages for llvm-c) end as our own code does.
 *
 * Under a trap the work is not ended at once, where a library may hold a lock that others wait for: it goes on with
 * memory kept for that, up to the next place that asks tri_trap_asked. That memory is not given back: what it went to
 * may outlive the work. */
#include "base/fatal.h"
#include "base/trap.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { reserve_size = 256 << 20, last_size = 1 << 20, alignment = 64 };

static char last_reserve[last_size]
    __attribute__((aligned(alignment))); /* where the system has no more addresses either */
static char *reserve; /* atomic; null until memory ran out once */
static size_t reserve_end, reserve_used;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *data, size_t size);
void __real_free(void *data);
int __real_posix_memalign(void **out_data, size_t align, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *data, size_t size);
void __wrap_free(void *data);
void *__wrap_aligned_alloc(size_t align, size_t size);
int __wrap_posix_memalign(void **out_data, size_t align, size_t size);
char *__wrap_strdup(const char *text);

static void start(void)
{
    void *map = mmap(NULL, reserve_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool is_mapped = map != MAP_FAILED;
    reserve_end = is_mapped ? reserve_size : last_size;
    __atomic_store_n(&reserve, is_mapped ? map : last_reserve, __ATOMIC_RELEASE);
}

static bool is_reserve(const void *data)
{
    const char *start_of = __atomic_load_n(&reserve, __ATOMIC_ACQUIRE);
    return start_of && (const char *)data >= start_of && (const char *)data < start_of + reserve_end;
}

/* Zeroed, aligned to `align`; its size stands before it. */
static void *take(size_t size, size_t align)
{
    static pthread_once_t is_started = PTHREAD_ONCE_INIT;
    if (!tri_trap_fall_short())
        tri_fatal_out_of_memory();
    pthread_once(&is_started, start);
    align = align < alignment ? alignment : align;
    if (size > reserve_end / 2 || align > 4096)
        tri_fatal_out_of_memory();
    size_t need = (size + alignment - 1) / alignment * alignment + align;
    size_t at = __atomic_fetch_add(&reserve_used, need, __ATOMIC_RELAXED);
    if (at + need > reserve_end)
        tri_fatal_out_of_memory();
    char *data = reserve + (at + align) / align * align;
    memcpy(data - sizeof size, &size, sizeof size);
    return data;
}

void *__wrap_malloc(size_t size)
{
    void *data = __real_malloc(size);
    return data || !size ? data : take(size, alignment);
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *data = __real_calloc(count, size);
    size_t total;
    if (data || !count || !size)
        return data;
    if (__builtin_mul_overflow(count, size, &total))
        tri_fatal_out_of_memory();
    return take(total, alignment);
}

void *__wrap_realloc(void *data, size_t size)
{
    bool was_reserve = is_reserve(data);
    void *grown = was_reserve ? NULL : __real_realloc(data, size);
    if (grown || (!size && !was_reserve))
        return grown;
    size_t old = size;
    if (was_reserve)
        memcpy(&old, (char *)data - sizeof old, sizeof old);
    grown = take(size, alignment);
    if (was_reserve)
        return memcpy(grown, data, old < size ? old : size);
    if (data) {
        size_t have = malloc_usable_size(data);
        memcpy(grown, data, have < size ? have : size);
        __real_free(data);
    }
    return grown;
}

void __wrap_free(void *data)
{
    if (!is_reserve(data))
        __real_free(data);
}

int __wrap_posix_memalign(void **out_data, size_t align, size_t size)
{
    int error = __real_posix_memalign(out_data, align, size);
    if (error != ENOMEM)
        return error;
    *out_data = take(size, align);
    return 0;
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    void *data = NULL;
    align = align < sizeof(void *) ? sizeof(void *) : align;
    return __wrap_posix_memalign(&data, align, size) ? NULL : data;
}

char *__wrap_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(__wrap_malloc(size), text, size);
}

/* Destructors of C++'s thread_local objects: glibc ends the process when it finds no memory to note one. */
typedef struct ending {
    struct ending *next;
    void (*end)(void *object);
    void *object;
} ending;

static pthread_key_t endings;
static bool has_endings;
int __wrap___cxa_thread_atexit(void (*end)(void *object), void *object, void *library);

static void run_endings(void *data)
{
    for (ending *e = data, *next; e; e = next) {
        next = e->next;
        e->end(e->object);
        __wrap_free(e);
    }
}

static void make_endings(void) { has_endings = pthread_key_create(&endings, run_endings) == 0; }

/* Threads that end after this library was closed must not come back to it. */
__attribute__((destructor)) static void delete_endings(void)
{
    if (has_endings)
        pthread_key_delete(endings);
}

/* Without memory or a key the object stays as it is when the thread ends. */
int __wrap___cxa_thread_atexit(void (*end)(void *object), void *object, void *library)
{
    static pthread_once_t is_made = PTHREAD_ONCE_INIT;
    (void)library;
    pthread_once(&is_made, make_endings);
    ending *e = has_endings ? __wrap_malloc(sizeof *e) : NULL;
    if (!e)
        return 0;
    *e = (ending){pthread_getspecific(endings), end, object};
    if (pthread_setspecific(endings, e))
        __wrap_free(e);
    return 0;
}
