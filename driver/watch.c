#include "driver/watch.h"

#include "base/trap.h"

static bool is_named(const tri_opt_words *words, const tri_pass *pass)
{
    for (size_t i = 0; i < words->len; i++)
        if (tri_str_is(words->at[i], "all") || tri_str_is(words->at[i], pass->name))
            return true;
    return false;
}

static void show(const tri_watch *watch, const char *when, const tri_pass *pass, const tri_buf *text)
{
    tri_buf out = {0};
    tri_buf_format(&out, "// ----- %s %s -----\n", when, pass->name);
    tri_buf_add_str(&out, tri_buf_str(text));
    tri_diag_write(watch->session->diag, tri_buf_str(&out));
    tri_buf_fini(&out);
}

static void before(void *data, const tri_pass *pass, MlirModule module)
{
    tri_watch *watch = data;
    const tri_opt *opt = watch->session->opt;
    tri_trap_check();
    bool is_shown = is_named(&opt->print_before, pass);
    if (!is_shown && !opt->print_changed)
        return;
    watch->before.len = 0;
    tri_session_print(watch->session, module, 0, &watch->before);
    if (is_shown)
        show(watch, "before", pass, &watch->before);
}

static void after(void *data, const tri_pass *pass, MlirModule module, double seconds)
{
    tri_watch *watch = data;
    const tri_opt *opt = watch->session->opt;
    tri_report_add(&watch->session->report, watch->stage, pass->name, seconds);
    bool is_shown = is_named(&opt->print_after, pass);
    if (!is_shown && !opt->print_changed)
        return;
    tri_buf text = {0};
    tri_session_print(watch->session, module, 0, &text);
    if (is_shown || !tri_str_equal(tri_buf_str(&text), tri_buf_str(&watch->before)))
        show(watch, "after", pass, &text);
    tri_buf_fini(&text);
}

void tri_watch_init(tri_watch *watch, tri_session *session, tri_unit *unit, const char *stage)
{
    *watch = (tri_watch){.session = session, .unit = unit, .stage = stage};
    watch->hooks = (tri_pass_hooks){.data = watch, .before = before, .after = after};
}

void tri_watch_fini(tri_watch *watch) { tri_buf_fini(&watch->before); }
