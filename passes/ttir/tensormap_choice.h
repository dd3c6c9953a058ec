/* Which tensor descriptors of a module are worth a tensor map of the machine, and can have one. */
#ifndef TRI_PASSES_TTIR_TENSORMAP_CHOICE_H
#define TRI_PASSES_TTIR_TENSORMAP_CHOICE_H

#include "base/map.h"
#include "passes/passes.h"

/* By type, as descriptors of one type may meet in loops and branches. A map is worth its making where blocks are loaded
 * again and again for a product; it can hold what is only loaded from and stored to as a whole block of up to five
 * dimensions, with elements that the copy engine knows, and stays in one function. Remarks of group "tma" say why
 * others do not get one. */
typedef struct {
    tri_map refused; /* MlirType.ptr -> const char *, why */
    bool is_worth;   /* for the module as a whole */
} tri_tensormap_choice;

tri_tensormap_choice tri_tensormap_choice_make(tri_pass_run *run);
bool tri_tensormap_choice_takes(const tri_tensormap_choice *choice, MlirType desc);

#endif
