load ../helpers

@test "install puts files under DESTDIR and prefix, uninstall takes them away" {
    make -s -C "$BUILDDIR" -o all install DESTDIR="$PWD/a root" prefix=/usr >/dev/null
    [ -x "a root"/usr/bin/tritcc ]
    [ -s "a root"/usr/share/man/man1/tritcc.1 ]
    [ -s "a root"/usr/share/man/man7/tritcc-errors.7 ]
    [ -s "a root"/usr/share/tritcc/tritcc.mk ]
    [ -s "a root"/usr/share/doc/tritcc/examples/vadd/Makefile ]
    # what their READMEs name is there
    for f in editors/nvim.lua editors/vscode/package.json editors/vscode/extension.js library/meson.build \
        compiler-explorer/python.local.properties library/thousands/variants.list; do
        cmp "a root/usr/share/doc/tritcc/examples/$f" "$EXAMPLES/$f"
    done
    [ -s "a root"/usr/share/bash-completion/completions/tritcc ]
    "a root"/usr/bin/tritcc --version
    [[ $("a root"/usr/bin/triton-compile --help) == *"usage: triton-compile"* ]]
    make -s -C "$BUILDDIR" -o all uninstall DESTDIR="$PWD/a root" prefix=/usr >/dev/null
    [ -z "$(find "a root" -type f -o -type l)" ]
}

@test "configure rejects unknown options" {
    run sh "$SRCDIR/configure" --enable-nothing
    [ "$status" -ne 0 ]
    [[ $output == *"unrecognized options: --enable-nothing"* ]]
    run sh "$SRCDIR/configure" --with-llvm=/nonexistent
    [ "$status" -ne 0 ]
    [[ $output == *"LLVM 22 was not found in /nonexistent"* ]]
    run sh "$SRCDIR/configure" --host=aarch64-linux-gnu CC=cc CXX=c++ AR=ar
    [ "$status" -ne 0 ]
    [[ $output == *"--host=aarch64-linux-gnu needs --with-host-llvm=DIR"* ]]
}

@test "the demo proves two kernels" {
    mkdir build share
    cp -r "$SRCDIR/share/tritcc" share/
    cp -r "$EXAMPLES" examples
    mkdir examples/vadd/cache && echo 'no object' >examples/vadd/vadd.o # what somebody made there
    for example in vadd softmax; do
        TRITCC=$TRITCC BUILDDIR=$PWD/build sh examples/demo.sh "$example" >log
        grep -q "largest.*error" log
    done
}

@test "functions are noted in the order of their first calls" {
    [ "$(uname -m)" = x86_64 ] || skip "breakpoints of x86-64"
    cat >program.c <<'C'
static void never(void) { }
static void first(void) { }
static void second(void) { first(); }
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 3; i++)
        second();
    if (argc > 1)
        never();
    return 0;
}
C
    cc -no-pie -D_GNU_SOURCE -o program program.c "$SRCDIR/share/build/order.c"
    ./program
    TRITCC_ORDER=order ./program
    [ "$(grep -x -e main -e second -e first -e never order | tr '\n' ' ')" = "main second first " ]
    # and what they are for: they lie where the linker is told to put them
    if [ -s "$BUILDDIR/obj/order" ]; then
        [ "$(wc -l <"$BUILDDIR/obj/order")" -gt 5000 ]
        [ -z "$(sort "$BUILDDIR/obj/order" | uniq -d)" ]
        grep -qx tri_nvptx_emit "$BUILDDIR/obj/order"
    fi
}

@test "generated code that is not as expected stops the build" {
    printf '%s\n' '::llvm::LogicalResult XOp::setPropertiesFromAttr(Properties &prop) {' \
        '  ::mlir::DictionaryAttr dict = ::llvm::dyn_cast<::mlir::DictionaryAttr>(attr);' '}' >good
    sed 's/dyn_cast/dyn_cast_or_null/' good >bad
    awk -f "$SRCDIR/ir/known_fields.awk" good | grep -q knownFields
    ! awk -f "$SRCDIR/ir/known_fields.awk" bad >out 2>err || false
    grep -q "bad: fields are read otherwise than expected by .*XOp" err
    ! awk -f "$SRCDIR/ir/known_fields.awk" /dev/null >out 2>err || false
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
    [ "$(compiled "$source/ir/options.h")" -le $(($(find "$SRCDIR" -name asan -prune -o -name "*.c" -print | wc -l) / 6)) ] # the least part of all
}

@test "a tarball makes the same tarball, without git" {
    [ -e "$SRCDIR/.git" ] || [ -e "$SRCDIR/MANIFEST" ] || skip "neither a clone nor a tarball"
    mkdir -p build/man
    cp "$BUILDDIR"/man/*.[17] build/man/
    old=$(cd "$BUILDDIR" && printf -- '-o %s ' man/*.[17])
    ln -s "$SRCDIR" source # make cannot name a source folder with spaces, but for its own
    cd build
    ../source/configure -q
    make -s $old dist
    tar xzf tritcc-*.tar.gz
    cd tritcc-*/
    ./configure -q
    make -s $old dist
    cmp tritcc-*.tar.gz ../tritcc-*.tar.gz
}

