/* Programs of others that targets call (assemblers, disassemblers, vendors' compilers): found, given files in a folder
 * of their own, run; what goes wrong is reported as 7001, with the command. */
#ifndef TRI_TARGETS_EXTERNAL_H
#define TRI_TARGETS_EXTERNAL_H

#include "base/process.h"
#include "ir/unit.h"

/* `given` (of an option) or, where it is empty, `name` in the search path of tools. Reports nothing. */
bool tri_external_find(tri_unit *unit, const char *name, tri_str given, tri_str *out_tool);

/* That it was not found: `option` (such as "-ptxas") named no program, or, where it was not given, `missing`. */
void tri_external_report_missing(tri_unit *unit, const char *option, tri_str given, const char *missing);

/* Runs a program; where the options say so, its command is told first, as a shell would take it. */
tri_process_result tri_external_run(tri_unit *unit, const char *const *argv);

/* Calls `work` with a new folder, which is removed after it, but where commands are told: they name its files.
 * False after a report, or when `work` says so. */
bool tri_external_in_folder(tri_unit *unit, bool (*work)(tri_unit *unit, tri_str folder, void *data), void *data);

/* The path of a file `name` in the folder, for the program to write. False after a report. */
bool tri_external_name(tri_unit *unit, tri_str folder, const char *name, tri_str *out_path);
/* The same of a file that holds `text`. */
bool tri_external_write(tri_unit *unit, tri_str folder, const char *name, tri_str text, tri_str *out_path);

/* Reports the text and notes the command. Returns false. */
bool tri_external_fail(tri_unit *unit, const char *const *argv, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes the command behind a report. Returns false. */
bool tri_external_note_command(tri_unit *unit, const char *const *argv);
/* Reports that the program, called `name`, did not start or was killed. True: it ended, with any status. */
bool tri_external_has_ended(tri_unit *unit, const char *name, const char *const *argv, const tri_process_result *r);

#endif
