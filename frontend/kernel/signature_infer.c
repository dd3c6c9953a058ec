/* Types of parameters from their uses. Every name of a function has a set of facts (a pointer, an integer,
 * meets floats ...) that only grows; each statement is read again until no set grows. Facts flow both ways:
 * `wants` sends what a context asks for down to names, `kind_of` brings up what an expression is. What a
 * pointer points to is a fact of its own, shared by all names derived from it. Integers win over floats where
 * a name meets both: `sum / n` needs no float n, a mask or an offset needs an integer one. */
#include "frontend/kernel/signature_infer.h"

#include "frontend/kernel/signature_fields.h"
#include "frontend/kernel/signature_spell.h"
#include "frontend/kernel/signature_uses.h"
#include "frontend/kernel/signature_words.h"

typedef tri_signature_uses uses;
typedef tri_signature_slot slot;

static unsigned kind_of(uses *u, const tri_ast_node *e);
static void wants(uses *u, const tri_ast_node *e, unsigned facts);
static int target_of(uses *u, const tri_ast_node *e);

/* --- slots ------------------------------------------------------------------------------- */

static int find_slot(const uses *u, const tri_function *function, tri_str name)
{
    return tri_signature_uses_find(u, function, name, 0);
}

static int new_slot(uses *u, const tri_function *function, tri_str name, uint32_t item)
{
    slot s = {.function = function, .name = name, .item = item, .target = NO_SLOT};
    tri_vec_push(tri_module_arena(u->all), &u->slots, s);
    tri_vec_push(tri_module_arena(u->all), &u->parents, (int)u->slots.len - 1);
    return (int)u->slots.len - 1;
}

static int item_of(uses *u, const tri_function *function, tri_str name, uint32_t item)
{
    int found = tri_signature_uses_find(u, function, name, item);
    return found != NO_SLOT ? found : new_slot(u, function, name, item);
}

static int slot_of(uses *u, const tri_function *function, tri_str name) { return item_of(u, function, name, 0); }

static bool is_param(const uses *u, const tri_ast_node *e)
{
    return e->kind == TRI_AST_NAME && tri_module_param_index(u->at, tri_ast_text(e)) >= 0;
}

/* The named tuple that a parameter of the function at hand is; null: none. */
static const tri_class *class_of(uses *u, tri_str param)
{
    slot *s = &u->slots.at[slot_of(u, u->at, param)];
    if (!s->is_classified) {
        s->is_classified = true;
        s->cls = s->cls ? s->cls : tri_signature_fields_class(u->at, param);
    }
    return s->cls;
}

static int field_at(uses *u, const tri_ast_node *e)
{
    tri_str param = tri_ast_text(e->attribute.value);
    const tri_class *cls = class_of(u, param);
    uint32_t item = cls ? tri_signature_fields_find(cls, e->attribute.name) : 0;
    return item && item <= MAX_ITEMS ? item_of(u, u->at, param, item) : NO_SLOT;
}

/* The slot of a name, of `p.x` where p is a named tuple, or of `p[2]`: a parameter that items are taken of by number is
 * a tuple, for neither pointers nor numbers have such. */
static int slot_at(uses *u, const tri_ast_node *e)
{
    if (e->kind == TRI_AST_NAME)
        return find_slot(u, u->at, tri_ast_text(e));
    if (e->kind == TRI_AST_ATTRIBUTE && is_param(u, e->attribute.value))
        return field_at(u, e);
    if (e->kind != TRI_AST_SUBSCRIPT || !is_param(u, e->subscript.value))
        return NO_SLOT;
    const tri_ast_node *index = e->subscript.index;
    if (index->kind != TRI_AST_INT || index->integer.big || index->integer.value >= MAX_ITEMS)
        return NO_SLOT;
    return item_of(u, u->at, tri_ast_text(e->subscript.value), (uint32_t)index->integer.value + 1);
}

/* Of one value of a name: another, as in the other branch of an `if`, may be of another kind. */
static void learn_given(uses *u, int s, unsigned facts)
{
    slot *to = &u->slots.at[s];
    u->has_grown = u->has_grown || (to->facts | facts) != to->facts;
    to->facts |= facts;
}

/* Of a use, and so of all values of the name. */
static void learn(uses *u, int s, unsigned facts)
{
    slot *to = &u->slots.at[s];
    u->has_grown = u->has_grown || (to->wanted | facts) != to->wanted;
    to->wanted |= facts;
    learn_given(u, s, facts);
}

/* What the pointers in `s` point to. */
static int pointee(uses *u, int s)
{
    if (u->slots.at[s].target == NO_SLOT) {
        int fresh = new_slot(u, NULL, TRI_STR(""), 0);
        u->slots.at[s].target = fresh;
    }
    return tri_signature_uses_root(u, u->slots.at[s].target);
}

