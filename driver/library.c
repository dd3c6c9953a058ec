/* libtritcc: contexts around the driver. Every entry looks whether its handle lives, runs under a trap, and gives a
 * status. */
#include "include/tritcc/tritcc.h"

#include "base/trap.h"
#include "driver/args.h"
#include "driver/command.h"
#include "driver/environment.h"
#include "driver/info.h"
#include "driver/job.h"
#include "driver/messages/messages.h"
#include "driver/records.h"
#include "driver/tool.h"
#include "driver/triton_compile.h"
#include "base/file.h"
#include "base/process.h"
#include "run/tritrun.h"
#include "ir/context.h"
#include "ir/guard.h"

#include <pthread.h>
#include <stdlib.h>

/* MLIR's tables of types and attributes only grow: a context starts anew after so many compilations. */
enum { compilations_of_mlir = 64 };

/* What a handle stands for. */
typedef struct state {
    struct state *next; /* of the living */
    uintptr_t handle;
    bool is_busy, is_dead;
    int cancelled;      /* atomic */
    tri_arena *options; /* the words below */
    const char **words;
    int word_count;
    tri_str option_text; /* that they are of; empty: there was none */
    size_t open_quote;   /* in it, never closed; its length: all are closed */
    tri_arena *input;
    tri_str name, text;
    bool has_input, is_file;
    tri_arena *tools;
    const char *tool_path, *cuda_home;
    size_t memory_limit;
    tritcc_file_callback find_file;
    void *find_file_user;
    tritcc_stream_callback write;
    void *write_user;
    bool is_terminal;
    const char *const *environment;
    /* of the last compilation */
    tri_arena *run;
    tri_diag *diag; /* lives as long as the context: MLIR reports to it */
    tri_buf log;
    tri_records records;
    tri_messages messages; /* of a command */
    tri_diag_sink sink;
    tri_file_source files;
    tri_output_list outputs;
    bool is_done;
    MlirContext mlir; /* kept warm */
    int compilations;
} state;

/* --- handles and traps ---------------------------------------------------------------------- */

/* Handles are numbers, none of which is given twice: one that was destroyed never stands for a later context. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static state *living;
static uintptr_t last_handle;

static state **find_handle(const tritcc_context *handle)
{
    state **at = &living;
    while (*at && (*at)->handle != (uintptr_t)handle)
        at = &(*at)->next;
    return at;
}

/* Takes the context for this thread; what it is that must not be taken otherwise. */
static int enter(const tritcc_context *handle, bool even_dead, state **out_context)
{
    pthread_mutex_lock(&lock);
    int status = TRITCC_OK;
    state *context = handle ? *find_handle(handle) : NULL;
    if (!handle)
        status = TRITCC_ERROR_INVALID_ARGUMENT;
    else if (!context)
        status = TRITCC_ERROR_INVALID_HANDLE;
    else if (context->is_busy)
        status = TRITCC_ERROR_BUSY;
    else if (context->is_dead && !even_dead)
        status = TRITCC_ERROR_DEAD;
    else
        context->is_busy = true;
    *out_context = context;
    pthread_mutex_unlock(&lock);
    return status;
}

static void leave(state *context)
{
    pthread_mutex_lock(&lock);
    context->is_busy = false;
    pthread_mutex_unlock(&lock);
}

/* What the body of an entry is told, and its answer. */
typedef struct {
    state *context;
    const void *data;
    size_t size;
    int status;
} call;

static int status_of(tri_trap_end end)
{
    return end == TRI_TRAP_NO_MEMORY   ? TRITCC_ERROR_OUT_OF_MEMORY
           : end == TRI_TRAP_BUG       ? TRITCC_ERROR_INTERNAL
           : end == TRI_TRAP_CANCELLED ? TRITCC_ERROR_CANCELLED
                                       : TRITCC_ERROR_MEMORY_LIMIT;
}

