/* -MD: the rule that tells make what the outputs were made from. */
#ifndef TRI_DRIVER_DEPFILE_H
#define TRI_DRIVER_DEPFILE_H

#include "driver/output.h"

/* Writes the depfile of an input that was compiled. False after a report. */
bool tri_depfile_write(tri_unit *unit, const tri_opt *opt, tri_str input, const tri_output_list *outputs);

/* A file name as it must stand in a makefile rule. */
void tri_depfile_quote(tri_str name, tri_buf *out);

#endif
