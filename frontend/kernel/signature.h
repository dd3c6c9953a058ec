/* Which kernels are compiled, for which argument types: -sig, -D, annotations, defaults, autotune
 * configs and heuristics joined into one typed parameter list per kernel. */
#ifndef TRI_FRONTEND_SIGNATURE_H
#define TRI_FRONTEND_SIGNATURE_H

#include "frontend/host/host.h"

typedef enum {
    TRI_ARG_VALUE,    /* scalar or pointer `type`; an IR argument */
    TRI_ARG_CONSTANT, /* `value`; no IR argument (constexpr parameter, None, i32:1) */
    TRI_ARG_TUPLE,    /* `items`, flattened into IR arguments */
    TRI_ARG_DESC,     /* tensordesc<element[shape]>: `type` is the block type */
} tri_arg_kind;

typedef struct tri_arg tri_arg;
struct tri_arg {
    tri_arg_kind kind;
    const struct tri_type *type;
    const tri_value *value;
    int32_t divisibility; /* 16 for `:16`; 0: no hint */
    bool is_small;        /* `:S`: a pointer to less than 2 GiB */
    int item_count;
    tri_arg *items;
    const struct tri_class *cls; /* of a named tuple, else null */
    tri_span at; /* in -sig or at the parameter */
};

typedef struct {
    tri_str name;
    const tri_ast_node *node; /* PARAM */
    tri_arg arg;
    bool keeps_alignment, keeps_value; /* by do_not_specialize and the like; values also by annotations */
    const struct tri_type *passed; /* of a constant that callers pass all the same; else null */
} tri_signature_param;

/* A constant that the launcher computes: a form of the kernel is compiled for each value. */
typedef struct {
    tri_str name;  /* of the parameter */
    tri_str words; /* as in ir/kernel.h */
    TRI_VEC(int64_t) values; /* that it may be */
    size_t chosen; /* of those: what this signature is for */
    bool is_bool;
} tri_heuristic;

typedef struct {
    const tri_function *function;
    tri_str name; /* the function's, or what -sig calls this instance of it */
    TRI_VEC(tri_signature_param) params; /* in source order */
    TRI_VEC(tri_heuristic) heuristics;
    int num_warps, num_stages, num_ctas, maxnreg; /* of the autotune config, 0: not given */
    int waves_per_eu, matrix_size, k_pack;        /* likewise, of its keywords */
    tri_str key; /* of the autotune decorator: names of parameters, "M,N" */
    int config; /* index of the autotune config, -1: none */
    int config_count; /* of the autotune decorator, 0: none */
    bool is_guessed;  /* -fsyntax-only: some types are only what a message would suggest */
} tri_signature;

typedef TRI_VEC(tri_signature) tri_signature_list;

/* The kernels that the options ask for, with all types known. Without -k and -sig: every jit function
 * whose types are known from annotations, defaults and -D; at least one, else an error that shows a
 * -sig that would work. False after a report. */
bool tri_signature_collect(tri_module *main, tri_signature_list *out_kernels);

/* Takes for each heuristic the next of its values, in `s`, whose arrays are changed; false behind the last
 * combination. */
bool tri_signature_next_form(tri_arena *arena, tri_signature *s);

/* The kernel that -k names, or the only one of the file that is no helper; null after a report. */
const tri_function *tri_signature_only_kernel(tri_module *main);

/* --list-kernels: appends the kernels of the file with their parameters and configurations. False after a report. */
bool tri_signature_list_kernels(tri_module *main, tri_buf *out);

#endif
