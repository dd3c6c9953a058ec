// RUN: tritcc -x ttgir -passes=move-up-prologue-loads %s | FileCheck %s
// positive: @above_buffer @above_loop_body @in_branch
// negative: @unmarked @behind_update @behind_store @needs_memory
// loop: @above_loop_body @behind_update
// if: @in_branch

#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // the mask goes along, two loads stay in order
  // CHECK-LABEL: @above_buffer
  // CHECK: tt.splat
  // CHECK-NEXT: tt.load %arg0
  // CHECK-NEXT: tt.load %arg1
  // CHECK: ttg.local_alloc
  tt.func public @above_buffer(%p: tensor<256x!tt.ptr<f32>, #l>, %q: tensor<256x!tt.ptr<f32>, #l>, %c: i1) {
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x256xf32, #s, #smem, mutable>
    %m = tt.splat %c : i1 -> tensor<256xi1, #l>
    %x = tt.load %p, %m {amd.pipeliner_part = "prologue"} : tensor<256x!tt.ptr<f32>, #l>
    %y = tt.load %q, %m {amd.pipeliner_part = "prologue"} : tensor<256x!tt.ptr<f32>, #l>
    tt.return
  }

  // CHECK-LABEL: @above_loop_body
  // CHECK: scf.for
  // CHECK: tt.load
  // CHECK: ttg.local_alloc
  tt.func public @above_loop_body(%p: tensor<256x!tt.ptr<f32>, #l>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %i = %zero to %n step %one : i32 {
      %b = ttg.local_alloc : () -> !ttg.memdesc<2x256xf32, #s, #smem, mutable>
      %x = tt.load %p {amd.pipeliner_part = "prologue"} : tensor<256x!tt.ptr<f32>, #l>
    }
    tt.return
  }

  // CHECK-LABEL: @in_branch
  // CHECK: scf.if
  // CHECK: tt.load
  // CHECK: ttg.local_alloc
  tt.func public @in_branch(%p: tensor<256x!tt.ptr<f32>, #l>, %c: i1) {
    scf.if %c {
      %b = ttg.local_alloc : () -> !ttg.memdesc<2x256xf32, #s, #smem, mutable>
      %x = tt.load %p {amd.pipeliner_part = "prologue"} : tensor<256x!tt.ptr<f32>, #l>
    }
    tt.return
  }

  tt.func public @unmarked(%p: tensor<256x!tt.ptr<f32>, #l>) {
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x256xf32, #s, #smem, mutable>
    %x = tt.load %p : tensor<256x!tt.ptr<f32>, #l>
    tt.return
  }

  tt.func public @behind_update(%p: tensor<256x!tt.ptr<f32>, #l>, %q: !tt.ptr<i32>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x256xf32, #s, #smem, mutable>
    scf.for %i = %zero to %n step %one : i32 {
      %u = tt.atomic_rmw add, relaxed, gpu, %q, %one : (!tt.ptr<i32>, i32) -> i32
    }
    %x = tt.load %p {amd.pipeliner_part = "prologue"} : tensor<256x!tt.ptr<f32>, #l>
    tt.return
  }

  tt.func public @behind_store(%p: tensor<256x!tt.ptr<f32>, #l>, %v: tensor<256xf32, #l>) {
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x256xf32, #s, #smem, mutable>
    tt.store %p, %v : tensor<256x!tt.ptr<f32>, #l>
    %x = tt.load %p {amd.pipeliner_part = "prologue"} : tensor<256x!tt.ptr<f32>, #l>
    tt.return
  }

  tt.func public @needs_memory(%p: tensor<256x!tt.ptr<f32>, #l>, %q: tensor<256x!tt.ptr<i1>, #l>) {
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x256xf32, #s, #smem, mutable>
    %m = tt.load %q : tensor<256x!tt.ptr<i1>, #l>
    %x = tt.load %p, %m {amd.pipeliner_part = "prologue"} : tensor<256x!tt.ptr<f32>, #l>
    tt.return
  }
}
