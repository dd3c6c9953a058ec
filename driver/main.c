/* tritcc, and tritrun and triton-compile, which are this program by other names: the process around libtritcc, through
 * nothing but its public header. */
#include "include/tritcc/tritcc.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct {
    int argc;
    char **argv;
    int status;
} command;

/* A signal ends the process: what its thread of compilation finds out about killed children is of no interest. */
static volatile sig_atomic_t is_ending;

/* A message could not be written where messages go: who reads the status has not seen it. */
static int is_message_lost;

/* Kernels print on the C library's streams, too: each text is flushed in its turn. */
static int write_stream(void *user, int stream, const char *data, size_t size)
{
    (void)user;
    if (is_ending)
        return 0;
    FILE *file = stream == 1 ? stdout : stderr;
    if (stream != 1)
        fflush(stdout);
    errno = 0;
    if (fwrite(data, 1, size, file) == size && !fflush(file))
        return 0;
    int error = errno ? errno : EIO;
    clearerr(file);
    is_message_lost |= stream != 1 && error != EBADF; /* a closed stream is not read */
    return error;
}

static void on_signal(int number)
{
    int error = errno;
    is_ending = 1;
    tritcc_clean_up(number);
    signal(number, SIG_DFL);
    raise(number);
    errno = error;
}

static void guard_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            signal(numbers[i], on_signal);
    }
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of its write */
}

/* What is no exit status of a compilation. */
static void last_words(tritcc_context *context, const char *program, int status)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program, *log = "";
    size_t size = 0;
    tritcc_clean_up(0);
    if (status == TRITCC_ERROR_OUT_OF_MEMORY) {
        static const char text[] = ": error: out of memory\n";
        if (write(STDERR_FILENO, name, strlen(name)) < 0 || write(STDERR_FILENO, text, sizeof text - 1) < 0)
            _exit(1);
        _exit(1);
    }
    tritcc_get_log(context, &log, &size);
    fprintf(stderr, "%s: %s\n%s: please report this with the input that led to it\n", name,
            *log ? log : tritcc_strerror(status), name);
    abort();
}

static void *run_command(void *data)
{
    command *c = data;
    tritcc_context *context = NULL;
    int status = tritcc_create(&context);
    if (status == TRITCC_OK) {
        tritcc_set_stream_callback(context, write_stream, NULL, isatty(STDERR_FILENO));
        tritcc_set_environment(context, (const char *const *)environ);
        status = tritcc_command(context, c->argc, (const char *const *)c->argv);
    }
    while (is_ending)
        pause();
    if (status > TRITCC_ERROR_OPTIONS)
        last_words(context, c->argv[0], status);
#ifdef __SANITIZE_ADDRESS__
    tritcc_destroy(context);
#endif
    tritcc_clean_up(0);
    if (fflush(NULL) || ferror(stdout) || is_message_lost) /* what a kernel printed, what was told */
        status = status ? status : TRITCC_ERROR_REJECTED;
#ifndef __SANITIZE_ADDRESS__
    /* The libraries' static objects end with the process: destroying them costs more than --version. */
    _exit(status);
#endif
    c->status = status;
    return NULL;
}

/* On a stack of 1 GB, of which only what is used takes memory: expressions, chains of operations and LLVM's own walks
 * are as deep as a kernel is long. Where there is no room to reserve it, on the stack at hand. */
static void call_deep(command *c)
{
    struct rlimit space;
    pthread_t thread;
    pthread_attr_t attr;
    int error = getrlimit(RLIMIT_AS, &space) || space.rlim_cur != RLIM_INFINITY || pthread_attr_init(&attr);
    if (!error) {
        error = pthread_attr_setstacksize(&attr, (size_t)1 << 30);
        error = error ? error : pthread_create(&thread, &attr, run_command, c);
        pthread_attr_destroy(&attr);
    }
    if (error)
        run_command(c);
    else
        pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    static char *const no_words[] = {"tritcc", NULL};
    command c = {argc, argv, 0};
    if (argc < 1)
        c = (command){1, (char **)no_words, 0};
    guard_signals();
    call_deep(&c);
    return c.status;
}
