/* What the functions of an object are called with: C types, launchers' arguments, kernels and their forms. */
#include "targets/object/object.h"

#include "ir/options.h"

/* ---- types ---- */

static const tri_object_ctype scalars[] = {
    {"i1", "int8_t", 8, TRI_CTYPE_INT, false, 0},    {"u1", "uint8_t", 8, TRI_CTYPE_INT, false, 0},
    {"i8", "int8_t", 8, TRI_CTYPE_INT, false, 0},    {"u8", "uint8_t", 8, TRI_CTYPE_INT, false, 0},
    {"i16", "int16_t", 16, TRI_CTYPE_INT, false, 0}, {"u16", "uint16_t", 16, TRI_CTYPE_INT, false, 0},
    {"i32", "int32_t", 32, TRI_CTYPE_INT, false, 0}, {"u32", "uint32_t", 32, TRI_CTYPE_INT, false, 0},
    {"i64", "int64_t", 64, TRI_CTYPE_INT, false, 0}, {"u64", "uint64_t", 64, TRI_CTYPE_INT, false, 0},
    {"fp32", "float", 32, TRI_CTYPE_F32, false, 0},  {"f32", "float", 32, TRI_CTYPE_F32, false, 0},
    {"fp64", "double", 64, TRI_CTYPE_F64, false, 0}, {"f64", "double", 64, TRI_CTYPE_F64, false, 0},
    {"fp16", "float", 16, TRI_CTYPE_F16, false, 0},  {"f16", "float", 16, TRI_CTYPE_F16, false, 0},
    {"bf16", "float", 16, TRI_CTYPE_BF16, false, 0},
};

static const tri_object_ctype *find_scalar(tri_str name)
{
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (tri_str_is(name, scalars[i].name))
            return &scalars[i];
    return NULL;
}

/* "*fp32", "*kfp32" (const in the source). What C has no type for is void. */
static tri_object_ctype pointer_type(const tri_kernel_param *param)
{
    tri_str pointee = tri_str_sub(param->type, 1, param->type.len);
    bool is_const = param->is_read_only;
    if (tri_str_has_prefix(pointee, "k")) {
        is_const = true;
        pointee = tri_str_sub(pointee, 1, pointee.len);
    }
    const tri_object_ctype *element = find_scalar(pointee);
    bool has_c_type = element && element->kind != TRI_CTYPE_F16 && element->kind != TRI_CTYPE_BF16;
    return (tri_object_ctype){"*", has_c_type ? element->c : "void", 0, TRI_CTYPE_PTR, is_const, 0};
}

/* "tensordesc<fp16[64, 32]>" */
static tri_object_ctype desc_type(tri_str text)
{
    tri_object_ctype type = {"tensordesc", "tri_tensordesc", 0, TRI_CTYPE_DESC, true, 1};
    for (size_t i = tri_str_find(text, '['); i < text.len; i++)
        type.rank += text.data[i] == ',';
    return type;
}

bool tri_object_get_ctype(const tri_target *target, const tri_kernel_param *param, tri_object_ctype *out_type)
{
    if (tri_str_has_prefix(param->type, "tensordesc<") &&
        (target->object_form == TRI_OBJECT_CODE || target->ttgir_pipeline)) {
        *out_type = desc_type(param->type);
        return true;
    }
    if (tri_str_has_prefix(param->type, "*")) {
        *out_type = pointer_type(param);
        return true;
    }
    const tri_object_ctype *t = find_scalar(param->type);
    if (!t)
        return false;
    *out_type = *t;
    return true;
}

/* ---- arguments ---- */

static bool report_type(const tri_unit *unit, const tri_kernel *k, tri_str name, tri_str type)
{
    if (!tri_diag_error_count(unit->diag)) /* each output of the kernel asks; it is told once */
        tri_diag_error(unit->diag, TRI_NO_SPAN, 6006,
                       "parameter '%.*s' of kernel '%.*s' has type '%.*s', which a C launcher cannot take",
                       TRI_STR_ARG(name), TRI_STR_ARG(k->name), TRI_STR_ARG(type));
    return false;
}

