/* The signature that messages suggest. What nothing gives is inferred from its uses and read from launches in the
 * file; then the kernel is compiled with it, as far as ttir and for nothing but the answer, and while it does not
 * compile one guess after another is changed: other element types, other extents, other flags. A change stays when
 * it leaves fewer errors, or the first of them further down. The number of trials is bounded. */
#include "frontend/kernel/trial.h"
#include "frontend/kernel/annotation.h"
#include "frontend/kernel/signature_infer.h"
#include "frontend/kernel/signature_kernel.h"
#include "frontend/kernel/signature_launch.h"
#include "frontend/host/budget.h"

enum {
    MOST_TRIALS = 400,
    MOST_OPS = 600000,         /* of all trials together */
    LARGEST_OF_WARP = 4 << 10, /* elements of a block: more do not fit its registers */
    MOST_SHARED = 160 << 10,   /* bytes */
    MOST_EXTENTS = 6,          /* that are tried for each side of a descriptor */
};

typedef struct {
    tri_signature_kernel *k;
    size_t count;
    tri_str *texts; /* per parameter */
    bool *is_free;  /* guessed, and so may change */
    tri_trial best;
    int trials;
    int64_t ops;
} search;

static bool can_try(const search *s)
{
    tri_modules *all = s->k->c->all;
    return tri_module_target(all) && tri_module_unit(all)->mlir.ptr;
}

/* --- what is known ----------------------------------------------------------------------- */

static tri_str text_of_known(const tri_signature_kernel *k, size_t i)
{
    const tri_arg *arg = &k->signature.params.at[i].arg;
    if (k->text && arg->at.source == k->text->source) /* as the user spelled it */
        return tri_str_sub(arg->at.source->text, arg->at.begin, arg->at.end);
    tri_buf out = {0};
    if (arg->kind == TRI_ARG_CONSTANT)
        tri_value_repr(arg->value, &out);
    else if (arg->kind == TRI_ARG_VALUE)
        tri_types_print_signature(arg->type, &out);
    tri_str text = tri_str_copy(k->c->arena, tri_buf_str(&out));
    tri_buf_fini(&out);
    return text;
}

static bool is_pointer_text(tri_str text) { return tri_str_has_prefix(text, "*"); }
static bool is_descriptor(tri_str text) { return tri_str_has_prefix(text, "tensordesc"); }

/* "(*fp32, i32)" or "Part(x=*fp32, n=64)". */
static bool is_tuple(tri_str text) { return tri_str_find(text, '(') < text.len; }

/* A launch knows better which scalar or which array it is, but not whether it is one. */
static tri_str join_launch(tri_str inferred, tri_str launched, bool is_constexpr)
{
    if (!launched.len || is_descriptor(inferred) || (is_tuple(inferred) && !is_tuple(launched)) ||
        (!is_constexpr && is_pointer_text(inferred) != is_pointer_text(launched)))
        return inferred;
    if (!is_constexpr && tri_str_is(launched, "i32") && tri_str_is(inferred, "fp32"))
        return inferred; /* 1 where floats are wanted */
    return launched;
}

static tri_str guess_of(const search *s, const tri_signature_uses *uses, const tri_str *launched, size_t i)
{
    const tri_ast_node *param = tri_signature_param_at(s->k->function, i);
    bool is_constexpr = tri_annotation_is_constexpr(param);
    tri_buf out = {0};
    tri_signature_infer_print(uses, param->param.name, is_constexpr, &out);
    tri_str text = tri_str_copy(s->k->c->arena, tri_buf_str(&out));
    tri_buf_fini(&out);
    return join_launch(text, launched[i], is_constexpr);
}

/* --- trials ------------------------------------------------------------------------------ */

static bool parse_guess(const search *s, size_t i, tri_arg *out)
{
    const tri_signature_kernel *k = s->k;
    const tri_ast_node *param = tri_signature_param_at(k->function, i);
    tri_str what = tri_str_format(k->c->arena, "<type of '%.*s'>", TRI_STR_ARG(param->param.name));
    const tri_source *source = tri_diag_add_source(k->c->diag, what, s->texts[i]);
    return tri_signature_text_argument(k->c->all, k->function->scope, param->param.name, source->text,
                                       (tri_span){source, 0, (uint32_t)source->text.len},
                                       tri_annotation_is_constexpr(param), out);
}

