/* Tensor maps that the launcher can make: those whose base, sizes and strides are made of the kernel's arguments. The
 * kernel takes them as a parameter, and writes maps of its own only where the launcher could not make all of them.
 *
 *     %p = tt.addptr %a, %head * %stride                 %given = ttng.tensormaps_given
 *     ttng.tensormap_create %q, %p, [64, 128],           %h = arith.select %given, %head, 0
 *         [%d, %n], [%row], [1, 1]                       scf.if !%given {
 *     ttng.tensormap_fenceproxy_acquire %q                 ttng.tensormap_create %q, %p, [64, 128, 1], [%d, %n, 1],
 *     %m = ttng.reinterpret_tensor_descriptor %q     ->        [%row, 16], [1, 1, 1]
 *     copy %m[%i, 0]                                       ttng.tensormap_fenceproxy_acquire %q
 *                                                        }
 *                                                        %m = ttng.reinterpret_tensor_descriptor %q {tritcc.map = 0}
 *                                                        copy %m[%h, %i, 0]
 *
 * What of the base depends on the program, as on the head of attention, is a dimension of its own with the stride that
 * multiplies it: its size in the launcher's map is without end, in the kernel's own 1. The kernel has the attribute
 * tritcc.maps: each map as ir/kernel.h says, in the order of their numbers.
 *
 * Needs: ttgir behind tma-lowering; no later pass moves maps. Upstream has no such pass: there callers make
 * descriptors. Test: tests/passes/host-tensormaps.mlir */
#include "passes/ttgir/host_tensormaps/host_tensormaps.h"

#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

enum { MAX_MAPS = 16, SECTOR = 16 };

typedef struct {
    tri_pass_run *run;
    tri_arena *arena;
    MlirOperation func;
    TRI_VEC(tri_str) maps;
    MlirType i1, i32, i64;
} finder;

/* ---- rewriting ---- */

static MlirValue emit_given(finder *f, tri_builder *b)
{
    return tri_builder_value(b, &(tri_op){.name = "ttng.tensormaps_given", .num_results = 1, .results = &f->i1});
}

/* The operands of one group and `count` more. */
static intptr_t extend_group(const tri_host_map *c, int group, MlirValue *operands, intptr_t n, MlirValue more)
{
    intptr_t start, count = tri_op_segment(c->create, group, &start);
    for (intptr_t i = 0; i < count; i++)
        operands[n++] = tri_op_operand(c->create, start + i);
    for (int i = 0; i < (group > TRI_HOST_MAP_ADDRESS ? c->count : 0); i++)
        operands[n++] = more;
    return n;
}

/* The kernel's own map, with the dimensions that launchers' have. */
static void make_own_map(finder *f, tri_host_map *c, MlirBlock block)
{
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(c->create));
    MlirValue one = {NULL}, stride = {NULL}, operands[2 + 4 * TRI_TENSORMAP_MAX_RANK];
    int32_t sizes[TRI_HOST_MAP_GROUPS];
    intptr_t n = 0;
    if (c->count) {
        one = tri_builder_int(&b, f->i32, 1);
        stride = tri_builder_int(&b, f->i64, SECTOR);
    }
    for (int group = TRI_HOST_MAP_PLACE; group < TRI_HOST_MAP_GROUPS; group++) {
        intptr_t begin = n;
        n = extend_group(c, group, operands, n, group == TRI_HOST_MAP_STRIDE ? stride : one);
        sizes[group] = (int32_t)(n - begin);
    }
    tri_attr attrs[] = {{"operandSegmentSizes", tri_attr_i32s(b.context, TRI_HOST_MAP_GROUPS, sizes)},
                        {"elem_type", tri_op_attr(c->create, "elem_type")},
                        {"fill_mode", tri_op_attr(c->create, "fill_mode")},
                        {"interleave_layout", tri_op_attr(c->create, "interleave_layout")},
                        {"swizzle_mode", tri_op_attr(c->create, "swizzle_mode")}};
    tri_builder_create(&b, &(tri_op){.name = "ttng.tensormap_create",
                                     .num_operands = n,
                                     .operands = operands,
                                     .num_attrs = 5,
                                     .attrs = attrs});
    mlirOperationRemoveFromParent(c->acquire);
    mlirBlockAppendOwnedOperation(block, c->acquire);
    tri_builder_create(&b, &(tri_op){.name = "scf.yield"});
}

