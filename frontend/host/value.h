/* Python objects known at compile time: what the host evaluator computes and what the kernel
 * evaluator calls a CE. Values are immutable and shared by pointer (lists, dicts and sets of host
 * code change in place, as in Python), and live in an arena. */
#ifndef TRI_FRONTEND_VALUE_H
#define TRI_FRONTEND_VALUE_H

#include "base/diag.h"
#include "base/vec.h"
#include "frontend/syntax/ast.h"

struct tri_budget;   /* frontend/host/budget.h */
struct tri_type;     /* frontend/kernel/types.h */
struct tri_function; /* frontend/host/module.h */
struct tri_class;
struct tri_module;

__extension__ typedef __int128 tri_int;

typedef enum {
    TRI_VALUE_NONE,
    TRI_VALUE_ELLIPSIS,
    TRI_VALUE_BOOL,
    TRI_VALUE_INT,   /* 128 bits; an operation that needs more is reported, never wrapped */
    TRI_VALUE_FLOAT,
    TRI_VALUE_STR,
    TRI_VALUE_BYTES,
    TRI_VALUE_TUPLE, /* named tuples too: cls is set */
    TRI_VALUE_LIST,
    TRI_VALUE_SET,
    TRI_VALUE_DICT,
    TRI_VALUE_RANGE,
    TRI_VALUE_SLICE,
    TRI_VALUE_CONSTEXPR, /* tl.constexpr(inner) */
    TRI_VALUE_DTYPE,     /* tl.float32, pointer and block types */
    TRI_VALUE_FUNCTION,  /* of a file: jit, constexpr or host function, lambda */
    TRI_VALUE_BUILTIN,   /* a library name: "triton.language.load", "math.sqrt", "len" */
    TRI_VALUE_MODULE,    /* of a file */
    TRI_VALUE_CLASS,     /* of a file, or a namedtuple */
    TRI_VALUE_OBJECT,    /* instance of a class of a file, or of a library class such as triton.Config */
    TRI_VALUE_METHOD,    /* function bound to its first argument */
    TRI_VALUE_EXTERNAL,  /* something of a package that is not read (torch.float16): has a name, no value */
} tri_value_kind;

typedef struct tri_value tri_value;

typedef struct {
    const tri_value **at;
    uint32_t len, cap;
} tri_value_list;

/* `keys` and `values` run in parallel, in insertion order. */
typedef struct {
    tri_value_list keys, values;
} tri_value_dict;

struct tri_value {
    tri_value_kind kind;
    union {
        bool boolean;
        tri_int integer;
        double real;
        tri_str string; /* STR (UTF-8), BYTES; BUILTIN, EXTERNAL: dotted path */
        struct {
            tri_value_list items;        /* TUPLE, LIST, SET */
            const struct tri_class *cls; /* named tuple: its class, else null */
        } sequence;
        tri_value_dict *dict;
        struct {
            tri_int start, stop, step;
        } range;
        struct {
            const tri_value *start, *stop, *step; /* never null: NONE when absent */
        } slice;
        const tri_value *inner; /* CONSTEXPR */
        const struct tri_type *type;
        const struct tri_function *function;
        struct tri_module *module;
        const struct tri_class *cls;
        struct {
            tri_str path;                /* library class: "triton.Config"; else empty */
            const struct tri_class *cls; /* class of a file; else null */
            tri_value_dict *fields;      /* STR keys */
        } object;
        struct {
            const tri_value *self;
            const struct tri_function *function; /* null: the method `name` of a builtin type */
            tri_str name;
        } method;
    };
};

/* Constants without storage of their own. */
extern const tri_value tri_value_none, tri_value_ellipsis, tri_value_true, tri_value_false;

static inline const tri_value *tri_value_bool(bool b) { return b ? &tri_value_true : &tri_value_false; }
const tri_value *tri_value_int(tri_arena *arena, tri_int value);
const tri_value *tri_value_float(tri_arena *arena, double value);
const tri_value *tri_value_str(tri_arena *arena, tri_str borrowed);
const tri_value *tri_value_bytes(tri_arena *arena, tri_str borrowed);
const tri_value *tri_value_sequence(tri_arena *arena, tri_value_kind kind, uint32_t len, const tri_value *const *items);
tri_value *tri_value_dict_create(tri_arena *arena);
const tri_value *tri_value_dtype(tri_arena *arena, const struct tri_type *type);
const tri_value *tri_value_builtin(tri_arena *arena, tri_str borrowed_path);
const tri_value *tri_value_external(tri_arena *arena, tri_str borrowed_path);
/* A run-time argument, for heuristics: an EXTERNAL of which one thing is known, that it is not None. */
const tri_value *tri_value_argument(tri_arena *arena, tri_str name);
bool tri_value_is_argument(const tri_value *v);
const tri_value *tri_value_constexpr(tri_arena *arena, const tri_value *inner);
/* Instance of a library class ("triton.Config"), without fields yet. */
tri_value *tri_value_object_create(tri_arena *arena, const char *path);
void tri_value_set_field(tri_arena *arena, tri_value *object, const char *name, const tri_value *value);
void tri_value_push(tri_arena *arena, tri_value_list *list, const tri_value *item);

