#include "driver/phase.h"

#include "base/file.h"
#include "driver/drawing.h"
#include "frontend/frontend.h"
#include "ir/context.h"
#include "ir/llvm.h"
#include "ir/op.h"
#include "ir/type.h"
#include "targets/facts.h"
#include "targets/object.h"
#include "targets/spirv/text.h"

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

static bool has_phase_from(tri_kind kind)
{
    for (size_t i = 0; i < tri_phase_count(); i++)
        if (tri_phase_at(i)->from == kind)
            return true;
    return false;
}

bool tri_phase_is_input(tri_kind kind) { return kinds[kind].name && has_phase_from(kind); }

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

static bool names(const char *kind_name, tri_kind kind)
{
    return kind_name && kinds[kind].name && !strcmp(kind_name, kinds[kind].name);
}

static bool is_always(const tri_target *target, const tri_phase *phase)
{
    (void)target, (void)phase;
    return true;
}

static bool is_has_ttgir(const tri_target *target, const tri_phase *phase)
{
    (void)phase;
    return target->ttgir_pipeline != NULL;
}

static bool is_no_ttgir(const tri_target *target, const tri_phase *phase) { return !is_has_ttgir(target, phase); }
static bool is_code(const tri_target *target, const tri_phase *phase) { return names(target->code_kind, phase->to); }
static bool is_text(const tri_target *target, const tri_phase *phase)
{
    return names(target->code_kind, phase->from) || names(target->code_kind, phase->to);
}

static bool is_binary(const tri_target *target, const tri_phase *phase)
{
    return names(target->binary_kind, phase->to);
}

static bool is_object(const tri_target *target, const tri_phase *phase)
{
    return target->object && names(target->code_kind, phase->from);
}

/* --- steps --- */

