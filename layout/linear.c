#include "layout/linear.h"

#include "base/diag.h"
#include "layout/gf2.h"

static int find_linear(const tri_dims *dims, tri_dim dim)
{
    for (int i = 0; i < dims->count; i++)
        if (dims->dim[i] == dim)
            return i;
    return -1;
}

static void append_dim(tri_dims *dims, tri_dim dim, int bits)
{
    TRI_ASSERT(find_linear(dims, dim) < 0 && dims->count < TRI_LINEAR_MAX_DIMS);
    dims->dim[dims->count] = dim;
    dims->bits[dims->count++] = bits;
}

static int shift_at(const tri_dims *dims, int position)
{
    int shift = 0;
    for (int i = 0; i < position; i++)
        shift += dims->bits[i];
    return shift;
}

static int total(const tri_dims *dims) { return shift_at(dims, dims->count); }

static uint64_t low_mask(int bits) { return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1; }

const char *tri_linear_dim_name(tri_dim dim)
{
    static const char *const names[] = {
        "register", "lane", "warp", "block", "offset", "iteration", "partition", "row",  "col",
        "dim0",     "dim1", "dim2", "dim3",  "dim4",   "dim5",      "dim6",      "dim7",
    };
    TRI_ASSERT((unsigned)dim <= TRI_DIM_LAST);
    return names[dim];
}

int tri_linear_log2(int64_t size)
{
    TRI_ASSERT(size > 0 && (size & (size - 1)) == 0);
    return __builtin_ctzll((uint64_t)size);
}

/* ---- making ---- */

tri_linear tri_linear_empty(void)
{
    tri_linear l;
    memset(&l, 0, sizeof l);
    return l;
}

void tri_linear_add_out(tri_linear *l, tri_dim out, int bits)
{
    append_dim(&l->out, out, bits);
    TRI_ASSERT(total(&l->out) <= 64);
}

void tri_linear_add_in(tri_linear *l, tri_dim in)
{
    if (find_linear(&l->in, in) < 0)
        append_dim(&l->in, in, 0);
}

void tri_linear_add_basis(tri_linear *l, tri_dim in, uint64_t packed)
{
    tri_linear_add_in(l, in);
    int at = find_linear(&l->in, in);
    TRI_ASSERT(l->in.bits[at] < TRI_MAX_BASES);
    TRI_ASSERT((packed & ~low_mask(total(&l->out))) == 0);
    l->basis[at][l->in.bits[at]++] = packed;
}

void tri_linear_add_coords(tri_linear *l, tri_dim in, const int32_t *coords)
{
    uint64_t packed = 0;
    int shift = 0;
    for (int d = 0; d < l->out.count; d++) {
        TRI_ASSERT(((uint64_t)(uint32_t)coords[d] & ~low_mask(l->out.bits[d])) == 0);
        packed |= (uint64_t)(uint32_t)coords[d] << shift;
        shift += l->out.bits[d];
    }
    tri_linear_add_basis(l, in, packed);
}

tri_linear tri_linear_strided(int64_t size, int64_t stride, tri_dim in, tri_dim out)
{
    tri_linear l = tri_linear_empty();
    int bits = tri_linear_log2(size), low = tri_linear_log2(stride);
    tri_linear_add_out(&l, out, bits + (bits ? low : 0));
    tri_linear_add_in(&l, in);
    for (int i = 0; i < bits; i++)
        tri_linear_add_basis(&l, in, (uint64_t)1 << (i + low));
    return l;
}

tri_linear tri_linear_identity(int64_t size, tri_dim in, tri_dim out) { return tri_linear_strided(size, 1, in, out); }

tri_linear tri_linear_zeros(int64_t size, tri_dim in, tri_dim out, int64_t out_size)
{
    tri_linear l = tri_linear_empty();
    tri_linear_add_out(&l, out, tri_linear_log2(out_size));
    tri_linear_add_in(&l, in);
    for (int i = tri_linear_log2(size); i > 0; i--)
        tri_linear_add_basis(&l, in, 0);
    return l;
}

tri_linear tri_linear_identity_nd(tri_dim in, int rank, const int32_t *shape, const int32_t *order)
{
    tri_linear l = tri_linear_empty();
    tri_linear_add_in(&l, in);
    for (int i = 0; i < rank; i++) {
        tri_linear part = tri_linear_identity(shape[order[i]], in, TRI_DIM_0 + (tri_dim)order[i]);
        l = tri_linear_product(&l, &part);
    }
    return l;
}

