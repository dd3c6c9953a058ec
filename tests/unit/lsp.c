/* tritcc --lsp, by a client: a program of its own at the other end of two pipes. */
#include "ir/json.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failures;

#define CHECK(cond) ((cond) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond)))

/* --- the client ------------------------------------------------------------------------------ */

typedef struct {
    pid_t pid;
    int to, from, last_id;
    tri_arena *arena;
    const tri_json *diagnostics; /* the params of the last publishDiagnostics */
} client;

static client start(void)
{
    client c = {.arena = tri_arena_create()};
    int in[2], out[2];
    const char *program = getenv("TRITCC") ? getenv("TRITCC") : "./tritcc";
    char *argv[] = {(char *)program, "--lsp", NULL};
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
        abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    if (posix_spawn(&c.pid, program, &actions, NULL, argv, environ))
        abort();
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    c.to = in[1];
    c.from = out[0];
    return c;
}

static int finish(client *c)
{
    int status = 0;
    close(c->to);
    waitpid(c->pid, &status, 0);
    close(c->from);
    tri_arena_destroy(c->arena);
    return status;
}

static void send_bytes(client *c, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(c->to, data, size);
        if (n <= 0)
            return;
        data += n;
        size -= (size_t)n;
    }
}

static void send_json(client *c, const char *json)
{
    char header[64];
    int length = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", strlen(json));
    send_bytes(c, header, (size_t)length);
    send_bytes(c, json, strlen(json));
}

/* The next message; null when the server ends or says nothing for five minutes. */
static const tri_json *receive(client *c)
{
    struct pollfd at = {.fd = c->from, .events = POLLIN};
    char line[256];
    size_t len = 0, size = 0;
    for (;;) {
        char byte;
        if (poll(&at, 1, 300000) <= 0 || read(c->from, &byte, 1) != 1)
            return NULL;
        if (byte != '\n') {
            len += len < sizeof line - 1;
            line[len - 1] = byte;
            continue;
        }
        line[len] = 0;
        if (len <= 1)
            break;
        sscanf(line, "Content-Length: %zu", &size);
        len = 0;
    }
    char *text = tri_arena_alloc(c->arena, size + 1);
    for (size_t done = 0; done < size;) {
        ssize_t n = read(c->from, text + done, size - done);
        if (n <= 0)
            return NULL;
        done += (size_t)n;
    }
    const tri_json *json = tri_json_parse(c->arena, (tri_str){text, size});
    CHECK(json);
    if (tri_str_is(tri_json_string(json, "method"), "textDocument/publishDiagnostics"))
        c->diagnostics = tri_json_get(json, "params");
    return json;
}

/* Sends a request and waits for its answer. */
static const tri_json *ask(client *c, const char *method, const char *params)
{
    tri_str text = tri_str_format(c->arena, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}",
                                  ++c->last_id, method, params);
    send_json(c, text.data);
    for (;;) {
        const tri_json *json = receive(c);
        if (!json || tri_json_number(json, "id", -1) == c->last_id)
            return json;
    }
}

static void tell(client *c, const char *method, const char *params)
{
    send_json(c,
              tri_str_format(c->arena, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":%s}", method, params).data);
}

static const char *at(client *c, const char *uri, int line, int character, const char *more)
{
    return tri_str_format(c->arena, "{\"textDocument\":{\"uri\":\"%s\"},\"position\":{\"line\":%d,\"character\":%d}%s}",
                          uri, line, character, more)
        .data;
}

static void open_text(client *c, const char *uri, const char *text)
{
    tri_buf params = {0};
    tri_buf_format(&params, "{\"textDocument\":{\"uri\":\"%s\",\"languageId\":\"python\",\"version\":1,\"text\":", uri);
    tri_buf_add_json(&params, tri_str_from(text));
    tri_buf_add_z(&params, "}}");
    tell(c, "textDocument/didOpen", params.data);
    tri_buf_fini(&params);
}

