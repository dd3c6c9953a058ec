/* Every primitive of the lowering and the function that simulates it. A primitive without a
 * function does not link, so the two tables cannot drift apart. */
#include "runtime/sim/primitives.h"

static const struct {
    const char *name;
    tri_sim_function run;
} table[] = {
#define X(name, signature, meaning) {#name, tri_sim_##name},
#include "targets/gpu/primitives.def"
#undef X
};

bool tri_sim_has(const char *primitive)
{
    for (size_t i = 0; i < TRI_SIM_COUNT; i++)
        if (strcmp(table[i].name, primitive) == 0)
            return true;
    return false;
}

void tri_sim_primitive(uint32_t site, uint32_t primitive, const uint64_t *args, uint64_t *results)
{
    tri_sim *sim = tri_sim_running;
    TRI_ASSERT(sim && primitive < TRI_SIM_COUNT);
    sim->current->site = site;
    table[primitive].run(sim, primitive, args, results);
}
