/* Steps of the launcher's grids (runtime/launch/grid.c) from the words that the front end left (ir/kernel.h). */
#include "targets/object/writer.h"

#include "llvm-c/Core.h"

static const struct {
    const char *word;
    int op;
} operators[] = {
    {"+", TRI_RT_ADD},       {"-", TRI_RT_SUB},     {"*", TRI_RT_MUL},     {"//", TRI_RT_FLOOR_DIV},
    {"%", TRI_RT_MOD},       {"cdiv", TRI_RT_CDIV}, {"min", TRI_RT_MIN},   {"max", TRI_RT_MAX},
    {"next_power_of_2", TRI_RT_NEXT_POWER}, {";", TRI_RT_NEXT_DIMENSION},
};

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

static LLVMValueRef read_word(tri_writer *w, const tri_kernel *k, const tri_object_args *args, tri_str word)
{
    int64_t value;
    if (tri_str_to_i64(word, &value))
        return make_step(w, TRI_RT_PUSH, NULL, value);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (tri_str_is(word, operators[i].word))
            return make_step(w, operators[i].op, NULL, 0);
    for (size_t i = 0; i < args->at.len; i++)
        if (tri_str_equal(args->at.at[i].name, word) && args->at.at[i].type.kind == TRI_CTYPE_INT)
            return make_step(w, TRI_RT_ARGUMENT, &args->at.at[i], 0);
    return find_constant(k, word, &value) ? make_step(w, TRI_RT_PUSH, NULL, value) : NULL;
}

bool tri_writer_grid(tri_writer *w, const tri_kernel *k, const tri_object_args *args, LLVMValueRef *out,
                     size_t *out_count)
{
    TRI_VEC(LLVMValueRef) steps = {0};
    *out = NULL;
    *out_count = 0;
    for (tri_str rest = k->grid; rest.len;) {
        size_t end = tri_str_find(rest, ' ');
        tri_str word = tri_str_sub(rest, 0, end);
        LLVMValueRef step = read_word(w, k, args, word);
        if (!step) {
            tri_diag_error(w->diag, TRI_NO_SPAN, 3037, "in the grid of '%.*s': '%.*s' is no integer",
                           TRI_STR_ARG(k->name), TRI_STR_ARG(word));
            return false;
        }
        tri_vec_push(w->arena, &steps, step);
        rest = tri_str_sub(rest, end + (end < rest.len), rest.len);
    }
    if (!steps.len)
        return true;
    tri_vec_push(w->arena, &steps, make_step(w, TRI_RT_NEXT_DIMENSION, NULL, 0));
    *out = tri_writer_array(w, tri_record_type(w->llvm, TRI_RECORD_step), steps.at, steps.len, "grid");
    *out_count = steps.len;
    return true;
}
