/* Math functions and external symbols on scalars or vectors. */
#include "targets/cpu/cpu.h"

#include "ir/llvm.h"

#include <stdio.h>

typedef struct {
    const char *name;      /* op, or symbol of tt.extern_elementwise without __nv_ and its f suffix */
    const char *intrinsic; /* LLVM intrinsic, or null */
    const char *function;  /* libm function (double name), or null */
} row;

/* Functions of runtime/vmath, by the same base names: float, and double where `has_f64`. */
static const struct {
    const char *name;
    bool has_f64;
    int count; /* of operands */
} vectors[] = {{"exp", true, 1},  {"exp2", true, 1}, {"log", true, 1},   {"log2", false, 1}, {"sin", false, 1},
               {"cos", false, 1}, {"erf", false, 1}, {"tanh", false, 1}, {"fmod", true, 2},  {"remainder", true, 2}};

static const row ops[] = {
    {"math.exp", "llvm.exp", NULL},     {"math.exp2", "llvm.exp2", NULL},   {"math.log", "llvm.log", NULL},
    {"math.log2", "llvm.log2", NULL},   {"math.log10", "llvm.log10", NULL}, {"math.sin", "llvm.sin", NULL},
    {"math.cos", "llvm.cos", NULL},     {"math.sqrt", "llvm.sqrt", NULL},   {"math.floor", "llvm.floor", NULL},
    {"math.ceil", "llvm.ceil", NULL},   {"math.round", "llvm.round", NULL}, {"math.trunc", "llvm.trunc", NULL},
    {"math.roundeven", "llvm.roundeven", NULL}, {"math.copysign", "llvm.copysign", NULL},
    {"math.powf", "llvm.pow", NULL},    {"tt.precise_sqrt", "llvm.sqrt", NULL}, {"math.erf", NULL, "erf"},
    {"math.tanh", NULL, "tanh"},        {"math.log1p", NULL, "log1p"},      {"math.expm1", NULL, "expm1"},
    {"math.tan", NULL, "tan"},          {"math.atan2", NULL, "atan2"},      {"math.atan", NULL, "atan"},
    {"math.acos", NULL, "acos"},        {"math.asin", NULL, "asin"},        {"math.acosh", NULL, "acosh"},
    {"math.asinh", NULL, "asinh"},      {"math.atanh", NULL, "atanh"},      {"math.cosh", NULL, "cosh"},
    {"math.sinh", NULL, "sinh"},        {"math.cbrt", NULL, "cbrt"},        {"math.erfc", NULL, "erfc"},
};

/* Symbols of the device math library, under their double name. */
static const row symbols[] = {
    {"exp", "llvm.exp", NULL}, {"exp2", "llvm.exp2", NULL}, {"exp10", NULL, "exp10"}, {"log", "llvm.log", NULL},
    {"log2", "llvm.log2", NULL}, {"log10", "llvm.log10", NULL}, {"log1p", NULL, "log1p"}, {"expm1", NULL, "expm1"},
    {"logb", NULL, "logb"}, {"sin", "llvm.sin", NULL}, {"cos", "llvm.cos", NULL}, {"tan", NULL, "tan"},
    {"asin", NULL, "asin"}, {"acos", NULL, "acos"}, {"atan", NULL, "atan"}, {"atan2", NULL, "atan2"},
    {"sinh", NULL, "sinh"}, {"cosh", NULL, "cosh"}, {"tanh", NULL, "tanh"}, {"asinh", NULL, "asinh"},
    {"acosh", NULL, "acosh"}, {"atanh", NULL, "atanh"}, {"pow", "llvm.pow", NULL}, {"sqrt", "llvm.sqrt", NULL},
    {"cbrt", NULL, "cbrt"}, {"hypot", NULL, "hypot"}, {"floor", "llvm.floor", NULL}, {"ceil", "llvm.ceil", NULL},
    {"trunc", "llvm.trunc", NULL}, {"round", "llvm.round", NULL}, {"rint", "llvm.rint", NULL},
    {"nearbyint", "llvm.nearbyint", NULL}, {"fabs", "llvm.fabs", NULL}, {"copysign", "llvm.copysign", NULL},
    {"fma", "llvm.fma", NULL}, {"fmod", NULL, "fmod"}, {"remainder", NULL, "remainder"}, 
    {"fmin", "llvm.minnum", NULL}, {"fmax", "llvm.maxnum", NULL}, {"erf", NULL, "erf"}, {"erfc", NULL, "erfc"},
    {"lgamma", NULL, "lgamma"}, {"tgamma", NULL, "tgamma"}, {"j0", NULL, "j0"}, {"j1", NULL, "j1"},
    {"y0", NULL, "y0"}, {"y1", NULL, "y1"}, {"nextafter", NULL, "nextafter"},
    {"fast_sin", "llvm.sin", NULL}, {"fast_cos", "llvm.cos", NULL}, {"fast_tan", NULL, "tan"},
    {"fast_exp", "llvm.exp", NULL}, {"fast_exp10", NULL, "exp10"}, {"fast_log", "llvm.log", NULL},
    {"fast_log2", "llvm.log2", NULL}, {"fast_log10", "llvm.log10", NULL}, {"fast_pow", "llvm.pow", NULL},
};

