/* SIMT simulator: runs the code that the GPU lowering makes, on the host, one fiber per GPU thread.
 *
 * The lowering replaces every machine primitive (targets/gpu/primitives.def, and the family's) by a call of
 * tri_sim_primitive with a site number; everything else is ordinary code for the host. Programs
 * (CTAs) run one after another; the threads of one run in turn and switch at barriers and at
 * exchanges inside a warp, which wait for exactly the lanes that the mask names. Accesses are
 * checked as the hardware does not: bounds and alignment of global memory, races there between threads and
 * between programs, races and uninitialised reads of shared memory, asynchronous copies read before their wait,
 * divergent barriers and exchanges with lanes that do not come. */
#ifndef TRI_RUNTIME_SIM_SIM_H
#define TRI_RUNTIME_SIM_SIM_H

#include "base/diag.h"
#include "base/vec.h"

/* Where in the source a primitive was used, and its name; numbered by the lowering. */
typedef struct {
    tri_span span;
    const char *primitive;
} tri_sim_site;

typedef struct {
    uint32_t x, y, z;
} tri_sim_grid;

typedef struct tri_sim tri_sim;

/* What only one family of GPUs has (runtime/sim/<family>); targets name theirs. */
typedef struct tri_sim_family tri_sim_family;

/* `sites` and `diag` are borrowed; family null: none. Programs of num_warps warps of `lanes` threads, at most 64. */
tri_sim *tri_sim_create(tri_diag *diag, const tri_sim_family *family, const tri_sim_site *sites, size_t num_sites,
                        int num_warps, int lanes, size_t shared_bytes);
void tri_sim_destroy(tri_sim *sim);

/* Memory that global accesses may touch; names it in reports. The bytes are borrowed. */
void tri_sim_add_buffer(tri_sim *sim, void *data, size_t size, const char *name);

/* From now on `watch` is called after each program; null: nobody is. */
void tri_sim_set_watch(tri_sim *sim, void (*watch)(void *data, uint64_t done, uint64_t total), void *data);

/* Base of the simulated shared memory: what the code's shared symbol must resolve to. */
void *tri_sim_shared(tri_sim *sim);

/* Runs entry(argument) in every thread of every program. False when something was reported; the
 * run goes on after a report where it can, and ends after a deadlock or a trap. */
bool tri_sim_run(tri_sim *sim, void (*entry)(void *argument), void *argument, tri_sim_grid grid);

/* What compiled code calls: `args` and `results` hold one scalar per 8 bytes. */
void tri_sim_primitive(uint32_t site, uint32_t primitive, const uint64_t *args, uint64_t *results);

/* Whether a primitive (its name in a primitives.def) is simulated for the family. */
bool tri_sim_has(const tri_sim_family *family, const char *primitive);

#endif
