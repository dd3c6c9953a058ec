#include "driver/output.h"

#include "base/file.h"
#include "base/trap.h"

#include <sys/stat.h>
#include <unistd.h>

/* Of a target whose code the vendor's own compiler makes, what that reads. */
static tri_kind text_kind_of(const tri_target *target)
{
    const char *code = target->code_kind ? target->code_kind : "linalg";
    return tri_phase_kind_named(target->text_kind ? target->text_kind : code);
}

static bool is_same_file(tri_str a, tri_str b)
{
    if (tri_str_equal(a, b))
        return true;
    struct stat sa, sb;
    return stat(a.data, &sa) == 0 && stat(b.data, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino &&
           S_ISREG(sa.st_mode);
}

/* FOLDER/stem of `path`, with another suffix. */
static tri_str renamed(tri_arena *arena, tri_str path, const char *suffix)
{
    tri_str stem = tri_path_stem(path);
    return tri_path_join(arena, tri_path_folder(path),
                         tri_str_format(arena, "%.*s%s", TRI_STR_ARG(stem), suffix));
}

static bool check_names(tri_diag *diag, tri_str input, const tri_output_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        tri_str path = list->at[i].path;
        if (!tri_str_is(path, "-") && is_same_file(path, input)) {
            tri_diag_error(diag, TRI_NO_SPAN, 1004, "output '%.*s' would overwrite the input; name it with -o",
                           TRI_STR_ARG(path));
            return false;
        }
        for (size_t j = 0; j < i; j++) {
            if (is_same_file(path, list->at[j].path)) {
                tri_diag_error(diag, TRI_NO_SPAN, 1004, "'%s' and '%s' are both to be written to '%.*s'",
                               tri_phase_kind(list->at[j].kind)->name, tri_phase_kind(list->at[i].kind)->name,
                               TRI_STR_ARG(path));
                return false;
            }
        }
    }
    return true;
}

bool tri_output_plan(tri_arena *arena, tri_diag *diag, const tri_opt *opt, tri_str input, const tri_target *target,
                     tri_output_list *out)
{
    for (size_t i = 0; i < opt->emits.len; i++) {
        tri_opt_emit emit = opt->emits.at[i];
        tri_kind kind = emit.kind == TRI_KIND_NONE ? text_kind_of(target) : emit.kind;
        tri_vec_push(arena, out, (tri_output){.kind = kind, .path = tri_str_copy(arena, emit.path)});
    }
    if (!out->len)
        tri_vec_push(arena, out, (tri_output){.kind = TRI_KIND_OBJ});
    bool is_named = !opt->output.len;
    for (size_t i = 0; i < out->len; i++) {
        tri_output *output = &out->at[i];
        if (output->path.len)
            continue;
        const char *suffix = tri_phase_kind(output->kind)->suffix;
        if (!is_named)
            output->path = tri_str_copy(arena, opt->output);
        else if (opt->output.len && !tri_str_is(opt->output, "-"))
            output->path = renamed(arena, opt->output, suffix);
        else if (tri_str_is(input, "-"))
            output->path = TRI_STR("-");
        else
            output->path = renamed(arena, tri_path_base(input), suffix);
        is_named = true;
    }
    if (!is_named) {
        tri_diag_error(diag, TRI_NO_SPAN, 1002, "-o has nothing to name: every stage has its own file");
        return false;
    }
    return check_names(diag, input, out);
}

tri_str tri_output_beside(tri_arena *arena, const tri_opt *opt, tri_str input, const tri_output_list *outputs,
                          const char *suffix)
{
    tri_str like = tri_str_is(input, "-") ? TRI_STR("stdin") : tri_path_base(input);
    if (opt->output.len && outputs->len && !tri_str_is(opt->output, "-"))
        like = opt->output;
    return renamed(arena, like, suffix);
}

bool tri_output_write(tri_diag *diag, tri_str path, tri_str data)
{
    int error = 0;
    bool is_stdout = tri_str_is(path, "-");
    tri_trap_check();
    if (is_stdout ? tri_diag_write_output(diag, data, &error) : tri_file_write(path, data, &error))
        return true;
    tri_diag_error(diag, TRI_NO_SPAN, 1003, "cannot write %s%.*s%s: %s", is_stdout ? "standard output" : "'",
                   is_stdout ? 0 : (int)path.len, path.data, is_stdout ? "" : "'", strerror(error));
    return false;
}

static void remove_regular(tri_str path)
{
    struct stat info;
    if (lstat(path.data, &info) == 0 && S_ISREG(info.st_mode))
        unlink(path.data);
}

bool tri_output_commit(tri_diag *diag, const tri_output_list *outputs)
{
    for (size_t i = 0; i < outputs->len; i++) {
        const tri_output *output = &outputs->at[i];
        if (output->is_temp)
            continue;
        TRI_ASSERT(output->is_done);
        if (!tri_output_write(diag, output->path, output->data)) {
            tri_output_discard(outputs);
            return false;
        }
    }
    return true;
}

void tri_output_discard(const tri_output_list *outputs)
{
    for (size_t i = 0; i < outputs->len; i++)
        if (!outputs->at[i].is_temp && !tri_str_is(outputs->at[i].path, "-"))
            remove_regular(outputs->at[i].path);
}
