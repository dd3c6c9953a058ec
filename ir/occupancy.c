#include "ir/occupancy.h"

/* The same on all of them: registers are handed out to warps in units, to four warps at a time; shared memory comes in
 * units too, and the system keeps 1 KiB per block. */
enum { register_unit = 256, warp_unit = 4, lanes = 32, shared_unit = 128, shared_of_system = 1024 };

static void limit_to(tri_occupancy *o, int64_t blocks, const char *what)
{
    if (!o->limit || blocks < o->blocks) {
        o->blocks = (int)blocks;
        o->limit = what;
    }
}

tri_occupancy tri_occupancy_of(const tri_machine_facts *facts, const tri_occupancy_needs *needs)
{
    tri_occupancy o = {0};
    if (!facts->resident_warps)
        return o;
    limit_to(&o, facts->resident_warps / needs->warps, "warps");
    limit_to(&o, facts->resident_blocks, "blocks");
    if (needs->registers > 0) {
        int per_warp = (needs->registers * lanes + register_unit - 1) / register_unit * register_unit;
        limit_to(&o, TRI_OCCUPANCY_REGISTERS / per_warp / warp_unit * warp_unit / needs->warps, "registers");
    }
    int64_t shared = (needs->shared + shared_of_system + shared_unit - 1) / shared_unit * shared_unit;
    limit_to(&o, facts->resident_shared / shared, "shared memory");
    if (facts->resident_barriers && needs->barriers)
        limit_to(&o, facts->resident_barriers / needs->barriers, "barriers");
    return o;
}
