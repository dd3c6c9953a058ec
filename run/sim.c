/* GPU code on the simulator. */
#include "run/device.h"

#include "base/progress.h"
#include "ir/kernel.h"
#include "ir/llvm.h"
#include "runtime/sim/nvptx/tensormap.h"

#include "llvm-c/Core.h"
#include "targets/facts.h"

/* Lets the simulator know an array by the name of its parameter. */
static void add_buffer(tri_run_kernel *k, const tri_argument *a)
{
    const tri_kernel *kernel = &k->unit.kernels.at[0];
    tri_str name = a->name;
    for (size_t n = 0; !name.len && n < kernel->params.len; n++)
        if (k->passed[n] == a)
            name = kernel->params.at[n].name;
    name = tri_str_copy(k->unit.arena, name);
    tri_sim_add_buffer(k->sim, a->array.data, (size_t)a->array.count * tri_dtype_size(a->array.dtype), name.data);
}

/* A persistent kernel takes the grid behind the source's arguments, and runs on a smaller one, as on a device with room
 * for few programs; how many arguments these are. */
static size_t add_given_grid(tri_run_kernel *k, const tri_kernel *kernel, tri_sim_grid *grid)
{
    enum { room = 3, count = 3 };
    uint64_t programs = (uint64_t)grid->x * grid->y * grid->z;
    if (!kernel->is_persistent)
        return 0;
    const uint32_t sizes[count] = {grid->x, grid->y, grid->z};
    for (size_t i = 0; i < count; i++)
        k->values[k->num_values + i] = sizes[i];
    *grid = (tri_sim_grid){programs < room ? (uint32_t)programs : room, 1, 1};
    return count;
}

/* Tensor maps, and whether they are there, which come behind those; how many these are. */
static size_t add_given_maps(tri_run_kernel *k, size_t at)
{
    enum { alignment = 64, count = 2 };
    tri_rt_variant variant = {0};
    tri_run_maps_fill(k, &variant);
    if (!variant.map_count)
        return 0;
    size_t size = (size_t)variant.map_count * TRI_RT_MAP_BYTES;
    char *memory = tri_arena_alloc(k->unit.arena, size + alignment);
    memory += alignment - 1 - ((uintptr_t)memory + alignment - 1) % alignment;
    k->values[at] = (uint64_t)(uintptr_t)memory;
    k->values[at + 1] = (uint64_t)tri_rt_make_maps(&variant, (const void *const *)k->pointers,
                                                              tri_sim_encode_tensormap, memory);
    return count;
}

/* Scratch memory of the whole grid, which is the argument behind all others. */
static void add_scratch(tri_run_kernel *k, const tri_kernel *kernel, size_t at)
{
    uint64_t programs = (uint64_t)k->launched.x * k->launched.y * k->launched.z,
             alignment = (uint64_t)kernel->scratch_alignment;
    size_t size = (size_t)((uint64_t)kernel->scratch_bytes * programs);
    if (!size)
        return;
    char *memory = tri_arena_alloc(k->unit.arena, size + alignment);
    memory += alignment - 1 - ((uintptr_t)memory + alignment - 1) % alignment;
    tri_sim_add_buffer(k->sim, memory, size, "global scratch memory");
    k->values[at] = (uint64_t)(uintptr_t)memory;
}

static bool open_simulator(tri_run_kernel *k, tri_argument_list *arguments)
{
    tri_unit *unit = &k->unit;
    const tri_kernel *kernel = &unit->kernels.at[0];
    k->sites = TRI_NEW_ARRAY(unit->arena, tri_sim_site, unit->sites.len + 1);
    for (size_t i = 0; i < unit->sites.len; i++)
        k->sites[i] = (tri_sim_site){unit->sites.at[i].span, unit->sites.at[i].primitive};
    k->sim = tri_sim_create(unit->diag, unit->target->simulator, k->sites, unit->sites.len, kernel->num_warps,
                            tri_facts_lanes(unit), (size_t)kernel->shared_bytes);
    for (size_t i = 0; i < arguments->len; i++)
        if (tri_run_kernel_is_memory(&arguments->at[i]))
            add_buffer(k, &arguments->at[i]);
    k->launched = k->grid;
    k->launched.x *= kernel->num_ctas > 1 ? (uint32_t)kernel->num_ctas : 1; /* a cluster's blocks never meet */
    size_t at = k->num_values + add_given_grid(k, kernel, &k->launched);
    add_scratch(k, kernel, at + add_given_maps(k, at));
    const tri_jit_symbol symbols[] = {{"tri_sim_primitive", (const void *)(uintptr_t)tri_sim_primitive},
                                      {"global_smem", tri_sim_shared(k->sim)}};
    if (unit->target->optimize_simulated && !unit->target->optimize_simulated(unit))
        return false;
    LLVMModuleRef module = unit->llvm_module;
    unit->llvm_module = NULL;
    /* Enough to keep the many single-use values out of memory. The code runs once or twice: making it well takes
     * longer than running it. */
    if (!tri_llvm_run_passes(unit->diag, module, NULL, "function(sroa,early-cse)")) {
        LLVMDisposeModule(module);
        return false;
    }
    k->jit = tri_jit_create(unit->diag, module, tri_str_copy(unit->arena, kernel->symbol).data, symbols, 2,
                            tri_jit_oldest(0));
    return k->jit != NULL;
}

static void show(void *progress, uint64_t done, uint64_t total)
{
    tri_progress_step(progress, done, total);
}

static bool launch_simulator(tri_run_kernel *k, double *out_seconds)
{
    (void)out_seconds;
    tri_sim_set_watch(k->sim, k->progress ? show : NULL, k->progress);
    return tri_sim_run(k->sim, tri_jit_entry(k->jit), k->values, k->launched);
}

static void close_simulator(tri_run_kernel *k)
{
    tri_sim_destroy(k->sim);
}

const tri_run_backend tri_run_sim = {
    .name = "sim",
    .takes = TRI_KIND_RAW_LLIR,
    .is_gpu = true,
    .open = open_simulator,
    .launch = launch_simulator,
    .close = close_simulator,
};
