#include "driver/pipeline.h"

#include "base/file.h"
#include "base/trap.h"
#include "driver/choose.h"
#include "driver/estimate.h"
#include "driver/payload.h"
#include "driver/watch.h"
#include "ir/kernel.h"
#include "targets/resources.h"

/* Breadth first from the input's kind along the phases that the target has. */
static void reach(const tri_phase_list *phases, tri_kind from, const tri_phase **via)
{
    tri_kind queue[TRI_KIND_COUNT] = {from};
    size_t count = 1;
    for (size_t next = 0; next < count; next++) {
        for (size_t i = 0; i < phases->len; i++) {
            const tri_phase *phase = &phases->at[i];
            if (phase->from != queue[next] || phase->to == from || via[phase->to])
                continue;
            via[phase->to] = phase;
            queue[count++] = phase->to;
        }
    }
}

static bool report_unreachable(tri_diag *diag, const tri_machine_facts *arch, tri_kind from, tri_str input, tri_kind to,
                               const tri_phase *const *via)
{
    tri_buf names = {0};
    for (int k = 1; k < TRI_KIND_COUNT; k++)
        if ((via[k] || k == (int)from) && tri_phase_kind(k)->name && k != TRI_KIND_SOURCE)
            tri_buf_format(&names, "%s%s", names.len ? " " : "", tri_phase_kind(k)->name);
    tri_diag_error(diag, TRI_NO_SPAN, 1005, "'%s' cannot be made from '%s' input '%.*s' for %s; these can: %.*s",
                   tri_phase_kind(to)->name, tri_phase_kind(from)->name, TRI_STR_ARG(input), arch->name,
                   TRI_STR_ARG(tri_buf_str(&names)));
    tri_buf_fini(&names);
    return false;
}

static void need(tri_pipeline *pipeline, const tri_phase *const *via, tri_kind kind)
{
    for (; kind != pipeline->from; kind = via[kind]->from)
        pipeline->via[kind] = via[kind];
}

bool tri_pipeline_plan(tri_arena *arena, tri_diag *diag, const tri_target_share *share, tri_kind from, tri_str input,
                       const tri_output_list *outputs, tri_pipeline *out)
{
    const tri_phase *via[TRI_KIND_COUNT] = {0};
    *out = (tri_pipeline){.phases = tri_phase_list_for(arena, share->target), .from = from};
    reach(&out->phases, from, via);
    tri_kind binary = tri_phase_kind_named(share->target->binary_kind);
    for (size_t i = 0; i < outputs->len; i++) {
        tri_kind kind = outputs->at[i].kind;
        if (kind != from && !via[kind])
            return report_unreachable(diag, share->arch, from, input, kind, via);
        if (kind == binary && binary && !share->has_binary && !tri_str_is(share->archs, share->arch->name)) {
            tri_diag_error(diag, TRI_NO_SPAN, 6001, "-arch=%.*s stands for '%s' alone; for '%s' give -arch=%s",
                           TRI_STR_ARG(share->archs), share->target->code_kind, share->target->binary_kind,
                           share->arch->name);
            return false;
        }
        need(out, via, kind);
        out->has_bundle = out->has_bundle || (kind != from && via[kind]->bundle);
        if (kind == TRI_KIND_OBJ && share->has_binary && via[binary])
            need(out, via, binary);
    }
    return true;
}

static void keep(tri_unit *unit, tri_output *output, tri_str data)
{
    output->data = tri_str_copy(unit->arena, data);
    output->is_done = true;
}

/* Prints the payload into every output of this kind. */
static bool collect_pipeline(tri_unit *unit, tri_kind kind, tri_output_list *outputs)
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

static void fill(tri_session *session, tri_unit *unit, const tri_phase *phase, tri_buf *text, double start,
                 tri_output_list *outputs)
{
    for (size_t i = 0; i < outputs->len; i++)
        if (outputs->at[i].kind == phase->to)
            keep(unit, &outputs->at[i], tri_buf_str(text));
    tri_report_add(&session->report, phase->name, NULL, tri_report_now() - start);
}

static bool run_view(tri_session *session, tri_unit *unit, const tri_phase *phase, tri_output_list *outputs)
{
    double start = tri_report_now();
    tri_buf text = {0};
    bool ok = phase->view(unit, &text);
    if (ok)
        fill(session, unit, phase, &text, start, outputs);
    tri_buf_fini(&text);
    return ok;
}

/* Configurations beside one another are compared, too. */
static bool is_estimated(const tri_session *session, const tri_unit *unit)
{
    return session->opt->estimate || (unit->kernels.len && unit->kernels.at[0].config);
}

