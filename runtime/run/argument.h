/* Kernel arguments as they are written on the command line.
 *
 *   3  0.5  True  None  'text'  (1, 2)     a literal: a constexpr, or a scalar whose type follows Triton's rules
 *   i64:3  f64:0.5  u8:7                   a scalar of that type
 *   @x.npy  bf16:@x.npy                    an array from a file; with a type, the stored bits taken as that type
 *   zeros:f32:64x64  randn:f16:8:seed=1    a generated array: zeros ones full empty arange randn rand randint
 *   desc:16x32:ARRAY                       a tensor descriptor: of an array as above, for blocks of that shape;
 *   desc:16x32,padding=nan:ARRAY           what lies outside of it loads as NaN, not as 0
 *   addr:a,b                               an int64 array of the addresses of named buffers
 *   (2, i64:3, randn:f32:8)                a tuple of such values, or a literal where these are all literals
 *   buf:a=@a.npy                           a buffer that is reached only through such a table
 *
 * Each may be preceded by `name=`. */
#ifndef TRI_RUNTIME_RUN_ARGUMENT_H
#define TRI_RUNTIME_RUN_ARGUMENT_H

#include "base/vec.h"
#include "runtime/run/array.h"

enum { TRI_ARGUMENT_BLOCK_RANK = 5 };

typedef enum { TRI_ARGUMENT_LITERAL, TRI_ARGUMENT_SCALAR, TRI_ARGUMENT_ARRAY, TRI_ARGUMENT_TABLE } tri_argument_kind;

typedef struct tri_argument {
    tri_argument_kind kind;
    tri_str name;    /* "" when positional */
    tri_str literal; /* literal: as written; scalar: the number */
    tri_dtype dtype; /* scalar */
    tri_array array; /* array; table: filled by tri_argument_link */
    TRI_VEC(tri_str) targets; /* table: names of buffers */
    bool is_buffer;  /* not passed to the kernel */
    int block_rank;  /* of a descriptor, that of the array too; 0: it is none */
    int64_t block[TRI_ARGUMENT_BLOCK_RANK];
    bool pads_nan;
    /* of a tuple, whose kind is that of a literal; tri_argument_link puts them into the list, as buffers */
    struct tri_argument *members;
    size_t member_count, first_member;
} tri_argument;

typedef TRI_VEC(tri_argument) tri_argument_list;

/* Parses one argument, reads its file or generates its data. False after a report. */
bool tri_argument_parse(tri_diag *diag, tri_arena *arena, tri_str text, tri_argument *out_argument);

/* Fills the address tables from the named arrays of the list, to which members of tuples are added. False after
 * a report. */
bool tri_argument_link(tri_diag *diag, tri_arena *arena, tri_argument_list *list);

/* The type for -sig: "*fp32:16", "tensordesc<fp32[16, 32]>", "i32:16", "(i32, fp32)", or the literal itself for what
 * becomes a constexpr. */
tri_str tri_argument_signature(tri_arena *arena, const tri_argument *argument);

/* The 8 bytes that a launch passes: an address, or a scalar of `type` ("i32", "fp32") as the
 * signature spells it. False when the literal does not fit the type; and for descriptors. */
bool tri_argument_value(const tri_argument *argument, tri_str type, uint64_t *out_bits);

#endif
