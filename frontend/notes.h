/* What the front end finds out about names and attributes of a source while it compiles kernels: for editors. */
#ifndef TRI_FRONTEND_NOTES_H
#define TRI_FRONTEND_NOTES_H

#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"

typedef struct {
    tri_span at;         /* of the name */
    tri_str type;        /* "fp32[64, 32]", as messages say it; of a constant that of its value */
    tri_str value;       /* of a constant; empty: none, or it is long */
    tri_str path;        /* of a library function or namespace, "triton.language.load"; else empty */
    tri_span definition; /* where the name is bound; without a source: not in a file */
    bool is_binding;     /* the name is bound here */
    bool is_block;       /* a tensor with a shape */
} tri_frontend_note;

/* A place that is compiled several times (unrolled, inlined, for several kernels) has the first note. */
typedef struct tri_frontend_notes {
    tri_arena *arena;
    TRI_VEC(tri_frontend_note) all;
    tri_map seen;
} tri_frontend_notes;

void tri_notes_init(tri_frontend_notes *notes, tri_arena *arena);

/* Functions of the library by number, for completion: false behind the last. `out_params`: as in builtins.def. */
bool tri_notes_library(size_t i, tri_str *out_path, tri_str *out_params, tri_str *out_method);

#endif
