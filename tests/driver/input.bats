load ../helpers

@test "a missing input" {
    tritcc -1 absent.tri
    [[ $errors == *"cannot read 'absent.tri': No such file or directory"* ]]
}

@test "an empty input" {
    : >k.tri
    tritcc -1 k.tri
    [[ $errors == *"'k.tri' is empty"* ]]
}

@test "a binary input" {
    printf 'a\0b' >k.tri
    tritcc -1 k.tri
    [[ $errors == *"k.tri:1:2: error:"* ]]
    printf 'a\0b' >k.ttir
    tritcc -1 k.ttir
    [[ $errors == *"NUL byte at offset 1"* ]]
}

@test "a folder as input" {
    mkdir k.tri
    tritcc -1 k.tri
    [[ $errors == *"cannot read 'k.tri': Is a directory"* ]]
}

@test "an input without an end, or of 100 GB" {
    truncate -s 100G k.tri
    tritcc -1 k.tri
    [[ $errors == *"cannot read 'k.tri': File too large"* ]]
    tritcc -1 -x tri /dev/zero
    [[ $errors == *"cannot read '/dev/zero': File too large"* ]]
}

@test "an unreadable input" {
    [ "$(id -u)" -ne 0 ] || skip "root reads everything"
    echo 'x = 1' >k.tri
    chmod 0 k.tri
    tritcc -1 k.tri
    [[ $errors == *"Permission denied"* ]]
}

@test "a suffix that says nothing" {
    echo 'x = 1' >k.txt
    tritcc -2 k.txt
    [[ $errors == *"cannot tell the kind of 'k.txt'"* ]]
    tritcc -x tri -emit=ast -o - k.txt
}

@test "a kind that cannot be an input" {
    echo x >k.o
    tritcc -2 k.o
    [[ $errors == *"'obj', which cannot be an input"* ]]
}

@test "a stage that does not follow" {
    echo '.version 8.0' >k.ptx
    tritcc -2 -emit=ttir -o - -arch=sm_80 k.ptx
    [[ $errors == *"'ttir' cannot be made from 'ptx' input 'k.ptx'"* ]]
    tritcc -2 -emit=cubin -arch=spirv64 "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"'cubin' cannot be made"* ]]
}

@test "a syntax error has position and caret, tabs and UTF-8 counted by bytes" {
    printf 'x = "\303\244"; y = = 2\n' >k.tri
    tritcc -1 k.tri
    [[ $errors == "k.tri:1:15: error:"* ]]
    printf 'def f():\n\tx = = 2\n' >k.tri
    tritcc -1 k.tri
    [[ $errors == "k.tri:2:6: error:"* ]]
}

@test "standard input and output" {
    tritcc -emit=ast - <"$EXAMPLES/vadd/vadd.tri"
    [ -n "$output" ]
    [ -z "$(ls)" ]
}

@test "files without a kernel: a place, and why what looks like one is none" {
    : >k.tri
    tritcc -1 k.tri
    [[ $errors == "k.tri:1:1: error: 'k.tri' is empty [TRI-1001]"* ]]
    echo 'x = 1' >k.tri
    tritcc -1 k.tri -emit=ttir
    [[ $errors == "k.tri:1:1: error: no @triton.jit function in 'k.tri' [TRI-3031]"* ]]
    printf 'import triton.language as tl\n\n\n@triton.jit\ndef k(x):\n    tl.store(x, 1)\n' >k.tri
    tritcc -1 k.tri -emit=ttir
    [[ $errors == *"k.tri:1:1: error: no @triton.jit function"*"k.tri:4:2: note: this decorator is not known: 'triton' is not defined"* ]]
}

@test "escape sequences in names do not reach the terminal" {
    local name=$'e\x1b[31m\x07.tri'
    echo 'x = = 1' >"$name"
    tritcc -1 "$name" -emit=ttir
    [[ $errors == 'e?[31m?.tri:1:5: error:'* && $errors != *$'\x1b'* ]]
    tritcc -1 $'absent\x1b[31m.tri' -emit=ttir
    [[ $errors == *"cannot read 'absent?[31m.tri'"* && $errors != *$'\x1b'* ]]
    tritcc -2 -emit=$'tt\x1b[31m' "$name"
    [[ $errors != *$'\x1b'* ]]
}