/* ---- asking ---- */

int tri_linear_find_in(const tri_linear *l, tri_dim in) { return find_linear(&l->in, in); }
int tri_linear_find_out(const tri_linear *l, tri_dim out) { return find_linear(&l->out, out); }

int tri_linear_in_bits(const tri_linear *l, tri_dim in)
{
    int at = find_linear(&l->in, in);
    return at < 0 ? 0 : l->in.bits[at];
}

int tri_linear_out_bits(const tri_linear *l, tri_dim out)
{
    int at = find_linear(&l->out, out);
    return at < 0 ? 0 : l->out.bits[at];
}

int tri_linear_total_in_bits(const tri_linear *l) { return total(&l->in); }
int tri_linear_total_out_bits(const tri_linear *l) { return total(&l->out); }

int tri_linear_out_shift(const tri_linear *l, tri_dim out)
{
    int at = find_linear(&l->out, out);
    return at < 0 ? 0 : shift_at(&l->out, at);
}

int64_t tri_linear_coord(const tri_linear *l, uint64_t packed, tri_dim out)
{
    return (int64_t)(packed >> tri_linear_out_shift(l, out) & low_mask(tri_linear_out_bits(l, out)));
}

uint64_t tri_linear_basis(const tri_linear *l, tri_dim in, int bit)
{
    int at = find_linear(&l->in, in);
    TRI_ASSERT(at >= 0 && bit >= 0 && bit < l->in.bits[at]);
    return l->basis[at][bit];
}

int64_t tri_linear_basis_at(const tri_linear *l, tri_dim in, int bit, tri_dim out)
{
    return tri_linear_coord(l, tri_linear_basis(l, in, bit), out);
}

static uint64_t apply_at(const tri_linear *l, int at, uint64_t value)
{
    uint64_t sum = 0;
    for (value &= low_mask(l->in.bits[at]); value; value &= value - 1)
        sum ^= l->basis[at][__builtin_ctzll(value)];
    return sum;
}

uint64_t tri_linear_apply_one(const tri_linear *l, tri_dim in, uint64_t value)
{
    int at = find_linear(&l->in, in);
    return at < 0 ? 0 : apply_at(l, at, value);
}

uint64_t tri_linear_apply(const tri_linear *l, const uint64_t *values)
{
    uint64_t sum = 0;
    for (int i = 0; i < l->in.count; i++)
        sum ^= apply_at(l, i, values[i]);
    return sum;
}

uint64_t tri_linear_apply_packed(const tri_linear *l, uint64_t index)
{
    uint64_t sum = 0;
    for (int i = 0; i < l->in.count; i++) {
        sum ^= apply_at(l, i, index);
        index >>= l->in.bits[i];
    }
    return sum;
}

static bool same_dims(const tri_dims *a, const tri_dims *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (a->dim[i] != b->dim[i] || a->bits[i] != b->bits[i])
            return false;
    return true;
}

bool tri_linear_equal(const tri_linear *a, const tri_linear *b)
{
    if (!same_dims(&a->in, &b->in) || !same_dims(&a->out, &b->out))
        return false;
    for (int i = 0; i < a->in.count; i++)
        for (int j = 0; j < a->in.bits[i]; j++)
            if (a->basis[i][j] != b->basis[i][j])
                return false;
    return true;
}

static int rank_of(const tri_linear *l)
{
    tri_gf2 m;
    tri_gf2_init(&m);
    for (int i = 0; i < l->in.count; i++)
        for (int j = 0; j < l->in.bits[i]; j++)
            tri_gf2_add(&m, l->basis[i][j]);
    return m.rank;
}

bool tri_linear_is_surjective(const tri_linear *l) { return rank_of(l) == total(&l->out); }
bool tri_linear_is_injective(const tri_linear *l) { return rank_of(l) == total(&l->in); }

uint64_t tri_linear_free_mask(const tri_linear *l, tri_dim in)
{
    tri_gf2 m;
    tri_gf2_init(&m);
    uint64_t mask = 0;
    for (int i = 0; i < l->in.count; i++)
        for (int j = 0; j < l->in.bits[i]; j++)
            if (!tri_gf2_add(&m, l->basis[i][j]) && l->in.dim[i] == in)
                mask |= (uint64_t)1 << j;
    return mask;
}

