#include "driver/lsp/server.h"

#include "driver/args.h"
#include "driver/info.h"
#include "driver/lsp/features.h"
#include "driver/report.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* JSON-RPC's codes, and LSP's. */
enum {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    not_initialized = -32002,
    request_cancelled = -32800,
    request_failed = -32803
};

enum { debounce = 120 }; /* milliseconds without a change before a text is analysed */

typedef struct {
    tri_transport transport;
    tri_lsp_document *documents;
    tri_lsp_analysis *running; /* null: none */
    tri_arena *settings;
    TRI_VEC(const char *) words; /* options for every analysis */
    tri_arena *root_arena;
    tri_folders roots; /* of the client */
    bool is_initialized, is_shut_down, is_over, refreshes_hints;
    int status;
    int64_t requests; /* sent */
} server;

/* --- answers --------------------------------------------------------------------------------- */

static void add_request_id(const tri_json *id, tri_buf *out)
{
    if (id && id->kind == TRI_JSON_STRING)
        tri_buf_add_json(out, id->string);
    else if (id && id->kind == TRI_JSON_NUMBER)
        tri_buf_format(out, "%.17g", id->number);
    else
        tri_buf_add_z(out, "null");
}

static void send_text(server *s, const tri_buf *text)
{
    if (!tri_transport_send(&s->transport, tri_buf_str(text)))
        s->is_over = true;
}

static void answer_request(server *s, const tri_json *id, tri_str result)
{
    tri_buf text = {0};
    tri_buf_add_z(&text, "{\"jsonrpc\": \"2.0\", \"id\": ");
    add_request_id(id, &text);
    tri_buf_format(&text, ", \"result\": %.*s}", TRI_STR_ARG(result));
    send_text(s, &text);
    tri_buf_fini(&text);
}

static void refuse_request(server *s, const tri_json *id, int code, const char *why)
{
    tri_buf text = {0};
    tri_buf_add_z(&text, "{\"jsonrpc\": \"2.0\", \"id\": ");
    add_request_id(id, &text);
    tri_buf_format(&text, ", \"error\": {\"code\": %d, \"message\": ", code);
    tri_buf_add_json(&text, tri_str_from(why));
    tri_buf_add_z(&text, "}}");
    send_text(s, &text);
    tri_buf_fini(&text);
}

static void notify(server *s, const char *method, tri_str params)
{
    tri_buf text = {0};
    tri_buf_format(&text, "{\"jsonrpc\": \"2.0\", \"method\": \"%s\", \"params\": %.*s}", method, TRI_STR_ARG(params));
    send_text(s, &text);
    tri_buf_fini(&text);
}

/* --- settings -------------------------------------------------------------------------------- */

/* Options as a list, or as one text in which words are quoted as for a shell. */
static void set_words(server *s, const tri_json *arguments)
{
    if (!arguments)
        return;
    tri_arena_destroy(s->settings);
    s->settings = tri_arena_create();
    s->words.at = NULL;
    s->words.len = s->words.cap = 0;
    if (arguments->kind == TRI_JSON_STRING) {
        tri_args args = {0};
        tri_args_split(s->settings, arguments->string, &args);
        for (size_t i = 0; i < args.len; i++)
            tri_vec_push(s->settings, &s->words, args.at[i].data);
    }
    for (size_t i = 0; arguments->kind == TRI_JSON_ARRAY && i < arguments->count; i++)
        if (arguments->items[i].kind == TRI_JSON_STRING)
            tri_vec_push(s->settings, &s->words, tri_str_copy(s->settings, arguments->items[i].string).data);
}

static void add_root(server *s, tri_str uri)
{
    if (uri.len)
        tri_vec_push(s->root_arena, &s->roots, tri_document_path(s->root_arena, uri));
}

static void set_roots(server *s, const tri_json *params)
{
    const tri_json *folders = tri_json_get(params, "workspaceFolders");
    s->root_arena = tri_arena_create();
    for (size_t i = 0; folders && folders->kind == TRI_JSON_ARRAY && i < folders->count; i++)
        add_root(s, tri_json_string(&folders->items[i], "uri"));
    if (!s->roots.len)
        add_root(s, tri_json_string(params, "rootUri"));
}

