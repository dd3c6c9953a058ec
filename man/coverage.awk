# The table of targets/linalg/coverage.list for a page of the manual. Rows of arith and math that say the same are one, behind it.
function words(s) { gsub(/^ +| +$/, "", s); return s }
BEGIN {
    FS = "|"
    print ".Bl -column \"tt.elementwise_inline_asm\" \"addresses that are loaded\" \"shared, ascend, cpu\" \"memref.subview linalg.fill\" \"yes\""
    print ".It Em operation Ta Em form Ta Em tested by Ta Em here Ta Em vendor"
}
/^## / {
    sub(/^## /, "")
    name = words($1); dialect = name; sub(/\..*/, "", dialect)
    who = words($3); here = words($4); vendor = words($5)
    if ((dialect == "arith" || dialect == "math") && here == name) {
        key = "tested by " who "; the vendor's converter: " vendor
        if (!(key in same)) keys[++n] = key
        same[key] = same[key] (same[key] == "" ? "" : ", ") name
        next
    }
    printf ".It %s Ta %s Ta %s Ta %s Ta %s\n", name, words($2) == "" ? "-" : words($2), who, here, vendor
}
END {
    print ".El"
    for (k = 1; k <= n; k++)
        printf ".Pp\nOn tensors these stay what they are (%s): %s.\n", keys[k], same[keys[k]]
}
