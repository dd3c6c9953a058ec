#include "passes/analysis/cost_parts.h"

#include "ir/occupancy.h"
#include "ir/type.h"

#include <math.h>

enum {
    SAMPLES = 8,        /* programs that are followed */
    MANY_SAMPLES = 32,  /* ... where each is one iteration of many */
    KEPT_PERCENT = 60,  /* of what a program reads again, that is still beside its multiprocessor */
    NEIGHBOURS = 264,   /* programs at most that are looked at for what they read together */
    ROUGH_PERCENT = 12, /* by which the estimate of registers may be too high */
    FLIGHT = 8192,      /* bytes on the way to a multiprocessor with which memory is at half its rate */
    SHARPNESS = 8,      /* how nearly the scarcest alone decides */
};

static const char *kind_name(tri_cost_kind kind)
{
    static const char *const names[TRI_COST_KINDS] = {"latency", "instructions", "exponentials", "products",
                                                      "shared memory", "cache", "memory"};
    return names[kind];
}

void tri_cost_print(const tri_cost *cost, tri_buf *out)
{
    bool is_told[TRI_COST_KINDS] = {false};
    tri_buf_format(out, "%.1f us for %.0f programs, %d on a multiprocessor, %d registers", cost->microseconds,
                   cost->programs, cost->resident, cost->registers);
    if (cost->wanted > cost->registers)
        tri_buf_format(out, " (of %d)", cost->wanted);
    tri_buf_add_z(out, ":");
    for (int n = 0; n < TRI_COST_KINDS; n++) {
        int next = -1;
        for (int i = 0; i < TRI_COST_KINDS; i++)
            if (!is_told[i] && (next < 0 || cost->part[i] > cost->part[next]))
                next = i;
        is_told[next] = true;
        tri_buf_format(out, "%s %s %.1f", n ? "," : "", kind_name((tri_cost_kind)next), cost->part[next]);
    }
}

/* ---- the launch ---- */

bool tri_cost_take_value(tri_str *text, char between, char equals, tri_cost_value *out)
{
    size_t end = tri_str_find(*text, between);
    tri_str item = tri_str_sub(*text, 0, end);
    size_t at = tri_str_find(item, equals);
    bool has_name = at < item.len;
    out->name = has_name ? tri_str_sub(item, 0, at) : TRI_STR("");
    *text = tri_str_sub(*text, end + (end < text->len), text->len);
    tri_str number = has_name ? tri_str_sub(item, at + 1, item.len) : item;
    return (!has_name || at) && tri_str_to_i64(number, &out->value);
}

static int64_t default_value(size_t count, const tri_cost_value *values)
{
    for (size_t i = 0; i < count; i++)
        if (!values[i].name.len)
            return values[i].value;
    return TRI_COST_ARGUMENT;
}

static bool find_value(const tri_kernel *kernel, tri_str name, size_t count, const tri_cost_value *values, int64_t *out)
{
    for (size_t i = 0; i < count; i++)
        if (tri_str_equal(values[i].name, name)) {
            *out = values[i].value;
            return true;
        }
    for (size_t i = 0; i < kernel->params.len; i++) {
        const tri_kernel_param *p = &kernel->params.at[i];
        bool is_it = tri_str_equal(p->name, name);
        if (is_it && p->is_constexpr)
            return tri_str_to_i64(p->value, out);
        if (is_it && p->type.len && p->type.data[0] != '*') {
            *out = default_value(count, values);
            return true;
        }
    }
    return false;
}

static bool apply(tri_str word, int64_t a, int64_t b, int64_t *out)
{
    bool divides = tri_str_is(word, "//") || tri_str_is(word, "%") || tri_str_is(word, "cdiv");
    if (divides && b <= 0)
        return false;
    if (tri_str_is(word, "+"))
        *out = a + b;
    else if (tri_str_is(word, "-"))
        *out = a - b;
    else if (tri_str_is(word, "*"))
        *out = a * b;
    else if (tri_str_is(word, "//"))
        *out = a / b;
    else if (tri_str_is(word, "%"))
        *out = a % b;
    else if (tri_str_is(word, "cdiv"))
        *out = (a + b - 1) / b;
    else if (tri_str_is(word, "min"))
        *out = a < b ? a : b;
    else if (tri_str_is(word, "max"))
        *out = a > b ? a : b;
    else
        return false;
    return true;
}

