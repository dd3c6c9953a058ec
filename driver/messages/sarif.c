/* Messages as a log in the Static Analysis Results Interchange Format, SARIF 2.1.0 (OASIS, 2020), which servers of
 * continuous integration show at their lines. What has no place in a source is a notification, not a result. */
#include "driver/messages/messages.h"

#include "base/file.h"
#include "driver/info.h"

#include <ctype.h>

typedef struct {
    tri_arena *arena;
    const tri_messages *messages;
    TRI_VEC(tri_str) rules;              /* names, in order of first use */
    TRI_VEC(const tri_message *) owners; /* a message of each rule */
    tri_buf *out;
} writer;

static void add_raw(writer *w, const char *text) { tri_buf_add_z(w->out, text); }

static void add_text_object(writer *w, const char *key, tri_str text)
{
    tri_buf_format(w->out, "\"%s\": {\"text\": ", key);
    tri_buf_add_json(w->out, text);
    add_raw(w, "}");
}

/* A file name as a reference (RFC 3986): absolute names are file: URIs. */
static void add_uri(writer *w, tri_str name)
{
    tri_buf uri = {0};
    if (name.len && name.data[0] == '/')
        tri_buf_add_z(&uri, "file://");
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if ((c < 0x80 && isalnum(c)) || strchr("-._~/", c))
            tri_buf_add_char(&uri, (char)c);
        else
            tri_buf_format(&uri, "%%%02X", c);
    }
    tri_buf_add_json(w->out, tri_buf_str(&uri));
    tri_buf_fini(&uri);
}

/* Texts that are no files (standard input, an option's value) have a description in place of a URI. */
static bool is_file(tri_span at) { return tri_file_exists(at.source->name); }

static void add_artifact(writer *w, const tri_message_part *part)
{
    add_raw(w, "\"artifactLocation\": {");
    if (is_file(part->at)) {
        add_raw(w, "\"uri\": ");
        add_uri(w, part->file);
    } else {
        add_text_object(w, "description", part->file);
    }
    add_raw(w, "}");
}

static void add_region(writer *w, const char *key, tri_span at)
{
    uint32_t line, column, end_line, end_column;
    tri_messages_position(at.source, at.begin, TRI_COLUMN_CODE_POINTS, &line, &column);
    tri_messages_position(at.source, at.end > at.begin ? at.end : at.begin, TRI_COLUMN_CODE_POINTS, &end_line,
                          &end_column);
    tri_buf_format(w->out, "\"%s\": {\"startLine\": %u, \"startColumn\": %u, \"endLine\": %u, \"endColumn\": %u}", key,
                   line, column, end_line, end_column);
}

static void add_location(writer *w, const tri_message_part *part)
{
    add_raw(w, "{\"physicalLocation\": {");
    add_artifact(w, part);
    add_raw(w, ", ");
    add_region(w, "region", part->at);
    add_raw(w, "}");
}

static size_t rule_index(writer *w, const tri_message *message, tri_str name)
{
    for (size_t i = 0; i < w->rules.len; i++)
        if (tri_str_equal(w->rules.at[i], name))
            return i;
    tri_vec_push(w->arena, &w->rules, name);
    tri_vec_push(w->arena, &w->owners, message);
    return w->rules.len - 1;
}

static const char *level_of(const tri_message *message)
{
    static const char *const levels[] = {"note", "none", "warning", "error"};
    return levels[message->severity];
}

/* What a rule is about, in a line; `out_help` says more. */
static tri_str describe_rule(writer *w, const tri_message *message, tri_str *out_help)
{
    const char *title, *text, *name, *help;
    if (message->code && tri_diag_code_text(message->code, &title, &text)) {
        *out_help = tri_str_from(text);
        return tri_str_from(title);
    }
    for (size_t i = 0; message->severity != TRI_REMARK && (name = tri_diag_warning_name(i, &help)); i++) {
        if (strcmp(name, message->group) == 0) {
            *out_help = tri_str_format(w->arena, "-Wno-%s turns the warning off.", name);
            return tri_str_from(help);
        }
    }
    *out_help = TRI_STR("A remark on how the kernel is compiled; nothing is wrong.");
    return tri_str_format(w->arena, "remarks of the group '%s'", message->group);
}

static void add_rules(writer *w)
{
    for (size_t i = 0; i < w->rules.len; i++) {
        tri_str help, title = describe_rule(w, w->owners.at[i], &help);
        add_raw(w, i ? ",\n    {\"id\": " : "\n    {\"id\": ");
        tri_buf_add_json(w->out, w->rules.at[i]);
        add_raw(w, ", ");
        add_text_object(w, "shortDescription", title);
        add_raw(w, ", ");
        add_text_object(w, "fullDescription", help);
        add_raw(w, ", ");
        add_text_object(w, "help", help);
        tri_buf_format(w->out, ", \"defaultConfiguration\": {\"level\": \"%s\"}}", level_of(w->owners.at[i]));
    }
}

/* The notes that say nothing of another place are part of the text. */
static void add_message(writer *w, const tri_message *m)
{
    tri_buf text = {0};
    tri_buf_add_str(&text, m->main.text);
    for (size_t i = 0; i < m->notes.len; i++)
        if (!m->notes.at[i].at.source)
            tri_buf_format(&text, "\n%.*s", TRI_STR_ARG(m->notes.at[i].text));
    add_text_object(w, "message", tri_buf_str(&text));
    tri_buf_fini(&text);
}

