load ../helpers

vadd=$EXAMPLES/vadd/vadd.tri
softmax=$EXAMPLES/softmax/softmax.tri
: "${TRITRUN:=$BUILDDIR/tritrun}"

# tritrun [-STATUS] ARG...: as tritcc does.
tritrun() {
    TRITCC=$TRITRUN tritcc "$@"
}

add() { # EXTRA...
    tritrun "$vadd" randn:f32:100:seed=1 ones:f32:100 empty:f32:100 100 BLOCK_SIZE=64 -grid='cdiv(n_elements, BLOCK_SIZE)' "$@"
}

@test "tritrun prints, writes and compares results" {
    add -print output_ptr -print-limit 2 -o output_ptr=out.npy
    [ "$(sed -n 1p .out)" = "output_ptr f32:100" ]
    [[ $output == *"98 more"* ]]
    tritrun "$vadd" randn:f32:100:seed=1 ones:f32:100 empty:f32:100 100 64 -grid=2 -expect output_ptr=@out.npy -rtol=0 -atol=0
    tritrun "$vadd" randn:f32:100:seed=1 ones:f32:100 empty:f32:100 100 64 -grid=2 -k=add_kernel -o=output_ptr=joined.npy
    cmp out.npy joined.npy
    tritrun -1 "$vadd" randn:f32:100:seed=2 ones:f32:100 empty:f32:100 100 64 -grid=2 -expect output_ptr=@out.npy
    [[ $errors == *"elements differ"*"got"*"expected"* ]]
}

@test "the simulator and the host agree" {
    for args in "7x100 100 128 2" "3x1 1 16 1" "5x33 33 64 4"; do
        set -- $args
        shape=$1 cols=$2 block=$3 warps=$4 rows=${1%x*}
        tritrun "$softmax" "empty:f32:$shape" "randn:f32:$shape:seed=3" "$cols" "$cols" "$rows" "$cols" "$block" 1 -grid=2 -o output_ptr=host.npy
        for arch in sm_80 sm_90; do
            tritrun "$softmax" "empty:f32:$shape" "randn:f32:$shape:seed=3" "$cols" "$cols" "$rows" "$cols" "$block" 1 -grid=2 \
                -arch=sim:$arch "-num-warps=$warps" -expect output_ptr=@host.npy
        done
    done
}

@test "forms of GPU code are switched as tritcc switches them" {
    local run=("$SRCDIR/tests/targets/auto-tma.tri" -k wrapped -grid=2,1 -num-warps=4 -num-stages=2 randint:f16:100x64:seed=1,low=-4,high=4
        randint:f16:64x64:seed=2,low=-4,high=4 full:f16:100x64:value=77 100 64 64 64 64 64 64 64 32) c
    tritrun "${run[@]}" -arch=sim:sm_90a -fno-auto-tma -o c_ptr=ref.npy
    for c in -fauto-tma -fhost-tensormaps -fno-host-tensormaps -fwarp-specialize -fno-warp-specialize -freorder-programs \
        -fpersistent -fno-persistent -fno-reorder-programs -fblock-pingpong -fno-block-pingpong -fswap-operands -fno-swap-operands -fno-remove-masks -fno-tma -fno-fp-fusion; do
        tritrun "${run[@]}" -arch=sim:sm_90a $c -expect c_ptr=@ref.npy -rtol=0 -atol=0
    done
    # an address that is no multiple of 16 bytes: what promises one is found out by the map alone
    tritcc -arch=sm_90a -k wrapped -sig '*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32:16, i32:16, i32:16, 64, 64, 32' \
        -emit=ttir=k.ttir "$SRCDIR/tests/targets/auto-tma.tri"
    run=(k.ttir -grid=2,1 -arch=sim:sm_90a ones:f16:100x64 ones:f16:64x60 zeros:f16:100x60 100 60 64 64 60 60)
    tritrun "${run[@]}" -fno-auto-tma
    tritrun -1 "${run[@]}"
    tritrun -2 "$vadd" -fno-such-form
}

@test "the simulator shows an access out of bounds at its source line" {
    tritrun -1 "$vadd" -arch=sim:sm_90 randn:f32:100 ones:f32:100 empty:f32:90 100 64 -grid=2
    [[ $errors == *"vadd.tri:36:5: error: global access out of bounds (store_global)"*"'output_ptr'"*"thread 26 of program (1, 0, 0)"* ]]
}