/* The grid that words in postfix order compute; false where they use other operators. */
static bool compute_grid(const tri_kernel *kernel, size_t count, const tri_cost_value *values, int64_t *grid)
{
    enum { DEPTH = 16 };
    int64_t stack[DEPTH], value;
    int depth = 0, axis = 0;
    for (tri_str rest = kernel->grid; rest.len;) {
        size_t end = tri_str_find(rest, ' ');
        tri_str word = tri_str_sub(rest, 0, end);
        rest = tri_str_sub(rest, end + (end < rest.len), rest.len);
        if (tri_str_is(word, ";")) {
            if (depth != 1 || axis == 2)
                return false;
            grid[axis++] = stack[--depth];
        } else if (depth < DEPTH && (tri_str_to_i64(word, &value) || find_value(kernel, word, count, values, &value))) {
            stack[depth++] = value;
        } else if (depth < 2 || !apply(word, stack[depth - 2], stack[depth - 1], &stack[depth - 2])) {
            return false;
        } else {
            depth--;
        }
    }
    if (depth == 1)
        grid[axis] = stack[0];
    return depth == 1 && grid[0] > 0 && grid[1] > 0 && grid[2] > 0;
}

void tri_cost_kernel_of(tri_arena *arena, MlirOperation func, tri_kernel *out)
{
    MlirAttribute attr = tri_op_attr(func, "tritcc.kernel");
    *out = (tri_kernel){.name = tri_op_symbol(func)};
    if (mlirAttributeIsNull(attr) || !tri_kernel_from_attr(arena, attr, out))
        tri_kernel_params_from_func(arena, func, out);
}

void tri_cost_launch_of(MlirOperation func, const tri_kernel *kernel, size_t count, const tri_cost_value *values,
                        tri_cost_launch *out)
{
    *out = (tri_cost_launch){.grid = {1, 1, 1}, .otherwise = default_value(count, values)};
    MlirBlock body = tri_op_body(func, 0);
    intptr_t arguments = mlirBlockGetNumArguments(body);
    size_t param = 0, extra = 0;
    out->is_persistent = kernel->is_persistent || tri_op_flag(func, "tritcc.persistent");
    out->count = arguments > TRI_COST_MAX_ARGUMENTS ? TRI_COST_MAX_ARGUMENTS : (size_t)arguments;
    out->has_grid = compute_grid(kernel, count, values, out->grid);
    for (size_t i = 0; i < out->count; i++) {
        while (param < kernel->params.len && kernel->params.at[param].is_constexpr)
            param++;
        bool is_number = mlirTypeIsAInteger(mlirValueGetType(mlirBlockGetArgument(body, (intptr_t)i)));
        out->argument[i] = is_number ? out->otherwise : (int64_t)(i + 1) << 44;
        if (is_number && param < kernel->params.len)
            find_value(kernel, kernel->params.at[param].name, count, values, &out->argument[i]);
        else if (is_number && out->is_persistent && extra < 3)
            out->argument[i] = out->grid[extra++];
        param += param < kernel->params.len;
    }
}

/* ---- how many programs a multiprocessor holds ---- */

static int count_resident(const tri_machine_facts *facts, MlirOperation module, int registers, int warps)
{
    tri_occupancy_needs needs = {.warps = warps, .registers = registers, .shared = tri_op_int(module, "ttg.shared", 0)};
    int count = tri_occupancy_of(facts, &needs).blocks;
    return count > 0 ? count : 1;
}

/* ---- what programs read together ---- */

typedef struct {
    tri_cost_kernel *k;
    const tri_cost_launch *launch;
    tri_op_list accesses;
    double programs;
} estimate;

static bool is_reached(tri_cost_values *v, MlirOperation op)
{
    for (MlirOperation p = mlirOperationGetParentOperation(op); !mlirOperationIsNull(p) && !tri_op_is(p, "tt.func");
         p = mlirOperationGetParentOperation(p))
        if (tri_op_is(p, "scf.for") && tri_cost_values_trips(v, p) <= 0)
            return false;
    return true;
}

