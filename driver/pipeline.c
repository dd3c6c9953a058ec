#include "driver/pipeline.h"

#include "driver/payload.h"
#include "driver/watch.h"
#include "targets/resources.h"

#include <stdio.h>

/* Breadth first from the input's kind along the phases that the target has. */
static void reach(const tri_unit *unit, tri_kind from, const tri_phase **via)
{
    tri_kind queue[TRI_KIND_COUNT] = {from};
    size_t count = 1;
    for (size_t next = 0; next < count; next++) {
        for (size_t i = 0; i < tri_phase_count(); i++) {
            const tri_phase *phase = tri_phase_at(i);
            if (phase->from != queue[next] || phase->to == from || via[phase->to] ||
                !phase->is_for(unit->target, phase))
                continue;
            via[phase->to] = phase;
            queue[count++] = phase->to;
        }
    }
}

static bool report_unreachable(const tri_unit *unit, tri_kind from, tri_str input, tri_kind to,
                               const tri_phase *const *via)
{
    tri_buf names = {0};
    for (int k = 1; k < TRI_KIND_COUNT; k++)
        if ((via[k] || k == (int)from) && tri_phase_kind(k)->name && k != TRI_KIND_SOURCE)
            tri_buf_format(&names, "%s%s", names.len ? " " : "", tri_phase_kind(k)->name);
    tri_diag_error(unit->diag, TRI_NO_SPAN, 1005, "'%s' cannot be made from '%s' input '%.*s' for %s; these can: %.*s",
                   tri_phase_kind(to)->name, tri_phase_kind(from)->name, TRI_STR_ARG(input), unit->arch->name,
                   TRI_STR_ARG(tri_buf_str(&names)));
    tri_buf_fini(&names);
    return false;
}

bool tri_pipeline_plan(tri_session *session, const tri_unit *unit, tri_kind from, tri_str input,
                       const tri_output_list *outputs, tri_pipeline *out)
{
    (void)session;
    const tri_phase *via[TRI_KIND_COUNT] = {0};
    *out = (tri_pipeline){.from = from};
    reach(unit, from, via);
    for (size_t i = 0; i < outputs->len; i++) {
        tri_kind kind = outputs->at[i].kind;
        if (kind != from && !via[kind])
            return report_unreachable(unit, from, input, kind, via);
        for (; kind != from; kind = via[kind]->from)
            out->via[kind] = via[kind];
    }
    return true;
}

static void keep(tri_unit *unit, tri_output *output, tri_str data)
{
    output->data = tri_str_copy(unit->arena, data);
    output->is_done = true;
}

/* Prints the payload into every output of this kind. */
static bool collect(tri_unit *unit, tri_kind kind, tri_output_list *outputs)
{
    for (size_t i = 0; i < outputs->len; i++) {
        tri_output *output = &outputs->at[i];
        if (output->kind != kind)
            continue;
        tri_buf text = {0};
        bool ok = tri_payload_print(unit, kind, &text);
        if (ok)
            keep(unit, output, tri_buf_str(&text));
        tri_buf_fini(&text);
        if (!ok)
            return false;
        if (output->is_temp && !tri_output_write(unit->diag, output->path, output->data))
            return false;
    }
    return true;
}

static bool run_view(tri_session *session, tri_unit *unit, const tri_phase *phase, tri_output_list *outputs)
{
    double start = tri_report_now();
    tri_buf text = {0};
    bool ok = phase->view(unit, &text);
    for (size_t i = 0; ok && i < outputs->len; i++)
        if (outputs->at[i].kind == phase->to)
            keep(unit, &outputs->at[i], tri_buf_str(&text));
    tri_buf_fini(&text);
    tri_report_add(&session->report, phase->name, NULL, tri_report_now() - start);
    return ok;
}

static bool run_step(tri_session *session, tri_unit *unit, const tri_phase *phase)
{
    if (session->opt->verbose)
        fprintf(stderr, "tritcc: %s: %s\n", phase->name, phase->help);
    tri_session_provide(session, unit, phase->contexts);
    tri_watch watch;
    tri_watch_init(&watch, session, unit, phase->name);
    double start = tri_report_now();
    size_t row = tri_report_reserve(&session->report, phase->name);
    bool ok = phase->run(unit, &watch.hooks);
    tri_report_fill(&session->report, row, tri_report_now() - start);
    tri_watch_fini(&watch);
    TRI_ASSERT(ok || tri_diag_error_count(unit->diag) > 0);
    return ok;
}

