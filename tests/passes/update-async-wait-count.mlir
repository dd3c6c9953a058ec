// RUN: tritcc -x ttgir -split-input-file -passes=update-async-wait-count %s | FileCheck --check-prefixes=CHECK,WAVES %s
// RUN: tritcc -x ttgir -split-input-file '-passes=update-async-wait-count{gfx-arch=gfx1100}' %s | FileCheck --check-prefix=OTHER %s
// positive: @token @groups @carried @branches @many_branches @boxes @waves
// negative: @nothing @barrier
// loop: @carried
// if: @branches @many_branches

#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 8, maxPhase = 2, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  // two instructions behind the one that is waited for; a load to registers does not count
  // CHECK-LABEL: @token
  // CHECK: amdg.async_wait %{{.*}} {num_inst = 2 : i32, ttg.num_commit_groups = 0 : i32}
  // OTHER-LABEL: @token
  // OTHER: ttg.async_wait
  tt.func public @token(%b: !ttg.memdesc<128x16xf16, #s, #smem, mutable>, %p: tensor<128x16x!tt.ptr<f16>, #l> {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<16> : tensor<2xi32>}) {
    %0 = ttg.async_copy_global_to_local %p, %b : tensor<128x16x!tt.ptr<f16>, #l> -> <128x16xf16, #s, #smem, mutable>
    %1 = ttg.async_commit_group tokens %0
    %2 = ttg.async_copy_global_to_local %p, %b : tensor<128x16x!tt.ptr<f16>, #l> -> <128x16xf16, #s, #smem, mutable>
    %3 = ttg.async_commit_group tokens %2
    %x = tt.load %p : tensor<128x16x!tt.ptr<f16>, #l>
    %w = ttg.async_wait %1 {num = 0 : i32}
    tt.return
  }

  // the mask allows one element at a time: sixteen
  // CHECK-LABEL: @groups
  // CHECK: amdg.async_wait {num_inst = 16
  // CHECK: amdg.async_wait {num_inst = 18
  tt.func public @groups(%b: !ttg.memdesc<128x16xf16, #s, #smem, mutable>, %p: tensor<128x16x!tt.ptr<f16>, #l> {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<16> : tensor<2xi32>}, %m: tensor<128x16xi1, #l>) {
    %0 = ttg.async_copy_global_to_local %p, %b : tensor<128x16x!tt.ptr<f16>, #l> -> <128x16xf16, #s, #smem, mutable>
    %1 = ttg.async_commit_group
    %2 = ttg.async_copy_global_to_local %p, %b mask %m : tensor<128x16x!tt.ptr<f16>, #l> -> <128x16xf16, #s, #smem, mutable>
    %3 = ttg.async_commit_group
    %4 = ttg.async_wait {num = 1 : i32}
    %5 = ttg.async_wait {num = 2 : i32}
    tt.return
  }

  // the token of the trip before: what this trip has issued until here, nothing; with two in flight, two
  // CHECK-LABEL: @carried
  // CHECK: amdg.async_wait %arg{{.*}} {num_inst = 2
  // CHECK: amdg.async_wait %{{.*}}#0, %{{.*}}#1 {num_inst = 0
  tt.func public @carried(%b: !ttg.memdesc<128x16xf16, #s, #smem, mutable>, %p: tensor<128x16x!tt.ptr<f16>, #l> {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<16> : tensor<2xi32>}, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %0 = ttg.async_copy_global_to_local %p, %b : tensor<128x16x!tt.ptr<f16>, #l> -> <128x16xf16, #s, #smem, mutable>
    %1 = ttg.async_commit_group tokens %0
    %2 = ttg.async_copy_global_to_local %p, %b : tensor<128x16x!tt.ptr<f16>, #l> -> <128x16xf16, #s, #smem, mutable>
    %3 = ttg.async_commit_group tokens %2
    %r:2 = scf.for %i = %zero to %n step %one iter_args(%t = %1, %u = %3) -> (!ttg.async.token, !ttg.async.token) : i32 {
      %w = ttg.async_wait %t {num = 1 : i32}
      %4 = ttg.async_copy_global_to_local %p, %b : tensor<128x16x!tt.ptr<f16>, #l> -> <128x16xf16, #s, #smem, mutable>
      %5 = ttg.async_commit_group tokens %4
      scf.yield %u, %5 : !ttg.async.token, !ttg.async.token
    }
    %e = ttg.async_wait %r#0, %r#1 {num = 0 : i32}
    tt.return
  }

  // the branch with fewer counts
  // CHECK-LABEL: @branches
  // CHECK: amdg.async_wait %{{.*}} {num_inst = 0
  // CHECK: amdg.async_wait {num_inst = 2
  tt.func public @branches(%b: !ttg.memdesc<128x16xf16, #s, #smem, mutable>, %p: tensor<128x16x!tt.ptr<f16>, #l> {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<16> : tensor<2xi32>}, %c: i1) {
    %0 = ttg.async_copy_global_to_local %p, %b : tensor<128x16x!tt.ptr<f16>, #l> -> <128x16xf16, #s, #smem, mutable>
    %1 = ttg.async_commit_group tokens %0
    scf.if %c {
      %2 = ttg.async_copy_global_to_local %p, %b : tensor<128x16x!tt.ptr<f16>, #l> -> <128x16xf16, #s, #smem, mutable>
      %3 = ttg.async_commit_group tokens %2
    }
    %w = ttg.async_wait %1 {num = 0 : i32}
    %x = ttg.async_wait {num = 1 : i32}
    tt.return
  }

  // paths meet again: they are not walked one by one
  // CHECK-LABEL: @many_branches
  // CHECK: amdg.async_wait {num_inst = 2
  tt.func public @many_branches(%b: !ttg.memdesc<128x16xf16, #s, #smem, mutable>, %p: tensor<128x16x!tt.ptr<f16>, #l> {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<16> : tensor<2xi32>}, %c: i1) {
    %0 = ttg.async_copy_global_to_local %p, %b : tensor<128x16x!tt.ptr<f16>, #l> -> <128x16xf16, #s, #smem, mutable>
    %1 = ttg.async_commit_group tokens %0
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    scf.if %c { scf.if %c { } else { } } else { }
    %w = ttg.async_wait {num = 1 : i32}
    tt.return
  }

  // boxes have a counter of their own
  // CHECK-LABEL: @boxes
  // CHECK: amdg.async_tdm_intrinsic_wait %{{.*}} {count = 1 : i32, ttg.num_tdm_ops = 0 : i32}
  // CHECK: amdg.async_wait %{{.*}} {num_inst = 0
  tt.func public @boxes(%b: !ttg.memdesc<128x16xf16, #s, #smem, mutable>, %d: !tt.tensordesc<128x16xf16>, %p: tensor<128x16x!tt.ptr<f16>, #l>) {
    %0 = ttg.async_copy_global_to_local %p, %b : tensor<128x16x!tt.ptr<f16>, #l> -> <128x16xf16, #s, #smem, mutable>
    %1 = amdg.async_tdm_copy_global_to_local %d into %b : !tt.tensordesc<128x16xf16> -> !ttg.memdesc<128x16xf16, #s, #smem, mutable>
    %2 = amdg.async_tdm_copy_global_to_local %d into %b : !tt.tensordesc<128x16xf16> -> !ttg.memdesc<128x16xf16, #s, #smem, mutable>
    %w = amdg.async_tdm_wait %1 {num = 0 : i32}
    %x = ttg.async_wait %0 {num = 0 : i32}
    tt.return
  }

  tt.func public @nothing(%b: !ttg.memdesc<128x16xf16, #s, #smem, mutable>, %p: tensor<128x16x!tt.ptr<f16>, #l>) {
    %0 = ttg.async_copy_global_to_local %p, %b : tensor<128x16x!tt.ptr<f16>, #l> -> <128x16xf16, #s, #smem, mutable>
    %1 = ttg.async_commit_group tokens %0
    tt.return
  }

  tt.func public @barrier(%b: !ttg.memdesc<128x16xf16, #s, #smem, mutable>) {
    ttg.barrier local
    tt.return
  }
}

