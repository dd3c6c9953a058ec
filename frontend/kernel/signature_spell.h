/* What the spelling of an expression alone says of it, for signature_infer.c. */
#ifndef TRI_FRONTEND_SIGNATURE_SPELL_H
#define TRI_FRONTEND_SIGNATURE_SPELL_H

#include "frontend/syntax/ast.h"

/* "load" of tl.load(p) and of d.load([0]); empty: the function has no name. */
tri_str tri_signature_spell_callee(const tri_ast_node *call);
/* The facts (signature_uses.h) that a spelled type gives: tl.float32, torch.int64; of anything else, or null, none. */
unsigned tri_signature_spell_kind(const tri_ast_node *type);
/* The type that a call is given for its result; null: none, or it takes none. */
const tri_ast_node *tri_signature_spell_dtype(const tri_ast_node *call);
/* What the bounds of a range are, by the name of its function: FACT_TILE, FACT_UNROLLED or nothing more. */
unsigned tri_signature_spell_extent(tri_str callee);
/* tl.pointer_type(...); null is none. */
bool tri_signature_spell_is_pointer(const tri_ast_node *type);
/* Is a name's new value made of its last one, as in `x = x + y`, and so of its kind? */
bool tri_signature_spell_carries(const tri_ast_node *value, tri_str name);
/* A number of more than 32 bits: no float is multiplied by such. */
bool tri_signature_spell_is_wide(const tri_ast_node *e);
/* A text, a whole number, True or False. */
bool tri_signature_spell_is_literal(const tri_ast_node *e);

#endif
