#include "driver/drawing.h"

#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/options.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "layout/draw.h"

typedef struct {
    MlirValue value;
    MlirOperation op; /* that makes it, or whose block has it as an argument */
    tri_str name, type;
} named_value;

typedef struct {
    tri_unit *unit;
    tri_arena *arena;
    MlirAsmState names;
    TRI_VEC(named_value) values; /* that have layouts, in program order */
} catalogue;

static void append_text(MlirStringRef text, void *buf) { tri_buf_add(buf, text.data, text.length); }

static tri_str take_text(catalogue *c, tri_buf *buf)
{
    tri_str text = tri_str_copy(c->arena, tri_buf_str(buf));
    tri_buf_fini(buf);
    return text;
}

static bool has_layout(MlirType type)
{
    tri_memdesc desc;
    if (tri_type_is_tensor(type))
        return !mlirAttributeIsNull(tri_type_encoding(type));
    return tri_type_get_memdesc(type, &desc) && !mlirAttributeIsNull(desc.encoding);
}

static void add_value(catalogue *c, MlirValue value, MlirOperation op)
{
    if (!has_layout(mlirValueGetType(value)))
        return;
    tri_buf name = {0}, type = {0};
    mlirValuePrintAsOperand(value, c->names, append_text, &name);
    mlirTypePrint(mlirValueGetType(value), append_text, &type);
    tri_vec_push(c->arena, &c->values, (named_value){value, op, take_text(c, &name), take_text(c, &type)});
}

static void collect_drawing(catalogue *c)
{
    tri_op_list ops = {0};
    MlirOperation module = mlirModuleGetOperation(c->unit->module);
    tri_op_collect(module, c->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        MlirOperation op = ops.at[i];
        for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
            add_value(c, tri_op_result(op, r), op);
        for (intptr_t k = 0; k < mlirOperationGetNumRegions(op); k++) {
            MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, k));
            for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
                for (intptr_t a = 0; a < mlirBlockGetNumArguments(block); a++)
                    add_value(c, mlirBlockGetArgument(block, a), op);
        }
    }
}

/* ---- one value ---- */

/* The linear layout of a value's type; false with a reason when it has none. */
static bool layout_of(catalogue *c, MlirType type, tri_linear *out, tri_draw_options *options, const char **out_why)
{
    tri_memdesc desc;
    int64_t shape[TRI_MAX_RANK];
    const tri_encoding *e;
    int rank;
    if (tri_type_get_memdesc(type, &desc)) {
        e = tri_encoding_get(c->arena, desc.encoding);
        *out_why = "an unknown layout";
        if (!e)
            return false;
        rank = e->rank && e->rank < desc.alloc_rank ? e->rank : desc.alloc_rank;
        for (int d = 0; d < rank; d++) /* without a leading dimension that counts buffers */
            shape[d] = desc.alloc_shape[desc.alloc_rank - rank + d];
        options->element_bits = (int)tri_type_bits(desc.element);
        options->banks = 32;
        options->encoding = e;
    } else {
        e = tri_encoding_get(c->arena, tri_type_encoding(type));
        rank = tri_type_rank(type);
        for (int d = 0; d < rank; d++)
            shape[d] = tri_type_dim(type, d);
    }
    *out_why = "an unknown layout";
    return e && tri_convert_to_linear(e, rank, shape, out, out_why);
}

static bool show(catalogue *c, const named_value *v, bool as_svg, tri_buf *out)
{
    tri_linear l;
    tri_draw_options options = {0};
    const char *why;
    if (!layout_of(c, mlirValueGetType(v->value), &l, &options, &why)) {
        tri_op_error(c->unit->diag, v->op, 0, "cannot show '%.*s': %s", TRI_STR_ARG(v->name), why);
        return false;
    }
    options.title = tri_str_format(c->arena, "%.*s : %.*s", TRI_STR_ARG(v->name), TRI_STR_ARG(v->type)).data;
    if (as_svg)
        tri_draw_svg(&l, &options, out);
    else
        tri_draw_text(&l, &options, out);
    return true;
}

