/* Makes accesses through one pointer and offsets of 32 bits AMD's buffer operations.
 *
 *     %b = tt.splat %p
 *     %q = tt.addptr %b, %o        // of 32 bits, below 2 GiB in bytes
 *     %x = tt.load %q, %m, %z           ->     %x = amdg.buffer_load %p[%o], %m, %z
 *
 * likewise tt.store, tt.atomic_rmw, tt.atomic_cas and ttg.async_copy_global_to_local. Offsets are small where the
 * pointer is an argument with tt.pointer_range = 32, or where the range of the offset says so (ir/analysis/ranges.h);
 * those of 64 bits are cut then. Masks that are true and zeros for masked elements are left out. Updates only of types
 * and kinds that the architecture's instructions have (gfx-arch). Answers to tritonamdgpu-convert-buffer-ops; lowering
 * chooses buffer instructions without it, so no pipeline has it. Test: tests/passes/convert-buffer-ops.mlir */
#include "passes/passes.h"

#include "ir/analysis/axis_info.h"
#include "ir/analysis/ranges.h"
#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"

#include "mlir-c/BuiltinAttributes.h"

typedef struct {
    tri_pass_run *run;
    const tri_machine_facts *facts;
    tri_ranges *ranges;
    tri_axis_info *axis;
    bool analyses_all; /* arguments with tt.pointer_range, too */
} conversion;

/* An access through %p[%o]. */
typedef struct {
    MlirOperation op;
    MlirValue base, offsets, pointer;
} buffer_access;

/* ---- what is small ---- */

static bool is_small_argument(MlirValue base)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(base, &block, &index))
        return false;
    MlirOperation func = mlirBlockGetParentOperation(block);
    MlirAttribute hints = tri_op_is(func, "tt.func") ? tri_op_attr(func, "arg_attrs") : (MlirAttribute){0};
    if (mlirAttributeIsNull(hints) || index >= mlirArrayAttrGetNumElements(hints))
        return false;
    MlirAttribute range = mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(hints, index),
                                                             mlirStringRefCreateFromCString("tt.pointer_range"));
    return !mlirAttributeIsNull(range) && mlirIntegerAttrGetValueInt(range) <= 32;
}

static bool is_small_offset(const conversion *c, const buffer_access *a)
{
    MlirType pointee = tri_type_ptr_pointee(mlirValueGetType(a->base));
    tri_range range = tri_ranges_of(c->ranges, a->offsets);
    int64_t bits = tri_type_bits(pointee), most = INT32_MAX;
    return range.low >= 0 && range.high <= most && (range.high * bits + bits + 7) / 8 <= most;
}

static bool match_buffer_access(const conversion *c, MlirOperation op, buffer_access *out)
{
    MlirValue pointer = tri_op_operand(op, 0);
    MlirOperation sum = tri_op_def(pointer);
    *out = (buffer_access){.op = op, .pointer = pointer};
    if (mlirOperationIsNull(sum) || !tri_op_is(sum, "tt.addptr") || !tri_type_is_tensor(mlirValueGetType(pointer)))
        return false;
    MlirOperation splat = tri_op_def(tri_op_operand(sum, 0));
    if (mlirOperationIsNull(splat) || !tri_op_is(splat, "tt.splat"))
        return false;
    out->base = tri_op_operand(splat, 0);
    out->offsets = tri_op_operand(sum, 1);
    unsigned bits = tri_type_bits(tri_type_element(mlirValueGetType(out->offsets)));
    if ((bits != 32 && bits != 64) || !tri_type_is_ptr(mlirValueGetType(out->base)))
        return false;
    return (!c->analyses_all && is_small_argument(out->base)) || is_small_offset(c, out);
}

/* ---- parts of the new operation ---- */

static MlirValue cut_to_word(tri_builder *b, MlirValue value)
{
    MlirType i32 = mlirIntegerTypeGet(b->context, 32);
    if (mlirValueIsNull(value))
        return value;
    MlirType type = mlirValueGetType(value);
    if (tri_type_bits(tri_type_element(type)) == 32)
        return value;
    return tri_builder_unary(b, "arith.trunci", tri_type_with_element(type, i32), value);
}

