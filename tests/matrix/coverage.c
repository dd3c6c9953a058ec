#include "tests/matrix/coverage.h"

#include "base/map.h"
#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinTypes.h"

static tri_map noted; /* in an arena that lasts as long as the process */

static void note(tri_str name)
{
    static char there;
    if (!noted.arena)
        tri_map_init(&noted, tri_arena_create());
    tri_map_set(&noted, name, &there);
}

/* Attributes of which each value is a form of its own. */
static const struct {
    const char *op, *attribute;
} forms[] = {
    {"tt.load", "cache"}, {"tt.load", "evict"}, {"tt.load", "isVolatile"}, {"tt.store", "cache"}, {"tt.store", "evict"},
    {"tt.atomic_rmw", "atomic_rmw_op"}, {"tt.atomic_rmw", "sem"}, {"tt.atomic_rmw", "scope"}, {"tt.atomic_cas", "sem"},
    {"tt.atomic_cas", "scope"}, {"tt.atomic_poll", "sem"}, {"tt.atomic_poll", "scope"}, {"tt.fp_to_fp", "rounding"},
    {"tt.clampf", "propagateNan"}, {"tt.dot", "inputPrecision"}, {"tt.dot_scaled", "a_elem_type"},
    {"tt.dot_scaled", "b_elem_type"}, {"tt.dot_scaled", "lhs_k_pack"}, {"tt.dot_scaled", "rhs_k_pack"},
    {"tt.dot_scaled", "fastMath"}, {"tt.descriptor_reduce", "kind"}, {"tt.scan", "reverse"},
    {"tt.make_tensor_descriptor", "padding"},
};

static void add_text(MlirStringRef part, void *text)
{
    tri_buf_add((tri_buf *)text, part.data, part.length);
}

static void note_type(tri_str name, MlirType element)
{
    if (!tri_str_has_prefix(name, "tt.") || !(mlirTypeIsAFloat(element) || mlirTypeIsAInteger(element)))
        return;
    tri_buf text = {0};
    tri_buf_format(&text, "%.*s ", TRI_STR_ARG(name));
    mlirTypePrint(element, add_text, &text);
    note(tri_buf_str(&text));
    tri_buf_fini(&text);
}

/* The type of what an operation gives, or stores. */
static void note_types(MlirOperation op, tri_str name)
{
    if (mlirOperationGetNumResults(op))
        note_type(name, tri_type_element(mlirValueGetType(tri_op_result(op, 0))));
    else if (tri_str_is(name, "tt.store") && mlirOperationGetNumOperands(op) > 1)
        note_type(name, tri_type_element(mlirValueGetType(tri_op_operand(op, 1))));
}

static void note_module(MlirModule module)
{
    tri_arena *arena = tri_arena_create();
    tri_op_list ops = {0};
    tri_op_collect(mlirModuleGetOperation(module), arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        MlirOperation op = ops.at[i];
        tri_str name = tri_op_name(op);
        note(name);
        note_types(op, name);
        if (tri_str_is(name, "tt.extern_elementwise"))
            note(tri_str_format(arena, "extern %.*s", TRI_STR_ARG(tri_op_string(op, "symbol"))));
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
            if (tri_str_is(name, forms[f].op) && !mlirAttributeIsNull(tri_op_attr(op, forms[f].attribute)))
                note(tri_str_format(
                    arena, "%s %s=%lld", forms[f].op, forms[f].attribute,
                    (long long)(tri_op_int(op, forms[f].attribute, tri_op_flag(op, forms[f].attribute)))));
    }
    tri_arena_destroy(arena);
}

/* The first pass of the pipeline sees what the front end made, the last one what is lowered. */
static void before(void *data, const tri_pass *pass, MlirModule module)
{
    (void)data;
    if (!strcmp(pass->name, "inline"))
        note_module(module);
}

static void after(void *data, const tri_pass *pass, MlirModule module, double seconds)
{
    (void)data, (void)seconds;
    if (!strcmp(pass->name, "membar"))
        note_module(module);
}

const tri_pass_hooks m_coverage_hooks = {.before = before, .after = after};

void m_coverage_add_sites(const tri_unit *unit)
{
    for (size_t i = 0; i < unit->sites.len; i++)
        note(tri_str_format(unit->arena, "primitive %s", unit->sites.at[i].primitive));
}

void m_coverage_print(FILE *out)
{
    for (size_t i = 0; i < noted.len; i++)
        fprintf(out, "# covers %.*s\n", TRI_STR_ARG(noted.entries[i].key));
}
