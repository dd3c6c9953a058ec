/* Loop nests: one loop per dimension, the vector dimension in chunks of lanes, in parts where a
 * mask is known to hold and where it is not. */
#include "targets/cpu/cpu.h"

/* ---- one loop ---- */

static void open_loop(tri_cpu_gen *g, int l, LLVMValueRef end, int64_t step)
{
    tri_cpu_nest *n = g->nest;
    tri_cpu_loop *loop = &n->loops[l];
    loop->step = step;
    loop->end = end;
    loop->leaves = NULL;
    loop->header = tri_cpu_new_block(g, "loop");
    LLVMPositionBuilderAtEnd(g->b, loop->header);
    loop->iv = LLVMBuildPhi(g->b, g->i64, "i");
    loop->body = n->cur[l + 1] = tri_cpu_new_block(g, "body");
}

static void close_loop(tri_cpu_gen *g, int l, LLVMValueRef start)
{
    tri_cpu_nest *n = g->nest;
    tri_cpu_loop *loop = &n->loops[l];
    LLVMBasicBlockRef exit = tri_cpu_new_block(g, "done");
    tri_cpu_at(g, l + 1);
    LLVMValueRef next = LLVMBuildNSWAdd(g->b, loop->iv, tri_cpu_i64(g, loop->step), "");
    next = loop->leaves ? LLVMBuildSelect(g->b, loop->leaves, loop->end, next, "") : next;
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(g->b);
    LLVMBuildBr(g->b, loop->header);
    tri_cpu_at(g, l);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b);
    LLVMBuildBr(g->b, loop->header);
    LLVMAddIncoming(loop->iv, &start, &before, 1);
    LLVMAddIncoming(loop->iv, &next, &latch, 1);
    LLVMPositionBuilderAtEnd(g->b, loop->header);
    LLVMValueRef more = LLVMBuildICmp(g->b, LLVMIntSLT, loop->iv, loop->end, "");
    LLVMBuildCondBr(g->b, more, loop->body, exit);
    tri_cpu_memo_forget(g, l + 1);
    tri_cpu_move(g, l, exit);
}

/* ---- asking before there are loops ---- */

void tri_cpu_probe_begin(tri_cpu_gen *g, int level)
{
    for (int l = level; l <= g->nest->loop_count; l++) {
        g->nest->cur[l] = tri_cpu_new_block(g, "scratch");
        g->nest->loops[l - 1].iv = LLVMGetPoison(g->i64);
    }
}

void tri_cpu_probe_end(tri_cpu_gen *g, int level)
{
    for (int l = level; l <= g->nest->loop_count; l++) {
        tri_cpu_at(g, l);
        LLVMBuildUnreachable(g->b);
    }
    tri_cpu_memo_forget(g, level);
}

/* ---- the order of loops ---- */

/* Outer dimensions in their order, the vector dimension, the reduced one innermost; when the
 * reduced one is the vector dimension, it is the last loop. */
static void lay_out(tri_cpu_nest *n)
{
    const tri_cpu_domain *d = n->domain;
    n->vec_loop = n->axis_loop = -1;
    for (int dim = 0; dim < d->rank; dim++)
        if (dim != d->vec_dim && dim != d->axis)
            n->loops[n->loop_count++] = (tri_cpu_loop){.dim = dim, .extent = d->shape[dim], .step = 1};
    if (d->vec_dim >= 0) {
        n->vec_loop = n->loop_count;
        n->loops[n->loop_count++] = (tri_cpu_loop){.dim = d->vec_dim, .extent = d->shape[d->vec_dim]};
    }
    if (d->axis >= 0 && d->axis != d->vec_dim)
        n->loops[n->loop_count++] = (tri_cpu_loop){.dim = d->axis, .extent = d->shape[d->axis], .step = 1};
    if (d->axis >= 0)
        n->axis_loop = d->is_flat ? 0 : n->loop_count - 1;
}

static void set_index(tri_cpu_gen *g, tri_cpu_nest *n)
{
    tri_cpu_tuple t = {.rank = n->domain->rank};
    for (int l = 0; l < n->loop_count; l++)
        t.at[n->loops[l].dim].coef[l] = 1;
    n->index = tri_cpu_intern(g, &t);
}

/* ---- bodies ---- */

static void each(tri_cpu_gen *g, size_t hook)
{
    const tri_cpu_domain *d = g->nest->domain;
    for (int i = 0; i < d->count; i++) {
        tri_cpu_sink *s = &d->sinks[i];
        void (*f)(tri_cpu_gen *, tri_cpu_sink *) = hook == 0   ? s->enter
                                                   : hook == 1 ? s->eval
                                                   : hook == 2 ? s->write
                                                               : s->leave;
        if (f && s->op.ptr)
            tri_cpu_lines_at(g, s->op);
        if (f)
            f(g, s);
    }
}