/* Compiles with the texts as they are; false when nothing more is to be tried. */
static bool try_guesses(search *s, tri_trial *out)
{
    tri_signature signature = s->k->signature;
    bool ok = s->trials++ < MOST_TRIALS && s->ops < MOST_OPS;
    *out = (tri_trial){.errors = SIZE_MAX};
    if (!ok)
        return false;
    signature.params.at = TRI_NEW_ARRAY(s->k->c->arena, tri_signature_param, s->count + 1);
    tri_diag_hold(s->k->c->diag);
    for (size_t i = 0; i < s->count; i++) {
        signature.params.at[i] = s->k->signature.params.at[i];
        if (s->is_free[i])
            ok = parse_guess(s, i, &signature.params.at[i].arg) && ok;
    }
    tri_diag_drop(s->k->c->diag);
    if (ok) {
        *out = tri_trial_run(s->k->c->all, &signature);
        s->ops += out->ops;
    }
    return true;
}

static int64_t largest_block(const search *s)
{
    int warps = s->k->signature.num_warps;
    return (int64_t)LARGEST_OF_WARP * (warps ? warps : 4);
}

static bool is_fine_trial(const search *s, const tri_trial *t)
{
    return !t->errors && t->largest <= largest_block(s) && t->shared <= MOST_SHARED;
}

static bool is_fine(const search *s) { return is_fine_trial(s, &s->best); }

/* Is `a` smaller than `b` where that is too large, and nowhere larger? */
static bool is_smaller_trial(const search *s, const tri_trial *a, const tri_trial *b)
{
    return a->largest <= b->largest && a->shared <= b->shared &&
           ((a->largest < b->largest && b->largest > largest_block(s)) ||
            (a->shared < b->shared && b->shared > MOST_SHARED));
}

/* Is the first error of `a` behind that of `b` (1), before it (-1), or at the same place? */
static int compare_places(const tri_trial *a, const tri_trial *b)
{
    if (!a->first.source || !b->first.source) /* found when the whole was verified: behind all others */
        return !a->first.source - !b->first.source;
    if (a->first.source != b->first.source)
        return 0;
    return (a->first.begin > b->first.begin) - (a->first.begin < b->first.begin);
}

/* `is_other`: the change makes another kind of thing of a parameter, for which a later error is no reason. What
 * makes fewer operations has only broken more. */
static bool is_better_trial(const search *s, const tri_trial *a, const tri_trial *b, bool is_other)
{
    if (!a->errors)
        return b->errors || is_smaller_trial(s, a, b);
    int place = compare_places(a, b);
    if (!b->errors || place < 0 || a->ops < b->ops)
        return false;
    return a->errors < b->errors || (place > 0 && !is_other);
}

typedef enum { IS_VALUE, IS_POINTER, IS_FLOAT, IS_INTEGER } text_kind;

static text_kind kind_of_text(tri_str text)
{
    bool is_float = tri_str_has_prefix(text, "fp") || tri_str_has_prefix(text, "bf");
    bool is_integer = tri_str_has_prefix(text, "i") || tri_str_has_prefix(text, "u");
    return is_pointer_text(text) ? IS_POINTER : is_float ? IS_FLOAT : is_integer ? IS_INTEGER : IS_VALUE;
}

/* Keeps the texts as they are now if that is better, and says so; else takes `before` back. */
static bool keep_better(search *s, const tri_str *before)
{
    tri_trial now;
    bool is_other = false;
    for (size_t i = 0; i < s->count; i++)
        is_other = is_other || kind_of_text(s->texts[i]) != kind_of_text(before[i]);
    if (try_guesses(s, &now) && is_better_trial(s, &now, &s->best, is_other)) {
        s->best = now;
        return true;
    }
    memcpy(s->texts, before, s->count * sizeof *before);
    return false;
}

