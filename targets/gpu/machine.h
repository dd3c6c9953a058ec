/* Machine primitives: what a GPU family offers beyond plain LLVM instructions.
 *
 * targets/gpu/primitives.def lists the primitives that the shared lowering knows; a family's primitives.def has one
 * row per primitive that it offers: how it is emitted and what it needs; and those that only operations of its own
 * (tri_machine.ops) use. The simulator does each of them by its name. The shared lowering never writes assembly
 * and never asks which family it is: it asks whether a primitive exists. */
#ifndef TRI_TARGETS_GPU_MACHINE_H
#define TRI_TARGETS_GPU_MACHINE_H

#include "base/str.h"
#include "layout/plan.h"

#include "llvm-c/Types.h"
#include "mlir-c/IR.h"

struct tri_gpu;
struct tri_gpu_op;
struct tri_library_job;

/* Those of a family are numbered behind the shared ones: see TRI_MACHINE_OWN. */
typedef enum {
#define X(name, signature, meaning) TRI_MACHINE_##name,
#include "targets/gpu/primitives.def"
#undef X
    TRI_MACHINE_COUNT
} tri_machine_id;

typedef enum {
    TRI_MACHINE_ABSENT,
    TRI_MACHINE_INTRINSIC, /* of LLVM, by its name */
    TRI_MACHINE_CALL,      /* of a function of the device's library, by its name */
    TRI_MACHINE_FUNCTION,  /* of C, which builds it */
    TRI_MACHINE_TEXT,      /* text for the family's own operations; no call */
} tri_machine_how;

enum {
    TRI_MACHINE_PURE = 1,       /* no memory effect, may be merged and moved */
    TRI_MACHINE_CONVERGENT = 2, /* must not be moved into or out of control flow */
    TRI_MACHINE_MEMORY = 4,     /* asm: touches memory that no operand names */
    TRI_MACHINE_NORETURN = 8,
};

typedef LLVMValueRef (*tri_machine_function)(struct tri_gpu *g, LLVMValueRef *args);

/* `operands`: what an intrinsic or function is given, "" for the primitive's arguments; else a list of them ("$0", or
 * "$*" for all) and of constants, i32 or of the type in front: "-1,$0,$1,31", "$*,i1:0". "i64:" at the start when a
 * function gives i64 for an i32. */
typedef struct {
    tri_machine_how how;
    const char *text;
    tri_machine_function function;
    const char *operands;
    int flags;
    size_t needs; /* TRI_MACHINE_NEEDS of a fact, or TRI_MACHINE_ALWAYS */
} tri_machine_row;

/* A fact of the machine (ir/machines.h) without which a primitive is not there. */
#define TRI_MACHINE_NEEDS(fact) offsetof(tri_machine_facts, fact)
enum { TRI_MACHINE_ALWAYS = 0 };

/* What ROW and OWN of a primitives.def become in a family's table; `what` is text, or the function. */
#define TRI_MACHINE_ROW_INTRINSIC(what, ops, flags, needs) {TRI_MACHINE_INTRINSIC, what, NULL, ops, flags, needs}
#define TRI_MACHINE_ROW_CALL(what, ops, flags, needs) {TRI_MACHINE_CALL, what, NULL, ops, flags, needs}
#define TRI_MACHINE_ROW_FUNCTION(what, ops, flags, needs) {TRI_MACHINE_FUNCTION, NULL, what, ops, flags, needs}
#define TRI_MACHINE_ROW_TEXT(what, ops, flags, needs) {TRI_MACHINE_TEXT, what, NULL, ops, flags, needs}

typedef struct {
    const char *name, *signature;
} tri_machine_primitive;

/* ---- memory ---- */

/* A predicated access, or one that the program says more about. The numbers are those of the attributes of tt.load,
 * tt.store and tt.atomic_poll; 0: not given. The pointer's address space tells the memory. */
typedef struct {
    LLVMValueRef pointer;
    LLVMValueRef base; /* the same for all threads; the pointer is less than 2 GiB above it where pred holds. Or null */
    LLVMTypeRef word;  /* i8, i16, i32 or i64 */
    int words;         /* 1, 2, 4, 8 */
    LLVMValueRef pred; /* null: always */
    bool is_volatile;
    int cache, evict;
    int sem, scope;    /* it is ordered as an atomic operation */
} tri_machine_access;

