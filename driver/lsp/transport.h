/* The base protocol of LSP (Content-Length framing, JSON-RPC 2.0) on two descriptors: a thread reads, whoever wants
 * writes. */
#ifndef TRI_DRIVER_LSP_TRANSPORT_H
#define TRI_DRIVER_LSP_TRANSPORT_H

#include "ir/json.h"

#include <pthread.h>

/* Something for the server to do; ended with tri_transport_drop. */
typedef struct tri_lsp_message {
    struct tri_lsp_message *next;
    tri_arena *arena;
    const tri_json *json; /* null: what came is no JSON */
    void *work;           /* put by tri_transport_post in place of a text; else null */
    bool is_cancelled;    /* the client does not want the answer any more */
} tri_lsp_message;

typedef struct {
    int input, output;
    pthread_t reader;
    pthread_mutex_t lock, write_lock;
    pthread_cond_t changed;
    tri_lsp_message *first, *last;
    bool is_ended; /* the input is at its end */
} tri_transport;

/* Starts reading. `transport` must not move. */
bool tri_transport_start(tri_transport *transport, int input, int output);
/* The next message, or null: after `milliseconds` (negative: for ever) without one, or at the end of the input. */
tri_lsp_message *tri_transport_next(tri_transport *transport, int milliseconds, bool *out_is_ended);
void tri_transport_drop(tri_lsp_message *message);
/* From any thread: what the server shall do among its messages. */
void tri_transport_post(tri_transport *transport, void *work);
/* Sends a JSON text with its header; false: the client is gone. */
bool tri_transport_send(tri_transport *transport, tri_str json);

#endif
