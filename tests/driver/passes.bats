load ../helpers

@test "-passes runs exactly these passes on ttir, and prints the module" {
    cat >k.ttir <<'K'
module {
  tt.func public @f(%a: i32) -> i32 {
    %0 = arith.constant 1 : i32
    %1 = arith.addi %a, %0 : i32
    %2 = arith.constant 1 : i32
    %3 = arith.addi %a, %2 : i32
    %4 = arith.muli %1, %3 : i32
    tt.return %4 : i32
  }
}
K
    tritcc k.ttir -passes=
    [ "$(grep -c arith.addi .out)" -eq 2 ]
    tritcc k.ttir -passes=cse -o out.ttir
    [ "$(grep -c arith.addi out.ttir)" -eq 1 ]
    tritcc k.ttir -passes=cse -print-before=cse -print-after=all -verify-each
    [[ $errors == *"// ----- before cse -----"*"// ----- after cse -----"* ]]
    tritcc k.ttir -passes=cse,cse -print-changed
    [ "$(grep -c 'after cse' .err)" -eq 1 ]
}

@test "-passes takes source too" {
    tritcc "$EXAMPLES/vadd/vadd.tri" -sig '*fp32, *fp32, *fp32, i32, 64' -passes=canonicalize
    [[ $output == *"tt.load"* ]]
}

@test "-split-input-file takes each module for itself and keeps line numbers" {
    cat >k.ttir <<'K'
module {
}
// -----
module {
  tt.func public @f(%a: i32) {
    tt.return %b : i32
  }
}
K
    tritcc -1 k.ttir -passes= -split-input-file
    [[ $errors == *"k.ttir:6:15: error:"* ]]
    sed -i 's/ %b : i32//' k.ttir
    tritcc k.ttir -passes= -split-input-file
    [[ $output == *"module"*"// -----"*"@f"* ]]
}

@test "malformed IR is told with its place" {
    printf 'module {\n  tt.nothing\n}\n' >k.ttir
    tritcc -1 k.ttir -emit=ttgir
    [[ $errors == *"k.ttir:2:"*"error:"* ]]
    printf 'define void @f( {\n' >k.ll
    tritcc -1 k.ll -arch=sm_80 -emit=ptx
    [[ $errors == *"k.ll:"*"error:"* ]]
    [ ! -e k.ptx ]
}

@test "malformed SPIR-V is told" {
    printf 'abc' >k.spv
    tritcc -1 k.spv -emit=spvasm
    [[ $errors == *"4-byte words, this one has 3 bytes"* ]]
    printf 'OpNothing\n' >k.spvasm
    tritcc -1 k.spvasm -emit=spirv
    [[ $errors == *"k.spvasm:1:"*"error:"* ]]
}

@test "-verify-diagnostics wants what the comments say, no more and no less" {
    cat >k.ttir <<'K'
module {
  tt.func public @f() {
    // expected-error@+1 {{use of undeclared}}
    tt.return %b : i32
  }
}
// -----
module {
}
K
    tritcc k.ttir -passes= -split-input-file -verify-diagnostics
    sed -i 's/@+1/@+2/' k.ttir
    tritcc -1 k.ttir -passes= -split-input-file -verify-diagnostics
    [[ $errors == *"expected error was not reported"*"unexpected error: "* ]]
}
