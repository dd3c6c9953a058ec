/* tt.scan.
 *
 * Along the last dimension a chunk of lanes is scanned in registers: each lane is combined with the one 1, 2, 4, ...
 * before it, then all with what came before the chunk. Along any other dimension, and backwards, elements are
 * combined one after the other. This does not depend on the machine. */
#include "targets/cpu/cpu.h"

enum { max_values = 8 };

typedef struct {
    MlirOperation op;
    int n, axis;
    bool is_reverse, is_lanewise; /* lanewise: lanes lie along another dimension than the axis */
    bool is_chunked;              /* they lie along the axis */
    LLVMTypeRef types[max_values];
    LLVMValueRef acc[max_values]; /* slots: what came before; a vector where lanewise */
    LLVMValueRef out[max_values]; /* buffers */
    LLVMValueRef fresh;           /* slot of an i1: nothing came before; null: identities are known */
    const tri_cpu_tuple *index;   /* the nest's, mirrored along the axis when reversed */
    tri_cpu_val vals[max_values];
} scan;

static void scan_enter(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    scan *s = sink->data;
    tri_cpu_at(g, g->nest->axis_loop);
    for (int i = 0; i < s->n; i++) {
        LLVMTypeRef type = LLVMGetAllocatedType(s->acc[i]);
        tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(s->op, i)));
        LLVMValueRef start = tri_cpu_reduce_identity(s->op, t, s->types[i]);
        int lanes = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? (int)LLVMGetVectorSize(type) : 0;
        LLVMBuildStore(g->b, start ? tri_cpu_splat(g, start, lanes) : LLVMConstNull(type), s->acc[i]);
    }
    if (s->fresh)
        LLVMBuildStore(g->b, LLVMConstInt(g->i1, 1, false), s->fresh);
}

static void scan_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    scan *s = sink->data;
    tri_cpu_tuple t = *g->nest->index;
    if (s->is_reverse) {
        tri_cpu_index *a = &t.at[s->axis];
        a->c = g->nest->domain->shape[s->axis] - 1;
        a->coef[g->nest->axis_loop] = -1;
    }
    s->index = tri_cpu_intern(g, &t);
    for (int i = 0; i < s->n; i++)
        s->vals[i] = tri_cpu_eval(g, tri_op_operand(s->op, i), s->index);
}

/* Every lane k >= by combined with lane k - by; with identities, the others with those, so that no lane computes what
 * nobody asked for: a product of such leftovers may be subnormal, which takes processors 50 times as long. */
static void combine_shifted(tri_cpu_gen *g, scan *s, LLVMValueRef *io, int by)
{
    LLVMValueRef args[2 * max_values], out[max_values], from[TRI_CPU_LANES], pick[TRI_CPU_LANES];
    int lanes = tri_cpu_lanes_of(io[0]);
    for (int k = 0; k < lanes; k++) {
        int own = s->fresh ? k : 2 * lanes - by + k;
        from[k] = LLVMConstInt(g->i32, (uint64_t)(k < by ? own : k - by), false);
        pick[k] = LLVMConstInt(g->i32, (uint64_t)(k < by ? k : lanes + k), false);
    }
    for (int i = 0; i < s->n; i++) {
        tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(s->op, i)));
        LLVMValueRef rest = s->fresh ? LLVMGetPoison(LLVMTypeOf(io[i]))
                                     : tri_cpu_splat(g, tri_cpu_reduce_identity(s->op, t, s->types[i]), lanes);
        args[i] = LLVMBuildShuffleVector(g->b, io[i], rest, LLVMConstVector(from, (unsigned)lanes), "");
        args[s->n + i] = io[i];
    }
    tri_cpu_region_emit(g, s->op, args, out);
    for (int i = 0; i < s->n; i++)
        io[i] = s->fresh ? LLVMBuildShuffleVector(g->b, io[i], out[i], LLVMConstVector(pick, (unsigned)lanes), "")
                         : out[i];
}

/* `v` after what came before (the vectors or scalars `acc`). */
static void combine_with(tri_cpu_gen *g, scan *s, const LLVMValueRef *acc, LLVMValueRef *io, LLVMValueRef fresh)
{
    LLVMValueRef args[2 * max_values], out[max_values];
    for (int i = 0; i < s->n; i++) {
        args[i] = acc[i];
        args[s->n + i] = io[i];
    }
    tri_cpu_region_emit(g, s->op, args, out);
    for (int i = 0; i < s->n; i++)
        io[i] = fresh ? LLVMBuildSelect(g->b, fresh, io[i], out[i], "") : out[i];
}