static tri_str *copy_texts(const search *s)
{
    tri_str *copy = TRI_NEW_ARRAY(s->k->c->arena, tri_str, s->count + 1);
    memcpy(copy, s->texts, s->count * sizeof *copy);
    return copy;
}

/* --- changes ----------------------------------------------------------------------------- */

static bool is_number_text(tri_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return text.len > 0;
}

/* What may stand instead of a guess. */
static const char *const *others_of(tri_str text)
{
    static const char *const numbers[] = {"16", "32", "64", "128", "1", "2", "4", "8", "0", "256", "False", NULL};
    static const char *const pointers[] = {"*fp32:16", "*fp16:16", "*bf16:16", "*i32:16", "*i64:16",
                                           "*u8:16",   "*i8:16",   "*i1",      NULL};
    static const char *const scalars[] = {"*fp32:16", "*i32:16", "fp32", "i64", "i32", "i1", NULL};
    static const char *const yes[] = {"True", NULL}, *const no[] = {"False", NULL}, *const none[] = {NULL};
    static const char *const of_float[] = {"*fp32:16", NULL};
    static const char *const types[] = {"tl.float16", "tl.int32", NULL};
    if (is_number_text(text))
        return numbers;
    if (is_pointer_text(text))
        return pointers;
    if (tri_str_is(text, "i32") || tri_str_is(text, "i1"))
        return scalars;
    if (tri_str_is(text, "fp32")) /* never an integer: that would compile and be wrong */
        return of_float;
    return tri_str_is(text, "True")         ? no
           : tri_str_is(text, "False")      ? yes
           : tri_str_is(text, "tl.float32") ? types
                                            : none;
}

static bool is_type_text(tri_str text) { return kind_of_text(text) != IS_VALUE; }

static size_t count_alike(const search *s, tri_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        count += s->is_free[i] && tri_str_equal(s->texts[i], text);
    return count;
}

/* Every guess that says `from` says `to`; of one alone that is change_one's, and no two numbers are flags. */
static bool change_all(search *s, tri_str from, const char *to)
{
    if (tri_str_is(from, to) || strcmp(to, "i1") == 0 || count_alike(s, from) < 2)
        return false;
    tri_str *before = copy_texts(s);
    for (size_t i = 0; i < s->count; i++)
        if (s->is_free[i] && tri_str_equal(before[i], from))
            s->texts[i] = tri_str_from(to);
    return keep_better(s, before);
}

static bool change_alike(search *s, bool types)
{
    bool improved = false;
    for (size_t i = 0; i < s->count && !is_fine(s); i++) {
        bool is_first = s->is_free[i] && is_type_text(s->texts[i]) == types;
        for (size_t n = 0; n < i && is_first; n++)
            is_first = !s->is_free[n] || !tri_str_equal(s->texts[n], s->texts[i]);
        const char *const *other = others_of(s->texts[i]);
        for (tri_str from = s->texts[i]; is_first && *other && !improved; other++)
            improved = change_all(s, from, *other);
    }
    return improved;
}

static bool change_one(search *s, size_t i)
{
    for (const char *const *other = others_of(s->texts[i]); *other; other++) {
        tri_str *before = copy_texts(s);
        s->texts[i] = tri_str_from(*other);
        if (!tri_str_is(before[i], *other) && keep_better(s, before))
            return true;
    }
    return false;
}

/* The extents that the constants of the kernel offer, 1 among them. */
static size_t extents_of(const search *s, tri_str *out)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count && count < MOST_EXTENTS - 1; i++) {
        bool is_new = is_number_text(s->texts[i]) && !tri_str_is(s->texts[i], "0") && !tri_str_is(s->texts[i], "1");
        for (size_t n = 0; n < count && is_new; n++)
            is_new = !tri_str_equal(out[n], s->texts[i]);
        if (is_new)
            out[count++] = s->texts[i];
    }
    out[count++] = TRI_STR("1");
    return count;
}

