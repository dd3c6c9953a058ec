#include "base/diag.h"

#include "base/file.h"
#include "base/map.h"
#include "base/limit.h"
#include "base/trap.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    tri_severity severity;
    tri_span at;
    int code;
    const char *group;  /* warning or remark name, or null */
    bool is_missed;     /* a remark of what was not done */
    bool was_promoted;  /* a warning made an error */
    bool is_fix;
    const char *resource; /* a limit that is passed, else null */
    int64_t needed, limit;
    tri_str text;
} report;

typedef struct {
    tri_str from, to;
} prefix_map;

struct tri_diag {
    tri_arena *arena;
    const char *program;
    tri_buf *log; /* null: the sink, or stderr */
    const tri_diag_sink *sink; /* null: none */
    tri_color color;
    tri_diag_format format;
    bool is_werror;
    bool all_off;        /* -w */
    bool is_last_hidden; /* notes and fixes of a hidden report are hidden too */
    report next;         /* its limit is the next report's */
    size_t json_count;
    size_t errors, warnings, written;
    const tri_source *shown; /* the last line that was drawn is `shown_line` of it; null: none was */
    uint32_t shown_line;
    TRI_VEC(size_t) holds; /* report count at each hold */
    TRI_VEC(report) held;
    TRI_VEC(tri_source *) sources;
    TRI_VEC(prefix_map) prefixes;
    TRI_VEC(tri_str) remarks, missed; /* groups that are wanted */
    tri_map warning_state; /* name -> &on or &off */
};

static char state_on, state_off; /* addresses are the values of warning_state */

static const struct {
    const char *name;
    bool is_on; /* until -W, -Wall or -w say otherwise */
    const char *help;
} warnings[] = {
#define X(name, is_on, help) {name, is_on, help},
#include "base/warning.def"
#undef X
};

static void start(tri_diag *diag)
{
    *diag = (tri_diag){.program = "tritcc", .arena = tri_arena_create()};
    tri_map_init(&diag->warning_state, diag->arena);
}

tri_diag *tri_diag_create(void)
{
    tri_diag *diag = tri_mem_alloc(sizeof *diag);
    start(diag);
    return diag;
}

void tri_diag_write(tri_diag *diag, tri_str text)
{
    diag->written++;
    if (diag->log) {
        tri_buf_add_str(diag->log, text);
    } else if (diag->sink && diag->sink->write) {
        diag->sink->write(diag->sink->data, TRI_STREAM_ERROR, text);
    } else {
        fflush(stdout);
        fwrite(text.data, 1, text.len, stderr);
    }
}

size_t tri_diag_written(const tri_diag *diag) { return diag->written; }

bool tri_diag_write_output(tri_diag *diag, tri_str text, int *out_error)
{
    if (diag->sink && diag->sink->write)
        return (*out_error = diag->sink->write(diag->sink->data, TRI_STREAM_OUTPUT, text)) == 0;
    return tri_file_write(TRI_STR("-"), text, out_error);
}

void tri_diag_set_sink(tri_diag *diag, const tri_diag_sink *sink)
{
    diag->sink = sink;
}

static void finish(tri_diag *diag)
{
    if (diag->format == TRI_DIAG_JSON)
        tri_diag_write(diag, diag->json_count ? TRI_STR("\n]\n") : TRI_STR("[]\n"));
    tri_arena_destroy(diag->arena);
}

void tri_diag_reset(tri_diag *diag)
{
    finish(diag);
    start(diag);
}

void tri_diag_destroy(tri_diag *diag)
{
    if (!diag)
        return;
    finish(diag);
    free(diag);
}


void tri_diag_set_program(tri_diag *diag, const char *name)
{
    diag->program = name;
    tri_fatal_set_program(name);
}

void tri_diag_set_log(tri_diag *diag, tri_buf *log)
{
    diag->log = log;
}

void tri_diag_set_color(tri_diag *diag, tri_color color)
{
    diag->color = color;
}

void tri_diag_set_format(tri_diag *diag, tri_diag_format format)
{
    diag->format = format;
}

