load ../helpers

module() {
    cat >k.mlir <<'K'
tt.func public @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %0 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %1 = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %2 = tt.addptr %1, %0 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %3 = tt.load %2 : tensor<1024x!tt.ptr<f32>>
  %4 = tt.addptr %1, %0 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %4, %3 : tensor<1024x!tt.ptr<f32>>
  tt.return
}
K
}

@test "passes are options, run in their order, and the module is printed" {
    module
    tritcc k.mlir --convert-triton-to-tritongpu='target=cuda:90 num-warps=2' -tritongpu-coalesce -tritongpu-remove-layout-conversions --cse
    cat >want <<'K'
// CHECK: sizePerThread = [4]
// CHECK-SAME: warpsPerCTA = [2]
// CHECK: "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90"
// CHECK: tt.addptr
// CHECK-NOT: tt.addptr
// CHECK-NOT: convert_layout
K
    check want
    tritcc k.mlir -convert-triton-to-tritongpu='target=cuda:90 num-warps=2' -coalesce -passes=remove-layout-conversions,cse -o out.mlir
    [ -z "$output" ]
    check want CHECK out.mlir
    tritcc -pass-pipeline='builtin.module(convert-triton-to-tritongpu{target=cuda:90 num-warps=2},tritongpu-coalesce,any(tt.func(tritongpu-remove-layout-conversions,cse)))' k.mlir
    check want
    # the other way round, what coalesce inserts is left
    tritcc k.mlir -convert-triton-to-tritongpu='target=cuda:90 num-warps=2' -remove-layout-conversions -coalesce
    [[ $output == *'ttg.convert_layout'* ]]
}

@test "every name of a pass is an option, with one dash or two" {
    echo 'module {}' >empty.mlir
    "$TRITCC" --list-passes | sed -nE 's/^([a-z][^ ]*) .*/\1/p; s/^ *\(upstream: (.*)\)$/\1/p' | tr ',' '\n' >names
    [ "$(wc -l <names)" -gt 60 ]
    grep -qx 'tritongpu-F32DotTC' names
    # all in one run, each of which is announced
    tritcc empty.mlir "-passes=$(paste -sd, names)" -print-after=all
    [ "$(grep -c '^// ----- after ' .err)" = "$(wc -l <names)" ]
    mv .out want && mv .err order
    # shellcheck disable=SC2046 # words
    tritcc empty.mlir $(sed 's/^/-/' names) -print-after=all
    cmp .out want && cmp .err order
    # shellcheck disable=SC2046
    tritcc $(sed 's/.*/--&=/' names) -print-after=all empty.mlir
    cmp .out want && cmp .err order
}

@test "a mistyped pass is shown the nearest, whichever name it was meant by" {
    tritcc -2 -tritongpu-coalsce k.mlir
    [[ $errors == *"unknown option '-tritongpu-coalsce'; did you mean '-tritongpu-coalesce'?"* ]]
    tritcc -2 --remove-layout-conversion=x k.mlir
    [[ $errors == *"did you mean '-remove-layout-conversions'?"* ]]
    tritcc -2 -passes=tritongpu-prefech k.mlir
    [[ $errors == *"did you mean 'tritongpu-prefetch'?"* ]]
    tritcc -2 -convert-triton-to-tritongpu=num-warp=4 k.mlir
    [[ $errors == *"has no option 'num-warp'; did you mean 'num-warps'?"* ]]
    tritcc -2 -canonicalize=region-simplify=maybe k.mlir
    [[ $errors == *"'region-simplify' is one of disabled|normal|aggressive, not 'maybe'"* ]]
    tritcc -2 '-cse=a}' k.mlir
    [[ $errors == *"have a '}'"* ]]
}

@test "a pass as an option does not go with other outputs" {
    tritcc -2 -tritongpu-coalesce -c k.mlir
    [[ $errors == *"-tritongpu-coalesce prints the module; it does not go with"* ]]
    tritcc -2 -cse
    [[ $errors == *"no input file"* ]]
}

@test "parentheses of a pipeline must match" {
    module
    tritcc -2 -pass-pipeline='builtin.module(cse' k.mlir
    [[ $errors == *"<passes>:1:19: error: expected ')'"* ]]
    tritcc -2 -pass-pipeline='cse)' k.mlir
    [[ $errors == *"<passes>:1:4: error: expected the name of a pass"* ]]
    tritcc -2 -pass-pipeline='(cse)' k.mlir
    [[ $errors == *"<passes>:1:1: error: expected the name of a pass"* ]]
}

