// Runs a package that AOTInductor made on numbers that count up from 0 to 1, and prints the means of what it gives.
//
// With PROGRAM it is the program itself, which loads the rest, a library beside it, as Python loads torch: names
// apart. A model has templates of the C++ library that its compiler made; in a program that is linked with torch
// they are bound to those of torch's compiler, and std::regex of another release of GCC ends in a fault.
#ifdef PROGRAM
#include <dlfcn.h>

#include <cstdio>
#include <string>

int main(int argc, char **argv)
{
    void *library = dlopen((std::string(argv[0]) + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    void *run = library ? dlsym(library, "run_package") : nullptr;
    if (run)
        return reinterpret_cast<int (*)(int, char **)>(run)(argc, argv);
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
}
#else
#include <ATen/ATen.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int run_package(int argc, char **argv)
{
    if (argc < 4) {
        std::fprintf(stderr, "usage: %s PACKAGE cpu|cuda ROWS,COLUMNS...\n", argv[0]);
        return 2;
    }
    at::Device device(argv[2]);
    std::vector<at::Tensor> inputs;
    for (int i = 3; i < argc; i++) {
        char *end;
        long rows = std::strtol(argv[i], &end, 10), columns = std::strtol(end + 1, nullptr, 10);
        at::Tensor numbers = at::arange(rows * columns, at::TensorOptions().dtype(at::kFloat).device(device));
        inputs.push_back((numbers / static_cast<double>(rows * columns)).reshape({rows, columns}));
    }
    torch::inductor::AOTIModelPackageLoader loader(argv[1]);
    for (const at::Tensor &output : loader.run(inputs))
        std::printf("%.6f\n", output.to(at::kDouble).abs().mean().item<double>());
    return 0;
}
#endif