static const row *find_in(const row *rows, size_t count, tri_str name)
{
    for (size_t i = 0; i < count; i++)
        if (tri_str_is(name, rows[i].name))
            return &rows[i];
    return NULL;
}

#define FIND(table, name) find_in((table), sizeof(table) / sizeof *(table), (name))

static LLVMTypeRef scalar_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

/* Lane by lane through a function of scalars. */
static LLVMValueRef call_scalars(tri_cpu_gen *g, const char *name, LLVMTypeRef result, LLVMValueRef *args, int count)
{
    enum { max_args = 4 };
    LLVMTypeRef params[max_args];
    TRI_ASSERT(count > 0 && count <= max_args);
    for (int a = 0; a < count; a++)
        params[a] = scalar_of(LLVMTypeOf(args[a]));
    LLVMTypeRef fn_type = LLVMFunctionType(result, params, (unsigned)count, false);
    LLVMValueRef fn = LLVMGetNamedFunction(g->module, name);
    if (!fn) {
        static const char *const attributes[] = {"nounwind", "willreturn", "nofree"};
        fn = LLVMAddFunction(g->module, name, fn_type);
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
            tri_llvm_add_attribute(fn, attributes[i]);
    }
    int lanes = tri_cpu_lanes_of(args[0]);
    if (!lanes)
        return LLVMBuildCall2(g->b, fn_type, fn, args, (unsigned)count, "");
    LLVMValueRef out = LLVMGetPoison(tri_cpu_vector(result, lanes));
    for (int i = 0; i < lanes; i++) {
        LLVMValueRef lane[max_args];
        for (int a = 0; a < count; a++)
            lane[a] = LLVMBuildExtractElement(g->b, args[a], tri_cpu_i64(g, i), "");
        LLVMValueRef r = LLVMBuildCall2(g->b, fn_type, fn, lane, (unsigned)count, "");
        out = LLVMBuildInsertElement(g->b, out, r, tri_cpu_i64(g, i), "");
    }
    return out;
}

static LLVMValueRef call_libm(tri_cpu_gen *g, const char *function, LLVMValueRef *args, int count)
{
    LLVMTypeRef scalar = scalar_of(LLVMTypeOf(args[0]));
    LLVMValueRef v = tri_cpu_veclib_call(g, function, args, count);
    if (v)
        return v;
    char name[32];
    snprintf(name, sizeof name, "%s%s", function, scalar == g->f32 ? "f" : "");
    return call_scalars(g, name, scalar, args, count);
}

/* runtime/vmath/libdevice.c, sorted */
static const char *const device_names[] = {
#include "runtime/libdevice_names.inc"
};

static LLVMValueRef device_symbol(tri_cpu_gen *g, MlirOperation op, tri_str symbol, LLVMValueRef *args, int count)
{
    tri_cpu_type out = tri_cpu_type_of(g, mlirValueGetType(tri_op_result(op, 0)));
    if (!tri_str_has_prefix(symbol, "__nv_"))
        return NULL;
    tri_str base = tri_str_sub(symbol, 5, symbol.len);
    for (size_t i = 0; i < sizeof device_names / sizeof *device_names; i++) {
        if (!tri_str_is(base, device_names[i]))
            continue;
        tri_str name = tri_str_format(g->arena, "tri_nv_%s", device_names[i]);
        LLVMTypeRef type = out.bits == 1 ? g->i32 : tri_cpu_llvm_type(g, out);
        LLVMValueRef v = call_scalars(g, name.data, type, args, count);
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(v));
        return out.bits == 1 ? LLVMBuildICmp(g->b, LLVMIntNE, v, zero, "") : v;
    }
    return NULL;
}

