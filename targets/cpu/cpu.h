/* Private to targets/cpu: ttir to LLVM IR by loop nests over tensor index space.
 *
 * A tensor value is bound to one of
 *   - nothing but its op (lazy): evaluated, element by element, inside the nest of its consumer;
 *   - a buffer in the program's arena, row-major, written by its own nest;
 *   - a carried value: a lazy value plus a scalar that a loop adds to (pointer and offset blocks);
 *   - a slice: a chunk of it is in registers (slices.c).
 * plan.c decides which. A nest runs over the index space of a *root* (store, reduction, value to
 * be materialised); one of its dimensions is walked in chunks of `vl` lanes, so that every value
 * there is either a scalar (equal in all lanes) or a vector of `vl` lanes. Values are computed at
 * the outermost loop level that knows their operands. */
#ifndef TRI_TARGETS_CPU_CPU_H
#define TRI_TARGETS_CPU_CPU_H

#include "base/map.h"
#include "ir/analysis/axis_info.h"
#include "ir/op.h"
#include "ir/type.h"
#include "targets/cpu/host.h"
#include "targets/cpu/sanitize/shadow.h"
#include "targets/library.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

enum {
    TRI_CPU_MAX_LOOPS = TRI_MAX_RANK,
    TRI_CPU_LANES = 16,            /* of a chunk, whatever the vector registers hold */
    TRI_CPU_MAX_LANES = 256,       /* of the longest chunk */
    TRI_CPU_MAX_PENDING = 6,       /* values that a reduction's nest writes to memory beside what it is for */
    TRI_CPU_ARENA_LIMIT = 4 << 20, /* bytes of one program's materialised values */
};

/* ---- element types ---- */

typedef enum {
    TRI_CPU_INT,
    TRI_CPU_PTR,
    TRI_CPU_DESC, /* a tensor descriptor: tri_tensordesc of include/tritcc/launch.h, by value */
    TRI_CPU_F64,
    TRI_CPU_F32,
    TRI_CPU_F16, /* from here on: kept as integers of their width, computed in float */
    TRI_CPU_BF16,
    TRI_CPU_E4M3FN,
    TRI_CPU_E5M2,
    TRI_CPU_E4M3FNUZ,
    TRI_CPU_E5M2FNUZ,
} tri_cpu_kind;

typedef struct {
    tri_cpu_kind kind;
    unsigned bits;
} tri_cpu_type;

/* ---- values ---- */

/* One value inside a nest. `level` is the loop level that it is valid in (0: outside the nest). */
typedef struct {
    LLVMValueRef v; /* null: not computable (already reported) */
    int level;
    bool is_vec;
} tri_cpu_val;

/* A component of a tensor index: an affine function of the nest's loop counters. */
typedef struct {
    int64_t c;
    int64_t coef[TRI_CPU_MAX_LOOPS];
} tri_cpu_index;

/* A whole tensor index, interned: equal indices have equal pointers. */
typedef struct tri_cpu_tuple {
    int rank;
    tri_cpu_index at[TRI_MAX_RANK];
    struct tri_cpu_tuple *next;
} tri_cpu_tuple;

typedef enum { TRI_CPU_SCALAR, TRI_CPU_LAZY, TRI_CPU_BUFFER, TRI_CPU_CARRIED, TRI_CPU_SLICE } tri_cpu_bind_kind;

typedef struct {
    tri_cpu_bind_kind kind;
    LLVMValueRef v;   /* scalar; buffer: its address; carried: the scalar added so far; slice: its slot */
    MlirValue init;   /* carried: the value at loop entry */
    void *desc;       /* of a tensor descriptor, besides v: what is known of it, where it is made */
} tri_cpu_bind;

/* An integer or pointer seen as base + sum coef[l] * counter[l]. Null coefficients are zero. */
typedef struct {
    bool ok;
    LLVMValueRef ptr;  /* pointers: the address that offsets are relative to, in elements */
    int ptr_level;
    LLVMValueRef base; /* an integer of `bits` bits */
    int level;         /* of base and coefficients together */
    LLVMValueRef coef[TRI_CPU_MAX_LOOPS];
    unsigned bits;
} tri_cpu_form;

/* ---- nests ---- */

typedef struct {
    int dim;
    int64_t extent;
    int64_t step;
    LLVMValueRef iv;
    LLVMBasicBlockRef header, body;
    LLVMValueRef end;
    LLVMValueRef leaves; /* i1 at the end of an iteration: the others would change nothing; null: that is not known */
} tri_cpu_loop;

/* Something known inside part of a nest: `mask` at `tuple` is `is_true`. Of a remainder or quotient (wrap.c): the
 * quotient is the same in all of the nest where `is_true`, zero for want of another; else the dividend is not
 * negative. */
typedef struct {
    MlirValue mask;
    const tri_cpu_tuple *tuple;
    bool is_true;
    int level;
    bool is_past; /* of a load that is in memory already: only where it is false does it say anything */
    LLVMValueRef quotient; /* i64, or null: zero */
} tri_cpu_fact;

typedef struct tri_cpu_memo tri_cpu_memo;

struct tri_cpu_gen;

