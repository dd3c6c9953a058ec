/* Blocks of atomic updates on x86, by chunks.
 *
 * Each element is updated at once, as the language has it, but the order in which other threads see them is free. So a
 * chunk is read, computed and written by ordinary instructions inside a transaction of memory, where the processor has
 * those and none was disturbed (runtime/launch/x86.c): the whole of it is atomic then, with locked instructions of
 * other threads, too. Elsewhere neighbours are compared and exchanged 16 bytes at a time, where they lie so, and other
 * elements one by one. What only this program sees (scope cta) needs none of that. */
#include "targets/cpu/cpu.h"

#include "ir/options.h"

/* Beginning and ending a transaction takes as long as 200 bytes. */
enum { least_lanes = 4, scope_of_program = 2, chunk_bytes = 1024 };

typedef struct {
    MlirOperation op;
    MlirValue pointer, value, mask;
    int64_t kind;
    tri_cpu_type type;
    LLVMTypeRef element;
    tri_cpu_place place;
    tri_cpu_mask m;
    tri_cpu_val v;
    LLVMValueRef values, addresses, masks; /* of a chunk's lanes, in memory */
} update;

bool tri_cpu_atomic_in_chunks(tri_cpu_gen *g, MlirOperation op)
{
    MlirType type = mlirValueGetType(tri_op_operand(op, 1));
    return !g->host.is_aarch64 && !g->steps && !g->unit->options->sanitize && tri_op_is(op, "tt.atomic_rmw") &&
           mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(op, 0))) &&
           tri_type_num_elements(type) >= least_lanes;
}

/* ---- a loop over lanes ---- */

typedef struct {
    LLVMBasicBlockRef header, body, exit;
    LLVMValueRef i;
} lane_loop;

/* From 0, at the builder's position. */
static lane_loop open_lanes(tri_cpu_gen *g, int64_t lanes)
{
    lane_loop l = {.header = tri_cpu_new_block(g, "lanes"), .body = tri_cpu_new_block(g, "lane")};
    l.exit = tri_cpu_new_block(g, "lanes_done");
    LLVMValueRef zero = tri_cpu_i64(g, 0);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b);
    LLVMBuildBr(g->b, l.header);
    LLVMPositionBuilderAtEnd(g->b, l.header);
    l.i = LLVMBuildPhi(g->b, g->i64, "");
    LLVMAddIncoming(l.i, &zero, &before, 1);
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntULT, l.i, tri_cpu_i64(g, lanes), ""), l.body, l.exit);
    LLVMPositionBuilderAtEnd(g->b, l.body);
    return l;
}

