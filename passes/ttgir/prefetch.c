/* Splits a product along K and reads the first piece of the next iteration's operands ahead.
 *
 *     scf.for ... {                                        %a0 = local_load first piece of the first tile
 *       %w = ttg.async_wait %g                             scf.for ... iter_args(%h = %a0) {
 *       %a = ttg.local_load %ring[%i] token %w    becomes    %a1 = ttg.local_load the rest of the tile
 *       %d = tt.dot %a, %b, %c                               %e = tt.dot %h, ..., %c
 *       ...                                                  ... ; %w = ttg.async_wait %next_g
 *     }                                                      %n = local_load first piece of %ring[%next]
 *                                                            %d = tt.dot %a1, ..., %e ; scf.yield ..., %n
 *
 * so that the tensor cores work while shared memory is read. Needs: a loop with one product of mma version
 * 2 whose operands are read from shared memory, at a place that can be computed from what the loop carries
 * (an index into a ring, a wait), and registers for both: sum, pieces of two iterations, addresses of copies. The read
 * behind the last iteration is of a copy that was masked off.
 * Answers to tritongpu-prefetch. Test: tests/passes/prefetch.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/analysis/infer.h"
#include "ir/encoding.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"
#include "passes/ttgir/pipeline/pipeline.h"

typedef TRI_VEC(MlirOperation) op_chain;

typedef struct {
    tri_arena *arena;
    MlirOperation loop, dot;
    MlirBlock body;
    MlirOperation load[2]; /* of the two operands */
    op_chain chain[2];     /* conversions of element types between load and product, the last one first */
    int64_t depth, piece;  /* K, and how much of it one piece has */
} match;

/* ---- matchers ---- */

/* What may be computed once more: pure arithmetic, views, waits. */
static bool can_recompute(match *m, MlirValue value, int budget)
{
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(def) || !mlirBlockEqual(mlirOperationGetBlock(def), m->body))
        return true;
    if (budget == 0 || mlirOperationGetNumRegions(def) ||
        !(tri_op_is(def, "ttg.async_wait") || tri_op_is(def, "ttg.memdesc_index") ||
          tri_op_is(def, "ttg.memdesc_trans") || tri_str_has_prefix(tri_op_name(def), "arith.")))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++) {
        MlirOperation next = tri_op_def(tri_op_operand(def, i));
        /* a commit of this iteration is only waited for in a later one */
        if (!mlirOperationIsNull(next) && tri_op_is(next, "ttg.async_commit_group") &&
            mlirBlockEqual(mlirOperationGetBlock(next), m->body))
            return false;
        if (!can_recompute(m, tri_op_operand(def, i), budget - 1))
            return false;
    }
    return true;
}

/* Whether a value changes with the loop: it leads back to a loop argument, or to the counter. */
static bool is_carried(match *m, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index))
        return mlirBlockEqual(block, m->body);
    MlirOperation def = tri_op_def(value);
    if (!mlirBlockEqual(mlirOperationGetBlock(def), m->body))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        if (is_carried(m, tri_op_operand(def, i)))
            return true;
    return false;
}

static bool match_operand(match *m, int i)
{
    m->load[i] = tri_op_def(tri_op_operand(m->dot, i));
    while (!mlirOperationIsNull(m->load[i]) && mlirOperationGetNumOperands(m->load[i]) == 1 &&
           tri_op_in(m->load[i], TRI_OPS_ELEMENTWISE) && tri_dots_has_one_use(tri_op_result(m->load[i], 0))) {
        tri_vec_push(m->arena, &m->chain[i], m->load[i]);
        m->load[i] = tri_op_def(tri_op_operand(m->load[i], 0));
    }
    if (mlirOperationIsNull(m->load[i]) || !tri_op_is(m->load[i], "ttg.local_load") ||
        !mlirBlockEqual(mlirOperationGetBlock(m->load[i]), m->body) ||
        !tri_dots_has_one_use(tri_op_result(m->load[i], 0)))
        return false;
    tri_memdesc buffer;
    tri_type_get_memdesc(mlirValueGetType(tri_op_operand(m->load[i], 0)), &buffer);
    if (!is_carried(m, tri_op_operand(m->load[i], 0)) ||
        tri_encoding_get(m->arena, buffer.encoding)->cga.count) /* no parts of what several blocks hold */
        return false;
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(m->load[i]); k++)
        if (!can_recompute(m, tri_op_operand(m->load[i], k), 12))
            return false;
    return true;
}