/* The value inside of a partition, which takes it along if it has not. */
static MlirValue take_along(finder *f, MlirBlock partition, MlirValue value)
{
    MlirOperation holder = mlirBlockGetParentOperation(partition), op = mlirOperationGetParentOperation(holder);
    intptr_t count = mlirOperationGetNumOperands(op);
    MlirValue *taken = TRI_NEW_ARRAY(f->arena, MlirValue, count + 1);
    for (intptr_t i = 0; i < count; i++) {
        taken[i] = tri_op_operand(op, i);
        if (mlirValueEqual(taken[i], value))
            return mlirBlockGetArgument(partition, i);
    }
    taken[count] = value;
    mlirOperationSetOperands(op, count + 1, taken);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(holder); r++)
        mlirBlockAddArgument(tri_op_body(holder, (int)r), mlirValueGetType(value), mlirOperationGetLocation(op));
    return mlirBlockGetArgument(partition, count);
}

/* The number that moves the base, where the map is written. */
static MlirValue coordinate_at(finder *f, const tri_host_map *c, MlirValue at)
{
    MlirBlock partition = tri_host_map_partition(c->create);
    MlirOperation def = tri_op_def(at); /* null: taken along already */
    bool is_outside =
        !mlirBlockIsNull(partition) && !mlirOperationIsNull(def) && mlirBlockIsNull(tri_host_map_partition(def));
    return is_outside ? take_along(f, partition, at) : at;
}

/* Writes the map where none is given; the coordinates of the dimensions that move the base, outermost first. */
static void make_choice(finder *f, tri_host_map *c, MlirValue *out_at)
{
    tri_builder b = tri_builder_before(c->create);
    MlirValue given = emit_given(f, &b), zero = tri_builder_int(&b, f->i32, 0);
    MlirValue is_own = tri_builder_binary(&b, "arith.xori", f->i1, given, tri_builder_int(&b, f->i1, 1));
    for (int i = 0; i < c->count; i++)
        out_at[i] = tri_builder_value(
            &b, &(tri_op){.name = "arith.select",
                          .num_operands = 3,
                          .operands = (MlirValue[]){given, coordinate_at(f, c, c->moves[c->count - 1 - i].at), zero},
                          .num_results = 1,
                          .results = &f->i32});
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    mlirRegionAppendOwnedBlock(regions[0], mlirBlockCreate(0, NULL, NULL));
    MlirOperation branch = tri_builder_create(
        &b,
        &(tri_op){.name = "scf.if", .num_operands = 1, .operands = &is_own, .num_regions = 2, .regions = regions});
    make_own_map(f, c, tri_op_body(branch, 0));
    mlirOperationDestroy(c->create);
}

/* A copy like this one with coordinates in front of its own. */
static void add_map_coordinates(finder *f, MlirOperation copy, int count, const MlirValue *at)
{
    intptr_t n = mlirOperationGetNumOperands(copy), num_attrs = mlirOperationGetNumAttributes(copy), kept = 0;
    MlirValue *operands = TRI_NEW_ARRAY(f->arena, MlirValue, n + count);
    tri_attr *attrs = TRI_NEW_ARRAY(f->arena, tri_attr, num_attrs + 1);
    int32_t sizes[TRI_HOST_MAP_GROUPS];
    int groups = tri_op_i32s(copy, "operandSegmentSizes", sizes, TRI_HOST_MAP_GROUPS);
    for (intptr_t i = 0; i < n + count; i++)
        operands[i] = i == 0 ? tri_op_operand(copy, 0) : i <= count ? at[i - 1] : tri_op_operand(copy, i - count);
    for (intptr_t i = 0; i < num_attrs; i++) {
        MlirNamedAttribute named = mlirOperationGetAttribute(copy, i);
        MlirStringRef name = mlirIdentifierStr(named.name);
        tri_str text = tri_str_copy(f->arena, (tri_str){name.data, name.length});
        if (!tri_str_is(text, "operandSegmentSizes"))
            attrs[kept++] = (tri_attr){text.data, named.attribute};
    }
    tri_builder b = tri_builder_before(copy);
    if (groups > 0) {
        sizes[1] += count;
        attrs[kept++] = (tri_attr){"operandSegmentSizes", tri_attr_i32s(b.context, groups, sizes)};
    }
    tri_str name = tri_str_copy(f->arena, tri_op_name(copy));
    tri_builder_create(&b, &(tri_op){.name = name.data,
                                     .num_operands = n + count,
                                     .operands = operands,
                                     .num_attrs = kept,
                                     .attrs = attrs});
    mlirOperationDestroy(copy);
}

