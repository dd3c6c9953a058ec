/* The kernel evaluator: shared by the files that lower an AST to ttir. Private to frontend/.
 *
 * A value of the language is a tri_ev. Compile-time constants (CE) have no IR; tensors and pointers
 * have one IR value; tuples, descriptors, block pointers and aggregates have several or none.
 * Errors are reported where they are found and become TRI_EV_ERROR values, on which every
 * operation yields TRI_EV_ERROR in silence, so that one mistake is told once and the rest of the
 * kernel is still checked. */
#ifndef TRI_FRONTEND_EVAL_H
#define TRI_FRONTEND_EVAL_H

#include "base/diag.h"
#include "base/map.h"
#include "frontend/syntax/ast.h"
#include "frontend/frontend.h"
#include "frontend/host/module.h"
#include "frontend/kernel/types.h"
#include "frontend/host/value.h"
#include "ir/builder.h"
#include "ir/unit.h"

typedef enum {
    TRI_EV_ERROR, /* already reported */
    TRI_EV_CE,
    TRI_EV_TENSOR, /* scalars and pointers too */
    TRI_EV_TUPLE,
    TRI_EV_DESC,
    TRI_EV_BLOCK_PTR,
    TRI_EV_OBJECT, /* aggregate */
    TRI_EV_METHOD, /* function bound to its first argument */
    TRI_EV_SLICE,
} tri_ev_kind;

typedef struct tri_ev tri_ev;

/* How much hangs below a tuple or object. It is bounded, as all of it is walked again and again. */
typedef struct {
    int leaves, depth;
} tri_ev_size;

typedef struct {
    int count;
    tri_ev_size size;
    tri_ev *at;
    const tri_class *cls; /* named tuples: gives the field names; else null */
} tri_ev_tuple;

/* Instance of an aggregate; fields in the order of the class. */
typedef struct {
    const tri_class *cls;
    int count;
    tri_ev_size size;
    tri_ev *fields;
} tri_ev_object;

typedef struct {
    const tri_type *block; /* element type and block shape */
    int rank;
    tri_ev *shape;   /* scalar tensors */
    tri_ev *strides; /* scalar tensors or CE */
} tri_ev_desc;

typedef struct tri_ev_block_ptr tri_ev_block_ptr;
typedef struct tri_ev_method tri_ev_method;
typedef struct tri_ev_slice tri_ev_slice;

struct tri_ev {
    tri_ev_kind kind;
    const tri_type *type; /* tensor */
    MlirValue value;      /* tensor; descriptor handle */
    union {
        const tri_value *ce;
        const tri_ev_tuple *tuple;
        const tri_ev_desc *desc;
        const tri_ev_block_ptr *block_ptr;
        const tri_ev_object *object;
        const tri_ev_method *method;
        const tri_ev_slice *slice;
    };
};

struct tri_ev_slice {
    tri_ev start, stop, step;
};

/* `self` comes first among the arguments of `function` (a FUNCTION or BUILTIN value). */
struct tri_ev_method {
    tri_ev self;
    const tri_value *function;
    tri_str name;
};

struct tri_ev_block_ptr {
    tri_ev base; /* scalar pointer */
    int rank;
    tri_ev *shape, *strides, *offsets; /* scalar int64 tensors */
    const int64_t *block_shape;
    const int64_t *order;
};

static inline bool tri_ev_is_error(tri_ev v) { return v.kind == TRI_EV_ERROR; }
static inline bool tri_ev_is_ce(tri_ev v) { return v.kind == TRI_EV_CE; }
static inline bool tri_ev_is_tensor(tri_ev v) { return v.kind == TRI_EV_TENSOR; }
static inline bool tri_ev_is_block(tri_ev v) { return v.kind == TRI_EV_TENSOR && tri_types_is_block(v.type); }
static inline tri_ev tri_ev_tensor(MlirValue value, const tri_type *type)
{
    return (tri_ev){.kind = TRI_EV_TENSOR, .type = type, .value = value};
}

/* A number known at compile time (a Num: CE bool, int or float). */
typedef enum { TRI_NUM_BOOL, TRI_NUM_INT, TRI_NUM_FLOAT } tri_num_kind;
typedef struct {
    tri_num_kind kind;
    tri_int i;
    double f;   /* always set */
} tri_num;

typedef struct tri_frame tri_frame; /* one function activation, frontend/kernel/frame.h */
struct tri_builtin;

/* "tt.divisibility" and the like for a block argument: kept on the loop, as tt.divisibility_arg<N>. */
typedef struct {
    MlirBlock block;
    intptr_t argument;
    const char *name;
    MlirAttribute value;
} tri_hint;

