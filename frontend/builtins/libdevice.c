/* libdevice: functions of the target's mathematical library. A row of libdevice.def gives the symbols
 * by argument types; nothing is promoted. */
#include "frontend/builtins/builtins.h"

#include "frontend/kernel/target.h"

typedef struct {
    const char *name;
    const char *forms; /* "f32,f32->f32 __nv_powf; ..." */
} libdevice_row;

static const libdevice_row rows[] = {
#define X(name, forms) {name, forms},
#include "frontend/builtins/libdevice.def"
#undef X
};

enum { row_count = sizeof rows / sizeof *rows, max_args = 4 };

static const struct {
    char letter; /* of the def file */
    tri_dtype dtype;
} letters[] = {
    {'f', TRI_DTYPE_FP32}, {'d', TRI_DTYPE_FP64},   {'i', TRI_DTYPE_INT32},  {'l', TRI_DTYPE_INT64},
    {'u', TRI_DTYPE_UINT32}, {'v', TRI_DTYPE_UINT64}, {'b', TRI_DTYPE_INT1},
};

static tri_dtype dtype_of(char letter)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == letter)
            return letters[i].dtype;
    return TRI_DTYPE_VOID;
}

typedef struct {
    int count;
    tri_dtype args[max_args], result;
    bool to_bool; /* the symbol gives an int32 that becomes int1 */
    tri_str symbol;
} form;

/* Reads one "ff=f symbol" and returns what follows; null at the end. */
static const char *next_form(const char *text, form *out)
{
    while (*text == ' ' || *text == ';')
        text++;
    if (!*text)
        return NULL;
    *out = (form){0};
    for (; *text != '='; text++)
        out->args[out->count++] = dtype_of(*text);
    out->result = dtype_of(text[1]);
    out->to_bool = text[1] == 'b';
    text += 3;
    size_t len = strcspn(text, ";");
    out->symbol = (tri_str){text, len};
    return text + len;
}

static tri_ev emit_libdevice(tri_eval *e, const form *f, tri_ev *values)
{
    tri_dtype d = f->to_bool ? TRI_DTYPE_INT32 : f->result;
    const tri_type *result = tri_types_with_element(e->arena, values[0].type, tri_types_scalar(d));
    tri_attr attrs[] = {
        {"libname", tri_attr_str(e->mlir, "", 0)},
        {"libpath", tri_attr_str(e->mlir, "", 0)},
        {"symbol", tri_attr_str(e->mlir, f->symbol.data, f->symbol.len)},
        {"pure", tri_attr_bool(e->mlir, true)},
    };
    tri_ev r = tri_emit_op(e, "tt.extern_elementwise", result, f->count, values, 4, attrs);
    return f->to_bool ? tri_semantic_cast_to(e, r, TRI_DTYPE_INT1) : r;
}

static tri_ev no_form(tri_eval *e, const libdevice_row *row, int count, const tri_ev *values)
{
    tri_buf given = {0}, known = {0};
    form f;
    for (int i = 0; i < count; i++)
        tri_buf_format(&given, "%s%s", i ? ", " : "", tri_eval_type_name(e, tri_types_element(values[i].type)));
    for (const char *t = row->forms; (t = next_form(t, &f));) {
        tri_buf_add_z(&known, known.len ? ", (" : "(");
        for (int i = 0; i < f.count; i++)
            tri_buf_format(&known, "%s%s", i ? ", " : "", tri_types_dtype_name(f.args[i]));
        tri_buf_add_char(&known, ')');
    }
    tri_ev r =
        tri_eval_error(e, 3012, "libdevice's '%s' has no form for (%s)", row->name, given.data ? given.data : "");
    tri_eval_note(e, "it takes %s; cast the arguments, nothing is promoted", known.data);
    tri_buf_fini(&given);
    tri_buf_fini(&known);
    return r;
}

static tri_ev run(tri_eval *e, const tri_ev *args)
{
    const libdevice_row *row = &rows[tri_builtins_current(e)->data];
    tri_ev values[max_args];
    int count = 0;
    form f;
    while (count < max_args && !tri_ev_is_none(args[count])) {
        if (!tri_arg_tensor(e, args, count, &values[count]))
            return (tri_ev){0};
        count++;
    }
    if (count == 0 || !tri_semantic_broadcast_all(e, count, values))
        return count ? (tri_ev){0} : tri_eval_error(e, 3004, "'%s' needs an argument", row->name);
    for (const char *t = row->forms; (t = next_form(t, &f));) {
        bool match = f.count == count;
        for (int i = 0; match && i < count; i++)
            match = tri_types_equal(tri_types_element(values[i].type), tri_types_scalar(f.args[i]));
        if (match)
            return emit_libdevice(e, &f, values);
    }
    return no_form(e, row, count, values);
}

static int find_name(tri_str name)
{
    for (int i = 0; i < row_count; i++)
        if (tri_str_is(name, rows[i].name))
            return i;
    return -1;
}

/* "triton.language.extra.libdevice.tanh", "...extra.cuda.libdevice.tanh", and the old "triton.language.math.tanh". */
const tri_builtin *tri_libdevice_find(tri_eval *e, tri_str path)
{
    static const char *const prefixes[] = {
        "triton.language.extra.libdevice.",
        "triton.language.extra.cuda.libdevice.",
        "triton.language.extra.hip.libdevice.",
        "triton.language.math.",
        "triton.language.libdevice.",
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (!tri_str_has_prefix(path, prefixes[i]))
            continue;
        int row = find_name(tri_str_sub(path, strlen(prefixes[i]), path.len));
        if (row < 0)
            return NULL;
        tri_builtin *b = TRI_NEW(e->arena, tri_builtin);
        *b = (tri_builtin){tri_str_copy(e->arena, path).data, "arg0 arg1? arg2? arg3?", run, NULL, row};
        tri_map_set(&e->builtins, path, b);
        return b;
    }
    return NULL;
}