static void initialize_server(server *s, const tri_json *params, tri_buf *out)
{
    const tri_json *refresh = tri_json_get(params, "capabilities.workspace.inlayHint.refreshSupport");
    s->refreshes_hints = refresh && refresh->truth;
    if (!s->is_initialized)
        set_roots(s, params);
    s->is_initialized = true;
    set_words(s, tri_json_get(params, "initializationOptions.arguments"));
    tri_buf_add_z(out, "{\"capabilities\": {\"positionEncoding\": \"utf-16\", "
                       "\"textDocumentSync\": {\"openClose\": true, \"change\": 2}, \"hoverProvider\": true, "
                       "\"completionProvider\": {\"triggerCharacters\": [\".\"]}, "
                       "\"signatureHelpProvider\": {\"triggerCharacters\": [\"(\", \",\"]}, "
                       "\"definitionProvider\": true, \"referencesProvider\": true, "
                       "\"renameProvider\": {\"prepareProvider\": true}, \"inlayHintProvider\": true, "
                       "\"codeActionProvider\": {\"codeActionKinds\": [\"quickfix\"]}}, "
                       "\"serverInfo\": {\"name\": \"tritcc\", \"version\": ");
    tri_buf_add_json(out, tri_str_from(tri_info_version_text()));
    tri_buf_add_z(out, "}}");
}

/* --- documents ------------------------------------------------------------------------------- */

static tri_lsp_document *find_document(const server *s, tri_str uri)
{
    for (tri_lsp_document *d = s->documents; d; d = d->next)
        if (tri_str_is(uri, d->uri))
            return d;
    return NULL;
}

static void close_document(server *s, tri_str uri)
{
    for (tri_lsp_document **at = &s->documents; *at; at = &(*at)->next) {
        tri_lsp_document *d = *at;
        if (!tri_str_is(uri, d->uri))
            continue;
        if (s->running && tri_str_equal(s->running->uri, uri))
            tri_analysis_cancel(s->running);
        *at = d->next;
        tri_buf empty = {0};
        tri_buf_add_z(&empty, "{\"uri\": ");
        tri_buf_add_json(&empty, uri);
        tri_buf_add_z(&empty, ", \"diagnostics\": []}");
        notify(s, "textDocument/publishDiagnostics", tri_buf_str(&empty));
        tri_buf_fini(&empty);
        tri_document_destroy(d);
        return;
    }
}

static void open_document(server *s, const tri_json *params)
{
    tri_str uri = tri_json_string(params, "textDocument.uri");
    if (!uri.len)
        return;
    if (find_document(s, uri))
        close_document(s, uri);
    tri_lsp_document *d = tri_document_create(uri, tri_json_string(params, "textDocument.text"),
                                              tri_json_number(params, "textDocument.version", 0));
    d->next = s->documents;
    s->documents = d;
}

static void change_document(server *s, const tri_json *params)
{
    tri_lsp_document *d = find_document(s, tri_json_string(params, "textDocument.uri"));
    const tri_json *changes = tri_json_get(params, "contentChanges");
    for (size_t i = 0; d && changes && changes->kind == TRI_JSON_ARRAY && i < changes->count; i++) {
        const tri_json *change = &changes->items[i];
        tri_str text = tri_buf_str(&d->text);
        size_t begin = 0, end = text.len;
        if (tri_json_get(change, "range")) {
            begin = tri_document_offset(text, tri_json_number(change, "range.start.line", 0),
                                        tri_json_number(change, "range.start.character", 0));
            end = tri_document_offset(text, tri_json_number(change, "range.end.line", 0),
                                      tri_json_number(change, "range.end.character", 0));
        }
        tri_document_change(d, begin, end, tri_json_string(change, "text"));
    }
    if (!d)
        return;
    d->version = tri_json_number(params, "textDocument.version", d->version);
    d->changed_at = tri_report_now();
    for (tri_lsp_document *other = s->documents; other; other = other->next)
        other->is_stale = true; /* they may import it */
    if (s->running)
        tri_analysis_cancel(s->running);
}

static void change_settings(server *s, const tri_json *params)
{
    const tri_json *arguments = tri_json_get(params, "settings.tritcc.arguments");
    set_words(s, arguments);
    for (tri_lsp_document *d = s->documents; arguments && d; d = d->next)
        d->is_stale = true;
}

/* --- analyses -------------------------------------------------------------------------------- */

