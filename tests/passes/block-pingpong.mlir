// RUN: tritcc -x ttgir -passes=block-pingpong{rotate=1} %s | FileCheck %s
// positive: @four @two @persistent @written_at_start
// negative: @varying_mask @small @handed_over @stores_between @branch_each_time
// loop: @four @two @varying_mask @small @handed_over @stores_between
// if: @persistent @branch_each_time

#a = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#h = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [1, 8], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 4], instrShape = [32, 32, 8], isTransposed = true}>
#x = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#y = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#s = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @four
  // CHECK: ttg.barrier local
  // CHECK: %[[THREAD:.*]] = rocdl.workitem.id.x
  // CHECK: %[[HALF:.*]] = arith.divsi %[[THREAD]]
  // CHECK: %[[LOW:.*]] = arith.cmpi eq, %[[HALF]]
  // CHECK: %[[HIGH:.*]] = arith.cmpi ne, %[[HALF]]
  // CHECK: amdg.cond_barrier %[[HIGH]]
  // CHECK: scf.for
  // CHECK: tt.load
  // CHECK-NOT: tt.load
  // CHECK: ttg.memdesc_subslice %{{.*}}[0, 0]
  // CHECK-NEXT: %[[X0:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[0, 0]
  // CHECK-NEXT: %[[Y0:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: rocdl.s.setprio 1
  // CHECK-NEXT: %[[D0:.*]] = tt.dot %[[X0]], %[[Y0]], %{{.*}}
  // CHECK-NEXT: rocdl.s.setprio 0
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[0, 16]
  // CHECK-NEXT: %[[X1:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[16, 0]
  // CHECK-NEXT: %[[Y1:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: rocdl.s.setprio 1
  // CHECK-NEXT: %[[D1:.*]] = tt.dot %[[X1]], %[[Y1]], %[[D0]]
  // CHECK-NEXT: rocdl.s.setprio 0
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[0, 32]
  // CHECK-NEXT: %[[X2:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[32, 0]
  // CHECK-NEXT: %[[Y2:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[0, 48]
  // CHECK-NEXT: %[[X3:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[48, 0]
  // CHECK-NEXT: %[[Y3:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: rocdl.s.setprio 1
  // CHECK-NEXT: %[[D2:.*]] = tt.dot %[[X2]], %[[Y2]], %[[D1]]
  // CHECK-NEXT: rocdl.s.setprio 0
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK: ttg.local_store
  // CHECK: ttg.local_store
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: rocdl.s.setprio 1
  // CHECK-NEXT: %[[D3:.*]] = tt.dot %[[X3]], %[[Y3]], %[[D2]]
  // CHECK-NEXT: rocdl.s.setprio 0
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: scf.yield %[[D3]]
  // CHECK: amdg.cond_barrier %[[LOW]]
  tt.func public @four(%p: tensor<256x64x!tt.ptr<f16>, #a>, %q: tensor<64x256x!tt.ptr<f16>, #b>, %da: tensor<256x64xi32, #a>, %db: tensor<64x256xi32, #b>, %n: i32) -> tensor<256x256xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %sum = arith.constant dense<0.0> : tensor<256x256xf32, #mma>
    %ra = ttg.local_alloc : () -> !ttg.memdesc<2x256x64xf16, #s, #smem, mutable>
    %rb = ttg.local_alloc : () -> !ttg.memdesc<2x64x256xf16, #s, #smem, mutable>
    %ma = ttg.memdesc_index %ra[%zero] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
    %mb = ttg.memdesc_index %rb[%zero] : !ttg.memdesc<2x64x256xf16, #s, #smem, mutable> -> !ttg.memdesc<64x256xf16, #s, #smem, mutable>
    %r:6 = scf.for %i = %zero to %n step %one iter_args(%c = %sum, %pa = %p, %pb = %q, %at = %zero, %va = %ma, %vb = %mb) -> (tensor<256x256xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x256x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x256xf16, #s, #smem, mutable>) : i32 {
      %na = tt.addptr %pa, %da : tensor<256x64x!tt.ptr<f16>, #a>, tensor<256x64xi32, #a>
      %la = tt.load %na : tensor<256x64x!tt.ptr<f16>, #a>
      %nb = tt.addptr %pb, %db : tensor<64x256x!tt.ptr<f16>, #b>, tensor<64x256xi32, #b>
      %lb = tt.load %nb : tensor<64x256x!tt.ptr<f16>, #b>
      %x = ttg.local_load %va : !ttg.memdesc<256x64xf16, #s, #smem, mutable> -> tensor<256x64xf16, #x>
      %y = ttg.local_load %vb : !ttg.memdesc<64x256xf16, #s, #smem, mutable> -> tensor<64x256xf16, #y>
      %d = tt.dot %x, %y, %c : tensor<256x64xf16, #x> * tensor<64x256xf16, #y> -> tensor<256x256xf32, #mma>
      %up = arith.addi %at, %one : i32
      %in = arith.cmpi slt, %up, %two : i32
      %next = arith.select %in, %up, %zero : i32
      %wa = ttg.memdesc_index %ra[%next] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      ttg.local_store %la, %wa : tensor<256x64xf16, #a> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      %wb = ttg.memdesc_index %rb[%next] : !ttg.memdesc<2x64x256xf16, #s, #smem, mutable> -> !ttg.memdesc<64x256xf16, #s, #smem, mutable>
      ttg.local_store %lb, %wb : tensor<64x256xf16, #b> -> !ttg.memdesc<64x256xf16, #s, #smem, mutable>
      scf.yield %d, %na, %nb, %next, %wa, %wb : tensor<256x256xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x256x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x256xf16, #s, #smem, mutable>
    }
    tt.return %r#0 : tensor<256x256xf32, #mma>
  }

  // CHECK-LABEL: @two
  // CHECK: ttg.barrier local
  // CHECK: %[[THREAD:.*]] = rocdl.workitem.id.x
  // CHECK: %[[HALF:.*]] = arith.divsi %[[THREAD]]
  // CHECK: %[[LOW:.*]] = arith.cmpi eq, %[[HALF]]
  // CHECK: %[[HIGH:.*]] = arith.cmpi ne, %[[HALF]]
  // CHECK: amdg.cond_barrier %[[HIGH]]
  // CHECK: scf.for
  // CHECK: ttg.memdesc_subslice %{{.*}}[0, 0]
  // CHECK-NEXT: %[[X0:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[0, 0]
  // CHECK-NEXT: %[[Y0:.*]] = ttg.local_load
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[0, 32]
  // CHECK-NEXT: %[[X1:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[32, 0]
  // CHECK-NEXT: %[[Y1:.*]] = ttg.local_load
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: rocdl.s.barrier
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: rocdl.s.setprio 1
  // CHECK-NEXT: %[[D0:.*]] = tt.dot %[[X0]], %[[Y0]], %{{.*}}
  // CHECK-NEXT: rocdl.s.setprio 0
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK: ttg.local_store
  // CHECK: ttg.local_store
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: rocdl.s.setprio 1
  // CHECK-NEXT: %[[D1:.*]] = tt.dot %[[X1]], %[[Y1]], %[[D0]]
  // CHECK-NEXT: rocdl.s.setprio 0
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: scf.yield %[[D1]]
  // CHECK: amdg.cond_barrier %[[LOW]]
  tt.func public @two(%p: tensor<256x64x!tt.ptr<f16>, #a>, %q: tensor<64x128x!tt.ptr<f16>, #b>, %da: tensor<256x64xi32, #a>, %db: tensor<64x128xi32, #b>, %n: i32) -> tensor<256x128xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %sum = arith.constant dense<0.0> : tensor<256x128xf32, #mma>
    %ra = ttg.local_alloc : () -> !ttg.memdesc<2x256x64xf16, #s, #smem, mutable>
    %rb = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf16, #s, #smem, mutable>
    %ma = ttg.memdesc_index %ra[%zero] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
    %mb = ttg.memdesc_index %rb[%zero] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    %r:6 = scf.for %i = %zero to %n step %one iter_args(%c = %sum, %pa = %p, %pb = %q, %at = %zero, %va = %ma, %vb = %mb) -> (tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>) : i32 {
      %na = tt.addptr %pa, %da : tensor<256x64x!tt.ptr<f16>, #a>, tensor<256x64xi32, #a>
      %la = tt.load %na : tensor<256x64x!tt.ptr<f16>, #a>
      %nb = tt.addptr %pb, %db : tensor<64x128x!tt.ptr<f16>, #b>, tensor<64x128xi32, #b>
      %lb = tt.load %nb : tensor<64x128x!tt.ptr<f16>, #b>
      %x = ttg.local_load %va : !ttg.memdesc<256x64xf16, #s, #smem, mutable> -> tensor<256x64xf16, #x>
      %y = ttg.local_load %vb : !ttg.memdesc<64x128xf16, #s, #smem, mutable> -> tensor<64x128xf16, #y>
      %d = tt.dot %x, %y, %c : tensor<256x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<256x128xf32, #mma>
      %up = arith.addi %at, %one : i32
      %in = arith.cmpi slt, %up, %two : i32
      %next = arith.select %in, %up, %zero : i32
      %wa = ttg.memdesc_index %ra[%next] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      ttg.local_store %la, %wa : tensor<256x64xf16, #a> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      %wb = ttg.memdesc_index %rb[%next] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      ttg.local_store %lb, %wb : tensor<64x128xf16, #b> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      scf.yield %d, %na, %nb, %next, %wa, %wb : tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    }
    tt.return %r#0 : tensor<256x128xf32, #mma>
  }

  // the end of a tile is left where it is
  // CHECK-LABEL: @persistent
  // CHECK: ttg.barrier local
  // CHECK: %[[THREAD:.*]] = rocdl.workitem.id.x
  // CHECK: %[[HALF:.*]] = arith.divsi %[[THREAD]]
  // CHECK: %[[LOW:.*]] = arith.cmpi eq, %[[HALF]]
  // CHECK: %[[HIGH:.*]] = arith.cmpi ne, %[[HALF]]
  // CHECK: amdg.cond_barrier %[[HIGH]]
  // CHECK: scf.for
  // CHECK: ttg.memdesc_subslice %{{.*}}[0, 0]
  // CHECK-NEXT: %[[X0:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[0, 0]
  // CHECK-NEXT: %[[Y0:.*]] = ttg.local_load
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[0, 32]
  // CHECK-NEXT: %[[X1:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.memdesc_subslice %{{.*}}[32, 0]
  // CHECK-NEXT: %[[Y1:.*]] = ttg.local_load
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: rocdl.s.barrier
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: rocdl.s.setprio 1
  // CHECK-NEXT: %[[D0:.*]] = tt.dot %[[X0]], %[[Y0]], %{{.*}}
  // CHECK-NEXT: rocdl.s.setprio 0
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK: ttg.local_store
  // CHECK: ttg.local_store
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: rocdl.s.setprio 1
  // CHECK-NEXT: %[[D1:.*]] = tt.dot %[[X1]], %[[Y1]], %[[D0]]
  // CHECK-NEXT: rocdl.s.setprio 0
  // CHECK: scf.if
  // CHECK: ttg.barrier local
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: scf.yield
  // CHECK: amdg.cond_barrier %[[LOW]]
  tt.func public @persistent(%p: tensor<256x64x!tt.ptr<f16>, #a>, %q: tensor<64x128x!tt.ptr<f16>, #b>, %da: tensor<256x64xi32, #a>, %db: tensor<64x128xi32, #b>, %n: i32, %out: tensor<256x128x!tt.ptr<f32>, #mma>) -> tensor<256x128xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %sum = arith.constant dense<0.0> : tensor<256x128xf32, #mma>
    %ra = ttg.local_alloc : () -> !ttg.memdesc<2x256x64xf16, #s, #smem, mutable>
    %rb = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf16, #s, #smem, mutable>
    %ma = ttg.memdesc_index %ra[%zero] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
    %mb = ttg.memdesc_index %rb[%zero] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    %r:6 = scf.for %i = %zero to %n step %one iter_args(%c = %sum, %pa = %p, %pb = %q, %at = %zero, %va = %ma, %vb = %mb) -> (tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>) : i32 {
      %first = arith.cmpi eq, %i, %zero : i32
      %w = scf.if %first -> i32 {
        scf.yield %zero : i32
      } else {
        scf.yield %i : i32
      }
      %na = tt.addptr %pa, %da : tensor<256x64x!tt.ptr<f16>, #a>, tensor<256x64xi32, #a>
      %la = tt.load %na : tensor<256x64x!tt.ptr<f16>, #a>
      %nb = tt.addptr %pb, %db : tensor<64x128x!tt.ptr<f16>, #b>, tensor<64x128xi32, #b>
      %lb = tt.load %nb : tensor<64x128x!tt.ptr<f16>, #b>
      %x = ttg.local_load %va : !ttg.memdesc<256x64xf16, #s, #smem, mutable> -> tensor<256x64xf16, #x>
      %y = ttg.local_load %vb : !ttg.memdesc<64x128xf16, #s, #smem, mutable> -> tensor<64x128xf16, #y>
      %d = tt.dot %x, %y, %c : tensor<256x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<256x128xf32, #mma>
      %up = arith.addi %at, %one : i32
      %in = arith.cmpi slt, %up, %two : i32
      %next = arith.select %in, %up, %zero : i32
      %wa = ttg.memdesc_index %ra[%next] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      ttg.local_store %la, %wa : tensor<256x64xf16, #a> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      %wb = ttg.memdesc_index %rb[%next] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      ttg.local_store %lb, %wb : tensor<64x128xf16, #b> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      %last = arith.cmpi eq, %w, %one : i32
      %e = scf.if %last -> tensor<256x128xf32, #mma> {
        %el = tt.load %out : tensor<256x128x!tt.ptr<f32>, #mma>
        %es = arith.addf %d, %el : tensor<256x128xf32, #mma>
        scf.yield %es : tensor<256x128xf32, #mma>
      } else {
        scf.yield %d : tensor<256x128xf32, #mma>
      }
      scf.yield %e, %na, %nb, %next, %wa, %wb : tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    }
    tt.return %r#0 : tensor<256x128xf32, #mma>
  }

  // the first tile is written in front of the loop, and no tile is carried
  // CHECK-LABEL: @written_at_start
  // CHECK: ttg.local_store
  // CHECK: ttg.local_store
  // CHECK: amdg.cond_barrier
  // CHECK: scf.for {{.*}} -> (tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #blocked>, tensor<64x128x!tt.ptr<f16>, #blocked1>)
  // CHECK: rocdl.s.barrier
  // CHECK: tt.dot
  // CHECK: ttg.local_store
  // CHECK: ttg.local_store
  // CHECK: tt.dot
  // CHECK: amdg.cond_barrier
  tt.func public @written_at_start(%p: tensor<256x64x!tt.ptr<f16>, #a>, %q: tensor<64x128x!tt.ptr<f16>, #b>, %da: tensor<256x64xi32, #a>, %db: tensor<64x128xi32, #b>, %n: i32) -> tensor<256x128xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = arith.constant dense<0.0> : tensor<256x128xf32, #mma>
    %fa = tt.load %p : tensor<256x64x!tt.ptr<f16>, #a>
    %fb = tt.load %q : tensor<64x128x!tt.ptr<f16>, #b>
    %r:5 = scf.for %i = %zero to %n step %one iter_args(%c = %sum, %pa = %p, %pb = %q, %ta = %fa, %tb = %fb) -> (tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, tensor<256x64xf16, #a>, tensor<64x128xf16, #b>) : i32 {
      %va = ttg.local_alloc %ta : (tensor<256x64xf16, #a>) -> !ttg.memdesc<256x64xf16, #s, #smem>
      %vb = ttg.local_alloc %tb : (tensor<64x128xf16, #b>) -> !ttg.memdesc<64x128xf16, #s, #smem>
      %na = tt.addptr %pa, %da : tensor<256x64x!tt.ptr<f16>, #a>, tensor<256x64xi32, #a>
      %la = tt.load %na : tensor<256x64x!tt.ptr<f16>, #a>
      %nb = tt.addptr %pb, %db : tensor<64x128x!tt.ptr<f16>, #b>, tensor<64x128xi32, #b>
      %lb = tt.load %nb : tensor<64x128x!tt.ptr<f16>, #b>
      %x = ttg.local_load %va : !ttg.memdesc<256x64xf16, #s, #smem> -> tensor<256x64xf16, #x>
      %y = ttg.local_load %vb : !ttg.memdesc<64x128xf16, #s, #smem> -> tensor<64x128xf16, #y>
      %d = tt.dot %x, %y, %c : tensor<256x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<256x128xf32, #mma>
      scf.yield %d, %na, %nb, %la, %lb : tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, tensor<256x64xf16, #a>, tensor<64x128xf16, #b>
    }
    tt.return %r#0 : tensor<256x128xf32, #mma>
  }

  // elements of the mask come and go with the iterations
  tt.func public @varying_mask(%p: tensor<256x64x!tt.ptr<f16>, #a>, %q: tensor<64x128x!tt.ptr<f16>, #b>, %da: tensor<256x64xi32, #a>, %db: tensor<64x128xi32, #b>, %n: i32) -> tensor<256x128xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %sum = arith.constant dense<0.0> : tensor<256x128xf32, #mma>
    %ra = ttg.local_alloc : () -> !ttg.memdesc<2x256x64xf16, #s, #smem, mutable>
    %rb = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf16, #s, #smem, mutable>
    %ma = ttg.memdesc_index %ra[%zero] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
    %mb = ttg.memdesc_index %rb[%zero] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    %r:6 = scf.for %i = %zero to %n step %one iter_args(%c = %sum, %pa = %p, %pb = %q, %at = %zero, %va = %ma, %vb = %mb) -> (tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>) : i32 {
      %bound = tt.splat %i : i32 -> tensor<256x64xi32, #a>
      %mask = arith.cmpi slt, %da, %bound : tensor<256x64xi32, #a>
      %na = tt.addptr %pa, %da : tensor<256x64x!tt.ptr<f16>, #a>, tensor<256x64xi32, #a>
      %la = tt.load %na, %mask : tensor<256x64x!tt.ptr<f16>, #a>
      %nb = tt.addptr %pb, %db : tensor<64x128x!tt.ptr<f16>, #b>, tensor<64x128xi32, #b>
      %lb = tt.load %nb : tensor<64x128x!tt.ptr<f16>, #b>
      %x = ttg.local_load %va : !ttg.memdesc<256x64xf16, #s, #smem, mutable> -> tensor<256x64xf16, #x>
      %y = ttg.local_load %vb : !ttg.memdesc<64x128xf16, #s, #smem, mutable> -> tensor<64x128xf16, #y>
      %d = tt.dot %x, %y, %c : tensor<256x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<256x128xf32, #mma>
      %up = arith.addi %at, %one : i32
      %in = arith.cmpi slt, %up, %two : i32
      %next = arith.select %in, %up, %zero : i32
      %wa = ttg.memdesc_index %ra[%next] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      ttg.local_store %la, %wa : tensor<256x64xf16, #a> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      %wb = ttg.memdesc_index %rb[%next] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      ttg.local_store %lb, %wb : tensor<64x128xf16, #b> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      scf.yield %d, %na, %nb, %next, %wa, %wb : tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    }
    tt.return %r#0 : tensor<256x128xf32, #mma>
  }

  tt.func public @small(%p: tensor<128x64x!tt.ptr<f16>, #a>, %q: tensor<64x128x!tt.ptr<f16>, #b>, %da: tensor<128x64xi32, #a>, %db: tensor<64x128xi32, #b>, %n: i32) -> tensor<128x128xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %sum = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %ra = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf16, #s, #smem, mutable>
    %rb = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf16, #s, #smem, mutable>
    %ma = ttg.memdesc_index %ra[%zero] : !ttg.memdesc<2x128x64xf16, #s, #smem, mutable> -> !ttg.memdesc<128x64xf16, #s, #smem, mutable>
    %mb = ttg.memdesc_index %rb[%zero] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    %r:6 = scf.for %i = %zero to %n step %one iter_args(%c = %sum, %pa = %p, %pb = %q, %at = %zero, %va = %ma, %vb = %mb) -> (tensor<128x128xf32, #mma>, tensor<128x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<128x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>) : i32 {
      %na = tt.addptr %pa, %da : tensor<128x64x!tt.ptr<f16>, #a>, tensor<128x64xi32, #a>
      %la = tt.load %na : tensor<128x64x!tt.ptr<f16>, #a>
      %nb = tt.addptr %pb, %db : tensor<64x128x!tt.ptr<f16>, #b>, tensor<64x128xi32, #b>
      %lb = tt.load %nb : tensor<64x128x!tt.ptr<f16>, #b>
      %x = ttg.local_load %va : !ttg.memdesc<128x64xf16, #s, #smem, mutable> -> tensor<128x64xf16, #x>
      %y = ttg.local_load %vb : !ttg.memdesc<64x128xf16, #s, #smem, mutable> -> tensor<64x128xf16, #y>
      %d = tt.dot %x, %y, %c : tensor<128x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<128x128xf32, #mma>
      %up = arith.addi %at, %one : i32
      %in = arith.cmpi slt, %up, %two : i32
      %next = arith.select %in, %up, %zero : i32
      %wa = ttg.memdesc_index %ra[%next] : !ttg.memdesc<2x128x64xf16, #s, #smem, mutable> -> !ttg.memdesc<128x64xf16, #s, #smem, mutable>
      ttg.local_store %la, %wa : tensor<128x64xf16, #a> -> !ttg.memdesc<128x64xf16, #s, #smem, mutable>
      %wb = ttg.memdesc_index %rb[%next] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      ttg.local_store %lb, %wb : tensor<64x128xf16, #b> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      scf.yield %d, %na, %nb, %next, %wa, %wb : tensor<128x128xf32, #mma>, tensor<128x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<128x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    }
    tt.return %r#0 : tensor<128x128xf32, #mma>
  }

  // what threads hand to each other needs the halves in step
  tt.func public @handed_over(%p: tensor<256x64x!tt.ptr<f16>, #a>, %q: tensor<64x128x!tt.ptr<f16>, #b>, %da: tensor<256x64xi32, #a>, %db: tensor<64x128xi32, #b>, %n: i32) -> tensor<256x128xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %sum = arith.constant dense<0.0> : tensor<256x128xf32, #mma>
    %ra = ttg.local_alloc : () -> !ttg.memdesc<2x256x64xf16, #s, #smem, mutable>
    %rb = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf16, #s, #smem, mutable>
    %ma = ttg.memdesc_index %ra[%zero] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
    %mb = ttg.memdesc_index %rb[%zero] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    %r:6 = scf.for %i = %zero to %n step %one iter_args(%c = %sum, %pa = %p, %pb = %q, %at = %zero, %va = %ma, %vb = %mb) -> (tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>) : i32 {
      %na = tt.addptr %pa, %da : tensor<256x64x!tt.ptr<f16>, #a>, tensor<256x64xi32, #a>
      %la = tt.load %na : tensor<256x64x!tt.ptr<f16>, #a>
      %nb = tt.addptr %pb, %db : tensor<64x128x!tt.ptr<f16>, #b>, tensor<64x128xi32, #b>
      %lb = tt.load %nb : tensor<64x128x!tt.ptr<f16>, #b>
      %x = ttg.local_load %va : !ttg.memdesc<256x64xf16, #s, #smem, mutable> -> tensor<256x64xf16, #x>
      %y = ttg.local_load %vb : !ttg.memdesc<64x128xf16, #s, #smem, mutable> -> tensor<64x128xf16, #y>
      %d = tt.dot %x, %y, %c : tensor<256x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<256x128xf32, #mma>
      %up = arith.addi %at, %one : i32
      %in = arith.cmpi slt, %up, %two : i32
      %next = arith.select %in, %up, %zero : i32
      %wa = ttg.memdesc_index %ra[%next] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      ttg.local_store %la, %wa : tensor<256x64xf16, #a> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      %wb = ttg.memdesc_index %rb[%next] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      ttg.local_store %lb, %wb : tensor<64x128xf16, #b> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      %hc = ttg.convert_layout %d : tensor<256x128xf32, #mma> -> tensor<256x128xf32, #h>
      %e = ttg.convert_layout %hc : tensor<256x128xf32, #h> -> tensor<256x128xf32, #mma>
      scf.yield %e, %na, %nb, %next, %wa, %wb : tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    }
    tt.return %r#0 : tensor<256x128xf32, #mma>
  }

  // a load would pass a store
  tt.func public @stores_between(%p: tensor<256x64x!tt.ptr<f16>, #a>, %q: tensor<64x128x!tt.ptr<f16>, #b>, %da: tensor<256x64xi32, #a>, %db: tensor<64x128xi32, #b>, %n: i32) -> tensor<256x128xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %sum = arith.constant dense<0.0> : tensor<256x128xf32, #mma>
    %ra = ttg.local_alloc : () -> !ttg.memdesc<2x256x64xf16, #s, #smem, mutable>
    %rb = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf16, #s, #smem, mutable>
    %ma = ttg.memdesc_index %ra[%zero] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
    %mb = ttg.memdesc_index %rb[%zero] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    %ones = arith.constant dense<1.0> : tensor<256x64xf16, #a>
    %r:6 = scf.for %i = %zero to %n step %one iter_args(%c = %sum, %pa = %p, %pb = %q, %at = %zero, %va = %ma, %vb = %mb) -> (tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>) : i32 {
      %na = tt.addptr %pa, %da : tensor<256x64x!tt.ptr<f16>, #a>, tensor<256x64xi32, #a>
      %la = tt.load %na : tensor<256x64x!tt.ptr<f16>, #a>
      tt.store %pa, %ones : tensor<256x64x!tt.ptr<f16>, #a>
      %nb = tt.addptr %pb, %db : tensor<64x128x!tt.ptr<f16>, #b>, tensor<64x128xi32, #b>
      %lb = tt.load %nb : tensor<64x128x!tt.ptr<f16>, #b>
      %x = ttg.local_load %va : !ttg.memdesc<256x64xf16, #s, #smem, mutable> -> tensor<256x64xf16, #x>
      %y = ttg.local_load %vb : !ttg.memdesc<64x128xf16, #s, #smem, mutable> -> tensor<64x128xf16, #y>
      %d = tt.dot %x, %y, %c : tensor<256x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<256x128xf32, #mma>
      %up = arith.addi %at, %one : i32
      %in = arith.cmpi slt, %up, %two : i32
      %next = arith.select %in, %up, %zero : i32
      %wa = ttg.memdesc_index %ra[%next] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      ttg.local_store %la, %wa : tensor<256x64xf16, #a> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      %wb = ttg.memdesc_index %rb[%next] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      ttg.local_store %lb, %wb : tensor<64x128xf16, #b> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      scf.yield %d, %na, %nb, %next, %wa, %wb : tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    }
    tt.return %r#0 : tensor<256x128xf32, #mma>
  }

  tt.func public @branch_each_time(%p: tensor<256x64x!tt.ptr<f16>, #a>, %q: tensor<64x128x!tt.ptr<f16>, #b>, %da: tensor<256x64xi32, #a>, %db: tensor<64x128xi32, #b>, %n: i32, %out: tensor<256x128x!tt.ptr<f32>, #mma>) -> tensor<256x128xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %sum = arith.constant dense<0.0> : tensor<256x128xf32, #mma>
    %ra = ttg.local_alloc : () -> !ttg.memdesc<2x256x64xf16, #s, #smem, mutable>
    %rb = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf16, #s, #smem, mutable>
    %ma = ttg.memdesc_index %ra[%zero] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
    %mb = ttg.memdesc_index %rb[%zero] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    %r:6 = scf.for %i = %zero to %n step %one iter_args(%c = %sum, %pa = %p, %pb = %q, %at = %zero, %va = %ma, %vb = %mb) -> (tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>) : i32 {
      %na = tt.addptr %pa, %da : tensor<256x64x!tt.ptr<f16>, #a>, tensor<256x64xi32, #a>
      %la = tt.load %na : tensor<256x64x!tt.ptr<f16>, #a>
      %nb = tt.addptr %pb, %db : tensor<64x128x!tt.ptr<f16>, #b>, tensor<64x128xi32, #b>
      %lb = tt.load %nb : tensor<64x128x!tt.ptr<f16>, #b>
      %x = ttg.local_load %va : !ttg.memdesc<256x64xf16, #s, #smem, mutable> -> tensor<256x64xf16, #x>
      %y = ttg.local_load %vb : !ttg.memdesc<64x128xf16, #s, #smem, mutable> -> tensor<64x128xf16, #y>
      %d = tt.dot %x, %y, %c : tensor<256x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<256x128xf32, #mma>
      %up = arith.addi %at, %one : i32
      %in = arith.cmpi slt, %up, %two : i32
      %next = arith.select %in, %up, %zero : i32
      %wa = ttg.memdesc_index %ra[%next] : !ttg.memdesc<2x256x64xf16, #s, #smem, mutable> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      ttg.local_store %la, %wa : tensor<256x64xf16, #a> -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
      %wb = ttg.memdesc_index %rb[%next] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      ttg.local_store %lb, %wb : tensor<64x128xf16, #b> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      %small = arith.cmpi slt, %i, %two : i32
      %e = scf.if %small -> tensor<256x128xf32, #mma> {
        %el = tt.load %out : tensor<256x128x!tt.ptr<f32>, #mma>
        scf.yield %el : tensor<256x128xf32, #mma>
      } else {
        scf.yield %d : tensor<256x128xf32, #mma>
      }
      scf.yield %e, %na, %nb, %next, %wa, %wb : tensor<256x128xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    }
    tt.return %r#0 : tensor<256x128xf32, #mma>
  }
}
