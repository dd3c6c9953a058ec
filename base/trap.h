/* Work that can be ended from inside, wherever it stands: when memory has run out, on a bug of ours, when another
 * thread cancels it, when it uses more memory than it may. What it had allocated by then is not freed. */
#ifndef TRI_BASE_TRAP_H
#define TRI_BASE_TRAP_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum {
    TRI_TRAP_NONE, /* the work came to its end */
    TRI_TRAP_NO_MEMORY,
    TRI_TRAP_BUG,
    TRI_TRAP_CANCELLED,
    TRI_TRAP_LIMIT,
} tri_trap_end;

typedef struct tri_trap {
    struct tri_trap *outer;
    const int *cancelled; /* set from any thread; null: never */
    size_t limit, used;   /* bytes of arenas; limit 0: none */
    bool is_short;        /* memory ran out: it ends where it can */
    tri_trap_end end;
    char text[512];       /* of a bug */
    jmp_buf back;
} tri_trap;

/* Runs `body` on this thread; `trap` has its `cancelled` and `limit` set, the rest is filled here. */
tri_trap_end tri_trap_run(tri_trap *trap, void (*body)(void *data), void *data);

/* Ends the innermost work of this thread; returns when there is none. */
void tri_trap_leave(tri_trap_end end, const char *text);

/* Memory has run out: the work of this thread ends where tri_trap_asked is asked next, or as if that were its end.
 * False when there is none. */
bool tri_trap_fall_short(void);

/* Should the work of this thread end (TRI_TRAP_NO_MEMORY, TRI_TRAP_CANCELLED, TRI_TRAP_LIMIT)? Asked between steps,
 * where it can end in order. */
tri_trap_end tri_trap_asked(void);

/* Ends the work there if it should; before results are written, too: what was made after memory ran out is not. */
void tri_trap_check(void);

/* Arenas tell what they take (and give back, negative), and let the work be ended there. */
void tri_trap_count(ptrdiff_t bytes);

#endif
