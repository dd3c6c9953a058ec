#include "driver/completion.h"

static bool is_shown(const tri_option_row *row) { return row->name && row->help; }

static bool is_prefix(const tri_option_row *row)
{
    return row->form == TRI_OPTION_JOINED || row->form == TRI_OPTION_PREFIX;
}

static bool is_list(const tri_option_row *row) { return row->metavar && strchr(row->metavar, ','); }

/* Is what follows the name of a file or folder? */
static bool takes_file(const tri_option_row *row)
{
    return row->metavar && (strstr(row->metavar, "FILE") || strstr(row->metavar, "DIR"));
}

/* What a metavar lists itself, between '|' or ','; words in capitals stand for others. */
static void add_listed(const char *metavar, tri_buf *out)
{
    for (tri_str rest = tri_str_from(metavar); rest.len;) {
        size_t n = strcspn(rest.data, "|,");
        tri_str word = tri_str_sub(rest, 0, n);
        if (n && strcspn(word.data, "ABCDEFGHIJKLMNOPQRSTUVWXYZ.[") >= n)
            tri_buf_format(out, "%.*s ", TRI_STR_ARG(word));
        rest = tri_str_sub(rest, n < rest.len ? n + 1 : n, rest.len);
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
        for (size_t i = 0; table->more_topics && table->more_topics[i]; i++)
            tri_buf_format(out, "%s ", table->more_topics[i]);
    } else if (table->add_values) {
        table->add_values(row, out);
    }
    if (out->len == before && row->metavar && strpbrk(row->metavar, "|,"))
        add_listed(row->metavar, out);
    if (out->len > before)
        out->data[--out->len] = 0;
}

static void add_option_word(const tri_option_row *row, tri_buf *out)
{
    bool ends_in_equals = row->form == TRI_OPTION_EQUALS || row->form == TRI_OPTION_LONGARG;
    tri_buf_format(out, "%s%s%s", tri_option_is_long(row) ? "--" : "-", row->name, ends_in_equals ? "=" : "");
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

/* --- bash --- */

/* The word at the cursor. Behind an option that stands by itself the two are first looked up as OPTION=WORD. */
static const char bash_head[] =
    "    local line=${COMP_LINE:0:COMP_POINT} word before='' values='' files='' next=''\n"
    "    word=${line##* }\n"
    "    line=${line% *}\n"
    "    local option=${line##* } own=$word\n"
    "    if [[ $option == -[xI] ]]; then\n"
    "        word=$option$word\n"
    "    elif [[ $option == -* && $option != *=* && $word != -* ]]; then\n"
    "        word=$option=$word next=1\n"
    "    fi\n"
    "    case $word in\n"
    "    -[WODIx]*=*) ;;\n";

/* What is replaced starts behind the last '=' or ':', where bash takes a new word to start. */
static const char bash_tail[] =
    "    esac\n"
    "    [[ -n $next && -z $values$files ]] && word=$own\n"
    "    local value=${word#\"${before:-*=}\"}\n"
    "    [[ -n $before ]] || value=${word#*=}\n"
    "    [[ $option != \"$before\" ]] || before=''\n"
    "    if [[ -n $before && -n $values ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$values\" -- \"$value\")\n"
    "    elif [[ -n $values ]]; then\n"
    "        local last=${value##*,} head=''\n"
    "        [[ $COMP_WORDBREAKS == *:* && $value == *:* ]] && head=${value%\"${value##*:}\"}\n"
    "        mapfile -t COMPREPLY < <(compgen -P \"${value%\"$last\"}\" -W \"$values\" -- \"$last\")\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#\"$head\"}\")\n"
    "    elif [[ $word == -*=* && -z $files ]]; then\n"
    "        return\n"
    "    elif [[ $word == -* && -z $files ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W '";

static const char bash_end[] =
    "' -- \"$word\")\n"
    "        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
    "    else\n"
    "        compopt -o filenames\n"
    "        [[ -n $files ]] || value=$word\n"
    "        mapfile -t COMPREPLY < <(compgen -P \"$before\" -f -- \"$value\")\n"
    "        [[ ${#COMPREPLY[@]} -eq 0 ]] || return\n"
    "        value=${value##*=}\n"
    "        [[ $value == @* ]] && before=@\n"
    "        mapfile -t COMPREPLY < <(compgen -P \"$before\" -f -- \"${value#@}\")\n"
    "    fi\n"
    "}\n";

static void add_bash_case(const tri_option_table *table, const tri_option_row *row, tri_buf *out)
{
    tri_buf values = {0};
    add_values(table, row, &values);
    bool is_file = !values.len && takes_file(row);
    if (values.len || is_file) {
        if (is_prefix(row))
            tri_buf_format(out, "    -%s*) before=-%s ", row->name, row->name);
        else
            tri_buf_format(out, "    -%s=* | --%s=*) ", row->name, row->name);
        tri_buf_format(out, is_file ? "files=1 ;;\n" : "values='%s' ;;\n", values.data);
    }
    tri_buf_fini(&values);
}

static void print_bash(const tri_option_table *table, tri_buf *out)
{
    tri_buf_format(out, "# Completion of %s for bash, made from %s.\n_%s() {\n%s", table->program, table->source,
                   table->program, bash_head);
    for (size_t i = 0; i < table->count; i++)
        if (is_shown(&table->rows[i]))
            add_bash_case(table, &table->rows[i], out);
    tri_buf_add_z(out, bash_tail);
    for (size_t i = 0; i < table->count; i++) {
        if (!is_shown(&table->rows[i]))
            continue;
        tri_buf_add_char(out, ' ');
        add_option_word(&table->rows[i], out);
    }
    add_more_words(table, out, " -", "");
    tri_buf_format(out, "%scomplete -F _%s %s\n", bash_end, table->program, table->program);
}

/* --- zsh --- */

/* A file, or one behind NAME= or NAME=@. */
static const char zsh_files[] = "{ _files || { compset -P \"*[=@]\" && _files } }";

static void add_escaped(tri_buf *out, const char *text, const char *special)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            tri_buf_add_z(out, "'\\''");
        else
            tri_buf_format(out, strchr(special, *c) ? "\\%c" : "%c", *c);
    }
}

