#!/usr/bin/env bats
# Groups of warps that run different code: ttg.warp_specialize lowered and simulated, by hand and as
# automatic-warp-specialization makes it of loops; and the bugs that the simulator must find in them.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
kernels=$SRCDIR/tests/targets/tma.tri
passes=allocate-warp-groups,allocate-shared-memory,membar

# plan FILE: the passes that lowering needs, into k.ttgir.
plan() { "$TRITCC" -x ttgir -passes="$passes" "$1" -o k.ttgir; }
by_hand() { timeout 900 "$TRITRUN" -arch=sim:sm_90a "$@" arange:i32:128 arg1=zeros:i32:128 7; }

@test "groups run different code and hand over through mbarriers" {
    plan "$SRCDIR/tests/targets/partitions.ttgir"
    by_hand -print=arg1 -print-limit=128 k.ttgir >out
    # x[i] + 7 + 128 + i
    [ "$(sed '1d;s/\[[0-9]*\]//' out | tr -s ' \n' '\n' | sed '/^$/d' | paste -sd' ')" = "$(seq 135 2 389 | paste -sd' ')" ]
}

@test "a kernel without partitions has its own warps alone beside one that has some" {
    cat >m.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * sam + (k + rk)[None, :], mask=rm[:, None] < M, other=0.)
        y = tl.load(b + (k + rk)[:, None] * sbk + rn[None, :], mask=rn[None, :] < N, other=0.)
        acc += tl.dot(x, y)
    tl.store(c + rm[:, None] * scm + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))
END
    # the form for arguments that 16 divides gets a producer, the general one cannot have one
    tritcc -arch=sm_90a -fspecialize=default -num-warps=4 -num-stages=2 m.tri \
        -sig '*fp32, *fp32, *fp32, i32, i32, i32, i32, i32, i32, 64, 64, 32' -emit=ptx=k.ptx,ttgir=k.ttgir,json=k.json
    [ "$(grep -c 'ttg.warp_specialize(' k.ttgir)" = 1 ]
    [ "$(grep -o 'reqntid [0-9]*' k.ptx | paste -sd' ')" = "reqntid 128 reqntid 160" ]
    [ "$(jq -c '[.kernels[].num_warps]' k.json)" = "[4,5]" ]
    # by hand, where the block of both would have a power of two: an addition counts once for each element
    cat >two.ttgir <<'END'
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @count(%x: !tt.ptr<i32>) {
    %one = arith.constant dense<1> : tensor<128xi32, #blocked>
    %p = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #blocked>
    %old = tt.atomic_rmw add, relaxed, gpu, %p, %one : (tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi32, #blocked>) -> tensor<128xi32, #blocked>
    tt.return
  }
  tt.func public @parted(%x: !tt.ptr<i32>) {
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}
END
    plan two.ttgir
    grep -q '"ttg.total-num-warps" = 8' k.ttgir
    tritcc -x ttgir -arch=sm_90a -emit=ptx=k.ptx,json=k.json k.ttgir
    [ "$(grep -o 'reqntid [0-9]*' k.ptx | paste -sd' ')" = "reqntid 128 reqntid 256" ]
    [ "$(jq -c '[.kernels[].num_warps]' k.json)" = "[4,8]" ]
}

@test "barriers are of groups; all warps meet before and behind" {
    plan "$SRCDIR/tests/targets/partitions.ttgir"
    tritcc -x ttgir -arch=sm_90a -emit=ptx=k.ptx k.ttgir
    grep -q '^.reqntid 288' k.ptx
    grep -Pq 'bar.sync\s+1, 128;' k.ptx # the default's
    grep -Pq 'bar.sync\s+3, 128;' k.ptx # partition 1's
    grep -Pq 'bar.sync\s+0;' k.ptx
    ! grep -Pq 'bar.sync\s+2' k.ptx || false # one warp needs none
}

# broken NAME SED WHAT...: the kernel in good.ttgir, changed, is reported, and does not hang.
broken() {
    sed "$1" good.ttgir >k.ttgir
    ! cmp -s good.ttgir k.ttgir || false
    shift
    local what=$1
    shift
    run -1 "$@"
    [[ $output == *"$what"* ]] || { echo "$output" && return 1; }
}

@test "what is left out is found, and never hangs" {
    plan "$SRCDIR/tests/targets/partitions.ttgir"
    mv k.ttgir good.ttgir
    broken '/ttng.arrive_barrier/d' 'a wait that never ends' by_hand k.ttgir
    broken '/ttng.wait_barrier/d' 'shared memory race' by_hand k.ttgir
    broken 's/ttng.init_barrier %\([0-9]*\), 1/ttng.init_barrier %\1, 2/' 'a wait that never ends' by_hand k.ttgir
    broken 's/num_warps(4)/num_warps(8)/; s/= array<i32: 8, 4>/= array<i32: 12, 4>/; s/total-num-warps" = 9/total-num-warps" = 13/' \
        'layout' "$TRITRUN" -arch=sim:sm_90a k.ttgir arange:i32:128 arg1=zeros:i32:128 7
}