static void emit_loops(tri_cpu_gen *g, int l);

static void emit_inside(tri_cpu_gen *g, int l)
{
    if (l < g->nest->loop_count) {
        emit_loops(g, l);
        return;
    }
    each(g, 1);
    each(g, 2);
}

static void emit_part(tri_cpu_gen *g, int l, LLVMValueRef start, LLVMValueRef end, int64_t step)
{
    open_loop(g, l, end, step);
    emit_inside(g, l + 1);
    close_loop(g, l, start);
}

static void push_fact(tri_cpu_gen *g, MlirValue mask, const tri_cpu_tuple *tuple, int level)
{
    tri_cpu_nest *n = g->nest;
    tri_cpu_fact fact = {mask, tuple, true, level, false, NULL};
    tri_vec_push(g->arena, &n->facts, fact);
    /* the parts of a conjunction hold too */
    MlirOperation op = tri_op_def(mask);
    if (!mlirOperationIsNull(op) && tri_op_is(op, "arith.andi"))
        for (int i = 0; i < 2; i++)
            push_fact(g, tri_op_operand(op, i), tuple, level);
}

/* What splits a vector loop: nothing happens outside of [begin, end), no mask is in force inside [lo, hi). */
typedef struct {
    LLVMValueRef begin, end, lo, hi;
    bool is_split;
    tri_cpu_fact only; /* the one mask there is: beyond hi it is false; null when there are several or none */
    int masks;
    bool is_past; /* all of them say something only where they are false */
} split;

static LLVMValueRef pick(tri_cpu_gen *g, const char *name, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[2] = {x, y};
    return tri_cpu_intrinsic(g, name, &g->i64, 1, args, 2);
}

/* By the masks of the sinks and of all loads that they read: those that are bounds become facts. */
static split split_by_masks(tri_cpu_gen *g, int l)
{
    enum { max_masks = 12 };
    const tri_cpu_domain *d = g->nest->domain;
    tri_cpu_fact masks[max_masks];
    split s = {tri_cpu_i64(g, 0), tri_cpu_i64(g, g->nest->loops[l].extent), NULL, NULL, false, .masks = 0,
               .is_past = true};
    tri_cpu_probe_begin(g, l + 1);
    for (int i = 0; i < d->count; i++) {
        const tri_cpu_sink *sink = &d->sinks[i];
        int count = tri_cpu_masks_of(g, sink->mask, sink->values, sink->value_count, masks, max_masks);
        for (int k = 0; k < count; k++) {
            LLVMValueRef lo, hi;
            bool is_known = s.is_split && s.only.mask.ptr == masks[k].mask.ptr && s.only.tuple == masks[k].tuple;
            s.is_past &= masks[k].is_past;
            if (is_known)
                continue;
            if (!tri_cpu_mask_bounds(g, masks[k].mask, masks[k].tuple, &lo, &hi))
                continue;
            if (d->count == 1 && sink->only_where_mask && masks[k].mask.ptr == sink->mask.ptr &&
                masks[k].tuple == g->nest->index) {
                s.begin = lo;
                s.end = hi;
            }
            s.lo = s.is_split ? pick(g, "llvm.smax", s.lo, lo) : lo;
            s.hi = s.is_split ? pick(g, "llvm.smin", s.hi, hi) : hi;
            s.is_split = true;
            s.masks++;
            s.only = (tri_cpu_fact){masks[k].mask, masks[k].tuple, false, l + 1, false, NULL};
            push_fact(g, masks[k].mask, masks[k].tuple, l + 1);
        }
    }
    tri_cpu_probe_end(g, l + 1);
    return s;
}

static split split_by_sink(tri_cpu_gen *g, int l)
{
    const tri_cpu_sink *sink = &g->nest->domain->sinks[0];
    split s = {tri_cpu_i64(g, 0), tri_cpu_i64(g, g->nest->loops[l].extent), NULL, NULL, true, .masks = 0,
               .is_past = false};
    tri_cpu_at(g, l);
    sink->bounds(g, &g->nest->domain->sinks[0], &s.lo, &s.hi);
    if (sink->only_where_mask) {
        s.begin = s.lo;
        s.end = s.hi;
    }
    return s;
}

/* From `start` on, where the mask may hold, and behind the chunk that its bound cuts: nothing is loaded there, and what
 * is computed is often the same everywhere. */
