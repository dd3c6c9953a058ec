#include "driver/link.h"

#include "base/file.h"
#include "base/process.h"
#include "driver/inputs.h"
#include "driver/output.h"
#include "driver/environment.h"

#include <unistd.h>

typedef TRI_VEC(const char *) words;

static bool report_link(tri_session *session, const char *what, tri_str why)
{
    tri_diag_error(session->diag, TRI_NO_SPAN, 7001, "%s: %.*s", what, TRI_STR_ARG(why));
    return false;
}

/* The object of one input, in a temporary file, beside what else is asked for. */
static int compile_one(tri_session *session, tri_inputs *inputs, size_t i, words *objects)
{
    tri_opt *opt = session->opt;
    size_t asked = opt->emits.len;
    tri_str path;
    int error = 0;
    if (!tri_file_make_temporary(session->arena, ".o", &path, &error)) {
        report_link(session, "cannot write a temporary file", tri_str_from(strerror(error)));
        return 1;
    }
    tri_vec_push(session->arena, &opt->emits, (tri_opt_emit){TRI_KIND_OBJ, path});
    int status = tri_inputs_run(inputs, i);
    opt->emits.len = asked;
    tri_vec_push(session->arena, objects, path.data);
    return status;
}

/* Temporary files that the command names stay, so that it can be given again. */
static void keep_files(tri_arena *arena, const words *argv)
{
    for (size_t i = 0; i + 1 < argv->len; i++) {
        tri_str path = tri_str_from(argv->at[i]);
        tri_file_keep_temporary_folder(tri_str_copy(arena, tri_str_sub(path, 0, tri_str_find_last(path, '/'))));
    }
}

static bool link_all(tri_session *session, const words *objects, tri_str output)
{
    tri_arena *arena = session->arena;
    bool is_shared = session->opt->link == TRI_OPT_LINK_SHARED;
    tri_str cc, made, bytes, path = tri_str_copy(arena, tri_environment_get("PATH"));
    int error = 0;
    if (!tri_process_find(arena, TRI_STR("cc"), path.data, &cc))
        return report_link(session, "cannot link", TRI_STR("there is no 'cc' in PATH"));
    if (!tri_file_make_temporary(arena, is_shared ? ".so" : ".o", &made, &error))
        return report_link(session, "cannot write a temporary file", tri_str_from(strerror(error)));
    words argv = {0};
    const char *const start[] = {cc.data, is_shared ? "-shared" : "-r", is_shared ? "-fPIC" : "-nostdlib", "-o",
                                 made.data};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        tri_vec_push(arena, &argv, start[i]);
    for (size_t i = 0; i < objects->len; i++)
        tri_vec_push(arena, &argv, objects->at[i]);
    if (is_shared)
        tri_vec_push(arena, &argv, "-lm");
    tri_vec_push(arena, &argv, NULL);
    if (session->opt->verbose) {
        tri_diag_write(session->diag, tri_str_format(arena, "%.*s\n", TRI_STR_ARG(tri_process_quote(arena, argv.at))));
        keep_files(arena, &argv);
    }
    tri_process_result result = tri_process_run(arena, argv.at);
    if (!result.started)
        return report_link(session, "cannot run cc", tri_str_from(strerror(result.error)));
    if (result.status || result.signal)
        return report_link(session, "'cc' could not link", result.output);
    return tri_file_read(arena, made, &bytes, &error)
               ? tri_output_write(session->diag, output, bytes)
               : report_link(session, "cannot read what cc linked", tri_str_from(strerror(error)));
}

int tri_link_run(tri_session *session)
{
    tri_opt *opt = session->opt;
    tri_str output = opt->output.len ? tri_str_copy(session->arena, opt->output) : TRI_STR("a.out");
    words objects = {0};
    int status = 0;
    opt->output = TRI_STR("");
    if (opt->depfile && !opt->dep_targets.len)
        tri_vec_push(session->arena, &opt->dep_targets, output);
    tri_inputs inputs;
    tri_inputs_open(session, &inputs);
    for (size_t i = 0; i < opt->inputs.len; i++) {
        int one = compile_one(session, &inputs, i, &objects);
        status = one > status ? one : status;
    }
    if (!status && !link_all(session, &objects, output))
        status = 1;
    if (status)
        unlink(output.data);
    return status;
}