@test "loops whose loads a warp of its own starts: products" {
    local c n=0
    while read -r warps stages bm bn bk m rows depth; do
        for c in -fwarp-specialize -fno-warp-specialize; do
            tritcc -arch=sm_90a $c -num-warps="$warps" -num-stages="$stages" -k product -emit=ttgir=k.ttgir \
                -sig "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,$bm,$bn,$bk" "$kernels"
            [ "$(grep -c 'ttg.warp_specialize(' k.ttgir)" = $([ $c = -fwarp-specialize ] && echo 1 || echo 0) ]
            "$TRITRUN" -arch=sim:sm_90a -grid="cdiv($m,$bm),cdiv($rows,$bn)" -o c_ptr="$c.npy" k.ttgir \
                "randint:f16:${m}x$depth:seed=1,low=-4,high=4" "randint:f16:${depth}x$rows:seed=2,low=-4,high=4" \
                "c_ptr=full:f16:${m}x$rows:value=77" "$m" "$rows" "$depth"
        done
        cmp -- -fwarp-specialize.npy -fno-warp-specialize.npy
        n=$((n + 1))
    done <<'CASES'
8 3 128 256 64 256 256 128
8 3 128 128 64 200 264 136
4 4 64 64 32 72 40 328
4 2 64 128 64 64 128 64
8 2 128 128 64 16 16 16
CASES
    [ $n = 5 ]
}

@test "loops in a loop, which a warp of its own walks, too" {
    local n=0 ws
    cp "$SRCDIR/tests/targets/nested-tiles.tri" k.tri
    while read -r kernel warps stages grid defines loops; do
        local d=(-D "${defines//,/ -D }") arrays
        read -ra d <<<"${d[*]}"
        arrays=(a_ptr=randint:f16:200x136:seed=1,low=-4,high=4 b_ptr=randint:f16:136x152:seed=2,low=-4,high=4
            c_ptr=full:f16:200x152:value=77 M=200 N=152 K=136)
        [ "$kernel" = tiles ] || arrays=(q_ptr=randn:f16:3x152x64:seed=1 k_ptr=randn:f16:3x152x64:seed=2
            v_ptr=randn:f16:3x152x64:seed=3 c_ptr=full:f16:3x152x64:value=77 scale=0.125 H=3 N=152)
        for ws in True False; do
            "$TRITRUN" -arch=sim:sm_90a -k "$kernel" -num-warps="$warps" -num-stages="$stages" -grid="$grid" "${d[@]}" -D WS=$ws \
                -o c_ptr=$ws.npy k.tri "${arrays[@]}"
        done
        cmp True.npy False.npy
        "$TRITRUN" -k "$kernel" -grid="$grid" "${d[@]}" -D WS=False -rtol=3e-3 -atol=3e-3 -expect=c_ptr=@True.npy k.tri "${arrays[@]}"
        n=$((n + loops))
    done <<'CASES'
tiles 8 3 3 BM=128,BN=128,BK=64,SUBTILE=True 1
tiles 4 4 2 BM=64,BN=64,BK=32,SUBTILE=False 1
tiles 4 2 9 BM=64,BN=64,BK=256,SUBTILE=False 1
attn 8 2 2 D=64,BM=128,BN=64,CAUSAL=True 1
CASES
    [ $n = 4 ]
    tritcc -arch=sm_90a -k tiles -num-warps=8 -sig '*fp16:16,*fp16:16,*fp16:16,i32,i32:16,i32:16,128,256,64,False,True' \
        -Rpass=warp-specialize -emit=ttgir=k.ttgir k.tri
    [[ $errors == *'a warp of its own starts 2 loads of 49152 bytes an iteration, 3 stages ahead'* ]]
    # what ends the last product's slot, and the next tile's first copy, are needed
    tritcc -arch=sm_90a -k tiles -num-warps=4 -num-stages=2 -emit=ttgir=good.ttgir \
        -sig '*fp16:16,*fp16:16,*fp16:16,i32,i32:16,i32:16,64,64,64,False,True' k.tri
    local tiles=("$TRITRUN" -arch=sim:sm_90a -grid=2 k.ttgir ones:f16:136x192 ones:f16:192x136 c_ptr=zeros:f16:136x136 136 136 192)
    cp good.ttgir k.ttgir
    "${tiles[@]}"
    broken '/ttng.wait_barrier/d' 'race' "${tiles[@]}"
    broken '/ttng.arrive_barrier/d' 'a wait that never ends' "${tiles[@]}"
    # written memory that is read, and atomics, stay with one warp
    tritcc -arch=sm_90a -k chained -sig '*fp16:16,*fp16:16,i32:16,64' -Rpass-missed=warp-specialize -emit=ttgir=k.ttgir k.tri
    [[ $errors == *'the loop around it may write what its loads read'* ]]
}

@test "loops whose loads a warp of its own starts: attention" {
    local c causal
    for causal in 64,False 128,True; do
        for c in -fno-warp-specialize -fwarp-specialize; do
            tritcc -arch=sm_90a $c -num-warps=8 -num-stages=2 -k attn -emit=ttgir=k.ttgir \
                -sig "*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,64,128,$causal,tl.float16" "$kernels"
            "$TRITRUN" -arch=sim:sm_90a -grid=2,2 -o o_ptr="$c.npy" k.ttgir q_ptr=randn:f16:2x208x64:seed=1 \
                k_ptr=randn:f16:2x208x64:seed=2 v_ptr=randn:f16:2x208x64:seed=3 o_ptr=full:f16:2x208x64:value=77 0.125 208
        done
        cmp -- -fwarp-specialize.npy -fno-warp-specialize.npy
    done
    # large blocks keep their loop whole, and are masked behind a branch: two products, once in front and once behind
    [ "$(grep -c 'ttng.warp_group_dot ' k.ttgir)" = 4 ]
}

