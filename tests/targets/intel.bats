#!/usr/bin/env bats
# Intel GPUs: SPIR-V with sub-groups that the validator takes, zebins that say what was asked, and refusals.
load ../helpers

setup() {
    start_test || return 1
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

@test "whether any lane has true, or all have, is one question" {
    cat >k.tri <<'END'
import triton
import triton.language as tl

@triton.jit
def both(a, b):
    return a & b

@triton.jit
def k(x, out, N: tl.constexpr):
    v = tl.load(x + tl.program_id(0) * N + tl.arange(0, N))
    tl.store(out + tl.program_id(0), tl.reduce_or(v > 5, 0).to(tl.int32) + 2 * tl.reduce(v < 8, 0, both).to(tl.int32))
END
    tritcc -arch=pvc -num-warps=1 -emit=llir=k.ll,spvasm=k.spvasm -sig '*i32:16, *i32, 64' k.tri
    [ "$(grep -c 'call .*sub_group_a[nl][yl]i(' k.ll)" = 2 ]
    ! grep -q 'call .*shuffle' k.ll || false
    [ "$(grep -cE 'OpGroup(NonUniform)?A(ny|ll) ' k.spvasm)" = 2 ]
    tritrun -arch=native -grid=4 -o out=out.npy k.tri arange:i32:256:start=-60 zeros:i32:4 64
    for arch in pvc dg2; do
        tritrun -arch=sim:$arch -grid=4 -expect=out=@out.npy k.tri arange:i32:256:start=-60 zeros:i32:4 64
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
    # rounded correctly are those divisions and roots that ask for it; each is 50 to 400 instructions
    printf '%s\n' 'import triton' 'import triton.language as tl' @triton.jit 'def k(x, y, o, N: tl.constexpr):' \
        '    i = tl.arange(0, N)' '    a, b = tl.load(x + i), tl.load(y + i)' \
        '    tl.store(o + i, tl.div_rn(a, b) + tl.sqrt_rn(b) + a / b + tl.sqrt(a))' >rounded.tri
    tritcc -arch=dg2 -num-warps=1 -emit=llir=k.ll,zebin=k.zebin -sig 'k(*fp32, *fp32, *fp32, 16)' rounded.tri
    [ "$(grep -cE '= (fdiv float|call .*(ieee_divide|ieee_sqrt|llvm.sqrt))' k.ll)" -eq 4 ]
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
    # 64 x 64 x 32 by 8 x 16 x 16, of 16 sub-groups: elements of rows that are anywhere come one by one
    [ "$(grep -c 'call.*matrix_mad_k16' k.ll)" -eq 4 ]
    [[ $errors == *"4 instructions dpas_f16 per sub-group"* ]]
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

# Two accesses of eight a lane, the second one half asked for.
@test "prefetches are messages that bring nothing to registers" {
    need ocloc
    cat >k.ttgir <<'END'
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "xpu:pvc", "ttg.threads-per-warp" = 16 : i32} {
  tt.func public @k(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: i1) {
    %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %s = arith.constant dense<256> : tensor<32x1xi32, #blocked>
    %o = arith.muli %m2, %s : tensor<32x1xi32, #blocked>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
    %ob = tt.broadcast %o : tensor<32x1xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %kb = tt.broadcast %k2 : tensor<1x32xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %at = arith.addi %ob, %kb : tensor<32x32xi32, #blocked>
    %b = tt.splat %x : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %b, %at : tensor<32x32x!tt.ptr<f16>, #blocked>, tensor<32x32xi32, #blocked>
    %mask = tt.splat %c : i1 -> tensor<32x32xi1, #blocked>
    ttig.prefetch %p {cache = 1 : i32, evict = 1 : i32, isVolatile = false} : tensor<32x32x!tt.ptr<f16>, #blocked>
    ttig.prefetch %p, %mask {cache = 1 : i32, evict = 1 : i32, isVolatile = false} : tensor<32x32x!tt.ptr<f16>, #blocked>
    tt.return
  }
}
END
    tritcc -arch=pvc -emit=llir=k.ll,zebin=k.zebin -O0 k.ttgir
    [ "$(grep -c 'call.*lsc_prefetch_global' k.ll)" -eq 4 ]
}

@test "a barrier in two halves is the machine's" {
    need ocloc
    cat >k.ttgir <<'END'
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func public @k(%x: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #blocked>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #blocked>
    %p = tt.addptr %s, %r : tensor<64x!tt.ptr<f32>, #blocked>, tensor<64xi32, #blocked>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %b = triton_gen.split_barrier_arrive
      %v = tt.load %p : tensor<64x!tt.ptr<f32>, #blocked>
      %w = arith.addf %v, %v : tensor<64xf32, #blocked>
      triton_gen.split_barrier_wait %b
      triton_gen.barrier {mem_fence = Global}
      tt.store %p, %w : tensor<64x!tt.ptr<f32>, #blocked>
    }
    tt.return
  }
}
END
    local arch
    for arch in pvc dg2; do
        tritcc -arch=$arch -emit=llir=k.ll,zebin=k.zebin --resource-usage k.ttgir
        [ "$(grep -c 'call.*@_Z7barrierj(i32 3)' k.ll)" -eq 1 ]
        [[ $errors == *"barriers   1"* ]]
        grep -A9 'call.*thread_group_barrier_signal' k.ll | grep -q 'call.*thread_group_barrier_wait'
        readelf -p .ze_info k.zebin | grep -q 'barrier_count: *1'
    done
    tritrun -arch=sim:pvc -print=arg0 k.ttgir ones:f32:64 3 >out
    [ "$(grep -o '\<8\>' out | wc -l)" -eq 64 ]
    tritcc -1 -arch=sm_90 -emit=llir=k.ll k.ttgir
    [[ $errors == *"layouts are of warps of 16 threads"* ]]
}

