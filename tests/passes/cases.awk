# Whether the cases that a test file of a pass names are what it says:
#
#     awk -v pass=PASS -f cases.awk at=file FILE at=said SAID at=before BEFORE at=after AFTER
#
# FILE has lines "// positive: @function ..." and so on (cases.bats), SAID is what the pass says of it, BEFORE and AFTER its
# text without and with the pass, in which names of attributes are replaced by what they stand for. That a function needs
# no shared memory goes without saying. Prints a line for each complaint.

function expanded(text,   result, word) {
    while (match(text, /#[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(text, RSTART, RLENGTH)
        result = result substr(text, 1, RSTART - 1) ((at, word) in alias ? alias[at, word] : word)
        text = substr(text, RSTART + RLENGTH)
    }
    return result text
}
function complain(what) { print file ": " what }

# Where a function of the text begins and ends, and its text.
/^ *(tt|func)\.func / && inside == "" && match($0, /@[A-Za-z0-9_]+/) {
    inside = substr($0, RSTART + 1, RLENGTH - 1)
    if ((at, inside) in first)
        inside = ""
    else
        first[at, inside] = FNR
    indent = $0
    sub(/(tt|func)\.func.*/, "", indent)
}
inside != "" {
    line = $0
    if (at != "file") {
        sub(/ attributes {ttg\.shared = 0 : i32}/, "", line)
        text[at, inside] = text[at, inside] expanded(line) "\n"
    }
    if ($0 == indent "}" || (first[at, inside] == FNR && !/{$/)) { # a declaration is one line
        last[at, inside] = FNR
        inside = ""
    }
}
/^#[A-Za-z_][A-Za-z0-9_]* = / && at != "file" {
    word = $1
    sub(/^[^=]*= /, "")
    alias[at, word] = expanded($0)
}
at == "file" { file = FILENAME }
at == "file" && match($0, /^ *\/\/ (positive|negative|loop|if): /) {
    kind = $2
    sub(/:$/, "", kind)
    for (i = 3; i <= NF; i++)
        if ($i ~ /^@/) {
            cases[kind, ++count[kind]] = substr($i, 2)
            is[kind, substr($i, 2)] = 1
        }
}
at == "said" && /^[^:]*:[0-9]+:[0-9]+: remark: / {
    split($0, words, ":")
    said[words[2]] = 1
}

function is_spoken_of(name,   i) {
    for (i in said)
        if (i + 0 >= first["file", name] && i + 0 <= last["file", name])
            return 1
    return 0
}
function check(kind, name) {
    if (!(("file", name) in first))
        complain("there is no function @" name)
    changes = text["before", name] != text["after", name]
    if (kind == "positive" && !changes && !is_spoken_of(name))
        complain(pass " leaves @" name " as it is")
    if (kind == "negative" && changes)
        complain(pass " changes @" name)
    if (kind == "loop" && text["before", name] !~ /scf\.(for|while)|cf\.cond_br/)
        complain("@" name " has no loop")
    if (kind == "if" && text["before", name] !~ /scf\.if|cf\.cond_br/)
        complain("@" name " has no conditional")
    if ((kind == "loop" || kind == "if") && !(("positive", name) in is) && !(("negative", name) in is))
        complain("is @" name " positive or negative?")
}
END {
    if (!count["positive"])
        complain("no positive case")
    if (!count["negative"])
        complain("no negative case")
    if (!count["loop"] && !count["if"])
        complain("no case with a loop or a conditional")
    split("positive negative loop if", kinds, " ")
    for (k = 1; k <= 4; k++)
        for (i = 1; i <= count[kinds[k]]; i++)
            check(kinds[k], cases[kinds[k], i])
}
