// The generic form of Triton 3.7 gives what partitions capture to the operation that holds them, and says of a
// buffer in global memory who takes it.
// RUN: tritcc -x ttgir -passes= %s -o - | FileCheck %s
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
"builtin.module"() ({
  "tt.func"() <{function_type = (!ttg.memdesc<1xi64, #shared, #smem, mutable>, i32) -> (), sym_name = "captures", sym_visibility = "public"}> ({
  ^bb0(%b: !ttg.memdesc<1xi64, #shared, #smem, mutable>, %n: i32):
    // CHECK: ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32}
    %0 = "ttg.global_scratch_alloc"() <{alignment = 128 : i32, backend = "default", nbytes = 256 : i32}> : () -> !tt.ptr<i8>
    // CHECK: ttg.warp_specialize(%arg0, %arg1)
    "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 4, 2>}> ({
      "ttg.warp_yield"() : () -> ()
    }, {
      "ttg.warp_specialize.partitions"(%b, %n) ({
      // CHECK: partition0(%{{.*}}: !ttg.memdesc<1xi64, #{{.*}}, #smem, mutable>, %[[N:.*]]: i32) num_warps(4)
      ^bb0(%c: !ttg.memdesc<1xi64, #shared, #smem, mutable>, %m: i32):
        // CHECK: ttng.wait_barrier %{{.*}}, %[[N]]
        "ttng.wait_barrier"(%c, %m) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ttg.memdesc<1xi64, #shared, #smem, mutable>, i32) -> ()
        "ttg.warp_return"() : () -> ()
      }, {
      // CHECK: partition1
      ^bb0(%c: !ttg.memdesc<1xi64, #shared, #smem, mutable>, %m: i32):
        "ttg.warp_return"() : () -> ()
      }) : (!ttg.memdesc<1xi64, #shared, #smem, mutable>, i32) -> ()
    }) : () -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} : () -> ()
