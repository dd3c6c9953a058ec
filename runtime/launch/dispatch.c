/* From a call to one of the compiled forms of a kernel: which kind of device, and which variant for these arguments. */
#include "runtime/launch/launch.h"

#include <stddef.h>

/* ---- variants ---- */

static uint64_t value_of(const void *argument, unsigned bits)
{
    switch (bits) {
    case 64:
        return *(const uint64_t *)argument;
    case 32:
        return *(const uint32_t *)argument;
    case 16:
        return *(const uint16_t *)argument;
    default:
        return *(const uint8_t *)argument;
    }
}

/* What a choice of a variant goes by. */
typedef struct {
    const void *const *args;
    tri_rt_bytes_behind *bytes_behind;
    int believes; /* what is not known of arrays */
} facts;

static int is_below(const facts *f, uint64_t address, uint64_t limit)
{
    uint64_t bytes = f->bytes_behind && address ? f->bytes_behind(address) : 0;
    return bytes ? bytes < limit : f->believes || !address;
}

static int holds(const tri_rt_condition *c, const facts *f)
{
    uint64_t value = value_of(f->args[c->arg], c->bits);
    if (c->op == TRI_RT_BYTES_BELOW)
        return is_below(f, value, c->value);
    if (c->op == TRI_RT_EQUAL)
        return value == c->value;
    int is_power = !(c->value & (c->value - 1));
    return is_power ? !(value & (c->value - 1)) : value % c->value == 0;
}

static const tri_rt_condition *find_broken(const tri_rt_variant *variant, const facts *f)
{
    for (uint32_t i = 0; i < variant->condition_count; i++)
        if (!holds(&variant->conditions[i], f))
            return &variant->conditions[i];
    return NULL;
}

/* Is it for what the heuristics give? */
static int is_for(const tri_rt_variant *variant, const int64_t *given, uint32_t count)
{
    for (uint32_t i = 0; variant->computed && i < count; i++)
        if (variant->computed[i] != given[i])
            return 0;
    return 1;
}

/* The variant, or -1 and what the last of those that are for `given` lacks; null: there is none of these. */
static int find_variant(const tri_rt_kernel *kernel, const tri_rt_part *part, const facts *f, const int64_t *given,
                        const tri_rt_condition **out_broken)
{
    *out_broken = NULL;
    for (uint32_t i = 0; i < part->variant_count; i++) {
        const tri_rt_variant *variant = &kernel->variants[part->first_variant + i];
        if (part->heuristic_count && !is_for(variant, given, part->heuristic_count))
            continue;
        *out_broken = find_broken(variant, f);
        if (!*out_broken)
            return (int)(part->first_variant + i);
    }
    return -1;
}

int tri_rt_choose(const tri_rt_kernel *kernel, const tri_rt_part *part, const void *const *args,
                  tri_rt_bytes_behind *bytes_behind, int *out_error)
{
    static const int first_errors[] = {TRI_ERROR_ALIGNMENT, TRI_ERROR_VALUE, TRI_ERROR_BYTES};
    const tri_rt_condition *broken = NULL;
    int64_t given[TRI_RT_MAX_HEURISTICS];
    int number = -1;
    *out_error = part->heuristic_count ? TRI_ERROR_HEURISTIC : TRI_ERROR_ARCH;
    for (uint32_t i = 0; i < part->heuristic_count; i++)
        if (!tri_rt_evaluate(part->heuristics[i].steps, part->heuristics[i].step_count, args, &given[i]))
            return -1;
    for (int believes = 0; believes < 2 && number < 0; believes++) {
        facts f = {args, bytes_behind, believes};
        number = find_variant(kernel, part, &f, given, &broken);
        if (!broken || broken->op != TRI_RT_BYTES_BELOW)
            break;
    }
    if (broken)
        *out_error = first_errors[broken->op] + broken->arg;
    return number;
}

