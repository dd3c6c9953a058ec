#include "ir/linalg_text.h"

#include <string.h>

static tri_str after(tri_str line, const char *word)
{
    const char *at = memmem(line.data, line.len, word, strlen(word));
    return at ? tri_str_sub(line, (size_t)(at - line.data), line.len) : (tri_str){NULL, 0};
}

static bool has(tri_str line, const char *word) { return after(line, word).data != NULL; }

static tri_str before(tri_str line, tri_str rest) { return tri_str_sub(line, 0, line.len - rest.len); }

/* "memref<64x32xf32" of "memref<64x32xf32, strided<...>>": its shape and elements. */
static tri_str head_of_type(tri_str type)
{
    size_t n = 0;
    while (n < type.len && type.data[n] != ',' && type.data[n] != '>')
        n++;
    return tri_str_sub(type, 0, n);
}

static void add_line_to_19(tri_str line, tri_buf *out)
{
    tri_str memref = after(line, " : memref<"), tensor = after(line, " to tensor<"), place = after(line, " loc(");
    if (has(line, "bufferization.to_tensor ") && memref.data && tensor.data) {
        tri_buf_add_str(out, before(line, tensor));
        tri_buf_add_str(out, place);
        return;
    }
    tri_str name = after(line, "bufferization.to_buffer "), from = after(line, " : tensor<");
    tri_str to = after(line, " to memref<");
    if (!name.data || !from.data || !to.data) {
        tri_buf_add_str(out, line);
        return;
    }
    tri_buf_add_str(out, before(line, name));
    tri_buf_add_z(out, "bufferization.to_memref ");
    tri_str value = before(name, from);
    tri_buf_add_str(out, tri_str_sub(value, strlen("bufferization.to_buffer "), value.len));
    tri_buf_format(out, " : %.*s", TRI_STR_ARG(tri_str_sub(to, strlen(" to "), to.len)));
}

static void add_line_to_22(tri_str line, tri_buf *out)
{
    tri_str memref = after(line, " : memref<"), place = after(line, " loc(");
    tri_str name = after(line, "bufferization.to_memref ");
    if (!memref.data || (!name.data && !has(line, "bufferization.to_tensor "))) {
        tri_buf_add_str(out, line);
        return;
    }
    tri_str head = head_of_type(tri_str_sub(memref, strlen(" : memref<"), memref.len));
    if (!name.data) {
        tri_buf_add_str(out, before(line, place));
        tri_buf_format(out, " to tensor<%.*s>", TRI_STR_ARG(head));
        tri_buf_add_str(out, place);
        return;
    }
    tri_str value = before(name, memref);
    tri_buf_format(out, "%.*sbufferization.to_buffer %.*s : tensor<%.*s> to %.*s", TRI_STR_ARG(before(line, name)),
                   TRI_STR_ARG(tri_str_sub(value, strlen("bufferization.to_memref "), value.len)), TRI_STR_ARG(head),
                   TRI_STR_ARG(tri_str_sub(memref, strlen(" : "), memref.len)));
}

static void each_line(tri_str text, void (*add)(tri_str line, tri_buf *out), tri_buf *out)
{
    for (size_t at = 0; at < text.len;) {
        size_t end = at + tri_str_find(tri_str_sub(text, at, text.len), '\n');
        add(tri_str_sub(text, at, end), out);
        if (end < text.len)
            tri_buf_add_char(out, '\n');
        at = end + 1;
    }
}

void tri_linalg_text_to_19(tri_str text, tri_buf *out) { each_line(text, add_line_to_19, out); }
void tri_linalg_text_to_22(tri_str text, tri_buf *out) { each_line(text, add_line_to_22, out); }

bool tri_linalg_text_is_19(tri_str text)
{
    for (size_t at = 0; at < text.len;) {
        size_t end = at + tri_str_find(tri_str_sub(text, at, text.len), '\n');
        tri_str line = tri_str_sub(text, at, end);
        if (has(line, "bufferization.to_memref ") ||
            (has(line, "bufferization.to_tensor ") && !has(line, " to tensor<")))
            return true;
        at = end + 1;
    }
    return false;
}