static void join(uses *u, int a, int b)
{
    a = tri_signature_uses_root(u, a);
    b = tri_signature_uses_root(u, b);
    if (a == b)
        return;
    u->parents.at[b] = a;
    u->has_grown = true;
    learn(u, a, u->slots.at[b].facts);
}

/* What one name is given of another: `to = from`. */
static void flow(uses *u, int to, int from)
{
    unsigned wanted = u->slots.at[to].wanted & ~(unsigned)FACT_TESTED;
    if (wanted & FACT_FLOAT) /* may be an integer that is converted */
        wanted = (wanted & ~(unsigned)FACT_FLOAT) | FACT_MEETS_FLOAT;
    learn_given(u, to, u->slots.at[from].facts & FACT_VALUES);
    learn(u, from, wanted);
    if (u->slots.at[from].facts & FACT_POINTER) {
        int target = pointee(u, from);
        join(u, target, pointee(u, to));
    }
}

/* --- calls ------------------------------------------------------------------------------- */

/* x.f(...) with a value of the kernel as x, rather than a module. */
static const tri_ast_node *receiver(uses *u, const tri_ast_node *call)
{
    const tri_ast_node *f = call->call.func;
    if (f->kind != TRI_AST_ATTRIBUTE)
        return NULL;
    const tri_ast_node *x = f->attribute.value;
    if (x->kind == TRI_AST_NAME || x->kind == TRI_AST_ATTRIBUTE)
        return slot_at(u, x) != NO_SLOT ? x : NULL;
    return x;
}

static void add_function(uses *u, const tri_function *f)
{
    for (unsigned i = 0; i < u->function_count; i++)
        if (u->functions[i] == f)
            return;
    if (u->function_count == MAX_FUNCTIONS)
        return;
    u->functions[u->function_count++] = f;
    u->has_grown = true;
    for (uint32_t i = 0; i < f->node->function.params.len; i++)
        slot_of(u, f, f->node->function.params.at[i]->param.name);
}

/* The jit function of the file, or of one that it imports, that is called; null: none. */
static const tri_function *called(uses *u, const tri_ast_node *call)
{
    tri_global g;
    const tri_ast_node *f = call->call.func;
    if (f->kind != TRI_AST_NAME || find_slot(u, u->at, tri_ast_text(f)) != NO_SLOT ||
        tri_module_find(u->at->scope, tri_ast_text(f), TRI_NO_SPAN, &g) != TRI_LOOKUP_FOUND)
        return NULL;
    const tri_value *v = tri_value_unwrap(g.value);
    if (v->kind != TRI_VALUE_FUNCTION || v->function->kind != TRI_FUNCTION_JIT ||
        v->function->node->kind != TRI_AST_FUNCTION)
        return NULL;
    add_function(u, v->function);
    return v->function;
}

static void bind(uses *u, const tri_function *f, tri_str param, const tri_ast_node *value)
{
    int s = slot_of(u, f, param);
    learn_given(u, s, kind_of(u, value) & FACT_VALUES);
    wants(u, value, u->slots.at[s].wanted);
    int target = target_of(u, value);
    if (target != NO_SLOT)
        join(u, target, pointee(u, s));
    int given = slot_at(u, value);
    if (given == NO_SLOT)
        return;
    slot *from = &u->slots.at[given], *to = &u->slots.at[s];
    if (!from->compared && to->compared)
        from->compared = to->compared;
    from->rank = from->rank ? from->rank : to->rank;
    from->cls = from->cls ? from->cls : to->cls;
    for (uint32_t item = 1; item <= MAX_ITEMS && is_param(u, value); item++)
        if (tri_signature_uses_find(u, f, param, item) != NO_SLOT)
            flow(u, tri_signature_uses_find(u, f, param, item), item_of(u, u->at, tri_ast_text(value), item));
}

static void bind_arguments(uses *u, const tri_ast_node *call, const tri_function *f)
{
    const tri_ast_list *params = &f->node->function.params;
    for (uint32_t i = 0; i < call->call.args.len && i < params->len; i++) {
        if (call->call.args.at[i]->kind == TRI_AST_STARRED)
            break;
        bind(u, f, params->at[i]->param.name, call->call.args.at[i]);
    }
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        const tri_ast_node *keyword = call->call.keywords.at[i];
        if (tri_module_param_index(f, keyword->keyword.name) >= 0)
            bind(u, f, keyword->keyword.name, keyword->keyword.value);
    }
}