static void widen_map(finder *f, tri_host_map *c, const MlirValue *at)
{
    MlirValue descriptor = tri_op_result(c->descriptor, 0);
    tri_op_list copies = {0};
    MlirOpOperand use = mlirValueGetFirstUse(descriptor);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        tri_vec_push(f->arena, &copies, mlirOpOperandGetOwner(use));
    tri_op_set_type(descriptor, tri_host_map_type(c));
    for (size_t i = 0; i < copies.len; i++)
        add_map_coordinates(f, copies.at[i], c->count, at);
}

/* ---- the function ---- */

/* The number of a map with this text; -1: there is no room for more. */
static int number_of(finder *f, tri_str text)
{
    for (size_t i = 0; i < f->maps.len; i++)
        if (tri_str_equal(f->maps.at[i], text))
            return (int)i;
    if (f->maps.len == MAX_MAPS)
        return -1;
    tri_vec_push(f->arena, &f->maps, text);
    return (int)f->maps.len - 1;
}

static void visit_map(finder *f, MlirOperation create)
{
    tri_host_map c;
    tri_sums sums; /* what was made before has changed the function */
    MlirValue at[TRI_TENSORMAP_MAX_RANK];
    tri_sum_init(&sums, f->arena);
    int number = tri_host_map_find(f->arena, &sums, create, &c) ? number_of(f, c.text) : -1;
    tri_diag *diag = f->run->unit->diag;
    tri_span span = tri_op_span(diag, create);
    if (number < 0) {
        tri_diag_missed(diag, span, "tma", "each program writes this tensor map: it depends on more than the "
                                           "kernel's arguments");
        return;
    }
    tri_diag_remark(diag, span, "tma", "the launcher makes this tensor map");
    make_choice(f, &c, at);
    if (c.count)
        widen_map(f, &c, at);
    tri_builder_set_attr(c.descriptor, "tritcc.map", tri_attr_i32(f->run->unit->mlir, number));
}

/* Whether all scratch memory is for maps that launchers make. */
static bool is_all_scratch_given(finder *f)
{
    tri_op_list ops = {0};
    tri_op_collect(f->func, f->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        MlirOperation user;
        if (tri_op_is(ops.at[i], "tt.call"))
            return false;
        if (!tri_op_is(ops.at[i], "ttg.global_scratch_alloc"))
            continue;
        tri_host_map_users(tri_op_result(ops.at[i], 0), "ttng.reinterpret_tensor_descriptor", &user);
        if (mlirOperationIsNull(user) || tri_op_int(user, "tritcc.map", -1) < 0)
            return false;
    }
    return true;
}

static void let_launcher_make(tri_pass_run *run, MlirOperation func)
{
    finder f = {.run = run, .arena = run->arena, .func = func};
    tri_op_list creates = {0};
    tri_buf all = {0};
    f.i1 = mlirIntegerTypeGet(run->unit->mlir, 1);
    f.i32 = mlirIntegerTypeGet(run->unit->mlir, 32);
    f.i64 = mlirIntegerTypeGet(run->unit->mlir, 64);
    tri_op_collect_named(func, "ttng.tensormap_create", f.arena, &creates);
    for (size_t i = 0; i < creates.len; i++)
        visit_map(&f, creates.at[i]);
    for (size_t i = 0; i < f.maps.len; i++)
        tri_buf_format(&all, "%s%.*s", i ? " | " : "", TRI_STR_ARG(f.maps.at[i]));
    if (f.maps.len) {
        tri_builder_set_attr(func, "tritcc.maps", tri_attr_str(run->unit->mlir, all.data, all.len));
        if (is_all_scratch_given(&f))
            tri_builder_set_attr(func, "tritcc.maps-for-scratch", tri_attr_unit(run->unit->mlir));
    }
    tri_buf_fini(&all);
}

static bool run_host_tensormaps(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        if (tri_op_is_kernel(funcs.at[i]) && tri_op_int(module, "ttg.num-ctas", 1) == 1)
            let_launcher_make(run, funcs.at[i]);
    return true;
}

const tri_pass tri_pass_host_tensormaps = {
    .name = "host-tensormaps",
    .help = "let launchers make tensor maps",
    .run = run_host_tensormaps,
};