typedef struct tri_eval {
    tri_unit *unit;
    const tri_frontend_target *target;
    tri_arena *arena;
    tri_diag *diag;
    MlirContext mlir;
    tri_modules *modules;
    MlirBlock module_body;
    tri_builder b;
    tri_span at;              /* what is being evaluated: where errors point */
    const tri_span *arg_spans; /* of the builtin that runs: where each parameter's argument stands */
    const struct tri_builtin *row; /* the builtin that runs */
    tri_frame *frame;
    int dry;                  /* > 0 inside a dry run of a loop body, callees included: reports are dropped */
    tri_map functions;        /* mangled name -> specialisation */
    tri_map builtins;         /* library path -> row */
    int64_t statements;          /* compiled so far */
    int64_t ops;                 /* made so far and kept */
    int64_t max_ops;             /* of the run, and of its statements */
    bool is_exhausted;           /* too many of them, or of errors: nothing more is compiled */
    tri_span exhausted_at;       /* without a source: by errors, which are told */
    const char *exhausted_by;    /* what there are too many of */
    bool is_seen; /* host code of a file was called, which may keep what it was given: the arena must live on */
    bool is_trial; /* nothing of it is kept or told: static_print is silent */
    bool debug; /* the function asks for device asserts */
    bool wraps; /* the operation asks for no check of overflow */
    int num_warps;
    tri_map spans; /* operation -> tri_span of the source it was built for, for warnings of whole kernels */
    tri_map told;                /* places warned about: code that is compiled several times is told of once */
    TRI_VEC(tri_hint) hints;     /* on arguments of loop bodies, until their loops exist */
} tri_eval;

/* One that makes its functions in `module`, of the sources and for the target of `modules`. What it makes meanwhile
 * lives in `arena`. */
tri_eval tri_eval_create(tri_modules *modules, MlirModule module, tri_arena *arena);
/* For an arena of its own: ends it, unless host code may hold something of it. */
void tri_eval_destroy(tri_eval *e);

/* Is this a file of the embedded library? */
bool tri_prelude_holds(const tri_eval *e, const tri_module *module);

