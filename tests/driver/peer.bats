# The scripts that measure tritcc beside others count right.
load ../helpers

# counts RUN: what lit.sh counts of a part that expects one diagnostic, which nothing reports, and one line of text.
counts()
{
    command -v "$FILECHECK" >/dev/null || skip "no $FILECHECK"
    printf '// RUN: triton-opt %%s %s\n' "$1" >part.mlir
    cat >>part.mlir <<'END'
tt.func public @f(%a: i32) {
  // expected-remark @+1 {{is seen}}
  %b = arith.addi %a, %a : i32
  // CHECK: is not there
  tt.return
}
END
    TRITCC=$TRITCC FILECHECK=$FILECHECK "$SRCDIR/tests/peer/lit.sh" part.mlir | tail -n 1 | sed 's/.*checks *\([0-9/]*\).*/\1/'
}

@test "lit.sh does not find diagnostics where the tool stops at an unknown pass" {
    [ "$(counts '--no-such-pass --verify-diagnostics')" = 0/1 ]
    [ "$(counts '--no-such-pass --verify-diagnostics 2>&1 | FileCheck %s')" = 0/2 ]
}

@test "lit.sh counts the lines of a prefix that stands behind its option" {
    [ "$(counts '--canonicalize 2>&1 | FileCheck %s --check-prefix CHECK-NOT-IN-THE-PART')" = 0/0 ]
    [ "$(counts '--canonicalize 2>&1 | FileCheck %s --check-prefix CHECK')" = 0/1 ]
}

@test "lit.sh does not find diagnostics that FileCheck swallows" {
    [ "$(counts '--canonicalize --verify-diagnostics 2>&1 | FileCheck %s')" = 0/2 ]
}
