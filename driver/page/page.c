/* The data of the page, as JSON in the template (page.html, page.css, page.js). A part is compiled again with
 * line information, on a sink of its own: the run that came before has told what is wrong. */
#include "driver/page/page.h"

#include "base/map.h"
#include "base/process.h"
#include "driver/drawing.h"
#include "driver/info.h"
#include "driver/messages/messages.h"
#include "driver/page/changes.h"
#include "driver/page/stage_text.h"
#include "driver/payload.h"
#include "driver/session.h"
#include "frontend/frontend.h"
#include "ir/context.h"
#include "ir/options.h"
#include "targets/resources.h"

extern const char tri_page_text[];

/* Of what grows with a kernel the page has so much, and says what is left out and what prints it. */
enum { most_drawings = 24, largest_drawing = 400000, most_lines = 30000, most_bytes = 2500000, most_changes = 500 };

/* Programs of others may run so long for a page, without -tool-timeout: assemblers can take minutes. */
enum { tool_seconds = 30 };

/* One variant on its way into the page. */
typedef struct {
    tri_buf *out;
    tri_arena *arena;
    tri_diag *diag;
    tri_messages messages;
    tri_session *session;
    tri_unit *unit;
    tri_buf stages, passes, drawings, types, resources;
    size_t drawing_count, type_count;
    tri_map type_numbers; /* by text: 1 + the place in `types`, as a pointer */
    const char *stage;
    tri_str code;   /* of the target, once it is there, when its resources are still to be told */
    tri_buf before; /* the module as the last pass left it */
} view;

static void add_member(tri_buf *out, const char *key, tri_str text)
{
    tri_buf_format(out, "\"%s\": ", key);
    tri_buf_add_json(out, text);
}

/* --- stages ---------------------------------------------------------------------------------- */

/* Of a family whose compilers take linalg it is the last stage: the host's code says nothing of theirs. */
static bool is_end(const view *v, tri_kind kind) { return kind == TRI_KIND_LINALG && v->unit->target->linalg_pipeline; }

/* `text` of a stage that is not there is empty, and `note` says why. */
static void add_stage(view *v, const char *name, tri_str text, tri_str note)
{
    tri_buf_add_z(&v->stages, v->stages.len ? ",\n{" : "{");
    add_member(&v->stages, "name", tri_str_from(name));
    tri_buf_add_z(&v->stages, ", ");
    add_member(&v->stages, "text", text);
    if (note.len) {
        tri_buf_add_z(&v->stages, ", ");
        add_member(&v->stages, "note", note);
    }
    tri_buf_add_char(&v->stages, '}');
}

static void keep_stage(view *v, const char *name, tri_str text)
{
    tri_buf shown = {0};
    size_t left_out = tri_page_add_stage_text(text, most_lines, most_bytes, &shown);
    tri_str note = {0};
    if (left_out)
        note = tri_str_format(v->arena, "%zu more lines; the same command with -emit=%s prints all of them", left_out,
                              name);
    else if (is_end(v, tri_phase_kind_named(name)) && v->unit->target->code_kind)
        note = tri_str_format(v->arena, "the host's code is left out; the same command with -emit=llir,%s prints it",
                              v->unit->target->code_kind);
    add_stage(v, name, tri_buf_str(&shown), note);
    tri_buf_fini(&shown);
}

/* The place of a type in `types`, for values of the same type are many. */
static size_t number_of_type(view *v, tri_str type)
{
    uintptr_t number = (uintptr_t)tri_map_find(&v->type_numbers, type);
    if (!number) {
        number = ++v->type_count;
        tri_map_set(&v->type_numbers, type, (void *)number);
        tri_buf_add_z(&v->types, number > 1 ? ",\n" : "");
        tri_buf_add_json(&v->types, type);
    }
    return number - 1;
}

static void keep_drawing(void *data, tri_str name, tri_str type, size_t picture, tri_str svg)
{
    view *v = data;
    if (v->drawing_count >= most_drawings || svg.len > largest_drawing)
        svg.len = 0;
    v->drawing_count += svg.len > 0;
    tri_buf_add_z(&v->drawings, v->drawings.len ? ",\n{" : "{");
    add_member(&v->drawings, "name", name);
    tri_buf_add_z(&v->drawings, ", ");
    tri_buf_format(&v->drawings, "\"type\": %zu, \"picture\": %zu", number_of_type(v, type), picture);
    if (svg.len) {
        tri_buf_add_z(&v->drawings, ", ");
        add_member(&v->drawings, "svg", svg);
    }
    tri_buf_add_char(&v->drawings, '}');
}

