/* Facts about one compiled kernel that outlive the phases: they become the header, the launcher's
 * table and -emit=json. They travel inside every stage's text as the function attribute
 * `tritcc.kernel` (a dictionary) in ttir and ttgir, as the named metadata !tritcc.kernels in llir
 * and as a comment in ptx, so that a run that starts there writes the same object. */
#ifndef TRI_IR_KERNEL_H
#define TRI_IR_KERNEL_H

#include "base/diag.h"
#include "base/vec.h"

#include "mlir-c/IR.h"

/* Arrays of fewer bytes are small: offsets into them have 31 bits. */
#define TRI_SMALL_BYTES (INT64_C(1) << 31)

/* For a debugger a helper carries its arguments that are compile-time constants, parameter -> Python spelling. */
#define TRI_CONSTANT_ARGUMENTS "tritcc.constants"

/* One source parameter, constexpr ones included, in source order. */
typedef struct {
    tri_str name;
    tri_str type;        /* signature spelling: "*fp32", "*kfp16", "i32", "fp32", "tensordesc<...>"; "constexpr" */
    tri_str value;       /* constexpr: Python spelling of the value */
    int32_t divisibility; /* 0: no hint */
    bool is_small;       /* a pointer to less than TRI_SMALL_BYTES, on which the code relies */
    bool is_constexpr;
    bool is_read_only;   /* pointer never stored through */
    tri_str passed_type; /* constexpr: an argument of this type whose value the code was specialised for; empty: none */
} tri_kernel_param;

typedef struct tri_kernel {
    tri_str name;   /* source name = symbol */
    tri_str symbol; /* symbol in the device code */
    TRI_VEC(tri_kernel_param) params;
    int32_t num_warps, num_stages, num_ctas, maxnreg;
    /* AMD's: waves of a SIMD unit, rows of mfma, instructions that one access feeds; 0: not given */
    int32_t waves_per_eu, matrix_size, k_pack;
    bool launch_pdl; /* may start before the kernel in front of it ends (tt.grid_dependency_wait waits for it) */
    bool launch_cooperative; /* all programs are on the device at once */
    tri_str grid; /* that the launcher computes: words in postfix order, ';' between dimensions; empty: none */
    /* what the launcher computes to choose among forms: "NAME VALUE word word ...", joined by ';': this form is the one
     * for which each NAME has this VALUE; empty: none. A NAME is a constant parameter. */
    tri_str heuristics;
    /* tensor maps that the launcher makes: behind its other arguments the code takes 128 bytes for each, by value, and
     * a 32-bit number that is 0 where they could not be made. "$A ELEMENT BYTES SWIZZLE FILL; OFFSET; BOX; SIZES;
     * STRIDES", joined by '|': of the code's argument A, what cuTensorMapEncodeTiled takes; offsets in elements,
     * strides in bytes from the second dimension on. Numbers are words in postfix order, those of a list with ','
     * between them: "$A:BITS" is an argument of the code, "int32" and "natural" check that the number is one. Empty:
     * none. */
    tri_str maps;
    /* Few programs go through the grid: behind the source's arguments, in front of the maps, the code takes three
     * 32-bit numbers, the caller's grid, and is launched on one of one dimension. */
    bool is_persistent;
    bool maps_for_scratch;   /* with maps given the code takes no scratch memory */
    tri_str key;             /* of configurations: parameters whose values choose one, "M,N"; empty: none */
    int32_t config;          /* 1 + the number of the autotune configuration, where each has been compiled; 0: none */
    int64_t shared_bytes;          /* static + dynamic, 0 on targets without */
    int64_t scratch_bytes;         /* global scratch per program */
    int64_t scratch_alignment;
    int64_t lock_start;            /* NPUs: the value of each lock at the start */
    int32_t lock_count;
    bool is_vector;                /* ... only vector cores run it */
    int32_t registers, spill_bytes; /* -1: not known */
    tri_span at; /* where the source has it, when it was lowered here */
    int64_t expected_ns; /* that a launch takes by the cost model (passes/analysis/cost.h); 0: it was not asked */
} tri_kernel;

/* Dictionary attribute of a kernel, and back. from_attr reports nothing: false means malformed. */
MlirAttribute tri_kernel_to_attr(MlirContext context, const tri_kernel *kernel);
bool tri_kernel_from_attr(tri_arena *arena, MlirAttribute attr, tri_kernel *out_kernel);
/* Parameters from the arguments of a tt.func that carries no facts (IR that others wrote): names from
 * its locations where they are there, signature types, divisibility hints. */
void tri_kernel_params_from_func(tri_arena *arena, MlirOperation func, tri_kernel *kernel);

#endif