static void scan_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    scan *s = sink->data;
    int level = g->nest->loop_count;
    LLVMValueRef v[max_values], acc[max_values], last[max_values];
    tri_cpu_at(g, level);
    LLVMValueRef fresh = s->fresh ? LLVMBuildLoad2(g->b, g->i1, s->fresh, "") : NULL;
    for (int i = 0; i < s->n; i++) {
        acc[i] = LLVMBuildLoad2(g->b, LLVMGetAllocatedType(s->acc[i]), s->acc[i], "");
        v[i] = s->is_lanewise || s->is_chunked ? tri_cpu_as_vector(g, s->vals[i]) : s->vals[i].v;
    }
    int lanes = s->is_chunked ? tri_cpu_lanes_of(v[0]) : 0;
    for (int by = 1; by < lanes; by *= 2)
        combine_shifted(g, s, v, by);
    for (int i = 0; i < s->n && lanes; i++) {
        /* the last lane by itself: the next chunk waits for it only */
        last[i] = LLVMBuildExtractElement(g->b, v[i], tri_cpu_i64(g, lanes - 1), "");
    }
    if (lanes) {
        combine_with(g, s, acc, last, fresh);
        for (int i = 0; i < s->n; i++)
            acc[i] = tri_cpu_splat(g, acc[i], lanes);
    }
    combine_with(g, s, acc, v, fresh);
    for (int i = 0; i < s->n; i++)
        LLVMBuildStore(g->b, lanes ? last[i] : v[i], s->acc[i]);
    if (fresh)
        LLVMBuildStore(g->b, LLVMConstInt(g->i1, 0, false), s->fresh);
    for (int i = 0; i < s->n; i++) {
        tri_cpu_val x = {v[i], level, s->is_lanewise || s->is_chunked};
        tri_cpu_buffer_store(g, mlirValueGetType(tri_op_result(s->op, i)), s->out[i], s->index, x);
    }
}

/* Along the axis where that is how memory lies; else along another dimension. */
static void choose_lanes(scan *s, tri_cpu_domain *domain, MlirType type)
{
    for (int d = 0; d < domain->rank; d++) {
        domain->shape[d] = tri_type_dim(type, d);
        if (d != s->axis && domain->shape[d] > 1)
            domain->vec_dim = d;
    }
    if (s->axis == domain->rank - 1 && !s->is_reverse && domain->shape[s->axis] > 1) {
        domain->vec_dim = s->axis;
        s->is_chunked = true;
    }
    s->is_lanewise = !s->is_chunked && domain->vec_dim >= 0;
}

void tri_cpu_scan_op(tri_cpu_gen *g, MlirOperation op)
{
    scan *s = TRI_NEW(g->arena, scan);
    MlirType type = mlirValueGetType(tri_op_operand(op, 0));
    s->op = op;
    s->n = (int)mlirOperationGetNumOperands(op);
    s->axis = (int)tri_op_int(op, "axis", 0);
    s->is_reverse = tri_op_flag(op, "reverse");
    if (s->n > max_values) {
        tri_cpu_fail(g, op, "a scan of more than %d values is not supported on this target", max_values);
        return;
    }
    MlirValue values[max_values];
    for (int i = 0; i < s->n; i++)
        values[i] = tri_op_operand(op, i);
    tri_cpu_sink sink = {.op = op, .data = s, .enter = scan_enter, .eval = scan_eval, .write = scan_write};
    if (!s->is_reverse) { /* else they are read elsewhere */
        sink.values = values;
        sink.value_count = s->n;
    }
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = s->axis, .count = 1, .sinks = &sink, .vec_dim = -1};
    choose_lanes(s, &domain, type);
    int64_t extent = s->is_lanewise ? domain.shape[domain.vec_dim] : 0;
    int lanes = (int)(extent < TRI_CPU_LANES ? extent : TRI_CPU_LANES);
    bool has_identity = true;
    for (int i = 0; i < s->n; i++) {
        tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(op, i)));
        s->types[i] = tri_cpu_llvm_type(g, t);
        s->acc[i] = tri_cpu_temp(g, tri_cpu_vector(s->types[i], lanes), "acc");
        s->out[i] = tri_cpu_alloc(g, mlirValueGetType(tri_op_result(op, i)));
        has_identity &= tri_cpu_reduce_identity(op, t, s->types[i]) != NULL;
    }
    if (!has_identity)
        s->fresh = tri_cpu_temp(g, g->i1, "fresh");
    tri_cpu_nest_run(g, &domain);
    for (int i = 0; i < s->n; i++)
        tri_cpu_bind_buffer(g, tri_op_result(op, i), s->out[i]);
}