bool tri_linear_is_zero_between(const tri_linear *l, tri_dim in, tri_dim out)
{
    int at = find_linear(&l->in, in);
    uint64_t mask = low_mask(tri_linear_out_bits(l, out)) << tri_linear_out_shift(l, out);
    if (at < 0 || find_linear(&l->out, out) < 0)
        return true;
    for (int j = 0; j < l->in.bits[at]; j++)
        if (l->basis[at][j] & mask)
            return false;
    return true;
}

bool tri_linear_is_trivial_over(const tri_linear *l, tri_dim dim)
{
    int at = find_linear(&l->in, dim), bits = tri_linear_out_bits(l, dim), shift = tri_linear_out_shift(l, dim);
    if (tri_linear_in_bits(l, dim) != bits)
        return false;
    uint64_t mask = bits ? low_mask(bits) << shift : 0;
    for (int i = 0; i < l->in.count; i++) {
        for (int j = 0; j < l->in.bits[i]; j++) {
            uint64_t b = l->basis[i][j];
            if (i == at ? b != (uint64_t)1 << (j + shift) : (b & mask) != 0)
                return false;
        }
    }
    return true;
}

int64_t tri_linear_consecutive(const tri_linear *l, tri_dim in)
{
    int at = find_linear(&l->in, in), run = 0;
    if (at < 0)
        return 1;
    while (run < l->in.bits[at] && l->basis[at][run] == (uint64_t)1 << run)
        run++;
    for (int i = 0; i < l->in.count; i++)
        for (int j = i == at ? run : 0; j < l->in.bits[i]; j++)
            if (l->basis[i][j] && __builtin_ctzll(l->basis[i][j]) < run)
                run = __builtin_ctzll(l->basis[i][j]);
    return (int64_t)1 << run;
}

/* ---- reshaping ---- */

/* Moves packed words of `from` into the dimension list `to`: same names where both have them. */
static uint64_t repack(uint64_t packed, const tri_dims *from, const tri_dims *to)
{
    uint64_t out = 0;
    int shift = 0;
    for (int i = 0; i < to->count; i++) {
        int at = find_linear(from, to->dim[i]);
        if (at >= 0)
            out |= (packed >> shift_at(from, at) & low_mask(from->bits[at]) & low_mask(to->bits[i])) << shift;
        shift += to->bits[i];
    }
    return out;
}

static tri_linear with_outs(const tri_linear *l, const tri_dims *outs)
{
    TRI_ASSERT(total(outs) <= 64);
    tri_linear r = *l;
    r.out = *outs;
    for (int i = 0; i < l->in.count; i++)
        for (int j = 0; j < l->in.bits[i]; j++)
            r.basis[i][j] = repack(l->basis[i][j], &l->out, outs);
    return r;
}

tri_linear tri_linear_sublayout(const tri_linear *l, int num_ins, const tri_dim *ins, int num_outs, const tri_dim *outs)
{
    tri_linear r = tri_linear_empty();
    tri_dims kept = {0};
    for (int i = 0; i < num_outs; i++)
        append_dim(&kept, outs[i], tri_linear_out_bits(l, outs[i]));
    r.out = kept;
    for (int i = 0; i < num_ins; i++) {
        int at = find_linear(&l->in, ins[i]);
        append_dim(&r.in, ins[i], at < 0 ? 0 : l->in.bits[at]);
        for (int j = 0; at >= 0 && j < l->in.bits[at]; j++)
            r.basis[i][j] = repack(l->basis[at][j], &l->out, &kept);
    }
    return r;
}

tri_linear tri_linear_transpose_ins(const tri_linear *l, const tri_dim *ins)
{
    return tri_linear_sublayout(l, l->in.count, ins, l->out.count, l->out.dim);
}

tri_linear tri_linear_transpose_outs(const tri_linear *l, const tri_dim *outs)
{
    return tri_linear_sublayout(l, l->in.count, l->in.dim, l->out.count, outs);
}

tri_linear tri_linear_reshape_ins(const tri_linear *l, const tri_dims *dims)
{
    TRI_ASSERT(total(dims) == total(&l->in));
    tri_linear r = tri_linear_empty();
    r.out = l->out;
    r.in = *dims;
    int from = 0, bit = 0;
    for (int i = 0; i < dims->count; i++) {
        TRI_ASSERT(dims->bits[i] <= TRI_MAX_BASES);
        for (int j = 0; j < dims->bits[i]; j++) {
            while (bit == l->in.bits[from]) {
                from++;
                bit = 0;
            }
            r.basis[i][j] = l->basis[from][bit++];
        }
    }
    return r;
}

