/* Kernels on an OpenCL device. */
#include "run/device.h"

#include "base/file.h"
#include "base/process.h"
#include "driver/opt.h"
#include "driver/environment.h"
#include "ir/kernel.h"
#include "runtime/run/opencl.h"
#include "targets/facts.h"

typedef struct {
    tri_opencl *cl;
    tri_run_copies copies;
} device;

static bool allocate(void *cl, size_t size, uint64_t *out_address)
{
    return tri_opencl_allocate(cl, size, out_address);
}
static bool write(void *cl, uint64_t to, const void *data, size_t size) { return tri_opencl_write(cl, to, data, size); }
static bool read(void *cl, void *data, uint64_t from, size_t size) { return tri_opencl_read(cl, data, from, size); }

static const tri_run_memory memory = {allocate, write, read};

static bool choose_opencl(tri_run_kernel *k, tri_run_opt *opt, const tri_argument_list *arguments)
{
    (void)arguments;
    device *d = TRI_NEW(k->unit.arena, device);
    k->device = d;
    d->cl = tri_opencl_create(k->unit.diag, (int)opt->device, opt->platform);
    bool has_sub_groups = d->cl && tri_opencl_takes_spirv(d->cl) && tri_opencl_has_sub_groups(d->cl, 32);
    opt->compile.arch = has_sub_groups ? TRI_STR("spirv64-sg32") : TRI_STR("spirv64");
    return d->cl != NULL;
}

/* SPIR-V as LLVM bitcode of the SPIR kind, by llvm-spirv, for devices that read only that. */
static bool translate(tri_run_kernel *k, tri_str *code)
{
    static const char *const names[] = {"llvm-spirv", "llvm-spirv-15", "llvm-spirv-14"};
    tri_arena *arena = k->unit.arena;
    tri_diag *diag = k->unit.diag;
    tri_str program = {0}, folder, in, out, path = tri_environment_get("PATH");
    int error = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !program.len; i++)
        tri_process_find(arena, tri_str_from(names[i]), tri_str_copy(arena, path).data, &program);
    if (!program.len) {
        tri_diag_error(diag, TRI_NO_SPAN, 9001,
                       "OpenCL device '%s' takes no SPIR-V, and llvm-spirv, which could translate it, is not in PATH",
                       tri_opencl_name(((device *)k->device)->cl));
        return false;
    }
    if (!tri_file_make_temporary_folder(arena, &folder, &error) ||
        !tri_file_name_temporary(arena, folder, "kernel.spv", &in, &error) ||
        !tri_file_name_temporary(arena, folder, "kernel.bc", &out, &error) || !tri_file_write(in, *code, &error)) {
        tri_diag_error(diag, TRI_NO_SPAN, 9001, "cannot write a temporary file: %s", strerror(error));
        return false;
    }
    const char *const argv[] = {program.data, "-r", in.data, "-o", out.data, NULL};
    tri_process_result result = tri_process_run(arena, argv);
    bool ok = result.started && !result.status && !result.signal && tri_file_read(arena, out, code, &error);
    tri_file_remove_temporary_folder(folder);
    if (!ok) {
        tri_diag_error(diag, TRI_NO_SPAN, 9001, "'%.*s' failed: %.*s", TRI_STR_ARG(tri_process_quote(arena, argv)),
                       TRI_STR_ARG(result.output));
        return false;
    }
    return true;
}

static bool pass_arguments(tri_run_kernel *k)
{
    device *d = k->device;
    const tri_kernel *kernel = &k->unit.kernels.at[0];
    uint32_t n = 0;
    for (; n < k->num_values; n++)
        if (k->words[n].address ? !tri_opencl_set_address(d->cl, n, k->values[n])
                                : !tri_opencl_set_bytes(d->cl, n, &k->values[n], tri_run_word_size(k, n)))
            return false;
    uint64_t scratch, size = (uint64_t)kernel->scratch_bytes * k->grid.x * k->grid.y * k->grid.z;
    return !size || (tri_opencl_allocate(d->cl, (size_t)size, &scratch) && tri_opencl_set_address(d->cl, n, scratch));
}

static bool open_opencl(tri_run_kernel *k, tri_argument_list *arguments)
{
    device *d = k->device;
    tri_arena *arena = k->unit.arena;
    bool is_spirv = tri_opencl_takes_spirv(d->cl);
    tri_str code = tri_buf_str(&k->unit.bytes), symbol = tri_str_copy(arena, k->unit.kernels.at[0].symbol);
    if (!is_spirv && !tri_opencl_takes_spir(d->cl)) {
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 9001, "OpenCL device '%s' takes no SPIR-V", tri_opencl_name(d->cl));
        return false;
    }
    if (!is_spirv && !translate(k, &code))
        return false;
    return tri_opencl_build(d->cl, code, is_spirv, symbol.data) &&
           tri_run_device_upload(k, &memory, d->cl, arguments, &d->copies) && pass_arguments(k);
}

static bool launch_opencl(tri_run_kernel *k, double *out_seconds)
{
    device *d = k->device;
    uint32_t groups[3] = {k->grid.x, k->grid.y, k->grid.z};
    size_t threads = (size_t)k->unit.kernels.at[0].num_warps * (size_t)tri_facts_lanes(&k->unit);
    return tri_opencl_launch(d->cl, groups, threads, out_seconds);
}

static bool fetch_opencl(tri_run_kernel *k)
{
    device *d = k->device;
    return tri_run_device_fetch(&memory, d->cl, &d->copies);
}

static void close_opencl(tri_run_kernel *k)
{
    device *d = k->device;
    if (d)
        tri_opencl_destroy(d->cl);
}

const tri_run_backend tri_run_opencl = {
    .name = "opencl",
    .takes = TRI_KIND_SPIRV,
    .is_gpu = true,
    .choose = choose_opencl,
    .open = open_opencl,
    .launch = launch_opencl,
    .fetch = fetch_opencl,
    .close = close_opencl,
};
