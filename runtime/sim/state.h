/* What the files of the simulator share. */
#ifndef TRI_RUNTIME_SIM_STATE_H
#define TRI_RUNTIME_SIM_STATE_H

#include "runtime/sim/fiber.h"
#include "base/map.h"
#include "runtime/sim/sim.h"

enum { max_operands = 32, max_results = 16, max_pending_copies = 4096,
       max_warps = 64, max_mbarriers = 64, max_clocks = max_warps + max_mbarriers, max_barriers = 16 };

typedef enum {
    THREAD_READY,
    THREAD_AT_BARRIER,   /* of the program, or of some of its warps */
    THREAD_AT_EXCHANGE,  /* of lanes of its warp */
    THREAD_AT_MBARRIER,  /* until something happens there */
    THREAD_DONE,
} tri_sim_state;

/* One asynchronous copy that was issued and not waited for. */
typedef struct {
    uint32_t site;
    uint32_t size, valid; /* bytes written, bytes read; the rest is zero */
    uint64_t shared;      /* offset */
    const unsigned char *global;
    int group;            /* -1: not committed */
} tri_sim_copy;

typedef struct {
    tri_fiber fiber;
    int index; /* in the program */
    tri_sim_state state;
    uint32_t site; /* of the primitive it is in */
    uint32_t barrier; /* that it waits at */
    /* Time for the happens-before order: barriers of the program and of the warp that it passed. */
    uint32_t block_time, warp_time;
    uint32_t lane_time; /* of any exchange of its warp, behind which lanes go on together */
    /* Exchange: what it brought, and what it gets. */
    uint32_t exchange;
    uint64_t mask;
    uint64_t operands[max_operands], results[max_results];
    TRI_VEC(tri_sim_copy) copies;
    int groups; /* committed so far */
    void *own;       /* of the family */
    uint32_t fences; /* that it passed, to what reads shared memory by itself */
} tri_sim_thread;

/* An access to one byte of shared memory, with the time it was made at. */
typedef struct {
    uint32_t site;
    int32_t thread; /* -1: none */
    uint32_t block_time, warp_time;
    uint32_t fences; /* that the thread had passed */
    uint32_t tick;   /* time of its warp */
} tri_sim_access;

typedef struct {
    tri_sim_access writer;
    tri_sim_access readers[2]; /* two different threads, of different warps when there are such */
    bool is_initialised;
    bool by_atomic;            /* the last write was an atomic operation */
    int32_t copying;           /* thread + 1 with an asynchronous copy in flight here; 0: none */
    uint32_t copy_site;
    uint32_t bulk, bulk_phase; /* number + 1 of the mbarrier that a bulk copy into here reports to; 0: none */
} tri_sim_cell;

/* A barrier of the program: opens when as many threads have come as those who came say, then begins anew. */
typedef struct {
    uint32_t threads, come; /* that it waits for (0: nobody has come yet), that have come */
    uint32_t site;          /* where the first one came */
    uint32_t clocks[max_clocks]; /* what those who came knew */
    uint64_t votes, decision;    /* of those that came so far, of the last time it opened */
} tri_sim_barriers;

typedef struct {
    unsigned char *data;
    size_t size;
    tri_str name;
    struct tri_sim_page **pages; /* who has accessed it (global.c); null: nobody */
} tri_sim_buffer;

typedef struct tri_sim_page tri_sim_page;

/* A primitive: reads scalars from args, one per 8 bytes, writes results likewise. */
typedef void (*tri_sim_function)(tri_sim *sim, uint32_t id, const uint64_t *args, uint64_t *results);

#define TRI_SIM_FUNCTION(name) void tri_sim_##name(tri_sim *sim, uint32_t id, const uint64_t *args, uint64_t *results)

typedef struct {
    const char *name;
    tri_sim_function run;
} tri_sim_primitive_row;

/* What a family has beyond targets/gpu/primitives.def: its own primitives, numbered behind the shared ones as the
 * lowering numbers them, and what it keeps and checks besides. Functions may be null. */
struct tri_sim_family {
    const tri_sim_primitive_row *rows;
    size_t count;
    void (*start_program)(tri_sim *sim);
    void (*end_thread)(tri_sim *sim); /* the current one */
    void (*end_program)(tri_sim *sim); /* all threads have */
    bool (*has_news)(tri_sim *sim, tri_sim_thread *thread); /* one that is THREAD_AT_MBARRIER should look again */
    void (*check_write)(tri_sim *sim, size_t begin, size_t end); /* of shared memory: [begin, end) */
};

