module {
  tt.func private @pair(%a: tensor<64xf32>, %b: f32) -> (tensor<64xf32>, f32) attributes {noinline = true} {
    tt.return %a, %b : tensor<64xf32>, f32
  }
  tt.func public @casts(%addr: tensor<32xi64>, %base: !tt.ptr<i8>, %x: tensor<64xf32>, %lo: tensor<64xf32>, %hi: tensor<64xf32>, %i: tensor<64xi32>, %p0: tensor<64x!tt.ptr<f32>>, %far: !tt.ptr<f32, 3>) {
    %q = tt.int_to_ptr %addr : tensor<32xi64> -> tensor<32x!tt.ptr<f16>>
    %v = tt.ptr_to_int %base : !tt.ptr<i8> -> i64
    %u = tt.bitcast %x : tensor<64xf32> -> tensor<64xi32>
    %h = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>
    %w = tt.fp_to_fp %h : tensor<64xf8E5M2> -> tensor<64xf16>
    %c = tt.clampf %x, %lo, %hi, propagateNan = none : tensor<64xf32>
    %c2 = tt.clampf %x, %lo, %hi, propagateNan = all {tt.constancy = dense<4> : tensor<1xi32>} : tensor<64xf32>
    %s = tt.precise_sqrt %x : tensor<64xf32>
    %d = tt.precise_divf %x, %lo : tensor<64xf32>
    %m = tt.mulhiui %i, %i : tensor<64xi32>
    %p1 = tt.addptr %p0, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.return
  }
  tt.func public @memory(%ptr: tensor<64x!tt.ptr<f32>>, %mask: tensor<64xi1>, %zero: tensor<64xf32>, %lock: !tt.ptr<i32>, %c0: i32, %flag: !tt.ptr<i32>, %ns: i64, %ok: tensor<64xi1>) {
    %a = tt.load %ptr : tensor<64x!tt.ptr<f32>>
    %b = tt.load %ptr, %mask : tensor<64x!tt.ptr<f32>>
    %c = tt.load %ptr, %mask, %zero cacheModifier = cg evictionPolicy = evict_first : tensor<64x!tt.ptr<f32>>
    %d = tt.load %ptr {isVolatile = true} : tensor<64x!tt.ptr<f32>>
    %e = tt.load %lock : !tt.ptr<i32>
    tt.store %ptr, %a : tensor<64x!tt.ptr<f32>>
    tt.store %ptr, %b, %mask evictionPolicy = evict_last : tensor<64x!tt.ptr<f32>>
    tt.store %ptr, %b, %mask cacheModifier = wt : tensor<64x!tt.ptr<f32>>
    %o = tt.atomic_rmw fadd, acq_rel, gpu, %ptr, %c, %mask : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
    %o2 = tt.atomic_rmw exch, relaxed, sys, %lock, %c0 : (!tt.ptr<i32>, i32) -> i32
    %o3 = tt.atomic_cas acquire, cta, %lock, %c0, %c0 : (!tt.ptr<i32>, i32, i32) -> i32
    tt.print " acc: " {hex = false, isSigned = array<i32: 0, 1>} : %c, %c0 : tensor<64xf32>, i32
    tt.print "here" {hex = false, isSigned = array<i32>}
    tt.assert %ok, "index in range" : tensor<64xi1>
    tt.return
  }
  tt.func public @shape(%s: f32, %one: tensor<1x1xf32>, %r: tensor<64xi32>, %v: tensor<512xf16>, %c: tensor<64x1xi32>, %a: tensor<64xf32>, %m: tensor<16x32xf16>, %src: tensor<128x16xf32>, %idx: tensor<64x16xi32>, %h: tensor<512xi32>, %hm: tensor<512xi1>) {
    %0 = tt.splat %s : f32 -> tensor<64xf32>
    %00 = tt.splat %s : f32 -> tensor<f32>
    %1 = tt.unsplat %one : tensor<1x1xf32>
    %2 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %3 = tt.reshape %v : tensor<512xf16> -> tensor<16x32xf16>
    %4 = tt.reshape %v allow_reorder : tensor<512xf16> -> tensor<16x32xf16>
    %5 = tt.reshape %v allow_reorder efficient_layout : tensor<512xf16> -> tensor<16x32xf16>
    %6 = tt.broadcast %c : tensor<64x1xi32> -> tensor<64x32xi32>
    %7 = tt.join %a, %a : tensor<64xf32> -> tensor<64x2xf32>
    %lo, %hi = tt.split %7 : tensor<64x2xf32> -> tensor<64xf32>
    %8 = tt.trans %m {order = array<i32: 1, 0>} : tensor<16x32xf16> -> tensor<32x16xf16>
    %9 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %10 = tt.gather %src[%idx] {axis = 0 : i32} : (tensor<128x16xf32>, tensor<64x16xi32>) -> tensor<64x16xf32>
    %11 = tt.histogram %h, %hm : tensor<512xi32> -> tensor<16xi32>
    %12 = tt.histogram %h : tensor<512xi32> -> tensor<16xi32>
    %13 = tt.get_program_id x : i32
    %14 = tt.get_num_programs z : i32
    %15 = tt.cat %a, %a : tensor<64xf32> -> tensor<128xf32>
    %16:2 = tt.call @pair(%a, %s) : (tensor<64xf32>, f32) -> (tensor<64xf32>, f32)
    tt.return
  }
  tt.func public @dots(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %acc: tensor<64x64xf32>, %e: tensor<128x64xf8E4M3FN>, %es: tensor<128x2xi8>, %f: tensor<32x128xi8>, %facc: tensor<128x128xf32>) {
    %0 = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    %1 = tt.dot %a, %b, %acc, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    %2 = tt.dot %a, %b, %acc, inputPrecision = tf32x3 {maxNumImpreciseAcc = 32 : i32} : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    %3 = tt.dot_scaled %e scale %es, %f scale %es, %facc lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<32x128xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
    // block-pingpong's mark of products whose waves meet in their middle
    %44 = tt.dot_scaled %e scale %es, %f scale %es, %facc lhs = e4m3 rhs = e2m1 {fastMath = false, pingpong_2step} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<32x128xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
    %4 = tt.dot_scaled %e scale %es, %f, %facc lhs = e4m3 rhs = e2m1 {fastMath = true} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<32x128xi8> -> tensor<128x128xf32>
    tt.return
  }
  tt.func public @regions(%x: tensor<8x64xf32>, %y: tensor<64xf32>, %ids: tensor<64xi32>) {
    %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.maxnumf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<8x64xf32>) -> tensor<8xf32>
    %v, %i = "tt.reduce"(%y, %ids) <{axis = 0 : i32}> ({
    ^bb0(%v1: f32, %i1: i32, %v2: f32, %i2: i32):
      %gt = arith.cmpf ogt, %v1, %v2 : f32
      %vr = arith.select %gt, %v1, %v2 : f32
      %ir = arith.select %gt, %i1, %i2 : i32
      tt.reduce.return %vr, %ir : f32, i32
    }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
    %c = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.scan.return %s : f32
    }) : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %e = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
    ^bb0(%a: f32):
      tt.map_elementwise.return %a : f32
    }) : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %f = tt.extern_elementwise %y {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<64xf32>) -> tensor<64xf32>
    %g = tt.elementwise_inline_asm "shl.b32 $0, $1, 2;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %ids : tensor<64xi32> -> tensor<64xi32>
    %z = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %ten = arith.constant 10 : i32
    %loop = scf.for %iv = %z to %ten step %one iter_args(%acc = %y) -> (tensor<64xf32>) : i32 {
      %n = arith.addf %acc, %y : tensor<64xf32>
      scf.yield %n : tensor<64xf32>
    } {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true>>, tt.disallow_acc_multi_buffer, tt.num_stages = 3 : i32}
    %t = arith.cmpi slt, %z, %ten : i32
    llvm.intr.assume %t : i1
    tt.return
  }
}