@test "scores are scaled behind the search for the largest where their factor is positive and finite" {
    local c causal scale run kernel
    # behind their mask, as FlagGems' attention scales them, or in front
    sed -e '/s = tl.dot/s/ \* (scale.*)//' -e '/s = tl.where/s/$/ * (scale * 1.44269504)/' "$kernels" >behind.tri
    for causal in "$kernels 64,64,False" "$kernels 128,128,True" 'behind.tri 128,128,False' 'behind.tri 64,64,True'; do
        read -r kernel causal <<<"$causal"
        for c in -fno-remove-masks -fremove; do
            tritcc -arch=sm_90a ${c#-fremove} -fwarp-specialize -num-warps=8 -num-stages=2 -k attn -emit=ttgir="k$c.ttgir" \
                -sig "*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,64,$causal,tl.float16" "$kernel"
        done
        # by two groups and 64 elements a thread behind a branch, else in a loop without masks
        grep -q 'arith.cmpf ogt' k-fremove.ttgir
        for scale in 0.125 -0.125 0 inf; do
            run=(timeout 900 "$TRITRUN" -arch=sim:sm_90a -grid=2,1 k.ttgir q_ptr=randn:f16:208x64:seed=1 k_ptr=randn:f16:208x64:seed=2
                v_ptr=randn:f16:208x64:seed=3 o_ptr=full:f16:208x64:value=77 "$scale" 208)
            cp k-fno-remove-masks.ttgir k.ttgir
            "${run[@]}" -o o_ptr=masks.npy
            cp k-fremove.ttgir k.ttgir
            "${run[@]}" -o o_ptr=o.npy
            cmp masks.npy o.npy
            cp k.ttgir good.ttgir
            [ "$scale$kernel" != "-0.125$kernels" ] || broken 's/arith.cmpf ogt/arith.cmpf olt/' 'elements differ' "${run[@]}" -expect=o_ptr=@masks.npy
        done
    done
}

@test "bugs in a producer and in its consumers are found" {
    tritcc -arch=sm_90a -fwarp-specialize -num-warps=4 -num-stages=2 -k product -emit=ttgir=good.ttgir \
        -sig '*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64,64' "$kernels"
    local run=(timeout 900 "$TRITRUN" -arch=sim:sm_90a k.ttgir randint:f16:64x384:seed=1,low=-4,high=4 randint:f16:384x64:seed=2,low=-4,high=4
        c_ptr=full:f16:64x64:value=77 64 64 384)
    sed '' good.ttgir >k.ttgir
    "${run[@]}"
    broken '/ttng.arrive_barrier/d' 'a wait that never ends' "${run[@]}"
    broken '/default {/,/partition0/{/ttng.wait_barrier/d}' 'copy in flight' "${run[@]}"
    broken '/partition0/,/warp_return/{/ttng.wait_barrier/d}' 'too many arrivals' "${run[@]}"
    # phases: of full buffers, and of empty ones, which are filled again too early or never
    local phase='ttng.wait_barrier \(%[0-9]*\), %[a-z0-9_]*'
    broken "/default {/,/partition0/s/$phase/ttng.wait_barrier \\1, %c1_i32/" 'copy in flight' "${run[@]}"
    local empty="/partition0/,/warp_return/s/$phase/%phase = arith.constant"
    broken "$empty 1 : i32 ttng.wait_barrier \\1, %phase/" 'too many arrivals' "${run[@]}"
    broken "$empty 0 : i32 ttng.wait_barrier \\1, %phase/" 'a wait that never ends' "${run[@]}"
    broken 's/ttng.barrier_expect \(.*\), 16384/ttng.barrier_expect \1, 8192/' 'a wait that never ends' "${run[@]}"
    broken 's/pendings = 1/pendings = 2/' 'product under way' "${run[@]}"
}

@test "loads of a bias through pointers stay with the warps that multiply, where a loop asks" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def biased(q_ptr, k_ptr, b_ptr, o_ptr, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, WRITES: tl.constexpr):
    rows = tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * D + d[None, :])
    acc = tl.zeros((BM, D), tl.float32)
    for n in tl.range(0, N, BN, warp_specialize=True):
        columns = n + tl.arange(0, BN)
        k = tl.load(k_ptr + columns[:, None] * D + d[None, :], mask=columns[:, None] < N, other=0.0)
        bias = tl.load(b_ptr + rows[:, None] * N + columns[None, :], mask=columns[None, :] < N, other=0.0)
        s = tl.dot(q, k.T) + bias
        if WRITES:
            tl.store(b_ptr + rows[:, None] * N + columns[None, :], s, mask=columns[None, :] < N)
        acc = tl.dot(s.to(tl.float16), k, acc)
    tl.store(o_ptr + rows[:, None] * D + d[None, :], acc)
