/* What the parts of automatic warp specialization share: a loop that is to be split, and what its producer needs. */
#ifndef TRI_PASSES_TTGIR_AUTOMATIC_WARP_SPECIALIZATION_SPLIT_H
#define TRI_PASSES_TTGIR_AUTOMATIC_WARP_SPECIALIZATION_SPLIT_H

#include "base/map.h"
#include "ir/analysis/pointers.h"
#include "passes/ttgir/pipeline/pipeline.h"

/* A load through a descriptor, which the producer starts. Loads whose first users are the same share mbarriers. */
typedef struct {
    MlirOperation load;
    MlirType buffer; /* what it fills of a slot of its ring */
    int64_t bytes;
    MlirType slot; /* of the ring, for loads of other loops, too: the largest of their buffers */
    int64_t slot_bytes;
    int group;
    int place; /* of the load of the first loop of a chain that has the same ring */
    MlirValue ring;
} tri_split_load;

typedef struct {
    MlirOperation first, last; /* ops of the body: the first and the last that read its buffers */
    int64_t bytes;
    MlirValue full, empty; /* rings of mbarriers */
} tri_split_group;

/* Whether registers move from the producer to the consumers, as far as one loop tells; a kernel does one of both. */
typedef enum {
    TRI_SPLIT_REGISTERS_EITHER,
    TRI_SPLIT_REGISTERS_MOVE,
    TRI_SPLIT_REGISTERS_STAY, /* they must, whatever other loops want */
} tri_split_registers;

/* A loop, and what of it its producer does, too. */
typedef struct {
    MlirOperation loop; /* as the consumers' was at first; null: there is none */
    MlirBlock body;
    bool has_loads;            /* through descriptors, which the producer starts */
    tri_map needed;            /* ops of the body, by pointer, that give the producer its coordinates */
    TRI_VEC(intptr_t) carried; /* what of the loop's arguments the producer carries, ascending */
} tri_slice;

typedef struct {
    tri_pass_run *run;
    tri_arena *arena;
    MlirOperation loop, func;
    MlirBlock body;
    int stages, num_warps, lanes;
    TRI_VEC(tri_split_load) loads; /* in program order */
    TRI_VEC(tri_split_group) groups;
    MlirOperation dot; /* the only product, which may run on while the next one starts; null: products are waited for */
    intptr_t sums;     /* the loop's result that it gives */
    MlirOperation anchor; /* of more than two products: the first one that is waited for, and all that began before it;
                           * the pipeline places the waits, and all loads share mbarriers. Null: waited for at once */
    /* Of two products in a loop in another one: each loop begins with slot 0, so that ptxas knows where products read
     * when it begins, and carries the parities of all slots, a bit each, in the place of one */
    bool is_restarted;
    int64_t thread_sums;       /* of all products, that a thread holds */
    tri_split_registers registers;
    bool moves_registers;      /* what the kernel does */
    bool has_turns;            /* two groups of consumers start products in turn */
    tri_slice inner;           /* of this loop */
    tri_slice outer;           /* of the loop in the kernel in which this one stands; null: it stands in the kernel */
    TRI_VEC(tri_split_load) around; /* loads of the outer loop itself, which the producer starts, too */
    tri_split_group around_group;   /* they share mbarriers; `last`: the op of the outer loop that reads them last */
    int around_stages;
} tri_split_plan;

/* Threads that hold more have no registers for what they would load at other times than before. */
enum { TRI_SPLIT_MOST_SUMS = 128 };

static inline bool tri_split_is_nested(const tri_split_plan *p) { return !mlirOperationIsNull(p->outer.loop); }

/* The loop itself, or the one around it, in the kernel. */
static inline MlirOperation tri_split_top(const tri_split_plan *p)
{
    return tri_split_is_nested(p) ? p->outer.loop : p->loop;
}

/* Pairs of a value and what stands for it elsewhere; of several for one value the last one holds. */
typedef struct {
    tri_value_list from, to;
} tri_split_names;

static inline void tri_split_bind(tri_arena *arena, tri_split_names *n, MlirValue from, MlirValue to)
{
    tri_vec_push(arena, &n->from, from);
    tri_vec_push(arena, &n->to, to);
}

/* The value itself when nothing else stands for it. */
static inline MlirValue tri_split_name(const tri_split_names *n, MlirValue value)
{
    for (size_t i = n->from.len; i-- > 0;)
        if (mlirValueEqual(n->from.at[i], value))
            return n->to.at[i];
    return value;
}

/* A copy of the op on the values that stand for its own; its results stand for the op's from now on. */
static inline MlirOperation tri_split_copy(tri_arena *arena, tri_builder *b, tri_split_names *n, MlirOperation op)
{
    MlirOperation copy = tri_op_clone(b, op, (intptr_t)n->from.len, n->from.at, n->to.at);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        tri_split_bind(arena, n, tri_op_result(op, i), tri_op_result(copy, i));
    return copy;
}

