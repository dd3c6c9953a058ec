/* Stores results of matrix products in the layout that the products left them in.
 *
 *     %c = ttg.convert_layout %x : #mma -> #blocked          %y = math.exp2 %x : #mma
 *     %y = math.exp2 %c : #blocked                      ->   %q = ttg.convert_layout %p : #blocked -> #mma
 *     tt.store %p, %y : #blocked                             tt.store %q, %y : #mma
 *
 * Nothing goes through shared memory then: addresses and masks are computed in the other layout, which
 * remove-layout-conversions does behind this pass. Only chains of operations of one operand, each with one user. Where
 * two lanes have half of 16 bytes each (gfx950, numbers of 16 bits), they exchange halves of two runs, so that stores
 * are as wide as they can be. Answers to tritonamdgpu-optimize-epilogue. Test: tests/passes/optimize-epilogue.mlir */
#include "passes/passes.h"

#include "ir/encoding.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"

/* A store, and what is between the product's layout and it: the last operation first. */
typedef struct {
    MlirOperation store, convert;
    tri_op_list chain;
} epilogue;

/* ---- matchers ---- */

static bool has_encoding_of(tri_arena *arena, MlirValue value, tri_encoding_kind kind)
{
    const tri_encoding *e = tri_dots_encoding(arena, value);
    return e && e->kind == kind;
}

static bool is_link(MlirOperation op)
{
    return tri_op_in(op, TRI_OPS_ELEMENTWISE) && mlirOperationGetNumOperands(op) == 1 &&
           mlirOperationGetNumResults(op) == 1 && tri_op_is_pure(op);
}

/* Bytes of a row that a thread of this layout stores side by side. */
static int64_t bytes_side_by_side(tri_arena *arena, MlirType stored, const tri_encoding *layout)
{
    int64_t shape[TRI_MAX_RANK];
    int32_t runs[TRI_MAX_RANK];
    int rank = tri_dots_shape(stored, shape);
    tri_convert_contig_per_thread(layout, rank, shape, runs);
    (void)arena;
    return (int64_t)runs[rank - 1] * tri_type_bits(tri_type_element(stored)) / 8;
}

static bool match_epilogue(tri_pass_run *run, MlirOperation store, epilogue *out)
{
    MlirValue value = tri_op_operand(store, 1);
    *out = (epilogue){.store = store};
    if (!has_encoding_of(run->arena, tri_op_operand(store, 0), TRI_ENC_BLOCKED) ||
        !has_encoding_of(run->arena, value, TRI_ENC_BLOCKED))
        return false;
    MlirType stored = mlirValueGetType(value);
    for (;;) {
        MlirOperation op = tri_op_def(value);
        if (mlirOperationIsNull(op) || !tri_dots_has_one_use(value))
            return false;
        value = tri_op_operand(op, 0);
        if (tri_op_is(op, "ttg.convert_layout")) {
            const tri_encoding *e = tri_dots_encoding(run->arena, value);
            out->convert = op;
            int64_t bytes = tri_type_num_elements(stored) * tri_type_bits(tri_type_element(stored)) / 8;
            return e && tri_convert_is_matrix(e) && bytes > tri_passes_option_int(run, "beyond", 0) &&
                   bytes_side_by_side(run->arena, stored, e) >= tri_passes_option_int(run, "least-bytes", 0);
        }
        if (!is_link(op))
            return false;
        tri_vec_push(run->arena, &out->chain, op);
    }
}

/* The layout in which lanes hold 16 bytes of a row, where those of the matrix instruction hold 8: the basis of the
 * lanes that have the next 8 bytes changes places with that of the registers' next run. */
static bool choose_wide(tri_arena *arena, MlirType stored, tri_encoding *out)
{
    const tri_encoding *e = tri_encoding_get(arena, tri_type_encoding(stored));
    MlirType element = tri_type_element(stored);
    tri_linear layout;
    if (e->kind != TRI_ENC_AMD_MFMA || e->version_major != 4 || !e->amd.is_transposed || tri_type_rank(stored) != 2 ||
        !(mlirTypeIsAF16(element) || mlirTypeIsABF16(element)) || !tri_dots_linear(arena, stored, &layout))
        return false;
    enum { run = 4 };
    int next = e->instr_shape[0] == 32 ? 8 : 16;
    uint64_t *lanes = layout.basis[tri_linear_find_in(&layout, TRI_DIM_LANE)],
             *registers = layout.basis[tri_linear_find_in(&layout, TRI_DIM_REGISTER)];
    for (int lane = 0; lane < tri_linear_in_bits(&layout, TRI_DIM_LANE); lane++) {
        if (tri_linear_basis_at(&layout, TRI_DIM_LANE, lane, TRI_DIM_0) ||
            tri_linear_basis_at(&layout, TRI_DIM_LANE, lane, TRI_DIM_0 + 1) != run)
            continue;
        for (int r = 0; r < tri_linear_in_bits(&layout, TRI_DIM_REGISTER); r++)
            if (!tri_linear_basis_at(&layout, TRI_DIM_REGISTER, r, TRI_DIM_0) &&
                tri_linear_basis_at(&layout, TRI_DIM_REGISTER, r, TRI_DIM_0 + 1) == next) {
                uint64_t packed = lanes[lane];
                lanes[lane] = registers[r];
                registers[r] = packed;
                *out = tri_convert_from_linear(&layout);
                return true;
            }
    }
    return false;
}

/* ---- rewriter ---- */

static void convert_operands(tri_builder *b, MlirOperation store, MlirAttribute encoding)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(store); i++)
        mlirOperationSetOperand(store, i, tri_dots_convert(b, tri_op_operand(store, i), encoding));
}

static void store_in_place(tri_arena *arena, const epilogue *e)
{
    MlirValue value = tri_op_operand(e->convert, 0);
    MlirAttribute encoding = tri_type_encoding(mlirValueGetType(value));
    for (size_t i = e->chain.len; i-- > 0;) {
        MlirValue result = tri_op_result(e->chain.at[i], 0);
        mlirOperationSetOperand(e->chain.at[i], 0, value);
        tri_op_set_type(result, tri_type_with_encoding(mlirValueGetType(result), encoding));
        value = result;
    }
    mlirOperationSetOperand(e->store, 1, value);
    mlirOperationDestroy(e->convert);
    tri_builder b = tri_builder_before(e->store);
    convert_operands(&b, e->store, encoding);
    tri_encoding wide;
    if (choose_wide(arena, mlirValueGetType(value), &wide))
        convert_operands(&b, e->store, tri_encoding_make(b.context, &wide));
}

static bool run_optimize_epilogue(tri_pass_run *run)
{
    tri_op_list stores = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.store", run->arena, &stores);
    for (size_t i = 0; i < stores.len; i++) {
        epilogue e;
        if (match_epilogue(run, stores.at[i], &e))
            store_in_place(run->arena, &e);
    }
    return true;
}

const tri_pass tri_pass_optimize_epilogue = {
    .name = "optimize-epilogue",
    .help = "store results of matrix products in the layout that they have",
    .alias = "tritonamdgpu-optimize-epilogue",
    .options =
        (const char *const[]){"least-bytes=N: that a lane stores side by side then, else it is left alone (0)",
                              "beyond=N: only tensors of more bytes, which shared memory could not hold (0)", NULL},
    .run = run_optimize_epilogue,
};
