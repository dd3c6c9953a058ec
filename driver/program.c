#include "driver/program.h"

#include "base/file.h"
#include "driver/cache.h"
#include "driver/depfile.h"
#include "driver/payload.h"
#include "driver/pipeline.h"
#include "frontend/frontend.h"
#include "ir/machines.h"

#include <errno.h>

/* A program on its way. */
typedef struct {
    const tri_program *program;
    tri_session *session;
    tri_arena *arena;
    tri_unit first;          /* reads the input; the others start from its syntax tree */
    tri_target_shares shares; /* of -arch: a unit for each */
    tri_pipeline pipeline, object_pipeline; /* of the first share */
    bool is_split;           /* the object is of units of its own: it has more forms of each kernel than the stages */
    tri_kind kind;           /* of the first unit's payload */
    const tri_source *tuning; /* null: none */
    int config, count;       /* -config=all: the one that is compiled, of so many; config is negative without */
    tri_output_list written; /* for the depfile */
} state;

static bool is_source(tri_kind kind) { return kind == TRI_KIND_SOURCE || kind == TRI_KIND_AST; }

/* --- outputs ----------------------------------------------------------------------------- */

/* k.ptx -> k.config2.ptx */
static void name_by_config(const state *s, tri_output_list *outputs)
{
    for (size_t i = 0; i < outputs->len && s->config >= 0; i++) {
        tri_str path = outputs->at[i].path, folder = tri_path_folder(path), base = tri_path_base(path);
        tri_str stem = tri_path_stem(path), suffix = tri_str_sub(base, stem.len, base.len);
        if (!tri_str_is(path, "-"))
            outputs->at[i].path = tri_path_join(
                s->arena, folder,
                tri_str_format(s->arena, "%.*s.config%d%.*s", TRI_STR_ARG(stem), s->config, TRI_STR_ARG(suffix)));
    }
}

/* Adds the stages on the way that -save-temps keeps. */
static bool add_temps(const state *s, tri_output_list *outputs)
{
    const tri_opt *opt = s->session->opt;
    if (opt->save_temps_dir.len && !tri_file_make_folder(opt->save_temps_dir)) {
        tri_diag_error(s->session->diag, TRI_NO_SPAN, 1003, "cannot make folder '%.*s': %s",
                       TRI_STR_ARG(opt->save_temps_dir), strerror(errno));
        return false;
    }
    size_t asked = outputs->len;
    for (int k = 1; k < TRI_KIND_COUNT; k++) {
        const tri_kind_row *row = tri_phase_kind((tri_kind)k);
        bool is_asked = !row->name || !s->pipeline.via[k];
        for (size_t i = 0; i < asked; i++)
            is_asked = is_asked || outputs->at[i].kind == (tri_kind)k;
        if (is_asked)
            continue;
        tri_str path = tri_output_beside(s->arena, opt, s->program->path, outputs, row->suffix);
        if (opt->save_temps_dir.len)
            path = tri_path_join(s->arena, opt->save_temps_dir, tri_path_base(path));
        tri_vec_push(s->arena, outputs, (tri_output){.kind = (tri_kind)k, .path = path, .is_temp = true});
    }
    return true;
}

static bool plan_for(const state *s, const tri_target_share *share, const tri_output_list *outputs, tri_pipeline *out)
{
    return tri_pipeline_plan(s->arena, s->session->diag, share, s->program->kind, s->program->path, outputs, out);
}

/* Stages are of one architecture. */
static bool check_stages(const state *s, const tri_output_list *outputs)
{
    for (size_t i = 0; i < outputs->len && s->shares.len > 1; i++) {
        const tri_phase *phase = s->pipeline.via[outputs->at[i].kind];
        if (phase && phase->bundle)
            continue;
        tri_diag_error(s->session->diag, TRI_NO_SPAN, 6001,
                       "'%s' is of one architecture, and '-arch=%.*s' names several; these can be in one object",
                       tri_phase_kind(outputs->at[i].kind)->name, TRI_STR_ARG(s->session->opt->compile.arch));
        return false;
    }
    return true;
}

