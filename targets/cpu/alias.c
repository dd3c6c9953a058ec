/* A store whose value is evaluated in the store's own loops reads memory between its writes. That
 * is the same as reading the whole block first when no written byte is read at another index:
 * the ranges are disjoint, or every element reads exactly what it overwrites. Both are decided at
 * run time from the first and last address of each access. */
#include "targets/cpu/cpu.h"

enum { max_loads = 16 };

typedef struct {
    MlirValue pointers[max_loads], loaded[max_loads]; /* those of loads, each once; what they give */
    int count, loads;
    bool too_many;
    tri_map seen;
} reads;

static void collect_alias(tri_cpu_gen *g, MlirValue value, reads *out)
{
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirOperation op = tri_op_def(value);
    if (!tri_type_is_tensor(mlirValueGetType(value)) || tri_map_find_ptr(&out->seen, value.ptr))
        return;
    tri_map_set_ptr(&out->seen, value.ptr, out);
    if (bind && bind->kind == TRI_CPU_CARRIED) {
        collect_alias(g, bind->init, out);
        return;
    }
    if (mlirOperationIsNull(op) || (bind && bind->kind == TRI_CPU_BUFFER))
        return;
    if (tri_op_is(op, "tt.load")) {
        MlirValue p = tri_op_operand(op, 0);
        out->too_many |= out->loads == max_loads;
        if (!out->too_many)
            out->loaded[out->loads++] = value;
        for (int i = 0; i < out->count; i++)
            if (out->pointers[i].ptr == p.ptr)
                return;
        if (out->count == max_loads)
            out->too_many = true;
        else
            out->pointers[out->count++] = p;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !out->too_many; i++)
        collect_alias(g, tri_op_operand(op, i), out);
}

void tri_cpu_ask_begin(tri_cpu_gen *g, tri_cpu_nest *nest, int rank)
{
    static const tri_cpu_domain none = {0};
    *nest = (tri_cpu_nest){.domain = &none, .loop_count = rank, .vec_loop = rank - 1, .axis_loop = -1, .vl = 2};
    nest->cur[0] = g->at;
    g->nest = nest;
    tri_cpu_probe_begin(g, 1);
}

void tri_cpu_ask_end(tri_cpu_gen *g)
{
    tri_cpu_probe_end(g, 1);
    g->at = g->nest->cur[0];
    g->nest = NULL;
    LLVMPositionBuilderAtEnd(g->b, g->at);
}

typedef struct {
    MlirType type;
    tri_cpu_form form;
    LLVMValueRef first, lo, hi; /* addresses as i64; hi is one past the end */
} range;

static bool range_of(tri_cpu_gen *g, MlirValue pointer, range *out)
{
    out->type = mlirValueGetType(pointer);
    tri_cpu_tuple own = {.rank = tri_type_rank(out->type)};
    if (own.rank > g->nest->loop_count)
        return false;
    for (int d = 0; d < own.rank; d++)
        own.at[d].coef[d] = 1;
    tri_cpu_form f = tri_cpu_form_of(g, pointer, tri_cpu_intern(g, &own));
    if (!f.ok || !f.ptr || f.level > 0 || f.ptr_level > 0)
        return false;
    tri_cpu_type t = tri_cpu_type_of(g, tri_type_ptr_pointee(tri_type_element(out->type)));
    int64_t bytes = t.bits < 8 ? 1 : t.bits / 8;
    tri_cpu_at(g, 0);
    LLVMBuilderRef b = g->b;
    LLVMValueRef size = tri_cpu_i64(g, bytes);
    LLVMValueRef at = LLVMBuildPtrToInt(b, f.ptr, g->i64, "");
    out->form = f;
    out->first = LLVMBuildAdd(b, at, LLVMBuildMul(b, f.base, size, ""), "");
    out->lo = out->first;
    out->hi = LLVMBuildAdd(b, out->first, size, "");
    for (int d = 0; d < own.rank; d++) {
        if (!f.coef[d])
            continue;
        int64_t steps = (tri_type_dim(out->type, d) - 1) * bytes;
        LLVMValueRef span = LLVMBuildMul(b, f.coef[d], tri_cpu_i64(g, steps), "");
        LLVMValueRef args[2] = {span, tri_cpu_i64(g, 0)};
        out->lo = LLVMBuildAdd(b, out->lo, tri_cpu_intrinsic(g, "llvm.smin", &g->i64, 1, args, 2), "");
        out->hi = LLVMBuildAdd(b, out->hi, tri_cpu_intrinsic(g, "llvm.smax", &g->i64, 1, args, 2), "");
    }
    return true;
}

static LLVMValueRef same_walk(tri_cpu_gen *g, const range *x, const range *y)
{
    LLVMBuilderRef b = g->b;
    if (!mlirTypeEqual(x->type, y->type))
        return LLVMConstInt(g->i1, 0, false);
    LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, x->first, y->first, "");
    for (int l = 0; l < g->nest->loop_count; l++) {
        LLVMValueRef p = x->form.coef[l] ? x->form.coef[l] : tri_cpu_i64(g, 0);
        LLVMValueRef q = y->form.coef[l] ? y->form.coef[l] : tri_cpu_i64(g, 0);
        if (p != q)
            same = LLVMBuildAnd(b, same, LLVMBuildICmp(b, LLVMIntEQ, p, q, ""), "");
    }
    return same;
}

