/* Changes kernels as their writers do: whole statements move, words are exchanged for other words of
 * their kind, calls of library functions appear, blocks are wrapped into branches and loops. Plain
 * changes of bytes are mixed in. Everything follows from the seed, so that runs can be repeated. */
#include "base/str.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2, size_t size2, uint8_t *out,
                                 size_t max_size, unsigned seed);

static uint32_t state;

static uint32_t random_below(size_t n)
{
    state = state * 1664525u + 1013904223u;
    return n ? (uint32_t)(((uint64_t)(state >> 4) * n) >> 28) : 0;
}

/* ---- words ---- */

typedef enum { WORD_NAME, WORD_NUMBER, WORD_STRING, WORD_OPERATOR, WORD_OTHER } word_kind;

typedef struct {
    word_kind kind;
    tri_str text;
} word;

/* The word at `at`; blanks and line ends are words too, so that words joined give the text again. */
static word next_word(tri_str text, size_t at)
{
    size_t end = at + 1;
    unsigned char c = (unsigned char)text.data[at];
    word_kind kind = WORD_OTHER;
    if (isalpha(c) || c == '_') {
        while (end < text.len && (isalnum((unsigned char)text.data[end]) || text.data[end] == '_'))
            end++;
        kind = WORD_NAME;
    } else if (isdigit(c)) {
        while (end < text.len && (isalnum((unsigned char)text.data[end]) || text.data[end] == '.'))
            end++;
        kind = WORD_NUMBER;
    } else if (c == '\'' || c == '"') {
        while (end < text.len && text.data[end] != (char)c && text.data[end] != '\n')
            end++;
        end += end < text.len;
        kind = WORD_STRING;
    } else if (strchr("+-*/%<>=!&|^~@", c)) {
        while (end < text.len && strchr("*/<>=", text.data[end]) && end < at + 2)
            end++;
        kind = WORD_OPERATOR;
    } else if (c == ' ') {
        while (end < text.len && text.data[end] == ' ')
            end++;
    }
    return (word){kind, tri_str_sub(text, at, end)};
}

/* A random word of one kind (or of any when kind is OTHER) in the text; empty when there is none. */
static tri_str pick_word(tri_str text, word_kind kind)
{
    tri_str found = {text.data, 0};
    uint32_t seen = 0;
    for (size_t at = 0; at < text.len;) {
        word w = next_word(text, at);
        at += w.text.len;
        if (w.kind != WORD_OTHER && (kind == WORD_OTHER || w.kind == kind) && random_below(++seen) == 0)
            found = w.text;
    }
    return found;
}

static const char *const functions[] = {
#define X(path, params, function, method, data) path,
#define PRELUDE(path, params, method) path,
#include "frontend/builtins/builtins.def"
#undef X
#undef PRELUDE
};

static const char *const names[] = {
    "True", "False", "None", "tl.float16", "tl.float32", "tl.int1", "tl.uint8", "tl.int64", "tl.bfloat16",
    "tl.float8e5", "tl.constexpr", "p", "n", "pid", "offs", "B", "x", "x.shape", "x.dtype", "p.dtype.element_ty",
    "x[:, None]", "x[None, :]", "x.T", "(x, n)", "[B, 2]", "float('inf')", "float('nan')", "1 if n else x", "(y := n)",
    "not n", "n and x", "x or n", "...", "lambda a: a", "f'{B}'", "*x",
};
static const char *const numbers[] = {
    "0", "1", "2", "3", "-1", "16", "64", "1024", "1048576", "2097152", "2147483647", "2147483648", "4294967296",
    "9223372036854775807", "18446744073709551616", "0xffffffffffffffffffffffff", "0.5", "1e-40", "1e400", "0.0", "-0.0",
    "1j",
};
static const char *const operators[] = {
    "+", "-",  "*",  "/",  "//",   "%",     "**",   "<<",   ">>",       "&", "|",  "^",   "@",
    "<", "<=", "==", "!=", " is ", " and ", " or ", " in ", " not in ", "=", "+=", "//=", ":=",
};
static const char *const headers[] = {
    "if n > 0:", "if B > 32:", "if n:", "else:", "elif n == 3:", "while n > 0:", "for i in range(n):",
    "for j in range(0, n, -2):", "for i in tl.range(0, n, B, num_stages=2):", "for k in tl.static_range(3):",
    "for i, j in range(2):", "with x as y:", "try:", "def inner(a, b=1):", "@triton.jit\ndef helper2(a, *b):",
    "class C:", "for i in tl.static_range(2, -2, -1):", "while True:",
};
static const char *const lines[] = {
    "return", "return x", "return n, x", "pass", "break", "x = n", "x: tl.constexpr = 3", "n += 1", "x, y = n, p",
    "global n", "assert n", "tl.static_assert(B == 64)", "tl.static_print(x)", "del x", "x = [n, B]", "y = x[0]",
    "raise ValueError", "n: tl.constexpr", "import math", "x = tl.load(p + tl.arange(0, B))", "tl.store(p, x)",
    "x = tl.dot(x, x)", "x = (n, x) + (1,)", "x = x * 2 ** 70",
};

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define PICK(a) (a)[random_below(COUNT(a))]