/* Replaces a range by a text. */
static void change(client *c, const char *uri, int version, int line, int from, int to, const char *text)
{
    tri_buf params = {0};
    tri_buf_format(
        &params,
        "{\"textDocument\":{\"uri\":\"%s\",\"version\":%d},\"contentChanges\":[{\"range\":{\"start\":{\"line\":%d,"
        "\"character\":%d},\"end\":{\"line\":%d,\"character\":%d}},\"text\":",
        uri, version, line, from, line, to);
    tri_buf_add_json(&params, tri_str_from(text));
    tri_buf_add_z(&params, "}]}");
    tell(c, "textDocument/didChange", params.data);
    tri_buf_fini(&params);
}

/* Waits for the messages of this version. */
static const tri_json *await_diagnostics(client *c, const char *uri, int version)
{
    while (!c->diagnostics || tri_json_number(c->diagnostics, "version", -1) != version ||
           !tri_str_is(tri_json_string(c->diagnostics, "uri"), uri))
        if (!receive(c))
            return NULL;
    const tri_json *found = tri_json_get(c->diagnostics, "diagnostics");
    c->diagnostics = NULL;
    return found;
}

static bool has(const tri_json *json, const char *path, const char *part)
{
    tri_str text = tri_json_string(json, path);
    if (strstr(text.data, part))
        return true;
    fprintf(stderr, "no '%s' in '%s'\n", part, text.data);
    return false;
}

/* Does a list of objects have one whose member is this? */
static const tri_json *find_item(const tri_json *list, const char *path, const char *value)
{
    for (size_t i = 0; list && i < list->count; i++)
        if (tri_str_is(tri_json_string(&list->items[i], path), value))
            return &list->items[i];
    return NULL;
}

/* --- tests ----------------------------------------------------------------------------------- */

static const char main_uri[] = "file:///nowhere/k.py", helper_uri[] = "file:///nowhere/helper.py";

static const char helper_text[] =
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef twice(x):\n    return x * 2\n";

static const char main_text[] = "import triton\n"                                 /* 0 */
                                "import triton.language as tl\n"                  /* 1 */
                                "from helper import twice\n"                      /* 2 */
                                "\n"                                              /* 3 */
                                "\n"                                              /* 4 */
                                "@triton.jit\n"                                   /* 5 */
                                "def k(p, n, B: tl.constexpr):\n"                 /* 6 */
                                "    i = tl.arange(0, B)  # \xf0\x9f\x99\x82 i\n" /* 7 */
                                "    x = tl.load(p + i, mask=i < n)\n"            /* 8 */
                                "    y = twice(x)\n"                              /* 9 */
                                "    tl.store(p + i, y, mask=i < n)\n"            /* 10 */
                                "\n"                                              /* 11 */
                                "\n"                                              /* 12 */
                                "def launch(p, n):\n"                             /* 13 */
                                "    k[(1,)](p, n, B=64)\n";                      /* 14 */

static void begin(client *c)
{
    const tri_json *early = ask(c, "textDocument/hover", at(c, main_uri, 0, 0, ""));
    CHECK(tri_json_number(early, "error.code", 0) == -32002);
    const tri_json *ready = ask(c, "initialize", "{\"processId\":null,\"capabilities\":{},\"rootUri\":null}");
    CHECK(tri_json_number(ready, "result.capabilities.textDocumentSync.change", 0) == 2);
    tell(c, "initialized", "{}");
    open_text(c, helper_uri, helper_text);
    open_text(c, main_uri, main_text);
    const tri_json *found = await_diagnostics(c, main_uri, 1);
    CHECK(found && found->count == 0);
}

