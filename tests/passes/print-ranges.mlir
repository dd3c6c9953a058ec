// RUN: tritcc -x ttgir -passes=print-ranges %s 2>&1 >/dev/null | FileCheck %s
// positive: @blocks @loop @branch
// negative: @nothing
// loop: @loop
// if: @branch

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK: print-ranges.mlir:[[#@LINE+12]]:{{.*}}unsigned : [0, 63] signed : [0, 63]
  // CHECK: print-ranges.mlir:[[#@LINE+11]]:{{.*}}non-neg
  // CHECK: print-ranges.mlir:[[#@LINE+11]]:{{.*}}unsigned : [4294967286, 4294967286] signed : [-10, -10]
  // CHECK: print-ranges.mlir:[[#@LINE+11]]:{{.*}}unsigned : [0, 4294967295] signed : [-10, 53]
  // CHECK: print-ranges.mlir:[[#@LINE+11]]:{{.*}}unsigned : [0, 31] signed : [0, 31]
  // CHECK: print-ranges.mlir:[[#@LINE+11]]:{{.*}}unsigned : [0, 630] signed : [0, 630]
  // CHECK: print-ranges.mlir:[[#@LINE+11]]:{{.*}}unsigned : [0, 4294967295] signed : [-2147483648, 2147483647]
  // CHECK: print-ranges.mlir:[[#@LINE+11]]:{{.*}}unsigned : [1, 1] signed : [-1, -1]
  // CHECK: print-ranges.mlir:[[#@LINE+10]]:{{.*}}result is true
  tt.func @blocks(%p: !tt.ptr<f32>) {
    %ten = arith.constant dense<10> : tensor<64xi32>
    %two = arith.constant dense<2> : tensor<64xi32>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m = arith.constant dense<-10> : tensor<64xi32>
    %a = arith.addi %r, %m : tensor<64xi32>
    %b = arith.divsi %r, %two : tensor<64xi32>
    %c = arith.muli %r, %ten : tensor<64xi32>
    %d = arith.remui %r, %r : tensor<64xi32>
    %f = arith.cmpi slt, %m, %r : tensor<64xi32>
    tt.return
  }

  // In the last of eight trips it is seven steps on, behind the loop eight; the program's number times 1024 fits where
  // it is known to be small.
  // CHECK: print-ranges.mlir:[[#@LINE+14]]:{{.*}}unsigned : [0, 130944] signed : [0, 130944]
  // CHECK: print-ranges.mlir:[[#@LINE+15]]:{{.*}}unsigned : [0, 1047552] signed : [0, 1047552]
  // CHECK: print-ranges.mlir:[[#@LINE+14]]:{{.*}}inferred total trip count: 8
  // CHECK: print-ranges.mlir:[[#@LINE+14]]:{{.*}}unsigned : [3, 916611] signed : [3, 916611]
  tt.func @loop(%p: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %n = arith.constant 8 : i32
    %most = arith.constant 1024 : i32
    %size = arith.constant 128 : i32
    %pid = tt.get_program_id x : i32
    %small = arith.cmpi slt, %pid, %most : i32
    llvm.intr.assume %small : i1
    %x = arith.muli %pid, %size : i32
    %s = arith.subi %x, %c1 : i32
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%y = %c0) -> (i32) : i32 {
      %z = arith.addi %y, %c3 : i32
      %w = arith.addi %y, %x : i32
      scf.yield %w : i32
    }
    tt.return
  }

  // CHECK: print-ranges.mlir:[[#@LINE+4]]:{{.*}}unsigned : [1, 5] signed : [1, 5]
  tt.func @branch(%b: i1) {
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %r = scf.if %b -> (i32) {
      scf.yield %c1 : i32
    } else {
      scf.yield %c5 : i32
    }
    tt.return
  }

  tt.func @nothing(%p: !tt.ptr<f32>) {
    %x = tt.load %p : !tt.ptr<f32>
    tt.return
  }
}
