// expected-error@+1 {{'sizePerThread' must hold powers of two}}
module attributes {x.a = #ttg.blocked<{sizePerThread = [1, 3], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>} {
}
// -----
// expected-error@+1 {{'order' must be a permutation}}
module attributes {x.a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 1]}>} {
}
// -----
// expected-error@+1 {{'threadsPerWarp' has another rank}}
module attributes {x.a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8], warpsPerCTA = [4, 1], order = [1, 0]}>} {
}
// -----
// expected-error@+1 {{'order' is missing}}
module attributes {x.a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1]}>} {
}
// -----
// expected-error@+1 {{unknown field 'colour'}}
module attributes {x.a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], colour = 3}>} {
}
// -----
// expected-error@+1 {{bases must be different powers of two}}
module attributes {x.a = #ttg.linear<{register = [[0, 3]], lane = [], warp = [], block = []}>} {
}
// -----
// expected-error@+1 {{moves along more than one dimension}}
module attributes {x.a = #ttg.linear<{register = [[1, 1]], lane = [], warp = [], block = []}>} {
}
// -----
// expected-error@+1 {{do not reach every element}}
module attributes {x.a = #ttg.linear<{register = [[0, 2]], lane = [], warp = [], block = []}>} {
}
// -----
// expected-error@+1 {{'dim' is not a dimension of the parent}}
module attributes {x.a = #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>}>} {
}
// -----
// expected-error@+1 {{'parent' must be a layout}}
module attributes {x.a = #ttg.slice<{dim = 0, parent = 7}>} {
}
// -----
// expected-error@+1 {{'opIdx' must be 0 or 1}}
module attributes {x.a = #ttg.dot_op<{opIdx = 2, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>} {
}
// -----
// expected-error@+1 {{'kWidth' is required}}
module attributes {x.a = #ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>}>} {
}
// -----
// expected-error@+1 {{must be 0 when the parent is a Hopper mma}}
module attributes {x.a = #ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>, kWidth = 2}>} {
}
// -----
// expected-error@+1 {{not allowed for a blocked parent}}
module attributes {x.a = #ttg.dot_op<{opIdx = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>, kWidth = 2}>} {
}
// -----
// expected-error@+1 {{must be 0, 32, 64 or 128}}
module attributes {x.a = #ttg.nvmma_shared<{swizzlingByteWidth = 48, transposed = false, elementBitWidth = 16}>} {
}
// -----
// expected-error@+1 {{intervals must grow}}
module attributes {x.a = #ttg.padded_shared<[128:+8, 64:+8] {order = [1, 0], shape = [16, 128]}>} {
}
// -----
// expected-error@+1 {{'maxPhase' must hold powers of two}}
module attributes {x.a = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 3, order = [1, 0]}>} {
}
// -----
// expected-error@+1 {{'blockM' must be 64 or 128}}
module attributes {x.a = #ttng.tensor_memory_encoding<blockM = 32, blockN = 64, colStride = 1>} {
}
// -----
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error@+1 {{needs a shared or tensor memory layout}}
tt.func private @f(%b: !ttg.memdesc<64x32xf16, #blocked, #ttg.shared_memory>)
// -----
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error@+1 {{does not fit the layout}}
tt.func private @f(%b: !ttg.memdesc<64x32xf16, #shared, #ttng.tensor_memory>)
// -----
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error@+1 {{rank of the layout}}
tt.func private @f(%b: !ttg.memdesc<64x32x32x32xf16, #shared, #ttg.shared_memory>)
// -----
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error@+1 {{power-of-2}}
tt.func private @f(%b: !ttg.memdesc<48x32xf16, #shared, #ttg.shared_memory>)
// -----
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error@+1 {{less than or equal to alloc shape}}
tt.func private @f(%b: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, 32x32>)
// -----
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error@+1 {{at least 8 bits wide}}
tt.func private @f(%b: !ttg.memdesc<64x32xi4, #shared, #ttg.shared_memory>)
// -----
// expected-error@+1 {{'instrShape' must be [16, 16, 16] for version 1}}
module attributes {x.a = #ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = []}, instrShape = [16, 16, 32]}>} {
}
// -----
// expected-error@+1 {{'instrShape' must begin with}}
module attributes {x.a = #ttg.amd_mfma<{version = 2, warpsPerCTA = [1, 1], instrShape = [16, 8, 8], isTransposed = false}>} {
}
// -----
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
// expected-error@+1 {{an im2col descriptor's block has two dimensions}}
tt.func private @f(%d: !ttng.tensordesc_im2col<2x64x128xf16, #nv>)
// -----
// expected-error@+1 {{bases must be different powers of two}}
module attributes {x.a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [0, 1], CGALayout = [[1, 0], [1, 0]]}>} {
}
// -----
// expected-error@+1 {{bases must be different powers of two}}
module attributes {x.a = #ttg.padded_shared<[4:+4] {offset = [[1, 0], [3, 0]], block = []}>} {
}
// -----
// expected-error@+1 {{a basis of the offset must not be zero}}
module attributes {x.a = #ttg.padded_shared<[4:+4] {offset = [[1, 0], [0, 0]], block = []}>} {
}
// -----
// expected-error@+1 {{a basis of the block must be a power of two along one dimension}}
module attributes {x.a = #ttg.padded_shared<[4:+4] {offset = [[1, 0], [0, 1]], block = [[1, 2]]}>} {
}
// -----
#padded = #ttg.padded_shared<[4:+4] {order = [1, 0], shape = [4, 4]}>
// expected-error@+1 {{dimension 0 of the padded layout has size 4, not 8}}
tt.func private @f(%b: !ttg.memdesc<8x4xf32, #padded, #ttg.shared_memory>)
// -----
#padded = #ttg.padded_shared<[4:+4] {offset = [[1, 0], [0, 1], [2, 0]], block = []}>
// expected-error@+1 {{dimension 1 of the padded layout has size 2, not 4}}
tt.func private @f(%b: !ttg.memdesc<4x4xf32, #padded, #ttg.shared_memory>)
// -----
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// expected-error@+1 {{'numPartitions' must be at least 2}}
module attributes {x.a = #ttg.partitioned_shared<{numPartitions = 1, numGroups = 4, partitionDim = 0, partitionLayout = #shared}>} {
}
// -----
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error@+1 {{'partitionLayout' must be a layout of shared memory}}
module attributes {x.a = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 4, partitionDim = 0, partitionLayout = #blocked}>} {
}
// -----
// expected-error@+1 {{layout field unknown field 'CGALayout'}}
module attributes {x.a = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1], CGALayout = [[1, 0]]}>} {
}
// -----
// expected-error@+1 {{layout field unknown field 'lane'}}
module attributes {x.a = #ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = [[0, 1]], lane = [[1, 0]]}}>} {
}
// -----
// expected-error@+1 {{layout field 'ctaLayout' must be a dictionary}}
module attributes {x.a = #ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = 4}>} {
}
// -----
// expected-error@+1 {{'repCluster' must hold powers of two, but has 3}}
module attributes {x.a = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [3, 1]}>} {
}
// -----
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error@+1 {{alloc shape must have power-of-2 and non-zero dimensions; got 8, 24}}
tt.func @f(%b: !ttg.memdesc<8x16xi32, #shared, #ttg.shared_memory, 8x24>) {
  tt.return
}
// -----
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
// expected-error@+1 {{elements in tensor memory have at least 8 bits}}
tt.func @f(%b: !ttg.memdesc<128x64xi1, #tmem, #ttng.tensor_memory>) {
  tt.return
}
// -----
// expected-error@+1 {{'fp4Padded' needs 'colStride' 1}}
module attributes {x.a = #ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 4, fp4Padded = true>} {
}
// -----
// expected-error@+1 {{the block of a tensor descriptor has at least one element}}
tt.func @f(%d: !tt.tensordesc<tensor<0xf32>>) {
  tt.return
}
// -----
// expected-error@+1 {{the block of a tensor descriptor has at least one element}}
tt.func @f(%d: !tt.tensordesc<16x0xf32>) {
  tt.return
}
// -----
// expected-error@+1 {{invalid tensor element type}}
tt.func @f(%d: !tt.tensordesc<tensor<8xtensor<4xf32>>>) {
  tt.return
}
// -----
// expected-error@+1 {{'repeatCount' must be 1 to 8}}
module attributes {x.a = #ttig.dpas<{repeatCount = 16, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>} {
}
// -----
// expected-error@+1 {{'systolicDepth' must be 8}}
module attributes {x.a = #ttig.dpas<{repeatCount = 8, systolicDepth = 4, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>} {
}
// -----
// expected-error@+1 {{'threadsPerWarp' must not be less than 'executionSize'}}
module attributes {x.a = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 8, warpsPerCTA = [4, 1], repCluster = [1, 1]}>} {
}
// -----
// expected-error@+1 {{the parent's operand a has fewer words than a sub-group has lanes}}
module attributes {x.a = #ttg.dot_op<{opIdx = 0, parent = #ttig.dpas<{repeatCount = 1, systolicDepth = 8, executionSize = 16, opsPerChan = 1, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [1, 1]}>, kWidth = 1}>} {
}
// -----
// expected-error@+1 {{'repCluster' has another rank}}
module attributes {x.a = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 4, 1], repCluster = [1, 1]}>} {
}
// -----
// expected-error@+1 {{'fp4KPack' must be 2, and 'opsPerChan' 4 with it}}
module attributes {x.a = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, fp4KPack = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>} {
}
// -----
// expected-error@+1 {{'threadsPerWarp' must be 16}}
module attributes {x.a = #ttig.subgroup_2d_block<{warpsPerCTA = [4, 1], instrShape = [32, 16], numBlocks = 2, order = [1, 0], kWidth = 2, threadsPerWarp = 32}>} {
}
// -----
// expected-error@+1 {{needs two or three dimensions}}
module attributes {x.a = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4], instrShape = [16, 8]}>} {
}
// -----
// expected-error@+1 {{'kWidth' must be a power of two}}
module attributes {x.a = #ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>, kWidth = 3}>} {
}
// -----
// The layout of a block, as of a parameter, has the block's dimensions.
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// expected-error@+1 {{the layout has rank 1, and the block that carries it rank 2}}
tt.func @parameter(%a: tensor<4x4xf32, #one>) {
  tt.return
}
// -----
#two = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @constant() {
  // expected-error@+1 {{the layout has rank 2, and the block that carries it rank 1}}
  %c = arith.constant dense<1.0> : tensor<4xf32, #ttg.dot_op<{opIdx = 0, parent = #two}>>
  tt.return
}
