/* Chooses where each element lies in memory, as a basis of the space of element bits in four parts:
 * `vector` (one access), `bank` (the rest of a 128-byte row), `segment` (the row), `reps` (rounds). An
 * access is free of conflicts when the lanes of one phase do not move along `segment`; XORs of what
 * the store and the load want make that true for both where there is room. */
#include "layout/swizzle.h"

#include "base/diag.h"
#include "layout/gf2.h"

typedef struct {
    int count;
    uint64_t at[64];
} list;

static bool has(const list *l, uint64_t v)
{
    for (int i = 0; i < l->count; i++)
        if (l->at[i] == v)
            return true;
    return false;
}

static void push(list *l, uint64_t v)
{
    TRI_ASSERT(l->count < 64);
    l->at[l->count++] = v;
}

static void push_all(list *l, const list *more)
{
    for (int i = 0; i < more->count; i++)
        push(l, more->at[i]);
}

/* Members of a that are in b too, in a's order, zeros left out. */
static list common(const list *a, const list *b)
{
    list r = {0};
    for (int i = 0; i < a->count; i++)
        if (a->at[i] && has(b, a->at[i]) && !has(&r, a->at[i]))
            push(&r, a->at[i]);
    return r;
}

static list without(const list *a, const list *b)
{
    list r = {0};
    for (int i = 0; i < a->count; i++)
        if (!has(b, a->at[i]))
            push(&r, a->at[i]);
    return r;
}

static void sort(list *l)
{
    for (int i = 1; i < l->count; i++)
        for (int j = i; j > 0 && l->at[j - 1] > l->at[j]; j--) {
            uint64_t swap = l->at[j];
            l->at[j] = l->at[j - 1];
            l->at[j - 1] = swap;
        }
}

static int rank(const list *l) { return tri_gf2_rank(l->count, l->at); }

/* ---- the two sides ---- */

typedef struct {
    list reg, lane, warp; /* zero registers left out */
} side;

typedef struct {
    side a, b; /* a stores, b loads */
    list block;
    int dim, bits, banks, max_bits;
} problem;

typedef struct {
    list vector, bank, segment, reps;
} choice;

static list bases_of(const tri_linear *l, tri_dim in, bool keep_zeros)
{
    list r = {0};
    for (int i = 0; i < tri_linear_in_bits(l, in); i++) {
        uint64_t v = tri_linear_basis(l, in, i);
        if (v || keep_zeros)
            push(&r, v);
    }
    return r;
}

static side side_of(const tri_linear *l)
{
    return (side){bases_of(l, TRI_DIM_REGISTER, false), bases_of(l, TRI_DIM_LANE, true),
                  bases_of(l, TRI_DIM_WARP, false)};
}

/* How the lanes of one instruction share a 16-byte row: some hold parts of one row, some give addresses. */
typedef struct {
    tri_access_form form;
    int num_parts, parts[3];
    int num_addresses, addresses[3];
} instruction;

static const instruction plain = {TRI_ACCESS_PLAIN, 0, {0}, 3, {0, 1, 2}};
static const instruction matrix = {TRI_ACCESS_MATRIX, 2, {0, 1}, 3, {2, 3, 4}};
static const instruction matrix_trans = {TRI_ACCESS_MATRIX_TRANS, 3, {2, 3, 4}, 2, {0, 1}};

static list lanes_of(const side *s, int n, const int *which)
{
    list r = {0};
    for (int i = 0; i < n; i++)
        push(&r, s->lane.at[which[i]]);
    return r;
}

/* ---- rows and banks ---- */

/* Those of `all`, in its order, that are independent of `known` and of one another. */
static list independent(const list *known, const list *all)
{
    list seen = *known, r = {0};
    int have = rank(&seen);
    for (int i = 0; i < all->count; i++) {
        push(&seen, all->at[i]);
        if (rank(&seen) > have) {
            have++;
            push(&r, all->at[i]);
        } else {
            seen.count--;
        }
    }
    return r;
}