tri_linear tri_linear_reshape_outs(const tri_linear *l, const tri_dims *dims)
{
    TRI_ASSERT(total(dims) == total(&l->out));
    tri_linear r = *l;
    r.out = *dims;
    return r;
}

tri_linear tri_linear_flatten_ins(const tri_linear *l, tri_dim in)
{
    tri_dims dims = {.count = 1, .dim = {in}, .bits = {total(&l->in)}};
    return tri_linear_reshape_ins(l, &dims);
}

tri_linear tri_linear_flatten_outs(const tri_linear *l, tri_dim out)
{
    tri_dims dims = {.count = 1, .dim = {out}, .bits = {total(&l->out)}};
    return tri_linear_reshape_outs(l, &dims);
}

static void rename_dim(tri_dims *dims, tri_dim from, tri_dim to)
{
    int at = find_linear(dims, from);
    TRI_ASSERT(at >= 0 && (from == to || find_linear(dims, to) < 0));
    dims->dim[at] = to;
}

tri_linear tri_linear_rename_in(const tri_linear *l, tri_dim from, tri_dim to)
{
    tri_linear r = *l;
    rename_dim(&r.in, from, to);
    return r;
}

tri_linear tri_linear_rename_out(const tri_linear *l, tri_dim from, tri_dim to)
{
    tri_linear r = *l;
    rename_dim(&r.out, from, to);
    return r;
}

/* Keeps the bits of `in` that are not in `mask`. */
static tri_linear without_bits(const tri_linear *l, tri_dim in, uint64_t mask)
{
    tri_linear r = *l;
    int at = find_linear(&l->in, in);
    if (at < 0)
        return r;
    r.in.bits[at] = 0;
    for (int j = 0; j < l->in.bits[at]; j++)
        if (!(mask >> j & 1))
            r.basis[at][r.in.bits[at]++] = l->basis[at][j];
    return r;
}

tri_linear tri_linear_remove_zero_bases(const tri_linear *l, tri_dim in)
{
    uint64_t mask = 0;
    for (int j = 0; j < tri_linear_in_bits(l, in); j++)
        if (tri_linear_basis(l, in, j) == 0)
            mask |= (uint64_t)1 << j;
    return without_bits(l, in, mask);
}

tri_linear tri_linear_remove_free_bits(const tri_linear *l, tri_dim in)
{
    return without_bits(l, in, tri_linear_free_mask(l, in));
}

tri_linear tri_linear_resize_in(const tri_linear *l, tri_dim in, int bits)
{
    TRI_ASSERT(bits >= 0 && bits <= TRI_MAX_BASES);
    tri_linear r = *l;
    tri_linear_add_in(&r, in);
    int at = find_linear(&r.in, in);
    for (int j = r.in.bits[at]; j < bits; j++)
        r.basis[at][j] = 0;
    r.in.bits[at] = bits;
    return r;
}

tri_linear tri_linear_resize_out(const tri_linear *l, tri_dim out, int bits)
{
    tri_dims outs = l->out;
    int at = find_linear(&outs, out), old = tri_linear_out_bits(l, out), shift = tri_linear_out_shift(l, out);
    if (at < 0)
        append_dim(&outs, out, bits);
    else
        outs.bits[at] = bits;
    for (int i = 0; bits < old && i < l->in.count; i++)
        for (int j = 0; j < l->in.bits[i]; j++)
            TRI_ASSERT((l->basis[i][j] >> shift & low_mask(old) & ~low_mask(bits)) == 0);
    return with_outs(l, &outs);
}

static tri_dims without_dim(const tri_dims *dims, tri_dim dim)
{
    tri_dims r = {0};
    for (int i = 0; i < dims->count; i++)
        if (dims->dim[i] != dim)
            append_dim(&r, dims->dim[i], dims->bits[i]);
    return r;
}

tri_linear tri_linear_drop_in(const tri_linear *l, tri_dim in)
{
    tri_dims ins = without_dim(&l->in, in);
    return tri_linear_sublayout(l, ins.count, ins.dim, l->out.count, l->out.dim);
}

tri_linear tri_linear_drop_out(const tri_linear *l, tri_dim out)
{
    tri_dims outs = without_dim(&l->out, out);
    return with_outs(l, &outs);
}

/* ---- combining ---- */

