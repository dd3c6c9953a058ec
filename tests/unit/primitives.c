/* Whatever a GPU family emits is simulated: its table names, for every primitive that it has, a function that the
 * simulator has too, and LLVM knows every intrinsic by name; and the simulator has nothing that no family emits. (A row of
 * machine.def for an unknown primitive does not compile, one of primitives.def without a function does not link.) */
#include "runtime/sim/sim.h"
#include "targets/gpu/machine.h"
#include "targets/nvptx/nvptx.h"
#include "targets/spirv/spirv.h"

#include "llvm-c/Core.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void check(bool ok, const char *family, tri_machine_id id, const char *what)
{
    if (ok)
        return;
    failures++;
    fprintf(stderr, "%s: primitive '%s': %s\n", family, tri_machine_name(id), what);
}

static int check_family(const char *family, const tri_machine *machine)
{
    static const char prefix[] = "tri_sim_";
    int present = 0;
    for (tri_machine_id id = 0; id < TRI_MACHINE_COUNT; id++) {
        const tri_machine_row *row = &machine->rows[id];
        if (row->how == TRI_MACHINE_ABSENT)
            continue;
        present++;
        check(row->text && *row->text, family, id, "has no text");
        bool is_named = row->sim && !strncmp(row->sim, prefix, sizeof prefix - 1);
        check(is_named, family, id, "names no function of the simulator");
        check(is_named && tri_sim_has(row->sim + sizeof prefix - 1), family, id, "names a function that the simulator lacks");
        check(tri_sim_has(tri_machine_name(id)), family, id, "is not simulated");
        if (row->how == TRI_MACHINE_INTRINSIC)
            check(LLVMLookupIntrinsicID(row->text, strlen(row->text)) != 0, family, id, "is no intrinsic of this LLVM");
    }
    return present;
}

/* The other direction: what is simulated is emitted by a family. */
static void check_emitted(void)
{
    for (tri_machine_id id = 0; id < TRI_MACHINE_COUNT; id++) {
        bool is_emitted = tri_nvptx_machine.rows[id].how != TRI_MACHINE_ABSENT || tri_spirv_machine.rows[id].how != TRI_MACHINE_ABSENT;
        check(is_emitted || !tri_sim_has(tri_machine_name(id)), "simulator", id, "is simulated, but no family emits it");
    }
}

int main(void)
{
    check_emitted();
    int nvptx = check_family("nvptx", &tri_nvptx_machine), spirv = check_family("spirv", &tri_spirv_machine);
    if (nvptx < 80 || spirv < 20) {
        fprintf(stderr, "the tables hold %d and %d primitives only\n", nvptx, spirv);
        failures++;
    }
    return failures ? 1 : 0;
}
