/* Every primitive of the shared lowering and the function that simulates it. A primitive without a
 * function does not link, so the two tables cannot drift apart. */
#include "runtime/sim/primitives.h"

static const tri_sim_primitive_row table[] = {
#define X(name, signature, meaning) {#name, tri_sim_##name},
#include "targets/gpu/primitives.def"
#undef X
};

bool tri_sim_has(const tri_sim_family *family, const char *primitive)
{
    for (size_t i = 0; i < TRI_SIM_COUNT; i++)
        if (strcmp(table[i].name, primitive) == 0)
            return true;
    for (size_t i = 0; family && i < family->count; i++)
        if (strcmp(family->rows[i].name, primitive) == 0)
            return true;
    return false;
}

void tri_sim_primitive(uint32_t site, uint32_t primitive, const uint64_t *args, uint64_t *results)
{
    tri_sim *sim = tri_sim_running;
    TRI_ASSERT(sim && primitive < TRI_SIM_COUNT + (sim->family ? sim->family->count : 0));
    sim->current->site = site;
    const tri_sim_primitive_row *row =
        primitive < TRI_SIM_COUNT ? &table[primitive] : &sim->family->rows[primitive - TRI_SIM_COUNT];
    row->run(sim, primitive, args, results);
}
