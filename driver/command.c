#include "driver/command.h"

#include "driver/explain.h"
#include "driver/help.h"
#include "driver/info.h"
#include "driver/inspect.h"
#include "driver/inputs.h"
#include "driver/link.h"
#include "driver/manual.h"
#include "driver/lsp/server.h"
#include "driver/messages/fix.h"
#include "driver/output.h"
#include "driver/tool.h"

/* Exit statuses. */
enum { done = 0, failed = 1, wrong_usage = 2 };

/* -fix alone writes no outputs. */
static bool has_outputs(const tri_opt *opt)
{
    return opt->emits.len || opt->output.len || opt->link || opt->save_temps || opt->has_passes;
}

static int fix_all(tri_session *session)
{
    int status = done;
    bool is_told = !has_outputs(session->opt) || session->opt->syntax_only;
    for (size_t i = 0; i < session->opt->inputs.len; i++) {
        int one = tri_fix_run(session, &session->opt->inputs.at[i], is_told);
        status = one > status ? one : status;
    }
    return status;
}

static int compile_all(tri_session *session)
{
    int status = session->opt->fix ? fix_all(session) : done;
    if (session->opt->fix && (status || !has_outputs(session->opt) || session->opt->syntax_only))
        return status;
    session->opt->compile.shows_commands = session->opt->verbose;
    if (!tri_tool_find(session->arena, session->diag, session->opt->cuda_path, &session->opt->compile))
        return wrong_usage;
    if (session->opt->link && !session->opt->dry_run)
        status = tri_link_run(session);
    tri_inputs inputs = {0};
    if (!session->opt->link || session->opt->dry_run)
        tri_inputs_open(session, &inputs);
    for (size_t i = 0; inputs.session && i < session->opt->inputs.len; i++) {
        int one = tri_inputs_run(&inputs, i);
        status = one > status ? one : status;
    }
    if (session->opt->time_report != TRI_OPT_NO_REPORT && !session->opt->dry_run) {
        tri_buf text = {0};
        tri_report_print(&session->report, session->opt->time_report == TRI_OPT_REPORT_JSON, &text);
        tri_diag_write(session->diag, tri_buf_str(&text));
        tri_buf_fini(&text);
    }
    return status;
}

/* The modes that print and are done. */
static bool print_mode(tri_session *session, tri_buf *out)
{
    tri_str value = session->opt->mode_value;
    switch (session->opt->mode) {
    case TRI_OPT_HELP:
        return tri_help_print(&tri_opt_table, session->diag, value, out);
    case TRI_OPT_TABLE:
        return tri_manual_table(session->diag, value, out);
    case TRI_OPT_VERSION:
        tri_info_version(out);
        return true;
    case TRI_OPT_DUMP_VERSION:
        tri_info_version_number(out);
        return true;
    case TRI_OPT_DUMP_MACHINE:
        tri_info_host(out);
        return true;
    case TRI_OPT_LIST_PASSES:
        tri_info_passes(out);
        return true;
    case TRI_OPT_PRINT_TARGETS:
        tri_info_targets(out);
        return true;
    case TRI_OPT_PRINT_PIPELINE:
        return tri_info_pipeline(session, out);
    case TRI_OPT_LIST_KERNELS:
        return tri_info_kernels(session, value, out);
    case TRI_OPT_INSPECT:
        return tri_inspect_print(session, value, out);
    case TRI_OPT_EXPLAIN:
        return tri_explain_print(session->diag, value, out);
    case TRI_OPT_SERVE:
    case TRI_OPT_COMPILE:
        break;
    }
    TRI_BUG("not a printing mode");
}

int tri_command_run(tri_session *session)
{
    if (session->opt->mode == TRI_OPT_COMPILE)
        return compile_all(session);
    if (session->opt->mode == TRI_OPT_SERVE)
        return tri_server_run();
    tri_buf text = {0};
    int status = session->opt->mode == TRI_OPT_LIST_KERNELS ? failed : wrong_usage; /* the file, or the options */
    if (print_mode(session, &text))
        status = tri_output_write(session->diag, TRI_STR("-"), tri_buf_str(&text)) ? done : failed;
    tri_buf_fini(&text);
    return status;
}