@test "Debian packages, and a tarball that runs where it is unpacked" {
    [ -n "${MATRIX_OPTIONS-}" ] || skip "half a minute of packing: make check-all"
    need dpkg-shlibdeps
    need file "$BUILDDIR/libtritcc.so.0"
    make -s -C "$BUILDDIR" -o all -o lib deb dist-binary DEB="$PWD/deb" BINARY=tritcc-binary >log
    [ "$(find deb -type f | sed 's|^deb/||; s|_.*||' | sort | tr '\n' ' ')" = "libtritcc-dev libtritcc0 tritcc " ]
    if command -v lintian >/dev/null; then
        [ -z "$(lintian --allow-root --fail-on none deb/*.deb)" ]
    fi
    for p in deb/*.deb; do dpkg-deb -x "$p" root; done
    root/usr/bin/triton-compile --help | grep -q usage
    zcat root/usr/share/man/man1/triton-compile.1.gz | grep -q tritcc
    cat >main.c <<'C'
#include <tritcc/tritcc.h>
int main(void)
{
    tritcc_context *c;
    return tritcc_create(&c) || tritcc_destroy(c);
}
C
    mkdir elsewhere
    tar xzf "$BUILDDIR/tritcc-binary.tar.gz" -C elsewhere
    rm "$BUILDDIR/tritcc-binary.tar.gz"
    elsewhere/tritcc-binary/bin/tritcc --version
    make -s -C elsewhere/tritcc-binary/share/doc/tritcc/examples/vadd run TRITCC="$PWD/elsewhere/tritcc-binary/bin/tritcc"
    if command -v pkg-config >/dev/null; then
        # shellcheck disable=SC2046 # words
        cc main.c $(PKG_CONFIG_PATH=elsewhere/tritcc-binary/lib/pkgconfig pkg-config --cflags --libs tritcc) -o main
        LD_LIBRARY_PATH=elsewhere/tritcc-binary/lib ./main
    fi
}

@test "examples that were copied elsewhere find the rules beside the compiler, or say that they do not" {
    mkdir -p root/bin root/share else/where
    cp -r "$EXAMPLES/vadd" "$EXAMPLES/rules.mk" else/where/
    cp -r "$SRCDIR/share/tritcc" root/share/
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$BUILDDIR/tritcc" >root/bin/compiler
    chmod +x root/bin/compiler
    run -2 make -s -C else/where/vadd TRITCC=nothing
    [[ $output == *"tritcc.mk is neither near"*"nor beside 'nothing'"* ]]
    run -0 make -s -C else/where/vadd TRITCC="$PWD/root/bin/compiler"
    [[ $output == *"largest error 0"* ]]
}

@test "the CMake project of the examples finds the installed package" {
    need cmake
    need ninja
    need file "$BUILDDIR/libtritcc.so.0"
    make -s -C "$BUILDDIR" -o all -o lib install prefix="$PWD/installed" >log
    cp -r "$EXAMPLES" examples
    sed -i 's/(VERSION 3.21)/(VERSION 3.16)/' examples/library/CMakeLists.txt # with policies of before, too
    cmake -G Ninja -S examples/library -B build -DCMAKE_PREFIX_PATH="$PWD/installed" >>log
    ninja -C build >>log
    ./build/vadd | grep -q 'largest error 0'
    ./build/stages | grep -q '"kernels"'
    ninja -C build -n | grep -q 'no work to do'
    touch examples/vadd/vadd.tri
    ninja -C build -n | grep -q 'TRITCC vadd.o'
}

@test "the Meson project of the examples" {
    need meson
    need ninja
    cp -r "$EXAMPLES" examples
    PATH=${TRITCC%/*}:$PATH meson setup build examples/library >log
    ninja -C build >>log
    ./build/vadd | grep -q 'largest error 0'
    [ -z "$(ninja -C build -n | grep TRITCC)" ]
    touch examples/vadd/vadd.tri
    ninja -C build -n | grep -q 'Generating vadd'
}

@test "the rule for ninja" {
    need ninja
    cp "$EXAMPLES/vadd/vadd.tri" "$EXAMPLES/vadd/main.c" "$SRCDIR/share/build/tritcc.ninja" .
    cat >build.ninja <<'N'
include tritcc.ninja
rule cc
  command = cc -O1 -I. -o $out $in -lm
build vadd.o | vadd.h: tritcc vadd.tri
  header = vadd.h
  flags = -sig '*fp32, *fp32, *fp32, i32, 1024'
build vadd: cc main.c vadd.o | vadd.h
N
    PATH=${TRITCC%/*}:$PATH ninja >log
    ./vadd | grep -q 'largest error 0'
    ninja -n | grep -q 'no work to do'
    touch vadd.tri
    ninja -n | grep -q 'TRITCC vadd.o'
}

@test "the rules for make take .tri and .py" {
    for suffix in tri py; do
        cp "$EXAMPLES/vadd/vadd.tri" $suffix.$suffix
    done
    printf 'TRITCC = %s\ninclude %s\n' "'$TRITCC'" "${SRCDIR// /\\ }/share/tritcc/tritcc.mk" >makefile
    echo "tri.o py.o: TRITCCFLAGS = -arch=$HOST_ARCH -sig '*fp32, *fp32, *fp32, i32, 1024'" >>makefile
    make tri.o py.o
    [ -s tri.o ] && [ -s tri.h ] && [ -s py.o ] && [ -s py.h ]
    # the enumerations of the header have names
    printf '#include "py.h"\nenum tri_device_kind kind = TRI_CUDA;\nenum tri_error e = TRI_ERROR_GRID;\nint main(void) { return 0; }\n' >main.c
    cc -std=c99 -pedantic-errors -Wall -Werror -o main main.c py.o -lm -ldl
    ./main
}