static bool run_step(tri_session *session, tri_unit *unit, const tri_phase *phase)
{
    tri_trap_check();
    if (session->opt->verbose)
        tri_diag_write(session->diag, tri_str_format(session->arena, "tritcc: %s: %s\n", phase->name, phase->help));
    tri_session_provide(session, unit, phase->contexts);
    tri_watch watch;
    tri_watch_init(&watch, session, unit, phase->name);
    double start = tri_report_now();
    size_t row = tri_report_reserve(&session->report, phase->name);
    bool ok = tri_phase_run(phase, unit, &watch.hooks);
    tri_report_fill(&session->report, row, tri_report_now() - start);
    tri_watch_fini(&watch);
    TRI_ASSERT(ok || tri_diag_error_count(unit->diag) > 0);
    if (ok && phase->to == TRI_KIND_TTGIR && is_estimated(session, unit))
        tri_estimate_note(session, unit);
    return ok;
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
    tri_diag_write(unit->diag, tri_buf_str(&text));
    tri_buf_fini(&text);
    return true;
}

/* What bundles and --resource-usage need of a stage that the unit has reached. */
static void note_part(tri_part *part, tri_kind kind)
{
    tri_unit *unit = part->unit;
    if (kind == tri_phase_kind_named(unit->target->code_kind))
        part->code = tri_str_copy(unit->arena, tri_buf_str(&unit->bytes));
    else if (kind == tri_phase_kind_named(unit->target->binary_kind))
        part->binary = tri_str_copy(unit->arena, tri_buf_str(&unit->bytes));
}

typedef struct {
    const tri_phase *steps[TRI_KIND_COUNT], *views[TRI_KIND_COUNT];
    size_t step_count, view_count;
} next_phases;

static next_phases phases_after(const tri_pipeline *pipeline, tri_kind kind)
{
    next_phases next = {.step_count = 0};
    for (int k = 1; k < TRI_KIND_COUNT; k++) {
        const tri_phase *phase = pipeline->via[k];
        if (!phase || phase->from != kind)
            continue;
        if (phase->run)
            next.steps[next.step_count++] = phase;
        else if (phase->view)
            next.views[next.view_count++] = phase;
    }
    return next;
}

bool tri_pipeline_step(tri_session *session, tri_unit *unit, const tri_pipeline *pipeline, tri_kind kind)
{
    return run_step(session, unit, pipeline->via[kind]);
}

/* Whether the assembler gave up what is worth having only as it was meant, and all that was made of ttir is to be made
 * again without it. */
static bool must_repeat(const tri_pipeline *pipeline, const tri_unit *unit)
{
    tri_kind binary = tri_phase_kind_named(unit->target->binary_kind);
    return binary && pipeline->via[binary] && pipeline->via[TRI_KIND_TTGIR] && unit->is_specialised &&
           unit->is_given_up && !unit->is_plain;
}

/* What several phases begin with: each takes it, and the next gets another. */
typedef struct {
    tri_buf bytes;
    MlirOperation module; /* or null */
} stock;

static void lay_in(const tri_unit *unit, stock *out)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_BYTES || unit->payload == TRI_PAYLOAD_MLIR);
    if (unit->payload == TRI_PAYLOAD_MLIR)
        out->module = mlirOperationClone(mlirModuleGetOperation(unit->module));
    else
        tri_buf_add_str(&out->bytes, tri_buf_str(&unit->bytes));
}

static void take_again(tri_unit *unit, const stock *from)
{
    bool is_module = !mlirOperationIsNull(from->module);
    tri_unit_replace(unit, is_module ? TRI_PAYLOAD_MLIR : TRI_PAYLOAD_BYTES);
    if (is_module)
        unit->module = mlirModuleFromOperation(mlirOperationClone(from->module));
    else
        tri_buf_add_str(&unit->bytes, tri_buf_str(&from->bytes));
}

static void clear_out(stock *s)
{
    tri_buf_fini(&s->bytes);
    if (!mlirOperationIsNull(s->module))
        mlirOperationDestroy(s->module);
}

static bool run_from(tri_session *session, const tri_pipeline *pipeline, tri_kind kind, tri_part *part,
                     tri_output_list *outputs)
{
    tri_unit *unit = part->unit;
    if (!collect_pipeline(unit, kind, outputs))
        return false;
    note_part(part, kind);
    next_phases next = phases_after(pipeline, kind);
    /* Views come last: they also tell what the steps found out (registers, sizes). */
    stock saved = {.module = {NULL}};
    bool ok = true, is_shared = next.step_count > 1 || (next.step_count && next.view_count);
    if (is_shared)
        lay_in(unit, &saved);
    for (size_t i = 0; ok && i < next.step_count + next.view_count; i++) {
        if (i && i <= next.step_count)
            take_again(unit, &saved);
        if (i < next.step_count)
            ok = run_step(session, unit, next.steps[i]) &&
                 tri_pipeline_run(session, pipeline, next.steps[i]->to, part, outputs);
        else
            ok = run_view(session, unit, next.views[i - next.step_count], outputs);
    }
    clear_out(&saved);
    bool is_code = kind == tri_phase_kind_named(unit->target->code_kind);
    bool is_told = is_code && session->opt->resource_usage && !must_repeat(pipeline, unit);
    return ok && (!is_told || report_resources(unit, part->code));
}

