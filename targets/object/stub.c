/* The templates of stub.h. The source, its names and what its functions do are those of Triton 3.6's templates
 * (triton/tools/extra), with three differences: numbers of 16 and 32 bits are converted before the kernel gets them,
 * scratch memory is had from the stream, and the launcher gives errors of loading to its caller. */
#include "targets/object/stub.h"

#include "ir/kernel.h"

/* What is different for a maker of GPUs. */
typedef struct {
    const char *backend; /* of tri_machine_facts */
    const char *pointer; /* type of a device address */
    const char *header, *source;
    const char *scratch, *scratch_end;
} dialect;

static const char cuda_header[] =
    "#ifndef TT_KERNEL_INCLUDES\n#define TT_KERNEL_INCLUDES\n\n#include <cuda.h>\n#include <inttypes.h>\n"
    "#include <stdint.h>\n#include <stdio.h>\n\n#endif\n\n"
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
    "void unload_@function@(void);\nvoid load_@function@(void);\n"
    "// tt-linker: @function@:@full@:@algo@\n"
    "CUresult @function@(CUstream stream@parameters@);\n"
    "#ifdef __cplusplus\n}\n#endif\n";

static const char cuda_source[] =
    "/* Made by tritcc: kernel '@kernel@'. */\n"
    "#include <cuda.h>\n#include <inttypes.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n\n"
    "CUmodule @function@_mod = NULL;\nCUfunction @function@_func = NULL;\n"
    "/* @size@ bytes */\nstatic const unsigned char @function@_cubin[] = {@data@};\n@conversions@\n"
    "static CUresult find_@function@(void) {\n"
    "  CUresult error;\n"
    "  if ((error = cuModuleLoadData(&@function@_mod, @function@_cubin)) != CUDA_SUCCESS)\n"
    "    return error;\n"
    "  if ((error = cuModuleGetFunction(&@function@_func, @function@_mod, \"@symbol@\")) != CUDA_SUCCESS)\n"
    "    return error;\n"
    "  return @shared@ <= 49152 ? CUDA_SUCCESS\n"
    "         : cuFuncSetAttribute(@function@_func, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, @shared@);\n"
    "}\n\n"
    "static void check_@function@(CUresult error) {\n"
    "  const char *text = NULL;\n"
    "  if (error == CUDA_SUCCESS)\n    return;\n"
    "  cuGetErrorString(error, &text);\n"
    "  printf(\"Triton Error [CUDA]: %s\\n\", text ? text : \"unknown error\");\n"
    "  exit(error);\n"
    "}\n\n"
    "void unload_@function@(void) {\n"
    "  if (@function@_mod)\n    check_@function@(cuModuleUnload(@function@_mod));\n"
    "  @function@_mod = NULL;\n  @function@_func = NULL;\n}\n\n"
    "void load_@function@(void) {\n  if (!@function@_func)\n    check_@function@(find_@function@());\n}\n\n"
    "/* @values@ */\n"
    "CUresult @function@(CUstream stream@parameters@) {\n"
    "  CUresult error = @function@_func ? CUDA_SUCCESS : find_@function@();\n"
    "@ones@"
    "  unsigned int gX = @grid0@;\n  unsigned int gY = @grid1@;\n  unsigned int gZ = @grid2@;\n"
    "@converted@"
    "  if (error != CUDA_SUCCESS || gX == 0 || gY == 0 || gZ == 0)\n    return error;\n"
    "@scratch@"
    "  void *args[] = {@pointers@};\n"
    "  error = cuLaunchKernel(@function@_func, gX, gY, gZ, @threads@, 1, 1, @shared@, stream, args, NULL);\n"
    "@scratch_end@"
    "  return error;\n"
    "}\n";

static const char hip_header[] =
    "#pragma once\n\n#include <hip/hip_runtime.h>\n#include <inttypes.h>\n#include <stdint.h>\n#include <stdio.h>\n\n"
    "void unload_@function@(void);\nvoid load_@function@(void);\n"
    "// tt-linker: @function@:@full@:@algo@\n"
    "hipError_t @function@(hipStream_t stream@parameters@);\n";

