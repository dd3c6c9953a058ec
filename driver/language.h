/* What each function of the language gives, with an example: share/tritcc/language.txt, a part of the program. */
#ifndef TRI_DRIVER_LANGUAGE_H
#define TRI_DRIVER_LANGUAGE_H

#include "base/str.h"

/* "load", "tensor_descriptor.load", "extra.cuda.smid": the name behind tl. */
typedef struct {
    tri_str name, section; /* section: "Memory" */
    tri_str text;          /* a sentence or two */
    tri_str example;       /* a statement */
    tri_str except;        /* "host, AMD: why"; empty: every target has it */
} tri_language_entry;

bool tri_language_find(tri_str name, tri_language_entry *out);
/* All of them as sections of mdoc, for tritcc-language(7). */
void tri_language_manual(tri_buf *out);

#endif
