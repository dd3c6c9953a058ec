/* Lazy evaluation of tensor elements inside a nest, and the bindings of values. */
#include "targets/cpu/cpu.h"

#include "mlir-c/BuiltinAttributes.h"

struct tri_cpu_memo {
    const void *value;
    const tri_cpu_tuple *tuple;
    tri_cpu_val val;
    tri_cpu_memo *next;
};

enum { memo_slots = 256 };

void tri_cpu_fail(tri_cpu_gen *g, MlirOperation op, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(g->arena, format, args);
    va_end(args);
    if (!g->failed)
        tri_op_error(g->diag, op, 6002, "%.*s", TRI_STR_ARG(text));
    g->failed = true;
}

/* ---- bindings ---- */

tri_cpu_bind *tri_cpu_find(tri_cpu_gen *g, MlirValue value) { return tri_map_find_ptr(&g->binds, value.ptr); }

static tri_cpu_bind *new_bind(tri_cpu_gen *g, MlirValue value, tri_cpu_bind_kind kind, LLVMValueRef v)
{
    tri_cpu_bind *bind = TRI_NEW(g->arena, tri_cpu_bind);
    bind->kind = kind;
    bind->v = v;
    tri_map_set_ptr(&g->binds, value.ptr, bind);
    return bind;
}

void tri_cpu_bind_scalar(tri_cpu_gen *g, MlirValue value, LLVMValueRef v) { new_bind(g, value, TRI_CPU_SCALAR, v); }

void tri_cpu_bind_buffer(tri_cpu_gen *g, MlirValue value, LLVMValueRef address)
{
    new_bind(g, value, TRI_CPU_BUFFER, address);
}

void tri_cpu_bind_kind_of(tri_cpu_gen *g, MlirValue value, tri_cpu_bind_kind kind) { new_bind(g, value, kind, NULL); }

LLVMValueRef tri_cpu_scalar(tri_cpu_gen *g, MlirValue value)
{
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    if (bind && bind->v)
        return bind->v;
    if (!g->failed)
        tri_cpu_fail(g, g->op, "a value is used here that this target could not compute");
    return LLVMConstNull(tri_cpu_llvm_type(g, tri_cpu_type_of(g, mlirValueGetType(value))));
}

LLVMValueRef tri_cpu_temp(tri_cpu_gen *g, LLVMTypeRef type, const char *name)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
    LLVMPositionBuilderAtEnd(g->b, g->entry);
    LLVMValueRef v = LLVMBuildAlloca(g->b, type, name);
    if (here)
        LLVMPositionBuilderAtEnd(g->b, here);
    return v;
}

void tri_cpu_count_bytes(tri_cpu_gen *g, int64_t bytes)
{
    g->arena_bytes += bytes;
    if (g->arena_bytes > TRI_CPU_ARENA_LIMIT)
        tri_cpu_fail(g, g->op,
                     "the program needs %lld bytes for blocks that are kept in memory, more than the limit of %d; "
                     "use smaller blocks",
                     (long long)g->arena_bytes, TRI_CPU_ARENA_LIMIT);
}

LLVMValueRef tri_cpu_alloc(tri_cpu_gen *g, MlirType type)
{
    tri_cpu_type t = tri_cpu_type_of(g, type);
    int64_t bytes = tri_type_num_elements(type) * (t.bits < 8 ? 1 : t.bits / 8);
    bytes = (bytes + 63) & ~(int64_t)63;
    tri_cpu_block_memory memory = {NULL, bytes};
    for (size_t i = g->idle.len; i-- > 0 && !memory.address;) {
        if (g->idle.at[i].bytes == bytes) {
            memory.address = g->idle.at[i].address;
            g->idle.at[i] = tri_vec_last(&g->idle);
            g->idle.len--;
        }
    }
    if (!memory.address) {
        tri_cpu_count_bytes(g, bytes);
        memory.address = tri_cpu_temp(g, LLVMArrayType2(g->i8, (uint64_t)bytes), "block");
        LLVMSetAlignment(memory.address, 64);
    }
    tri_vec_push(g->arena, &g->live, memory);
    return memory.address;
}

