/* One thing after the other, each with what was best of the others so far: stages, warps of their own for loads,
 * programs that go through the grid. Each form is compiled to ttgir, and forgotten. */
#include "driver/choose.h"

#include "driver/estimate.h"
#include "ir/kernel.h"
#include "ir/machines.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "targets/facts.h"

enum { LEAST_STAGES = 2, MOST_STAGES = 5, GAIN_PERCENT = 3 };

typedef struct {
    tri_session *session;
    tri_unit *unit;
    const tri_phase *ttgir;
    tri_options best;
    int64_t usual, least; /* nanoseconds that are expected, at first and now */
} choice;

/* 0: it cannot be compiled so, or nothing is known of it. */
static int64_t expect(choice *c, const tri_options *options)
{
    tri_unit *unit = c->unit, before = *unit;
    unit->options = options;
    unit->module = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(before.module)));
    tri_diag_hold(unit->diag);
    int64_t ns = tri_phase_run(c->ttgir, unit, NULL) ? tri_estimate_sum(unit, c->session->opt->launch_values) : 0;
    tri_diag_drop(unit->diag);
    if (!mlirModuleIsNull(unit->module))
        mlirModuleDestroy(unit->module);
    *unit = before;
    return ns;
}

static void try_form(choice *c, const tri_options *options)
{
    int64_t ns = expect(c, options);
    if (!ns || ns * 100 >= c->least * (100 - GAIN_PERCENT))
        return;
    c->least = ns;
    c->best = *options;
}

static void try_stages(choice *c)
{
    int usual = tri_facts_stages(c->unit);
    tri_options options = c->best;
    for (int n = LEAST_STAGES; n <= MOST_STAGES; n++) {
        options.num_stages = n;
        if (n != usual)
            try_form(c, &options);
    }
}

static void try_partitions(choice *c)
{
    tri_options with = c->best, without = c->best;
    if (!c->unit->arch->has_warp_groups || with.warp_specialize || with.no_warp_specialize)
        return;
    with.warp_specialize = true;
    without.no_warp_specialize = true;
    try_form(c, &with);
    try_form(c, &without);
}

static void try_persistence(choice *c)
{
    tri_options options = c->best;
    if (!c->unit->arch->has_warp_groups || c->best.persistence != TRI_PERSISTENCE_USUAL)
        return;
    options.persistence = TRI_PERSISTENCE_ON;
    try_form(c, &options);
}

static bool has_products(tri_unit *unit)
{
    tri_op_list ops = {0};
    tri_op_collect(mlirModuleGetOperation(unit->module), unit->arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        if (tri_op_in(ops.at[i], TRI_OPS_PRODUCT))
            return true;
    return false;
}

/* Does some kernel, or an option, give what is asked for; do all know their grid? */
static void look_at_kernels(const tri_unit *unit, bool *has_stages, bool *has_grid)
{
    *has_stages = unit->options->num_stages > 0;
    *has_grid = unit->kernels.len > 0;
    for (size_t i = 0; i < unit->kernels.len; i++) {
        *has_stages = *has_stages || unit->kernels.at[i].num_stages > 0;
        *has_grid = *has_grid && unit->kernels.at[i].grid.len;
    }
}

static void tell_choice(const choice *c, const tri_options *given)
{
    tri_buf text = {0};
    if (c->best.num_stages != given->num_stages)
        tri_buf_format(&text, "%d stages, ", c->best.num_stages);
    if (c->best.warp_specialize != given->warp_specialize)
        tri_buf_add_z(&text, "warps of their own for loads, ");
    if (c->best.no_warp_specialize != given->no_warp_specialize)
        tri_buf_add_z(&text, "no warps of their own for loads, ");
    if (c->best.persistence != given->persistence)
        tri_buf_add_z(&text, "programs that go through the grid, ");
    tri_diag_remark(c->unit->diag, TRI_NO_SPAN, "cost", "%.*s%.1f us expected; %.1f as usual",
                    TRI_STR_ARG(tri_buf_str(&text)), (double)c->least / 1000, (double)c->usual / 1000);
    tri_buf_fini(&text);
}

void tri_choose(tri_session *session, tri_unit *unit, const tri_phase *ttgir)
{
    choice c = {.session = session, .unit = unit, .ttgir = ttgir, .best = *unit->options};
    const tri_options *given = unit->options;
    bool has_stages, has_grid;
    if (!unit->arch->processors || !has_products(unit))
        return;
    tri_session_provide(session, unit, ttgir->contexts);
    c.usual = c.least = expect(&c, given);
    if (!c.usual)
        return;
    look_at_kernels(unit, &has_stages, &has_grid);
    if (!has_stages)
        try_stages(&c);
    try_partitions(&c);
    if (has_grid)
        try_persistence(&c);
    tri_options *chosen = TRI_NEW(unit->arena, tri_options);
    *chosen = c.best;
    unit->options = chosen;
    tell_choice(&c, given);
}
