#include "driver/drawing.h"

#include "ir/encoding.h"
#include "ir/island.h"
#include "ir/location.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/options.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "layout/draw.h"

typedef struct {
    MlirValue value;
    MlirOperation op; /* that makes it, or whose block has it as an argument */
    tri_str name, type;
    size_t order; /* among all values of the module */
    bool is_at; /* made by the line that was asked for, or stored there */
} named_value;

typedef struct {
    tri_unit *unit;
    tri_arena *arena;
    MlirAsmState names;
    TRI_VEC(named_value) values; /* that have layouts, in program order */
    TRI_VEC(named_value) others; /* that have none */
    TRI_VEC(tri_str) spelled;    /* names of all in the text that the module was read from */
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
    tri_buf name = {0}, type = {0};
    mlirValuePrintAsOperand(value, c->names, append_text, &name);
    mlirTypePrint(mlirValueGetType(value), append_text, &type);
    named_value v = {.value = value,
                     .op = op,
                     .order = c->values.len + c->others.len,
                     .name = take_text(c, &name),
                     .type = take_text(c, &type)};
    if (has_layout(mlirValueGetType(value)))
        tri_vec_push(c->arena, &c->values, v);
    else
        tri_vec_push(c->arena, &c->others, v);
}

static void take_name(const char *name, size_t len, void *data)
{
    catalogue *c = data;
    tri_vec_push(c->arena, &c->spelled, tri_str_copy(c->arena, (tri_str){name, len}));
}

/* Where the input is the module's own text, values have the names of the text, and MLIR forgets them. */
static void take_names_of_text(catalogue *c)
{
    size_t count = c->values.len + c->others.len;
    tri_str text = c->unit->source ? c->unit->source->text : (tri_str){0};
    if (c->unit->ast || !text.len)
        return;
    tri_diag_hold(c->unit->diag);
    bool is_read = tri_island_value_names(c->unit->mlir, mlirStringRefCreate(text.data, text.len), take_name, c);
    tri_diag_drop(c->unit->diag);
    if (!is_read || c->spelled.len != count)
        return; /* passes ran since */
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < (k ? c->others.len : c->values.len); i++) {
            named_value *v = k ? &c->others.at[i] : &c->values.at[i];
            tri_str spelled = c->spelled.at[v->order];
            size_t number = tri_str_find(v->name, '#');
            if (spelled.len)
                v->name = tri_str_format(c->arena, "%.*s%.*s", (int)tri_str_find(spelled, ':'), spelled.data,
                                         TRI_STR_ARG(tri_str_sub(v->name, number, v->name.len)));
        }
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

static const char *title_of(catalogue *c, const named_value *v)
{
    return tri_str_format(c->arena, "%.*s : %.*s", TRI_STR_ARG(v->name), TRI_STR_ARG(v->type)).data;
}

