/* The base module: arenas, strings, maps, files, diagnostics' bookkeeping. */
#include "base/diag.h"
#include "base/file.h"
#include "base/map.h"
#include "base/process.h"
#include "base/sha256.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>

static int failures;

#define CHECK(cond) ((cond) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond)))

static void test_strings(tri_arena *arena)
{
    int64_t v = 0;
    CHECK(tri_str_to_i64(TRI_STR("-9223372036854775808"), &v) && v == INT64_MIN);
    CHECK(!tri_str_to_i64(TRI_STR("9223372036854775808"), &v));
    CHECK(tri_str_to_i64(TRI_STR("0x7f"), &v) && v == 127);
    CHECK(!tri_str_to_i64(TRI_STR("12a"), &v) && !tri_str_to_i64(TRI_STR(""), &v) && !tri_str_to_i64(TRI_STR("-"), &v));
    static const char *const words[] = {"coalesce", "canonicalize", "cse"};
    CHECK(tri_str_is(tri_str_from(tri_str_nearest(TRI_STR("coalesec"), words, 3)), "coalesce"));
    CHECK(!tri_str_nearest(TRI_STR("pipeline"), words, 3));
    CHECK(tri_str_is(tri_path_stem(TRI_STR("a/b/k.tri")), "k") && tri_str_is(tri_path_suffix(TRI_STR("a.b/k")), ""));
    CHECK(tri_str_is(tri_path_folder(TRI_STR("k")), ".") && tri_str_is(tri_path_folder(TRI_STR("/k")), "/"));
    tri_buf buf = {0};
    tri_buf_add_json(&buf, TRI_STR("a\"\\\n\001"));
    CHECK(tri_str_is(tri_buf_str(&buf), "\"a\\\"\\\\\\n\\u0001\""));
    tri_buf_fini(&buf);
    CHECK(tri_str_is(tri_str_format(arena, "%d-%s", 7, "x"), "7-x"));
}

static void test_containers(tri_arena *arena)
{
    TRI_VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        tri_vec_push(arena, &v, i * i);
    bool ok = v.len == 1000;
    for (int i = 0; i < 1000; i++)
        ok = ok && v.at[i] == i * i;
    CHECK(ok);
    tri_map map;
    tri_map_init(&map, arena);
    for (uintptr_t i = 1; i <= 500; i++) {
        tri_map_set(&map, tri_str_format(arena, "key%lu", (unsigned long)i), (void *)i);
        tri_map_set_ptr(&map, (void *)(i * 16), (void *)(i + 1));
    }
    ok = true;
    for (uintptr_t i = 1; i <= 500; i++) {
        ok = ok && tri_map_find(&map, tri_str_format(arena, "key%lu", (unsigned long)i)) == (void *)i;
        ok = ok && tri_map_find_ptr(&map, (void *)(i * 16)) == (void *)(i + 1);
    }
    CHECK(ok && !tri_map_find(&map, TRI_STR("key0")) && !tri_map_find_ptr(&map, (void *)8));
    char *grown = tri_arena_grow(arena, NULL, 0, 10);
    grown[9] = 'x';
    grown = tri_arena_grow(arena, grown, 10, 200000);
    CHECK(grown[9] == 'x' && grown[10] == 0 && grown[199999] == 0);
}

static void test_files(tri_arena *arena)
{
    tri_str path, text;
    int error = 0;
    CHECK(tri_file_make_temporary(arena, ".txt", &path, &error));
    CHECK(tri_file_write(path, TRI_STR("hello"), &error));
    CHECK(tri_file_read(arena, path, &text, &error) && tri_str_is(text, "hello"));
    tri_file_remove_temporaries();
    CHECK(!tri_file_exists(path) && !tri_file_read(arena, path, &text, &error) && error != 0);
    CHECK(!tri_file_write(TRI_STR("/nonexistent/folder/file"), TRI_STR("x"), &error) && error != 0);
    const char *words[] = {"/bin/sh", "-c", "echo it\\'s; exit 3", NULL};
    tri_process_result run = tri_process_run(arena, words);
    CHECK(run.started && run.status == 3 && tri_str_is(run.output, "it's\n"));
    const char *slow[] = {"/bin/sh", "-c", "echo a; exec sleep 100", NULL};
    run = tri_process_run_for(arena, slow, 1, false);
    CHECK(run.started && run.is_late && tri_str_is(run.output, "a\n"));
    const char *silent[] = {"/bin/sh", "-c", "echo b; exec sleep 100 >&- 2>&-", NULL}; /* output ends first */
    run = tri_process_run_for(arena, silent, 1, true);
    CHECK(run.started && run.is_late && tri_str_is(run.output, "b\n"));
    run = tri_process_run_for(arena, words, 100, false);
    CHECK(!run.is_late && run.status == 3 && tri_str_is(run.output, "it's\n"));
    CHECK(tri_str_is(tri_process_quote(arena, words), "/bin/sh -c 'echo it\\'\\''s; exit 3'"));
}

static void test_diag(void)
{
    tri_diag *diag = tri_diag_create();
    const tri_source *source = tri_diag_add_source(diag, TRI_STR("a.tri"), TRI_STR("one\ntwo\n\nfour"));
    uint32_t line, column;
    tri_source_position(source, 9, &line, &column);
    CHECK(line == 4 && column == 1);
    CHECK(tri_source_offset(source, 2, 2) == 5);
    tri_diag_hold(diag);
    tri_diag_error(diag, TRI_NO_SPAN, 0, "never seen");
    CHECK(tri_diag_error_count(diag) == 1);
    tri_diag_drop(diag);
    CHECK(tri_diag_error_count(diag) == 0);
    tri_diag_set_warning(diag, TRI_STR("deprecated"), false);
    tri_diag_warning(diag, TRI_NO_SPAN, "deprecated", "never seen");
    CHECK(tri_diag_warning_count(diag) == 0);
    tri_diag_add_prefix_map(diag, TRI_STR("a"), TRI_STR("b"));
    CHECK(tri_str_is(tri_diag_map_path(diag, TRI_STR("a.tri")), "b.tri"));
    tri_buf out = {0};
    CHECK(tri_diag_explain(2001, &out) && !tri_diag_explain(1, &out));
    tri_buf_fini(&out);
    tri_diag_destroy(diag);
}

/* The examples of FIPS 180-4, and a text of several blocks in pieces. */
static void test_sha256(void)
{
    static const char *const rows[][2] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char text[TRI_SHA256_TEXT + 1], a[1000];
    tri_sha256 hash;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tri_sha256_init(&hash);
        tri_sha256_add(&hash, rows[i][0], strlen(rows[i][0]));
        tri_sha256_finish(&hash, text);
        CHECK(!strcmp(text, rows[i][1]));
    }
    memset(a, 'a', sizeof a);
    tri_sha256_init(&hash);
    for (size_t done = 0, n = 1; done < 1000000; done += n, n = n % 900 + 7)
        tri_sha256_add(&hash, a, n = n < 1000000 - done ? n : 1000000 - done);
    tri_sha256_finish(&hash, text);
    CHECK(!strcmp(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
}

int main(void)
{
    tri_arena *arena = tri_arena_create();
    test_strings(arena);
    test_containers(arena);
    test_files(arena);
    test_diag();
    test_sha256();
    tri_arena_destroy(arena);
    return failures != 0;
}
