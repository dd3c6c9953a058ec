/* Private to targets/cpu: -fsanitize=undefined, done in ttir before it is lowered.
 *
 * A value that may be undefined in some lane gets a *shadow* beside it, an i32 of the same shape: 0 where the value
 * is defined, else the number of the site that made it undefined. Shadows go through elementwise ops, views,
 * selections, reductions and control flow as poison does, and are looked at where something happens: at addresses,
 * masks and stored values of lanes that are on, and at conditions. So what a mask or tl.where throws away is no
 * error. An op `tt.extern_elementwise` with the symbol below reports the lanes that are not 0. */
#ifndef TRI_TARGETS_CPU_SHADOW_H
#define TRI_TARGETS_CPU_SHADOW_H

#include "base/map.h"
#include "ir/op.h"
#include "ir/type.h"
#include "ir/unit.h"

#define TRI_CPU_REPORT "tri_undefined"

/* Numbers fall, so that the first of several sites is the highest. */
enum { TRI_CPU_FIRST_SITE = 1 << 30 };

typedef struct {
    MlirLocation at;
    const char *what; /* "division by zero" */
} tri_cpu_site;

typedef TRI_VEC(tri_cpu_site) tri_cpu_sites;

typedef struct {
    tri_unit *unit;
    tri_arena *arena;
    MlirType i1, i32, i64;
    tri_cpu_sites *sites; /* the one with number n is at [TRI_CPU_FIRST_SITE - n] */
    tri_map maybe;        /* keys: MlirValue.ptr of values that may be undefined */
    tri_map shadows;      /* MlirValue.ptr -> MlirValue * */
    bool has_changed;     /* of the search for `maybe` */
} tri_cpu_shadow;

/* Instruments the module; sites come from the unit's arena. */
void tri_cpu_shadow_run(tri_unit *unit, tri_cpu_sites *out_sites);

/* shadow_sites.c: what ops do themselves */
/* Can the op make a result undefined whose operands are all defined? */
bool tri_cpu_shadow_sites_has(MlirOperation op);
/* The number of the op's site in lanes where it does; null: never. */
MlirValue tri_cpu_shadow_sites_own(tri_cpu_shadow *x, tri_builder *b, MlirOperation op);
/* The same for an access to memory through `pointer`. */
MlirValue tri_cpu_shadow_sites_access(tri_cpu_shadow *x, tri_builder *b, MlirOperation op, MlirValue pointer);
/* What an assumption, or an index of tt.gather, does where it is wrong. */
MlirValue tri_cpu_shadow_sites_assume(tri_cpu_shadow *x, tri_builder *b, MlirOperation op);

/* Shorthands for both files; shadows may be null, which is 0 everywhere. */
MlirType tri_cpu_shadow_type(tri_cpu_shadow *x, MlirValue of);
MlirValue tri_cpu_shadow_max(tri_builder *b, MlirValue s, MlirValue t);
MlirValue tri_cpu_shadow_select(tri_builder *b, MlirValue cond, MlirValue s, MlirValue t);

#endif
