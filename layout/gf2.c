#include "layout/gf2.h"

#include "base/diag.h"

void tri_gf2_init(tri_gf2 *m)
{
    m->rank = 0;
    m->added = 0;
}

uint64_t tri_gf2_reduce(const tri_gf2 *m, uint64_t vector, uint64_t *out_from)
{
    uint64_t from = 0;
    /* Rows are sorted by pivot and a row has no bit below its pivot, so one pass is enough. */
    for (int i = 0; i < m->rank; i++) {
        if (vector >> m->pivot[i] & 1) {
            vector ^= m->row[i];
            from ^= m->from[i];
        }
    }
    if (out_from)
        *out_from = from;
    return vector;
}

bool tri_gf2_add(tri_gf2 *m, uint64_t vector)
{
    TRI_ASSERT(m->added < 64);
    uint64_t from, rest = tri_gf2_reduce(m, vector, &from);
    from ^= (uint64_t)1 << m->added++;
    if (!rest)
        return false;
    int pivot = __builtin_ctzll(rest), at = m->rank++;
    for (; at > 0 && m->pivot[at - 1] > pivot; at--) {
        m->row[at] = m->row[at - 1];
        m->from[at] = m->from[at - 1];
        m->pivot[at] = m->pivot[at - 1];
    }
    m->row[at] = rest;
    m->from[at] = from;
    m->pivot[at] = pivot;
    return true;
}

int tri_gf2_rank(int n, const uint64_t *vectors)
{
    tri_gf2 m;
    tri_gf2_init(&m);
    for (int i = 0; i < n; i++)
        tri_gf2_add(&m, vectors[i]);
    return m.rank;
}

int tri_gf2_intersect(int na, const uint64_t *a, int nb, const uint64_t *b, uint64_t *out)
{
    tri_gf2 sum, found;
    tri_gf2_init(&sum);
    tri_gf2_init(&found);
    int n = 0;
    for (int i = 0; i < na; i++) {
        tri_gf2_add(&sum, a[i]);
        for (int j = 0; j < nb; j++) {
            if (a[i] == b[j] && tri_gf2_add(&found, a[i])) {
                out[n++] = a[i];
                break;
            }
        }
    }
    uint64_t a_mask = na < 64 ? ((uint64_t)1 << na) - 1 : ~(uint64_t)0;
    for (int j = 0; j < nb; j++) {
        /* b[j] as a sum of a's and earlier b's: the a part lies in both spans. */
        uint64_t from, part = 0;
        if (tri_gf2_reduce(&sum, b[j], &from) == 0) {
            for (uint64_t rest = from & a_mask; rest; rest &= rest - 1)
                part ^= a[__builtin_ctzll(rest)];
            if (tri_gf2_add(&found, part))
                out[n++] = part;
        }
        tri_gf2_add(&sum, b[j]);
    }
    return n;
}

int tri_gf2_complement(int n, const uint64_t *vectors, int bits, uint64_t *out)
{
    tri_gf2 m;
    tri_gf2_init(&m);
    for (int i = 0; i < n; i++)
        tri_gf2_add(&m, vectors[i]);
    int count = 0, next = 0;
    for (int c = 0; c < bits; c++) {
        if (next < m.rank && m.pivot[next] == c)
            next++;
        else
            out[count++] = (uint64_t)1 << c;
    }
    return count;
}
