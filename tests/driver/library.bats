# libtritcc as other programs see it: what it exports, its manual, its examples, and what becomes of it without memory.

load ../helpers

setup() {
    [ -e "$BUILDDIR/libtritcc.so.0" ] || skip "make lib"
    cd "$BATS_TEST_TMPDIR"
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

@test "without memory a context is dead, and another one compiles on" {
    [ -z "${ASAN_OPTIONS-}" ] || skip "AddressSanitizer has its own allocator"
    cc -O1 -Wall -Wextra -Werror -Wno-unused-result -I"$SRCDIR/include" -o memory "$SRCDIR/tests/driver/library_memory.c" -L. -ltritcc -lpthread
    timeout 120 ./memory 1 30000 2999
    timeout 60 ./memory 100 200 20
}
