#include "driver/lsp/transport.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* A header line that is longer, or a text that is larger, is no message of an editor. */
enum { longest_line = 8192, largest_text = 256 << 20 };

/* --- bytes ----------------------------------------------------------------------------------- */

typedef struct {
    int fd;
    char data[65536];
    size_t at, len;
} input;

static bool fill(input *in)
{
    ssize_t n;
    do
        n = read(in->fd, in->data, sizeof in->data);
    while (n < 0 && errno == EINTR);
    in->at = 0;
    in->len = n > 0 ? (size_t)n : 0;
    return n > 0;
}

/* A line without its end; what is too long is cut off. False at the end of the input. */
static bool read_line(input *in, char *line, size_t *out_len)
{
    size_t len = 0;
    for (;;) {
        if (in->at == in->len && !fill(in))
            return false;
        char c = in->data[in->at++];
        if (c == '\n')
            break;
        if (len < longest_line)
            line[len++] = c;
    }
    *out_len = len && line[len - 1] == '\r' ? len - 1 : len;
    return true;
}

/* Reads `size` bytes; they are skipped where `out` is null. */
static bool read_bytes(input *in, size_t size, tri_buf *out)
{
    while (size) {
        if (in->at == in->len && !fill(in))
            return false;
        size_t n = in->len - in->at < size ? in->len - in->at : size;
        if (out)
            tri_buf_add(out, in->data + in->at, n);
        in->at += n;
        size -= n;
    }
    return true;
}

/* The length that a block of header lines gives; -1: none. False at the end of the input. */
static bool read_header(input *in, int64_t *out_length)
{
    static const char name[] = "content-length:";
    char line[longest_line + 1];
    size_t len;
    *out_length = -1;
    for (;;) {
        if (!read_line(in, line, &len))
            return false;
        if (!len)
            return true;
        tri_str value = {line + sizeof name - 1, len - (sizeof name - 1)};
        int64_t number;
        if (len >= sizeof name - 1 && !strncasecmp(line, name, sizeof name - 1) &&
            tri_str_to_i64(tri_str_trim(value), &number) && number >= 0)
            *out_length = number;
    }
}

/* --- the queue ------------------------------------------------------------------------------- */

static void push_message(tri_transport *t, tri_lsp_message *message)
{
    pthread_mutex_lock(&t->lock);
    if (t->last)
        t->last->next = message;
    else
        t->first = message;
    t->last = message;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

static tri_lsp_message *make_message(void)
{
    tri_lsp_message *message = tri_mem_alloc(sizeof *message);
    *message = (tri_lsp_message){.arena = tri_arena_create()};
    return message;
}

static bool is_same_id(const tri_json *a, const tri_json *b)
{
    if (!a || !b || a->kind != b->kind)
        return false;
    return a->kind == TRI_JSON_NUMBER ? a->number == b->number
                                      : a->kind == TRI_JSON_STRING && tri_str_equal(a->string, b->string);
}

/* What waits for its turn is answered without work; what runs is not: it takes milliseconds. */
static void cancel_message(tri_transport *t, const tri_json *id)
{
    pthread_mutex_lock(&t->lock);
    for (tri_lsp_message *m = t->first; m; m = m->next)
        m->is_cancelled = m->is_cancelled || is_same_id(tri_json_get(m->json, "id"), id);
    pthread_mutex_unlock(&t->lock);
}

static void *read_all(void *data)
{
    tri_transport *t = data;
    input *in = tri_mem_alloc(sizeof *in);
    in->fd = t->input;
    in->at = in->len = 0;
    int64_t length;
    while (read_header(in, &length)) {
        if (length < 0)
            continue; /* no header of ours: up to the next empty line */
        bool is_read = length <= largest_text;
        tri_buf text = {0};
        if (!read_bytes(in, (size_t)length, is_read ? &text : NULL)) {
            tri_buf_fini(&text);
            break;
        }
        tri_lsp_message *message = make_message();
        message->json = is_read ? tri_json_parse(message->arena, tri_buf_str(&text)) : NULL;
        tri_buf_fini(&text);
        if (tri_str_is(tri_json_string(message->json, "method"), "$/cancelRequest")) {
            cancel_message(t, tri_json_get(message->json, "params.id"));
            tri_transport_drop(message);
        } else {
            push_message(t, message);
        }
    }
    free(in);
    pthread_mutex_lock(&t->lock);
    t->is_ended = true;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* --- for the server -------------------------------------------------------------------------- */

bool tri_transport_start(tri_transport *t, int input, int output)
{
    *t = (tri_transport){.input = input, .output = output};
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_init(&t->write_lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&t->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return pthread_create(&t->reader, NULL, read_all, t) == 0;
}

tri_lsp_message *tri_transport_next(tri_transport *t, int milliseconds, bool *out_is_ended)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += milliseconds % 1000 * 1000000L;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&t->lock);
    int error = 0;
    while (!t->first && !t->is_ended && !error)
        error = milliseconds < 0 ? pthread_cond_wait(&t->changed, &t->lock)
                                 : pthread_cond_timedwait(&t->changed, &t->lock, &until);
    tri_lsp_message *message = t->first;
    if (message) {
        t->first = message->next;
        t->last = t->first ? t->last : NULL;
    }
    *out_is_ended = !message && t->is_ended;
    pthread_mutex_unlock(&t->lock);
    return message;
}

void tri_transport_drop(tri_lsp_message *message)
{
    if (!message)
        return;
    tri_arena_destroy(message->arena);
    free(message);
}

void tri_transport_post(tri_transport *t, void *work)
{
    tri_lsp_message *message = make_message();
    message->work = work;
    push_message(t, message);
}

static bool write_whole(int fd, tri_str text)
{
    while (text.len) {
        ssize_t n = write(fd, text.data, text.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        text = tri_str_sub(text, (size_t)n, text.len);
    }
    return true;
}

bool tri_transport_send(tri_transport *t, tri_str json)
{
    tri_buf text = {0};
    tri_buf_format(&text, "Content-Length: %zu\r\n\r\n", json.len);
    tri_buf_add_str(&text, json);
    pthread_mutex_lock(&t->write_lock);
    bool ok = write_whole(t->output, tri_buf_str(&text));
    pthread_mutex_unlock(&t->write_lock);
    tri_buf_fini(&text);
    return ok;
}