static bool plan(state *s, tri_output_list *outputs)
{
    const tri_opt *opt = s->session->opt;
    tri_kind kind = s->program->kind;
    if (opt->syntax_only) /* up to TTIR, where the front end and what it warns about ends; what lies behind is only read
                           */
        tri_vec_push(s->arena, outputs,
                     (tri_output){.kind = kind < TRI_KIND_TTIR ? TRI_KIND_TTIR : kind, .path = TRI_STR("-")});
    else if (!tri_output_plan(s->arena, s->session->diag, opt, s->program->path, s->first.target, outputs))
        return false;
    bool is_object = false;
    for (size_t i = 0; i < outputs->len; i++)
        is_object = is_object || outputs->at[i].kind == TRI_KIND_OBJ;
    if (is_object && !tri_targets_check_object(s->session->diag, opt->compile.arch, &s->shares))
        return false;
    for (size_t i = s->shares.len; i-- > 0;)
        if (!plan_for(s, &s->shares.at[i], outputs, &s->pipeline))
            return false;
    return opt->syntax_only || check_stages(s, outputs);
}

/* Objects have the default forms of each kernel unless -fspecialize says otherwise; what else is written without it
 * holds what -sig says. */
static bool has_default_forms(const state *s)
{
    return is_source(s->program->kind) && !s->session->opt->compile.specialize.len && s->pipeline.via[TRI_KIND_OBJ];
}

/* Is a stage to be written that is not kept only because it is on the way? */
static bool has_stage(const state *s, const tri_output_list *outputs)
{
    for (size_t i = 0; i < outputs->len; i++) {
        const tri_phase *phase = s->pipeline.via[outputs->at[i].kind];
        if (!outputs->at[i].is_temp && !(phase && phase->bundle))
            return true;
    }
    return false;
}

/* Where both are to be written, the object has a pipeline of its own. */
static bool split(state *s, const tri_output_list *outputs)
{
    tri_output_list stages = {0}, object = {0};
    s->is_split = has_default_forms(s) && has_stage(s, outputs);
    if (!s->is_split)
        return true;
    for (size_t i = 0; i < outputs->len; i++)
        tri_vec_push(s->arena, outputs->at[i].kind == TRI_KIND_OBJ ? &object : &stages, outputs->at[i]);
    return plan_for(s, &s->shares.at[0], &object, &s->object_pipeline) &&
           plan_for(s, &s->shares.at[0], &stages, &s->pipeline);
}

/* Writes what one turn has made. */
static bool commit(state *s, const tri_output_list *outputs)
{
    if (s->program->is_kept)
        return true;
    if (s->session->opt->syntax_only) {
        tri_output_discard(outputs);
        return true;
    }
    if (!tri_output_commit(s->session->diag, outputs))
        return false;
    for (size_t i = 0; i < outputs->len; i++)
        tri_vec_push(s->arena, &s->written, outputs->at[i]);
    return true;
}

/* --- units ------------------------------------------------------------------------------- */

/* Payloads behind MLIR need its context too: the kernels' facts are attributes. */
static unsigned contexts_to_read(tri_kind kind)
{
    return kind == TRI_KIND_SOURCE || kind == TRI_KIND_AST ? TRI_PHASE_NONE
           : kind == TRI_KIND_LLIR                         ? TRI_PHASE_BOTH
                                                           : TRI_PHASE_MLIR;
}

/* Reads the input, which may say what it was made for, and chooses the targets. */
static bool open_first(state *s)
{
    const tri_program *p = s->program;
    tri_str list = s->session->opt->compile.arch;
    tri_session_provide(s->session, &s->first, contexts_to_read(p->kind));
    if (!tri_payload_read(&s->first, p->kind, p->source) || (!list.len && !tri_payload_check_target(&s->first)) ||
        !tri_session_choose_target(s->session, &s->first, tri_payload_arch(&s->first, p->kind)))
        return false;
    tri_str arch = list.len ? list : tri_str_from(s->first.arch->name);
    return tri_targets_split(s->arena, s->session->diag, arch, &s->shares);
}