static unsigned slots_of(const tri_object_ctype *type)
{
    return type->kind == TRI_CTYPE_DESC ? TRI_DESC_EXTENTS + 2 * (unsigned)type->rank : 1;
}

static void add_code_slot(tri_arena *arena, tri_object_slots *out, unsigned slot, unsigned bytes, bool is_pointer)
{
    tri_vec_push(arena, out, ((tri_object_slot){slot, bytes, is_pointer}));
}

/* Shape and strides; the shape as numbers of so many bytes, of which the machine has the low ones first. */
static void add_extent_slots(tri_arena *arena, const tri_object_arg *arg, unsigned shape_bytes, tri_object_slots *out)
{
    unsigned rank = (unsigned)arg->type.rank;
    for (unsigned i = 0; i < 2 * rank; i++)
        add_code_slot(arena, out, arg->slot + TRI_DESC_EXTENTS + i, i < rank ? shape_bytes : 8, false);
}

/* As tri_object_list_words has them. */
static void add_desc_slots(const tri_unit *unit, const tri_object_arg *arg, tri_object_slots *out)
{
    tri_arena *arena = unit->arena;
    if (!unit->target->ttgir_pipeline) {
        add_code_slot(arena, out, arg->slot, 8, true);
    } else {
        add_code_slot(arena, out, arg->slot + TRI_DESC_BASE, 8, true);
        add_extent_slots(arena, arg, 8, out);
        add_code_slot(arena, out, arg->slot + TRI_DESC_PADDING, 1, false);
        if (unit->options->descriptor_release != 306)
            add_code_slot(arena, out, arg->slot + TRI_DESC_ROUNDING, 1, false);
    }
    add_extent_slots(arena, arg, 4, out);
}

tri_object_slots tri_object_list_slots(const tri_unit *unit, const tri_object_args *args)
{
    tri_object_slots slots = {0};
    for (size_t i = 0; i < args->at.len; i++) {
        const tri_object_arg *arg = &args->at.at[i];
        bool is_pointer = arg->type.kind == TRI_CTYPE_PTR;
        if (arg->type.kind == TRI_CTYPE_DESC)
            add_desc_slots(unit, arg, &slots);
        else if (!arg->is_constant)
            add_code_slot(unit->arena, &slots, arg->slot, is_pointer ? 8 : arg->type.bits / 8, is_pointer);
    }
    return slots;
}

static bool add_arg(const tri_unit *unit, const tri_kernel *k, const tri_kernel_param *p, tri_object_args *out)
{
    tri_kernel_param passed = *p;
    tri_object_arg arg = {.name = p->name,
                          .divisibility = p->divisibility,
                          .is_small = p->is_small && unit->arch->has_buffers,
                          .slot = out->slots,
                          .is_constant = p->is_constexpr};
    int64_t value = 0;
    if (p->is_constexpr)
        passed.type = p->passed_type;
    if (!tri_object_get_ctype(unit->target, &passed, &arg.type) ||
        (p->is_constexpr && !tri_str_to_i64(p->value, &value)))
        return report_type(unit, k, p->name, passed.type);
    arg.spelled = passed.type;
    arg.value = (uint64_t)value;
    out->slots += slots_of(&arg.type);
    tri_vec_push(unit->arena, &out->at, arg);
    return true;
}

/* "*fp32:16:S": takes the hints off the text. */
static void take_hints(tri_str *type, tri_kernel_param *member)
{
    int64_t hint = 0;
    for (size_t colon; (colon = tri_str_find_last(*type, ':')) < type->len; *type = tri_str_sub(*type, 0, colon)) {
        tri_str text = tri_str_sub(*type, colon + 1, type->len);
        if (tri_str_is(text, "S"))
            member->is_small = true;
        else if (tri_str_to_i64(text, &hint))
            member->divisibility = (int32_t)hint;
        else
            return;
    }
}