static const char hip_source[] =
    "/* Made by tritcc: kernel '@kernel@'. */\n"
    "#include <hip/hip_runtime.h>\n#include <inttypes.h>\n#include <stdint.h>\n#include <stdio.h>\n"
    "#include <stdlib.h>\n#include <string.h>\n\n"
    "hipModule_t @function@_mod = nullptr;\nhipFunction_t @function@_func = nullptr;\n"
    "/* @size@ bytes */\n"
    "alignas(4096) static const unsigned char @function@_hsaco[] = {@data@};\n@conversions@\n"
    "static hipError_t find_@function@(void) {\n"
    "  hipError_t error = hipModuleLoadData(&@function@_mod, @function@_hsaco);\n"
    "  return error != hipSuccess ? error : hipModuleGetFunction(&@function@_func, @function@_mod, \"@symbol@\");\n"
    "}\n\n"
    "static void check_@function@(hipError_t error) {\n"
    "  if (error == hipSuccess)\n    return;\n"
    "  printf(\"Triton Error [HIP]: %s\\n\", hipGetErrorString(error));\n"
    "  exit(error);\n"
    "}\n\n"
    "void unload_@function@(void) {\n"
    "  if (@function@_mod)\n    check_@function@(hipModuleUnload(@function@_mod));\n"
    "  @function@_mod = nullptr;\n  @function@_func = nullptr;\n}\n\n"
    "void load_@function@(void) {\n  if (!@function@_func)\n    check_@function@(find_@function@());\n}\n\n"
    "/* @values@ */\n"
    "hipError_t @function@(hipStream_t stream@parameters@) {\n"
    "  hipError_t error = @function@_func ? hipSuccess : find_@function@();\n"
    "@ones@"
    "  unsigned int gX = @grid0@;\n  unsigned int gY = @grid1@;\n  unsigned int gZ = @grid2@;\n"
    "@converted@"
    "  if (error != hipSuccess)\n    return error;\n"
    "  if (gX == 0 || gY == 0 || gZ == 0)\n    return hipErrorInvalidValue;\n"
    "@scratch@"
    "  void *args[] = {@pointers@};\n"
    "  error = hipModuleLaunchKernel(@function@_func, gX, gY, gZ, @threads@, 1, 1, @shared@, stream, args, nullptr);\n"
    "@scratch_end@"
    "  return error;\n"
    "}\n";

static const dialect dialects[] = {
    {"cuda", "CUdeviceptr", cuda_header, cuda_source,
     "  CUdeviceptr scratch = 0;\n"
     "  error = cuMemAllocAsync(&scratch, (size_t)gX * gY * gZ * @scratch_bytes@, stream);\n"
     "  if (error != CUDA_SUCCESS)\n    return error;\n",
     "  CUresult freed = cuMemFreeAsync(scratch, stream);\n  error = error != CUDA_SUCCESS ? error : freed;\n"},
    {"hip", "hipDeviceptr_t", hip_header, hip_source,
     "  void *scratch = nullptr;\n"
     "  error = hipMallocAsync(&scratch, (size_t)gX * gY * gZ * @scratch_bytes@, stream);\n"
     "  if (error != hipSuccess)\n    return error;\n",
     "  hipError_t freed = hipFreeAsync(scratch, stream);\n  error = error != hipSuccess ? error : freed;\n"},
};

/* Numbers of 16 bits, rounded to nearest even. Kept small: one value a launch. */
static const char half_function[] =
    "\nstatic uint16_t half_@function@(double value) {\n"
    "  float f = (float)value;\n  uint32_t bits, sign, rest, half;\n  memcpy(&bits, &f, sizeof bits);\n"
    "  sign = bits >> 16 & 0x8000;\n  rest = bits & 0x7fffffff;\n"
    "  if (rest > 0x7f800000)\n    return (uint16_t)(sign | 0x7e00);\n"
    "  if (rest >= 0x477ff000)\n    return (uint16_t)(sign | 0x7c00);\n"
    "  if (rest < 0x38800000) {\n"
    "    memcpy(&f, &rest, sizeof f);\n    f += 0.5f;\n    memcpy(&half, &f, sizeof half);\n"
    "    return (uint16_t)(sign | (half - 0x3f000000));\n  }\n"
    "  return (uint16_t)(sign | ((rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13));\n}\n";
static const char bfloat_function[] =
    "\nstatic uint16_t bfloat_@function@(double value) {\n"
    "  float f = (float)value;\n  uint32_t bits;\n  memcpy(&bits, &f, sizeof bits);\n"
    "  if ((bits & 0x7fffffff) > 0x7f800000)\n    return (uint16_t)(bits >> 16 | 0x40);\n"
    "  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);\n}\n";

