/* libFuzzer target: the reader of ttir and ttgir. What must hold of any text:
 *   no crash, no leak, no endless run;
 *   what is refused is told;
 *   what is accepted prints a text that is accepted and prints the same again;
 *   what is written for a release of Triton is read again.
 * Inputs are changed by words and lines, as plain changes of bytes seldom pass the lexer. Build and run with
 * tests/fuzz/run.sh. */
#include "tests/fuzz/session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static _Noreturn void fail(const char *what, tri_str detail)
{
    fprintf(stderr, "%s:\n%.*s\n", what, TRI_STR_ARG(detail));
    abort();
}

/* Null after a report, which must be there. */
static MlirModule parse(tri_str text)
{
    tri_diag_hold(session.diag);
    MlirModule module = tri_context_parse(session.mlir, tri_diag_add_source(session.diag, TRI_STR("input.mlir"), text));
    if (mlirModuleIsNull(module) && !tri_diag_held_count(session.diag))
        fail("refused without an error", text);
    tri_diag_drop(session.diag);
    return module;
}

/* The module's text for a release; false when the release cannot say it. */
static bool print(MlirModule module, unsigned release, tri_buf *out)
{
    tri_context_style style = {.release = release};
    tri_diag_hold(session.diag);
    bool ok = tri_context_print_styled(module, &style, out);
    if (!ok && !tri_diag_held_count(session.diag))
        fail("not written, without an error", TRI_STR(""));
    tri_diag_drop(session.diag);
    return ok;
}

static void check(MlirModule module, unsigned release)
{
    tri_buf once = {0}, twice = {0};
    if (print(module, release, &once)) {
        MlirModule again = parse(tri_buf_str(&once));
        if (mlirModuleIsNull(again))
            fail("the print is refused", tri_buf_str(&once));
        if (print(again, release, &twice) && !tri_str_equal(tri_buf_str(&once), tri_buf_str(&twice)))
            fail("the second print differs", tri_buf_str(&twice));
        mlirModuleDestroy(again);
    }
    tri_buf_fini(&once);
    tri_buf_fini(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    renew_session();
    MlirModule module = parse((tri_str){(const char *)data, size});
    if (mlirModuleIsNull(module))
        return 0;
    check(module, 0);
    check(module, 306 + session.runs % 4);
    mlirModuleDestroy(module);
    return 0;
}

/* ---- changes ---- */

static uint32_t state;

static size_t random_below(size_t n)
{
    state = state * 1664525u + 1013904223u;
    return n ? (size_t)(((uint64_t)(state >> 4) * n) >> 28) : 0;
}

/* A line (`is_line`) or a word somewhere in the text. */
static tri_str piece(tri_str text, bool is_line)
{
    size_t begin = random_below(text.len), end;
    if (is_line) {
        while (begin && text.data[begin - 1] != '\n')
            begin--;
        for (end = begin; end < text.len && text.data[end] != '\n';)
            end++;
        return tri_str_sub(text, begin, end < text.len ? end + 1 : end);
    }
    for (size_t tries = 0; tries < 64 && !isalnum((unsigned char)text.data[begin]); tries++)
        begin = random_below(text.len);
    while (begin && (isalnum((unsigned char)text.data[begin - 1]) || strchr("_.%#!@", text.data[begin - 1])))
        begin--;
    for (end = begin + 1;
         end < text.len && (isalnum((unsigned char)text.data[end]) || text.data[end] == '_' || text.data[end] == '.');)
        end++;
    return tri_str_sub(text, begin, end);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const char *const numbers[] = {
        "0", "1", "-1", "2", "3", "64", "128", "2147483648", "-9223372036854775808", "array<i32>"};
    state = seed;
    if (!size || random_below(8) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    tri_str text = {(const char *)data, size};
    bool is_line = random_below(3) == 0;
    tri_str to = piece(text, is_line), from = piece(text, is_line);
    size_t kind = random_below(4);
    if (kind == 0)
        from = (tri_str){0};
    else if (kind == 1 && !is_line)
        from = tri_str_from(numbers[random_below(sizeof numbers / sizeof *numbers)]);
    tri_buf out = {0};
    size_t begin = (size_t)(to.data - text.data), end = begin + to.len;
    tri_buf_add_str(&out, tri_str_sub(text, 0, begin));
    tri_buf_add_str(&out, from);
    /* (a line is put before the other, a word takes its place) */
    tri_buf_add_str(&out, tri_str_sub(text, is_line && kind ? begin : end, text.len));
    size_t len = out.len < max_size ? out.len : max_size;
    memcpy(data, out.data, len);
    tri_buf_fini(&out);
    return len;
}