static void add_zsh_value(const tri_option_table *table, const tri_option_row *row, tri_buf *out)
{
    tri_buf values = {0};
    add_values(table, row, &values);
    if (values.len || row->metavar)
        tri_buf_add_z(out, tri_option_may_lack_value(row) ? "::value:" : ":value:");
    if (values.len) {
        tri_buf_add_z(out, is_list(row) ? "_sequence compadd - " : "(");
        add_escaped(out, values.data, ":");
        tri_buf_add_z(out, is_list(row) ? "" : ")");
    } else if (row->metavar) {
        tri_buf_add_z(out, takes_file(row) ? zsh_files : " ");
    }
    tri_buf_fini(&values);
}

static void print_zsh(const tri_option_table *table, tri_buf *out)
{
    tri_arena *arena = tri_arena_create();
    tri_buf_format(out, "#compdef %s\n# Completion of %s for zsh, made from %s.\n_arguments \\\n", table->program,
                   table->program, table->source);
    for (size_t i = 0; i < table->count; i++) {
        const tri_option_row *row = &table->rows[i];
        if (!is_shown(row))
            continue;
        tri_buf_add_z(out, "  '*");
        add_option_word(row, out);
        tri_buf_add_z(out, row->form == TRI_OPTION_JOINED                                  ? "+[" /* there or next */
                           : row->form == TRI_OPTION_PREFIX                                ? "-["
                           : tri_option_may_lack_value(row) ? "=-["
                                                                                       : "[");
        add_escaped(out, row->help, "[]:\\");
        tri_buf_add_char(out, ']');
        add_zsh_value(table, row, out);
        tri_buf_add_z(out, "' \\\n");
    }
    tri_str after = tri_str_format(arena, "[%s]' \\\n", table->more_help ? table->more_help : "");
    add_more_words(table, out, "  '*-", after.data);
    tri_arena_destroy(arena);
    tri_buf_format(out, "  '*:file:%s'\n", zsh_files);
}

bool tri_completion_print(const tri_option_table *table, tri_str shell, tri_buf *out)
{
    if (!tri_str_is(shell, "bash") && !tri_str_is(shell, "zsh"))
        return false;
    (tri_str_is(shell, "bash") ? print_bash : print_zsh)(table, out);
    return true;
}
