/* Gives every shared-memory buffer a place, re-using bytes of buffers that are not live together.
 *
 *     %a = ttg.local_alloc %x : (...) -> !ttg.memdesc<64x32xf16, ...>
 *     %y = ttg.convert_layout %z : #blocked -> #blocked1
 *   becomes
 *     module attributes {ttg.shared = 8192 : i32} ...
 *     %a = ttg.local_alloc %x {allocation.offset = 0 : i32} : ...
 *     %y = ttg.convert_layout %z {allocation.offset = 4096 : i32} : ...
 *
 * Needs: final ttgir; nothing that needs shared memory may be added afterwards. Holds afterwards:
 * every ttg.local_alloc, and every op with tri_scratch_bytes > 0, has allocation.offset; the module says how
 * many bytes it needs (ttg.shared), and so do functions, and kernels that need less than the module. Must not
 * change what is live: buffers of ops in different partitions of a warp_specialize never share bytes. Answers to
 * allocate-shared-memory. Where a function needs more than there is, conversions go without spare room, and buffers of
 * one reader become conversions. Test: tests/passes/allocate-shared-memory.mlir */
#include "passes/passes.h"

#include "base/limit.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/buffers.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/uses.h"

#include "mlir-c/BuiltinAttributes.h"

typedef struct {
    tri_pass_run *run;
    tri_buffers buffers;
    tri_uses uses;
    tri_map ids;      /* MlirOperation.ptr -> 1 + id; ops with regions come after their bodies */
    int64_t next_id;
} allocator;

static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- liveness ---- */

static void number(allocator *a, MlirOperation op)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(b);
             b = mlirBlockGetNextInRegion(b))
            for (MlirOperation inner = mlirBlockGetFirstOperation(b); !mlirOperationIsNull(inner);
                 inner = mlirOperationGetNextInBlock(inner))
                number(a, inner);
    tri_map_set_ptr(&a->ids, op.ptr, (void *)(uintptr_t)++a->next_id);
}

static int64_t id_of(const allocator *a, MlirOperation op)
{
    return (int64_t)(uintptr_t)tri_map_find_ptr(&a->ids, op.ptr) - 1;
}

/* Id of the first op that runs in a block. */
static int64_t first_id(const allocator *a, MlirBlock block)
{
    MlirOperation op = mlirBlockGetFirstOperation(block);
    while (mlirOperationGetNumRegions(op) && !mlirBlockIsNull(tri_op_body(op, 0)))
        op = mlirBlockGetFirstOperation(tri_op_body(op, 0));
    return id_of(a, op);
}

static bool has_many_blocks(MlirBlock block)
{
    MlirBlock first = mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block));
    return !mlirBlockIsNull(mlirBlockGetNextInRegion(first));
}

/* The id up to which a use keeps a value of `home` alive: the end of the outermost loop around the
 * use that the value is defined outside of. Branches between blocks keep it alive everywhere. */
static int64_t end_of_use(const allocator *a, MlirBlock home, MlirOperation user)
{
    int64_t end = id_of(a, user);
    MlirBlock block = mlirOperationGetBlock(user);
    while (!mlirBlockEqual(block, home)) {
        if (has_many_blocks(block))
            return INT64_MAX - 1;
        MlirOperation parent = mlirBlockGetParentOperation(block);
        if (tri_op_is(parent, "tt.func"))
            return INT64_MAX - 1;
        if (!tri_op_is(parent, "scf.if"))
            end = id_of(a, parent);
        block = mlirOperationGetBlock(parent);
    }
    return end;
}

static void extend(allocator *a, tri_buffer *b, MlirValue value)
{
    MlirBlock home = tri_op_block_of(value);
    MlirOperation def = tri_op_def(value);
    int64_t begin = mlirOperationIsNull(def) ? first_id(a, home) : id_of(a, def), end = begin;
    const tri_use_list *uses = tri_uses_of(&a->uses, value);
    for (size_t i = 0; i < uses->len; i++)
        end = max64(end, end_of_use(a, home, uses->at[i].op));
    if (end == INT64_MAX - 1)
        begin = 0;
    b->begin = min64(b->begin, begin);
    b->end = max64(b->end, end + 1);
}

