#!/usr/bin/env bats
# tt.map_elementwise whose function branches, loops and returns early, several elements at a time.
load ../helpers

data=(randint:i32:512:seed=1,low=0,high=12 randint:i32:512:seed=2,low=0,high=12)

# Every array on a line of its own.
flat() { awk '/^ / { sub(/^ *\[[0-9]+\]/, ""); line = line $0; next } { if (line != "") print line; line = ""; print } END { if (line != "") print line }'; }

# run KERNEL-FILE PARAMETER [OPTION...]: its third array
run_kernel() {
    "$BUILDDIR/tritrun" -print "$2" -print-limit 512 "$1" "${data[@]}" zeros:i32:512 "${@:3}" | flat | tail -n 1
}

# One element at a time and two, in the source language: branches, a loop of known and one of unknown length.
write_source() {
    cat >k.tri <<'EOF'
import triton
import triton.language as tl

@triton.jit
def one(a, b):
    if a < b:
        return a
    s = a
    n = 0
    for i in range(0, b):
        if s > 20:
            s -= i
        else:
            s += i + 1
    while s > 25:
        s -= 9
        n += 1
    if n == 1:
        return -s
    return s

@triton.jit
def two(a0, a1, b0, b1):
    return one(a0, b0), one(a1, b1)

@triton.jit
def four(a0, a1, a2, a3, b0, b1, b2, b3):
    if (a0 < b0) & (a1 < b1) & (a2 < b2) & (a3 < b3):
        return a0, a1, a2, a3
    r0, r1 = two(a0, a1, b0, b1)
    r2, r3 = two(a2, a3, b2, b3)
    return r0, r1, r2, r3

@triton.jit
def k(x, y, o, N: tl.constexpr, F: tl.constexpr, P: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + i, tl.map_elementwise(F, tl.load(x + i), tl.load(y + i), pack=P))
EOF
}

@test "functions of one, two and four elements with branches and loops" {
    write_source
    run_kernel k.tri o 512 -DF=one -DP=1 >one.txt
    # a reference of its own
    "$BUILDDIR/tritrun" -print x -print y -print-limit 512 k.tri "${data[@]}" zeros:i32:512 512 -DF=one -DP=1 | flat >in.txt
    awk 'NR == 2 { n = split($0, x) } NR == 4 { split($0, y) } END {
        for (k = 1; k <= n; k++) {
            s = x[k]; turns = 0
            if (x[k] >= y[k]) {
                for (i = 0; i < y[k]; i++) if (s > 20) s -= i; else s += i + 1
                while (s > 25) { s -= 9; turns++ }
                if (turns == 1) s = -s
            }
            printf " %d", s
        }
        print ""
    }' in.txt | diff - one.txt
    grep -q -- ' -' one.txt
    for pair in one:1 two:2 four:4; do
        for arch in native sim:sm_80 sim:spirv64; do
            run_kernel k.tri o 512 -DF=${pair%:*} -DP=${pair#*:} -arch=$arch | diff - one.txt
        done
    done
}

# What Triton writes for early returns: blocks that branch, inside of the region.
cat_blocks() {
    cat <<'EOF'
module {
  tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
    %0 = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
    %1 = tt.addptr %0, %i : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
    %a = tt.load %1 : tensor<512x!tt.ptr<i32>>
    %2 = tt.splat %y : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
    %3 = tt.addptr %2, %i : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
    %b = tt.load %3 : tensor<512x!tt.ptr<i32>>
    %t = "tt.map_elementwise"(%a, %b) <{pack = 2 : i32}> ({
    ^bb0(%a0: i32, %a1: i32, %b0: i32, %b1: i32):
      %c1 = arith.constant 1 : i32
      %c0 = arith.constant 0 : i32
      %lt0 = arith.cmpi slt, %a0, %b0 : i32
      %lt1 = arith.cmpi slt, %a1, %b1 : i32
      %both = arith.andi %lt0, %lt1 : i1
      cf.cond_br %both, ^bb1, ^bb2
    ^bb1:
      tt.map_elementwise.return %a0, %a1 : i32, i32
    ^bb2:
      %top = arith.maxsi %b0, %b1 : i32
      cf.br ^bb3(%c0, %a0, %a1 : i32, i32, i32)
    ^bb3(%n: i32, %s0: i32, %s1: i32):
      %more = arith.cmpi slt, %n, %top : i32
      cf.cond_br %more, ^bb4, ^bb5(%s0, %s1 : i32, i32)
    ^bb4:
      %n1 = arith.addi %n, %c1 : i32
      %more0 = arith.cmpi slt, %n, %b0 : i32
      %more1 = arith.cmpi slt, %n, %b1 : i32
      %d0 = arith.select %more0, %n1, %c0 : i32
      %d1 = arith.select %more1, %n1, %c0 : i32
      %e0 = arith.select %lt0, %c0, %d0 : i32
      %e1 = arith.select %lt1, %c0, %d1 : i32
      %t0 = arith.addi %s0, %e0 : i32
      %t1 = arith.addi %s1, %e1 : i32
      cf.br ^bb3(%n1, %t0, %t1 : i32, i32, i32)
    ^bb5(%r0: i32, %r1: i32):
      tt.map_elementwise.return %r0, %r1 : i32, i32
    }) : (tensor<512xi32>, tensor<512xi32>) -> tensor<512xi32>
    %4 = tt.splat %o : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
    %5 = tt.addptr %4, %i : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
    tt.store %5, %t : tensor<512x!tt.ptr<i32>>
    tt.return
  }
}
EOF
}

@test "a region of several blocks: early returns and a loop of branches" {
    cat_blocks >k.ttir
    "$BUILDDIR/tritrun" -arch=sim:sm_80 -print arg0 -print arg1 -print-limit 512 k.ttir "${data[@]}" zeros:i32:512 | flat >in.txt
    awk 'NR == 2 { n = split($0, x) } NR == 4 { split($0, y) } END {
        for (k = 1; k <= n; k++) {
            s = x[k]
            if (x[k] >= y[k]) for (i = 0; i < y[k]; i++) s += i + 1
            printf " %d", s
        }
        print ""
    }' in.txt >wanted.txt
    run_kernel k.ttir arg2 -arch=native | diff - wanted.txt
    for arch in sim:sm_80 sim:sm_90a sim:spirv64; do
        for warps in 1 4; do
            run_kernel k.ttir arg2 -arch=$arch -num-warps=$warps | diff - wanted.txt
        done
    done
    need ptxas
    tritcc -arch=sm_80 -emit=cubin=k.cubin k.ttir
}

@test "groups that span rows, or are longer than the block (host)" {
    cat >rows.tri <<'EOF'
import triton
import triton.language as tl

@triton.jit
def turned(a, b, c, d):
    if a == 0:
        return b, c, d, a
    return d, c, b, a

@triton.jit
def k(x, y, o, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(o + i, tl.map_elementwise(turned, tl.load(x + i), pack=4))
EOF
    turned() { "$BUILDDIR/tritrun" -print o rows.tri arange:i32:8 zeros:i32:8 zeros:i32:8 "M=$1" "N=$2" | flat | tail -n 1; }
    [ "$(turned 4 2)" = " 1 2 3 0 7 6 5 4" ]
    [ "$(turned 8 1)" = " 1 2 3 0 7 6 5 4" ]
    [ "$(turned 1 8)" = " 1 2 3 0 7 6 5 4" ]
    [ "$(turned 2 1)" = " 1 1 0 0 0 0 0 0" ]
}
