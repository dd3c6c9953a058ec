module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<16xf32>, %a: vector<16xi16>, %b: vector<8xi32>) {
    // expected-error @+1 {{the repeat count must be 1, 2, 4 or 8, not 16}}
    %0 = triton_gen.dpas %c, %a, %b {pa = f16, pb = f16, rc = 16} : (vector<16xf32>, vector<16xi16>, vector<8xi32>) -> vector<16xf32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>) {
    // expected-error @+1 {{A and B must have one precision}}
    %0 = triton_gen.dpas %c, %a, %b {pa = f16, pb = bf16, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<8xf32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>) {
    // expected-error @+1 {{C is 'vector<8xf32>', the result 'vector<4xf32>'}}
    %0 = triton_gen.dpas %c, %a, %b {pa = f16, pb = f16, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<4xf32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<2xf32>, %a: vector<8xi16>, %b: vector<8xi32>) {
    // expected-error @+1 {{C has 2 elements, not a row each of 8}}
    %0 = triton_gen.dpas %c, %a, %b {pa = f16, pb = f16, rc = 8} : (vector<2xf32>, vector<8xi16>, vector<8xi32>) -> vector<2xf32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<16xi32>) {
    // expected-error @+1 {{B has 16 words, not those of 8 steps}}
    %0 = triton_gen.dpas %c, %a, %b {pa = f16, pb = f16, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<16xi32>) -> vector<8xf32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>) {
    // expected-error @+1 {{products of i8 do not add up in 'f32'}}
    %0 = triton_gen.dpas %c, %a, %b {pa = i8, pb = i8, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xi32>) -> vector<8xf32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<8xi32>, %a: vector<8xi16>, %b: vector<8xi32>) {
    // expected-error @+1 {{products of i4 do not add up in 'i32'}}
    %0 = triton_gen.dpas %c, %a, %b {pa = i4, pb = i4, rc = 8} : (vector<8xi32>, vector<8xi16>, vector<8xi32>) -> vector<8xi32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<8xf32>, %a: vector<2xi16>, %b: vector<8xi32>) {
    // expected-error @+1 {{A has 2 words, which is not what 8 rows take}}
    %0 = triton_gen.dpas %c, %a, %b {pa = f16, pb = f16, rc = 8} : (vector<8xf32>, vector<2xi16>, vector<8xi32>) -> vector<8xf32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<8xf32>, %a: vector<8xi8>, %b: vector<8xi32>) {
    // expected-error @+1 {{A must have words of i16, not 'i8'}}
    %0 = triton_gen.dpas %c, %a, %b {pa = f16, pb = f16, rc = 8} : (vector<8xf32>, vector<8xi8>, vector<8xi32>) -> vector<8xf32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<8xf32>, %a: vector<4xi16>, %b: vector<8xi32>) {
    // expected-error @+1 {{A must have words of f32 or i32, not 'i16'}}
    %0 = triton_gen.dpas %c, %a, %b {pa = tf32, pb = tf32, rc = 8} : (vector<8xf32>, vector<4xi16>, vector<8xi32>) -> vector<8xf32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xf32>) {
    // expected-error @+1 {{B must have words of i32, not 'f32'}}
    %0 = triton_gen.dpas %c, %a, %b {pa = f16, pb = f16, rc = 8} : (vector<8xf32>, vector<8xi16>, vector<8xf32>) -> vector<8xf32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<4xf32>, %a: vector<4xi16>, %b: vector<8xi32>) {
    // expected-error @+1 {{the repeat count must be 8, not 4}}
    %0 = triton_gen.bdpas %c, %a, %b {pa = bf8, pb = bf8, rc = 4} {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (vector<4xf32>, vector<4xi16>, vector<8xi32>) -> vector<4xf32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%c: vector<8xf32>, %a: vector<8xi16>, %b: vector<8xi32>, %t: i8) {
    // expected-error @+1 {{a scale of elements of e2m1 is two i8}}
    %0 = triton_gen.bdpas %c, %a, %b, %t, %t {pa = e2m1, pb = e2m1, rc = 8} {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (vector<8xf32>, vector<8xi16>, vector<8xi32>, i8, i8) -> vector<8xf32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %h: i32, %s: i32, %x: i32, %y: i32) {
    %w = llvm.mlir.constant(32 : i32) : i32
    // expected-error @+1 {{a row has 64 to 2^24 bytes, a multiple of 4 and of the element's, not 32}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %s: i32, %x: i32, %y: i32) {
    %h = llvm.mlir.constant(33554432 : i32) : i32
    // expected-error @+1 {{there are 2^24 rows at most}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %x: i32, %y: i32) {
    %s = llvm.mlir.constant(72 : i32) : i32
    // expected-error @+1 {{rows are 64 to 2^24 bytes apart, a multiple of 16, not 72}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %y: i32) {
    %x = llvm.mlir.constant(1 : i32) : i32
    // expected-error @+1 {{a block begins at a multiple of 4 bytes, not at element 1}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{elements have 8, 16, 32 or 64 bits, not 4}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 4, tile_width = 16, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{must be powers of two}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 12, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{a block has 1 to 32 rows, not 64}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 64, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{there are 4 blocks of elements of 32 bits}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 32, tile_width = 16, tile_height = 8, v_blocks = 4, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{a block is 4 bytes wide at least}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 1, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{a row of all blocks has 64 bytes at most}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 64, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{a lane gets 128 bits, the result has 64}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<4xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{a block is transposed or packed, not both}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, transpose = true, vnni_transform = true, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{blocks of up to 8 columns of 32 bits, or of 64 bits, are transposed}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, transpose = true, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{one block is transposed at a time}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 32, tile_width = 8, tile_height = 8, v_blocks = 2, transpose = true, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{of 64 bits, blocks of 8 rows}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 64, tile_width = 4, tile_height = 4, v_blocks = 1, transpose = true, vnni_transform = false, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<1xi64>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{elements of 8 or 16 bits are packed}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 32, tile_width = 16, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = true, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{its words have 32 bits, not 16}}
    %0 = triton_gen.2Dblockload %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1, transpose = false, vnni_transform = true, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32, %v: vector<16xi16>) {
    // expected-error @+1 {{one block of 8 rows at most is stored at a time}}
    triton_gen.2Dblockstore %p, %w, %h, %s, %x, %y, %v {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<16xi16>)
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %s: i32, %x: i32, %y: i32) {
    // expected-error @+1 {{a row of all blocks has 64 bytes at most}}
    triton_gen.2Dblockprefetch %p, %w, %h, %s, %x, %y {elem_size_in_bits = 16, tile_width = 64, tile_height = 8, v_blocks = 1, cache_control = Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%a: vector<32xi64>, %m: vector<32xi1>) {
    // expected-error @+1 {{elements have 8, 16, 32 or 64 bits, not 1}}
    %0 = triton_gen.sub_group_gather_load %a, %m : (vector<32xi64>, vector<32xi1>) -> vector<128xi1>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%a: vector<32xi64>, %m: vector<32xi1>) {
    // expected-error @+1 {{are no multiple of 32 bytes}}
    %0 = triton_gen.sub_group_gather_load %a, %m : (vector<32xi64>, vector<32xi1>) -> vector<1xi8>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%a: vector<32xi64>, %m: vector<32xi1>) {
    // expected-error @+1 {{an address loads 8 bytes at most}}
    %0 = triton_gen.sub_group_gather_load %a, %m : (vector<32xi64>, vector<32xi1>) -> vector<16xi16>
    llvm.return
  }
}

// -----
module attributes {"ttg.threads-per-warp" = 16 : i32} {
  llvm.func @f(%v: vector<4xi8>) {
    // expected-error @+1 {{operand and result have different numbers of bits}}
    %0 = triton_gen.sub_group_bitcast_shuffle %v : vector<4xi8> -> vector<4xi16>
    llvm.return
  }
}

// -----
// expected-error @+1 {{level 0 has two cache controls for loads}}
module attributes {x.a = #triton_gen.decoration_cache_control<#triton_gen.load_cache_control<0, Cached, 0>, #triton_gen.load_cache_control<0, Uncached, 0>>} {
}

// -----
// expected-error @+1 {{a cache control is a load_cache_control or a store_cache_control, not 1 : i32}}
module attributes {x.a = #triton_gen.decoration_cache_control<1 : i32>} {
}
