#include "frontend/builtins/builtins.h"

#include "frontend/prelude/prelude.h"
#include "frontend/kernel/fixes.h"
#include "frontend/kernel/target.h"
#include "frontend/syntax/bind.h"

#define X(path, params, run, method, data) tri_builtin_run run;
#define PRELUDE(path, params, method)
#include "frontend/builtins/builtins.def"
#undef X
#undef PRELUDE

static const tri_builtin rows[] = {
#define X(path, params, run, method, data) {path, params, run, method, data},
#define PRELUDE(path, params, method) {path, params, NULL, method, 0},
#include "frontend/builtins/builtins.def"
#undef X
#undef PRELUDE
};

enum { row_count = sizeof rows / sizeof *rows };

const tri_builtin *tri_builtins_at(size_t i) { return i < row_count ? &rows[i] : NULL; }

const tri_builtin *tri_builtins_find(tri_eval *e, tri_str path)
{
    if (!e->builtins.arena) {
        tri_map_init(&e->builtins, e->arena);
        for (int i = 0; i < row_count; i++)
            tri_map_set(&e->builtins, tri_str_from(rows[i].path), (void *)&rows[i]);
    }
    const tri_builtin *row = tri_map_find(&e->builtins, path);
    return row ? row : tri_libdevice_find(e, path);
}

tri_str tri_builtins_method(tri_eval *e, tri_str name)
{
    (void)e;
    for (int i = 0; i < row_count; i++)
        if (rows[i].method && tri_str_is(name, rows[i].method))
            return tri_str_from(rows[i].path);
    return TRI_STR("");
}

tri_str tri_builtins_desc_method(tri_eval *e, tri_str name)
{
    tri_str path = tri_str_format(e->arena, "tensor_descriptor.%.*s", TRI_STR_ARG(name));
    return tri_builtins_find(e, path) ? path : TRI_STR("");
}

const char *tri_builtins_nearest(tri_eval *e, tri_str path)
{
    const char *words[row_count];
    for (int i = 0; i < row_count; i++)
        words[i] = rows[i].path;
    (void)e;
    return tri_str_nearest(path, words, row_count);
}

const tri_builtin *tri_builtins_current(const tri_eval *e) { return e->row; }

/* ---- binding ---- */

/* A row's parameters: `x y? *rest | keyword-only`, '?' behind those that have defaults. */
static size_t parse_params(const char *text, tri_bind_param *out)
{
    size_t n = 0;
    tri_ast_param_kind kind = TRI_AST_PARAM_NORMAL;
    while (*text) {
        size_t len = strcspn(text, " ");
        tri_str word = {text, len};
        text += len + (text[len] == ' ');
        if (tri_str_is(word, "|")) {
            kind = TRI_AST_PARAM_KEYWORD;
            continue;
        }
        tri_bind_param p = {.kind = kind};
        if (word.data[0] == '*') {
            word = tri_str_sub(word, 1, word.len);
            p.kind = TRI_AST_PARAM_VARARGS;
            kind = TRI_AST_PARAM_KEYWORD;
        }
        p.is_optional = tri_str_has_suffix(word, "?");
        word.len -= p.is_optional;
        p.name = word;
        TRI_ASSERT(n < TRI_BUILTIN_MAX_PARAMS);
        out[n++] = p;
    }
    return n;
}

static const char *short_name(const tri_builtin *row)
{
    const char *dot = strrchr(row->path, '.');
    return dot ? dot + 1 : row->path;
}

/* What extern functions pass on: handles of the other compiler, which mean nothing here. */
static bool is_handle(tri_str name)
{
    return tri_str_is(name, "_semantic") || tri_str_is(name, "_builder") || tri_str_is(name, "_generator");
}

static void report_binding(tri_eval *e, const tri_builtin *row, const tri_bind_param *params, size_t n,
                           const tri_call_args *args, tri_bind_result bound, tri_span at)
{
    size_t takes = 0;
    while (takes < n && params[takes].kind == TRI_AST_PARAM_NORMAL)
        takes++;
    if (bound.status == TRI_BIND_MISSING)
        tri_eval_error_at(e, at, 3004, "argument '%.*s' of '%s' is missing", TRI_STR_ARG(params[bound.at].name),
                          short_name(row));
    else if (bound.status == TRI_BIND_SURPLUS)
        tri_eval_error_at(e, args->at[bound.at].at, 3004, "'%s' takes %zu positional argument%s", short_name(row),
                          takes, takes == 1 ? "" : "s");
    else
        tri_eval_error_at(e, args->at[bound.at].at, 3004,
                          bound.status == TRI_BIND_UNKNOWN ? "'%s' has no parameter '%.*s'"
                                                           : "'%s' is given '%.*s' twice",
                          short_name(row), TRI_STR_ARG(args->at[bound.at].name));
    if (bound.status == TRI_BIND_UNKNOWN) {
        tri_str *names = TRI_NEW_ARRAY(e->arena, tri_str, n + 1);
        for (size_t i = 0; i < n; i++)
            names[i] = params[i].name;
        tri_call_suggest(e, &args->at[bound.at], names, n);
    }
}

