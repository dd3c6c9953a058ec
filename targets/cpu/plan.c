/* Which tensor values are evaluated in their consumer's loops, and which are kept in memory.
 *
 * A *root* is an op that runs a nest over its operands. A value is lazy when everything that reads
 * it ends in one nest, at one index: then it is computed once per element, in that nest. Values
 * that several nests read are computed once and kept, unless they are cheap (offsets, masks and the
 * like), which are computed again. A load is never moved past a write. */
#include "targets/cpu/cpu.h"

#include "ir/location.h"
#include "ir/op_classes.h"

typedef enum { USE_NONE, USE_ONE, USE_MANY } use_state;

typedef struct {
    use_state state;
    MlirOperation root; /* whose nest reads the value */
    MlirOperation view; /* the last view on the way, or null: at the root's own index */
    MlirBlock block; /* of all roots, which see memory as it is after so many writes of the block */
    uintptr_t epoch;
    bool is_spread; /* ... or they do not */
    int distance; /* from the root, in operations, the longest way */
    bool is_kept;
    bool is_rounded; /* a product that several nests compute: it becomes part of a sum in none of them */
} entry;

/* Values further from their root than `longest_way` are kept: evaluation recurses that deep, and a nest of that size
 * loses nothing by ending. Cheap ones are not: addresses that were kept would make gathers of their loads. */
enum { cheap_budget = 14, max_depth = 20, longest_way = 1000 };

bool tri_cpu_is_view(MlirOperation op)
{
    return tri_op_in(op, TRI_OPS_VIEW);
}

static bool is_leaf(MlirOperation op)
{
    return tri_op_is(op, "tt.splat") || tri_op_is(op, "tt.make_range") || tri_op_is(op, "arith.constant");
}

bool tri_cpu_can_be_lazy(MlirOperation op)
{
    if (mlirOperationGetNumResults(op) == 0 || !tri_type_is_tensor(mlirValueGetType(tri_op_result(op, 0))))
        return false;
    if (tri_op_is(op, "tt.load"))
        return !tri_op_flag(op, "isVolatile");
    return is_leaf(op) || tri_cpu_is_view(op) || tri_op_is(op, "tt.join") || tri_op_is(op, "tt.split") ||
           tri_op_is(op, "tt.cat") || tri_cpu_arith_knows(op);
}

static entry *entry_of(tri_cpu_gen *g, MlirValue value)
{
    entry *e = tri_map_find_ptr(&g->plans, value.ptr);
    if (!e) {
        e = TRI_NEW(g->arena, entry);
        tri_map_set_ptr(&g->plans, value.ptr, e);
    }
    return e;
}

bool tri_cpu_is_lazy(tri_cpu_gen *g, MlirValue value)
{
    entry *e = tri_map_find_ptr(&g->plans, value.ptr);
    return !e || !e->is_kept;
}

bool tri_cpu_is_pending(tri_cpu_gen *g, MlirValue value)
{
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirOperation op = tri_op_def(value);
    return !mlirOperationIsNull(op) && tri_cpu_can_be_lazy(op) && !tri_cpu_is_lazy(g, value) &&
           !(bind && bind->kind == TRI_CPU_BUFFER);
}

/* ---- cheap values ---- */

static MlirOperation loop_of_argument(MlirValue value, intptr_t *out_index)
{
    MlirBlock block;
    MlirOperation none = {NULL};
    if (!tri_op_is_block_argument(value, &block, out_index))
        return none;
    MlirOperation parent = mlirBlockGetParentOperation(block);
    return tri_op_is(parent, "scf.for") && *out_index > 0 ? parent : none;
}

static bool is_uniform(MlirValue value)
{
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op))
        return false;
    if (tri_op_is(op, "arith.constant")) {
        int64_t c;
        return tri_op_const_int(value, &c);
    }
    return tri_op_is(op, "tt.splat");
}