TRI
    local types='*fp16:16, *fp16:16, *fp32:16, *fp32:16, i32' n
    tritcc -arch=sm_90a -num-warps=4 -num-stages=2 -k biased -sig "$types, 64, 64, 64, False" -emit=ttgir=k.ttgir k.tri
    sed -n '/default {/,/partition0/p' k.ttgir | grep -q 'tt.load'
    for n in 200 64 1 0; do
        local arrays=(randint:f16:64x64:seed=1,low=-3,high=3 "randint:f16:$((n + 1))x64:seed=2,low=-3,high=3"
            "randint:f32:64x$((n + 1)):seed=3,low=-9,high=9" o_ptr=full:f32:64x64:value=77 "$n")
        "$TRITRUN" k.tri -arch="$HOST_ARCH" "${arrays[@]}" 64 64 64 False -o o_ptr=o.npy
        timeout 900 "$TRITRUN" -arch=sim:sm_90a k.ttgir "${arrays[@]}" -expect o_ptr=@o.npy
    done
    tritcc -arch=sm_90a -k biased -sig "$types, 64, 64, 64, True" -emit=ttgir=k.ttgir -Rpass-missed=warp-specialize k.tri
    [[ $errors == *"not specialised: it loads through pointers"* ]]
}

@test "bugs in a loop of two products are found" {
    tritcc -arch=sm_90a -fwarp-specialize -num-warps=4 -num-stages=2 -k attn -emit=ttgir=good.ttgir \
        -sig '*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,64,64,64,False,tl.float16' "$kernels"
    local run=(timeout 900 "$TRITRUN" -arch=sim:sm_90a k.ttgir q_ptr=randn:f16:320x64:seed=1 k_ptr=randn:f16:320x64:seed=2
        v_ptr=randn:f16:320x64:seed=3 o_ptr=full:f16:320x64:value=77 0.125 320)
    sed '' good.ttgir >k.ttgir
    "${run[@]}" -o o_ptr=good.npy
    # what is read of a product too early are no numbers
    broken 's/pendings = 1/pendings = 2/' 'elements differ' "${run[@]}" -expect=o_ptr=@good.npy
    broken '/scf.for/,/scf.yield/s/pendings = 0/pendings = 1/' 'product' "${run[@]}" -expect=o_ptr=@good.npy
    broken '/} else {/,$!{/ttng.arrive_barrier/d}' 'a wait that never ends' "${run[@]}"
}

