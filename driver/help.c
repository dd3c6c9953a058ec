#include "driver/help.h"

#include "driver/phase.h"

enum { help_column = 30 };

static void print_row(const tri_option_row *row, tri_buf *out)
{
    tri_buf spelling = {0};
    tri_option_spell(row, &spelling);
    tri_buf_format(out, "  %-*s", help_column - 2, spelling.data);
    if (spelling.len >= help_column - 2)
        tri_buf_format(out, "\n%*s", help_column, "");
    tri_buf_format(out, "%s\n", row->help);
    tri_buf_fini(&spelling);
}

static void print_kinds(tri_buf *out)
{
    tri_buf_add_z(out, "\nStages (KIND), in order:\n");
    for (int k = 1; k < TRI_KIND_COUNT; k++) {
        const tri_kind_row *kind = tri_phase_kind((tri_kind)k);
        if (kind->name)
            tri_buf_format(out, "  %-8s %-8s %s\n", kind->name, kind->suffix, kind->help);
    }
}

static void print_warnings(tri_buf *out)
{
    const char *name, *help;
    tri_buf_add_z(out, "\nWarnings (-WNAME, -Wno-NAME):\n");
    for (size_t i = 0; (name = tri_diag_warning_name(i, &help)); i++)
        tri_buf_format(out, "  %-*s%s\n", help_column - 2, name, help);
}

void tri_help_more(tri_str topic, tri_buf *out)
{
    if (!topic.len || tri_str_is(topic, "stages") || tri_str_is(topic, "output"))
        print_kinds(out);
    if (tri_str_is(topic, "warnings") || tri_str_is(topic, "diagnostics"))
        print_warnings(out);
    if (tri_str_is(topic, "opt"))
        tri_buf_add_z(out, "\nEach pass is an option too; --list-passes shows them and what they take.\n");
}

static void collect_topics(const tri_option_table *table, tri_arena *arena, tri_option_names *out)
{
    for (size_t i = 0; i < table->count; i++)
        if (!table->rows[i].name)
            tri_vec_push(arena, out, table->rows[i].topic);
    for (size_t i = 0; table->more_topics && table->more_topics[i]; i++)
        tri_vec_push(arena, out, table->more_topics[i]);
}

/* Is there such a topic? False after a report. */
static bool check_topic(const tri_option_table *table, tri_diag *diag, tri_str topic)
{
    tri_arena *arena = tri_arena_create();
    tri_option_names topics = {0};
    tri_buf names = {0};
    bool found = !topic.len;
    collect_topics(table, arena, &topics);
    for (size_t i = 0; i < topics.len; i++) {
        found = found || tri_str_is(topic, topics.at[i]);
        tri_buf_format(&names, "%s%s", i ? " " : "", topics.at[i]);
    }
    if (!found)
        tri_diag_error(diag, TRI_NO_SPAN, 1002, "no help on '%.*s'; the topics are: %s", TRI_STR_ARG(topic),
                       names.data);
    tri_buf_fini(&names);
    tri_arena_destroy(arena);
    return found;
}

bool tri_help_print(const tri_option_table *table, tri_diag *diag, tri_str topic, tri_buf *out)
{
    if (!check_topic(table, diag, topic))
        return false;
    if (!topic.len)
        tri_buf_add_z(out, table->usage);
    for (size_t i = 0; i < table->count; i++) {
        const tri_option_row *row = &table->rows[i], *group = tri_option_group(table, row);
        if (topic.len && !tri_str_is(topic, group->topic))
            continue;
        if (!row->name)
            tri_buf_format(out, "\n%s (--help=%s):\n", row->title, row->topic);
        else if (row->help)
            print_row(row, out);
    }
    if (table->print_more)
        table->print_more(topic, out);
    return true;
}

static void add_kinds(tri_buf *out, bool inputs_only)
{
    for (int k = 1; k < TRI_KIND_COUNT; k++)
        if (tri_phase_kind((tri_kind)k)->name && (!inputs_only || tri_phase_is_input((tri_kind)k)))
            tri_buf_format(out, "%s ", tri_phase_kind((tri_kind)k)->name);
}

void tri_help_values(const tri_option_row *row, tri_buf *out)
{
    if (!strcmp(row->name, "emit") || !strcmp(row->name, "x")) {
        add_kinds(out, row->name[0] == 'x');
    } else if (!strcmp(row->name, "arch")) {
        for (size_t i = 0; i < tri_targets_count(); i++)
            for (const tri_machine_facts *arch = tri_machines_first(tri_targets_at(i)->family); arch;
                 arch = tri_machines_next(arch))
                tri_buf_format(out, "%s ", arch->name);
    } else if (strstr(row->name, "print-before") || strstr(row->name, "print-after") || !strcmp(row->name, "passes")) {
        for (size_t i = 0; i < tri_passes_count(); i++)
            tri_buf_format(out, "%s ", tri_passes_at(i)->name);
    } else if (!strcmp(row->name, "W")) {
        const char *name, *help;
        for (size_t i = 0; (name = tri_diag_warning_name(i, &help)); i++)
            tri_buf_format(out, "%s no-%s ", name, name);
    }
}
