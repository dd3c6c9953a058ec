// RUN: tritcc -x ttir -passes=rewrite-tensor-descriptor-to-pointer -split-input-file -verify-diagnostics -allow-unregistered-dialect %s

tt.func public @unknown(%d: !tt.tensordesc<16x16xf32>) {
  // expected-error@+1 {{a tensor descriptor cannot pass through 'test.use' on this target}}
  "test.use"(%d) : (!tt.tensordesc<16x16xf32>) -> ()
  tt.return
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @late(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f16>, <64x32xf16>
    // expected-error @+1 {{tensors already have layouts; rewrite descriptors before convert-triton-to-tritongpu}}
    %v = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16, #rows>
    tt.return
  }
}