void tri_cpu_release(tri_cpu_gen *g, size_t mark)
{
    /* a debugger may look at a block that is no longer used, as long as there is room */
    bool is_kept = g->steps && g->arena_bytes <= TRI_CPU_ARENA_LIMIT / 2;
    for (size_t i = mark; i < g->live.len && !is_kept; i++)
        tri_vec_push(g->arena, &g->idle, g->live.at[i]);
    g->live.len = mark;
}

/* ---- positions and indices ---- */

void tri_cpu_at(tri_cpu_gen *g, int level)
{
    LLVMPositionBuilderAtEnd(g->b, g->nest ? g->nest->cur[level] : g->at);
}

const tri_cpu_tuple *tri_cpu_intern(tri_cpu_gen *g, const tri_cpu_tuple *tuple)
{
    for (tri_cpu_tuple *t = g->tuples; t; t = t->next)
        if (t->rank == tuple->rank && !memcmp(t->at, tuple->at, sizeof *t->at * (size_t)t->rank))
            return t;
    tri_cpu_tuple *copy = TRI_NEW(g->arena, tri_cpu_tuple);
    *copy = *tuple;
    copy->next = g->tuples;
    g->tuples = copy;
    return copy;
}

static LLVMValueRef lane_numbers(tri_cpu_gen *g, int64_t step)
{
    LLVMValueRef lanes[TRI_CPU_MAX_LANES];
    for (int i = 0; i < g->nest->vl; i++)
        lanes[i] = tri_cpu_i64(g, i * step);
    return LLVMConstVector(lanes, (unsigned)g->nest->vl);
}

/* Without the lane part: the value for lane 0. */
static tri_cpu_val index_base(tri_cpu_gen *g, const tri_cpu_index *index)
{
    tri_cpu_val out = {tri_cpu_i64(g, index->c), 0, false};
    for (int l = 0; l < g->nest->loop_count; l++) {
        if (!index->coef[l])
            continue;
        out.level = l + 1;
        tri_cpu_at(g, out.level);
        LLVMValueRef term = g->nest->loops[l].iv;
        if (index->coef[l] != 1)
            term = LLVMBuildNSWMul(g->b, term, tri_cpu_i64(g, index->coef[l]), "");
        bool is_zero = LLVMIsConstant(out.v) && LLVMIsNull(out.v);
        out.v = is_zero ? term : LLVMBuildNSWAdd(g->b, out.v, term, "");
    }
    return out;
}

tri_cpu_val tri_cpu_index_value(tri_cpu_gen *g, const tri_cpu_index *index)
{
    tri_cpu_val base = index_base(g, index);
    int v = g->nest->vec_loop;
    if (v < 0 || !index->coef[v])
        return base;
    tri_cpu_at(g, base.level);
    LLVMValueRef wide = tri_cpu_splat(g, base.v, g->nest->vl);
    base.v = LLVMBuildNSWAdd(g->b, wide, lane_numbers(g, index->coef[v]), "");
    base.is_vec = true;
    return base;
}

LLVMValueRef tri_cpu_as_vector(tri_cpu_gen *g, tri_cpu_val v)
{
    return v.is_vec ? v.v : tri_cpu_splat(g, v.v, g->nest->vl);
}

/* ---- views ---- */