/* Options that only earlier phases read, for an input that starts behind them. */
static void warn_unused(const state *s)
{
    const tri_options *o = &s->session->opt->compile;
    tri_kind kind = s->program->kind;
    bool has_layouts = !is_source(kind) && kind != TRI_KIND_TTIR, is_lowered = has_layouts && kind != TRI_KIND_TTGIR;
    const struct {
        const char *name;
        bool is_unused;
    } rows[] = {
        {"-k", !is_source(kind) && o->kernels.len},
        {"-sig", !is_source(kind) && o->signatures.len},
        {"-D", !is_source(kind) && o->defines.len},
        {"-fspecialize", !is_source(kind) && o->specialize.len},
        {"-I", !is_source(kind) && o->include_dirs.len},
        {"-prefix", !is_source(kind) && o->prefix.len},
        {"-grid", !is_source(kind) && o->grid.len},
        {"-config", !is_source(kind) && o->config != -1},
        {"-num-warps", has_layouts && o->num_warps > 0},
        {"-num-stages", has_layouts && o->num_stages > 0},
        {"-num-ctas", has_layouts && o->num_ctas > 0},
        {"-launch-pdl", is_lowered && o->launch_pdl},
        {"-launch-cooperative", is_lowered && o->launch_cooperative},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is_unused)
            tri_diag_warning(s->session->diag, TRI_NO_SPAN, "unused-option",
                             "%s has no effect on '%.*s', which is '%s' already", rows[i].name,
                             TRI_STR_ARG(s->program->path), tri_phase_kind(kind)->name);
}

/* A unit for one variant. A syntax tree can be had more than once; other inputs are read again. False after a report.
 */
static bool start_unit(state *s, const tri_target_share *share, tri_unit *unit, tri_options *options)
{
    bool is_taken = s->first.payload == TRI_PAYLOAD_NONE;
    *unit = s->first;
    if (s->config >= 0)
        options->config = TRI_FRONTEND_ALL_CONFIGS - s->config;
    if (options->arch.len)
        options->arch = share->archs;
    unit->options = options;
    unit->target = share->target;
    unit->arch = share->arch;
    unit->dependencies.at = NULL;
    unit->dependencies.len = unit->dependencies.cap = 0;
    if (is_taken) {
        unit->kernels.at = NULL;
        unit->kernels.len = unit->kernels.cap = 0;
        return tri_payload_read(unit, s->program->kind, s->program->source) && tri_targets_check_options(unit);
    }
    s->first.module = (MlirModule){0};
    s->first.llvm_module = NULL;
    s->first.bytes = (tri_buf){0};
    if (unit->payload != TRI_PAYLOAD_AST)
        s->first.payload = TRI_PAYLOAD_NONE;
    return share == s->shares.at || tri_targets_check_options(unit);
}

static void keep_dependencies(state *s, const tri_unit *unit)
{
    for (size_t i = 0; i < unit->dependencies.len; i++)
        tri_unit_add_dependency(&s->first, unit->dependencies.at[i]);
}

/* Compiles one variant; its unit is the part's. */
static bool compile_part(state *s, const tri_target_share *share, const tri_pipeline *pipeline, bool has_forms,
                         tri_part *part, tri_output_list *outputs)
{
    tri_options *options = TRI_NEW(s->arena, tri_options);
    *options = s->session->opt->compile;
    options->find_grid = true;
    options->has_launcher = pipeline->via[TRI_KIND_OBJ] != NULL;
    options->host_tensormaps |= options->has_launcher;
    options->defer_heuristics = has_forms || options->specialize.len || !has_stage(s, outputs);
    if (has_forms)
        tri_vec_push(s->arena, &options->specialize, TRI_STR("default"));
    part->unit = TRI_NEW(s->arena, tri_unit);
    part->has_code = share->has_code && share->target->code_kind;
    bool ok = start_unit(s, share, part->unit, options) &&
              tri_pipeline_run(s->session, pipeline, s->kind, part, outputs);
    keep_dependencies(s, part->unit);
    return ok;
}

/* --- turns ------------------------------------------------------------------------------- */

/* The units of one configuration, for each architecture. What the source does wrong is told once. */
static bool compile_parts(state *s, const tri_pipeline *pipeline, bool has_forms, bool is_told, tri_bundle *bundle,
                          tri_output_list *outputs)
{
    bool ok = true;
    for (size_t i = 0; i < s->shares.len && ok; i++) {
        tri_part part = {0};
        tri_pipeline own = *pipeline;
        bool is_held = i > 0 || is_told;
        if (i)
            ok = plan_for(s, &s->shares.at[i], outputs, &own);
        if (is_held)
            tri_diag_hold(s->session->diag);
        ok = ok && compile_part(s, &s->shares.at[i], &own, has_forms, &part, outputs);
        if (is_held && ok)
            tri_diag_drop(s->session->diag);
        else if (is_held)
            tri_diag_release(s->session->diag);
        if (part.unit)
            tri_vec_push(s->arena, &bundle->parts, part);
    }
    return ok;
}

