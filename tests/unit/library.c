/* The compiler library: stages in memory, structured diagnostics, statuses for every misuse. */
#include "include/tritcc/tritcc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

#define CHECK(cond) ((cond) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond)))

static const char kernel[] = "import triton\n"
                             "import triton.language as tl\n"
                             "\n"
                             "@triton.jit\n"
                             "def double(p, B: tl.constexpr):\n"
                             "    i = tl.arange(0, B)\n"
                             "    tl.store(p + i, 2 * tl.load(p + i))\n";

static const char loop[] = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def rows(p, q, n, B: tl.constexpr):\n"
                           "    for i in range(n):\n"
                           "        for j in range(n):\n"
                           "            o = (i * n + j) * B + tl.arange(0, B)\n"
                           "            tl.store(q + o * 3, tl.load(p + o * n))\n";

static int compile(tritcc_context *c, const char *options, const char *name, const char *text)
{
    CHECK(tritcc_set_options(c, options) == TRITCC_OK);
    CHECK(tritcc_set_input(c, name, text, strlen(text)) == TRITCC_OK);
    return tritcc_compile(c);
}

static const char *output(tritcc_context *c, const char *kind, size_t *out_size)
{
    const void *data;
    return tritcc_get_output(c, kind, &data, out_size) == TRITCC_OK ? data : NULL;
}

static const char *log_of(tritcc_context *c)
{
    const char *text;
    CHECK(tritcc_get_log(c, &text, NULL) == TRITCC_OK);
    return text;
}

static char *host_object(tritcc_context *c, size_t *out_size)
{
    CHECK(compile(c, "-arch=x86-64-v3 -sig '*fp32, *fp32, i32, 64' -emit=obj", "rows.tri", loop) == TRITCC_OK);
    const char *object = output(c, "obj", out_size);
    char *copy = malloc(*out_size + 1);
    memcpy(copy, object, object ? *out_size : 0);
    return copy;
}

/* LLVM is one for the whole process, and so are its options: a kernel for a GPU must change none, and a warm context
 * gives what a fresh one gives. */
static void test_order(void)
{
    tritcc_context *warm, *fresh;
    CHECK(tritcc_create(&warm) == TRITCC_OK && tritcc_create(&fresh) == TRITCC_OK);
    size_t sizes[3];
    char *before = host_object(warm, &sizes[0]);
    CHECK(compile(warm, "-arch=sm_90a -sig '*fp32, *fp32, i32, 64' -emit=ptx", "rows.tri", loop) == TRITCC_OK);
    char *after = host_object(warm, &sizes[1]), *other = host_object(fresh, &sizes[2]);
    CHECK(sizes[0] > 1000 && sizes[0] == sizes[1] && !memcmp(before, after, sizes[0]));
    CHECK(sizes[0] == sizes[2] && !memcmp(before, other, sizes[0]));
    free(before);
    free(after);
    free(other);
    CHECK(tritcc_destroy(warm) == TRITCC_OK && tritcc_destroy(fresh) == TRITCC_OK);
}

static void test_stages(void)
{
    size_t size;
    const void *data;
    tritcc_context *c;
    CHECK(tritcc_create(&c) == TRITCC_OK);
    CHECK(tritcc_compile(c) == TRITCC_ERROR_NOTHING);
    CHECK(compile(c, "-arch=sm_80 -sig '*fp32:16, 128' -emit=ttir,ptx", "double.tri", kernel) == TRITCC_OK);
    CHECK(!strcmp(log_of(c), ""));
    const char *ptx = output(c, "ptx", &size), *kind;
    CHECK(ptx && strlen(ptx) == size && strstr(ptx, ".entry double("));
    char *ttir = strdup(output(c, "ttir", &size));
    CHECK(strstr(ttir, "tt.func public @double"));
    CHECK(tritcc_get_output(c, "cubin", &data, &size) == TRITCC_ERROR_NOTHING && !data && size == 0);
    CHECK(tritcc_get_output_at(c, 1, &kind, &data, &size) == TRITCC_OK && !strcmp(kind, "ptx"));
    CHECK(tritcc_get_output_at(c, 2, &kind, &data, &size) == TRITCC_ERROR_NOTHING);
    /* a stage is an input, too */
    CHECK(compile(c, "-arch=sm_80 -emit=ptx", "double.ttir", ttir) == TRITCC_OK);
    CHECK((ptx = output(c, "ptx", &size)) && strstr(ptx, ".entry double("));
    free(ttir);
    CHECK(compile(c, "-emit=nothing", "double.tri", kernel) == TRITCC_ERROR_OPTIONS);
    CHECK(strstr(log_of(c), "unknown kind 'nothing'"));
    CHECK(compile(c, "--version", "double.tri", kernel) == TRITCC_ERROR_OPTIONS);
    CHECK(compile(c, "-emit=ttir", "-", "") == TRITCC_ERROR_REJECTED && strstr(log_of(c), "is empty"));
    tritcc_destroy(c);
}

