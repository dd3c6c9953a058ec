// RUN: tritcc -x ttgir -passes=insert-tmem-aref -verify-diagnostics -split-input-file %s

#rows = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
!t = tensor<128x64xf32, #rows>
!d = !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>
!k = !ttg.async.token
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  tt.func @three(%n: i32, %z: !t, %y: i1) {
    // expected-error@+1 {{a buffer in tensor memory can be of two partitions, not more}}
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    %l = scf.for %i = %n to %n step %n iter_args(%t = %k) -> !k : i32 {
      %u = ttng.tmem_store %z, %d[%t], %y {ttg.partition = array<i32: 0>} : !t -> !d
      %v, %w = ttng.tmem_load %d[%u] {ttg.partition = array<i32: 1>} : !d -> !t
      %o, %q = ttng.tmem_load %d[%w] {ttg.partition = array<i32: 2>} : !d -> !t
      scf.yield {ttg.partition = array<i32: 0, 1, 2>} %q : !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1, 2>, ttg.partition.outputs = [array<i32: 0>], ttg.partition.stages = [0, 0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
!t = tensor<128x64xf32, #rows>
!d = !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>
!k = !ttg.async.token
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  tt.func @both(%n: i32, %z: !t, %y: i1) {
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    %l = scf.for %i = %n to %n step %n iter_args(%t = %k) -> !k : i32 {
      // expected-error@+1 {{is of several partitions, of which one must access tensor memory}}
      %u = ttng.tmem_store %z, %d[%t], %y {ttg.partition = array<i32: 0, 1>} : !t -> !d
      scf.yield {ttg.partition = array<i32: 0, 1>} %u : !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
!t = tensor<128x64xf32, #rows>
!d = !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>
!k = !ttg.async.token
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  tt.func @twice(%n: i32, %z: !t, %y: i1) {
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    %l = scf.for %i = %n to %n step %n iter_args(%t = %k) -> !k : i32 {
      // expected-error@+1 {{cannot be shared by partitions: its token is used twice}}
      %u = ttng.tmem_store %z, %d[%t], %y {ttg.partition = array<i32: 0>} : !t -> !d
      %v, %w = ttng.tmem_load %d[%t] {ttg.partition = array<i32: 1>} : !d -> !t
      scf.yield {ttg.partition = array<i32: 0, 1>} %w : !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
!t = tensor<128x64xf32, #rows>
!d = !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>
!k = !ttg.async.token
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  tt.func @uncarried(%n: i32, %z: !t, %y: i1) {
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    scf.for %i = %n to %n step %n : i32 {
      // expected-error@+1 {{cannot be shared by partitions: its token does not come by what the loop carries}}
      %u = ttng.tmem_store %z, %d[%k], %y {ttg.partition = array<i32: 0>} : !t -> !d
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#half = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
!t = tensor<128x64xf32, #rows>
!d = !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>
!k = !ttg.async.token
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  tt.func @view(%n: i32, %z: !t, %y: i1) {
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    %l = scf.for %i = %n to %n step %n iter_args(%t = %k) -> !k : i32 {
      %u = ttng.tmem_store %z, %d[%t], %y {ttg.partition = array<i32: 0>} : !t -> !d
      // expected-error@+1 {{cannot be shared by partitions: it is used beside its token}}
      %e = ttng.tmem_subslice %d {offset = 0 : i32, ttg.partition = array<i32: 1>} : !d -> !ttg.memdesc<128x32xf32, #half, #ttng.tensor_memory, mutable, 128x64>
      scf.yield {ttg.partition = array<i32: 0, 1>} %u : !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
!t = tensor<128x64xf32, #rows>
!d = !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>
!k = !ttg.async.token
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  tt.func @ends(%n: i32, %z: !t, %y: i1, %q: !k) {
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    scf.for %i = %n to %n step %n iter_args(%t = %k) -> !k : i32 {
      %u = ttng.tmem_store %z, %d[%t], %y {ttg.partition = array<i32: 0>} : !t -> !d
      // expected-error@+1 {{cannot be shared by partitions: its token ends in there}}
      scf.if %y {
        %v, %w = ttng.tmem_load %d[%u] {ttg.partition = array<i32: 1>} : !d -> !t
      } {ttg.partition = array<i32: 1>}
      scf.yield {ttg.partition = array<i32: 0, 1>} %q : !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
!t = tensor<128x64xf32, #rows>
!d = !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>
!k = !ttg.async.token
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  tt.func @swapped(%n: i32, %z: !t, %y: i1, %q: !k) {
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    // expected-error@+1 {{cannot be shared by partitions: the loop carries its token to another place}}
    %l:2 = scf.for %i = %n to %n step %n iter_args(%t = %k, %o = %q) -> (!k, !k) : i32 {
      %u = ttng.tmem_store %z, %d[%t], %y {ttg.partition = array<i32: 0>} : !t -> !d
      scf.yield {ttg.partition = array<i32: 0, 1>} %o, %u : !k, !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0>, array<i32: 0>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
!t = tensor<128x64xf32, #rows>
!d = !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>
!k = !ttg.async.token
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  tt.func @dropped(%run: i1, %z: !t, %y: i1, %q: !k) {
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    // expected-error@+1 {{cannot be shared by partitions: its token is not handed through the loop's condition}}
    %l:2 = scf.while (%c = %run, %b = %k) : (i1, !k) -> (i1, !k) {
      scf.condition(%c) {ttg.partition = array<i32: 0, 1>} %c, %q : i1, !k
    } do {
    ^bb0(%c: i1, %t: !k):
      %u = ttng.tmem_store %z, %d[%t], %y {ttg.partition = array<i32: 0>} : !t -> !d
      scf.yield {ttg.partition = array<i32: 0, 1>} %c, %u : i1, !k
    } attributes {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0, 1>, array<i32: 0>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}
