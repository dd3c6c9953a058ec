// Forms that versions of Triton before 3.8 spell differently or lack.
module {
  tt.func public @descriptors(%base: !tt.ptr<f16>, %m: i32, %ld: i64, %i: i32, %rows: tensor<32xi32>, %g: !tt.tensordesc<1x64xbf16>, %s: !tt.tensordesc<64x32xsi8>) {
    %d = tt.make_tensor_descriptor %base, [%m, %m], [%ld, %ld] : <f16>, <64x32xf16>
    %n = tt.make_tensor_descriptor %base, [%m, %m], [%ld, %ld] {padding = 2 : i32} : <f16>, <64x32xf16>
    %t = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>
    %u = tt.descriptor_load %d[%i, %i] cacheModifier = cg evictionPolicy = evict_last : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>
    %v = tt.descriptor_load %s[%i, %i] : !tt.tensordesc<64x32xsi8> -> tensor<64x32xi8>
    tt.descriptor_store %d[%i, %i], %t : !tt.tensordesc<64x32xf16>, tensor<64x32xf16>
    tt.descriptor_reduce add, %d[%i, %i], %t : !tt.tensordesc<64x32xf16>, tensor<64x32xf16>
    %w = tt.descriptor_gather %g[%rows, %i] : (!tt.tensordesc<1x64xbf16>, tensor<32xi32>, i32) -> tensor<32x64xbf16>
    tt.descriptor_scatter %g[%rows, %i], %w : !tt.tensordesc<1x64xbf16>, tensor<32xi32>, i32, tensor<32x64xbf16>
    tt.return
  }
  tt.func public @others(%flag: !tt.ptr<i32>, %want: i32, %ns: i64, %p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>) {
    tt.grid_dependency_wait
    tt.grid_dependency_launch_dependents
    %a = tt.atomic_poll acquire, gpu, %flag, %want : !tt.ptr<i32>, i32 -> i1
    %b = tt.atomic_poll relaxed, sys, %flag, %want timeout %ns : !tt.ptr<i32>, i32 -> i1
    tt.store %p, %v {ignore_cta} : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
