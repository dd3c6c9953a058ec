#!/usr/bin/env bats
# Blocks that products load and store through pointers as tensor maps: which, why not, and what they compute.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
kernels=$SRCDIR/tests/targets/auto-tma.tri

# same COPIES KERNEL TYPES RESULT GRID OPTIONS ARGUMENT...: with and without maps the simulator gives the same bits; with them
# there are COPIES of bulk copies in the source of the code.
same() {
    local copies=$1 kernel=$2 types=$3 result=$4 grid=$5 options=$6 c
    shift 6
    for c in -fno-auto-tma -fauto-tma -fhost-tensormaps; do
        # shellcheck disable=SC2086 # several options
        tritcc -arch=sm_90a $c $options -k "$kernel" -sig "$types" -emit=ttgir=k.ttgir "$kernels"
        [ "$(grep -c 'ttng.tensormap_create' k.ttgir)" = "$([ $c != -fno-auto-tma ] && echo "$copies" || echo 0)" ]
        [ "$(grep -c 'tritcc.map = ' k.ttgir)" = "$([ $c = -fhost-tensormaps ] && echo "$copies" || echo 0)" ]
        local expect=()
        [ -z "${order-}" ] || [ $c = -fno-auto-tma ] || expect=(-expect "$result=@-fno-auto-tma.npy" -rtol=2e-3 -atol=1e-4)
        timeout 900 "$TRITRUN" -arch=sim:sm_90a -grid="$grid" "${expect[@]}" -o "$result=$c.npy" k.ttgir "$@"
    done
    [ -z "${order-}" ] || return 0 # of what is added up
    cmp -- -fauto-tma.npy -fno-auto-tma.npy
    cmp -- -fhost-tensormaps.npy -fno-auto-tma.npy
}

numbers='*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32:16, i32:16, i32:16'
# product KERNEL M N K GRID OPTIONS BM BN BK
product() {
    local kernel=$1 m=$2 n=$3 k=$4 grid=$5 options=$6 tiles="$7, $8, $9" b=${4}x$3 sb=$3
    [ "$kernel" != bounded ] || { b=${n}x$k && sb=$k; }
    same 3 "$kernel" "$numbers, $tiles" c_ptr "$grid" "$options" "randint:f16:${m}x$k:seed=1,low=-4,high=4" \
        "randint:f16:$b:seed=2,low=-4,high=4" "c_ptr=full:f16:${m}x$n:value=77" "$m" "$n" "$k" "$k" "$sb" "$n"
}

@test "products: whole tiles, partial ones, one trip, none" {
    product wrapped 256 256 128 2,1 '-num-warps=8 -num-stages=3' 128 256 64
    product wrapped 200 272 144 2,2 '-num-warps=8 -num-stages=3' 128 256 64
    product wrapped 24 48 64 1,1 '-num-warps=4 -num-stages=4' 64 64 32
    product wrapped 131 80 16 3,2 '-num-warps=4 -num-stages=1' 64 64 32
    product moved 128 192 160 2,3 '-num-warps=4 -num-stages=3' 64 64 32
    product bounded 200 144 80 2 '-num-warps=4 -num-stages=3' 64 64 32
    product bounded 131 144 208 3 '-num-warps=8 -num-stages=2' 128 64 64
}

@test "products whose loads a warp of its own starts" {
    product wrapped 200 272 336 2,2 '-num-warps=8 -num-stages=3 -fwarp-specialize' 128 128 64
}

@test "an operand that is summed up, too, stays in its slot until the product has read it there" {
    local result
    for result in c_ptr sums_ptr; do
        same 3 with_row_sums '*fp16:16, *fp16:16, *fp16:16, *fp32:16, i32, i32, i32, i32:16, i32:16, i32:16, i32, 64, 128, 32' $result \
            2,2 '-num-warps=4 -num-stages=3' randint:f16:72x160:seed=1,low=-4,high=4 randint:f16:160x256:seed=2,low=-4,high=4 \
            full:f16:72x256:value=77 full:f32:72:value=77 72 256 160 160 256 256 0
    done
}

