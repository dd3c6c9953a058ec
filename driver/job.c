#include "driver/job.h"

#include "base/file.h"
#include "driver/depfile.h"
#include "driver/payload.h"
#include "driver/pipeline.h"
#include "driver/transform.h"
#include "frontend/frontend.h"

#include <errno.h>
#include <stdio.h>

static bool find_kind(tri_session *session, const tri_opt_input *input, tri_kind *out_kind)
{
    tri_kind kind = input->kind ? input->kind : tri_phase_kind_of_file(input->path);
    tri_str names = tri_phase_kind_names(session->arena, true);
    bool is_stdin = tri_str_is(input->path, "-");
    if (!input->kind && session->opt->has_passes && (is_stdin || tri_str_is(tri_path_suffix(input->path), ".mlir")))
        kind = TRI_KIND_TTGIR; /* or ttir: passes ask the module */
    else if (!input->kind && is_stdin)
        kind = TRI_KIND_SOURCE;
    *out_kind = kind;
    if (kind != TRI_KIND_NONE && tri_phase_is_input(kind))
        return true;
    if (kind != TRI_KIND_NONE)
        tri_diag_error(session->diag, TRI_NO_SPAN, 1005, "'%.*s' is '%s', which cannot be an input; these can: %s",
                       TRI_STR_ARG(input->path), tri_phase_kind(kind)->name, names.data);
    else
        tri_diag_error(session->diag, TRI_NO_SPAN, 1005, "cannot tell the kind of '%.*s' from its suffix; give -x KIND, of: %s",
                       TRI_STR_ARG(input->path), names.data);
    return false;
}

static bool is_binary_kind(tri_kind kind) { return kind == TRI_KIND_SPIRV || kind == TRI_KIND_CUBIN; }

static const tri_source *check_text(tri_session *session, const tri_opt_input *input, tri_kind kind, tri_str text)
{
    bool is_stdin = tri_str_is(input->path, "-");
    if (!text.len) {
        tri_diag_error(session->diag, TRI_NO_SPAN, 1001, "'%.*s' is empty", TRI_STR_ARG(input->path));
        return NULL;
    }
    if (!is_binary_kind(kind) && kind != TRI_KIND_SOURCE && memchr(text.data, 0, text.len)) {
        tri_diag_error(session->diag, TRI_NO_SPAN, 1001, "'%.*s' is not text: it has a NUL byte at offset %zu",
                       TRI_STR_ARG(input->path), (size_t)((const char *)memchr(text.data, 0, text.len) - text.data));
        return NULL;
    }
    return tri_diag_add_source(session->diag, is_stdin ? TRI_STR("<stdin>") : input->path, text);
}

static const tri_source *open_input(tri_session *session, tri_unit *unit, const tri_opt_input *input, tri_kind kind)
{
    tri_str text;
    int error = 0;
    if (!tri_file_read(unit->arena, input->path, &text, &error)) {
        tri_diag_error(session->diag, TRI_NO_SPAN, 1001, "cannot read '%.*s': %s", TRI_STR_ARG(input->path),
                       strerror(error));
        return NULL;
    }
    if (!tri_str_is(input->path, "-"))
        tri_unit_add_dependency(unit, input->path);
    return check_text(session, input, kind, text);
}

/* With -config=all an input is compiled `count` times; else `config` is negative and count 1. */
typedef struct {
    int config, count;
    tri_output_list written; /* of all turns, for the depfile */
} turn;

/* k.o -> k.config2.o */
static void name_by_config(tri_session *session, const turn *t, tri_output_list *outputs)
{
    for (size_t i = 0; i < outputs->len && t->config >= 0; i++) {
        tri_str path = outputs->at[i].path, folder = tri_path_folder(path), base = tri_path_base(path);
        tri_str stem = tri_path_stem(path), suffix = tri_str_sub(base, stem.len, base.len);
        if (!tri_str_is(path, "-"))
            outputs->at[i].path = tri_path_join(session->arena, folder,
                                                tri_str_format(session->arena, "%.*s.config%d%.*s", TRI_STR_ARG(stem), t->config,
                                                               TRI_STR_ARG(suffix)));
    }
}

