/* Which parts of an object OpenCL and Level Zero run: both take SPIR-V, and the machine code of Intel's GPUs. */
#include "runtime/launch/launch.h"

#include <stddef.h>
#include <string.h>

/* Intel's IP versions are 10 bits of architecture, 8 of release, and revisions (include/ze_intel_gpu.h of Intel's
 * compute-runtime, and the names that ocloc knows). */
const char *tri_rt_intel_arch(uint32_t ip_version)
{
    static const struct {
        uint32_t architecture, first, last;
        const char *arch;
    } rows[] = {{12, 55, 57, "intel-dg2"}, {12, 60, 61, "intel-pvc"}, {20, 1, 2, "intel-bmg"}, {20, 4, 4, "intel-lnl"}};
    uint32_t architecture = ip_version >> 22, release = ip_version >> 14 & 0xff;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (architecture == rows[i].architecture && release >= rows[i].first && release <= rows[i].last)
            return rows[i].arch;
    return NULL;
}

const tri_rt_image *tri_rt_image_of(const tri_rt_part *part, int is_spirv)
{
    for (uint32_t i = 0; i < part->image_count; i++)
        if (!part->images[i].is_ptx == !is_spirv)
            return &part->images[i];
    return NULL;
}

/* 0: the device does not run it. */
static int rank_of(const tri_rt_part *part, const tri_rt_spirv_device *device)
{
    int has_spirv = device->takes_spirv && tri_rt_image_of(part, 1), has_binary = tri_rt_image_of(part, 0) != NULL;
    if (device->arch && !strcmp(part->arch, device->arch))
        return has_binary || has_spirv ? 3 : 0;
    if (!strcmp(part->arch, "spirv64-sg32"))
        return has_spirv && device->has_lanes_32 ? 2 : 0;
    if (!strcmp(part->arch, "spirv64"))
        return has_spirv || (device->takes_spir && has_binary);
    return 0;
}

int tri_rt_find_spirv_part(const tri_rt_kernel *kernel, uint32_t config, const tri_rt_spirv_device *device,
                           uint32_t *out_part)
{
    int best = 0;
    for (uint32_t i = 0; i < kernel->part_count; i++) {
        const tri_rt_part *part = &kernel->parts[i];
        int rank = part->kind == TRI_OPENCL && part->config == config ? rank_of(part, device) : 0;
        if (rank > best) {
            best = rank;
            *out_part = i;
        }
    }
    return best > 0;
}