/* ---- lines ---- */

typedef struct {
    size_t begin, end; /* with the line end */
} part;

static size_t line_end(tri_str text, size_t at)
{
    while (at < text.len && text.data[at] != '\n')
        at++;
    return at < text.len ? at + 1 : at;
}

static size_t indent_of(tri_str text, size_t at)
{
    size_t n = 0;
    while (at + n < text.len && text.data[at + n] == ' ')
        n++;
    return n;
}

static size_t pick_line(tri_str text)
{
    size_t found = 0;
    uint32_t seen = 0;
    for (size_t at = 0; at < text.len; at = line_end(text, at))
        if (random_below(++seen) == 0)
            found = at;
    return found;
}

/* A line with the deeper lines below it. */
static part pick_block(tri_str text)
{
    part b = {.begin = pick_line(text)};
    size_t indent = indent_of(text, b.begin);
    b.end = line_end(text, b.begin);
    while (b.end < text.len && indent_of(text, b.end) > indent)
        b.end = line_end(text, b.end);
    return b;
}

static void add_indented(tri_buf *out, tri_str block, size_t indent)
{
    size_t own = indent_of(block, 0);
    for (size_t at = 0; at < block.len;) {
        size_t end = line_end(block, at), here = indent_of(block, at);
        for (size_t i = 0; i < indent + (here > own ? here - own : 0); i++)
            tri_buf_add_char(out, ' ');
        tri_buf_add_str(out, tri_str_sub(block, at + here, end));
        at = end;
    }
    if (out->len && out->data[out->len - 1] != '\n')
        tri_buf_add_char(out, '\n');
}

/* ---- changes ---- */

static void replace(tri_str text, tri_str old, tri_str with, tri_buf *out)
{
    tri_buf_add(out, text.data, (size_t)(old.data - text.data));
    tri_buf_add_str(out, with);
    tri_buf_add(out, old.data + old.len, (size_t)(text.data + text.len - old.data) - old.len);
}

static void exchange_word(tri_str text, tri_buf *out)
{
    tri_str old = pick_word(text, WORD_OTHER), with = TRI_STR("");
    if (!old.len) {
        tri_buf_add_str(out, text);
        return;
    }
    word_kind kind = next_word(old, 0).kind;
    if (random_below(3) == 0)
        with = pick_word(text, kind);
    else if (kind == WORD_NUMBER || random_below(8) == 0)
        with = tri_str_from(PICK(numbers));
    else if (kind == WORD_OPERATOR)
        with = tri_str_from(PICK(operators));
    else
        with = tri_str_from(random_below(4) ? PICK(names) : PICK(functions));
    replace(text, old, with, out);
}

static void add_call(tri_str text, tri_buf *call)
{
    tri_str path = tri_str_from(PICK(functions));
    static const char library[] = "triton.language.", tensor[] = "tensor.";
    if (tri_str_has_prefix(path, library)) {
        path = tri_str_sub(path, sizeof library - 1, path.len);
        tri_buf_add_z(call, "tl.");
    } else if (tri_str_has_prefix(path, tensor)) {
        path = tri_str_sub(path, sizeof tensor - 1, path.len);
        tri_buf_format(call, "%.*s.", TRI_STR_ARG(pick_word(text, WORD_NAME)));
    }
    tri_buf_format(call, "%.*s(", TRI_STR_ARG(path));
    uint32_t count = random_below(5);
    for (uint32_t i = 0; i < count; i++) {
        tri_str arg =
            random_below(2) ? pick_word(text, WORD_NAME) : tri_str_from(random_below(2) ? PICK(names) : PICK(numbers));
        tri_buf_format(call, "%s%s%.*s", i ? ", " : "", random_below(8) ? "" : "axis=", TRI_STR_ARG(arg));
    }
    tri_buf_add_char(call, ')');
}