static void find_liveness(allocator *a)
{
    tri_buffer_list *list = &a->buffers.list;
    for (size_t i = 0; i < list->len; i++) {
        MlirOperation op = list->at[i].op;
        list->at[i].end = list->at[i].is_scratch ? id_of(a, op) + 1 : 0;
        list->at[i].begin = !list->at[i].is_scratch ? INT64_MAX
                            : tri_op_is(op, "ttg.warp_specialize")
                                ? first_id(a, tri_op_body(op, 0)) /* partitions read it */
                                : id_of(a, op);
    }
    for (size_t k = 0; k < a->buffers.points_to.len; k++) {
        const tri_map_entry *entry = &a->buffers.points_to.entries[k];
        const tri_buffer_set *set = entry->value;
        for (size_t i = 0; i < set->len; i++)
            extend(a, &list->at[set->at[i]], (MlirValue){entry->ptr});
    }
}

/* ---- placement ---- */

/* Whether two ops are in different partitions that run at the same time. */
static bool run_concurrently(MlirOperation x, MlirOperation y)
{
    for (MlirOperation p = x; !mlirOperationIsNull(p) && !tri_op_is(p, "tt.func");
         p = mlirOperationGetParentOperation(p)) {
        MlirOperation over_x = mlirOperationGetParentOperation(p);
        bool is_default = tri_op_is(over_x, "ttg.warp_specialize");
        if (!is_default && !tri_op_is(over_x, "ttg.warp_specialize.partitions"))
            continue;
        MlirOperation owner = is_default ? over_x : mlirOperationGetParentOperation(over_x);
        MlirRegion region_x = mlirBlockGetParentRegion(mlirOperationGetBlock(p));
        for (MlirOperation q = y; !mlirOperationIsNull(q); q = mlirOperationGetParentOperation(q)) {
            MlirOperation over_y = mlirOperationGetParentOperation(q);
            if (mlirOperationIsNull(over_y))
                break;
            bool is_sibling = mlirOperationEqual(over_y, owner) && !tri_op_is(q, "ttg.warp_specialize.partitions");
            bool is_partition = tri_op_is(over_y, "ttg.warp_specialize.partitions") &&
                                mlirOperationEqual(mlirOperationGetParentOperation(over_y), owner);
            if (is_sibling || is_partition)
                return !mlirRegionEqual(region_x, mlirBlockGetParentRegion(mlirOperationGetBlock(q)));
        }
    }
    return false;
}

static bool interfere(const tri_buffer *x, const tri_buffer *y)
{
    return (x->begin < y->end && y->begin < x->end) || run_concurrently(x->op, y->op);
}

static int64_t align_up(int64_t n, int64_t alignment) { return (n + alignment - 1) / alignment * alignment; }

/* The lowest place where `b` clashes with none of the buffers placed before it, nor lies in the same
 * `partition` bytes of the machine as another part of its own. */
static void place(tri_buffer *const *placed, size_t count, int64_t partition, tri_buffer *b)
{
    b->offset = 0;
    for (size_t i = 0; i < count; i++) {
        const tri_buffer *other = placed[i];
        bool is_sibling = partition && b->parts > 1 && mlirOperationEqual(b->op, other->op);
        if (is_sibling && b->offset / partition == other->offset / partition) {
            b->offset = (other->offset / partition + 1) * partition;
            i = (size_t)-1;
            continue;
        }
        if (b->offset >= other->offset + other->size || other->offset >= b->offset + b->size || !interfere(b, other))
            continue;
        b->offset = align_up(other->offset + other->size, b->alignment);
        i = (size_t)-1; /* the new place may clash with an earlier one */
    }
}

