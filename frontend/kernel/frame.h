/* One activation of a jit function while it is compiled: local names, returns, the IR region that
 * grows. Private to the evaluator. */
#ifndef TRI_FRONTEND_FRAME_H
#define TRI_FRONTEND_FRAME_H

#include "frontend/kernel/eval.h"

typedef struct {
    tri_str name;
    uint32_t hash;
    bool is_gone;   /* bound in a block that ended: no longer visible, kept for the message */
    tri_ev value;
    tri_span at; /* the binding */
} tri_local;

/* Names in order of first binding. Copied at every branch, so it is a plain array. */
typedef struct {
    tri_local *at;
    int len, cap;
    int *slots; /* of many names, 1 + index by hash, made at the first search; else null */
    int slot_count;
} tri_locals;

/* A `return` met so far: its terminator is made when the joined type is known. */
typedef struct {
    MlirBlock block;
    MlirLocation loc;
    tri_ev value;
    tri_span at;
} tri_return;

/* Statements that follow the ones of the current list, outwards. */
typedef struct tri_continuation {
    const tri_ast_list *body;
    uint32_t next;
    struct tri_continuation *outer;
} tri_continuation;

typedef TRI_VEC(tri_return) tri_return_list;

struct tri_frame {
    tri_frame *caller;
    tri_span call_at; /* in the caller */
    const tri_function *function;
    tri_locals locals;
    MlirRegion region; /* of the function that is built */
    bool is_kernel;
    int loop_depth; /* runtime loops around the current statement */
    int dry;        /* > 0: the current statement is visited for its types only, its operations go */
    int depth;      /* of calls */
    int static_depth; /* loops unrolled at compile time around the current statement */
    bool is_done;     /* a return was just met: what follows is dead */
    bool is_abandoned; /* a static assertion of a helper failed: what follows would only repeat it */
    bool is_consumed; /* the rest of the body was compiled inside the branches of an early return */
    int early_depth;  /* early returns around the current statement */
    tri_continuation *rest;
    tri_return_list returns;
    TRI_VEC(tri_str) constexpr_names; /* `x: tl.constexpr` without a value */
};

/* Local names of e->frame. find returns null when the name is not visible. */
tri_local *tri_frame_find(tri_eval *e, tri_str name);
tri_local *tri_frame_find_gone(tri_eval *e, tri_str name);
/* The name in a list of locals, gone or not; null when it was never bound there. */
tri_local *tri_frame_find_in(tri_eval *e, tri_locals *locals, tri_str name, uint32_t hash);
void tri_frame_set(tri_eval *e, tri_str name, tri_ev value, tri_span at);
tri_locals tri_frame_copy_locals(tri_eval *e, const tri_locals *locals);
/* Ends a block whose names vanish: back to `before`; what the block added is remembered as gone. */
void tri_frame_restore(tri_eval *e, const tri_locals *before);

/* expr.c */
tri_ev tri_expr_eval(tri_eval *e, const tri_ast_node *node);
/* Operators on any values, CE included. */
tri_ev tri_expr_binary(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y);
tri_ev tri_expr_compare(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y);
/* Truth of a compile-time condition. */
typedef enum { TRI_TRUTH_ERROR, TRI_TRUTH_FALSE, TRI_TRUTH_TRUE, TRI_TRUTH_RUNTIME } tri_truth;
tri_truth tri_expr_truth(tri_eval *e, tri_ev condition);
/* Enters a node: errors and operations point to it. leave undoes it. */
typedef struct {
    tri_span at;
    MlirLocation loc;
} tri_place;
tri_place tri_expr_enter(tri_eval *e, const tri_ast_node *node);
void tri_expr_leave(tri_eval *e, tri_place saved);

/* attr.c */
tri_ev tri_attr_get(tri_eval *e, tri_ev base, tri_str name, const tri_ast_node *node);
tri_ev tri_attr_subscript(tri_eval *e, tri_ev base, const tri_ast_node *index);
tri_ev tri_attr_call_type_method(tri_eval *e, const tri_type *t, tri_str name, int count, const tri_ev *args);

