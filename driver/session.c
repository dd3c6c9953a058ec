#include "driver/session.h"

#include "ir/context.h"
#include "ir/guard.h"

#include "llvm-c/Core.h"

void tri_session_init(tri_session *session, tri_arena *arena, tri_diag *diag, tri_opt *opt)
{
    *session = (tri_session){.arena = arena, .diag = diag, .opt = opt};
    tri_report_init(&session->report, arena);
}

void tri_session_fini(tri_session *session)
{
    if (session->mlir.ptr)
        tri_context_destroy_mlir(session->mlir);
    if (session->llvm)
        tri_guard_dispose(session->llvm);
    session->mlir = (MlirContext){0};
    session->llvm = NULL;
}

bool tri_session_print(const tri_session *session, MlirModule module, unsigned release, tri_buf *out)
{
    const tri_opt *opt = session->opt;
    tri_context_style style = {
        .has_locations = opt->compile.debug != TRI_DEBUG_NONE || opt->compile.debug_asserts,
        .is_brief = opt->print_pretty_locations,
        .is_generic = opt->print_generic,
        .has_no_aliases = opt->print_local_scope,
        .elide_larger = opt->elide_larger,
        .release = release,
    };
    return tri_context_print_styled(module, &style, out);
}

void tri_session_provide(tri_session *session, tri_unit *unit, unsigned contexts)
{
    if ((contexts & TRI_PHASE_MLIR) && !session->mlir.ptr) {
        double start = tri_report_now();
        session->mlir = tri_context_create_mlir(session->diag);
        mlirContextSetAllowUnregisteredDialects(session->mlir, session->opt->allow_unregistered);
        tri_report_add(&session->report, "start MLIR", NULL, tri_report_now() - start);
    }
    if ((contexts & TRI_PHASE_LLVM) && !session->llvm) {
        double start = tri_report_now();
        session->llvm = tri_context_create_llvm(session->diag);
        tri_report_add(&session->report, "start LLVM", NULL, tri_report_now() - start);
    }
    if (contexts & TRI_PHASE_MLIR)
        unit->mlir = session->mlir;
    if (contexts & TRI_PHASE_LLVM)
        unit->llvm = session->llvm;
}

static bool writes(const tri_target *target, tri_kind kind)
{
    return kind == tri_phase_kind_named(target->code_kind) || kind == tri_phase_kind_named(target->binary_kind) ||
           kind == tri_phase_kind_named(target->text_kind) || kind == tri_phase_kind_named(target->listing_kind);
}

static bool is_host(const tri_target *target) { return target->object_form == TRI_OBJECT_CODE; }

static const tri_target *first_family(bool (*fits)(const tri_target *))
{
    for (size_t i = 0; i < tri_targets_count(); i++)
        if (fits(tri_targets_at(i)))
            return tri_targets_at(i);
    return NULL;
}

static bool has_layouts(const tri_target *target) { return target->ttgir_pipeline != NULL; }
static bool has_linalg(const tri_target *target) { return target->linalg_pipeline != NULL; }

/* The outputs that belong to one family say which; otherwise objects are for the host, and stages on
 * the way are those of a GPU. Null: no family here. */
static const tri_target *family_of_outputs(const tri_opt *opt)
{
    bool is_for_host = !opt->emits.len && !opt->has_passes;
    for (size_t i = 0; i < opt->emits.len; i++) {
        tri_kind kind = opt->emits.at[i].kind;
        if (kind == TRI_KIND_TTGIR || kind == TRI_KIND_HTML)
            return first_family(has_layouts);
        if (kind == TRI_KIND_LINALG)
            return first_family(has_linalg);
        for (size_t t = 0; t < tri_targets_count(); t++)
            if (kind != TRI_KIND_NONE && writes(tri_targets_at(t), kind) && !is_host(tri_targets_at(t)))
                return tri_targets_at(t);
        is_for_host = is_for_host || kind == TRI_KIND_NONE || kind > TRI_KIND_LLIR;
    }
    return first_family(is_for_host ? is_host : has_layouts);
}

bool tri_session_choose_target(tri_session *session, tri_unit *unit, tri_str arch_of_input)
{
    tri_str arch = session->opt->compile.arch.len ? session->opt->compile.arch : arch_of_input;
    if (arch.len)
        return tri_targets_find(session->diag, arch, &unit->target, &unit->arch) && tri_targets_check_options(unit);
    unit->target = family_of_outputs(session->opt);
    if (!unit->target) {
        tri_diag_error(session->diag, TRI_NO_SPAN, 6001, "no target writes these outputs; choose one with -arch=");
        return false;
    }
    unit->arch = tri_machines_first(unit->target->family);
    return tri_targets_check_options(unit);
}
