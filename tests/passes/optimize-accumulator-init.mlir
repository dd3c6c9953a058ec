// RUN: tritcc -x ttgir -passes=optimize-accumulator-init %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=optimize-accumulator-init{conditional=1}' %s | FileCheck %s --check-prefix=FEW
// positive: @behind @front @given @first @constant
// negative: @read @vector @promoted
// loop: @behind @front @given @first @read @vector @promoted
// if: @behind @front @given

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#m8 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#a8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#b8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!x = !ttg.memdesc<64x64xf16, #a, #smem>
!y = !ttg.memdesc<64x64xf8E4M3FN, #a8, #smem>
!z = !ttg.memdesc<64x64xf8E4M3FN, #b8, #smem>
!f = tensor<64x64xf32, #mma>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Zeros for the next iteration; nobody reads the sums behind the loop.
  // CHECK-LABEL: @behind
  // CHECK: scf.for {{.*}} iter_args([[ACC:%.+]] = %cst{{.*}}, [[USE:%.+]] = %false
  // CHECK: [[D:%.+]] = ttng.warp_group_dot %arg0, %arg0, [[ACC]], [[USE]]
  // CHECK: [[NEXT:%.+]] = arith.select [[LAST:%.+]], %false{{.*}}, %true
  // CHECK: scf.if [[LAST]]
  // CHECK: scf.yield [[D]], [[NEXT]]
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.return
  // FEW-LABEL: @behind
  // FEW: ttng.warp_group_dot %arg0, %arg0, %{{.+}}, %{{.+}} :
  tt.func @behind(%x: !x, %n: i32, %p: tensor<64x64x!tt.ptr<f32>, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : !f
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!f) : i32 {
      %d = ttng.warp_group_dot %x, %x, %acc : !x * !x -> !f
      %last = arith.cmpi eq, %i, %c1 : i32
      %s = arith.select %last, %zero, %d : !f
      scf.if %last {
        tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #mma>
      }
      scf.yield %s : !f
    }
    tt.return
  }

  // Zeros in front of the product, by a conditional.
  // CHECK-LABEL: @front
  // CHECK: scf.for {{.*}} iter_args([[ACC:%.+]] = %arg2, [[USE:%.+]] = %true
  // CHECK: [[NOW:%.+]] = arith.select [[NEW:%.+]], %false{{.*}}, [[USE]]
  // CHECK: [[S:%.+]] = scf.if [[NEW]]
  // CHECK-NEXT: scf.yield [[ACC]]
  // CHECK: ttng.warp_group_dot %arg0, %arg0, [[S]], [[NOW]]
  tt.func @front(%x: !x, %n: i32, %first: !f) -> !f {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : !f
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %first) -> (!f) : i32 {
      %new = arith.cmpi eq, %i, %c1 : i32
      %s = scf.if %new -> !f {
        scf.yield %zero : !f
      } else {
        scf.yield %acc : !f
      }
      %d = ttng.warp_group_dot %x, %x, %s : !x * !x -> !f
      scf.yield %d : !f
    }
    tt.return %r : !f
  }

  // The last iteration's zeros are chosen behind the loop.
  // CHECK-LABEL: @given
  // CHECK: [[R:%.+]]:2 = scf.for
  // CHECK: scf.yield %{{.+}}, [[KEEP:%.+]] : {{.*}}, i1
  // CHECK: [[OUT:%.+]] = arith.select [[R]]#1, [[R]]#0, %cst
  // CHECK: tt.return [[OUT]]
  tt.func @given(%x: !x, %n: i32, %first: !f) -> !f {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : !f
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %first) -> (!f) : i32 {
      %d = ttng.warp_group_dot %x, %x, %acc : !x * !x -> !f
      %keep = arith.cmpi ne, %i, %c1 : i32
      %s = scf.if %keep -> !f {
        scf.yield %d : !f
      } else {
        scf.yield %zero : !f
      }
      scf.yield %s : !f
    }
    tt.return %r : !f
  }

  // CHECK-LABEL: @first
  // CHECK: ttng.warp_group_dot %arg0, %arg0, %{{.+}}, %{{.+}} :
  // CHECK: scf.yield %{{.+}}, %true
  // FEW-LABEL: @first
  // FEW: ttng.warp_group_dot %arg0, %arg0, %{{[^,]+}} :
  tt.func @first(%x: !x, %n: i32) -> !f {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : !f
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!f) : i32 {
      %d = ttng.warp_group_dot %x, %x, %acc : !x * !x -> !f
      scf.yield %d : !f
    }
    tt.return %r : !f
  }

  // CHECK-LABEL: @constant
  // CHECK: ttng.warp_group_dot %arg0, %arg0, %cst{{.*}}, %false
  tt.func @constant(%x: !x, %n: i32, %p: tensor<64x64x!tt.ptr<f32>, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : !f
    scf.for %i = %c0 to %n step %c1 : i32 {
      %d = ttng.warp_group_dot %x, %x, %zero : !x * !x -> !f
      tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #mma>
    }
    tt.return
  }

  // Something else reads the zeros, too: of two users one would see sums.
  // CHECK-LABEL: @read
  // CHECK: ttng.warp_group_dot %arg0, %arg0, %{{[^,]+}} :
  tt.func @read(%x: !x, %n: i32, %first: !f, %p: tensor<64x64x!tt.ptr<f32>, #mma>) -> !f {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : !f
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %first) -> (!f) : i32 {
      tt.store %p, %acc : tensor<64x64x!tt.ptr<f32>, #mma>
      %d = ttng.warp_group_dot %x, %x, %acc : !x * !x -> !f
      %last = arith.cmpi eq, %i, %c1 : i32
      %s = arith.select %last, %zero, %d : !f
      scf.yield %s : !f
    }
    tt.return %r : !f
  }

  // A choice for each element is none for the product.
  // CHECK-LABEL: @vector
  // CHECK: ttng.warp_group_dot %arg0, %arg0, %{{[^,]+}} :
  tt.func @vector(%x: !x, %n: i32, %first: !f, %c: tensor<64x64xi1, #mma>) -> !f {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : !f
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %first) -> (!f) : i32 {
      %d = ttng.warp_group_dot %x, %x, %acc : !x * !x -> !f
      %s = arith.select %c, %zero, %d : tensor<64x64xi1, #mma>, !f
      scf.yield %s : !f
    }
    tt.return %r : !f
  }

  // Sums that are promoted on the way.
  // CHECK-LABEL: @promoted
  // CHECK: ttng.warp_group_dot %arg0, %arg1, %{{[^,]+}} {maxNumImpreciseAcc = 32 : i32} :
  tt.func @promoted(%x: !y, %y: !z, %n: i32) -> tensor<64x64xf32, #m8> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #m8>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #m8>) : i32 {
      %d = ttng.warp_group_dot %x, %y, %acc {maxNumImpreciseAcc = 32 : i32} : !y * !z -> tensor<64x64xf32, #m8>
      scf.yield %d : tensor<64x64xf32, #m8>
    }
    tt.return %r : tensor<64x64xf32, #m8>
  }
}