/* Row numbers: `count` directions that no lane of one access moves along, neither in the store nor in the
 * load, if there are as many. Let A and B be what the lanes of the store and of the load span, with the
 * vector, I what both do, A1 and B1 what only one does. A combination of a complement of A + B and of
 * pairs a ^ b, each of A1 and B1 taken once, is in A or B only if it is zero. There are enough of them
 * whenever neither A nor B is larger than vector and banks together: then there is no conflict. */
static list choose_segment(const problem *p, const list *vector, const list *tile_a, const list *tile_b, int count)
{
    list in_a = *vector, in_b, both = {0}, all, segment = {0}, only_a, only_b;
    push_all(&in_a, &p->block);
    in_b = in_a;
    push_all(&in_a, tile_a);
    push_all(&in_b, tile_b);
    all = in_a;
    push_all(&all, &in_b);
    segment.count = tri_gf2_complement(all.count, all.at, p->dim, segment.at);
    both.count = tri_gf2_intersect(in_a.count, in_a.at, in_b.count, in_b.at, both.at);
    only_a = independent(&both, &in_a);
    only_b = independent(&both, &in_b);
    sort(&only_a);
    sort(&only_b);
    if (only_a.count > only_b.count) {
        list swap = only_a;
        only_a = only_b;
        only_b = swap;
    }
    int conflicting = count - only_a.count - segment.count;
    conflicting = conflicting < 0 ? 0 : conflicting > only_a.count ? only_a.count : conflicting;
    for (int i = conflicting; i < only_a.count; i++)
        push(&segment, only_a.at[i] ^ only_b.at[i]);
    for (int i = 0; i < conflicting; i++)
        push(&segment, only_a.at[i]);
    for (int i = 0; i < conflicting; i++)
        push(&segment, only_b.at[i]);
    list fixed = *vector;
    push_all(&fixed, &p->block);
    segment = independent(&fixed, &segment);
    segment.count = segment.count > count ? count : segment.count;
    return segment;
}

static choice arrange(const problem *p, const list *vector, const list *tile_a, const list *tile_b, int leave)
{
    choice c = {.vector = *vector};
    int row = 0, rest = p->dim - vector->count - p->block.count;
    while ((p->bits << (vector->count + row + 1)) <= p->banks * 32 && row < rest)
        row++;
    list segment = choose_segment(p, vector, tile_a, tile_b, rest - row);
    list used = *vector;
    push_all(&used, &segment);
    push_all(&used, &p->block);
    c.bank.count = tri_gf2_complement(used.count, used.at, p->dim, c.bank.at);
    for (int i = 0; i < segment.count; i++) {
        uint64_t v = segment.at[i];
        if (has(&p->a.reg, v) && has(&p->b.reg, v) && leave-- <= 0)
            push(&c.reps, v);
        else
            push(&c.segment, v);
    }
    return c;
}

/* log2 of the wavefronts one phase takes more than needed: common directions of rows and lanes. */
static int shared_rank(const list *segment, const list *tile)
{
    uint64_t out[64];
    return tri_gf2_intersect(segment->count, segment->at, tile->count, tile->at, out);
}

/* ---- 16-byte vectors for a pair of instructions ---- */

/* The vector both sides can use, or false. */
static bool pair_vector(const problem *p, const instruction *st, const instruction *ld, list *out_vector)
{
    int total = tri_linear_log2(128 / p->bits);
    int regs_a = total - st->num_parts, regs_b = total - ld->num_parts;
    if (regs_a < 0 || regs_b < 0)
        return false;
    bool swap = regs_a < regs_b; /* x has more registers in the vector */
    const side *x = swap ? &p->b : &p->a, *y = swap ? &p->a : &p->b;
    const instruction *ix = swap ? ld : st, *iy = swap ? st : ld;
    int nx = swap ? regs_b : regs_a, ny = swap ? regs_a : regs_b;
    list v = common(&x->reg, &y->reg), parts_x = lanes_of(x, ix->num_parts, ix->parts),
         parts_y = lanes_of(y, iy->num_parts, iy->parts);
    if (v.count < ny || has(&parts_x, 0) || has(&parts_y, 0))
        return false;
    v.count = ny;
    for (int i = 0; i < parts_y.count; i++) {
        bool ok = i < nx - ny ? has(&x->reg, parts_y.at[i]) && !has(&v, parts_y.at[i])
                              : parts_x.at[i - (nx - ny)] == parts_y.at[i];
        if (!ok)
            return false;
    }
    push_all(&v, &parts_y);
    *out_vector = v;
    return true;
}

