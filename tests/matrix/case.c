#include "tests/matrix/matrix.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- text and arguments ------------------------------------------------------------------ */

void m_text(m_case *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text;
    if (vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    tri_buf_add_z(&c->text, text);
    free(text);
}

void m_ir(m_case *c)
{
    c->is_ir = true;
    c->text.len = 0;
    c->targets &= ~(unsigned)M_ON_GPU;
}

const char *m_format(m_case *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text;
    if (vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    const char *copy = tri_arena_copy(c->arena, text, strlen(text));
    free(text);
    return copy;
}

void *m_alloc(m_case *c, size_t size)
{
    return tri_arena_alloc(c->arena, size);
}

/* Only there when this program is linked with AddressSanitizer. */
extern void __asan_poison_memory_region(const volatile void *data, size_t size) __attribute__((weak));

/* One array after another with a gap, aligned as allocators of GPUs do. */
m_array m_new_array(m_case *c, m_dtype dtype, int64_t count)
{
    size_t size = (size_t)count * (size_t)m_dtype_size(dtype);
    char *start = tri_arena_alloc(c->arena, size + 512), *data = start + 256 - (uintptr_t)start % 256;
    if (__asan_poison_memory_region) {
        __asan_poison_memory_region(start, (size_t)(data - start));
        __asan_poison_memory_region(data + size, 512 - (size_t)(data - start));
    }
    return (m_array){dtype, count, data};
}

static m_arg *add(m_case *c, m_role role, const char *name)
{
    if (c->num_args == M_MAX_ARGS)
        abort();
    m_arg *a = &c->args[c->num_args++];
    *a = (m_arg){.role = role, .name = name};
    return a;
}

m_array *m_in(m_case *c, const char *name, m_dtype dtype, int64_t count)
{
    m_arg *a = add(c, M_IN, name);
    a->data = m_new_array(c, dtype, count);
    return &a->data;
}

m_array *m_out(m_case *c, const char *name, m_dtype dtype, int64_t count)
{
    m_arg *a = add(c, M_OUT, name);
    a->data = m_new_array(c, dtype, count);
    a->want = m_new_array(c, dtype, count);
    memset(a->data.data, 0xcd, (size_t)count * (size_t)m_dtype_size(dtype));
    memset(a->want.data, 0xcd, (size_t)count * (size_t)m_dtype_size(dtype));
    return &a->want;
}

m_array *m_inout(m_case *c, const char *name, const m_array *start)
{
    m_arg *a = add(c, M_INOUT, name);
    size_t size = (size_t)start->count * (size_t)m_dtype_size(start->dtype);
    a->data = m_new_array(c, start->dtype, start->count);
    a->want = m_new_array(c, start->dtype, start->count);
    memcpy(a->data.data, start->data, size);
    memcpy(a->want.data, start->data, size);
    return &a->want;
}

void m_scalar(m_case *c, const char *name, m_dtype dtype, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text;
    if (vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    m_arg *a = add(c, M_SCALAR, name);
    a->dtype = dtype;
    a->text = tri_arena_copy(c->arena, text, strlen(text));
    free(text);
}

void m_constexpr(m_case *c, const char *name, int64_t value)
{
    add(c, M_CONSTEXPR, name)->text = m_format(c, "%lld", (long long)value);
}

const char *m_signature(m_case *c)
{
    tri_buf text = {0};
    for (int i = 0; i < c->num_args; i++) {
        const m_arg *a = &c->args[i];
        tri_buf_format(&text, "%s%s=", i ? ", " : "k(", a->name);
        if (a->role == M_CONSTEXPR)
            tri_buf_add_z(&text, a->text);
        else if (a->role == M_SCALAR)
            tri_buf_add_z(&text, m_dtype_signature(a->dtype));
        else
            /* every other array is known to be small, for which AMD GPUs have other code */
            tri_buf_format(&text, "*%s:16%s", m_dtype_signature(a->data.dtype), i % 2 ? ":S" : "");
    }
    tri_buf_add_z(&text, ")");
    const char *copy = tri_arena_copy(c->arena, text.data, text.len);
    tri_buf_fini(&text);
    return copy;
}

/* --- data -------------------------------------------------------------------------------- */

/* splitmix64 */
uint64_t m_random(m_case *c)
{
    uint64_t z = c->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int64_t m_below(m_case *c, int64_t n)
{
    return (int64_t)(m_random(c) % (uint64_t)n);
}

void m_fill_uniform(m_case *c, m_array *a, double low, double high)
{
    for (int64_t i = 0; i < a->count; i++) {
        double unit = (double)(m_random(c) >> 11) * 0x1p-53;
        double value = low + unit * (high - low);
        m_set(a, i, m_dtype_is_float(a->dtype) ? (m_real)value : floorl((m_real)value));
    }
}

void m_fill_quarters(m_case *c, m_array *a)
{
    bool is_float = m_dtype_is_float(a->dtype);
    for (int64_t i = 0; i < a->count; i++)
        if (is_float)
            m_set(a, i, (m_real)(m_below(c, 17) - 8) / 4);
        else
            m_set_int(a, i, m_below(c, 17) - (m_dtype_is_signed(a->dtype) ? 8 : 0));
}

void m_fill_ints(m_case *c, m_array *a, int64_t low, int64_t high)
{
    for (int64_t i = 0; i < a->count; i++) {
        int64_t value = low + m_below(c, high - low);
        if (m_dtype_is_float(a->dtype))
            m_set(a, i, (m_real)value);
        else
            m_set_int(a, i, value);
    }
}

static uint64_t special(m_case *c, m_dtype dtype, int64_t i)
{
    static const double reals[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 7, -100, 0.1, -0.3, 1e-3, 10};
    int bits = m_dtype_bits(dtype);
    uint64_t top = 1ull << (bits - 1), all = top - 1 + top;
    if (dtype == M_I1)
        return m_random(c) & 1;
    if (!m_dtype_is_float(dtype)) {
        const uint64_t fixed[] = {0, 1, all, top, top - 1, top + 1, 2,       all - 1,
                                  3, 7, 8,   10,  0x55,    all / 3, all / 7, 100};
        return i < 16 ? fixed[i] & all : i % 2 ? m_random(c) & all : (m_random(c) & 15);
    }
    if (i < 16)
        return m_encode(dtype, (m_real)reals[i], M_NEAREST);
    uint64_t inf = m_encode(dtype, INFINITY, M_NEAREST), nan = m_encode(dtype, NAN, M_NEAREST);
    uint64_t one = m_encode(dtype, 1, M_NEAREST);
    const uint64_t codes[] = {inf,     inf | top,       nan,     1,       1 | top,         2,
                              inf - 1, (inf - 1) | top, one + 1, one - 1, (one + 1) | top, nan | top};
    if (i < 28)
        return codes[i - 16];
    if (i % 2)
        return m_random(c) & all;
    return m_encode(dtype, (m_real)((double)(int64_t)m_random(c) * 0x1p-61), M_NEAREST);
}

enum { special_count = 28 };

void m_fill_special(m_case *c, m_array *a)
{
    for (int64_t i = 0; i < a->count; i++)
        m_set_bits(a, i, special(c, a->dtype, i));
}

void m_fill_special_pair(m_case *c, m_array *a, m_array *b)
{
    enum { pairs = special_count * special_count };
    bool fits = a->count >= pairs;
    for (int64_t i = 0; i < a->count; i++) {
        bool is_pair = fits && i < pairs;
        m_set_bits(a, i, special(c, a->dtype, is_pair ? i % special_count : i));
        m_set_bits(b, i, special(c, b->dtype, is_pair ? i / special_count : fits ? i : (i * 5 + 3) % 31));
    }
}

void m_make_finite(m_array *a)
{
    for (int64_t i = 0; i < a->count; i++)
        if (!isfinite(m_get(a, i)))
            m_set(a, i, 1.25L + (m_real)(i % 3));
}

void m_fill_permutation(m_case *c, m_array *a)
{
    for (int64_t i = 0; i < a->count; i++)
        m_set(a, i, (m_real)i);
    for (int64_t i = a->count - 1; i > 0; i--) {
        int64_t j = m_below(c, i + 1);
        uint64_t bits = m_bits(a, i);
        m_set_bits(a, i, m_bits(a, j));
        m_set_bits(a, j, bits);
    }
}