/* A float or an integer, as what a pointer points to; 0: not known. */
static unsigned kind_of_pointee(const uses *u, int target)
{
    unsigned facts = target == NO_SLOT ? 0 : u->slots.at[target].facts;
    return facts & FACT_FLOAT ? FACT_FLOAT : facts & FACT_INT ? FACT_INT : u->loads_are_floats ? FACT_FLOAT : 0;
}

/* The same of a type: as it is spelled, or of `p.dtype.element_ty` and `x.dtype`. */
static unsigned kind_of_type(uses *u, const tri_ast_node *type)
{
    unsigned spelled = tri_signature_spell_kind(type);
    if (spelled || !type || type->kind != TRI_AST_ATTRIBUTE)
        return spelled;
    const tri_ast_node *of = type->attribute.value;
    if (tri_str_is(type->attribute.name, "element_ty") && of->kind == TRI_AST_ATTRIBUTE)
        return kind_of_pointee(u, target_of(u, of->attribute.value));
    return tri_str_is(type->attribute.name, "dtype") ? kind_of(u, of) & (FACT_FLOAT | FACT_INT) : 0;
}

/* --- what an expression is --------------------------------------------------------------- */

static unsigned kind_of_call(uses *u, const tri_ast_node *e)
{
    tri_str f = tri_signature_spell_callee(e);
    const tri_ast_node *self = receiver(u, e);
    const tri_function *callee = called(u, e);
    if (callee) {
        int result = slot_of(u, callee, TRI_STR("")); /* may move the slots */
        return u->slots.at[result].facts & FACT_VALUES;
    }
    if (tri_str_is(f, "to") || tri_str_is(f, "cast")) {
        const tri_ast_node *type = tri_ast_call_argument(e, "dtype", self ? 0 : 1);
        const tri_ast_node *value = self ? self : e->call.args.len ? e->call.args.at[0] : NULL;
        unsigned named = kind_of_type(u, type);
        /* a float stays one where nothing is known of the type; an integer may become one */
        return tri_signature_spell_is_pointer(type) ? FACT_POINTER
               : named || !value                    ? named
                                                    : kind_of(u, value) & FACT_FLOAT;
    }
    if (self && (kind_of(u, self) & FACT_DESCRIPTOR))
        return FACT_FLOAT;
    if (touches_memory(f)) {
        return kind_of_pointee(u, self || !e->call.args.len ? NO_SLOT : target_of(u, e->call.args.at[0]));
    }
    if (tri_str_is(f, "make_tensor_descriptor"))
        return FACT_DESCRIPTOR;
    if (tri_str_is(f, "zeros") || tri_str_is(f, "full"))
        return kind_of_type(u, tri_signature_spell_dtype(e));
    if (tri_str_is(f, "dot") && e->call.args.len && kind_of(u, e->call.args.at[0]) == FACT_INT)
        return FACT_INT;
    if (is_one_of(f, float_makers))
        return FACT_FLOAT;
    if (is_one_of(f, int_makers))
        return FACT_INT;
    unsigned facts = self ? kind_of(u, self) & FACT_VALUES : 0;
    if (is_one_of(f, same_kind))
        for (uint32_t i = first_operand(f); i < operands_end(f, self != NULL) && i < e->call.args.len; i++)
            facts |= kind_of(u, e->call.args.at[i]) & FACT_VALUES;
    return facts & FACT_FLOAT ? facts & ~(unsigned)FACT_INT : facts;
}

static unsigned kind_of_binary(uses *u, const tri_ast_node *e)
{
    unsigned left = kind_of(u, e->binary.left), right = kind_of(u, e->binary.right), facts = left | right;
    if (facts & FACT_POINTER)
        return FACT_POINTER;
    if ((facts & FACT_FLOAT) || e->binary.op == TRI_AST_DIV_OP)
        return FACT_FLOAT;
    /* of `p + pid` and `x * pid` nothing is known while p may be a pointer and x a float */
    bool is_open = (!left && e->binary.left->kind != TRI_AST_INT) || (!right && e->binary.right->kind != TRI_AST_INT);
    return is_open ? 0 : facts & FACT_INT;
}

static unsigned kind_of(uses *u, const tri_ast_node *e)
{
    int s;
    switch (e->kind) {
    case TRI_AST_NAME:
        s = slot_at(u, e);
        return s == NO_SLOT ? 0 : u->slots.at[s].facts & (FACT_VALUES | FACT_TILE);
    case TRI_AST_FLOAT:
        return FACT_FLOAT;
    case TRI_AST_BINARY:
        return kind_of_binary(u, e);
    case TRI_AST_UNARY:
        return e->unary.op == TRI_AST_NOT_OP ? 0 : kind_of(u, e->unary.operand);
    case TRI_AST_ATTRIBUTE:
        s = slot_at(u, e);
        return s == NO_SLOT ? 0 : u->slots.at[s].facts & (FACT_VALUES | FACT_TILE);
    case TRI_AST_SUBSCRIPT:
        s = slot_at(u, e);
        return s == NO_SLOT ? kind_of(u, e->subscript.value) : u->slots.at[s].facts & (FACT_VALUES | FACT_TILE);
    case TRI_AST_CONDITIONAL:
        return kind_of(u, e->conditional.then) | kind_of(u, e->conditional.orelse);
    case TRI_AST_CALL:
        return kind_of_call(u, e);
    default:
        return 0;
    }
}

