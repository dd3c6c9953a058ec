/* Copies of the arguments' arrays in the memory of a device. */
#ifndef TRI_DRIVER_RUN_DEVICE_H
#define TRI_DRIVER_RUN_DEVICE_H

#include "run/backend.h"
#include "runtime/launch/launch.h"

/* What a device can do with memory. `device` is the first argument of each. False after a report. */
typedef struct {
    bool (*allocate)(void *device, size_t size, uint64_t *out_address);
    bool (*write)(void *device, uint64_t address, const void *data, size_t size);
    bool (*read)(void *device, void *data, uint64_t address, size_t size);
} tri_run_memory;

typedef struct {
    const tri_argument *argument;
    uint64_t address;
    size_t size;
} tri_run_copy;

typedef TRI_VEC(tri_run_copy) tri_run_copies;

/* Copies every array of the list to the device, with addresses of the device in the address tables, and
 * puts the addresses where the kernel's arguments had the host's. */
bool tri_run_device_upload(tri_run_kernel *k, const tri_run_memory *memory, void *device, tri_argument_list *arguments,
                           tri_run_copies *out_copies);

/* Copies the arrays back; address tables keep the host's addresses. */
bool tri_run_device_fetch(const tri_run_memory *memory, void *device, const tri_run_copies *copies);

/* Bytes of word `n` as the code takes it: numbers are passed in their own size. */
size_t tri_run_word_size(const tri_run_kernel *k, size_t n);

/* A kernel with one part of one variant, as an object would have it, for a launcher of objects. */
typedef struct {
    tri_rt_image image;
    tri_rt_variant variant;
    tri_rt_part part;
    tri_rt_kernel kernel;
    tri_rt_context contexts[TRI_RT_MAX_CONTEXTS];
    tri_rt_module modules[TRI_RT_MAX_CONTEXTS];
    void *functions[TRI_RT_MAX_CONTEXTS];
    uint32_t rooms[TRI_RT_MAX_CONTEXTS];
} tri_run_record;

/* The tensor maps that launchers of the kernel make. */
void tri_run_maps_fill(tri_run_kernel *k, tri_rt_variant *variant);
/* `kind` and `lanes` are the part's; the image is the unit's code. */
void tri_run_record_fill(tri_run_kernel *k, tri_run_record *out, uint32_t kind, uint32_t lanes);

#endif
