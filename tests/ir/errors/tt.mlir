tt.func @f(%x: tensor<64xf32>) {
  // expected-error@+1 {{a narrowing conversion needs a rounding mode}}
  %0 = tt.fp_to_fp %x : tensor<64xf32> -> tensor<64xf16>
  tt.return
}
// -----
tt.func @f(%x: tensor<64xf32>) {
  // expected-error@+1 {{cannot cast between 32 and 16 bits}}
  %0 = tt.bitcast %x : tensor<64xf32> -> tensor<64xf16>
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error@+1 {{cannot cast between a pointer and a number}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error@+1 {{address spaces 1 and 3}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i32, 3>
  tt.return
}
// -----
tt.func @f(%x: tensor<64xi32>, %p: tensor<32x!tt.ptr<f32>>) {
  // expected-error@+1 {{must have the same shape}}
  %0 = tt.addptr %p, %x : tensor<32x!tt.ptr<f32>>, tensor<64xi32>
  tt.return
}
// -----
tt.func @f(%s: f32) {
  // expected-error@+1 {{number of elements must be a power of two}}
  %0 = tt.splat %s : f32 -> tensor<48xf32>
  tt.return
}
// -----
tt.func @f(%s: f32) {
  // expected-error@+1 {{maximum allowed number of elements is 1048576}}
  %0 = tt.splat %s : f32 -> tensor<2097152xf32>
  tt.return
}
// -----
tt.func @f(%s: f32) {
  // expected-error@+1 {{element type of the result must be the type of the operand}}
  %0 = tt.splat %s : f32 -> tensor<64xi32>
  tt.return
}
// -----
tt.func @f(%t: tensor<2xf32>) {
  // expected-error@+1 {{exactly one element}}
  %0 = tt.unsplat %t : tensor<2xf32>
  tt.return
}
// -----
tt.func @f(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>) {
  // expected-error@+1 {{other has the type that ptr points to}}
  %0 = "tt.load"(%p, %p) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>) -> tensor<64xf32>
  tt.return
}
// -----
tt.func @f(%p: tensor<64x!tt.ptr<f32>>, %o: tensor<64xf32>) {
  // expected-error@+1 {{a value for masked lanes needs a mask}}
  %0 = "tt.load"(%p, %o) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
  tt.return
}
// -----
tt.func @f(%p: tensor<64x!tt.ptr<f32>>) {
  // expected-error@+1 {{result has the type that ptr points to}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x!tt.ptr<f32>>) -> tensor<64xf16>
  tt.return
}
// -----
tt.func @f(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf16>) {
  // expected-error@+1 {{value has the type that ptr points to}}
  "tt.store"(%p, %v) : (tensor<64x!tt.ptr<f32>>, tensor<64xf16>) -> ()
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<i32>, %v: f32) {
  // expected-error@+1 {{points to}}
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, f32) -> f32
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error@+1 {{semantics must be acquire or relaxed}}
  %0 = tt.atomic_poll release, gpu, %p, %v : !tt.ptr<i32>, i32 -> i1
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<i8>, %v: i8) {
  // expected-error@+1 {{16, 32 or 64 bits}}
  %0 = tt.atomic_poll relaxed, gpu, %p, %v : !tt.ptr<i8>, i8 -> i1
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<f16>, %m: i32, %s: i64) {
  // expected-error@+1 {{has 1 sizes for a block of rank 2}}
  %0 = tt.make_tensor_descriptor %p, [%m], [%s] : <f16>, <64x32xf16>
  tt.return
}
// -----
tt.func @f(%d: !tt.tensordesc<64x32xf16>, %i: i32) {
  // expected-error@+1 {{different element types}}
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf32>
  tt.return
}
// -----
tt.func @f(%d: !tt.tensordesc<64x32xf16>, %i: i32) {
  // expected-error@+1 {{different sizes}}
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x32xf16> -> tensor<32x32xf16>
  tt.return
}
// -----
tt.func @f(%d: !tt.tensordesc<64x32xf16>, %i: i32) {
  // expected-error@+1 {{has 1 indices for a block of rank 2}}
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>
  tt.return
}
// -----
tt.func @f(%d: !tt.tensordesc<64x32xf16>, %i: i32) {
  // expected-error@+1 {{may only drop leading dimensions}}
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x32xf16> -> tensor<32x64xf16>
  tt.return
}
// -----
tt.func @f(%d: !tt.tensordesc<2x64xf16>, %r: tensor<32xi32>, %i: i32) {
  // expected-error@+1 {{must be 2-D with one row}}
  %0 = tt.descriptor_gather %d[%r, %i] : (!tt.tensordesc<2x64xf16>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  tt.return
}
// -----
tt.func @f(%d: !tt.tensordesc<1x64xf16>, %r: tensor<4xi32>, %i: i32) {
  // expected-error@+1 {{at least 8 rows}}
  %0 = tt.descriptor_gather %d[%r, %i] : (!tt.tensordesc<1x64xf16>, tensor<4xi32>, i32) -> tensor<4x64xf16>
  tt.return
}
// -----
tt.func @f(%d: !tt.tensordesc<1x8xf16>, %r: tensor<8xi32>, %i: i32) {
  // expected-error@+1 {{at least 16 columns}}
  %0 = tt.descriptor_gather %d[%r, %i] : (!tt.tensordesc<1x8xf16>, tensor<8xi32>, i32) -> tensor<8x8xf16>
  tt.return
}
// -----
tt.func @f(%d: !tt.tensordesc<1x64xf16>, %r: tensor<16xi32>, %i: i32) {
  // expected-error@+1 {{one offset for each row}}
  %0 = tt.descriptor_gather %d[%r, %i] : (!tt.tensordesc<1x64xf16>, tensor<16xi32>, i32) -> tensor<32x64xf16>
  tt.return
}
// -----
tt.func @f(%x: f32) {
  // expected-error@+1 {{one isSigned flag for each value}}
  tt.print "x" {hex = false, isSigned = array<i32>} : %x : f32
  tt.return
}
// -----
tt.func @f(%x: tensor<64xi32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{axis 2 is out of range}}
  %0 = tt.expand_dims %x {axis = 2 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  tt.return
}
// -----
tt.func @f(%x: tensor<64xi32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{incompatible with return type}}
  %0 = tt.expand_dims %x {axis = 0 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  tt.return
}
// -----
tt.func @f(%x: tensor<64xi32>) {
  // expected-error@+1 {{same number of elements}}
  %0 = tt.reshape %x : tensor<64xi32> -> tensor<16x2xi32>
  tt.return
}
// -----
tt.func @f(%x: tensor<64x2xi32>) {
  // expected-error@+1 {{dimension 1 has size 2, only size 1 can be broadcast}}
  %0 = tt.broadcast %x : tensor<64x2xi32> -> tensor<64x4xi32>
  tt.return
}
// -----
tt.func @f(%x: tensor<64xi32>) {
  // expected-error@+1 {{same rank}}
  %0 = tt.broadcast %x : tensor<64xi32> -> tensor<64x4xi32>
  tt.return
}
// -----
tt.func @f(%x: tensor<64x4xi32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{must have size 2}}
  %0, %1 = tt.split %x : tensor<64x4xi32> -> tensor<64xi32>
  tt.return
}
// -----
tt.func @f(%x: tensor<64x4xi32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{permutation}}
  %0 = tt.trans %x {order = array<i32: 0, 0>} : tensor<64x4xi32> -> tensor<64x4xi32>
  tt.return
}
// -----
tt.func @f(%x: tensor<64x4xi32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{incompatible with return type}}
  %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x4xi32> -> tensor<64x4xi32>
  tt.return
}
// -----
tt.func @f() {
  // expected-error@+1 {{start must be less than end}}
  %0 = tt.make_range {end = 64 : i32, start = 64 : i32} : tensor<64xi32>
  tt.return
}
// -----
tt.func @f() {
  // expected-error@+1 {{must be 1-D with 64 elements}}
  %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<32xi32>
  tt.return
}
// -----
tt.func @f(%s: tensor<128x16xf32>, %i: tensor<64x8xi32>) {
  // expected-error@+1 {{same size in dimension 1}}
  %0 = tt.gather %s[%i] {axis = 0 : i32} : (tensor<128x16xf32>, tensor<64x8xi32>) -> tensor<64x8xf32>
  tt.return
}
// -----
tt.func @f(%s: tensor<128x16xf32>, %i: tensor<64x16xi32>) {
  // expected-error@+1 {{axis 2 is out of range}}
  %0 = tt.gather %s[%i] {axis = 2 : i32} : (tensor<128x16xf32>, tensor<64x16xi32>) -> tensor<64x16xf32>
  tt.return
}
// -----
tt.func @f(%a: tensor<64x32xf32>, %b: tensor<16x64xf32>, %c: tensor<64x64xf32>) {
  // expected-error@+1 {{inner sizes of the operands differ}}
  %0 = tt.dot %a, %b, %c : tensor<64x32xf32> * tensor<16x64xf32> -> tensor<64x64xf32>
  tt.return
}
// -----
tt.func @f(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x32xf32>) {
  // expected-error@+1 {{accumulator must be 64x64}}
  %0 = tt.dot %a, %b, %c : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x32xf32>
  tt.return
}
// -----
tt.func @f(%a: tensor<64x32xf32>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error@+1 {{same bit width}}
  %0 = tt.dot %a, %b, %c : tensor<64x32xf32> * tensor<32x64xf16> -> tensor<64x64xf32>
  tt.return
}
// -----
tt.func @f(%a: tensor<128x64xf8E4M3FN>, %s: tensor<128x1xi8>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error@+1 {{16 or 32 elements of K}}
  %0 = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x1xi8> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
  tt.return
}
// -----
tt.func @f(%a: tensor<128x64xf8E4M3FN>, %s: tensor<64x2xi8>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error@+1 {{must have 128 rows}}
  %0 = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<64x2xi8> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
  tt.return
}
// -----
tt.func @f() {
  // expected-error@+1 {{'missing' does not name a function}}
  tt.call @missing() : () -> ()
  tt.return
}
// -----
tt.func @f(%x: f32) {
  // expected-error@+1 {{packed_element must be positive}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 0 : i32, pure = true} %x : f32 -> f32
  tt.return
}
// -----
tt.func @f(%x: tensor<8x64xf32>) {
  // expected-error@+1 {{axis 2 is out of range}}
  %0 = "tt.reduce"(%x) <{axis = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8x64xf32>) -> tensor<8xf32>
  tt.return
}
// -----
tt.func @f(%x: tensor<8x64xf32>) {
  // expected-error@+1 {{region must take 2 arguments, but takes 1}}
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8x64xf32>) -> tensor<8xf32>
  tt.return
}
// -----
tt.func @f(%x: tensor<8x64xf32>) {
  // expected-error@+1 {{argument 1 of the region must be 'f32'}}
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: i32):
    tt.reduce.return %a : f32
  }) : (tensor<8x64xf32>) -> tensor<8xf32>
  tt.return
}
// -----
tt.func @f(%x: tensor<64xf32>, %y: tensor<64xi32>) {
  %0, %1 = "tt.scan"(%x, %y) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    // expected-error@+1 {{must return 2 values, but returns 1}}
    tt.scan.return %a : f32
  }) : (tensor<64xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>)
  tt.return
}
// -----
tt.func @f(%x: tensor<64xf32>) {
  // expected-error@+1 {{pack must be a power of two}}
  %0 = "tt.map_elementwise"(%x) <{pack = 3 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return
}
// -----
tt.func @f(%x: tensor<64xf32>, %p: !tt.ptr<f32>) {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    // expected-error@+1 {{writes memory inside of tt.map_elementwise}}
    tt.store %p, %a : !tt.ptr<f32>
    tt.map_elementwise.return %a : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return
}
// -----
tt.func private @g(%x: i32) -> i32 {
  tt.return %x : i32
}
tt.func @f(%x: f32) {
  // expected-error@+1 {{argument 0 is 'f32', but 'g' takes 'i32'}}
  %0 = tt.call @g(%x) : (f32) -> i32
  tt.return
}
// -----
tt.func private @g(%x: i32) -> i32 {
  // expected-error@+1 {{returns 0 values, but 'g' has 1 results}}
  tt.return
}
// -----
// expected-error@+1 {{custom op 'tt.unknown' is unknown}}
tt.unknown
// -----
// expected-error@+1 {{a pointer points to an integer, a float or a block of them}}
tt.func private @f(%p: !tt.ptr<!tt.ptr<f32>>)
// -----
tt.func private @f(%p: !tt.ptr<f16>, %b: !tt.ptr<tensor<64x32xf16>>, %m: i64, %z: i32, %mask: tensor<64x32xi1>, %v: tensor<64x32xf16>) {
  // expected-error@+1 {{has 1 sizes for a block of rank 2}}
  %0 = tt.make_tensor_ptr %p, [%m], [%m], [%z] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  tt.return
}
// -----
tt.func private @f(%p: !tt.ptr<f16>, %b: !tt.ptr<tensor<64x32xf16>>, %m: i64, %z: i32, %mask: tensor<64x32xi1>, %v: tensor<64x32xf16>) {
  // expected-error@+1 {{order must be a permutation of the dimensions}}
  %0 = tt.make_tensor_ptr %p, [%m, %m], [%m, %m], [%z, %z] {order = array<i32: 1, 1>} : <tensor<64x32xf16>>
  tt.return
}
// -----
tt.func private @f(%p: !tt.ptr<f16>, %b: !tt.ptr<tensor<64x32xf16>>, %m: i64, %z: i32, %mask: tensor<64x32xi1>, %v: tensor<64x32xf16>) {
  // expected-error@+1 {{has 1 offsets for a block of rank 2}}
  %0 = tt.advance %b, [%z] : <tensor<64x32xf16>>
  tt.return
}
// -----
tt.func private @f(%p: !tt.ptr<f16>, %b: !tt.ptr<tensor<64x32xf16>>, %m: i64, %z: i32, %mask: tensor<64x32xi1>, %v: tensor<64x32xf16>) {
  // expected-error@+1 {{boundaryCheck must hold different dimensions}}
  %0 = tt.load %b {boundaryCheck = array<i32: 0, 2>} : !tt.ptr<tensor<64x32xf16>>
  tt.return
}
// -----
tt.func private @f(%p: !tt.ptr<f16>, %b: !tt.ptr<tensor<64x32xf16>>, %m: i64, %z: i32, %mask: tensor<64x32xi1>, %v: tensor<64x32xf16>) {
  // expected-error@+1 {{boundaryCheck needs a pointer to a block}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<f16>
  tt.return
}
// -----
tt.func private @f(%p: !tt.ptr<f16>, %b: !tt.ptr<tensor<64x32xf16>>, %m: i64, %z: i32, %mask: tensor<64x32xi1>, %v: tensor<64x32xf16>) {
  // expected-error@+1 {{padding needs a pointer to a block}}
  %0 = tt.load %p {padding = 1 : i32} : !tt.ptr<f16>
  tt.return
}
// -----
tt.func private @f(%p: !tt.ptr<f16>, %b: !tt.ptr<tensor<64x32xf16>>, %m: i64, %z: i32, %mask: tensor<64x32xi1>, %v: tensor<64x32xf16>) {
  // expected-error@+1 {{a pointer to a block takes boundaryCheck, not a mask}}
  tt.store %b, %v, %mask : !tt.ptr<tensor<64x32xf16>>
  tt.return
}
// -----
tt.func private @f(%p: !tt.ptr<f16>, %b: !tt.ptr<tensor<64x32xf16>>, %m: i64, %z: i32, %mask: tensor<64x32xi1>, %v: tensor<64x32xf16>) {
  // expected-error@+1 {{boundaryCheck must hold different dimensions}}
  tt.store %b, %v {boundaryCheck = array<i32: 1, 1>} : !tt.ptr<tensor<64x32xf16>>
  tt.return
}
// -----
// expected-error@+1 {{the element of a tensor descriptor is an integer or a float}}
tt.func @f(%d: !tt.tensordesc<tensor<!tt.ptr<f32>>>) { tt.return }
// -----
// expected-error@+1 {{the block of a tensor descriptor has at least one dimension}}
tt.func @f(%d: !tt.tensordesc<f32>) { tt.return }
// -----
// expected-error@+1 {{a pointer's memory is a number of 24 bits, not 16777216}}
tt.func @f(%p: !tt.ptr<f32, 16777216>) { tt.return }
// -----
#result = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, CGALayout = [[0, 1], [1, 0]], instrShape = [16, 16, 32]}>
#rows = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, CGALayout = [[0, 0], [1, 0]], instrShape = [16, 16, 32]}>
#columns = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, CGALayout = [[0, 1], [0, 0]], instrShape = [16, 16, 32]}>
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%a: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #result, kWidth = 8}>>, %b: tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #result, kWidth = 8}>>, %c: tensor<64x64xf32, #result>,
    %d: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #rows, kWidth = 8}>>, %e: tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #rows, kWidth = 8}>>,
    %g: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #columns, kWidth = 8}>>, %h: tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #columns, kWidth = 8}>>, %i: tensor<64x64xf32, #rows>) {
  %0 = tt.dot %a, %b, %c : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #result, kWidth = 8}>> * tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #result, kWidth = 8}>> -> tensor<64x64xf32, #result>
  // expected-error@+1 {{operand b is not dealt out to CTAs as the columns of the result}}
  %1 = tt.dot %d, %e, %c : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #rows, kWidth = 8}>> * tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #rows, kWidth = 8}>> -> tensor<64x64xf32, #result>
  tt.return
}
}
// -----
#result = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, CGALayout = [[0, 1], [1, 0]], instrShape = [16, 16, 32]}>
#rows = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, CGALayout = [[0, 0], [1, 0]], instrShape = [16, 16, 32]}>
#columns = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, CGALayout = [[0, 1], [0, 0]], instrShape = [16, 16, 32]}>
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%a: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #result, kWidth = 8}>>, %b: tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #result, kWidth = 8}>>, %c: tensor<64x64xf32, #result>,
    %d: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #rows, kWidth = 8}>>, %e: tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #rows, kWidth = 8}>>,
    %g: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #columns, kWidth = 8}>>, %h: tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #columns, kWidth = 8}>>, %i: tensor<64x64xf32, #rows>) {
  %0 = tt.dot %a, %b, %c : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #result, kWidth = 8}>> * tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #result, kWidth = 8}>> -> tensor<64x64xf32, #result>
  // expected-error@+1 {{operand a is not dealt out to CTAs as the rows of the result}}
  %2 = tt.dot %g, %h, %c : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #columns, kWidth = 8}>> * tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #columns, kWidth = 8}>> -> tensor<64x64xf32, #result>
  tt.return
}
}
// -----
#result = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, CGALayout = [[0, 1], [1, 0]], instrShape = [16, 16, 32]}>
#rows = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, CGALayout = [[0, 0], [1, 0]], instrShape = [16, 16, 32]}>
#columns = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, CGALayout = [[0, 1], [0, 0]], instrShape = [16, 16, 32]}>
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%a: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #result, kWidth = 8}>>, %b: tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #result, kWidth = 8}>>, %c: tensor<64x64xf32, #result>,
    %d: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #rows, kWidth = 8}>>, %e: tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #rows, kWidth = 8}>>,
    %g: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #columns, kWidth = 8}>>, %h: tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #columns, kWidth = 8}>>, %i: tensor<64x64xf32, #rows>) {
  %0 = tt.dot %a, %b, %c : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #result, kWidth = 8}>> * tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #result, kWidth = 8}>> -> tensor<64x64xf32, #result>
  // expected-error@+1 {{result cannot be held alike by several CTAs}}
  %3 = tt.dot %d, %e, %i : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #rows, kWidth = 8}>> * tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #rows, kWidth = 8}>> -> tensor<64x64xf32, #rows>
  tt.return
}
}
