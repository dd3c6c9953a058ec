/* What kernels say: code for the functions that passes/linalg/arith_calls.c calls for each element. */
#ifndef TRI_TARGETS_LINALG_MESSAGES_H
#define TRI_TARGETS_LINALG_MESSAGES_H

#include "ir/unit.h"

#include "llvm-c/Types.h"

typedef struct {
    tri_str symbol, text; /* prefix or message */
    bool is_print, is_hex, is_signed;
    MlirLocation at;
} tri_message;

typedef TRI_VEC(tri_message) tri_messages;

/* Is the function one of those? Then it is added to the list. */
bool tri_messages_note(tri_unit *unit, MlirOperation func, tri_messages *messages);
bool tri_messages_have_asserts(const tri_messages *messages);
/* Gives those that print bodies, which call the runtime. */
void tri_messages_define(LLVMModuleRef module, const tri_messages *messages);
/* Where an assertion of the program fails, it is reported, and the program ends. The program's last parameter is the
 * launch's error slot. */
void tri_messages_check(tri_unit *unit, LLVMModuleRef module, const tri_messages *messages, LLVMValueRef program);

#endif
