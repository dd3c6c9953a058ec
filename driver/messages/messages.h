/* Messages as data: what a report says, with its notes and fixes. For what is written of all of them at the end
 * (SARIF), for -fix, and for editors. */
#ifndef TRI_DRIVER_MESSAGES_H
#define TRI_DRIVER_MESSAGES_H

#include "base/diag.h"
#include "base/vec.h"

/* A note, or a fix: `text` should stand at `at`. */
typedef struct {
    tri_span at;
    tri_str file; /* of `at`, as messages call it */
    tri_str text;
} tri_message_part;

typedef struct {
    tri_severity severity;
    int code;          /* 0: none */
    const char *group; /* name of a warning or remark, or null */
    bool is_missed;    /* a remark of what was not done */
    tri_message_part main;
    TRI_VEC(tri_message_part) notes, fixes; /* the fixes of a message belong together */
} tri_message;

typedef struct {
    tri_arena *arena;
    TRI_VEC(tri_message) all; /* in the order in which they were told */
} tri_messages;

/* Adds a report; notes and fixes join the message before them. Copies what it keeps; spans live as long as their sink.
 */
void tri_messages_add(tri_messages *messages, const tri_diag_record *record);
/* Name of the rule behind a message, as command lines spell it: "TRI-3001", "-Wunused-mask", "-Rpass=memory"; empty:
 * none. */
tri_str tri_messages_rule(tri_arena *arena, const tri_message *message);

/* How columns are counted within a line, from 1. */
typedef enum { TRI_COLUMN_CODE_POINTS, TRI_COLUMN_UTF16 } tri_column_unit;
void tri_messages_position(const tri_source *source, uint32_t offset, tri_column_unit unit, uint32_t *out_line,
                           uint32_t *out_column);

/* The log that -fdiagnostics-format=sarif writes: SARIF 2.1.0 (OASIS). */
void tri_sarif_print(const tri_messages *messages, int status, tri_buf *out);

#endif