/* What a nest does for its index space; hooks may be null. */
typedef struct tri_cpu_sink {
    MlirOperation op;
    void *data;
    /* before the innermost loops over the reduced dimension, and after them */
    void (*enter)(struct tri_cpu_gen *g, struct tri_cpu_sink *sink);
    void (*leave)(struct tri_cpu_gen *g, struct tri_cpu_sink *sink);
    /* evaluates operands at the nest's index; then writes */
    void (*eval)(struct tri_cpu_gen *g, struct tri_cpu_sink *sink);
    void (*write)(struct tri_cpu_gen *g, struct tri_cpu_sink *sink);
    const MlirValue
        *values; /* evaluated at the nest's index: bounds in the masks of their loads split the vector loop */
    int value_count;
    MlirValue mask;        /* splits it too; null: none */
    MlirValue indices;     /* other than `values`, what may have indices that wrap around (wrap.c); null: nothing */
    bool only_where_mask;  /* nothing happens where the mask is false */
    /* instead of a mask: bounds of the vector counter inside which all is well (nest->is_inside) */
    void (*bounds)(struct tri_cpu_gen *g, struct tri_cpu_sink *sink, LLVMValueRef *out_lo, LLVMValueRef *out_hi);
} tri_cpu_sink;

/* The one chunk of a nest's vector dimension (slices.c). */
typedef struct tri_cpu_slice {
    LLVMValueRef start;      /* i64 */
    LLVMBasicBlockRef other; /* where to go when a mask may not hold in all of it; null: on, with the mask */
    bool is_rest;            /* it is known to be such a one */
    LLVMBasicBlockRef from;  /* out, with `other`: what jumps there; null: nothing does */
} tri_cpu_slice;

typedef struct {
    int rank;
    int64_t shape[TRI_MAX_RANK];
    int vec_dim;  /* -1: scalar nest */
    int axis;     /* reduced dimension, innermost; -1: none */
    bool is_flat; /* all dimensions are reduced, in their order */
    int64_t ahead; /* the first loop's iterations from now, whose vectors are fetched to the second cache; 0: none */
    int64_t along; /* elements of a vector from now, which are fetched so; 0: none */
    int lanes;    /* chunk length; 0: TRI_CPU_LANES or the extent when that is less */
    struct tri_cpu_slice *slice; /* only this chunk of the vector dimension; null: all of them */
    int count;
    tri_cpu_sink *sinks;
} tri_cpu_domain;

/* Memory for a parameter of a math function, in the function of the entry block; 0 is its result. */
typedef struct {
    LLVMBasicBlockRef entry;
    LLVMTypeRef type;
    int param;
    LLVMValueRef at;
} tri_cpu_slot;

typedef struct {
    const tri_cpu_domain *domain;
    int loop_count;
    int vec_loop; /* -1: none */
    int axis_loop;
    int vl;
    tri_cpu_loop loops[TRI_CPU_MAX_LOOPS];
    LLVMBasicBlockRef cur[TRI_CPU_MAX_LOOPS + 1];
    const tri_cpu_tuple *index; /* the domain's own index */
    bool is_inside; /* within a sink's bounds, in this part of the nest */
    TRI_VEC(tri_cpu_fact) facts;
    tri_cpu_memo **table;
    tri_cpu_memo **first_table; /* of values at the first lanes of chunks */
} tri_cpu_nest;

/* ---- planning ---- */

typedef enum { TRI_CPU_PLAN_LAZY, TRI_CPU_PLAN_BUFFER } tri_cpu_plan;

/* ---- the generator ---- */

typedef struct {
    LLVMValueRef address;
    int64_t bytes;
} tri_cpu_block_memory;

