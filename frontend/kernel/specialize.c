#include "frontend/kernel/specialize.h"

#include "frontend/kernel/types.h"
#include "ir/machines.h"
#include "ir/op.h"
#include "ir/options.h"
#include "ir/type.h"

enum { code_specialize = 3036, alignment = 16 };

/* --- what a parameter may be specialised for ---------------------------------------------- */

/* Triton's rules: pointers and integers unless do_not_specialize names them; booleans and floats never. */
static bool takes_hint(const tri_signature_param *p)
{
    const tri_type *t = p->arg.type;
    bool is_int = p->arg.kind == TRI_ARG_VALUE && tri_types_is_int(t) && t->dtype != TRI_DTYPE_INT1;
    bool is_ptr = p->arg.kind == TRI_ARG_VALUE && t->kind == TRI_TYPE_PTR;
    return (is_int || is_ptr) && !p->keeps_alignment;
}

static bool takes_value(const tri_signature_param *p)
{
    const tri_type *t = p->arg.type;
    return p->arg.kind == TRI_ARG_VALUE && tri_types_is_int(t) && t->dtype != TRI_DTYPE_INT1 && !p->keeps_value;
}

static tri_signature copy_of(tri_arena *arena, const tri_signature *general)
{
    tri_signature copy = *general;
    copy.params.at = NULL;
    copy.params.len = copy.params.cap = 0;
    for (size_t i = 0; i < general->params.len; i++)
        tri_vec_push(arena, &copy.params, general->params.at[i]);
    return copy;
}

static void set_value(tri_arena *arena, tri_signature_param *p, int64_t value)
{
    p->passed = p->arg.type;
    p->arg = (tri_arg){.kind = TRI_ARG_CONSTANT, .value = tri_value_int(arena, value), .at = p->arg.at};
}

/* --- the aligned form ---------------------------------------------------------------------- */

/* A block whose only dimension with several elements is the last: an index along a row. */
static bool is_row(MlirType type)
{
    if (!tri_type_is_tensor(type))
        return false;
    int rank = tri_type_rank(type);
    for (int d = 0; d < rank; d++)
        if ((tri_type_dim(type, d) > 1) != (d == rank - 1))
            return false;
    return rank > 0;
}

/* Does it multiply a row's index, as the distance between neighbours in memory does? */
static bool multiplies_row(MlirValue value)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); use.ptr; use = mlirOpOperandGetNextUse(use)) {
        MlirOperation owner = mlirOpOperandGetOwner(use);
        tri_str name = tri_op_name(owner);
        if (tri_str_is(name, "arith.muli") && is_row(mlirValueGetType(value)))
            return true;
        bool is_passed_on =
            tri_str_is(name, "tt.splat") || tri_str_is(name, "arith.extsi") || tri_str_is(name, "tt.broadcast");
        if (is_passed_on && multiplies_row(mlirOperationGetResult(owner, 0)))
            return true;
    }
    return false;
}

/* How many arguments of the function a parameter becomes. */
static intptr_t argument_count(const tri_arg *arg)
{
    intptr_t count = arg->kind == TRI_ARG_VALUE ? 1 : arg->kind == TRI_ARG_DESC ? 1 + 2 * arg->type->rank : 0;
    for (int i = 0; arg->kind == TRI_ARG_TUPLE && i < arg->item_count; i++)
        count += argument_count(&arg->items[i]);
    return count;
}

/* Hints in -sig are promises: who gave one for every pointer wants this form alone. */
static bool is_promised(const tri_signature *s)
{
    bool has_hint = false, has_other_pointer = false;
    for (size_t i = 0; i < s->params.len; i++) {
        const tri_arg *arg = &s->params.at[i].arg;
        bool is_hinted = arg->divisibility > 1, is_ptr = arg->kind == TRI_ARG_VALUE && arg->type->kind == TRI_TYPE_PTR;
        has_hint = has_hint || is_hinted;
        has_other_pointer = has_other_pointer || (is_ptr && !is_hinted);
    }
    return has_hint && !has_other_pointer;
}

/* Nothing else of a pointer is a promise. */
static bool make_small(tri_arena *arena, const tri_signature *general, tri_signature *out)
{
    bool has_any = false;
    *out = copy_of(arena, general);
    for (size_t i = 0; i < out->params.len; i++) {
        tri_signature_param *p = &out->params.at[i];
        bool is_new = takes_hint(p) && p->arg.type->kind == TRI_TYPE_PTR && !p->arg.is_small;
        p->arg.is_small = p->arg.is_small || is_new;
        has_any = has_any || is_new;
    }
    return has_any;
}

/* Pointers and integers are divisible by 16; those that stride along rows are 1. */
static bool make_aligned(tri_arena *arena, const tri_signature *general, MlirOperation function, tri_signature *out)
{
    bool has_any = false;
    MlirBlock body = tri_op_body(function, 0);
    intptr_t at = 0;
    if (is_promised(general))
        return false;
    *out = copy_of(arena, general);
    for (size_t i = 0; i < out->params.len; i++) {
        tri_signature_param *p = &out->params.at[i];
        intptr_t count = argument_count(&p->arg);
        if (takes_value(p) && p->arg.divisibility <= 1 && multiplies_row(mlirBlockGetArgument(body, at)))
            set_value(arena, p, 1);
        else if (takes_hint(p) && p->arg.divisibility < alignment)
            p->arg.divisibility = alignment;
        else
            count = -count;
        has_any = has_any || count > 0;
        at += count < 0 ? -count : count;
    }
    return has_any;
}

/* --- forms as -fspecialize spells them ------------------------------------------------------- */

typedef struct {
    tri_str name;
    bool is_value; /* NAME=N, else NAME:N */
    int64_t number;
    bool is_small; /* NAME:S */
} item;