/* Rows of one phase: address lanes, and registers where the instruction moves several rows. */
static bool pair_tile(const side *s, const instruction *in, const list *vector, list *out_tile)
{
    list tile = {0}, addresses = lanes_of(s, in->num_addresses, in->addresses);
    for (int i = 0; i < s->reg.count && tile.count < 3 - in->num_addresses; i++)
        if (!has(vector, s->reg.at[i]))
            push(&tile, s->reg.at[i]);
    if (tile.count < 3 - in->num_addresses)
        return false;
    push_all(&tile, &addresses);
    *out_tile = tile;
    return true;
}

typedef struct {
    bool found;
    int conflicts, reps;
    tri_access_form store, load;
    choice c;
} best_pair;

static void try_pair(const problem *p, const instruction *st, const instruction *ld, best_pair *best)
{
    list vector, tile_a, tile_b;
    if (!pair_vector(p, st, ld, &vector) || !pair_tile(&p->a, st, &vector, &tile_a) ||
        !pair_tile(&p->b, ld, &vector, &tile_b))
        return;
    int more_a = st->num_parts + st->num_addresses - 3, more_b = ld->num_parts + ld->num_addresses - 3;
    choice c = arrange(p, &vector, &tile_a, &tile_b, more_a < more_b ? more_a : more_b);
    int conflicts = (1 << shared_rank(&c.segment, &tile_a)) + (1 << shared_rank(&c.segment, &tile_b)) - 2;
    if (best->found && (conflicts > best->conflicts || (conflicts == best->conflicts && c.reps.count <= best->reps)))
        return;
    *best = (best_pair){true, conflicts, c.reps.count, st->form, ld->form, c};
}

static int candidates(const problem *p, bool has_matrix, const instruction **out)
{
    int n = 0;
    out[n++] = &plain;
    if (has_matrix && p->a.lane.count == 5 && p->bits <= 32)
        out[n++] = &matrix;
    if (has_matrix && p->a.lane.count == 5 && p->bits == 16)
        out[n++] = &matrix_trans;
    return n;
}

/* ---- narrower vectors ---- */

static uint64_t lowest(const list *l)
{
    uint64_t low = l->count ? l->at[0] : 0;
    for (int i = 1; i < l->count; i++)
        low = l->at[i] < low ? l->at[i] : low;
    return low;
}

/* Fills a vector up to 32 bits, so that no two words of different rows share a bank slot.
 * *out_a_first says which side's registers went in. */
static void fill_word(const problem *p, list *vector, bool *out_a_first)
{
    int need = tri_linear_log2(32 / p->bits);
    list rest_a = without(&p->a.reg, vector), rest_b = without(&p->b.reg, vector);
    list x = common(&rest_a, &p->b.warp), y = common(&rest_b, &p->a.warp), warps = common(&p->a.warp, &p->b.warp);
    *out_a_first = x.count > y.count || (x.count == y.count && x.count > 0 && lowest(&x) < lowest(&y));
    push_all(vector, *out_a_first ? &x : &y);
    if (vector->count < need)
        push_all(vector, &warps);
    for (int i = 0; i < p->a.warp.count || i < p->b.warp.count; i++) {
        if (i < p->a.warp.count)
            push(vector, p->a.warp.at[i]);
        if (i < p->b.warp.count)
            push(vector, p->b.warp.at[i]);
    }
    /* A part of a word that is left would be a bank that is none. */
    push_all(vector, &rest_a);
    push_all(vector, &rest_b);
    push_all(vector, &p->a.lane);
    *vector = independent(&p->block, vector);
    vector->count = vector->count > need ? need : vector->count;
}

/* Registers of one side go to the low bank bits, where they widen that side's accesses. */
static void widen_one_side(const problem *p, list *bank, bool is_filled, bool a_first)
{
    list a = common(bank, &p->a.reg), b = common(bank, &p->b.reg);
    if (!is_filled)
        a_first = a.count >= b.count;
    list first = a_first ? a : b, others = without(bank, &first);
    *bank = first;
    push_all(bank, &others);
}