/* Compiles the units of configurations `first` to `last`, -1 for none in particular, and makes what is made of all. */
static bool run_pipeline(state *s, const tri_pipeline *pipeline, bool has_forms, int first, int last,
                         tri_output_list *outputs)
{
    tri_bundle bundle = {
        .arena = s->arena, .diag = s->session->diag, .options = &s->session->opt->compile, .tuning = s->tuning,
                         .source_name = s->program->source->name,
                         .is_from_source = s->program->kind == TRI_KIND_SOURCE};
    bool ok = true;
    for (s->config = first; ok && s->config <= last; s->config++)
        ok = compile_parts(s, pipeline, has_forms, s->config > first, &bundle, outputs);
    ok = ok && (!pipeline->has_bundle || tri_pipeline_bundle(s->session, pipeline, &bundle, outputs)) &&
         (!s->program->end || s->program->end->run(s->program->end->data, &bundle));
    for (size_t i = 0; i < bundle.parts.len; i++)
        tri_unit_fini(bundle.parts.at[i].unit);
    return ok;
}

/* Commits what went well, forgets what did not; the exit status. */
static int end_turn(state *s, bool ok, size_t errors_before, const tri_output_list *outputs)
{
    if (ok && tri_diag_error_count(s->session->diag) == errors_before)
        return commit(s, outputs) ? 0 : 1;
    if (!s->program->is_kept)
        tri_output_discard(outputs);
    return 1;
}

static tri_output_list some_of(const state *s, const tri_output_list *outputs,
                               bool (*is_wanted)(const state *, tri_kind))
{
    tri_output_list some = {0};
    for (size_t i = 0; i < outputs->len; i++)
        if (is_wanted(s, outputs->at[i].kind))
            tri_vec_push(s->arena, &some, outputs->at[i]);
    return some;
}

static bool is_object(const state *s, tri_kind kind) { return (void)s, kind == TRI_KIND_OBJ; }
static bool is_no_object(const state *s, tri_kind kind) { return !is_object(s, kind); }

static bool is_bundle(const state *s, tri_kind kind)
{
    return s->pipeline.via[kind] && s->pipeline.via[kind]->bundle;
}

static bool is_stage(const state *s, tri_kind kind) { return !is_bundle(s, kind); }

/* One configuration. Where the object has forms that the stages do not have, it is of units of its own. */
static int run_once(state *s, const tri_output_list *planned, tri_output_list *out_outputs)
{
    size_t errors = tri_diag_error_count(s->session->diag); /* of the inputs before this one */
    tri_output_list outputs = *planned, object = {0};
    if (s->is_split) {
        outputs = some_of(s, planned, is_no_object);
        object = some_of(s, planned, is_object);
    }
    bool ok = run_pipeline(s, &s->pipeline, !s->is_split && has_default_forms(s), -1, -1, &outputs);
    if (ok && s->is_split) {
        tri_diag_hold(s->session->diag); /* what the source does wrong was told */
        ok = run_pipeline(s, &s->object_pipeline, true, -1, -1, &object);
        if (ok)
            tri_diag_drop(s->session->diag);
        else
            tri_diag_release(s->session->diag);
    }
    for (size_t i = 0; i < object.len; i++)
        tri_vec_push(s->arena, &outputs, object.at[i]);
    *out_outputs = outputs;
    return end_turn(s, ok, errors, &outputs);
}

/* The object's own name, in place of that of each configuration's object. */
static void tell_of_object(const state *s, const tri_output_list *outputs)
{
    for (size_t i = 0; i < outputs->len && s->count > 1 && !s->program->is_kept; i++)
        if (outputs->at[i].kind == TRI_KIND_OBJ)
            tri_diag_note(s->session->diag, TRI_NO_SPAN, "'%.*s' holds all %d configurations",
                          TRI_STR_ARG(outputs->at[i].path), s->count);
}

