/* Steps of the launcher's grids and heuristics (runtime/launch/grid.c) from the words that the front end left
 * (ir/kernel.h). */
#include "targets/object/writer.h"

#include "llvm-c/Core.h"

static const struct {
    const char *word;
    int op;
} operators[] = {
    {"+", TRI_RT_ADD},       {"-", TRI_RT_SUB},     {"*", TRI_RT_MUL},     {"//", TRI_RT_FLOOR_DIV},
    {"%", TRI_RT_MOD},       {"cdiv", TRI_RT_CDIV}, {"min", TRI_RT_MIN},   {"max", TRI_RT_MAX},
    {"next_power_of_2", TRI_RT_NEXT_POWER}, {";", TRI_RT_NEXT_DIMENSION},
    {"&", TRI_RT_BIT_AND},   {"|", TRI_RT_BIT_OR},  {"^", TRI_RT_BIT_XOR}, {"<<", TRI_RT_SHIFT_LEFT},
    {">>", TRI_RT_SHIFT_RIGHT}, {"==", TRI_RT_IS_EQUAL}, {"!=", TRI_RT_IS_UNEQUAL}, {"<", TRI_RT_IS_LESS},
    {"<=", TRI_RT_IS_AT_MOST}, {"select", TRI_RT_SELECT}, {"int32", TRI_RT_INT32}, {"natural", TRI_RT_NATURAL},
};

int tri_object_operator(tri_str word)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (tri_str_is(word, operators[i].word))
            return operators[i].op;
    return -1;
}

static LLVMValueRef make_step(tri_writer *w, int op, const tri_object_arg *arg, int64_t value)
{
    tri_record r = tri_record_start(w->llvm, TRI_RECORD_step);
    tri_record_set_number(&r, step, op, op);
    tri_record_set_number(&r, step, bits, arg ? arg->type.bits : 0);
    tri_record_set_number(&r, step, arg, arg ? arg->slot : 0);
    tri_record_set_number(&r, step, value, value);
    return tri_record_finish(&r);
}

/* The constant that a parameter is in this form; false when it is no integer. */
static bool find_constant(const tri_kernel *k, tri_str name, int64_t *out)
{
    for (size_t i = 0; i < k->params.len; i++) {
        const tri_kernel_param *p = &k->params.at[i];
        if (!p->is_constexpr || !tri_str_equal(p->name, name))
            continue;
        bool is_true = tri_str_is(p->value, "True");
        *out = is_true;
        return is_true || tri_str_is(p->value, "False") || tri_str_to_i64(p->value, out);
    }
    return false;
}

typedef TRI_VEC(LLVMValueRef) step_list;

/* An expression of a kernel on its way to steps. */
typedef struct {
    tri_writer *w;
    const tri_kernel *k;
    const tri_object_args *args;
    const char *what; /* for messages */
    step_list steps;
} reader;

/* "NAME VALUE word ..." off the list of heuristics. */
static tri_str take_rule(tri_str *list, tri_str *out_name, int64_t *out_value)
{
    size_t end = tri_str_find(*list, ';');
    tri_str text = tri_str_sub(*list, 0, end);
    *list = tri_str_sub(*list, end + (end < list->len), list->len);
    size_t space = tri_str_find(text, ' ');
    *out_name = tri_str_sub(text, 0, space);
    text = tri_str_sub(text, space + 1, text.len);
    space = tri_str_find(text, ' ');
    tri_str_to_i64(tri_str_sub(text, 0, space), out_value);
    return tri_str_sub(text, space + 1, text.len);
}

/* The words of the heuristic that gives the parameter its value; empty: none does. */
static tri_str heuristic_of(const tri_kernel *k, tri_str name)
{
    tri_str of;
    int64_t value;
    for (tri_str rest = k->heuristics; rest.len;) {
        tri_str words = take_rule(&rest, &of, &value);
        if (tri_str_equal(of, name))
            return words;
    }
    return TRI_STR("");
}

static bool read_words(reader *r, tri_str words, int depth);

