module {
  tt.func public @scale(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
    %pid = tt.get_program_id x : i32
    %c256_i32 = arith.constant 256 : i32
    %start = arith.muli %pid, %c256_i32 : i32
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %s = tt.splat %start : i32 -> tensor<256xi32>
    %off = arith.addi %s, %r : tensor<256xi32>
    %nn = tt.splat %n : i32 -> tensor<256xi32>
    %m = arith.cmpi slt, %off, %nn : tensor<256xi32>
    %b = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %p = tt.addptr %b, %off : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %v = tt.load %p, %m : tensor<256x!tt.ptr<f32>>
    %two = arith.constant dense<2.000000e+00> : tensor<256xf32>
    %w = arith.mulf %v, %two : tensor<256xf32>
    tt.store %p, %w, %m : tensor<256x!tt.ptr<f32>>
    tt.return
  }
}
