# The host gives bit for bit what the GPUs' code gives, where the language says what that is.

load ../helpers

here=$SRCDIR/tests/exec
wide=randint:i32:128:seed=1,low=-2147483648,high=2147483647

# same RESULT ARG...: on the host, then with that as what is expected, without tolerance, as other levels of it and on two
# kinds of GPU.
same() {
    local result=$1 level
    shift
    "$BUILDDIR/tritrun" -arch="${HOST_LEVELS%% *}" -o "$result=host.npy" "$here/bits.tri" "$@"
    for level in $HOST_LEVELS; do
        [ "$level" != "${HOST_LEVELS%% *}" ] || continue
        "$BUILDDIR/tritrun" "-arch=$level" -expect "$result=@host.npy" -rtol=0 -atol=0 "$here/bits.tri" "$@"
    done
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

@test "a fused multiply-add rounds once, where the sum lies next to the middle of two floats" {
    same out -k fused f32:5.960465188081798e-08 f32:0.9999998807907104 f32:1.0000001192092896 zeros:i32:8 8
    "$BUILDDIR/tritrun" -arch="$HOST_ARCH" -print=out "$here/bits.tri" -k fused f32:5.960465188081798e-08 \
        f32:0.9999998807907104 f32:1.0000001192092896 zeros:i32:1 1 | grep -qw 1065353217
}

@test "products and sums of small floats round each, whatever the processor has" {
    same out -k halves randn:f16:128:seed=7 randn:f16:128:seed=8 zeros:i16:256 128
    same out -k halves randn:bf16:128:seed=7 randn:bf16:128:seed=8 zeros:i16:256 128
    tritcc -arch=x86-64-v4 -mattr=+avx512fp16 -k halves -sig '*fp16:16, *fp16:16, *i16:16, 128' -emit=asm=h.s "$here/bits.tri"
    grep -q 'vmulph' h.s
    ! grep -q 'vfm' h.s || false
}

@test "the simulator keeps subnormal numbers of bfloat16" {
    same out -k formats randint:i32:128:seed=9,low=1,high=8388607 zeros:i32:1024 128
}
