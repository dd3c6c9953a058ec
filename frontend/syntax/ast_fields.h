/* The fields of each node kind, as a table: walking, printing and reading are driven by it.
 * Private to frontend/ast*.c. */
#ifndef TRI_FRONTEND_AST_FIELDS_H
#define TRI_FRONTEND_AST_FIELDS_H

#include "frontend/syntax/ast.h"

typedef enum {
    TRI_FIELD_NODE,     /* tri_ast_node *, never null */
    TRI_FIELD_OPTIONAL, /* tri_ast_node *, may be null */
    TRI_FIELD_LIST,     /* tri_ast_list */
    TRI_FIELD_STR,      /* tri_str */
    TRI_FIELD_NAME,     /* nothing: the text that the node spans */
    TRI_FIELD_INTEGER,  /* the `integer` member, as its text */
    TRI_FIELD_REAL,     /* the `real` member, as its text */
    TRI_FIELD_OP,       /* tri_ast_op from `first` to `last` */
    TRI_FIELD_OPS,      /* tri_ast_op array, one for each item of the list field before it */
    TRI_FIELD_FLAG,     /* bool */
    TRI_FIELD_NUMBER,   /* uint32_t */
    TRI_FIELD_CHOICE,   /* enum up to `last`, printed as its number */
    TRI_FIELD_PLACE,    /* uint32_t offset in the source, printed as line:column */
} tri_field_type;

typedef struct {
    const char *label; /* null: always printed, without a label, in table order */
    uint8_t type;
    uint8_t first, last; /* NODE, OPTIONAL, LIST: the kinds allowed; OP: the ops allowed; CHOICE: last value */
    uint16_t offset;
} tri_field;

enum { TRI_FIELD_MAX = 8 };

/* Fields in source order, ended by `count`. */
typedef struct {
    uint8_t count;
    tri_field at[TRI_FIELD_MAX];
} tri_field_list;

extern const tri_field_list tri_ast_fields[TRI_AST_KIND_COUNT];

static inline void *tri_field_address(const tri_ast_node *node, const tri_field *field)
{
    return (char *)(uintptr_t)node + field->offset;
}

/* Sets the value of an INT, FLOAT or IMAGINARY from its text. */
void tri_ast_set_number(tri_arena *arena, tri_ast_node *node, tri_str text);

#endif
