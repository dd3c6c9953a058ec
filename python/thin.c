/* The driver in the wheel: all of `tritcc` is in the library beside it. */
#include <tritcc/tritcc.h>

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

extern char **environ;

static int write_stream(void *user, int stream, const char *data, size_t size)
{
    (void)user;
    FILE *file = stream == 1 ? stdout : stderr;
    return fwrite(data, 1, size, file) == size && !fflush(file) ? 0 : errno;
}

int main(int argc, char **argv)
{
    tritcc_context *context = NULL;
    int status = tritcc_create(&context);
    if (!status) {
        tritcc_set_stream_callback(context, write_stream, NULL, isatty(STDERR_FILENO));
        tritcc_set_environment(context, (const char *const *)environ);
        status = tritcc_command(context, argc, (const char *const *)argv);
    }
    if (status > TRITCC_ERROR_OPTIONS) {
        const char *log = "";
        tritcc_get_log(context, &log, NULL);
        fprintf(stderr, "tritcc: %s\n", *log ? log : tritcc_strerror(status));
    }
    fflush(NULL);
    _exit(status);
}