/* Largest first; of equals the first in the program. */
static tri_buffer **sort_by_size(allocator *a)
{
    size_t n = a->buffers.list.len;
    tri_buffer **sorted = TRI_NEW_ARRAY(a->run->arena, tri_buffer *, n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && sorted[at - 1]->size < a->buffers.list.at[i].size; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = &a->buffers.list.at[i];
    }
    return sorted;
}

static int64_t place_all(allocator *a)
{
    tri_buffer **sorted = sort_by_size(a);
    size_t n = a->buffers.list.len;
    int64_t total = 0, partition = tri_passes_option_int(a->run, "partition-size", 0);
    for (size_t i = 0; i < n; i++) {
        place(sorted, i, partition, sorted[i]);
        total = max64(total, sorted[i]->offset + sorted[i]->size);
    }
    return total;
}

/* ---- when it is too much ---- */

/* Copies of a buffer for the stages of a pipelined loop: its first dimension. 1: it is no such buffer. */
static int64_t stages_of(const tri_buffer *b)
{
    tri_memdesc desc;
    bool is_filled = mlirOperationGetNumOperands(b->op) > 0;
    if (b->is_scratch || is_filled || !tri_type_get_memdesc(mlirValueGetType(tri_op_result(b->op, 0)), &desc))
        return 1;
    return desc.rank > 2 ? desc.shape[0] : 1;
}

/* Who fills a buffer says more about it than who made it: a copy into it or into a part of it. */
static MlirOperation filler_of(allocator *a, MlirValue buffer, int depth)
{
    const tri_use_list *uses = tri_uses_of(&a->uses, buffer);
    for (size_t i = 0; i < uses->len; i++) {
        MlirOperation op = uses->at[i].op;
        if (tri_op_is(op, "ttg.async_copy_global_to_local") || tri_op_is(op, "ttg.local_store"))
            return op;
    }
    for (size_t i = 0; depth && i < uses->len; i++)
        if (tri_op_is(uses->at[i].op, "ttg.memdesc_index")) {
            MlirOperation found = filler_of(a, tri_op_result(uses->at[i].op, 0), depth - 1);
            if (!mlirOperationIsNull(found))
                return found;
        }
    return (MlirOperation){NULL};
}

static void describe(allocator *a, const tri_buffer *b)
{
    tri_diag *diag = a->run->unit->diag;
    MlirOperation filler = b->is_scratch ? b->op : filler_of(a, tri_op_result(b->op, 0), 2);
    tri_span at = tri_op_span(diag, mlirOperationIsNull(filler) ? b->op : filler);
    tri_str op = tri_op_name(b->op);
    tri_memdesc desc;
    if (b->is_scratch || !tri_type_get_memdesc(mlirValueGetType(tri_op_result(b->op, 0)), &desc)) {
        tri_diag_note(diag, at, "%lld bytes to exchange values between threads ('%.*s')", (long long)b->size,
                      TRI_STR_ARG(op));
        return;
    }
    tri_buf shape = {0};
    int64_t stages = stages_of(b);
    for (int d = stages > 1; d < desc.rank; d++)
        tri_buf_format(&shape, d > (stages > 1) ? "x%lld" : "%lld", (long long)desc.shape[d]);
    unsigned bits = tri_type_bits(desc.element);
    if (stages > 1)
        tri_diag_note(diag, at, "%lld bytes for %lld blocks of %s elements of %u bits, which are loaded ahead",
                      (long long)b->size, (long long)stages, shape.data, bits);
    else
        tri_diag_note(diag, at, "%lld bytes for a block of %s elements of %u bits", (long long)b->size, shape.data,
                      bits);
    tri_buf_fini(&shape);
}

