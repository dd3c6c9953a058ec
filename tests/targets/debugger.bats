# Debuggers on host code: with -g, and with -g -O0, where statements run one after another and variables are kept.
load ../helpers

# build NAME FLAG...: the kernel and main.c of examples/NAME
build() {
    local name=$1
    shift
    need gdb
    cp "$EXAMPLES/$name/main.c" .
    kernel=$EXAMPLES/$name/$name.tri
    tritcc -g -O0 -arch=native -fdot-precision=ieee "$@" -emit=obj="$name.o",header="$name.h" "$kernel"
    cc -g -I. -I"$EXAMPLES" main.c "$name.o" -o "$name" -lm
}

# at TEXT: the number of the first line of the kernel's file that holds it
at() { grep -nF -- "$1" "$kernel" | head -n 1 | cut -d: -f1; }

# stop TEXT: gdb's command for a breakpoint there
stop() { echo "break $(basename "$kernel"):$(at "$1")"; }

# debug PROGRAM COMMAND...: what gdb writes, and what cannot be done
debug() {
    local program=$1 args=()
    shift
    for command; do args+=(-ex "$command"); done
    gdb -nx -batch -ex "set width 0" -ex "set print elements 4" "${args[@]}" "./$program" >trace 2>&1 || true # of its last command
}