# backward CAUSAL ROWS KEYS STAGES: the ttgir of attention's gradients, and how to run it, as ${gradients[@]}.
backward() {
    local kernel=$SRCDIR/bench/gpu/kernels/attention_bwd.tri sizes="$2,$3,$3,$2,2,64,$1"
    gradients=(-grid="$((192 / $3))" randn:bf16:192x64:seed=1 randn:bf16:192x64:seed=2 randn:bf16:192x64:seed=3 0.125
        randn:bf16:192x64:seed=4 zeros:bf16:192x64 zeros:bf16:192x64 zeros:bf16:192x64
        randint:f32:192:seed=5,low=16,high=24 randn:f32:192:seed=6 12288 64 1 192)
    "$TRITRUN" "$kernel" -k attention_bwd_kernel "-arch=$HOST_ARCH" "${gradients[@]}" ${sizes//,/ } -o DQ=dq.npy -o DK=dk.npy -o DV=dv.npy
    gradients+=(-rtol=3e-2 -atol=2e-2 -expect DQ=@dq.npy -expect DK=@dk.npy -expect DV=@dv.npy)
    tritcc -arch=sm_90a -fwarp-specialize -num-warps=4 -num-stages="$4" -k attention_bwd_kernel -emit=ttgir=good.ttgir \
        -Rpass=warp-specialize -sig "*bf16:16,*bf16:16,*bf16:16,fp32,*bf16:16,*bf16:16,*bf16:16,*bf16:16,*fp32:16,*fp32:16,\
i32:16,i32:16,1,i32:16,$sizes" "$kernel"
}

@test "loops of more than two products: rows of sums come by bulk copies, too" {
    local c
    for c in 'False 64 64 3' 'True 64 64 2' 'False 32 64 3'; do
        backward $c
        [[ $errors == *"starts 4 loads of"* && $errors == *"starts 2 loads of"*"in the buffers of the loop in front"* ]]
        # one producer for all loops; what is stored between them is copied behind the last one
        [ "$(grep -c 'ttg.warp_specialize(' good.ttgir)" = 1 ]
        sed -n '/default {/,/partition0/p' good.ttgir >default.ttgir
        ! sed -n '/scf.for/,/scf.yield/p' default.ttgir | grep -q 'tt.load' || false
        ! sed '/scf.for/,$!d' default.ttgir | tac | sed '/scf.yield/,$!d' | grep -q 'async_tma_copy\|store_wait' || false
        [ "$(grep -c 'async_tma_copy_local_to_global' default.ttgir)" = 2 ]
        timeout 900 "$TRITRUN" -arch=sim:sm_90a good.ttgir "${gradients[@]}"
    done
    # half of 32 sums is less than the copy engine's unit: then no loop of the kernel gains
    backward True 32 64 3
    ! grep -q 'warp_specialize\|tensordesc' good.ttgir || false
    timeout 900 "$TRITRUN" -arch=sim:sm_90a good.ttgir "${gradients[@]}"
}

@test "a kernel of loops of more than two products, half of them masked, gets a warp for loads by 8 warps" {
    local types='*bf16:16,*bf16:16,*bf16:16,fp32,*bf16:16,*bf16:16,*bf16:16,*bf16:16,*fp32:16,*fp32:16,i32:16,i32:16,1,i32:16' c
    for c in '8 2 True 1' '8 3 True 1' '4 2 True 0' '8 3 False 1'; do
        set -- $c
        tritcc -arch=sm_90a "-num-warps=$1" "-num-stages=$2" -k attention_bwd_kernel -emit=ttgir=out.ttgir \
            -sig "$types,64,128,128,64,2,64,$3" "$SRCDIR/bench/gpu/kernels/attention_bwd.tri"
        [ "$(grep -c 'ttg.warp_specialize(' out.ttgir)" = "$4" ] || { echo "$c: $(grep -c 'ttg.warp_specialize(' out.ttgir)"; false; }
    done
}

@test "bugs in a loop of more than two products are found" {
    backward False 64 64 2
    local run=(timeout 900 "$TRITRUN" -arch=sim:sm_90a k.ttgir "${gradients[@]}")
    broken '/ttng.arrive_barrier/d' 'a wait that never ends' "${run[@]}"
    broken '/default {/,/partition0/{/ttng.wait_barrier/d}' 'copy in flight' "${run[@]}"
    broken 's/pendings = 1/pendings = 3/' 'product under way' "${run[@]}"
    broken 's/ttng.barrier_expect \(.*\), 16896/ttng.barrier_expect \1, 16384/' 'a wait that never ends' "${run[@]}"
}

# The primitives registers_take and registers_give.
@test "registers move to the warps that multiply; ptxas takes it" {
    local need
    for need in 'product 8 128,256,64 232 40' 'attn 8 128,128,128,False,tl.bfloat16 240 24' 'product 4 128,128,64 216 40'; do
        read -r kernel warps rest take give <<<"$need"
        if [ "$kernel" = attn ]; then rest="*bf16:16,*bf16:16,*bf16:16,*bf16:16,fp32,i32:16,$rest"; else rest="*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,$rest"; fi
        tritcc -arch=sm_90a -fwarp-specialize -num-warps="$warps" -num-stages=2 -k "$kernel" -sig "$rest" -emit=ptx=k.ptx "$kernels"
        grep -Pq "setmaxnreg.inc.sync.aligned.u32\s+$take;" k.ptx
        grep -Pq "setmaxnreg.dec.sync.aligned.u32\s+$give;" k.ptx
        # none but the two meetings of all warps, and nothing in the loops
        [ "$(grep -Pc 'bar.sync\s+0;' k.ptx)" -le 4 ]
        if [ -x "$(command -v ptxas)" ]; then
            ptxas -v -arch=sm_90a k.ptx -o k.cubin 2>log
            ! grep -q '(C75' log || false
            grep -q ' 0 bytes spill stores' log
        fi
    done
}

@test "registers of groups, in a module that names no machine" {
    cat >k.mlir <<'M'
module attributes {"ttg.num-warps" = 8 : i32} {
  tt.func @k() {
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 48, 80, 48>} default { ttg.warp_yield }
    partition0() num_warps(1) { ttg.warp_return } partition1() num_warps(2) { ttg.warp_return }
    partition2() num_warps(1) { ttg.warp_return } : () -> ()
    tt.return
  }
}
M
    tritcc -tritongpu-allocate-warp-groups k.mlir
    [[ $output == *'ttg.maxnreg = 168 : i32'*'"ttg.total-num-warps" = 12 : i32'* ]]
    # the most of any in its four warps; what is left is the default's
    [[ $output == *'actualRegisters = array<i32: 208, 80, 80, 80>'*'warpGroupStartIds = array<i32: 10, 8, 11>'* ]]
}

@test "what ptxas says of products that it serialises is a remark" {
    cat >ptxas <<'S'
#!/bin/sh
echo "ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient registers"
while [ "$1" != -o ]; do shift; done
echo cubin >"$2"
S
    chmod +x ptxas
    tritcc -arch=sm_90a -ptxas=./ptxas -k product -num-warps=8 -sig '*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,128,64' \
        -emit=cubin=k.cubin -Rpass-missed=ptxas "$kernels"
    [[ $errors == *'remark: ptxas: (C7511) Potential Performance Loss: wgmma'*'-fno-warp-specialize'*'[-Rpass-missed=ptxas]'* ]]
}

@test "what ptxas gives up is made again without" {
    cat >ptxas <<'S'
#!/bin/sh
for input; do case $input in *.ptx) break ;; esac; done
if grep -q setmaxnreg "$input"; then
    echo "ptxas info    : (C7512) Potential Performance Loss: wgmma.mma_async instructions are serialized"
fi
echo "ptxas info    : Function properties for product"
echo "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
grep -q setmaxnreg "$input" && echo "ptxas info    : Used 168 registers" || echo "ptxas info    : Used 99 registers"
while [ "$1" != -o ]; do shift; done
cp "$input" "$2"
S
    chmod +x ptxas
    local sig='*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,256,64'
    tritcc -arch=sm_90a -ptxas=./ptxas -k product -num-warps=8 -fwarp-specialize -sig "$sig" -emit=cubin=k.cubin,ptx=k.ptx \
        --resource-usage -Rpass-missed=ptxas "$kernels"
    [[ $errors == *'remark: made again without warps of their own for loads, as -fno-warp-specialize does: ptxas gave them up'* ]]
    [[ $errors$output == *99*per*thread* && $errors$output != *168* ]]
    tritcc -arch=sm_90a -k product -num-warps=8 -fno-warp-specialize -sig "$sig" -emit=ptx=plain.ptx "$kernels"
    cmp k.ptx plain.ptx
    ! grep -q setmaxnreg k.cubin || false
    # an object, and what begins behind the choice
    tritcc -c -arch=sm_90a -ptxas=./ptxas -k product -num-warps=8 -fwarp-specialize -sig "$sig" "$kernels" -o k.o -Rpass-missed=ptxas
    [[ $errors == *'remark: made again'* ]]
    tritcc -arch=sm_90a -k product -num-warps=8 -fwarp-specialize -sig "$sig" -emit=ttgir=k.ttgir "$kernels"
    tritcc -arch=sm_90a -ptxas=./ptxas -emit=cubin=k.cubin -Rpass-missed=ptxas k.ttgir
    [[ $errors == *'(C7512)'* && $errors != *'made again'* ]]
    grep -q setmaxnreg k.cubin
}

