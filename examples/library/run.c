/* Compiles a kernel that is held in a string for this machine, links it, and runs it. */
#include <tritcc/tritcc.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char kernel[] = "import triton\n"
                             "import triton.language as tl\n"
                             "\n"
                             "@triton.jit\n"
                             "def scale(x, y, n, factor, B: tl.constexpr):\n"
                             "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                             "    tl.store(y + i, factor * tl.load(x + i, mask=i < n), mask=i < n)\n";

typedef struct {
    uint32_t x, y, z;
} grid;

static void on_diagnostic(void *user, const tritcc_diagnostic *d)
{
    (void)user;
    fprintf(stderr, "%s:%u:%u: %s\n", d->file ? d->file : "options", d->line, d->column, d->text);
}

static int fail(const char *what, int status)
{
    fprintf(stderr, "%s: %s\n", what, tritcc_strerror(status));
    return 1;
}

/* The object as a shared library in `folder`. */
static void *load(const char *folder, const void *object, size_t size)
{
    char path[300], command[700];
    snprintf(path, sizeof path, "%s/scale.o", folder);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(object, 1, size, f) != size || fclose(f))
        return NULL;
    snprintf(command, sizeof command, "cc -shared -o '%s/scale.so' '%s' -lm", folder, path);
    if (system(command))
        return NULL;
    snprintf(path, sizeof path, "%s/scale.so", folder);
    return dlopen(path, RTLD_NOW);
}

int main(void)
{
    tritcc_context *context;
    const void *object;
    size_t size;
    char folder[] = "/tmp/tritcc-example-XXXXXX";
    int status = tritcc_create(&context);
    if (status)
        return fail("create", status);
    tritcc_set_diagnostic_callback(context, on_diagnostic, NULL);
    tritcc_set_options(context, "-arch=native -sig '*fp32, *fp32, i32, fp32, 256' -emit=obj");
    tritcc_set_input(context, "scale.tri", kernel, strlen(kernel));
    if ((status = tritcc_compile(context)) || (status = tritcc_get_output(context, "obj", &object, &size)))
        return fail("compile", status);
    void *library = mkdtemp(folder) ? load(folder, object, size) : NULL;
    int (*scale)(void *, grid, const float *, float *, int32_t, float) = NULL;
    if (library)
        *(void **)&scale = dlsym(library, "scale");
    if (!scale)
        return fail("load", TRITCC_ERROR_NOTHING);
    float x[1000], y[1000];
    for (int i = 0; i < 1000; i++)
        x[i] = (float)i;
    if (scale(NULL, (grid){4, 1, 1}, x, y, 1000, 2.0f))
        return fail("launch", TRITCC_ERROR_REJECTED);
    for (int i = 0; i < 1000; i++)
        if (y[i] != 2 * x[i])
            return fail("result", TRITCC_ERROR_REJECTED);
    printf("y[999] = %g\n", (double)y[999]);
    tritcc_destroy(context);
    char path[300];
    snprintf(path, sizeof path, "%s/scale.o", folder), unlink(path);
    snprintf(path, sizeof path, "%s/scale.so", folder), unlink(path);
    return rmdir(folder) != 0;
}