@test "the host stops at an access outside of an array, unless told not to look" {
    tritrun -1 "$vadd" randn:f32:100 ones:f32:100 empty:f32:90 100 64 -grid=2
    [[ $errors == *"vadd.tri:36:5: pid (1, 0, 0): store of 4 bytes at byte 360 of 'output_ptr', which has 360 bytes"* ]]
    tritrun "$vadd" randn:f32:128 ones:f32:100 empty:f32:128 100 64 -grid=2
    tritrun -1 "$vadd" randn:f32:128 ones:f32:100 empty:f32:128 101 64 -grid=2 -bench -fsanitize=bounds
    [[ $errors == *"load of 4 bytes at byte 400 of 'y_ptr'"* ]]
    # (what lies behind y is read, and thrown away)
    tritrun "$vadd" randn:f32:128 ones:f32:100 empty:f32:128 101 64 -grid=2 -fno-sanitize
    tritrun -2 v.o 1 -fsanitize=bounds
    [[ $errors == *"'v.o' is compiled"* ]]
    tritrun -2 "$vadd" 1 -fsanitize=thread
    [[ $errors == *"'-fsanitize=thread' is not known; there are: address, bounds, undefined"* ]]
}

@test "-fsanitize=address needs a tritrun that has its runtime" {
    [ -z "${ASAN_OPTIONS-}" ] || skip "this one may have it"
    tritrun -1 "$vadd" randn:f32:100 ones:f32:100 empty:f32:100 100 64 -grid=2 -fsanitize=address
    [[ $errors == *"needs its runtime"*"-fsanitize=bounds"* ]]
}

@test "addresses in a table reach buffers by name; one thread of a function that is no part of its kernel stores" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit(noinline=True)
def put(out, v):
    tl.store(out, v)


@triton.jit
def k(table, out, n, B: tl.constexpr):
    p = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    o = tl.arange(0, B)
    x = tl.load(p + o, mask=o < n, other=0.0)
    put(out + tl.program_id(0), tl.sum(x))
K
    export OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd POCL_CACHE_DIR=$PWD/cache
    command -v llvm-spirv-15 && [ -e "$OCL_ICD_VENDORS" ] && opencl=opencl
    for arch in "$HOST_ARCH" sim:sm_80 $opencl; do
        tritrun -k k k.tri table=addr:a,b zeros:f32:2 5 8 -grid=2 buf:a=arange:f32:5 buf:b=ones:f32:5 -arch=$arch -print out
        [[ $output == *" 10 5"* ]]
    done
}

@test "grids are expressions over the arguments" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def k(out, n, B: tl.constexpr):
    tl.store(out + tl.program_id(0) + tl.num_programs(0) * tl.program_id(1), tl.num_programs(1) * 100 + tl.num_programs(0))
K
    tritrun k.tri zeros:i32:12 7 B=2 '-grid=cdiv(n, B), n // 2' -print out
    [[ $output == *" 304 304 304 304 304 304 304 304 304 304 304 304"* ]]
    tritrun -1 k.tri zeros:i32:12 7 B=2 '-grid=0.5'
    [[ $errors == *"the grid must be 1 to 3 integers"* ]]
}

@test "small floats are read as raw bits" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def k(x, out, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.store(out + o, tl.load(x + o).to(tl.float32) * 2)
K
    tritrun k.tri arange:bf16:8 empty:f32:8 8 -o x=bits.npy
    tritrun k.tri bf16:@bits.npy empty:f32:8 8 -print out
    [[ $output == *" 0 2 4 6 8 10 12 14"* ]]
}

@test "-bench prints times and rates" {
    add -bench -bytes=1200
    [[ $output =~ [0-9]+\ runs:\ median\ [0-9.]+\ us,\ least\ [0-9.]+\ us,\ [0-9.]+\ GB/s ]]
}

@test "an object runs as it was compiled" {
    tritcc -c -o v.o -sig '*fp32:16, *fp32:16, *fp32:16, i32, 64' "$vadd"
    add -o output_ptr=ref.npy
    args=(randn:f32:100:seed=1 ones:f32:100 empty:f32:100)
    tritrun v.o "${args[@]}" 100 -grid=2 -expect output_ptr=@ref.npy -rtol=0 -atol=0
    tritrun v.o "${args[@]}" n_elements=100 BLOCK_SIZE=64 '-grid=cdiv(n_elements, 64)' -expect output_ptr=@ref.npy -rtol=0 -atol=0
    tritrun -1 v.o "${args[@]}" 100 128 -grid=2
    [[ $errors == *"compiled with BLOCK_SIZE=64"* ]]
    tritrun -1 v.o "${args[@]}" 100 64 7
    [[ $errors == *"no parameter for argument 6"* ]]
    tritrun -1 v.o "${args[@]}" 100 k=7
    [[ $errors == *"no parameter for argument 5, k"* ]]
    tritrun -1 v.o "${args[@]}" 100 -k other
    [[ $errors == *"no such kernel"* ]]
    tritrun -2 v.o "${args[@]}" 100 -check
    [[ $errors == *"needs the kernel's source"* ]]
    tritrun -2 v.o "${args[@]}" 100 -arch=sim
    [[ $errors == *"is compiled"* ]]
    echo nonsense >bad.o
    tritrun -1 bad.o 1
    [[ $errors == *"not an object file"* ]]
}