static void add_related(writer *w, const tri_message *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->notes.len; i++) {
        if (!m->notes.at[i].at.source)
            continue;
        add_raw(w, count++ ? ", " : ", \"relatedLocations\": [");
        add_location(w, &m->notes.at[i]);
        add_raw(w, ", ");
        add_text_object(w, "message", m->notes.at[i].text);
        add_raw(w, "}");
    }
    add_raw(w, count ? "]" : "");
}

/* One fix: a change for each file, so that all of it is taken or none. */
static void add_fixes(writer *w, const tri_message *m)
{
    if (!m->fixes.len)
        return;
    add_raw(w, ",\n     \"fixes\": [{\"artifactChanges\": [");
    for (size_t i = 0; i < m->fixes.len; i++) {
        const tri_message_part *fix = &m->fixes.at[i];
        bool is_new = i == 0 || m->fixes.at[i - 1].at.source != fix->at.source;
        if (is_new) {
            add_raw(w, i ? "]}, {" : "{");
            add_artifact(w, fix);
            add_raw(w, ", \"replacements\": [{");
        } else {
            add_raw(w, ", {");
        }
        add_region(w, "deletedRegion", fix->at);
        add_raw(w, ", ");
        add_text_object(w, "insertedContent", fix->text);
        add_raw(w, "}");
    }
    add_raw(w, "]}]}]");
}

static void add_result(writer *w, const tri_message *m, bool is_first)
{
    tri_str rule = tri_messages_rule(w->arena, m);
    add_raw(w, is_first ? "\n    {" : ",\n    {");
    if (rule.len) {
        size_t index = rule_index(w, m, rule);
        add_raw(w, "\"ruleId\": ");
        tri_buf_add_json(w->out, rule);
        tri_buf_format(w->out, ", \"ruleIndex\": %zu, ", index);
    }
    tri_buf_format(w->out, "\"kind\": \"%s\", \"level\": \"%s\", ",
                   m->severity == TRI_REMARK ? "informational" : "fail", level_of(m));
    add_message(w, m);
    add_raw(w, ",\n     \"locations\": [");
    add_location(w, &m->main);
    add_raw(w, "}]");
    add_related(w, m);
    add_fixes(w, m);
    add_raw(w, "}");
}

static void add_results(writer *w)
{
    bool is_first = true;
    for (size_t i = 0; i < w->messages->all.len; i++) {
        const tri_message *m = &w->messages->all.at[i];
        if (!m->main.at.source)
            continue;
        add_result(w, m, is_first);
        is_first = false;
    }
}

static void add_notifications(writer *w)
{
    bool is_first = true;
    for (size_t i = 0; i < w->messages->all.len; i++) {
        const tri_message *m = &w->messages->all.at[i];
        if (m->main.at.source)
            continue;
        tri_str rule = tri_messages_rule(w->arena, m);
        add_raw(w, is_first ? "\n    {" : ",\n    {");
        is_first = false;
        if (rule.len) {
            size_t index = rule_index(w, m, rule);
            add_raw(w, "\"descriptor\": {\"id\": ");
            tri_buf_add_json(w->out, rule);
            tri_buf_format(w->out, ", \"index\": %zu}, ", index);
        }
        tri_buf_format(w->out, "\"level\": \"%s\", ", level_of(m));
        add_message(w, m);
        add_raw(w, "}");
    }
}

/* `print` writes the messages that it takes, and `rules` becomes the descriptions of their rules. */
static void collect_messages(writer *w, void (*print)(writer *), tri_buf *messages, tri_buf *rules)
{
    w->rules.len = w->owners.len = 0;
    w->out = messages;
    print(w);
    w->out = rules;
    add_rules(w);
}

void tri_sarif_print(const tri_messages *messages, int status, tri_buf *out)
{
    tri_buf results = {0}, notifications = {0}, rules = {0}, descriptors = {0};
    writer w = {.arena = messages->arena, .messages = messages};
    collect_messages(&w, add_results, &results, &rules);
    collect_messages(&w, add_notifications, &notifications, &descriptors);
    tri_buf_add_z(
        out, "{\"$schema\": "
             "\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json\",\n"
             " \"version\": \"2.1.0\",\n \"runs\": [{\n  \"tool\": {\"driver\": {\"name\": \"tritcc\", \"version\": ");
    tri_buf_add_json(out, tri_str_from(tri_info_version_text()));
    tri_buf_format(out, ", \"rules\": [%s],\n   \"notifications\": [%s]}},\n", tri_buf_str(&rules).data,
                   tri_buf_str(&descriptors).data);
    tri_buf_format(
        out,
        "  \"invocations\": [{\"executionSuccessful\": %s, \"exitCode\": %d, \"toolExecutionNotifications\": [%s]}],\n",
        status ? "false" : "true", status, tri_buf_str(&notifications).data);
    tri_buf_format(out, "  \"columnKind\": \"unicodeCodePoints\",\n  \"results\": [%s]\n }]}\n",
                   tri_buf_str(&results).data);
    tri_buf_fini(&results);
    tri_buf_fini(&notifications);
    tri_buf_fini(&rules);
    tri_buf_fini(&descriptors);
}
