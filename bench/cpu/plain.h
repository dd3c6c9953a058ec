#ifndef TRI_BENCH_CPU_PLAIN_H
#define TRI_BENCH_CPU_PLAIN_H

void plain_vecadd(const float *x, const float *y, float *out, int n);
void plain_axpy(const float *x, float *y, float a, int n);
void plain_gelu(const float *x, float *out, int n);
void plain_softmax(const float *x, float *out, int rows, int n);
void plain_layernorm(const float *x, float *out, const float *w, const float *b, int rows, int n, float eps);
void plain_rowsum(const float *x, float *out, int rows, int n);
void plain_transpose(const float *x, float *out, int m, int n, int pitch);
void plain_matmul(const float *a, const float *b, float *c, int m, int n, int k);
void plain_attention(const float *q, const float *k, const float *v, float *out, int rows, int n,
                     float scale);

#endif