/* After an end that was not in order: MLIR and LLVM were in the middle of their work. */
static void clear_up(state *context, const tri_trap *trap)
{
    tri_guard_reset();
    context->is_dead = trap->end == TRI_TRAP_NO_MEMORY || trap->end == TRI_TRAP_BUG;
    context->outputs = (tri_output_list){0};
    context->is_done = false;
    context->records.has_main = false;
    context->mlir = (MlirContext){0};
    context->log.len = context->log.data ? 0 : context->log.len;
}

static int guarded(state *context, tri_trap *trap, void (*body)(void *), call *c)
{
    c->context = context;
    c->status = TRITCC_OK;
    tri_trap_end end = tri_trap_run(trap, body, c);
    if (!end)
        return c->status;
    clear_up(context, trap);
    /* without allocating: the last words of a bug */
    if (end == TRI_TRAP_BUG && (context->log.data = malloc(sizeof trap->text))) {
        memcpy(context->log.data, trap->text, sizeof trap->text);
        context->log.len = strlen(trap->text);
    }
    return status_of(end);
}

/* An entry that cannot be cancelled. */
static int run_entry(tritcc_context *handle, void (*body)(void *), call c)
{
    state *context;
    int status = enter(handle, false, &context);
    if (status)
        return status;
    tri_trap trap = {0};
    status = guarded(context, &trap, body, &c);
    leave(context);
    return status;
}

/* --- life ----------------------------------------------------------------------------------- */

static void create(void *data)
{
    call *c = data;
    state *context = tri_mem_alloc(sizeof *context);
    *context = (state){0};
    c->context = context;
    context->diag = tri_diag_create();
}

int tritcc_create(tritcc_context **out_context)
{
    if (!out_context)
        return TRITCC_ERROR_INVALID_ARGUMENT;
    *out_context = NULL;
    call c = {0};
    tri_trap trap = {0};
    if (tri_trap_run(&trap, create, &c)) {
        free(c.context);
        return status_of(trap.end);
    }
    pthread_mutex_lock(&lock);
    c.context->next = living;
    c.context->handle = last_handle += 16; /* as a pointer would be */
    living = c.context;
    *out_context = (tritcc_context *)c.context->handle;
    pthread_mutex_unlock(&lock);
    return TRITCC_OK;
}

static void forget_last(state *context)
{
    context->outputs = (tri_output_list){0};
    context->is_done = false;
    context->log.len = 0;
    tri_diag_reset(context->diag);
    tri_arena_destroy(context->run);
    context->run = NULL;
}

static void end_mlir(state *context)
{
    if (context->mlir.ptr)
        tri_context_destroy_mlir(context->mlir);
    context->mlir = (MlirContext){0};
    context->compilations = 0;
}

static void destroy(void *data)
{
    state *context = ((call *)data)->context;
    end_mlir(context);
    tri_diag_set_log(context->diag, &context->log);
    tri_diag_destroy(context->diag);
    tri_arena_destroy(context->run);
    tri_arena_destroy(context->options);
    tri_arena_destroy(context->input);
    tri_arena_destroy(context->tools);
}

int tritcc_destroy(tritcc_context *handle)
{
    state *context;
    int status = handle ? enter(handle, true, &context) : TRITCC_OK;
    if (status || !handle)
        return status;
    pthread_mutex_lock(&lock);
    *find_handle(handle) = context->next;
    pthread_mutex_unlock(&lock);
    call c = {.context = context};
    tri_trap trap = {0};
    if (!context->is_dead)
        tri_trap_run(&trap, destroy, &c);
    tri_buf_fini(&context->log);
    free(context);
    return TRITCC_OK;
}

/* --- settings ------------------------------------------------------------------------------- */

static void set_words(void *data)
{
    call *c = data;
    const char *const *words = c->data;
    tri_arena_destroy(c->context->options);
    c->context->options = tri_arena_create();
    c->context->option_text = (tri_str){0};
    c->context->open_quote = 0;
    c->context->words = TRI_NEW_ARRAY(c->context->options, const char *, c->size + 1);
    c->context->word_count = (int)c->size;
    for (size_t i = 0; i < c->size; i++)
        c->context->words[i] = tri_str_copy(c->context->options, tri_str_from(words[i])).data;
}