typedef struct {
    int count, notes;
    char text[200], file[40];
    tritcc_diagnostic last;
} seen;

static void on_diagnostic(void *user, const tritcc_diagnostic *d)
{
    seen *s = user;
    s->count++;
    s->notes += (int)d->note_count;
    s->last = *d;
    snprintf(s->text, sizeof s->text, "%s", d->text);
    snprintf(s->file, sizeof s->file, "%s", d->file ? d->file : "");
}

static void test_diagnostics(void)
{
    tritcc_context *c;
    seen s = {0};
    CHECK(tritcc_create(&c) == TRITCC_OK);
    CHECK(tritcc_set_diagnostic_callback(c, on_diagnostic, &s) == TRITCC_OK);
    CHECK(compile(c, "-arch=sm_80 -emit=ttir", "double.tri", kernel) == TRITCC_ERROR_REJECTED);
    CHECK(strstr(log_of(c), "double.tri:5:"));
    CHECK(s.count == 1 && s.last.severity == TRITCC_ERROR && !strcmp(s.file, "double.tri"));
    CHECK(s.last.line == 5 && s.last.column == 5 && s.last.code > 0 && s.last.end > s.last.begin);
    CHECK(s.last.struct_size == sizeof s.last && strstr(log_of(c), s.text));
    CHECK(s.notes > 0);
    tritcc_destroy(c);
}

static int on_file(void *user, const char *path, const char **out_data, size_t *out_size)
{
    if (strcmp(path, "half.tri"))
        return 0;
    *out_data = user;
    *out_size = strlen(user);
    return 1;
}

static void test_imports(void)
{
    static char half[] = "import triton\nimport triton.language as tl\n\nFACTOR = tl.constexpr(0.5)\n";
    static const char user[] = "import triton\n"
                               "import triton.language as tl\n"
                               "from half import FACTOR\n"
                               "\n"
                               "@triton.jit\n"
                               "def k(p):\n"
                               "    tl.store(p, tl.load(p) * FACTOR)\n";
    tritcc_context *c;
    CHECK(tritcc_create(&c) == TRITCC_OK);
    CHECK(compile(c, "-arch=sm_80 -sig '*fp32' -emit=ttir", "k.tri", user) == TRITCC_ERROR_REJECTED);
    CHECK(tritcc_set_file_callback(c, on_file, half) == TRITCC_OK);
    size_t size;
    const char *ttir;
    CHECK(tritcc_compile(c) == TRITCC_OK);
    CHECK((ttir = output(c, "ttir", &size)) && strstr(ttir, "5.000000e-01"));
    tritcc_destroy(c);
}

static void cancel(void *user, const tritcc_diagnostic *d)
{
    (void)d;
    CHECK(tritcc_compile(user) == TRITCC_ERROR_BUSY);
    CHECK(tritcc_cancel(user) == TRITCC_OK);
}