/* Whether the registers are enough for the sum, the pieces of this product and of the next, and 64 bits of address for
 * each asynchronous copy. Of the 255 there are, the rest is for masks and what is on its way. */
static bool has_room(match *m, const tri_op_list *inside)
{
    enum { FOR_VALUES = 210 };
    int64_t sum = tri_dots_registers(m->arena, mlirValueGetType(tri_op_result(m->dot, 0)));
    for (int i = 0; i < 2; i++)
        sum += 2 * tri_dots_registers(m->arena, mlirValueGetType(tri_op_operand(m->dot, i))) * m->piece / m->depth;
    for (size_t i = 0; i < inside->len; i++) {
        tri_linear layout;
        if (tri_op_is(inside->at[i], "ttg.async_copy_global_to_local") &&
            tri_dots_linear(m->arena, mlirValueGetType(tri_op_operand(inside->at[i], 0)), &layout))
            sum += 2 * tri_linear_in_size(&layout, TRI_DIM_REGISTER) / tri_op_int(inside->at[i], "contiguity", 1);
    }
    return sum <= FOR_VALUES;
}

static bool match_loop(tri_arena *arena, MlirOperation loop, match *m)
{
    *m = (match){.arena = arena, .loop = loop, .body = tri_op_body(loop, 0)};
    tri_op_list inside = {0};
    tri_op_collect(loop, arena, &inside);
    int dots = 0;
    for (size_t i = 0; i < inside.len; i++) {
        if (tri_op_is(inside.at[i], "scf.for") || tri_op_is(inside.at[i], "scf.while"))
            return false;
        if (tri_op_is(inside.at[i], "tt.dot")) {
            m->dot = inside.at[i];
            dots++;
        }
    }
    if (dots != 1 || !mlirBlockEqual(mlirOperationGetBlock(m->dot), m->body))
        return false;
    const tri_encoding *d = tri_dots_encoding(arena, tri_op_result(m->dot, 0));
    const tri_encoding *a = tri_dots_encoding(arena, tri_op_operand(m->dot, 0));
    MlirType type = mlirValueGetType(tri_op_operand(m->dot, 0));
    int rank = tri_type_rank(type);
    if (!d || d->kind != TRI_ENC_NVIDIA_MMA || d->version_major != 2 || !a || a->kind != TRI_ENC_DOT_OP ||
        (rank != 2 && rank != 3))
        return false;
    m->depth = tri_type_dim(type, rank - 1);
    m->piece = a->dot_op.k_width ? 8 * a->dot_op.k_width : 256 / (int)tri_type_bits(tri_type_element(type));
    return m->depth >= m->piece && match_operand(m, 0) && match_operand(m, 1) && has_room(m, &inside);
}

/* ---- rewriters ---- */

/* Loop arguments as one end of the loop sees them: their initial values, or what is yielded. */
typedef struct {
    match *m;
    bool is_entry;
    tri_map made; /* MlirValue.ptr -> value */
} view;

static MlirValue counter_of(view *v, tri_builder *b, MlirValue counter)
{
    MlirValue known = {tri_map_find_ptr(&v->made, counter.ptr)};
    if (v->is_entry)
        return tri_op_operand(v->m->loop, 0);
    if (mlirValueIsNull(known)) {
        known = tri_builder_binary(b, "arith.addi", mlirValueGetType(counter), counter, tri_op_operand(v->m->loop, 2));
        tri_map_set_ptr(&v->made, counter.ptr, (void *)known.ptr);
    }
    return known;
}

