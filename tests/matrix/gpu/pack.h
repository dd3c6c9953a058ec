/* The file between tests/matrix/matrix and gpu/runner.c. Cases follow each other; a case is a sequence of
 * blocks, each with its length in 8 bytes before it: pack_case, its name, the PTX or cubin, and for each
 * argument pack_argument, its name, the bytes that it starts with (arrays) and the bytes that are
 * expected (results). Written and read by machines of one byte order. */
#ifndef TRI_TESTS_MATRIX_GPU_PACK_H
#define TRI_TESTS_MATRIX_GPU_PACK_H

#include <stdint.h>

enum { PACK_MAGIC = 0x4b415054 };

typedef struct {
    uint32_t magic, num_args, grid[3], threads, shared, scratch;
} pack_case;

typedef enum { PACK_SCALAR, PACK_INPUT, PACK_RESULT } pack_kind;

typedef struct {
    uint32_t kind, dtype; /* m_dtype */
    uint64_t bits;        /* SCALAR */
    int64_t count;        /* arrays */
    double ulps, rtol, atol;
    uint64_t is_strict;
} pack_argument;

#endif