int tritcc_set_arguments(tritcc_context *handle, int count, const char *const *arguments)
{
    for (int i = 0; i < count; i++)
        if (!arguments || !arguments[i])
            return TRITCC_ERROR_INVALID_ARGUMENT;
    if (count < 0)
        return TRITCC_ERROR_INVALID_ARGUMENT;
    return run_entry(handle, set_words, (call){.data = arguments, .size = (size_t)count});
}

static void set_text(void *data)
{
    call *c = data;
    tri_args args = {0};
    tri_arena_destroy(c->context->options);
    tri_arena *arena = c->context->options = tri_arena_create();
    c->context->option_text = tri_str_copy(arena, tri_str_from(c->data));
    c->context->open_quote = tri_args_split(arena, c->context->option_text, &args);
    c->context->words = TRI_NEW_ARRAY(arena, const char *, args.len + 1);
    c->context->word_count = (int)args.len;
    for (size_t i = 0; i < args.len; i++)
        c->context->words[i] = args.at[i].data;
}

int tritcc_set_options(tritcc_context *handle, const char *options)
{
    return options ? run_entry(handle, set_text, (call){.data = options}) : TRITCC_ERROR_INVALID_ARGUMENT;
}

typedef struct {
    const char *name;
    const void *data;
    size_t size;
    bool is_file;
} new_input;

static void set_input(void *data)
{
    call *c = data;
    const new_input *input = c->data;
    state *context = c->context;
    context->has_input = false;
    tri_arena_destroy(context->input);
    context->input = tri_arena_create();
    context->name = tri_str_copy(context->input, tri_str_from(input->name));
    context->text = tri_str_copy(context->input, (tri_str){input->data, input->size});
    context->is_file = input->is_file;
    context->has_input = true;
}

int tritcc_set_input(tritcc_context *handle, const char *name, const void *data, size_t size)
{
    if (!name || !*name || (!data && size))
        return TRITCC_ERROR_INVALID_ARGUMENT;
    new_input input = {name, data, size, false};
    return run_entry(handle, set_input, (call){.data = &input});
}

int tritcc_set_input_file(tritcc_context *handle, const char *path)
{
    if (!path || !*path)
        return TRITCC_ERROR_INVALID_ARGUMENT;
    new_input input = {path, NULL, 0, true};
    return run_entry(handle, set_input, (call){.data = &input});
}

static void set_tools(void *data)
{
    call *c = data;
    const char *const *paths = c->data;
    tri_arena_destroy(c->context->tools);
    tri_arena *arena = c->context->tools = tri_arena_create();
    c->context->tool_path = paths[0] ? tri_str_format(arena, "PATH=%s", paths[0]).data : "PATH=";
    c->context->cuda_home = paths[1] ? tri_str_format(arena, "CUDA_HOME=%s", paths[1]).data : "CUDA_HOME=";
}

int tritcc_set_tool_path(tritcc_context *handle, const char *path, const char *cuda_home)
{
    const char *paths[2] = {path, cuda_home};
    return run_entry(handle, set_tools, (call){.data = paths});
}

/* A setting that is an assignment. */
#define SET(handle, assignment) \
    do { \
        state *context; \
        int status_ = enter(handle, false, &context); \
        if (status_) \
            return status_; \
        assignment; \
        leave(context); \
        return TRITCC_OK; \
    } while (0)

int tritcc_set_memory_limit(tritcc_context *handle, size_t bytes) { SET(handle, context->memory_limit = bytes); }

int tritcc_set_file_callback(tritcc_context *handle, tritcc_file_callback callback, void *user)
{
    SET(handle, (context->find_file = callback, context->find_file_user = user));
}

int tritcc_set_diagnostic_callback(tritcc_context *handle, tritcc_diagnostic_callback callback, void *user)
{
    SET(handle, (context->records.callback = callback, context->records.user = user));
}

int tritcc_set_stream_callback(tritcc_context *handle, tritcc_stream_callback callback, void *user, int is_terminal)
{
    SET(handle, (context->write = callback, context->write_user = user, context->is_terminal = is_terminal != 0));
}

int tritcc_set_environment(tritcc_context *handle, const char *const *variables)
{
    SET(handle, context->environment = variables);
}