static MlirValue recompute(view *v, tri_builder *b, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index)) {
        if (!mlirBlockEqual(block, v->m->body))
            return value;
        if (index == 0)
            return counter_of(v, b, value);
        return v->is_entry ? tri_op_operand(v->m->loop, 3 + index - 1)
                           : tri_op_operand(mlirBlockGetTerminator(v->m->body), index - 1);
    }
    MlirOperation def = tri_op_def(value);
    if (!mlirBlockEqual(mlirOperationGetBlock(def), v->m->body))
        return value;
    MlirValue known = {tri_map_find_ptr(&v->made, value.ptr)};
    if (!mlirValueIsNull(known))
        return known;
    intptr_t n = mlirOperationGetNumOperands(def);
    MlirValue *from = TRI_NEW_ARRAY(v->m->arena, MlirValue, n + 1), *to = TRI_NEW_ARRAY(v->m->arena, MlirValue, n + 1);
    for (intptr_t i = 0; i < n; i++) {
        from[i] = tri_op_operand(def, i);
        to[i] = recompute(v, b, from[i]);
    }
    MlirValue made = tri_op_result(tri_op_clone(b, def, n, from, to), 0);
    tri_map_set_ptr(&v->made, value.ptr, (void *)made.ptr);
    return made;
}

/* Elements [first, first + count) of K of an operand's buffer. */
static MlirValue load_piece(match *m, tri_builder *b, int operand, MlirValue buffer, MlirValue token, int64_t first,
                            int64_t count)
{
    tri_memdesc desc;
    MlirType result = mlirValueGetType(tri_op_result(m->load[operand], 0));
    tri_type_get_memdesc(mlirValueGetType(buffer), &desc);
    int rank = desc.rank, k_dim = operand == 0 ? rank - 1 : rank - 2;
    int64_t shape[TRI_MAX_RANK];
    memcpy(shape, desc.shape, sizeof shape);
    shape[k_dim] = count;
    MlirValue part = tri_dots_buffer_part(b, buffer, k_dim, first, count);
    MlirType type = tri_type_tensor(rank, shape, tri_type_element(result), tri_type_encoding(result));
    MlirValue x = tri_builder_value(b, &(tri_op){.name = "ttg.local_load",
                                                 .num_operands = mlirValueIsNull(token) ? 1 : 2,
                                                 .operands = (MlirValue[]){part, token},
                                                 .num_results = 1,
                                                 .results = &type});
    for (size_t i = m->chain[operand].len; i-- > 0;) {
        MlirOperation op = m->chain[operand].at[i];
        MlirValue from = tri_op_operand(op, 0);
        MlirType whole = mlirValueGetType(tri_op_result(op, 0));
        x = tri_op_result(tri_op_clone(b, op, 1, &from, &x), 0);
        tri_op_set_type(x, tri_type_tensor(rank, shape, tri_type_element(whole), tri_type_encoding(whole)));
    }
    return x;
}

static bool is_made_inside(match *m, MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    return !mlirOperationIsNull(def) && mlirBlockEqual(mlirOperationGetBlock(def), m->body);
}

static MlirValue token_of(match *m, int i)
{
    return mlirOperationGetNumOperands(m->load[i]) > 1 ? tri_op_operand(m->load[i], 1) : (MlirValue){NULL};
}

/* The first pieces of both operands as one end of the loop sees them. */
static void load_heads(match *m, tri_builder *b, bool is_entry, MlirValue *out_heads)
{
    view v = {.m = m, .is_entry = is_entry};
    tri_map_init(&v.made, m->arena);
    for (int i = 0; i < 2; i++) {
        MlirValue token = token_of(m, i);
        if (!mlirValueIsNull(token))
            token = recompute(&v, b, token);
        MlirValue buffer = recompute(&v, b, tri_op_operand(m->load[i], 0));
        out_heads[i] = load_piece(m, b, i, buffer, token, 0, m->piece);
    }
}

static MlirOperation dot_piece(match *m, tri_builder *b, MlirValue a, MlirValue x, MlirValue acc)
{
    MlirValue from[3] = {tri_op_operand(m->dot, 0), tri_op_operand(m->dot, 1), tri_op_operand(m->dot, 2)},
              to[3] = {a, x, acc};
    return tri_op_clone(b, m->dot, 3, from, to);
}

