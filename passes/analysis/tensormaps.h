/* Tensor descriptors as the copy engine of the machine takes them. */
#ifndef TRI_PASSES_ANALYSIS_TENSORMAPS_H
#define TRI_PASSES_ANALYSIS_TENSORMAPS_H

#include "ir/op.h"

enum { TRI_TENSORMAP_BYTES = 128, TRI_TENSORMAP_MAX_RANK = 5 };

/* Marks a tt.make_tensor_descriptor of float32 whose map rounds to tf32. */
#define TRI_TENSORMAP_TF32 "tritcc.tf32"

/* CUtensorMapDataType of an element; -1: none. */
int tri_tensormaps_element(MlirType element);
/* The layout of the buffers that a block of a descriptor travels through when nothing asks for another: rows with the
 * widest swizzle that divides them. `block` is a ranked tensor type. */
MlirAttribute tri_tensormaps_encoding(MlirType block);
/* Whether the engine knows the descriptor's type: its block has such an encoding, and an element that the engine takes.
 */
bool tri_tensormaps_can_hold(tri_arena *arena, MlirType desc);
/* How many leading dimensions of one element a block has that the tensor loaded from it lacks (reshapes that drop them
 * are part of the load); -1 when they differ otherwise, or one dimension is all that is left, whose rows no swizzle
 * knows. */
int tri_tensormaps_dropped(MlirType block, MlirType tensor);
/* The same layout of a buffer with more or fewer leading dimensions of one element; null when it has no such form. */
MlirAttribute tri_tensormaps_with_rank(MlirAttribute encoding, int rank);
/* The buffer that a tensor goes through on its way from or to `desc`, mutable; null when there is none. */
MlirType tri_tensormaps_buffer(MlirType desc, MlirType tensor);
/* Writes the map that a tt.make_tensor_descriptor (whose type can be held) describes to `at`, a pointer to
 * TRI_TENSORMAP_BYTES of global memory, and gives the descriptor. `placed` (null: nothing) is called for each op made.
 */
MlirValue tri_tensormaps_make(tri_arena *arena, tri_builder *b, MlirOperation op, MlirValue at,
                              void (*placed)(void *data, MlirOperation made), void *data);
/* Converts the row indices (operand 1) of a gather or scatter to a layout that its instructions take, four to a thread
 * and all of a warp the same, where they have another one; of a program of one block, for so many warps. */
void tri_tensormaps_convert_rows(tri_arena *arena, MlirOperation op, int warps);
/* The bulk copy of a tt.descriptor_load or tt.descriptor_gather into `buffer`, which reports to `mbarrier`; only where
 * `pred` (i1) holds. The load stays. */
MlirOperation tri_tensormaps_start_load(tri_builder *b, MlirOperation load, MlirValue buffer, MlirValue mbarrier,
                                        MlirValue pred);

#endif
