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
    need ptxas
    tritcc -arch=sm_90 -num-warps=4 -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' -emit=obj=v.o,header=vadd.h "$EXAMPLES/vadd/vadd.tri"
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    cc -Wall -Werror -I. -I"$SRCDIR" "$SRCDIR/tests/targets/launcher.c" v.o -Lstub -l:libcuda.so.1 -o launcher -lpthread
    LD_LIBRARY_PATH=stub ./launcher
}

@test "the CUDA launcher: dependent and cooperative launches" {
    need ptxas
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    for how in PDL COOPERATIVE 'PDL COOPERATIVE'; do
        options=() defines=()
        for one in $how; do
            options+=("-launch-${one,,}")
            defines+=("-D$one=1")
        done
        tritcc -arch=sm_90 -num-warps=4 "${options[@]}" -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' \
            -emit=obj=v.o,header=vadd.h,json=v.json,ptx=v.ptx "$EXAMPLES/vadd/vadd.tri"
        cc -Wall -Werror "${defines[@]}" -I. -I"$SRCDIR" "$SRCDIR/tests/targets/launcher.c" v.o -Lstub -l:libcuda.so.1 \
            -o launcher -lpthread
        LD_LIBRARY_PATH=stub ./launcher
        [[ $how == *PDL* ]] && is_pdl=true || is_pdl=false
        [[ $how == *COOP* ]] && is_cooperative=true || is_cooperative=false
        grep -q "\"launch_pdl\": $is_pdl" v.json
        grep -q "\"launch_cooperative\": $is_cooperative" v.json
        grep -q 'programmatic stream serialization' vadd.h && has_comment=true || has_comment=false
        [ $has_comment = $is_pdl ]
        # the facts travel with the text
        tritcc -emit=json=again.json v.ptx
        cmp <(grep launch_ v.json) <(grep launch_ again.json)
    done
    grep -q 'Launched cooperatively' vadd.h
}

@test "ways of launching that a target does not have" {
    tritcc -1 -arch=sm_80 -launch-pdl "${VADD[@]}" -c "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"-launch-pdl needs sm_90 or newer, not sm_80 [TRI-6002]"* ]]
    tritcc -1 -arch=native -launch-cooperative "${VADD[@]}" -c "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"-launch-cooperative is for NVIDIA GPUs, not for "* ]]
    TRITCC=${TRITRUN:-$BUILDDIR/tritrun} tritcc -1 -arch=sim -launch-cooperative "$EXAMPLES/vadd/vadd.tri" ones:f32:64 ones:f32:64 zeros:f32:64 64 -D BLOCK_SIZE=64
    [[ $errors == *"-launch-cooperative is not for the simulator"* ]]
    tritcc -arch=sm_90 "${VADD[@]}" -emit=ptx=v.ptx "$EXAMPLES/vadd/vadd.tri"
    tritcc -arch=sm_90 -launch-pdl -emit=json=v.json v.ptx
    [[ $errors == *"-launch-pdl has no effect on 'v.ptx'"* ]]
}

@test "without a driver a GPU object says so" {
    need ptxas
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
    ! readelf -d v.so | grep NEEDED | grep -q cuda || false
}

@test "constants of launchers and those of kernels are kept apart" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def k(x, s, t):
    i = tl.arange(0, 16)
    tl.store(x + i, i * 1.25 + s + t)
TRI
    tritcc -arch=native -sig '*fp32, fp16, bf16' -emit=obj=k.o,header=k.h k.tri
    cat >main.c <<'END'
#include "k.h"
int main(void)
{
    float x[16];
    tri_grid one = {1, 1, 1};
    return k(0, one, x, 1.5f, -0.375f) || x[0] != 1.125f || x[4] != 6.125f;
}
END
    cc -Wall -Werror -I. main.c k.o -o main -lm
    ./main
}

@test "the CUDA launcher: failing drivers, contexts, first calls, fork" {
    tritcc -arch=compute_80 -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' -emit=obj=v.o,header=vadd.h "$EXAMPLES/vadd/vadd.tri"
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    cc -Wall -Werror -D_GNU_SOURCE -I. -I"$SRCDIR" "$SRCDIR/tests/targets/contract.c" v.o -Lstub -l:libcuda.so.1 -o contract -lpthread
    LD_LIBRARY_PATH=stub timeout 900 ./contract
}

@test "kernels may be called as the launcher's own functions and tables" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def launch(x):
    tl.store(x, 1.0)


