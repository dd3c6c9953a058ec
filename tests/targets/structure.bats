load ../helpers

# What kernels are made of in linalg: gathers on contiguous accesses, or a product in several pieces, change these counts.
@test "examples and benchmarks keep their structure" {
    { grep '^#' "$SRCDIR/tests/targets/structure.txt" && "$SRCDIR/tests/targets/structure.sh" "$SRCDIR/tests/targets/structure.txt"; } >now.txt
    diff "$SRCDIR/tests/targets/structure.txt" now.txt
}

@test "every example is among them" {
    for file in "$SRCDIR"/examples/*/*.tri; do
        grep "^${file#"$SRCDIR/"} |" "$SRCDIR/tests/targets/structure.txt"
    done
}

@test "products are one linalg.matmul in a loop, without accesses of elements" {
    grep 'matmul(' "$SRCDIR/tests/targets/structure.txt" | grep -v 'grouped' >products
    [ "$(wc -l <products)" -ge 1 ]
    ! grep -vE 'boxes 3 loops [1-3] elements 0 matmul 1$' products || false
}
