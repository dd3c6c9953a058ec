#include "ir/op.h"

#include "ir/island.h"
#include "ir/location.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static MlirStringRef ref(const char *z)
{
    return mlirStringRefCreateFromCString(z);
}

tri_str tri_op_name(MlirOperation op)
{
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    return (tri_str){name.data, name.length};
}

/* Asked a hundred thousand times for a kernel of some length; most names differ in their first letters. */
bool tri_op_is(MlirOperation op, const char *name)
{
    if (mlirOperationIsNull(op))
        return false;
    tri_str have = tri_op_name(op);
    size_t same = 0;
    while (same < have.len && have.data[same] == name[same])
        same++;
    return same == have.len && !name[same];
}

/* --- operands ---------------------------------------------------------------------------- */

intptr_t tri_op_segment(MlirOperation op, int group, intptr_t *out_start)
{
    MlirAttribute sizes = mlirOperationGetAttributeByName(op, ref("operandSegmentSizes"));
    if (mlirAttributeIsNull(sizes)) {
        *out_start = group;
        return group < mlirOperationGetNumOperands(op) ? 1 : 0;
    }
    intptr_t start = 0;
    if (group >= mlirDenseArrayGetNumElements(sizes))
        TRI_BUG("'%.*s' has no operand group %d", TRI_STR_ARG(tri_op_name(op)), group);
    for (int i = 0; i < group; i++)
        start += mlirDenseI32ArrayGetElement(sizes, i);
    *out_start = start;
    return mlirDenseI32ArrayGetElement(sizes, group);
}

MlirValue tri_op_segment_value(MlirOperation op, int group)
{
    intptr_t start;
    if (tri_op_segment(op, group, &start) == 0)
        return (MlirValue){0};
    return mlirOperationGetOperand(op, start);
}

/* --- attributes -------------------------------------------------------------------------- */

MlirAttribute tri_op_attr(MlirOperation op, const char *name)
{
    return mlirOperationGetAttributeByName(op, ref(name));
}

int64_t tri_op_int(MlirOperation op, const char *name, int64_t if_absent)
{
    MlirAttribute attr = tri_op_attr(op, name);
    if (mlirAttributeIsNull(attr) || !mlirAttributeIsAInteger(attr))
        return if_absent;
    MlirType type = mlirAttributeGetType(attr);
    if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsUnsigned(type))
        return (int64_t)mlirIntegerAttrGetValueUInt(attr);
    if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsSigned(type))
        return mlirIntegerAttrGetValueSInt(attr);
    return mlirIntegerAttrGetValueInt(attr);
}

bool tri_op_flag(MlirOperation op, const char *name)
{
    MlirAttribute attr = tri_op_attr(op, name);
    if (mlirAttributeIsNull(attr))
        return false;
    return !mlirAttributeIsABool(attr) || mlirBoolAttrGetValue(attr);
}

tri_str tri_op_string(MlirOperation op, const char *name)
{
    MlirAttribute attr = tri_op_attr(op, name);
    if (mlirAttributeIsNull(attr) || !mlirAttributeIsAString(attr))
        return TRI_STR("");
    MlirStringRef s = mlirStringAttrGetValue(attr);
    return (tri_str){s.data, s.length};
}

int tri_op_i32s(MlirOperation op, const char *name, int32_t *out, int max)
{
    MlirAttribute attr = tri_op_attr(op, name);
    if (mlirAttributeIsNull(attr) || !mlirAttributeIsADenseI32Array(attr))
        return 0;
    intptr_t n = mlirDenseArrayGetNumElements(attr);
    if (n > max)
        TRI_BUG("attribute '%s' has %ld elements, expected at most %d", name, (long)n, max);
    for (intptr_t i = 0; i < n; i++)
        out[i] = mlirDenseI32ArrayGetElement(attr, i);
    return (int)n;
}

/* --- values ------------------------------------------------------------------------------ */

MlirOperation tri_op_def(MlirValue value)
{
    return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){0};
}

bool tri_op_is_block_argument(MlirValue value, MlirBlock *out_block, intptr_t *out_index)
{
    if (!mlirValueIsABlockArgument(value))
        return false;
    *out_block = mlirBlockArgumentGetOwner(value);
    *out_index = mlirBlockArgumentGetArgNumber(value);
    return true;
}

MlirBlock tri_op_block_of(MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    return tri_op_is_block_argument(value, &block, &index) ? block : mlirOperationGetBlock(tri_op_def(value));
}

/* The scalar attribute behind a constant or a splat of one; null when there is none. */
static MlirAttribute constant_of(MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    while (tri_op_is(def, "tt.splat"))
        def = tri_op_def(mlirOperationGetOperand(def, 0));
    if (!tri_op_is(def, "arith.constant"))
        return (MlirAttribute){0};
    MlirAttribute attr = tri_op_attr(def, "value");
    if (mlirAttributeIsADenseElements(attr))
        return mlirDenseElementsAttrIsSplat(attr) ? mlirDenseElementsAttrGetSplatValue(attr) : (MlirAttribute){0};
    return attr;
}

