/* Host objects with CUDA launchers: the cubin for the arch when ptxas is there, and the PTX, which newer
 * devices compile when they load it. */
#include "base/process.h"
#include "targets/facts.h"
#include "targets/nvptx/nvptx.h"
#include "targets/object.h"
#include "targets/target.h"

static bool has_ptxas(tri_unit *unit)
{
    tri_str path = tri_str_copy(unit->arena, unit->options->tool_path), tool;
    return tri_process_find(unit->arena, TRI_STR("ptxas"), path.data, &tool);
}

bool tri_nvptx_object(tri_unit *unit)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_BYTES);
    if (!tri_facts_parse(unit, tri_buf_str(&unit->bytes)))
        return false;
    tri_str arch = tri_str_from(unit->arch->name), ptx = tri_str_copy(unit->arena, tri_buf_str(&unit->bytes));
    tri_object_image images[2];
    size_t count = 0;
    if (has_ptxas(unit)) {
        if (!tri_nvptx_assemble(unit))
            return false;
        images[count++] = (tri_object_image){arch, tri_str_copy(unit->arena, tri_buf_str(&unit->bytes)), false};
    }
    images[count++] = (tri_object_image){arch, ptx, true};
    return tri_object_from_images(unit, count, images);
}
