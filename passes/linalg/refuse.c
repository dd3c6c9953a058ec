#include "passes/linalg/refuse.h"

#include "base/map.h"
#include "ir/location.h"
#include "ir/op.h"
#include "ir/type.h"

#include <stdarg.h>
#include <string.h>

/* The variable that an operation sets, or its value goes into; "" without one. */
static tri_str name_of_result(MlirOperation op)
{
    tri_str name = tri_location_name(mlirOperationGetLocation(op));
    for (int steps = 0; !name.len && steps < 4 && mlirOperationGetNumResults(op); steps++) {
        MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, 0));
        if (mlirOpOperandIsNull(use))
            break;
        op = mlirOpOperandGetOwner(use);
        name = tri_location_name(mlirOperationGetLocation(op));
    }
    return name;
}

static void add_remedy(tri_diag *diag, const char *remedy)
{
    if (remedy)
        tri_diag_note(diag, TRI_NO_SPAN, "%s", remedy);
}

void tri_refuse_value(tri_pass_run *run, MlirOperation op, const char *remedy, const char *format, ...)
{
    va_list args;
    tri_diag *diag = run->unit->diag;
    tri_str name = name_of_result(op);
    va_start(args, format);
    tri_str text = tri_str_vformat(run->arena, format, args);
    va_end(args);
    tri_op_error(diag, op, 6002, "%.*s%s%.*s%s", TRI_STR_ARG(text), name.len ? " ('" : "", TRI_STR_ARG(name),
                 name.len ? "')" : "");
    add_remedy(diag, remedy);
}

typedef struct {
    tri_arena *arena;
    tri_map seen;  /* MlirValue.ptr */
    tri_map names; /* of arrays, in the order in which they are met */
} search;

static void find_sources(search *s, MlirValue v);

static void find_in_branch(search *s, MlirOperation op, int region, intptr_t operand)
{
    MlirBlock body = tri_op_body(op, region);
    if (mlirBlockIsNull(body))
        return;
    MlirOperation end = mlirBlockGetTerminator(body);
    if (operand < mlirOperationGetNumOperands(end))
        find_sources(s, tri_op_operand(end, operand));
}

static void find_in_argument(search *s, MlirValue v)
{
    MlirBlock block;
    intptr_t index = 0;
    tri_op_is_block_argument(v, &block, &index);
    MlirOperation parent = mlirBlockGetParentOperation(block);
    if (tri_op_is(parent, "scf.for") && index) {
        find_sources(s, tri_op_operand(parent, index + 2));
        find_in_branch(s, parent, 0, index - 1);
    } else if (tri_op_is(parent, "scf.while")) {
        bool is_before = mlirBlockEqual(block, tri_op_body(parent, 0));
        if (is_before)
            find_sources(s, tri_op_operand(parent, index));
        find_in_branch(s, parent, is_before ? 1 : 0, is_before ? index : index + 1);
    } else if (!tri_str_has_prefix(tri_op_name(parent), "scf.")) {
        tri_str name = tri_location_name(mlirValueGetLocation(v));
        if (name.len)
            tri_map_set(&s->names, name, s);
    }
}

/* The arguments that a pointer may come from. */
static void find_sources(search *s, MlirValue v)
{
    if (!tri_type_is_ptr(tri_type_element(mlirValueGetType(v))) || tri_map_find_ptr(&s->seen, v.ptr))
        return;
    tri_map_set_ptr(&s->seen, v.ptr, s);
    MlirOperation op = tri_op_def(v);
    if (mlirOperationIsNull(op)) {
        find_in_argument(s, v);
        return;
    }
    intptr_t index = mlirOpResultGetResultNumber(v);
    if (tri_op_is(op, "scf.if")) {
        find_in_branch(s, op, 0, index);
        find_in_branch(s, op, 1, index);
    } else if (tri_op_is(op, "scf.for")) {
        find_sources(s, tri_op_operand(op, index + 3));
        find_in_branch(s, op, 0, index);
    } else if (tri_op_is(op, "scf.while")) {
        find_in_branch(s, op, 0, index + 1);
    } else {
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
            find_sources(s, tri_op_operand(op, i));
    }
}

static tri_str name_of_pointer(MlirValue v, int depth);

