#include "passes/ttgir/remove_layout_conversions/layouts.h"

#include "base/diag.h"
#include "ir/analysis/infer.h"
#include "ir/analysis/scratch.h"
#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

MlirAttribute tri_layouts_of(MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    return tri_type_is_tensor(type) ? tri_type_encoding(type) : (MlirAttribute){NULL};
}

tri_layouts tri_layouts_make(tri_pass_run *run)
{
    tri_layouts l = {
        .run = run, .arena = run->arena, .launch = tri_blocked_launch(mlirModuleGetOperation(run->module))};
    l.types = TRI_NEW(run->arena, tri_map);
    tri_map_init(l.types, run->arena);
    return l;
}

/* What is asked of the same few types again and again. */
typedef struct {
    tri_linear linear;
    bool has_linear;
    uint64_t free_lanes, free_warps; /* tri_linear_free_mask */
    tri_map converts; /* MlirType.ptr of another layout -> 1 + tri_cvt_kind */
} known;

static known *know(const tri_layouts *l, MlirType type)
{
    known *k = tri_map_find_ptr(l->types, type.ptr);
    if (k)
        return k;
    k = TRI_NEW(l->arena, known);
    k->has_linear = tri_scratch_linear(l->arena, type, &k->linear);
    if (k->has_linear) {
        k->free_lanes = tri_linear_free_mask(&k->linear, TRI_DIM_LANE);
        k->free_warps = tri_linear_free_mask(&k->linear, TRI_DIM_WARP);
    }
    tri_map_init(&k->converts, l->arena);
    tri_map_set_ptr(l->types, type.ptr, k);
    return k;
}

const tri_linear *tri_layouts_linear(const tri_layouts *l, MlirType type)
{
    const known *k = know(l, type);
    return k->has_linear ? &k->linear : NULL;
}

bool tri_layouts_is_expensive_access(const tri_layouts *l, MlirOperation op)
{
    if (!tri_op_is(op, "tt.load") && !tri_op_is(op, "tt.store"))
        return false;
    MlirType type = mlirValueGetType(tri_op_operand(op, 0));
    int64_t n = tri_type_is_tensor(type) ? tri_type_num_elements(type) : 1;
    return n > 1 && n >= (int64_t)l->launch.warps * l->launch.lanes;
}

int64_t tri_layouts_elements_per_thread(const tri_layouts *l, MlirType type)
{
    const tri_linear *linear = tri_layouts_linear(l, type);
    return linear ? tri_linear_in_size(linear, TRI_DIM_REGISTER) : 0;
}

bool tri_layouts_is_expensive_view(const tri_layouts *l, MlirType from, MlirType to)
{
    const known *a = know(l, from), *b = know(l, to);
    return !a->has_linear || !b->has_linear || a->free_lanes != b->free_lanes || a->free_warps != b->free_warps ||
           tri_linear_in_bits(&a->linear, TRI_DIM_REGISTER) != tri_linear_in_bits(&b->linear, TRI_DIM_REGISTER);
}

bool tri_layouts_is_free_convert(const tri_layouts *l, MlirType from, MlirType to)
{
    known *a = know(l, from);
    const known *b = know(l, to);
    if (!a->has_linear || !b->has_linear)
        return false;
    uintptr_t kind = (uintptr_t)tri_map_find_ptr(&a->converts, to.ptr);
    if (!kind) {
        kind = 1 + (uintptr_t)tri_plan_convert_kind(&a->linear, &b->linear);
        tri_map_set_ptr(&a->converts, to.ptr, (void *)kind);
    }
    return kind - 1 == TRI_CVT_NONE || kind - 1 == TRI_CVT_REGISTERS;
}

bool tri_layouts_is_free(const tri_layouts *l, MlirOperation op)
{
    if (tri_op_is(op, "arith.constant"))
        return mlirAttributeIsADenseElements(tri_op_attr(op, "value"));
    if (tri_op_is(op, "tt.make_range") || tri_op_is(op, "tt.splat") ||
        tri_op_is(op, "tt.histogram"))
        return true;
    return tri_op_is(op, "tt.reshape") && tri_op_flag(op, "allow_reorder") && !tri_op_flag(op, "efficient_layout") &&
           !tri_layouts_is_expensive_view(l, mlirValueGetType(tri_op_operand(op, 0)),
                                          mlirValueGetType(tri_op_result(op, 0)));
}

void tri_layouts_retype(MlirOperation op, intptr_t result, MlirType type)
{
    if (tri_op_is(op, "arith.constant"))
        tri_builder_set_attr(op, "value", mlirDenseElementsAttrReshapeGet(tri_op_attr(op, "value"), type));
    tri_op_set_type(tri_op_result(op, result), type);
}

MlirValue tri_layouts_retyped(tri_builder *b, MlirOperation op, MlirType type)
{
    MlirOperation clone = tri_op_clone(b, op, 0, NULL, NULL);
    tri_layouts_retype(clone, 0, type);
    return tri_op_result(clone, 0);
}

MlirValue tri_layouts_view(tri_arena *arena, tri_builder *b, const char *name, MlirValue x, int rank,
                           const int64_t *shape, const tri_attr *attr)
{
    MlirType element = tri_type_element(mlirValueGetType(x));
    /* the layout is found with a provisional one in its place */
    MlirType type = tri_type_tensor(rank, shape, element, (MlirAttribute){NULL});
    MlirOperation op = tri_builder_create(b, &(tri_op){.name = name,
                                                       .num_operands = 1,
                                                       .operands = &x,
                                                       .num_results = 1,
                                                       .results = &type,
                                                       .num_attrs = attr ? 1 : 0,
                                                       .attrs = attr});
    MlirAttribute encoding = tri_infer_result(arena, op, tri_layouts_of(x));
    if (mlirAttributeIsNull(encoding))
        TRI_BUG("no layout for a view of a tensor");
    tri_op_set_type(tri_op_result(op, 0), tri_type_with_encoding(type, encoding));
    return tri_op_result(op, 0);
}