/* %s of %o = broadcast(%line * splat(%s)) + ...: what lies between lines. */
static MlirValue stride_between_lines(MlirValue offsets)
{
    MlirOperation sum = tri_op_def(offsets);
    for (intptr_t i = 0; i < 2 && !mlirOperationIsNull(sum) && tri_op_is(sum, "arith.addi"); i++) {
        MlirOperation lines = tri_op_def(tri_op_operand(sum, i));
        if (mlirOperationIsNull(lines) || !tri_op_is(lines, "tt.broadcast"))
            continue;
        MlirOperation product = tri_op_def(tri_op_operand(lines, 0));
        for (intptr_t k = 0; k < 2 && !mlirOperationIsNull(product) && tri_op_is(product, "arith.muli"); k++) {
            MlirOperation factor = tri_op_def(tri_op_operand(product, k));
            if (!mlirOperationIsNull(factor) && tri_op_is(factor, "tt.splat"))
                return tri_op_operand(factor, 0);
        }
    }
    return (MlirValue){0};
}

static MlirValue unless_true(MlirValue mask)
{
    int64_t value;
    return !mlirValueIsNull(mask) && tri_op_const_int(mask, &value) && value ? (MlirValue){0} : mask;
}

static MlirValue unless_zero(MlirValue other)
{
    int64_t number;
    double real;
    if (mlirValueIsNull(other))
        return other;
    bool is_zero = (tri_op_const_int(other, &number) && !number) || (tri_op_const_float(other, &real) && real == 0);
    return is_zero ? (MlirValue){0} : other;
}

/* Elements that a thread accesses at once. */
static int32_t run_at_once(const conversion *c, const buffer_access *a, MlirValue mask)
{
    MlirType type = mlirValueGetType(a->pointer);
    const tri_encoding *e = tri_dots_encoding(c->run->arena, a->pointer);
    int64_t most = 128 / tri_type_bits(tri_type_ptr_pointee(mlirValueGetType(a->base)));
    if (!e || e->kind != TRI_ENC_BLOCKED)
        return 1;
    int dim = e->order[0];
    int64_t held = e->blocked.size_per_thread[dim], size = tri_type_dim(type, dim),
            run = tri_axis_info_alignment(c->axis, a->pointer, dim);
    int64_t masked = mlirValueIsNull(mask) ? most : tri_axis_info_mask_alignment(c->axis, mask, dim);
    int64_t limits[] = {held, size, run, masked};
    for (int i = 0; i < 4; i++)
        most = limits[i] < most ? limits[i] : most;
    return (int32_t)(most > 0 ? most : 1);
}

/* ---- rewriters ---- */

enum { most_operands = 8, most_attributes = 6 };

/* Operands by group, null ones left out; the sizes of the groups where the operation has them. */
static void replace_by_buffer_op(tri_builder *b, MlirOperation op, const char *name, bool has_groups, int count,
                                 const MlirValue *groups, tri_attr *attrs, int num_attrs)
{
    MlirValue operands[most_operands];
    int32_t sizes[most_operands];
    int n = 0;
    for (int i = 0; i < count; i++) {
        sizes[i] = !mlirValueIsNull(groups[i]);
        if (sizes[i])
            operands[n++] = groups[i];
    }
    if (has_groups)
        attrs[num_attrs++] = (tri_attr){"operandSegmentSizes", tri_attr_i32s(b->context, count, sizes)};
    intptr_t num_results = mlirOperationGetNumResults(op);
    MlirType result = num_results ? mlirValueGetType(tri_op_result(op, 0)) : (MlirType){0};
    MlirOperation made = tri_builder_create(b, &(tri_op){.name = name,
                                                         .num_operands = n,
                                                         .operands = operands,
                                                         .num_results = num_results,
                                                         .results = &result,
                                                         .num_attrs = num_attrs,
                                                         .attrs = attrs});
    MlirValue value = num_results ? tri_op_result(made, 0) : (MlirValue){0};
    tri_op_replace(op, num_results, &value);
}

