#!/usr/bin/env bats
# Intel GPUs: SPIR-V with sub-groups that the validator takes, zebins that say what was asked, and refusals.
load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    sed 's/dtype=tl.float32/dtype=c_ptr.dtype.element_ty/; s/tl.dot(a, b, acc)/tl.dot(a, b, acc, out_dtype=c_ptr.dtype.element_ty)/; s/other=0.0/other=0/' "$EXAMPLES/matmul/matmul.tri" >mm.tri
}

softmax=(-k softmax_kernel -sig '*fp32, *fp32, i32, i32, i32, i32, BLOCK_SIZE=1024, num_stages=2')

@test "the size of sub-groups is the machine's, and lanes exchange values without local memory" {
    need spirv-val
    for arch in dg2:16 pvc:32 intel-bmg:32 lnl:32 spirv64-sg32:32; do
        tritcc -arch="${arch%:*}" -emit=spirv=k.spv,spvasm=k.spvasm -num-warps=1 "${softmax[@]}" "$EXAMPLES/softmax/softmax.tri"
        spirv-val --target-env spv1.4 k.spv
        grep -Eq "OpExecutionMode %[0-9]+ SubgroupSize ${arch#*:}\$" k.spvasm
        grep -q 'OpGroupNonUniformShuffleXor' k.spvasm
        run -1 grep -q 'OpControlBarrier' k.spvasm
    done
}

@test "zebins of examples: sub-groups as asked, nothing spilled" {
    need ocloc
    for arch in intel-dg2:16 intel-pvc:32; do
        tritcc -arch="${arch%:*}" -emit=zebin=k.zebin --resource-usage "${softmax[@]}" "$EXAMPLES/softmax/softmax.tri"
        readelf -SW k.zebin | grep -q '\.text\.softmax_kernel'
        readelf -p .ze_info k.zebin | grep -Eq "simd_size: +${arch#*:}"
        [[ $errors == *"registers  128 per thread, 0 bytes spilled"*"sub-group  ${arch#*:} work-items"*"barriers   1"* ]]
        tritcc -arch="${arch%:*}" -emit=zebin=v.zebin --resource-usage -k add_kernel -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' \
            "$EXAMPLES/vadd/vadd.tri"
        [[ $errors == *"0 bytes spilled"*"barriers   0"* ]]
    done
    mv k.zebin a.zebin
    tritcc -arch=intel-pvc -emit=zebin=k.zebin "${softmax[@]}" "$EXAMPLES/softmax/softmax.tri"
    cmp a.zebin k.zebin
}

@test "products run on the matrix unit, in sub-groups of its size" {
    need ocloc
    local type sum spilled
    for arch in pvc:16 dg2:8; do
        for type in fp16 bf16 i8 fp32; do
            [ "$type" = i8 ] && sum=i32 || sum=fp32
            tritcc -arch="${arch%:*}" -emit=zebin=k.zebin --resource-usage \
                -sig "*$type:16, *$type:16, *$sum:16, i32, i32, i32, i32, 1, i32, 1, i32, 1, 64, 64, 32, 4" mm.tri
            readelf -p .ze_info k.zebin | grep -Eq "simd_size: +${arch#*:}"
            if [ "$arch $type" != "dg2:8 fp32" ]; then # which has no tf32
                readelf -p .ze_info k.zebin | grep -q 'has_dpas: *true'
                spilled=$(readelf -p .ze_info k.zebin | sed -n '/type: *scratch/,/ size:/s/.* size: *\([0-9]*\).*/\1/p')
                [[ $errors == *", ${spilled:-0} bytes spilled"* ]]
            fi
        done
    done
}

@test "calls of the matrix unit are those that the sizes want" {
    tritcc -arch=pvc -num-warps=4 -emit=llir=k.ll -Rpass=dot \
        -sig '*fp16:16, *fp16:16, *fp32:16, i32, i32, i32, i32, 1, i32, 1, i32, 1, 64, 64, 32, 4' mm.tri
    # 64 x 64 x 32 by 8 x 16 x 16, of four sub-groups
    [ "$(grep -c 'call.*matrix_mad_k16' k.ll)" -eq 16 ]
    [[ $errors == *"16 instructions dpas_f16 per sub-group"* ]]
    tritcc -arch=pvc -fdot-precision=ieee -emit=llir=k.ll -Rpass-missed=dot \
        -sig '*fp32:16, *fp32:16, *fp32:16, i32, i32, i32, i32, 1, i32, 1, i32, 1, 32, 32, 32, 4' mm.tri
    [[ $errors == *"no matrix instruction: input_precision 'ieee' of float32; 'tf32' has one"* ]]
}

