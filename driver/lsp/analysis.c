#include "driver/lsp/analysis.h"

#include "base/fatal.h"
#include "base/stack.h"
#include "base/trap.h"
#include "driver/args.h"
#include "driver/environment.h"
#include "driver/session.h"
#include "driver/tool.h"
#include "frontend/frontend.h"
#include "ir/guard.h"
#include "ir/location.h"
#include "ir/op.h"
#include "ir/type.h"

#include <stdlib.h>
#include <unistd.h>

tri_lsp_analysis *tri_analysis_create(tri_str uri, tri_str path, tri_str text)
{
    tri_lsp_analysis *a = tri_mem_alloc(sizeof *a);
    tri_arena *arena = tri_arena_create();
    *a = (tri_lsp_analysis){.arena = arena,
                            .uri = tri_str_copy(arena, uri),
                            .path = tri_str_copy(arena, path),
                            .text = tri_str_copy(arena, text),
                            .messages = {.arena = arena}};
    tri_overlay_init(&a->files, arena, NULL);
    tri_notes_init(&a->notes, arena);
    a->diag = tri_diag_create();
    return a;
}

void tri_analysis_destroy(tri_lsp_analysis *a)
{
    if (!a)
        return;
    tri_diag_destroy(a->diag);
    tri_arena_destroy(a->arena);
    free(a);
}

void tri_analysis_cancel(tri_lsp_analysis *a) { __atomic_store_n(&a->cancelled, 1, __ATOMIC_RELAXED); }

static void on_analysis_report(void *data, const tri_diag_record *record)
{
    tri_messages_add(&((tri_lsp_analysis *)data)->messages, record);
}

/* --- layouts --------------------------------------------------------------------------------- */

static void append_type_text(MlirStringRef text, void *buf) { tri_buf_add(buf, text.data, text.length); }

/* The line of the text that made it, itself or by a call; 0: none did. `out_is_own`: itself. */
static uint32_t line_of(const tri_lsp_analysis *a, MlirOperation op, bool *out_is_own)
{
    uint32_t line = 0, column;
    tri_span own = tri_op_span(a->diag, op);
    *out_is_own = own.source == a->source;
    for (MlirLocation at = mlirOperationGetLocation(op); at.ptr && !line; at = tri_location_caller(at)) {
        tri_span span = tri_location_span(a->diag, at);
        if (span.source == a->source)
            tri_source_position(span.source, span.begin, &line, &column);
    }
    return line;
}

