/* Blocks that are loaded along one dimension and stored along another, as those of tl.trans.
 *
 * A store goes along the dimension in which its own elements are neighbours. What it loads across is fetched line by
 * line for single elements, which the first cache keeps until their neighbours are asked for; but where rows are a
 * multiple of 1 KiB apart, all of those lines fall into a few sets of it, and each is fetched again and again. Such a
 * block is copied first, line by line as it lies. */
#include "targets/cpu/cpu.h"

enum { max_loads = 4, max_bytes = 256 << 10, least_side = 16, max_depth = 16, conflict_bytes = 1024 };

typedef struct {
    MlirValue loads[max_loads];
    int count;
    LLVMValueRef test; /* whether rows of one of them meet in the cache; null: there are none */
    tri_map seen;
} across;

/* Elements from one row to the next, where they are known before the nest; else null. */
static LLVMValueRef distance_along(tri_cpu_gen *g, MlirValue address, int dim)
{
    int rank = tri_type_rank(mlirValueGetType(address));
    tri_cpu_tuple own = {.rank = rank};
    for (int d = 0; d < rank; d++)
        own.at[d].coef[d] = 1;
    tri_cpu_nest nest;
    tri_cpu_ask_begin(g, &nest, rank);
    tri_cpu_form f = tri_cpu_form_of(g, address, tri_cpu_intern(g, &own));
    tri_cpu_ask_end(g);
    return f.ok && f.ptr && f.level == 0 && f.ptr_level == 0 ? f.coef[dim] : NULL;
}

static void add_load(tri_cpu_gen *g, MlirOperation load, int dim, across *out)
{
    MlirValue address = tri_op_operand(load, 0);
    MlirType type = mlirValueGetType(address);
    int64_t coefs[TRI_MAX_RANK];
    unsigned bits = tri_cpu_type_of(g, mlirValueGetType(tri_op_result(load, 0))).bits;
    tri_cpu_static_coefs(g, address, coefs);
    bool has_rows = false;
    for (int d = 0; d < tri_type_rank(type); d++)
        has_rows |= coefs[d] == 1 && tri_type_dim(type, d) >= least_side;
    if (!has_rows || coefs[dim] == 0 || coefs[dim] == 1 || tri_type_dim(type, dim) < least_side || bits < 8 ||
        tri_type_num_elements(type) * bits / 8 > max_bytes || out->count == max_loads)
        return;
    LLVMValueRef distance = distance_along(g, address, dim);
    if (!distance)
        return;
    LLVMValueRef mask = tri_cpu_i64(g, conflict_bytes / (bits / 8) - 1);
    LLVMValueRef rest = LLVMBuildAnd(g->b, distance, mask, "");
    LLVMValueRef meets = LLVMBuildICmp(g->b, LLVMIntEQ, rest, tri_cpu_i64(g, 0), "");
    out->test = out->test ? LLVMBuildOr(g->b, out->test, meets, "") : meets;
    out->loads[out->count++] = tri_op_result(load, 0);
}

static void find_across(tri_cpu_gen *g, MlirValue value, int dim, across *out, int depth)
{
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op) || !tri_type_is_tensor(mlirValueGetType(value)) || tri_cpu_find(g, value) ||
        depth > max_depth || tri_map_find_ptr(&out->seen, value.ptr))
        return;
    tri_map_set_ptr(&out->seen, value.ptr, out);
    if (tri_op_is(op, "tt.load")) {
        add_load(g, op, dim, out);
    } else if (tri_op_is(op, "tt.trans")) {
        int32_t order[TRI_MAX_RANK];
        tri_op_i32s(op, "order", order, TRI_MAX_RANK);
        find_across(g, tri_op_operand(op, 0), order[dim], out, depth + 1);
    } else if (tri_cpu_arith_knows(op)) {
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
            find_across(g, tri_op_operand(op, i), dim, out, depth + 1);
    }
}

static void run_turned(tri_cpu_gen *g, const across *a, const tri_cpu_domain *domain)
{
    size_t mark = g->live.len;
    for (int i = 0; i < a->count; i++) {
        LLVMValueRef buffer = tri_cpu_alloc(g, mlirValueGetType(a->loads[i]));
        tri_cpu_materialise(g, a->loads[i], buffer);
        tri_cpu_bind_buffer(g, a->loads[i], buffer);
    }
    tri_cpu_nest_run(g, domain);
    for (int i = 0; i < a->count; i++)
        tri_map_set_ptr(&g->binds, a->loads[i].ptr, NULL);
    tri_cpu_release(g, mark);
}

void tri_cpu_turn_run(tri_cpu_gen *g, const tri_cpu_domain *domain, MlirValue value)
{
    across a = {.count = 0};
    tri_map_init(&a.seen, g->arena);
    if (domain->vec_dim >= 0 && domain->rank > 1)
        find_across(g, value, domain->vec_dim, &a, 0);
    if (!a.test) {
        tri_cpu_nest_run(g, domain);
        return;
    }
    tri_cpu_at(g, 0);
    LLVMBasicBlockRef turned = tri_cpu_new_block(g, "turned"), plain = tri_cpu_new_block(g, "across"),
                      join = tri_cpu_new_block(g, "after_turn");
    LLVMBuildCondBr(g->b, a.test, turned, plain);
    tri_cpu_move(g, 0, turned);
    run_turned(g, &a, domain);
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, join);
    tri_cpu_move(g, 0, plain);
    tri_cpu_nest_run(g, domain);
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, join);
    tri_cpu_move(g, 0, join);
}
