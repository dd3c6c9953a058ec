tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error@+1 {{'tt.load' has no attribute 'prefetchDistance'; it is unknown, or of another version of Triton}}
  %0 = tt.load %p {prefetchDistance = 2 : i32} : !tt.ptr<f32>
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error@+1 {{'tt.load' has no attribute 'prefetchDistance'; it is unknown, or of another version of Triton}}
  %0 = "tt.load"(%p) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>, prefetchDistance = 2 : i32}> : (!tt.ptr<f32>) -> f32
  tt.return
}
// -----
tt.func @f() {
  // expected-error@+1 {{'ttg.global_scratch_alloc' has no attribute 'backend'; it is unknown, or of another version of Triton}}
  %0 = "ttg.global_scratch_alloc"() <{alignment = 128 : i32, backend = "profiler", nbytes = 256 : i32}> : () -> !tt.ptr<i8>
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<f32>) {
  // a name with a dialect's is a remark of whoever wrote it
  %0 = tt.load %p {some.mark = 2 : i32, async_task_id = array<i32: 0>} : !tt.ptr<f32>
  // expected-error@+1 {{unknown cache policy 'evict_never'}}
  %1 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_never>} : !tt.ptr<f32>
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error@+1 {{unknown attribute 'cache_hint' in dialect 'tt'}}
  %1 = tt.load %p {cachePolicy = #tt.cache_hint<cg>} : !tt.ptr<f32>
  tt.return
}
// -----
tt.func @f(%x: tensor<16xf32>, %y: tensor<16xf32>) {
  // expected-error@+1 {{'tt.precise_divf' has no attribute 'cachePolicy'}}
  %1 = tt.precise_divf %x, %y {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>} : tensor<16xf32>
  tt.return
}
// -----
// expected-error@+1 {{unknown memory of a pointer: 'shared'}}
tt.func @f(%p: !tt.ptr<f32, "shared">) {
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error@+1 {{tt.ask_oracle}}
  %0 = tt.ask_oracle %p : !tt.ptr<f32>
  tt.return
}
// -----
// expected-error@+1 {{unknown field 'blockK'}}
module attributes {x.t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, blockK = 2>} {
}
// -----
// expected-error@+1 {{'CTASplitM' must hold powers of two}}
module attributes {x.t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CTASplitM = 3>} {
}
// -----
// expected-error@+1 {{'CGALayout' stands beside CTASplitM or CTASplitN}}
module attributes {x.t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CTASplitM = 2, CGALayout = [[1, 0]]>} {
}
// -----
// expected-error@+1 {{'warpsPerCTA' must hold powers of two}}
module attributes {x.t = #ttg.amd_wmma<{version = 2, warpsPerCTA = [0, 4]}>} {
}