static const tri_cpu_tuple *reshape_index(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    MlirType from = mlirValueGetType(tri_op_operand(op, 0)), to = mlirValueGetType(tri_op_result(op, 0));
    int wide_dims[TRI_MAX_RANK], wide_count = 0;
    tri_cpu_tuple out = {.rank = tri_type_rank(from)};
    for (int d = 0; d < out.rank; d++)
        if (tri_type_dim(from, d) > 1)
            wide_dims[wide_count++] = d;
    if (wide_count <= 1) {
        if (!wide_count)
            return tri_cpu_intern(g, &out);
        int64_t stride = 1;
        tri_cpu_index *sum = &out.at[wide_dims[0]];
        for (int d = tri_type_rank(to) - 1; d >= 0; d--) {
            sum->c += tuple->at[d].c * stride;
            for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
                sum->coef[l] += tuple->at[d].coef[l] * stride;
            stride *= tri_type_dim(to, d);
        }
        return tri_cpu_intern(g, &out);
    }
    int w = 0;
    for (int d = 0; d < tri_type_rank(to); d++) {
        if (tri_type_dim(to, d) == 1)
            continue;
        if (w >= wide_count || tri_type_dim(to, d) != tri_type_dim(from, wide_dims[w]))
            return NULL;
        out.at[wide_dims[w++]] = tuple->at[d];
    }
    return w == wide_count ? tri_cpu_intern(g, &out) : NULL;
}

static const tri_cpu_tuple *broadcast_index(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    MlirType from = mlirValueGetType(tri_op_operand(op, 0));
    tri_cpu_tuple out = {.rank = tuple->rank};
    for (int d = 0; d < out.rank; d++)
        if (tri_type_dim(from, d) > 1)
            out.at[d] = tuple->at[d];
    return tri_cpu_intern(g, &out);
}

static const tri_cpu_tuple *expand_index(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    int axis = (int)tri_op_int(op, "axis", 0);
    tri_cpu_tuple out = {.rank = tuple->rank - 1};
    for (int d = 0; d < out.rank; d++)
        out.at[d] = tuple->at[d < axis ? d : d + 1];
    return tri_cpu_intern(g, &out);
}

static const tri_cpu_tuple *trans_index(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    int32_t order[TRI_MAX_RANK];
    int n = tri_op_i32s(op, "order", order, TRI_MAX_RANK);
    tri_cpu_tuple out = {.rank = n};
    for (int d = 0; d < n; d++)
        out.at[order[d]] = tuple->at[d];
    return tri_cpu_intern(g, &out);
}

const tri_cpu_tuple *tri_cpu_view_index(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    if (tri_op_is(op, "tt.expand_dims"))
        return expand_index(g, op, tuple);
    if (tri_op_is(op, "tt.broadcast"))
        return broadcast_index(g, op, tuple);
    if (tri_op_is(op, "tt.trans"))
        return trans_index(g, op, tuple);
    if (tri_op_is(op, "tt.reshape"))
        return reshape_index(g, op, tuple);
    return NULL;
}

static const tri_cpu_tuple *split_index(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple)
{
    tri_cpu_tuple out = *tuple;
    out.at[out.rank] = (tri_cpu_index){.c = mlirOpResultGetResultNumber(value)};
    out.rank++;
    return tri_cpu_intern(g, &out);
}

/* ---- memo ---- */

static size_t slot_of(const void *value, const void *tuple)
{
    uint64_t h = (uint64_t)(uintptr_t)value * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)tuple;
    return (size_t)((h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 56) % memo_slots;
}

static tri_cpu_memo *memo_find(tri_cpu_gen *g, const void *value, const tri_cpu_tuple *tuple)
{
    if (!g->nest->table)
        return NULL;
    for (tri_cpu_memo *m = g->nest->table[slot_of(value, tuple)]; m; m = m->next)
        if (m->value == value && m->tuple == tuple)
            return m;
    return NULL;
}

static void memo_add(tri_cpu_gen *g, const void *value, const tri_cpu_tuple *tuple, tri_cpu_val val)
{
    if (!g->nest->table)
        g->nest->table = TRI_NEW_ARRAY(g->arena, tri_cpu_memo *, memo_slots);
    tri_cpu_memo *m = TRI_NEW(g->arena, tri_cpu_memo);
    size_t slot = slot_of(value, tuple);
    *m = (tri_cpu_memo){value, tuple, val, g->nest->table[slot]};
    g->nest->table[slot] = m;
}

static void forget(tri_cpu_memo **table, int level)
{
    for (int i = 0; table && i < memo_slots; i++) {
        tri_cpu_memo **link = &table[i];
        while (*link) {
            if ((*link)->val.level >= level)
                *link = (*link)->next;
            else
                link = &(*link)->next;
        }
    }
}

