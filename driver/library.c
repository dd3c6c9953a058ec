#include "include/tritcc.h"

#include "driver/job.h"
#include "driver/opt.h"
#include "driver/output.h"
#include "driver/tool.h"

#include <pthread.h>

struct tritcc_program {
    tri_str name, text;
    tri_arena *arena; /* of the program */
    tri_arena *last;  /* of the last compilation; null before the first */
    tri_buf log;
    tri_output_list outputs; /* in `last` */
};

/* LLVM's options and MLIR's registries are of the process. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

tritcc_program *tritcc_create(const char *name, const char *text, size_t size)
{
    tri_arena *arena = tri_arena_create();
    tritcc_program *program = TRI_NEW(arena, tritcc_program);
    program->arena = arena;
    program->name = tri_str_copy(arena, tri_str_from(name));
    program->text = tri_str_copy(arena, (tri_str){text, size});
    return program;
}

static void forget_last(tritcc_program *program)
{
    tri_arena_destroy(program->last);
    program->last = NULL;
    tri_buf_fini(&program->log);
    program->log = (tri_buf){0};
    program->outputs = (tri_output_list){0};
}

void tritcc_destroy(tritcc_program *program)
{
    if (!program)
        return;
    forget_last(program);
    tri_arena_destroy(program->arena);
}

static int compile(tritcc_program *program, tri_diag *diag, int argc, char **argv)
{
    tri_opt opt;
    tri_arena *arena = program->last;
    if (!tri_opt_parse(arena, diag, argc, argv, &opt))
        return 2;
    if (opt.mode != TRI_OPT_COMPILE || opt.inputs.len != 1 || opt.has_passes) {
        tri_diag_error(diag, TRI_NO_SPAN, 1002, "the library takes options of a compilation, and no further input");
        return 2;
    }
    if (!tri_tool_find(arena, diag, opt.cuda_path, &opt.compile))
        return 2;
    tri_session session;
    tri_session_init(&session, arena, diag, &opt);
    int status = tri_job_make(&session, &opt.inputs.at[0], program->text, &program->outputs);
    tri_session_fini(&session);
    return status;
}

int tritcc_compile(tritcc_program *program, int count, const char *const *options)
{
    forget_last(program);
    program->last = tri_arena_create();
    char **argv = TRI_NEW_ARRAY(program->last, char *, count + 4);
    int argc = 0;
    argv[argc++] = "tritcc";
    for (int i = 0; i < count; i++)
        argv[argc++] = (char *)options[i];
    argv[argc++] = "--";
    argv[argc++] = (char *)program->name.data;
    tri_diag *diag = tri_diag_create();
    tri_diag_set_log(diag, &program->log);
    pthread_mutex_lock(&one_at_a_time);
    int status = compile(program, diag, argc, argv);
    pthread_mutex_unlock(&one_at_a_time);
    if (status)
        program->outputs = (tri_output_list){0};
    tri_diag_destroy(diag);
    return status;
}

const char *tritcc_get(const tritcc_program *program, const char *kind, size_t *out_size)
{
    for (size_t i = 0; i < program->outputs.len; i++) {
        const tri_output *output = &program->outputs.at[i];
        if (strcmp(tri_phase_kind(output->kind)->name, kind))
            continue;
        *out_size = output->data.len;
        return output->data.data;
    }
    *out_size = 0;
    return NULL;
}

const char *tritcc_log(const tritcc_program *program) { return program->log.len ? program->log.data : ""; }