/* --- passes ---------------------------------------------------------------------------------- */

static void after_page_pass(void *data, const tri_pass *pass, MlirModule module, double seconds)
{
    view *v = data;
    tri_context_style style = {0};
    tri_buf text = {0};
    tri_context_print_styled(module, &style, &text);
    tri_buf_add_z(&v->passes, v->passes.len ? ",\n{" : "{");
    add_member(&v->passes, "stage", tri_str_from(v->stage));
    tri_buf_add_z(&v->passes, ", ");
    add_member(&v->passes, "name", tri_str_from(pass->name));
    tri_buf_add_z(&v->passes, ", ");
    add_member(&v->passes, "help", tri_str_from(pass->help));
    tri_buf_format(&v->passes, ", \"ms\": %.3f", seconds * 1e3);
    if (!tri_str_equal(tri_buf_str(&text), tri_buf_str(&v->before))) {
        tri_buf changes = {0};
        tri_page_add_changes(tri_buf_str(&v->before), tri_buf_str(&text), most_changes, &changes);
        tri_buf_add_z(&v->passes, ", ");
        add_member(&v->passes, "changes", tri_buf_str(&changes));
        tri_buf_fini(&changes);
    }
    tri_buf_add_char(&v->passes, '}');
    tri_buf_fini(&v->before);
    v->before = text;
}

static void begin_passes(view *v, const tri_phase *phase)
{
    tri_context_style style = {0};
    v->stage = phase->name;
    if (v->unit->payload != TRI_PAYLOAD_MLIR)
        return;
    v->before.len = 0;
    tri_context_print_styled(v->unit->module, &style, &v->before);
}

/* --- a compilation --------------------------------------------------------------------------- */

static bool has_tool(const view *v, tri_str own, const char *name)
{
    tri_str path;
    const char *list = tri_str_copy(v->arena, v->unit->options->tool_path).data;
    return tri_process_find(v->arena, own.len ? own : tri_str_from(name), list, &path);
}

/* Machine code is shown where the tools that make and print it are at hand. */
static bool is_possible(const view *v, const tri_phase *phase)
{
    const tri_target *target = v->unit->target;
    const tri_options *o = v->unit->options;
    if (!target->listing_kind || phase->to != tri_phase_kind_named(target->binary_kind))
        return false;
    return has_tool(v, o->ptxas, target->binary_tool) &&
           (has_tool(v, o->nvdisasm, "nvdisasm") || (!o->nvdisasm.len && has_tool(v, o->nvdisasm, "cuobjdump")));
}

/* What was said last: why a program of others made nothing. */
static tri_str last_message(const view *v)
{
    return v->messages.all.len ? v->messages.all.at[v->messages.all.len - 1].main.text : TRI_STR("");
}

/* With the figures that the assembler gave, or its reason not to. */
static void keep_resources(view *v, bool is_assembled)
{
    tri_resources_print(v->unit, v->code, &v->resources);
    if (!is_assembled)
        tri_buf_format(&v->resources, "%.*s\n", TRI_STR_ARG(last_message(v)));
    v->code = (tri_str){0};
}

/* Of a text that was not made the reason is kept. */
static void keep_text(view *v, bool (*print)(tri_unit *unit, tri_buf *out), const char *name)
{
    tri_buf text = {0};
    if (print(v->unit, &text))
        keep_stage(v, name, tri_buf_str(&text));
    else
        add_stage(v, name, TRI_STR(""), last_message(v));
    tri_buf_fini(&text);
}