void tri_cpu_memo_forget(tri_cpu_gen *g, int level)
{
    forget(g->nest->table, level);
    forget(g->nest->first_table, level);
}

/* ---- evaluation ---- */

static tri_cpu_val eval_elementwise(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    enum { max_args = 16 };
    intptr_t n = mlirOperationGetNumOperands(op);
    if (n > max_args || mlirOperationGetNumResults(op) != 1 || !tri_cpu_arith_knows(op)) {
        tri_cpu_fail(g, op, "'%.*s' is not supported on this target", TRI_STR_ARG(tri_op_name(op)));
        return (tri_cpu_val){LLVMConstNull(tri_cpu_llvm_type(
                                 g, tri_cpu_type_of(g, mlirValueGetType(tri_op_result(op, 0))))),
                             0, false};
    }
    tri_cpu_val vals[max_args], out = {0};
    for (intptr_t i = 0; i < n; i++) {
        vals[i] = tri_cpu_eval(g, tri_op_operand(op, i), tuple);
        out.is_vec |= vals[i].is_vec;
        if (vals[i].level > out.level)
            out.level = vals[i].level;
    }
    tri_cpu_at(g, out.level);
    tri_cpu_lines_at(g, op);
    if (n == 2 && tri_cpu_divides_uniformly(g, op, vals[0], vals[1])) {
        out.v = tri_cpu_divide_uniformly(g, vals[0], vals[1]);
        return out;
    }
    LLVMValueRef args[max_args];
    for (intptr_t i = 0; i < n; i++)
        args[i] = out.is_vec ? tri_cpu_as_vector(g, vals[i]) : vals[i].v;
    out.v = tri_cpu_arith_emit(g, op, args, (int)n);
    if (!out.v)
        out.v = LLVMConstNull(tri_cpu_llvm_type(g, tri_cpu_type_of(g, mlirValueGetType(tri_op_result(op, 0)))));
    out.is_vec = tri_cpu_lanes_of(out.v) > 0;
    return out;
}

static tri_cpu_val eval_range(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    tri_cpu_index index = tuple->at[0];
    index.c += tri_op_int(op, "start", 0);
    tri_cpu_val v = tri_cpu_index_value(g, &index);
    tri_cpu_at(g, v.level);
    v.v = LLVMBuildTrunc(g->b, v.v, tri_cpu_like(g->i32, v.v), "");
    return v;
}

static LLVMValueRef dense_element(tri_cpu_gen *g, MlirAttribute value, tri_cpu_type t, int64_t i)
{
    if (t.kind == TRI_CPU_F32)
        return LLVMConstReal(g->f32, mlirDenseElementsAttrGetFloatValue(value, i));
    if (t.kind == TRI_CPU_F64)
        return LLVMConstReal(g->f64, mlirDenseElementsAttrGetDoubleValue(value, i));
    LLVMTypeRef type = tri_cpu_memory_type(g, t);
    if (t.bits == 1)
        return LLVMConstInt(type, mlirDenseElementsAttrGetBoolValue(value, i), false);
    if (t.bits == 64)
        return LLVMConstInt(type, (uint64_t)mlirDenseElementsAttrGetInt64Value(value, i), true);
    /* the raw little-endian bytes of the elements */
    const char *raw = mlirDenseElementsAttrGetRawData(value);
    uint64_t bits = 0;
    memcpy(&bits, raw + i * (t.bits / 8), t.bits / 8);
    return LLVMConstInt(type, bits, false);
}

/* A constant whose elements differ: a table. */
static LLVMValueRef constant_table(tri_cpu_gen *g, MlirOperation op)
{
    MlirAttribute value = tri_op_attr(op, "value");
    tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_result(op, 0)));
    int64_t n = tri_type_num_elements(mlirValueGetType(tri_op_result(op, 0)));
    LLVMValueRef *elements = TRI_NEW_ARRAY(g->arena, LLVMValueRef, n);
    for (int64_t i = 0; i < n; i++)
        elements[i] = dense_element(g, value, t, i);
    LLVMValueRef init = LLVMConstArray2(tri_cpu_memory_type(g, t), elements, (uint64_t)n);
    LLVMValueRef global = LLVMAddGlobal(g->module, LLVMTypeOf(init), "tri_table");
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetAlignment(global, 64);
    return global;
}

