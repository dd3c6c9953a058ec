#include "ir/op_classes.h"

#include "ir/op.h"

#include <stdlib.h>

typedef struct {
    const char *name;
    unsigned classes;
} row;

enum {
    ELEMENTWISE = TRI_OPS_ELEMENTWISE,
    CHEAP = TRI_OPS_CHEAP,
    COSTLY = TRI_OPS_COSTLY,
    DIVISION = TRI_OPS_DIVISION,
    VIEW = TRI_OPS_VIEW,
    PAIR = TRI_OPS_PAIR,
    BUFFER_VIEW = TRI_OPS_BUFFER_VIEW,
    ACCESS = TRI_OPS_ACCESS,
    DESCRIPTOR = TRI_OPS_DESCRIPTOR,
    WRITE = TRI_OPS_WRITE,
    ATOMIC = TRI_OPS_ATOMIC,
    PRODUCT = TRI_OPS_PRODUCT,
    FLOW = TRI_OPS_FLOW,
    LOOP = TRI_OPS_LOOP,
    CALL = TRI_OPS_CALL,
    MESSAGE = TRI_OPS_MESSAGE,
    BARRIER = TRI_OPS_BARRIER,
};

static const row rows[] = {
#define X(name, classes) {name, classes},
#include "ir/op_classes.def"
#undef X
};

static int compare_name(const void *key, const void *at)
{
    return tri_str_compare(*(const tri_str *)key, tri_str_from(((const row *)at)->name));
}

bool tri_op_in(MlirOperation op, unsigned classes)
{
    if (mlirOperationIsNull(op))
        return false;
    tri_str name = tri_op_name(op);
    const row *found = bsearch(&name, rows, sizeof rows / sizeof *rows, sizeof *rows, compare_name);
    return found && (found->classes & classes) != 0;
}

bool tri_op_classes_row(unsigned i, const char **out_name, unsigned *out_classes)
{
    if (i >= sizeof rows / sizeof *rows)
        return false;
    *out_name = rows[i].name;
    *out_classes = rows[i].classes;
    return true;
}