static void close_lanes(tri_cpu_gen *g, const lane_loop *l, int64_t step)
{
    LLVMValueRef next = LLVMBuildAdd(g->b, l->i, tri_cpu_i64(g, step), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(g->b);
    LLVMAddIncoming(l->i, &next, &latch, 1);
    LLVMBuildBr(g->b, l->header);
    LLVMPositionBuilderAtEnd(g->b, l->exit);
}

static LLVMValueRef at_lane(tri_cpu_gen *g, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef i)
{
    return LLVMBuildGEP2(g->b, type, base, &i, 1, "");
}

/* ---- updates ---- */

static LLVMValueRef load_as(tri_cpu_gen *g, LLVMTypeRef type, LLVMValueRef address, unsigned align)
{
    LLVMValueRef v = LLVMBuildLoad2(g->b, type, address, "");
    LLVMSetAlignment(v, align);
    return v;
}

/* Neighbours, or one element, by ordinary instructions. */
static void update_plainly(tri_cpu_gen *g, const update *u, LLVMValueRef address, LLVMValueRef v)
{
    LLVMValueRef old = load_as(g, LLVMTypeOf(v), address, u->type.bits / 8);
    LLVMValueRef made = tri_cpu_atomic_combine(g, u->kind, u->type, old, v);
    LLVMSetAlignment(LLVMBuildStore(g->b, made, address), u->type.bits / 8);
}

static void update_singly(tri_cpu_gen *g, const update *u, LLVMValueRef address, LLVMValueRef v)
{
    tri_cpu_atomic_update(g, g->nest->loop_count, u->kind, tri_cpu_atomic_order(u->op), u->type, address, v);
}

/* Lanes one after the other, in index order, where their masks are on. */
static void update_lanes(tri_cpu_gen *g, const update *u, bool is_plain)
{
    lane_loop l = open_lanes(g, g->nest->vl);
    LLVMBasicBlockRef next = tri_cpu_new_block(g, "lane_done");
    if (u->m.v) {
        LLVMBasicBlockRef then = tri_cpu_new_block(g, "lane_on");
        LLVMValueRef on = LLVMBuildLoad2(g->b, g->i8, at_lane(g, g->i8, u->masks, l.i), "");
        LLVMBuildCondBr(g->b, LLVMBuildTrunc(g->b, on, g->i1, ""), then, next);
        LLVMPositionBuilderAtEnd(g->b, then);
    }
    LLVMValueRef address = u->place.in_order ? at_lane(g, u->element, u->place.address, l.i)
                                             : load_as(g, g->ptr, at_lane(g, g->ptr, u->addresses, l.i), 8);
    LLVMValueRef v = LLVMBuildLoad2(g->b, u->element, at_lane(g, u->element, u->values, l.i), "");
    (is_plain ? update_plainly : update_singly)(g, u, address, v);
    LLVMBuildBr(g->b, next);
    LLVMPositionBuilderAtEnd(g->b, next);
    close_lanes(g, &l, 1);
}

/* Neighbours that fill `bytes` bytes. */
static void exchange(tri_cpu_gen *g, const update *u, LLVMValueRef address, LLVMValueRef v, unsigned bytes)
{
    LLVMTypeRef raw = LLVMIntTypeInContext(g->llvm, bytes * 8);
    LLVMValueRef first = LLVMGetPoison(tri_cpu_vector(g->i64, (int)bytes / 8));
    for (unsigned k = 0; k < bytes / 8; k++) { /* what is torn is not found again */
        LLVMValueRef part = load_as(g, g->i64, at_lane(g, g->i64, address, tri_cpu_i64(g, k)), 8);
        LLVMSetOrdering(part, LLVMAtomicOrderingMonotonic);
        first = LLVMBuildInsertElement(g->b, first, part, tri_cpu_i64(g, k), "");
    }
    first = LLVMBuildBitCast(g->b, first, raw, "");
    tri_cpu_atomic_retry(g, u->kind, tri_cpu_atomic_order(u->op), u->type, address, first, v, bytes);
}

/* A chunk of neighbours by locked instructions: as many at once as their place allows. */
static void update_run(tri_cpu_gen *g, const update *u)
{
    unsigned bytes = tri_host_has(&g->host, "cx16") ? 16 : 8;
    int group = (int)(bytes * 8 / u->type.bits);
    if (group < 2 || g->nest->vl % group) {
        update_lanes(g, u, false);
        return;
    }
    LLVMBasicBlockRef groups = tri_cpu_new_block(g, "groups"), singles = tri_cpu_new_block(g, "singles");
    LLVMBasicBlockRef done = tri_cpu_new_block(g, "updated");
    LLVMValueRef at = LLVMBuildPtrToInt(g->b, u->place.address, g->i64, "");
    LLVMValueRef odd = LLVMBuildAnd(g->b, at, tri_cpu_i64(g, bytes - 1), "");
    LLVMBuildCondBr(g->b, LLVMBuildIsNull(g->b, odd, ""), groups, singles);
    LLVMPositionBuilderAtEnd(g->b, groups);
    lane_loop l = open_lanes(g, g->nest->vl);
    LLVMValueRef v = load_as(g, tri_cpu_vector(u->element, group), at_lane(g, u->element, u->values, l.i),
                             u->type.bits / 8);
    exchange(g, u, at_lane(g, u->element, u->place.address, l.i), v, bytes);
    close_lanes(g, &l, group);
    LLVMBuildBr(g->b, done);
    LLVMPositionBuilderAtEnd(g->b, singles);
    update_lanes(g, u, false);
    LLVMBuildBr(g->b, done);
    LLVMPositionBuilderAtEnd(g->b, done);
}

/* ---- chunks ---- */

static void keep_lanes(tri_cpu_gen *g, const update *u, LLVMValueRef v)
{
    LLVMBuildStore(g->b, v, u->values);
    if (!u->place.in_order)
        LLVMBuildStore(g->b, u->place.address, u->addresses);
    if (!u->m.v)
        return;
    LLVMValueRef mask = u->m.is_vec ? u->m.v : tri_cpu_splat(g, u->m.v, g->nest->vl);
    LLVMBuildStore(g->b, LLVMBuildZExt(g->b, mask, tri_cpu_like(g->i8, mask), ""), u->masks);
}

static void update_chunk(tri_cpu_gen *g, const update *u, LLVMValueRef v, bool is_plain)
{
    bool is_run = u->place.in_order && !u->m.v;
    if (is_run && is_plain) {
        update_plainly(g, u, u->place.address, v);
        return;
    }
    keep_lanes(g, u, v);
    if (is_run)
        update_run(g, u);
    else
        update_lanes(g, u, is_plain);
}

/* Not in a function of the runtime: processors give a transaction up that ends in a function which it has called. */
static void commit(tri_cpu_gen *g)
{
    static char text[] = "xend", clobbers[] = "~{memory},~{dirflag},~{fpsr},~{flags}";
    LLVMTypeRef type = LLVMFunctionType(g->void_type, NULL, 0, false);
    LLVMValueRef end = LLVMGetInlineAsm(type, text, sizeof text - 1, clobbers, sizeof clobbers - 1, true, false,
                                        LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(g->b, type, end, NULL, 0, "");
}

static void block_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    update *u = sink->data;
    const tri_cpu_tuple *t = g->nest->index;
    u->v = tri_cpu_eval(g, u->value, t);
    u->place = tri_cpu_place_of(g, u->pointer, t);
    u->m = tri_cpu_mask_at(g, u->mask, t, g->nest->loop_count);
}

static void block_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    update *u = sink->data;
    int level = g->nest->loop_count;
    if (u->m.is_false)
        return;
    tri_cpu_at(g, level);
    LLVMValueRef v = tri_cpu_as_vector(g, u->v);
    if (!u->place.in_order)
        tri_cpu_place_spread(g, u->element, &u->place);
    if (tri_op_int(u->op, "scope", 1) == scope_of_program) {
        update_chunk(g, u, v, true);
        tri_cpu_move(g, level, LLVMGetInsertBlock(g->b));
        return;
    }
    LLVMBasicBlockRef begun = tri_cpu_new_block(g, "transaction"), locked = tri_cpu_new_block(g, "locked");
    LLVMBasicBlockRef next = tri_cpu_new_block(g, "chunk_updated");
    LLVMValueRef is_begun = tri_cpu_call_runtime(g, "tri_cpu_rt_begin", g->i32, NULL, NULL, 0);
    LLVMBuildCondBr(g->b, LLVMBuildIsNotNull(g->b, is_begun, ""), begun, locked);
    tri_cpu_move(g, level, begun);
    update_chunk(g, u, v, true);
    commit(g);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, level, locked);
    update_chunk(g, u, v, false);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, level, next);
}