static tri_cpu_val eval_constant(tri_cpu_gen *g, MlirValue value, MlirOperation op, const tri_cpu_tuple *tuple)
{
    tri_cpu_at(g, 0);
    LLVMValueRef v = tri_cpu_constant(g, op);
    if (v)
        return (tri_cpu_val){v, 0, false};
    LLVMValueRef table = constant_table(g, op);
    tri_cpu_bind_buffer(g, value, table);
    return tri_cpu_buffer_load(g, value, table, tuple);
}

/* join: element k of the last dimension comes from operand k. */
static tri_cpu_val eval_join(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    tri_cpu_tuple inner = *tuple;
    inner.rank--;
    const tri_cpu_tuple *t = tri_cpu_intern(g, &inner);
    const tri_cpu_index *last = &tuple->at[inner.rank];
    tri_cpu_val which = tri_cpu_index_value(g, last);
    if (LLVMIsConstant(which.v) && !which.is_vec)
        return tri_cpu_eval(g, tri_op_operand(op, LLVMIsNull(which.v) ? 0 : 1), t);
    tri_cpu_val x = tri_cpu_eval(g, tri_op_operand(op, 0), t), y = tri_cpu_eval(g, tri_op_operand(op, 1), t);
    tri_cpu_val out = {NULL, which.level, which.is_vec || x.is_vec || y.is_vec};
    out.level = x.level > out.level ? x.level : out.level;
    out.level = y.level > out.level ? y.level : out.level;
    tri_cpu_at(g, out.level);
    LLVMValueRef is_first =
        LLVMBuildICmp(g->b, LLVMIntEQ, which.v, LLVMConstNull(LLVMTypeOf(which.v)), "");
    LLVMValueRef a = out.is_vec ? tri_cpu_as_vector(g, x) : x.v, b = out.is_vec ? tri_cpu_as_vector(g, y) : y.v;
    out.v = LLVMBuildSelect(g->b, is_first, a, b, "");
    return out;
}

/* cat along the first dimension. */
static tri_cpu_val eval_cat(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    int64_t half = tri_type_dim(mlirValueGetType(tri_op_operand(op, 0)), 0);
    tri_cpu_bind *a = tri_cpu_find(g, tri_op_operand(op, 0)), *b = tri_cpu_find(g, tri_op_operand(op, 1));
    if (!a || !b || a->kind != TRI_CPU_BUFFER || b->kind != TRI_CPU_BUFFER) {
        tri_cpu_fail(g, op, "'tt.cat' of these values is not supported on this target");
        return (tri_cpu_val){LLVMConstNull(g->i32), 0, false};
    }
    /* both are in memory: an address that jumps from one to the other */
    tri_cpu_val i = tri_cpu_index_value(g, &tuple->at[0]);
    tri_cpu_at(g, i.level);
    LLVMTypeRef type = LLVMTypeOf(i.v);
    LLVMValueRef first = LLVMBuildICmp(g->b, LLVMIntSLT, i.v, tri_cpu_const_like(type, half), "");
    LLVMValueRef rest = LLVMBuildSub(g->b, i.v, tri_cpu_const_like(type, half), "");
    LLVMValueRef at = LLVMBuildSelect(g->b, first, i.v, rest, "");
    int lanes = i.is_vec ? g->nest->vl : 0;
    LLVMValueRef second_base = tri_cpu_splat(g, b->v, lanes);
    LLVMValueRef base = LLVMBuildSelect(g->b, first, tri_cpu_splat(g, a->v, lanes), second_base, "");
    MlirType result = mlirValueGetType(tri_op_result(op, 0));
    LLVMTypeRef element = tri_cpu_memory_type(g, tri_cpu_type_of(g, result));
    LLVMValueRef address = LLVMBuildGEP2(g->b, element, base, &at, 1, "");
    return tri_cpu_read(g, result, address, i);
}

