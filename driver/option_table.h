/* Tables of options: what the parsers of command lines, their help, manuals and completions have in common. tritcc's
 * rows are driver/options.def, tritrun's run/tritrun.def; driver/option_rows.inc makes a table of such a file. */
#ifndef TRI_DRIVER_OPTION_TABLE_H
#define TRI_DRIVER_OPTION_TABLE_H

#include "base/diag.h"
#include "base/vec.h"

/* How name and value are written; driver/options.def describes them. */
typedef enum {
    TRI_OPTION_FLAG,
    TRI_OPTION_LONG,
    TRI_OPTION_WORD,
    TRI_OPTION_EQUALS,
    TRI_OPTION_JOINED,
    TRI_OPTION_PREFIX,
    TRI_OPTION_OPTIONAL,
    TRI_OPTION_LONGOPT,
    TRI_OPTION_LONGARG,
} tri_option_form;

typedef enum {
    TRI_OPTION_SET,
    TRI_OPTION_CLEAR,
    TRI_OPTION_CHOOSE,
    TRI_OPTION_TEXT,
    TRI_OPTION_LIST,
    TRI_OPTION_NUMBER,
    TRI_OPTION_CALL,
} tri_option_act;

/* A function of the table's own parser; only the table knows its type. */
typedef void (*tri_option_call)(void);

typedef struct {
    const char *name; /* null: a group starts here */
    tri_option_form form;
    const char *metavar;
    tri_option_act act;
    size_t field;            /* offset of the bool, tri_str, TRI_VEC(tri_str), int or enumeration that it sets */
    int64_t lowest, highest; /* of a number; lowest: what CHOOSE sets */
    tri_option_call call;
    const char *help; /* null: hidden */
    const char *manual;
    const char *topic, *title; /* of a group */
} tri_option_row;

typedef TRI_VEC(const char *) tri_option_names;

typedef struct {
    const char *program, *source; /* "tritcc", and the file of its rows */
    const char *usage;            /* the head of its help */
    const tri_option_row *rows;
    size_t count;
    bool (*run)(tri_option_call call, void *parser, tri_str value);
    /* What follows may be null. Words that may stand behind an option, each with a blank; without it, or where it adds
     * none, what metavar has between '|'. */
    void (*add_values)(const tri_option_row *row, tri_buf *out);
    /* Words that are options without being rows. */
    void (*collect_more)(tri_arena *arena, tri_option_names *out);
    const char *more_help; /* what zsh says of them */
    /* What help says after the rows, of a topic, or of all when it is empty; and the topics that only it has. */
    void (*print_more)(tri_str topic, tri_buf *out);
    const char *const *more_topics;
} tri_option_table;

/* The row that the option word words[*i] names, and its value, which may be the next word: *i is moved over it. Null
 * where no row has the name (`*out_unknown` is set) or after a report. */
const tri_option_row *tri_option_take(const tri_option_table *table, tri_diag *diag, const tri_str *words, size_t count,
                                      size_t *i, tri_str *out_value, bool *out_unknown);
/* Does what the row says with the value. Fields lie in `fields`, lists in `arena`; functions are given `parser`. False
 * after a report. */
bool tri_option_apply(const tri_option_table *table, const tri_option_row *row, tri_str value, tri_arena *arena,
                      tri_diag *diag, void *fields, void *parser);
/* Reports an option that is in no row, with the nearest that is. Always false. */
bool tri_option_report_unknown(const tri_option_table *table, tri_diag *diag, tri_str word);
/* "-emit=KIND[=FILE],..." */
void tri_option_spell(const tri_option_row *row, tri_buf *out);
/* Topic and title of the group that a row is of. */
const tri_option_row *tri_option_group(const tri_option_table *table, const tri_option_row *row);
bool tri_option_is_long(const tri_option_row *row);
/* Is a value joined to it, or none there? */
bool tri_option_may_lack_value(const tri_option_row *row);

#endif
