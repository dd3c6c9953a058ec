/* Bindings of names, shared by module.c, scope.c, library.c and the host evaluator. Private to those. */
#ifndef TRI_FRONTEND_SCOPE_H
#define TRI_FRONTEND_SCOPE_H

#include "frontend/host/budget.h"
#include "frontend/host/module.h"

/* Why something cannot be evaluated, kept back until somebody needs it. */
typedef struct {
    tri_str why; /* empty: nothing failed */
    tri_span at;
} tri_failure;

typedef enum {
    TRI_GUARD_NONE,
    TRI_GUARD_IF,
    TRI_GUARD_ELSE,
    TRI_GUARD_TRY,
    TRI_GUARD_EXCEPT,
    TRI_GUARD_LOOP
} tri_guard_kind;
typedef enum { TRI_GUARD_UNKNOWN, TRI_GUARD_HOLDS, TRI_GUARD_FAILS, TRI_GUARD_BUSY } tri_guard_state;

/* A statement around a binding that decides whether it happens. */
typedef struct tri_guard {
    tri_guard_kind kind;
    const tri_ast_node *node;
    struct tri_guard *outer;
    bool is_known; /* `state` was computed */
    tri_guard_state state;
} tri_guard;

typedef enum {
    TRI_BIND_IMPORT,
    TRI_BIND_FROM,
    TRI_BIND_FUNCTION,
    TRI_BIND_CLASS,
    TRI_BIND_ASSIGN, /* part: the NAME among the targets */
    TRI_BIND_ANNOTATED,
    TRI_BIND_AUGMENTED,
    TRI_BIND_PARAM,
    TRI_BIND_OTHER, /* loop variables, `with` targets, walrus: not evaluated */
} tri_bind_kind;

/* A statement that changes an object in place: x.append(1), x[0] = 2. */
typedef struct {
    const tri_ast_node *stmt;
    tri_guard *guard;
} tri_change;
typedef TRI_VEC(tri_change) tri_changes;

/* A large file has hundreds of thousands of these: what few have is kept elsewhere. */
typedef struct tri_binding {
    tri_bind_kind kind;
    bool is_busy, is_done;
    uint32_t depth; /* bindings of the name before it, up to one that stands further down in the file */
    tri_str name;
    const tri_ast_node *stmt, *part;
    tri_guard *guard;
    struct tri_binding *previous; /* older binding of the name in this scope */
    struct tri_binding *jump;     /* one further back: a lookup takes as many steps as `depth` has bits */
    tri_changes *changes;         /* of its value, by later statements; null: none */
    const tri_value *value;       /* null after a failure */
    tri_failure *failure;         /* of `value`; null before it was looked for */
} tri_binding;

struct tri_scope {
    tri_module *module;
    tri_scope *outer;
    const tri_ast_node *owner; /* FUNCTION or CLASS; null for a file */
    tri_str prefix;            /* of qualified names: "outer.<locals>." */
    tri_map names;             /* -> tri_binding, the latest */
    TRI_VEC(tri_binding *) stars; /* from m import * */
};

struct tri_module {
    tri_modules *all;
    tri_str name;
    tri_str path;   /* of the file, or of the folder of a package without __init__ */
    tri_str folder; /* where its relative imports start */
    tri_str root;   /* the folder that its name starts in: of the main file's package, or one given with -I */
    bool is_package, is_main;
    const tri_ast_module *ast; /* null: a folder without __init__, or a file that did not parse */
    tri_scope *scope;
    tri_map functions; /* AST node -> FUNCTION value */
    tri_map classes;   /* AST node -> CLASS value */
    tri_map scopes;    /* FUNCTION or CLASS node -> tri_scope */
    tri_map set_globals; /* names in `global` statements; filled when first asked for */
    bool has_set_globals;
    const tri_value *value;
};