/* The values of parameter p: its one argument, the tuple of *rest, or None where it has none. */
static tri_ev value_of(tri_eval *e, tri_ast_param_kind kind, size_t p, const tri_call_args *args, const size_t *slots,
                       tri_span *span)
{
    TRI_VEC(tri_ev) values = {0};
    for (size_t i = args->len; i-- > 0;)
        if (slots[i] == p)
            *span = args->at[i].at;
    for (size_t i = 0; i < args->len; i++)
        if (slots[i] == p)
            tri_vec_push(e->arena, &values, args->at[i].value);
    if (kind == TRI_AST_PARAM_VARARGS)
        return tri_ev_make_tuple(e, (int)values.len, values.at);
    return values.len ? values.at[0] : tri_ev_none(e);
}

static bool bind(tri_eval *e, const tri_builtin *row, const tri_call_args *args, tri_span at, tri_ev *out,
                 tri_span *spans)
{
    tri_bind_param params[TRI_BUILTIN_MAX_PARAMS];
    bool given[TRI_BUILTIN_MAX_PARAMS];
    size_t n = parse_params(row->params, params), *slots = TRI_NEW_ARRAY(e->arena, size_t, args->len + 1);
    tri_call_args said = {0};
    for (size_t i = 0; i < args->len; i++)
        if (!is_handle(args->at[i].name))
            tri_vec_push(e->arena, &said, args->at[i]);
    tri_str *names = TRI_NEW_ARRAY(e->arena, tri_str, said.len + 1);
    for (size_t i = 0; i < said.len; i++)
        names[i] = said.at[i].name;
    tri_bind_result bound = tri_bind_arguments(params, n, names, said.len, slots, given);
    if (bound.status != TRI_BIND_OK) {
        report_binding(e, row, params, n, &said, bound, at);
        return false;
    }
    for (size_t p = 0; p < n; p++) {
        spans[p] = at;
        out[p] = value_of(e, params[p].kind, p, &said, slots, &spans[p]);
        if (tri_ev_holds_error(out[p]))
            return false;
    }
    return true;
}

static tri_ev call_prelude(tri_eval *e, const tri_builtin *row, const tri_call_args *args, tri_span at)
{
    const tri_function *f = tri_builtins_prelude(e, row);
    tri_call_args copy = *args;
    return f ? tri_call_jit(e, f, &copy, at) : (tri_ev){0};
}

tri_ev tri_builtins_call(tri_eval *e, const tri_builtin *row, const tri_call_args *args, tri_span at)
{
    tri_ev values[TRI_BUILTIN_MAX_PARAMS];
    tri_span spans[TRI_BUILTIN_MAX_PARAMS];
    if (!row->run)
        return call_prelude(e, row, args, at);
    if (!bind(e, row, args, at, values, spans))
        return (tri_ev){0};
    const tri_span *outer_spans = e->arg_spans;
    const tri_builtin *outer_row = e->row;
    tri_span outer_at = e->at;
    e->arg_spans = spans;
    e->row = row;
    e->at = at;
    tri_ev r = row->run(e, values);
    e->arg_spans = outer_spans;
    e->row = outer_row;
    e->at = outer_at;
    return r;
}

/* ---- arguments ---- */

tri_ev tri_arg_error(tri_eval *e, int i, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(e->arena, format, args);
    va_end(args);
    return tri_eval_error_at(e, e->arg_spans[i], code, "%s", text.data);
}

static const char *param_name(tri_eval *e, int i)
{
    tri_bind_param params[TRI_BUILTIN_MAX_PARAMS];
    int n = (int)parse_params(e->row->params, params);
    return i < n ? tri_str_copy(e->arena, params[i].name).data : "?";
}

static bool not_constant(tri_eval *e, const tri_ev *args, int i, const char *what)
{
    tri_arg_error(e, i, 3013, "'%s' of '%s' must be a compile-time %s, but this is %s", param_name(e, i),
                  short_name(e->row), what, tri_eval_describe(e, args[i]));
    if (tri_ev_is_tensor(args[i]))
        tri_eval_note(e, "a plain assignment turns a number into a tensor; keep it with 'name: tl.constexpr = ...'");
    tri_fixes_constexpr(e, e->arg_spans[i]);
    return false;
}