bool tri_op_const_int(MlirValue value, int64_t *out_value)
{
    MlirAttribute attr = constant_of(value);
    if (mlirAttributeIsNull(attr) || !mlirAttributeIsAInteger(attr))
        return false;
    MlirType type = mlirAttributeGetType(attr);
    if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) > 64)
        return false;
    *out_value = mlirIntegerAttrGetValueInt(attr);
    if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1)
        *out_value &= 1; /* i1 true reads as -1 otherwise */
    return true;
}

bool tri_op_const_float(MlirValue value, double *out_value)
{
    MlirAttribute attr = constant_of(value);
    if (mlirAttributeIsNull(attr) || !mlirAttributeIsAFloat(attr))
        return false;
    *out_value = mlirFloatAttrGetValueDouble(attr);
    return true;
}

bool tri_op_const_zero(MlirValue value)
{
    int64_t i;
    double f;
    return (tri_op_const_int(value, &i) && i == 0) || (tri_op_const_float(value, &f) && f == 0);
}

/* --- walking ----------------------------------------------------------------------------- */

void tri_op_collect_named(MlirOperation root, const char *name, tri_arena *arena, tri_op_list *out_ops)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(root); r++) {
        MlirRegion region = mlirOperationGetRegion(root, r);
        for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
             block = mlirBlockGetNextInRegion(block)) {
            for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
                 op = mlirOperationGetNextInBlock(op)) {
                if (!name || tri_op_is(op, name))
                    tri_vec_push(arena, out_ops, op);
                tri_op_collect_named(op, name, arena, out_ops);
            }
        }
    }
}

void tri_op_collect(MlirOperation root, tri_arena *arena, tri_op_list *out_ops)
{
    tri_op_collect_named(root, NULL, arena, out_ops);
}

/* --- properties -------------------------------------------------------------------------- */

bool tri_op_is_pure(MlirOperation op)
{
    return tri_island_op_is_pure(op);
}

bool tri_op_is_trivially_dead(MlirOperation op)
{
    return tri_island_op_is_trivially_dead(op);
}

bool tri_op_has_effects(MlirOperation op)
{
    return tri_island_op_has_effects(op);
}

bool tri_op_dominates(MlirOperation a, MlirOperation b)
{
    return tri_island_op_dominates(a, b);
}

/* --- structure --------------------------------------------------------------------------- */

MlirOperation tri_op_previous(MlirOperation op)
{
    return tri_island_previous(op);
}

MlirOperation tri_op_ancestor_in(MlirBlock block, MlirOperation op)
{
    while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
        op = mlirOperationGetParentOperation(op);
    return op;
}

void tri_op_replace(MlirOperation op, intptr_t n, const MlirValue *values)
{
    TRI_ASSERT(n == mlirOperationGetNumResults(op));
    for (intptr_t i = 0; i < n; i++)
        mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, i), values[i]);
    mlirOperationDestroy(op);
}

MlirOperation tri_op_clone(tri_builder *b, MlirOperation op, intptr_t n, const MlirValue *from, const MlirValue *to)
{
    MlirOperation copy = tri_island_clone(op, n, from, to);
    if (mlirOperationIsNull(b->before))
        mlirBlockAppendOwnedOperation(b->block, copy);
    else
        mlirBlockInsertOwnedOperationBefore(b->block, b->before, copy);
    return copy;
}

void tri_op_set_type(MlirValue value, MlirType type)
{
    mlirValueSetType(value, type);
}

void tri_op_erase_dead(MlirOperation root)
{
    tri_arena *arena = tri_arena_create();
    tri_op_list ops = {0};
    tri_op_collect(root, arena, &ops);
    /* Users come after what they use, so one backward sweep reaches the fixed point; the ops inside
     * an erased op's regions follow it in the list and are gone already, which is why each is
     * checked before its parent. */
    for (size_t i = ops.len; i-- > 0;)
        if (tri_op_is_trivially_dead(ops.at[i]))
            mlirOperationDestroy(ops.at[i]);
    tri_arena_destroy(arena);
}

/* --- functions --------------------------------------------------------------------------- */

tri_str tri_op_symbol(MlirOperation op)
{
    return tri_op_string(op, "sym_name");
}

bool tri_op_is_kernel(MlirOperation func)
{
    if (!tri_op_is(func, "tt.func"))
        return false;
    tri_str visibility = tri_op_string(func, "sym_visibility");
    bool is_public = visibility.len == 0 || tri_str_is(visibility, "public");
    return is_public && !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0)));
}

MlirBlock tri_op_body(MlirOperation op, int region)
{
    return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

/* --- locations --------------------------------------------------------------------------- */

/* Code of the embedded library ("<triton.language/reduce>") is where it was called: that is the line one knows. */
tri_span tri_op_span(tri_diag *diag, MlirOperation op)
{
    MlirLocation own = mlirOperationGetLocation(op);
    tri_position position;
    for (MlirLocation at = own; at.ptr; at = tri_location_caller(at))
        if (tri_location_position(at, &position) && !tri_str_has_prefix(position.file, "<"))
            return tri_location_span(diag, at);
    return tri_location_span(diag, own);
}

void tri_op_error(tri_diag *diag, MlirOperation op, int code, const char *format, ...)
{
    tri_arena *arena = tri_arena_create();
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(arena, format, args);
    va_end(args);
    tri_location_error(diag, mlirOperationGetLocation(op), code, text);
    tri_arena_destroy(arena);
}
