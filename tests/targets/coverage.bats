# The table of structured code in the manual is what the passes do: every row's kernel has its operation, becomes the words
# that the row says and no operation of tt, and code for the host.
load ../helpers

list=$SRCDIR/targets/linalg/coverage.list
kernel='k(*fp32, *fp32, *i32, *fp32, i32)'

# N.row and N.tri, or N.ttir, for each row
rows() {
    awk '/^## / { n++; sub(/^## /, ""); print >(n ".row"); begins = 1; next }
        begins && /^tt.func/ { ttir = 1 }
        begins && !/^tt.func/ { ttir = 0
            printf "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n" \
                "@triton.jit\ndef product(u, v):\n    return u * v\n\n\n" \
                "@triton.jit\ndef k(a, b, s, o, n):\n    i = tl.arange(0, 64)\n" >(n ".tri") }
        n { begins = 0; if (ttir) print >(n ".ttir"); else print "    " $0 >(n ".tri") }' "$1"
}

# What a row says that is not so.
lies() { # ROW
    local op form here vendor what word number=${1%.row} types=(-sig "$kernel") file
    file=$number.tri
    [ -e "$file" ] || { file=$number.ttir && types=(); }
    IFS='|' read -r op form _ here vendor <"$1"
    op=${op% }
    what="$op (${form# })"
    "$TRITCC" -w -fdevice-assert "${types[@]}" -arch=linalg -passes= -o - "$file" >raw.ttir 2>said || { echo "$what: $(head -1 said)" && return; }
    grep -qF "$op" raw.ttir || echo "$what: the kernel has no such operation"
    case $here in
    *' an error '*)
        "$TRITCC" -w -fdevice-assert "${types[@]}" -arch=ascend910b -emit=linalg -o row.npu "$file" 2>said && echo "$what: no error"
        grep -q "$file:.* error: .*TRI-6002" said || echo "$what: no located error" ;;
    *) "$TRITCC" -w -fdevice-assert "${types[@]}" -arch=ascend910b -emit=linalg -o row.npu "$file" 2>said || echo "$what: $(head -1 said)" ;;
    esac
    case $here in ' an error '*) return ;; esac
    "$TRITCC" -w -fdevice-assert "${types[@]}" -arch=linalg -emit=linalg=row.linalg,obj=row.o "$file" 2>said ||
        { echo "$what: $(head -1 said)" && return; }
    for word in ${here%%;*}; do
        grep -qF -- "$word" row.linalg || echo "$what: there is no $word"
    done
    if grep -E '(^|[^a-z_"])tt\.[a-z_]+ ' row.linalg; then echo "$what: this is left"; fi
    case $vendor in ' yes' | ' no') ;; *) echo "$what: the last column" ;; esac
}

@test "every row of the table is so" {
    local row
    rows "$list"
    [ "$(ls ./*.row | wc -l)" -gt 100 ]
    for row in *.row; do lies "$row"; done >lies
    cat lies
    [ ! -s lies ]
}

@test "a row that says something else fails" {
    printf '## tt.trans | | cpu | linalg.transpose | yes\ntl.store(o + i, tl.load(a + i))\n' >wrong
    printf '## tt.load | | cpu | linalg.matmul | yes\ntl.store(o + i, tl.load(a + i))\n' >>wrong
    printf '## tt.load | | cpu | memref.copy; for Ascend an error | yes\ntl.store(o + i, tl.load(a + i))\n' >>wrong
    rows wrong
    [[ $(lies 1.row) == *"the kernel has no such operation"* ]]
    [[ $(lies 2.row) == *"there is no linalg.matmul"* ]]
    [[ $(lies 3.row) == *"no error"* ]]
}

# Those that our front end never makes, or that stand in other operations, have tests of passes.
elsewhere='make_tensor_ptr|advance|unsplat|atomic_load|atomic_store|atomic_poll|make_tensor_descriptor|func|call|return'
elsewhere+='|grid_dependency_wait|grid_dependency_launch_dependents|approx_divf'
@test "every operation of tt has a row" {
    grep -ohE 'TT_[A-Za-z]*<"[a-z_]+"' "$SRCDIR/ir/tt.td" | sed 's/.*"\(.*\)"/\1/' | grep -vxE "$elsewhere" | sort -u >ops
    [ "$(wc -l <ops)" -ge 40 ]
    while read -r op; do
        grep -q "^## tt\.$op |" "$list" || echo "tt.$op"
    done <ops >missing
    cat missing
    [ ! -s missing ]
    for op in ${elsewhere//|/ }; do
        grep -rqE "tt\.$op\b" "$SRCDIR"/tests/passes/*linalg*.mlir "$SRCDIR"/tests/passes/triton-to-*.mlir || echo "$op"
    done
}

@test "the manual has the table" {
    grep '^\.It tt.histogram Ta - Ta ascend, cpu Ta scf.for Ta ' "$BUILDDIR/man/tritcc-targets.7"
    tr '\n' ' ' <"$BUILDDIR/man/tritcc-targets.7" >one-line
    grep -q ' On tensors these stay what they are (tested by shared, ascend, cpu; .*arith.addf, arith.subf, ' one-line
}
