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
    cd "$BATS_TEST_TMPDIR"
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
    tritcc -1 -emit=svg=k.svg k.ttgir
    [[ "$errors" == *"say which with --value or --at"* ]]
}
