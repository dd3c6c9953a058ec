#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %c: tensor<128x128xf32, #mma2>) {
  // expected-error@+1 {{needs a nvidia_mma layout of version 3}}
  %0 = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<128x64xf16, #nv, #smem> * !ttg.memdesc<64x128xf16, #nv, #smem> -> tensor<128x128xf32, #mma2>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %c: tensor<128x128xf32, #mma>) {
  // expected-error@+1 {{do not fit}}
  %0 = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<128x64xf16, #nv, #smem> * !ttg.memdesc<128x64xf16, #nv, #smem> -> tensor<128x128xf32, #mma>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // expected-error@+1 {{count must be at least 1}}
  ttng.init_barrier %b, 0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%b: !ttg.memdesc<128x64xf16, #nv, #smem>) {
  // expected-error@+1 {{barrier must be i64 in shared memory}}
  ttng.init_barrier %b, 1 : !ttg.memdesc<128x64xf16, #nv, #smem>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // expected-error@+1 {{count must be at least 1}}
  ttng.arrive_barrier %b, 0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f() {
  // expected-error@+1 {{needs more than one CTA}}
  ttng.cluster_barrier {relaxed = true}
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f() {
  // expected-error@+1 {{needs more than one CTA}}
  ttng.fence_mbarrier_init_release_cluster
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%d: !tt.tensordesc<64x64xf16, #nv>, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %r: !ttg.memdesc<64x64xf16, #nv, #smem>, %p: i1, %i: i32) {
  // expected-error@+1 {{immutable}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %r, %b, %p : !tt.tensordesc<64x64xf16, #nv>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nv, #smem>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%d: !tt.tensordesc<64x64xf32, #nv>, %r: !ttg.memdesc<64x64xf16, #nv, #smem, mutable>, %i: i32) {
  // expected-error@+1 {{different element types}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %r : !tt.tensordesc<64x64xf32, #nv>, !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%d: !tt.tensordesc<64x64xf16, #nv>, %r: !ttg.memdesc<64x64xf16, #nv, #smem, mutable>, %i: i32) {
  // expected-error@+1 {{reduction 'xor' does not exist for 'f16'}}
  ttng.async_tma_reduce xor, %d[%i, %i] %r : !tt.tensordesc<64x64xf16, #nv>, !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f() {
  // expected-error@+1 {{must be mutable}}
  %0 = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%t: !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>) {
  // expected-error@+1 {{offset 96 is out of range}}
  %0 = ttng.tmem_subslice %t {offset = 96 : i32} : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 128x128>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, %p: i1, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // expected-error@+1 {{barriers need is_async}}
  ttng.tc_gen5_mma %a, %b, %d, %p, %p, %bar[%p] : !ttg.memdesc<128x64xf16, #nv, #smem>, !ttg.memdesc<64x128xf16, #nv, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, %p: i1) {
  // expected-error@+1 {{do not fit}}
  ttng.tc_gen5_mma %a, %a, %d, %p, %p : !ttg.memdesc<128x64xf16, #nv, #smem>, !ttg.memdesc<128x64xf16, #nv, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%p: !tt.ptr<i8>, %i: i32, %l: i64) {
  // expected-error@+1 {{has 1 global sizes}}
  ttng.tensormap_create %p, %p, [%i, %i], [%i], [%l], [%i, %i] {elem_type = 3 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 2 : i32} : (!tt.ptr<i8>, !tt.ptr<i8>, i32, i32, i32, i64, i32, i32) -> ()
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  ttg.warp_specialize()
  default {
    // expected-error@+1 {{cannot be used inside of ttg.warp_specialize}}
    ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}
// -----
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f() {
  ttg.warp_specialize()
  default {
    // expected-error@+1 {{cannot be used inside of ttg.warp_specialize}}
    ttng.cluster_barrier
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}
// -----
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 2>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%a: !ttg.memdesc<128x128xbf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf16, #tmem, #ttng.tensor_memory, mutable>, %p: i1) {
  // expected-error@+1 {{cannot accumulate products of 'bf16' in 'f16'}}
  ttng.tc_gen5_mma %a, %a, %d, %p, %p : !ttg.memdesc<128x128xbf16, #nv, #smem>, !ttg.memdesc<128x128xbf16, #nv, #smem>, !ttg.memdesc<128x128xf16, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0], [2], [1]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 8 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%b: !ttg.memdesc<4xi64, #bar, #smem, mutable>, %i: i32) {
  // expected-error@+1 {{needs a CGALayout of zeros before 1, 2, 4 and so on}}
  ttng.wait_barrier %b, %i : !ttg.memdesc<4xi64, #bar, #smem, mutable>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttng.two-ctas" = false} {
tt.func @f(%d: !tt.tensordesc<64x128xf16, #nv>, %m: !ttg.memdesc<64x128xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %i: i32, %p: i1) {
  // expected-error@+1 {{needs a barrier of each CTA's own}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %b, %p : !tt.tensordesc<64x128xf16, #nv>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x128xf16, #nv, #smem, mutable>
  tt.return
}
}
// -----
#own = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttng.two-ctas" = true} {
tt.func @f(%d: !tt.tensordesc<64x128xf16, #nv>, %m: !ttg.memdesc<64x128xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<2xi64, #own, #smem, mutable>, %i: i32, %p: i1) {
  // expected-error@+1 {{needs a barrier of two CTAs}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %b, %p : !tt.tensordesc<64x128xf16, #nv>, !ttg.memdesc<2xi64, #own, #smem, mutable> -> !ttg.memdesc<64x128xf16, #nv, #smem, mutable>
  tt.return
}
}
// -----
#own = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%d: !tt.tensordesc<64x128xf16, #nv>, %m: !ttg.memdesc<64x128xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<2xi64, #own, #smem, mutable>, %i: i32, %p: i1) {
  // expected-error@+1 {{multicast needs a buffer that several CTAs hold alike}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %b, %p {multicast} : !tt.tensordesc<64x128xf16, #nv>, !ttg.memdesc<2xi64, #own, #smem, mutable> -> !ttg.memdesc<64x128xf16, #nv, #smem, mutable>
  tt.return
}
}
// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %p: i1) {
  // expected-error@+1 {{needs a barrier of each CTA's own}}
  ttng.tc_gen5_commit %b, %p : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}
