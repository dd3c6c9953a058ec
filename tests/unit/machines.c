/* The table of machines: rows are whole, and every value of ttg.target that may occur finds the facts that it should.
 */
#include "ir/machines.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(bool ok, const char *what, const char *subject)
{
    if (ok)
        return;
    failures++;
    fprintf(stderr, "%s: %s\n", subject, what);
}

static bool is_power_of_two(int n) { return n > 0 && !(n & (n - 1)); }

/* What is derived from a row must hold for each. */
static void check_row(const tri_machine_facts *m)
{
    bool is_gpu = m->lanes > 1;
    expect(is_power_of_two(m->lanes) && m->lanes <= 64, "lanes", m->name);
    expect(m->help && m->backend, "names", m->name);
    expect(m->max_ctas >= 1 && (m->max_ctas == 1 || is_power_of_two(m->max_ctas)), "blocks of a cluster", m->name);
    expect(!is_gpu || (m->ttg_target && is_power_of_two(m->banks) && m->vector_bits >= 32 && m->max_threads >= 256),
           "limits", m->name);
    expect(is_gpu || (m->processor != TRI_PROCESSOR_NONE && m->implied && !m->ttg_target), "a processor", m->name);
    expect(!m->mma_version == (m->mma == TRI_MMA_NONE), "version of products", m->name);
    expect(!m->has_warp_groups || m->mma == TRI_MMA_SYNC, "products of warp groups", m->name);
    expect(!m->ttg_target || tri_machines_for(tri_str_from(m->ttg_target))->mma == m->mma, "its own ttg.target",
           m->name);
    expect(tri_machines_named(tri_str_from(m->name)) == m, "its own name", m->name);
}

/* ttg.target, the row that serves it (null: none), lanes. */
static const struct {
    const char *target, *name;
    int lanes;
} wants[] = {
    {"", "any", 32},
    {"cuda:80", "sm_80", 32},
    {"cuda:90", "sm_90a", 32},
    {"cuda:75", "sm_75", 32},
    {"cuda:60", "sm_70", 32},
    {"cuda:87", "sm_86", 32},
    {"cuda:103", "sm_100a", 32},
    {"cuda:121", "sm_120a", 32},
    {"hip:gfx906", "gfx906", 64},
    {"hip:gfx908", "gfx90a", 64},
    {"hip:gfx90a", "gfx90a", 64},
    {"hip:gfx942", "gfx942", 64},
    {"hip:gfx950", "gfx950", 64},
    {"hip:gfx1030", "gfx1100", 32},
    {"hip:gfx1100", "gfx1100", 32},
    {"hip:gfx1200", "gfx1200", 32},
    {"hip:gfx1250", "gfx1250", 32},
    {"xpu:dg2", "intel-dg2", 16},
    {"xpu", "intel-pvc", 32},
    {"opencl:generic", "spirv64", 32},
    {"opencl:64", "spirv64", 32},
    {"cuda:", NULL, 0},
    {"cuda:new", NULL, 0},
    {"hip:", NULL, 0},
    {"metal:3", NULL, 0},
};

int main(void)
{
    static const char *const families[] = {"cpu", "nvptx", "spirv", "amdgcn", "intel"};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        expect(tri_machines_first(families[f]) != NULL, "no machine", families[f]);
        for (const tri_machine_facts *m = tri_machines_first(families[f]); m; m = tri_machines_next(m))
            check_row(m);
    }
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        const tri_machine_facts *m = tri_machines_for(tri_str_from(wants[i].target));
        expect(!m == !wants[i].name && (!m || (!strcmp(m->name, wants[i].name) && m->lanes == wants[i].lanes)),
               m ? m->name : "no rule fits", wants[i].target);
    }
    return failures ? 1 : 0;
}
