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

/* --- completion --- */

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
    }
}

/* Words that may follow an option, or none. */
static void add_values(const tri_option_table *table, const tri_option_row *row, tri_buf *out)
{
    size_t before = out->len;
    if (!strcmp(row->name, "help")) {
        for (size_t i = 0; i < table->count; i++)
            if (!table->rows[i].name)
                tri_buf_format(out, "%s ", table->rows[i].topic);
    } else if (table->add_values) {
        table->add_values(row, out);
    }
    if (out->len == before && row->metavar && strchr(row->metavar, '|')) {
        for (const char *c = row->metavar; *c; c++)
            tri_buf_add_char(out, *c == '|' ? ' ' : *c);
        tri_buf_add_char(out, ' ');
    }
}

static bool ends_in_equals(const tri_option_row *row)
{
    return row->form == TRI_OPTION_EQUALS || row->form == TRI_OPTION_LONGARG;
}

static void add_option_word(const tri_option_row *row, tri_buf *out)
{
    tri_buf_format(out, "%s%s%s", tri_option_is_long(row) ? "--" : "-", row->name, ends_in_equals(row) ? "=" : "");
}

/* Options that are no rows, such as passes. */
static void add_more_words(const tri_option_table *table, tri_buf *out, const char *before, const char *after)
{
    tri_arena *arena = tri_arena_create();
    tri_option_names names = {0};
    if (table->collect_more)
        table->collect_more(arena, &names);
    for (size_t i = 0; i < names.len; i++)
        tri_buf_format(out, "%s%s%s", before, names.at[i], after);
    tri_arena_destroy(arena);
}

static void print_bash(const tri_option_table *table, tri_buf *out)
{
    tri_buf_format(out, "# Completion of %s for bash, made from %s.\n_%s() {\n", table->program, table->source,
                   table->program);
    tri_buf_add_z(out, "    local line=${COMP_LINE:0:COMP_POINT} word before='' values='' shown=''\n"
                       "    word=${line##* }\n    line=${line% *}\n"
                       "    [[ ${line##* } == -x ]] && word=-x$word before=-x\n"
                       "    case $word in\n    -W*=*) ;;\n");
    for (size_t i = 0; i < table->count; i++) {
        const tri_option_row *row = &table->rows[i];
        tri_buf values = {0};
        if (row->name && row->help)
            add_values(table, row, &values);
        if (values.len && (row->form == TRI_OPTION_JOINED || row->form == TRI_OPTION_PREFIX))
            tri_buf_format(out, "    -%s*) before=-%s values='%.*s' ;;\n", row->name, row->name, (int)values.len - 1,
                           values.data);
        else if (values.len)
            tri_buf_format(out, "    -%s=* | --%s=*) values='%.*s' ;;\n", row->name, row->name, (int)values.len - 1,
                           values.data);
        tri_buf_fini(&values);
    }
    tri_buf_add_z(out,
                  "    esac\n    if [[ -n $before && -n $values ]]; then\n"
                  "        shown=$before\n        [[ ${line##* } != -x ]] || shown=''\n"
                  "        mapfile -t COMPREPLY < <(compgen -P \"$shown\" -W \"$values\" -- \"${word#\"$before\"}\")\n"
                  "    elif [[ -n $values ]]; then\n        local value=${word#*=}\n"
                  "        local last=${value##*,}\n"
                  "        mapfile -t COMPREPLY < <(compgen -P \"${value%\"$last\"}\" -W \"$values\" -- \"$last\")\n"
                  "    elif [[ $word == -* ]]; then\n        mapfile -t COMPREPLY < <(compgen -W '");
    for (size_t i = 0; i < table->count; i++) {
        const tri_option_row *row = &table->rows[i];
        if (!row->name || !row->help)
            continue;
        tri_buf_add_char(out, ' ');
        add_option_word(row, out);
    }
    add_more_words(table, out, " -", "");
    tri_buf_add_z(out,
                  "' -- \"$word\")\n        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n    else\n"
                  "        compopt -o filenames\n        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n    fi\n}\n"
                  "complete -F _");
    tri_buf_format(out, "%s %s\n", table->program, table->program);
}

static void print_zsh(const tri_option_table *table, tri_buf *out)
{
    tri_arena *arena = tri_arena_create();
    tri_buf_format(out, "#compdef %s\n# Completion of %s for zsh, made from %s.\n_arguments \\\n", table->program,
                   table->program, table->source);
    for (size_t i = 0; i < table->count; i++) {
        const tri_option_row *row = &table->rows[i];
        if (!row->name || !row->help)
            continue;
        tri_buf values = {0};
        add_values(table, row, &values);
        tri_buf_add_z(out, "  '*");
        add_option_word(row, out);
        tri_buf_add_z(out, row->form == TRI_OPTION_JOINED                                  ? "+[" /* there or next */
                           : row->form == TRI_OPTION_PREFIX                                ? "-["
                           : tri_option_may_lack_value(row) ? "=-["
                                                                                       : "[");
        for (const char *c = row->help; *c; c++) {
            if (*c == '\'')
                tri_buf_add_z(out, "'\\''");
            else
                tri_buf_format(out, strchr("[]:\\", *c) ? "\\%c" : "%c", *c);
        }
        tri_buf_add_char(out, ']');
        bool is_optional = tri_option_may_lack_value(row);
        bool is_list = row->metavar && strchr(row->metavar, ',');
        if (values.len)
            tri_buf_format(out, "%svalue:%s%.*s%s", is_optional ? "::" : ":", is_list ? "_sequence compadd - " : "(",
                           (int)values.len - 1, values.data, is_list ? "" : ")");
        else if (row->metavar)
            tri_buf_format(out, "%svalue:_files", is_optional ? "::" : ":");
        tri_buf_add_z(out, "' \\\n");
        tri_buf_fini(&values);
    }
    tri_str after = tri_str_format(arena, "[%s]' \\\n", table->more_help ? table->more_help : "");
    add_more_words(table, out, "  '*-", after.data);
    tri_arena_destroy(arena);
    tri_buf_add_z(out, "  '*:file:_files'\n");
}

bool tri_help_completion(const tri_option_table *table, tri_str shell, tri_buf *out)
{
    if (!tri_str_is(shell, "bash") && !tri_str_is(shell, "zsh"))
        return false;
    (tri_str_is(shell, "bash") ? print_bash : print_zsh)(table, out);
    return true;
}
