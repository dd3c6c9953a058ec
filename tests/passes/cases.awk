# One function of ttir or ttgir text, names of attributes replaced by what they stand for:
# `awk -v name=NAME -f cases.awk FILE`. That it needs no shared memory goes without saying. With -v
# lines=1 only the numbers of its first and last line.
function expanded(text,   result, word) {
    while (match(text, /#[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(text, RSTART, RLENGTH)
        result = result substr(text, 1, RSTART - 1) (word in alias ? alias[word] : word)
        text = substr(text, RSTART + RLENGTH)
    }
    return result text
}
/^#[A-Za-z_][A-Za-z0-9_]* = / {
    word = $1
    sub(/^[^=]*= /, "")
    alias[word] = expanded($0)
}
!inside && /^ *(tt|func)\.func / && match($0, /@[A-Za-z0-9_]+/) && substr($0, RSTART + 1, RLENGTH - 1) == name {
    inside = NR
    indent = $0
    sub(/(tt|func)\.func.*/, "", indent)
    sub(/ attributes {ttg\.shared = 0 : i32}/, "")
}
inside {
    if (!lines)
        print expanded($0)
    if ($0 == indent "}") {
        if (lines)
            print inside, NR
        exit
    }
}