@test "a kernel with a loop that stays as it is stays as it is" {
    cat >k.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr, POINTERS: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [B, K], [K, 1], [B, B])
    i = tl.arange(0, B)
    acc = tl.zeros((B, B), dtype=tl.float32)
    for n in range(0, K, B):
        x = a.load([0, n])
        acc = tl.dot(tl.dot(x, x.T).to(tl.float16), x, acc)
    for n in range(0, K, B):
        y = tl.load(b_ptr + i[:, None] * K + n + i[None, :])
        if POINTERS:
            y += tl.load(b_ptr + i)[None, :]
        acc = tl.dot(tl.dot(y, y.T).to(tl.float16), y, acc)
    tl.store(c_ptr + i[:, None] * B + i[None, :], acc)
K
    local c
    for c in True False; do
        tritcc -arch=sm_90a -sig "*fp16:16,*fp16:16,*fp32:16,i32:16,64,$c" -emit=ttgir=k.ttgir -Rpass-missed=warp-specialize k.tri
        [ "$(grep -c 'ttg.warp_specialize(' k.ttgir)" = $([ $c = True ] && echo 0 || echo 1) ]
        [ $c = False ] || [[ $errors == *'k.tri:8:'*'another loop with products of the kernel cannot be'* ]]
    done
}

# With one stage fewer than turns need, or without a hand-over, two groups would wait for one another for ever.
@test "two groups of consumers issue products in turn" {
    local kernel=(-num-warps=8 -k attn -sig '*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,64,128,64,False,tl.float16')
    local stages
    for stages in 2 3 4; do
        tritcc -arch=sm_90a "${kernel[@]}" -num-stages=$stages -emit=ttgir=k.ttgir "$kernels"
        # in front of the loop, in it, and of each pair the arrival
        [ "$(grep -c 'ttg.warp_id' k.ttgir)" -ge 1 ]
        timeout 900 "$TRITRUN" -arch=sim:sm_90a -grid=2,1 -o o_ptr=turns.npy k.ttgir q_ptr=randn:f16:256x64:seed=1 \
            k_ptr=randn:f16:256x64:seed=2 v_ptr=randn:f16:256x64:seed=3 o_ptr=full:f16:256x64:value=77 0.125 256
        tritcc -arch=sm_90a "${kernel[@]}" -num-stages=$stages -fno-warp-specialize -emit=ttgir=plain.ttgir "$kernels"
        timeout 900 "$TRITRUN" -arch=sim:sm_90a -grid=2,1 -o o_ptr=plain.npy plain.ttgir q_ptr=randn:f16:256x64:seed=1 \
            k_ptr=randn:f16:256x64:seed=2 v_ptr=randn:f16:256x64:seed=3 o_ptr=full:f16:256x64:value=77 0.125 256
        cmp turns.npy plain.npy
    done
    # the other group's mbarrier is the one that its number, turned, picks
    local other
    other=$(sed -n 's/ *\(%[^ ]*\) = arith.xori .*/\1/p' k.ttgir | while read -r v; do
        grep -o "%[0-9a-z_]* = ttg.memdesc_index %[^[]*\[$v\]" k.ttgir
    done | sed 's/ =.*//' | head -1)
    [ -n "$other" ]
    sed "/ttng.arrive_barrier $other,/d" k.ttgir >hang.ttgir
    ! cmp -s k.ttgir hang.ttgir || false
    run -1 timeout 900 "$TRITRUN" -arch=sim:sm_90a -grid=2,1 hang.ttgir q_ptr=randn:f16:256x64:seed=1 \
        k_ptr=randn:f16:256x64:seed=2 v_ptr=randn:f16:256x64:seed=3 o_ptr=full:f16:256x64:value=77 0.125 256
    [[ $output == *'a wait that never ends'* ]]
}

