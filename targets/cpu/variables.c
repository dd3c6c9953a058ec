/* Variables for a debugger (-g). With -O0 each has a place in memory from its first assignment on: numbers and
 * pointers their value, blocks the address of the buffer that was written last. Optimised code only tells where its
 * arguments are.
 *
 * A name that is given a value of another type is another variable, in a block of its own from there on. */
#include "targets/cpu/lines.h"

#include "ir/kernel.h"
#include "ir/location.h"
#include "ir/options.h"
#include "targets/facts.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

typedef struct {
    MlirType type;
    LLVMValueRef slot;
    LLVMMetadataRef described, at; /* null: a parameter, which is there from the start */
} variable;

/* ---- types ---- */

static LLVMMetadataRef basic_type(tri_cpu_gen *g, tri_str name, unsigned bits, unsigned encoding)
{
    return LLVMDIBuilderCreateBasicType(g->lines->builder, name.data, name.len, bits, encoding, LLVMDIFlagZero);
}

/* Under names from which debuggers know the formats that C has no name for. */
static LLVMMetadataRef number_type(tri_cpu_gen *g, MlirType type)
{
    enum { encode_bool = 2, encode_float = 4, encode_signed = 5, encode_unsigned = 7 };
    tri_cpu_type t = tri_cpu_type_of(g, type);
    if (t.kind == TRI_CPU_F16)
        return basic_type(g, TRI_STR("fp16"), t.bits, encode_float);
    if (t.kind == TRI_CPU_BF16)
        return basic_type(g, TRI_STR("__bf16"), t.bits, encode_float);
    if (t.bits == 1)
        return basic_type(g, TRI_STR("int1"), 8, encode_bool);
    bool is_float = t.kind == TRI_CPU_F32 || t.kind == TRI_CPU_F64, is_tiny = tri_cpu_is_small(t);
    tri_str name = tri_str_format(g->arena, "%s%u", is_float || is_tiny ? "fp" : "int", t.bits);
    return basic_type(g, name, t.bits, is_float ? encode_float : is_tiny ? encode_unsigned : encode_signed);
}

static LLVMMetadataRef item_type(tri_cpu_gen *g, MlirType type)
{
    if (!tri_type_is_ptr(type))
        return number_type(g, type);
    MlirType pointee = tri_type_ptr_pointee(type);
    LLVMMetadataRef inner = tri_type_is_ptr(pointee) ? NULL : number_type(g, pointee);
    return LLVMDIBuilderCreatePointerType(g->lines->builder, inner, 64, 64, 0, "", 0);
}

static LLVMMetadataRef variable_type(tri_cpu_gen *g, MlirType type)
{
    if (!tri_type_is_tensor(type))
        return item_type(g, type);
    LLVMMetadataRef ranges[TRI_MAX_RANK];
    unsigned rank = (unsigned)tri_type_rank(type);
    for (unsigned d = 0; d < rank; d++)
        ranges[d] = LLVMDIBuilderGetOrCreateSubrange(g->lines->builder, 0, tri_type_dim(type, (int)d));
    MlirType element = tri_type_element(type);
    unsigned bits = tri_cpu_type_of(g, element).bits;
    uint64_t size = (uint64_t)tri_type_num_elements(type) * (bits < 8 ? 8 : bits);
    return LLVMDIBuilderCreateArrayType(g->lines->builder, size, 0, item_type(g, element), ranges, rank);
}

/* ---- places ---- */

typedef struct {
    tri_str name;
    unsigned number; /* of a parameter, from 1; 0: a local variable */
    unsigned line;
    MlirType type;
} description;

static LLVMMetadataRef describe_variable(tri_cpu_gen *g, const description *d)
{
    LLVMMetadataRef file = tri_cpu_lines_file(g, g->lines->file), type = variable_type(g, d->type);
    if (d->number)
        return LLVMDIBuilderCreateParameterVariable(g->lines->builder, g->lines->subprogram, d->name.data, d->name.len,
                                                    d->number, file, d->line, type, true, LLVMDIFlagZero);
    return LLVMDIBuilderCreateAutoVariable(g->lines->builder, g->lines->scope, d->name.data, d->name.len, file, d->line,
                                           type, true, LLVMDIFlagZero, 0);
}