@test "tuples hold numbers, arrays, descriptors and tuples" {
    cat >t.py <<'END'
import triton
import triton.language as tl


@triton.jit
def k(o, t, S: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    (x, m), n, d = t
    v = tl.load(x + i) * m + n + S[1]
    tl.store(o + i, v + d.load([0]).to(tl.float32))
    tl.store(x + i, v)
END
    local t='((randint:f32:16:low=3,high=4, 2.5), i64:7, desc:16:ones:f16:16)'
    for arch in native sim:sm_80; do
        tritrun -arch=$arch t.py empty:f32:16 "$t" '(1, 100)' 16 -expect o=full:f32:16:value=115.5 -expect t.0.0=full:f32:16:value=114.5
    done
    tritrun -2 t.py empty:f32:16 "$t" '(1, 100)' 16 -print=t
    grep -qF "there are: o, t.2, t.0.0" .err
    "$TRITCC" -c -arch="$HOST_ARCH" -sig '*fp32, ((*fp32, fp32), i64, tensordesc<fp16[16]>), (1, 100), 16' t.py -o t.o
    tritrun t.o empty:f32:16 "$t" -expect o=full:f32:16:value=115.5
    tritrun -1 t.o empty:f32:16 '((ones:f16:16, 2.5), i64:7, desc:16:ones:f16:16)'
    grep -qF "parameter 't.0.0' of type *fp32 takes an array of f32, and this one is of f16" .err
    tritrun -1 t.o empty:f32:16 '((ones:f32:16, 2.5), 7)'
    grep -qF "parameter 't' of type ((*fp32, fp32), i64, tensordesc<fp16[16]>) cannot be" .err
}

@test "a number that is missing for an object is no constant of that type" {
    printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def k(x, eps, dt: tl.constexpr, n):' \
        '    i = tl.arange(0, 64)' '    tl.store(x + i, (tl.load(x + i, mask=i < n, other=0.0) + eps).to(dt), mask=i < n)' >k.py
    tritcc -arch=native -c -o k.o -sig 'k(x=*fp32, eps=fp32, dt=fp32, n=i32)' k.py
    tritrun -print=x k.o ones:f32:64 1.5 fp32 64
    [[ $output == *"[0] 2.5 2.5"* ]]
    tritrun -1 k.o ones:f32:64 fp32 fp32 64
    [[ $errors == *"parameter 'eps' of type fp32 cannot be 'fp32'"* ]]
    tritrun -1 k.o ones:f32:64
    [[ $errors == *"no argument for parameter 'eps' of type fp32"* ]]
}

@test "an object's constants and halves, and one of several kernels" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def scaled(x, by, DT: tl.constexpr, WHAT: tl.constexpr):
    tl.store(x, tl.load(x) + by.to(DT).to(tl.float32))


@triton.jit
def other(x, n):
    tl.store(x, n)
K
    tritcc -c -o k.o -k scaled -k other -sig "scaled(x=*fp32, by=fp16, DT=fp16, WHAT='a,(b')" -sig 'other(x=*fp32, n=i32)' k.tri
    tritrun -1 k.o ones:f32:1 2
    [[ $errors == *"the object has 2 kernels; choose one with -k"* ]]
    for stage in ttir ttgir; do
        tritcc -arch=sm_80 -emit="$stage=k.$stage" -k scaled -k other -sig "scaled(x=*fp32, by=fp16, DT=fp16, WHAT='a')" \
            -sig 'other(x=*fp32, n=i32)' k.tri
        tritrun -1 -arch=sim:sm_80 "k.$stage" ones:f32:1 2
        [[ $errors == *"the file has 2 kernels that could run; choose one with -k"* ]]
        tritrun -arch=sim:sm_80 "k.$stage" -k other ones:f32:1 2 -print x
        [[ $output == *" 2"* ]]
        tritrun -1 -arch=sim:sm_80 "k.$stage" -k another ones:f32:1 2
        [[ $errors == *"no kernel 'another' in 'k.$stage'"*TRI-3031* ]]
    done
    tritrun k.o -k scaled ones:f32:1 0.5 -print x
    [[ $output == *" 1.5"* ]]
    tritrun k.o -k scaled ones:f32:1 by=0.5 DT=fp16 "WHAT='a,(b'" -print x
    [[ $output == *" 1.5"* ]]
    tritrun k.o -k other zeros:f32:1 7 -print x
    [[ $output == *" 7"* ]]
}

