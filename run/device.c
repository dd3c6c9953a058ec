#include "run/device.h"

#include "targets/object/object.h"

#include "ir/kernel.h"

static const tri_run_copy *copy_of(const tri_run_copies *copies, const void *data)
{
    for (size_t i = 0; i < copies->len; i++)
        if (copies->at[i].argument->array.data == data)
            return &copies->at[i];
    return NULL;
}

/* A table as the device must see it. */
static bool write_table(tri_run_kernel *k, const tri_run_memory *memory, void *device, const tri_run_copies *copies,
                        const tri_run_copy *table)
{
    const uint64_t *host = table->argument->array.data;
    size_t count = table->argument->targets.len;
    uint64_t *addresses = TRI_NEW_ARRAY(k->unit.arena, uint64_t, count + 1);
    for (size_t i = 0; i < count; i++)
        addresses[i] = copy_of(copies, (const void *)(uintptr_t)host[i])->address;
    return memory->write(device, table->address, addresses, table->size);
}

static void use_addresses(tri_run_kernel *k, const tri_run_copies *copies)
{
    for (size_t n = 0; n < k->num_values; n++)
        if (k->words[n].address)
            tri_run_word_point(&k->words[n],
                               (void *)(uintptr_t)copy_of(copies, k->words[n].argument->array.data)->address);
}

bool tri_run_device_upload(tri_run_kernel *k, const tri_run_memory *memory, void *device, tri_argument_list *arguments,
                           tri_run_copies *copies)
{
    for (size_t i = 0; i < arguments->len; i++) {
        const tri_argument *a = &arguments->at[i];
        if (!tri_run_kernel_is_memory(a))
            continue;
        tri_run_copy copy = {a, 0, (size_t)a->array.count * tri_dtype_size(a->array.dtype)};
        if (!memory->allocate(device, copy.size, &copy.address) ||
            !memory->write(device, copy.address, a->array.data, copy.size))
            return false;
        tri_vec_push(k->unit.arena, copies, copy);
    }
    for (size_t i = 0; i < copies->len; i++)
        if (copies->at[i].argument->kind == TRI_ARGUMENT_TABLE &&
            !write_table(k, memory, device, copies, &copies->at[i]))
            return false;
    use_addresses(k, copies);
    return true;
}

bool tri_run_device_fetch(const tri_run_memory *memory, void *device, const tri_run_copies *copies)
{
    for (size_t i = 0; i < copies->len; i++) {
        const tri_run_copy *copy = &copies->at[i];
        if (copy->argument->kind == TRI_ARGUMENT_ARRAY &&
            !memory->read(device, copy->argument->array.data, copy->address, copy->size))
            return false;
    }
    return true;
}

size_t tri_run_word_size(const tri_run_kernel *k, size_t n)
{
    tri_dtype dtype;
    bool is_number = !k->words[n].address && tri_dtype_find(k->words[n].type, &dtype);
    return is_number ? tri_dtype_size(dtype) : sizeof *k->values;
}

/* ---- a kernel for a launcher ---- */

/* Of the arguments, as launchers for OpenCL and Level Zero ask them; and of scratch behind them. */
static const uint16_t *list_sizes(tri_run_kernel *k, uint32_t *out_count)
{
    const tri_kernel *kernel = &k->unit.kernels.at[0];
    uint16_t *sizes = TRI_NEW_ARRAY(k->unit.arena, uint16_t, k->num_values + 2);
    uint32_t n = 0;
    while (n < k->num_values) {
        size_t size = tri_run_word_size(k, n);
        sizes[n] = (uint16_t)(k->words[n].address ? size | TRI_RT_IS_POINTER : size);
        n++;
    }
    if (kernel->scratch_bytes)
        sizes[n++] = sizeof *k->values | TRI_RT_IS_POINTER;
    *out_count = n;
    return sizes;
}

void tri_run_maps_fill(tri_run_kernel *k, tri_rt_variant *variant)
{
    const tri_kernel *kernel = &k->unit.kernels.at[0];
    tri_object_maps maps = tri_object_read_maps(k->unit.arena, kernel, k->num_values);
    tri_rt_map *rows = TRI_NEW_ARRAY(k->unit.arena, tri_rt_map, maps.len + 1);
    for (size_t i = 0; i < maps.len; i++)
        rows[i] = maps.at[i].row;
    variant->maps = rows;
    variant->map_count = (uint32_t)maps.len;
    variant->maps_for_scratch = kernel->maps_for_scratch;
}

void tri_run_record_fill(tri_run_kernel *k, tri_run_record *out, uint32_t kind, uint32_t lanes)
{
    const tri_kernel *kernel = &k->unit.kernels.at[0];
    tri_str code = tri_str_copy(k->unit.arena, tri_buf_str(&k->unit.bytes));
    out->image = (tri_rt_image){.arch = k->unit.arch->name, .data = code.data, .size = code.len, .is_ptx = 1};
    out->variant = (tri_rt_variant){.symbol = tri_str_copy(k->unit.arena, kernel->symbol).data,
                                    .num_warps = (uint32_t)kernel->num_warps,
                                    .num_ctas = kernel->num_ctas > 0 ? (uint32_t)kernel->num_ctas : 1,
                                    .shared_bytes = (uint32_t)kernel->shared_bytes,
                                    .scratch_bytes = (uint64_t)kernel->scratch_bytes,
                                    .scratch_alignment = (uint64_t)kernel->scratch_alignment,
                                    .launch_pdl = kernel->launch_pdl,
                                    .launch_cooperative = kernel->launch_cooperative,
                                    .is_persistent = kernel->is_persistent};
    out->variant.sizes = list_sizes(k, &out->variant.size_count);
    tri_run_maps_fill(k, &out->variant);
    out->part = (tri_rt_part){.arch = out->image.arch,
                              .images = &out->image,
                              .image_count = 1,
                              .kind = kind,
                              .lanes = lanes,
                              .variant_count = 1};
    out->kernel = (tri_rt_kernel){.name = out->variant.symbol,
                                  .parts = &out->part,
                                  .variants = &out->variant,
                                  .contexts = out->contexts,
                                  .modules = out->modules,
                                  .functions = out->functions,
                                  .rooms = out->rooms,
                                  .abi = TRI_RT_ABI,
                                  .slot_count = (uint32_t)k->num_values,
                                  .part_count = 1,
                                  .config_count = 1,
                                  .variant_count = 1};
}
