#include "ir/machines.h"

#include "ir/op.h"

#include <stdio.h>
#include <string.h>

static const tri_machine_facts rows[] = {
#define X(name_, ...) {.name = name_, __VA_ARGS__},
#define STAND_IN(prefix, name)
#include "ir/machines.def"
#undef X
#undef STAND_IN
};

static const struct {
    const char *prefix, *name;
} stand_ins[] = {
#define X(name, ...)
#define STAND_IN(prefix, name) {prefix, name},
#include "ir/machines.def"
#undef X
#undef STAND_IN
};

enum { row_count = sizeof rows / sizeof *rows, stand_in_count = sizeof stand_ins / sizeof *stand_ins };

static bool is_of(const tri_machine_facts *row, const char *family)
{
    return row->family && !row->refusal && !strcmp(row->family, family);
}

static const tri_machine_facts *first_from(size_t at, const char *family)
{
    while (at < row_count && !is_of(&rows[at], family))
        at++;
    return at < row_count ? &rows[at] : NULL;
}

const tri_machine_facts *tri_machines_first(const char *family) { return first_from(0, family); }

const tri_machine_facts *tri_machines_next(const tri_machine_facts *facts)
{
    return first_from((size_t)(facts - rows) + 1, facts->family);
}

const tri_machine_facts *tri_machines_named(tri_str name)
{
    for (size_t i = 0; i < row_count; i++)
        if (tri_str_is(name, rows[i].name))
            return &rows[i];
    return NULL;
}

/* ---- ttg.target ---- */

/* Of the rows whose ttg.target has the prefix, the newest that is not above `number`, else the oldest. */
static const tri_machine_facts *nearest(tri_str prefix, int64_t number)
{
    const tri_machine_facts *best = NULL, *oldest = NULL;
    for (size_t i = 0; i < row_count; i++) {
        if (!rows[i].ttg_target || !tri_str_has_prefix(tri_str_from(rows[i].ttg_target), prefix.data))
            continue;
        if (!oldest)
            oldest = &rows[i];
        if (rows[i].capability <= number && (!best || rows[i].capability >= best->capability))
            best = &rows[i];
    }
    return best ? best : oldest;
}

static const tri_machine_facts *stand_in(tri_str target)
{
    for (size_t i = 0; i < stand_in_count; i++) {
        tri_str prefix = tri_str_from(stand_ins[i].prefix);
        int64_t number;
        if (!tri_str_has_prefix(target, prefix.data))
            continue;
        if (stand_ins[i].name)
            return tri_machines_named(tri_str_from(stand_ins[i].name));
        if (tri_str_to_i64(tri_str_sub(target, prefix.len, target.len), &number))
            return nearest(prefix, number);
    }
    return NULL;
}

const tri_machine_facts *tri_machines_for(tri_str ttg_target)
{
    const tri_machine_facts *found = NULL;
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].ttg_target && tri_str_is(ttg_target, rows[i].ttg_target))
            found = &rows[i];
    return found ? found : stand_in(ttg_target);
}

const tri_machine_facts *tri_machines_for_gfx(tri_str name)
{
    char target[32];
    int n = snprintf(target, sizeof target, "hip:%.*s", TRI_STR_ARG(name));
    return n > 0 && n < (int)sizeof target ? tri_machines_for(tri_str_from(target)) : NULL;
}

/* Modules of Intel's passes say what their machine can do instead of naming it. */
static const tri_machine_facts *intel_of(MlirOperation module)
{
    int64_t lanes = tri_op_int(module, "ttig.min_sg_size", 0);
    bool has_dpas = !mlirAttributeIsNull(tri_op_attr(module, "ttig.support_subgroup_matrix_multiply_accumulate"));
    bool has_fp8 = !mlirAttributeIsNull(tri_op_attr(module, "ttig.support_subgroup_matrix_multiply_accumulate_bf8"));
    return !lanes      ? NULL
           : !has_dpas ? tri_machines_named(TRI_STR("spirv64-sg32"))
           : has_fp8   ? tri_machines_named(TRI_STR("intel-cri"))
                       : tri_machines_named(lanes == 8 ? TRI_STR("intel-dg2") : TRI_STR("intel-pvc"));
}

const tri_machine_facts *tri_machines_of(MlirOperation module)
{
    tri_str target = tri_op_string(module, "ttg.target");
    const tri_machine_facts *facts = !target.len || tri_str_is(target, "xpu") ? intel_of(module) : NULL;
    facts = facts ? facts : tri_machines_for(target);
    return facts ? facts : tri_machines_for(TRI_STR(""));
}

bool tri_machines_check(tri_diag *diag, MlirOperation module)
{
    tri_str target = tri_op_string(module, "ttg.target");
    if (tri_machines_for(target))
        return true;
    tri_op_error(diag, module, 5012,
                 "no machine is known for ttg.target = \"%.*s\"; --print-targets lists what code is made for",
                 TRI_STR_ARG(target));
    return false;
}
