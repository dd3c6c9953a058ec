/* tritcc: the process around the library. */
#include "base/diag.h"
#include "base/file.h"
#include "base/stack.h"
#include "driver/environment.h"
#include "ir/guard.h"
#include "include/tritcc/tritcc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int write_stream(void *user, int stream, const char *data, size_t size)
{
    (void)user;
    int error = 0;
    if (stream == 1)
        return tri_file_write(TRI_STR("-"), (tri_str){data, size}, &error) ? 0 : error;
    return fwrite(data, 1, size, stderr) == size ? 0 : errno;
}

/* What is no exit status of a compilation. */
static void last_words(tritcc_context *context, int status)
{
    const char *log = "";
    size_t size = 0;
    tri_file_remove_temporaries();
    if (status == TRITCC_ERROR_OUT_OF_MEMORY)
        tri_diag_out_of_memory();
    tritcc_get_log(context, &log, &size);
    fprintf(stderr, "tritcc: %s\ntritcc: please report this with the input that led to it\n",
            *log ? log : tritcc_strerror(status));
    abort();
}

#ifndef __SANITIZE_ADDRESS__
/* Before the libraries' own constructors, which allocate. */
__attribute__((section(".preinit_array"), used)) static void (*const guard_memory)(void) = tri_guard_memory;
#endif

typedef struct {
    int argc;
    char **argv;
    int status;
} command;

static void run_command(void *data)
{
    command *c = data;
    tri_file_guard_signals();
    tri_guard_memory();
    tri_environment_set((const char *const *)environ);
    tri_file_set_temporary_folder(tri_environment_get("TMPDIR").data);
    tritcc_context *context = NULL;
    int status = tritcc_create(&context);
    if (status == TRITCC_OK) {
        tritcc_set_stream_callback(context, write_stream, NULL, isatty(STDERR_FILENO));
        tritcc_set_environment(context, (const char *const *)environ);
        status = tritcc_command(context, c->argc, (const char *const *)c->argv);
    }
    if (status > TRITCC_ERROR_OPTIONS)
        last_words(context, status);
#ifdef __SANITIZE_ADDRESS__
    tritcc_destroy(context);
#endif
    tri_file_remove_temporaries();
    fflush(NULL);
#ifndef __SANITIZE_ADDRESS__
    /* The libraries' static objects end with the process: destroying them costs more than --version. */
    _exit(status);
#endif
    c->status = status;
}

int main(int argc, char **argv)
{
    command c = {argc, argv, 0};
    tri_stack_call(run_command, &c);
    return c.status;
}
