# What README and the manual tell people to type works, word for word.
load ../helpers

setup() {
    start_test || return 1
    cp "$EXAMPLES"/vadd/*.tri "$EXAMPLES"/vadd/*.c "$EXAMPLES"/vadd/Makefile .
    PATH=$BUILDDIR:$PATH
}

# Lines of standard input, one after the other: each must succeed.
run_each() {
    local line n=0
    while read -r line; do
        n=$((n + 1))
        bash -ec "$line" >.out 2>.err </dev/null || { echo "\$ $line" && cat .err && return 1; }
    done
    [ "$n" -ge "$1" ]
}

@test "commands of README" {
    # a line that cannot run here: objects for GPUs need ptxas
    sed -nE 's/^    ((tritcc|tritrun|cc) .*)/\1/p' "$SRCDIR/README.md" |
        { [ -n "$(command -v ptxas)" ] && cat || sed 's/-arch=sm_80,sm_90a,x86-64-v3/-arch=compute_80,x86-64-v2/'; } | run_each 7
}

@test "calls of README compile, in C, C++ and Rust" {
    tritcc -c -emit=header -arch=x86-64-v2 -sig '*fp32, *fp32, *fp32, i32, 1024' vadd.tri
    code() { sed -nE "/^From $1/,/^(From|As) [^$2]/s/^    //p" "$SRCDIR/README.md"; }
    parameters='unsigned blocks, float *x, float *y, float *out, int n'
    { echo '#include <stdio.h>' && code 'C and' X | grep -v '// C++\|^#' | sed '1s/^/#include "vadd.h"\nvoid f('"$parameters"') { int status = 0;\n/'; echo '}'; } >c.c
    cc -Wall -Werror -c c.c
    { echo '#include <stdio.h>' && code 'C and' X | grep -v '/\* C \*/\|^#' | sed '1s/^/#include "vadd.h"\nvoid f('"$parameters"') { int error = 0;\n/'; echo '}'; } >c.cpp
    c++ -std=c++17 -Wall -Werror -c c.cpp
    [ -z "$(command -v rustc)" ] && return
    { echo 'use std::{ffi::c_void, ptr::null_mut};' && code Rust Z | grep -v '^let' &&
        echo 'pub fn f(blocks: u32, x: &[f32], y: &[f32], out: &mut [f32], n: i32) -> i32 {' && code Rust Z | grep '^let' && echo 'error }'; } >r.rs
    rustc -D warnings --edition 2021 --crate-type lib r.rs
}

# The lines of README's code that stand under "From Python ..." or "For PyTorch ...".
python_of() { sed -nE "/^$1/,/^(For|As) /s/^    //p" "$SRCDIR/README.md"; }

# need_python MODULE...: an interpreter that has them, and the library.
need_python() {
    need file "$BUILDDIR/libtritcc.so.0"
    python=${PYTHON:-python3}
    for module; do
        "$python" -c "import $module" 2>/dev/null || skip "no $module for $python"
    done
    export PYTHONPATH=$SRCDIR/python TRITCC_LIBRARY=$BUILDDIR/libtritcc.so.0 PYTHONDONTWRITEBYTECODE=1
}

@test "Python of README" {
    need_python numpy
    [ "$(python_of 'From Python' | wc -l)" -ge 2 ]
    {
        printf '%s\n' 'import numpy, tritcc' # and no Triton: names of tl are read, not run
        printf '%s\n' 'def add(x, y, o, n, B: "tl.constexpr"):' '    i = tl.program_id(0) * B + tl.arange(0, B)' \
            '    tl.store(o + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)' '' \
            'n = 5000' 'x, y, o = (numpy.full(n, v, numpy.float32) for v in (1, 2, 0))' 'grid = (-(-n // 1024),)' \
            'signature = ["*fp32", "*fp32", "*fp32", "i32", 1024]'
        python_of 'From Python' | sed 's/^tritcc.compile.*[.]ptx/ptx = &/'
        printf '%s\n' 'assert (o == 3).all()' 'assert ".entry add" in ptx'
    } >p.py
    "$python" p.py
}

@test "PyTorch's line of README" {
    need_python triton torch
    [ "$(python_of 'For PyTorch' | wc -l)" -ge 1 ]
    { python_of 'For PyTorch' && echo 'print(tritcc.triton.report())'; } >p.py
    "$python" p.py
}