@test "products whose sums are added up by several programs" {
    local c
    for c in '131 80 400 3,2,3' '64 64 64 1,1,3' '24 48 200 1,1,3'; do
        set -- $c
        same 2 split '*fp16:16, *fp16:16, *fp32:16, i32, i32, i32, i32:16, i32:16, i32:16, 64, 64, 32, 3' c_ptr "$4" \
            '-num-warps=4 -num-stages=3 -fwarp-specialize' "randint:f16:$1x$3:seed=1,low=-4,high=4" \
            "randint:f16:$3x$2:seed=2,low=-4,high=4" "c_ptr=zeros:f32:$1x$2" "$1" "$2" "$3" "$3" "$2" "$2"
    done
}

@test "a matrix without rows, or without anything to sum up, is not read" {
    local c
    for c in -fauto-tma -fno-auto-tma; do
        tritcc -arch=sm_90a $c -k wrapped -sig "$numbers, 64, 64, 32" -emit=ttgir=k.ttgir "$kernels"
        "$TRITRUN" -arch=sim:sm_90a -grid=1,1 -o "c_ptr=$c.npy" k.ttgir zeros:f16:16 zeros:f16:16 c_ptr=full:f16:64x64:value=77 \
            64 64 0 16 16 64
    done
    cmp -- -fauto-tma.npy -fno-auto-tma.npy
}

@test "attention: turned blocks, heads, two loops" {
    local c order=other
    for c in False True; do
        same 3 attention \
            "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 64, 64, 64, $c" o_ptr 3,2 '-num-warps=4 -num-stages=2' \
            q_ptr=randn:f16:2x192x64:seed=1 k_ptr=randn:f16:2x192x64:seed=2 v_ptr=randn:f16:2x192x64:seed=3 \
            o_ptr=full:f16:2x192x64:value=77 12288 64 192
    done
}

@test "attention by block pointers: the bounds of each head" {
    local c order=other
    for c in '130 77' '64 128' '16 1'; do
        set -- $c
        same 3 heads '*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, i32, 64, 64, 64' o_ptr 3,2 '-num-warps=4 -num-stages=2' \
            "q_ptr=randn:f16:2x$1x64:seed=1" "k_ptr=randn:f16:2x$2x64:seed=2" "v_ptr=randn:f16:2x$2x64:seed=3" \
            "o_ptr=full:f16:2x$1x64:value=77" "$1" "$2"
    done
}

said() { [[ $errors == *"the load goes through a tensor map [-Rpass=tma]"* ]]; }

@test "what stays with pointers, and why" {
    local how why n=0
    while IFS='|' read -r how why; do
        tritcc -arch=sm_90a -k refused -sig "*fp16:16, *fp16:16, *fp32:16, i32, i32:16, i32:16, i32:16, '$how', 64" \
            -emit=ttgir=k.ttgir -Rpass=tma -Rpass-missed=tma "$kernels"
        [[ $errors == *"the load goes through pointers: $why"* ]] || { echo "$how: $errors" && return 1; }
        n=$((n + 1))
    done <<'ROWS'
wrapped|rows or columns are taken modulo the size, and what is past the end may reach memory
other|what stands for elements outside is not zero
discrete|its mask is no window of the block
front|its mask begins elsewhere than at 0
before|its mask begins elsewhere than at 0
list|its rows are picked by a list
volatile|it is volatile
three|its loop has more than two products
changed|what it loads is changed on its way to a product
odd|its base is not known to be a multiple of 16 bytes
written|the kernel may have written the memory before
atomic|the kernel has atomics or other effects that order memory
ROWS
    [ $n = 12 ]
    tritcc -arch=sm_90a -k refused -sig "*fp16:16, *fp16:16, *fp32:16, i32, i32:16, i32:16, i32:16, 'none', 32" -emit=ttgir=k.ttgir \
        -Rpass-missed=tma "$kernels"
    [[ $errors == *"the load goes through pointers: warp groups do not take this product's operands"* ]]
    tritcc -arch=sm_90a -k refused -sig "*fp16:16, *fp16:16, *fp32:16, i32, i32:16, i32:16, i32:16, 'none', 64" \
        -emit=ttgir=k.ttgir -Rpass=tma "$kernels"
    said
}