/* Adds the stages on the way that -save-temps keeps. */
static bool add_temps(tri_session *session, tri_unit *unit, const tri_pipeline *pipeline, tri_str input,
                      tri_output_list *outputs)
{
    const tri_opt *opt = session->opt;
    if (opt->save_temps_dir.len && !tri_file_make_folder(opt->save_temps_dir)) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 1003, "cannot make folder '%.*s': %s", TRI_STR_ARG(opt->save_temps_dir),
                       strerror(errno));
        return false;
    }
    size_t asked = outputs->len;
    for (int k = 1; k < TRI_KIND_COUNT; k++) {
        const tri_kind_row *row = tri_phase_kind((tri_kind)k);
        bool is_asked = !row->name || !pipeline->via[k];
        for (size_t i = 0; i < asked; i++)
            is_asked = is_asked || outputs->at[i].kind == (tri_kind)k;
        if (is_asked)
            continue;
        tri_str path = tri_output_beside(unit->arena, opt, input, outputs, row->suffix);
        if (opt->save_temps_dir.len)
            path = tri_path_join(unit->arena, opt->save_temps_dir, tri_path_base(path));
        tri_vec_push(unit->arena, outputs, (tri_output){.kind = (tri_kind)k, .path = path, .is_temp = true});
    }
    return true;
}

/* Up to TTIR, where the front end and what it warns about ends; what lies behind is only read. */
static int check(tri_session *session, tri_unit *unit, tri_kind kind, const tri_opt_input *input)
{
    tri_output_list outputs = {0};
    tri_pipeline pipeline;
    tri_vec_push(unit->arena, &outputs, (tri_output){.kind = kind < TRI_KIND_TTIR ? TRI_KIND_TTIR : kind, .path = TRI_STR("-")});
    if (!tri_pipeline_plan(session, unit, kind, input->path, &outputs, &pipeline))
        return 2;
    size_t errors = tri_diag_error_count(unit->diag);
    bool ok = tri_payload_read(unit, kind, unit->source) && tri_pipeline_run(session, unit, &pipeline, &outputs);
    tri_output_discard(&outputs);
    return ok && tri_diag_error_count(unit->diag) == errors ? 0 : 1;
}

static int compile(tri_session *session, tri_unit *unit, tri_kind kind, const tri_opt_input *input, turn *t)
{
    tri_output_list outputs = {0};
    tri_pipeline pipeline;
    const tri_opt *opt = session->opt;
    if (!tri_output_plan(unit->arena, unit->diag, opt, input->path, unit->target, &outputs) ||
        !tri_pipeline_plan(session, unit, kind, input->path, &outputs, &pipeline))
        return 2;
    if (opt->save_temps && !add_temps(session, unit, &pipeline, input->path, &outputs))
        return 1;
    name_by_config(session, t, &outputs);
    if (opt->dry_run) {
        tri_buf text = {0};
        tri_pipeline_print(&pipeline, unit, input->path, &outputs, &text);
        fprintf(stderr, "%.*s", TRI_STR_ARG(tri_buf_str(&text)));
        tri_buf_fini(&text);
        return 0;
    }
    size_t errors = tri_diag_error_count(unit->diag); /* of the inputs before this one */
    bool ok = tri_payload_read(unit, kind, unit->source) && tri_pipeline_run(session, unit, &pipeline, &outputs);
    if (!ok || tri_diag_error_count(unit->diag) > errors) {
        tri_output_discard(&outputs);
        return 1;
    }
    if (!tri_output_commit(unit->diag, &outputs))
        return 1;
    if (!opt->depfile)
        return 0;
    for (size_t i = 0; i < outputs.len; i++) {
        outputs.at[i].path = tri_str_copy(session->arena, outputs.at[i].path);
        tri_vec_push(session->arena, &t->written, outputs.at[i]);
    }
    return t->config + 1 < t->count && t->config >= 0 ? 0 : tri_depfile_write(unit, opt, input->path, &t->written) ? 0 : 1;
}

/* Payloads behind MLIR need its context too: the kernels' facts are attributes. */
static unsigned contexts_to_read(tri_kind kind)
{
    return kind == TRI_KIND_SOURCE || kind == TRI_KIND_AST ? TRI_PHASE_NONE : kind == TRI_KIND_LLIR ? TRI_PHASE_BOTH : TRI_PHASE_MLIR;
}