@test "no barrier in a turn: one for queries that the warps copy themselves is in front" {
    # rows that nothing aligns come by threads, and the first product of each group reads what all have written
    sed -e '/^def attn/s/N, D/N, S, D/' -e '/    q = tl.make_tensor_descriptor/d' -e '/^@triton.jit/,$!d' \
        -e 's/qb = q.load.*/r = m0 + tl.arange(0, BM)\n    qb = tl.load(q_ptr + (h * N + r)[:, None] * S + tl.arange(0, D)[None, :], mask=r[:, None] < N, other=0.)/' \
        "$kernels" | sed '/^def product/,$d;$d' >body
    { printf 'import triton\nimport triton.language as tl\n\n' && sed '$d' body; } >k.tri
    local c causal run
    for causal in False True; do
        run=(timeout 900 "$TRITRUN" -arch=sim:sm_90a -grid=2,1 k.ttgir q_ptr=randn:f16:200x69:seed=1 k_ptr=randn:f16:208x64:seed=2
            v_ptr=randn:f16:208x64:seed=3 o_ptr=full:f16:208x64:value=77 0.125 200 69)
        for c in -fno-warp-specialize -fwarp-specialize; do
            tritcc -arch=sm_90a $c -num-warps=8 -num-stages=2 -k attn -emit=ttgir=k.ttgir \
                -sig "*fp16,*fp16:16,*fp16:16,*fp16:16,fp32,i32,i32,64,128,128,$causal,tl.float16" k.tri
            "${run[@]}" -o o_ptr="$c.npy"
        done
        cmp -- -fwarp-specialize.npy -fno-warp-specialize.npy
    done
    cp k.ttgir good.ttgir
    broken '/ttg.barrier local/{N;s/\(.*\)\n\(.*tritcc.turn.*\)/\2\n\1/}' 'barrier divergence' "${run[@]}"
    broken '/ttg.barrier local/{N;s/.*\n\(.*tritcc.turn.*\)/\1/}' 'shared memory race' "${run[@]}"
}

@test "loops behind one another go on with the same buffers" {
    cat >k.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def part(acc, q, d, m, begin, end, B: tl.constexpr, MASKED: tl.constexpr):
    for n in range(begin, end, B):
        x = d.load([n, 0])
        s = tl.dot(q, x.T)
        if MASKED:
            s = tl.where(m[:, None] >= n + tl.arange(0, B)[None, :], s, 0.0)
        acc = tl.dot(s.to(tl.float16), x, acc)
    return acc
@triton.jit
def k(q_ptr, a_ptr, c_ptr, N, B: tl.constexpr, BM: tl.constexpr, HOW: tl.constexpr):
    d = tl.make_tensor_descriptor(a_ptr, [N, B], [B, 1], [B, B])
    i = tl.arange(0, B)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    q = tl.load(q_ptr + m[:, None] * B + i[None, :])
    acc = tl.zeros((BM, B), dtype=tl.float32)
    acc = part(acc, q, d, m, 0, tl.program_id(0) * BM, B, False)
    begin = tl.program_id(0) * BM
    if HOW == 1: # where the second begins is known only behind the first
        begin += (tl.sum(tl.sum(acc, 1), 0) > 1e30).to(tl.int32)
    if HOW == 2: # an effect between them
        tl.store(c_ptr + m[:, None] * B + i[None, :], acc)
    acc = part(acc * 0.5, q, d, m, begin, tl.program_id(0) * BM + BM, B, True)
    acc = part(acc, q, d, m, 0, HOW * B, B, False)
    tl.store(c_ptr + m[:, None] * B + i[None, :], acc)
K
    local how c types='*fp16:16,*fp16:16,*fp32:16,i32,64'
    for how in 0 1 2 3; do
        for c in -fwarp-specialize -fno-warp-specialize; do
            tritcc -arch=sm_90a $c -num-warps=8 -num-stages=3 -k k -sig "$types,128,$how" -emit=ttgir=k.ttgir k.tri
            # the last loop, too, goes on with the second one's buffers
            [ $c = -fno-warp-specialize ] || [ "$(grep -c 'ttg.warp_specialize(' k.ttgir)" = "$((how == 1 || how == 2 ? 2 : 1))" ]
            timeout 900 "$TRITRUN" -arch=sim:sm_90a -grid=2 -o "c_ptr=$c.npy" k.ttgir \
                q_ptr=randint:f16:256x64:seed=1,low=-1,high=1 a_ptr=randint:f16:256x64:seed=2,low=-1,high=1 \
                c_ptr=full:f32:256x64:value=77 256
        done
        cmp -- -fwarp-specialize.npy -fno-warp-specialize.npy
    done
}

@test "a loop asks for it, and is told why not" {
    cat >k.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(a_ptr, b_ptr, c_ptr, M, N, K, B: tl.constexpr, POINTERS: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [B, B])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [B, B])
    i = tl.arange(0, B)
    acc = tl.zeros((B, B), dtype=tl.float32)
    for k in tl.range(0, K, B, warp_specialize=True):
        y = tl.load(b_ptr + (k + i)[:, None] * N + i[None, :]) if POINTERS else b.load([k, 0])
        acc = tl.dot(a.load([0, k]), y, acc)
    tl.store(c_ptr + i[:, None] * N + i[None, :], acc)
K
    local sig='*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64'
    tritcc -arch=sm_90a -sig "$sig,False" -emit=ttgir=k.ttgir -Rpass=warp-specialize k.tri
    [[ $errors == *'k.tri:9:'*'remark: a warp of its own starts 2 loads of 16384 bytes an iteration, 3 stages ahead'* ]]
    grep -q 'ttg.warp_specialize(' k.ttgir
    tritcc -arch=sm_90a -sig "$sig,True" -fno-auto-tma -emit=ttgir=k.ttgir -Rpass-missed=warp-specialize k.tri
    [[ $errors == *'k.tri:9:'*'remark: not specialised: it loads through pointers'* ]]
    ! grep -q 'ttg.warp_specialize(' k.ttgir || false
    tritcc -arch=sm_90a -sig "$sig,False" -num-stages=1 -emit=ttgir=k.ttgir -Rpass-missed=warp-specialize k.tri
    [[ $errors == *'remark: not specialised: there is no room'* ]]
    tritcc -arch=sm_90a -sig "$sig,False" -fno-warp-specialize -emit=ttgir=k.ttgir k.tri
    ! grep -q 'ttg.warp_specialize(' k.ttgir || false
    tritcc -arch=sm_90 -sig "$sig,False" -emit=ttgir=k.ttgir k.tri
    ! grep -q 'ttg.warp_specialize(' k.ttgir || false
}

