/* An access through pointers becomes one through a descriptor, which is made in front of the outermost loop. */
#include "passes/ttir/auto_tma/auto_tma.h"

#include "ir/compare.h"
#include "ir/type.h"

#include <stdint.h>

enum { ENDLESS = INT32_MAX, OUTSIDE = 1 << 30 };

typedef struct {
    const tri_auto_tma_plan *plan;
    tri_builder b; /* in front of the loops */
    MlirType i32, i64;
    MlirValue is_full[TRI_MAX_RANK]; /* i1: the dimension has elements at all; null: it does */
} rewriter;

static MlirValue emit(rewriter *r, tri_builder *b, const tri_sum *sum, MlirType type)
{
    return tri_sum_emit(r->plan->t->sums, b, sum, type);
}

static MlirValue choose(rewriter *r, tri_builder *b, MlirValue condition, MlirValue yes, int64_t no)
{
    MlirValue operands[] = {condition, yes, tri_builder_int(b, r->i32, no)};
    return tri_builder_value(b, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = operands,
                                          .num_results = 1, .results = &r->i32});
}

/* The map's size; one that may be zero becomes 1, and the coordinate then leaves the tensor (place_block). */
static MlirValue size_of(rewriter *r, int d)
{
    const tri_sum *shape = r->plan->shape[d];
    int64_t number;
    if (!shape)
        return tri_builder_int(&r->b, r->i32, ENDLESS);
    if (tri_sum_is_const(shape, &number) && number > 0)
        return tri_builder_int(&r->b, r->i32, number);
    MlirValue size = emit(r, &r->b, shape, r->i32), zero = tri_builder_int(&r->b, r->i32, 0);
    r->is_full[d] = tri_compare_make(&r->b, TRI_CMP_SGT, size, zero);
    return tri_builder_binary(&r->b, "arith.maxsi", r->i32, size, tri_builder_int(&r->b, r->i32, 1));
}

static MlirValue make_descriptor(rewriter *r)
{
    const tri_auto_tma_plan *p = r->plan;
    int rank = p->access.form.rank;
    int64_t shape[TRI_MAX_RANK];
    MlirValue operands[1 + 2 * TRI_MAX_RANK] = {p->access.form.base};
    MlirType pointer = mlirValueGetType(operands[0]);
    for (int i = 0; i < rank; i++) {
        shape[i] = p->access.form.dim[p->order[i]].size;
        operands[1 + i] = size_of(r, p->order[i]);
        operands[1 + rank + i] = emit(r, &r->b, p->access.form.dim[p->order[i]].stride, r->i64);
    }
    if (!tri_sum_is(p->offset, 0))
        operands[0] = tri_builder_binary(&r->b, "tt.addptr", pointer, operands[0], emit(r, &r->b, p->offset, r->i64));
    MlirType block = tri_type_tensor(rank, shape, tri_type_ptr_pointee(pointer), (MlirAttribute){NULL}),
             desc = tri_type_desc(block);
    tri_attr padding = {"padding", tri_attr_i32(r->b.context, 1)};
    return tri_builder_value(&r->b, &(tri_op){.name = "tt.make_tensor_descriptor",
                                              .num_operands = 1 + 2 * rank,
                                              .operands = operands,
                                              .num_results = 1,
                                              .results = &desc,
                                              .num_attrs = 1,
                                              .attrs = &padding});
}

/* A coordinate, which is not negative, as 32 bits; what does not fit is past any bound, as what is negative is, too. */
static MlirValue coordinate(rewriter *r, tri_builder *b, const tri_sum *start)
{
    if (tri_sum_is_narrow(start))
        return emit(r, b, start, r->i32);
    MlirValue wide = emit(r, b, start, r->i64), most = tri_builder_int(b, r->i64, INT32_MAX);
    MlirValue narrow = tri_builder_unary(b, "arith.trunci", r->i32, wide);
    return choose(r, b, tri_compare_make(b, TRI_CMP_SLE, wide, most), narrow, -OUTSIDE);
}

/* Coordinates of the block, in the map's order. */
static void place_block(rewriter *r, tri_builder *b, MlirValue *out)
{
    const tri_auto_tma_plan *p = r->plan;
    for (int i = 0; i < p->access.form.rank; i++) {
        int d = p->order[i];
        out[i] = coordinate(r, b, p->start[d]);
        if (!mlirValueIsNull(r->is_full[d]))
            out[i] = choose(r, b, r->is_full[d], out[i], OUTSIDE);
    }
}

/* `value` with its dimension i at order[i] of `from`. */
static MlirValue turn(tri_builder *b, MlirValue value, int rank, const int32_t *order)
{
    MlirType from = mlirValueGetType(value);
    int64_t shape[TRI_MAX_RANK];
    bool is_same = true;
    for (int i = 0; i < rank; i++) {
        shape[i] = tri_type_dim(from, order[i]);
        is_same = is_same && order[i] == i;
    }
    if (is_same)
        return value;
    MlirType type = tri_type_tensor(rank, shape, tri_type_element(from), (MlirAttribute){NULL});
    tri_attr attr = {"order", tri_attr_i32s(b->context, rank, order)};
    return tri_builder_value(b, &(tri_op){.name = "tt.trans",
                                          .num_operands = 1,
                                          .operands = &value,
                                          .num_results = 1,
                                          .results = &type,
                                          .num_attrs = 1,
                                          .attrs = &attr});
}

void tri_auto_tma_rewrite(const tri_auto_tma_plan *p)
{
    rewriter r = {.plan = p, .b = tri_builder_before(p->outer)};
    tri_builder b = tri_builder_before(p->op);
    int rank = p->access.form.rank;
    int32_t order[TRI_MAX_RANK], back[TRI_MAX_RANK];
    MlirValue operands[2 + TRI_MAX_RANK];
    r.b.loc = b.loc;
    r.i32 = mlirIntegerTypeGet(b.context, 32);
    r.i64 = mlirIntegerTypeGet(b.context, 64);
    for (int i = 0; i < rank; i++) {
        order[i] = p->order[i];
        back[p->order[i]] = i;
    }
    operands[0] = make_descriptor(&r);
    if (tri_op_is(p->op, "tt.load")) {
        place_block(&r, &b, operands + 1);
        MlirType type = tri_type_desc_block(mlirValueGetType(operands[0]));
        tri_attr attrs[] = {{"cache", tri_op_attr(p->op, "cache")}, {"evict", tri_op_attr(p->op, "evict")}};
        MlirValue loaded = tri_builder_value(&b, &(tri_op){.name = "tt.descriptor_load",
                                                           .num_operands = 1 + rank,
                                                           .operands = operands,
                                                           .num_results = 1,
                                                           .results = &type,
                                                           .num_attrs = 2,
                                                           .attrs = attrs});
        loaded = turn(&b, loaded, rank, back);
        tri_op_replace(p->op, 1, &loaded);
        return;
    }
    operands[1] = turn(&b, tri_op_operand(p->op, 1), rank, order);
    place_block(&r, &b, operands + 2);
    tri_builder_create(&b, &(tri_op){.name = "tt.descriptor_store", .num_operands = 2 + rank, .operands = operands});
    tri_op_replace(p->op, 0, NULL);
}