@test "-check runs the simulator first and keeps the arguments" {
    add -o output_ptr=ref.npy
    add -check -expect output_ptr=@ref.npy
    tritrun -1 "$vadd" -check randn:f32:90 ones:f32:100 empty:f32:100 100 64 -grid=2
    [[ $errors == *"global access out of bounds"*"'x_ptr'"* ]]
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def k(x):
    tl.store(x, tl.load(x) + 1)
K
    tritrun k.tri zeros:f32:1 -check -print x
    [[ $output == *" 1"* ]]
}

@test "the CUDA back end copies, launches and times" {
    need ptxas
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    add -o output_ptr=ref.npy
    export LD_LIBRARY_PATH=$PWD/stub
    add -arch=cuda -expect output_ptr=@ref.npy
    add -arch=cuda:1 -expect output_ptr=@ref.npy
    add -arch=cuda -bench -bytes=1200
    [[ $output == *"median 2500.000 us"* ]]
    export STUB_CUDA_LOG=$PWD/launches
    add -arch=cuda -launch-pdl -expect output_ptr=@ref.npy
    add -arch=cuda -launch-cooperative -expect output_ptr=@ref.npy
    [ "$(cat launches)" = $'cooperative 0, programmatic 1\ncooperative 1, programmatic 0' ]
    tritrun -1 -arch=cuda:1 -launch-pdl "$vadd" ones:f32:64 ones:f32:64 empty:f32:64 64 -D BLOCK_SIZE=64
    [[ $errors == *"-launch-pdl needs sm_90 or newer, not sm_80"* ]]
    tritrun -1 -arch=cuda:2 "$vadd" 1
    [[ $errors == *"tritrun: error: no CUDA device 2: this machine has 2"* ]]
    tritrun -2 -arch=cuda:x "$vadd" 1
    tritcc -arch=sm_80 -c -o v.o -sig '*fp32:16, *fp32:16, *fp32:16, i32, 64' "$vadd"
    tritrun v.o randn:f32:100:seed=1 ones:f32:100 empty:f32:100 100 -grid=2 -expect output_ptr=@ref.npy
}

@test "the OpenCL back end copies, launches and times" {
    need file /etc/OpenCL/vendors/pocl.icd
    need llvm-spirv-15
    export OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd POCL_CACHE_DIR=$PWD/cache
    add -o output_ptr=ref.npy
    add -arch=opencl -expect output_ptr=@ref.npy
    add -arch=opencl -num-warps=2 -bench -bytes=1200
    [[ $output == *"GB/s"* ]]
    tritrun -1 -arch=opencl:70 "$vadd" 1
    [[ $errors == *"no OpenCL device 70"* ]]
}

@test "without a driver the devices say so" {
    if ! ldconfig -p | grep -q libcuda.so.1; then
        tritrun -1 -arch=cuda "$vadd" 1
        [[ $errors == *"no CUDA driver on this machine"* ]]
    fi
    OCL_ICD_VENDORS=$PWD/none tritrun -1 -arch=opencl "$vadd" 1
    [[ $errors == *"no OpenCL"* ]]
}

@test "a long run shows its progress on a terminal only" {
    need script
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def slow(x, n):
    s = tl.load(x)
    for i in range(n):
        s = s * 0.999 + 1
    tl.store(x + tl.program_id(0), s)
K
    script -qec "'$TRITRUN' -grid=64 k.tri ones:f32:64 24000000" log >/dev/null
    grep -q "slow \[.*\].*%.*left" log
    tritrun -grid=2 k.tri ones:f32:64 10
    [ -z "$errors" ]
}

@test "wrong usage has status 2 and says what is wrong" {
    tritrun -2
    [[ $errors == *"no kernel file"* ]]
    tritrun -2 -gird=1 "$vadd"
    [[ $errors == *"did you mean '-grid="* ]]
    tritrun -2 "$vadd" randn:f33:4
    [[ $errors == *"bad argument 'randn:f33:4'"* ]]
    tritrun -2 "$vadd" table=addr:nowhere
    [[ $errors == *"no buffer 'nowhere'"* ]]
    tritrun -1 "$vadd" 1 2 3 4 5 6
    [[ $errors == *"more arguments than kernel 'add_kernel' has parameters (5)"* ]]
    tritrun -1 missing.tri 1
    [[ $errors == *"cannot read 'missing.tri'"* ]]
    tritrun -1 -arch=sm_90 "$vadd" 1
    [[ $errors == *"sim:sm_90 runs its code on the simulator"* ]]
}

