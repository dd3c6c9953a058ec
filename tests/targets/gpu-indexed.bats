#!/usr/bin/env bats
# Operations of kernels that are written with layouts: local_gather, local_scatter and fp4_to_fp, on the simulator.
load ../helpers

memdesc='!ttg.memdesc<64x32xTYPE, #shared, #smem, mutable>'
gather="    %b = ttg.local_alloc : () -> $memdesc
    ttg.local_store %v, %b : tensor<64x32xTYPE, #blocked> -> $memdesc
    %w = ttg.local_gather %b[%i] {axis = AXIS : i32} : $memdesc, tensor<64x32xi32, #blocked> -> tensor<64x32xTYPE, #blocked>"
scatter="    %b = ttg.local_alloc : () -> $memdesc
    ttg.local_scatter %b[%i], %v {axis = AXIS : i32} : $memdesc, tensor<64x32xi32, #blocked>, tensor<64x32xTYPE, #blocked>
    %w = ttg.local_load %b : $memdesc -> tensor<64x32xTYPE, #blocked>"
atomic="    %b = ttg.local_alloc %v : (tensor<64x32xTYPE, #blocked>) -> $memdesc
    %old = ttg.local_atomic_scatter_rmw KIND, %b[%i], %o {axis = AXIS : i32} : ($memdesc, tensor<64x32xi32, #blocked>, tensor<64x32xTYPE, #blocked>) -> tensor<64x32xTYPE, #blocked>
    %w = ttg.local_load %b : $memdesc -> tensor<64x32xTYPE, #blocked>"
# the lower right quarter of a larger buffer
slice="    %large = ttg.local_alloc : () -> !ttg.memdesc<128x64xTYPE, #shared, #smem, mutable>
    %b = ttg.memdesc_subslice %large[64, 32] : !ttg.memdesc<128x64xTYPE, #shared, #smem, mutable> -> !ttg.memdesc<64x32xTYPE, #shared, #smem, mutable, 128x64>
    ttg.local_store %v, %b : tensor<64x32xTYPE, #blocked> -> !ttg.memdesc<64x32xTYPE, #shared, #smem, mutable, 128x64>
    %w = ttg.local_gather %b[%i] {axis = AXIS : i32} : !ttg.memdesc<64x32xTYPE, #shared, #smem, mutable, 128x64>, tensor<64x32xi32, #blocked> -> tensor<64x32xTYPE, #blocked>"

# write BODY BLOCKED SHARED AXIS TYPE: a kernel that loads 64x32 elements as %v, makes indices %i along the axis, which
# permute each of its lines, does BODY and stores %w. TARGET is of the module.
write() {
    local factors=(11 5 3 63) body=$1 text
    [ "$4" = 0 ] || factors=(3 5 7 31)
    text='#blocked = #ttg.blocked<BLOCKED>
#shared = SHARED
#smem = #ttg.shared_memory
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#columns = #ttg.slice<{dim = 0, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "TARGET", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !tt.ptr<TYPE>, %out: !tt.ptr<TYPE>) {
    %c32 = arith.constant dense<32> : tensor<64x32xi32, #blocked>
    %c0 = arith.constant dense<FACTOR0> : tensor<64x32xi32, #blocked>
    %c1 = arith.constant dense<FACTOR1> : tensor<64x32xi32, #blocked>
    %c2 = arith.constant dense<FACTOR2> : tensor<64x32xi32, #blocked>
    %c3 = arith.constant dense<FACTOR3> : tensor<64x32xi32, #blocked>
    %r0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %s0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %r1 = tt.expand_dims %r0 {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %s1 = tt.expand_dims %s0 {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #blocked>
    %r = tt.broadcast %r1 : tensor<64x1xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %s = tt.broadcast %s1 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %m = arith.muli %r, %c32 : tensor<64x32xi32, #blocked>
    %o = arith.addi %m, %s : tensor<64x32xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<TYPE> -> tensor<64x32x!tt.ptr<TYPE>, #blocked>
    %xp = tt.addptr %xs, %o : tensor<64x32x!tt.ptr<TYPE>, #blocked>, tensor<64x32xi32, #blocked>
    %v = tt.load %xp : tensor<64x32x!tt.ptr<TYPE>, #blocked>
    %i0 = arith.muli %r, %c0 : tensor<64x32xi32, #blocked>
    %i1 = arith.muli %s, %c1 : tensor<64x32xi32, #blocked>
    %i2 = arith.addi %i0, %i1 : tensor<64x32xi32, #blocked>
    %i3 = arith.addi %i2, %c2 : tensor<64x32xi32, #blocked>
    %i = arith.andi %i3, %c3 : tensor<64x32xi32, #blocked>
BODY
    %os = tt.splat %out : !tt.ptr<TYPE> -> tensor<64x32x!tt.ptr<TYPE>, #blocked>
    %op = tt.addptr %os, %o : tensor<64x32x!tt.ptr<TYPE>, #blocked>, tensor<64x32xi32, #blocked>
    tt.store %op, %w : tensor<64x32x!tt.ptr<TYPE>, #blocked>
    tt.return
  }
}'
    text=${text//BODY/$body}
    text=${text//BLOCKED/$2}
    text=${text//SHARED/$3}
    text=${text//AXIS/$4}
    for i in 0 1 2 3; do text=${text//FACTOR$i/${factors[i]}}; done
    printf '%s\n' "${text//TYPE/$5}" >template.ttgir
    # barriers and places in shared memory
    sed 's/TARGET/cuda:80/' template.ttgir >k.ttgir
    tritcc -passes=allocate-shared-memory,membar -o planned.ttgir k.ttgir
}

# numbers FILE: what -print showed, in one line, without the places that the lines start with
numbers() {
    sed -e 1d -e 's/^ *\[[0-9, ]*\]//' "$1" | tr '\n' ' ' | tr -s ' ' | sed 's/ $//'
    echo
}

# wanted gather|scatter AXIS: the result when the source is 0, 1, 2, ...
wanted() {
    awk -v how="$1" -v axis="$2" 'BEGIN {
        for (i = 0; i < 64; i++)
            for (j = 0; j < 32; j++) {
                at = axis ? (3 * i + 5 * j + 7) % 32 : (11 * i + 5 * j + 3) % 64
                chosen = axis ? i * 32 + at : at * 32 + j
                if (how == "gather") out[i * 32 + j] = chosen; else out[chosen] = i * 32 + j
            }
        for (n = 0; n < 2048; n++) printf " %d", out[n]
        print ""
    }'
}

# same gather|scatter AXIS TYPE
same() {
    "$BUILDDIR/tritrun" -arch=sim:sm_80 -print arg1 -print-limit 2048 planned.ttgir "arange:$3:2048" "zeros:$3:2048" >got.txt
    wanted "$1" "$2" | diff - <(numbers got.txt)
}

blocked='{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}'
# every warp holds every element
repeated='{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}'
plain='#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>'
swizzled='#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>'
transposed='#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 8, order = [0, 1]}>'
padded='#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [64, 32]}>'

@test "local_gather takes what the indices choose, along either axis, from every kind of buffer" {
    for shared in "$plain" "$swizzled" "$transposed" "$padded"; do
        for axis in 0 1; do
            write "$gather" "$blocked" "$shared" $axis f32
            same gather $axis f32
        done
    done
}

@test "local_scatter puts elements where the indices say" {
    for shared in "$plain" "$swizzled" "$transposed" "$padded"; do
        for axis in 0 1; do
            write "$scatter" "$blocked" "$shared" $axis f32
            same scatter $axis f32
        done
    done
}

@test "elements of other widths, and layouts that hold elements several times" {
    for type in i16 i64 f64; do
        write "$gather" "$repeated" "$swizzled" 0 $type
        same gather 0 $type
        write "$scatter" "$repeated" "$transposed" 1 $type
        same scatter 1 $type
    done
}

@test "local_gather of a slice of a buffer" {
    for shared in "$plain" "$swizzled"; do
        write "$slice" "$blocked" "$shared" 1 f32
        same gather 1 f32
        write "$slice" "$repeated" "$shared" 0 f32
        same gather 0 f32
    done
}

# Each element of the source, 0, 1, 2, ..., has been updated by the number of the element that the indices send there.
@test "local_atomic_scatter_rmw updates elements where the indices say" {
    for kind in add max xor; do
        for axis in 0 1; do
            write "${atomic//KIND/$kind}" "$blocked" "$swizzled" $axis i32
            "$BUILDDIR/tritrun" -arch=sim:sm_80 -print arg1 -print-limit 2048 planned.ttgir arange:i32:2048 zeros:i32:2048 >got.txt
            wanted scatter $axis | awk -v kind=$kind 'function exclusive(a, b, p, r) {
                for (p = 1; p < 4096; p *= 2) if (int(a / p) % 2 != int(b / p) % 2) r += p
                return r + 0
            }
            { for (n = 0; n < 2048; n++) { v = $(n + 1); printf " %d", kind == "add" ? n + v : kind == "max" ? (n > v ? n : v) : exclusive(n, v) } print "" }' |
                diff - <(numbers got.txt)
        done
    done
    # all of a column to its first element: the sum, and what was there before each
    write "    %zero = arith.constant dense<0> : tensor<64x32xi32, #blocked>
    %b = ttg.local_alloc %zero : (tensor<64x32xi32, #blocked>) -> ${memdesc/TYPE/i32}
    %w = ttg.local_atomic_scatter_rmw add, %b[%zero], %v {axis = 0 : i32} : (${memdesc/TYPE/i32}, tensor<64x32xi32, #blocked>, tensor<64x32xi32, #blocked>) -> tensor<64x32xi32, #blocked>" "$blocked" "$plain" 0 i32
    "$BUILDDIR/tritrun" -arch=sim:sm_80 -print arg1 -print-limit 2048 planned.ttgir full:i32:2048:value=3 zeros:i32:2048 >got.txt
    # in each column every multiple of 3 once
    numbers got.txt | awk '{ for (j = 0; j < 32; j++) { sum = 0; for (i = 0; i < 64; i++) sum += $(i * 32 + j + 1); if (sum != 3 * 63 * 32) exit 1 } }'
}

@test "local_atomic_scatter_rmw of repeated elements, and of bytes" {
    write "${atomic//KIND/add}" "$repeated" "$plain" 0 i32
    "$BUILDDIR/tritrun" -arch=sim:sm_80 -print arg1 -print-limit 2048 planned.ttgir zeros:i32:2048 zeros:i32:2048 >got.txt
    wanted scatter 0 | diff - <(numbers got.txt)
    sed -i 's/tt.store %op, %w /tt.store %op, %old /' k.ttgir
    tritcc -passes=allocate-shared-memory,membar -o planned.ttgir k.ttgir
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx planned.ttgir
    [[ $errors == *"'ttg.local_atomic_scatter_rmw' cannot be lowered for 'sm_80': its result is used, but the layout gives an element to several threads"* ]]
    narrow=${atomic//KIND/add}
    narrow="    %o8 = arith.trunci %o : tensor<64x32xi32, #blocked> to tensor<64x32xi8, #blocked>
${narrow/\], %o /], %o8 }"
    write "$narrow" "$blocked" "$plain" 0 i8
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx planned.ttgir
    [[ $errors == *"'ttg.local_atomic_scatter_rmw' cannot be lowered for 'sm_80': atomics on 8-bit values do not exist"* ]]
}

@test "PTX of all is accepted" {
    need ptxas
    for arch in sm_80 sm_90a; do
        write "$gather" "$blocked" "$swizzled" 0 f16
        tritcc -arch=$arch -emit=cubin=k.cubin planned.ttgir
        write "$scatter" "$blocked" "$padded" 1 bf16
        tritcc -arch=$arch -emit=cubin=k.cubin planned.ttgir
        write "${atomic//KIND/umin}" "$blocked" "$padded" 1 i32
        tritcc -arch=$arch -emit=cubin=k.cubin planned.ttgir
    done
}

@test "indices for more lines than the buffer has are an error" {
    write "${gather//64x32xTYPE, #shared/32x32xTYPE, #shared}" "$blocked" "$plain" 1 f32 || true
    sed -i '/ttg.local_store/d' k.ttgir
    tritcc -passes=allocate-shared-memory,membar -o planned.ttgir k.ttgir
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx planned.ttgir
    [[ $errors == "planned.ttgir:"*": error: 'ttg.local_gather' cannot be lowered for 'sm_80': dimension 0 of the indices has 64 elements, the buffer 32"* ]]
}

# write_fp4 TYPE AXIS OPERAND RESULT: 16x16 bytes, whose pairs along AXIS are elements, to out; layouts of both sides.
write_fp4() {
    local to=16x32
    [ "$2" = 1 ] || to=32x16
    cat >k.ttgir <<EOF
#from = #ttg.blocked<$3>
#to = #ttg.blocked<$4>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !tt.ptr<i8>, %out: !tt.ptr<$1>) {
$(address from 16x16 x i8)
    %v = tt.load %xp : tensor<16x16x!tt.ptr<i8>, #from>
    %w = ttg.fp4_to_fp %v {axis = $2 : i32} : tensor<16x16xi8, #from> -> tensor<${to}x$1, #to>
$(address to $to out "$1")
    tt.store %outp, %w : tensor<${to}x!tt.ptr<$1>, #to>
    tt.return
  }
}
EOF
}

# address LAYOUT SHAPE POINTER TYPE: row-major addresses %<POINTER>p
address() {
    local rows=${2%x*} columns=${2#*x} p=$3
    cat <<EOF
    %${p}c = arith.constant dense<$columns> : tensor<${rows}x1xi32, #$1>
    %${p}r0 = tt.make_range {end = $rows : i32, start = 0 : i32} : tensor<${rows}xi32, #ttg.slice<{dim = 1, parent = #$1}>>
    %${p}s0 = tt.make_range {end = $columns : i32, start = 0 : i32} : tensor<${columns}xi32, #ttg.slice<{dim = 0, parent = #$1}>>
    %${p}r1 = tt.expand_dims %${p}r0 {axis = 1 : i32} : tensor<${rows}xi32, #ttg.slice<{dim = 1, parent = #$1}>> -> tensor<${rows}x1xi32, #$1>
    %${p}s1 = tt.expand_dims %${p}s0 {axis = 0 : i32} : tensor<${columns}xi32, #ttg.slice<{dim = 0, parent = #$1}>> -> tensor<1x${columns}xi32, #$1>
    %${p}m = arith.muli %${p}r1, %${p}c : tensor<${rows}x1xi32, #$1>
    %${p}r = tt.broadcast %${p}m : tensor<${rows}x1xi32, #$1> -> tensor<$2xi32, #$1>
    %${p}s = tt.broadcast %${p}s1 : tensor<1x${columns}xi32, #$1> -> tensor<$2xi32, #$1>
    %${p}o = arith.addi %${p}r, %${p}s : tensor<$2xi32, #$1>
    %${p}b = tt.splat %$p : !tt.ptr<$4> -> tensor<$2x!tt.ptr<$4>, #$1>
    %${p}p = tt.addptr %${p}b, %${p}o : tensor<$2x!tt.ptr<$4>, #$1>, tensor<$2xi32, #$1>
EOF
}

# All 256 bytes: low half first.
wanted_fp4() {
    awk -v axis="$1" 'BEGIN {
        split("0 0.5 1 1.5 2 3 4 6 -0 -0.5 -1 -1.5 -2 -3 -4 -6", value, " ")
        for (i = 0; i < (axis ? 16 : 32); i++)
            for (j = 0; j < (axis ? 32 : 16); j++) {
                byte = axis ? i * 16 + int(j / 2) : int(i / 2) * 16 + j
                odd = axis ? j % 2 : i % 2
                printf " %s", value[1 + (odd ? int(byte / 16) : byte % 16)]
            }
        print ""
    }'
}

@test "fp4_to_fp gives all values of a byte, low half first, along either axis" {
    for type in f16 bf16; do
        write_fp4 $type 1 '{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}' \
            '{sizePerThread = [1, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}'
        "$BUILDDIR/tritrun" -arch=sim:sm_80 -print arg1 -print-limit 512 k.ttgir arange:u8:256 zeros:$type:512 >got.txt
        wanted_fp4 1 | diff - <(numbers got.txt)
        write_fp4 $type 0 '{sizePerThread = [2, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [0, 1]}' \
            '{sizePerThread = [4, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [0, 1]}'
        "$BUILDDIR/tritrun" -arch=sim:sm_80 -print arg1 -print-limit 512 k.ttgir arange:u8:256 zeros:$type:512 >got.txt
        wanted_fp4 0 | diff - <(numbers got.txt)
    done
}

@test "fp4_to_fp between layouts that part the pairs is an error" {
    write_fp4 f16 1 '{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}' \
        '{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}'
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx k.ttgir
    [[ $errors == *"k.ttgir:"*": error: 'ttg.fp4_to_fp' op both elements of a byte must be in its thread"* ]]
}