/* Merges two dimension lists, keeping the order of each where they agree. */
static tri_dims merge_dims(const tri_dims *a, const tri_dims *b)
{
    tri_dims r = {0};
    int i = 0, j = 0;
    while (i < a->count || j < b->count) {
        if (i < a->count && find_linear(&r, a->dim[i]) >= 0) {
            i++;
        } else if (j < b->count && find_linear(&r, b->dim[j]) >= 0) {
            j++;
        } else if (i < a->count && (find_linear(b, a->dim[i]) < 0 || j == b->count || b->dim[j] == a->dim[i])) {
            append_dim(&r, a->dim[i++], 0);
        } else if (j < b->count && find_linear(a, b->dim[j]) < 0) {
            append_dim(&r, b->dim[j++], 0);
        } else { /* both lists have it, in conflicting orders: a's wins */
            append_dim(&r, a->dim[i++], 0);
        }
    }
    return r;
}

static void append_bases(tri_linear *r, const tri_linear *part, const tri_dims *below)
{
    for (int i = 0; i < part->in.count; i++) {
        int at = find_linear(&r->in, part->in.dim[i]);
        for (int j = 0; j < part->in.bits[i]; j++) {
            uint64_t packed = 0, from = part->basis[i][j];
            for (int d = 0; d < part->out.count; d++) {
                int to = find_linear(&r->out, part->out.dim[d]),
                    under = below ? find_linear(below, part->out.dim[d]) : -1;
                uint64_t coord = from & low_mask(part->out.bits[d]);
                if (part->out.bits[d] == 0)
                    continue;
                packed |= coord << (shift_at(&r->out, to) + (under < 0 ? 0 : below->bits[under]));
                from >>= part->out.bits[d];
            }
            TRI_ASSERT(r->in.bits[at] < TRI_MAX_BASES);
            r->basis[at][r->in.bits[at]++] = packed;
        }
    }
}

tri_linear tri_linear_product(const tri_linear *a, const tri_linear *b)
{
    tri_linear r = tri_linear_empty();
    r.in = merge_dims(&a->in, &b->in);
    r.out = merge_dims(&a->out, &b->out);
    for (int d = 0; d < r.out.count; d++)
        r.out.bits[d] = tri_linear_out_bits(a, r.out.dim[d]) + tri_linear_out_bits(b, r.out.dim[d]);
    TRI_ASSERT(total(&r.out) <= 64);
    append_bases(&r, a, NULL);
    append_bases(&r, b, &a->out);
    return r;
}

tri_linear tri_linear_compose(const tri_linear *inner, const tri_linear *outer)
{
    tri_linear r = *inner;
    r.out = outer->out;
    for (int d = 0; d < inner->out.count; d++)
        TRI_ASSERT(inner->out.bits[d] <= tri_linear_in_bits(outer, inner->out.dim[d]));
    for (int i = 0; i < inner->in.count; i++)
        for (int j = 0; j < inner->in.bits[i]; j++)
            r.basis[i][j] = tri_linear_apply_packed(outer, repack(inner->basis[i][j], &inner->out, &outer->in));
    return r;
}

static void echelon(const tri_linear *l, tri_gf2 *m)
{
    tri_gf2_init(m);
    for (int i = 0; i < l->in.count; i++)
        for (int j = 0; j < l->in.bits[i]; j++)
            tri_gf2_add(m, l->basis[i][j]);
}

/* a -> preimage under b; false when b lacks an element. Output dimensions and sizes agree. */
static bool solve(const tri_linear *a, const tri_linear *b, tri_linear *out_map)
{
    tri_gf2 m;
    echelon(b, &m);
    *out_map = *a;
    out_map->out = b->in;
    for (int i = 0; i < a->in.count; i++)
        for (int j = 0; j < a->in.bits[i]; j++)
            if (tri_gf2_reduce(&m, a->basis[i][j], &out_map->basis[i][j]) != 0)
                return false;
    return true;
}

tri_linear tri_linear_pseudo_invert(const tri_linear *l)
{
    tri_linear unit = tri_linear_empty(), r;
    unit.in = unit.out = l->out;
    for (int i = 0, bit = 0; i < unit.in.count; i++) {
        TRI_ASSERT(unit.in.bits[i] <= TRI_MAX_BASES);
        for (int j = 0; j < unit.in.bits[i]; j++)
            unit.basis[i][j] = (uint64_t)1 << bit++;
    }
    bool is_surjective = solve(&unit, l, &r);
    TRI_ASSERT(is_surjective);
    return r;
}

tri_linear tri_linear_invert(const tri_linear *l)
{
    TRI_ASSERT(tri_linear_is_injective(l) && total(&l->in) == total(&l->out));
    return tri_linear_pseudo_invert(l);
}