/* The slot of what a pointer expression points to. */
static int target_of(uses *u, const tri_ast_node *e)
{
    int s = slot_at(u, e);
    if (s != NO_SLOT)
        return u->slots.at[s].facts & FACT_POINTER ? pointee(u, s) : NO_SLOT;
    switch (e->kind) {
    case TRI_AST_BINARY:
        s = target_of(u, e->binary.left);
        return s != NO_SLOT ? s : target_of(u, e->binary.right);
    case TRI_AST_SUBSCRIPT:
        return target_of(u, e->subscript.value);
    case TRI_AST_CONDITIONAL:
        s = target_of(u, e->conditional.then);
        return s != NO_SLOT ? s : target_of(u, e->conditional.orelse);
    case TRI_AST_CALL:
        if (!is_one_of(tri_signature_spell_callee(e), same_kind) || receiver(u, e))
            return NO_SLOT;
        for (uint32_t i = first_operand(tri_signature_spell_callee(e)); i < e->call.args.len; i++)
            if ((s = target_of(u, e->call.args.at[i])) != NO_SLOT)
                return s;
        const tri_ast_node *base = tri_ast_call_argument(e, "base", 99);
        return base ? target_of(u, base) : NO_SLOT;
    default:
        return NO_SLOT;
    }
}

/* --- what a context asks for ------------------------------------------------------------- */

/* Is the operand of x.to(type) an integer where the result has to be one? Not where floats are rounded, or bits read
 * as others. */
static bool passes_integers(uses *u, const tri_ast_node *cast, const tri_ast_node *value)
{
    const tri_ast_node *type = tri_ast_call_argument(cast, "dtype", receiver(u, cast) ? 0 : 1);
    return !tri_ast_call_argument(cast, "bitcast", 99) && !(kind_of(u, value) & FACT_FLOAT) &&
           !(tri_signature_spell_kind(type) & FACT_FLOAT);
}

static void wants_of_call(uses *u, const tri_ast_node *e, unsigned facts)
{
    tri_str f = tri_signature_spell_callee(e);
    const tri_ast_node *self = receiver(u, e);
    const tri_function *callee = called(u, e);
    if (callee) {
        learn(u, slot_of(u, callee, TRI_STR("")), facts & FACT_VALUES);
    } else if (tri_str_is(f, "to") || tri_str_is(f, "cast")) {
        const tri_ast_node *value = self ? self : e->call.args.len ? e->call.args.at[0] : NULL;
        if (value && tri_signature_spell_is_pointer(tri_ast_call_argument(e, "dtype", self ? 0 : 1)))
            wants(u, value, FACT_INT | FACT_ADDRESS);
        else if (value && (facts & FACT_INT) && passes_integers(u, e, value))
            wants(u, value, FACT_INT);
        else if (value && value->kind == TRI_AST_NAME)
            wants(u, value, facts & FACT_MEETS_FLOAT);
    } else if (touches_memory(f) && !self && e->call.args.len) {
        int target = target_of(u, e->call.args.at[0]);
        if (target != NO_SLOT && (facts & FACT_GENERIC))
            learn(u, target, FACT_FLOAT);
        if (target != NO_SLOT && (facts & (FACT_INT | FACT_ADDRESS)))
            learn(u, target, facts & (FACT_INT | FACT_ADDRESS));
        else if (target != NO_SLOT && (facts & FACT_POINTER))
            learn(u, target, FACT_INT | FACT_ADDRESS);
    } else if (tri_str_is(f, "dot")) {
        for (uint32_t i = 0; i < 2 && i < e->call.args.len; i++)
            wants(u, e->call.args.at[i], facts & FACT_INT);
    } else if (is_one_of(f, same_kind) && !tri_str_is(f, "gather")) {
        if (self)
            wants(u, self, facts);
        for (uint32_t i = first_operand(f); i < operands_end(f, self != NULL) && i < e->call.args.len; i++)
            wants(u, e->call.args.at[i], facts);
    }
}

