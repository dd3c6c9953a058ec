#!/usr/bin/env bats
# What the GPU lowering refuses: each report names the operation, the target, the reason and the line.
load ../helpers

layouts='#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#two = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plane = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#pair = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#twice = #ttg.linear<{register = [[0]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
#skewed = #ttg.generic_linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 8], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#mma3 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#swizzled = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#unswizzled = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory'
arch=sm_80 target=cuda:80 planned=

# refuses MESSAGE <BODY: compiling a function with this body is refused at the line that ends in "// here".
refuses() {
    {
        printf '%s\n' "$layouts"
        printf 'module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "%s", "ttg.threads-per-warp" = 32 : i32%s} {\n' $target "$planned"
        cat
        printf '}\n'
    } >k.ttgir
    rm -f k.ll
    tritcc -1 -arch=$arch -emit=llir=k.ll k.ttgir
    local line
    line=$(grep -n '// here' k.ttgir | head -n 1 | cut -d: -f1)
    [[ $errors == "k.ttgir:$line:"*": error: '"*"' cannot be lowered for '$arch': $1"* ]]
    [[ $errors == *"[TRI-6002]"* ]]
    [ ! -e k.ll ]
}

@test "operations that only other compilers make" {
    refuses "there is no lowering for this operation; compile the kernel from its ttir" <<'IR'
  tt.func public @k(%p: !ttg.memdesc<1xi64, #line, #smem, mutable>) {
    ttng.async_copy_mbarrier_arrive %p : !ttg.memdesc<1xi64, #line, #smem, mutable> // here
    tt.return
  }
IR
}

@test "bulk copies of a machine that has none" {
    refuses "this architecture has no bulk copies; sm_90 is the first that has them" <<'IR'
  tt.func public @k(%p: !ttg.memdesc<1xi64, #line, #smem, mutable>) {
    ttng.init_barrier %p, 1 : !ttg.memdesc<1xi64, #line, #smem, mutable> // here
    tt.return
  }
IR
}

@test "constants" {
    refuses "its elements differ between threads; load them from memory" <<'IR'
  tt.func public @k() {
    %c = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32, #blocked> // here
    tt.return
  }
IR
}

@test "atomics" {
    refuses "atomics on 8-bit values do not exist" <<'IR'
  tt.func public @k(%p: !tt.ptr<i8>, %v: i8) {
    %o = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (!tt.ptr<i8>, i8) -> i8 // here
    tt.return
  }
IR
    arch=spirv64 target=opencl:64 refuses "the device has no clock for the timeout" <<'IR'
  tt.func public @k(%p: !tt.ptr<i32>, %v: i32, %t: i64) {
    %o = tt.atomic_poll acquire, gpu, %p, %v timeout %t : !tt.ptr<i32>, i32 -> i1 // here
    tt.return
  }
IR
}

@test "counters" {
    refuses "counters of less than 32 bits cannot be counted up atomically" <<'IR'
  tt.func public @k() {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    %h = tt.histogram %r {allocation.offset = 0 : i32} : tensor<128xi32, #blocked> -> tensor<128xi8, #blocked> // here
    tt.return
  }
IR
}

@test "memory that no pass allocated, when others say that they did" {
    planned=', ttg.shared = 64 : i32'
    refuses "no global scratch memory was allocated for it" <<'IR'
  tt.func public @k() {
    %p = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32} : !tt.ptr<i8> // here
    tt.return
  }
IR
    refuses "no shared memory was allocated for it; run allocate-shared-memory first" <<'IR'
  tt.func public @k() {
    %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #line, #smem, mutable> // here
    tt.return
  }
IR
    refuses "no shared memory was allocated for it; run allocate-shared-memory first" <<'IR'
  tt.func public @k(%x: tensor<256xf32, #blocked>, %p: tensor<256x!tt.ptr<f32>, #two>) {
    %y = ttg.convert_layout %x : tensor<256xf32, #blocked> -> tensor<256xf32, #two> // here
    tt.store %p, %y : tensor<256x!tt.ptr<f32>, #two>
    tt.return
  }
IR
    refuses "no shared memory was allocated for it; run allocate-shared-memory first" <<'IR'
  tt.func public @k(%p: !tt.ptr<i32>, %v: i32) {
    %o = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32 // here
    tt.store %p, %o : !tt.ptr<i32>
    tt.return
  }
IR
    refuses "no shared memory was allocated for it; run allocate-shared-memory first" <<'IR'
  tt.func public @k() {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    %h = tt.histogram %r : tensor<128xi32, #blocked> -> tensor<128xi32, #blocked> // here
    tt.return
  }
