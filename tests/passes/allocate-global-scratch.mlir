// RUN: tritcc -x ttgir -passes=allocate-global-scratch %s | FileCheck %s
// RUN: tritcc -x ttgir -passes=allocate-global-scratch,allocate-shared-memory %s -o %t.ttgir
// RUN: tritcc -arch=sm_80 -emit=ptx=%t.a.ptx,json=%t.json %t.ttgir
// RUN: tritcc -x ttgir -arch=sm_80 -emit=ptx=%t.b.ptx %s
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.a.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.b.ptx
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// positive: @two @helper @caller
// negative: @none
// loop: @two

// The module has what its largest kernel needs, a multiple of the alignment.
// CHECK: module attributes {{{.*}}ttg.global_scratch_memory_alignment = 128 : i32, ttg.global_scratch_memory_size = 640 : i32
// JSON-COUNT-3: "scratch_bytes": 640,
// JSON-NEXT: "scratch_alignment": 128,
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @two
  // CHECK-SAME: ttg.global_scratch_memory_alignment = 64 : i32, ttg.global_scratch_memory_size = 192 : i32
  // PTX-LABEL: .entry two(
  // PTX: .param .u64 .ptr .global
  // PTX: %ctaid.x
  tt.func public @two(%n: i32, %v: i8) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: nbytes = 60 : i32, ttg.global_scratch_memory_offset = 0 : i32
    %p = ttg.global_scratch_alloc {alignment = 4 : i32, nbytes = 60 : i32} : !tt.ptr<i8>
    tt.store %p, %v : !tt.ptr<i8>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK: nbytes = 65 : i32, ttg.global_scratch_memory_offset = 64 : i32
      %q = ttg.global_scratch_alloc {alignment = 64 : i32, nbytes = 65 : i32} : !tt.ptr<i8>
      tt.store %q, %v : !tt.ptr<i8>
    }
    tt.return
  }

  // CHECK-LABEL: @helper
  tt.func private @helper(%v: i8) attributes {noinline = true} {
    // CHECK: ttg.global_scratch_memory_offset = 0 : i32
    %p = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32} : !tt.ptr<i8>
    tt.store %p, %v : !tt.ptr<i8>
    tt.return
  }

  // Every call has memory of its own.
  // CHECK-LABEL: @caller
  tt.func public @caller(%v: i8) {
    // CHECK: nbytes = 16 : i32, ttg.global_scratch_memory_offset = 0 : i32
    // CHECK: tt.call @helper(%{{.*}}) {ttg.global_scratch_memory_offset = 128 : i32}
    // CHECK: tt.call @helper(%{{.*}}) {ttg.global_scratch_memory_offset = 384 : i32}
    // PTX-LABEL: .entry caller(
    // PTX: add.s64 [[FIRST:%rd[0-9]+]], [[BASE:%rd[0-9]+]], 128;
    // PTX: st.param.b64 {{.*}}, [[FIRST]];
    // PTX: add.s64 [[SECOND:%rd[0-9]+]], [[BASE]], 384;
    // PTX: st.param.b64 {{.*}}, [[SECOND]];
    %p = ttg.global_scratch_alloc {alignment = 16 : i32, nbytes = 16 : i32} : !tt.ptr<i8>
    tt.store %p, %v : !tt.ptr<i8>
    tt.call @helper(%v) : (i8) -> ()
    tt.call @helper(%v) : (i8) -> ()
    tt.return
  }

  // CHECK-LABEL: @none
  // CHECK-NOT: global_scratch
  tt.func public @none() {
    tt.return
  }
}
