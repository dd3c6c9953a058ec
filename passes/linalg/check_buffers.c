/* Says which blocks of a program do not fit the memory that an NPU has for them.
 *
 *     %a = memref.alloc() : memref<256x256xf32>
 *     remark: the blocks of 'k' take 262144 bytes
 *     error: ... of the unified buffer, which has 196608; the largest: [256, 256] of 32 bits
 *
 * Counted is every block that a program copies out of memory (memref.alloc), `copies` times, while its loops and
 * conditionals run: siblings share, what surrounds them stays. Test: tests/passes/check-buffers.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "ir/type.h"

static int64_t bytes_of(MlirOperation alloc)
{
    MlirType type = mlirValueGetType(tri_op_result(alloc, 0));
    int64_t bits = tri_type_bits(mlirShapedTypeGetElementType(type));
    for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
        bits *= mlirShapedTypeGetDimSize(type, d);
    return (bits + 7) / 8;
}

static int64_t most_of(MlirBlock block)
{
    int64_t own = 0, nested = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (tri_op_is(op, "memref.alloc"))
            own += bytes_of(op);
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
            MlirBlock inner = tri_op_body(op, (int)r);
            int64_t most = mlirBlockIsNull(inner) ? 0 : most_of(inner);
            nested = most > nested ? most : nested;
        }
    }
    return own + nested;
}

/* "64x32xf32 (8192 bytes)" of the largest few */
static void list_blocks(tri_pass_run *run, MlirOperation func, tri_buf *out)
{
    enum { most = 4 };
    tri_op_list allocs = {0};
    tri_op_collect_named(func, "memref.alloc", run->arena, &allocs);
    for (int n = 0; n < most; n++) {
        size_t largest = allocs.len;
        for (size_t i = 0; i < allocs.len; i++)
            if (allocs.at[i].ptr && (largest == allocs.len || bytes_of(allocs.at[i]) > bytes_of(allocs.at[largest])))
                largest = i;
        if (largest == allocs.len)
            break;
        MlirType type = mlirValueGetType(tri_op_result(allocs.at[largest], 0));
        tri_buf_add_z(out, n ? ", [" : "[");
        for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
            tri_buf_format(out, "%s%lld", d ? ", " : "", (long long)mlirShapedTypeGetDimSize(type, d));
        tri_buf_format(out, "] of %u bits", tri_type_bits(mlirShapedTypeGetElementType(type)));
        allocs.at[largest] = tri_vec_last(&allocs);
        allocs.len--;
    }
}

static bool run_check_buffers(tri_pass_run *run)
{
    int64_t limit = tri_passes_option_int(run, "max-bytes", 0), copies = tri_passes_option_int(run, "copies", 1);
    tri_op_list funcs = {0};
    bool ok = true;
    tri_op_collect_named(mlirModuleGetOperation(run->module), "func.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len && limit; i++) {
        MlirBlock body = tri_op_body(funcs.at[i], 0);
        if (mlirBlockIsNull(body))
            continue;
        int64_t need = most_of(body) * copies;
        tri_diag_remark(run->unit->diag, tri_op_span(run->unit->diag, funcs.at[i]), "buffers",
                        "the blocks of '%.*s' take %lld bytes", TRI_STR_ARG(tri_op_symbol(funcs.at[i])),
                        (long long)need);
        if (need <= limit)
            continue;
        tri_buf text = {0};
        list_blocks(run, funcs.at[i], &text);
        tri_op_error(run->unit->diag, funcs.at[i], 6003,
                     "the blocks of '%.*s' take %lld bytes%s of the unified buffer, which has %lld; the largest: %s",
                     TRI_STR_ARG(tri_op_symbol(funcs.at[i])), (long long)need, copies > 1 ? " (each twice)" : "",
                     (long long)limit, text.data);
        tri_buf_fini(&text);
        ok = false;
    }
    return ok;
}

const tri_pass tri_pass_check_buffers = {
    .name = "check-buffers",
    .help = "do the blocks of a program fit the memory of an NPU?",
    .options = (const char *const[]){"max-bytes=N: what there is (no limit)",
                                     "copies=N: how often each block lies there (1)", NULL},
    .run = run_check_buffers,
};