bool tri_pipeline_run(tri_session *session, const tri_pipeline *pipeline, tri_kind kind, tri_part *part,
                      tri_output_list *outputs)
{
    tri_unit *unit = part->unit;
    if (kind == TRI_KIND_TTIR && session->opt->chooses && pipeline->via[TRI_KIND_TTGIR])
        tri_choose(session, unit, pipeline->via[TRI_KIND_TTGIR]);
    if (kind != TRI_KIND_TTIR || unit->payload != TRI_PAYLOAD_MLIR || !unit->arch->has_warp_groups)
        return run_from(session, pipeline, kind, part, outputs);
    MlirOperation spare = mlirOperationClone(mlirModuleGetOperation(unit->module));
    bool ok = run_from(session, pipeline, kind, part, outputs);
    if (!ok || !must_repeat(pipeline, unit)) {
        mlirOperationDestroy(spare);
        return ok;
    }
    tri_diag_missed(
        unit->diag, TRI_NO_SPAN, "ptxas",
        "made again without warps of their own for loads, as -fno-warp-specialize does: ptxas gave them up");
    unit->is_specialised = unit->is_given_up = false;
    unit->is_plain = true;
    for (size_t i = 0; i < unit->kernels.len; i++)
        unit->kernels.at[i].registers = unit->kernels.at[i].spill_bytes = -1; /* the other code's */
    tri_unit_replace(unit, TRI_PAYLOAD_MLIR);
    unit->module = mlirModuleFromOperation(spare);
    return run_from(session, pipeline, kind, part, outputs);
}

bool tri_pipeline_bundle(tri_session *session, const tri_pipeline *pipeline, const tri_bundle *bundle,
                         tri_output_list *outputs)
{
    bool ok = true;
    for (int k = 1; ok && k < TRI_KIND_COUNT; k++) {
        const tri_phase *phase = pipeline->via[k];
        if (!phase || !phase->bundle)
            continue;
        tri_unit *unit = bundle->parts.at[0].unit;
        double start = tri_report_now();
        tri_buf bytes = {0};
        tri_session_provide(session, unit, phase->contexts);
        ok = phase->bundle(bundle, &bytes);
        if (ok)
            fill(session, unit, phase, &bytes, start, outputs);
        tri_buf_fini(&bytes);
    }
    return ok;
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

/* Where the kind is written to, or would be beside the others. */
static tri_str file_of(const tri_unit *unit, const tri_output_list *outputs, tri_str input, tri_kind kind)
{
    for (size_t i = 0; i < outputs->len; i++)
        if (outputs->at[i].kind == kind)
            return tri_str_copy(unit->arena, outputs->at[i].path);
    tri_str stem = tri_path_stem(input);
    return tri_str_format(unit->arena, "%.*s%s", TRI_STR_ARG(stem), tri_phase_kind(kind)->suffix);
}

void tri_pipeline_print(const tri_pipeline *pipeline, tri_unit *unit, tri_str input, const tri_output_list *outputs,
                        bool has_bundle, tri_buf *out)
{
    const tri_target *target = unit->target;
    tri_buf_format(out, "%.*s: %s, for %s\n", TRI_STR_ARG(input), tri_phase_kind(pipeline->from)->name,
                   unit->arch->name);
    for (size_t i = 0; i < pipeline->phases.len; i++) {
        const tri_phase *phase = &pipeline->phases.at[i];
        if (pipeline->via[phase->to] != phase || (phase->bundle && !has_bundle))
            continue;
        tri_buf_format(out, "  %-10s %s", phase->name, phase->help);
        for (size_t j = 0; j < outputs->len; j++)
            if (outputs->at[j].kind == phase->to)
                tri_buf_format(out, "  -> %.*s", TRI_STR_ARG(outputs->at[j].path));
        tri_buf_add_char(out, '\n');
        if (target->assemble_command && phase->to == tri_phase_kind_named(target->binary_kind))
            tri_buf_format(out, "    %.*s\n",
                           TRI_STR_ARG(target->assemble_command(
                               unit, file_of(unit, outputs, input, tri_phase_kind_named(target->code_kind)),
                               file_of(unit, outputs, input, phase->to))));
    }
}
