# tritcc called as triton-compile: the command line and files of Triton's triton/tools/compile.py.
load ../helpers

setup() {
    start_test || return 1
    ln -s "$TRITCC" triton-compile
    TRITCC=$PWD/triton-compile
    cat >k.py <<'END'
import triton
import triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, s, h, b, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + i, mask=i < n) * s + h.to(tl.float32) + b.to(tl.float32)
    tl.store(out_ptr + i, x + tl.load(y_ptr + i, mask=i < n), mask=i < n)
END
}

# The part of cuda.h that the sources use.
write_cuda_h() {
    cat >cuda.h <<'END'
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef int CUresult;
typedef struct CUmod *CUmodule;
typedef struct CUfunc *CUfunction;
typedef struct CUst *CUstream;
typedef unsigned long long CUdeviceptr;
enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };
CUresult cuInit(unsigned), cuCtxSetCurrent(void *), cuDevicePrimaryCtxRetain(void **, int);
CUresult cuModuleLoadData(CUmodule *, const void *), cuModuleUnload(CUmodule);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *), cuFuncSetAttribute(CUfunction, int, int);
CUresult cuGetErrorString(CUresult, const char **), cuMemAllocAsync(CUdeviceptr *, size_t, CUstream);
CUresult cuMemFreeAsync(CUdeviceptr, CUstream);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                        void **, void **);
#ifdef __cplusplus
}
#endif
END
}

make_stub() {
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
}

@test "files, functions and the linker's lines have Triton's names" {
    local s t='*fp32:16, *fp32:16, *fp32'
    for s in "$t, i32, fp32, fp16, bf16, 1024" "$t, i32:1, fp32, fp16, bf16, 1_024" "$t, i32:16, fp32, fp16, bf16, 1024"; do
        tritcc --kernel-name add_kernel --signature "$s" --grid '(n + 1023)/1024, 1, 1' --target cuda:compute_80:32 \
            --num-warps 4 --num-stages 3 --num-ctas 1 --out-name add --out-path out.foo k.py
        [ -z "$output$errors" ]
    done
    # by compile.py of Triton 3.6 with the same arguments
    local n
    for n in 1403cadd_0d1d234567 ec2da5ed_0d1d23c4567 f88ac477_0d1d23d4567; do
        [ -s out.$n.c ] && [ -s out.$n.h ]
    done
    [ "$(echo out.*)" = "$(echo out.{1403cadd,ec2da5ed,f88ac477}_*)" ]
    local p='CUdeviceptr x_ptr, CUdeviceptr y_ptr, CUdeviceptr out_ptr'
    grep -Fx "// tt-linker: add_1403cadd_0d1d234567:$p, int32_t n, double s, double h, double b:1024_warps4xstages3" out.1403cadd_*.h
    grep -Fx "CUresult add_1403cadd_0d1d234567(CUstream stream, $p, int32_t n, double s, double h, double b);" out.1403cadd_*.h
    grep -Fx "// tt-linker: add_ec2da5ed_0d1d23c4567:$p, int32_t n, double s, double h, double b:1024x1_warps4xstages3" out.ec2da5ed_*.h
    grep -Fx "CUresult add_ec2da5ed_0d1d23c4567(CUstream stream, $p, double s, double h, double b);" out.ec2da5ed_*.h
    grep -Fx "void load_add_ec2da5ed_0d1d23c4567(void);" out.ec2da5ed_*.h
    grep -Fx "void unload_add_ec2da5ed_0d1d23c4567(void);" out.ec2da5ed_*.h
}

