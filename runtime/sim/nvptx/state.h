/* What the simulator keeps for NVIDIA's own primitives, in `own` of the program and of each thread. */
#ifndef TRI_RUNTIME_SIM_NVPTX_STATE_H
#define TRI_RUNTIME_SIM_NVPTX_STATE_H

#include "runtime/sim/nvptx/primitives.h"
#include "runtime/sim/nvptx/tensormap.h"

/* Shared memory that a product which was started and not waited for may still read: [begin, end). */
typedef struct {
    uint32_t site;
    int group; /* -1: not committed */
    uint32_t begin, end;
} tri_sim_reading;

/* A product of a warp group that was started and whose sums were not handed over yet. */
typedef struct {
    uint32_t site;
    uint32_t generation; /* of the record's use */
    int group;           /* -1: not committed */
    int count;
    bool is_used, is_finished /* by a wait */, is_handed_over;
    uint64_t *sums;      /* as the instruction gives them */
} tri_sim_flight;

/* A bulk copy from global memory that was started and has not landed. */
typedef struct {
    uint32_t site;
    uint64_t offset, bytes; /* in shared memory */
    tri_sim_tensormap map;
    int64_t from[5];
} tri_sim_bulk;

/* An mbarrier in shared memory. Clocks: entry w < max_warps is a time of warp w, max_warps + m the number of phases of
 * mbarrier m that have ended. */
typedef struct {
    bool is_valid;
    uint32_t site;
    uint64_t offset;
    uint32_t count, pending;     /* arrivals: of a phase, still missing */
    uint32_t phase, first_phase; /* phases that have ended; when it was initialised */
    int64_t bytes;               /* that are expected and have not come */
    TRI_VEC(tri_sim_bulk) copies;
    uint32_t gathered[max_clocks], published[max_clocks]; /* what those who arrived knew; of phases that have ended */
} tri_sim_mbarrier;

typedef struct {
    TRI_VEC(tri_sim_reading) readings; /* of its warp, in the first lane */
    int reading_groups;
    TRI_VEC(tri_sim_flight) flights;
    int flight_groups;
    bool is_fenced; /* wgmma_fence since the last group was made or waited for */
    uint32_t waits_for, waits_phase; /* an mbarrier, and its phase when the thread began to wait */
    TRI_VEC(tri_sim_reading) stores; /* bulk copies to global memory */
    int store_groups;
} tri_sim_nvptx_thread;

typedef struct {
    size_t num_readings; /* of all warps */
    size_t num_stores;   /* of all threads */
    TRI_VEC(tri_sim_mbarrier) mbarriers;
} tri_sim_nvptx_program;

static inline tri_sim_nvptx_thread *tri_sim_nvptx_thread_of(const tri_sim_thread *thread) { return thread->own; }
static inline tri_sim_nvptx_program *tri_sim_nvptx_program_of(const tri_sim *sim) { return sim->own; }

/* Members of tri_sim_family, and what they are made of: products under way (wgmma.c), bulk copies (bulk.c). */
void tri_sim_nvptx_check_flights(tri_sim *sim);
void tri_sim_nvptx_check_readings(tri_sim *sim, size_t begin, size_t end);
/* Reports a write to [begin, end) of shared memory that a bulk copy to global memory may still read. */
void tri_sim_nvptx_check_stores(tri_sim *sim, size_t begin, size_t end);
bool tri_sim_nvptx_has_news(tri_sim *sim, tri_sim_thread *thread);
/* Reports copies that nobody waits for any more. */
void tri_sim_nvptx_end_program(tri_sim *sim);

#endif