@test "CMake of README" {
    need cmake
    need ninja
    need file "$BUILDDIR/libtritcc.so.0"
    make -s -C "$BUILDDIR" -o all -o lib install prefix="$PWD/installed" >log
    {
        printf '%s\n' 'cmake_minimum_required(VERSION 3.21)' 'project(p LANGUAGES C)' 'add_executable(program main.c)'
        sed -nE 's/^    ((find_package|tritcc_add_kernel|target_link_libraries)\()/\1/p' "$SRCDIR/README.md" |
            { [ -n "$(command -v ptxas)" ] && cat || sed 's/ARCH sm_80 sm_90a/ARCH compute_80 compute_90/'; }
    } >CMakeLists.txt
    [ "$(wc -l <CMakeLists.txt)" -eq 6 ]
    cmake -G Ninja -B build -DCMAKE_PREFIX_PATH="$PWD/installed" >>log
    ninja -C build >>log
    [ -x build/program ]
    tritcc --inspect build/vadd_kernels.tritcc/vadd.o
    [[ $output == *sm_80*sm_90* || $output == *compute_80*compute_90* ]]
}

@test "figures of README and bench/README.md are those of bench/results" {
    "$SRCDIR/bench/report.sh" --check
    [ "$(grep -c . "$SRCDIR/bench/rows.list")" -gt 10 ]
    # a result that changed is seen
    cp -r "$SRCDIR/bench" "$SRCDIR/README.md" . && file=$(ls bench/results/*.tsv | head -n 1)
    sed -i '$s/\t[0-9.]*\t/\t98765\t/' "$file"
    ! bench/report.sh --check >/dev/null || false
}

@test "commands of the manual" {
    # k.mlir and k.tri are any module and any kernel
    tritcc -emit=ttir=k.mlir -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' vadd.tri
    echo '// CHECK: tt.func' >>k.mlir
    printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def k(p, B: tl.constexpr):' \
        '    tl.store(p + tl.arange(0, B), 1.0)' >k.tri
    mkdir bin && ln -s "$(command -v "$FILECHECK")" bin/FileCheck && PATH=$PWD/bin:$PATH
    cat "$BUILDDIR"/man/*.7 | sed -nE 's/^\.Dl \$ (.*)/\1/p' | sed 's/\\(aq/\x27/g; s/\\-/-/g' |
        { [ -n "$(command -v ptxas)" ] && cat || sed 's/-arch=sm_80,sm_90a,x86-64-v3/-arch=compute_80,x86-64-v2/'; } | run_each 8
}

@test "pictures of README are what the tools print and draw today" {
    mkdir pictures
    CHROMIUM='' sh "$SRCDIR/docs/pictures.sh" "$TRITCC" pictures
    for picture in error layout; do
        cmp "pictures/$picture.svg" "$SRCDIR/docs/$picture.svg"
    done
    grep -q '#ttg.nvidia_mma' pictures/layout.svg
}

# The examples of a page, one after the other in one folder, but for those whose device or program is not here.
run_examples() {
    { [ -n "$(command -v clinfo)" ] || [ -e /etc/OpenCL/vendors/pocl.icd ]; } && opencl='' || opencl='-arch=opencl'
    sed -nE 's/^\.Dl \$ (.*)/\1/p' "$BUILDDIR/man/$1" | sed 's/\\(aq/\x27/g; s/\\-/-/g; s/\\e/\\/g' |
        { [ -n "$(command -v ptxas)" ] && cat || sed 's/--target cuda:90:32/--target cuda:compute_90:32/'; } >all
    [ -e /dev/nvidia0 ] && grep -v "${opencl:-none of them}" all >wanted || grep -v -e '-arch=cuda' -e "${opencl:-none of them}" all >wanted
    run_each "$2" <wanted
}

@test "examples of tritcc(1) and tritrun(1)" {
    cp vadd.tri vadd.py
    cp "$EXAMPLES/autotune/autotune.tri" .
    mkdir bin && ln -s "$TRITCC" bin/triton-compile && PATH=$PWD/bin:$PATH
    run_examples tritcc.1 21
    tritcc -c -sig '*fp32, *fp32, *fp32, i32, 64' vadd.tri
    run_examples tritrun.1 20
}

@test "each command that the manual shows is one that is run" {
    for page in "$BUILDDIR"/man/*.[17]; do # but for the codes', of which explain.bats runs each
        [ "${page##*/}" != tritcc-errors.7 ] || continue
        awk '/^\.Bd -literal/ { on = 1 } on && /(^|\$ )(tritcc|tritrun|triton-compile) / { print FILENAME ": " $0; bad = 1 } /^\.Ed/ { on = 0 } END { exit bad }' "$page"
    done
}

@test "files that README names are there" {
    grep -v '^    ' "$SRCDIR/README.md" | grep -oE '\]\([^)#:]+\)' | tr -d '])(' | while read -r file; do
        [ -e "$SRCDIR/$file" ] || { echo "$file"; false; }
    done
    grep -oE '`(driver|bench|examples|share|include|python|tests|passes|ir|targets)/[A-Za-z0-9_./-]*`' "$SRCDIR/README.md" "$SRCDIR/CONTRIBUTING.md" | sed 's/^[^`]*`//; s/`//' | sort -u |
        while read -r file; do
            [ -e "$SRCDIR/$file" ] || { echo "$file"; false; }
        done
}
