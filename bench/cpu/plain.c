/* The same work as straightforward C. */
#include "plain.h"

#include <math.h>
#include <string.h>

void plain_vecadd(const float *x, const float *y, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = x[i] + y[i];
}

void plain_axpy(const float *x, float *y, float a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

void plain_gelu(const float *x, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f));
}

void plain_softmax(const float *x, float *out, int rows, int n)
{
    for (int r = 0; r < rows; r++, x += n, out += n) {
        float top = x[0], sum = 0;
        for (int j = 1; j < n; j++)
            top = x[j] > top ? x[j] : top;
        for (int j = 0; j < n; j++)
            sum += out[j] = expf(x[j] - top);
        for (int j = 0; j < n; j++)
            out[j] /= sum;
    }
}

void plain_layernorm(const float *x, float *out, const float *w, const float *b, int rows, int n, float eps)
{
    for (int r = 0; r < rows; r++, x += n, out += n) {
        float mean = 0, squares = 0;
        for (int j = 0; j < n; j++)
            mean += x[j];
        mean /= (float)n;
        for (int j = 0; j < n; j++)
            squares += (x[j] - mean) * (x[j] - mean);
        float rstd = 1 / sqrtf(squares / (float)n + eps);
        for (int j = 0; j < n; j++)
            out[j] = (x[j] - mean) * rstd * w[j] + b[j];
    }
}

void plain_rowsum(const float *x, float *out, int rows, int n)
{
    for (int r = 0; r < rows; r++) {
        float sum = 0;
        for (int j = 0; j < n; j++)
            sum += x[(long)r * n + j];
        out[r] = sum;
    }
}

void plain_transpose(const float *x, float *out, int m, int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            out[(long)j * m + i] = x[(long)i * n + j];
}

void plain_matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    for (int i = 0; i < m; i++) {
        float *row = c + (long)i * n;
        memset(row, 0, sizeof *row * (unsigned)n);
        for (int p = 0; p < k; p++)
            for (int j = 0; j < n; j++)
                row[j] += a[(long)i * k + p] * b[(long)p * n + j];
    }
}

/* Rows of queries against blocks of keys, as the kernel does it. */
void plain_attention(const float *q, const float *k, const float *v, float *out, int n, float scale)
{
    enum { d = 64, block = 64 };
    for (int i = 0; i < n; i++) {
        float top = -INFINITY, sum = 0, acc[d] = {0}, s[block];
        for (int lo = 0; lo < n; lo += block) {
            int end = n - lo < block ? n - lo : block;
            float now = top;
            for (int j = 0; j < end; j++) {
                float dot = 0;
                for (int p = 0; p < d; p++)
                    dot += q[i * d + p] * k[(lo + j) * d + p];
                s[j] = dot * scale;
                now = s[j] > now ? s[j] : now;
            }
            float alpha = expf(top - now);
            sum *= alpha;
            for (int p = 0; p < d; p++)
                acc[p] *= alpha;
            for (int j = 0; j < end; j++) {
                float e = expf(s[j] - now);
                sum += e;
                for (int p = 0; p < d; p++)
                    acc[p] += e * v[(lo + j) * d + p];
            }
            top = now;
        }
        for (int p = 0; p < d; p++)
            out[i * d + p] = acc[p] / sum;
    }
}