static tri_frontend_target facts_of(const tri_target *target, const tri_arch *arch)
{
    return (tri_frontend_target){
        .family = tri_str_from(target->family),
        .ttg_target = tri_str_from(arch->ttg_target),
        .warp_size = target->warp_size,
        .default_warps = target->default_warps,
        .default_stages = target->default_stages,
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
    tri_frontend_target target = facts_of(unit->target, unit->arch);
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
    tri_buf pipeline = {0};
    unit->target->ttir_pipeline(unit, &pipeline);
    bool keeps_descriptors = !strstr(pipeline.data, "rewrite-tensor-descriptor-to-pointer");
    tri_buf_fini(&pipeline);
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

/* The language knows more dimensions than layouts and loop nests do. */
static bool ranks_fit(tri_unit *unit)
{
    tri_op_list ops = {0};
    tri_op_collect(mlirModuleGetOperation(unit->module), unit->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        for (intptr_t r = 0; r < mlirOperationGetNumResults(ops.at[i]); r++) {
            MlirType type = mlirValueGetType(mlirOperationGetResult(ops.at[i], r));
            if (!tri_type_is_tensor(type) || tri_type_rank(type) <= TRI_MAX_RANK)
                continue;
            tri_op_error(unit->diag, ops.at[i], 6002, "blocks of more than %d dimensions cannot be lowered; this one has %d",
                         TRI_MAX_RANK, tri_type_rank(type));
            return false;
        }
    }
    return true;
}

static bool run_ttgir(tri_unit *unit, const tri_pass_hooks *hooks)
{
    if (!ranks_fit(unit) || !tri_facts_agree(unit))
        return false;
    if (is_raw(unit) && !run_ttir(unit, hooks))
        return false;
    return run_pipeline(unit, unit->target->ttgir_pipeline, hooks);
}

/* Other compilers' ttgir, and ttgir in the middle of the pipeline, has no plan of shared memory yet. */
static bool plan_shared_memory(tri_unit *unit, const tri_pass_hooks *hooks)
{
    if (!mlirAttributeIsNull(tri_op_attr(mlirModuleGetOperation(unit->module), "ttg.shared")))
        return true;
    tri_str passes = tri_str_format(unit->arena, "allocate-global-scratch,allocate-shared-memory{max-bytes=%u},membar", unit->arch->max_shared);
    return tri_passes_run(unit, passes.data, hooks);
}

static bool run_lower(tri_unit *unit, const tri_pass_hooks *hooks)
{
    return ranks_fit(unit) && plan_shared_memory(unit, hooks) && unit->target->lower(unit);
}
static bool run_scalarise(tri_unit *unit, const tri_pass_hooks *hooks)
{
    return ranks_fit(unit) && (!is_raw(unit) || run_ttir(unit, hooks)) && unit->target->lower(unit);
}

static bool run_optimize(tri_unit *unit, const tri_pass_hooks *hooks)
{
    return (void)hooks, unit->target->optimize(unit);
}

static bool run_ptx(tri_unit *unit, const tri_pass_hooks *hooks) { return (void)hooks, unit->target->emit(unit); }
static bool run_spirv(tri_unit *unit, const tri_pass_hooks *hooks) { return (void)hooks, unit->target->emit(unit); }
static bool run_asm(tri_unit *unit, const tri_pass_hooks *hooks) { return (void)hooks, unit->target->emit(unit); }
static bool run_cubin(tri_unit *unit, const tri_pass_hooks *hooks) { return (void)hooks, unit->target->assemble(unit); }
static bool run_ptx_obj(tri_unit *unit, const tri_pass_hooks *hooks) { return (void)hooks, unit->target->object(unit); }
static bool run_spirv_obj(tri_unit *unit, const tri_pass_hooks *hooks) { return (void)hooks, unit->target->object(unit); }
static bool run_asm_obj(tri_unit *unit, const tri_pass_hooks *hooks) { return (void)hooks, unit->target->object(unit); }

static bool run_spvas(tri_unit *unit, const tri_pass_hooks *hooks)
{
    (void)hooks;
    tri_buf binary = {0};
    if (!tri_text_to_spirv(unit->diag, unit->source, tri_buf_str(&unit->bytes), &binary)) {
        tri_buf_fini(&binary);
        return false;
    }
    tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
    unit->bytes = binary;
    return true;
}

static bool view_spvdis(tri_unit *unit, tri_buf *out)
{
    return tri_text_from_spirv(unit->diag, tri_buf_str(&unit->bytes), out);
}

static bool write_header(tri_unit *unit, tri_buf *out)
{
    return tri_header_write(unit, TRI_STR(""), out);
}

static bool write_json(tri_unit *unit, tri_buf *out)
{
    tri_json_write(unit, out);
    return true;
}

static bool view_ttgir_layout(tri_unit *unit, tri_buf *out) { return tri_drawing_write(unit, false, out); }
static bool view_ttgir_svg(tri_unit *unit, tri_buf *out) { return tri_drawing_write(unit, true, out); }

#define view_ptx_header write_header
#define view_asm_header write_header
#define view_ptx_json write_json
#define view_spirv_json write_json
#define view_asm_json write_json

#define IS_ALWAYS is_always
#define IS_HAS_TTGIR is_has_ttgir
#define IS_NO_TTGIR is_no_ttgir
#define IS_CODE is_code
#define IS_TEXT is_text
#define IS_BINARY is_binary
#define IS_OBJECT is_object

#define PHASE(id, from, to, condition, contexts, help) \
    {#id, TRI_KIND_##from, TRI_KIND_##to, help, TRI_PHASE_##contexts, IS_##condition, run_##id, NULL},
#define VIEW(id, from, to, condition, help) \
    {#id, TRI_KIND_##from, TRI_KIND_##to, help, TRI_PHASE_NONE, IS_##condition, NULL, view_##id},
static const tri_phase phases[] = {
#include "driver/phases.def"
};

size_t tri_phase_count(void) { return sizeof phases / sizeof *phases; }

const tri_phase *tri_phase_at(size_t i) { return &phases[i]; }

bool tri_phase_pipeline(const tri_phase *phase, const tri_unit *unit, tri_buf *out)
{
    if (phase->run != run_ttir && phase->run != run_ttgir)
        return false;
    (phase->run == run_ttir ? unit->target->ttir_pipeline : unit->target->ttgir_pipeline)(unit, out);
    return true;
}
