/* The algebra of linear layouts against direct evaluation on every index. */
#include "layout/gf2.h"
#include "layout_random.h"

static uint64_t random_word(int bits) { return random_bits(&seed) & (((uint64_t)1 << bits) - 1); }

/* Any linear map with inputs register, lane and outputs dim0, dim1 (or as asked). */
static tri_linear random_linear(tri_dim in0, int in0_bits, tri_dim in1, int in1_bits, tri_dim out0, int out0_bits,
                                tri_dim out1, int out1_bits)
{
    tri_linear l = tri_linear_empty();
    tri_linear_add_out(&l, out0, out0_bits);
    tri_linear_add_out(&l, out1, out1_bits);
    tri_linear_add_in(&l, in0);
    tri_linear_add_in(&l, in1);
    for (int i = 0; i < in0_bits; i++)
        tri_linear_add_basis(&l, in0, random_word(out0_bits + out1_bits));
    for (int i = 0; i < in1_bits; i++)
        tri_linear_add_basis(&l, in1, random_word(out0_bits + out1_bits));
    return l;
}

static int image_size(const tri_linear *l)
{
    static bool seen[1 << 12];
    int n = 0;
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < (uint64_t)1 << tri_linear_total_in_bits(l); i++) {
        uint64_t v = tri_linear_apply_packed(l, i);
        n += !seen[v];
        seen[v] = true;
    }
    return n;
}

static void test_predicates(void)
{
    for (int t = 0; t < 400; t++) {
        int a = any(4), b = any(4), c = any(4), d = any(3);
        tri_linear l = random_linear(TRI_DIM_REGISTER, a, TRI_DIM_LANE, b, TRI_DIM_0, c, TRI_DIM_0 + 1, d);
        int size = image_size(&l);
        CHECK(tri_linear_is_surjective(&l) == (size == 1 << (c + d)));
        CHECK(tri_linear_is_injective(&l) == (size == 1 << (a + b)));
        /* The threads and registers that are not free stand for each element once. */
        uint64_t free_regs = tri_linear_free_mask(&l, TRI_DIM_REGISTER),
                 free_lanes = tri_linear_free_mask(&l, TRI_DIM_LANE);
        static int owners[1 << 7];
        memset(owners, 0, sizeof owners);
        for (uint64_t r = 0; r < (uint64_t)1 << a; r++)
            for (uint64_t n = 0; n < (uint64_t)1 << b; n++)
                if (!(r & free_regs) && !(n & free_lanes))
                    owners[tri_linear_apply_one(&l, TRI_DIM_REGISTER, r) ^ tri_linear_apply_one(&l, TRI_DIM_LANE, n)]++;
        int total = 0;
        for (int i = 0; i < 1 << 7; i++) {
            CHECK(owners[i] <= 1);
            total += owners[i];
        }
        CHECK(total == size);
        int64_t run = tri_linear_consecutive(&l, TRI_DIM_REGISTER);
        for (int64_t i = 0; i < run; i++)
            CHECK(tri_linear_apply_one(&l, TRI_DIM_REGISTER, (uint64_t)i) == (uint64_t)i);
    }
}

