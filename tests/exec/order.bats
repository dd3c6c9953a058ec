# Scalars and copies in global memory: what all threads of a program load and one of them writes.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
here=$SRCDIR/tests/exec

both() { # KERNEL ARG...: the host and simulated GPUs agree
    local kernel=$1
    shift
    TRITCC=$TRITRUN tritcc "$here/order.tri" -k "$kernel" -arch="$HOST_ARCH" -grid=1 "$@" -o p=p.npy -o out=out.npy
    for warps in 1 4; do
        for arch in sm_80 sm_90a spirv64; do
            TRITCC=$TRITRUN tritcc "$here/order.tri" -k "$kernel" "-arch=sim:$arch" -num-warps=$warps -grid=1 "$@" \
                -expect p=@p.npy -expect out=@out.npy -rtol=0 -atol=0
        done
    done
}

@test "all threads see a lock's count before one of them changes it" {
    both count zeros:i32:1 empty:i32:128 128
}

@test "a scalar that is loaded, stored and loaded again" {
    both scalar zeros:i32:2 empty:i32:128 128
}

@test "scalars that rounds of a loop hand on" {
    both rounds zeros:i32:2 empty:i32:128 7 128
}

@test "a small block that is updated in place" {
    both copies zeros:i32:16 empty:i32:256 256
}

@test "a called function writes what its caller loads" {
    both called zeros:i32:1 empty:i32:128 128
}

@test "a block and an element of it" {
    both mixed zeros:i32:256 empty:i32:256 256
}

@test "no barrier where no two threads meet" {
    tritcc -arch=sm_80 -emit=ptx=- -k apart -sig '*i32, *i32, i32, 512' "$here/order.tri"
    ! grep -q 'bar[.]sync' .out || false
    tritcc -arch=sm_80 -emit=ptx=- -k count -sig '*i32, *i32, 128' "$here/order.tri"
    grep -q 'bar[.]sync' .out
    tritcc -arch=spirv64 -emit=llir=- -k count -sig '*i32, *i32, 128' "$here/order.tri"
    grep -qF '_Z7barrierj(i32 3)' .out # both memories
}

# What is computed in front of an early return is computed again behind it, in another layout.
@test "the same on GPUs and the host, behind returns of some programs" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def k(h, idx, o, g, n, B: tl.constexpr):
    if n == 0:
        return
    j = tl.program_id(1) * B + tl.arange(0, B)
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = (i < 2 * B)[:, None] & (j < B)[None, :]
    s = tl.load(idx + tl.program_id(0))
    if s < 0:
        return
    acc = tl.zeros([B, B], tl.float32)
    p = h + s * B + i[:, None] * B + j[None, :]
    acc += tl.load(p, mask=m, other=0.0)
    for t in range(0, n):
        v = tl.load(g + t * B + j, mask=j < B, other=0.0)
        acc = acc * v[None, :]
        r = tl.sum(acc, axis=1)
        acc += r[:, None] * v[None, :]
        r = tl.sum(acc * v[None, :], axis=1)
        tl.store(o + t * 2 * B + i, r, mask=i < 2 * B)
        f = tl.load(idx + t)
        if f >= 0:
            tl.store(h + (f - t + 1) * B + i[:, None] * B + j[None, :], acc, mask=m)
TRI
    local run=(-grid=2 k.tri randn:f32:32x16:seed=1 arange:i32:3:start=-1 zeros:f32:3x32 randn:f32:3x16:seed=2 3 16) arch
    "$TRITRUN" -arch=$HOST_ARCH -o h=h.npy -o o=o.npy "${run[@]}"
    for arch in sm_80 gfx942 spirv64; do
        "$TRITRUN" -arch=sim:$arch -expect=h=@h.npy -expect=o=@o.npy -rtol=1e-4 -atol=1e-4 "${run[@]}"
    done
}

@test "blocks and pointers that a loop steps, read in other shapes" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def k(x, o, n):
    i = tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :]
    to = tl.arange(0, 16)[:, None] * 4 + tl.arange(0, 4)[None, :]
    v = tl.load(x + i)
    p = x + i
    s = tl.zeros((16, 4), tl.int32)
    g = tl.zeros((8, 8), tl.int32)
    for j in range(n):
        s += tl.reshape(v, 16, 4)
        g += tl.gather(v, i % 8, 1)
        v = v + j
        p = p + 1
    tl.store(o + to, tl.reshape(v, 16, 4) + s + tl.load(tl.reshape(p, 16, 4)))
    tl.store(o + 64 + i, tl.gather(v, (i + 1) % 8, 1) + g)
    tl.store(o + 128 + tl.arange(0, 128), tl.cat(tl.ravel(v), tl.ravel(v) + 1))
TRI
    "$TRITRUN" -arch=$HOST_ARCH -o o=o.npy k.tri randint:i32:80 empty:i32:256 3
    "$TRITRUN" -arch=sim:sm_80 -expect=o=@o.npy k.tri randint:i32:80 empty:i32:256 3
    "$TRITRUN" -arch=$HOST_ARCH -print=o k.tri arange:i32:80 zeros:i32:256 2 | grep -q '\[0\] 3 7 11 15 '
}

@test "the place of the largest element, and a masked count, of a block in another shape" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def k(x, o, h):
    v = tl.load(x + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :])
    tl.store(o, tl.argmax(tl.reshape(v, 512), axis=0))
    tl.store(h + tl.arange(0, 16), tl.histogram(tl.ravel(v & 15), 16, mask=tl.arange(0, 512) < 37))
TRI
    local args=(k.tri randint:i32:512:seed=4,high=100000 empty:i32:1 empty:i32:16)
    "$TRITRUN" -arch=$HOST_ARCH -o o=o.npy -o h=h.npy "${args[@]}"
    "$TRITRUN" -arch=$HOST_ARCH -print=o "${args[@]}" | grep -qx ' 376'
    for arch in sm_80 gfx942; do
        "$TRITRUN" -arch=sim:$arch -expect o=@o.npy -expect h=@h.npy "${args[@]}"
    done
}
