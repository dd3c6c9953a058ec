/* ttgir -> LLVM IR for every GPU family: one walk over the operations in order.
 *
 * A value of the kernel becomes an array of LLVM values, what one thread holds of it: a scalar has
 * one, a tensor one per register of its layout, a memory descriptor its base pointer and then one
 * element offset per dimension of its allocation, a token none. Everything that depends on the
 * machine is asked of the family's table of primitives (machine.h).
 *
 * How to add an operation: a row {"dialect.op", function} in the `tri_gpu_ops_<kind>` table of
 * the file that its kind belongs to, or in a table of the family whose own it is (tri_machine.ops), which is
 * looked up first; and a case in tests/targets/. */
#ifndef TRI_TARGETS_GPU_GPU_H
#define TRI_TARGETS_GPU_GPU_H

#include "base/map.h"
#include "ir/op.h"
#include "ir/unit.h"
#include "layout/plan.h"
#include "targets/gpu/machine.h"
#include "targets/library.h"
#include "targets/target.h"

#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"

/* What a thread holds of one value. */
typedef struct {
    int count;
    LLVMValueRef *at;
} tri_gpu_value;

/* A layout of a tensor type, made once. */
typedef struct {
    tri_linear linear;     /* register, lane, warp, block -> dims */
    tri_plan_replicas replicas;
    int registers;
} tri_gpu_layout;

/* The warps that run the code being lowered: all of the block, or some of them, which then run other code than the
 * rest. Threads and warps are numbered from its first one. What is made of its threads' numbers is kept here. */
typedef struct {
    int first_warp, num_warps;
    int barrier;             /* number of its own barrier; TRI_GPU_ALL_WARPS: it is the whole block */
    LLVMBasicBlockRef entry; /* thread numbers are made here; it ends when the group's code is complete */
    LLVMValueRef thread, lane, warp;
    LLVMValueRef block_rank;   /* of the block in its cluster */
    LLVMValueRef uniform_warp; /* `warp`, known to be the same for all lanes */
    LLVMValueRef shared;     /* base of the shared memory that offsets count from, addrspace 3 */
    tri_map coordinates;     /* tri_gpu_layout * -> LLVMValueRef[TRI_MAX_RANK] of register 0; null until asked */
} tri_gpu_group;

enum { TRI_GPU_ALL_WARPS = -1 };

/* A place where threads' numbers are made anew: a block for them, and the one that goes on. */
typedef struct tri_gpu_renewal {
    LLVMBasicBlockRef numbers, rest;
    struct tri_gpu_renewal *outer; /* made before; or null */
} tri_gpu_renewal;

typedef struct tri_gpu_debug tri_gpu_debug;

