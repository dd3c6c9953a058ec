/* Accesses to global memory by which different threads of a program come to one element: a scalar is loaded by all of
 * them, and stored or updated by the first; so is an element of a block whose layout holds it several times, by its
 * owner. Threads without a barrier between them are not ordered.
 *
 * Two blocks of which every element belongs to one thread are not looked at: where kernels update in place, the same
 * thread loads and stores, and order between elements at other places is what tl.debug_barrier is for. Pointer
 * arguments are taken to be different arrays, as all of the pipeline takes them. */
#ifndef TRI_PASSES_ANALYSIS_GLOBALS_H
#define TRI_PASSES_ANALYSIS_GLOBALS_H

#include "base/map.h"
#include "ir/analysis/pointers.h"
#include "ir/op.h"

typedef struct {
    MlirValue pointer;        /* null: of a called function */
    MlirValue root;           /* null: unknown */
    bool is_argument;         /* the root is; others may be each other, but not an argument */
    bool is_write, is_atomic; /* plain loads: neither */
    bool is_shared;           /* a single element, or a load of elements that several threads hold */
    const tri_sum *first;     /* of its elements; null: unknown */
    int64_t below, above;     /* its elements lie in [first - below, first + above] */
    bool is_old;              /* made before a loop's back edge: values have other meanings now */
} tri_global_access;

typedef TRI_VEC(tri_global_access) tri_global_list;

typedef struct {
    tri_arena *arena;
    tri_pointers *pointers;
    tri_map of_op; /* MlirOperation.ptr -> tri_global_list */
    bool is_needed; /* some pair of accesses may clash */
} tri_globals;

/* Finds the accesses of `func`, a tt.func of `module`; nothing may be erased while they are used. */
void tri_globals_init(tri_globals *globals, tri_arena *arena, MlirOperation func, MlirOperation module);
/* What an operation accesses; empty for most. */
const tri_global_list *tri_globals_of(const tri_globals *globals, MlirOperation op);
/* Must the threads meet between accesses that were made and those that come? */
bool tri_globals_clash(const tri_globals *globals, const tri_global_list *before, const tri_global_list *now);
/* Adds what is not there; whether something was new. */
bool tri_globals_add(const tri_globals *globals, tri_global_list *to, const tri_global_list *from);
/* The accesses of the round before. */
void tri_globals_age(tri_global_list *list);

#endif
