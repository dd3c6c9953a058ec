/* Runs a case as tritrun does: from a file, with its compiler, host JIT and simulator, in this process. */
#include "tests/matrix/matrix.h"

#include "run/kernel.h"
#include "tests/matrix/coverage.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tri_dtype dtype_of(m_dtype dtype)
{
    tri_dtype found = TRI_DTYPE_COUNT;
    tri_dtype_find(tri_str_from(m_dtype_signature(dtype)), &found);
    return found;
}

/* The source in a file of its own; the name does not change, so that messages do not. */
static bool write_source(const m_case *c, const char *path)
{
    FILE *f = fopen(path, "w");
    return f && fwrite(c->text.data, 1, c->text.len, f) == c->text.len && !fclose(f);
}

static void add_option(tri_arena *arena, char **argv, int *argc, const char *name, const char *value)
{
    argv[(*argc)++] = (char *)tri_str_format(arena, "-%s=%s", name, value).data;
}

static bool parse_options(tri_arena *arena, tri_diag *diag, m_case *c, m_place place, const char *path,
                          tri_run_opt *out)
{
    char *argv[16] = {"tritrun"};
    int argc = 1;
    add_option(arena, argv, &argc, "arch", place.arch);
    argv[argc++] = "-k";
    argv[argc++] = "k";
    add_option(arena, argv, &argc, "grid", m_format(c, "%u,%u,%u", c->grid[0], c->grid[1], c->grid[2]));
    if (place.warps)
        add_option(arena, argv, &argc, "num-warps", m_format(c, "%d", place.warps));
    if (place.is_stepped)
        argv[argc++] = "-O0";
    if (place.sanitize)
        add_option(arena, argv, &argc, "fsanitize", place.sanitize);
    else
        argv[argc++] = "-fno-sanitize";
    if (c->stages)
        add_option(arena, argv, &argc, "num-stages", m_format(c, "%d", c->stages));
    argv[argc++] = (char *)path;
    bool ok = tri_run_opt_parse(arena, diag, argc, argv, out);
    if (place.is_stepped) /* what runs here is not for debuggers, so tritrun has no -g */
        out->compile.debug = TRI_DEBUG_FULL;
    return ok;
}

/* Every run starts from the same data; `arrays` are what the kernel changes. */
static void make_arguments(tri_arena *arena, m_case *c, tri_argument_list *list, m_array *arrays)
{
    for (int i = 0; i < c->num_args; i++) {
        m_arg *a = &c->args[i];
        tri_argument argument = {.name = tri_str_from(c->is_ir ? "" : a->name)}; /* ttir knows no names */
        if (a->role == M_SCALAR || a->role == M_CONSTEXPR) {
            argument.kind = a->role == M_SCALAR ? TRI_ARGUMENT_SCALAR : TRI_ARGUMENT_LITERAL;
            argument.dtype = a->role == M_SCALAR ? dtype_of(a->dtype) : TRI_DTYPE_COUNT;
            argument.literal = tri_str_from(a->text);
        } else {
            size_t size = (size_t)a->data.count * (size_t)m_dtype_size(a->data.dtype);
            arrays[i] = m_new_array(c, a->data.dtype, a->data.count);
            memcpy(arrays[i].data, a->data.data, size);
            argument.kind = TRI_ARGUMENT_ARRAY;
            argument.array = (tri_array){.dtype = dtype_of(a->data.dtype), .rank = 1, .shape = {a->data.count},
                                         .count = a->data.count, .data = arrays[i].data};
        }
        tri_vec_push(arena, list, argument);
    }
}

static void write_log(const tri_buf *log, FILE *out)
{
    bool at_start = true;
    for (size_t i = 0; i < log->len && i < 3000; i++) {
        if (at_start)
            fputs("# ", out);
        fputc(log->data[i], out);
        at_start = log->data[i] == '\n';
    }
    if (!at_start)
        fputc('\n', out);
}

/* The simulator computes by the machine's recipes, such as exp through exp2. */
static m_tolerance tolerance_at(const m_case *c, m_place place)
{
    m_tolerance t = c->gpu_tolerance;
    return place.warps && (t.ulps || t.rtol || t.atol) ? t : c->tolerance;
}

