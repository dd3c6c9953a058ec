/* Arrays that kernels run on: element types, .npy files, generators, comparison. */
#ifndef TRI_RUNTIME_RUN_ARRAY_H
#define TRI_RUNTIME_RUN_ARRAY_H

#include "base/diag.h"

typedef enum {
    TRI_DTYPE_I1,
    TRI_DTYPE_I8,
    TRI_DTYPE_I16,
    TRI_DTYPE_I32,
    TRI_DTYPE_I64,
    TRI_DTYPE_U8,
    TRI_DTYPE_U16,
    TRI_DTYPE_U32,
    TRI_DTYPE_U64,
    TRI_DTYPE_F16,
    TRI_DTYPE_BF16,
    TRI_DTYPE_F32,
    TRI_DTYPE_F64,
    TRI_DTYPE_F8E4,
    TRI_DTYPE_F8E5,
    TRI_DTYPE_COUNT
} tri_dtype;

enum { TRI_ARRAY_MAX_RANK = 8 };

/* Row-major. `data` is in the arena of its maker. */
typedef struct {
    tri_dtype dtype;
    int rank;
    int64_t shape[TRI_ARRAY_MAX_RANK];
    int64_t count; /* elements */
    void *data;
} tri_array;

size_t tri_dtype_size(tri_dtype dtype);
/* Spelling in arguments ("f16"), and in signatures ("fp16"). */
const char *tri_dtype_name(tri_dtype dtype);
const char *tri_dtype_signature(tri_dtype dtype);
/* Both spellings and numpy's are understood, and u1, which signatures call a boolean. */
bool tri_dtype_find(tri_str name, tri_dtype *out_dtype);
bool tri_dtype_is_float(tri_dtype dtype);

/* One element as a double (64-bit integers lose low bits), and rounded to nearest even from one. */
double tri_array_get(const tri_array *array, int64_t i);
void tri_array_set(tri_array *array, int64_t i, double value);

/* A zeroed array. */
tri_array tri_array_create(tri_arena *arena, tri_dtype dtype, int rank, const int64_t *shape);

/* Parses "64x64" or "5". Rank 0 for "". */
bool tri_array_parse_shape(tri_str text, int *out_rank, int64_t *out_shape);

/* Fills: `name` is zeros, ones, full, empty (NaN, or all bits set for integers), arange, randn, rand,
 * randint; `options` are "seed=1,low=0,high=10,value=2,start=0,step=1". False after a report. */
bool tri_array_fill(tri_diag *diag, tri_array *array, tri_str name, tri_str options);
bool tri_array_is_generator(tri_str name);
/* The generator or type that `name` may be meant to be, for "did you mean"; null when none is near. */
const char *tri_array_nearest_word(tri_str name);

/* .npy version 1 to 3, either byte order, C or Fortran order. `as` is the type that the elements must have
 * (TRI_DTYPE_COUNT: any). bf16 and fp8, which .npy does not know, are stored as raw bits ("<u2", "|u1", "|V2"), which
 * become that type when `as` says so; so do integers of the other signedness. False after a report. */
bool tri_array_read_npy(tri_diag *diag, tri_arena *arena, tri_str path, tri_dtype as, tri_array *out_array);
/* Can raw bits of `stored` elements be meant as elements of `meant`? */
bool tri_array_can_view(tri_dtype stored, tri_dtype meant);
bool tri_array_write_npy(tri_diag *diag, tri_str path, const tri_array *array);

/* Prints at most `limit` elements, rows on lines; long rows on several, which begin with their place. */
void tri_array_print(const tri_array *array, tri_str name, int64_t limit, tri_buf *out);

/* Compares |got - want| <= atol + rtol |want|, NaN equal to NaN, integers without rounding. On a difference writes how
 * many elements differ and the worst five to `out` and returns false. Shapes must agree. */
bool tri_array_compare(const tri_array *got, const tri_array *want, double rtol, double atol, tri_buf *out);

#endif
