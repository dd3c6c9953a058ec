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
