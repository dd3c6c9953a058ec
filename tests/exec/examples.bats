# The programs of examples/: built by their own Makefiles, they check what they compute.
load ../helpers

setup() {
    start_test || return 1
    mkdir share
    cp -r "$SRCDIR/share/tritcc" share/
    cp -r "$EXAMPLES" examples
}

@test "each example runs with its own makefile" {
    n=0
    for makefile in examples/*/Makefile; do
        folder=${makefile%/Makefile}
        [ "$folder" != examples/cross-compile ] || continue
        make -C "$folder" TRITCC="$(printf %q "$TRITCC")" run >log 2>&1 || { cat log; false; }
        [ -s "$folder/README.md" ]
        n=$((n + 1))
    done
    [ "$n" -ge 12 ]
}

@test "what READMEs of the examples tell to type works" {
    local count=0 readme line
    PATH=${TRITCC%/*}:$PATH
    make -C examples/cross-compile TRITCC=tritcc >log
    for readme in examples/*/README.md; do
        while IFS= read -r line; do
            (cd "${readme%/*}" && bash -ec "$line") >log 2>&1 </dev/null || { echo "$readme: $line" && cat log && false; }
            count=$((count + 1))
        done < <(sed -nE 's/^    ((tritcc|tritrun) .*)/\1/p' "$readme")
    done
    [ "$count" -ge 3 ]
}

@test "a changed kernel is compiled again, and what it imports counts" {
    make -C examples/vadd TRITCC="$(printf %q "$TRITCC")" run
    touch -d '+1 minute' examples/vadd/vadd.tri
    make -C examples/vadd TRITCC="$(printf %q "$TRITCC")" run | grep -q tritcc
    make -C examples/imports TRITCC="$(printf %q "$TRITCC")" run
    grep -q activations.py examples/imports/imports.d
}

@test "objects for machines that are not here" {
    make -C examples/cross-compile TRITCC="$(printf %q "$TRITCC")"
    file -b examples/cross-compile/arm64.o | grep -qi 'aarch64' || readelf -h examples/cross-compile/arm64.o | grep -q AArch64
    readelf -h examples/cross-compile/vadd.hsaco | grep -qi 'amd'
    tritcc --inspect examples/cross-compile/portable.o
    [[ $output == *x86-64-v3* ]]
}

@test "kernels of the examples compile for GPUs" {
    for e in matmul attention grouped-matmul fp8-scales dropout cross-entropy imports; do
        # the options of the Makefile, as make reads them
        flags=$(make -s -C "examples/$e" -f - flags <<<$'include Makefile\nflags:\n\t@echo "$(FLAGS)"')
        source=$(echo "examples/$e"/*.tri)
        for arch in sm_89 sm_90a gfx942; do
            eval "\"$TRITCC\" -arch=$arch -emit=llir=- -Iexamples/$e $(grep -oE -- "(-sig .*)$" <<<"$flags") $source" >/dev/null 2>.err || { echo "$e $arch"; cat .err; false; }
        done
    done
}