/* Names are arguments, what heuristics give, and constants. */
static bool read_word(reader *r, tri_str word, int depth)
{
    enum { max_depth = 8 };
    int64_t value;
    LLVMValueRef step = NULL;
    if (tri_str_to_i64(word, &value))
        step = make_step(r->w, TRI_RT_PUSH, NULL, value);
    int op = step ? -1 : tri_object_operator(word);
    if (op >= 0)
        step = make_step(r->w, op, NULL, 0);
    for (size_t i = 0; !step && i < r->args->at.len; i++) {
        const tri_object_arg *arg = &r->args->at.at[i];
        bool is_unsigned = tri_str_has_prefix(arg->spelled, "u");
        if (tri_str_equal(arg->name, word) && arg->type.kind == TRI_CTYPE_INT)
            step = make_step(r->w, is_unsigned ? TRI_RT_UNSIGNED_ARGUMENT : TRI_RT_ARGUMENT, arg, 0);
    }
    tri_str given = step ? TRI_STR("") : heuristic_of(r->k, word);
    if (given.len)
        return depth < max_depth && read_words(r, given, depth + 1);
    if (!step && find_constant(r->k, word, &value))
        step = make_step(r->w, TRI_RT_PUSH, NULL, value);
    if (step)
        tri_vec_push(r->w->arena, &r->steps, step);
    else
        tri_diag_error(r->w->diag, TRI_NO_SPAN, 3037, "in the %s of '%.*s': '%.*s' is no integer", r->what,
                       TRI_STR_ARG(r->k->name), TRI_STR_ARG(word));
    return step != NULL;
}

static bool read_words(reader *r, tri_str words, int depth)
{
    bool ok = true;
    while (ok && words.len) {
        size_t end = tri_str_find(words, ' ');
        ok = read_word(r, tri_str_sub(words, 0, end), depth);
        words = tri_str_sub(words, end + (end < words.len), words.len);
    }
    return ok;
}

static LLVMValueRef make_steps(reader *r, const char *name)
{
    return tri_writer_array(r->w, tri_record_type(r->w->llvm, TRI_RECORD_step), r->steps.at, r->steps.len, name);
}

bool tri_writer_grid(tri_writer *w, const tri_kernel *k, const tri_object_args *args, LLVMValueRef *out,
                     size_t *out_count)
{
    reader r = {.w = w, .k = k, .args = args, .what = "grid"};
    *out = NULL;
    *out_count = 0;
    if (!k->grid.len)
        return true;
    if (!read_words(&r, k->grid, 0))
        return false;
    tri_vec_push(w->arena, &r.steps, make_step(w, TRI_RT_NEXT_DIMENSION, NULL, 0));
    *out = make_steps(&r, "grid");
    *out_count = r.steps.len;
    return true;
}

bool tri_writer_heuristics(tri_writer *w, const tri_kernel *k, const tri_object_args *args, LLVMValueRef *out,
                           size_t *out_count)
{
    LLVMValueRef rows[TRI_RT_MAX_HEURISTICS];
    tri_str name;
    int64_t value;
    *out = NULL;
    *out_count = 0;
    for (tri_str rest = k->heuristics; rest.len && *out_count < TRI_RT_MAX_HEURISTICS; ++*out_count) {
        reader r = {.w = w, .k = k, .args = args, .what = "heuristics"};
        if (!read_words(&r, take_rule(&rest, &name, &value), 0))
            return false;
        tri_record row = tri_record_start(w->llvm, TRI_RECORD_heuristic);
        tri_record_set(&row, heuristic, steps, make_steps(&r, "heuristic"));
        tri_record_set_number(&row, heuristic, step_count, r.steps.len);
        rows[*out_count] = tri_record_finish(&row);
    }
    if (*out_count)
        *out = tri_writer_array(w, tri_record_type(w->llvm, TRI_RECORD_heuristic), rows, *out_count, "heuristics");
    return true;
}

LLVMValueRef tri_writer_computed(tri_writer *w, const tri_kernel *k)
{
    LLVMValueRef values[TRI_RT_MAX_HEURISTICS];
    unsigned count = 0;
    tri_str name;
    for (tri_str rest = k->heuristics; rest.len && count < TRI_RT_MAX_HEURISTICS; count++) {
        int64_t value = 0;
        take_rule(&rest, &name, &value);
        values[count] = LLVMConstInt(w->i64, (uint64_t)value, true);
    }
    return count ? tri_writer_constant(w, LLVMConstArray2(w->i64, values, count), "computed") : NULL;
}
