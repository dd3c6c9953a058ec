load ../helpers

@test "install puts files under DESTDIR and prefix, uninstall takes them away" {
    make -s -C "$BUILDDIR" -o all install DESTDIR="$PWD/root" prefix=/usr >/dev/null
    [ -x root/usr/bin/tritcc ]
    [ -s root/usr/share/man/man1/tritcc.1 ]
    [ -s root/usr/share/man/man7/tritcc-errors.7 ]
    [ -s root/usr/share/tritcc/tritcc.mk ]
    [ -s root/usr/share/bash-completion/completions/tritcc ]
    root/usr/bin/tritcc --version
    [[ $(root/usr/bin/triton-compile --help) == *"usage: triton-compile"* ]]
    make -s -C "$BUILDDIR" -o all uninstall DESTDIR="$PWD/root" prefix=/usr >/dev/null
    [ -z "$(find root -type f -o -type l)" ]
}

@test "configure rejects unknown options" {
    run sh "$SRCDIR/configure" --enable-nothing
    [ "$status" -ne 0 ]
    [[ $output == *"unrecognized options: --enable-nothing"* ]]
    run sh "$SRCDIR/configure" --with-llvm=/nonexistent
    [ "$status" -ne 0 ]
    [[ $output == *"LLVM 22 was not found in /nonexistent"* ]]
}

@test "the demo proves two kernels" {
    mkdir build
    for example in vadd softmax; do
        TRITCC=$TRITCC BUILDDIR=$PWD/build sh "$SRCDIR/examples/demo.sh" "$example" >log
        grep -q "largest.*error" log
    done
}

@test "generated code that is not as expected stops the build" {
    printf '%s\n' '::llvm::LogicalResult XOp::setPropertiesFromAttr(Properties &prop) {' \
        '  ::mlir::DictionaryAttr dict = ::llvm::dyn_cast<::mlir::DictionaryAttr>(attr);' '}' >good
    sed 's/dyn_cast/dyn_cast_or_null/' good >bad
    awk -f "$SRCDIR/ir/known_fields.awk" good | grep -q knownFields
    ! awk -f "$SRCDIR/ir/known_fields.awk" bad >out 2>err
    grep -q "bad: fields are read otherwise than expected by .*XOp" err
    ! awk -f "$SRCDIR/ir/known_fields.awk" /dev/null >out 2>err
}

# The number of files that would be compiled were FILE touched.
compiled() {
    make -n -C "$BUILDDIR" -W "$1" libtritcc.a tests/unit/units | grep -cE '(^| )-c [^ ]+ -o obj/' || true
}

@test "what is touched recompiles what needs it" {
    source=$(sed -n 's/^srcdir = //p' "$BUILDDIR/Makefile")
    [ "$(compiled nothing.h)" -eq 0 ] || skip "the build is not finished"
    [ "$(compiled Makefile)" -eq 0 ]
    [ "$(compiled "$source/base/process.h")" -gt 0 ]
    [ "$(compiled "$source/ir/options.h")" -le 80 ]
}

@test "a tarball makes the same tarball, without git" {
    [ -e "$SRCDIR/.git" ] || [ -e "$SRCDIR/MANIFEST" ] || skip "neither a clone nor a tarball"
    mkdir -p build/man
    cp "$BUILDDIR"/man/*.[17] build/man/
    old=$(cd "$BUILDDIR" && printf -- '-o %s ' man/*.[17])
    cd build
    "$SRCDIR/configure" -q
    make -s $old dist
    tar xzf tritcc-*.tar.gz
    cd tritcc-*/
    ./configure -q
    make -s $old dist
    cmp tritcc-*.tar.gz ../tritcc-*.tar.gz
}