/* The first `from` lanes of a vector as one of `to` lanes; what is added is anything. */
static LLVMValueRef resize(tri_cpu_gen *g, LLVMValueRef v, int from, int to)
{
    enum { max_lanes = 16 };
    LLVMValueRef mask[max_lanes];
    for (int i = 0; i < to; i++)
        mask[i] = LLVMConstInt(g->i32, (uint64_t)(i < from ? i : 0), false);
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(v));
    return LLVMBuildShuffleVector(g->b, v, none, LLVMConstVector(mask, (unsigned)to), "");
}

/* Memory that a call reads or writes, and nothing before and behind it: the calls of a function, or of a piece of one,
 * have the same. */
static LLVMValueRef memory_for_call(tri_cpu_gen *g, LLVMTypeRef type, int param)
{
    for (size_t i = 0; i < g->slots.len; i++) {
        const tri_cpu_slot *s = &g->slots.at[i];
        if (s->entry == g->entry && s->type == type && s->param == param)
            return s->at;
    }
    LLVMValueRef at = tri_cpu_temp(g, type, param ? "in" : "out");
    tri_vec_push(g->arena, &g->slots, (tri_cpu_slot){g->entry, type, param, at});
    return at;
}

/* Through runtime/vmath; null when it does not have the function. A scalar is a vector of which one
 * lane counts, so that both give the same bits. */
static LLVMValueRef call_vector(tri_cpu_gen *g, const char *base, LLVMValueRef *args, int count)
{
    enum { max_params = 3 };
    LLVMValueRef v = args[0];
    int lanes = tri_cpu_lanes_of(v), width = lanes <= 4 ? 4 : lanes <= 8 ? 8 : 16;
    LLVMTypeRef scalar = scalar_of(LLVMTypeOf(v));
    bool is_f64 = scalar == g->f64, found = false;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        found |= vectors[i].count == count && !strcmp(vectors[i].name, base) && (vectors[i].has_f64 || !is_f64);
    if (!found || lanes > 16)
        return NULL;
    char name[48];
    bool is_one = !lanes && !is_f64 && !strncmp(base, "exp", 3); /* exp and exp2 of a scalar, in as many lanes */
    snprintf(name, sizeof name, "tri_vm_%s_%s_%d", base, is_f64 ? "f64" : "f32", is_one ? 1 : width);
    LLVMTypeRef params[max_params] = {g->ptr, g->ptr, g->ptr};
    LLVMTypeRef type = LLVMFunctionType(g->void_type, params, (unsigned)count + 1, false);
    LLVMValueRef fn = LLVMGetNamedFunction(g->module, name);
    if (!fn)
        fn = LLVMAddFunction(g->module, name, type);
    LLVMTypeRef wide = tri_cpu_vector(scalar, width);
    LLVMValueRef slots[max_params] = {memory_for_call(g, wide, 0)};
    for (int a = 0; a < count; a++) {
        LLVMValueRef x = args[a];
        slots[1 + a] = memory_for_call(g, wide, 1 + a);
        if (!lanes)
            x = tri_cpu_splat(g, x, width);
        else if (lanes != width)
            x = resize(g, x, lanes, width);
        LLVMBuildStore(g->b, x, slots[1 + a]);
    }
    LLVMBuildCall2(g->b, type, fn, slots, (unsigned)count + 1, "");
    LLVMValueRef out = LLVMBuildLoad2(g->b, wide, slots[0], "");
    if (!lanes)
        return LLVMBuildExtractElement(g->b, out, tri_cpu_i64(g, 0), "");
    return lanes == width ? out : resize(g, out, width, lanes);
}

static LLVMValueRef apply(tri_cpu_gen *g, const row *r, LLVMValueRef *args, int count)
{
    const char *base = r->intrinsic ? r->intrinsic + strlen("llvm.") : r->function;
    LLVMValueRef v = tri_cpu_table_call(g, base, args, count);
    if (!v)
        v = call_vector(g, base, args, count);
    if (!v && r->intrinsic)
        v = tri_cpu_veclib_call(g, base, args, count);
    if (v)
        return v;
    if (!r->intrinsic)
        return call_libm(g, r->function, args, count);
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    return tri_cpu_intrinsic(g, r->intrinsic, &type, 1, args, count);
}