/* How many stages fewer would fit, when that helps at all. */
static void advise(allocator *a, int64_t total, int64_t most)
{
    int64_t per_stage = 0, stages = 0, fewer;
    for (size_t i = 0; i < a->buffers.list.len; i++) {
        const tri_buffer *b = &a->buffers.list.at[i];
        if (stages_of(b) > 1) {
            per_stage += b->size / stages_of(b);
            stages = max64(stages, stages_of(b));
        }
    }
    fewer = per_stage ? (total - most + per_stage - 1) / per_stage : 0;
    if (per_stage && fewer < stages)
        tri_diag_note(a->run->unit->diag, TRI_NO_SPAN,
                      "each stage takes %lld bytes: %lld fewer would fit (-num-stages=N, or num_stages of the loop), "
                      "or smaller blocks",
                      (long long)per_stage, (long long)fewer);
    else
        tri_diag_note(a->run->unit->diag, TRI_NO_SPAN, "smaller blocks help%s",
                      per_stage ? ", and fewer stages (-num-stages=N)" : "");
}

/* The largest buffers, and what would make room. */
static void report_overflow(allocator *a, MlirOperation func, int64_t total, int64_t most)
{
    enum { max_shown = 8 };
    tri_diag *diag = a->run->unit->diag;
    tri_str name = tri_op_symbol(func);
    tri_diag_set_limit(diag, "shared memory", total, most);
    tri_op_error(diag, func, 6003, "'%.*s' needs %lld bytes of shared memory; the target has %lld", TRI_STR_ARG(name),
                 (long long)total, (long long)most);
    tri_buffer **sorted = sort_by_size(a);
    for (size_t i = 0; i < a->buffers.list.len && i < max_shown && sorted[i]->size * 16 >= total; i++)
        describe(a, sorted[i]);
    advise(a, total, most);
}

static int part_count(const tri_buffer *b) { return b->parts > 1 ? b->parts : 1; }

/* A number, or a list of them for the parts that start at `b`. */
static void write_offset(allocator *a, const tri_buffer *b)
{
    MlirContext context = a->run->unit->mlir;
    int n = part_count(b);
    MlirAttribute *offsets = TRI_NEW_ARRAY(a->run->arena, MlirAttribute, n);
    for (int i = 0; i < n; i++)
        offsets[i] = tri_attr_i32(context, (int32_t)b[i].offset);
    tri_builder_set_attr(b->op, "allocation.offset", n == 1 ? offsets[0] : mlirArrayAttrGet(context, n, offsets));
}

/* What conversions may take; tri_scratch_machine reads it, here, in membar and in the lowering. */
static const char spare_attr[] = "tritcc.scratch-per-thread";

/* With `out_is_over` it only says that the function needs too much, without a report. */
static bool allocate(tri_pass_run *run, MlirOperation func, int64_t *out_total, bool *out_is_over)
{
    allocator a = {.run = run};
    tri_buffers_init(&a.buffers, run->arena, func, mlirModuleGetOperation(run->module));
    if (a.buffers.list.len) {
        tri_uses_init(&a.uses, run->arena, func);
        tri_map_init(&a.ids, run->arena);
        number(&a, func);
        find_liveness(&a);
    }
    *out_total = place_all(&a);
    for (size_t i = 0; i < a.buffers.list.len; i += (size_t)part_count(&a.buffers.list.at[i]))
        write_offset(&a, &a.buffers.list.at[i]);
    int64_t most = tri_passes_option_int(run, "max-bytes", 0);
    if (!most || *out_total <= most)
        return true;
    if (out_is_over)
        *out_is_over = true;
    else
        report_overflow(&a, func, *out_total, most);
    return false;
}

/* Callees come first, so that their need is known at the call. */
static void order_functions(MlirOperation module, tri_arena *arena, MlirOperation func, tri_map *seen,
                            const tri_op_list *funcs, tri_op_list *out_order)
{
    if (tri_map_find_ptr(seen, func.ptr))
        return;
    tri_map_set_ptr(seen, func.ptr, (void *)func.ptr);
    tri_op_list calls = {0};
    tri_op_collect_named(func, "tt.call", arena, &calls);
    for (size_t i = 0; i < calls.len; i++) {
        MlirStringRef name = mlirFlatSymbolRefAttrGetValue(tri_op_attr(calls.at[i], "callee"));
        for (size_t f = 0; f < funcs->len; f++)
            if (tri_str_equal(tri_op_symbol(funcs->at[f]), (tri_str){name.data, name.length}))
                order_functions(module, arena, funcs->at[f], seen, funcs, out_order);
    }
    tri_vec_push(arena, out_order, func);
}

