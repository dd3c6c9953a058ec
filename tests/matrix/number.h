/* Element types, bit-exact conversions and comparison of arrays, written from the formats' definitions and
 * without a line of the compiler: what the matrix takes for right. Also compiled into the runner that goes
 * to machines without the compiler. */
#ifndef TRI_TESTS_MATRIX_NUMBER_H
#define TRI_TESTS_MATRIX_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef long double m_real; /* exact for every element type; 11 bits finer than fp64 */
typedef __int128 m_wide;    /* exact for every integer type */

typedef enum {
    M_I1, M_I8, M_I16, M_I32, M_I64, M_U8, M_U16, M_U32, M_U64, M_F8E5, M_F8E4, M_F16, M_BF16, M_F32, M_F64, M_DTYPES
} m_dtype;

/* "f32"; as tl.* spells it; as signatures do; bytes in memory */
const char *m_dtype_name(m_dtype dtype);
const char *m_dtype_tl(m_dtype dtype);
const char *m_dtype_signature(m_dtype dtype);
int m_dtype_size(m_dtype dtype);
int m_dtype_bits(m_dtype dtype); /* 1 for I1 */
bool m_dtype_is_float(m_dtype dtype);
bool m_dtype_is_signed(m_dtype dtype); /* false for floats */
/* The type of that name, M_DTYPES when there is none; reads up to a blank, comma or the end. */
m_dtype m_dtype_find(const char *name);

typedef enum { M_NEAREST, M_TOWARD_ZERO } m_rounding;

/* Floats only. Encoding rounds once; overflow gives infinity, in fp8 the largest finite number. */
m_real m_decode(m_dtype dtype, uint64_t bits);
uint64_t m_encode(m_dtype dtype, m_real value, m_rounding rounding);

typedef struct {
    m_dtype dtype;
    int64_t count;
    void *data;
} m_array;

uint64_t m_bits(const m_array *a, int64_t i);
void m_set_bits(m_array *a, int64_t i, uint64_t bits);
/* Any type as a real; integers as integers. Setting rounds to nearest or takes the low bits. */
m_real m_get(const m_array *a, int64_t i);
m_wide m_get_int(const m_array *a, int64_t i);
void m_set(m_array *a, int64_t i, m_real value);
void m_set_int(m_array *a, int64_t i, m_wide value);
/* The value after a trip through the type. */
m_real m_round(m_dtype dtype, m_real value);

/* Equal when the bits are, both are NaN, the distance is at most `ulps` steps of the type, or
 * |got - want| <= atol + rtol |want|. Without `is_strict` zeros of both signs are equal. */
typedef struct {
    double ulps, rtol, atol;
    bool is_strict;
} m_tolerance;

bool m_equal(const m_array *got, const m_array *want, int64_t i, m_tolerance tolerance);
/* Number of differing elements; the first few are written to `out` with `name`. */
int64_t m_compare(const m_array *got, const m_array *want, m_tolerance tolerance, const char *name, FILE *out);

#endif
