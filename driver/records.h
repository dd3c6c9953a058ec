/* Reports as the public records of tritcc.h: each with the notes that belong to it. */
#ifndef TRI_DRIVER_RECORDS_H
#define TRI_DRIVER_RECORDS_H

#include "base/diag.h"
#include "base/vec.h"
#include "include/tritcc/tritcc.h"

typedef struct {
    tritcc_diagnostic_callback callback;
    void *user;
    tri_arena *arena; /* of one compilation */
    tritcc_diagnostic main;
    bool has_main;
    TRI_VEC(tritcc_diagnostic) notes;
} tri_records;

/* Keeps a report back until its notes are complete, and hands the one before it to the callback. */
void tri_records_add(tri_records *records, const tri_diag_record *record);
/* Hands out what is kept back. */
void tri_records_flush(tri_records *records);

#endif
