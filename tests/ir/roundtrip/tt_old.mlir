// Operations that only older text has: pointers to blocks, a barrier of another dialect.
module {
  tt.func public @block_pointers(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<i32, 3>, %m: i64, %n: i64, %s: i64) {
    %one = arith.constant 1 : i64
    %zero = arith.constant 0 : i32
    %step = arith.constant 32 : i32
    %0 = tt.make_tensor_ptr %p, [%m, %n], [%s, %one], [%zero, %zero] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
    %1 = tt.load %0 {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
    %2 = tt.load %0 cacheModifier = cg evictionPolicy = evict_first {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<64x32xf16>>
    %3 = arith.addf %1, %2 : tensor<64x32xf16>
    %4 = tt.advance %0, [%zero, %step] : <tensor<64x32xf16>>
    tt.store %4, %3 {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x32xf16>>
    %5 = tt.make_tensor_ptr %q, [%m], [%one], [%zero] {order = array<i32: 0>} : <tensor<64xi32>, 3>
    %6 = tt.load %5 : !tt.ptr<tensor<64xi32>, 3>
    tt.store %5, %6 : !tt.ptr<tensor<64xi32>, 3>
    gpu.barrier
    tt.return
  }
}
