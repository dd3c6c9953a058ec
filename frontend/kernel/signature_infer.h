/* What a kernel's parameters are, judged by how it uses them: for the signature that a message suggests,
 * for --list-kernels and for the arguments that tritrun suggests. An inference, not a proof: nothing is compiled by
 * it. */
#ifndef TRI_FRONTEND_SIGNATURE_INFER_H
#define TRI_FRONTEND_SIGNATURE_INFER_H

#include "frontend/host/host.h"

typedef struct tri_signature_uses tri_signature_uses;

/* Reads the function and every jit function that it calls. Lives in the modules' arena; reports nothing. */
tri_signature_uses *tri_signature_infer(tri_modules *all, const tri_function *function);
/* Appends the type, or for a constexpr parameter the value, that the uses of a parameter call for. */
void tri_signature_infer_print(const tri_signature_uses *uses, tri_str param, bool is_constexpr, tri_buf *out);

#endif