@test "the source launches the kernel with the numbers that it takes" {
    write_cuda_h
    make_stub
    tritcc -n add_kernel -s '*fp32,*fp32,*fp32,i32,fp32,fp16,bf16,64' -g 'n / 64,2,1' -t cuda:compute_90 -w2 -on=f k.py
    cat >main.c <<'END'
#include "tests/targets/stub_cuda.h"
#include HEADER
#define CALL(name) name(NULL, 16, 32, 48, 130, 1.5, 2.0009765625, 1.00390625)
int main(void)
{
    stub_log *log = stub_get_log();
    void *context;
    int sizes[] = {8, 8, 8, 4, 4, 2, 2};
    for (int i = 0; i < 7; i++)
        log->want_bytes[i] = sizes[i];
    log->want_args = 7;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    stub_fail("cuModuleLoadData", 300);
    if (CALL(FUNCTION) != 300)
        return 1;
    stub_fail(NULL, 0);
    if (CALL(FUNCTION) || log->launches != 1 || log->threads != 64 || log->grid[0] != 2 || log->grid[1] != 2)
        return 2;
    if (log->args[2] != 48 || log->args[3] != 130 || log->args[4] != 0x3fc00000 || log->args[5] != 0x4000 || log->args[6] != 0x3f80)
        return 3;
    if (FUNCTION(NULL, 16, 32, 48, 1, 0, 1e-7, -70000) || log->launches != 1)
        return 4;
    if (FUNCTION(NULL, 16, 32, 48, 64, 0, 1e-7, -70000) || log->args[5] != 2 || log->args[6] != 0xc789)
        return 5;
    UNLOAD();
    return log->unloads != 1 || CALL(FUNCTION) ? 6 : 0;
}
END
    local header=$(echo f.*.h)
    local name=${header%.h}
    name=${name/./_}
    cc -Wall -Wextra -Werror -Wno-unused-parameter -I. -I"$SRCDIR" -DHEADER="\"$header\"" -DFUNCTION="$name" -DUNLOAD="unload_$name" main.c f.*.c -Lstub -l:libcuda.so.1 -o main
    LD_LIBRARY_PATH=stub ./main
    c++ -Wall -Wextra -Werror -fsyntax-only -I. -x c++ f.*.c
}

@test "scratch memory is had from the stream" {
    write_cuda_h
    cat >d.py <<'END'
import triton
import triton.language as tl

@triton.jit
def product(x, y, o, n, B: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [n, n], [n, 1], [B, B])
    b = tl.make_tensor_descriptor(y, [n, n], [n, 1], [B, B])
    s = tl.zeros([B, B], dtype=tl.float32)
    for k in range(0, n, B):
        s = tl.dot(a.load([0, k]), b.load([k, 0]), s)
    i = tl.arange(0, B)
    tl.store(o + i[:, None] * B + i[None, :], s)
END
    tritcc -n product -s '*fp16:16, *fp16:16, *fp32:16, i32:16, 64' -g '1,1,1' -t cuda:compute_90a -w 4 d.py
    grep -F 'cuMemAllocAsync(&scratch, (size_t)gX * gY * gZ * ' product.*.c
    grep -F '&n, &scratch}' product.*.c
    cc -Wall -Wextra -Werror -I. -c product.*.c
}

@test "Triton's linker takes the headers" {
    local link
    link=$("${PYTHON:-python3}" -c 'import triton.tools.link as l; print(l.__file__)' 2>/dev/null) || skip "no Triton for ${PYTHON:-python3}"
    write_cuda_h
    make_stub
    for s in '*fp32:16,*fp32:16,*fp32:16,i32:16' '*fp32:16,*fp32:16,*fp32:16,i32:1' '*fp32,*fp32,*fp32,i32'; do
        tritcc -n add_kernel -s "$s,fp32,fp16,bf16,64" -g 'n,1,1' -t cuda:compute_90:32 -on add k.py
    done
    "${PYTHON:-python3}" "$link" add.*.h -o linked
    cat >main.c <<'END'
#include <stdint.h>
#include "linked.h"
#include "tests/targets/stub_cuda.h"
int main(void)
{
    void *context;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    return add_get_num_algos() != 2 || add_default(NULL, 16, 32, 48, 16, 1, 1, 1) || add(NULL, 16, 32, 48, 1, 1, 1, 1, 1) ||
           add_default(NULL, 4, 32, 48, 3, 1, 1, 1) || stub_get_log()->launches != 3 || stub_get_log()->loads != 3;
}
END
    cc -I. -I"$SRCDIR" main.c linked.c add.*.c -Lstub -l:libcuda.so.1 -o main
    LD_LIBRARY_PATH=stub ./main
}

