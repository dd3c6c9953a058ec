load ../helpers

VADD=(-sig '*fp32:16, *fp32:16, *fp32:16, i32, BLOCK_SIZE=1024')

header() {
    tritcc -arch=native "${VADD[@]}" -emit=header=vadd.h "$EXAMPLES/vadd/vadd.tri"
}

@test "the header is valid in every C and in C++" {
    header
    echo '#include "vadd.h"' >t.c
    cp t.c t.cpp
    for std in c89 c99 c11 c17 c2x gnu17; do
        cc -std=$std -Wall -Wextra -Werror -fsyntax-only -I. t.c
    done
    for std in c++98 c++11 c++17 c++20; do
        c++ -std=$std -Wall -Wextra -Werror -fsyntax-only -I. t.cpp
    done
}

@test "the header twice, and beside another one" {
    header
    tritcc -arch=native -sig '*fp32, *fp32, i32, i32, i32, i32, 64, 2' -emit=header=softmax.h "$EXAMPLES/softmax/softmax.tri"
    printf '#include "vadd.h"\n#include "softmax.h"\n#include "vadd.h"\n' >t.c
    cc -Wall -Wextra -Werror -fsyntax-only -I. t.c
}

@test "pointers that are only read are const" {
    header
    grep -q 'const float \*x_ptr' vadd.h
    grep -q '^    float \*output_ptr' vadd.h
}

@test "types that C lacks are void pointers" {
    tritcc -arch=native -sig '*bf16, *fp16, *fp8e5, i64, 64' -emit=header=t.h "$EXAMPLES/vadd/vadd.tri"
    grep -q 'const void \*x_ptr' t.h
    grep -q '^    void \*output_ptr' t.h
    grep -q 'int64_t n_elements' t.h
}

@test "the json record lists arguments and constants" {
    tritcc -arch=native "${VADD[@]}" -emit=json=v.json "$EXAMPLES/vadd/vadd.tri"
    grep -q '"name": "BLOCK_SIZE", "constexpr": true, "value": "1024"' v.json
    grep -q '"name": "x_ptr", "argument": 0, "type": "\*fp32", "divisibility": 16, "read_only": true' v.json
    need python3
    python3 -m json.tool v.json >/dev/null
}

@test "hints are checked at launch" {
    tritcc -arch=native "${VADD[@]}" -emit=obj=v.o,header=vadd.h "$EXAMPLES/vadd/vadd.tri"
    cat >main.c <<'END'
#include "vadd.h"
#include <string.h>

int main(void)
{
    static _Alignas(16) float x[64], y[64], z[64];
    tri_grid grid = {1, 1, 1};
    int count;
    const tri_variant *v = add_kernel_variants(&count);
    if (count != 1 || strcmp(v->kernel, "add_kernel") || !strstr(v->key, "BLOCK_SIZE=1024") || add_kernel_selected(0) != 0)
        return 1;
    if (add_kernel(0, grid, x, y, z, 60))
        return 2;
    return add_kernel(0, grid, x, y + 1, z, 60) != TRI_ERROR_ALIGNMENT + 1;
}
END
    cc -Wall -Werror -I. main.c v.o -o main -lm
    ./main
}

@test "the CUDA launcher: packing, loading, errors, threads" {
    tritcc -arch=sm_90 -num-warps=4 -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' -emit=obj=v.o,header=vadd.h "$EXAMPLES/vadd/vadd.tri"
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    cc -Wall -Werror -I. -I"$SRCDIR" "$SRCDIR/tests/targets/launcher.c" v.o -Lstub -l:libcuda.so.1 -o launcher -lpthread
    LD_LIBRARY_PATH=stub ./launcher
}

@test "without a driver a GPU object says so" {
    tritcc -arch=sm_80 -sig '*fp32, *fp32, *fp32, i32, 1024' -emit=obj=v.o,header=vadd.h "$EXAMPLES/vadd/vadd.tri"
    cat >main.c <<'END'
#include "vadd.h"
#include <stdio.h>

int main(void)
{
    static float x[4];
    tri_grid grid = {1, 1, 1};
    int error = add_kernel(0, grid, x, x, x, 4);
    puts(tri_strerror(error));
    return error != TRI_ERROR_NO_DRIVER;
}
END
    cc -Wall -Werror -I. main.c v.o -o main
    [ ! -e /dev/nvidia0 ] || skip "there is a driver here"
    ./main >said
    grep -q 'no driver' said
    cc -shared -o v.so v.o
    ! readelf -d v.so | grep NEEDED | grep -q cuda
}

@test "each example runs with its own makefile" {
    mkdir -p share
    cp -r "$SRCDIR/share/tritcc" share/
    cp -r "$EXAMPLES" examples
    for e in vadd softmax layernorm; do
        make -C "examples/$e" TRITCC="$TRITCC" run
        touch -d '+1 minute' "examples/$e/$e.tri"
        make -C "examples/$e" TRITCC="$TRITCC" run | grep -q tritcc
    done
}
