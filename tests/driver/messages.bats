load ../helpers

@test "messages as JSON" {
    printf 'x = = 2\n' >k.tri
    tritcc -1 k.tri -fdiagnostics-format=json
    python3 - <<'P' || [ ! -x "$(command -v python3)" ]
import json
rows = json.load(open('.err'))
assert rows[0]['kind'] == 'error', rows
P
    grep -q '"k.tri"' .err
}

@test "colours are asked for" {
    printf 'x = = 2\n' >k.tri
    tritcc -1 k.tri -fdiagnostics-color=always
    [[ $errors == *$'\033['* ]]
    tritcc -1 k.tri -fdiagnostics-color=never
    [[ $errors != *$'\033['* ]]
    tritcc -1 k.tri -fdiagnostics-color=auto
    [[ $errors != *$'\033['* ]]
}

@test "-ffile-prefix-map rewrites names in messages and outputs" {
    mkdir src
    printf 'x = = 2\n' >src/k.tri
    tritcc -1 src/k.tri -ffile-prefix-map=src=/there
    [[ $errors == "/there/k.tri:1:5: error:"* ]]
    cp "$EXAMPLES/vadd/vadd.tri" src
    tritcc src/vadd.tri -sig '*fp32, *fp32, *fp32, i32, 64' -g -emit=ttir -o - -ffile-prefix-map=src=/there
    [[ $output == *'"/there/vadd.tri"'* && $output != *'"src/'* ]]
}

@test "one bad input does not keep the others from being compiled" {
    printf 'x = = 2\n' >k.tri
    tritcc -1 k.tri -emit=ast "$EXAMPLES/vadd/vadd.tri"
    [ -s vadd.ast ] && [ ! -e k.ast ]
}

@test "-Wall, -Werror, -W, -Wno- and -w choose warnings" {
    cat >k.tri <<'K'
import triton
import triton.language as tl

@triton.jit
def k(p, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(p + i)
    tl.store(p + i, tl.where(i, x, 0.0))
K
    args=(k.tri -sig '*fp32, 64' -emit=ttir=k.ttir)
    tritcc "${args[@]}"
    [[ $errors == *"k.tri:8:"*"warning:"*"[-Wdeprecated]"* ]]
    tritcc "${args[@]}" -w
    [ -z "$errors" ]
    tritcc "${args[@]}" -Wno-deprecated
    [ -z "$errors" ]
    tritcc "${args[@]}" -w -Wall -Wno-deprecated -Wdeprecated
    rm k.ttir
    tritcc -1 "${args[@]}" -Werror
    [[ $errors == *"k.tri:8:"*"error:"* ]]
    [ ! -e k.ttir ]
    tritcc "${args[@]}" -Werror -Wno-error
    tritcc -2 "${args[@]}" -Wdeprecatd
    [[ $errors == *"unknown warning 'deprecatd'; did you mean 'deprecated'?"* ]]
}

@test "-Rpass prints the remarks of a group" {
    tritcc "$EXAMPLES/vadd/vadd.tri" -sig '*fp32, *fp32, *fp32, i32, 64' -passes=print-axis-info -Rpass=axis-info
    tritcc "$EXAMPLES/vadd/vadd.tri" -sig '*fp32, *fp32, *fp32, i32, 64' -passes=print-axis-info -Rpass=all
    [[ $errors == *"remark:"* ]]
}

@test "-Rpass and -Rpass-missed without a group are of every group" {
    tritcc "$EXAMPLES/vadd/vadd.tri" -S -arch=sm_90a -o - -Rpass -Rpass-missed -sig '*fp32, *fp32, *fp32, i32, 64'
    [[ $errors == *"remark:"*"[-Rpass=memory]"* || $errors == *"remark:"*"[-Rpass-missed=memory]"* ]]
}

@test "-k with an unknown name says so, beside a -sig without one, too" {
    tritcc -1 "$EXAMPLES/vadd/vadd.tri" -k nope -sig '*fp32, *fp32, *fp32, i32, 64' -emit=ttir -o -
    [[ $errors == *"no kernel 'nope' in "* ]]
}

@test "-fdevice-assert keeps device_assert" {
    cat >k.tri <<'K'
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    tl.device_assert(n > 0, "no elements")
    tl.store(p, n)
K
    tritcc k.tri -sig '*i32, i32' -emit=ttir -o -
    [[ $output != *"tt.assert"* ]]
    tritcc k.tri -sig '*i32, i32' -emit=ttir -o - -fdevice-assert
    [[ $output == *"tt.assert"* ]]
}

@test "an option without effect on a later stage is a warning" {
    tritcc "$EXAMPLES/vadd/vadd.tri" -sig '*fp32, *fp32, *fp32, i32, 64' -arch=sm_90a -emit=ttir=k.ttir,ttgir=k.ttgir
    tritcc k.ttir -sig '*fp32' -DB=1 -k k -num-warps=2 -arch=sm_90a -emit=ptx=k.ptx
    [[ $errors == *"-k has no effect on 'k.ttir', which is 'ttir' already [-Wunused-option]"* ]]
    [[ $errors == *"-sig has no effect"* && $errors == *"-D has no effect"* && $errors != *"-num-warps"* ]]
    tritcc k.ttgir -num-warps=2 -emit=ptx=k.ptx
    [[ $errors == *"-num-warps has no effect on 'k.ttgir'"* ]]
    tritcc -1 k.ttgir -num-warps=2 -emit=ptx=k.ptx -Werror
}

@test "an architecture that is known and not served says why, and what to use" {
    echo >k.tri
    tritcc -2 -arch=sm_75 k.tri
    [[ $errors == *"no code is made for 'sm_75': it is older than sm_80"*"[TRI-6001]"* ]]
    tritcc -2 -arch=sm_103a k.tri
    [[ $errors == *"no code is made for 'sm_103a'"*"use -arch=sm_90"* ]]
}

@test "a fix stands under the line that it changes, in another file and behind notes, too" {
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef f(x):\n    return tl.laod(x)\n' >helper.py
    printf 'import triton\nfrom helper import f\n\n\n@triton.jit\ndef k(p):\n    tl.store(p, f(p))\n' >k.tri
    tritcc -1 k.tri -sig '*fp32' -emit=ttir
    [[ $errors == *"k.tri:7:5: error: 'tl' is not defined"*"k.tri:2:1: note: the fix is here
    2 | from helper import f
      | ^
      | import triton.language as tl
"* ]]
    [[ $errors == *"note: in the call of 'f' here"*"helper.py:7:15: note: the fix is here
    7 |     return tl.laod(x)
      |               ^~~~
      |               load"* ]]
    tritcc -fix k.tri
    tritcc k.tri -sig '*fp32' -emit=ttir
}
