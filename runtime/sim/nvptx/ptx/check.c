/* Whether the operands of an instruction are what its row says, as ptxas demands. */
#include "runtime/sim/nvptx/ptx/check.h"

#include "runtime/float.h"

static bool fail(ptx_check *c, const char *what, int n)
{
    *c->out_error = tri_str_format(c->arena, "operand %d of '%.*s' %s", n + 1, TRI_STR_ARG(c->name), what);
    return false;
}

static const ptx_register *register_of(ptx_check *c, const ptx_operand *o) { return &c->program->registers.at[o->reg]; }

/* Untyped registers suit all; signs do not matter. */
static bool suits(ptx_class reg, ptx_class type)
{
    if (reg == PTX_PREDICATE || type == PTX_PREDICATE)
        return reg == type;
    return reg == PTX_BITS || type == PTX_BITS || (reg == PTX_FLOAT) == (type == PTX_FLOAT);
}

static bool check_immediate(ptx_check *c, ptx_operand *o, ptx_type_info t, int n)
{
    if (t.kind == PTX_PREDICATE) {
        o->value = o->value != 0;
        return !o->is_float || fail(c, "must be a predicate", n);
    }
    if (t.kind != PTX_FLOAT) {
        o->value &= ptx_mask(t.bits);
        return !o->is_float || fail(c, "must be a whole number", n);
    }
    if (!o->is_float)
        return fail(c, "must be a floating-point number (1.0, 0f3F800000)", n);
    if (t.format != FORMAT_F32 && t.format != FORMAT_F64)
        return fail(c, "must be a register: numbers are fp32 or fp64", n);
    o->value = t.format == FORMAT_F32 ? tri_float_f32_bits((float)o->real) : tri_float_f64_bits(o->real);
    return true;
}

static bool check_scalar(ptx_check *c, ptx_operand *o, ptx_type_info t, bool is_written, bool may_be_wider, int n)
{
    switch (o->kind) {
    case OPERAND_SINK: return is_written || fail(c, "is read", n);
    case OPERAND_IMMEDIATE: return is_written ? fail(c, "is written", n) : check_immediate(c, o, t, n);
    case OPERAND_REGISTER: {
        const ptx_register *r = register_of(c, o);
        if (o->is_negated && t.kind != PTX_PREDICATE)
            return fail(c, "is no predicate", n);
        bool fits = r->bits == t.bits || (may_be_wider && r->bits > t.bits && r->kind != PTX_PREDICATE);
        if (may_be_wider && r->bits > t.bits) /* wider registers may be of any class but floats of another size */
            return fits && r->kind != PTX_FLOAT ? true : fail(c, "has a register of another type", n);
        return fits && suits(r->kind, t.kind) ? true : fail(c, "has a register of another type", n);
    }
    default: return fail(c, "must be a register or a number", n);
    }
}

static bool check_vector(ptx_check *c, ptx_operand *o, ptx_type_info t, bool is_written, int n)
{
    int count = ptx_has(c->i, PTX_v2_flag) ? 2 : ptx_has(c->i, PTX_v4_flag) ? 4 : 1;
    if (count == 1)
        return check_scalar(c, o, t, is_written, true, n);
    if (o->kind != OPERAND_VECTOR || o->count != count)
        return fail(c, "must be a list of as many registers as the vector has", n);
    for (int k = 0; k < count; k++)
        if (!check_scalar(c, &o->parts[k], t, is_written, true, n))
            return false;
    return true;
}

/* A side of mov: a list of registers whose bits add up, a special register, or what all take. */
static bool check_moved(ptx_check *c, ptx_operand *o, ptx_type_info t, bool is_written, int n)
{
    if (o->kind == OPERAND_SPECIAL) {
        static const int bits[] = {
#define X(id, name, bits) bits,
            TRI_PTX_SPECIALS(X)
#undef X
        };
        return !is_written && bits[o->value] == t.bits ? true : fail(c, "is a special register of another size", n);
    }
    if (o->kind != OPERAND_VECTOR)
        return check_scalar(c, o, t, is_written, false, n);
    if (t.kind != PTX_BITS)
        return fail(c, "is a list, which only .b types take", n);
    ptx_type_info part = {.kind = PTX_BITS, .bits = t.bits / o->count};
    for (int k = 0; k < o->count; k++) {
        o->parts[k].count = part.bits;
        if (!check_scalar(c, &o->parts[k], part, is_written, false, n))
            return false;
    }
    return part.bits * o->count == t.bits || fail(c, "is a list whose bits do not add up", n);
}

static bool check_address(ptx_check *c, ptx_operand *o, int n)
{
    if (o->kind != OPERAND_ADDRESS)
        return fail(c, "must be an address in brackets", n);
    if (o->reg >= 0 && (register_of(c, o)->bits != 64 || !suits(register_of(c, o)->kind, PTX_UNSIGNED)))
        return fail(c, "must be a 64-bit address: only global memory is simulated", n);
    return true;
}

static ptx_type_info type_for(ptx_check *c, char letter)
{
    switch (letter) {
    case 'u': return tri_ptx_types[PTX_u32];
    case 'b': return tri_ptx_types[PTX_b32];
    case 'q': return tri_ptx_types[PTX_b64];
    case 'f': return tri_ptx_types[PTX_f32];
    case 'p': return tri_ptx_types[PTX_pred];
    case 'w': {
        ptx_type_info wide = *ptx_type_of(c->i, 0);
        wide.bits *= 2;
        return wide;
    }
    default: return *ptx_type_of(c->i, letter - '0');
    }
}

static bool check_one(ptx_check *c, tri_str spec, ptx_operand *o, int n)
{
    bool is_written = spec.data[0] == '=', is_vector = false, may_be_wider = false;
    size_t at = is_written;
    if (spec.data[at] == '*')
        is_vector = true, at++;
    if (spec.data[at] == '~')
        may_be_wider = true, at++;
    char letter = spec.data[at];
    bool takes_two = at + 1 < spec.len && spec.data[at + 1] == '|';
    if (takes_two && spec.data[spec.len - 1] != '?' && o->second < 0)
        return fail(c, "wants a predicate behind '|'", n);
    if (o->second >= 0 && !takes_two)
        return fail(c, "takes one register", n);
    if (o->second >= 0 && c->program->registers.at[o->second].kind != PTX_PREDICATE)
        return fail(c, "has no predicate behind '|'", n);
    if (letter == 'm')
        return check_address(c, o, n);
    if (letter == 'L')
        return o->kind == OPERAND_TARGET || fail(c, "must be a label", n);
    if (letter == 'M')
        return check_moved(c, o, *ptx_type_of(c->i, 0), is_written, n);
    if (is_vector)
        return check_vector(c, o, type_for(c, letter), is_written, n);
    return check_scalar(c, o, type_for(c, letter), is_written, may_be_wider, n);
}

bool tri_ptx_check(ptx_check *c)
{
    const char *at = c->i->row->operands;
    for (int n = 0; n < c->i->num_operands; n++) {
        size_t len = strcspn(at, " ");
        if (!check_one(c, (tri_str){at, len}, &c->i->operands[n], n))
            return false;
        at += len + (at[len] == ' ');
    }
    return true;
}
