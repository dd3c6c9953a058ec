/* -ftime-report: where the time went. */
#ifndef TRI_DRIVER_REPORT_H
#define TRI_DRIVER_REPORT_H

#include "base/str.h"
#include "base/vec.h"

typedef struct {
    const char *stage; /* a phase of phases.def, or a service such as "start MLIR" */
    const char *pass;  /* null: the stage as a whole */
    double seconds;
    int runs;
} tri_report_row;

typedef struct {
    tri_arena *arena;
    double start;
    TRI_VEC(tri_report_row) rows; /* in order of first use */
} tri_report;

/* Seconds of a clock that only goes forward. */
double tri_report_now(void);

void tri_report_init(tri_report *report, tri_arena *arena);
/* Adds to the row of this stage and pass; the names are borrowed for good. */
void tri_report_add(tri_report *report, const char *stage, const char *pass, double seconds);
/* The row of a stage whose passes follow, and its time once that is known. */
size_t tri_report_reserve(tri_report *report, const char *stage);
void tri_report_fill(tri_report *report, size_t row, double seconds);
void tri_report_print(const tri_report *report, bool as_json, tri_buf *out);

#endif
