// RUN: tritcc -x ttgir -passes=widen-load-store-encoding %s | FileCheck %s
// RUN: tritcc -x ttgir -passes=widen-load-store-encoding,remove-layout-conversions %s | FileCheck --check-prefix=DONE %s
// RUN: sed 's/ttig.support_256b_load_store, //' %s > %t.mlir && tritcc -x ttgir -passes=widen-load-store-encoding %t.mlir | FileCheck --check-prefix=WITHOUT %s
// positive: @store @load @masked @loop @branch
// negative: @unaligned @wide @short
// loop: @loop
// if: @branch

#four = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#eight = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// WITHOUT-NOT: convert_layout
module attributes {ttig.support_256b_load_store, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-DAG: [[$FOUR:#.+]] = #ttg.blocked<{sizePerThread = [4]
  // CHECK-DAG: [[$EIGHT:#.+]] = #ttg.blocked<{sizePerThread = [8]
  // CHECK-LABEL: @store
  // CHECK-DAG: [[Q:%.+]] = ttg.convert_layout {{%.+}} : tensor<1024x!tt.ptr<f32>, [[$FOUR]]> -> tensor<1024x!tt.ptr<f32>, [[$EIGHT]]>
  // CHECK-DAG: [[W:%.+]] = ttg.convert_layout %arg1 : tensor<1024xf32, [[$FOUR]]> -> tensor<1024xf32, [[$EIGHT]]>
  // CHECK: tt.store [[Q]], [[W]]
  tt.func public @store(%x: !tt.ptr<f32> {tt.divisibility = 32 : i32}, %v: tensor<1024xf32, #four>) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #four>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #four>
    %p = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #four>, tensor<1024xi32, #four>
    tt.store %p, %v : tensor<1024x!tt.ptr<f32>, #four>
    tt.return
  }
  // The address is made in the new layout, and what is loaded converted behind.
  // CHECK-LABEL: @load
  // CHECK: [[V:%.+]] = tt.load {{%.+}} : tensor<1024x!tt.ptr<f32>, [[$EIGHT]]>
  // CHECK-NEXT: [[W:%.+]] = ttg.convert_layout [[V]] : tensor<1024xf32, [[$EIGHT]]> -> tensor<1024xf32, [[$FOUR]]>
  // CHECK-NEXT: tt.return [[W]]
  // DONE-LABEL: @load
  // DONE-COUNT-1: ttg.convert_layout
  // DONE-NOT: ttg.convert_layout
  // DONE-LABEL: @masked
  tt.func public @load(%x: !tt.ptr<f32> {tt.divisibility = 32 : i32}) -> tensor<1024xf32, #four> {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #four>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #four>
    %p = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #four>, tensor<1024xi32, #four>
    %v = tt.load %p : tensor<1024x!tt.ptr<f32>, #four>
    tt.return %v : tensor<1024xf32, #four>
  }
  // CHECK-LABEL: @masked
  // CHECK-COUNT-3: ttg.convert_layout
  // CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, [[$EIGHT]]>
  tt.func public @masked(%x: !tt.ptr<f32> {tt.divisibility = 32 : i32}, %v: tensor<1024xf32, #four>, %m: tensor<1024xi1, #four>) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #four>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #four>
    %p = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #four>, tensor<1024xi32, #four>
    tt.store %p, %v, %m : tensor<1024x!tt.ptr<f32>, #four>
    tt.return
  }
  // CHECK-LABEL: @loop
  // CHECK: scf.for
  // CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, [[$EIGHT]]>
  tt.func public @loop(%x: !tt.ptr<f32> {tt.divisibility = 32 : i32}, %v: tensor<1024xf32, #four>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #four>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #four>
      %p = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #four>, tensor<1024xi32, #four>
      tt.store %p, %v : tensor<1024x!tt.ptr<f32>, #four>
    }
    tt.return
  }
  // CHECK-LABEL: @branch
  // CHECK: scf.if
  // CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, [[$EIGHT]]>
  tt.func public @branch(%x: !tt.ptr<f32> {tt.divisibility = 32 : i32}, %v: tensor<1024xf32, #four>, %c: i1) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #four>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #four>
    %p = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #four>, tensor<1024xi32, #four>
    scf.if %c {
      tt.store %p, %v : tensor<1024x!tt.ptr<f32>, #four>
    }
    tt.return
  }
  // 16 bytes are what is known of the address
  tt.func public @unaligned(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %v: tensor<1024xf32, #four>) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #four>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #four>
    %p = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #four>, tensor<1024xi32, #four>
    tt.store %p, %v : tensor<1024x!tt.ptr<f32>, #four>
    tt.return
  }
  tt.func public @wide(%x: !tt.ptr<f32> {tt.divisibility = 64 : i32}, %v: tensor<1024xf32, #eight>) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #eight>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #eight>
    %p = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #eight>, tensor<1024xi32, #eight>
    tt.store %p, %v : tensor<1024x!tt.ptr<f32>, #eight>
    tt.return
  }
  // half of the lanes would store what the others do
  tt.func public @short(%x: !tt.ptr<f32> {tt.divisibility = 32 : i32}, %v: tensor<512xf32, #four>) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #four>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #four>
    %p = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #four>, tensor<512xi32, #four>
    tt.store %p, %v : tensor<512x!tt.ptr<f32>, #four>
    tt.return
  }
}
