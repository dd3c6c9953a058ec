# The host gives bit for bit what the GPUs' code gives, where the language says what that is.

load ../helpers

here=$SRCDIR/tests/exec
wide=randint:i32:128:seed=1,low=-2147483648,high=2147483647

# same RESULT ARG...: on the host, then with that as what is expected, without tolerance, on two kinds of GPU.
same() {
    local result=$1
    shift
    "$BUILDDIR/tritrun" -arch=native -o "$result=host.npy" "$here/bits.tri" "$@"
    for arch in sim:sm_90 sim:spirv64; do
        case $arch:$* in
        sim:spirv64:*formats* | sim:spirv64:*scans*) continue ;; # has no 8-bit floats, and no shuffles
        esac
        "$BUILDDIR/tritrun" "-arch=$arch" -expect "$result=@host.npy" -rtol=0 -atol=0 "$here/bits.tri" "$@"
    done
}

@test "integers of every width" {
    for type in int8 int16 int32 int64 uint8 uint16 uint32 uint64; do
        same out -k integers $wide randint:i32:128:seed=2,low=-300,high=300 zeros:i64:2560 128 "-DT=tl.$type"
    done
}

@test "Philox and what is made of it" {
    same out -k philox zeros:u32:896 12345 128
    same out -k philox zeros:u32:896 i64:98765432109876 128
}

@test "rounding to bfloat16, float16 and 8-bit floats, and back" {
    same out -k formats $wide zeros:i32:1024 128
    same out -k formats randint:i32:128:seed=3,low=931135488,high=1212153856 zeros:i32:1024 128
}

@test "single operations of floats; maxima, sorting and scans that no order changes" {
    same out -k floats randn:f32:128:seed=4 randn:f32:128:seed=5 zeros:i32:1408 128
    same out -k scans $wide randn:f32:128:seed=6 zeros:i32:384 128
}

@test "atomics of integers in any order" {
    for result in sums tops bits; do
        same $result -k counters -grid=8 randint:i32:1024:seed=6,low=0,high=31 randint:i32:1024:seed=7,low=-1000,high=1000 \
            zeros:i32:32 zeros:i32:32 zeros:i32:32 128
    done
}