/* A context goes on after a cancellation and after a limit. */
static void test_ends(void)
{
    tritcc_context *c;
    const char *options = "-arch=sm_80 -sig '*fp32:16, 128' -emit=ptx -Rpass=all";
    CHECK(tritcc_create(&c) == TRITCC_OK);
    CHECK(tritcc_cancel(c) == TRITCC_OK);
    CHECK(tritcc_set_memory_limit(c, 1000) == TRITCC_OK);
    CHECK(compile(c, options, "double.tri", kernel) == TRITCC_ERROR_MEMORY_LIMIT);
    CHECK(tritcc_set_memory_limit(c, 0) == TRITCC_OK);
    CHECK(compile(c, options, "double.tri", kernel) == TRITCC_OK);
    CHECK(tritcc_set_diagnostic_callback(c, cancel, c) == TRITCC_OK);
    CHECK(compile(c, "-arch=sm_80 -sig '*fp32:16, 128, 3' -emit=ptx", "double.tri", kernel) != TRITCC_OK);
    CHECK(tritcc_set_diagnostic_callback(c, NULL, NULL) == TRITCC_OK);
    CHECK(compile(c, options, "double.tri", kernel) == TRITCC_OK);
    tritcc_destroy(c);
}

/* Each thread its own context; the bytes are those of one thread alone. */
static void *compile_on_thread(void *wanted)
{
    tritcc_context *c;
    size_t size;
    intptr_t wrong = tritcc_create(&c) != TRITCC_OK;
    for (int i = 0; i < 6 && !wrong; i++) {
        const char *options = i % 2 ? "-arch=sm_90a -sig '*fp32, *fp32, i32, 64' -emit=ptx"
                                    : "-arch=x86-64-v3 -sig '*fp32, *fp32, i32, 64' -emit=asm";
        wrong = compile(c, options, "rows.tri", loop) != TRITCC_OK;
        const char *text = output(c, i % 2 ? "ptx" : "asm", &size);
        wrong = wrong || !text || strcmp(text, ((char **)wanted)[i % 2]);
    }
    tritcc_destroy(c);
    return (void *)wrong;
}

static void test_threads(void)
{
    enum { count = 4 };
    pthread_t threads[count];
    tritcc_context *c;
    char *wanted[2];
    size_t size;
    CHECK(tritcc_create(&c) == TRITCC_OK);
    CHECK(compile(c, "-arch=x86-64-v3 -sig '*fp32, *fp32, i32, 64' -emit=asm", "rows.tri", loop) == TRITCC_OK);
    wanted[0] = strdup(output(c, "asm", &size));
    CHECK(compile(c, "-arch=sm_90a -sig '*fp32, *fp32, i32, 64' -emit=ptx", "rows.tri", loop) == TRITCC_OK);
    wanted[1] = strdup(output(c, "ptx", &size));
    for (int i = 0; i < count; i++)
        CHECK(!pthread_create(&threads[i], NULL, compile_on_thread, wanted));
    for (int i = 0; i < count; i++) {
        void *wrong = NULL;
        CHECK(!pthread_join(threads[i], &wrong) && !wrong);
    }
    free(wanted[0]);
    free(wanted[1]);
    tritcc_destroy(c);
}

static void *cancel_later(void *context)
{
    usleep(3000);
    return tritcc_cancel(context) == TRITCC_OK ? context : NULL;
}

/* From another thread, somewhere in the compilation: it ends, or it was done already, and the context goes on. */
static void test_cancel(void)
{
    tritcc_context *c;
    int cancelled = 0;
    CHECK(tritcc_create(&c) == TRITCC_OK);
    for (int i = 0; i < 10 || (!cancelled && i < 1000); i++) { /* (a thread may start late) */
        pthread_t thread;
        void *ok = NULL;
        CHECK(!pthread_create(&thread, NULL, cancel_later, c));
        int status = compile(c, "-arch=sm_90a -sig '*fp32, *fp32, i32, 4096' -emit=ttgir,ptx", "rows.tri", loop);
        CHECK(!pthread_join(thread, &ok) && ok);
        CHECK(status == TRITCC_OK || status == TRITCC_ERROR_CANCELLED);
        cancelled += status == TRITCC_ERROR_CANCELLED;
    }
    CHECK(cancelled > 0);
    CHECK(compile(c, "-arch=sm_90a -sig '*fp32, *fp32, i32, 64' -emit=ptx", "rows.tri", loop) == TRITCC_OK);
    tritcc_destroy(c);
}

