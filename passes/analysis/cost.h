/* How long a launch of a kernel takes, estimated from its finished ttgir: what configurations are compared by where no
 * device is at hand.
 *
 * Of each operation is counted what it takes of a multiprocessor: instructions, the unit for exponentials and the like,
 * matrix units, shared memory, bytes that come from the cache for all, bytes that come from memory (those that no other
 * program beside it reads, too). A group of warps is followed through its operations, products that run on by
 * themselves and loads that take their time among them, which gives the time of a program alone; how many share a
 * multiprocessor is known from shared memory, warps and registers. A wave of programs takes as long as one of them
 * alone, or as what all of them need of what is scarcest. Loops run as often as the arguments say.
 *
 * The machine's figures are in ir/machines.def (clock_mhz and what follows it); without them there is no estimate. */
#ifndef TRI_PASSES_ANALYSIS_COST_H
#define TRI_PASSES_ANALYSIS_COST_H

#include "ir/kernel.h"
#include "ir/machines.h"
#include "ir/op.h"

enum {
    TRI_COST_ARGUMENT = 4096, /* an integer argument of which nothing is said */
    TRI_COST_MAX_ARGUMENTS = 128,
    TRI_COST_MAX_VALUES = 64, /* that are told of arguments */
};

/* What a launch passes. */
typedef struct {
    size_t count; /* of arguments of the function, at most TRI_COST_MAX_ARGUMENTS */
    int64_t argument[TRI_COST_MAX_ARGUMENTS]; /* integers; of pointers their address */
    int64_t otherwise; /* what else is a number is, as in memory */
    int64_t grid[3];
    bool is_persistent; /* few programs go through that grid */
    bool has_grid; /* else one program on each place of the device is taken */
} tri_cost_launch;

typedef enum {
    TRI_COST_CHAIN,  /* one program's operations behind one another */
    TRI_COST_ISSUE,  /* instructions */
    TRI_COST_SPECIAL, /* exponentials, reciprocals */
    TRI_COST_TENSOR, /* products */
    TRI_COST_SHARED, /* shared memory */
    TRI_COST_CACHE,  /* bytes from the cache that all multiprocessors share */
    TRI_COST_MEMORY, /* bytes from memory */
    TRI_COST_KINDS,
} tri_cost_kind;

typedef struct {
    double microseconds; /* of the launch */
    double programs;
    double part[TRI_COST_KINDS]; /* microseconds that the launch would take if only this counted */
    int resident;                /* programs of a multiprocessor at a time */
    int registers, wanted;       /* of a thread: what it has, and what its blocks would take, as estimated */
} tri_cost;

/* Of an integer argument; one without a name is of those that no other names. */
typedef struct {
    tri_str name;
    int64_t value;
} tri_cost_value;
/* Takes the next of "NAME=VALUE,NAME=VALUE,VALUE" from `text`, where `between` and `equals` stand for the comma and the
 * sign. False, with the item taken: it is none. */
bool tri_cost_take_value(tri_str *text, char between, char equals, tri_cost_value *out_value);
/* The facts of a tt.func, as far as it has any. */
void tri_cost_kernel_of(tri_arena *arena, MlirOperation func, tri_kernel *out_kernel);
/* The launch that values give: integer arguments by their names, others TRI_COST_ARGUMENT; the grid that the kernel's
 * facts compute of them. `func` is the kernel's tt.func. */
void tri_cost_launch_of(MlirOperation func, const tri_kernel *kernel, size_t count, const tri_cost_value *values,
                        tri_cost_launch *out_launch);
/* Of a kernel of a module of ttgir. False where the machine's figures are not known. */
bool tri_cost_estimate(tri_arena *arena, MlirOperation func, const tri_cost_launch *launch, tri_cost *out_cost);
/* Both at once. */
bool tri_cost_of_kernel(tri_arena *arena, MlirOperation func, const tri_kernel *kernel, size_t count,
                        const tri_cost_value *values, tri_cost *out_cost);
/* "42.1 us for 4096 programs, 2 on a multiprocessor: products 40.0, latency 31.2, ..." */
void tri_cost_print(const tri_cost *cost, tri_buf *out);

#endif