/* ---- templates ---- */

typedef struct {
    const char *name;
    tri_str text;
} word;

typedef TRI_VEC(word) words;

static tri_str find_word(const words *list, tri_str name)
{
    for (size_t i = 0; i < list->len; i++)
        if (tri_str_is(name, list->at[i].name))
            return list->at[i].text;
    TRI_BUG("a template asks for a word that is not there");
}

/* The template with the words in place of @NAME@. */
static void expand(const char *text, const words *list, tri_buf *out)
{
    for (tri_str rest = tri_str_from(text); rest.len;) {
        size_t begin = tri_str_find(rest, '@');
        tri_buf_add_str(out, tri_str_sub(rest, 0, begin));
        if (begin == rest.len)
            return;
        rest = tri_str_sub(rest, begin + 1, rest.len);
        size_t end = tri_str_find(rest, '@');
        tri_buf_add_str(out, find_word(list, tri_str_sub(rest, 0, end)));
        rest = tri_str_sub(rest, end + 1, rest.len);
    }
}

/* ---- arguments ---- */

typedef struct {
    tri_arena *arena;
    const dialect *d;
    tri_buf full, parameters, pointers, converted, ones; /* of the templates' words */
    bool has_half, has_bfloat;
} lists;

static void add_to(tri_buf *list, const char *text) { tri_buf_format(list, "%s%s", list->len ? ", " : "", text); }

/* What the code takes where C gives a double. */
static void add_conversion(lists *l, const tri_object_ctype *type, const char *name)
{
    const char *c = "float", *function = "(float)";
    if (type->kind == TRI_CTYPE_F16 || type->kind == TRI_CTYPE_BF16) {
        bool is_half = type->kind == TRI_CTYPE_F16;
        c = "uint16_t";
        function = is_half ? "half_@function@" : "bfloat_@function@";
        l->has_half = l->has_half || is_half;
        l->has_bfloat = l->has_bfloat || !is_half;
    }
    tri_buf_format(&l->converted, "  %s %s_passed = %s(%s);\n", c, name, function, name);
}

static bool add_parameter(lists *l, const tri_unit *unit, const tri_kernel_param *p)
{
    tri_object_ctype type;
    const char *name = tri_str_format(l->arena, "%.*s%s", TRI_STR_ARG(p->name),
                                      tri_header_is_reserved(p->name) ? "_" : "").data;
    if (!tri_object_get_ctype(unit->target, p, &type) || type.kind == TRI_CTYPE_DESC) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 6006,
                       "parameter '%.*s' has type '%.*s', which a C function cannot take",
                       TRI_STR_ARG(p->name), TRI_STR_ARG(p->type));
        return false;
    }
    bool is_pointer = type.kind == TRI_CTYPE_PTR, is_int = type.kind == TRI_CTYPE_INT;
    const char *c = is_pointer ? l->d->pointer : is_int ? type.c : "double";
    bool is_passed = is_pointer || is_int || type.kind == TRI_CTYPE_F64;
    const char *text = tri_str_format(l->arena, "%s %s", c, name).data;
    add_to(&l->full, text);
    tri_buf_format(&l->parameters, ", %s", text);
    if (!is_passed)
        add_conversion(l, &type, name);
    add_to(&l->pointers, tri_str_format(l->arena, "%s&%s%s", l->d->pointer[0] == 'C' ? "" : "(void *)", name,
                                        is_passed ? "" : "_passed").data);
    return true;
}

static bool add_parameters(lists *l, const tri_stub *stub, const tri_unit *unit, const tri_kernel *k)
{
    for (size_t i = 0; i < k->params.len; i++) {
        const tri_kernel_param *p = &k->params.at[i];
        if (i < stub->is_one.len && stub->is_one.at[i]) {
            add_to(&l->full, tri_str_format(l->arena, "int32_t %.*s", TRI_STR_ARG(p->name)).data);
            /* the grid may ask for it */
            tri_buf_format(&l->ones, "  const int32_t %.*s = 1;\n  (void)%.*s;\n", TRI_STR_ARG(p->name),
                           TRI_STR_ARG(p->name));
        }
        if (!p->is_constexpr && !add_parameter(l, unit, p))
            return false;
    }
    if (k->scratch_bytes)
        add_to(&l->pointers, "&scratch");
    if (!l->pointers.len)
        tri_buf_add_z(&l->pointers, "NULL");
    return true;
}