/* "__nv_expf" -> "exp"; the float suffix goes when the operand is a float. */
static tri_str base_symbol(tri_str symbol, bool is_float)
{
    if (tri_str_has_prefix(symbol, "__nv_"))
        symbol = tri_str_sub(symbol, 5, symbol.len);
    if (is_float && tri_str_has_suffix(symbol, "f"))
        symbol.len--;
    return symbol;
}

static LLVMValueRef int_to_bool(tri_cpu_gen *g, LLVMValueRef v, MlirOperation op)
{
    tri_cpu_type out = tri_cpu_type_of(g, mlirValueGetType(tri_op_result(op, 0)));
    if (out.bits == 1)
        return v;
    return LLVMBuildZExt(g->b, v, tri_cpu_like(tri_cpu_llvm_type(g, out), v), "");
}

/* Symbols that are no function of libm. Null: not one of these. */
static LLVMValueRef special_symbol(tri_cpu_gen *g, MlirOperation op, tri_str name, LLVMValueRef *args)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    if (tri_str_is(name, "rsqrt") || tri_str_is(name, "frsqrt_rn"))
        return LLVMBuildFDiv(b, tri_cpu_constf_like(type, 1),
                             tri_cpu_intrinsic(g, "llvm.sqrt", &type, 1, args, 1), "");
    if (tri_str_is(name, "rcbrt")) {
        LLVMValueRef root = call_libm(g, "cbrt", args, 1);
        return LLVMBuildFDiv(b, tri_cpu_constf_like(type, 1), root, "");
    }
    if (tri_str_is(name, "fdim")) {
        LLVMValueRef is_not_above = LLVMBuildFCmp(b, LLVMRealOLE, args[0], args[1], "");
        LLVMValueRef rest = LLVMBuildFSub(b, args[0], args[1], "");
        return LLVMBuildSelect(b, is_not_above, LLVMConstNull(type), rest, "");
    }
    if (tri_str_is(name, "fast_fdivide"))
        return LLVMBuildFDiv(b, args[0], args[1], "");
    if (tri_str_is(name, "isnan") || tri_str_is(name, "isnand"))
        return int_to_bool(g, LLVMBuildFCmp(b, LLVMRealUNO, args[0], args[0], ""), op);
    if (tri_str_is(name, "isinf") || tri_str_is(name, "isinfd") || tri_str_is(name, "finite") ||
        tri_str_is(name, "isfinite")) {
        LLVMValueRef size = tri_cpu_intrinsic(g, "llvm.fabs", &type, 1, args, 1);
        LLVMRealPredicate p = tri_str_has_prefix(name, "isinf") ? LLVMRealOEQ : LLVMRealOLT;
        return int_to_bool(g, LLVMBuildFCmp(b, p, size, tri_cpu_constf_like(type, 1.0 / 0.0), ""), op);
    }
    if (tri_str_is(name, "saturate")) {
        LLVMValueRef zero = tri_cpu_constf_like(type, 0), one = tri_cpu_constf_like(type, 1);
        LLVMValueRef v = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, args[0], zero, ""), args[0], zero, "");
        return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, v, one, ""), v, one, "");
    }
    return NULL;
}