/* --- compilation ---------------------------------------------------------------------------- */

static void on_report(void *data, const tri_diag_record *record)
{
    state *context = data;
    tri_records_add(&context->records, record);
    if (context->messages.arena)
        tri_messages_add(&context->messages, record);
}

static int on_write(void *data, tri_stream_kind stream, tri_str text)
{
    state *context = data;
    if (context->write)
        return context->write(context->write_user, (int)stream, text.data, text.len);
    tri_buf_add_str(&context->log, text);
    return 0;
}

static int on_log(void *data, tri_stream_kind stream, tri_str text)
{
    (void)stream;
    tri_buf_add_str(&((state *)data)->log, text);
    return 0;
}

static int on_find(void *data, const char *path, tri_str *out_text)
{
    state *context = data;
    const char *text = NULL;
    size_t size = 0;
    int found = context->find_file(context->find_file_user, path, &text, &size);
    if (found > 0)
        *out_text = tri_str_copy(context->run, (tri_str){text, size});
    return found;
}

/* Everything of the last compilation is forgotten. */
static void begin_run(state *context, bool is_command)
{
    forget_last(context);
    context->run = tri_arena_create();
    context->records.arena = context->run;
    context->messages = (tri_messages){.arena = is_command ? context->run : NULL};
    context->sink = (tri_diag_sink){.data = context, .report = on_report, .write = is_command ? on_write : on_log,
                                    .is_terminal = is_command && context->is_terminal};
    context->files = (tri_file_source){.find = on_find, .data = context};
    tri_diag_set_sink(context->diag, &context->sink);
}

static bool read_options(state *context, int argc, char **argv, const char *input, tri_opt *out_opt)
{
    bool ok = tri_opt_parse(context->run, context->diag, argc, argv, input, out_opt);
    if (context->find_file)
        out_opt->compile.files = &context->files;
    return ok;
}

static void begin_session(state *context, tri_session *session, tri_opt *opt)
{
    if (context->compilations++ >= compilations_of_mlir)
        end_mlir(context);
    tri_session_init(session, context->run, context->diag, opt);
    session->mlir = context->mlir;
    if (session->mlir.ptr)
        mlirContextSetAllowUnregisteredDialects(session->mlir, opt->allow_unregistered);
    context->mlir = (MlirContext){0};
}

/* MLIR stays for the next compilation. */
static void end_session(state *context, tri_session *session)
{
    context->mlir = session->mlir;
    session->mlir = (MlirContext){0};
    tri_session_fini(session);
    tri_records_flush(&context->records);
}

static int compile_input(state *context, tri_opt *opt)
{
    tri_diag *diag = context->diag;
    if (opt->mode != TRI_OPT_COMPILE || opt->inputs.len != 1 || opt->has_passes || opt->link || opt->fix) {
        tri_diag_error(diag, TRI_NO_SPAN, 1002, "the library takes options of a compilation, and no further input");
        return TRITCC_ERROR_OPTIONS;
    }
    if (!tri_tool_find(context->run, diag, opt->cuda_path, &opt->compile))
        return TRITCC_ERROR_OPTIONS;
    tri_session session;
    begin_session(context, &session, opt);
    int status =
        tri_job_make(&session, &opt->inputs.at[0], context->is_file ? NULL : &context->text, NULL,
                              &context->outputs);
    if (opt->time_report != TRI_OPT_NO_REPORT)
        tri_report_print(&session.report, opt->time_report == TRI_OPT_REPORT_JSON, &context->log);
    end_session(context, &session);
    return status;
}

static void compile(void *data)
{
    call *c = data;
    state *context = c->context;
    tri_opt opt;
    int argc = 0, count = context->word_count;
    tri_arena *arena = tri_arena_create();
    char **argv = TRI_NEW_ARRAY(arena, char *, count + 4);
    argv[argc++] = "tritcc";
    for (int i = 0; i < count; i++)
        argv[argc++] = (char *)context->words[i];
    begin_run(context, false);
    c->status = TRITCC_ERROR_OPTIONS;
    if (context->open_quote < context->option_text.len)
        tri_args_report_open(context->diag, TRI_STR("<options>"), context->option_text, context->open_quote);
    else if (read_options(context, argc, argv, context->name.data, &opt))
        c->status = compile_input(context, &opt);
    tri_records_flush(&context->records);
    if (c->status)
        context->outputs = (tri_output_list){0};
    context->is_done = c->status == TRITCC_OK;
    tri_arena_destroy(arena);
}

