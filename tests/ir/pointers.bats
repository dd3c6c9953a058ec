load ../helpers

# What pointers.tri expects, and what print-pointers says after the passes in $1, as "LINE: FORM".
compare() {
    local file=$SRCDIR/tests/ir/pointers.tri names
    awk '/^ *#: / { sub(/^ *#: /, ""); form[n++] = $0; next } { for (i = 0; i < n; i++) print FNR ": " form[i]; n = 0 }' \
        "$file" | sort >expected
    mapfile -t names < <(sed -nE 's/^def ([a-z_]*)\(.*/-sig\n\1(*fp32, *fp32, *i32, i32, i32, i32, i32)/p' "$file")
    [ "${#names[@]}" -ge 120 ]
    tritcc -arch=sm_90 -w -passes="$1,print-pointers" "${names[@]}" "$file" -o module.mlir
    sed -nE 's/.*pointers\.tri:([0-9]+):.* remark: (.*) \[-Rpass=pointers\]$/\1: \2/p' .err | sort >found
    diff -u expected found
}

ttir=inline,canonicalize,combine,reorder-broadcast,cse,symbol-dce

@test "every access of the table has the form expected of it in ttir" { compare "$ttir"; }

@test "every access of the table has the same form in ttgir" {
    compare "$ttir,convert-triton-to-tritongpu{target=cuda:90 num-warps=4 threads-per-warp=32 num-ctas=1},coalesce,remove-layout-conversions"
}
