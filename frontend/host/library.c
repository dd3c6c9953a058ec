/* Names of the libraries that source files import: which exist, and their canonical paths. What they do
 * is in frontend/builtins/ (kernels) and host_builtin.c (host expressions). */
#include "frontend/host/scope.h"
#include "frontend/kernel/types.h"

#include <math.h>
#include <stdlib.h>

/* Every table is sorted (byte order). */
static const char *const language_names[] = {
    "CONSTEXPR_0", "N_ROUNDS_DEFAULT", "PropagateNan", "TRITON_MAX_TENSOR_NUMEL", "_aggregate", "_aggregate_type",
    "_argmax_combine", "_argmax_combine_tie_break_fast", "_argmax_combine_tie_break_left", "_argmin_combine",
    "_argmin_combine_tie_break_fast", "_argmin_combine_tie_break_left", "_bitonic_merge", "_bitonic_merge_hypercube",
    "_compare_and_swap", "_elementwise_max", "_elementwise_min", "_experimental_descriptor_load",
    "_experimental_descriptor_store", "_experimental_make_tensor_descriptor", "_get_flip_dim", "_get_int_dtype",
    "_indicator", "_is_power_of_two", "_log2", "_or_combine", "_pick_sum_dtype", "_prod_combine",
    "_promote_bfloat16_to_float32", "_reduce_with_indices", "_sum_combine", "_wrap_axis", "_xor_combine", "abs",
    "add", "advance", "aggregate_replace", "arange", "argmax", "argmin", "associative_scan", "assume", "atomic_add",
    "atomic_and", "atomic_cas", "atomic_max", "atomic_min", "atomic_or", "atomic_poll", "atomic_xchg", "atomic_xor",
    "base_type", "base_value", "binary_op_type_legalization", "bitonic_merge", "block_type", "broadcast",
    "broadcast_to", "cast", "cat", "cdiv", "ceil", "clamp", "condition", "const", "constexpr", "constexpr_function",
    "constexpr_type", "cos", "cumprod", "cumsum", "debug_barrier", "device_assert", "device_print", "div_rn", "dot",
    "dot_scaled", "dtype", "erf", "exp", "exp2", "expand_dims", "expect_zero", "extern", "extern_elementwise", "fdiv", "flip",
    "floor", "fma", "full", "gather", "get_int_dtype", "histogram", "inline_asm_elementwise", "interleave", "item", "join", "load",
    "load_tensor_descriptor", "log", "log2", "logical_and", "logical_or", "make_block_ptr", "make_tensor_descriptor",
    "map_elementwise", "max", "max_constancy", "max_contiguous", "maximum", "min", "minimum", "mul", "multiple_of",
    "must_use_result", "nextafter", "num_programs", "pair_uniform_to_normal", "permute", "philox", "philox_impl",
    "pi32_t", "pointer_type", "program_id", "rand", "rand4x", "randint", "randint4x", "randn", "randn4x", "range",
    "ravel", "reduce", "reduce_or", "reshape", "rsqrt", "sigmoid", "sin", "slice", "slice_type", "softmax", "sort",
    "sort_impl", "split", "sqrt", "sqrt_rn", "squeeze", "static_assert", "static_print", "static_range", "store",
    "store_tensor_descriptor", "sub", "sum", "swizzle2d", "tensor", "tensor_descriptor", "tensor_descriptor_base",
    "tensor_descriptor_base_type", "tensor_descriptor_type", "to_tensor", "topk", "trans", "tuple", "tuple_type",
    "uint_to_uniform_float", "umulhi", "unsqueeze", "view", "where", "xor_sum", "zeros", "zeros_like",
};

static const char *const math_names[] = {
    "abs", "ceil", "cos", "div_rn", "erf", "exp", "exp2", "fdiv", "floor", "fma", "log", "log2", "rsqrt", "sin",
    "sqrt", "sqrt_rn", "umulhi",
};

