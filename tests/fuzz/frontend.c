/* libFuzzer target: the whole front end, from text and types to verified ttir. An input is a kernel file
 * whose first lines may be "#sig TYPES" (-sig) and "#config N" (-config). What must hold:
 *   no crash, no leak, no endless run;
 *   what is refused is told, in the compiler's own words: an operation that the IR's verifier
 *   refuses is a mistake that the front end missed;
 *   the same input gives the same result twice.
 * mutate.c changes inputs as a writer of kernels would. Build and run with tests/fuzz/run.sh. */
#include "frontend/frontend.h"
#include "ir/options.h"
#include "tests/fuzz/session.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes the header lines off *text. */
static void read_header(tri_arena *arena, tri_str *text, tri_options *options)
{
    for (;;) {
        size_t end = tri_str_find(*text, '\n');
        tri_str line = tri_str_sub(*text, 0, end);
        if (tri_str_has_prefix(line, "#sig "))
            tri_vec_push(arena, &options->signatures, tri_str_trim(tri_str_sub(line, 5, line.len)));
        else if (tri_str_has_prefix(line, "#config ")) {
            int64_t n;
            options->config = tri_str_to_i64(tri_str_trim(tri_str_sub(line, 8, line.len)), &n) ? (int)n : -1;
        } else
            return;
        *text = tri_str_sub(*text, end < text->len ? end + 1 : end, text->len);
    }
}

static _Noreturn void fail(const char *what, tri_str detail)
{
    fprintf(stderr, "%s: %.*s\n", what, TRI_STR_ARG(detail));
    abort();
}

static void check_reports(bool ok)
{
    size_t errors = 0;
    for (size_t i = 0; i < tri_diag_held_count(session.diag); i++) {
        tri_span at;
        tri_str text;
        if (tri_diag_held_at(session.diag, i, &at, &text) != TRI_ERROR)
            continue;
        errors++;
        /* "'tt.load' op ...": how the verifiers of MLIR speak. */
        for (size_t k = 0; text.len && text.data[0] == '\'' && k + 5 < text.len; k++)
            if (memcmp(text.data + k, "' op ", 5) == 0)
                fail("the verifier refused what the front end built", text);
    }
    if (ok != (errors == 0))
        fail(ok ? "errors, but success" : "refused without an error", TRI_STR(""));
}

static bool lower(tri_str name, tri_str text, const tri_options *options, tri_buf *out)
{
    tri_arena *arena = tri_arena_create();
    const tri_frontend_target target = {
        .facts = tri_machines_for(TRI_STR("cuda:90")), .default_warps = 4, .default_stages = 3};
    tri_unit unit;
    tri_unit_init(&unit, arena, session.diag, options);
    unit.mlir = session.mlir;
    unit.source = tri_diag_add_source(session.diag, name, text);
    unit.payload = TRI_PAYLOAD_SOURCE;
    tri_diag_hold(session.diag);
    bool ok = tri_frontend_parse(&unit) && tri_frontend_lower(&unit, &target);
    check_reports(ok);
    if (ok)
        tri_context_print(unit.module, false, out);
    for (size_t i = 0; i < tri_diag_held_count(session.diag); i++) {
        tri_span at;
        tri_str report;
        tri_diag_held_at(session.diag, i, &at, &report);
        tri_buf_format(out, "%u-%u %.*s\n", at.begin, at.end, TRI_STR_ARG(report));
    }
    tri_diag_drop(session.diag);
    tri_unit_fini(&unit);
    tri_arena_destroy(arena);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    renew_session();
    tri_diag_set_warning(session.diag, TRI_STR("all"), true);
    tri_arena *arena = tri_arena_create();
    tri_options options = {.config = -1};
    tri_str text = {(const char *)data, size};
    read_header(arena, &text, &options);
    tri_buf once = {0}, twice = {0};
    lower(TRI_STR("input.py"), text, &options, &once);
    if (session.runs % 8 == 0) {
        lower(TRI_STR("input.py"), text, &options, &twice);
        if (!tri_str_equal(tri_buf_str(&once), tri_buf_str(&twice)))
            fail("two runs differ", tri_buf_str(&twice));
    }
    tri_buf_fini(&once);
    tri_buf_fini(&twice);
    tri_arena_destroy(arena);
    return 0;
}
