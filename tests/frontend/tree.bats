load ../helpers

# same_tree NAME: the tree of tree/NAME.py is tree/NAME.ast, and reads back to itself.
same_tree() {
    cp "$SRCDIR/tests/frontend/tree/$1.py" .
    tritcc "$1.py" -emit=ast="$1.ast"
    golden "$SRCDIR/tests/frontend/tree/$1.ast" "$1.ast"
    tritcc -x ast "$1.ast" -emit=ast=again
    cmp "$1.ast" again
}

@test "the tree of expressions" { same_tree expressions; }
@test "the tree of statements" { same_tree statements; }

@test "an edited tree is what is compiled" {
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p: "*i32"):\n    tl.store(p, 41)\n' >k.tri
    tritcc k.tri -emit=ast=k.ast
    sed -i 's/(int 7:17-7:19 41)/(int 7:17-7:19 42)/' k.ast
    tritcc -x ast k.ast -emit=ttir=-
    [[ $output == *"arith.constant 42 : i32"* ]]
}

@test "positions in a tree lead to the source inside it" {
    printf 'import triton\n\n\n@triton.jit\ndef k(p: "*i32"):\n    nothing(p)\n' >k.tri
    tritcc k.tri -emit=ast=k.ast
    rm k.tri
    tritcc -1 -x ast k.ast -emit=ttir=-
    [[ $errors == *"k.tri:6:5: error: 'nothing' is not defined"*"6 |     nothing(p)"* ]]
}

@test "a tree that is damaged is rejected where it is" {
    printf '%s\n' 'x = [1]' >k.tri
    tritcc k.tri -emit=ast=k.ast
    damaged() { # SED MESSAGE
        sed "$1" k.ast >d.ast
        tritcc -1 -x ast d.ast -emit=ast=-
        [[ $errors == "d.ast:"*"error: $2 [TRI-2026]"* ]]
    }
    damaged 's/(int/(integer/' "'integer' cannot stand here"
    damaged 's/(int/(pass/' "'pass' cannot stand here"
    damaged 's/:value/:worth/' "'assign' has no field 'worth'"
    damaged 's/1:6-1:7/1:6-9:7/' "the position 9:7 is not in the source"
    damaged 's/1:6-1:7/1:7-1:6/' "the range of 'int' is not in the source"
    damaged 's/ :value (list [^]]*\])//' "'assign' lacks a field"
    damaged '3,$d' "the text ends inside the tree"
    damaged 's/(source/(text/' "expected 'source'"
}

@test "a file of 100,000 lines" {
    yes 'x = f(a[1:2], b + c * 2, k="text") if y else z' | head -100000 >long.py
    tritcc long.py -emit=ast=long.ast
    [ "$(grep -c '^    (assign' long.ast)" = 100000 ]
}

@test "byte order mark, form feed, tabs, continuation and carriage returns" {
    printf '\357\273\277x = 1\r\n\fif x: \\\r\n\ty = 2\r\nz = (1,\n# c\n\n  2)\n' >odd.py
    tritcc odd.py -emit=ast=-
    [[ $output == *'(assign 1:4-1:9'*'(if 2:2-3:7'*'(assign 4:1-7:5'* ]]
}
