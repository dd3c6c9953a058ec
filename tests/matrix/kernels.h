/* What the files of whole kernels share. */
#ifndef TRI_TESTS_MATRIX_KERNELS_H
#define TRI_TESTS_MATRIX_KERNELS_H

#include "tests/matrix/matrix.h"

/* A case that runs `function` of kernels/FILE; null when it is not wanted. */
m_case *m_begin_kernel(m_context *ctx, const char *file, const char *function, const char *name);
/* An i32 argument. */
void m_number(m_case *c, const char *name, int64_t value);
/* What an element of that type is exact to, relatively. */
double m_epsilon(m_dtype type);

void m_kernels_products(m_context *ctx);

#endif
