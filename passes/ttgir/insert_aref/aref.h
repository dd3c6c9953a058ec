/* insert-aref: a value that groups of warps hand to others, and how. */
#ifndef TRI_PASSES_INSERT_AREF_AREF_H
#define TRI_PASSES_INSERT_AREF_AREF_H

#include "passes/analysis/partitions.h"

typedef struct {
    MlirOperation op;
    intptr_t operand;
} aref_use;

/* The uses by the same groups, of which some do not have the value. */
typedef struct {
    uint64_t partitions;
    TRI_VEC(aref_use) uses;
} aref_consumers;

typedef struct {
    tri_arena *arena;
    tri_diag *diag;
    MlirOperation loop;  /* the outermost that groups share */
    MlirBlock block;     /* in which the value is made */
    MlirValue value;
    uint64_t partitions; /* that make it */
    MlirOperation alloc; /* that makes it of a tensor in shared memory, or null */
    MlirOperation load;  /* by descriptor, whose copy can go to the buffer directly, or null */
    MlirOperation request; /* for the work of another program, whose answer comes to the buffer, or null */
    TRI_VEC(aref_consumers) consumers;
    MlirType ring, one;  /* of the buffers, and of one as consumers see it */
    MlirValue aref;
} aref_value;

/* Where operations are made, for which groups, and whose place in the loop's schedule they take. */
typedef struct {
    tri_builder b;
    uint64_t partitions; /* 0: of no group */
    MlirOperation like; /* null: none */
    MlirAttribute tag; /* of the loop that the groups share, where the place is not in it; else null */
} aref_place;

MlirOperation tri_insert_aref_make(const aref_place *place, const tri_op *op);
/* The same with one result, which it returns. */
MlirValue tri_insert_aref_value(const aref_place *place, const char *name, intptr_t n, const MlirValue *operands,
                                MlirType type);
/* Takes a buffer of this type, to put or to get; the results are the buffer and its token. */
MlirOperation tri_insert_aref_enter(MlirValue aref, const aref_place *place, const char *name, MlirType buffer);
/* Gives it back; `kind` is what may still be under way, the KIND of #nvws.async_op<KIND>. */
void tri_insert_aref_exit(MlirValue aref, MlirValue token, const aref_place *place, const char *name,
                          const char *kind);

/* tensor<1xT> that a scalar is handed on in; other types as they are. */
MlirType tri_insert_aref_tensor_type(const aref_value *v);
/* Makes the ring in front of the loop. */
void tri_insert_aref_create(aref_value *v);
/* Fills a buffer; `at` is where the value is there. */
void tri_insert_aref_put(aref_value *v, tri_builder at);
/* Takes a buffer in front of the first consumer of the list, and gives it back behind the last. */
void tri_insert_aref_get(aref_value *v, const aref_consumers *consumers);

#endif
