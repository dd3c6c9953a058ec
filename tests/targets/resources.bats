# --resource-usage and the limits of the machine.
load ../helpers

VADD=(-k add_kernel -sig '*fp32:16, *fp32:16, *fp32:16, i32:16, 1024' "$EXAMPLES/vadd/vadd.tri")
MATMUL=$SRCDIR/tests/exec/matmul.tri

half() { # BLOCK_M BLOCK_N BLOCK_K ARG...: a product of f16
    local sizes=$1,$2,$3
    shift 3
    tritcc "$@" -sig "matmul_half(*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, $sizes)" "$MATMUL"
}

@test "--resource-usage says what a kernel takes of the machine" {
    need ptxas
    half 128 128 32 -arch=sm_80 --resource-usage -emit=ptx=k.ptx,json=k.json
    grep -Eq '^matmul_half, sm_80: 4 warps, 3 stages$' .err
    grep -Eq '^  registers  [1-9][0-9]+ per thread, 0 bytes spilled$' .err
    grep -Eq '^  shared     [1-9][0-9]+ of 166912 bytes$' .err
    grep -Eq '^  barriers   1$' .err
    grep -Eq '^  occupancy  12 %: 2 blocks per multiprocessor, limited by registers$' .err
    grep -Eq '"occupancy_percent": 12' k.json
    grep -Eq '"registers": [1-9]' k.json
}

@test "occupancy follows from the architecture's own limits" {
    need ptxas
    tritcc -arch=sm_90 --resource-usage -emit=cubin=k.cubin "${VADD[@]}"
    grep -q 'occupancy  100 %: 16 blocks per multiprocessor, limited by warps' .err
    tritcc -arch=sm_86 --resource-usage -emit=cubin=k.cubin "${VADD[@]}"
    grep -q 'occupancy  100 %: 12 blocks per multiprocessor, limited by warps' .err
    tritcc -arch=sm_86 --resource-usage -num-warps=1 -emit=cubin=k.cubin "${VADD[@]}"
    grep -q 'occupancy  33 %: 16 blocks per multiprocessor, limited by blocks' .err
    half 128 256 64 -arch=sm_90 -num-warps=8 --resource-usage -emit=cubin=k.cubin
    grep -q 'limited by shared memory' .err || grep -q 'limited by registers' .err
}

@test "registers stay unknown without ptxas" {
    mkdir empty
    for tool in sh cat; do ln -s "$(command -v $tool)" empty/; done
    tritcc -arch=sm_90 --resource-usage --cuda-path="$PWD/empty" -emit=json=k.json "${VADD[@]}"
    if grep -q 'not known without ptxas' .err; then
        grep -q 'occupancy  at most 100 %' .err
        grep -q '"registers": null' k.json
    else
        need ptxas
        grep -q 'registers  [1-9]' .err
    fi
}

@test "a target without such figures says so" {
    tritcc -arch=native --resource-usage -emit=asm=k.s "${VADD[@]}"
    grep -q '^add_kernel, .*: nothing is counted for this target' .err
}
