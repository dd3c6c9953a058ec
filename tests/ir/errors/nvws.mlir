#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<2x64xf16, #shared, #smem, mutable>
!b = !ttg.memdesc<3x64xf16, #shared, #smem, mutable>
tt.func @numbers(%a: !a, %b: !b) {
  // expected-error@+1 {{there must be as many of each buffer, not 2 and 3}}
  %r = nvws.aref.create %a, %b : !nvws.aref<[!ttg.memdesc<2x64xf16, #shared, #smem, mutable>, !ttg.memdesc<3x64xf16, #shared, #smem, mutable>]>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<2x64xf16, #shared, #smem, mutable>
tt.func @other_use(%a: !a, %i: i32) {
  // expected-error@+1 {{a buffer that is handed on must have no other use, such as ttg.memdesc_index}}
  %r = nvws.aref.create %a : !nvws.aref<[!ttg.memdesc<2x64xf16, #shared, #smem, mutable>]>
  %v = ttg.memdesc_index %a[%i] : !a -> !ttg.memdesc<64xf16, #shared, #smem, mutable>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<2x64xf16, #shared, #smem, mutable>
!r = !nvws.aref<[!ttg.memdesc<2x64xf16, #shared, #smem, mutable>]>
tt.func @enter(%a: !a) {
  %r = nvws.aref.create %a : !r
  // expected-error@+1 {{gives 0 buffers of a reference to 1}}
  %t = nvws.aref.put.enter %r : !r -> !ttg.async.token
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<2x64xf16, #shared, #smem, mutable>
!r = !nvws.aref<[!ttg.memdesc<2x64xf16, #shared, #smem, mutable>]>
tt.func @shape(%a: !a) {
  %r = nvws.aref.create %a : !r
  // expected-error@+1 {{which is not one of the buffers}}
  %b, %t = nvws.aref.get.enter %r : !r -> !ttg.memdesc<32xf16, #shared, #smem, mutable>, !ttg.async.token
  tt.return
}

// -----

tt.func @phi(%a: i32) {
  %x = arith.addi %a, %a {ttg.partition = array<i32: 0>} : i32
  // expected-error@+1 {{needs ttg.partition}}
  %z = nvws.aref.phi %x, %x : i32
  tt.return
}

// -----

tt.func @phi_unknown(%a: i32) {
  %x = arith.addi %a, %a {ttg.partition = array<i32: 0>} : i32
  %y = arith.addi %a, %a : i32
  // expected-error@+1 {{no group of warps is known to make the second value}}
  %z = nvws.aref.phi %x, %y {ttg.partition = array<i32: 0>} : i32
  tt.return
}

// -----

tt.func @phi_both(%a: i32) {
  %x = arith.addi %a, %a {ttg.partition = array<i32: 0, 1>} : i32
  %y = arith.addi %a, %a {ttg.partition = array<i32: 1, 2>} : i32
  // expected-error@+1 {{both values are of group 1}}
  %z = nvws.aref.phi %x, %y {ttg.partition = array<i32: 0, 1, 2>} : i32
  tt.return
}

// -----

tt.func @phi_others(%a: i32) {
  %x = arith.addi %a, %a {ttg.partition = array<i32: 0>} : i32
  %y = arith.addi %a, %a {ttg.partition = array<i32: 1>} : i32
  // expected-error@+1 {{the groups of both values together must be those of ttg.partition}}
  %z = nvws.aref.phi %x, %y {ttg.partition = array<i32: 0, 1, 2>} : i32
  tt.return
}

// -----

tt.func @groups() {
  // expected-error@+1 {{has 0 groups, but numbers of warps for 1}}
  "nvws.warp_group"() <{numWarps = array<i32: 4>}> : () -> ()
  tt.return
}

// -----

tt.func @no_group() {
  // expected-error@+1 {{needs a group that makes its results}}
  %r = "nvws.warp_group"() <{numWarps = array<i32>}> : () -> i32
  tt.return
}

// -----

tt.func @no_yield() {
  // expected-error@+1 {{has results, which the first group must yield}}
  %r = "nvws.warp_group"() <{numWarps = array<i32: 4>}> ({
    "nvws.warp_group.return"() : () -> ()
  }) : () -> i32
  tt.return
}

// -----

tt.func @other_yield(%a: i64) {
  // expected-error@+1 {{results and what the first group yields must have the same types}}
  %r = "nvws.warp_group"() <{numWarps = array<i32: 4>}> ({
    "nvws.warp_group.yield"(%a) : (i64) -> ()
  }) : () -> i32
  tt.return
}

// -----

tt.func @response() {
  // expected-error@+1 {{the response is two elements of i64}}
  %r = ttng.clc_try_cancel_sync : tensor<4xi64>
  tt.return
}