/* Every function of a handle, with arguments that are right. */
static int call(int function, tritcc_context *c)
{
    static const char *const words[] = {"tritcc", "--version", NULL};
    const void *data;
    const char *kind, *text;
    size_t size;
    switch (function) {
    case 0:
        return tritcc_set_options(c, "-arch=sm_80 -sig '*fp32, 64' -emit=ptx");
    case 1:
        return tritcc_set_arguments(c, 1, words + 1);
    case 2:
        return tritcc_set_input(c, "k.tri", kernel, strlen(kernel));
    case 3:
        return tritcc_set_input_file(c, "k.tri");
    case 4:
        return tritcc_set_memory_limit(c, 0);
    case 5:
        return tritcc_set_tool_path(c, NULL, NULL);
    case 6:
        return tritcc_set_file_callback(c, NULL, NULL);
    case 7:
        return tritcc_set_diagnostic_callback(c, NULL, NULL);
    case 8:
        return tritcc_set_stream_callback(c, NULL, NULL, 0);
    case 9:
        return tritcc_set_environment(c, NULL);
    case 10:
        return tritcc_compile(c);
    case 11:
        return tritcc_cancel(c);
    case 12:
        return tritcc_get_output(c, "ptx", &data, &size);
    case 13:
        return tritcc_get_output_at(c, 0, &kind, &data, &size);
    case 14:
        return tritcc_get_log(c, &text, &size);
    case 15:
        return tritcc_command(c, 2, words);
    default:
        return -1;
    }
}

static void test_handles(void)
{
    char other[64] = {0};
    tritcc_context *freed, *next;
    CHECK(tritcc_create(&freed) == TRITCC_OK && tritcc_destroy(freed) == TRITCC_OK);
    CHECK(tritcc_create(&next) == TRITCC_OK && next != freed); /* whose place in memory it may have */
    int count = 0;
    for (; call(count, next) >= 0; count++) {
        CHECK(call(count, NULL) == TRITCC_ERROR_INVALID_ARGUMENT);
        CHECK(call(count, freed) == TRITCC_ERROR_INVALID_HANDLE);
        CHECK(call(count, (tritcc_context *)other) == TRITCC_ERROR_INVALID_HANDLE);
    }
    CHECK(count == 16);
    CHECK(tritcc_destroy(freed) == TRITCC_ERROR_INVALID_HANDLE);
    CHECK(tritcc_destroy((tritcc_context *)other) == TRITCC_ERROR_INVALID_HANDLE);
    CHECK(tritcc_destroy(next) == TRITCC_OK && tritcc_destroy(next) == TRITCC_ERROR_INVALID_HANDLE);
    CHECK(tritcc_destroy(NULL) == TRITCC_OK);
}

/* Results before a compilation, after one that failed, and with options taken away. */
static void test_wrong_order(void)
{
    const void *data;
    size_t size = 1;
    tritcc_context *c;
    CHECK(tritcc_create(&c) == TRITCC_OK);
    CHECK(tritcc_get_output(c, "ptx", &data, &size) == TRITCC_ERROR_NOTHING && !data && !size);
    CHECK(tritcc_get_output_at(c, 0, NULL, &data, &size) == TRITCC_ERROR_NOTHING);
    CHECK(!strcmp(log_of(c), ""));
    CHECK(tritcc_set_options(c, "-emit=ptx") == TRITCC_OK && tritcc_compile(c) == TRITCC_ERROR_NOTHING);
    CHECK(compile(c, "-arch=sm_80 -sig '*fp32, 64' -emit=ptx", "k.tri", kernel) == TRITCC_OK);
    CHECK(tritcc_get_output_at(c, SIZE_MAX, NULL, &data, &size) == TRITCC_ERROR_NOTHING);
    CHECK(compile(c, "-arch=sm_80 -sig '*fp32' -emit=ptx", "k.tri", kernel) == TRITCC_ERROR_REJECTED);
    CHECK(tritcc_get_output(c, "ptx", &data, &size) == TRITCC_ERROR_NOTHING);
    CHECK(tritcc_set_input_file(c, "/nonexistent/k.tri") == TRITCC_OK && tritcc_compile(c) == TRITCC_ERROR_REJECTED);
    CHECK(strstr(log_of(c), "/nonexistent/k.tri"));
    CHECK(tritcc_set_arguments(c, 0, NULL) == TRITCC_OK);
    CHECK(tritcc_destroy(c) == TRITCC_OK);
}

