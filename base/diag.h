/* The one sink for everything a user is told. */
#ifndef TRI_BASE_DIAG_H
#define TRI_BASE_DIAG_H

#include "base/fatal.h"
#include "base/str.h"

typedef struct tri_diag tri_diag;

/* One input text. Created by tri_diag_add_source and owned by the sink, so
 * spans stay valid as long as the sink. */
typedef struct {
    tri_str name; /* as the user wrote it, for messages and locations */
    tri_str text; /* whole file, NUL-terminated */
    uint32_t *line_starts;
    uint32_t line_count;
} tri_source;

/* A half-open byte range of a source; source null means "no location". */
typedef struct {
    const tri_source *source;
    uint32_t begin;
    uint32_t end;
} tri_span;

#define TRI_NO_SPAN ((tri_span){0})

typedef enum { TRI_NOTE, TRI_REMARK, TRI_WARNING, TRI_ERROR } tri_severity;
typedef enum { TRI_COLOR_AUTO, TRI_COLOR_ALWAYS, TRI_COLOR_NEVER } tri_color;
/* TRI_DIAG_SILENT: only the sink's reporter is told; it writes what is to be written. */
typedef enum { TRI_DIAG_TEXT, TRI_DIAG_JSON, TRI_DIAG_SILENT } tri_diag_format;

tri_diag *tri_diag_create(void);
/* Flushes what is pending (the closing bracket of JSON output), then ends the sink and its sources. */
void tri_diag_destroy(tri_diag *diag);

/* What stands before reports that have no place in a source; "tritcc" until then. Borrowed. */
void tri_diag_set_program(tri_diag *diag, const char *name);
/* As ended and created anew, but the handle stays: what refers to it goes on. */
void tri_diag_reset(tri_diag *diag);

/* A report on its way to a program: text and file are borrowed for the call. */
typedef struct {
    tri_severity severity;
    int code;          /* 0: none */
    const char *group; /* name of a warning or remark, or null */
    bool is_missed;    /* a remark of what was not done */
    bool is_fix;       /* `text` should stand at `at` */
    tri_span at;
    tri_str file; /* of `at`, as messages call it */
    tri_str text;
} tri_diag_record;

typedef enum { TRI_STREAM_OUTPUT = 1, TRI_STREAM_ERROR = 2 } tri_stream_kind;

/* Takes what else would go to the process's own streams. */
typedef struct {
    void *data;
    void (*report)(void *data, const tri_diag_record *record);         /* null: not wanted */
    int (*write)(void *data, tri_stream_kind stream, tri_str text);    /* errno of the failure; null: the streams */
    bool is_terminal;                                                  /* for -fdiagnostics-color=auto */
} tri_diag_sink;

/* `sink` is borrowed until the diag is reset or ends. */
void tri_diag_set_sink(tri_diag *diag, const tri_diag_sink *sink);
/* Text that is no report (-v, static_print), to where the reports go. */
void tri_diag_write(tri_diag *diag, tri_str text);
/* How many texts have gone there so far, reports and others. */
size_t tri_diag_written(const tri_diag *diag);
/* What a mode prints, or an output named "-". False: *out_error is an errno value. */
bool tri_diag_write_output(tri_diag *diag, tri_str text, int *out_error);
/* Reports are appended to `log` (borrowed until the sink ends) instead of going to stderr. */
void tri_diag_set_log(tri_diag *diag, tri_buf *log);
void tri_diag_set_color(tri_diag *diag, tri_color color);
/* Do reports go to a terminal? */
bool tri_diag_is_terminal(const tri_diag *diag);
void tri_diag_set_format(tri_diag *diag, tri_diag_format format);
void tri_diag_set_werror(tri_diag *diag, bool on);
/* Turns one warning name ("unused-mask") on or off; "all" and "" (-w: every one) are understood. */
void tri_diag_set_warning(tri_diag *diag, tri_str name, bool on);
bool tri_diag_is_warning_on(const tri_diag *diag, const char *name);
/* The ith row of base/warning.def; null behind the last. */
const char *tri_diag_warning_name(size_t i, const char **out_help);
/* Rewrites file names that begin with `old_prefix` in messages and in locations (-ffile-prefix-map). */
void tri_diag_add_prefix_map(tri_diag *diag, tri_str old_prefix, tri_str new_prefix);
tri_str tri_diag_map_path(tri_diag *diag, tri_str path);

/* Registers a text; both strings are copied. */
const tri_source *tri_diag_add_source(tri_diag *diag, tri_str name, tri_str text);
const tri_source *tri_diag_find_source(const tri_diag *diag, tri_str name);
/* 1-based line, and 1-based column counted in bytes. */
void tri_source_position(const tri_source *source, uint32_t offset, uint32_t *out_line, uint32_t *out_column);
uint32_t tri_source_offset(const tri_source *source, uint32_t line, uint32_t column);

/* Reports. `code` is the number of a row in base/diag.def, printed as [TRI-nnnn], or 0 for none.
 * Text: lower case, no full stop, subject in single quotes, then the remedy if there is one.
 * A note belongs to the error or warning before it (and is dropped with it when that was off). */
void tri_diag_error(tri_diag *diag, tri_span at, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void tri_diag_warning(tri_diag *diag, tri_span at, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void tri_diag_note(tri_diag *diag, tri_span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A note that belongs to no report. */
void tri_diag_tell(tri_diag *diag, tri_span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Remarks (-Rpass) are printed only when tri_diag_set_remarks named their group. */
void tri_diag_set_remarks(tri_diag *diag, tri_str group);
void tri_diag_remark(tri_diag *diag, tri_span at, const char *group, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same of what was not done and why (-Rpass-missed). */
void tri_diag_set_missed(tri_diag *diag, tri_str group);
void tri_diag_missed(tri_diag *diag, tri_span at, const char *group, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A fix shown under the last report: the text that should stand at `at`. */
void tri_diag_fix(tri_diag *diag, tri_span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* While held, reports are kept back; release prints them, drop forgets them and their count.
 * Nests. Used for dry runs (loop bodies visited twice). */
void tri_diag_hold(tri_diag *diag);
void tri_diag_release(tri_diag *diag);
void tri_diag_drop(tri_diag *diag);
/* Prints those that `keeps` wants, each with its notes, and drops the rest; how many errors were dropped. */
size_t tri_diag_release_some(tri_diag *diag, bool (*keeps)(tri_severity severity, int code));
/* What is held back at this moment, in order; the text is borrowed until release or drop. */
size_t tri_diag_held_count(const tri_diag *diag);
tri_diag_record tri_diag_held_record(tri_diag *diag, size_t i);
tri_severity tri_diag_held_at(const tri_diag *diag, size_t i, tri_span *out_at, tri_str *out_text);

size_t tri_diag_error_count(const tri_diag *diag);
size_t tri_diag_warning_count(const tri_diag *diag);

/* Title and explanation of a code; false when there is none. */
bool tri_diag_code_text(int code, const char **out_title, const char **out_text);
/* Prints "[TRI-nnnn] title" and the explanation of a code; false when there is none. */
bool tri_diag_explain(int code, tri_buf *out);

#endif
