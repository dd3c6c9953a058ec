load ../helpers

@test "every operation and layout prints what it parses" {
    for f in "$SRCDIR"/tests/ir/roundtrip/*.mlir; do
        tritcc -x ttir "$f" -passes= -o one.mlir
        tritcc -x ttir one.mlir -passes= -o two.mlir
        cmp one.mlir two.mlir
    done
}

@test "each rule of tt is enforced" {
    tritcc -x ttir "$SRCDIR/tests/ir/errors/tt.mlir" -passes= -split-input-file -verify-diagnostics
}

@test "each rule of ttg is enforced" {
    tritcc -x ttir "$SRCDIR/tests/ir/errors/ttg.mlir" -passes= -split-input-file -verify-diagnostics
}

@test "each rule of ttng is enforced" {
    tritcc -x ttir "$SRCDIR/tests/ir/errors/ttng.mlir" -passes= -split-input-file -verify-diagnostics
}

@test "each rule of layouts and buffer types is enforced" {
    tritcc -x ttir "$SRCDIR/tests/ir/errors/layouts.mlir" -passes= -split-input-file -verify-diagnostics
}
