#include "driver/phase.h"

#include "base/file.h"
#include "driver/drawing.h"
#include "driver/page/page.h"
#include "frontend/frontend.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/guard.h"
#include "ir/llvm.h"
#include "ir/op.h"
#include "ir/options.h"
#include "ir/type.h"
#include "targets/facts.h"
#include "targets/object/object.h"
#include "targets/values.h"

/* --- kinds --- */

#define KIND(id, name, suffix, form, help) {name, suffix, TRI_PAYLOAD_##form, help},
static const tri_kind_row kinds[] = {
    {0},
#include "driver/phases.def"
};

const tri_kind_row *tri_phase_kind(tri_kind kind) { return &kinds[kind]; }

tri_kind tri_phase_find_kind(tri_str name)
{
    for (int k = 1; k < TRI_KIND_COUNT; k++)
        if (kinds[k].name && tri_str_is(name, kinds[k].name))
            return (tri_kind)k;
    return TRI_KIND_NONE;
}

tri_kind tri_phase_kind_of_file(tri_str path)
{
    tri_str suffix = tri_path_suffix(path);
    if (tri_str_is(suffix, ".py"))
        return TRI_KIND_SOURCE;
    for (int k = 1; k < TRI_KIND_COUNT; k++)
        if (kinds[k].suffix && tri_str_is(suffix, kinds[k].suffix))
            return (tri_kind)k;
    return TRI_KIND_NONE;
}

tri_kind tri_phase_kind_named(const char *name)
{
    return name ? tri_phase_find_kind(tri_str_from(name)) : TRI_KIND_NONE;
}

/* A kind of phases.def for one family; TRI_KIND_NONE where it has none. */
static tri_kind kind_for(const tri_target *target, tri_kind kind)
{
    switch ((int)kind) {
    case TRI_KIND_CODE:
        return tri_phase_kind_named(target->code_kind);
    case TRI_KIND_BINARY:
        return tri_phase_kind_named(target->binary_kind);
    case TRI_KIND_TEXT:
        return tri_phase_kind_named(target->text_kind);
    case TRI_KIND_LISTING:
        return tri_phase_kind_named(target->listing_kind);
    default:
        return kind;
    }
}

bool tri_phase_is_binary(tri_kind kind)
{
    bool is_binary = false;
    for (size_t i = 0; i < tri_targets_count(); i++) {
        const tri_target *target = tri_targets_at(i);
        bool has_text = target->text_kind != NULL; /* of its code, which is none */
        is_binary = is_binary || kind == kind_for(target, has_text ? TRI_KIND_CODE : TRI_KIND_BINARY);
    }
    return is_binary;
}

/* The kinds that -x or -emit takes. */
static bool is_named(int kind, bool inputs_only)
{
    return kinds[kind].name && (inputs_only ? tri_phase_is_input((tri_kind)kind) : kind != TRI_KIND_SOURCE);
}

tri_str tri_phase_kind_names(tri_arena *arena, bool inputs_only)
{
    tri_buf names = {0};
    for (int k = 1; k < TRI_KIND_COUNT; k++)
        if (is_named(k, inputs_only))
            tri_buf_format(&names, "%s%s", names.len ? " " : "", kinds[k].name);
    tri_str copy = tri_str_copy(arena, tri_buf_str(&names));
    tri_buf_fini(&names);
    return copy;
}

const char *tri_phase_nearest_kind(tri_str name, bool inputs_only)
{
    const char *names[TRI_KIND_COUNT];
    size_t count = 0;
    for (int k = 1; k < TRI_KIND_COUNT; k++)
        if (is_named(k, inputs_only))
            names[count++] = kinds[k].name;
    return tri_str_nearest(name, names, count);
}

/* --- conditions --- */

static bool is_always(const tri_target *target)
{
    (void)target;
    return true;
}

