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

// -----
#blocked = #ttg.blocked<{sizePerThread = [1, 2, 2], threadsPerWarp = [1, 8, 8], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @three(%x: tensor<2x64x16xf16, #blocked>) {
    // expected-error @+1 {{only what has two dimensions is turned}}
    %0 = amdg.in_thread_transpose %x : tensor<2x64x16xf16, #blocked> -> tensor<2x64x16xf16, #blocked>
    tt.return
  }
}

// -----
tt.func @rank(%x: tensor<16x32xi8>, %s: tensor<64xi8>) {
  // expected-error @+1 {{operand, scale and result must have one rank}}
  %0 = amdg.scaled_upcast_fp4 %x scale %s {axis = 1 : i32} : tensor<16x32xi8>, tensor<64xi8> -> tensor<16x64xbf16>
  tt.return
}

// -----
tt.func @axis(%x: tensor<16x32xi8>, %s: tensor<16x64xi8>) {
  // expected-error @+1 {{axis 2 is none of 2 dimensions}}
  %0 = amdg.scaled_upcast_fp4 %x scale %s {axis = 2 : i32} : tensor<16x32xi8>, tensor<16x64xi8> -> tensor<16x64xbf16>
  tt.return
}

// -----
tt.func @halves(%x: tensor<16x32xi8>, %s: tensor<16x64xi8>) {
  // expected-error @+1 {{dimension 1 of the result must be 64}}
  %0 = amdg.scaled_upcast_fp4 %x scale %s {axis = 1 : i32} : tensor<16x32xi8>, tensor<16x64xi8> -> tensor<16x32xbf16>
  tt.return
}

// -----
tt.func @rows(%x: tensor<16x32xi8>, %s: tensor<8x64xi8>) {
  // expected-error @+1 {{dimension 0 of the scale must be that of the result}}
  %0 = amdg.scaled_upcast_fp4 %x scale %s {axis = 1 : i32} : tensor<16x32xi8>, tensor<8x64xi8> -> tensor<16x64xbf16>
  tt.return
}

// -----
tt.func @columns(%x: tensor<16x32xi8>, %s: tensor<16x128xi8>) {
  // expected-error @+1 {{dimension 1 of the scale must divide that of the result}}
  %0 = amdg.scaled_upcast_fp4 %x scale %s {axis = 1 : i32} : tensor<16x32xi8>, tensor<16x128xi8> -> tensor<16x64xbf16>
  tt.return
}

// -----
#enc = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @layouts(%x: tensor<16x32xi8>, %s: tensor<16x64xi8, #enc>) {
    // expected-error @+1 {{operand, scale and result must all have a layout, or none}}
    %0 = amdg.scaled_upcast_fp4 %x scale %s {axis = 1 : i32} : tensor<16x32xi8>, tensor<16x64xi8, #enc> -> tensor<16x64xbf16>
    tt.return
  }
}

// -----
#src = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#dst = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#bad = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @bytes(%x: tensor<16x32xi8, #src>, %s: tensor<16x64xbf16, #dst>, %t: tensor<16x64xbf16, #bad>) {
    %0 = amdg.scaled_upcast_fp4 %x scale %s {axis = 1 : i32} : tensor<16x32xi8, #src>, tensor<16x64xbf16, #dst> -> tensor<16x64xbf16, #dst>
    // expected-error @+1 {{both elements of a byte must be in its thread}}
    %1 = amdg.scaled_upcast_fp4 %x scale %t {axis = 1 : i32} : tensor<16x32xi8, #src>, tensor<16x64xbf16, #bad> -> tensor<16x64xbf16, #bad>
    tt.return
  }
}

// -----
#src = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#dst = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#bad = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @scales(%x: tensor<16x32xi8, #src>, %s: tensor<16x64xbf16, #bad>) {
    // expected-error @+1 {{each thread must have the scales of its elements}}
    %0 = amdg.scaled_upcast_fp4 %x scale %s {axis = 1 : i32} : tensor<16x32xi8, #src>, tensor<16x64xbf16, #bad> -> tensor<16x64xbf16, #dst>
    tt.return
  }
}

