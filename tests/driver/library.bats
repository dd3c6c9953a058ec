# libtritcc as other programs see it: what it exports, its manual, its examples, and what becomes of it without memory.

load ../helpers

setup() {
    [ -e "$BUILDDIR/libtritcc.so.0" ] || skip "make lib"
    start_test
    ln -s "$BUILDDIR/libtritcc.so.0" libtritcc.so
    export LD_LIBRARY_PATH=$BUILDDIR
}

@test "the shared library exports what the list says, and nothing else" {
    grep '^symbol' "$SRCDIR/tests/driver/library.list" >want
    nm -D --defined-only "$BUILDDIR/libtritcc.so.0" | awk '$2 != "A" {sub(/@@TRITCC_0$/, "", $3); print "symbol", $3}' | sort >got
    diff want got
    readelf -d "$BUILDDIR/libtritcc.so.0" | grep -q 'SONAME.*\[libtritcc.so.0\]'
}

@test "the public struct lies as the list says" {
    {
        echo '#include <stddef.h>'
        echo '#include <stdio.h>'
        echo '#include <tritcc/tritcc.h>'
        echo 'typedef tritcc_diagnostic d;'
        echo 'int main(void) {'
        awk '$1 == "field" {printf "printf(\"field %s %%zu %%zu\\n\", offsetof(d, %s), sizeof ((d *)0)->%s);\n", $2, $2, $2}' "$SRCDIR/tests/driver/library.list"
        echo 'printf("size %zu\n", sizeof(d)); return 0; }'
    } >layout.c
    cc -I"$SRCDIR/include" -o layout layout.c
    ./layout >got
    grep -E '^(field|size)' "$SRCDIR/tests/driver/library.list" >want
    diff want got
}

@test "the header is C and C++ of every standard" {
    echo '#include <tritcc/tritcc.h>' >h.c
    for std in c99 c11 c17; do
        cc -std=$std -Wall -Wextra -Wpedantic -Werror -I"$SRCDIR/include" -fsyntax-only h.c
    done
    c++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$SRCDIR/include" -fsyntax-only h.c
}

@test "the program of libtritcc(3) compiles and prints PTX" {
    awk '/^\.EX/ {on = 1; next} /^\.EE/ {exit} on' "$SRCDIR/man/libtritcc.3" | sed 's/\\e/\\/g' >page.c
    cc -Wall -Wextra -Werror -I"$SRCDIR/include" -o page page.c -L. -ltritcc
    ./page >out
    grep -q '.entry double(' out
}

@test "in C: a kernel in a string runs on this machine" {
    cc -Wall -Wextra -Werror -I"$SRCDIR/include" -o run "$EXAMPLES/library/run.c" -L. -ltritcc -ldl
    [ "$(./run)" = 'y[999] = 1998' ]
}

@test "in C++: stages of a kernel" {
    c++ -std=c++17 -Wall -Wextra -Werror -I"$SRCDIR/include" -o stages "$EXAMPLES/library/stages.cpp" -L. -ltritcc
    ./stages >out
    grep -q '.entry double(' out
    grep -q '^--- json' out
}

@test "in Rust: PTX of a kernel" {
    need rustc
    rustc --edition 2021 -o ptx "$EXAMPLES/library/ptx.rs" -L . -l tritcc || skip "rustc cannot link here"
    ./ptx >out
    grep -q '.entry double(' out
}

@test "in Python: PTX of a kernel through ctypes" {
    need python3
    python3 "$EXAMPLES/library/ptx.py" "$BUILDDIR/libtritcc.so.0" >out
    grep -q '.entry double(' out
}

@test "tritcc, tritrun and triton-compile are one program on the public header and the shared library" {
    mkdir -p include/tritcc && cp "$SRCDIR/include/tritcc/tritcc.h" include/tritcc/
    sed 's,"include/tritcc/tritcc.h",<tritcc/tritcc.h>,' "$SRCDIR/driver/main.c" >main.c
    cc -D_GNU_SOURCE -Wall -Wextra -Werror -Iinclude -o tritcc main.c -L. -ltritcc -lpthread
    ln -s tritcc tritrun && ln -s tritcc triton-compile
    [ "$(readlink "$BUILDDIR/tritrun")" = tritcc ]
    ./tritcc -arch=sm_80 -emit=ptx -sig '*fp32, *fp32, *fp32, i32, 64' -o mine.ptx "$EXAMPLES/vadd/vadd.tri"
    "$TRITCC" -arch=sm_80 -emit=ptx -sig '*fp32, *fp32, *fp32, i32, 64' -o its.ptx "$EXAMPLES/vadd/vadd.tri"
    cmp mine.ptx its.ptx
    ./tritrun -grid=1 -print=output_ptr "$EXAMPLES/vadd/vadd.tri" full:f32:4:value=1 arange:f32:4 empty:f32:4 4 64 >out
    grep -q '1 *2 *3 *4' out
    ! ./tritrun "$EXAMPLES/vadd/vadd.tri" 3 2>err || false
    grep -q '^tritrun: error\|vadd.tri:.*error' err
    ./triton-compile --help | grep -q 'usage: triton-compile'
}

@test "without memory a context is dead, and another one compiles on" {
    [ -z "${ASAN_OPTIONS-}" ] || skip "AddressSanitizer has its own allocator"
    cc -O1 -Wall -Wextra -Werror -Wno-unused-result -I"$SRCDIR/include" -o memory "$SRCDIR/tests/driver/library_memory.c" -L. -ltritcc -lpthread
    timeout 900 "$SRCDIR/tests/driver/faults.sh" ./memory 101 50000 7919 1
}

@test "each compilation of a warm context gives what a fresh process gives" {
    cc -O1 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$SRCDIR/include" -o order "$SRCDIR/tests/driver/library_order.c" -L. -ltritcc -lpthread
    cd "$SRCDIR"
    timeout 900 "$BATS_TEST_TMPDIR/order" <(tests/fingerprint.sh -l) 25 sm_80,sm_90a,gfx942,x86-64-v3,spirv64 1 2 3
    # LLVM numbers the calls of a whole process
    timeout 900 "$BATS_TEST_TMPDIR/order" <(tests/fingerprint.sh -l frontend/api/hints.tri) 1 sm_80 1 2
}