static void test_compose_invert(void)
{
    for (int t = 0; t < 400; t++) {
        int a = any(4), b = any(4), c = any(4), d = any(3);
        tri_linear in = random_linear(TRI_DIM_REGISTER, a, TRI_DIM_LANE, b, TRI_DIM_OFFSET, c, TRI_DIM_WARP, d);
        tri_linear out = random_linear(TRI_DIM_WARP, d, TRI_DIM_OFFSET, c + any(2), TRI_DIM_0, 3, TRI_DIM_0 + 1, 2);
        tri_linear both = tri_linear_compose(&in, &out);
        for (uint64_t i = 0; i < (uint64_t)1 << (a + b); i++) {
            uint64_t mid = tri_linear_apply_packed(&in, i);
            uint64_t values[2] = {(uint64_t)tri_linear_coord(&in, mid, TRI_DIM_WARP),
                                  (uint64_t)tri_linear_coord(&in, mid, TRI_DIM_OFFSET)};
            CHECK(tri_linear_apply_packed(&both, i) == tri_linear_apply(&out, values));
        }
        if (tri_linear_is_surjective(&in)) {
            tri_linear back = tri_linear_pseudo_invert(&in);
            for (uint64_t i = 0; i < (uint64_t)1 << (c + d); i++)
                CHECK(tri_linear_apply_packed(&in, tri_linear_apply_packed(&back, i)) == i);
            if (tri_linear_is_injective(&in)) {
                tri_linear twice = tri_linear_invert(&back);
                CHECK(tri_linear_equal(&twice, &in));
            }
        }
        /* from a's index to b's index of one element; fails just when b lacks one */
        tri_linear x = random_linear(TRI_DIM_REGISTER, a, TRI_DIM_LANE, b, TRI_DIM_0, 3, TRI_DIM_0 + 1, 2), map;
        tri_linear y = random_linear(TRI_DIM_WARP, 4, TRI_DIM_LANE, 2, TRI_DIM_0 + 1, 2, TRI_DIM_0, 3);
        tri_linear ordered = tri_linear_transpose_outs(&y, x.out.dim);
        bool lacks = false;
        for (uint64_t i = 0; i < (uint64_t)1 << (a + b); i++) {
            bool found = false;
            for (uint64_t j = 0; j < 64 && !found; j++)
                found = tri_linear_apply_packed(&ordered, j) == tri_linear_apply_packed(&x, i);
            lacks |= !found;
        }
        bool ok = tri_linear_invert_and_compose(&x, &y, &map);
        CHECK(ok == !lacks);
        for (uint64_t i = 0; ok && i < (uint64_t)1 << (a + b); i++)
            CHECK(tri_linear_apply_packed(&ordered, tri_linear_apply_packed(&map, i)) ==
                  tri_linear_apply_packed(&x, i));
    }
}

static void test_product_divide(void)
{
    for (int t = 0; t < 400; t++) {
        tri_linear a =
            random_linear(TRI_DIM_REGISTER, any(3), TRI_DIM_LANE, any(3), TRI_DIM_0, any(3), TRI_DIM_0 + 1, any(2));
        tri_linear b =
            random_linear(TRI_DIM_LANE, any(3), TRI_DIM_WARP, any(3), TRI_DIM_0 + 1, any(3), TRI_DIM_0 + 2, any(2));
        tri_linear p = tri_linear_product(&a, &b), q;
        for (uint64_t i = 0; i < (uint64_t)1 << tri_linear_total_in_bits(&a); i++) {
            for (uint64_t j = 0; j < (uint64_t)1 << tri_linear_total_in_bits(&b); j++) {
                uint64_t ra = i & ((1u << a.in.bits[0]) - 1), la = i >> a.in.bits[0];
                uint64_t lb = j & ((1u << b.in.bits[0]) - 1), wb = j >> b.in.bits[0];
                uint64_t v = tri_linear_apply_one(&p, TRI_DIM_REGISTER, ra) ^
                             tri_linear_apply_one(&p, TRI_DIM_LANE, la | lb << a.in.bits[1]) ^
                             tri_linear_apply_one(&p, TRI_DIM_WARP, wb);
                uint64_t va = tri_linear_apply_packed(&a, i), vb = tri_linear_apply_packed(&b, j);
                CHECK(tri_linear_coord(&p, v, TRI_DIM_0) == tri_linear_coord(&a, va, TRI_DIM_0));
                CHECK(tri_linear_coord(&p, v, TRI_DIM_0 + 1) ==
                      (tri_linear_coord(&a, va, TRI_DIM_0 + 1) |
                       tri_linear_coord(&b, vb, TRI_DIM_0 + 1) << tri_linear_out_bits(&a, TRI_DIM_0 + 1)));
                CHECK(tri_linear_coord(&p, v, TRI_DIM_0 + 2) == tri_linear_coord(&b, vb, TRI_DIM_0 + 2));
            }
        }
        CHECK(tri_linear_divide_left(&p, &a, &q));
        tri_linear again = tri_linear_product(&a, &q);
        again = tri_linear_sublayout(&again, p.in.count, p.in.dim, p.out.count, p.out.dim);
        CHECK(tri_linear_equal(&again, &p));
        CHECK(tri_linear_divide_right(&p, &b, &q));
        again = tri_linear_product(&q, &b);
        again = tri_linear_sublayout(&again, p.in.count, p.in.dim, p.out.count, p.out.dim);
        CHECK(tri_linear_equal(&again, &p));
    }
    tri_linear l = tri_linear_strided(8, 2, TRI_DIM_REGISTER, TRI_DIM_0),
               unit = tri_linear_identity(2, TRI_DIM_REGISTER, TRI_DIM_0), q;
    CHECK(!tri_linear_divide_left(&l, &unit, &q));
}