static bool same_bases(const tri_linear *a, const tri_linear *b, tri_dim in)
{
    int i = find_linear(&a->in, in), j = find_linear(&b->in, in);
    if (i < 0 || j < 0 || a->in.bits[i] != b->in.bits[j])
        return false;
    for (int k = 0; k < a->in.bits[i]; k++)
        if (a->basis[i][k] != b->basis[j][k])
            return false;
    return true;
}

bool tri_linear_invert_and_compose(const tri_linear *a, const tri_linear *b, tri_linear *out_map)
{
    TRI_ASSERT(a->out.count == b->out.count);
    tri_dims outs = {0};
    for (int d = 0; d < a->out.count; d++) {
        int at = find_linear(&b->out, a->out.dim[d]);
        TRI_ASSERT(at >= 0);
        append_dim(&outs, a->out.dim[d], a->out.bits[d] > b->out.bits[at] ? a->out.bits[d] : b->out.bits[at]);
    }
    tri_linear from = with_outs(a, &outs);
    tri_linear to = with_outs(b, &outs);
    /* Where both put the same bits of a dimension, keep them: replicated data stays in place. */
    tri_linear rest_a = from, rest_b = to, map;
    tri_dims same = {0};
    for (int i = 0; i < to.in.count; i++) {
        if (same_bases(&from, &to, to.in.dim[i])) {
            append_dim(&same, to.in.dim[i], to.in.bits[i]);
            rest_a = tri_linear_drop_in(&rest_a, to.in.dim[i]);
            rest_b = tri_linear_drop_in(&rest_b, to.in.dim[i]);
        }
    }
    if (!solve(&rest_a, &rest_b, &map))
        return solve(&from, &to, out_map);
    for (int i = 0; i < same.count; i++) {
        tri_linear id = tri_linear_identity((int64_t)1 << same.bits[i], same.dim[i], same.dim[i]);
        map = tri_linear_product(&map, &id);
    }
    *out_map = tri_linear_sublayout(&map, a->in.count, a->in.dim, b->in.count, b->in.dim);
    return true;
}

/* Takes `tile` off the low (left) or high bits of l: the candidate quotient is read off, then checked
 * by multiplying back. */
static bool split_off(const tri_linear *l, const tri_linear *tile, bool left, tri_linear *out)
{
    tri_dims rest = l->out;
    for (int d = 0; d < tile->out.count; d++) {
        int at = find_linear(&rest, tile->out.dim[d]);
        if (at < 0 ? tile->out.bits[d] > 0 : tile->out.bits[d] > rest.bits[at])
            return false;
        if (at >= 0)
            rest.bits[at] -= tile->out.bits[d];
    }
    for (int i = 0; i < tile->in.count; i++)
        if (tile->in.bits[i] > tri_linear_in_bits(l, tile->in.dim[i]))
            return false;
    tri_linear q = tri_linear_empty(), again;
    q.in = l->in;
    q.out = rest;
    for (int i = 0; i < l->in.count; i++) {
        int cut = tri_linear_in_bits(tile, l->in.dim[i]), first = left ? cut : 0;
        q.in.bits[i] = l->in.bits[i] - cut;
        for (int j = 0; j < q.in.bits[i]; j++) {
            uint64_t packed = 0, basis = l->basis[i][first + j];
            for (int d = 0, shift = 0; d < l->out.count; d++) {
                uint64_t coord = basis & low_mask(l->out.bits[d]);
                coord >>= left ? l->out.bits[d] - rest.bits[d] : 0;
                packed |= (coord & low_mask(rest.bits[d])) << shift;
                shift += rest.bits[d];
                basis = l->out.bits[d] < 64 ? basis >> l->out.bits[d] : 0;
            }
            q.basis[i][j] = packed;
        }
    }
    again = left ? tri_linear_product(tile, &q) : tri_linear_product(&q, tile);
    again = tri_linear_sublayout(&again, l->in.count, l->in.dim, l->out.count, l->out.dim);
    if (!tri_linear_equal(&again, l))
        return false;
    *out = q;
    return true;
}

bool tri_linear_divide_left(const tri_linear *l, const tri_linear *tile, tri_linear *out_quotient)
{
    return split_off(l, tile, true, out_quotient);
}

bool tri_linear_divide_right(const tri_linear *l, const tri_linear *tile, tri_linear *out_quotient)
{
    return split_off(l, tile, false, out_quotient);
}