/* An atomic update of `vec` elements that lie side by side: old <- [pointer] op value, or compared and exchanged.
 * The numbers are those of tt.atomic_rmw; sem 0: relaxed, inside of the block. */
typedef struct {
    LLVMValueRef pointer, pred; /* pred null: always */
    LLVMValueRef base;          /* as tri_machine_access has it */
    bool is_cas, has_users;
    int kind, sem, scope, vec;
    LLVMValueRef *compare, *value;
} tri_machine_update;

enum { /* kind */
    TRI_RMW_AND = 1, TRI_RMW_OR, TRI_RMW_XOR, TRI_RMW_ADD, TRI_RMW_FADD, TRI_RMW_MAX, TRI_RMW_MIN, TRI_RMW_UMAX,
    TRI_RMW_UMIN, TRI_RMW_XCHG
};
enum { TRI_SEM_RELAXED = 1, TRI_SEM_ACQUIRE, TRI_SEM_RELEASE, TRI_SEM_ACQ_REL };
enum { TRI_SCOPE_GPU = 1, TRI_SCOPE_CTA, TRI_SCOPE_SYS };

/* The source's own assembly, called once: `results` are made up as null values and replaced. */
typedef struct {
    MlirOperation op;
    tri_str text, constraints;
    LLVMValueRef *args, *results;
    int num_args, num_results;
} tri_machine_assembly;

/* ---- families ---- */