/* "(*fp32:16, constexpr, (i32, i32))": the members that are no constants, as parameters NAME_0, NAME_2_0 ... */
static bool add_tuple(const tri_unit *unit, const tri_kernel *k, tri_str name, tri_str text, tri_object_args *out)
{
    tri_str rest = tri_str_sub(text, 1, text.len - 1);
    for (int n = 0; rest.len; n++) {
        tri_str type = tri_str_take_item(&rest);
        tri_kernel_param member = {.name = tri_str_format(unit->arena, "%.*s_%d", TRI_STR_ARG(name), n), .type = type};
        if (tri_str_is(type, "constexpr"))
            continue;
        if (tri_str_has_prefix(type, "(")) {
            if (!add_tuple(unit, k, member.name, type, out))
                return false;
            continue;
        }
        take_hints(&member.type, &member);
        if (!add_arg(unit, k, &member, out))
            return false;
    }
    return true;
}

bool tri_object_get_args(const tri_unit *unit, const tri_kernel *kernel, tri_object_args *out)
{
    enum { max_args = 512 }; /* TRI_RT_MAX_SLOTS */
    *out = (tri_object_args){.slots = 0};
    for (size_t i = 0; i < kernel->params.len; i++) {
        const tri_kernel_param *p = &kernel->params.at[i];
        if (p->is_constexpr && !p->passed_type.len)
            continue;
        bool is_tuple = tri_str_has_prefix(p->type, "(");
        if (is_tuple ? !add_tuple(unit, kernel, p->name, p->type, out) : !add_arg(unit, kernel, p, out))
            return false;
        if (out->slots > max_args || tri_object_list_slots(unit, out).len > max_args)
            return report_type(unit, kernel, p->name, p->type);
    }
    return true;
}

/* ---- parameters as the code has them ---- */

static void add_word(const tri_unit *unit, tri_object_words *out, tri_str name, const char *part, tri_str type)
{
    tri_object_word word = {tri_str_format(unit->arena, "%.*s%s", TRI_STR_ARG(name), part), type};
    tri_vec_push(unit->arena, out, word);
}

static void add_extents(const tri_unit *unit, tri_object_words *out, tri_str name, const char *part, int rank,
                        const char *type)
{
    for (int i = 0; i < rank; i++)
        add_word(unit, out, name, tri_str_format(unit->arena, ".%s.%d", part, i).data, tri_str_from(type));
}

/* What the pass rewrite-tensor-descriptor-to-pointer makes of it, or where descriptors stay, the address of a
 * tri_tensordesc; behind either shape and strides come (once more), as Triton's launchers pass them. */
static void add_desc_words(const tri_unit *unit, tri_object_words *out, tri_str name, tri_str type)
{
    int rank = (int)desc_type(type).rank;
    tri_str element = tri_str_trim(tri_str_sub(type, strlen("tensordesc<"), tri_str_find(type, '[')));
    if (!unit->target->ttgir_pipeline) {
        add_word(unit, out, name, "", type);
    } else {
        add_word(unit, out, name, ".base", tri_str_format(unit->arena, "*%.*s", TRI_STR_ARG(element)));
        add_extents(unit, out, name, "shape", rank, "i64");
        add_extents(unit, out, name, "stride", rank, "i64");
        add_word(unit, out, name, ".padding", TRI_STR("i1"));
        if (unit->options->descriptor_release != 306)
            add_word(unit, out, name, ".round_f32_to_tf32", TRI_STR("i1"));
    }
    add_extents(unit, out, name, "shape", rank, "i32");
    add_extents(unit, out, name, "stride", rank, "i64");
}

