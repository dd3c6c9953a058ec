/* Which dimension should be the fastest where the pointers do not say: what each choice costs a thread. */
#include "passes/ttgir/coalesce/coalesce.h"

#include "base/map.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"

enum {
    DIVISION = 20,
    SHUFFLE = 4,
    THROUGH_MEMORY = 16,
    MOST_LINES = 64, /* whose addresses and masks fit into registers beside the elements */
    SPILL = 4,       /* of an address and a mask: out and back */
    MAX_VISITS = 2000
};

/* A tensor, and which dimension of the access each of its own is (-1: none, it has one element there). */
typedef struct {
    MlirValue value;
    int dims[TRI_MAX_RANK];
} view;

typedef struct {
    tri_arena *arena;
    tri_encoding layout;
    int64_t held[TRI_MAX_RANK]; /* elements along each dimension that a thread has */
    tri_map seen;               /* MlirValue.ptr */
    TRI_VEC(view) todo;
    int64_t cost;
} walk;

static void push(walk *w, MlirValue value, const int *dims)
{
    MlirType type = mlirValueGetType(value);
    if (!tri_type_is_tensor(type) || tri_map_find_ptr(&w->seen, value.ptr) || w->todo.len >= MAX_VISITS)
        return;
    tri_map_set_ptr(&w->seen, value.ptr, w);
    view v = {.value = value};
    for (int i = 0; i < tri_type_rank(type); i++)
        v.dims[i] = tri_type_dim(type, i) > 1 ? dims[i] : -1;
    tri_vec_push(w->arena, &w->todo, v);
}

static int64_t elements(const walk *w, const view *v)
{
    int64_t n = 1;
    for (int i = 0; i < tri_type_rank(mlirValueGetType(v->value)); i++)
        n *= v->dims[i] < 0 ? 1 : w->held[v->dims[i]];
    return n;
}

static bool is_division(MlirOperation op)
{
    int64_t by;
    return tri_op_in(op, TRI_OPS_DIVISION) && !tri_op_const_int(tri_op_operand(op, 1), &by);
}

static MlirValue yielded(MlirOperation loop, intptr_t i)
{
    return tri_op_operand(mlirBlockGetTerminator(tri_op_body(loop, 0)), i);
}

/* ---- what an address is made of ---- */

/* Values that loop `op` carries as number `i`. */
static void push_carried(walk *w, MlirOperation op, intptr_t i, const view *v)
{
    push(w, tri_op_operand(op, 3 + i), v->dims);
    push(w, yielded(op, i), v->dims);
}

static void push_sources(walk *w, MlirOperation op, const view *v)
{
    int dims[TRI_MAX_RANK], rank = tri_type_rank(mlirValueGetType(v->value));
    int32_t permutation[TRI_MAX_RANK];
    if (tri_op_is(op, "tt.expand_dims")) {
        int axis = (int)tri_op_int(op, "axis", 0), n = 0;
        for (int i = 0; i < rank; i++)
            if (i != axis)
                dims[n++] = v->dims[i];
        push(w, tri_op_operand(op, 0), dims);
    } else if (tri_op_is(op, "tt.trans") && tri_op_i32s(op, "order", permutation, TRI_MAX_RANK) == rank) {
        for (int i = 0; i < rank; i++)
            dims[permutation[i]] = v->dims[i];
        push(w, tri_op_operand(op, 0), dims);
    } else {
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
            MlirType type = mlirValueGetType(tri_op_operand(op, i));
            if (tri_type_is_tensor(type) && tri_type_rank(type) == rank)
                push(w, tri_op_operand(op, i), v->dims);
        }
    }
}

static bool is_boundary(MlirOperation op)
{
    return tri_op_is(op, "tt.load") || tri_op_is(op, "tt.reduce") || tri_op_is(op, "tt.scan") ||
           tri_op_is(op, "tt.dot") || tri_op_is(op, "tt.reshape") || tri_op_is(op, "tt.gather") ||
           mlirOperationGetNumRegions(op);
}

static void visit_source(walk *w, const view *v)
{
    MlirBlock block;
    intptr_t i;
    if (tri_op_is_block_argument(v->value, &block, &i)) {
        MlirOperation parent = mlirBlockGetParentOperation(block);
        if (tri_op_is(parent, "scf.for") && i)
            push_carried(w, parent, i - 1, v);
        return;
    }
    MlirOperation op = tri_op_def(v->value);
    if (tri_op_is(op, "scf.for")) {
        for (i = 0; i < mlirOperationGetNumResults(op); i++)
            if (mlirValueEqual(tri_op_result(op, i), v->value))
                push_carried(w, op, i, v);
        return;
    }
    if (is_division(op))
        w->cost += DIVISION * elements(w, v);
    if (!is_boundary(op))
        push_sources(w, op, v);
}

