#!/usr/bin/env bats
# targets/nvptx/order.c: instructions stand in front of their first user where that takes fewer registers.
load ../helpers

# first WORD, last WORD: the number of the first and the last line of k.ptx with that word.
first() { grep -n -m1 -F "$1" k.ptx | cut -d: -f1; }
last() { grep -n -F "$1" k.ptx | tail -n1 | cut -d: -f1; }

@test "16-bit numbers of several loads are widened where they are used" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl


@triton.jit
def k(x, h, o, N: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, 32)[:, None]
    at = i * B + tl.arange(0, B)[None, :]
    acc = tl.zeros([32, B], tl.float32)
    for n in tl.static_range(N):
        acc += tl.load(x + n * 32 * B + at).to(tl.float32) * tl.load(h + n * 32 + i)
    tl.store(o + at, acc)
END2
    tritcc -arch=sm_90a -emit=ptx=k.ptx -sig '*bf16:16, *fp32:16, *fp32:16, 2, 128' k.tri
    [ "$(grep -c 'cvt.f32.bf16' k.ptx)" -eq 64 ]
    [ "$(first cvt.f32.bf16)" -gt "$(last ld.global)" ]
    tritcc -O0 -arch=sm_90a -emit=ptx=k.ptx -sig '*bf16:16, *fp32:16, *fp32:16, 2, 128' k.tri
    [ "$(first cvt.f32.bf16)" -lt "$(last ld.global)" ]
    # with lines each instruction keeps its own
    tritcc -lineinfo -arch=sm_90a -emit=ptx=k.ptx -sig '*bf16:16, *fp32:16, *fp32:16, 2, 128' k.tri
    [ "$(first cvt.f32.bf16)" -gt "$(last ld.global)" ]
    grep -B3 -m1 cvt.f32.bf16 k.ptx | grep -q '\.loc.* 11 '
    grep -B3 -m1 st.global k.ptx | grep -q '\.loc.* 12 '
}

@test "loads in flight keep their order where registers are few either way, and short loops are written out" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl


@triton.jit
def k(x, o, n, T: tl.constexpr):
    at = tl.program_id(0) * 512 + tl.arange(0, 512)
    rest = at
    for i in range(T - 1, -1, -1):
        size = tl.load(x + i)
        tl.store(o + at * T + i, rest % size)
        rest //= size


@triton.jit
def sums(x, w, o):
    at = tl.program_id(0) * 256 + tl.arange(0, 256)
    a = tl.load(x + at) * tl.load(w)
    for i in tl.static_range(1, 24):
        a += tl.load(x + at + i * 4096) * tl.load(w + i)
    tl.store(o + at, a)


@triton.jit
def pairs(x, o, N: tl.constexpr):
    at = tl.program_id(0) * 128 + tl.arange(0, 128)
    v = ()
    for i in tl.static_range(2 * N):
        v = v + (tl.load(x + at + i * 4096),)
    s = ()
    for i in tl.static_range(N):
        s = s + (v[2 * i] + v[2 * i + 1],)
    for i in tl.static_range(N):
        tl.store(o + at + i * 4096, s[i])
END2
    # as many live where each sum stands in front of its store: the order stays
    tritcc -arch=sm_90a -k pairs -emit=ptx=k.ptx -sig '*fp32:16, *fp32:16, 20' k.tri
    [ "$(last add.f32)" -lt "$(first st.global)" ]
    tritcc -arch=sm_90a -k k -emit=ptx=k.ptx -sig '*i32:16, *i32:16, i32, 4' k.tri
    [ "$(grep -c 'bra' k.ptx)" -eq 0 ]
    tritcc -arch=sm_90a -k k -emit=ptx=k.ptx -sig '*i32:16, *i32:16, i32, 17' k.tri
    grep -q 'bra' k.ptx
    tritcc -O0 -arch=sm_90a -k k -emit=ptx=k.ptx -sig '*i32:16, *i32:16, i32, 4' k.tri
    grep -q 'bra' k.ptx
    tritcc -arch=sm_90a -k sums -num-warps=8 -emit=ptx=k.ptx -sig '*fp32:16, *fp32:16, *fp32:16' k.tri
    [ "$(grep -c ld.global k.ptx)" -eq 48 ]
}

@test "products on FMA keep k outside" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl


@triton.jit
def k(x, y, o, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(o + at, tl.dot(tl.load(x + at), tl.load(y + at), input_precision="ieee"))
END2
    tritcc -arch=sm_90a -emit=ptx=k.ptx -sig '*fp32:16, *fp32:16, *fp32:16, 64' k.tri
    # sums in a row: none goes on with the one in front of it
    awk '/fma.rn.f32/ { sub(";", ""); n++; chained += $NF == before; before = $2; sub(",", "", before) }
        END { exit !(n == 2048 && chained < n / 16) }' k.ptx
}

@test "what a loop adds to a thread's rows is added once, and what all addresses share stands in front" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl


