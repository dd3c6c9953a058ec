/* Forms of a kernel for arguments that say more than their types: -fspecialize. */
#ifndef TRI_FRONTEND_SPECIALIZE_H
#define TRI_FRONTEND_SPECIALIZE_H

#include "frontend/kernel/signature.h"

#include "mlir-c/IR.h"

/* A form of a kernel; `may_fail`: it is only made where it compiles, since nobody asked for it. */
typedef struct {
    tri_signature signature;
    bool may_fail;
} tri_special;

typedef TRI_VEC(tri_special) tri_special_list;

/* Are the texts of -fspecialize well formed, and does each fit a kernel of the list? Reports. */
bool tri_specialize_check(tri_unit *unit, const tri_signature_list *kernels);

/* The forms of a kernel that -fspecialize asks for, without the general one, of which `function` was made. */
tri_special_list tri_specialize_list(tri_unit *unit, const tri_signature *general, MlirOperation function);

#endif
