/* The functions of the language by what they say of their operands. Private to signature_infer*.c. */
#ifndef TRI_FRONTEND_SIGNATURE_WORDS_H
#define TRI_FRONTEND_SIGNATURE_WORDS_H

#include "base/str.h"

static inline bool is_one_of(tri_str name, const char *const *names)
{
    for (; *names; names++)
        if (tri_str_is(name, *names))
            return true;
    return false;
}

static const char *const same_kind[] = {"multiple_of",
                                        "max_contiguous",
                                        "max_constancy",
                                        "broadcast_to",
                                        "expand_dims",
                                        "reshape",
                                        "view",
                                        "trans",
                                        "permute",
                                        "min",
                                        "max",
                                        "sum",
                                        "cumsum",
                                        "sort",
                                        "flip",
                                        "abs",
                                        "minimum",
                                        "maximum",
                                        "where",
                                        "cdiv",
                                        "advance",
                                        "ravel",
                                        "make_block_ptr",
                                        "to_tensor",
                                        "clamp",
                                        "associative_scan",
                                        "reduce",
                                        "gather",
                                        "split",
                                        "join",
                                        "cat",
                                        "item",
                                        "assume",
                                        "range",
                                        NULL};
static const char *const float_makers[] = {"exp",     "exp2",    "log",   "log2",       "sqrt",   "sqrt_rn", "rsqrt",
                                           "sigmoid", "softmax", "dot",   "dot_scaled", "rand",   "randn",   "tanh",
                                           "erf",     "sin",     "cos",   "fma",        "div_rn", "fdiv",    "floor",
                                           "ceil",    "pow",     "log1p", "expm1",      NULL};
static const char *const int_makers[] = {"arange", "program_id", "num_programs", "randint", "argmax", "argmin", NULL};
static const char *const random[] = {"rand", "randn", "randint", "rand4x", "randn4x", "randint4x", NULL};
static const char *const ranges[] = {"range", "static_range", "arange", NULL};

/* Words of names that floats have, and of names that something else has. */
static const char *const float_words[] = {"eps",      "epsilon", "scale",       "alpha", "beta",      "gamma", "sigma",
                                          "momentum", "dropout", "temperature", "slope", "threshold", NULL};
static const char *const other_words[] = {"ptr",   "ptrs", "stride", "strides", "size",  "num",  "len",
                                          "block", "is",   "has",    "use",     "int",   "int8", "uint8",
                                          "int32", "type", "dtype",  "offset",  "batch", NULL};

static inline bool touches_memory(tri_str f)
{
    return tri_str_is(f, "load") || tri_str_is(f, "store") || tri_str_has_prefix(f, "atomic_");
}

/* The position of the first operand whose kind is the result's. */
static inline uint32_t first_operand(tri_str f) { return tri_str_is(f, "where") ? 1 : 0; }

/* Behind the position of the last one: extents and axes follow. `is_method`: the first stands before the name. */
static inline uint32_t operands_end(tri_str f, bool is_method)
{
    if (tri_str_is(f, "where") || tri_str_is(f, "clamp") || tri_str_is(f, "range"))
        return 3;
    if (tri_str_is(f, "minimum") || tri_str_is(f, "maximum") || tri_str_is(f, "cdiv") || tri_str_is(f, "join") ||
        tri_str_is(f, "min") || tri_str_is(f, "max"))
        return 2;
    return is_method ? 0 : 1;
}

#endif