static choice narrow(const problem *p)
{
    list vector = common(&p->a.reg, &p->b.reg), tile_a = {0}, tile_b = {0};
    int most = p->max_bits > p->bits ? tri_linear_log2(p->max_bits / p->bits) : 0;
    vector.count = vector.count > most ? most : vector.count;
    bool is_filled = false, a_first = false;
    if ((p->bits << vector.count) < 32) {
        fill_word(p, &vector, &a_first);
        is_filled = true;
    }
    vector = independent(&p->block, &vector);
    int phase = 0; /* lanes that are served at once: a row's */
    while ((p->bits << vector.count) << (phase + 1) <= p->banks * 32)
        phase++;
    for (int i = 0; i < p->a.lane.count && i < phase; i++)
        push(&tile_a, p->a.lane.at[i]);
    for (int i = 0; i < p->b.lane.count && i < phase; i++)
        push(&tile_b, p->b.lane.at[i]);
    choice c = arrange(p, &vector, &tile_a, &tile_b, 0);
    if ((p->bits << vector.count) < p->max_bits)
        widen_one_side(p, &c.bank, is_filled, a_first);
    return c;
}

/* ---- the plan ---- */

static tri_linear buffer_of(const tri_linear *src, const choice *c)
{
    tri_linear l = tri_linear_empty();
    l.out = src->out;
    tri_linear_add_in(&l, TRI_DIM_OFFSET);
    tri_linear_add_in(&l, TRI_DIM_ITERATION);
    tri_linear_add_in(&l, TRI_DIM_BLOCK);
    const list *parts[3] = {&c->vector, &c->bank, &c->segment};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < parts[k]->count; i++)
            tri_linear_add_basis(&l, TRI_DIM_OFFSET, parts[k]->at[i]);
    for (int i = 0; i < c->reps.count; i++)
        tri_linear_add_basis(&l, TRI_DIM_ITERATION, c->reps.at[i]);
    for (int i = 0; i < tri_linear_in_bits(src, TRI_DIM_BLOCK); i++)
        tri_linear_add_basis(&l, TRI_DIM_BLOCK, tri_linear_basis(src, TRI_DIM_BLOCK, i));
    return l;
}

/* Banks that happen to be registers of one side make its accesses wider than the vector, and lanes that
 * share a phase others; where those conflict, the vector alone is the access, which does not. */
static tri_plan_access access_of(const tri_linear *regs, const tri_linear *buffer, tri_access_form form, int bits,
                                 int vector_bits, const tri_plan_machine *machine)
{
    tri_linear map;
    tri_plan_access p;
    if (!tri_linear_invert_and_compose(regs, buffer, &map))
        TRI_BUG("a buffer without an element of its tensor");
    if (form != TRI_ACCESS_PLAIN && tri_plan_access_matrix(&map, bits, form == TRI_ACCESS_MATRIX_TRANS, &p))
        return p;
    p = tri_plan_access_plain(&map, bits, machine->max_vector_bits, 0);
    if (tri_plan_access_conflicts(&p, machine) && p.vec > 1 << vector_bits)
        p = tri_plan_access_plain(&map, bits, machine->max_vector_bits, 1 << vector_bits);
    return p;
}

/* Moves row bits that are registers on both sides into rounds until one round fits. */
static bool fit(const problem *p, choice *c, int64_t max_bytes)
{
    list *parts[2] = {&c->segment, &c->bank};
    int offset_bits = c->vector.count + c->bank.count + c->segment.count;
    for (int k = 0; k < 2; k++) {
        for (int i = parts[k]->count - 1; i >= 0; i--) {
            if (max_bytes == 0 || ((int64_t)p->bits << offset_bits) / 8 <= max_bytes)
                return true;
            uint64_t v = parts[k]->at[i];
            if (!has(&p->a.reg, v) || !has(&p->b.reg, v))
                continue;
            push(&c->reps, v);
            for (int j = i; j + 1 < parts[k]->count; j++)
                parts[k]->at[j] = parts[k]->at[j + 1];
            parts[k]->count--;
            offset_bits--;
        }
    }
    return max_bytes == 0 || ((int64_t)p->bits << offset_bits) / 8 <= max_bytes;
}