/* Options that only earlier phases read, for an input that starts behind them. */
static void warn_unused(const tri_session *session, const tri_opt_input *input, tri_kind kind)
{
    const tri_options *o = &session->opt->compile;
    bool is_source = kind == TRI_KIND_SOURCE || kind == TRI_KIND_AST, has_layouts = !is_source && kind != TRI_KIND_TTIR;
    bool is_lowered = has_layouts && kind != TRI_KIND_TTGIR;
    const struct {
        const char *name;
        bool is_unused;
    } rows[] = {
        {"-k", !is_source && o->kernels.len},
        {"-sig", !is_source && o->signatures.len},
        {"-D", !is_source && o->defines.len},
        {"-I", !is_source && o->include_dirs.len},
        {"-config", !is_source && o->config != -1},
        {"-num-warps", has_layouts && o->num_warps > 0},
        {"-num-stages", has_layouts && o->num_stages > 0},
        {"-num-ctas", has_layouts && o->num_ctas > 0},
        {"-launch-pdl", is_lowered && o->launch_pdl},
        {"-launch-cooperative", is_lowered && o->launch_cooperative},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is_unused)
            tri_diag_warning(session->diag, TRI_NO_SPAN, "unused-option", "%s has no effect on '%.*s', which is '%s' already",
                             rows[i].name, TRI_STR_ARG(input->path), tri_phase_kind(kind)->name);
}

/* How often a source is compiled with -config=all: known once it is parsed. */
static int count_turns(tri_session *session, tri_unit *unit, tri_kind kind)
{
    const tri_source *source = unit->source;
    tri_diag_hold(session->diag);
    int count = tri_payload_read(unit, kind, source) && (unit->payload == TRI_PAYLOAD_AST || tri_frontend_parse(unit))
                    ? tri_frontend_count_configs(unit) : 1;
    tri_diag_drop(session->diag);
    tri_unit_fini(unit);
    unit->source = source;
    return count;
}

static int run_turn(tri_session *session, const tri_opt_input *input, tri_kind kind, turn *t)
{
    tri_options options = session->opt->compile;
    bool is_source = kind == TRI_KIND_SOURCE || kind == TRI_KIND_AST, all = is_source && options.config == TRI_FRONTEND_ALL_CONFIGS;
    if (all)
        options.config = TRI_FRONTEND_ALL_CONFIGS - t->config;
    else
        t->config = -1;
    tri_unit unit;
    tri_unit_init(&unit, tri_arena_create(), session->diag, &options);
    int status = 1;
    unit.source = open_input(session, &unit, input, kind);
    if (unit.source) {
        tri_str arch = tri_payload_arch(kind, unit.source->text);
        if (!tri_session_choose_target(session, &unit, arch)) {
            status = 1;
        } else if (session->opt->has_passes) {
            status = tri_transform_run(session, &unit, kind);
        } else {
            warn_unused(session, input, kind);
            if (!session->opt->dry_run)
                tri_session_provide(session, &unit, contexts_to_read(kind));
            if (all && t->config == 0)
                t->count = count_turns(session, &unit, kind);
            status = session->opt->syntax_only ? check(session, &unit, kind, input) : compile(session, &unit, kind, input, t);
        }
    }
    tri_unit_fini(&unit);
    tri_arena_destroy(unit.arena);
    return status;
}

int tri_job_run(tri_session *session, const tri_opt_input *input)
{
    tri_kind kind;
    if (!find_kind(session, input, &kind))
        return 2;
    turn t = {.count = 1};
    int status = 0;
    for (int i = 0; i < t.count && !status; i++) {
        t.config = i;
        status = run_turn(session, input, kind, &t);
    }
    return status;
}

int tri_job_make(tri_session *session, const tri_opt_input *input, tri_str text, tri_output_list *out_outputs)
{
    tri_kind kind;
    tri_pipeline pipeline;
    if (!find_kind(session, input, &kind))
        return 2;
    if (session->opt->compile.config == TRI_FRONTEND_ALL_CONFIGS) {
        tri_diag_error(session->diag, TRI_NO_SPAN, 1002, "-config=all writes several files for one stage; compile one configuration at a time");
        return 2;
    }
    const tri_source *source = check_text(session, input, kind, text);
    if (!source)
        return 1;
    tri_unit unit;
    tri_unit_init(&unit, session->arena, session->diag, &session->opt->compile);
    unit.source = source;
    int status = 2;
    if (tri_session_choose_target(session, &unit, tri_payload_arch(kind, text)) &&
        tri_output_plan(session->arena, session->diag, session->opt, input->path, unit.target, out_outputs) &&
        tri_pipeline_plan(session, &unit, kind, input->path, out_outputs, &pipeline)) {
        tri_session_provide(session, &unit, contexts_to_read(kind));
        bool ok = tri_payload_read(&unit, kind, source) && tri_pipeline_run(session, &unit, &pipeline, out_outputs);
        status = ok && !tri_diag_error_count(session->diag) ? 0 : 1;
    }
    tri_unit_fini(&unit);
    return status;
}