# stops_everywhere PROGRAM FUNCTION: at each line of the kernel that is a statement, from `def` to the end of the body
stops_everywhere() {
    local first line lines=()
    first=$(at "def $2(")
    while read -r line; do lines+=("$line"); done < <(awk -v from="$first" '
        NR > from && /^[^ ]/ { exit }
        NR > from && /^ +([a-z_A-Z, ]+ [-+*]?= |tl\.|for )/ { print NR }' "$kernel")
    [ ${#lines[@]} -ge 8 ]
    # a breakpoint for each, gone when it was hit: those of lines that run again would stop there for ever
    debug "$1" "${lines[@]/#/tbreak $(basename "$kernel"):}" run "${lines[@]/*/continue}"
    for line in "${lines[@]}"; do grep -q "^$line[[:space:]]" trace; done
    [ "$(grep -c "^Temporary breakpoint .*, $2 (" trace)" = ${#lines[@]} ]
}

@test "with -g a debugger stops at lines of the source, steps, and knows the arguments" {
    need gdb
    local vadd=$EXAMPLES/vadd/vadd.tri kernel=$EXAMPLES/vadd/vadd.tri
    cp "$EXAMPLES/vadd/main.c" .
    for level in -O0 -O3; do
        tritcc -g $level -arch=native -sig '*fp32, *fp32, *fp32, i32, 1024' -emit=obj=vadd.o,header=vadd.h "$vadd"
        cc -g -I. main.c vadd.o -o vadd -lm
        gdb -batch -ex "break vadd.tri:$(at 'block_start = pid')" -ex run -ex bt -ex "print n_elements" \
            -ex "print program_id_0" -ex "print x_ptr[1]" -ex step -ex step -ex step -ex step -ex step -ex step ./vadd >trace 2>&1
        grep -q "^#0 .*add_kernel.*vadd.tri:$(at 'block_start = pid')" trace
        if [ $level = -O0 ]; then
            grep -q '^\$1 = 98432$' trace
            grep -q '^\$2 = 0$' trace
            grep -q '^\$3 = [0-9.]*$' trace
        fi
        grep -q "^$(at 'x = tl.load')[[:space:]]" trace
        grep -q "^$(at 'output = x + y')[[:space:]]" trace
        grep -q "^$(at 'tl.store')[[:space:]]" trace
    done
}

@test "every line of vadd stops, and its variables and blocks are printed" {
    build vadd -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024'
    stops_everywhere vadd add_kernel
    debug vadd "$(stop 'tl.store')" run "print pid" "print block_start" "print offsets" "ptype offsets" "print mask" \
        "print BLOCK_SIZE" "print n_elements" "print x[1] + y[1] == output[1]" "print x_ptr[3] == x[3]" continue "print pid" \
        "print offsets" "ptype mask"
    grep -qF '$1 = 0' trace
    grep -qF '$2 = 0' trace
    grep -qF '$3 = {0, 1, 2, 3...}' trace
    grep -qF 'type = int32 [1024]' trace
    grep -qF '$4 = {true <repeats 1024 times>}' trace
    grep -qF '$5 = 1024' trace
    grep -qF '$6 = 98432' trace
    grep -qF '$7 = 1' trace
    grep -qF '$8 = 1' trace
    grep -qE '^\$9 = [1-9][0-9]*$' trace
    grep -qE '^\$10 = \{[1-9][0-9]*, ' trace
    grep -qF 'type = int1 [1024]' trace
}

@test "vadd is stepped through line by line" {
    build vadd -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024'
    debug vadd "$(stop 'pid = tl')" run next next next next next next next
    grep -oE '^[0-9]+' trace | tail -n 8 >stepped
    for text in 'pid = tl' 'block_start = pid' 'offsets = ' 'mask = ' 'x = tl.load' 'y = tl.load' 'output = x' 'tl.store'; do
        at "$text"
    done >expected
    diff expected stepped
}

@test "softmax: rows, reductions and loops" {
    build softmax -sig '*fp32:16, *fp32:16, i32, i32, i32, i32, 1024, 2'
    stops_everywhere softmax softmax_kernel
    debug softmax "$(stop 'tl.store(')" run "print row_idx" "print col_offsets" "print numerator[0] <= 1" \
        "print denominator > 0" "print softmax_output[2] == numerator[2] / denominator" "print row_start_ptr == input_ptr" \
        "print row_minus_max[0] <= 0"
    grep -qF '$1 = 0' trace
    grep -qF '$2 = {0, 1, 2, 3...}' trace
    for n in 3 4 5 6 7; do grep -qF "\$$n = 1" trace; done
}

@test "matmul: blocks that a loop carries, 2-D blocks" {
    build matmul -grid='cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N)' \
        -sig '*fp32, *fp32, *fp32, i32, i32, i32, i32, i32, i32, i32, i32, i32, 32, 32, 32, 4'
    stops_everywhere matmul matmul
    debug matmul "$(stop 'a_ptrs +=')" run "print k" "print acc[1][2] == 0" "ptype acc" "print a_ptrs[0][1] - a_ptrs[0][0]" \
        continue "print k" "print offs_k"
    grep -qF '$1 = 0' trace
    grep -qF '$2 = 0' trace
    grep -qF 'type = fp32 [32][32]' trace
    grep -qF '$3 = 1' trace
    grep -qF '$4 = 1' trace
    grep -qF '$5 = {0, 1, 2, 3...}' trace
}

@test "helpers have frames, names that change their type are new variables, 16-bit floats are numbers" {
    need gdb
    cat >helper.py <<'END'
import triton
import triton.language as tl


@triton.jit
def scaled(v, by):
    w = v * by
    return w


@triton.jit
def larger(a, b):
    if a > b:
        r = a
    else:
        r = b
    return r


@triton.jit
def k(p, q, h, N: tl.constexpr, FLAG: tl.constexpr):
    i = tl.arange(0, N)
    j = tl.arange(0, N)
    same = i
    n = 5
    p += n - 5
    x = n + 1
    x = tl.load(p + i) * x
    y = scaled(x, 3.0)
    most = tl.reduce(y, 0, larger)
    if n > tl.program_id(0):
        x = y + most
        flag = 7
    else:
        flag = 8
    b = y.to(tl.bfloat16)
    tl.store(h + i, y.to(tl.float16))
    tl.store(q + j, x + flag)
END
    cat >main.c <<'END'
#include "k.h"
#include <stdio.h>
int main(void)
{
    static float p[16] = {1, 2.5f, 3}, q[16];
    static _Float16 h[16];
    int error = k(0, (tri_grid){1, 1, 1}, p, q, (void *)h);
    printf("%d %g %g\n", error, (double)q[1], (double)h[1]);
    return 0;
}
END
    kernel=helper.py
    tritcc -g -O0 -arch=x86-64 -k k -sig '*fp32, *fp32, *fp16, 16, True' -emit=obj=k.o,header=k.h helper.py
    cc -g -I. main.c k.o -o k -lm
    [ "$(./k)" = "0 106 45" ]
    debug k "$(stop 'n = 5')" run "print p[2]" "print n" "print same[1]" "$(stop 'x = tl.load')" continue "print x" "print same" "print j" "print FLAG" "$(stop 'w = v')" continue \
        "print w" "print by" "$(stop 'return w')" continue "print w" bt "$(stop 'flag = 7')" continue "print x" "print most" "$(stop 'tl.store(q')" continue "print flag" \
        "print b" "print p[1]"
    grep -qF '$1 = 3' trace # a parameter that is assigned to
    grep -qF '$2 = <optimized out>' trace
    grep -qF '$3 = 1' trace
    grep -qF '$4 = 6' trace
    grep -qF '$5 = {0, 1, 2, 3...}' trace
    grep -qF '$6 = {0, 1, 2, 3...}' trace
    grep -qF '$7 = true' trace
    grep -qF '$8 = <optimized out>' trace # not yet
    grep -qF '$9 = 3' trace # a constant argument
    grep -qF '$10 = {18, 45, 54, 0 ' trace
    grep -q '^#0  scaled (' trace
    grep -q '^#1 .* in k (' trace
    grep -qF '$11 = {72, 99, 108, 54 ' trace
    grep -qF '$12 = 54' trace
    grep -qF '$13 = 7' trace
    grep -qF '$14 = {18, 45, 54, 0 ' trace
    grep -qF '$15 = 2.5' trace
}
