/* What a launcher computes of its arguments (runtime/launch/grid.c): expressions of the source in words (ir/kernel.h),
 * with the values that they can have. Grids and heuristics are such. */
#ifndef TRI_FRONTEND_COMPUTED_H
#define TRI_FRONTEND_COMPUTED_H

#include "frontend/host/host.h"
#include "frontend/kernel/signature.h"

enum { TRI_COMPUTED_VALUES = 64, TRI_COMPUTED_DEPTH = 32 }; /* the depth: of runtime/launch/grid.c */

/* What an expression can be. POWERS: powers of two from `low` on. */
typedef enum { TRI_COMPUTED_ANY, TRI_COMPUTED_POWERS, TRI_COMPUTED_LIST } tri_computed_range;

typedef struct {
    tri_str words;
    tri_computed_range range;
    int64_t low;
    int64_t values[TRI_COMPUTED_VALUES]; /* LIST: sorted, each once */
    int count, depth;                    /* depth: of the stack that computes it */
    bool is_bool;
} tri_computed;

/* A name that a function binds; the innermost first. `value` is null for the dictionary of arguments. */
typedef struct tri_computed_name {
    const struct tri_computed_name *next;
    tri_str name;
    const tri_computed *value;
} tri_computed_name;

typedef struct tri_computed_reader {
    tri_arena *arena;
    const tri_signature *signature;
    const bool *is_known; /* of its parameters; null: all are */
    tri_scope *scope;     /* of the function that is read */
    int part;             /* of a tuple that stands for a value this item counts, 1 behind its end; -1: none may */
    uint32_t parts;       /* the length of the longest one */
    int calls;
    tri_str why; /* the first refusal */
    tri_span at;
    /* Beside args["NAME"]: the parameter that an expression is, or -1; and what a name stands for, or null. Both may
     * be null: then no other name is the launch's. */
    int (*find_param)(const struct tri_computed_reader *r, const tri_ast_node *node);
    const tri_ast_node *(*find_value)(const struct tri_computed_reader *r, const tri_ast_node *name);
    const void *data; /* theirs */
    bool keeps_names; /* parameters are words also where their values are known */
} tri_computed_reader;

/* Null after a refusal. */
const tri_computed *tri_computed_read(tri_computed_reader *r, const tri_computed_name *names, const tri_ast_node *node);
/* What the body of a function or lambda returns, with its parameters in `names`. */
const tri_computed *tri_computed_body(tri_computed_reader *r, const tri_computed_name *names,
                                      const tri_ast_node *function);
/* The same of a function of the file, which `call` calls. */
const tri_computed *tri_computed_function(tri_computed_reader *r, const tri_function *f, const tri_computed_name *names,
                                          const tri_ast_node *call);

#endif
