/* Stores of a product's tiles, of whose place in memory nothing is known, in wide accesses where it turns out to be
 * aligned.
 *
 *                                                  %ok = (address of %c) % 16 == 0 && %n % 8 == 0
 *     %p = %c + (%rows * %n + %columns)            scf.if %ok {
 *     tt.store %p, %sums                     ->      %p' = %c' + (%rows * %n' + %columns)
 *                                                    tt.store %p', %sums
 *                                                  } else {
 *                                                    tt.store %p, %sums
 *                                                  }
 *
 * where %c' and %n' are %c and %n with their low bits cleared, which are the same values there, and of which axis_info
 * knows what divides them. Tiles whose address a kernel loads, as products of groups do, are stored 2 bytes a thread
 * otherwise.
 *
 * Needs: ttir in front of layouts; stores without masks of tensors of rank 2, whose rows run along the fastest
 * dimension in memory, and which come of products. Upstream has no such pass. Test: tests/passes/align-stores.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/analysis/axis_info.h"
#include "ir/builder.h"
#include "ir/compare.h"
#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinTypes.h"

enum { ACCESS_BYTES = 16 };

/* A scalar whose alignment is asked for: a pointer, or a number that rows are multiplied by. */
typedef struct {
    MlirValue value;
    int64_t by; /* bytes of a pointer; what must divide a number */
} align_leaf;

typedef struct {
    tri_pass_run *run;
    tri_axis_info *axis;
    MlirOperation store;
    int64_t elements; /* of one access */
    tri_op_list chain;   /* tensor ops that make the pointers, definitions first */
    tri_map in_chain;
    TRI_VEC(align_leaf) leaves;
} align_plan;

/* ---- matchers ---- */

static bool comes_of_product(MlirValue value, tri_arena *arena, int depth)
{
    MlirOperation def = tri_op_def(value);
    tri_op_list dots = {0};
    if (mlirOperationIsNull(def) || !depth)
        return false;
    if (mlirOperationGetNumRegions(def))
        tri_op_collect_named(def, "tt.dot", arena, &dots);
    if (tri_op_is(def, "tt.dot") || dots.len)
        return true;
    bool is_found = false;
    for (intptr_t i = 0; tri_op_is_pure(def) && i < mlirOperationGetNumOperands(def) && !is_found; i++)
        is_found = comes_of_product(tri_op_operand(def, i), arena, depth - 1);
    return is_found;
}

static void add_leaf(align_plan *p, MlirValue scalar, bool is_factor)
{
    const tri_axis *known = tri_axis_info_get(p->axis, scalar);
    bool is_pointer = tri_type_is_ptr(mlirValueGetType(scalar));
    int64_t by = is_pointer ? ACCESS_BYTES : p->elements;
    if ((!is_pointer && !is_factor) || known->divisibility[0] % by == 0)
        return;
    for (size_t i = 0; i < p->leaves.len; i++)
        if (mlirValueEqual(p->leaves.at[i].value, scalar))
            return;
    tri_vec_push(p->run->arena, &p->leaves, ((align_leaf){scalar, by}));
}

/* Gathers the ops that make a tensor of pointers or offsets; false where they are others than sums and products. */
static bool collect_chain(align_plan *p, MlirValue value, bool is_factor)
{
    static const char *const kinds[] = {"tt.addptr", "tt.broadcast", "tt.expand_dims", "tt.splat", "tt.make_range",
                                        "arith.addi", "arith.muli", "arith.extsi", "arith.constant"};
    MlirOperation def = tri_op_def(value);
    bool is_known = false;
    for (size_t i = 0; !mlirOperationIsNull(def) && i < sizeof kinds / sizeof *kinds; i++)
        is_known = is_known || tri_op_is(def, kinds[i]);
    if (!is_known)
        return false;
    bool is_splat = tri_op_is(def, "tt.splat"), is_product = is_factor || tri_op_is(def, "arith.muli");
    if (is_splat)
        add_leaf(p, tri_op_operand(def, 0), is_factor);
    for (intptr_t i = 0; !is_splat && i < mlirOperationGetNumOperands(def); i++)
        if (!collect_chain(p, tri_op_operand(def, i), is_product))
            return false;
    if (!tri_map_find_ptr(&p->in_chain, def.ptr))
        tri_vec_push(p->run->arena, &p->chain, def);
    tri_map_set_ptr(&p->in_chain, def.ptr, def.ptr);
    return true;
}

static bool is_plain_tile(MlirOperation store)
{
    return mlirOperationGetNumOperands(store) == 2 && tri_type_rank(mlirValueGetType(tri_op_operand(store, 1))) == 2;
}

static bool match_store(align_plan *p)
{
    MlirValue pointers = tri_op_operand(p->store, 0), value = tri_op_operand(p->store, 1);
    MlirType type = mlirValueGetType(value);
    unsigned bits = tri_type_bits(tri_type_element(type));
    p->elements = bits >= 8 ? ACCESS_BYTES * 8 / bits : 1;
    const tri_axis *at = tri_axis_info_get(p->axis, pointers);
    enum { STEPS = 12 };
    return p->elements > 1 && at->contiguity[1] % p->elements == 0 &&
           tri_axis_info_alignment(p->axis, pointers, 1) < p->elements &&
           comes_of_product(value, p->run->arena, STEPS) && collect_chain(p, pointers, false) && p->leaves.len > 0;
}

