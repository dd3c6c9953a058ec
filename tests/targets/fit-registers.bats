#!/usr/bin/env bats
# -ffit-registers (targets/nvptx/registers.c): ptxas again with fewer registers, where one more block fits then, or with
# more, where many loads follow each other. The ptxas here says of each kernel what the test wants.
load ../helpers

# ptxas_says NUMBER SPILLED FEWER SPILLED: registers and spills of k, and what they are below a limit of FEWER or less,
# or where a number of blocks is asked for.
ptxas_says() {
    mkdir -p toolkit/bin
    cat >toolkit/bin/ptxas <<END
#!/bin/sh
for input; do case \$input in *.ptx) break ;; esac; done
limit=\$(sed -n 's/^\.maxnreg \([0-9]*\)\$/\1/p' "\$input")
blocks=\$(sed -n 's/^\.minnctapersm \([0-9]*\)\$/\1 blocks/p' "\$input")
echo "\${limit:-\${blocks:-none}}" >>limits
if [ "\${limit:-999}" -le $3 ]; then n=\$limit spills=$4; else n=$1 spills=$2; fi
[ -z "\$blocks" ] || n=$3 spills=$4
echo "ptxas info    : Function properties for k
    0 bytes stack frame, \$spills bytes spill stores, 0 bytes spill loads
ptxas info    : Used \$n registers, used 1 barriers" >&2
while [ "\$1" != -o ]; do shift; done
echo "code \${limit:-\${blocks:-free}}" >"\$2"
END
    chmod +x toolkit/bin/ptxas
    rm -f limits
}

compile() { # OPTION...
    tritcc -arch=sm_90 --cuda-path=toolkit -num-warps=8 -emit=cubin=k.cubin --resource-usage -Rpass=ptxas "$@" \
        -sig '*fp32:16, *fp32:16, i32, 1024' k.tri
}

setup() {
    start_test || return 1
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def k(x, y, n, B: tl.constexpr):
    acc = tl.zeros([B], tl.float32)
    for at in range(0, n, B):
        i = at + tl.arange(0, B)
        acc += tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y, tl.sum(acc, 0))


@triton.jit
def plain(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def apart(x, y, n, B: tl.constexpr):
    i = tl.arange(0, 4 * B)
    tl.store(y + i, tl.load(x + 3 * i, mask=i < n), mask=i < n)
END
}

@test "one more block, where nothing is spilled" {
    ptxas_says 74 0 64 0
    compile -k k
    [ "$(cat k.cubin)" = 'code 64' ]
    [ "$(paste -sd' ' limits)" = 'none 64' ]
    grep -qx '  registers  64 per thread, 0 bytes spilled' .err
    grep -q 'remark: 64 registers instead of 74, so that 4 blocks instead of 3 fit on a multiprocessor \[-Rpass=ptxas\]' .err
}

@test "what spills is not taken" {
    ptxas_says 74 0 64 16
    compile -k k
    [ "$(cat k.cubin)" = 'code free' ]
    [ "$(paste -sd' ' limits)" = 'none 64' ]
    grep -qx '  registers  74 per thread, 0 bytes spilled' .err
    [[ $(cat .err) != *remark* ]] || false
}

@test "left alone: by option, by -maxnreg, more than half full, too far away, without a loop" {
    ptxas_says 74 0 64 0
    compile -k k -fno-fit-registers
    compile -k k -maxnreg=128
    compile -k k -O0
    [ "$(paste -sd' ' limits)" = 'none 128 none' ]
    ptxas_says 62 0 56 0
    compile -k k
    ptxas_says 255 0 64 0
    compile -k k
    [ "$(paste -sd' ' limits)" = 'none' ]
    ptxas_says 74 0 64 0
    sed -i 's/^def k(/def loop(/; s/^def plain(/def k(/' k.tri
    compile -k k
    [ "$(paste -sd' ' limits)" = 'none' ]
}

@test "many loads: half of the warps are enough, where nothing is spilled then" {
    sed -i 's/^def k(/def loop(/; s/^def apart(/def k(/' k.tri
    ptxas_says 32 0 48 0
    compile -k k
    [ "$(cat k.cubin)" = 'code 4 blocks' ]
    [ "$(paste -sd, limits)" = 'none,4 blocks' ]
    grep -q 'remark: 48 registers instead of 32, so that loads run ahead' .err
    grep -qx '  registers  48 per thread, 0 bytes spilled' .err
    compile -k k -num-warps=4
    [ "$(cat k.cubin)" = 'code 8 blocks' ]
    ptxas_says 32 0 48 16
    compile -k k
    [ "$(cat k.cubin)" = 'code free' ]
    grep -qx '  registers  32 per thread, 0 bytes spilled' .err
}

@test "fewer loads, less than half of the warps, a limit and an option are left alone" {
    sed -i 's/^def k(/def loop(/; s/^def apart(/def k(/' k.tri
    ptxas_says 32 0 48 0
    compile -k k -num-warps=16
    compile -k k -fno-fit-registers
    compile -k k -maxnreg=128
    [ "$(paste -sd' ' limits)" = 'none none 128' ]
    ptxas_says 88 0 48 0
    compile -k k
    [ "$(paste -sd' ' limits)" = 'none' ]
    ptxas_says 32 0 48 0
    sed -i 's/^def k(/def apart(/; s/^def plain(/def k(/' k.tri
    compile -k k
    [ "$(paste -sd' ' limits)" = 'none' ]
}