@test "tritrun -help lists every option" {
    tritrun -help
    for option in arch k grid D I num-warps o print expect rtol atol bench; do
        [[ $output == *"-$option"* ]]
    done
    tritrun --version
    [[ $output == *"tritcc"* ]]
}

@test "the manual and the completion know every option" {
    tritrun -print-option-table=man-options
    for option in $(sed -n '/print-option-table/d; s/^OPT("\([^"]*\)".*/\1/p' "$SRCDIR/run/tritrun.def"); do
        grep -qE "^\.It Fl (..)?${option//-/..}( |$)" .out
        grep -qF -- "-$option" "$BUILDDIR/completion/tritrun.bash"
        grep -qE -- "'\*--?$option(=-?|\+|=)?\[" "$BUILDDIR/completion/_tritrun"
    done
    need mandoc
    mandoc -Tascii "$BUILDDIR/man/tritrun.1" | col -b | grep -qF "sim[:ARCH]"
}

@test "inline assembly runs on the simulator; what it does not know is an error at its line, what it does wrong a report" {
    cat >k.tri <<'EOF'
import triton
import triton.language as tl


@triton.jit
def k(x, T: tl.constexpr):
    i = tl.arange(0, 128)
    a = tl.inline_asm_elementwise(T, "=r,l", [x + i], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(x + i, a)
EOF
    tritrun k.tri -arch=sim:sm_80 arange:i32:128 'T="{ .reg .u32 a; ld.global.u32 a, [$1]; mad.lo.u32 $0, a, 2, 1; }"' -print x -print-limit=3
    [[ $output == *" 1 3 5"* ]]
    tritrun -1 k.tri -arch=sim:sm_80 arange:i32:128 'T="mov.u32 $0, 0; frobnicate.b32 $0, $0;"'
    [[ $errors == *"k.tri:8:9: error: "*"line 1 of the assembly: the instruction 'frobnicate.b32' is not simulated [TRI-6002]"* ]]
    tritrun -1 k.tri -arch=sim:sm_80 arange:i32:128 'T="ld.global.u32 $0, [$1+4];"'
    [[ $errors == *"k.tri:8:9: error: global access out of bounds (inline_asm): load of 4 bytes at offset 512 of 'x', which has 512: thread 127"* ]]
    tritrun -1 k.tri -arch=sim:sm_80 arange:i32:128 'T="{ .reg .u32 a; add.u32 $0, a, 1; }"'
    [[ $errors == *"k.tri:8:9: error: uninitialised register (inline_asm): 'add' in line 1 of the assembly reads 'a'"* ]]
    tritrun -1 k.tri -arch=sim:sm_80 arange:i32:128 'T="{ .reg .u32 %a; .reg .pred %p; l: mov.u32 $0, 0; bra l; }"'
    [[ $errors == *"k.tri:8:9: error: endless wait (inline_asm)"* ]]
}

@test "mistakes in arguments are said before anything runs" {
    wrong() { # STATUS TEXT ARG...: what vadd says of these arguments
        local status=$1 text=$2
        shift 2
        tritrun "-$status" "$vadd" "$@"
        [[ $errors == *$text* ]]
    }
    x=randn:f32:100
    wrong 1 "needs arguments for: output_ptr, n_elements, BLOCK_SIZE"*"for example: output_ptr=randn:f32:1024 n_elements=1024 BLOCK_SIZE=1024" $x $x
    wrong 1 "no parameter 'n_element'; did you mean 'n_elements'?" $x $x $x n_element=100 64
    wrong 1 "no parameter 'zzz'; it has: x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE" $x $x $x zzz=100 64
    wrong 1 "two arguments for parameter 'x_ptr'" x_ptr=$x x_ptr=$x $x 100 64
    wrong 1 "parameter 'n_elements' of type i32 cannot be '99999999999'" $x $x $x i32:99999999999 64
    wrong 1 "n_elements:1:1: error: 'abc' is no Python literal" $x $x $x abc 64
    wrong 2 "'rnd' is neither a type nor a generator; did you mean 'rand'?" rnd:f32:100
    wrong 2 "unknown type 'f23'; did you mean 'f32'?" rand:f23:100
    wrong 2 "the type stands behind the generator: arange:fp8e5:..." fp8e5:arange:8
    wrong 2 "'x' is no number" f32:x
    wrong 2 "expected the name of a file behind the @" bf16:@
    wrong 2 "bad option 'sed=1' of 'randn': expected NAME=NUMBER with NAME of seed" $x:sed=1
    wrong 2 "bad option 'seed=1' of 'zeros': it takes none" zeros:f32:100:seed=1
    wrong 2 "'full' needs a value" full:f32:100
    wrong 2 "high must be above low" randint:i32:100:low=5,high=5
    wrong 2 "i8 elements cannot be 499" randint:i8:100:high=500
    wrong 2 "'randn' makes floats: randint makes i32" randn:i32:100
    wrong 2 "expected names of buffers after addr:" addr:
    # these stop before the run, which would fail otherwise
    args=($x $x empty:f32:10 100 64 -grid=2)
    wrong 2 "no array argument 'out'; there are: x_ptr, y_ptr, output_ptr" "${args[@]}" -print out
    wrong 2 "no array argument 'n_elements'" "${args[@]}" -o n_elements=x.npy
    wrong 2 "cannot read 'none.npy'" "${args[@]}" -expect output_ptr=@none.npy
    wrong 2 "-expect compares with an array" "${args[@]}" -expect output_ptr=3
    wrong 2 "-bytes and -flops are for -bench" "${args[@]}" -bytes=100
    wrong 2 "'-bytes=' needs a value" "${args[@]}" -bench -bytes=
    wrong 2 "'-grid=' needs a value" "${args[@]}" -grid=
    wrong 2 "-rtol=-1: not a number, 0 or more" "${args[@]}" -rtol=-1
    [ "$(uname -m)" != x86_64 ] || wrong 1 "this host does not run code for 'aarch64'" "${args[@]}" -arch=aarch64
}

@test "grids are what Python takes for one, and say what is wrong in them" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def inner(x):
    return x


@triton.jit
def k(out, n, B: tl.constexpr, F: tl.constexpr):
    tl.store(out + tl.program_id(0), F(tl.num_programs(0)))
K
    for grid in 4 '4,' '(4, 1)' 'triton.cdiv(n, B),' 'lambda META: (cdiv(n, META["B"]),)' 'math.ceil(n / 2)' 'out'; do
        tritrun -k k k.tri zeros:i32:4 7 2 inner "-grid=$grid" -print out
        [[ $output == *" 4 4 4 4"* ]]
    done
    tritrun -1 -k k k.tri zeros:i32:4 7 2 inner '-grid=cdvi(n, 2)'
    [[ $errors == *"-grid:1:1: error: 'cdvi' is not defined"*"did you mean 'cdiv'?"* ]]
    tritrun -1 -k k k.tri zeros:i32:4 7 2 inner '-grid=1 + rows'
    [[ $errors == *"-grid:1:5: error: 'rows' is not defined"*"names that are known: out, n, B, F, cdiv"* ]]
    tritrun -1 -k k k.tri zeros:i32:4 7 2 inner '-grid=n // 0'
    [[ $errors == *"division or modulo by zero"* ]]
    tritrun -1 -k k k.tri zeros:i32:4 7 2 inner '-grid=1)'
    [[ $errors == *"-grid:1:2: error: unmatched ')'"* ]]
    tritrun -k k k.tri zeros:i32:4 7 2 inner -grid=4 -bench '-bytes=4 * out' -flops=n
    [[ $output == *"GB/s, "*"GFLOP/s"* ]]
    tritrun -1 -k k k.tri zeros:i32:4 7 2 inner -grid=4 -bench '-bytes=-n'
    [[ $errors == *"-bytes must be a number, 0 or more"* ]]
}