/* Text of the family that --resource-usage looks at. */
static bool is_counted(const tri_session *session, const tri_unit *unit, tri_kind kind)
{
    const char *name = tri_phase_kind(kind)->name;
    return session->opt->resource_usage && name && unit->target && !strcmp(name, unit->target->code_kind);
}

static bool report_resources(tri_unit *unit, tri_str code)
{
    bool is_known = true;
    for (size_t i = 0; i < unit->kernels.len; i++)
        is_known = is_known && unit->kernels.at[i].registers >= 0;
    if (unit->target->measure && !(is_known && unit->kernels.len) && !unit->target->measure(unit, code))
        return false;
    tri_buf text = {0};
    tri_resources_print(unit, code, &text);
    fprintf(stderr, "%.*s", TRI_STR_ARG(tri_buf_str(&text)));
    tri_buf_fini(&text);
    return true;
}

/* Everything that follows from `kind`, which is the unit's payload now. */
static bool visit(tri_session *session, tri_unit *unit, const tri_pipeline *pipeline, tri_kind kind,
                  tri_output_list *outputs)
{
    const tri_phase *steps[TRI_KIND_COUNT], *views[TRI_KIND_COUNT];
    size_t step_count = 0, view_count = 0;
    if (!collect(unit, kind, outputs))
        return false;
    for (int k = 1; k < TRI_KIND_COUNT; k++) {
        const tri_phase *phase = pipeline->via[k];
        if (phase && phase->from == kind && phase->run)
            steps[step_count++] = phase;
        else if (phase && phase->from == kind)
            views[view_count++] = phase;
    }
    /* Views come last: they also tell what the steps found out (registers, sizes). */
    tri_buf saved = {0};
    bool ok = true;
    bool is_shared = step_count > 1 || (step_count && view_count);
    TRI_ASSERT(!is_shared || unit->payload == TRI_PAYLOAD_BYTES);
    if (is_shared)
        tri_buf_add_str(&saved, tri_buf_str(&unit->bytes));
    tri_str code = {0};
    if (is_counted(session, unit, kind))
        code = tri_str_copy(unit->arena, tri_buf_str(&unit->bytes));
    for (size_t i = 0; ok && i <= step_count + view_count; i++) {
        if (code.len && i == step_count && !report_resources(unit, code))
            ok = false;
        if (!ok || i == step_count + view_count)
            break;
        if (i && i <= step_count) {
            tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
            tri_buf_add_str(&unit->bytes, tri_buf_str(&saved));
        }
        if (i < step_count)
            ok = run_step(session, unit, steps[i]) && visit(session, unit, pipeline, steps[i]->to, outputs);
        else
            ok = run_view(session, unit, views[i - step_count], outputs);
    }
    tri_buf_fini(&saved);
    return ok;
}

bool tri_pipeline_run(tri_session *session, tri_unit *unit, const tri_pipeline *pipeline, tri_output_list *outputs)
{
    return visit(session, unit, pipeline, pipeline->from, outputs);
}

bool tri_pipeline_run_passes(tri_session *session, tri_unit *unit, const char *passes)
{
    tri_watch watch;
    tri_watch_init(&watch, session, unit, "passes");
    double start = tri_report_now();
    size_t row = tri_report_reserve(&session->report, "passes");
    bool ok = !*passes || tri_passes_run(unit, passes, &watch.hooks);
    tri_report_fill(&session->report, row, tri_report_now() - start);
    tri_watch_fini(&watch);
    return ok;
}

void tri_pipeline_print(const tri_pipeline *pipeline, const tri_unit *unit, tri_str input,
                        const tri_output_list *outputs, tri_buf *out)
{
    tri_buf_format(out, "%.*s: %s, for %s\n", TRI_STR_ARG(input), tri_phase_kind(pipeline->from)->name,
                   unit->arch->name);
    for (size_t i = 0; i < tri_phase_count(); i++) {
        const tri_phase *phase = tri_phase_at(i);
        if (pipeline->via[phase->to] != phase)
            continue;
        tri_buf_format(out, "  %-10s %s", phase->name, phase->help);
        for (size_t j = 0; j < outputs->len; j++)
            if (outputs->at[j].kind == phase->to)
                tri_buf_format(out, "  -> %.*s", TRI_STR_ARG(outputs->at[j].path));
        tri_buf_add_char(out, '\n');
    }
}