// -----
#own = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%r: !ttg.memdesc<2xi64, #own, #smem>, %b: !ttg.memdesc<2xi64, #own, #smem>) {
  // expected-error@+1 {{result must be a buffer that all CTAs hold alike}}
  ttng.clc_try_cancel %r, %b : !ttg.memdesc<2xi64, #own, #smem>, !ttg.memdesc<2xi64, #own, #smem>
  tt.return
}
}
// -----
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f() {
  // expected-error@+1 {{needs more than one CTA in a cluster}}
  ttng.cluster_arrive
  tt.return
}
}
// -----
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f() {
  // expected-error@+1 {{needs more than one CTA in a cluster}}
  ttng.cluster_wait
  tt.return
}
}
// -----
#rows = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%d: !tt.tensordesc<1x128xf16, #nv>, %x: tensor<32xi32, #rows>, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %m: !ttg.memdesc<32x128xf16, #nv, #smem, mutable>, %i: i32, %p: i1) {
  // expected-error@+1 {{each thread must have at least 4 consecutive offsets}}
  ttng.async_tma_gather %d[%x, %i] %m, %b, %p : !tt.tensordesc<1x128xf16, #nv>, tensor<32xi32, #rows>, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<32x128xf16, #nv, #smem, mutable>, i1
  tt.return
}
}
// -----
#rows = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%d: !tt.tensordesc<1x128xf16, #nv>, %x: tensor<32xi32, #rows>, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %m: !ttg.memdesc<32x128xf16, #nv, #smem, mutable>, %i: i32, %p: i1) {
  // expected-error@+1 {{the threads of a warp must have the same offsets}}
  ttng.async_tma_gather %d[%x, %i] %m, %b, %p : !tt.tensordesc<1x128xf16, #nv>, tensor<32xi32, #rows>, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<32x128xf16, #nv, #smem, mutable>, i1
  tt.return
}
}
// -----
#rows = #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0], CGALayout = [[0, 0]]}>}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%d: !tt.tensordesc<1x128xf16, #nv>, %x: tensor<32xi32, #rows>, %b: !ttg.memdesc<2xi64, #bar, #smem, mutable>, %m: !ttg.memdesc<32x128xf16, #nv, #smem, mutable>, %i: i32, %p: i1) {
  // expected-error@+1 {{offsets must be dealt out to CTAs as the buffer's rows are}}
  ttng.async_tma_gather %d[%x, %i] %m, %b, %p : !tt.tensordesc<1x128xf16, #nv>, tensor<32xi32, #rows>, i32, !ttg.memdesc<2xi64, #bar, #smem, mutable>, !ttg.memdesc<32x128xf16, #nv, #smem, mutable>, i1
  tt.return
}
}
// -----
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%m: !ttg.memdesc<128x256xf32, #tmem, #ttng.tensor_memory, mutable>) {
  // expected-error@+1 {{offset 32 must be a multiple of the result's size 64}}
  %0 = ttng.tmem_subslice %m {N = 32 : i32} : !ttg.memdesc<128x256xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 128x256>
  tt.return
}
}
// -----
#split = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [0, 1]}>
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%m: !ttg.memdesc<64x128xf32, #tmem, #ttng.tensor_memory, mutable>) {
  // expected-error@+1 {{redOp needs whole rows in each thread}}
  %r, %red = ttng.tmem_load %m {redOp = #ttng.redOp<min>} : !ttg.memdesc<64x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<64x128xf32, #split>, tensor<64xf32, #row>
  tt.return
}
}
// -----
#flat = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0]]}>
#bytes = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%w: tensor<128xi32, #flat>, %x: tensor<128xi8, #flat>, %v: !ttg.memdesc<128xi32, #bytes, #smem, mutable>, %m: !ttg.memdesc<128xi8, #bytes, #smem, mutable>, %b: !ttg.memdesc<2xi64, #bar, #smem, mutable>) {
  ttng.async_shared_store %w, %v, %b : tensor<128xi32, #flat> -> !ttg.memdesc<128xi32, #bytes, #smem, mutable>, !ttg.memdesc<2xi64, #bar, #smem, mutable>
  // expected-error@+1 {{each thread must have at least 32 bits in a row}}
  ttng.async_shared_store %x, %m, %b : tensor<128xi8, #flat> -> !ttg.memdesc<128xi8, #bytes, #smem, mutable>, !ttg.memdesc<2xi64, #bar, #smem, mutable>
  tt.return
}
}
// -----
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 4 : i32} {
tt.func private @helper() {
  // expected-error@+1 {{must be in a kernel}}
  ttng.cluster_barrier
  tt.return
}
}
// -----
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%d: !tt.tensordesc<4x16x32xf16, #tile>, %m: !ttg.memdesc<4x16x32xf16, #tile, #ttg.shared_memory>, %i: i32) {
  // expected-error@+1 {{buffer must be one buffer, of the rank of its layout}}
  ttng.async_tma_copy_local_to_global %d[%i, %i, %i] %m : !tt.tensordesc<4x16x32xf16, #tile>, !ttg.memdesc<4x16x32xf16, #tile, #ttg.shared_memory>
  tt.return
}
}
// -----
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%d: !tt.tensordesc<32x64xf16, #tile>, %m: !ttg.memdesc<32x64xf16, #tile, #ttg.shared_memory, 128x64>, %i: i32) {
  // expected-error@+1 {{cannot store from a part that may begin in another CTA}}
  ttng.async_tma_reduce max, %d[%i, %i] %m : !tt.tensordesc<32x64xf16, #tile>, !ttg.memdesc<32x64xf16, #tile, #ttg.shared_memory, 128x64>
  tt.return
}
}
// -----
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%m: !ttg.memdesc<128x64xi8, #tmem, #ttng.tensor_memory, mutable>, %r: !ttg.memdesc<256x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %0 = ttng.tmem_subslice %m {N = 4 : i32} : !ttg.memdesc<128x64xi8, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x4xi8, #tmem, #ttng.tensor_memory, mutable, 128x64>
  // expected-error@+1 {{offset 2 is not at a column of 32 bits}}
  %1 = ttng.tmem_subslice %m {N = 2 : i32} : !ttg.memdesc<128x64xi8, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x2xi8, #tmem, #ttng.tensor_memory, mutable, 128x64>
  tt.return
}
}
// -----
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%m: !ttg.memdesc<128x64xi8, #tmem, #ttng.tensor_memory, mutable>, %r: !ttg.memdesc<256x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %0 = ttng.tmem_subslice %m {N = 4 : i32} : !ttg.memdesc<128x64xi8, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x4xi8, #tmem, #ttng.tensor_memory, mutable, 128x64>
  // expected-error@+1 {{a part has at least the 128 rows of a block, not 64}}
  %2 = ttng.tmem_subslice %r {offset = 64 : i32, dim = 0 : i32} : !ttg.memdesc<256x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable, 256x64>
  tt.return
}
}
// -----
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[1, 0], [0, 1]]>
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%m: !ttg.memdesc<512x128xf32, #tmem, #ttng.tensor_memory, mutable>) {
  // expected-error@+1 {{cannot cut rows between CTAs}}
  %0 = ttng.tmem_subslice %m {offset = 0 : i32, dim = 0 : i32} : !ttg.memdesc<512x128xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable, 512x128>
  tt.return
}
}
// -----
#flat = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%x: tensor<256xf8E5M2, #flat>, %y: tensor<256xf16, #flat>) {
  %0 = ttng.packed_arith mul %y, %y : (tensor<256xf16, #flat>, tensor<256xf16, #flat>) -> tensor<256xf16, #flat>
  // expected-error@+1 {{each thread must have a multiple of 4 values, not 2}}
  %1 = ttng.packed_arith mul %x, %x : (tensor<256xf8E5M2, #flat>, tensor<256xf8E5M2, #flat>) -> tensor<256xf8E5M2, #flat>
  tt.return
}
}
// -----
#sh = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
#fp4 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1, fp4Padded = true>
#scales = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%a: !ttg.memdesc<128x32xi8, #acc, #ttng.tensor_memory>, %p: !ttg.memdesc<128x32xi8, #fp4, #ttng.tensor_memory>,
    %h: !ttg.memdesc<128x32xf16, #fp4, #ttng.tensor_memory>, %b: !ttg.memdesc<64x32xf8E4M3FN, #sh, #ttg.shared_memory>,
    %c: !ttg.memdesc<128x32xf32, #acc, #ttng.tensor_memory, mutable>, %d: !ttg.memdesc<128x32xf32, #fp4, #ttng.tensor_memory, mutable>,
    %s: !ttg.memdesc<128x2xi8, #scales, #ttng.tensor_memory>, %t: !ttg.memdesc<32x2xi8, #scales, #ttng.tensor_memory>, %y: i1) {
  ttng.tc_gen5_mma_scaled %p, %b, %c, %s, %t, %y, %y lhs = e2m1 rhs = e4m3 : !ttg.memdesc<128x32xi8, #fp4, #ttng.tensor_memory>, !ttg.memdesc<64x32xf8E4M3FN, #sh, #ttg.shared_memory>, !ttg.memdesc<128x32xf32, #acc, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x2xi8, #scales, #ttng.tensor_memory>, !ttg.memdesc<32x2xi8, #scales, #ttng.tensor_memory>
  // expected-error@+1 {{a of e2m1 needs fp4 padding beside b of fp8}}
  ttng.tc_gen5_mma_scaled %a, %b, %c, %s, %t, %y, %y lhs = e2m1 rhs = e4m3 : !ttg.memdesc<128x32xi8, #acc, #ttng.tensor_memory>, !ttg.memdesc<64x32xf8E4M3FN, #sh, #ttg.shared_memory>, !ttg.memdesc<128x32xf32, #acc, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x2xi8, #scales, #ttng.tensor_memory>, !ttg.memdesc<32x2xi8, #scales, #ttng.tensor_memory>
  tt.return
}
}
// -----
#sh = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
#fp4 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1, fp4Padded = true>
#scales = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%a: !ttg.memdesc<128x32xi8, #acc, #ttng.tensor_memory>, %p: !ttg.memdesc<128x32xi8, #fp4, #ttng.tensor_memory>,
    %h: !ttg.memdesc<128x32xf16, #fp4, #ttng.tensor_memory>, %b: !ttg.memdesc<64x32xf8E4M3FN, #sh, #ttg.shared_memory>,
    %c: !ttg.memdesc<128x32xf32, #acc, #ttng.tensor_memory, mutable>, %d: !ttg.memdesc<128x32xf32, #fp4, #ttng.tensor_memory, mutable>,
    %s: !ttg.memdesc<128x2xi8, #scales, #ttng.tensor_memory>, %t: !ttg.memdesc<32x2xi8, #scales, #ttng.tensor_memory>, %y: i1) {
  ttng.tc_gen5_mma_scaled %p, %b, %c, %s, %t, %y, %y lhs = e2m1 rhs = e4m3 : !ttg.memdesc<128x32xi8, #fp4, #ttng.tensor_memory>, !ttg.memdesc<64x32xf8E4M3FN, #sh, #ttg.shared_memory>, !ttg.memdesc<128x32xf32, #acc, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x2xi8, #scales, #ttng.tensor_memory>, !ttg.memdesc<32x2xi8, #scales, #ttng.tensor_memory>
  // expected-error@+1 {{an operand of e2m1 has i8 elements, two in each}}
  ttng.tc_gen5_mma_scaled %h, %b, %c, %s, %t, %y, %y lhs = e2m1 rhs = e4m3 : !ttg.memdesc<128x32xf16, #fp4, #ttng.tensor_memory>, !ttg.memdesc<64x32xf8E4M3FN, #sh, #ttg.shared_memory>, !ttg.memdesc<128x32xf32, #acc, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x2xi8, #scales, #ttng.tensor_memory>, !ttg.memdesc<32x2xi8, #scales, #ttng.tensor_memory>
  tt.return
}
}
// -----
#sh = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
#fp4 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1, fp4Padded = true>
#scales = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%a: !ttg.memdesc<128x32xi8, #acc, #ttng.tensor_memory>, %p: !ttg.memdesc<128x32xi8, #fp4, #ttng.tensor_memory>,
    %h: !ttg.memdesc<128x32xf16, #fp4, #ttng.tensor_memory>, %b: !ttg.memdesc<64x32xf8E4M3FN, #sh, #ttg.shared_memory>,
    %c: !ttg.memdesc<128x32xf32, #acc, #ttng.tensor_memory, mutable>, %d: !ttg.memdesc<128x32xf32, #fp4, #ttng.tensor_memory, mutable>,
    %s: !ttg.memdesc<128x2xi8, #scales, #ttng.tensor_memory>, %t: !ttg.memdesc<32x2xi8, #scales, #ttng.tensor_memory>, %y: i1) {
  ttng.tc_gen5_mma_scaled %p, %b, %c, %s, %t, %y, %y lhs = e2m1 rhs = e4m3 : !ttg.memdesc<128x32xi8, #fp4, #ttng.tensor_memory>, !ttg.memdesc<64x32xf8E4M3FN, #sh, #ttg.shared_memory>, !ttg.memdesc<128x32xf32, #acc, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x2xi8, #scales, #ttng.tensor_memory>, !ttg.memdesc<32x2xi8, #scales, #ttng.tensor_memory>
  // expected-error@+1 {{result must not have fp4 padding}}
  ttng.tc_gen5_mma_scaled %p, %b, %d, %s, %t, %y, %y lhs = e2m1 rhs = e4m3 : !ttg.memdesc<128x32xi8, #fp4, #ttng.tensor_memory>, !ttg.memdesc<64x32xf8E4M3FN, #sh, #ttg.shared_memory>, !ttg.memdesc<128x32xf32, #fp4, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x2xi8, #scales, #ttng.tensor_memory>, !ttg.memdesc<32x2xi8, #scales, #ttng.tensor_memory>
  tt.return
}
}
// -----
#sh = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
#fp4 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1, fp4Padded = true>
#scales = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%a: !ttg.memdesc<128x32xi8, #acc, #ttng.tensor_memory>, %p: !ttg.memdesc<128x32xi8, #fp4, #ttng.tensor_memory>,
    %h: !ttg.memdesc<128x32xf16, #fp4, #ttng.tensor_memory>, %b: !ttg.memdesc<64x32xf8E4M3FN, #sh, #ttg.shared_memory>,
    %c: !ttg.memdesc<128x32xf32, #acc, #ttng.tensor_memory, mutable>, %d: !ttg.memdesc<128x32xf32, #fp4, #ttng.tensor_memory, mutable>,
    %s: !ttg.memdesc<128x2xi8, #scales, #ttng.tensor_memory>, %t: !ttg.memdesc<32x2xi8, #scales, #ttng.tensor_memory>, %y: i1) {
  ttng.tc_gen5_mma_scaled %p, %b, %c, %s, %t, %y, %y lhs = e2m1 rhs = e4m3 : !ttg.memdesc<128x32xi8, #fp4, #ttng.tensor_memory>, !ttg.memdesc<64x32xf8E4M3FN, #sh, #ttg.shared_memory>, !ttg.memdesc<128x32xf32, #acc, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x2xi8, #scales, #ttng.tensor_memory>, !ttg.memdesc<32x2xi8, #scales, #ttng.tensor_memory>
  // expected-error@+1 {{scaled operands are fp8 or fp4, not bf16}}
  ttng.tc_gen5_mma_scaled %p, %b, %c, %s, %t, %y, %y lhs = e4m3 rhs = bf16 : !ttg.memdesc<128x32xi8, #fp4, #ttng.tensor_memory>, !ttg.memdesc<64x32xf8E4M3FN, #sh, #ttg.shared_memory>, !ttg.memdesc<128x32xf32, #acc, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x2xi8, #scales, #ttng.tensor_memory>, !ttg.memdesc<32x2xi8, #scales, #ttng.tensor_memory>
  tt.return
}
}
// -----
// A part of a buffer of tensor memory owns its columns and no others; scales take columns of their own.
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1, CGALayout = [[1, 0]]>
#scales = #ttng.tensor_memory_scales_encoding<CGALayout = [[1, 0]]>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%m: !ttg.memdesc<256x512xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %0 = ttng.tmem_subslice %m {offset = 448 : i32} : !ttg.memdesc<256x512xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<256x32xf32, #tmem, #ttng.tensor_memory, mutable, 256x512>
  %1 = ttg.memdesc_reinterpret %0 : !ttg.memdesc<256x32xf32, #tmem, #ttng.tensor_memory, mutable, 256x512> -> !ttg.memdesc<256x32xi8, #scales, #ttng.tensor_memory, mutable>
  %2 = ttng.tmem_subslice %m {offset = 496 : i32} : !ttg.memdesc<256x512xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<256x16xf32, #tmem, #ttng.tensor_memory, mutable, 256x512>
  // expected-error@+1 {{result has columns that are not the operand's}}
  %3 = ttg.memdesc_reinterpret %2 : !ttg.memdesc<256x16xf32, #tmem, #ttng.tensor_memory, mutable, 256x512> -> !ttg.memdesc<256x32xi8, #scales, #ttng.tensor_memory, mutable>
  tt.return
}
}
// -----
// The lower half of the rows lies behind the upper half of each 64 columns.
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%m: !ttg.memdesc<128x256xf32, #tmem, #ttng.tensor_memory, mutable, 256x256>) {
  %0 = ttg.memdesc_reinterpret %m : !ttg.memdesc<128x256xf32, #tmem, #ttng.tensor_memory, mutable, 256x256> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // expected-error@+1 {{result has columns that are not the operand's}}
  %1 = ttg.memdesc_reinterpret %m : !ttg.memdesc<128x256xf32, #tmem, #ttng.tensor_memory, mutable, 256x256> -> !ttg.memdesc<128x256xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}
}
// -----
// A block of 64 rows has 16 of each 32; scales are spread over all of them.
#half = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
#scales = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%m: !ttg.memdesc<64x64xf32, #half, #ttng.tensor_memory, mutable>, %w: !ttg.memdesc<128x64xf32, #half, #ttng.tensor_memory, mutable>) {
  %0 = ttg.memdesc_reinterpret %w : !ttg.memdesc<128x64xf32, #half, #ttng.tensor_memory, mutable> -> !ttg.memdesc<64x4xi8, #scales, #ttng.tensor_memory, mutable>
  // expected-error@+1 {{result has rows that are not the operand's}}
  %1 = ttg.memdesc_reinterpret %m : !ttg.memdesc<64x64xf32, #half, #ttng.tensor_memory, mutable> -> !ttg.memdesc<64x4xi8, #scales, #ttng.tensor_memory, mutable>
  tt.return
}
}
// -----
#split = #ttng.tensor_memory_encoding<blockM = 128, blockN = 16, colStride = 1, CGALayout = [[0, 1]]>
#same = #ttng.tensor_memory_encoding<blockM = 128, blockN = 16, colStride = 1, CGALayout = [[0, 0]]>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%m: !ttg.memdesc<128x32xf32, #split, #ttng.tensor_memory, mutable, 128x128>) {
  // expected-error@+1 {{operand is a part that is cut between CTAs}}
  %0 = ttg.memdesc_reinterpret %m : !ttg.memdesc<128x32xf32, #split, #ttng.tensor_memory, mutable, 128x128> -> !ttg.memdesc<128x32xf32, #same, #ttng.tensor_memory, mutable>
  tt.return
}
}
// -----
#sh = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#narrow = #ttng.tensor_memory_encoding<blockM = 128, blockN = 2, colStride = 1>
#wide = #ttng.tensor_memory_encoding<blockM = 128, blockN = 4, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @f(%s: !ttg.memdesc<128x64xi32, #sh, #ttg.shared_memory>, %w: !ttg.memdesc<128x64xi32, #wide, #ttng.tensor_memory, mutable, 256x64>,
    %n: !ttg.memdesc<128x64xi32, #narrow, #ttng.tensor_memory, mutable, 256x64>) {
  ttng.tmem_copy %s, %w : !ttg.memdesc<128x64xi32, #sh, #ttg.shared_memory>, !ttg.memdesc<128x64xi32, #wide, #ttng.tensor_memory, mutable, 256x64>
  // expected-error@+1 {{destination must have 128 bits in a row}}
  ttng.tmem_copy %s, %n : !ttg.memdesc<128x64xi32, #sh, #ttg.shared_memory>, !ttg.memdesc<128x64xi32, #narrow, #ttng.tensor_memory, mutable, 256x64>
  tt.return
}
}
// -----
#flat = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#half = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%h: tensor<512xf16, #flat>, %f: tensor<512xf32, #flat>, %e4: tensor<512xf8E4M3FN, #flat>, %e5: tensor<512xf8E5M2, #flat>, %u: tensor<512xf8E8M0FNU, #flat>, %e2: tensor<256xi8, #half>, %b: tensor<512xbf16, #flat>, %w: tensor<512xi8, #flat>, %n: tensor<256xi8, #one>) {
  %0 = ttng.packed_arith add %h, %f : (tensor<512xf16, #flat>, tensor<512xf32, #flat>) -> tensor<512xf32, #flat>
  %1 = ttng.packed_arith sub %f, %f : (tensor<512xf32, #flat>, tensor<512xf32, #flat>) -> tensor<512xf16, #flat>
  %2 = ttng.packed_arith mul %h, %b : (tensor<512xf16, #flat>, tensor<512xbf16, #flat>) -> tensor<512xf16, #flat>
  %3 = ttng.packed_arith fma %b, %f, %f : (tensor<512xbf16, #flat>, tensor<512xf32, #flat>, tensor<512xf32, #flat>) -> tensor<512xf32, #flat>
  %4 = ttng.packed_arith add %e2, %e4 : (tensor<256xi8, #half>, tensor<512xf8E4M3FN, #flat>) -> tensor<512xf8E4M3FN, #flat>
  %5 = ttng.packed_arith mul %e5, %e2 : (tensor<512xf8E5M2, #flat>, tensor<256xi8, #half>) -> tensor<512xf8E4M3FN, #flat>
  %6 = ttng.packed_arith fma %u, %e2, %e4 : (tensor<512xf8E8M0FNU, #flat>, tensor<256xi8, #half>, tensor<512xf8E4M3FN, #flat>) -> tensor<512xf8E4M3FN, #flat>
  %7 = ttng.packed_arith min %b, %b : (tensor<512xbf16, #flat>, tensor<512xbf16, #flat>) -> tensor<512xbf16, #flat>
  // expected-error@+1 {{there is no packed 'add' of 'f16', 'f32' that gives 'f16'}}
  %8 = ttng.packed_arith add %h, %f : (tensor<512xf16, #flat>, tensor<512xf32, #flat>) -> tensor<512xf16, #flat>
  tt.return
}
}
// -----
#flat = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#half = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%h: tensor<512xf16, #flat>, %f: tensor<512xf32, #flat>, %e4: tensor<512xf8E4M3FN, #flat>, %e5: tensor<512xf8E5M2, #flat>, %u: tensor<512xf8E8M0FNU, #flat>, %e2: tensor<256xi8, #half>, %b: tensor<512xbf16, #flat>, %w: tensor<512xi8, #flat>, %n: tensor<256xi8, #one>) {
  // expected-error@+1 {{there is no packed}}
  %0 = ttng.packed_arith add %h, %e4 : (tensor<512xf16, #flat>, tensor<512xf8E4M3FN, #flat>) -> tensor<512xf32, #flat>
  tt.return
}
}
// -----
#flat = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#half = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%h: tensor<512xf16, #flat>, %f: tensor<512xf32, #flat>, %e4: tensor<512xf8E4M3FN, #flat>, %e5: tensor<512xf8E5M2, #flat>, %u: tensor<512xf8E8M0FNU, #flat>, %e2: tensor<256xi8, #half>, %b: tensor<512xbf16, #flat>, %w: tensor<512xi8, #flat>, %n: tensor<256xi8, #one>) {
  // expected-error@+1 {{there is no packed}}
  %0 = ttng.packed_arith add %e5, %e5 : (tensor<512xf8E5M2, #flat>, tensor<512xf8E5M2, #flat>) -> tensor<512xf8E4M3FN, #flat>
  tt.return
}
}
// -----
#flat = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#half = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%h: tensor<512xf16, #flat>, %f: tensor<512xf32, #flat>, %e4: tensor<512xf8E4M3FN, #flat>, %e5: tensor<512xf8E5M2, #flat>, %u: tensor<512xf8E8M0FNU, #flat>, %e2: tensor<256xi8, #half>, %b: tensor<512xbf16, #flat>, %w: tensor<512xi8, #flat>, %n: tensor<256xi8, #one>) {
  // expected-error@+1 {{there is no packed}}
  %0 = ttng.packed_arith min %f, %f : (tensor<512xf32, #flat>, tensor<512xf32, #flat>) -> tensor<512xf32, #flat>
  tt.return
}
}
// -----
#flat = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#half = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%h: tensor<512xf16, #flat>, %f: tensor<512xf32, #flat>, %e4: tensor<512xf8E4M3FN, #flat>, %e5: tensor<512xf8E5M2, #flat>, %u: tensor<512xf8E8M0FNU, #flat>, %e2: tensor<256xi8, #half>, %b: tensor<512xbf16, #flat>, %w: tensor<512xi8, #flat>, %n: tensor<256xi8, #one>) {
  // expected-error@+1 {{there is no packed}}
  %0 = ttng.packed_arith max %e4, %e4 : (tensor<512xf8E4M3FN, #flat>, tensor<512xf8E4M3FN, #flat>) -> tensor<512xf8E4M3FN, #flat>
  tt.return
}
}
// -----
#flat = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#half = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%h: tensor<512xf16, #flat>, %f: tensor<512xf32, #flat>, %e4: tensor<512xf8E4M3FN, #flat>, %e5: tensor<512xf8E5M2, #flat>, %u: tensor<512xf8E8M0FNU, #flat>, %e2: tensor<256xi8, #half>, %b: tensor<512xbf16, #flat>, %w: tensor<512xi8, #flat>, %n: tensor<256xi8, #one>) {
  // expected-error@+1 {{an operand of e2m1 must have half of the result}}
  %0 = ttng.packed_arith add %w, %e4 : (tensor<512xi8, #flat>, tensor<512xf8E4M3FN, #flat>) -> tensor<512xf8E4M3FN, #flat>
  tt.return
}
}
// -----
#flat = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#half = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%h: tensor<512xf16, #flat>, %f: tensor<512xf32, #flat>, %e4: tensor<512xf8E4M3FN, #flat>, %e5: tensor<512xf8E5M2, #flat>, %u: tensor<512xf8E8M0FNU, #flat>, %e2: tensor<256xi8, #half>, %b: tensor<512xbf16, #flat>, %w: tensor<512xi8, #flat>, %n: tensor<256xi8, #one>) {
  // expected-error@+1 {{both elements of a byte must be in registers side by side}}
  %0 = ttng.packed_arith add %n, %e4 : (tensor<256xi8, #one>, tensor<512xf8E4M3FN, #flat>) -> tensor<512xf8E4M3FN, #flat>
  tt.return
}
}
