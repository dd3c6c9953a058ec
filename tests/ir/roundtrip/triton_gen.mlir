module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @waits() {
    triton_gen.barrier {mem_fence = LocalAndGlobal}
    %0 = triton_gen.split_barrier_arrive
    triton_gen.split_barrier_wait %0
    llvm.return
  }
  llvm.func @products(%c: vector<8xf32>, %i: vector<8xi32>, %a: vector<8xi16>, %b: vector<8xi32>, %s: i8, %t: vector<4xf32>, %u: vector<8xf32>) {
    %0 = triton_gen.dpas %i, %a, %b {pa = u8, pb = u8, rc = 8} : (vector<8xi32>, vector<8xi16>, vector<8xi32>) -> vector<8xi32>
    %1 = triton_gen.dpas %c, %t, %u {pa = tf32, pb = tf32, rc = 8} {note = 1 : i32} : (vector<8xf32>, vector<4xf32>, vector<8xf32>) -> vector<8xf32>
    %2 = triton_gen.bdpas %c, %a, %b, %s, %s {pa = bf8, pb = hf8, rc = 8} {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (vector<8xf32>, vector<8xi16>, vector<8xi32>, i8, i8) -> vector<8xf32>
    llvm.return
  }
  llvm.func @blocks(%p: !llvm.ptr<1>, %w: i32, %h: i32, %pitch: i32, %x: i32, %y: i32) {
    %0 = triton_gen.2Dblockload %p, %w, %h, %pitch, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 2, transpose = false, vnni_transform = true, cache_control = L1C_L3C} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi32>
    %1 = triton_gen.2Dblockload %p, %w, %h, %pitch, %x, %y {elem_size_in_bits = 32, tile_width = 8, tile_height = 16, v_blocks = 1, transpose = true, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    triton_gen.2Dblockstore %p, %w, %h, %pitch, %x, %y, %1 {elem_size_in_bits = 32, tile_width = 16, tile_height = 8, v_blocks = 1, cache_control = L1WB_L3WB} : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi32>)
    triton_gen.2Dblockprefetch %p, %w, %h, %pitch, %x, %y {elem_size_in_bits = 8, tile_width = 64, tile_height = 8, v_blocks = 1, cache_control = L1C_L3C} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    llvm.return
  }
  llvm.func @groups(%p: !llvm.ptr<1>, %l: !llvm.ptr<3>, %m: i1, %v: i32, %at: vector<32xi64>, %ms: vector<32xi1>, %b: vector<4xi8>, %f: f32) {
    %0 = triton_gen.sub_group_block_read %p : !llvm.ptr<1> -> vector<4xi32>
    triton_gen.sub_group_block_write %l, %0 : !llvm.ptr<3>, vector<4xi32>
    %1 = triton_gen.predicated_load %p, %m, %v {cache_control = L1S_L3C} : (!llvm.ptr<1>, i1, i32) -> i32
    triton_gen.predicated_store %p, %1, %m {cache_control = L1UC_L3WB} : (!llvm.ptr<1>, i32, i1) -> ()
    %2 = triton_gen.sub_group_gather_load %at, %ms : (vector<32xi64>, vector<32xi1>) -> vector<8xi16>
    %3 = triton_gen.sub_group_bitcast_shuffle %b : vector<4xi8> -> vector<2xi16>
    %4 = triton_gen.f_to_tf32 %f : f32
    %5 = llvm.load %p {triton_gen.DecorationCacheControlINTEL = #triton_gen.decoration_cache_control<#triton_gen.load_cache_control<0, Cached, 0>, #triton_gen.load_cache_control<1, Uncached, 0>, #triton_gen.store_cache_control<0, WriteBack, 0>>} : !llvm.ptr<1> -> i32
    llvm.return
  }
}
