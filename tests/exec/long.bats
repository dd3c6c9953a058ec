# Size of kernels: time in proportion, and no more stack than there is.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
here=$SRCDIR/tests/exec

run_on() { # KERNEL ARCH ARG...
    TRITCC=$TRITRUN tritcc "$here/long.tri" -k "$1" "-arch=$2" -grid=1 "${@:3}"
}

compile() { # KERNEL ARCH KIND SIG
    tritcc "$here/long.tri" -k "$1" "-arch=$2" "-emit=$3" -sig "$4" -o /dev/null
}

@test "a long kernel has the bits of the loop" {
    run_on rolled "$HOST_ARCH" randn:f32:64:seed=1 empty:f32:64 5000 64 -o y=y.npy
    run_on unrolled "$HOST_ARCH" randn:f32:64:seed=1 empty:f32:64 5000 64 -expect y=@y.npy -rtol=0 -atol=0
    run_on choices "$HOST_ARCH" randn:f32:64:seed=1 empty:f32:64 2 4000 64 -o y=y.npy
    run_on choices sim:sm_80 -num-warps=1 randn:f32:64:seed=1 empty:f32:64 2 4000 64 -expect y=@y.npy -rtol=0 -atol=0
}

@test "thousands of dependent steps on every target, with a hundred bytes of stack for each" {
    local steps=5000 # check-all: 10,000
    [ "${MATRIX_OPTIONS-}" != -a ] || steps=10000
    ulimit -S -s $((steps / 10 + 24))
    unset TRITCC_VERIFY_EACH # which is half of the time, and verifies the same code at 4,000 steps above
    for target in "$HOST_ARCH asm" "sm_90a ptx" "spirv64 spirv" "linalg linalg"; do
        set -- $target
        compile choices "$1" "$2" "*fp32, *fp32, i32, $steps, 64"
        compile addresses "$1" "$2" "*fp32, *fp32, i32, $steps, 64"
    done
}

@test "a chain of 13,000 steps is in functions of bounded size, with checks of bounds in linear time" {
    tritcc "$here/long.tri" -k unrolled -arch=x86-64 -emit=llir=parts.ll -sig '*fp32, *fp32, 13000, 64'
    [ "$(grep -c '^define' parts.ll)" -ge 4 ]
    awk '/^define/ { n = 0 } /^  / { n++ } n > most { most = n } END { exit most > 9000 }' parts.ll
    # the code generator that is linear keeps values on the stack
    tritcc "$here/long.tri" -k unrolled -arch=x86-64 -fsanitize=bounds -emit=asm=checked.s -sig '*fp32, *fp32, 13000, 64'
    run_on unrolled "$HOST_ARCH" -fsanitize=bounds randn:f32:64:seed=1 empty:f32:64 5000 64 -o y=y.npy
}

@test "functions of math of a long kernel are called, with the bits of those that are inlined" {
    run_on functions "$HOST_ARCH" randn:f32:64:seed=1 empty:f32:64 1 300 64 -o y=y.npy
    run_on functions "$HOST_ARCH" randn:f32:64:seed=1 empty:f32:64 300 1 64 -expect y=@y.npy -rtol=0 -atol=0
    tritcc "$here/long.tri" -k functions -arch=x86-64-v3 -emit=llir=few.ll -sig '*fp32, *fp32, 100, 1, 64'
    ! grep -q 'call void @tri_vm_exp' few.ll
    tritcc "$here/long.tri" -k functions -arch=x86-64-v3 -emit=llir=many.ll -sig '*fp32, *fp32, 300, 1, 64'
    [ "$(grep -c 'call void @tri_vm_exp' many.ll)" -ge 300 ]
    grep -q 'define internal .*@tri_vm_exp' many.ll
    (ulimit -t 30 && compile functions x86-64-v3 obj '*fp32, *fp32, 2000, 1, 64') # it took a minute
}

@test "large blocks on the simulator in seconds" {
    ulimit -t 60 # seconds of the processor; it took minutes
    run_on sums "$HOST_ARCH" randn:f16:128x64:seed=1 randn:f16:64x128:seed=2 empty:f32:128x128 64 128 -o out=out.npy
    run_on sums sim:sm_80 randn:f16:128x64:seed=1 randn:f16:64x128:seed=2 empty:f32:128x128 64 128 \
        -expect out=@out.npy -rtol=1e-3 -atol=1e-2
}