@test "a SPIR-V module is an input, too" {
    need ocloc
    tritcc -arch=intel-pvc -emit=spirv=k.spv "${softmax[@]}" "$EXAMPLES/softmax/softmax.tri"
    tritcc -arch=intel-pvc -emit=zebin=k.zebin k.spv
    readelf -SW k.zebin | grep -q '\.text\.softmax_kernel'
}

@test "what a device or its compiler lacks is an error" {
    cat >k.tri <<'END'
import triton
import triton.language as tl

@triton.jit
def k(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, (tl.load(x + i).to(tl.float64) * 2.5).to(tl.float32))
END
    tritcc -1 -arch=dg2 -emit=spirv=k.spv -sig 'k(*fp32, 128)' k.tri
    [[ $errors == *"k.tri:7:"*"the device has no fp64 [TRI-6002]"* ]]
    tritcc -arch=pvc -emit=spirv=k.spv -sig 'k(*fp32, 128)' k.tri
    tritcc -1 -arch=spirv64-sg32 -emit=zebin=k.zebin -sig 'k(*fp32, 128)' k.tri
    [[ $errors == *"'spirv64-sg32' is no one GPU that a zebin can be for; stop at -emit=spirv [TRI-6001]"* ]]
    tritcc -1 -arch=pvc -ocloc=/nowhere/ocloc -emit=zebin=k.zebin -sig 'k(*fp32, 128)' k.tri
    [[ $errors == *"'-ocloc=/nowhere/ocloc' is no program [TRI-7001]"* ]]
    printf '#!/bin/sh\necho "no such device"\nexit 3\n' >fake
    chmod +x fake
    tritcc -1 -arch=bmg -ocloc="$PWD/fake" -emit=zebin=k.zebin -sig 'k(*fp32, 128)' k.tri
    [[ $errors == *"'ocloc' made no code for 'intel-bmg': no such device [TRI-7001]"*"the command was: "* ]]
    printf '#!/bin/sh\nwhile [ "$1" != -output ]; do shift; done\necho empty >"$2"\n' >fake
    tritcc -1 -arch=bmg -ocloc="$PWD/fake" -emit=zebin=k.zebin -sig 'k(*fp32, 128)' k.tri
    [[ $errors == *"'ocloc' left a file without code [TRI-7001]"* ]]
    [ ! -e k.zebin ]
    tritcc -2 -arch=intel-pvx -emit=spirv=k.spv -sig 'k(*fp32, 128)' k.tri
    [[ $errors == *"did you mean 'intel-pvc'?"* ]]
}

@test "kernels run right on the simulator with sub-groups" {
    cat >k.tri <<'END'
import triton
import triton.language as tl

@triton.jit
def k(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(o + i, tl.cumsum(v, 0) + tl.max(v, 0))
END
    for arch in native sim:intel-pvc; do
        tritrun k.tri -arch=$arch arange:i32:256 empty:i32:256 256 -print o -print-limit=256 >"${arch%:*}.txt"
    done
    grep -q 32895 native.txt
    cmp native.txt sim.txt
}

@test "local memory beyond the chip's is an error at its place" {
    local arch most
    for arch in dg2:65536 pvc:131072 bmg:131072; do
        most=${arch#*:} arch=${arch%:*}
        printf 'module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 200000 : i32, ttg.target = "xpu:%s", "ttg.threads-per-warp" = 32 : i32} {\n  tt.func public @k() {\n    tt.return\n  }\n}\n' $arch >k.ttgir
        tritcc -1 -arch=$arch -emit=llir=k.ll k.ttgir
        [[ $errors == *"k.ttgir:2:3: error: the kernel needs 200000 bytes of shared memory; 'intel-$arch' has $most; smaller blocks or fewer stages help [TRI-6003]"* ]]
        [ ! -e k.ll ]
    done
}

@test "bench/intel/zebin.sh: kernels as machine code that does not spill, and what it says of others" {
    need ocloc
    need spirv-val
    export TRITCC
    "$SRCDIR/bench/intel/zebin.sh" examples/vadd >text
    [ "$(tail -1 text)" = "4 kernels, 0 refused, invalid or with spills" ]
    grep -q '^pvc 128 0 32 valid examples/vadd/vadd.tri ' text
    grep -q '^dg2 128 0 16 valid examples/vadd/vadd.tri ' text
    mkdir fake
    printf '#!/bin/sh\necho "no such device"\nexit 3\n' >fake/ocloc
    chmod +x fake/ocloc
    ! PATH=$PWD/fake:$PATH "$SRCDIR/bench/intel/zebin.sh" -a bmg examples/vadd >text
    [ "$(tail -1 text)" = "2 kernels, 2 refused, invalid or with spills" ]
    grep -q '^bmg - - - refused examples/vadd/vadd.tri .*no such device' text
}
