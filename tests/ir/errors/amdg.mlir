#blocked = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @transpose(%x: tensor<64x16xf16, #blocked>) {
    // expected-error @+1 {{every thread must keep its elements}}
    %0 = amdg.in_thread_transpose %x : tensor<64x16xf16, #blocked> -> tensor<64x16xf16, #other>
    tt.return
  }
}

// -----
#blocked = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @slice(%x: tensor<64x16xf16, #blocked>) {
    // expected-error @+1 {{the slice goes beyond the end of dimension 0}}
    %0 = amdg.extract_slice %x [64, 0] : tensor<64x16xf16, #blocked> to tensor<32x16xf16, #blocked>
    tt.return
  }
}

// -----
#blocked = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @concat(%x: tensor<64x16xf16, #blocked>) {
    // expected-error @+1 {{the parts do not fill the result}}
    %0 = amdg.concat %x, %x : tensor<64x16xf16, #blocked>, tensor<64x16xf16, #blocked> -> tensor<256x16xf16, #blocked>
    tt.return
  }
}

// -----
#blocked = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @elements(%p: !tt.ptr<f16>, %i: tensor<64x16xi32, #blocked>) {
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x16xf32, #rows, #ttg.shared_memory, mutable>
    // expected-error @+1 {{the buffer's elements must be of the type that the pointer points to}}
    %0 = amdg.buffer_load_to_local %p[%i] into %b : <f16>[tensor<64x16xi32, #blocked>] -> <64x16xf32, #rows, #ttg.shared_memory, mutable>
    tt.return
  }
}