/* A place on the stack for a parameter, which holds its value from the start, and what is assigned to it later. */
static LLVMValueRef declare_parameter(tri_cpu_gen *g, const description *d, LLVMTypeRef type)
{
    LLVMValueRef slot = tri_cpu_temp(g, type, "variable");
    variable *v = TRI_NEW(g->arena, variable);
    *v = (variable){.type = d->type, .slot = slot};
    tri_map_set(&g->lines->variables, d->name, v);
    LLVMMetadataRef at = LLVMDIBuilderCreateDebugLocation(g->llvm, d->line, 0, g->lines->subprogram, NULL);
    LLVMMetadataRef plain = LLVMDIBuilderCreateExpression(g->lines->builder, NULL, 0);
    LLVMDIBuilderInsertDeclareRecordAtEnd(g->lines->builder, slot, describe_variable(g, d), plain, at, g->entry);
    return slot;
}

/* From here on the variable is where `slot` says: an optimised-out one until then. */
static void tell_place(tri_cpu_gen *g, const variable *v)
{
    if (!v->described)
        return;
    uint64_t deref[] = {6, 6}; /* DW_OP_deref; once more where the slot holds the address of a block */
    size_t count = 1 + tri_type_is_tensor(v->type);
    LLVMMetadataRef how = LLVMDIBuilderCreateExpression(g->lines->builder, deref, count);
    LLVMDIBuilderInsertDbgValueRecordAtEnd(g->lines->builder, v->slot, v->described, how, v->at,
                                           LLVMGetInsertBlock(g->b));
}

static void store_variable(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef slot)
{
    if (LLVMTypeOf(v) == g->i1)
        v = LLVMBuildZExt(g->b, v, g->i8, "");
    LLVMBuildStore(g->b, v, slot);
}

/* ---- parameters ---- */

static void set_parameter(tri_cpu_gen *g, const description *d, LLVMValueRef v)
{
    tri_cpu_at(g, 0);
    if (g->steps) {
        LLVMTypeRef type = LLVMTypeOf(v) == g->i1 ? g->i8 : LLVMTypeOf(v);
        store_variable(g, v, declare_parameter(g, d, type));
        return;
    }
    LLVMMetadataRef at = LLVMDIBuilderCreateDebugLocation(g->llvm, d->line, 0, g->lines->subprogram, NULL);
    LLVMMetadataRef plain = LLVMDIBuilderCreateExpression(g->lines->builder, NULL, 0);
    LLVMDIBuilderInsertDbgValueRecordAtEnd(g->lines->builder, v, describe_variable(g, d), plain, at, g->at);
}

/* A constant argument that is a number. */
static void set_constant(tri_cpu_gen *g, tri_str name, tri_str value, unsigned number, unsigned line)
{
    const char *text = tri_str_copy(g->arena, value).data;
    MlirContext context = mlirOperationGetContext(g->func);
    char *int_end, *float_end;
    long long i = strtoll(text, &int_end, 10);
    double f = strtod(text, &float_end);
    bool is_true = tri_str_is(value, "True"), is_bool = is_true || tri_str_is(value, "False");
    LLVMValueRef v = is_bool                                     ? LLVMConstInt(g->i1, is_true, false)
                     : value.len && !*int_end && i == (int32_t)i ? LLVMConstInt(g->i32, (uint64_t)i, true)
                     : value.len && !*int_end                    ? tri_cpu_i64(g, i)
                     : value.len && !*float_end                  ? LLVMConstReal(g->f64, f)
                                                                 : NULL;
    if (!v)
        return;
    LLVMTypeRef type = LLVMTypeOf(v);
    MlirType shown = type == g->f64 ? mlirF64TypeGet(context) : mlirIntegerTypeGet(context, LLVMGetIntTypeWidth(type));
    set_parameter(g, &(description){name, number, line, shown}, v);
}

static unsigned set_constants(tri_cpu_gen *g, unsigned number, unsigned line)
{
    if (!g->steps)
        return number;
    MlirAttribute given = tri_op_attr(g->func, TRI_CONSTANT_ARGUMENTS);
    bool is_given = !mlirAttributeIsNull(given) && mlirAttributeIsADictionary(given);
    intptr_t count = is_given ? mlirDictionaryAttrGetNumElements(given) : 0;
    for (intptr_t i = 0; i < count; i++) {
        MlirNamedAttribute row = mlirDictionaryAttrGetElement(given, i);
        MlirStringRef name = mlirIdentifierStr(row.name);
        if (mlirAttributeIsAString(row.attribute)) {
            MlirStringRef value = mlirStringAttrGetValue(row.attribute);
            set_constant(g, (tri_str){name.data, name.length}, (tri_str){value.data, value.length}, ++number, line);
        }
    }
    if (!tri_op_is_kernel(g->func))
        return number;
    const tri_kernel *kernel = tri_facts_find_kernel(g->unit, tri_op_symbol(g->func), g->func);
    for (size_t i = 0; i < kernel->params.len; i++)
        if (kernel->params.at[i].is_constexpr)
            set_constant(g, kernel->params.at[i].name, kernel->params.at[i].value, ++number, line);
    return number;
}