static void add_words(const tri_unit *unit, tri_object_words *out, tri_str name, tri_str type)
{
    if (tri_str_has_prefix(type, "tensordesc<")) {
        add_desc_words(unit, out, name, type);
        return;
    }
    if (!tri_str_has_prefix(type, "(")) {
        size_t hint = tri_str_find(type, ':');
        if (!tri_str_is(type, "constexpr"))
            add_word(unit, out, name, "", tri_str_sub(type, 0, hint));
        return;
    }
    tri_str rest = tri_str_sub(type, 1, type.len - 1);
    for (int n = 0; rest.len; n++) {
        tri_str type_of_member = tri_str_take_item(&rest);
        add_words(unit, out, tri_str_format(unit->arena, "%.*s.%d", TRI_STR_ARG(name), n), type_of_member);
    }
}

tri_object_words tri_object_list_words(const tri_unit *unit, const tri_kernel *kernel)
{
    tri_object_words words = {0};
    for (size_t i = 0; i < kernel->params.len; i++)
        if (!kernel->params.at[i].is_constexpr)
            add_words(unit, &words, kernel->params.at[i].name, kernel->params.at[i].type);
    static const char *const extents[] = {"grid.x", "grid.y", "grid.z"};
    for (int axis = 0; axis < 3 && kernel->is_persistent; axis++)
        add_word(unit, &words, tri_str_from(extents[axis]), "", TRI_STR("i32"));
    bool has_scratch = false; /* all kernels of a module take it when one does */
    for (size_t i = 0; i < unit->kernels.len; i++)
        has_scratch |= unit->kernels.at[i].scratch_bytes > 0;
    if (has_scratch)
        add_word(unit, &words, TRI_STR("scratch"), "", TRI_STR("*i8"));
    return words;
}

/* ---- kernels and their forms ---- */

/* Conditions under which a form may run: hints and constants that arguments must match. */
static size_t count_conditions(const tri_kernel *k)
{
    size_t count = 0;
    for (size_t i = 0; i < k->params.len; i++)
        count += (k->params.at[i].divisibility > 1 || k->params.at[i].passed_type.len) + k->params.at[i].is_small;
    return count;
}

tri_object_variants tri_object_list_variants(const tri_part *part, tri_str name)
{
    tri_object_variants list = {0};
    const tri_unit *unit = part->unit;
    for (size_t i = 0; i < unit->kernels.len; i++) {
        const tri_kernel *k = &unit->kernels.at[i];
        if (!tri_str_equal(k->name, name))
            continue;
        tri_vec_push(unit->arena, &list, k);
        for (size_t n = list.len - 1; n && count_conditions(list.at[n - 1]) < count_conditions(k); n--) {
            list.at[n] = list.at[n - 1];
            list.at[n - 1] = k;
        }
    }
    return list;
}

uint64_t tri_object_count_configs(const tri_bundle *bundle, tri_str name)
{
    uint64_t count = 1;
    for (size_t p = 0; p < bundle->parts.len; p++) {
        tri_object_variants forms = tri_object_list_variants(&bundle->parts.at[p], name);
        uint64_t config = forms.len ? (uint64_t)forms.at[0]->config : 0;
        count = config > count ? config : count;
    }
    return count;
}

bool tri_object_takes_grid(const tri_object_kernel *kernel, const char *suffix)
{
    return strcmp(suffix, "_run") != 0 && (strcmp(suffix, "_tune") != 0 || !kernel->general->grid.len);
}

static bool is_in(const tri_object_kernels *list, tri_str name)
{
    for (size_t i = 0; i < list->len; i++)
        if (tri_str_equal(list->at[i].name, name))
            return true;
    return false;
}

tri_object_kernels tri_object_list_kernels(const tri_bundle *bundle)
{
    tri_object_kernels list = {0};
    for (size_t p = 0; p < bundle->parts.len; p++) {
        const tri_part *part = &bundle->parts.at[p];
        for (size_t i = 0; i < part->unit->kernels.len; i++) {
            tri_str name = part->unit->kernels.at[i].name;
            if (is_in(&list, name))
                continue;
            tri_object_variants forms = tri_object_list_variants(part, name);
            tri_vec_push(bundle->arena, &list, (tri_object_kernel){name, part->unit, tri_vec_last(&forms)});
        }
    }
    return list;
}