static bool is_has_ttgir(const tri_target *target) { return target->ttgir_pipeline != NULL; }
static bool is_has_linalg(const tri_target *target) { return target->linalg_pipeline != NULL; }
static bool is_has_linalg_code(const tri_target *target) { return is_has_linalg(target) && target->lower; }
static bool is_has_linalg_binary(const tri_target *target) { return is_has_linalg(target) && target->assemble; }
static bool is_no_linalg(const tri_target *target) { return !is_has_linalg(target); }
static bool is_no_ttgir(const tri_target *target) { return !is_has_ttgir(target) && !is_has_linalg(target); }
static bool is_has_reader(const tri_target *target) { return target->read_code != NULL; }
static bool is_object(const tri_target *target) { return target->object_form != TRI_OBJECT_NONE; }

/* --- steps --- */

tri_frontend_target tri_phase_facts(const tri_unit *unit)
{
    return (tri_frontend_target){
        .facts = unit->arch,
        .default_warps = unit->target->default_warps,
        .default_stages = unit->target->default_stages,
        .keeps_variables = unit->target->keeps_variables && tri_options_steps(unit->options),
    };
}

static bool run_parse(tri_unit *unit, const tri_pass_hooks *hooks)
{
    (void)hooks;
    return tri_frontend_parse(unit);
}

static bool run_evaluate(tri_unit *unit, const tri_pass_hooks *hooks)
{
    (void)hooks;
    tri_frontend_target target = tri_phase_facts(unit);
    return tri_frontend_lower(unit, &target);
}

static bool run_pipeline(tri_unit *unit, void (*pipeline)(const tri_unit *, tri_buf *), const tri_pass_hooks *hooks)
{
    tri_buf text = {0};
    pipeline(unit, &text);
    bool ok = !text.len || tri_passes_run(unit, text.data, hooks);
    tri_buf_fini(&text);
    return ok;
}

static bool run_ttir(tri_unit *unit, const tri_pass_hooks *hooks)
{
    return run_pipeline(unit, unit->target->ttir_pipeline, hooks);
}

/* Has what the ttir passes always take away? Text that comes from elsewhere may not have been
 * through them. */
static bool is_raw(tri_unit *unit)
{
    bool keeps_descriptors = unit->target->lowers_descriptors;
    tri_op_list ops = {0};
    tri_op_collect(mlirModuleGetOperation(unit->module), unit->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        tri_str name = tri_op_name(ops.at[i]);
        if (tri_str_is(name, "tt.make_tensor_ptr") || tri_str_is(name, "tt.call") ||
            (!keeps_descriptors && tri_str_has_prefix(name, "tt.descriptor_")))
            return true;
    }
    return false;
}

static bool run_ttgir(tri_unit *unit, const tri_pass_hooks *hooks)
{
    if (!tri_values_check(unit) || !tri_facts_agree(unit) ||
        !tri_facts_check_threads(unit, tri_facts_warps(unit), tri_facts_lanes(unit)))
        return false;
    if (is_raw(unit) && !run_ttir(unit, hooks))
        return false;
    return run_pipeline(unit, unit->target->ttgir_pipeline, hooks);
}

/* Layouts are of warps of so many threads: a machine whose warps have others cannot run them. */
static bool warps_fit(const tri_unit *unit)
{
    MlirOperation module = mlirModuleGetOperation(unit->module);
    const tri_machine_facts *arch = unit->arch;
    int lanes = (int)tri_op_int(module, "ttg.threads-per-warp", arch->lanes);
    if (lanes == arch->lanes || (lanes & arch->lane_choices))
        return true;
    tri_op_list kernels = {0};
    tri_op_collect_named(module, "tt.func", unit->arena, &kernels);
    tri_op_error(unit->diag, kernels.len ? kernels.at[0] : module, 6002,
                 "the layouts are of warps of %d threads, '%s' has warps of %d; compile the kernel from its ttir",
                 lanes, arch->name, arch->lanes);
    return false;
}

/* What lowering asks of the module's machine is answered for the one that code is made for. True where that is another
 * one than the passes planned for. */
