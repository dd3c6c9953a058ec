/* What a type tells about itself at compile time: t.is_floating(), t.primitive_bitwidth, t.element_ty. */
#ifndef TRI_FRONTEND_TYPE_QUERY_H
#define TRI_FRONTEND_TYPE_QUERY_H

#include "frontend/kernel/types.h"
#include "frontend/host/value.h"

/* The value of a plain attribute; null when it is none. */
const tri_value *tri_type_query_attribute(tri_arena *arena, const tri_type *t, tri_str name);
bool tri_type_query_is_method(const tri_type *t, tri_str name);
/* The result of a method; null when it does not take these arguments. */
const tri_value *tri_type_query_call(tri_arena *arena, const tri_type *t, tri_str name, size_t count,
                                     const tri_value *const *args);
/* The integer type of a width; null when there is none. */
const tri_type *tri_type_query_int(int64_t bits, bool is_signed);

#endif
