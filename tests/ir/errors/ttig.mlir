#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%x: tensor<64x32xf16, #wide>, %y: tensor<32x64xf16, #b>, %z: tensor<64x64xf32, #half>) {
    // expected-error @+1 {{have dot_op layouts of kWidth 1 and 2, not 2 and 2}}
    %0 = tt.dot %x, %y, %z : tensor<64x32xf16, #wide> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #half>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%p: !tt.ptr<f16>, %n: i32) {
    // expected-error @+1 {{the block must have rank 2 or more, not 1}}
    %0 = ttig.2d_block_load %p, %n, %n, %n[%n, %n] {row_major} : !tt.ptr<f16> -> tensor<32xf16, #ttg.slice<{dim = 0, parent = #a}>>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%p: !tt.ptr<f32>, %n: i32) {
    // expected-error @+1 {{the pointer is to 'f32', the block of 'f16'}}
    %0 = ttig.2d_block_load %p, %n, %n, %n[%n, %n] {row_major} : !tt.ptr<f32> -> tensor<64x32xf16, #a>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%p: !tt.ptr<i16>, %n: i32) {
    // expected-error @+1 {{'pad_nan' is for floating-point elements}}
    %0 = ttig.2d_block_load %p, %n, %n, %n[%n, %n] {row_major, pad_nan} : !tt.ptr<i16> -> tensor<64x32xi16, #a>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%q: tensor<32x!tt.ptr<f16>, #ttg.slice<{dim = 0, parent = #a}>>, %n: i32) {
    // expected-error @+1 {{the block must have rank 2 or more, not 1}}
    %0 = ttig.2d_block_load_from_ptr %q, %n {row_major} {base_height = 8 : i32, base_width = 64 : i32} : (tensor<32x!tt.ptr<f16>, #ttg.slice<{dim = 0, parent = #a}>>, i32) -> tensor<32xf16, #ttg.slice<{dim = 0, parent = #a}>>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%q: tensor<64x32x!tt.ptr<f16>, #a>, %m: tensor<64x32xi1, #a>, %n: i32) {
    // expected-error @+1 {{a mask needs what stands for the elements that it leaves out}}
    %0 = "ttig.2d_block_load_from_ptr"(%q, %n, %m) <{base_width = 64 : i32, base_height = 8 : i32, memory_layout = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<64x32x!tt.ptr<f16>, #a>, i32, tensor<64x32xi1, #a>) -> tensor<64x32xf16, #a>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x32xf16>, %i: i32) {
    // expected-error @+1 {{a block of rank 2 begins at 2 indices, not 1}}
    ttig.descriptor_prefetch %d[%i] : !tt.tensordesc<64x32xf16>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%p: !tt.ptr<f16, 3>, %x: tensor<8x16xf16>) {
    // expected-error @+1 {{needs a tensor of 16 x 16 elements without a layout}}
    %0 = ttig.sub_group_transpose %p, %x : tensor<8x16xf16>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x32xf16>) {
    // expected-error @+1 {{a descriptor of rank 2 has fields 0 to 4, not 5}}
    %0 = ttig.extract_desc %d[5] : <64x32xf16> -> i64
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x32xf16>) {
    // expected-error @+1 {{field 4 is a pointer, not 'i64'}}
    %0 = ttig.extract_desc %d[4] : <64x32xf16> -> i64
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x32xf16>) {
    // expected-error @+1 {{field 0 is an i64, not 'i32'}}
    %0 = ttig.extract_desc %d[0] : <64x32xf16> -> i32
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%d: !tt.tensordesc<2x64xf16>, %t: tensor<8xi32>, %i: i32) {
    // expected-error @+1 {{the descriptor's blocks must be one row}}
    %0 = ttig.descriptor_gather %d[%t, %i] : (!tt.tensordesc<2x64xf16>, tensor<8xi32>, i32) -> tensor<8x64xf16>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x64xf16>, %t: tensor<8xi32>, %i: i32) {
    // expected-error @+1 {{needs an offset for each row of a tensor of rank 2}}
    %0 = ttig.descriptor_gather %d[%t, %i] : (!tt.tensordesc<1x64xf16>, tensor<8xi32>, i32) -> tensor<16x64xf16>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x64xf16>, %t: tensor<8xi32>, %i: i32, %x: tensor<8x32xf16>) {
    // expected-error @+1 {{the tensor's rows are no blocks of the descriptor}}
    ttig.descriptor_scatter %d[%t, %i], %x : !tt.tensordesc<1x64xf16>, tensor<8xi32>, i32, tensor<8x32xf16>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x8xf16>, %t: tensor<8xi32>, %i: i32) {
    // expected-error @+1 {{needs 16 columns of this element type at least}}
    %0 = ttig.descriptor_gather %d[%t, %i] : (!tt.tensordesc<1x8xf16>, tensor<8xi32>, i32) -> tensor<8x8xf16>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#wide = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x32xf16>, %i: i32) {
    // expected-error @+1 {{tensor may only drop leading dimensions}}
    %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x32xf16> -> tensor<32x64xf16, #b>
    tt.return
  }
}

// -----
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #half, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @f(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %z: tensor<64x64xf32, #half>) {
    // expected-error @+1 {{operands of this matrix layout have 16 bits, not 32}}
    %0 = tt.dot %x, %y, %z, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #half>
    tt.return
  }
}
