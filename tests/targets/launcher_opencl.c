/* The launcher for OpenCL on a real device: memory of a queue's context, a queue of ours, launches in order. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include "v.h"
#include <stdio.h>
#include <stdlib.h>

static int check(const float *x, const float *y, const float *out, int n)
{
    for (int i = 0; i < n; i++)
        if (out[i] != x[i] + y[i])
            return printf("out[%d] is %g, not %g\n", i, (double)out[i], (double)(x[i] + y[i])), 1;
    return 0;
}

int main(void)
{
    enum { n = 3001 };
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    tri_grid grid = {(n + 1023) / 1024, 1, 1};
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return puts("no device"), 77;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    float *x = clSVMAlloc(context, CL_MEM_READ_WRITE, n * 4, 0), *y = clSVMAlloc(context, CL_MEM_READ_WRITE, n * 4, 0);
    float *out = clSVMAlloc(context, CL_MEM_READ_WRITE, n * 4, 0);
    for (int i = 0; i < n; i++) {
        x[i] = (float)i;
        y[i] = (float)(i * 7 % 1000);
        out[i] = -1;
    }
    int count, r = tri_select(TRI_OPENCL);
    const tri_variant *variants = add_kernel_variants(&count);
    r = r ? r : add_kernel(queue, grid, x, y, out, n);
    if (r || clFinish(queue) || check(x, y, out, n))
        return printf("error %d: %s\n", r, tri_strerror(r)), 1;
    printf("%s of %d\n", variants[add_kernel_selected(0)].arch, count);
    r = add_kernel_unload(0);
    r = r ? r : add_kernel(queue, grid, y, y, out, n);
    return r || clFinish(queue) || check(y, y, out, n);
}