/* What is said last: the log of messages, or the end of their array. */
static void end_messages(state *context, const tri_opt *opt, int status)
{
    tri_buf log = {0};
    if (opt->has_sarif) {
        tri_sarif_print(&context->messages, status, &log);
        tri_diag_write(context->diag, tri_buf_str(&log));
    }
    tri_buf_fini(&log);
    tri_diag_reset(context->diag);
}

/* The command line of another program, which becomes ours. False when there is nothing more to do. */
static bool translate(state *context, call *c, tri_triton_compile *out)
{
    int error = 0;
    if (!tri_triton_compile_parse(context->run, context->diag, (int)c->size, (char **)c->data, out))
        return false;
    if (out->help.len)
        c->status = tri_diag_write_output(context->diag, out->help, &error) ? TRITCC_OK : TRITCC_ERROR_REJECTED;
    return !out->help.len;
}

static void tritrun(state *context, call *c)
{
    begin_run(context, true);
    c->status = tri_tritrun_run(context->run, context->diag, (int)c->size, (char **)c->data);
    tri_records_flush(&context->records);
    end_messages(context, &(tri_opt){0}, c->status);
}

static void command(void *data)
{
    call *c = data;
    state *context = c->context;
    tri_triton_compile triton;
    tri_opt opt = {.mode = TRI_OPT_COMPILE};
    bool is_triton = tri_triton_compile_is(((char **)c->data)[0]);
    tri_file_set_temporary_folder(tri_environment_get("TMPDIR").data);
    if (tri_tritrun_is(((char **)c->data)[0])) {
        tritrun(context, c);
        return;
    }
    begin_run(context, true);
    c->status = TRITCC_ERROR_OPTIONS;
    bool ok = is_triton ? translate(context, c, &triton) &&
                              read_options(context, (int)triton.words.len - 1, triton.words.at, NULL, &opt)
                        : read_options(context, (int)c->size, (char **)c->data, NULL, &opt);
    if (ok) {
        tri_session session;
        begin_session(context, &session, &opt);
        c->status = is_triton ? tri_triton_compile_run(&session, &triton) : tri_command_run(&session);
        end_session(context, &session);
        if (!c->status && tri_diag_error_count(context->diag))
            c->status = TRITCC_ERROR_REJECTED; /* warnings that -Werror made errors */
    }
    tri_records_flush(&context->records);
    end_messages(context, &opt, c->status);
}

static int run_compiler(tritcc_context *handle, void (*body)(void *), call c, const char *const *environment)
{
    state *context;
    int status = enter(handle, false, &context);
    if (status)
        return status;
    tri_trap trap = {.cancelled = &context->cancelled, .limit = context->memory_limit};
    __atomic_store_n(&context->cancelled, 0, __ATOMIC_RELAXED);
    tri_environment_set(environment);
    status = guarded(context, &trap, body, &c);
    tri_environment_set(NULL);
    tri_file_set_temporary_folder(NULL);
    leave(context);
    return status;
}

int tritcc_compile(tritcc_context *handle)
{
    state *context;
    int status = enter(handle, false, &context);
    if (status)
        return status;
    bool has_input = context->has_input;
    const char *const environment[] = {context->tool_path ? context->tool_path : "PATH=",
                                       context->cuda_home ? context->cuda_home : "CUDA_HOME=", NULL};
    leave(context);
    return has_input ? run_compiler(handle, compile, (call){0}, environment) : TRITCC_ERROR_NOTHING;
}

int tritcc_command(tritcc_context *handle, int count, const char *const *arguments)
{
    if (count < 1 || !arguments)
        return TRITCC_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < count; i++)
        if (!arguments[i])
            return TRITCC_ERROR_INVALID_ARGUMENT;
    state *context;
    int status = enter(handle, false, &context);
    if (status)
        return status;
    const char *const *environment = context->environment;
    leave(context);
    return run_compiler(handle, command, (call){.data = arguments, .size = (size_t)count}, environment);
}

