/* The table of classes of operations: sorted, each row an operation that exists, and classes that agree with what the
 * operations say of themselves. */
#include "ir/context.h"
#include "ir/op.h"
#include "ir/op_classes.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(bool ok, const char *what, const char *name)
{
    if (ok)
        return;
    failures++;
    fprintf(stderr, "%s: %s\n", name, what);
}

static void check_row(MlirContext context, const char *name, unsigned classes)
{
    bool is_known = mlirContextIsRegisteredOperation(context, mlirStringRefCreateFromCString(name));
    unsigned moves = TRI_OPS_ACCESS | TRI_OPS_DESCRIPTOR | TRI_OPS_WRITE | TRI_OPS_ATOMIC;
    expect(is_known || !strcmp(name, "gpu.barrier"), "no such operation", name);
    expect(classes, "no class", name);
    expect(!(classes & (TRI_OPS_CHEAP | TRI_OPS_COSTLY)) || classes & TRI_OPS_ELEMENTWISE, "costs of no element", name);
    expect((classes & (TRI_OPS_CHEAP | TRI_OPS_COSTLY)) != (TRI_OPS_CHEAP | TRI_OPS_COSTLY), "cheap and costly", name);
    expect(!(classes & TRI_OPS_ATOMIC) || classes & TRI_OPS_WRITE, "an atomic that does not write", name);
    expect(!(classes & (TRI_OPS_LOOP | TRI_OPS_CALL)) || classes & TRI_OPS_FLOW, "flow", name);
    expect(!(classes & moves) || !(classes & (TRI_OPS_ELEMENTWISE | TRI_OPS_VIEW)), "memory and elements", name);
}

int main(void)
{
    tri_diag *diag = tri_diag_create();
    MlirContext context = tri_context_create_mlir(diag);
    const char *name, *before = "";
    unsigned classes;
    for (unsigned i = 0; tri_op_classes_row(i, &name, &classes); i++) {
        expect(strcmp(before, name) < 0, "not sorted", name);
        check_row(context, name, classes);
        before = name;
    }
    tri_context_destroy_mlir(context);
    tri_diag_destroy(diag);
    return failures ? 1 : 0;
}
