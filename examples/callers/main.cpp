// A kernel called from C++.
#include "vadd.h"

#include <cstdio>
#include <vector>

int main()
{
    const int n = 98432;
    std::vector<float> x(n), y(n), out(n, -1.0f);
    for (int i = 0; i < n; i++) {
        x[i] = static_cast<float>(i % 1000);
        y[i] = static_cast<float>(i % 777) * 0.5f;
    }
    if (int error = add_kernel_run(nullptr, x.data(), y.data(), out.data(), n)) {
        std::fprintf(stderr, "add_kernel: %s\n", tri_strerror(error));
        return 1;
    }
    for (int i = 0; i < n; i++)
        if (out[i] != x[i] + y[i]) {
            std::fprintf(stderr, "element %d is %g, not %g\n", i, out[i], x[i] + y[i]);
            return 1;
        }
    std::printf("C++: %d elements are right\n", n);
    return 0;
}