static const char *const libdevice_names[] = {
    "abs", "acos", "acosh", "add_rd", "add_rn", "add_ru", "add_rz", "asin", "asinh", "atan", "atan2", "atanh", "brev",
    "byte_perm", "cbrt", "ceil", "clz", "copysign", "cos", "cosh", "cospi", "cyl_bessel_i0", "cyl_bessel_i1",
    "div_rd", "div_rn", "div_ru", "div_rz", "double2float_rd", "double2float_rn", "double2float_ru",
    "double2float_rz", "double2hiint", "double2int_rd", "double2int_rn", "double2int_ru", "double2int_rz",
    "double2ll_rd", "double2ll_rn", "double2ll_ru", "double2ll_rz", "double2loint", "double2uint_rd",
    "double2uint_rn", "double2uint_ru", "double2uint_rz", "double2ull_rd", "double2ull_rn", "double2ull_ru",
    "double2ull_rz", "double_as_longlong", "erf", "erfc", "erfcinv", "erfcx", "erfinv", "exp", "exp10", "exp2",
    "expm1", "fast_cosf", "fast_dividef", "fast_exp10f", "fast_expf", "fast_log10f", "fast_log2f", "fast_logf",
    "fast_powf", "fast_sinf", "fast_tanf", "fast_tanhf", "fdim", "ffs", "finitef", "float2int_rd", "float2int_rn",
    "float2int_ru", "float2int_rz", "float2ll_rd", "float2ll_rn", "float2ll_ru", "float2ll_rz", "float2uint_rd",
    "float2uint_rn", "float2uint_ru", "float2uint_rz", "float2ull_rd", "float2ull_rn", "float2ull_ru", "float2ull_rz",
    "float_as_int", "float_as_uint", "floor", "fma", "fma_rd", "fma_rn", "fma_ru", "fma_rz", "fmod", "hadd",
    "hiloint2double", "hypot", "ilogb", "int2double_rn", "int2float_rd", "int2float_rn", "int2float_ru",
    "int2float_rz", "int_as_float", "isfinited", "isinf", "isnan", "j0", "j1", "jn", "ldexp", "lgamma",
    "ll2double_rd", "ll2double_rn", "ll2double_ru", "ll2double_rz", "ll2float_rd", "ll2float_rn", "ll2float_ru",
    "ll2float_rz", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "longlong_as_double", "mul24",
    "mul_rd", "mul_rn", "mul_ru", "mul_rz", "mulhi", "nearbyint", "nextafter", "norm3d", "norm4d", "normcdf",
    "normcdfinv", "popc", "pow", "rcbrt", "rcp64h", "rcp_rd", "rcp_rn", "rcp_ru", "rcp_rz", "remainder", "rhadd",
    "rhypot", "rint", "rnorm3d", "rnorm4d", "round", "rsqrt", "rsqrt_rn", "sad", "saturatef", "scalbn", "signbit",
    "sin", "sinh", "sinpi", "sqrt", "sqrt_rd", "sqrt_rn", "sqrt_ru", "sqrt_rz", "sub_rd", "sub_rn", "sub_ru",
    "sub_rz", "tan", "tanh", "tgamma", "trunc", "uint2double_rn", "uint2float_rd", "uint2float_rn", "uint2float_ru",
    "uint2float_rz", "uint_as_float", "ull2double_rd", "ull2double_rn", "ull2double_ru", "ull2double_rz",
    "ull2float_rd", "ull2float_rn", "ull2float_ru", "ull2float_rz", "y0", "y1", "yn",
};

static const char *const cuda_names[] = {
    "convert_custom_float8_sm70", "convert_custom_float8_sm80", "gdc_launch_dependents", "gdc_wait", "globaltimer",
    "num_threads", "num_warps", "smid",
};

static const char *const target_names[] = {
    "cuda_capability_geq", "current_target", "is_cuda", "is_hip", "is_hip_cdna3", "is_hip_cdna4", "is_hip_gfx1250", "is_xpu",
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
    "PIL", "__future__", "abc", "argparse", "array", "ast", "asyncio", "atexit", "base64", "bisect", "builtins", "collections",
    "concurrent", "contextlib", "copy", "csv", "ctypes", "dataclasses", "datetime", "decimal", "difflib", "enum",
    "fractions", "functools", "gc", "glob", "hashlib", "heapq", "importlib", "inspect", "io", "itertools", "json",
    "logging", "math", "multiprocessing", "numbers", "numpy", "operator", "os", "packaging", "pathlib", "pickle",
    "platform", "pprint", "pytest", "queue", "random", "setuptools", "shutil", "signal", "socket", "sqlite3", "statistics",
    "string", "struct", "subprocess", "sys", "tempfile", "textwrap", "threading", "time", "torch", "traceback",
    "transformers", "types", "typing", "typing_extensions", "unittest", "uuid", "warnings", "weakref", "yaml",
};