IR
    refuses "no shared memory was allocated for it; run allocate-shared-memory first" <<'IR'
  tt.func public @k(%x: tensor<128xf32, #blocked>) {
    %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({ // here
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.scan.return %s : f32
    }) : (tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    tt.return
  }
IR
}

@test "more shared memory than the device has, when others planned it" {
    printf 'module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 200000 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {\n  tt.func public @k() {\n    tt.return\n  }\n}\n' >k.ttgir
    tritcc -1 -arch=sm_80 -emit=llir=k.ll k.ttgir
    [[ $errors == *"k.ttgir:2:3: error: the kernel needs 200000 bytes of shared memory; 'sm_80' has 166912; smaller blocks or fewer stages help [TRI-6003]"* ]]
}

@test "reductions and scans" {
    tuple() { # OP COUNT: all of COUNT tensors together
        local types args values
        types=$(printf 'tensor<128xf32, #blocked>, %.0s' $(seq "$2") | sed 's/, $//')
        args=$(printf '%%x, %.0s' $(seq "$2") | sed 's/, $//')
        values=$(seq -s ', ' -f '%%a%g' "$2")
        printf '  tt.func public @k(%%x: tensor<128xf32, #blocked>) {\n    %%y:%d = "tt.%s"(%s) <{axis = 0 : i32%s}> ({ // here\n    ^bb0(%s, %s):\n      tt.%s.return %s : %s\n' \
            "$2" "$1" "$args" "${3-}" "$(seq -s ', ' -f '%%a%g: f32' "$2")" "$(seq -s ', ' -f '%%b%g: f32' "$2")" "$1" "$values" \
            "$(printf 'f32, %.0s' $(seq "$2") | sed 's/, $//')"
        printf '    }) : (%s) -> (%s)\n    tt.return\n  }\n' "$types" "$([ "$1" = scan ] && echo "$types" || printf 'f32, %.0s' $(seq "$2") | sed 's/, $//')"
    }
    refuses "more than 8 tensors are reduced together" < <(tuple reduce 9)
    refuses "more than 8 tensors are scanned together" < <(tuple scan 9 ', reverse = false')
    refuses "the axis is mixed with another dimension in this layout; convert it to a blocked one first" <<'IR'
  tt.func public @k(%x: tensor<16x16xf32, #skewed>) {
    %y = "tt.reduce"(%x) <{axis = 1 : i32}> ({ // here
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<16x16xf32, #skewed>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #skewed}>>
    tt.return
  }
IR
    refuses "the axis is mixed with another dimension in this layout; convert it to a blocked one first" <<'IR'
  tt.func public @k(%x: tensor<16x16xf32, #skewed>) {
    %y = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({ // here
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.scan.return %s : f32
    }) : (tensor<16x16xf32, #skewed>) -> tensor<16x16xf32, #skewed>
    tt.return
  }
IR
}

@test "shapes whose layouts do not follow from one another" {
    refuses "the layouts of operand and result hold different numbers of elements" <<'IR'
  tt.func public @k(%x: tensor<64x2xf32, #plane>) {
    %y = tt.reshape %x allow_reorder : tensor<64x2xf32, #plane> -> tensor<128xf32, #blocked> // here
    tt.return
  }
IR
    refuses "the operands hold 4 registers, the result 2" <<'IR'
  tt.func public @k(%x: tensor<128xf32, #twice>) {
    %y = tt.cat %x, %x : tensor<128xf32, #twice> -> tensor<256xf32, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>> // here
    tt.return
  }
IR
}

@test "products" {
    refuses "the operands are not laid out as operands of this result; their layouts are #ttg.dot_op" <<'IR'
  tt.func public @k(%a: tensor<16x16xf32, #pair>, %b: tensor<16x16xf32, #plane>, %c: tensor<16x16xf32, #plane>) {
    %d = tt.dot %a, %b, %c : tensor<16x16xf32, #pair> * tensor<16x16xf32, #plane> -> tensor<16x16xf32, #plane> // here
    tt.return
  }
IR
    refuses "no matrix instruction of this architecture takes these element types" <<'IR'
  tt.func public @k(%a: tensor<64x32xf8E5M2, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %b: tensor<32x64xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %c: tensor<64x64xf32, #mma>) {
    %d = tt.dot %a, %b, %c : tensor<64x32xf8E5M2, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<32x64xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x64xf32, #mma> // here
    tt.return
  }
IR
}

group_dot() { # SHARED ELEMENT: a product of a warp group
    cat <<IR
  tt.func public @k(%c: tensor<64x16xf32, #mma3>) {
    %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x64x$2, $1, #smem, mutable>
    %b = ttg.local_alloc {allocation.offset = 16384 : i32} : () -> !ttg.memdesc<64x16x$2, $1, #smem, mutable>
    %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64x$2, $1, #smem, mutable> * !ttg.memdesc<64x16x$2, $1, #smem, mutable> -> tensor<64x16xf32, #mma3> // here
    tt.return
  }
IR
}

@test "products of warp groups" {
    target=cuda:90
    arch=sm_90 refuses "this architecture has no products of warp groups; sm_90a has them" < <(group_dot '#swizzled' f16)
    arch=sm_90a refuses "operands of a warp group's product are read from swizzled buffers only" < <(group_dot '#unswizzled' f16)
    arch=sm_90a refuses "no matrix instruction of this architecture takes these element types" < <(group_dot '#swizzled' i16)
    target=cuda:80 refuses "this architecture has no asynchronous proxy" <<'IR'
  tt.func public @k() {
    ttng.fence_async_shared {bCluster = false} // here
    tt.return
  }
IR
}

@test "buffers" {
    refuses "the slice's type does not give the shape of its buffer" <<'IR'
  tt.func public @k(%p: tensor<64x16x!tt.ptr<f32>, #plane>) {
    %b = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
    %s = ttg.memdesc_subslice %b[0, 16] : !ttg.memdesc<64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x16xf32, #shared, #smem, mutable> // here
    %v = ttg.local_load %s : !ttg.memdesc<64x16xf32, #shared, #smem, mutable> -> tensor<64x16xf32, #plane>
    tt.store %p, %v : tensor<64x16x!tt.ptr<f32>, #plane>
    tt.return
  }
IR
    refuses "its buffer is not in shared memory, the only one that is lowered" <<'IR'
  tt.func public @k(%b: !ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, #ttng.tensor_memory, mutable>) {
    %v = ttg.local_load %b : !ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #plane> // here
    tt.return
  }
IR
}

async_copy() { # ELEMENT OTHER SHARED
    cat <<IR
  tt.func public @k(%p: tensor<64x32x!tt.ptr<$1>, #plane> {tt.divisibility = 16 : i32}, %m: tensor<64x32xi1, #plane>) {
    %o = arith.constant dense<$2> : tensor<64x32x$1, #plane>
    %b = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x32x$1, $3, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %b mask %m other %o : tensor<64x32x!tt.ptr<$1>, #plane> -> <64x32x$1, $3, #smem, mutable> // here
    tt.return
  }
IR
}

@test "asynchronous copies" {
    refuses "masked elements of an asynchronous copy can only become zero; choose the others after the load" < <(async_copy f32 1.0 '#shared')
    refuses "pieces of 2 bytes cannot be copied asynchronously; 4, 8 or 16 can" < <(async_copy f16 0.0 '#shared')
    arch=spirv64 target=opencl:64 refuses "the machine has no asynchronous copies" < <(async_copy f32 0.0 '#shared')
}

@test "functions of several values at a time" {
    map() { # PACK
        local names types
        names=$(seq -s ', ' -f '%%a%g: f32' "$1")
        types=$(printf 'f32, %.0s' $(seq "$1") | sed 's/, $//')
        printf '  tt.func public @k(%%x: tensor<128xf32, #blocked>) {\n    %%y = "tt.map_elementwise"(%%x) <{pack = %d : i32}> ({ // here\n    ^bb0(%s):\n      tt.map_elementwise.return %s : %s\n    }) : (tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>\n    tt.return\n  }\n' \
            "$1" "$names" "$(seq -s ', ' -f '%%a%g' "$1")" "$types"
    }
    refuses "more than 64 values at a time; a smaller pack helps" < <(map 128)
    refuses "more than 64 registers; a smaller pack helps" <<'IR'
  tt.func public @k(%x: tensor<128xf32, #blocked>) {
    %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=f,f", packed_element = 128 : i32, pure = true} %x : tensor<128xf32, #blocked> -> tensor<128xf32, #blocked> // here
    tt.return
  }
IR
    refuses "inline assembly with the constraints \"=f,*f\": '*' is for operands in memory, and these are in registers" <<'IR'
  tt.func public @k(%x: tensor<128xf32, #blocked>) {
    %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=f,*f", packed_element = 1 : i32, pure = true} %x : tensor<128xf32, #blocked> -> tensor<128xf32, #blocked> // here
    tt.return
  }
IR
    arch=spirv64 target=opencl:64 refuses "the device takes no assembly" <<'IR'
  tt.func public @k(%x: tensor<128xf32, #blocked>) {
    %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %x : tensor<128xf32, #blocked> -> tensor<128xf32, #blocked> // here
    tt.return
  }
IR
}

@test "functions of libraries" {
    refuses "it names no function" <<'IR'
  tt.func public @k(%x: f32) {
    %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = ""} : (f32) -> f32 // here
    tt.return
  }
IR
    refuses "'f' is called with different types" <<'IR'
  tt.func public @k(%x: f32, %z: f64) {
    %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "f"} : (f32) -> f32
    %w = tt.extern_elementwise %z {libname = "", libpath = "", pure = true, symbol = "f"} : (f64) -> f64 // here
    tt.return
  }
IR
    refuses "function 'elsewhere' has no body" <<'IR'
  tt.func private @elsewhere(f32) -> f32
  tt.func public @k(%x: f32) {
    %y = tt.call @elsewhere(%x) : (f32) -> f32 // here
    tt.return
  }
IR
}

@test "messages of devices that have none" {
    arch=spirv64 target=opencl:64 refuses "the device has no way to report a failed assertion" <<'IR'
  tt.func public @k(%c: i1) {
    tt.assert %c, "text" : i1 // here
    tt.return
  }
IR
    arch=gfx1100 target=hip:gfx1100 refuses "the device has no printf" <<'IR'
  tt.func public @k(%x: i32) {
    tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : i32 // here
    tt.return
  }
IR
}

@test "shared memory of this target has no partitions" {
    refuses "this target's shared memory has no partitions to spread a buffer over" <<'IR'
  tt.func public @k() {
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>}>, #ttg.shared_memory, mutable> // here
    tt.return
  }
IR
}