/* ---- what becomes of a loaded block ---- */

static void count_exchange(walk *w, MlirOperation op, const view *v)
{
    int axis = v->dims[tri_op_int(op, "axis", 0)];
    if (axis < 0)
        return;
    int64_t results = elements(w, v) / w->held[axis];
    int lanes = w->layout.blocked.threads_per_warp[axis];
    for (int n = 1; n < lanes; n *= 2)
        w->cost += SHUFFLE * results;
    if (w->layout.warps_per_cta[axis] > 1)
        w->cost += THROUGH_MEMORY * results;
}

static bool is_same_shape(MlirType a, MlirType b)
{
    if (!tri_type_is_tensor(a) || !tri_type_is_tensor(b) || tri_type_rank(a) != tri_type_rank(b))
        return false;
    for (int d = 0; d < tri_type_rank(a); d++)
        if (tri_type_dim(a, d) != tri_type_dim(b, d))
            return false;
    return true;
}

static void visit_use(walk *w, const view *v, MlirOpOperand use)
{
    MlirOperation op = mlirOpOperandGetOwner(use), parent = mlirOperationGetParentOperation(op);
    intptr_t i = (intptr_t)mlirOpOperandGetOperandNumber(use);
    if (tri_op_is(op, "tt.reduce") || tri_op_is(op, "tt.scan")) {
        count_exchange(w, op, v);
    } else if (tri_op_is(op, "scf.yield") && tri_op_is(parent, "scf.for")) {
        push(w, tri_op_result(parent, i), v->dims);
        push(w, mlirBlockGetArgument(tri_op_body(parent, 0), i + 1), v->dims);
    } else if (tri_op_is(op, "scf.for") && i >= 3) {
        push(w, tri_op_result(op, i - 3), v->dims);
        push(w, mlirBlockGetArgument(tri_op_body(op, 0), i - 2), v->dims);
    } else if (!is_boundary(op)) {
        for (i = 0; i < mlirOperationGetNumResults(op); i++)
            if (is_same_shape(mlirValueGetType(tri_op_result(op, i)), mlirValueGetType(v->value)))
                push(w, tri_op_result(op, i), v->dims);
    }
}

static void visit_uses(walk *w, const view *v)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(v->value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        visit_use(w, v, use);
}

static void begin(walk *w, const int64_t *shape)
{
    tri_map_init(&w->seen, w->arena);
    w->todo.len = 0;
    for (int d = 0; d < w->layout.rank; d++) {
        int64_t spread = (int64_t)w->layout.blocked.threads_per_warp[d] * w->layout.warps_per_cta[d];
        w->held[d] = shape[d] > spread ? shape[d] / spread : 1;
    }
}

/* A thread keeps an address and a mask for each row and for each column of which it has elements. */
static int64_t lines_cost(const walk *w, const int64_t *shape)
{
    int64_t lines = 0;
    for (int d = 0; d < w->layout.rank; d++)
        lines += shape[d] > 1 ? w->held[d] : 0;
    return lines > MOST_LINES ? SPILL * (lines - MOST_LINES) : 0;
}

int64_t tri_coalesce_cost(tri_arena *arena, tri_launch launch, MlirOperation access, int rank, const int64_t *shape,
                          const int32_t *order)
{
    int32_t ones[TRI_MAX_RANK];
    int dims[TRI_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        ones[d] = 1;
        dims[d] = d;
    }
    walk w = {.arena = arena, .layout = tri_blocked_make(rank, shape, ones, order, launch)};
    begin(&w, shape);
    w.cost += lines_cost(&w, shape);
    bool is_load = tri_op_is(access, "tt.load");
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(access); i++)
        if (is_load || i != 1) /* addresses and masks, not what is stored */
            push(&w, tri_op_operand(access, i), dims);
    for (size_t i = 0; i < w.todo.len; i++) {
        view v = w.todo.at[i]; /* the list moves as it grows */
        visit_source(&w, &v);
    }
    begin(&w, shape);
    if (is_load)
        push(&w, tri_op_result(access, 0), dims);
    for (size_t i = 0; i < w.todo.len; i++) {
        view v = w.todo.at[i];
        visit_uses(&w, &v);
    }
    return w.cost;
}
