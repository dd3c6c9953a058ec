/* Facts of machines: what passes, front end, pipelines and lowering ask about the machine that code is made for.
 *
 * ir/machines.def has a row for each; nobody else compares a number or the name of a family to learn what one can do.
 * A new fact is a field here, with its meaning, and its value in the rows that have it: zero, false and null are "no".
 * A new machine is a row; -arch= takes it once targets/targets.def has its family. */
#ifndef TRI_IR_MACHINES_H
#define TRI_IR_MACHINES_H

#include "base/diag.h"

#include "mlir-c/IR.h"

/* What multiplies matrices, and where its operands lie. */
typedef enum {
    TRI_MMA_NONE, /* products are sums of fma */
    TRI_MMA_SYNC, /* NVIDIA: a warp, registers */
    TRI_MMA_MFMA, /* AMD: a wave of 64 */
    TRI_MMA_WMMA, /* AMD: a wave of 32 */
    TRI_MMA_DPAS, /* Intel: a sub-group */
} tri_mma_kind;

/* 8-bit floats that a kernel may name besides fp8e5 and fp8e4b15, which every machine takes. */
enum { TRI_FP8_E4NV = 1, TRI_FP8_E4B8 = 2, TRI_FP8_E5B16 = 4 };

typedef enum { TRI_PROCESSOR_NONE, TRI_PROCESSOR_X86, TRI_PROCESSOR_AARCH64, TRI_PROCESSOR_HOST } tri_processor;

