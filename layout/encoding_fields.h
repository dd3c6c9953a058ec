/* The rows of encoding.def: what walks over the fields of any layout reads them here. */
#ifndef TRI_LAYOUT_ENCODING_FIELDS_H
#define TRI_LAYOUT_ENCODING_FIELDS_H

#include <stddef.h>

#include "layout/encoding.h"

typedef enum {
    TRI_FIELD_END,
    TRI_FIELD_INT,
    TRI_FIELD_FLAG,
    TRI_FIELD_ROW,
    TRI_FIELD_THREE,
    TRI_FIELD_SHAPE,
    TRI_FIELD_BASES,
    TRI_FIELD_PARENT,
    TRI_FIELD_RANK,
    TRI_FIELD_INTERVALS,
    TRI_FIELD_TAIL,
    TRI_FIELD_FORM,
    TRI_FIELD_TILE,
} tri_field_type;

typedef enum {
    TRI_FIELD_MUST,
    TRI_FIELD_SHOWN,
    TRI_FIELD_MAY,
    TRI_FIELD_WITH_BASES,
    TRI_FIELD_WITHOUT_BASES,
} tri_field_presence;

typedef enum { TRI_FIELD_ANY, TRI_FIELD_POWERS, TRI_FIELD_ORDER } tri_field_rule;

typedef struct {
    tri_field_type type;
    size_t offset; /* of the member in a tri_encoding */
    const char *name;
    tri_field_presence presence;
    int32_t absent;
    tri_field_rule rule;
} tri_field;

typedef enum { TRI_FORM_BRACES, TRI_FORM_BARE, TRI_FORM_PADDED, TRI_FORM_TAILED } tri_layout_form;

typedef struct {
    tri_layout_form form;
    int rank;
    unsigned since;
    const tri_field *fields; /* up to one of type TRI_FIELD_END */
} tri_layout_row;

const tri_layout_row *tri_encoding_row_of(tri_encoding_kind kind);

/* Has this layout the field? False for those of the form that it has not. */
bool tri_encoding_field_is_there(const tri_field *field, const tri_encoding *encoding);
/* How many numbers the field has; 1 for a flag or an integer, 0 for bases and parents. */
int tri_encoding_field_count(const tri_field *field, const tri_encoding *encoding);
/* Its value; the type says what lies there. */
void *tri_encoding_field_at(const tri_field *field, tri_encoding *encoding);

#endif
