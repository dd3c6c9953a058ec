# -emit=layout and -emit=svg: the layouts of values.

load ../helpers

setup() {
    cat >"$BATS_TEST_TMPDIR/k.ttgir" <<'END'
#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%arg0: tensor<16x16xf32, #blocked>) {
    %0 = ttg.local_alloc %arg0 : (tensor<16x16xf32, #blocked>) -> !ttg.memdesc<16x16xf32, #shared, #smem>
    tt.return
  }
}
END
    start_test
}

@test "without a choice, every layout is listed by its bases" {
    tritcc -emit=layout=- k.ttgir
    [[ "$output" == *"%arg0"*"register  (0,1) (0,8)"*"lane      (0,2) (0,4) (1,0) (2,0) (4,0)"*"warp      (8,0)"* ]]
    [[ "$output" == *"%0"*"offset    (0,1) (0,2) (0,4) (0,8) (1,2) (2,4) (4,0) (8,0)"* ]]
}

@test "--value shows which thread holds each element, and what each thread holds" {
    tritcc -emit=layout=- --value=%arg0 k.ttgir
    # row 8 begins in warp 1; element (0,8) is the third register of lane 0
    [[ "$output" =~ $'\n'\ +8\ +1\.0:0\ +1\.0:1\ +1\.1:0 ]]
    [[ "$output" == *"warp 0 lane  0: (0,0) (0,1) (0,8) (0,9)"$'\n'* ]]
    [[ "$output" == *"warp 1 lane  4: (9,0) (9,1) (9,8) (9,9)"$'\n'* ]]
}

@test "--at shows what a line makes; shared memory comes with banks" {
    tritcc -emit=layout=- --at=6 k.ttgir
    # row 1 is swizzled by two elements: its first element is at offset 16 + 2
    [[ "$output" =~ $'\n'\ +1\ +18@18\ +19@19\ +16@16 ]]
    [[ "$output" == *"a line is one row of 32 banks"* ]]
}

@test "a picture has a cell for each element, coloured by warp" {
    tritcc -emit=svg=k.svg --value=arg0 k.ttgir
    [ "$(grep -c '<g><rect' k.svg)" -eq 256 ]
    [ "$(grep -o 'fill="hsl([0-9]*,' k.svg | sort -u | wc -l)" -eq 2 ]
    grep -q '(9,8) warp 1 lane 4 register 2, held 1 times' k.svg
}

@test "a value that is not there is said so, and nothing is written" {
    tritcc -1 -emit=layout=k.layout --value=%9 k.ttgir
    [[ "$errors" == *"no value '%9' with a layout"* ]]
    [ ! -e k.layout ]
    tritcc -1 -emit=layout=k.layout --value=%arg9 k.ttgir
    [[ "$errors" == *"did you mean '%arg0'?"*"[TRI-1007]"* ]]
}

@test "a picture of a buffer names banks, and draws a thick line where a row of banks ends" {
    tritcc -emit=svg=k.svg --value=%0 k.ttgir
    [ "$(grep -c '>18<tspan class="small" x="62" dy="11">bank 18<' k.svg)" -eq 1 ]
    grep -q '(1,0) offset 18 bank 18' k.svg
    # 16 floats a line: two lines are a row of 32 banks, so the thick lines lie above every second of them
    thick=$(grep 'class="edge2"' k.svg)
    [ "$(grep -o 'h44' <<<"$thick" | wc -l)" -eq $((7 * 16)) ]
    [[ $thick != *v30* ]]
    # every element is a word of its own: all other borders are thin lines
    [ "$(grep 'class="edge1"' k.svg | grep -oE 'v30|h44' | wc -l)" -eq $((15 * 16 * 2 - 7 * 16)) ]
}

@test "a picture shows threads by thin lines and warps by thick ones" {
    tritcc -emit=svg=k.svg --value=%arg0 k.ttgir
    [ "$(grep 'class="edge2"' k.svg | grep -o h44 | wc -l)" -eq 16 ]
    [ "$(grep 'class="edge1"' k.svg | grep -o v20 | wc -l)" -eq $((7 * 16)) ]
    grep -q 'viewBox="0 0 ' k.svg
}

@test "blocks of a cluster are told apart" {
    cat >c.ttgir <<'END'
#two = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0], CGALayout = [[1, 0]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%arg0: tensor<16x8xf32, #two>) {
    tt.return
  }
}
END
    tritcc -emit=layout=- --value=%arg0 c.ttgir
    [[ "$output" == *"block/warp.lane:register"* ]]
    [[ "$output" =~ $'\n'\ +12\ +1/1\.0:0\ +1/1\.1:0 ]]
    tritcc -emit=svg=c.svg --value=%arg0 c.ttgir
    grep -q '>block 1 warp 1<' c.svg
    grep -q '(12,1) block 1 warp 1 lane 1 register 0' c.svg
    [ "$(grep -o 'fill="hsl([0-9]*,' c.svg | sort -u | wc -l)" -eq 4 ]
}

@test "what is too large is cut, and said so; long titles are broken" {
    cat >c.ttgir <<'END'
#deep = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [0, 1, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0], [8, 0, 0], [16, 0, 0], [32, 0, 0], [64, 0, 0]], lane = [[0, 2, 0], [0, 4, 0], [0, 8, 0], [0, 16, 0], [0, 32, 0]], warp = [[0, 64, 0], [0, 128, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%arg0: tensor<128x256x4xf32, #deep>) {
    tt.return
  }
}
END
    tritcc -emit=svg=c.svg --value=%arg0 c.ttgir
    grep -q '(the first 128 rows and 4 columns)(the first 64 of 128 planes)' c.svg
    [ "$(grep -c 'class="left".*>dim0 = ' c.svg)" -eq 64 ]
    [ "$(sed -n '/class="left"/p' c.svg | grep -vc dim0)" -ge 3 ]
    tritcc -emit=layout=- --value=%arg0 c.ttgir
    [[ "$output" == *"(the first 128 rows and 4 columns)(the first 64 of 128 planes)"* ]]
}