typedef struct tri_gpu {
    tri_unit *unit;
    tri_arena *arena;
    const tri_machine *machine;
    int arch;                  /* number of unit->arch */
    tri_plan_machine plan;     /* what layout plans may use */
    int num_ctas;              /* blocks of a cluster, which runs one program */
    int num_warps;             /* of the function's block: those of all groups */
    int most_warps;            /* of a block with partitions */
    int default_warps;         /* that run kernels from their start; fewer where some only run partitions */
    int warp_size;
    LLVMContextRef llvm;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i16, i32, i64, f32;
    tri_map ops;               /* name -> const tri_gpu_op * */
    tri_map values;            /* MlirValue.ptr -> tri_gpu_value * */
    int64_t made, max_made;    /* values of a thread so far, and of a kernel at most */
    tri_map layouts;           /* MlirType.ptr -> tri_gpu_layout * */
    tri_map functions;         /* symbol -> LLVMValueRef */
    tri_gpu_debug *debug;      /* null without -g and -lineinfo */
    struct tri_axis_info *axis; /* of the module */
    struct tri_pointers *pointers;
    bool needs_scratch;        /* some function uses global scratch memory */
    LLVMValueRef shared_global; /* the kernel's shared memory; null when there is none */

    bool simulate;             /* emit for the simulator (simulate.h) */
    bool may_fuse;             /* products and sums that follow may become one operation */
    bool keeps_subnormals;     /* exp2 does, too */
    unsigned release;          /* of Triton, whose texts are asked for: 306 is 3.6; 0: ours */
    LLVMValueRef simulate_function, simulate_frame;
    tri_library_calls externs; /* functions that the module calls and does not define */

    /* of the function being lowered */
    MlirOperation op;          /* the operation at hand */
    MlirOperation func;
    LLVMValueRef function;
    LLVMBasicBlockRef entry;   /* its variables stand here; it ends when the function is complete */
    tri_gpu_group *group;      /* that runs what is lowered now */
    tri_gpu_renewal *renewals; /* the last one; null: none */
    tri_gpu_group *whole;      /* of all warps, of a kernel with partitions (partitions.c) */
    LLVMBasicBlockRef first_workers,
        workers; /* the code of warps that are not the default's: its start, its end so far */
    LLVMValueRef is_default_warp;
    LLVMBasicBlockRef front;   /* block in front of the outermost loop around `op`; null outside of loops */
    bool is_kernel;
    bool has_shared_readers;   /* some unit reads shared memory by itself */
    size_t products;           /* tt.dot in it, where the machine converts bf16 */
    bool has_row_copies;       /* copies fill shared memory, for which waits count instructions */
    tri_map blocks;            /* MlirBlock.ptr -> LLVMBasicBlockRef */
    tri_map words;             /* element -> const tri_gpu_word *: what it was taken out of, where somebody noted it */
    LLVMValueRef scratch;      /* base of this program's global scratch; null when there is none */
    LLVMValueRef maps, maps_given; /* tensor maps of the launcher, and whether there are any; null: it makes none */
    int64_t exchange_bytes;    /* shared memory that machines without shuffles need besides the planned part */
} tri_gpu;

/* An element as it came: a part (0 is the low one) of a word of a vector. */
typedef struct {
    LLVMValueRef vector;
    int word, part, parts;
} tri_gpu_word;

/* One value of one register; `args` has one value per operand. */
typedef LLVMValueRef (*tri_gpu_scalar)(tri_gpu *g, MlirOperation op, LLVMValueRef *args);

typedef struct tri_gpu_op {
    const char *name;
    bool (*run)(tri_gpu *g, MlirOperation op); /* false after a report */
    tri_gpu_scalar scalar;                     /* or: register by register; `run` is null */
} tri_gpu_op;

/* As a row of a table with `scalar` is run. */
bool tri_gpu_run_scalar(tri_gpu *g, MlirOperation op, tri_gpu_scalar scalar);

/* Tables of the op files; each ends with a null name. */
extern const tri_gpu_op tri_gpu_ops_arith[];
extern const tri_gpu_op tri_gpu_ops_math[];
extern const tri_gpu_op tri_gpu_ops_cast[];
extern const tri_gpu_op tri_gpu_ops_creation[];
extern const tri_gpu_op tri_gpu_ops_shape[];
extern const tri_gpu_op tri_gpu_ops_memory[];
extern const tri_gpu_op tri_gpu_ops_atomic[];
extern const tri_gpu_op tri_gpu_ops_reduce[];
extern const tri_gpu_op tri_gpu_ops_convert[];
extern const tri_gpu_op tri_gpu_ops_control[];
extern const tri_gpu_op tri_gpu_ops_function[];
extern const tri_gpu_op tri_gpu_ops_debug[];
extern const tri_gpu_op tri_gpu_ops_dot[];
extern const tri_gpu_op tri_gpu_ops_local[];
extern const tri_gpu_op tri_gpu_ops_scan[];
extern const tri_gpu_op tri_gpu_ops_gather[];
extern const tri_gpu_op tri_gpu_ops_extern[];
extern const tri_gpu_op tri_gpu_ops_indexed[];
extern const tri_gpu_op tri_gpu_ops_partitions[];