/* Reports at the current place with the chain of calls that led there; returns the error value. */
tri_ev tri_eval_error(tri_eval *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
tri_ev tri_eval_error_at(tri_eval *e, tri_span at, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void tri_eval_warning(tri_eval *e, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void tri_eval_note(tri_eval *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* NUL-terminated spelling of a value's type or of a CE's value, for messages: "int32", "tile ...". */
const char *tri_eval_describe(tri_eval *e, tri_ev v);
const char *tri_eval_type_name(tri_eval *e, const tri_type *t);
const char *tri_eval_shape_name(tri_eval *e, int rank, const int64_t *shape);

/* CE values. */
tri_ev tri_ev_none(tri_eval *e);
tri_ev tri_ev_bool(tri_eval *e, bool value);
tri_ev tri_ev_int(tri_eval *e, int64_t value);
tri_ev tri_ev_str(tri_eval *e, tri_str value);
tri_ev tri_ev_dtype(tri_eval *e, const tri_type *type);
tri_ev tri_ev_make_tuple(tri_eval *e, int count, const tri_ev *at);
/* Nothing more is compiled: there would be too much of `what`. Told at the end, as what is told in a dry run is
 * lost. */
void tri_eval_exhaust(tri_eval *e, const char *what);
/* The size of something with these elements; false after a report that it is too large. */
bool tri_ev_measure(tri_eval *e, int count, const tri_ev *at, tri_ev_size *out_size);
tri_ev tri_ev_make_named(tri_eval *e, int count, const tri_ev *at, const tri_class *cls);
tri_ev tri_ev_from_value(tri_eval *e, const tri_value *v); /* constexpr wrappers drop, sequences become tuples */
const tri_value *tri_ev_to_value(tri_eval *e, tri_ev v);   /* null when it holds IR values */
bool tri_ev_holds_error(tri_ev v); /* itself or somewhere in its elements */
bool tri_ev_is_none(tri_ev v);
bool tri_ev_get_num(tri_ev v, tri_num *out_num);
bool tri_ev_get_int(tri_ev v, int64_t *out_value); /* CE bool or int that fits */
bool tri_ev_get_bool(tri_ev v, bool *out_value);   /* CE of type exactly bool */
bool tri_ev_get_str(tri_ev v, tri_str *out_value);
const tri_type *tri_ev_get_dtype(tri_ev v); /* null when it is none */

/* The IR values of a value, in order, and back: `like` gives the types and the CE parts. */
typedef TRI_VEC(MlirValue) tri_value_refs;
void tri_ev_flatten(tri_eval *e, tri_ev v, tri_value_refs *out);
typedef TRI_VEC(MlirType) tri_type_refs;
void tri_ev_flatten_types(tri_eval *e, tri_ev like, tri_type_refs *out);
MlirType tri_ev_desc_type(tri_eval *e, const tri_type *block);
tri_ev tri_ev_unflatten(tri_eval *e, tri_ev like, const MlirValue **cursor);
bool tri_ev_same_type(tri_ev a, tri_ev b);  /* CE: same value */
bool tri_ev_same_value(tri_eval *e, tri_ev a, tri_ev b); /* the same IR values */
void tri_ev_mangle(tri_eval *e, tri_ev v, tri_buf *out);
/* A type's or value's library names: shape tuple, field of a dtype ... */
tri_ev tri_ev_shape(tri_eval *e, int rank, const int64_t *shape);
/* Compile-time shape of an argument: tuple of CE ints, or one. Reports. */
bool tri_ev_get_shape(tri_eval *e, tri_ev v, int *out_rank, int64_t *out_shape);

/* Op building at the current place. */
MlirType tri_emit_type(tri_eval *e, const tri_type *t);
tri_ev tri_emit_unary(tri_eval *e, const char *op, const tri_type *result, tri_ev x);
tri_ev tri_emit_binary(tri_eval *e, const char *op, const tri_type *result, tri_ev x, tri_ev y);
tri_ev tri_emit_op(tri_eval *e, const char *op, const tri_type *result, int num_operands, const tri_ev *operands,
                   int num_attrs, const tri_attr *attrs);
void tri_emit_effect(tri_eval *e, const char *op, int num_operands, const tri_ev *operands, int num_attrs,
                     const tri_attr *attrs);
tri_ev tri_emit_int(tri_eval *e, tri_dtype dtype, int64_t value);

/* semantic.c: conversion, promotion, broadcasting. */
tri_ev tri_semantic_to_tensor(tri_eval *e, tri_ev x);                        /* T stays; Num becomes a constant */
tri_ev tri_semantic_constant(tri_eval *e, const tri_num *n, tri_dtype dtype); /* a constant of that type */
/* The type that to_tensor would give a Num; null when it has none. */
const tri_type *tri_semantic_default_type(tri_ev x);
tri_dtype tri_semantic_promote_int(tri_dtype a, tri_dtype b);
/* Promotion and broadcasting of two operands of an operator. False after a report. */
enum {
    TRI_BINARY_LHS_PTR = 1,
    TRI_BINARY_RHS_PTR = 2,
    TRI_BINARY_NO_PROMOTE = 4,
    TRI_BINARY_DIV_MOD = 8,
};
bool tri_semantic_binary(tri_eval *e, tri_ev *x, tri_ev *y, unsigned flags);
bool tri_semantic_broadcast(tri_eval *e, tri_ev *x, tri_ev *y);
bool tri_semantic_broadcast_all(tri_eval *e, int count, tri_ev *values); /* jointly, as the library does */
tri_ev tri_semantic_broadcast_to(tri_eval *e, tri_ev x, int rank, const int64_t *shape);
tri_ev tri_semantic_splat(tri_eval *e, tri_ev x, int rank, const int64_t *shape);
typedef enum { TRI_ROUND_DEFAULT, TRI_ROUND_RTNE, TRI_ROUND_RTZ } tri_rounding;
/* `to` is a scalar or pointer type; blocks keep their shape. */
tri_ev tri_semantic_cast(tri_eval *e, tri_ev x, const tri_type *to, tri_rounding rounding);
tri_ev tri_semantic_cast_to(tri_eval *e, tri_ev x, tri_dtype to);
tri_ev tri_semantic_bitcast(tri_eval *e, tri_ev x, const tri_type *to);
/* Scalar i1 of a runtime condition; one-element blocks are unsplatted with a warning. */
tri_ev tri_semantic_condition(tri_eval *e, tri_ev x);
bool tri_semantic_check_shape(tri_eval *e, int rank, const int64_t *shape);

/* arith.c: operators on at least one tensor; ADD to MATMUL, EQ to GE. */
tri_ev tri_arith_binary(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y);
tri_ev tri_arith_compare(tri_eval *e, tri_ast_op op, tri_ev x, tri_ev y);
tri_ev tri_arith_negate(tri_eval *e, tri_ev x);
tri_ev tri_arith_invert(tri_eval *e, tri_ev x);
tri_ev tri_arith_not(tri_eval *e, tri_ev x);
tri_ev tri_arith_logical(tri_eval *e, bool is_and, tri_ev x, tri_ev y);
tri_ev tri_arith_minmax(tri_eval *e, bool is_max, tri_ev x, tri_ev y, bool propagate_nan);
tri_ev tri_arith_where(tri_eval *e, tri_ev condition, tri_ev x, tri_ev y);

/* shape.c */
tri_ev tri_shape_expand_dims(tri_eval *e, tri_ev x, int axis);
tri_ev tri_shape_reshape(tri_eval *e, tri_ev x, int rank, const int64_t *shape, bool can_reorder);
tri_ev tri_shape_permute(tri_eval *e, tri_ev x, int count, const int64_t *dims);
tri_ev tri_shape_join(tri_eval *e, tri_ev x, tri_ev y);
tri_ev tri_shape_unsplat(tri_eval *e, tri_ev x);

#endif