@test "canonicalize and inline take MLIR's options" {
    cat >k.mlir <<'K'
tt.func public @f(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = arith.muli %x, %zero : i32
  tt.return %0 : i32
}
tt.func private @g(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  tt.return %0 : i32
}
tt.func public @h(%x: i32) -> i32 {
  %0 = tt.call @g(%x) : (i32) -> i32
  %1 = tt.call @g(%0) : (i32) -> i32
  tt.return %1 : i32
}
K
    tritcc k.mlir -canonicalize
    [[ $output != *arith.muli* ]]
    tritcc k.mlir -canonicalize='max-num-rewrites=0 region-simplify=disabled'
    [[ $output == *arith.muli* ]]
    tritcc k.mlir -inline
    [[ $output != *tt.call* ]]
    tritcc k.mlir -inline=inlining-threshold=0
    [[ $output == *tt.call* ]]
    tritcc -1 k.mlir -canonicalize='max-iterations=1 test-convergence'
    [[ $errors == *"canonicalize is not done after its last round"* ]]
}

@test "called as ...-opt it prints a module that no pass touched" {
    module
    ln -s "$TRITCC" triton-opt
    ./triton-opt k.mlir >.out
    [ "$(grep -c tt.addptr .out)" -eq 2 ]
    ./triton-opt <k.mlir >piped
    cmp .out piped
    ./triton-opt -cse - -o - <k.mlir >.out
    [ "$(grep -c tt.addptr .out)" -eq 1 ]
    ! ./triton-opt -c k.mlir 2>.err || false
    grep -q "opt mode prints the module" .err
}

@test "standard input is IR in opt mode" {
    module
    tritcc -cse - <k.mlir
    [ "$(grep -c tt.addptr .out)" -eq 1 ]
}

@test "modules are split and joined at the lines that the options name" {
    printf 'module @a {}\n//// NEXT\nmodule @b {}\n// -----\nmodule @c {}\n' >k.mlir
    tritcc -split-input-file k.mlir
    [ "$(grep -c '^// -----$' .out)" -eq 1 ]
    printf 'module @a {}\n//// NEXT\nmodule @b {}\n' >k.mlir
    tritcc -split-input-file='//// NEXT' -output-split-marker='//// THEN' k.mlir
    [[ $output == *"@a"*"//// THEN"*"@b"* ]]
    printf 'module @a {}\n// -----\nmodule @b {}\n' >k.mlir
    tritcc --split-input-file -cse k.mlir
    [[ $output == *"@a"*"// -----"*"@b"* ]]
}

@test "expected diagnostics: places, blanks, patterns, several on a line" {
    cat >k.mlir <<'K'
// expected-error @below {{use of undeclared SSA value name}}
tt.func @a() -> i32 { tt.return %x : i32 }
// -----
tt.func @a() -> i32 { tt.return %x : i32 }
// expected-error@above {{undeclared}}
// -----
// expected-error-re @+1 {{use of {{un[a-z]+}} SSA (value|values)}} expected-note@+1 {{never}}
tt.func @a() -> i32 { tt.return %x : i32 }
// -----
// expected-error-re @+2 {{use of {{un[a-z]+}} SSA {{.*}} name}}
// expected-error @below {{not this one}}
tt.func @a() -> i32 { tt.return %x : i32 } // expected-error {{nor this}}
K
    tritcc -1 k.mlir -split-input-file -verify-diagnostics
    [ "$(grep -c 'was not reported' .err)" -eq 4 ]
    [ "$(grep -c 'unexpected error' .err)" -eq 1 ]
    [[ $errors == *"k.mlir:7:"*"expected error was not reported"* && $errors == *"k.mlir:11:"* && $errors == *"k.mlir:12:"* ]]
    sed -i 's/ (value|values)}} expected-note@+1 {{never}}/}}/; /not this one/d; s/ @+2/@+1/; s,// expected-error {{nor.*,,' k.mlir
    tritcc k.mlir -split-input-file -verify-diagnostics
    [ -z "$errors" ]
    sed -i '/above/d' k.mlir
    tritcc -1 k.mlir -split-input-file -verify-diagnostics
    tritcc k.mlir -split-input-file -verify-diagnostics=only-expected
    tritcc -2 k.mlir -split-input-file -verify-diagnostics=none
    [[ $errors == *"is not all or only-expected"* ]]
    echo '// expected-error-re {{ {{(}} }}' >k.mlir
    echo 'tt.func @a() -> i32 { tt.return %x : i32 } // expected-error-re {{ {{(}} }}' >k.mlir
    tritcc -1 k.mlir -verify-diagnostics
    [[ $errors == *"malformed regular expression"* ]]
}

@test "what is right is printed beside the diagnostics that were expected" {
    printf '// expected-error@+1 {{undeclared}}\ntt.func @a() -> i32 { tt.return %%x : i32 }\n// -----\nmodule @good {}\n' >k.mlir
    tritcc k.mlir -split-input-file -verify-diagnostics
    [[ $output == *"@good"* ]]
}