@triton.jit
def k(x, o, n, s, B: tl.constexpr):
    i = tl.arange(0, B)[:, None]
    j = tl.arange(0, 32)[None, :]
    rows = i * s
    acc = tl.zeros([B, 32], tl.float32)
    for at in range(0, n, B):
        acc += tl.load(x + (at + i) * s + j, mask=at + i < n, other=0.0) * rows
    tl.store(o + i * 32 + j, acc)
END2
    tritcc -arch=sm_90a -num-warps=1 -fno-remove-masks -emit=ptx=k.ptx -sig '*fp32:16, *fp32:16, i32, i32:16, 16' k.tri
    sed -n '/BB0_2:/,/bra/p' k.ptx >loop
    # four rows a thread: their sums are `at + row`, and that with 4, 8 and 12; one addition makes each address
    [ "$(grep -cE 'or.b32.*, (4|8|12);' loop)" -eq 3 ]
    [ "$(grep -c 'or.b32' loop)" -eq 4 ]
    [ "$(grep -c 'add.s64' loop)" -eq 4 ]
    [ "$(grep -c 'ld.global.v4' loop)" -eq 4 ]
    # as the loop's own numbers leave them: offsets of 64 bits
    sed -i 's/(at + i) \* s + j/((at + i).to(tl.int64) * s + j)/' k.tri
    tritcc -arch=sm_90a -num-warps=1 -fno-remove-masks -emit=ptx=k.ptx -sig '*fp32:16, *fp32:16, i32, i32:16, 16' k.tri
    sed -n '/BB0_2:/,/bra/p' k.ptx >loop
    [ "$(grep -c 'add.s64' loop)" -eq 4 ]
}

@test "numbers that are divided by the same number share its reciprocal" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl


@triton.jit
def k(x, d, o, B: tl.constexpr):
    i = tl.arange(0, 8)[:, None]
    at = i * B + tl.arange(0, B)[None, :]
    tl.store(o + at, tl.load(x + at) / tl.load(d + i))
END2
    tritcc -arch=sm_90a -num-warps=1 -emit=ptx=k.ptx -sig '*fp32:16, *fp32:16, *fp32:16, 64' k.tri
    [ "$(grep -c 'rcp.approx.ftz' k.ptx)" -lt 16 ]
    ! grep -q 'div.full' k.ptx || return 1
    # two scales for divisors whose reciprocals are no normal numbers
    grep -q '0f3E800000' k.ptx
    grep -q '0f4B800000' k.ptx
    tritcc -O0 -arch=sm_90a -num-warps=1 -emit=ptx=k.ptx -sig '*fp32:16, *fp32:16, *fp32:16, 64' k.tri
    [ "$(grep -c 'div.full' k.ptx)" -eq 16 ]
    # each by its own
    sed -i 's/tl.load(d + i)/tl.load(d + at)/' k.tri
    tritcc -arch=sm_90a -num-warps=1 -emit=ptx=k.ptx -sig '*fp32:16, *fp32:16, *fp32:16, 64' k.tri
    [ "$(grep -c 'div.full' k.ptx)" -eq 16 ]
}

@test "one block on a multiprocessor is enough where sums cannot fit into registers" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl


@triton.jit
def k(x, o, n, COUNT: tl.constexpr, B: tl.constexpr):
    at = tl.arange(0, B)
    a = tl.zeros([B], tl.float32)
    b = tl.zeros([B], tl.float32)
    c = tl.zeros([B], tl.float32)
    for i in range(n):
        v = tl.load(x + i * B + at)
        a += v
        b += v * v
        if COUNT == 3:
            c += v * v * v
    tl.store(o + at, a + tl.sum(a) * b + tl.sum(b) * c)
END2
    compile() { tritcc -arch=sm_90a -emit=ptx=k.ptx -sig "*fp32:16, *fp32:16, i32, $1" "${@:2}" k.tri; }
    compile '3, 16384'
    grep -q '^\.minnctapersm 1$' k.ptx
    compile '2, 16384'
    ! grep -q 'minnctapersm' k.ptx || return 1
    # more threads, who have fewer registers each
    compile '3, 16384' -num-warps=8
    ! grep -q 'minnctapersm' k.ptx || return 1
    compile '3, 32768' -num-warps=16
    grep -q '^\.minnctapersm 1$' k.ptx
    # a limit that somebody asks for stands
    compile '3, 16384' -maxnreg=128
    ! grep -q 'minnctapersm' k.ptx || return 1
    # a row that is read at once and used behind its sum, of 512 and of 128 elements a thread
    sed -i '/^    a = /,$d' k.tri
    cat >>k.tri <<'END2'
    v = tl.load(x + at) + tl.load(x + n + at)
    tl.store(o + at, (v - tl.sum(v)) * tl.load(x + 2 * n + at) + tl.load(x + 3 * n + at))
END2
    compile '1, 16384' -num-warps=1
    grep -q '^\.minnctapersm 1$' k.ptx
    # each element is computed in front of its store
    sed -n '/st\.global/,$p' k.ptx | grep -q 'fma\.rn\.f32'
    compile '1, 16384' -num-warps=4
    ! grep -q 'minnctapersm' k.ptx || return 1
}
