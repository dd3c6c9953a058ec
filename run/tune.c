#include "run/tune.h"

#include "base/file.h"
#include "frontend/frontend.h"
#include "ir/kernel.h"
#include "run/backend.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { done = 0, failed = 1, wrong_usage = 2, bar_width = 30 };

/* One configuration on one shape. */
typedef struct {
    tri_str constants; /* "B=64, num_warps=4" */
    double seconds;    /* below 0: it does not run */
} result;

typedef struct {
    tri_arena *arena;
    tri_diag *diag;
    const tri_run_opt *opt;
    size_t *digits; /* of each -for: which of its values the shape has */
    tri_str kernel, arch, key;
    TRI_VEC(result) results; /* of the shape */
    int config_count;        /* 0: not known yet */
    bool lacks_grid;         /* neither the command line nor the file has one */
    uint64_t shapes, measured;
    tri_progress *progress;
    tri_buf table, plot;
} tuning;

/* ---- shapes ---- */

static tri_str value_at(tri_str list, size_t index)
{
    for (; index; index--)
        list = tri_str_sub(list, tri_str_find(list, ',') + 1, list.len);
    return tri_str_trim(tri_str_sub(list, 0, tri_str_find(list, ',')));
}

static size_t count_values(tri_str list)
{
    size_t count = 1;
    for (size_t i = 0; i < list.len; i++)
        count += list.data[i] == ',';
    return count;
}

/* The word with the shape's values in place of {NAME}. */
static tri_str fill_in(const tuning *t, tri_arena *arena, tri_str word)
{
    tri_buf out = {0};
    for (size_t i = 0; i < word.len; i++) {
        size_t f = 0;
        for (; f < t->opt->shapes.len; f++) {
            tri_str name = t->opt->shapes.at[f].name, rest = tri_str_sub(word, i + 1, word.len);
            if (word.data[i] == '{' && rest.len > name.len && !memcmp(rest.data, name.data, name.len) &&
                rest.data[name.len] == '}')
                break;
        }
        if (f == t->opt->shapes.len) {
            tri_buf_add_char(&out, word.data[i]);
            continue;
        }
        tri_buf_add_str(&out, value_at(t->opt->shapes.at[f].value, t->digits[f]));
        i += t->opt->shapes.at[f].name.len + 1;
    }
    tri_str copy = tri_str_copy(arena, tri_buf_str(&out));
    tri_buf_fini(&out);
    return copy;
}

/* The next combination, the last -for first; false after the last one. */
static bool advance(tuning *t)
{
    for (size_t f = t->opt->shapes.len; f-- > 0;) {
        if (++t->digits[f] < count_values(t->opt->shapes.at[f].value))
            return true;
        t->digits[f] = 0;
    }
    return false;
}

static bool shape_arguments(const tuning *t, tri_arena *arena, tri_argument_list *out)
{
    for (size_t i = 0; i < t->opt->arguments.len; i++) {
        tri_argument argument;
        if (!tri_argument_parse(t->diag, arena, fill_in(t, arena, t->opt->arguments.at[i]), &argument))
            return false;
        tri_vec_push(arena, out, argument);
    }
    return tri_argument_link(t->diag, arena, out);
}

/* ---- one configuration ---- */

/* The least time of a run: of some, until a tenth of a second is over. */
static bool least_time(tri_run_kernel *kernel, double *out_seconds)
{
    enum { most = 200, least = 3 };
    double seconds, sum = 0;
    if (!tri_run_kernel_launch(kernel, NULL) || !tri_run_kernel_launch(kernel, out_seconds))
        return false;
    for (int i = 0; i < most && (i < least || sum < 0.1); i++) {
        if (!tri_run_kernel_launch(kernel, &seconds))
            return false;
        *out_seconds = seconds < *out_seconds ? seconds : *out_seconds;
        sum += seconds;
    }
    return true;
}

/* "n=5000,m=3": the integer arguments of the key, which are what an object's launcher can ask. */
static tri_str key_values(const tuning *t, const tri_run_kernel *kernel)
{
    const tri_kernel *k = &kernel->unit.kernels.at[0];
    tri_buf text = {0};
    for (tri_str rest = k->key; rest.len;) {
        size_t end = tri_str_find(rest, ',');
        tri_str name = tri_str_sub(rest, 0, end);
        rest = tri_str_sub(rest, end + (end < rest.len), rest.len);
        for (size_t i = 0; i < k->params.len; i++) {
            const tri_kernel_param *p = &k->params.at[i];
            int64_t value;
            if (tri_str_equal(p->name, name) && (!p->is_constexpr || p->passed_type.len) && kernel->passed[i] &&
                !tri_run_kernel_is_memory(kernel->passed[i]) && tri_str_to_i64(kernel->passed[i]->literal, &value))
                tri_buf_format(&text, "%s%.*s=%lld", text.len ? "," : "", TRI_STR_ARG(name), (long long)value);
        }
    }
    tri_str copy = text.len ? tri_str_copy(t->arena, tri_buf_str(&text)) : TRI_STR("-");
    tri_buf_fini(&text);
    return copy;
}