static void emit_rest(tri_cpu_gen *g, int l, const split *s, LLVMValueRef start)
{
    tri_cpu_nest *n = g->nest;
    size_t known = n->facts.len;
    tri_cpu_at(g, l);
    LLVMValueRef up = LLVMBuildAdd(g->b, s->hi, tri_cpu_i64(g, n->vl - 1), "");
    LLVMValueRef rest = pick(g, "llvm.smin", LLVMBuildAnd(g->b, up, tri_cpu_i64(g, -n->vl), ""), s->end);
    emit_part(g, l, start, rest, n->vl);
    tri_vec_push(g->arena, &n->facts, s->only);
    emit_part(g, l, rest, s->end, n->vl);
    n->facts.len = known;
}

/* The chunk at `start`, where `when` (null: always) holds, then on to `join`; elsewhere to `next`. */
static void emit_chunk(tri_cpu_gen *g, int l, LLVMValueRef start, LLVMValueRef when, LLVMBasicBlockRef join,
                       LLVMBasicBlockRef next)
{
    tri_cpu_nest *n = g->nest;
    LLVMBasicBlockRef body = n->cur[l + 1] = tri_cpu_new_block(g, "chunk");
    n->loops[l].iv = start;
    emit_inside(g, l + 1);
    tri_cpu_at(g, l + 1);
    LLVMBuildBr(g->b, join);
    tri_cpu_at(g, l);
    if (when && n->domain->slice->other)
        tri_cpu_branch(g, when, body, next);
    else if (when)
        LLVMBuildCondBr(g->b, when, body, next);
    else
        LLVMBuildBr(g->b, body);
    tri_cpu_memo_forget(g, l + 1);
}

/* Where the only mask holds nowhere, nothing is loaded; else it is in force. */
static void emit_rest_of_slice(tri_cpu_gen *g, int l, const split *s, LLVMBasicBlockRef join)
{
    tri_cpu_nest *n = g->nest;
    size_t known = n->facts.len;
    LLVMValueRef start = n->domain->slice->start;
    if (s->is_split && s->masks == 1 && LLVMIsConstant(s->lo) && LLVMIsNull(s->lo)) {
        tri_cpu_at(g, l);
        LLVMValueRef none = LLVMBuildICmp(g->b, LLVMIntSGE, start, s->hi, "");
        LLVMBasicBlockRef next = tri_cpu_new_block(g, "not");
        tri_vec_push(g->arena, &n->facts, s->only);
        emit_chunk(g, l, start, none, join, next);
        n->facts.len = known;
        tri_cpu_move(g, l, next);
    }
    emit_chunk(g, l, start, NULL, join, NULL);
    tri_cpu_move(g, l, join);
}

/* One chunk: where the masks hold in all of it, and elsewhere here or at another place. */
static void emit_slice(tri_cpu_gen *g, int l, const split *s, size_t known)
{
    tri_cpu_nest *n = g->nest;
    tri_cpu_slice *slice = n->domain->slice;
    LLVMBasicBlockRef join = tri_cpu_new_block(g, "joined");
    slice->from = NULL;
    if (!s->is_split || slice->is_rest) {
        n->facts.len = known;
        emit_rest_of_slice(g, l, s, join);
        return;
    }
    tri_cpu_at(g, l);
    LLVMValueRef end = LLVMBuildNSWAdd(g->b, slice->start, tri_cpu_i64(g, n->vl), "");
    LLVMValueRef whole = LLVMBuildICmp(g->b, LLVMIntSLE, end, s->hi, "");
    if (!(LLVMIsConstant(s->lo) && LLVMIsNull(s->lo)))
        whole = LLVMBuildAnd(g->b, whole, LLVMBuildICmp(g->b, LLVMIntSGE, slice->start, s->lo, ""), "");
    LLVMBasicBlockRef next = slice->other ? slice->other : tri_cpu_new_block(g, "not");
    emit_chunk(g, l, slice->start, whole, join, next);
    n->facts.len = known;
    if (slice->other) {
        tri_cpu_at(g, l);
        slice->from = LLVMGetInsertBlock(g->b);
        tri_cpu_move(g, l, join);
        return;
    }
    tri_cpu_move(g, l, next);
    emit_rest_of_slice(g, l, s, join);
}

/* Whole chunks where the masks hold run without them; the chunks that the bounds cut, and those
 * outside, run with them. */
