#include "driver/info.h"

#include "base/file.h"
#include "driver/phase.h"
#include "frontend/frontend.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/Config/llvm-config.h"

#ifndef TRI_VERSION
#define TRI_VERSION "0.1.0"
#endif
#ifndef TRI_COMMIT
#define TRI_COMMIT ""
#endif

/* Where the commit is not known, the version alone. */
static const char version_text[] = TRI_VERSION " " TRI_COMMIT;

void tri_info_version(tri_buf *out)
{
    tri_buf_format(out, "tritcc %s\nLLVM and MLIR " LLVM_VERSION_STRING "\ntargets:", tri_info_version_text());
    for (size_t i = 0; i < tri_targets_count(); i++)
        tri_buf_format(out, " %s", tri_targets_at(i)->family);
    tri_buf_add_char(out, '\n');
}

const char *tri_info_version_text(void) { return *TRI_COMMIT ? version_text : TRI_VERSION; }

void tri_info_version_number(tri_buf *out) { tri_buf_add_z(out, TRI_VERSION "\n"); }

void tri_info_host(tri_buf *out)
{
    char *triple = LLVMGetDefaultTargetTriple();
    tri_buf_format(out, "%s\n", triple);
    LLVMDisposeMessage(triple);
}

void tri_info_passes(tri_buf *out)
{
    for (size_t i = 0; i < tri_passes_count(); i++) {
        const tri_pass *pass = tri_passes_at(i);
        tri_buf_format(out, "%-28s %s\n", pass->name, pass->help);
        if (pass->alias)
            tri_buf_format(out, "%-28s   (upstream: %s)\n", "", pass->alias);
        for (size_t j = 0; pass->options && pass->options[j]; j++)
            tri_buf_format(out, "%-28s   %s\n", "", pass->options[j]);
    }
}

void tri_info_targets(tri_buf *out)
{
    for (size_t i = 0; i < tri_targets_count(); i++) {
        const tri_target *target = tri_targets_at(i);
        tri_buf_format(out, "%s%s: %s\n", i ? "\n" : "", target->family, target->help);
        for (const tri_machine_facts *arch = tri_machines_first(target->family); arch; arch = tri_machines_next(arch))
            tri_buf_format(out, "  %-12s %s\n", arch->name, arch->help);
    }
}

bool tri_info_pipeline(tri_session *session, tri_buf *out)
{
    tri_unit unit;
    tri_unit_init(&unit, session->arena, session->diag, &session->opt->compile);
    if (!tri_session_choose_target(session, &unit, TRI_STR("")))
        return false;
    tri_buf_format(out, "%s (%s)\n", unit.arch->name, unit.target->family);
    tri_phase_list phases = tri_phase_list_for(session->arena, unit.target);
    for (size_t i = 0; i < phases.len; i++) {
        const tri_phase *phase = &phases.at[i];
        tri_buf_format(out, "%-10s %s\n", phase->name, phase->help);
        tri_buf passes = {0};
        if (tri_phase_pipeline(phase, &unit, &passes))
            tri_buf_format(out, "  -passes=%s\n", passes.len ? passes.data : "");
        tri_buf_fini(&passes);
    }
    return true;
}

static bool list_file(tri_session *session, tri_str path, tri_buf *out)
{
    tri_str text;
    int error = 0;
    tri_arena *arena = tri_arena_create(); /* the source has a copy */
    const tri_source *source = NULL;
    if (tri_file_read(arena, path, &text, &error))
        source = tri_diag_add_source(session->diag, path, text);
    else
        tri_diag_error(session->diag, TRI_NO_SPAN, 1001, "cannot read '%.*s': %s", TRI_STR_ARG(path), strerror(error));
    tri_arena_destroy(arena);
    if (!source)
        return false;
    tri_unit unit;
    tri_unit_init(&unit, session->arena, session->diag, &session->opt->compile);
    tri_unit_replace(&unit, TRI_PAYLOAD_SOURCE);
    unit.source = source;
    bool ok = tri_session_choose_target(session, &unit, TRI_STR("")) && tri_frontend_parse(&unit);
    if (ok) {
        tri_session_provide(session, &unit, TRI_PHASE_MLIR);
        tri_frontend_target target = tri_phase_facts(&unit);
        ok = tri_frontend_list(&unit, &target, out);
    }
    tri_unit_fini(&unit);
    return ok;
}

bool tri_info_kernels(tri_session *session, tri_str path, tri_buf *out)
{
    bool ok = true;
    size_t count = session->opt->inputs.len;
    if (!path.len && !count)
        tri_diag_error(session->diag, TRI_NO_SPAN, 1002, "--list-kernels needs a source: --list-kernels FILE");
    if (path.len)
        ok = list_file(session, path, out);
    for (size_t i = 0; i < count; i++) {
        if (out->len)
            tri_buf_add_char(out, '\n');
        ok = list_file(session, session->opt->inputs.at[i].path, out) && ok;
    }
    return ok && (path.len || count);
}