static void erase_if_unused(MlirValue value)
{
    MlirOperation op = tri_op_def(value);
    bool is_spare = tri_op_is(op, "ttg.async_wait") || tri_op_is(op, "ttg.memdesc_index");
    if (is_spare && mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
        mlirOperationDestroy(op);
}

static void erase_loads(match *m)
{
    tri_value_list old = {0};
    for (int i = 0; i < 2; i++)
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(m->load[i]); k++) {
            MlirValue value = tri_op_operand(m->load[i], k);
            bool is_new = is_made_inside(m, value);
            for (size_t j = 0; j < old.len; j++)
                is_new = is_new && !mlirValueEqual(old.at[j], value);
            if (is_new)
                tri_vec_push(m->arena, &old, value);
        }
    mlirOperationDestroy(m->dot);
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < m->chain[i].len; k++)
            mlirOperationDestroy(m->chain[i].at[k]);
        mlirOperationDestroy(m->load[i]);
    }
    for (size_t i = 0; i < old.len; i++)
        erase_if_unused(old.at[i]);
}

static void rewrite_prefetch(match *m)
{
    tri_builder before = tri_builder_before(m->loop);
    before.loc = mlirOperationGetLocation(m->dot);
    MlirValue heads[2];
    load_heads(m, &before, true, heads);
    m->loop = tri_loops_add_iter_args(m->arena, m->loop, 2, heads);
    m->body = tri_op_body(m->loop, 0);
    intptr_t args = mlirBlockGetNumArguments(m->body);
    MlirOperation yield = mlirBlockGetTerminator(m->body);
    bool is_last = mlirOperationEqual(tri_dots_only_user(tri_op_result(m->dot, 0)), yield);

    /* the rest of this iteration's tiles; the wait for them was in the iteration before */
    MlirValue token[2];
    for (int i = 0; i < 2; i++) {
        token[i] = token_of(m, i);
        if (!mlirValueIsNull(token[i]) && is_made_inside(m, token[i]))
            token[i] = (MlirValue){NULL};
    }
    tri_builder b = tri_builder_before(m->dot);
    MlirValue acc = tri_op_operand(m->dot, 2);
    TRI_VEC(MlirValue) rest[2] = {{0}};
    for (int64_t k = m->piece; k < m->depth; k += m->piece)
        for (int i = 0; i < 2; i++)
            tri_vec_push(m->arena, &rest[i],
                         load_piece(m, &b, i, tri_op_operand(m->load[i], 0), token[i], k, m->piece));
    MlirOperation last =
        dot_piece(m, &b, mlirBlockGetArgument(m->body, args - 2), mlirBlockGetArgument(m->body, args - 1), acc);
    for (size_t i = 0; i < rest[0].len; i++)
        last = dot_piece(m, &b, rest[0].at[i], rest[1].at[i], tri_op_result(last, 0));
    mlirValueReplaceAllUsesOfWith(tri_op_result(m->dot, 0), tri_op_result(last, 0));

    tri_builder end = tri_builder_before(yield);
    end.loc = b.loc;
    load_heads(m, &end, false, heads);
    tri_loops_append_yield(m->arena, yield, 2, heads);
    if (is_last)
        mlirOperationMoveBefore(last, yield);
    erase_loads(m);
}

static bool run_prefetch(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list loops = {0}, funcs = {0};
    bool is_changed = false;
    tri_op_collect_named(module, "scf.for", run->arena, &loops);
    for (size_t i = 0; i < loops.len; i++) {
        match m;
        if (!match_loop(run->arena, loops.at[i], &m))
            continue;
        rewrite_prefetch(&m);
        is_changed = true;
    }
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; is_changed && i < funcs.len; i++)
        tri_pipeline_waits_run(run->arena, funcs.at[i], true);
    return true;
}

const tri_pass tri_pass_prefetch = {
    .name = "prefetch",
    .help = "read the first piece of the next product's operands during this one",
    .alias = "tritongpu-prefetch",
    .run = run_prefetch,
};
