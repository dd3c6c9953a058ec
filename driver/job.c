#include "driver/job.h"

#include "base/file.h"
#include "driver/transform.h"
#include "frontend/frontend.h"

static bool find_kind(tri_session *session, const tri_opt_input *input, tri_kind *out_kind)
{
    tri_kind kind = input->kind ? input->kind : tri_phase_kind_of_file(input->path);
    bool is_stdin = tri_str_is(input->path, "-");
    if (!input->kind && session->opt->has_passes && (is_stdin || tri_str_is(tri_path_suffix(input->path), ".mlir")))
        kind = TRI_KIND_TTGIR; /* or ttir: passes ask the module */
    else if (!input->kind && is_stdin)
        kind = TRI_KIND_SOURCE;
    *out_kind = kind;
    if (kind != TRI_KIND_NONE && tri_phase_is_input(kind))
        return true;
    tri_str names = tri_phase_kind_names(session->arena, true);
    if (kind != TRI_KIND_NONE)
        tri_diag_error(session->diag, TRI_NO_SPAN, 1005, "'%.*s' is '%s', which cannot be an input; these can: %s",
                       TRI_STR_ARG(input->path), tri_phase_kind(kind)->name, names.data);
    else
        tri_diag_error(session->diag, TRI_NO_SPAN, 1005,
                       "cannot tell the kind of '%.*s' from its suffix; give -x KIND, of: %s", TRI_STR_ARG(input->path),
                       names.data);
    return false;
}

static const tri_source *check_text(tri_session *session, const tri_opt_input *input, tri_kind kind, tri_str text)
{
    bool is_stdin = tri_str_is(input->path, "-");
    if (!text.len) {
        const tri_source *source =
            tri_diag_add_source(session->diag, is_stdin ? TRI_STR("<stdin>") : input->path, text);
        tri_diag_error(session->diag, (tri_span){source, 0, 0}, 1001, "'%.*s' is empty", TRI_STR_ARG(input->path));
        return NULL;
    }
    if (!tri_phase_is_binary(kind) && kind != TRI_KIND_SOURCE && memchr(text.data, 0, text.len)) {
        tri_diag_error(session->diag, TRI_NO_SPAN, 1001, "'%.*s' is not text: it has a NUL byte at offset %zu",
                       TRI_STR_ARG(input->path), (size_t)((const char *)memchr(text.data, 0, text.len) - text.data));
        return NULL;
    }
    return tri_diag_add_source(session->diag, is_stdin ? TRI_STR("<stdin>") : input->path, text);
}

static const tri_source *open_input(tri_session *session, const tri_opt_input *input, tri_kind kind)
{
    tri_arena *arena = tri_arena_create(); /* the source has a copy */
    const tri_source *source = NULL;
    tri_str text;
    int error = 0;
    if (tri_file_read(arena, input->path, &text, &error))
        source = check_text(session, input, kind, text);
    else
        tri_diag_error(session->diag, TRI_NO_SPAN, 1001, "cannot read '%.*s': %s", TRI_STR_ARG(input->path),
                       strerror(error));
    tri_arena_destroy(arena);
    return source;
}

static int transform(tri_session *session, tri_arena *arena, tri_kind kind, const tri_source *source)
{
    tri_unit unit;
    tri_unit_init(&unit, arena, session->diag, &session->opt->compile);
    unit.source = source;
    int status = tri_transform_run(session, &unit, kind);
    tri_unit_fini(&unit);
    return status;
}

int tri_job_run(tri_session *session, const tri_opt_input *input)
{
    tri_program program = {.session = session, .path = input->path};
    if (!find_kind(session, input, &program.kind))
        return 2;
    tri_arena *arena = tri_arena_create();
    program.source = open_input(session, input, program.kind);
    int status = 1;
    if (program.source)
        status = session->opt->has_passes ? transform(session, arena, program.kind, program.source)
                                          : tri_program_run(&program, NULL);
    tri_arena_destroy(arena);
    return status;
}

int tri_job_make(tri_session *session, const tri_opt_input *input, const tri_str *text, const tri_program_end *end,
                 tri_output_list *out_outputs)
{
    tri_program program = {.session = session, .path = input->path, .is_kept = true, .end = end};
    if (!find_kind(session, input, &program.kind))
        return 2;
    if (session->opt->compile.config == TRI_FRONTEND_ALL_CONFIGS) {
        tri_diag_error(session->diag, TRI_NO_SPAN, 1002,
                       "-config=all writes several files for one stage; compile one configuration at a time");
        return 2;
    }
    program.source = text ? check_text(session, input, program.kind, *text)
                          : open_input(session, input, program.kind);
    if (!program.source)
        return 1;
    int status = tri_program_run(&program, out_outputs);
    return status || tri_diag_error_count(session->diag) ? status ? status : 1 : 0;
}

int tri_job_check(tri_session *session, const tri_opt_input *input, const tri_str *text)
{
    tri_program program = {.session = session, .path = input->path};
    if (!find_kind(session, input, &program.kind))
        return 2;
    if (program.kind != TRI_KIND_SOURCE || tri_str_is(input->path, "-")) {
        tri_diag_error(session->diag, TRI_NO_SPAN, 1002, "-fix changes source files, and '%.*s' is none",
                       TRI_STR_ARG(input->path));
        return 2;
    }
    tri_arena *arena = tri_arena_create();
    program.source =
        text ? check_text(session, input, program.kind, *text) : open_input(session, input, program.kind);
    int status = program.source ? tri_program_run(&program, NULL) : 1;
    tri_arena_destroy(arena);
    return status;
}
