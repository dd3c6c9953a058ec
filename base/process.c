#include "base/process.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

bool tri_process_find(tri_arena *arena, tri_str name, const char *path, tri_str *out_path)
{
    if (tri_str_find(name, '/') != name.len) {
        *out_path = tri_str_copy(arena, name);
        return is_program(out_path->data);
    }
    tri_str rest = tri_str_from(path ? path : "");
    while (rest.len) {
        size_t end = tri_str_find(rest, ':');
        tri_str candidate = tri_path_join(arena, tri_str_sub(rest, 0, end), name);
        if (is_program(candidate.data)) {
            *out_path = candidate;
            return true;
        }
        rest = tri_str_sub(rest, end < rest.len ? end + 1 : end, rest.len);
    }
    return false;
}

/* Children that run, for signal handlers; 0: free. What finds no room is not signalled. Atomic. */
enum { max_children = 16, is_starting = -1, longest_start = 1000 /* ms */ };
static pid_t children[max_children];

static int reserve_child(void)
{
    for (int i = 0; i < max_children; i++) {
        pid_t expected = 0;
        if (__atomic_compare_exchange_n(&children[i], &expected, is_starting, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return i;
    }
    return -1;
}

static void set_child(int slot, pid_t pid)
{
    if (slot >= 0)
        __atomic_store_n(&children[slot], pid, __ATOMIC_RELEASE);
}

/* Of a child that another thread is starting (not this one: start_kept() blocks signals) the number comes soon. */
void tri_process_signal(int number)
{
    for (int i = 0; i < max_children; i++) {
        pid_t pid = __atomic_load_n(&children[i], __ATOMIC_ACQUIRE);
        for (int ms = 0; pid == is_starting && ms < longest_start; ms++) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            pid = __atomic_load_n(&children[i], __ATOMIC_ACQUIRE);
        }
        if (pid > 0)
            kill(pid, number);
    }
}

/* `signals`: those that the child has blocked. */
static int spawn_program(const char *const *argv, bool is_quiet, int output, int input, const sigset_t *signals,
                         pid_t *out_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, signals);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (is_quiet)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    else
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, output);
    posix_spawn_file_actions_addclose(&actions, input);
    int error = posix_spawn(out_pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* When a child has to have ended, in ms of a clock that only goes forward; LLONG_MAX: never. */
static long long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Waits until there is something to read, or its end. False: not before `end`. */
static bool wait_for_output(int fd, long long end)
{
    for (;;) {
        long long left = end == LLONG_MAX ? -1 : end - now_ms();
        if (left < 0 && end != LLONG_MAX)
            return false;
        struct pollfd ask = {.fd = fd, .events = POLLIN};
        int n = poll(&ask, 1, left > INT_MAX ? INT_MAX : (int)left);
        if (n > 0 || (n < 0 && errno != EINTR))
            return true;
    }
}

/* What it writes, until it closes its output or `end` comes. */
static void collect_process(int fd, long long end, tri_buf *out)
{
    char chunk[4096];
    while (wait_for_output(fd, end)) {
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        tri_buf_add(out, chunk, (size_t)n);
    }
}

/* Waits for its end, which is brought about at `end`. True: it was. */
static bool wait_for_end(pid_t pid, long long end, int *status)
{
    for (bool is_late = false;;) {
        pid_t found = waitpid(pid, status, end == LLONG_MAX || is_late ? 0 : WNOHANG);
        if (found == pid || (found < 0 && errno != EINTR))
            return is_late;
        if (found == 0 && now_ms() >= end) {
            kill(pid, SIGKILL);
            is_late = true;
        } else if (found == 0) {
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        }
    }
}

/* The same, and tri_process_signal() knows of it from its first moment; `slot`: where it is kept. */
static int start_kept(const char *const *argv, bool is_quiet, const int ends[2], int *slot, pid_t *out_pid)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    *slot = reserve_child();
    int error = spawn_program(argv, is_quiet, ends[1], ends[0], &old, out_pid);
    set_child(*slot, error ? 0 : *out_pid);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}

tri_process_result tri_process_run_for(tri_arena *arena, const char *const *argv, int seconds, bool is_quiet)
{
    tri_process_result result = {0};
    int ends[2];
    if (pipe(ends) != 0) {
        result.error = errno;
        return result;
    }
    int slot;
    pid_t pid;
    result.error = start_kept(argv, is_quiet, ends, &slot, &pid);
    close(ends[1]);
    if (result.error) {
        close(ends[0]);
        return result;
    }
    result.started = true;
    tri_buf output = {0};
    long long end = seconds ? now_ms() + seconds * 1000LL : LLONG_MAX;
    collect_process(ends[0], end, &output);
    close(ends[0]);
    result.output = tri_str_copy(arena, tri_buf_str(&output));
    tri_buf_fini(&output);
    int status = 0;
    result.is_late = wait_for_end(pid, end, &status);
    set_child(slot, 0);
    if (WIFSIGNALED(status))
        result.signal = WTERMSIG(status);
    else
        result.status = WEXITSTATUS(status);
    return result;
}

tri_process_result tri_process_run(tri_arena *arena, const char *const *argv)
{
    return tri_process_run_for(arena, argv, 0, false);
}

static bool needs_quotes(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:,@%";
    return !*word || word[strspn(word, plain)] != 0;
}

tri_str tri_process_quote(tri_arena *arena, const char *const *argv)
{
    tri_buf buf = {0};
    for (size_t i = 0; argv[i]; i++) {
        if (i)
            tri_buf_add_char(&buf, ' ');
        if (!needs_quotes(argv[i])) {
            tri_buf_add_z(&buf, argv[i]);
            continue;
        }
        tri_buf_add_char(&buf, '\'');
        for (const char *c = argv[i]; *c; c++) {
            if (*c == '\'')
                tri_buf_add_z(&buf, "'\\''");
            else
                tri_buf_add_char(&buf, *c);
        }
        tri_buf_add_char(&buf, '\'');
    }
    tri_str quoted = tri_str_copy(arena, tri_buf_str(&buf));
    tri_buf_fini(&buf);
    return quoted;
}