/* "tensordesc<fp32[64, 64]>" with another element type, or other last two sides. */
static tri_str make_descriptor(const search *s, tri_str text, tri_str element, tri_str rows, tri_str columns)
{
    size_t open = tri_str_find(text, '['), close = tri_str_find_last(text, ']');
    tri_str sides = tri_str_sub(text, open + 1, close);
    size_t last = tri_str_find_last(sides, ',');
    if (last == sides.len)
        return tri_str_format(s->k->c->arena, "tensordesc<%.*s[%.*s]>", TRI_STR_ARG(element), TRI_STR_ARG(columns));
    size_t before = tri_str_find_last(tri_str_sub(sides, 0, last), ',');
    tri_str outer = before == last ? TRI_STR("") : tri_str_sub(sides, 0, before + 1);
    return tri_str_format(s->k->c->arena, "tensordesc<%.*s[%.*s%s%.*s, %.*s]>", TRI_STR_ARG(element),
                          TRI_STR_ARG(outer), outer.len ? " " : "", TRI_STR_ARG(rows), TRI_STR_ARG(columns));
}

static tri_str element_of_text(tri_str text)
{
    return tri_str_sub(text, strlen("tensordesc<"), tri_str_find(text, '['));
}

static bool change_descriptor(search *s, size_t i)
{
    tri_str extents[MOST_EXTENTS], text = s->texts[i], element = element_of_text(text);
    size_t count = extents_of(s, extents);
    for (size_t r = 0; r < count; r++)
        for (size_t c = 0; c < count; c++) {
            tri_str *before = copy_texts(s);
            s->texts[i] = make_descriptor(s, text, element, extents[r], extents[c]);
            if (!tri_str_equal(s->texts[i], text) && keep_better(s, before))
                return true;
            s->texts[i] = text;
        }
    return false;
}

/* Descriptors of one kernel mostly have one element type. */
static bool change_elements(search *s)
{
    static const char *const elements[] = {"fp16", "fp8e5", "u8", NULL};
    for (const char *const *element = elements; *element; element++) {
        tri_str *before = copy_texts(s);
        bool changed = false;
        for (size_t i = 0; i < s->count; i++) {
            if (!s->is_free[i] || !is_descriptor(before[i]) || tri_str_is(element_of_text(before[i]), *element))
                continue;
            tri_str rest = tri_str_sub(before[i], tri_str_find(before[i], '['), before[i].len);
            s->texts[i] = tri_str_format(s->k->c->arena, "tensordesc<%s%.*s", *element, TRI_STR_ARG(rest));
            changed = true;
        }
        if (changed && keep_better(s, before))
            return true;
    }
    return false;
}

/* Changes one thing after another while that helps. */
static void climb(search *s)
{
    bool goes_on = !is_fine(s);
    while (goes_on && !is_fine(s)) {
        goes_on = false;
        for (size_t i = 0; i < s->count && !is_fine(s); i++)
            if (s->is_free[i] && is_descriptor(s->texts[i]))
                goes_on = change_descriptor(s, i) || goes_on;
        goes_on = (!is_fine(s) && change_elements(s)) || goes_on;
        for (int types = 0; types < 2; types++) { /* values first: there are fewer, and types are surer */
            goes_on = (!is_fine(s) && change_alike(s, types)) || goes_on;
            for (size_t i = 0; i < s->count && !is_fine(s); i++)
                if (s->is_free[i] && !is_descriptor(s->texts[i]) && is_type_text(s->texts[i]) == types)
                    goes_on = change_one(s, i) || goes_on;
        }
    }
}

static void replace_guesses(search *s, const char *from, const char *to)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->is_free[i] && tri_str_is(s->texts[i], from))
            s->texts[i] = tri_str_from(to);
}

/* Climbs from what was inferred; where that ends too low, from all flags off, floats of 16 bits and bytes, too. The
 * best that was reached stays, and what was inferred where nothing is better. */
