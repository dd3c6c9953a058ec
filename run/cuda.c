/* Kernels on a CUDA device. */
#include "run/cuda.h"

#include "driver/tool.h"
#include "ir/kernel.h"
#include "runtime/launch/launch.h"

typedef struct {
    tri_cuda *cuda;
    tri_run_copies copies;
    tri_run_record record;
    int number;
} device;

static bool allocate(void *cuda, size_t size, uint64_t *out_address)
{
    return tri_cuda_allocate(cuda, size, out_address);
}
static bool write(void *cuda, uint64_t to, const void *data, size_t size)
{
    return tri_cuda_write(cuda, to, data, size);
}
static bool read(void *cuda, void *data, uint64_t from, size_t size) { return tri_cuda_read(cuda, data, from, size); }

const tri_run_memory tri_run_cuda_memory = {allocate, write, read};

/* The best architecture whose PTX the device takes; null: none. */
static const tri_machine_facts *arch_for(int capability)
{
    const tri_machine_facts *best = NULL;
    int best_rank = -1;
    for (size_t t = 0; t < tri_targets_count(); t++) {
        if (strcmp(tri_targets_at(t)->family, "nvptx") != 0)
            continue;
        for (const tri_machine_facts *arch = tri_machines_first(tri_targets_at(t)->family); arch;
             arch = tri_machines_next(arch)) {
            int rank = tri_rt_cuda_rank(arch->name, 1, capability);
            if (rank > best_rank) {
                best = arch;
                best_rank = rank;
            }
        }
    }
    return best;
}

static bool choose_cuda(tri_run_kernel *k, tri_run_opt *opt, const tri_argument_list *arguments)
{
    (void)arguments;
    device *d = TRI_NEW(k->unit.arena, device);
    k->device = d;
    d->number = (int)opt->device;
    if (!tri_tool_find(k->unit.arena, k->unit.diag, TRI_STR(""), &opt->compile))
        return false;
    d->cuda = tri_cuda_create(k->unit.diag, d->number);
    if (!d->cuda)
        return false;
    int capability = tri_cuda_capability(d->cuda);
    const tri_machine_facts *arch = arch_for(capability);
    if (!arch) {
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 9001,
                       "CUDA device %d has compute capability %d.%d, below all that code can be made for", d->number,
                       capability / 10, capability % 10);
        return false;
    }
    opt->compile.arch = tri_str_from(arch->name);
    opt->compile.host_tensormaps = opt->compile.has_launcher = true; /* as objects have it */
    return true;
}

static bool report_cuda(tri_run_kernel *k, int error)
{
    if (error)
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 9001, "CUDA: cannot run the kernel: %s", tri_strerror(error));
    return !error;
}

static bool open_cuda(tri_run_kernel *k, tri_argument_list *arguments)
{
    device *d = k->device;
    tri_run_record_fill(k, &d->record, TRI_CUDA, 32);
    return report_cuda(k, tri_rt_cuda_backend.load(&d->record.kernel, d->number)) &&
           tri_run_device_upload(k, &tri_run_cuda_memory, d->cuda, arguments, &d->copies);
}

static bool launch_cuda(tri_run_kernel *k, double *out_seconds)
{
    device *d = k->device;
    tri_grid grid = {k->grid.x, k->grid.y, k->grid.z};
    tri_rt_call call = {.grid = &grid, .args = (const void *const *)k->pointers};
    return tri_cuda_start_clock(d->cuda) && report_cuda(k, tri_rt_cuda_backend.launch(&d->record.kernel, &call)) &&
           tri_cuda_stop_clock(d->cuda, out_seconds);
}

static bool fetch_cuda(tri_run_kernel *k)
{
    device *d = k->device;
    return tri_run_device_fetch(&tri_run_cuda_memory, d->cuda, &d->copies);
}

static void close_cuda(tri_run_kernel *k)
{
    device *d = k->device;
    if (d && d->cuda) {
        tri_rt_cuda_backend.unload(&d->record.kernel, d->number);
        tri_cuda_destroy(d->cuda);
    }
}

const tri_run_backend tri_run_cuda = {
    .name = "cuda",
    .takes = TRI_KIND_PTX,
    .is_gpu = true,
    .choose = choose_cuda,
    .open = open_cuda,
    .launch = launch_cuda,
    .fetch = fetch_cuda,
    .close = close_cuda,
};
