#!/usr/bin/env bats
# SPIR-V: valid for OpenCL, and right numbers from PoCL (SPIR-V back to LLVM IR, then built by the device).
load ../helpers

pocl=/etc/OpenCL/vendors/pocl.icd

need_pocl() {
    need spirv-val
    need llvm-spirv-15
    need file "$pocl"
    gcc -O1 -o check "$SRCDIR/tests/targets/opencl_check.c" -lOpenCL -lm 2>/dev/null || skip "no OpenCL headers"
    export OCL_ICD_VENDORS=$pocl POCL_CACHE_DIR=$PWD/cache
}

# device KIND THREADS ROWS COLUMNS: validates k.spv, builds it and compares its results.
device() {
    spirv-val --target-env opencl2.2 k.spv
    llvm-spirv-15 -r k.spv -o k.bc
    run -0 ./check "$1" k.bc "$2" "$3" "$4"
    echo "$output"
    [[ $output == *"agrees"* ]]
}

vadd() {
    tritcc -arch=spirv64 -emit=spirv=k.spv -k add_kernel -sig "*fp32:16, *fp32:16, *fp32:16, i32, $1" "$EXAMPLES/vadd/vadd.tri"
}

@test "vadd agrees on an OpenCL device" {
    need_pocl
    vadd 1024
    device vadd 128 7 1313
}

@test "softmax agrees on an OpenCL device, with 1 and with 8 warps" {
    need_pocl
    for warps in 1 8; do
        tritcc -arch=spirv64 -num-warps=$warps -emit=spirv=k.spv -k softmax_kernel \
            -sig '*fp32, *fp32, i32, i32, i32, i32, BLOCK_SIZE=1024, num_stages=2' "$EXAMPLES/softmax/softmax.tri"
        device softmax $((warps * 32)) 33 781
    done
}

@test "layernorm agrees on an OpenCL device, rows longer than a block" {
    need_pocl
    tritcc -arch=spirv64 -emit=spirv=k.spv -k _layer_norm_fwd_fused \
        -sig '*fp32, *fp32, *fp32, *fp32, *fp32, *fp32, i32, i32, fp32, BLOCK_SIZE=1024' "$EXAMPLES/layernorm/layernorm.tri"
    device layernorm 128 5 3001
}

@test "the module is valid for OpenCL 2.2 and says its group size" {
    need spirv-val
    vadd 256
    spirv-val --target-env opencl2.2 k.spv
    need spirv-dis
    spirv-dis k.spv -o k.txt
    grep -Eq 'OpExecutionMode .* LocalSize 128 1 1' k.txt
    grep -q 'OpEntryPoint Kernel .* "add_kernel"' k.txt
}

@test "an operation that the device lacks is an error at its place" {
    cat >k.ttir <<'END'
tt.func public @k(%p: !tt.ptr<i32>, %x: i32) {
  %y = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
}
END
    tritcc -1 -arch=spirv64 -emit=spirv=k.spv k.ttir
    [[ $errors == *"k.ttir:2:"*"'tt.elementwise_inline_asm' cannot be lowered for 'spirv64'"* ]]
    [ ! -e k.spv ]
}
