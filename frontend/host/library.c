/* Names of the libraries that source files import: which exist, and their canonical paths. What they do
 * is in frontend/builtins/ (kernels) and host_builtin.c (host expressions). */
#include "frontend/host/scope.h"
#include "frontend/kernel/regex.h"
#include "frontend/kernel/types.h"

#include <math.h>
#include <stdlib.h>

/* Functions that kernels call: each row of the tables is a name of the namespace that its path says. */
static const char *const function_paths[] = {
#define X(path, ...) path,
#define PRELUDE(path, ...) path,
#include "frontend/builtins/builtins.def"
#undef X
#undef PRELUDE
};

static const char *const libdevice_functions[] = {
#define X(name, forms) name,
#include "frontend/builtins/libdevice.def"
#undef X
};

/* Names beside the functions' rows: types, decorators, values, what only host code or the loops' headers may say. Every
 * table is sorted (byte order). */
static const char *const language_names[] = {
    "CONSTEXPR_0", "N_ROUNDS_DEFAULT", "PropagateNan", "TRITON_MAX_TENSOR_NUMEL", "_aggregate", "_aggregate_type",
    "aggregate_replace", "base_type", "base_value", "binary_op_type_legalization", "condition", "const",
    "constexpr_function", "extern", "must_use_result", "nextafter", "pi32_t", "range", "slice_type",
    "static_assert", "static_print", "static_range", "tensor", "tensor_descriptor", "tensor_descriptor_base",
    "tensor_descriptor_base_type", "tensor_descriptor_type", "tuple_type",
};

static const char *const math_names[] = {
    "abs", "ceil", "cos", "div_rn", "erf", "exp", "exp2", "fdiv", "floor", "fma", "log", "log2", "rsqrt", "sin",
    "sqrt", "sqrt_rn", "umulhi",
};

static const char *const triton_names[] = {
    "CompilationError", "Config", "JITFunction", "KernelInterface", "MockTensor", "OutOfResources", "TensorWrapper",
    "TritonError", "aggregate", "autotune", "cdiv", "compile", "constexpr_function", "heuristics", "jit",
    "must_use_result", "next_power_of_2", "reinterpret", "set_allocator",
};

static const char *const dtype_names[] = {
    "bfloat16", "float16", "float32", "float64", "float8e4b15", "float8e4b8", "float8e4nv", "float8e5", "float8e5b16",
    "int1", "int16", "int32", "int64", "int8", "uint16", "uint32", "uint64", "uint8", "void",
};

static const char *const nan_names[] = {"ALL", "NONE"};

/* Packages whose names are taken on trust: values of theirs have a path and nothing else. */
static const char *const known_packages[] = {
    "PIL", "__future__", "abc", "argparse", "array", "ast", "asyncio", "atexit", "base64", "bisect", "builtins",
    "collections", "concurrent", "contextlib", "copy", "csv", "ctypes", "dataclasses", "datetime", "decimal", "difflib",
    "enum", "fractions", "functools", "gc", "glob", "hashlib", "heapq", "importlib", "inspect", "io", "itertools",
    "json", "logging", "math", "multiprocessing", "numbers", "numpy", "operator", "os", "packaging", "pathlib",
    "pickle", "platform", "pprint", "pytest", "queue", "random", "setuptools", "shutil", "signal", "socket", "sqlite3",
    "statistics", "string", "struct", "subprocess", "sys", "tempfile", "textwrap", "threading", "time", "torch",
    "traceback", "transformers", "types", "typing", "typing_extensions", "unittest", "uuid", "warnings", "weakref",
    "yaml",
};

/* What host code calls, and the classes of exceptions. */
static const char *const host_paths[] = {
#define BUILTIN(path, function) path,
#define MATH(path, function) path,
#define REGEX(path, function) path,
#define EXCEPTION(name, base) name,
#define NAME(path) path,
#include "frontend/host/host_builtins.def"
};

/* Namespaces. `names`: beside the functions whose rows have the path `fold`, where its names really live; null: any
 * name is taken to exist. */