static bool show(catalogue *c, const named_value *v, bool as_svg, tri_buf *out)
{
    tri_linear l;
    tri_draw_options options = {0};
    const char *why;
    if (!layout_of(c, mlirValueGetType(v->value), &l, &options, &why)) {
        tri_op_error(c->unit->diag, v->op, 1007, "cannot show '%.*s': %s", TRI_STR_ARG(v->name), why);
        return false;
    }
    options.title = title_of(c, v);
    if (as_svg)
        tri_draw_svg(1, &l, &options, out);
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

static bool is_argument(const named_value *v)
{
    MlirBlock block;
    intptr_t index;
    return tri_op_is_block_argument(v->value, &block, &index);
}

/* Does the operation, or a call that it was inlined through, stand there? */
static bool is_op_at(tri_diag *diag, MlirOperation op, int64_t line, int64_t column)
{
    uint32_t l, col;
    for (MlirLocation at = mlirOperationGetLocation(op); at.ptr; at = tri_location_caller(at)) {
        tri_span span = tri_location_span(diag, at);
        if (!span.source)
            continue;
        tri_source_position(span.source, span.begin, &l, &col);
        if (l == line && (column == 0 || col == column))
            return true;
    }
    return false;
}

/* The name without its sign and the number of a result. */
static tri_str bare_name(tri_str name)
{
    name = tri_str_has_prefix(name, "%") ? tri_str_sub(name, 1, name.len) : name;
    return tri_str_sub(name, 0, tri_str_find(name, '#'));
}

static bool is_called(const named_value *v, tri_str name)
{
    bool has_number = tri_str_find(name, '#') < name.len;
    tri_str own = tri_str_sub(v->name, 1, v->name.len);
    name = tri_str_has_prefix(name, "%") ? tri_str_sub(name, 1, name.len) : name;
    return tri_str_equal(own, name) || (!has_number && tri_str_equal(bare_name(v->name), name));
}

static bool append_drawing(catalogue *c, const named_value *v, bool as_svg, tri_buf *out)
{
    if (out->len && !as_svg)
        tri_buf_add_char(out, '\n');
    return show(c, v, as_svg, out);
}

/* A name of the module that has no layout, or none at all: says which, and what is near. */
static bool no_such_value(catalogue *c, tri_str name)
{
    TRI_VEC(const char *) names = {0};
    for (size_t i = 0; i < c->values.len; i++)
        tri_vec_push(c->arena, &names, tri_str_copy(c->arena, bare_name(c->values.at[i].name)).data);
    for (size_t i = 0; i < c->others.len; i++)
        if (is_called(&c->others.at[i], name)) {
            tri_diag_error(c->unit->diag, TRI_NO_SPAN, 1007, "'%.*s' is of type %.*s, which has no layout",
                           TRI_STR_ARG(c->others.at[i].name), TRI_STR_ARG(c->others.at[i].type));
            return false;
        }
    const char *near = tri_str_nearest(bare_name(name), names.at, names.len);
    tri_diag_error(c->unit->diag, TRI_NO_SPAN, 1007, "no value '%.*s' with a layout; %s%s%s", TRI_STR_ARG(name),
                   near ? "did you mean '%" : "-emit=ttgir shows the names", near ? near : "", near ? "'?" : "");
    return false;
}

static bool show_named(catalogue *c, tri_str name, bool as_svg, tri_buf *out)
{
    size_t found = 0;
    for (size_t i = 0; i < c->values.len; i++) {
        const named_value *v = &c->values.at[i];
        if (!is_called(v, name) || (as_svg && found))
            continue;
        found++;
        if (!append_drawing(c, v, as_svg, out))
            return false;
    }
    return found > 0 || no_such_value(c, name);
}

static int64_t count_elements(const named_value *v)
{
    MlirType type = mlirValueGetType(v->value);
    tri_memdesc desc;
    int64_t n = 1;
    if (tri_type_get_memdesc(type, &desc))
        for (int d = 0; d < desc.rank; d++)
            n *= desc.shape[d];
    for (int d = 0; tri_type_is_tensor(type) && d < tri_type_rank(type); d++)
        n *= tri_type_dim(type, d);
    return n;
}

static bool is_stored(const named_value *v)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(v->value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (tri_op_in(mlirOpOperandGetOwner(use), TRI_OPS_WRITE) && mlirOpOperandGetOperandNumber(use) == 1)
            return true;
    return false;
}

/* How likely a value is what its line is for: what it stores, then what it gives a name, what other lines use, and
 * registers before memory. */
static int rank_of(catalogue *c, const named_value *v, int64_t line, int64_t column)
{
    bool is_used = false;
    for (MlirOpOperand use = mlirValueGetFirstUse(v->value); !mlirOpOperandIsNull(use) && !is_used;
         use = mlirOpOperandGetNextUse(use))
        is_used = !is_op_at(c->unit->diag, mlirOpOperandGetOwner(use), line, column);
    bool has_name = tri_location_name(mlirOperationGetLocation(v->op)).len > 0;
    return 8 * is_stored(v) + 4 * has_name + 2 * is_used + tri_type_is_tensor(mlirValueGetType(v->value));
}

/* The likeliest, of those the largest, of those the last. */
static const named_value *result_of_line(catalogue *c, int64_t line, int64_t column)
{
    const named_value *best = NULL;
    int best_rank = -1;
    for (size_t i = 0; i < c->values.len; i++) {
        const named_value *v = &c->values.at[i];
        int rank = v->is_at ? rank_of(c, v, line, column) : -1;
        if (rank >= 0 && (rank > best_rank || (rank == best_rank && count_elements(v) >= count_elements(best)))) {
            best = v;
            best_rank = rank;
        }
    }
    return best;
}

static void mark_line(catalogue *c, named_value *v, int64_t line, int64_t column)
{
    v->is_at = mlirOperationGetNumResults(v->op) && !is_argument(v) && is_op_at(c->unit->diag, v->op, line, column);
    for (MlirOpOperand use = mlirValueGetFirstUse(v->value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!v->is_at && tri_op_in(user, TRI_OPS_WRITE))
            v->is_at = is_op_at(c->unit->diag, user, line, column);
    }
}

/* The line's result, and the names of what else the line makes. */
static bool show_line(catalogue *c, tri_str at, bool as_svg, tri_buf *out)
{
    int64_t line, column;
    if (!parse_position(at, &line, &column)) {
        tri_diag_error(c->unit->diag, TRI_NO_SPAN, 1002, "'--at=%.*s' is not LINE or LINE:COLUMN", TRI_STR_ARG(at));
        return false;
    }
    size_t others = 0;
    for (size_t i = 0; i < c->values.len; i++)
        mark_line(c, &c->values.at[i], line, column);
    const named_value *result = result_of_line(c, line, column);
    if (!result) {
        tri_diag_error(c->unit->diag, TRI_NO_SPAN, 1007, "no value with a layout is made at '%.*s'", TRI_STR_ARG(at));
        return false;
    }
    if (!append_drawing(c, result, as_svg, out))
        return false;
    tri_buf list = {0};
    for (size_t i = 0; i < c->values.len; i++) {
        const named_value *v = &c->values.at[i];
        if (v->is_at && v != result && ++others)
            tri_buf_format(&list, "  %.*s : %.*s\n", TRI_STR_ARG(v->name), TRI_STR_ARG(v->type));
    }
    if (others && !as_svg)
        tri_buf_format(out, "\nalso at '%.*s', for --value:\n%.*s", TRI_STR_ARG(at), TRI_STR_ARG(tri_buf_str(&list)));
    else if (others)
        tri_diag_tell(c->unit->diag, TRI_NO_SPAN, "also at '%.*s', for --value:\n%.*s", TRI_STR_ARG(at),
                      TRI_STR_ARG(tri_str_sub(tri_buf_str(&list), 0, list.len - 1)));
    tri_buf_fini(&list);
    return true;
}

/* ---- without a choice ---- */

/* How much a value tells of how the kernel runs: products first, then what they read, memory, reductions. */
static int telling(const named_value *v)
{
    int use = 0;
    if (mlirOperationGetNumResults(v->op) && tri_op_in(v->op, TRI_OPS_PRODUCT))
        return 6;
    for (MlirOpOperand u = mlirValueGetFirstUse(v->value); !mlirOpOperandIsNull(u); u = mlirOpOperandGetNextUse(u)) {
        MlirOperation user = mlirOpOperandGetOwner(u);
        int score = tri_op_in(user, TRI_OPS_PRODUCT)                                                    ? 5
                    : tri_op_in(user, TRI_OPS_WRITE) && mlirOpOperandGetOperandNumber(u) == 1 ? 3
                    : tri_op_is(user, "tt.reduce") || tri_op_is(user, "tt.scan")                  ? 2
                                                                                                  : 0;
        use = score > use ? score : use;
    }
    bool is_load = tri_op_in(v->op, TRI_OPS_ACCESS | TRI_OPS_DESCRIPTOR) && !tri_op_in(v->op, TRI_OPS_WRITE);
    return is_load && use < 4 ? 4 : use ? use : mlirOperationGetNumResults(v->op) && count_elements(v) > 1 ? 1 : 0;
}

/* The most telling values, one of each type: those that are drawn when none was asked for. */
static size_t choose_telling(catalogue *c, const named_value **out, size_t most)
{
    size_t count = 0;
    for (int score = 6; score > 0 && count < most; score--)
        for (size_t i = 0; i < c->values.len && count < most; i++) {
            const named_value *v = &c->values.at[i];
            bool is_new = telling(v) == score && (score > 1 || count == 0);
            for (size_t k = 0; k < count && is_new; k++)
                is_new = !tri_str_equal(out[k]->type, v->type);
            if (is_new)
                out[count++] = v;
        }
    if (!count && c->values.len)
        out[count++] = &c->values.at[0];
    return count;
}

static bool show_telling(catalogue *c, bool as_svg, tri_buf *out)
{
    enum { most = 4 };
    const named_value *chosen[most];
    size_t count = choose_telling(c, chosen, most);
    tri_draw_options options[most] = {0};
    tri_linear layouts[most];
    size_t drawn = 0;
    const char *why;
    for (size_t i = 0; i < count; i++) {
        if (!layout_of(c, mlirValueGetType(chosen[i]->value), &layouts[drawn], &options[drawn], &why))
            continue;
        options[drawn].title = title_of(c, chosen[i]);
        if (!as_svg) {
            tri_buf_add_char(out, '\n');
            tri_draw_text(&layouts[drawn], &options[drawn], out);
        }
        drawn++;
    }
    if (as_svg && !drawn) {
        tri_diag_error(c->unit->diag, TRI_NO_SPAN, 1007, "no value of the module has a layout");
        return false;
    }
    if (as_svg)
        tri_draw_svg(drawn, layouts, options, out);
    return true;
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
    tri_str name = unit->options->show_value, at = unit->options->show_at;
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    mlirOpPrintingFlagsPrintNameLocAsPrefix(flags); /* as -emit=ttgir prints them */
    c.names = mlirAsmStateCreateForOperation(mlirModuleGetOperation(unit->module), flags);
    collect_drawing(&c);
    take_names_of_text(&c);
    bool ok = name.len ? show_named(&c, name, as_svg, out)
              : at.len ? show_line(&c, at, as_svg, out)
                       : (as_svg || show_all(&c, out)) && show_telling(&c, as_svg, out);
    mlirAsmStateDestroy(c.names);
    mlirOpPrintingFlagsDestroy(flags);
    return ok;
}

/* The first value with the same elements in the same places; itself, when there is none before. */
static size_t first_alike(const catalogue *c, size_t i)
{
    MlirType type = mlirValueGetType(c->values.at[i].value);
    for (size_t k = 0; k < i; k++) {
        MlirType other = mlirValueGetType(c->values.at[k].value);
        bool are_tensors = tri_type_is_tensor(type) && tri_type_is_tensor(other);
        bool is_alike = are_tensors && tri_type_rank(type) == tri_type_rank(other) &&
                        mlirAttributeEqual(tri_type_encoding(type), tri_type_encoding(other));
        for (int d = 0; is_alike && d < tri_type_rank(type); d++)
            is_alike = tri_type_dim(type, d) == tri_type_dim(other, d);
        if (is_alike || mlirTypeEqual(type, other))
            return k;
    }
    return i;
}

void tri_drawing_each(tri_unit *unit, void (*take)(void *data, tri_str name, tri_str type, size_t picture, tri_str svg),
                      void *data)
{
    catalogue c = {.unit = unit, .arena = unit->arena};
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    mlirOpPrintingFlagsPrintNameLocAsPrefix(flags); /* as -emit=ttgir prints them */
    c.names = mlirAsmStateCreateForOperation(mlirModuleGetOperation(unit->module), flags);
    collect_drawing(&c);
    for (size_t i = 0; i < c.values.len; i++) {
        const named_value *v = &c.values.at[i];
        size_t picture = first_alike(&c, i);
        tri_linear l;
        tri_draw_options options = {0};
        const char *why;
        tri_buf svg = {0};
        if (picture == i && layout_of(&c, mlirValueGetType(v->value), &l, &options, &why))
            tri_draw_svg(1, &l, &options, &svg);
        take(data, v->name, v->type, picture, tri_buf_str(&svg));
        tri_buf_fini(&svg);
    }
    mlirAsmStateDestroy(c.names);
    mlirOpPrintingFlagsDestroy(flags);
}