/* Takes an item off a form's text; false when it is none. */
static bool take_item(tri_str *text, item *out)
{
    size_t end = tri_str_find(*text, ',');
    tri_str word = tri_str_trim(tri_str_sub(*text, 0, end));
    size_t colon = tri_str_find(word, ':'), equals = tri_str_find(word, '=');
    size_t sign = colon < equals ? colon : equals;
    *text = tri_str_sub(*text, end + (end < text->len), text->len);
    out->name = tri_str_trim(tri_str_sub(word, 0, sign));
    tri_str value = tri_str_trim(tri_str_sub(word, sign + 1, word.len));
    out->is_value = equals < colon;
    out->is_small = !out->is_value && tri_str_is(value, "S");
    return sign < word.len && out->name.len &&
           (out->is_small || (tri_str_to_i64(value, &out->number) &&
                              (out->is_value || (out->number > 1 && out->number <= 65536))));
}

/* Takes a form off a list: what stands before the next ';'. */
static tri_str take_form(tri_str *list)
{
    size_t end = tri_str_find(*list, ';');
    tri_str form = tri_str_trim(tri_str_sub(*list, 0, end));
    *list = tri_str_sub(*list, end + (end < list->len), list->len);
    return form;
}

static tri_signature_param *find_param(tri_signature *s, tri_str name)
{
    for (size_t i = 0; i < s->params.len; i++)
        if (tri_str_equal(s->params.at[i].name, name))
            return &s->params.at[i];
    return NULL;
}

/* False when the form does not suit the kernel, for instance since it names other parameters. */
static bool make_form(tri_arena *arena, const tri_signature *general, tri_str form, tri_signature *out)
{
    item i;
    *out = copy_of(arena, general);
    while (form.len) {
        if (!take_item(&form, &i))
            return false;
        tri_signature_param *p = find_param(out, i.name);
        if (!p || !(i.is_value ? takes_value(p) : takes_hint(p)))
            return false;
        if (i.is_small && p->arg.type->kind != TRI_TYPE_PTR)
            return false;
        if (i.is_small)
            p->arg.is_small = true;
        else if (i.is_value)
            set_value(arena, p, i.number);
        else
            p->arg.divisibility = (int32_t)i.number;
    }
    return true;
}

static bool report_specialize(tri_unit *unit, tri_str form, const char *why)
{
    tri_diag_error(unit->diag, TRI_NO_SPAN, code_specialize, "-fspecialize: '%.*s' %s", TRI_STR_ARG(form), why);
    return false;
}

static bool check_form(tri_unit *unit, const tri_signature_list *kernels, tri_str form)
{
    tri_signature made;
    item i;
    for (tri_str rest = form; rest.len;)
        if (!take_item(&rest, &i))
            return report_specialize(unit, form,
                                     "is not NAME:DIVISOR, NAME:S or NAME=NUMBER, of which several are joined by ','");
    for (size_t n = 0; n < kernels->len; n++)
        if (make_form(unit->arena, &kernels->at[n], form, &made))
            return true;
    return report_specialize(unit, form,
                             "fits no kernel: it must name pointers and integers that are not constants already");
}

bool tri_specialize_check(tri_unit *unit, const tri_signature_list *kernels)
{
    for (size_t n = 0; n < unit->options->specialize.len; n++) {
        tri_str list = unit->options->specialize.at[n];
        if (!tri_str_trim(list).len)
            return report_specialize(unit, list, "is empty; give 'none', 'default' or forms such as 'x:16,n:16;n=1'");
        while (list.len) {
            tri_str form = take_form(&list);
            bool is_word = tri_str_is(form, "default") || tri_str_is(form, "none");
            if (!is_word && !check_form(unit, kernels, form))
                return false;
        }
    }
    return true;
}

/* Does it ask nothing of arguments that the general form does not? */
static bool is_same(const tri_unit *unit, const tri_signature *general, const tri_signature *made)
{
    for (size_t i = 0; i < made->params.len; i++) {
        const tri_arg *a = &general->params.at[i].arg, *b = &made->params.at[i].arg;
        if (a->kind != b->kind || a->divisibility != b->divisibility ||
            (unit->arch->has_buffers && a->is_small != b->is_small))
            return false;
    }
    return true;
}

static void add(tri_arena *arena, tri_special_list *list, const tri_signature *s, bool may_fail)
{
    tri_vec_push(arena, list, (tri_special){*s, may_fail});
}

/* Aligned, for arrays of less than 2 GiB where that counts, and for any. */
static void add_default(tri_unit *unit, const tri_signature *general, MlirOperation function, tri_special_list *list)
{
    tri_signature aligned, small;
    bool is_aligned = make_aligned(unit->arena, general, function, &aligned);
    if (unit->arch->has_buffers && make_small(unit->arena, is_aligned ? &aligned : general, &small))
        add(unit->arena, list, &small, true);
    if (is_aligned)
        add(unit->arena, list, &aligned, true);
}

tri_special_list tri_specialize_list(tri_unit *unit, const tri_signature *general, MlirOperation function)
{
    tri_special_list list = {0};
    tri_signature made;
    for (size_t n = 0; n < unit->options->specialize.len; n++) {
        tri_str rest = unit->options->specialize.at[n];
        while (rest.len) {
            tri_str form = take_form(&rest);
            if (tri_str_is(form, "none"))
                list.len = 0;
            else if (tri_str_is(form, "default"))
                add_default(unit, general, function, &list);
            else if (make_form(unit->arena, general, form, &made) && !is_same(unit, general, &made))
                add(unit->arena, &list, &made, false);
        }
    }
    return list;
}
