/* The compiler library: stages in memory, messages in the log. argv[1] is the source tree. */
#include "include/tritcc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static char *host_object(size_t *out_size)
{
    const char *const args[] = {"-arch=x86-64-v3", "-sig", "*fp32, *fp32, i32, 64", "-emit=obj"};
    tritcc_program *program = tritcc_create("rows.tri", loop, strlen(loop));
    CHECK(tritcc_compile(program, 4, args) == 0);
    const char *object = tritcc_get(program, "obj", out_size);
    char *copy = malloc(*out_size + 1);
    memcpy(copy, object, object ? *out_size : 0);
    tritcc_destroy(program);
    return copy;
}

/* LLVM is one for the whole process, and so are its options: a kernel for a GPU must change none. */
static void test_order(void)
{
    size_t sizes[2];
    char *before = host_object(&sizes[0]);
    const char *const args[] = {"-arch=sm_90a", "-sig", "*fp32, *fp32, i32, 64", "-emit=ptx"};
    tritcc_program *program = tritcc_create("rows.tri", loop, strlen(loop));
    CHECK(tritcc_compile(program, 4, args) == 0);
    tritcc_destroy(program);
    char *after = host_object(&sizes[1]);
    CHECK(sizes[0] > 1000 && sizes[0] == sizes[1] && !memcmp(before, after, sizes[0]));
    free(before);
    free(after);
}

int main(void)
{
    test_order();
    size_t size;
    tritcc_program *program = tritcc_create("double.tri", kernel, strlen(kernel));
    const char *const right[] = {"-arch=sm_80", "-sig", "*fp32:16, 128", "-emit=ttir,ptx"};
    CHECK(tritcc_compile(program, 4, right) == 0);
    CHECK(!strcmp(tritcc_log(program), ""));
    const char *ptx = tritcc_get(program, "ptx", &size);
    CHECK(ptx && strlen(ptx) == size && strstr(ptx, ".entry double("));
    const char *ttir = tritcc_get(program, "ttir", &size);
    CHECK(ttir && strstr(ttir, "tt.func public @double"));
    CHECK(!tritcc_get(program, "cubin", &size) && size == 0);

    const char *const untyped[] = {"-emit=ttir"};
    CHECK(tritcc_compile(program, 1, untyped) == 1);
    CHECK(strstr(tritcc_log(program), "double.tri:5:"));
    CHECK(!tritcc_get(program, "ttir", &size));
    const char *const wrong[] = {"-emit=nothing"};
    CHECK(tritcc_compile(program, 1, wrong) == 2);
    CHECK(strstr(tritcc_log(program), "unknown kind 'nothing'"));
    const char *const mode[] = {"--version"};
    CHECK(tritcc_compile(program, 1, mode) == 2);
    tritcc_destroy(program);

    /* Again after an earlier program has ended: nothing of it is left behind. */
    program = tritcc_create("-", "", 0);
    CHECK(tritcc_compile(program, 1, untyped) == 1);
    CHECK(strstr(tritcc_log(program), "is empty"));
    tritcc_destroy(program);
    return failures != 0;
}
