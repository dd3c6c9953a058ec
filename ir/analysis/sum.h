/* Integers of a kernel as sums of products, such as pid*128 + 3*stride + 7: a normal form in which equal
 * values compare equal, made without changing the IR, and emitted as operations where a customer wants them.
 *
 * A sum stands for the mathematical integer: arithmetic on addresses and bounds is taken not to wrap at the
 * width that the IR gives it (an address that wrapped inside a block would have no meaning). Operations other
 * than +, - and * by anything, and / by a number that divides exactly, are leaves, so what they do at their width is
 * kept.
 *
 * All functions accept null, "too long, or too large a coefficient", and answer null (false) for it. */
#ifndef TRI_IR_ANALYSIS_SUM_H
#define TRI_IR_ANALYSIS_SUM_H

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/builder.h"

typedef struct tri_sum tri_sum;

typedef enum {
    TRI_LEAF_VALUE,     /* a scalar integer, sign-extended */
    TRI_LEAF_UNSIGNED,  /* a scalar integer, zero-extended */
    TRI_LEAF_ITERATION, /* how often the body of an scf.for has run before: 0, 1, ... */
    TRI_LEAF_TRIPS,     /* how often it runs in all */
    TRI_LEAF_CALL,      /* an operation on sums: min, max, quotient, remainder, selection */
    TRI_LEAF_UNKNOWN,   /* a placeholder while a loop is analysed; in no answer */
} tri_leaf_kind;

enum { TRI_SUM_MAX_TERMS = 24, TRI_SUM_MAX_FACTORS = 5 };

typedef struct {
    tri_leaf_kind kind;
    int id;              /* leaves are compared by their ids */
    MlirValue value;     /* VALUE, UNSIGNED */
    MlirOperation loop;  /* ITERATION, TRIPS */
    const char *op;      /* CALL: "arith.minsi" */
    const tri_sum *args[3];
} tri_leaf;

typedef struct {
    int64_t factor;
    int count;
    const tri_leaf *leaf[TRI_SUM_MAX_FACTORS]; /* by id */
} tri_term;

struct tri_sum {
    int count;
    tri_term term[]; /* sorted; a constant is the term without leaves */
};

/* Where sums live. One serves one function, while nothing that sums were made from is erased. */
typedef struct {
    tri_arena *arena;
    TRI_VEC(tri_leaf *) leaves;
    tri_map by_value; /* MlirValue.ptr -> leaf of kind VALUE */
    tri_map *known;   /* MlirValue.ptr -> sum; replaced while something is assumed */
    TRI_VEC(struct { MlirValue value; const tri_sum *sum; }) assumed;
} tri_sums;

void tri_sum_init(tri_sums *sums, tri_arena *arena);

const tri_sum *tri_sum_const(tri_sums *sums, int64_t value);
/* A scalar integer or index: through +, -, * and extensions, induction variables and integers that a loop
 * changes by the same amount each time. */
const tri_sum *tri_sum_of(tri_sums *sums, MlirValue value);
/* The value as it is, without looking at how it is made. */
const tri_sum *tri_sum_leaf(tri_sums *sums, tri_leaf_kind kind, MlirValue value);
const tri_sum *tri_sum_loop(tri_sums *sums, tri_leaf_kind kind, MlirOperation loop);
const tri_sum *tri_sum_unknown(tri_sums *sums);
/* Folded when all arguments are constants, and where that is plain to see. "arith.select" takes an i1 leaf. */
const tri_sum *tri_sum_call(tri_sums *sums, const char *op, const tri_sum *a, const tri_sum *b, const tri_sum *c);

const tri_sum *tri_sum_add(tri_sums *sums, const tri_sum *a, const tri_sum *b);
const tri_sum *tri_sum_sub(tri_sums *sums, const tri_sum *a, const tri_sum *b);
const tri_sum *tri_sum_mul(tri_sums *sums, const tri_sum *a, const tri_sum *b);
/* The terms that both have. */
const tri_sum *tri_sum_common(tri_sums *sums, const tri_sum *a, const tri_sum *b);
/* a = quotient * by + rest, where `by` is one term: the terms that it divides exactly are the quotient's. */
bool tri_sum_divide(tri_sums *sums, const tri_sum *a, const tri_sum *by, const tri_sum **out_quotient,
                    const tri_sum **out_rest);
/* `a` with `by` in the place of the leaf that `leaf` consists of. */
const tri_sum *tri_sum_substitute(tri_sums *sums, const tri_sum *a, const tri_sum *leaf, const tri_sum *by);

bool tri_sum_is_equal(const tri_sum *a, const tri_sum *b);
bool tri_sum_is_const(const tri_sum *a, int64_t *out_value);
bool tri_sum_is(const tri_sum *a, int64_t value);
/* Is the sum never negative? False when that is not known. */
bool tri_sum_is_natural(const tri_sum *a);
/* The same where what is divided by is a size, and so positive: the sign of a quotient is that of the dividend. */
bool tri_sum_is_natural_over_sizes(const tri_sum *a);
/* Is it made of numbers of at most 32 bits alone? No sum at all is not. */
bool tri_sum_is_narrow(const tri_sum *sum);
/* A power of two that divides every value (from constants, tt.divisibility); 1 when none is known. */
int64_t tri_sum_divisor(const tri_sum *a);
/* Does it depend on the leaf that `leaf` consists of? */
bool tri_sum_has_leaf(const tri_sum *a, const tri_sum *leaf);
/* Is every leaf defined outside `op`, and no count of its iterations? */
bool tri_sum_is_outside(const tri_sum *a, MlirOperation op);

/* While something is assumed of a value (until the matching end), nothing that was known is looked at. */
typedef struct { tri_map *known; tri_map fresh; } tri_sum_assumption;
void tri_sum_assume(tri_sums *sums, tri_sum_assumption *assumption, MlirValue value, const tri_sum *sum);
void tri_sum_assume_end(tri_sums *sums, tri_sum_assumption *assumption);

/* Emits the sum at `b` as a value of `type` (index or an integer type). Every leaf must dominate that place. */
MlirValue tri_sum_emit(tri_sums *sums, tri_builder *b, const tri_sum *a, MlirType type);
/* "128*pid + k", with the names of the source. */
void tri_sum_print(const tri_sum *a, tri_buf *out);

#endif