void tri_cpu_variables_begin(tri_cpu_gen *g, MlirOperation func)
{
    static const char *const ids[] = {"program_id_0", "program_id_1", "program_id_2"};
    tri_position at = {.line = 0};
    if (!g->lines || g->unit->options->debug != TRI_DEBUG_FULL)
        return;
    tri_map_init(&g->lines->variables, g->arena);
    tri_location_position(mlirOperationGetLocation(func), &at);
    tri_cpu_lines_stop(g); /* what a debugger skips at the start of a function */
    MlirBlock body = tri_op_body(func, 0);
    unsigned number = 0;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
        MlirValue arg = mlirBlockGetArgument(body, i);
        MlirType type = mlirValueGetType(arg);
        tri_str name = tri_location_name(mlirValueGetLocation(arg));
        if (!name.len || tri_type_is_tensor(type) || tri_type_is_desc(type))
            continue;
        description d = {name, ++number, at.line, type};
        set_parameter(g, &d, LLVMGetParam(g->fn, (unsigned)i));
    }
    number = set_constants(g, number, at.line);
    MlirType id_type = mlirIntegerTypeGet(mlirOperationGetContext(func), 32);
    for (int i = 0; i < 3; i++)
        set_parameter(g, &(description){tri_str_from(ids[i]), ++number, at.line, id_type}, g->pid[i]);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) /* blocks: by address */
        if (tri_type_is_tensor(mlirValueGetType(mlirBlockGetArgument(body, i))))
            tri_cpu_variables_set(g, mlirBlockGetArgument(body, i));
    tri_cpu_lines_at(g, func);
}

/* ---- assignments ---- */

static tri_str variable_name(MlirValue value)
{
    if (mlirValueIsABlockArgument(value))
        return tri_location_name(mlirValueGetLocation(value));
    MlirOperation op = mlirOpResultGetOwner(value);
    return mlirOperationGetNumResults(op) == 1 ? tri_location_name(mlirOperationGetLocation(op)) : TRI_STR("");
}

static unsigned variable_line(MlirValue value, MlirOperation func)
{
    tri_position at = {.line = 0};
    MlirLocation loc = mlirValueIsABlockArgument(value) ? mlirValueGetLocation(value)
                                                        : mlirOperationGetLocation(mlirOpResultGetOwner(value));
    if (!tri_location_position(loc, &at))
        tri_location_position(mlirOperationGetLocation(func), &at);
    return at.line;
}

/* The variable of this name and type that is in sight; a new one where there is none. */
static const variable *variable_for(tri_cpu_gen *g, tri_str name, MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    variable *known = tri_map_find(&g->lines->variables, name);
    if (known && mlirTypeEqual(known->type, type))
        return known;
    unsigned line = variable_line(value, g->func);
    if (known)
        g->lines->scope = LLVMDIBuilderCreateLexicalBlock(g->lines->builder, g->lines->scope,
                                                          tri_cpu_lines_file(g, g->lines->file), line, 0);
    bool is_block = tri_type_is_tensor(type);
    LLVMTypeRef in_memory = is_block ? g->ptr : tri_cpu_memory_type(g, tri_cpu_type_of(g, type));
    variable *v = TRI_NEW(g->arena, variable);
    description d = {name, 0, line, type};
    LLVMMetadataRef at = LLVMDIBuilderCreateDebugLocation(g->llvm, line, 0, g->lines->scope, NULL);
    *v = (variable){type, tri_cpu_temp(g, in_memory, "variable"), describe_variable(g, &d), at};
    tri_map_set(&g->lines->variables, name, v);
    return v;
}

void tri_cpu_variables_set(tri_cpu_gen *g, MlirValue value)
{
    if (!g->steps || g->nest || g->map || g->failed || tri_type_is_desc(mlirValueGetType(value)))
        return;
    tri_str name = variable_name(value);
    const tri_cpu_bind *bind = tri_cpu_find(g, value);
    bool is_block = tri_type_is_tensor(mlirValueGetType(value));
    if (!name.len || !bind || !bind->v || bind->kind != (is_block ? TRI_CPU_BUFFER : TRI_CPU_SCALAR))
        return;
    const variable *v = variable_for(g, name, value);
    tri_cpu_at(g, 0);
    if (!mlirValueIsABlockArgument(value)) /* in the scope of the variable */
        tri_cpu_lines_at(g, mlirOpResultGetOwner(value));
    store_variable(g, bind->v, v->slot);
    tell_place(g, v);
}

void tri_cpu_variables_arguments(tri_cpu_gen *g, MlirBlock block)
{
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
        tri_cpu_variables_set(g, mlirBlockGetArgument(block, i));
}