/* A line "# tritcc: OPTIONS" among the first of a file. */
static void add_own_words(tri_lsp_analysis *a)
{
    enum { first_lines = 20 };
    static const char mark[] = "# tritcc:";
    tri_str text = a->text;
    for (int i = 0; i < first_lines && text.len; i++) {
        size_t end = tri_str_find(text, '\n');
        tri_str line = tri_str_trim(tri_str_sub(text, 0, end));
        tri_args args = {0};
        if (tri_str_has_prefix(line, mark))
            tri_args_split(a->arena, tri_str_sub(line, sizeof mark - 1, line.len), &args);
        for (size_t n = 0; n < args.len; n++)
            tri_vec_push(a->arena, &a->words, args.at[n].data);
        text = tri_str_sub(text, end < text.len ? end + 1 : end, text.len);
    }
}

static void begin_analysis(server *s, tri_lsp_document *d)
{
    tri_lsp_analysis *a = tri_analysis_create(tri_str_from(d->uri), tri_str_from(d->path), tri_buf_str(&d->text));
    for (size_t i = 0; i < s->words.len; i++)
        tri_vec_push(a->arena, &a->words, tri_str_copy(a->arena, tri_str_from(s->words.at[i])).data);
    add_own_words(a);
    for (const tri_lsp_document *other = s->documents; other; other = other->next)
        tri_overlay_set(&a->files, tri_str_from(other->path), tri_str_copy(a->arena, tri_buf_str(&other->text)));
    tri_document_begin(d);
    if (tri_analysis_start(a, &s->transport))
        s->running = a;
    else
        tri_analysis_destroy(a);
}

static void end_analysis(server *s, tri_lsp_analysis *a)
{
    s->running = NULL;
    tri_lsp_document *d = find_document(s, a->uri);
    if (!d || !a->is_done) {
        if (d)
            d->is_stale = true;
        tri_analysis_destroy(a);
        return;
    }
    tri_document_take(d, a);
    if (d->is_stale)
        return; /* its places are not those of the text; the next one's will be */
    tri_buf params = {0};
    tri_features_diagnostics(d, &params);
    notify(s, "textDocument/publishDiagnostics", tri_buf_str(&params));
    tri_buf_fini(&params);
    if (!s->refreshes_hints)
        return;
    tri_buf_format(&params, "{\"jsonrpc\": \"2.0\", \"id\": \"s%lld\", \"method\": \"workspace/inlayHint/refresh\"}",
                   (long long)++s->requests);
    send_text(s, &params);
    tri_buf_fini(&params);
}

/* Begins what is due; the milliseconds until something else will be, -1: nothing. */
static int start_due(server *s)
{
    int wait = -1;
    for (tri_lsp_document *d = s->documents; d && !s->running; d = d->next) {
        if (!d->is_stale)
            continue;
        int left = d->changed_at > 0 ? debounce - (int)((tri_report_now() - d->changed_at) * 1e3) : 0;
        if (left <= 0)
            begin_analysis(s, d);
        else if (wait < 0 || left < wait)
            wait = left;
    }
    return s->running ? -1 : wait;
}

/* --- requests -------------------------------------------------------------------------------- */

static const struct {
    const char *method;
    void (*run)(tri_lsp_request *request, tri_buf *out);
} methods[] = {
    {"textDocument/hover", tri_features_hover},           {"textDocument/definition", tri_features_definition},
    {"textDocument/completion", tri_features_completion}, {"textDocument/signatureHelp", tri_features_signature_help},
    {"textDocument/inlayHint", tri_features_inlay_hints}, {"textDocument/codeAction", tri_features_code_actions},
    {"textDocument/references", tri_features_references}, {"textDocument/prepareRename", tri_features_prepare_rename},
    {"textDocument/rename", tri_features_rename},
};

