/* Named tuples as parameters: which one a parameter is, by the fields that its function reads. */
#ifndef TRI_FRONTEND_SIGNATURE_FIELDS_H
#define TRI_FRONTEND_SIGNATURE_FIELDS_H

#include "frontend/host/module.h"

/* The named tuple that the parameter's annotation names, or else the first of the file's that has every attribute that
 * the function takes of the parameter; null: there is none. */
const tri_class *tri_signature_fields_class(const tri_function *function, tri_str param);
/* The position of a field, from 1; 0: the class has none of that name. */
uint32_t tri_signature_fields_find(const tri_class *cls, tri_str field);
/* Is the field annotated as tl.constexpr? */
bool tri_signature_fields_is_constexpr(const tri_class *cls, tri_str field);

#endif