struct tri_sim {
    tri_arena *arena;
    tri_diag *diag;
    const tri_sim_site *sites;
    size_t num_sites;
    int lanes; /* of a warp */
    int num_threads;
    tri_sim_thread *threads;
    tri_sim_thread *current;
    tri_fiber scheduler;
    unsigned char *shared;
    tri_sim_cell *cells;
    size_t shared_bytes;
    TRI_VEC(tri_sim_buffer) buffers;
    /* Vector clocks: the time of each warp, and what it knows of the others' and of things that end in phases. */
    uint32_t ticks[max_warps], known[max_warps][max_clocks];
    const tri_sim_family *family;
    void *own; /* of the family */
    uint32_t ran, first;       /* programs so far, in all runs; the first one of this run */
    uint32_t sync, known_sync; /* time of updates of global memory; until when the program knows what others did */
    size_t num_cells;          /* of global memory */
    tri_sim_grid grid, program;
    void (*entry)(void *);
    void *argument;
    uint64_t clock;         /* ns */
    tri_sim_barriers barriers[max_barriers]; /* 0: of all threads, unless those who come say otherwise */
    uint32_t naps;          /* of the program */
    bool is_stopped; /* deadlock or trap: nothing more runs */
    size_t reports;
    tri_map reported;
    tri_map assembly; /* text -> const tri_ptx_program * */
    void (*watch)(void *data, uint64_t done, uint64_t total); /* null: nobody watches */
    void *watch_data;
};

/* The run in progress; code compiled for the simulator has no other way to its state. */
extern tri_sim *tri_sim_running;

/* Lets other threads run until this one is ready again. */
void tri_sim_yield(tri_sim *sim);
/* An error at the current primitive, once per (text kind, site, other site). `other` >= 0 names a
 * second place. */
void tri_sim_report(tri_sim *sim, const char *kind, int64_t other, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Checks that whoever wrote a byte of shared memory has passed a fence since; `reader` is who reads by itself. */
void tri_sim_check_fence(tri_sim *sim, uint64_t offset, const char *reader);
/* A bulk copy into [begin, end) of shared memory starts, which reports to a phase of an mbarrier (its number). */
void tri_sim_fill(tri_sim *sim, size_t begin, size_t end, int mbarrier, uint32_t phase);
/* Ends the run after the current primitive. */
void tri_sim_stop(tri_sim *sim);

/* Comes to barrier `number`, which opens when `threads` threads have come, with a vote; waits for that, unless the
 * thread only says that it came. Those who waited know what those knew who came. Barriers of another number of threads
 * than who came first said, or than are multiples of a warp, are reported (barrier.c). */
void tri_sim_come(tri_sim *sim, uint64_t number, uint64_t threads, bool waits, bool vote);
/* Says of a barrier that never opens how many have come; empty for one of all threads. */
tri_str tri_sim_describe_barrier(tri_sim *sim, uint32_t number);
/* Takes into `to` what `from` knows, of max_clocks clocks. */
void tri_sim_join_clocks(uint32_t *to, const uint32_t *from);

/* Brings `operands` to an exchange of the lanes of `mask` and waits until all of them came. The last
 * one calls compute, once, which sets the results of every lane of the mask from their operands.
 * Reports lanes that come to another place or never come; results are then zero. */
typedef void (*tri_sim_compute)(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask);
void tri_sim_exchange(tri_sim *sim, uint32_t primitive, uint64_t mask, const uint64_t *operands, int num_operands,
                      uint64_t *results, int num_results, tri_sim_compute compute);

/* A mask of all lanes of a warp. */
uint64_t tri_sim_all_lanes(const tri_sim *sim);
/* Orders shared memory among the lanes of `mask`; `primitive` is what they meet in (warp.c). */
void tri_sim_sync_lanes(tri_sim *sim, uint32_t primitive, uint64_t mask);

/* global.c: checks an access to words of global memory that is in bounds, before it is made. */
typedef enum {
    TRI_SIM_LOAD,
    TRI_SIM_STRONG_LOAD,    /* volatile or atomic */
    TRI_SIM_STORE,
    TRI_SIM_RELAXED_UPDATE,
    TRI_SIM_UPDATE,         /* that orders other accesses */
} tri_sim_how;
/* `data`: of a store, what is written; null for others. */
void tri_sim_note_global(tri_sim *sim, void *address, size_t word, size_t words, const unsigned char *data,
                         tri_sim_how how);
void tri_sim_start_globals(tri_sim *sim); /* a run begins: all that was before is over */
void tri_sim_next_program(tri_sim *sim);

/* memory.c */
tri_sim_buffer *tri_sim_find_buffer(tri_sim *sim, const unsigned char *address); /* that it lies in, or null */
bool tri_sim_check_global(tri_sim *sim, const void *address, size_t size, const char *what);
bool tri_sim_shared_read(tri_sim *sim, const void *address, size_t size, void *out);
bool tri_sim_shared_write(tri_sim *sim, void *address, size_t size, const void *data);
/* Checks an atomic operation on global or shared memory; those on one place do not race each other. */
bool tri_sim_check_atomic(tri_sim *sim, void *address, size_t word, size_t words, bool is_relaxed);

#endif
