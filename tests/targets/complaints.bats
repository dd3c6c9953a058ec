#!/usr/bin/env bats
# What ptxas says of lines of PTX is told at the inline assembly of the source (targets/nvptx/complaints.c).
load ../helpers

# fake_ptxas MESSAGE PATTERN...: a ptxas that complains about the first line which has each pattern.
fake_ptxas() {
    local message=$1
    shift
    mkdir -p toolkit/bin
    {
        echo '#!/bin/sh'
        echo 'for a; do case $a in *.ptx) f=$a;; esac; done'
        printf 'for p in %s; do\n' "$*"
        echo 'n=$(grep -n -e "$p" "$f" | head -n 1 | cut -d: -f1)'
        printf 'echo "ptxas $f, line $n; error   : %s" >&2\ndone\n' "$message"
        echo 'echo "ptxas fatal   : Ptx assembly aborted due to errors" >&2; exit 255'
    } >toolkit/bin/ptxas
    chmod +x toolkit/bin/ptxas
}

write_kernels() {
    cat >a.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def helper(x):
    return tl.inline_asm_elementwise("wrong.b32 ${0:r}, $1; // $$", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)


@triton.jit
def k(p, N: tl.constexpr):
    o = p + tl.arange(0, N)
    x = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [tl.load(o)], dtype=tl.int32, is_pure=False, pack=1)
    y = tl.inline_asm_elementwise("""
        { .reg .b32 t;
        foo.b32 $0, t;
        }""", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(o, helper(y) + x)
K
}

cubin() { tritcc "$1" --cuda-path=toolkit -arch=sm_90a "${@:3}" -emit=cubin=k.cubin "$2"; }

@test "an instruction that ptxas does not know is an error at the text that has it, once" {
    write_kernels
    fake_ptxas "unknown: 'foo'" foo.b32 foo.b32
    cubin -1 a.tri -sig '*i32, 256'
    [[ $errors == *"a.tri:14:9: error: ptxas refuses the inline assembly at its line 3, 'foo.b32 %r"*", t;': unknown: 'foo' [TRI-6002]"* ]]
    [ "$(grep -c 'error:' <<<"$errors")" = 1 ]
    [[ $errors == *"note: the command was: "*ptxas* ]]
    cubin -1 a.tri -sig '*i32, 256' -fdiagnostics-format=json
    [[ $errors == *'"code": "TRI-6002", "file": "a.tri", "line": 14, "column": 9'* ]]
}

@test "the text of a helper is told with its call, every complaint at its place" {
    write_kernels
    fake_ptxas 'no' wrong.b32 foo.b32
    cubin -1 a.tri -sig '*i32, 128'
    [[ $errors == *"a.tri:7:12: error: ptxas refuses the inline assembly: no [TRI-6002]"* ]]
    [[ $errors == *"a.tri:18:17: note: called from here"* ]]
    [[ $errors == *"a.tri:14:9: error: "* ]]
}

@test "what stands behind the text is the text's, when its semicolon is missing" {
    write_kernels
    sed -i 's/"mov.b32 $0, $1;"/"mov.b32 $0, $1"/' a.tri
    fake_ptxas 'syntax error' '"{ .reg .b32 t;"'
    cubin -1 a.tri -sig '*i32, 128'
    [[ $errors == *"a.tri:13:9: error: ptxas refuses the inline assembly: syntax error [TRI-6002]"* ]]
    write_kernels
    cubin -1 a.tri -sig '*i32, 128'
    [[ $errors == *"a.tri:14:9: error: ptxas refuses the inline assembly at its line 2,"* ]]
}

@test "an open brace is told where it is, not at the end of the PTX" {
    write_kernels
    sed -i 's/^        }"""/        """/' a.tri
    fake_ptxas 'syntax error' '"^	ret;"'
    cubin -1 a.tri -sig '*i32, 128'
    [[ $errors == *"a.tri:14:9: error: ptxas refuses the inline assembly: syntax error [TRI-6002]"* ]]
}

@test "the same text at two places is told at both" {
    write_kernels
    sed -i 's/mov.b32/not.b32/; s/    tl.store(o.*/&\n    tl.store(o + N, tl.inline_asm_elementwise("not.b32 $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1))/' a.tri
    fake_ptxas 'no' not.b32
    cubin -1 a.tri -sig '*i32, 128'
    [[ $errors == *"a.tri:13:9: error: "*"a.tri:19:21: note: the same text is here"* ]]
}

@test "complaints about PTX that was given, and PTX of llir" {
    write_kernels
    fake_ptxas 'no' foo.b32
    tritcc -arch=sm_90a -emit=ptx=a.ptx,llir=a.ll a.tri -sig '*i32, 128'
    line=$(grep -n foo.b32 a.ptx | cut -d: -f1)
    cubin -1 a.ptx
    [[ $errors == *"a.ptx:$line:"*"error: ptxas: no [TRI-7001]"* ]]
    cubin -1 a.ll
    [[ $errors == *"error: ptxas at line "*" of the PTX, 'foo.b32 %r"*"': no [TRI-7001]"* ]]
}

@test "a complaint about a line that nobody wrote says the line" {
    write_kernels
    fake_ptxas 'no' '"ret;"'
    cubin -1 a.tri -sig '*i32, 128'
    [[ $errors == *"error: ptxas at line "*" of the PTX, 'ret;': no [TRI-7001]"* ]]
}

@test "too few registers for an instruction are a resource error" {
    write_kernels
    mkdir -p toolkit/bin
    cat >toolkit/bin/ptxas <<'END'
#!/bin/sh
echo 'ptxas fatal   : (C7602) Insufficient registers (32) to compile instruction at line 137 in function k. Try to' \
    'compile with register target of 154 or higher.' >&2
exit 255
END
    chmod +x toolkit/bin/ptxas
    cubin -1 a.tri -maxnreg=32 -sig '*i32, 128'
    [[ $errors == *"error: 32 registers per thread are too few: an instruction of 'k' needs 154; use a larger -maxnreg [TRI-6003]"* ]]
    cubin -1 a.tri -sig '*i32, 128' -fdiagnostics-format=json
    jq -e '.[0] | .code == "TRI-6003" and .resource == "registers" and .needed == 154 and .limit == 32' .err
    jq -e '.[0].message | endswith("use fewer warps or smaller blocks")' .err
}

@test "a modifier that operands do not have is an error at the text" {
    write_kernels
    sed -i 's/{0:r}/{0:q}/' a.tri
    tritcc -1 -arch=sm_90a -emit=ptx=k.ptx a.tri -sig '*i32, 128'
    [[ $errors == *"a.tri:7:12: error: invalid operand in inline asm: "*"[TRI-6005]"* ]]
}

@test "the real ptxas: instructions, symbols, types, semicolons, braces" {
    need ptxas
    for text in 'foo.b32 $0, $1;' 'mov.b32 $0, q;' 'mov.b64 $0, $1;' 'mov.b32 $0, $1' '{ mov.b32 $0, $1;' 'mov.b32 $0, $1; /*' \
        '.reg .b32 t; mov.b32 $0, $1;' '} mov.b32 $0, $1;'; do
        cat >t.tri <<K
import triton
import triton.language as tl


@triton.jit
def k(p, N: tl.constexpr):
    o = p + tl.arange(0, N)
    x = tl.load(o)
    tl.store(o, tl.inline_asm_elementwise("$text", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1))
K
        tritcc -1 -arch=sm_90a -emit=cubin=k.cubin t.tri -sig '*i32, 256'
        [[ $errors == *"t.tri:9:17: error: ptxas refuses the inline assembly: "*"[TRI-6002]"* ]]
    done
}