static void test_reshape(void)
{
    for (int t = 0; t < 200; t++) {
        tri_linear l = random_linear(TRI_DIM_REGISTER, 3, TRI_DIM_LANE, 2, TRI_DIM_0, 2, TRI_DIM_0 + 1, 4);
        tri_dims outs = {3, {TRI_DIM_0, TRI_DIM_0 + 1, TRI_DIM_0 + 2}, {1, 3, 2}},
                 ins = {2, {TRI_DIM_WARP, TRI_DIM_LANE}, {1, 4}};
        tri_linear o = tri_linear_reshape_outs(&l, &outs), i = tri_linear_reshape_ins(&l, &ins),
                   f = tri_linear_flatten_ins(&l, TRI_DIM_OFFSET);
        for (uint64_t k = 0; k < 32; k++) {
            CHECK(tri_linear_apply_packed(&o, k) == tri_linear_apply_packed(&l, k));
            CHECK(tri_linear_apply_packed(&i, k) == tri_linear_apply_packed(&l, k));
            CHECK(tri_linear_apply_one(&f, TRI_DIM_OFFSET, k) == tri_linear_apply_packed(&l, k));
        }
        tri_dim back[2] = {TRI_DIM_0 + 1, TRI_DIM_0};
        tri_linear turned = tri_linear_transpose_outs(&l, back), again = tri_linear_transpose_outs(&turned, l.out.dim);
        CHECK(tri_linear_equal(&again, &l));
        tri_linear wide = tri_linear_resize_out(&l, TRI_DIM_0, 3);
        CHECK(tri_linear_out_size(&wide, TRI_DIM_0) == 8);
        wide = tri_linear_resize_out(&wide, TRI_DIM_0, 2);
        CHECK(tri_linear_equal(&wide, &l));
    }
    tri_linear z = tri_linear_zeros(4, TRI_DIM_LANE, TRI_DIM_0, 1),
               id = tri_linear_identity(8, TRI_DIM_LANE, TRI_DIM_0);
    tri_linear both = tri_linear_product(&z, &id);
    CHECK(tri_linear_in_bits(&both, TRI_DIM_LANE) == 5);
    both = tri_linear_remove_zero_bases(&both, TRI_DIM_LANE);
    CHECK(tri_linear_equal(&both, &id));
    CHECK(tri_linear_is_zero_between(&z, TRI_DIM_LANE, TRI_DIM_0) &&
          !tri_linear_is_zero_between(&id, TRI_DIM_LANE, TRI_DIM_0));
}

static void test_gf2(void)
{
    for (int t = 0; t < 400; t++) {
        uint64_t a[6], b[6], out[6];
        int na = any(6), nb = any(6);
        bool in_a[64] = {false}, in_b[64] = {false}, in_out[64] = {false};
        for (int i = 0; i < na; i++)
            a[i] = random_word(6);
        for (int i = 0; i < nb; i++)
            b[i] = random_word(6);
        int n = tri_gf2_intersect(na, a, nb, b, out);
        for (int m = 0; m < 64; m++) {
            uint64_t sa = 0, sb = 0, so = 0;
            for (int i = 0; i < 6; i++) {
                sa ^= i < na && m >> i & 1 ? a[i] : 0;
                sb ^= i < nb && m >> i & 1 ? b[i] : 0;
                so ^= i < n && m >> i & 1 ? out[i] : 0;
            }
            in_a[sa] = in_b[sb] = in_out[so] = true;
        }
        int size = 0;
        for (int v = 0; v < 64; v++) {
            CHECK(in_out[v] == (in_a[v] && in_b[v]));
            size += in_out[v];
        }
        CHECK(size == 1 << n);
        uint64_t rest[64];
        int m = tri_gf2_complement(na, a, 6, rest), rank = tri_gf2_rank(na, a);
        CHECK(m + rank == 6);
        uint64_t all[70];
        for (int i = 0; i < na; i++)
            all[i] = a[i];
        for (int i = 0; i < m; i++)
            all[na + i] = rest[i];
        CHECK(tri_gf2_rank(na + m, all) == 6);
    }
}

int main(void)
{
    test_predicates();
    test_compose_invert();
    test_product_divide();
    test_reshape();
    test_gf2();
    return finish();
}
