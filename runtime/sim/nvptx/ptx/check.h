/* Private to find.c, check.c and parse.c. */
#ifndef TRI_RUNTIME_PTX_CHECK_H
#define TRI_RUNTIME_PTX_CHECK_H

#include "runtime/sim/nvptx/ptx/program.h"

typedef struct {
    tri_arena *arena;
    const tri_ptx_program *program;
    tri_str name; /* of the instruction, with its modifiers */
    ptx_instruction *i;
    tri_str *out_error;
} ptx_check;

/* Gives numbers the bits of their operand's type. False: *out_error says what does not fit. */
bool tri_ptx_check(ptx_check *check);

#endif