product() {
    cat >mm.py <<'END'
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        a = tl.load(a_ptr + i[:, None] * K + (i + k)[None, :])
        b = tl.load(b_ptr + (i + k)[:, None] * B + i[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + i[:, None] * B + i[None, :], acc.to(tl.float16))
END
    sig='matmul(*fp16:16, *fp16:16, *fp16:16, i32:16, 64)'
}

@test "--value takes every name that -emit=ttgir prints, from the source and from the text itself" {
    product
    tritcc -arch=sm_80 -emit=ttgir -sig "$sig" mm.py -o mm.ttgir
    local count=0 name
    for name in $(sed -n 's/^ *\(%[a-z]*_*[0-9]*\)\(:[0-9]*\)* = .*tensor<[0-9].*#[^#]*$/\1/p' mm.ttgir | awk 'NR % 9 == 1'); do
        tritcc -arch=sm_80 -emit=layout=1 --value="$name" -sig "$sig" mm.py
        tritcc -emit=layout=2 --value="$name" mm.ttgir
        cmp 1 2
        grep -q "^$name" 1
        count=$((count + 1))
    done
    [ "$count" -ge 6 ]
    tritcc -1 -emit=layout=- --value=%c0_i32 mm.ttgir
    [[ "$errors" == *"'%c0_i32' is of type i32, which has no layout"*"[TRI-1007]"* ]]
}

@test "--at draws the line's result and lists what else the line makes" {
    product
    tritcc -arch=sm_80 -emit=layout=- --at=12 -sig "$sig" mm.py
    [[ "$output" == "%acc"*" : tensor<64x64xf32, #ttg.nvidia_mma"*$'\n\nalso at '"'12', for --value:"*"#ttg.dot_op"* ]]
    tritcc -arch=sm_80 -emit=layout=- --at=13 -sig "$sig" mm.py
    [[ "$output" == %*" : tensor<64x64xf16, #ttg.blocked"* ]]
    tritcc -arch=sm_80 -emit=svg=k.svg --at=12 -sig "$sig" mm.py
    [[ "$errors" == *"note: also at '12', for --value:"$'\n'"  %"* ]]
    [ "$(grep -c '>%acc' k.svg)" -eq 1 ]
}

@test "without a choice, products and what they read are drawn, then memory" {
    product
    tritcc -arch=sm_80 -emit=svg=k.svg -sig "$sig" mm.py
    [ "$(grep -c '<svg' k.svg)" -eq 1 ]
    [ "$(grep -c 'tensor&lt;' k.svg)" -eq 4 ]
    grep -q '>%acc.*nvidia_mma' k.svg
    [ "$(grep -c 'tensor&lt;.*dot_op' k.svg)" -eq 2 ]
    tritcc -arch=sm_80 -emit=layout=- -sig "$sig" mm.py
    [ "$(grep -c '^%.* : tensor<' <<<"$output")" -eq 4 ]
}

@test "layouts and pictures beside the code that is made of the same layouts" {
    local sig='*fp32, *fp32, *fp32, i32, 1024' kind
    tritcc -arch=sm_80 -emit=layout=alone.layout,svg=alone.svg -sig "$sig" "$EXAMPLES/vadd/vadd.tri"
    tritcc -arch=sm_80 -emit=ptx=alone.ptx -sig "$sig" "$EXAMPLES/vadd/vadd.tri"
    for kind in header json obj; do
        tritcc -arch=sm_80 "-emit=layout=k.layout,svg=k.svg,ptx=k.ptx,$kind=k" -sig "$sig" "$EXAMPLES/vadd/vadd.tri"
        cmp k.layout alone.layout && cmp k.svg alone.svg && cmp k.ptx alone.ptx && [ -s k ]
    done
}