static void run_request(server *s, const tri_lsp_message *m, tri_str method)
{
    const tri_json *id = tri_json_get(m->json, "id"), *params = tri_json_get(m->json, "params");
    size_t i = 0, count = sizeof methods / sizeof *methods;
    while (i < count && !tri_str_is(method, methods[i].method))
        i++;
    if (i == count) {
        refuse_request(s, id, method_not_found, "this method is not known");
        return;
    }
    const tri_lsp_document *d = find_document(s, tri_json_string(params, "textDocument.uri"));
    if (!d) {
        refuse_request(s, id, invalid_params, "no such document is open");
        return;
    }
    tri_lsp_request r = {.arena = m->arena, .document = d, .params = params, .text = tri_buf_str(&d->text)};
    r.documents = s->documents;
    r.folders = &s->roots;
    r.offset = tri_document_offset(r.text, tri_json_number(params, "position.line", 0),
                                   tri_json_number(params, "position.character", 0));
    tri_buf result = {0};
    methods[i].run(&r, &result);
    if (r.error)
        refuse_request(s, id, request_failed, r.error);
    else
        answer_request(s, id, tri_buf_str(&result));
    tri_buf_fini(&result);
}

static void on_request(server *s, const tri_lsp_message *m, tri_str method)
{
    const tri_json *id = tri_json_get(m->json, "id");
    tri_buf result = {0};
    if (m->is_cancelled) {
        refuse_request(s, id, request_cancelled, "cancelled");
    } else if (tri_str_is(method, "initialize")) {
        initialize_server(s, tri_json_get(m->json, "params"), &result);
        answer_request(s, id, tri_buf_str(&result));
    } else if (!s->is_initialized) {
        refuse_request(s, id, not_initialized, "the first request is 'initialize'");
    } else if (tri_str_is(method, "shutdown")) {
        s->is_shut_down = true;
        answer_request(s, id, TRI_STR("null"));
    } else if (s->is_shut_down) {
        refuse_request(s, id, invalid_request, "the server is shut down");
    } else {
        run_request(s, m, method);
    }
    tri_buf_fini(&result);
}

static void on_notification(server *s, const tri_json *json, tri_str method)
{
    const tri_json *params = tri_json_get(json, "params");
    if (tri_str_is(method, "exit")) {
        s->is_over = true;
        s->status = s->is_shut_down ? 0 : 1;
    } else if (!s->is_initialized || s->is_shut_down) {
        return;
    } else if (tri_str_is(method, "textDocument/didOpen")) {
        open_document(s, params);
    } else if (tri_str_is(method, "textDocument/didChange")) {
        change_document(s, params);
    } else if (tri_str_is(method, "textDocument/didClose")) {
        close_document(s, tri_json_string(params, "textDocument.uri"));
    } else if (tri_str_is(method, "workspace/didChangeConfiguration")) {
        change_settings(s, params);
    }
}

static void on_message(server *s, const tri_lsp_message *m)
{
    tri_str method = tri_json_string(m->json, "method");
    if (m->work)
        end_analysis(s, m->work);
    else if (!m->json)
        refuse_request(s, NULL, parse_error, "the message is no JSON");
    else if (!method.len && !tri_json_get(m->json, "result") && !tri_json_get(m->json, "error"))
        refuse_request(s, tri_json_get(m->json, "id"), invalid_request, "the message has no method");
    else if (method.len && tri_json_get(m->json, "id"))
        on_request(s, m, method);
    else if (method.len)
        on_notification(s, m->json, method);
}

/* An analysis that still runs uses what it was given: it comes to its end first. */
static void end_server(server *s)
{
    bool is_ended;
    if (s->running)
        tri_analysis_cancel(s->running);
    while (s->running) {
        tri_lsp_message *m = tri_transport_next(&s->transport, 50, &is_ended);
        if (m && m->work) {
            tri_analysis_destroy(m->work);
            s->running = NULL;
        }
        tri_transport_drop(m);
    }
    while (s->documents) {
        tri_lsp_document *d = s->documents;
        s->documents = d->next;
        tri_document_destroy(d);
    }
    tri_arena_destroy(s->settings);
    tri_arena_destroy(s->root_arena);
}

int tri_server_run(void)
{
    server s = {.status = 1, .settings = tri_arena_create()};
    signal(SIGPIPE, SIG_IGN);
    if (!tri_transport_start(&s.transport, STDIN_FILENO, STDOUT_FILENO))
        return 1;
    while (!s.is_over) {
        bool is_ended = false;
        tri_lsp_message *m = tri_transport_next(&s.transport, start_due(&s), &is_ended);
        if (is_ended)
            break;
        if (m)
            on_message(&s, m);
        tri_transport_drop(m);
    }
    end_server(&s);
    return s.status;
}