static void keep_payload(view *v, tri_kind kind)
{
    const tri_target *target = v->unit->target;
    bool is_code = kind == tri_phase_kind_named(target->code_kind);
    if (is_code && target->resources)
        v->code = tri_str_copy(v->arena, tri_buf_str(&v->unit->bytes));
    if (is_code && target->text_kind) {
        keep_text(v, target->to_text, target->text_kind);
    } else if (kind == tri_phase_kind_named(target->binary_kind)) {
        if (target->list)
            keep_text(v, target->list, target->listing_kind);
    } else if (kind != TRI_KIND_AST && tri_phase_kind(kind)->name) {
        tri_buf text = {0};
        if (tri_payload_print(v->unit, kind, &text))
            keep_stage(v, tri_phase_kind(kind)->name, tri_buf_str(&text));
        tri_buf_fini(&text);
    }
    if (kind == TRI_KIND_TTGIR)
        tri_drawing_each(v->unit, keep_drawing, v);
}

/* A phase that calls the assembler tells what it found out; where there is none, it is called for that alone. */
static bool run_phase(view *v, const tri_phase *phase)
{
    tri_pass_hooks hooks = {.data = v, .after = after_page_pass};
    const tri_target *target = v->unit->target;
    bool ok = tri_phase_run(phase, v->unit, &hooks);
    if (v->code.len)
        keep_resources(v, ok);
    if (!ok && phase->to == tri_phase_kind_named(target->binary_kind))
        add_stage(v, target->listing_kind, TRI_STR(""), last_message(v));
    return ok;
}

static void run_all_phases(view *v)
{
    tri_phase_list phases = tri_phase_list_for(v->arena, v->unit->target);
    tri_kind kind = TRI_KIND_SOURCE, code = tri_phase_kind_named(v->unit->target->code_kind);
    for (size_t i = 0; i < phases.len; i++) {
        const tri_phase *phase = &phases.at[i];
        if (phase->from != kind || !phase->run || (kind == code && !is_possible(v, phase)))
            continue;
        tri_session_provide(v->session, v->unit, phase->contexts);
        begin_passes(v, phase);
        if (!run_phase(v, phase))
            return;
        kind = phase->to;
        keep_payload(v, kind);
        if (is_end(v, kind))
            break;
    }
    if (v->code.len)
        keep_resources(v, !v->unit->target->measure || v->unit->target->measure(v->unit, v->code));
}

static void on_page_report(void *data, const tri_diag_record *record)
{
    tri_messages_add(&((view *)data)->messages, record);
}

/* --- messages -------------------------------------------------------------------------------- */

static void add_place_of_message(tri_buf *out, const tri_message_part *part, tri_str source)
{
    uint32_t line = 0, column = 0;
    if (part->at.source && tri_str_equal(part->at.source->name, source))
        tri_source_position(part->at.source, part->at.begin, &line, &column);
    tri_buf_format(out, "\"line\": %u, \"column\": %u, ", line, column);
}

static void add_messages(const view *v, tri_str source, tri_buf *out)
{
    static const char *const severities[] = {"note", "remark", "warning", "error"};
    for (size_t i = 0; i < v->messages.all.len; i++) {
        const tri_message *m = &v->messages.all.at[i];
        tri_str rule = tri_messages_rule(v->arena, m);
        tri_buf_format(out, "%s{\"severity\": \"%s\", ", i ? ",\n" : "", severities[m->severity]);
        add_place_of_message(out, &m->main, source);
        add_member(out, "rule", rule);
        tri_buf_add_z(out, ", ");
        add_member(out, "text", m->main.text);
        tri_buf_add_char(out, '}');
    }
}

/* --- the page -------------------------------------------------------------------------------- */

static void write_view(view *v, const char *arch, tri_str source)
{
    tri_buf messages = {0};
    add_messages(v, source, &messages);
    tri_buf_add_char(v->out, '{');
    add_member(v->out, "arch", tri_str_from(arch));
    if (v->unit->options->config <= TRI_FRONTEND_ALL_CONFIGS)
        tri_buf_format(v->out, ", \"config\": %d", TRI_FRONTEND_ALL_CONFIGS - v->unit->options->config);
    tri_buf_format(v->out, ",\n\"stages\": [%.*s],\n\"passes\": [%.*s],\n", TRI_STR_ARG(tri_buf_str(&v->stages)),
                   TRI_STR_ARG(tri_buf_str(&v->passes)));
    tri_buf_format(v->out, "\"drawings\": [%.*s],\n\"types\": [%.*s],\n\"messages\": [%.*s],\n",
                   TRI_STR_ARG(tri_buf_str(&v->drawings)), TRI_STR_ARG(tri_buf_str(&v->types)),
                   TRI_STR_ARG(tri_buf_str(&messages)));
    add_member(v->out, "resources", tri_buf_str(&v->resources));
    tri_buf_add_char(v->out, '}');
    tri_buf *const own[] = {&messages, &v->stages, &v->passes, &v->drawings, &v->types, &v->resources, &v->before};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        tri_buf_fini(own[i]);
}

