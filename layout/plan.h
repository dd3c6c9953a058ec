/* What to do with registers, lanes and shared memory, derived from linear layouts alone:
 * conversions, memory accesses, reductions, scans. Plans are data; targets/gpu emits them. */
#ifndef TRI_LAYOUT_PLAN_H
#define TRI_LAYOUT_PLAN_H

#include "layout/linear.h"

/* What the machine can do; filled by a target from its table of primitives. */
typedef struct {
    int lanes;              /* threads of a warp */
    int banks;              /* of shared memory, 32 bits each */
    int max_vector_bits;    /* widest access, 128 */
    bool can_shuffle;
    bool has_ldmatrix, has_stmatrix;
    int64_t spare_bytes;    /* scratch that a conversion may take for fewer rounds; 0: the fewest bytes */
} tri_plan_machine;

/* ---- accesses to memory by a register map ---- */

typedef enum {
    TRI_ACCESS_PLAIN,        /* ld.shared, st.shared, ld.global, ... */
    TRI_ACCESS_MATRIX,       /* ldmatrix, stmatrix */
    TRI_ACCESS_MATRIX_TRANS, /* their .trans form (16-bit elements) */
} tri_access_form;

/* How the registers of a thread are cut into accesses. Access a (0 <= a < count) moves the
 * registers tri_plan_access_register(p, a, e), e = 0 .. vec-1, to consecutive places.
 * Matrix forms: `vec` is the number of elements one instruction moves per thread, in groups of
 * 32 / element_bits registers per 8x8 matrix (m-th group = m-th matrix of .x1/.x2/.x4); the row
 * address a lane gives comes from tri_plan_matrix_row. */
typedef struct {
    tri_access_form form;
    int element_bits;
    int vec, count;
    int num_bits;            /* register bits */
    uint8_t bit[TRI_MAX_BASES]; /* bit[i] = register bit behind bit i of (a * vec + e) */
    uint64_t copies;         /* register bits that do not change the place: skip accesses that have one set
                                when storing, copy after loading */
    tri_linear map;          /* register, lane, warp, block -> offset (and iteration): what is accessed */
} tri_plan_access;

static inline uint64_t tri_plan_access_register(const tri_plan_access *p, int access, int element)
{
    uint64_t linear = (uint64_t)access * (uint64_t)p->vec + (uint64_t)element, out = 0;
    for (int i = 0; i < p->num_bits; i++)
        out |= (linear >> i & 1) << p->bit[i];
    return out;
}

/* Plain accesses of at most max_bits through `map` (register, lane, warp [, block] -> offset [, iteration]).
 * max_vec limits the vector further (alignment, contiguity of the pointer); 0 = no limit. */
tri_plan_access tri_plan_access_plain(const tri_linear *map, int element_bits, int max_bits, int max_vec);
/* Matrix accesses; false when the map does not fit 8x8 matrices. */
bool tri_plan_access_matrix(const tri_linear *map, int element_bits, bool trans, tri_plan_access *out_plan);
/* Offset of the row whose address lane `lane` must give to matrix access `access`, as a map
 * (register -> constant part, lane, warp, block -> offset): the address of thread (lane, warp) for
 * access a is out(lane, warp) ^ apply(register = tri_plan_access_register(p, a, 0)). */
tri_linear tri_plan_matrix_row(const tri_plan_access *p);
/* The best access between registers and a shared buffer: matrix, matrix-trans, plain in that order.
 * `registers` and `buffer` are layouts of the same tensor. The map is in the plan. False when the
 * buffer lacks an element. */
bool tri_plan_access_shared(const tri_linear *registers, const tri_linear *buffer, int element_bits, bool is_load,
                            const tri_plan_machine *machine, tri_plan_access *out_plan);
/* Cycles beyond the ideal that one warp-wide plain access costs: 0 = no bank conflict. */
int tri_plan_access_conflicts(const tri_plan_access *p, const tri_plan_machine *machine);

/* ---- convert_layout ---- */

typedef enum {
    TRI_CVT_NONE,      /* every thread keeps its registers */
    TRI_CVT_REGISTERS, /* registers are renamed inside a thread */
    TRI_CVT_SHUFFLE,   /* data moves between lanes of a warp */
    TRI_CVT_SHARED,    /* through shared memory */
    TRI_CVT_CLUSTER,   /* between the CTAs of a cluster: distributed shared memory */
} tri_cvt_kind;

typedef enum { TRI_SYNC_WARP, TRI_SYNC_CTA, TRI_SYNC_CLUSTER } tri_sync;

/* v[r] becomes v[r ^ register_xor], for all r at once, in the threads whose
 * parity(lane & lane_mask) ^ parity(warp & warp_mask) is 1. */
typedef struct {
    uint32_t lane_mask, warp_mask;
    uint64_t register_xor;
} tri_plan_select;

