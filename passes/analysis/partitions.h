/* The groups of warps that share a loop, as upstream's passes hand them on until the loop is split:
 *
 *     %r = scf.for ... {
 *       %v = tt.load ...            {ttg.partition = array<i32: 2>}
 *       scf.yield %v                {ttg.partition = array<i32: 0, 2>}
 *     } {ttg.partition = array<i32: 0, 2>, ttg.partition.outputs = [array<i32: 2>],
 *        ttg.partition.stages = [0, 0, 1], ttg.warp_specialize.tag = 0 : i32}
 *
 * ttg.partition of an operation are the groups that run it, ttg.partition.outputs those that have each result of a
 * loop, a conditional or a reduction; what a loop carries is of the groups of its result. A group has an entry in
 * ttg.partition.stages. Operations beside the loop with its tag are of the groups, too. */
#ifndef TRI_PASSES_ANALYSIS_PARTITIONS_H
#define TRI_PASSES_ANALYSIS_PARTITIONS_H

#include "ir/op.h"

#define TRI_PARTITIONS_OF "ttg.partition"
#define TRI_PARTITIONS_OUTPUTS "ttg.partition.outputs"
#define TRI_PARTITIONS_STAGES "ttg.partition.stages"
#define TRI_PARTITIONS_TAG "ttg.warp_specialize.tag"

enum { TRI_PARTITIONS_MAX = 64 };
#define TRI_PARTITIONS_ALL UINT64_MAX

/* A bit for each group; all of an operation that says nothing. */
uint64_t tri_partitions_of(MlirOperation op);
uint64_t tri_partitions_of_result(MlirOperation op, intptr_t i);
/* Of a result, or of an argument of a loop's body. */
uint64_t tri_partitions_of_value(MlirValue value);
/* Those that need an operand: of the result that it becomes, or of its operation. */
uint64_t tri_partitions_of_use(MlirOperation op, intptr_t operand);
void tri_partitions_set(MlirOperation op, uint64_t partitions);
/* Says whose the last result of a loop is, which was appended; the loop and its yields are of these groups, too. */
void tri_partitions_append_output(MlirOperation loop, uint64_t partitions);

/* Groups of a loop: entries of its stages; 0: it is not split. */
int tri_partitions_count(MlirOperation loop);
/* Do the attributes of a loop and of what stands in it fit each other? Reports. */
bool tri_partitions_check(tri_diag *diag, MlirOperation loop);

/* Shared memory, not swizzled, by which a tensor goes from one group to another. */
MlirType tri_partitions_buffer(MlirType tensor, bool is_mutable);
/* One buffer of a ring, as those who fill it see it. */
MlirType tri_partitions_slot(MlirType ring);
/* Scales in the tensor memory of Blackwell, which have no ring: one buffer. */
bool tri_partitions_is_scales(MlirType buffer);
/* !nvws.aref<[RING, ...]> */
MlirType tri_partitions_reference(size_t n, const MlirType *rings);
/* Warps around an operation: of what it stands in, or of the module. */
int32_t tri_partitions_warps_at(MlirOperation op);

#endif