static bool retarget(tri_unit *unit)
{
    MlirOperation module = mlirModuleGetOperation(unit->module);
    tri_str name = tri_str_from(unit->arch->ttg_target);
    if (tri_machines_of(module) == tri_machines_for(name))
        return false;
    tri_builder_set_attr(module, "ttg.target", tri_attr_str(unit->mlir, name.data, name.len));
    return true;
}

/* Other compilers' ttgir, and ttgir in the middle of the pipeline, has no plan of shared memory yet; another machine
 * exchanges other values through it. */
static bool plan_shared_memory(tri_unit *unit, const tri_pass_hooks *hooks)
{
    bool is_amd = unit->arch->mma == TRI_MMA_MFMA || unit->arch->mma == TRI_MMA_WMMA;
    const char *amd = is_amd ? "block-pingpong{in-step=1},expand-buffer-ops,update-async-wait-count"
                             : "expand-buffer-ops";
    if (!retarget(unit) && !mlirAttributeIsNull(tri_op_attr(mlirModuleGetOperation(unit->module), "ttg.shared")))
        return !is_amd || tri_passes_run(unit, amd, hooks);
    tri_str passes = tri_str_format(
        unit->arena, "%s,allocate-global-scratch,allocate-shared-memory{max-bytes=%u},membar", amd,
        unit->arch->max_shared);
    return tri_passes_run(unit, passes.data, hooks);
}

static bool run_lower(tri_unit *unit, const tri_pass_hooks *hooks)
{
    return tri_values_check(unit) && warps_fit(unit) && plan_shared_memory(unit, hooks) && unit->target->lower(unit);
}
static bool run_scalarise(tri_unit *unit, const tri_pass_hooks *hooks)
{
    return tri_values_check(unit) && (!is_raw(unit) || run_ttir(unit, hooks)) && unit->target->lower(unit);
}

static bool run_linalg(tri_unit *unit, const tri_pass_hooks *hooks)
{
    return tri_values_check(unit) && (!is_raw(unit) || run_ttir(unit, hooks)) &&
           run_pipeline(unit, unit->target->linalg_pipeline, hooks);
}

static bool run_host(tri_unit *unit, const tri_pass_hooks *hooks) { return (void)hooks, unit->target->lower(unit); }

static bool run_optimize(tri_unit *unit, const tri_pass_hooks *hooks)
{
    return (void)hooks, unit->target->optimize(unit);
}

static bool run_emit(tri_unit *unit, const tri_pass_hooks *hooks) { return (void)hooks, unit->target->emit(unit); }
static bool run_assemble(tri_unit *unit, const tri_pass_hooks *hooks)
{
    return (void)hooks, unit->target->assemble(unit);
}

static bool run_read(tri_unit *unit, const tri_pass_hooks *hooks) { return (void)hooks, unit->target->read_code(unit); }
static bool run_machine(tri_unit *unit, const tri_pass_hooks *hooks) { return run_assemble(unit, hooks); }

static bool run_reassemble(tri_unit *unit, const tri_pass_hooks *hooks)
{
    return (void)hooks, unit->target->from_text(unit);
}

static bool view_disassemble(tri_unit *unit, tri_buf *out) { return unit->target->to_text(unit, out); }
static bool view_list(tri_unit *unit, tri_buf *out) { return unit->target->list(unit, out); }

static bool write_header(const tri_bundle *bundle, tri_buf *out)
{
    return tri_header_write(bundle, TRI_STR(""), out);
}

static bool view_ttgir_layout(tri_unit *unit, tri_buf *out) { return tri_drawing_write(unit, false, out); }
static bool view_ttgir_svg(tri_unit *unit, tri_buf *out) { return tri_drawing_write(unit, true, out); }

#define IS_ALWAYS is_always
#define IS_HAS_TTGIR is_has_ttgir
#define IS_NO_TTGIR is_no_ttgir
#define IS_HAS_LINALG is_has_linalg
#define IS_NO_LINALG is_no_linalg
#define IS_HAS_LINALG_CODE is_has_linalg_code
#define IS_HAS_LINALG_BINARY is_has_linalg_binary
#define IS_HAS_READER is_has_reader
#define IS_OBJECT is_object