@test "long rows are printed on several lines that begin with their place" {
    tritrun "$vadd" arange:f32:2x20 zeros:f32:2x20 empty:f32:2x20 40 64 -print output_ptr
    [ "$(sed -n 3p .out)" = " [0, 16] 16 17 18 19" ]
    [ "$(sed -n 4p .out | cut -d' ' -f1-5)" = " [1, 0] 20 21" ]
}

@test "-expect takes raw bits for what .npy files cannot name, and integers to the last bit" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def k(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i))
K
    for type in bf16 fp8e4 fp8e5; do
        tritrun k.tri arange:$type:8 empty:$type:8 8 -o out=$type.npy
        tritrun k.tri arange:$type:8 empty:$type:8 8 -expect out=@$type.npy -rtol=0 -atol=0
    done
    tritrun k.tri full:i64:2:value=9007199254740992 empty:i64:2 2 -o out=i.npy
    # 2^53, and 2^53 + 1, which is no double
    { head -c 128 i.npy && printf '\1\0\0\0\0\0\040\0\0\0\0\0\0\0\040\0'; } >j.npy
    tritrun -1 k.tri @j.npy empty:i64:2 2 -expect out=@i.npy -rtol=0 -atol=0
    [[ $errors == *"1 of 2 elements differ"*"got 9007199254740993, expected 9007199254740992"* ]]
    tritrun k.tri @j.npy empty:i64:2 2 -expect out=@i.npy -rtol=0 -atol=1
}