@triton.jit
def kernel(x):
    launch(x)


@triton.jit
def lock(x):
    launch(x)
TRI
    tritcc -c -emit=header -k launch -k kernel -k lock -sig 'launch(*fp32)' -sig 'kernel(*fp32)' -sig 'lock(*fp32)' k.tri
    [ "$(nm k.o | grep -cE ' T (launch|kernel|lock)$')" = 3 ]
    printf '#include "k.h"\nint main(void) { float x = 0; tri_grid g = {1, 1, 1}; return launch(0, g, &x) || kernel(0, g, &x) || lock(0, g, &x) || x != 1; }' >main.c
    cc -Wall -Werror -I. main.c k.o -o main -lm
    ./main
}

@test "objects of other releases live in one program" {
    tritcc -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' -emit=obj=v.o,header=vadd.h "$EXAMPLES/vadd/vadd.tri"
    # the functions of the runtime say which ABI they are of; those without are an interface that stays
    [ "$(nm v.o | awk '$NF ~ /^tri_(cpu_)?rt/ && $NF !~ /^tri_(cpu_)?rt11_/ { print $NF }' | sort | tr '\n' ' ')" = "tri_rt_asked_threads tri_rt_chosen_kind " ]
    nm v.o | grep -q ' tri_rt11_launch$'
    # an object of a release whose launcher takes something else, first in the link
    cat >old.c <<'C'
#include <stdlib.h>
__attribute__((weak, visibility("hidden"))) int tri_rt_launch(void) { abort(); }
__attribute__((weak, visibility("hidden"))) int tri_rt1_launch(void) { abort(); }
__attribute__((weak)) int tri_rt_chosen_kind = 0;
C
    cat >main.c <<'C'
#include "vadd.h"
static float x[64], y[64], z[64];
int main(void)
{
    tri_grid grid = {1, 1, 1};
    y[1] = 2;
    return add_kernel(0, grid, x, y, z, 64) || z[1] != 2;
}
C
    cc -Wall -Werror -I. -o main old.c main.c v.o -lm
    ./main
}

@test "a library of kernels comes and goes, and is used until the program's very end" {
    tritcc -shared -arch=compute_80,native -sig '*fp32:16, *fp32:16, *fp32:16, i32, 64' -emit=header=vadd.h -o libvadd.so "$EXAMPLES/vadd/vadd.tri"
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    cat >main.cpp <<'C'
#include "vadd.h"
#include "tests/targets/stub_cuda.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static float x[64], y[64], z[64];

static int use(void *library)
{
    int (*launch)(tri_stream, tri_grid, const float *, const float *, float *, int32_t);
    int (*unload)(int);
    *(void **)&launch = dlsym(library, "add_kernel");
    *(void **)&unload = dlsym(library, "add_kernel_unload");
    return launch(0, tri_grid{1, 1, 1}, x, y, z, 64) || unload(0);
}

struct at_end { /* destroyed behind main, and behind the exit handlers that others register later */
    void *library = nullptr;
    ~at_end()
    {
        if (library && use(library))
            _exit(9);
    }
};
static at_end last;

int main()
{
    for (int i = 0; i < 20; i++) {
        void *library = dlopen("./libvadd.so", RTLD_NOW);
        if (!library || use(library) || dlclose(library))
            return 1;
        pid_t child = fork(); /* handlers of what is gone must be gone */
        int status = 0;
        if (!child)
            _exit(3);
        if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3)
            return 2;
    }
    stub_log *log = nullptr;
    stub_log *(*get)(void);
    *(void **)&get = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "stub_get_log");
    log = get();
    if (log->loads != 20 || log->unloads != 20 || log->retains != log->releases || log->launches != 20)
        return 3;
    last.library = dlopen("./libvadd.so", RTLD_NOW);
    return last.library ? 0 : 4;
}
C
    c++ -Wall -I. -I"$SRCDIR" main.cpp -o main -ldl
    LD_LIBRARY_PATH=stub ./main
    mv stub/libcuda.so.1 stub/gone # the same on the host
    sed -i 's/stub_log \*log = nullptr;/last.library = dlopen(".\/libvadd.so", RTLD_NOW); return 0; &/' main.cpp
    c++ -Wall -I. -I"$SRCDIR" main.cpp -o main -ldl
    ./main
}