static void insert_line(tri_str text, tri_buf *out)
{
    size_t at = pick_line(text), indent = indent_of(text, at);
    tri_buf line = {0};
    if (random_below(2)) {
        tri_buf_format(&line, "%s = ", random_below(2) ? "x" : "y");
        add_call(text, &line);
        if (random_below(4) == 0) {
            tri_buf_format(&line, " %s ", PICK(operators));
            add_call(text, &line);
        }
    } else {
        tri_buf_add_z(&line, PICK(lines));
    }
    tri_buf_add(out, text.data, at);
    add_indented(out, tri_buf_str(&line), indent);
    tri_buf_add(out, text.data + at, text.len - at);
    tri_buf_fini(&line);
}

static void wrap_block(tri_str text, tri_buf *out)
{
    part b = pick_block(text);
    size_t indent = indent_of(text, b.begin);
    tri_buf_add(out, text.data, b.begin);
    add_indented(out, tri_str_from(PICK(headers)), indent);
    add_indented(out, tri_str_sub(text, b.begin, b.end), indent + 4);
    tri_buf_add(out, text.data + b.end, text.len - b.end);
}

static void move_block(tri_str text, tri_buf *out)
{
    part b = pick_block(text);
    size_t to = pick_line(text), deletes = random_below(3) == 0;
    if (deletes) {
        tri_buf_add(out, text.data, b.begin);
        tri_buf_add(out, text.data + b.end, text.len - b.end);
        return;
    }
    tri_buf_add(out, text.data, to);
    add_indented(out, tri_str_sub(text, b.begin, b.end), indent_of(text, to));
    tri_buf_add(out, text.data + to, text.len - to);
}

/* An expression in brackets, or a call, in place of a word. */
static void nest(tri_str text, tri_buf *out)
{
    tri_str old = pick_word(text, random_below(2) ? WORD_NAME : WORD_NUMBER);
    tri_buf with = {0};
    if (random_below(2))
        add_call(text, &with);
    else
        tri_buf_format(&with, "(%.*s %s %.*s)", TRI_STR_ARG(old), PICK(operators),
                       TRI_STR_ARG(pick_word(text, WORD_NAME)));
    replace(text, old, tri_buf_str(&with), out);
    tri_buf_fini(&with);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static void (*const changes[])(tri_str, tri_buf *) = {exchange_word, exchange_word, exchange_word, insert_line,
                                                          insert_line,   wrap_block,    move_block,    nest};
    state = seed * 2654435761u + 12345u;
    if (random_below(10) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    tri_buf text = {0};
    tri_buf_add(&text, data, size);
    for (uint32_t n = 1 + random_below(4); n; n--) {
        tri_buf out = {0};
        PICK(changes)(tri_buf_str(&text), &out);
        tri_buf_fini(&text);
        text = out;
    }
    size_t len = text.len < max_size ? text.len : max_size;
    if (len)
        memcpy(data, text.data, len);
    tri_buf_fini(&text);
    return len;
}

/* A block of the second input goes somewhere into the first. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2, size_t size2, uint8_t *out,
                                 size_t max_size, unsigned seed)
{
    state = seed * 2654435761u + 54321u;
    tri_str into = {(const char *)data1, size1}, from = {(const char *)data2, size2};
    tri_buf buf = {0};
    part b = pick_block(from);
    size_t to = pick_line(into);
    tri_buf_add(&buf, data1, to);
    add_indented(&buf, tri_str_sub(from, b.begin, b.end), indent_of(into, to));
    tri_buf_add(&buf, data1 + to, size1 - to);
    size_t len = buf.len < max_size ? buf.len : max_size;
    if (len)
        memcpy(out, buf.data, len);
    tri_buf_fini(&buf);
    return len;
}
