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

/* m rows of x, which become columns of out; a column of out has `pitch` elements. */
void plain_transpose(const float *x, float *out, int m, int n, int pitch)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            out[(long)j * pitch + i] = x[(long)i * n + j];
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

/* `rows` queries, a multiple of 4, against n keys, a multiple of 64: blocks of 4 queries by 64 keys. */
void plain_attention(const float *q, const float *k, const float *v, float *out, int rows, int n, float scale)
{
    enum { d = 64, block = 64, group = 4 };
    for (int i = 0; i < rows; i += group) {
        float top[group], sum[group] = {0}, acc[group][d] = {{0}}, s[group][block], keys[d][block];
        for (int u = 0; u < group; u++)
            top[u] = -INFINITY;
        for (int lo = 0; lo < n; lo += block) {
            for (int j = 0; j < block; j++)
                for (int p = 0; p < d; p++)
                    keys[p][j] = k[(lo + j) * d + p];
            memset(s, 0, sizeof s);
            for (int p = 0; p < d; p++)
                for (int u = 0; u < group; u++)
                    for (int j = 0; j < block; j++)
                        s[u][j] += q[(i + u) * d + p] * keys[p][j];
            for (int u = 0; u < group; u++) {
                float now = top[u], part = 0;
                for (int j = 0; j < block; j++) {
                    s[u][j] *= scale;
                    now = s[u][j] > now ? s[u][j] : now;
                }
                float alpha = expf(top[u] - now);
                for (int j = 0; j < block; j++)
                    part += s[u][j] = expf(s[u][j] - now);
                sum[u] = sum[u] * alpha + part;
                for (int p = 0; p < d; p++)
                    acc[u][p] *= alpha;
                top[u] = now;
            }
            for (int j = 0; j < block; j++)
                for (int u = 0; u < group; u++)
                    for (int p = 0; p < d; p++)
                        acc[u][p] += s[u][j] * v[(lo + j) * d + p];
        }
        for (int u = 0; u < group; u++)
            for (int p = 0; p < d; p++)
                out[(i + u) * d + p] = acc[u][p] / sum[u];
    }
}