/* For sure: `pid` of `pid + p` is the offset. */
static bool is_integer(uses *u, const tri_ast_node *e)
{
    if (e->kind == TRI_AST_BINARY)
        return is_integer(u, e->binary.left) && is_integer(u, e->binary.right);
    return e->kind == TRI_AST_INT || ((kind_of(u, e) & FACT_INT) && !(kind_of(u, e) & FACT_POINTER));
}

static void wants_of_binary(uses *u, const tri_ast_node *e, unsigned facts)
{
    const tri_ast_node *pointer = e->binary.left, *offset = e->binary.right;
    if (facts & FACT_POINTER) {
        unsigned left = kind_of(u, pointer), right = kind_of(u, offset);
        bool is_turned = is_integer(u, pointer) && !is_integer(u, offset);
        if (!(left & FACT_POINTER) && ((right & FACT_POINTER) || is_turned)) {
            pointer = e->binary.right;
            offset = e->binary.left;
        }
        wants(u, pointer, FACT_POINTER);
        wants(u, offset, FACT_INT);
    } else if (e->binary.op != TRI_AST_DIV_OP && (facts & FACT_INT) && !(kind_of(u, e) & FACT_FLOAT)) {
        wants(u, pointer, FACT_INT | (facts & FACT_ADDRESS));
        wants(u, offset, FACT_INT | (facts & FACT_ADDRESS));
    } else if (facts & (FACT_FLOAT | FACT_MEETS_FLOAT)) {
        wants(u, pointer, FACT_MEETS_FLOAT);
        wants(u, offset, FACT_MEETS_FLOAT);
    }
}

static void wants(uses *u, const tri_ast_node *e, unsigned facts)
{
    int s = slot_at(u, e);
    if (!facts)
        return;
    if (s != NO_SLOT) {
        if (facts & FACT_FLOAT) /* may be an integer that is converted */
            facts = (facts & ~(unsigned)FACT_FLOAT) | FACT_MEETS_FLOAT;
        learn(u, s, facts);
        return;
    }
    switch (e->kind) {
    case TRI_AST_BINARY:
        wants_of_binary(u, e, facts);
        break;
    case TRI_AST_UNARY:
        if (e->unary.op != TRI_AST_NOT_OP)
            wants(u, e->unary.operand, facts);
        break;
    case TRI_AST_SUBSCRIPT:
        wants(u, e->subscript.value, facts);
        break;
    case TRI_AST_CONDITIONAL:
        wants(u, e->conditional.then, facts);
        wants(u, e->conditional.orelse, facts);
        break;
    case TRI_AST_TUPLE:
    case TRI_AST_LIST:
        for (uint32_t i = 0; i < e->list.len; i++)
            wants(u, e->list.at[i], facts);
        break;
    case TRI_AST_CALL:
        wants_of_call(u, e, facts);
        break;
    default:
        break;
    }
}

/* --- statements and expressions, each for what it says ----------------------------------- */

static void assign(uses *u, const tri_ast_node *target, const tri_ast_node *value)
{
    if ((target->kind == TRI_AST_TUPLE || target->kind == TRI_AST_LIST) &&
        (value->kind == TRI_AST_TUPLE || value->kind == TRI_AST_LIST) && target->list.len == value->list.len) {
        for (uint32_t i = 0; i < target->list.len; i++)
            assign(u, target->list.at[i], value->list.at[i]);
        return;
    }
    if (target->kind == TRI_AST_TUPLE && is_param(u, value) && target->list.len <= MAX_ITEMS) { /* a, b = pair */
        for (uint32_t i = 0; i < target->list.len; i++)
            if (target->list.at[i]->kind == TRI_AST_NAME)
                flow(u, slot_of(u, u->at, tri_ast_text(target->list.at[i])),
                     item_of(u, u->at, tri_ast_text(value), i + 1));
        return;
    }
    bool is_same = value->kind == TRI_AST_NAME && tri_str_equal(tri_ast_text(value), tri_ast_text(target));
    if (target->kind != TRI_AST_NAME || is_same)
        return;
    int s = slot_of(u, u->at, tri_ast_text(target));
    /* A sum that starts at 0 has to stay an integer; blocks of zeros and 0.0 say what they are. */
    learn_given(u, s, value->kind == TRI_AST_INT ? FACT_INT : kind_of(u, value) & FACT_VALUES);
    u->slots.at[s].is_count = u->slots.at[s].is_count || value->kind == TRI_AST_INT;
    bool is_sum = u->slots.at[s].is_count && tri_signature_spell_carries(value, tri_ast_text(target));
    unsigned facts = is_sum ? u->slots.at[s].facts : u->slots.at[s].wanted;
    wants(u, value, facts & ~(unsigned)FACT_TESTED);
    int pointed = target_of(u, value);
    if (pointed != NO_SLOT)
        join(u, pointed, pointee(u, s));
}