/* -config=all: stages have a file for each configuration, objects hold all. */
static int run_all_configs(state *s, const tri_output_list *planned, tri_output_list *out_outputs)
{
    tri_output_list bundle = some_of(s, planned, is_bundle), stages = some_of(s, planned, is_stage);
    size_t errors = tri_diag_error_count(s->session->diag);
    tri_pipeline both = s->pipeline;
    bool has_forms = has_default_forms(s);
    int status = 0;
    if (stages.len && !plan_for(s, &s->shares.at[0], &stages, &s->pipeline))
        return 2;
    for (int i = 0; i < s->count && stages.len && !status; i++) {
        tri_output_list outputs = {0};
        for (size_t n = 0; n < stages.len; n++)
            tri_vec_push(s->arena, &outputs, stages.at[n]);
        s->config = i;
        name_by_config(s, &outputs);
        status = end_turn(s, run_pipeline(s, &s->pipeline, false, i, i, &outputs), errors, &outputs);
    }
    s->pipeline = both;
    if (status || !bundle.len)
        return status;
    if (!plan_for(s, &s->shares.at[0], &bundle, &s->pipeline))
        return 2;
    status = end_turn(s, run_pipeline(s, &s->pipeline, has_forms, 0, s->count - 1, &bundle), errors, &bundle);
    *out_outputs = bundle;
    return status;
}

/* What each architecture is compiled by, and at the end what is made of all. */
static bool print_plan(const state *s, const tri_output_list *outputs)
{
    tri_buf text = {0};
    bool ok = true;
    for (size_t i = 0; i < s->shares.len && ok; i++) {
        tri_unit unit = s->first;
        tri_pipeline own;
        unit.target = s->shares.at[i].target;
        unit.arch = s->shares.at[i].arch;
        ok = plan_for(s, &s->shares.at[i], outputs, &own);
        if (ok)
            tri_pipeline_print(&own, &unit, s->program->path, outputs, i + 1 == s->shares.len, &text);
    }
    if (ok)
        tri_diag_write(s->session->diag, tri_buf_str(&text));
    tri_buf_fini(&text);
    return ok;
}

/* One parse; every turn starts from the syntax tree. */
static bool parse(state *s)
{
    if (s->program->kind != TRI_KIND_SOURCE || !s->pipeline.via[TRI_KIND_AST])
        return true;
    s->kind = TRI_KIND_AST;
    return tri_pipeline_step(s->session, &s->first, &s->pipeline, TRI_KIND_AST);
}

static bool read_tuning(state *s)
{
    tri_str path = s->session->opt->tuning, text;
    int error = 0;
    if (!path.len)
        return true;
    if (!tri_options_read_file(&s->session->opt->compile, s->arena, path, &text, &error)) {
        tri_diag_error(s->session->diag, TRI_NO_SPAN, 1001, "cannot read '%.*s': %s", TRI_STR_ARG(path),
                       strerror(error));
        return false;
    }
    tri_unit_add_dependency(&s->first, path);
    s->tuning = tri_diag_add_source(s->session->diag, path, text);
    return true;
}

/* How many -config=all asks for. A kernel whose heuristics are left to the launcher has as many as another one. */
static int count_configs(state *s)
{
    tri_options options = s->session->opt->compile;
    options.defer_heuristics = true;
    const tri_options *before = s->first.options;
    s->first.options = &options;
    int count = tri_frontend_count_configs(&s->first);
    s->first.options = before;
    return count;
}

