/* Threads for launches on the host.
 *
 * Nothing starts before the first launch that asks for more than one thread. A worker sleeps on a semaphore of its own;
 * the launch posts those that sleep and begins at once. It ends when nothing is left to take and the workers that came
 * are done: one that still wakes finds the launch closed and is not waited for, which on a virtual machine takes
 * milliseconds. After work a worker looks for more for some 40 us before it sleeps: waking it takes 7 to 25 us.
 *
 * One launch at a time has the workers; others, and those from within kernels' work, run on their own thread. A child
 * of fork has no workers and starts anew. Before its code goes (dlclose, exit) the workers are ended. */
#include "runtime/launch/launch.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { stack_bytes = 8 << 20 }; /* of a worker: a program's blocks, whatever the system's default is */
enum { max_threads = 1024, spins_before_sleep = 100000, spins_before_yield = 10000 };

/* As large as any system's, since the bitcode is made on one and used on others. */
typedef union {
    sem_t semaphore;
    char bytes[128];
} wide_semaphore;

typedef struct {
    _Alignas(64) wide_semaphore wake;
    pthread_t thread;
    int is_asleep; /* atomic: it waits for `wake`, and nobody has posted that yet */
} worker;

static struct {
    int is_taken; /* atomic: a launch has the workers */
    int pid, started, is_registered;
    void (*work)(void *data, unsigned thread);
    void *data;
    _Alignas(64) unsigned generation; /* atomic, counts launches */
    int is_open, is_ending;           /* atomic: there may be work; the workers shall return */
    _Alignas(64) int inside;          /* atomic: workers that look at the launch */
    worker workers[max_threads];
} pool;

int tri_rt_asked_threads; /* atomic; 0: nobody has asked */

int tri_threads(int count)
{
    if (count != TRI_OPENMP && (count < 1 || count > max_threads))
        return TRI_ERROR_THREADS;
    __atomic_store_n(&tri_rt_asked_threads, count, __ATOMIC_RELAXED);
    return TRI_OK;
}

/* No instruction for it: this code is for every processor that objects are made for. */
static void relax(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

static void sleep_until_posted(worker *w, unsigned seen)
{
    __atomic_store_n(&w->is_asleep, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&pool.generation, __ATOMIC_SEQ_CST) != seen &&
        __atomic_exchange_n(&w->is_asleep, 0, __ATOMIC_SEQ_CST))
        return; /* a launch came in between, and has not posted */
    while (sem_wait(&w->wake.semaphore) && errno == EINTR)
        ;
}

static void *serve(void *argument)
{
    worker *w = argument;
    unsigned seen = 0; /* less than at any launch: there may be work already */
    for (;;) {
        for (int i = 0; i < spins_before_sleep && __atomic_load_n(&pool.generation, __ATOMIC_ACQUIRE) == seen; i++)
            relax();
        if (__atomic_load_n(&pool.generation, __ATOMIC_ACQUIRE) == seen)
            sleep_until_posted(w, seen);
        seen = __atomic_load_n(&pool.generation, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&pool.is_ending, __ATOMIC_SEQ_CST))
            return 0;
        __atomic_add_fetch(&pool.inside, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&pool.is_open, __ATOMIC_SEQ_CST))
            pool.work(pool.data, (unsigned)(w - pool.workers) + 1);
        __atomic_sub_fetch(&pool.inside, 1, __ATOMIC_SEQ_CST);
    }
}

/* Every worker that sleeps, up to `count` of them. */
static void wake(int count)
{
    __atomic_add_fetch(&pool.generation, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < count; i++)
        if (__atomic_exchange_n(&pool.workers[i].is_asleep, 0, __ATOMIC_SEQ_CST))
            sem_post(&pool.workers[i].wake.semaphore);
}

static void end(void *unused)
{
    (void)unused;
    if (pool.pid != (int)getpid() || __atomic_exchange_n(&pool.is_taken, 1, __ATOMIC_ACQUIRE))
        return; /* another process's, or in use while the program exits */
    __atomic_store_n(&pool.is_ending, 1, __ATOMIC_SEQ_CST);
    wake(pool.started);
    for (int i = 0; i < pool.started; i++) {
        pthread_join(pool.workers[i].thread, 0);
        sem_destroy(&pool.workers[i].wake.semaphore);
    }
    pool.started = 0;
    __atomic_store_n(&pool.is_ending, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&pool.is_taken, 0, __ATOMIC_RELEASE);
}

/* Of the program or library that this is linked into; absent where code has no file. */
extern void *__dso_handle __attribute__((weak, visibility("hidden")));
extern int __cxa_atexit(void (*function)(void *), void *argument, void *dso);

void tri_rt_at_end(void (*function)(void *))
{
    if (&__dso_handle)
        __cxa_atexit(function, 0, &__dso_handle);
}

/* As many as the system gives. Signals are for the program's own threads. */
static void start(int count)
{
    sigset_t all, old;
    if (!pool.is_registered)
        tri_rt_at_end(end);
    pool.is_registered = 1;
    if (count <= pool.started)
        return;
    pthread_attr_t roomy;
    if (pthread_attr_init(&roomy))
        return;
    pthread_attr_setstacksize(&roomy, stack_bytes);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (int i = pool.started; i < count; i++) {
        worker *w = &pool.workers[i];
        w->is_asleep = 0;
        if (sem_init(&w->wake.semaphore, 0, 0) || pthread_create(&w->thread, &roomy, serve, w))
            break;
        pool.started++;
    }
    pthread_sigmask(SIG_SETMASK, &old, 0);
    pthread_attr_destroy(&roomy);
}

/* A child has its parent's numbers, but only the thread that forked. */
static void forget_parent(void)
{
    int pid = (int)getpid();
    if (__atomic_load_n(&pool.pid, __ATOMIC_RELAXED) == pid)
        return;
    int is_child = pool.pid != 0;
    if (is_child) {
        pool.started = pool.inside = pool.is_open = 0;
        __atomic_store_n(&pool.is_taken, 0, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&pool.pid, pid, __ATOMIC_RELAXED);
}

void tri_rt_pool_run(void (*work)(void *data, unsigned thread), void *data, int threads)
{
    threads = threads < max_threads ? threads : max_threads;
    forget_parent();
    if (threads <= 1 || __atomic_exchange_n(&pool.is_taken, 1, __ATOMIC_ACQUIRE)) {
        work(data, 0);
        return;
    }
    start(threads - 1);
    pool.work = work;
    pool.data = data;
    __atomic_store_n(&pool.is_open, 1, __ATOMIC_SEQ_CST);
    wake(threads - 1 < pool.started ? threads - 1 : pool.started);
    work(data, 0);
    __atomic_store_n(&pool.is_open, 0, __ATOMIC_SEQ_CST);
    for (int i = 0; __atomic_load_n(&pool.inside, __ATOMIC_SEQ_CST); i++) {
        if (i < spins_before_yield)
            relax();
        else
            sched_yield();
    }
    __atomic_store_n(&pool.is_taken, 0, __ATOMIC_RELEASE);
}
