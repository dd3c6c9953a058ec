/* The ends of the process that nobody returns from: no memory, a bug of ours. At the bottom: everything may call it. */
#ifndef TRI_BASE_FATAL_H
#define TRI_BASE_FATAL_H

/* The program's name in its last words; static. "tritcc" at first. */
void tri_fatal_set_program(const char *name);

/* Called before the process ends abnormally (out of memory, our bug, LLVM's fatal error),
 * to remove temporary files. */
void tri_fatal_at_abort(void (*hook)(void));

/* Ends the work of the innermost tri_trap_run; outside of one: "out of memory" on stderr, then exit status 1. */
_Noreturn void tri_fatal_out_of_memory(void);
/* A broken promise inside the compiler: ends the work of the innermost tri_trap_run; outside of one, prints file:line,
 * asks for a report and aborts. */
_Noreturn void tri_fatal_bug(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define TRI_BUG(...) tri_fatal_bug(__FILE__, __LINE__, __VA_ARGS__)
#define TRI_ASSERT(cond) ((cond) ? (void)0 : TRI_BUG("assertion failed: %s", #cond))

#endif