# The machine's own accesses, their caches' controls behind the type: first level, last level.
@test "bf16 is converted by moves, and caches are told what the source says of them" {
    cat >k.tri <<'END'
import triton
import triton.language as tl

@triton.jit
def k(x, y, o, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    m = i < n
    a = tl.load(x + i, mask=m, cache_modifier=".cg") + tl.load(y + i, mask=m, other=1, cache_modifier=".ca")
    a += tl.load(x + N + i, mask=m, eviction_policy="evict_first") + tl.load(y + N + i, mask=m, cache_modifier=".cv")
    tl.store(o + i, a * 2, mask=m, cache_modifier=".wt")
    tl.store(o + N + i, a, mask=m, cache_modifier=".cs")
    tl.store(o + 2 * N + i, a, mask=m, cache_modifier=".cg")
    tl.store(o + 3 * N + i, a, mask=m, cache_modifier=".wb")
END
    local arch type
    for type in bf16 i8 i64; do
        tritcc -arch=spirv64-sg32 -emit=llir=k.ll -sig "k(*$type:16, *$type:16, *$type:16, i32:16, 512)" k.tri
        ! grep -q __builtin_IB k.ll
        for arch in pvc dg2; do
            tritcc -arch=$arch -emit=llir=k.ll,spirv=k.spv -sig "k(*$type:16, *$type:16, *$type:16, i32:16, 512)" k.tri
            for control in 1 2 4 6; do
                grep -q "__builtin_IB_lsc_load_global_.*, i32 0, i32 $control)" k.ll
            done
            for control in 2 4 6 7; do
                grep -q "__builtin_IB_lsc_store_global_.*, i32 $control)" k.ll
            done
            if [ $type = bf16 ]; then
                grep -q 'call spir_func float @__builtin_IB_bftof_1' k.ll
                grep -q 'call spir_func i16 @__builtin_IB_ftobf_1' k.ll
            fi
        done
    done
    # what one product hands another stays with integers, which need fewer registers
    tritcc -arch=pvc -num-warps=8 -emit=llir=k.ll -k attention_kernel \
        -sig '*bf16:16,*bf16:16,*bf16:16,*bf16:16,*fp32:16,fp32,i32:16,i32:16,i32:16,i32,i32:16,64,64,32,False,tl.bfloat16' \
        "$SRCDIR/bench/gpu/kernels/attention.tri"
    grep -q bf16_bf16_matrix_mad k.ll
    ! grep -q 'call spir_func i16 @__builtin_IB_ftobf_1' k.ll
    need ocloc
    tritcc -arch=pvc -emit=spirv=k.spv -sig "k(*bf16:16, *bf16:16, *bf16:16, i32:16, 512)" k.tri
    mkdir dump
    ocloc compile --format zebin -spirv_input -file k.spv -device pvc -output dump/k.zebin -output_no_suffix \
        -options "-igc_opts 'DumpToCustomDir=$PWD/dump,ShaderDumpEnable=1'" >log
    grep -hoE '(load|store)\.ugm\.d32x2\.a64\.[a-z.]+' dump/*.asm | sort >accesses
    printf '%s.ugm.d32x2.a64.%s\n' load ca.ca load st.ca load uc.ca load uc.uc store st.wb store uc.wb store wb.wb store wt.wb |
        diff accesses -
    grep -q 'mov (32|M0) .*:bf .*:f' dump/*.asm || grep -q 'mov (16|M0) .*:bf .*:f' dump/*.asm
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
    # two sums of bf16 side by side, which are integers of 16 bits to LLVM: no packed sum
    sed 's/tl.store.*/tl.atomic_add(x + i % 8, tl.full((N,), 0.5, x.dtype.element_ty))/' k.tri >sum.tri
    for arch in dg2 pvc spirv64; do tritcc -arch=$arch -emit=spirv=k.spv -sig 'k(*bf16:16, 512)' sum.tri; done
    tritcc -1 -arch=spirv64-sg32 -emit=zebin=k.zebin -sig 'k(*fp32, 128)' k.tri
    [[ $errors == *"'spirv64-sg32' is no one GPU that a zebin can be for; stop at -emit=spirv [TRI-6001]"* ]]
    tritcc -1 -arch=pvc -ocloc=/nowhere/ocloc -emit=zebin=k.zebin -sig 'k(*fp32, 128)' k.tri
    [[ $errors == *"'-ocloc=/nowhere/ocloc' is no program [TRI-7001]"* ]]
    printf '#!/bin/sh\necho "no such device"\nexit 3\n' >fake
    chmod +x fake
    tritcc -1 -arch=bmg -ocloc="$PWD/fake" -emit=zebin=k.zebin -sig 'k(*fp32, 128)' k.tri
    [[ $errors == *"k.tri:5:1: error: 'ocloc' made no code for 'intel-bmg': no such device [TRI-7001]"*"the command was: "* ]]
    printf '#!/bin/sh\nexit 3\n' >fake
    tritcc -1 -arch=bmg -ocloc="$PWD/fake" -emit=zebin=k.zebin -sig 'k(*fp32, 128)' k.tri
    [[ $errors == *"k.tri:5:1: error: 'ocloc' made no code for 'intel-bmg': it says nothing [TRI-7001]"* ]]
    printf '#!/bin/sh\necho "Error: Cannot get HW Info for device bmg."; echo "Command was: ocloc"; exit 3\n' >fake
    tritcc -1 -c -o k.o -arch=bmg -ocloc="$PWD/fake" -sig 'k(*fp32, 128)' k.tri
    [[ $errors == *"for device bmg. [TRI-7001]"*"note: "*"-arch=spirv-bmg puts SPIR-V into objects"* ]]
    tritcc -c -o k.o -arch=spirv-bmg -ocloc="$PWD/fake" -sig 'k(*fp32, 128)' k.tri
    printf '#!/bin/sh\nfor i in 1 2; do echo "error: no registers"; echo "in kernel: '"'k'"'"; done\nexit 3\n' >fake
    tritcc -1 -arch=bmg -ocloc="$PWD/fake" -emit=zebin=k.zebin -sig 'k(*fp32, 128)' k.tri
    [[ $errors == *"k.tri:5:1: error: 'ocloc' made no code for 'intel-bmg', kernel 'k': no registers [TRI-7001]"*"its log:"* ]]
    [ "$(grep -c "error: 'ocloc'" <<<"$errors")" -eq 1 ]
    # SPIR-V with lines, and what is none
    tritcc -g -arch=bmg -emit=spirv=g.spv -sig 'k(*fp32, 128)' k.tri
    tritcc -1 -arch=bmg -ocloc="$PWD/fake" -emit=zebin=k.zebin g.spv
    [[ $errors == *"error: k.tri:6: 'ocloc' made no code for 'intel-bmg', kernel 'k': no registers [TRI-7001]"* ]]
    printf '#!/bin/sh\necho "what is this?"\nexit 3\n' >fake
    printf '\003\002\043\007garbage' >g.spv
    tritcc -1 -arch=bmg -ocloc="$PWD/fake" -emit=zebin=k.zebin g.spv
    [[ $errors == *"a SPIR-V module is five or more 4-byte words, this one has 11 bytes [TRI-5020]"* ]]
    # a module that ends in the middle, of which ocloc might compile the front
    tritcc -arch=bmg -emit=spirv=whole.spv -sig 'k(*fp32, 128)' k.tri
    head -c 40 whole.spv >g.spv
    tritcc -1 -arch=bmg -ocloc="$PWD/fake" -emit=zebin=k.zebin g.spv
    [[ $errors == *"'g.spv': word "*": an instruction of "*" words, where "*" left [TRI-5020]"* ]]
    head -c 20 whole.spv >g.spv
    printf '\021\000\000\000' >>g.spv
    tritcc -1 -arch=bmg -ocloc="$PWD/fake" -emit=zebin=k.zebin g.spv
    [[ $errors == *"'g.spv': word 5: an instruction of 0 words, where 1 are left [TRI-5020]"* ]]
    # one of numbers beyond its own bound, of which ocloc makes nothing and says nothing
    { head -c 12 whole.spv; printf '\005\000\000\000'; tail -c +17 whole.spv; } >g.spv
    printf '#!/bin/sh\nwhile [ "$1" != -output ]; do shift; done\necho empty >"$2"\n' >fake
    tritcc -1 -arch=bmg -ocloc="$PWD/fake" -emit=zebin=k.zebin g.spv
    [[ $errors == *"'g.spv': the SPIR-V is not valid: line "*" of its assembly: "*" [TRI-5020]"*"the command was: "* ]]
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

@test "loops of products make threads' numbers anew: no address waits for the next loop" {
    cat >k.tri <<'END'
import triton
import triton.language as tl

@triton.jit
def k(a, b, o, K, N: tl.constexpr):
    n = tl.arange(0, N)
    acc = tl.zeros((N, N), tl.float32)
    for i in range(0, K, N):
        acc += tl.dot(tl.load(a + n[:, None] * K + (i + n)[None, :]), tl.load(b + (i + n)[:, None] * N + n[None, :]))
    tl.store(o + n[:, None] * N + n[None, :], acc)
    for i in range(0, K, N):
        acc = acc * 2 + tl.dot(tl.load(b + (i + n)[:, None] * N + n[None, :]), tl.load(b + n[:, None] * N + n[None, :]))
    tl.store(o + N * N + n[:, None] * N + n[None, :], acc)
END
    tritcc -arch=dg2 -num-warps=4 -emit=llir=k.ll -sig 'k(*fp16:16, *fp16:16, *fp32:16, i32:16, 32)' k.tri
    [ "$(grep -c 'call.*sub_group_shufflejj' k.ll)" -eq 1 ]
    args=(k.tri randint:f16:32x64:low=-3,high=4 randint:f16:64x32:low=-3,high=4,seed=2 zeros:f32:64x32 64 32)
    tritrun -arch=native -o o=o.npy "${args[@]}"
    for arch in dg2 pvc; do tritrun -arch=sim:$arch -expect=o=@o.npy "${args[@]}"; done
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
    [ "$(tail -1 text)" = "4 kernels, 0 refused, late, invalid or with spills" ]
    grep -q '^pvc 128 0 32 valid examples/vadd/vadd.tri ' text
    grep -q '^dg2 128 0 16 valid examples/vadd/vadd.tri ' text
    mkdir fake
    printf '#!/bin/sh\necho "no such device"\nexit 3\n' >fake/ocloc
    chmod +x fake/ocloc
    ! PATH=$PWD/fake:$PATH "$SRCDIR/bench/intel/zebin.sh" -a bmg examples/vadd >text
    [ "$(tail -1 text)" = "2 kernels, 2 refused, late, invalid or with spills" ]
    grep -q '^bmg - - - refused examples/vadd/vadd.tri .*no such device' text
}

@test "what spills is compiled with twice the registers, and kept where that helps" {
    cat >fake <<'END'
#!/bin/bash
while [ $# -gt 1 ]; do
    [ "$1" = -output ] && output=$2
    [ "$1" = -options ] && options=$2
    shift
done
echo "$options" >>"$LOG"
if [[ $options == *-ze-opt-large-register-file* ]]; then source=$LARGE; else source=$SMALL; fi
cp "$source" "$output"
END
    chmod +x fake
    local figures arch=pvc
    zebin() { # GRF SPILLED
        printf 'kernels:\n  - name: add_kernel\n    execution_env:\n      grf_count: %s\n      simd_size: 32\n      spill_size: %s\n' "$1" "$2" >info
        printf '\t.text\n\t.zero 8\n\t.section .ze_info,"",@progbits\n\t.incbin "info"\n' >z.s
        cc -c z.s -o "z$1.$2"
    }
    zebin 128 512; zebin 256 64; zebin 256 512; zebin 128 0
    compile() { # SMALL LARGE [OPTION...]
        rm -f log
        LOG=$PWD/log SMALL=$PWD/$1 LARGE=$PWD/$2 tritcc -arch=$arch -ocloc="$PWD/fake" -emit=zebin=k.zebin --resource-usage "${@:3}" \
            -k add_kernel -sig '*fp32, *fp32, *fp32, i32, 1024' "$EXAMPLES/vadd/vadd.tri"
        figures=${errors#*registers}
    }
    compile z128.512 z256.64
    [[ $figures == *"256 per thread, 64 bytes spilled"* ]]
    cmp k.zebin z256.64
    compile z128.512 z256.512
    [[ $figures == *"128 per thread, 512 bytes spilled"* ]]
    cmp k.zebin z128.512
    compile z128.0 z256.64 # nothing to gain
    [ "$(wc -l <log)" -eq 1 ]
    compile z128.512 z256.64 -num-warps=32 # more threads than fit with twice the registers
    [ "$(wc -l <log)" -eq 1 ]
}

# Instructions of the loop with block loads, from LABEL to the jump back.
loop_of() { # ARCH SPIRV
    rm -rf dump
    mkdir dump
    ocloc compile --format zebin -spirv_input -file "$2" -device "$1" -output dump/k.zebin -output_no_suffix \
        -options "-ze-opt-large-register-file -igc_opts 'DumpToCustomDir=$PWD/dump,ShaderDumpEnable=1'" >log
    awk '/^_[0-9a-z_]+:/ { text = ""; blocks = 0 }
        { text = text $0 "\n"; blocks += /load_block2d/ }
        /jmpi|while/ && blocks > 7 { printf "%s", text; exit }' dump/*.asm >loop
}
count() { grep -cE "^ *(\([^)]*\))? *$1" loop || true; }

@test "loops over products: instructions and messages are those of a count by hand" {
    need ocloc
    # 64 x 64 x 32 of four sub-groups: 32 x 32 x 32 each, that is 4 x 2 x 2 instructions of 8 x 16 x 16. A is 4 blocks
    # of 8 x 32, B 2 x 2 of 16 x 16.
    tritcc -arch=pvc -num-warps=4 -emit=spirv=k.spv -Rpass=block-io -k matmul \
        -sig '*fp16:16, *fp16:16, *fp32:16, i32, i32, i32, i32:16, 1, i32:16, 1, i32:16, 1, 64, 64, 32, 4' mm.tri
    [[ $errors == *"4 messages load_u16_m8k16v2 per sub-group"*"4 messages load_u16_k16 per sub-group"* ]]
    loop_of pvc k.spv
    [ "$(count dpas.8x8)" -eq 16 ]
    [ "$(count load_block2d.ugm.d16.a64)" -eq 4 ]
    [ "$(count load_block2d.ugm.d16v.a64)" -eq 4 ]
    [ "$(count '(load|store|send)[._a-z]*')" -eq 8 ] # and no others
    tritcc -arch=pvc -num-warps=4 -emit=spirv=k.spv -k matmul \
        -sig '*bf16:16, *bf16:16, *fp32:16, i32, i32, i32, i32:16, 1, i32:16, 1, i32:16, 1, 64, 64, 32, 4' mm.tri
    loop_of pvc k.spv
    [ "$(count dpas.8x8)" -eq 16 ]
    [ "$(count load_block2d.ugm.d16.a64)" -eq 4 ]
    [ "$(count load_block2d.ugm.d16v.a64)" -eq 4 ]
    [ "$(count '(load|store|send)[._a-z]*')" -eq 8 ]
    # B by columns: its dwords are transposed on the way
    tritcc -arch=pvc -num-warps=4 -emit=spirv=k.spv -k matmul \
        -sig '*bf16:16, *bf16:16, *fp32:16, i32, i32, i32, i32:16, 1, 1, i32:16, i32:16, 1, 64, 64, 32, 4' mm.tri
    loop_of pvc k.spv
    [ "$(count dpas.8x8)" -eq 16 ]
    [ "$(count load_block2d.ugm.d32t.a64)" -eq 4 ]
    [ "$(count '(load|store|send)[._a-z]*')" -eq 8 ]
    # bytes: 32 along K in an instruction, 64 in a block of A
    tritcc -arch=pvc -num-warps=4 -emit=spirv=k.spv -k matmul \
        -sig '*i8:16, *i8:16, *i32:16, i32, i32, i32, i32:16, 1, i32:16, 1, i32:16, 1, 64, 64, 64, 4' mm.tri
    loop_of pvc k.spv
    [ "$(count dpas.8x8)" -eq 16 ]
    [ "$(count load_block2d.ugm.d8.a64)" -eq 4 ]
    [ "$(count load_block2d.ugm.d8v.a64)" -eq 4 ]
    [ "$(count '(load|store|send)[._a-z]*')" -eq 8 ]
}

# No messages of two dimensions there: 64 x 64 of 32 sub-groups, 8 x 16 each, are 1 x 2 instructions of 8 x 8 for each 16
# of K; bytes, of 64 sub-groups, 8 x 8 each, one for each 32. Operands come through shared memory.
@test "products of dg2: instructions are those of a count by hand" {
    need ocloc
    local sig='i32, i32, i32, i32:16, 1, i32:16, 1, i32:16, 1, 64, 64'
    for type in fp16:fp32:32 bf16:fp32:32 i8:i32:64; do
        IFS=: read -r type sum depth <<<"$type"
        tritcc -arch=dg2 -num-warps=4 -emit=spirv=k.spv -k matmul -sig "*$type:16, *$type:16, *$sum:16, $sig, $depth, 4" mm.tri
        loop_of dg2 k.spv
        [ "$(grep -chE '^ *dpas.8x8' dump/*.asm)" -eq "$([ "$type" = i8 ] && echo 2 || echo 4)" ]
        ! grep -q 'spill size' dump/*.asm
    done
}

@test "the loop of attention: instructions and messages are those of a count by hand, and nothing goes through shared memory" {
    need ocloc
    # 64 x 32 and D = 64, of eight sub-groups: 8 rows each. Q K^T: 2 x 4 instructions of 8 x 16 x 16; P V: 4 x 2. K comes
    # in 2 x 4 blocks of 16 x 8 dwords, transposed; V in 2 x 4 of 16 x 16. Q stays in registers, P where it was made.
    tritcc -arch=pvc -num-warps=8 -emit=spirv=k.spv,zebin=k.zebin --resource-usage -k attn \
        -sig 'attn(*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, fp32, 64, 32, 64)' "$SRCDIR/tests/exec/attention.tri"
    [[ $errors == *" 0 bytes spilled"*"shared     0 of"*"barriers   0"* ]]
    loop_of pvc k.spv
    [ "$(count dpas.8x8)" -eq 16 ]
    [ "$(count load_block2d.ugm.d32t.a64)" -eq 8 ]
    [ "$(count load_block2d.ugm.d16v.a64)" -eq 8 ]
    [ "$(count '(load|store|send)[._a-z]*')" -eq 16 ]
    args=(-num-warps=8 -grid=2 -k attn "$SRCDIR/tests/exec/attention.tri" randn:f16:128x64:seed=1 randn:f16:128x64:seed=2
        randn:f16:128x64:seed=3 zeros:f16:128x64 128 0.18 64 32 64)
    tritrun -arch=native -o o_ptr=o.npy "${args[@]}"
    tritrun -arch=sim:pvc -expect=o_ptr=@o.npy -rtol=2e-3 -atol=2e-3 "${args[@]}"
}

# 128 rows of 128 each: 16 sub-groups have eight rows for themselves, all of whose registers a block in front of its product
# would take. Blocks come one by one; what a loop finds in front of it are operands of eight words, not sixteen.
@test "chains of products: a sub-group for each tile of rows, a block for each instruction" {
    local causal
    for causal in False True; do
        tritcc -arch=pvc -num-warps=8 -emit=ttgir=k.ttgir,llir=k.ll -k attention_kernel \
            -sig "*bf16:16,*bf16:16,*bf16:16,*bf16:16,*fp32:16,fp32,i32:16,i32:16,i32:16,i32,i32:16,128,128,64,$causal,tl.bfloat16" \
            "$SRCDIR/bench/gpu/kernels/attention.tri"
        grep -q '"ttg.num-warps" = 16 ' k.ttgir
        grep -q 'warpsPerCTA = \[16, 1\]' k.ttgir
        awk '/^[a-z0-9]+:/ { blocks = dots = 0 } /call .*block_read_flat_trans/ { blocks++ } /call .*matrix_mad/ { dots++ }
            blocks > dots + 1 { bad++ } dots == 64 && blocks == 64 { loops++ } END { exit bad > 0 || !loops }' k.ll
        ! grep -Eq 'phi <[0-9]+ x i16>' k.ll
        [ "$(grep -c 'shufflevector <16 x i16>' k.ll)" -eq 8 ]
    done
    # dg2: words of Q, 8 rows of 128, that is 8 operands of 8, are put together once in front of both loops; in each 2 x 8
    # of K, 4 of P and 4 x 4 of V
    tritcc -arch=dg2 -num-warps=8 -emit=llir=k.ll -k attention_kernel \
        -sig "*bf16:16,*bf16:16,*bf16:16,*bf16:16,*fp32:16,fp32,i32:16,i32:16,i32:16,i32,i32:16,128,128,64,True,tl.bfloat16" \
        "$SRCDIR/bench/gpu/kernels/attention.tri"
    [ "$(grep -c 'insertelement <8 x i32>' k.ll)" -eq $((8 * 8 + 2 * 8 * (16 + 4 + 16))) ]
}

# What a product's operands are cast from stays as it is until an instruction needs it: 4 KiB of bytes are 8 of halves.
@test "operands that are cast are so slice by slice" {
    tritcc -arch=pvc -num-warps=8 -emit=llir=k.ll -k matmul_kernel \
        -sig '*fp8e4nv:16,*fp8e4nv:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,1,i32:16,i32:16,1,128,256,128,8' \
        "$SRCDIR/bench/gpu/kernels/matmul.tri"
    # 32 x 32 x 128 each: a slice of 16 is 2 x 16 halves of B and 4 x 8 of A, for 8 instructions; of fp8 two come at once
    awk '/^[a-z0-9._]+:/ { casts = dots = 0 } /= fptrunc / { casts++ }
        /call .*matrix_mad/ { dots++; if (casts > 64 * (int((dots - 1) / 8) + 2)) bad++ }
        dots == 64 { loops++; dots = 0 } END { exit bad > 0 || loops != 2 }' k.ll
}

@test "products of pvc's own shapes do not spill" {
    need ocloc
    local type sum
    for type in fp16 bf16 i8; do
        [ "$type" = i8 ] && sum=i32 || sum=fp32
        tritcc -arch=pvc -num-warps=4 -emit=zebin=k.zebin --resource-usage \
            -sig "*$type:16, *$type:16, *$sum:16, i32, i32, i32, i32:16, 1, i32:16, 1, i32:16, 1, 64, 64, 32, 4" mm.tri
        [[ $errors == *"registers  256 per thread, 0 bytes spilled"*"shared     0 of"*"barriers   0"* ]]
    done
}

# Sub-groups of half the lanes have as many registers each.
@test "blocks that fill a work-group and would spill are shared by narrower sub-groups" {
    local groups size
    groups_of() { # ARCH BLOCK
        tritcc -arch="$1" -num-warps=32 -k softmax_kernel -emit=ttgir=k.ttgir,json=k.json \
            -sig "*fp32:16, *fp32:16, i32:16, i32:16, i32, i32:16, $2, 2" "$EXAMPLES/softmax/softmax.tri"
        groups=$(sed -n 's/.*"ttg.num-warps" = \([0-9]*\).*"ttg.threads-per-warp" = \([0-9]*\).*/\1 \2/p' k.ttgir)
    }
    groups_of pvc 16384 # 2 KiB of a row each, and of what becomes of it
    [ "$groups" = "32 32" ]
    groups_of pvc 65536
    [ "$groups" = "64 16" ]
    grep -q '"num_warps": 64,' k.json
    groups_of dg2 65536
    [ "$groups" = "64 8" ]
    for size in pvc dg2; do
        args=(-num-warps=32 -grid=1 -k softmax_kernel "$EXAMPLES/softmax/softmax.tri" output_ptr=zeros:f32:1x65500
            randn:f32:1x65500:seed=1 65500 65500 1 65500 65536 2)
        tritrun -arch=native -o output_ptr=o.npy "${args[@]}"
        tritrun -arch=sim:$size -expect=output_ptr=@o.npy -rtol=1e-4 "${args[@]}"
    done
}

@test "blocks that would spill are shared by more sub-groups than were asked for" {
    local groups
    groups_of() { # ARCH WARPS TYPE STRIDE M N K
        tritcc -arch="$1" -num-warps="$2" -emit=ttgir=k.ttgir,json=k.json \
            -sig "*$3$4, *$3$4, *fp32:16, i32, i32, i32, i32$4, 1, i32$4, 1, i32, 1, $5, $6, $7, 4" mm.tri
        groups=$(sed -n 's/.*"ttg.num-warps" = \([0-9]*\).*/\1/p' k.ttgir)
        grep -q "\"num_warps\": $groups," k.json # what a launcher asks for
    }
    groups_of pvc 4 fp16 :16 64 64 32 # 4 KiB of sums, 4 of operands; a sub-group has 16
    [ "$groups" -eq 4 ]
    groups_of pvc 4 fp16 '' 64 64 32 # halves come one by one
    [ "$groups" -eq 16 ]
    groups_of dg2 4 fp16 :16 64 64 32 # 8 KiB each, and columns modulo N come one by one
    [ "$groups" -eq 32 ]
    groups_of dg2 8 fp16 :16 128 128 32 # no more than 512 work-items
    [ "$groups" -eq 64 ]
    groups_of dg2 8 fp16 :16 128 256 32 # ... and what they cannot exchange through shared memory is stored as it lies
    [ "$groups" -eq 64 ]
    ! grep -q 'ttg.convert_layout.*tensor<128x256xf32, #mma>' k.ttgir
    groups_of dg2 4 fp16 :16 16 16 16
    [ "$groups" -eq 4 ]
    tritcc -arch=sm_80 -num-warps=4 -emit=ttgir=k.ttgir -sig '*fp16, *fp16, *fp32, i32, i32, i32, i32, 1, i32, 1, i32, 1, 128, 256, 64, 4' mm.tri
    grep -q '"ttg.num-warps" = 4 ' k.ttgir
    # a row of 32 KiB, its weights and what is added
    tritcc -arch=dg2 -num-warps=8 -emit=ttgir=k.ttgir -sig '*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, i32:16, i32:16, fp32, 8192' \
        "$EXAMPLES/layernorm/layernorm.tri"
    grep -q '"ttg.num-warps" = 32 ' k.ttgir
    for arch in dg2 pvc; do
        args=(-num-warps=4 -grid=4 mm.tri "randint:f16:41x17:low=-3,high=4" "randint:f16:17x48:low=-3,high=4,seed=2"
            "zeros:f32:41x48" 41 48 17 17 1 48 1 48 1 64 64 32 4)
        tritrun -arch=native -o c_ptr=c.npy "${args[@]}"
        tritrun -arch=sim:$arch -expect=c_ptr=@c.npy "${args[@]}"
    done
}

@test "products of dg2 do not spill, nor do large ones" {
    need ocloc
    local strides
    for strides in :16 ''; do
        tritcc -arch=dg2 -num-warps=4 -emit=zebin=k.zebin --resource-usage \
            -sig "*fp16$strides, *fp16$strides, *fp32:16, i32, i32, i32, i32$strides, 1, i32$strides, 1, i32, 1, 64, 64, 32, 4" mm.tri
        [[ $errors == *", 0 bytes spilled"* ]]
        readelf -p .ze_info k.zebin | grep -q 'has_dpas: *true'
    done
    # sums of 128 x 256, operands in slices
    for arch in dg2 pvc; do
        tritcc -arch=$arch -num-warps=8 -emit=zebin=k.zebin --resource-usage -k matmul_kernel \
            -sig '*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1, 128, 256, 64, 8' \
            "$SRCDIR/bench/gpu/kernels/matmul.tri"
        [[ $errors == *", 0 bytes spilled"* ]]
    done
}

@test "few rows: instructions of 1, 2 or 4 rows, and sums of halves" {
    need ocloc
    local arch rows type sum n args
    for arch in pvc dg2; do
        for rows in 1 2 4; do
            for type in fp16:fp32 fp16:fp16 i8:i32; do
                sum=${type#*:} type=${type%:*}
                args=(-num-warps=2 "$SRCDIR/tests/exec/few.tri" "randint:${type/fp/f}:${rows}x32:low=-3,high=4"
                    "randint:${type/fp/f}:32x32:low=-3,high=4,seed=2" "zeros:${sum/fp/f}:${rows}x32" "$rows" 32 32)
                tritrun -arch=native -o c_ptr=c.npy "${args[@]}"
                tritrun -arch=sim:$arch -expect=c_ptr=@c.npy "${args[@]}"
            done
            tritcc -arch=$arch -emit=zebin=k.zebin -sig "few(*fp16:16, *fp16:16, *fp32:16, $rows, 32, 32)" "$SRCDIR/tests/exec/few.tri"
            readelf -p .ze_info k.zebin | grep -q 'has_dpas: *true'
        done
    done
}

@test "products of tf32 give the matrix unit whole words of A" {
    tritcc -arch=pvc -num-warps=4 -emit=llir=k.ll -sig '*fp32:16, *fp32:16, *fp32:16, i32, i32, i32, i32, 1, i32, 1, i32, 1, 64, 64, 32, 4' mm.tri
    grep -Eq 'call .*fdpas_f_f_tf32_tf32_8_8\(<8 x float> [^,]*, <4 x i32> [^,]*, <8 x i32>' k.ll
    # 16 x 16 x 32 of each of 16 sub-groups by 8 x 16 x 8; compilers of 2022 have no message that fills the registers of A
    # or B with rows of dwords, of which a lane has 32 each
    [ "$(grep -c 'call .*fdpas_f_f_tf32_tf32_8_8' k.ll)" -eq 8 ]
    [ "$(grep -c '= load float, ptr addrspace(3)' k.ll)" -eq 64 ]
    # those for bmg and lnl have: 16 x 8 of A at once, 16 x 16 of B, for no more sub-groups than were asked for
    tritcc -arch=bmg -num-warps=4 -emit=llir=k.ll,json=k.json -sig '*fp32:16, *fp32:16, *fp32:16, i32, i32, i32, i32:16, 1, i32:16, 1, i32, 1, 64, 64, 32, 4' mm.tri
    grep -Eq 'call spir_func <8 x i32> .*subgroup_block_read_flat_u32_m8k8v2\(' k.ll
    grep -Eq 'call spir_func <16 x i32> .*subgroup_block_read_flat_u32_m16k16v1\(' k.ll
    grep -q '"num_warps": 4,' k.json
}

@test "block loads on the simulator: sizes, bounds, both orders; what the hardware refuses is an error" {
    local t sum size
    for t in fp16:fp32 bf16:fp32 i8:i32 fp32:fp32; do
        sum=${t#*:} t=${t%:*}
        for size in "64 64 64 64 1" "96 80 112 80 1" "40 48 16 48 1" "96 64 128 1 128"; do # M N K and strides of B
            set -- $size
            args=(-num-warps=4 -grid=4 mm.tri "randint:$t:$1x$3:low=-3,high=4" "randint:$t:$3x$2:low=-3,high=4,seed=2"
                "zeros:$sum:$1x$2" "$1" "$2" "$3" "$3" 1 "$4" "$5" "$2" 1 64 64 64 4)
            tritrun -arch=native -o c_ptr=c.npy "${args[@]}"
            tritrun -arch=sim:pvc -expect=c_ptr=@c.npy "${args[@]}"
            [ "$t" = i8 ] || tritrun -arch=sim:lnl -expect=c_ptr=@c.npy "${args[@]}"
        done
    done
    cat >k.ttgir <<'END'
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "xpu:pvc", "ttg.threads-per-warp" = 16 : i32} {
  tt.func public @k(%x: !tt.ptr<f16>) {
    %width = arith.constant 64 : i32
    %height = arith.constant 8 : i32
    %pitch = arith.constant 64 : i32
    %at = arith.constant 0 : i32
    %y = arith.constant 0 : i32
    %v = ttig.2d_block_load %x, %width, %height, %pitch[%at, %y] {row_major} {tritcc.surface = "checked"} : !tt.ptr<f16> -> tensor<8x32xf16, #a>
    tt.return
  }
}
END
    tritrun -arch=sim:pvc k.ttgir zeros:f16:8x32
    wrong() { # SED MESSAGE
        sed "$1" k.ttgir >w.ttgir
        ! tritrun -arch=sim:pvc w.ttgir zeros:f16:8x32 2>said
        grep -q "^w.ttgir:10:.*$2" said
    }
    wrong 's/%pitch = arith.constant 64/%pitch = arith.constant 72/' 'bytes between rows are not 64 to 2^24, or no multiple of 16: 72'
    wrong 's/%width = arith.constant 64/%width = arith.constant 32/' 'bytes of a row are not 64 to 2^24, or no multiple of 4: 32'
    wrong 's/%height = arith.constant 8/%height = arith.constant 0/' 'rows are not 1 to 2^24: 0'
    wrong 's/%at = arith.constant 0/%at = arith.constant 1/' 'begins at a column that is no multiple of 4 bytes: 1'
    wrong 's/%width = arith.constant 64/%width = arith.constant 128/' 'rows are longer than they are apart, in bytes: 128'
    wrong 's/%height = arith.constant 8/%height = arith.constant 64/; s/%y = arith.constant 0/%y = arith.constant 8/' 'out of bounds'
}