/* ---- rewriter ---- */

static MlirValue in_bits(tri_builder *b, MlirValue value)
{
    MlirType i64 = mlirIntegerTypeGet(b->context, 64);
    bool is_pointer = tri_type_is_ptr(mlirValueGetType(value));
    return is_pointer ? tri_builder_unary(b, "tt.ptr_to_int", i64, value) : value;
}

static MlirValue by_of(tri_builder *b, const align_leaf *leaf, MlirValue bits, int64_t less)
{
    return tri_builder_int(b, mlirValueGetType(bits), leaf->by - less);
}

static MlirValue is_aligned_leaf(tri_builder *b, const align_leaf *leaf)
{
    MlirValue bits = in_bits(b, leaf->value);
    MlirType type = mlirValueGetType(bits);
    MlirValue low = tri_builder_binary(b, "arith.andi", type, bits, by_of(b, leaf, bits, 1));
    return tri_compare_make(b, TRI_CMP_EQ, low, tri_builder_int(b, type, 0));
}

/* The same value, as something that is known to be a multiple. */
static MlirValue as_multiple(tri_builder *b, const align_leaf *leaf)
{
    MlirValue bits = in_bits(b, leaf->value);
    MlirType type = mlirValueGetType(bits);
    MlirValue count = tri_builder_binary(b, "arith.divui", type, bits, by_of(b, leaf, bits, 0));
    MlirValue whole = tri_builder_binary(b, "arith.muli", type, count, by_of(b, leaf, bits, 0));
    bool is_pointer = tri_type_is_ptr(mlirValueGetType(leaf->value));
    return is_pointer ? tri_builder_unary(b, "tt.int_to_ptr", mlirValueGetType(leaf->value), whole) : whole;
}

static void end_branch(MlirBlock block, MlirLocation loc)
{
    tri_builder b = tri_builder_at_end(block, loc);
    tri_builder_create(&b, &(tri_op){.name = "scf.yield"});
}

/* The store again, on pointers of leaves that are multiples. */
static void store_aligned(const align_plan *p, MlirBlock block)
{
    tri_arena *arena = p->run->arena;
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(p->store));
    size_t most = p->leaves.len + p->chain.len, n = 0;
    MlirValue *from = TRI_NEW_ARRAY(arena, MlirValue, most), *to = TRI_NEW_ARRAY(arena, MlirValue, most);
    for (size_t i = 0; i < p->leaves.len; i++) {
        from[n] = p->leaves.at[i].value;
        to[n++] = as_multiple(&b, &p->leaves.at[i]);
    }
    for (size_t i = 0; i < p->chain.len; i++) {
        MlirOperation copy = tri_op_clone(&b, p->chain.at[i], (intptr_t)n, from, to);
        from[n] = tri_op_result(p->chain.at[i], 0);
        to[n++] = tri_op_result(copy, 0);
    }
    tri_op_clone(&b, p->store, (intptr_t)n, from, to);
}

static void rewrite_unaligned(const align_plan *p)
{
    tri_builder b = tri_builder_before(p->store);
    MlirType i1 = mlirIntegerTypeGet(b.context, 1);
    MlirValue all = is_aligned_leaf(&b, &p->leaves.at[0]);
    for (size_t i = 1; i < p->leaves.len; i++)
        all = tri_builder_binary(&b, "arith.andi", i1, all, is_aligned_leaf(&b, &p->leaves.at[i]));
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    for (int i = 0; i < 2; i++)
        mlirRegionAppendOwnedBlock(regions[i], mlirBlockCreate(0, NULL, NULL));
    MlirOperation branch = tri_builder_create(&b, &(tri_op){.name = "scf.if", .num_operands = 1, .operands = &all,
                                                            .num_regions = 2, .regions = regions});
    store_aligned(p, tri_op_body(branch, 0));
    mlirOperationRemoveFromParent(p->store);
    mlirBlockAppendOwnedOperation(tri_op_body(branch, 1), p->store);
    for (int i = 0; i < 2; i++)
        end_branch(tri_op_body(branch, i), b.loc);
}

static bool run_align_stores(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_axis_info *axis = NULL;
    tri_op_list stores = {0};
    tri_op_collect_named(module, "tt.store", run->arena, &stores);
    for (size_t i = 0; i < stores.len; i++) {
        if (!is_plain_tile(stores.at[i]))
            continue;
        axis = axis ? axis : tri_axis_info_create(run->arena, module);
        align_plan p = {.run = run, .axis = axis, .store = stores.at[i]};
        tri_map_init(&p.in_chain, run->arena);
        if (match_store(&p))
            rewrite_unaligned(&p);
    }
    return true;
}

const tri_pass tri_pass_align_stores = {
    .name = "align-stores",
    .help = "store tiles of products in wide accesses where they are found to be aligned",
    .run = run_align_stores,
};