static void test_options(void)
{
    static const struct {
        const char *options, *wanted;
    } rows[] = {{"-arch=sm_80 -sig '*fp32", "<options>:1:18: error: this quote is never closed"},
                {"-emit=ptx\n -DB=\"", "<options>:2:6: error: this quote is never closed"},
                {"-sig", "'-sig' needs a value"},
                {"-arch=sm_80 -I", "'-I' needs a value"},
                {"-", "no further input"}};
    tritcc_context *c;
    CHECK(tritcc_create(&c) == TRITCC_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK(compile(c, rows[i].options, "k.tri", kernel) == TRITCC_ERROR_OPTIONS);
        CHECK(strstr(log_of(c), rows[i].wanted));
    }
    CHECK(compile(c, "-arch=sm_80 -sig '*fp32, 64' -emit=ptx", "@k.tri", kernel) == TRITCC_OK); /* no response file */
    CHECK(tritcc_set_arguments(c, 0, NULL) == TRITCC_OK);
    CHECK(tritcc_destroy(c) == TRITCC_OK);
}

static void test_misuse(void)
{
    const void *data;
    size_t size;
    tritcc_context *c;
    CHECK(tritcc_create(NULL) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_create(&c) == TRITCC_OK);
    CHECK(tritcc_set_options(NULL, "") == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_set_options(c, NULL) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_set_arguments(c, 1, NULL) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_set_arguments(c, -1, NULL) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_set_input(c, NULL, "", 0) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_set_input(c, "k.tri", NULL, 1) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_set_input(c, "", "", 0) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_set_input_file(c, NULL) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_set_input_file(c, "") == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_get_log(c, NULL, NULL) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_get_output(c, NULL, &data, &size) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_get_output_at(c, 0, NULL, NULL, &size) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_command(c, 0, NULL) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_command(c, 1, NULL) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_command(c, 1, (const char *const[]){NULL}) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_get_output(c, "ptx", NULL, &size) == TRITCC_ERROR_INVALID_ARGUMENT);
    CHECK(tritcc_get_output(c, "ptx", &data, &size) == TRITCC_ERROR_NOTHING);
    CHECK(tritcc_compile((tritcc_context *)&size) == TRITCC_ERROR_INVALID_HANDLE);
    CHECK(tritcc_destroy(c) == TRITCC_OK && tritcc_destroy(NULL) == TRITCC_OK);
    CHECK(tritcc_destroy(c) == TRITCC_ERROR_INVALID_HANDLE);
    CHECK(tritcc_compile(c) == TRITCC_ERROR_INVALID_HANDLE && tritcc_cancel(c) == TRITCC_ERROR_INVALID_HANDLE);
    for (int status = 0; status <= TRITCC_ERROR_DEAD; status++)
        CHECK(strcmp(tritcc_strerror(status), "unknown status"));
    CHECK(!strcmp(tritcc_strerror(-1), "unknown status"));
    int major = -1;
    CHECK(tritcc_version(&major, NULL, NULL) == TRITCC_OK && major == TRITCC_VERSION_MAJOR);
}

int main(void)
{
    test_order();
    test_stages();
    test_diagnostics();
    test_imports();
    test_ends();
    test_threads();
    test_cancel();
    test_handles();
    test_wrong_order();
    test_options();
    test_misuse();
    return failures != 0;
}