static const struct {
    const char *path;
    const char *fold;
    const char *const *names;
    size_t count;
} namespaces[] = {
#define NAMES(table) table, sizeof table / sizeof *table
#define NO_NAMES nan_names, 0
    {"builtins", "", NAMES(host_paths)},
    {"collections", "collections", NULL, 0},
    {"functools", "functools", NULL, 0},
    {"importlib", "importlib", NULL, 0},
    {"itertools", "itertools", NULL, 0},
    {"math", "math", NULL, 0},
    {"operator", "operator", NULL, 0},
    {"os", "os", NULL, 0},
    {"os.environ", "os.environ", NULL, 0},
    {"packaging", "packaging", NULL, 0},
    {"packaging.version", "packaging.version", NULL, 0},
    {"re", "re", NULL, 0},
    {"triton", "triton", NAMES(triton_names)},
    {"triton.language", "triton.language", NAMES(language_names)},
    {"triton.language.PropagateNan", "triton.language.PropagateNan", NAMES(nan_names)},
    {"triton.language.core", "triton.language", NAMES(language_names)},
    {"triton.language.extra", "triton.language.extra", NULL, 0},
    {"triton.language.extra.cuda", "triton.language.extra.cuda", NO_NAMES},
    {"triton.language.extra.cuda.libdevice", "triton.language.extra.cuda.libdevice", NO_NAMES},
    {"triton.language.extra.hip", "triton.language.extra.hip", NO_NAMES},
    {"triton.language.extra.hip.libdevice", "triton.language.extra.hip.libdevice", NO_NAMES},
    {"triton.language.extra.libdevice", "triton.language.extra.libdevice", NO_NAMES},
    {"triton.language.libdevice", "triton.language.extra.libdevice", NO_NAMES},
    {"triton.language.math", "triton.language.math", NAMES(math_names)},
    {"triton.language.random", "triton.language", NAMES(language_names)},
    {"triton.language.semantic", "triton.language", NAMES(language_names)},
    {"triton.language.standard", "triton.language", NAMES(language_names)},
    {"triton.language.target_info", "triton.language.target_info", NO_NAMES},
    {"triton.runtime", "triton", NAMES(triton_names)},
    {"triton.runtime.autotuner", "triton", NAMES(triton_names)},
    {"triton.runtime.jit", "triton", NAMES(triton_names)},
    {"tritcc", "triton", NAMES(triton_names)}, /* this compiler's Python package */
    {"tritcc.language", "triton.language", NAMES(language_names)},
    {"typing", "typing", NULL, 0},
#undef NAMES
#undef NO_NAMES
};

static bool is_listed(const char *const *names, size_t count, tri_str name)
{
    for (size_t i = 0; i < count; i++)
        if (tri_str_is(name, names[i]))
            return true;
    return false;
}

/* Is there a function `name` in the namespace `path`? */
static bool is_function(tri_str path, tri_str name)
{
    for (size_t i = 0; i < sizeof function_paths / sizeof *function_paths; i++) {
        tri_str row = tri_str_from(function_paths[i]);
        if (row.len == path.len + 1 + name.len && tri_str_has_prefix(row, path.data) && row.data[path.len] == '.' &&
            tri_str_equal(tri_str_sub(row, path.len + 1, row.len), name))
            return true;
    }
    bool is_libdevice = tri_str_has_suffix(path, ".libdevice");
    return is_libdevice &&
           is_listed(libdevice_functions, sizeof libdevice_functions / sizeof *libdevice_functions, name);
}

static int find_namespace(tri_str path)
{
    for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++)
        if (tri_str_is(path, namespaces[i].path))
            return (int)i;
    return -1;
}

bool tri_library_is_namespace(tri_str path)
{
    return find_namespace(path) >= 0;
}

bool tri_library_is_known_package(tri_str name)
{
    return is_listed(known_packages, sizeof known_packages / sizeof *known_packages, name);
}

bool tri_library_is_kernel_builtin(tri_str name)
{
    return tri_str_is(name, "range") ||
           (tri_str_find(name, '.') == name.len &&
            is_listed(function_paths, sizeof function_paths / sizeof *function_paths, name));
}

bool tri_library_is_host_builtin(tri_str name)
{
    return tri_str_find(name, '.') == name.len && is_listed(host_paths, sizeof host_paths / sizeof *host_paths, name);
}

