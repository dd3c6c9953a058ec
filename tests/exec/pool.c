/* The pool of runtime/launch/pool.c by itself, so that it can be compiled with a sanitizer. */
#include "runtime/launch/launch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
enum { turns = 60 };
#else
enum { turns = 300 };
#endif
enum { total = 100 };

typedef struct {
    int next, done[total];
} job;

static void work(void *data, unsigned thread)
{
    job *j = data;
    if (thread >= 1024)
        exit(2);
    for (int i; (i = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED)) < total;)
        j->done[i]++; /* each by one thread */
}

static void nested(void *data, unsigned thread)
{
    job inner = {0};
    tri_rt_pool_run(work, &inner, 4);
    work(data, thread);
}

static void check(void (*run)(void *, unsigned), int threads)
{
    job j = {0};
    tri_rt_pool_run(run, &j, threads);
    for (int i = 0; i < total; i++)
        if (j.done[i] != 1) {
            fprintf(stderr, "%d threads: %d times number %d\n", threads, j.done[i], i);
            exit(1);
        }
}

static void *launch_often(void *unused)
{
    for (int i = 0; i < turns; i++)
        check(work, 3);
    return unused;
}

int main(void)
{
    for (int threads = 1; threads <= 6; threads++)
        for (int i = 0; i < turns; i++)
            check(i % 50 ? work : nested, threads);
    for (int i = 0; i < 20; i++) { /* workers asleep */
        nanosleep(&(struct timespec){0, 5000000}, 0);
        check(work, 4);
    }
    pthread_t others[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&others[i], 0, launch_often, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(others[i], 0);
    pid_t child = fork();
    if (!child) {
        check(work, 4);
        check(work, 2);
        _exit(0);
    }
    int status;
    return waitpid(child, &status, 0) != child || status != 0;
}