static tri_cpu_val eval_carried(tri_cpu_gen *g, MlirValue value, const tri_cpu_bind *bind, const tri_cpu_tuple *tuple)
{
    tri_cpu_val v = tri_cpu_eval(g, bind->init, tuple);
    MlirType element = tri_type_element(mlirValueGetType(value));
    tri_cpu_at(g, v.level);
    LLVMValueRef delta = v.is_vec ? tri_cpu_splat(g, bind->v, g->nest->vl) : bind->v;
    if (tri_type_is_ptr(element)) {
        LLVMTypeRef pointee = tri_cpu_memory_type(g, tri_cpu_type_of(g, tri_type_ptr_pointee(element)));
        v.v = LLVMBuildGEP2(g->b, pointee, v.v, &delta, 1, "");
    } else {
        v.v = LLVMBuildAdd(g->b, v.v, delta, "");
    }
    return v;
}

/* At the nest's own index. */
static tri_cpu_val eval_slice(tri_cpu_gen *g, const tri_cpu_bind *bind)
{
    tri_cpu_val v = {NULL, g->nest->loop_count, true};
    tri_cpu_at(g, v.level);
    v.v = LLVMBuildLoad2(g->b, LLVMGetAllocatedType(bind->v), bind->v, "");
    return v;
}

static tri_cpu_val eval_reshape(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple)
{
    MlirValue source = tri_op_operand(op, 0);
    const tri_cpu_tuple *inner = tri_cpu_view_index(g, op, tuple);
    if (inner)
        return tri_cpu_eval(g, source, inner);
    tri_cpu_bind *bind = tri_cpu_find(g, source);
    if (!bind || bind->kind != TRI_CPU_BUFFER)
        TRI_BUG("the source of a reshape is not in memory");
    /* row-major memory does not change by a reshape */
    return tri_cpu_buffer_load(g, tri_op_result(op, 0), bind->v, tuple);
}

static tri_cpu_val eval_op(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple)
{
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op)) {
        tri_cpu_fail(g, g->op, "a block argument is used here that this target could not compute");
        return (tri_cpu_val){LLVMConstNull(tri_cpu_llvm_type(g, tri_cpu_type_of(g, mlirValueGetType(value)))), 0,
                             false};
    }
    if (tri_op_is(op, "arith.constant"))
        return eval_constant(g, value, op, tuple);
    if (tri_op_is(op, "tt.splat"))
        return tri_cpu_eval(g, tri_op_operand(op, 0), tuple);
    if (tri_op_is(op, "tt.make_range"))
        return eval_range(g, op, tuple);
    if (tri_op_is(op, "tt.reshape"))
        return eval_reshape(g, op, tuple);
    if (tri_op_is(op, "tt.join"))
        return eval_join(g, op, tuple);
    if (tri_op_is(op, "tt.cat"))
        return eval_cat(g, op, tuple);
    if (tri_op_is(op, "tt.split"))
        return tri_cpu_eval(g, tri_op_operand(op, 0), split_index(g, value, tuple));
    const tri_cpu_tuple *inner = tri_cpu_view_index(g, op, tuple);
    if (inner)
        return tri_cpu_eval(g, tri_op_operand(op, 0), inner);
    if (tri_op_is(op, "tt.load"))
        return tri_cpu_load_eval(g, op, tuple);
    return eval_elementwise(g, op, tuple);
}