typedef struct tri_cpu_gen {
    tri_unit *unit;
    tri_arena *arena;
    tri_diag *diag;
    LLVMContextRef llvm;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr, void_type;
    tri_host host;       /* what the code is for */
    const char *suffix;  /* of the names of functions, when an object holds code for several; else empty */
    const tri_host *plain; /* the same without AMX, where one program runs with it and without; else null */
    bool has_f16c, has_fma;
    bool failed;
    tri_map binds;   /* MlirValue.ptr -> tri_cpu_bind */
    tri_map plans;   /* MlirValue.ptr -> tri_cpu_plan_entry (plan.c) */
    tri_map epochs;  /* MlirOperation.ptr -> 1 + the writes to memory before it in its block */
    tri_map blocks;  /* MlirBlock.ptr -> LLVMBasicBlockRef */
    tri_map funcs;   /* symbol -> LLVMValueRef */
    tri_map bodies;  /* symbol -> tt.func */
    const tri_axis_info *axes; /* runs in blocks of indices */
    tri_library_calls externs; /* functions of the user's libraries */
    /* current function */
    MlirOperation func;
    LLVMValueRef fn;
    LLVMBasicBlockRef entry;  /* allocas only */
    LLVMValueRef pid[3], grid[3], err;
    LLVMValueRef tiles; /* i1: products are by AMX; null where one form of code does not choose (dot_twin.c) */
    int64_t arena_bytes;
    TRI_VEC(tri_cpu_block_memory) live, idle; /* in use, and free for a block of the same size */
    tri_cpu_tuple *tuples;
    tri_cpu_nest *nest;       /* null outside of nests */
    bool looks_behind;        /* forms of blocks that are in memory, too, are found from what they were made of */
    const struct tri_cpu_map *map; /* whose region is being emitted */
    LLVMBasicBlockRef at;     /* straight-line position outside of nests */
    MlirOperation op;         /* being lowered, for diagnostics */
    struct tri_cpu_lines *lines; /* null without debug information */
    int64_t block_count, op_count; /* made for the function so far; operations of its lists */
    TRI_VEC(LLVMBasicBlockRef) piece_starts, piece_ends; /* what pieces.c cuts out of it */
    TRI_VEC(tri_cpu_slot) slots;   /* of the piece, for calls of math functions */
    bool steps;                  /* for a debugger: statements one after another, variables in memory */
    int64_t variable_bytes;      /* of blocks that are in memory for that alone */
    const tri_cpu_sites *sites;  /* of -fsanitize=undefined */
    tri_map queues;              /* dots, and arguments of loops, -> the queue of products (dot_queue.c) */
    TRI_VEC(void *) queue_list;
    TRI_VEC(void *) twins;       /* functions that multiply (dot_twin.c) */
    LLVMValueRef cache;          /* memory for packed operands (dot_cache.c); null: none */
    int64_t cache_bytes, cache_share;
    TRI_VEC(MlirValue) pending;  /* kept values that the next reduction writes to memory (block.c) */
    tri_map sliced;              /* reductions that get slices -> what reduce.c knows of them */
    tri_map streamed;            /* stores that may go past the caches (stream.c) */
    int64_t stream_bytes;        /* that they write in a program */
    LLVMValueRef streams;        /* whether they do; null: there are none */
    unsigned cache_axes;         /* of the grid, on which what it keeps depends */
    int cache_areas;             /* of addresses that it was read from */
    bool has_panels;             /* left operands stay for programs of the same rows (dot_panel.c) */
    TRI_VEC(tri_cpu_block_memory) cache_keys; /* where they are, as offsets */
} tri_cpu_gen;

/* type.c */
tri_cpu_type tri_cpu_type_of(tri_cpu_gen *g, MlirType element);
LLVMTypeRef tri_cpu_llvm_type(tri_cpu_gen *g, tri_cpu_type type);       /* in registers */
LLVMTypeRef tri_cpu_memory_type(tri_cpu_gen *g, tri_cpu_type type);     /* i1 is a byte in memory */
LLVMTypeRef tri_cpu_vector(LLVMTypeRef element, int lanes);
static inline bool tri_cpu_is_float(tri_cpu_type t) { return t.kind >= TRI_CPU_F64; }
static inline bool tri_cpu_is_small(tri_cpu_type t) { return t.kind >= TRI_CPU_F16; }
LLVMValueRef tri_cpu_i64(tri_cpu_gen *g, int64_t value);
LLVMValueRef tri_cpu_splat(tri_cpu_gen *g, LLVMValueRef scalar, int lanes);
/* Lanes `from` on of `v`; with `w` (or null) behind them. */
LLVMValueRef tri_cpu_part(tri_cpu_gen *g, LLVMValueRef v, LLVMValueRef w, int from, int count);
/* A constant of the (scalar or vector) type of `like`. */
LLVMValueRef tri_cpu_const_like(LLVMTypeRef like, int64_t value);
LLVMValueRef tri_cpu_constf_like(LLVMTypeRef like, double value);
int tri_cpu_lanes_of(LLVMValueRef v); /* 0 for a scalar */
LLVMTypeRef tri_cpu_like(LLVMTypeRef element, LLVMValueRef shape); /* element, or a vector as long as `shape` */
/* To `likely` nearly always; code of the other block is not moved before it. */
LLVMValueRef tri_cpu_branch(tri_cpu_gen *g, LLVMValueRef cond, LLVMBasicBlockRef likely, LLVMBasicBlockRef rare);
LLVMValueRef tri_cpu_intrinsic(tri_cpu_gen *g, const char *name, LLVMTypeRef *overloads, int overload_count,
                               LLVMValueRef *args, int count);

/* float.c: between small floats (as integers) and float; scalar or vector */
LLVMValueRef tri_cpu_widen(tri_cpu_gen *g, LLVMValueRef v, tri_cpu_type type);  /* to f32; f64 stays */
LLVMValueRef tri_cpu_narrow(tri_cpu_gen *g, LLVMValueRef v, tri_cpu_type type, bool toward_zero); /* from f32 */
LLVMValueRef tri_cpu_convert(tri_cpu_gen *g, LLVMValueRef v, tri_cpu_type from, tri_cpu_type to, bool toward_zero);

/* arith.c */
/* The result of an elementwise op of any dialect on scalars or vectors (all of one shape); null
 * when the op is not elementwise or not known. The builder is in position. */
LLVMValueRef tri_cpu_arith_emit(tri_cpu_gen *g, MlirOperation op, LLVMValueRef *args, int count);
bool tri_cpu_arith_knows(MlirOperation op);
LLVMValueRef tri_cpu_constant(tri_cpu_gen *g, MlirOperation op); /* scalar or splat; null: elements differ */
/* math.c: the same for math functions and external symbols. */
LLVMValueRef tri_cpu_math_emit(tri_cpu_gen *g, MlirOperation op, LLVMValueRef *args, int count);
bool tri_cpu_math_knows(MlirOperation op);
LLVMValueRef tri_cpu_math_fmod(tri_cpu_gen *g, LLVMValueRef x, LLVMValueRef y); /* float or double; at most 16 lanes */