/* The two entry points that families use. */
bool tri_gpu_lower(tri_unit *unit, const tri_machine *machine);
/* What is of one function of the module: only kernels with partitions have warps for them. */
void tri_gpu_choose_function(tri_gpu *g, MlirOperation func);
/* Most registers per thread that the user or the source asks for; 0: any number. */
int tri_gpu_maxnreg(const tri_gpu *g, tri_str symbol);
/* Waves of a SIMD unit that the options, or the kernel itself, ask for; 0: none does. */
int tri_gpu_waves_per_eu(const tri_gpu *g, tri_str symbol);
/* Appends "convert-triton-to-tritongpu{...}" with this unit's launch shape. */
void tri_gpu_conversion_pass(const tri_unit *unit, tri_buf *out);
/* Append the passes common to GPU families: ttir to simpler ttir, ttir to final ttgir (pipeline.c). */
void tri_gpu_ttir_pipeline(const tri_unit *unit, tri_buf *out);
void tri_gpu_ttgir_pipeline(const tri_unit *unit, tri_buf *out);

/* ---- lower.c: values, types, blocks ---- */

/* Lowers every operation of a block, its terminator included. */
bool tri_gpu_lower_block(tri_gpu *g, MlirBlock block);
/* Reports where a function surely has too many values, before the work of making them. */
bool tri_gpu_check_size(tri_gpu *g, MlirOperation func);
bool tri_gpu_lower_op(tri_gpu *g, MlirOperation op);
/* The values of an operand; asserts that it was lowered. */
tri_gpu_value tri_gpu_get(tri_gpu *g, MlirValue value);
static inline tri_gpu_value tri_gpu_operand(tri_gpu *g, MlirOperation op, intptr_t i)
{
    return tri_gpu_get(g, mlirOperationGetOperand(op, i));
}
void tri_gpu_set(tri_gpu *g, MlirValue value, tri_gpu_value values);
static inline void tri_gpu_set_result(tri_gpu *g, MlirOperation op, intptr_t i, tri_gpu_value values)
{
    tri_gpu_set(g, mlirOperationGetResult(op, i), values);
}
/* A fresh array of `count` null values. */
tri_gpu_value tri_gpu_new(tri_gpu *g, int count);
tri_gpu_value tri_gpu_single(tri_gpu *g, LLVMValueRef value);
/* How many LLVM values a type takes, and the LLVM type of the i-th. */
int tri_gpu_count(tri_gpu *g, MlirType type);
LLVMTypeRef tri_gpu_part_type(tri_gpu *g, MlirType type, int i);
/* LLVM type of a scalar (integers, floats, pointers; fp8 is i8). */
LLVMTypeRef tri_gpu_type(tri_gpu *g, MlirType scalar);
/* Reports that an operation cannot be lowered for this target. Always false. */
bool tri_gpu_unsupported(tri_gpu *g, MlirOperation op, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Says of a product (-Rpass=dot) how many of which instruction it is, and for whom: "per warp". */
void tri_gpu_remark_dot(tri_gpu *g, MlirOperation op, int64_t count, const char *name, const char *whose);
/* Runs a combine region (reduce, scan, map) on scalar arguments; results are the terminator's operands. */
bool tri_gpu_run_region(tri_gpu *g, MlirOperation op, int num_args, LLVMValueRef *args, int num_results,
                        LLVMValueRef *out_results);

/* The same of a region of several blocks, each of which branches or returns (function.c). */
bool tri_gpu_run_blocks(tri_gpu *g, MlirOperation op, int num_args, LLVMValueRef *args, int num_results,
                        LLVMValueRef *out_results);

/* Runs a region that others do not branch out of: the blocks of the region, at the end of which its terminators'
 * operands are in `out_results` (function.c). */
bool tri_gpu_run_body(tri_gpu *g, MlirRegion region, tri_gpu_value *out_results, int num_results);

/* ---- index.c: layouts and coordinates ---- */

/* Layout of a tensor type; reports at `op` and returns null when it has none. */
tri_gpu_layout *tri_gpu_layout_of(tri_gpu *g, MlirOperation op, MlirType tensor);
LLVMValueRef tri_gpu_thread(tri_gpu *g); /* i32: number of this thread in the current group */
LLVMValueRef tri_gpu_lane(tri_gpu *g);
LLVMValueRef tri_gpu_warp(tri_gpu *g);
/* The same number as one that the machine knows to be equal in all lanes: for addresses that it takes per warp. */
LLVMValueRef tri_gpu_uniform_warp(tri_gpu *g);
/* The number of this block in its cluster, which is one program; and the program's own numbers. */
LLVMValueRef tri_gpu_block_rank(tri_gpu *g);
LLVMValueRef tri_gpu_program_id(tri_gpu *g, int axis);
LLVMValueRef tri_gpu_num_programs(tri_gpu *g, int axis);
/* Coordinate along dim of register r of this thread (i32). */
LLVMValueRef tri_gpu_coordinate(tri_gpu *g, tri_gpu_layout *layout, int reg, int dim);
/* Part of a packed output word (bits [shift, shift + bits)) that lane and warp give, as i32. */
LLVMValueRef tri_gpu_apply_thread(tri_gpu *g, const tri_linear *map, int shift, int bits);
/* XOR of basis[b] over the set bits b of an i32. */
LLVMValueRef tri_gpu_apply_value(tri_gpu *g, LLVMValueRef value, const uint64_t *basis, int bits);
/* i1: this thread owns its copy of the data (see tri_plan_replicas); null when every thread does. */
LLVMValueRef tri_gpu_owner(tri_gpu *g, const tri_plan_replicas *replicas);

/* ---- build.c: small instruction helpers ---- */

LLVMValueRef tri_gpu_i32(tri_gpu *g, int64_t value);
LLVMValueRef tri_gpu_xor_const(tri_gpu *g, LLVMValueRef x, uint64_t known_bits, uint64_t constant);
/* pointer + bytes */
LLVMValueRef tri_gpu_offset(tri_gpu *g, LLVMValueRef pointer, LLVMValueRef bytes);
LLVMValueRef tri_gpu_offset_const(tri_gpu *g, LLVMValueRef pointer, int64_t bytes);
/* and of two conditions, either of which may be null (= true). */
LLVMValueRef tri_gpu_and(tri_gpu *g, LLVMValueRef a, LLVMValueRef b);
/* Bits of a scalar LLVM type; pointers are 64. */
unsigned tri_gpu_bits(tri_gpu *g, LLVMTypeRef type);
/* Any scalar as an integer of its own width, and back. */
LLVMValueRef tri_gpu_to_int(tri_gpu *g, LLVMValueRef value);
LLVMValueRef tri_gpu_from_int(tri_gpu *g, LLVMValueRef value, LLVMTypeRef type);
LLVMBasicBlockRef tri_gpu_block(tri_gpu *g, const char *name); /* appended to the function */
void tri_gpu_at_end(tri_gpu *g, LLVMBasicBlockRef block);
/* Elements as one vector, and out of one. What a vector gave is noted (tri_gpu.words): put together again in the same
 * order it is that vector. Words of `parts` elements are integers. */
LLVMValueRef tri_gpu_join(tri_gpu *g, LLVMValueRef *elements, int count, int parts);
void tri_gpu_split(tri_gpu *g, LLVMValueRef vector, LLVMValueRef *out_elements);
void tri_gpu_note_word(tri_gpu *g, LLVMValueRef element, tri_gpu_word word);
/* Inside of loops, goes in front of them; to return, tri_gpu_at_end with the block that it gives. */
LLVMBasicBlockRef tri_gpu_enter_front(tri_gpu *g);
/* Opens `if (cond)`; close with tri_gpu_end_if, which joins. */
typedef struct {
    LLVMBasicBlockRef before, join;
} tri_gpu_if;
tri_gpu_if tri_gpu_begin_if(tri_gpu *g, LLVMValueRef cond);
void tri_gpu_end_if(tri_gpu *g, tri_gpu_if state);
/* Call of an LLVM intrinsic by name with overload types. */
LLVMValueRef tri_gpu_intrinsic(tri_gpu *g, const char *name, LLVMTypeRef *overloads, int num_overloads,
                               LLVMValueRef *args, int num_args);
LLVMValueRef tri_gpu_intrinsic_same(tri_gpu *g, const char *name, LLVMValueRef *args, int num_args);
/* Marks a floating-point operation as contractible unless options forbid it. */
LLVMValueRef tri_gpu_contract(tri_gpu *g, LLVMValueRef value);

/* ---- group.c: groups of warps and their barriers ---- */

/* cluster.c: whether the module's operations are such that blocks of a cluster can do. False after a report. */
bool tri_gpu_check_cluster(tri_gpu *g);

/* Behind a loop of products that others follow, in a function of one block, on machines that want it
 * (tri_machine.renews_threads); where all is lowered, the blocks for the numbers are ended. */
void tri_gpu_renew_threads(tri_gpu *g, MlirOperation loop);
void tri_gpu_end_renewals(tri_gpu *g);
/* A group of `num_warps` warps from `first_warp`, whose numbers are made in `entry`. */
tri_gpu_group *tri_gpu_new_group(tri_gpu *g, int first_warp, int num_warps, int barrier, LLVMBasicBlockRef entry);
/* All threads of the group, or of each of its warps; orders shared memory. */
void tri_gpu_barrier(tri_gpu *g, tri_sync sync);
/* The same for all threads of the group, and orders global memory inside the block. */
void tri_gpu_barrier_global(tri_gpu *g);
/* i1: whether any thread of the group brought true; null when the machine has no such barrier. */
LLVMValueRef tri_gpu_barrier_or(tri_gpu *g, LLVMValueRef vote);

/* ---- shared.c: shared memory and exchange between threads ---- */

/* Pointer to shared memory at `offset` bytes. */
LLVMValueRef tri_gpu_shared_at(tri_gpu *g, int64_t offset);
void tri_gpu_shared_store(tri_gpu *g, LLVMValueRef pointer, LLVMValueRef *values, int count, LLVMValueRef pred);
void tri_gpu_shared_load(tri_gpu *g, LLVMValueRef pointer, LLVMTypeRef type, int count, LLVMValueRef *out_values);
/* The value that lane (lane ^ mask) holds; any scalar type. */
LLVMValueRef tri_gpu_shuffle_xor(tri_gpu *g, LLVMValueRef value, uint32_t mask);
LLVMValueRef tri_gpu_shuffle_index(tri_gpu *g, LLVMValueRef value, LLVMValueRef lane);

/* ---- convert.c ---- */

/* Moves `count` tensors (replaced in `values`) from layout src to dst, through the scratch memory of op
 * where that is needed: one behind the other, each rounded up to 16 bytes. */
bool tri_gpu_convert(tri_gpu *g, MlirOperation op, const tri_linear *src, const tri_linear *dst, int count,
                     tri_gpu_value *values);
/* ... of an operation's operand to the layout of its result. */
bool tri_gpu_run_convert(tri_gpu *g, MlirOperation op);
/* Whether a conversion is left to the product that alone reads it, whose registers hold what is not converted then. */
bool tri_gpu_converts_late(const tri_gpu *g, MlirOperation op);
/* Registers as such a conversion makes them; an even number of neighbours is best. False after a report. */
bool tri_gpu_convert_floats(tri_gpu *g, MlirOperation op, tri_gpu_value in, LLVMValueRef *out);
/* "allocation.offset" of an op, or -1. */
int64_t tri_gpu_scratch_offset(MlirOperation op);

/* ---- debug.c ---- */

tri_gpu_debug *tri_gpu_debug_create(tri_gpu *g);
void tri_gpu_debug_function(tri_gpu *g, MlirOperation func, LLVMValueRef function);
void tri_gpu_debug_at(tri_gpu *g, MlirLocation location);
void tri_gpu_debug_finish(tri_gpu *g);

#endif