/* An i1 that says whether a store may be fused with the loads of its operands; null: it always may. */
static LLVMValueRef check(tri_cpu_gen *g, MlirOperation op, bool may_be_same)
{
    reads r = {0};
    tri_map_init(&r.seen, g->arena);
    MlirValue pointer = tri_op_operand(op, 0);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        collect_alias(g, tri_op_operand(op, i), &r);
    bool is_safe = !r.too_many;
    for (int i = 0; i < r.count; i++)
        is_safe &= may_be_same && r.pointers[i].ptr == pointer.ptr;
    if (is_safe)
        return NULL;
    int rank = tri_type_rank(mlirValueGetType(pointer));
    for (int i = 0; i < r.count; i++)
        if (tri_type_rank(mlirValueGetType(r.pointers[i])) > rank)
            rank = tri_type_rank(mlirValueGetType(r.pointers[i]));
    LLVMValueRef ok = LLVMConstInt(g->i1, !r.too_many, false);
    tri_cpu_nest probe;
    tri_cpu_ask_begin(g, &probe, rank);
    range store;
    bool known = !r.too_many && range_of(g, pointer, &store);
    for (int i = 0; i < r.count && known; i++) {
        range load;
        if (may_be_same && r.pointers[i].ptr == pointer.ptr)
            continue;
        known = range_of(g, r.pointers[i], &load);
        if (!known)
            break;
        tri_cpu_at(g, 0);
        LLVMValueRef above = LLVMBuildICmp(g->b, LLVMIntULE, load.hi, store.lo, "");
        LLVMValueRef below = LLVMBuildICmp(g->b, LLVMIntULE, store.hi, load.lo, "");
        LLVMValueRef apart = LLVMBuildOr(g->b, below, above, "");
        if (may_be_same)
            apart = LLVMBuildOr(g->b, apart, same_walk(g, &store, &load), "");
        ok = LLVMBuildAnd(g->b, ok, apart, "");
    }
    tri_cpu_ask_end(g);
    return known ? ok : LLVMConstInt(g->i1, 0, false);
}

typedef struct {
    void *saved[3 * max_loads];
    MlirValue values[3 * max_loads];
    int count;
} rebound;

static void rebind(tri_cpu_gen *g, MlirValue v, rebound *io)
{
    tri_cpu_bind *bind = tri_cpu_find(g, v);
    if (bind && bind->kind == TRI_CPU_BUFFER)
        return;
    LLVMValueRef buffer = tri_cpu_alloc(g, mlirValueGetType(v));
    tri_cpu_materialise(g, v, buffer);
    io->values[io->count] = v;
    io->saved[io->count++] = bind;
    tri_cpu_bind_buffer(g, v, buffer);
}

/* Do the loads of a block read much less than it has, as numbers of rows are of the addresses of their elements? */
static bool are_small(const reads *r, MlirValue v)
{
    int64_t sum = 0;
    for (int i = 0; i < r->loads; i++)
        sum += tri_type_num_elements(mlirValueGetType(r->loaded[i]));
    return !r->too_many && sum <= tri_type_num_elements(mlirValueGetType(v)) / 4;
}

/* Materialises what reads memory, stores from there, and restores the bindings. */
void tri_cpu_store_whole(tri_cpu_gen *g, MlirOperation op, void (*store)(tri_cpu_gen *g, MlirOperation op))
{
    rebound kept = {.count = 0};
    size_t mark = g->live.len;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        reads r = {0};
        tri_map_init(&r.seen, g->arena);
        MlirValue v = tri_op_operand(op, i);
        collect_alias(g, v, &r);
        if (!r.count && !r.too_many)
            continue;
        if (!are_small(&r, v)) {
            rebind(g, v, &kept);
            continue;
        }
        for (int k = 0; k < r.loads; k++)
            rebind(g, r.loaded[k], &kept);
    }
    store(g, op);
    for (int i = 0; i < kept.count; i++)
        tri_map_set_ptr(&g->binds, kept.values[i].ptr, kept.saved[i]);
    if (mlirOperationGetNumResults(op) == 0) /* results would be in what is released */
        tri_cpu_release(g, mark);
}

void tri_cpu_store_apart(tri_cpu_gen *g, MlirOperation op, bool may_be_same,
                         void (*store)(tri_cpu_gen *g, MlirOperation op))
{
    LLVMValueRef may_fuse = check(g, op, may_be_same);
    if (!may_fuse) {
        store(g, op);
        return;
    }
    /* The stored block is evaluated chunk by chunk only where no chunk's store can reach a later
     * chunk's load; else it is evaluated as a whole first. */
    tri_cpu_at(g, 0);
    LLVMBasicBlockRef fused = tri_cpu_new_block(g, "disjoint"), whole = tri_cpu_new_block(g, "overlapping");
    LLVMBasicBlockRef join = tri_cpu_new_block(g, "after_store");
    LLVMBuildCondBr(g->b, may_fuse, fused, whole);
    tri_cpu_move(g, 0, fused);
    store(g, op);
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, join);
    tri_cpu_move(g, 0, whole);
    tri_cpu_store_whole(g, op, store);
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, join);
    tri_cpu_move(g, 0, join);
}