static tri_str constants_of(const tuning *t, const tri_run_kernel *kernel)
{
    const tri_kernel *k = &kernel->unit.kernels.at[0];
    tri_buf text = {0};
    for (size_t i = 0; i < k->params.len; i++)
        if (k->params.at[i].is_constexpr && !k->params.at[i].passed_type.len && !kernel->passed[i])
            tri_buf_format(&text, "%s%.*s=%.*s", text.len ? ", " : "", TRI_STR_ARG(k->params.at[i].name),
                           TRI_STR_ARG(k->params.at[i].value));
    if (kernel->backend->is_gpu && k->num_warps > 0)
        tri_buf_format(&text, "%snum_warps=%d, num_stages=%d", text.len ? ", " : "", k->num_warps, k->num_stages);
    tri_str copy = tri_str_copy(t->arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return copy;
}

/* Compiles and measures; what is wrong is held back: another configuration may do. */
static void try_config(tuning *t, int config, tri_argument_list *arguments)
{
    tri_run_opt opt = *t->opt;
    tri_run_kernel kernel;
    result r = {TRI_STR(""), -1};
    opt.compile.config = TRI_FRONTEND_ALL_CONFIGS - config;
    bool is_made = tri_run_kernel_create(t->arena, t->diag, &opt, arguments, &kernel);
    t->lacks_grid = t->lacks_grid || (is_made && !kernel.grid_text.len);
    if (is_made && !t->lacks_grid && !least_time(&kernel, &r.seconds))
        r.seconds = -1;
    if (kernel.config_count)
        t->config_count = kernel.config_count;
    if (kernel.unit.kernels.len == 1 && kernel.passed) {
        bool is_any = tri_str_is(tri_str_from(kernel.unit.arch->name), "native");
        r.constants = constants_of(t, &kernel);
        t->kernel = tri_str_copy(t->arena, kernel.unit.kernels.at[0].name);
        t->key = key_values(t, &kernel);
        t->arch = is_any ? TRI_STR("*") : tri_str_from(kernel.unit.arch->name);
    }
    tri_run_kernel_fini(&kernel);
    tri_vec_push(t->arena, &t->results, r);
    t->measured++;
    if (t->progress)
        tri_progress_step(t->progress, t->measured, t->shapes * (uint64_t)(t->config_count ? t->config_count : 1));
}

/* ---- one shape ---- */

/* "   0    12.3 us ######   B=64" */
static void plot_shape(tuning *t, size_t best)
{
    double longest = 0;
    for (size_t i = 0; i < t->results.len; i++)
        longest = t->results.at[i].seconds > longest ? t->results.at[i].seconds : longest;
    tri_buf_format(&t->plot, "%.*s, %.*s on %.*s\n", TRI_STR_ARG(t->kernel), TRI_STR_ARG(t->key),
                   tri_str_is(t->arch, "*") ? 9 : (int)t->arch.len,
                   tri_str_is(t->arch, "*") ? "this host" : t->arch.data);
    for (size_t i = 0; i < t->results.len; i++) {
        const result *r = &t->results.at[i];
        char bar[bar_width + 1] = {0};
        int length = r->seconds < 0 ? 0 : 1 + (int)(r->seconds / longest * (bar_width - 1));
        memset(bar, '#', (size_t)length);
        if (r->seconds < 0)
            tri_buf_format(&t->plot, "%5zu        does not run", i);
        else
            tri_buf_format(&t->plot, "%5zu %12.3f us  %-*s  %.*s%s", i, r->seconds * 1e6, bar_width, bar,
                           TRI_STR_ARG(r->constants), i == best ? "  <- fastest" : "");
        tri_buf_add_char(&t->plot, '\n');
    }
}

static bool tune_shape(tuning *t)
{
    tri_argument_list arguments = {0};
    tri_arena *arena = tri_arena_create();
    size_t best = SIZE_MAX;
    t->results.len = 0;
    bool ok = shape_arguments(t, arena, &arguments);
    tri_diag_hold(t->diag);
    for (int config = 0; ok && !t->lacks_grid && (config == 0 || config < t->config_count); config++)
        try_config(t, config, &arguments);
    for (size_t i = 0; i < t->results.len; i++)
        if (t->results.at[i].seconds >= 0 &&
            (best == SIZE_MAX || t->results.at[i].seconds < t->results.at[best].seconds))
            best = i;
    if (best == SIZE_MAX && !t->lacks_grid)
        tri_diag_release(t->diag);
    else
        tri_diag_drop(t->diag);
    if (best != SIZE_MAX && t->config_count > 1) {
        plot_shape(t, best);
        tri_buf_format(&t->table, "%.*s %.*s %.*s %zu\n", TRI_STR_ARG(t->kernel), TRI_STR_ARG(t->arch),
                       TRI_STR_ARG(t->key), best);
    }
    tri_arena_destroy(arena);
    return best != SIZE_MAX;
}

/* ---- the table ---- */

static tri_str next_word(tri_str *line)
{
    *line = tri_str_trim(*line);
    size_t end = 0;
    while (end < line->len && !strchr(" \t\r", line->data[end]))
        end++;
    tri_str word = tri_str_sub(*line, 0, end);
    *line = tri_str_sub(*line, end, line->len);
    return word;
}

/* Of a table that is there, lines of other kernels and architectures stay. */
static void keep_others(const tuning *t, tri_str old, tri_buf *out)
{
    while (old.len) {
        size_t end = tri_str_find(old, '\n');
        tri_str line = tri_str_sub(old, 0, end), rest = line, kernel = next_word(&rest), arch = next_word(&rest);
        if (line.len && !(tri_str_equal(kernel, t->kernel) && tri_str_equal(arch, t->arch)))
            tri_buf_format(out, "%.*s\n", TRI_STR_ARG(line));
        old = tri_str_sub(old, end + (end < old.len), old.len);
    }
}

static int save_table(tuning *t)
{
    tri_str path = t->opt->tune, old = TRI_STR("# KERNEL ARCH KEY=VALUE,... CONFIGURATION\n");
    bool is_stdout = tri_str_is(path, "-");
    tri_buf text = {0};
    int error = 0;
    if (!is_stdout && tri_file_exists(path) && !tri_file_read(t->arena, path, &old, &error)) {
        tri_diag_error(t->diag, TRI_NO_SPAN, 1001, "cannot read '%.*s': %s", TRI_STR_ARG(path), strerror(error));
        return failed;
    }
    keep_others(t, old, &text);
    tri_buf_add_str(&text, tri_buf_str(&t->table));
    bool ok = tri_file_write(path, tri_buf_str(&text), &error);
    tri_buf_fini(&text);
    if (!ok)
        tri_diag_error(t->diag, TRI_NO_SPAN, 1003, "cannot write '%.*s': %s", TRI_STR_ARG(path), strerror(error));
    if (is_stdout)
        tri_diag_write(t->diag, tri_buf_str(&t->plot));
    else if (!tri_diag_write_output(t->diag, tri_buf_str(&t->plot), &error))
        ok = false;
    return ok ? done : failed;
}

static bool refuse_tuning(tri_diag *diag, const char *why)
{
    tri_diag_error(diag, TRI_NO_SPAN, 1002, "-tune: %s", why);
    return false;
}

static bool check_options(const tri_run_opt *opt, tri_diag *diag)
{
    if (opt->backend == &tri_run_object)
        return refuse_tuning(diag, "it needs the kernel's source, not an object, whose own k_tune() measures");
    if (opt->backend == &tri_run_sim)
        return refuse_tuning(diag, "the simulator's time says nothing of a device's");
    return true;
}

/* Before anything is measured: can the table be written, or its folder where it is not there yet? */
static bool check_table(tri_arena *arena, tri_diag *diag, tri_str path)
{
    size_t slash = tri_str_find_last(path, '/');
    tri_str folder = slash == path.len ? TRI_STR(".") : slash ? tri_str_sub(path, 0, slash) : TRI_STR("/");
    tri_str place = tri_file_exists(path) ? path : folder;
    if (tri_str_is(path, "-") || !access(tri_str_copy(arena, place).data, W_OK))
        return true;
    tri_diag_error(diag, TRI_NO_SPAN, 1003, "cannot write '%.*s': %s", TRI_STR_ARG(path), strerror(errno));
    return false;
}

int tri_run_tune(tri_arena *arena, tri_diag *diag, const tri_run_opt *opt)
{
    tuning t = {.arena = arena, .diag = diag, .opt = opt, .shapes = 1};
    if (!check_options(opt, diag))
        return wrong_usage;
    if (!check_table(arena, diag, opt->tune))
        return failed;
    t.digits = TRI_NEW_ARRAY(arena, size_t, opt->shapes.len + 1);
    for (size_t f = 0; f < opt->shapes.len; f++)
        t.shapes *= count_values(opt->shapes.at[f].value);
    t.progress = tri_progress_create(diag, "tuning");
    bool ok;
    do
        ok = tune_shape(&t);
    while (ok && t.config_count > 1 && advance(&t));
    tri_progress_destroy(t.progress);
    if (t.lacks_grid) {
        refuse_tuning(diag, "it needs -grid, in which configurations' constants may be named, or a launch in the file "
                            "that says it");
        return wrong_usage;
    }
    if (ok && t.config_count <= 1)
        ok = refuse_tuning(diag, "the kernel has no configurations to choose from (@triton.autotune)");
    int status = ok ? save_table(&t) : failed;
    tri_buf_fini(&t.table);
    tri_buf_fini(&t.plot);
    return status;
}
