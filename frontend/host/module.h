/* Names of source files, resolved on demand: nothing of a file is evaluated before somebody asks.
 * One tri_modules per unit holds every file that was read. */
#ifndef TRI_FRONTEND_MODULE_H
#define TRI_FRONTEND_MODULE_H

#include "base/map.h"
#include "frontend/syntax/ast.h"
#include "frontend/host/value.h"
#include "ir/unit.h"

typedef struct tri_modules tri_modules;
typedef struct tri_module tri_module;
typedef struct tri_scope tri_scope; /* names of a file, of a class body, or of a function that encloses another */

typedef enum {
    TRI_FUNCTION_HOST,      /* plain Python, lambdas too */
    TRI_FUNCTION_JIT,       /* @triton.jit, triton.jit(f) */
    TRI_FUNCTION_CONSTEXPR, /* @triton.constexpr_function: run by the host evaluator on CE arguments */
} tri_function_kind;

typedef struct tri_function {
    tri_function_kind kind;
    tri_str name;           /* last component; "<lambda>" */
    tri_str qualified_name; /* "Class.f", "outer.<locals>.f" */
    tri_module *module;
    const tri_ast_node *node; /* FUNCTION or LAMBDA */
    tri_scope *scope;         /* where it was defined: free names are looked up here, then outwards */
    /* @triton.jit(...) */
    bool noinline, debug;
    const tri_ast_node *do_not_specialize, *do_not_specialize_on_alignment; /* expressions, or null */
    bool is_extern;       /* @tl.core.extern: a jit function whose body may hold dicts for tl.core.extern_elementwise */
    bool is_alias;        /* by an assignment: a kernel only where its name is asked for */
    bool must_use_result; /* @triton.must_use_result */
    tri_str must_use_message;
    /* Calls of @triton.autotune(...) and the like and @triton.heuristics(...), outermost first. */
    tri_ast_list autotunes, heuristics;
} tri_function;

typedef struct tri_class {
    tri_str name;
    tri_str qualified_name;
    tri_module *module;
    const tri_ast_node *node; /* CLASS; null for collections.namedtuple(...) */
    tri_scope *scope;         /* its body */
    bool is_aggregate;        /* @triton.aggregate, tl.core._aggregate */
    bool is_named_tuple;
    /* Annotated fields of an aggregate or named tuple, inherited ones first. */
    TRI_VEC(tri_str) fields;
    TRI_VEC(const tri_value *) defaults; /* null: none; parallel to fields */
    TRI_VEC(const struct tri_class *) bases;
} tri_class;

/* What a name is bound to. */
typedef struct {
    const tri_value *value;
    tri_span at;           /* the binding, for notes */
    bool is_default_scope; /* a Python builtin (len, range), not bound in a file */
} tri_global;

typedef enum {
    TRI_LOOKUP_ABSENT, /* no such name: nothing was reported */
    TRI_LOOKUP_FOUND,
    TRI_LOOKUP_FAILED, /* bound, but its value cannot be had: reported */
} tri_lookup;

/* Starts a set for the unit: its arena, diag, options (-I, -D) and dependency list are used. */
tri_modules *tri_module_create_all(tri_unit *unit);
/* What evaluations of host code and of constants may cost; borrowed. */
struct tri_budget *tri_module_budget(tri_modules *all);
/* What host code that asks for the GPU is told; borrowed. Without it, such code is not evaluated. */
struct tri_frontend_target;
void tri_module_set_target(tri_modules *all, const struct tri_frontend_target *target);
const struct tri_frontend_target *tri_module_target(const tri_modules *all); /* null: none */
/* The files of the embedded library, each null until one who evaluates reads it. */
enum { TRI_MODULE_EMBEDDED = 8 };
tri_module **tri_module_embedded(tri_modules *all);
tri_arena *tri_module_arena(const tri_modules *all);
tri_unit *tri_module_unit(const tri_modules *all);

/* The module of a parsed file (the main one: its folder is where relative imports and siblings are found). */
tri_module *tri_module_add(tri_modules *all, const tri_ast_module *ast);
tri_str tri_module_name(const tri_module *module); /* "pkg.mod"; the file's stem for the main one */
tri_modules *tri_module_all(const tri_module *module);
const tri_ast_module *tri_module_ast(const tri_module *module);
tri_scope *tri_module_scope(const tri_module *module);

/* A name as code inside `scope` sees it: this scope, enclosing ones (class bodies only from
 * themselves), the file, then Python's builtins. The last active binding counts.
 * `use` is where it is named, for messages. */
tri_lookup tri_module_find(tri_scope *scope, tri_str name, tri_span use, tri_global *out_global);
/* object.name for a value of kind MODULE, BUILTIN (a namespace such as triton.language), CLASS, DTYPE,
 * FUNCTION or OBJECT. ABSENT when there is no such attribute. */
tri_lookup tri_module_attribute(tri_modules *all, const tri_value *object, tri_str name, tri_span use,
                                tri_global *out_global);

/* May a kernel read a global with this value (language.md 1.4: modules, jit functions, dtypes, constexpr,
 * None, library names ...)? Python ints, floats, strings and lists may not. */
bool tri_module_can_kernel_read(const tri_value *value);
/* Reports why not, with the fix (wrap it in tl.constexpr), at `use` with a note at the binding. */
void tri_module_report_unreadable(tri_modules *all, tri_str name, const tri_global *global, tri_span use);

/* Is a BUILTIN a namespace whose names are asked with tri_module_attribute (triton, triton.language,
 * math), rather than a function or class? */
bool tri_module_is_namespace(const tri_value *value);
/* Library paths are canonical: whatever the import form, `load` is "triton.language.load";
 * core, standard, random and semantic are folded into triton.language; math functions are
 * "triton.language.exp" when tl has them too, else "triton.language.math.umulhi"; libdevice is
 * "triton.language.extra.libdevice.tanh" or "triton.language.extra.cuda.libdevice.tanh"; others are
 * "triton.cdiv", "math.sqrt", "len". */

/* Every jit function of the file, nested ones and those in classes too, in source order. Reports those
 * that cannot be had. */
typedef TRI_VEC(const tri_function *) tri_function_list;
void tri_module_kernels(tri_module *module, tri_function_list *out_functions);

/* FUNCTION value -> parameter index by name, -1 when absent. */
int tri_module_param_index(const tri_function *function, tri_str name);

#endif
