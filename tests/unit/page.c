/* What the page of -emit=html keeps of long texts: changes, applied to the old text, give the new one; a stage that
 * is cut has the rows of tables that its lines need, and no others. */
#include "driver/page/changes.h"
#include "driver/page/stage_text.h"

#include <stdio.h>
#include <stdlib.h>

static int failures;

static void expect_text(const char *what, tri_str got, const char *wanted)
{
    if (tri_str_is(got, wanted))
        return;
    printf("%s:\n%.*sinstead of\n%s", what, TRI_STR_ARG(got), wanted);
    failures++;
}

static void expect_changes(const char *old, const char *new, size_t most, const char *wanted)
{
    tri_buf out = {0};
    tri_page_add_changes(tri_str_from(old), tri_str_from(new), most, &out);
    expect_text("changes", tri_buf_str(&out), wanted);
    tri_buf_fini(&out);
}

static void copy_lines(tri_str *from, size_t count, tri_buf *to)
{
    for (; count && from->len; count--) {
        tri_str line = tri_str_take_line(from);
        tri_buf_format(to, "%.*s\n", TRI_STR_ARG(line));
    }
}

/* Applies `changes` to `old`. */
static void apply_changes(tri_str old, tri_str changes, tri_buf *out)
{
    while (changes.len) {
        tri_str line = tri_str_take_line(&changes);
        if (line.data[0] == '@')
            copy_lines(&old, strtoul(line.data + 1, NULL, 10), out);
        else if (line.data[0] == ' ')
            copy_lines(&old, 1, out);
        else if (line.data[0] == '-')
            tri_str_take_line(&old);
        else
            tri_buf_format(out, "%.*s\n", TRI_STR_ARG(tri_str_sub(line, 1, line.len)));
    }
    copy_lines(&old, SIZE_MAX, out);
}

/* A text of lines of which few differ, and one of it with some lines gone, come and changed. */
static void random_texts(unsigned *seed, tri_buf *old, tri_buf *new)
{
    int lines = rand_r(seed) % 400, kinds = 1 + rand_r(seed) % 300, share = 2 + rand_r(seed) % 40;
    for (int i = 0; i < lines; i++) {
        int kind = rand_r(seed) % kinds, what = rand_r(seed) % share;
        tri_buf_format(old, "line %d\n", kind);
        if (what != 0)
            tri_buf_format(new, "line %d\n", kind);
        if (what < 2)
            tri_buf_format(new, "line %d\n", rand_r(seed) % kinds);
    }
}

static void test_random_texts(void)
{
    unsigned seed = 1;
    for (int i = 0; i < 300; i++) {
        tri_buf old = {0}, new = {0}, changes = {0}, applied = {0};
        random_texts(&seed, &old, &new);
        tri_page_add_changes(tri_buf_str(&old), tri_buf_str(&new), SIZE_MAX, &changes);
        apply_changes(tri_buf_str(&old), tri_buf_str(&changes), &applied);
        if (!tri_str_equal(tri_buf_str(&applied), tri_buf_str(&new))) {
            printf("pair %d: changes do not lead to the new text\n", i);
            failures++;
        }
        tri_buf *const all[] = {&old, &new, &changes, &applied};
        for (size_t k = 0; k < 4; k++)
            tri_buf_fini(all[k]);
    }
}

static void expect_stage(const char *text, size_t lines, size_t bytes, size_t left_out, const char *wanted)
{
    tri_buf out = {0};
    size_t got = tri_page_add_stage_text(tri_str_from(text), lines, bytes, &out);
    expect_text("stage", tri_buf_str(&out), wanted);
    if (got != left_out) {
        printf("%zu lines left out instead of %zu\n", got, left_out);
        failures++;
    }
    tri_buf_fini(&out);
}

int main(void)
{
    expect_changes("a\nb\n", "a\nb\n", 10, "");
    expect_changes("a\nb\nc\n", "a\nc\n", 10, " a\n-b\n c\n");
    expect_changes("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\nx\n7\n8\n9\n", 20,
                   "@2\n 3\n 4\n 5\n-6\n+x\n 7\n 8\n+9\n");
    expect_changes("", "a\nb\nc\nd\n", 2, "+a\n+b\n?2\n");
    /* what moved is the shorter of the two */
    expect_changes("m\na\nb\nc\n", "a\nb\nc\nm\n", 20, "-m\n a\n b\n c\n+m\n");
    test_random_texts();

    const char *mlir = "#loc = loc(unknown)\nmodule {\n  a loc(#loc1)\n  b loc(#loc12)\n} loc(#loc)\n"
                       "#loc1 = loc(\"k.py\":1:1)\n#loc12 = loc(callsite(#loc2 at #loc1))\n#loc2 = loc(\"k.py\":2:1)\n";
    expect_stage(mlir, 100, 1000, 0,
                 "module {\n  a loc(#loc1)\n  b loc(#loc12)\n} loc(#loc)\n#loc = loc(unknown)\n"
                 "#loc1 = loc(\"k.py\":1:1)\n#loc12 = loc(callsite(#loc2 at #loc1))\n#loc2 = loc(\"k.py\":2:1)\n");
    expect_stage(mlir, 2, 1000, 2, "module {\n  a loc(#loc1)\n#loc1 = loc(\"k.py\":1:1)\n");
    expect_stage(mlir, 100, 10, 3, "module {\n");
    expect_stage("x, !dbg !7\n!llvm.dbg.cu = !{!0}\n!0 = unit\n!6 = !DIFile()\n!7 = !DILocation(scope: !6)\n",
                 10, 1000, 0, "x, !dbg !7\n!6 = !DIFile()\n!7 = !DILocation(scope: !6)\n");
    return failures != 0;
}
