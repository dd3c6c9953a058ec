/* The text of a payload, and a payload from text. */
#ifndef TRI_DRIVER_PAYLOAD_H
#define TRI_DRIVER_PAYLOAD_H

#include "driver/phase.h"

/* Installs the payload of `kind` from an input text, with the kernels' facts found in it. The
 * contexts that the kind needs are set in the unit. False after a report. */
bool tri_payload_read(tri_unit *unit, tri_kind kind, const tri_source *source);

/* Appends the payload, which is of `kind`, as the file that -emit writes. False after a report: the release of
 * Triton that was asked for cannot say it. */
bool tri_payload_print(tri_unit *unit, tri_kind kind, tri_buf *out);

/* The architecture that a payload, which is of `kind`, says it was made for, or empty. */
tri_str tri_payload_arch(const tri_unit *unit, tri_kind kind);
/* Where nothing but the payload says for which machine it is: code can be made for that. False after a report. */
bool tri_payload_check_target(const tri_unit *unit);

#endif