/* ---- nests ---- */

static void make_room(tri_cpu_gen *g, update *u, int lanes)
{
    u->values = tri_cpu_temp(g, tri_cpu_vector(u->element, lanes), "values");
    u->addresses = tri_cpu_temp(g, tri_cpu_vector(g->ptr, lanes), "addresses");
    u->masks = tri_cpu_temp(g, tri_cpu_vector(g->i8, lanes), "masks");
}

void tri_cpu_atomic_block(tri_cpu_gen *g, MlirOperation op)
{
    MlirValue none = {NULL};
    update u = {.op = op, .pointer = tri_op_operand(op, 0), .value = tri_op_operand(op, 1), .mask = none,
                .kind = tri_op_int(op, "atomic_rmw_op", 0)};
    MlirType type = mlirValueGetType(u.value);
    if (mlirOperationGetNumOperands(op) > 2)
        u.mask = tri_op_operand(op, 2);
    u.type = tri_cpu_type_of(g, type);
    u.element = tri_cpu_llvm_type(g, u.type);
    tri_cpu_sink sink = {.op = op, .data = &u, .eval = block_eval, .write = block_write, .mask = u.mask,
                         .only_where_mask = true, .values = &u.value, .value_count = 1, .indices = u.pointer};
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = -1, .count = 1, .sinks = &sink};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    domain.vec_dim = domain.rank - 1; /* index order */
    int64_t extent = domain.shape[domain.vec_dim];
    bool is_wide = !tri_cpu_has_function(g, u.value) && !tri_cpu_has_function(g, u.pointer);
    domain.lanes = is_wide ? chunk_bytes * 8 / (int)(u.type.bits < 32 ? 32 : u.type.bits) : TRI_CPU_LANES;
    make_room(g, &u, (int)(extent < domain.lanes ? extent : domain.lanes));
    tri_cpu_nest_run(g, &domain);
}