static void emit_vector_loop(tri_cpu_gen *g, int l)
{
    tri_cpu_nest *n = g->nest;
    size_t known = n->facts.len;
    const tri_cpu_sink *sink = n->domain->count ? &n->domain->sinks[0] : NULL;
    bool has_bounds = sink && sink->bounds;
    split s = has_bounds ? split_by_sink(g, l) : split_by_masks(g, l);
    size_t inside = n->facts.len;
    int64_t vl = n->vl;
    if (n->domain->slice) {
        emit_slice(g, l, &s, known);
        return;
    }
    if (!s.is_split) {
        emit_part(g, l, s.begin, s.end, vl);
        return;
    }
    tri_cpu_at(g, l);
    LLVMBuilderRef b = g->b;
    LLVMValueRef down = tri_cpu_i64(g, -vl), begin = LLVMBuildAnd(b, s.begin, down, "");
    /* whole chunks: from lo rounded up to hi rounded down */
    LLVMValueRef first = LLVMBuildAnd(b, LLVMBuildAdd(b, s.lo, tri_cpu_i64(g, vl - 1), ""), down, "");
    LLVMValueRef last = pick(g, "llvm.smax", first, LLVMBuildAnd(b, s.hi, down, ""));
    bool starts_inside = LLVMIsConstant(s.lo) && LLVMIsNull(s.lo),
         has_rest = s.masks == 1 && s.end != s.hi && starts_inside;
    n->facts.len = known;
    if (s.is_past && has_rest) {
        emit_rest(g, l, &s, s.begin);
        return;
    }
    if (s.is_past) {
        emit_part(g, l, s.begin, s.end, vl);
        return;
    }
    if (!starts_inside)
        emit_part(g, l, begin, pick(g, "llvm.smin", first, s.end), vl);
    n->facts.len = inside;
    n->is_inside = has_bounds;
    emit_part(g, l, first, last, vl);
    n->is_inside = false;
    n->facts.len = known;
    if (has_rest)
        emit_rest(g, l, &s, last);
    else
        emit_part(g, l, last, s.end, vl);
}

static void emit_loops(tri_cpu_gen *g, int l)
{
    tri_cpu_nest *n = g->nest;
    if (l == n->axis_loop)
        each(g, 0);
    if (l == n->vec_loop)
        emit_vector_loop(g, l);
    else
        emit_part(g, l, tri_cpu_i64(g, 0), tri_cpu_i64(g, n->loops[l].extent), 1);
    if (l == n->axis_loop)
        each(g, 3);
}

/* The nest before its first loop; the position is where g->at is. */
static void start_nest(tri_cpu_gen *g, tri_cpu_nest *nest, const tri_cpu_domain *domain)
{
    *nest = (tri_cpu_nest){.domain = domain};
    lay_out(nest);
    nest->cur[0] = g->at;
    nest->vl = 1;
    if (nest->vec_loop >= 0) {
        int64_t extent = nest->loops[nest->vec_loop].extent;
        int64_t lanes = domain->lanes ? domain->lanes : TRI_CPU_LANES;
        nest->vl = (int)(extent < lanes ? extent : lanes);
    }
    g->nest = nest;
    set_index(g, nest);
}

static void end_nest(tri_cpu_gen *g)
{
    g->at = g->nest->cur[0];
    g->nest = NULL;
    LLVMPositionBuilderAtEnd(g->b, g->at);
}

/* For blocks that wrap around: as single elements, if only negative numbers come here and no lanes are accumulated. */
static void run_wrapped(tri_cpu_gen *g, const tri_cpu_domain *domain, bool is_rare)
{
    tri_cpu_domain other = *domain;
    for (int i = 0; i < domain->count; i++)
        is_rare &= !domain->sinks[i].enter;
    if (is_rare)
        other.vec_dim = -1;
    tri_cpu_nest nest;
    start_nest(g, &nest, &other);
    emit_inside(g, 0);
    end_nest(g);
}

void tri_cpu_nest_run(tri_cpu_gen *g, const tri_cpu_domain *domain)
{
    tri_cpu_nest nest;
    bool is_sign = false;
    TRI_ASSERT(!g->nest);
    start_nest(g, &nest, domain);
    LLVMValueRef test = tri_cpu_wrap_test(g, &is_sign);
    if (!test) {
        emit_inside(g, 0);
        end_nest(g);
        return;
    }
    LLVMBasicBlockRef plain = tri_cpu_new_block(g, "runs"), wrapped = tri_cpu_new_block(g, "wraps");
    LLVMBasicBlockRef join = tri_cpu_new_block(g, "after_nest");
    tri_cpu_at(g, 0);
    LLVMBuildCondBr(g->b, test, plain, wrapped);
    tri_cpu_move(g, 0, plain);
    emit_inside(g, 0);
    end_nest(g);
    LLVMBuildBr(g->b, join);
    tri_cpu_move(g, 0, wrapped);
    run_wrapped(g, domain, is_sign);
    LLVMBuildBr(g->b, join);
    tri_cpu_move(g, 0, join);
}