static void improve_guesses(search *s)
{
    tri_budget saved = *tri_module_budget(s->k->c->all);
    const tri_str *inferred = copy_texts(s), *best = inferred;
    tri_trial best_trial = {.errors = SIZE_MAX};
    static const char *const elements[] = {"*fp32:16", "*fp16:16", "*bf16:16", "*i8:16"};
    for (int start = 0; start < 8 && !is_fine_trial(s, &best_trial); start++) {
        memcpy(s->texts, inferred, s->count * sizeof *inferred);
        s->trials = 0;
        if (start & 1)
            replace_guesses(s, "True", "False");
        replace_guesses(s, "*fp32:16", elements[start / 2]);
        if (!try_guesses(s, &s->best))
            break;
        climb(s);
        if (!is_better_trial(s, &s->best, &best_trial, true) && s->best.errors >= best_trial.errors)
            continue;
        best_trial = s->best;
        best = copy_texts(s);
    }
    memcpy(s->texts, best_trial.errors ? inferred : best, s->count * sizeof *inferred);
    *tri_module_budget(s->k->c->all) = saved;
}

/* The block of a descriptor as the file sets it, with the values of the parameters that it names. */
static void read_block(search *s, size_t i)
{
    const tri_function *f = s->k->function;
    const tri_ast_node *block =
        tri_signature_launch_block(tri_module_ast(f->module), tri_signature_param_at(f, i)->param.name);
    tri_buf sides = {0};
    bool ok = block != NULL;
    for (uint32_t n = 0; ok && n < block->list.len; n++) {
        const tri_ast_node *side = block->list.at[n];
        int param = side->kind == TRI_AST_NAME ? tri_module_param_index(f, tri_ast_text(side)) : -1;
        tri_str text = param >= 0 ? s->texts[param] : tri_ast_text(side);
        ok = is_number_text(text);
        tri_buf_format(&sides, "%s%.*s", n ? ", " : "", TRI_STR_ARG(text));
    }
    if (ok)
        s->texts[i] = tri_str_format(s->k->c->arena, "tensordesc<%.*s[%.*s]>",
                                     TRI_STR_ARG(element_of_text(s->texts[i])), TRI_STR_ARG(tri_buf_str(&sides)));
    tri_buf_fini(&sides);
}

/* --- all of it --------------------------------------------------------------------------- */

const tri_str *tri_signature_guess(tri_signature_kernel *k)
{
    search s = {.k = k, .count = tri_signature_params(k->function)->len};
    s.texts = TRI_NEW_ARRAY(k->c->arena, tri_str, s.count + 1);
    s.is_free = TRI_NEW_ARRAY(k->c->arena, bool, s.count + 1);
    const tri_signature_uses *uses = tri_signature_infer(k->c->all, k->function);
    if (!k->c->launches)
        k->c->launches = tri_signature_launch_collect(k->c->arena, tri_module_ast(k->c->main));
    const tri_str *launched = tri_signature_launch_read(k->c->launches, k->function, tri_annotation_is_constexpr);
    bool any = false;
    for (size_t i = 0; i < s.count; i++) {
        s.is_free[i] = !k->is_known[i];
        any = any || s.is_free[i];
        s.texts[i] = s.is_free[i] ? guess_of(&s, uses, launched, i) : text_of_known(k, i);
    }
    for (size_t i = 0; i < s.count; i++)
        if (s.is_free[i] && is_descriptor(s.texts[i]))
            read_block(&s, i);
    if (any && can_try(&s)) {
        tri_diag_hold(k->c->diag);
        improve_guesses(&s);
        tri_diag_drop(k->c->diag);
    }
    return s.texts;
}

/* Within single quotes of a shell. */
static void print_quoted(tri_str text, tri_buf *out)
{
    bool has_double = tri_str_find(text, '"') < text.len;
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] == '\'')
            tri_buf_add_z(out, has_double ? "'\\''" : "\"");
        else
            tri_buf_add_char(out, text.data[i]);
}

void tri_signature_print(const tri_signature_kernel *k, const tri_str *texts, tri_buf *out)
{
    const char *comma = "";
    tri_buf_format(out, "-sig '%.*s(", TRI_STR_ARG(k->function->name));
    for (size_t i = 0; i < tri_signature_params(k->function)->len; i++) {
        if (!texts[i].len)
            continue;
        tri_buf_format(out, "%s%.*s=", comma, TRI_STR_ARG(tri_signature_param_at(k->function, i)->param.name));
        print_quoted(texts[i], out);
        comma = ", ";
    }
    tri_buf_add_z(out, ")'");
}