typedef struct tri_machine_facts {
    /* ---- names ---- */
    const char *name;       /* value of -arch=: "sm_90a" */
    const char *alias;      /* another value of -arch= for it; null: none */
    bool is_any_device;     /* no machine of its own: drivers compile the code for theirs */
    const char *family;     /* folder of targets/ that makes its code */
    const char *backend;    /* what Triton calls it in GPUTarget: "cuda", "hip", "xpu", "cpu" */
    const char *generation; /* its maker's word for it, where the language asks: "cdna3" */
    const char *ttg_target; /* value of ttg.target: "cuda:90"; null: no ttgir stage */
    int capability;         /* NVIDIA: the number that the language's questions answer with, 90; else 0 */
    const char *cpu, *features; /* LLVM's processor and features */
    const char *help;
    const char *refusal;    /* not null: -arch= does not take it; why, and what to use */

    /* ---- shape and limits ---- */
    int lanes;              /* threads of a warp; 1: not a GPU */
    int lane_choices;       /* other numbers of lanes that it can have, as a sum of powers of two */
    int banks;              /* of shared memory, 32 bits each */
    int vector_bits;        /* widest access of one thread to memory */
    uint32_t max_shared;    /* bytes of shared memory per block; 0: not limited here */
    uint32_t max_threads;   /* threads per block */
    int max_ctas;           /* blocks of a cluster; 1: there are none */
    int max_registers;      /* of a thread; 0: they are not counted */
    int block_registers;    /* of a block */
    uint32_t unified_buffer; /* bytes that the tensors of a program may take on an NPU; 0: not limited here */
    uint32_t cube_operands, cube_sums; /* ... those that products read (L1), and make (L0C) */
    bool has_control_address; /* kernels of an NPU take the address by which its cores signal each other (FFTS) */
    bool has_threads_beside; /* an NPU whose threads load and store what is no box (SIMT beside SIMD) */
    bool has_multi_buffer;   /* what a loop copies lies there twice, so that copies overlap with work */
    int spare_shared; /* bytes per thread that a conversion may take without lowering the number of resident blocks */

    /* ---- one multiprocessor, for occupancy; 0 warps: not known ---- */
    int resident_warps, resident_blocks;
    int64_t resident_shared; /* bytes that its blocks share */
    int resident_barriers;   /* that its blocks share; 0: as many as they want */

    /* ---- speed, for estimates (passes/analysis/cost.h); 0 processors: no estimates are made ---- */
    int processors;          /* multiprocessors of the device */
    int clock_mhz;           /* of them, where nothing slows it down */
    int tensor_rate;         /* operations of 16-bit products of one in a cycle, a sum and a product being two */
    int memory_gbs, memory_latency; /* GB/s that a copy reaches; cycles until a load is there */
    int cache_rate, cache_latency;  /* the same of the cache that all share; bytes in a cycle, for all */

    /* ---- exchange between lanes and memory ---- */
    int lane_swaps;         /* AMD: numbers n, a sum: one instruction exchanges lanes i and i ^ n of two registers */
    bool has_buffers;       /* AMD: accesses by 32-bit offsets from a base, to arrays of less than 2 GiB */
    bool has_shuffles;      /* lanes of a warp read each other's registers */
    bool has_ldmatrix, has_stmatrix; /* 8x8 matrices between shared memory and a warp's registers */
    int async_copies;       /* sizes in bytes of copies from global to shared memory that run on their own, as a sum */
    int direct_to_shared;   /* the same where a whole wave gives one address: bytes per lane, a sum; 3 bits 1, 2, 4 */
    bool loads_ahead_in_registers; /* no such copies: loops hold the next iteration's blocks in registers instead */
    bool has_tma;           /* a unit that copies boxes of a descriptor */
    bool writes_maps;       /* ... and instructions that write the fields of its descriptors */
    bool has_block_loads;   /* a sub-group loads a box of two dimensions with bounds */
    bool has_late_blocks;   /* ... and all compilers for it are of 2024 or later (ir/block_io.def) */
    bool has_transposed_reads; /* AMD: reads of shared memory that transpose on the way */

    /* ---- matrix products ---- */
    tri_mma_kind mma;
    int mma_version;        /* generation of that kind. TRI_MMA_SYNC: below 2 it is not used */
    int mma_lanes;          /* lanes that its products want, where a kernel may choose; 0: `lanes` */
    int mma_depth_bits; /* bits of K that one instruction takes at least: what the language asks of tl.dot; 0: any */
    bool has_warp_groups;   /* products of four warps, from shared memory (wgmma) */
    bool has_f64_mma, has_tf32, has_fp8_mma; /* on `mma`; of fp8: worth it, else products are of f16 */
    bool has_scaled_mma;    /* products of operands of 4 to 8 bits with scales for groups of 32 of them */
    bool has_fp8_instructions; /* that convert and multiply it, worth it or not */
    bool prefers_tf32;      /* tl.dot of f32 is of tf32 unless told otherwise */
    bool carries_pointers;  /* loops carry addresses instead of offsets: its assembler does not make them */
    bool wants_prefetch;    /* operands come through registers: read the next while one product runs */
    bool has_rough_fp8_sums; /* products of fp8 add up with fewer bits than f32 unless told otherwise */

    /* ---- types ---- */
    int fp8;                /* TRI_FP8_*: those that a kernel may name */
    bool has_slow_fp8e4b15; /* tl.dot of that type deserves a warning */

    bool lacks_f64;         /* kernels may not use fp64 */

    /* ---- atomics ---- */
    bool is_atomic_add_limited;         /* the three below bind layouts; else LLVM cuts what does not fit */
    int f16_add_bits, bf16_add_bits, f32_add_bits; /* widest packed sum of floats in one instruction; 0: none */
    bool has_buffer_bf16_add;           /* AMD: buffer instructions add packs of bf16 */
    bool has_half_reduction;            /* descriptors reduce f16 and bf16 by min and max */

    /* ---- launching ---- */
    bool has_cooperative_launch;        /* all programs at the same time */
    bool has_dependent_launch;          /* programmatic dependent launch */
    bool moves_registers;   /* warps give registers to others of their block */

    /* ---- host processors ---- */
    tri_processor processor;
    int level;              /* 1..4 of x86-64, as tri_cpu_rt_level (runtime/launch) counts */
    const char *implied;    /* LLVM features of the level that code generation asks for, each with a comma behind */
} tri_machine_facts;

/* The machines of a family that -arch= takes, in the order of the table: the first is the family's default. Null
 * after the last. */
const tri_machine_facts *tri_machines_first(const char *family);
const tri_machine_facts *tri_machines_next(const tri_machine_facts *facts);
/* The row of that name whatever its family; null: none. */
const tri_machine_facts *tri_machines_named(tri_str name);

/* Facts for a value of ttg.target: its row (the one that can do most, where several have it), else that of the first
 * stand-in rule that fits. An empty one asks for the row of modules that name no machine. Null: no rule fits. */
const tri_machine_facts *tri_machines_for(tri_str ttg_target);
/* ... for an AMD GPU by its name, "gfx942". */
const tri_machine_facts *tri_machines_for_gfx(tri_str name);
/* The same for a module's ttg.target. Never null: what no rule fits was refused by tri_machines_check. */
const tri_machine_facts *tri_machines_of(MlirOperation module);
/* Does some rule fit the module's ttg.target? Reports at the module. */
bool tri_machines_check(tri_diag *diag, MlirOperation module);

#endif