int tritcc_cancel(tritcc_context *handle)
{
    pthread_mutex_lock(&lock);
    state *context = handle ? *find_handle(handle) : NULL;
    int status = context ? TRITCC_OK : handle ? TRITCC_ERROR_INVALID_HANDLE : TRITCC_ERROR_INVALID_ARGUMENT;
    if (!status && context->is_dead)
        status = TRITCC_ERROR_DEAD;
    else if (!status)
        __atomic_store_n(&context->cancelled, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return status;
}

void tritcc_clean_up(int signal)
{
    if (signal)
        tri_process_signal(signal);
    tri_file_remove_temporaries();
}

/* --- results -------------------------------------------------------------------------------- */

int tritcc_get_output_at(tritcc_context *handle, size_t index, const char **out_kind, const void **out_data,
                         size_t *out_size)
{
    if (!out_data || !out_size)
        return TRITCC_ERROR_INVALID_ARGUMENT;
    *out_data = NULL;
    *out_size = 0;
    state *context;
    int status = enter(handle, false, &context);
    if (status)
        return status;
    status = context->is_done && index < context->outputs.len ? TRITCC_OK : TRITCC_ERROR_NOTHING;
    if (!status) {
        const tri_output *output = &context->outputs.at[index];
        *out_data = output->data.data;
        *out_size = output->data.len;
        if (out_kind)
            *out_kind = tri_phase_kind(output->kind)->name;
    }
    leave(context);
    return status;
}

int tritcc_get_output(tritcc_context *handle, const char *kind, const void **out_data, size_t *out_size)
{
    if (!kind || !out_data || !out_size)
        return TRITCC_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0;; i++) {
        const char *name;
        int status = tritcc_get_output_at(handle, i, &name, out_data, out_size);
        if (status || !strcmp(name, kind))
            return status;
    }
}

int tritcc_get_log(tritcc_context *handle, const char **out_text, size_t *out_size)
{
    if (!out_text)
        return TRITCC_ERROR_INVALID_ARGUMENT;
    *out_text = "";
    if (out_size)
        *out_size = 0;
    state *context;
    int status = enter(handle, true, &context);
    if (status)
        return status;
    if (context->log.len) {
        *out_text = context->log.data;
        if (out_size)
            *out_size = context->log.len;
    }
    status = context->is_dead ? TRITCC_ERROR_DEAD : TRITCC_OK;
    leave(context);
    return status;
}

const char *tritcc_strerror(int status)
{
    static const char *const texts[] = {
        [TRITCC_OK] = "success",
        [TRITCC_ERROR_REJECTED] = "the input was rejected or a tool failed",
        [TRITCC_ERROR_OPTIONS] = "wrong options",
        [TRITCC_ERROR_INVALID_ARGUMENT] = "invalid argument",
        [TRITCC_ERROR_INVALID_HANDLE] = "not a context",
        [TRITCC_ERROR_BUSY] = "the context is in use",
        [TRITCC_ERROR_NOTHING] = "nothing there: no input, or no such output",
        [TRITCC_ERROR_CANCELLED] = "cancelled",
        [TRITCC_ERROR_MEMORY_LIMIT] = "the memory limit was reached",
        [TRITCC_ERROR_OUT_OF_MEMORY] = "out of memory",
        [TRITCC_ERROR_INTERNAL] = "internal error",
        [TRITCC_ERROR_DEAD] = "the context is dead",
    };
    return status >= 0 && (size_t)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

int tritcc_version(int *out_major, int *out_minor, int *out_patch)
{
    if (out_major)
        *out_major = TRITCC_VERSION_MAJOR;
    if (out_minor)
        *out_minor = TRITCC_VERSION_MINOR;
    if (out_patch)
        *out_patch = TRITCC_VERSION_PATCH;
    return TRITCC_OK;
}

const char *tritcc_version_string(void) { return tri_info_version_text(); }
