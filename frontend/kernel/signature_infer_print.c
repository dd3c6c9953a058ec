/* The types and values that what is known of a kernel's parameters calls for, as text of a signature. */
#include "frontend/kernel/signature_fields.h"
#include "frontend/kernel/signature_uses.h"
#include "frontend/kernel/signature_words.h"

typedef tri_signature_uses uses;
typedef tri_signature_slot slot;

int tri_signature_uses_find(const tri_signature_uses *u, const tri_function *function, tri_str name, uint32_t item)
{
    for (uint32_t i = 0; i < u->slots.len; i++)
        if (u->slots.at[i].function == function && u->slots.at[i].item == item &&
            tri_str_equal(u->slots.at[i].name, name))
            return (int)i;
    return NO_SLOT;
}

int tri_signature_uses_root(const tri_signature_uses *u, int s)
{
    while (u->parents.at[s] != s)
        s = u->parents.at[s];
    return s;
}

static unsigned count_tiles(const uses *u)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < u->slots.len; i++)
        count += u->slots.at[i].function == u->functions[0] && (u->slots.at[i].facts & FACT_TILE) &&
                 tri_module_param_index(u->functions[0], u->slots.at[i].name) >= 0;
    return count;
}

/* One extent is a row; two and more are sides of a block, small enough for a product and its operands. */
static int tile_size(const uses *u)
{
    unsigned count = count_tiles(u);
    return u->has_product ? (count > 2 ? 32 : 64) : count == 0 ? 64 : count == 1 ? 1024 : count == 2 ? 64 : 16;
}

static bool has_any_word(tri_str name, const char *const *words)
{
    for (size_t begin = 0, end = 0; begin <= name.len; begin = end + 1) {
        for (end = begin; end < name.len && name.data[end] != '_'; end++)
            ;
        if (is_one_of(tri_str_sub(name, begin, end), words))
            return true;
    }
    return false;
}

/* By custom: all that there is to go by where a kernel does not use its parameter. */
static bool has_float_name(tri_str name)
{
    return tri_str_is(name, "p") || (has_any_word(name, float_words) && !has_any_word(name, other_words));
}

static bool is_taken_for_float(const slot *s)
{
    return !(s->facts & FACT_INT) &&
           ((s->facts & (FACT_FLOAT | FACT_MEETS_FLOAT)) || (!s->facts && has_float_name(s->name)));
}

static void print_value(const uses *u, const slot *s, tri_buf *out)
{
    if (s->facts & FACT_DTYPE)
        tri_buf_add_z(out, "tl.float32");
    else if (s->compared)
        tri_buf_add_str(out, tri_ast_text(s->compared));
    else if (s->facts & (FACT_PRECISION | FACT_POLICY))
        tri_buf_add_z(out, s->facts & FACT_PRECISION ? "'ieee'" : "''");
    else if ((s->facts & (FACT_TILE | FACT_UNROLLED)) == FACT_UNROLLED)
        tri_buf_add_z(out, "4");
    else if (s->facts & FACT_TILE)
        tri_buf_format(out, "%d", tile_size(u));
    else if ((s->facts & FACT_TESTED) && !(s->facts & (FACT_INT | FACT_FLOAT)))
        tri_buf_add_z(out, "True");
    else if (is_taken_for_float(s))
        tri_buf_add_z(out, "1.0");
    else
        tri_buf_format(out, "%d", tile_size(u));
}

static void print_descriptor(const slot *s, tri_buf *out)
{
    int rank = s->rank ? s->rank : 2;
    tri_buf_add_z(out, "tensordesc<fp32[");
    for (int i = 0; i < rank; i++)
        tri_buf_format(out, "%s%d", i ? ", " : "", i < rank - 2 ? 1 : 64);
    tri_buf_add_z(out, "]>");
}

static void print_slot(const uses *u, const slot *s, bool is_constexpr, tri_buf *out)
{
    tri_str param = s->name;
    unsigned facts = s->facts;
    if (is_constexpr) {
        print_value(u, s, out);
    } else if (facts & FACT_DESCRIPTOR) {
        print_descriptor(s, out);
    } else if ((facts & FACT_POINTER) ||
               (!facts && (tri_str_has_suffix(param, "ptr") || tri_str_has_prefix(param, "ptr")))) {
        unsigned target = s->target == NO_SLOT ? 0 : u->slots.at[tri_signature_uses_root(u, s->target)].facts;
        tri_buf_add_z(out, target & FACT_ADDRESS                           ? "*i64:16"
                           : (target & FACT_INT) && !(target & FACT_FLOAT) ? "*i32:16"
                                                                           : "*fp32:16");
    } else if (is_taken_for_float(s)) {
        tri_buf_add_z(out, "fp32");
    } else {
        tri_buf_add_z(out, (facts & FACT_WIDE)                                            ? "i64"
                           : (facts & FACT_TESTED) && !(facts & FACT_INT) && !s->compared ? "i1"
                                                                                          : "i32");
    }
}

static uint32_t count_items(const uses *u, tri_str param)
{
    uint32_t count = MAX_ITEMS;
    while (count && tri_signature_uses_find(u, u->functions[0], param, count) == NO_SLOT)
        count--;
    return count;
}

/* An item that code is made of, such as an extent, is a constant. */
static bool is_constant_item(const slot *item)
{
    return (item->facts & (FACT_TILE | FACT_UNROLLED | FACT_DTYPE | FACT_PRECISION | FACT_POLICY)) != 0;
}

static void print_items(const uses *u, const slot *whole, uint32_t count, bool is_constexpr, tri_buf *out)
{
    for (uint32_t i = 1; i <= count; i++) {
        int item = tri_signature_uses_find(u, u->functions[0], whole->name, i);
        const slot *s = item == NO_SLOT ? whole : &u->slots.at[item];
        tri_buf_add_z(out, i > 1 ? ", " : "(");
        print_slot(u, s, is_constexpr || is_constant_item(s), out);
    }
    tri_buf_add_z(out, count == 1 ? ",)" : ")");
}

/* "Part(x=*fp32:16, n=64)": a field that nothing reads has its default, or some number. */
static void print_fields(const uses *u, const slot *whole, bool is_constexpr, tri_buf *out)
{
    const tri_class *cls = whole->cls;
    const char *comma = "";
    tri_buf_format(out, "%.*s(", TRI_STR_ARG(cls->name));
    for (uint32_t i = 0; i < cls->fields.len; i++) {
        int item = tri_signature_uses_find(u, u->functions[0], whole->name, i + 1);
        slot unread = {.name = cls->fields.at[i], .target = NO_SLOT}, s = item == NO_SLOT ? unread : u->slots.at[item];
        if (item == NO_SLOT && cls->defaults.at[i])
            continue;
        s.name = cls->fields.at[i];
        bool is_constant = tri_signature_fields_is_constexpr(cls, s.name) || is_constant_item(&s);
        tri_buf_format(out, "%s%.*s=", comma, TRI_STR_ARG(s.name));
        print_slot(u, &s, is_constexpr || is_constant, out);
        comma = ", ";
    }
    tri_buf_add_z(out, ")");
}

void tri_signature_infer_print(const tri_signature_uses *u, tri_str param, bool is_constexpr, tri_buf *out)
{
    uint32_t count = count_items(u, param);
    const slot *whole = &u->slots.at[tri_signature_uses_find(u, u->functions[0], param, 0)];
    if (whole->cls)
        print_fields(u, whole, is_constexpr, out);
    else if (count)
        print_items(u, whole, count, is_constexpr, out);
    else
        print_slot(u, whole, is_constexpr, out);
}