@test "strides, pointers and types that promise too little; other architectures" {
    local types
    for types in '*fp16, *fp16:16, *fp32:16, i32, i32:16, i32:16, i32:16' '*fp16:16, *fp16:16, *fp32:16, i32, i32:16, i32, i32:16'; do
        tritcc -arch=sm_90a -k refused -sig "$types, 'none', 64" -emit=ttgir=k.ttgir -Rpass=tma "$kernels"
        [ "$(grep -c 'load goes through a tensor map' .err)" -le 1 ]
    done
    tritcc -arch=sm_80 -k refused -sig "*fp16:16, *fp16:16, *fp32:16, i32, i32:16, i32:16, i32:16, 'none', 64" -emit=ttgir=k.ttgir "$kernels"
    ! grep -q tensordesc k.ttgir || false
}

@test "what moves a window and may be negative goes into its base, but for what the loop moves" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def k(a_ptr, b_ptr, c_ptr, M, N, K, first, stride_a, stride_b, stride_c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = first + tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + m[:, None] * stride_a + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * stride_b + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * stride_c + n[None, :], acc.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))
TRI
    tritcc -arch=sm_90a -sig '*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32,i32:16,i32:16,i32:16,128,128,64' -emit=ttgir=k.ttgir \
        -Rpass=tma -Rpass-missed=tma k.tri
    [[ $errors == *"k.tri:12:13: remark: the load goes through a tensor map"* ]]
    [[ $errors == *"k.tri:13:13: remark: the load goes through a tensor map"* ]]
    tritcc -arch=sm_90a -sig '*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32,i32:16,i32:16,i32:16,128,128,64' -emit=ttgir=p.ttgir \
        -fno-auto-tma k.tri
    local form first
    for first in 0 24 40; do
        for form in k p; do
            "$TRITRUN" -arch=sim:sm_90a -grid=2,1 -o c_ptr="$form$first.npy" $form.ttgir randn:f16:200x64:seed=1 \
                randn:f16:64x128:seed=2 c_ptr=zeros:f16:200x128 $((200 - first / 3)) 128 64 $first 64 128 128
        done
        cmp "k$first.npy" "p$first.npy"
    done
    sed -i 's/m\[:, None\] \* stride_a/(m - start)[:, None] * stride_a/; s/mask=(m\[:, None\] < M) & (k/mask=((m - start)[:, None] < M) \& (k/' k.tri
    tritcc -arch=sm_90a -sig '*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32,i32:16,i32:16,i32:16,128,128,64' -emit=ttgir=k.ttgir \
        -Rpass=tma -Rpass-missed=tma k.tri
    [[ $errors == *"k.tri:12:13: remark: the load goes through pointers: where it begins may be in front of the tensor"* ]]
    [[ $errors == *"k.tri:13:13: remark: the load goes through a tensor map"* ]]
}

@test "rows and columns counted in 64 bits, beyond 32 as well" {
    local form shift
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def k(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SHIFT: tl.constexpr):
    pid, columns = tl.program_id(0).to(tl.int64), tl.cdiv(N, BN)
    m = pid // columns * BM + SHIFT + tl.arange(0, BM)
    n = pid % columns * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = (start + tl.arange(0, BK)).to(tl.int64)
        a = tl.load(a_ptr + (m % M)[:, None] * 144 + k[None, :], mask=k[None, :] < K, other=0.0)
        b = tl.load(b_ptr + k[:, None] * 80 + (n % N)[None, :], mask=k[:, None] < K, other=0.0)
        acc += tl.dot(a, b)
    tl.store(c_ptr + m[:, None] * 80 + n[None, :], acc.to(tl.float16), mask=(m < M)[:, None] & (n < N)[None, :])
TRI
    for shift in 0 1073741824 4294967296; do
        for form in -O3 -fno-auto-tma; do
            tritcc -arch=sm_90a $form -sig "*fp16:16,*fp16:16,*fp16:16,i32,i32:16,i32:16,64,64,64,$shift" -emit=ttgir=k.ttgir \
                -Rpass=tma k.tri
            [ $form = -fno-auto-tma ] || [ "$(grep -c 'goes through a tensor map' <<<"$errors")" = 3 ]
            "$TRITRUN" -arch=sim:sm_90a -grid=6 -o c_ptr="k$form.npy" k.ttgir randint:f16:150x144:seed=1,low=-9,high=9 \
                randint:f16:144x80:seed=2,low=-9,high=9 c_ptr=full:f16:150x80:value=7 150 80 136
        done
        cmp -- k-O3.npy k-fno-auto-tma.npy
    done
}
