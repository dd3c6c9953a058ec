/* The compiler as a library (libtritcc): options and inputs in, outputs of any stage and diagnostics out.
 *
 *     tritcc_context *c;
 *     if (tritcc_create(&c) == TRITCC_OK &&
 *         tritcc_set_options(c, "-arch=sm_90a -sig '*fp32:16, i32, 128' -emit=ptx") == TRITCC_OK &&
 *         tritcc_set_input(c, "k.tri", text, strlen(text)) == TRITCC_OK && tritcc_compile(c) == TRITCC_OK)
 *         tritcc_get_output(c, "ptx", &data, &size);
 *     tritcc_destroy(c);
 *
 * Every function gives a status and none ends the process, installs a signal handler, writes to the standard
 * streams, reads the environment, or changes the working directory, the locale or the state of the floating point unit;
 * tritcc_command alone, which is a whole command line, reads and writes the files that it names. A null handle, a
 * handle that was destroyed and calls in a wrong order are statuses, too.
 *
 * A context is used by one thread at a time (else TRITCC_ERROR_BUSY), different contexts by different threads at the
 * same time. It can be used for any number of compilations, each of which gives the bytes that a fresh process gives.
 * Sizes are in bytes. What a function takes is copied; what it gives belongs to the context and is valid until the next
 * tritcc_compile, tritcc_command or tritcc_destroy of it. */
#ifndef TRITCC_TRITCC_H
#define TRITCC_TRITCC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TRITCC_API
#define TRITCC_API __attribute__((visibility("default")))
#endif

#define TRITCC_VERSION_MAJOR 0
#define TRITCC_VERSION_MINOR 1
#define TRITCC_VERSION_PATCH 0

typedef struct tritcc_context tritcc_context;

/* The first three are the exit statuses of the command. */
enum tritcc_status {
    TRITCC_OK = 0,
    TRITCC_ERROR_REJECTED = 1,         /* the input was rejected or a tool failed; the diagnostics say why */
    TRITCC_ERROR_OPTIONS = 2,          /* the options are wrong or do not fit the input; the diagnostics say why */
    TRITCC_ERROR_INVALID_ARGUMENT = 3, /* null where something must be, or a negative count */
    TRITCC_ERROR_INVALID_HANDLE = 4,   /* not a context, or no longer one */
    TRITCC_ERROR_BUSY = 5,             /* another thread, or a callback's caller, is using the context */
    TRITCC_ERROR_NOTHING = 6,          /* wrong order: no input, nothing compiled; or no such output */
    TRITCC_ERROR_CANCELLED = 7,        /* by tritcc_cancel; the context can be used again */
    TRITCC_ERROR_MEMORY_LIMIT = 8,     /* of tritcc_set_memory_limit; the context can be used again */
    TRITCC_ERROR_OUT_OF_MEMORY = 9,    /* the context is dead */
    TRITCC_ERROR_INTERNAL = 10,        /* a bug of tritcc: please report it; the context is dead */
    TRITCC_ERROR_DEAD = 11,            /* every call of a dead context but tritcc_destroy; its memory may be lost */
};

/* What a status means, in a few words. Never null. */
TRITCC_API const char *tritcc_strerror(int status);

/* The library's version; each place may be null. tritcc_version_string has the commit, too, where it is known. */
TRITCC_API int tritcc_version(int *out_major, int *out_minor, int *out_patch);
TRITCC_API const char *tritcc_version_string(void);

TRITCC_API int tritcc_create(tritcc_context **out_context);
/* Null is allowed. */
TRITCC_API int tritcc_destroy(tritcc_context *context);

/* --- what is compiled, and how: kept until set again ---------------------------------------------- */

/* Options as on the command line of `tritcc`, without the program's name and without inputs. In a string they are
 * separated by blanks, and quotes and backslashes work as in a shell. They are read by the next compilation, which
 * reports what is wrong with them. -emit=KIND,... names the outputs that are wanted. */
TRITCC_API int tritcc_set_options(tritcc_context *context, const char *options);
TRITCC_API int tritcc_set_arguments(tritcc_context *context, int count, const char *const *arguments);

/* The input: a text or bytes in memory, or a file. The suffix of `name` tells the stage (.tri .ttir .ttgir .ll .ptx
 * ...) unless the options have -x. */
TRITCC_API int tritcc_set_input(tritcc_context *context, const char *name, const void *data, size_t size);
TRITCC_API int tritcc_set_input_file(tritcc_context *context, const char *path);

/* Bytes that one compilation may use at a time, 0: no limit. Counted are the compiler's own data; not LLVM's heap. */
TRITCC_API int tritcc_set_memory_limit(tritcc_context *context, size_t bytes);

/* Where ptxas and the like are looked for, as in PATH, and the folder of a CUDA toolkit; both may be null: nowhere else
 * than options (--cuda-path, -ptxas) say. */