/* Two rounds become one, with a barrier less before and after, as long as the scratch is small enough. */
static void merge_rounds(const problem *p, choice *c, int64_t max_bytes)
{
    while (c->reps.count) {
        int offset_bits = c->vector.count + c->bank.count + c->segment.count;
        if (((int64_t)p->bits << (offset_bits + 1)) / 8 > max_bytes)
            return;
        push(&c->segment, c->reps.at[--c->reps.count]);
    }
}

static tri_sync sync_of(const tri_linear *src, const tri_linear *dst, const tri_plan_convert *plan)
{
    if (plan->kind == TRI_CVT_CLUSTER)
        return TRI_SYNC_CLUSTER;
    bool stays = tri_linear_is_trivial_over(&plan->map, TRI_DIM_WARP) && !tri_linear_free_mask(src, TRI_DIM_WARP) &&
                 !tri_linear_free_mask(dst, TRI_DIM_WARP);
    return stays ? TRI_SYNC_WARP : TRI_SYNC_CTA;
}

/* The plan of a choice; false when it does not fit. */
static bool plan_choice(const problem *p, best_pair best, const tri_linear *src, const tri_linear *loaded,
                        const tri_plan_machine *machine, int64_t max_scratch_bytes, tri_plan_convert *plan)
{
    merge_rounds(p, &best.c, machine->spare_bytes);
    if (!fit(p, &best.c, max_scratch_bytes))
        return false;
    plan->shared = buffer_of(src, &best.c);
    plan->store = access_of(src, &plan->shared, best.store, plan->element_bits, best.c.vector.count, machine);
    plan->load = access_of(loaded, &plan->shared, best.load, plan->element_bits, best.c.vector.count, machine);
    plan->rounds = 1 << best.c.reps.count;
    plan->scratch_elements = tri_linear_in_size(&plan->shared, TRI_DIM_OFFSET);
    plan->store_conflicts = tri_plan_access_conflicts(&plan->store, machine);
    plan->load_conflicts = tri_plan_access_conflicts(&plan->load, machine);
    return true;
}

bool tri_swizzle_choose(const tri_linear *src, const tri_linear *dst, const tri_plan_machine *machine,
                        int64_t max_scratch_bytes, tri_plan_convert *plan)
{
    tri_linear loaded = tri_linear_transpose_outs(dst, src->out.dim);
    problem p = {.a = side_of(src), .b = side_of(&loaded), .block = bases_of(src, TRI_DIM_BLOCK, false),
                 .dim = tri_linear_total_out_bits(src), .bits = plan->element_bits, .banks = machine->banks,
                 .max_bits = machine->max_vector_bits};
    const instruction *stores[3], *loads[3];
    best_pair best = {0}, plain_pair = {.store = TRI_ACCESS_PLAIN, .load = TRI_ACCESS_PLAIN};
    int num_stores = candidates(&p, machine->has_stmatrix, stores);
    int num_loads = candidates(&p, machine->has_ldmatrix && plan->kind != TRI_CVT_CLUSTER, loads);
    for (int i = 0; p.max_bits >= 128 && p.a.lane.count >= 3 && i < num_stores; i++)
        for (int j = 0; j < num_loads; j++)
            try_pair(&p, stores[i], loads[j], &best);
    plan->sync = sync_of(src, dst, plan);
    bool ok = best.found && plan_choice(&p, best, src, &loaded, machine, max_scratch_bytes, plan);
    if (ok && !plan->store_conflicts && !plan->load_conflicts)
        return true;
    /* Several rounds may cut a matrix's rows; narrower vectors are never in the way of one another. */
    plain_pair.c = narrow(&p);
    tri_plan_convert other = *plan;
    if (!plan_choice(&p, plain_pair, src, &loaded, machine, max_scratch_bytes, &other))
        return ok;
    if (!ok || other.store_conflicts + other.load_conflicts < plan->store_conflicts + plan->load_conflicts)
        *plan = other;
    return true;
}