// -----
tt.func @nothing(%d: !tt.tensordesc<64x64xf16>) {
  // expected-error @+1 {{there must be add_offsets, set_bounds or pred}}
  %0 = amdg.update_tensor_descriptor %d : !tt.tensordesc<64x64xf16>
  tt.return
}

// -----
tt.func @numbers(%d: !tt.tensordesc<64x64xf16>, %x: i32) {
  // expected-error @+1 {{there must be one number for each of the descriptor's 2 dimensions}}
  %0 = amdg.update_tensor_descriptor %d add_offsets = [%x] : !tt.tensordesc<64x64xf16>
  tt.return
}

// -----
tt.func @bounds(%d: !tt.tensordesc<64x64xf16>, %x: i32) {
  // expected-error @+1 {{there must be one number for each of the descriptor's 2 dimensions}}
  %0 = amdg.update_tensor_descriptor %d set_bounds = [%x, %x, %x] : !tt.tensordesc<64x64xf16>
  tt.return
}

// -----
tt.func @clamp(%d: !tt.tensordesc<64x64xf16>, %p: i32) {
  // expected-error @+1 {{clamp_bounds needs add_offsets}}
  %0 = amdg.update_tensor_descriptor %d pred = %p {clamp_bounds} : !tt.tensordesc<64x64xf16>
  tt.return
}

// -----
tt.func @both(%d: !tt.tensordesc<64x64xf16>, %x: i32) {
  // expected-error @+1 {{clamp_bounds and set_bounds exclude each other}}
  %0 = amdg.update_tensor_descriptor %d add_offsets = [%x, %x] set_bounds = [%x, %x] {clamp_bounds} : !tt.tensordesc<64x64xf16>
  tt.return
}

