// RUN: tritcc -x ttgir -passes=fold-true-cmpi %s | FileCheck %s
// positive: @always @never @loop @branch
// negative: @unknown @assumption
// loop: @loop
// if: @branch

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @always
  // CHECK: [[T:%.+]] = arith.constant true
  // CHECK: tt.return [[T]]
  tt.func public @always(%n: i32) -> i1 {
    %c0 = arith.constant 0 : i32
    %positive = arith.cmpi sgt, %n, %c0 : i32
    llvm.intr.assume %positive : i1
    %c = arith.cmpi sge, %n, %c0 : i32
    tt.return %c : i1
  }

  // CHECK-LABEL: @never
  // CHECK: arith.constant dense<false> : tensor<64xi1
  tt.func public @never() -> tensor<64xi1> {
    %c = arith.constant dense<64> : tensor<64xi32>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m = arith.cmpi uge, %r, %c : tensor<64xi32>
    tt.return %m : tensor<64xi1>
  }

  // CHECK-LABEL: @loop
  // CHECK: scf.for
  // CHECK-NEXT: [[T:%.+]] = arith.constant true
  // CHECK-NEXT: scf.if [[T]]
  tt.func public @loop(%p: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %n = arith.constant 8 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %m = arith.cmpi slt, %i, %n : i32
      scf.if %m {
        tt.store %p, %i : !tt.ptr<i32>
      }
    }
    tt.return
  }

  // What is assumed in one branch says nothing of the other.
  // CHECK-LABEL: @branch
  // CHECK: scf.if
  // CHECK: arith.constant true
  // CHECK: else
  // CHECK: arith.cmpi sge
  tt.func public @branch(%n: i32, %b: i1) -> i1 {
    %c0 = arith.constant 0 : i32
    %r = scf.if %b -> (i1) {
      %positive = arith.cmpi sgt, %n, %c0 : i32
      llvm.intr.assume %positive : i1
      %c = arith.cmpi sge, %n, %c0 : i32
      scf.yield %c : i1
    } else {
      %c = arith.cmpi sge, %n, %c0 : i32
      scf.yield %c : i1
    }
    tt.return %r : i1
  }

  // n - 1 may wrap
  // CHECK-LABEL: @unknown
  // CHECK: arith.cmpi slt
  tt.func public @unknown(%n: i32) -> i1 {
    %c1 = arith.constant 1 : i32
    %less = arith.subi %n, %c1 : i32
    %m = arith.cmpi slt, %less, %n : i32
    tt.return %m : i1
  }

  // CHECK-LABEL: @assumption
  // CHECK: [[P:%.+]] = arith.cmpi sge
  // CHECK-NEXT: llvm.intr.assume [[P]]
  tt.func public @assumption() {
    %c0 = arith.constant 0 : i32
    %pid = tt.get_program_id x : i32
    %positive = arith.cmpi sge, %pid, %c0 : i32
    llvm.intr.assume %positive : i1
    tt.return
  }
}
