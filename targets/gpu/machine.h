/* Machine primitives: what a GPU family offers beyond plain LLVM instructions.
 *
 * targets/gpu/primitives.def lists the primitives that the shared lowering knows; a family's
 * machine.def has one row per primitive that it offers: how it is emitted, what it needs, and the
 * simulator function that does the same. The lowering never writes inline assembly itself and
 * never asks which family it is: it asks whether a primitive exists. */
#ifndef TRI_TARGETS_GPU_MACHINE_H
#define TRI_TARGETS_GPU_MACHINE_H

#include "base/str.h"

#include "llvm-c/Types.h"

struct tri_gpu;
struct tri_library_job;

typedef enum {
#define X(name, signature, meaning) TRI_MACHINE_##name,
#include "targets/gpu/primitives.def"
#undef X
    TRI_MACHINE_COUNT
} tri_machine_id;

typedef enum {
    TRI_MACHINE_ABSENT,
    TRI_MACHINE_INTRINSIC, /* text: intrinsic name; operands: i32 constants added behind the arguments, "0,32" */
    TRI_MACHINE_ASM,       /* text: assembly with $0..; operands: constraints */
    TRI_MACHINE_CALL,      /* text: function; operands: constants likewise, and "i64:" in front when it returns i64 */
    TRI_MACHINE_TEMPLATE,  /* text: assembly with {pred} {mod} {vec} {bits} {regs} {addr}, see tri_machine_access */
} tri_machine_how;

enum {
    TRI_MACHINE_PURE = 1,       /* no memory effect, may be merged and moved */
    TRI_MACHINE_CONVERGENT = 2, /* must not be moved into or out of control flow */
    TRI_MACHINE_MEMORY = 4,     /* asm: touches memory that no operand names */
    TRI_MACHINE_NORETURN = 8,
};

typedef struct {
    tri_machine_how how;
    const char *text;
    const char *operands;
    int flags;
    int min_arch;
    const char *sim; /* function of the simulator, or null: the plain LLVM instruction is simulated */
} tri_machine_row;

/* The table of a family, indexed by primitive, and the facts that are no calls. */
typedef struct {
    const tri_machine_row *rows; /* TRI_MACHINE_COUNT of them */
    unsigned kernel_convention;  /* LLVM calling convention of kernels and of device functions */
    unsigned function_convention;
    const char *triple, *data_layout;
    /* Text of access modifiers, indexed by the attributes' enums; null where there is none. */
    const char *load_cache[8], *store_cache[8], *evict[4];
    const char *volatile_modifier, *global_suffix, *shared_suffix;
    const char *scopes[4];       /* LLVM synchronisation scopes of gpu (1), cta (2), sys (3) */
    const char *library_prefix;  /* of the device's function library; null: it has none */
    bool (*link)(const struct tri_library_job *job); /* that library, and those of the user; null: only those */
    bool shared_is_dynamic;      /* size given at launch; else a static buffer of the module */
    /* Attributes that tell the launch shape to the back end. */
    void (*kernel_attributes)(struct tri_gpu *g, LLVMValueRef function);
} tri_machine;

const char *tri_machine_name(tri_machine_id id);
/* Whether the family has the primitive on this architecture. */
bool tri_machine_has(const struct tri_gpu *g, tri_machine_id id);
/* Calls it; null for void ones. A primitive that does not exist is our bug. */
LLVMValueRef tri_machine_call(struct tri_gpu *g, tri_machine_id id, LLVMValueRef *args, int num_args);

/* A templated memory access. */
typedef struct {
    LLVMValueRef pointer;
    LLVMTypeRef word;      /* i8, i16, i32 or i64 */
    int words;             /* 1, 2, 4, 8 */
    LLVMValueRef pred;     /* null: always */
    const char *modifiers; /* ".ca", ".L1::evict_first", ... or "" */
} tri_machine_access;

/* `other` (null: undefined) are the results when the predicate is false. */
void tri_machine_load(struct tri_gpu *g, tri_machine_id id, const tri_machine_access *access,
                      LLVMValueRef *other, LLVMValueRef *out_words);
void tri_machine_store(struct tri_gpu *g, tri_machine_id id, const tri_machine_access *access, LLVMValueRef *words);

/* atom: `operation` replaces {op} ("add.u32"), `modifiers` {mod} (".acq_rel.gpu"). `values` are one or two
 * operands (compare, new) of access->words words each. The old words go to `out_words`, which nobody wants of
 * atomic_rmw_none; they are undefined when the predicate is false. */
void tri_machine_atomic(struct tri_gpu *g, tri_machine_id id, const tri_machine_access *access, const char *operation,
                        LLVMValueRef *values, int num_values, LLVMValueRef *out_words);

/* A matrix product that a warp group starts and does not wait for: acc (+)= a * b. */
typedef struct {
    int n;                       /* columns of the result; it has 64 rows */
    int num_acc;
    LLVMValueRef acc[128];       /* words: in and out */
    const LLVMValueRef *a_words; /* A in four registers, or null: */
    LLVMValueRef a, b;           /* descriptors of shared memory, i64 */
    LLVMValueRef scale;          /* i1: false drops the old accumulators */
    bool trans_a, trans_b;       /* the operand's K is not its fastest dimension */
} tri_machine_product;

void tri_machine_multiply(struct tri_gpu *g, tri_machine_id id, tri_machine_product *product);

/* A primitive with a constant {n} that the machine orders registers by: wgmma_wait is over before anything reads
 * `values`, wgmma_fence follows everything that writes them. They are replaced by what is ordered. */
void tri_machine_tie(struct tri_gpu *g, tri_machine_id id, int constant, int count, LLVMValueRef *values);

/* Private to machine*.c. */
LLVMValueRef tri_machine_call_asm(struct tri_gpu *g, const char *text, const char *constraints, LLVMTypeRef result,
                                  LLVMValueRef *args, int n, int flags);
const char *tri_machine_letter(struct tri_gpu *g, LLVMTypeRef type);
/* Goes behind `word` when the text at *at begins with it. */
bool tri_machine_eat(const char **at, const char *word);

#endif
