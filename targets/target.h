/* Targets: a family is a table of architectures, pipelines as data, and functions that lower and emit.
 *
 * How to add one: (1) a folder targets/<family>/ whose main file ends with
 * `const tri_target tri_target_<family> = {...};`, (2) its row in targets/targets.def, and the machines that it makes
 * code for in ir/machines.def, (3) tests/targets/<family>.bats. GPU families share targets/gpu and supply a tri_machine
 * (targets/gpu/machine.h): primitives.def, the table of machine primitives, and functions. `make check-style` fails
 * when a step is missing. */
#ifndef TRI_TARGETS_TARGET_H
#define TRI_TARGETS_TARGET_H

#include "ir/machines.h"
#include "ir/unit.h"

/* What a kernel takes of the machine, besides what tri_kernel says. */
typedef struct {
    int barriers;
    bool is_dependent; /* it waits for, or lets start, another kernel: programmatic dependent launch */
    /* Blocks that one multiprocessor holds at a time, what limits them, and the part of its warps that they are;
     * 0 blocks: not known for this architecture. Without the number of registers it is an upper bound. */
    int blocks, percent;
    int lanes; /* of a warp, where machines differ in it; 0: not said */
    const char *limit;
} tri_resources;

/* What an object for the host holds of a family's code. */
typedef enum {
    TRI_OBJECT_NONE,
    TRI_OBJECT_CODE,   /* the code itself: it is the host's assembly */
    TRI_OBJECT_IMAGES, /* binaries and code as data, which a driver loads */
} tri_object_form;

typedef struct tri_target {
    const char *family; /* "nvptx": its architectures are the rows of ir/machines.def that name it */
    const char *help;
    /* One unit for several architectures: does -arch=A,B name such? Null: each has a unit of its own. Reports. */
    bool (*accepts_list)(tri_diag *diag, tri_str archs);
    /* Reports options that do not suit the unit's architecture. Null: those for CPUs do not. */
    bool (*check_options)(tri_unit *unit);
    int default_warps, default_stages;
    bool keeps_variables; /* with -g -O0, for a debugger */
    bool has_no_asserts; /* its devices have no way to report a failed device_assert */
    /* Passes as text for tri_passes_run; a row may depend on the arch and options, so they are
     * made by a function into `out`. Null: the family has no such stage. */
    void (*ttir_pipeline)(const tri_unit *unit, tri_buf *out);
    void (*ttgir_pipeline)(const tri_unit *unit, tri_buf *out);
    /* ... how many warps of how many lanes run a block, from those that the options say; null: so many. */
    void (*share_block)(const tri_unit *unit, int *warps, int *lanes);
    void (*linalg_pipeline)(const tri_unit *unit, tri_buf *out); /* ttir -> linalg, in the place of ttgir */
    bool prints_mlir19; /* linalg is written as MLIR 19 spells it; read are both spellings */
    /* ttgir (or linalg, or ttir when there is no such stage) -> llir, unoptimised LLVM passes excluded. */
    bool (*lower)(tri_unit *unit);
    /* llir as it is printed by -emit=llir is after this: the family's LLVM pipeline. */
    bool (*optimize)(tri_unit *unit);
    /* What the family writes, by the names of driver/phases.def; each with a help line for the phase that makes it.
     * llir -> `code` (ptx, spirv, asm) in unit->bytes. */
    const char *code_kind, *code_help;
    bool (*emit)(tri_unit *unit);
    /* `code` as LLVM's target triples name it: "nvptx64", of which the input of llir is known. */
    const char *triple;
    /* code -> llir, which it may have been; null: it cannot be read. */
    bool (*read_code)(tri_unit *unit);
    /* code -> binary ("cubin"); null: none. `tool` was found by the driver or is empty. */
    const char *binary_kind, *binary_help;
    const char *binary_tool; /* the program that makes it, when there is one */
    bool (*assemble)(tri_unit *unit);
    /* The command that does so, for a shell, from a file to a file; null: none is told. */
    tri_str (*assemble_command)(tri_unit *unit, tri_str input, tri_str output);
    /* binary -> text for people; null: none. */
    const char *listing_kind, *listing_help;
    bool (*list)(tri_unit *unit, tri_buf *out);
    /* How names of -arch= start, and how the same names start when only `code` is meant ("sm_", "compute_"); null: no
     * name means that. */
    const char *arch_prefix, *code_prefix;
    bool keeps_code; /* objects hold it beside each binary: drivers refuse binaries of other releases */
    /* An image as it lies in objects; null: as it is. */
    void (*wrap_image)(const tri_unit *unit, tri_str image, bool is_code, tri_buf *out);
    const char *image_section; /* of objects; null: none of its own */
    /* The text form of code that is not text, and back; null: it is. */
    const char *text_kind, *to_text_help, *from_text_help;
    bool (*to_text)(tri_unit *unit, tri_buf *out);
    bool (*from_text)(tri_unit *unit);
    /* The architecture that code says it is for; null: it cannot say one, and the default is meant. */
    tri_str (*arch_of_code)(tri_str code);
    /* Does lowering take tt.descriptor_* operations, so that no pass rewrites them? */
    bool lowers_descriptors;
    /* --resource-usage. Null: there is nothing to count. `code` is the text that `emit` made; measure fills in
     * registers and spills of the kernels, with a tool that may be missing (then they stay unknown). */
    bool (*measure)(tri_unit *unit, tri_str code);
    tri_resources (*resources)(const tri_unit *unit, const tri_kernel *kernel, tri_str code);
    tri_object_form object_form;
    /* Of a family whose objects hold images: what launches them, and its number in include/tritcc/launch.h. */
    const char *launchers[2]; /* "tri_rt_cuda_backend"; families of one kind have the same, and stand together */
    int device_kind;
    bool tells_sizes; /* its launcher wants the sizes of arguments */
    bool is_npu;      /* ... and tri_rt_npu of each variant */
    /* What the simulator knows of the family beyond the shared primitives; null: nothing. */
    const struct tri_sim_family *simulator;
    /* ... what its own passes make of LLVM IR that the simulator will run, which is the host's; null: it has none that
     * would show there. */
    bool (*optimize_simulated)(tri_unit *unit);
} tri_target;

size_t tri_targets_count(void);
const tri_target *tri_targets_at(size_t i);
/* Finds an -arch= value; reports an unknown one with the nearest. Of a list "A,B" the first counts, and the
 * others must be in objects too. Sets both or neither. */
bool tri_targets_find(tri_diag *diag, tri_str arch, const tri_target **out_target, const tri_machine_facts **out_arch);

/* One family's or architecture's share of an -arch= list, for which a unit is compiled. */
typedef struct {
    const tri_target *target;
    const tri_machine_facts *arch;
    tri_str archs; /* as in -arch=; of the host's processors all that are in the list */
    bool has_binary, has_code; /* what objects hold of a device's */
} tri_target_share;

typedef TRI_VEC(tri_target_share) tri_target_shares;

/* The shares of a list, in order. One architecture alone stands for binary and code, as for nvcc. False after a report.
 */
bool tri_targets_split(tri_arena *arena, tri_diag *diag, tri_str list, tri_target_shares *out);
/* Can the shares of a list be one object? Reports; two ways to code for the host can not. */
bool tri_targets_check_object(tri_diag *diag, tri_str list, const tri_target_shares *shares);

/* Do the unit's options suit its target? Reports. */
bool tri_targets_check_options(tri_unit *unit);

#endif