@test "heuristics see the values of the launch" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.heuristics({"EVEN": lambda args: args["n"] % args["B"] == 0, "BIG": lambda args: args["scale"] > 2})
@triton.jit
def k(out, n, scale, B: tl.constexpr, EVEN: tl.constexpr, BIG: tl.constexpr):
    tl.store(out + tl.arange(0, 2), tl.where(tl.arange(0, 2) == 0, EVEN, BIG).to(tl.int32))
TRI
    tritrun k.tri zeros:i32:2 128 2.5 64 -print out
    [[ $output == *" 1 1"* ]]
    tritrun k.tri zeros:i32:2 i64:100 f32:1.5 64 -print out
    [[ $output == *" 0 0"* ]]
}

@test "a kernel with scratch memory: each program has its part" {
    cat >k.ttgir <<'END'
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @keep(%p: !tt.ptr<i32>, %v: i32) -> i32 attributes {noinline = true} {
    %q = ttg.global_scratch_alloc {alignment = 64 : i32, nbytes = 65 : i32} : !tt.ptr<i8>
    %qi = tt.bitcast %q : !tt.ptr<i8> -> !tt.ptr<i32>
    tt.store %qi, %v : !tt.ptr<i32>
    ttg.barrier all
    %x = tt.load %p : !tt.ptr<i32>
    tt.return %x : i32
  }
  tt.func public @k(%o: !tt.ptr<i32>, %v: i32) {
    %p = ttg.global_scratch_alloc {alignment = 16 : i32, nbytes = 4 : i32} : !tt.ptr<i8>
    %pi = tt.bitcast %p : !tt.ptr<i8> -> !tt.ptr<i32>
    %id = tt.get_program_id x : i32
    %w = arith.addi %v, %id : i32
    tt.store %pi, %w : !tt.ptr<i32>
    %x = tt.call @keep(%pi, %v) : (!tt.ptr<i32>, i32) -> i32
    %oo = tt.addptr %o, %id : !tt.ptr<i32>, i32
    tt.store %oo, %x : !tt.ptr<i32>
    tt.return
  }
}
END
    tritrun -arch=sim:sm_80 -grid=5 -print=arg0 k.ttgir empty:i32:5 7
    [[ $output == *"7"*"8"*"9"*"10"*"11"* ]]
}

@test "what was compiled before takes arrays of its signature's types only" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def k(x, out, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.store(out + o, tl.load(x + o) * 2)
K
    "$TRITCC" -c -sig '*fp32, *fp32, 8' k.tri
    "$TRITCC" -emit=ttir=k.ttir -arch=native -sig '*fp32, *fp32, 8' k.tri
    for file in k.o k.ttir; do
        tritrun $file arange:f32:8 zeros:f32:8 -print=out
        [[ $output == *" 14"* ]]
        for wrong in f16 f64 i32 i8; do
            tritrun -1 $file arange:$wrong:8 zeros:f32:8 -print=out
            [[ $errors == *"parameter 'x' of type *fp32 takes an array of f32, and this one is of $wrong"* ]]
        done
    done
}

@test "a result that cannot be printed is a failure" {
    [ -e /dev/full ] || skip "no /dev/full"
    local status=0
    "$BUILDDIR/tritrun" "$EXAMPLES/vadd/vadd.tri" ones:f32:8 ones:f32:8 zeros:f32:8 8 8 -print=output_ptr >/dev/full 2>errors || status=$?
    [ $status -eq 1 ]
    grep -q 'cannot write standard output: No space left on device' errors
}

@test "device_assert is checked by default, overflow of integers when it is asked for" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def k(x, out, B: tl.constexpr):
    o = tl.arange(0, B)
    v = tl.load(x + o)
    tl.device_assert(v < 5, "too large")
    tl.store(out + o, v * 2000000000)