/* ---- the files ---- */

/* Text for a driver ends with a NUL. */
static tri_str image_text(tri_arena *arena, const tri_part *part, size_t *out_size)
{
    tri_str image = part->binary.len ? part->binary : part->code;
    tri_buf text = {0};
    *out_size = image.len + !part->binary.len;
    for (size_t i = 0; i < *out_size; i++)
        tri_buf_format(&text, "%s%s0x%02x", i ? "," : "", i % 20 ? " " : "\n    ",
                       i < image.len ? (unsigned char)image.data[i] : 0);
    tri_str copy = tri_str_copy(arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return copy;
}

static void push_word(lists *l, words *list, const char *name, tri_str text)
{
    tri_vec_push(l->arena, list, (word){name, text});
}

static void push_number(lists *l, words *list, const char *name, int64_t number)
{
    push_word(l, list, name, tri_str_format(l->arena, "%lld", (long long)number));
}

/* A word whose text has words itself. */
static void push_expanded(lists *l, words *list, const char *name, const char *text)
{
    tri_buf expanded = {0};
    expand(text, list, &expanded);
    push_word(l, list, name, tri_str_copy(l->arena, tri_buf_str(&expanded)));
    tri_buf_fini(&expanded);
}

static words make_words(lists *l, const tri_stub *stub, const tri_part *part, const tri_kernel *k)
{
    static const char *const grid_names[] = {"grid0", "grid1", "grid2"};
    words list = {0};
    size_t size;
    push_word(l, &list, "kernel", stub->kernel);
    push_word(l, &list, "function", stub->function);
    push_word(l, &list, "symbol", k->symbol);
    push_word(l, &list, "algo", stub->algo);
    push_word(l, &list, "values", stub->values);
    push_word(l, &list, "full", tri_buf_str(&l->full));
    push_word(l, &list, "parameters", tri_buf_str(&l->parameters));
    push_word(l, &list, "ones", tri_buf_str(&l->ones));
    push_word(l, &list, "pointers", tri_buf_str(&l->pointers));
    push_word(l, &list, "data", image_text(l->arena, part, &size));
    push_number(l, &list, "size", (int64_t)size);
    push_number(l, &list, "shared", k->shared_bytes);
    push_number(l, &list, "threads", (int64_t)k->num_warps * part->unit->arch->lanes);
    push_number(l, &list, "scratch_bytes", k->scratch_bytes);
    for (int i = 0; i < 3; i++)
        push_word(l, &list, grid_names[i], stub->grid[i]);
    tri_str functions =
        tri_str_format(l->arena, "%s%s", l->has_half ? half_function : "", l->has_bfloat ? bfloat_function : "");
    push_expanded(l, &list, "conversions", functions.data);
    push_expanded(l, &list, "converted", tri_str_copy(l->arena, tri_buf_str(&l->converted)).data);
    push_expanded(l, &list, "scratch", k->scratch_bytes ? l->d->scratch : "");
    push_word(l, &list, "scratch_end", tri_str_from(k->scratch_bytes ? l->d->scratch_end : ""));
    return list;
}

bool tri_stub_write(const tri_stub *stub, const tri_bundle *bundle, tri_buf *source, tri_buf *header)
{
    const tri_part *part = &bundle->parts.at[0];
    const tri_unit *unit = part->unit;
    const tri_kernel *kernel = NULL;
    lists l = {.arena = bundle->arena};
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        if (!strcmp(dialects[i].backend, unit->arch->backend))
            l.d = &dialects[i];
    for (size_t i = 0; i < unit->kernels.len; i++)
        if (tri_str_equal(unit->kernels.at[i].name, stub->kernel))
            kernel = &unit->kernels.at[i];
    TRI_ASSERT(l.d && kernel);
    bool ok = add_parameters(&l, stub, unit, kernel);
    if (ok) {
        words list = make_words(&l, stub, part, kernel);
        expand(l.d->source, &list, source);
        expand(l.d->header, &list, header);
    }
    tri_buf_fini(&l.full);
    tri_buf_fini(&l.parameters);
    tri_buf_fini(&l.pointers);
    tri_buf_fini(&l.converted);
    tri_buf_fini(&l.ones);
    return ok;
}
