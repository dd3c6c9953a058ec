#include "base/fatal.h"

#include "base/trap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*abort_hook)(void);
static const char *process_name = "tritcc";

void tri_fatal_set_program(const char *name) { process_name = name; }

void tri_fatal_at_abort(void (*hook)(void))
{
    abort_hook = hook;
}

void tri_fatal_out_of_memory(void)
{
    static const char text[] = ": error: out of memory\n";
    tri_trap_leave(TRI_TRAP_NO_MEMORY, NULL);
    if (abort_hook)
        abort_hook();
    if (write(STDERR_FILENO, process_name, strlen(process_name)) < 0 || write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(1);
    _exit(1);
}

void tri_fatal_bug(const char *file, int line, const char *format, ...)
{
    char text[512];
    int length = snprintf(text, sizeof text, "internal error at %s:%d: ", file, line);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, sizeof text - (size_t)length, format, args);
    va_end(args);
    tri_trap_leave(TRI_TRAP_BUG, text);
    fflush(stdout);
    fprintf(stderr, "%s: %s\n%s: please report this with the input that led to it\n", process_name, text, process_name);
    if (abort_hook)
        abort_hook();
    abort();
}