K
    for arch in native sim:sm_80 sim:gfx942 sim:pvc; do
        tritrun -arch=$arch k.tri arange:i32:4 zeros:i32:4 4 -print=out
        [[ $output == *1705032704* ]]
        tritrun -1 -arch=$arch k.tri arange:i32:8 zeros:i32:8 8 -print=out
        [[ $output$errors == *"too large"* ]]
        tritrun -arch=$arch -fno-device-assert k.tri arange:i32:8 zeros:i32:8 8 -print=out
        tritrun -1 -arch=$arch -fdevice-assert k.tri arange:i32:4 zeros:i32:4 4 -print=out
        [[ $output$errors == *overflow* ]]
    done
    tritrun -1 -arch=sim:spirv64 k.tri arange:i32:8 zeros:i32:8 8 -print=out
    tritrun -bench k.tri arange:i32:8 zeros:i32:8 8
    export OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd POCL_CACHE_DIR=$PWD/cache
    if command -v llvm-spirv-15 && [ -e "$OCL_ICD_VENDORS" ]; then
        tritrun -arch=opencl k.tri arange:i32:8 zeros:i32:8 8 -print=out
        [[ $errors == *"k.tri:9:5: warning: "*"cannot report a failed assertion"*"[-Wlost-assert]"* ]]
    fi
}

@test "the simulator prints, whatever machine it stands for" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def k(out, n, B: tl.constexpr):
    tl.device_print("n is", n)
    tl.store(out + tl.arange(0, B), n)
K
    for arch in sim:sm_80 sim:gfx942 sim:pvc sim:spirv64; do
        tritrun -arch=$arch k.tri empty:i32:8 3 8
        [[ $output == *"n is: 3"* ]]
    done
}

@test "indices that kernels print are as wide as the last of their dimension" {
    cat >k.tri <<'K'
import triton
import triton.language as tl

@triton.jit
def k(out, A: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, A)[:, None] * B + tl.arange(0, B)[None, :]
    tl.device_print("i", i)
    tl.store(out + i, i)
K
    tritrun -arch=sim:sm_80 k.tri empty:i32:256 2 128
    [[ $output == *"idx (0,   7) i: 7"*"idx (1, 127) i: 255"* ]]
}

@test "what was compiled before is given what its signature says" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)
K
    tritcc -arch="$HOST_ARCH" -sig '*fp32, *fp32, i32, 64' -emit=obj=k.o,ttir=k.ttir k.tri
    tritcc -arch=linalg -sig '*fp32, *fp32, i32, 64' -emit=linalg=k.linalg k.tri
    tritcc -arch=sm_80 -sig '*fp32, *fp32, i32, 64' -emit=ttgir=k.ttgir k.tri
    local file arch
    # ARGUMENTS|what is said
    rejects() {
        status=0
        "$BUILDDIR/tritrun" $arch "$file" $1 >.out 2>.err || status=$?
        echo "$file: $1: $status"; cat .err
        [ "$status" -eq 1 ]
        [[ $(<.err) == *"$2"* ]]
    }
    for file in k.o k.ttir k.ttgir k.linalg; do
        case $file in
        k.o) arch= ;;
        k.ttir) arch=-arch=$HOST_ARCH ;;
        k.ttgir) arch=-arch=sim:sm_80 ;;
        k.linalg) arch=-arch=linalg ;;
        esac
        rejects 'ones:f16:64 zeros:f32:64 64' "parameter 'x' of type *fp32 takes an array of f32, and this one is of f16"
        rejects 'ones:f32:64 zeros:f32:64' "no argument for parameter 'n' of type i32"
        rejects 'ones:f32:64 zeros:f32:64 1.5' "parameter 'n' of type i32 cannot be '1.5'"
        rejects 'ones:f32:64 5 64' "parameter 'o' of type *fp32 takes an array"
        rejects 'ones:f32:64 zeros:f32:64 64 32' 'was compiled with B=64'
        rejects 'ones:f32:64 zeros:f32:64 64 64 1' "kernel 'k' has no parameter for argument 5"
        rejects 'ones:f32:64 zeros:f32:12 64' "'o', which has 48"
        "$BUILDDIR/tritrun" $arch "$file" ones:f32:64 zeros:f32:64 60 64 -print=o >.out
        [ "$(grep -o '2' .out | wc -l)" -ge 60 ]
    done
    for file in k.o k.linalg; do
        arch=$([ $file = k.o ] || echo -arch=linalg)
        rejects 'ones:f32:20 zeros:f32:64 64' "tritrun: error: the kernel goes beyond the end of 'x', which has 80 bytes [TRI-9004]"
    done
}

@test "a file of IR without a kernel is told where it begins" {
    echo 'module {}' >empty.ttir
    tritrun -1 empty.ttir 1
    [[ $errors == "empty.ttir:1:1: error: no kernel in 'empty.ttir' [TRI-3031]"* ]]
}