/* Integer functions of the device library. */
static LLVMValueRef int_symbol(tri_cpu_gen *g, MlirOperation op, tri_str name, LLVMValueRef *args)
{
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    LLVMTypeRef out = tri_cpu_like(
        tri_cpu_llvm_type(g, tri_cpu_type_of(g, mlirValueGetType(tri_op_result(op, 0)))), args[0]);
    LLVMValueRef v = NULL;
    if (tri_str_is(name, "popc") || tri_str_is(name, "popcll"))
        v = tri_cpu_intrinsic(g, "llvm.ctpop", &type, 1, args, 1);
    else if (tri_str_is(name, "brev") || tri_str_is(name, "brevll"))
        v = tri_cpu_intrinsic(g, "llvm.bitreverse", &type, 1, args, 1);
    else if (tri_str_is(name, "clz") || tri_str_is(name, "clzll")) {
        LLVMValueRef two[2] = {args[0], LLVMConstInt(g->i1, 0, false)};
        v = tri_cpu_intrinsic(g, "llvm.ctlz", &type, 1, two, 2);
    } else if (tri_str_is(name, "abs") || tri_str_is(name, "llabs")) {
        LLVMValueRef two[2] = {args[0], LLVMConstInt(g->i1, 0, false)};
        v = tri_cpu_intrinsic(g, "llvm.abs", &type, 1, two, 2);
    } else if (tri_str_is(name, "min") || tri_str_is(name, "llmin")) {
        v = tri_cpu_intrinsic(g, "llvm.smin", &type, 1, args, 2);
    } else if (tri_str_is(name, "max") || tri_str_is(name, "llmax")) {
        v = tri_cpu_intrinsic(g, "llvm.smax", &type, 1, args, 2);
    }
    if (v && LLVMTypeOf(v) != out)
        v = LLVMBuildIntCast2(g->b, v, out, false, "");
    return v;
}

/* A function of a library that the user gives. */
static LLVMValueRef user_symbol(tri_cpu_gen *g, MlirOperation op, tri_str symbol, LLVMValueRef *args, int count)
{
    tri_cpu_type out = tri_cpu_type_of(g, mlirValueGetType(tri_op_result(op, 0)));
    tri_library_note(g->unit, &g->externs, symbol, op);
    return call_scalars(g, tri_str_copy(g->arena, symbol).data, tri_cpu_llvm_type(g, out), args, count);
}

static LLVMValueRef extern_emit(tri_cpu_gen *g, MlirOperation op, LLVMValueRef *args, int count)
{
    tri_str symbol = tri_op_string(op, "symbol");
    tri_cpu_type in = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(op, 0)));
    tri_str name = base_symbol(symbol, in.kind == TRI_CPU_F32);
    LLVMValueRef v = NULL;
    if (in.kind == TRI_CPU_INT)
        v = int_symbol(g, op, name, args);
    else if (in.kind == TRI_CPU_F32 || in.kind == TRI_CPU_F64) {
        v = special_symbol(g, op, name, args);
        const row *r = v ? NULL : FIND(symbols, name);
        if (r)
            v = apply(g, r, args, count);
    }
    if (!v && !g->failed)
        v = device_symbol(g, op, symbol, args, count);
    if (!v && !g->failed && symbol.len && !tri_str_has_prefix(symbol, "__nv_"))
        v = user_symbol(g, op, symbol, args, count);
    if (!v)
        tri_cpu_fail(g, op, "the external function '%.*s' is not known on this target", TRI_STR_ARG(symbol));
    return v;
}

bool tri_cpu_math_knows(MlirOperation op)
{
    return FIND(ops, tri_op_name(op)) || tri_op_is(op, "math.rsqrt") ||
           (tri_op_is(op, "tt.extern_elementwise") && !tri_cpu_is_report(op));
}

LLVMValueRef tri_cpu_math_emit(tri_cpu_gen *g, MlirOperation op, LLVMValueRef *args, int count)
{
    enum { max_args = 3 };
    if (tri_op_is(op, "tt.extern_elementwise"))
        return extern_emit(g, op, args, count);
    bool is_rsqrt = tri_op_is(op, "math.rsqrt");
    const row *r = FIND(ops, tri_op_name(op));
    if ((!r && !is_rsqrt) || count > max_args)
        return NULL;
    tri_cpu_type type = tri_cpu_type_of(g, mlirValueGetType(tri_op_result(op, 0)));
    LLVMValueRef wide[max_args];
    for (int i = 0; i < count; i++)
        wide[i] = tri_cpu_widen(g, args[i], type);
    LLVMValueRef v;
    if (is_rsqrt) {
        LLVMTypeRef t = LLVMTypeOf(wide[0]);
        v = tri_cpu_intrinsic(g, "llvm.sqrt", &t, 1, wide, 1);
        v = LLVMBuildFDiv(g->b, tri_cpu_constf_like(t, 1), v, "");
    } else {
        v = apply(g, r, wide, count);
    }
    return tri_cpu_narrow(g, v, type, false);
}

LLVMValueRef tri_cpu_math_fmod(tri_cpu_gen *g, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[2] = {x, y};
    return call_vector(g, "fmod", args, 2);
}
