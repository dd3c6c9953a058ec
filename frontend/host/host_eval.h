/* The host evaluator's own parts. Private to frontend/host*.c. */
#ifndef TRI_FRONTEND_HOST_EVAL_H
#define TRI_FRONTEND_HOST_EVAL_H

#include "frontend/host/host.h"
#include "frontend/host/scope.h"

enum { TRI_HOST_MAX_DEPTH = 100, TRI_HOST_MAX_LEVEL = 4000 };

/* One activation: local names over a scope of a file. */
typedef struct tri_host_frame {
    struct tri_host_frame *outer; /* enclosing function's or comprehension's frame, or null */
    tri_scope *scope;
    uint32_t limit;     /* what of the file has run: see tri_scope_find */
    bool is_open;       /* a comprehension: assignments go to the frame outside (walrus) */
    tri_map locals;     /* -> const tri_value */
    const tri_value *result;
} tri_host_frame;

typedef struct {
    tri_modules *all;
    tri_arena *arena;
    tri_failure *failure;
    bool is_exception; /* the failure is a Python exception that `try` may handle */
    const tri_value *exception_class, *exception; /* its class and the object; null: not known */
    const tri_value *handled_class, *handled;     /* those of the handler that runs, for a bare `raise` */
    unsigned depth;
} tri_host;

/* host.c */
const tri_value *tri_host_expr(tri_host *h, tri_host_frame *f, const tri_ast_node *node);
const tri_value *tri_host_fail(tri_host *h, tri_span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Result of an operation, its failure noted when it has none. */
const tri_value *tri_host_check(tri_host *h, const tri_value_ops *ops, const tri_value *v, tri_span at);
tri_host_frame *tri_host_frame_create(tri_host *h, tri_scope *scope, tri_host_frame *outer, uint32_t limit);
bool tri_host_assign(tri_host *h, tri_host_frame *f, const tri_ast_node *target, const tri_value *value);
/* A function or lambda as a value that sees the frame's locals. */
const tri_value *tri_host_close(tri_host *h, tri_host_frame *f, const tri_ast_node *node);
/* Takes steps, or room for so many bytes more; false after noting a failure. */
bool tri_host_step(tri_host *h, tri_span at, uint64_t steps);
bool tri_host_has_room(tri_host *h, tri_span at, uint64_t bytes);
/* Room for the text of a value. */
bool tri_host_has_room_for_text(tri_host *h, tri_span at, const tri_value *v);
bool tri_host_items(tri_host *h, const tri_value *v, tri_span at, tri_value_list *out_items);

/* Sets an item of a dictionary; false after noting a failure. */
bool tri_host_set_item(tri_host *h, tri_value_dict *dict, const tri_value *key, const tri_value *value, tri_span at);

/* host_torch.c: torch.finfo(type) and torch.iinfo(type); null when it is none of these */
const tri_value *tri_host_torch_limits(tri_host *h, tri_str path, const tri_value *type);

/* host_target.c: get_current_target() and get_device_capability(); null when it is none of these, or nothing
 * is known of the target */
const tri_value *tri_host_target_call(tri_host *h, tri_str path);
/* Answers of triton.language.target_info; null when it is none of these. */
const tri_value *tri_host_target_info(tri_host *h, tri_str path, size_t n, const tri_value *const *v);

/* host_stmt.c */
typedef enum { TRI_HOST_NEXT, TRI_HOST_RETURN, TRI_HOST_BREAK, TRI_HOST_CONTINUE, TRI_HOST_FAILED } tri_host_flow;
tri_host_flow tri_host_stmt_run(tri_host *h, tri_host_frame *f, tri_ast_list body);

/* host_call.c */
typedef struct {
    TRI_VEC(tri_host_arg) at;
} tri_host_args;
const tri_value *tri_host_call_node(tri_host *h, tri_host_frame *f, const tri_ast_node *node);
const tri_value *tri_host_call_value(tri_host *h, const tri_value *callee, const tri_host_args *args, tri_span at);
const tri_value *tri_host_call_attribute(tri_host *h, const tri_value *v, tri_str name, tri_span at);

/* host_exception.c: the failure that is noted is an exception of one of Python's classes; null: which is not known.
 * Null. */
const tri_value *tri_host_raise(tri_host *h, const char *name);
/* A `raise` statement: notes the failure. */
void tri_host_exception_raise(tri_host *h, tri_host_frame *f, const tri_ast_node *node);
/* Is it a class of exceptions of Python's own? */
bool tri_host_exception_is_class(tri_str path);
/* Does a class of a file derive from one of them? */
bool tri_host_exception_is_derived(const tri_class *cls);
/* An object of such a class. */
const tri_value *tri_host_exception_create(tri_host *h, tri_str path, const tri_host_args *args);
/* Sets what an object of such a class was made of. */
void tri_host_exception_fill(tri_host *h, tri_value *object, const tri_host_args *args);
/* An exception of which only the class is known: what it says is this evaluator's text, not Python's. */
bool tri_host_exception_is_wordless(const tri_value *v);
/* Is a class of exceptions `base`, one of the tuple `base`, or derived from such a one? */
bool tri_host_exception_derives(const tri_value *cls, const tri_value *base);
/* Does the handler take the exception? False after noting a failure. */
bool tri_host_exception_is_taken(tri_host *h, tri_host_frame *f, const tri_ast_node *handler, bool *out_taken);

/* host_builtin.c: null with no failure noted when there is no such function */
typedef const tri_value *tri_host_builtin(tri_host *h, size_t count, const tri_value *const *values,
                                          const tri_host_args *args, tri_span at);
tri_host_builtin *tri_host_builtin_find(tri_str path);
/* A keyword argument's value, null when absent. */
const tri_value *tri_host_keyword(const tri_host_args *args, const char *name);
/* host_math.c */
tri_host_builtin *tri_host_math_find(tri_str path);

/* host_regex.c: functions of `re`, and methods of what they return */
tri_host_builtin *tri_host_regex_find(tri_str path);
/* Runs one of them: its arguments by position or by name. */
const tri_value *tri_host_regex_run(tri_host *h, tri_str path, const tri_host_args *args, tri_span at);
bool tri_host_regex_has_method(const tri_value *self, tri_str name);
const tri_value *tri_host_regex_call(tri_host *h, const tri_value *self, tri_str name, const tri_host_args *args,
                                     tri_span at);

/* host_string.c: methods of strings. Null when there is none of the name. */
typedef const tri_value *tri_host_method(tri_host *h, const tri_value *self, size_t n, const tri_value *const *v,
                                         tri_span at);
tri_host_method *tri_host_string_find(tri_str name);
/* Those whose arguments may have names: format, split and rsplit. */
bool tri_host_string_takes_names(const tri_value *self, tri_str name);
const tri_value *tri_host_string_call(tri_host *h, const tri_value *self, tri_str name, const tri_host_args *args,
                                      tri_span at);

/* host_method.c: methods of all values that have some */
const tri_value *tri_host_method_call(tri_host *h, const tri_value *self, tri_str name, const tri_host_args *args,
                                      tri_span at);
bool tri_host_method_exists(const tri_value *self, tri_str name);

#endif