/* The value of a constant node (INT FLOAT STRING BYTES NONE TRUE FALSE ELLIPSIS). Null for other nodes
 * and for an integer beyond 127 bits. */
const tri_value *tri_value_from_literal(tri_arena *arena, const tri_ast_node *node);

/* dict: null when absent. Setting an existing key replaces its value. */
const tri_value *tri_value_dict_find(const tri_value_dict *dict, const tri_value *key);
const tri_value *tri_value_dict_find_str(const tri_value_dict *dict, tri_str key);
void tri_value_dict_set(tri_arena *arena, tri_value_dict *dict, const tri_value *key, const tri_value *value);

/* Drops tl.constexpr wrappers around the value. */
const tri_value *tri_value_unwrap(const tri_value *v);
static inline bool tri_value_is_number(const tri_value *v)
{
    return v->kind >= TRI_VALUE_BOOL && v->kind <= TRI_VALUE_FLOAT;
}
/* bool and int as an integer; false for everything else. */
bool tri_value_get_int(const tri_value *v, tri_int *out_value);
bool tri_value_get_i64(const tri_value *v, int64_t *out_value); /* false when it does not fit */
/* bool, int and float as a double. */
bool tri_value_get_float(const tri_value *v, double *out_value);

/* Python's truth, ==, identity and hashable equality. */
bool tri_value_truth(const tri_value *v);
bool tri_value_equal(const tri_value *a, const tri_value *b);
bool tri_value_is(const tri_value *a, const tri_value *b);

/* What went wrong in an operation, in Python's words: "unsupported operand type(s) for +: 'int' and 'str'",
 * "integer division or modulo by zero". The text is in the arena; empty while nothing did. */
typedef struct {
    tri_arena *arena;
    struct tri_budget *budget; /* null: without end */
    tri_str error;
    const char *raises; /* Python's class of that error; null: it is none of Python's */
} tri_value_ops;

/* Did a null result only come from a budget that is spent? Such a failure is no exception of Python. */
bool tri_value_is_spent(const tri_value_ops *ops);
/* About how many bytes of text a value has, everything inside it included; counting ends at `most`. */
uint64_t tri_value_weigh(const tri_value *v, uint64_t most);


/* Exact Python semantics (floor division, modulo sign, true division, unlimited-looking integers,
 * string and sequence operators, tuple comparison). constexpr operands give a constexpr.
 * Null with ops->error set when Python would raise or a result passes 128 bits. */
const tri_value *tri_value_unary(tri_value_ops *ops, tri_ast_op op, const tri_value *x);
const tri_value *tri_value_binary(tri_value_ops *ops, tri_ast_op op, const tri_value *a, const tri_value *b);
const tri_value *tri_value_compare(tri_value_ops *ops, tri_ast_op op, const tri_value *a, const tri_value *b);
/* x[index]: sequences, strings, dicts, ranges; index may be a SLICE. */
const tri_value *tri_value_subscript(tri_value_ops *ops, const tri_value *x, const tri_value *index);
/* len(x). */
const tri_value *tri_value_len(tri_value_ops *ops, const tri_value *x);
/* All items of an iterable (sequence, string, dict keys, range). */
bool tri_value_items(tri_value_ops *ops, const tri_value *x, tri_value_list *out_items);

/* repr() and str(); floats in Python's shortest form. */
void tri_value_repr(const tri_value *v, tri_buf *out);
void tri_value_print(const tri_value *v, tri_buf *out);
tri_str tri_value_repr_str(tri_arena *arena, const tri_value *v);
/* format(v, spec) of an f-string. */
const tri_value *tri_value_format(tri_value_ops *ops, const tri_value *v, tri_str spec);
/* value_fill.c: text.format(*items, **named), and text % v. */
const tri_value *tri_value_format_text(tri_value_ops *ops, tri_str text, const tri_value_list *items,
                                       const tri_value_dict *named);
const tri_value *tri_value_percent(tri_value_ops *ops, tri_str text, const tri_value *v);
const char *tri_value_type_name(const tri_value *v); /* "int", "tuple", "dtype" */

#endif