@test "64 threads make the first call, load and tune under ThreadSanitizer" {
    local flags=(-g -O1 -fsanitize=thread -D_GNU_SOURCE -I"$SRCDIR") sources=()
    echo 'int main(void) { return 0; }' >probe.c
    cc -fsanitize=thread probe.c -o probe 2>/dev/null && ./probe || skip "no ThreadSanitizer here"
    for source in dispatch device cuda error tuning grid maps; do sources+=("$SRCDIR/runtime/launch/$source.c"); done
    cc "${flags[@]}" -shared -fPIC -o libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    cc "${flags[@]}" -o threads "$SRCDIR/tests/targets/threads.c" "${sources[@]}" -L. -l:libcuda.so.1 -ldl -lpthread
    for _ in 1 2 3; do LD_LIBRARY_PATH=. TSAN_OPTIONS=halt_on_error=1 timeout 900 ./threads; done
}

@test "the CUDA launcher: a descriptor is taken apart; the same object runs on the host" {
    need ptxas
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def twice(d, out, n, B: tl.constexpr):
    i, j = tl.arange(0, 8), tl.arange(0, B)
    tl.store(out + i[:, None] * n + j[None, :], 2 * d.load([0, 8]))
TRI
    cat >main.c <<'C'
#include "k.h"
#include "tests/targets/stub_cuda.h"
#include <string.h>

int main(void)
{
    static float x[6 * 40], y[8 * 16];
    tri_tensordesc d = {x, {6, 20}, {40, 1}, 256};
    tri_grid grid = {1, 1, 1};
    stub_log *log = stub_get_log();
    const int bytes[] = {8, 8, 8, 8, 8, 1, 1, 4, 4, 8, 8, 8, 4};
    const uint64_t wanted[] = {(uintptr_t)x, 6, 20, 40, 1, 1, 0, 6, 20, 40, 1, (uintptr_t)y, 17};
    log->want_args = 13;
    memcpy(log->want_bytes, bytes, sizeof bytes);
    int r = twice(0, grid, &d, y, 17);
    if (r || log->launches != 1 || memcmp(log->args, wanted, sizeof wanted))
        return 1;
    const int32_t n = 17;
    const tri_tensordesc *p = &d;
    float *out = y;
    const void *args[] = {&p, &out, &n};
    if (tritcc_kernel_find("twice")->launch(0, &grid, args) || log->launches != 2 ||
        memcmp(log->args, wanted, sizeof wanted))
        return 2;
    for (int i = 0; i < 6 * 40; i++)
        x[i] = (float)i;
    tri_select(TRI_HOST);
    if (twice(0, grid, &d, y, 16))
        return 3;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 16; j++)
            if (i < 6 && j < 12 ? y[i * 16 + j] != (float)(2 * (i * 40 + j + 8)) : y[i * 16 + j] == y[i * 16 + j])
                return 4;
    return log->launches != 2;
}
C
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    for archs in compute_80,x86-64 x86-64,sm_90a; do
        tritcc -arch=$archs -num-warps=4 -fspecialize=none -emit=obj=k.o,header=k.h -sig 'tensordesc<fp32[8,16]>, *fp32, i32, 16' k.tri
        cc -Wall -Werror -I. -I"$SRCDIR" main.c k.o -Lstub -l:libcuda.so.1 -o main -lm
        LD_LIBRARY_PATH=stub ./main
    done
}

@test "a kernel that is called as a word of C is called otherwise in the header" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def double(typeof, B: tl.constexpr):
    tl.store(typeof + tl.arange(0, B), 2.0)
TRI
    tritcc -1 -emit=obj=k.o,header=k.h -sig '*fp32, 16' k.tri
    [[ $errors == *"no function of C can be called 'double'"*"-sig 'NAME = double(...)'"*6006* ]]
    tritcc -emit=obj=k.o,header=k.h -sig 'twice = double(*fp32, 16)' k.tri
    echo '#include "k.h"' >k.c
    cc -std=gnu11 -Wall -Werror -c k.c
    cc -x c++ -Wall -Werror -c k.c
    tritcc -emit=header=k.h -prefix=my_ -sig '*fp32, 16' k.tri
    grep -q '^int my_double(' k.h
}

@test "a type that C cannot pass is told once, whatever is written" {
    printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef k(p, x):\n    tl.store(p, x.to(tl.float32))\n' >k.tri
    tritcc -1 -emit=obj=k.o,header=k.h,json=k.json -sig '*fp32, fp8e5' k.tri
    [ "$(grep -c 'which a C launcher cannot take' <<<"$errors")" = 1 ]
}