TRITCC_API int tritcc_set_tool_path(tritcc_context *context, const char *path, const char *cuda_home);

/* Gives the text of a file that the input imports or an option names, before the file system is asked: 1 and the
 * bytes, which must live until the compilation ends; 0: not known here, look on the disk; -1: there is no such file. */
typedef int (*tritcc_file_callback)(void *user, const char *path, const char **out_data, size_t *out_size);
TRITCC_API int tritcc_set_file_callback(tritcc_context *context, tritcc_file_callback callback, void *user);

/* --- diagnostics ----------------------------------------------------------------------------------- */

enum tritcc_severity { TRITCC_NOTE = 0, TRITCC_REMARK = 1, TRITCC_WARNING = 2, TRITCC_ERROR = 3, TRITCC_FIX = 4 };

/* Everything is borrowed for the time of the call. */
typedef struct tritcc_diagnostic {
    size_t struct_size;   /* of this struct, as the library knows it: later versions add fields at the end */
    int severity;         /* of enum tritcc_severity */
    int code;             /* the number in [TRI-nnnn], or 0 */
    const char *group;    /* the name of a warning or remark (-W, -Rpass=), or null */
    const char *file;     /* null: no place */
    uint32_t line, column;         /* from 1; columns count bytes. 0: no place */
    uint32_t end_line, end_column; /* behind the last byte */
    size_t begin, end;             /* the same in bytes from the start of the file */
    const char *text;
    size_t note_count;             /* notes and fixes (a text to stand in the range) that belong to it */
    const struct tritcc_diagnostic *notes;
} tritcc_diagnostic;

/* Called on the compiling thread, in the order of the messages. It may call tritcc_cancel and no other function of the
 * context. */
typedef void (*tritcc_diagnostic_callback)(void *user, const tritcc_diagnostic *diagnostic);
TRITCC_API int tritcc_set_diagnostic_callback(tritcc_context *context, tritcc_diagnostic_callback callback, void *user);

/* --- compilation ----------------------------------------------------------------------------------- */

/* Compiles the input. Outputs are kept in memory; nothing is written. */
TRITCC_API int tritcc_compile(tritcc_context *context);

/* From any thread, or from a callback: the compilation under way, if there is one, ends with TRITCC_ERROR_CANCELLED:
 * at the compiler's next allocation, between passes, or at the end of a function in LLVM. */
TRITCC_API int tritcc_cancel(tritcc_context *context);

/* An output of the last compilation by its kind ("ttir", "ptx", "obj", ...); a NUL that is not counted follows the
 * bytes. TRITCC_ERROR_NOTHING when it was not asked for, or the compilation failed. */
TRITCC_API int tritcc_get_output(tritcc_context *context, const char *kind, const void **out_data, size_t *out_size);
/* The outputs in the order of -emit; their number is the first index that gives TRITCC_ERROR_NOTHING. */
TRITCC_API int tritcc_get_output_at(tritcc_context *context, size_t index, const char **out_kind, const void **out_data,
                                    size_t *out_size);
/* What the last compilation reported, as the command prints it, with what -v, -ftime-report and static_print add;
 * "" when nothing. */
TRITCC_API int tritcc_get_log(tritcc_context *context, const char **out_text, size_t *out_size);

/* --- a whole command line --------------------------------------------------------------------------- */

/* Takes what `tritcc` writes to its standard output (stream 1) and error (stream 2): 0, or an errno value. */
typedef int (*tritcc_stream_callback)(void *user, int stream, const char *data, size_t size);
/* `is_terminal`: messages are coloured unless options say otherwise. Without one, stream 2 goes to the log, and stream
 * 1 too. */
TRITCC_API int tritcc_set_stream_callback(tritcc_context *context, tritcc_stream_callback callback, void *user,
                                          int is_terminal);

/* Variables ("NAME=VALUE", up to a null) that tritcc_command reads as the command reads its environment; null: none.
 * Borrowed. */
TRITCC_API int tritcc_set_environment(tritcc_context *context, const char *const *variables);

/* Does what `tritcc` does with this command line; `tritrun` or `triton-compile` when that is the name (behind the last
 * slash) of arguments[0], the program. It reads and writes the files that the command line names and prints what its
 * modes print; a kernel that `tritrun` runs is the caller's own code, and may print on stdout and crash. While one
 * of an object runs, SIGSEGV and SIGBUS are taken: a fault beside its arrays ends the process with a message. This
 * is all of these programs but the process around it: the stack, which should be large, and what signals do. */
TRITCC_API int tritcc_command(tritcc_context *context, int count, const char *const *arguments);

/* For the handlers of signals that end the process, and its end: removes the temporary files of all commands under way
 * and passes `signal`, unless it is 0, on to the tools that they run. Safe in a signal handler. */
TRITCC_API void tritcc_clean_up(int signal);

#ifdef __cplusplus
}
#endif

#endif
