/* Whatever a GPU family emits is simulated: the simulator has a function for every primitive of its table, and LLVM
 * knows every intrinsic by name; and the simulator has nothing that no family emits. (A family's row for an unknown
 * primitive does not compile, one of primitives.def without a function does not link.) */
#include "runtime/sim/sim.h"
#include "targets/amdgcn/amdgcn.h"
#include "targets/gpu/machine.h"
#include "targets/intel/intel.h"
#include "targets/nvptx/nvptx.h"
#include "targets/spirv/spirv.h"

#include "llvm-c/Core.h"

#include <stdio.h>
#include <string.h>

extern const tri_target tri_target_amdgcn, tri_target_intel, tri_target_nvptx, tri_target_spirv;

static int failures;

static void check(bool ok, const tri_machine *machine, const char *family, int id, const char *what)
{
    if (ok)
        return;
    failures++;
    fprintf(stderr, "%s: primitive '%s': %s\n", family, tri_machine_name(machine, id), what);
}

static int check_family(const char *family, const tri_machine *machine, const tri_sim_family *simulator)
{
    int present = 0;
    for (int id = 0; id < TRI_MACHINE_COUNT + machine->num_own; id++) {
        const tri_machine_row *row = &machine->rows[id];
        if (row->how == TRI_MACHINE_ABSENT)
            continue;
        present++;
        bool is_named = row->how == TRI_MACHINE_FUNCTION ? row->function != NULL : row->text && *row->text;
        check(is_named, machine, family, id, "has no text");
        check(tri_sim_has(simulator, tri_machine_name(machine, id)), machine, family, id, "is not simulated");
        if (row->how == TRI_MACHINE_INTRINSIC)
            check(LLVMLookupIntrinsicID(row->text, strlen(row->text)) != 0, machine, family, id,
                  "is no intrinsic of this LLVM");
    }
    return present;
}

/* The other direction: what the shared lowering may ask for, some family has. */
static void check_emitted(void)
{
    const tri_machine *machines[] = {&tri_nvptx_machine, &tri_spirv_machine, &tri_amdgcn_machine, &tri_intel_machine};
    for (int id = 0; id < TRI_MACHINE_COUNT; id++) {
        bool is_emitted = id >= TRI_MACHINE_load_global && id <= TRI_MACHINE_atomic_cas; /* functions of tri_machine */
        for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
            is_emitted |= machines[i]->rows[id].how != TRI_MACHINE_ABSENT;
        check(is_emitted, &tri_nvptx_machine, "simulator", id, "is simulated, but no family emits it");
    }
}

int main(void)
{
    check_emitted();
    int nvptx = check_family("nvptx", &tri_nvptx_machine, tri_target_nvptx.simulator),
        spirv = check_family("spirv", &tri_spirv_machine, tri_target_spirv.simulator),
        amdgcn = check_family("amdgcn", &tri_amdgcn_machine, tri_target_amdgcn.simulator),
        intel = check_family("intel", &tri_intel_machine, tri_target_intel.simulator);
    if (nvptx < 80 || spirv < 20 || amdgcn < 60 || intel < 30) {
        fprintf(stderr, "the tables hold %d, %d, %d and %d primitives only\n", nvptx, spirv, amdgcn, intel);
        failures++;
    }
    return failures ? 1 : 0;
}
