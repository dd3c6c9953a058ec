# Codes of messages: each that the sources use is explained, each that is explained is provoked by some test.
load ../helpers

# gives CODE STATUS ARG...: the compiler ends with this status, and its first error has this code.
gives() {
    local code=$1 status=$2
    shift 2
    tritcc "-$status" "$@"
    grep -m1 'error:' .err | grep -qF "[TRI-$code]"
}

vadd=("$EXAMPLES/vadd/vadd.tri" -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' -arch=sm_80)

@test "--explain knows every code" {
    local code title
    while IFS='|' read -r code title; do
        tritcc --explain="TRI-$code"
        [[ $output == "[TRI-$code] $title"* ]]
        [ "${#output}" -gt $((${#title} + 30)) ]
    done < <(sed -nE 's/^X\(([0-9]+), "([^"]*)".*/\1|\2/p' "$SRCDIR/base/diag.def")
    tritcc -2 --explain=TRI-9999
}

@test "every code of the sources is explained" {
    cd "$SRCDIR"
    local code
    grep -rhoE --include='*.c' --include='*.cpp' '(_error|_error_at|op_error|location_error|fail_at|arg_error)\(.*' base driver frontend ir passes targets runtime |
        grep -oE '[ (][1-9][0-9]{3}, *("|$)' | grep -oE '[0-9]{4}' | sort -u >"$BATS_TEST_TMPDIR/used"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/used")" -gt 30 ]
    while read -r code; do
        grep -q "^X($code," base/diag.def || { echo "$code is not explained"; false; }
    done <"$BATS_TEST_TMPDIR/used"
}

@test "every error has a code" {
    cd "$SRCDIR"
    ! grep -rnE --include='*.c' '(_error|_error_at)\(.*[ (]0, *("|text|$)' base driver frontend ir passes targets run runtime || false
}

@test "every code is provoked by a test" {
    cd "$SRCDIR"
    local code
    for code in $(sed -nE 's/^X\(([0-9]+),.*/\1/p' base/diag.def); do
        grep -rqE "(TRI-$code|[a-z_]+ $code[ \"'])" tests --include='*.bats' --include='*.err' --include='*.mlir' --include='*.tri' --include='*.c' ||
            { echo "no test provokes $code"; false; }
    done
}

@test "messages of the command line" {
    gives 1002 2 --nosuch "${vadd[@]}"
    gives 1003 1 "${vadd[@]}" -emit=ttir=absent/x.ttir
    cp "$EXAMPLES/vadd/vadd.tri" .
    gives 1004 2 vadd.tri "${vadd[@]:1}" -emit=ttir=vadd.tri
    touch x.foo
    gives 1005 2 x.foo
    gives 1006 2 @absent
    gives 6001 2 "${vadd[@]}" -arch=foo -emit=ttir=-
}

@test "messages of signatures and values" {
    local file=${vadd[0]}
    gives 3030 1 "$file" -sig '*foo' -emit=ttir=-
    gives 3031 1 "$file" -k no -emit=ttir=-
    gives 3032 1 "$file" -emit=ttir=-
    gives 3033 1 "${vadd[@]}" -DNO=1 -emit=ttir=-
    gives 3035 1 "$file" -sig '*fp32, *fp32, *fp32, i32, NO' -emit=ttir=-
}

@test "messages of later stages" {
    cat >bare.ttgir <<'IR'
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80", "ttg.num-ctas" = 1 : i32} {
  tt.func public @k(%p: !tt.ptr<i32>) {
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %1 = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    tt.store %1, %0 : tensor<64x!tt.ptr<i32>>
    tt.return
  }
}
IR
    gives 5010 1 bare.ttgir -emit=ptx=-
    tritcc "${vadd[@]}" -emit=ttir=v.ttir
    sed 's/name = "add_kernel"/name = 3/' v.ttir >w.ttir
    gives 5011 1 w.ttir -emit=ptx=-
    printf nonsense >x.spv
    gives 5020 1 x.spv -emit=spvasm=-
    gives 6002 1 "${vadd[@]}" -arch=sm_80 -num-ctas=4 -emit=ptx=-
}

@test "messages of the CUDA Toolkit's parts" {
    mkdir -p cuda/bin
    printf '#!/bin/sh\nexit 3\n' >cuda/bin/ptxas
    chmod +x cuda/bin/ptxas
    gives 7001 1 "${vadd[@]}" -emit=cubin=v.cubin --cuda-path=cuda
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p):\n    tl.store(p, tl.sin(tl.load(p)))\n' >s.tri
    gives 7002 1 s.tri -sig '*fp64' -arch=sm_80 -emit=ptx=- --cuda-path=cuda
}

@test "messages of passes, of IR, and of tritrun" {
    local k='tt.func @k(%x: i32) { tt.return }'
    echo "$k" >k.ttir
    gives 1008 2 -passes=coalesk k.ttir || gives 1008 1 -passes=coalesk k.ttir
    gives 1008 2 -passes='coalesce{nothing=1}' k.ttir || gives 1008 1 -passes='coalesce{nothing=1}' k.ttir
    echo '// expected-error {{something}}' >>k.ttir
    gives 1010 1 -verify-diagnostics -passes= k.ttir
    echo 'tt.func @k(%x: i32) { %y = arith.addf %x, %x : i32 tt.return }' >bad.ttir
    gives 5013 1 -emit=ttgir -arch=sm_80 bad.ttir
    echo "$k" >k.ttir
    gives 5014 1 -passes='convert-triton-to-tritongpu{target=cuda:80 num-warps=3}' k.ttir
    echo 'define void @k( {' >bad.ll
    gives 5021 1 -emit=ptx -arch=sm_80 bad.ll
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x, n):\n    tl.device_assert(n == 4)\n    tl.store(x, n)\n' >k.tri
    runs() {
        local code=$1 status=0
        shift
        "$BUILDDIR/tritrun" "$@" 2>.err || status=$?
        [ "$status" -ne 0 ]
        grep -m1 'error:' .err | grep -qF "[TRI-$code]"
    }
    gives 6006 1 -c -sig 'k(*fp32, fp8e5)' k.tri
    runs 9001 -arch=cuda:70 -grid=1 k.tri ones:f32:4 4
    runs 9002 -grid=1 k.tri ones:f32:4 5
    runs 9004 -arch=sim:sm_80 -grid=2 k.tri ones:f32:4 5
    runs 9003 -grid=1 k.tri ones:f99:4 4
    runs 9003 -grid=1 k.tri full:f32:4 4
}

@test "limits have their numbers in JSON" {
    cat >big.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def k(a, b, K):
    i = tl.arange(0, 128)[:, None] * K + tl.arange(0, 128)[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for n in range(0, K, 128):
        acc = tl.dot(tl.load(a + i + n), tl.load(b + i + n * K), acc)
    tl.store(a + i, acc)
END
    tritcc -1 -arch=sm_89 -num-stages=4 -emit=ptx -fdiagnostics-format=json -sig 'k(*fp32:16, *fp32:16, i32:16)' big.tri
    jq -e '.[] | select(.code == "TRI-6003") | .resource == "shared memory" and .needed > .limit and .limit > 1000' .err
    tritcc -1 -arch=sm_80 -maxnreg=255 -num-warps=32 -emit=ptx -fdiagnostics-format=json -sig 'k(*fp32)' - <<'END'
import triton
import triton.language as tl


@triton.jit
def k(a):
    tl.store(a, 1.0)
END
    jq -e '.[0] | .resource == "registers" and .needed == 255 and .limit == 64' .err
    for warps in 64 256; do
        tritcc -1 -arch=sm_80 -num-warps=$warps -emit=ptx -fdiagnostics-format=json -sig 'k(*fp32)' - <<'END'
import triton
import triton.language as tl


@triton.jit
def k(a):
    tl.store(a, 1.0)
END
        jq -e ".[0] | .code == \"TRI-6003\" and .resource == \"threads\" and .needed == $((32 * warps)) and .limit == 1024 and .line == 6" .err
    done
}

@test "json lists what the code takes, descriptors and tuples by their parts" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def k(t, d, p, n, B: tl.constexpr):
    tl.store(p + tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :], d.load([n, 0]) + t[0] + t[2][0])
END
    local extents='["d.shape.0","i64"],["d.shape.1","i64"],["d.stride.0","i64"],["d.stride.1","i64"],["d.padding","i1"]'
    local sizes='["d.shape.0","i32"],["d.shape.1","i32"],["d.stride.0","i64"],["d.stride.1","i64"]'
    for release in 3.6 3.7; do
        tritcc -arch=sm_90a -fdescriptor-parameters=$release -emit=json=k.json,ptx=k.ptx k.tri \
            -sig '(fp32, 3, (i32, *fp32:16)), tensordesc<fp32[16, 16]>, *fp32, i32, 16'
        rounding=
        [ $release = 3.6 ] || rounding='["d.round_f32_to_tf32","i1"],'
        jq -c '[.kernels[0].flattened[] | [.name, .type]]' k.json >flat
        [ "$(<flat)" = '[["t.0","fp32"],["t.2.0","i32"],["t.2.1","*fp32"],["d.base","*fp32"],'"$extents,$rounding$sizes"',["p","*fp32"],["n","i32"]]' ]
        [ "$(grep -c '^[[:space:]]*\.param' k.ptx)" -eq "$(jq '.kernels[0].flattened | length' k.json)" ]
    done
    tritcc -arch=sm_90a -emit=json=one.json - -sig 'k((fp32,), ((*i32:16,), 3))' <<'END'
import triton
import triton.language as tl


@triton.jit
def k(a, b):
    tl.store(b[0][0], a[0].to(tl.int32))
END
    [ "$(jq -c '[.kernels[0].parameters[].type]' one.json)" = '["(fp32,)","((*i32:16,), constexpr)"]' ]
    tritcc -arch=x86-64 -emit=json=k.json k.tri -sig '(fp32, 3, (i32, *fp32:16)), tensordesc<fp32[16, 16]>, *fp32, i32, 16'
    [ "$(jq -c '[.kernels[0].flattened[].type]' k.json)" = '["fp32","i32","*fp32","tensordesc<fp32[16, 16]>","i32","i32","i64","i64","*fp32","i32"]' ]
}