/* Of programs that run at the same time: the part of an access' bytes that none has read or written before it. */
static void find_missed(estimate *e, double together)
{
    tri_map seen;
    size_t count = e->accesses.len;
    int *fresh = TRI_NEW_ARRAY(e->k->arena, int, 3 * count + 3), *all = fresh + count + 1, *own = all + count + 1;
    tri_map_init(&seen, e->k->arena);
    memset(fresh, 0, (3 * count + 3) * sizeof *fresh);
    for (int64_t p = 0; p < (int64_t)fmin(together, NEIGHBOURS); p++) {
        tri_cost_values values;
        tri_cost_values_start(&values, e->k->arena, e->launch, p);
        for (size_t i = 0; i < count; i++) {
            int64_t place;
            if (!is_reached(&values, e->accesses.at[i]))
                continue;
            bool is_known = tri_cost_values_place(&values, e->accesses.at[i], &place);
            all[i]++;
            void *before = is_known ? tri_map_find_ptr(&seen, (void *)(intptr_t)place) : NULL;
            fresh[i] += !before;
            own[i] += before == (void *)(intptr_t)(p + 1);
            if (is_known)
                tri_map_set_ptr(&seen, (void *)(intptr_t)place, (void *)(intptr_t)(p + 1));
        }
    }
    for (size_t i = 0; i < count; i++) {
        tri_cost_missed *part = TRI_NEW(e->k->arena, tri_cost_missed);
        part->memory = all[i] ? (double)fresh[i] / all[i] : 1;
        part->cache = all[i] ? 1 - KEPT_PERCENT / 100.0 * own[i] / all[i] : 1;
        tri_map_set_ptr(&e->k->missed, e->accesses.at[i].ptr, part);
    }
}

static void collect_accesses(estimate *e)
{
    tri_op_list ops = {0};
    tri_op_collect(e->k->func, e->k->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        tri_cost_op c = tri_cost_op_of(e->k->arena, e->k->facts, ops.at[i], e->k->warps);
        if (c.kind == TRI_COST_OP_LOAD || c.kind == TRI_COST_OP_COPY || c.kind == TRI_COST_OP_STORE)
            tri_vec_push(e->k->arena, &e->accesses, ops.at[i]);
    }
}

/* ---- the launch as a whole ---- */

/* Programs all over the grid, at no distance that a grid may have as well: by multiples of the golden ratio. */
static double part_of(int number, double step)
{
    double at = (number + 0.5) * step;
    return at - floor(at);
}

/* The mean of some programs. */
static void follow_programs(estimate *e, tri_cost_program *mean)
{
    int count = (int)fmin(e->launch->is_persistent ? MANY_SAMPLES : SAMPLES, e->programs);
    *mean = (tri_cost_program){0};
    for (int s = 0; s < count; s++) {
        tri_cost_values values;
        tri_cost_program one;
        tri_cost_values_start(&values, e->k->arena, e->launch, (int64_t)(part_of(s, 0.6180339887498949) * e->programs));
        values.progress = e->launch->is_persistent ? part_of(s, 0.7548776662466927) : 0;
        tri_cost_program_run(e->k, &values, &one);
        for (size_t i = 0; i < e->accesses.len; i++) {
            const double *bytes = tri_map_find_ptr(&one.copies, e->accesses.at[i].ptr);
            const tri_cost_missed *missed = tri_map_find_ptr(&e->k->missed, e->accesses.at[i].ptr);
            one.work[TRI_COST_MEMORY] += bytes ? *bytes * missed->memory : 0;
        }
        for (int i = 0; i < TRI_COST_KINDS; i++)
            mean->work[i] += one.work[i] / count;
        mean->chain += one.chain / count;
        mean->flight = fmax(mean->flight, one.flight);
    }
}

/* Cycles that `programs` on one multiprocessor take. */
static double wave(const double *cycles, double programs, double *out_part)
{
    double sum = 0, most = 0;
    for (int i = 0; i < TRI_COST_KINDS; i++) {
        out_part[i] = i == TRI_COST_CHAIN ? cycles[i] : cycles[i] * programs;
        most = fmax(most, out_part[i]);
    }
    for (int i = 0; i < TRI_COST_KINDS && most > 0; i++)
        sum += pow(out_part[i] / most, SHARPNESS);
    return most * pow(sum, 1.0 / SHARPNESS);
}