static void make_buffer_load(const conversion *c, const buffer_access *a)
{
    tri_builder b = tri_builder_before(a->op);
    MlirValue mask = unless_true(tri_op_segment_value(a->op, 1)), other = unless_zero(tri_op_segment_value(a->op, 2));
    MlirValue groups[] = {a->base, cut_to_word(&b, a->offsets), cut_to_word(&b, stride_between_lines(a->offsets)), mask,
                          other};
    tri_attr attrs[most_attributes] = {{"cache", tri_op_attr(a->op, "cache")},
                                       {"contiguity", tri_attr_i32(b.context, run_at_once(c, a, mask))}};
    replace_by_buffer_op(&b, a->op, "amdg.buffer_load", true, 5, groups, attrs, 2);
}

static void make_buffer_store(const conversion *c, const buffer_access *a)
{
    tri_builder b = tri_builder_before(a->op);
    bool has_mask = mlirOperationGetNumOperands(a->op) > 2;
    MlirValue mask = has_mask ? unless_true(tri_op_operand(a->op, 2)) : (MlirValue){0};
    MlirValue groups[] = {tri_op_operand(a->op, 1), a->base, cut_to_word(&b, a->offsets),
                          cut_to_word(&b, stride_between_lines(a->offsets)), mask};
    tri_attr attrs[most_attributes] = {{"cache", tri_op_attr(a->op, "cache")},
                                       {"contiguity", tri_attr_i32(b.context, run_at_once(c, a, mask))}};
    replace_by_buffer_op(&b, a->op, "amdg.buffer_store", true, 5, groups, attrs, 2);
}

static void make_buffer_copy(const buffer_access *a)
{
    tri_builder b = tri_builder_before(a->op);
    MlirValue mask = unless_true(tri_op_segment_value(a->op, 2)), other = unless_zero(tri_op_segment_value(a->op, 3));
    MlirValue groups[] = {tri_op_operand(a->op, 1),
                          a->base,
                          cut_to_word(&b, a->offsets),
                          mask,
                          other,
                          cut_to_word(&b, stride_between_lines(a->offsets))};
    tri_attr attrs[most_attributes] = {{"cache", tri_op_attr(a->op, "cache")},
                                       {"contiguity", tri_op_attr(a->op, "contiguity")}};
    replace_by_buffer_op(&b, a->op, "amdg.buffer_load_to_local", true, 6, groups, attrs, 2);
}

/* ---- updates ---- */

enum { FADD = 5, MAX = 6, MIN = 7, GPU = 1, CTA = 2 };

static bool has_float_update(const tri_machine_facts *f, int64_t kind, MlirType type)
{
    bool is_matrix_core = f->mma == TRI_MMA_MFMA;
    if (kind != FADD) /* max and min of floats */
        return is_matrix_core ? mlirTypeIsAF64(type) : mlirTypeIsAF32(type);
    return mlirTypeIsAF16(type)    ? f->f16_add_bits > 0
           : mlirTypeIsABF16(type) ? f->has_buffer_bf16_add
           : mlirTypeIsAF32(type)  ? true
                                   : mlirTypeIsAF64(type) && is_matrix_core;
}

static bool has_update(const conversion *c, const buffer_access *a, int32_t run)
{
    int64_t kind = tri_op_int(a->op, "atomic_rmw_op", 0), scope = tri_op_int(a->op, "scope", GPU);
    MlirType type = tri_type_element(mlirValueGetType(tri_op_operand(a->op, 1)));
    unsigned bits = tri_type_bits(type);
    if ((scope != GPU && scope != CTA) || !c->facts->f16_add_bits)
        return false;
    if (tri_type_is_int(type))
        return (bits == 32 || bits == 64) && kind != MAX && kind != MIN;
    bool is_update = kind == FADD || kind == MAX || kind == MIN;
    return (is_update ? has_float_update(c->facts, kind, type) : bits >= 32) && (bits >= 32 || run % 2 == 0);
}