bool tri_arg_int(tri_eval *e, const tri_ev *args, int i, int64_t if_none, int64_t *out)
{
    *out = if_none;
    return tri_ev_is_none(args[i]) || tri_ev_get_int(args[i], out) || not_constant(e, args, i, "integer");
}

bool tri_arg_bool(tri_eval *e, const tri_ev *args, int i, bool if_none, bool *out)
{
    int64_t n = if_none;
    if (!tri_ev_is_none(args[i]) && !tri_ev_get_int(args[i], &n))
        return not_constant(e, args, i, "bool");
    *out = n != 0;
    return true;
}

bool tri_arg_str(tri_eval *e, const tri_ev *args, int i, const char *if_none, tri_str *out)
{
    *out = tri_str_from(if_none);
    return tri_ev_is_none(args[i]) || tri_ev_get_str(args[i], out) || not_constant(e, args, i, "string");
}

const tri_type *tri_arg_dtype(tri_eval *e, const tri_ev *args, int i)
{
    const tri_type *t = tri_ev_get_dtype(args[i]);
    tri_str text;
    if (!t && tri_ev_get_str(args[i], &text))
        t = tri_types_parse(e->arena, text);
    if (!t) {
        not_constant(e, args, i, "type such as tl.float32");
        tri_fixes_library_call(e, e->arg_spans[i]);
        return NULL;
    }
    const char *why = tri_target_rejects(e, t->dtype);
    if (why)
        tri_arg_error(e, i, 3020, "%s", why);
    return why ? NULL : t;
}

bool tri_arg_tensor(tri_eval *e, const tri_ev *args, int i, tri_ev *out)
{
    tri_num n;
    if (!tri_ev_is_tensor(args[i]) && !tri_ev_get_num(args[i], &n)) {
        tri_arg_error(e, i, 3008, "'%s' of '%s' must be a tensor, but this is %s", param_name(e, i), short_name(e->row),
                      tri_eval_describe(e, args[i]));
        return false;
    }
    *out = tri_semantic_to_tensor(e, args[i]);
    return !tri_ev_is_error(*out);
}

bool tri_arg_block(tri_eval *e, const tri_ev *args, int i, tri_ev *out)
{
    if (!tri_arg_tensor(e, args, i, out))
        return false;
    if (tri_ev_is_block(*out))
        return true;
    tri_arg_error(e, i, 3012, "'%s' of '%s' must be a block, but this is %s", param_name(e, i), short_name(e->row),
                  tri_eval_describe(e, *out));
    return false;
}

bool tri_arg_shape(tri_eval *e, const tri_ev *args, int i, int *out_rank, int64_t *out_shape)
{
    tri_span at = e->at;
    tri_ev shape = args[i];
    /* `*shape` may hold one tuple. */
    if (shape.kind == TRI_EV_TUPLE && shape.tuple->count == 1 && shape.tuple->at[0].kind == TRI_EV_TUPLE)
        shape = shape.tuple->at[0];
    e->at = e->arg_spans[i];
    bool ok = tri_ev_get_shape(e, shape, out_rank, out_shape);
    e->at = at;
    return ok;
}

bool tri_arg_axis(tri_eval *e, const tri_ev *args, int i, int rank, int *out_axis)
{
    int64_t axis;
    if (!tri_arg_int(e, args, i, 0, &axis))
        return false;
    if (axis < -rank || axis >= rank) {
        tri_arg_error(e, i, 3022, "axis %lld of a value with %d axes: it must be in [%d, %d)", (long long)axis, rank,
                      -rank, rank);
        return false;
    }
    *out_axis = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

bool tri_arg_word(tri_eval *e, const tri_ev *args, int i, const char *what, const char *const *words, int if_none,
                  int *out)
{
    tri_str text;
    *out = if_none;
    if (!tri_arg_str(e, args, i, "", &text))
        return false;
    if (text.len == 0)
        return true;
    tri_buf list = {0};
    for (int w = 0; words[w]; w++) {
        if (tri_str_is(text, words[w])) {
            *out = w;
            tri_buf_fini(&list);
            return true;
        }
        if (*words[w])
            tri_buf_format(&list, "%s'%s'", list.len ? ", " : "", words[w]);
    }
    tri_arg_error(e, i, 3021, "'%.*s' is no %s; it can be %s", TRI_STR_ARG(text), what, list.data);
    tri_buf_fini(&list);
    return false;
}