/* What a loop's producer is made of (slice.c). */
void tri_slice_init(tri_arena *arena, tri_slice *s, MlirOperation loop);
/* Marks what a value is made of, inside of the loop. False when other than scalars take part. */
bool tri_slice_needs(tri_arena *arena, tri_slice *s, MlirValue value);
/* The values outside of the loop that its producer needs, and begins with. */
void tri_slice_outside(tri_arena *arena, const tri_slice *s, tri_value_list *out);
/* With a builder, makes a value from outside there; without one, notes what must be captured for it. */
void tri_slice_take(tri_arena *arena, tri_builder *b, tri_split_names *n, MlirValue value, tri_value_list *captures);
/* The producer's loop, whose values have names by now: what it carries, then slots and parities of rings, `count`
 * numbers which begin as `ring`. And its end, which hands over the next `ring`. */
void tri_slice_open(tri_arena *arena, tri_builder *b, const tri_slice *s, tri_split_names *n, const MlirValue *ring,
                    intptr_t count, MlirOperation *out_loop);
void tri_slice_close(tri_arena *arena, tri_builder *b, const tri_slice *s, const tri_split_names *n,
                     const MlirValue *ring, intptr_t count);
/* An scf.for with these bounds, step and starting values, an empty body, and no stages of its own; it counts as `like`
 * does. */
MlirOperation tri_split_make_loop(tri_arena *arena, tri_builder *b, MlirOperation like, const tri_value_list *operands);
/* Fills the plan, or says why the loop stays as it is. */
const char *tri_candidate_find(tri_pass_run *run, MlirOperation loop, tri_split_plan *out_plan);
/* Whether there is room for so many bytes of shared memory beside the plan's rings, with four warps for two blocks on a
 * multiprocessor. */
bool tri_candidate_has_room(tri_split_plan *p, int64_t more);
/* Whether the loop of `next` can go on with the rings of `first`, the plan of a loop in front of it in the same block;
 * moves what it needs and both may use in front of the first loop then (join.c). */
bool tri_join_plans(tri_split_plan *first, tri_split_plan *next);
/* Of a loop in another one, which goes on with its rings in each of that one's iterations (nest.c): why that cannot be,
 * or null; and the bytes of shared memory that the other loop takes beside the rings. */
const char *tri_nest_check(tri_split_plan *p);
int64_t tri_nest_bytes(tri_split_plan *p);
/* The bytes that so many operations take beside rings; whether a write may touch what a load, or one of the plan's
 * loads, reads. */
int64_t tri_nest_bytes_of(tri_split_plan *p, const tri_op_list *ops);
bool tri_nest_may_write(tri_pointers *pointers, MlirOperation write, MlirOperation load);
bool tri_nest_is_written_by(const tri_split_plan *p, tri_pointers *pointers, MlirOperation write);
/* Finds the loads of the outer loop itself that the producer can start, and how many bytes they take. */
void tri_nest_find_around(tri_split_plan *p);
int64_t tri_nest_around_bytes(const tri_split_plan *p);
/* What the producer needs for all of the plans' loops goes to the first plan's outer loop. */
void tri_nest_share(tri_split_plan *plans, size_t count);
/* What stands in front of the loops and goes to the consumers with them, in this order (kept.c). */
void tri_kept_collect(const tri_split_plan *plans, size_t count, tri_op_list *out_moved);
/* Carries plans out, of one loop or of several that were joined to the first. */
void tri_split_loops(tri_split_plan *plans, size_t count);
/* Turns of two groups of four warps that issue products (turns.c): two mbarriers, and the stages of the ring whose slot
 * and parity, which the waits are given, tell the turns apart. */
typedef struct {
    MlirValue mbarriers;
    int stages;
    bool is_restarted; /* parities are of all slots */
} tri_split_turns;

tri_split_turns tri_turns_make(MlirOperation loop, int stages, bool is_restarted); /* in front of the loop */
void tri_turns_end(const tri_split_turns *turns, tri_builder *b);
void tri_turns_wait(const tri_split_turns *turns, tri_builder *b, MlirValue slot, MlirValue phase);
void tri_turns_hand_over(const tri_split_turns *turns, tri_builder *b);

/* In a consumers' loop of two products, the second of which takes what is made of the first: starts the first one of
 * the next iteration before the second of this one (rotate.c), in
 * turns unless that is null. False, and nothing is changed, when the loop is of
 * another form. */
bool tri_rotate_loop(tri_arena *arena, MlirOperation loop, const tri_split_turns *turns);
/* Whether the loop has that form. */
bool tri_rotate_fits(tri_arena *arena, MlirOperation loop);
/* In a consumers' loop whose products read registers that it loads, behind which no other loop uses the rings: loads
 * the first ones of the next iteration under the last product (ahead.c). False, and nothing is changed, when the loop
 * is of another form. */
bool tri_ahead_loop(tri_split_plan *p);

#endif