/* A load that is in memory, in a part of the nest where its mask is false. */
static bool is_default_here(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple, tri_cpu_val *out)
{
    MlirOperation op = tri_op_def(value);
    if (!g->nest->facts.len || !tri_cpu_has_default(op))
        return false;
    MlirValue mask = tri_op_segment_value(op, 1), rest = tri_op_segment_value(op, 2);
    for (size_t i = 0; i < g->nest->facts.len; i++) {
        const tri_cpu_fact *f = &g->nest->facts.at[i];
        if (f->mask.ptr != mask.ptr || f->tuple != tuple || f->is_true)
            continue;
        *out =
            (tri_cpu_val){LLVMConstNull(tri_cpu_llvm_type(g, tri_cpu_type_of(g, mlirValueGetType(value)))), 0, false};
        if (!mlirValueIsNull(rest))
            *out = tri_cpu_eval(g, rest, tuple);
        out->level = out->level > f->level ? out->level : f->level;
        return true;
    }
    return false;
}

tri_cpu_val tri_cpu_eval(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple)
{
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    if (!tri_type_is_tensor(mlirValueGetType(value)))
        return (tri_cpu_val){tri_cpu_scalar(g, value), 0, false};
    for (size_t i = 0; i < g->nest->facts.len; i++) {
        const tri_cpu_fact *f = &g->nest->facts.at[i];
        if (f->mask.ptr == value.ptr && f->tuple == tuple && tri_cpu_type_of(g, mlirValueGetType(value)).bits == 1)
            return (tri_cpu_val){LLVMConstInt(g->i1, f->is_true, false), f->level, false};
    }
    tri_cpu_memo *known = memo_find(g, value.ptr, tuple);
    if (known)
        return known->val;
    tri_cpu_val v;
    if (bind && bind->kind == TRI_CPU_BUFFER && is_default_here(g, value, tuple, &v))
        return v;
    if (bind && bind->kind == TRI_CPU_BUFFER)
        v = tri_cpu_buffer_load(g, value, bind->v, tuple);
    else if (bind && bind->kind == TRI_CPU_CARRIED)
        v = eval_carried(g, value, bind, tuple);
    else if (bind && bind->kind == TRI_CPU_SLICE)
        v = eval_slice(g, bind);
    else if (!tri_cpu_eval_run(g, value, tuple, &v))
        v = eval_op(g, value, tuple);
    memo_add(g, value.ptr, tuple, v);
    return v;
}

static void swap_tables(tri_cpu_nest *n)
{
    tri_cpu_memo **table = n->table;
    n->table = n->first_table;
    n->first_table = table;
}

bool tri_cpu_first_known(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple, tri_cpu_val *out)
{
    swap_tables(g->nest);
    const tri_cpu_memo *known = memo_find(g, value.ptr, tuple);
    swap_tables(g->nest);
    if (known)
        *out = known->val;
    return known != NULL;
}

void tri_cpu_first_keep(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple, tri_cpu_val first)
{
    swap_tables(g->nest);
    memo_add(g, value.ptr, tuple, first);
    swap_tables(g->nest);
}

/* The chunk's counter is that of its first lane, so without a vector loop that is what comes out. */
tri_cpu_val tri_cpu_eval_first(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple)
{
    tri_cpu_nest *n = g->nest;
    int v = n->vec_loop;
    if (v < 0)
        return tri_cpu_eval(g, value, tuple);
    n->vec_loop = -1;
    swap_tables(n);
    tri_cpu_val first = tri_cpu_eval(g, value, tuple);
    swap_tables(n);
    n->vec_loop = v;
    return first;
}

/* ---- scalar regions: combine functions, and the functions that they call ---- */

enum { max_region_args = 16, max_call_depth = 32 };

static void run_block(tri_cpu_gen *g, MlirBlock block, LLVMValueRef *args, LLVMValueRef *out, int depth);

