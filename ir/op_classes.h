/* Classes of operations, of the tt, ttg and ttng dialects and of MLIR's: one table in place of a list in each pass. */
#ifndef TRI_IR_OP_CLASSES_H
#define TRI_IR_OP_CLASSES_H

#include "mlir-c/IR.h"

#include <stdbool.h>

typedef enum {
    TRI_OPS_ELEMENTWISE = 1 << 0, /* element i of each result comes from element i of each operand */
    TRI_OPS_CHEAP = 1 << 1,       /* of these, one or two instructions on each machine: may as well be done again */
    TRI_OPS_COSTLY = 1 << 2,      /* of these, dozens of instructions, or a slow unit's */
    TRI_OPS_DIVISION = 1 << 3,    /* quotients and remainders of integers */
    TRI_OPS_VIEW = 1 << 4,        /* one block's elements at other places, in another shape, or repeated */
    TRI_OPS_PAIR = 1 << 5,        /* two blocks become one, or one becomes two; no element changes */
    TRI_OPS_BUFFER_VIEW = 1 << 6, /* another description of the same shared memory */
    TRI_OPS_ACCESS = 1 << 7,      /* of global memory through pointers */
    TRI_OPS_DESCRIPTOR = 1 << 8,  /* of global memory through a tensor descriptor */
    TRI_OPS_WRITE = 1 << 9,       /* of global memory */
    TRI_OPS_ATOMIC = 1 << 10,     /* read, change and write in one step */
    TRI_OPS_PRODUCT = 1 << 11,    /* of matrices */
    TRI_OPS_FLOW = 1 << 12,       /* control, and values that it carries */
    TRI_OPS_LOOP = 1 << 13,
    TRI_OPS_CALL = 1 << 14,
    TRI_OPS_MESSAGE = 1 << 15, /* speaks to the user when the kernel runs */
    TRI_OPS_BARRIER = 1 << 16, /* of all threads of a program, written in the source or by another compiler */
} tri_op_class;

/* Is the operation of one of these classes? False for a null one. */
bool tri_op_in(MlirOperation op, unsigned classes);
/* Row `i` of the table, for tests; false behind the last. */
bool tri_op_classes_row(unsigned i, const char **out_name, unsigned *out_classes);

#endif