/* ---- materialising ---- */

static void materialise_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    tri_cpu_kept *m = sink->data;
    m->v = tri_cpu_eval(g, m->value, g->nest->index);
}

bool tri_cpu_mask_is_false(const tri_cpu_gen *g, MlirValue mask)
{
    for (size_t i = 0; i < g->nest->facts.len && mask.ptr; i++) {
        const tri_cpu_fact *f = &g->nest->facts.at[i];
        if (f->mask.ptr == mask.ptr && f->tuple == g->nest->index && !f->is_true)
            return true;
    }
    return false;
}

static void materialise_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    tri_cpu_kept *m = sink->data;
    if (tri_cpu_mask_is_false(g, m->mask))
        return;
    if (m->v.level < g->nest->loop_count)
        m->v.level = g->nest->loop_count;
    tri_cpu_buffer_store(g, mlirValueGetType(m->value), m->buffer, g->nest->index, m->v);
}

static tri_cpu_sink keep_in(MlirValue value, LLVMValueRef buffer, tri_cpu_kept *out)
{
    *out = (tri_cpu_kept){.value = value, .buffer = buffer};
    return (tri_cpu_sink){
        .data = out, .eval = materialise_eval, .write = materialise_write, .values = &out->value, .value_count = 1};
}

tri_cpu_sink tri_cpu_kept_sink(tri_cpu_gen *g, MlirValue value, tri_cpu_kept *out)
{
    MlirOperation outer = g->op;
    g->op = tri_op_def(value);
    LLVMValueRef buffer = tri_cpu_alloc(g, mlirValueGetType(value));
    g->op = outer;
    return keep_in(value, buffer, out);
}

void tri_cpu_materialise(tri_cpu_gen *g, MlirValue value, LLVMValueRef buffer)
{
    MlirType type = mlirValueGetType(value);
    tri_cpu_kept data;
    tri_cpu_sink sink = keep_in(value, buffer, &data);
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = -1, .count = 1, .sinks = &sink};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    MlirValue none = {NULL};
    domain.vec_dim = tri_cpu_vector_dim(g, domain.rank, domain.shape, none, value);
    tri_cpu_nest_run(g, &domain);
}

/* ---- the vector dimension ---- */

/* Votes for the dimensions along which loads inside `value` are contiguous. */
static void vote(tri_cpu_gen *g, MlirValue value, int rank, int64_t *score, tri_map *seen)
{
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirOperation op = tri_op_def(value);
    MlirType type = mlirValueGetType(value);
    if (!tri_type_is_tensor(type) || tri_type_rank(type) != rank || tri_map_find_ptr(seen, value.ptr))
        return;
    tri_map_set_ptr(seen, value.ptr, seen);
    if (bind && bind->kind == TRI_CPU_BUFFER) {
        score[rank - 1] += 2;
        return;
    }
    if (mlirOperationIsNull(op))
        return;
    if (tri_op_is(op, "tt.load")) {
        int64_t coefs[TRI_MAX_RANK];
        tri_cpu_static_coefs(g, tri_op_operand(op, 0), coefs);
        for (int d = 0; d < rank; d++)
            score[d] += coefs[d] == 1 ? 2 : 0;
        return;
    }
    if (!tri_cpu_arith_knows(op))
        return;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        vote(g, tri_op_operand(op, i), rank, score, seen);
}

int tri_cpu_vector_dim(tri_cpu_gen *g, int rank, const int64_t *shape, MlirValue address, MlirValue value)
{
    int64_t score[TRI_MAX_RANK] = {0};
    if (rank == 0)
        return -1;
    if (!mlirValueIsNull(address)) {
        int64_t coefs[TRI_MAX_RANK];
        tri_cpu_static_coefs(g, address, coefs);
        for (int d = 0; d < rank; d++)
            score[d] += coefs[d] == 1 ? 3 : 0;
    } else {
        score[rank - 1] += 3; /* buffers are row-major */
    }
    tri_map seen;
    tri_map_init(&seen, g->arena);
    vote(g, value, rank, score, &seen);
    int best = rank - 1;
    for (int d = rank - 1; d >= 0; d--) {
        /* a dimension of few lanes is no vector */
        int64_t fill = shape[d] < 4 ? -100 : shape[d] < 8 ? -2 : 0;
        int64_t best_fill = shape[best] < 4 ? -100 : shape[best] < 8 ? -2 : 0;
        if (score[d] + fill > score[best] + best_fill)
            best = d;
    }
    return shape[best] > 1 ? best : -1;
}
