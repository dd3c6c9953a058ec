// Runs a package that AOTInductor made on numbers that count up from 0 to 1, and prints the means of what it gives.
#include <ATen/ATen.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char **argv)
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