@test "descriptors' atomics of 16-bit floats" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def k(p, N):
    d = tl.make_tensor_descriptor(p, [N, 64], [64, 1], [32, 64])
    d.atomic_add([0, 0], tl.zeros((32, 64), p.dtype.element_ty))
    d.atomic_max([0, 0], tl.zeros((32, 64), p.dtype.element_ty))
END
    tritcc -arch=sm_90 -emit=ptx=k.ptx -sig 'k(*fp16:16, i32)' k.tri
    grep -q 'red.*max.noftz.*f16' k.ptx
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -sig 'k(*fp16:16, i32)' k.tri
    [[ $errors == *"k.tri:9:5: error: this atomic does not support elements of type 'fp16' [TRI-3012]"* ]]
    [[ $errors != *"k.tri:8:"* ]]
    tritcc -arch=sm_80 -emit=ptx=k.ptx -sig 'k(*i32:16, i32)' k.tri
    [ "$(grep -c 'atom.*max.s32\|red.*max.s32' k.ptx)" -ge 1 ]
}

# has_no_value TYPE MESSAGE: no target takes a parameter of that type
has_no_value() {
    local arch
    printf 'module {\n  tt.func public @k(%%x: %s) { tt.return }\n}\n' "$1" >k.ttir
    for arch in sm_80 gfx942 pvc spirv64 x86-64-v3 linalg; do
        tritcc -1 -arch=$arch -S k.ttir
        [[ $errors == "k.ttir:2:"*": error: 'tt.func' cannot be lowered for '"*"': $2 [TRI-6002]"* ]]
    done
}