/* -config=best: the configuration with which the kernels are expected to take the least time; -1: the first. */
static void pick_config(state *s)
{
    tri_output probe = {.kind = TRI_KIND_TTGIR, .path = TRI_STR("-")};
    tri_options *options = &s->session->opt->compile;
    tri_pipeline both = s->pipeline;
    int best = -1, count;
    int64_t least = 0;
    bool is_told = s->session->opt->estimate;
    s->session->opt->estimate = false;
    options->config = TRI_FRONTEND_ALL_CONFIGS;
    count = s->shares.at[0].arch->processors ? count_configs(s) : 0;
    for (int i = 0; i < count && count > 1; i++) {
        tri_output_list outputs = {0};
        tri_vec_push(s->arena, &outputs, probe);
        s->session->expected_ns = 0;
        tri_diag_hold(s->session->diag);
        bool ok = plan_for(s, &s->shares.at[0], &outputs, &s->pipeline) &&
                  run_pipeline(s, &s->pipeline, false, i, i, &outputs);
        tri_diag_drop(s->session->diag);
        if (ok && s->session->expected_ns && (!least || s->session->expected_ns < least)) {
            least = s->session->expected_ns;
            best = i;
        }
    }
    s->config = -1;
    s->pipeline = both;
    s->session->opt->estimate = is_told;
    options->config = best;
    if (best >= 0)
        tri_diag_remark(s->session->diag, TRI_NO_SPAN, "cost",
                        "configuration %d of %d, with which %.1f us are expected", best, count, (double)least / 1000);
}

/* The rule for make, if one is wanted; what it would tell of does not stay without it. */
static int write_rule(state *s)
{
    const tri_opt *opt = s->session->opt;
    if (!opt->depfile || tri_depfile_write(&s->first, opt, s->program->path, &s->written))
        return 0;
    tri_output_discard(&s->written);
    return 1;
}

static int run_all(state *s, const tri_output_list *planned, tri_output_list *out_outputs)
{
    const tri_opt *opt = s->session->opt;
    tri_output_list outputs = {0};
    if (!read_tuning(s) || !parse(s)) {
        if (!s->program->is_kept)
            tri_output_discard(planned);
        return 1;
    }
    if (opt->picks_config && s->kind == TRI_KIND_AST)
        pick_config(s);
    bool all = opt->compile.config == TRI_FRONTEND_ALL_CONFIGS && s->kind == TRI_KIND_AST;
    s->count = all ? count_configs(s) : 1;
    int status = all ? run_all_configs(s, planned, &outputs) : run_once(s, planned, &outputs);
    if (out_outputs)
        *out_outputs = outputs;
    return status || s->program->is_kept || opt->syntax_only ? status : write_rule(s);
}

static bool is_all(const state *s) { return s->session->opt->compile.config == TRI_FRONTEND_ALL_CONFIGS; }

/* As run_all, but what a cache has is only written. */
static int run_cached(state *s, tri_output_list *outputs, tri_output_list *out_outputs)
{
    tri_cache cache = {.session = NULL};
    bool is_one_turn = !is_all(s) || !has_stage(s, outputs); /* else names of files follow from the source */
    if (!s->program->is_kept && is_one_turn)
        tri_cache_init(&cache, s->session, s->arena, s->program->path, s->program->source->text, outputs);
    int status;
    if (tri_cache_fetch(&cache, outputs, &s->first)) {
        s->written = *outputs;
        status = !tri_output_commit(s->session->diag, outputs) || write_rule(s);
    } else {
        status = run_all(s, outputs, out_outputs);
        if (!status)
            tri_cache_store(&cache, &s->written, &s->first);
    }
    tri_cache_fini(&cache);
    if (!status && is_all(s))
        tell_of_object(s, outputs);
    return status;
}

int tri_program_run(const tri_program *program, tri_output_list *out_outputs)
{
    state s = {.program = program, .session = program->session, .kind = program->kind};
    s.arena = program->is_kept ? program->session->arena : tri_arena_create();
    const tri_opt *opt = program->session->opt;
    tri_output_list outputs = {0};
    int status = 1;
    tri_unit_init(&s.first, s.arena, s.session->diag, &opt->compile);
    if (!tri_str_is(program->path, "-"))
        tri_unit_add_dependency(&s.first, program->path);
    if (open_first(&s)) {
        if (!program->is_kept)
            warn_unused(&s);
        if (!plan(&s, &outputs))
            status = 2;
        else if (opt->save_temps && !program->is_kept && !add_temps(&s, &outputs))
            status = 1;
        else if (opt->dry_run && !program->is_kept)
            status = print_plan(&s, &outputs) ? 0 : 1;
        else if (!split(&s, &outputs))
            status = 2;
        else
            status = run_cached(&s, &outputs, out_outputs);
    }
    tri_unit_fini(&s.first);
    if (!program->is_kept)
        tri_arena_destroy(s.arena);
    return status;
}