@test "MLIR's ways to print a module" {
    cat >k.mlir <<'K'
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() -> tensor<4xi32, #l> {
    %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32, #l> loc("k.py":7:3)
    tt.return %0 : tensor<4xi32, #l>
  }
}
K
    tritcc k.mlir -passes=
    [[ $output == *"tensor<4xi32, #blocked>"* && $output != *"k.py"* ]]
    tritcc k.mlir -passes= -mlir-print-local-scope
    [[ $output == *"tensor<4xi32, #ttg.blocked<{"* && $output != "#blocked ="* ]]
    tritcc k.mlir -passes= --mlir-print-op-generic
    [[ $output == *'"builtin.module"()'*'"tt.func"() <{'* ]]
    tritcc -passes= -mlir-print-op-generic -mlir-print-local-scope k.mlir -o generic.mlir
    tritcc -passes= generic.mlir -o back.mlir
    tritcc -passes= k.mlir
    cmp .out back.mlir
    tritcc k.mlir -passes= -mlir-print-debuginfo
    [[ $output == *'loc("k.py":7:3)'* ]]
    tritcc k.mlir -passes= -mlir-pretty-debuginfo
    [[ $output == *'k.py:7:3'* ]]
    tritcc k.mlir -passes= -mlir-elide-elementsattrs-if-larger=2
    [[ $output == *"dense_resource<__elided__>"* ]]
    tritcc k.mlir -cse -mlir-print-ir-before-all -mlir-print-ir-after-all -mlir-print-local-scope -mlir-disable-threading
    [[ $errors == *"// ----- before cse -----"*"#ttg.blocked<"*"// ----- after cse -----"* && $errors != *"#blocked"* ]]
    tritcc k.mlir -cse -canonicalize --mlir-print-ir-before=cse --mlir-print-ir-after=canonicalize -mlir-print-ir-module-scope -mlir-use-nameloc-as-prefix
    [[ $errors == *"// ----- before cse -----"*"// ----- after canonicalize -----"* && $errors != *"after cse"* ]]
    tritcc k.mlir -canonicalize -mlir-print-ir-after-change -mlir-timing
    [[ $errors != *"// ----- after"* && $errors == *canonicalize* ]]
}

@test "-verify-each is on, or off" {
    module
    tritcc k.mlir -cse -verify-each
    tritcc k.mlir -cse -verify-each=0
    tritcc -2 k.mlir -cse -verify-each=perhaps
    [[ $errors == *"'-verify-each=perhaps' is not true or false"* ]]
}

@test "completion offers passes" {
    tritcc --print-option-table=bash
    [[ $output == *" -tritongpu-coalesce "* && $output == *" -canonicalize "* ]]
    tritcc --print-option-table=zsh
    [[ $output == *"'*-tritongpu-coalesce[run this pass]'"* ]]
}

# Those of triton-shared (structured-to-memref ... reconcile-ptr-casts) and triton-ascend (triton-to-unstructure ...).
@test "passes to linalg have the names that others know, one by one and in their order" {
    local pass from=$SRCDIR/tests/passes/branching.ttir
    for pass in triton-to-linalg triton-to-linalg-experimental triton-to-structured triton-to-unstructured triton-to-unstructure \
        unstructured-to-memref discrete-mask-access-conversion triton-arith-to-linalg arith-to-linalg lift-cf-to-scf \
        structured-to-memref triton-to-ptr triton-ptr-to-memref reconcile-ptr-casts; do
        if [ "$pass" = structured-to-memref ]; then # what is behind all others
            tritcc -lift-cf-to-scf -triton-to-structured -triton-to-unstructured -triton-arith-to-linalg "$from" -o before.mlir
            from=before.mlir
        fi
        tritcc "-$pass" "$from" -o "$pass.mlir"
        tritcc "--$pass" "$from" -o again.mlir
        cmp "$pass.mlir" again.mlir
    done
    grep 'func.func @branching' triton-ptr-to-memref.mlir
    grep 'memref.copy' triton-to-structured.mlir
    grep 'memref.load' unstructured-to-memref.mlir
    grep 'linalg.fill' arith-to-linalg.mlir
    grep 'scf.while' lift-cf-to-scf.mlir
    tritcc --lift-cf-to-scf --triton-to-structured --canonicalize --triton-to-unstructured --triton-arith-to-linalg --structured-to-memref \
        --unstructured-to-memref --triton-ptr-to-memref --reconcile-ptr-casts --canonicalize --cse "$SRCDIR/tests/passes/branching.ttir" -o steps.mlir
    grep 'func.func @branching(%arg0: memref<?xf32>' steps.mlir
    ! grep -E '[^a-z_]tt\.|!tt\.' steps.mlir || false
    tritcc --triton-to-linalg --canonicalize --cse "$SRCDIR/tests/passes/branching.ttir" -o whole.mlir
    for op in memref.copy materialize_in_destination scf.while; do
        [ "$(grep -c "$op" steps.mlir)" = "$(grep -c "$op" whole.mlir)" ]
    done
}