/* stmt.c */
void tri_stmt_list(tri_eval *e, const tri_ast_list *body); /* stops after a return */
tri_ev tri_stmt_decay(tri_eval *e, tri_ev v);        /* the assignment rule: numbers become tensors */
void tri_stmt_assign(tri_eval *e, const tri_ast_node *target, tri_ev value);
void tri_stmt_poison_targets(tri_eval *e, const tri_ast_node *node); /* names bound in there become errors */
bool tri_stmt_contains_return(const tri_ast_list *body);

/* early.c: a runtime `if` with a return inside, in a function that will be inlined. Both branches take the
 * rest of the function with them, so that it stays one block and fits into loops and branches. */
void tri_early_if(tri_eval *e, const tri_ast_node *node, MlirValue condition);
/* function.c: the type of two returned values together, false when there is none; a value as that type. */
bool tri_function_join(tri_eval *e, tri_ev a, tri_ev b, tri_ev *out);
tri_ev tri_function_conform(tri_eval *e, tri_ev v, tri_ev like);
/* Ends the current block with a return of `value`; what follows goes to a dead block. */
void tri_stmt_return(tri_eval *e, tri_ev value, tri_span at);
/* The statements of a list from `first` on. */
void tri_stmt_from(tri_eval *e, const tri_ast_list *body, uint32_t first);

/* branch.c, loop.c */
void tri_branch_if(tri_eval *e, const tri_ast_node *node);
tri_ev tri_branch_conditional(tri_eval *e, const tri_ast_node *node);
void tri_loop_for(tri_eval *e, const tri_ast_node *node);
/* Statements that one turn of `outer` with this body comes to at least, inner tl.static_range unrolled. */
int64_t tri_least_statements(tri_eval *e, const tri_ast_node *outer, const tri_ast_list *body);
void tri_loop_while(tri_eval *e, const tri_ast_node *node);

/* call.c */
typedef struct {
    tri_str name; /* empty: positional */
    tri_ev value;
    tri_span at;
} tri_call_arg;
typedef TRI_VEC(tri_call_arg) tri_call_args;
/* function.c: what the parameters of f from number `first` on are in a call of `name`, which messages say; values
 * arrive as they are, constants as constants. Reports. */
bool tri_function_bind(tri_eval *e, const tri_function *f, tri_str name, size_t first, const tri_call_args *args,
                       tri_span at, tri_ev *params);
tri_ev tri_call_node(tri_eval *e, const tri_ast_node *node, bool is_unused);
/* Calls with positional values only, for operator methods and combine functions. */
tri_ev tri_call_simple(tri_eval *e, tri_ev callee, int count, const tri_ev *values);
/* Compiles a jit function for arguments and emits the call. */
tri_ev tri_call_jit(tri_eval *e, const tri_function *function, tri_call_args *args, tri_span at);
bool tri_call_evaluate_args(tri_eval *e, const tri_ast_node *call, tri_call_args *out_args);
/* After the error that `arg` names no parameter: the name that may have been meant, where one of these is near. */
void tri_call_suggest(tri_eval *e, const tri_call_arg *arg, const tri_str *names, size_t count);

/* object.c: aggregates and named tuples */
tri_ev tri_object_construct(tri_eval *e, const tri_class *cls, tri_call_args *args, tri_span at);
tri_ev tri_object_replace(tri_eval *e, tri_call_args *args, tri_span at); /* tl.aggregate_replace(obj, field=v) */
tri_ev tri_object_attribute(tri_eval *e, tri_ev object, tri_str name, const tri_ast_node *node);
/* The method `name` bound to the object; error kind without a report when there is none. */
bool tri_object_find_method(tri_eval *e, tri_ev object, tri_str name, tri_ev *out_method);

#endif