@test "AMD's form" {
    tritcc -n add_kernel -s '*fp32,*fp32,*fp32,i32,fp32,fp16,bf16,64' -g 'n,1,1' -t hip:gfx942:64 -w 2 k.py
    grep -F 'hipError_t add_kernel_' add_kernel.*.h
    grep -F 'gX, gY, gZ, 128, 1, 1, ' add_kernel.*.cpp
    grep -F '(void *)&' add_kernel.*.cpp
}

@test "options as Python's argparse takes them" {
    local s='*fp32,*fp32,*fp32,i32,fp32,fp16,bf16,64'
    tritcc --kernel=add_kernel "--sig=$s" -g=n,1,1 --targ cuda:compute_80 --num-w 2 -ns 4 -ov k.py
    [ -e v.*.h ]
    grep -q ':64_warps2xstages4$' v.*.h
    tritcc --help
    [[ $output == *'usage: triton-compile'*'-s, --signature TYPES'* ]]
}

@test "wrong command lines" {
    local s='*fp32,*fp32,*fp32,i32,fp32,fp16,bf16,64'
    refuse() { # TEXT ARG...
        local text=$1
        shift
        tritcc -2 "$@"
        [[ $errors == *"triton-compile: $text"*"[TRI-1002]"* ]]
    }
    refuse "unknown option '--warps'" --warps 4 k.py
    refuse "unknown option '--num'" --num 4 k.py
    refuse "no value for '-w'" -w
    refuse "missing option '--kernel-name'" k.py
    refuse "missing option '--signature'" -n k k.py
    refuse "missing 'FILE'" -n k -s i32 -g 1,1,1
    refuse "a second file 'l.py'" k.py l.py
    refuse "a grid is X,Y,Z; not '1,1'" -n add_kernel -s "$s" -g 1,1 -t cuda:80 k.py
    refuse "a grid is X,Y,Z; not '1,1,1,1'" -n add_kernel -s "$s" -g 1,1,1,1 -t cuda:80 k.py
    refuse "only 1 and 16 are valid hints, not that of '*fp32:8'" -n add_kernel -s '*fp32:8' -g 1,1,1 -t cuda:80 k.py
    refuse "a target is cuda:80:32 or hip:gfx942:64; not 'rocm:gfx942'" -n add_kernel -s "$s" -g 1,1,1 -t rocm:gfx942 k.py
    refuse "a target is cuda:80:32 or hip:gfx942:64; not 'hip:sm_80'" -n add_kernel -s "$s" -g 1,1,1 -t hip:sm_80 k.py
    refuse "the architecture has warps of another size than 'cuda:80:64'" -n add_kernel -s "$s" -g 1,1,1 -t cuda:80:64 k.py
    tritcc -2 -n add_kernel -s "$s" -g 1,1,1 -t cuda:77 k.py
    [[ $errors == *"sm_77"* ]]
    tritcc -2 -n add_kernel -s "$s" -g 1,1,1 -t cuda:80 -w many k.py
    tritcc -1 -n none -s "$s" -g 1,1,1 -t cuda:compute_80 k.py
    printf 'import triton\n@triton.jit\ndef d(x):\n    x.store([0], x.load([8]))\n' >d.py # the source's functions take no descriptors
    tritcc -1 -n d -s 'tensordesc<fp32[16]>' -g 1,1,1 -t cuda:compute_80 d.py
    [[ $errors == *"parameter 'x' has type 'tensordesc<fp32[16]>', which a C function cannot take"* ]]
    [ ! -e add_kernel.* ] && [ ! -e none.* ] && [ ! -e d.*.c ]
}
