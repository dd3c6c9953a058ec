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

/* --- memory at an address --- */

static const char memory_prefix[] = "@tritcc_memory_", cast_name[] = "hivm.hir.pointer_cast(",
                  space[] = " {address_space = #hivm.address_space<gm>} : ";

/* The line itself, and behind it the mark of the name that it gives. */
static bool add_cast_to_19(tri_str line, tri_buf *out)
{
    tri_str symbol = after(line, memory_prefix), type = after(line, " -> memref<"), place = after(line, " loc(");
    if (!symbol.data || !type.data)
        return false;
    if (has(line, "func.func private "))
        return true;
    tri_str operands = tri_str_sub(symbol, tri_str_find(symbol, '(') + 1, tri_str_find(symbol, ')'));
    size_t comma = tri_str_find(operands, ',');
    tri_str equals = after(line, " = "), name = before(line, equals);
    if (!equals.data || comma == operands.len)
        return false;
    type = before(tri_str_sub(type, strlen(" -> "), type.len), place);
    tri_buf_format(out, "%.*s = %s%.*s) [%.*s] : %.*s%.*s\n", TRI_STR_ARG(name), cast_name,
                   TRI_STR_ARG(tri_str_sub(operands, 0, comma)),
                   TRI_STR_ARG(tri_str_sub(operands, comma + 2, operands.len)), TRI_STR_ARG(type), TRI_STR_ARG(place));
    size_t indent = tri_str_find(name, '%');
    tri_buf_format(out, "%.*sannotation.mark %.*s%s%.*s\n", TRI_STR_ARG(tri_str_sub(name, 0, indent)),
                   TRI_STR_ARG(tri_str_sub(name, indent, name.len)), space, TRI_STR_ARG(type));
    return true;
}

/* "f32" of "memref<?xf32>": the function's name ends with it, as passes/linalg/memory.h has it. */
static tri_str element_of(tri_str type)
{
    tri_str element = after(type, "?x");
    return tri_str_sub(element, strlen("?x"), tri_str_find(element, '>'));
}

static void add_symbol(tri_str element, tri_buf *out)
{
    static const struct {
        const char *type, *name;
    } floats[] = {{"f8E5M2", "f8e5m2"}, {"f8E4M3FN", "f8e4m3fn"}, {"bf16", "bf16"}};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (tri_str_is(element, floats[i].type))
            element = tri_str_from(floats[i].name);
    tri_buf_format(out, "%s%.*s", memory_prefix, TRI_STR_ARG(element));
}

static bool add_cast_to_22(tri_str line, tri_buf *out)
{
    tri_str cast = after(line, cast_name), type = after(line, " : memref<?x"), place = after(line, " loc(");
    if (has(line, "annotation.mark ") && has(line, space))
        return true;
    if (!cast.data || !type.data)
        return false;
    tri_str address = tri_str_sub(cast, strlen(cast_name), tri_str_find(cast, ')'));
    tri_str size = after(cast, " [");
    size = tri_str_sub(size, strlen(" ["), tri_str_find(size, ']'));
    type = before(tri_str_sub(type, strlen(" : "), type.len), place);
    tri_buf_add_str(out, before(line, cast));
    tri_buf_add_z(out, "func.call ");
    add_symbol(element_of(type), out);
    tri_buf_format(out, "(%.*s, %.*s) : (i64, index) -> %.*s%.*s\n", TRI_STR_ARG(address), TRI_STR_ARG(size),
                   TRI_STR_ARG(type), TRI_STR_ARG(place));
    return true;
}

static bool add_line_to_19(tri_str line, tri_buf *out)
{
    if (add_cast_to_19(line, out))
        return false;
    tri_str memref = after(line, " : memref<"), tensor = after(line, " to tensor<"), place = after(line, " loc(");
    if (has(line, "bufferization.to_tensor ") && memref.data && tensor.data) {
        tri_buf_add_str(out, before(line, tensor));
        tri_buf_add_str(out, place);
        return true;
    }
    tri_str name = after(line, "bufferization.to_buffer "), from = after(line, " : tensor<");
    tri_str to = after(line, " to memref<");
    if (!name.data || !from.data || !to.data) {
        tri_buf_add_str(out, line);
        return true;
    }
    tri_buf_add_str(out, before(line, name));
    tri_buf_add_z(out, "bufferization.to_memref ");
    tri_str value = before(name, from);
    tri_buf_add_str(out, tri_str_sub(value, strlen("bufferization.to_buffer "), value.len));
    tri_buf_format(out, " : %.*s", TRI_STR_ARG(tri_str_sub(to, strlen(" to "), to.len)));
    return true;
}