// -----

// Copies for which a wave gives one place (gfx950: 16 bytes a lane), as this compiler makes them: two instructions of
// the second one may be under way. What has been counted for others is counted anew.
// WAVES-LABEL: @waves
// WAVES: amdg.async_wait %{{.*}} {num_inst = 2 : i32, ttg.num_commit_groups = 0 : i32}
// WAVES: amdg.async_wait {num_inst = 2 : i32, ttg.num_commit_groups = 1 : i32}
// WAVES: amdg.async_wait {num_inst = 0 : i32, ttg.num_commit_groups = 0 : i32}
#l = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @waves(%b: !ttg.memdesc<4096xf16, #s, #smem, mutable>, %p: tensor<4096x!tt.ptr<f16>, #l> {tt.divisibility = dense<16> : tensor<1xi32>, tt.contiguity = dense<16> : tensor<1xi32>}) {
    %0 = ttg.async_copy_global_to_local %p, %b : tensor<4096x!tt.ptr<f16>, #l> -> <4096xf16, #s, #smem, mutable>
    %1 = ttg.async_commit_group tokens %0
    %2 = ttg.async_copy_global_to_local %p, %b : tensor<4096x!tt.ptr<f16>, #l> -> <4096xf16, #s, #smem, mutable>
    %3 = ttg.async_commit_group tokens %2
    %w = ttg.async_wait %1 {num = 0 : i32}
    %x = ttg.async_wait {num = 1 : i32}
    %y = amdg.async_wait {num_inst = 4 : i32}
    tt.return
  }
}
