// RUN: tritcc -x ttir -passes=align-stores %s | FileCheck %s
// positive: @tile @in_branch
// negative: @masked @known @not_of_product @one_by_one
// loop: @tile
// if: @in_branch
module {
  // CHECK-LABEL: @tile
  // CHECK: [[C:%.+]] = tt.load
  // CHECK: scf.for
  // CHECK: tt.dot
  // CHECK: [[A:%.+]] = tt.ptr_to_int %{{.*}}
  // CHECK: arith.andi [[A]], %c15_i64
  // CHECK: arith.cmpi eq
  // CHECK: arith.andi %arg{{.*}}, %c7_i32
  // CHECK: arith.cmpi eq
  // CHECK: [[OK:%.+]] = arith.andi
  // CHECK-NEXT: scf.if [[OK]] {
  // CHECK: arith.divui {{.*}}, %c16_i64
  // CHECK: arith.muli
  // CHECK: [[P:%.+]] = tt.int_to_ptr
  // CHECK: arith.divui {{.*}}, %c8_i32
  // CHECK: [[N:%.+]] = arith.muli
  // CHECK-DAG: tt.splat [[P]]
  // CHECK-DAG: tt.splat [[N]]
  // CHECK: tt.store
  // CHECK: } else {
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: }
  tt.func public @tile(%list: !tt.ptr<i64>, %x: tensor<64x32xf16>, %y: tensor<32x64xf16>, %n: i32, %k: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %a = tt.load %list : !tt.ptr<i64>
    %c = tt.int_to_ptr %a : i64 -> !tt.ptr<f16>
    %d = scf.for %i = %c0 to %k step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
      %t = tt.dot %x, %y, %s : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %t : tensor<64x64xf32>
    }
    %h = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rr = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %nn = tt.splat %n : i32 -> tensor<64x1xi32>
    %ro = arith.muli %rr, %nn : tensor<64x1xi32>
    %cs = tt.splat %c : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %cr = tt.addptr %cs, %ro : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %rc = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %cb = tt.broadcast %cr : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %rb = tt.broadcast %rc : tensor<1x64xi32> -> tensor<64x64xi32>
    %p = tt.addptr %cb, %rb : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    tt.store %p, %h : tensor<64x64x!tt.ptr<f16>>
    tt.return
  }

  // CHECK-LABEL: @in_branch
  // CHECK: scf.if %arg
  // CHECK: scf.if
  // CHECK: tt.store
  // CHECK: } else {
  // CHECK-NEXT: tt.store
  tt.func public @in_branch(%c: !tt.ptr<f16>, %x: tensor<64x32xf16>, %y: tensor<32x64xf16>, %b: i1) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.if %b {
      %d = tt.dot %x, %y, %zero : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
      %h = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
      %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
      %rc = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %rb = tt.broadcast %rc : tensor<1x64xi32> -> tensor<64x64xi32>
      %cs = tt.splat %c : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
      %p = tt.addptr %cs, %rb : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      tt.store %p, %h : tensor<64x64x!tt.ptr<f16>>
    }
    tt.return
  }

  // Under a mask, of which nobody knows how long it is.
  // CHECK-LABEL: @masked
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func public @masked(%c: !tt.ptr<f16>, %x: tensor<64x32xf16>, %y: tensor<32x64xf16>, %m: tensor<64x64xi1>) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %d = tt.dot %x, %y, %zero : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %h = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rc = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %rb = tt.broadcast %rc : tensor<1x64xi32> -> tensor<64x64xi32>
    %cs = tt.splat %c : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %p = tt.addptr %cs, %rb : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    tt.store %p, %h, %m : tensor<64x64x!tt.ptr<f16>>
    tt.return
  }

  // Aligned as it is.
  // CHECK-LABEL: @known
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func public @known(%c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %x: tensor<64x32xf16>, %y: tensor<32x64xf16>) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %d = tt.dot %x, %y, %zero : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %h = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rc = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %rb = tt.broadcast %rc : tensor<1x64xi32> -> tensor<64x64xi32>
    %cs = tt.splat %c : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %p = tt.addptr %cs, %rb : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    tt.store %p, %h : tensor<64x64x!tt.ptr<f16>>
    tt.return
  }

  // CHECK-LABEL: @not_of_product
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func public @not_of_product(%c: !tt.ptr<f16>, %h: tensor<64x64xf16>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rc = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %rb = tt.broadcast %rc : tensor<1x64xi32> -> tensor<64x64xi32>
    %cs = tt.splat %c : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %p = tt.addptr %cs, %rb : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    tt.store %p, %h : tensor<64x64x!tt.ptr<f16>>
    tt.return
  }

  // Neighbours do not lie side by side.
  // CHECK-LABEL: @one_by_one
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func public @one_by_one(%c: !tt.ptr<f16>, %x: tensor<64x32xf16>, %y: tensor<32x64xf16>, %n: i32) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %d = tt.dot %x, %y, %zero : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %h = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rc = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %nn = tt.splat %n : i32 -> tensor<1x64xi32>
    %ro = arith.muli %rc, %nn : tensor<1x64xi32>
    %rb = tt.broadcast %ro : tensor<1x64xi32> -> tensor<64x64xi32>
    %cs = tt.splat %c : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %p = tt.addptr %cs, %rb : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    tt.store %p, %h : tensor<64x64x!tt.ptr<f16>>
    tt.return
  }
}