static bool check_results(m_case *c, const m_array *arrays, m_place place, FILE *out)
{
    int64_t wrong = 0;
    for (int i = 0; i < c->num_args; i++) {
        const m_arg *a = &c->args[i];
        m_tolerance t = a->tolerance ? *a->tolerance : tolerance_at(c, place);
        if ((a->role == M_OUT || a->role == M_INOUT) && !a->is_unchecked)
            wrong += m_compare(&arrays[i], &a->want, t, a->name, out);
        else if (a->role == M_IN)
            wrong += m_compare(&arrays[i], &a->data, (m_tolerance){.is_strict = true}, a->name, out);
    }
    return !wrong;
}

/* The message must have the code, and stand at a line of the source. */
static bool is_rejected_right(const m_case *c, const char *path, const tri_buf *log, FILE *out)
{
    char place[64], code[32];
    snprintf(place, sizeof place, "%s:", path);
    snprintf(code, sizeof code, "[%s]", c->error);
    if (log->len && strstr(log->data, place) && strstr(log->data, code))
        return true;
    fprintf(out, "# expected a located %s\n", code);
    return false;
}

static bool run_kernel(tri_arena *arena, tri_diag *diag, tri_buf *log, m_case *c, m_place place, FILE *out)
{
    const char *path = !c->is_ir ? "k.tri" : strstr(c->text.data, "ttg.num-warps") ? "k.ttgir" : "k.ttir";
    bool is_sim = !strncmp(place.arch, "sim:", 4),
         wants_error = c->error && (c->error_targets & (is_sim ? M_ON_SIM : M_ON_HOST));
    tri_run_opt opt;
    tri_run_kernel kernel;
    tri_argument_list arguments = {0};
    m_array arrays[M_MAX_ARGS];
    if (!write_source(c, path) || !parse_options(arena, diag, c, place, path, &opt))
        return false;
    make_arguments(arena, c, &arguments, arrays);
    if (is_sim)
        opt.hooks = &m_coverage_hooks;
    bool compiles = tri_run_kernel_create(arena, diag, &opt, &arguments, &kernel), ok;
    if (wants_error) {
        ok = !compiles && is_rejected_right(c, path, log, out);
        if (compiles)
            fprintf(out, "# compiled, but %s was expected\n", c->error);
    } else {
        if (compiles && is_sim)
            m_coverage_add_sites(&kernel.unit);
        ok = compiles && tri_run_kernel_launch(&kernel, NULL) && tri_run_kernel_fetch(&kernel) &&
             check_results(c, arrays, place, out);
    }
    tri_run_kernel_fini(&kernel);
    return ok;
}

/* What linalg or OpenCL cannot say is refused, where it stands: that is an answer too, and is shown as one. */
static bool is_refused(const m_case *c, m_place place, const tri_buf *log)
{
    const char *path = c->is_ir ? "k.ttir:" : "k.tri:";
    bool may_refuse = !strcmp(place.arch, "linalg") || !strcmp(place.arch, "opencl") ||
                      !strncmp(place.arch, "sim:gfx", 7) || !strncmp(place.arch, "sim:intel", 9) ||
                      !strcmp(place.arch, "sim:spirv64");
    return may_refuse && log->len && strstr(log->data, path) &&
           (strstr(log->data, "[TRI-6002]") || strstr(log->data, "[TRI-7003]") || strstr(log->data, "[TRI-3020]")) &&
           !strstr(log->data, "LLVM Translation failed");
}

bool m_host_run(m_case *c, m_place place, FILE *out, bool *out_is_refused)
{
    tri_arena *arena = tri_arena_create();
    tri_diag *diag = tri_diag_create();
    tri_buf log = {0};
    tri_diag_set_log(diag, &log);
    tri_diag_set_color(diag, TRI_COLOR_NEVER);
    bool ok = run_kernel(arena, diag, &log, c, place, out);
    tri_diag_destroy(diag);
    if (!ok)
        write_log(&log, out);
    *out_is_refused = !ok && is_refused(c, place, &log);
    tri_buf_fini(&log);
    tri_arena_destroy(arena);
    return ok || *out_is_refused;
}
