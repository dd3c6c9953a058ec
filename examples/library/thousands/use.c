/* use LIBRARY: counts its kernels and runs, by name, each addition in float32 that is for this machine. */
#include <tritcc/launch.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { n = 10000 };

static float x[n], y[n], out[n];

/* Is out the sum of x and y after a launch? The block stands in the kernel's name: add_fp32_1024_x86_64_v3. */
static int is_right(const tritcc_kernel *k)
{
    uint32_t block = 0;
    int32_t count = n;
    const float *a = x, *b = y;
    float *c = out;
    const void *const args[] = {&a, &b, &c, &count};
    if (sscanf(k->name, "add_fp32_%u", &block) != 1)
        return 0;
    tri_grid grid = {(n + block - 1) / block, 1, 1};
    memset(out, 0, sizeof out);
    if (k->launch(NULL, &grid, args))
        return 0;
    for (int i = 0; i < n; i++)
        if (out[i] != x[i] + y[i])
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) {
        fprintf(stderr, "use LIBRARY: %s\n", argc == 2 ? dlerror() : "give one");
        return 2;
    }
    const tritcc_kernel *(*next)(const tritcc_kernel *);
    *(void **)&next = dlsym(library, "tritcc_kernel_next");
    int kernels = 0, right = 0, wrong = 0;
    for (int i = 0; i < n; i++) {
        x[i] = (float)i;
        y[i] = 0.5f;
    }
    for (const tritcc_kernel *k = next(NULL); k; k = next(k)) {
        kernels++;
        if (strncmp(k->name, "add_fp32_", 9) || !strstr(k->name, "x86_64_v2"))
            continue;
        right += is_right(k);
        wrong += !is_right(k);
    }
    printf("%d kernels; %d additions right, %d wrong\n", kernels, right, wrong);
    return wrong != 0;
}
