// The PTX and the resources of a kernel, with the context in a smart pointer.
#include <tritcc/tritcc.h>

#include <iostream>
#include <memory>
#include <string_view>

static constexpr std::string_view kernel = R"(import triton
import triton.language as tl

@triton.jit
def double(p, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, 2 * tl.load(p + i))
)";

int main()
{
    tritcc_context *made = nullptr;
    if (int status = tritcc_create(&made)) {
        std::cerr << tritcc_strerror(status) << '\n';
        return 1;
    }
    std::unique_ptr<tritcc_context, int (*)(tritcc_context *)> context(made, tritcc_destroy);
    tritcc_set_options(context.get(), "-arch=sm_80 -sig '*fp32:16, 128' -emit=ptx,json");
    tritcc_set_input(context.get(), "double.tri", kernel.data(), kernel.size());
    if (int status = tritcc_compile(context.get())) {
        const char *log = "";
        tritcc_get_log(context.get(), &log, nullptr);
        std::cerr << tritcc_strerror(status) << ": " << log;
        return 1;
    }
    const char *kind;
    const void *data;
    size_t size;
    for (size_t i = 0; tritcc_get_output_at(context.get(), i, &kind, &data, &size) == TRITCC_OK; i++)
        std::cout << "--- " << kind << '\n' << std::string_view(static_cast<const char *>(data), size);
}