/* ---- arguments and rows ---- */

uint32_t tri_rt_pack(const tri_rt_kernel *kernel, const tri_rt_variant *variant, const void *const *args,
                     const void **out)
{
    uint32_t count = variant->slots ? variant->slot_count : kernel->slot_count;
    for (uint32_t i = 0; i < count; i++)
        out[i] = args[variant->slots ? variant->slots[i] : i];
    return count;
}

int tri_rt_row(const tri_rt_kernel *kernel, uint32_t part, uint32_t variant, uint32_t image)
{
    uint32_t row = 0;
    for (uint32_t i = 0; i < part; i++)
        row += kernel->parts[i].variant_count * (kernel->parts[i].image_count ? kernel->parts[i].image_count : 1);
    const tri_rt_part *p = &kernel->parts[part];
    return (int)(row + (variant - p->first_variant) * (p->image_count ? p->image_count : 1) + image);
}

/* ---- kinds of devices ---- */

/* Of the process, also where several of its libraries hold this function. Atomic; TRI_AUTOMATIC: not chosen yet. */
int tri_rt_chosen_kind = TRI_AUTOMATIC;

int tri_select(int kind)
{
    if (kind < TRI_AUTOMATIC || kind > TRI_ASCEND)
        return TRI_ERROR_NO_DEVICE;
    __atomic_store_n(&tri_rt_chosen_kind, kind, __ATOMIC_RELAXED);
    return TRI_OK;
}

/* The first back end of the kernel that has a device; it becomes the process's choice. */
static const tri_rt_backend *find_first(const tri_rt_kernel *kernel)
{
    for (const tri_rt_backend *const *b = kernel->backends; *b; b++) {
        if (!b[1] || (*b)->has_device()) {
            int none = TRI_AUTOMATIC;
            __atomic_compare_exchange_n(&tri_rt_chosen_kind, &none, (*b)->kind, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
            return *b;
        }
    }
    return NULL;
}

/* Kernels with code for one kind have no choice. */
static const tri_rt_backend *find_backend(const tri_rt_kernel *kernel)
{
    if (!kernel->backends[1])
        return kernel->backends[0];
    int kind = __atomic_load_n(&tri_rt_chosen_kind, __ATOMIC_RELAXED);
    if (kind == TRI_AUTOMATIC)
        return find_first(kernel);
    for (const tri_rt_backend *const *b = kernel->backends; *b; b++)
        if ((*b)->kind == kind)
            return *b;
    return NULL;
}

/* ---- called by wrappers ---- */

int tri_rt_launch(tri_rt_kernel *kernel, tri_stream stream, const tri_grid *grid, const void *const *args,
                  const uint64_t *lengths)
{
    const tri_rt_backend *backend = find_backend(kernel);
    if (!backend)
        return TRI_ERROR_ARCH;
    tri_rt_call call = {stream, grid, args, lengths, 0};
    return backend->launch(kernel, &call);
}

int tri_rt_tune(tri_rt_kernel *kernel, tri_stream stream, const tri_grid *grid, const void *const *args)
{
    const tri_rt_backend *backend = find_backend(kernel);
    return backend ? tri_rt_tune_with(backend, kernel, stream, grid, args) : TRI_ERROR_ARCH;
}

int tri_rt_load(tri_rt_kernel *kernel, int device)
{
    const tri_rt_backend *backend = find_backend(kernel);
    return backend ? backend->load(kernel, device) : TRI_ERROR_ARCH;
}

int tri_rt_unload(tri_rt_kernel *kernel, int device)
{
    const tri_rt_backend *backend = find_backend(kernel);
    return backend ? backend->unload(kernel, device) : TRI_ERROR_ARCH;
}

int tri_rt_selected(tri_rt_kernel *kernel, int device)
{
    const tri_rt_backend *backend = find_backend(kernel);
    return backend ? backend->selected(kernel, device) : -1;
}