MlirValue tri_cpu_flat_source(MlirValue value)
{
    enum { least_row = 64 }; /* lanes that sums of rows have: those of a row go on in the next one */
    MlirValue none = {NULL};
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op) || !tri_op_is(op, "tt.reshape"))
        return none;
    MlirValue source = tri_op_operand(op, 0);
    MlirType type = mlirValueGetType(source);
    int rank = tri_type_rank(type);
    if (rank < 1 || rank > TRI_CPU_MAX_LOOPS || tri_type_rank(mlirValueGetType(value)) != 1 ||
        (rank > 1 && tri_type_dim(type, rank - 1) < least_row))
        return none;
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!tri_op_is(user, "tt.reduce") || mlirOperationGetNumOperands(user) != 1)
            return none;
    }
    return source;
}

static bool needs_memory_source(MlirOperation op)
{
    if (tri_op_is(op, "tt.cat") || tri_op_is(op, "tt.gather"))
        return true;
    if (!tri_op_is(op, "tt.reshape") || tri_cpu_flat_source(tri_op_result(op, 0)).ptr)
        return false;
    /* a reshape that only adds or drops dimensions of one, or splits one dimension, is a view */
    MlirType from = mlirValueGetType(tri_op_operand(op, 0)), to = mlirValueGetType(tri_op_result(op, 0));
    int wide = 0;
    for (int d = 0; d < tri_type_rank(from); d++)
        wide += tri_type_dim(from, d) > 1;
    if (wide <= 1)
        return false;
    int s = 0;
    for (int d = 0; d < tri_type_rank(to); d++) {
        if (tri_type_dim(to, d) == 1)
            continue;
        while (s < tri_type_rank(from) && tri_type_dim(from, s) == 1)
            s++;
        if (s == tri_type_rank(from) || tri_type_dim(from, s) != tri_type_dim(to, d))
            return true;
        s++;
    }
    return false;
}

static bool is_read_in_memory(MlirValue value)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (needs_memory_source(mlirOpOperandGetOwner(use)))
            return true;
    return false;
}

MlirValue tri_cpu_increment(const tri_cpu_gen *g, MlirOperation loop, intptr_t arg)
{
    MlirValue none = {NULL};
    MlirBlock body = tri_op_body(loop, 0);
    MlirValue self = mlirBlockGetArgument(body, arg + 1);
    if (g->steps || !tri_type_is_tensor(mlirValueGetType(self)) || is_read_in_memory(self) ||
        is_read_in_memory(tri_op_result(loop, arg)))
        return none;
    MlirValue next = tri_op_operand(mlirBlockGetTerminator(body), arg);
    MlirOperation op = tri_op_def(next);
    if (mlirOperationIsNull(op) || !(tri_op_is(op, "tt.addptr") || tri_op_is(op, "arith.addi")))
        return none;
    MlirValue x = tri_op_operand(op, 0), y = tri_op_operand(op, 1);
    if (x.ptr == self.ptr && is_uniform(y))
        return y;
    if (tri_op_is(op, "arith.addi") && y.ptr == self.ptr && is_uniform(x))
        return x;
    return none;
}

static int cost_of(MlirOperation op)
{
    bool is_short_division = tri_op_in(op, TRI_OPS_DIVISION) && !tri_op_is(op, "arith.ceildivsi") &&
                             !tri_op_is(op, "arith.ceildivui") && !tri_op_is(op, "arith.floordivsi");
    return is_short_division ? 4 : tri_op_in(op, TRI_OPS_CHEAP) ? 1 : -1;
}

/* What evaluating the value again costs; more than the budget when it may not be done again. */
static int evaluation_cost(const tri_cpu_gen *g, MlirValue value, int depth)
{
    intptr_t index;
    if (!tri_type_is_tensor(mlirValueGetType(value)))
        return 0;
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op)) {
        MlirOperation loop = loop_of_argument(value, &index);
        bool is_carried = !mlirOperationIsNull(loop) && !mlirValueIsNull(tri_cpu_increment(g, loop, index - 1));
        return is_carried ? 1 : cheap_budget + 1;
    }
    if (is_leaf(op))
        return 0;
    int own = tri_cpu_is_view(op) && !tri_op_is(op, "tt.reshape") ? 0 : cost_of(op);
    if (own < 0 || depth > max_depth)
        return cheap_budget + 1;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && own <= cheap_budget; i++)
        own += evaluation_cost(g, tri_op_operand(op, i), depth + 1);
    return own;
}

