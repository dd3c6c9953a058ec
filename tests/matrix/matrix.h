/* The execution matrix: every function of the language x element types x shapes, run from source on the
 * host and on the simulator (and packed for a machine with a GPU), each against a reference in plain C.
 *
 * A group is a file of tables: one row per function, with the text of the kernel or of an expression, the
 * types, the shapes, the reference and the tolerance. Its function walks the tables and makes a case of
 * each row for each type and shape:
 *
 *     m_case *c = m_begin(ctx, "exp %s", name);         null: not wanted this time
 *     if (!c) continue;
 *     m_text(c, "@triton.jit\ndef k(x, o, N: tl.constexpr): ...");
 *     m_array *x = m_in(c, "x", M_F32, n), *want = m_out(c, "o", M_F32, n);
 *     m_fill_uniform(c, x, -1, 1);
 *     for (i ...) m_set(want, i, exp(m_get(x, i)));
 *     m_constexpr(c, "N", n);
 *     c->tolerance.ulps = 1;
 *     m_end(ctx, c);                                    runs it, reports, frees it
 */
#ifndef TRI_TESTS_MATRIX_MATRIX_H
#define TRI_TESTS_MATRIX_MATRIX_H

#include "base/arena.h"
#include "base/str.h"
#include "tests/matrix/number.h"

enum { M_MAX_ARGS = 24 };

typedef enum { M_IN, M_OUT, M_INOUT, M_SCALAR, M_CONSTEXPR } m_role;

typedef struct {
    m_role role;
    const char *name;
    m_array data;     /* what the kernel starts with; OUT: poison */
    m_array want;     /* OUT, INOUT */
    m_dtype dtype;    /* SCALAR */
    const char *text; /* SCALAR, CONSTEXPR: as Python spells it */
    m_tolerance *tolerance; /* null: the case's */
    bool is_unchecked;
} m_arg;

/* Where a case can run. */
enum { M_ON_HOST = 1, M_ON_SIM = 2, M_ON_GPU = 4, M_EVERYWHERE = 7 };

typedef struct {
    tri_arena *arena;
    const char *name; /* "group: row types shape" */
    uint64_t random;
    tri_buf text;
    m_arg args[M_MAX_ARGS];
    int num_args;
    uint32_t grid[3];
    m_tolerance tolerance, gpu_tolerance; /* the latter on GPU and simulator, unless all zero */
    unsigned targets;    /* M_ON_... */
    int warps, stages;   /* 0: warps vary from case to case, stages are the default */
    int least_arch;      /* 89, 90: not for sm_80 */
    bool is_undefined;   /* on purpose: no place for -fsanitize=undefined */
    bool is_on_both;     /* the simulator runs it as code of either architecture: they differ */
    bool is_ir;          /* the text is ttir or ttgir; not packed */
    const char *error;   /* "TRI-3012": the compiler must reject it with that code, at a line of the text */
    unsigned error_targets; /* where `error` is expected; elsewhere the case runs */
} m_case;

typedef struct m_context m_context;

m_case *m_begin(m_context *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));
void m_end(m_context *ctx, m_case *c);

/* The source. m_text appends; the imports are there already. */
void m_text(m_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The source is ttir instead, or ttgir: what m_text has made so far is dropped. */
void m_ir(m_case *c);
/* printf into the case's arena */
const char *m_format(m_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Arguments in the order of the kernel's parameters. Arrays are zero (IN, INOUT) or poison (OUT). M_OUT
 * and M_INOUT return the reference result, to be filled; m_data the start value of the last argument. */
m_array *m_in(m_case *c, const char *name, m_dtype dtype, int64_t count);
m_array *m_out(m_case *c, const char *name, m_dtype dtype, int64_t count);
m_array *m_inout(m_case *c, const char *name, const m_array *start);
void m_scalar(m_case *c, const char *name, m_dtype dtype, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void m_constexpr(m_case *c, const char *name, int64_t value);
m_array m_new_array(m_case *c, m_dtype dtype, int64_t count);
void *m_alloc(m_case *c, size_t size);

/* Random bits, and in [0, n). */
uint64_t m_random(m_case *c);
int64_t m_below(m_case *c, int64_t n);
/* Uniform reals in [low, high), rounded to the type; whole numbers for integer types. */
void m_fill_uniform(m_case *c, m_array *a, double low, double high);
/* Multiples of 1/4 in [-2, 2]: sums and products of a few thousand are exact in fp32. */
void m_fill_quarters(m_case *c, m_array *a);
/* First every special value (zeros, infinities, NaN, limits, subnormals, halves), then random codes. */
void m_fill_special(m_case *c, m_array *a);
/* Every pair of special values when there is room (784), then random codes. */
void m_fill_special_pair(m_case *c, m_array *a, m_array *b);
/* Finite values only. */
void m_make_finite(m_array *a);
/* Whole numbers low..high-1. */
void m_fill_ints(m_case *c, m_array *a, int64_t low, int64_t high);
/* A shuffled 0..count-1. */
void m_fill_permutation(m_case *c, m_array *a);

/* --- elementwise kernels (elementwise.c) ---------------------------------------------------- */

enum { M_SHAPES = 4 }; /* one masked block; several masked programs; a 2-D block; scalars */

typedef struct {
    m_case *c;      /* null: not wanted */
    m_array *in[4]; /* named a b d e in the expression */
    m_array *want;
    int64_t n;
} m_elementwise;

/* "r = EXPR" over `count` inputs, with the result's type asserted. `before`: statements before it, each
 * line indented by four, or "". */
m_elementwise m_begin_elementwise(m_context *ctx, const char *name, int shape, int count, const m_dtype *types,
                                  m_dtype result, const char *before, const char *expression);

/* Groups: X(name). */
#define M_GROUPS(X)                                                                                                    \
    X(math)                                                                                                            \
    X(integers) X(casts) X(reductions) X(scans) X(products) X(memory) X(shapes) X(atomics) X(random) X(sorting)        \
        X(promotion) X(kernels) X(language) X(library) X(dialect) X(operations) X(assembly)

#define M_DECLARE(group) void m_group_##group(m_context *ctx);
M_GROUPS(M_DECLARE)
#undef M_DECLARE

/* --- how cases run (host.c, pack.c) -------------------------------------------------------- */

typedef struct {
    const char *arch; /* "x86-64-v3", "sim:sm_80" */
    int warps;        /* 0 on the host */
    bool is_stepped;      /* on the host: -g -O0 */
    const char *sanitize; /* on the host: a list for -fsanitize=; null: no checks */
} m_place;

/* Compiles and runs; what is wrong is written to `out` as "# ..." lines. Where the place cannot run the case, and says
 * so at a line of it, that is an answer, too. */
bool m_host_run(m_case *c, m_place place, FILE *out, bool *out_is_refused);

/* Compiles for a GPU and appends the case to a file that gpu/runner.c reads. */
bool m_pack_case(m_case *c, const char *arch, int warps, FILE *pack, FILE *out);

/* "k(x=*fp32:16, N=64)" */
const char *m_signature(m_case *c);

#endif