static void compile_view(const tri_bundle *bundle, const tri_part *part, const tri_source *source, tri_buf *out)
{
    view v = {.out = out, .arena = tri_arena_create(), .diag = tri_diag_create()};
    v.messages.arena = v.arena;
    tri_map_init(&v.type_numbers, v.arena);
    tri_diag_sink sink = {.data = &v, .report = on_page_report};
    tri_diag_set_format(v.diag, TRI_DIAG_SILENT);
    tri_diag_set_sink(v.diag, &sink);
    tri_diag_set_remarks(v.diag, TRI_STR("all"));
    tri_diag_set_missed(v.diag, TRI_STR("all"));
    tri_opt opt = {.compile = *bundle->options};
    opt.compile.debug = TRI_DEBUG_LINES;
    if (!opt.compile.tool_seconds)
        opt.compile.tool_seconds = tool_seconds;
    opt.compile.arch = tri_str_from(part->unit->arch->name);
    opt.compile.config = part->unit->options->config;
    tri_session session;
    tri_unit unit;
    tri_session_init(&session, v.arena, v.diag, &opt);
    tri_unit_init(&unit, v.arena, v.diag, &opt.compile);
    unit.payload = TRI_PAYLOAD_SOURCE;
    unit.source = tri_diag_add_source(v.diag, source->name, source->text);
    unit.target = part->unit->target;
    unit.arch = part->unit->arch;
    v.session = &session;
    v.unit = &unit;
    run_all_phases(&v);
    write_view(&v, unit.arch->name, source->name);
    tri_unit_fini(&unit);
    tri_session_fini(&session);
    tri_diag_destroy(v.diag);
    tri_arena_destroy(v.arena);
}

/* Null after a report. */
static const tri_source *find_page_source(const tri_bundle *bundle)
{
    const tri_source *source = tri_diag_find_source(bundle->diag, bundle->source_name);
    if (!bundle->is_from_source)
        tri_diag_error(bundle->diag, TRI_NO_SPAN, 1005, "'html' is made of source files");
    return bundle->is_from_source ? source : NULL;
}

static void write_page_data(const tri_bundle *bundle, const tri_source *source, tri_buf *out)
{
    tri_buf_add_char(out, '{');
    add_member(out, "name", tri_diag_map_path(bundle->diag, source->name));
    tri_buf_add_z(out, ", ");
    add_member(out, "file", source->name);
    tri_buf_add_z(out, ", ");
    add_member(out, "version", tri_str_from(tri_info_version_text()));
    tri_buf_add_z(out, ",\n");
    add_member(out, "source", source->text);
    tri_buf_add_z(out, ",\n\"variants\": [");
    for (size_t i = 0; i < bundle->parts.len; i++) {
        tri_buf_add_z(out, i ? ",\n" : "");
        compile_view(bundle, &bundle->parts.at[i], source, out);
    }
    tri_buf_add_z(out, "]}");
}

bool tri_page_write(const tri_bundle *bundle, tri_buf *out)
{
    static const char mark[] = "@data@";
    const tri_source *source = find_page_source(bundle);
    if (!source)
        return false;
    const char *place = strstr(tri_page_text, mark);
    tri_buf data = {0};
    write_page_data(bundle, source, &data);
    tri_buf_add(out, tri_page_text, (size_t)(place - tri_page_text));
    for (size_t i = 0; i < data.len; i++) { /* within a script element '<' could end it */
        if (data.data[i] == '<')
            tri_buf_add_z(out, "\\u003c");
        else
            tri_buf_add_char(out, data.data[i]);
    }
    tri_buf_add_z(out, place + sizeof mark - 1);
    tri_buf_fini(&data);
    return true;
}