static void test_hover(client *c)
{
    const tri_json *r = ask(c, "textDocument/hover", at(c, main_uri, 8, 4, ""));
    CHECK(has(r, "result.contents.value", "x: fp32[64]") && has(r, "result.contents.value", "#ttg.blocked"));
    r = ask(c, "textDocument/hover", at(c, main_uri, 9, 4, "")); /* made by a function of another file */
    CHECK(has(r, "result.contents.value", "y: fp32[64]") && has(r, "result.contents.value", "#ttg.blocked"));
    r = ask(c, "textDocument/hover", at(c, main_uri, 6, 12, ""));
    CHECK(has(r, "result.contents.value", "B: constexpr = 64"));
    r = ask(c, "textDocument/hover", at(c, main_uri, 8, 13, ""));
    CHECK(has(r, "result.contents.value", "tl.load(pointer, mask=None") &&
          has(r, "result.contents.value", "mask is false"));
    r = ask(c, "textDocument/hover", at(c, main_uri, 9, 9, ""));
    CHECK(has(r, "result.contents.value", "def twice(x):"));
    r = ask(c, "textDocument/hover", at(c, main_uri, 3, 0, ""));
    CHECK(tri_json_get(r, "result") && tri_json_get(r, "result")->kind == TRI_JSON_NULL);
}

/* A descriptor's methods are not those of tensors, and have their own manual. */
static void test_methods(void)
{
    client c = start();
    ask(&c, "initialize", "{\"capabilities\":{}}");
    open_text(&c, "file:///d.py",
              "import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(d, p):\n"
              "    d.store([0, 0], d.load([0, 0]))\n    tl.store(p, tl.load(p).abs())\n");
    const tri_json *found = await_diagnostics(&c, "file:///d.py", 1);
    CHECK(found && found->count == 0);
    const tri_json *r = ask(&c, "textDocument/hover", at(&c, "file:///d.py", 5, 7, ""));
    CHECK(has(r, "result.contents.value", "tensor_descriptor.store(") && has(r, "result.contents.value", "left out"));
    r = ask(&c, "textDocument/hover", at(&c, "file:///d.py", 5, 23, ""));
    CHECK(has(r, "result.contents.value", "tensor_descriptor.load(") && has(r, "result.contents.value", "offsets"));
    r = ask(&c, "textDocument/hover", at(&c, "file:///d.py", 6, 28, ""));
    CHECK(has(r, "result.contents.value", "tl.abs("));
    finish(&c);
}

static void test_definition(client *c)
{
    const tri_json *r = ask(c, "textDocument/definition", at(c, main_uri, 9, 10, ""));
    CHECK(has(r, "result.uri", "/nowhere/helper.py") && tri_json_number(r, "result.range.start.line", -1) == 5);
    r = ask(c, "textDocument/definition", at(c, main_uri, 2, 21, ""));
    CHECK(has(r, "result.uri", "/nowhere/helper.py"));
    r = ask(c, "textDocument/definition", at(c, main_uri, 9, 14, ""));
    CHECK(has(r, "result.uri", main_uri) && tri_json_number(r, "result.range.start.line", -1) == 8);
    r = ask(c, "textDocument/definition", at(c, main_uri, 2, 7, "")); /* the module itself */
    CHECK(has(r, "result.uri", helper_uri) && tri_json_number(r, "result.range.start.line", -1) == 0);
}

static void test_completion(client *c)
{
    const tri_json *r = ask(c, "textDocument/completion", at(c, main_uri, 8, 13, ""));
    const tri_json *item = find_item(tri_json_get(r, "result.items"), "label", "load");
    CHECK(item && has(item, "detail", "tl.load(pointer") && has(item, "documentation.value", "addresses"));
    CHECK(!find_item(tri_json_get(r, "result.items"), "label", "store"));
    r = ask(c, "textDocument/completion", at(c, main_uri, 8, 23, ""));
    CHECK(find_item(tri_json_get(r, "result.items"), "label", "mask="));
    r = ask(c, "textDocument/completion", at(c, main_uri, 9, 4, ""));
    CHECK(find_item(tri_json_get(r, "result.items"), "label", "x"));
    r = ask(c, "textDocument/signatureHelp", at(c, main_uri, 8, 23, ""));
    CHECK(tri_json_number(r, "result.activeParameter", -1) == 1);
    r = ask(c, "textDocument/signatureHelp", at(c, main_uri, 9, 14, "")); /* of another file */
    CHECK(find_item(tri_json_get(r, "result.signatures"), "label", "twice(x)") &&
          tri_json_number(r, "result.activeParameter", -1) == 0);
    r = ask(c, "textDocument/signatureHelp", at(c, main_uri, 14, 20, "")); /* of this one, behind a grid */
    CHECK(find_item(tri_json_get(r, "result.signatures"), "label", "k(p, n, B: tl.constexpr)") &&
          tri_json_number(r, "result.activeParameter", -1) == 2);
    r = ask(c, "textDocument/completion", at(c, main_uri, 14, 18, ""));
    CHECK(find_item(tri_json_get(r, "result.items"), "label", "B="));
}