/* Of what comes out of a conditional or a loop: what its branches, or its body, call it. Arguments keep their names. */
static tri_str name_of_carried(MlirOperation op, intptr_t i, int depth)
{
    tri_str name = {0};
    for (intptr_t r = 0; !name.len && r < mlirOperationGetNumRegions(op); r++) {
        MlirBlock body = tri_op_body(op, (int)r);
        if (mlirBlockIsNull(body))
            continue;
        if (tri_op_is(op, "scf.for") || (tri_op_is(op, "scf.while") && r == 1))
            name = tri_location_name(
                mlirValueGetLocation(mlirBlockGetArgument(body, i + (tri_op_is(op, "scf.for") ? 1 : 0))));
        MlirValue given = tri_op_operand(mlirBlockGetTerminator(body), i + (tri_op_is(op, "scf.while") && !r ? 1 : 0));
        if (!name.len && !mlirOperationIsNull(tri_op_def(given)))
            name = name_of_pointer(given, depth - 1);
    }
    return name;
}

/* The variable of a pointer, or of what it is computed from. */
static tri_str name_of_pointer(MlirValue v, int depth)
{
    for (; depth > 0; depth--) {
        MlirOperation op = tri_op_def(v);
        bool is_carried = !mlirOperationIsNull(op) && tri_str_has_prefix(tri_op_name(op), "scf.");
        if (is_carried)
            return name_of_carried(op, mlirOpResultGetResultNumber(v), depth);
        tri_str name = tri_location_name(mlirValueGetLocation(v));
        if (name.len || mlirOperationIsNull(op) || !mlirOperationGetNumOperands(op) ||
            !tri_type_is_ptr(tri_type_element(mlirValueGetType(tri_op_operand(op, 0)))))
            return name;
        v = tri_op_operand(op, 0);
    }
    return (tri_str){0};
}

static const char *remedy_for(const char *reason)
{
    static const struct {
        const char *word, *remedy;
    } rows[] = {
        {"one of several arrays",
         "load from each array and choose between the values (tl.where), or pass one array and the places in it; "
         "a store can stand in a branch for each array"},
        {"from an integer", "pass the array as a parameter of the kernel"},
        {"another size", "give the parameter the type of the elements, or load them as they are and cast the values"},
        {"one function to another", "let the function take or return the values, or what is added to the pointer"},
        {"for integers", "use it on the bits of the values, in an array of integers"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(reason, rows[i].word))
            return rows[i].remedy;
    return NULL;
}

void tri_refuse_pointer(tri_pass_run *run, MlirOperation op, MlirValue pointer, MlirValue culprit, const char *reason)
{
    enum { max_steps = 32 };
    tri_diag *diag = run->unit->diag;
    search s = {.arena = run->arena};
    tri_buf arrays = {0};
    tri_map_init(&s.seen, run->arena);
    tri_map_init(&s.names, run->arena);
    if (pointer.ptr)
        find_sources(&s, pointer);
    tri_str blamed = culprit.ptr ? tri_location_name(mlirValueGetLocation(culprit)) : TRI_STR("");
    bool is_integer = strstr(reason, "from an integer") != NULL;
    for (size_t i = 0; i < s.names.len && !is_integer; i++)
        tri_buf_format(&arrays, "%s'%.*s'", i ? ", " : "", TRI_STR_ARG(s.names.entries[i].key));
    if (!arrays.len && blamed.len)
        tri_buf_format(&arrays, "'%.*s'", TRI_STR_ARG(blamed));
    tri_str name = pointer.ptr ? name_of_pointer(pointer, max_steps) : TRI_STR("");
    tri_str subject = TRI_STR("this pointer");
    if (name.len)
        subject = tri_str_format(run->arena, "pointer '%.*s'", TRI_STR_ARG(name));
    tri_op_error(diag, op, 6002, "structured code cannot follow %.*s: %s%s%.*s%s", TRI_STR_ARG(subject), reason,
                 arrays.len ? " (" : "", TRI_STR_ARG(tri_buf_str(&arrays)), arrays.len ? ")" : "");
    add_remedy(diag, remedy_for(reason));
    tri_buf_fini(&arrays);
}
