/* @triton.heuristics whose values depend on the arguments of a launch: the launcher computes them
 * (runtime/launch/grid.c) and takes the form of the kernel that was compiled for what they give. */
#ifndef TRI_FRONTEND_HEURISTIC_H
#define TRI_FRONTEND_HEURISTIC_H

#include "frontend/kernel/signature.h"

/* What a function of arguments by name gives, in words (ir/kernel.h), with the values that it can have: none when these
 * are not bounded. `is_known` tells which parameters of the signature are settled. False: *out_why and *out_at say what
 * cannot be computed by a launcher. */
bool tri_heuristic_read(tri_arena *arena, const tri_signature *signature, const bool *is_known, const tri_value *callee,
                        tri_heuristic *out, tri_str *out_why, tri_span *out_at);

#endif