static bool allocate_all(tri_pass_run *run, const tri_op_list *order, int64_t *out_most, bool *out_is_over)
{
    *out_most = 0;
    for (size_t i = 0; i < order->len; i++) {
        int64_t total = 0;
        if (mlirBlockIsNull(tri_op_body(order->at[i], 0)))
            continue;
        if (!allocate(run, order->at[i], &total, out_is_over))
            return false;
        if (tri_op_is_kernel(order->at[i]) || total > 0)
            tri_builder_set_attr(order->at[i], "ttg.shared", tri_attr_i32(run->unit->mlir, (int32_t)total));
        *out_most = max64(*out_most, total);
    }
    return true;
}

/* What the module says need not be said of its kernels again. */
static void drop_repeated(const tri_op_list *funcs, int64_t most)
{
    for (size_t i = 0; i < funcs->len; i++)
        if (tri_op_is_kernel(funcs->at[i]) && tri_op_int(funcs->at[i], "ttg.shared", most) == most)
            mlirOperationRemoveAttributeByName(funcs->at[i], mlirStringRefCreateFromCString("ttg.shared"));
}

/* Buffers that one load reads become conversions in its place, which take turns in as few bytes as they need. */
static void undo_buffers(tri_pass_run *run, MlirOperation module)
{
    tri_op_list allocs = {0};
    tri_op_collect_named(module, "ttg.local_alloc", run->arena, &allocs);
    for (size_t i = 0; i < allocs.len; i++) {
        MlirOperation user = tri_dots_only_user(tri_op_result(allocs.at[i], 0));
        if (mlirOperationGetNumOperands(allocs.at[i]) != 1 || mlirOperationIsNull(user) ||
            !tri_op_is(user, "ttg.local_load"))
            continue;
        tri_builder b = tri_builder_before(user);
        MlirValue value = tri_dots_convert(&b, tri_op_operand(allocs.at[i], 0),
                                           tri_type_encoding(mlirValueGetType(tri_op_result(user, 0))));
        tri_op_replace(user, 1, &value);
        mlirOperationDestroy(allocs.at[i]);
    }
}

static bool run_allocate_shared_memory(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_list funcs = {0}, order = {0};
    tri_map seen;
    tri_map_init(&seen, run->arena);
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        order_functions(module, run->arena, funcs.at[i], &seen, &funcs, &order);
    int64_t most = 0, spare = tri_passes_option_int(run, "scratch-per-thread", 0);
    bool ok = false;
    if (spare)
        tri_builder_set_attr(module, spare_attr, tri_attr_i32(run->unit->mlir, (int32_t)spare));
    for (int attempt = spare ? 0 : 1; !ok && attempt < 3; attempt++) {
        bool is_over = false;
        if (attempt == 1 && spare)
            mlirOperationRemoveAttributeByName(module, mlirStringRefCreateFromCString(spare_attr));
        if (attempt == 2)
            undo_buffers(run, module);
        ok = allocate_all(run, &order, &most, attempt < 2 ? &is_over : NULL);
        if (!ok && !is_over)
            break;
    }
    drop_repeated(&funcs, most);
    if (ok)
        tri_builder_set_attr(module, "ttg.shared", tri_attr_i32(run->unit->mlir, (int32_t)most));
    return ok;
}

static const char *const options[] = {
    "max-bytes=N: fail when a function needs more; 0 means no limit (0)",
    "partition-size=N: bytes of a partition of the machine's shared memory, for partitioned_shared buffers (0: it has "
    "none)",
    "scratch-per-thread=N: bytes that a conversion may take to need fewer rounds, if they fit (0)",
    NULL,
};

const tri_pass tri_pass_allocate_shared_memory = {
    .name = "allocate-shared-memory",
    .help = "give shared-memory buffers and scratch their offsets",
    .alias = "allocate-shared-memory-nv",
    .options = options,
    .run = run_allocate_shared_memory,
};
