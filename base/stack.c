#include "base/stack.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>

enum { megabytes = 1024 };

typedef struct {
    void (*function)(void *data);
    void *data;
} call;

static void *run(void *data)
{
    call *c = data;
    c->function(c->data);
    return NULL;
}

void tri_stack_call(void (*function)(void *data), void *data)
{
    call c = {function, data};
    struct rlimit space;
    pthread_t thread;
    pthread_attr_t attr;
    int error = getrlimit(RLIMIT_AS, &space) || space.rlim_cur != RLIM_INFINITY || pthread_attr_init(&attr);
    if (!error) {
        error = pthread_attr_setstacksize(&attr, (size_t)megabytes << 20);
        error = error ? error : pthread_create(&thread, &attr, run, &c);
        pthread_attr_destroy(&attr);
    }
    if (error)
        function(data);
    else
        pthread_join(thread, NULL);
}
