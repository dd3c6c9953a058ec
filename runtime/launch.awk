# The launcher's LLVM IR, as objects have it: every object holds a copy, and a link takes one of each name. awk -v abi=N
# -f launch.awk launch.ll launch.ll (which is read twice).
# - What is local to a file becomes "tri.NAME": names with a dot, as kernels are called as they like.
# - What is hidden (by -fvisibility=hidden) carries the ABI, "tri_rt4_launch", so that releases live side by side.
# - What is public keeps its name: one for all releases, and one meaning.
# - All but the first are weak.

function name_of(line) {
    return match(line, /@[A-Za-z0-9_.$]+/) ? substr(line, RSTART + 1, RLENGTH - 1) : ""
}

# The names of the line as `new` has them.
function renamed(line,    out, name) {
    out = ""
    while (match(line, /@[A-Za-z0-9_.$]+/)) {
        name = substr(line, RSTART + 1, RLENGTH - 1)
        out = out substr(line, 1, RSTART) (name in new ? new[name] : name)
        line = substr(line, RSTART + RLENGTH)
    }
    return out line
}

FNR == NR {
    is_value = /^@/ && !/ = (external|extern_weak|appending) /
    if (!is_value && !/^define /)
        next
    name = name_of($0)
    if (/^define (internal|private) / || / = (internal|private) /)
        new[name] = "tri." name
    else if (is_value ? / = (dso_local )?hidden / : /^define (dso_local )?hidden /) {
        versioned = name
        if (!sub(/^tri_rt_/, "tri_rt" abi "_", versioned) && !sub(/^tri_cpu_rt_/, "tri_cpu_rt" abi "_", versioned)) {
            print "launch.awk: '" name "' is hidden, and starts neither with tri_rt_ nor with tri_cpu_rt_" >"/dev/stderr"
            exit 1
        }
        new[name] = versioned
    }
    next
}

/^define / && !/^define (internal|private) / { sub(/^define /, "define weak_odr ") }
/^@/ && !/ = (external|extern_weak|appending|internal|private) / { sub(/ = /, " = weak_odr ") }
{ print renamed($0) }
