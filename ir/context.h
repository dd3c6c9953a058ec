/* The MLIR and LLVM contexts of a run, with our dialects and diagnostics wired in. */
#ifndef TRI_IR_CONTEXT_H
#define TRI_IR_CONTEXT_H

#include "ir/unit.h"

/* Creates the context with tt ttg ttng nvws ttig amdg arith math scf cf ub registered (loaded on first use or on
 * parsing; llvm is registered for the few attributes and ops of it that appear in ttir), threads
 * off, and diagnostics sent to `diag`. The caller destroys it last. */
MlirContext tri_context_create_mlir(tri_diag *diag);
void tri_context_destroy_mlir(MlirContext context);
/* An LLVM context whose diagnostics, fatal errors included, go to `diag`. */
LLVMContextRef tri_context_create_llvm(tri_diag *diag);

/* Text in and out. parse takes what Triton 3.6 to 3.9 write, reports what is wrong and returns a null module.
 * The text of print has locations (`loc(...)`) when `with_locations`. */
MlirModule tri_context_parse(MlirContext context, const tri_source *source);
void tri_context_print(MlirModule module, bool with_locations, tri_buf *out);
typedef struct {
    bool has_locations;
    bool is_brief;       /* of locations: for reading only */
    bool is_generic;     /* "tt.func"() <{...}> */
    bool has_no_aliases; /* types, attributes and locations stand where they are used */
    int elide_larger;    /* dense constants of more elements are dense_resource<...>; 0: none are */
    unsigned release;    /* as this release of Triton spells it: 306 is 3.6; 0: as we do, which is as 3.8 does */
} tri_context_style;
/* False after a report: the release cannot say it. */
bool tri_context_print_styled(MlirModule module, const tri_context_style *style, tri_buf *out);
bool tri_context_verify(MlirModule module); /* reports */

/* FileLineColLoc in the file that `span` points into; unknown without a source. */
MlirLocation tri_context_location(MlirContext context, tri_diag *diag, tri_span span);
/* name-loc over `loc`, and call-site loc. */
MlirLocation tri_context_named_location(MlirLocation loc, tri_str name);

#endif
