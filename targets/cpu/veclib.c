/* Math functions of whole vectors from libmvec, glibc's vector library for x86-64 (since 2.35 with all of these).
 * Its names are those of the x86-64 vector function ABI: _ZGVdN8v_sinf is sinf of 8 lanes with AVX2. What the lanes
 * do not fill, or need more than once, is padded, or cut into pieces. */
#include "targets/cpu/cpu.h"

#include "ir/llvm.h"
#include "ir/options.h"

#include <stdio.h>

enum { max_lanes = 64 };

/* by their names for double */
static const char *const unary[] = {"acos",  "acosh", "asin", "asinh", "atan",  "atanh", "cbrt", "cos",
                                    "cosh",  "erf",   "erfc", "exp",   "exp10", "exp2",  "expm1", "log",
                                    "log10", "log1p", "log2", "sin",   "sinh",  "tan",   "tanh"};
static const char *const binary[] = {"atan2", "hypot", "pow"};

static bool has_function(const char *name, int count)
{
    const char *const *names = count == 1 ? unary : binary;
    size_t n = count == 1 ? sizeof unary / sizeof *unary : count == 2 ? sizeof binary / sizeof *binary : 0;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* Lanes `from` on of a vector, `width` of them; behind its end is the first lane again. */
static LLVMValueRef piece(tri_cpu_gen *g, LLVMValueRef v, int from, int width)
{
    LLVMValueRef order[max_lanes];
    int lanes = tri_cpu_lanes_of(v);
    if (from == 0 && width == lanes)
        return v;
    for (int i = 0; i < width; i++)
        order[i] = LLVMConstInt(g->i32, (uint64_t)(from + i < lanes ? from + i : 0), false);
    return LLVMBuildShuffleVector(g->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(order, (unsigned)width), "");
}

/* `part` in lanes `from` on of `all`. */
static LLVMValueRef put(tri_cpu_gen *g, LLVMValueRef all, LLVMValueRef part, int from, int width)
{
    int lanes = tri_cpu_lanes_of(all);
    if (width >= lanes)
        return piece(g, part, 0, lanes);
    LLVMValueRef order[max_lanes], wide = piece(g, part, 0, lanes);
    for (int i = 0; i < lanes; i++)
        order[i] = LLVMConstInt(g->i32, (uint64_t)(i >= from && i < from + width ? lanes + i - from : i), false);
    return LLVMBuildShuffleVector(g->b, all, wide, LLVMConstVector(order, (unsigned)lanes), "");
}

static LLVMValueRef declare(tri_cpu_gen *g, const char *name, LLVMTypeRef type)
{
    static const char *const attributes[] = {"nounwind", "willreturn", "nofree", "nosync", "memory"};
    LLVMValueRef fn = LLVMGetNamedFunction(g->module, name);
    if (fn)
        return fn;
    fn = LLVMAddFunction(g->module, name, type);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        tri_llvm_add_attribute(fn, attributes[i]);
    return fn;
}

LLVMValueRef tri_cpu_veclib_call(tri_cpu_gen *g, const char *function, LLVMValueRef *args, int count)
{
    enum { max_args = 2 };
    int lanes = tri_cpu_lanes_of(args[0]);
    if (!lanes || lanes > max_lanes || g->host.is_aarch64 || g->unit->options->no_vector_library ||
        !has_function(function, count))
        return NULL;
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(args[0]));
    int size = element == g->f64 ? 8 : 4;
    int bytes = tri_host_has(&g->host, "avx512f") ? 64 : tri_host_has(&g->host, "avx") ? 32 : 16;
    while (bytes > 16 && bytes / 2 >= lanes * size)
        bytes /= 2;
    int width = bytes / size;
    char letter = bytes == 64 ? 'e' : bytes == 16 ? 'b' : tri_host_has(&g->host, "avx2") ? 'd' : 'c', name[48];
    snprintf(name, sizeof name, "_ZGV%cN%d%s_%s%s", letter, width, count == 1 ? "v" : "vv", function,
             size == 4 ? "f" : "");
    LLVMTypeRef vector = tri_cpu_vector(element, width), params[max_args] = {vector, vector};
    LLVMTypeRef type = LLVMFunctionType(vector, params, (unsigned)count, false);
    LLVMValueRef fn = declare(g, name, type), out = LLVMGetPoison(LLVMTypeOf(args[0]));
    for (int i = 0; i < lanes; i += width) {
        LLVMValueRef parts[max_args];
        for (int a = 0; a < count; a++)
            parts[a] = piece(g, args[a], i, width);
        out = put(g, out, LLVMBuildCall2(g->b, type, fn, parts, (unsigned)count, ""), i, width);
    }
    return out;
}