enum { near_budget = 4 };

/* Operations between the value and the one dear value that it is made of; beyond the budget: of several. */
static int distance_from_base(const tri_cpu_gen *g, MlirValue value, MlirValue *io_base, int depth)
{
    MlirOperation op = tri_op_def(value);
    if (!tri_type_is_tensor(mlirValueGetType(value)) || mlirOperationIsNull(op) || is_leaf(op) ||
        !tri_cpu_can_be_lazy(op))
        return 0; /* others are in memory anyway */
    int own = tri_cpu_is_view(op) && !tri_op_is(op, "tt.reshape") ? 0 : cost_of(op);
    if (own < 0) {
        bool is_other = !mlirValueIsNull(*io_base) && io_base->ptr != value.ptr;
        *io_base = value;
        return is_other ? near_budget + 1 : 0;
    }
    if (depth > max_depth)
        return near_budget + 1;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && own <= near_budget; i++)
        own += distance_from_base(g, tri_op_operand(op, i), io_base, depth + 1);
    return own;
}

/* A few simple operations from one value, which then is kept instead: `x - mean` need not be, beside x. */
static bool is_near(const tri_cpu_gen *g, MlirOperation op)
{
    MlirValue base = {NULL};
    return cost_of(op) >= 0 && distance_from_base(g, tri_op_result(op, 0), &base, 0) <= near_budget;
}

bool tri_cpu_is_rounded(const tri_cpu_gen *g, MlirOperation op)
{
    const entry *e = mlirOperationGetNumResults(op) ? tri_map_find_ptr(&g->plans, tri_op_result(op, 0).ptr) : NULL;
    return e && e->is_rounded;
}

/* ---- memory order ---- */

static bool writes_memory(tri_cpu_gen *g, MlirOperation op)
{
    const unsigned writes = TRI_OPS_WRITE | TRI_OPS_CALL | TRI_OPS_BARRIER;
    if (tri_op_in(op, writes))
        return true;
    if (mlirOperationGetNumRegions(op) == 0)
        return false;
    tri_op_list inner = {0};
    tri_op_collect(op, g->arena, &inner);
    for (size_t n = 0; n < inner.len; n++)
        if (tri_op_in(inner.at[n], writes))
            return true;
    return false;
}

/* Numbers ops by the writes before them: g->epochs has number + 1. */
static void number_block(tri_cpu_gen *g, MlirBlock block)
{
    uintptr_t epoch = 1;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        tri_map_set_ptr(&g->epochs, op.ptr, (void *)epoch);
        epoch += writes_memory(g, op);
    }
}

static uintptr_t epoch_of(const tri_cpu_gen *g, MlirOperation op)
{
    return (uintptr_t)tri_map_find_ptr(&g->epochs, op.ptr);
}

/* ---- uses ---- */

/* Somebody reads the value where memory is as in `other`. */
static void add_time(entry *e, const entry *other)
{
    if (e->state == USE_NONE) {
        e->block = other->block;
        e->epoch = other->epoch;
        e->is_spread = other->is_spread;
    } else {
        e->is_spread |= other->is_spread || e->block.ptr != other->block.ptr || e->epoch != other->epoch;
    }
}

static void add_use(const tri_cpu_gen *g, entry *e, MlirOperation root, MlirOperation view)
{
    entry time = {.block = mlirOperationGetBlock(root), .epoch = epoch_of(g, root)};
    add_time(e, &time);
    if (e->state == USE_NONE) {
        e->state = USE_ONE;
        e->root = root;
        e->view = view;
    } else if (e->state == USE_ONE && (e->root.ptr != root.ptr || e->view.ptr != view.ptr)) {
        e->state = USE_MANY;
    }
}

/* Neighbours that are read again where they lie, instead of being copied. Not integers: where another program changes
 * them meanwhile, an index that was tested would not be the one that is used. */