void tri_diag_set_werror(tri_diag *diag, bool on)
{
    diag->is_werror = on;
}

void tri_diag_set_warning(tri_diag *diag, tri_str name, bool on)
{
    if (name.len == 0)
        diag->all_off = !on;
    else
        tri_map_set(&diag->warning_state, name, on ? &state_on : &state_off);
}

bool tri_diag_is_warning_on(const tri_diag *diag, const char *name)
{
    if (diag->all_off)
        return false;
    void *state = tri_map_find(&diag->warning_state, tri_str_from(name));
    if (!state)
        state = tri_map_find(&diag->warning_state, TRI_STR("all"));
    if (state)
        return state == &state_on;
    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++)
        if (strcmp(name, warnings[i].name) == 0)
            return warnings[i].is_on;
    return true;
}

const char *tri_diag_warning_name(size_t i, const char **out_help)
{
    if (i >= sizeof warnings / sizeof *warnings)
        return NULL;
    *out_help = warnings[i].help;
    return warnings[i].name;
}

void tri_diag_set_remarks(tri_diag *diag, tri_str group)
{
    tri_vec_push(diag->arena, &diag->remarks, tri_str_copy(diag->arena, group));
}

void tri_diag_set_missed(tri_diag *diag, tri_str group)
{
    tri_vec_push(diag->arena, &diag->missed, tri_str_copy(diag->arena, group));
}

static bool is_remark_on(const tri_diag *diag, const char *group, bool is_missed)
{
    size_t count = is_missed ? diag->missed.len : diag->remarks.len;
    const tri_str *groups = is_missed ? diag->missed.at : diag->remarks.at;
    for (size_t i = 0; i < count; i++)
        if (tri_str_is(groups[i], group) || tri_str_is(groups[i], "all"))
            return true;
    return false;
}

void tri_diag_add_prefix_map(tri_diag *diag, tri_str old_prefix, tri_str new_prefix)
{
    prefix_map map = {tri_str_copy(diag->arena, old_prefix), tri_str_copy(diag->arena, new_prefix)};
    tri_vec_push(diag->arena, &diag->prefixes, map);
}

tri_str tri_diag_map_path(tri_diag *diag, tri_str path)
{
    for (size_t i = diag->prefixes.len; i-- > 0;) { /* the last one given wins, as in gcc */
        prefix_map map = diag->prefixes.at[i];
        if (path.len >= map.from.len && memcmp(path.data, map.from.data, map.from.len) == 0)
            return tri_str_format(diag->arena, "%.*s%.*s", TRI_STR_ARG(map.to),
                                  TRI_STR_ARG(tri_str_sub(path, map.from.len, path.len)));
    }
    return path;
}