#define bundle_object tri_object_write
#define bundle_header write_header
#define bundle_json tri_json_write
#define bundle_html tri_page_write

typedef struct {
    tri_phase phase;
    bool (*is_for)(const tri_target *target);
} row;

#define PHASE(id, from, to, condition, contexts, help) \
    {{#id, TRI_KIND_##from, TRI_KIND_##to, help, TRI_PHASE_##contexts, run_##id, NULL, NULL}, IS_##condition},
#define VIEW(id, from, to, condition, help) \
    {{#id, TRI_KIND_##from, TRI_KIND_##to, help, TRI_PHASE_NONE, NULL, view_##id, NULL}, IS_##condition},
#define BUNDLE(id, from, to, condition, help) \
    {{#id, TRI_KIND_##from, TRI_KIND_##to, help, TRI_PHASE_LLVM, NULL, NULL, bundle_##id}, IS_##condition},
static const row rows[] = {
#include "driver/phases.def"
};

enum { row_count = sizeof rows / sizeof *rows };

/* A bundle of a family that has no code but its binary: the kernels' facts are in memory only. */
static bool is_of_binary(const row *r, const tri_target *target)
{
    return r->phase.bundle && r->phase.from == TRI_KIND_CODE && !target->code_kind;
}

/* Whether the target has the phase of a row. */
static bool resolve(const row *r, const tri_target *target, tri_phase *out)
{
    *out = r->phase;
    out->from = kind_for(target, is_of_binary(r, target) ? TRI_KIND_BINARY : r->phase.from);
    out->to = kind_for(target, r->phase.to);
    if (out->from == TRI_KIND_NONE || out->to == TRI_KIND_NONE || !r->is_for(target))
        return false;
    if (r->phase.run == run_optimize && !target->optimize)
        return false;
    bool is_code = r->phase.to == TRI_KIND_CODE;
    if (r->phase.run == run_emit || r->phase.run == run_assemble || r->phase.run == run_machine) {
        out->name = kinds[out->to].name;
        out->help = is_code ? target->code_help : target->binary_help;
    } else if (!out->help) {
        out->help = is_code                                ? target->from_text_help
                    : r->phase.to == TRI_KIND_LISTING ? target->listing_help
                                                      : target->to_text_help;
    }
    return true;
}

tri_phase_list tri_phase_list_for(tri_arena *arena, const tri_target *target)
{
    tri_phase_list list = {0};
    tri_phase phase;
    for (size_t i = 0; i < row_count; i++)
        if (resolve(&rows[i], target, &phase))
            tri_vec_push(arena, &list, phase);
    return list;
}

bool tri_phase_is_input(tri_kind kind)
{
    tri_phase phase;
    for (size_t t = 0; kinds[kind].name && t < tri_targets_count(); t++)
        for (size_t i = 0; i < row_count; i++)
            if (kind_for(tri_targets_at(t), rows[i].phase.from) == kind && resolve(&rows[i], tri_targets_at(t), &phase))
                return true;
    return false;
}

bool tri_phase_pipeline(const tri_phase *phase, const tri_unit *unit, tri_buf *out)
{
    const tri_target *t = unit->target;
    void (*pipeline)(const tri_unit *, tri_buf *) = phase->run == run_ttir     ? t->ttir_pipeline
                                                    : phase->run == run_ttgir  ? t->ttgir_pipeline
                                                    : phase->run == run_linalg ? t->linalg_pipeline
                                                                               : NULL;
    if (!pipeline)
        return false;
    pipeline(unit, out);
    return true;
}

typedef struct {
    const tri_phase *phase;
    const tri_pass_hooks *hooks;
} step;

static bool run_step(tri_unit *unit, void *data)
{
    const step *s = data;
    return s->phase->run(unit, s->hooks);
}

bool tri_phase_run(const tri_phase *phase, tri_unit *unit, const tri_pass_hooks *hooks)
{
    step s = {phase, hooks};
    return tri_guard_run(unit, run_step, &s);
}
