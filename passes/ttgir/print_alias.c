/* Tells which buffers in shared memory a value may point into, as a remark where it is made:
 *
 *     %a = ttg.local_alloc ...                        remark: %0 -> %0
 *     %b = ttg.local_alloc ...                        remark: %1 -> %1
 *     %c = arith.select %p, %a, %b ...                remark: %2 -> %0,%1
 *     scf.for ... iter_args(%x = %a)                  remark: %arg3 -> %0, of what it starts with
 *
 * The arguments of a block are told at the branch that ends it. Changes nothing. Values are named as the
 * module is printed. For the tests of passes/analysis/buffers.h, which allocate-shared-memory and membar rest
 * on. Answers to test-print-alias. Test: tests/passes/print-alias.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "passes/analysis/buffers.h"

#include <stdlib.h>

static const char group[] = "alias";

typedef struct {
    tri_pass_run *run;
    tri_buffers buffers;
    MlirAsmState names;
} teller;

static void append(MlirStringRef piece, void *buf) { tri_buf_add(buf, piece.data, piece.length); }

static const char *name_of(const teller *t, MlirValue value)
{
    tri_buf buf = {0};
    mlirValuePrintAsOperand(value, t->names, append, &buf);
    tri_str name = tri_str_copy(t->run->arena, tri_buf_str(&buf));
    tri_buf_fini(&buf);
    return name.data;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* What `source` points into, told of `value`. */
static void tell(const teller *t, MlirOperation at, MlirValue value, MlirValue source)
{
    const tri_buffer_set *set = tri_buffers_of(&t->buffers, source);
    if (!set->len)
        return;
    const char **names = TRI_NEW_ARRAY(t->run->arena, const char *, set->len);
    for (size_t i = 0; i < set->len; i++)
        names[i] = name_of(t, tri_op_result(t->buffers.list.at[set->at[i]].op, 0));
    qsort(names, set->len, sizeof *names, by_text);
    tri_buf list = {0};
    for (size_t i = 0; i < set->len; i++)
        tri_buf_format(&list, "%s%s", i ? "," : "", names[i]);
    tri_diag *diag = t->run->unit->diag;
    tri_diag_remark(diag, tri_op_span(diag, at), group, "%s -> %s", name_of(t, value), list.data);
    tri_buf_fini(&list);
}

static void tell_op(const teller *t, MlirOperation op)
{
    MlirBlock block = mlirOperationGetBlock(op);
    if (mlirOperationGetNumSuccessors(op))
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
            tell(t, op, mlirBlockGetArgument(block, i), mlirBlockGetArgument(block, i));
    if (tri_op_is(op, "scf.for"))
        for (intptr_t i = 3; i < mlirOperationGetNumOperands(op); i++)
            tell(t, op, mlirBlockGetArgument(tri_op_body(op, 0), i - 2), tri_op_operand(op, i));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        tell(t, op, tri_op_result(op, i), tri_op_result(op, i));
}

static void tell_function(teller *t, MlirOperation func)
{
    MlirOperation module = mlirModuleGetOperation(t->run->module);
    tri_buffers_init(&t->buffers, t->run->arena, func, module);
    tri_op_list ops = {0};
    tri_op_collect(func, t->run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        tell_op(t, ops.at[i]);
}

static bool run_print_alias(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    mlirOpPrintingFlagsPrintNameLocAsPrefix(flags);
    teller t = {.run = run, .names = mlirAsmStateCreateForOperation(module, flags)};
    tri_op_list funcs = {0};
    tri_diag_set_remarks(run->unit->diag, tri_str_from(group));
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        if (!mlirBlockIsNull(tri_op_body(funcs.at[i], 0)))
            tell_function(&t, funcs.at[i]);
    mlirAsmStateDestroy(t.names);
    mlirOpPrintingFlagsDestroy(flags);
    return true;
}

const tri_pass tri_pass_print_alias = {
    .name = "print-alias",
    .help = "tell which buffers in shared memory a value may point into",
    .alias = "test-print-alias",
    .run = run_print_alias,
};
