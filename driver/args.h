/* Response files: @FILE on the command line stands for the words in FILE. */
#ifndef TRI_DRIVER_ARGS_H
#define TRI_DRIVER_ARGS_H

#include "base/diag.h"
#include "base/vec.h"

typedef TRI_VEC(tri_str) tri_args;

/* argv[1..] with every @FILE replaced, nested ones too. Words are separated by blanks; quotes and
 * backslashes work as in a shell. False after a report. */
bool tri_args_expand(tri_arena *arena, tri_diag *diag, int argc, char **argv, tri_args *out);

/* The words of a text, as in a response file. Gives the place of a quote that is never closed; text.len: there is
 * none. */
size_t tri_args_split(tri_arena *arena, tri_str text, tri_args *out);
/* Says so of the text of that name. */
void tri_args_report_open(tri_diag *diag, tri_str name, tri_str text, size_t open);

#endif