// -----
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @hint(%d: !tt.tensordesc<64x64xf16>, %m: !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{must have a bit}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %m {warp_used_hint = 0 : i32} : !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @hint(%d: !tt.tensordesc<64x64xf16>, %m: !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{must be a power of two}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %m {warp_used_hint = 105 : i32} : !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @hint(%d: !tt.tensordesc<64x64xf16>, %m: !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{must be a power of two}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %m {warp_used_hint = 7 : i32} : !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @hint(%d: !tt.tensordesc<64x64xf16>, %m: !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{bits beyond the 8 warps}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %m {warp_used_hint = 513 : i32} : !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----
#p = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [8, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @store_interval(%d: !tt.tensordesc<8x64xf16>, %m: !ttg.memdesc<8x64xf16, #p, #smem, mutable>) {
    // expected-error @+1 {{padding must stand behind each row of 64 elements, not every 32}}
    amdg.async_tdm_copy_local_to_global %d from %m : !ttg.memdesc<8x64xf16, #p, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----
#p = #ttg.padded_shared<[64:+4, 128:+4] {order = [1, 0], shape = [8, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @scatter_intervals(%d: !tt.tensordesc<8x64xf16>, %m: !ttg.memdesc<8x64xf16, #p, #smem, mutable>, %i: tensor<8xi32>) {
    // expected-error @+1 {{a buffer that is stored has one interval of padding, not 2}}
    amdg.async_tdm_scatter %d[%i] from %m : tensor<8xi32>, !ttg.memdesc<8x64xf16, #p, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----
#p = #ttg.padded_shared<[128:+4] {order = [1, 0], shape = [8, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @gather_interval(%d: !tt.tensordesc<8x64xf16>, %m: !ttg.memdesc<8x64xf16, #p, #smem, mutable>, %i: tensor<8xi32>) {
    // expected-error @+1 {{the interval of padding, 128, does not divide rows of 64 elements}}
    %0 = amdg.async_tdm_gather %d[%i] to %m : tensor<8xi32>, !ttg.memdesc<8x64xf16, #p, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>
#i = #ttg.slice<{dim = 1, parent = #b}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @gather_lanes(%d: !tt.tensordesc<8x64xf16>, %m: !ttg.memdesc<8x64xf16, #s, #smem, mutable>, %i: tensor<8xi32, #i>) {
    // expected-error @+1 {{all lanes of a warp must have the same row numbers}}
    %0 = amdg.async_tdm_gather %d[%i] to %m : tensor<8xi32, #i>, !ttg.memdesc<8x64xf16, #s, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#p = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [8, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @load_kinds(%d: !tt.tensordesc<8x64xf16, #p>, %m: !ttg.memdesc<8x64xf16, #s, #smem, mutable>) {
    // expected-error @+1 {{the descriptor's layout #ttg.padded_shared<}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %m : !tt.tensordesc<8x64xf16, #p> -> !ttg.memdesc<8x64xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#t = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @load_order(%d: !tt.tensordesc<8x64xf16, #t>, %m: !ttg.memdesc<8x64xf16, #s, #smem, mutable>) {
    // expected-error @+1 {{is not that of the buffer}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %m : !tt.tensordesc<8x64xf16, #t> -> !ttg.memdesc<8x64xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#t = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @load_rank(%d: !tt.tensordesc<2x32xf16, #t>, %m: !ttg.memdesc<64xf16, #s, #smem, mutable>) {
    // expected-error @+1 {{is not that of the buffer}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %m : !tt.tensordesc<2x32xf16, #t> -> !ttg.memdesc<64xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----
#w = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #w}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @hint_pieces(%d: !tt.tensordesc<8x64xf16>, %m: !ttg.memdesc<8x64xf16, #s, #smem, mutable>) {
    // expected-error @+1 {{the 2 warps of warp_used_hint must be a multiple of the buffer's 4 pieces}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %m {warp_used_hint = 3 : i32} : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @wide(%x: tensor<8x64xf8E5M2, #blocked>, %s: tensor<8x64xbf16, #blocked>) {
    // expected-error @+1 {{must be ranked tensor of}}
    %0 = amdg.scaled_upcast_fp8 %x scale %s : tensor<8x64xf8E5M2, #blocked>, tensor<8x64xbf16, #blocked> -> tensor<8x64xf32, #blocked>
    tt.return
  }
}

// -----
#rows = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0], CGALayout = [[0, 0]]}>
#numbers = #ttg.slice<{dim = 1, parent = #rows}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 1 : i32, "ttg.target" = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @rows_of_ctas(%b: !ttg.memdesc<8x32xf16, #shared, #smem, mutable>, %d: !tt.tensordesc<8x32xf16>, %r: tensor<8xi32, #numbers>) {
    // expected-error @+1 {{row numbers must be dealt out to CTAs as the rows of the buffer are}}
    %0 = amdg.async_tdm_gather %d[%r] to %b : tensor<8xi32, #numbers>, !ttg.memdesc<8x32xf16, #shared, #smem, mutable> -> !tt.tensordesc<8x32xf16>
    tt.return
  }
}

// -----
#bytes = #ttg.linear<{register = [[0, 8], [0, 1], [0, 2], [0, 4], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
#values = #ttg.linear<{register = [[0, 1], [0, 16], [0, 2], [0, 4], [0, 8], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
#scale = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.target" = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @eight(%x: tensor<32x32xi8, #bytes>, %s: tensor<32x4xi8, #scale>) {
    // expected-error @+1 {{eight neighbours in a thread must have one scale}}
    %0 = amdg.scaled_upcast_fp4 %x scale %s {axis = 1 : i32} : tensor<32x32xi8, #bytes>, tensor<32x4xi8, #scale> -> tensor<32x64xbf16, #values>
    tt.return
  }
}

// -----
#tile = #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#same = #ttg.linear<{register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4], [0, 8], [0, 16], [2, 0], [4, 0], [8, 0]], warp = [], block = []}>
#turned = #ttg.linear<{register = [[1, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [2, 0], [4, 0], [8, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.target" = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @as_before(%x: tensor<16x32xf16, #tile>) {
    %0 = amdg.in_thread_transpose %x : tensor<16x32xf16, #tile> -> tensor<16x32xf16, #turned>
    // expected-error @+1 {{the result numbers a thread's elements along the same dimension first as the operand}}
    %1 = amdg.in_thread_transpose %x : tensor<16x32xf16, #tile> -> tensor<16x32xf16, #same>
    tt.return
  }
}