static void test_hints(client *c)
{
    const tri_json *r =
        ask(c, "textDocument/inlayHint",
            "{\"textDocument\":{\"uri\":\"file:///nowhere/k.py\"},\"range\":{\"start\":{\"line\":8,\"character\":0},"
            "\"end\":{\"line\":9,\"character\":0}}}");
    const tri_json *hint = find_item(tri_json_get(r, "result"), "label", ": fp32[64]");
    CHECK(hint && tri_json_number(hint, "position.line", -1) == 8 &&
          tri_json_number(hint, "position.character", -1) == 5);
    CHECK(tri_json_get(r, "result") && tri_json_get(r, "result")->count == 2);
}

/* The edits of a rename in a file whose URI ends so; null: none. */
static const tri_json *edits_of(const tri_json *answer, const char *ending)
{
    const tri_json *changes = tri_json_get(answer, "result.changes");
    for (size_t i = 0; changes && i < changes->count; i++)
        if (tri_str_has_suffix(changes->keys[i], ending))
            return &changes->items[i];
    return NULL;
}

static void test_rename(client *c)
{
    const tri_json *r = ask(c, "textDocument/rename", at(c, main_uri, 7, 4, ",\"newName\":\"index\""));
    const tri_json *changes = tri_json_get(r, "result.changes");
    CHECK(changes && changes->count == 1 && changes->items[0].count == 5); /* not the comment */
    r = ask(c, "textDocument/rename", at(c, main_uri, 6, 12, ",\"newName\":\"BLOCK\""));
    changes = tri_json_get(r, "result.changes");
    CHECK(changes && changes->items[0].count == 3 &&
          tri_json_number(&changes->items[0].items[2], "range.start.line", 0) == 14);
    r = ask(c, "textDocument/rename", at(c, main_uri, 9, 8, ",\"newName\":\"double\"")); /* of another open file */
    CHECK(edits_of(r, main_uri) && edits_of(r, main_uri)->count == 2 && edits_of(r, helper_uri) &&
          edits_of(r, helper_uri)->count == 1);
    r = ask(c, "textDocument/rename", at(c, main_uri, 8, 4, ",\"newName\":\"n\"")); /* a parameter's name */
    CHECK(has(r, "error.message", "'n' is a name there already"));
    r = ask(c, "textDocument/rename", at(c, main_uri, 9, 8, ",\"newName\":\"k\""));
    CHECK(has(r, "error.message", "'k' is a name there already"));
    r = ask(c, "textDocument/rename", at(c, main_uri, 6, 12, ",\"newName\":\"for\""));
    CHECK(has(r, "error.message", "no identifier"));
    r = ask(c, "textDocument/prepareRename", at(c, main_uri, 3, 0, ""));
    CHECK(tri_json_get(r, "result")->kind == TRI_JSON_NULL);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A name is followed through imports of files, open or on the disk: under its own name, handed on, and as m.name. */
static void test_rename_files(void)
{
    char folder[] = "/tmp/lsp-XXXXXX", uri[512], helpers[512];
    CHECK(mkdtemp(folder));
    snprintf(uri, sizeof uri, "file://%s/k.py", folder);
    snprintf(helpers, sizeof helpers, "file://%s/helpers.py", folder);
    write_text(folder, "helpers.py", "import triton\n\n@triton.jit\ndef twice(x, by=2):\n    return x * by\n");
    write_text(folder, "all.py", "from helpers import *\ny = twice\n");
    write_text(folder, "through.py", "from all import twice\n\ndef f(twice_):\n    twice = 1\n    return twice\n");
    write_text(folder, "other.py", "import helpers as h\nz = h.twice(1, by=3)\nh.twice.by = 1\n");
    write_text(folder, "renamed.py", "from helpers import twice as t\nz = t(1, by=3)\n");
    write_text(folder, "own.py", "def twice(x, by):\n    return x\ntwice(1, by=2)\n");
    client c = start();
    tri_str ready = tri_str_format(c.arena, "{\"capabilities\":{},\"rootUri\":\"file://%s\"}", folder);
    ask(&c, "initialize", ready.data);
    open_text(&c, uri, "from through import twice\n\ndef k(p):\n    twice(p, by=4)\n");
    const tri_json *r = ask(&c, "textDocument/rename", at(&c, uri, 3, 5, ",\"newName\":\"double\""));
    CHECK(tri_json_get(r, "result.changes") && tri_json_get(r, "result.changes")->count == 6);
    CHECK(edits_of(r, "/k.py") && edits_of(r, "/k.py")->count == 2);
    CHECK(edits_of(r, "/helpers.py") && edits_of(r, "/helpers.py")->count == 1);
    CHECK(edits_of(r, "/all.py") && edits_of(r, "/all.py")->count == 1);
    CHECK(edits_of(r, "/through.py") && edits_of(r, "/through.py")->count == 1);
    CHECK(edits_of(r, "/other.py") && edits_of(r, "/other.py")->count == 2);
    CHECK(edits_of(r, "/renamed.py") && edits_of(r, "/renamed.py")->count == 1 &&
          tri_json_number(&edits_of(r, "/renamed.py")->items[0], "range.start.character", 0) == 20);
    r = ask(&c, "textDocument/references", at(&c, uri, 0, 22, ",\"context\":{\"includeDeclaration\":true}"));
    CHECK(tri_json_get(r, "result") && tri_json_get(r, "result")->count == 8);
    open_text(&c, helpers, "import triton\n\n@triton.jit\ndef twice(x, by=2):\n    return x * by\n");
    r = ask(&c, "textDocument/rename", at(&c, helpers, 3, 14, ",\"newName\":\"factor\""));
    CHECK(tri_json_get(r, "result.changes") && tri_json_get(r, "result.changes")->count == 4);
    CHECK(edits_of(r, "/helpers.py") && edits_of(r, "/helpers.py")->count == 2 && !edits_of(r, "/own.py"));
    r = ask(&c, "textDocument/rename", at(&c, helpers, 0, 8, ",\"newName\":\"factor\""));
    CHECK(has(r, "error.message", "module"));
    static const char *const files[] = {"helpers", "all", "through", "other", "renamed", "own"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        remove(tri_str_format(c.arena, "%s/%s.py", folder, files[i]).data);
    rmdir(folder);
    finish(&c);
}

/* Names of a package's own file, which is imported by the folder's name or by none. */
static void test_package(void)
{
    char folder[] = "/tmp/lsp-XXXXXX", package[64], uri[512];
    CHECK(mkdtemp(folder));
    snprintf(package, sizeof package, "%s/pkg", folder);
    CHECK(mkdir(package, 0700) == 0);
    snprintf(uri, sizeof uri, "file://%s/__init__.py", package);
    write_text(package, "beside.py", "from . import base\ny = base(1)\n");
    write_text(folder, "top.py", "import pkg\nz = pkg.base(2)\n");
    write_text(folder, "other.py", "def base(x):\n    return x\n");
    client c = start();
    tri_str ready = tri_str_format(c.arena, "{\"capabilities\":{},\"rootUri\":\"file://%s\"}", folder);
    ask(&c, "initialize", ready.data);
    open_text(&c, uri, "def base(x):\n    return x\n");
    const tri_json *r = ask(&c, "textDocument/references", at(&c, uri, 0, 5, ""));
    CHECK(tri_json_get(r, "result") && tri_json_get(r, "result")->count == 4);
    static const char *const files[] = {"pkg/beside.py", "pkg", "top.py", "other.py"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        remove(tri_str_format(c.arena, "%s/%s", folder, files[i]).data);
    rmdir(folder);
    finish(&c);
}

/* Changes come in UTF-16 units, messages with their fixes follow; what is hovered meanwhile stays right. */
static void test_changes(client *c)
{
    change(c, main_uri, 2, 7, 30, 31, "index");
    change(c, main_uri, 3, 8, 11, 15, "laod");
    const tri_json *r = ask(c, "textDocument/hover", at(c, main_uri, 10, 17, ""));
    CHECK(has(r, "result.contents.value", "i: int32[64]"));
    const tri_json *found = await_diagnostics(c, main_uri, 3);
    CHECK(found && found->count == 1);
    if (!found || found->count != 1)
        return;
    CHECK(has(&found->items[0], "code", "TRI-3003") &&
          tri_json_number(&found->items[0], "range.start.character", 0) == 11);
    r = ask(c, "textDocument/codeAction",
            "{\"textDocument\":{\"uri\":\"file:///nowhere/"
            "k.py\"},\"range\":{\"start\":{\"line\":8,\"character\":12},\"end\":{\"line\":8,"
            "\"character\":12}},\"context\":{\"diagnostics\":[]}}");
    const tri_json *action = tri_json_get(r, "result");
    CHECK(action && action->count == 1 && has(&action->items[0], "title", "replace 'laod' with 'load'"));
    change(c, main_uri, 4, 8, 11, 15, "load");
    found = await_diagnostics(c, main_uri, 4);
    CHECK(found && found->count == 0);
    change(c, main_uri, 5, 6, 28, 29, ""); /* the colon */
    found = await_diagnostics(c, main_uri, 5);
    CHECK(found && found->count == 1 && has(&found->items[0], "code", "TRI-2013"));
    r = ask(c, "textDocument/hover", at(c, main_uri, 8, 4, ""));
    CHECK(has(r, "result.contents.value", "x: fp32[64]"));
    tell(c, "textDocument/didClose", "{\"textDocument\":{\"uri\":\"file:///nowhere/helper.py\"}}");
    change(c, main_uri, 6, 6, 28, 28, ":");
    found = await_diagnostics(c, main_uri, 6);
    CHECK(found && found->count >= 1); /* helper is not on the disk */
}

static void test_errors(client *c)
{
    send_json(c, "{\"jsonrpc\": ");
    const tri_json *r = receive(c);
    CHECK(tri_json_number(r, "error.code", 0) == -32700);
    r = ask(c, "no/such", "{}");
    CHECK(tri_json_number(r, "error.code", 0) == -32601);
    r = ask(c, "textDocument/hover", at(c, "file:///absent.py", 0, 0, ""));
    CHECK(tri_json_number(r, "error.code", 0) == -32602);
    static const char odd[] = "Nonsense: 1\r\n\r\ncontent-length: 2\r\nX: y\r\n\r\n{}";
    send_bytes(c, odd, sizeof odd - 1);
    r = receive(c);
    CHECK(tri_json_number(r, "error.code", 0) == -32600);
    r = ask(c, "textDocument/hover", at(c, main_uri, 1000000, 1000000, ""));
    CHECK(tri_json_get(r, "result"));
}

static void test_session(void)
{
    client c = start();
    begin(&c);
    test_hover(&c);
    test_definition(&c);
    test_completion(&c);
    test_hints(&c);
    test_rename(&c);
    test_changes(&c);
    test_errors(&c);
    ask(&c, "shutdown", "null");
    tell(&c, "exit", "null");
    int status = finish(&c);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Options of a client, and those of a file. */
static void test_options(void)
{
    client c = start();
    ask(&c, "initialize", "{\"capabilities\":{},\"initializationOptions\":{\"arguments\":[\"-DB=32\"]}}");
    open_text(&c, "file:///a.py",
              "# tritcc: -sig 'k(p=*fp16)'\nimport triton\nimport triton.language as tl\n\n@triton.jit\n"
              "def k(p, B: tl.constexpr):\n    x = tl.load(p + tl.arange(0, B))\n    tl.store(p, tl.sum(x))\n");
    await_diagnostics(&c, "file:///a.py", 1);
    const tri_json *r = ask(&c, "textDocument/hover", at(&c, "file:///a.py", 6, 4, ""));
    CHECK(has(r, "result.contents.value", "x: fp16[32]"));
    open_text(&c, "file:///plain.py", "print('no kernel')\n");
    const tri_json *found = await_diagnostics(&c, "file:///plain.py", 1);
    CHECK(found && found->count == 0);
    int status = finish(&c); /* without exit: the client died */
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

/* Milliseconds of the processor that the server has taken: other programs use the machine, too. */
static double taken_by(const client *c)
{
    struct timespec t;
    clockid_t clock;
    if (clock_getcpuclockid(c->pid, &clock) || clock_gettime(clock, &t))
        abort();
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Hover and completion while a file of 500 lines is typed into: 95 of 100 within 50 ms. */
static void test_latency(void)
{
    enum { rounds = 100, lines = 490 };
    double times[2 * rounds];
    tri_buf text = {0};
    tri_buf_add_z(&text, "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p, B: tl.constexpr):\n   "
                         " x0 = tl.load(p + tl.arange(0, B))\n");
    for (int i = 1; i < lines; i++)
        tri_buf_format(&text, "    x%d = tl.maximum(x%d * %d, tl.load(p + tl.arange(0, B) + %d))\n", i, i - 1, i, i);
    tri_buf_format(&text, "    tl.store(p + tl.arange(0, B), x%d)\n", lines - 1);
    client c = start();
    ask(&c, "initialize", "{\"capabilities\":{}}");
    open_text(&c, main_uri, text.data);
    const tri_json *found = await_diagnostics(&c, main_uri, 1);
    CHECK(found && found->count == 0);
    for (int i = 0; i < rounds; i++) {
        change(&c, main_uri, i + 2, 20, 4, 4, " ");
        change(&c, main_uri, i + 2, 20, 4, 5, "");
        double begin_at = taken_by(&c);
        const tri_json *r = ask(&c, "textDocument/hover", at(&c, main_uri, 7 + i, 5, ""));
        times[2 * i] = taken_by(&c) - begin_at;
        CHECK(has(r, "result.contents.value", "fp32[1024]"));
        begin_at = taken_by(&c);
        r = ask(&c, "textDocument/completion", at(&c, main_uri, 8 + i, 12 + (i >= 8) + (i >= 98), ""));
        times[2 * i + 1] = taken_by(&c) - begin_at;
        CHECK(find_item(tri_json_get(r, "result.items"), "label", "maximum"));
    }
    qsort(times, 2 * rounds, sizeof *times, by_value);
    printf("hover and completion in 500 lines: median %.2f ms, p95 %.2f ms\n", times[rounds],
           times[2 * rounds * 95 / 100]);
    CHECK(times[2 * rounds * 95 / 100] < 50);
    finish(&c);
    tri_buf_fini(&text);
}

/* References of a name that every file of a large workspace has, each for itself: other files are not parsed for it. */
static void test_workspace_latency(void)
{
    enum { files = 300, lines = 150, rounds = 20 };
    char folder[] = "/tmp/lsp-XXXXXX", uri[512];
    double times[rounds];
    tri_buf text = {0};
    CHECK(mkdtemp(folder));
    tri_buf_add_z(&text, "import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(p):\n");
    for (int i = 0; i < lines; i++)
        tri_buf_format(&text, "    tl.store(p + tl.arange(0, 64), tl.load(p + %d + tl.arange(0, 64)))\n", i);
    client c = start();
    for (int i = 0; i < files; i++)
        write_text(folder, tri_str_format(c.arena, "file%d.py", i).data, text.data);
    snprintf(uri, sizeof uri, "file://%s/edited.py", folder);
    ask(&c, "initialize", "{\"capabilities\":{}}");
    open_text(&c, uri, text.data);
    for (int i = 0; i < rounds; i++) {
        change(&c, uri, i + 2, 2, 0, 0, "# ");
        double begin_at = taken_by(&c);
        const tri_json *r = ask(&c, "textDocument/references", at(&c, uri, 1, 27, ""));
        times[i] = taken_by(&c) - begin_at;
        CHECK(tri_json_get(r, "result") && tri_json_get(r, "result")->count == 1 + 4 * lines);
    }
    qsort(times, rounds, sizeof *times, by_value);
    printf("references in a workspace of %d files: median %.2f ms\n", files, times[rounds / 2]);
    CHECK(times[0] < 100);
    for (int i = 0; i < files; i++)
        remove(tri_str_format(c.arena, "%s/file%d.py", folder, i).data);
    rmdir(folder);
    finish(&c);
    tri_buf_fini(&text);
}

static uint32_t random_number(void)
{
    static uint32_t state = 12345; /* xorshift32 (Marsaglia, 2003) */
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/* A session with bytes changed, lost and doubled: the server ends by itself, and by no signal. */
static void test_damage(void)
{
    tri_buf seed = {0};
    static const char *const texts[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"capabilities\":{}}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file:///"
        "k.py\",\"version\":1,"
        "\"text\":\"import triton\\nimport triton.language as tl\\n@triton.jit\\ndef k(p):\\n    tl.store(p, "
        "1)\\n\"}}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didChange\",\"params\":{\"textDocument\":{\"uri\":\"file:///"
        "k.py\",\"version\":2},"
        "\"contentChanges\":[{\"range\":{\"start\":{\"line\":4,\"character\":4},\"end\":{\"line\":4,\"character\":9}},"
        "\"text\":\"tl.\"}]}}",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"textDocument/"
        "completion\",\"params\":{\"textDocument\":{\"uri\":\"file:///k.py\"},"
        "\"position\":{\"line\":4,\"character\":7}}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":2}}",
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"textDocument/"
        "rename\",\"params\":{\"textDocument\":{\"uri\":\"file:///k.py\"},"
        "\"position\":{\"line\":3,\"character\":6},\"newName\":\"q\"}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        tri_buf_format(&seed, "Content-Length: %zu\r\n\r\n%s", strlen(texts[i]), texts[i]);
    for (int round = 0; round < 60; round++) {
        tri_buf bytes = {0};
        tri_buf_add_str(&bytes, tri_buf_str(&seed));
        for (uint32_t n = random_number() % 6; n > 0; n--) {
            size_t place = random_number() % bytes.len;
            switch (random_number() % 3) {
            case 0:
                bytes.data[place] = (char)random_number();
                break;
            case 1:
                bytes.len = place + 1;
                break;
            default:
                tri_buf_add_str(&bytes,
                                tri_str_copy(tri_arena_create(), tri_str_sub(tri_buf_str(&bytes), place, bytes.len)));
            }
        }
        client c = start();
        send_bytes(&c, bytes.data, bytes.len);
        close(c.to);
        char sink[4096];
        while (read(c.from, sink, sizeof sink) > 0)
            continue;
        int status = 0;
        waitpid(c.pid, &status, 0);
        CHECK(WIFEXITED(status));
        close(c.from);
        tri_arena_destroy(c.arena);
        tri_buf_fini(&bytes);
    }
    tri_buf_fini(&seed);
    client c = start();
    static const char deep[] = "Content-Length: 300000\r\n\r\n";
    send_bytes(&c, deep, sizeof deep - 1);
    for (int i = 0; i < 300000; i++)
        send_bytes(&c, "[", 1);
    CHECK(tri_json_number(receive(&c), "error.code", 0) == -32700);
    static const char wrong[] = "Content-Length: 99999999999999999999\r\n\r\nContent-Length: -1\r\n\r\n";
    send_bytes(&c, wrong, sizeof wrong - 1);
    CHECK(WIFEXITED(finish(&c)));
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    test_session();
    test_methods();
    test_rename_files();
    test_package();
    test_options();
    test_latency();
    test_workspace_latency();
    test_damage();
    return failures != 0;
}