/* The table of a family, and the facts that are no calls. What is null is not there. */
typedef struct tri_machine {
    const tri_machine_row *rows; /* by number: the shared ones, then its own */
    const tri_machine_primitive *own;
    int num_own;
    /* Operations that it lowers itself, looked up before the shared ones: a list of tables, ended by null. */
    const struct tri_gpu_op *const *ops;

    unsigned kernel_convention;  /* LLVM calling convention of kernels and of device functions */
    unsigned function_convention;
    const char *triple, *data_layout;
    const char *scopes[4];       /* LLVM synchronisation scopes, by TRI_SCOPE_ */
    const char *library_prefix;  /* of the device's function library */
    bool (*link)(const struct tri_library_job *job); /* that library, and those of the user; null: only those */
    bool bf16_is_bits;           /* LLVM's back end has no bfloat values: they are i16, arithmetic is done in f32 */
    /* A float to the bits of the nearest bf16, or back. Null, or null for this number: integers do it. */
    LLVMValueRef (*convert_bf16)(struct tri_gpu *g, LLVMValueRef x);
    bool inlines_all;            /* a compiler of OpenCL may lack the thread's number inside of functions */
    bool first_by_lane;          /* the first thread is that of lane 0 of warp 0: a compiler of OpenCL that sees the
                                    number compared with 0 lets this thread alone take part in exchanges before that */
    int packed_bits;             /* loops carry elements of 8 to so many bits in words, for registers have no parts that
                                    small, and operands of the matrix unit of up to 16; 0: none */
    int lane_row;                /* lanes that exchange without shared memory, where a value of a known lane elsewhere
                                    is read as a scalar; 0: exchanges cost the same everywhere */
    bool renews_threads;         /* behind loops of products threads' numbers go through an exchange: a compiler that
                                  * makes an address of each of shared memory's elements keeps no two loops' at once */
    int joined_sums;             /* sums of the matrix unit go around loops, and come out of branches, in vectors of so
                                    many; 0: one by one */
    int product_cost;            /* operations (-fmax-ops) that a multiply-add of tt.dot counts as where a product is
                                  * large: LLVM's back end takes time by the square of their number; 0: none */
    bool carries_offsets;        /* and pointers into small arrays as offsets of 32 bits from their base */
    bool converts_late;          /* 8-bit floats become operands of matrix instructions where one reads them */
    bool orders_updates;         /* atomic instructions carry their ordering; else fences stand around relaxed ones */
    bool shared_is_dynamic;      /* size given at launch; else a static buffer of the module */
    const char *shared_reader;   /* operation whose unit reads shared memory by itself, behind fence_async */
    tri_encoding_kind shared_reader_layout; /* of the buffers that it reads */
    /* Attributes that tell the launch shape to the back end. */
    void (*kernel_attributes)(struct tri_gpu *g, LLVMValueRef function);
    /* The parameter that holds so many tensor maps of the launcher; null: no kernel has one. */
    void (*maps_attributes)(struct tri_gpu *g, LLVMValueRef function, unsigned param, int count);

    /* Accesses; null: branches around plain ones. `other` (null: undefined) are the results when the predicate is
     * false. */
    void (*load)(struct tri_gpu *g, const tri_machine_access *access, LLVMValueRef *other, LLVMValueRef *out_words);
    void (*store)(struct tri_gpu *g, const tri_machine_access *access, LLVMValueRef *words);
    /* Plain ones of these `words`, as one value, where caches are told about it. Null, or null (false): they are
     * not. */
    LLVMValueRef (*load_cached)(struct tri_gpu *g, const tri_machine_access *access, LLVMTypeRef type);
    bool (*store_cached)(struct tri_gpu *g, const tri_machine_access *access, LLVMValueRef value);
    /* Of an access with a base (tt.pointer_range): 32-bit `offset` in bytes from it. Null: it is like any other. */
    void (*load_at)(struct tri_gpu *g, const tri_machine_access *access, LLVMValueRef offset, LLVMValueRef *other,
                    LLVMValueRef *out_words);
    void (*store_at)(struct tri_gpu *g, const tri_machine_access *access, LLVMValueRef offset, LLVMValueRef *words);
    /* Of one element, or of as many as the facts of the machine allow. The old values, anything where the predicate is
     * false or nobody uses them. False: LLVM's own updates do it. */
    bool (*update)(struct tri_gpu *g, const tri_machine_update *update, LLVMValueRef *out_old);
    /* Tells LLVM's back end more about an atomicrmw. Null: there is nothing to tell. */
    void (*mark_update)(struct tri_gpu *g, LLVMValueRef rmw);
    /* Rows of matrices in shared memory, when plans may use them (tri_plan_machine): one access of the plan. */
    void (*load_rows)(struct tri_gpu *g, const tri_plan_access *plan, LLVMValueRef row, LLVMTypeRef type,
                      LLVMValueRef *out);
    void (*store_rows)(struct tri_gpu *g, const tri_plan_access *plan, LLVMValueRef row, LLVMValueRef *elements);
    /* Words of 32 bits: pair[0] of lanes that have the bit set, and pair[1] of the lanes without it, change places.
     * False: the machine has no instruction for it. Null: for none. */
    bool (*swap_lanes)(struct tri_gpu *g, uint32_t lane_bit, LLVMValueRef pair[2]);
    /* OpenCL's printf. Null: the primitive vprintf, which may be absent. */
    void (*print)(struct tri_gpu *g, tri_str format, LLVMValueRef *args, unsigned n);
    /* False after a report. */
    bool (*assemble)(struct tri_gpu *g, const tri_machine_assembly *assembly);
} tri_machine;

/* ---- primitives ---- */

const char *tri_machine_name(const tri_machine *machine, int id);
/* Whether the family has the primitive on this architecture. */
bool tri_machine_has(const struct tri_gpu *g, int id);
/* Calls it; null for void ones. A primitive that does not exist is our bug. */
LLVMValueRef tri_machine_call(struct tri_gpu *g, int id, LLVMValueRef *args, int num_args);

/* A function of the device's compiler or library by its name; null for void ones; flags as in a row. */
LLVMValueRef tri_machine_call_named(struct tri_gpu *g, const char *name, LLVMTypeRef result, LLVMValueRef *args, int n,
                                    int flags);
/* Inline assembly with one result, none (void) or a struct of several; flags as in a row. */
LLVMValueRef tri_machine_call_asm(struct tri_gpu *g, const char *text, const char *constraints, LLVMTypeRef result,
                                  LLVMValueRef *args, int n, int flags);

#endif