static void combine_parts(estimate *e, const tri_cost_program *mean, tri_cost *out)
{
    const tri_machine_facts *facts = e->k->facts;
    double cycles[TRI_COST_KINDS], part[TRI_COST_KINDS], hz = facts->clock_mhz * 1e6, all = 0;
    memcpy(cycles, mean->work, sizeof cycles);
    cycles[TRI_COST_CHAIN] = mean->chain;
    cycles[TRI_COST_CACHE] *= (double)facts->processors / facts->cache_rate;
    cycles[TRI_COST_MEMORY] *= hz * facts->processors / (facts->memory_gbs * 1e9);
    double flight = mean->flight * fmin(out->resident, ceil(e->programs / facts->processors));
    cycles[TRI_COST_MEMORY] *= flight > 0 ? 1 + FLIGHT / flight : 1;
    double places = (double)facts->processors * out->resident, full = floor(e->programs / places);
    double left = e->programs - full * places;
    all = full * wave(cycles, out->resident, part);
    for (int i = 0; i < TRI_COST_KINDS; i++)
        out->part[i] = full * part[i] / facts->clock_mhz;
    if (left > 0) {
        all += wave(cycles, ceil(left / facts->processors), part);
        for (int i = 0; i < TRI_COST_KINDS; i++)
            out->part[i] += part[i] / facts->clock_mhz;
    }
    out->microseconds = all / facts->clock_mhz;
}

static void find_registers(tri_cost_kernel *k, MlirOperation module, int warps, tri_cost *out)
{
    int wanted = tri_cost_registers(k->arena, k->func);
    int most = TRI_OCCUPANCY_REGISTERS / (warps * TRI_COST_LANES) / 8 * 8;
    int limit = (int)tri_op_int(module, "ttg.maxnreg", 0);
    tri_op_list splits = {0};
    int32_t given[16];
    most = most > k->facts->max_registers ? k->facts->max_registers : most;
    out->registers = wanted < most ? (wanted + 7) / 8 * 8 : most;
    if (limit)
        out->registers = limit;
    tri_op_collect_named(k->func, "ttg.warp_specialize", k->arena, &splits);
    if (splits.len && tri_op_i32s(splits.at[0], "actualRegisters", given, 16) > 0)
        most = given[0];
    k->spilled = wanted * 100 > most * (100 + ROUGH_PERCENT) ? wanted - most : 0;
    out->wanted = wanted;
}

bool tri_cost_estimate(tri_arena *arena, MlirOperation func, const tri_cost_launch *launch, tri_cost *out)
{
    MlirOperation module = mlirOperationGetParentOperation(func);
    const tri_machine_facts *facts = tri_machines_of(module);
    tri_cost_kernel k = {.arena = arena, .facts = facts, .func = func};
    *out = (tri_cost){0};
    if (!facts->processors)
        return false;
    k.warps = (int)tri_op_int(module, "ttg.num-warps", 4);
    int warps = (int)tri_op_int(module, "ttg.total-num-warps", k.warps);
    tri_map_init(&k.ops, arena);
    tri_map_init(&k.missed, arena);
    find_registers(&k, module, warps, out);
    out->resident = count_resident(facts, module, out->registers, warps);
    double places = (double)facts->processors * out->resident;
    double grid = (double)launch->grid[0] * (double)launch->grid[1] * (double)launch->grid[2];
    tri_cost_launch own = *launch;
    estimate e = {.k = &k, .launch = &own, .programs = launch->has_grid ? grid : places};
    if (launch->is_persistent) {
        e.programs = fmin(e.programs, places);
        own.grid[0] = (int64_t)e.programs;
        own.grid[1] = own.grid[2] = 1;
    }
    tri_cost_program mean;
    collect_accesses(&e);
    find_missed(&e, fmin(places, e.programs));
    follow_programs(&e, &mean);
    out->programs = e.programs;
    combine_parts(&e, &mean, out);
    return true;
}

bool tri_cost_of_kernel(tri_arena *arena, MlirOperation func, const tri_kernel *kernel, size_t count,
                        const tri_cost_value *values, tri_cost *out)
{
    tri_cost_launch launch;
    tri_cost_launch_of(func, kernel, count, values, &launch);
    return tri_cost_estimate(arena, func, &launch, out);
}