static void visit_access(uses *u, const tri_ast_node *call)
{
    tri_str f = tri_signature_spell_callee(call);
    const tri_ast_node *pointer = tri_ast_call_argument(call, "pointer", 0),
                       *value = tri_ast_call_argument(call, "value", 1);
    if (!pointer)
        return;
    wants(u, pointer, FACT_POINTER);
    int target = target_of(u, pointer);
    bool is_load = tri_str_is(f, "load");
    if (is_load)
        value = tri_ast_call_argument(call, "other", 2);
    else if (!value)
        value = tri_ast_call_argument(call, "val", 1);
    const tri_ast_node *mask = tri_ast_call_argument(call, "mask", is_load ? 1 : 2);
    if (mask && mask->kind == TRI_AST_NAME)
        wants(u, mask, FACT_TESTED);
    if (value && target != NO_SLOT && (kind_of_pointee(u, target) & FACT_FLOAT))
        wants(u, value, FACT_MEETS_FLOAT);
    if (is_load)
        return;
    static const char *const integer_atomics[] = {"atomic_cas", "atomic_xchg", "atomic_and",
                                                  "atomic_or",  "atomic_xor",  NULL};
    unsigned stored = value ? kind_of(u, value) : 0; /* `mean = 0` may become a float before it is stored */
    if (target != NO_SLOT && (is_one_of(f, integer_atomics) || ((stored & FACT_INT) && !(stored & FACT_FLOAT))))
        learn(u, target, FACT_INT);
    else if (target != NO_SLOT && (stored & FACT_FLOAT) && !u->loads_are_floats)
        learn(u, target, FACT_FLOAT); /* for sure, whatever else is done with what is there */
}

static void visit_descriptor(uses *u, const tri_ast_node *call, const tri_ast_node *self)
{
    int s = slot_at(u, self);
    if (s == NO_SLOT || !call->call.args.len)
        return;
    const tri_ast_node *offsets = call->call.args.at[0];
    if (offsets->kind == TRI_AST_LIST || offsets->kind == TRI_AST_TUPLE)
        u->slots.at[s].rank = (int)offsets->list.len;
    learn(u, s, FACT_DESCRIPTOR);
    wants(u, offsets, FACT_INT);
}

static void visit_type(uses *u, const tri_ast_node *call)
{
    bool is_full = tri_str_is(tri_signature_spell_callee(call), "full");
    const tri_ast_node *type = tri_signature_spell_dtype(call), *value = tri_ast_call_argument(call, "value", 1);
    if (type && type->kind == TRI_AST_NAME)
        wants(u, type, FACT_DTYPE);
    if (is_full && value && (kind_of_type(u, type) & FACT_FLOAT))
        wants(u, value, FACT_MEETS_FLOAT);
}

static void want_arguments(uses *u, const tri_ast_node *call, unsigned facts)
{
    for (uint32_t i = 0; i < call->call.args.len; i++)
        wants(u, call->call.args.at[i], facts);
}

static void want_keywords(uses *u, const tri_ast_node *call, const char *const *names, unsigned facts)
{
    for (uint32_t i = 0; i < call->call.keywords.len; i++)
        if (is_one_of(call->call.keywords.at[i]->keyword.name, names))
            wants(u, call->call.keywords.at[i]->keyword.value, facts);
}

static void visit_shapes(uses *u, const tri_ast_node *call)
{
    static const char *const lists[] = {"shape", "strides", "offsets", "block_shape", NULL};
    for (uint32_t i = 0; i < call->call.args.len; i++)
        if (i > 0)
            wants(u, call->call.args.at[i], FACT_INT);
    want_keywords(u, call, lists, FACT_INT);
    const tri_ast_node *block = tri_ast_call_argument(
        call, "block_shape", tri_str_is(tri_signature_spell_callee(call), "make_block_ptr") ? 4 : 3);
    if (block)
        wants(u, block, FACT_INT | FACT_TILE);
    const tri_ast_node *base = tri_ast_call_argument(call, "base", 0);
    if (base)
        wants(u, base, FACT_POINTER);
}

static void visit_range(uses *u, const tri_ast_node *call, tri_str f)
{
    static const char *const counts[] = {"num_stages", "loop_unroll_factor", NULL};
    static const char *const flags[] = {"warp_specialize", "flatten", "disallow_acc_multi_buffer", "disable_licm", 0};
    want_arguments(u, call, FACT_INT | tri_signature_spell_extent(f));
    want_keywords(u, call, counts, FACT_INT | FACT_UNROLLED);
    want_keywords(u, call, flags, FACT_TESTED);
}

