/* Types of the kernel language as the front end knows them: signedness, const pointers and tuples
 * of values exist only here; the IR is signless. */
#ifndef TRI_FRONTEND_TYPES_H
#define TRI_FRONTEND_TYPES_H

#include "base/str.h"

#include "mlir-c/IR.h"

/* Element types, in the library's own order of families. */
typedef enum {
    TRI_DTYPE_VOID,
    TRI_DTYPE_INT1,
    TRI_DTYPE_INT8,
    TRI_DTYPE_INT16,
    TRI_DTYPE_INT32,
    TRI_DTYPE_INT64,
    TRI_DTYPE_UINT8,
    TRI_DTYPE_UINT16,
    TRI_DTYPE_UINT32,
    TRI_DTYPE_UINT64,
    TRI_DTYPE_FP8E4B15,
    TRI_DTYPE_FP8E4NV,
    TRI_DTYPE_FP8E4B8,
    TRI_DTYPE_FP8E5,
    TRI_DTYPE_FP8E5B16,
    TRI_DTYPE_FP16,
    TRI_DTYPE_BF16,
    TRI_DTYPE_FP32,
    TRI_DTYPE_FP64,
    TRI_DTYPE_COUNT,
} tri_dtype;

typedef enum { TRI_TYPE_SCALAR, TRI_TYPE_PTR, TRI_TYPE_BLOCK } tri_type_kind;

enum { TRI_MAX_TENSOR_NUMEL = 1048576, TRI_MAX_TENSOR_RANK = 24 };

/* Immutable; scalars are static, the others live in an arena. Compare with tri_types_equal. */
typedef struct tri_type tri_type;
struct tri_type {
    tri_type_kind kind;
    tri_dtype dtype;         /* scalar: itself; pointer, block: of the innermost element */
    const tri_type *element; /* pointer: pointee (a scalar); block: scalar or pointer */
    unsigned space;          /* pointer: 1 is global memory */
    bool is_const;           /* pointer: stores are errors */
    int rank;                /* block */
    const int64_t *shape;
};

const tri_type *tri_types_scalar(tri_dtype dtype);
const tri_type *tri_types_pointer(tri_arena *arena, const tri_type *element, unsigned space, bool is_const);
/* `element` is a scalar or a pointer. Rank 0 gives the element itself. The shape is copied. */
const tri_type *tri_types_block(tri_arena *arena, const tri_type *element, int rank, const int64_t *shape);
bool tri_types_equal(const tri_type *a, const tri_type *b);

/* Element of a block, else the type itself: what the library calls `.scalar`. */
static inline const tri_type *tri_types_element(const tri_type *t)
{
    return t->kind == TRI_TYPE_BLOCK ? t->element : t;
}
static inline bool tri_types_is_block(const tri_type *t) { return t->kind == TRI_TYPE_BLOCK; }
/* The following look through blocks. */
static inline bool tri_types_is_ptr(const tri_type *t) { return tri_types_element(t)->kind == TRI_TYPE_PTR; }
bool tri_types_is_int(const tri_type *t);   /* int1 included */
bool tri_types_is_float(const tri_type *t); /* fp8 included */
/* A block of the same shape with another element, or that element. */
const tri_type *tri_types_with_element(tri_arena *arena, const tri_type *t, const tri_type *element);
int64_t tri_types_numel(const tri_type *t); /* 1 for scalars */

/* Facts about element types. */
unsigned tri_types_dtype_bits(tri_dtype d);
const char *tri_types_dtype_name(tri_dtype d); /* "fp32" */
bool tri_types_dtype_is_int(tri_dtype d);      /* int1 included */
bool tri_types_dtype_is_signed(tri_dtype d);   /* false for int1 */
bool tri_types_dtype_is_float(tri_dtype d);
bool tri_types_dtype_is_fp8(tri_dtype d);
bool tri_types_dtype_is_standard_float(tri_dtype d); /* fp16 bf16 fp32 fp64 */
int tri_types_dtype_mantissa(tri_dtype d);
int tri_types_dtype_bias(tri_dtype d);
/* Every spelling of signatures, annotations and `tl.` attributes: "fp32", "float32", "i32", "u1", "half".
 * "tl." in front and "_t" behind are ignored. False when unknown. */
bool tri_types_parse_dtype(tri_str name, tri_dtype *out_dtype);
/* Annotation or signature text to a scalar or pointer type ("*fp32", "*kfp16", "const *i8", "fp32*"); null when it
 * names none. */
const tri_type *tri_types_parse(tri_arena *arena, tri_str text);

/* Spellings: for people and static_print ("fp32", "pointer<fp32>", "<[64, 32], fp16>"), for signatures
 * ("*kfp32"), and the library's mangled form ("fp16S64_32S"). */
void tri_types_print(const tri_type *t, tri_buf *out);
void tri_types_print_signature(const tri_type *t, tri_buf *out);
void tri_types_print_mangled(const tri_type *t, tri_buf *out);
tri_str tri_types_name(tri_arena *arena, const tri_type *t);

/* The IR type; fp8e4b15 is i8 there. */
MlirType tri_types_to_ir(MlirContext context, const tri_type *t);

#endif
