/* Lists of what is built in. */
#ifndef TRI_DRIVER_INFO_H
#define TRI_DRIVER_INFO_H

#include "driver/session.h"

void tri_info_version(tri_buf *out);
/* "0.1.0 3f2a..." with the commit, where it is known */
const char *tri_info_version_text(void);
/* "0.1.0" */
void tri_info_version_number(tri_buf *out);
/* The host's triple. */
void tri_info_host(tri_buf *out);
void tri_info_passes(tri_buf *out);
void tri_info_targets(tri_buf *out);
/* The phases for the target that the options choose, with the passes of each. False after a report. */
bool tri_info_pipeline(tri_session *session, tri_buf *out);
/* --list-kernels of one file, if `path` is not empty, and of the inputs; false after a report. */
bool tri_info_kernels(tri_session *session, tri_str path, tri_buf *out);

#endif
