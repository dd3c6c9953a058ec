#include "run/device.h"

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
    const tri_kernel *kernel = &k->unit.kernels.at[0];
    size_t n = 0;
    for (size_t i = 0; i < kernel->params.len; i++) {
        if (kernel->params.at[i].is_constexpr)
            continue;
        if (tri_run_kernel_is_memory(k->passed[i]))
            k->values[n] = copy_of(copies, k->passed[i]->array.data)->address;
        n++;
    }
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
