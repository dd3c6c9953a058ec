#include "driver/transform.h"

#include "driver/expect.h"
#include "driver/output.h"
#include "driver/payload.h"
#include "driver/pipeline.h"

/* The end of the piece that starts at `from`: the start of a line that starts with `marker`, or the end of
 * the text. */
static size_t end_of_piece(tri_str text, size_t from, tri_str marker)
{
    for (size_t i = from; i + marker.len <= text.len; i++)
        if ((i == 0 || text.data[i - 1] == '\n') && tri_str_equal(tri_str_sub(text, i, i + marker.len), marker))
            return i;
    return text.len;
}

/* The source from its front end, up to where the ttir passes would begin. */
static bool run_front_end(tri_session *session, tri_unit *unit)
{
    tri_phase_list phases = tri_phase_list_for(unit->arena, unit->target);
    for (size_t i = 0; i < phases.len && phases.at[i].from != TRI_KIND_RAW_TTIR; i++) {
        tri_session_provide(session, unit, phases.at[i].contexts);
        if (!tri_phase_run(&phases.at[i], unit, NULL))
            return false;
    }
    return true;
}

static bool transform_one(tri_session *session, tri_unit *unit, tri_kind kind, const tri_source *source, tri_buf *out)
{
    unit->kernels.len = 0;
    if (!tri_payload_read(unit, kind, source) ||
        !tri_session_choose_target(session, unit, tri_payload_arch(unit, kind)))
        return false;
    if (kind == TRI_KIND_SOURCE && !run_front_end(session, unit))
        return false;
    if (!tri_pipeline_run_passes(session, unit, session->opt->passes.data))
        return false;
    return tri_session_print(session, unit->module, session->opt->compile.release, out);
}

static bool transform(tri_session *session, tri_unit *unit, tri_kind kind, const tri_source *source, tri_buf *out)
{
    if (!session->opt->verify_diagnostics)
        return transform_one(session, unit, kind, source, out);
    tri_diag_hold(session->diag);
    transform_one(session, unit, kind, source, out);
    return tri_expect_check(session->diag, source, session->opt->verify_diagnostics == TRI_OPT_VERIFY_EXPECTED);
}

/* Pieces keep their line numbers: each is padded with the newlines that stand before it. */
static bool transform_pieces(tri_session *session, tri_unit *unit, tri_kind kind, tri_buf *out)
{
    const tri_source *whole = unit->source;
    bool ok = true;
    for (size_t from = 0; from < whole->text.len;) {
        size_t end = end_of_piece(whole->text, from, session->opt->input_marker);
        tri_buf piece = {0};
        for (size_t i = 0; i < from; i++)
            if (whole->text.data[i] == '\n')
                tri_buf_add_char(&piece, '\n');
        tri_buf_add_str(&piece, tri_str_sub(whole->text, from, end));
        const tri_source *source = tri_diag_add_source(session->diag, whole->name, tri_buf_str(&piece));
        tri_buf_fini(&piece);
        ok = transform(session, unit, kind, source, out) && ok;
        if (end < whole->text.len)
            tri_buf_format(out, "%.*s\n", TRI_STR_ARG(session->opt->output_marker));
        from = end;
        while (from < whole->text.len && whole->text.data[from++] != '\n')
            continue;
    }
    return ok;
}

int tri_transform_run(tri_session *session, tri_unit *unit, tri_kind kind)
{
    if (kind != TRI_KIND_SOURCE && kind != TRI_KIND_TTIR && kind != TRI_KIND_TTGIR) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 1005, "%s needs 'tri', 'ttir' or 'ttgir' input, not '%s'",
                       session->opt->passes_by.len ? session->opt->passes_by.data : "opt mode",
                       tri_phase_kind(kind)->name);
        return 2;
    }
    tri_session_provide(session, unit, TRI_PHASE_MLIR);
    tri_buf out = {0};
    bool ok = session->opt->split_input ? transform_pieces(session, unit, kind, &out)
                                        : transform(session, unit, kind, unit->source, &out);
    tri_str path = session->opt->output.len ? session->opt->output : TRI_STR("-");
    if (ok)
        ok = tri_output_write(unit->diag, tri_str_copy(unit->arena, path), tri_buf_str(&out));
    tri_buf_fini(&out);
    return ok ? 0 : 1;
}