static bool may_be_read_again(tri_cpu_gen *g, MlirOperation op, const entry *e)
{
    MlirType type = mlirValueGetType(tri_op_result(op, 0));
    int64_t coefs[TRI_MAX_RANK];
    if (!tri_op_is(op, "tt.load") || tri_op_flag(op, "isVolatile") || e->is_spread ||
        !mlirTypeIsAFloat(tri_type_element(type)) || e->block.ptr != mlirOperationGetBlock(op).ptr ||
        e->epoch != epoch_of(g, op))
        return false;
    tri_cpu_static_coefs(g, tri_op_operand(op, 0), coefs);
    return coefs[tri_type_rank(type) - 1] == 1;
}

static bool may_be_lazy(const tri_cpu_gen *g, MlirOperation op, const entry *e)
{
    if (e->state != USE_ONE)
        return false;
    MlirBlock here = mlirOperationGetBlock(op), there = mlirOperationGetBlock(e->root);
    if (here.ptr != there.ptr)
        return false;
    if (tri_op_is(op, "tt.load"))
        return epoch_of(g, op) == epoch_of(g, e->root);
    return true;
}

/* Views and splats are never kept themselves: they hand their uses on. */
static void pass_on(tri_cpu_gen *g, MlirOperation op, const entry *e)
{
    bool is_identity = !tri_cpu_is_view(op) && !tri_op_is(op, "tt.join") && !tri_op_is(op, "tt.split");
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        entry *o = entry_of(g, tri_op_operand(op, i));
        if (e->state == USE_MANY) {
            add_time(o, e);
            o->state = USE_MANY;
        } else if (e->state == USE_ONE) {
            add_use(g, o, e->root, is_identity ? e->view : op);
        }
        o->distance = o->distance > e->distance ? o->distance : e->distance + 1;
    }
}

static void plan_root(tri_cpu_gen *g, MlirOperation op)
{
    MlirOperation none = {NULL};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        add_use(g, entry_of(g, tri_op_operand(op, i)), op, none);
}

/* For a debugger: a variable, which has its value from its assignment on. Very large ones would fill the stack. */
static bool is_variable(tri_cpu_gen *g, MlirOperation op)
{
    if (!g->steps || !tri_location_name(mlirOperationGetLocation(op)).len)
        return false;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) {
        MlirType type = mlirValueGetType(tri_op_result(op, r));
        int64_t bits = tri_cpu_type_of(g, type).bits;
        g->variable_bytes += tri_type_num_elements(type) * (bits < 8 ? 1 : bits / 8);
    }
    return g->variable_bytes <= TRI_CPU_ARENA_LIMIT / 4;
}

static void plan_lazy(tri_cpu_gen *g, MlirOperation op)
{
    entry merged = {0};
    bool is_kept = false;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) {
        entry *e = entry_of(g, tri_op_result(op, r));
        is_kept |= e->is_kept;
        merged.distance = merged.distance > e->distance ? merged.distance : e->distance;
        if (e->state == USE_MANY) {
            add_time(&merged, e);
            merged.state = USE_MANY;
        } else if (e->state == USE_ONE) {
            add_use(g, &merged, e->root, e->view);
        }
    }
    MlirValue first = tri_op_result(op, 0);
    bool is_shown = is_variable(g, op);
    is_kept |= is_shown;
    bool is_free = is_leaf(op) || tri_cpu_is_view(op) || tri_op_is(op, "tt.split");
    if (!is_kept && merged.state != USE_NONE && !is_free && !may_be_lazy(g, op, &merged) &&
        !may_be_read_again(g, op, &merged))
        is_kept = evaluation_cost(g, first, 0) > cheap_budget && !is_near(g, op);
    if (!is_kept && merged.state == USE_MANY && tri_op_is(op, "arith.mulf"))
        entry_of(g, first)->is_rounded = true;
    if (!is_kept && !is_free && merged.distance >= longest_way)
        is_kept = evaluation_cost(g, first, 0) > cheap_budget;
    if (is_kept && (is_shown || !is_leaf(op))) {
        for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
            entry_of(g, tri_op_result(op, r))->is_kept = true;
        merged = (entry){
            .state = USE_ONE, .root = op, .block = mlirOperationGetBlock(op), .epoch = epoch_of(g, op)};
    } else if (merged.state == USE_ONE && mlirOperationGetBlock(op).ptr != mlirOperationGetBlock(merged.root).ptr) {
        merged.state = USE_MANY; /* evaluated in another block: again and again, perhaps */
        merged.is_spread = true;
    }
    pass_on(g, op, &merged);
    if (needs_memory_source(op))
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
            entry_of(g, tri_op_operand(op, i))->is_kept = true;
}

