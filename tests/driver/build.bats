load ../helpers

@test "install puts files under DESTDIR and prefix, uninstall takes them away" {
    make -s -C "$BUILDDIR" -o all install DESTDIR="$PWD/root" prefix=/usr >/dev/null
    [ -x root/usr/bin/tritcc ]
    [ -s root/usr/share/man/man1/tritcc.1 ]
    [ -s root/usr/share/tritcc/tritcc.mk ]
    [ -s root/usr/share/bash-completion/completions/tritcc ]
    root/usr/bin/tritcc --version
    make -s -C "$BUILDDIR" -o all uninstall DESTDIR="$PWD/root" prefix=/usr >/dev/null
    [ -z "$(find root -type f)" ]
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
