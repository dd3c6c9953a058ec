/* What each function of the language gives, with an example: share/tritcc/language.txt, a part of the program. */
#ifndef TRI_DRIVER_LANGUAGE_H
#define TRI_DRIVER_LANGUAGE_H

#include "base/str.h"

/* All of them as sections of mdoc, for tritcc-language(7). */
void tri_language_manual(tri_buf *out);

#endif
