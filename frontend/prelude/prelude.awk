# What the library's functions in the language say of themselves in the lines above them,
#
#     #: method Arithmetic: Quotient of integers, rounded up.     `method`: tensors have it, too
#     #:     y = tl.cdiv(n, B)                                    the example; before it perhaps `except TARGETS: why`
#     @triton.jit
#     def cdiv(x, div):
#
# or `#:` alone, of a name that the namespace has and the manual leaves out.
#
# awk -v what=rows: rows PRELUDE(path, parameters, method) of the table of builtins.
# awk -v what=manual FILE... share/tritcc/language.txt: that text with these entries at the ends of their sections.

function flush_section(   i) {
    for (i = 1; i <= entries[section]; i++)
        printf "%s", entry[section, i]
    entries[section] = 0
}

FILENAME ~ /language\.txt$/ {
    if (/^== ..*/) {
        flush_section()
        section = substr($0, 4)
    }
    print
    next
}
/^#:/ {
    is_row = 1
    line = substr($0, 4)
    is_method = is_method || sub(/^method /, "", line)
    if (line ~ /^ /)
        doc = doc line "\n"
    else if (match(line, /: /)) {
        into = substr(line, 1, RSTART - 1)
        doc = substr(line, RSTART) "\n"
    }
    next
}
/^def / && is_row {
    name = $2
    sub(/\(.*/, "", name)
    params = $0
    sub(/^[^(]*\(/, "", params)
    sub(/\)[^)]*$/, "", params)
    n = split(params, words, /, */)
    params = ""
    for (i = 1; i <= n; i++) {
        optional = words[i] ~ /=/ ? "?" : ""
        sub(/ *[:=].*/, "", words[i])
        params = params (i > 1 ? " " : "") words[i] optional
    }
    if (what == "rows")
        printf "PRELUDE(TL \"%s\", \"%s\", %s)\n", name, params, is_method ? "\"" name "\"" : "NULL"
    if (doc != "")
        entry[into, ++entries[into]] = name doc
    is_row = is_method = 0
    doc = ""
}
END {
    if (what != "manual")
        exit
    flush_section()
    for (s in entries)
        if (entries[s]) {
            print "prelude.awk: the manual has no section '" s "'" >"/dev/stderr"
            exit 1
        }
}
