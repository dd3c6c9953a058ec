# Asynchronous copies of what several threads have: one of them copies (primitives copy_async_if_4, copy_async_if_8 and
# copy_async_if_16).
load ../helpers

# write ELEMENTS TYPE SIZE: a kernel that copies ELEMENTS through shared memory by 128 threads, SIZE elements a thread.
write() {
    cat >k.ttgir <<K
#blocked = #ttg.blocked<{sizePerThread = [$3], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !tt.ptr<$2> {tt.divisibility = 16 : i32}, %out: !tt.ptr<$2> {tt.divisibility = 16 : i32}, %n: i32) {
    %i = tt.make_range {end = $1 : i32, start = 0 : i32} : tensor<$1xi32, #blocked>
    %p = tt.splat %x : !tt.ptr<$2> -> tensor<$1x!tt.ptr<$2>, #blocked>
    %q = tt.addptr %p, %i : tensor<$1x!tt.ptr<$2>, #blocked>, tensor<$1xi32, #blocked>
    %b = ttg.local_alloc : () -> !ttg.memdesc<$1x$2, #shared, #smem, mutable>
    %c = ttg.async_copy_global_to_local %q, %b : tensor<$1x!tt.ptr<$2>, #blocked> -> <$1x$2, #shared, #smem, mutable>
    %t = ttg.async_commit_group tokens %c
    %w = ttg.async_wait %t {num = 0 : i32}
    ttg.barrier local
    %v = ttg.local_load %b : !ttg.memdesc<$1x$2, #shared, #smem, mutable> -> tensor<$1x$2, #blocked>
    %o = tt.splat %out : !tt.ptr<$2> -> tensor<$1x!tt.ptr<$2>, #blocked>
    %r = tt.addptr %o, %i : tensor<$1x!tt.ptr<$2>, #blocked>, tensor<$1xi32, #blocked>
    tt.store %r, %v : tensor<$1x!tt.ptr<$2>, #blocked>
    tt.return
  }
}
K
}

# copies ELEMENTS TYPE SIZE BYTES NUMPY: the copy is right on the simulator, and its PTX has a predicate, or none.
copies() {
    write "$1" "$2" "$3"
    tritrun -arch=sim:sm_80 -grid=1 k.ttgir "arange:$5:$1" "empty:$5:$1" 0 -o arg1=out.npy -o arg0=x.npy
    cmp out.npy x.npy
    tritcc -arch=sm_80 -emit=ptx=k.ptx k.ttgir
    grep -qE "$6cp\.async\.c[ag]\.shared\.global \[[^]]*\], \[[^]]*\], $4, " k.ptx
}

@test "copies of 4, 8 and 16 bytes by one of the threads that have them" {
    copies 32 f32 1 4 f32 '@%p[0-9]+ '
    copies 64 f32 2 8 f32 '@%p[0-9]+ '
    copies 64 f32 4 16 f32 '@%p[0-9]+ '
    copies 64 f16 8 16 f16 '@%p[0-9]+ '
}

@test "copies that each thread has alone need no predicate" {
    copies 128 f32 1 4 f32 '^[[:space:]]'
    copies 512 f32 4 16 f32 '^[[:space:]]'
}