static void plan_region(tri_cpu_gen *g, MlirRegion region);

static void plan_loop_inits(tri_cpu_gen *g, MlirOperation op)
{
    MlirBlock body = tri_op_body(op, 0);
    MlirOperation none = {NULL};
    for (intptr_t i = 0; i + 1 < mlirBlockGetNumArguments(body); i++) {
        entry *e = entry_of(g, tri_op_operand(op, i + 3));
        if (mlirValueIsNull(tri_cpu_increment(g, op, i)))
            add_use(g, e, op, none);
        else
            e->state = USE_MANY, e->is_spread = true; /* read inside the loop */
    }
}

static void plan_block(tri_cpu_gen *g, MlirBlock block)
{
    number_block(g, block);
    tri_op_list ops = {0};
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        tri_vec_push(g->arena, &ops, op);
    for (size_t i = ops.len; i-- > 0;) {
        MlirOperation op = ops.at[i];
        bool is_structured = tri_str_has_prefix(tri_op_name(op), "scf.");
        if (is_structured)
            for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
                plan_region(g, mlirOperationGetRegion(op, r));
        if (tri_op_is(op, "scf.for"))
            plan_loop_inits(g, op);
        else if (tri_cpu_can_be_lazy(op))
            plan_lazy(g, op);
        else
            plan_root(g, op);
        if (tri_op_is(op, "tt.gather"))
            entry_of(g, tri_op_operand(op, 0))->is_kept = true;
    }
}

static void plan_region(tri_cpu_gen *g, MlirRegion region)
{
    TRI_VEC(MlirBlock) blocks = {0};
    for (MlirBlock b = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(b); b = mlirBlockGetNextInRegion(b))
        tri_vec_push(g->arena, &blocks, b);
    for (size_t i = blocks.len; i-- > 0;)
        plan_block(g, blocks.at[i]);
}

void tri_cpu_plan_func(tri_cpu_gen *g, MlirOperation func)
{
    tri_map_init(&g->epochs, g->arena);
    plan_region(g, mlirOperationGetRegion(func, 0));
}

/* ---- questions about lazy values ---- */

typedef struct {
    MlirValue arg;
    tri_map seen[2]; /* values met at the own index, and through a view */
    bool found, at_other_index;
} search;

static void look_for(tri_cpu_gen *g, search *s, MlirValue value, bool through_view)
{
    if (value.ptr == s->arg.ptr) {
        s->found = true;
        s->at_other_index |= through_view;
        return;
    }
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op) || (bind && bind->kind != TRI_CPU_LAZY) ||
        !tri_type_is_tensor(mlirValueGetType(value)) || tri_map_find_ptr(&s->seen[through_view], value.ptr))
        return;
    tri_map_set_ptr(&s->seen[through_view], value.ptr, s);
    through_view |= tri_cpu_is_view(op) || tri_op_is(op, "tt.join") || tri_op_is(op, "tt.split");
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        look_for(g, s, tri_op_operand(op, i), through_view);
}

bool tri_cpu_reads(tri_cpu_gen *g, MlirValue value, MlirValue arg, bool *out_other_index)
{
    search s = {.arg = arg};
    tri_map_init(&s.seen[0], g->arena);
    tri_map_init(&s.seen[1], g->arena);
    look_for(g, &s, value, false);
    *out_other_index = s.at_other_index;
    return s.found;
}