static const tri_value *find_regex_flag(tri_arena *arena, tri_str name)
{
    static const struct {
        const char *name, *letter;
        int value;
    } flags[] = {
        {"IGNORECASE", "I", TRI_REGEX_IGNORECASE}, {"MULTILINE", "M", TRI_REGEX_MULTILINE},
        {"DOTALL", "S", TRI_REGEX_DOTALL},         {"UNICODE", "U", TRI_REGEX_UNICODE},
        {"VERBOSE", "X", TRI_REGEX_VERBOSE},       {"ASCII", "A", TRI_REGEX_ASCII},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (tri_str_is(name, flags[i].name) || tri_str_is(name, flags[i].letter))
            return tri_value_int(arena, flags[i].value);
    return NULL;
}

/* Library names whose value is a constant. */
static const tri_value *find_constant(tri_arena *arena, tri_str path)
{
    if (tri_str_is(path, "triton.__version__"))
        return tri_value_str(arena, TRI_STR("3.8.0"));
    if (tri_str_is(path, "triton.language.TRITON_MAX_TENSOR_NUMEL"))
        return tri_value_int(arena, TRI_MAX_TENSOR_NUMEL);
    if (tri_str_is(path, "triton.language.N_ROUNDS_DEFAULT"))
        return tri_value_int(arena, 10);
    if (tri_str_is(path, "triton.language.CONSTEXPR_0"))
        return tri_value_int(arena, 0);
    if (tri_str_is(path, "triton.language.pi32_t"))
        return tri_value_dtype(arena, tri_types_pointer(arena, tri_types_scalar(TRI_DTYPE_INT32), 1, false));
    if (tri_str_has_prefix(path, "re."))
        return find_regex_flag(arena, tri_str_sub(path, 3, path.len));
    if (tri_str_is(path, "math.pi"))
        return tri_value_float(arena, 3.141592653589793);
    if (tri_str_is(path, "math.e"))
        return tri_value_float(arena, 2.718281828459045);
    if (tri_str_is(path, "math.tau"))
        return tri_value_float(arena, 6.283185307179586);
    if (tri_str_is(path, "math.inf"))
        return tri_value_float(arena, INFINITY);
    if (tri_str_is(path, "math.nan"))
        return tri_value_float(arena, NAN);
    if (tri_str_is(path, "typing.TYPE_CHECKING"))
        return &tri_value_false;
    return NULL;
}

static bool is_language(const char *path)
{
    return strcmp(path, "triton.language") == 0;
}

static const tri_value *join(tri_arena *arena, const char *prefix, tri_str name)
{
    return tri_value_builtin(arena, tri_str_format(arena, "%s%s%.*s", prefix, *prefix ? "." : "", TRI_STR_ARG(name)));
}

/* The file says tl.math.tanh: before 3.0 the math module held what libdevice has now. */
static const tri_value *find_math(tri_arena *arena, tri_str name)
{
    static const char language[] = "triton.language", math[] = "triton.language.math";
    bool is_math = is_listed(math_names, sizeof math_names / sizeof *math_names, name);
    if (is_math && is_function(tri_str_from(language), name))
        return join(arena, language, name);
    if (is_math || is_function(tri_str_from(math), name))
        return join(arena, math, name);
    static const char libdevice[] = "triton.language.extra.libdevice";
    return is_function(tri_str_from(libdevice), name) ? join(arena, libdevice, name) : NULL;
}

const tri_value *tri_library_find(tri_arena *arena, tri_str namespace_path, tri_str name)
{
    int ns = find_namespace(namespace_path);
    if (ns < 0)
        return NULL;
    const char *fold = namespaces[ns].fold;
    tri_str path = tri_str_format(arena, "%s.%.*s", fold, TRI_STR_ARG(name));
    if (tri_library_is_namespace(path))
        return tri_value_builtin(arena, path);
    tri_str own_path = tri_str_format(arena, "%s.%.*s", namespaces[ns].path, TRI_STR_ARG(name));
    if (tri_library_is_namespace(own_path))
        return tri_value_builtin(arena, own_path);
    const tri_value *constant = find_constant(arena, path);
    if (constant)
        return constant;
    tri_dtype dtype;
    if (is_language(fold) && is_listed(dtype_names, sizeof dtype_names / sizeof *dtype_names, name) &&
        tri_types_parse_dtype(name, &dtype))
        return tri_value_dtype(arena, tri_types_scalar(dtype));
    if (strcmp(fold, "triton.language.math") == 0)
        return find_math(arena, name);
    if (strcmp(fold, "triton.language.extra") == 0)
        return NULL; /* its submodules are namespaces; those of other vendors do not exist */
    if (namespaces[ns].names && !is_listed(namespaces[ns].names, namespaces[ns].count, name) &&
        !is_function(tri_str_from(fold), name))
        return NULL;
    return join(arena, fold, name);
}
