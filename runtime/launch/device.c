/* What launchers for devices share: the lock under which code is loaded, and the entries of a kernel's contexts. */
#include "runtime/launch/launch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

/* Not static: one of each per program, however many objects hold them. */
pthread_mutex_t tri_rt_load_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_once_t tri_rt_forks_once = PTHREAD_ONCE_INIT;
const char *(*tri_rt_driver_text)(int number);

void tri_rt_lock(void) { pthread_mutex_lock(&tri_rt_load_lock); }
void tri_rt_unlock(void) { pthread_mutex_unlock(&tri_rt_load_lock); }

static void guard_forks(void) { pthread_atfork(tri_rt_lock, tri_rt_unlock, tri_rt_unlock); }

void tri_rt_guard_forks(void) { pthread_once(&tri_rt_forks_once, guard_forks); }

int tri_rt_driver_error(int number, const char *(*text)(int number))
{
    if (!number)
        return TRI_OK;
    __atomic_store_n(&tri_rt_driver_text, text, __ATOMIC_RELAXED);
    return TRI_ERROR_DRIVER + number;
}

const char *tri_rt_text_of_driver(int number)
{
    const char *(*text)(int) = __atomic_load_n(&tri_rt_driver_text, __ATOMIC_RELAXED);
    return text ? text(number) : NULL;
}

int tri_rt_find_symbols(void *library, const tri_rt_symbol *symbols, size_t count, void *out_pointers)
{
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        *(void **)((char *)out_pointers + symbols[i].at) = symbol;
        if (!symbol && !symbols[i].is_optional)
            return 0;
    }
    return 1;
}

tri_rt_context *tri_rt_take_context(tri_rt_kernel *kernel, void *context, int kind, int device, int *out_is_new)
{
    tri_rt_context *entry = NULL;
    *out_is_new = 0;
    for (uint32_t i = 0; i < kernel->context_count; i++) {
        if (kernel->contexts[i].context == context)
            return &kernel->contexts[i];
        if (!kernel->contexts[i].context && !entry)
            entry = &kernel->contexts[i];
    }
    if (!entry && kernel->context_count == TRI_RT_MAX_CONTEXTS)
        return NULL;
    if (!entry)
        entry = &kernel->contexts[kernel->context_count];
    entry->device = device;
    entry->kind = kind;
    entry->is_held = 0;
    entry->part = entry->last = 0;
    *out_is_new = 1;
    __atomic_store_n(&entry->context, context, __ATOMIC_RELEASE);
    if (entry == &kernel->contexts[kernel->context_count])
        __atomic_store_n(&kernel->context_count, kernel->context_count + 1, __ATOMIC_RELEASE);
    return entry;
}

/* Entries never move, so that a launch that finds its own does not take the lock. */
tri_rt_context *tri_rt_find_context(const tri_rt_kernel *kernel, const void *context)
{
    uint32_t count = __atomic_load_n(&kernel->context_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (__atomic_load_n(&kernel->contexts[i].context, __ATOMIC_ACQUIRE) == context)
            return &kernel->contexts[i];
    return NULL;
}

tri_rt_module *tri_rt_module_of(const tri_rt_kernel *kernel, const tri_rt_context *entry, uint32_t config)
{
    return &kernel->modules[(uint64_t)(entry - kernel->contexts) * kernel->config_count + config];
}

int tri_rt_has_modules(const tri_rt_kernel *kernel, const tri_rt_context *entry)
{
    for (uint32_t i = 0; i < kernel->config_count; i++)
        if (tri_rt_module_of(kernel, entry, i)->module)
            return 1;
    return 0;
}
