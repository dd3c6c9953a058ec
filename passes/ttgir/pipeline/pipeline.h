/* What the three passes of the software pipeliner share: latencies, schedules, the buffers of loads.
 * They talk through attributes: tt.latency on loads, loop.stage and loop.cluster on every op of a
 * scheduled body, tt.scheduled_max_stage on its loop. */
#ifndef TRI_PASSES_TTGIR_PIPELINE_H
#define TRI_PASSES_TTGIR_PIPELINE_H

#include "ir/analysis/axis_info.h"
#include "ir/builder.h"
#include "ir/op.h"
#include "passes/passes.h"

typedef struct {
    tri_pass_run *run;
    tri_arena *arena;
    const tri_axis_info *info; /* of the module as it was when the pass began */
} tri_pipeline;

/* tt.num_stages of a loop, else the option. */
int64_t tri_pipeline_num_stages(const tri_pass_run *run, MlirOperation loop);
/* Whether the body can be scheduled at all: no loops inside, and no yielded value is itself an argument. */
bool tri_pipeline_is_simple(tri_arena *arena, MlirOperation loop);

/* Type of one buffer that holds what a load gives, as its users want it: a memdesc (immutable), or null
 * when they disagree. A scalar becomes a buffer of one element. */
MlirType tri_pipeline_buffer_type(const tri_pipeline *p, MlirOperation load);
/* Layout of the tensor of one element that a scalar load is copied as. */
MlirAttribute tri_pipeline_scalar_encoding(MlirOperation load);
/* Consecutive elements that each thread's pointers of a load are known to have, 16 bytes at most. */
int64_t tri_pipeline_contiguity(const tri_pipeline *p, MlirOperation load);
/* Bytes of one piece of an asynchronous copy from the load's pointers into a buffer. */
int tri_pipeline_copy_bytes(const tri_pipeline *p, MlirOperation load, MlirType buffer);

/* Values used by an op or inside it, that are defined outside of it. */
typedef TRI_VEC(MlirValue) tri_value_list;
void tri_pipeline_uses_of(tri_arena *arena, MlirOperation op, tri_value_list *out);

/* Turns the loads of a scheduled loop into asynchronous copies; gives the loop that replaces it. */
MlirOperation tri_pipeline_loads_run(const tri_pipeline *p, MlirOperation loop);
/* Makes asynchronous what a scheduled loop can wait for later; gives the loop that replaces it, scheduled too. */
MlirOperation tri_pipeline_lower(const tri_pipeline *p, MlirOperation loop);
/* Overlaps the iterations of a scheduled loop; attributes of the schedule are removed. False, after
 * nothing was changed but attributes, when the loop holds something that cannot be predicated. */
bool tri_pipeline_expand_run(tri_arena *arena, MlirOperation loop);
/* The same with the last iterations behind the loop, which predicates nothing then (expand_end.c). */
bool tri_pipeline_expand_peeled(tri_arena *arena, MlirOperation loop);
/* A fresh copy of an op, made to do nothing when `pred` is false; the op that stands for it then. Needs
 * can_predicate. */
bool tri_pipeline_can_predicate(MlirOperation op);
MlirOperation tri_pipeline_predicate(tri_arena *arena, MlirOperation op, MlirValue pred);
/* The same outside of a loop: products and what goes through descriptors are skipped by a branch. */
bool tri_pipeline_can_guard(MlirOperation op);
MlirOperation tri_pipeline_guard(tri_arena *arena, MlirOperation op, MlirValue pred);
/* On a loop without stages of its own: its products may run on, as in those that have stages. */
#define TRI_PIPELINE_OPEN "tritcc.open-products"
/* Lets the products of warp groups in loops run on, and waits for them where that is needed. */
void tri_pipeline_wgmma_run(tri_pass_run *run);
/* Makes two of a product that reads A from registers, each over half of K, in its place. False, and nothing is changed,
 * when A is in a buffer or the halves would not fill an instruction. */
bool tri_pipeline_wgmma_split(tri_arena *arena, MlirOperation dot, MlirOperation out_halves[2]);
/* Sets how many groups each ttg.async_wait may leave pending, and merges neighbouring waits.
 * Waits for tokens from elsewhere leave none, or, with `keeps_unknown`, what they say now. */
void tri_pipeline_waits_run(tri_arena *arena, MlirOperation func, bool keeps_unknown);
/* Merges neighbouring waits for copies through AMD's descriptors. */
void tri_pipeline_merge_box_waits(tri_arena *arena, MlirOperation func);
/* Waits for copies that products of warp groups read an iteration early. Neighbouring waits are merged. */
void tri_pipeline_ready_run(tri_arena *arena, MlirOperation func);

/* Starts products that need nothing of the one in front of them under it. */
void tri_pipeline_early_run(tri_arena *arena, MlirOperation func);

/* Tells, as remarks, whether a loop with loads is pipelined, and if not, why. Its loads have their latencies. */
void tri_pipeline_remark(const tri_pipeline *p, MlirOperation loop, int64_t stages);
/* The same of a while loop, which never is. */
void tri_pipeline_remark_while(tri_pass_run *run, MlirOperation loop);
/* Ops of a loop that have a latency, before it is scheduled. */
int tri_pipeline_count_ahead(MlirOperation loop);
/* The scheduler's word about a loop with `ahead` of them; nothing for none. why_not: null when it was scheduled. */
void tri_pipeline_remark_scheduled(tri_pass_run *run, MlirOperation loop, int64_t stages, int ahead,
                                   const char *why_not);

/* Makes the prefetch of what a load reads, in front of it, with its attributes, but for what belongs to the load's own
 * operands and schedule. */
void tri_pipeline_add_prefetch(tri_arena *arena, MlirOperation load);

/* Attributes of the schedule. */
void tri_pipeline_set_place(MlirOperation op, int stage, int cluster);
void tri_pipeline_clear(tri_arena *arena, MlirOperation loop);

#endif
