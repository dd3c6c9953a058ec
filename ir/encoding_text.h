/* The syntax and the rules of layout attributes, on their plain C form. */
#ifndef TRI_IR_ENCODING_TEXT_H
#define TRI_IR_ENCODING_TEXT_H

#include "base/str.h"
#include "layout/encoding.h"

#include "mlir-c/IR.h"

/* Stands in the text for the parent attribute, which only the printer can spell. */
enum { TRI_ENCODING_PARENT_MARK = 1 };

/* What stands after the mnemonic, with the angle brackets, as a release of Triton spells it: 306 is 3.6; 0 is ours. */
void tri_encoding_text_print(const tri_encoding *encoding, unsigned release, tri_buf *out);
/* Can that release say it? */
bool tri_encoding_text_is_in(const tri_encoding *encoding, unsigned release);

/* Fills `out` (its parent excepted, whose rank is `parent_rank`) from the dictionary between the
 * brackets. False with one line in `error` that names the field. */
bool tri_encoding_text_parse(tri_encoding_kind kind, MlirAttribute dictionary, int parent_rank, tri_encoding *out,
                             tri_buf *error);
/* Name of the field that holds the parent, or null. */
const char *tri_encoding_text_parent_field(tri_encoding_kind kind);

/* The attribute verifier's rules. False with one line in `error`. */
bool tri_encoding_text_check(const tri_encoding *encoding, tri_buf *error);

#endif
