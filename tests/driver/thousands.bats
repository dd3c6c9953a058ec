# examples/library/thousands: a library of many variants, by make, ninja and shards. `make check-all` builds all of it.
load ../helpers

setup_file() {
    has_libdevice || return 0 # gelu's erf
    export STEP=37 ARCHS="compute_80 x86-64-v2"
    [ "${MATRIX_OPTIONS-}" != -a ] || { unset ARCHS; STEP=1; }
    cp -r "$EXAMPLES" "$BATS_FILE_TMPDIR/examples"
    cd "$BATS_FILE_TMPDIR/examples/library/thousands"
    make -s -j2 TRITCC="$(printf %q "$TRITCC")" CFLAGS="-I$(printf %q "$SRCDIR/include")" run >run.log 2>&1
    mv objects first
    mv libkernels.so first.so
}

setup() {
    need libdevice
    note_failures
    cd "$BATS_FILE_TMPDIR/examples/library/thousands"
}

# What a killed compiler was writing stays beside the object, under a name that no rule looks for.
same() {
    diff -r -x '*.d' -x '*.o.??????' first objects
    cmp first.so libkernels.so
}

@test "kernels of the library are found by name and run" {
    cat run.log
    [[ $(tail -n 1 run.log) == "$(sh plan.sh | wc -l) kernels; "[1-9]*" additions right, 0 wrong" ]]
}

@test "ninja makes the same bytes, and again what a header's change touches" {
    need ninja
    sh plan.sh ninja | sed "s|^tritcc = .*|tritcc = '$TRITCC'|" >build.ninja
    ninja -j3 >log
    same
    [[ $(ninja) == *"no work to do"* ]]
    touch ../../imports/activations.py
    [ "$(ninja -n | grep -c TRITCC)" = "$(sh plan.sh | grep -cE '(gelu|silu)')" ]
}

@test "a worker that is killed leaves nothing half, and the build goes on" {
    rm -rf objects libkernels.so
    # The victim's compiler says when it has made three objects, and is at work on the fourth.
    cat >slow <<END
#!/bin/sh
[ "\$(find objects -name '*.made' | wc -l)" -lt 3 ] || : >late
$(printf %q "$TRITCC") "\$@" || exit
[ ! -e late ] || exec sleep 1000
: >objects/\$\$.made
END
    chmod +x slow
    rm -f late
    make -s TRITCC="$(printf %q "$TRITCC")" shard SHARD=1/2 >log1 2>&1 &
    other=$!
    setsid make -s TRITCC="$PWD/slow" shard SHARD=0/2 >log2 2>&1 &
    victim=$!
    await [ -e late ]
    kill -9 -- "-$victim"
    wait "$other"
    rm objects/*.made
    for o in objects/*.o; do cmp "$o" "first/${o#*/}"; done
    make -s -j2 TRITCC="$(printf %q "$TRITCC")" >log3 2>&1
    same
}