/* ---- which ones ---- */

static bool parse_position(tri_str text, int64_t *out_line, int64_t *out_column)
{
    size_t colon = tri_str_find(text, ':');
    *out_column = 0;
    if (!tri_str_to_i64(tri_str_sub(text, 0, colon), out_line) || *out_line < 1)
        return false;
    return colon == text.len ||
           (tri_str_to_i64(tri_str_sub(text, colon + 1, text.len), out_column) && *out_column > 0);
}

static bool is_at(catalogue *c, const named_value *v, int64_t line, int64_t column)
{
    tri_span span = tri_op_span(c->unit->diag, v->op);
    uint32_t l, col;
    if (!span.source || mlirOperationGetNumResults(v->op) == 0)
        return false;
    tri_source_position(span.source, span.begin, &l, &col);
    return l == line && (column == 0 || col == column);
}

static bool show_chosen(catalogue *c, bool as_svg, tri_buf *out)
{
    tri_str name = c->unit->options->show_value, at = c->unit->options->show_at;
    int64_t line = 0, column = 0;
    size_t found = 0;
    if (at.len && !parse_position(at, &line, &column)) {
        tri_diag_error(c->unit->diag, TRI_NO_SPAN, 0, "'--at=%.*s' is not LINE or LINE:COLUMN", TRI_STR_ARG(at));
        return false;
    }
    for (size_t i = 0; i < c->values.len; i++) {
        const named_value *v = &c->values.at[i];
        bool is_wanted = name.len ? tri_str_equal(v->name, name) ||
                                        tri_str_equal(v->name, tri_str_format(c->arena, "%%%.*s", TRI_STR_ARG(name)))
                                  : is_at(c, v, line, column);
        if (!is_wanted || (as_svg && found))
            continue;
        if (found++)
            tri_buf_add_char(out, '\n');
        if (!show(c, v, as_svg, out))
            return false;
    }
    if (!found && name.len)
        tri_diag_error(c->unit->diag, TRI_NO_SPAN, 0, "no value '%.*s' with a layout; -emit=ttgir shows the names",
                       TRI_STR_ARG(name));
    else if (!found)
        tri_diag_error(c->unit->diag, TRI_NO_SPAN, 0, "no value with a layout is made at '%.*s'", TRI_STR_ARG(at));
    return found > 0;
}

static bool show_all(catalogue *c, tri_buf *out)
{
    for (size_t i = 0; i < c->values.len; i++) {
        const named_value *v = &c->values.at[i];
        bool is_new = true;
        for (size_t k = 0; k < i && is_new; k++)
            is_new = !tri_str_equal(c->values.at[k].type, v->type);
        if (!is_new)
            continue;
        tri_linear l;
        tri_draw_options options = {0};
        const char *why;
        tri_buf_format(out, "%.*s\n ", TRI_STR_ARG(v->type));
        for (size_t k = i; k < c->values.len; k++)
            if (tri_str_equal(c->values.at[k].type, v->type))
                tri_buf_format(out, " %.*s", TRI_STR_ARG(c->values.at[k].name));
        tri_buf_add_char(out, '\n');
        if (layout_of(c, mlirValueGetType(v->value), &l, &options, &why))
            tri_draw_bases(&l, out);
        else
            tri_buf_format(out, "  (%s)\n", why);
    }
    return true;
}

bool tri_drawing_write(tri_unit *unit, bool as_svg, tri_buf *out)
{
    catalogue c = {.unit = unit, .arena = unit->arena};
    bool is_chosen = unit->options->show_value.len || unit->options->show_at.len;
    if (as_svg && !is_chosen) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 0, "a picture shows one value: say which with --value or --at");
        return false;
    }
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    c.names = mlirAsmStateCreateForOperation(mlirModuleGetOperation(unit->module), flags);
    collect_drawing(&c);
    bool ok = is_chosen ? show_chosen(&c, as_svg, out) : show_all(&c, out);
    mlirAsmStateDestroy(c.names);
    mlirOpPrintingFlagsDestroy(flags);
    return ok;
}
