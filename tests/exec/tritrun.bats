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

@test "the simulator shows an access out of bounds at its source line" {
    tritrun -1 "$vadd" -arch=sim:sm_90 randn:f32:100 ones:f32:100 empty:f32:90 100 64 -grid=2
    [[ $errors == *"vadd.tri:36:5: error: global access out of bounds (store_global)"*"'output_ptr'"*"thread 26 of program (1, 0, 0)"* ]]
}

@test "addresses in a table reach buffers by name" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def k(table, out, n, B: tl.constexpr):
    p = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    o = tl.arange(0, B)
    x = tl.load(p + o, mask=o < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(x))
K
    for arch in native sim:sm_80; do
        tritrun k.tri table=addr:a,b zeros:f32:2 5 8 -grid=2 buf:a=arange:f32:5 buf:b=ones:f32:5 -arch=$arch -print out
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

@test "wrong usage has status 2 and says what is wrong" {
    tritrun -2
    [[ $errors == *"no kernel file"* ]]
    tritrun -2 -gird=1 "$vadd"
    [[ $errors == *"did you mean '-grid'?"* ]]
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
    tritrun -print-option-table=man
    for option in $("$TRITRUN" -help | sed -n 's/^  -\([a-zA-Z-]*\).*/\1/p'); do
        grep -qE "^\.It Fl $option( |$)" .out
        grep -qF -- "-$option" "$BUILDDIR/completion/tritrun.bash"
    done
    need mandoc
    mandoc -Tascii "$BUILDDIR/man/tritrun.1" | col -b | grep -q "sim:ARCH"
}