# refused TEXT: k.ttgir cannot be lowered, and it is said why.
refused() {
    tritcc -1 -x ttgir -arch="${2-sm_90a}" -emit=llir=k.ll k.ttgir
    [[ $errors == *"k.ttgir:"*"'ttg.warp_specialize' cannot be lowered"*"$1"* ]]
}

@test "what cannot be lowered is a located error" {
    local head='module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {'
    cp "$SRCDIR/tests/targets/partitions.ttgir" k.ttgir
    refused 'its partitions have no warps yet; allocate-warp-groups gives them some'
    printf '%s\n' "$head" 'tt.func public @k(%n: i32) {' 'scf.for %i = %n to %n step %n : i32 {' \
        'ttg.warp_specialize() default { ttg.warp_yield } partition0() num_warps(1) { ttg.warp_return } : () -> ()' '}' 'tt.return' '}' '}' >loop.ttgir
    plan loop.ttgir
    refused 'it stands in a loop or a branch'
    refused 'the machine has no barriers for some' spirv64
    printf '#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n%s\n' "$head" >tensor.ttgir
    printf '%s\n' 'tt.func public @k() {' '%r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>' \
        'ttg.warp_specialize(%r) default { ttg.warp_yield } partition0(%a: tensor<128xi32, #b>) num_warps(4) { ttg.warp_return } : (tensor<128xi32, #b>) -> ()' \
        'tt.return' '}' '}' >>tensor.ttgir
    plan tensor.ttgir
    refused 'a partition takes a tensor'
}

@test "what a loop loads ahead is not read without an iteration" {
    local types='*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16'
    tritcc -arch=sm_90a -fwarp-specialize -k product -num-warps=8 -num-stages=3 -sig "$types,128,256,32" -emit=ttgir=k.ttgir \
        "$SRCDIR/tests/targets/tma.tri"
    sed -n '/default {/,/scf.for/p' k.ttgir >front
    grep -q 'ttg.local_load' front
    awk '/scf.if/ { inside = 1 } /} else {/ { inside = 0 } /ttg.local_load|ttng.wait_barrier/ && !inside { bad = 1 } END { exit bad }' front
    "$TRITRUN" -arch=sim:sm_90a -fwarp-specialize -k product -num-warps=8 -num-stages=3 -grid=1,1 -D BM=128 -D BN=256 -D BK=32 \
        -o c_ptr=c.npy "$SRCDIR/tests/targets/tma.tri" zeros:f32:16 zeros:f32:16 c_ptr=full:f32:128x256:value=7 128 256 0
    ! tail -c +129 c.npy | tr -d '\0' | grep -q . || return 1
}

# tile ROWS HEADS D BM BN CAUSAL WARPS STAGES PROGRAMS
tile() {
    local options=(-k attention_tiles "-num-warps=$7" "-num-stages=$8" "-grid=$9" -D "D=$3" -D "BM=$4" -D "BN=$5" -D "CAUSAL=$6")
    local arguments=("randn:bf16:$2x$1x$3:seed=1" "randn:bf16:$2x$1x$3:seed=2" "randn:bf16:$2x$1x$3:seed=3"
        "o_ptr=full:bf16:$2x$1x$3:value=7" 0.09 "$1" "$2") kernel=$SRCDIR/tests/targets/nested-attention.tri c
    "$TRITRUN" -arch=sim:sm_90a -fno-warp-specialize "${options[@]}" -o o_ptr=alike.npy "$kernel" "${arguments[@]}"
    for c in -fhost-tensormaps -fno-host-tensormaps; do
        "$TRITRUN" -arch=sim:sm_90a $c "${options[@]}" -expect o_ptr=@alike.npy -rtol=1e-2 -atol=1e-3 "$kernel" "${arguments[@]}"
    done
}

@test "attention in a loop over tiles: queries come ahead, and turns go on" {
    tile 256 3 64 128 64 False 8 2 3
    tile 208 3 64 128 64 False 8 3 2
    tile 400 2 64 128 64 True 8 2 3
    tile 130 2 64 64 64 True 4 2 3
    tritcc -arch=sm_90a -fhost-tensormaps -k attention_tiles -num-warps=8 -num-stages=2 -emit=ttgir=k.ttgir,ptx=k.ptx \
        -sig '*bf16:16,*bf16:16,*bf16:16,*bf16:16,fp32,i32:16,i32,128,128,128,False' "$SRCDIR/tests/targets/nested-attention.tri"
    sed -n '/default {/,/partition0/p' k.ttgir >default
    ! grep -q 'async_tma_copy_global' default || return 1
    grep -q 'math.ctpop' default
    grep -q 'isAsync = true' default
    need ptxas
    ptxas -arch=sm_90a -v k.ptx -o k.cubin >log 2>&1
    ! grep -q '(C75' log || { cat log; return 1; }
    grep -q ' 0 bytes spill stores' log
}
