/* Child programs: found, run, their ends explained. */
#ifndef TRI_BASE_PROCESS_H
#define TRI_BASE_PROCESS_H

#include "base/str.h"

/* Looks `name` up in a PATH-like list (`path` null: none); an absolute or relative name with '/'
 * is checked as it is. True and an arena path when it is an executable file. */
bool tri_process_find(tri_arena *arena, tri_str name, const char *path, tri_str *out_path);

typedef struct {
    bool started;  /* false: `error` is the errno of the start */
    int error;
    int status;    /* exit status when it ended by itself */
    int signal;    /* > 0 when a signal killed it */
    bool is_late;  /* it took longer than it may, and was killed for that */
    tri_str output; /* stdout and stderr together, in the arena */
} tri_process_result;

/* Runs `argv` (null-terminated) without a shell, stdin empty, and waits. */
tri_process_result tri_process_run(tri_arena *arena, const char *const *argv);
/* The same, killed after `seconds` (0: never); quiet: without what it writes to stderr. */
tri_process_result tri_process_run_for(tri_arena *arena, const char *const *argv, int seconds, bool is_quiet);

/* Sends a signal to the programs that run now; for signal handlers. */
void tri_process_signal(int number);

/* The command line quoted for a POSIX shell. */
tri_str tri_process_quote(tri_arena *arena, const char *const *argv);

#endif