static void index_lines(tri_diag *diag, tri_source *source)
{
    size_t lines = 1, n = 1;
    const char *text = source->text.data, *end = text + source->text.len;
    for (const char *at = text; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        lines++;
    uint32_t *starts = tri_arena_alloc(diag->arena, lines * sizeof *starts);
    for (const char *at = text; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        starts[n++] = (uint32_t)(at - text) + 1;
    source->line_starts = starts;
    source->line_count = (uint32_t)lines;
}

const tri_source *tri_diag_add_source(tri_diag *diag, tri_str name, tri_str text)
{
    tri_source *source = TRI_NEW(diag->arena, tri_source);
    source->name = tri_str_copy(diag->arena, name);
    source->text = tri_str_copy(diag->arena, text);
    index_lines(diag, source);
    tri_vec_push(diag->arena, &diag->sources, source);
    return source;
}

const tri_source *tri_diag_find_source(const tri_diag *diag, tri_str name)
{
    for (size_t i = diag->sources.len; i-- > 0;) {
        const tri_source *source = diag->sources.at[i];
        if (tri_str_equal(source->name, name) || tri_str_equal(tri_diag_map_path((tri_diag *)diag, source->name), name))
            return source;
    }
    return NULL;
}

void tri_source_position(const tri_source *source, uint32_t offset, uint32_t *out_line, uint32_t *out_column)
{
    uint32_t low = 0, high = source->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->line_starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    *out_line = low + 1;
    *out_column = offset - source->line_starts[low] + 1;
}

uint32_t tri_source_offset(const tri_source *source, uint32_t line, uint32_t column)
{
    if (line == 0 || line > source->line_count)
        return (uint32_t)source->text.len;
    uint32_t offset = source->line_starts[line - 1] + (column ? column - 1 : 0);
    return offset > source->text.len ? (uint32_t)source->text.len : offset;
}

/* The line that holds `offset`, without its line ending. */
static tri_str line_text(const tri_source *source, uint32_t line)
{
    size_t begin = source->line_starts[line - 1];
    size_t end = line < source->line_count ? source->line_starts[line] - 1 : source->text.len;
    if (end > begin && source->text.data[end - 1] == '\r')
        end--;
    return tri_str_sub(source->text, begin, end);
}

bool tri_diag_is_terminal(const tri_diag *diag)
{
    return !diag->log && (diag->sink ? diag->sink->is_terminal : isatty(STDERR_FILENO));
}

static bool has_color(const tri_diag *diag)
{
    return diag->color == TRI_COLOR_ALWAYS || (diag->color == TRI_COLOR_AUTO && tri_diag_is_terminal(diag));
}

static const char *severity_word(tri_severity severity)
{
    static const char *const words[] = {"note", "remark", "warning", "error"};
    return words[severity];
}

static const char *severity_color(tri_severity severity)
{
    static const char *const colors[] = {"\033[1;36m", "\033[1;34m", "\033[1;35m", "\033[1;31m"};
    return colors[severity];
}

/* Copies the line with tabs as spaces up to the next multiple of 8 and control bytes as '?', and
 * draws the marks below: '^' at `from`, '~' up to `to` (byte offsets in the line). One column per
 * UTF-8 sequence. */
static void draw_line(tri_str line, size_t from, size_t to, tri_buf *text, tri_buf *marks)
{
    size_t column = 0;
    for (size_t i = 0; i <= line.len; i++) {
        char c = i < line.len ? line.data[i] : ' ';
        if (((unsigned char)c & 0xc0) == 0x80) {
            tri_buf_add_char(text, c);
            continue;
        }
        size_t width = c == '\t' ? 8 - column % 8 : 1;
        char mark = i == from ? '^' : i > from && i < to ? '~' : ' ';
        for (size_t k = 0; k < width; k++) {
            if (i < line.len)
                tri_buf_add_char(text, c == '\t' ? ' ' : (unsigned char)c < 0x20 || c == 0x7f ? '?' : c);
            if (i <= from || i < to)
                tri_buf_add_char(marks, k == 0 ? mark : mark == '^' ? '~' : mark);
        }
        column += width;
    }
}

static void add_snippet(tri_diag *diag, const report *r, tri_buf *out)
{
    const tri_source *source = r->at.source;
    uint32_t line, column;
    tri_source_position(source, r->at.begin, &line, &column);
    diag->shown = source;
    diag->shown_line = line;
    tri_str text = line_text(source, line);
    if (text.len > 4000)
        return; /* generated or binary: a picture would not help */
    size_t from = column - 1;
    size_t length = r->at.end > r->at.begin ? r->at.end - r->at.begin : 1;
    size_t to = from + length < text.len ? from + length : text.len;
    tri_buf drawn = {0}, marks = {0};
    draw_line(text, from, to, &drawn, &marks);
    const char *on = has_color(diag) ? "\033[1;32m" : "";
    const char *off = has_color(diag) ? "\033[0m" : "";
    tri_buf_format(out, "%5u | %s\n      | %s%s%s\n", line, drawn.data ? drawn.data : "", on,
                   marks.data ? marks.data : "", off);
    tri_buf_fini(&drawn);
    tri_buf_fini(&marks);
}

/* The option that a message of a group belongs to, up to the group's name. */
static const char *option_of(const report *r)
{
    if (r->severity == TRI_REMARK)
        return r->is_missed ? "-Rpass-missed=" : "-Rpass=";
    return r->was_promoted ? "-Werror,-W" : "-W";
}

/* What a terminal would take as a command shows as '?'; what is in `kept` may stay. */
static void add_clean(tri_str text, const char *kept, tri_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool is_control = (unsigned char)c < ' ' || c == 127;
        tri_buf_add_char(out, is_control && (!c || !strchr(kept, c)) ? '?' : c);
    }
}

static void add_message(tri_diag *diag, const report *r, tri_buf *out)
{
    bool color = has_color(diag);
    const char *bold = color ? "\033[1m" : "", *off = color ? "\033[0m" : "";
    tri_buf_add_z(out, bold);
    if (r->at.source) {
        uint32_t line, column;
        tri_source_position(r->at.source, r->at.begin, &line, &column);
        add_clean(tri_diag_map_path(diag, r->at.source->name), "", out);
        tri_buf_format(out, ":%u:%u: ", line, column);
    } else {
        tri_buf_format(out, "%s: ", diag->program);
    }
    tri_buf_format(out, "%s%s:%s %s", color ? severity_color(r->severity) : "", severity_word(r->severity), off, bold);
    add_clean(r->text, "\n\t", out);
    tri_buf_add_z(out, off);
    if (r->code)
        tri_buf_format(out, " [TRI-%04d]", r->code);
    if (r->group)
        tri_buf_format(out, " [%s%s]", option_of(r), r->group);
    tri_buf_add_char(out, '\n');
    if (r->at.source)
        add_snippet(diag, r, out);
}

/* Under the snippet, the replacement text in the place of what it replaces; a line that was not the last one shown (a
 * note or another file came between) is shown first. */
static void add_fix(tri_diag *diag, const report *r, tri_buf *out)
{
    uint32_t line, column;
    tri_source_position(r->at.source, r->at.begin, &line, &column);
    if (diag->shown != r->at.source || diag->shown_line != line) {
        report here = {.severity = TRI_NOTE, .at = r->at, .text = TRI_STR("the fix is here")};
        add_message(diag, &here, out);
    }
    tri_str text = line_text(r->at.source, line);
    tri_buf drawn = {0}, marks = {0};
    draw_line(text, column - 1, column - 1, &drawn, &marks);
    size_t indent = marks.len ? marks.len - 1 : 0;
    const char *on = has_color(diag) ? "\033[32m" : "";
    const char *off = has_color(diag) ? "\033[0m" : "";
    tri_str shown = tri_str_sub(r->text, 0, tri_str_find(r->text, '\n')); /* of lines, the first */
    tri_buf_format(out, "      | %*s%s%.*s%s\n", (int)indent, "", on, TRI_STR_ARG(shown), off);
    tri_buf_fini(&drawn);
    tri_buf_fini(&marks);
}

static void add_text(tri_diag *diag, const report *r, tri_buf *out)
{
    if (!r->is_fix)
        add_message(diag, r, out);
    else if (r->at.source)
        add_fix(diag, r, out);
}

static void add_json(tri_diag *diag, const report *r, tri_buf *out)
{
    tri_buf_add_z(out, diag->json_count++ ? ",\n " : "[\n ");
    tri_buf_add_z(out, "{\"kind\": ");
    tri_buf_add_json(out, tri_str_from(r->is_fix ? "fix" : severity_word(r->severity)));
    tri_buf_add_z(out, ", \"message\": ");
    tri_buf_add_json(out, r->text);
    if (r->code)
        tri_buf_format(out, ", \"code\": \"TRI-%04d\"", r->code);
    if (r->resource)
        tri_buf_format(out, ", \"resource\": \"%s\", \"needed\": %lld, \"limit\": %lld", r->resource,
                       (long long)r->needed, (long long)r->limit);
    if (r->group)
        tri_buf_format(out, ", \"option\": \"%s%s\"", r->severity == TRI_REMARK ? option_of(r) : "-W", r->group);
    if (r->at.source) {
        uint32_t line, column, end_line, end_column;
        tri_source_position(r->at.source, r->at.begin, &line, &column);
        tri_source_position(r->at.source, r->at.end > r->at.begin ? r->at.end : r->at.begin, &end_line, &end_column);
        tri_buf_add_z(out, ", \"file\": ");
        tri_buf_add_json(out, tri_diag_map_path(diag, r->at.source->name));
        tri_buf_format(out, ", \"line\": %u, \"column\": %u, \"end_line\": %u, \"end_column\": %u", line, column,
                       end_line, end_column);
    }
    tri_buf_add_char(out, '}');
}

static tri_diag_record record_of(tri_diag *diag, const report *r)
{
    tri_diag_record record = {.severity = r->severity,
                              .at = r->at,
                              .code = r->code,
                              .is_missed = r->is_missed,
                              .is_fix = r->is_fix,
                              .group = r->group,
                              .text = r->text};
    if (r->at.source)
        record.file = tri_diag_map_path(diag, r->at.source->name);
    return record;
}

/* The report as a record, for a sink that takes them. */
static void tell(tri_diag *diag, const report *r)
{
    if (!diag->sink || !diag->sink->report)
        return;
    tri_diag_record record = record_of(diag, r);
    diag->sink->report(diag->sink->data, &record);
}

static void print(tri_diag *diag, const report *r)
{
    tell(diag, r);
    if (diag->format == TRI_DIAG_SILENT)
        return;
    tri_buf out = {0};
    if (diag->format == TRI_DIAG_JSON)
        add_json(diag, r, &out);
    else
        add_text(diag, r, &out);
    tri_diag_write(diag, tri_buf_str(&out));
    tri_buf_fini(&out);
}

static void count(tri_diag *diag, const report *r)
{
    diag->errors += r->severity == TRI_ERROR;
    diag->warnings += r->severity == TRI_WARNING;
}

static void submit(tri_diag *diag, report r)
{
    if (diag->holds.len) {
        tri_vec_push(diag->arena, &diag->held, r);
        return;
    }
    print(diag, &r);
}

static void add_report(tri_diag *diag, report r, const char *format, va_list args)
{
    r.text = tri_str_vformat(diag->arena, format, args);
    r.resource = diag->next.resource;
    r.needed = diag->next.needed;
    r.limit = diag->next.limit;
    diag->next = (report){0};
    count(diag, &r);
    submit(diag, r);
}

void tri_diag_set_limit(tri_diag *diag, const char *resource, int64_t needed, int64_t limit)
{
    diag->next = (report){.resource = resource, .needed = needed, .limit = limit};
}

void tri_diag_error(tri_diag *diag, tri_span at, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag->is_last_hidden = false;
    add_report(diag, (report){.severity = TRI_ERROR, .at = at, .code = code}, format, args);
    va_end(args);
}

void tri_diag_warning(tri_diag *diag, tri_span at, const char *name, const char *format, ...)
{
    diag->is_last_hidden = !tri_diag_is_warning_on(diag, name);
    if (diag->is_last_hidden)
        return;
    va_list args;
    va_start(args, format);
    report r = {.severity = diag->is_werror ? TRI_ERROR : TRI_WARNING,
                .at = at,
                .group = name,
                .was_promoted = diag->is_werror};
    add_report(diag, r, format, args);
    va_end(args);
}

void tri_diag_note(tri_diag *diag, tri_span at, const char *format, ...)
{
    if (diag->is_last_hidden)
        return;
    va_list args;
    va_start(args, format);
    add_report(diag, (report){.severity = TRI_NOTE, .at = at}, format, args);
    va_end(args);
}

void tri_diag_tell(tri_diag *diag, tri_span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag->is_last_hidden = false;
    add_report(diag, (report){.severity = TRI_NOTE, .at = at}, format, args);
    va_end(args);
}

static void add_remark(tri_diag *diag, tri_span at, const char *group, bool is_missed, const char *format, va_list args)
{
    diag->is_last_hidden = !is_remark_on(diag, group, is_missed);
    if (!diag->is_last_hidden)
        add_report(diag, (report){.severity = TRI_REMARK, .at = at, .group = group, .is_missed = is_missed}, format,
                   args);
}

void tri_diag_remark(tri_diag *diag, tri_span at, const char *group, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_remark(diag, at, group, false, format, args);
    va_end(args);
}

void tri_diag_missed(tri_diag *diag, tri_span at, const char *group, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_remark(diag, at, group, true, format, args);
    va_end(args);
}

void tri_diag_fix(tri_diag *diag, tri_span at, const char *format, ...)
{
    if (diag->is_last_hidden)
        return;
    va_list args;
    va_start(args, format);
    add_report(diag, (report){.severity = TRI_NOTE, .at = at, .is_fix = true}, format, args);
    va_end(args);
}

void tri_diag_hold(tri_diag *diag)
{
    tri_vec_push(diag->arena, &diag->holds, diag->held.len);
}

void tri_diag_release(tri_diag *diag)
{
    TRI_ASSERT(diag->holds.len > 0);
    diag->holds.len--;
    if (diag->holds.len)
        return; /* an outer hold decides */
    for (size_t i = 0; i < diag->held.len; i++)
        print(diag, &diag->held.at[i]);
    diag->held.len = 0;
}

size_t tri_diag_release_some(tri_diag *diag, bool (*keeps)(tri_severity severity, int code))
{
    TRI_ASSERT(diag->holds.len > 0);
    size_t first = diag->holds.at[diag->holds.len - 1], kept = first, dropped = 0;
    bool is_kept = true;
    for (size_t i = first; i < diag->held.len; i++) {
        report r = diag->held.at[i];
        is_kept = r.severity == TRI_NOTE ? is_kept : keeps(r.severity, r.code);
        if (is_kept) {
            diag->held.at[kept++] = r;
            continue;
        }
        diag->errors -= r.severity == TRI_ERROR;
        diag->warnings -= r.severity == TRI_WARNING;
        dropped += r.severity == TRI_ERROR;
    }
    diag->held.len = kept;
    tri_diag_release(diag);
    return dropped;
}

void tri_diag_drop(tri_diag *diag)
{
    TRI_ASSERT(diag->holds.len > 0);
    size_t first = diag->holds.at[--diag->holds.len];
    for (size_t i = first; i < diag->held.len; i++) {
        diag->errors -= diag->held.at[i].severity == TRI_ERROR;
        diag->warnings -= diag->held.at[i].severity == TRI_WARNING;
    }
    diag->held.len = first;
}

size_t tri_diag_held_count(const tri_diag *diag)
{
    return diag->held.len;
}

tri_diag_record tri_diag_held_record(tri_diag *diag, size_t i)
{
    return record_of(diag, &diag->held.at[i]);
}

tri_severity tri_diag_held_at(const tri_diag *diag, size_t i, tri_span *out_at, tri_str *out_text)
{
    *out_at = diag->held.at[i].at;
    *out_text = diag->held.at[i].text;
    return diag->held.at[i].severity;
}

size_t tri_diag_error_count(const tri_diag *diag)
{
    return diag->errors;
}

size_t tri_diag_warning_count(const tri_diag *diag)
{
    return diag->warnings;
}

typedef struct {
    int code;
    const char *title, *text;
} explanation;

static const explanation explanations[] = {
#define X(number, title, text) {number, title, text},
#include "base/diag.def"
#undef X
};

bool tri_diag_code_text(int code, const char **out_title, const char **out_text)
{
    for (size_t i = 0; i < sizeof explanations / sizeof *explanations; i++) {
        if (explanations[i].code == code) {
            *out_title = explanations[i].title;
            *out_text = explanations[i].text;
            return true;
        }
    }
    return false;
}

bool tri_diag_explain(int code, tri_buf *out)
{
    const char *title, *text;
    if (!tri_diag_code_text(code, &title, &text))
        return false;
    tri_buf_format(out, "[TRI-%04d] %s\n\n%s\n", code, title, text);
    return true;
}