static void visit_texts(uses *u, const tri_ast_node *call)
{
    static const char *const texts[] = {"input_precision", NULL, "cache_modifier", "eviction_policy", NULL};
    want_keywords(u, call, texts, FACT_PRECISION);
    want_keywords(u, call, texts + 2, FACT_POLICY);
}

static void visit_question(uses *u, const tri_ast_node *method)
{
    const tri_ast_node *dtype = method->kind == TRI_AST_ATTRIBUTE ? method->attribute.value : NULL;
    if (dtype && dtype->kind == TRI_AST_ATTRIBUTE && tri_str_is(dtype->attribute.name, "dtype"))
        wants(u, dtype->attribute.value, FACT_GENERIC);
}

/* `tl.load(p).to(tl.int1)`: nothing but an integer is loaded to become one at once. */
static void visit_cast(uses *u, const tri_ast_node *call)
{
    const tri_ast_node *self = receiver(u, call);
    bool is_load = self && self->kind == TRI_AST_CALL && tri_str_is(tri_signature_spell_callee(self), "load");
    if (is_load && (tri_signature_spell_kind(tri_ast_call_argument(call, "dtype", 0)) & FACT_INT))
        wants(u, call, FACT_INT);
}

static void visit_call(uses *u, const tri_ast_node *call)
{
    tri_str f = tri_signature_spell_callee(call);
    if (tri_str_is(f, "to"))
        visit_cast(u, call);
    if (tri_str_is(f, "is_floating")) /* x.dtype.is_floating() */
        visit_question(u, call->call.func);
    const tri_ast_node *self = receiver(u, call);
    const tri_function *callee = called(u, call);
    if (callee)
        bind_arguments(u, call, callee);
    else if (self && touches_memory(f))
        visit_descriptor(u, call, self);
    else if (touches_memory(f))
        visit_access(u, call);
    else if (tri_str_is(f, "make_block_ptr") || tri_str_is(f, "make_tensor_descriptor"))
        visit_shapes(u, call);
    else if (is_one_of(f, random))
        want_arguments(u, call, FACT_INT);
    else if (is_one_of(f, ranges))
        visit_range(u, call, f);
    else if (is_one_of(f, float_makers))
        want_arguments(u, call, FACT_MEETS_FLOAT);
    else if (kind_of(u, call) & FACT_FLOAT)
        wants(u, call, FACT_MEETS_FLOAT);
    if (!callee) {
        visit_type(u, call);
        visit_texts(u, call);
    }
    u->has_product = u->has_product || tri_str_is(f, "dot");
}

static void compare_pair(uses *u, tri_ast_op op, const tri_ast_node *a, const tri_ast_node *b)
{
    int s = slot_at(u, a);
    if (op == TRI_AST_IS_OP || op == TRI_AST_IS_NOT_OP || op == TRI_AST_IN_OP || op == TRI_AST_NOT_IN_OP)
        return;
    if (s != NO_SLOT && tri_signature_spell_is_literal(b) && !u->slots.at[s].compared && op == TRI_AST_EQ_OP)
        u->slots.at[s].compared = b;
    if (s != NO_SLOT && b->kind == TRI_AST_ATTRIBUTE && tri_signature_spell_kind(b))
        learn(u, s, FACT_DTYPE);
    unsigned facts = kind_of(u, b);
    if (facts & FACT_INT)
        wants(u, a, FACT_INT);
    else if (facts & FACT_FLOAT)
        wants(u, a, FACT_MEETS_FLOAT);
}

static void visit_test(uses *u, const tri_ast_node *test)
{
    if (slot_at(u, test) != NO_SLOT)
        wants(u, test, FACT_TESTED);
}

static void visit_binary(uses *u, const tri_ast_node *e)
{
    if (tri_signature_spell_is_wide(e->binary.left) || tri_signature_spell_is_wide(e->binary.right)) {
        wants(u, e->binary.left, FACT_INT | FACT_WIDE);
        wants(u, e->binary.right, FACT_INT | FACT_WIDE);
    }
    unsigned facts = kind_of(u, e);
    if (facts & FACT_POINTER)
        wants(u, e, FACT_POINTER);
    else if (facts & FACT_FLOAT)
        wants(u, e, FACT_MEETS_FLOAT);
    bool is_shift = e->binary.op == TRI_AST_SHL_OP || e->binary.op == TRI_AST_SHR_OP;
    if (is_shift || e->binary.op == TRI_AST_FLOOR_DIV_OP)
        wants(u, e, FACT_INT);
    const tri_ast_node *count = e->binary.right;
    if (is_shift && count->kind == TRI_AST_INT && !count->integer.big && count->integer.value > 31)
        wants(u, e->binary.left, FACT_WIDE);
    u->has_product = u->has_product || e->binary.op == TRI_AST_MATMUL_OP;
}