static void make_buffer_update(const conversion *c, const buffer_access *a)
{
    bool has_mask = mlirOperationGetNumOperands(a->op) > 2;
    MlirValue mask = has_mask ? tri_op_operand(a->op, 2) : (MlirValue){0};
    if (!has_update(c, a, run_at_once(c, a, mask)))
        return;
    tri_builder b = tri_builder_before(a->op);
    MlirValue groups[] = {a->base, cut_to_word(&b, a->offsets), tri_op_operand(a->op, 1),
                          cut_to_word(&b, stride_between_lines(a->offsets)), unless_true(mask)};
    tri_attr attrs[most_attributes] = {{"atomic_rmw_op", tri_op_attr(a->op, "atomic_rmw_op")},
                                       {"sem", tri_op_attr(a->op, "sem")},
                                       {"scope", tri_op_attr(a->op, "scope")}};
    replace_by_buffer_op(&b, a->op, "amdg.buffer_atomic_rmw", true, 5, groups, attrs, 3);
}

static void make_buffer_exchange(const buffer_access *a)
{
    int64_t scope = tri_op_int(a->op, "scope", GPU);
    MlirType type = tri_type_element(mlirValueGetType(tri_op_operand(a->op, 1)));
    if ((scope != GPU && scope != CTA) || !(tri_type_is_int_of(type, 32) || tri_type_is_int_of(type, 64)))
        return;
    tri_builder b = tri_builder_before(a->op);
    MlirValue groups[] = {a->base, cut_to_word(&b, a->offsets), tri_op_operand(a->op, 1), tri_op_operand(a->op, 2),
                          cut_to_word(&b, stride_between_lines(a->offsets))};
    tri_attr attrs[most_attributes] = {{"sem", tri_op_attr(a->op, "sem")}, {"scope", tri_op_attr(a->op, "scope")}};
    replace_by_buffer_op(&b, a->op, "amdg.buffer_atomic_cas", false, 5, groups, attrs, 2);
}

static void make_buffer_access(const conversion *c, const buffer_access *a)
{
    if (tri_op_is(a->op, "tt.load"))
        make_buffer_load(c, a);
    else if (tri_op_is(a->op, "tt.store"))
        make_buffer_store(c, a);
    else if (tri_op_is(a->op, "tt.atomic_rmw"))
        make_buffer_update(c, a);
    else if (tri_op_is(a->op, "tt.atomic_cas"))
        make_buffer_exchange(a);
    else if (c->facts->direct_to_shared)
        make_buffer_copy(a);
}

static bool run_convert_buffer_ops(tri_pass_run *run)
{
    static const char *const names[] = {"tt.load", "tt.store", "tt.atomic_rmw", "tt.atomic_cas",
                                        "ttg.async_copy_global_to_local"};
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_str arch = tri_passes_option_str(run, "gfx-arch", "");
    conversion c = {.run = run,
                    .ranges = tri_ranges_create(run->arena, module),
                    .axis = tri_axis_info_create(run->arena, module),
                    .facts = arch.len ? tri_machines_for_gfx(arch) : tri_machines_of(module),
                    .analyses_all = tri_passes_option_int(run, "analyze-small-tensor-ofst", 0)};
    bool has_updates = tri_passes_option_int(run, "allow-buffer-atomics", 1);
    if (!c.facts)
        return true;
    tri_op_list ops = {0};
    tri_op_collect(module, run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            buffer_access a;
            bool is_asked = has_updates || !tri_op_is(ops.at[i], "tt.atomic_rmw");
            if (is_asked && tri_op_is(ops.at[i], names[k])) {
                if (match_buffer_access(&c, ops.at[i], &a))
                    make_buffer_access(&c, &a);
                break;
            }
        }
    tri_op_erase_dead(module);
    return true;
}

const tri_pass tri_pass_convert_buffer_ops = {
    .name = "convert-buffer-ops",
    .help = "make accesses through one pointer and small offsets AMD's buffer operations",
    .alias = "tritonamdgpu-convert-buffer-ops",
    .options = (const char *const[]){"gfx-arch: an AMD GPU instead of the module's, such as gfx942",
                                     "allow-buffer-atomics=N: updates, too (1)",
                                     "analyze-small-tensor-ofst=N: do not believe tt.pointer_range (0)", NULL},
    .run = run_convert_buffer_ops,
};