static const char *const kernel_builtins[] = {
    "float", "getattr", "hasattr", "int", "isinstance", "len", "list", "max", "min", "print", "range",
};

static const char *const host_builtins[] = {
    "Exception", "ImportError", "KeyError", "ModuleNotFoundError", "NotImplementedError", "RuntimeError", "TypeError",
    "ValueError", "abs", "all", "any", "bool", "callable", "dict", "divmod", "enumerate", "filter", "float", "frozenset",
    "getattr", "hasattr", "int", "isinstance", "len", "list", "map", "max", "min", "pow", "print", "range", "repr",
    "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple", "type", "zip",
};

/* Namespaces. `names` null: any name is taken to exist. `fold`: where their names really live. */
static const struct {
    const char *path;
    const char *fold;
    const char *const *names;
    size_t count;
} namespaces[] = {
#define NAMES(table) table, sizeof table / sizeof *table
    {"builtins", "", NAMES(host_builtins)},
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
    {"triton.language.extra.cuda", "triton.language.extra.cuda", NAMES(cuda_names)},
    {"triton.language.extra.cuda.libdevice", "triton.language.extra.cuda.libdevice", NAMES(libdevice_names)},
    {"triton.language.extra.libdevice", "triton.language.extra.libdevice", NAMES(libdevice_names)},
    {"triton.language.libdevice", "triton.language.extra.libdevice", NAMES(libdevice_names)},
    {"triton.language.math", "triton.language.math", NAMES(math_names)},
    {"triton.language.random", "triton.language", NAMES(language_names)},
    {"triton.language.semantic", "triton.language", NAMES(language_names)},
    {"triton.language.standard", "triton.language", NAMES(language_names)},
    {"triton.language.target_info", "triton.language.target_info", NAMES(target_names)},
    {"triton.runtime", "triton", NAMES(triton_names)},
    {"triton.runtime.autotuner", "triton", NAMES(triton_names)},
    {"triton.runtime.jit", "triton", NAMES(triton_names)},
    {"typing", "typing", NULL, 0},
#undef NAMES
};

static bool is_in(const char *const *names, size_t count, tri_str name)
{
    for (size_t i = 0; i < count; i++)
        if (tri_str_is(name, names[i]))
            return true;
    return false;
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
    return is_in(known_packages, sizeof known_packages / sizeof *known_packages, name);
}

bool tri_library_is_kernel_builtin(tri_str name)
{
    return is_in(kernel_builtins, sizeof kernel_builtins / sizeof *kernel_builtins, name);
}

bool tri_library_is_host_builtin(tri_str name)
{
    return is_in(host_builtins, sizeof host_builtins / sizeof *host_builtins, name);
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
    if (is_in(language_names, sizeof language_names / sizeof *language_names, name) &&
        is_in(math_names, sizeof math_names / sizeof *math_names, name))
        return join(arena, "triton.language", name);
    if (is_in(math_names, sizeof math_names / sizeof *math_names, name))
        return join(arena, "triton.language.math", name);
    if (is_in(libdevice_names, sizeof libdevice_names / sizeof *libdevice_names, name))
        return join(arena, "triton.language.extra.libdevice", name);
    return NULL;
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
    if (is_language(fold) && is_in(dtype_names, sizeof dtype_names / sizeof *dtype_names, name) &&
        tri_types_parse_dtype(name, &dtype))
        return tri_value_dtype(arena, tri_types_scalar(dtype));
    if (strcmp(fold, "triton.language.math") == 0)
        return find_math(arena, name);
    if (strcmp(fold, "triton.language.extra") == 0)
        return NULL; /* its submodules are namespaces; those of other vendors do not exist */
    if (namespaces[ns].names && !is_in(namespaces[ns].names, namespaces[ns].count, name))
        return NULL;
    return join(arena, fold, name);
}