@test "types that no value has" {
    has_no_value 'tensor<0xf32>' "each dimension of a block is a power of two"
    has_no_value 'tensor<?x4xf32>' "each dimension of a block is a power of two"
    has_no_value 'tensor<4611686018427387904x4xf32>' "a block has at most 1048576 elements"
    has_no_value 'tensor<4x!tt.tensordesc<4xf32>>' "blocks are of numbers and pointers"
    has_no_value 'tensor<4x!ttg.async.token>' "blocks are of numbers and pointers"
    has_no_value 'memref<4xf32>' "no value has a type like this"
    has_no_value 'vector<4xf32>' "no value has a type like this"
    has_no_value 'tuple<i32>' "no value has a type like this"
    has_no_value 'complex<f32>' "no value has a type like this"
    has_no_value '!llvm.ptr' "no value has a type like this"
    has_no_value '() -> ()' "no value has a type like this"
    has_no_value f128 "floats have at most 64 bits"
    has_no_value i129 "integers have 1 to 128 bits"
}

@test "types that no register holds" {
    for arch in sm_80 spirv64; do
        refuses "integers have 1 to 128 bits" <<'IR'
  tt.func public @k(%p: !tt.ptr<i32>, %n: i129) { // here
    tt.return
  }
IR
        refuses "integers have 1 to 128 bits" <<'IR'
  tt.func public @k(%p: !tt.ptr<i32>) {
    %z = arith.constant 0 : i0 // here
    tt.return
  }
IR
        refuses "a parameter cannot point to a block" <<'IR'
  tt.func public @k(%p: !tt.ptr<tensor<4xf32>>) { // here
    tt.return
  }
IR
    done
}