/* divide.c: a chunk of floats by one number of an outer level; moves the position of the chunk's level */
bool tri_cpu_divides_uniformly(tri_cpu_gen *g, MlirOperation op, tri_cpu_val x, tri_cpu_val d);
LLVMValueRef tri_cpu_divide_uniformly(tri_cpu_gen *g, tri_cpu_val x, tri_cpu_val d);

/* ... and chunks of integers of up to 32 bits, in double: x / y, or its rest; by zero as if it were 1 */
bool tri_cpu_divides_integers(tri_cpu_gen *g, LLVMValueRef y, unsigned bits, bool is_signed);
LLVMValueRef tri_cpu_divide_integers(tri_cpu_gen *g, LLVMValueRef x, LLVMValueRef y, bool is_signed, bool is_rest);

/* veclib.c: a function of libm, by its name for double, of vectors; null: the library has none. */
LLVMValueRef tri_cpu_veclib_call(tri_cpu_gen *g, const char *function, LLVMValueRef *args, int count);

/* tables.c: a function, by its name for double, where the processor has tables in registers; null: not here. */
LLVMValueRef tri_cpu_table_call(tri_cpu_gen *g, const char *function, LLVMValueRef *args, int count);

/* eval.c */
void tri_cpu_at(tri_cpu_gen *g, int level); /* moves the builder to the end of a level */
tri_cpu_val tri_cpu_eval(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple);
tri_cpu_val tri_cpu_eval_first(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple); /* of a chunk's lanes */
/* What it gives, once known: computed in another way (wrap.c). */
bool tri_cpu_first_known(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple, tri_cpu_val *out);
void tri_cpu_first_keep(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple, tri_cpu_val first);
tri_cpu_val tri_cpu_index_value(tri_cpu_gen *g, const tri_cpu_index *index); /* i64 */
const tri_cpu_tuple *tri_cpu_intern(tri_cpu_gen *g, const tri_cpu_tuple *tuple);
LLVMValueRef tri_cpu_as_vector(tri_cpu_gen *g, tri_cpu_val v);
void tri_cpu_memo_forget(tri_cpu_gen *g, int level); /* what is valid only from `level` inwards */
/* The index of `operand` that an element of a view op (expand_dims, trans, ...) stands for; null
 * when the op is no view. */