static void visit_augmented(uses *u, const tri_ast_node *e)
{
    const tri_ast_node *target = e->aug_assign.target, *value = e->aug_assign.value;
    if (target->kind != TRI_AST_NAME)
        return;
    if (kind_of(u, target) & FACT_POINTER) {
        wants(u, value, FACT_INT);
        return;
    }
    int s = slot_of(u, u->at, tri_ast_text(target));
    bool is_product = value->kind == TRI_AST_CALL && tri_str_is(tri_signature_spell_callee(value), "dot");
    if (!is_product || !(u->slots.at[s].facts & FACT_INT)) /* a product added to integers is one of integers */
        learn_given(u, s, kind_of(u, value) & (FACT_POINTER | FACT_FLOAT));
    if (u->slots.at[s].facts & FACT_FLOAT)
        wants(u, value, FACT_MEETS_FLOAT);
    else if (u->slots.at[s].facts & FACT_INT)
        wants(u, value, FACT_INT);
}

static void visit_statement(uses *u, const tri_ast_node *e)
{
    switch (e->kind) {
    case TRI_AST_ASSIGN:
        for (uint32_t i = 0; i < e->assign.targets.len; i++)
            assign(u, e->assign.targets.at[i], e->assign.value);
        break;
    case TRI_AST_ANN_ASSIGN:
        if (e->ann_assign.value)
            assign(u, e->ann_assign.target, e->ann_assign.value);
        break;
    case TRI_AST_AUG_ASSIGN:
        visit_augmented(u, e);
        break;
    case TRI_AST_FOR:
        if (e->for_.target->kind == TRI_AST_NAME)
            learn_given(u, slot_of(u, u->at, tri_ast_text(e->for_.target)), FACT_INT);
        break;
    case TRI_AST_RETURN:
        if (e->value) {
            int s = slot_of(u, u->at, TRI_STR(""));
            learn_given(u, s, kind_of(u, e->value) & FACT_VALUES);
            wants(u, e->value, u->slots.at[s].wanted);
        }
        break;
    case TRI_AST_IF:
        visit_test(u, e->conditional_stmt.test);
        break;
    default:
        break;
    }
}

/* `p.dtype.element_ty`: only pointers have one. */
static void visit_attribute(uses *u, const tri_ast_node *e)
{
    const tri_ast_node *of = e->attribute.value;
    if (tri_str_is(e->attribute.name, "element_ty") && of->kind == TRI_AST_ATTRIBUTE)
        wants(u, of->attribute.value, FACT_POINTER);
}

static bool visit(const tri_ast_node *e, void *data)
{
    uses *u = data;
    switch (e->kind) {
    case TRI_AST_ATTRIBUTE:
        visit_attribute(u, e);
        break;
    case TRI_AST_CALL:
        visit_call(u, e);
        break;
    case TRI_AST_BINARY:
        visit_binary(u, e);
        break;
    case TRI_AST_COMPARE:
        for (uint32_t i = 0; i < e->compare.rights.len; i++) {
            const tri_ast_node *left = i ? e->compare.rights.at[i - 1] : e->compare.left;
            compare_pair(u, e->compare.ops[i], left, e->compare.rights.at[i]);
            compare_pair(u, e->compare.ops[i], e->compare.rights.at[i], left);
        }
        break;
    case TRI_AST_CONDITIONAL:
        visit_test(u, e->conditional.test);
        break;
    case TRI_AST_BOOL:
        for (uint32_t i = 0; i < e->boolean.values.len; i++)
            visit_test(u, e->boolean.values.at[i]);
        break;
    case TRI_AST_UNARY:
        if (e->unary.op == TRI_AST_NOT_OP)
            visit_test(u, e->unary.operand);
        break;
    default:
        visit_statement(u, e);
        break;
    }
    return e->kind != TRI_AST_LAMBDA;
}

static void settle(uses *u)
{
    u->has_grown = true;
    for (int round = 0; round < MAX_ROUNDS && u->has_grown; round++) {
        u->has_grown = false;
        for (unsigned i = 0; i < u->function_count; i++) {
            u->at = u->functions[i];
            for (uint32_t n = 0; n < u->at->node->function.body.len; n++)
                tri_ast_walk(u->at->node->function.body.at[n], visit, u);
        }
    }
}

tri_signature_uses *tri_signature_infer(tri_modules *all, const tri_function *function)
{
    uses *u = TRI_NEW(tri_module_arena(all), uses);
    *u = (uses){.all = all};
    tri_diag *diag = tri_module_unit(all)->diag;
    tri_diag_hold(diag);
    add_function(u, function);
    settle(u);
    u->loads_are_floats = true;
    settle(u);
    tri_diag_drop(diag);
    return u;
}