static bool add_line_to_22(tri_str line, tri_buf *out)
{
    if (add_cast_to_22(line, out))
        return false;
    tri_str memref = after(line, " : memref<"), place = after(line, " loc(");
    tri_str name = after(line, "bufferization.to_memref ");
    if (!memref.data || (!name.data && !has(line, "bufferization.to_tensor "))) {
        tri_buf_add_str(out, line);
        return true;
    }
    tri_str head = head_of_type(tri_str_sub(memref, strlen(" : memref<"), memref.len));
    if (!name.data) {
        tri_buf_add_str(out, before(line, place));
        tri_buf_format(out, " to tensor<%.*s>", TRI_STR_ARG(head));
        tri_buf_add_str(out, place);
        return true;
    }
    tri_str value = before(name, memref);
    tri_buf_format(out, "%.*sbufferization.to_buffer %.*s : tensor<%.*s> to %.*s", TRI_STR_ARG(before(line, name)),
                   TRI_STR_ARG(tri_str_sub(value, strlen("bufferization.to_memref "), value.len)), TRI_STR_ARG(head),
                   TRI_STR_ARG(tri_str_sub(memref, strlen(" : "), memref.len)));
    return true;
}

/* `add` answers whether the line still lacks its end. */
static void each_line(tri_str text, bool (*add)(tri_str line, tri_buf *out), tri_buf *out)
{
    for (size_t at = 0; at < text.len;) {
        size_t end = at + tri_str_find(tri_str_sub(text, at, text.len), '\n');
        if (add(tri_str_sub(text, at, end), out) && end < text.len)
            tri_buf_add_char(out, '\n');
        at = end + 1;
    }
}

void tri_linalg_text_to_19(tri_str text, tri_buf *out) { each_line(text, add_line_to_19, out); }

/* Declares what casts from addresses have become, each function once, at the head of the module. */
static size_t add_declarations(tri_str text, tri_buf *out)
{
    tri_str head = after(text, "module");
    size_t line = head.data ? tri_str_find(head, '\n') : 0;
    if (!head.data || !has(text, cast_name))
        return 0;
    size_t start = (size_t)(head.data - text.data) + line + 1;
    tri_buf_add_str(out, tri_str_sub(text, 0, start));
    tri_buf declared = {0};
    for (tri_str rest = after(text, cast_name); rest.data; rest = after(tri_str_sub(rest, 1, rest.len), cast_name)) {
        tri_str element = element_of(tri_str_sub(rest, 0, tri_str_find(rest, '\n')));
        tri_buf one = {0};
        add_symbol(element, &one);
        tri_buf_format(&one, "(i64, index) -> memref<?x%.*s>\n", TRI_STR_ARG(element));
        if (!has(tri_buf_str(&declared), one.data))
            tri_buf_format(&declared, "  func.func private %s", one.data);
        tri_buf_fini(&one);
    }
    tri_buf_add_str(out, tri_buf_str(&declared));
    tri_buf_fini(&declared);
    return start;
}

void tri_linalg_text_to_22(tri_str text, tri_buf *out)
{
    each_line(tri_str_sub(text, add_declarations(text, out), text.len), add_line_to_22, out);
}

bool tri_linalg_text_is_19(tri_str text)
{
    for (size_t at = 0; at < text.len;) {
        size_t end = at + tri_str_find(tri_str_sub(text, at, text.len), '\n');
        tri_str line = tri_str_sub(text, at, end);
        if (has(line, "bufferization.to_memref ") || has(line, cast_name) ||
            (has(line, "bufferization.to_tensor ") && !has(line, " to tensor<")))
            return true;
        at = end + 1;
    }
    return false;
}
