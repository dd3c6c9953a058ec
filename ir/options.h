/* What the user asked for, as the lower layers see it: a constant view filled by the driver
 * (or by the compiler library), borrowed by every unit. */
#ifndef TRI_IR_OPTIONS_H
#define TRI_IR_OPTIONS_H

#include "base/str.h"
#include "base/vec.h"
#include "ir/file_source.h"

typedef enum { TRI_DEBUG_NONE, TRI_DEBUG_LINES, TRI_DEBUG_FULL } tri_debug_level;
/* Few programs go through the grids of tiles: attention of objects (USUAL), all kernels that can, none. */
typedef enum { TRI_PERSISTENCE_USUAL, TRI_PERSISTENCE_ON, TRI_PERSISTENCE_OFF } tri_persistence;

enum tri_sanitize { TRI_SANITIZE_ADDRESS = 1, TRI_SANITIZE_BOUNDS = 2, TRI_SANITIZE_UNDEFINED = 4 };

/* -DNAME=VALUE; the value is a Python literal, a dtype or a jit function's name. */
typedef struct {
    tri_str name;
    tri_str value;
} tri_define;

/* -extern-lib=NAME=PATH: bitcode, or LLVM IR as text, that kernels call functions of. */
typedef struct {
    tri_str name; /* what `libname` of tt.extern_elementwise says; "libdevice" stands for NVIDIA's own */
    tri_str path;
} tri_extern_lib;

typedef struct tri_options {
    const tri_file_source *files; /* null: the disk alone */
    /* front end */
    TRI_VEC(tri_str) kernels;    /* -k, in order; empty: every kernel whose types are known */
    TRI_VEC(tri_str) signatures; /* -sig */
    TRI_VEC(tri_define) defines; /* -D */
    bool check_only;             /* -fsyntax-only: kernels without types are checked as far as that goes */
    bool guess_types;            /* -fguess-types: what nothing gives is as messages suggest */
    TRI_VEC(tri_define) launch_values; /* run-time arguments whose values are known, for heuristics (tritrun) */
    TRI_VEC(tri_str) include_dirs;
    TRI_VEC(tri_str) specialize; /* -fspecialize, as given; empty: the general form of each kernel alone */
    tri_str symbol;              /* -symbol: the name of the only kernel in its code; empty: the kernel's own */
    tri_str prefix;              /* -prefix: before the names of kernels */
    tri_str grid;                /* -grid; empty: not given */
    TRI_VEC(tri_str) heuristics; /* -fheuristic: "NAME:V,V": what one may give at a launch */
    bool defer_heuristics;       /* what they ask of a launch makes a form for each value that they may give */
    bool find_grid;              /* else the file's own launch is asked for it */
    int max_eval_steps;          /* -fmax-eval-steps; 0: the default */
    int max_ops;                 /* -fmax-ops, of a kernel; 0: the default, see tri_options_max_ops */
    int config;                  /* -config=N picks one autotune config; -1: the first */
    /* launch shape; 0 = not given: the source's, else the target's default */
    int num_warps, num_stages, num_ctas, maxnreg;
    int waves_per_eu, matrix_size, k_pack; /* AMD's */
    bool launch_pdl, launch_cooperative; /* how the kernels are launched */
    /* code generation */
    tri_str arch;                /* -arch; empty: not given */
    int opt_level;               /* 0..3 */
    tri_debug_level debug;
    bool no_fp_fusion;           /* -fno-fp-fusion */
    bool no_tma;                 /* -fno-tma */
    bool no_auto_tma;            /* -fno-auto-tma */
    bool host_tensormaps;        /* -fhost-tensormaps: launchers make what tensor maps they can */
    bool no_host_tensormaps;     /* -fno-host-tensormaps: not even those of objects */
    bool no_reorder_programs;    /* -fno-reorder-programs */
    tri_persistence persistence; /* -f[no-]persistent */
    bool has_launcher;           /* the code is for a launcher of ours, which can give it another grid */
    bool no_swap_operands;       /* -fno-swap-operands */
    bool no_fit_registers;       /* -fno-fit-registers */
    bool no_block_pingpong;      /* -fno-block-pingpong */
    bool no_remove_masks;        /* -fno-remove-masks */
    bool warp_specialize;        /* -fwarp-specialize: loops that do not ask for it, too */
    bool no_warp_specialize;     /* -fno-warp-specialize: not even those */
    bool debug_asserts;          /* device_assert is kept */
    bool warn_asserts;           /* tritrun: a device_assert is left out, since the device cannot report it */
    bool no_reflect_ftz;         /* libdevice and exp2 keep subnormal float32 numbers */
    tri_str dot_precision;       /* of float32 products that name none; empty: the target's */
    bool no_overflow_checks;     /* with debug_asserts: integer arithmetic is not checked */
    unsigned sanitize;           /* -fsanitize=, of tri_sanitize */
    int openmp;                  /* 1: -fopenmp, -1: -fno-openmp, 0: neither */
    bool no_vector_library;      /* -fveclib=none */
    tri_str features;            /* -mattr: "+bf16,+i8mm"; empty: what the architecture has */
    bool simulate;               /* GPU code is made for the SIMT simulator instead of the machine */
    bool verify_each;            /* run the verifier after every pass */
    unsigned descriptor_release; /* kernels take descriptors' parts as launchers of this release pass them; 0: 307 */
    unsigned release;            /* texts are spelled as this release of Triton does: 306 is 3.6; 0: as we do */
    tri_str show_value, show_at; /* --value, --at: whose layout -emit=layout shows; empty: not given */
    bool shows_commands; /* tell the commands of programs of others that are run, and leave their files */
    /* external tools and libraries, looked up by the driver */
    tri_str ptxas;               /* the assembler itself; empty: looked for in tool_path */
    tri_str nvdisasm;            /* the disassembler itself; empty: looked for in tool_path */
    tri_str llvm_spirv;          /* SPIRV-LLVM-Translator; empty: looked for in tool_path */
    tri_str ocloc;               /* Intel's offline compiler; empty: looked for in tool_path */
    tri_str bishengir;           /* Ascend's compiler; empty: looked for in tool_path */
    TRI_VEC(tri_str) bishengir_options; /* -Xbishengir=, in order */
    tri_str tool_path;           /* PATH-like list of folders to find ptxas and the like in */
    int tool_seconds;            /* -tool-timeout: how long a program of others may run; 0: as long as it takes */
    TRI_VEC(tri_extern_lib) extern_libs; /* in order */
    tri_str libdevice;           /* file name of libdevice.10.bc; empty: none was found */
} tri_options;

/* -g -O0: for a debugger, statements run one after another and variables are kept. */
static inline bool tri_options_steps(const tri_options *options)
{
    return options->debug == TRI_DEBUG_FULL && options->opt_level == 0;
}

/* How many operations a kernel may have, at each stage. */
int64_t tri_options_max_ops(const tri_options *options);

/* As tri_file_read and tri_file_exists, with the files of the options before those on the disk. */
bool tri_options_read_file(const tri_options *options, tri_arena *arena, tri_str path, tri_str *out_text,
                           int *out_error);
bool tri_options_has_file(const tri_options *options, tri_arena *arena, tri_str path);

#endif
