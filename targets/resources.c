#include "targets/resources.h"

#include "ir/kernel.h"
#include "targets/facts.h"

static void print_occupancy(const tri_kernel *k, const tri_resources *r, tri_buf *out)
{
    if (!r->limit)
        return;
    tri_buf_format(out, "  occupancy  %s%d %%: %d block%s per multiprocessor, limited by %s\n",
                   k->registers >= 0 ? "" : "at most ", r->percent, r->blocks, r->blocks == 1 ? "" : "s", r->limit);
}

/* An object for AMD's GPUs has this form of a kernel beside the one for arrays of any size. */
static bool is_for_small_arrays(const tri_kernel *k)
{
    for (size_t i = 0; i < k->params.len; i++)
        if (k->params.at[i].is_small)
            return true;
    return false;
}

static void print_kernel(const tri_unit *unit, const tri_kernel *k, tri_str code, tri_buf *out)
{
    const tri_target *target = unit->target;
    tri_buf_format(out, "%.*s, %s%s:", TRI_STR_ARG(k->name), unit->arch->name,
                   is_for_small_arrays(k) ? ", arrays below 2 GiB" : "");
    if (!target->resources) {
        tri_buf_add_z(out, " nothing is counted for this target\n");
        return;
    }
    tri_resources r = target->resources(unit, k, code);
    tri_buf_format(out, " %d warps, %d stages\n", k->num_warps, tri_facts_stages(unit));
    if (k->registers >= 0)
        tri_buf_format(out, "  registers  %d per thread, %d bytes spilled\n", k->registers, k->spill_bytes);
    else
        tri_buf_format(out, "  registers  not known without %s\n", target->binary_tool);
    if (r.lanes)
        tri_buf_format(out, "  sub-group  %d work-items\n", r.lanes);
    tri_buf_format(out, "  shared     %lld of %u bytes\n", (long long)k->shared_bytes, unit->arch->max_shared);
    if (k->scratch_bytes)
        tri_buf_format(out, "  scratch    %lld bytes of global memory per block\n", (long long)k->scratch_bytes);
    tri_buf_format(out, "  barriers   %d\n", r.barriers);
    print_occupancy(k, &r, out);
}

void tri_resources_print(const tri_unit *unit, tri_str code, tri_buf *out)
{
    for (size_t i = 0; i < unit->kernels.len; i++)
        print_kernel(unit, &unit->kernels.at[i], code, out);
}