const tri_cpu_tuple *tri_cpu_view_index(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple);
tri_cpu_bind *tri_cpu_find(tri_cpu_gen *g, MlirValue value);
void tri_cpu_bind_scalar(tri_cpu_gen *g, MlirValue value, LLVMValueRef v);
void tri_cpu_bind_buffer(tri_cpu_gen *g, MlirValue value, LLVMValueRef address);
void tri_cpu_bind_kind_of(tri_cpu_gen *g, MlirValue value, tri_cpu_bind_kind kind);
LLVMValueRef tri_cpu_scalar(tri_cpu_gen *g, MlirValue value); /* of a non-tensor value */
void tri_cpu_count_bytes(tri_cpu_gen *g, int64_t bytes); /* of blocks in memory; reports where they are too many */
LLVMValueRef tri_cpu_alloc(tri_cpu_gen *g, MlirType type); /* an arena buffer for a tensor */
/* Ends the use of what was allocated since `mark` (an earlier g->live.len). */
void tri_cpu_release(tri_cpu_gen *g, size_t mark);
LLVMValueRef tri_cpu_temp(tri_cpu_gen *g, LLVMTypeRef type, const char *name); /* entry alloca */
void tri_cpu_fail(tri_cpu_gen *g, MlirOperation op, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Calls of a scalar region (combine functions): binds the block's arguments, evaluates the
 * terminator's operands into `out`. The builder stays where it is. */
void tri_cpu_region_emit(tri_cpu_gen *g, MlirOperation op, LLVMValueRef *args, LLVMValueRef *out);

/* affine.c */
tri_cpu_form tri_cpu_form_of(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple);
bool tri_cpu_looks_behind(tri_cpu_gen *g, MlirValue value); /* ... as is done now, and can be for this one */
/* Bounds of the vector counter inside which `mask` holds and outside which it does not. False:
 * it is no such mask. Values are i64 at a level outside the vector loop. */
bool tri_cpu_mask_bounds(tri_cpu_gen *g, MlirValue mask, const tri_cpu_tuple *tuple, LLVMValueRef *out_lo,
                         LLVMValueRef *out_hi);
/* Static guess: the coefficient of each dimension of a tensor of offsets or addresses;
 * INT64_MIN: unknown. */
void tri_cpu_static_coefs(tri_cpu_gen *g, MlirValue value, int64_t *out);

/* wrap.c */
/* The form of a block of which each chunk is one run of neighbours or of equals; not ok: it is not known to be. */
tri_cpu_form tri_cpu_run_form(tri_cpu_gen *g, MlirValue value, MlirOperation op, const tri_cpu_tuple *tuple);
/* A quotient or remainder of which each chunk is known to be such a run: one division for all of its lanes. */
bool tri_cpu_eval_run(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple, tri_cpu_val *out);
/* An i1 outside the nest under which the facts hold that it adds to the nest; null: there are none.
 * *out_is_sign: they only say that numbers are not negative. */
LLVMValueRef tri_cpu_wrap_test(tri_cpu_gen *g, bool *out_is_sign);
/* The same for one value, in a nest that only asks: that nothing wraps around, along any dimension. */
LLVMValueRef tri_cpu_plain_test(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple);

/* memory.c */
/* Reads the element(s) at an address (scalar or vector of addresses); `shape` gives level and lanes. */
tri_cpu_val tri_cpu_read(tri_cpu_gen *g, MlirType type, LLVMValueRef address, tri_cpu_val shape);
tri_cpu_val tri_cpu_buffer_load(tri_cpu_gen *g, MlirValue value, LLVMValueRef buffer, const tri_cpu_tuple *tuple);
typedef enum {
    TRI_CPU_FETCH_NEAR, /* to the first cache, for reading */
    TRI_CPU_FETCH_FAR,  /* to the second one, for reading */
    TRI_CPU_FETCH_TO_WRITE
} tri_cpu_fetch;
void tri_cpu_prefetch(tri_cpu_gen *g, LLVMValueRef address, tri_cpu_fetch how);
/* Memory that is written a line of the cache at a time, in order: the line that comes some steps behind this address is
 * fetched, since a store waits for its line longer than for its value. */
void tri_cpu_prefetch_line(tri_cpu_gen *g, LLVMValueRef written);
/* Returns where it is stored; null: not as neighbours. */
LLVMValueRef tri_cpu_buffer_store(tri_cpu_gen *g, MlirType type, LLVMValueRef buffer, const tri_cpu_tuple *tuple,
                                  tri_cpu_val v);
tri_cpu_val tri_cpu_load_eval(tri_cpu_gen *g, MlirOperation op, const tri_cpu_tuple *tuple);
/* Where the nest's chunk of a block of pointers lies. */
typedef struct {
    LLVMValueRef address; /* of lane 0, of all lanes (scalar), or a vector */
    LLVMValueRef stride;  /* between lanes, in elements; then address is lane 0's */
    int level;
    bool in_order; /* lanes are neighbours */
    bool is_vec;   /* a vector of addresses */
} tri_cpu_place;
tri_cpu_place tri_cpu_place_of(tri_cpu_gen *g, MlirValue pointer, const tri_cpu_tuple *tuple);
/* Makes addresses of all lanes of it: a vector. */
void tri_cpu_place_spread(tri_cpu_gen *g, LLVMTypeRef element, tri_cpu_place *io);
/* A mask in force, or null for none: null value means all lanes. */
typedef struct {
    LLVMValueRef v;
    int level;
    bool is_vec, is_false;
} tri_cpu_mask;
tri_cpu_mask tri_cpu_mask_at(tri_cpu_gen *g, MlirValue mask, const tri_cpu_tuple *tuple, int level);
void tri_cpu_store_op(tri_cpu_gen *g, MlirOperation op);
void tri_cpu_scalar_load(tri_cpu_gen *g, MlirOperation op);
void tri_cpu_atomic_op(tri_cpu_gen *g, MlirOperation op);
void tri_cpu_poll_op(tri_cpu_gen *g, MlirOperation op);
/* Runs `then` where cond (i1, null: always) holds, at the builder's level; phi of its value and `other`. */
LLVMValueRef tri_cpu_load_if(tri_cpu_gen *g, int level, LLVMValueRef cond, LLVMTypeRef type, LLVMValueRef address,
                             LLVMValueRef other, bool is_volatile);
/* Moves the straight-line position of a level to `block`. */
void tri_cpu_move(tri_cpu_gen *g, int level, LLVMBasicBlockRef block);

/* masks.c */
/* Is the op a load that gives one constant where its mask is false? */
bool tri_cpu_has_default(MlirOperation op);
/* The mask of all stores that take what is computed of the value, element by element; null: it is read elsewhere, too,
 * or they have several masks. `but`: a user that does not count. */
MlirValue tri_cpu_mask_of_uses(tri_cpu_gen *g, MlirValue value, MlirOperation but);
/* `own` at the nest's index, and the masks of the loads that the values read there; at most `max`. */
int tri_cpu_masks_of(tri_cpu_gen *g, MlirValue own, const MlirValue *values, int value_count, tri_cpu_fact *out,
                     int max);

/* alias.c */
/* Runs `store`, as a whole where it may not be fused with the loads of its operands. `may_be_same`: it may be with
 * those that read at each index what is stored there. */
void tri_cpu_store_apart(tri_cpu_gen *g, MlirOperation op, bool may_be_same,
                         void (*store)(tri_cpu_gen *g, MlirOperation op));
/* Runs `store` with the operands that read memory evaluated as a whole before. */
void tri_cpu_store_whole(tri_cpu_gen *g, MlirOperation op, void (*store)(tri_cpu_gen *g, MlirOperation op));

/* nest.c */
void tri_cpu_nest_run(tri_cpu_gen *g, const tri_cpu_domain *domain);
/* Between these two, code of `level` and inwards goes where nothing runs it, so that forms and bounds can be asked
 * for before the loops are there; what is valid further out stays. */
void tri_cpu_probe_begin(tri_cpu_gen *g, int level);
void tri_cpu_probe_end(tri_cpu_gen *g, int level);
/* A sink that writes a value into a new buffer, beside others of its nest. */
typedef struct {
    MlirValue value;
    LLVMValueRef buffer;
    tri_cpu_val v;
    MlirValue mask; /* where it is false nobody reads the value, which is not written there; null: none */
} tri_cpu_kept;
tri_cpu_sink tri_cpu_kept_sink(tri_cpu_gen *g, MlirValue value, tri_cpu_kept *out);
bool tri_cpu_mask_is_false(const tri_cpu_gen *g, MlirValue mask); /* in all of this part of the nest, at its index */
/* Materialises `value` into `buffer` now. */
void tri_cpu_materialise(tri_cpu_gen *g, MlirValue value, LLVMValueRef buffer);
/* A good vector dimension for a root that evaluates `values` and stores to `address` (may be null). */
int tri_cpu_vector_dim(tri_cpu_gen *g, int rank, const int64_t *shape, MlirValue address, MlirValue value);

/* reduce.c, dot.c, shape.c, debug.c, desc.c */
void tri_cpu_reduce_op(tri_cpu_gen *g, MlirOperation op);
/* What its nest goes through: the operand, or what lies behind it. */
MlirValue tri_cpu_reduced(MlirOperation reduce, int i);
bool tri_cpu_has_function(tri_cpu_gen *g, MlirValue value); /* evaluating it takes any, or the rest of a division */
/* In front of a loop whose blocks come in slices of `lanes` (slices.c): the reduction of one, which gets the slices one
 * after the other and ends where it stands. False: it cannot. */
bool tri_cpu_reduce_begin(tri_cpu_gen *g, MlirOperation op, int lanes);
void tri_cpu_reduce_slice(tri_cpu_gen *g, MlirOperation op, LLVMValueRef slice);
/* The identity of a combine function that is one known operation; null: none. */
LLVMValueRef tri_cpu_reduce_identity(MlirOperation op, tri_cpu_type type, LLVMTypeRef llvm);
void tri_cpu_scan_op(tri_cpu_gen *g, MlirOperation op);
void tri_cpu_dot_op(tri_cpu_gen *g, MlirOperation op);
void tri_cpu_unsplat_op(tri_cpu_gen *g, MlirOperation op);
void tri_cpu_gather_op(tri_cpu_gen *g, MlirOperation op);
/* turned.c: an element of tt.gather in a nest, where its indices are `arange ^ c`; false: they are not. */
bool tri_cpu_gather_turned(tri_cpu_gen *g, MlirOperation op, LLVMValueRef source, tri_cpu_val *out);
void tri_cpu_histogram_op(tri_cpu_gen *g, MlirOperation op);
LLVMValueRef tri_cpu_call_runtime(tri_cpu_gen *g, const char *name, LLVMTypeRef result, LLVMTypeRef *params,
                                  LLVMValueRef *args, int n);
void tri_cpu_print_op(tri_cpu_gen *g, MlirOperation op);
void tri_cpu_assert_op(tri_cpu_gen *g, MlirOperation op);
bool tri_cpu_is_report(MlirOperation op); /* of -fsanitize=undefined (shadow.h) */
void tri_cpu_report_op(tri_cpu_gen *g, MlirOperation op);
void tri_cpu_map_op(tri_cpu_gen *g, MlirOperation op);
void tri_cpu_map_return_op(tri_cpu_gen *g, MlirOperation op);
void tri_cpu_dot_scaled_op(tri_cpu_gen *g, MlirOperation op);
LLVMTypeRef tri_cpu_desc_type(tri_cpu_gen *g);
void tri_cpu_desc_make_op(tri_cpu_gen *g, MlirOperation op);
void tri_cpu_desc_access_op(tri_cpu_gen *g, MlirOperation op);
LLVMAtomicOrdering tri_cpu_atomic_order(MlirOperation op);
/* An update by a compare-exchange loop on the bits of `first`, which were read at the address: what was there. `v` has
 * as many bits; the builder is behind the loop then. */
LLVMValueRef tri_cpu_atomic_retry(tri_cpu_gen *g, int64_t kind, LLVMAtomicOrdering order, tri_cpu_type type,
                                  LLVMValueRef address, LLVMValueRef first, LLVMValueRef v, unsigned align);
/* What an update of a kind makes of `old` in memory: scalars or vectors. */
LLVMValueRef tri_cpu_atomic_combine(tri_cpu_gen *g, int64_t kind, tri_cpu_type type, LLVMValueRef old, LLVMValueRef v);
/* atomic_block.c: can the block be updated in chunks? Does so. */
bool tri_cpu_atomic_in_chunks(tri_cpu_gen *g, MlirOperation op);
void tri_cpu_atomic_block(tri_cpu_gen *g, MlirOperation op);
/* One atomic update of a kind (a value of atomic_rmw_op) at an address; moves the level's position. */
LLVMValueRef tri_cpu_atomic_update(tri_cpu_gen *g, int level, int64_t kind, LLVMAtomicOrdering order,
                                   tri_cpu_type type, LLVMValueRef address, LLVMValueRef value);
/* dot_isa.c */
/* An instruction for products of groups of `group` neighbours along k, `width` columns and `rows` rows of the result at
 * a time. */
typedef struct {
    tri_cpu_kind operand;
    tri_cpu_type packed; /* what operands are packed as */
    int group, width, rows;
    const char *intrinsic;
    bool adds;           /* it takes the accumulator itself */
    bool is_tile;        /* of AMX: it works on tiles */
    bool is_offset;      /* of bytes: b's are unsigned, so that 128 is added to them and taken off the sums */
} tri_cpu_dot_isa;
bool tri_cpu_dot_tiles(tri_cpu_gen *g, tri_cpu_type operand, int64_t m, int64_t n, int64_t k);
/* For blocks of `operand` with results of m by n; null: the processor has none that suits. */
const tri_cpu_dot_isa *tri_cpu_dot_choose(tri_cpu_gen *g, tri_cpu_type operand, int64_t m, int64_t n, int64_t k);
/* acc + products: left is the group of each row, as integers, or a vector like right, which is `width` groups; acc goes
 * row by row. */
LLVMValueRef tri_cpu_dot_emit(tri_cpu_gen *g, const tri_cpu_dot_isa *isa, LLVMValueRef left, LLVMValueRef right,
                              LLVMValueRef acc);
/* The product of packed operands (dot.c): a [m,k], b [k,n], d [m,n] of `element`, added to d. */
void tri_cpu_multiply(tri_cpu_gen *g, MlirOperation op, tri_cpu_type compute, int64_t batch, int64_t m, int64_t n,
                      int64_t k, LLVMValueRef a, LLVMValueRef b, LLVMValueRef d);

/* dot_direct.c: a block of rows that lies in memory as it is, where `test` (i1; null: always) holds */
typedef struct {
    LLVMValueRef address, stride, test; /* stride: elements from row to row */
} tri_cpu_direct;
bool tri_cpu_dot_direct(tri_cpu_gen *g, MlirValue value, int dim, tri_cpu_direct *out); /* runs along that one */
/* The same of a block of pointers to elements of `type`, and a mask or null. */
bool tri_cpu_direct_block(tri_cpu_gen *g, MlirValue pointer, MlirValue mask, MlirType type, tri_cpu_direct *out);

/* dot_cache.c: packed operands that programs share */
enum { TRI_CPU_MAX_KEYS = 12 };
/* Do the kernel's programs get memory for them? */
bool tri_cpu_cache_suits(tri_cpu_gen *g, MlirOperation func);
void tri_cpu_cache_start(tri_cpu_gen *g, MlirOperation func, LLVMValueRef memory); /* null: it has none */
/* In a range's function, what the program's function needs; the range ends where there is no memory, and says so.
 * `state`: the launcher's. */
LLVMValueRef tri_cpu_cache_allocate(tri_cpu_gen *g, LLVMValueRef state);
void tri_cpu_cache_forget(tri_cpu_gen *g, MlirOperation op); /* before an op that may write what was read */

/* Do programs that differ in axis 1 alone share what is kept, and those that differ in axis 0 not? */
bool tri_cpu_cache_likes_columns(const tri_cpu_gen *g);

/* interval.c */
/* The lowest address of a block of pointers, and one past the last byte of the highest, as i64; false: unknown. */
bool tri_cpu_addresses(tri_cpu_gen *g, MlirValue pointer, LLVMValueRef *out_lo, LLVMValueRef *out_hi);

/* dot_tiles.c: AMX */
/* Has the unit's module products for the second of tri_host_list's, which has AMX? */
bool tri_cpu_tiles_suit(tri_unit *unit);
void tri_cpu_twin_mark(tri_cpu_gen *g, LLVMValueRef fn); /* of a program with and without AMX: it is the part with it */
/* Configures the tiles for the code that follows, when it may have such products; the caller releases them. */
bool tri_cpu_tiles_configure(tri_cpu_gen *g);

/* scf.c: structured control flow, calls, returns */
bool tri_cpu_control_op(tri_cpu_gen *g, MlirOperation op); /* false: not one of them */
/* Emits the ops of a block from the current position on. */
void tri_cpu_block(tri_cpu_gen *g, MlirBlock block);
/* Declares the LLVM function of a tt.func; the types of its signature. */
LLVMValueRef tri_cpu_declare(tri_cpu_gen *g, MlirOperation func);
bool tri_cpu_func(tri_cpu_gen *g, MlirOperation func);
/* Emits a region's blocks from the current position on; what the arguments of the first one are is bound already. */
void tri_cpu_cfg(tri_cpu_gen *g, MlirRegion region);
LLVMBasicBlockRef tri_cpu_new_block(tri_cpu_gen *g, const char *name);

/* cost.c: estimated cycles of one program of a kernel; 0: unknown */
int64_t tri_cpu_cost(tri_cpu_gen *g, MlirOperation func);

/* alias.c: a nest of `rank` loops that exists only to ask for affine forms: its counters are never used */
void tri_cpu_ask_begin(tri_cpu_gen *g, tri_cpu_nest *nest, int rank);
void tri_cpu_ask_end(tri_cpu_gen *g);

/* turn.c: tri_cpu_nest_run of a store, where the value may be loaded across the dimension along which it is stored */
void tri_cpu_turn_run(tri_cpu_gen *g, const tri_cpu_domain *domain, MlirValue value);

/* stream.c: finds the stores of a kernel that may go past the caches; at its start; a store of neighbours in a nest,
 * false if it is none of those; at the end of a range */
void tri_cpu_stream_plan(tri_cpu_gen *g, MlirOperation func);
void tri_cpu_stream_begin(tri_cpu_gen *g);
bool tri_cpu_stream_store(tri_cpu_gen *g, MlirOperation op, LLVMValueRef value, LLVMValueRef address, unsigned align);
void tri_cpu_stream_end(tri_cpu_gen *g);

/* dispatch.c */
/* tri_run_<symbol> and tri_selected_<symbol> over `functions`, one per architecture of the list. */
void tri_cpu_dispatch(tri_cpu_gen *g, tri_str symbol, const tri_machine_facts **archs, LLVMValueRef *functions,
                      size_t count);

/* bounds.c: marks the program of a kernel; checks the accesses of those that are marked (unit->llvm_module) */
void tri_cpu_bounds_mark(tri_cpu_gen *g, LLVMValueRef fn, tri_str symbol);
void tri_cpu_bounds_run(tri_unit *unit);

/* lines.c: all do nothing without -g or -lineinfo */
typedef struct tri_cpu_lines tri_cpu_lines;
void tri_cpu_lines_begin(tri_cpu_gen *g);
void tri_cpu_lines_function(tri_cpu_gen *g, MlirOperation func);
void tri_cpu_lines_at(tri_cpu_gen *g, MlirOperation op); /* what is built next is for this op */
/* For a debugger: where the op is of another line than the one in front of it, an instruction that starts the line. */
void tri_cpu_lines_statement(tri_cpu_gen *g, MlirOperation op, uint32_t *io_line);
void tri_cpu_lines_function_end(tri_cpu_gen *g); /* of a function that is whole */
void tri_cpu_lines_stop(tri_cpu_gen *g);
void tri_cpu_lines_end(tri_cpu_gen *g);

/* pieces.c: behind each statement of a list; when the function is whole */
typedef struct {
    LLVMBasicBlockRef start; /* null: the list's own start, which others may jump to */
    int64_t first, first_op; /* numbers of the piece's first block and operation */
} tri_cpu_piece;
void tri_cpu_pieces_step(tri_cpu_gen *g, tri_cpu_piece *io_piece);
void tri_cpu_pieces_end(tri_cpu_gen *g);
/* vmath.c: links what the module calls of runtime/vmath, for inlining where a function has few of its calls. False
 * after a report. */
bool tri_cpu_link_vmath(tri_unit *unit);

/* variables.c (-g): the parameters, where the function starts; a value that has a variable's name, where it is made or
 * (a block's arguments) comes in */
void tri_cpu_variables_begin(tri_cpu_gen *g, MlirOperation func);
void tri_cpu_variables_set(tri_cpu_gen *g, MlirValue value);
void tri_cpu_variables_arguments(tri_cpu_gen *g, MlirBlock block);

/* plan.c */
void tri_cpu_plan_func(tri_cpu_gen *g, MlirOperation func);
bool tri_cpu_is_lazy(tri_cpu_gen *g, MlirValue value);
/* The plan keeps the value, but it is not in memory yet: the reduction that waits for it writes it (block.c). */
/* A product that rounds as it is, whatever is done with it: several nests compute it, and shall agree. */
bool tri_cpu_is_rounded(const tri_cpu_gen *g, MlirOperation op);
bool tri_cpu_is_pending(tri_cpu_gen *g, MlirValue value);
/* Tensor values that the plan's rules read: ops that are evaluated inside others' nests. */
bool tri_cpu_can_be_lazy(MlirOperation op);
bool tri_cpu_is_view(MlirOperation op);
/* Of a block as one line that only reductions read, which can go through the block itself: that block; null: it is no
 * such line. */
MlirValue tri_cpu_flat_source(MlirValue value);
/* Scalar by which a loop's argument `arg` grows each iteration when its yield is arg + splat(x):
 * the tensor x (splat) value; null value: it is no such argument. */
MlirValue tri_cpu_increment(const tri_cpu_gen *g, MlirOperation loop, intptr_t arg);
/* Does evaluating `value` lazily read `arg` (a block argument) at all / other than at its own index? */
bool tri_cpu_reads(tri_cpu_gen *g, MlirValue value, MlirValue arg, bool *out_other_index);

/* strength.c: loops around products, and with tiles, are left as they are; those of other functions of the module are
 * reduced here. */
bool tri_cpu_reduce_loops(tri_unit *unit, LLVMTargetMachineRef machine);
const char *const *tri_cpu_left_out(LLVMModuleRef module); /* passes that the code generator does not run; or null */

#endif