struct tri_modules {
    tri_unit *unit;
    const struct tri_frontend_target *target; /* borrowed; null: not known */
    tri_arena *arena;
    tri_diag *diag;
    tri_map files;    /* path -> tri_module */
    tri_map defines;  /* -D name -> tri_value, once evaluated */
    tri_str root;     /* folder where the main file's package begins */
    tri_module *main;
    tri_map closures; /* tri_function -> tri_host_frame of the host evaluator */
    tri_module *embedded[TRI_MODULE_EMBEDDED];
    tri_map *launches; /* kernel's name -> its launches in the main file (kernel/grid.c); null: not asked for yet */
    tri_budget budget; /* of all evaluations */
    unsigned depth;   /* of nested evaluations */
    unsigned level;   /* of nested expressions and statements in all of them */
};

/* Indexes the bindings of a body. */
tri_scope *tri_scope_create(tri_module *module, tri_scope *outer, const tri_ast_node *owner, tri_ast_list body);
/* The scope inside a FUNCTION or CLASS node that is defined in `outer`; created once. */
tri_scope *tri_scope_of(tri_scope *outer, const tri_ast_node *node);

/* A name as code in `scope` sees it at byte `limit` of its file (UINT32_MAX: when the file has run).
 * Silent: FAILED leaves the reason in *failure. Python's builtins are not looked at. */
tri_lookup tri_scope_find(tri_scope *scope, tri_str name, uint32_t limit, tri_global *out_global, tri_failure *failure);
/* The same in this scope only. */
tri_lookup tri_scope_find_here(tri_scope *scope, tri_str name, uint32_t limit, tri_global *out_global,
                               tri_failure *failure);

/* scope_define.c: function and class values; evaluated once per node. */
const tri_value *tri_scope_define_function(tri_scope *scope, const tri_ast_node *node);
/* What `name = decorator(...)(function)` makes: the function under another name; null when `value` is nothing of the
 * kind. */
const tri_value *tri_scope_define_alias(tri_scope *scope, tri_str name, const tri_ast_node *value);
const tri_value *tri_scope_define_class(tri_scope *scope, const tri_ast_node *node);
/* A copy of a host function as a jit or constexpr function: triton.jit(f). */
const tri_value *tri_scope_define_as(tri_modules *all, const tri_value *function, tri_function_kind kind);

/* module.c: the value of `import` forms. *out_exists is false for a package that is neither found nor known. */
const tri_value *tri_module_import(tri_module *from, uint32_t level, tri_str dotted, bool *out_exists,
                                   tri_failure *failure);
/* The value that -D gives to a name of the main file; false when it gives none. *out_value is null after a report. */
bool tri_module_define(tri_module *module, tri_str name, const tri_value **out_value);
/* object.name, silent. */
tri_lookup tri_module_get(tri_modules *all, const tri_value *object, tri_str name, tri_global *out_global,
                          tri_failure *failure);
/* `name` of the module or namespace `container`: an attribute, else a submodule. */
tri_lookup tri_module_member(const tri_value *container, tri_module *from, tri_str name, tri_global *out_global,
                             tri_failure *failure);

/* library.c */
bool tri_library_is_namespace(tri_str path);
/* The value of namespace.name; null when there is none. */
const tri_value *tri_library_find(tri_arena *arena, tri_str namespace_path, tri_str name);
/* Is it a package that real environments have but that is not read (torch, numpy, the standard library)? */
bool tri_library_is_known_package(tri_str name);
bool tri_library_is_kernel_builtin(tri_str name); /* len, range, min ... */
bool tri_library_is_host_builtin(tri_str name);

/* host.c: silent evaluation at a place in a file. */
const tri_value *tri_host_eval_at(tri_scope *scope, const tri_ast_node *expr, uint32_t limit, tri_failure *failure);
/* Runs statements that change the object called `name`, whose value is `value`; null after a failure. */
const tri_value *tri_host_apply_changes(tri_scope *scope, tri_str name, const tri_value *value, size_t count,
                                        const tri_ast_node *const *statements, tri_failure *failure);
/* Assigns parts of `value` to the target `part` inside `target`; null when the shapes differ. */
const tri_value *tri_host_select(tri_arena *arena, const tri_ast_node *target, const tri_ast_node *part,
                                 const tri_value *value);

#endif
