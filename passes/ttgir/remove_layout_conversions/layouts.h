/* What the parts of remove-layout-conversions share; other layout passes use its predicates. */
#ifndef TRI_PASSES_TTGIR_LAYOUTS_H
#define TRI_PASSES_TTGIR_LAYOUTS_H

#include "base/map.h"
#include "ir/analysis/blocked.h"
#include "ir/builder.h"
#include "layout/linear.h"
#include "passes/passes.h"

typedef struct {
    tri_pass_run *run;
    tri_arena *arena;
    tri_launch launch;
    tri_map *types; /* MlirType.ptr -> what is known of that type's layout */
} tri_layouts;

tri_layouts tri_layouts_make(tri_pass_run *run);

/* Encoding of a tensor value; null for other values. */
MlirAttribute tri_layouts_of(MlirValue value);
/* A load or store of a tensor that is large enough to fill the block: worth its own layout. */
bool tri_layouts_is_expensive_access(const tri_layouts *l, MlirOperation op);
/* The result may take any layout at no cost: constants, ranges, splats, reshapes that may reorder. */
bool tri_layouts_is_free(const tri_layouts *l, MlirOperation op);
/* A reshape whose sides spread over the threads differently. */
bool tri_layouts_is_expensive_view(const tri_layouts *l, MlirType from, MlirType to);
/* Whether no data leaves its thread between two layouts of a type's shape. */
bool tri_layouts_is_free_convert(const tri_layouts *l, MlirType from, MlirType to);
/* The linear layout of a tensor type, found once; null when it has none. */
const tri_linear *tri_layouts_linear(const tri_layouts *l, MlirType type);
int64_t tri_layouts_elements_per_thread(const tri_layouts *l, MlirType type);
/* The same op with its result in another layout (constants are given the new type too). */
MlirValue tri_layouts_retyped(tri_builder *b, MlirOperation op, MlirType type);
/* A view (tt.reshape, tt.trans) of a tensor, in the layout that moves no data. attr: its only attribute, or null. */
MlirValue tri_layouts_view(tri_arena *arena, tri_builder *b, const char *name, MlirValue x, int rank,
                           const int64_t *shape, const tri_attr *attr);
/* Changes the type of an op's result in place. */
void tri_layouts_retype(MlirOperation op, intptr_t result, MlirType type);

/* The steps of remove-layout-conversions, each in its own file. They report nothing. */
void tri_propagation_run(tri_layouts *l, MlirOperation func);
void tri_convert_folding_run(tri_layouts *l, MlirOperation func);
void tri_dead_arguments_run(tri_layouts *l, MlirOperation func);

#endif
