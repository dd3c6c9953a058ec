/* What the parts of the cost model share. */
#ifndef TRI_PASSES_ANALYSIS_COST_PARTS_H
#define TRI_PASSES_ANALYSIS_COST_PARTS_H

#include "base/map.h"
#include "passes/analysis/cost.h"

enum { TRI_COST_LANES = 32, TRI_COST_SCHEDULERS = 4 }; /* of a warp; of a multiprocessor */

/* ---- cost_values.c: numbers of one program ---- */

/* Scalars, and the first elements of blocks, as a program has them in the first iteration of each loop. Addresses are
 * those of cost_launch's pointers, descriptors the address of their tensor. */
typedef struct {
    tri_arena *arena;
    const tri_cost_launch *launch;
    int64_t program[3];
    double progress; /* of the outermost loops, where they go through a grid; 0: their first iteration is looked at */
    tri_map known; /* MlirValue.ptr -> int64_t, or a mark that nothing is known */
    int depth;
} tri_cost_values;

void tri_cost_values_start(tri_cost_values *v, tri_arena *arena, const tri_cost_launch *launch, int64_t program);
bool tri_cost_values_get(tri_cost_values *v, MlirValue value, int64_t *out);
/* Of an scf.for; a few where that is not known. */
double tri_cost_values_trips(tri_cost_values *v, MlirOperation loop);
/* Where an access to global memory begins: an address and coordinates in one number. False: not known. */
bool tri_cost_values_place(tri_cost_values *v, MlirOperation access, int64_t *out);

/* ---- cost_op.c: what an operation takes ---- */

typedef enum {
    TRI_COST_OP_PLAIN,
    TRI_COST_OP_PRODUCT,       /* runs on; work[TRI_COST_TENSOR] is its time on the matrix units */
    TRI_COST_OP_PRODUCT_WAIT,  /* until `pendings` products are left */
    TRI_COST_OP_LOAD,          /* its result comes later */
    TRI_COST_OP_COPY,          /* to shared memory, by itself */
    TRI_COST_OP_STORE,
    TRI_COST_OP_LOOP,
    TRI_COST_OP_BRANCH,
    TRI_COST_OP_SPLIT, /* ttg.warp_specialize */
} tri_cost_op_kind;

/* What all of a program's warps, or a partition's, take of a multiprocessor for an operation: cycles, and bytes for
 * cache and memory. The chain is the cycles until the next operation that needs it. */
typedef struct {
    tri_cost_op_kind kind;
    double work[TRI_COST_KINDS];
    double bytes;   /* of global memory */
    bool is_bulk;   /* COPY: of the copy engine */
    int pendings;
    int slots; /* COPY: of the ring that it fills */
} tri_cost_op;

/* `warps` of the partition that the operation is in. */
tri_cost_op tri_cost_op_of(tri_arena *arena, const tri_machine_facts *facts, MlirOperation op, int warps);

/* ---- cost_registers.c ---- */

/* Elements of a block of numbers or pointers that one instruction moves between registers and memory. */
double tri_cost_vector(tri_arena *arena, MlirType type);

/* Registers of 32 bits that a thread holds at a time, at most, by the blocks that live together: in loops, where there
 * are any, as what stands outside of them is done piece by piece. */
int tri_cost_registers(tri_arena *arena, MlirOperation func);

/* ---- cost_time.c: a program from its beginning to its end ---- */

typedef struct {
    double work[TRI_COST_KINDS]; /* of all its warps; MEMORY: 0 still */
    double chain;
    double flight; /* bytes that it asks memory for at a time, at most */
    tri_map copies; /* MlirOperation.ptr of an access -> double: bytes that it moves in the program */
} tri_cost_program;

/* The parts of an access' bytes that come from memory, and from the cache of all multiprocessors. */
typedef struct {
    double memory, cache;
} tri_cost_missed;

typedef struct {
    tri_arena *arena;
    const tri_machine_facts *facts;
    MlirOperation func;
    tri_map ops;    /* MlirOperation.ptr -> tri_cost_op */
    tri_map missed; /* MlirOperation.ptr of an access -> tri_cost_missed */
    int warps;
    int spilled;    /* registers of a thread that do not fit */
} tri_cost_kernel;

void tri_cost_program_run(tri_cost_kernel *k, tri_cost_values *values, tri_cost_program *out);

#endif
