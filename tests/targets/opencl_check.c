/* Runs one compiled kernel on the first OpenCL device and compares with a reference in double.
 *     opencl_check vadd|softmax|layernorm BITCODE THREADS ROWS COLUMNS
 * BITCODE is SPIR made from SPIR-V by llvm-spirv. Exit status 0: the numbers agree. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static cl_kernel kernel;
static cl_uint next_arg;

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s failed with %d\n", what, status);
        exit(1);
    }
}

static unsigned char *read_file(const char *path, size_t *out_size)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    fseek(f, 0, SEEK_END);
    *out_size = (size_t)ftell(f);
    rewind(f);
    unsigned char *data = malloc(*out_size);
    if (fread(data, 1, *out_size, f) != *out_size)
        exit(1);
    fclose(f);
    return data;
}

static void load(const char *path, const char *name)
{
    cl_platform_id platform;
    cl_int status, binary_status;
    size_t size;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    const unsigned char *data = read_file(path, &size);
    cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &data, &binary_status, &status);
    check(status, "clCreateProgramWithBinary");
    status = clBuildProgram(program, 1, &device, "-x spir -spir-std=1.2", NULL, NULL);
    if (status != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(status, "clBuildProgram");
    kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
}

static cl_mem buffer(const float *data, size_t count)
{
    cl_int status;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem memory = clCreateBuffer(context, flags, count * sizeof(float), (void *)(size_t)data, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, next_arg++, sizeof memory, &memory), "clSetKernelArg");
    return memory;
}

static void int_arg(cl_int value) { check(clSetKernelArg(kernel, next_arg++, sizeof value, &value), "clSetKernelArg"); }
static void float_arg(float value)
{
    check(clSetKernelArg(kernel, next_arg++, sizeof value, &value), "clSetKernelArg");
}

static void run(size_t groups, size_t threads)
{
    size_t global = groups * threads;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &threads, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
}

static float *fetch(cl_mem memory, size_t count)
{
    float *data = malloc(count * sizeof *data);
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * sizeof *data, data, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    return data;
}

static float *random_floats(size_t count)
{
    static unsigned seed = 1;
    float *data = malloc(count * sizeof *data);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (float)(seed >> 8) / 8388608.0f * 4 - 4;
    }
    return data;
}

static double worst;

static void compare(double got, double want, const char *what, size_t at)
{
    double error = fabs(got - want) / (1 + fabs(want));
    if (error > worst)
        worst = error;
    if (!(error < 1e-5)) {
        fprintf(stderr, "%s[%zu] is %.9g, should be %.9g\n", what, at, got, want);
        exit(1);
    }
}

static void check_vadd(size_t threads, size_t n)
{
    enum { block = 1024 };
    float *x = random_floats(n), *y = random_floats(n);
    buffer(x, n);
    buffer(y, n);
    cl_mem out = buffer(NULL, n);
    int_arg((cl_int)n);
    run((n + block - 1) / block, threads);
    float *got = fetch(out, n);
    for (size_t i = 0; i < n; i++)
        compare(got[i], (double)x[i] + y[i], "out", i);
}

static void check_softmax(size_t threads, size_t rows, size_t columns)
{
    float *x = random_floats(rows * columns);
    cl_mem out = buffer(NULL, rows * columns);
    buffer(x, rows * columns);
    int_arg((cl_int)columns);
    int_arg((cl_int)columns);
    int_arg((cl_int)rows);
    int_arg((cl_int)columns);
    run(rows < 7 ? rows : 7, threads);
    float *got = fetch(out, rows * columns);
    for (size_t r = 0; r < rows; r++) {
        double max = -INFINITY, sum = 0;
        for (size_t c = 0; c < columns; c++)
            max = fmax(max, x[r * columns + c]);
        for (size_t c = 0; c < columns; c++)
            sum += exp(x[r * columns + c] - max);
        for (size_t c = 0; c < columns; c++)
            compare(got[r * columns + c], exp(x[r * columns + c] - max) / sum, "out", r * columns + c);
    }
}

static void check_layernorm(size_t threads, size_t rows, size_t columns)
{
    const double eps = 1e-5;
    float *x = random_floats(rows * columns), *w = random_floats(columns), *b = random_floats(columns);
    buffer(x, rows * columns);
    cl_mem out = buffer(NULL, rows * columns);
    buffer(w, columns);
    buffer(b, columns);
    cl_mem means = buffer(NULL, rows), rstds = buffer(NULL, rows);
    int_arg((cl_int)columns);
    int_arg((cl_int)columns);
    float_arg((float)eps);
    run(rows, threads);
    float *y = fetch(out, rows * columns), *mean_got = fetch(means, rows), *rstd_got = fetch(rstds, rows);
    for (size_t r = 0; r < rows; r++) {
        const float *row = x + r * columns;
        double mean = 0, var = 0;
        for (size_t c = 0; c < columns; c++)
            mean += row[c] / (double)columns;
        for (size_t c = 0; c < columns; c++)
            var += (row[c] - mean) * (row[c] - mean) / (double)columns;
        double rstd = 1 / sqrt(var + eps);
        compare(mean_got[r], mean, "mean", r);
        compare(rstd_got[r], rstd, "rstd", r);
        for (size_t c = 0; c < columns; c++)
            compare(y[r * columns + c], (row[c] - mean) * rstd * w[c] + b[c], "y", r * columns + c);
    }
}

int main(int argc, char **argv)
{
    static const char *const names[][2] = {
        {"vadd", "add_kernel"}, {"softmax", "softmax_kernel"}, {"layernorm", "_layer_norm_fwd_fused"}};
    if (argc != 6 && argc != 7)
        return 2;
    const char *name = argc == 7 ? argv[6] : NULL;
    for (size_t i = 0; !name && i < sizeof names / sizeof *names; i++)
        if (!strcmp(argv[1], names[i][0]))
            name = names[i][1];
    if (!name)
        return 2;
    size_t threads = strtoul(argv[3], NULL, 10), rows = strtoul(argv[4], NULL, 10),
           columns = strtoul(argv[5], NULL, 10);
    load(argv[2], name);
    if (!strcmp(argv[1], "vadd"))
        check_vadd(threads, rows * columns);
    else if (!strcmp(argv[1], "softmax"))
        check_softmax(threads, rows, columns);
    else
        check_layernorm(threads, rows, columns);
    printf("%s agrees, worst error %.3g\n", argv[1], worst);
    return 0;
}