static void add_layout(tri_lsp_analysis *a, MlirOperation op)
{
    bool is_own;
    if (!mlirOperationGetNumResults(op))
        return;
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    if (!tri_type_is_tensor(type) || mlirAttributeIsNull(tri_type_encoding(type)))
        return;
    tri_lsp_layout layout = {.line = line_of(a, op, &is_own)};
    if (!layout.line)
        return;
    if (is_own)
        layout.name = tri_str_copy(a->arena, tri_location_name(mlirOperationGetLocation(op)));
    tri_buf text = {0};
    mlirTypePrint(type, append_type_text, &text);
    layout.type = tri_str_copy(a->arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    tri_vec_push(a->arena, &a->layouts, layout);
}

static void collect_layouts(tri_lsp_analysis *a, const tri_unit *unit)
{
    tri_op_list ops = {0};
    tri_op_collect(mlirModuleGetOperation(unit->module), a->arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        add_layout(a, ops.at[i]);
}

/* --- the compilation ------------------------------------------------------------------------- */

/* Up to ttgir, as far as it goes. Layouts come from it; messages about limits of an architecture do, too. */
static void run_phases(tri_lsp_analysis *a, tri_session *session, tri_unit *unit)
{
    tri_phase_list phases = tri_phase_list_for(a->arena, unit->target);
    tri_kind kind = TRI_KIND_SOURCE;
    for (size_t i = 0; i < phases.len && kind < TRI_KIND_TTGIR; i++) {
        const tri_phase *phase = &phases.at[i];
        if (phase->from != kind || !phase->run || tri_trap_asked())
            continue;
        tri_session_provide(session, unit, phase->contexts);
        if (!tri_phase_run(phase, unit, NULL))
            return;
        kind = phase->to;
        if (kind == TRI_KIND_AST) {
            a->ast = unit->ast;
            a->is_parsed = true;
        }
    }
    if (kind == TRI_KIND_TTGIR && tri_diag_error_count(a->diag) == 0)
        collect_layouts(a, unit);
}

static bool parse_options(tri_lsp_analysis *a, tri_opt *out)
{
    char **argv = TRI_NEW_ARRAY(a->arena, char *, a->words.len + 4);
    int argc = 0;
    argv[argc++] = "tritcc";
    for (size_t i = 0; i < a->words.len; i++)
        argv[argc++] = (char *)a->words.at[i];
    if (!tri_opt_parse(a->arena, a->diag, argc, argv, a->path.data, out))
        return false;
    tri_diag_set_format(a->diag, TRI_DIAG_SILENT);
    tri_diag_set_sink(a->diag, &a->sink);
    out->compile.guess_types = true;
    out->compile.files = &a->files.source;
    if (!out->emits.len)
        tri_vec_push(a->arena, &out->emits, (tri_opt_emit){.kind = TRI_KIND_TTGIR});
    return tri_tool_find(a->arena, a->diag, out->cuda_path, &out->compile);
}

static void analyse_text(void *data)
{
    tri_lsp_analysis *a = data;
    tri_opt opt;
    tri_session session;
    tri_unit unit;
    a->source = tri_diag_add_source(a->diag, a->path, a->text);
    if (!parse_options(a, &opt))
        return;
    tri_session_init(&session, a->arena, a->diag, &opt);
    tri_unit_init(&unit, a->arena, a->diag, &opt.compile);
    unit.payload = TRI_PAYLOAD_SOURCE;
    unit.source = a->source;
    unit.notes = &a->notes;
    if (tri_session_choose_target(&session, &unit, TRI_STR("")))
        run_phases(a, &session, &unit);
    tri_unit_fini(&unit);
    tri_session_fini(&session);
}

static void run_trapped(void *data)
{
    tri_lsp_analysis *a = data;
    tri_trap trap = {.cancelled = &a->cancelled};
    tri_environment_set((const char *const *)environ);
    tri_trap_end end = tri_trap_run(&trap, analyse_text, a);
    if (end == TRI_TRAP_NO_MEMORY)
        tri_fatal_out_of_memory(); /* what it took is not given back: editors start the server again */
    a->is_done = end == TRI_TRAP_NONE;
    if (!a->is_done)
        tri_guard_reset();
    tri_environment_set(NULL);
}

/* A file of Python without kernels is no mistake, unless something in it looks like one: then a note says why it is
 * none. */
static void forgive_no_kernel(tri_lsp_analysis *a)
{
    enum { code_no_kernel = 3031 };
    const tri_message *m = a->messages.all.at;
    if (a->messages.all.len == 1 && m->code == code_no_kernel && m->main.at.source == a->source && !m->main.at.end &&
        !m->notes.len)
        a->messages.all.len = 0;
}

static void *run_analysis(void *data)
{
    tri_lsp_analysis *a = data;
    tri_stack_call(run_trapped, a);
    forgive_no_kernel(a);
    tri_transport_post(a->transport, a);
    return NULL;
}

bool tri_analysis_start(tri_lsp_analysis *a, tri_transport *transport)
{
    pthread_t thread;
    a->transport = transport;
    a->sink = (tri_diag_sink){.data = a, .report = on_analysis_report};
    tri_diag_set_format(a->diag, TRI_DIAG_SILENT);
    tri_diag_set_sink(a->diag, &a->sink);
    if (pthread_create(&thread, NULL, run_analysis, a) != 0)
        return false;
    pthread_detach(thread);
    return true;
}

/* --- questions ------------------------------------------------------------------------------- */

/* Is "tensor<64x32xf32, ...>" what messages call "fp32[64, 32]"? */
static bool is_of_type(tri_arena *arena, tri_str tensor, tri_str type)
{
    static const char *const names[][2] = {
        {"fp", "f"}, {"bf", "bf"}, {"int", "i"}, {"uint", "i"}, {"pointer", "!tt.ptr"}};
    size_t bracket = tri_str_find_last(type, '[');
    if (bracket == type.len)
        return false;
    tri_buf text = {0};
    tri_buf_add_z(&text, "tensor<");
    for (size_t i = bracket + 1; i < type.len; i++)
        if (type.data[i] != ' ')
            tri_buf_add_char(&text, type.data[i] == ',' || type.data[i] == ']' ? 'x' : type.data[i]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i][0]);
        if (!tri_str_has_prefix(type, names[i][0]))
            continue;
        tri_buf_add_z(&text, names[i][1]);
        if (type.data[len] >= '0' && type.data[len] <= '9' && !memchr(type.data, 'e', bracket)) /* not fp8e5 */
            tri_buf_format(&text, "%.*s,", (int)(bracket - len), type.data + len);
        break;
    }
    tri_str wanted = tri_str_copy(arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return tri_str_has_prefix(tensor, wanted.data);
}

tri_str tri_analysis_layout(const tri_lsp_analysis *a, tri_str name, uint32_t line, tri_str type)
{
    for (size_t i = 0; i < a->layouts.len; i++)
        if (a->layouts.at[i].line == line && tri_str_equal(a->layouts.at[i].name, name))
            return a->layouts.at[i].type;
    tri_str found = {0};
    tri_arena *arena = tri_arena_create();
    for (size_t i = 0; i < a->layouts.len; i++)
        if (a->layouts.at[i].line == line && is_of_type(arena, a->layouts.at[i].type, type))
            found = a->layouts.at[i].type;
    tri_arena_destroy(arena);
    return found;
}
