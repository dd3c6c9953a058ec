/* What flows between phases: contexts (borrowed), one payload, options, arena. A phase consumes
 * the payload and installs the next one; after a failure the unit is still safe to end. */
#ifndef TRI_IR_UNIT_H
#define TRI_IR_UNIT_H

#include "base/diag.h"
#include "base/vec.h"

#include "llvm-c/Types.h"
#include "mlir-c/IR.h"

/* Whoever looks into these includes ir/kernel.h and ir/options.h: most of what has a unit does not. */
typedef struct tri_kernel tri_kernel;
typedef struct tri_options tri_options;
struct tri_target;
struct tri_machine_facts;
struct tri_ast_module;
struct tri_frontend_notes;

typedef enum {
    TRI_PAYLOAD_NONE,
    TRI_PAYLOAD_SOURCE, /* `source` */
    TRI_PAYLOAD_AST,    /* `source` and `ast` */
    TRI_PAYLOAD_MLIR,   /* `module`: ttir or ttgir */
    TRI_PAYLOAD_LLVM,   /* `llvm_module` */
    TRI_PAYLOAD_BYTES,  /* `bytes`: text or binary of a final stage */
} tri_payload;

/* A place in code made for the simulator: which primitive, from which source line. */
typedef struct {
    tri_span span;
    const char *primitive;
} tri_site;

/* Inline assembly as the source has it, at its operation: where to tell what an assembler says of it. */
typedef struct {
    tri_str text; /* in the unit's arena */
    MlirLocation at;
} tri_assembly;

typedef struct tri_unit {
    tri_arena *arena;           /* borrowed; ended after the unit */
    tri_diag *diag;             /* borrowed */
    const tri_options *options; /* borrowed */
    MlirContext mlir;           /* borrowed; null until a phase needs it (tri_context_get) */
    LLVMContextRef llvm;        /* borrowed; null until a phase needs it */
    const struct tri_target *target; /* borrowed static table; null until known */
    const struct tri_machine_facts *arch;

    tri_payload payload;
    const tri_source *source;
    struct tri_ast_module *ast; /* in the arena */
    MlirModule module;          /* owned */
    LLVMModuleRef llvm_module;  /* owned */
    tri_buf bytes;              /* owned */

    /* Loops whose warps take different parts (-fwarp-specialize): whether there are any; whether the assembler gave
     * their form up, which makes them slower than plain ones; and whether there shall be none, for that reason. */
    bool is_specialised, is_given_up, is_plain;

    TRI_VEC(tri_kernel) kernels; /* filled by the front end or read back from the payload */
    int lanes; /* threads of a warp of the lowered code; 0: it was not lowered here */
    TRI_VEC(tri_site) sites;     /* of code made for the simulator */
    TRI_VEC(tri_assembly) assemblies; /* of the code lowered here, in its order */
    struct tri_frontend_notes *notes; /* borrowed: wanted of the source; null: nobody asks */
    TRI_VEC(tri_str) dependencies; /* every file read, as written, in order (-MD) */
} tri_unit;

/* Starts a unit with no payload. Contexts come from tri_context_* at first use. */
void tri_unit_init(tri_unit *unit, tri_arena *arena, tri_diag *diag, const tri_options *options);
/* Ends the payload; contexts, arena and diag stay. Safe after a failure and twice. */
void tri_unit_fini(tri_unit *unit);
/* Drops the payload and marks the new kind; the caller then stores it. */
void tri_unit_replace(tri_unit *unit, tri_payload payload);
/* Notes a file that was read, for the depfile. */
void tri_unit_add_dependency(tri_unit *unit, tri_str path);

#endif
