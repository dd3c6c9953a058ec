// RUN: tritcc -x ttgir '-passes=tma-lowering,canonicalize,cse,host-tensormaps' %s | FileCheck %s
// positive: @arguments @head @computed @repeated @partition @looped
// negative: @read @before @squared @full @falling @moving
// loop: @looped @moving

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked5 = #ttg.blocked<{sizePerThread = [1, 1, 1, 1, 8], threadsPerWarp = [1, 1, 1, 4, 8], warpsPerCTA = [1, 1, 1, 4, 1], order = [4, 3, 2, 1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared5 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 5}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Everything is an argument; the kernel writes the map where the launcher could not.
  // CHECK-LABEL: @arguments
  // CHECK-SAME: tritcc.maps = "$0 6 2 3 0; 0 ; 64 , 128 ; $2:32 , $1:32 ; $3:64 2 *"
  // CHECK-SAME: tritcc.maps-for-scratch
  // CHECK: [[ROOM:%.+]] = ttg.global_scratch_alloc
  // CHECK: [[GIVEN:%.+]] = ttng.tensormaps_given
  // CHECK: [[OWN:%.+]] = arith.xori [[GIVEN]], %true
  // CHECK: scf.if [[OWN]] {
  // CHECK-NEXT: ttng.tensormap_create [[ROOM]], %arg0, [%c64_i32, %c128_i32], [%arg2, %arg1],
  // CHECK-NEXT: ttng.tensormap_fenceproxy_acquire [[ROOM]]
  // CHECK-NEXT: }
  // CHECK: ttng.reinterpret_tensor_descriptor [[ROOM]] {tritcc.map = 0 : i32} {{.*}} to !tt.tensordesc<128x64xf16
  tt.func public @arguments(%p: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64) -> tensor<128x64xf16, #blocked> {
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : <f16>, <128x64xf16, #shared>
    %v = tt.descriptor_load %d[%m, %n] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
    tt.return %v : tensor<128x64xf16, #blocked>
  }
  // What the program's number multiplies is the stride of a dimension that only the launcher's map has.
  // CHECK-LABEL: @head
  // CHECK-SAME: tritcc.maps = "$0 6 2 3 0; 64 $1:32 * ; 64 , 128 , 1 ; 64 , $1:32 , 2147483647 ; 128 , 64 $1:32 * 2 *"
  // CHECK: [[HEAD:%.+]] = tt.get_program_id y
  // CHECK: [[GIVEN:%.+]] = ttng.tensormaps_given
  // CHECK: [[AT:%.+]] = arith.select [[GIVEN]], [[HEAD]], %{{.*}}
  // CHECK: ttng.tensormap_create {{.*}}, [%c64_i32, %c128_i32, [[ONE:%.+]]], [%c64_i32, %arg1, [[ONE]]], [%c128_i64, %c16_i64], [%c1_i32, %c1_i32, [[ONE]]]
  // CHECK: [[D:%.+]] = ttng.reinterpret_tensor_descriptor {{.*}} to !tt.tensordesc<1x128x64xf16
  // CHECK: ttng.async_tma_copy_global_to_local [[D]]{{\[}}[[AT]], %arg1, %{{.*}}]
  // CHECK: ttng.async_tma_copy_local_to_global [[D]]{{\[}}[[AT]], %arg1, %{{.*}}]
  tt.func public @head(%p: !tt.ptr<f16>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %one = arith.constant 1 : i64
    %row = arith.constant 64 : i64
    %head = tt.get_program_id y : i32
    %size = arith.muli %n, %c64 : i32
    %begin = arith.muli %head, %size : i32
    %q = tt.addptr %p, %begin : !tt.ptr<f16>, i32
    %r = tt.addptr %q, %size : !tt.ptr<f16>, i32
    %d = tt.make_tensor_descriptor %r, [%n, %c64], [%row, %one] : <f16>, <128x64xf16, #shared>
    %v = tt.descriptor_load %d[%n, %c0] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
    tt.descriptor_store %d[%n, %c0], %v : !tt.tensordesc<128x64xf16, #shared>, tensor<128x64xf16, #blocked>
    tt.return
  }
  // Numbers are checked where the kernel's arithmetic is narrower than the launcher's, or knows no sign.
  // CHECK-LABEL: @computed
  // CHECK-SAME: ; $2:32 natural 3 natural // , $1:32 $2:32 * int32 1 max ; $2:32 natural 2 *"
  tt.func public @computed(%p: !tt.ptr<f16>, %m: i32, %n: i32) -> tensor<128x64xf16, #blocked> {
    %one = arith.constant 1 : i64
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %product = arith.muli %m, %n : i32
    %rows = arith.maxsi %product, %c1 : i32
    %columns = arith.divsi %n, %c3 : i32
    %stride = arith.extui %n : i32 to i64
    %d = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %one] : <f16>, <128x64xf16, #shared>
    %v = tt.descriptor_load %d[%m, %n] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
    tt.return %v : tensor<128x64xf16, #blocked>
  }
  // Two that are alike are one.
  // CHECK-LABEL: @repeated
  // CHECK-SAME: tritcc.maps = "$0 {{[^|"]*}}"
  // CHECK-COUNT-2: tritcc.map = 0 : i32
  tt.func public @repeated(%p: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %c: i1) -> tensor<128x64xf16, #blocked> {
    %one = arith.constant 1 : i64
    %r = scf.if %c -> tensor<128x64xf16, #blocked> {
      %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : <f16>, <128x64xf16, #shared>
      %v = tt.descriptor_load %d[%m, %n] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
      scf.yield %v : tensor<128x64xf16, #blocked>
    } else {
      %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : <f16>, <128x64xf16, #shared>
      %v = tt.descriptor_load %d[%n, %m] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
      scf.yield %v : tensor<128x64xf16, #blocked>
    }
    tt.return %r : tensor<128x64xf16, #blocked>
  }
  // A partition's arguments are what it takes from outside.
  // CHECK-LABEL: @partition
  // CHECK-SAME: tritcc.maps = "$0 6 2 3 0; 0 ; 64 , 128 , 1 ; 64 , $1:32 , 2147483647 ; 128 , $1:32 2 *"
  // CHECK: partition0
  // CHECK: tt.get_program_id x
  // CHECK: ttng.tensormaps_given
  tt.func public @partition(%p: !tt.ptr<f16>, %n: i32) {
    ttg.warp_specialize(%p, %n)
    default {
      ttg.warp_yield
    }
    partition0(%q: !tt.ptr<f16>, %rows: i32) num_warps(4) {
      %c0 = arith.constant 0 : i32
      %c64 = arith.constant 64 : i32
      %one = arith.constant 1 : i64
      %row = arith.constant 64 : i64
      %id = tt.get_program_id x : i32
      %begin = arith.muli %id, %rows : i32
      %r = tt.addptr %q, %begin : !tt.ptr<f16>, i32
      %d = tt.make_tensor_descriptor %r, [%rows, %c64], [%row, %one] : <f16>, <128x64xf16, #shared>
      %v = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
      tt.descriptor_store %d[%c64, %c0], %v : !tt.tensordesc<128x64xf16, #shared>, tensor<128x64xf16, #blocked>
      ttg.warp_return
    } : (!tt.ptr<f16>, i32) -> ()
    tt.return
  }
  // CHECK-LABEL: @looped
  // CHECK: ttng.tensormaps_given
  // CHECK: scf.for
  // CHECK: ttng.async_tma_copy_global_to_local
  tt.func public @looped(%p: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %o: tensor<128x64x!tt.ptr<f16>, #blocked>) {
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : <f16>, <128x64xf16, #shared>
    scf.for %i = %n to %m step %n : i32 {
      %v = tt.descriptor_load %d[%i, %n] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
      tt.store %o, %v : tensor<128x64x!tt.ptr<f16>, #blocked>
    }
    tt.return
  }
  // A base that is read; one that begins in front of the tensor; numbers of the program that multiply each other; no
  // dimension left; a size that changes.
  // CHECK-LABEL: @read
  // CHECK-NOT: ttng.tensormaps_given
  tt.func public @read(%p: !tt.ptr<f16>, %at: !tt.ptr<i32>, %n: i32, %s: i64) -> tensor<128x64xf16, #blocked> {
    %one = arith.constant 1 : i64
    %begin = tt.load %at : !tt.ptr<i32>
    %q = tt.addptr %p, %begin : !tt.ptr<f16>, i32
    %d = tt.make_tensor_descriptor %q, [%n, %n], [%s, %one] : <f16>, <128x64xf16, #shared>
    %v = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
    tt.return %v : tensor<128x64xf16, #blocked>
  }
  // CHECK-LABEL: @before
  tt.func public @before(%p: !tt.ptr<f16>, %n: i32, %s: i64) -> tensor<128x64xf16, #blocked> {
    %one = arith.constant 1 : i64
    %id = tt.get_program_id x : i32
    %some = arith.xori %id, %n : i32
    %begin = arith.muli %some, %n : i32
    %q = tt.addptr %p, %begin : !tt.ptr<f16>, i32
    %d = tt.make_tensor_descriptor %q, [%n, %n], [%s, %one] : <f16>, <128x64xf16, #shared>
    %v = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
    tt.return %v : tensor<128x64xf16, #blocked>
  }
  // CHECK-LABEL: @squared
  tt.func public @squared(%p: !tt.ptr<f16>, %n: i32, %s: i64) -> tensor<128x64xf16, #blocked> {
    %one = arith.constant 1 : i64
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %both = arith.muli %x, %y : i32
    %begin = arith.muli %both, %n : i32
    %q = tt.addptr %p, %begin : !tt.ptr<f16>, i32
    %d = tt.make_tensor_descriptor %q, [%n, %n], [%s, %one] : <f16>, <128x64xf16, #shared>
    %v = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
    tt.return %v : tensor<128x64xf16, #blocked>
  }
  // CHECK-LABEL: @full
  tt.func public @full(%p: !tt.ptr<f16>, %n: i32, %s: i64) -> tensor<1x1x1x128x64xf16, #blocked5> {
    %one = arith.constant 1 : i64
    %x = tt.get_program_id x : i32
    %begin = arith.muli %x, %n : i32
    %q = tt.addptr %p, %begin : !tt.ptr<f16>, i32
    %d = tt.make_tensor_descriptor %q, [%n, %n, %n, %n, %n], [%s, %s, %s, %s, %one] : <f16>, <1x1x1x128x64xf16, #shared5>
    %v = tt.descriptor_load %d[%n, %n, %n, %n, %n] : !tt.tensordesc<1x1x1x128x64xf16, #shared5> -> tensor<1x1x1x128x64xf16, #blocked5>
    tt.return %v : tensor<1x1x1x128x64xf16, #blocked5>
  }
  // A dimension with a negative stride would keep the launcher from making any map.
  // CHECK-LABEL: @falling
  // CHECK-NOT: ttng.tensormaps_given
  tt.func public @falling(%p: !tt.ptr<f16>, %n: i32, %s: i64) -> tensor<128x64xf16, #blocked> {
    %one = arith.constant 1 : i64
    %down = arith.constant -64 : i32
    %x = tt.get_program_id x : i32
    %begin = arith.muli %x, %down : i32
    %q = tt.addptr %p, %begin : !tt.ptr<f16>, i32
    %d = tt.make_tensor_descriptor %q, [%n, %n], [%s, %one] : <f16>, <128x64xf16, #shared>
    %v = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
    tt.return %v : tensor<128x64xf16, #blocked>
  }
  // CHECK-LABEL: @moving
  // CHECK-NOT: ttng.tensormaps_given
  tt.func public @moving(%p: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %o: tensor<128x64x!tt.ptr<f16>, #blocked>) {
    %one = arith.constant 1 : i64
    scf.for %i = %n to %m step %n : i32 {
      %d = tt.make_tensor_descriptor %p, [%i, %n], [%s, %one] : <f16>, <128x64xf16, #shared>
      %v = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
      tt.store %o, %v : tensor<128x64x!tt.ptr<f16>, #blocked>
    }
    tt.return
  }
}