static bool run_call(tri_cpu_gen *g, MlirOperation op, LLVMValueRef *args, int depth)
{
    MlirAttribute callee = tri_op_attr(op, "callee");
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
    void *func = tri_map_find(&g->bodies, (tri_str){name.data, name.length});
    if (!func || depth > max_call_depth)
        return false;
    MlirRegion region = mlirOperationGetRegion((MlirOperation){func}, 0);
    MlirBlock block = mlirRegionGetFirstBlock(region);
    if (mlirBlockIsNull(block) || !mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
        return false;
    LLVMValueRef out[max_region_args];
    run_block(g, block, args, out, depth + 1);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        tri_cpu_bind_scalar(g, tri_op_result(op, i), out[i]);
    return true;
}

/* Both arms, which have no effects, and for each lane what its condition says. */
static bool run_if(tri_cpu_gen *g, MlirOperation op, LLVMValueRef cond, int depth)
{
    LLVMValueRef then[max_region_args], other[max_region_args];
    intptr_t n = mlirOperationGetNumResults(op);
    if (n > max_region_args)
        return false;
    run_block(g, tri_op_body(op, 0), NULL, then, depth);
    run_block(g, tri_op_body(op, 1), NULL, other, depth);
    for (intptr_t i = 0; i < n; i++) {
        int lanes = tri_cpu_lanes_of(cond);
        bool is_short[2] = {lanes && !tri_cpu_lanes_of(then[i]), lanes && !tri_cpu_lanes_of(other[i])};
        LLVMValueRef x = is_short[0] ? tri_cpu_splat(g, then[i], lanes) : then[i];
        LLVMValueRef y = is_short[1] ? tri_cpu_splat(g, other[i], lanes) : other[i];
        tri_cpu_bind_scalar(g, tri_op_result(op, i), LLVMBuildSelect(g->b, cond, x, y, ""));
    }
    return true;
}

static bool run_op(tri_cpu_gen *g, MlirOperation op, LLVMValueRef *vals, int n, int lanes, int depth)
{
    LLVMValueRef v = NULL;
    if (tri_op_is(op, "scf.if") && mlirOperationGetNumResults(op) > 0)
        return run_if(g, op, vals[0], depth);
    if (tri_op_is(op, "tt.call"))
        return run_call(g, op, vals, depth);
    if (tri_op_is(op, "arith.constant"))
        v = tri_cpu_splat(g, tri_cpu_constant(g, op), lanes);
    else if (mlirOperationGetNumResults(op) == 1 && tri_cpu_arith_knows(op))
        v = tri_cpu_arith_emit(g, op, vals, n);
    if (v)
        tri_cpu_bind_scalar(g, tri_op_result(op, 0), v);
    return v != NULL;
}

static void run_block(tri_cpu_gen *g, MlirBlock block, LLVMValueRef *args, LLVMValueRef *out, int depth)
{
    int lanes = 0;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
        tri_cpu_bind_scalar(g, mlirBlockGetArgument(block, i), args[i]);
        lanes = tri_cpu_lanes_of(args[i]) > lanes ? tri_cpu_lanes_of(args[i]) : lanes;
    }
    MlirOperation end = mlirBlockGetTerminator(block);
    for (MlirOperation o = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(o);
         o = mlirOperationGetNextInBlock(o)) {
        intptr_t n = mlirOperationGetNumOperands(o);
        LLVMValueRef vals[max_region_args];
        for (intptr_t i = 0; i < n && i < max_region_args; i++) {
            vals[i] = tri_cpu_scalar(g, tri_op_operand(o, i));
            if (lanes && !tri_cpu_lanes_of(vals[i]))
                vals[i] = tri_cpu_splat(g, vals[i], lanes);
        }
        if (o.ptr == end.ptr) {
            memcpy(out, vals, sizeof *out * (size_t)n);
            return;
        }
        if (n <= max_region_args && run_op(g, o, vals, (int)n, lanes, depth))
            continue;
        tri_cpu_fail(g, o, "'%.*s' is not supported in a combine function on this target",
                     TRI_STR_ARG(tri_op_name(o)));
        for (intptr_t i = 0; i < mlirOperationGetNumResults(o); i++) {
            tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_result(o, i)));
            LLVMTypeRef type = tri_cpu_vector(tri_cpu_llvm_type(g, t), lanes);
            tri_cpu_bind_scalar(g, tri_op_result(o, i), LLVMConstNull(type));
        }
    }
}

void tri_cpu_region_emit(tri_cpu_gen *g, MlirOperation op, LLVMValueRef *args, LLVMValueRef *out)
{
    run_block(g, tri_op_body(op, 0), args, out, 0);
}