/* A conversion inside each warp:
 *   1. v = in; then the `send` selects in order (v has the source's registers);
 *   2. for every destination register k: w[k] = v[apply_one(renumber, register, k)] of lane
 *      source(register = k, lane, warp). Where the source lane is the thread's own (is_xor, and
 *      the register's part of `source` is 0) no shuffle is needed; when is_xor it is
 *      lane ^ apply_one(source, register, k);
 *   3. out = w; then the `receive` selects in order.
 * Bits in `copies` of a destination register are replicas: out[k] = out[k & ~copies]. */
typedef struct {
    int num_send, num_receive;
    tri_plan_select send[16], receive[16];
    tri_linear renumber; /* register -> register */
    tri_linear source;   /* register, lane, warp -> lane */
    bool is_xor;
    uint64_t copies;
    int num_shuffles;    /* per thread, of one element each */
} tri_plan_shuffle;

typedef struct {
    tri_cvt_kind kind;
    /* dst (register, lane, warp, block) -> src (register, lane, warp, block) of the same element.
     * NONE/REGISTERS: out[r] = in[apply_one(map, register, r)]. A thread that holds an element
     * itself is its own source. */
    tri_linear map;
    tri_plan_shuffle shuffle;

    /* SHARED: replicated registers (tri_plan_find_replicas) need be stored once only. Round i of `rounds` uses the
     * registers whose iteration is i in store.map (load.map); scratch holds one round. */
    tri_plan_access store, load; /* maps: register, lane, warp, block -> offset, iteration, block */
    int rounds;
    int64_t scratch_elements;
    int element_bits;            /* in memory: i1 takes 8 */
    tri_sync sync;               /* barrier between store and load, and between rounds */
    int store_conflicts, load_conflicts;
    tri_linear shared;           /* offset, iteration, block -> dims: the swizzled buffer */
} tri_plan_convert;

/* src and dst are layouts of one tensor (register, lane, warp, block -> dims). `max_scratch_bytes`
 * 0: no limit; else more rounds are taken until it fits. False when it cannot fit. */
bool tri_plan_convert_make(const tri_linear *src, const tri_linear *dst, int element_bits,
                           const tri_plan_machine *machine, int64_t max_scratch_bytes, tri_plan_convert *out_plan);
/* Cheap queries used by passes: which kind it would be, without the plan. */
tri_cvt_kind tri_plan_convert_kind(const tri_linear *src, const tri_linear *dst);
int64_t tri_plan_convert_scratch_bytes(const tri_linear *src, const tri_linear *dst, int element_bits,
                                       const tri_plan_machine *machine);

/* ---- reduce ---- */

/* Reduction along `axis` (an output dimension of layout). Order of work: registers, then lanes, then
 * (when across_warps) a round through shared memory into layout `next`, then its lanes. */
typedef struct {
    uint64_t register_mask;      /* register bits that move along the axis: combine them in a thread */
    uint64_t copies;             /* register bits that are replicas: leave out registers that have one set */
    int num_shuffles;
    uint32_t shuffle_xor[8];     /* then combine with lane ^ shuffle_xor[i], in this order */
    tri_linear reduced;          /* layout of the partial results: axis bits of registers are gone
                                    (removed from the register dimension), of lanes are zero */
    bool is_complete;            /* nothing remains: warps and blocks do not move along the axis */
    tri_linear next;             /* else: convert `reduced` to this, then plan again from it */
} tri_plan_reduce;

/* False when some basis moves along the axis and another dimension at once. */
bool tri_plan_reduce_make(const tri_linear *layout, tri_dim axis, const tri_plan_machine *machine,
                          tri_plan_reduce *out_plan);
/* Partial result register that register r of the input goes to. */
uint64_t tri_plan_reduce_target(const tri_plan_reduce *p, const tri_linear *layout, uint64_t r);
/* Layout of the final result: `axis` dropped and the later dimensions renumbered, zero register bases removed. */
tri_linear tri_plan_reduce_result(const tri_linear *reduced, tri_dim axis);

/* ---- scan ---- */

/* A scan takes the bits of the axis from the lowest to the highest. At each one, every element with
 * that bit set is combined with the running value of the last element of the block below it: same
 * index, but this bit cleared and all lower bits of the axis set. */
typedef struct {
    int num_steps;
    struct {
        tri_dim in;  /* register, lane or warp */
        int bit;
    } step[TRI_MAX_BASES];
    int num_register_bits, num_lane_bits, num_warp_bits;
    uint64_t copies; /* register bits that are replicas */
} tri_plan_scan;
bool tri_plan_scan_make(const tri_linear *layout, tri_dim axis, tri_plan_scan *out_plan);

/* ---- replicated data ---- */

/* A thread is the owner of its data when (lane & lane) == 0 and so on; `reg` lists register bits
 * whose values are copies. Writers to memory act only as owners. */
typedef struct {
    uint64_t reg, lane, warp, block;
} tri_plan_replicas;
tri_plan_replicas tri_plan_find_replicas(const tri_linear *layout);

#endif
